"""Which poles are physical: those that stay while the order grows.

Poles of each order are compared with those of the order before: frequency, then damping, then shape. Poles that agree
in all three and gather from order to order are a mode; what comes and goes is spurious, as is what explains no more of
the data than their noise.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from eigenbody.numerics.signals.subspace import Poles

SAME_FREQUENCY, SAME_DAMPING, SAME_SHAPE = 0.01, 0.05, 0.98  # relative, relative, MAC: from one order to the next
GATHERED = 0.02, 0.4, 0.9  # relative distance of frequencies, of damping, MAC: in one group
SHARE = 0.5  # of the orders since it first came up: as often a mode is stable
FEWEST = 3, 0.3  # poles of a mode, and their part of all orders: what comes up only at the highest ones fits noise
STRONG = 4.0  # parts of the noise that a mode explains at least
STATUS = ("new", "frequency", "damping", "stable")


class Group(NamedTuple):
    """Poles of several orders that are one mode: their median, how they scatter, the shape nearest to the median."""

    eigenvalue: complex
    frequency_deviation: float  # rad/s
    damping_deviation: float
    shape: np.ndarray
    members: int
    share: float
    is_physical: bool


class Diagram(NamedTuple):
    """All poles: order, eigenvalue, what of it agrees with the order before (an index of STATUS), its group or -1."""

    order: np.ndarray
    eigenvalue: np.ndarray
    status: np.ndarray
    group: np.ndarray
    groups: tuple[Group, ...]


def likeness(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """MAC (n, m) of shapes (n, k) and (m, k)."""
    cross = np.abs(a.conj() @ b.T) ** 2
    size = np.linalg.norm(a, axis=1)[:, None] ** 2 * np.linalg.norm(b, axis=1)[None, :] ** 2
    return cross / np.where(size > 0, size, 1.0)


def diagram(found: Sequence[Poles]) -> Diagram:
    """Compare and gather."""
    status = [_status(one, before) for one, before in zip(found, (None, *found[:-1]), strict=True)]
    order = np.concatenate([np.full(len(one.eigenvalues), one.order) for one in found]).astype(int)
    values = np.concatenate([one.eigenvalues for one in found])
    shapes = np.concatenate([one.shapes for one in found])
    levels = np.concatenate(status).astype(int)
    strengths = np.concatenate([one.strengths for one in found])
    group = _gathered(order, values, shapes, levels)
    orders = [one.order for one in found]
    groups = [_group(values[group == k], shapes[group == k], order[group == k], strengths[group == k], orders)
              for k in range(int(group.max(initial=-1)) + 1)]  # fmt: skip
    rank = np.argsort([abs(one.eigenvalue) for one in groups], kind="stable")
    place = np.empty(len(rank) + 1, int)
    place[rank], place[-1] = np.arange(len(rank)), -1
    return Diagram(order, values, levels, place[group], _without_doubles([groups[k] for k in rank]))


def _status(one: Poles, before: Poles | None) -> np.ndarray:
    """(k,) what agrees with the nearest pole of the order before."""
    out = np.zeros(len(one.eigenvalues), int)
    if before is None or not len(before.eigenvalues):
        return out
    alike = likeness(one.shapes, before.shapes)
    for i, value in enumerate(one.eigenvalues):
        j = int(np.argmin(np.abs(before.eigenvalues - value)))
        other = before.eigenvalues[j]
        agrees = (_apart(value, other) < SAME_FREQUENCY, _damping_apart(value, other) < SAME_DAMPING,
                  alike[i, j] > SAME_SHAPE)  # fmt: skip
        out[i] = 3 if all(agrees) else 2 if agrees[0] and agrees[1] else 1 if agrees[0] else 0
    return out


def _apart(a: complex, b: complex) -> float:
    return abs(abs(a) - abs(b)) / max(abs(a), abs(b), 1e-300)


def _damping_apart(a: complex, b: complex) -> float:
    one, other = a.real / abs(a), b.real / abs(b)
    return abs(one - other) / max(abs(one), abs(other), 1e-300)


def _gathered(order: np.ndarray, values: np.ndarray, shapes: np.ndarray, levels: np.ndarray) -> np.ndarray:
    """Group (n,) of each pole, -1 for those of none: from high orders down, stable ones join the nearest group that has
    none of their order, or begin one; then others whose frequency agrees join, where there is a place."""
    out = np.full(len(values), -1)
    count = 0
    stable, agreeing = (sorted(np.flatnonzero(own), key=lambda i: (-order[i], values[i].imag))
                        for own in (levels == 3, (levels > 0) & (levels < 3)))  # fmt: skip
    for k in (*stable, *agreeing):
        best, nearest = -1, np.inf
        for g in range(count):
            own = np.flatnonzero(out == g)
            middle = complex(np.median(values[own].real), np.median(values[own].imag))
            like = likeness(shapes[k : k + 1], shapes[own]).max()
            far = _apart(values[k], middle)
            near = far < GATHERED[0] and _damping_apart(values[k], middle) < GATHERED[1] and like > GATHERED[2]
            if near and order[k] not in order[own] and far < nearest:
                best, nearest = g, far
        begins = best < 0 and levels[k] == 3
        out[k] = count if begins else best
        count += begins
    return out


def _group(
    values: np.ndarray, shapes: np.ndarray, order: np.ndarray, strengths: np.ndarray, orders: Sequence[int]
) -> Group:
    middle = complex(np.median(values.real), np.median(values.imag))
    possible = sum(o >= order.min() for o in orders)
    share = len(values) / possible
    ratio = -values.real / np.abs(values)
    spread = lambda v: 1.4826 * float(np.median(np.abs(v - np.median(v))))  # noqa: E731
    is_physical = len(values) >= max(FEWEST[0], FEWEST[1] * len(orders)) and share >= SHARE and middle.real < 0
    is_physical = is_physical and float(np.median(strengths)) >= STRONG
    shape = shapes[int(np.argmin(np.abs(values - middle)))]
    return Group(middle, spread(np.abs(values)), spread(ratio), shape, len(values), share, is_physical)


def _without_doubles(groups: list[Group]) -> tuple[Group, ...]:
    """Of two groups with the frequency and the shape of one mode the larger is that mode."""
    out = list(groups)
    for i, one in enumerate(out):
        for j, other in enumerate(out[:i]):
            same = _apart(one.eigenvalue, other.eigenvalue) < 0.5 * SAME_FREQUENCY
            if same and likeness(one.shape[None], other.shape[None])[0, 0] > SAME_SHAPE:
                loser = i if one.members <= other.members else j
                out[loser] = out[loser]._replace(is_physical=False)
    return tuple(out)
