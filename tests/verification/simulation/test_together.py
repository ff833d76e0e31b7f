"""Forward dynamics at several states at once are those at each of them, by NumPy and by compiled loops."""

from pathlib import Path

import numpy as np
import pytest

import eigenbody as eb
from eigenbody.simulation import kernels
from eigenbody.simulation.chart import Chart
from eigenbody.simulation.forward import Forward
from eigenbody.simulation.start import initial_point
from eigenbody.simulation.together import Together
from mechanisms import KINDS, random_mechanism

EXAMPLES = Path(__file__).parents[3] / "examples"
COPIED = ["flexible_slider_crank", "four_bar_with_spring", "flyball_governor", "chaplygin_sleigh", "rotating_pendulum"]
ALONE = ["andrews_squeezer", "rotor_stator"]  # measures of their own kind, rotation vectors


def stages(model, seed, loops):
    """A chart at the start, times and coordinates around it, constraints not heeded."""
    rng = np.random.default_rng(seed)
    point, _ = initial_point(model, False)
    forward = Forward(point.system, point.chosen, loops)
    forward.remember(point.state)
    chart = Chart(forward, point.state)
    y = chart.origin + 0.1 * rng.normal(size=(4, len(chart.origin)))
    return chart, np.array([0.1, 0.2, 0.3, 0.4]), y


def check(model, seed, loops):
    chart, times, Y = stages(model, seed, loops)
    together = Together(chart.forward, len(Y))
    single = np.array([chart.derivative(t, y) for t, y in zip(times, Y, strict=True)])
    before = chart.forward.evaluations
    found = together.derivatives(chart, times, Y)
    assert chart.forward.evaluations == before + len(Y)
    np.testing.assert_allclose(found, single, rtol=1e-9, atol=1e-9 * np.abs(single).max())
    return together._copies is not None


@pytest.mark.parametrize("is_compiled", [False, True])
@pytest.mark.parametrize("name", COPIED + ALONE)
def test_examples(name, is_compiled):
    if is_compiled:
        pytest.importorskip("numba")
    loops = kernels.loops_for(0, is_compiled)
    assert check(eb.load(EXAMPLES / f"{name}.yaml"), 3, loops) is (name in COPIED)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(2))
def test_random_mechanisms(kind, seed):
    check(eb.load(random_mechanism(np.random.default_rng(900 + seed), kind)), seed, None)


def test_counted_turns_and_prescribed_motions():
    """A spring that is wound up by two turns, and a motion in time."""
    model = {
        "eigenbody": 1,
        "bodies": {b: {"mass": 1, "inertia": [1, 1, 1], "at": [0, 0, 0]} for b in ("rotor", "slide")},
        "joints": {
            "pin": {"type": "revolute", "between": ["ground", "rotor"], "at": [0, 0, 0], "axis": [0, 0, 1],
                    "position": 13.0},
            "rail": {"type": "prismatic", "between": ["rotor", "slide"], "at": [0, 0, 0], "axis": [1, 0, 0],
                     "motion": "=0.3*sin(5*t)"},
        },
        "forces": {"winding": {"type": "spring", "along": "pin", "k": 7}},
    }  # fmt: skip
    assert check(eb.load(model), 5, None)
