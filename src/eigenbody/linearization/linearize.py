"""Linearization at any consistent state: the augmented system (docs/theory/linearization.md), solved.

Along the constraint manifold
    dq  = P dS                                         constraints at position level
    du  = Pv dW + D dS                                 at velocity level
    du' = Pv dW' + A_S dS + A_W dW                     at acceleration level
so that projecting the residual's tangent on Pv leaves M W' + C W + K S = B in + X x.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from eigenbody.errors import Fault, InputError
from eigenbody.linearization.certificate import certify
from eigenbody.linearization.large import SparseLinearModel
from eigenbody.linearization.model import LinearModel, StateSpace
from eigenbody.linearization.outputs import output_rows, state_rate_rows
from eigenbody.numerics.assembly import Part, absolute, sparse
from eigenbody.numerics.linear import matrix
from eigenbody.operation.frame import MotionFrame
from eigenbody.operation.partition import Selection, select
from eigenbody.operation.point import OperatingPoint, at_state, system_of
from eigenbody.progress import report

DENSE_FREEDOMS = 2000  # above this the linear model stays sparse unless dense is asked for


def linear_model(
    point: OperatingPoint, coordinates: Sequence[str] | None = None, solver: str | None = None
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
    system, mechanics = point.system, point.mechanics
    S, W = (tuple(system.names[i] for i in index) for index in (chosen.positions, chosen.velocities))
    square = (system.nq, system.nq)
    K = sparse(mechanics.stiffness(point.motion.multipliers, point.motion.slip_multipliers), square)
    C = sparse(mechanics.damping(), square)
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
    Y, Z = _kinematics(frame, motion)
    shapes = _Shapes(frame, motion, len(point.system.states), len(point.system.inputs), M, C, K, X, B)
    A, Bs = _first_order(point, M, C, K, X, B, Y, Z, shapes)
    Co, D = output_rows(point, shapes)
    names, system = point.system.names, point.system
    S = tuple(names[i] for i in chosen.positions)
    W = tuple(names[i] for i in chosen.velocities)
    return LinearModel(
        point=point,
        coordinates=S,
        velocities=W,
        dropped=tuple(names[i] for i in chosen.dropped),
        M=M, C=C, K=K, noise_K=noise_K, noise_C=noise_C, Y=Y, Z=Z,
        state_space=StateSpace(A, Bs, Co, D),
        states=(*S, *(name + "'" for name in W), *system.states),
        inputs=system.inputs,
        outputs=tuple(output.name for output in system.outputs),
        shape_q=shapes.q,
        shape_u=shapes.u,
        certificate=certify(point, len(W), tangents.K, tangents.C),
        notes=_notes(point, chosen),
    )  # fmt: skip


def in_coordinates(point: OperatingPoint, coordinates: Sequence[str]) -> OperatingPoint:
    """The same operating point with other wishes for the coordinates."""
    if all(name in point.system.aliases for name in coordinates):
        wishes = [point.system.aliases[name] for name in coordinates]
        return replace(point, chosen=select(point.mechanics, wishes))
    model = point.model.set(coordinates=list(coordinates))  # names that only the model can judge
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
    return np.finfo(float).eps * (8 * size + 16 * spin_rate(point) ** order * weight[:, None] * column)


def spin_rate(point: OperatingPoint) -> float:
    """How fast things move, in rad/s: rotation, speed in lengths of the mechanism, root of angular acceleration."""
    turning = point.motion.acceleration[point.system.is_angular]
    speed = np.abs(point.state.v).max(initial=0.0) / point.system.length
    rates = (np.abs(point.state.w).max(initial=0.0), speed, np.sqrt(np.abs(turning).max(initial=0.0)))
    return float(np.linalg.norm(rates))


def _as_dense(matrix: Any) -> np.ndarray:
    return matrix if isinstance(matrix, np.ndarray) else matrix.toarray()


def _kinematics(frame: MotionFrame, motion: _Variations) -> tuple[np.ndarray, np.ndarray]:
    """S' = Y S + Z W; without non-holonomic rows Y = 0 and Z = I by construction."""
    if not frame.has_slips:
        n = frame.positions.count
        return np.zeros((n, n)), np.eye(n)
    rows = frame.position_rows("gradient")
    return frame.position_rows("rate_q") @ frame.P + rows @ motion.D, rows @ frame.Pv


class _Shapes:
    """Motion of all bodies by linear state and by input: dq, du, du' = (.) [S, W, x] + (.) in."""

    def __init__(
        self, frame: MotionFrame, motion: _Variations, nx: int, nu: int,
        M: np.ndarray, C: np.ndarray, K: np.ndarray, X: np.ndarray, B: np.ndarray,
    ) -> None:  # fmt: skip
        n, nS, nW = frame.system.nq, frame.positions.count, frame.speeds.count
        none = np.zeros((n, nx))
        self.nS, self.nW, self.nx, self.nu = nS, nW, nx, nu
        self.q = np.hstack((frame.P, np.zeros((n, nW)), none))
        self.u = np.hstack((motion.D, frame.Pv, none))
        right = np.hstack((-K, -C, X, B))
        self.rates = np.linalg.solve(M, right) if nW else np.zeros((0, nS + nW + nx + nu))  # W' by [S, W, x | in]
        full = frame.Pv @ self.rates
        full[:, :nS] += motion.A_S
        full[:, nS : nS + nW] += motion.A_W
        self.a = full  # (nq, states + inputs)


def _first_order(
    point: OperatingPoint, M: np.ndarray, C: np.ndarray, K: np.ndarray, X: np.ndarray, B: np.ndarray,
    Y: np.ndarray, Z: np.ndarray, shapes: _Shapes,
) -> tuple[np.ndarray, np.ndarray]:  # fmt: skip
    nS, nW, nx, nu = shapes.nS, shapes.nW, shapes.nx, shapes.nu
    n = nS + nW + nx
    full = np.zeros((n, n + nu))
    full[:nS, :nS] = Y
    full[:nS, nS : nS + nW] = Z
    full[nS : nS + nW] = shapes.rates
    if nx:
        full[nS + nW :] = state_rate_rows(point, shapes)
    return full[:, :n], full[:, n:]


def _notes(point: OperatingPoint, chosen: Selection) -> tuple[str, ...]:
    notes = []
    if not point.is_at_rest:
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
    if len(chosen.dropped):
        names = ", ".join(point.system.names[i] for i in chosen.dropped)
        notes.append(f"These coordinates depend on the others and were dropped: {names}.")
    return tuple(notes)
