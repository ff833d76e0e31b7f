"""Make the frame of the all-terrain vehicle: python scripts/make_atv_frame.py writes examples/data/atv_frame.npz and
docs/images/atv_frame.png.

A frame of welded steel tubes as finite elements of the package's beams. Tubes that meet share their nodes; what is
bolted to the frame and does not stiffen it (rack, bumper, tank, battery, plates) is mass at nodes. Places are those of
the drawing of examples/all_terrain_vehicle.yaml; x ahead, y to the left, z up, in m.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from eigenbody.structures.beam import beam_structure
from eigenbody.structures.beam_section import BeamStations
from eigenbody.structures.structure import Structure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ROOT = Path(__file__).resolve().parents[1]
FILE = ROOT / "examples" / "data" / "atv_frame.npz"
PICTURE = ROOT / "docs" / "images" / "atv_frame.png"
E, G, DENSITY = 210e9, 81e9, 7850.0
LONGEST = 0.15  # element

Place = tuple[float, float, float]


class Tube(NamedTuple):
    """A round section, outside diameter and wall."""

    diameter: float
    wall: float


RAIL, BRACE = Tube(0.0286, 0.002), Tube(0.0222, 0.002)

SIDE: dict[str, Place] = {  # on the left; each has a twin on the right
    "lower_front": (0.72, 0.14, 0.28), "lower_rear": (0.54, 0.14, 0.28),  # where the wishbones are hinged
    "upper_front": (0.72, 0.16, 0.40), "upper_rear": (0.54, 0.16, 0.40),
    "top": (0.60, 0.20, 0.68),  # of the front shocks
    "mount_front": (0.25, 0.12, 0.30), "mount_rear": (-0.10, 0.10, 0.34),  # of the engine
    "pivot": (-0.12, 0.12, 0.32),  # of the swing arm
    "nose": (0.80, 0.18, 0.62), "waist": (0.25, 0.15, 0.69), "shoulder": (-0.18, 0.12, 0.68),
    "hip": (-0.30, 0.12, 0.68), "knee": (-0.16, 0.12, 0.50), "tail": (-0.74, 0.14, 0.70),
    "peg": (0.05, 0.36, 0.27),  # footrest
}  # fmt: skip
MIDDLE: dict[str, Place] = {
    "upper_bearing": (0.25, 0.0, 0.80), "lower_bearing": (0.50, 0.0, 0.42),  # of the steering column
    "seat_post": (-0.30, 0.0, 0.68), "rear_top": (-0.18, 0.0, 0.62),  # of the rear shock
}  # fmt: skip
TUBES: tuple[tuple[Tube, tuple[str, ...]], ...] = (  # along these points; those of a side on both sides
    (RAIL, ("lower_front", "lower_rear", "mount_front", "pivot", "knee", "shoulder")),
    (RAIL, ("nose", "top", "waist", "shoulder", "hip", "tail")),
    (BRACE, ("lower_front", "upper_front", "nose")),
    (BRACE, ("lower_rear", "upper_rear", "top")),
    (BRACE, ("upper_front", "upper_rear")),
    (BRACE, ("mount_front", "waist")),
    (BRACE, ("knee", "tail")),
    (BRACE, ("mount_front", "peg", "pivot")),
    (BRACE, ("knee", "mount_rear")),
    (BRACE, ("waist", "upper_bearing")),
    (BRACE, ("upper_rear", "lower_bearing")),
    (BRACE, ("hip", "seat_post")),
    (BRACE, ("shoulder", "rear_top")),
)
ACROSS = (
    "lower_front",
    "lower_rear",
    "upper_front",
    "nose",
    "mount_rear",
    "pivot",
    "tail",
)  # a straight brace from side to side
LOADS: dict[str, float] = {  # mass in kg at a point and at its twin, in the middle once
    "nose": 0.2,  # bumper and lamps
    "waist": 0.8,  # tank
    "hip": 0.8,  # battery and wiring
    "tail": 1.5,  # rack
    "peg": 1.0,  # footrest and guard
    "mount_front": 0.6, "pivot": 2.2, "knee": 0.97,  # plates with brackets, skid plate
}  # fmt: skip
ROUNDNESS = 0.05  # radius of gyration of such a mass


def frame(longest: float = LONGEST) -> Structure:
    """The frame, nothing holding it, in elements no longer than `longest`."""
    places = _points()
    names, nodes, elements = list(places), [np.array(place) for place in places.values()], []
    for tube, start, end in pieces():
        piece = _piece(tube, places[start], places[end], longest)
        inner = range(len(names), len(names) + len(piece.nodes) - 2)
        names += [f"{start}>{end}+{k + 1}" for k in range(len(inner))]
        nodes += list(piece.nodes[1:-1])
        elements.append((piece, [list(places).index(start), *inner, list(places).index(end)]))
    freedoms = np.arange(6 * len(names)).reshape(-1, 6)
    M, K = np.zeros((2, freedoms.size, freedoms.size))
    for piece, own in elements:
        at = np.ix_(freedoms[own].ravel(), freedoms[own].ravel())
        M[at] += piece.M
        K[at] += piece.K
    for name, mass in _loads():
        at = freedoms[names.index(name)]
        M[at, at] += np.repeat([mass, mass * ROUNDNESS**2], 3)
    return Structure(tuple(names), np.array(nodes), freedoms, M, K)


def save(structure: Structure, file: Path = FILE, stiffer: float = 1.0) -> None:
    """As a file that `type: matrices` reads; `stiffer` multiplies the stiffness."""
    file.parent.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(
        file, M=structure.M, K=stiffer * structure.K, nodes=structure.nodes, names=np.array(structure.names)
    )


def _points() -> dict[str, Place]:
    left = {f"{name}_left": place for name, place in SIDE.items()}
    right = {f"{name}_right": (x, -y, z) for name, (x, y, z) in SIDE.items()}
    return left | right | MIDDLE


def pieces() -> Iterator[tuple[Tube, str, str]]:
    """Straight pieces of tube between two points."""
    for side in ("left", "right"):
        for tube, line in TUBES:
            yield from ((tube, _on(side, a), _on(side, b)) for a, b in itertools.pairwise(line))
    yield from ((BRACE, f"{name}_left", f"{name}_right") for name in ACROSS)


def _on(side: str, name: str) -> str:
    return name if name in MIDDLE else f"{name}_{side}"


def _loads() -> Iterator[tuple[str, float]]:
    for name, mass in LOADS.items():
        yield from ((name, mass) for name in sorted({_on(side, name) for side in ("left", "right")}))


def _piece(tube: Tube, start: Place, end: Place, longest: float) -> Structure:
    outer, inner = tube.diameter, tube.diameter - 2 * tube.wall
    area, second = math.pi / 4 * (outer**2 - inner**2), math.pi / 64 * (outer**4 - inner**4)
    stations = BeamStations(
        np.array([start, end]), E, G, area, second, second, 2 * second, density=DENSITY, ky=0.5, kz=0.5
    )  # half the area of a thin tube bears shear
    return beam_structure(stations, math.ceil(math.dist(start, end) / longest), inside=False)


def picture(chosen: tuple[int, ...] = (20, 21)) -> Figure:
    """The frame in modes of the vehicle, counted from 1, and as drawn."""
    import matplotlib.pyplot as plt

    import eigenbody as eb

    found = eb.modes(eb.load(ROOT / "examples" / "all_terrain_vehicle.yaml"))
    seen = found.deformations
    lines = [[seen.names.index(name) for name in line] for line in _lines(seen.names)]
    figure = plt.figure(figsize=(12, 4.6))
    figure.subplots_adjust(left=0, right=0.93, bottom=0.04, top=0.96, wspace=0.12)
    for k, mode in enumerate(chosen):
        axes = figure.add_subplot(1, len(chosen), k + 1, projection="3d")
        shape = seen.move[mode - 1]
        largest = shape.ravel()[np.abs(shape).argmax()]
        moved = seen.position + 0.15 * (shape / largest).real
        for line in lines:
            axes.plot(*seen.position[line].T, color="0.5", linewidth=1, linestyle="--")
            axes.plot(*moved[line].T, color="tab:blue", linewidth=2.2, clip_on=False)
        axes.set(xlim=(-0.8, 0.9), ylim=(-0.5, 0.5), zlim=(0.2, 0.95))
        axes.set_box_aspect((1.7, 1.0, 0.75), zoom=1.1)
        axes.set_title(f"mode {mode}, {found.damped_frequency_hz[mode - 1]:.1f} Hz", y=0.94)
        axes.set(xlabel="x, m", ylabel="y, m", zlabel="z, m", yticks=(-0.4, 0, 0.4), zticks=(0.3, 0.6, 0.9))
        axes.view_init(elev=24, azim=-58)
    return figure


def _lines(names: tuple[str, ...]) -> Iterator[list[str]]:
    """The nodes along each piece of tube."""
    for _, start, end in pieces():
        inner = [name for name in names if name.startswith(f"{start}>{end}+")]
        yield [start, *inner, end]


def main() -> None:
    """Write the file, say what is in it, and draw it."""
    structure = frame()
    save(structure)
    print(f"{FILE.relative_to(ROOT)}: {len(structure.names)} nodes, {FILE.stat().st_size / 1000:.0f} kB")
    picture().savefig(PICTURE, dpi=100, metadata={"Software": None})
    print(PICTURE.relative_to(ROOT))


if __name__ == "__main__":
    main()
