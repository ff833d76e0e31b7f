"""Equations of motion F(q, u, a, t) - G^T lambda = 0 with constraints g(q, t) = 0, three ways.

newton-euler   momentum of every body, projected by the Jacobians (virtual work of the constraint forces is zero)
lagrange-2     d/dt dT/du - dT/dq + dV/dq = forces that have no potential
lagrange-1     coordinates of every body by itself, all joints as constraints with multipliers
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from eigenbody.model.description import Description
from eigenbody.routes.base import Place
from eigenbody.routes.joints import COORDINATES, motions, spanning_tree, terms_of
from eigenbody.routes.symbolic.forces import applied, load, signal
from eigenbody.routes.symbolic.joints import constraints, measure
from eigenbody.routes.symbolic.kinematics import Kinematics, along_tree, body_by_body
from eigenbody.routes.symbolic.pool import cross
from eigenbody.routes.symbolic.skeleton import is_drawn_together, sides, turn_to_plane

METHODS = ("newton-euler", "lagrange-2", "lagrange-1")
AT_POINTS = ("force", "torque")
MOST_TREE_COORDINATES = 7  # in space; the equations of longer trees are shorter body by body


@dataclass(frozen=True, eq=False)
class SymbolicEquations:
    """Equations of motion as SymPy expressions, with the numbers behind the symbols."""

    method: str
    kin: Kinematics
    residual: np.ndarray  # (f,) F, linear in a
    constraints: np.ndarray  # (m,) g
    multipliers: tuple[Any, ...]
    values: Mapping[Any, float]  # of the symbols that stand for numbers of the model

    @property
    def q(self) -> list[Any]:
        return self.kin.coordinates.q

    @property
    def u(self) -> list[Any]:
        return self.kin.coordinates.u

    @property
    def a(self) -> list[Any]:
        return self.kin.coordinates.a

    @property
    def is_planar(self) -> bool:
        return self.kin.is_planar

    def jacobian(self) -> np.ndarray:
        """(m, f) G = dg/dq."""
        return self.kin.coordinates.gradient(self.constraints, self.q)

    def balance(self) -> np.ndarray:
        """(f,) F - G^T lambda."""
        if not len(self.constraints):
            return self.residual
        return self.residual - self.jacobian().T @ np.array(self.multipliers, object)


def fitting_method(description: Description, place: Place) -> str:
    """Lagrange's first kind where loops are closed, a drawing is not assembled, or a spatial tree has so many
    coordinates that products of rotations grow long; else Newton and Euler."""
    left = sum(branch.joint is not None for branch in spanning_tree(description)) < len(description.joints)
    rough = any(not is_drawn_together(*sides(description, j)) for j in description.joints if j.type in COORDINATES)
    long = tree_coordinates(description) > MOST_TREE_COORDINATES and turn_to_plane(description, place) is None
    return "lagrange-1" if left or rough or long else "newton-euler"


def tree_coordinates(description: Description) -> int:
    """Number of coordinates along the spanning tree."""
    kinds = ("free" if branch.joint is None else branch.joint.type for branch in spanning_tree(description))
    return sum(len(COORDINATES[kind]) for kind in kinds)


def equations(description: Description, place: Place, method: str) -> SymbolicEquations:
    """Equations of motion of a description at a place by one of `METHODS`."""
    import sympy

    plane = turn_to_plane(description, place)
    turn = np.eye(3) if plane is None else plane
    if method == "lagrange-1":
        kin = body_by_body(description, place, turn, plane is not None)
    else:
        kin = along_tree(description, place, turn)
        kin.is_planar = plane is not None
    held = _held(kin)
    multipliers = tuple(sympy.Symbol(f"lambda_{k + 1}") for k in range(len(held)))
    residual = (_lagrange if method == "lagrange-2" else _newton_euler)(kin)
    return SymbolicEquations(method, kin, residual, np.array(held, object), multipliers, kin.pool.values)


def _held(kin: Kinematics) -> list[Any]:
    """All expressions that are held at zero: joints left out of the coordinates, couplings, prescribed motions."""
    description = kin.description
    rows = [g for j in description.joints if j.name not in kin.in_tree for g in constraints(kin, j)]
    for coupling in description.couplings:
        terms = terms_of(coupling).items()
        parts = [kin.pool.number(f"i_{coupling.name}_{n}", k) * measure(kin, n) for n, k in terms]
        constant = kin.pool.number(f"constant_{coupling.name}", coupling.get("constant", 0.0))
        rows.append(sum(parts, start=0 * kin.coordinates.t) - constant)
    for name, motion, _ in motions(description):
        rows.append(measure(kin, name) - signal(kin, motion, None))
    return rows


def _masses(kin: Kinematics) -> list[tuple[int, Any, np.ndarray]]:
    bodies = kin.description.bodies
    return [(i, kin.pool.number(f"m_{n}", bodies.mass[i]), kin.inertia(i)) for i, n in enumerate(bodies.names)]


def _newton_euler(kin: Kinematics) -> np.ndarray:
    """J_T^T (m v' - m gravity) + J_R^T (I w' + w x I w) summed over the bodies, less the applied forces."""
    c = kin.coordinates
    F = _zeros(kin)
    gravity = _gravity(kin)
    for i, mass, inertia in _masses(kin):
        velocity, turning = c.rate(kin.r[i]), kin.angular_velocity(i)
        F = F + c.gradient(kin.r[i], c.q).T @ (mass * (c.rate(velocity) - gravity))
        momentum = inertia @ turning
        F = F + kin.angular(i).T @ (inertia @ c.rate(turning) + cross(turning, momentum))
    energy, rest = _forces(kin)
    return F + c.gradient([energy], c.q)[0] - rest


def _lagrange(kin: Kinematics) -> np.ndarray:
    """d/dt dT/du - dT/dq + dV/dq less the forces without potential."""
    c = kin.coordinates
    zero = 0 * c.t
    kinetic, potential = zero, zero
    gravity = _gravity(kin)
    for i, mass, inertia in _masses(kin):
        velocity, turning = c.rate(kin.r[i]), kin.angular_velocity(i)
        kinetic = kinetic + (mass * (velocity @ velocity) + turning @ (inertia @ turning)) / 2
        potential = potential - mass * (gravity @ kin.r[i])
    energy, rest = _forces(kin)
    by_rates = c.gradient([kinetic], c.u)[0]
    return c.rate(by_rates) - c.gradient([kinetic - potential - energy], c.q)[0] - rest


def _gravity(kin: Kinematics) -> np.ndarray:
    turned = kin.turn @ kin.description.gravity
    return kin.pool.vector("g", turned, float(np.abs(turned).max(initial=0.0)) or 1.0)


def _zeros(kin: Kinematics) -> np.ndarray:
    return np.array([0 * kin.coordinates.t] * len(kin.coordinates.q), object)


def _forces(kin: Kinematics) -> tuple[Any, np.ndarray]:
    """Energy of all springs, and the generalized forces of everything else."""
    c = kin.coordinates
    energy, rest = 0 * c.t, _zeros(kin)
    for entry in kin.description.forces:
        if entry.type in AT_POINTS:
            acting = load(kin, entry)
            rest = rest + c.gradient(acting.point, c.q).T @ acting.force
            rest = rest + kin.angular(acting.body).T @ (kin.S[acting.body].T @ acting.torque)
            continue
        element = applied(kin, entry)
        energy = energy + element.energy
        rest = rest - c.gradient(element.s, c.q).T @ element.tension
    return energy, rest
