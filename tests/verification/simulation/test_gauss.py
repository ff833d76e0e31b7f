"""Gauss collocation on stiff parts that swing undamped: against models written independently, its order, its energy,
and whether the error it tells is no less than the one it makes."""

import math
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import eigenbody as eb
from eigenbody.simulation.forward import Forward
from eigenbody.simulation.gauss import STAGES, WEIGHTS, A, C, Collocation, Gauss, rates_at, rises_at
from eigenbody.simulation.start import initial_point
from eigenbody.simulation.vibration import Vibrations, lasting_radians

EXAMPLES = Path(__file__).parents[3] / "examples"
MASS, LENGTH, G = 0.7, 1.1, 9.81


# The formulas ---------------------------------------------------------------------------------------------------------
def test_nodes_integrate_what_order_twenty_asks():
    """B(2 s), C(s) and D(s) of Butcher, which make the order 2 s (Hairer, Norsett & Wanner 1993, II.7)."""
    q, s = np.arange(1, 2 * STAGES + 1), np.arange(1, STAGES + 1)
    np.testing.assert_allclose([WEIGHTS @ C ** (k - 1) for k in q], 1 / q, rtol=1e-13)
    np.testing.assert_allclose([A @ C ** (k - 1) for k in s], [C**k / k for k in s], atol=1e-14)
    np.testing.assert_allclose(
        [(WEIGHTS * C ** (k - 1)) @ A for k in s], [WEIGHTS * (1 - C**k) / k for k in s], atol=1e-14
    )


def test_polynomial_of_a_step():
    x = np.linspace(0, 1, 7)
    np.testing.assert_allclose(rates_at(x) @ C**5, x**5, atol=1e-13)
    np.testing.assert_allclose(rises_at(x) @ C**5, x**6 / 6, atol=1e-13)


def test_it_is_symmetric():
    """a_(s+1-i, s+1-j) + a_ij = b_j (Hairer, Lubich & Wanner 2006, V.2)."""
    np.testing.assert_allclose(A[::-1, ::-1] + A, np.tile(WEIGHTS, (STAGES, 1)), atol=1e-14)


# A pendulum on a stiff spring -----------------------------------------------------------------------------------------
def spring_pendulum(k, stretch=0.0):
    """A heavy point on a spring, let go from the horizontal, the spring stretched."""
    return {
        "eigenbody": 1,
        "bodies": {"ball": {"mass": MASS, "inertia": [1e-3] * 3, "at": [LENGTH + stretch, 0, 0]}},
        "forces": {"s": {"type": "spring", "between": ["ground", "ball"], "at": [[0, 0, 0], [LENGTH + stretch, 0, 0]],
                         "k": k, "free_length": LENGTH}},
        "gravity": [0, 0, -G],
    }  # fmt: skip


def by_newton(k, stretch, times):
    """x, z, x', z' of the same, from m r'' = m g - k (|r| - l) r/|r|."""

    def rate(_, y):
        r = math.hypot(y[0], y[1])
        pull = k / MASS * (1 - LENGTH / r)
        return [y[2], y[3], -pull * y[0], -pull * y[1] - G]

    start = [LENGTH + stretch, 0.0, 0.0, 0.0]
    return solve_ivp(rate, (0, times[-1]), start, "DOP853", times, rtol=3e-14, atol=1e-13).y


@pytest.mark.parametrize(("k", "stretch"), [(7e5, 1e-3), (7e7, 0.0), (7e3, 0.05)])
def test_pendulum_on_a_stiff_spring(k, stretch):
    """Followed through 1000 rad/s with an amplitude of a millimetre, 10,000 rad/s of what the weight excites, and
    100 rad/s of a wide swing; at times within the steps too."""
    times = np.linspace(0, 0.05 if k > 1e7 else 0.4, 41)
    x, z, vx, vz = by_newton(k, stretch, times)
    for tolerance, allowed in ((1e-8, 2e-7), (1e-11, 2e-10)):
        found = eb.simulate(eb.load(spring_pendulum(k, stretch)), times[-1], "gauss", tolerance, times=times)
        np.testing.assert_allclose(found.states.r[:, 0, ::2], np.stack((x, z), 1), atol=allowed * LENGTH)
        np.testing.assert_allclose(found.states.v[:, 0, ::2], np.stack((vx, vz), 1), atol=allowed * 40)
        assert found.balance.is_kept


