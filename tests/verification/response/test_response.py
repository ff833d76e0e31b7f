"""Time response of the linear model against closed forms, numerical integration, the frequency domain and the nonlinear
simulation."""

from __future__ import annotations

import math
import sys
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from scipy.integrate import quad, simpson, solve_ivp

import eigenbody as eb
from eigenbody.analyses.response.energy import energy_balance
from eigenbody.analyses.response.linear_motion import motion

EXAMPLES = Path(__file__).parents[3] / "examples"
MASS, K, C = 2.0, 50.0, 3.0
OMEGA = math.sqrt(K / MASS)
SLIDER = eb.load(EXAMPLES / "slider_pendulum.yaml")
DAMPED = SLIDER.with_parameters(c=20)
METHODS = ("exact", "modal")


def block(k: float = K, c: float = C, **sections: object) -> eb.Model:
    """A mass on a spring and a damper."""
    rail = {"type": "prismatic", "between": ["ground", "block"], "at": [0, 0, 0], "axis": [1, 0, 0]}
    return eb.load({
        "eigenbody": 1, "name": "block", "bodies": {"block": {"mass": MASS, "at": [0, 0, 0]}}, "joints": {"rail": rail},
        "forces": {"spring": {"type": "spring", "along": "rail", "k": k, "c": c}}, **sections,
    })  # fmt: skip


def rotor(n: float = 0.0, c: float = 0.1, g: float = 0.0) -> eb.Model:
    """A mass on two slides with circulatory forces n and gyroscopic ones g between its two directions."""
    slide = {"type": "planar", "between": ["ground", "disc"], "at": [0, 0, 0], "axis": [0, 0, 1]}
    forces = {
        "sx": {"type": "spring", "along": "slide.x", "k": 9.0, "c": c},
        "sy": {"type": "spring", "along": "slide.y", "k": 16.0, "c": c},
        "sa": {"type": "spring", "along": "slide.angle", "k": 1.0, "c": c},
        "nx": {"type": "expression", "along": "slide.x", "value": f"=-{n}*slide.y - {g}*slide.y'"},
        "ny": {"type": "expression", "along": "slide.y", "value": f"={n}*slide.x + {g}*slide.x'"},
    }
    body = {"mass": 1.0, "inertia": [1, 1, 1], "at": [0, 0, 0]}
    return eb.load({"eigenbody": 1, "bodies": {"disc": body}, "joints": {"slide": slide}, "forces": forces})


# ---- closed forms of one mass


@pytest.mark.parametrize("method", METHODS)
def test_free_motion(method: str) -> None:
    found = eb.response(block(), initial={"rail": 0.1, "rail'": -0.4}, times=(4.0, 401), method=method)
    d, t = C / (2 * MASS), found.times
    w = math.sqrt(OMEGA**2 - d * d)
    exact = np.exp(-d * t) * (0.1 * np.cos(w * t) + (-0.4 + d * 0.1) / w * np.sin(w * t))
    np.testing.assert_allclose(found["rail"], exact, atol=1e-14)
    (mode,) = found.amplitudes()
    np.testing.assert_allclose(
        mode.amplitude * np.exp(-d * t) * np.cos(w * t + mode.phase), exact, atol=1e-14
    )  # the shape is 1 in the rail
    assert mode.frequency_hz == pytest.approx(w / (2 * np.pi))


