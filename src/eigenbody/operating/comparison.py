"""Whether linear equations are equal to what counts, stiff and soft motions compared each by itself.

A stiff spring makes every entry large of the rows that it shares with soft ones, beside which a change of these would
vanish. In the undamped vibrations of the mechanism each stiffness stands alone: there, entries are compared with the
largest of their row.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from eigenbody.linearization.forms import SparseForm
from eigenbody.linearization.model import LinearModel
from eigenbody.linearization.rounding import spin_rate
from eigenbody.numerics.eigen.dense import spectrum_first_order
from eigenbody.numerics.eigen.sparse import Block, SparseModes

SAME = 1e-7  # difference of the linear equations, relative to its row, that still counts as none
NOISES = 4.0  # the same in errors of the entries
PLACED = 1e-15  # the same by rounding of the place further on, relative to the largest entry
CLEARLY = 10.0  # times rounding, from which a difference is one: flexible parts have some of their own
COARSE = 1e-10  # error of the rates of large models, relative to the largest
PROBES = 4
INDEPENDENT = 1e8  # condition number up to which vectors tell their eigenvalues apart


def same_equations(one: LinearModel, other: LinearModel) -> bool:
    """Whether two linear models in the same coordinates are equal to what counts: entry by entry, or large ones by the
    rates that they give to random states."""
    if not one.is_sparse and not other.is_sparse:
        return same_matrices(one.A, other.A, lambda: one.noise_A + other.noise_A, vibrations(one))
    probes = _probes(one)
    a = one.sparse.rates_of(probes)
    return _same_rates(a, other.sparse.rates_of(probes)) and (
        len(one.coordinates) != len(one.velocities) or _same_where_soft(one.sparse, other.sparse, probes, a)
    )


def _same_rates(a: np.ndarray, b: np.ndarray) -> bool:
    off, size = np.abs(a - b), np.abs(a)
    allowed = SAME * size.max(axis=-1, keepdims=True, initial=0.0)
    return bool(np.all(off <= allowed + (PROBES * NOISES * COARSE + PLACED) * size.max(initial=0.0)))


def _same_where_soft(one: SparseForm, other: SparseForm, probes: np.ndarray, rates: np.ndarray) -> bool:
    """The same of states in which each coordinate goes as far as its own stiffness lets it at the speed 1."""
    n = one.dof
    pace = np.sqrt(np.abs(rates[n : 2 * n]).max(axis=-1, keepdims=True, initial=0.0))
    probes = probes.copy()
    probes[:n] /= np.maximum(pace, 1e-6 * pace.max(initial=0.0) or 1.0)
    return _same_rates(*(form.rates_of(probes) for form in (one, other)))


def same_for_modes(found: SparseModes, one: LinearModel, other: LinearModel) -> bool:
    """Whether two large linear models, of which some modes of the first were found, are equal to what counts on the
    subspace of these modes: there, what is soft stands beside what is stiff with its own errors alone."""
    if one.sparse.is_static:
        return _same_at_rest(found, one.sparse, other.sparse)
    if found.block is None:
        return True
    block, n = found.block, len(one.states)
    there = block.W[:n].T @ other.sparse.rates_of(block.Z[:n])
    return same_matrices(block.matrix, there, lambda: 2 * block.error, _own_motions(block))


def _same_at_rest(found: SparseModes, one: SparseForm, other: SparseForm) -> bool:
    """The same of stiffness and damping over all body coordinates, where the bodies stay in their places."""
    moving = ~found.is_zero
    rate, V = np.abs(found.eigenvalues[moving]), found.vectors[:, moving]
    size = rate * np.sqrt(np.real(np.sum(np.conj(V) * (one.pencil.M @ V), axis=0)))
    (C, K), (later_C, later_K), X = one.tangents, other.tangents, np.abs(V)
    off_C, off_K = (np.abs(np.conj(V).T @ (off @ V)) for off in (later_C - C, later_K - K))
    is_loss = off_C <= SAME * np.outer(size, size / rate) + 2 * NOISES * one.noise.loss(X)
    return bool(np.all(is_loss & (off_K <= SAME * np.outer(size, size) + 2 * NOISES * one.noise.strain(X))))


def _own_motions(block: Block) -> np.ndarray:
    """Real columns that part a block into its own motions, as they are where these are hardly independent."""
    spectrum = spectrum_first_order(block.matrix, block.error)
    columns = [
        part for value, x in zip(spectrum.eigenvalues, spectrum.right.T, strict=True) if value.imag >= 0
        for part in (x.real, x.imag)[: 1 + (value.imag > 0)]
    ]  # fmt: skip
    T = np.column_stack(columns)
    return T if np.linalg.cond(T) < INDEPENDENT else np.eye(len(T))


def vibrations(linear: LinearModel) -> np.ndarray:
    """Of the equations of a linear model by itself, see `states_of_vibrations`."""
    rate = float(spin_rate(linear.point))
    K = linear.K if len(linear.coordinates) == len(linear.velocities) else None  # else they roll
    return states_of_vibrations(linear.A, linear.M, K, rate)


def states_of_vibrations(A: np.ndarray, M: np.ndarray, K: np.ndarray | None, rate: float) -> np.ndarray:
    """Columns (states, states): the linear state [S, W, x] by undamped vibrations of unit mass and their rates, states
    of first order as they are. `rate` says how fast the mechanism moves. Without K, or where some motion has no mass,
    all states as they are."""
    T = np.eye(len(A))
    if K is not None and len(K):
        try:
            L = np.linalg.cholesky(M)
        except np.linalg.LinAlgError:
            L = None
        if L is not None:
            inner = np.linalg.solve(L, np.linalg.solve(L, 0.5 * (K + K.T)).T)
            squares, shapes = np.linalg.eigh(0.5 * (inner + inner.T))
            shapes, n = np.linalg.solve(L.T, shapes), len(K)
            speed = np.sqrt(np.abs(squares) + rate**2)
            T[:n, :n], T[n : 2 * n, n : 2 * n] = shapes / np.where(speed > 0, speed, 1.0), shapes
    return T


def same_matrices(a: np.ndarray, b: np.ndarray, noise: Callable[[], np.ndarray], states: np.ndarray) -> bool:
    """Whether two matrices of linear states are equal to what counts in other `states` (columns): beside the largest
    entries of their rows there, or within what rounding leaves of them and of the places further on; `noise` finds the
    errors of their entries, which may stand elsewhere in a row there."""
    back = np.linalg.inv(states)
    own, off = back @ a @ states, np.abs(back @ (a - b) @ states)
    allowed = SAME * np.abs(own).max(axis=-1, keepdims=True, initial=0.0)
    if np.all(off <= allowed):
        return True
    return bool(np.all(off <= allowed + _rounded(own, np.abs(back) @ noise() @ np.abs(states))))


def _rounded(a: np.ndarray, noise: np.ndarray) -> np.ndarray:
    return np.asarray(NOISES * noise.sum(axis=-1, keepdims=True) + PLACED * np.abs(a).max(initial=0.0))


def part_beyond_rounding(a: np.ndarray, b: np.ndarray, noise: np.ndarray) -> float:
    """By how much two matrices whose entries have these errors differ, as a part of their rows, where that is clearly
    more than rounding leaves; else 0."""
    off, size = np.abs(a - b), np.abs(a).max(axis=-1, keepdims=True, initial=0.0)
    beyond = np.where(off > CLEARLY * _rounded(a, noise), off, 0.0)
    return float((beyond / np.where(size > 0, size, 1.0)).max(initial=0.0))


def _probes(linear: LinearModel) -> np.ndarray:
    """Random states (states, probes)."""
    return np.random.default_rng(6).choice((-1.0, 1.0), (len(linear.states), PROBES))
