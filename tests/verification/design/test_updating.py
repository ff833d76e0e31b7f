"""Model updating: which parameters the data determine, whatever their magnitudes and ranges."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import eigenbody as eb
from eigenbody.analyses.design.update import update


def oscillators(**stiffness: str) -> eb.Model:
    """Masses of 1 kg, each on its own spring: frequencies sqrt(k) / 2 pi, k a formula of the parameters p, q, r."""
    names = list(stiffness)
    return eb.load({
        "eigenbody": 1, "parameters": {"p": 100.0, "q": 300.0, "r": 50.0},
        "bodies": {n: {"mass": 1, "at": [i, 0, 0]} for i, n in enumerate(names)},
        "joints": {
            f"way_{n}": {"type": "prismatic", "between": ["ground", n], "at": [i, 0, 0], "axis": [1, 0, 0]}
            for i, n in enumerate(names)
        },
        "forces": {n: {"type": "spring", "along": f"way_{n}", "k": f"={k}"} for n, k in stiffness.items()},
    })  # fmt: skip


def hertz(*stiffness: float) -> dict[str, Any]:
    return {"frequencies": np.sqrt(stiffness) / (2 * np.pi)}


def ranges(**ends: tuple[float, float]) -> dict[str, dict[str, float]]:
    return {name: {"from": low, "to": high, "start": low + 0.4 * (high - low)} for name, (low, high) in ends.items()}


def undetermined(found: Any) -> set[str]:
    """Names in the note."""
    (note,) = [n for n in found.notes if "do not determine" in n] or [""]
    return set(note.removeprefix("The data do not determine ").split(":")[0].split(", ")) - {""}


def test_of_two_springs_side_by_side_the_data_tell_neither_but_the_third() -> None:
    """k_b = q + r: two data, three parameters, p alone has one of its own."""
    found = update(oscillators(a="p", b="q + r"), ranges(p=(50, 200), q=(100, 500), r=(10, 100)), hertz(110, 380))
    assert found["p"] == pytest.approx(110, rel=1e-9)
    assert found["q"] + found["r"] == pytest.approx(380, rel=1e-9)
    assert undetermined(found) == {"q", "r"}


@pytest.mark.parametrize("width", [1.0, 1e-6, 1e-10])
@pytest.mark.parametrize("scale", [1.0, 1e9, 1e-9])
def test_neither_narrow_ranges_nor_magnitudes_make_a_parameter_undetermined(width: float, scale: float) -> None:
    """p moves two data with errors -e and +e by 1/2 each (d ln f / d ln p). One datum is surplus: noise sqrt(2) e of
    each; ln p is the sum of the two errors, so its deviation is sqrt(2) sqrt(2) e."""
    model = oscillators(a="p", b=f"{scale!r} * q", c="1.5 * p")
    middle, e = 110.0, 1e-7
    variables = ranges(p=(middle * (1 - 0.5 * width), middle * (1 + 0.4 * width)), q=(100 / scale, 900 / scale))
    found = update(
        model, variables, {"frequencies": hertz(middle, 1.5 * middle, 380)["frequencies"] * [1 - e, 1 + e, 1]}
    )
    assert undetermined(found) == set()
    assert found["q"] * scale == pytest.approx(380, rel=1e-6)
    assert found["p"] == pytest.approx(middle, rel=1e-6)
    assert found.deviations[0] == pytest.approx(2 * e * middle, rel=1e-3)
    assert np.isfinite(found.deviations).all()


def test_a_parameter_without_effect_on_the_data_is_undetermined_and_the_others_are_not() -> None:
    """Two modes are measured; q holds the third."""
    model = oscillators(a="p", b="2 * p", c="1e4 * q")
    found = update(model, ranges(p=(50, 200), q=(100, 500)), hertz(110.0, 220.1))
    assert undetermined(found) == {"q"}
    assert np.isfinite(found.deviations[0])
    assert np.isnan(found.deviations[1])


def test_all_of_many_parameters_that_share_one_direction_are_undetermined() -> None:
    """k = sum of twenty springs: each has a small share of every direction that the data do not tell."""
    names = [f"k{i}" for i in range(20)]
    model = eb.load({
        "eigenbody": 1, "parameters": dict.fromkeys(names, 10.0) | {"p": 100.0},
        "bodies": {n: {"mass": 1, "at": [i, 0, 0]} for i, n in enumerate("ab")},
        "joints": {
            n: {"type": "prismatic", "between": ["ground", n], "at": [i, 0, 0], "axis": [1, 0, 0]}
            for i, n in enumerate("ab")
        },
        "forces": {
            "sum": {"type": "spring", "along": "a", "k": "=" + " + ".join(names)},
            "own": {"type": "spring", "along": "b", "k": "=p"},
        },
    })  # fmt: skip
    found = update(model, ranges(**dict.fromkeys(names, (5.0, 20.0)), p=(50, 150)), hertz(100, 210))
    assert undetermined(found) == set(names)