@pytest.mark.parametrize("at", [0.0, 0.7, 1.0])
@pytest.mark.parametrize("method", METHODS)
def test_step_and_impulse(method: str, at: float) -> None:
    d, t = C / (2 * MASS), np.linspace(0, 4, 401)
    w, later = math.sqrt(OMEGA**2 - d * d), np.maximum(t - at, 0)
    step = eb.response(block(), eb.StepInput("rail", 7.0, at=at), times=(4.0, 401), method=method)
    exact = 7 / K * (1 - np.exp(-d * later) * (np.cos(w * later) + d / w * np.sin(w * later)))
    np.testing.assert_allclose(step["rail"], exact, atol=1e-14)
    blow = eb.response(block(), eb.ImpulseInput("rail", 3.0, at=at), times=(4.0, 401), method=method)
    np.testing.assert_allclose(blow["rail"], 3 / (MASS * w) * np.exp(-d * later) * np.sin(w * later), atol=1e-14)
    assert blow.output("rail'")[0] == (1.5 if at == 0 else 0.0)  # x(0+) = x0 + B
    assert step.energy.imbalance < 1e-7  # integrals of fourth order, see test_energy_integrals_are_of_fourth_order
    assert blow.energy.imbalance < 1e-7


@pytest.mark.parametrize("method", METHODS)
def test_resonance_of_an_undamped_mass_grows_in_proportion_to_time(method: str) -> None:
    drive = eb.HarmonicInput("rail", OMEGA / (2 * np.pi), 4.0, phase=-np.pi / 2)  # 4 sin(w t)
    found = eb.response(block(c=0.0), drive, times=(20.0, 2001), method=method)
    t = found.times
    exact = 4 / (2 * MASS * OMEGA**2) * (np.sin(OMEGA * t) - OMEGA * t * np.cos(OMEGA * t))
    np.testing.assert_allclose(found["rail"], exact, atol=1e-11)
    assert any("grows without bound" in note for note in found.notes)


def test_rigid_body_under_a_constant_force() -> None:
    found = eb.response(block(k=0.0, c=0.0), eb.StepInput("rail", 6.0), {"rail'": 1.0}, times=(5.0, 11))
    np.testing.assert_allclose(found["rail"], found.times + 1.5 * found.times**2, rtol=1e-13)
    assert found.energy.imbalance < 1e-13


def test_accelerations_see_the_input_at_once() -> None:
    found = eb.response(block(), eb.StepInput("rail", 7.0), times=(1.0, 11), outputs=["rail''", "rail"])
    assert found["rail''"][0] == pytest.approx(7.0 / MASS)
    np.testing.assert_allclose(
        MASS * found["rail''"] + C * found.output("rail'") + K * found["rail"], np.full(11, 7.0), rtol=1e-12
    )
    assert found.output_units == ("m/s^2", "m")


# ---- slider-pendulum of the lecture notes, c = 20


def test_slider_pendulum_free_motion_and_methods() -> None:
    start = {"rail": 0.1, "hinge": -0.05, "hinge'": 0.2}
    reference = [0.124885314359, 0.071953131548, 0.15185287878, -0.147265679376]
    for method in ("exact", "modal", "trapezoid"):
        found = eb.response(DAMPED, initial=start, times=(1.0, 101), method=method)
        np.testing.assert_allclose(found.states[-1], reference, atol=1e-12)
    for method in ("pade", "modal", "series", "cayley-hamilton"):
        Phi = eb.fundamental_matrix(DAMPED, 1.0, method)
        np.testing.assert_allclose(Phi @ [0.1, -0.05, 0, 0.2], reference, atol=1e-12)


@pytest.mark.parametrize("excitation", [
    eb.HarmonicInput("rail", 0.5, 10.0), eb.StepInput({"rail": 3.0, "hinge": 5.0}),
    eb.PeriodicInput(0.3, {"rail": 1.0}, {"rail": [2.0, 1.0]}, {"hinge": [0.0, 3.0]}),
])  # fmt: skip
def test_trapezoid_recursion_is_of_second_order(excitation: object) -> None:
    exact = eb.response(DAMPED, excitation, {"rail": 0.1}, times=(1.0, 2)).states[-1]
    errors = []
    for steps in (10, 20, 40, 80):
        found = eb.response(DAMPED, excitation, {"rail": 0.1}, times=(1.0, steps + 1), method="trapezoid")
        errors.append(np.abs(found.states[-1] - exact).max())
    ratios = np.array(errors[:-1]) / errors[1:]
    np.testing.assert_allclose(ratios, 4.0, rtol=0.03)
    assert ratios[-1] == pytest.approx(4.0, rel=0.002)


