"""Linearization at any consistent state: the augmented system (docs/theory/linearization.md), solved.

Along the constraint manifold
    dq  = P dS                                         constraints at position level
    du  = Pv dW + D dS                                 at velocity level
    du' = Pv dW' + A_S dS + A_W dW                     at acceleration level
so that projecting the residual's tangent on Pv leaves M W' + C W + K S = B in + X x.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from eigenbody.errors import Fault, InputError
from eigenbody.linearization.certificate import certify
from eigenbody.linearization.large import SparseLinearModel
from eigenbody.linearization.model import LinearModel, StateSpace
from eigenbody.linearization.outputs import through
from eigenbody.linearization.pencil import tangents
from eigenbody.linearization.rows import output_rows, rate_rows
from eigenbody.numerics.assembly import Part, absolute
from eigenbody.numerics.linear import matrix
from eigenbody.operation.frame import MotionFrame
from eigenbody.operation.partition import Selection, select
from eigenbody.operation.point import OperatingPoint, at_state, system_of
from eigenbody.progress import report

EPS = np.finfo(float).eps
DENSE_FREEDOMS = 2000  # above this the linear model stays sparse unless dense is asked for


def linear_model(
    point: OperatingPoint, coordinates: Sequence[str] | Mapping[str, float] | None = None, solver: str | None = None
) -> LinearModel | SparseLinearModel:
    """The linear model at an operating point, sparse above 2000 degrees of freedom or as `solver` says."""
    if coordinates is not None:
        point = in_coordinates(point, coordinates)
    chosen = point.chosen
    if use_sparse(solver, len(chosen.velocities) > DENSE_FREEDOMS):
        return sparse_model(point, chosen)
    return dense_model(point, chosen)


def use_sparse(solver: str | None, by_default: bool) -> bool:
    """Decide between the dense and the sparse path."""
    if solver not in (None, "dense", "sparse"):
        raise InputError(Fault("solver", f'"{solver}" is not known.', 'Use "dense" or "sparse".'))
    return by_default if solver is None else solver == "sparse"


def sparse_model(point: OperatingPoint, chosen: Selection) -> SparseLinearModel:
    """The linear model in sparse form."""
    report("linearizing")
    system = point.system
    S, W = (tuple(system.names[i] for i in index) for index in (chosen.positions, chosen.velocities))
    C, K = tangents(point)
    return SparseLinearModel(
        point=point,
        chosen=chosen,
        coordinates=S,
        velocities=W,
        dropped=tuple(system.names[i] for i in chosen.dropped),
        states=(*S, *(name + "'" for name in W), *system.states),
        inputs=system.inputs,
        outputs=tuple(output.name for output in system.outputs),
        certificate=certify(point, len(W), K, C),
        notes=_notes(point, chosen),
        tangents=(C, K),
    )


def dense_model(point: OperatingPoint, chosen: Selection) -> LinearModel:
    """The linear model with dense matrices."""
    report("linearizing")
    frame = MotionFrame(point.mechanics, chosen)
    motion = _Variations(frame)
    tangents = _Tangents(point, frame)
    M, C, K, X, B, noise_K, noise_C = _projected(point, frame, motion, tangents)
    Y, Z, noise_Y, noise_Z = _kinematics(frame, motion)
    shapes = _Shapes(frame, motion, tangents, M, C, K, X, B)
    A, Bs = _first_order(point, frame, Y, Z, shapes)
    noise_A = _noise_of_A(A, M, noise_K, noise_C, noise_Y, noise_Z)
    Co, D = np.split(through(output_rows(point, frame, frame.is_sparse), shapes), [len(A)], axis=1)
    names, system = point.system.names, point.system
    S = tuple(names[i] for i in chosen.positions)
    W = tuple(names[i] for i in chosen.velocities)
    return LinearModel(
        point=point,
        chosen=chosen,
        coordinates=S,
        velocities=W,
        dropped=tuple(names[i] for i in chosen.dropped),
        M=M, C=C, K=K, noise_K=noise_K, noise_C=noise_C, noise_A=noise_A, Y=Y, Z=Z,
        state_space=StateSpace(A, Bs, Co, D),
        states=(*S, *(name + "'" for name in W), *system.states),
        inputs=system.inputs,
        outputs=tuple(output.name for output in system.outputs),
        shape_q=shapes.q,
        shape_u=shapes.u,
        certificate=certify(point, len(W), tangents.K, tangents.C),
        notes=_notes(point, chosen),
    )  # fmt: skip


def in_coordinates(point: OperatingPoint, coordinates: Sequence[str] | Mapping[str, float]) -> OperatingPoint:
    """The same operating point with other wishes for the coordinates."""
    if not isinstance(coordinates, Mapping) and all(name in point.system.aliases for name in coordinates):
        wishes = [point.system.aliases[name] for name in coordinates]
        chosen = select(point.mechanics, wishes)
        same = set(chosen.positions.tolist()) == set(point.chosen.positions.tolist())
        return replace(point, chosen=chosen, is_steady=point.is_steady and same)
    wanted = dict(coordinates) if isinstance(coordinates, Mapping) else list(coordinates)
    model = point.model.set(coordinates=wanted)  # names that only the model can judge
    return at_state(model, system_of(model), point.state)


class _Variations:
    """D, A_S and A_W: what the bodies do, beyond P and Pv, when the mechanism moves."""

    def __init__(self, frame: MotionFrame) -> None:
        nS, nW = frame.positions.count, frame.speeds.count
        n = frame.system.nq
        mechanics = frame.mechanics
        moving = np.any(mechanics.state.v) or np.any(mechanics.state.w) or frame.system.description.frames
        accelerated = moving or np.any(mechanics.acceleration)
        zero = np.zeros((n, nS))
        self.D = self._solve(frame, "rate_q", frame.P) if moving else zero
        if not accelerated:
            self.A_S, self.A_W = zero, np.zeros((n, nW))
            return
        self.A_S = self._solve(frame, "acceleration_q", frame.P)
        if moving:
            self.A_S = self.A_S + self._solve(frame, "acceleration_u", self.D)
            self.A_W = self._solve(frame, "acceleration_u", frame.Pv)
        else:
            self.A_W = np.zeros((n, nW))

    @staticmethod
    def _solve(frame: MotionFrame, what: str, motion: np.ndarray) -> np.ndarray:
        rows = np.concatenate((frame.held(what) @ motion, frame.speed_rows(what) @ motion))
        return -frame.at_velocity.solve(rows)


class _Tangents:
    """The residual's tangents in all coordinates of the bodies."""

    def __init__(self, point: OperatingPoint, frame: MotionFrame) -> None:
        system, mechanics = point.system, point.mechanics
        nq = system.nq
        stiffness = mechanics.stiffness(point.motion.multipliers, point.motion.slip_multipliers)

        def build(parts: Sequence[Part], columns: int) -> Any:
            return matrix(parts, (nq, columns), frame.is_sparse)

        self.M = build(mechanics.mass(), nq)
        self.C = build(mechanics.damping(), nq)
        self.K = build(stiffness, nq)
        self.K_size = build(absolute(stiffness), nq)  # size of the summands of K and C, however they cancel
        self.C_size = build(absolute(mechanics.damping()), nq)
        self.X = build(mechanics.applied.state_matrix(), len(system.states))
        self.B = build(mechanics.applied.input_matrix(), len(system.inputs))


