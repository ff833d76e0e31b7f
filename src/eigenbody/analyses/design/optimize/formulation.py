"""A problem as a smooth program: scaled variables, a level over the parts of each minimax term, constraints near one.

The highest part of a quantity is not smooth where two parts are equal, which is where minimax optima lie. So each such
term gets a variable of its own, the level, which is minimized while every part stays below it.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from eigenbody.analyses.design.designs import Design, DesignSpace
from eigenbody.analyses.design.identity import Follower
from eigenbody.analyses.design.objectives import Parts, Quantity, ResponsePeak
from eigenbody.analyses.design.problem import Bound, Problem, Term
from eigenbody.base.errors import ComputationError
from eigenbody.numerics.matrices.kkt import Program

FAR = 1e6  # objective where a design cannot be computed
SMALL = 1e-3  # of the start: an objective that is smaller is judged as if it were this
HOLDS = 1e-7  # violation (relative) that counts as none


@dataclass(eq=False)
class Point:
    """Everything known of one design; values of all quantities in the order of the problem."""

    u: np.ndarray
    design: Design
    places: dict[int, int]
    values: list[np.ndarray]
    slopes: list[np.ndarray] | None = None  # (m, P) by u


@dataclass(eq=False)
class Best:
    """The best design so far: smallest violation first, then objective."""

    u: np.ndarray | None = None
    violation: float = np.inf
    objective: float = np.inf

    def better(self, violation: float, objective: float) -> bool:
        """Whether these are better."""
        mine, theirs = max(self.violation, HOLDS), max(violation, HOLDS)
        return theirs < mine or (theirs == mine and objective < self.objective)


@dataclass
class Formulation:
    """The program of one problem, from one start."""

    problem: Problem
    space: DesignSpace
    follower: Follower
    best: Best = field(default_factory=Best)
    evaluations: int = 0
    failures: int = 0
    last: Point | None = None  # where the solver stands
    _known: dict[bytes, Point] = field(default_factory=dict)

    def __post_init__(self) -> None:
        first = self.follower.first
        values = [q.parts(first, self.follower.find(first)).values for q in self.problem.quantities]
        terms = list(zip(self.problem.terms, values, strict=False))
        self.sign = -1.0 if self.problem.maximize else 1.0
        self.leveled = [k for k, (term, v) in enumerate(terms) if len(v) > 1 and not self._is_single(term.quantity)]
        self.alone = len(terms) == 1
        self.scales = [max(float(np.abs(v).max()), 1e-12) for _, v in terms]
        self.whole = sum(term.weight * scale for (term, _), scale in zip(terms, self.scales, strict=True)) or 1.0

    def _is_single(self, quantity: Quantity) -> bool:
        """To raise the highest peak is no minimax."""
        return isinstance(quantity, ResponsePeak) and self.problem.maximize

    @property
    def size(self) -> int:
        """Number of variables P; the levels come after them."""
        return len(self.problem.variables)

    # ---- designs

    def point(self, u: np.ndarray) -> Point:
        """The design at u; ComputationError where there is none."""
        u = np.clip(u, 0.0, 1.0)
        key = u.tobytes()
        if key not in self._known:
            self.evaluations += 1
            if len(self._known) > 200:
                self._known.clear()
            design = self.space.at(self.problem.x(u))
            self._known[key] = made = self.judge(u, design, self.follower.find(design))
            self._remember(made)
        return self._known[key]

    def judge(self, u: np.ndarray, design: Design, places: dict[int, int]) -> Point:
        """All quantities of a design."""
        return Point(u, design, places, [q.parts(design, places).values for q in self.problem.quantities])

    def prefer(self, u: np.ndarray) -> None:
        """Take this design for the best where it is no worse but for rounding: it fulfils the conditions better."""
        try:
            made = self.point(u)
        except ComputationError:
            return
        violation, objective = self.violation(made), self.judged(made)
        close = objective <= self.best.objective + 1e-9 * abs(self.best.objective)
        if violation <= max(self.best.violation, HOLDS) and (close or violation < self.best.violation):
            self.best = Best(made.u, violation, objective)

    def _remember(self, made: Point) -> None:
        violation, objective = self.violation(made), self.judged(made)
        if np.isfinite(objective) and self.best.better(violation, objective):
            self.best = Best(made.u, violation, objective)

    def accept(self, u: np.ndarray) -> None:
        """The solver stands here now: modes are compared with those of this design."""
        self.last = self.point(u)
        self.follower.accept(self.last.design)

    def sloped(self, u: np.ndarray) -> Point:
        """The same with slopes by u."""
        made = self.point(u)
        if made.slopes is None:
            by_u = self.problem.slopes(made.design.x)
            found = [q.parts(made.design, made.places, True) for q in self.problem.quantities]
            made.slopes = [_slopes(parts) * by_u for parts in found]
        return made

    # ---- judgement

    def objective(self, made: Point) -> float | None:
        """The objective as the user wrote it; None where there is none."""
        terms = self.problem.terms
        if not terms:
            return None
        parts = zip(terms, made.values, strict=False)
        return float(sum(t.weight * t.quantity.worst(v, not self.problem.maximize) for t, v in parts))

    def judged(self, made: Point) -> float:
        """What is to become small."""
        wanted = self.objective(made)
        if wanted is None:
            return float(0.5 * ((made.u - self.problem.u(self.problem.start)) ** 2).sum())
        return self.sign * wanted

    def violation(self, made: Point) -> float:
        """Largest relative violation of a constraint."""
        return max((miss(b, v) for b, v in zip(self.problem.bounds, self._bounded(made), strict=True)), default=0.0)

    def _bounded(self, made: Point) -> list[np.ndarray]:
        return made.values[len(self.problem.terms) :]

    # ---- the program

    def levels(self, made: Point) -> np.ndarray:
        """Levels that hold at a design."""
        out = []
        for k in self.leveled:
            term = self.problem.terms[k]
            scaled = self._scaled(k, term, made.values[k])
            out.append(scaled.max() if self.sign > 0 else scaled.min())
        return np.array(out)

    def _scaled(self, k: int, term: Term, values: np.ndarray) -> np.ndarray:
        return np.log(np.maximum(values, 1e-300)) if term.quantity.logarithmic else values / self.scales[k]

    def _scaled_slopes(self, k: int, term: Term, values: np.ndarray, slopes: np.ndarray) -> np.ndarray:
        factor = 1.0 / np.maximum(values, 1e-300)[:, None] if term.quantity.logarithmic else 1.0 / self.scales[k]
        return slopes * factor

    def value(self, z: np.ndarray) -> float:
        """Objective of the program."""
        try:
            made = self.point(z[: self.size])
        except ComputationError:
            self.failures += 1
            return FAR
        if not self.problem.terms:
            return self.judged(made)
        return self._summed(z, made, False)[0]

    def magnitude(self, z: np.ndarray) -> float:
        """What a change of the objective of the program is relative to: its own size; logarithms and changes of the
        variables are relative by themselves."""
        if not self.problem.terms or (self.alone and self.problem.terms[0].quantity.logarithmic):
            return 1.0
        return max(abs(self.value(z)), SMALL)

    def gradient(self, z: np.ndarray) -> np.ndarray:
        """Its gradient."""
        made = self.sloped(z[: self.size])
        if not self.problem.terms:
            return np.append(made.u - self.problem.u(self.problem.start), np.zeros(len(z) - self.size))
        return self._summed(z, made, True)[1]

    def _summed(self, z: np.ndarray, made: Point, slopes: bool) -> tuple[float, np.ndarray]:
        total, gradient = 0.0, np.zeros(len(z))
        for k, term in enumerate(self.problem.terms):
            factor = self.sign * (1.0 if self.alone else term.weight / self.whole)
            if k in self.leveled:
                at = self.size + self.leveled.index(k)
                level, rise = z[at], 1.0
                if not self.alone:
                    level = np.exp(min(level, 300.0)) if term.quantity.logarithmic else level * self.scales[k]
                    rise = level if term.quantity.logarithmic else self.scales[k]
                total += factor * level
                gradient[at] += factor * rise
                continue
            values = made.values[k]
            i = int(np.argmax(values))
            own = self._scaled(k, term, values)[i] if self.alone else values[i]
            total += factor * own
            if slopes and made.slopes is not None:
                rows = made.slopes[k]
                gradient[: self.size] += (
                    factor * (self._scaled_slopes(k, term, values, rows) if self.alone else rows)[i]
                )
        return float(total), gradient

    def program(self, z: np.ndarray) -> Program:
        """Gradient, constraints and their Jacobians."""
        made = self.sloped(z[: self.size])
        assert made.slopes is not None
        c, J, e, E = self._constraints(z, made, made.slopes)
        found = Program(self.gradient(z), c, J, e, E)
        if not all(np.isfinite(part).all() for part in found):
            raise ComputationError("A derivative is not finite. Narrow the ranges of the variables.")
        return found

    def constraints(self, z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Inequalities (at least zero) and equalities (zero)."""
        try:
            made = self.point(z[: self.size])
        except ComputationError:
            assert self.last is not None
            c, _, e, _ = self._constraints(z, self.last, None)
            return c - 1.0, e
        c, _, e, _ = self._constraints(z, made, None)
        return c, e

    def _constraints(
        self, z: np.ndarray, made: Point, slopes: list[np.ndarray] | None
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        n, count = self.size, len(z)
        c: list[np.ndarray] = []
        J: list[np.ndarray] = []
        e: list[np.ndarray] = []
        E: list[np.ndarray] = []
        for j, k in enumerate(self.leveled):
            term = self.problem.terms[k]
            below = self.sign * (z[n + j] - self._scaled(k, term, made.values[k]))
            rows = None
            if slopes is not None:
                rows = np.zeros((len(made.values[k]), count))
                rows[:, :n] = -self.sign * self._scaled_slopes(k, term, made.values[k], slopes[k])
                rows[:, n + j] = self.sign
            c.append(below)
            if rows is not None:
                J.append(rows)
        for i, bound in enumerate(self.problem.bounds):
            values = self._bounded(made)[i]
            own = None if slopes is None else slopes[len(self.problem.terms) + i]
            for is_equal, value, row in _limits(bound, values, own):
                (e if is_equal else c).append(value)
                if row is not None:
                    (E if is_equal else J).append(np.pad(row, ((0, 0), (0, count - n))))
        stack = lambda parts, width: np.concatenate(parts) if parts else np.zeros((0, *width))  # noqa: E731
        return stack(c, ()), stack(J, (count,)), stack(e, ()), stack(E, (count,))

    def cuts(self, z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Further inequalities where modes are nearly repeated: bounds on all combinations of their shapes."""
        made = self.sloped(z[: self.size])
        by_u = self.problem.slopes(made.design.x)
        n, count = self.size, len(z)
        c, J = [np.zeros(0)], [np.zeros((0, count))]
        for j, k in enumerate(self.leveled):
            term = self.problem.terms[k]
            more = term.quantity.mixed(made.design, made.places)
            c.append(self.sign * (z[n + j] - self._scaled(k, term, more.values)))
            rows = np.zeros((len(more.values), count))
            rows[:, :n] = -self.sign * self._scaled_slopes(k, term, more.values, _slopes(more) * by_u)
            rows[:, n + j] = self.sign
            J.append(rows)
        for bound in self.problem.bounds:
            more = bound.quantity.mixed(made.design, made.places)
            for is_equal, value, row in _limits(bound, more.values, _slopes(more) * by_u) if len(more.values) else ():
                if not is_equal and row is not None:
                    c.append(value)
                    J.append(np.pad(row, ((0, 0), (0, count - n))))
        return np.concatenate(c), np.concatenate(J)


def _slopes(parts: Parts) -> np.ndarray:
    assert parts.slopes is not None
    return parts.slopes


def _scale(bound: Bound, limit: float) -> float:
    """What a violation is relative to."""
    if limit != 0:
        return abs(limit)
    other = [abs(x) for x in (bound.lower, bound.upper) if np.isfinite(x) and x != 0]
    typical = {"Hz": getattr(bound.quantity, "high", 1.0)}.get(bound.quantity.unit, 1.0)
    return other[0] if other else float(typical)


def _limits(
    bound: Bound, values: np.ndarray, slopes: np.ndarray | None
) -> list[tuple[bool, np.ndarray, np.ndarray | None]]:
    """Whether it is an equality, its scaled parts, their slopes."""
    out: list[tuple[bool, np.ndarray, np.ndarray | None]] = []
    highest = isinstance(bound.quantity, ResponsePeak)
    for kind, limit, sign in (("min", bound.lower, 1.0), ("max", bound.upper, -1.0), ("equals", bound.equals, 1.0)):
        if limit is None or not np.isfinite(limit):
            continue
        at = [int(np.argmax(values))] if highest and kind != "max" else list(range(len(values)))
        if bound.quantity.logarithmic and limit > 0:
            scaled = sign * np.log(np.maximum(values[at], 1e-300) / limit)
            rows = None if slopes is None else sign * slopes[at] / np.maximum(values[at], 1e-300)[:, None]
        else:
            scale = _scale(bound, limit)
            scaled = sign * (values[at] - limit) / scale
            rows = None if slopes is None else sign * slopes[at] / scale
        out.append((kind == "equals", scaled, rows))
    return out


def miss(bound: Bound, values: np.ndarray) -> float:
    """Largest relative violation."""
    worst = 0.0
    for is_equal, scaled, _ in _limits(bound, values, None):
        worst = max(worst, float(np.abs(scaled).max(initial=0.0) if is_equal else -scaled.min(initial=0.0)))
    return worst
