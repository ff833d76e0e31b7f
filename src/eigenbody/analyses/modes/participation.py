"""Participation of coordinates in modes: products of left and right eigenvector components, which sum to one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from eigenbody.linearization.forms import SparseForm
from eigenbody.linearization.model import LinearModel
from eigenbody.linearization.spectrum import spectrum_of
from eigenbody.mobility.frame import MotionFrame
from eigenbody.numerics.eigen.spectrum import conjugate_representatives

if TYPE_CHECKING:
    from eigenbody.analyses.modes.result import Modes

NEARLY_PARALLEL = 1e-10  # reciprocal condition of the modes below which left vectors lose their meaning
SAME = 1e-7  # relative distance of eigenvalues that are taken together
DEFECTIVE = (
    "The modes are so nearly parallel (a defective eigenvalue) that their participation is arbitrary within the group."
)


def participation(modes: Modes) -> tuple[np.ndarray, str]:
    """(n, states) complex participation of the linear states, and a remark where it should be taken with care.

    nan where it cannot be had: on the sparse path for zeros that are a motion at constant speed, or in motion.
    """
    if not modes.linear.is_sparse:
        return _dense(modes, modes.linear)
    form = modes.linear.sparse
    return (_symmetric_sparse if form.is_static and _symmetric(form) else _general_sparse)(modes, form), ""


def by_coordinate(linear: LinearModel, states: np.ndarray) -> tuple[tuple[str, ...], np.ndarray]:
    """Real shares (n, coordinates + first-order states): a coordinate and its velocity together."""
    nS, nW = len(linear.coordinates), len(linear.velocities)
    where = {name: i for i, name in enumerate(linear.coordinates)}
    own = np.array([where[name] for name in linear.velocities], dtype=int)
    shares = states.real[:, :nS].copy()
    shares[:, own] += states.real[:, nS : nS + nW]  # every velocity has a coordinate of its own
    names = (*linear.coordinates, *linear.states[nS + nW :])
    return names, np.concatenate((shares, states.real[:, nS + nW :]), axis=1)


def _dense(modes: Modes, linear: LinearModel) -> tuple[np.ndarray, str]:
    spectrum = spectrum_of(linear)
    scaled = balanced(spectrum.right)
    index = _matched(modes, spectrum.eigenvalues, conjugate_representatives(spectrum))
    regular = len(scaled) == 0 or 1.0 / np.linalg.cond(scaled) > NEARLY_PARALLEL
    dual = np.linalg.inv(scaled) if regular else np.linalg.pinv(scaled)
    shares = dual[index] * scaled.T[index]
    total = shares.sum(axis=1, keepdims=True)
    return shares / np.where(np.abs(total) > 1e-6, total, 1.0), "" if regular else DEFECTIVE


def balanced(vectors: np.ndarray) -> np.ndarray:
    """Rows and columns brought to the size of one, whatever the units of the states; the products do not change."""
    for axis in (0, 1, 0, 1, 0):
        top = np.abs(vectors).max(axis=axis, keepdims=True, initial=0.0)
        vectors = vectors / np.where(top > 0, top, 1.0)
    return vectors


def _matched(modes: Modes, eigenvalues: np.ndarray, candidates: np.ndarray) -> np.ndarray:
    """Columns of the spectrum that the entries are: the nearest ones, each once; entries may be left out."""
    out, values = [], eigenvalues[candidates]
    for value in modes.eigenvalues:
        k = int(np.argmin(np.abs(values - value)))
        out.append(candidates[k])
        values[k] = np.inf
    return np.array(out, dtype=int)


def _symmetric(form: SparseForm) -> bool:
    from eigenbody.numerics.eigen.sparse import is_symmetric

    return is_symmetric(form.pencil.K) and is_symmetric(form.pencil.C)


def _symmetric_sparse(modes: Modes, form: SparseForm) -> np.ndarray:
    """M, C, K symmetric: the left vector is the right one, S and W have S_k ((l M + C) x)_k and S_k (l M x)_k."""
    from eigenbody.analyses.modes.motion import variations

    frame = form.point.frame
    q, pencil, values = variations(modes).T, form.pencil, modes.eigenvalues
    S = (frame.position_rows("gradient") @ q).T
    mass, loss = _projected(frame, pencil.M @ q), _projected(frame, pencil.C @ q)
    resisted = np.abs((S * loss).sum(axis=1)) > 1e-9 * np.abs((S * mass).sum(axis=1))
    zero = modes.is_rigid[:, None]
    one = np.where(zero, np.where(resisted[:, None], loss, mass), values[:, None] * mass + loss)
    two = np.where(zero, 0.0, values[:, None] * mass)
    shares = np.concatenate((S * one, S * two), axis=1)
    total = shares.sum(axis=1, keepdims=True)
    return np.where(total != 0, shares / np.where(total != 0, total, 1.0), np.nan)


def _projected(frame: MotionFrame, force: np.ndarray) -> np.ndarray:
    """P^T f (n, coordinates) of forces (nq, n) on the bodies."""
    count = frame.positions.count
    both = frame.at_position.solve_transposed(np.ascontiguousarray(np.hstack((force.real, force.imag))))
    n = force.shape[1]
    whole = both[:, :n] + 1j * both[:, n:]
    return whole[len(whole) - count :].T


def _general_sparse(modes: Modes, form: SparseForm) -> np.ndarray:
    count = form.descriptor.differential
    out = np.full((len(modes), count), np.nan, complex)
    for group, left, right in left_and_right(modes, form):
        out[group] = (left[:count] * right[:count]).T
    return out


def left_and_right(modes: Modes, form: SparseForm) -> Iterator[tuple[list[int], np.ndarray, np.ndarray]]:
    """Groups of modes with equal eigenvalues, not zero, and their left and right vectors (unknowns, group) in the
    descriptor form, left^T E right = 1, by inverse iteration."""
    values = modes.eigenvalues
    remaining = set(np.flatnonzero(~modes.is_rigid).tolist())
    while remaining:
        first = min(remaining)
        group = sorted(i for i in remaining if abs(values[i] - values[first]) <= SAME * abs(values[first]))
        remaining -= set(group)
        own = replace(modes, eigenvalues=values[group], motion=modes.motion[group])
        yield group, *_iterated(own, form)


def _iterated(modes: Modes, form: SparseForm) -> tuple[np.ndarray, np.ndarray]:
    from scipy.sparse.linalg import splu

    d = form.descriptor
    lu = splu((d.A - modes.eigenvalues.mean() * (1 + 1e-9) * d.E).astype(complex).tocsc())
    right = _lifted(modes, form, lu)
    left = np.random.default_rng(5).normal(size=right.shape).astype(complex)
    for _ in range(3):
        left = lu.solve(d.E.T @ np.linalg.qr(left)[0], "T")
    return np.linalg.solve(left.T @ (d.E @ right), left.T).T, right


def _lifted(modes: Modes, form: SparseForm, lu: Any) -> np.ndarray:
    """All unknowns (unknowns, n) of modes with one eigenvalue: inverse iteration restores them from the body motion."""
    from eigenbody.analyses.modes.motion import variations

    frame = form.point.frame
    q = variations(modes).T
    d = form.descriptor
    S, W = frame.position_rows("gradient") @ q, modes.eigenvalues * (frame.speed_rows("gradient") @ q)
    z = np.zeros((d.A.shape[0], q.shape[1]), complex)
    z[: len(S) + len(W)] = np.concatenate((S, W))
    for _ in range(2):
        z = lu.solve(d.E @ z)
        z = z / np.abs(z).max(axis=0)
    return z
