"""Newton's method for a motion that comes back: end and start of a period in the linear state [S, W, x].

The end of a trial period misses its start by d, and a small change z of the start changes the end by Phi z, Phi being
the transition matrix over the period: (Phi - I) z = -d. Where the period T is to be found too, its change adds f dT,
f being the rates of the linear state, and z stays normal to f. Directions in which nothing is determined (a turn on
which nothing depends) are left alone.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from eigenbody.base.errors import ComputationError, Fault, InputError
from eigenbody.dynamics.mechanics import Mechanics
from eigenbody.linearization.along import at_states, matrices_at, state_matrices
from eigenbody.linearization.linearize import VariationalEquations
from eigenbody.linearization.point import OperatingPoint, at_state
from eigenbody.mobility.coordinates import configured, difference, place_of, rates_of, unit_of, with_rates
from eigenbody.mobility.frame import MotionFrame
from eigenbody.mobility.treespace import coordinate_set
from eigenbody.numerics.signals.fourier import FourierSeries, exact_series
from eigenbody.numerics.signals.transition import STAGES, Mesh, Transitions, transitions
from eigenbody.operating.periodic.uniform import uniform_motion
from eigenbody.simulation.run import simulate
from eigenbody.system.state import State, joined_states, one_state, some_states

UNDETERMINED = 1e-9  # singular values below this part of the largest leave a direction alone
REACH = (
    1e4  # coordinates that move bodies so much more at one place of the way than at another have gone singular there
)
SAME = 1e-7  # relative difference of the equations a period later that counts as none
PLACES = 16  # of a period, at which that is looked at
RESTING = 1e-13  # size of a motion, in natural units, that is none
ALIKE, STEP = 4.0, 2.0  # lengths of segments that are simulated at once; steps of that in the shortest of them
TURN = 2 * np.pi


@dataclass(frozen=True, eq=False)
class Lap:
    """One trial period: the motion from `point` at the points of a mesh and at its end."""

    point: OperatingPoint
    mesh: Mesh
    states: State  # at the times of the mesh; with a series those of a coarser one
    end: State
    is_uniform: bool = False  # found without integration
    uniform: OperatingPoint | None = None  # then the points at these times and the end, where they fit into memory
    series: FourierSeries | None = None  # of the linear equations, where they were found on a coarser mesh

    @property
    def period(self) -> float:
        """Length of the period, s."""
        return self.mesh.length

    @cached_property
    def matrices(self) -> np.ndarray:
        """A (times, n, n) at the times of the mesh."""
        if self.series is not None:
            return self.series.at(self.mesh.times)
        if self.uniform is not None and self.uniform.chosen is self.point.chosen:
            return matrices_at(self.uniform)[:-1]
        return state_matrices(self.point, self.states)

    def refined(self) -> Lap | None:
        """The same motion on a mesh of twice as many segments, where the linear equations at the times of this one, or
        of one before it, tell to rounding what they are at others; else None."""
        series = self.series
        if series is None and self.is_uniform and not self.mesh.ends:
            series = exact_series(self.mesh.times, self.matrices, self.mesh.start, self.period)
        if series is None:
            return None
        return replace(self, mesh=self.mesh.halved(), series=series)

    @cached_property
    def transitions(self) -> Transitions:
        """Of the linear state over the period."""
        found = transitions(self.matrices, self.mesh)
        with np.errstate(over="ignore", invalid="ignore"):
            is_finite = bool(np.isfinite(found.whole).all())
        if not is_finite:
            raise ComputationError(
                f"Within {self.period:.6g} s deviations grow beyond all numbers: this motion is unstable, and its"
                " multipliers cannot be written down. Give a shorter period, if it has one, or look at the modes of an"
                " instant."
            )
        return found

    @cached_property
    def unit(self) -> np.ndarray:
        """Natural unit (n,) of each component of the linear state: a length or one, times the rate of the period."""
        system, chosen = self.point.system, self.point.chosen
        rate = TURN / self.period
        x = np.maximum(np.abs(self.states.x).max(axis=0, initial=0.0), 1e-300)
        return np.concatenate((unit_of(system, chosen.positions), rate * unit_of(system, chosen.velocities), x))

    @cached_property
    def miss(self) -> np.ndarray:
        """End minus start (n,) as a linear state; full turns do not count."""
        point, system, chosen = self.point, self.point.system, self.point.chosen
        measures = coordinate_set(system, chosen.positions)
        places = [place_of(measures, Mechanics(system, state)) for state in (self.end, point.state)]
        S = difference(measures, *places)
        turning = system.named.turn_counter[chosen.positions] >= 0
        S[turning] -= TURN * np.round(S[turning] / TURN)
        frame = point.frame
        du = self.end.velocity(system) - point.state.velocity(system)
        W = frame.speed_rows("rate_q") @ (frame.P @ S) + frame.speed_rows("gradient") @ du
        return np.concatenate((S, np.real(W), self.end.x - point.state.x))

    @cached_property
    def size(self) -> float:
        """Of the motion in natural units: the most that a place, direction, velocity or state differs on the way."""
        length, rate, s = self.point.system.length, TURN / self.period, self.states
        x = self.unit[len(self.unit) - s.x.shape[-1] :]
        parts = (s.r / length, s.R, s.v / (length * rate), s.w / rate, s.x / x)
        return max(float(np.ptp(part, axis=0).max(initial=0.0)) for part in parts)

    @property
    def own_residual(self) -> float:
        """How far it does not close, relative to the size of the motion; in natural units where nothing moves."""
        missed = float(np.abs(self.miss / self.unit).max(initial=0.0))
        return missed / (self.size if self.size > RESTING else 1.0)

    @property
    def residual(self) -> float:
        """How far it does not close, in natural units, relative to the speed of the motion where that is large."""
        return float(np.abs(self.miss / self.unit).max(initial=0.0)) / max(1.0, self._speed)

    @property
    def _speed(self) -> float:
        first = self.point.system
        size = max(np.abs(self.states.w).max(initial=0.0), np.abs(self.states.v).max(initial=0.0) / first.length)
        return float(size) * self.period / TURN

    @property
    def worst(self) -> str:
        """The coordinate, rate or state that misses its start the most."""
        system, chosen = self.point.system, self.point.chosen
        rates = [f"{system.names[i]}'" for i in chosen.velocities]
        names = [*(system.names[i] for i in chosen.positions), *rates, *system.states]
        return names[int(np.argmax(np.abs(self.miss / self.unit)))] if names else ""

    def rates(self) -> np.ndarray:
        """Rates (n,) of the linear state at the end: the direction of the motion."""
        system, chosen = self.point.system, self.point.chosen
        end = at_state(self.point.model, system, self.end).choosing(chosen)
        rates = rates_of(system, self.end, chosen.positions)
        return np.concatenate((rates, np.real(end.frame.speed_jet.acceleration), end.mechanics.applied.state_rate()))

    def correction(self, is_free: bool) -> tuple[np.ndarray, float]:
        """What Newton's method would change: of the start (n,), and of the period."""
        n = len(self.miss)
        scaled = (self.transitions.whole - np.eye(n)) * self.unit / self.unit[:, None]
        right = -self.miss / self.unit
        if is_free:
            direction = self.rates() / self.unit
            size = np.linalg.norm(direction)
            if not size:
                raise ComputationError("Nothing moves at the start: there is no cycle to find from it.")
            direction = direction / size
            scaled = np.block([[scaled, direction[:, None]], [direction, np.zeros(1)]])
            right = np.append(right, 0.0)
        found = np.linalg.lstsq(scaled, right, rcond=UNDETERMINED)[0]
        return self.unit * found[:n], found[n] / size if is_free else 0.0

    def improved_start(self, is_free: bool) -> tuple[OperatingPoint, float]:
        """Where Newton's method would start, and the period it would take."""
        change, longer = self.correction(is_free)
        return moved_point(self.point, change), self.period + longer


