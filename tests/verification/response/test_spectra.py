"""Frequencies seen in simulated motion against those of the linear model."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from scipy.signal import detrend, get_window

import eigenbody as eb
from eigenbody.analyses.response.spectra import amplitude_spectrum
from eigenbody.cli import main

EXAMPLES = Path(__file__).parents[3] / "examples"


# The spectrum itself --------------------------------------------------------------------------------------------------
def test_lines_between_the_bins() -> None:
    """Two sines whose frequencies fall between bins: frequency to a hundredth of a bin, amplitude to a per cent."""
    t = np.arange(2000) * 0.01
    y = 3.0 + 0.5 * t + 2.0 * np.sin(2 * np.pi * 3.217 * t) + 0.05 * np.sin(2 * np.pi * 11.333 * t + 1)
    low, high = amplitude_spectrum("y", 0.01, y).peaks(2)
    assert low.frequency_hz == pytest.approx(3.217, abs=5e-4)
    assert high.frequency_hz == pytest.approx(11.333, abs=5e-4)
    assert low.amplitude == pytest.approx(2.0, rel=0.01)
    assert high.amplitude == pytest.approx(0.05, rel=0.01)


def test_spectrogram_follows_a_rising_tone() -> None:
    model = eb.Model(
        bodies={"block": {"mass": 1, "inertia": [1, 1, 1], "at": [0, 0, 0]}},
        joints={
            "rail": {
                "type": "prismatic", "between": ["ground", "block"], "at": [0, 0, 0], "axis": [1, 0, 0],
                "motion": "=sin(2*pi*(2*t + 0.15*t**2))",
            }
        },
    )  # fmt: skip
    found = eb.simulate(model, until=10.0, points=301, tolerance=1e-4)
    picture = eb.spectrogram(found, "rail", length=2.0)
    for i, t in enumerate(picture.t):
        assert picture.spectrum(i).peaks(1)[0].frequency_hz == pytest.approx(2 + 0.3 * t, abs=0.1)
    with pytest.raises(eb.InputError, match="samples"):
        eb.spectrogram(found, "rail", length=50.0)


def test_spectrogram_is_the_short_time_fourier_transform(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Against SciPy's own transform of the same pieces (zero-padded to twice their length, scaled to amplitudes), and
    the command's document and file against both."""
    model = tmp_path / "tone.yaml"
    model.write_text(
        "eigenbody: 1\nbodies: {b: {mass: 1, inertia: [1, 1, 1], at: [0, 0, 0]}}\njoints: {rail: {type: prismatic,"
        " between: [ground, b], at: [0, 0, 0], axis: [1, 0, 0], motion: '=sin(2*pi*(2*t + 0.15*t**2))'}}\n"
    )
    found = eb.simulate(model, until=10.0, points=401, tolerance=1e-4)
    picture = eb.spectrogram(found, "rail", length=2.0, overlap=0.5)
    y, n = found.signal("rail"), 80
    window = get_window("hann", n)
    starts = np.arange(0, len(y) - n + 1, n // 2)
    pieces = np.stack([detrend(y[i : i + n]) * window for i in starts])
    expected = 2 * np.abs(np.fft.rfft(pieces, 2 * n, axis=1)) / window.sum()
    assert picture.amplitude[:, 1:] == pytest.approx(expected[:, 1:], rel=1e-9, abs=1e-12)
    assert picture.t == pytest.approx(starts * 0.025 + 0.5 * (n - 1) * 0.025)
    file = tmp_path / "tone.csv"
    options = ["--until", "10", "--points", "401", "--tolerance", "1e-4", "--spectrogram", "rail", "--piece", "2 s"]
    assert main(["simulate", str(model), *options, "--spectra", str(file), "--json"]) == 0
    (told,) = json.loads(capsys.readouterr().out)["spectrograms"]
    whole = eb.spectrogram(found, "rail", length=2.0)
    assert np.array(told["amplitude"]) == pytest.approx(whole.amplitude, rel=1e-12)
    table = np.genfromtxt(file, delimiter=",", skip_header=1)
    assert table[:, 0] == pytest.approx(whole.t)
    assert table[:, 1:] == pytest.approx(whole.amplitude, rel=1e-12)
    assert main(["simulate", str(model), "--until", "10", "--piece", "2"]) == 2
    with pytest.raises(eb.InputError, match='no picture "heap"'):
        whole.plot("heap")
    waterfall = whole.plot("waterfall").axes[0]
    assert waterfall.get_ylabel() == "time, s"
    assert waterfall.get_title(loc="left") == f"rail; highest line {whole.amplitude.max():.4g} m"
    units = {name: eb.spectrogram(found, name).unit for name in ("b.x", "b.rz'", "rail''", "energy")}
    assert units == {"b.x": "m", "b.rz'": "rad/s", "rail''": "m/s²", "energy": "J"}


# Seven coordinates, an open spatial chain -----------------------------------------------------------------------------
def hanging_chain() -> eb.Model:
    """Revolute, universal, prismatic and spherical joints in a row: seven coordinates, a spring along each.

    It hangs straight down; the spring of the slide carries the weight below it (free = 3 kg * g / k), so that the
    drawing is the equilibrium. Trom's chain (1990, section 3.2.5) is of this kind; its spring data are not given.
    """
    g, stiff = 9.81, 4000.0
    springs = {"shoulder": 30.0, "elbow.angle1": 55.0, "elbow.angle2": 80.0, "wrist.rx": 12.0, "wrist.ry": 20.0,
               "wrist.rz": 3.0}  # fmt: skip
    return eb.Model(
        gravity=[0, 0, -g],
        bodies={
            "arm": {"mass": 2, "inertia": [0.06, 0.06, 0.02], "at": [0, 0, -0.25]},
            "forearm": {"mass": 1.5, "inertia": [0.05, 0.04, 0.02], "at": [0, 0, -0.7]},
            "sleeve": {"mass": 1, "inertia": [0.02, 0.03, 0.01], "at": [0, 0, -1.0]},
            "hand": {"mass": 2, "inertia": [0.05, 0.04, 0.03], "at": [0, 0, -1.25]},
        },
        joints={
            "shoulder": {"type": "revolute", "between": ["ground", "arm"], "at": [0, 0, 0], "axis": [1, 0, 0],
                         "velocity": 0.001},
            "elbow": {"type": "universal", "between": ["arm", "forearm"], "at": [0, 0, -0.5], "axis": [0, 1, 0],
                      "axis2": [1, 0, 0], "velocity": [0.002, -0.0015]},
            "slide": {"type": "prismatic", "between": ["forearm", "sleeve"], "at": [0, 0, -0.9], "axis": [0, 0, 1],
                      "velocity": 0.001},
            "wrist": {"type": "spherical", "between": ["sleeve", "hand"], "at": [0, 0, -1.1],
                      "velocity": [0.003, 0.002, 0.005]},
        },
        forces={
            "lift": {"type": "spring", "along": "slide", "k": stiff, "free": 3 * g / stiff},
            **{name.replace(".", "_"): {"type": "spring", "along": name, "k": k} for name, k in springs.items()},
        },
    )  # fmt: skip


def test_small_motion_of_a_seven_coordinate_chain_has_the_linear_frequencies() -> None:
    model = hanging_chain()
    still = model.document
    for joint in still["joints"].values():
        joint.pop("velocity")
    point = eb.operating_point(eb.load(still))
    assert point.is_equilibrium
    linear = eb.modes(eb.linearize(point)).frequency_hz
    assert len(linear) == 7
    found = eb.simulate(model, until=24.0, points=601, tolerance=1e-8)
    lines = np.array([
        peak.frequency_hz
        for name in ("shoulder", "elbow.angle1", "elbow.angle2", "slide", "wrist.rx", "wrist.ry", "wrist.rz")
        for peak in eb.fft(found, name, window="blackmanharris").peaks(floor=1e-3)
    ])  # fmt: skip
    for frequency in linear:
        assert np.abs(lines - frequency).min() < 2e-3 * frequency


# Rotor on a stator (Negrut & Ortiz 2006) ------------------------------------------------------------------------------
def whirl(signal: np.ndarray, interval: float, near: float, width: float = 0.06) -> float:
    """Frequency (Hz, signed: positive is forward) of the highest line of x + i y within `width` of a frequency."""
    n = 32 * len(signal)
    window = np.blackman(len(signal))
    amplitude = np.abs(np.fft.fft((signal - signal.mean()) * window, n))
    frequency = np.fft.fftfreq(n, interval)
    inside = np.flatnonzero(np.abs(frequency - near) < width)
    inside = inside[np.argsort(frequency[inside])]
    best = int(np.argmax(amplitude[inside]))
    assert 0 < best < len(inside) - 1, f"no line near {near} Hz"
    return float(frequency[inside[best]])


# whirl frequencies at 1 Hz spin, fixed frame: backward negative (Negrut & Ortiz's model, recomputed)
WHIRL = {"BT": -0.124464511, "FT": 0.128113742, "BR": -0.233502471, "FR": 1.774254785}


def spinning() -> eb.Model:
    document = eb.load(EXAMPLES / "rotor_stator.yaml", speed="1 Hz").document
    document["measures"] = {
        name: {"type": "displacement", "between": ["ground", "stator"], "at": [[0, 0, 0], [0, 0, 0.5]], "axis": axis,
               "in": "rotor"}
        for name, axis in (("xr", [1, 0, 0]), ("yr", [0, 1, 0]))
    }  # fmt: skip
    document["joints"]["base"] = {
        "type": "free", "between": ["ground", "stator"], "at": [0, 0, 0], "velocity": [1e-3, 0, 0, 0, 2e-3, 0],
    }  # fmt: skip
    return eb.load(document)


def test_whirl_at_constant_speed_in_the_fixed_and_in_the_rotor_frame() -> None:
    found = eb.simulate(spinning(), until=40.0, points=201, method="radau", tolerance=1e-5)
    interval = 0.2
    fixed = found.signal("base.x") + 1j * found.signal("base.y")
    tilted = found.signal("base.rx") + 1j * found.signal("base.ry")
    for name, signal in (("BT", fixed), ("FT", fixed), ("BR", tilted), ("FR", tilted)):
        assert whirl(signal, interval, WHIRL[name], 0.03) == pytest.approx(WHIRL[name], abs=2.5e-3), name
    turning = found.signal("xr") + 1j * found.signal("yr")
    for name in ("FT", "FR", "BT", "BR"):
        assert whirl(turning, interval, WHIRL[name] - 1, 0.03) == pytest.approx(WHIRL[name] - 1, abs=2.5e-3), name


def run_up(seconds: float) -> eb.Model:
    """The rotor driven from rest to 1.25 Hz, 2 mm off its axis, on a base that shakes at random.

    The base shifts along x and tilts about x by sums of sines from 0.05 to 2.2 Hz with random phases (fixed seed),
    0.1 mm and 0.1 mrad each.
    """
    document = eb.load(EXAMPLES / "rotor_stator.yaml").document
    rng = np.random.default_rng(11)

    def shake() -> str:
        lines = zip(np.arange(0.05, 2.2, 0.11), rng.uniform(0, 2 * np.pi, 60), strict=False)
        return "=" + " + ".join(f"1e-4*sin({2 * np.pi * f:.6f}*t + {phase:.6f})" for f, phase in lines)

    document["bodies"]["base"] = {"mass": 1, "inertia": [1, 1, 1], "at": [0, 0, 0]}
    document["bodies"]["rotor"]["at"] = [0.002, 0, 0.75]
    document["forces"]["mount"]["between"] = ["base", "stator"]
    document["joints"]["spin"].pop("velocity")
    document["joints"]["spin"]["motion"] = f"=pi*1.25/{seconds}*t**2"
    document["joints"]["ground"] = {"type": "free", "between": ["ground", "base"], "at": [0, 0, 0],
                                    "motion": [shake(), 0, 0, shake(), 0, 0]}  # fmt: skip
    document["measures"] = {
        name: {"type": "displacement", "between": ["ground", "stator"], "at": [[0, 0, 0], [0, 0, 1]], "axis": axis,
               **place}
        for name, axis, place in (("x", [1, 0, 0], {}), ("y", [0, 1, 0], {}), ("xr", [1, 0, 0], {"in": "rotor"}),
                                  ("yr", [0, 1, 0], {"in": "rotor"}))
    }  # fmt: skip
    document["joints"]["shaken"] = document["joints"].pop("ground")
    return eb.load(document)


def rocking(speed: float) -> tuple[float, float]:
    """Backward (negative) and forward rocking frequency at a speed, Hz: the roots of the rotor-stator equations."""
    values = eb.modes(eb.load(EXAMPLES / "rotor_stator.yaml", speed=f"{speed} Hz")).damped_frequency_hz
    lateral = sorted(f for f in values if 0.05 < f < 5)
    return -lateral[-2], lateral[-1]


@pytest.mark.slow
def test_run_up_shows_the_rocking_frequencies_in_the_fixed_and_in_the_rotor_frame() -> None:
    """Short-time spectra of a slow run-up with unbalance and random base motion (Negrut & Ortiz 2006, section 6)."""
    seconds, interval, length = 400.0, 0.2, 40.0
    found = eb.simulate(run_up(seconds), until=seconds, times=interval, method="generalized-alpha", step=0.02)
    fixed = found.signal("x") + 1j * found.signal("y")
    turning = found.signal("xr") + 1j * found.signal("yr")
    for speed in (0.4, 0.7, 1.0):
        middle = speed / 1.25 * seconds
        piece = np.abs(found.t - middle) < length / 2
        for expected, width in zip(rocking(speed), (0.05, 0.15), strict=True):
            smear = 2 * 1.25 / seconds * length  # change of the frequency within the piece
            assert whirl(fixed[piece], interval, expected, width) == pytest.approx(expected, abs=0.25 * smear)
            seen = whirl(turning[piece], interval, expected - speed, width)
            assert seen == pytest.approx(expected - speed, abs=0.25 * smear)
