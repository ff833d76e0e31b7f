"""Modes of points that are found in one stack are those of the linear model of each point."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from flexible_rotor import ROTORS, model

import eigenbody as eb
from eigenbody.analyses.modes import modes_of_many
from eigenbody.analyses.sweep import points
from eigenbody.analyses.sweep.linear import linearized
from eigenbody.analyses.sweep.points import modes_along, point_modes
from eigenbody.analyses.sweep.stacked import modes_in_stacks
from eigenbody.analyses.sweep.variants import linear_variants
from eigenbody.analyses.sweep.walk import Stretch
from eigenbody.linearization.model import LinearModel
from eigenbody.operating.turning.constant_form import in_blade_patterns

EXAMPLES = Path(__file__).parents[2] / "examples"


def example(name: str) -> eb.Model:
    return eb.load(EXAMPLES / f"{name}.yaml")


def shaft() -> eb.Model:
    return model(ROTORS[2], 4, 1)


def chain(c: str = "0 N*s/m", free: bool = True) -> eb.Model:
    """Two masses on slides: free with a rigid motion of two zeros, or held; undamped or damped."""
    slide = {"type": "prismatic", "axis": [1, 0, 0]}
    forces = {
        "s": {
            "type": "spring",
            "between": ["a", "b"],
            "at": [[0, 0, 0], [1, 0, 0]],
            "k": "=k",
            "c": c,
            "free_length": 1,
        }
    }
    if not free:
        forces["hold"] = {"type": "spring", "along": "ja", "k": "=k", "c": 0}
    return eb.load({
        "eigenbody": 1, "parameters": {"k": "100 N/m"}, "gravity": [0, 0, 0],
        "bodies": {
            "a": {"mass": 1, "inertia": [0.1, 0.1, 0.1], "at": [0, 0, 0]},
            "b": {"mass": 2, "inertia": [0.1, 0.1, 0.1], "at": [1, 0, 0]},
        },
        "joints": {
            "ja": {**slide, "between": ["ground", "a"], "at": [0, 0, 0]},
            "jb": {**slide, "between": ["ground", "b"], "at": [1, 0, 0]},
        },
        "forces": forces,
    })  # fmt: skip


CASES = {
    "free": (chain(), "k", np.linspace(50.0, 150.0, 9)),
    "free, damped": (chain("0.3 N*s/m"), "k", np.linspace(50.0, 150.0, 9)),
    "critically damped": (chain("40 N*s/m", free=False), "k", np.array([99.0, 100.0, 150.0, 600.0])),
    "held": (chain(free=False), "k", np.linspace(50.0, 150.0, 9)),
    "bicycle": (example("whipple_bicycle"), "v", np.linspace(4.0, 6.0, 5)),
    "rotor": (example("rotor_stator"), "speed", np.linspace(0.0, 300.0, 7)),
    "disc": (shaft(), "speed", np.linspace(0.0, 400.0, 6)),
}
STACKED = {"free", "free, damped", "critically damped", "held", "rotor", "disc"}  # others have slips or states


@pytest.mark.parametrize("n", [None, 3])
@pytest.mark.parametrize("name", CASES)
def test_as_each_by_itself(name: str, n: int | None) -> None:
    subject, parameter, values = CASES[name]
    stretch = Stretch(np.arange(len(values), dtype=float), {parameter: values})
    together = modes_along(subject, stretch, n)
    linears = [one for one in linear_variants(subject, {parameter: values}) if isinstance(one, LinearModel)]
    each = modes_of_many([in_blade_patterns(linear) for linear in linears], n)
    for modes, found in zip(each, together, strict=True):
        assert isinstance(modes, eb.Modes)
        assert isinstance(found, points.PointModes)
        alone = point_modes(modes)
        size = np.abs(alone.eigenvalues).max()
        assert found.eigenvalues == pytest.approx(alone.eigenvalues, rel=1e-9, abs=1e-11 * size)
        assert np.array_equal(found.eigenvalues == 0, alone.eigenvalues == 0)
        assert np.array_equal(found.is_rigid, alone.is_rigid)
        assert found.stabilities == alone.stabilities
        assert (found.stability, found.is_complete) == (alone.stability, alone.is_complete)
        assert found.notes == alone.notes
        assert found.spins == pytest.approx(alone.spins)
        assert found.extra.shape == alone.extra.shape
        simple = [k for k in range(len(alone.eigenvalues)) if _is_simple(alone.eigenvalues, k)]
        assert found.shapes[simple] == pytest.approx(alone.shapes[simple], abs=1e-7)


def _is_simple(values: np.ndarray, k: int) -> bool:
    """Whether a shape is determined: no other eigenvalue is the same."""
    others = np.delete(values, k)
    return bool(np.abs(others - values[k]).min(initial=np.inf) > 1e-6 * np.abs(values).max())


@pytest.mark.parametrize("name", CASES)
def test_which_are_found_in_stacks(name: str) -> None:
    subject, parameter, values = CASES[name]
    found = modes_in_stacks(linearized(subject, {parameter: values}), None)
    assert bool(found) == (name in STACKED)


def test_interruption_keeps_those_before() -> None:
    """Points of a stack and others among them: what is kept is in the order of the path, up to the first missing."""
    known = {0: "a", 2: "c", 3: "d"}
    assert points._in_order(known, ["b", "e"], 5) == ["a", "b", "c", "d", "e"]  # type: ignore[arg-type, list-item]
    assert points._in_order(known, ["b"], 5) == ["a", "b", "c", "d"]  # type: ignore[arg-type, list-item]
    assert points._in_order(known, [], 5) == ["a"]  # type: ignore[arg-type, list-item]