def _projected(point: OperatingPoint, frame: MotionFrame, motion: _Variations, t: _Tangents) -> tuple[np.ndarray, ...]:
    """M, C, K, X, B in the coordinates, and the rounding error to expect in K."""
    onto = frame.Pv.T
    M = onto @ (t.M @ frame.Pv)
    C = onto @ (t.M @ motion.A_W + t.C @ frame.Pv)
    K = onto @ (t.M @ motion.A_S + t.C @ motion.D + t.K @ frame.P)
    size_K = abs(onto) @ (abs(t.M) @ abs(motion.A_S) + t.C_size @ abs(motion.D) + t.K_size @ abs(frame.P))
    size_C = abs(onto) @ (abs(t.M) @ abs(motion.A_W) + t.C_size @ abs(frame.Pv))
    noise_K, noise_C = _noise(point, M, size_K, 2), _noise(point, M, size_C, 1)
    return M, C, K, onto @ _as_dense(t.X), onto @ _as_dense(t.B), noise_K, noise_C


def _noise(point: OperatingPoint, M: np.ndarray, size: np.ndarray, order: int) -> np.ndarray:
    """Rounding error to expect in K (order 2) or C (order 1): from the size of the summands, and from inertia forces
    that cancel inside them, which are of the order mass times spin to that power."""
    weight = np.sqrt(np.abs(np.diagonal(M)))
    column = weight if len(weight) == size.shape[1] else np.full(size.shape[1], weight.max(initial=0.0))
    return EPS * (8 * size + 16 * spin_rate(point) ** order * weight[:, None] * column)


def spin_rate(point: OperatingPoint) -> float:
    """How fast things move, in rad/s: rotation, speed in lengths of the mechanism, root of angular acceleration."""
    turning = point.motion.acceleration[point.system.is_angular]
    speed = np.abs(point.state.v).max(initial=0.0) / point.system.length
    rates = (np.abs(point.state.w).max(initial=0.0), speed, np.sqrt(np.abs(turning).max(initial=0.0)))
    return float(np.linalg.norm(rates))


def _as_dense(matrix: Any) -> np.ndarray:
    return matrix if isinstance(matrix, np.ndarray) else matrix.toarray()


def _kinematics(frame: MotionFrame, motion: _Variations) -> tuple[np.ndarray, ...]:
    """S' = Y S + Z W, and the rounding error to expect in Y and Z; without non-holonomic rows Y = 0 and Z = I by
    construction."""
    if not frame.has_slips:
        n = frame.positions.count
        none = np.zeros((n, n))
        return none, np.eye(n), none, none
    rows, turning = frame.position_rows("gradient"), frame.position_rows("rate_q")
    Y, Z = turning @ frame.P + rows @ motion.D, rows @ frame.Pv
    size_Y = abs(turning) @ abs(frame.P) + abs(rows) @ abs(motion.D)
    return Y, Z, 8 * EPS * size_Y, 8 * EPS * (abs(rows) @ abs(frame.Pv))


