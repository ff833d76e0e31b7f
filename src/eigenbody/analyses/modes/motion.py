"""What the bodies do in a mode: displacements and velocities in all coordinates of the bodies, dense or sparse path."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from eigenbody.linearization.forms import sparse_form
from eigenbody.linearization.point import OperatingPoint
from eigenbody.linearization.rows import rate_rows
from eigenbody.mobility.frame import MotionFrame
from eigenbody.numerics.matrices.linear import SparseFactor
from eigenbody.spatial.rotations import apply, apply_transposed, cross
from eigenbody.system.state import collect, spread

if TYPE_CHECKING:
    from eigenbody.analyses.modes.result import Modes
    from eigenbody.linearization.model import LinearModel

DRIFTS = 1e-9  # a zero entry whose velocity is above this part of its displacement is a motion at constant speed


@dataclass(frozen=True, slots=True, eq=False)
class ModeMotion:
    """The motion of every entry: variations dq and du (n, nq), first-order states (n, nx) and algebraic variables, what
    forces read of accelerations and loads (n, nz), complex.

    `twist` (n, bodies, 6) is displacement of the centre of mass and small rotation in global axes, or, for the
    entries in `drifts` (zeros that are a motion at constant speed), velocity and angular velocity. `along` (n, nq) is
    the velocity that belongs to the rates of the coordinates, eigenvalue dq, which energies are of: where coordinates
    do not turn with what spins du has a part more, by their values alone. With rolling it is du. `speed` (n, nq) is the
    same, for zeros that which would be moved through (nothing moves in them of itself).
    """

    q: np.ndarray
    u: np.ndarray
    x: np.ndarray
    z: np.ndarray
    twist: np.ndarray
    along: np.ndarray
    speed: np.ndarray
    drifts: np.ndarray


def mode_motion(modes: Modes) -> ModeMotion:
    """Motion of all bodies in each mode."""
    linear, point = modes.linear, modes.linear.point
    z = modes.states_shape
    if z is not None:
        nS, nW = len(linear.coordinates), len(linear.velocities)
        q, u, x = z @ linear.shape_q.T, z @ linear.shape_u.T, z[:, nS + nW :]
        pushed = z[:, nS : nS + nW] @ linear.shape_u[:, nS : nS + nW].T
    else:
        q = variations(modes)
        u = q * modes.eigenvalues[:, None] if linear.sparse.is_static else _velocities(point, modes.eigenvalues, q)
        x, pushed = _first_order_states(linear, modes.eigenvalues, q, u), np.zeros_like(q)
    read = _readings(linear, q, u, x)
    own, moved = (_size(point, part) for part in (pushed, q))
    drifts = modes.is_rigid & (own > DRIFTS * moved)
    along = u if point.system.slips.count else modes.eigenvalues[:, None] * q
    speed = np.where(modes.is_rigid[:, None], np.where(drifts[:, None], pushed, q), along)
    twist = global_motion(point, np.where(drifts[:, None], pushed, q))
    return ModeMotion(q, u, x, read, twist, along, speed, drifts)


def _readings(linear: LinearModel, q: np.ndarray, u: np.ndarray, x: np.ndarray) -> np.ndarray:
    """Algebraic variables (n, nz) of modes, from the descriptor's equations without rates."""
    nz, frame = len(linear.point.system.algebraic), linear.point.frame
    if not nz:
        return np.zeros((len(q), 0))
    S = frame.position_rows("gradient") @ q.T
    W = frame.speed_rows("gradient") @ u.T + frame.speed_rows("rate_q") @ q.T
    d = sparse_form(linear.point).descriptor  # at this instant, whatever the coordinates are counted in
    rest, n = d.A.tocsr()[d.differential :].tocsc(), d.differential
    right = -(rest[:, :n] @ np.concatenate((S, W, x.T)))
    factor = SparseFactor(rest[:, n:])
    return (factor.solve(np.ascontiguousarray(right.real)) + 1j * factor.solve(np.ascontiguousarray(right.imag)))[
        -nz:
    ].T


def global_motion(point: OperatingPoint, q: np.ndarray) -> np.ndarray:
    """(n, nq) variations to (n, bodies, 6) in global axes."""
    motion = spread(point.system, q)
    return np.concatenate((motion[..., :3], apply(np.real(point.state.R), motion[..., 3:])), axis=-1)


def variations(modes: Modes) -> np.ndarray:
    """dq (n, nq) from the shapes."""
    turned = apply_transposed(np.real(modes.linear.point.state.R), modes.motion[..., 3:])
    both = np.concatenate((modes.motion[..., :3], turned), axis=-1)
    return both.reshape(len(both), 6 * both.shape[1])[:, modes.linear.point.system.body_columns]


def _velocities(point: OperatingPoint, eigenvalues: np.ndarray, q: np.ndarray) -> np.ndarray:
    """du (n, nq) of modes in motion: rates of coordinates are dW = eigenvalue dS, constraints do the rest."""
    frame = point.frame
    rates = eigenvalues * (frame.speed_rows("gradient") @ q.T)
    held = frame.held("rate_q") @ q.T
    return solved(frame, np.concatenate((-held, rates - frame.speed_rows("rate_q") @ q.T))).T


