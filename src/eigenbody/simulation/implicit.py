"""The generalized-alpha method on the Lie group of positions and rotations (Bruls, Cardona & Arnold 2012).

    q1 = q0 exp(d),  d = h v0 + h^2 ((1/2 - beta) a0 + beta a1),  v1 = v0 + h ((1 - gamma) a0 + gamma a1)
    (1 - am) a1 + am a0 = (1 - af) v1' + af v0'
    M v1' + h - Q + H^T l = 0,  Phi(q1, t1) = 0,  N v1 + b = 0

Second order, with numerical damping of high frequencies set by the spectral radius `rho` at infinity; HHT is the choice
am = 0. The algorithmic acceleration a belongs to the time t + (am - af) h. Where the step changes it is shifted on the
line through v' if the new step is shorter; if it is longer, a stays where it is and the parameters of that one step
are fitted to its time (`Parameters.after`): shifted outwards, what is left of a jump in v' would grow faster than the
method damps it. Newton's iteration has the exact tangents, stiffness of loaded joints included, and keeps its factors
as long as it converges well. Positions obey the constraints at every step; output states have their velocities
projected too (the method's own velocities obey them to second order, which is left to it). First-order states follow
the trapezoidal rule within the same iteration.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from eigenbody.base.errors import ComputationError, EigenbodyError
from eigenbody.dynamics.algebraic import AlgebraicVariables
from eigenbody.dynamics.mechanics import Mechanics
from eigenbody.linearization.rows import algebraic_rows, fed_back
from eigenbody.mobility.multipliers import Multipliers
from eigenbody.numerics.matrices.linear import Saddle, matrix
from eigenbody.simulation.alpha import Parameters
from eigenbody.simulation.forward import Applied, Forward
from eigenbody.simulation.saddle import Solver
from eigenbody.simulation.stepping import (
    Integration,
    Node,
    Step,
    counted_nodes,
    longest_step,
    refuse_long_step,
    stalled,
)
from eigenbody.simulation.tangents import held_matrix
from eigenbody.spatial.rotations import log, vector_rate
from eigenbody.system.state import State

NEWTON = 10
SHARE = 1e-3  # what Newton's iteration may leave, relative to its correction of the guess: less than the method's error
ROUNDING = 1e-14  # the same, in lengths of the mechanism and rad
LINEAR = 1e-5  # where convergence is that fast even with factors PROBED steps old, one iteration is enough
PROBED = 8  # steps after which the speed of convergence is measured again by a second iteration,
PATIENT = 64  # doubled each time it was found that fast, up to this,
LIVELIER = 4.0  # and at once where the correction of the guess has grown by this factor
SLOW = 0.15  # convergence slower than this asks for new factors
KINK = 0.1  # share of what second order leaves of the tolerance over a motion that a jump in forces may cost velocities
RHO = 0.9


@dataclass(slots=True, eq=False)
class _Moment:
    """What a step hands to the next: the method's own velocities u, true and shifted accelerations, multipliers."""

    state: State
    u: np.ndarray
    rate: np.ndarray  # u'
    a: np.ndarray
    multipliers: np.ndarray
    state_rate: np.ndarray


class TangentSolver:
    """Factors of [[A, H^T], [H, 0]] as they were when last formed."""

    weakest, weakest_row = 1.0, -1

    def __init__(self, saddle: Saddle) -> None:
        self.solve = saddle.solve


