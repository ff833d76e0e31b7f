"""A model compiled once and called with numbers: its linear model, modes and derivatives for each of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from eigenbody.analyses.modes import Modes, modes
from eigenbody.analyses.sensitivity import Derivatives, derivatives_at
from eigenbody.analyses.sweep import VariantModes, sorted_eigenvalues, variants
from eigenbody.base.copies import LeanCopies
from eigenbody.base.errors import Fault, InputError, suggest
from eigenbody.linearization.linearize import linear_model
from eigenbody.linearization.model import LinearModel
from eigenbody.linearization.point import OperatingPoint
from eigenbody.linearization.subject import Subject
from eigenbody.model.frozen import FrozenDict
from eigenbody.model.model import InertModel
from eigenbody.model.source import shown
from eigenbody.numerics.runtime import on_one_thread
from eigenbody.operating.asked import model_asking_for
from eigenbody.operating.compiled import CompiledModel, compiled_model
from eigenbody.operating.turning.constant_form import in_blade_patterns

_linear = on_one_thread(linear_model)
_patterns = on_one_thread(in_blade_patterns)
_eigenvalues = on_one_thread(sorted_eigenvalues)
_derivatives = on_one_thread(derivatives_at)


@dataclass(frozen=True, eq=False)
class Evaluation(LeanCopies):
    """A compiled model at some numbers: its operating point, and what is asked of it, each found once."""

    values: Mapping[str, float]
    point: OperatingPoint = field(repr=False)

    @property
    def model(self) -> InertModel:
        """The model with these numbers."""
        return self.point.model

    @cached_property
    def linear(self) -> LinearModel:
        """The linear model with its certificate."""
        return _linear(self.point)

    @cached_property
    def eigenvalues(self) -> np.ndarray:
        """(states,) complex, sorted by magnitude, then imaginary part; recognized zeros are exactly 0. Without vectors,
        bounds and verdict, which `modes` has. Of equal blades in multi-blade coordinates, as `modes`."""
        return _eigenvalues(self._constant)

    @cached_property
    def modes(self) -> Modes:
        """The modes with everything that belongs to them."""
        return modes(self._constant)

    @cached_property
    def _constant(self) -> LinearModel:
        return _patterns(self.linear)

    @cached_property
    def derivatives(self) -> Derivatives:
        """Exact derivatives of the linear model by the open numbers."""
        return _derivatives(self.point, self.model, tuple(self.values))


@dataclass(frozen=True, eq=False)
class Evaluator:
    """A model with open numbers, compiled once. Call it with numbers: `f(k=1200)`, `f({"bodies.rotor.mass": 3})`; what
    is not given stays as in the model. Many at once: `f.many(k=[900, 1000])`."""

    model: InertModel
    parameters: tuple[str, ...]
    _compiled: CompiledModel = field(repr=False)

    def __call__(self, values: Mapping[str, float] | None = None, /, **more: float) -> Evaluation:
        """The model at these numbers."""
        given = {**(values or {}), **more}
        self._check(given)
        numbers = {name: float(given[name]) if name in given else own for name, own in self.own.items()}
        return Evaluation(FrozenDict(numbers), self._point(list(numbers.values())))

    def many(
        self,
        values: Mapping[str, Sequence[float] | np.ndarray] | None = None,
        /,
        **more: Sequence[float] | np.ndarray,
    ) -> VariantModes:
        """Eigenvalues and matrices at many numbers at once, in one batched evaluation: `variants` of the model."""
        given = {**(values or {}), **more}
        self._check_names(given)
        if empty := [name for name, own in given.items() if not np.size(own)]:
            raise InputError(Fault(empty[0], "there is no number to evaluate at.", "Give one or more."))
        return variants(self.model, given, workers=1)

    @cached_property
    def own(self) -> dict[str, float]:
        """What the open numbers are in the model."""
        return {name: self.model.value_of(name) for name in self.parameters}

    @on_one_thread
    def _point(self, values: Sequence[float]) -> OperatingPoint:
        return self._compiled.point_at(values)

    def _check_names(self, given: Mapping[str, object]) -> None:
        remedy = "Name it when the model is compiled: eb.compiled(model, [...])."
        faults = [
            Fault(
                str(name), f'"{shown(name)}" is not among the open numbers.', suggest(name, self.parameters) or remedy
            )
            for name in given
            if name not in self.parameters
        ]
        if faults:
            raise InputError(faults)

    def _check(self, given: Mapping[str, object]) -> None:
        self._check_names(given)
        wrong = [name for name, value in given.items() if not _is_number(value)]
        if wrong:
            what = f"{shown(given[wrong[0]])} is not a finite number."
            raise InputError(Fault(wrong[0], what, "Give one number in SI units; many of them to `many`."))


def _is_number(value: object) -> bool:
    is_real = isinstance(value, int | float | np.floating | np.integer) and not isinstance(value, bool)
    return is_real and bool(np.isfinite(float(value)))  # type: ignore[arg-type]


def compiled(model: Subject, parameters: Sequence[str] | None = None) -> Evaluator:
    """Compile a model once for all values of some of its numbers; call what is returned with the numbers.

    `parameters` names parameters or any numbers of the model by path (`bodies.rotor.mass`, `joints.b.at[2]`); by
    default all parameters that the model writes as numbers. Compiling is paid at the first call, and kept with the
    model.
    """
    model = model_asking_for(model)
    if isinstance(parameters, str):
        parameters = (parameters,)
    if parameters is None:
        parameters = [name for name in model.parameters if not str(model.written(name)).strip().startswith("=")]
    if not parameters:
        raise InputError(
            Fault("parameters", "no number is left open.", "Name parameters, or numbers by path: bodies.rotor.mass.")
        )
    names = tuple(parameters)
    return Evaluator(model, names, compiled_model(model, names))
