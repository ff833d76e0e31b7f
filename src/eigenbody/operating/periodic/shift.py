"""How a periodic motion, its period and its linear equations change with a number p of the model, exactly.

With time counted in periods, t = t0 + T tau, the motion at fixed tau changes by delta = [dS, dW, dx]/dp, which obeys

    d(delta)/dt = A delta + b + f T_p / T,      delta(T) = delta(0)

b being the change of the rates f = [S', W', x'] by p alone, coordinates and their rates held. Both b and the total
change of A come from complex steps: the mechanism with p + i h, its constraints closed around coordinates that are
held, or moved on by i h delta. A step of 1e-30 leaves nothing but the derivative.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from eigenbody.dynamics.mechanics import Mechanics
from eigenbody.linearization.along import at_states, matrices_at
from eigenbody.linearization.linearize import VariationalEquations
from eigenbody.linearization.point import OperatingPoint
from eigenbody.mobility.coordinates import Place, complex_place_of, difference, with_rates
from eigenbody.mobility.posing import square
from eigenbody.mobility.treespace import coordinate_set
from eigenbody.numerics.matrices.linear import factor, joined, solve_vector
from eigenbody.numerics.signals.transition import STAGES, gauss_rule, transitions
from eigenbody.operating.periodic.shooting import UNDETERMINED, Lap
from eigenbody.operating.shift import Steps
from eigenbody.system.state import State


@dataclass(frozen=True, eq=False)
class MotionShift:
    """d/dp of the period, of the start (n,) as a linear state, and of the transition matrix (n, n)."""

    period: float
    start: np.ndarray
    transition: np.ndarray


def motion_shift(lap: Lap, step: Steps, period_slope: float | None) -> MotionShift:
    """Of a motion that closes, by the one number that has a step; the slope of the period where it is given, None for
    a cycle whose period is found."""
    here = _Along(lap, step)
    size = float(step.size[0])
    held = np.zeros((len(lap.mesh.times), len(lap.miss)))
    slope = 0.0 if period_slope is None else period_slope
    b = here.rates(here.point(held, slope)).imag / size
    f = here.rates(here.real).real
    start, slope = _start(lap, b, f, period_slope)
    b = here.rates(here.point(held, slope)).imag / size  # what depends on time feels the period too
    delta = _delta(lap, b + f * slope / lap.period, start)
    dA = matrices_at(here.point(delta, slope)).imag / size
    stretched = lap.matrices + 1j * size * (dA + lap.matrices * slope / lap.period)
    return MotionShift(slope, start, transitions(stretched, lap.mesh).whole.imag / size)


def _start(lap: Lap, b: np.ndarray, f: np.ndarray, period_slope: float | None) -> tuple[np.ndarray, float]:
    """delta at the start that comes back, and the slope of the period: (Phi - I) delta = -(forced by b and f T_p/T)."""
    n, unit = len(lap.miss), lap.unit
    whole = (lap.transitions.whole - np.eye(n)) * unit / unit[:, None]
    by_b, by_f = (_forced(lap, one)[-1] / unit for one in (b, f / lap.period))
    if period_slope is None:
        along = lap.rates() / unit
        along = along / np.linalg.norm(along)
        whole = np.block([[whole, by_f[:, None]], [along, np.zeros(1)]])
        found = np.linalg.lstsq(whole, np.append(-by_b, 0.0), rcond=UNDETERMINED)[0]
        return unit * found[:n], float(found[n])
    found = np.linalg.lstsq(whole, -(by_b + period_slope * by_f), rcond=UNDETERMINED)[0]
    return unit * found, period_slope


def _forced(lap: Lap, source: np.ndarray) -> np.ndarray:
    """z at the begin of each segment and at the end (K + 1, n) of z' = A z + source, z = 0 at the start."""
    out = [np.zeros(source.shape[-1])]
    for k, (end, _) in enumerate(_particular(lap, source)):
        out.append(lap.transitions.segments[k] @ out[-1] + end)
    return np.stack(out)


