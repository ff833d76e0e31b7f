"""The reference against closed forms, to 50 digits, and against the matrices of the tool."""

from __future__ import annotations

from typing import Any

import pytest
from flint import arb, arb_mat

from campaign.comparison import compare
from campaign.geometry import exact
from campaign.networks import truth_of
from campaign.reference import ContradictionError, linearize
from campaign.spectrum import spectrum

DIGITS = exact("1e-50")


def slider(**more: Any) -> dict[str, Any]:
    return {
        "eigenbody": 1,
        "bodies": {"a": {"mass": 2, "inertia": [1, 1, 1], "at": [0, 0, 0]}},
        "joints": {"s": {"type": "prismatic", "between": ["ground", "a"], "axis": [1, 2, 2]}},
        **more,
    }


def near(found: arb, true: arb) -> bool:
    return bool(abs(found - true) < DIGITS)


def test_pendulum_on_an_oblique_axis() -> None:
    """w^2 = m g l / (I + m l^2) with I = n.J.n: m = 3, g = 10, l = 2, n = (3, 4, 0)/5, J = diag(1, 2, 3)."""
    document = {
        "eigenbody": 1,
        "gravity": [0, 0, -10],
        "bodies": {"a": {"mass": 3, "inertia": [1, 2, 3], "at": [0, 0, -2]}},
        "joints": {"h": {"type": "revolute", "between": ["ground", "a"], "axis": [3, 4, 0]}},
    }
    found = linearize(document).A[1, 0]
    assert near(found, -60 / (exact("41/25") + 12))  # (9 * 1 + 16 * 2) / 25


def test_nutation_of_a_free_round_body() -> None:
    """Seen from ground a free round body precesses freely at C/A times its spin: 5/2 * 3."""
    document = {
        "eigenbody": 1,
        "bodies": {"a": {"mass": 1, "inertia": [2, 2, 5], "at": [0, 0, 0]}},
        "joints": {"f": {"type": "free", "between": ["ground", "a"], "velocity": [0, 0, 0, 0, 0, 3]}},
    }
    own = linearize(document)
    truth = spectrum(own.A)
    assert own.balanced
    assert truth.zeros == 10
    assert truth.verdict == "drifting"
    assert sorted(v.imag for v in truth.eigenvalues)[-1] == 7.5


def test_parallelogram_is_a_pendulum() -> None:
    """Cranks of length 2, inertia 1 + 1 about the pivot, a coupler of mass 4 that never turns; 3 redundant rows."""
    document = {
        "eigenbody": 1,
        "gravity": [0, -10, 0],
        "bodies": {
            "a": {"mass": 1, "inertia": [1, 1, 1], "at": [0, -1, 0]},
            "b": {"mass": 4, "inertia": [1, 1, 1], "at": [1, -2, 0]},
            "c": {"mass": 1, "inertia": [1, 1, 1], "at": [3, -1, 0]},
        },
        "joints": {
            "h": {"type": "revolute", "between": ["ground", "a"], "at": [0, 0, 0]},
            "i": {"type": "revolute", "between": ["a", "b"], "at": [0, -2, 0]},
            "j": {"type": "revolute", "between": ["b", "c"], "at": [3, -2, 0]},
            "k": {"type": "revolute", "between": ["ground", "c"], "at": [3, 0, 0]},
        },
    }
    inertia, moment = 2 * 2 + 4 * 2 * 2, 10 * (1 + 1 + 4 * 2)
    own = linearize(document, ["h"])
    assert near(own.A[1, 0], -exact(moment) / inertia)


def test_tilted_rotor_turns_gyroscopically() -> None:
    """A gimballed rotor without springs: tilt rates swing at H / A with H = C * spin, A the inertia across both."""
    document = {
        "eigenbody": 1,
        "bodies": {
            "g": {"mass": 1, "inertia": [1, 1, 1], "at": [0, 0, 0]},
            "r": {"mass": 1, "inertia": [2, 2, 3], "at": [0, 0, 0]},
        },
        "joints": {
            "u": {"type": "universal", "between": ["ground", "g"], "axis": [1, 0, 0], "axis2": [0, 1, 0]},
            "s": {"type": "revolute", "between": ["g", "r"], "axis": [0, 0, 1], "velocity": 10},
        },
    }
    own = linearize(document)
    assert max(v.imag for v in spectrum(own.A).eigenvalues) == pytest.approx(10.0, rel=1e-15)  # 3 * 10 / (1 + 2)


@pytest.mark.parametrize(
    ("k", "c", "zeros", "verdict"),
    [
        (0, 0, 2, "drifting"),
        (0, 1, 1, "marginal"),
        (8, 0, 0, "marginal"),
        (8, 1, 0, "stable"),
        (-1e-26, 0, 0, "unstable"),
    ],
)
def test_verdicts_of_a_slider(k: float, c: float, zeros: int, verdict: str) -> None:
    own = spectrum(linearize(slider(forces={"f": {"type": "spring", "along": "s", "k": k, "c": c}})).A)
    assert (own.zeros, own.verdict) == (zeros, verdict)


def test_defective_pair_on_the_axis_drifts() -> None:
    """Two equal oscillators of which one drives the other: resonance."""
    A = arb_mat([[0, 1, 0, 0], [-1, 0, 0, 0], [0, 0, 0, 1], [1, 0, -1, 0]])
    assert spectrum(A).verdict == "drifting"
    A[3, 0] = arb(0)
    assert spectrum(A).verdict == "marginal"


def test_network_of_two_masses() -> None:
    """Masses 2 and 3 joined by k = 6: w^2 = 6 (1/2 + 1/3) = 5."""
    document: dict[str, Any] = {
        "bodies": {"a": {"mass": 2}, "b": {"mass": 3}},
        "forces": {"f": {"between": ["a", "b"], "k": 6}},
    }
    truth = truth_of(document)
    assert (truth.zeros, truth.verdict) == (2, "drifting")
    assert max(v.imag for v in truth.eigenvalues) == pytest.approx(5**0.5, rel=1e-15)


def test_contradicting_velocities_are_no_case() -> None:
    document = slider()
    document["joints"]["t"] = {"type": "prismatic", "between": ["ground", "a"], "axis": [1, 2, 2], "velocity": 2}
    document["joints"]["s"]["velocity"] = 1
    with pytest.raises(ContradictionError):
        linearize(document)


MOVING_LOOP = {
    "eigenbody": 1,
    "gravity": [0, -10, 1],
    "bodies": {
        "a": {"mass": 1, "inertia": [1, 2, 2.5], "at": [0, 0.5, 0]},
        "b": {"mass": 1, "inertia": [1, 2, 2.5], "at": [0.5, 1, 0]},
        "c": {"mass": 2, "inertia": [1, 2, 2.5], "at": [1.5, 0.5, 0]},
    },
    "joints": {
        "h": {"type": "revolute", "between": ["ground", "a"], "at": [0, 0, 0], "velocity": 2, "position": -0.2},
        "i": {"type": "spherical", "between": ["a", "b"], "at": [0, 1, 0]},
        "j": {"type": "spherical", "between": ["b", "c"], "at": [1, 1, 0]},
        "k": {"type": "revolute", "between": ["ground", "c"], "at": [2, 0, 0], "axis": [1, 3, 2]},
    },
    "forces": {"s": {"type": "spring", "along": "h", "k": 10, "c": 1}},
}


def test_moving_spatial_loop_has_the_matrix_of_the_tool() -> None:
    """Initial state by Newton's method, ball joints that turn, dependent coordinates: A agrees to rounding."""
    outcome = compare(MOVING_LOOP)
    assert outcome is not None
    assert not outcome.faults
