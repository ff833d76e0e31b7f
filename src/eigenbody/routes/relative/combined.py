"""Measures made of other measures: weighted sums, and polynomials of one of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.polynomial import polynomial

from eigenbody.routes.relative.measures import Measure, Pose, Terms, Twists, rate_along


@dataclass(frozen=True)
class SumOf:
    """constant + sum of factor * measure."""

    terms: tuple[tuple[float, Measure], ...]
    constant: float

    def value(self, pose: Pose) -> complex:
        """Angles among the terms within half a turn."""
        return self.constant + sum(factor * measure.value(pose) for factor, measure in self.terms)

    def gradient(self, pose: Pose) -> Terms:
        """The weighted rows of the terms; a body may stand in several."""
        return [(i, factor * row) for factor, measure in self.terms for i, row in measure.gradient(pose)]

    def gradient_rate(self, pose: Pose, motion: Twists) -> Terms:
        """Likewise."""
        return [(i, factor * row) for factor, measure in self.terms for i, row in measure.gradient_rate(pose, motion)]


@dataclass(frozen=True, eq=False)
class PolynomialOf:
    """c0 + c1 s + c2 s^2 + ... of a measure, whose value lacks the full turns that it has counted."""

    measure: Measure
    coefficients: np.ndarray
    turns: float  # in radians

    def _slope(self, pose: Pose, order: int) -> complex:
        slopes = polynomial.polyder(self.coefficients, order)
        value: Any = polynomial.polyval(self.measure.value(pose) + self.turns, slopes)
        return value

    def value(self, pose: Pose) -> complex:
        return self._slope(pose, 0)

    def gradient(self, pose: Pose) -> Terms:
        """Chain rule."""
        slope = self._slope(pose, 1)
        return [(i, slope * row) for i, row in self.measure.gradient(pose)]

    def gradient_rate(self, pose: Pose, motion: Twists) -> Terms:
        """Product rule: the slope changes with the measure."""
        slope = self._slope(pose, 1)
        change = np.asarray(self._slope(pose, 2) * rate_along(self.measure, pose, motion))[..., None]
        bent = [(i, change * row) for i, row in self.measure.gradient(pose)]
        return bent + [(i, slope * row) for i, row in self.measure.gradient_rate(pose, motion)]
