"""Variances over all frequencies without any integration: shaping filters, the model and weightings as one system."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from eigenbody.analyses.comfort import Weighting
from eigenbody.analyses.frf_evaluate import connected
from eigenbody.analyses.frf_system import DenseEquations
from eigenbody.analyses.random_paths import Path
from eigenbody.analyses.spectra_in import Shaping
from eigenbody.linearization.model import StateSpace
from eigenbody.numerics.covariance import balanced, impulse_energy

MOST_STATES = 600  # the cost grows with the third power
FEEDTHROUGH = 1e-12
NOTHING = 1e-25  # of the largest entry of A: smaller ones are rounding, whatever their own noise


class _Channel(NamedTuple):
    """White noise to an input: x' = A x + b w, and polynomial[k] s^k w + c x."""

    A: np.ndarray
    b: np.ndarray
    c: np.ndarray
    polynomial: np.ndarray
    integrators: int


class _Chain(NamedTuple):
    """Filters and model: columns of each channel, rows of each output, feedthrough, and which rows differentiate."""

    A: np.ndarray
    columns: np.ndarray  # (states, channels)
    C: np.ndarray
    D: np.ndarray  # (outputs, channels)
    steep: np.ndarray  # (outputs, channels): coefficients of s
    integrators: int


def space_of(equations: DenseEquations) -> StateSpace:
    """A, B, C, D; entries of A that are rounding set to zero, so that states without a path between them stay apart."""
    floor = NOTHING * np.abs(equations.A).max(initial=0.0)
    A = np.where(np.abs(equations.A) > np.maximum(equations.noise, floor), equations.A, 0.0)
    return StateSpace(A, equations.B, equations.C, equations.D)


def exact_variances(
    equations: DenseEquations, paths: Sequence[Path], lasting: int, weightings: Sequence[Weighting | None]
) -> tuple[np.ndarray, np.ndarray] | None:
    """Variances (outputs,) and weighted ones; None where a source is not rational or the model is large.

    `lasting` is the number of eigenvalues of the model that do not decay. inf where the variance is infinite.
    """
    space = space_of(equations)
    rational = all(p.source.shaping is not None and not callable(p.drive.coherence) for p in paths)
    if not rational or len(space.A) > MOST_STATES:
        return None
    paths_there = connected(equations)
    plain, weighted = np.zeros(len(space.C)), np.zeros(len(space.C))
    for path in paths:
        shaping = path.source.shaping
        assert shaping is not None
        assert not callable(path.drive.coherence)
        together = path.drive.coherence if len(path.columns) > 1 else 1.0
        everything = list(range(len(path.columns)))
        parts = [(together, everything), *((1 - together, [k]) for k in everything)]
        for share, members in parts:
            if share > 0:
                found_plain, found_weighted = _variances(space, path, shaping, members, lasting, weightings)
                linked = paths_there[:, [path.columns[k] for k in members]].any(axis=1)
                plain += share * np.where(linked, found_plain, 0.0)
                weighted += share * np.where(linked, found_weighted, 0.0)
    return plain, weighted


def _variances(
    space: StateSpace, path: Path, shaping: Shaping, members: list[int], lasting: int,
    weightings: Sequence[Weighting | None],
) -> tuple[np.ndarray, np.ndarray]:  # fmt: skip
    chain = _chain(space, [path.columns[k] for k in members], [_channel(shaping, path.orders[k]) for k in members])
    delays = [path.delays[k] for k in members]
    moments = sorted(set(delays))
    together = [[k for k, delay in enumerate(delays) if delay == moment] for moment in moments]
    columns = np.array([chain.columns[:, group].sum(axis=1) for group in together]).T
    through = np.array([chain.D[:, group].sum(axis=1) for group in together]).T
    marginal = lasting + chain.integrators
    floor = FEEDTHROUGH * _usual(chain)
    steep = _present(chain.steep, together, floor)
    energy = impulse_energy(chain.A, chain.C, list(zip(moments, columns.T, strict=True)), marginal)
    plain = np.where(_present(chain.D, together, floor) | steep, np.inf, energy)
    weighted = np.array([
        np.inf if steep[i] else 0.0 if w is None
        else _weighted(chain, columns, through[i], moments, chain.C[i], marginal, w)
        for i, w in enumerate(weightings)
    ])  # fmt: skip
    return 0.5 * shaping.level * plain, 0.5 * shaping.level * weighted


