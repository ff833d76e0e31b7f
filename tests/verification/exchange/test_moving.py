"""Modes as scenes that move: what other readers find in .glb and .pvd files is where the mechanism is in its modes."""

from __future__ import annotations

import json
import struct
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import meshio
import numpy as np
import pytest
import trimesh

import eigenbody as eb
from eigenbody.analyses.drawing import moving_modes, scene_of
from eigenbody.exchange.moving import Moving

PENDULUM = "examples/hanging_pendulum.yaml"
CRANK = "examples/flexible_slider_crank.yaml"
EXAMPLES = ["examples/half_car.yaml", CRANK, "examples/six_axis_arm.urdf", "examples/rotor_stator.yaml"]


def parts_of(path: Path) -> tuple[dict[str, Any], bytes]:
    """The text and the numbers of a .glb file, by its specification."""
    data = path.read_bytes()
    magic, version, size = struct.unpack_from("<4sII", data)
    assert (magic, version, size) == (b"glTF", 2, len(data))
    length, kind = struct.unpack_from("<I4s", data, 12)
    assert kind == b"JSON"
    rest, kind = struct.unpack_from("<I4s", data, 20 + length)
    assert kind == b"BIN\0"
    assert length % 4 == rest % 4 == 0
    return json.loads(data[20 : 20 + length]), data[28 + length :]


def numbers(document: dict[str, Any], body: bytes, accessor: int) -> np.ndarray:
    own = document["accessors"][accessor]
    view = document["bufferViews"][own["bufferView"]]
    wide = {"SCALAR": 1, "VEC3": 3, "VEC4": 4}[own["type"]]
    kind = {5126: "<f4", 5125: "<u4"}[own["componentType"]]
    assert view["byteOffset"] % 4 == 0
    return np.frombuffer(body, kind, own["count"] * wide, view["byteOffset"]).reshape(own["count"], wide)


@pytest.mark.parametrize("model", EXAMPLES)
def test_trimesh_finds_the_mechanism_where_it_is(model: str, tmp_path: Path) -> None:
    """Upright: its z axis, or what is against gravity, is the y axis of glTF."""
    modes = eb.modes(model)
    modes.write(tmp_path / "a.glb")
    found, scene = trimesh.load(tmp_path / "a.glb"), moving_modes(modes)
    vertices = scene.vertices()
    low, high = found.bounds
    up = scene.up / np.linalg.norm(scene.up)
    assert high[1] == pytest.approx((vertices @ up).max(), rel=1e-6, abs=1e-6)
    assert low[1] == pytest.approx((vertices @ up).min(), rel=1e-6, abs=1e-6)
    triangles = sum(len(found.geometry[found.graph[name][1]].faces) for name in found.graph.nodes_geometry)
    assert triangles == len(scene.faces[0])


def test_bodies_move_as_the_mode_says(tmp_path: Path) -> None:
    """The bob of a pendulum swings on a circle about its hinge; places and turns of every frame, from the file."""
    modes = eb.modes(PENDULUM)
    modes.write(tmp_path / "a.glb")
    document, body = parts_of(tmp_path / "a.glb")
    (animation,) = document["animations"]
    assert animation["name"] == f"mode 1: {modes.damped_frequency_hz[0]:.6g} Hz"
    nodes = [node["name"] for node in document["nodes"]]
    bob = nodes.index(modes.bodies[0])
    channels = {c["target"]["path"]: animation["samplers"][c["sampler"]] for c in animation["channels"]
                if c["target"]["node"] == bob}  # fmt: skip
    times = numbers(document, body, channels["translation"]["input"])[:, 0]
    moved = numbers(document, body, channels["translation"]["output"]) - document["nodes"][bob]["translation"]
    turned = numbers(document, body, channels["rotation"]["output"])
    shape = modes.shapes[0, 0]
    scene = scene_of(modes.linear.point)
    size = np.abs(moved).max() / np.abs(shape[:3]).max()
    phase = 2 * np.pi * times / times[-1]
    np.testing.assert_allclose(moved, size * np.real(shape[:3] * np.exp(1j * phase)[:, None]), atol=1e-6 * scene.size)
    angle = size * np.real(shape[3:] * np.exp(1j * phase)[:, None])  # the bob is not turned at rest
    size = np.linalg.norm(angle, axis=1)[:, None]
    expected = np.hstack((np.sin(0.5 * size) * angle / size, np.cos(0.5 * size)))
    rest = np.array(document["nodes"][bob]["rotation"])
    np.testing.assert_allclose(rest, [0, 0, 0, 1], atol=1e-7)
    sign = np.sign((turned * expected).sum(axis=1))[:, None]
    np.testing.assert_allclose(turned * sign, expected, atol=1e-6)