def _noise_of_A(
    A: np.ndarray, M: np.ndarray, noise_K: np.ndarray, noise_C: np.ndarray, noise_Y: np.ndarray, noise_Z: np.ndarray
) -> np.ndarray:
    """Rounding error to expect in A: of the kinematics, and of the forces divided by the mass."""
    nS, nW = noise_K.shape[1], len(M)
    noise = 8 * EPS * np.abs(A)
    noise[:nS, :nS] += noise_Y
    noise[:nS, nS : nS + nW] += noise_Z
    if nW:
        inverse = np.abs(np.linalg.inv(M))
        spread_out = inverse @ np.abs(M) @ np.abs(A[nS : nS + nW])  # what solving with M adds
        noise[nS : nS + nW] += 8 * EPS * spread_out
        noise[nS : nS + nW, : nS + nW] += inverse @ np.hstack((noise_K, noise_C))
    return noise


class _Shapes:
    """Motion of all bodies by linear state and by input: dq, du, du' = (.) [S, W, x] + (.) in."""

    def __init__(
        self, frame: MotionFrame, motion: _Variations, tangents: _Tangents,
        M: np.ndarray, C: np.ndarray, K: np.ndarray, X: np.ndarray, B: np.ndarray,
    ) -> None:  # fmt: skip
        n, nS, nW = frame.system.nq, frame.positions.count, frame.speeds.count
        nx, nu = len(frame.system.states), len(frame.system.inputs)
        none = np.zeros((n, nx))
        self._frame, self._tangents = frame, tangents
        self.nS, self.nW, self.nx, self.nu = nS, nW, nx, nu
        self.q = np.hstack((frame.P, np.zeros((n, nW)), none))
        self.u = np.hstack((motion.D, frame.Pv, none))
        right = np.hstack((-K, -C, X, B))
        self.rates = np.linalg.solve(M, right) if nW else np.zeros((0, nS + nW + nx + nu))  # W' by [S, W, x | in]
        full = frame.Pv @ self.rates
        full[:, :nS] += motion.A_S
        full[:, nS : nS + nW] += motion.A_W
        self.a = full  # (nq, states + inputs)

    @cached_property
    def multipliers(self) -> np.ndarray:
        """Change of the independent multipliers, from G^T dlambda + N^T dmu = -(M du' + C du + K dq - X dx - B din)."""
        t, n, first = self._tangents, self.q.shape[1], self.nS + self.nW
        left = np.asarray(t.M @ self.a)
        left[:, :n] += t.C @ self.u + t.K @ self.q
        left[:, first:n] -= _as_dense(t.X)
        left[:, n:] -= _as_dense(t.B)
        held = len(self._frame.chosen.rows) + len(self._frame.chosen.slip_rows)
        return -self._frame.at_velocity.solve_transposed(left)[:held]


def _first_order(
    point: OperatingPoint, frame: MotionFrame, Y: np.ndarray, Z: np.ndarray, shapes: _Shapes
) -> tuple[np.ndarray, np.ndarray]:
    nS, nW, nx, nu = shapes.nS, shapes.nW, shapes.nx, shapes.nu
    n = nS + nW + nx
    full = np.zeros((n, n + nu))
    full[:nS, :nS] = Y
    full[:nS, nS : nS + nW] = Z
    full[nS : nS + nW] = shapes.rates
    if nx:
        full[nS + nW :] = through(rate_rows(point, frame, frame.is_sparse), shapes)
    return full[:, :n], full[:, n:]


def _notes(point: OperatingPoint, chosen: Selection) -> tuple[str, ...]:
    notes = []
    if point.is_steady:
        pass  # constant linear equations: nothing to warn of
    elif not point.is_at_rest:
        notes.append(
            "The mechanism moves: the eigenvalues are those of the equations frozen at this instant and can depend on"
            " the frame in which the coordinates are measured (fixed or rotating)."
        )
    elif not point.is_equilibrium:
        notes.append(
            "The operating point is not an equilibrium: the mechanism accelerates from it, and the eigenvalues depend"
            " on the choice of coordinates."
        )
    if any(frame["rate"] for frame in point.system.description.frames):
        notes.append("There are turning frames: eigenvalues in coordinates measured in them are shifted by their rate.")
    if point.contacts:
        notes.append("Contact: " + ", ".join(f"{name} {state}" for name, state in point.contacts.items()) + ".")
    touching = [name for name, state in point.contacts.items() if state == "touching"]
    if touching:
        notes.append(
            f"{', '.join(touching)}: exactly at the corner, where the stiffness jumps; the linear equations hold on one"
            " side only. Move the operating point off the corner, or give the element a smooth one."
        )
    if len(chosen.dropped):
        names = ", ".join(point.system.names[i] for i in chosen.dropped)
        notes.append(f"These coordinates depend on the others and were dropped: {names}.")
    return tuple(notes)
