"""Damping of relative rotation: a moment -c (w2 - w1) on the second body, its opposite on the first."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from eigenbody.elements.forces.base import ForceBuilder, ForceType, column
from eigenbody.elements.measures.turning import AngularSpeed
from eigenbody.model.description import Entry
from eigenbody.model.vocabulary import Field, Kind, TypeSpec

FIRST = 0  # the axes are those of the first of the two carriers


def build(entries: Sequence[Entry], builder: ForceBuilder) -> None:
    """Three angular speeds each, along the axes of the first body."""
    owner, c = builder.own([entry.name for entry in entries]), column(entries, "c")
    pairs = builder.places.pairs(entries)
    for k in range(3):
        where = builder.private(AngularSpeed(pairs.carriers, pairs.axes1[..., :, k], FIRST))
        builder.couple(where, where, np.zeros_like(c), c, owner)


ROTATIONAL_DAMPER = ForceType(
    TypeSpec(
        "rotational_damper",
        (
            Field("between", Kind.BETWEEN, required=True, doc="first and second body or marker"),
            Field("at", Kind.POINTS, "m", doc="without effect but where it is drawn"),
            Field("c", Kind.NUMBER, "N*m*s/rad", required=True, doc="viscous damping about every axis"),
        ),
        doc=__doc__ or "",
    ),
    build,
)
