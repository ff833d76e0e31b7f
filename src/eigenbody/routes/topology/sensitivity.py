"""Explicit derivatives of eigenvalues by masses, springs, and the places and axes of springs and joints (section 4).

    d lambda = -[phi^T (lambda^2 dM + lambda dC + dK) phi + 2 phi^T (lambda^2 M + lambda C + K) dB psi] / norm
    phi = B psi,  B = B' B'',  norm = phi^T (2 lambda M + C) phi

Eq. 62 with its transposes restored; "unitary" vectors, as printed, would need norm = 1 (docs/theory/topology.md). Only
joints change B: dB' follows the tree from the joint outwards (Eqs. 37, 38 differentiated), dB'' keeps the rows of cut
joints satisfied, which the paper leaves open. A spring along a coordinate of a joint moves with it. Where the place of
rest depends on the number, that is not in these formulas, nor is geometric stiffness.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from eigenbody.routes.topology.constraints import Joint, relative, row_terms, with_ground
from eigenbody.routes.topology.elements import Spring, joint_coordinate
from eigenbody.routes.topology.system import Oscillations
from eigenbody.routes.topology.tables import H
from eigenbody.routes.topology.transforms import to_frame, to_point
from eigenbody.spatial.rotations import skew

LOCKS = 1e-6  # part of the change of a loop's rows that no motion makes up for


@dataclass(frozen=True, eq=False)
class Number:
    """A number of the design: its path, value, and d lambda times norm by it in a motion (None: it would lock)."""

    name: str
    value: float
    slope: Callable[[Motion], complex | None]


@dataclass(frozen=True, eq=False)
class Motion:
    """An eigenvalue with its displacements psi (n'',) of the route and phi (n, 6) of the bodies."""

    system: Oscillations
    eigenvalue: complex
    psi: np.ndarray

    @property
    def phi(self) -> np.ndarray:
        return (self.system.B @ self.psi).reshape(-1, 6)

    @property
    def norm(self) -> complex:
        """phi^T (2 lambda M + C) phi: zero where the eigenvalue is defective."""
        flat = self.phi.ravel()
        return complex(flat @ (2 * self.eigenvalue * (self.system.M @ flat) + self.system.C @ flat))

    @property
    def forces(self) -> np.ndarray:
        """(lambda^2 M + lambda C + K) phi (6n,): what joints must hold."""
        s, flat = self.system, self.phi.ravel()
        return self.eigenvalue**2 * (s.M @ flat) + self.eigenvalue * (s.C @ flat) + s.K @ flat

    def across(self, spring: Spring) -> np.ndarray:
        """Relative displacements and rotations (6,) at a spring, global axes."""
        parts = np.concatenate([self.phi, np.zeros((1, 6))])  # ground is the last
        i, j = (to_point(spring.point - self.system.at.r[body]) @ parts[body] for body in spring.bodies)
        return j - i


def numbers_of(system: Oscillations) -> Iterator[Number]:
    """All numbers whose derivatives the formulas give: joints first, by place and axis."""
    joints = [*(joint for joint, _, _ in system.topology.carried), *system.topology.cut]
    order = [entry.name for entry in system.description.joints]
    for joint in sorted(joints, key=lambda j: order.index(j.entry.name)):
        if joint.entry.type != "free":
            yield from _of_joint(system, joint)
    bodies = system.description.bodies
    for b, name in enumerate(bodies.names):
        yield Number(f"bodies.{name}.mass", float(bodies.mass[b]), _by_mass(b, np.diag([1.0, 1, 1, 0, 0, 0])))
        for k in range(3):
            axis = system.place.R[b][:, k]
            unit = np.zeros((6, 6))
            unit[3:, 3:] = np.outer(axis, axis)
            yield Number(f"bodies.{name}.inertia[{k}]", float(bodies.inertia[b, k, k]), _by_mass(b, unit))
    for spring in system.springs:
        yield from _of_spring(system, spring)


def _of_joint(system: Oscillations, joint: Joint) -> Iterator[Number]:
    for k, axis in enumerate(np.eye(3)):
        moved = to_point(axis) - np.eye(6)
        yield Number(f"joints.{joint.entry.name}.at[{k}]", float(joint.point[k]), _by_joint(system, joint, moved))
    for k, axis in enumerate(np.eye(3)):
        turned = np.kron(np.eye(2), -skew(axis))
        yield Number(f"joints.{joint.entry.name}.turn[{k}]", 0.0, _by_joint(system, joint, turned))


def _of_spring(system: Oscillations, spring: Spring) -> Iterator[Number]:
    size = len(spring.k)
    for key, E, order in (("k", spring.k, 0), ("c", spring.c, 1)):
        for i in range(size):
            unit = np.zeros((size, size))
            unit[i, i] = 1.0
            name = f"forces.{spring.name}.{key}" + (f"[{i}]" if size > 1 else "")
            yield Number(name, float(E[i, i]), _by_strength(spring, unit, order))
    entry = next(entry for entry in system.description.forces if entry.name == spring.name)
    if entry.type in ("bushing", "bearing"):
        for k, axis in enumerate(np.eye(3)):
            moved = to_point(axis) - np.eye(6)
            yield Number(f"forces.{spring.name}.at[{k}]", float(spring.point[k]), _by_frame(spring, moved))
        for k, axis in enumerate(np.eye(3)):
            yield Number(f"forces.{spring.name}.turn[{k}]", 0.0, _by_frame(spring, np.kron(np.eye(2), -skew(axis))))


# ---- what each kind does: -phi^T (lambda^2 dM + lambda dC + dK) phi - 2 phi^T (...) dB psi


def _by_mass(body: int, unit: np.ndarray) -> Callable[[Motion], complex]:
    """Eqs. 66 and 67."""
    return lambda motion: complex(-(motion.eigenvalue**2) * (motion.phi[body] @ unit @ motion.phi[body]))


def _by_strength(spring: Spring, unit: np.ndarray, order: int) -> Callable[[Motion], complex]:
    """Eqs. 68 to 79."""

    def slope(motion: Motion) -> complex:
        stretched = spring.N @ to_frame(spring.axes) @ motion.across(spring)
        return complex(-(motion.eigenvalue**order) * (stretched @ unit @ stretched))

    return slope


def _by_frame(spring: Spring, rate: np.ndarray) -> Callable[[Motion], complex]:
    """Eqs. 80 to 87: `rate` (6, 6) is what dT or dR makes of the relative displacements, global axes."""

    def slope(motion: Motion) -> complex:
        frame, across = spring.N @ to_frame(spring.axes), motion.across(spring)
        stretched, change = frame @ across, frame @ (rate @ across)
        strength = spring.k + motion.eigenvalue * spring.c
        return complex(-(change @ (strength + strength.T) @ stretched))

    return slope


def _by_joint(system: Oscillations, joint: Joint, rate: np.ndarray) -> Callable[[Motion], complex | None]:
    """A joint that moves or turns, with the springs along its coordinates."""
    carried = _carried_by(system, joint)

    def slope(motion: Motion) -> complex | None:
        found = change_of_motion(system, joint, rate)
        if found is None:
            return None
        own = -2 * motion.forces @ (found @ motion.psi)
        return complex(own + sum(_by_frame(spring, rate)(motion) for spring in carried))

    return slope


def _carried_by(system: Oscillations, joint: Joint) -> list[Spring]:
    """Springs along coordinates of a joint."""
    names = set()
    for entry in system.description.forces:
        along = entry.get("along")
        found = None if along is None else joint_coordinate(system.description, along)
        if found is not None and found[0].name == joint.entry.name:
            names.add(entry.name)
    return [spring for spring in system.springs if spring.name in names]


def change_of_motion(system: Oscillations, moved: Joint, rate: np.ndarray) -> np.ndarray | None:
    """d(B' B'') (6n, n'') as a joint moves or turns; None where that would lock a loop that has redundant rows."""
    dB1 = _change_of_tree(system, moved, rate)
    if not len(system.rows):
        return dB1 @ system.B2
    drows = _change_of_rows(system, moved, rate, dB1) @ system.B2
    dependent = np.setdiff1d(np.arange(system.B1.shape[1]), system.independent)
    dB2 = np.zeros_like(system.B2)
    dB2[dependent] = np.linalg.lstsq(system.rows[:, dependent], -drows, rcond=1e-10)[0]
    left = np.abs(drows + system.rows @ dB2).max(initial=0.0)
    if left > LOCKS * max(1.0, np.abs(drows).max(initial=0.0)):
        return None
    return dB1 @ system.B2 + system.B1 @ dB2


def _rate_of_displacement(joint: Joint, moved: Joint, rate: np.ndarray, body: int, system: Oscillations) -> np.ndarray:
    """d(R T) (6, 6) of a joint on a body."""
    if joint.entry.name != moved.entry.name:
        return np.zeros((6, 6))
    return to_frame(joint.axes) @ rate @ to_point(joint.point - system.at.r[body])


def _change_of_tree(system: Oscillations, moved: Joint, rate: np.ndarray) -> np.ndarray:
    """dB' (6n, n'): Eqs. 37 and 38 differentiated, joint after joint."""
    blocks, at = with_ground(system.B1), system.at
    out = np.zeros_like(blocks)
    for joint, parent, child in system.topology.carried:
        back = np.linalg.inv(joint.displacement(child, at))
        hold = H(joint.entry.type)
        out[child] = back @ hold @ joint.displacement(parent, at) @ out[parent]
        if joint.entry.name == moved.entry.name:
            by_child, by_parent = (_rate_of_displacement(joint, moved, rate, b, system) for b in (child, parent))
            out[child] += back @ (hold @ by_parent @ blocks[parent] - by_child @ blocks[child])
    return out[:-1].reshape(system.B1.shape)


def _change_of_rows(system: Oscillations, moved: Joint, rate: np.ndarray, dB1: np.ndarray) -> np.ndarray:
    """Derivative (m, n') of the rows of cut joints and transmissions."""
    blocks, changes, at = with_ground(system.B1), with_ground(dB1), system.at
    rows = [np.zeros((0, dB1.shape[1]))]
    for terms in row_terms(system.description, system.topology, at):
        total = np.zeros((len(terms[0][0]), dB1.shape[1]))
        for L, joint in terms:
            by_second, by_first = (
                _rate_of_displacement(joint, moved, rate, b, system) @ blocks[b] for b in (joint.second, joint.first)
            )
            total += L @ (relative(joint, at, changes) + by_second - by_first)
        rows.append(total)
    return np.concatenate([*rows, *(changes[body, 3:] for body in system.lone)])
