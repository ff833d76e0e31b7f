"""Modes of many variants that pass through one configuration, found in arrays with a leading axis over them.

What `modes_from` finds and checks of one linear model is found and checked here of all at once. A variant of which
there is more to say (modes that a check contradicts, zeros that strain something) is left to it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from eigenbody.analyses.modes.checks import (
    STRAINED,
    UNCERTAIN,
    WRONG_PAIR,
    WRONG_SUM,
    bends_from_ground,
    least_displacement,
    on_damping,
    on_frequencies,
)
from eigenbody.analyses.modes.shapes import shapes_of
from eigenbody.linearization.linearize import LinearStack
from eigenbody.numerics.eigen.dense import spectra_second_order
from eigenbody.numerics.eigen.spectrum import Spectrum, conjugate_representatives
from eigenbody.numerics.matrices.stacks import alike, real_times
from eigenbody.spatial.rotations import apply


@dataclass(frozen=True, eq=False)
class StackedModes:
    """Modes of variants (g,) that have equally many: `spectra` (g,), and of each mode (g, n) eigenvalue and motion
    (g, n, rows, 6) as `Modes` has them; `entries` (g, n) are their numbers in the spectra."""

    members: np.ndarray
    spectra: Sequence[Spectrum]
    entries: np.ndarray
    eigenvalues: np.ndarray
    motion: np.ndarray
    remarks: Sequence[tuple[str, ...]]  # of each variant


def stands_still(stack: LinearStack) -> bool:
    """Whether all variants stand in one configuration, without moving frames or stops, and have the same flexible
    bodies, and M, C, K say everything."""
    batch, system = stack.batch, stack.batch.system
    same = zip(system.description.flexible, stack.first.system.description.flexible, strict=True)
    return (
        batch.state.r.ndim == 2
        and batch.state.R.ndim == 3
        and not system.states
        and not system.slips.count
        and not system.description.frames
        and not (system.forces.stops or system.one_sided)
        and all(one.reduced is other.reduced for one, other in same)
    )


def stacked_modes(stack: LinearStack, members: np.ndarray, n: int | None) -> list[StackedModes]:
    """The modes of some of the variants of a stack that stands still, all or the n lowest; without those of which
    there is more to say."""
    M, C, K = (stack.arrays[name][members] for name in "MCK")
    noise = stack.noise()
    spectra = spectra_second_order(M, C, K, noise.K[members], noise.C[members])
    chosen = [conjugate_representatives(spectrum)[:n] for spectrum in spectra]
    plain = ~_strain_something(stack, members, spectra)
    out = []
    for _, some in alike(np.array([len(entries) for entries in chosen])):
        own, entries = [spectra[k] for k in some], np.stack([chosen[k] for k in some])
        vectors = np.stack([one.columns(those).T for one, those in zip(own, entries, strict=True)])
        values = _of_entries([one.eigenvalues for one in own], entries)
        rigid = _of_entries([one.is_rigid for one in own], entries)
        holds = _certified(M[some], C[some], K[some], own, values, np.where(rigid[..., None], 0.0, vectors))
        kept = np.flatnonzero(holds & plain[some])
        if len(kept):
            motion, remarks = _motion(stack, members[some], vectors), _remarks(own, entries, values, rigid, C[some])
            out.append(
                StackedModes(
                    members[some[kept]], [own[k] for k in kept], entries[kept], values[kept], motion[kept],
                    [remarks[k] for k in kept],
                )
            )  # fmt: skip
    return out


def _of_entries(arrays: Sequence[np.ndarray], entries: np.ndarray) -> np.ndarray:
    return np.take_along_axis(np.stack(arrays), entries, axis=1)


def _motion(stack: LinearStack, members: np.ndarray, vectors: np.ndarray) -> np.ndarray:
    """(g, n, rows, 6) motion of every body in modes whose states are `vectors` (g, n, states)."""
    P, (g, n) = stack.arrays["P"][members], vectors.shape[:2]
    dq = vectors[..., : P.shape[-1]] @ P.mT
    motion, _ = shapes_of(stack.first, *(a.reshape(g * n, a.shape[-1]) for a in (dq, vectors)))
    return motion.reshape(g, n, *motion.shape[1:])


# Checks ---------------------------------------------------------------------------------------------------------------
def _certified(
    M: np.ndarray, C: np.ndarray, K: np.ndarray, spectra: Sequence[Spectrum], values: np.ndarray, vectors: np.ndarray
) -> np.ndarray:
    """(g,) whether nothing contradicts the modes (`certify_modes`); vectors of zeros are zero."""
    counted = np.array([int(one.is_rigid.sum()) <= one.near_zero for one in spectra], dtype=bool)
    holds = np.logical_and(counted, (_residuals(M, C, K, values, vectors) <= WRONG_PAIR).all(axis=1))
    states = 2 * M.shape[-1]
    whole = np.flatnonzero(2 * values.shape[1] - np.count_nonzero(values.imag == 0, axis=1) == states)
    if len(whole) and states:
        every = np.stack([spectra[k].eigenvalues for k in whole.tolist()])
        holds[whole] &= _trace_defects(M[whole], C[whole], K[whole], every) <= WRONG_SUM
    return holds


def _residuals(M: np.ndarray, C: np.ndarray, K: np.ndarray, values: np.ndarray, vectors: np.ndarray) -> np.ndarray:
    """(g, n) |(l^2 M + l C + K) q| over the sum of the sizes of its terms (Tisseur 2000), in coordinates of unit
    mass."""
    unit = 1 / np.sqrt(np.diagonal(M, axis1=-2, axis2=-1))
    weight = unit[:, :, None] * unit[:, None, :]
    q = np.ascontiguousarray((vectors[..., : M.shape[-1]] / unit[:, None, :]).mT)
    left, size = np.zeros(q.shape, complex), np.zeros(values.shape)
    for matrix, factor in ((M, values**2), (C, values), (K, np.ones(values.shape))):
        scaled = matrix * weight
        left += real_times(scaled, q) * factor[:, None, :]
        size += np.linalg.norm(scaled, axis=(-2, -1))[:, None] * np.abs(factor)
    return np.linalg.norm(left, axis=1) / np.maximum(size * np.linalg.norm(q, axis=1), 1e-300)


def _trace_defects(M: np.ndarray, C: np.ndarray, K: np.ndarray, values: np.ndarray) -> np.ndarray:
    """(g,) relative defect of the sum of all eigenvalues, and of their squares, against the traces of A and of A^2."""
    loss, stiffness = np.linalg.solve(M, C), np.linalg.solve(M, K)
    first = -np.trace(loss, axis1=-2, axis2=-1)
    second = np.sum(loss * loss.mT, axis=(-2, -1)) - 2 * np.trace(stiffness, axis1=-2, axis2=-1)
    size = np.abs(values)
    sums = ((values.sum(axis=1) - first, size.sum(axis=1)), ((values**2).sum(axis=1) - second, (size**2).sum(axis=1)))
    return np.maximum(*(np.abs(defect) / np.where(whole > 0, whole, 1.0) for defect, whole in sums))


def _remarks(
    spectra: Sequence[Spectrum], entries: np.ndarray, values: np.ndarray, rigid: np.ndarray, C: np.ndarray
) -> list[tuple[str, ...]]:
    """(g,) what is to be said of frequencies and damping that rounding leaves open (`open_questions`)."""
    bounds = np.where(rigid, 0.0, _of_entries([one.bounds for one in spectra], entries))
    undecided = (
        _of_entries([one.undecided for one in spectra], entries) & np.any(C, axis=(-2, -1), keepdims=True)[..., 0]
    )
    remarks: list[tuple[str, ...]] = [()] * len(spectra)
    for k in np.flatnonzero(((bounds > UNCERTAIN * np.abs(values)) | undecided).any(axis=1)):
        remarks[k] = (*on_frequencies(values[k], bounds[k]), *on_damping(np.flatnonzero(undecided[k])))
    return remarks


def _strain_something(stack: LinearStack, members: np.ndarray, spectra: Sequence[Spectrum]) -> np.ndarray:
    """(g,) whether motions of the zero eigenvalue deflect an element with stiffness (`strained_zeros`)."""
    out = np.zeros(len(spectra), dtype=bool)
    for count, some in alike(np.array([len(one.zero_chains) for one in spectra])):
        if count:
            own = [spectra[k] for k in some]
            states = np.stack([np.real(one.columns(np.flatnonzero(one.is_rigid)[:count])) for one in own])
            fastest = np.array([np.abs(one.eigenvalues).max() for one in own])
            out[some] = _deflect(stack, members[some], states, least_displacement(states, fastest[:, None]))
    return out


def _deflect(stack: LinearStack, members: np.ndarray, states: np.ndarray, least: np.ndarray) -> np.ndarray:
    """(g,) whether states (g, states, k), displacements above `least` (g, k) alone, deflect an element."""
    system, jet, P = stack.batch.system, stack.batch.mechanics.applied.jet, stack.arrays["P"][members]
    law, measures, q = system.forces.linear, system.forces.measures, states[:, : P.shape[-1]]
    moves = np.abs(q).max(axis=1, initial=0.0) > least
    moved = bends_from_ground(stack.batch.mechanics, P @ np.where(moves[:, None, :], q, 0.0))
    moved = np.concatenate((moved, np.zeros((len(moved), 1, moved.shape[2]))), axis=1)
    gradient = jet.gradient[members] if jet.gradient.ndim > 2 else jet.gradient
    there, size_of = moved[:, measures.columns], np.abs(gradient)[..., None]
    deflection = np.abs((gradient[..., None] * there).sum(axis=2))
    size = (size_of * np.abs(there)).sum(axis=2)
    most = size_of.sum(axis=-2) * np.abs(moved).max(axis=1, initial=0.0)[:, None, :]
    felt = ((deflection > STRAINED * size) & (size > STRAINED * most)).any(axis=-1)
    stiff = law.k[members] if np.ndim(law.k) > 1 else law.k
    return ((stiff != 0) & (felt[:, law.i] | felt[:, law.j])).any(axis=1)


def spins_of(stack: LinearStack, members: np.ndarray) -> np.ndarray:
    """(g, carriers, 3) angular velocities of bodies, moving frames and ground, global axes."""
    at = stack.batch.mechanics.at
    spins = np.real(apply(at.R, at.w))
    return np.broadcast_to(spins, (stack.count, *spins.shape[-2:]))[members]
