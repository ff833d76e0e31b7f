"""Random vibration: integration against Lyapunov equations, closed forms, a simulated road, tables of ISO 2631-1."""

from __future__ import annotations

import math
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.signal import coherence, cont2discrete, lfilter

import eigenbody as eb
from eigenbody.analyses.random.comfort import (
    WEIGHTINGS,
    comfort_verdict,
    estimated_vdv,
    total_value,
    weighted_history,
    weighting,
)
from eigenbody.numerics.signals.covariance import impulse_energy
from eigenbody.numerics.signals.quadrature import integrate

EXAMPLES = Path(__file__).parents[3] / "examples"
ROAD = eb.Road("B", 20.0)
LEVEL = (2 * math.pi) ** 2 * 64e-6 * 0.1**2 * 20  # of the velocity of that road, (m/s)^2/Hz


def quarter_car(**parameters: object) -> eb.Model:
    return eb.load(EXAMPLES / "quarter_car.yaml", **parameters)


def quarter_car_of_two_inputs() -> eb.Model:
    """The same without the road as a state: its height and its velocity are two inputs."""
    document = quarter_car().document
    document["states"] = {}
    document["inputs"] = {"road": {"unit": "m"}, "road_speed": {"unit": "m/s"}}
    return eb.load(document)


def oscillator(m: float = 2.0, c: float = 0.8, k: float = 50.0) -> eb.Model:
    return eb.load({
        "eigenbody": 1, "name": "oscillator",
        "bodies": {"b": {"mass": m, "at": [0, 0, 0]}},
        "joints": {"slide": {"type": "prismatic", "between": ["ground", "b"], "at": [0, 0, 0], "axis": [1, 0, 0]}},
        "forces": {"s": {"type": "spring", "along": "slide", "k": k, "c": c}},
        "inputs": {"push": {"along": "slide"}},
        "outputs": {"x": {"measure": "slide"}, "v": {"measure": "slide", "order": 1}},
    })  # fmt: skip


def transmissibility(s: complex) -> complex:
    """Body over road of the quarter car, by hand: (ms s^2 + cs s + ks) zs = (cs s + ks) zu and so on."""
    ms, mu, ks, kt, cs, ct = 500, 50, 18000, 180000, 1500, 500
    strut = cs * s + ks
    body, wheel = ms * s**2 + strut, mu * s**2 + strut + ct * s + kt
    return strut * (ct * s + kt) / (body * wheel - strut**2)


def integral(density: Any, edges: list[float]) -> float:
    """Over all frequencies by QUADPACK, the end by f = 1/t."""
    inside = sum(quad(density, a, b, epsabs=0, epsrel=1e-12, limit=500)[0] for a, b in pairwise(edges))
    return inside + quad(lambda t: density(1 / t) / t**2, 0, 1 / edges[-1], epsabs=0, epsrel=1e-11, limit=500)[0]


# ---- the quarter car


def test_quarter_car_eigenvalues() -> None:
    found = eb.modes(quarter_car()).eigenvalues
    expected = [0, -1.2609383016 + 5.6321418644j, -20.2390616984 + 58.9999030664j]
    np.testing.assert_allclose(found, expected, rtol=0, atol=6e-11)


def test_rms_body_acceleration_of_the_quarter_car_by_three_routes() -> None:
    """Integration, Lyapunov equation, and quadrature of the closed form of ISO 8608 class B at 20 m/s."""
    found = eb.psd(quarter_car(), ROAD, outputs="acceleration")

    def density(f: float) -> float:
        s = 2j * math.pi * f
        return LEVEL * abs(s * transmissibility(s)) ** 2  # acceleration over velocity of the road

    expected = math.sqrt(integral(density, [0, 0.5, 1.5, 5, 20, 100, 1000]))
    assert expected == pytest.approx(0.407497651821, abs=1e-12)
    assert found.rms["acceleration"] == pytest.approx(expected, rel=1e-10)
    assert found.rms_exact["acceleration"] == pytest.approx(expected, rel=1e-10)
    assert found.difference["acceleration"] < 1e-10
    curve = [density(f) for f in found.frequency_hz]
    np.testing.assert_allclose(found.psd("acceleration"), curve, rtol=1e-9)
    np.testing.assert_allclose(found.input_densities[:, 0], LEVEL, rtol=1e-12)


