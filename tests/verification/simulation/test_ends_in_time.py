"""Searches and runs that lead nowhere end soon, and say what was reached."""

import re
from pathlib import Path

import numpy as np
import pytest

import eigenbody as eb
from eigenbody.base.errors import ComputationError
from eigenbody.dynamics.mechanics import Mechanics
from eigenbody.linearization.linearize import dense_model
from eigenbody.mobility.partition import select
from eigenbody.mobility.projection import closed, weight
from eigenbody.numerics.matrices.assembly import join
from eigenbody.operating.equilibrium.settle import settle
from eigenbody.operating.steady.equations import Trial
from eigenbody.operating.steady.rates import along_neutral
from eigenbody.operating.steady.settle import STEPS, settled
from eigenbody.operating.steady.task import understand
from eigenbody.simulation.forward import Forward
from eigenbody.simulation.result import SimulationError
from eigenbody.simulation.scatter import SparseSaddlePattern
from eigenbody.simulation.start import initial_point

EXAMPLES = Path(__file__).parents[3] / "examples"
PENDULUM = {
    "eigenbody": 1,
    "gravity": [0, 0, -9.81],
    "bodies": {"a": {"mass": 1, "inertia": [0.1, 0.1, 0.1], "at": [0.5, 0, 0]}},
    "joints": {"p": {"type": "revolute", "between": ["ground", "a"], "at": [0, 0, 0], "axis": [0, 1, 0]}},
}


@pytest.mark.parametrize("method", ["auto", "radau", "generalized-alpha"])
def test_a_run_that_could_never_end_names_its_end_what_was_reached_and_a_remedy(method):
    with pytest.raises(SimulationError, match=r"until = 1e\+12 s .* t = .* was reached .* earlier end") as caught:
        eb.simulate(PENDULUM, 1e12, method=method)
    partial = caught.value.partial  # a motion, not a stall at its start: the pendulum has begun to swing
    assert not partial.finished
    assert partial.t[-1] > 0.05


def test_a_long_time_in_which_nothing_moves_is_simulated():
    hanging = {**PENDULUM, "bodies": {"a": {"mass": 1, "inertia": [0.1, 0.1, 0.1], "at": [0, 0, -0.5]}}}
    assert eb.simulate(hanging, 1e12).t[-1] == 1e12


def test_settling_ends_where_steps_neither_move_anything_nor_lessen_the_forces():
    """A disc that falls over ends flat on the road, where the row of its contact has no gradient: no way leads on."""
    point, _ = initial_point(eb.load(EXAMPLES / "rolling_disc.yaml"))
    system, state = point.system, point.state
    rest = state.with_velocity(system, np.zeros(system.nq))
    chosen = select(Mechanics(system, rest))
    aside = np.zeros(system.nq)
    aside[3] = 0.02
    start = closed(system, rest.moved(system, aside), chosen, weight(system))
    with np.errstate(all="ignore"), pytest.raises(ComputationError, match=r"in \d+ steps") as caught:
        settle(system, start)
    assert int(re.search(r"in (\d+) steps", str(caught.value)).group(1)) < 100


def test_no_body_may_bend_at_a_constant_rate():
    """At 333 krad/s all stiffness of the blade is lost in the rounding of the centrifugal forces; still it is there."""
    model = eb.load(EXAMPLES / "helicopter_blade.yaml").with_parameters({"speed": 333332.0})
    point, _ = initial_point(model)
    linear = dense_model(point)
    task = along_neutral(understand(model, {}, ())[1], linear, point.system, point.chosen)
    modal = {name for body in point.system.description.flexible for name in body.coordinates}
    assert modal & set(linear.coordinates)
    assert not modal & {point.system.names[i] for i in task.neutral}


def test_the_way_to_a_steady_motion_ends_where_the_imbalance_stays():
    """The blade far beyond the speed at which it would tear: no rest anywhere, whatever way it bends."""
    speed = 333332.0
    model = eb.load(EXAMPLES / "helicopter_blade.yaml").with_parameters({"speed": speed})
    point, _ = initial_point(model)
    start = Trial(model, point.system, point.chosen, point.state, np.zeros(0))
    found, steps = settled(start, understand(model, {}, ())[1], np.zeros(0, dtype=bool), speed)
    assert found is None
    assert steps < STEPS / 2


def test_the_pattern_of_a_large_matrix_is_found_once_and_holds_every_entry():
    point, _ = initial_point(eb.load(EXAMPLES / "helicopter_blade.yaml"))
    system = point.system
    forward = Forward(system, point.chosen)
    pattern, rng, n = SparseSaddlePattern(system, point.chosen), np.random.default_rng(5), system.nq
    found = []
    for _ in range(3):
        state = point.state.moved(system, 1e-3 * rng.standard_normal(n))
        held, slips, _ = forward.jets(state)
        entries = Mechanics(system, state).mass()
        whole = pattern.matrix(join(entries), held.gradient, slips.gradient)
        assert abs(whole[:n, :n] - forward.mass(state)).max() == 0  # M assembled by itself
        assert abs(whole - whole.T).max() == 0
        found.append(whole)
    assert all(np.shares_memory(later.indices, found[0].indices) for later in found[1:])


def test_a_step_that_is_no_number_ends_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is not above the shortest one, whatever it is compared with: the search for a shorter one would not end."""
    from eigenbody.simulation.implicit import GeneralizedAlpha

    monkeypatch.setattr(GeneralizedAlpha, "_first_step", lambda _: float("nan"))
    with pytest.raises(eb.SimulationError):
        eb.simulate(
            EXAMPLES / "hanging_pendulum.yaml", until=0.03, points=5, method="generalized-alpha", compiled=False
        )
