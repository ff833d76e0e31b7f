"""Forces and moments in joints, from the multipliers by virtual work.

The constraint rows r of a joint put the force -G_r^T lambda_r on its second body. Moved to the joint's point on the
second body (its second origin) that is the force and moment which the FIRST body exerts on the SECOND; the second
exerts the opposite on the first at the same point. Prescribed motions of a joint are not part of it: their drive is
listed as a generalized force, like those of couplings and drivers.

Redundant rows leave the multipliers undetermined. Of all that balance the bodies those are taken for which

    sum over joints |force|^2 + |moment / L|^2   (+ couplings and drivers by the size of their forces on bodies)

is least, L the length of the mechanism (`System.length`). A component is marked indeterminate where a state of
self-stress (a null vector of G^T) reaches it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from eigenbody.base.errors import ComputationError, Fault, InputError, suggest
from eigenbody.base.result import Result
from eigenbody.dynamics.mechanics import Mechanics
from eigenbody.loads.elements import ElementLoad, element_loads
from eigenbody.loads.wrenches import JointWrenches
from eigenbody.mobility.frame import MotionFrame
from eigenbody.mobility.multipliers import Multipliers
from eigenbody.mobility.partition import Selection
from eigenbody.model.description import is_internal
from eigenbody.model.names import WRENCH
from eigenbody.numerics.matrices.assembly import Triplets
from eigenbody.numerics.matrices.linear import factor, matrix
from eigenbody.numerics.runtime import on_one_thread
from eigenbody.system.state import State
from eigenbody.system.system import System

if TYPE_CHECKING:
    from eigenbody.linearization.point import OperatingPoint

PROBES = 3  # random states of self-stress; one alone could miss a component by chance
REACHED = 1e-9  # a self-stress reaches a component when it is above this share of the largest
BALANCED = 1e-8  # how well minimum-norm multipliers must balance the bodies, relative to the largest of them


@dataclass(frozen=True, slots=True, eq=False)
class JointReaction:
    """Force and moment that the first body exerts on the second, at `point` (global) of the second body."""

    joint: str
    type: str
    between: tuple[str, str]
    force: np.ndarray  # (3,)
    moment: np.ndarray  # (3,)
    point: np.ndarray  # (3,)
    indeterminate: tuple[str, ...]  # components that redundancy leaves open

    def as_dict(self) -> dict[str, Any]:
        return {
            "joint": self.joint,
            "type": self.type,
            "between": list(self.between),
            "force": (self.force + 0.0).tolist(),
            "moment": (self.moment + 0.0).tolist(),
            "point": (self.point + 0.0).tolist(),
            "indeterminate": list(self.indeterminate),
        }


@dataclass(frozen=True, slots=True)
class GeneralizedForce:
    """Force of a coupling, driver or prescribed motion along its measure; positive increases the measure."""

    name: str
    label: str
    value: float
    indeterminate: bool

    def as_dict(self) -> dict[str, Any]:
        return {"name": self.name, "row": self.label, "value": self.value + 0.0, "indeterminate": self.indeterminate}


@dataclass(frozen=True, eq=False)
class Reactions(Result, look="loads.look"):
    """Reactions in all joints, in `axes` ("joint": those of the joint on its first body, or "ground"). SI units."""

    axes: str
    joints: tuple[str, ...]
    types: tuple[str, ...]
    between: tuple[tuple[str, str], ...]
    force: np.ndarray  # (joints, 3) on the second body
    moment: np.ndarray  # (joints, 3) about `point`
    point: np.ndarray  # (joints, 3) global
    open: np.ndarray  # (joints, 6) bool: components that redundancy leaves open
    generalized: tuple[GeneralizedForce, ...]  # couplings, then prescribed motions and drivers
    loads: tuple[ElementLoad, ...] = ()  # force elements
    impulsive: bool = False  # impulses in N*s and N*m*s instead of forces and moments

    @property
    def indeterminate(self) -> np.ndarray:
        """(joints,) bool: joints of which some component is left open by redundancy."""
        return np.asarray(self.open.any(axis=1))

    def __getitem__(self, joint: str) -> JointReaction:
        if joint not in self.joints:
            raise InputError(Fault("reactions", f'there is no joint "{joint}".', suggest(joint, self.joints)))
        return self._at(self.joints.index(joint))

    def _at(self, i: int) -> JointReaction:
        marks = tuple(name for name, is_open in zip(WRENCH, self.open[i], strict=True) if is_open)
        return JointReaction(
            self.joints[i], self.types[i], self.between[i], self.force[i], self.moment[i], self.point[i], marks
        )

    def __iter__(self) -> Iterator[JointReaction]:
        return (self._at(i) for i in range(len(self.joints)))


@on_one_thread
def at_point(point: OperatingPoint, axes: str = "joint") -> Reactions:
    """Reactions at an operating point."""
    frame = point.frame
    return at_frame(frame, (point.motion.multipliers, point.motion.slip_multipliers), axes)


def at_acceleration(
    system: System, state: State, acceleration: np.ndarray, chosen: Selection, axes: str = "joint"
) -> Reactions:
    """Reactions at any consistent state with its accelerations u' (nq,)."""
    frame = MotionFrame(Mechanics(system, state, acceleration), chosen)
    return at_frame(frame, independent_multipliers(frame, constraint_force(frame.mechanics)), axes)


