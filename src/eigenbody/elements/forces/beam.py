"""Massless beam between two bodies: six natural deflections of its two end frames, energy-consistent in any pose.

x runs from the first end to the second, y and z are the principal axes of the section; in the drawing both end frames
agree. With d the vector between the ends and L the length, the deflections and the section forces at midspan are

    stretch  |d| + bow - L      N   = tension + E A / L * stretch
    shear    d.(y1 + y2)/2      Qy  = 12 E Iz / (L^3 (1 + phi_y)) * shear,   phi_y = 12 E Iz / (ky G A L^2);  z likewise
    turns    log(R1^T R2)       (T, My, Mz) = (G J, E Iy, E Iz) / L * turns

The bow is the arc that the deflected line has in excess of its chord, to second order, with s and a half the difference
and half the sum of the slopes of both ends against the chord; twist shortens the fibres in the same way:

    bow = L sum_yz [s^2/6 + a^2/(10 (1 + phi)^2)] + (Iy + Iz)/(2 A L) twist^2

so that the tangent has the whole geometric stiffness of the axial force that acts, whatever brought it about.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from eigenbody.base.batched import over_variants
from eigenbody.base.errors import Fault, InputError
from eigenbody.elements.checks import Wrong, at_most, positive, real
from eigenbody.elements.forces.base import ForceBuilder, ForceType, column
from eigenbody.elements.forces.spring import ends_given
from eigenbody.elements.measures.compose import Composed, Outer
from eigenbody.elements.measures.features import Feature, ScalarProduct
from eigenbody.elements.measures.templates import SQUARE_ROOT, Kernel, Pairs, Rotation
from eigenbody.elements.places import Places
from eigenbody.model.description import Entry
from eigenbody.model.vocabulary import Field, Kind, TypeSpec
from eigenbody.spatial.rotations import cross, dot, frame

FIELDS = (
    Field("between", Kind.BETWEEN, required=True, doc="first and second body or marker"),
    Field("at", Kind.POINTS, "m", doc="the two end points"),
    Field("y_axis", Kind.DIRECTION, doc="y axis of the section, made normal to the beam"),
    Field("E", Kind.NUMBER, "Pa", required=True, doc="Young's modulus"),
    Field("G", Kind.NUMBER, "Pa", doc="shear modulus"),
    Field("nu", Kind.NUMBER, "1", doc="Poisson's ratio: G = E/(2 (1 + nu))"),
    Field("area", Kind.NUMBER, "m^2", required=True, doc="area of the section"),
    Field("Iy", Kind.NUMBER, "m^4", required=True, doc="second moment of area about y: bending along z"),
    Field("Iz", Kind.NUMBER, "m^4", required=True, doc="second moment of area about z: bending along y"),
    Field("J", Kind.NUMBER, "m^4", required=True, doc="torsion constant"),
    Field("ky", Kind.NUMBER, "1", doc="shear coefficient along y; without it no shear deflection along y"),
    Field("kz", Kind.NUMBER, "1", doc="shear coefficient along z; without it no shear deflection along z"),
    Field("tension", Kind.NUMBER, "N", default=0.0, doc="axial force at the length `length`, default 0"),
    Field("length", Kind.NUMBER, "m", doc="length, default as drawn"),
    Field("damping", Kind.NUMBER, "s", default=0.0, doc="damping proportional to the stiffness: c = damping * k"),
)

# b = (d.d, four weighted slopes, two halves of the weighted twist): sqrt(b0) + b.Q.b
_Q = np.diag([0.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0])
_Q[5, 6] = _Q[6, 5] = -1.0


def _stretch(b: np.ndarray, order: int) -> tuple[np.ndarray, ...]:
    chord = SQUARE_ROOT.derivatives(b[..., :1], 3)
    half = b @ _Q
    first = 2 * half
    first[..., 0] = chord[1][..., 0]
    second = np.array(np.broadcast_to(2 * _Q, (*b.shape, 7)), dtype=b.dtype)
    second[..., 0, 0] = chord[2][..., 0, 0]
    third = np.zeros((*b.shape, 7, 7), dtype=b.dtype)
    third[..., 0, 0, 0] = chord[3][..., 0, 0, 0]
    return (chord[0] + (half * b).sum(-1), first, second, third)[: order + 1]


STRETCH = Outer("beam", _stretch)


@over_variants
def _root(x: np.ndarray) -> np.ndarray:
    return np.sqrt(x)


@dataclass(frozen=True, slots=True, eq=False)
class Beams:
    """n beams: end frames, and numbers (n,)."""

    pairs: Pairs
    length: np.ndarray
    axial: np.ndarray  # E A
    bending: Mapping[str, np.ndarray]  # E I of the deflection along y and along z
    torsion: np.ndarray  # G J
    shear: Mapping[str, np.ndarray]  # 1 + phi
    gyration: np.ndarray  # (Iy + Iz)/A

    @staticmethod
    def of(entries: Sequence[Entry], places: Places) -> Beams:
        """Section stiffnesses and shear numbers from the keys."""
        chord = np.stack([_chord(entry, places) for entry in entries])
        _refuse_no_direction(entries, chord)
        drawn = _root(dot(chord, chord))
        length = np.array([entry.get("length", l0) for entry, l0 in zip(entries, drawn, strict=True)])
        E, area, Iy, Iz = (column(entries, key) for key in ("E", "area", "Iy", "Iz"))
        G = np.array([_shear_modulus(entry) for entry in entries])
        bending = {"y": E * Iz, "z": E * Iy}
        shear = {}
        for side, EI in bending.items():
            given = [entry.get(f"k{side}") for entry in entries]
            slack = np.array([0.0 if k is None else 1 / k for k in given])
            shear[side] = 1 + slack * 12 * EI / (G * area * length**2)
        pairs = _end_frames(entries, chord, places)
        return Beams(pairs, length, E * area, bending, G * column(entries, "J"), shear, (Iy + Iz) / area)

    def kernels(self) -> tuple[Kernel, ...]:
        """Stretch, shear along y and z, relative turns about x, y and z."""
        d, carriers = self.pairs.separation, self.pairs.carriers
        half = np.full(len(self.pairs), 0.5)
        shear = (ScalarProduct(carriers, self._axes(side, half, half), d) for side in "yz")
        return (self._stretch(), *shear, *(Rotation(axis).kernel(self.pairs) for axis in "xyz"))

    def stiffness(self) -> np.ndarray:
        """(n, 6) in the order of the kernels."""
        L = self.length
        across = (12 * self.bending[side] / (L**3 * self.shear[side]) for side in "yz")
        turns = (self.torsion / L, self.bending["z"] / L, self.bending["y"] / L)
        return np.stack((self.axial / L, *across, *turns), axis=-1)

    def _stretch(self) -> Composed:
        """Length of the chord with the bow: slopes are d.y/L, the twist is (y2.z1 - z2.y1)/2."""
        d, carriers = self.pairs.separation, self.pairs.carriers
        even = _root(1 / (24 * self.length))
        slopes = []
        for side in "yz":
            odd = _root(1 / (40 * self.length)) / self.shear[side]
            slopes += [self._axes(side, even, -even), self._axes(side, odd, odd)]
        zero = np.zeros_like(even)
        wind = _root(self.gyration / (8 * self.length))
        twist = (
            ScalarProduct(carriers, self._axes(a, wind, zero), self.pairs.direction(b + "2"))
            for a, b in (("z", "y"), ("y", "z"))
        )
        bent = (ScalarProduct(carriers, slope, d) for slope in slopes)
        return Composed(STRETCH, (ScalarProduct(carriers, d, d), *bent, *twist))

    def _axes(self, side: str, weight1: np.ndarray, weight2: np.ndarray) -> Feature:
        """weight1 y1 + weight2 y2 (or z) as a feature."""
        axes = (self.pairs.axis(side + "1"), self.pairs.axis(side + "2"))
        arms = np.stack((weight1[:, None] * axes[0], weight2[:, None] * axes[1]), axis=-2)
        return Feature(np.zeros((len(self.pairs), 2)), arms)


def _chord(entry: Entry, places: Places) -> np.ndarray:
    """From the first end to the second in the drawing."""
    at = entry.get("at")
    a, b = at if at is not None else (places.origin(name) for name in entry["between"])
    return b - a


def _shear_modulus(entry: Entry) -> Any:
    return entry["G"] if entry.get("G") is not None else entry["E"] / (2 * (1 + entry["nu"]))


def _end_frames(entries: Sequence[Entry], chord: np.ndarray, places: Places) -> Pairs:
    """Both ends with x along the chord and y towards `y_axis`."""
    pairs = places.pairs(entries)
    yzx = np.stack([frame(d, entry.get("y_axis")) for entry, d in zip(entries, chord, strict=True)])
    axes = yzx[..., [2, 0, 1]]
    first, second = (places.local_axes(carrier, axes) for carrier in (pairs.first, pairs.second))
    return replace(pairs, axes1=first, axes2=second)


def _refuse_no_direction(entries: Sequence[Entry], chord: np.ndarray) -> None:
    faults = []
    for entry, d in zip(entries, chord, strict=True):
        y, squared = entry.get("y_axis"), dot(d, d)
        if abs(squared) < 1e-24:
            faults.append(Fault(entry.where, "its two ends coincide: it has no direction.", "Give two points."))
        elif y is not None and abs(dot(cross(d, y), cross(d, y))) < 1e-18 * abs(squared * dot(y, y)):
            faults.append(Fault(f"{entry.where}.y_axis", "it is parallel to the beam.", "Give it another direction."))
    if faults:
        raise InputError(faults)


def beam_complete(values: Mapping[str, Any], is_marker: Callable[[str], bool]) -> Iterator[Wrong]:
    """End points, numbers that a section can have, and axes for a section that needs them."""
    yield from ends_given(values, is_marker)
    yield from positive(values, ("E", "G", "area", "ky", "kz", "length"))
    for key in ("Iy", "Iz", "J", "damping"):
        if at_most(values.get(key), 0) and real(values[key]) != 0:
            yield key, "it must not be negative.", "Check its sign."
    nu = values.get("nu")
    if at_most(nu, -1) or (real(nu) is not None and real(nu) > 0.5):
        yield "nu", "Poisson's ratio lies between -1 and 0.5.", 'For steel give "nu: 0.3".'
    Iy, Iz = (real(values.get(key)) for key in ("Iy", "Iz"))
    alike = Iy is None or Iz is None or Iy == Iz
    same_shear = real(values.get("ky")) == real(values.get("kz"))
    if values.get("y_axis") is None and not (alike and same_shear):
        yield (
            "y_axis",
            "the section is not the same about y and z.",
            'Say where its y axis points: "y_axis: [0, 1, 0]".',
        )


def build_beam(entries: Sequence[Entry], builder: ForceBuilder) -> None:
    """Six uncoupled channels for each beam."""
    owner = builder.own([entry.name for entry in entries])
    beams = Beams.of(entries, builder.places)
    k, damping = beams.stiffness(), column(entries, "damping")
    for number, kernel in enumerate(beams.kernels()):
        channel, stiffness = builder.private(kernel), k[:, number]
        free = beams.length - column(entries, "tension") / stiffness if number == 0 else None
        builder.couple(channel, channel, stiffness, damping * stiffness, owner, free)


BEAM = ForceType(TypeSpec("beam", FIELDS, one_of=(("G", "nu"),), check=beam_complete, doc=__doc__ or ""), build_beam)