def test_amplitudes_rebuild_the_motion() -> None:
    found = eb.response(DAMPED, eb.ImpulseInput("hinge", 2.0), {"rail": 0.1}, times=(6.0, 301))
    modes, t = eb.modes(found.linear), found.times
    motion = sum(
        entry.amplitude * (np.exp(np.outer(t, [entry.eigenvalue]) + 1j * entry.phase) * modes.states_shape[i]).real
        for i, entry in enumerate(found.amplitudes())
    )
    np.testing.assert_allclose(motion, found.states, atol=1e-13)


@pytest.mark.parametrize(
    "name", ["whipple_bicycle", "conical_pendulum", "heavy_top", "rotor_stator", "actuated_linkage", "geared_shafts"]
)
def test_methods_agree_on_models_with_defective_zeros_and_many_units(name: str) -> None:
    """Rounding noise in entries that should vanish must not decide about the scale of a state."""
    linear = eb.linearize(eb.load(EXAMPLES / f"{name}.yaml"))
    times = np.array([0.1, 0.5])
    reference = eb.fundamental_matrix(linear, times)
    size = np.abs(reference).max(axis=(1, 2))
    for method in ("modal", "series", "cayley-hamilton"):
        off = np.abs(eb.fundamental_matrix(linear, times, method) - reference).max(axis=(1, 2)) / size
        assert off.max() < 1e-11, method
    Phi = eb.response(linear, initial={linear.states[0]: 1.0}, times=(0.5, 51))
    np.testing.assert_allclose(Phi.states[-1], reference[1][:, 0], rtol=1e-9, atol=1e-11 * np.abs(reference[1]).max())


# ---- harmonic and periodic


def test_real_and_complex_form_agree_and_transients_die_out() -> None:
    real = eb.HarmonicInput("rail", 0.4, 3.0, phase=0.6)
    turned = eb.HarmonicInput("rail", 0.4, 3.0 * np.exp(0.6j))
    series = eb.PeriodicInput(0.4, {}, {"rail": [3 * math.cos(0.6)]}, {"rail": [-3 * math.sin(0.6)]})
    double = eb.PeriodicInput.complex_form(0.4, {"rail": [0.0, 1.5 * np.exp(0.6j)]})
    motions = [eb.response(DAMPED, e, {"hinge": 0.1}, times=(150.0, 3001)) for e in (real, turned, series, double)]
    for other in motions[1:]:
        np.testing.assert_allclose(other.states, motions[0].states, atol=1e-12)
    lasting = eb.response(DAMPED, real, times=(150.0, 3001), stationary=True)
    np.testing.assert_allclose(motions[0].states[-200:], lasting.states[-200:], atol=1e-12)
    assert np.abs(motions[0].states[:200] - lasting.states[:200]).max() > 1e-3
    cosine, sine = lasting.harmonics.real_form()
    angle = 2 * np.pi * 0.4 * lasting.times[:, None]
    np.testing.assert_allclose(lasting.outputs, cosine * np.cos(angle) + sine * np.sin(angle), atol=1e-13)


def test_stationary_response_is_the_transfer_function() -> None:
    found = eb.response(DAMPED, eb.HarmonicInput("rail", 0.4), times=(5.0, 11), stationary=True, outputs=["hinge"])
    linear = eb.linearize(DAMPED)
    w = 2 * np.pi * 0.4
    H = np.linalg.solve(-w * w * linear.M + 1j * w * linear.C + linear.K, [1.0, 0.0])
    assert found.harmonics.outputs[0, 0] == pytest.approx(H[1], rel=1e-12)


