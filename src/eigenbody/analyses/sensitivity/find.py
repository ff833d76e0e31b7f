"""Which number moves which mode, and how far: exact sensitivities of eigenvalues, frequencies and damping ratios."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from eigenbody.analyses.modes import Modes, modes
from eigenbody.analyses.sensitivity.adjoint import slopes_of_simple
from eigenbody.analyses.sensitivity.derivatives import Derivatives, derivatives_at, refuse_large, seen_from_ground
from eigenbody.analyses.sensitivity.large import eigenvalue_slopes
from eigenbody.analyses.sensitivity.responses import (
    FrfSensitivity,
    PeakSensitivity,
    ValueSensitivity,
    frf_sensitivity,
    peak_sensitivity,
    rms_sensitivity,
)
from eigenbody.analyses.sensitivity.shapes import ShapeSensitivity, shape_sensitivity
from eigenbody.base.copies import Known, Later
from eigenbody.base.errors import ComputationError, Fault, InputError
from eigenbody.base.result import Drawn
from eigenbody.linearization.linearize import DENSE_FREEDOMS, dense_model
from eigenbody.linearization.model import LinearModel
from eigenbody.linearization.point import OperatingPoint
from eigenbody.linearization.spectrum import spectrum_of
from eigenbody.linearization.subject import Subject
from eigenbody.mobility.motion import refuse_massless
from eigenbody.model.model import InertModel
from eigenbody.model.paths import numeric_paths
from eigenbody.numerics.eigen.clusters import EigenBasis, eigen_basis, matching
from eigenbody.numerics.eigen.sensitivity import FrequencyDerivatives, eigenvalue_derivatives, frequency_derivatives
from eigenbody.numerics.runtime import on_one_thread
from eigenbody.operating.asked import model_and_point
from eigenbody.operating.turning.blades import has_blades

if TYPE_CHECKING:
    from matplotlib.figure import Figure

BY_DEFAULT = ("mass", "k", "c", "free_length", "free", "ratio")  # keys varied where a model has no parameters
MOST = 200
BEYOND = 6  # modes found beyond those asked for on the sparse path, so that no set of equal eigenvalues is cut
NOTHING = complex(np.nan, np.nan)


@dataclass(frozen=True, eq=False)
class Sensitivity(Drawn, look="analyses.sensitivity.look"):
    """Derivatives of every mode by every named number: arrays (numbers, modes) in the order of `names` and `modes`.

    eigenvalues  d lambda / dp, complex (1/s per unit of p); nan where it does not exist, `notes` says why.
                 Repeated eigenvalues have the slopes of the set, in order for each number
    derivatives  those of M, C, K, A, B, C, D, found when they are first asked for; None on the sparse path
    is_exact     whether the shift of the operating point was found from its own equations (else by differences)
    left_out     numbers that were not named and could not be varied: which, and why
    """

    modes: Modes
    names: tuple[str, ...]
    values: np.ndarray
    eigenvalues: np.ndarray
    notes: tuple[str, ...]
    of_equations: Later[Derivatives] | Known[Derivatives] | None
    is_exact: bool
    left_out: tuple[str, ...] = ()

    @property
    def derivatives(self) -> Derivatives | None:
        """Derivatives of the linear equations; None on the sparse path."""
        return None if self.of_equations is None else self.of_equations()

    @cached_property
    def _of_frequency(self) -> FrequencyDerivatives:
        return frequency_derivatives(self.modes.eigenvalues, self.eigenvalues)

    @property
    def frequency_hz(self) -> np.ndarray:
        """df / dp, f = |eigenvalue| / 2 pi."""
        return self._of_frequency.frequency_hz

    @property
    def damped_frequency_hz(self) -> np.ndarray:
        """Derivative of the imaginary part / 2 pi."""
        return self._of_frequency.damped_frequency_hz

    @property
    def damping_ratio(self) -> np.ndarray:
        """d zeta / dp."""
        return self._of_frequency.damping_ratio

    @property
    def relative_frequency(self) -> np.ndarray:
        """d ln f / d ln p: per cent of frequency per per cent of the number; nan for numbers that are zero."""
        value = np.where(self.values == 0, np.nan, self.values)[:, None]
        hz = np.where(self.modes.frequency_hz > 0, self.modes.frequency_hz, np.nan)
        return self.frequency_hz * value / hz

    def ranking(self, mode: int) -> list[int]:
        """Indices of the numbers, the one that moves the mode's frequency most (relatively) first."""
        size = np.abs(self.relative_frequency[:, mode])
        return list(np.argsort(-np.where(np.isnan(size), -1.0, size), kind="stable"))

    def shapes(self, mode: int) -> ShapeSensitivity:
        """Derivatives of the shape of the mode with that index (from 0): of every body and of the linear state."""
        found, basis = self._dense, self._basis
        place = matching(basis.eigenvalues, self.modes.eigenvalues)[mode]
        return shape_sensitivity(found, self.modes, basis, int(place), mode)

    def frf(self, frequencies_hz: Any, input: str, output: str) -> FrfSensitivity:
        """Derivatives of the frequency response from one of the model's inputs to one of its outputs."""
        return frf_sensitivity(self._dense, frequencies_hz, input, output)

    def peak(self, input: str, output: str, near_hz: float) -> PeakSensitivity:
        """How height and frequency of a resonance peak move, the one nearest to `near_hz`."""
        return peak_sensitivity(self._dense, input, output, near_hz)

    def rms(self, input: str, output: str, density: float = 1.0) -> ValueSensitivity:
        """How the stationary rms of an output under white noise moves; `density` is one-sided, unit^2 / Hz."""
        return rms_sensitivity(self._dense, input, output, density)

    @property
    def _dense(self) -> Derivatives:
        if self.derivatives is None:
            raise ComputationError(
                "The sparse path has derivatives of eigenvalues alone: ask for solver='dense' (up to 2000 freedoms)."
            )
        return self.derivatives

    @cached_property
    def _basis(self) -> EigenBasis:
        return _basis(self._dense.linear)

    def plot(self, mode: int | None = None) -> Figure:
        """Tornado of relative sensitivities of one mode, or of the lowest ones."""
        return self.look.plot(self, mode)


