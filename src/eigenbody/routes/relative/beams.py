"""Massless beams: six deflections between the frames of both ends, x along the beam, and the section forces they make.

With d from end to end, L the length, 1 + phi the shear number of a plane, and slopes d.y1/L, d.y2/L of the ends:

    stretch  |d| + bow - L,   bow = sum_yz [(d.y1 - d.y2)^2/24 + (d.y1 + d.y2)^2/(40 (1 + phi)^2)]/L
                                    + (Iy + Iz)/(8 A L) (z1.y2 - y1.z2)^2
    shear    d.(y1 + y2)/2, likewise z          turns    log(R1^T R2)
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from eigenbody.model.description import Entry
from eigenbody.routes.relative.measures import (
    Cosine,
    Displacement,
    Distance,
    Measure,
    Pose,
    RotationComponent,
    Terms,
    Twists,
    rate_along,
)
from eigenbody.routes.relative.sides import Drawing, Side
from eigenbody.spatial.rotations import frame


@dataclass(frozen=True, eq=False)
class Quadratic:
    """linear . m + m . square m of other measures m; `square` is symmetric."""

    parts: tuple[Measure, ...]
    linear: np.ndarray
    square: np.ndarray

    def _values(self, pose: Pose) -> np.ndarray:
        return np.array([part.value(pose) for part in self.parts])

    def value(self, pose: Pose) -> complex:
        """The sum."""
        m = self._values(pose)
        return self.linear @ m + m @ self.square @ m

    def gradient(self, pose: Pose) -> Terms:
        """linear + 2 square m on the gradients of the parts."""
        weights = self.linear + 2 * self.square @ self._values(pose)
        return [(c, w * six) for w, part in zip(weights, self.parts, strict=True) for c, six in part.gradient(pose)]

    def gradient_rate(self, pose: Pose, motion: Twists) -> Terms:
        """Product rule."""
        weights = self.linear + 2 * self.square @ self._values(pose)
        rates = np.stack([rate_along(part, pose, motion) for part in self.parts], axis=-1)
        change = 2 * rates @ self.square  # (..., parts)
        terms: Terms = []
        for k, part in enumerate(self.parts):
            terms += [(c, change[..., k, None] * six) for c, six in part.gradient(pose)]
            terms += [(c, weights[k] * six) for c, six in part.gradient_rate(pose, motion)]
        return terms


def beam(entry: Entry, drawing: Drawing) -> Iterator[tuple[Measure, float, float, float]]:
    """Each deflection with its stiffness, its damping, and its value without force."""
    first, second = _ends(entry, drawing)
    drawn = Pose(drawing.r, drawing.R)
    chord = float(np.real(Distance(first, second).value(drawn)))
    L, E, area = float(entry.get("length", chord)), float(entry["E"]), float(entry["area"])
    G = float(entry["G"]) if entry.get("G") is not None else E / (2 * (1 + float(entry["nu"])))
    Iy, Iz, damping = float(entry["Iy"]), float(entry["Iz"]), float(entry.get("damping", 0.0))
    numbers = {}  # 1 + phi of the deflection along y and z
    for side, inertia in (("y", Iz), ("z", Iy)):
        k = entry.get(f"k{side}")
        numbers[side] = 1.0 if k is None else 1 + 12 * E * inertia / (float(k) * G * area * L**2)
    stretch = _stretch(first, second, L, numbers, (Iy + Iz) / area)
    axial = E * area / L
    yield stretch, axial, damping * axial, L - float(entry.get("tension", 0.0)) / axial
    for column, side, inertia in ((1, "y", Iz), (2, "z", Iy)):
        shear = Quadratic(_across(first, second, column), np.array([0.5, 0.5]), np.zeros((2, 2)))
        k = 12 * E * inertia / (L**3 * numbers[side])
        yield shear, k, damping * k, 0.0
    for column, stiffness in enumerate((G * float(entry["J"]), E * Iy, E * Iz)):
        yield RotationComponent(first, second, column), stiffness / L, damping * stiffness / L, 0.0


def _ends(entry: Entry, drawing: Drawing) -> tuple[Side, Side]:
    """Both ends with x along the beam and y towards `y_axis`, as drawn."""
    plain = Entry(entry.name, entry.type, {k: entry.get(k) for k in ("between", "at")}, entry.where)
    ends = drawing.sides(plain)
    points = [drawing.r[end.carrier] + drawing.R[end.carrier] @ end.point for end in ends]
    axes = frame(points[1] - points[0], entry.get("y_axis"))[:, [2, 0, 1]]
    first, second = (Side(end.carrier, end.point, drawing.R[end.carrier].T @ axes) for end in ends)
    return first, second


def _across(first: Side, second: Side, column: int) -> tuple[Measure, Measure]:
    """d.y1 and d.y2, or z."""
    one, two = (Displacement(first, second, end.carrier, end.axes[:, column]) for end in (first, second))
    return one, two


def _stretch(first: Side, second: Side, L: float, numbers: dict[str, float], gyration: float) -> Quadratic:
    i, j, a, b = first.carrier, second.carrier, first.axes, second.axes
    parts = (
        Distance(first, second), *_across(first, second, 1), *_across(first, second, 2),
        Cosine(i, j, a[:, 2], b[:, 1]), Cosine(i, j, a[:, 1], b[:, 2]),
    )  # fmt: skip
    square, opposite, alike = np.zeros((7, 7)), np.array([[1.0, -1.0], [-1.0, 1.0]]), np.ones((2, 2))
    for start, side in ((1, "y"), (3, "z")):
        block = slice(start, start + 2)
        square[block, block] = opposite / (24 * L) + alike / (40 * L * numbers[side] ** 2)
    square[5:, 5:] = gyration / (8 * L) * opposite
    return Quadratic(parts, np.eye(7)[0], square)