def test_density_without_feedthrough_converges_and_with_it_is_infinite() -> None:
    """The tyre's damper passes white noise on: its force is infinite, the body's acceleration (1/f^2) is not."""
    found = eb.psd(quarter_car(), ROAD)
    assert math.isinf(found.rms["tyre_force"])
    assert math.isinf(found.rms_exact["tyre_force"])
    assert any('"tyre_force": the RMS is infinite' in note for note in found.notes)
    assert found.as_dict()["rms"]["tyre_force"] is None
    assert found.as_dict()["infinite"] == ["tyre_force"]
    assert math.isinf(found.zero_crossings_hz["acceleration"])
    in_band = eb.psd(quarter_car(), ROAD, band_hz=(None, 50))
    assert math.isfinite(in_band.rms["tyre_force"])
    assert math.isfinite(in_band.zero_crossings_hz["acceleration"])
    undamped_tyre = eb.psd(quarter_car(ct=0), ROAD)
    assert undamped_tyre.difference["tyre_force"] < 1e-10


def test_road_as_a_state_and_road_as_two_inputs_are_the_same() -> None:
    one, two = eb.psd(quarter_car(), ROAD), eb.psd(quarter_car_of_two_inputs(), ROAD)
    for name in ("acceleration", "travel"):
        assert two.rms[name] == pytest.approx(one.rms[name], rel=1e-10)
        assert two.rms_exact[name] == pytest.approx(one.rms[name], rel=1e-10)
    np.testing.assert_allclose(two.input_densities[:, 0], 64e-6 * 0.01 * 20 / two.frequency_hz**2, rtol=1e-12)


def test_displacement_that_wanders_is_infinite_or_refused() -> None:
    wandering = eb.psd(quarter_car_of_two_inputs(), ROAD, outputs="hub")  # by the 1/f^2 of the road alone
    assert math.isinf(wandering.rms["hub"])
    assert math.isinf(wandering.rms_exact["hub"])
    with pytest.raises(eb.InputError, match=r"hub.*mode 1 \(0 Hz"):  # by the state that integrates the road
        eb.psd(quarter_car(), ROAD, outputs="hub")
    flat = eb.psd(quarter_car_of_two_inputs(), eb.Road("B", 20.0, cutoff=0.01), outputs="hub")
    assert flat.difference["hub"] < 1e-10
    banded = eb.psd(quarter_car(), ROAD, outputs="hub", band_hz=(0.1, None))
    assert banded.rms["hub"] == pytest.approx(
        eb.psd(quarter_car_of_two_inputs(), ROAD, outputs="hub", band_hz=(0.1, None)).rms["hub"], rel=1e-9
    )
    assert "mode 1" in banded.notes[0]