def test_order_twenty(monkeypatch):
    """The error at 0.2 s falls by 2^20 with half the step; steps are held at their length, whatever their error."""
    monkeypatch.setattr(Collocation, "error", lambda *_: 0.0)
    exact = by_newton(7e4, 0.01, np.array([0.0, 0.2]))[:2, -1]
    point, _ = initial_point(eb.load(spring_pendulum(7e4, 0.01)), False)

    def off(n):
        stepper = Gauss(Forward(point.system, point.chosen), point.state, 0.2, 1e-13, 0.2 / n)
        stepper._h = 0.2 / n
        for _ in range(n):
            stepper.advance(0.2)
        assert (stepper.counts.steps, stepper.counts.rejected) == (n, 0)
        return np.linalg.norm(stepper.state.r[0, ::2] - exact)

    coarse, fine = off(10), off(14)  # radians of the vibration in a step: 6.3 and 4.5
    assert math.log(coarse / fine) / math.log(14 / 10) == pytest.approx(2 * STAGES, abs=1)


def test_energy_stays_over_hundreds_of_vibrations():
    """1 s, 160 vibrations of the spring, in steps of four radians: an explicit method of order 8 with the same
    tolerance and five times the steps drifts a thousand times as far."""
    model = eb.load(spring_pendulum(7e5, 1e-3))
    runs = [
        eb.simulate(model, 1.0, method, 1e-8, points=41, max_steps=1e5, compiled=False)
        for method in ("gauss", "dop853")
    ]
    drifts = [np.abs(run.signal("energy") - run.signal("energy")[0]).max() / (MASS * G * LENGTH) for run in runs]
    assert drifts[0] < 1e-10
    assert drifts[1] > 1000 * drifts[0]
    assert runs[1].statistics["steps"] > 4 * runs[0].statistics["steps"]


# A chain of stiff and soft springs ------------------------------------------------------------------------------------
OMEGA = 50.0


def chain_start():
    """q and p of Hairer, Lubich & Wanner 2006, I.5.1: x_0 = 1, y_0 = 1, x_1 = 1/omega, y_1 = 1, else zero."""
    q, p = np.zeros((2, 6))
    q[:2] = np.array((1 - 1 / OMEGA, 1 + 1 / OMEGA)) / math.sqrt(2)
    p[:2] = np.array((0.0, 2.0)) / math.sqrt(2)
    return q, p


def chain():
    """Three stiff springs between soft ones of third power (Fermi, Pasta & Ulam), on rails one beside another."""
    bodies = {f"b{i}": {"mass": 1, "inertia": [1, 1, 1], "at": [0, i, 0]} for i in range(6)}
    rails = {
        f"s{i}": {
            "type": "prismatic", "between": ["ground", f"b{i}"], "at": [0, i, 0], "axis": [1, 0, 0], "position": q,
            "velocity": p,
        }
        for i, (q, p) in enumerate(zip(*(part.tolist() for part in chain_start()), strict=True))
    }  # fmt: skip
    ends, measures, forces = ["ground", *bodies, "ground"], {}, {}
    for i in range(7):
        measures[f"d{i}"] = {"type": "displacement", "between": ends[i : i + 2], "axis": [1, 0, 0], "at": [0, 0, 0]}
        law = {"k": OMEGA**2 / 2} if i % 2 else {"force": "=4*s**3"}
        forces[f"f{i}"] = {"type": "spring", "along": f"d{i}", **law}
    return {"eigenbody": 1, "bodies": bodies, "joints": rails, "measures": measures, "forces": forces}


