"""Linear time-varying equations along a motion: M(t) x'' + C(t) x' + K(t) x = h(t), in the same coordinates all along.

x is the deviation of the coordinates from the reference motion. h is the force, along the coordinates, by which the
mechanism's own forces miss those that the reference needs: zero along a solution of the equations of motion, minus the
force of the drive along a motion that is prescribed. With H = [G; N; s_q] and u' of the reference

    H^T [lambda; mu; h] = Q - (M u' + h_gyroscopic)

so that K takes h times the curvature of the coordinates, as it takes the multipliers times that of the constraints.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from eigenbody.base.errors import ComputationError, Fault, InputError
from eigenbody.base.progress import report
from eigenbody.base.result import Drawn
from eigenbody.dynamics.constraints import pull_back
from eigenbody.dynamics.mechanics import Mechanics
from eigenbody.linearization.linearize import DENSE_FREEDOMS, dense_model, in_coordinates
from eigenbody.linearization.point import OperatingPoint, at_state, system_of
from eigenbody.linearization.subject import Subject, subject
from eigenbody.mobility.frame import MotionFrame
from eigenbody.mobility.motion import ForwardDynamics
from eigenbody.mobility.multipliers import Multipliers
from eigenbody.mobility.partition import Selection, select
from eigenbody.model.model import InertModel
from eigenbody.numerics.matrices.linear import DENSE_LIMIT, stack
from eigenbody.numerics.runtime import on_one_thread
from eigenbody.simulation.result import Simulation
from eigenbody.simulation.run import simulate
from eigenbody.system.state import State

STEP = 1e-40
TOLERANCE = 1e-11  # of the simulation that gives the reference motion of a model


@dataclass(frozen=True, eq=False)
class TimeVarying(Drawn, look="analyses.along.look"):
    """Linear equations along a motion; arrays have a leading axis over the times.

    M W' + C W + K S = h, and x' = A x + B u + [0; M^-1 h] for the whole linear state [S, W, first-order states].
    """

    model: InertModel
    coordinates: tuple[str, ...]
    velocities: tuple[str, ...]
    states: tuple[str, ...]
    inputs: tuple[str, ...]
    t: np.ndarray  # (n,)
    M: np.ndarray  # (n, W, W)
    C: np.ndarray  # (n, W, W)
    K: np.ndarray  # (n, W, S)
    h: np.ndarray  # (n, W)
    A: np.ndarray  # (n, states, states)
    B: np.ndarray  # (n, states, inputs)
    is_solution: bool  # whether the reference motion solves the equations of motion (h is then rounding)
    tangent_error: float  # largest of the certificates on the way
    drift: tuple[float, float, float]  # largest violation of the constraints on the way

    def __len__(self) -> int:
        return len(self.t)

    @cached_property
    def _spline(self) -> Any:
        from scipy.interpolate import make_interp_spline

        order = min(5, len(self.t) - 1)
        return make_interp_spline(self.t, self.A, k=order - 1 + order % 2 if order > 1 else order)

    def A_at(self, t: float) -> np.ndarray:
        """A at any time in between, by a spline of fifth order through the given times."""
        return self._spline(t)

    def transition(self, start: float | None = None, end: float | None = None) -> np.ndarray:
        """The transition matrix x(end) = Phi x(start) of x' = A(t) x; over a period it is the monodromy matrix.

        As exact as the spline through A: halve the interval of the times to see how far it has converged.
        """
        from scipy.integrate import solve_ivp

        begin, stop = (float(self.t[i]) if t is None else t for i, t in ((0, start), (-1, end)))
        n = len(self.states)
        out = solve_ivp(
            lambda t, y: (self.A_at(t) @ y.reshape(n, n)).ravel(),
            (begin, stop), np.eye(n).ravel(), method="DOP853", rtol=1e-11, atol=1e-13,
        )  # fmt: skip
        if not out.success:
            raise ComputationError(f"The transition matrix was followed to {out.t[-1]:g} s only: {out.message}")
        return out.y[:, -1].reshape(n, n)


class AlongError(ComputationError):
    """The coordinates serve only part of the way; `partial` has the times up to there, None if there are none."""

    def __init__(self, text: str, partial: TimeVarying | None) -> None:
        super().__init__(text)
        self.partial = partial

    def __reduce__(self) -> tuple[type, tuple[str, TimeVarying | None]]:
        return type(self), (str(self), self.partial)


@on_one_thread
def along(
    reference: Subject,
    times: Sequence[float] | np.ndarray | None = None,
    coordinates: Sequence[str] | Mapping[str, float] | None = None,
    motion: Mapping[str, Any] | None = None,
) -> TimeVarying:
    """The linear time-varying equations along a motion, at the given times.

    `reference` is a simulation (`times` chooses among its output times, default all of them), or a model or operating
    point from which the motion is simulated. `motion` prescribes the reference motion of measures ("=expression of t"),
    which need not be one that the mechanism makes by itself: the deviations stay free, and h is what is missing. The
    coordinates are those given, or those of the first instant, all the way; where they fail an AlongError says so.
    """
    reference = subject(reference, Simulation)
    simulation = _reference(reference, times, motion)
    model = simulation.model if motion is None or isinstance(reference, Simulation) else _model_of(reference)
    followed = _Follower(model, simulation, coordinates, motion is not None)
    return followed.result(_chosen_times(simulation, times))


def _model_of(reference: InertModel | OperatingPoint) -> InertModel:
    return reference.model if isinstance(reference, OperatingPoint) else reference


# Reference motion -----------------------------------------------------------------------------------------------------
def _reference(
    reference: Simulation | InertModel | OperatingPoint,
    times: Sequence[float] | np.ndarray | None,
    motion: Mapping[str, Any] | None,
) -> Simulation:
    if isinstance(reference, Simulation):
        if motion is not None:
            raise InputError(Fault("motion", "a simulation is a motion already.", "Give the model instead."))
        return reference
    if times is None or np.size(times) < 2:
        raise InputError(Fault("times", "two times or more are needed.", "For example np.linspace(0, 2, 201)."))
    wanted = np.asarray(times, dtype=float)
    start: InertModel | OperatingPoint = reference
    if motion is not None:
        start = _driven(_model_of(reference), motion)
    return simulate(start, until=float(wanted[-1]), times=wanted, tolerance=TOLERANCE)


def _driven(model: InertModel, motion: Mapping[str, Any]) -> InertModel:
    """The model with drivers that prescribe the motion; initial values of a joint so driven give way to it."""
    document = model.document
    drivers, joints = dict(document.get("drivers") or {}), dict(document.get("joints") or {})
    for measure, law in motion.items():
        drivers[f"reference {measure}".replace(".", " ")] = {"measure": measure, "motion": law}
        if measure in joints:
            joints[measure] = {key: v for key, v in joints[measure].items() if key not in ("position", "velocity")}
    return model.set(drivers=drivers, joints=joints)


def _chosen_times(simulation: Simulation, times: Sequence[float] | np.ndarray | None) -> np.ndarray:
    """Indices of the output times."""
    if times is None:
        return np.arange(len(simulation))
    wanted = np.atleast_1d(np.asarray(times, dtype=float))
    index = np.clip(np.searchsorted(simulation.t, wanted), 1, max(len(simulation) - 1, 1))
    index = np.where(wanted - simulation.t[index - 1] < simulation.t[index] - wanted, index - 1, index)
    off = np.abs(simulation.t[index] - wanted)
    if np.any(off > 1e-9 * max(1.0, float(np.abs(simulation.t).max()))):
        worst = float(wanted[np.argmax(off)])
        remedy = "Simulate with these times, or give the model instead of the simulation."
        raise InputError(Fault("times", f"{worst:g} s is no output time of the simulation.", remedy))
    return index


# Instants -------------------------------------------------------------------------------------------------------------
@dataclass(frozen=True, eq=False)
class _Instant:
    """The linear equations at one time."""

    M: np.ndarray
    C: np.ndarray
    K: np.ndarray
    h: np.ndarray
    A: np.ndarray
    B: np.ndarray
    tangent_error: float
    drift: tuple[float, float, float]


class _Follower:
    """Evaluates one instant after another in the coordinates of the first."""

    def __init__(
        self, model: InertModel, simulation: Simulation, coordinates: Sequence[str] | Mapping[str, float] | None,
        is_prescribed: bool,
    ) -> None:  # fmt: skip
        self.simulation, self.is_prescribed = simulation, is_prescribed
        first = at_state(model, system_of(model), self._state(0))
        if coordinates is not None:
            first = in_coordinates(first, coordinates)
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
        done: list[_Instant] = []
        for i in index.tolist():
            report(f"linearizing at {self.simulation.t[i]:.4g} s")
            state = self._state(i)
            chosen = select(Mechanics(self.system, state), self.chosen.positions.tolist())
            lost = self._lost(chosen, state)
            if lost:
                partial = self._collected(done, index[: len(done)]) if done else None
                raise AlongError(
                    f"The coordinates {', '.join(self._names(self.chosen.positions))} do not serve at t ="
                    f" {float(self.simulation.t[i]):.6g} s: {lost}. Choose others (coordinates=...), or fewer times.",
                    partial,
                )
            done.append(self._instant(state, chosen))
        return self._collected(done, index)

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
        sign = float(np.linalg.slogdet(stack([frame.held("gradient"), frame.speed_rows("gradient")]))[0])
        before, self._last = self._last, (chosen.rows, sign)
        if before is not None and np.array_equal(before[0], chosen.rows) and before[1] * sign < 0:
            return "on the way there they become dependent and reverse"
        return ""

    def _instant(self, state: State, chosen: Selection) -> _Instant:
        if self.is_prescribed:
            point, h, bent = self._prescribed_point(state, chosen)
        else:
            point = at_state(self.model, self.system, state).choosing(chosen)
            frame = MotionFrame(point.mechanics, chosen)
            missing = point.mechanics.driving - point.mechanics.inertia_times(point.motion.acceleration)
            h, bent = frame.Pv.T @ missing, None
        linear = dense_model(point)
        K, A = linear.K, linear.A
        if bent is not None:
            n = len(chosen.positions)
            A = A.copy()
            K = K + bent
            A[n : n + len(h), :n] -= np.linalg.solve(linear.M, bent)
        c = linear.certificate
        return _Instant(linear.M, linear.C, K, h, A, linear.B, c.tangent_error, c.drift)

    def _prescribed_point(self, state: State, chosen: Selection) -> tuple[OperatingPoint, np.ndarray, np.ndarray]:
        """The instant with the accelerations of the drive; h; and h times the curvature of the coordinates."""
        driven = at_state(self.simulation.model, self.simulation.system, state)
        acceleration = driven.motion.acceleration
        mechanics = Mechanics(self.system, state, acceleration)
        frame = MotionFrame(mechanics, chosen)
        missing = mechanics.driving - mechanics.inertia_times(acceleration)
        forces = frame.at_velocity.solve_transposed(missing)
        rows, slips = len(chosen.rows), len(chosen.slip_rows)
        m, h = Multipliers.of(self.system, chosen, forces), forces[rows + slips :]
        point = OperatingPoint(
            self.model, self.system, state, ForwardDynamics(acceleration, m.held, m.slip), chosen,
            driven.residual, driven.drift, self.system.warnings, mechanics, frame,
        )  # fmt: skip
        return point, h, frame.Pv.T @ (_curvature(frame, h) @ frame.P)

    def _collected(self, done: Sequence[_Instant], index: np.ndarray) -> TimeVarying:
        linear_states = (
            *self._names(self.chosen.positions),
            *(name + "'" for name in self._names(self.chosen.velocities)),
            *self.system.states,
        )
        stacked = {name: np.stack([getattr(one, name) for one in done]) for name in ("M", "C", "K", "h", "A", "B")}
        for array in stacked.values():
            array.setflags(write=False)
        drift = np.max([one.drift for one in done], axis=0)
        return TimeVarying(
            model=self.model,
            coordinates=tuple(self._names(self.chosen.positions)),
            velocities=tuple(self._names(self.chosen.velocities)),
            states=linear_states,
            inputs=self.system.inputs,
            t=self.simulation.t[index],
            **stacked,
            is_solution=not self.is_prescribed,
            tangent_error=max(one.tangent_error for one in done),
            drift=(float(drift[0]), float(drift[1]), float(drift[2])),
        )


def _curvature(frame: MotionFrame, h: np.ndarray) -> np.ndarray:
    """d(s_q^T h)/dq of the coordinates, (nq, nq), by complex steps through their gradients."""
    system, state = frame.system, frame.mechanics.state
    if not len(h) or not np.any(h):
        return np.zeros((system.nq, system.nq))
    bent = Mechanics(system, state.moved(system, 1j * STEP * np.eye(system.nq)))
    gradient = frame.speeds.jet(bent.at, state.turns).gradient
    return (pull_back(frame.speeds, gradient, h, system.nq).imag / STEP).T
