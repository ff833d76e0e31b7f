"""Settling: from any configuration down the forces to one in which they balance.

M dq/dtau = f is followed by backward Euler steps, solved by Newton's method with the exact tangents (geometric
stiffness of loaded joints included): [[M/tau + K, G^T], [G, 0]] dq = f - ..., then back to the constraints. tau grows
while the forces found agree with the forces predicted, so that the last steps are pure Newton; it shrinks where they do
not and where a step would climb. Where that stalls the bodies are let go with their momentum and stopped whenever their
kinetic energy peaks (dynamic relaxation; Trom 1990, section 2.5).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from eigenbody.base.errors import ComputationError
from eigenbody.base.progress import report
from eigenbody.dynamics.mechanics import Mechanics
from eigenbody.mobility.bent import stay_below_a_quarter_turn
from eigenbody.mobility.partition import Selection, select
from eigenbody.mobility.projection import held_rows, weight
from eigenbody.mobility.turns import counted
from eigenbody.numerics.matrices.linear import Saddle
from eigenbody.operating.equilibrium.balance import BALANCED, Balance
from eigenbody.operating.equilibrium.failing import not_settled, unopposed
from eigenbody.system.state import State
from eigenbody.system.system import System

MOST_STEPS = 300
REACH = 0.6  # largest step: rad, or spans of the mechanism
NEWTON_REACH = 0.2  # the same of a step by Newton's method from the start
LEAST_PART = 1e-3  # part of such a step below which its branch ends
INNER = 5  # Newton iterations of one backward Euler step
AGREES = 0.3  # mismatch of the forces, relative to those at the start of the step, at which it is good enough
SLOW = 0.4  # of the last correction: Newton's method halves them where the rows become dependent
SLOWLY = 4  # such corrections after which it will not close
CLOSING = 25  # Newton iterations back to the constraints
OPEN = 1e-9  # drift of rows left out as redundant, in lengths, at which the choice of rows is made anew
UNOPPOSED = 12  # steps under the same forces after which nothing will oppose the motion
EARLY = 6  # steps before that is looked at
STUCK = 8  # steps one after the other that hardly move anything and leave the forces as they are: the way ends
HARDLY = 1e-9  # rad, or spans of the mechanism
FARTHEST = 1e4  # spans of the mechanism in one step


@dataclass(frozen=True)
class Settled:
    """Where the mechanism came to rest, after how many steps and how."""

    balance: Balance
    steps: int
    how: str

    @property
    def state(self) -> State:
        return self.balance.state


@dataclass(frozen=True, eq=False)
class _Step:
    """One step that succeeded: where it led, what moved, and how well the forces were predicted."""

    balance: Balance
    moved: np.ndarray
    mismatch: float


def settle(system: System, state: State) -> Settled:
    """Follow the forces from a consistent configuration at rest until they balance."""
    descent = _Descent(system)
    here, steps, rests = descent.run(descent.balance(state), momentum=False)
    if rests:
        return Settled(here, steps, "already at rest" if steps == 0 else "implicit gradient flow")
    here, more, rests = descent.run(here, momentum=True, most=MOST_STEPS // 3)
    if rests:
        return Settled(here, steps + more, "dynamic relaxation")
    raise not_settled(here, steps + more)


def newton(system: System, state: State) -> Settled | None:
    """The configuration in which the forces balance that Newton's method finds from a start, stable or not.

    Steps are short enough that the forces fall by at least half of what is predicted: the way stays on the branch of
    the start. None where that branch ends: the stiffness becomes singular before the forces balance.
    """
    descent = _Descent(system)
    try:
        here = descent.balance(state)
        for steps in range(MOST_STEPS):
            if _rests(here):
                return Settled(descent.polished(here), steps, "Newton's method" if steps else "already at rest")
            ahead = descent.newton_step(here)
            if ahead is None:
                return None
            here = ahead
    except ComputationError:  # a branch that the constraints end
        return None
    return None


class _Descent:
    """What stays the same on the way down: the metric, the scale of steps, the choice of rows."""

    def __init__(self, system: System) -> None:
        self.system = system
        self.M = weight(system)
        self._closing = weight(system, keep_bent=True) if system.flexible else self.M
        span = float(np.ptp(np.real(system.places.r), axis=0).max(initial=0.0))
        self.unit = np.where(system.is_angular, 1.0, max(span, system.length))
        self.counts_turns = bool(np.any(system.constraints.measures.turn_counter >= 0))  # gears, screws
        self.chosen: Selection | None = None

    # Places ---------------------------------------------------------------------------------------------------
    def balance(self, state: State) -> Balance:
        """Forces at a state, with a choice of rows that fits there."""
        if self.chosen is None:
            self.chosen = self._choose(state)
        here = Balance(self.system, state, self.chosen, self.M)
        drift = np.abs(here.mechanics.holonomic.value[self.chosen.redundant])
        if drift.max(initial=0.0) <= OPEN * self.system.length:
            return here
        self.chosen = self._choose(state)
        return Balance(self.system, self._closed(state, self.chosen), self.chosen, self.M)

    def _choose(self, state: State) -> Selection:
        return select(Mechanics(self.system, state))

    def moved(self, here: Balance, dq: np.ndarray, dx: np.ndarray) -> Balance:
        """Forces after a move, back on the constraints."""
        state = replace(counted(self.system, here.state, here.state.moved(self.system, dq)), x=here.state.x + dx)
        try:
            return self._held(here, state, here.chosen)
        except ComputationError:
            again = self._choose(here.state)  # the rows may have become dependent
            if np.array_equal(again.rows, here.chosen.rows):
                raise
            self.chosen = again
            return self._held(here, state, again)

    def _held(self, here: Balance, state: State, chosen: Selection) -> Balance:
        """Forces back on the constraints, with the nodes of flexible bodies turned by what their modes give."""
        back = self._closed(state, chosen)
        stay_below_a_quarter_turn(self.system, here.state, back)
        return self.balance(counted(self.system, here.state, back))

    def _closed(self, state: State, chosen: Selection) -> State:
        """Back to the constraints, heavy bodies moving least; a factorization serves while it converges well."""
        system, size, metric, slow = self.system, np.inf, None, 0
        for _ in range(CLOSING):
            mechanics = Mechanics(system, state)
            phi = mechanics.holonomic.value[chosen.rows]
            if not phi.any():
                return state
            if metric is None:
                metric = Saddle(self._closing, held_rows(mechanics, replace(chosen, slip_rows=chosen.slip_rows[:0])))
            step = metric.solve(np.zeros(system.nq), -phi)[0]
            before, size = size, self.length(step)
            slow = slow + 1 if size > SLOW * before else 0
            if not size < 1.0 or slow >= SLOWLY:  # as where two ways to close meet: a disc that lies flat
                break
            ahead = state.moved(system, step)
            state = counted(system, state, ahead) if self.counts_turns else ahead
            if size < 1e-16 or (size < 1e-11 and size > 0.3 * before):  # rounding decides: stiff laws feel it
                return state
            if size > 0.1 * before or before == np.inf:
                metric = None
        raise ComputationError("The constraints could not be closed near the configuration reached.")

    # The way --------------------------------------------------------------------------------------------------
    def run(self, here: Balance, momentum: bool, most: int = MOST_STEPS) -> tuple[Balance, int, bool]:
        """Steps until the forces balance; also how many, and whether they do."""
        tau = self._first(here)
        shortest = 1e-14 * tau
        carried = np.zeros(self.system.nq)
        watch = _Watch(self)
        stride, stuck = 1.0, 0  # spans of the mechanism that bodies may be displaced by in one step; steps in vain
        for count in range(most):
            report(f"settling: step {count + 1}, {here.imbalance:.1g} of the forces unbalanced")
            if _rests(here):
                return self.polished(here, tau), count, True
            step = self._tried(here, tau, carried, stride)
            while not isinstance(step, _Step):
                if step is None:
                    tau, stride = tau / 4, max(1.0, stride / 4)
                else:
                    tau *= step
                if tau < shortest:
                    return here, count, False
                carried = np.zeros(self.system.nq)
                step = self._tried(here, tau, carried, stride)
            if count >= EARLY and watch.finds(here, step):
                raise unopposed(step.balance, watch.motion)
            if momentum:
                rising = step.moved @ step.balance.force > 0
                carried = step.moved if rising else np.zeros(self.system.nq)
            stride = min(2 * stride, FARTHEST) if step.mismatch < 0.15 else stride
            tau = min(tau * _growth(step.mismatch), self._longest(here))
            in_vain = self.length(step.moved) < HARDLY and step.balance.imbalance > 0.9 * here.imbalance
            here, stuck = step.balance, stuck + 1 if in_vain else 0
            if stuck >= STUCK:
                return here, count + 1, False
        return here, most, False

    def newton_step(self, here: Balance) -> Balance | None:
        """Forces after a Newton step, as much of it as keeps its promise; None where no part of it does."""
        tau = self._newton_tau(here)
        dq, dx = here.step(tau, here.force, here.rate)
        size = self._mismatch(here, np.zeros_like(dq), np.zeros_like(dx), 1.0)
        part = min(1.0, NEWTON_REACH / max(self.length(dq), 1e-300))
        while part > LEAST_PART:
            try:
                ahead = self.moved(here, part * dq, part * dx)
            except ComputationError:  # too far for the constraints
                part /= 4
                continue
            if _rests(ahead) or self._mismatch(ahead, 0 * dq, 0 * dx, 1.0) <= (1 - part / 2) * size:
                return ahead
            part /= 2
        return None

    def _newton_tau(self, here: Balance) -> float:
        """So long that M/tau is nothing beside K, and not so long that rounding decides along free motions."""
        longest = self._longest(here)
        return 1e-3 * longest if np.isfinite(longest) else 1.0

    def _first(self, here: Balance) -> float:
        """A step that moves things by a twentieth of their size."""
        fastest = self.length(here.acceleration)
        return 0.05 / fastest if fastest > 0 else 1.0

    def _longest(self, here: Balance) -> float:
        """Beyond, M/tau is lost in the rounding of K."""
        stiff = float((abs(here.stiffness) @ self.unit * self.unit).max(initial=0.0))
        heavy = float((self.M.diagonal() * self.unit**2).max(initial=0.0))
        return 1e12 * heavy / stiff if stiff > 0 else np.inf

    def loose(self, here: Balance) -> np.ndarray:
        """The part of the acceleration that no stiffness resists."""
        tau = 1e-4 * self._longest(here)
        if not np.isfinite(tau):
            return here.acceleration
        try:
            return here.step(tau, here.force, 0 * here.rate)[0] / tau
        except ComputationError:
            return np.zeros(self.system.nq)

    def length(self, dq: np.ndarray) -> float:
        return float(np.abs(dq / self.unit).max(initial=0.0))

    def _tried(self, here: Balance, tau: float, carried: np.ndarray, stride: float) -> _Step | float | None:
        """One backward Euler step; the factor by which tau must shrink where it is too long; None where it fails."""
        try:
            with np.errstate(all="ignore"):  # a step may lead to where nothing can be measured, and is shortened then
                return self._euler(here, tau, carried, stride)
        except ComputationError:
            return None

    def _euler(self, here: Balance, tau: float, carried: np.ndarray, stride: float) -> _Step | float | None:
        root = float(np.sqrt(tau))
        goal = self._mismatch(here, -carried, np.zeros(len(here.rate)), tau)
        dq, dx = here.step(tau, here.force + self.M @ carried / tau, here.rate)
        if dq @ (self.M @ dq / tau + here.stiffness @ dq) <= 0 < np.abs(dq).max(initial=0.0):
            return None  # it would climb
        moved, grown = np.zeros_like(dq), np.zeros_like(dx)
        now, before = here, np.inf
        for _ in range(INNER):
            length = self.length(np.where(self.system.is_angular, dq, dq / stride))
            if not np.isfinite(length) or length > REACH:
                return float(np.clip(0.8 * REACH / length, 0.05, 0.8)) if np.isfinite(length) else 0.05
            now = self.moved(now, dq, dx)
            moved, grown = moved + dq, grown + dx
            off = self._mismatch(now, moved - carried, grown, tau)
            if max(here.imbalance, now.imbalance) <= BALANCED:
                return _Step(now, moved, 0.0)  # only states move, and no force minds
            if off <= AGREES * goal or _rests(now):
                return _Step(now, moved, off / max(goal, 1e-300))
            if off > 0.7 * before:
                return None
            before = off
            dq, dx = now.step(tau, now.force - self.M @ (moved - carried) / tau, now.rate - grown / root)
        return None

    def _mismatch(self, now: Balance, moved: np.ndarray, grown: np.ndarray, tau: float) -> float:
        """What is missing in the equations of the step, as an acceleration in the metric of M."""
        left = now.acceleration - (now.free(self.M @ moved) / tau if moved.any() else 0.0)
        root = float(np.sqrt(tau))
        return float(np.hypot(now.size(left), np.linalg.norm(now.pull * (root * now.rate - grown))))

    def polished(self, here: Balance, tau: float | None = None) -> Balance:
        """Newton steps as long as they improve the balance."""
        tau = self._newton_tau(here) if tau is None else max(tau, min(1e6 * tau, self._longest(here)))
        for _ in range(8):
            try:
                dq, dx = here.step(tau, here.force, here.rate)
                if not self.length(dq) < 1e-3:
                    return here
                ahead = self.moved(here, dq, dx)
            except ComputationError:
                return here
            before, after = (max(b.raw_imbalance, _state_imbalance(b)) for b in (here, ahead))
            if not after < 0.5 * before:
                return ahead if after < before else here
            here = ahead
        return here


class _Watch:
    """Looks for a motion that goes on under the same forces step after step, however far: nothing opposes it."""

    def __init__(self, descent: _Descent) -> None:
        self.descent = descent
        self.motion = np.zeros(descent.system.nq)
        self.steps, self.way = 0, 0.0

    def finds(self, here: Balance, step: _Step) -> bool:
        """Take one more step into account; whether that is enough."""
        after = step.balance
        if len(after.rate) and max(here.imbalance, after.imbalance) <= BALANCED:
            same = bool(np.all(np.abs(after.rate - here.rate) <= 1e-9 * np.abs(here.rate)))
            self.steps, self.way, self.motion = (self.steps + 1) * same, np.inf, np.zeros(len(self.motion))
            return self.steps >= UNOPPOSED
        before, self.motion = self.motion, self.descent.loose(after)
        size = after.size(self.motion)
        goes_on = size > 1e-4 * after.size(after.acceleration) and after.size(self.motion - before) <= 1e-5 * size
        self.steps = self.steps + 1 if goes_on else 0
        along = abs(step.moved @ (after.M @ self.motion)) / max(size * size, 1e-300)
        self.way = (self.way if goes_on else 0.0) + along * self.descent.length(self.motion)
        return self.steps >= UNOPPOSED and self.way > 3 * REACH


def _growth(mismatch: float) -> float:
    return 10.0 if mismatch < 0.03 else 4.0 if mismatch < 0.15 else 1.5


def _rests(here: Balance) -> bool:
    return max(here.imbalance, _state_imbalance(here)) <= BALANCED


def _state_imbalance(here: Balance) -> float:
    """Largest rate of a first-order state, relative to what its terms can make of it."""
    if not len(here.rate):
        return 0.0
    by_q, by_x = (abs(part) for part in here.rate_by)
    unit = np.where(here.system.is_angular, 1.0, here.system.length)
    size = by_q @ unit + by_x @ np.abs(here.state.x) + here.size_of_readings
    return float((np.abs(here.rate) / np.where(size > 0, size, 1.0)).max())
