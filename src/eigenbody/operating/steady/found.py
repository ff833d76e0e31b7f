"""A steady motion at a place along a path, with its linear equations, and what its neighbours need of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from eigenbody.linearization.linearize import dense_model
from eigenbody.linearization.model import LinearModel
from eigenbody.linearization.point import OperatingPoint
from eigenbody.linearization.spectrum import spectrum_of
from eigenbody.operating.steady.attempts import Solution
from eigenbody.operating.steady.equations import Trial
from eigenbody.operating.steady.motion import point_of, with_stability
from eigenbody.operating.steady.report import family_note, is_constant

At = tuple[float, Mapping[str, float]]


@dataclass(frozen=True, eq=False)
class SteadyPoint:
    """A steady motion at a place along a path; `values` of what changes there."""

    place: float
    values: Mapping[str, float]
    solution: Solution
    linear: LinearModel  # at its operating point
    stability: str
    growing: int  # real exponents that grow
    is_family: bool  # one of a family of steady motions
    is_left: bool = False  # whether leaving it for a stable one was tried, here or at a neighbour
    notes: tuple[str, ...] = ()

    @property
    def point(self) -> OperatingPoint:
        """The operating point."""
        return self.linear.point

    @property
    def trial(self) -> Trial:
        """Its state in the coordinates of the search."""
        return self.solution.outcome.trial


def judged(at: At, solution: Solution, point: OperatingPoint, has_constant_equations: bool) -> SteadyPoint:
    """The steady motion of a solution with its stability; `at` is its place with its values."""
    linear = dense_model(replace(point, is_steady=has_constant_equations))
    stability, growing = "unknown", 0
    if has_constant_equations:
        spectrum = spectrum_of(linear)
        real = (spectrum.eigenvalues.imag == 0) & ~spectrum.is_rigid & ~spectrum.on_axis
        stability, growing = spectrum.stability, int(np.sum(spectrum.eigenvalues.real[real] > 0))
    motion = with_stability(solution, point, stability)
    is_family = bool(family_note(solution.outcome, solution.task))
    return SteadyPoint(*at, solution, replace(linear, point=motion.point), stability, growing, is_family)


def judged_alone(at: At, solution: Solution) -> SteadyPoint:
    """The same where it is not known yet whether the linear equations change along the motion."""
    point = point_of(solution)
    return judged(at, solution, point, is_constant(solution.outcome.trial, point.chosen))
