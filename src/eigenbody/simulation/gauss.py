"""Gauss collocation with ten stages, order 20, for mechanisms whose stiff parts swing almost undamped.

    k_i = f(t + c_i h, y + h sum_j a_ij k_j),  y1 = y + h sum_i b_i k_i

The method is symmetric and damps nothing: the energy of a vibration stays where it is. Coordinates and projection are
those of `explicit`. The stages are found by Newton's method with the vibrations about the start of the step
(`vibration`), which change slowly against themselves as the mechanism moves. So a step may follow six radians of the
fastest vibration at a tolerance of 1e-8, whereas an explicit method of order 8 follows one.

The error of a step is told by the defect f(p) - p' of its polynomial p, known at both ends. To leading order it is that
value times Legendre's P_s; summed up over a step with what a vibration omega makes of it, h j_s(omega h / 2) is left
of it, j_s Bessel's spherical function, which is below (omega h / 2)^s / (2 s + 1)!!: the reason why the order at the
end of a step is 2 s (Hairer, Lubich & Wanner 2006, Theorem II.1.5). What is no vibration is taken to leave h, nor is
what is slow one: its shapes turn with the mechanism before it has swung.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.polynomial import legendre

from eigenbody.base.errors import ComputationError, EigenbodyError
from eigenbody.simulation.chart import Chart
from eigenbody.simulation.forward import Evaluation, Forward
from eigenbody.simulation.saddle import Solver
from eigenbody.simulation.stepping import Integration, Node, Step, counted_nodes, landing, longest_step
from eigenbody.simulation.together import Together
from eigenbody.simulation.vibration import SLOWLY, Vibrations
from eigenbody.system.state import State

STAGES = 10
C, WEIGHTS = (0.5 * part + offset for part, offset in zip(legendre.leggauss(STAGES), (0.5, 0.0), strict=True))
_LEGENDRE = np.linalg.inv(legendre.legvander(2 * C - 1, STAGES - 1))  # values at the nodes -> coefficients
_INTEGRALS = np.stack([legendre.legint(row, lbnd=-1, scl=0.5) for row in np.eye(STAGES)])  # of P_n over 0..x
DOUBLE_FACTORIAL = float(np.prod(np.arange(1.0, 2 * STAGES + 2, 2)))
NEWTON = 12
LEFT = 0.01  # what the iteration may leave of the tolerance
OUTPUT = 0.3  # the same for states between steps, with which nothing goes on
ROUNDING = 16 * float(np.finfo(float).eps)
ORDER = 2 * STAGES + 1  # in which errors of vibrations go with the step
FAILED = 0.5  # convergence slower than this asks for a shorter step
PROBE = 1e-3  # share of a step by which the change of rates at its start is told
SAFETY, SHRINK, GROW = 0.95, 0.3, 3.0
CREEP = 1.03  # growth of steps towards one that was rejected; its n-th power in the n-th step since: it is forgotten
FORGET = 0.5  # of the last error counts for the next step: those of a vibration go up and down from step to step


def rates_at(x: np.ndarray) -> np.ndarray:
    """Weights (n, s) of the stages in p'(x), x in shares of the step."""
    return legendre.legvander(2 * x - 1, STAGES - 1) @ _LEGENDRE


def rises_at(x: np.ndarray) -> np.ndarray:
    """Weights (n, s) of the stages in (p(x) - p(0)) / h."""
    return legendre.legvander(2 * x - 1, STAGES) @ _INTEGRALS.T @ _LEGENDRE


A = rises_at(C)
A2 = A @ A
ENDS = rates_at(np.array([0.0, 1.0]))


