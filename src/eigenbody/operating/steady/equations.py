"""The equations of a steady motion at a trial state, and their exact derivatives.

Unknowns are changes of [S, W, x, inputs, parameters]. Equations, in this order:
    S'' = 0 of the velocity coordinates        x' = 0 of the first-order states on which anything depends
    s = given of prescribed measures           rate = given, or zero, of coordinates that may not move freely
The derivatives are rows of the linear model at the trial state. That model varies rotations by dW = dphi', whereas the
rate of a rotation is the angular velocity: domega = dphi' - omega x dphi. Trials may be many at once, by leading axes
(operating/steady/many.py), except where parameters are to be found.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from eigenbody.base.errors import InputError
from eigenbody.dynamics.mechanics import Mechanics
from eigenbody.linearization.linearize import VariationalEquations
from eigenbody.linearization.point import OperatingPoint, stiff_rounding, system_of
from eigenbody.mobility.coordinates import (
    ahead_of,
    configured,
    place_of,
    rates_of,
    rotation_batches,
    unit_of,
    with_rates,
)
from eigenbody.mobility.frame import MotionFrame, measure_rows
from eigenbody.mobility.motion import solve_motion
from eigenbody.mobility.partition import Selection, select
from eigenbody.mobility.treespace import coordinate_set, value_set
from eigenbody.mobility.turns import counted
from eigenbody.model.model import InertModel
from eigenbody.numerics.matrices.linear import joined
from eigenbody.operating.steady.axial import AxialRows, axial_count, axial_labels
from eigenbody.operating.steady.rates import listed, rules
from eigenbody.operating.steady.task import Task, values_held
from eigenbody.system.measureset import MeasureSet, merge
from eigenbody.system.state import State
from eigenbody.system.system import System

HOLDS = 1e-10  # what may be left of an equation, relative to the size of what cancels in it
ARRAYS = {
    "M": 2, "K": 2, "motion": 2, "f": 1, "J": 2, "J_rates": 2, "tolerance": 1, "row_unit": 1, "column_unit": 1,
    "accelerations": 1,
}  # of the equations, and their axes  # fmt: skip
DIFFERENCE = 1e-6  # relative change of a parameter for its derivative


@dataclass(frozen=True, slots=True, eq=False)
class Trial:
    """A consistent state of the model with certain parameters, and the coordinates in which it is judged."""

    model: InertModel
    system: System
    chosen: Selection
    state: State
    parameters: np.ndarray  # values of the parameters to be found

    def recharted(self, task: Task) -> Trial:
        """The same state in coordinates that suit it best."""
        chosen = select(Mechanics(self.system, self.state), task.moving)
        return Trial(self.model, self.system, chosen, self.state, self.parameters)

    def moved(self, task: Task, dS: np.ndarray, rates: np.ndarray, inner: np.ndarray, p: np.ndarray) -> Trial:
        """Coordinates changed by dS, moving at `rates`, with other [x, free inputs] and parameters."""
        model, system = self.model, self.system
        if len(p) and np.any(p != self.parameters):
            model = model.with_parameters(dict(zip(task.parameters, p.tolist(), strict=True)))
            system = system_of(model)
        nx = len(system.states)
        u_in = np.array(self.state.u_in)
        u_in[..., list(task.free_inputs)] = inner[..., nx:]
        measures = coordinate_set(self.system, self.chosen.positions)
        here = Mechanics(self.system, self.state)
        goal = ahead_of(measures, place_of(measures, here), dS)
        guess = self.state
        if np.any(dS):
            ahead = self.state.moved(self.system, _times(MotionFrame(here, self.chosen).P, dS))
            guess = counted(self.system, self.state, ahead)
        state = configured(system, self.chosen, guess, goal)
        state = with_rates(system, self.chosen, replace(state, x=inner[..., :nx], u_in=u_in), rates)
        return Trial(model, system, self.chosen, state, p)

    @property
    def rates(self) -> np.ndarray:
        """Of the velocity coordinates."""
        return rates_of(self.system, self.state, self.chosen.velocities)

    def inner(self, task: Task) -> np.ndarray:
        """First-order states and free inputs."""
        return joined(self.state.x, self.state.u_in[..., list(task.free_inputs)])


def _times(matrix: np.ndarray, vector: np.ndarray) -> np.ndarray:
    return np.asarray((matrix @ vector[..., None])[..., 0])


@dataclass(frozen=True, eq=False)
class SteadyEquations:
    """Residuals f and derivatives J by [S, W, x, free inputs, parameters], with units of both."""

    trial: Trial
    M: np.ndarray  # of the linear equations
    K: np.ndarray
    motion: np.ndarray  # of all bodies by the linear state
    f: np.ndarray
    J: np.ndarray
    J_rates: np.ndarray  # derivatives of the rates of the velocity coordinates by the unknowns
    tolerance: np.ndarray  # of f
    row_unit: np.ndarray
    column_unit: np.ndarray
    labels: tuple[str, ...]  # of f
    balances: int  # number of equations that are not prescriptions: S'' = 0 and x' = 0; they come first
    accelerations: np.ndarray = field(repr=False)
    linear: VariationalEquations | None = field(default=None, repr=False)  # the linear equations there

    def reach(self, dS: np.ndarray) -> float:
        """How far a change of the coordinates moves any body: rad, or lengths of the mechanism."""
        system = self.trial.system
        moved = np.abs(self.motion[:, : len(dS)] @ dS)
        return float(np.max(moved / np.where(system.is_angular, 1.0, system.length), initial=0.0))

    @property
    def size(self) -> float:
        """Norm of the residual in its units."""
        return float(np.linalg.norm(self.f / self.row_unit))

    @property
    def hold(self) -> bool:
        """Whether every equation holds to rounding."""
        return bool(np.all(np.abs(self.f) <= self.tolerance))

    def one(self, k: int) -> SteadyEquations:
        """Those of one of many trials."""
        one = {name: _one_of(getattr(self, name), axes, k) for name, axes in ARRAYS.items()}
        return replace(self, linear=None, **one)  # type: ignore[arg-type]


def _one_of(array: np.ndarray, axes: int, k: int) -> np.ndarray:
    return np.asarray(array[k] if array.ndim > axes else array)


def point_at(trial: Trial) -> OperatingPoint:
    """The trial state with its accelerations and forces."""
    system, chosen = trial.system, trial.chosen
    resting = Mechanics(system, trial.state)
    frame = MotionFrame(resting, chosen)
    motion = solve_motion(frame)
    mechanics = motion.mechanics(resting)
    return OperatingPoint(
        trial.model, system, mechanics.state, motion, chosen, 0.0, (0.0, 0.0, 0.0), (),
        mechanics=mechanics, frame=frame.accelerated(mechanics),
    )  # fmt: skip


def linear_equations(point: OperatingPoint, chosen: Selection) -> VariationalEquations:
    """The linear equations without what rounding leaves in them, which a search has no use for."""
    return VariationalEquations(point.choosing(chosen))


class Residual:
    """The equations' values at one trial state: what differences of parameters need too."""

    def __init__(self, trial: Trial, task: Task, idle: np.ndarray) -> None:
        system, chosen = trial.system, trial.chosen
        self.point = point_at(trial)
        self.frame = self.point.frame
        self.speeds = self.frame.speeds
        self.acceleration = np.real(self.speeds.jet(self.point.mechanics.at, trial.state.turns).acceleration)
        self.alive = np.flatnonzero(~idle)
        self.state_rate = np.real(self.point.mechanics.applied.state_rate())[..., self.alive]
        self.held_values = np.array(list(task.values), dtype=int)
        value = values_held(system, trial.state, self.held_values) - listed(task.values.values())
        states = trial.state.x[..., list(task.states)] - listed(task.states.values())
        self.rule = rules(system, chosen, task)
        self.extra = np.array([i for i in task.rates if i not in chosen.velocities], dtype=int)
        beside = rates_of(system, trial.state, self.extra) - listed(task.rates[int(i)] for i in self.extra)
        ruled = trial.rates @ self.rule.H.T - self.rule.wanted
        self.f = joined(self.acceleration, self.state_rate, value, states, ruled, beside)
        self.axial = AxialRows(system, chosen, trial.state, task, trial.rates) if task.axial else None
        if self.axial is not None:
            self.f = joined(self.f, self.axial.value)


