"""A few modes of large symmetric constrained systems: K x = omega^2 M x, or l^2 M + l C + K, on G x = 0.

Block Lanczos on [[K - s M, G^T], [G, 0]]^-1 in coordinates of unit mass, an accurate inverse iteration on the whole
subspace, Rayleigh-Ritz. An inertia count then tells whether a mode was missed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from eigenbody.base.errors import ComputationError
from eigenbody.numerics.eigen.dense import spectrum_second_order
from eigenbody.numerics.eigen.inertia import InertiaCount
from eigenbody.numerics.eigen.lanczos import WIDTH, largest_ritz
from eigenbody.numerics.eigen.sparse import HINT, SparseModes, displacements, first_regular, judged_entries
from eigenbody.numerics.eigen.spectrum import Spectrum, conjugate_representatives
from eigenbody.numerics.matrices.linear import KKT, scaled, scaled_saddle
from eigenbody.numerics.matrices.noise import ENTRY_NOISE
from eigenbody.numerics.matrices.sparse_noise import SparseNoise
from eigenbody.numerics.matrices.springs import Springs

SOFT = 1e-8  # flexibility first given to the constraints for the inertia count, of the stiffness
SOFTEST = 1e8  # and the largest
STIFFER = 0.01  # factor on it as long as there are too many, and at which a count must change
TRIES = 5
SOFT_ENOUGH = (1e-8, 1e-5, 1e-2)  # flexibilities of the constraints tried; none can hide a mode
NEAR_ROUNDING = 1e-10  # omega^2, of the stiffness, below which deflections are used
CLEAR = 0.99  # a mode must stay below what was not looked at by this factor


class ConstrainedPencil:
    """K, M (sparse, symmetric) and independent rows G, in coordinates of unit mass: x = unit * x_scaled. Where motions
    are so soft that K loses their digits, the `springs` of which it is made are used by their deflections."""

    def __init__(
        self,
        K: Any,
        M: Any,
        G: Any,
        springs: Callable[[], Springs | None] = lambda: None,
        noise: SparseNoise | None = None,
    ) -> None:
        self.unit = by_mass(M)
        self.K, self.G = scaled_saddle(K, G, self.unit)
        self.M = self.scaled(M)
        self.top = float(np.abs(self.K.data).max(initial=0.0)) or 1.0
        self._given, self._noise = springs, noise
        self.springs: Springs | None = None  # scaled, once they are needed

    def scaled(self, matrix: Any) -> Any:
        return scaled(matrix, self.unit, self.unit)

    def kkt(self, shift: float) -> KKT | None:
        """[[K - shift M, G^T], [G, 0]] factorized, or None where it is singular."""
        plain = _regular(self.K - shift * self.M if shift else self.K, self.G)
        if shift or (plain is not None and not self._is_soft(plain)) or (given := self._given()) is None:
            return plain
        self.springs = given.scaled(self.unit)
        found = self._by_deflections()
        if found is None:
            self.springs = None
        return found or plain

    def _is_soft(self, kkt: KKT) -> bool:
        """Whether the lowest omega^2, after two inverse iterations, is near the rounding of K."""
        x = kkt.solve(self.mass(np.random.default_rng(4).normal(size=(self.M.shape[0], 1))))
        size = float(np.sqrt((x * self.mass(x)).sum()))
        x = kkt.solve(self.mass(x / size))
        return float(np.sqrt((x * self.mass(x)).sum())) * NEAR_ROUNDING * self.top > 1.0

    def _by_deflections(self) -> KKT | None:
        """[[K_rest, B^T, G^T], [B, -1/k, 0], [G, 0, 0]] factorized."""
        from scipy.sparse import vstack

        assert self.springs is not None
        rows, flexibility = self._spring_rows
        G = scaled(self.G, np.full(self.G.shape[0], self.row_size / self.top), np.ones(self.G.shape[1]))
        yielding = np.concatenate((flexibility, np.zeros(G.shape[0])))
        return _regular(self.springs.K_rest, vstack([rows, G], format="csc"), yielding)

    @property
    def row_size(self) -> float:
        """Length of the rows in the system that is factorized: springs then have flexibilities about one."""
        return self.top if self.springs is None else float(np.sqrt(np.median(np.abs(self._strengths))))

    @cached_property
    def _strengths(self) -> np.ndarray:
        """Stiffness of each spring beside unit mass."""
        s = self.springs
        assert s is not None
        return s.k * np.bincount(s.B.indices, s.B.data**2, minlength=len(s.k))

    @cached_property
    def _spring_rows(self) -> tuple[Any, np.ndarray]:
        s = self.springs
        assert s is not None
        factor = self.row_size * np.sqrt(np.abs(s.k / self._strengths))
        return scaled(s.B, factor, np.ones(s.B.shape[1])), self.row_size**2 / self._strengths

    def stiffness_times(self, X: np.ndarray) -> np.ndarray:
        """K X."""
        return self.K @ X if self.springs is None else self.springs.stiffness_times(X)

    def shifted_times(self, shift: float, X: np.ndarray) -> np.ndarray:
        """(K - shift M) X."""
        return self.stiffness_times(X) - shift * self.mass(X) if shift else self.stiffness_times(X)

    @cached_property
    def _is_plain(self) -> bool:
        """Whether M is the identity, as it is when all inertia tensors are diagonal."""
        diagonal = self.M.diagonal()
        return self.M.nnz == np.count_nonzero(diagonal) and bool(np.all(np.abs(diagonal - 1) < 4e-16))

    def mass(self, x: np.ndarray) -> np.ndarray:
        """M x."""
        return x if self._is_plain else self.M @ x

    @cached_property
    def typical(self) -> float:
        return typical_square(self.K, self.M)

    def strain_error(self, ritz: _Ritz) -> np.ndarray:
        """Error (k, k) of X^T K X in the free motion, by the noise of K and of the rows and because the subspace is not
        quite invariant."""
        X, moved = ritz.X, np.abs(ritz.X)
        unscaled = self.unit[:, None] * moved
        if self.springs is not None:
            out = self.springs.strain_error(X) + (0.0 if self._noise is None else self._noise.strain_of_loads(unscaled))
        elif self._noise is not None:
            out = self._noise.strain(unscaled)
        else:
            out = ENTRY_NOISE * (moved.T @ (abs(self.K) @ moved))
        work = ENTRY_NOISE * ritz.kkt.work_size(ritz.held, X)
        return out + work + work.T + np.diag(ritz.outside(self))

    def loss_error(self, X: np.ndarray, C: Any) -> np.ndarray:
        """Error (k, k) of X^T C X by the noise of C."""
        if self.springs is not None:
            return self.springs.loss_error(X)
        if self._noise is not None:
            return self._noise.loss(self.unit[:, None] * np.abs(X))
        return ENTRY_NOISE * (np.abs(X).T @ (abs(C) @ np.abs(X)))

    def counted(self, shift: float) -> InertiaCount:
        """How many omega^2 lie below the shift, by an upper bound."""
        return InertiaCount(self.K - shift * self.M, self.G, self.top)


def _regular(A: Any, G: Any, flexibility: np.ndarray | None = None) -> KKT | None:
    try:
        kkt = KKT(A, G, flexibility=flexibility)
    except ComputationError:
        return None
    return kkt if kkt.is_regular() else None


@dataclass(frozen=True, eq=False)
class _Ritz:
    """omega^2 (k,) with X^T M X = 1 (n, k), as found by `kkt` of K - shift M: what force the rows exert in each mode,
    `held` (rows, k) in units of its own, and what motion `left` (n, k) the forces left over would make."""

    kkt: KKT
    shift: float
    values: np.ndarray
    X: np.ndarray
    held: np.ndarray
    left: np.ndarray

    def outside(self, pencil: ConstrainedPencil) -> np.ndarray:
        """Error (k,) of the values because of the forces left over: to second order where the eigenvalues that were not
        found are away."""
        force = pencil.shifted_times(self.shift, self.left)
        length, distance = np.sqrt((force**2).sum(axis=0)), np.abs(self.values - self.shift)
        apart = distance.max(initial=0.0) - distance
        return length * np.minimum(1.0, length / np.where(apart > 0, apart, 1e-300))


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
    size = abs(pencil.K) @ abs(q) + abs(pencil.M) @ abs(q) * np.abs(squares)
    force = pencil.stiffness_times(q) + pencil.mass(q) * squares
    residuals = unbalanced(kkt, lambda x: pencil.shifted_times(beside, x), force, size)
    zeros = _zeros_by_inertia(pencil, spectrum, complete) if near is None else None
    modes = judged_entries(spectrum, entries, pencil.unit[:, None] * q, residuals, zeros)
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
    K, M = pencil.K, pencil.M
    kkt = pencil.kkt(0.0)
    if kkt is None:
        return None
    extra = count + 4
    ritz, complete = _lowest(pencil, kkt, 0.0, extra, True)
    squares, X = ritz.values, ritz.X
    if len(squares) < extra or squares[0] <= 0:
        return None
    C, springs = pencil.scaled(C), pencil.springs
    CX = C @ X if springs is None else springs.damping_times(X)
    loss = X.T @ CX if springs is None else springs.loss(X)
    noise = pencil.strain_error(ritz), pencil.loss_error(X, C)
    spectrum = spectrum_second_order(np.eye(extra), (loss + loss.T) / 2, np.diag(squares), *noise)
    entries = conjugate_representatives(spectrum)[:count]
    values = spectrum.eigenvalues[entries]
    fastest = np.abs(values).max(initial=0.0)
    if np.any(values.imag <= 0) or fastest > CLEAR * np.sqrt(squares[-1]):
        return None
    if fastest * _largest_ratio(kkt, C, K) > CLEAR:
        return None
    y = spectrum.columns(entries)[:extra]
    y = y if np.any(y.imag) else y.real
    q = X @ y
    force = pencil.stiffness_times(q) + pencil.mass(q) * values**2 + (CX @ y) * values
    speed, moved = np.abs(values), np.abs(q)
    size = abs(K) @ moved + (abs(M) @ moved) * speed**2 + (abs(C) @ moved) * speed
    residuals = unbalanced(kkt, pencil.stiffness_times, force, size)
    if residuals.max() > 1e-7:
        return None
    modes = judged_entries(spectrum, entries, pencil.unit[:, None] * q, residuals, 0 if complete else None)
    return replace(modes, complete=complete)


def _lowest(pencil: ConstrainedPencil, kkt: KKT, shift: float, count: int, check: bool) -> tuple[_Ritz, bool | None]:
    """The `count` omega^2 nearest to the shift of `kkt`, ascending, and whether none was missed.

    Where the inertia count finds more than the iteration did, the iteration is repeated with wider blocks.
    """
    n, free = pencil.M.shape[0], pencil.M.shape[0] - pencil.G.shape[0]
    complete: bool | None = None
    for width in (WIDTH, 4 * WIDTH):
        start = kkt.solve(pencil.mass(np.random.default_rng(5).normal(size=(n, min(width, n)))))
        try:
            X = largest_ritz(kkt.solve, pencil.mass, count, start, free)
        except ComputationError as error:
            raise ComputationError(f"{error} {HINT}") from error
        values, X = _polished(pencil, kkt, X)
        left, held = kkt.solve_both(pencil.stiffness_times(X) - pencil.mass(X) * values, steps=0)
        held[: len(held) - pencil.G.shape[0]] = 0.0  # springs are no rows
        ritz = _Ritz(kkt, shift, values, X, held, left)
        complete = _is_complete(pencil, ritz) if check else None
        if complete is not False:
            break
    return ritz, complete


def _polished(pencil: ConstrainedPencil, kkt: KKT, X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """An accurate inverse iteration and Rayleigh-Ritz."""
    from scipy.linalg import eigh

    X = kkt.solve_refined(pencil.mass(X))
    X /= np.sqrt((X * pencil.mass(X)).sum(axis=0))
    k = X.T @ (pencil.K @ X) if pencil.springs is None else pencil.springs.strain(X)
    m = X.T @ pencil.mass(X)
    values, turn = eigh((k + k.T) / 2, (m + m.T) / 2)
    return values, X @ turn


def _is_complete(pencil: ConstrainedPencil, ritz: _Ritz) -> bool | None:
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
    too_soft, too_stiff, before = _bearable(pencil, values[split:], ritz.held[:, split:], shift), 0.0, None
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


def _bearable(pencil: ConstrainedPencil, values: np.ndarray, forces: np.ndarray, shift: float) -> float:
    """Flexibility of the constraints at which one of the modes comes down to the shift: s lowers omega^2 by s y^T y to
    first order, y the constraint `forces` (rows, k) of the mode, and by less beyond."""
    strength = np.maximum(pencil.row_size**2 / pencil.top * (forces**2).sum(axis=0), 1e-300)
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


def by_mass(M: Any) -> np.ndarray:
    """Units of the coordinates in which each has unit mass; those without mass get the mean."""
    mass = np.abs(M.diagonal())
    return 1 / np.sqrt(np.where(mass > 0, mass, mass.mean() or 1.0))


def typical_square(K: Any, M: Any) -> float:
    """A typical omega^2."""
    k, m = np.abs(K.diagonal()), np.abs(M.diagonal())
    ratio = k[m > 0] / m[m > 0]
    positive = ratio[ratio > 0]
    return float(np.median(positive)) if len(positive) else 1.0


def unbalanced(kkt: KKT, times: Callable[[np.ndarray], np.ndarray], force: np.ndarray, size: np.ndarray) -> np.ndarray:
    """Part of the force that constraint forces cannot balance, relative to the size of its summands. `kkt` is that of
    A: with A x + G^T y = force and G x = 0 that part is A x, `times(x)`."""
    free = times(kkt.solve_refined(force, steps=0))
    length = lambda x: np.sqrt((np.abs(x) ** 2).sum(axis=0))  # noqa: E731
    return length(free) / np.maximum(length(size), 1e-300)