class Gauss(Integration):
    """Gauss collocation in progress."""

    name = "gauss"

    def __init__(self, forward: Forward, state: State, until: float, tolerance: float, max_step: float) -> None:
        super().__init__(forward, state, until, tolerance, max_step)
        held, slips, _ = forward.jets(state)
        self._now: Evaluation = self.keeper.complete(state, forward.saddle(state, held.gradient, slips.gradient))
        self._vibrations: Vibrations | None = None
        self._stages = Together(forward, STAGES)
        self._error, self._too_long = 0.0, np.inf  # the largest lately, and a step that would be rejected
        self._since = 0  # steps made since one was rejected
        chart = Chart(forward, state)
        rate = chart.rate(chart.origin, self._now.acceleration, self._now.state_rate)
        fastest = float(np.abs(rate / self.scales.vector()).max(initial=0.0))
        self._h = min(0.1 * tolerance ** (1 / 16) / fastest if fastest > 0 else until / 100, max_step)

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
                step, factor = self._try(t, h)
            except EigenbodyError as fault:
                cause, step, factor = fault, None, SHRINK
            if step is not None:
                if h >= self._h or factor < 1:  # a step cut short by the end says nothing about the next
                    self._h = min(h * min(factor, 1.0 if rejected else GROW), self._too_long)
                    self._since += 1
                    self._too_long *= CREEP**self._since
                self.counts.accept(h)
                self.counts.evaluations = self.forward.evaluations
                return step
            self._h, self._too_long, self._since = h * min(factor, 1.0), SAFETY * h, 0
            rejected = True
            self.counts.rejected += 1

    def _try(self, t: float, h: float) -> tuple[Step | None, float]:
        """A step, None where it fails, and the factor by which the next may be longer."""
        chart = Chart(self.forward, self.state)
        y0 = chart.origin
        f0 = chart.rate(y0, self._now.acceleration, self._now.state_rate)
        if self._vibrations is None:
            self._vibrations = Vibrations(self.forward, self.state, self._now)
            self.counts.jacobians += 1
        collocation = Collocation(chart, self._stages, self._vibrations, t, h, y0, self._left(self._vibrations.fastest))
        k, rate = collocation.solved(collocation.guess(f0))
        self.counts.iterations += collocation.iterations
        if k is None:
            return None, 0.5
        y1 = y0 + h * (WEIGHTS @ k)
        now = self.forward.evaluate(chart.state(t + h, y1))
        f1 = chart.rate(y1, now.acceleration, now.state_rate)
        error = collocation.error(k, f0, f1, self.tolerance * self._scale(y1, k))
        lately = max(error, FORGET * self._error)
        factor = SAFETY * lately ** (-1 / ORDER) if 0 < lately < np.inf else (GROW if lately == 0 else SHRINK)
        factor = max(SHRINK, factor)
        if not error <= 1:
            return None, min(factor, 0.9)
        self._error, self._vibrations = lately, None
        return self._accept(collocation, k, rate, y1, now.solver), factor

    def _left(self, omega: float) -> np.ndarray:
        """What the iteration may leave of y: a share of the tolerance, or what rounding of positions makes of the
        velocities of vibrations up to omega."""
        scale, n = self.scales.vector(), self.forward.nq
        size = np.concatenate((scale[:n], np.maximum(scale[n : 2 * n], omega * scale[:n]), scale[2 * n :]))
        return np.maximum(LEFT * self.tolerance * scale, ROUNDING * size)

    def _scale(self, y1: np.ndarray, k: np.ndarray) -> np.ndarray:
        x = slice(2 * self.forward.nq, None)
        return self.scales.vector(y1[x], np.abs(k[:, x]).max(axis=0, initial=0.0))

    def _accept(self, collocation: Collocation, k: np.ndarray, rate: float, y1: np.ndarray, solver: Solver) -> Step:
        t, h, chart = collocation.t, collocation.h, collocation.chart
        before = self.forward.angles(self.state)
        end, new = self.keeper.restored(before, chart.state(t + h, y1), solver)
        after = self.keeper.complete(end, new)
        end = after.on(end)
        self.state, self._now = end, after
        self.scales.see(end)

        def at(time: float) -> State:
            """A state within the step by a shorter step: the polynomial is less accurate there than at its end."""
            if time >= t + h:
                return end
            x = (time - t) / h
            shorter = collocation.over(x * h)
            found, _ = shorter.solved(rates_at(x * C) @ k, rate, OUTPUT / LEFT)
            if found is None:
                raise ComputationError(f"The state at t = {time:.9g} s was not found. Use a smaller max_step.")
            return self.keeper.restored(before, chart.state(time, collocation.y0 + x * h * (WEIGHTS @ found)), new)[0]

        return Step(t, t + h, end, at, lambda: counted_nodes(self.forward, before, collocation.nodes(k)))


