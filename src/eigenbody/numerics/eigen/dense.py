"""Dense eigenvalues of M q'' + C q' + K q = 0 and of x' = A x, with zeros recognized by structure.

1. Scale: coordinates by the diagonal of M, softest first, so that Cholesky keeps slow and fast motions apart.
2. K symmetric: its null space within the noise of the entries is exact structure, and the symmetric problem of the rest
   is solved in its own subspace (C = 0, or damping that couples no modes); Hermitian for a conservative gyroscopic
   system: these give real parts that are exactly zero.
3. Else the general problem of `stability.judged_modes`: plain eigenvalues with error bounds, those next to zero judged
   together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import NamedTuple

import numpy as np

from eigenbody.base.copies import Later
from eigenbody.base.errors import ComputationError
from eigenbody.numerics.eigen.graded import error_of_dropped, graded_error, left_vectors, mass_basis
from eigenbody.numerics.eigen.gyroscopic import StatePairs, gyroscopic_pairs
from eigenbody.numerics.eigen.scaled import ModalBasis, Scaled, modal_bases, scaled
from eigenbody.numerics.eigen.spectrum import Spectrum, ordered_spectrum
from eigenbody.numerics.eigen.stability import Judged, judged_modes
from eigenbody.numerics.eigen.uncoupled import uncoupled_eigenvalues
from eigenbody.numerics.matrices.noise import BACKWARD, ENTRY_NOISE, EPS, equilibrate, noise_of
from eigenbody.numerics.matrices.stacks import alike, blocks_of
from eigenbody.numerics.matrices.thin import product


def spectrum_first_order(A: np.ndarray, noise: np.ndarray | None = None, recognize: bool = True) -> Spectrum:
    """Spectrum of x' = A x, A (n, n) real; `noise` (n, n) is an absolute error estimate of its entries. Without
    `recognize` the plain eigenvalues, none of them taken for zero."""
    return spectra_first_order(np.asarray(A)[None], None if noise is None else np.asarray(noise)[None], recognize)[0]


def spectra_first_order(A: np.ndarray, noise: np.ndarray | None = None, recognize: bool = True) -> list[Spectrum]:
    """The same of many systems of one order, A (g, n, n)."""
    A = _checked("A", A)
    if parts := blocks_of(A):
        noises = [None if noise is None else noise[part] for part in parts]
        found = (spectra_first_order(A[part], own, recognize) for part, own in zip(parts, noises, strict=True))
        return [spectrum for some in found for spectrum in some]
    noise = noise_of(A, None if noise is None else _checked("noise", noise))
    return [_first_order(modes) for modes in judged_modes(A, noise, None if recognize else 0)]


def _first_order(modes: Judged) -> Spectrum:
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
    noises = (None if noise is None else np.asarray(noise)[None] for noise in (noise_K, noise_C))
    return spectra_second_order(*(np.asarray(matrix)[None] for matrix in (M, C, K)), *noises)[0]


def spectra_second_order(
    M: np.ndarray,
    C: np.ndarray,
    K: np.ndarray,
    noise_K: np.ndarray | None = None,
    noise_C: np.ndarray | None = None,
) -> list[Spectrum]:
    """The same of many systems of one order, all matrices (g, n, n)."""
    M, C, K = _checked("M", M), _checked("C", C), _checked("K", K)
    if not M.shape == C.shape == K.shape:
        shapes = (array.shape[1:] for array in (M, C, K))
        raise ComputationError("M, C and K must have one shape; they are {}, {} and {}.".format(*shapes))
    noises = [None if a is None else _checked(name, a) for name, a in (("noise_K", noise_K), ("noise_C", noise_C))]
    if parts := blocks_of(M):
        own_noises = [[None if a is None else a[part] for a in noises] for part in parts]
        solved = (spectra_second_order(M[p], C[p], K[p], *n) for p, n in zip(parts, own_noises, strict=True))
        return [spectrum for some in solved for spectrum in some]
    system = scaled(M, C, K, *noises)
    found: dict[int, Spectrum] = {}
    for symmetric, members in alike(system.symmetric):
        own = system.of(members)
        kinds = _symmetric(own) if symmetric else zip(range(len(members)), _unsymmetric(own), strict=True)
        found.update((int(members[k]), spectrum) for k, spectrum in kinds)
    return [found[k] for k in range(len(M))]


def _symmetric(system: Scaled) -> Iterator[tuple[int, Spectrum]]:
    """Spectra of systems with symmetric K, with their numbers."""
    for members, basis in modal_bases(system):
        for undamped, alone in alike(system.undamped[members]):
            own, of_own = system.of(members[alone]), basis.of(alone)
            solved = _undamped(own, of_own) if undamped else _damped(own, of_own)
            yield from zip(members[alone].tolist(), solved, strict=True)


# ---------------------------------------------------------------- the three problems of second order


def _undamped(system: Scaled, basis: ModalBasis) -> list[Spectrum]:
    """C = 0, K symmetric: lambda^2 = -omega^2, each rigid coordinate a chain of two zeros."""
    r = basis.rigid.shape[-1]
    root = np.sqrt(np.abs(basis.stiffness))
    first = np.where(basis.stiffness > 0, 1j * root, -root)
    eigenvalues = np.stack([first, -first], axis=-1).reshape(len(first), -1)
    on_axis, none = np.repeat(basis.stiffness > 0, 2, axis=-1), np.zeros(eigenvalues.shape[1], bool)
    near_zero, loss = 2 * _near_zero(system, basis), np.zeros(root.shape[1])
    out = []
    for k, values in enumerate(eigenvalues):
        one, shapes = system.of(k), basis.of(k)
        errors = partial(_errors, one, shapes, loss, values)
        right: np.ndarray | Callable[[np.ndarray], np.ndarray] = partial(one.pairs, shapes.elastic, values)
        if r:
            still = np.zeros_like(shapes.rigid)
            rigid = one.rigid_states(np.hstack([shapes.rigid, still]), np.hstack([still, shapes.rigid]))
            right = np.hstack([rigid, one.pairs(shapes.elastic, values, np.arange(len(values)))])
        out.append(ordered_spectrum((r, r) if r else (), values, right, on_axis[k], none, errors, int(near_zero[k])))
    return out


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
    """Bounds of the zeros (two each) and of both `eigenvalues` of every mode of one system, damped by `loss` (e,) or
    not."""
    zero = _error_of_squares(system, basis.rigid)
    square = _error_of_squares(system, basis.elastic, basis.stiffness) + graded_error(basis.stiffness)
    square = np.repeat(square, 2)
    slope = np.abs(2 * eigenvalues + np.repeat(loss, 2))
    simple = square / np.where(slope > 0, slope, 1.0)
    return np.concatenate([np.tile(np.sqrt(zero), 2), np.minimum(np.where(slope > 0, simple, np.inf), np.sqrt(square))])


def _error_of_squares(system: Scaled, shapes: np.ndarray, stiffness: np.ndarray | float = 0.0) -> np.ndarray:
    """What the noise of K and M makes of omega^2 = `stiffness` of mass-normalized shapes (..., n, m)."""
    size = np.abs(shapes)
    of_mass = ENTRY_NOISE * np.abs(stiffness) * np.sum(size * product(np.abs(system.M), size), axis=-2)
    return np.sum(size * product(system.noise_K, size), axis=-2) + of_mass


def _damped(system: Scaled, basis: ModalBasis) -> list[Spectrum]:
    """K symmetric, any C: damping that couples no modes, else the general problem."""
    r = basis.rigid.shape[-1]
    shapes = np.concatenate([basis.elastic, basis.rigid], axis=-1) if r else basis.elastic
    size = np.abs(shapes)
    loss, half = shapes.mT @ product(system.C, shapes), product(system.noise_C, size)
    own_noise = np.sum(size * half, axis=-2)
    out: dict[int, Spectrum] = {}
    if not r:
        near_zero = _near_zero(system, basis)
        for k, (own, noise, stiffness) in enumerate(zip(loss, own_noise, basis.stiffness, strict=True)):
            if (separate := uncoupled_eigenvalues(own, noise, stiffness)) is not None:
                out[k] = _uncoupled(system.of(k), basis.of(k), np.diagonal(own), separate, int(near_zero[k]))
    coupled = np.array([k for k in range(len(loss)) if k not in out], dtype=int)
    if len(coupled):
        parts = (system.of(coupled), basis.of(coupled), _Damping(*(a[coupled] for a in (shapes, loss, half))))
        out.update(zip(coupled.tolist(), _coupled(*parts), strict=True))
    return [out[k] for k in range(len(loss))]


def _uncoupled(
    system: Scaled, basis: ModalBasis, loss: np.ndarray, eigenvalues: np.ndarray, near_zero: int
) -> Spectrum:
    """One system whose modes have two eigenvalues of their own each."""
    pairs, flag = partial(system.pairs, basis.elastic, eigenvalues), np.zeros(len(eigenvalues), bool)
    return ordered_spectrum(
        (), eigenvalues, pairs, flag, flag, partial(_errors, system, basis, loss, eigenvalues), 2 * near_zero
    )


class _Damping(NamedTuple):
    """Elastic and rigid shapes (g, n, e + r), C between them and the noise of C times their sizes."""

    shapes: np.ndarray
    loss: np.ndarray
    half: np.ndarray


def _coupled(system: Scaled, basis: ModalBasis, damping: _Damping) -> list[Spectrum]:
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

    found: dict[int, StatePairs] = {}
    conservative = np.flatnonzero(system.skew & np.all(basis.stiffness > 0, axis=-1))
    if len(conservative):
        solved = gyroscopic_pairs(A[conservative], noise[conservative], r)
        found.update((int(conservative[k]), one) for k, one in solved)
    lossy = np.array([k for k in range(len(A)) if k not in found], dtype=int)
    if len(lossy):
        # `eigh` leaves eps of the largest in every entry; the product itself no more than the noise of K
        product = basis.elastic[lossy].mT @ system.K[lossy] @ basis.elastic[lossy]
        A[lossy, e : 2 * e, :e] = -product / omega[lossy][:, None, :]
        for k, modes in zip(lossy.tolist(), judged_modes(A[lossy], noise[lossy], at_most=r), strict=True):
            values, vectors, on_axis, defective, undecided, _ = modes.others
            found[k] = StatePairs(
                modes.weyr, modes.rigid, values, vectors, on_axis, defective, undecided, modes.errors(), modes.near_zero
            )
    near_zero, out = _near_zero(system, basis), dict[int, Spectrum]()
    for _, members in alike(np.array([found[k].generalized.shape[1] for k in range(len(A))])):
        own = [found[k] for k in members.tolist()]
        near = near_zero[members].tolist()
        out.update(zip(members.tolist(), _in_states(system.of(members), basis.of(members), own, near), strict=True))
    return [out[k] for k in range(len(A))]


def _in_states(system: Scaled, basis: ModalBasis, found: list[StatePairs], near_zero: list[int]) -> Iterator[Spectrum]:
    """What was found in the states of `_coupled`, with the rigid amplitudes, in the states of the user."""
    e, r = basis.stiffness.shape[-1], basis.rigid.shape[-1]
    shapes = np.concatenate([basis.elastic, basis.rigid], axis=-1)
    omega = np.sqrt(np.abs(basis.stiffness))
    generalized, eigenvalues, vectors, errors = (
        np.stack([getattr(one, name) for one in found]) for name in ("generalized", "eigenvalues", "vectors", "errors")
    )
    z = np.concatenate([generalized, vectors], axis=-1)
    if r:
        size = np.abs(shapes)
        dropped = np.abs(shapes.mT @ system.K @ basis.rigid) + size.mT @ system.noise_K @ np.abs(basis.rigid)
        errors = errors + error_of_dropped(dropped, z, eigenvalues)
    eta = _amplitudes(omega, vectors[:, :e], vectors[:, e : 2 * e], eigenvalues)
    q = shapes @ np.concatenate([eta, vectors[:, 2 * e :] / eigenvalues[:, None, :]], axis=-2)
    slow_q = np.concatenate([basis.rigid, basis.elastic @ (generalized[:, :e] / omega[:, :, None])], axis=-1)
    slow_v = np.concatenate([np.zeros_like(basis.rigid), shapes @ generalized[:, e:]], axis=-1)
    right = np.concatenate([system.rigid_states(slow_q, slow_v), system.states(q, eigenvalues)], axis=-1)
    every = Later(partial(_errors_beside_rigid, system, basis, z, eigenvalues, errors))
    for k, one in enumerate(found):
        bounds = partial(_one_of, every, k)
        yield ordered_spectrum(
            (r, *one.weyr), one.eigenvalues, right[k], one.on_axis, one.defective, bounds, near_zero[k] + one.near_zero,
            one.undecided,
        )  # fmt: skip


def _one_of(every: Callable[[], np.ndarray], k: int) -> np.ndarray:
    return np.array(every()[k])


def _errors_beside_rigid(
    system: Scaled, basis: ModalBasis, states: np.ndarray, eigenvalues: np.ndarray, errors: np.ndarray
) -> np.ndarray:
    """Bounds of the rigid zeros (g, r), and `errors` (g, m) of all others, whose vectors are `states` (g, m, m), with
    what a stiffness of rigid motion within its noise adds to them: a force that acts as damping of that size over
    lambda."""
    r = basis.rigid.shape[-1]
    if not r:
        return errors
    size = np.abs(basis.rigid)
    zero, noise = np.sqrt(_error_of_squares(system, basis.rigid)), size.mT @ system.noise_K @ size
    deeper = states.shape[-1] - eigenvalues.shape[-1]
    left = np.abs(left_vectors(states)[..., deeper:, -r:])
    moved = np.sum(left.mT * (noise @ np.abs(states[..., -r:, deeper:])), axis=-2) / np.abs(eigenvalues)
    slow = np.maximum(errors[..., :deeper], zero.max(axis=-1, keepdims=True))
    return np.concatenate([zero, slow, errors[..., deeper:] + moved], axis=-1)


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


def _unsymmetric(system: Scaled) -> list[Spectrum]:
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
    return [_of_unsymmetric(system.of(k), T[k], omega[k], modes) for k, modes in enumerate(judged_modes(A, noise))]


def _of_unsymmetric(system: Scaled, T: np.ndarray, omega: np.ndarray, modes: Judged) -> Spectrum:
    """What was found of one system, in the states of the user."""
    n, eigenvalues, vectors, generalized = len(T), modes.others.values, modes.others.vectors, modes.rigid
    q = T @ _amplitudes(omega, vectors[:n], vectors[n:], eigenvalues)
    rigid = system.rigid_states(T @ (generalized[:n] / omega[:, None]), T @ generalized[n:])
    return _judged_spectrum(modes, eigenvalues, np.hstack([rigid, system.states(q, eigenvalues)]))


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