def test_simulated_road_gives_the_same_rms() -> None:
    """Third route: a road of random phases through the discretized equations, mode by mode."""
    interval, duration = 2e-3, 3200.0
    linear = eb.linearize(quarter_car())
    t, speed = ROAD.history(duration, interval, seed=7, of="velocity")
    assert np.std(speed) == pytest.approx(math.sqrt(LEVEL * 0.5 / interval), rel=5e-3)
    A, B, C, D = linear.state_space
    step, push, *_ = cont2discrete((A, B, C, D), interval, method="zoh")
    values, vectors = np.linalg.eig(step)
    doors = np.linalg.solve(vectors, push[:, 0])
    seen = (C @ vectors) * doors
    y = np.zeros((len(C), len(t)))
    for value, row in zip(values, seen.T, strict=True):
        wave = lfilter([0, 1], [1, -value], speed)
        y += np.real(row[:, None] * wave)
    expected = eb.psd(linear, ROAD)
    for name, signal in zip(linear.outputs[:2], y[:, len(t) // 10 :], strict=False):
        assert np.std(signal) == pytest.approx(expected.rms[name], rel=0.03)
    travel, level = y[1], 1.5 * expected.rms["travel"]
    ups = np.count_nonzero((travel[:-1] < level) & (travel[1:] >= level)) / duration
    assert ups == pytest.approx(expected.level_crossings("travel", level), rel=0.05)


# ---- closed forms


@pytest.mark.parametrize("damping", [0.8, 1e-3, 2e-7, 2e-9])
def test_oscillator_under_white_force(damping: float) -> None:
    """Textbook: variance G/(4 c k), of the velocity G/(4 c m); the crossings come at the natural frequency. Damping
    ratios from 0.04 to 1e-10."""
    m, c, k, G = 2.0, damping, 50.0, 3.0
    found = eb.psd(oscillator(m, c, k), eb.White(G))
    assert not any("trust" in note for note in found.notes)
    assert found.exact is not None
    assert max(found.exact.relative_error) < 1e-12
    assert found.rms["x"] == pytest.approx(math.sqrt(G / (4 * c * k)), rel=1e-9)
    assert found.rms["v"] == pytest.approx(math.sqrt(G / (4 * c * m)), rel=1e-9)
    assert found.rms_exact["x"] == pytest.approx(math.sqrt(G / (4 * c * k)), rel=1e-11)
    assert found.zero_crossings_hz["x"] == pytest.approx(math.sqrt(k / m) / (2 * math.pi), rel=1e-9)
    assert math.isinf(found.zero_crossings_hz["v"])


def test_rice_and_davenport() -> None:
    found = eb.psd(oscillator(), eb.White(1.0), outputs="x")
    rms, rate = found.rms["x"], found.zero_crossings_hz["x"]
    assert found.level_crossings("x", 2 * rms) == pytest.approx(rate * math.exp(-2), rel=1e-12)
    g = math.sqrt(2 * math.log(rate * 1000))
    assert found.expected_peak("x", 1000.0) == pytest.approx(rms * (g + 0.5772156649 / g), rel=1e-9)
    assert math.isnan(found.expected_peak("x", 0.1))


def test_moments_of_a_flat_table() -> None:
    """A stiff oscillator follows the force: moments of a rectangle from 1 to 4 Hz."""
    k = 1e12
    found = eb.psd(oscillator(2.0, 0.8, k), eb.Tabulated((1.0, 4.0), (k**2, k**2)), outputs="x")
    for n in (0, 1, 2, 4):
        assert found.spectral_moment("x", n) == pytest.approx((4 ** (n + 1) - 1) / (n + 1), rel=1e-8)
    assert math.isnan(found.rms_exact["x"])
    assert found.band_hz == (1.0, 4.0)


def test_table_and_white_noise_in_a_band_are_the_same() -> None:
    band = eb.psd(oscillator(), eb.White(3.0), band_hz=(0.2, 5.0))
    table = eb.psd(oscillator(), eb.Tabulated((0.2, 1.0, 5.0), (3.0, 3.0, 3.0)))
    assert table.rms == pytest.approx(band.rms, rel=1e-10)
    sloped = eb.Tabulated((1.0, 10.0), (1.0, 100.0))
    np.testing.assert_allclose(sloped.density(np.array([0.5, 1.0, 2.0, 5.0, 11.0])), [0, 1, 4, 25, 0], rtol=1e-12)


def test_filtered_noise() -> None:
    """First-order noise with the corner a, against quadrature of the closed form."""
    m, c, k, a = 2.0, 0.8, 50.0, 3.0
    found = eb.psd(oscillator(m, c, k), eb.Shaped(2.0, (a,), (1.0, a)), outputs="x")

    def density(f: float) -> float:
        s = 2j * math.pi * f
        return 2.0 * abs(a / (s + a) / (m * s**2 + c * s + k)) ** 2

    expected = math.sqrt(integral(density, [0, 0.6, 0.75, 0.8, 0.85, 1.0, 3, 30]))
    assert found.rms["x"] == pytest.approx(expected, rel=1e-10)
    assert found.rms_exact["x"] == pytest.approx(expected, rel=1e-10)


@pytest.mark.parametrize("of", ["displacement", "velocity", "acceleration"])
def test_moving_base(of: str) -> None:
    """Mass on a spring on a shaker: white acceleration G makes the relative displacement G/(8 zeta w^3) (textbook)."""
    model = eb.load({
        "eigenbody": 1, "name": "shaker",
        "bodies": {"table": {"mass": 1, "at": [0, 0, 0]}, "b": {"mass": 2, "at": [0, 0, 1]}},
        "joints": {
            "shaker": {"type": "prismatic", "between": ["ground", "table"], "at": [0, 0, 0], "axis": [0, 0, 1],
                       "motion": 0},
            "slide": {"type": "prismatic", "between": ["table", "b"], "at": [0, 0, 1], "axis": [0, 0, 1]},
        },
        "forces": {"s": {"type": "spring", "along": "slide", "k": 50, "c": 0.8}},
        "measures": {"height": {"type": "displacement", "between": ["ground", "b"], "axis": [0, 0, 1]}},
    })  # fmt: skip
    w, zeta, G = 5.0, 0.8 / (2 * 2 * 5.0), 0.3
    if of == "acceleration":
        found = eb.psd(model, eb.White(G), base="shaker", of=of, outputs=["slide", "height''"])
        assert found.rms["slide"] == pytest.approx(math.sqrt(G / (8 * zeta * w**3)), rel=1e-9)
        assert found.rms_exact["slide"] == pytest.approx(math.sqrt(G / (8 * zeta * w**3)), rel=1e-9)
        assert found.difference["height''"] < 1e-9  # 1/f^2 by the damper
        assert found.inputs == ("shaker''",)
    else:  # the same acceleration as a table of another quantity
        f = np.geomspace(0.02, 50, 40)
        factor = (2 * np.pi * f) ** {"displacement": -4.0, "velocity": -2.0}[of]
        found = eb.psd(model, eb.Tabulated(f, G * factor), base="shaker", of=of, outputs="slide")
        same = eb.psd(model, eb.White(G), base="shaker", of="acceleration", outputs="slide", band_hz=(0.02, 50))
        assert found.rms["slide"] == pytest.approx(same.rms["slide"], rel=1e-9)


# ---- several inputs


def test_coherent_and_independent_inputs() -> None:
    """The variance of a sum is S11 + S22 + 2 Re S12, and the coherence is |S12|^2 / (S11 S22) (Bendat & Piersol)."""
    model = oscillator().input("more", along="slide")
    both, alone = ["push", "more"], eb.psd(oscillator(), eb.White(1.0)).rms["x"]
    same = eb.psd(model, eb.White(1.0), both, "x")
    apart = eb.psd(model, eb.White(1.0), both, "x", coherence=0.0)
    half = eb.psd(model, eb.White(1.0), both, "x", coherence=0.25)  # |S12| = 0.5 S
    by_frequency = eb.psd(model, eb.White(1.0), both, "x", coherence=lambda f: 0 * f + 0.25)
    other = eb.psd(model, {"push": eb.White(1.0), "more": eb.White(1.0)}, outputs="x")
    expected = {2.0: (same,), math.sqrt(2): (apart, other), math.sqrt(3): (half, by_frequency)}
    for factor, results in expected.items():
        for found in results:
            assert found.rms["x"] == pytest.approx(factor * alone, rel=1e-9)
    assert half.rms_exact["x"] == pytest.approx(math.sqrt(3) * alone, rel=1e-10)
    assert math.isnan(by_frequency.rms_exact["x"])


def test_delayed_input_makes_waves_in_the_density() -> None:
    """|1 + exp(-i w T)|^2 = 4 cos^2(w T / 2); the variance by both routes and by quadrature."""
    m, c, k, T = 2.0, 0.8, 50.0, 0.7
    model = oscillator(m, c, k).input("more", along="slide")
    found = eb.psd(model, eb.White(1.0), ["push", "more"], "x", delays={"more": T})

    def density(f: float) -> float:
        s = 2j * math.pi * f
        return 4 * math.cos(math.pi * f * T) ** 2 * abs(1 / (m * s**2 + c * s + k)) ** 2

    np.testing.assert_allclose(found.psd("x"), [density(f) for f in found.frequency_hz], rtol=1e-7, atol=1e-18)
    expected = sum(quad(density, a, a + 0.25, epsabs=0, epsrel=1e-10)[0] for a in np.arange(0, 40, 0.25))
    assert found.rms["x"] ** 2 == pytest.approx(expected, rel=1e-6)  # what lies above 40 Hz is 1e-7
    assert found.difference["x"] < 1e-8
    alone = eb.psd(oscillator(m, c, k), eb.White(1.0)).rms["x"]
    much_later = eb.psd(model, eb.White(1.0), ["push", "more"], "x", delays={"more": 1e6})  # forgotten by then
    assert much_later.rms_exact["x"] == pytest.approx(math.sqrt(2) * alone, rel=1e-10)
    assert much_later.rms["x"] == pytest.approx(math.sqrt(2) * alone, rel=1e-6)
    assert much_later.moments.points < 100_000


def test_second_axle_pitch_is_finite_though_the_road_is_not() -> None:
    model = eb.load(EXAMPLES / "half_car.yaml")
    found = eb.psd(model, ROAD, delays={"rear": 0.13})
    assert max(found.difference.values()) < 1e-8
    later = eb.psd(model, ROAD, delays={"front": 1.0, "rear": 1.13})  # only the difference counts
    assert later.rms["pitch"] == pytest.approx(found.rms["pitch"], rel=1e-8)
    at_once = eb.psd(model, ROAD)
    assert at_once.rms["pitch"] < 0.5 * found.rms["pitch"]
    with pytest.raises(eb.InputError, match="pitch"):
        eb.psd(model, ROAD, coherence=0.0)


# ---- what is refused


def test_unstable_and_undamped_models_are_refused_by_mode() -> None:
    undamped = eb.load(EXAMPLES / "slider_pendulum.yaml")
    with pytest.raises(eb.InputError, match=r"undamped.*hinge.*mode 1 .*0\.1269 Hz"):
        eb.psd(undamped, eb.White(1.0), "rail", "hinge")
    damped = eb.psd(undamped.with_parameters(c=20), eb.White(1.0), "rail", ["rail", "hinge'"])
    assert max(damped.difference.values()) < 1e-9
    with pytest.raises(eb.InputError, match=r"growing: mode 2 \(3\.431 1/s"):
        eb.psd(eb.load(EXAMPLES / "parallelogram.yaml", g=-9.81), eb.White(1.0), "a", "a")


def test_motion_that_takes_no_part_does_not_matter() -> None:
    """A second, undamped oscillator and a free mass beside the first one: not excited."""
    document = oscillator().document
    for name, at in (("free", 1), ("ringing", 2)):
        document["bodies"][name] = {"mass": 1, "at": [0, at, 0]}
        document["joints"][f"{name} slide"] = {
            "type": "prismatic", "between": ["ground", name], "at": [0, at, 0], "axis": [1, 0, 0],
        }  # fmt: skip
    document["forces"]["ring"] = {"type": "spring", "along": "ringing slide", "k": 3}
    model = eb.load(document)
    assert eb.modes(model).stability == "drifting"
    found = eb.psd(model, eb.White(1.0), "push", "x")
    assert found.rms["x"] == pytest.approx(math.sqrt(1 / (4 * 0.8 * 50)), rel=1e-9)
    assert found.rms_exact["x"] == pytest.approx(found.rms["x"], rel=1e-9)
    with pytest.raises(eb.InputError, match="free slide"):
        eb.psd(model, eb.White(1.0), "free slide", "free slide")
    band = eb.psd(model, eb.White(1.0), "free slide", "free slide", band_hz=(1.0, None))  # jitter of a free mass
    expected = 1 / (2 * math.pi) ** 4 / 3
    assert band.rms["free slide"] ** 2 == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"excitation": eb.White(1.0), "inputs": "pusch"}, 'Did you mean "push"'),
        ({"excitation": eb.White(1.0), "band_hz": (5.0, 1.0)}, "is no band"),
        ({"excitation": eb.Tabulated((1, 2), (1, 1)), "band_hz": (3.0, 4.0)}, "holds nothing of the excitation"),
        ({"excitation": ROAD}, "displacement, the velocity or the acceleration"),
        ({"excitation": eb.White(1.0), "weighting": "Wk"}, "weights accelerations"),
        ({"excitation": eb.White(1.0), "weighting": "Wz"}, "is not known"),
        ({"excitation": eb.White(1.0), "delays": {"pull": 1.0}}, 'Did you mean "push"|not among the inputs'),
        ({"excitation": eb.White(1.0), "coherence": 2.0}, "not between 0 and 1"),
        ({"excitation": ["road"]}, "is no excitation"),
        ({"excitation": eb.White(1.0), "of": "velocity"}, "that of the input itself"),
    ],
)
def test_bad_questions(arguments: dict[str, Any], words: str) -> None:
    with pytest.raises(eb.InputError, match=words):
        eb.psd(oscillator(), **arguments)