def test_square_wave_by_its_fourier_series() -> None:
    """Stationary motion under +-1: each half period starts where the other ended, with the opposite sign."""
    v = np.arange(1, 400)
    given = eb.PeriodicInput(1.0, {}, {}, {"rail": np.where(v % 2, 4 / (np.pi * v), 0.0)})
    found = eb.response(block(), given, times=(0.5, 101), stationary=True)
    Phi, one, rest = eb.fundamental_matrix(block(), 0.5), np.eye(2), np.array([1 / K, 0.0])
    start = -np.linalg.solve(one + Phi, (one - Phi) @ rest)
    moving = eb.fundamental_matrix(block(), found.times)
    exact = rest + (moving @ (start - rest))
    assert np.abs(found["rail"] - exact[:, 0]).max() < 1e-6 * np.abs(exact).max()  # terms fall as 1/v^3
    long = eb.response(block(), given, times=(40.0, 8001))
    np.testing.assert_allclose(long["rail"][-101:], -found["rail"], atol=1e-12)  # half a period later


def test_one_period_of_samples_becomes_its_fourier_series() -> None:
    t = np.arange(16) / 16
    y = 0.3 + np.cos(2 * np.pi * t) - 0.5 * np.sin(6 * np.pi * t) + 0.2 * np.cos(16 * np.pi * t)
    given = eb.PeriodicInput.from_period(2.0, {"rail": y})
    lines = given.lines()
    np.testing.assert_allclose(lines.values(2 * t)[:, 0], y, atol=1e-14)
    assert lines.values(np.array([0.05]))[0, 0] == pytest.approx(
        0.3 + math.cos(0.05 * np.pi) - 0.5 * math.sin(0.15 * np.pi) + 0.2 * math.cos(0.4 * np.pi)
    )
    few = eb.PeriodicInput.from_period(2.0, {"rail": y}, harmonics=1).lines()
    np.testing.assert_allclose(few.values(2 * t)[:, 0], 0.3 + np.cos(2 * np.pi * t), atol=1e-14)


# ---- samples


@pytest.mark.parametrize("hold", ["first", "zero"])
def test_samples_against_numerical_integration(hold: str) -> None:
    rng = np.random.default_rng(5)
    times = np.cumsum(np.concatenate(([0.0], rng.uniform(0.05, 0.3, 12))))
    given = eb.SampledInput(times, {"rail": rng.normal(size=13), "hinge": rng.normal(size=13)}, hold)
    found = eb.response(DAMPED, given, {"rail": 0.1})
    A, B, u = found.linear.A, found.linear.B, given.table
    exact = [np.array([0.1, 0, 0, 0])]
    for k, (a, b) in enumerate(pairwise(times)):
        slope = (u[k + 1] - u[k]) / (b - a) if hold == "first" else 0 * u[k]

        def rate(t: float, x: np.ndarray, k: int = k, a: float = a, slope: np.ndarray = slope) -> np.ndarray:
            return A @ x + B @ (u[k] + slope * (t - a))

        exact.append(solve_ivp(rate, (a, b), exact[-1], rtol=1e-12, atol=1e-14, method="DOP853").y[:, -1])
    np.testing.assert_allclose(found.states, exact, atol=1e-10)


def test_output_times_between_the_samples_change_nothing() -> None:
    times = np.linspace(0, 3, 13)
    given = eb.SampledInput(times, {"rail": np.sin(5 * times)})
    at_samples = eb.response(DAMPED, given)
    finer = eb.response(DAMPED, given, times=(3.0, 121))
    odd = eb.response(DAMPED, given, times=(3.0, 8))
    np.testing.assert_allclose(finer.states[::10], at_samples.states, atol=1e-14)
    np.testing.assert_allclose(odd.states[-1], at_samples.states[-1], atol=1e-14)
    np.testing.assert_allclose(odd.inputs[3], given.between(odd.times[3:4])[0])
    for method in ("modal", "trapezoid"):
        other = eb.response(DAMPED, given, times=(3.0, 1201), method=method)
        np.testing.assert_allclose(other.states[::100], at_samples.states, atol=1e-14 if method == "modal" else 1e-5)


