"""Radau IIA collocation with three stages, order 5, for stiff mechanisms (Hairer & Wanner 1996, IV.8).

The same coordinates local to each step and the same projection as in `explicit`; the Jacobian is exact (`tangents`)
and kept as long as Newton's iteration converges well; of large systems its sparse equations are factorized (`shifted`).
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from eigenbody.base.errors import EigenbodyError
from eigenbody.simulation.chart import Chart
from eigenbody.simulation.forward import Evaluation, Forward
from eigenbody.simulation.saddle import Solver
from eigenbody.simulation.shifted import DenseShifts, Solve, SparseShifts, shifts
from eigenbody.simulation.stages import solve_by_stages
from eigenbody.simulation.stepping import Consistency, Integration, Node, Step, counted_nodes, landing, longest_step
from eigenbody.system.state import State

_R = 6**0.5
C = np.array([(4 - _R) / 10, (4 + _R) / 10, 1])
WEIGHTS = np.array([(16 - _R) / 36, (16 + _R) / 36, 1 / 9])
E = np.array([-13 - 7 * _R, -13 + 7 * _R, -1]) / 3
REAL = 3 + 3 ** (2 / 3) - 3 ** (1 / 3)
COMPLEX = 3 + 0.5 * (3 ** (1 / 3) - 3 ** (2 / 3)) - 0.5j * (3 ** (5 / 6) + 3 ** (7 / 6))
T = np.array([
    [0.09443876248897524, -0.14125529502095421, 0.03002919410514742],
    [0.25021312296533332, 0.20412935229379994, -0.38294211275726192],
    [1, 1, 0],
])  # fmt: skip
TI = np.array([
    [4.17871859155190428, 0.32768282076106237, 0.52337644549944951],
    [-4.17871859155190428, -0.32768282076106237, 0.47662355450055044],
    [0.50287263494578682, -2.57192694985560522, 0.59603920482822492],
])  # fmt: skip
P = np.array([
    [13 / 3 + 7 * _R / 3, -23 / 3 - 22 * _R / 3, 10 / 3 + 5 * _R],
    [13 / 3 - 7 * _R / 3, -23 / 3 + 22 * _R / 3, 10 / 3 - 5 * _R],
    [1 / 3, -8 / 3, 10 / 3],
])  # fmt: skip
INVERSE = np.linalg.inv([
    [(88 - 7 * _R) / 360, (296 - 169 * _R) / 1800, (-2 + 3 * _R) / 225],
    [(296 + 169 * _R) / 1800, (88 + 7 * _R) / 360, (-2 - 3 * _R) / 225],
    [(16 - _R) / 36, (16 + _R) / 36, 1 / 9],
])  # fmt: skip
NEWTON = 7
STAGED = 10  # steps with a Jacobian at each stage, where many needed them in a row, until one alone is tried again
SHRINK, GROW = 0.2, 8.0


class Radau(Integration):
    """Radau IIA in progress."""

    name = "radau"

    def __init__(self, forward: Forward, state: State, until: float, tolerance: float, max_step: float) -> None:
        super().__init__(forward, state, until, tolerance, max_step)
        held, slips, _ = forward.jets(state)
        self._now: Evaluation = self.keeper.complete(state, forward.saddle(state, held.gradient, slips.gradient))
        self._newton_tolerance = max(10 * np.finfo(float).eps / tolerance, min(0.03, tolerance**0.5))
        chart = Chart(forward, state)
        rate = chart.rate(chart.origin, self._now.acceleration, self._now.state_rate)
        fastest = float(np.abs(rate / self.scales.vector()).max(initial=0.0))
        self._h = min(0.1 * tolerance**0.25 / fastest if fastest > 0 else until / 100, max_step)
        self._J: DenseShifts | SparseShifts | None = None
        self._is_new = False
        self._failures, self._staged = 0, 0  # of one Jacobian in a row, and steps to go with more from the start
        self._factors: tuple[Solve, Solve] | None = None  # of the real and of the complex number
        self._h_factored = 0.0
        self._last: tuple[float, float, np.ndarray] | None = None  # t, h and polynomial of the last step
        self._last_error: tuple[float, float] | None = None

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
                step = self._try(t, h, rejected)
            except EigenbodyError as fault:
                cause, step = fault, None
                self._h = 0.25 * h
            if step is not None:
                self.counts.accept(h)
                self.counts.evaluations = self.forward.evaluations
                return step
            rejected = True
            self.counts.rejected += 1

    def _try(self, t: float, h: float, rejected: bool) -> Step | None:
        chart = Chart(self.forward, self.state)
        y0 = chart.origin
        f0 = chart.rate(y0, self._now.acceleration, self._now.state_rate)
        scale = self.tolerance * self.scales.vector()
        Z, iterations, rate = self._stages(chart, t, h, y0, scale)
        if Z is None:
            if self._is_new:
                self._h = 0.5 * h
            self._J = None
            return None
        x = slice(2 * self.forward.nq, None)
        scale = self.tolerance * self.scales.vector((y0 + Z[-1])[x], np.abs(Z[:, x]).max(axis=0, initial=0.0) / h)
        error = self._error(chart, t, h, y0, f0, Z, scale, rejected)
        factor = 0.9 * (2 * NEWTON + 1) / (2 * NEWTON + iterations) * self._growth(h, error)
        if not error <= 1:
            self._h = h * max(SHRINK, min(factor, 0.9))
            return None
        step = self._accept(chart, t, h, y0, Z)
        self._last_error = (h, error)
        if rate > 1e-3 or iterations > 2:
            self._J = None
        factor = min(GROW if not rejected else 1.0, factor)
        if h >= self._h or factor < 1:
            self._h = h * (factor if factor < 1 or factor > 1.2 or self._J is None else 1.0)
        return step

    def _growth(self, h: float, error: float) -> float:
        """Step factor by the last two errors (Gustafsson)."""
        if not 0 < error < np.inf:
            return GROW if error == 0 else SHRINK
        plain = error**-0.25
        if self._last_error is None or self._last_error[1] == 0:
            return float(plain)
        h_last, last = self._last_error
        return float(min(1.0, h / h_last * (last / error) ** 0.25) * plain)

    def _factored(self, h: float) -> tuple[Solve, Solve]:
        if self._J is None:
            self._J = shifts(self.forward, self.state, self._now)
            self._is_new, self._factors = True, None
            self.counts.jacobians += 1
        else:
            self._is_new = False
        if self._factors is None or h != self._h_factored:
            self._factors, self._h_factored = (self._J.factored(REAL / h), self._J.factored(COMPLEX / h)), h
            self.counts.factorizations += 2
        return self._factors

    def _stages(
        self, chart: Chart, t: float, h: float, y0: np.ndarray, scale: np.ndarray
    ) -> tuple[np.ndarray | None, int, float]:
        """Stages by the Jacobian at the start of the step or, where that fails, by one at each stage (of systems that
        are not large); None if both do. Also the number of iterations, and how slowly they converged."""
        Z, iterations, rate = None, 0, 1.0
        if self._staged and not self.forward.is_sparse:
            self._J, self._staged = None, self._staged - 1
            self._factored(h)
        else:
            Z, iterations, rate = self._collocation(chart, t, h, y0, scale)
            self._failures = 0 if Z is not None else self._failures + self._is_new
            self._staged = min(max(0, self._failures - 1), STAGED)
        if Z is None and self._is_new and not self.forward.is_sparse:
            Z, iterations = self._by_stages(chart, t, h, y0, scale)
        return Z, iterations, rate

    def _collocation(
        self, chart: Chart, t: float, h: float, y0: np.ndarray, scale: np.ndarray
    ) -> tuple[np.ndarray | None, int, float]:
        """Newton's iteration for the stages; None if it does not converge."""
        real, complex_ = self._factored(h)
        Z = self._guess(t, h, y0)
        W = TI @ Z
        before, rate = None, 0.0
        for k in range(NEWTON):
            F = np.array([chart.derivative(t + c * h, y0 + z) for c, z in zip(C, Z, strict=True)])
            if not np.isfinite(F).all():
                return None, k, 1.0
            dr = real(TI[0] @ F - REAL / h * W[0])
            dc = complex_((TI[1] + 1j * TI[2]) @ F - COMPLEX / h * (W[1] + 1j * W[2]))
            dW = np.array((dr, dc.real, dc.imag))
            size = float(np.sqrt(np.mean((dW / scale) ** 2)))
            self.counts.iterations += 1
            if before is not None:
                rate = size / before if before > 0 else 0.0
                if rate >= 1 or rate ** (NEWTON - k) / (1 - rate) * size > self._newton_tolerance:
                    return None, k, rate
            W = W + dW
            Z = T @ W
            if size == 0 or (before is not None and rate / (1 - rate) * size < self._newton_tolerance):
                return Z, k + 1, rate
            before = size
        return None, NEWTON, rate

    def _by_stages(
        self, chart: Chart, t: float, h: float, y0: np.ndarray, scale: np.ndarray
    ) -> tuple[np.ndarray | None, int]:
        """The same with a Jacobian at each stage."""
        sizes: list[float] = []

        def is_enough(step: np.ndarray, k: int) -> bool | None:
            sizes.append(float(np.sqrt(np.mean((step / scale) ** 2))))
            rate = sizes[-1] / sizes[-2] if k and sizes[-2] > 0 else 0.0
            if rate >= 1 or not np.isfinite(sizes[-1]):
                return None
            return sizes[-1] == 0 or (k > 0 and rate / (1 - rate) * sizes[-1] < self._newton_tolerance)

        Z, k = solve_by_stages(chart, t + C * h, h, y0, self._guess(t, h, y0), INVERSE, is_enough)
        self.counts.jacobians += 3
        self.counts.iterations += k
        return Z, k

    def _guess(self, t: float, h: float, y0: np.ndarray) -> np.ndarray:
        """The last step's polynomial continued."""
        if self._last is None:
            return np.zeros((3, len(y0)))
        t_last, h_last, Q = self._last
        x = (t + C * h - t_last) / h_last
        powers = np.stack((x, x**2, x**3))
        return powers.T @ Q - Q.sum(axis=0)

    def _error(
        self, chart: Chart, t: float, h: float, y0: np.ndarray, f0: np.ndarray, Z: np.ndarray, scale: np.ndarray,
        rejected: bool,
    ) -> float:  # fmt: skip
        assert self._factors is not None
        real, ZE = self._factors[0], E @ Z / h
        error = real(f0 + ZE)
        size = float(np.abs(error / scale).max(initial=0.0))
        if size > 1 and (rejected or self._last is None):
            error = real(chart.derivative(t, y0 + error) + ZE)
            size = float(np.abs(error / scale).max(initial=0.0))
        return size if np.isfinite(size) else np.inf

    def _accept(self, chart: Chart, t: float, h: float, y0: np.ndarray, Z: np.ndarray) -> Step:
        before, solver = self.forward.angles(self.state), self._now.solver
        end, new = self.keeper.restored(before, chart.state(t + h, y0 + Z[2]), solver)
        after = self.keeper.complete(end, new)
        end = after.on(end)
        Q = P.T @ Z
        within = _Within(self.keeper, chart, t, h, y0, Q, before, solver)
        self._last = (t, h, Q)
        self.state, self._now = end, after
        self.scales.see(end)
        return Step(
            t, t + h, end, lambda at: end if at >= t + h else within.at(at),
            lambda: counted_nodes(self.forward, before, self._nodes(chart, t, h, y0, Z)),
        )  # fmt: skip

    @staticmethod
    def _nodes(chart: Chart, t: float, h: float, y0: np.ndarray, Z: np.ndarray) -> Iterator[Node]:
        for weight, c, z in zip(WEIGHTS, C, Z, strict=True):
            yield Node(h * weight, chart.state(t + c * h, y0 + z))


class _Within:
    """States within a step by the collocation polynomial and projection."""

    def __init__(
        self, keeper: Consistency, chart: Chart, t: float, h: float, y0: np.ndarray, Q: np.ndarray, before: np.ndarray,
        solver: Solver,
    ) -> None:  # fmt: skip
        self.keeper, self._chart, self._t, self._h = keeper, chart, t, h
        self._y0, self._Q, self._before, self._solver = y0, Q, before, solver

    def at(self, t: float) -> State:
        x = (t - self._t) / self._h
        y = self._y0 + x * self._Q[0] + x**2 * self._Q[1] + x**3 * self._Q[2]
        return self.keeper.restored(self._before, self._chart.state(t, y), self._solver)[0]
