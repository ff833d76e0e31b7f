"""Superelements: fastened, they vibrate as the mechanism does with the same springs on it; at rest they are exact."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import eigenbody as eb

STIFF = np.array([1e5, 2e5, 3e5, 1e3, 2e3, 3e3])
POINT = [0.1, 0.2, 0.3]


def crate(damped: bool = True) -> eb.Model:
    """Five free bodies, each fastened to each by a bushing."""
    rng = np.random.default_rng(1)
    model = eb.Model(name="crate")
    for i in range(5):
        inertia = (0.1 * (1 + 0.2 * rng.random(3))).tolist()
        model = model.body(f"b{i}", mass=1 + rng.random(), inertia=inertia, at=rng.normal(size=3).tolist())
    for i in range(5):
        for k in range(i):
            at, k6, c6 = rng.normal(size=3), 1e4 * (1 + rng.random(6)), 3 * (1 + rng.random(6))
            c6 = c6 if damped else 0 * c6
            model = model.force(
                f"s{i}{k}", "bushing", between=[f"b{k}", f"b{i}"], at=at.tolist(), k=k6.tolist(), c=c6.tolist()
            )
    return model


def arm() -> eb.Model:
    """A foot, a beam that bends on it, a link on a hinge with a spring and a closed loop: two rods between."""
    beam = {"type": "beam", "points": [[0, 0, 0.1], [0, 0, 0.6]], "E": 70e9, "G": 26e9, "density": 2700,
            "width": 0.02, "height": 0.03, "modes": 6}  # fmt: skip
    model = eb.Model(name="arm", flexible={"mast": beam})
    model = model.body("foot", mass=3, inertia=[0.02, 0.03, 0.04], at=[0, 0, 0.05])
    model = model.body("link", mass=1, inertia=[0.01, 0.02, 0.02], at=[0.2, 0, 0.6])
    model = model.body("rod", mass=0.3, inertia=[0.001, 0.002, 0.002], at=[0.15, 0, 0.4])
    model = model.joint("float", "free", between=["ground", "foot"], at=[0, 0, 0])
    model = model.joint("root", "fixed", between=["foot", "mast.start"], at=[0, 0, 0.1])
    model = model.joint("elbow", "revolute", between=["mast.end", "link"], at=[0, 0, 0.6], axis=[0, 1, 0])
    model = model.joint("pin", "spherical", between=["rod", "link"], at=[0.3, 0, 0.6])
    model = model.joint("ball", "universal", between=["foot", "rod"], at=[0, 0, 0.2], axis=[0, 1, 0], axis2=[0, 0, 1])
    return model.force("spring", "spring", along="elbow", k=40, c=0.2)


def eigenvalues(M: np.ndarray, C: np.ndarray, K: np.ndarray) -> np.ndarray:
    n = len(M)
    A = np.block([[np.zeros((n, n)), np.eye(n)], [-np.linalg.solve(M, K), -np.linalg.solve(M, C)]])
    return np.linalg.eigvals(A)


def fastened(found: eb.Superelement, node: int, stiff: np.ndarray) -> np.ndarray:
    K = found.K.copy()
    columns = found.freedoms[node]
    K[columns, columns] += stiff
    return eigenvalues(found.M, found.C, K)


def off(found: np.ndarray, wanted: np.ndarray) -> float:
    """Largest distance of one set from the other, relative to the largest."""
    from scipy.optimize import linear_sum_assignment

    apart = np.abs(found[:, None] - wanted)
    return float(apart[linear_sum_assignment(apart)].max() / np.abs(wanted).max())


@pytest.mark.parametrize(("model", "node"), [(crate(), "b0"), (arm(), "foot"), (arm(), "rod")], ids=str)
def test_fastened_it_vibrates_as_the_mechanism_does(model: eb.Model, node: str) -> None:
    """With all modes kept the springs may as well be in the model."""
    at = eb.linearize(model).point.state.r[0] + POINT if node != "b0" else np.array(POINT)
    found = eb.superelement(model, {node: at.tolist(), **({"b3": None} if node == "b0" else {})}, n=1000)
    assert np.isinf(found.first_dropped_hz)
    assert not found.left_out
    held = model.force("held", "bushing", between=["ground", node], at=at.tolist(), k=STIFF.tolist())
    assert off(fastened(found, 0, STIFF), np.linalg.eigvals(eb.linearize(held).A)) < 1e-10


def test_without_modes_it_is_exact_at_rest() -> None:
    """The inverse of K is the flexibility J K^-1 J^T, J of forces and torques that are inputs of the model."""
    model = arm().force("held", "bushing", between=["ground", "foot"], at=[0, 0, 0], k=STIFF.tolist())
    place = [0.31, 0.02, 0.6]
    for i in range(3):
        e = np.eye(3)[i].tolist()
        model = model.input(f"f{i}", body="link", at=place, direction=e)
        model = model.input(f"t{i}", body="link", at=place, direction=e, torque=True)
    linear = eb.linearize(model)
    J = linear.M @ linear.B[linear.dof :][:, [0, 2, 4, 1, 3, 5]]
    found = eb.superelement(model, {"link": place}, n=0)
    wanted = J.T @ np.linalg.solve(linear.K, J)
    np.testing.assert_allclose(np.linalg.inv(found.K), wanted, rtol=1e-9, atol=1e-12 * np.abs(wanted).max())
    np.testing.assert_allclose(found.T, np.linalg.solve(linear.K, J) @ found.K, rtol=0, atol=1e-9)


def test_modes_that_are_dropped_cost_high_frequencies_first() -> None:
    """Frequencies come from above as modes are added (Rayleigh and Ritz), and low ones are right at once."""
    model = crate(damped=False)
    held = model.force("held", "bushing", between=["ground", "b0"], at=POINT, k=STIFF.tolist())
    wanted = np.sort(eb.modes(held).frequency_hz)
    before = np.full(12, np.inf)
    for n in (0, 4, 8, 12, 16, 20, 24):
        found = eb.superelement(model, {"b0": POINT}, n=n)
        hz = np.sort(np.abs(fastened(found, 0, STIFF).imag))[::2] / (2 * np.pi)
        few = min(len(hz), 12)
        assert np.all(hz[:few] >= wanted[:few] * (1 - 1e-9))
        assert np.all(hz[:few] <= before[:few] * (1 + 1e-9))
        low = hz[:few] < found.first_dropped_hz / 2
        assert np.all((hz[:few] / wanted[:few] - 1)[low] < (hz[:few] / found.first_dropped_hz)[low] ** 2 + 1e-9)
        before = np.concatenate((hz[:few], np.full(12 - few, np.inf)))
    assert np.abs(before / wanted[:12] - 1).max() < 1e-9


def test_what_spins_inside_keeps_its_gyroscopic_moments() -> None:
    model = eb.Model(name="wheel in a box")
    model = model.body("box", mass=2, inertia=[0.1, 0.2, 0.3], at=[0, 0, 0])
    model = model.body("wheel", mass=1, inertia=[0.02, 0.02, 0.04], at=[0.1, 0, 0])
    model = model.joint("float", "free", between=["ground", "box"], at=[0, 0, 0], velocity=[0, 0, 0, 0, 0, 0])
    model = model.joint("axle", "revolute", between=["box", "wheel"], at=[0.1, 0, 0], axis=[0, 0, 1], velocity=[300])
    found = eb.superelement(model, {"box": [0, 0, -0.2]}, n=0)
    assert found.frequencies.tolist() == [0.0]  # the wheel turns freely in the box that is held
    np.testing.assert_allclose(np.abs(found.C).max(), 0.04 * 300, rtol=1e-12)
    held = model.force("held", "bushing", between=["ground", "box"], at=[0, 0, -0.2], k=STIFF.tolist())
    assert off(fastened(found, 0, STIFF), np.linalg.eigvals(eb.linearize(held).A)) < 1e-10
    with pytest.raises(eb.InputError, match='"wheel" moves at the operating point'):
        eb.superelement(model, ["wheel"])


def test_freedoms_that_are_none_are_left_out() -> None:
    """A pendulum's bob has one: the others are held, or follow it."""
    model = eb.Model(name="pendulum", gravity=[0, 0, -9.81])
    model = model.body("bob", mass=2, inertia=[0.1, 0.1, 0.1], at=[0, 0, -1])
    model = model.joint("pin", "revolute", between=["ground", "bob"], at=[0, 0, 0], axis=[0, 1, 0])
    found = eb.superelement(model, ["bob"])
    assert found.names == ("bob.ux",)
    assert found.left_out == ("bob.uy", "bob.uz", "bob.rx", "bob.ry", "bob.rz")
    np.testing.assert_allclose(found.K, [[2 * 9.81]], rtol=1e-12)
    np.testing.assert_allclose(found.M, [[2.1]], rtol=1e-12)
    assert "bob.ry" in str(found)


