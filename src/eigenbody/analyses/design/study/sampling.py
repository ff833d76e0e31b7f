"""Which designs are computed: every combination of levels, or points that fill the distributions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import product

import numpy as np

from eigenbody.analyses.design.study.distributions import ENDS, Spread

METHODS = ("latin", "factorial", "sobol", "monte-carlo", "saltelli")
MOST_COMBINATIONS = 100_000_000


def sampled(
    spreads: Sequence[Spread], method: str, count: int, seed: int, correlation: np.ndarray | None
) -> np.ndarray:
    """Points (n, P) of the study, the same for a seed.

    `saltelli` gives for each of `count` base points P + 2 lines: A, B, and for each number A with that number from B
    (Saltelli et al. 2010, Comput. Phys. Commun. 181:259, Table 2).
    """
    if method == "factorial":
        return np.array(list(product(*(spread.grid() for spread in spreads))))
    u = _places(method, len(spreads), count, seed)
    if correlation is not None:
        u = _correlated(u, correlation)
    return np.stack([spread.values(u[:, k]) for k, spread in enumerate(spreads)], axis=-1)


def combinations(spreads: Sequence[Spread]) -> int:
    """Points of the full factorial."""
    return math.prod(len(spread.numbers) if spread.law == "levels" else spread.levels for spread in spreads)


def _places(method: str, P: int, count: int, seed: int) -> np.ndarray:
    """Places (n, P) in the unit cube."""
    from scipy.stats import qmc

    if method == "monte-carlo":
        return np.random.default_rng(seed).random((count, P))
    if method == "latin":
        return qmc.LatinHypercube(P, seed=seed).random(count)
    exponent = math.ceil(math.log2(max(count, 1)))
    if method == "sobol":
        return qmc.Sobol(P, seed=seed).random_base2(exponent)[:count]
    both = qmc.Sobol(2 * P, seed=seed).random_base2(exponent)[:count]
    return saltelli_rows(both[:, :P], both[:, P:])


def saltelli_rows(A: np.ndarray, B: np.ndarray) -> np.ndarray:
    """(n (P + 2), P): of each base point A, B, and A with one number after another from B."""
    n, P = A.shape
    mixed = np.where(np.eye(P, dtype=bool), B[:, None, :], A[:, None, :])
    return np.concatenate((A[:, None], B[:, None], mixed), axis=1).reshape(n * (P + 2), P)


def _correlated(u: np.ndarray, correlation: np.ndarray) -> np.ndarray:
    """Places whose normal scores have this correlation (a Gaussian copula)."""
    from scipy.special import ndtr, ndtri

    scores = ndtri(np.clip(u, ENDS, 1 - ENDS))
    return ndtr(scores @ np.linalg.cholesky(correlation).T)
