"""The mechanism as the equations need it: bodies, joint sides, spanning tree, plane of motion."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from eigenbody.model.description import Description, Entry
from eigenbody.routes.base import Place
from eigenbody.routes.drawing import GROUND, body_of
from eigenbody.routes.joints import COORDINATES, spanning_tree
from eigenbody.spatial.rotations import frame

IN_PLANE = ("revolute", "prismatic", "planar", "fixed")
ALIGNED = 1e-12


@dataclass(frozen=True, eq=False)
class Side:
    """Where a joint or force takes hold of a body: point and frame (columns), both in the drawing."""

    body: int
    point: np.ndarray
    frame: np.ndarray


def sides(description: Description, entry: Entry) -> tuple[Side, Side]:
    """Both sides of a joint, force or measure in the drawing."""
    names = entry["between"]
    markers = [description.markers.get(name) for name in names]
    own = entry.get("axis") is None and all(marker is not None for marker in markers)
    common = frame(
        np.array([0.0, 0.0, 1.0]) if entry.get("axis") is None else np.asarray(entry["axis"], float),
        None if entry.get("axis2") is None else np.asarray(entry["axis2"], float),
    )
    out = []
    for k, (name, marker) in enumerate(zip(names, markers, strict=True)):
        body = body_of(description, name)
        if entry.get("at") is not None:
            point = np.asarray(entry["at"], float)[k]
        elif marker is not None:
            point = marker.position
        else:
            point = np.zeros(3) if body == GROUND else description.bodies.position[body]
        out.append(Side(body, point, marker.rotation if own and marker is not None else common))
    return out[0], out[1]


def is_drawn_together(one: Side, other: Side) -> bool:
    """Whether the sides coincide in the drawing, so that all coordinates of the joint are zero there."""
    near = np.allclose(one.point, other.point, rtol=0, atol=ALIGNED * max(1.0, np.abs(one.point).max()))
    return bool(near and np.allclose(one.frame, other.frame, rtol=0, atol=ALIGNED))


@dataclass(frozen=True, eq=False)
class Plane:
    """Plane of motion: `turn` from global axes of the model to axes of the equations, of which number `normal` is
    normal to it. The global axes stay where one of them is normal."""

    turn: np.ndarray
    normal: int


def plane_of_motion(description: Description, place: Place) -> Plane | None:
    """None where the mechanism is not planar."""
    tree = spanning_tree(description)
    if not tree or any(b.joint is None for b in tree) or any(j.type not in IN_PLANE for j in description.joints):
        return None
    axes = {j.name: [side.frame[:, 2] for side in sides(description, j)] for j in description.joints}
    turning = [a for j in description.joints if j.type in ("revolute", "planar") for a in axes[j.name]]
    sliding = [a for j in description.joints if j.type == "prismatic" for a in axes[j.name]]
    normal = turning[0] if turning else frame(sliding[0])[:, 0] if sliding else np.array([0.0, 0.0, 1.0])
    moved = np.einsum("nij,nkj->nik", place.R, description.bodies.rotation) @ normal  # R R_drawn^T
    parallel = all(np.linalg.norm(np.cross(a, normal)) < ALIGNED for a in (*turning, *moved))
    if not parallel or any(abs(a @ normal) > ALIGNED for a in sliding):
        return None
    aligned = np.flatnonzero(np.abs(normal) == 1.0)
    return Plane(np.eye(3), int(aligned[0])) if len(aligned) else Plane(frame(normal).T, 2)


def split_name(description: Description, name: str) -> tuple[Entry | int | None, str]:
    """Joint and coordinate, or body and component, that a measure names; None for anything else."""
    whole = next((j for j in description.joints if j.name == name), None)
    if whole is not None and len(COORDINATES.get(whole.type, ())) == 1:
        return whole, COORDINATES[whole.type][0]
    owner, _, part = name.rpartition(".")
    joint = next((j for j in description.joints if j.name == owner), None)
    if joint is not None and part in COORDINATES.get(joint.type, ()):
        return joint, part
    if owner in description.bodies.names and part in COORDINATES["free"]:
        return description.bodies.names.index(owner), part
    return None, ""