def chain_by_newton(times):
    def rate(_, y):
        d = np.diff(np.concatenate(([0.0], y[:6], [0.0])))
        pull = np.where(np.arange(7) % 2, OMEGA**2 / 2 * d, 4 * d**3)
        return np.concatenate((y[6:], np.diff(pull)))

    return solve_ivp(rate, (0, times[-1]), np.concatenate(chain_start()), "DOP853", times, rtol=1e-13, atol=1e-13).y


def test_energy_goes_from_one_stiff_spring_to_the_next_and_none_is_lost():
    times = np.linspace(0, 15, 61)
    found = eb.simulate(eb.load(chain()), 15.0, "gauss", 1e-10, times=times)
    q, p = (np.stack([found.signal(f"s{i}{rate}") for i in range(6)]) for rate in ("", "'"))
    np.testing.assert_allclose(np.vstack((q, p)), chain_by_newton(times), atol=2e-9)
    d, v = q[1::2] - q[::2], p[1::2] - p[::2]
    swinging = v**2 / 4 + OMEGA**2 / 4 * d**2  # of each stiff spring
    assert np.abs(swinging.sum(0) - 1).max() < 4 / OMEGA  # an adiabatic invariant (loc. cit., Figure 5.2)
    assert swinging[1, 0] == 0
    assert swinging[1, -1] > 0.05  # while they exchange it
    gaps = np.diff(np.vstack((np.zeros(61), q, np.zeros(61))), axis=0)
    energy = found.signal("energy") + (gaps[::2] ** 4).sum(0)
    assert np.abs(energy - energy[0]).max() < 1e-10 * energy[0]


# A closed loop with an elastic rod ------------------------------------------------------------------------------------
@cache
def crank():
    return eb.load(EXAMPLES / "flexible_slider_crank.yaml", locked=0, speed=30)


def test_crank_with_an_elastic_rod():
    """By dop853 with a tolerance of 1e-11, which shares nothing of the method."""
    exact = eb.simulate(crank(), 2e-3, "dop853", 1e-11, points=21)
    found = eb.simulate(crank(), 2e-3, "gauss", 1e-8, points=21)
    assert np.abs(found.signal("sag") - exact.signal("sag")).max() < 1e-10
    np.testing.assert_allclose(found.states.v, exact.states.v, atol=1e-7)
    assert max(found.drift) < 1e-12


def test_vibrations_are_the_modes():
    """Of the mechanism at rest: omega as `eb.modes` finds them, the rigid motions left out."""
    model = eb.load(EXAMPLES / "flexible_slider_crank.yaml", locked=0, speed=0)
    point, _ = initial_point(model, False)
    forward = Forward(point.system, point.chosen)
    found = Vibrations(forward, point.state, forward.evaluate(point.state))
    modes = 2 * np.pi * eb.modes(model).undamped_frequency_hz
    stiff = found.squares > 1e2
    np.testing.assert_allclose(np.sqrt(found.squares[stiff]), np.sort(modes[modes > 10]), rtol=1e-6)


# The error that it tells ----------------------------------------------------------------------------------------------
@pytest.mark.parametrize("share", [0.25, 0.5, 1.0])
@pytest.mark.parametrize("name", ["stiff", "wide", "crank"])
def test_the_error_told_is_no_less_than_that_made(name, share):
    """One step of several lengths, from a state on the way: beside the same time by dop853 with 1e-13."""
    models = {"stiff": spring_pendulum(7e5, 1e-3), "wide": spring_pendulum(7e3, 0.05)}
    model = crank() if name == "crank" else eb.load(models[name])
    longest = {"stiff": 9e-3, "wide": 5e-2, "crank": 2.5e-4}[name]
    for begin in (1.0, 2.3, 3.7):
        start = eb.simulate(model, begin * longest, "dop853", 1e-12, points=2)
        told, made, least = step_errors(start, share * longest)
        assert made < max(told, least)