def test_bad_sources(tmp_path: Path) -> None:
    for wrong in (
        lambda: eb.Road("K", 20.0), lambda: eb.Road("B", 0.0), lambda: eb.Road(-1e-6, 20.0), lambda: eb.White(0.0),
        lambda: eb.White(math.nan), lambda: eb.Tabulated((0, 1), (1, 1)), lambda: eb.Tabulated((2, 1), (1, 1)),
        lambda: eb.Shaped(1.0, (1.0,), (1.0, -1.0)), lambda: eb.Tabulated.from_csv(tmp_path / "none.csv"),
    ):  # fmt: skip
        with pytest.raises(eb.InputError):
            wrong()
    file = tmp_path / "t.csv"
    file.write_text("Hz,density\n# a remark\n1, 2\n10; 20\n100 30 # why\n")
    assert eb.Tabulated.from_csv(file).values == (2.0, 20.0, 30.0)
    file.write_text("1,2\n3,x7\n")
    with pytest.raises(eb.InputError, match="line 2"):
        eb.Tabulated.from_csv(file)


# ---- roads


def test_iso_8608_classes() -> None:
    """Table C.1: geometric means 16, 64, 256, ... 262144 x 10^-6 m^3 at 0.1 cycles/m."""
    means = {name: eb.Road(name, 10.0).Gd for name in "ABCDEFGH"}
    assert means == pytest.approx({name: 16e-6 * 4**i for i, name in enumerate("ABCDEFGH")})
    for speed in (5.0, 30.0):
        f = np.array([0.1 * speed, 0.2 * speed])  # n = 0.1 and 0.2 cycles/m
        np.testing.assert_allclose(eb.Road("C", speed).density(f) * speed, [256e-6, 64e-6], rtol=1e-12)
    steep = eb.Road("C", 10.0, exponent=2.5)
    assert steep.density(np.array([1.0]))[0] * 10 == pytest.approx(256e-6)
    assert steep.shaping is None


