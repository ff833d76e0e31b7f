"""Critical speeds: where a branch meets an excitation line, found as a root on the branch itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from eigenbody.analyses.sweep.roots import Expected, dips, expected_root, roots
from eigenbody.analyses.sweep.tracking import PointModes
from eigenbody.analyses.sweep.walk import Outcome, Walk

ROUNDING = 32 * np.finfo(float).eps  # relative: a branch no further from a line is on it, as far as it is known

Spin = Callable[[PointModes], float]
Bracket = tuple[float, float, float, float, Expected]  # two places, the distances there, where a root is expected
NOWHERE = Expected(np.nan, np.nan)


@dataclass(frozen=True)
class Critical:
    """A branch (index into the sweep's) and the line `order` times spin meet at the place t of the path."""

    branch: int
    order: float
    t: float
    spin: float  # rad/s; the frequency is `order` times it


def critical_places(
    walk: Walk, shown: np.ndarray, lower: np.ndarray, orders: Sequence[float], spin: Spin
) -> tuple[Critical, ...]:
    """All crossings of |imaginary part| = order * spin by the branches shown, in the order of the path."""
    lines = _lines(walk, shown, lower, orders, spin)
    brackets = [(line, *bracket) for line in lines for bracket in (*line.brackets(), *line.dips())]
    if not brackets:
        return ()
    columns = np.array([line.column for line, *_ in brackets])
    sides, turns = (np.array([getattr(line, name) for line, *_ in brackets]) for name in ("side", "order"))

    rates_at = dict(zip(walk.t[walk.good].tolist(), lines[0].rates.tolist(), strict=True))

    def miss(t: np.ndarray, which: np.ndarray) -> np.ndarray:
        seen = walk.branch_at(t, columns[which])
        rates = _spins(seen.outcomes, spin)
        rates_at.update(zip(t.tolist(), rates.tolist(), strict=True))
        found, line = sides[which] * seen.values.imag, turns[which] * rates
        return np.where(np.abs(found - line) <= ROUNDING * (np.abs(found) + np.abs(line)), 0.0, found - line)

    ends = np.array([bracket for _, *bracket, _ in brackets], dtype=float).T
    t = roots(miss, ends[0], ends[1], ends[2], ends[3], [bracket[-1] for bracket in brackets])
    places = np.array(sorted(rates_at))  # a root is at one of them, or so near that a straight line tells the rate
    rates = np.interp(t, places, [rates_at[x] for x in places.tolist()])
    found = [
        Critical(line.number, line.order, float(t[k]), float(rates[k]))
        for k, (line, *_) in enumerate(brackets)
        if not np.isnan(t[k])
    ]
    return tuple(sorted(found, key=lambda c: (c.order, c.t, c.branch)))


def expected_places(
    walk: Walk, shown: np.ndarray, lower: np.ndarray, orders: Sequence[float], spin: Spin
) -> list[float]:
    """Places between points at which `critical_places` will look first."""
    brackets = [bracket for line in _lines(walk, shown, lower, orders, spin) for bracket in line.brackets()]
    return [bracket[-1].place for bracket in brackets if not np.isnan(bracket[-1].place)]


def _lines(walk: Walk, shown: np.ndarray, lower: np.ndarray, orders: Sequence[float], spin: Spin) -> list[_Line]:
    rates = _spins([walk.outcomes[i] for i in walk.good], spin)
    return [
        _Line(walk, k, int(shown[k]), order, side, spin, rates)
        for k in range(len(shown))
        if not lower[k] and not walk.track.is_rigid[:, shown[k]].all()
        for order in orders
        for side in ((1.0, -1.0) if order else (1.0,))
    ]


def _spins(outcomes: Sequence[Outcome], spin: Spin) -> np.ndarray:
    return np.array([spin(o) if isinstance(o, PointModes) else np.nan for o in outcomes])


@dataclass(frozen=True, eq=False)
class _Line:
    """One branch against one excitation line: `side` -1 is the line of negative frequency."""

    walk: Walk
    number: int
    column: int
    order: float
    side: float
    spin: Spin
    rates: np.ndarray  # (good points,) rad/s

    @cached_property
    def misses(self) -> np.ndarray:
        """(good points,) distance of the branch from the line."""
        return self.side * self.walk.track.values[:, self.column].imag - self.order * self.rates

    def brackets(self) -> list[Bracket]:
        """Steps over which the branch changes sides, and points exactly on the line."""
        g, t, steps = self.misses, self.walk.t[self.walk.good], self.walk.steps()
        crossed = steps[g[steps] * g[steps + 1] < 0]
        found = [(t[i], t[i + 1], g[i], g[i + 1], expected_root(t, g, steps, int(i))) for i in crossed]
        return found + [(t[i], t[i], 0.0, 0.0, NOWHERE) for i in np.flatnonzero(g == 0) if self._counts(int(i), g)]

    def dips(self) -> list[Bracket]:
        """Brackets of pairs of crossings between two points."""
        g, t, steps = self.misses, self.walk.t[self.walk.good], self.walk.steps()
        moving = self.walk.track.values[:, self.column].imag != 0
        steps = steps[moving[steps] & moving[steps + 1]]

        def miss(x: np.ndarray, _: np.ndarray) -> np.ndarray:
            seen = self.walk.branch_at(x, np.full(len(x), self.column))
            return self.side * seen.values.imag - self.order * _spins(seen.outcomes, self.spin)

        found = []
        for place, value in dips(miss, t, g, steps):
            after = int(np.searchsorted(t, place))
            found += [(t[end], place, g[end], value, NOWHERE) for end in (after - 1, after)]
        return found

    def _counts(self, i: int, g: np.ndarray) -> bool:
        """A point exactly on the line: a vibration, or (order 0) a frequency that passes through zero there."""
        if self.order:
            return bool(self.walk.track.values[i, self.column].imag != 0)
        return 0 < i < len(g) - 1 and bool(g[i - 1] * g[i + 1] < 0)