class Collocation:
    """The stages of a step from t to t + h, solved for by Newton's method to what `scale` (ny,) allows."""

    def __init__(
        self, chart: Chart, stages: Together, vibrations: Vibrations, t: float, h: float, y0: np.ndarray,
        scale: np.ndarray,
    ) -> None:  # fmt: skip
        self._stages = stages
        self.chart, self.t, self.h, self.y0 = chart, t, h, y0
        self._vibrations, self._scale = vibrations, scale
        self.iterations = 0
        c, square = vibrations.damping[:, None, None], vibrations.squares[:, None, None]
        self._inverse = np.linalg.inv(np.eye(STAGES) + h * c * A + h * h * square * A2)

    def over(self, h: float) -> Collocation:
        """The same over another time."""
        return Collocation(self.chart, self._stages, self._vibrations, self.t, h, self.y0, self._scale)

    def states(self, k: np.ndarray) -> Iterator[State]:
        """States of the stages."""
        for c, y in zip(C, self.y0 + self.h * (A @ k), strict=True):
            yield self.chart.state(self.t + c * self.h, y)

    def nodes(self, k: np.ndarray) -> Iterator[Node]:
        for weight, state in zip(WEIGHTS, self.states(k), strict=True):
            yield Node(self.h * weight, state)

    def rates(self, k: np.ndarray) -> np.ndarray:
        """f at the stages."""
        return self._stages.derivatives(self.chart, self.t + C * self.h, self.y0 + self.h * (A @ k))

    def solved(self, k: np.ndarray, rate: float | None = None, enough: float = 1.0) -> tuple[np.ndarray | None, float]:
        """The stages' rates (s, ny) from others, None where the iteration fails; and how slowly it converged, which may
        be known from a longer step: a shorter one converges no slower. `enough` times the scale may be left."""
        before = 0.0
        for i in range(NEWTON):
            F = self.rates(k)
            if not np.isfinite(F).all():
                return None, 1.0
            step = self._correction(F - k)
            k = k + step
            self.iterations += 1
            size = self.h * float(np.abs(step / self._scale).max(initial=0.0))
            if i:
                rate = size / before if before > 0 else 0.0
                if rate > FAILED or not np.isfinite(size):
                    return None, 1.0
            if size == 0 or (rate is not None and rate / (1 - rate) * size < enough):
                return k, rate or 0.0
            before = size
        return None, 1.0

    def guess(self, f0: np.ndarray) -> np.ndarray:
        """Rates at the stages from those at the start and from how these begin to change: g' = f' g, with all of f'
        along f0 and that of the vibrations along what g becomes."""
        n = self.chart.forward.nq
        ahead = PROBE * self.h
        change = (self.chart.derivative(self.t + ahead, self.y0 + ahead * f0) - f0) / ahead
        rise = self.h * C[:, None] * change
        more = np.zeros_like(rise)
        more[:, :n] = self.h * (A @ rise[:, n : 2 * n])
        more[:, n : 2 * n] = self.h * (A @ self._vibrations.accelerations(rise[:, :n], rise[:, n : 2 * n]))
        return f0 + rise + self._correction(more)

    def _correction(self, open_by: np.ndarray) -> np.ndarray:
        """Newton's for f(stages) - k = open_by (s, ny)."""
        n, modes, h = self.chart.forward.nq, self._vibrations, self.h
        d, u = open_by[:, :n], open_by[:, n : 2 * n]
        speed = u @ modes.momenta.T  # (s, m), of the vibrations; the rest of u moves d as it is
        rest = u - speed @ modes.shapes.T
        wanted = speed - h * (A @ ((d + h * (A @ rest)) @ modes.pull.T))
        found = (self._inverse @ wanted.T[..., None])[..., 0].T
        out = open_by.copy()
        out[:, n : 2 * n] = rest + found @ modes.shapes.T
        out[:, :n] += h * (A @ out[:, n : 2 * n])
        return out

    def error(self, k: np.ndarray, f0: np.ndarray, f1: np.ndarray, scale: np.ndarray) -> float:
        """Error of the step relative to what is allowed."""
        defects = np.stack((f0, f1)) - ENDS @ k
        summed = self._summed(defects, self._lasting(k))
        return max((float((part / scale).max(initial=0.0)) for part in summed), default=0.0)

    def _lasting(self, k: np.ndarray) -> np.ndarray:
        """Which vibrations (m,) make a radian in the step and keep their shapes meanwhile. The zero omega of a free
        motion is none of them, whatever rounding makes of it; nor is one of a soft spring, which the others turn."""
        n, system = self.chart.forward.nq, self.chart.forward.system
        speeds = (self.y0 + self.h * (A @ k))[:, n : 2 * n]
        moving = float(np.abs(speeds / np.where(system.is_angular, 1.0, system.length)).max(initial=0.0))
        return np.sqrt(self._vibrations.squares) > max(1 / self.h, SLOWLY * moving)

    def _summed(self, defects: np.ndarray, lasting: np.ndarray) -> Iterator[np.ndarray]:
        """What each of the defects (2, ny) sums up to in a step, with the vibrations (m,) that last."""
        n, h = self.chart.forward.nq, self.h
        shapes, momenta = self._vibrations.shapes[:, lasting], self._vibrations.momenta[lasting]
        omega = np.sqrt(self._vibrations.squares[lasting])
        share = np.minimum(1.0, (0.5 * h * omega) ** STAGES / DOUBLE_FACTORIAL)
        turning = min(1.0, h * float(np.abs(self.chart.base.w).max(initial=0.0)))  # of the shapes in the step
        share = np.minimum(1.0, share + turning * share.max(initial=0.0))
        for defect in defects:
            d, u = defect[:n], defect[n : 2 * n]
            amplitude, speed = momenta @ d, momenta @ u
            size = h * share * np.hypot(omega * amplitude, speed)
            rest_d, rest_u = np.abs(d - shapes @ amplitude), np.abs(u - shapes @ speed)
            yield np.concatenate(
                (
                    np.abs(shapes) @ (size * np.minimum(h, 1 / omega)) + h * (rest_d + h * rest_u),
                    np.abs(shapes) @ size + h * rest_u,
                    h * np.abs(defect[2 * n :]),
                )
            )