def test_very_many_steps() -> None:
    """200,000 steps of a harmonic, sampled finely: the recursion keeps ten digits."""
    t = np.linspace(0, 200, 200_001)
    w = 2.0
    given = eb.SampledInput(t, {"rail": np.cos(w * t)})
    found = eb.response(DAMPED, given)
    exact = eb.response(DAMPED, eb.HarmonicInput("rail", w / (2 * np.pi)), times=(200.0, 200_001), method="modal")
    assert np.abs(found.states - exact.states).max() < (w * 1e-3) ** 2 / 8 * 0.2
    by_modes = eb.response(DAMPED, given, method="modal")
    assert np.abs(found.states - by_modes.states).max() < 1e-12


# ---- systems with first-order states


def test_maxwell_element_and_controller_states() -> None:
    """A mass on a spring and a Maxwell element, whose inner end is a state, against numerical integration."""
    model = block(
        states={"z": {"initial": 0, "rate": "=(rail - z)*4"}},
        forces={"soft": {"type": "expression", "along": "rail", "value": "=-30*(rail - z) - 10*rail"}},
    )
    found = eb.response(model, eb.StepInput("rail", 2.0), {"rail": 0.1, "z": -0.2}, times=(5.0, 1001))

    def rate(_: float, y: np.ndarray) -> list[float]:
        x, v, z = y
        return [v, (2.0 - 30 * (x - z) - 10 * x) / MASS, 4 * (x - z)]

    exact = solve_ivp(rate, (0, 5), [0.1, 0, -0.2], t_eval=found.times, rtol=1e-12, atol=1e-14, method="DOP853").y
    np.testing.assert_allclose(found.states, exact.T, atol=1e-10)
    assert found.energy.imbalance < 1e-8
    assert np.abs(found.energy.states_work).max() > 0.01


# ---- energy


def test_energy_of_a_symmetric_system_balances() -> None:
    found = eb.response(DAMPED, eb.HarmonicInput("rail", 0.45, 20.0), {"rail": 0.1, "hinge'": 1.0}, times=(20.0, 4001))
    energy = found.energy
    assert energy.imbalance < 1e-9
    assert energy.at_start == pytest.approx(0.5 * 20 * 0.01 + 0.5 * 35)
    lost = simpson(20 * found.states[:, 2] ** 2, x=found.times)
    assert energy.dissipated[-1] == pytest.approx(lost, rel=1e-9)
    assert np.all(np.diff(energy.dissipated) >= -1e-15)
    assert not energy.circulatory.any()


def test_energy_integrals_are_of_fourth_order() -> None:
    linear, drive = eb.linearize(DAMPED.input("push", along="rail")), eb.HarmonicInput("push", 0.45, 20.0)
    missing = []
    for points in (51, 101, 201):
        path = motion(linear.A, linear.B, np.array([0.1, 0, 0, 0]), np.linspace(0, 5, points), drive, "exact")
        missing.append(energy_balance(linear, linear.B, path).imbalance)
    np.testing.assert_allclose(np.divide(missing[:-1], missing[1:]), 16.0, rtol=0.05)


def test_energies_at_few_times_are_integrated_between_them() -> None:
    few = eb.response(DAMPED, eb.HarmonicInput("rail", 0.45, 20.0), {"rail": 0.1}, (20.0, 6))
    many = eb.response(DAMPED, eb.HarmonicInput("rail", 0.45, 20.0), {"rail": 0.1}, (20.0, 2001))
    assert few.energy.imbalance < 1e-5
    np.testing.assert_allclose(few.energy.dissipated, many.energy.dissipated[::400], rtol=1e-4)
    np.testing.assert_allclose(few.states, many.states[::400], atol=1e-13)
    late = eb.response(DAMPED, eb.StepInput("rail", 5.0, at=3.3), {"rail": 0.1}, (20.0, 6))
    assert late.energy.imbalance < 1e-5
    assert len(late.times) == len(late.states) == len(late.energy.work) == 6


