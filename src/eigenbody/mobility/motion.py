"""Accelerations and constraint forces at a state: the forward dynamics, in the free motion."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from eigenbody.base.errors import ComputationError, Fault, InputError
from eigenbody.dynamics.algebraic import Response
from eigenbody.dynamics.mechanics import Mechanics
from eigenbody.mobility.bent import bent_too_far
from eigenbody.mobility.frame import MotionFrame
from eigenbody.mobility.multipliers import Multipliers
from eigenbody.model.description import owner_of
from eigenbody.numerics.matrices.linear import KKT, factor, joined, matrix, solve_vector, times
from eigenbody.numerics.matrices.projection import Projection
from eigenbody.system.system import System

RESTS = 1e-9  # force left along the free motion, relative to the forces, at which it rests
DENSE_FREEDOMS = 600  # up to here the projected mass matrix is formed and its definiteness checked


@dataclass(frozen=True, slots=True, eq=False)
class ForwardDynamics:
    """u' (nq,), multipliers of all holonomic rows and of all slip rows (zero on redundant rows)."""

    acceleration: np.ndarray
    multipliers: np.ndarray
    slip_multipliers: np.ndarray
    algebraic: np.ndarray = field(default_factory=lambda: np.zeros(0))  # z of the state

    @property
    def parts(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Its arrays."""
        return self.acceleration, self.multipliers, self.slip_multipliers, self.algebraic

    def mechanics(self, still: Mechanics) -> Mechanics:
        """The mechanics with these accelerations and algebraic variables, of a mechanism without; the same where there
        are none."""
        if not still.system.algebraic and not self.acceleration.any():
            return still
        if not still.system.algebraic:
            return still.accelerated(self.acceleration)
        return Mechanics(still.system, replace(still.state, z=self.algebraic), self.acceleration)


def solve_motion(frame: MotionFrame, is_doubted: bool = False, may_rest: bool = False) -> ForwardDynamics:
    """Accelerations, multipliers and algebraic variables at a state. `is_doubted` asks whether these are the only
    ones where forces depend on what they bring about; `may_rest` allows motions without mass in equilibrium."""
    if not frame.system.algebraic:
        return _solve_motion(frame, may_rest)
    variables, first = frame.mechanics.algebraic, _solve_motion(frame.accelerated(frame.mechanics.blind()))
    response = _response(frame, variables.pushes())
    y0 = variables.values(first.multipliers, first.slip_multipliers, first.acceleration)
    Y = variables.through(response)
    z = variables.solved(y0, Y)
    if is_doubted:
        variables.refuse_doubtful(np.real(z), y0, Y)
    there = frame.mechanics.with_algebraic(z)
    return replace(_solve_motion(frame.accelerated(there)), algebraic=z)


def _response(frame: MotionFrame, forces: np.ndarray) -> Response:
    """What forces (..., nq, k) on the bodies make at once of a mechanism that they do not move yet."""
    system, (free, inertia) = frame.system, free_response(frame, forces)
    solved = frame.at_velocity.solve_transposed(np.asfortranarray(forces - inertia))
    m = Multipliers.of_columns(system, frame.chosen, solved)
    return Response(free, m.held, m.slip)


def _solve_motion(frame: MotionFrame, may_rest: bool = False) -> ForwardDynamics:
    """Solve M u' + G^T lambda + N^T mu = Q - h with the constraints at acceleration level.

    u' = u'_0 + Pv w' where u'_0 obeys the constraints with the coordinates' own accelerations zero; the projection on
    Pv leaves the small symmetric system Pv^T M Pv w' = Pv^T (Q - h - M u'_0).
    """
    mechanics, system = frame.mechanics, frame.system
    held, own, driving = own_accelerations(frame)
    if not (held.any() or own.any() or driving.any()) and system.has_mass_everywhere:
        return ForwardDynamics(*(np.zeros(n) for n in (system.nq, system.constraints.count, system.slips.count)))
    fixed = solve_vector(frame.at_velocity, -joined(held, own))
    M = matrix(mechanics.mass(), (system.nq, system.nq), frame.is_sparse)
    if not frame.is_sparse or (frame.speeds.count <= DENSE_FREEDOMS and not system.has_mass_everywhere):
        reduced = Projection().of(mechanics.mass(), frame.Pv, frame.Pv)
        if reduced.ndim == 2 and may_rest and _rests(frame, driving) and len(massless(system, reduced)):
            return _at_rest(frame, driving)
        if reduced.ndim == 2:
            check_mass(system, frame, reduced)
        pushed = frame.Pv.mT @ (driving - times(M, fixed))[..., None]
        acceleration = fixed + (frame.Pv @ factor(reduced).solve(pushed))[..., 0] if frame.speeds.count else fixed
    else:
        acceleration = fixed + _free_acceleration(frame, M, driving - M @ fixed)
    forces = solve_vector(frame.at_velocity, driving - times(M, acceleration), transposed=True)
    m = Multipliers.of(system, frame.chosen, forces)
    return ForwardDynamics(acceleration, m.held, m.slip)


def free_response(frame: MotionFrame, forces: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Free accelerations a that forces (..., nq, k) bring about, and M a: what the constraints leave of the forces."""
    system = frame.system
    M = matrix(frame.mechanics.mass(), (system.nq, system.nq), frame.is_sparse)
    free = np.zeros_like(forces)
    if frame.speeds.count and forces.shape[-1]:
        if frame.is_sparse and frame.speeds.count > DENSE_FREEDOMS:
            free = np.stack([_free_acceleration(frame, M, f) for f in forces.T], axis=-1)
        else:
            reduced = Projection().of(frame.mechanics.mass(), frame.Pv, frame.Pv)
            free = frame.Pv @ factor(reduced).solve(frame.Pv.mT @ forces)
    return free, M @ free


