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
from eigenbody.linearization.certificate import Certificate, certify
from eigenbody.linearization.large import SparseLinearModel
from eigenbody.linearization.model import LinearModel, StateSpace
from eigenbody.linearization.outputs import through
from eigenbody.linearization.pencil import tangents
from eigenbody.linearization.rows import output_rows, rate_rows
from eigenbody.linearization.stiffening import without_load_stiffness
from eigenbody.model.description import owner_of
from eigenbody.numerics.assembly import Part, absolute, only_values_vary, projected
from eigenbody.numerics.linear import beside, factor, matrix, stack
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
        certificate=(certificate := certify(point, len(W), K, C)),
        notes=(*_notes(point, chosen), *certificate.notes),
        tangents=(C, K),
    )


def dense_model(point: OperatingPoint, chosen: Selection) -> LinearModel:
    """The linear model with dense matrices."""
    report("linearizing")
    point = point.choosing(chosen)
    e = Equations(point)
    certificate = certify(point, len(chosen.velocities), e.tangents.K, e.tangents.C)
    return _linear(point, e.arrays(), certificate)


def dense_models(batch: OperatingPoint, points: Sequence[OperatingPoint]) -> list[LinearModel]:
    """Linear models of many variants: `batch` is their operating point with batch axes, `points` are theirs alone.

    The tangents are checked against a directional derivative in the first variant only; the others share its figure.
    """
    report("linearizing")
    e = Equations(batch)
    arrays = {name: np.broadcast_to(a, (len(points), *a.shape[-2:])) for name, a in e.arrays().items()}
    first = Equations(points[0])
    certificate = certify(points[0], len(batch.chosen.velocities), first.tangents.K, first.tangents.C)
    return [
        _linear(
            point,
            {name: a[k] for name, a in arrays.items()},
            replace(certificate, residual=point.residual, drift=point.drift, notes=without_load_stiffness(point)),
        )
        for k, point in enumerate(points)
    ]


def _linear(point: OperatingPoint, arrays: Mapping[str, np.ndarray], certificate: Certificate) -> LinearModel:
    system, chosen = point.system, point.chosen
    S, W, dropped = (tuple(system.names[i] for i in c) for c in (chosen.positions, chosen.velocities, chosen.dropped))
    matrices = dict(arrays)
    space = StateSpace(*(matrices.pop(name) for name in ("A", "B", "C_out", "D")))
    return LinearModel(
        point=point,
        chosen=chosen,
        coordinates=S,
        velocities=W,
        dropped=dropped,
        state_space=space,
        states=(*S, *(name + "'" for name in W), *system.states),
        inputs=system.inputs,
        outputs=tuple(output.name for output in system.outputs),
        certificate=certificate,
        notes=(*_notes(point, chosen), *certificate.notes),
        **matrices,
    )


def in_coordinates(point: OperatingPoint, coordinates: Sequence[str] | Mapping[str, float]) -> OperatingPoint:
    """The same operating point with other wishes for the coordinates."""
    if not isinstance(coordinates, Mapping) and all(name in point.system.aliases for name in coordinates):
        wishes = [point.system.aliases[name] for name in coordinates]
        chosen = select(point.mechanics, wishes)
        same = set(chosen.positions.tolist()) == set(point.chosen.positions.tolist())
        return replace(point.choosing(chosen), is_steady=point.is_steady and same)
    wanted = dict(coordinates) if isinstance(coordinates, Mapping) else list(coordinates)
    model = point.model.set(coordinates=wanted)  # names that only the model can judge
    return at_state(model, system_of(model), point.state)


