"""A chain of five rods with seven freedoms: settled by damping, linearized there, and checked by spectra of a motion.

    python examples/seven_freedom_chain.py

Five uniform rods of 2 m hang on each other by a revolute, a universal, a revolute, a translational and a universal
joint; springs act in the second revolute joint, in the translational one, and from the lower end of the last rod to the
wall. Dampers in all joints bring the chain to rest; without them, and with small velocities, it moves "at random" for
200 s, sampled five times a second. The peaks of the spectra are the natural frequencies.

Source: Trom 1990, section 3.2.5 (Fig. 3.5, Table 3.6): gravity, masses, moments of inertia, lengths, joints and initial
velocities are his. Spring constants, free lengths, the place of the wall and the directions of the joints stand in the
figure alone and are chosen here; so the frequencies are not those of Table 3.6. He lists m2 ... m7 for bodies 2 ... 6;
m7 is not used. His moments of inertia are 0.4 m, those of uniform rods of 2 m would be m/3.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

import eigenbody as eb

MASS = {"rod2": 5.0, "rod3": 3.0, "rod4": 2.0, "rod5": 1.0, "rod6": 1.0}  # kg; 0.4 m across, 0.1 m along, kg m^2
START = {"rod2": [0, 0, 0], "rod3": [0, 0, -2], "rod4": [0, 0, -4], "rod5": [2, 0, -4], "rod6": [4, 0, -4]}
LEVEL = ("rod4", "rod5")  # drawn along x; the others hang down
JOINTS: dict[str, dict[str, Any]] = {
    "shoulder": {"type": "revolute", "axis": [0, 1, 0]},
    "elbow": {"type": "universal", "axis": [1, 0, 0], "axis2": [0, 1, 0]},
    "knee": {"type": "revolute", "axis": [0, 1, 0]},
    "slide": {"type": "prismatic", "axis": [1, 0, 0]},
    "wrist": {"type": "universal", "axis": [1, 0, 0], "axis2": [0, 1, 0]},
}
VELOCITY = (0.02, -0.03, -0.03, -0.03, 0.05, 0.03, -0.03)  # rad/s and m/s, in the order of the joints
SAMPLE, LENGTH = 0.2, 200.0  # s


def model(damping: float = 0.0, position: Mapping[str, float] | None = None, velocity: bool = False) -> eb.Model:
    """The chain: dampers of `damping` in every joint, started in a `position`, with his velocities or at rest."""
    chain = eb.Model(name="Chain of seven freedoms", gravity=[0, 0, -9.81])
    parent, speeds = "ground", iter(VELOCITY)
    for (rod, mass), (joint, entry) in zip(MASS.items(), JOINTS.items(), strict=True):
        axis = np.array([1, 0, 0]) if rod in LEVEL else np.array([0, 0, -1])
        inertia = 0.4 * mass - 0.3 * mass * np.abs(axis)
        chain = chain.body(rod, mass=mass, inertia=inertia.tolist(), at=(START[rod] + axis).tolist())
        names = [f"{joint}.angle1", f"{joint}.angle2"] if entry["type"] == "universal" else [joint]
        state: dict[str, Any] = {}
        if position is not None:
            state["position"] = [position[name] for name in names]
        if velocity:
            state["velocity"] = [next(speeds) for _ in names]
        state = {key: value if len(names) > 1 else value[0] for key, value in state.items()}
        chain = chain.joint(joint, **entry, **state, between=[parent, rod], at=START[rod])
        if damping:
            for name in names:
                chain = chain.force(f"damper_{name.replace('.', '_')}", "damper", along=name, c=damping)
        parent = rod
    chain = chain.force("spring_knee", "spring", along="knee", k=60)
    chain = chain.force("spring_slide", "spring", along="slide", k=40)
    ends = [[6, 1, -6], [4, 0, -6]]
    return chain.force("spring_wall", "spring", between=["ground", "rod6"], at=ends, k=15, free_length=1.5)


def settled(until: float = 120.0) -> dict[str, float]:
    """Joint coordinates after the damped chain has come to rest, his way to an equilibrium."""
    motion = eb.simulate(model(damping=8.0), until=until, points=2, tolerance=1e-6)
    return {name: float(motion.signal(name)[-1]) for name in names_of(model())}


def names_of(chain: eb.Model) -> tuple[str, ...]:
    """The seven joint coordinates."""
    return tuple(eb.linearize(chain).coordinates)


def spectra(position: Mapping[str, float]) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Frequencies (Hz) and amplitude spectra of the seven coordinates of the motion from the equilibrium."""
    chain = model(position=position, velocity=True)
    motion = eb.simulate(chain, until=LENGTH, times=SAMPLE, tolerance=1e-5)
    found = {name: eb.fft(motion, name) for name in names_of(chain)}
    first = next(iter(found.values()))
    return first.frequency_hz, {name: spectrum.amplitude for name, spectrum in found.items()}


def peaks(hz: np.ndarray, shapes: Mapping[str, np.ndarray], near: np.ndarray) -> np.ndarray:
    """For each expected frequency, the highest of the spectra within two lines of it, Hz."""
    step = hz[1] - hz[0]
    out = []
    for f in near:
        inside = np.flatnonzero(np.abs(hz - f) <= 2 * step)
        each = {name: inside[np.argmax(shape[inside])] for name, shape in shapes.items()}
        best = max(shapes, key=lambda name: shapes[name][each[name]] / shapes[name].max())
        out.append(hz[each[best]])
    return np.array(out)


def main() -> None:
    """Print the equilibrium by damping and by search, then frequencies by modes and by spectra."""
    rest, found = settled(), eb.equilibrium(model()).point
    print("Equilibrium       damped motion of 120 s   search")
    for name, value in rest.items():
        print(f"{name:16}  {value:21.5f}  {found.coordinates()[name]:7.5f}")
    modes = eb.modes(model(position=found.coordinates())).frequency_hz
    seen = peaks(*spectra(found.coordinates()), modes)
    print("\nNatural frequencies, Hz\nmodes       spectra of 200 s")
    for exact, peak in zip(modes, seen, strict=True):
        print(f"{exact:.6f}    {peak:.3f}")


if __name__ == "__main__":
    main()
