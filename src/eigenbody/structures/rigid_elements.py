"""Rigid finite elements: a beam as a chain of rigid bodies with springs between them.

For n bodies the beam is cut in the middle of n - 1 equal parts; the compliance of a part is lumped into a spring at its
middle, and the pieces between the cuts are the bodies (the first and last are half as long). Both ends can so be held
by a body of their own, and loads on the ends of the parts deflect the chain exactly as the beam.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from eigenbody.base.errors import Fault, InputError
from eigenbody.spatial.rotations import dot, skew
from eigenbody.structures.beam import GAUSS_POINTS
from eigenbody.structures.beam_quadrature import gauss
from eigenbody.structures.beam_section import (
    BeamStations,
    Sections,
    check_stations,
    parallel_axes,
    sections_at,
)


@dataclass(frozen=True, eq=False)
class RigidChain:
    """n rigid bodies and the n - 1 springs between neighbours, in the axes of the drawing."""

    mass: np.ndarray  # (n,)
    centre: np.ndarray  # (n, 3)
    inertia: np.ndarray  # (n, 3, 3) about the centre
    spring_position: np.ndarray  # (n - 1, 3) in the elastic centre
    spring_axes: np.ndarray  # (n - 1, 3, 3), columns are the section's x, y, z
    spring_stiffness: np.ndarray  # (n - 1, 6, 6) in these axes: translations, then rotations


@dataclass(frozen=True, eq=False)
class _Pieces:
    """Stretches of the beam between stations and the ends and middles of the parts, along which all is smooth."""

    segment: np.ndarray  # (p,)
    body: np.ndarray  # (p,)
    part: np.ndarray  # (p,)
    fraction: np.ndarray  # (p, g) of the segment
    weight: np.ndarray  # (p, g) length


def rigid_segments(stations: BeamStations, n: int, where: str = "beam") -> RigidChain:
    """A chain of n >= 2 rigid bodies that vibrates as the beam does, with an error that falls as 1 / n^2."""
    check_stations(stations, where)
    if n < 2:
        raise InputError(Fault(f"{where}.segments", f"{n} rigid bodies do not make a chain.", "Give at least 2."))
    pieces, middle = _cut(np.asarray(stations.points), n - 1)
    sections = sections_at(stations, pieces.segment, pieces.fraction)
    mass, centre, inertia = _bodies(pieces, sections, n)
    at = sections_at(stations, *middle)
    position = (at.position + at.elastic_arm)[:, 0]
    axes = at.axes[:, 0]
    stiffness = np.linalg.inv(_lumped_compliance(pieces, sections, position, axes))
    return RigidChain(mass, centre, inertia, position, axes, (stiffness + stiffness.swapaxes(1, 2)) / 2)


def _cut(points: np.ndarray, parts: int) -> tuple[_Pieces, tuple[np.ndarray, np.ndarray]]:
    """The pieces, and segment and fraction of the middle of each part.

    The order of the marks along the line is that of their real parts; pieces may be without length.
    """
    step = np.diff(points, axis=0)
    length = np.sqrt(dot(step, step))
    start = np.cumsum(length) - length
    marks = np.concatenate((start, length.sum() * np.arange(1, 2 * parts) / (2 * parts)))
    order = np.argsort(np.real(marks), kind="stable")
    is_station = order < len(start)
    halves = np.cumsum(~is_station)  # half parts begun before this piece
    segment = np.cumsum(is_station) - 1
    begin = marks[order]
    extent = np.append(begin[1:], length.sum()) - begin
    x, w, _ = gauss(GAUSS_POINTS)
    fraction = (begin[:, None] + extent[:, None] * x - start[segment][:, None]) / length[segment][:, None]
    pieces = _Pieces(segment, (halves + 1) // 2, halves // 2, fraction, extent[:, None] * w)
    mid = np.flatnonzero(~is_station)[::2]
    return pieces, (segment[mid], ((begin[mid] - start[segment[mid]]) / length[segment[mid]])[:, None])


def _bodies(pieces: _Pieces, sections: Sections, n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    dm = pieces.weight * sections.mass
    place = sections.position + sections.mass_arm
    mass = _sum(pieces.body, n, dm)
    centre = _sum(pieces.body, n, dm[..., None] * place) / mass[:, None]
    own = pieces.weight[..., None, None] * sections.inertia
    inertia = _sum(pieces.body, n, own + parallel_axes(dm, place - centre[pieces.body][:, None]))
    return mass, centre, inertia


def _lumped_compliance(pieces: _Pieces, sections: Sections, position: np.ndarray, axes: np.ndarray) -> np.ndarray:
    """Deflection across each part by the load in its middle, (parts, 6, 6) in the axes of the spring."""
    R = axes[pieces.part][:, None]
    b = np.zeros_like(sections.compliance, dtype=np.result_type(sections.compliance, position))
    b[..., :3, :3] = b[..., 3:, 3:] = R
    arm = position[pieces.part][:, None] - sections.position
    b[..., 3:, :3] = skew(arm) @ R
    C = b.swapaxes(-1, -2) @ sections.compliance @ b
    return _sum(pieces.part, len(position), pieces.weight[..., None, None] * C)


def _sum(target: np.ndarray, n: int, values: np.ndarray) -> np.ndarray:
    """Sum of values (p, g, ...) over the points of each target, (n, ...)."""
    out = np.zeros((n, *values.shape[2:]), dtype=values.dtype)
    np.add.at(out, target, values.sum(axis=1))
    return out
