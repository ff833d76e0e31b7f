"""A rotor with two discs on a flexible shaft: rigid pieces of shaft joined by massless beams, all of them turning.

    python examples/two_disc_rotor.py

The shaft (1.5 m long, 50 mm thick) runs in bearings of 1 MN/m at its ends. It is cut halfway between evenly spaced
nodes; each piece is a rigid body that carries its mass and its moments of inertia, and a beam with shear deflection
joins each node to the next. The error falls with the square of the number of pieces.

Source: Friswell, Penny, Garvey & Lees 2010, example 5.9.1: 85.389467, 87.7958637, 251.7846041, 294.7133309 and
600.179362 rad/s at 4000 rpm.
"""

from __future__ import annotations

from itertools import pairwise
from math import pi
from typing import NamedTuple

import numpy as np

import eigenbody as eb

LENGTH, DIAMETER, E, G, DENSITY = 1.5, 0.05, 211e9, 81.2e9, 7810.0
AREA, INERTIA = pi * DIAMETER**2 / 4, pi * DIAMETER**4 / 64
NU = E / (2 * G) - 1
SHEAR = 6 * (1 + NU) / (7 + 6 * NU)  # Cowper 1966, solid circle
BEARING = [1e6, 1e6, 0, 0, 0, 0]


class Piece(NamedTuple):
    """Mass, moments of inertia across and along the shaft, and where the centre of mass is."""

    mass: float
    across: float
    along: float
    centre: float


DISCS = (
    Piece(32.58972765304033, 0.17808928257067666, 0.32956362089137037, 0.5),
    Piece(51.5252611115262, 0.42358058405433824, 0.8050822048675967, 1.0),
)


def piece(start: float, end: float) -> Piece:
    """Shaft between two cuts, with the disc that sits in its middle."""
    length, centre = end - start, (start + end) / 2
    mass = DENSITY * AREA * length
    own = Piece(mass, DENSITY * INERTIA * length + mass * length**2 / 12, 2 * DENSITY * INERTIA * length, centre)
    here = [own, *(disc for disc in DISCS if abs(disc.centre - centre) < 1e-9)]
    return Piece(sum(p.mass for p in here), sum(p.across for p in here), sum(p.along for p in here), centre)


def model(segments: int = 36, speed: str = "4000 rpm") -> eb.Model:
    """The rotor with `segments` beams along z, a multiple of three so that the discs sit on nodes."""
    nodes = np.linspace(0, LENGTH, segments + 1).tolist()
    cuts = [0.0, *((a + b) / 2 for a, b in pairwise(nodes)), LENGTH]
    rotor = eb.Model(name="Rotor with two discs").parameter("speed", speed)
    for i, (start, end) in enumerate(pairwise(cuts)):
        p = piece(start, end)
        at = [0, 0, p.centre]
        rotor = rotor.body(f"p{i}", mass=p.mass, inertia=[p.across, p.across, p.along], at=at)
        rotor = rotor.joint(f"spin{i}", "free", between=["ground", f"p{i}"], at=at, velocity=[0, 0, 0, 0, 0, "=speed"])
    for i, (a, b) in enumerate(pairwise(nodes)):
        rotor = rotor.force(
            f"shaft{i}", "beam", between=[f"p{i}", f"p{i + 1}"], at=[[0, 0, a], [0, 0, b]],
            E=E, G=G, area=AREA, Iy=INERTIA, Iz=INERTIA, J=2 * INERTIA, ky=SHEAR, kz=SHEAR,
        )  # fmt: skip
    for name, i in (("lower", 0), ("upper", segments)):
        rotor = rotor.force(name, "bearing", between=["ground", f"p{i}"], at=[0, 0, nodes[i]], k=BEARING)
    return rotor


def whirl_speeds(speed: str, segments: int = 36) -> np.ndarray:
    """Angular frequencies of all modes in the fixed frame, rad/s; the rotor drifts along and about its axis freely."""
    found = eb.modes(model(segments, speed)).eigenvalues.imag
    return np.sort(found[found > 1e-3])


def diagram(segments: int = 12) -> eb.Campbell:
    """Frequencies over the speed up to 6000 rpm, and the critical speeds."""
    speeds = np.linspace(0, 6000, 13) * pi / 30
    return eb.campbell(model(segments), "speed", speeds, joint="spin0", per_rev=(1,), n=13)


def main() -> None:
    """Print the first whirl speeds over the number of pieces."""
    for segments in (6, 12, 24, 36):
        print(f"{segments:3d} segments, 4000 rpm:", *(f"{w:11.6f}" for w in whirl_speeds("4000 rpm", segments)[:5]))


if __name__ == "__main__":
    main()
    found = diagram()
    print(found)
    found.plot().savefig("two_disc_rotor.png")