def own_accelerations(frame: MotionFrame) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """What constraint rows and coordinates accelerate by with u' = 0 (gamma), and the driving forces."""
    mechanics = frame.mechanics
    held = mechanics.holonomic.acceleration[..., frame.chosen.rows]
    if frame.has_slips:
        slips = mechanics.non_holonomic.acceleration[..., frame.chosen.slip_rows]
        held = joined(held, slips)
    own = frame.speed_jet.acceleration
    return held, own, mechanics.driving


def _free_acceleration(frame: MotionFrame, M: Any, force: np.ndarray) -> np.ndarray:
    """a in the free motion with M a = force up to constraint forces: one sparse solve of [[M, G^T], [G, 0]]."""
    if not np.any(force):
        return np.zeros_like(force)
    saddle = KKT(M, frame.held("gradient"))
    a = saddle.solve(force)
    if not np.isfinite(a).all():
        raise InputError(
            Fault("bodies", "the mechanism can move without moving any mass or inertia.", "Give every body its mass.")
        )
    return a


def check_mass(system: System, frame: MotionFrame, reduced: np.ndarray) -> None:
    """Refuse a mechanism that can move without moving any mass; names the coordinates and bodies of that motion."""
    if not np.isfinite(reduced).all():
        raise ComputationError("The mass matrix is not finite: masses and lengths are too large for double precision.")
    found = massless(system, reduced)
    if len(found):
        motion = np.abs(found).max(axis=1)
        raise InputError(massless_fault(system, frame, np.flatnonzero(motion > 0.1 * motion.max())))


def massless(system: System, reduced: np.ndarray) -> np.ndarray:
    """Motions (coordinates, k) that move no mass; (0, 0) where every motion does."""
    size = np.sqrt(np.abs(np.diagonal(np.real(reduced))))
    n = len(size)
    if not n:
        return np.zeros((0, 0))
    weightless = size <= 1e-150
    safe = np.where(weightless, 1.0, size)
    balanced = np.real(reduced) / safe[:, None] / safe
    balanced[weightless, weightless] = 0.0
    values, vectors = np.linalg.eigh(0.5 * (balanced + balanced.T))
    none = values <= 64 * n * np.finfo(float).eps
    return vectors[:, none] / safe[:, None] if np.any(none) else np.zeros((0, 0))


def massless_motions(frame: MotionFrame) -> np.ndarray:
    """Motions (coordinates, k) of a frame that move no mass; (0, 0) where every motion does."""
    if frame.speeds.count > DENSE_FREEDOMS or frame.system.has_mass_everywhere or not frame.speeds.count:
        return np.zeros((0, 0))
    return massless(frame.system, Projection().of(frame.mechanics.mass(), frame.Pv, frame.Pv))


def refuse_massless(frame: MotionFrame, what: str) -> None:
    """Refuse motions without mass, whatever holds them, for what needs it."""
    found = massless_motions(frame)
    if len(found):
        motion = np.abs(found).max(axis=1)
        fault = massless_fault(frame.system, frame, np.flatnonzero(motion > 0.1 * motion.max()))
        raise InputError(replace(fault, remedy=f"Give the bodies mass and inertia, however little, for {what}."))


def _rests(frame: MotionFrame, driving: np.ndarray) -> bool:
    """Whether nothing moves and no force is left along the free motion, beyond rounding."""
    state = frame.mechanics.state
    if np.any(state.v) or np.any(state.w) or frame.has_slips:
        return False
    m = Multipliers.of(frame.system, frame.chosen, solve_vector(frame.at_velocity, driving, transposed=True))
    size = np.abs(frame.Pv.T) @ frame.mechanics.force_size(m.held, m.slip)
    return bool(np.all(np.abs(frame.Pv.T @ driving) <= RESTS * size.max(initial=0.0)))


def _at_rest(frame: MotionFrame, driving: np.ndarray) -> ForwardDynamics:
    m = Multipliers.of(frame.system, frame.chosen, solve_vector(frame.at_velocity, driving, transposed=True))
    return ForwardDynamics(np.zeros(frame.system.nq), m.held, m.slip)


def massless_fault(system: System, frame: MotionFrame, moving: Sequence[int] | np.ndarray) -> Fault:
    """Names the coordinates and bodies of a motion without mass, or the beam that is bent too far to have one."""
    coordinates = [system.names[i] for i in frame.chosen.velocities[moving]]
    too_far = bent_too_far(system, frame.mechanics.state, coordinates)
    if too_far is not None:
        return too_far
    share = np.abs(frame.Pv[:, moving]).max(axis=1)
    moved = [system.places.names[system.body_columns[c] // 6] for c in np.flatnonzero(share > 1e-9)]
    flexible = {owner_of(body.name) for body in system.description.flexible}
    owners = sorted({owner_of(name) for name in moved})
    bodies = [f"{'flexible' if name in flexible else 'bodies'}.{name}" for name in owners]
    return Fault(
        ", ".join(bodies[:6]) or "bodies",
        f"the mechanism can move ({', '.join(coordinates[:6])}) without moving any mass or inertia.",
        "Give the bodies mass and inertia, or hold that motion by a joint. A motion that springs hold needs none where"
        " the mechanism is at rest in equilibrium.",
    )