def test_circulatory_and_gyroscopic_systems() -> None:
    turning = eb.response(rotor(n=2.0, g=3.0), initial={"slide.x": 0.1}, times=(10.0, 4001))
    assert turning.energy.imbalance < 1e-8
    S, W = turning.states[:, :3], turning.states[:, 3:6]
    power = np.einsum("ti,ij,tj->t", W, turning.linear.circulatory, S)
    drawn = np.concatenate(([0.0], np.cumsum(0.5 * (power[1:] + power[:-1]) * np.diff(turning.times))))
    np.testing.assert_allclose(turning.energy.circulatory, drawn, atol=1e-5)
    assert np.abs(drawn).max() > 1e-3
    spinning = eb.response(rotor(g=3.0, c=0.0), initial={"slide.x": 0.1}, times=(10.0, 4001))
    np.testing.assert_allclose(spinning.energy.total, spinning.energy.at_start, rtol=1e-10)


# ---- other routes


def test_parseval() -> None:
    """Energy of the impulse response in time and frequency: int y^2 dt = 1/(2 pi) int |H|^2 dw."""
    found = eb.response(DAMPED, eb.ImpulseInput("rail"), times=(120.0, 240_001), outputs=["hinge"])
    y = found["hinge"]
    in_time = 5e-4 * (np.sum(y * y) - 0.5 * (y[0] ** 2 + y[-1] ** 2))
    linear = found.linear

    def gain(w: float) -> float:
        return abs(np.linalg.solve(-w * w * linear.M + 1j * w * linear.C + linear.K, [1.0, 0.0])[1]) ** 2

    parts = [quad(gain, a, b, epsabs=0, epsrel=1e-10, limit=300)[0] for a, b in ((0, 0.7), (0.7, 1), (1, 3), (3, 3.3))]
    in_frequency = (sum(parts) + quad(gain, 3.3, np.inf, epsabs=0, epsrel=1e-8, limit=300)[0]) / np.pi
    assert in_time == pytest.approx(in_frequency, rel=1e-7)


def test_small_motions_of_the_nonlinear_model() -> None:
    """The deviation from the linear response falls with the square of the amplitude (cubic terms: symmetric model)."""
    errors = []
    for size in (1e-2, 1e-3):
        joints = {"hinge": {**DAMPED.document["joints"]["hinge"], "position": size}}
        model = eb.load(
            {**DAMPED.document, "joints": {**DAMPED.document["joints"], **joints}, "parameters": {"k": 20, "c": 20}}
        )
        nonlinear = eb.simulate(model, 3.0, points=61, tolerance=1e-12)
        linear = eb.response(DAMPED, initial={"hinge": size}, times=(3.0, 61))
        errors.append(np.abs(nonlinear.signal("hinge") - linear["hinge"]).max() / size)
    assert errors[0] < 1e-3
    assert errors[1] < errors[0] / 80


def test_large_path_converges_to_the_dense_one() -> None:
    start = {"rail": 0.1, "hinge'": 0.2}
    for excitation in (
        None,
        eb.StepInput("rail", 5.0),
        eb.ImpulseInput("rail", 5.0),
        eb.HarmonicInput("rail", 0.4, 3.0),
    ):
        for outputs in (["rail", "hinge'"], ["hinge''"]):  # the second reads accelerations: descriptor form
            exact = eb.response(DAMPED, excitation, start, (4.0, 201), outputs)
            off = []
            for fine in (1, 2):
                sparse = eb.response(DAMPED, excitation, start, (4.0, 200 * fine + 1), outputs, solver="sparse")
                off.append(np.abs(sparse.outputs[::fine] - exact.outputs).max())
            assert off[0] / off[1] == pytest.approx(4.0, rel=0.01)
            assert sparse.states is None
            if outputs == ["rail", "hinge'"]:
                assert sparse.energy.imbalance < 1e-12


