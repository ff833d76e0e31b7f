"""Meshes on the page: fewer triangles within the stated distance, packed so that they are read again, and placed."""

from __future__ import annotations

import base64
import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import trimesh
from scipy.spatial import cKDTree

import eigenbody as eb
from eigenbody.analyses.drawing import Scene, scene_of
from eigenbody.analyses.drawing.meshes import Surface, packed, reduced
from eigenbody.operating.find import operating_point
from eigenbody.spatial.rotations import from_quaternion


def surface(mesh: trimesh.Trimesh) -> Surface:
    return Surface(np.asarray(mesh.vertices), np.asarray(mesh.faces))


def unpacked(document: dict[str, Any]) -> list[tuple[np.ndarray, np.ndarray]]:
    """Corners in metres about the middle of the box, and triangles: what the script of the page does."""
    content, place, out = gzip.decompress(base64.b64decode(document["content"])), 0, []
    for own in document["surfaces"]:
        found = []
        for count, kind in ((own["corners"], "<u2"), (own["triangles"], "<u4")):
            size = 3 * count * np.dtype(kind).itemsize
            columns = np.frombuffer(content[place : place + size], kind).reshape(3, count)
            found.append(np.cumsum(columns, axis=1, dtype=kind).T.astype(float))
            place += size
        out.append(((found[0] / 65535 - 0.5) * own["box"], found[1].astype(int)))
    assert place == len(content)
    return out


def test_packed_surfaces_are_the_same() -> None:
    bodies = [surface(trimesh.creation.torus(0.3, 0.1)), surface(trimesh.creation.box((1, 2e-3, 5)))]
    for own, (corners, faces) in zip(bodies, unpacked(packed(bodies, [s.size for s in bodies])), strict=True):
        assert len(faces) == len(own.faces)
        middles = [np.sort(v[f].mean(axis=1), axis=0) for v, f in ((own.vertices, own.faces), (corners, faces))]
        np.testing.assert_allclose(middles[0], middles[1], atol=own.size.max() / 65535)
        triangles = trimesh.Trimesh(corners, faces, process=False)
        assert triangles.is_watertight
        assert triangles.volume == pytest.approx(trimesh.Trimesh(own.vertices, own.faces).volume, rel=1e-3)


def test_sheet_without_thickness() -> None:
    sheet = Surface(np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0.0]]) - [0.5, 0.5, 0], np.array([[0, 1, 2]]))
    ((corners, _),) = unpacked(packed([sheet], [sheet.size]))
    assert np.all(sheet.size > 0)
    np.testing.assert_allclose(np.sort(corners, axis=0), np.sort(sheet.vertices, axis=0), atol=1e-4)


@pytest.mark.parametrize("budget", [300, 3000, 20_000])
def test_fewer_triangles_within_the_stated_distance(budget: int) -> None:
    bodies = [surface(trimesh.creation.icosphere(5, 1.0)), surface(trimesh.creation.cylinder(0.1, 2, sections=400))]
    few, moved = reduced(bodies, budget)
    assert budget / 6 < sum(len(s.faces) for s in few) <= budget
    assert 0 < moved < 1
    for before, after in zip(bodies, few, strict=True):
        far, _ = cKDTree(before.vertices).query(after.vertices[np.unique(after.faces)])
        assert far.max() <= moved
    assert reduced(bodies, 10**6)[1] == 0


def drawn(folder: Path, body: dict[str, Any], **more: Any) -> Scene:
    path = folder / "model.json"
    path.write_text(json.dumps({"eigenbody": 1, "bodies": {"b": body, **more}}))
    return scene_of(operating_point(eb.load(path)))


def corners_of(scene: Scene, number: int) -> np.ndarray:
    """Corners of a part in global axes."""
    part = scene.parts[number]
    corners, _ = unpacked(scene.meshes)[part["mesh"]]
    unit = corners / scene.meshes["surfaces"][part["mesh"]]["box"]
    body = scene.bodies[part["on"]]
    R, own = (from_quaternion(np.array(q)[[3, 0, 1, 2]]) for q in (body["q"], part["q"]))
    return np.array(body["r"]) + (np.array(part["p"]) + (unit * part["s"]) @ own.T) @ R.T


def test_where_a_mesh_is_drawn(tmp_path: Path) -> None:
    """at + rotation (scale x) in the axes of the body, for every corner x of the file."""
    box = trimesh.creation.box((10, 20, 40))
    box.apply_translation((7, 0, 3))
    box.export(tmp_path / "box.stl")
    quarter = {"axis": [0, 0, 1], "angle": "90 deg"}
    shape = {"type": "mesh", "file": "box.stl", "scale": [0.1, -0.1, 0.2], "at": [1, 0, 0], "rotation": quarter}
    scene = drawn(tmp_path, {"mass": 1, "at": [0, 5, 0], "rotation": quarter, "shape": shape})
    Q = np.array([[0, -1, 0], [1, 0, 0], [0, 0, 1.0]])
    expected = (np.array([1, 0, 0]) + (np.asarray(box.vertices) * [0.1, -0.1, 0.2]) @ Q.T) @ Q.T + [0, 5, 0]
    found = corners_of(scene, 0)
    far, _ = cKDTree(expected).query(found)
    assert far.max() < 1e-3
    assert len(found) == 8


def test_body_that_fills_a_mesh_looks_like_it(tmp_path: Path) -> None:
    """In its place in the file, and one surface for two bodies of the same file."""
    cone = trimesh.creation.cone(0.2, 1, sections=24)
    cone.export(tmp_path / "cone.stl")
    filled = {"inertia": {"mesh": "cone.stl", "density": 1}}
    scene = drawn(tmp_path, filled, other=filled | {"at": [3, 0, 0]})
    far, _ = cKDTree(np.asarray(cone.vertices)).query(corners_of(scene, 0))
    assert far.max() < 1e-4
    assert len(scene.meshes["surfaces"]) == 1
    apart = corners_of(scene, 1).mean(axis=0) - corners_of(scene, 0).mean(axis=0)
    np.testing.assert_allclose(apart, [3, 0, -0.25], atol=1e-4)