@on_one_thread
def sensitivity(
    model: Subject,
    parameters: str | Sequence[str] | None = None,
    n: int | None = None,
    at: Subject | None = None,
    solver: str | None = None,
    route: str | None = None,
) -> Sensitivity:
    """Sensitivities of the modes to parameters, or to any numbers of the model by path (`bodies.rotor.mass`).

    parameters  names or paths; by default the model's parameters, or where it has none its masses and stiffnesses
    n           that many modes, lowest first; by default all (20 on the sparse path)
    route       "topology": by the explicit formulas of the constraint-topology transformation, for masses, inertias,
                stiffnesses, dampings, and place (`joints.a.at[0]`, m, global) and direction (`joints.a.turn[0]`, rad
                about a global axis) of joints and bushings; `parameters` may name their beginnings ("joints.a"), by
                default all joints. The shift of the point of rest and geometric stiffness are not in them
    """
    model, point = model_and_point(model, at)
    if route is not None:
        return _by_route(point, parameters, n, route)
    names = _names(model, parameters)
    refuse_massless(point.frame, "sensitivities")
    dof = len(point.chosen.velocities)
    if solver == "sparse" or (solver is None and dof > DENSE_FREEDOMS):
        return _sparse(point, names, n)
    refuse_large(point)
    model, point = seen_from_ground(model, point)
    lowest = None
    if not has_blades(point):
        lowest = modes(dense_model(point), n=n)
        by_shapes = slopes_of_simple(lowest, model, names)
        if by_shapes is not None:
            later = Later(lambda: derivatives_at(point, model, names))
            numbers, slopes, notes = by_shapes.numbers, by_shapes.values, by_shapes.notes
            return Sensitivity(lowest, by_shapes.names, numbers, slopes, notes, later, by_shapes.is_exact)
    found, left_out = _derivatives(point, model, names, is_named=parameters is not None)
    lowest = modes(found.linear, n=n) if lowest is None else lowest
    return _by_equations(found, lowest, left_out)


def _by_equations(found: Derivatives, lowest: Modes, left_out: tuple[str, ...]) -> Sensitivity:
    """From the derivative of A, equal and zero eigenvalues included."""
    basis = _basis(found.linear)
    place = matching(basis.eigenvalues, lowest.eigenvalues)
    slopes = eigenvalue_derivatives(basis, found.dA, place)
    notes = tuple(_note(lowest, k, note) for k, note in enumerate(slopes.notes))
    values = np.where(lowest.is_rigid | np.isnan(slopes.values), NOTHING, slopes.values)
    return Sensitivity(lowest, found.names, found.values, values, notes, Known(found), found.is_exact, left_out)


