"""Dormand and Prince's explicit method of order 8 with error estimates of orders 5 and 3, on the constraint manifold.

Each step is made in coordinates local to its start (rotation vectors of the rotation since then, so that nothing is
ever singular); its end is projected back onto the constraints, positions and velocities, by the least change in the
metric of the masses. The coefficients are those of scipy.integrate.DOP853 (Hairer, Norsett & Wanner 1993, II.5).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from eigenbody.base.errors import EigenbodyError
from eigenbody.simulation.chart import Chart
from eigenbody.simulation.forward import Evaluation, Forward
from eigenbody.simulation.saddle import Solver
from eigenbody.simulation.stepping import Integration, Node, Step, counted_nodes, landing, longest_step
from eigenbody.system.state import State

SAFETY, SHRINK, GROW = 0.9, 0.2, 6.0
STIFF = 6.1  # h times the spectral radius at which the method's stability ends (Hairer & Wanner 1996, IV.2)
STIFF_STEPS = 15
CREEP = 1.03  # growth of steps towards one that was rejected: of a vibration, errors go up and down from step to step
RESTFUL_STEPS = 6


class StiffnessFoundError(Exception):
    """The step is limited by stability, not by accuracy."""


class DormandPrince(Integration):
    """DOP853 in progress."""

    name = "dop853"

    def __init__(self, forward: Forward, state: State, until: float, tolerance: float, max_step: float, auto: bool):
        from scipy.integrate import DOP853

        self._m: Any = DOP853
        super().__init__(forward, state, until, tolerance, max_step)
        self._auto = auto
        held, slips, _ = forward.jets(state)
        self._now: Evaluation = self.keeper.complete(state, forward.saddle(state, held.gradient, slips.gradient))
        self._h = self._first_step()
        self._stiff, self._restful = 0, 0
        self._too_long = np.inf

    def _first_step(self) -> float:
        chart = Chart(self.forward, self.state)
        y = chart.origin
        rate = np.abs(chart.rate(y, self._now.acceleration, self._now.state_rate)) / self.scales.vector()
        fastest = float(rate.max(initial=0.0))
        h = 0.1 * self.tolerance**0.125 / fastest if fastest > 0 else self.until / 100
        return min(h, self.max_step, self.until)

    # One step ---------------------------------------------------------------------------------------------------------
    def advance(self, limit: float) -> Step:
        t = float(np.real(self.state.t))
        cause: EigenbodyError | None = None
        rejected = False
        longest = min(self.max_step, longest_step(self.forward, self.state, self._now.acceleration, self._h))
        while True:
            h = landing(min(self._h, longest), t, limit)
            self.refuse_stall(h, cause)
            try:
                step, error = self._try(t, h)
            except StiffnessFoundError:
                raise
            except EigenbodyError as fault:
                cause, step, error = fault, None, np.inf
            grow = SAFETY * error**-0.125 if 0 < error < np.inf else (GROW if error == 0 else SHRINK)
            if step is not None:
                if h == self._h or grow < 1:  # a step cut short by the end says nothing about the next
                    self._h = min(h * min(GROW if not rejected else 1.0, max(SHRINK, grow)), self._too_long)
                    self._too_long *= CREEP
                self.counts.accept(h)
                self.counts.evaluations = self.forward.evaluations
                return step
            rejected, self._too_long = True, SAFETY * h
            self.counts.rejected += 1
            self._h = h * max(SHRINK, min(grow, 0.9))

    def _try(self, t: float, h: float) -> tuple[Step | None, float]:
        """A step and its error relative to the tolerance; None if it is too large."""
        m, chart = self._m, Chart(self.forward, self.state)
        y0 = chart.origin
        K = np.empty((16, len(y0)))
        K[0] = chart.rate(y0, self._now.acceleration, self._now.state_rate)
        solver: Solver = self._now.solver
        y, nodes = y0, [Node(h * m.B[0], self.state, self._now.multipliers)]
        for s in range(1, 12):
            y = y0 + h * (m.A[s, :s] @ K[:s])
            state = chart.state(t + m.C[s] * h, y)
            now = self.forward.evaluate(state)
            nodes.append(Node(h * m.B[s], state, now.multipliers))
            K[s] = chart.rate(y, now.acceleration, now.state_rate)
            solver = now.solver
        y1 = y0 + h * (m.B @ K[:12])
        error = self._error(h, K, y1)
        if not error <= 1.0:
            return None, error if np.isfinite(error) else np.inf
        before = self.forward.angles(self.state)
        end, solver = self.keeper.restored(before, chart.state(t + h, y1), solver)
        after = self.keeper.complete(end, solver)
        end = after.on(end)
        y_end = chart.coordinates(end)
        K[12] = chart.rate(y_end, after.acceleration, after.state_rate)
        self._look_for_stiffness(h, y_end - y, K[12] - K[11])
        within = _Within(self, chart, t, h, y0, y_end, K, before, solver)
        self.state, self._now = end, after
        self.scales.see(end)
        used = [node for node in nodes if node.weight]
        return Step(
            t, t + h, end, lambda at: end if at >= t + h else within.at(at),
            lambda: counted_nodes(self.forward, before, used),
        ), error  # fmt: skip

    def _error(self, h: float, K: np.ndarray, y1: np.ndarray) -> float:
        x = slice(2 * self.forward.nq, None)
        scale = self.tolerance * self.scales.vector(y1[x], np.abs(K[:12, x]).max(axis=0, initial=0.0))
        e5, e3 = (np.abs(h * (E[:12] @ K[:12]) / scale).max(initial=0.0) for E in (self._m.E5, self._m.E3))
        both = np.hypot(e5, 0.1 * e3)
        return float(e5 * e5 / both) if both > 0 else 0.0

    def _look_for_stiffness(self, h: float, dy: np.ndarray, df: np.ndarray) -> None:
        """Count steps at the limit of stability; many of them without enough others between mean stiffness."""
        if not self._auto:
            return
        scale = self.scales.vector()
        size = np.linalg.norm(dy / scale)
        if size > 0 and h * np.linalg.norm(df / scale) > STIFF * size:
            self._stiff, self._restful = self._stiff + 1, 0
            if self._stiff >= STIFF_STEPS:
                raise StiffnessFoundError
        elif self._stiff:
            self._restful += 1
            if self._restful >= RESTFUL_STEPS:
                self._stiff = 0


class _Within:
    """States within a step, by the method's own polynomial of order 7 and projection."""

    def __init__(
        self, stepper: DormandPrince, chart: Chart, t: float, h: float, y0: np.ndarray, y1: np.ndarray,
        K: np.ndarray, before: np.ndarray, solver: Solver,
    ) -> None:  # fmt: skip
        self._stepper, self._chart, self._t, self._h = stepper, chart, t, h
        self._y0, self._y1, self._K, self._before, self._solver = y0, y1, K, before, solver
        self._F: np.ndarray | None = None

    def at(self, t: float) -> State:
        if self._F is None:
            self._F = self._polynomial()
        x = (t - self._t) / self._h
        y = np.zeros_like(self._y0)
        for i, f in enumerate(self._F[::-1]):
            y = (y + f) * (x if i % 2 == 0 else 1 - x)
        state = self._chart.state(t, self._y0 + y)
        return self._stepper.keeper.restored(self._before, state, self._solver)[0]

    def _polynomial(self) -> np.ndarray:
        m, K, h = self._stepper._m, self._K, self._h
        for s, (a, c) in enumerate(zip(m.A_EXTRA, m.C_EXTRA, strict=True), start=13):
            K[s] = self._chart.derivative(self._t + c * h, self._y0 + h * (a[:s] @ K[:s]))
        rise = self._y1 - self._y0
        first = np.stack((rise, h * K[0] - rise, 2 * rise - h * (K[12] + K[0])))
        return np.concatenate((first, h * (m.D @ K)))