@pytest.mark.parametrize("ending", ["npz", "pch"])
def test_it_is_read_as_a_flexible_body(tmp_path: Path, ending: str) -> None:
    """Turned and moved in another model, fastened there: the frequencies of the mechanism fastened likewise."""
    model = crate(damped=False)
    eb.superelement(model, {"b0": POINT, "b3": None}, n=1000).write(tmp_path / f"crate.{ending}")
    node = "b0" if ending == "npz" else "1"
    file = {"type": "matrices", "file": str(tmp_path / f"crate.{ending}"), "reduced": True}
    held = model.force("held", "bushing", between=["ground", "b0"], at=POINT, k=STIFF.tolist())
    wanted = np.sort(eb.modes(held).frequency_hz)
    for placed, at, axes in (
        ({}, POINT, {}),
        ({"rotation": {"axis": [0, 0, 1], "angle": "90 deg"}, "at": [1, 0, 0]}, [1 - 0.2, 0.1, 0.3],
         {"axis": [0, 0, 1], "axis2": [0, 1, 0]}),
    ):  # fmt: skip
        back = eb.Model(name="back", flexible={"crate": {**file, **placed}})
        back = back.force("held", "bushing", between=["ground", f"crate.{node}"], at=at, k=STIFF.tolist(), **axes)
        found = np.sort(eb.modes(back).frequency_hz)
        np.testing.assert_allclose(found, wanted, rtol=1e-8 if ending == "npz" else 1e-7)


