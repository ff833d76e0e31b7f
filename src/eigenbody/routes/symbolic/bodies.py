"""Kinematics of one body by the letters of the lecture notes: r, S, J_T, J_R, velocities, local velocities."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from eigenbody.routes.symbolic.equations import SymbolicEquations, masses
from eigenbody.routes.symbolic.pool import elementwise
from eigenbody.routes.symbolic.short import short, short_matrix


@dataclass(frozen=True, eq=False)
class BodyKinematics:
    """A body in global axes, as SymPy matrices; columns of Jacobians by the coordinates.

    Velocity of the centre of mass v = J_T u + v_local, angular velocity omega = J_R u + omega_local; the local parts
    are those by the time alone, of prescribed motions. `inertia` is about the centre of mass in body axes.
    """

    name: str
    mass: Any
    inertia: Any
    eqs: SymbolicEquations
    index: int

    @cached_property
    def r(self) -> Any:
        """(3, 1) position of the centre of mass."""
        return short_matrix(self.eqs.kin.r[self.index])

    @cached_property
    def S(self) -> Any:
        """(3, 3) rotation from the drawing: body axes to global axes."""
        return short_matrix(self.eqs.kin.S[self.index])

    @cached_property
    def J_T(self) -> Any:
        """(3, f) dr/dq."""
        c = self.eqs.kin.coordinates
        return short_matrix(c.gradient(self.eqs.kin.r[self.index], c.q))

    @cached_property
    def J_R(self) -> Any:
        """(3, f) angular velocity by the rates: the columns of (dS/dq) S^T."""
        kin = self.eqs.kin
        return short_matrix(kin.S[self.index] @ kin.angular(self.index))

    @cached_property
    def v_local(self) -> Any:
        """(3, 1) dr/dt, coordinates held."""
        return short_matrix(self.eqs.kin.coordinates.by_time(self.eqs.kin.r[self.index]))

    @cached_property
    def omega_local(self) -> Any:
        """(3, 1) angular velocity, coordinates held."""
        kin = self.eqs.kin
        return short_matrix(kin.S[self.index] @ kin.local[self.index])

    @property
    def v(self) -> Any:
        """(3, 1) velocity of the centre of mass."""
        return self._moved(self.J_T, self.v_local)

    @property
    def omega(self) -> Any:
        """(3, 1) angular velocity."""
        return self._moved(self.J_R, self.omega_local)

    def _moved(self, jacobian: Any, local: Any) -> Any:
        import sympy

        return sympy.ImmutableMatrix((jacobian * sympy.Matrix(self.eqs.u) + local).applyfunc(short))


def kinematics_of(eqs: SymbolicEquations) -> dict[str, BodyKinematics]:
    """Every body by name."""
    names = eqs.kin.description.bodies.names
    return {
        names[i]: BodyKinematics(names[i], mass, short_matrix(elementwise(lambda e: e, inertia)), eqs, i)
        for i, mass, inertia in masses(eqs.kin)
    }