def _particular(lap: Lap, source: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
    """Of each segment from zero: the end (n,) and the values at its Gauss points (STAGES, n)."""
    _, weights, a = gauss_rule()
    n = source.shape[-1]
    A = lap.matrices.reshape(-1, STAGES, n, n)
    s = source.reshape(-1, STAGES, n)
    found = []
    for k, h in enumerate(lap.mesh.steps):
        left = np.eye(STAGES * n) - h * np.einsum("ij,jmn->imjn", a, A[k]).reshape(STAGES * n, STAGES * n)
        stages = np.linalg.solve(left, (h * a @ s[k]).ravel()).reshape(STAGES, n)
        rates = np.einsum("jmn,jn->jm", A[k], stages) + s[k]
        found.append((h * weights @ rates, stages))
    return found


def _delta(lap: Lap, source: np.ndarray, start: np.ndarray) -> np.ndarray:
    """delta (times, n) from its start."""
    begins = _forced(lap, source)[:-1] + lap.transitions.prefixes[:-1] @ start
    own = np.concatenate([stages for _, stages in _particular(lap, source)])
    return own + np.einsum("kjmn,kn->kjm", lap.transitions.stages, begins).reshape(own.shape)


class _Along:
    """The mechanism with a step on one number, at the times of a lap."""

    def __init__(self, lap: Lap, step: Steps) -> None:
        self.lap, self.system, self.size = lap, step.system, float(step.size[0])
        self.stepped = replace(lap.point, system=step.system)
        self.real = at_states(lap.point, lap.states)
        self.variations = VariationalEquations(self.real).variations
        self.tau = (lap.mesh.times - lap.mesh.start) / lap.period

    def point(self, delta: np.ndarray, period_slope: float) -> OperatingPoint:
        """All times at once, coordinates, rates and states moved on by delta (times, n), constraints closed."""
        nS, nW = self.real.frame.positions.count, self.real.frame.speeds.count
        S, W, x = np.split(1j * self.size * delta, (nS, nS + nW), axis=-1)
        state = self._closed(period_slope)
        frame, system = self.real.frame, self.real.system
        dq, du = (
            np.einsum("...ij,...j->...i", P, S) for P in (frame.P, np.broadcast_to(self.variations.D, frame.P.shape))
        )
        velocity = state.velocity(self.system) + du + np.einsum("...ij,...j->...i", frame.Pv, W)
        moved = state.moved(system, dq)
        return at_states(self.stepped, replace(moved.with_velocity(self.system, velocity), x=state.x + x))

    def _closed(self, period_slope: float) -> State:
        """The states at which coordinates and their rates are as they were, with the step in all else."""
        chosen = self.lap.point.chosen
        times = np.asarray(self.lap.states.t) + 1j * self.size * self.tau * period_slope
        state = replace(self.lap.states, t=times)
        rates = np.real(self.real.frame.speeds.jet(self.real.mechanics.at, state.turns).rate)
        mechanics = Mechanics(self.system, state)
        measures = coordinate_set(self.system, chosen.positions)
        here = complex_place_of(measures, mechanics)
        off = difference(measures, Place(np.real(here.values), tuple(np.real(R) for R in here.rotations)), here)
        rhs = joined(-1j * np.imag(mechanics.holonomic.value[..., chosen.rows]), off)
        step = solve_vector(factor(square(mechanics, chosen, measures)), rhs)
        return with_rates(self.system, chosen, state.moved(self.system, 1j * np.imag(step)), rates)

    @staticmethod
    def rates(point: OperatingPoint) -> np.ndarray:
        """[S', W', x'] (times, n)."""
        count = len(point.state.r)
        jet = point.frame.speed_jet
        x = np.asarray(point.mechanics.applied.state_rate())
        parts = (jet.rate, jet.acceleration, x)
        return np.concatenate([np.broadcast_to(one, (count, one.shape[-1])) for one in parts], axis=-1)