def test_large_path_in_motion() -> None:
    model = eb.load(EXAMPLES / "rotor_stator.yaml")
    drive, start = eb.HarmonicInput("stator.x", 0.4, 3.0), {"stator.x": 0.01, "stator.rx": 0.01}
    exact = eb.response(model, drive, start, (10.0, 501))
    off = []
    for fine in (1, 2):
        sparse = eb.response(model, drive, start, (10.0, 500 * fine + 1), solver="sparse")
        off.append(np.abs(sparse.outputs[::fine] - exact.outputs).max())
    assert off[0] / off[1] == pytest.approx(4.0, rel=0.02)
    assert exact.energy.imbalance < 1e-6


def test_redundant_ladder_on_the_large_path() -> None:
    sys.path.insert(0, str(EXAMPLES))
    from families import family

    model = eb.load(family("L10RF1"))
    name = eb.operating_point(model).system.names[eb.operating_point(model).chosen.positions[0]]
    exact = eb.response(model, eb.ImpulseInput(name), times=(0.02, 2001), outputs=[name])
    sparse = eb.response(model, eb.ImpulseInput(name), times=(0.02, 2001), outputs=[name], solver="sparse")
    assert np.abs(sparse.outputs - exact.outputs).max() < 2e-3 * np.abs(exact.outputs).max()
    assert sparse.energy.imbalance < 1e-12


# ---- what is refused


def refused(*args: object, **kwargs: object) -> str:
    with pytest.raises(eb.InputError) as caught:
        eb.response(*args, **kwargs)
    return str(caught.value)


def test_stationary_response_refused() -> None:
    upright = eb.load({
        "eigenbody": 1, "gravity": [0, 0, -9.81], "bodies": {"bob": {"mass": 2, "inertia": [0.1] * 3, "at": [0, 0, 1]}},
        "joints": {"pin": {"type": "revolute", "between": ["ground", "bob"], "at": [0, 0, 0], "axis": [0, 1, 0]}},
    })  # fmt: skip
    text = refused(upright, eb.HarmonicInput("pin", 1.0), times=(1.0, 3), stationary=True)
    assert "unstable" in text
    assert "mode 2 (growing as exp(3.05" in text
    resonant = eb.HarmonicInput("rail", OMEGA / (2 * np.pi))
    text = refused(block(c=0.0), resonant, times=(1.0, 3), stationary=True)
    assert "grows without bound: mode 1 (0.795775 Hz, undamped)" in text
    mean = eb.PeriodicInput(1.0, {"rail": 1.0}, {"rail": [1.0]}, {})
    assert "rigid motion" in refused(block(k=0.0), mean, times=(1.0, 3), stationary=True)
    assert "step excitation" in refused(block(), eb.StepInput("rail"), times=(1.0, 3), stationary=True)
    assert "forgotten" in refused(block(), resonant, {"rail": 1.0}, (1.0, 3), stationary=True)


def test_undamped_mode_that_is_not_excited_is_no_obstacle() -> None:
    model = rotor(c=0.0)
    found = eb.response(model, eb.HarmonicInput("slide.x", 4 / (2 * np.pi), 1.0), times=(1.0, 5), stationary=True)
    assert found.harmonics.outputs[0, 0] == pytest.approx(1 / (9 - 16))
    assert any("is not excited" in note for note in found.notes)
    text = refused(model, eb.HarmonicInput("slide.y", 4 / (2 * np.pi), 1.0), times=(1.0, 5), stationary=True)
    assert "grows without bound" in text


