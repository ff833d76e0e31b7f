"""Shafts as one flexible body each, on bearings of every kind: whirl frequencies and damping over the speed.

    python examples/flexible_rotor.py

`benchmarks/rotors.py` puts the same rotors before ROSS and before rotor finite elements written by hand.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

import eigenbody as eb


@dataclass(frozen=True)
class Rotor:
    """A round steel shaft along z with discs and two equal bearings at its ends; SI units."""

    name: str
    length: float
    diameter: float
    E: float
    G: float
    density: float
    speeds: tuple[float, ...]  # rad/s
    k: tuple[tuple[float, float], tuple[float, float]]  # of each bearing, across the shaft
    c: float = 0.0  # of each bearing, in both directions
    axial: float = 1e6  # stiffness along the shaft, at its left end
    discs: tuple[tuple[float, float, float, float], ...] = ()  # z, mass, inertia across and along the axis
    critical: tuple[float, float] | None = None  # rad/s, between which to seek the critical speeds

    @property
    def nu(self) -> float:
        """Poisson's ratio."""
        return self.E / (2 * self.G) - 1


@dataclass(frozen=True)
class Friswell(Rotor):
    """The rotor with two discs of Friswell, Penny, Garvey & Lees (2010), example 5.9.1, as one shaft."""

    length: float = 1.5
    diameter: float = 0.05
    E: float = 211e9
    G: float = 81.2e9
    density: float = 7810
    speeds: tuple[float, ...] = tuple(rpm * np.pi / 30 for rpm in (0, 1000, 2000, 3000, 4000))
    k: tuple[tuple[float, float], tuple[float, float]] = ((1e6, 0.0), (0.0, 1e6))
    discs: tuple[tuple[float, float, float, float], ...] = field(
        default=(
            (0.5, 32.58972765304033, 0.17808928257067666, 0.32956362089137037),
            (1.0, 51.5252611115262, 0.42358058405433824, 0.8050822048675967),
        )
    )
    critical: tuple[float, float] | None = (1.0, 400.0)


ROTORS = (
    Rotor(
        "shaft", 1.0, 0.04, 210e9, 210e9 / 2.6, 7850, (0.0, 10.0, 250.0, 500.0, 1000.0), ((1e7, 0.0), (0.0, 1e7)), 1e3,
        critical=(300.0, 600.0),
    ),
    Friswell("two discs, equal bearings"),
    Friswell("two discs, unequal bearings", k=((1e6, 0.0), (0.0, 0.8e6)), c=200.0),
    Friswell("two discs, cross-coupled", k=((1e6, 2e5), (-2e5, 0.8e6)), c=200.0),
)  # fmt: skip


def model(rotor: Rotor, modes: int = 8, elements: int | None = None) -> eb.Model:
    """The rotor with its shaft as one flexible body of `modes` modes with the stations held. Bearings and discs sit at
    stations; `elements` is how many finite elements the shaft is made of, by default as many as its waves need."""
    stations = {"left": 0.0, **{f"d{i}": disc[0] for i, disc in enumerate(rotor.discs)}, "right": rotor.length}
    shaft = {
        "type": "beam", "points": [[0, 0, z] for z in stations.values()], "names": list(stations), "modes": modes,
        "E": rotor.E, "G": rotor.G, "density": rotor.density, "diameter": rotor.diameter,
    }  # fmt: skip
    if elements is not None:
        shaft["elements"] = elements
    built = eb.Model(name=rotor.name, parameters={"speed": "0 rad/s"}, flexible={"shaft": shaft})
    built = built.joint(
        "spin", "free", between=["ground", "shaft.left"], at=[0, 0, 0], velocity=[0, 0, 0, 0, 0, "=speed"]
    )
    for i, (z, mass, across, along) in enumerate(rotor.discs):
        built = built.body(f"disc{i}", mass=mass, inertia=[across, across, along], at=[0, 0, z])
        built = built.joint(f"press{i}", "fixed", between=[f"shaft.d{i}", f"disc{i}"], at=[0, 0, z])
    for end, z in (("left", 0.0), ("right", rotor.length)):
        k = np.zeros((6, 6))
        k[:2, :2], k[2, 2] = rotor.k, rotor.axial if end == "left" else 0.0
        built = built.force(
            f"bearing_{end}", "bearing", between=["ground", f"shaft.{end}"], at=[0, 0, z], k=k.tolist(),
            c=[rotor.c, rotor.c, 0, 0, 0, 0],
        )  # fmt: skip
    return built


def whirl(rotor: Rotor, count: int = 4, modes: int = 8) -> np.ndarray:
    """(speeds, count) lowest eigenvalues of motion across the shaft, 1/s, by size."""
    machine = model(rotor, modes)
    return np.array([_across(eb.modes(machine.with_parameters(speed=speed)), count) for speed in rotor.speeds])


def _across(found: eb.Modes, count: int) -> np.ndarray:
    """Those whose motion is sideways: torsion and motion along the shaft are not."""
    names = found.linear.point.system.description.bodies.names
    at = [i for i, name in enumerate(names) if name.startswith(("shaft.left", "shaft.right", "disc"))]
    motion = np.abs(found.motion[:, at])
    sideways = motion[..., :2].max(axis=(1, 2)) > motion[..., 2].max(axis=1) + 0.01 * motion[..., 5].max(axis=1)
    return found.eigenvalues[(found.eigenvalues.imag > 0) & sideways][:count]


def main() -> None:
    """Frequencies and damping of all rotors."""
    for rotor in ROTORS:
        print(rotor.name)
        for speed, values in zip(rotor.speeds, whirl(rotor), strict=True):
            shown = "  ".join(f"{value.imag:10.4f} {value.real:9.4f}" for value in values)
            print(f"{speed:8.2f} rad/s: {shown}")


if __name__ == "__main__":
    main()
