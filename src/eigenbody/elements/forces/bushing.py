"""Bushing and bearing: six (five) elastic directions between two frames, energy-consistent at any deflection.

Deflection of a bushing: displacement of the second origin in the axes of the first frame, and the rotation vector of
the relative rotation. A bearing has the tilt of the second axis instead, (z1 x z2) in the axes of the first frame, and
no resistance about its axis.

    f = k(W) s + c(W) s' - load          W: any expression, by default the speed of the second about the axis
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from eigenbody.elements.checks import POINT_MISSING, Wrong, any_marker, axes_fit
from eigenbody.elements.forces.base import ForceBuilder, ForceType
from eigenbody.elements.forces.coefficients import KEYS as BY_NAME
from eigenbody.elements.forces.coefficients import complete, settled
from eigenbody.elements.measures.templates import Cosine, Displacement, Pairs, Rotation, Template
from eigenbody.elements.measures.turning import AngularSpeed
from eigenbody.model.coefficients import SPEED
from eigenbody.model.description import Entry
from eigenbody.model.expressions import Expression
from eigenbody.model.vocabulary import Field, Kind, TypeSpec

MOVES: tuple[Template, ...] = tuple(Displacement(axis) for axis in "xyz")
TURNS: tuple[Template, ...] = tuple(Rotation(axis) for axis in "xyz")
TILTS: tuple[Template, ...] = (Cosine("y1", "z2"), Cosine("x1", "z2"))  # minus the tilt about x, the tilt about y
TURNED_ROUND = 3  # the direction among those of a bearing that is measured the other way round than it is named
NONE = np.zeros((6, 6))
REMEDY = "Choose a speed within the table, or give the table more points: nothing is guessed beyond it."

PLACE = (
    Field("between", Kind.BETWEEN, required=True, doc="first and second body or marker"),
    Field("at", Kind.POINTS, "m", doc="point"),
    Field("axis", Kind.DIRECTION, doc="z axis of its frame, default global z"),
    Field("axis2", Kind.DIRECTION, doc="x axis of its frame"),
)
MATRICES = (
    Field("k", Kind.SIX, "stiffness", doc="stiffness: six values or 6x6; numbers, expressions or tables"),
    Field("c", Kind.SIX, "damping", doc="damping: six values or 6x6; numbers, expressions or tables"),
    Field("load", Kind.VECTOR, "N", doc="force on the second body without deflection, in the axes of the frame"),
)


def placed(values: Mapping[str, Any], is_marker: Callable[[str], bool]) -> Iterator[Wrong]:
    """A point, and axes that fit each other."""
    if values.get("at") is None and not any_marker(values, is_marker):
        yield POINT_MISSING
    yield from axes_fit(values, right_angle=False)


def _bearing_fits(values: Mapping[str, Any], is_marker: Callable[[str], bool]) -> Iterator[Wrong]:
    yield from placed(values, is_marker)
    yield from complete(values)


Varying = Mapping[tuple[int, int], Expression]  # entries of a 6 x 6 matrix that vary


def _matrices(given: Sequence[Any]) -> tuple[np.ndarray, list[Varying]]:
    """6 x 6 matrices as their numbers (n, 6, 6), zero where they vary, and what varies in each."""
    if not any(isinstance(matrix, tuple) for matrix in given):
        return np.array([NONE if matrix is None else matrix for matrix in given]), [{}] * len(given)
    split = [_split(matrix) for matrix in given]
    return np.array([numbers for numbers, _ in split]), [varying for _, varying in split]


def _split(given: Any) -> tuple[Any, Varying]:
    if not isinstance(given, tuple):
        return NONE if given is None else given, {}
    places = [(i, j) for i in range(6) for j in range(6)]
    varying = {(i, j): given[i][j] for i, j in places if isinstance(given[i][j], Expression)}
    return np.array([[0.0 if (i, j) in varying else given[i][j] for j in range(6)] for i in range(6)]), varying


class Mounts:
    """Bushings or bearings of one batch: their numbers as arrays (n, d, d), d directions, and what varies. `flipped` is
    a direction whose sign changes."""

    def __init__(self, entries: Sequence[Entry], templates: Sequence[Template], flipped: int | None = None) -> None:
        self.entries, self.templates, d = entries, templates, len(templates)
        (k, of_k), (c, of_c) = (_matrices([entry.values.get(kind) for entry in entries]) for kind in "kc")
        self.k, self.c = k[:, :d, :d], c[:, :d, :d]
        if flipped is not None:  # entries that are recorded numbers are not multiplied by one
            beside = [i for i in range(d) if i != flipped]
            for numbers in (self.k, self.c):
                numbers[:, flipped, beside] = -numbers[:, flipped, beside]
                numbers[:, beside, flipped] = -numbers[:, beside, flipped]
        self.varying = [
            {(kind, i, j): Expression("neg", (value,)) if (i == flipped) != (j == flipped) else value
             for kind, part in zip("sv", pair, strict=True) for (i, j), value in part.items() if max(i, j) < d}
            if pair[0] or pair[1] else {}
            for pair in zip(of_k, of_c, strict=True)
        ]  # fmt: skip
        loads = [entry.values.get("load") for entry in entries]
        self.load = np.array([np.zeros(3) if load is None else load for load in loads])

    def build(self, builder: ForceBuilder) -> None:
        """Channels for every direction that resists, coupled by numbers and by formulas."""
        owner = builder.own([entry.name for entry in self.entries])
        pairs = builder.places.pairs(self.entries)
        channel = self._channels(builder, pairs)
        e, a, b = np.nonzero((self.k != 0) | (self.c != 0))
        builder.couple(channel[e, a], channel[e, b], self.k[e, a, b], self.c[e, a, b], owner[e])
        for n, axis in zip(*(self.load != 0).nonzero(), strict=True):
            builder.characteristic(int(channel[n, axis]), -1.0, self.load[n, axis], self.entries[n].name)
        for n in range(len(self.entries)):
            if self.varying[n]:
                self._vary(builder, pairs.take(np.array([n])), n, channel[n])

    def _channels(self, builder: ForceBuilder, pairs: Pairs) -> np.ndarray:
        """Channel (n, d) of each direction that is used, else -1."""
        used = (self.k != 0) | (self.c != 0)
        wanted = used.any(axis=-1) | used.any(axis=-2)
        wanted[:, :3] |= self.load != 0
        for n, varying in enumerate(self.varying):
            if varying:
                wanted[n, [direction for _, i, j in varying for direction in (i, j)]] = True
        channel = np.full(wanted.shape, -1)
        for d, template in enumerate(self.templates):
            index = wanted[:, d].nonzero()[0]
            if len(index):
                channel[index, d] = builder.private(
                    template.kernel(pairs.take(index) if len(index) < len(pairs) else pairs)
                )
        return channel

    def _vary(self, builder: ForceBuilder, pair: Pairs, e: int, channel: np.ndarray) -> None:
        """Tensions of one element by coefficients that vary, one formula for each direction of force."""
        name, varying = self.entries[e].name, self.varying[e]
        for kind, j in dict.fromkeys((kind, j) for kind, _, j in varying):
            builder.call(f"{kind}{j}", kind, int(channel[j]), name)
        if any(SPEED in value.names for value in varying.values()):
            speed = builder.private(AngularSpeed(pair.carriers, pair.axes1[..., :, 2], 0))
            builder.call(SPEED.removeprefix("own."), "v", int(speed[0]), name)
            builder.trouble(name, "{problem} (its speed, in rad/s).", REMEDY)
        for row in dict.fromkeys(i for _, i, _ in varying):
            terms = [Expression("*", (value, Expression.symbol(f"own.{kind}{j}")))
                     for (kind, i, j), value in varying.items() if i == row]  # fmt: skip
            tension = terms[0] if len(terms) == 1 else Expression("+", tuple(terms))
            builder.characteristic(int(channel[row]), 1.0, tension, name, is_along=False)


def build_bushing(entries: Sequence[Entry], builder: ForceBuilder) -> None:
    """Three displacements and the rotation vector."""
    Mounts(entries, (*MOVES, *TURNS)).build(builder)


def build_bearing(entries: Sequence[Entry], builder: ForceBuilder) -> None:
    """Three displacements and the tilt of the second axis."""
    builder.warnings.extend(
        f"{entry.where}: a bearing has no resistance about its axis; the sixth row and column of k and c are ignored."
        for entry in entries
        if any(_resists_about_axis(entry.get(key)) for key in ("k", "c"))
    )
    Mounts(entries, (*MOVES, *TILTS), TURNED_ROUND).build(builder)


def _resists_about_axis(given: Any) -> bool:
    numbers, varying = _split(given)
    return bool(numbers[5].any() or numbers[:, 5].any() or any(5 in place for place in varying))


BUSHING = ForceType(
    TypeSpec(
        "bushing", (*PLACE, replace(MATRICES[0], required=True), *MATRICES[1:]), check=placed,
        doc="Elastic connection in six directions.",
    ),
    build_bushing,
)  # fmt: skip
BEARING = ForceType(
    TypeSpec(
        "bearing", (*PLACE, *MATRICES, *BY_NAME), check=_bearing_fits, settle=settled,
        doc="Bearing or seal: a bushing that lets the second body spin freely; coefficients may vary with the speed.",
    ),
    build_bearing,
)  # fmt: skip
