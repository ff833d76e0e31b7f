"""The zero eigenvalue of small matrices within the noise of their entries, by rank decisions.

Each null space is split off exactly and the rest is examined again (staircase): the dimensions found are the Weyr
characteristic of the zero eigenvalue, hence its Jordan blocks. Errors of one step pass into the next, so this is done
on the block of an invariant subspace alone (`stability.judged_modes`), never on a whole system.

Many matrices go together, along a leading axis, as long as their ranks agree.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from eigenbody.numerics.matrices.noise import EPS
from eigenbody.numerics.matrices.stacks import alike, part_of


def null_spaces(B: np.ndarray, noise: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Unit columns (m, n, k) that span what each B (g, n, n) maps to noise only; those of one dimension come together,
    with their numbers (m,)."""
    for members, found in _eliminate(B, noise, B.shape[-1]):
        k = found.free.shape[1]
        columns = np.zeros((len(members), B.shape[-1], k))
        np.put_along_axis(columns, found.free[:, :, None], np.broadcast_to(np.eye(k), (len(members), k, k)), axis=1)
        np.put_along_axis(columns, found.held[:, :, None], found.spread, axis=1)
        yield members, columns / np.linalg.norm(columns, axis=1, keepdims=True)


@dataclass(frozen=True, slots=True, eq=False)
class _Echelon:
    """Null spaces (g) in echelon form: free coordinates, and held ones that follow them, x[held] = spread @ x[free];
    `tilt` bounds the error of `spread` entry by entry."""

    free: np.ndarray
    held: np.ndarray
    spread: np.ndarray
    tilt: np.ndarray


def _eliminate(A: np.ndarray, noise: np.ndarray, at_most: int) -> Iterator[tuple[np.ndarray, _Echelon]]:
    """Gauss-Jordan elimination of each A (g, n, n) with the entry as pivot that stands out most from its noise, while
    any does or more than `at_most` columns are left. Every entry carries its own noise along: no unit, and no entry
    elsewhere, decides whether it counts. Those with null spaces of one dimension come together, with their numbers."""
    A, noise, (g, n) = A.copy(), noise.copy(), A.shape[:2]
    rows, columns = np.ones((g, n), bool), np.ones((g, n), bool)
    row_of = np.zeros((g, n), int)  # the pivot's row of each column that is held
    going = np.arange(g)
    while len(going):
        a, error, each = A[going], noise[going], np.arange(len(going))
        size = np.where(rows[going, :, None] & columns[going, None, :], np.abs(a), 0.0)
        ratio = np.where(size > 0, size / np.maximum(error, 1e-300), 0.0).reshape(len(going), -1)
        p, q = np.divmod(np.argmax(ratio, axis=1), n) if n else (each, each)
        if not n:
            break
        on = (size[each, p, q] > 0) & ((ratio.max(axis=1) > 1.0) | (columns[going].sum(axis=1) > at_most))
        going, a, error, p, q, each = going[on], a[on], error[on], p[on], q[on], each[: int(on.sum())]
        rows[going, p], columns[going, q], row_of[going, q] = False, False, p
        pivot = a[each, p, q][:, None]
        ratio_p = a[each, p] / pivot
        error_p = (error[each, p] + np.abs(ratio_p) * error[each, p, q][:, None]) / np.abs(pivot)
        below = a[each, :, q]
        below[each, p] = 0.0
        spread_error = EPS * np.abs(below) + error[each, :, q]
        error += (
            np.abs(below)[:, :, None] * error_p[:, None, :] + spread_error[:, :, None] * np.abs(ratio_p)[:, None, :]
        )
        a -= below[:, :, None] * ratio_p[:, None, :]
        a[each, p], error[each, p] = ratio_p, error_p
        a[each, :, q] = 0.0
        a[each, p, q] = 1.0
        A[going], noise[going] = a, error
    for count, members in alike(columns.sum(axis=1)):
        order = np.argsort(~columns[members], axis=1, kind="stable")  # free ones first, each kind in order
        free, held = order[:, : int(count)], order[:, int(count) :]
        by_row = np.take_along_axis(row_of[members], held, axis=1)
        yield members, _Echelon(free, held, -part_of(A[members], by_row, free), part_of(noise[members], by_row, free))


