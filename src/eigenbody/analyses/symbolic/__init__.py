"""Equations of motion as expressions of the model's parameters, and as text in other languages."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from eigenbody.analyses.verify import place_of
from eigenbody.base.errors import Fault, InputError
from eigenbody.base.progress import report
from eigenbody.base.result import Result
from eigenbody.linearization.point import OperatingPoint
from eigenbody.linearization.subject import Subject
from eigenbody.numerics.runtime import on_one_thread
from eigenbody.operating.find import operating_point
from eigenbody.routes.base import Linear, Unsupported
from eigenbody.routes.symbolic import TITLES, checked_form

if TYPE_CHECKING:
    from eigenbody.routes.symbolic.about import SymbolicLinear
    from eigenbody.routes.symbolic.bodies import BodyKinematics
    from eigenbody.routes.symbolic.equations import SymbolicEquations
    from eigenbody.routes.symbolic.export.blocks import Program

SYMBOLS = ("parameters", "all")
LANGUAGES = ("latex", "python", "c", "modelica")


@dataclass(frozen=True, eq=False)
class SymbolicModel(Result, look="analyses.symbolic.look"):
    """Equations of motion M(q, t) q'' + g(q, q', t) = d(q, q', t) + G^T lambda with constraints, as SymPy expressions.

    form   "newton-euler", "lagrange-1" or "lagrange-2"
    eqs    the equations before anything is simplified
    notes  what the equations are exact for, and what stands in them by its value
    """

    point: OperatingPoint
    form: str
    eqs: SymbolicEquations
    notes: tuple[str, ...] = ()

    # ---- symbols

    @property
    def title(self) -> str:
        """The form in words."""
        return TITLES[self.form]

    @property
    def coordinates(self) -> tuple[str, ...]:
        """Names of the generalized coordinates q."""
        return tuple(self.eqs.kin.coordinates.names)

    @property
    def q(self) -> tuple[Any, ...]:
        """Symbols of the coordinates."""
        return tuple(self.eqs.q)

    @property
    def u(self) -> tuple[Any, ...]:
        """Symbols of their rates."""
        return tuple(self.eqs.u)

    @property
    def a(self) -> tuple[Any, ...]:
        """Symbols of their second rates."""
        return tuple(self.eqs.a)

    @property
    def t(self) -> Any:
        """The time."""
        return self.eqs.kin.coordinates.t

    @property
    def parameters(self) -> Mapping[str, float]:
        """SI values of all symbols that stand for parameters (and, with symbols="all", numbers) of the model."""
        return {symbol.name: value for symbol, value in self.eqs.values.items()}

    # ---- kinematics, energies, forces

    @cached_property
    def bodies(self) -> Mapping[str, BodyKinematics]:
        """Of every body: mass, inertia, r, S, J_T, J_R, v, omega, v_local, omega_local."""
        from eigenbody.routes.symbolic.bodies import kinematics_of

        return kinematics_of(self.eqs)

    @cached_property
    def kinetic_energy(self) -> Any:
        """T."""
        return self._short(self.eqs.kinetic)

    @cached_property
    def potential_energy(self) -> Any:
        """V of gravity and springs."""
        return self._short(self.eqs.potential)

    @cached_property
    def generalized_forces(self) -> Any:
        """(f, 1) of everything that has no potential."""
        return self._matrix(self.eqs.forces)

    # ---- constraints

    @cached_property
    def constraints(self) -> Any:
        """(m, 1) expressions held at zero."""
        return self._matrix(self.eqs.constraints)

    @property
    def held_by(self) -> tuple[str, ...]:
        """Joint, coupling or motion behind each constraint."""
        return self.eqs.held_by

    @cached_property
    def G(self) -> Any:
        """(m, f) derivatives of the constraints by the coordinates."""
        return self._matrix(self.eqs.jacobian)

    @cached_property
    def gamma(self) -> Any:
        """(m, 1) second rates of the constraints are G q'' + gamma."""
        return self._matrix(self.eqs.gamma)

    @property
    def multipliers(self) -> tuple[Any, ...]:
        """Symbols lambda."""
        return tuple(self.eqs.multipliers)

    @cached_property
    def reactions(self) -> Any:
        """(f, 1) z = G^T lambda."""
        return self._matrix(self.eqs.jacobian.T @ np.array(self.eqs.multipliers, object))

    @cached_property
    def solved_multipliers(self) -> Any:
        """(m, 1) lambda = -(G M^-1 G^T)^-1 (G M^-1 (d - g) + gamma) by coordinates and rates; None where constraints
        are redundant, more than three, or the expressions long."""
        from eigenbody.routes.symbolic.multipliers import solved_multipliers

        found = solved_multipliers(self.eqs, self._place, self.M, self.d - self.g, self.G, self.gamma)
        return None if found is None else self._matrix(found)

    # ---- equations of motion

    @cached_property
    def M(self) -> Any:
        """(f, f) mass matrix M(q, t)."""
        return self._matrix(self.eqs.M)

    @cached_property
    def g(self) -> Any:
        """(f, 1) centrifugal, Coriolis and gyroscopic forces, and those of prescribed motions."""
        return self._matrix(self.eqs.g)

    @cached_property
    def d(self) -> Any:
        """(f, 1) generalized forces, those of the potential too."""
        return self._matrix(self.eqs.d)

    @property
    def equations(self) -> tuple[Any, ...]:
        """M q'' + g = d + G^T lambda, one SymPy equation for each coordinate."""
        from eigenbody.routes.symbolic.multipliers import as_equations

        return as_equations(self.M, self.a, self.g, self.d + self.reactions if self.held_by else self.d)

    # ---- linear equations

    @cached_property
    def linear(self) -> SymbolicLinear:
        """M, P, Q, their parts D, G, C, N and the state matrix A about the reference, as expressions."""
        from eigenbody.routes.symbolic.about import linear_about

        return linear_about(self.eqs, self._place, self._place.independent)

    @property
    def K(self) -> Any:
        """Stiffness matrix of the linear equations: `linear.Q`."""
        return self.linear.Q

    @cached_property
    def numbers(self) -> Linear:
        """The linear equations at the values of the model: M, D, G, C, N and the eigenvalues."""
        from eigenbody.routes.symbolic.linear import linearized

        found = linearized(self.eqs, self._place, self._place.independent)
        return Linear(found.eigenvalues(), found.parts, self.notes)

    # ---- text

    def latex(self) -> str:
        """A LaTeX document with every step."""
        from eigenbody.routes.symbolic.export.latex import latex

        return latex(self.eqs, dict(self.bodies), self.linear, self.solved_multipliers, self.notes)

    def python(self) -> str:
        """A Python module with `accelerations` and `linear` that needs NumPy alone."""
        from eigenbody.routes.symbolic.export.python import python

        return python(self._program)

    def c(self) -> str:
        """A C file with `..._accelerations` and `..._linear`."""
        from eigenbody.routes.symbolic.export.c import c_text

        return c_text(self._program)

    def modelica(self) -> str:
        """A Modelica model without libraries."""
        from eigenbody.routes.symbolic.export.modelica import modelica

        return modelica(self._program)

    def text(self, language: str) -> str:
        """The equations in a language: "latex", "python", "c" or "modelica"."""
        require_language(language)
        return str(getattr(self, language)())

    # ---- inside

    @cached_property
    def _place(self) -> Any:
        return place_of(self.point)

    @property
    def _program(self) -> Program:
        from eigenbody.routes.symbolic.export.blocks import program

        return program(self.eqs, self._place, self._place.independent, self.notes)

    @property
    def _positive(self) -> list[Any]:
        return [symbol for symbol, value in self.eqs.values.items() if value > 0]

    def _short(self, expression: Any) -> Any:
        from eigenbody.routes.symbolic.short import short

        return short(expression, self._positive)

    def _matrix(self, array: np.ndarray) -> Any:
        from eigenbody.routes.symbolic.short import short_matrix

        return short_matrix(array, self._positive)


def require_language(language: str) -> None:
    """InputError where equations cannot be written in a language."""
    if language not in LANGUAGES:
        what = f'there is no text in the language "{language}".'
        raise InputError(Fault("language", what, f"Choose one of: {', '.join(LANGUAGES)}."))


@on_one_thread
def symbolic(model: Subject, form: str | None = None, symbols: str = "parameters") -> SymbolicModel:
    """Equations of motion as expressions, and linearized; InputError where something in the model is not known.

    form     "newton-euler", "lagrange-1" or "lagrange-2"; by default Newton-Euler for trees, Lagrange's first kind for
             closed loops
    symbols  "parameters": those of the model stay symbols and numbers stay numbers; "all": every number of the model
             but 0, 1 and -1 gets a symbol
    """
    from eigenbody.routes.symbolic.equations import equations
    from eigenbody.routes.symbolic.scope import approximate

    if symbols not in SYMBOLS:
        raise InputError(Fault("symbols", f'"{symbols}" is not known.', 'Choose "parameters" or "all".'))
    point = operating_point(model)
    description, place = point.system.description, place_of(point)
    try:
        if not place.independent:
            raise Unsupported("nothing can move, so there are no equations of motion")
        chosen = checked_form(description, place, form)
    except Unsupported as reason:
        what = f"the equations cannot be written out: {str(reason).rstrip('.')}."
        raise InputError(Fault("model", what, "docs/theory/symbolic.md says what can.")) from reason
    report(f"writing equations by {chosen}")
    eqs = equations(description, place, chosen, point.model.formulas, symbols == "all")
    by_value = eqs.kin.pool.by_value
    notes = [f"By its value stands in the equations: {', '.join(by_value)}."] if by_value else []
    return SymbolicModel(point, chosen, eqs, (*notes, *approximate(eqs.kin)))