def _usual(chain: _Chain) -> np.ndarray:
    """Size (outputs,) of response to expect, against which a feedthrough is rounding or not."""
    if not len(chain.A):
        return np.zeros(len(chain.C))
    A, b, C = balanced(chain.A, chain.columns, chain.C)
    return (np.abs(C) @ np.abs(b)).sum(axis=1) / max(float(np.linalg.norm(A, 1)), 1e-300)


def _present(terms: np.ndarray, together: list[list[int]], floor: np.ndarray) -> np.ndarray:
    """Rows (outputs,) with a group whose terms do not cancel."""
    sums = [(terms[:, g].sum(axis=1), np.abs(terms[:, g]).sum(axis=1)) for g in together]
    return np.any([np.abs(whole) > np.maximum(FEEDTHROUGH * parts, floor) for whole, parts in sums], axis=0)


def _weighted(
    chain: _Chain, columns: np.ndarray, through: np.ndarray, moments: list[float], row: np.ndarray, marginal: int,
    weighting: Weighting,
) -> float:  # fmt: skip
    """Energy of one output after its weighting, which is strictly proper."""
    filter_ = weighting.state_space
    n, m = len(chain.A), len(filter_.A)
    A = np.block([[chain.A, np.zeros((n, m))], [filter_.B @ row[None, :], filter_.A]])
    C = np.hstack((filter_.D @ row[None, :], filter_.C))
    whole = np.vstack((columns, filter_.B @ through[None, :]))
    return float(impulse_energy(A, C, list(zip(moments, whole.T, strict=True)), marginal)[0])


def _channel(shaping: Shaping, order: int) -> _Channel:
    """The shaping filter with time derivatives (or integrals) added, as polynomial plus companion form."""
    numerator = np.append(shaping.numerator, np.zeros(max(0, order)))
    denominator = np.append(shaping.denominator, np.zeros(max(0, -order)))
    while len(denominator) > 1 and numerator[-1] == 0 and denominator[-1] == 0:
        numerator, denominator = numerator[:-1], denominator[:-1]
    quotient, rest = np.polydiv(numerator / denominator[0], denominator / denominator[0])
    monic = denominator / denominator[0]
    n = len(monic) - 1
    A, b = np.eye(n, k=1), np.zeros(n)
    if n:
        A[-1], b[-1] = -monic[:0:-1], 1.0
    c = np.zeros(n)
    c[: len(rest)] = rest[::-1][:n] if n else 0.0
    integrators = n - len(np.trim_zeros(monic, "b")) + 1
    return _Channel(A, b, c, quotient[::-1], integrators)


def _chain(space: StateSpace, inputs: list[int], channels: list[_Channel]) -> _Chain:
    """Model with the filters before it: states [model, filter, filter, ...]."""
    n, filters = len(space.A), sum(len(c.A) for c in channels)
    A = np.zeros((n + filters, n + filters))
    A[:n, :n] = space.A
    C = np.hstack((space.C, np.zeros((len(space.C), filters))))
    columns = np.zeros((n + filters, len(channels)))
    D, steep = np.zeros((len(C), len(channels))), np.zeros((len(C), len(channels)))
    at = n
    for k, (i, channel) in enumerate(zip(inputs, channels, strict=True)):
        own = slice(at, at + len(channel.A))
        at = own.stop
        A[own, own] = channel.A
        A[:n, own] = np.outer(space.B[:, i], channel.c)
        C[:, own] = np.outer(space.D[:, i], channel.c)
        columns[own, k] = channel.b
        columns[:n, k], D[:, k], steep[:, k] = _differentiated(space, i, channel.polynomial)
    return _Chain(A, columns, C, D, steep, sum(c.integrators for c in channels))


def _differentiated(space: StateSpace, i: int, polynomial: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Column, feedthrough and what is left with s of an input that is polynomial[k] s^k w.

    (s - A)^-1 b s = (s - A)^-1 A b + b: each s moves the column on and leaves C b behind.
    """
    b, d = space.B[:, i], space.D[:, i]
    column, through, left = np.zeros(len(b)), np.zeros(len(d)), np.zeros(len(d))
    powers = [d]  # coefficients of the transfer function b s^k: of s^0, s^1, ...
    for k, factor in enumerate(polynomial):
        if k:
            powers = [space.C @ b, *powers]
            b = space.A @ b
        column += factor * b
        through += factor * powers[0]
        left += abs(factor) * sum((np.abs(p) for p in powers[1:]), np.zeros(len(d)))
    return column, through, left
