"""The linear equations at the times of a reference motion, all in the coordinates of the first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields

import numpy as np

from eigenbody.analyses.along.result import AlongError, TimeVarying
from eigenbody.base.errors import ComputationError, EigenbodyError
from eigenbody.base.progress import report
from eigenbody.dynamics.constraints import pull_back
from eigenbody.dynamics.mechanics import Mechanics
from eigenbody.linearization.along import at_states, chunks, serve_surely
from eigenbody.linearization.certificate import tangent_errors
from eigenbody.linearization.linearize import DENSE_FREEDOMS, VariationalEquations, dense_model, in_coordinates
from eigenbody.linearization.point import OperatingPoint, at_state, drift_of, refuse_singular, system_of
from eigenbody.mobility.frame import MotionFrame
from eigenbody.mobility.motion import ForwardDynamics
from eigenbody.mobility.multipliers import Multipliers
from eigenbody.mobility.partition import Selection, select
from eigenbody.model.model import InertModel
from eigenbody.numerics.matrices.linear import DENSE_LIMIT, solve_vector, times
from eigenbody.simulation.result import Simulation
from eigenbody.system.state import State, some_states

STEP = 1e-40
CONTRADICTS = 1e-8  # acceleration of redundant rows from which an instant is looked at by itself


@dataclass(frozen=True, eq=False)
class Instants:
    """The linear equations at some times, one after the other: arrays (n, ...)."""

    M: np.ndarray
    C: np.ndarray
    K: np.ndarray
    h: np.ndarray
    A: np.ndarray
    B: np.ndarray
    tangent_error: np.ndarray
    drift: np.ndarray  # (n, 3)

    @staticmethod
    def joined(parts: Sequence[Instants]) -> Instants:
        names = [part.name for part in fields(Instants)]
        return Instants(**{name: np.concatenate([getattr(part, name) for part in parts]) for name in names})


class Follower:
    """Evaluates instants in the coordinates of the first: many at once where these coordinates surely serve, else one
    after another."""

    def __init__(
        self, model: InertModel, simulation: Simulation, coordinates: Sequence[str] | Mapping[str, float] | None,
        is_prescribed: bool,
    ) -> None:  # fmt: skip
        self.simulation, self.is_prescribed = simulation, is_prescribed
        first = at_state(model, system_of(model), self._state(0))
        if coordinates is not None:
            first = in_coordinates(first, coordinates)
        self.first = first
        self.model, self.system, self.chosen = first.model, first.system, first.chosen
        self._last: tuple[np.ndarray, float] | None = None
        if len(first.chosen.velocities) > DENSE_FREEDOMS:
            raise ComputationError(
                f"Matrices over time are kept up to {DENSE_FREEDOMS} degrees of freedom; this mechanism has"
                f" {len(first.chosen.velocities)}. Linearize at single times of the motion instead."
            )

    def _state(self, i: int) -> State:
        return self.simulation.state_at(i)

    def result(self, index: np.ndarray) -> TimeVarying:
        done: list[Instants] = []
        for part in chunks(self.first, len(index)):
            report(f"linearizing at {self.simulation.t[index[part.start]]:.4g} s")
            together = self._together(index[part])
            if together is None:
                self._one_by_one(index, part, done)
            else:
                done.append(together)
        return self._collected(done, index)

    # ---- many at once
    def _together(self, index: np.ndarray) -> Instants | None:
        """The instants in one evaluation; None where one of them has to be looked at by itself."""
        system = self.system
        if system.nq > DENSE_LIMIT or not system.nq or system.algebraic or system.sequences or len(index) < 2:
            return None
        states = some_states(self.simulation.states, index)
        try:
            if self.is_prescribed:
                many, h, bent = self._prescribed_points(states)
            else:
                many, h, bent = at_states(self.first, states), None, None
            if not self._serve(many):
                return None
            return self._instants(many, h, bent)
        except EigenbodyError:
            return None  # one of them fails: one by one it says what is wrong

    def _serve(self, many: OperatingPoint) -> bool:
        """Whether everything holds at every instant by far, and the coordinates do not reverse on the way."""
        frame, m, chosen = many.frame, many.mechanics, self.chosen
        if not serve_surely(frame):
            return False
        refuse_singular(frame)
        off = np.abs(m.holonomic.acceleration[..., chosen.redundant]).max(axis=-1, initial=0.0)
        if np.any(off > CONTRADICTS):
            return False
        signs = np.linalg.slogdet(frame.rows_at_velocity)[0]
        before = self._last
        if before is not None and np.array_equal(before[0], chosen.rows):
            signs = np.append(before[1], signs)
        if np.any(signs != signs[0]):
            return False
        self._last = (chosen.rows, float(signs[0]))
        return True

    def _instants(self, many: OperatingPoint, h: np.ndarray | None, bent: np.ndarray | None) -> Instants:
        e, n = VariationalEquations(many), len(many.state.r)
        if h is None:
            missing = many.mechanics.driving - many.mechanics.inertia_times(many.motion.acceleration)
            h = times(many.frame.Pv.mT, missing)
        K, A = e.K, e.state_space.A
        if bent is not None:
            S, W = K.shape[-1], h.shape[-1]
            A, K = np.array(np.broadcast_to(A, (n, *A.shape[-2:]))), K + bent
            A[:, S : S + W, :S] -= np.linalg.solve(e.M, bent)
        error = tangent_errors(many, e.tangents.K, e.tangents.C)
        drift = np.stack([np.broadcast_to(part, n) for part in drift_of(many.mechanics)], axis=-1)
        M, C, K, A, B = (np.broadcast_to(a, (n, *a.shape[-2:])) for a in (e.M, e.C, K, A, e.state_space.B))
        return Instants(M, C, K, np.broadcast_to(h, (n, h.shape[-1])), A, B, error, drift)

    def _prescribed_points(self, states: State) -> tuple[OperatingPoint, np.ndarray, np.ndarray]:
        """`_held_to` the drive at many instants."""
        simulation = self.simulation
        first = at_state(simulation.model, simulation.system, self._state(0))
        driven = at_states(first, states)
        if not serve_surely(driven.frame):
            raise ComputationError("The drive has other independent rows on the way.")
        return self._held_to(driven, MotionFrame(Mechanics(self.system, states), self.chosen, is_sparse=False))

    # ---- one by one
    def _one_by_one(self, index: np.ndarray, part: slice, done: list[Instants]) -> None:
        for k in range(part.start, part.stop):
            i = int(index[k])
            report(f"linearizing at {self.simulation.t[i]:.4g} s")
            state = self._state(i)
            chosen = select(Mechanics(self.system, state), self.chosen.positions.tolist())
            lost = self._lost(chosen, state)
            if lost:
                raise AlongError(
                    f"The coordinates {', '.join(self._names(self.chosen.positions))} do not serve at t ="
                    f" {float(self.simulation.t[i]):.6g} s: {lost}. Choose others (coordinates=...), or fewer times.",
                    self._collected(done, index[:k]) if k else None,
                )
            done.append(self._instant(state, chosen))

    def _names(self, index: np.ndarray) -> list[str]:
        return [self.system.names[i] for i in index]

    def _lost(self, chosen: Selection, state: State) -> str:
        """Why the coordinates fail here, or fail between the last time and this one."""
        if len(chosen.dropped):
            return f"{', '.join(self._names(chosen.dropped))} depends on the others there"
        same = np.array_equal(chosen.positions, self.chosen.positions)
        if not same or not np.array_equal(chosen.velocities, self.chosen.velocities):
            return "the freedom of the mechanism changes"
        if self.system.nq > DENSE_LIMIT:
            return ""
        frame = MotionFrame(Mechanics(self.system, state), chosen)
        sign = float(np.linalg.slogdet(frame.rows_at_velocity)[0])
        before, self._last = self._last, (chosen.rows, sign)
        if before is not None and np.array_equal(before[0], chosen.rows) and before[1] * sign < 0:
            return "on the way there they become dependent and reverse"
        return ""

    def _instant(self, state: State, chosen: Selection) -> Instants:
        if self.is_prescribed:
            driven = at_state(self.simulation.model, self.simulation.system, state)
            point, h, bent = self._held_to(driven, MotionFrame(Mechanics(self.system, state), chosen))
        else:
            point = at_state(self.model, self.system, state).choosing(chosen)
            missing = point.mechanics.driving - point.mechanics.inertia_times(point.motion.acceleration)
            h, bent = point.frame.Pv.T @ missing, None
        linear = dense_model(point)
        K, A = linear.K, linear.A
        if bent is not None:
            n = len(chosen.positions)
            A = A.copy()
            K = K + bent
            A[n : n + len(h), :n] -= np.linalg.solve(linear.M, bent)
        c = linear.certificate
        arrays = (linear.M, linear.C, K, h, A, linear.B, np.asarray(c.tangent_error), np.array(c.drift))
        return Instants(*(array[None] for array in arrays))

    def _held_to(self, driven: OperatingPoint, still: MotionFrame) -> tuple[OperatingPoint, np.ndarray, np.ndarray]:
        """The mechanism without its drive in the states of `still`, with the accelerations of the driven one; h; and h
        times the curvature of the coordinates. Batch axes may lead."""
        acceleration, chosen = driven.motion.acceleration, still.chosen
        mechanics = Mechanics(self.system, still.mechanics.state, acceleration)
        frame = still.accelerated(mechanics)
        missing = mechanics.driving - mechanics.inertia_times(acceleration)
        forces = solve_vector(frame.at_velocity, missing, transposed=True)
        rows, slips = len(chosen.rows), len(chosen.slip_rows)
        m, h = Multipliers.of(self.system, chosen, forces), forces[..., rows + slips :]
        point = OperatingPoint(
            self.model, self.system, mechanics.state, ForwardDynamics(acceleration, m.held, m.slip), chosen,
            driven.residual, driven.drift, self.system.warnings, mechanics, frame,
        )  # fmt: skip
        return point, h, frame.Pv.mT @ (_curvature(frame, h) @ frame.P)

    def _collected(self, done: Sequence[Instants], index: np.ndarray) -> TimeVarying:
        linear_states = (
            *self._names(self.chosen.positions),
            *(name + "'" for name in self._names(self.chosen.velocities)),
            *self.system.states,
        )
        all_of = Instants.joined(done)
        stacked = {name: getattr(all_of, name) for name in ("M", "C", "K", "h", "A", "B")}
        for array in stacked.values():
            array.setflags(write=False)
        drift = all_of.drift.max(axis=0)
        return TimeVarying(
            model=self.model,
            coordinates=tuple(self._names(self.chosen.positions)),
            velocities=tuple(self._names(self.chosen.velocities)),
            states=linear_states,
            inputs=self.system.inputs,
            t=self.simulation.t[index],
            **stacked,
            is_solution=not self.is_prescribed,
            tangent_error=float(all_of.tangent_error.max()),
            drift=(float(drift[0]), float(drift[1]), float(drift[2])),
        )


def _curvature(frame: MotionFrame, h: np.ndarray) -> np.ndarray:
    """d(s_q^T h)/dq of the coordinates, (..., nq, nq), by complex steps through their gradients."""
    system, state = frame.system, frame.mechanics.state
    n, lead = system.nq, h.shape[:-1]
    if not np.any(h):
        return np.zeros((n, n))
    steps = np.eye(n)
    if lead:  # every state with a step in every coordinate
        each = np.repeat(np.arange(len(h)), n)
        state, h, steps = some_states(state, each), h[each], np.tile(steps, (len(h), 1))
    bent = Mechanics(system, state.moved(system, 1j * STEP * steps))
    gradient = frame.speeds.jet(bent.at, state.turns).gradient
    return (pull_back(frame.speeds, gradient, h, n).imag / STEP).reshape(*lead, n, n).mT