def _derivatives(
    point: OperatingPoint, model: InertModel, names: tuple[str, ...], is_named: bool
) -> tuple[Derivatives, tuple[str, ...]]:
    """Derivatives by the names; of a rotor, without those that were not named and would make its blades unequal."""
    left_out: dict[str, str] = {}
    while True:
        try:
            found = derivatives_at(point, model, [name for name in names if name not in left_out])
        except InputError as error:
            refused = {fault.where: fault.what for fault in error.faults if fault.where in names}
            if is_named or not refused or len(left_out) + len(refused) == len(names) or not has_blades(point):
                raise
            left_out |= refused
            continue
        reasons = dict.fromkeys(left_out.values())
        whole = ((reason, [name for name, own in left_out.items() if own == reason]) for reason in reasons)
        return found, tuple(f"{', '.join(own)}: left out; {reason}" for reason, own in whole)


def _by_route(point: OperatingPoint, parameters: str | Sequence[str] | None, n: int | None, route: str) -> Sensitivity:
    from eigenbody.analyses.sensitivity.topology import slopes_by_route

    found, numbers, slopes, notes, is_exact = slopes_by_route(point, parameters, n, route)
    names, values = tuple(number.name for number in numbers), np.array([number.value for number in numbers])
    notes = tuple(_note(found, k, note) for k, note in enumerate(notes))
    return Sensitivity(found, names, values, slopes, notes, None, is_exact)


def _basis(linear: LinearModel) -> EigenBasis:
    return eigen_basis(linear.A, linear.noise_A, spectrum_of(linear).zero_chains)


def _note(found: Modes, k: int, note: str) -> str:
    return "rigid: a motion that nothing opposes has no frequency to move" if found.is_rigid[k] else note


def _sparse(point: OperatingPoint, names: Sequence[str], n: int | None) -> Sensitivity:
    wanted = n or 20
    more = modes(point, n=wanted + BEYOND, solver="sparse")
    slopes = eigenvalue_slopes(more, names)
    found = _lowest(more, wanted)
    notes = tuple(_note(found, k, note) for k, note in enumerate(slopes.notes[:wanted]))
    return Sensitivity(found, slopes.names, slopes.numbers, slopes.values[:, :wanted], notes, None, slopes.is_exact)


def _lowest(found: Modes, n: int) -> Modes:
    """The first of modes found by the sparse path."""
    assert found.residuals is not None
    return replace(
        found,
        eigenvalues=found.eigenvalues[:n],
        motion=found.motion[:n],
        is_rigid=found.is_rigid[:n],
        growths=found.growths[:n],
        errors=Later(lambda: found.bounds[:n]),
        residuals=found.residuals[:n],
    )


def _names(model: InertModel, given: str | Sequence[str] | None) -> tuple[str, ...]:
    if given is not None:
        names = (given,) if isinstance(given, str) else tuple(dict.fromkeys(given))
        for name in names:
            model.value_of(name)  # refuses what is no number of the model
        return names
    return design_numbers(model)


def design_numbers(model: InertModel) -> tuple[str, ...]:
    """What can be varied in a model: its parameters that are numbers, or where it has none its masses, stiffnesses
    and dampings by path."""
    own = tuple(name for name in model.parameters if not _is_derived(model, name))
    names = own or tuple(path for path in numeric_paths(model.document) if _is_design(path))[:MOST]
    if not names:
        what = "the model has no parameters, masses or stiffnesses to vary."
        raise InputError(Fault("parameters", what, "Name numbers of it: --parameter bodies.rotor.mass."))
    return names


def _is_derived(model: InertModel, name: str) -> bool:
    """Whether the parameter is an expression of others."""
    text = model.document["parameters"][name]
    return isinstance(text, str) and text.strip().startswith("=")


def _is_design(path: str) -> bool:
    section, _, rest = path.partition(".")
    key = rest.rpartition(".")[2]
    return section in ("bodies", "forces", "couplings") and key.partition("[")[0] in BY_DEFAULT
