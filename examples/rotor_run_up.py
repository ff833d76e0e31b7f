"""A rotor runs up on a shaking base: natural frequencies seen in a motion, from the ground and from the rotor.

    python examples/rotor_run_up.py                 at 0.5 Hz, for 120 s: what the spectra show beside the modes
    python examples/rotor_run_up.py waterfall.png   the whole run of 2500 s, from standstill to 1.25 Hz, as waterfalls

Rotor and stator of examples/rotor_stator.yaml stand on a base that a motion constraint shakes at random (noise up to
2 Hz); a second one speeds the rotor up by 0.0005 Hz a second, and a speck of 1 g makes it eccentric.

Source: Negrut & Ortiz 2006, Figs. 8 and 9. How strong the base shakes and in which band is not said there: 1 mm along
x, up to 2 Hz; the speck sits 0.5 m from the axis, 1 m above the base.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import yaml

import eigenbody as eb

if TYPE_CHECKING:
    from matplotlib.figure import Figure

EXAMPLES = Path(__file__).parent
RATE = 0.0005  # Hz/s
INTERVAL = 0.2  # s, between the samples of a signal


class Frames(NamedTuple):
    """Signals of the stator relative to the base, as seen from the ground and from the rotor."""

    t: np.ndarray
    speed: np.ndarray  # Hz
    ground_x: np.ndarray  # m
    ground_tilt: np.ndarray  # rad
    rotor_x: np.ndarray  # m
    rotor_tilt: np.ndarray  # rad


def model(begin: float = 0.0, rate: float = RATE, seed: int = 1) -> eb.Model:
    """The experiment; the rotor turns with `begin` Hz at first and gains `rate` Hz a second."""
    document = yaml.safe_load((EXAMPLES / "rotor_stator.yaml").read_text())
    document["name"] = "Rotor run-up on a shaking base"
    document["parameters"] = {"begin": begin, "rate": rate, "seed": seed, "shake": "1 mm", "band": "2 Hz"}
    document["bodies"] |= {
        "base": {"mass": 100, "inertia": [50, 50, 50], "at": [0, 0, 0]},
        "speck": {"mass": 0.001, "inertia": [0, 0, 0], "at": [0.5, 0, 1]},
    }
    document["joints"] |= {
        "spin": {
            "type": "revolute", "between": ["stator", "rotor"], "at": [0, 0, 0.75], "axis": [0, 0, 1],
            "motion": "=2*pi*(begin*t + rate*t**2/2)",
        },
        "shaker": {
            "type": "prismatic", "between": ["ground", "base"], "at": [0, 0, 0], "axis": [1, 0, 0],
            "motion": "=shake*noise(t, seed, band)",
        },
        "glue": {"type": "fixed", "between": ["rotor", "speck"], "at": [0.5, 0, 1]},
    }  # fmt: skip
    document["forces"]["mount"]["between"] = ["base", "stator"]
    return eb.load(document)


def run(until: float, begin: float = 0.0, rate: float = RATE) -> Frames:
    """The motion, sampled; local errors of 1e-3 are far below what a spectrum shows."""
    motion = eb.simulate(model(begin, rate), until=until, times=INTERVAL, tolerance=1e-3)
    across = motion.signal("stator.x") - motion.signal("base.x") + 1j * motion.signal("stator.y")
    tilt = motion.signal("stator.rx") + 1j * motion.signal("stator.ry")
    turned = np.exp(-1j * motion.signal("spin"))
    seen = (across, tilt, across * turned, tilt * turned)
    return Frames(motion.t, begin + rate * motion.t, *(signal.real for signal in seen))


def expected(speed: float) -> dict[str, float]:
    """Damped frequencies of the linear model at a speed, Hz, of the modes that the motion shows."""
    modes = eb.modes(eb.load(EXAMPLES / "rotor_stator.yaml", speed=f"{speed} Hz"))
    hz = np.abs(modes.eigenvalues.imag[~modes.is_rigid]) / (2 * np.pi)
    names = ("backward translation", "forward translation", "vertical", "backward rocking", "forward rocking")
    return dict(zip(names, hz, strict=False))


def spectrum(signal: np.ndarray, zeros: int = 8) -> tuple[np.ndarray, np.ndarray]:
    """Frequencies (Hz) and amplitudes of a signal, Hann window; `zeros` times as long, for smooth curves."""
    window = np.hanning(len(signal))
    shape = np.abs(np.fft.rfft((signal - signal.mean()) * window, zeros * len(signal))) * 2 / window.sum()
    return np.fft.rfftfreq(zeros * len(signal), INTERVAL), shape


def highest(signal: np.ndarray, low: float, high: float) -> float:
    """Frequency of the highest peak between two frequencies, Hz."""
    hz, shape = spectrum(signal)
    inside = (hz >= low) & (hz <= high)
    return float(hz[inside][np.argmax(shape[inside])])


def compare(until: float = 120.0, speed: float = 0.5) -> list[tuple[str, float, float]]:
    """Signal and mode, frequency of the linear model in that frame, and where the spectrum has its peak."""
    seen, hz = run(until, speed, 0.0), expected(speed)
    translation = (hz["backward translation"] + hz["forward translation"]) / 2  # closer than the record can tell
    lines = [
        ("ground x: translation", translation, seen.ground_x),
        ("ground tilt: backward rocking", hz["backward rocking"], seen.ground_tilt),
        ("ground tilt: forward rocking", hz["forward rocking"], seen.ground_tilt),
        ("rotor x: forward translation", abs(hz["forward translation"] - speed), seen.rotor_x),
        ("rotor x: backward translation", hz["backward translation"] + speed, seen.rotor_x),
        ("rotor tilt: forward rocking", abs(hz["forward rocking"] - speed), seen.rotor_tilt),
        ("rotor tilt: backward rocking", hz["backward rocking"] + speed, seen.rotor_tilt),
    ]
    return [(name, f, highest(signal, f - 0.05, f + 0.05)) for name, f, signal in lines]


def waterfall(seen: Frames, length: float = 200.0) -> Figure:
    """Spectra of pieces of `length` seconds over the speed, the frequencies of the linear model dotted on them."""
    from matplotlib.figure import Figure

    n = round(length / INTERVAL)
    starts = range(0, len(seen.t) - n, n // 4)
    speeds = np.array([seen.speed[i + n // 2] for i in starts])
    lines = [expected(speed) for speed in speeds]
    keys = {"ground_x": 0.0, "rotor_x": 1.0, "rotor_tilt": 1.0}
    titles = ("stator x, from the ground", "stator x, from the rotor", "tilt, from the rotor")
    figure = Figure(figsize=(11, 4.6), layout="constrained")
    for axes, (name, turns), title in zip(figure.subplots(1, 3, sharey=True), keys.items(), titles, strict=True):
        shape = np.array([spectrum(getattr(seen, name)[i : i + n], 2)[1] for i in starts])
        hz = np.fft.rfftfreq(2 * n, INTERVAL)
        level = 20 * np.log10(shape / shape.max())
        axes.pcolormesh(speeds, hz, level.T, vmin=-80, vmax=0, cmap="magma", shading="nearest", rasterized=True)
        for way, sign in (("backward", 1), ("forward", -1)):
            for kind in ("translation", "rocking"):
                if "tilt" in name and kind == "translation":
                    continue
                f = [abs(line[f"{way} {kind}"] + sign * turns * s) for line, s in zip(lines, speeds, strict=True)]
                axes.plot(speeds[::2], f[::2], "o", ms=2.2, mfc="none", mec="#40e0ff", mew=0.7)
        axes.set(title=title, xlabel="speed, Hz", ylim=(0, 2.2), xlim=(speeds[0], speeds[-1]))
        axes.title.set_fontsize(10)
    figure.axes[0].set_ylabel("frequency, Hz")
    return figure


def main(arguments: list[str]) -> None:
    """Print the comparison, or draw the waterfalls of the whole run."""
    if arguments:
        waterfall(run(2500.0)).savefig(arguments[0], dpi=110)
        return
    width = 2 / 120  # Hz: half a line of a Hann window of 120 s
    print(f"Rotor at 0.5 Hz on a shaking base: modes, and whether spectra of 120 s peak within {width:.3f} Hz of them")
    for name, hz, found in compare():
        print(f"{name:30}  {hz:.3f} Hz  {'yes' if abs(found - hz) < width else f'no: {found:.3f} Hz'}")


if __name__ == "__main__":
    main(sys.argv[1:])
