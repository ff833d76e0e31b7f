"""Dense eigenvalues of M q'' + C q' + K q = 0 and of x' = A x, with zeros recognized by structure.

1. Scale: coordinates by the diagonal of M, softest first, so that Cholesky keeps slow and fast motions apart.
2. K symmetric: its null space within the noise of the entries is exact structure, and the symmetric problem of the rest
   is solved in its own subspace (C = 0, or damping that couples no modes); Hermitian for a conservative gyroscopic
   system: these give real parts that are exactly zero.
3. Else the general problem of `stability.judged_modes`: plain eigenvalues with error bounds, those next to zero judged
   together.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

import numpy as np

from eigenbody.base.errors import ComputationError
from eigenbody.numerics.eigen.graded import graded_error, left_vectors, mass_basis
from eigenbody.numerics.eigen.gyroscopic import gyroscopic_modes
from eigenbody.numerics.eigen.scaled import ModalBasis, Scaled, modal_bases, scaled
from eigenbody.numerics.eigen.spectra import Numbered, Spectra, SpectrumStack, ordered_spectra
from eigenbody.numerics.eigen.spectrum import Columns, Spectrum
from eigenbody.numerics.eigen.stability import Judged, judged_modes
from eigenbody.numerics.eigen.uncoupled import uncoupled_eigenvalues
from eigenbody.numerics.matrices.noise import BACKWARD, ENTRY_NOISE, EPS, equilibrate, noise_of
from eigenbody.numerics.matrices.stacks import alike, blocks_of
from eigenbody.numerics.matrices.thin import product


def spectrum_first_order(A: np.ndarray, noise: np.ndarray | None = None, recognize: bool = True) -> Spectrum:
    """Spectrum of x' = A x, A (n, n) real; `noise` (n, n) is an absolute error estimate of its entries. Without
    `recognize` the plain eigenvalues, none of them taken for zero."""
    return spectra_first_order(np.asarray(A)[None], None if noise is None else np.asarray(noise)[None], recognize)[0]


def spectra_first_order(A: np.ndarray, noise: np.ndarray | None = None, recognize: bool = True) -> Spectra:
    """The same of many systems of one order, A (g, n, n)."""
    A, given = _checked("A", A), None if noise is None else _checked("noise", noise)
    return Spectra(
        (part.start + modes.members, _first_order(modes))
        for part in blocks_of(A)
        for modes in judged_modes(
            A[part], noise_of(A[part], None if given is None else given[part]), None if recognize else 0
        )
    )


def _first_order(modes: Judged) -> SpectrumStack:
    right = np.concatenate([modes.rigid, modes.others.vectors], axis=-1)
    return _judged_spectra(modes, right / np.linalg.norm(right, axis=1, keepdims=True))


def _judged_spectra(modes: Judged, right: np.ndarray) -> SpectrumStack:
    found = modes.others
    return ordered_spectra(
        modes.weyr, found.values, right, found.on_axis, found.defective, modes.errors, modes.near_zero, found.undecided
    )


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
    noises = (None if noise is None else np.asarray(noise)[None] for noise in (noise_K, noise_C))
    return spectra_second_order(*(np.asarray(matrix)[None] for matrix in (M, C, K)), *noises)[0]


def spectra_second_order(
    M: np.ndarray,
    C: np.ndarray,
    K: np.ndarray,
    noise_K: np.ndarray | None = None,
    noise_C: np.ndarray | None = None,
) -> Spectra:
    """The same of many systems of one order, all matrices (g, n, n)."""
    M, C, K = _checked("M", M), _checked("C", C), _checked("K", K)
    if not M.shape == C.shape == K.shape:
        shapes = (array.shape[1:] for array in (M, C, K))
        raise ComputationError("M, C and K must have one shape; they are {}, {} and {}.".format(*shapes))
    noises = [None if a is None else _checked(name, a) for name, a in (("noise_K", noise_K), ("noise_C", noise_C))]
    return Spectra(
        (part.start + members, stack)
        for part in blocks_of(M)
        for members, stack in _second_order(
            scaled(M[part], C[part], K[part], *(None if a is None else a[part] for a in noises))
        )
    )


def _second_order(system: Scaled) -> Iterator[Numbered]:
    for symmetric, members in alike(system.symmetric):
        own = system.of(members)
        for some, spectra in _symmetric(own) if symmetric else _unsymmetric(own):
            yield members[some], spectra


def _symmetric(system: Scaled) -> Iterator[Numbered]:
    """Of systems with symmetric K."""
    for members, basis in modal_bases(system):
        for undamped, alone in alike(system.undamped[members]):
            own, of_own = system.of(members[alone]), basis.of(alone)
            if undamped:
                yield members[alone], _undamped(own, of_own)
            else:
                yield from ((members[alone[some]], spectra) for some, spectra in _damped(own, of_own))


# ---------------------------------------------------------------- the three problems of second order


def _undamped(system: Scaled, basis: ModalBasis) -> SpectrumStack:
    """C = 0, K symmetric: lambda^2 = -omega^2, each rigid coordinate a chain of two zeros."""
    r = basis.rigid.shape[-1]
    root = np.sqrt(np.abs(basis.stiffness))
    first = np.where(basis.stiffness > 0, 1j * root, -root)
    eigenvalues = np.stack([first, -first], axis=-1).reshape(len(first), -1)
    on_axis, none = np.repeat(basis.stiffness > 0, 2, axis=-1), np.zeros(eigenvalues.shape, bool)
    errors = partial(_errors, system, basis, np.zeros(root.shape), eigenvalues)
    right: np.ndarray | list[Columns] = _pairs_when_asked(system, basis, eigenvalues)
    if r:
        still = np.zeros_like(basis.rigid)
        moved, moving = (np.concatenate(two, axis=-1) for two in ((basis.rigid, still), (still, basis.rigid)))
        pairs = system.pairs(basis.elastic, eigenvalues, np.arange(eigenvalues.shape[1]))
        right = np.concatenate([system.rigid_states(moved, moving), pairs], axis=-1)
    near_zero = 2 * _near_zero(system, basis)
    return ordered_spectra((r, r) if r else (), eigenvalues, right, on_axis, none, errors, near_zero, none)


def _pairs_when_asked(system: Scaled, basis: ModalBasis, eigenvalues: np.ndarray) -> list[Columns]:
    each = enumerate(zip(basis.elastic, eigenvalues, strict=True))
    return [partial(system.of(k).pairs, shapes, values) for k, (shapes, values) in each]


def _near_zero(system: Scaled, basis: ModalBasis) -> np.ndarray:
    """How many omega^2 (g,) a plain symmetric algorithm cannot tell from zero: all of them are found at once, and its
    error is a few eps of the largest."""
    r, plain = basis.rigid.shape[-1], basis.stiffness
    near = np.zeros(len(plain), dtype=int)
    close = np.abs(plain).min(axis=-1, initial=np.inf) <= 1e3 * _plain_error(plain)
    members = np.arange(len(plain)) if r else np.flatnonzero(close)
    if not len(members):
        return near
    T, plain = mass_basis(system.M[members]), plain[members]
    if r:
        plain = np.linalg.eigvalsh(T.mT @ system.K @ T)
    size = np.abs(T)
    data = np.linalg.norm(size.mT @ system.noise_K[members] @ size, 2, axis=(-2, -1)) if T.size else 0.0
    near[members] = np.sum(np.abs(plain) <= (_plain_error(plain) + data)[:, None], axis=-1)
    return near


def _plain_error(values: np.ndarray) -> np.ndarray:
    return BACKWARD * EPS * np.abs(values).max(axis=-1, initial=0.0)


def _errors(system: Scaled, basis: ModalBasis, loss: np.ndarray, eigenvalues: np.ndarray) -> np.ndarray:
    """Bounds of the zeros (two each) and of both `eigenvalues` (..., 2e) of every mode, damped by `loss` (..., e)."""
    zero = _error_of_squares(system, basis.rigid)
    square = _error_of_squares(system, basis.elastic, basis.stiffness) + graded_error(basis.stiffness)
    square = np.repeat(square, 2, axis=-1)
    slope = np.abs(2 * eigenvalues + np.repeat(loss, 2, axis=-1))
    simple = square / np.where(slope > 0, slope, 1.0)
    elastic = np.minimum(np.where(slope > 0, simple, np.inf), np.sqrt(square))
    return np.concatenate([np.sqrt(zero), np.sqrt(zero), elastic], axis=-1)


def _error_of_squares(system: Scaled, shapes: np.ndarray, stiffness: np.ndarray | float = 0.0) -> np.ndarray:
    """What the noise of K and M makes of omega^2 = `stiffness` of mass-normalized shapes (..., n, m)."""
    size = np.abs(shapes)
    of_mass = ENTRY_NOISE * np.abs(stiffness) * np.sum(size * product(np.abs(system.M), size), axis=-2)
    return np.sum(size * product(system.noise_K, size), axis=-2) + of_mass


def _damped(system: Scaled, basis: ModalBasis) -> Iterator[Numbered]:
    """K symmetric, any C: damping that couples no modes, else the general problem."""
    r = basis.rigid.shape[-1]
    shapes = np.concatenate([basis.elastic, basis.rigid], axis=-1) if r else basis.elastic
    size = np.abs(shapes)
    loss, half = shapes.mT @ product(system.C, shapes), product(system.noise_C, size)
    separate, eigenvalues = np.zeros(len(loss), bool), np.zeros((0, 0), complex)
    if not r:
        separate, eigenvalues = uncoupled_eigenvalues(loss, np.sum(size * half, axis=-2), basis.stiffness)
    for uncoupled, members in alike(separate):
        own, of_own = system.of(members), basis.of(members)
        if uncoupled:
            yield members, _uncoupled(own, of_own, np.diagonal(loss[members], axis1=-2, axis2=-1), eigenvalues[members])
        else:
            parts = _coupled(own, of_own, _Damping(*(a[members] for a in (shapes, loss, half))))
            yield from ((members[some], spectra) for some, spectra in parts)


def _uncoupled(system: Scaled, basis: ModalBasis, loss: np.ndarray, eigenvalues: np.ndarray) -> SpectrumStack:
    """Modes that have two eigenvalues of their own each."""
    pairs, no = _pairs_when_asked(system, basis, eigenvalues), np.zeros(eigenvalues.shape, bool)
    errors = partial(_errors, system, basis, loss, eigenvalues)
    return ordered_spectra((), eigenvalues, pairs, no, no, errors, 2 * _near_zero(system, basis), no)


class _Damping(NamedTuple):
    """Elastic and rigid shapes (g, n, e + r), C between them and the noise of C times their sizes."""

    shapes: np.ndarray
    loss: np.ndarray
    half: np.ndarray


def _coupled(system: Scaled, basis: ModalBasis, damping: _Damping) -> Iterator[Numbered]:
    """K symmetric, any C, in the states z = [omega eta, eta', rho'] of elastic and rigid amplitudes eta (e), rho (r).

    Without the rigid amplitudes themselves, which nothing feels: the first r zeros. What remains is skew-symmetric for
    a conservative gyroscopic system.
    """
    e, r = basis.stiffness.shape[-1], basis.rigid.shape[-1]
    shapes, loss, half = damping
    size, omega = np.abs(shapes), np.sqrt(np.abs(basis.stiffness))
    A, noise = np.zeros((2, len(loss), 2 * e + r, 2 * e + r))
    i, j = np.arange(e), np.arange(e, 2 * e)
    A[:, i, j], A[:, j, i] = omega, -np.sign(basis.stiffness) * omega
    A[:, e:, e:] = -loss
    noise[:, i, j] = EPS * omega
    noise[:, e : 2 * e, :e] = size[..., :e].mT @ system.noise_K @ size[..., :e] / omega[:, None, :]
    noise[:, e:, e:] = size.mT @ half + _mixing_noise(system, basis, np.abs(loss))
    noise[:, e:] += _mass_noise(system, size) @ np.abs(A[:, e:])

    lossy = np.ones(len(A), bool)
    conservative = np.flatnonzero(system.skew & np.all(basis.stiffness > 0, axis=-1))
    if len(conservative):
        for modes in gyroscopic_modes(A[conservative], noise[conservative], r):
            members = conservative[modes.members]
            lossy[members] = False
            yield members, _in_states(system.of(members), basis.of(members), modes)
    rest = np.flatnonzero(lossy)
    if len(rest):
        # `eigh` leaves eps of the largest in every entry; the product itself no more than the noise of K
        product = basis.elastic[rest].mT @ system.K[rest] @ basis.elastic[rest]
        A[rest, e : 2 * e, :e] = -product / omega[rest][:, None, :]
        for modes in judged_modes(A[rest], noise[rest], at_most=r):
            members = rest[modes.members]
            yield members, _in_states(system.of(members), basis.of(members), modes)


def _in_states(system: Scaled, basis: ModalBasis, modes: Judged) -> SpectrumStack:
    """What was found in the states of `_coupled`, with the rigid amplitudes, in the states of the user."""
    e, r = basis.stiffness.shape[-1], basis.rigid.shape[-1]
    shapes = np.concatenate([basis.elastic, basis.rigid], axis=-1)
    omega, generalized, found = np.sqrt(np.abs(basis.stiffness)), modes.rigid, modes.others
    eigenvalues, vectors, errors = found.values, found.vectors, modes.errors()
    left, amplitudes = np.zeros((0, 0)), np.abs(vectors[:, 2 * e :]) / np.abs(eigenvalues)[:, None, :]
    if r:
        size, zeros = np.abs(shapes), generalized.shape[-1]
        dropped = np.abs(shapes.mT @ system.K @ basis.rigid) + size.mT @ system.noise_K @ np.abs(basis.rigid)
        left = np.abs(left_vectors(np.concatenate([generalized, vectors], axis=-1))[..., zeros:, e:])
        errors[:, zeros:] += _felt(left, dropped, amplitudes)
    eta = _amplitudes(omega, vectors[:, :e], vectors[:, e : 2 * e], eigenvalues)
    q = shapes @ np.concatenate([eta, vectors[:, 2 * e :] / eigenvalues[:, None, :]], axis=-2)
    slow_q = np.concatenate([basis.rigid, basis.elastic @ (generalized[:, :e] / omega[:, :, None])], axis=-1)
    slow_v = np.concatenate([np.zeros_like(basis.rigid), shapes @ generalized[:, e:]], axis=-1)
    right = np.concatenate([system.rigid_states(slow_q, slow_v), system.states(q, eigenvalues)], axis=-1)
    bounds = partial(_errors_beside_rigid, system, basis, left[..., e:], amplitudes, errors)
    near_zero = _near_zero(system, basis) + modes.near_zero
    return ordered_spectra(
        (r, *modes.weyr), eigenvalues, right, found.on_axis, found.defective, bounds, near_zero, found.undecided
    )


def _felt(left: np.ndarray, stiffness: np.ndarray, amplitudes: np.ndarray) -> np.ndarray:
    """What stiffnesses (..., k, r), taken for nothing but felt by rigid amplitudes after all, would make of eigenvalues
    that are not zero: `left` (..., m, k) and `amplitudes` (..., r, m) are the sizes of what these feel and do."""
    return np.asarray(np.sum(left.mT * (stiffness @ amplitudes), axis=-2))


def _errors_beside_rigid(
    system: Scaled, basis: ModalBasis, left: np.ndarray, amplitudes: np.ndarray, errors: np.ndarray
) -> np.ndarray:
    """Bounds of the rigid zeros (g, r), and `errors` (g, z + m) of all others with what a stiffness of rigid motion
    within its noise adds to the m that are not zero: a force that acts as damping of that size over lambda. `left` (g,
    m, r) and `amplitudes` (g, r, m) are the sizes of what these feel and do of it."""
    r = basis.rigid.shape[-1]
    if not r:
        return errors
    size = np.abs(basis.rigid)
    zero, noise = np.sqrt(_error_of_squares(system, basis.rigid)), size.mT @ system.noise_K @ size
    deeper = errors.shape[-1] - amplitudes.shape[-1]
    slow = np.maximum(errors[..., :deeper], zero.max(axis=-1, keepdims=True))
    return np.concatenate([zero, slow, errors[..., deeper:] + _felt(left, noise, amplitudes)], axis=-1)


def _mixing_noise(system: Scaled, basis: ModalBasis, loss: np.ndarray) -> np.ndarray:
    """Error of the damping among elastic (e) and rigid (r) amplitudes because rigid motions are known only as far as
    the noise of K lets tell them from soft ones; `loss` (g, e + r, e + r) in size."""
    e, r = basis.stiffness.shape[-1], basis.rigid.shape[-1]
    out = np.zeros(loss.shape)
    if r:
        soft = np.abs(basis.stiffness)[:, :, None]
        mix = np.abs(basis.elastic).mT @ (system.noise_K @ np.abs(basis.rigid)) / soft
        out[:, e:] += mix.mT @ loss[:, :e]
        out[:, :, e:] += loss[:, :, :e] @ mix
        out[:, e:, e:] += mix.mT @ loss[:, :e, :e] @ mix
    return out


def _mass_noise(system: Scaled, size: np.ndarray) -> np.ndarray:
    """Error of the unit mass matrix of mass-normalized shapes, given in size (g, n, m): by the rounding of M."""
    return ENTRY_NOISE * (size.mT @ np.abs(system.M) @ size)


def _unsymmetric(system: Scaled) -> Iterator[Numbered]:
    """Any K and C in the states [omega eta, eta'], q = T eta mass-normalized, omega the size of each row of K."""
    T = mass_basis(system.M)
    n, size = T.shape[-1], np.abs(T)
    K, C = T.mT @ system.K @ T, T.mT @ system.C @ T
    rows, columns = equilibrate(K)
    omega = np.sqrt(rows * columns)
    largest, fastest = (
        omega.max(axis=-1, keepdims=True, initial=0.0),
        np.abs(C).max(axis=(-2, -1), initial=0.0)[:, None],
    )
    typical = np.where(largest > 0, largest, np.where(fastest > 0, fastest, 1.0))
    omega = np.where(omega > 0, omega, typical)
    A, noise = np.zeros((2, len(T), 2 * n, 2 * n))
    i, j = np.arange(n), np.arange(n, 2 * n)
    A[:, i, j], A[:, n:, :n], A[:, n:, n:] = omega, -K / omega[:, None, :], -C
    noise[:, i, j] = EPS * omega
    noise[:, n:, :n] = size.mT @ system.noise_K @ size / omega[:, None, :]
    noise[:, n:, n:] = size.mT @ system.noise_C @ size
    noise[:, n:] += _mass_noise(system, size) @ np.abs(A[:, n:])
    for modes in judged_modes(A, noise):
        yield modes.members, _of_unsymmetric(system.of(modes.members), T[modes.members], omega[modes.members], modes)


def _of_unsymmetric(system: Scaled, T: np.ndarray, omega: np.ndarray, modes: Judged) -> SpectrumStack:
    """What was found in the states of `_unsymmetric`, in the states of the user."""
    n, eigenvalues, vectors, generalized = T.shape[-1], modes.others.values, modes.others.vectors, modes.rigid
    q = T @ _amplitudes(omega, vectors[:, :n], vectors[:, n:], eigenvalues)
    rigid = system.rigid_states(T @ (generalized[:, :n] / omega[:, :, None]), T @ generalized[:, n:])
    return _judged_spectra(modes, np.concatenate([rigid, system.states(q, eigenvalues)], axis=-1))


def _amplitudes(omega: np.ndarray, top: np.ndarray, bottom: np.ndarray, eigenvalues: np.ndarray) -> np.ndarray:
    """eta (..., n, m) from omega eta = `top` or lambda eta = `bottom`, whichever is the larger and so the more
    accurate."""
    omega, eigenvalues = omega[..., :, None], eigenvalues[..., None, :]
    return np.where(np.abs(eigenvalues) >= omega, bottom / eigenvalues, top / omega)


# ---------------------------------------------------------------- input and result


def _checked(name: str, value: np.ndarray) -> np.ndarray:
    """Square, finite, real float matrices (g, n, n), or an error that names them."""
    array = np.asarray(value)
    if np.iscomplexobj(array) or array.ndim != 3 or array.shape[1] != array.shape[2]:
        raise ComputationError(
            f"Eigenvalues need a real square matrix {name}; got {array.dtype} of shape {array.shape[1:]}."
        )
    array = array.astype(float, copy=False)
    if not np.isfinite(array).all():
        system, row, column = np.argwhere(~np.isfinite(array))[0]
        raise ComputationError(
            f"Matrix {name} has a non-finite entry ({array[system, row, column]}) in row {row}, column {column}. "
            "Check the operating point and the force laws there."
        )
    return array
