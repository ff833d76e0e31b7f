"""Transfer matrices H(s) = C (s E - A)^-1 B + D for many s at once, dense and sparse.

Dense: one unitary reduction to triangular form (complex Schur), then back substitution in blocks for all s together,
which is matrix products; one step of refinement with the matrix as given. Sparse: one factorization for each s, the
ordering of the columns found once. Memory is bounded: work goes in chunks.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from eigenbody.base.arrays import as_dense
from eigenbody.base.errors import ComputationError
from eigenbody.base.progress import report
from eigenbody.numerics.matrices.balance import lapack_balanced
from eigenbody.numerics.matrices.linear import scaled_saddle

EPS = float(np.finfo(float).eps)
CHUNK_BYTES = 48e6
BLOCK = 48  # rows of the triangular form solved one by one between two matrix products
STAGE = "frequency response"


def chunks(count: int, bytes_each: float) -> list[slice]:
    """Slices of `count` items so that a chunk stays within the memory allowed."""
    size = int(max(1, CHUNK_BYTES // max(bytes_each, 1)))
    return [slice(i, min(i + size, count)) for i in range(0, count, size)]


class DenseTransfer:
    """C (s - A)^-1 B + D with A (n, n), B (n, nu), C (ny, n), D (ny, nu) real."""

    def __init__(self, A: np.ndarray, B: np.ndarray, C: np.ndarray, D: np.ndarray) -> None:
        from scipy.linalg import schur

        report("reducing the state matrix")
        if A.shape[0]:
            self._A, scale = lapack_balanced(A)
            self._T, self._U = schur(self._A, output="complex")
        else:
            self._A, scale, self._T, self._U = A, np.ones(0), A.astype(complex), A.astype(complex)
        self._B, self._C, self._D = B / scale[:, None], C * scale, D

    def __call__(self, s: np.ndarray) -> np.ndarray:
        """H (nf, ny, nu) at s (nf,)."""
        n, nu = self._B.shape
        out = np.empty((len(s), len(self._C), nu), complex)
        if not out.size or not n:
            out[:] = self._D
            return out
        for part in chunks(len(s), 16.0 * 5 * n * nu):
            x = self._states(s[part])
            out[part] = np.moveaxis(np.tensordot(self._C, x, 1), 2, 0) + self._D
            report(STAGE, part.stop / len(s))
        return out

    def _states(self, s: np.ndarray) -> np.ndarray:
        """x (n, nu, nf) of (s - A) x = B, refined once."""
        right = np.broadcast_to(self._B[:, :, None], (*self._B.shape, len(s)))
        x = self._solve(right, s)
        left = right - s * x + _real_times(self._A, x)
        return x + self._solve(left, s)

    def _solve(self, right: np.ndarray, s: np.ndarray) -> np.ndarray:
        n, nu, nf = right.shape
        f = np.tensordot(self._U.conj().T, right, 1).reshape(n, nu, nf)
        for start in range((n - 1) // BLOCK * BLOCK, -1, -BLOCK):
            end = min(start + BLOCK, n)
            if end < n:
                f[start:end] += np.tensordot(self._T[start:end, end:], f[end:], 1)
            for k in range(end - 1, start - 1, -1):
                if k + 1 < end:
                    f[k] += np.tensordot(self._T[k, k + 1 : end], f[k + 1 : end], 1)
                f[k] /= away_from_zero(s - self._T[k, k])
        return np.tensordot(self._U, f, 1).reshape(n, nu, nf)


def _real_times(A: np.ndarray, x: np.ndarray) -> np.ndarray:
    """A x for real A (n, n) and complex x (n, ...), without making A complex."""
    flat = np.ascontiguousarray(x).reshape(len(A), -1)
    return (A @ flat.view(float)).view(complex).reshape(x.shape)


def away_from_zero(value: np.ndarray) -> np.ndarray:
    """The value, or something tiny where it is zero: exactly on a pole the answer is thrown away later."""
    return np.where(value == 0, 1e-100, value)


class SparseTransfer:
    """C (s E - A)^-1 B + D, all sparse, B (n, nu) with few columns; s is any complex number off the spectrum."""

    def __init__(self, E: Any, A: Any, B: Any, C: Any, D: Any) -> None:
        self._start((-A, E), as_dense(B), (C.tocsr(),), as_dense(D))

    def _start(self, powers: tuple[Any, ...], right: np.ndarray, left: tuple[Any, ...], D: np.ndarray) -> None:
        """(P0 + s P1 + s^2 P2) x = right, y = (L0 + s L1 + s^2 L2) x + D."""
        self._solver = _Family(powers)
        self._right, self._left, self._D = right.astype(complex), left, D

    def __call__(self, s: np.ndarray) -> np.ndarray:
        """H (nf, ny, nu) at s (nf,)."""
        out = np.empty((len(s), *self._D.shape), complex)
        if not out.size:
            return out
        for i, value in enumerate(s.tolist()):
            x = self._solver.at(value).solve(self._right)
            out[i] = self._D + _polynomial(self._left, value, x)
            if not i % 64:
                report(STAGE, i / len(s))
        return out


class StaticTransfer(SparseTransfer):
    """(s^2 Ca + s Cu + Cq) x + Cm y with (s^2 M + s C + K) x + G^T y = F, G x = 0: the smaller equations at rest."""

    def __init__(self, pencil: Any, F: Any, outputs: tuple[Any, Any, Any, Any], D: Any, unit: np.ndarray) -> None:
        from scipy.sparse import block_array, csc_array, diags_array, hstack

        K, G = scaled_saddle(pencil.K, pencil.G, unit)
        scale = diags_array(unit)
        M, C = ((scale @ part @ scale).tocsc() for part in (pencil.M, pencil.C))
        rows = G.shape[0]
        none = csc_array((rows, rows))
        whole = block_array([[K, G.T], [G, none]], format="csc")
        powers = (whole, block_array([[C, None], [None, none]]), block_array([[M, None], [None, none]]))
        # rows of G were scaled: y of the given equations = (size of the row) * y of the scaled ones
        size = np.asarray(abs(G).sum(axis=1)).ravel() / np.asarray(abs(pencil.G @ scale).sum(axis=1)).ravel()
        q, u, a, m = outputs
        empty = csc_array((q.shape[0], rows))
        left = (
            hstack([q @ scale, m @ diags_array(size)], format="csr"),
            hstack([u @ scale, empty], format="csr"),
            hstack([a @ scale, empty], format="csr"),
        )
        force = as_dense(F) * unit[:, None]
        right = np.vstack((force, np.zeros((rows, force.shape[1]))))
        self._start(powers, right, left, as_dense(D))


class _Factor:
    """One factorized matrix whose columns were put in order beforehand; solves with one step of refinement."""

    def __init__(self, matrix: Any, order: np.ndarray | None) -> None:
        from scipy.sparse.linalg import splu

        self._matrix, self._order = matrix, order
        try:
            self._lu = splu(matrix, permc_spec="COLAMD" if order is None else "NATURAL")
        except RuntimeError:
            self._lu = None  # exactly singular: a pole

    @property
    def order(self) -> np.ndarray | None:
        return None if self._lu is None else np.argsort(self._lu.perm_c)

    def solve(self, right: np.ndarray) -> np.ndarray:
        """x (n, k) in the order of the matrix as it was given before its columns were moved; infinite on a pole."""
        if self._lu is None:
            return np.full(right.shape, np.inf, complex)
        x = self._lu.solve(right)
        x = x + self._lu.solve(right - self._matrix @ x)
        if self._order is None:
            return x
        out = np.empty_like(x)
        out[self._order] = x
        return out


class _Family:
    """P(s) = P0 + s P1 + s^2 P2 on one sparsity pattern, its columns ordered once."""

    def __init__(self, powers: tuple[Any, ...]) -> None:
        report("ordering the equations")
        parts = [part.tocsc() for part in powers]
        pattern = sum(abs(part) for part in parts).tocsc()
        pattern.sort_indices()
        self._indices, self._indptr, self._shape = pattern.indices, pattern.indptr, pattern.shape
        self._data = np.stack([_on_pattern(part, pattern) for part in parts])
        self._order: np.ndarray | None = None

    def at(self, s: complex) -> _Factor:
        factor = _Factor(self._matrix(s), self._order)
        if self._order is None and factor.order is not None:
            self._reorder(factor.order)
            return _Factor(self._matrix(s), self._order)
        return factor

    def _matrix(self, s: complex) -> Any:
        from scipy.sparse import csc_array

        data = np.power(complex(s), np.arange(len(self._data))) @ self._data
        return csc_array((data, self._indices, self._indptr), shape=self._shape)

    def _reorder(self, order: np.ndarray) -> None:
        lengths = np.diff(self._indptr)[order]
        indptr = np.concatenate(([0], np.cumsum(lengths))).astype(self._indptr.dtype)
        take = np.repeat(self._indptr[order] - indptr[:-1], lengths) + np.arange(indptr[-1])
        self._indices, self._indptr, self._data = self._indices[take], indptr, self._data[:, take]
        self._order = order


def _on_pattern(part: Any, pattern: Any) -> np.ndarray:
    """Values (nnz,) of a matrix at the entries of a pattern that contains it."""
    coo, every = part.tocoo(), pattern.tocoo()
    rows = pattern.shape[0]
    place = np.searchsorted(every.col.astype(np.int64) * rows + every.row, coo.col.astype(np.int64) * rows + coo.row)
    out = np.zeros(pattern.nnz)
    np.add.at(out, place, coo.data)
    return out


def _polynomial(parts: tuple[Any, ...], s: complex, x: np.ndarray) -> Any:
    total = parts[-1] @ x
    for part in reversed(parts[:-1]):
        total = total * s + part @ x
    return total


def require_finite_frequencies(omega: np.ndarray) -> None:
    """Refuse frequencies that are not numbers."""
    if not np.isfinite(omega).all():
        raise ComputationError("A frequency is not finite.")
