"""A few eigenvalues of large damped, unsymmetric or moving systems by shift-invert, without any dense matrix of their
order (symmetric ones: `sparse_symmetric`).

damped or unsymmetric (l^2 M + l C + K) x + G^T y = 0, G x = 0     z = [x, l x, y]
descriptor            l E z = A z

Arnoldi iteration finds the right and the left subspace of the eigenvalues next to the shift. The block of the pencil on
them is formed anew from the matrices, so that errors of the subspaces enter it in second order alone and the noise of
the matrices entry by entry, seen through both; what is zero, on the axis or undecided is judged on that block as in a
small system (`stability`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np

from eigenbody.base.errors import ComputationError
from eigenbody.numerics.eigen.dense import spectrum_first_order
from eigenbody.numerics.eigen.spectrum import Spectrum, conjugate_representatives
from eigenbody.numerics.matrices.linear import REGULAR, SparseFactor, refined

HINT = (
    "Ask for fewer modes (--n) or nearer to a frequency (--near). Where stiffnesses or lengths are so far apart that"
    " double precision cannot tell the slowest modes from rigid motion, model the stiff parts as rigid."
)
APART = 1e-6  # relative distance between eigenvalues that part those looked at from the others
ALIKE = 1e-5  # relative difference between what the right and the left iteration find
MORE = (0, 8, 24)  # further eigenvalues that are asked for where those found cannot be parted from the others
REFINED = 2  # inverse iterations with what Arnoldi iteration found
NOTHING = 1e-6  # s; a displacement beside a rate that may be rounding: of faster modes the rates have the same shape
RANK = 1e-10  # singular value, of the largest, of vectors that are not independent


@dataclass(frozen=True, eq=False)
class SparseModes:
    """Some eigenvalues (k,), one of each conjugate pair and each zero, with motions (n, k), relative residuals (k,) of
    those that are not zero, what is known of them (flags (k,), see `Spectrum`), and error bounds (k,).

    near_zero  how many zeros a second way counts, None where there is none
    complete   whether an inertia count confirms that none was missed, None where it was not possible
    block      the pencil on their subspaces, None where they are those of a symmetric pencil
    """

    eigenvalues: np.ndarray
    vectors: np.ndarray
    residuals: np.ndarray
    is_zero: np.ndarray
    defective: np.ndarray
    on_axis: np.ndarray
    undecided: np.ndarray
    bounds: np.ndarray
    near_zero: int | None = None
    complete: bool | None = None
    block: Block | None = None


def judged_entries(
    spectrum: Spectrum, entries: np.ndarray, vectors: np.ndarray, residuals: np.ndarray, near_zero: int | None
) -> SparseModes:
    """The `entries` of a spectrum with their motions and residuals."""
    zero = spectrum.is_rigid[entries]
    return SparseModes(
        spectrum.eigenvalues[entries],
        vectors,
        np.where(zero, 0.0, residuals),  # vectors of a zero may be generalized ones
        zero,
        spectrum.defective[entries],
        spectrum.on_axis[entries],
        spectrum.undecided[entries],
        spectrum.bounds[entries],
        near_zero,
    )


class Pencil(Protocol):
    """l E z = A z, real. E is regular on the first `states` unknowns and zero beyond; `order` counts its finite
    eigenvalues, `units` (states,) is what counts as one in right and in left vectors, `aside` a rate at which to look
    for a regular shift. Bases W, Z (unknowns, k) are of left and right vectors."""

    states: int
    order: int
    units: tuple[np.ndarray, np.ndarray]
    aside: float

    def at(self, shift: complex) -> Shifted | None:
        """A - shift E factorized, None where it is singular."""

    def products(self, W: np.ndarray, Z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """W^T E Z and W^T A Z."""

    def errors(self, W: np.ndarray, Z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Their errors, by the noise of the entries of E and A."""

    def mirrored(self, Z: np.ndarray) -> np.ndarray | None:
        """The left basis that belongs to a right one where the pencil is symmetric, else None."""

    def motion(self, Z: np.ndarray) -> np.ndarray:
        """Displacements; rates where nothing is displaced."""


