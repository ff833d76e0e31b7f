"""Mass, centre of mass and inertia of what a mesh encloses: closed forms, a sum of tetrahedra, scales, places."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import trimesh
from scipy.spatial import ConvexHull, Delaunay

import eigenbody as eb
from eigenbody.spatial.polyhedra import OpenSurfaceError, solid_of
from eigenbody.spatial.rotations import about_axis

RHO = 2700.0


def body(folder: Path, mesh: trimesh.Trimesh, kind: str = "stl", **changes: Any) -> Any:
    """Row of the table of bodies of one that fills a mesh: mass, position, inertia."""
    mesh.export(folder / f"part.{kind}")
    inertia = {"mesh": str(folder / f"part.{kind}"), "density": RHO} | changes.pop("inertia", {})
    entry = {"inertia": {key: value for key, value in inertia.items() if value is not None}} | changes
    table = eb.load({"eigenbody": 1, "bodies": {"b": entry}}).description.bodies
    return table.mass[0], table.position[0], table.inertia[0], table


@pytest.mark.parametrize("kind", ["stl", "obj", "dae", "glb"])
def test_box_of_every_format(kind: str, tmp_path: Path) -> None:
    a, b, c = 0.5, 0.25, 2.0  # exact in the single precision of STL
    box = trimesh.creation.box((a, b, c))
    box.apply_translation((1, 2, 3))
    mass, centre, J, _ = body(tmp_path, box, kind)
    assert mass == pytest.approx(RHO * a * b * c, rel=1e-14)
    np.testing.assert_allclose(centre, [1, 2, 3], rtol=1e-14)
    exact = mass / 12 * np.diag([b * b + c * c, a * a + c * c, a * a + b * b])
    np.testing.assert_allclose(J, exact, atol=1e-13 * exact.max())


def test_spheres_converge_at_second_order() -> None:
    errors = []
    for level in (2, 3, 4):
        ball = trimesh.creation.icosphere(level)
        solid = solid_of(np.asarray(ball.vertices), np.asarray(ball.faces))
        exact = 4 / 3 * np.pi, 4 / 15 * np.pi  # volume, integral of x^2
        errors.append(max(abs(solid.volume / exact[0] - 1), abs(solid.second[0, 0] / exact[1] - 1)))
        np.testing.assert_allclose(solid.second, solid.second[0, 0] * np.eye(3), atol=1e-12)
    for coarse, fine in pairwise(errors):
        assert coarse / fine == pytest.approx(4, rel=0.1)


def test_prism_with_many_sides_is_exact() -> None:
    """A regular prism of n sides, radius r and height h: area n r^2 sin(2 pi/n) / 2, and its polar moment (Steiner)."""
    n, r, h = 7, 0.3, 1.1
    prism = trimesh.creation.cylinder(r, h, sections=n)
    solid = solid_of(np.asarray(prism.vertices), np.asarray(prism.faces))
    area = 0.5 * n * r * r * np.sin(2 * np.pi / n)
    polar = area * r * r * (2 + np.cos(2 * np.pi / n)) / 6
    assert solid.volume == pytest.approx(area * h, rel=1e-13)
    np.testing.assert_allclose(np.diag(solid.second), [polar * h / 2, polar * h / 2, area * h**3 / 12], rtol=1e-13)


@pytest.mark.parametrize("seed", range(4))
def test_random_polyhedron_against_a_sum_of_tetrahedra(seed: int) -> None:
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(30, 3)) * [3, 1, 0.2] + rng.normal(size=3) * 10
    solid = solid_of(points, outward(points))
    volume, first, second = 0.0, np.zeros(3), np.zeros((3, 3))
    for corners in points[Delaunay(points).simplices]:
        own = abs(np.linalg.det(corners[1:] - corners[0])) / 6
        volume, first = volume + own, first + own * corners.mean(axis=0)
        middle = corners - points.mean(axis=0)
        second += own / 20 * (middle.T @ middle + np.outer(middle.sum(axis=0), middle.sum(axis=0)))
    offset = first / volume - points.mean(axis=0)
    assert solid.volume == pytest.approx(volume, rel=1e-12)
    np.testing.assert_allclose(solid.centroid, first / volume, rtol=1e-11)
    exact = second - volume * np.outer(offset, offset)
    np.testing.assert_allclose(solid.second, exact, atol=1e-11 * exact.max())


def outward(points: np.ndarray) -> np.ndarray:
    hull = ConvexHull(points)
    a, b, c = (points[hull.simplices[:, k]] for k in range(3))
    turned = np.einsum("fi,fi->f", np.cross(b - a, c - a), hull.equations[:, :3]) < 0
    return np.where(turned[:, None], hull.simplices[:, ::-1], hull.simplices)


def test_place_rotation_and_scale(tmp_path: Path) -> None:
    """The axes of the file are those of the body; its origin is where `at` of the inertia says."""
    box = trimesh.creation.box((100, 200, 400))
    box.apply_translation((50, 0, 0))
    turn = {"axis": [0, 0, 1], "angle": 0.3}
    given = {"scale": 0.001, "at": [1, 2, 3]}
    mass, centre, J, table = body(tmp_path, box, inertia=given, rotation=turn)
    R = about_axis(np.array([0.0, 0.0, 1.0]), 0.3)
    assert mass == pytest.approx(RHO * 0.008, rel=1e-13)
    np.testing.assert_allclose(centre, [1, 2, 3] + R @ [0.05, 0, 0], rtol=1e-13)
    np.testing.assert_allclose(table.rotation[0], R)
    np.testing.assert_allclose(np.diag(J), mass / 12 * np.array([0.2, 0.17, 0.05]), rtol=1e-12)
    stretched = body(tmp_path, box, inertia={"scale": [-0.001, 0.002, 0.001]})
    assert stretched[0] == pytest.approx(2 * mass)
    np.testing.assert_allclose(stretched[1], [-0.05, 0, 0], atol=1e-15)
    np.testing.assert_allclose(np.diag(stretched[2]), mass / 6 * np.array([0.32, 0.17, 0.17]), rtol=1e-12)


def test_given_centre_and_given_mass_win(tmp_path: Path) -> None:
    box = trimesh.creation.box((1, 1, 1))
    box.apply_translation((5, 5, 5))
    mass, centre, J, _ = body(tmp_path, box, mass=6, at=[0, 0, 1], inertia={"density": None})
    assert mass == 6
    np.testing.assert_allclose(centre, [0, 0, 1])
    np.testing.assert_allclose(J, np.eye(3), atol=1e-13)


def test_inward_and_hollow(tmp_path: Path) -> None:
    """All normals inwards is a matter of taste; a shell turned inwards within another one is a cavity."""
    ball = trimesh.creation.icosphere(3)
    V = solid_of(np.asarray(ball.vertices), np.asarray(ball.faces)).volume
    assert solid_of(np.asarray(ball.vertices), np.asarray(ball.faces)[:, ::-1]).volume == pytest.approx(V)
    hollow = trimesh.util.concatenate([ball, _inward(ball, 0.5, 0)])
    assert solid_of(hollow.vertices, hollow.faces).volume == pytest.approx(V * 7 / 8)
    beside = trimesh.util.concatenate([ball, _inward(ball, 0.5, 4)])
    with pytest.raises(OpenSurfaceError, match="lies in no other one"):
        solid_of(beside.vertices, beside.faces)
    twice = trimesh.util.concatenate([ball, _inward(_inward(ball, 0.5, 0), 1, 0.1)])
    with pytest.raises(OpenSurfaceError, match="lies inside another one"):
        solid_of(twice.vertices, twice.faces)
    onion = trimesh.util.concatenate([hollow, _inward(_inward(ball, 0.25, 0), 1, 0.1)])  # loose in the cavity
    for faces in (onion.faces, onion.faces[:, ::-1]):
        assert solid_of(onion.vertices, faces).volume == pytest.approx(V * (1 - 1 / 8 + 1 / 64))


def test_shells_in_each_others_boxes(tmp_path: Path) -> None:
    """A bar through a ring lies in its box and not in it."""
    ring, bar = trimesh.creation.torus(1.0, 0.2), trimesh.creation.box((0.2, 0.2, 0.3))
    both = trimesh.util.concatenate([ring, bar])
    assert solid_of(both.vertices, both.faces).volume == pytest.approx(ring.volume + 0.012, rel=1e-12)


def _inward(mesh: trimesh.Trimesh, size: float, x: float) -> trimesh.Trimesh:
    other = mesh.copy()
    other.apply_scale(size)
    other.apply_translation((x, 0, 0))
    other.invert()
    return other


def test_parameters_of_a_mesh_have_exact_slopes(tmp_path: Path) -> None:
    """A compound pendulum of a scaled file: frequency as 1/sqrt(scale), none of the density."""
    box = trimesh.creation.box((0.1, 0.1, 1))
    box.apply_translation((0, 0, -0.5))
    box.export(tmp_path / "rod.stl")
    data = {
        "eigenbody": 1, "parameters": {"rho": RHO, "s": 2.0}, "gravity": [0, 0, -9.81],
        "bodies": {"rod": {"inertia": {"mesh": str(tmp_path / "rod.stl"), "density": "=rho", "scale": "=s"}}},
        "joints": {"j": {"type": "revolute", "between": ["ground", "rod"], "at": [0, 0, 0], "axis": [0, 1, 0]}},
    }  # fmt: skip
    model = eb.load(data)
    found = eb.modes(model)
    k = (0.1**2 + 1) / 12 + 0.25
    assert found.eigenvalues.imag.max() == pytest.approx(np.sqrt(9.81 * 0.5 / (2 * k)), rel=1e-7)  # STL: 1e-8
    slopes = eb.sensitivity(model, ["s", "rho"]).eigenvalues[:, 0]
    value = found.eigenvalues[0]
    np.testing.assert_allclose(slopes, [-0.5 * value / 2.0, 0.0], atol=1e-12)
    together = eb.variants(model, {"s": [1.0, 2.0, 4.0]}).eigenvalues
    alone = [eb.modes(model.with_parameters(s=s)).eigenvalues for s in (1.0, 2.0, 4.0)]
    np.testing.assert_allclose(np.abs(together).max(axis=1), np.abs(alone).max(axis=1), rtol=1e-13)
    compiled = eb.compiled(model, ["s", "rho"])(s=4.0, rho=100.0).eigenvalues
    np.testing.assert_allclose(np.abs(compiled).max(), np.abs(alone[2]).max(), rtol=1e-13)


def test_any_number_of_a_mesh_and_building_in_python(tmp_path: Path) -> None:
    """Paths name its numbers; the builder takes it as the file does."""
    trimesh.creation.box((1, 1, 1)).export(tmp_path / "box.stl")
    given = {"mesh": str(tmp_path / "box.stl"), "density": 6.0}
    model = eb.Model(gravity=[0, 0, -10]).body("b", inertia=given)
    model = model.joint("j", "revolute", between=["ground", "b"], at=[0, 0, 1], axis=[1, 0, 0])
    found = eb.linearize(model)
    assert found.M[0, 0] == pytest.approx(1 + 6)
    assert found.K[0, 0] == pytest.approx(60)
    other = eb.sensitivity(model, ["bodies.b.inertia.density"])
    np.testing.assert_allclose(other.eigenvalues[0], 0, atol=1e-12)