def constraint_force(mechanics: Mechanics) -> np.ndarray:
    """G^T lambda + N^T mu (nq,): what the constraints must take at the accelerations of `mechanics`."""
    return mechanics.driving - mechanics.inertia_times(mechanics.acceleration)


def independent_multipliers(frame: MotionFrame, force: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Multipliers of all rows with G^T lambda + N^T mu = force, zero on redundant rows."""
    found = Multipliers.of(frame.system, frame.chosen, frame.at_velocity.solve_transposed(force))
    return found.held, found.slip


def at_frame(
    frame: MotionFrame, multipliers: tuple[np.ndarray, np.ndarray], axes: str = "joint", impulsive: bool = False
) -> Reactions:
    """Reactions of multipliers (holonomic rows, slip rows); redundant ones are exchanged for those of least norm."""
    if axes not in ("joint", "ground"):
        raise InputError(Fault("axes", f'"{axes}" is not known.', 'Use "joint" or "ground".'))
    wrenches = JointWrenches(frame.mechanics)
    balanced = least_multipliers(frame, wrenches, multipliers)
    stress = self_stress(frame, wrenches)
    force, moment = wrenches.of(*balanced)
    if axes == "joint":
        force, moment = wrenches.in_joint_axes(force), wrenches.in_joint_axes(moment)
    every = frame.system.description.joints
    is_open = _reached(wrenches, stress, axes)
    own = [i for i, entry in enumerate(every) if not is_internal(entry)]  # not what holds flexible bodies together
    entries = [every[i] for i in own]
    force, moment, at, is_open = force[own], moment[own], wrenches.point[own], is_open[own]
    for array in (force, moment, at, is_open):
        array.setflags(write=False)
    return Reactions(
        axes=axes,
        joints=tuple(entry.name for entry in entries),
        types=tuple(entry.type for entry in entries),
        between=tuple((entry["between"][0], entry["between"][1]) for entry in entries),
        force=force,
        moment=moment,
        point=at,
        open=is_open,
        generalized=_generalized(frame.system, wrenches, balanced[0], stress),
        loads=() if impulsive else tuple(load for load in element_loads(frame.mechanics) if "." not in load.name),
        impulsive=impulsive,
    )


def open_components(frame: MotionFrame, axes: str) -> np.ndarray:
    """(joints, 6) bool: components that redundancy leaves open, of all joints of the system."""
    wrenches = JointWrenches(frame.mechanics)
    return _reached(wrenches, self_stress(frame, wrenches), axes)


def _reached(wrenches: JointWrenches, stress: list[tuple[np.ndarray, np.ndarray]], axes: str) -> np.ndarray:
    """(joints, 6) bool: where any state of self-stress is not zero."""
    probed, length = [wrenches.of(*probe) for probe in stress], wrenches.system.length
    if axes == "joint":
        probed = [(wrenches.in_joint_axes(f), wrenches.in_joint_axes(m)) for f, m in probed]
    size = np.zeros((wrenches.count, 6))
    for force, moment in probed:
        size = np.maximum(size, np.abs(np.concatenate((force, moment / length), axis=1)))
    return size > REACHED * max(size.max(initial=0.0), 1e-300)


def _generalized(
    system: System, wrenches: JointWrenches, multipliers: np.ndarray, stress: list[tuple[np.ndarray, np.ndarray]]
) -> tuple[GeneralizedForce, ...]:
    """Couplings, prescribed motions and drivers: force along the row, opposite to its multiplier."""
    first, weight = wrenches.joint_rows, np.sqrt(wrenches.row_weight)
    size = np.max([np.abs(probe[0]) * weight for probe in stress], axis=0) if stress else np.zeros(len(multipliers))
    largest = float(size.max(initial=0.0))
    return tuple(
        GeneralizedForce(row.owner, row.label, -float(value), bool(reach > REACHED * largest))
        for row, value, reach in zip(system.constraints.rows[first:], multipliers[first:], size[first:], strict=True)
    )


# Multipliers under redundancy ---------------------------------------------------------------------------------------
def least_multipliers(
    frame: MotionFrame, wrenches: JointWrenches, multipliers: tuple[np.ndarray, np.ndarray]
) -> tuple[np.ndarray, np.ndarray]:
    """The multipliers of least norm that put the same forces on all bodies as those given.

    One regular system for all rows, redundant ones included, S the rows of the free coordinates (y = 0 because the
    forces balance without it); x are displacements of the bodies:

        [D  A^T  0 ] [lambda]   [0]        A = [G^T N^T] scaled, D the metric
        [A   0  S^T] [  x   ] = [f]
        [0   S   0 ] [  y   ]   [0]
    """
    chosen, system = frame.chosen, frame.system
    if not len(chosen.redundant) and not len(chosen.redundant_slips):
        return multipliers
    mechanics = frame.mechanics
    force = mechanics.holonomic.force(multipliers[0], system.nq)
    if system.slips.count:
        force = force + mechanics.non_holonomic.force(multipliers[1], system.nq)
    rows, n, free = system.constraints.count + system.slips.count, system.nq, frame.speeds.count
    unit = np.where(system.is_angular, 1.0 / system.length, 1.0)  # moments count as forces at the length
    scale = 1.0 / np.sqrt(wrenches.weight)
    whole = matrix(_least_norm_system(frame, wrenches, scale, unit), (rows + n + free,) * 2, frame.is_sparse)
    rhs = np.concatenate((np.zeros(rows), unit * force, np.zeros(free)))
    solver = factor(whole)
    solved = solver.solve(rhs)
    for _ in range(2):
        solved = solved + solver.solve(rhs - whole @ solved)
    miss = np.abs(rhs - whole @ solved).max(initial=0.0)
    size = max(np.abs(rhs).max(initial=0.0), np.abs(solved[:rows]).max(initial=0.0), 1e-300)
    if not np.isfinite(miss) or miss > BALANCED * size:
        raise ComputationError(
            f"The reactions among redundant joints were not found: the forces balance to {miss:.3g} N only."
            " Remove the redundant constraints that `check` lists."
        )
    found = scale * solved[:rows]
    return found[: system.constraints.count], found[system.constraints.count :]


def _least_norm_system(
    frame: MotionFrame, wrenches: JointWrenches, scale: np.ndarray, unit: np.ndarray
) -> list[Triplets]:
    """The matrix of `least_multipliers` as triplets."""
    system, mechanics = frame.system, frame.mechanics
    rows, n = system.constraints.count + system.slips.count, system.nq
    parts = [(0, t) for t in mechanics.holonomic.rows()]
    if system.slips.count:
        parts += [(system.constraints.count, t) for t in mechanics.non_holonomic.rows()]
    out = wrenches.metric(scale)
    for start, t in parts:
        keep = t.cols < n
        r, c = t.rows[keep] + start, t.cols[keep]
        value = t.values[keep] * scale[r] * unit[c]
        out += [Triplets(r, rows + c, value), Triplets(rows + c, r, value)]
    jet = frame.speed_jet
    s = Triplets.of_rows(np.arange(frame.speeds.count), frame.speeds.columns, jet.gradient)
    keep = s.cols < n
    r, c, value = s.rows[keep] + rows + n, s.cols[keep], s.values[keep] * unit[s.cols[keep]]
    return [*out, Triplets(r, rows + c, value), Triplets(rows + c, r, value)]


def self_stress(frame: MotionFrame, wrenches: JointWrenches) -> list[tuple[np.ndarray, np.ndarray]]:
    """Random multipliers that put no force on any body: they reach every component that redundancy leaves open."""
    chosen, system, mechanics = frame.chosen, frame.system, frame.mechanics
    if not len(chosen.redundant) and not len(chosen.redundant_slips):
        return []
    rng = np.random.default_rng(11)
    scale = 1.0 / np.sqrt(wrenches.weight)
    out = []
    for _ in range(PROBES):
        holonomic, slips = np.zeros(system.constraints.count), np.zeros(system.slips.count)
        holonomic[chosen.redundant] = rng.normal(size=len(chosen.redundant)) * scale[chosen.redundant]
        at = system.constraints.count + chosen.redundant_slips
        slips[chosen.redundant_slips] = rng.normal(size=len(at)) * scale[at]
        force = mechanics.holonomic.force(holonomic, system.nq)
        if system.slips.count:
            force = force + mechanics.non_holonomic.force(slips, system.nq)
        against = independent_multipliers(frame, force)
        out.append((holonomic - against[0], slips - against[1]))
    return out
