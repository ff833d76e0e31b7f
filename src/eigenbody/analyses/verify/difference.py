"""The route `difference`: central differences of the engine's own nonlinear equations of motion.

It asks the engine only what holds at a state: constraints and their rates, inertia, forces. None of its tangents is
used, so that whatever the linearization of an element forgets, of any element that the engine knows, shows here. The
equations themselves are the engine's: whether they are right is for the independent routes to say. Derivation and
steps: docs/theory/difference.md.

Two motions side by side, at the operating point and beside it, are dq apart: dr, and dtheta with R <- R exp(dtheta).
With g the gradient of a coordinate, carried along by the undisturbed motion,

    S = g dq        W = S' = g' dq + g dq'        W' = g'' dq + 2 g' dq' + g dq''        dtheta' = dw - w x dtheta
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from eigenbody.base.errors import ComputationError, Fault, InputError
from eigenbody.dynamics.algebraic import Response
from eigenbody.dynamics.mechanics import Mechanics
from eigenbody.linearization.point import OperatingPoint
from eigenbody.mobility.frame import MotionFrame, measure_rows
from eigenbody.mobility.multipliers import Multipliers
from eigenbody.mobility.treespace import coordinate_set
from eigenbody.mobility.turns import counted
from eigenbody.numerics.matrices.linear import DENSE_LIMIT, SparseFactor, matrix
from eigenbody.numerics.signals.transfer import chunks
from eigenbody.routes.base import Linear, Route, Unsupported
from eigenbody.spatial.rotations import cross, log
from eigenbody.system.measureset import MeasureSet
from eigenbody.system.state import State, collect, spread
from eigenbody.system.system import System

FIRST_STEP = 0.05  # radians, or lengths of the mechanism
LEVELS = 14  # halvings at most; smooth dynamics need four to six
ENOUGH = 1e-11  # estimated error relative to the largest entry of a column at which no smaller step is tried
ACCEPTED = 1e-6  # estimated error relative to the largest entry above which differences prove nothing
TINY_STEP = 1e-10  # part of the first step at which curvature is beneath rounding
ROUNDED = 4  # units in the last place of the rate of a gradient
MOST_WORK = 4e5  # states times the order of the equations: about two minutes
QUICK = 0.2  # part of what does not close that may be left by a step with old gradients
_TINY = 1e-40  # complex step
OWN = (
    "it differentiates the engine's own equations of motion: it checks the linearization of every element in them, not"
    " the equations themselves"
)


@dataclass(frozen=True, eq=False)
class Gradients:
    """Gradients (n, nq) of coordinates at the operating point, and how they change along its motion."""

    now: np.ndarray
    rate: np.ndarray
    second: np.ndarray
    error: np.ndarray  # of `second`, estimated


class DisturbedMotion:
    """How a mechanism moves beside its motion at the operating point, in the linear state [S, W, x]."""

    def __init__(self, point: OperatingPoint) -> None:
        self.point, self.system, self.chosen = point, point.system, point.chosen
        self.state: State = point.state
        self.velocity, self.acceleration = self.state.velocity(self.system), point.motion.acceleration
        self.positions = _gradients(point, coordinate_set(self.system, self.chosen.positions))
        self.speeds = self.positions
        if self.system.slips.count:
            self.speeds = _gradients(point, coordinate_set(self.system, self.chosen.velocities))
        self.state_rates = point.mechanics.applied.state_rate()

    def rates(self, dS: np.ndarray, dW: np.ndarray, dx: np.ndarray) -> np.ndarray:
        """(S', W', x') (batch, states) for deviations (batch, .) from the motion at the operating point."""
        state = replace(self._configuration(dS), x=self.state.x + dx)
        q = self._apart(state)
        state = self._with_velocity(state, q, dW)
        q1 = state.velocity(self.system) - self.velocity - self._turned(self.state.w, q)
        acceleration, state = self._accelerations(state)
        alpha = spread(self.system, self.acceleration)[..., 3:]
        q2 = acceleration - self.acceleration - self._turned(alpha, q) - self._turned(self.state.w, q1)
        g, w = self.positions, self.speeds
        S1 = q @ g.rate.T + q1 @ g.now.T
        W1 = q @ w.second.T + 2 * q1 @ w.rate.T + q2 @ w.now.T
        x1 = Mechanics(self.system, state, acceleration).applied.state_rate() - self.state_rates
        return np.concatenate((S1, W1, np.broadcast_to(x1, dx.shape)), axis=-1)

    # ---- three levels

    def _configuration(self, dS: np.ndarray) -> State:
        """All loops closed, the coordinates changed by dS: Newton's method until rounding stops it, with the gradients
        of the operating point as long as they bring it nearer quickly."""
        system, last = self.system, np.inf
        state = self.state.moved(system, dS @ self.point.frame.P.T)
        for _ in range(40):
            mechanics = Mechanics(system, counted(system, self.state, state))
            held = mechanics.holonomic.value[..., self.chosen.rows]
            off = _side_by_side(held, self._apart(state) @ self.positions.now.T - dS)
            left = float(np.abs(off).max(initial=0.0))
            if left == 0 or (left < 1e-9 and left >= last / 2):
                return mechanics.state
            if left <= QUICK * last:
                step = self.point.frame.at_position.solve(off.T).T
            else:
                step = _solved(self._rows(mechanics, self.positions, is_position=True), off)
            last, state = left, state.moved(system, -step)
        raise ComputationError(f"the loops do not close near the operating point; {last:.3g} remains.")

    def _with_velocity(self, state: State, q: np.ndarray, dW: np.ndarray) -> State:
        """The constraints hold at velocity level, the velocity coordinates differ by dW: linear in the velocities."""
        still = Mechanics(self.system, state.with_velocity(self.system, np.zeros_like(q)))
        held = -self._constraints(still, "rate")
        carried = self.velocity + self._turned(self.state.w, q)
        wanted = dW - q @ self.speeds.rate.T + carried @ self.speeds.now.T
        u = _solved(self._rows(still, self.speeds), _side_by_side(held, wanted))
        return state.with_velocity(self.system, u)

    def _accelerations(self, state: State) -> tuple[np.ndarray, State]:
        """u' of [[M, G^T], [G, 0]] [u'; lambda] = [Q - h; -gamma], and the state with what forces read of it."""
        system, mechanics = self.system, Mechanics(self.system, state)
        held = self._constraints(mechanics, "acceleration")
        n, m, lead = system.nq, held.shape[-1], state.r.shape[:-2]
        whole = np.zeros((*lead, n + m, n + m))
        whole[..., :n, :n] = matrix(mechanics.mass(), (n, n), False)
        whole[..., n:, :n] = MotionFrame(mechanics, self.chosen, False).held("gradient")
        whole[..., :n, n:] = whole[..., n:, :n].mT
        if not system.algebraic:
            return _solved(whole, _side_by_side(mechanics.driving, -held))[..., :n], state
        both, variables = _solved(whole, _side_by_side(mechanics.blind().driving, -held)), mechanics.algebraic
        forces = variables.pushes()
        forces = np.concatenate((forces, np.zeros((*forces.shape[:-2], m, forces.shape[-1]))), axis=-2)
        answer = np.linalg.solve(whole, forces)
        own, pull = Multipliers.of(system, self.chosen, both[..., n:]), answer[..., n:, :]
        every = Multipliers.of_columns(system, self.chosen, pull)
        Y = variables.through(Response(answer[..., :n, :], every.held, every.slip))
        there = mechanics.with_algebraic(variables.solved(variables.values(own.held, own.slip, both[..., :n]), Y))
        return _solved(whole, _side_by_side(there.driving, -held))[..., :n], there.state

    # ---- parts

    def _rows(self, mechanics: Mechanics, coordinates: Gradients, is_position: bool = False) -> np.ndarray:
        """Gradients of the independent constraints at the disturbed state, then of the coordinates (square)."""
        held = MotionFrame(mechanics, self.chosen, False).held("gradient")
        held = held[..., : len(self.chosen.rows), :] if is_position else held
        return np.concatenate(
            (held, np.broadcast_to(coordinates.now, (*held.shape[:-2], *coordinates.now.shape))), axis=-2
        )

    def _constraints(self, mechanics: Mechanics, level: str) -> np.ndarray:
        """Rates or accelerations of the independent constraints."""
        held = getattr(mechanics.holonomic, level)[..., self.chosen.rows]
        if not self.system.slips.count:
            return held
        return _side_by_side(held, getattr(mechanics.non_holonomic, level)[..., self.chosen.slip_rows])

    def _apart(self, state: State) -> np.ndarray:
        """dq (batch, nq) between the state and the operating point."""
        return collect(self.system, state.r - self.state.r, log(self.state.R.mT @ state.R))

    def _turned(self, w: np.ndarray, q: np.ndarray) -> np.ndarray:
        """w x dtheta as coordinates (batch, nq); w (bodies, 3)."""
        turned = cross(w, spread(self.system, q)[..., 3:])
        return collect(self.system, np.zeros_like(turned), turned)


def _solved(matrices: np.ndarray, rhs: np.ndarray) -> np.ndarray:
    """x (batch, n) of A x = rhs; large ones by sparse factors."""
    if matrices.shape[-1] <= DENSE_LIMIT:
        return np.linalg.solve(matrices, rhs[..., None])[..., 0]
    from scipy.sparse import csc_array

    return np.array([SparseFactor(csc_array(A)).solve(b) for A, b in zip(matrices, rhs, strict=True)])


def _side_by_side(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    lead = np.broadcast_shapes(a.shape[:-1], b.shape[:-1])
    return np.concatenate([np.broadcast_to(part, (*lead, part.shape[-1])) for part in (a, b)], axis=-1)


def _gradients(point: OperatingPoint, measures: MeasureSet) -> Gradients:
    """Rates by complex steps along the motion, second rates by differences of these."""
    system, start, u, a = point.system, point.state, point.state.velocity(point.system), point.motion.acceleration

    def rate(h: float) -> np.ndarray:
        """At the time h later."""
        now = replace(start.moved(system, h * u), t=start.t + h)
        ahead = replace(now.moved(system, 1j * _TINY * (u + h * a)), t=now.t + 1j * _TINY)
        return measure_rows(Mechanics(system, ahead), measures, False).imag / _TINY

    now = measure_rows(Mechanics(system, start), measures, False)
    fastest = max(_reach(system, u), np.sqrt(_reach(system, a)), _fastest_frame(system))
    if not fastest:
        return Gradients(now, *(np.zeros_like(now) for _ in range(3)))
    rounding = ROUNDED * np.finfo(float).eps * fastest * np.abs(now).max(initial=0.0)
    second = extrapolated(rate, FIRST_STEP / fastest, rounding)
    return Gradients(now, rate(0.0), second.value, second.error)


def _reach(system: System, motion: np.ndarray) -> float:
    """Largest entry (per column) of coordinates of bodies, in radians or lengths of the mechanism."""
    unit = np.where(system.is_angular, 1.0, max(system.length, 1e-300))
    return float(np.abs(motion / unit).max(initial=0.0))


def _fastest_frame(system: System) -> float:
    return max((abs(float(np.real(frame["rate"]))) for frame in system.description.frames), default=0.0)


# ---- differences


@dataclass(frozen=True, eq=False)
class Slope:
    """A derivative with the estimate of its error, entry by entry, and the smallest step that was used."""

    value: np.ndarray
    error: np.ndarray
    step: float


def extrapolated(
    function: Callable[[float], np.ndarray], first_step: float = 1.0, noise: np.ndarray | float = 0.0
) -> Slope:
    """Derivative at zero of (rows, columns) by central differences with halved steps and Richardson's table.

    Each entry takes the member of the table that agrees best with its neighbours; it stops when rounding wins. `noise`
    is that of the function's values: members that agree by chance are trusted no more than noise / step.
    """
    step = first_step
    row = [(function(step) - function(-step)) / (2 * step)]
    best, error = row[0], np.full(row[0].shape, np.inf)
    idle = np.zeros(row[0].shape[-1:])
    for _ in range(1, LEVELS):
        step /= 2
        now = [(function(step) - function(-step)) / (2 * step)]
        for k, before in enumerate(row):
            now.append(now[k] + (now[k] - before) / (4 ** (k + 1) - 1))
            doubt = np.maximum(np.abs(now[k + 1] - now[k]), np.abs(now[k + 1] - before))
            doubt = np.maximum(doubt, noise / step)
            better = doubt < error
            best, error = np.where(better, now[k + 1], best), np.where(better, doubt, error)
        own, worst = (np.abs(part).max(axis=0, initial=0.0) for part in (best, error))
        worse = np.abs(now[-1] - best).max(axis=0, initial=0.0) > worst
        idle = np.where(worse & (worst <= ACCEPTED * own), idle + 1, 0)
        row = now
        done = (worst <= np.maximum(ENOUGH * own, 1e-14 * own.max(initial=0.0))) | (idle >= 2)
        if np.all(done | np.all(error <= 2 * noise / step, axis=0)):
            break
    return Slope(best, error, step)


def applies(point: OperatingPoint) -> str:
    """Why differences say nothing here; empty if they do."""
    states, order = _states(point), point.system.nq + len(point.chosen.rows) + len(point.chosen.slip_rows)
    if states * order > MOST_WORK:
        return f"{states} states of equations of order {order} would take too long"
    touching = [name for name, side in point.contacts.items() if side == "touching"]
    return f"{', '.join(touching)}: exactly at the corner, where there is no derivative" if touching else ""


def _states(point: OperatingPoint) -> int:
    return len(point.chosen.positions) + len(point.chosen.velocities) + len(point.system.states)


def linearize(point: OperatingPoint, *, step: float | None = None) -> Linear:
    """State matrix of [S, W, x] by differences, its eigenvalues, and how well it converged.

    step: a single central difference of that length (radians, or lengths of the mechanism; rates and states in
    proportion), as it was done of old; its error is not known.
    """
    if step is not None and not (np.isfinite(step) and step > 0):
        raise InputError(Fault("step", f"{step:g} is not a positive length.", "Give radians, for example 1e-5."))
    motion = DisturbedMotion(point)
    n, nS, nW = _states(point), len(point.chosen.positions), len(point.chosen.velocities)
    steps = _first_steps(point)

    def moved(deviations: np.ndarray) -> np.ndarray:
        """Rates (states, columns) for one deviation (states,) in each row."""
        own = point.system.nq + len(point.chosen.rows)
        parts = chunks(len(deviations), 4.0 * own**2)
        return np.concatenate([motion.rates(*np.split(deviations[k], [nS, nS + nW], axis=-1)) for k in parts]).T

    def at(h: float) -> np.ndarray:
        return moved(np.diag(h * steps)) / steps

    if step is not None:
        h = step / FIRST_STEP
        values = np.linalg.eigvals(A := (at(h) - at(-h)) / (2 * h))
        note = f"one central difference with the step {step:g}: how far it is off is not known"
        return Linear(_sorted(values), {"A": A}, (note, OWN), is_exact=False)
    tiny = TINY_STEP * steps * np.cos(np.arange(1, 5)[:, None] * (1.0 + np.arange(n)))
    noise = np.abs(moved(tiny) + moved(-tiny)).max(axis=1)[:, None] / steps  # what is left of curvature: rounding
    slope = extrapolated(at, noise=noise)
    A, error = slope.value, slope.error
    error[nS : nS + nW, :nS] += motion.speeds.error @ np.abs(point.frame.P)
    if not point.system.slips.count:  # S' = W by definition
        A[:nS], error[:nS] = np.eye(nS, n, nS), 0.0
    relative = float(error.max(initial=0.0) / max(np.abs(A).max(initial=0.0), 1e-300))
    if relative > ACCEPTED:
        raise Unsupported(f"differences do not converge: their error is about {relative:.1e} of the largest entry")
    values = _sorted(np.linalg.eigvals(A))
    names = ", ".join(point.system.names[i] for i in point.chosen.positions)
    notes = (
        f"independent coordinates: {names}",
        f"converged: estimated error {relative:.1e} of the largest entry; steps were halved down to {slope.step:.1e}"
        " of the first",
        OWN,
    )
    return Linear(values, {"A": A, "error": error}, notes, error=error)


def _sorted(values: np.ndarray) -> np.ndarray:
    return values[np.argsort(np.abs(values), kind="stable")].astype(complex)


def _first_steps(point: OperatingPoint) -> np.ndarray:
    """Such that nothing moves by more than FIRST_STEP (rates: times the largest speed; states: of their size)."""
    system, frame = point.system, point.frame
    fastest = max(1.0, _reach(system, point.state.velocity(system)))
    S = [FIRST_STEP / _reach(system, column) for column in frame.P.T]
    W = [FIRST_STEP * fastest / _reach(system, column) for column in frame.Pv.T]
    return np.array([*S, *W, *(FIRST_STEP * np.maximum(1.0, np.abs(point.state.x)))])


ROUTE = Route(
    "difference",
    "central differences of the engine's own nonlinear equations",
    "Ridders 1982",
    applies,
    linearize,
    is_independent=False,
    choices=("step",),
)
