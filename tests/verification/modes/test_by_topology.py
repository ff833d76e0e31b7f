"""Normal modes, transfer functions and time responses by the route's own matrices (Jiang, Chen & Luo 2011, section 5).

Numbers of the families: computed by three methods, Exudyn 1.13.6 among them.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from families import family

import eigenbody as eb

EXAMPLES = Path(__file__).parents[3] / "examples"
C3RF1 = [53.61450709, 150.2245106, 217.0807074]  # Hz
L3RF1 = [121.770203, 162.9627712, 167.9150884]
ZETA = [0.16843494, 0.47194422, 0.68197916]  # of C3RF1


def test_normal_modes_of_the_families() -> None:
    chain, ladder = (eb.modes(eb.load(family(name)), route="topology") for name in ("C3RF1", "L3RF1"))
    assert chain.frequency_hz == pytest.approx(C3RF1, rel=1e-9)
    assert chain.damping_ratio == pytest.approx(ZETA, rel=1e-7)
    assert ladder.frequency_hz == pytest.approx(L3RF1, rel=1e-9)
    assert "by the route topology" in str(chain)
    assert chain.document()["route"] == "topology"


def test_without_the_geometric_stiffness_a_pendulum_does_not_swing() -> None:
    """Compound pendulum m = 4, I = 1, l = 0.1 under gravity: exactly 1.9424409703 rad/s, by the paper 0."""
    model = eb.load(
        {
            "eigenbody": 1, "name": "compound pendulum", "gravity": [0, 0, -9.81],
            "bodies": {"bob": {"mass": 4, "inertia": [1, 1, 1], "at": [0, 0, -0.1]}},
            "joints": {"pin": {"type": "revolute", "between": ["ground", "bob"], "at": [0, 0, 0], "axis": [0, 1, 0]}},
        }
    )  # fmt: skip
    assert abs(eb.modes(model).eigenvalues[0]) == pytest.approx(1.9424409703, rel=1e-10)
    by_route = eb.modes(model, route="topology")
    assert by_route.eigenvalues == pytest.approx([0, 0])
    note = next(note for note in by_route.notes if "geometric stiffness" in note)
    assert "3.924" in note  # m g l


def test_transfer_functions_and_time_responses_are_those_of_m_c_k() -> None:
    """Against (K - w^2 M + i w C)^-1 with M'', C'', K'' as the route prints them; no load, so nothing is neglected."""
    model = eb.load(family("TL3RF1"))
    route = eb.by_route(model, "topology").linear.matrices
    M, C, K = (route[name] for name in ("M''", "C''", "K''"))
    hz = [1.0, 20.0, 300.0]
    found = eb.frf(model, inputs="j7", outputs=["j1", "j7''"], frequencies_hz=hz, route="topology")
    exact = eb.frf(model, inputs="j7", outputs=["j1", "j7''"], frequencies_hz=hz)
    assert found.values == pytest.approx(exact.values, rel=1e-9)
    bodies = list(model.document["bodies"])
    parent, child = (bodies.index(name) for name in model.document["joints"]["j7"]["between"])
    along = np.eye(len(M))[child] - np.eye(len(M))[parent]  # the route counts absolute rotations, a joint relative ones
    for k, w in enumerate(2 * np.pi * np.array(hz)):
        moved = np.linalg.solve(K - w**2 * M + 1j * w * C, along)
        assert found.values[k, 0, 0] == pytest.approx(moved[0], rel=1e-9)
        assert found.values[k, 1, 0] == pytest.approx(-(w**2) * along @ moved, rel=1e-9)
    step = eb.response(model, eb.StepInput("j7"), times=(0.2, 41), outputs="j7", route="topology")
    assert step.outputs[-1, 0] == pytest.approx(
        eb.response(model, eb.StepInput("j7"), times=(0.2, 41), outputs="j7").outputs[-1, 0], rel=1e-9
    )


def test_outputs_that_read_forces_follow_the_route() -> None:
    """Acceleration of a sprung pendulum under a force: without m g l in the stiffness."""
    model = (
        eb.load(EXAMPLES / "hanging_pendulum.yaml")
        .force("hold", type="spring", along="hinge", k=50, c=1)
        .input("push", along="hinge")
        .output("a", measure="hinge", order=2)
    )
    linear, by_route = eb.linearize(model), eb.by_route(model, "topology").linear.matrices
    H = eb.frf(model, frequencies_hz=[0.7], route="topology").values[0, 0, 0]
    w = 2 * np.pi * 0.7
    M, C, K = (float(by_route[name][0, 0]) for name in ("M''", "C''", "K''"))
    assert pytest.approx(50) == K
    assert linear.K[0, 0] > 51
    assert pytest.approx(-(w**2) / (K - w**2 * M + 1j * w * C), rel=1e-10) == H


def test_what_the_route_does_not_know_is_refused() -> None:
    with pytest.raises(eb.InputError, match="the mechanism moves"):
        eb.modes(eb.load(EXAMPLES / "rotor_stator.yaml"), route="topology")
    with pytest.raises(eb.InputError, match="are not known"):
        eb.modes(eb.load(family("C3RF1")), route="kane")
    found = eb.modes(eb.load(family("C3RF1")), route="topology")
    with pytest.raises(eb.InputError, match="not those of the mechanism"):
        eb.sensitivity(found)
    with pytest.raises(eb.InputError, match="Explain the modes of the model itself"):
        found.explain()