def _first_order_states(linear: LinearModel, eigenvalues: np.ndarray, q: np.ndarray, u: np.ndarray) -> np.ndarray:
    """x (n, nx) of modes, from eigenvalue x = X x + Q dq + U du + Z z."""
    point, count = linear.point, len(linear.point.system.states)
    out = np.zeros((len(q), count), complex)
    if not count:
        return out
    from scipy.sparse import csc_array, eye_array
    from scipy.sparse.linalg import spsolve

    rows = rate_rows(point, point.frame, True)
    driven, by_x = (rows.q @ q.T + rows.u @ u.T).T, rows.x
    if point.system.algebraic:
        still = np.zeros((count, q.shape[1]))
        driven = driven + (rows.z @ _readings(linear, q, u, out).T).T
        by_x = by_x + rows.z @ csc_array(_readings(linear, still, still, np.eye(count)).real.T)
    for i in np.flatnonzero(eigenvalues != 0):
        out[i] = spsolve((eigenvalues[i] * eye_array(count) - by_x).tocsc(), driven[i])
    return out


def solved(frame: MotionFrame, rhs: np.ndarray) -> np.ndarray:
    """Solve at velocity level with complex right sides."""
    both = frame.at_velocity.solve(np.ascontiguousarray(np.hstack((rhs.real, rhs.imag))))
    return both[:, : rhs.shape[1]] + 1j * both[:, rhs.shape[1] :]


def _size(point: OperatingPoint, u: np.ndarray) -> np.ndarray:
    """sqrt(u^H M u) of each row."""
    if not len(u):
        return np.zeros(0)
    return np.asarray(np.sqrt(np.abs((u.conj() * point.mechanics.inertia_times(u)).sum(axis=-1))))


@dataclass(frozen=True, slots=True, eq=False)
class MotionWork:
    """What inertia in motion does in each mode, (n,): x^H K x and v^H C v of its stiffness and of the rest of it,
    complex, beside M of the coordinates; and the sum of sizes that were added up in both."""

    stiffness: np.ndarray
    damping: np.ndarray
    size: np.ndarray


def motion_work(modes: Modes, motion: ModeMotion) -> MotionWork:
    """With x the displacements and v their rates: x^H (M A_S + C D) x and v^H (M A_W + C) v (docs/theory), C that of
    gyroscopic moments; in multi-blade coordinates with S' = Z' + G Z and S'' = Z'' + 2 G Z' + G^2 Z."""
    linear, point = modes.linear, modes.linear.point
    mechanics, state, none = point.mechanics, point.state, np.zeros(len(motion.q), complex)
    if not len(motion.q) or not (
        np.any(state.v) or np.any(state.w) or np.any(mechanics.acceleration) or point.system.description.frames
    ):
        return MotionWork(none, none, none.real)
    frame, q = point.frame, motion.q.T
    held = point.system.nq - frame.speeds.count
    rates = frame.position_rows("gradient") @ q if linear.blades is not None else None
    D = solved(frame, _turned(-frame.velocity_rows("rate_q") @ q, held, linear, rates, 1))
    right = -(frame.velocity_rows("acceleration_q") @ q + frame.velocity_rows("acceleration_u") @ D)
    A = solved(frame, _turned(right, held, linear, rates, 2))
    force = mechanics.inertia_times(A.T) + _by_velocity(point, D.T)
    for part in mechanics.flexible:
        force = force + part.stiffness(mechanics.acceleration).times(motion.q)
    for armature in mechanics.armature:
        force = force + sum(triplets.times(motion.q) for triplets in armature.stiffness())
    work = motion.q.conj() * force
    if point.system.slips.count:
        return MotionWork(work.sum(axis=-1), none, np.abs(work).sum(axis=-1))
    twice = None if rates is None else 2 * modes.eigenvalues * rates
    A = solved(frame, _turned(-frame.velocity_rows("acceleration_u") @ motion.along.T, held, linear, twice, 1))
    lost = motion.along.conj() * (mechanics.inertia_times(A.T) + _by_velocity(point, motion.along))
    size = np.abs(work).sum(axis=-1) * np.abs(modes.eigenvalues.imag) + np.abs(lost).sum(axis=-1)
    return MotionWork(work.sum(axis=-1), lost.sum(axis=-1), size)


def _turned(right: np.ndarray, held: int, linear: LinearModel, rates: np.ndarray | None, power: int) -> np.ndarray:
    """Right sides with G^power times values of the coordinates added to the rows of these."""
    if rates is None or linear.blades is None:
        return right
    out = right.astype(complex)
    out[held:] += np.linalg.matrix_power(linear.blades.chart.G, power) @ rates
    return out


def _by_velocity(point: OperatingPoint, u: np.ndarray) -> np.ndarray:
    """(n, nq) forces of inertia by du: of gyroscopic moments, and of bodies that bend."""
    force = _gyroscopic(point, u)
    for part in point.mechanics.flexible:
        force = force + part.damping().times(u)
    for armature in point.mechanics.armature:
        force = force + armature.damping().times(u)
    return force


def _gyroscopic(point: OperatingPoint, u: np.ndarray) -> np.ndarray:
    """(n, nq) change of w x J w by du."""
    system, w = point.system, np.real(point.state.w)
    inertia = np.real(system.inertia)
    turn = spread(system, u)[..., 3:]
    moment = cross(np.broadcast_to(w, turn.shape), apply(inertia, turn))
    moment = moment + cross(turn, np.broadcast_to(apply(inertia, w), turn.shape))
    return collect(system, np.zeros_like(moment), moment)