class Shifted(Protocol):
    """A pencil factorized at a shift s."""

    def right(self, z: np.ndarray) -> np.ndarray:
        """(A - s E)^-1 E z for z (states, k), all unknowns."""

    def left(self, w: np.ndarray) -> np.ndarray:
        """(A - s E)^-T E^T w likewise."""

    def residuals(self, Z: np.ndarray, values: np.ndarray) -> np.ndarray:
        """What is left of l E z - A z, relative to the size of its terms."""


def is_symmetric(matrix: Any, tolerance: float = 1e-11) -> bool:
    """Whether a sparse matrix is symmetric to rounding."""
    return bool(abs(matrix - matrix.T).max() <= tolerance * abs(matrix).max()) if matrix.nnz else True


def first_regular(attempt: Callable[[complex], Any], shift: complex, aside: float) -> tuple[Any, complex]:
    """A factorization at the shift, or a little aside of it where a mode sits just there (a rigid-body motion at 0)."""
    found, tried = attempt(shift), shift
    for _ in range(10):
        if found is not None:
            return found, tried
        tried = shift + aside
        found, aside = attempt(tried), 10 * aside
    raise ComputationError("No regular shift was found; ask for modes nearer to another frequency (--near).")


def condensed(A: Any, n: int) -> tuple[np.ndarray, np.ndarray]:
    """For E z' = A z with E the identity on the first n unknowns and zero elsewhere: the (n, n) matrix of the first n
    and the (rest, n) matrix that gives the other unknowns."""
    lift = _lifted(A, np.eye(n))
    return A[:n, :n].toarray() + A[:n, n:] @ lift, lift


def condensed_times(A: Any, states: np.ndarray) -> np.ndarray:
    """That matrix times states (n, k)."""
    n = len(states)
    return A[:n, :n] @ states + A[:n, n:] @ _lifted(A, states)


def _lifted(A: Any, states: np.ndarray) -> np.ndarray:
    """The other unknowns of states (n, k); refined: zero eigenvalues are told from the rounding of the entries."""
    n, A = len(states), A.tocsc()
    rest = A[n:, n:].tocsc()
    return refined(SparseFactor(rest), rest, np.asfortranarray(-(A[n:, :n] @ states)), steps=2)


# ---------------------------------------------------------------- the subspaces next to a shift


def modes_next_to(pencil: Pencil, n: int, near: float | None = None) -> SparseModes:
    """At least `n` entries nearest to zero (or to i `near`), where there are as many."""
    wanted: complex = 0.0 if near is None else 1j * near
    shifted, shift = first_regular(pencil.at, wanted, pencil.aside)
    Z, W = _subspaces(pencil, shifted, shift, n)
    own = _own_states(Z, pencil.units[0])
    block = _block(pencil, W, Z, own)
    for _ in range(REFINED):
        before, block = block, _iterated_block(pencil, shifted, shift, block, own)
    spectrum = spectrum_first_order(block.matrix, block.error + np.abs(block.matrix - before.matrix))
    entries = conjugate_representatives(spectrum)
    found, values = block.Z @ spectrum.columns(entries), spectrum.eigenvalues[entries]
    residuals = shifted.residuals(found, values)
    judged = judged_entries(spectrum, entries, pencil.motion(found), residuals, spectrum.near_zero)
    return replace(judged, block=block)