def equations(
    trial: Trial, task: Task, idle: np.ndarray, pace: float, residual: Residual | None = None
) -> SteadyEquations:
    """Residual, which may be known, and derivatives at a trial state; `idle` marks states that nothing depends on;
    `pace` in rad/s."""
    now = residual or Residual(trial, task, idle)
    system, chosen = trial.system, trial.chosen
    linear = linear_equations(now.point, chosen)
    nS, nW, nx = len(chosen.positions), len(chosen.velocities), len(system.states)
    n = nS + nW + nx
    inputs = list(task.free_inputs)
    size_q, size_u = linear.shapes.q, linear.shapes.u
    turn_rate, turn_q, turn_u = _turning(now.point, now.speeds)
    A, B, _, _ = linear.state_space
    lead, width = now.f.shape[:-1], n + len(inputs)
    AB = np.concatenate([np.broadcast_to(a, (*lead, *a.shape[-2:])) for a in (A, B[..., inputs])], axis=-1)
    rows_W, rows_x = AB[..., nS : nS + nW, :].copy(), AB[..., nS + nW :, :][..., now.alive, :]
    rows_W[..., :n] -= turn_q @ size_q + turn_u @ size_u
    J_rates = np.zeros((*lead, nW, width + len(task.parameters)))
    J_rates[..., nS : nS + nW] = np.eye(nW)
    J_rates[..., :n] -= turn_rate @ size_q
    J = np.zeros((*now.f.shape, width + len(task.parameters)))
    parts = [rows_W, rows_x, _value_rows(now, linear), _state_rows(task, n, nS + nW), now.rule.H @ J_rates]
    parts.append(_rate_rows(now, linear))
    if now.axial is not None:
        leaning = now.axial.by_rate @ J_rates
        leaning[:, :nS] += now.axial.by_position
        parts.append(leaning)
    at = 0
    for part in parts:
        J[..., at : at + part.shape[-2], : part.shape[-1]] = part
        at += part.shape[-2]
    for k in range(len(task.parameters)):
        J[:, width + k] = _by_parameter(trial, task, idle, k)
    row_unit, tolerance = _row_units(now, linear, task, pace)
    return SteadyEquations(
        trial, linear.M, linear.K, linear.shapes.q, now.f, J, J_rates, tolerance, row_unit,
        column_unit=_column_units(trial, J / row_unit[..., None], pace),
        labels=_labels(now, task),
        balances=nW + len(now.alive),
        accelerations=now.acceleration,
        linear=linear,
    )  # fmt: skip


