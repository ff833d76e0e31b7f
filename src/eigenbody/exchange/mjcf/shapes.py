"""What bodies look like: primitive geoms and meshes."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np

from eigenbody.exchange.meshes import Meshes, hex_color
from eigenbody.exchange.mjcf.draft import Draft
from eigenbody.exchange.numbers import clean
from eigenbody.exchange.parts import Pose
from eigenbody.model.names import GROUND
from eigenbody.spatial.rotations import from_quaternion

DRAWN = 2  # geoms of higher groups are not drawn by MuJoCo either
PLAIN = "#808080"  # of a geom that says nothing
MOVED = ("refpos", "refquat")  # meshes whose corners are not those of the file


def add_shapes(draft: Draft) -> None:
    """Primitive geoms and meshes of moving bodies; others are counted in a note."""
    m, d = draft.robot.m, draft.robot.d
    folder = draft.texts.roots[0][1].absolute()
    meshes, others = Meshes(folder, draft.options), 0
    for i in range(m.ngeom):
        body = draft.bodies[int(m.geom_bodyid[i])]
        if body == GROUND or int(m.geom_group[i]) > DRAWN:
            continue
        pose = Pose(np.array(d.geom_xpos[i]), np.array(d.geom_xmat[i]).reshape(3, 3))
        if int(m.geom_type[i]) == int(draft.robot.mujoco.mjtGeom.mjGEOM_MESH):
            shape, pose = _mesh(draft, int(m.geom_dataid[i]), pose, meshes)
        else:
            shape = _primitive(int(m.geom_type[i]), m.geom_size[i].tolist(), draft.robot.mujoco.mjtGeom)
        if shape is None:
            others += 1
            continue
        if color := _color(m, i):
            shape["color"] = color
        b = draft.material(int(m.geom_bodyid[i]))
        R, r = np.array(d.ximat[b]).reshape(3, 3), d.xipos[b]
        if (at := clean(R.T @ (pose.r - r), draft.extent)) != [0.0, 0.0, 0.0]:
            shape["at"] = at
        draft.turned(shape, R.T @ pose.R)
        draft.sections["bodies"][body].setdefault("shape", []).append(shape)
    meshes.note(draft.found)
    if others:
        what = "boxes, cylinders, capsules, spheres, ellipsoids or meshes of files in their own axes"
        draft.note(f"{others} geoms that are no {what} are not drawn.")


def _mesh(draft: Draft, k: int, geom: Pose, meshes: Meshes) -> tuple[dict[str, Any] | None, Pose]:
    """The shape of a mesh, and where the axes of its file are: MuJoCo has put the corners v of the file, scaled, about
    their centre in principal axes, Q^T (v - p)."""
    m = draft.robot.m
    start = int(m.mesh_pathadr[k])
    if start < 0 or draft.robot.name_of("MESH", k) in _moved(draft):
        return None, geom
    name = m.paths[start : m.paths.index(b"\0", start)].decode(errors="replace")
    Q, p = from_quaternion(np.array(m.mesh_quat[k])), np.array(m.mesh_pos[k])
    relative = os.path.relpath(Path(name).absolute(), meshes.folder)
    shape = meshes.shape(Path(relative).as_posix(), np.array(m.mesh_scale[k]), "")
    return shape, geom @ Pose(-Q.T @ p, Q.T)


def _moved(draft: Draft) -> set[str]:
    elements = [element for _, _, root in draft.texts.roots for element in root.walk() if element.tag == "mesh"]
    given = [element.attributes for element in elements if any(key in element.attributes for key in MOVED)]
    return {found.get("name") or Path(found.get("file", "")).stem for found in given}


def _color(m: Any, i: int) -> str:
    """Of the geom, or of its material."""
    material = int(m.geom_matid[i])
    rgba = m.geom_rgba[i] if material < 0 else m.mat_rgba[material]
    color = hex_color(" ".join(map(str, rgba.tolist())))
    return "" if color == PLAIN else color


def _primitive(kind: int, size: list[float], geom: Any) -> dict[str, Any] | None:
    if kind == int(geom.mjGEOM_SPHERE):
        return {"type": "sphere", "radius": size[0]}
    if kind in (int(geom.mjGEOM_CAPSULE), int(geom.mjGEOM_CYLINDER)):
        return {"type": "cylinder", "radius": size[0], "length": 2 * size[1]}
    if kind == int(geom.mjGEOM_BOX):
        return {"type": "box", "size": [2 * edge for edge in size]}
    return {"type": "ellipsoid", "radii": size} if kind == int(geom.mjGEOM_ELLIPSOID) else None