def test_coherence_is_that_of_sampled_signals() -> None:
    """Two signals with a common part, made at random: their coherence as scipy estimates it gives their RMS."""
    rng, n, interval = np.random.default_rng(4), 2**19, 0.01
    common, *own = rng.normal(size=(3, n)) / math.sqrt(2 * interval)  # one-sided density 1
    left, right = (math.sqrt(0.6) * common + math.sqrt(0.4) * part for part in own)
    measured = float(np.median(coherence(left, right, fs=1 / interval, nperseg=256)[1]))
    m, c, k = 2.0, 0.8, 50.0
    A, b = np.array([[0, 1], [-k / m, -c / m]]), np.array([[0], [1 / m]])
    step, push, *_ = cont2discrete((A, b, np.eye(1, 2), np.zeros((1, 1))), interval)
    values, vectors = np.linalg.eig(step)
    shares = np.linalg.solve(vectors, push[:, 0]) * vectors[0]
    x = sum(np.real(a * lfilter([0, 1], [1, -v], left + right)) for a, v in zip(shares, values, strict=True))
    model = oscillator(m, c, k).input("more", along="slide")
    found = eb.psd(model, eb.White(1.0), ["push", "more"], "x", coherence=measured)
    assert found.rms["x"] == pytest.approx(np.std(x), rel=0.02)


