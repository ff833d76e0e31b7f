"""A few modes of large symmetric constrained systems: K x = omega^2 M x, or l^2 M + l C + K, on G x = 0.

Block Lanczos on [[K - s M, G^T], [G, 0]]^-1 in coordinates of unit mass, an accurate inverse iteration on the whole
subspace, Rayleigh-Ritz. An inertia count then tells whether a mode was missed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from eigenbody.base.errors import ComputationError
from eigenbody.numerics.eigen.constrained import ConstrainedPencil, Ritz, form
from eigenbody.numerics.eigen.dense import spectrum_second_order
from eigenbody.numerics.eigen.lanczos import WIDTH, largest_ritz
from eigenbody.numerics.eigen.sparse import HINT, SparseModes, displacements, first_regular, judged_entries
from eigenbody.numerics.eigen.spectrum import Spectrum, conjugate_representatives
from eigenbody.numerics.matrices.linear import KKT, absolute, columns_at_a_time

SOFT = 1e-8  # flexibility first given to the constraints for the inertia count, of the stiffness
SOFTEST = 1e8  # and the largest
STIFFER = 0.01  # factor on it as long as there are too many, and at which a count must change
TRIES = 5
SOFT_ENOUGH = (1e-8, 1e-5, 1e-2)  # flexibilities of the constraints tried; none can hide a mode
CLEAR = 0.99  # a mode must stay below what was not looked at by this factor


def undamped_modes(pencil: ConstrainedPencil, count: int, near: float | None = None) -> SparseModes:
    """The entries of the `count` smallest omega^2 (or nearest to `near`^2); `near` in rad/s."""
    shift = 0.0 if near is None else near**2
    aside = -1e-6 * pencil.typical if near is None else 1e-4 * shift
    kkt, at = first_regular(lambda s: pencil.kkt(float(np.real(s))), shift, aside)
    beside = float(np.real(at))
    ritz, complete = _lowest(pencil, kkt, beside, count, near is None)
    none = np.zeros((len(ritz.values), len(ritz.values)))
    error = pencil.strain_error(ritz)
    spectrum = spectrum_second_order(np.eye(len(none)), none, np.diag(ritz.values), error, none)
    entries = conjugate_representatives(spectrum)
    states, found = spectrum.columns(entries), spectrum.eigenvalues[entries]
    q, squares = ritz.X @ displacements(*np.split(states, 2)).real, (found**2).real
    K, M = absolute(pencil.K), absolute(pencil.M)

    def some(own: slice) -> np.ndarray:
        x, by = q[:, own], squares[own]
        size = K @ np.abs(x) + M @ np.abs(x) * np.abs(by)
        force = pencil.stiffness_times(x) + pencil.mass(x) * by
        return unbalanced(kkt, lambda free: pencil.shifted_times(beside, free), force, size)

    residuals = np.concatenate([some(own) for own in columns_at_a_time(q.shape[1], len(q))])
    zeros = _zeros_by_inertia(pencil, spectrum, complete) if near is None else None
    q *= pencil.unit[:, None]
    modes = judged_entries(spectrum, entries, q, residuals, zeros)
    return replace(modes, complete=complete)


def _zeros_by_inertia(pencil: ConstrainedPencil, spectrum: Spectrum, complete: bool | None) -> int | None:
    """How many zeros an inertia count finds: all that is below a quarter of the first omega^2 that is not zero, but not
    negative."""
    squares = np.sort(-(spectrum.eigenvalues[~spectrum.is_rigid] ** 2).real)[::2]
    if not spectrum.is_rigid.any():
        return 0 if complete else None
    if not np.any(squares > 0):
        return None
    below = 0.25 * float(squares[squares > 0].min())
    negative, known = int(np.sum(squares < 0)), int(spectrum.is_rigid.sum()) // 2
    counted, least = pencil.counted(below), None
    for soft in SOFT_ENOUGH:
        count = counted.below(soft)
        least = count if least is None else least if count is None else min(least, count)
        if least == known + negative:
            break
    return None if least is None else 2 * (least - negative)


def lightly_damped_modes(pencil: ConstrainedPencil, C: Any, count: int) -> SparseModes | None:
    """The `count` pairs nearest to zero, all matrices symmetric, from as many undamped modes, or None where these are
    not enough.

    They are when every pair satisfies the full equations (as with proportional damping) and none can have been missed:
    pairs outside lie above the undamped modes used, and overdamped real ones above 1/theta, theta the largest
    eigenvalue of C x = theta K x.
    """
    kkt = pencil.kkt(0.0)
    if kkt is None:
        return None
    extra = count + 4
    ritz, complete = _lowest(pencil, kkt, 0.0, extra, True)
    squares, X = ritz.values, ritz.X
    if len(squares) < extra or squares[0] <= 0:
        return None
    C, springs = pencil.scaled(C), pencil.springs
    loss = form(C, X) if springs is None else springs.loss(X)
    noise = pencil.strain_error(ritz), pencil.loss_error(X, C)
    spectrum = spectrum_second_order(np.eye(extra), (loss + loss.T) / 2, np.diag(squares), *noise)
    entries = conjugate_representatives(spectrum)[:count]
    values = spectrum.eigenvalues[entries]
    fastest = np.abs(values).max(initial=0.0)
    if np.any(values.imag <= 0) or fastest > CLEAR * np.sqrt(squares[-1]):
        return None
    if fastest * _largest_ratio(kkt, C, pencil.K) > CLEAR:
        return None
    y = spectrum.columns(entries)[:extra]
    q = X @ (y if np.any(y.imag) else y.real)
    del ritz, X
    residuals = _damped_residuals(pencil, kkt, C, q, values)
    if residuals.max() > 1e-7:
        return None
    q *= pencil.unit[:, None]
    modes = judged_entries(spectrum, entries, q, residuals, 0 if complete else None)
    return replace(modes, complete=complete)


def _damped_residuals(pencil: ConstrainedPencil, kkt: KKT, C: Any, q: np.ndarray, values: np.ndarray) -> np.ndarray:
    """(k,) forces that modes q (n, k) leave unbalanced, relative to the size of their summands."""
    damping = pencil.springs.damping_times if pencil.springs is not None else lambda x: C @ x
    K, M, lost = absolute(pencil.K), absolute(pencil.M), absolute(C)

    def some(own: slice) -> np.ndarray:
        x, by, moved = q[:, own], values[own], np.abs(q[:, own])
        speed = np.abs(by)
        size = K @ moved + (M @ moved) * speed**2 + (lost @ moved) * speed
        force = parted(pencil.stiffness_times, x) + pencil.mass(x) * by**2 + parted(damping, x) * by
        return unbalanced(kkt, lambda free: parted(pencil.stiffness_times, free), force, size)

    return np.concatenate([some(own) for own in columns_at_a_time(q.shape[1], 2 * len(q))])


def parted(times: Callable[[np.ndarray], np.ndarray], x: np.ndarray) -> np.ndarray:
    """A x of a real A for a complex x, too: sparse products would make a complex A."""
    return times(x.real) + 1j * times(x.imag) if np.iscomplexobj(x) else times(x)


def _lowest(pencil: ConstrainedPencil, kkt: KKT, shift: float, count: int, check: bool) -> tuple[Ritz, bool | None]:
    """The `count` omega^2 nearest to the shift of `kkt`, ascending, and whether none was missed.

    Where the inertia count finds more than the iteration did, the iteration is repeated with wider blocks.
    """
    complete: bool | None = None
    for width in (WIDTH, 4 * WIDTH):
        values, X = _polished(pencil, kkt, _iterated(pencil, kkt, count, width))
        ritz = _with_forces(pencil, kkt, shift, values, X)
        complete = _is_complete(pencil, ritz) if check else None
        if complete is not False:
            break
    return ritz, complete


def _iterated(pencil: ConstrainedPencil, kkt: KKT, count: int, width: int) -> np.ndarray:
    """Vectors (n, count) of a block Lanczos iteration."""
    n = pencil.M.shape[0]
    start = kkt.solve(pencil.mass(np.random.default_rng(5).normal(size=(n, min(width, n)))))
    try:
        return largest_ritz(kkt.solve, pencil.mass, count, start, n - pencil.G.shape[0])
    except ComputationError as error:
        raise ComputationError(f"{error} {HINT}") from error


def _polished(pencil: ConstrainedPencil, kkt: KKT, X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """An accurate inverse iteration and Rayleigh-Ritz."""
    from scipy.linalg import eigh

    X = kkt.solve_refined(pencil.mass(X))
    X /= np.sqrt(np.einsum("ij,ij->j", X, pencil.mass(X)))
    k = form(pencil.K, X) if pencil.springs is None else pencil.springs.strain(X)
    m = X.T @ pencil.mass(X)
    values, turn = eigh((k + k.T) / 2, (m + m.T) / 2)
    return values, X @ turn


def _with_forces(pencil: ConstrainedPencil, kkt: KKT, shift: float, values: np.ndarray, X: np.ndarray) -> Ritz:
    """The vectors with the forces that hold them and those that are left over, of some vectors at a time."""
    held, left, work = np.zeros(len(values)), np.zeros(len(values)), np.zeros((len(values),) * 2)
    for own in columns_at_a_time(len(values), len(X)):
        x = X[:, own]
        motion, forces = kkt.solve_both(pencil.stiffness_times(x) - pencil.mass(x) * values[own], steps=0)
        forces[: len(forces) - pencil.G.shape[0]] = 0.0  # springs are no rows
        held[own] = (forces**2).sum(axis=0)
        left[own] = np.sqrt((pencil.shifted_times(shift, motion) ** 2).sum(axis=0))
        work[own] = kkt.work_size(forces, X)
    return Ritz(shift, values, X, held, work, left)


def _is_complete(pencil: ConstrainedPencil, ritz: Ritz) -> bool | None:
    """Whether as many omega^2 lie below the widest gap among the upper half of those found as were found there.

    The count is an upper bound that falls as the constraints are made stiffer; a mode was missed where stiffening no
    longer changes it. Between too soft (too many) and too stiff (for double precision) the flexibility is bisected.
    """
    values = ritz.values
    upper = np.arange(len(values) // 2, len(values))
    if len(values) < 4 or values[upper[0] - 1] <= 0:
        return None
    split = int(upper[np.argmax(values[upper] / values[upper - 1])])
    shift = float(np.sqrt(values[split - 1] * values[split]))
    too_soft, too_stiff, before = _bearable(pencil, values[split:], ritz.held[split:], shift), 0.0, None
    counted, soft = pencil.counted(shift), min(SOFT, too_soft)
    for _ in range(TRIES):
        count = counted.below(soft)
        if count == split:
            return True
        if count is None:
            too_stiff = soft
        elif count < split:
            return None
        elif count == before and soft <= 2 * STIFFER * too_soft:
            return False
        else:
            too_soft, before = soft, count
        if too_stiff >= too_soft:
            return None  # double precision cannot tell at any flexibility that the modes bear
        soft = float(np.sqrt(too_soft * too_stiff)) if too_stiff else STIFFER * soft
    return None


def _bearable(pencil: ConstrainedPencil, values: np.ndarray, held: np.ndarray, shift: float) -> float:
    """Flexibility of the constraints at which one of the modes comes down to the shift: s lowers omega^2 by s y^T y to
    first order, `held` (k,) being y^T y of the constraint forces of the mode, and by less beyond."""
    strength = np.maximum(pencil.row_size**2 / pencil.top * held, 1e-300)
    return float(np.min((values - shift) / strength, initial=SOFTEST))


def _largest_ratio(kkt: KKT, C: Any, K: Any) -> float:
    """An upper estimate of the largest theta of C x = theta K x in the free motion: the factor itself where C is
    proportional to K, else by power iteration with a margin."""
    most = abs(C).max()
    theta = float(most / abs(K).max())
    if abs(C - theta * K).max() <= 1e-9 * most:
        return theta
    x = kkt.solve(np.random.default_rng(9).normal(size=C.shape[0]))
    theta = 0.0
    for _ in range(10):
        damped = C @ x
        size = float(x @ (K @ x))
        if size <= 0 or not damped.any():
            break
        theta = float(x @ damped) / size
        x = kkt.solve(damped)
        x /= np.abs(x).max()
    return 1.5 * theta


def unbalanced(kkt: KKT, times: Callable[[np.ndarray], np.ndarray], force: np.ndarray, size: np.ndarray) -> np.ndarray:
    """Part of the force that constraint forces cannot balance, relative to the size of its summands. `kkt` is that of
    A: with A x + G^T y = force and G x = 0 that part is A x, `times(x)`."""
    free = times(kkt.solve_refined(force, steps=0))
    length = lambda x: np.sqrt((np.abs(x) ** 2).sum(axis=0))  # noqa: E731
    return length(free) / np.maximum(length(size), 1e-300)