def moved_point(point: OperatingPoint, change: np.ndarray) -> OperatingPoint:
    """The operating point after a change of its linear state [S, W, x], constraints held."""
    system, chosen, frame = point.system, point.chosen, point.frame
    nS, nW = len(chosen.positions), len(chosen.velocities)
    S, W, x = np.split(change, (nS, nS + nW))
    drag = VariationalEquations(point).variations.D
    u = point.state.velocity(system) + drag @ S + frame.Pv @ W
    state = point.state.moved(system, frame.P @ S).with_velocity(system, u)
    rates = rates_of(system, state, chosen.velocities)
    measures = coordinate_set(system, chosen.positions)
    state = configured(system, chosen, state, place_of(measures, Mechanics(system, state)))
    state = with_rates(system, chosen, state, rates)
    return at_state(point.model, system, replace(state, x=point.state.x + x)).choosing(chosen)


def lap_from(point: OperatingPoint, period: float, layout: Mesh, tolerance: float) -> Lap:
    """The motion over one period from a point, at the times of segments laid out like those of another mesh."""
    start = float(np.real(point.state.t))
    mesh = replace(layout, start=start, length=period)
    times = np.append(mesh.times, start + period)
    uniform = uniform_motion(point, times)
    if uniform is not None:
        states, points = uniform
        return Lap(point, mesh, some_states(states, slice(0, -1)), one_state(states, -1), True, points)
    states, end = _simulated(point, mesh, tolerance)
    return Lap(point, mesh, states, end)


