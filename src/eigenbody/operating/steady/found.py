"""A steady motion at a place along a path, with its linear equations, and what its neighbours need of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from eigenbody.base.errors import EigenbodyError
from eigenbody.dynamics.mechanics import Mechanics
from eigenbody.linearization.linearize import dense_model
from eigenbody.linearization.model import LinearModel
from eigenbody.linearization.point import OperatingPoint
from eigenbody.linearization.spectrum import spectra_of
from eigenbody.mobility.coordinates import Place, place_of, rates_of
from eigenbody.mobility.partition import Selection
from eigenbody.mobility.treespace import coordinate_set
from eigenbody.numerics.eigen.spectrum import Spectrum
from eigenbody.operating.steady.attempts import Solution
from eigenbody.operating.steady.equations import Trial
from eigenbody.operating.steady.motion import point_of
from eigenbody.operating.steady.report import family_note, is_constant, stability_note

At = tuple[float, Mapping[str, float]]


@dataclass(frozen=True)
class Parting:
    """Two neighbouring places along a path whose steady motions are not on one branch."""

    low: float
    high: float
    note: str


@dataclass(frozen=True, eq=False)
class SteadyPoint:
    """A steady motion at a place along a path; `values` of what changes there."""

    place: float
    values: Mapping[str, float]
    solution: Solution
    linear: LinearModel  # at its operating point
    spectrum: Spectrum | None  # of the linear equations, where these do not change along the motion
    growing: int  # real exponents that grow
    is_family: bool  # one of a family of steady motions
    is_left: bool = False  # whether leaving it for a stable one was tried, here or at a neighbour
    is_expected: bool = False  # found where its neighbours let expect it, as far as that can be told
    partings: tuple[Parting, ...] = ()  # from neighbours that are on another branch
    notes: tuple[str, ...] = ()

    @property
    def stability(self) -> str:
        """Of the motion; unknown where its linear equations change along it."""
        return "unknown" if self.spectrum is None else self.spectrum.stability

    @property
    def point(self) -> OperatingPoint:
        """The operating point."""
        return self.linear.point

    @property
    def trial(self) -> Trial:
        """Its state in the coordinates of the search."""
        return self.solution.outcome.trial

    @cached_property
    def _own(self) -> Whereabouts:
        return whereabouts(self.trial, self.trial.chosen)

    def whereabouts(self, chosen: Selection) -> Whereabouts:
        """Where it is in some coordinates."""
        own = self.trial.chosen
        alike = np.array_equal(own.positions, chosen.positions) and np.array_equal(own.velocities, chosen.velocities)
        return self._own if alike else whereabouts(self.trial, chosen)


@dataclass(frozen=True, slots=True, eq=False)
class Whereabouts:
    """Place of a steady motion in some coordinates, and their rates; batch axes may lead."""

    place: Place
    rates: np.ndarray


def whereabouts(trial: Trial, chosen: Selection) -> Whereabouts:
    """Where a trial, or each of many, is in some coordinates."""
    system, state = trial.system, trial.state
    place = place_of(coordinate_set(system, chosen.positions), Mechanics(system, state))
    return Whereabouts(place, rates_of(system, state, chosen.velocities))


@dataclass(frozen=True, eq=False)
class Linearized:
    """A solution with its linear equations, and whether these stay the same along the motion."""

    solution: Solution
    linear: LinearModel
    is_constant: bool
    is_expected: bool = False  # found where it was surely expected


def linearized_alone(solution: Solution) -> Linearized:
    """The linear equations of a solution, found by themselves."""
    point = point_of(solution)
    constant = is_constant(solution.outcome.trial, point.chosen)
    return Linearized(solution, dense_model(replace(point, is_steady=constant)), constant)


def judged(places: Sequence[At], found: Sequence[Linearized]) -> list[SteadyPoint | EigenbodyError]:
    """The steady motions of solutions at places with their values: stability, and what is to be said. All eigenvalues
    are found together; or why one has none."""
    spectra = iter(spectra_of([one.linear for one in found if one.is_constant]))
    each = [next(spectra) if one.is_constant else None for one in found]
    return [
        spectrum if isinstance(spectrum, EigenbodyError) else _judged(at, one, spectrum)
        for at, one, spectrum in zip(places, found, each, strict=True)
    ]


def _judged(at: At, one: Linearized, spectrum: Spectrum | None) -> SteadyPoint:
    growing = 0
    if spectrum is not None:
        real = (spectrum.eigenvalues.imag == 0) & ~spectrum.is_rigid & ~spectrum.on_axis
        growing = int(np.sum(spectrum.eigenvalues.real[real] > 0))
    family = family_note(one.solution.outcome, one.solution.task)
    notes = (*family, *stability_note("unknown" if spectrum is None else spectrum.stability))
    point = one.linear.point
    point = replace(point, warnings=(*point.warnings, *notes), is_steady=spectrum is not None)
    return SteadyPoint(
        *at, one.solution, replace(one.linear, point=point), spectrum, growing, bool(family),
        is_expected=one.is_expected,
    )  # fmt: skip


def judged_alone(at: At, solution: Solution) -> SteadyPoint:
    """The same of one solution."""
    (found,) = judged([at], [linearized_alone(solution)])
    if isinstance(found, EigenbodyError):
        raise found
    return found
