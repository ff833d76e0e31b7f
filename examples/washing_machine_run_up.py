"""A front-loading washing machine spins up with a lump of wet laundry: which resonances does it pass, and how far does
the tub swing?

    python examples/washing_machine_run_up.py                 what the run shows beside the modes
    python examples/washing_machine_run_up.py waterfall.png   spectra of the run, one behind the other

The tub hangs on two springs and stands on two dampers; it moves in the plane across the axis of the drum (sideways,
up and down, and about the axis), which is the plane in which it hits the cabinet. The drum gains 100 rpm a second from
standstill to 1000 rpm, driven by a motor on the tub; 0.8 kg of laundry stick to its wall.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import numpy as np

import eigenbody as eb

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TUB, DRUM, LAUNDRY = 28.0, 9.0, 0.8  # kg
TUB_INERTIA, DRUM_INERTIA = 1.9, 0.45  # kg m^2, about the axis
RADIUS = 0.23  # m, of the laundry
GAIN = 100 * 2 * np.pi / 60  # rad/s^2
SPRINGS = {"left": ((-0.30, 0.40), (-0.20, 0.16)), "right": ((0.30, 0.40), (0.20, 0.16))}  # at the cabinet, at the tub
DAMPERS = {"left": ((-0.22, -0.42), (-0.14, -0.22)), "right": ((0.22, -0.42), (0.14, -0.22))}
STIFFNESS, DAMPING = 6500.0, 90.0  # N/m, N s/m, of each
WEIGHT = (TUB + DRUM) * 9.81  # N, which the springs carry as drawn
INTERVAL = 1 / 128  # s, between the samples
NAMES = ("sideways", "up and down", "about the axis")


def free_length() -> float:
    """Of a spring, so that both carry tub and drum in the drawn position."""
    (xa, ya), (xb, yb) = SPRINGS["left"]
    length = float(np.hypot(xa - xb, ya - yb))
    return length - WEIGHT / 2 * length / (ya - yb) / STIFFNESS


def model(begin: float = 0.0, gain: float = GAIN, laundry: float = LAUNDRY) -> eb.Model:
    """The machine; the drum turns at `begin` rad/s at first and gains `gain` rad/s^2."""
    built = eb.Model(
        name="Washing machine that spins up",
        parameters={"begin": begin, "gain": gain},
        gravity=[0, -9.81, 0],
        bodies={
            "tub": {"mass": TUB, "inertia": [1.2, 1.2, TUB_INERTIA], "at": [0, 0, 0],
                    "shape": {"type": "cylinder", "radius": 0.27, "length": 0.3}},
            "drum": {"mass": DRUM, "inertia": [0.3, 0.3, DRUM_INERTIA], "at": [0, 0, 0]},
            "laundry": {"mass": laundry, "at": [RADIUS, 0, 0]},
        },
        joints={
            "hang": {"type": "planar", "between": ["ground", "tub"], "at": [0, 0, 0], "axis": [0, 0, 1]},
            "spin": {"type": "revolute", "between": ["tub", "drum"], "at": [0, 0, 0], "axis": [0, 0, 1],
                     "motion": "=begin*t + gain*t**2/2"},
            "stick": {"type": "fixed", "between": ["drum", "laundry"], "at": [RADIUS, 0, 0]},
        },
    )  # fmt: skip
    for name, (cabinet, tub) in SPRINGS.items():
        built = built.force(
            f"spring_{name}", "spring", between=["ground", "tub"], at=[[*cabinet, 0], [*tub, 0]], k=STIFFNESS,
            free_length=free_length(),
        )  # fmt: skip
    for name, (cabinet, tub) in DAMPERS.items():
        built = built.force(
            f"damper_{name}", "damper", between=["ground", "tub"], at=[[*cabinet, 0], [*tub, 0]], c=DAMPING
        )
    return built


def natural_frequencies() -> dict[str, float]:
    """Damped frequencies of the empty machine at rest, Hz, by what moves most."""
    found = eb.modes(model(gain=0.0, laundry=0.0).set(operating_point="equilibrium"))
    tub = found.linear.point.system.description.bodies.names.index("tub")
    motion = np.abs(found.motion[:, tub][:, [0, 1, 5]]) * [1, 1, 0.25]
    return {NAMES[int(np.argmax(row))]: float(f) for row, f in zip(motion, found.damped_frequency_hz, strict=True)}


def run(until: float = 10.0, tolerance: float = 1e-4) -> eb.Simulation:
    """The run-up, sampled; local errors of 1e-4 of the machine's length are below what is seen."""
    return eb.simulate(model(), until=until, times=INTERVAL, tolerance=tolerance)


def largest(motion: eb.Simulation) -> dict[str, tuple[float, float]]:
    """Of each direction the largest swing from rest (m or rad) and the speed of the drum then, Hz."""
    found = {}
    for name, signal in zip(NAMES, ("tub.x", "tub.y", "tub.rz"), strict=True):
        values = motion.signal(signal) - motion.signal(signal)[0]
        at = int(np.argmax(np.abs(values)))
        found[name] = float(abs(values[at])), float(GAIN * motion.t[at] / (2 * np.pi))
    return found


def waterfall(motion: eb.Simulation) -> Figure:
    """Spectra of the sideways motion of the tub, one behind the other."""
    return eb.spectrogram(motion, "tub.x", length=1.5).plot("waterfall")


def main(arguments: list[str]) -> None:
    """Print what the run shows beside the modes, or draw it."""
    motion = run()
    if arguments:
        waterfall(motion).savefig(arguments[0], dpi=110)
        return
    natural, swings = natural_frequencies(), largest(motion)
    print("Washing machine, 0 to 1000 rpm in 10 s, 0.8 kg out of balance")
    for name in NAMES:
        size, speed = swings[name]
        swing = f"{size * 1e3:.1f} mm" if "axis" not in name else f"{np.degrees(size):.2f} deg"
        print(f"{name:15} natural frequency {natural[name]:.2f} Hz, largest swing {swing:>8} at {speed:.2f} Hz")
    late = motion.t > 9
    print(f"Above 900 rpm it swings {1e3 * np.abs(motion.signal('tub.x')[late]).max():.1f} mm sideways.")


if __name__ == "__main__":
    main(sys.argv[1:])
