"""The nearest equilibrium, stable or not, and all of them, against closed forms."""

from __future__ import annotations

import json
import math
from itertools import product
from pathlib import Path

import numpy as np
import pytest

import eigenbody as eb
from eigenbody.cli import main

G = 9.81
ORIGIN = [0, 0, 0]


def rod(at: list[float]) -> dict:
    return {"mass": 1.0, "inertia": [0.1] * 3, "at": at}


def hinge(first: str, second: str, at: list[float], position: float = 0.0) -> dict:
    return {"type": "revolute", "between": [first, second], "at": at, "axis": [0, 1, 0], "position": position}


def pendulum(from_upright: float, **keys: object) -> dict:
    joints = {"pin": hinge("ground", "rod", ORIGIN, from_upright)}
    return {"eigenbody": 1, "gravity": [0, 0, -G], "bodies": {"rod": rod([0, 0, 1])}, "joints": joints, **keys}


def double_pendulum(a: float = 0.0, b: float = 0.0) -> dict:
    """Drawn hanging: equilibria at all angles 0 and pi."""
    joints = {"a": hinge("ground", "p", ORIGIN, a), "b": hinge("p", "q", [0, 0, -1], b)}
    bodies = {"p": rod([0, 0, -0.5]), "q": rod([0, 0, -1.5])}
    return {"eigenbody": 1, "gravity": [0, 0, -G], "bodies": bodies, "joints": joints}


def truss(size: float, height: float = 0.3) -> dict:
    """Von Mises truss: a block on a vertical slider between two springs to ground, without load at +-height."""
    h, b = height * size, size
    spring = {"type": "spring", "between": ["ground", "block"], "k": 1000, "free_length": math.hypot(b, h)}
    forces = {name: spring | {"at": [[x, 0, 0], [0, 0, h]]} for name, x in (("left", -b), ("right", b))}
    slider = {"type": "prismatic", "between": ["ground", "block"], "at": [0, 0, h], "axis": [0, 0, 1]}
    return {"eigenbody": 1, "bodies": {"block": rod([0, 0, h])}, "joints": {"s": slider}, "forces": forces}


@pytest.mark.parametrize("angle", [1e-6, -1e-3, 0.4, 1.3])
def test_the_nearest_equilibrium_of_a_pendulum_near_upright_is_upright(angle: float) -> None:
    found = eb.equilibrium(eb.load(pendulum(angle)), which="nearest")
    assert found.coordinates()["pin"] == pytest.approx(0.0, abs=1e-12)
    assert found.distance == pytest.approx(abs(angle), rel=1e-9)
    assert found.stability == "unstable"
    assert found.eigenvalues.real.max() == pytest.approx(math.sqrt(G / 1.1), rel=1e-12)  # m g l / (I + m l^2)


@pytest.mark.parametrize("angle", [1.8, 3.0, -2.5])
def test_and_farther_down_it_is_the_hanging_one(angle: float) -> None:
    found = eb.equilibrium(eb.load(pendulum(angle)), which="nearest")
    assert found.coordinates()["pin"] == pytest.approx(math.copysign(math.pi, angle), abs=1e-10)
    assert found.stability == "marginal"


def test_the_model_file_may_ask_for_it() -> None:
    document = pendulum(1e-6, operating_point={"equilibrium": {"which": "nearest"}})
    assert eb.operating_point(eb.load(document)).coordinates()["pin"] == pytest.approx(0.0, abs=1e-12)
    stable = eb.equilibrium(eb.load(document))
    assert abs(stable.coordinates()["pin"]) == pytest.approx(math.pi, abs=1e-10)


@pytest.mark.parametrize(("a", "b"), [*product((0.0, math.pi), repeat=2)])
def test_the_nearest_equilibrium_of_a_double_pendulum_is_that_of_four(a: float, b: float) -> None:
    found = eb.equilibrium(eb.load(double_pendulum(a + 0.1, b - 0.15)), which="nearest")
    values = found.coordinates()
    assert [values["a"], values["b"]] == pytest.approx([a, b], abs=1e-10)
    assert found.stability == ("unstable" if a or b else "marginal")


def test_a_slide_without_equilibrium_below_still_has_the_one_beside() -> None:
    """A cosine potential that tilts: f = cos(s) - 0.5 rests at s = pi/3 (stable) and -pi/3 (not)."""
    wave = {"type": "expression", "along": "s", "value": "=cos(s) - 0.5"}
    slider = {"type": "prismatic", "between": ["ground", "block"], "at": ORIGIN, "axis": [1, 0, 0], "position": -1.1}
    model = eb.load({"eigenbody": 1, "bodies": {"block": rod(ORIGIN)}, "joints": {"s": slider}, "forces": {"f": wave}})
    found = eb.equilibrium(model, which="nearest")
    assert found.coordinates()["s"] == pytest.approx(-math.pi / 3, abs=1e-10)
    assert found.stability == "unstable"


@pytest.mark.parametrize("size", [1.0, 100.0, 0.01])
def test_a_von_mises_truss_has_three_equilibria(size: float) -> None:
    found = eb.equilibrium(eb.load(truss(size)), all_from=12)
    ordered = sorted(found.all, key=lambda one: one.coordinates()["s"])
    places = [one.coordinates()["s"] / size for one in ordered]
    assert places == pytest.approx([-0.6, -0.3, 0.0], abs=1e-9)  # from the drawing at +0.3
    assert [one.stability for one in ordered] == ["marginal", "unstable", "marginal"]
    snapped = 2 * 1000 * 0.3**2 / (1 + 0.3**2)  # 2 k sin^2 of the slope; 1 kg
    flat = 2 * 1000 * (1 - math.hypot(1, 0.3))
    assert np.max(ordered[0].eigenvalues.imag) == pytest.approx(math.sqrt(snapped), rel=1e-9)
    assert np.max(ordered[1].eigenvalues.real) == pytest.approx(math.sqrt(-flat), rel=1e-9)


def test_a_pendulum_has_two() -> None:
    found = eb.equilibrium(eb.load(pendulum(2.0)), all_from=8)
    assert sorted((one.stability, round(abs(one.coordinates()["pin"]), 9)) for one in found.all) == [
        ("marginal", round(math.pi, 9)),
        ("unstable", 0.0),
    ]


def test_a_double_pendulum_has_four() -> None:
    found = eb.equilibrium(eb.load(double_pendulum()), all_from=16)
    angles = {tuple(round(abs(one.coordinates()[name]) / math.pi) for name in "ab"): one for one in found.all}
    assert set(angles) == set(product((0, 1), repeat=2))
    assert len(found.all) == 4
    assert [key for key, one in angles.items() if one.is_stable] == [(0, 0)]


def test_the_command_lists_them_with_their_stability(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "truss.json"
    path.write_text(json.dumps(truss(1.0)))
    assert main(["equilibrium", str(path), "--all-from", "8", "--json"]) == 0
    listed = json.loads(capfd.readouterr().out)["equilibria"]
    assert sorted(one["stability"] for one in listed) == ["marginal", "marginal", "unstable"]