def test_a_reduced_body_that_turns_is_remarked_on(tmp_path: Path) -> None:
    model = crate(damped=False)
    eb.superelement(model, {"b0": POINT, "b3": None}, n=4).write(tmp_path / "crate.npz")
    file = {"type": "matrices", "file": str(tmp_path / "crate.npz")}
    with pytest.raises(eb.InputError, match="say reduced: true"):
        eb.modes(eb.Model(name="back", flexible={"crate": file}).joint(
            "spin", "revolute", between=["ground", "crate.b0"], at=POINT, axis=[0, 0, 1]))  # fmt: skip
    built = {"crate": {**file, "reduced": True}}
    for velocity, remarks in (([0], 0), ([5], 1)):
        back = eb.Model(name="back", flexible=built)
        back = back.joint(
            "spin", "revolute", between=["ground", "crate.b0"], at=POINT, axis=[0, 0, 1], velocity=velocity
        )
        notes = [note for note in eb.linearize(back).notes if "do not say where the mass is" in note]
        assert len(notes) == remarks


@pytest.mark.parametrize(("asked", "what"), [
    ({"interface": ["b9"]}, 'no body "b9" that moves'),
    ({"interface": []}, "no body is named"),
    ({"interface": {"b0": [1, 2]}}, "has to be x, y, z"),
    ({"interface": {"b0": [1, 2, float("nan")]}}, "has to be x, y, z"),
    ({"interface": ["b0"], "n": -1}, "-1 modes cannot be kept"),
])  # fmt: skip
def test_what_is_asked_for_wrongly(asked: dict[str, Any], what: str) -> None:
    with pytest.raises(eb.InputError, match=what):
        eb.superelement(crate(), **asked)


def test_models_that_are_not_mass_damping_and_stiffness() -> None:
    with pytest.raises(eb.InputError, match="first-order states"):
        eb.superelement("examples/active_suspension.yaml", ["body"])