def test_bad_input() -> None:
    assert 'Did you mean "rail"?' in refused(DAMPED, initial={"rial": 1.0}, times=1.0)
    assert "not a finite number" in refused(DAMPED, initial={"rail": np.nan}, times=1.0)
    assert "starts at rest" in refused(DAMPED, times=1.0)
    assert "end of the response is missing" in refused(DAMPED, eb.StepInput("rail"))
    for end in (0.0, -1.0, np.inf, np.nan):
        assert "does not come after the start" in refused(DAMPED, eb.StepInput("rail"), times=(end, 5))
    assert "at least two" in refused(DAMPED, eb.StepInput("rail"), times=(1.0, 1))
    assert 'Did you mean "rail"?' in refused(DAMPED, eb.StepInput("raill"), times=1.0)
    assert "Known: exact" in refused(DAMPED, eb.StepInput("rail"), times=1.0, method="euler")
    assert "needs dense matrices" in refused(DAMPED, eb.StepInput("rail"), times=1.0, method="exact", solver="sparse")
    assert "comes after the end" in refused(DAMPED, eb.StepInput("rail", at=2.0), times=1.0)
    samples = eb.SampledInput([0.0, 0.5, 0.6], {"rail": [0.0, 1.0, 0.0]})
    assert "samples end at 0.6 s" in refused(DAMPED, samples, times=1.0)
    assert "equidistant" in refused(DAMPED, samples, method="modal")


@pytest.mark.parametrize(("times", "values", "message"), [
    ([0, 1, 1], [0, 1, 2], "1 s is followed by 1 s"), ([0, 1], [0, np.nan], "sample 2 is nan"),
    ([0, 1], [0, 1, 2], "3 samples for 2 times"), ([0], [1], "at least two"), ([0, 1], ["a", "b"], "list of numbers"),
])  # fmt: skip
def test_bad_samples(times: list, values: list, message: str) -> None:
    with pytest.raises(eb.InputError, match=message):
        eb.SampledInput(times, {"rail": values})


def test_bad_excitations() -> None:
    for make in (
        lambda: eb.HarmonicInput("rail", 0.0), lambda: eb.HarmonicInput("rail", np.nan),
        lambda: eb.StepInput("rail", np.inf), lambda: eb.StepInput({}), lambda: eb.ImpulseInput("rail", at=-1.0),
        lambda: eb.PeriodicInput(1.0, {}, {}, {}), lambda: eb.PeriodicInput.complex_form(1.0, {"rail": [1j]}),
        lambda: eb.PeriodicInput.from_period(-1.0, {"rail": [1.0]}), lambda: eb.StepInput("rail", 1j),
        lambda: eb.SampledInput([0, 1], {"rail": [0, 1]}, hold="second"),
    ):  # fmt: skip
        with pytest.raises(eb.InputError):
            make()


def test_overflow_names_time_and_mode() -> None:
    model = block(k=-50.0, c=0.0)
    with pytest.raises(eb.ComputationError, match=r"overflows at t = 1\d\d.* s: mode 2 \(growing as exp\(5 t\)\)"):
        eb.response(model, eb.StepInput("rail"), times=(1000.0, 1001))
    with pytest.raises(eb.ComputationError, match="absurd size"):
        eb.response(block(), eb.StepInput("rail", 1e305), times=(1.0, 11))


def test_result_prints_draws_and_is_frozen() -> None:
    found = eb.response(DAMPED, eb.HarmonicInput("rail", 0.4, 3.0), times=(5.0, 51))
    assert "Harmonic rail = 3 N at 0.4 Hz" in str(found)
    assert "<table>" in found._repr_html_()
    assert len(found.plot().axes) == 4  # two outputs, the input, the energies
    document = found.as_dict()
    assert document["outputs"]["hinge"] == found["hinge"].tolist()
    assert document["energy"]["imbalance"] == found.energy.imbalance
    with pytest.raises(ValueError, match="read-only"):
        found.outputs[0, 0] = 1.0
    with pytest.raises(eb.InputError, match="no constant amplitude"):
        found.amplitudes()