class Equations:
    """M W' + C W + K S = X x + B in with S' = Y S + Z W at an operating point; batch axes may lead."""

    def __init__(self, point: OperatingPoint) -> None:
        self.point, self.frame = point, point.frame
        frame = self.frame
        self.variations = motion = Variations(frame)
        self.tangents = t = Tangents(point, frame)
        onto = frame.Pv.mT
        self.M = t.onto_free(t.mass, frame.Pv)
        self.C = t.onto_free(t.mass, motion.A_W) + t.onto_free(t.damping, frame.Pv)
        self.K = t.onto_free(t.mass, motion.A_S) + t.onto_free(t.damping, motion.D) + t.onto_free(t.stiffness, frame.P)
        self.Y, self.Z = self._kinematics()
        X, B = onto @ _as_dense(t.X), onto @ _as_dense(t.B)
        self.shapes = _Shapes(frame, motion, t, self.M, self.C, self.K, X, B)

    def _kinematics(self) -> tuple[np.ndarray, np.ndarray]:
        """S' = Y S + Z W; without non-holonomic rows Y = 0 and Z = I by construction."""
        frame = self.frame
        if not frame.has_slips:
            n = frame.positions.count
            return np.zeros((n, n)), np.eye(n)
        rows, turning = frame.position_rows("gradient"), frame.position_rows("rate_q")
        return turning @ frame.P + rows @ self.variations.D, rows @ frame.Pv

    @cached_property
    def state_space(self) -> StateSpace:
        """A, B, C, D over [S, W, x] and the inputs."""
        shapes, frame = self.shapes, self.frame
        n = shapes.nS + shapes.nW + shapes.nx
        parts = [beside([self.Y, self.Z, np.zeros((shapes.nS, shapes.nx + shapes.nu))]), shapes.rates]
        if shapes.nx:
            parts.append(through(rate_rows(self.point, frame, frame.is_sparse), shapes))
        full = stack(parts)
        outputs = through(output_rows(self.point, frame, frame.is_sparse), shapes)
        return StateSpace(full[..., :n], full[..., n:], outputs[..., :n], outputs[..., n:])

    def arrays(self) -> dict[str, np.ndarray]:
        """All matrices of the linear model by the names of its fields; those of the state space as A, B, C_out, D."""
        noise_K, noise_C = self.noise()
        noise_Y, noise_Z = self.kinematic_noise()
        A, B, C_out, D = self.state_space
        return {
            "M": self.M, "C": self.C, "K": self.K, "Y": self.Y, "Z": self.Z, "A": A, "B": B, "C_out": C_out, "D": D,
            "noise_K": noise_K, "noise_C": noise_C,
            "noise_A": _noise_of_A(A, self.M, noise_K, noise_C, noise_Y, noise_Z),
            "shape_q": self.shapes.q, "shape_u": self.shapes.u,
        }  # fmt: skip

    def noise(self) -> tuple[np.ndarray, np.ndarray]:
        """Rounding error to expect in K and C."""
        t, motion, onto = self.tangents, self.variations, abs(self.frame.Pv.mT)
        K_size, C_size = t.sizes()
        size_K, size_C = onto @ (K_size @ abs(self.frame.P)), onto @ (C_size @ abs(self.frame.Pv))
        if np.any(motion.D):
            size_K = size_K + onto @ (C_size @ abs(motion.D))
        if np.any(motion.A_S):
            size_K = size_K + onto @ (abs(t.M) @ abs(motion.A_S))
        if np.any(motion.A_W):
            size_C = size_C + onto @ (abs(t.M) @ abs(motion.A_W))
        return _noise(self.point, self.M, size_K, 2), _noise(self.point, self.M, size_C, 1)

    def kinematic_noise(self) -> tuple[np.ndarray, np.ndarray]:
        """The same of Y and Z."""
        frame = self.frame
        if not frame.has_slips:
            none = np.zeros_like(self.Y)
            return none, none
        rows, turning = frame.position_rows("gradient"), frame.position_rows("rate_q")
        size_Y = abs(turning) @ abs(frame.P) + abs(rows) @ abs(self.variations.D)
        return 8 * EPS * size_Y, 8 * EPS * (abs(rows) @ abs(frame.Pv))


class Variations:
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
        rows = stack([frame.held(what) @ motion, frame.speed_rows(what) @ motion])
        return -frame.at_velocity.solve(rows)


class Tangents:
    """The residual's tangents in all coordinates of the bodies."""

    def __init__(self, point: OperatingPoint, frame: MotionFrame) -> None:
        system, mechanics = point.system, point.mechanics
        self._frame, self._nq, self._is_sparse = frame, system.nq, frame.is_sparse
        self.mass: list[Part] = [*mechanics.mass()]
        self.damping = mechanics.damping()
        self.stiffness = mechanics.stiffness(point.motion.multipliers, point.motion.slip_multipliers)
        self.X = self._built(mechanics.applied.state_matrix(), len(system.states))
        self.B = self._built(mechanics.applied.input_matrix(), len(system.inputs))

    @cached_property
    def M(self) -> Any:
        return self._built(self.mass, self._nq)

    @cached_property
    def C(self) -> Any:
        return self._built(self.damping, self._nq)

    @cached_property
    def K(self) -> Any:
        return self._built(self.stiffness, self._nq)

    def onto_free(self, parts: list[Part], motion: np.ndarray) -> np.ndarray:
        """Pv^T X motion for the mass, damping or stiffness X of all bodies."""
        if not np.any(motion):
            return np.zeros((self._frame.Pv.shape[-1], motion.shape[-1]))
        if motion.ndim == 2 == self._frame.Pv.ndim and only_values_vary(parts):
            return projected(parts, self._frame.Pv, motion)
        whole = self.M if parts is self.mass else self.C if parts is self.damping else self.K
        return self._frame.Pv.mT @ (whole @ motion)

    def _built(self, parts: Sequence[Part], columns: int) -> Any:
        return matrix(parts, (self._nq, columns), self._is_sparse)

    def sizes(self) -> tuple[Any, Any]:
        """Size of the summands of K and C, however they cancel."""
        return self._built(absolute(self.stiffness), self._nq), self._built(absolute(self.damping), self._nq)


