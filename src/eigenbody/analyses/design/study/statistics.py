"""What explains the scatter of a study: regression, Sobol indices, the probability of instability."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

import numpy as np

CONFIDENCE = 0.95
RESAMPLES = 400  # of the bootstrap
FLAT = 1e-12  # relative deviation that is rounding
LEVELS = (2.5, 50.0, 97.5)  # percentiles


class Regression(NamedTuple):
    """Standardized coefficients (P,) of the best linear fit, their standard errors, and the share R^2 of the variance
    that the fit explains."""

    coefficients: np.ndarray
    errors: np.ndarray
    r_squared: float


class Indices(NamedTuple):
    """Sobol indices (P,) with the ends of their confidence intervals.

    first  share of the variance that goes when the number is known
    total  share that remains when only the number is unknown
    """

    first: np.ndarray
    first_low: np.ndarray
    first_high: np.ndarray
    total: np.ndarray
    total_low: np.ndarray
    total_high: np.ndarray
    base_points: int


class Instability(NamedTuple):
    """Share of unstable points among those that are known, and the confidence interval of the probability, in which
    points that could not be computed count both ways; nan where the points are not drawn."""

    share: float
    low: float
    high: float
    unstable: int
    known: int
    failed: int


class Description(NamedTuple):
    """Of one column, over what is known of it: so many numbers."""

    known: int
    mean: float
    deviation: float
    least: float
    greatest: float
    percentiles: tuple[float, ...]


def described(values: np.ndarray) -> Description:
    """Moments, range and percentiles; nan where nothing is known."""
    good = values[~np.isnan(values)]
    if not len(good):
        return Description(0, *(np.nan,) * 4, percentiles=(np.nan,) * len(LEVELS))
    spread = float(good.std(ddof=1)) if len(good) > 1 else np.nan
    ends = float(good.min()), float(good.max())
    return Description(len(good), float(good.mean()), spread, *ends, tuple(np.percentile(good, LEVELS).tolist()))


def regressed(blocks: Callable[[], Iterable[np.ndarray]]) -> Regression | None:
    """Of the last column by the others; `blocks` gives lines (k, P + 1) as often as it is called. None where the fit
    says nothing: no scatter, or hardly more lines than numbers."""
    good = lambda: (block[~np.isnan(block).any(axis=1)] for block in blocks())  # noqa: E731
    count = sum(len(block) for block in good())
    width = next((block.shape[1] for block in blocks()), 1)
    if count < width + 2:
        return None
    mean = sum(block.sum(axis=0) for block in good()) / count
    moments = sum((block - mean).T @ (block - mean) for block in good()) / (count - 1)
    assert isinstance(moments, np.ndarray)
    size = np.sqrt(np.diag(moments))
    if size[-1] <= FLAT * abs(mean[-1]) or (size[:-1] <= FLAT * np.abs(mean[:-1])).any():
        return None
    R = moments / np.outer(size, size)
    inside = R[:-1, :-1]
    if np.linalg.cond(inside) > 1e10:  # numbers that always vary together
        return None
    coefficients = np.linalg.solve(inside, R[:-1, -1])
    r_squared = min(1.0, float(coefficients @ R[:-1, -1]))
    free = (1 - r_squared) / (count - width)
    return Regression(coefficients, np.sqrt(np.maximum(free * np.diag(np.linalg.inv(inside)), 0.0)), r_squared)


def sobol_indices(values: np.ndarray, P: int, seed: int = 1) -> Indices | None:
    """From the values (n (P + 2),) of `saltelli_rows`; base points with an unknown value are left out.

    First order by Saltelli et al. 2010, Table 2 (b); total by Jansen, (f); intervals by bootstrap of the base points.
    """
    block = values[: len(values) // (P + 2) * (P + 2)].reshape(-1, P + 2)
    block = block[~np.isnan(block).any(axis=1)]
    n = len(block)
    if n < 2:
        return None
    centre = block[:, :2].mean()
    A, B, mixed = block[:, 0] - centre, block[:, 1] - centre, block[:, 2:] - centre
    if np.sqrt(np.mean(A**2 + B**2) / 2) <= FLAT * abs(centre):
        return None
    step = mixed - A[:, None]
    terms = np.column_stack(((A + B) / 2, (A**2 + B**2) / 2, B[:, None] * step, step**2 / 2))
    first, total = _ratios(terms.mean(axis=0), P)
    random = np.random.default_rng(seed)
    again = [_ratios(terms[random.integers(n, size=n)].mean(axis=0), P) for _ in range(RESAMPLES)]
    ends = np.quantile(np.array(again), [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2], axis=0)
    return Indices(first, ends[0, 0], ends[1, 0], total, ends[0, 1], ends[1, 1], n)


def _ratios(means: np.ndarray, P: int) -> tuple[np.ndarray, np.ndarray]:
    variance = means[1] - means[0] ** 2
    return means[2 : 2 + P] / variance, means[2 + P :] / variance


def instability(unstable: np.ndarray, is_drawn: bool) -> Instability | None:
    """From 1 (unstable), 0 and nan (not known) of independent points; the exact interval of Clopper and Pearson."""
    known = ~np.isnan(unstable)
    k, n = int(np.nansum(unstable)), int(known.sum())
    if not n:
        return None
    failed = len(unstable) - n
    if not is_drawn:
        return Instability(k / n, np.nan, np.nan, k, n, failed)
    from scipy.stats import binomtest

    total = len(unstable)
    low = binomtest(k, total).proportion_ci(CONFIDENCE, method="exact").low
    high = binomtest(k + failed, total).proportion_ci(CONFIDENCE, method="exact").high
    return Instability(k / n, float(low), float(high), k, n, failed)
