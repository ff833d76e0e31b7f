"""Optimality of a constrained minimum: multipliers, what a step still promises, and Newton steps that sharpen it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

ACTIVE = 1e-5  # a scaled inequality below this may be active
STEP = 1e-4  # of the differences of gradients
CHORDS = 8
LONGEST = 0.05  # step that is trusted


class Program(NamedTuple):
    """At a point: gradient (n,) of the objective, inequalities c >= 0 (m,) and equalities (k,) with their Jacobians."""

    gradient: np.ndarray
    c: np.ndarray
    J: np.ndarray
    e: np.ndarray
    E: np.ndarray


@dataclass(frozen=True, eq=False)
class Optimality:
    """Multipliers of inequalities and equalities, and which variables are held by their bounds."""

    inequality: np.ndarray
    equality: np.ndarray
    held: np.ndarray  # (n,) bool


def optimality(p: Program, at_lower: np.ndarray, at_upper: np.ndarray) -> Optimality:
    """The multipliers (none negative) that balance the gradient best."""
    from scipy.optimize import nnls

    n = len(p.gradient)
    active = np.flatnonzero(p.c < ACTIVE)
    low, high = np.flatnonzero(at_lower), np.flatnonzero(at_upper)
    unit = np.eye(n)
    columns = np.concatenate((p.J[active], p.E, -p.E, unit[low], -unit[high])).T
    scale = max(float(np.linalg.norm(p.gradient)), 1e-300)
    lengths = np.maximum(np.linalg.norm(columns, axis=0), 1e-300)
    weights = nnls(columns / lengths, p.gradient / scale)[0] if columns.shape[1] else np.zeros(0)
    true = weights * scale / lengths
    a, k = len(active), len(p.e)
    inequality = np.zeros(len(p.c))
    inequality[active] = true[:a]
    equality = true[a : a + k] - true[a + k : a + 2 * k]
    held = np.zeros(n, dtype=bool)
    held[low], held[high] = (true[a + 2 * k :][: len(low)] > 0), (true[a + 2 * k + len(low) :] > 0)
    return Optimality(inequality, equality, held)


def promised_gain(p: Program, below: np.ndarray, above: np.ndarray) -> float:
    """How much the objective falls, to first order, by the best step between these limits (n,) that violates no
    constraint more than now: zero where the conditions of optimality (Karush, Kuhn, Tucker) hold.
    """
    from scipy.optimize import linprog

    reach = np.maximum(np.abs(below), np.abs(above))
    at_most = float(np.abs(p.gradient[np.isfinite(reach)]) @ reach[np.isfinite(reach)])
    found = linprog(
        p.gradient, A_ub=-p.J if len(p.c) else None, b_ub=np.maximum(p.c, 0.0) if len(p.c) else None,
        A_eq=p.E if len(p.e) else None, b_eq=np.zeros(len(p.e)) if len(p.e) else None,
        bounds=np.column_stack((below, above)), method="highs",
    )  # fmt: skip
    return at_most if found.x is None else max(0.0, -float(found.fun))


def sharpened(
    evaluate: Callable[[np.ndarray], Program], z: np.ndarray, lower: np.ndarray, upper: np.ndarray
) -> np.ndarray:
    """The point after Newton steps on the conditions of optimality, with the active constraints as they are at z.

    The Hessian of the Lagrange function comes from differences of exact gradients, once. The point itself where no
    step improves it.
    """
    start = evaluate(z)
    found = optimality(start, z <= lower, z >= upper)
    active = np.flatnonzero(found.inequality > 0)
    free = np.flatnonzero(~found.held & (z > lower) & (z < upper))
    if not len(free):
        return z
    weights = np.concatenate((found.inequality[active], found.equality))
    matrix = _matrix(evaluate, z, free, active, weights)
    best, least = z, _size(start, free, active, weights)
    now, p = z, start
    for _ in range(CHORDS):
        step = np.linalg.lstsq(matrix, -_residual(p, free, active, weights), rcond=1e-13)[0]
        move = np.zeros(len(z))
        move[free] = step[: len(free)]
        if np.abs(move).max() > LONGEST or np.any(now + move < lower) or np.any(now + move > upper):
            break
        now, weights = now + move, weights + step[len(free) :]
        p = evaluate(now)
        size = _size(p, free, active, weights)
        if not size < least:
            break
        best, least = now, size
    return best


def _rows(p: Program, free: np.ndarray, active: np.ndarray) -> np.ndarray:
    return np.concatenate((p.J[active], p.E))[:, free]


def _residual(p: Program, free: np.ndarray, active: np.ndarray, weights: np.ndarray) -> np.ndarray:
    return np.concatenate((p.gradient[free] - _rows(p, free, active).T @ weights, p.c[active], p.e))


def _size(p: Program, free: np.ndarray, active: np.ndarray, weights: np.ndarray) -> float:
    return float(np.linalg.norm(_residual(p, free, active, weights)))


def _matrix(
    evaluate: Callable[[np.ndarray], Program], z: np.ndarray, free: np.ndarray, active: np.ndarray, weights: np.ndarray
) -> np.ndarray:
    n, m = len(free), len(weights)
    matrix = np.zeros((n + m, n + m))
    for column, i in enumerate(free):
        sides = []
        for sign in (1.0, -1.0):
            shifted = z.copy()
            shifted[i] += sign * STEP
            p = evaluate(shifted)
            sides.append(p.gradient[free] - _rows(p, free, active).T @ weights)
        matrix[:n, column] = (sides[0] - sides[1]) / (2 * STEP)
    rows = _rows(evaluate(z), free, active)
    matrix[:n, :n] = 0.5 * (matrix[:n, :n] + matrix[:n, :n].T)
    matrix[:n, n:], matrix[n:, :n] = -rows.T, rows
    return matrix