@pytest.mark.parametrize(
    ("soft", "begin", "h"),
    [(7, 0.185, 0.05), (1500, 0.06, 0.03), (1500, 0.185, 0.04), (3000, 0.185, 0.02), (3000, 0.06, 0.03)],
)
def test_the_error_told_where_a_slow_vibration_turns_with_a_fast_one(soft, begin, h):
    """Told of the slow one as of a vibration it was 4.6 % of a tolerance where 51 are made (1500 N/m, 0.04 s), or a
    thousandth where 7.6 are."""
    document = spring_pendulum(7e3, 0.05)
    document["forces"]["soft"] = {
        "type": "spring", "between": ["ground", "ball"], "at": [[0, 0, -3], [LENGTH + 0.05, 0, 0]], "k": soft,
        "free_length": 2.0,
    }  # fmt: skip
    told, made, least = step_errors(eb.simulate(eb.load(document), begin, "dop853", 1e-12, points=2), h)
    assert made < max(told, least)


@pytest.mark.parametrize("noise", [-1e-13, 1e-13])
def test_a_free_motion_is_no_vibration_whatever_rounding_makes_of_its_zero(monkeypatch, noise):
    """A ball that may turn freely about its stiff spring: the error told is the same whether the square of its zero
    frequency comes out above zero or below it."""
    from scipy import linalg

    eigh, h = linalg.eigh, 5e-2

    def rounded(*args):
        values, vectors = eigh(*args)
        return np.where(np.abs(values) < 1e-9, noise, values), vectors

    start = eb.simulate(eb.load(spring_pendulum(7e3, 0.05)), 3.7 * h, "dop853", 1e-12, points=2)
    monkeypatch.setattr(linalg, "eigh", rounded)
    told, made, _ = step_errors(start, h)
    assert told > 100  # a thousandth with the noise as a vibration
    assert made < told


def step_errors(start, h):
    """Error that a step of gauss tells and that it makes, in tolerances of 1e-8; and what rounding leaves of it."""
    told = []
    point = eb.operating_point(start)
    forward = Forward(point.system, point.chosen)
    t = float(np.real(point.state.t))
    stepper = Gauss(forward, point.state, t + h, 1e-8, h)
    stepper._h = h
    own = Collocation.error
    Collocation.error = lambda *a: told.append(own(*a)) or 0.0
    try:
        end = stepper.advance(t + h).state
    finally:
        Collocation.error = own
    exact = eb.simulate(point, t + h, "dop853", 1e-13, points=2).states
    off = np.concatenate((end.r - exact.r[-1], end.v - exact.v[-1]))
    scale = np.repeat((point.system.length, stepper.scales.linear), len(end.r))[:, None]
    return told[0], np.abs(off / scale).max() / 1e-8, 1e-4


def test_it_is_taken_for_elastic_bodies_that_ring_on():
    assert eb.simulate(crank(), 6e-3, points=2).method == "gauss"
    assert eb.simulate(crank(), 1e-3, points=2).method == "dop853"  # too short a time
    damped = eb.load(EXAMPLES / "flexible_slider_crank.yaml", locked=0, speed=30, damping=0.05)
    assert eb.simulate(damped, 6e-3, points=2).method.startswith("dop853")  # its fastest modes die away
    assert eb.simulate(eb.load(spring_pendulum(7e7)), 0.02, points=2).method.startswith("dop853")  # nothing is elastic


@pytest.mark.parametrize(
    ("given", "radians"),
    [
        ({}, 42832.1),  # the fastest of the modes of the mechanism as it stands
        ({"speed": 2000}, 0.0),  # turns nearly as fast as that
        ({"damping": 0.05}, 0.0),  # dies away
    ],
)
def test_radians_that_last(given, radians):
    model = eb.load(EXAMPLES / "flexible_slider_crank.yaml", **{"locked": 0, "speed": 30, **given})
    point, _ = initial_point(model, False)
    found = lasting_radians(Forward(point.system, point.chosen), point.state, 1.0)
    assert found == pytest.approx(radians, rel=1e-6)


def test_large_models_are_refused():
    from eigenbody.starters.family import family

    with pytest.raises(eb.InputError, match=r"gauss.*200 velocity coordinates"):
        eb.simulate(eb.load(family("C100RF1")), 0.1, "gauss")
