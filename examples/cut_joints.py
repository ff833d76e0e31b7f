"""One closed loop, cut at each of its joints in turn: other coordinates and constraint rows, the same frequency.

    python examples/cut_joints.py

Relative joint coordinates need a tree; a loop is cut at one joint, which comes back as constraint rows with
multipliers. Which one is a matter of convenience: the fewer rows the better. The stiffness that the multipliers bring
along, d(Phi_q^T lambda)/dq, must not be left out: in the four-bar of the source it happens to vanish along the motion,
with a rocker of 2 m it does not, and without it the answer depends on the cut.

Source: Trom 1990, sections 4.1 to 4.4 (Eq. 4.13 leaves the term out; Table 4.1 has the ball joint cut: 7.848 1/s^2).
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np

import eigenbody as eb

FOUR_BAR = Path(__file__).parent / "four_bar.yaml"


class Cut(NamedTuple):
    """The loop opened at one joint: tree coordinates, rows, squares of the frequency with and without the term."""

    joint: str
    coordinates: int
    rows: int
    right: float  # 1/s^2
    without: float  # 1/s^2: Eq. 4.13 as printed


def model(rocker: float = 1.0) -> eb.Model:
    """The four-bar with a rocker of some length, whose pivot is raised accordingly."""
    document = eb.load(FOUR_BAR).document
    document["bodies"]["rocker"]["at"] = [1, 0, rocker / 2 - 1]
    document["joints"]["d"]["at"] = [1, 0, rocker - 1]
    return eb.load(document)


def opened(four_bar: eb.Model, joint: str) -> Cut:
    """The linear equations with the loop opened at a joint, reduced by an orthonormal null space (QR)."""
    matrices = eb.by_route(four_bar, "relative", cut=[joint], reduction="qr").linear.matrices
    Q2, mass = matrices["Q2"], matrices["M"][0, 0]
    without = (Q2.T @ matrices["K_l"] @ Q2)[0, 0]
    return Cut(joint, len(Q2), len(matrices["Phi_q"]), matrices["K"][0, 0] / mass, without / mass)


def main() -> None:
    """One line for each joint of the loop, for the four-bar of the source and for one with a longer rocker."""
    for rocker in (1.0, 2.0):
        four_bar = model(rocker)
        print(f"Rocker of {rocker:g} m\ncut  type       coordinates  rows  omega^2, 1/s^2  by Eq. 4.13")
        for joint, entry in four_bar.document["joints"].items():
            c = opened(four_bar, joint)
            print(f"{joint:3}  {entry['type']:10} {c.coordinates:11} {c.rows:5} {c.right:15.6f} {c.without:12.6f}")
        exact = np.abs(eb.modes(four_bar).eigenvalues[0]) ** 2
        print(f"the engine, which cuts nothing: {exact:.6f} 1/s^2\n")


if __name__ == "__main__":
    main()