class GeneralizedAlpha(Integration):
    """The method in progress; with `step` None the step follows the tolerance."""

    def __init__(
        self, forward: Forward, state: State, until: float, tolerance: float, max_step: float, step: float | None,
        rho: float | None, hht: bool,
    ) -> None:  # fmt: skip
        self.name = "hht" if hht else "generalized-alpha"
        super().__init__(forward, state, until, tolerance, max_step, SHARE)
        self._p = Parameters.of(rho if rho is not None else RHO, hht)
        self._unit = self.scales.vector()[: forward.nq]
        now = forward.evaluate(state)
        u = forward.collect(np.concatenate((state.v, state.w), axis=1))
        self._at = _Moment(now.on(state), u, now.acceleration, now.acceleration, now.multipliers, now.state_rate)
        self._fixed = step
        self._h = step if step is not None else self._first_step()
        self._h_last, self._last = self._h, self._at
        self._factors: TangentSolver | None = None
        self._filter: TangentSolver | None = None  # the factors that the last iteration used
        self._speed, self._since = 1.0, 0  # of convergence, and steps since it was measured
        self._patience, self._usual = PROBED, 0.0  # steps to the next measurement, and the correction at the last one
        self._age = 0  # steps made with these factors
        self._angles, self._travel = forward.angles(state), 0.0  # when turns were last counted, and rad since then

    def _first_step(self) -> float:
        now = self._at
        rates = np.concatenate((now.u, now.rate, now.state_rate)) / self.scales.vector()
        rate = max(float(np.abs(rates).max(initial=0.0)), 1 / self.until)
        return min(self.tolerance ** (1 / 3) / rate, self.max_step)

    # One step ---------------------------------------------------------------------------------------------------------
    def advance(self, limit: float) -> Step:
        t = float(np.real(self.state.t))
        cause: EigenbodyError | None = None
        longest = longest_step(self.forward, self.state, self._at.rate, self._h)
        if self._fixed is not None and longest < self._fixed:
            refuse_long_step(self.forward, self.state, self._at.rate, min(self._fixed, limit - t))
        while True:
            h = min(self._h, limit - t, longest)
            if limit - t - h < 1e-6 * h:
                h = limit - t
            self.refuse_stall(h, cause)
            try:
                end = self._solved(t, h)
            except EigenbodyError as fault:
                cause, end = fault, None
            if end is not None and (error := self._error(end, h)) <= 1.0:
                return self._accepted(t, h, end, error)
            self.counts.rejected += 1
            self._factors = None
            if end is None and self.counts.rejected % 3 == 1:
                self._look_at_rows()
            if self._fixed is not None and h < 1e-4 * self._fixed:
                raise ComputationError(stalled(self.forward, self.state, cause))
            self._h = 0.5 * h if end is None else h * max(0.3, 0.8 * error ** (-1 / 3))

    def _look_at_rows(self) -> None:
        """After a failure: exchange rows that have become dependent, or say that the configuration is singular."""
        forward, state = self.forward, self._at.state
        held, slips, _ = forward.jets(state)
        old = forward.chosen
        solver = self.keeper.complete(state, forward.saddle(state, held.gradient, slips.gradient)).solver
        if forward.chosen is not old:
            self._at.multipliers = forward.evaluate(state, solver).multipliers

    def _error(self, end: _Moment, h: float) -> float:
        """Error of the step relative to the tolerance; that of velocities, along the constraints and without what is
        stiff, may reach a share of what second order leaves over the motion, tolerance^(2/3)."""
        if self._fixed is not None:
            return 0.0
        speed, x = np.split(self.scales.vector(end.state.x, end.state_rate)[self.forward.nq :], [self.forward.nq])
        e = max(abs(self._p.beta - 1 / 6), 1 / 12) * h * h * (end.rate - self._at.rate)
        errors = (
            e / self._unit / self.tolerance,
            self._filtered(end, h) / speed / (KINK * self.tolerance ** (2 / 3)),
            self._bend(h, self._last.state_rate, self._at.state_rate, end.state_rate) / x / self.tolerance,
        )
        return max(float(np.abs(part).max(initial=0.0)) for part in errors)

    def _filtered(self, end: _Moment, h: float) -> np.ndarray:
        """Error of velocities through the factors of the step (Hairer & Wanner 1996, IV.8, for Radau's error)."""
        assert self._filter is not None
        e = self._bend(h, self._last.rate, self._at.rate, end.rate)
        return self._filter.solve(self.forward.mass(end.state) @ e, np.zeros_like(end.multipliers))[0]

    def _bend(self, h: float, before: np.ndarray, start: np.ndarray, end: np.ndarray) -> np.ndarray:
        """h^3/12 times the third derivative of what has these rates at the starts of the last step and of this one, and
        at its end."""
        if self._last is self._at:
            return np.zeros_like(end)
        return h * h / (6 * (h + self._h_last)) * (end - start - h / self._h_last * (start - before))

    def _accepted(self, t: float, h: float, end: _Moment, error: float) -> Step:
        forward, start = self.forward, self._at
        self._h_last, self._last = h, start
        if self._fixed is None:
            grow = min(2.0, 0.8 * error ** (-1 / 3)) if error > 0 else 2.0
            if h >= self._h and grow > 1.3:  # steps that shrink one after another would feed what swings with each step
                self._h = min(h * grow, self.max_step)
        else:
            self._h = self._fixed
        before = self._angles
        self._travel += 2 * h * float(np.abs(end.state.w).max(initial=0.0))
        if self._travel > 1.0 or forward.counts_forces:  # no angle can have gone half a turn before
            end.state, self._angles = forward.counted_on(before, end.state)
            forward.remember(end.state)
            self._travel = 0.0
        self._at, self.state = end, end.state
        if self._fixed is None:
            self.scales.see(end.state)
        self.counts.accept(h)
        self.counts.evaluations = forward.evaluations
        within = _Within(self, t, h, start, end, before, self._factors)
        return Step(t, t + h, end.state, within.at, within.nodes)

    # Newton's iteration -----------------------------------------------------------------------------------------------
    def _solved(self, t: float, h: float) -> _Moment | None:
        """The end of the step; None if the iteration fails even with new factors."""
        found = self._iterated(t, h)
        if found is None and self._factors is not None:
            self._factors = None
            found = self._iterated(t, h)
        return found

    def _adapted(self, h: float) -> tuple[Parameters, np.ndarray]:
        """The parameters of this step, and its a0."""
        p, start, ratio = self._p, self._at, self._h_last / h
        if ratio < 1:
            return p.after(ratio), start.a
        return p, start.a if ratio == 1 else start.rate + (start.a - start.rate) / ratio

    def _iterated(self, t: float, h: float) -> _Moment | None:
        (p, a0), start = self._adapted(h), self._at
        by_rate, by_speed = (1 - p.am) / ((1 - p.af) * p.beta * h * h), p.gamma / (p.beta * h)
        free, u_free, a_free = p.guess(h) @ np.array((start.u, a0, start.rate))
        d, u, rate = free, u_free, start.rate
        loads, x, before = start.multipliers, start.state.x + h * start.state_rate, None
        for k in range(NEWTON):
            state = self._reading(self._placed(t + h, d, u, x), rate, loads)
            residual, x_rate = self._residual(state, rate, loads, by_rate, by_speed)
            if not np.isfinite(residual[0]).all():
                return None
            if self._factors is None:
                self._speed, self._age, self._patience = 1.0, 0, PROBED
                self._factors = self._tangent(state, rate, loads, by_rate, by_speed)
            self._filter = self._factors
            step, pull = self._factors.solve(-residual[0], -residual[1])
            self.counts.iterations += 1
            size = float(np.abs(step / self._unit).max(initial=0.0))
            if not size < 10.0:
                return None
            d = d + self._turned(d, step)
            change = d - free
            u, rate = u_free + by_speed * change, start.rate + by_rate * change
            loads = loads + by_rate * pull
            if len(x):
                if self.forward.system.algebraic:
                    state = self._reading(self._placed(t + h, d, u, x), rate, loads)
                    x_rate = self._state_rate(state)
                x, x_size = self._states(state, x, start, h, x_rate)
                size = max(size, x_size)
            if before is not None:
                self._measured(size, before)
            known = before is not None or self._is_linear(size)
            speed = self._speed if known else 1.0
            enough = max(ROUNDING, SHARE * float(np.abs(change / self._unit).max(initial=0.0)))
            if size < ROUNDING or (speed < 1 and speed / (1 - speed) * size < enough):
                self._since, self._age = self._since + 1, self._age + 1
                end = self._reading(self._placed(t + h, d, u, x), rate, loads)
                x_rate = x_rate if not len(x) else self._state_rate(end)
                if speed > SLOW and k > 2:
                    self._factors = None
                return _Moment(end, u, rate, a_free + change / (p.beta * h * h), loads, x_rate)
            if k > 0 and speed > 0.9:
                return None
            before = size
        return None

    def _measured(self, size: float, before: float) -> None:
        """Take note of how fast two iterations converged."""
        self._speed, self._since, self._usual = (size / before if before > 0 else 0.0), 0, before
        self._patience = min(2 * self._patience, PATIENT) if self._speed < LINEAR else PROBED

    def _is_linear(self, size: float) -> bool:
        """Whether one iteration is known to be enough: convergence was that fast lately, in motion no less lively."""
        lately = self._since < self._patience and self._age > PROBED
        return lately and self._speed < LINEAR and size < LIVELIER * self._usual

    def _turned(self, d: np.ndarray, step: np.ndarray) -> np.ndarray:
        """Change of d that moves the configuration by `step`."""
        forward = self.forward
        if forward.loops is not None:
            return forward.collect(forward.loops.vector_steps(forward.spread(d), forward.spread(step)))
        both, change = forward.spread(d), forward.spread(step).copy()
        change[:, 3:] = vector_rate(both[:, 3:], change[:, 3:])
        return forward.collect(change)

    def _placed(self, t: float, d: np.ndarray, u: np.ndarray, x: np.ndarray) -> State:
        forward, base = self.forward, self._at.state
        both = forward.spread(u)
        r, R = forward.placed(base, forward.spread(d))
        return State(r, R, both[:, :3], both[:, 3:], x, base.turns, base.u_in, t, base.z)

    def _reading(self, state: State, rate: np.ndarray, loads: np.ndarray) -> State:
        """The state with its algebraic variables, which accelerations and multipliers tell."""
        forward, system = self.forward, self.forward.system
        if not system.algebraic:
            return state
        held, slips, pushed = forward.jets(state)
        variables = AlgebraicVariables(system, forward.carriers(state), held, slips, Applied(system, pushed, state))
        m = Multipliers.of(system, forward.chosen, loads)
        return replace(state, z=variables.solved(variables.values(m.held, m.slip, rate)))

    def _residual(
        self, state: State, rate: np.ndarray, loads: np.ndarray, by_rate: float, by_speed: float
    ) -> tuple[tuple[np.ndarray, np.ndarray], np.ndarray]:
        """Imbalance of forces over by_rate, open rows (slip rates over by_speed), and x'."""
        forward, system, chosen = self.forward, self.forward.system, self.forward.chosen
        forward.evaluations += 1
        sweep, held, slips, pushed = forward.sweep(state)
        applied = Applied(system, pushed, state)
        pulled = sweep.pull([*forward.chosen_rows.along(loads), applied.tension if forward.is_pushed else pushed.value])
        force = forward.inertial(state, rate) + forward.collect(pulled[: system.bodies])
        rows = forward.chosen_rows.combined(held.value, state.t, "value")
        if len(chosen.slip_rows):
            rows = np.concatenate((rows, slips.rate[chosen.slip_rows] / by_speed))
        return (force / by_rate, rows), applied.state_rate()

    def _tangent(
        self, state: State, rate: np.ndarray, loads: np.ndarray, by_rate: float, by_speed: float
    ) -> TangentSolver:
        forward, system = self.forward, self.forward.system
        mechanics = Mechanics(system, state, rate)
        m = Multipliers.of(forward.system, forward.chosen, loads)
        shape, sparse = (forward.nq, forward.nq), forward.is_sparse
        K = matrix(mechanics.stiffness(m.held, m.slip), shape, sparse)
        C = matrix(mechanics.damping(), shape, sparse)
        A = forward.mass(state) + (by_speed / by_rate) * C + (1 / by_rate) * K
        self.counts.jacobians += 1
        self.counts.factorizations += 1
        H = held_matrix(forward, mechanics, "gradient")
        if not system.algebraic:
            return TangentSolver(Saddle(A, H))
        read = algebraic_rows(mechanics, m, forward.chosen, sparse)
        by = read.a + (by_speed / by_rate) * read.u + (1 / by_rate) * read.q
        Q_z = matrix(mechanics.applied.algebraic_matrix(), (forward.nq, len(system.algebraic)), sparse)
        fed, pulled = fed_back(Q_z, read, by, read.multipliers)
        return TangentSolver(Saddle(A - fed, H, H.T - pulled))

    # First-order states -----------------------------------------------------------------------------------------------
    def _state_rate(self, state: State) -> np.ndarray:
        """x'. What states read of accelerations and reactions is that of the state itself: the method's own have
        errors of their step, which go to and fro."""
        if self.forward.system.algebraic:
            return self.forward.evaluate(state).state_rate
        return Applied(self.forward.system, self.forward.jets(state, levels=2)[2], state).state_rate()

    def _states(
        self, state: State, x: np.ndarray, start: _Moment, h: float, x_rate: np.ndarray
    ) -> tuple[np.ndarray, float]:
        """One Newton step of the trapezoidal rule, with the exact derivative by the states themselves."""
        applied = Applied(self.forward.system, self.forward.jets(state, levels=2)[2], state)
        J = np.zeros((len(x), len(x)))
        for i, signal in enumerate(self.forward.system.forces.state_rates):
            for argument, slope in signal.partials(applied.now):
                if argument.kind == "x":
                    J[i, argument.index] += slope
        open_by = x - start.state.x - 0.5 * h * (start.state_rate + x_rate)
        step = -np.linalg.solve(np.eye(len(x)) - 0.5 * h * J, open_by)
        return x + step, float(np.abs(step / self.scales.states(x)).max(initial=0.0))