def _turning(point: OperatingPoint, speeds: MeasureSet) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """e.(omega x dphi) of small rotations among the coordinates, and its time derivative by q and by u; (nW, nq)."""
    nq, mechanics = point.system.nq, point.mechanics
    lead = mechanics.at.v.shape[:-2]
    rate, by_q, by_u = (np.zeros((*lead, speeds.count, nq)) for _ in range(3))
    for kernel, where in rotation_batches(speeds):
        n = len(where)
        turn = [np.zeros((*lead, n, 3, nq)), np.zeros((*lead, n, 3, nq))]
        omega, omega1 = np.zeros((*lead, n, 3)), np.zeros((*lead, n, 3))
        for k in range(3):
            axis = np.broadcast_to(np.eye(3)[k], kernel.e.shape)
            small = type(kernel)(kernel.carriers, kernel.first, kernel.second, axis, small=True)
            component = merge([(small, np.arange(n))], n, point.system.dof)
            jet = component.jet(mechanics.at, mechanics.state.turns)
            omega[..., k], omega1[..., k] = jet.rate, jet.acceleration
            turn[0][..., k, :] = measure_rows(mechanics, component, False)
            turn[1][..., k, :] = measure_rows(mechanics, component, False, "rate_q")
        around = np.cross(kernel.e, omega)  # e . (omega x v) = (e x omega) . v
        around1 = np.cross(kernel.e, omega1)
        rate[..., where, :] = by_u[..., where, :] = _along(around, turn[0])
        by_q[..., where, :] = _along(around1, turn[0]) + _along(around, turn[1])
    return rate, by_q, by_u