def _noise(point: OperatingPoint, M: np.ndarray, size: np.ndarray, order: int) -> np.ndarray:
    """Rounding error to expect in K (order 2) or C (order 1): from the size of the summands, and from inertia forces
    that cancel inside them, which are of the order mass times spin to that power."""
    weight = np.sqrt(np.abs(np.diagonal(M, axis1=-2, axis2=-1)))
    column = weight
    if weight.shape[-1] != size.shape[-1]:
        column = np.repeat(weight.max(axis=-1, keepdims=True, initial=0.0), size.shape[-1], axis=-1)
    spin = np.asarray(spin_rate(point) ** order)[..., None, None]
    return EPS * (8 * size + 16 * spin * weight[..., :, None] * column[..., None, :])


def spin_rate(point: OperatingPoint) -> np.ndarray:
    """How fast things move, in rad/s: rotation, speed in lengths of the mechanism, root of angular acceleration."""
    turning = np.abs(point.motion.acceleration[..., point.system.is_angular]).max(axis=-1, initial=0.0)
    speed = np.abs(point.state.v).max(axis=(-2, -1), initial=0.0) / point.system.length
    return np.sqrt(np.abs(point.state.w).max(axis=(-2, -1), initial=0.0) ** 2 + speed**2 + turning)


def _as_dense(matrix: Any) -> np.ndarray:
    return matrix if isinstance(matrix, np.ndarray) else matrix.toarray()


def _noise_of_A(
    A: np.ndarray, M: np.ndarray, noise_K: np.ndarray, noise_C: np.ndarray, noise_Y: np.ndarray, noise_Z: np.ndarray
) -> np.ndarray:
    """Rounding error to expect in A: of the kinematics, and of the forces divided by the mass."""
    nS, nW = noise_K.shape[-1], M.shape[-1]
    noise = 8 * EPS * np.abs(A)
    noise[..., :nS, :nS] += noise_Y
    noise[..., :nS, nS : nS + nW] += noise_Z
    if nW:
        inverse = np.abs(np.linalg.inv(M))
        spread_out = inverse @ np.abs(M) @ np.abs(A[..., nS : nS + nW, :])  # what solving with M adds
        noise[..., nS : nS + nW, :] += 8 * EPS * spread_out
        noise[..., nS : nS + nW, : nS + nW] += inverse @ beside([noise_K, noise_C])
    return noise


class _Shapes:
    """Motion of all bodies by linear state and by input: dq, du, du' = (.) [S, W, x] + (.) in."""

    def __init__(
        self, frame: MotionFrame, motion: Variations, tangents: Tangents,
        M: np.ndarray, C: np.ndarray, K: np.ndarray, X: np.ndarray, B: np.ndarray,
    ) -> None:  # fmt: skip
        n, nS, nW = frame.system.nq, frame.positions.count, frame.speeds.count
        nx, nu = len(frame.system.states), len(frame.system.inputs)
        none = np.zeros((n, nx))
        self._frame, self._tangents = frame, tangents
        self.nS, self.nW, self.nx, self.nu = nS, nW, nx, nu
        self.q = beside([frame.P, np.zeros((n, nW)), none])
        self.u = beside([motion.D, frame.Pv, none])
        right = beside([-K, -C, X, B])
        self.rates = factor(M).solve(right) if nW else np.zeros((0, nS + nW + nx + nu))  # W' by [S, W, x | in]
        self._own = beside([motion.A_S, motion.A_W, none, np.zeros((n, nu))])

    @cached_property
    def a(self) -> np.ndarray:
        """du' by linear state and input."""
        return self._frame.Pv @ self.rates + self._own

    @cached_property
    def multipliers(self) -> np.ndarray:
        """Change of the independent multipliers, from G^T dlambda + N^T dmu = -(M du' + C du + K dq - X dx - B din)."""
        t, first = self._tangents, self.nS + self.nW
        moving = beside([t.C @ self.u + t.K @ self.q, np.zeros((self.q.shape[-2], self.nu))])
        left = t.M @ self.a + moving - beside([np.zeros((self.q.shape[-2], first)), _as_dense(t.X), _as_dense(t.B)])
        held = len(self._frame.chosen.rows) + len(self._frame.chosen.slip_rows)
        return -self._frame.at_velocity.solve_transposed(left)[..., :held, :]


def _turning_flexible(point: OperatingPoint) -> list[str]:
    """Flexible bodies that turn, each once."""
    flexible, index = point.system.description.flexible, point.system.places.index
    turning = [body.name for body in flexible if body.reduced.modes and np.any(point.state.w[index[body.name]])]
    return list(dict.fromkeys(map(owner_of, turning)))


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
    if turning := _turning_flexible(point):
        notes.append(
            f"The modal coordinates of {', '.join(turning)} turn with the body: eigenvalues of motion across its axis"
            " are those seen from the body, shifted by its rate of turning from those seen from the ground."
        )
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