def _subspaces(pencil: Pencil, shifted: Shifted, shift: complex, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Real bases (unknowns, k) of the right and the left vectors of the eigenvalues nearest to the shift, at least `n`
    entries and parted from all others."""
    is_mirrored = pencil.mirrored(np.zeros((pencil.states, 0))) is not None
    for more in MORE:
        count = max(1, min(2 * n + 4 + more, pencil.order - 2))
        values, right = _arnoldi(shifted.right, pencil.units[0], shift, count)
        others, left = (values, right) if is_mirrored else _arnoldi(shifted.left, pencil.units[1], shift, count)
        m = _parted(np.abs(values - shift), np.abs(others - shift))
        if m and (np.count_nonzero(values[:m].imag >= 0) >= n or count == pencil.order - 2):
            break
    if not m:
        raise ComputationError(f"Left and right vectors of the modes next to the shift do not agree. {HINT}")
    Z = _iterated(shifted.right, _real_basis(right[:, :m], pencil.units[0], shift), pencil.units[0])
    if (mirrored := pencil.mirrored(Z)) is not None:
        return Z, mirrored
    W = _iterated(shifted.left, _real_basis(left[:, :m], pencil.units[1], shift), pencil.units[1])
    if Z.shape[1] != W.shape[1]:
        raise ComputationError(f"Left and right vectors of the modes next to the shift do not agree. {HINT}")
    return Z, W


def _arnoldi(
    solve: Callable[[np.ndarray], np.ndarray], unit: np.ndarray, shift: complex, count: int
) -> tuple[np.ndarray, np.ndarray]:
    """Eigenvalues by their distance from the shift, and vectors (states, count)."""
    from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigs

    n, dtype = len(unit), complex if np.iscomplexobj(shift) else float

    def invert(x: np.ndarray) -> np.ndarray:
        return solve((unit * x.ravel())[:, None])[:n, 0] / unit

    start = invert(invert(np.random.default_rng(5).normal(size=n).astype(dtype)))
    operator = LinearOperator((n, n), matvec=invert, dtype=np.dtype(dtype))
    try:
        inverse, vectors = eigs(
            operator, k=count, v0=start, ncv=min(n, count + max(count // 2, 20)), maxiter=40, tol=1e-12, which="LM"
        )
    except ArpackNoConvergence as error:
        raise ComputationError(f"{len(error.eigenvalues)} of {count} modes converged. {HINT}") from error
    values = shift + 1 / inverse
    order = np.argsort(np.abs(values - shift), kind="stable")
    return values[order], vectors[:, order] * unit[:, None]


def _parted(right: np.ndarray, left: np.ndarray) -> int:
    """How many of the sorted distances (k,) both sides have in common and that are clear of the next one."""
    for m in range(len(right) - 1, 0, -1):
        clear = all(d[m] - d[m - 1] > APART * d[m - 1] for d in (right, left))
        if clear and np.all(np.abs(right[:m] - left[:m]) <= ALIKE * right[m - 1]):
            return m
    return 0


def _real_basis(vectors: np.ndarray, unit: np.ndarray, shift: complex) -> np.ndarray:
    """Real columns (states, k), orthonormal in the units of the states, that span vectors and their conjugates; as many
    as there are vectors where these come with their conjugates."""
    scaled = vectors / unit[:, None]
    scaled = scaled / np.maximum(np.linalg.norm(scaled, axis=0), 1e-300)
    left, strength, _ = np.linalg.svd(np.hstack((scaled.real, scaled.imag)), full_matrices=False)
    k = int(np.sum(strength > RANK * strength[0])) if np.iscomplexobj(shift) else vectors.shape[1]
    return left[:, :k] * unit[:, None]


def _iterated(solve: Callable[[np.ndarray], np.ndarray], basis: np.ndarray, unit: np.ndarray) -> np.ndarray:
    """All unknowns of a real basis (states, k) after an inverse iteration at a real or complex shift."""
    n, k = len(unit), basis.shape[1]
    basis = solve(basis)
    if np.iscomplexobj(basis):
        basis = np.hstack((basis.real, basis.imag))
        _, _, turn = np.linalg.svd(basis[:n] / unit[:, None], full_matrices=False)
        basis = basis @ turn[:k].T
    return basis


def _own_states(Z: np.ndarray, unit: np.ndarray) -> np.ndarray:
    """States (k,) that tell the columns of a basis apart."""
    from scipy.linalg import qr

    left, _, _ = np.linalg.svd(Z[: len(unit)] / unit[:, None], full_matrices=False)
    return np.sort(qr(left.T, mode="r", pivoting=True, check_finite=False)[1][: Z.shape[1]])


@dataclass(frozen=True, eq=False)
class Block:
    """The matrix (k, k) of the pencil on two subspaces, in states of its own, and its error; W^T E Z = 1."""

    matrix: np.ndarray
    error: np.ndarray
    W: np.ndarray
    Z: np.ndarray


def _block(pencil: Pencil, W: np.ndarray, Z: np.ndarray, own: np.ndarray) -> Block:
    Z = Z @ np.linalg.inv(Z[own])
    mass, matrix = pencil.products(W, Z)
    W = W @ np.linalg.inv(mass).T
    matrix = np.linalg.solve(mass, matrix)
    of_mass, of_matrix = pencil.errors(W, Z)
    return Block(matrix, of_matrix + of_mass @ np.abs(matrix), W, Z)


def _iterated_block(pencil: Pencil, shifted: Shifted, shift: complex, block: Block, own: np.ndarray) -> Block:
    """The block after an inverse iteration."""
    states, unit = pencil.states, pencil.units[0][own]
    even = block.matrix * unit / unit[:, None]
    right = block.Z[:states] @ (_nested(even, shift) * unit[:, None])
    Z = _iterated(shifted.right, right, pencil.units[0])
    if (W := pencil.mirrored(Z)) is None:
        left = block.W[:states] @ (_nested(even.T, shift) / unit[:, None])
        W = _iterated(shifted.left, left, pencil.units[1])
    return _block(pencil, W, Z, own)


def _nested(matrix: np.ndarray, shift: complex) -> np.ndarray:
    """Orthonormal columns, each in the span of eigenvectors no nearer to the shift than its own: an inverse iteration
    leaves no rounding of the fast growing ones in the others."""
    values, vectors = np.linalg.eig(matrix)
    columns = np.where(values.imag < 0, vectors.imag, vectors.real)
    return np.linalg.qr(columns[:, np.argsort(-np.abs(values - shift), kind="stable")])[0]


# ---------------------------------------------------------------- the descriptor form


class DescriptorPencil:
    """l E z = A z with E the identity on the first `states` unknowns; `noise` bounds the entries of A, `motion` is
    where displacements stand in z, as many rates behind them; `rate` is a typical one (rad/s)."""

    def __init__(self, E: Any, A: Any, states: int, noise: Any, motion: slice, rate: float) -> None:
        self.states = self.order = states
        self.units, self.aside = (np.ones(states), np.ones(states)), 1e-5 * rate
        self.E, self.A, self._noise, self._motion = E, A.tocsc(), noise, motion

    def at(self, shift: complex) -> _ShiftedDescriptor | None:
        matrix = (self.A - shift * self.E).tocsc() if shift else self.A
        try:
            factor = SparseFactor(matrix)
        except ComputationError:
            return None
        probe = np.random.default_rng(3).normal(size=matrix.shape[0]).astype(matrix.dtype)
        answer = refined(factor, matrix, probe)
        miss = np.abs(probe - matrix @ answer).max() if np.isfinite(answer).all() else np.inf
        return _ShiftedDescriptor(self, matrix, factor) if miss < REGULAR * np.abs(probe).max() else None

    def products(self, W: np.ndarray, Z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return W[: self.states].T @ Z[: self.states], W.T @ (self.A @ Z)

    def errors(self, W: np.ndarray, Z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return np.zeros((W.shape[1], Z.shape[1])), np.abs(W).T @ (self._noise @ np.abs(Z))

    def mirrored(self, Z: np.ndarray) -> np.ndarray | None:
        return None

    def motion(self, Z: np.ndarray) -> np.ndarray:
        count = self._motion.stop - self._motion.start
        return displacements(Z[self._motion], Z[self._motion.stop : self._motion.stop + count])


def displacements(moved: np.ndarray, rates: np.ndarray) -> np.ndarray:
    """Displacements (n, k), or rates where a column has none beyond rounding."""
    most, fastest = (np.abs(part).max(axis=0, initial=0.0) for part in (moved, rates))
    return np.where(most > NOTHING * fastest, moved, rates)


@dataclass(frozen=True)
class _ShiftedDescriptor:
    pencil: DescriptorPencil
    matrix: Any
    factor: SparseFactor

    def right(self, z: np.ndarray) -> np.ndarray:
        return refined(self.factor, self.matrix, self._padded(z))

    def left(self, w: np.ndarray) -> np.ndarray:
        return refined(self.factor, self.matrix, self._padded(w), transposed=True)

    def _padded(self, z: np.ndarray) -> np.ndarray:
        out = np.zeros((self.matrix.shape[0], z.shape[1]), dtype=np.result_type(z, self.matrix.dtype), order="F")
        out[: self.pencil.states] = z
        return out

    def residuals(self, Z: np.ndarray, values: np.ndarray) -> np.ndarray:
        A, n = self.pencil.A, self.pencil.states
        rest = A @ Z - (self.pencil.E @ Z) * values
        size = np.abs(A @ Z).max(axis=0) + np.abs(values) * np.abs(Z[:n]).max(axis=0)
        return np.abs(rest).max(axis=0) / np.maximum(size, 1e-300)