def _simulated(point: OperatingPoint, mesh: Mesh, tolerance: float) -> tuple[State, State]:
    """The states at the times of a mesh and at its end. Runs of segments are simulated by themselves: up to where
    something jumps, of which no step sees both sides; and where segments are of very different lengths, for something
    is short there, in steps that are not much longer."""
    jumping = set(mesh.breaks)
    runs, steps = [0], mesh.steps
    for k in range(1, mesh.segments):
        run = steps[runs[-1] : k + 1]
        if run.max() > ALIKE * run.min() or float(mesh.parts[k]) in jumping:
            runs.append(k)
    parts, here = [], point
    for first, after in zip(runs, [*runs[1:], mesh.segments], strict=True):
        until = mesh.start + mesh.length * float(mesh.parts[after])
        before = float(np.nextafter(until, -np.inf)) if float(mesh.parts[after]) in jumping else until
        times = np.append(mesh.times[STAGES * first : STAGES * after], before)
        most, longest = 60.0 * len(times) + 5000.0, STEP * float(steps[first:after].min()) if mesh.ends else None
        found = simulate(here, until=before, times=times, tolerance=tolerance, max_step=longest, max_steps=most)
        parts.append(some_states(found.states, slice(0, -1)))
        end = replace(one_state(found.states, -1), t=until)
        if after < mesh.segments:
            here = at_state(point.model, point.system, end).choosing(point.chosen)
    return joined_states(parts) if len(parts) > 1 else parts[0], end


def other_period(period: float) -> Fault:
    """What depends on time has another period than that which was given."""
    what = "a force or state depends on time and is another one after the period, or reads an angle that went round."
    return Fault("period", what, f"It is not {period:.6g} s: correct the period, for example to 2*pi/speed.")


def refuse_other_period(lap: Lap) -> None:
    """The same states a period later must obey the same equations: prescribed motions and forces that depend on time
    have that period too."""
    system, some = lap.point.system, slice(0, None, max(1, len(lap.mesh.times) // PLACES))
    states = some_states(lap.states, some)
    turned = states.turns + (lap.end.turns - lap.point.state.turns)
    first = np.real(at_states(lap.point, states).motion.acceleration)
    later = at_states(lap.point, replace(states, t=np.asarray(states.t) + lap.period, turns=turned))  # type: ignore[arg-type]
    held = later.mechanics.holonomic
    drift = np.maximum(np.abs(held.value).max(axis=0), np.abs(held.rate).max(axis=0))
    speed = 1.0 + np.abs(states.w).max(initial=0.0) + np.abs(states.v).max(initial=0.0)
    if len(drift) and drift.max() > SAME * speed * max(1.0, system.length):
        where = system.constraints.rows[int(np.argmax(drift))].where
        what = f"after the period it is elsewhere, by {drift.max():.3g} (m or rad)."
        raise InputError(Fault(where, what, other_period(lap.period).remedy))
    second = np.real(later.motion.acceleration)
    A, B = lap.matrices[some], matrices_at(later)
    size = np.abs(A).max(axis=(0, 2), keepdims=True, initial=0.0) + 1e-9 * np.abs(A).max(initial=0.0)
    is_same = np.abs(first - second).max(initial=0.0) <= SAME * (1.0 + np.abs(first).max(initial=0.0))
    if not is_same or np.any(np.abs(A - B) > SAME * size):
        raise InputError(other_period(lap.period))


def serving_coordinates(lap: Lap) -> OperatingPoint:
    """The start in coordinates that serve all the way round: its own, else those that pivoting chooses elsewhere."""
    point = lap.point
    if not len(point.chosen.positions):
        return point
    places = np.linspace(0, len(lap.mesh.times) - 1, 9).astype(int)
    found = [point]
    for i in places:
        if _serves(found[-1], lap.states):
            return found[-1]
        there = at_state(point.model, point.system, one_state(lap.states, int(i))).chosen
        found.append(point.choosing(there))
    names = ", ".join(point.system.names[i] for i in point.chosen.positions)
    raise ComputationError(
        f"The coordinates {names} do not serve all the way round: at one place they depend on each other. Give"
        " coordinates that do (coordinates: [...]), such as the angle of a crank that goes round."
    )


def _serves(point: OperatingPoint, states: State) -> bool:
    frame = MotionFrame(Mechanics(point.system, states), point.chosen, is_sparse=False)
    sign, _ = np.linalg.slogdet(frame.rows_at_velocity)
    sign = np.broadcast_to(sign, len(states.r))
    if not np.all(sign == sign[0]) or not sign[0]:
        return False
    reach = np.abs(frame.P).max(axis=(-2, -1))
    return bool(np.max(reach) < REACH * np.min(reach))