@dataclass(frozen=True, slots=True, eq=False)
class _Step:
    """One null space of each matrix (g), columns [1 at `pivots`; `spread` at `rest`], and what drives it:
    a' = drive @ e."""

    pivots: np.ndarray
    rest: np.ndarray
    spread: np.ndarray
    drive: np.ndarray

    def lift(self, a: np.ndarray, e: np.ndarray) -> np.ndarray:
        """States of the matrices before the step from amounts `a` of the null space and the remaining states `e`."""
        g, count = len(self.pivots), self.pivots.shape[1] + self.rest.shape[1]
        x = np.empty((g, count, e.shape[-1]), complex)
        np.put_along_axis(x, self.pivots[:, :, None], a, axis=1)
        np.put_along_axis(x, self.rest[:, :, None], self.spread @ a + e, axis=1)
        return x

    def of(self, members: np.ndarray) -> _Step:
        return _Step(self.pivots[members], self.rest[members], self.spread[members], self.drive[members])


@dataclass(frozen=True, slots=True)
class Zeros:
    """The zero eigenvalue of matrices (g), peeled off in steps; `weyr` counts the vectors of each step."""

    steps: tuple[_Step, ...]

    @property
    def weyr(self) -> tuple[int, ...]:
        return tuple(step.pivots.shape[1] for step in self.steps)

    def basis(self, shape: tuple[int, int]) -> np.ndarray:
        """(g, size, zeros) eigenvectors, then generalized eigenvectors of rising order; `shape` is (g, size)."""
        columns = [np.zeros((*shape, 0), complex)]
        for depth, step in enumerate(self.steps):
            g, count = step.pivots.shape
            x = step.lift(np.broadcast_to(np.eye(count), (g, count, count)), np.zeros((g, step.rest.shape[1], count)))
            for outer in reversed(self.steps[:depth]):
                x = outer.lift(np.zeros((g, outer.pivots.shape[1], count)), x)
            columns.append(x)
        return np.concatenate(columns, axis=-1)

    def lift(self, eigenvalues: np.ndarray, vectors: np.ndarray) -> np.ndarray:
        """Eigenvectors of the whole matrices from those (g, m, m) of the deflated ones, of nonzero ones (g, m)."""
        for step in reversed(self.steps):
            vectors = step.lift(step.drive @ vectors / eigenvalues[:, None, :], vectors)
        return vectors


@dataclass(frozen=True, slots=True, eq=False)
class Deflated:
    """Of matrices with these numbers (g,): the staircase of zero, the nonsingular rest (g, m, m) and its noise."""

    members: np.ndarray
    zeros: Zeros
    core: np.ndarray
    noise: np.ndarray


@dataclass(frozen=True, slots=True, eq=False)
class _Peeling(Deflated):
    """`doubt` is what errors of the null spaces add: it matters for ranks, hardly for eigenvalues."""

    doubt: np.ndarray
    limit: int


def deflate(A: np.ndarray, noise: np.ndarray, at_most: int | None = None) -> Iterator[Deflated]:
    """Split the zero eigenvalue off each A (g, n, n); those with the same staircase come together.

    Elimination with pivoting, because rotations would mix slow states into fast ones. `at_most` is the largest possible
    dimension of the null space.
    """
    limit = A.shape[-1] if at_most is None else at_most
    pending = [_Peeling(np.arange(len(A)), Zeros(()), A, noise, np.zeros_like(noise), limit)]
    while pending:
        p = pending.pop()
        if not (p.limit and p.core.shape[-1]):
            yield p
            continue
        for members, null in _eliminate(p.core, p.noise + p.doubt, p.limit):
            left = _peeled(p, members, null)
            if null.free.shape[1]:
                pending.append(left)
            else:
                yield left


def _peeled(p: _Peeling, members: np.ndarray, null: _Echelon) -> _Peeling:
    """The same matrices without these null spaces."""
    A, noise, doubt = p.core[members], p.noise[members], p.doubt[members]
    steps, pivots, rest = tuple(step.of(members) for step in p.zeros.steps), null.free, null.held
    if not pivots.shape[1]:
        return replace(p, members=p.members[members], zeros=Zeros(steps), core=A, noise=noise, doubt=doubt, limit=0)
    size, drive = np.abs(null.spread), part_of(A, pivots, rest)
    return _Peeling(
        p.members[members],
        Zeros((*steps, _Step(pivots, rest, null.spread, drive))),
        part_of(A, rest, rest) - null.spread @ drive,
        part_of(noise, rest, rest) + size @ part_of(noise, pivots, rest) + EPS * size @ np.abs(drive),
        part_of(doubt, rest, rest) + size @ part_of(doubt, pivots, rest) + null.tilt @ np.abs(drive),
        pivots.shape[1],
    )
