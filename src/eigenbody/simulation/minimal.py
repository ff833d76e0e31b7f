"""The classical Runge-Kutta method of order 4 in minimal coordinates, as a plain reference.

The unknowns are the chosen coordinates S, their speeds W and the first-order states. At every stage the configuration
is found from S by Newton's method, the velocities from W by one linear solve, the accelerations by the projection of
`operation.motion`: none of it is shared with the other methods.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property

import numpy as np

from eigenbody.base.errors import ComputationError
from eigenbody.dynamics.mechanics import Mechanics
from eigenbody.mobility.frame import MotionFrame, measure_rows
from eigenbody.mobility.motion import solve_motion
from eigenbody.mobility.partition import select
from eigenbody.mobility.posing import square
from eigenbody.mobility.projection import held_rows
from eigenbody.mobility.treespace import value_set
from eigenbody.mobility.turns import counted
from eigenbody.numerics.matrices.linear import factor, stack
from eigenbody.simulation.forward import Forward
from eigenbody.simulation.stepping import Counts, Node, Step, refuse_long_step
from eigenbody.system.state import State, carriers

NEWTON = 20
CLOSED = 1e-14
WEIGHTS = ((0.0, 1 / 6), (0.5, 1 / 3), (0.5, 1 / 3), (1.0, 1 / 6))


class RungeKutta:
    """RK4 in progress, with a fixed step."""

    name = "rk4"

    def __init__(self, forward: Forward, state: State, step: float) -> None:
        self.forward, self.system, self.state, self._step = forward, forward.system, state, step
        self.counts = Counts()
        self._choose()

    def _choose(self) -> None:
        self._chosen = select(Mechanics(self.system, self.state), self.system.coordinates)
        self._positions = value_set(self.system, self._chosen.positions)
        self._speeds = value_set(self.system, self._chosen.velocities)

    # Coordinates ------------------------------------------------------------------------------------------------------
    def _coordinates(self, state: State) -> np.ndarray:
        at = carriers(self.system, state)
        S = self._positions.jet(at, state.turns).value
        return np.concatenate((S, self._speeds.jet(at, state.turns).rate, state.x))

    def _at(self, t: float, y: np.ndarray, near: State) -> State:
        """The state with these coordinates, found from a state close by."""
        nS, nW = self._positions.count, self._speeds.count
        state = self._configuration(replace(near, t=t), y[:nS])
        return replace(self._moving(state, y[nS : nS + nW]), x=y[nS + nW :])

    def _configuration(self, state: State, S: np.ndarray) -> State:
        system, chosen = self.system, self._chosen
        size = before = np.inf
        for _ in range(NEWTON):
            mechanics = Mechanics(system, state)
            off = self._positions.jet(mechanics.at, state.turns).value - S
            residual = np.concatenate((mechanics.holonomic.value[chosen.rows], off))
            step = factor(square(mechanics, chosen, self._positions)).solve(-residual)
            before, size = size, float(np.abs(step).max(initial=0.0)) / max(system.length, 1.0)
            state = counted(system, state, state.moved(system, step))
            if size < CLOSED or (size < 1e-11 and size > 0.3 * before):
                return state
            if not size < 1.0:
                break
        raise ComputationError(
            f"The coordinates {', '.join(system.names[i] for i in chosen.positions[:6])} no longer determine the"
            f" configuration at t = {np.real(state.t):.6g} s. Use the default method."
        )

    def _moving(self, state: State, W: np.ndarray) -> State:
        system = self.system
        zero = np.zeros_like(state.v)
        state = replace(state, v=zero, w=zero)
        mechanics = Mechanics(system, state)
        sparse = not isinstance(held := held_rows(mechanics, self._chosen), np.ndarray)
        J = stack([held, measure_rows(mechanics, self._speeds, sparse)])
        rest = np.concatenate(
            (
                -mechanics.holonomic.rate[self._chosen.rows],
                -mechanics.non_holonomic.rate[self._chosen.slip_rows],
                W - self._speeds.jet(mechanics.at, state.turns).rate,
            )
        )
        return state.with_velocity(system, factor(J).solve(rest))

    def _derivative(self, state: State) -> np.ndarray:
        self.counts.evaluations += 1
        mechanics = Mechanics(self.system, state)
        motion = solve_motion(MotionFrame(mechanics, self._chosen))
        mechanics = motion.mechanics(mechanics)
        at = carriers(self.system, state, motion.acceleration)
        rate = self._positions.jet(at, state.turns).rate
        speed_rate = self._speeds.jet(at, state.turns).acceleration
        return np.concatenate((rate, speed_rate, mechanics.applied.state_rate()))

    # One step ---------------------------------------------------------------------------------------------------------
    def advance(self, limit: float) -> Step:
        t, start = float(np.real(self.state.t)), self.state
        h = limit - t if limit - t < self._step * (1 + 1e-9) else self._step
        refuse_long_step(self.forward, start, np.zeros(self.system.nq), h)
        y0 = self._coordinates(start)
        total, k, near, nodes = np.zeros_like(y0), np.zeros_like(y0), start, []
        for node, weight in WEIGHTS:
            near = start if node == 0 else self._at(t + node * h, y0 + node * h * k, near)
            k = self._derivative(near)
            total = total + weight * k
            nodes.append(Node(h * weight, near))
        y1 = y0 + h * total
        end = self._at(t + h, y1, near)
        within = _Hermite(self, t, h, y0, y1, start, end)
        self.state = end
        self.counts.accept(h)
        return Step(t, t + h, end, lambda at: end if at >= t + h else within.at(at), lambda: nodes)


class _Hermite:
    """States within a step by cubic interpolation of the coordinates."""

    def __init__(
        self, method: RungeKutta, t: float, h: float, y0: np.ndarray, y1: np.ndarray, start: State, end: State
    ) -> None:
        self._method, self._t, self._h, self._y0, self._y1 = method, t, h, y0, y1
        self._near, self._end = start, end

    @cached_property
    def _slopes(self) -> tuple[np.ndarray, np.ndarray]:
        return self._h * self._method._derivative(self._near), self._h * self._method._derivative(self._end)

    def at(self, t: float) -> State:
        x = (t - self._t) / self._h
        y0, y1, (d0, d1) = self._y0, self._y1, self._slopes
        y = (1 + 2 * x) * (1 - x) ** 2 * y0 + x * (1 - x) ** 2 * d0 + x**2 * (3 - 2 * x) * y1 + x**2 * (x - 1) * d1
        return self._method._at(t, y, self._near)