class _Within:
    """States within a step and at its end: cubic interpolation, then back to the constraints."""

    def __init__(
        self, method: GeneralizedAlpha, t: float, h: float, start: _Moment, end: _Moment, before: np.ndarray,
        solver: Solver | None,
    ) -> None:  # fmt: skip
        self._forward, self._t, self._h, self._start, self._end = method.forward, t, h, start, end
        self._before, self._solver = before, solver

    def at(self, t: float) -> State:
        """Hermite's cubic of positions; velocities from the accelerations likewise."""
        x = (t - self._t) / self._h
        return self._consistent(self._end.state if x >= 1 - 1e-9 else replace(self._between(x), t=t))

    def nodes(self) -> list[Node]:
        """Simpson's: the cubic in the middle is as accurate as the rule."""
        h, middle = self._h, self._between(0.5)
        nodes = (Node(h / 6, self._start.state), Node(4 * h / 6, middle), Node(h / 6, self._end.state))
        return counted_nodes(self._forward, self._before, nodes)

    def _between(self, x: float) -> State:
        h, s0, s1 = self._h, self._start.state, self._end.state
        x0, x1 = s0.x, s1.x
        rest = (1 + 2 * x) * (1 - x) ** 2 * x0 + x * x * (3 - 2 * x) * x1
        rest = rest + h * (x * (1 - x) ** 2 * self._start.state_rate + x * x * (x - 1) * self._end.state_rate)
        r, R, u = self._motion(x)
        return State(r, R, u[:, :3], u[:, 3:], rest, s0.turns, s0.u_in, self._t + x * h, s0.z)

    def _motion(self, x: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Poses and velocities (bodies, 6)."""
        f, h = self._forward, self._h
        s0, s1 = self._start.state, self._end.state
        v0, a0, v1, a1 = (f.spread(part) for m in (self._start, self._end) for part in (m.u, m.rate))
        if f.loops is not None:
            r, R, u = np.empty_like(s0.r), np.empty_like(s0.R), np.empty_like(v0)
            f.loops.between(x, h, s0.r, s0.R, v0, a0, s1.r, s1.R, v1, a1, r, R, u)
            return r, R, u
        d = np.concatenate((s1.r - s0.r, log(np.swapaxes(s0.R, -1, -2) @ s1.R)), axis=1)
        rate1 = np.concatenate((v1[:, :3], vector_rate(d[:, 3:], v1[:, 3:])), axis=1)
        between = x * (1 - x) ** 2 * h * v0 + x * x * (3 - 2 * x) * d + x * x * (x - 1) * h * rate1
        u = (1 + 2 * x) * (1 - x) ** 2 * v0 + x * (1 - x) ** 2 * h * a0
        u = u + x * x * (3 - 2 * x) * v1 + x * x * (x - 1) * h * a1
        return *f.placed(s0, between), u

    def _consistent(self, state: State) -> State:
        forward = self._forward
        state = forward.counted(self._before, forward.closed(state, self._solver))
        return forward.consistent_by(state, self._solver)
