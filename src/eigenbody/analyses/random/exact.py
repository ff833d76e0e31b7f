"""Variances over all frequencies without any integration: shaping filters, the model and weightings as one system."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from eigenbody.analyses.frequency import DenseEquations, connected
from eigenbody.analyses.random.comfort import Weighting
from eigenbody.analyses.random.drives import Shaping
from eigenbody.analyses.random.paths import Path
from eigenbody.analyses.random.stationary import Motions
from eigenbody.numerics.signals.covariance import balanced, decaying_part, impulse_energy

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
    noise: np.ndarray  # of A
    columns: np.ndarray  # (states, channels)
    C: np.ndarray
    D: np.ndarray  # (outputs, channels)
    steep: np.ndarray  # (outputs, channels): coefficients of s
    integrators: int


class _Model(NamedTuple):
    """A, B, C, D and the size of the error of A."""

    A: np.ndarray
    B: np.ndarray
    C: np.ndarray
    D: np.ndarray
    noise: np.ndarray


def _model(equations: DenseEquations) -> _Model:
    """Entries of A that are rounding set to zero, so that states without a path between them stay apart."""
    floor = NOTHING * np.abs(equations.A).max(initial=0.0)
    A = np.where(np.abs(equations.A) > np.maximum(equations.noise, floor), equations.A, 0.0)
    return _Model(A, equations.B, equations.C, equations.D, equations.noise)


class Exact(NamedTuple):
    """Variances (outputs,), weighted ones, and the relative error of the first; inf where they are infinite."""

    plain: np.ndarray
    weighted: np.ndarray
    relative_error: np.ndarray


def exact_variances(
    equations: DenseEquations, paths: Sequence[Path], motions: Motions, weightings: Sequence[Weighting | None]
) -> Exact | None:
    """Variances over all frequencies; None where a source is not rational or the model is large."""
    space = _model(equations)
    rational = all(p.source.shaping is not None and not callable(p.drive.coherence) for p in paths)
    if not rational or len(space.A) > MOST_STATES:
        return None
    paths_there, decaying = connected(equations), _decaying(space, motions.lasting)
    total = np.zeros((3, len(space.C)))
    for path in paths:
        shaping = path.source.shaping
        assert shaping is not None
        assert not callable(path.drive.coherence)
        together = math.sqrt(path.drive.coherence) if len(path.columns) > 1 else 1.0
        everything = list(range(len(path.columns)))
        parts = [(together, everything), *((1 - together, [k]) for k in everything)]
        for share, members in parts:
            if share > 0:
                columns = [path.columns[k] for k in members]
                found = _variances(decaying, path, shaping, members, 0, weightings)
                if (drifts := motions.drifts[:, columns].any(axis=1)).any():
                    lasting = motions.lasting.shape[1]
                    found = np.where(drifts, _variances(space, path, shaping, members, lasting, weightings), found)
                total += share * np.where(paths_there[:, columns].any(axis=1), found, 0.0)
    plain, weighted, error = total
    known = np.isfinite(plain) & (plain > 0)
    relative = np.where(known, error / np.where(known, plain, 1.0), 0.0)
    return Exact(plain, weighted, relative)


def _decaying(space: _Model, lasting: np.ndarray) -> _Model:
    """The model without its lasting motions (basis (n, k)): what outputs see that do not see these, or what inputs do
    that do not excite them."""
    if not lasting.shape[1]:
        return space
    A, sides, C, noise = balanced(space.A, np.hstack((space.B, lasting)), space.C, space.noise)
    parts = decaying_part(A, sides[:, space.B.shape[1] :])
    B = parts.W2 @ sides[:, : space.B.shape[1]]
    return _Model(parts.A2, B, C @ parts.V2, space.D, np.abs(parts.W2) @ noise @ np.abs(parts.V2))


def _variances(
    space: _Model, path: Path, shaping: Shaping, members: list[int], lasting: int,
    weightings: Sequence[Weighting | None],
) -> np.ndarray:  # fmt: skip
    """Plain and weighted variances and the error of the plain ones, (3, outputs)."""
    chain = _chain(space, [path.columns[k] for k in members], [_channel(shaping, path.orders[k]) for k in members])
    delays = [path.delays[k] for k in members]
    moments = sorted(set(delays))
    together = [[k for k, delay in enumerate(delays) if delay == moment] for moment in moments]
    columns = np.array([chain.columns[:, group].sum(axis=1) for group in together]).T
    through = np.array([chain.D[:, group].sum(axis=1) for group in together]).T
    marginal = lasting + chain.integrators
    floor = FEEDTHROUGH * _usual(chain)
    steep = _present(chain.steep, together, floor)
    energy, error = impulse_energy(chain.A, chain.C, list(zip(moments, columns.T, strict=True)), marginal, chain.noise)
    plain = np.where(_present(chain.D, together, floor) | steep, np.inf, energy)
    weighted = np.array([
        np.inf if steep[i] else 0.0 if w is None
        else _weighted(chain, columns, through[i], moments, chain.C[i], marginal, w)
        for i, w in enumerate(weightings)
    ])  # fmt: skip
    return 0.5 * shaping.level * np.stack((plain, weighted, error))


def _usual(chain: _Chain) -> np.ndarray:
    """Size (outputs,) of response to expect, against which a feedthrough is rounding or not."""
    if not len(chain.A):
        return np.zeros(len(chain.C))
    A, b, C, _ = balanced(chain.A, chain.columns, chain.C, chain.noise)
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
    return float(impulse_energy(A, C, list(zip(moments, whole.T, strict=True)), marginal)[0][0])


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


def _chain(space: _Model, inputs: list[int], channels: list[_Channel]) -> _Chain:
    """Model with the filters before it: states [model, filter, filter, ...]."""
    n, filters = len(space.A), sum(len(c.A) for c in channels)
    A, noise = np.zeros((n + filters, n + filters)), np.zeros((n + filters, n + filters))
    A[:n, :n], noise[:n, :n] = space.A, space.noise
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
    return _Chain(A, noise, columns, C, D, steep, sum(c.integrators for c in channels))


def _differentiated(space: _Model, i: int, polynomial: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
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