def test_a_road_with_a_cut_off_levels_off_there() -> None:
    """Gd n0^w / (n^2 + nc^2)^(w/2): 2^(-w/2) of the standard at the cut-off, constant below, the standard above."""
    for exponent in (2.0, 2.5):
        plain = eb.Road("C", 10.0, exponent)
        road = eb.Road("C", 10.0, exponent, cutoff=0.05)
        corner = np.array([0.05 * 10.0])
        assert road.density(corner) / plain.density(corner) == pytest.approx([2 ** (-exponent / 2)])
        assert road.density(1e-4 * corner) == pytest.approx(plain.density(corner), rel=1e-7)
        assert road.density(1e3 * corner) == pytest.approx(plain.density(1e3 * corner), rel=2e-6)
        assert "levelling off at 0.05 cycles/m" in str(road)
    variance = 256e-6 * 0.1**2 * 10 * math.pi / 2 / 0.5  # integral of 1/(f^2 + fc^2)
    height = eb.Road("C", 10.0, cutoff=0.05)
    assert quad(lambda f: height.density(np.array([f]))[0], 0, np.inf)[0] == pytest.approx(variance, rel=1e-6)


def test_road_of_another_exponent_against_quadrature() -> None:
    found = eb.psd(quarter_car(), eb.Road("B", 20.0, exponent=2.5), outputs="acceleration")

    def density(f: float) -> float:
        s = 2j * math.pi * f
        return 64e-6 * 0.1**2.5 * 20**1.5 * f**-2.5 * abs(s**2 * transmissibility(s)) ** 2

    expected = math.sqrt(integral(density, [1e-12, 0.01, 0.5, 1.5, 5, 20, 100, 1000]))
    assert found.rms["acceleration"] == pytest.approx(expected, rel=1e-9)
    assert math.isnan(found.rms_exact["acceleration"])


# ---- comfort

TABLE_3 = {  # ISO 2631-1:1997, Table 3: factors at the nominal frequencies
    "Wk": {1: 0.482, 2: 0.531, 4: 0.967, 8: 1.036, 16: 0.768, 31.5: 0.405},
    "Wd": {1: 1.011, 2: 0.890, 4: 0.512, 8: 0.253},
    "Wf": {0.1: 0.695, 0.16: 1.006, 0.2: 0.992, 0.25: 0.854},
}


