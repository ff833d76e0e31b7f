"""What rounding noise allows to decide: which eigenvalues are zero, on the imaginary axis, defective; stable or not.

The QR algorithm finds all eigenvalues of the balanced matrix; what follows may only refine them. Those that their own
error bound cannot tell from zero are judged together, as the block of their invariant subspace (`invariant`), by a
staircase of rank decisions on that block alone (`zeros`): whatever it decides, no other eigenvalue is touched.

Every other eigenvalue carries its own error bound: the uncertainty of the entries seen through its left and right
vectors, plus the backward error of the QR algorithm times its condition number. It lies on the imaginary axis when its
real part is within that bound. Eigenvalues whose bounds overlap form a cluster. A cluster without independent
eigenvectors is defective: its mean is well determined where the members are scattered by eps^(1/k), so the mean
replaces them (Golub & Van Loan, Matrix Computations, 7.2, 7.6; Bai, Demmel & McKenney 1993 for its condition number).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from eigenbody.base.errors import ComputationError
from eigenbody.numerics.eigen.confluent import merge_defective
from eigenbody.numerics.eigen.invariant import (
    NOT_CONVERGED,
    Block,
    Subspace,
    block_of,
    schur_pairs,
    subspace_of_smallest,
    subspace_of_vectors,
)
from eigenbody.numerics.eigen.zeros import deflate
from eigenbody.numerics.matrices.noise import BACKWARD, EPS, balancing_scale
from eigenbody.numerics.matrices.stacks import alike, columns_of, norms, part_of, real_times

DOUBT = 8.0
"""Error bounds within which an eigenvalue is judged as one of those next to zero: the members of a defective zero lie
at several of their own (first-order) bounds."""
WIDEST_ZERO = 1e-3
"""No eigenvalue beyond this part of the norm of the balanced matrix is judged as one next to zero."""
WIDEST = 1e-3
"""No bound beyond this part of |eigenvalue| puts it on the axis or into a cluster: first order says nothing there."""


VERDICTS = ("stable", "marginal", "drifting", "unstable")


class Pairs(NamedTuple):
    """Of g matrices (n, n): eigenvalues (g, m) in adjacent conjugate pairs with vectors (g, n, m), flags (g, m) bool
    and error bounds (g, m).

    `defective` marks members of defective clusters on the imaginary axis only; `undecided` those that were put on the
    axis because the real part found is within its error bound.
    """

    values: np.ndarray
    vectors: np.ndarray
    on_axis: np.ndarray
    defective: np.ndarray
    undecided: np.ndarray
    bounds: np.ndarray


@dataclass(frozen=True, slots=True, eq=False)
class Judged:
    """All eigenvalues of those among many real matrices (n, n) whose zeros have one structure.

    members      (g,) their numbers
    weyr         vectors of each order that belong to the zero eigenvalue
    rigid        (g, n, z) its eigenvectors, then generalized ones of rising order
    others       those that are not zero
    near_zero    (g,) how many eigenvalues of the plain problem lie within their error bounds of zero
    zero_error   (g,) how far from zero those that were recognized as zero can be: by an error of the entries, or in the
                 plain problem
    """

    members: np.ndarray
    weyr: tuple[int, ...]
    rigid: np.ndarray
    others: Pairs
    near_zero: np.ndarray
    zero_error: np.ndarray

    def errors(self) -> np.ndarray:
        """Error bounds (g, n) of the zeros and of the others."""
        zeros = np.repeat(self.zero_error[:, None], self.rigid.shape[-1], axis=1)
        return np.concatenate([zeros, self.others.bounds], axis=1)


def verdict(eigenvalues: np.ndarray, on_axis: np.ndarray, defective: np.ndarray) -> str:
    """That of one system: arrays (n,)."""
    return verdicts(eigenvalues[None], on_axis[None], defective[None])[0]


def verdicts(eigenvalues: np.ndarray, on_axis: np.ndarray, defective: np.ndarray) -> list[str]:
    """`unstable`, `drifting`, `marginal` or `stable` for whole systems: arrays (g, n), see `Spectrum`."""
    grows = ((eigenvalues.real > 0) & ~on_axis).any(axis=1)
    worst = np.where(grows, 3, np.where(defective.any(axis=1), 2, on_axis.any(axis=1)))
    return [VERDICTS[k] for k in worst.tolist()]


# ---------------------------------------------------------------- general eigenproblem with error bounds


def judged_modes(A: np.ndarray, noise: np.ndarray, at_most: int | None = None) -> Iterator[Judged]:
    """Eigenvalues of each real A (g, n, n) with the zeros among them recognized, those with alike zeros together;
    `noise` (g, n, n) bounds the error of its entries, `at_most` the number of independent eigenvectors of zero where
    that is known.

    The vectors of any defective cluster are its true eigenvectors, repeated.
    """
    g, n = A.shape[:2]
    if not n:
        none = np.zeros(g, int)
        yield Judged(np.arange(g), (), np.zeros((g, 0, 0), complex), _none(0, g), none, none.astype(float))
        return
    B, noise, scale, order = _balance_and_grade(A, noise)
    plain, left, right, off = _solve(B, noise)
    algorithmic, coupling = _norm_bounds(B, left, right)
    gap = _gaps(plain)
    partner = _partners(plain)
    bounds = _sharpen(B, noise, plain, left, right, algorithmic, coupling, gap)
    widest = (WIDEST_ZERO * norms(B) + norms(noise))[:, None]
    doubtful = np.abs(plain) <= DOUBT * np.minimum(bounds.whole, widest)
    blocks = _slow_blocks(B, noise, plain, left, right, doubtful, partner) if at_most != 0 else []
    values = _refine(plain, left, right, off, partner, algorithmic < 0.1 * gap)
    on_axis = np.abs(values.real) <= bounds.capped
    undecided = on_axis & (values.real != 0) & (values.imag != 0)
    values[undecided] = 1j * values[undecided].imag
    near = np.abs(values) <= np.minimum(bounds.whole, widest)  # on which side of the axis is not known
    on_axis, undecided = on_axis | near, undecided | near
    defective, slow = np.zeros((g, n), bool), np.zeros((g, n), bool)
    for members, taken, _ in blocks:
        slow[members] = taken
    gap = np.where(slow, np.inf, gap)
    for k in np.flatnonzero((gap <= 2.0 * bounds.capped).any(axis=1)):
        merge_defective(B[k], noise[k], values[k], right[k], bounds.capped[k], gap[k], partner[k], on_axis[k],
                         defective[k], bounds.stated[k])  # fmt: skip
    found = Pairs(values, right, on_axis, defective, undecided, bounds.stated)
    near_zero, sizes = doubtful.sum(axis=1), np.sort(np.abs(plain), axis=1)
    for members, rest, judged in _beside_blocks(found, slow, blocks, at_most):
        z, whole = sum(judged.weyr), np.empty((len(members), n, n), complex)
        vectors = np.concatenate([judged.rigid, rest.vectors], axis=-1) * scale[members][:, :, None]
        np.put_along_axis(whole, order[members][:, :, None], vectors, axis=1)
        away = np.maximum(judged.zero_error, sizes[members, z - 1]) if z else np.zeros(len(members))
        others = rest._replace(vectors=whole[..., z:])
        yield Judged(members, judged.weyr, whole[..., :z], others, near_zero[members], away)


def _none(n: int, g: int) -> Pairs:
    """No eigenvalue of g matrices of order n."""
    flag = np.zeros((g, 0), bool)
    return Pairs(np.zeros((g, 0), complex), np.zeros((g, n, 0), complex), flag, flag, flag, np.zeros((g, 0)))


_Blocks = list[tuple[np.ndarray, np.ndarray, Block]]  # of matrices (m,), which eigenvalues (m, n) each stands for


def _slow_blocks(
    B: np.ndarray, noise: np.ndarray, values: np.ndarray, left: np.ndarray, right: np.ndarray, doubtful: np.ndarray,
    partner: np.ndarray,
) -> _Blocks:  # fmt: skip
    """The blocks of all eigenvalues no larger than the largest doubtful one."""
    size = np.abs(values)
    slow = size <= np.where(doubtful, size, -1.0).max(axis=1, keepdims=True)
    out: _Blocks = []
    for count, members in alike(slow.sum(axis=1)):
        if not count:
            continue
        alone = members
        if count < values.shape[1]:
            columns = np.argsort(~slow[members], axis=1, kind="stable")[:, : int(count)]
            second = np.take_along_axis(values[members], columns, axis=1).imag[:, None, :] < 0
            spans = (columns_of(vectors[members], columns) for vectors in (left, right))
            known, space = subspace_of_vectors(B[members], *(np.where(second, v.imag, v.real) for v in spans))
            if len(known):
                chosen = members[known]
                out.append((chosen, slow[chosen], block_of(B[chosen], noise[chosen], space)))
            alone = np.delete(members, known)
        out += _blocks_by_schur(B, noise, values, int(count), partner, alone)
    return out


def _blocks_by_schur(
    B: np.ndarray, noise: np.ndarray, values: np.ndarray, count: int, partner: np.ndarray, members: np.ndarray
) -> _Blocks:
    """The blocks of the `count` smallest eigenvalues of some of the matrices, or more of them where that would part a
    pair or equal ones, which another algorithm puts in another order."""
    spaces, rank = {}, np.argsort(np.argsort(np.abs(values[members]), axis=1, kind="stable"), axis=1)
    pending, wanted = np.arange(len(members)), np.full(len(members), count)
    while len(pending):
        for i in pending.tolist():
            spaces[i] = subspace_of_smallest(B[members[i]], int(wanted[i]))
        wanted[pending] = [len(spaces[i].form) for i in pending.tolist()]
        taken = rank < wanted[:, None]
        parted = (taken != np.take_along_axis(taken, partner[members], axis=1)).any(axis=1)
        pending, wanted = np.flatnonzero(parted), wanted + parted
    out: _Blocks = []
    for _, same in alike(wanted):
        own = [spaces[i] for i in same.tolist()]
        parts = (np.stack([getattr(space, name) for space in own]) for name in ("left", "right", "form", "separation"))
        k = members[same]
        out.append((k, taken[same], block_of(B[k], noise[k], Subspace(*parts))))
    return out


@dataclass(frozen=True, slots=True, eq=False)
class _Slowest:
    """Of blocks (m,): the staircase of zero with its vectors (m, n, z), and how far from zero an error of the block can
    bring an eigenvalue of such a chain."""

    weyr: tuple[int, ...]
    rigid: np.ndarray
    zero_error: np.ndarray


def _beside_blocks(
    found: Pairs, slow: np.ndarray, blocks: _Blocks, at_most: int | None
) -> Iterator[tuple[np.ndarray, Pairs, _Slowest]]:
    """Matrices (m,) alike, their eigenvalues that are not zero, those of their blocks first, and their zeros."""
    g, n = slow.shape
    none = np.setdiff1d(np.arange(g), [k for members, *_ in blocks for k in members])
    if len(none):
        yield none, _members(found, none), _Slowest((), np.zeros((len(none), n, 0), complex), np.zeros(len(none)))
    for members, taken, block in blocks:
        for own, others, zeros in _judge_slowest(block, at_most):
            rest = np.argsort(taken[own], axis=1, kind="stable")[:, : n - int(taken[0].sum())]
            fast = [columns_of(part, rest) if part.ndim > 2 else np.take_along_axis(part, rest, axis=1)
                    for part in _members(found, members[own])]  # fmt: skip
            both = (np.concatenate(pair, axis=-1) for pair in zip(others, fast, strict=True))
            yield members[own], Pairs(*both), zeros


def _members(found: Pairs, members: np.ndarray) -> Pairs:
    return Pairs(*(part[members] for part in found))


def _judge_slowest(block: Block, at_most: int | None) -> Iterator[tuple[np.ndarray, Pairs, _Slowest]]:
    """Of the slowest eigenvalues: which blocks (m,), the others than zero among them, and zero."""
    k = block.matrix.shape[-1]
    error, size = norms(block.error), norms(block.matrix)
    for part in deflate(block.matrix, block.error, at_most):
        own, zeros, g = part.members, part.zeros, len(part.members)
        right, away = block.right[own], error[own]
        depth = 1 / max(len(zeros.weyr), 1)
        ratio = np.where(size[own] > away, away / np.where(size[own] > 0, size[own], 1.0), 0.0)
        away = np.where(size[own] > away, size[own] * ratio**depth, away)
        found = _Slowest(zeros.weyr, right @ zeros.basis((g, k)), away)
        if not part.core.shape[-1]:
            yield own, _none(right.shape[1], g), found
            continue
        (rest,) = judged_modes(part.core, part.noise, at_most=0)  # none is taken for zero: they are alike
        others = rest.others
        vectors = right @ zeros.lift(others.values, others.vectors)
        vectors = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
        yield own, others._replace(vectors=vectors), found


def _balance_and_grade(A: np.ndarray, noise: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Balanced A with its largest rows first, which keeps the small eigenvalues of a graded matrix accurate."""
    scale = np.array([balancing_scale(*pair) for pair in zip(A, noise, strict=True)])
    balanced = A * scale[:, None, :] / scale[:, :, None]
    size = np.abs(balanced)
    order = np.argsort(-(size.sum(axis=1) + size.sum(axis=2)), axis=1, kind="stable")
    scale = np.take_along_axis(scale, order, axis=1)
    return (
        part_of(balanced, order, order),
        part_of(noise, order, order) * scale[:, None, :] / scale[:, :, None],
        scale,
        order,
    )


