"""Runs that head for far too many steps: followed by another method, or refused early; nothing computed is lost."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import eigenbody as eb
from eigenbody.cli import main
from eigenbody.simulation.chart import Chart
from eigenbody.simulation.forward import Forward
from eigenbody.simulation.inverse import engine as inverse_module
from eigenbody.simulation.pace import ALLOWED, MARK, PER_OUTPUT, LongRunError, Pace, allowed_steps
from eigenbody.simulation.stages import stage_jacobian
from eigenbody.simulation.start import initial_point
from eigenbody.simulation.stepping import Counts

STIFFNESS = 4e10  # N/m; 1 kg on it: 2e5 rad/s
OSCILLATOR = {
    "eigenbody": 1,
    "bodies": {"block": {"mass": 1, "inertia": [1, 1, 1], "at": [0, 0, 0]}},
    "joints": {
        "rail": {
            "type": "prismatic", "between": ["ground", "block"], "at": [0, 0, 0], "axis": [1, 0, 0], "position": 0.001,
        },
    },
    "forces": {"column": {"type": "spring", "along": "rail", "k": STIFFNESS}},
}  # fmt: skip
CARRIED = {
    "eigenbody": 1,
    "bodies": {
        "cart": {"mass": 1, "inertia": [1, 1, 1], "at": [0, 0, 0]},
        "load": {"mass": 1, "inertia": [1, 1, 1], "at": [1, 0, 0]},
    },
    "joints": {
        "rail": {"type": "prismatic", "between": ["ground", "cart"], "at": [0, 0, 0], "axis": [1, 0, 0]},
        "ride": {"type": "prismatic", "between": ["cart", "load"], "at": [1, 0, 0], "axis": [1, 0, 0]},
    },
    "forces": {"column": {"type": "spring", "along": "ride", "k": STIFFNESS}},
}
PENDULUM = {
    "eigenbody": 1,
    "gravity": [0, 0, -9.81],
    "bodies": {"a": {"mass": 1, "inertia": [0.1, 0.1, 0.1], "at": [0.5, 0, 0]}},
    "joints": {"p": {"type": "revolute", "between": ["ground", "a"], "at": [0, 0, 0], "axis": [0, 1, 0]}},
}


# What is refused ------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("method", ["auto", "dop853", "radau", "generalized-alpha"])
def test_a_run_that_must_follow_a_fast_vibration_is_refused_early_and_names_it(method: str) -> None:
    """10 s of a vibration at sqrt(k/m) / 2 pi = 31.8 kHz, of 1 mm: 3e5 periods, ten steps each and more."""
    with pytest.raises(eb.SimulationError) as caught:
        eb.simulate(OSCILLATOR, 10, method=method)
    text, partial = str(caught.value), caught.value.partial
    if method != "generalized-alpha":  # its steps are shorter than a hundredth of a radian
        assert f"{np.sqrt(STIFFNESS) / (2 * np.pi):.3g} Hz" in text
    for part in ('"block"', '"column"', "earlier end", "tolerance", "damping", "fixed step", "--max-steps"):
        assert part in text
    assert partial.statistics["steps"] + partial.statistics["rejected"] < 0.1 * PER_OUTPUT * 501
    assert not partial.finished
    assert partial.t[-1] > 0


def test_the_body_whose_rotation_makes_the_steps_short_is_named() -> None:
    """A body turns by 1.5 rad in a step at most: 1e9 rad/s for 1 s are 7e8 steps."""
    model = {**PENDULUM, "gravity": [0, 0, 0]}
    model["joints"] = {"p": {**PENDULUM["joints"]["p"], "velocity": 1e9}}
    with pytest.raises(eb.SimulationError, match=r'The body "a" turns at 1e\+09 rad/s'):
        eb.simulate(model, 1)


def test_the_limit_of_steps_is_what_was_asked_for() -> None:
    counted = eb.simulate(PENDULUM, 8).statistics
    needed = counted["steps"] + counted["rejected"]
    assert 2 * MARK < needed < ALLOWED
    assert eb.simulate(PENDULUM, 8, max_steps=1.2 * needed).finished
    with pytest.raises(eb.SimulationError, match="max_steps"):
        eb.simulate(PENDULUM, 8, method="dop853", max_steps=0.5 * needed)
    with pytest.raises(eb.InputError, match="max_steps: 0 is not a number of steps"):
        eb.simulate(PENDULUM, 8, max_steps=0)


def test_an_operating_point_at_the_end_of_a_simulation_has_the_same_limit() -> None:
    model = eb.load(PENDULUM)
    with pytest.raises(eb.SimulationError, match="max_steps"):
        eb.operating_point(model, {"simulate": {"until": 8, "max_steps": 50}})
    with pytest.raises(eb.SimulationError, match="max_steps"):
        eb.modes(OSCILLATOR | {"operating_point": {"simulate": {"until": 10}}})
    end = eb.operating_point(model, {"simulate": {"until": 1, "max_steps": 5000}})
    assert np.array_equal(end.state.R, eb.simulate(model, 1).state.R)
    with pytest.raises(eb.InputError, match="max_steps"):
        eb.load(PENDULUM | {"operating_point": {"simulate": {"until": 20, "max_steps": 0}}})


# How the pace is judged -----------------------------------------------------------------------------------------------
def paced(steps: np.ndarray, until: float, most: float = ALLOWED) -> int | None:
    """After how many steps of these lengths a run is refused."""
    point, _ = initial_point(eb.load(PENDULUM))
    stepper = SimpleNamespace(
        name="dop853", counts=Counts(), state=point.state, forward=Forward(point.system, point.chosen)
    )
    pace = Pace(stepper, 0.0, until, most, 0)
    for h in steps:
        stepper.state = replace(stepper.state, t=stepper.state.t + h)
        stepper.counts.accept(h)
        if stepper.state.t >= until:
            return None
        try:
            pace.refuse_long_run()
        except LongRunError:
            return stepper.counts.steps
    return None


def test_a_steady_pace_is_refused_the_earlier_the_more_steps_it_heads_for() -> None:
    h = np.full(2 * ALLOWED, 1e-3)
    assert paced(h, 0.99e-3 * ALLOWED) is None
    assert paced(h, 1e-3 * 20 * ALLOWED) == 2 * MARK
    assert paced(h, 1e-3 * 2 * ALLOWED) <= 8 * MARK


def test_a_vibration_that_dies_out_is_waited_for() -> None:
    """Steps that grow by e in 800 and shall cover 1e6 of the first: 800 ln(1e6 / 800 + 1) = 5706 of them in all."""
    steps = np.exp(np.arange(9000) / 800)
    assert paced(steps, 1e6, most=6000) is None
    assert paced(np.ones(9000), 1e6, most=6000) == 2 * MARK


def test_a_short_phase_of_small_steps_is_waited_for() -> None:
    """An impact: ten steps of flight, three hundred of contact, and so on."""
    one = np.concatenate((np.full(10, 0.05), np.full(300, 1e-6)))
    assert paced(np.tile(one, 12), 5.5) is None


def test_a_pace_that_becomes_slow_later_is_refused_before_the_allowed_steps_are_made() -> None:
    steps = np.concatenate((np.full(20, 0.05), np.full(ALLOWED, 1e-9)))
    assert paced(steps, 2.0) < ALLOWED / 2


def test_more_output_times_allow_for_more_steps() -> None:
    assert allowed_steps(2, is_fixed=False, is_cheap=False) == ALLOWED
    with pytest.raises(eb.SimulationError, match=f" {PER_OUTPUT * 501} are allowed"):
        eb.simulate(OSCILLATOR, 10, points=501)


# What is followed by another method -----------------------------------------------------------------------------------
def hanging(k: float) -> dict:
    """A pendulum of two bodies, the outer one held along the arm by a spring alone."""
    joint = {"type": "prismatic", "between": ["a", "b"], "at": [1, 0, 0], "axis": [1, 0, 0]}
    return {
        **PENDULUM,
        "bodies": {**PENDULUM["bodies"], "b": {"mass": 1, "inertia": [0.1, 0.1, 0.1], "at": [1, 0, 0]}},
        "joints": {**PENDULUM["joints"], "s": joint},
        "forces": {"arm": {"type": "spring", "along": "s", "k": k}},
    }


def test_undamped_stiffness_that_is_hardly_excited_is_passed_over() -> None:
    """1e6 rad/s along an arm that swings; to first order in 1/k the motion is that of a rigid arm."""
    rigid = hanging(1.0)
    rigid["joints"] = {**rigid["joints"], "s": {"type": "fixed", "between": ["a", "b"], "at": [1, 0, 0]}}
    del rigid["forces"]
    motion = eb.simulate(hanging(1e12), 0.4, tolerance=1e-5, points=5)
    exact = eb.simulate(rigid, 0.4, tolerance=1e-12, points=5)
    assert motion.method == "dop853 then radau"
    assert motion.statistics["steps"] + motion.statistics["rejected"] < 500
    assert motion.signal("p") == pytest.approx(exact.signal("p"), abs=1e-4)


def test_the_jacobian_of_a_stage_is_the_derivative_of_its_rates() -> None:
    """Against central differences at a turn of half a radian; d(d')/dd, which is not stiff, is of first order only."""
    point, _ = initial_point(eb.load(hanging(1e4)))
    chart = Chart(Forward(point.system, point.chosen), point.state)
    y = chart.origin + 0.3 * np.random.default_rng(3).standard_normal(len(chart.origin))
    h, n = 1e-6, point.system.nq
    numeric = np.array(
        [(chart.derivative(0.0, y + e) - chart.derivative(0.0, y - e)) / (2 * h) for e in h * np.eye(len(y))]
    ).T
    error = np.abs(stage_jacobian(chart, 0.0, y) - numeric)
    error[:n, :n] = 0
    assert error.max() < 1e-9 * np.abs(numeric).max()


# What was computed is kept --------------------------------------------------------------------------------------------
def test_inverse_that_is_refused_carries_the_forces_up_to_there() -> None:
    with pytest.raises(eb.SimulationError, match=r"\"column\".*--max-steps") as caught:
        eb.inverse(CARRIED, {"rail": "cycloid(0, 0.1, 0.1 s)"}, until=0.1, points=5)
    partial = caught.value.partial
    assert isinstance(partial, eb.InverseDynamics)
    assert partial.t[0] == 0
    assert 0 < partial.t[-1] < 0.025
    assert "The motion ends at t" in partial.warnings[-1]
    assert len(partial["rail"]) == len(partial.t)


@pytest.mark.parametrize("free", [False, True])
def test_inverse_that_is_interrupted_carries_the_forces_up_to_there(
    free: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = CARRIED | {"forces": {"column": {"type": "spring", "along": "ride", "k": 100}}}
    laws = {"rail": "cycloid(0, 0.1, 1 s)"} | ({} if free else {"ride": 0.0})
    whole = eb.inverse(document, laws, until=1, points=11)
    assert bool(whole.free) == free
    found = []
    own = inverse_module._instant

    def third(*arguments):
        if len(found) == 3:
            raise KeyboardInterrupt
        found.append(own(*arguments))
        return found[-1]

    monkeypatch.setattr(inverse_module, "_instant", third)
    with pytest.raises(eb.SimulationInterrupted) as caught:
        eb.inverse(document, laws, until=1, points=11)
    assert caught.value.partial.t == pytest.approx([0, 0.1, 0.2])
    assert np.array_equal(caught.value.partial["rail"], whole["rail"][:3])


@pytest.mark.parametrize("command", [["simulate"], ["inverse", "--motion", "rail=cycloid(0, 0.1, 10 s)"]])
def test_commands_write_what_was_computed_and_take_a_limit(
    command: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, out = tmp_path / "model.json", tmp_path / "out.csv"
    start = {**CARRIED["joints"]["ride"], "position": 0.001}
    path.write_text(json.dumps(CARRIED | {"joints": {**CARRIED["joints"], "ride": start}}))
    name, *more = command
    assert main([name, str(path), "--until", "10", "--max-steps", "6000", "-o", str(out), *more]) == 3
    assert "6000 are allowed" in capsys.readouterr().err
    with out.open() as stream:
        assert len(list(csv.reader(stream))) >= 2
    assert main([name, str(path), "--until", "10", "--max-steps", "0", *more]) == 2
    assert "--max-steps: 0 is not a number of steps" in capsys.readouterr().err