def _along(vectors: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Rows (..., n, 3, nq) of three components each, along vectors (..., n, 3)."""
    return np.einsum("...ik,...ikq->...iq", vectors, rows)


def _value_rows(now: Residual, linear: VariationalEquations) -> np.ndarray:
    if not len(now.held_values):
        return np.zeros((0, linear.shapes.q.shape[-1]))
    measures = value_set(now.point.system, now.held_values)
    return measure_rows(now.point.mechanics, measures, False) @ linear.shapes.q


def _state_rows(task: Task, n: int, first: int) -> np.ndarray:
    rows = np.zeros((len(task.states), n))
    rows[np.arange(len(task.states)), [first + i for i in task.states]] = 1.0
    return rows


def _rate_rows(now: Residual, linear: VariationalEquations) -> np.ndarray:
    """Prescribed rates of measures that are no coordinates."""
    if not len(now.extra):
        return np.zeros((0, linear.shapes.q.shape[-1]))
    mechanics, measures = now.point.mechanics, coordinate_set(now.point.system, now.extra)
    by_q = measure_rows(mechanics, measures, False, "rate_q") - _turning(now.point, measures)[0]
    return by_q @ linear.shapes.q + measure_rows(mechanics, measures, False) @ linear.shapes.u


def _by_parameter(trial: Trial, task: Task, idle: np.ndarray, k: int) -> np.ndarray:
    """Central difference at the same coordinates, rates and states."""
    p = trial.parameters
    step = np.zeros(len(p))
    step[k] = DIFFERENCE * (abs(p[k]) or 1.0)
    still = np.zeros(len(trial.chosen.positions))
    ends = []
    for sign in (1.0, -1.0):
        try:
            there = trial.moved(task, still, trial.rates, trial.inner(task), p + sign * step)
        except InputError:  # beyond the range of the parameter
            there = trial
        ends.append(there)
    span = ends[0].parameters[k] - ends[1].parameters[k]
    return (Residual(ends[0], task, idle).f - Residual(ends[1], task, idle).f) / span


def _row_units(now: Residual, linear: VariationalEquations, task: Task, pace: float) -> tuple[np.ndarray, np.ndarray]:
    """Unit of each equation and what may be left of it by rounding."""
    system, chosen, mechanics = now.point.system, now.frame.chosen, now.point.mechanics
    nS, nW = len(chosen.positions), len(chosen.velocities)
    speed_unit = unit_of(system, chosen.velocities)
    motion = now.point.motion
    pulls = mechanics.force_size(motion.multipliers, motion.slip_multipliers) + np.abs(mechanics.gyroscopic())
    pulls = pulls + np.abs(mechanics.inertia_times(mechanics.acceleration))
    into = np.linalg.inv(linear.M) if nW else np.zeros((0, 0))
    to_free = np.swapaxes(linear.shapes.u[..., nS : nS + nW], -1, -2)
    cancelling, rounding = (
        _times(np.abs(into), _times(np.abs(to_free), a)) for a in (pulls, stiff_rounding(mechanics))
    )
    rows = np.abs(linear.state_space.A[..., nS + nW :, :][..., now.alive, :])
    unknown = joined(unit_of(system, chosen.positions), pace * speed_unit, 1.0 + np.abs(now.point.state.x))
    of_states = _times(rows, unknown) + np.abs(now.state_rate)
    value_unit = unit_of(system, now.held_values)
    states_unit = 1.0 + np.abs(listed(task.states.values()))
    still_unit = pace * (np.abs(now.rule.H) @ speed_unit)
    extra_unit = joined(pace * unit_of(system, now.extra), np.full(axial_count(task), pace))
    unit = joined(pace**2 * speed_unit, of_states + 1e-300, value_unit, states_unit, still_unit, extra_unit)
    size = joined(cancelling, of_states, value_unit, states_unit, still_unit, extra_unit)
    least = joined(1e-13 * pace**2 * speed_unit + rounding, np.full(unit.shape[-1] - nW, 1e-300))
    return unit, HOLDS * size + least


def _column_units(trial: Trial, J: np.ndarray, pace: float) -> np.ndarray:
    """Natural size of each unknown; states, inputs and parameters by their effect."""
    system, chosen = trial.system, trial.chosen
    motion = np.concatenate((unit_of(system, chosen.positions), pace * unit_of(system, chosen.velocities)))
    effect = np.linalg.norm(J[..., len(motion) :], axis=-2)
    other = np.where(effect > 0, 1.0 / np.where(effect > 0, effect, 1.0), 1.0)
    return joined(motion, other)


def _labels(now: Residual, task: Task) -> tuple[str, ...]:
    system, chosen = now.point.system, now.frame.chosen
    return (
        *(system.names[i] + "''" for i in chosen.velocities),
        *(system.states[i] + "'" for i in now.alive),
        *(system.names[i] for i in now.held_values),
        *(system.states[i] for i in task.states),
        *now.rule.labels,
        *(system.names[i] + ("" if i in system.speeds else "'") for i in now.extra),
        *(system.names[i] + "'" for i in axial_labels(task)),
    )


def idle_states(trial: Trial) -> np.ndarray:
    """First-order states on whose value nothing depends: they may change at a constant rate."""
    n = len(trial.system.states)
    if not n:
        return np.zeros(0, dtype=bool)
    A = linear_equations(point_at(trial), trial.chosen).state_space.A
    return ~np.any(A[:, len(A) - n :], axis=0)