def _solve(B: np.ndarray, noise: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Eigenvalues (g, n), unit left and unit right vectors (g, n, n), and what the right ones leave of their equations;
    conjugate pairs adjacent, positive imaginary part first.

    LAPACK's driver scales the states once more, and by entries as small as they come: it is given none that are mere
    noise and no more than its own error. Where its vectors then do not satisfy the equations as given, such entries
    together make more than their parts, or states are scaled apart all the same: vectors are those of the Schur form,
    which scales nothing.
    """
    size = norms(B)[:, None]
    values, left, right = _plain_pairs(np.where(np.abs(B) > np.minimum(noise, EPS * size[:, :, None]), B, 0.0))
    off, wrong = _residuals(B, values, left, right, size)
    for again in (_plain_pairs, schur_pairs):
        if not len(wrong):
            break
        values[wrong], left[wrong], right[wrong] = found = again(B[wrong])
        off[wrong], still = _residuals(B[wrong], *found, size[wrong])
        wrong = wrong[still]
    return values, left, right, off


def _plain_pairs(B: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """As the QR algorithm finds them."""
    from scipy.linalg.lapack import dgeev

    found = [dgeev(matrix) for matrix in B]
    if any(info for *_, info in found):
        raise ComputationError(NOT_CONVERGED.format(B.shape[-1]))
    real, imag, left, right = (np.stack([one[part] for one in found]) for part in range(4))
    return real + 1j * imag, _in_pairs(left, imag), _in_pairs(right, imag)


def _in_pairs(columns: np.ndarray, imag: np.ndarray) -> np.ndarray:
    """Vectors (g, n, n) from those that LAPACK gives as real and imaginary parts of pairs in adjacent columns."""
    out = columns.astype(complex)
    k, first = np.nonzero(imag > 0)
    one, other = columns[k, :, first], columns[k, :, first + 1]
    out[k, :, first], out[k, :, first + 1] = one + 1j * other, one - 1j * other
    return out


def _residuals(
    B: np.ndarray, values: np.ndarray, left: np.ndarray, right: np.ndarray, size: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """What right vectors leave of the equations (g, n, n), and which matrices (k,), of these sizes (g, 1), have pairs
    that leave more on either side than a backward stable algorithm."""
    value = values[:, None, :]
    sides = (real_times(B, right) - right * value, real_times(B.mT, left) - left * value.conj())
    largest = np.maximum(*(np.linalg.norm(side, axis=1) for side in sides))
    return sides[0], np.flatnonzero((largest > BACKWARD * EPS * size).any(axis=1))


def _partners(values: np.ndarray) -> np.ndarray:
    """Index (g, n) of each eigenvalue's conjugate; a real one is its own."""
    return np.arange(values.shape[-1]) + (values.imag > 0) - (values.imag < 0)


def _norm_bounds(B: np.ndarray, left: np.ndarray, right: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Error (g, n) of each eigenvalue as the QR algorithm leaves it, and |left^H right| (g, n) kept away from zero."""
    coupling = np.maximum(np.abs(np.sum(left.conj() * right, axis=1)), EPS)
    return BACKWARD * EPS * norms(B)[:, None] / coupling, coupling


def _gaps(values: np.ndarray) -> np.ndarray:
    """Distance (g, n) of each eigenvalue to the nearest other one."""
    gap, n = np.full(values.shape, np.inf), values.shape[1]
    for start in range(0, n, 512):
        rows = np.arange(start, min(start + 512, n))
        distance = np.abs(values[:, rows, None] - values[:, None, :])
        distance[:, rows - start, rows] = np.inf
        gap[:, rows] = distance.min(axis=2)
    return gap


def _refine(
    values: np.ndarray, left: np.ndarray, right: np.ndarray, off: np.ndarray, partner: np.ndarray, separated: np.ndarray
) -> np.ndarray:
    """Two-sided Rayleigh quotients, whose error is quadratic in that of the vectors: slow modes beside fast ones; `off`
    is what the right vectors leave of the equations."""
    coupling = np.where(separated, np.sum(left.conj() * right, axis=1), 1.0)
    step = np.sum(left.conj() * off, axis=1) / coupling
    real = values.imag == 0
    refined = values + np.where(real, step.real, step)
    refined = np.where(separated & ((refined.imag > 0) == (values.imag > 0)), refined, values)
    return np.where(values.imag < 0, np.take_along_axis(refined, partner, axis=1).conj(), refined)


@dataclass(frozen=True, slots=True, eq=False)
class _Bounds:
    """Error (g, n) of the eigenvalues that the QR algorithm left, of the refined ones, and that as far as a first-order
    bound decides anything."""

    whole: np.ndarray
    stated: np.ndarray
    capped: np.ndarray


def _sharpen(
    B: np.ndarray,
    noise: np.ndarray,
    values: np.ndarray,
    left: np.ndarray,
    right: np.ndarray,
    algorithmic: np.ndarray,
    coupling: np.ndarray,
    gap: np.ndarray,
) -> _Bounds:
    """Error bounds of each eigenvalue."""
    size_left, size_right = np.abs(left), np.abs(right)
    data = np.sum(size_left * (noise @ size_right), axis=1) / coupling
    rounding = 4.0 * EPS * np.sum(size_left * (np.abs(B) @ size_right), axis=1) / coupling
    separated = algorithmic < 0.1 * gap
    refined = rounding + algorithmic**2 / np.where(separated, gap, 1.0)
    bound = data + np.where(separated, np.minimum(algorithmic, refined), algorithmic)
    floor = np.sqrt(EPS) * EPS * norms(B)[:, None]
    return _Bounds(data + algorithmic, bound, np.minimum(bound, WIDEST * np.maximum(np.abs(values), floor)))