def test_flexible_bodies_bend_by_morph_targets(tmp_path: Path) -> None:
    modes = eb.modes(CRANK, n=3)
    modes.write(tmp_path / "a.glb")
    document, body = parts_of(tmp_path / "a.glb")
    scene = moving_modes(modes)
    assert scene.tubes
    bent = [mesh for mesh in document["meshes"] if "weights" in mesh]
    assert len(bent) == len(scene.tubes)
    for k, mesh in enumerate(bent):
        targets = mesh["primitives"][0]["targets"]
        assert len(targets) == len(mesh["weights"]) == 2 * len(scene.motions)
        for m, motion in enumerate(scene.motions):
            real, imaginary = (numbers(document, body, targets[2 * m + i]["POSITION"]) for i in (0, 1))
            np.testing.assert_allclose(
                real + 1j * imaginary, motion.bends[k], atol=1e-6 * np.abs(motion.bends[k]).max()
            )
    animation = document["animations"][1]
    weights = [c for c in animation["channels"] if c["target"]["path"] == "weights"]
    values = numbers(document, body, animation["samplers"][weights[0]["sampler"]]["output"]).reshape(-1, 6)
    phases = scene.motions[1].phases
    np.testing.assert_allclose(values, np.column_stack((0 * phases, 0 * phases, np.cos(phases), -np.sin(phases),
                                                        0 * phases, 0 * phases)), atol=1e-6)  # fmt: skip


def test_springs_stay_between_the_points_that_they_join(tmp_path: Path) -> None:
    """In every frame the ends of every link are where its bodies carry them."""
    modes = eb.modes("examples/half_car.yaml")
    drawing, scene = scene_of(modes.linear.point), moving_modes(modes)
    first = len(scene.nodes) - len(drawing.links)
    assert drawing.links
    for motion in scene.motions:
        for frame in (0, 7, 13):
            world = scene.world(motion, frame)
            for k, link in enumerate(drawing.links):
                ends = world[first + k] @ np.array([[0, 0, 0, 1.0], [0, 0, 1, 1.0]]).T
                for end, on, at in zip(ends.T, (link["a"], link["b"]), (link["p"], link["q"]), strict=True):
                    place = np.array([*at, 1.0])
                    expected = place if on < 0 else world[on] @ place
                    np.testing.assert_allclose(end[:3], expected[:3], atol=1e-9)


@pytest.mark.parametrize("model", EXAMPLES)
def test_meshio_reads_the_series_for_paraview(model: str, tmp_path: Path) -> None:
    modes = eb.modes(model, n=2)
    modes.write(tmp_path / "a.pvd")
    scene: Moving = moving_modes(modes)
    listed = ET.parse(tmp_path / "a.pvd").getroot().findall("./Collection/DataSet")
    assert len(listed) == 24 * len(scene.motions)
    times = [float(entry.attrib["timestep"]) for entry in listed]
    assert times == sorted(times)
    assert times[0] == 1.0
    assert times[24 + 6] == pytest.approx(2.25)
    faces, owners = scene.faces
    for k in (0, 5, 24 + 6):
        found = meshio.read(tmp_path / listed[k].attrib["file"])
        motion, frame = scene.motions[k // 24], k % 24
        expected = scene.vertices(motion, frame)
        np.testing.assert_array_equal(found.points, expected)
        np.testing.assert_array_equal(found.point_data["displacement"], expected - scene.vertices())
        np.testing.assert_array_equal(found.cells_dict["triangle"], faces)
        np.testing.assert_array_equal(found.cell_data["body"][0], owners)
    assert (
        np.abs(scene.vertices(scene.motions[0], 3) - scene.vertices()).max() > 0.01 * scene_of(modes.linear.point).size
    )


def test_points_of_rigid_bodies_keep_their_distances(tmp_path: Path) -> None:
    """In a frame far from rest: rotations are rotations, not shears."""
    modes = eb.modes(PENDULUM)
    scene = moving_modes(modes)
    rest, there = scene.vertices(), scene.vertices(scene.motions[0], 0)
    faces, owners = scene.faces
    carried = np.isin(owners, [k for k, node in enumerate(scene.nodes) if node.parent >= 0])
    for a, b in ((0, 1), (1, 2)):
        edges = [np.linalg.norm(v[faces[carried, a]] - v[faces[carried, b]], axis=1) for v in (rest, there)]
        np.testing.assert_allclose(edges[0], edges[1], atol=1e-12)


def test_folders_that_cannot_be_made_are_named(tmp_path: Path) -> None:
    (tmp_path / "a_vtu").write_text("in the way")
    with pytest.raises(eb.InputError, match="a_vtu"):
        eb.modes(PENDULUM).write(tmp_path / "a.pvd")
