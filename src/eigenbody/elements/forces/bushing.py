"""Bushing and bearing: six (five) elastic directions between two frames, energy-consistent at any deflection.

Deflection of a bushing: displacement of the second origin in the axes of the first frame, and the rotation vector of
the relative rotation. A bearing has the tilt of the second axis instead, (z1 x z2) in the axes of the first frame, and
no resistance about its axis.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from eigenbody.elements.checks import POINT_MISSING, Wrong, any_marker, axes_fit
from eigenbody.elements.forces.base import ForceBuilder, ForceType
from eigenbody.elements.measures.templates import Cosine, Displacement, Pairs, Rotation, Template
from eigenbody.model.description import Entry
from eigenbody.model.vocabulary import Field, Kind, TypeSpec

MOVES: tuple[Template, ...] = tuple(Displacement(axis) for axis in "xyz")
TURNS: tuple[Template, ...] = tuple(Rotation(axis) for axis in "xyz")
TILTS: tuple[Template, ...] = (Cosine("y1", "z2"), Cosine("x1", "z2"))  # minus the tilt about x, the tilt about y

KEYS = (
    Field("between", Kind.BETWEEN, required=True, doc="first and second body or marker"),
    Field("at", Kind.POINTS, "m", doc="point"),
    Field("axis", Kind.DIRECTION, doc="z axis of its frame, default global z"),
    Field("axis2", Kind.DIRECTION, doc="x axis of its frame"),
    Field("k", Kind.SIX, "stiffness", required=True, doc="stiffness: six values or 6x6"),
    Field("c", Kind.SIX, "damping", doc="damping: six values or 6x6"),
)


def placed(values: Mapping[str, Any], is_marker: Callable[[str], bool]) -> Iterator[Wrong]:
    """A point, and axes that fit each other."""
    if values.get("at") is None and not any_marker(values, is_marker):
        yield POINT_MISSING
    yield from axes_fit(values, right_angle=False)


def _matrices(entries: Sequence[Entry]) -> tuple[np.ndarray, np.ndarray]:
    zero = np.zeros((6, 6))
    return np.array([e["k"] for e in entries]), np.array([e.get("c", zero) for e in entries])


def _couple(
    builder: ForceBuilder, pairs: Pairs, templates: Sequence[Template], k: np.ndarray, c: np.ndarray, owner: np.ndarray
) -> None:
    """Channels for every direction that resists anywhere in the batch, coupled by the non-zero entries of k and c."""
    n = len(pairs)
    used = (k != 0) | (c != 0)
    wanted = used.any(axis=-1) | used.any(axis=-2)  # (n, directions)
    channel = np.full(wanted.shape, -1)
    for d, template in enumerate(templates):
        index = np.flatnonzero(wanted[:, d])
        if len(index):
            channel[index, d] = builder.private(template.kernel(pairs.take(index) if len(index) < n else pairs))
    e, a, b = np.nonzero(used)
    builder.couple(channel[e, a], channel[e, b], k[e, a, b], c[e, a, b], owner[e])


def build_bushing(entries: Sequence[Entry], builder: ForceBuilder) -> None:
    """Three displacements and the rotation vector."""
    k, c = _matrices(entries)
    owner = builder.own([entry.name for entry in entries])
    _couple(builder, builder.places.pairs(entries), (*MOVES, *TURNS), k, c, owner)


def build_bearing(entries: Sequence[Entry], builder: ForceBuilder) -> None:
    """Three displacements and the tilt of the second axis."""
    k, c = _matrices(entries)
    builder.warnings.extend(
        f"{entry.where}: a bearing has no resistance about its axis; the sixth row and column of k and c are ignored."
        for entry, ki, ci in zip(entries, k, c, strict=True)
        if ki[5].any() or ki[:, 5].any() or ci[5].any() or ci[:, 5].any()
    )
    sign = np.diag([1.0, 1.0, 1.0, -1.0, 1.0])
    k, c = (sign @ m[:, :5, :5] @ sign for m in (k, c))
    owner = builder.own([entry.name for entry in entries])
    _couple(builder, builder.places.pairs(entries), (*MOVES, *TILTS), k, c, owner)


BUSHING = ForceType(TypeSpec("bushing", KEYS, check=placed, doc="Elastic connection in six directions."), build_bushing)
BEARING = ForceType(
    TypeSpec("bearing", KEYS, check=placed, doc="A bushing that lets the second body spin freely."), build_bearing
)
