"""Equations of motion M(q, t) a + g(q, u, t) = d(q, u, t) + G^T lambda with constraints phi(q, t) = 0, three ways.

newton-euler   momentum of every body, projected by the Jacobians (virtual work of the constraint forces is zero)
lagrange-2     d/dt dT/du - dT/dq = -dV/dq + forces that have no potential
lagrange-1     coordinates of every body by itself, all joints as constraints with multipliers
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from eigenbody.model.description import Description, Entry
from eigenbody.model.expressions import Expression
from eigenbody.routes.base import Place
from eigenbody.routes.joints import COORDINATES, names_of, spanning_tree
from eigenbody.routes.symbolic.drawn import item_of
from eigenbody.routes.symbolic.forces import applied, load, signal
from eigenbody.routes.symbolic.formulas import as_symbolic
from eigenbody.routes.symbolic.joints import constraints, measure
from eigenbody.routes.symbolic.kinematics import Kinematics, along_tree, body_by_body
from eigenbody.routes.symbolic.pool import Path, Pool, cross, elementwise
from eigenbody.routes.symbolic.skeleton import is_drawn_together, plane_of_motion, sides

FORMS = ("newton-euler", "lagrange-1", "lagrange-2")
AT_POINTS = ("force", "torque")
MOST_TREE_COORDINATES = 7  # in space; the equations of longer trees are shorter body by body


@dataclass(frozen=True, eq=False)
class SymbolicEquations:
    """Equations of motion as SymPy expressions, with the numbers behind the symbols."""

    form: str
    kin: Kinematics
    inertia: np.ndarray  # (f,) M a + g
    kinetic: Any  # energy T
    potential: Any  # energy V of gravity and springs
    forces: np.ndarray  # (f,) generalized forces without potential
    constraints: np.ndarray  # (m,) phi
    held_by: tuple[str, ...]  # (m,) the joint, coupling or motion behind each
    multipliers: tuple[Any, ...]

    @property
    def values(self) -> Mapping[Any, float]:
        """Of the symbols that stand for parameters and numbers of the model."""
        return self.kin.pool.values

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

    @cached_property
    def d(self) -> np.ndarray:
        """(f,) generalized forces, those of the potential too."""
        c = self.kin.coordinates
        return self.forces - c.gradient([self.potential], c.q)[0]

    @cached_property
    def residual(self) -> np.ndarray:
        """(f,) M a + g - d."""
        return self.inertia - self.d

    @cached_property
    def M(self) -> np.ndarray:
        """(f, f) mass matrix."""
        return self.kin.coordinates.gradient(self.inertia, self.a)

    @cached_property
    def g(self) -> np.ndarray:
        """(f,) centrifugal, Coriolis and gyroscopic forces, and those of a prescribed motion."""
        none = dict.fromkeys(self.a, 0)
        return elementwise(lambda e: e.xreplace(none), self.inertia)

    @cached_property
    def jacobian(self) -> np.ndarray:
        """(m, f) G = dphi/dq."""
        return self.kin.coordinates.gradient(self.constraints, self.q)

    @cached_property
    def gamma(self) -> np.ndarray:
        """(m,) the second rate of the constraints is G a + gamma."""
        c = self.kin.coordinates
        none = dict.fromkeys(self.a, 0)
        return elementwise(lambda e: e.xreplace(none), c.rate(c.rate(self.constraints)))

    def balance(self) -> np.ndarray:
        """(f,) M a + g - d - G^T lambda."""
        if not len(self.constraints):
            return self.residual
        return self.residual - self.jacobian.T @ np.array(self.multipliers, object)


def fitting_form(description: Description, place: Place) -> str:
    """Lagrange's first kind where loops are closed, a drawing is not assembled, or a spatial tree has so many
    coordinates that products of rotations grow long; else Newton and Euler."""
    left = sum(branch.joint is not None for branch in spanning_tree(description)) < len(description.joints)
    long = tree_coordinates(description) > MOST_TREE_COORDINATES and plane_of_motion(description, place) is None
    return "lagrange-1" if left or long or unassembled(description) else "newton-euler"


def unassembled(description: Description) -> str:
    """Name of a joint whose sides do not coincide in the drawing, so that no tree can be hung up by it; or ""."""
    rough = (j for j in description.joints if j.type in COORDINATES and not is_drawn_together(*sides(description, j)))
    return next((joint.name for joint in rough), "")


def tree_coordinates(description: Description) -> int:
    """Number of coordinates along the spanning tree."""
    kinds = ("free" if branch.joint is None else branch.joint.type for branch in spanning_tree(description))
    return sum(len(COORDINATES[kind]) for kind in kinds)


def equations(
    description: Description,
    place: Place,
    form: str,
    formulas: Mapping[Path, Expression] | None = None,
    names_all: bool = True,
) -> SymbolicEquations:
    """Equations of motion of a description at a place in one of `FORMS`; `formulas` are the expressions by which the
    model writes its numbers, and with `names_all` every other number gets a symbol too."""
    pool = Pool(description.parameters if formulas else {}, dict(formulas or {}), names_all)
    plane = plane_of_motion(description, place)
    if form == "lagrange-1":
        kin = body_by_body(description, place, pool, plane)
    else:
        kin = along_tree(description, place, pool, plane, lambda t: _prescribed(description, pool, t))
    held = _held(kin)
    multipliers = tuple(pool.new_symbol(f"lambda_{k + 1}") for k in range(len(held)))
    kinetic, potential = _energies(kin)
    stored, forces = _forces(kin)
    inertia = _newton_euler(kin) if form == "newton-euler" else _lagrange(kin, kinetic)
    rows = np.array([expression for _, expression in held], object)
    names = tuple(name for name, _ in held)
    return SymbolicEquations(form, kin, inertia, kinetic, potential + stored, forces, rows, names, multipliers)


def _motions(description: Description) -> list[tuple[str, Any, tuple[Path, Path]]]:
    """Every prescribed measure with its signal and the two places where it may be written."""
    out: list[tuple[str, Any, tuple[Path, Path]]] = []
    for joint in description.joints:
        if joint.get("motion") is not None:
            path = ("joints", joint.name, "motion")
            for k, (name, motion) in enumerate(zip(names_of(joint), joint["motion"], strict=True)):
                if motion is not None:
                    out.append((name, motion, (path, (*path, k))))
    for driver in description.drivers:
        if not driver.get("assembly"):
            path = ("drivers", driver.name, "motion")
            out.append((driver["measure"], driver["motion"], (path, (*path, 0))))
    return out


def _prescribed(description: Description, pool: Pool, t: Any) -> dict[str, Any]:
    """Coordinates that are functions of time, once each; what is prescribed again is a constraint."""
    out: dict[str, Any] = {}
    for name, motion, places in _motions(description):
        if name not in out:
            written = next((found for p in places if (found := pool.formula(p, lambda _: t)) is not None), None)
            out[name] = as_symbolic(motion, lambda _: t) if written is None else written
    return out


def _held(kin: Kinematics) -> list[tuple[str, Any]]:
    """All expressions that are held at zero: joints left out of the coordinates, couplings, prescribed motions."""
    description, pool, zero = kin.description, kin.pool, 0 * kin.coordinates.t
    rows = [(j.name, g) for j in description.joints if j.name not in kin.in_tree for g in constraints(kin, j)]
    for coupling in description.couplings:
        parts = [factor * measure(kin, name) for name, factor in _terms(pool, coupling)]
        rows.append(
            (coupling.name, sum(parts, start=zero) - item_of(pool, "couplings", coupling, "constant", "constant"))
        )
    kept = set(kin.symbol_of) & set(kin.prescribed)
    for name, motion, places in _motions(description):
        if name in kept:  # it is a function of time already
            kept.remove(name)
            continue
        place = places[0] if places[0] in pool.formulas else places[1]
        rows.append((name, measure(kin, name) - signal(kin, place, motion, None)))
    return rows


def _terms(pool: Pool, coupling: Entry) -> list[tuple[str, Any]]:
    path, names = ("couplings", coupling.name), f"i_{coupling.name}"
    if coupling.type == "linear":
        return [(n, pool.item((*path, "terms", n), f"{names}_{n}", k)) for n, k in coupling["terms"].items()]
    first, second = coupling["joints"]
    return [(first, 1), (second, pool.item((*path, "ratio"), names, float(coupling["ratio"])))]


def masses(kin: Kinematics) -> list[tuple[int, Any, np.ndarray]]:
    """Every body with its mass and inertia tensor."""
    bodies = kin.description.bodies
    return [
        (i, kin.pool.item(("bodies", n, "mass"), f"m_{n}", bodies.mass[i]), kin.inertia(i))
        for i, n in enumerate(bodies.names)
    ]


def _newton_euler(kin: Kinematics) -> np.ndarray:
    """J_T^T m v' + J_R^T (I w' + w x I w) summed over the bodies."""
    c = kin.coordinates
    F = _zeros(kin)
    for i, mass, inertia in masses(kin):
        velocity, turning = c.rate(kin.r[i]), kin.angular_velocity(i)
        F = F + c.gradient(kin.r[i], c.q).T @ (mass * c.rate(velocity))
        momentum = inertia @ turning
        F = F + kin.angular(i).T @ (inertia @ c.rate(turning) + cross(turning, momentum))
    return F


def _energies(kin: Kinematics) -> tuple[Any, Any]:
    """Kinetic energy, and the potential of gravity."""
    c = kin.coordinates
    kinetic, potential = 0 * c.t, 0 * c.t
    gravity = _gravity(kin)
    for i, mass, inertia in masses(kin):
        velocity, turning = c.rate(kin.r[i]), kin.angular_velocity(i)
        kinetic = kinetic + (mass * (velocity @ velocity) + turning @ (inertia @ turning)) / 2
        potential = potential - mass * (gravity @ kin.r[i])
    return kinetic, potential


def _lagrange(kin: Kinematics, kinetic: Any) -> np.ndarray:
    """d/dt dT/du - dT/dq."""
    c = kin.coordinates
    return c.rate(c.gradient([kinetic], c.u)[0]) - c.gradient([kinetic], c.q)[0]


def _gravity(kin: Kinematics) -> np.ndarray:
    size = float(np.abs(kin.description.gravity).max(initial=0.0)) or 1.0
    drawn = kin.drawing.vector(("gravity",), kin.description.gravity)
    return kin.pool.vector("g", kin.in_body_axes(-1, drawn), size)


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
