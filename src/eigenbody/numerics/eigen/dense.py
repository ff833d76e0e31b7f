"""Dense eigenvalues of M q'' + C q' + K q = 0 and of x' = A x, with zeros recognized by structure.

1. Scale: coordinates by the diagonal of M, softest first, so that Cholesky keeps slow and fast motions apart.
2. K symmetric: its null space within the noise of the entries is exact structure, and the symmetric problem of the rest
   is solved in its own subspace (C = 0, or damping that couples no modes); Hermitian for a conservative gyroscopic
   system: these give real parts that are exactly zero.
3. Else the general problem of `stability.judged_modes`: plain eigenvalues with error bounds, those next to zero judged
   together.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from eigenbody.base.errors import ComputationError
from eigenbody.numerics.eigen.graded import (
    NOT_DEFINITE,
    error_of_dropped,
    graded_eigh,
    graded_error,
    left_vectors,
    mass_basis,
    symmetric_null_space,
)
from eigenbody.numerics.eigen.spectrum import Spectrum, ordered_spectrum
from eigenbody.numerics.eigen.stability import Judged, judged_modes
from eigenbody.numerics.eigen.uncoupled import uncoupled_eigenvalues
from eigenbody.numerics.eigen.zeros import null_space
from eigenbody.numerics.matrices.noise import BACKWARD, ENTRY_NOISE, EPS, equilibrate, noise_of

SYMMETRIC = 1e-12
"""K is symmetric, and C skew, when the deviation is below this part of the equilibrated size of the entry."""
UNDAMPED = 1e-14
"""C is zero when its entries are below this part of the equilibrated sqrt(K): a damping ratio of 5e-15."""


def spectrum_first_order(A: np.ndarray, noise: np.ndarray | None = None, recognize: bool = True) -> Spectrum:
    """Spectrum of x' = A x, A (n, n) real; `noise` (n, n) is an absolute error estimate of its entries. Without
    `recognize` the plain eigenvalues, none of them taken for zero."""
    A = _checked("A", A)
    noise = noise_of(A, None if noise is None else _checked("noise", noise))
    modes = judged_modes(A, noise, None if recognize else 0)
    right = np.hstack([modes.rigid, modes.others.vectors])
    right /= np.linalg.norm(right, axis=0)
    return _judged_spectrum(modes, modes.others.values, right)


def _judged_spectrum(modes: Judged, eigenvalues: np.ndarray, right: np.ndarray) -> Spectrum:
    found = modes.others
    flags = (found.on_axis, found.defective)
    return ordered_spectrum(modes.weyr, eigenvalues, right, *flags, modes.errors, modes.near_zero, found.undecided)


def spectrum_second_order(
    M: np.ndarray,
    C: np.ndarray,
    K: np.ndarray,
    noise_K: np.ndarray | None = None,
    noise_C: np.ndarray | None = None,
) -> Spectrum:
    """Spectrum of M q'' + C q' + K q = 0 in the state [q, q'].

    M (n, n) symmetric positive definite, C and K (n, n) real; `noise_K` and `noise_C` (n, n) estimate the absolute
    error of the entries (what a sum that should cancel may leave behind), else 8 eps of the entries is assumed.
    """
    system = _scaled(M, C, K, noise_K, noise_C)
    if not system.symmetric:
        return _unsymmetric(system)
    basis = _modal_basis(system)
    return _undamped(system, basis) if system.undamped else _damped(system, basis)


# ---------------------------------------------------------------- second order: scaling and the modal basis


@dataclass(frozen=True, slots=True, eq=False)
class _Scaled:
    """The system in coordinates of unit mass, softest first: user coordinates q[order] = unit * q_scaled."""

    M: np.ndarray
    C: np.ndarray
    K: np.ndarray
    noise_C: np.ndarray
    noise_K: np.ndarray
    order: np.ndarray
    unit: np.ndarray
    symmetric: bool
    undamped: bool

    @property
    def skew(self) -> bool:
        """Whether C is skew: nothing is lost."""
        gyroscopic, _ = equilibrate(np.abs(self.C) + np.abs(self.C.T))
        return bool(np.all(np.abs(self.C + self.C.T) <= SYMMETRIC * np.outer(gyroscopic, gyroscopic)))

    def rigid_states(self, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """User states (2n, m) complex from scaled coordinates and rates (n, m) of the zero eigenvalue."""
        mass = np.sqrt(np.sum(q.conj() * (self.M @ q) + v.conj() * (self.M @ v), axis=0).real)
        return self._user(q / mass, v / mass)

    def states(self, q: np.ndarray, eigenvalues: np.ndarray) -> np.ndarray:
        """User states [q, lambda q] (2n, m) complex of unit modal mass from scaled coordinates (n, m)."""
        q = q / np.sqrt(np.sum(q.conj() * (self.M @ q), axis=0).real)
        return self._user(q, q * eigenvalues)

    def pairs(self, q: np.ndarray, eigenvalues: np.ndarray, chosen: np.ndarray) -> np.ndarray:
        """The chosen ones of these (2n, 2m) for real modes (n, m) that have two eigenvalues each, adjacent."""
        q = q[:, chosen // 2]
        q = q / np.sqrt(np.sum(q * (self.M @ q), axis=0))
        return self._user(q, q * eigenvalues[chosen])

    def _user(self, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        n = len(self.unit)
        x = np.empty((2 * n, q.shape[1]), complex)
        x[self.order], x[n + self.order] = q * self.unit[:, None], v * self.unit[:, None]
        return x


def _scaled(
    M: np.ndarray, C: np.ndarray, K: np.ndarray, noise_K: np.ndarray | None, noise_C: np.ndarray | None
) -> _Scaled:
    M, C, K = _checked("M", M), _checked("C", C), _checked("K", K)
    if not M.shape == C.shape == K.shape:
        raise ComputationError(f"M, C and K must have one shape; they are {M.shape}, {C.shape} and {K.shape}.")
    if np.any(np.diag(M) <= 0):
        raise ComputationError(NOT_DEFINITE)
    unit = 1.0 / np.sqrt(np.diag(M))
    weight = np.outer(unit, unit)
    M, C, K = (M + M.T) / 2 * weight, C * weight, K * weight
    noise = noise_of(K, None if noise_K is None else _checked("noise_K", noise_K) * weight)
    loss = noise_of(C, None if noise_C is None else _checked("noise_C", noise_C) * weight)
    rows, columns = equilibrate(K)
    stiff = np.sqrt(rows * columns)
    order = np.argsort(stiff, kind="stable")
    if np.any(order[1:] < order[:-1]):
        place = order[:, None] * len(order) + order
        M, C, K, noise, loss = (matrix.take(place) for matrix in (M, C, K, noise, loss))
        stiff, unit = stiff[order], unit[order]
    size = np.outer(stiff, stiff)
    symmetric = bool(np.all(np.abs(K - K.T) <= np.maximum(SYMMETRIC * size, noise + noise.T)))
    undamped = not C.any() or bool(np.all(np.abs(C) <= UNDAMPED * np.sqrt(size)))
    if symmetric:
        K, noise = (K + K.T) / 2, np.maximum(noise, noise.T)
    return _Scaled(M, C, K, loss, noise, order, unit, symmetric, undamped)


@dataclass(frozen=True, slots=True, eq=False)
class _ModalBasis:
    """Mass-normalized modes of (K, M), K symmetric: `rigid` (n, r), `elastic` (n, e), omega^2 = `stiffness` (e,)."""

    rigid: np.ndarray
    elastic: np.ndarray
    stiffness: np.ndarray


def _modal_basis(system: _Scaled) -> _ModalBasis:

    M, K, n = system.M, system.K, len(system.K)
    null, own = symmetric_null_space(K, system.noise_K)
    r = null.shape[1]
    if not r:
        stiffness, elastic = graded_eigh(K, mass_basis(M))
        return _ModalBasis(np.zeros((n, 0)), elastic, stiffness)
    # Hold r coordinates; M-orthogonality to the null space restores them. K u = 0 leaves the rest of K as it is.
    rest = np.setdiff1d(np.arange(n), own)
    null = null / np.sqrt(np.sum(null * (M @ null), axis=0))
    rigid = null @ mass_basis(null.T @ M @ null)
    share = rigid.T @ M[:, rest]
    stiffness, held = graded_eigh(K[np.ix_(rest, rest)], mass_basis(M[np.ix_(rest, rest)] - share.T @ share))
    elastic = -rigid @ (share @ held)
    elastic[rest] += held
    return _ModalBasis(rigid, elastic, stiffness)


# ---------------------------------------------------------------- second order: the three problems


def _undamped(system: _Scaled, basis: _ModalBasis) -> Spectrum:
    """C = 0, K symmetric: lambda^2 = -omega^2, each rigid coordinate a chain of two zeros."""
    r = basis.rigid.shape[1]
    root = np.sqrt(np.abs(basis.stiffness))
    first = np.where(basis.stiffness > 0, 1j * root, -root)
    eigenvalues = np.column_stack([first, -first]).ravel()
    flags = (np.repeat(basis.stiffness > 0, 2), np.zeros(len(eigenvalues), bool))
    near_zero, errors = 2 * _near_zero(system, basis), partial(_errors, system, basis, np.zeros(len(root)), eigenvalues)
    if not r:
        pairs = partial(system.pairs, basis.elastic, eigenvalues)
        return ordered_spectrum((), eigenvalues, pairs, *flags, errors, near_zero)
    still = np.zeros_like(basis.rigid)
    rigid = system.rigid_states(np.hstack([basis.rigid, still]), np.hstack([still, basis.rigid]))
    elastic = system.pairs(basis.elastic, eigenvalues, np.arange(len(eigenvalues)))
    return ordered_spectrum((r, r), eigenvalues, np.hstack([rigid, elastic]), *flags, errors, near_zero)


def _near_zero(system: _Scaled, basis: _ModalBasis) -> int:
    """How many omega^2 a plain symmetric algorithm cannot tell from zero: all of them are found at once, and its error
    is a few eps of the largest."""
    r, plain = basis.rigid.shape[1], basis.stiffness
    if not r and np.abs(plain).min(initial=np.inf) > 1e3 * _plain_error(plain):
        return 0
    T = mass_basis(system.M)
    if r:
        plain = np.linalg.eigvalsh(T.T @ system.K @ T)
    data = np.linalg.norm(np.abs(T).T @ system.noise_K @ np.abs(T), 2) if T.size else 0.0
    return int(np.sum(np.abs(plain) <= _plain_error(plain) + data))


def _plain_error(values: np.ndarray) -> float:
    return float(BACKWARD * EPS * np.abs(values).max(initial=0.0))


def _errors(system: _Scaled, basis: _ModalBasis, loss: np.ndarray, eigenvalues: np.ndarray) -> np.ndarray:
    """Bounds of the zeros (two each) and of both `eigenvalues` of every mode, damped by `loss` (e,) or not."""
    zero = _error_of_squares(system, basis.rigid)
    square = _error_of_squares(system, basis.elastic, basis.stiffness) + graded_error(basis.stiffness)
    square = np.repeat(square, 2)
    slope = np.abs(2 * eigenvalues + np.repeat(loss, 2))
    simple = square / np.where(slope > 0, slope, 1.0)
    return np.concatenate([np.tile(np.sqrt(zero), 2), np.minimum(np.where(slope > 0, simple, np.inf), np.sqrt(square))])


def _error_of_squares(system: _Scaled, shapes: np.ndarray, stiffness: np.ndarray | float = 0.0) -> np.ndarray:
    """What the noise of K and M makes of omega^2 = `stiffness` of mass-normalized shapes (n, m)."""
    size = np.abs(shapes)
    of_mass = ENTRY_NOISE * np.abs(stiffness) * np.sum(size * (np.abs(system.M) @ size), axis=0)
    return np.sum(size * (system.noise_K @ size), axis=0) + of_mass


def _damped(system: _Scaled, basis: _ModalBasis) -> Spectrum:
    """K symmetric, any C, in the states z = [omega eta, eta', rho'] of elastic and rigid amplitudes eta (e), rho (r).

    Without the rigid amplitudes themselves, which nothing feels: the first r zeros. What remains is skew-symmetric for
    a conservative gyroscopic system.
    """
    e, r = len(basis.stiffness), basis.rigid.shape[1]
    omega = np.sqrt(np.abs(basis.stiffness))
    shapes = np.hstack([basis.elastic, basis.rigid])
    size = np.abs(shapes)
    loss, half = shapes.T @ system.C @ shapes, system.noise_C @ size
    own_noise = np.sum(size * half, axis=0)
    if not r and (separate := uncoupled_eigenvalues(loss, own_noise, basis.stiffness)) is not None:
        pairs, flags = partial(system.pairs, basis.elastic, separate), (np.zeros(2 * e, bool),) * 2
        bounds = partial(_errors, system, basis, np.diagonal(loss), separate)
        return ordered_spectrum((), separate, pairs, *flags, bounds, 2 * _near_zero(system, basis))
    A, noise = np.zeros((2 * e + r, 2 * e + r)), np.zeros((2 * e + r, 2 * e + r))
    A[:e, e : 2 * e], A[e : 2 * e, :e] = np.diag(omega), np.diag(-np.sign(basis.stiffness) * omega)
    A[e:, e:] = -loss
    noise[:e, e : 2 * e] = EPS * np.diag(omega)
    noise[e : 2 * e, :e] = size[:, :e].T @ system.noise_K @ size[:, :e] / omega
    noise[e:, e:] = size.T @ half + _mixing_noise(system, basis, np.abs(loss))
    noise[e:] += _mass_noise(system, size) @ np.abs(A[e:])

    conservative = system.skew and bool(np.all(basis.stiffness > 0))
    found = _gyroscopic(A, noise, r) if conservative else None
    if found is None:
        # `eigh` leaves eps of the largest in every entry; the product itself no more than the noise of K
        A[e : 2 * e, :e] = -(basis.elastic.T @ system.K @ basis.elastic) / omega
        modes = judged_modes(A, noise, at_most=r)
        eigenvalues, vectors, on_axis, defective, undecided, _ = modes.others
        generalized, deeper, rest, deeper_zeros = modes.rigid, modes.weyr, modes.errors(), modes.near_zero
    else:
        eigenvalues, vectors, generalized = found
        on_axis, defective = np.ones(len(eigenvalues), bool), np.zeros(len(eigenvalues), bool)
        deeper, deeper_zeros, undecided = (
            (generalized.shape[1],),
            generalized.shape[1],
            np.zeros(len(eigenvalues), bool),
        )
        size = np.abs(vectors)  # unit vectors of a normal matrix
        bounds = np.sum(size * (noise @ size), axis=0) + BACKWARD * EPS * np.abs(eigenvalues).max(initial=0.0)
        rest = np.concatenate([np.full(deeper_zeros, np.linalg.norm(noise)), bounds])

    if r:
        dropped = np.abs(shapes.T @ system.K @ basis.rigid) + np.abs(shapes).T @ system.noise_K @ np.abs(basis.rigid)
        rest = rest + error_of_dropped(dropped, np.hstack([generalized, vectors]), eigenvalues)
    eta = _amplitudes(omega, vectors[:e], vectors[e : 2 * e], eigenvalues)
    q = shapes @ np.vstack([eta, vectors[2 * e :] / eigenvalues])
    rigid_q = np.hstack([basis.rigid, basis.elastic @ (generalized[:e] / omega[:, None])])
    rigid_v = np.hstack([np.zeros_like(basis.rigid), shapes @ generalized[e:]])
    right = np.hstack([system.rigid_states(rigid_q, rigid_v), system.states(q, eigenvalues)])
    errors = partial(_errors_beside_rigid, system, basis, np.hstack([generalized, vectors]), eigenvalues, rest)
    near_zero = _near_zero(system, basis) + deeper_zeros
    return ordered_spectrum((r, *deeper), eigenvalues, right, on_axis, defective, errors, near_zero, undecided)


def _errors_beside_rigid(
    system: _Scaled, basis: _ModalBasis, states: np.ndarray, eigenvalues: np.ndarray, errors: np.ndarray
) -> np.ndarray:
    """Bounds of the rigid zeros (r,), and `errors` (m,) of all others, whose vectors are `states` (m, m), with what a
    stiffness of rigid motion within its noise adds to them: a force that acts as damping of that size over lambda."""
    r = basis.rigid.shape[1]
    if not r:
        return errors
    size = np.abs(basis.rigid)
    zero, noise = np.sqrt(_error_of_squares(system, basis.rigid)), size.T @ system.noise_K @ size
    deeper = len(states) - len(eigenvalues)
    left = np.abs(left_vectors(states)[deeper:, -r:])
    moved = np.sum(left.T * (noise @ np.abs(states[-r:, deeper:])), axis=0) / np.abs(eigenvalues)
    return np.concatenate([zero, np.maximum(errors[:deeper], zero.max()), errors[deeper:] + moved])


def _mixing_noise(system: _Scaled, basis: _ModalBasis, loss: np.ndarray) -> np.ndarray:
    """Error of the damping among elastic (e) and rigid (r) amplitudes because rigid motions are known only as far as
    the noise of K lets tell them from soft ones; `loss` (e + r, e + r) in size."""
    e, r = len(basis.stiffness), basis.rigid.shape[1]
    out = np.zeros((e + r, e + r))
    if r:
        mix = np.abs(basis.elastic).T @ (system.noise_K @ np.abs(basis.rigid)) / np.abs(basis.stiffness)[:, None]
        out[e:] += mix.T @ loss[:e]
        out[:, e:] += loss[:, :e] @ mix
        out[e:, e:] += mix.T @ loss[:e, :e] @ mix
    return out


def _mass_noise(system: _Scaled, size: np.ndarray) -> np.ndarray:
    """Error of the unit mass matrix of mass-normalized shapes, given in size (n, m): by the rounding of M."""
    return ENTRY_NOISE * (size.T @ np.abs(system.M) @ size)


def _gyroscopic(A: np.ndarray, noise: np.ndarray, r: int) -> tuple[np.ndarray, np.ndarray, np.ndarray] | None:
    """Imaginary eigenvalues (m,) of a skew A, their vectors (2e + r, m), its null space (2e + r, k); None on a tie.

    Hermitian problem i A. The null space is that of the rigid block of A; elastic states follow quasi-statically.
    """
    size, e = len(A), (len(A) - r) // 2
    A = (A - A.T) / 2
    loose = null_space(A[2 * e :, 2 * e :], noise[2 * e :, 2 * e :])
    null = np.zeros((size, loose.shape[1]))
    null[2 * e :] = loose
    null[:e] = A[e : 2 * e, 2 * e :] @ loose / np.diag(A[:e, e : 2 * e])[:, None]
    complement = np.linalg.qr(null, mode="complete")[0][:, loose.shape[1] :] if loose.size else np.eye(size)
    values, vectors = graded_eigh(1j * A, complement.astype(complex))
    upper = values < 0
    if 2 * int(upper.sum()) != len(values):
        return None
    eigenvalues, columns = -1j * values[upper], vectors[:, upper]
    pairs = np.stack([columns, columns.conj()], axis=2).reshape(size, len(values))
    return np.column_stack([eigenvalues, eigenvalues.conj()]).ravel(), pairs, null


def _unsymmetric(system: _Scaled) -> Spectrum:
    """Any K and C in the states [omega eta, eta'], q = T eta mass-normalized, omega the size of each row of K."""
    T = mass_basis(system.M)
    n, size = len(T), np.abs(T)
    K, C = T.T @ system.K @ T, T.T @ system.C @ T
    rows, columns = equilibrate(K)
    omega = np.sqrt(rows * columns)
    omega = np.where(omega > 0, omega, omega.max(initial=0.0) or np.abs(C).max(initial=0.0) or 1.0)
    A, noise = np.zeros((2 * n, 2 * n)), np.zeros((2 * n, 2 * n))
    A[:n, n:], A[n:, :n], A[n:, n:] = np.diag(omega), -K / omega, -C
    noise[:n, n:] = EPS * np.diag(omega)
    noise[n:, :n], noise[n:, n:] = size.T @ system.noise_K @ size / omega, size.T @ system.noise_C @ size
    noise[n:] += _mass_noise(system, size) @ np.abs(A[n:])

    modes = judged_modes(A, noise)
    eigenvalues, vectors, generalized = modes.others.values, modes.others.vectors, modes.rigid
    q = T @ _amplitudes(omega, vectors[:n], vectors[n:], eigenvalues)
    rigid = system.rigid_states(T @ (generalized[:n] / omega[:, None]), T @ generalized[n:])
    return _judged_spectrum(modes, eigenvalues, np.hstack([rigid, system.states(q, eigenvalues)]))


def _amplitudes(omega: np.ndarray, top: np.ndarray, bottom: np.ndarray, eigenvalues: np.ndarray) -> np.ndarray:
    """eta (n, m) from omega eta = `top` or lambda eta = `bottom`, whichever is the larger and so the more accurate."""
    fast = np.abs(eigenvalues) >= omega[:, None]
    return np.where(fast, bottom / eigenvalues, top / omega[:, None])


# ---------------------------------------------------------------- input and result


def _checked(name: str, value: np.ndarray) -> np.ndarray:
    """A square, finite, real float matrix, or an error that names it."""
    array = np.asarray(value)
    if np.iscomplexobj(array) or array.ndim != 2 or array.shape[0] != array.shape[1]:
        raise ComputationError(
            f"Eigenvalues need a real square matrix {name}; got {array.dtype} of shape {array.shape}."
        )
    array = array.astype(float)
    if not np.isfinite(array).all():
        row, column = np.argwhere(~np.isfinite(array))[0]
        raise ComputationError(
            f"Matrix {name} has a non-finite entry ({array[row, column]}) in row {row}, column {column}. "
            "Check the operating point and the force laws there."
        )
    return array
