"""Roots of many functions at once: every round asks for one value of each, so that they can be computed together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from eigenbody.numerics.signals.peaks import parabola

ROUNDS = 100
DIP_ROUNDS = 8
AROUND = 3  # points on each side of a step, beside its own, from which a root is expected
CLOSE = 1e-9  # part of a bracket: so near the slope expected leads to the root within rounding
Values = Callable[[np.ndarray, np.ndarray], np.ndarray]  # f(x (k,), which (k,)) -> (k,), nan where there is none


def roots(
    f: Values,
    low: np.ndarray,
    high: np.ndarray,
    at_low: np.ndarray,
    at_high: np.ndarray,
    expected: Sequence[Expected] = (),
) -> np.ndarray:
    """Roots (n,) between brackets of opposite sign to rounding (Chandrupatla 1997); nan where f gives nan.

    Inverse quadratic interpolation where it is safe, else halving; the first place is the one expected where it is
    inside the bracket, or that of the chord, because branches are nearly straight over a step. Where the root is within
    a CLOSE part of the bracket from the place expected, the slope expected there leads to it.
    """
    guess, slope = np.array([(e.place, e.slope) for e in expected] or np.full((len(low), 2), np.nan)).T
    a, b, fa, fb = (np.array(x, dtype=float) for x in (high, low, at_high, at_low))
    c, fc = a.copy(), fa.copy()
    share = np.where(fa * fb < 0, fa / np.where(fa == fb, 1.0, fa - fb), 0.5)
    inside = (guess > np.minimum(a, b)) & (guess < np.maximum(a, b)) & (fa * fb < 0)
    share = np.where(inside, (guess - a) / np.where(a == b, 1.0, b - a), share)
    close = CLOSE * np.abs(b - a)
    best = np.where(np.abs(fa) < np.abs(fb), a, b)
    active = np.arange(len(a))
    for k in range(ROUNDS):
        if not len(active):
            break
        i = active
        x = a[i] + share[i] * (b[i] - a[i])
        fx = f(x, i)
        same = np.sign(fx) == np.sign(fa[i])
        c[i], fc[i] = np.where(same, a[i], b[i]), np.where(same, fa[i], fb[i])
        b[i], fb[i] = np.where(same, b[i], a[i]), np.where(same, fb[i], fa[i])
        a[i], fa[i] = x, fx
        nearer = np.abs(fa[i]) < np.abs(fb[i])
        best[i] = np.where(np.isnan(fx), np.nan, np.where(nearer, a[i], b[i]))
        tolerance = 4 * np.finfo(float).eps * np.abs(best[i]) + 1e-15
        width = np.abs(b[i] - a[i])
        limit = 0.5 * tolerance / np.where(width > 0, width, 1.0)
        done = np.isnan(fx) | (fx == 0) | (limit >= 0.5) | (width == 0)
        if not k:
            led = inside & (np.abs(slope * fx) <= close)  # i is everything here
            best, done = np.where(led, x - slope * fx, best), done | led
        share[i] = _next_share(a[i], b[i], c[i], fa[i], fb[i], fc[i], limit)
        active = i[~done]
    return best


def _next_share(
    a: np.ndarray, b: np.ndarray, c: np.ndarray, fa: np.ndarray, fb: np.ndarray, fc: np.ndarray, limit: np.ndarray
) -> np.ndarray:
    """Where between a (0) and b (1) to look next."""
    with np.errstate(all="ignore"):
        xi, phi = (a - b) / (c - b), (fa - fb) / (fc - fb)
        safe = (phi**2 < xi) & ((1 - phi) ** 2 < 1 - xi)
        guess = fa / (fb - fa) * fc / (fb - fc) + (c - a) / (b - a) * fa / (fc - fa) * fb / (fc - fb)
    share = np.where(safe & np.isfinite(guess), guess, 0.5)
    return np.clip(share, limit, 1 - limit)


@dataclass(frozen=True)
class Expected:
    """Where a root is expected inside a step, and the slope dt/dg there; nan where there is none."""

    place: float
    slope: float


def expected_root(t: np.ndarray, g: np.ndarray, steps: np.ndarray, a: int) -> Expected:
    """Where g, known at t, is zero inside the step from a to a + 1: by t as a polynomial of g through the points around
    the step, as many as lie on both sides without a gap and as far as g goes one way over them."""
    if not g[a] * g[a + 1] < 0:
        return Expected(np.nan, np.nan)
    width = 1
    while width <= AROUND and all(_goes_on(g, steps, a, end) for end in (a - width, a + width)):
        width += 1
    x, y = t[a - width + 1 : a + width + 1], g[a - width + 1 : a + width + 1]
    d = x.copy()  # divided differences of t over g, of rising order
    for k in range(1, len(d)):
        d[k:] = (d[k:] - d[k - 1 : -1]) / (y[k:] - y[:-k])
    place, slope = d[-1], 0.0  # Horner's rule at g = 0
    for k in range(len(d) - 2, -1, -1):
        slope = place - y[k] * slope
        place = d[k] - y[k] * place
    return Expected(float(place), float(slope)) if t[a] < place < t[a + 1] else Expected(np.nan, np.nan)


def _goes_on(g: np.ndarray, steps: np.ndarray, a: int, end: int) -> bool:
    """Whether g goes over the step from `end` the same way as over that from a."""
    return end in steps and (g[end + 1] - g[end]) * (g[a + 1] - g[a]) > 0


def borders(
    holds: Callable[[np.ndarray, np.ndarray], np.ndarray], inside: np.ndarray, outside: np.ndarray, rounds: int = 46
) -> tuple[np.ndarray, np.ndarray]:
    """Where something that holds at `inside` and not at `outside` ceases: the last places inside and outside."""
    inside, outside = np.array(inside, dtype=float), np.array(outside, dtype=float)
    everything = np.arange(len(inside))
    for _ in range(rounds if len(inside) else 0):
        middle = (inside + outside) / 2
        yes = holds(middle, everything).astype(bool)
        inside, outside = np.where(yes, middle, inside), np.where(yes, outside, middle)
    return inside, outside


def dips(f: Values, t: np.ndarray, g: np.ndarray, steps: np.ndarray) -> list[tuple[float, float]]:
    """Places (t, f) at which g, sampled at t with one sign, has the other sign between two points.

    Searched where three points and their parabola let expect it; `steps` are the steps i -> i + 1 that may be used.
    """
    middle = [i for i in steps[np.isin(steps - 1, steps)] if _may_cross(t[i - 1 : i + 2], g[i - 1 : i + 2])]
    triples = {i: (t[i - 1 : i + 2].copy(), g[i - 1 : i + 2].copy()) for i in middle}
    found = []
    for _ in range(DIP_ROUNDS):
        if not triples:
            break
        which = np.array(list(triples))
        x = np.array([_vertex(*triples[i])[0] for i in which])
        for i, place, value in zip(which, x, f(x, which), strict=True):
            sign = np.sign(triples[i][1][1])
            if np.isnan(value) or value * sign <= 0:
                del triples[i]
                found += [(float(place), float(value))] if value * sign < 0 else []
                continue
            triples[i] = _tightened(*triples[i], place, value)
            if not _may_cross(*triples[i]):
                del triples[i]
    return found


def _may_cross(t: np.ndarray, g: np.ndarray) -> bool:
    """Whether three values of one sign, the middle one nearest to zero, belong to a curve that may reach zero."""
    if not np.isfinite(g).all() or np.any(g * g[1] <= 0) or np.abs(g).argmin() != 1 or t[0] == t[1] or t[1] == t[2]:
        return False
    deep = abs(g[1]) < 1e-2 * np.abs(g).max()  # the parabola itself is no better than that
    return bool(deep or _vertex(t, g)[1] * np.sign(g[1]) < 0.5 * abs(g[1]))


def _vertex(t: np.ndarray, g: np.ndarray) -> tuple[float, float]:
    """Place and height of the vertex of the parabola through three points."""
    a, b = parabola(t, g)
    place = float(np.clip(-b / (2 * a), t[0] - t[1], t[2] - t[1])) if a else 0.0
    if abs(place) < 1e-3 * (t[2] - t[0]):
        place = 0.25 * (t[2] - t[1]) if place >= 0 else -0.25 * (t[1] - t[0])
    return float(t[1] + place), float(g[1] + b * place + a * place**2)


def _tightened(t: np.ndarray, g: np.ndarray, place: float, value: float) -> tuple[np.ndarray, np.ndarray]:
    """The three of four points around the one nearest to zero."""
    t, g = np.insert(t, at := int(np.searchsorted(t, place)), place), np.insert(g, at, value)
    best = int(np.clip(np.abs(g).argmin(), 1, 2))
    return t[best - 1 : best + 2], g[best - 1 : best + 2]
