"""A space manipulator brings two discs together: what its free body does, and what would hold it.

    python examples/manipulator_reach.py

The body of examples/space_manipulator.yaml floats; its arms move from the pose in which it is struck there to one in
which the centres of the discs coincide, every angle by a cycloid. First the body is free: it moves and turns while
momentum and angular momentum stay zero. Then it is held: the forces and moments which that takes.

Source: Passerello & Huston, NASA N72-30352, section V, problems 1 and 2 (Figs. 11 to 15). The angles at the end and the
duration stand in a figure alone and are chosen here: 45 degrees of the shoulders about y, elbows at a right angle, 2 s.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

import eigenbody as eb
from eigenbody import InverseDynamics

DURATION = 2.0  # s
START = {"arm_1.1": 90, "arm_1.2": 0, "elbow_1": 0, "arm_2.1": 0, "arm_2.2": -90, "elbow_2": 90}  # degrees
END = {"arm_1.1": 0, "arm_1.2": 45, "elbow_1": -90, "arm_2.1": 0, "arm_2.2": -45, "elbow_2": 90}
BODY = ("base.x", "base.y", "base.z", "base.rx", "base.ry", "base.rz")


def model() -> eb.Model:
    """The manipulator, with the 1-2-3 angles of the report at its shoulders."""
    arms = eb.load(Path(__file__).parent / "space_manipulator.yaml")
    for arm in (1, 2):
        arms = arms.measure(f"arm_{arm}", "angles", of=f"shoulder_{arm}", sequence="xyz")
    tip = [0, 0, "-78 in"]  # of both arms, as drawn
    for c, axis in zip("xyz", np.eye(3).tolist(), strict=True):
        arms = arms.measure(f"apart_{c}", "displacement", between=["disk_1", "disk_2"], at=[tip, tip], axis=axis)
    return arms


def motion() -> dict[str, object]:
    """Every angle of the arms: theta0 + (theta1 - theta0) (t/T - sin(2 pi t/T)/(2 pi)), Eq. 5.1 of the report."""
    angles = {name: eb.cycloid(np.radians(START[name]), np.radians(END[name]), DURATION) for name in START}
    return angles | {"arm_1.3": 0, "arm_2.3": 0}


def free(points: int = 41) -> InverseDynamics:
    """Problem 1: the body is free."""
    return eb.inverse(model(), motion(), until=DURATION, points=points, tolerance=1e-9)


def held(points: int = 41) -> InverseDynamics:
    """Problem 2: the body is held."""
    return eb.inverse(model(), motion(), until=DURATION, points=points, holds=["base"])


def signal(found: InverseDynamics, name: str) -> np.ndarray:
    """A measure over the motion."""
    return found.positions[:, found.measures.index(name)]


def distance(found: InverseDynamics, k: int) -> float:
    """Between the centres of the discs at the instant k, m."""
    apart = [signal(found, f"apart_{c}")[k] for c in "xyz"]
    return float(np.sqrt(np.dot(apart, apart)))


def line(names: str, values: np.ndarray, unit: str) -> str:
    """Names and values beside each other."""
    pairs = [f"{name} {value:.4f}" for name, value in zip(names.split(), values, strict=True)]
    return "  ".join(["", *pairs, unit])


def main() -> None:
    """Where the body ends, what stays zero, and what holding it takes."""
    moved, kept = free(), held()
    end = np.array([signal(moved, name)[-1] for name in BODY])
    zero = max(np.abs(moved.linear_momentum).max(), np.abs(moved.angular_momentum).max())
    print("Problem 1: the body is free. At the end it has moved and turned by")
    print(line("x y z", end[:3], "m"))
    print(line("rx ry rz", end[3:], "rad"))
    print(f"  the discs: at first {distance(moved, 0):.4f} m apart, at the end {distance(moved, -1) + 1e-12:.4f} m")
    print(f"  momentum and angular momentum stay zero: {'yes' if zero < 1e-6 else 'no'}")
    print("Problem 2: the body is held. Largest forces and moments, ground axes")
    print(line("Fx Fy Fz", np.abs(kept.holding_force[:, 0]).max(0), "N"))
    print(line("Mx My Mz", np.abs(kept.holding_moment[:, 0]).max(0), "N m"))


if __name__ == "__main__":
    main()
