"""Kane's equations integrated: by Dormand and Prince's method of order 8 with its step controlled, or by the method of
Runge and Kutta of order 4 with a fixed step, which Passerello and Huston used.

Coordinates are deviations in the charts of a state, so that 1-2-3 angles stay far from their singularity: charts are
made anew when a body has turned by half a radian since.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from eigenbody.base.errors import ComputationError
from eigenbody.mobility.turns import counted
from eigenbody.routes.kane import ChainMotion
from eigenbody.routes.kane.charts import Step as ChartStep
from eigenbody.simulation.chart import orthonormal
from eigenbody.simulation.forward import Forward
from eigenbody.simulation.kane.chain import Chain
from eigenbody.simulation.stepping import ROUNDING, Counts, Node, Scales, Step, stalled
from eigenbody.spatial.rotations import dot
from eigenbody.system.state import State

TURNED = 0.5  # rad by which a body may turn before charts are made anew
LONGEST = 1.0  # rad by which it may turn in a step: two bodies then turn by less than half a turn against each other
GAUSS = np.polynomial.legendre.leggauss(5)
STAGES = 12  # evaluations of one attempt of DOP853
RK4 = ((0.0, 1 / 6), (0.5, 1 / 3), (0.5, 1 / 3), (1.0, 1 / 6))

Within = Callable[[float], np.ndarray]


class _KaneSteps:
    """What both methods share; `y` are deviations, speeds and first-order states in the charts of `motion`."""

    name = "kane"

    def __init__(self, chain: Chain, forward: Forward, state: State) -> None:
        self.chain, self.forward, self.state = chain, forward, state
        self.counts = Counts()
        self.motion: ChainMotion = chain.moving(state)

    def _state_at(self, motion: ChainMotion, t: float, y: np.ndarray, before: State) -> State:
        """The state of the engine at y, turns counted on from a state before it."""
        bodies = motion.bodies(y)
        inner = y[2 * motion.system.tree.count :]
        after = replace(before, r=bodies.r, R=bodies.R, v=bodies.v, w=bodies.w, x=inner, t=t)
        return counted(self.forward.system, before, orthonormal(after))

    def _step(self, t0: float, t1: float, y: np.ndarray, within: Within) -> Step:
        """The step that has been made, with its states."""
        motion, before = self.motion, self.state

        def at(t: float) -> State:
            return end if t >= t1 else self._state_at(motion, t, motion.closed(t, within(t)), before)

        def nodes() -> list[Node]:
            places, weights = GAUSS
            half = (t1 - t0) / 2
            return [Node(half * w, at(t0 + half * (1 + p))) for p, w in zip(places, weights, strict=True)]

        end = self._state_at(motion, t1, y, before)
        self.state = end
        self.counts.accept(t1 - t0)
        return Step(t0, t1, end, at, nodes)


class KaneDormandPrince(_KaneSteps):
    """DOP853 of SciPy on Kane's equations, in progress."""

    name = "kane (dop853)"

    def __init__(
        self, chain: Chain, forward: Forward, state: State, until: float, tolerance: float, max_step: float
    ) -> None:
        super().__init__(chain, forward, state)
        self._until, self._tolerance, self._max_step = until, tolerance, max_step
        self._scales = Scales(forward, until - float(np.real(state.t)), ROUNDING / tolerance)
        self._scales.see(state)
        self._solver: Any = self._started(self.motion.origin, None)

    def _started(self, y: np.ndarray, first: float | None) -> Any:
        from scipy.integrate import DOP853

        t = float(np.real(self.state.t))
        first = None if first is None else min(first, self._until - t)
        return DOP853(
            self.motion.rates, t, y, self._until, max_step=self._longest(), first_step=first,
            rtol=max(self._tolerance, 1e-13), atol=self._tolerance * self._magnitudes(),
        )  # fmt: skip

    def _magnitudes(self) -> np.ndarray:
        """By which errors of y are judged: lengths of the mechanism, radians, the largest speeds so far."""
        scales = self._scales
        turns = is_angular(self.motion)
        places = np.where(turns, 1.0, self.forward.system.length)
        speeds = np.where(turns, scales.angular, scales.linear)
        return np.concatenate([places, speeds, scales.states()])

    def _longest(self) -> float:
        """The step in which no body turns by more than LONGEST at its present speed."""
        w = float(np.sqrt(dot(self.state.w, self.state.w).max(initial=0.0)))
        return min(self._max_step, LONGEST / w) if w > 0 else self._max_step

    def advance(self, limit: float) -> Step:
        """One step, not beyond the end."""
        solver = self._solver
        solver.max_step = self._longest()
        t0, before = solver.t, solver.nfev
        solver.step()
        if solver.status == "failed":
            raise ComputationError(stalled(self.forward, self.state, None))
        self.counts.rejected += (solver.nfev - before) // STAGES - 1
        within = solver.dense_output()
        y = self.motion.closed(solver.t, solver.y)
        if self.motion.system.constraints and solver.status == "running":
            solver.y, solver.f = y, self.motion.rates(solver.t, y)
        self.counts.evaluations += solver.nfev - before
        step = self._step(t0, solver.t, y, within)
        self._scales.see(self.state)
        if solver.status == "running" and self.motion.turned(y) > TURNED:
            self.motion = self.chain.moving(self.state)
            self._solver = self._started(self.motion.origin, solver.h_abs)
        return step


class KaneRungeKutta(_KaneSteps):
    """The method of the report: order 4, fixed step."""

    name = "kane (rk4)"

    def __init__(self, chain: Chain, forward: Forward, state: State, step: float) -> None:
        super().__init__(chain, forward, state)
        self._h = step

    def advance(self, limit: float) -> Step:
        """One step, cut short by the end."""
        t = float(np.real(self.state.t))
        h = limit - t if limit - t < self._h * (1 + 1e-9) else self._h
        self._refuse_long(t, h)
        self.motion = motion = self.chain.moving(self.state)
        y0 = motion.origin
        total, k, slopes = np.zeros_like(y0), np.zeros_like(y0), []
        for node, weight in RK4:
            k = motion.rates(t + node * h, y0 + node * h * k)
            total = total + weight * k
            slopes.append(k)
        y1 = motion.closed(t + h, y0 + h * total)
        self.counts.evaluations += len(RK4)

        def within(at: float) -> np.ndarray:
            x = (at - t) / h
            d0, d1 = h * slopes[0], h * motion.rates(t + h, y1)
            rise = y1 - y0
            return np.asarray(y0 + x * rise + x * (1 - x) * ((1 - x) * (d0 - rise) - x * (d1 - rise)))

        return self._step(t, t + h, y1, within)

    def _refuse_long(self, t: float, h: float) -> None:
        w = float(np.sqrt(dot(self.state.w, self.state.w).max(initial=0.0)))
        if w * h > LONGEST * (1 + 1e-9):
            raise ComputationError(
                f"A body turns by more than {LONGEST:g} rad in a step of {h:.3g} s at t = {t:.6g} s: full turns could"
                f" not be counted. Use a step of at most {LONGEST / w:.2g} s."
            )


def is_angular(motion: ChainMotion) -> np.ndarray:
    """(n,) bool: coordinates of a chart that are turns."""
    out = np.zeros(motion.system.tree.count, dtype=bool)
    for branch in motion.system.tree.branches:
        for step in branch.chart.steps:
            if isinstance(step, ChartStep) and step.kind == "turn":
                out[branch.start + step.coordinate] = True
    return out
