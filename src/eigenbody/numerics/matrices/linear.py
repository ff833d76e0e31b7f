"""Square linear systems: dense LU when small, sparse LU when large; same calls for both."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from eigenbody.base.errors import ComputationError
from eigenbody.numerics.matrices.assembly import Part, dense, sparse
from eigenbody.numerics.matrices.ordering import SymmetricFactor

REGULAR = 1e-4  # a refined solution that misses the right side by more comes from a singular matrix
DENSE_LIMIT = 200  # below this order dense LAPACK beats sparse bookkeeping
TOGETHER = 4_000_000  # numbers of right sides solved at once: 32 MB, beyond which every array has fresh memory
SMALL_BLOCKS = {"relax": 1, "panel_size": 4}  # of SuperLU: its own are for blocks larger than a body with its joint has


class Factor(Protocol):
    """A factorized square matrix."""

    def solve(self, rhs: np.ndarray) -> np.ndarray: ...
    def solve_transposed(self, rhs: np.ndarray) -> np.ndarray: ...


class DenseFactor:
    """LU of a dense matrix."""

    def __init__(self, matrix: np.ndarray) -> None:
        from scipy.linalg import lapack

        getrf, self._getrs = (
            (lapack.zgetrf, lapack.zgetrs) if np.iscomplexobj(matrix) else (lapack.dgetrf, lapack.dgetrs)
        )
        self._lu, self._pivots, info = getrf(matrix)
        if info > 0:
            raise ComputationError("A linear system that should be regular is singular.")

    def solve(self, rhs: np.ndarray) -> np.ndarray:
        return self._solve(rhs, 0)

    def solve_transposed(self, rhs: np.ndarray) -> np.ndarray:
        return self._solve(rhs, 1)

    def _solve(self, rhs: np.ndarray, transposed: int) -> np.ndarray:
        if not rhs.size:
            return np.zeros_like(rhs)
        if np.iscomplexobj(rhs) and not np.iscomplexobj(self._lu):
            return self._solve(rhs.real, transposed) + 1j * self._solve(rhs.imag, transposed)
        if rhs.ndim > 2:
            flat = np.moveaxis(rhs, -2, 0)
            return np.moveaxis(self._solve(flat.reshape(len(flat), -1), transposed).reshape(flat.shape), 0, -2)
        return self._getrs(self._lu, self._pivots, rhs, trans=transposed)[0]


class BatchFactor:
    """Inverses of a batch of small dense matrices (..., n, n)."""

    def __init__(self, matrices: np.ndarray) -> None:
        try:
            self._inverse = np.linalg.inv(matrices)
        except np.linalg.LinAlgError as error:
            raise ComputationError("A linear system that should be regular is singular.") from error

    def solve(self, rhs: np.ndarray) -> np.ndarray:
        """For right sides (..., n, k)."""
        return self._inverse @ rhs

    def solve_transposed(self, rhs: np.ndarray) -> np.ndarray:
        return self._inverse.mT @ rhs

    def last_columns(self, count: int) -> np.ndarray:
        """The last columns of the inverse."""
        return self._inverse[..., self._inverse.shape[-1] - count :]


class StepFactor:
    """Matrices A + i dA_k (k, n, n) with the same real part and imaginary parts so small that their squares vanish:
    one factorization of A serves all (complex steps)."""

    def __init__(self, matrices: np.ndarray) -> None:
        self._real = DenseFactor(np.ascontiguousarray(matrices[0].real))
        self._step = matrices.imag

    def solve(self, rhs: np.ndarray) -> np.ndarray:
        """For right sides (..., n, k)."""
        return self._solve(self._real.solve, self._step, rhs)

    def solve_transposed(self, rhs: np.ndarray) -> np.ndarray:
        return self._solve(self._real.solve_transposed, self._step.mT, rhs)

    @staticmethod
    def _solve(solve: Callable[[np.ndarray], np.ndarray], step: np.ndarray, rhs: np.ndarray) -> np.ndarray:
        real = solve(np.ascontiguousarray(rhs.real if rhs.ndim == 2 else rhs[0].real))
        is_same = rhs.ndim == 2 or not np.any(rhs.real != rhs[:1].real)  # else they are other times of a motion
        change = np.broadcast_to(rhs.imag, (len(step), *real.shape))
        out = np.empty((len(step), *real.shape), dtype=complex)
        for k, own in enumerate(step):  # one by one: a stack of them does not fit the processor's cache
            if not is_same:
                real = solve(np.ascontiguousarray(rhs[k].real))
            out[k].real, out[k].imag = real, solve(change[k] - own @ real)
        return out


Batched = BatchFactor | StepFactor


class SparseFactor:
    """SuperLU of a sparse matrix, with `options` of its own."""

    def __init__(self, matrix: Any, **options: Any) -> None:
        from scipy.sparse.linalg import splu

        try:
            self._lu = splu(matrix, **options)
        except RuntimeError as error:
            raise ComputationError("A linear system that should be regular is singular.") from error

    def solve(self, rhs: np.ndarray) -> np.ndarray:
        return self._lu.solve(rhs) if rhs.size else np.zeros_like(rhs)

    def solve_transposed(self, rhs: np.ndarray) -> np.ndarray:
        return self._lu.solve(rhs, "T") if rhs.size else np.zeros_like(rhs)


class Saddle:
    """[[A, G^T], [G, 0]] with independent rows G, dense or sparse as A is; `pull` may stand in place of G^T."""

    def __init__(self, A: Any, G: Any, pull: Any = None) -> None:
        self._n, rows = A.shape[0], G.shape[0]
        if isinstance(A, np.ndarray):
            upper = G.T if pull is None else pull
            self._factor: Factor = DenseFactor(np.block([[A, upper], [G, np.zeros((rows, rows))]]))
            return
        if pull is not None:
            from scipy.sparse import block_array

            self._factor = SparseFactor(block_array([[A, pull], [G, None]], format="csc") if rows else A.tocsc())
            return
        self._factor = SparseFactor(bordered(A, G))

    def solve(self, f: np.ndarray, g: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """x and y of A x + G^T y = f, G x = g."""
        both = self._factor.solve(np.concatenate((f, g)))
        return both[: self._n], both[self._n :]


class KKT:
    """Sparse [[A, G^T], [G, 0]] with independent rows G: solves A x + G^T y = f, G x = 0 for x.

    `unit` (n,) scales the coordinates (x = unit * x_scaled) and rows of G are brought to the size of A, which keeps
    pivots on the diagonal and fill low. Rows may yield: G x = flexibility * y.
    """

    def __init__(self, A: Any, G: Any, unit: np.ndarray | None = None, flexibility: np.ndarray | None = None) -> None:
        from scipy.sparse import csc_array

        A, G = csc_array(A), csc_array(G)
        self._n = A.shape[0]
        self._unit = unit
        if unit is not None:
            A, G = scaled_saddle(A, G, unit)
        self._row_size = float(np.abs(G.data).max(initial=0.0)) or 1.0
        self._whole = bordered(A, G, flexibility)
        self._size = self._whole.shape[0]
        self._factor: Factor = SparseFactor(self._whole, **SMALL_BLOCKS) if G.shape[0] else SymmetricFactor(self._whole)

    def solve(self, f: np.ndarray) -> np.ndarray:
        return self._out(self._factor.solve(self._in(f)))

    def is_regular(self) -> bool:
        """Whether a random right side is met after refinement; a singular matrix cannot."""
        rhs = np.zeros(self._size, dtype=self._whole.dtype)
        rhs[: self._n] = np.random.default_rng(3).normal(size=self._n)
        return any(self._is_met(rhs, self._solve_whole(rhs, steps)) for steps in (0, 2))

    def _is_met(self, rhs: np.ndarray, out: np.ndarray) -> bool:
        if not np.isfinite(out).all():
            return False
        miss = np.abs(rhs - self._whole @ out)
        miss[self._n :] /= self._row_size
        return bool(miss.max() < REGULAR * np.abs(rhs).max())

    def solve_refined(self, f: np.ndarray, steps: int = 1) -> np.ndarray:
        """The same with iterative refinement; f may be complex where the matrix is real."""
        return self._by_blocks(f, steps)[0]

    def solve_both(self, f: np.ndarray, transposed: bool = False, steps: int = 1) -> tuple[np.ndarray, np.ndarray]:
        """x, and y in units of its own, with A or its transpose."""
        x, y = self._by_blocks(f, steps, transposed, with_y=True)
        return x, y

    def _by_blocks(
        self, f: np.ndarray, steps: int, transposed: bool = False, with_y: bool = False
    ) -> tuple[np.ndarray, np.ndarray]:
        """x and, where asked for, y; a few columns at a time where they are long."""
        if f.ndim == 1:
            both = self._solve_whole(self._in(f), steps, transposed)
            return self._out(both), both[self._n :]
        count, dtype = f.shape[1], np.result_type(f, self._whole.dtype)
        x = np.empty((self._n, count), dtype=dtype, order="F")
        y = np.empty((self._size - self._n if with_y else 0, count), dtype=dtype, order="F")
        for own in columns_at_a_time(count, self._size):
            both = self._solve_whole(self._in(f[:, own]), steps, transposed)
            x[:, own] = self._out(both)
            y[:, own] = both[self._n :][: len(y)]
        return x, y

    def work_size(self, y: np.ndarray, x: np.ndarray) -> np.ndarray:
        """|y|^T |G| |x| (k, m) for y (rows, k) as `solve_both` gives it and x (n, m)."""
        pulled, unit = self._row_sizes.T @ np.abs(y), 1.0 if self._unit is None else self._unit[:, None]
        some = columns_at_a_time(x.shape[1], self._n)
        return np.hstack([pulled.T @ (np.abs(x[:, own]) / unit) for own in some]) if some else pulled.T @ x

    @cached_property
    def _row_sizes(self) -> Any:
        """|G| (rows, n)."""
        return abs(self._whole[self._n :, : self._n])

    def _in(self, f: np.ndarray) -> np.ndarray:
        rhs = np.zeros((self._size, *f.shape[1:]), dtype=f.dtype, order="F")
        rhs[: self._n] = f if self._unit is None else (f.T * self._unit).T
        return rhs

    def _out(self, x: np.ndarray) -> np.ndarray:
        return x[: self._n] if self._unit is None else (x[: self._n].T * self._unit).T

    def _solve_whole(self, rhs: np.ndarray, steps: int, transposed: bool = False) -> np.ndarray:
        return refined(self._factor, self._whole, rhs, steps, transposed)


def refined(factor: Factor, matrix: Any, rhs: np.ndarray, steps: int = 1, transposed: bool = False) -> np.ndarray:
    """x of A x = rhs, or of its transpose, with iterative refinement; rhs may be complex where A is real."""
    solve, whole = (factor.solve_transposed, matrix.T) if transposed else (factor.solve, matrix)

    def once(rhs: np.ndarray) -> np.ndarray:
        if not np.iscomplexobj(rhs) or np.iscomplexobj(matrix):
            return solve(rhs)
        found = np.empty_like(rhs)
        found.real, found.imag = solve(rhs.real), solve(rhs.imag)
        return found

    out = once(rhs)
    for _ in range(steps):
        out = out + once(rhs - whole @ out)
    return out


def bordered(A: Any, G: Any, flexibility: np.ndarray | None = None) -> Any:
    """Sparse [[A, G^T], [G, -F]] of a square A and rows G, F the diagonal matrix of `flexibility` (rows,); CSC."""
    from scipy.sparse import coo_array

    A, G, n = A.tocsc(), G.tocsc(), A.shape[0]
    if not G.shape[0]:
        return A
    soft = (np.flatnonzero(flexibility) if flexibility is not None else np.zeros(0)).astype(A.indices.dtype)
    yielding = -flexibility[soft] if flexibility is not None else np.zeros(0)
    own, border, held = column_of(A), column_of(G), n + G.indices  # 32-bit indices, as SuperLU takes them
    rows = np.concatenate((A.indices, held, border, n + soft))
    columns = np.concatenate((own, border, held, n + soft))
    values = np.concatenate((A.data, G.data, G.data, yielding))
    return coo_array((values, (rows, columns)), shape=(n + G.shape[0],) * 2).tocsc()


def absolute(matrix: Any) -> Any:
    """|A| of a sparse matrix (CSC), entry by entry; where the entries are is shared with it."""
    from scipy.sparse import csc_array

    matrix = matrix.tocsc()
    return csc_array((np.abs(matrix.data), matrix.indices, matrix.indptr), shape=matrix.shape)


def column_of(matrix: Any) -> np.ndarray:
    """The column of each entry of a CSC matrix."""
    return np.repeat(np.arange(matrix.shape[1], dtype=matrix.indices.dtype), np.diff(matrix.indptr))


def scaled_saddle(A: Any, G: Any, unit: np.ndarray) -> tuple[Any, Any]:
    """D A D and rows of G D brought to the largest entry of it, D = diag(unit); CSC."""
    A, G = scaled(A, unit, unit), scaled(G, np.ones(G.shape[0]), unit)
    size = np.sqrt(np.bincount(G.indices, G.data.real**2 + G.data.imag**2, minlength=G.shape[0]))
    top = float(np.abs(A.data).max(initial=0.0)) or 1.0
    return A, scaled(G, top / size, np.ones(G.shape[1]))


def scaled(matrix: Any, rows: np.ndarray, columns: np.ndarray) -> Any:
    """diag(rows) times a sparse matrix times diag(columns); CSC."""
    out = matrix.tocsc(copy=True)
    out.data = out.data * rows[out.indices] * np.repeat(columns, np.diff(out.indptr))
    return out


def matrix(parts: Sequence[Part], shape: tuple[int, int], is_sparse: bool) -> Any:
    """Assemble as a dense array or a sparse CSC array."""
    return sparse(parts, shape) if is_sparse else dense(parts, shape)


def factor(square: Any) -> Factor:
    """Factorize a dense array or a sparse array."""
    if isinstance(square, np.ndarray):
        if square.ndim == 2:
            return DenseFactor(square)
        is_step = np.iscomplexobj(square) and bool(np.all(square.real == square[:1].real))
        return StepFactor(square) if is_step else BatchFactor(square)
    return SparseFactor(square)


def joined(*parts: np.ndarray) -> np.ndarray:
    """Vectors (..., m), (..., n) and so on one after the other; batch axes are broadcast."""
    lead = np.broadcast_shapes(*(x.shape[:-1] for x in parts))
    return np.concatenate([np.broadcast_to(x, (*lead, x.shape[-1])) for x in parts], axis=-1)


def solve_vector(square: Factor, rhs: np.ndarray, transposed: bool = False) -> np.ndarray:
    """x of A x = rhs (or A^T x = rhs) for right sides (..., n)."""
    solve = square.solve_transposed if transposed else square.solve
    return solve(rhs) if rhs.ndim == 1 and not isinstance(square, Batched) else _columns(solve, rhs, square)


def _columns(solve: Callable[[np.ndarray], np.ndarray], rhs: np.ndarray, square: Factor) -> np.ndarray:
    if isinstance(square, Batched):
        return solve(rhs[..., None])[..., 0]
    return solve(np.ascontiguousarray(rhs.reshape(-1, rhs.shape[-1]).T)).T.reshape(rhs.shape)


def times(matrix: Any, vector: np.ndarray) -> np.ndarray:
    """A x for vectors (..., n)."""
    return matrix @ vector if vector.ndim == 1 and matrix.ndim == 2 else (matrix @ vector[..., None])[..., 0]


def rows_of(matrix: Any, index: np.ndarray) -> Any:
    """Chosen rows of a dense (..., m, n) or sparse matrix."""
    return matrix[..., index, :] if isinstance(matrix, np.ndarray) else matrix[index]


def beside(parts: Sequence[np.ndarray]) -> np.ndarray:
    """Dense matrices (..., m, k) side by side; batch axes are broadcast."""
    return np.concatenate(_same_lead(parts), axis=-1)


def _same_lead(parts: Sequence[np.ndarray]) -> Sequence[np.ndarray]:
    if all(part.ndim == 2 for part in parts):
        return parts
    lead = np.broadcast_shapes(*(part.shape[:-2] for part in parts))
    return [np.broadcast_to(part, (*lead, *part.shape[-2:])) for part in parts]


def stack(parts: Sequence[Any]) -> Any:
    """Stack matrices of the same kind on top of each other."""
    if all(isinstance(part, np.ndarray) for part in parts):
        return np.concatenate(_same_lead(parts), axis=-2)
    from scipy.sparse import vstack

    return vstack(parts, format="csc")


def columns_at_a_time(count: int, length: int) -> list[slice]:
    """Slices of `count` columns of some length: as many as are worked on at once."""
    return blocks(count, max(1, TOGETHER // max(length, 1)))


def blocks(count: int, width: int) -> list[slice]:
    """Slices of `width`, the last one shorter, that make up `count`: what is worked on at a time fits the cache."""
    return [slice(first, min(first + width, count)) for first in range(0, count, width)]