@pytest.mark.parametrize("name", TABLE_3)
def test_weightings_against_the_table_of_the_standard(name: str) -> None:
    """To one unit of the last digit printed there."""
    for f, factor in TABLE_3[name].items():
        assert abs(weighting(name)(np.array([f]))[0]) == pytest.approx(factor, abs=1e-3), f


@pytest.mark.parametrize("name", WEIGHTINGS)
def test_weightings_as_filters(name: str) -> None:
    found = weighting(name)
    f = np.geomspace(0.01, 500, 60)
    s = 2j * np.pi * f
    A, B, C, D = found.state_space
    by_states = np.array([(C @ np.linalg.solve(v * np.eye(len(A)) - A, B) + D)[0, 0] for v in s])
    numerator, denominator = found.transfer_function
    np.testing.assert_allclose(by_states, found(f), rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(np.polyval(numerator, s) / np.polyval(denominator, s), found(f), rtol=1e-9)
    assert np.linalg.eigvals(A).real.max() < 0


def test_weighted_rms_by_both_routes_and_by_history() -> None:
    found = eb.psd(quarter_car(), ROAD, weighting="Wk")
    value = found.weighted_rms["acceleration"]
    assert found.weighted == ("acceleration",)  # the other outputs are no accelerations
    assert found.weighted_rms_exact["acceleration"] == pytest.approx(value, rel=1e-9)
    grid, curve = found.frequency_hz, found.weighted_psd("acceleration")
    assert math.sqrt(np.trapezoid(curve, grid)) == pytest.approx(value, rel=2e-3)
    assert found.comfort == {"acceleration": "a little uncomfortable"}
    table = eb.Tabulated(grid, found.psd("acceleration"))
    t, history = table.history(2000.0, 1 / 250, seed=3)
    measured = weighted_history(t, history, "Wk", periodic=True)
    assert measured.rms == pytest.approx(value, rel=0.03)
    assert measured.vdv == pytest.approx(3**0.25 * value * 2000.0**0.25, rel=0.05)  # of a stationary Gaussian process
    assert measured.mtvv > 1.5 * measured.rms
    infinite = eb.psd(quarter_car(), ROAD, outputs="tyre_force", weighting={"tyre_force": "Wk"})
    assert math.isinf(infinite.rms["tyre_force"])  # but not after the low-pass
    assert infinite.weighted_rms["tyre_force"] == pytest.approx(infinite.weighted_rms_exact["tyre_force"], rel=1e-9)


def test_weighted_history_of_a_sine() -> None:
    t = np.arange(0, 100, 1 / 500)
    found = weighted_history(t, np.sin(2 * np.pi * 4 * t), "Wk", periodic=True)
    factor = abs(weighting("Wk")(np.array([4.0]))[0])
    assert found.rms == pytest.approx(factor / math.sqrt(2), rel=1e-12)
    assert found.vdv == pytest.approx(factor * (3 / 8 * 100) ** 0.25, rel=1e-9)
    assert found.mtvv == pytest.approx(found.rms, rel=1e-9)
    assert found.crest_factor == pytest.approx(math.sqrt(2), rel=1e-3)
    assert weighted_history(t, np.sin(2 * np.pi * 4 * t)).rms == pytest.approx(found.rms, rel=5e-3)
    with pytest.raises(eb.InputError, match="equidistant"):
        weighted_history(t**1.1, t)


def test_words_and_totals_of_the_standard() -> None:
    assert comfort_verdict(0.2) == "not uncomfortable"
    assert comfort_verdict(0.4) == "a little uncomfortable"
    assert comfort_verdict(0.55) == "a little uncomfortable to fairly uncomfortable"
    assert comfort_verdict(3) == "extremely uncomfortable"
    assert total_value({"x": 3.0, "z": 4.0}) == pytest.approx(5.0)
    assert total_value({"x": 1.0}, "health") == pytest.approx(1.4)
    assert estimated_vdv(0.5, 16.0) == pytest.approx(1.4)
    with pytest.raises(eb.InputError, match="no factor"):
        total_value({"q": 1.0})


# ---- numerics


def test_quadrature() -> None:
    found = integrate(lambda x: np.column_stack((np.sin(x), 1 / (1e-6 + (x - 0.3) ** 2))), np.array([0.0, 1.0]), 1e-12)
    width = 1e-3
    lorentzian = (math.atan(0.7 / width) + math.atan(0.3 / width)) / width
    np.testing.assert_allclose(found.value, [1 - math.cos(1), lorentzian], rtol=1e-12)
    assert found.converged
    assert not integrate(lambda x: np.sin(1 / x)[:, None], np.array([1e-9, 1.0]), 1e-12, most=2000).converged


def test_energy_of_delayed_impulses() -> None:
    """A box: an integrator switched on and off again. A ringing, switched off by the opposite state."""
    assert impulse_energy(np.zeros((1, 1)), np.eye(1), [(0.0, np.ones(1)), (0.7, -np.ones(1))], 1)[0] == pytest.approx(
        [0.7]
    )
    assert np.isinf(impulse_energy(np.zeros((1, 1)), np.eye(1), [(0.0, np.ones(1))], 1)[0]).all()
    ringing = np.array([[0.0, 3.0], [-3.0, 0.0]])
    period, half = 2 * math.pi / 3, math.pi / 3
    on, off = np.array([1.0, 0.0]), np.array([1.0, 0.0])  # after half a period x = -1
    energy, _ = impulse_energy(ringing, np.array([[1.0, 0.0]]), [(half, off), (0.0, on)], 2)
    assert energy == pytest.approx([period / 4], rel=1e-12)  # cos^2 over half a period


def test_large_models_by_the_sparse_path() -> None:
    import runpy

    family = runpy.run_path(str(EXAMPLES / "families.py"))["family"]
    model = eb.load(family("C10RF1"))
    joint = next(iter(model.document["joints"]))
    band = (1.0, 200.0)
    dense = eb.psd(model, eb.White(1.0), joint, joint, band_hz=band)
    sparse = eb.psd(model, eb.White(1.0), joint, joint, band_hz=band, solver="sparse")
    assert sparse.rms[joint] == pytest.approx(dense.rms[joint], rel=1e-8)
    with pytest.raises(eb.InputError, match="band"):
        eb.psd(model, eb.White(1.0), joint, joint, solver="sparse")


def test_sum_over_modes_and_lyapunov_equation_agree_for_many_states(monkeypatch: pytest.MonkeyPatch) -> None:
    import runpy

    from eigenbody.analyses.random import paths as random_paths

    family = runpy.run_path(str(EXAMPLES / "families.py"))["family"]
    model = eb.load(family("TL6RF1"))
    first, *_, last = model.document["joints"]
    quick = eb.psd(model, eb.White(1.0), first, [first, last])
    assert len(quick.linear.states) > random_paths.MANY_STATES
    monkeypatch.setattr(random_paths, "MANY_STATES", 10**6)
    direct = eb.psd(model, eb.White(1.0), first, [first, last])
    for name in (first, last):
        assert quick.rms[name] == pytest.approx(direct.rms[name], rel=1e-9)
        # the integral is asked for 1e-10 of the variance; of the gramian, refined with exact residuals, the rounding of
        # the column B is left, 6e-12 of the RMS. Its equation solved in floats alone is off by 6e-9 to 6e-8.
        assert quick.difference[name] < 1e-10


def test_nothing_moves_but_forces_are_passed_on() -> None:
    model = eb.load({
        "eigenbody": 1, "name": "held", "bodies": {"b": {"mass": 1, "at": [0, 0, 0]}},
        "joints": {"s": {"type": "prismatic", "between": ["ground", "b"], "at": [0, 0, 0], "axis": [1, 0, 0],
                         "motion": 0}},
        "inputs": {"push": {"body": "b", "direction": [0, 1, 0]}},
        "outputs": {"r": {"reaction": "s", "component": "fy", "axes": "ground"},
                    "n": {"reaction": "s", "component": "fz", "axes": "ground"}},
    })  # fmt: skip
    found = eb.psd(model, eb.White(4.0), band_hz=(None, 9))
    assert found.rms == pytest.approx({"r": 6.0, "n": 0.0}, abs=1e-12)
    assert len(found.plot().axes) == 3
    assert math.isinf(eb.psd(model, eb.White(4.0)).rms["r"])


def test_the_same_noise_as_another_quantity() -> None:
    """White acceleration of the road is its velocity 1/s: an integrator before the model; two for its height."""
    rough = eb.White(1e-3, of="acceleration")
    one = eb.psd(quarter_car(), rough, outputs=["acceleration", "travel"])
    two = eb.psd(quarter_car_of_two_inputs(), rough, outputs=["acceleration", "travel"])
    assert max(*one.difference.values(), *two.difference.values()) < 1e-9
    assert one.rms == pytest.approx(two.rms, rel=1e-9)
