"""Mode shapes beside each other: what a change of the pencil is summed against, and what the sums make of eigenvalues.

    ds = - phi^T (s^2 dM + s dC + dK) phi / (phi^T (2 s M + C) phi)

of a simple eigenvalue; of m equal ones the eigenvalues of the m x m matrix of the same in all pairs of their shapes.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from eigenbody.linearization.pencil import StaticPencil
from eigenbody.numerics.eigen.clusters import EPS
from eigenbody.numerics.eigen.sensitivity import in_order
from eigenbody.numerics.eigen.sparse import is_symmetric

CRITICAL = 10.0 * EPS**0.5
"""|phi^T (2 s M + C) phi|, relative to the sum of its terms without sign, below which a mode counts as defective:
rounding of a double eigenvalue leaves about sqrt(eps)."""
UNSYMMETRIC = 1e-9  # of the largest entry, beyond rounding
SAME = 1e-7  # relative distance of eigenvalues that count as repeated
DEFECTIVE = "defective: it moves with a root of a parameter, so the derivative does not exist"
REPEATED = "repeated: {} equal eigenvalues; the slopes belong to the set, in order for each parameter"


def is_mirrored(pencil: StaticPencil) -> bool:
    """Whether left vectors are the right ones."""
    return is_symmetric(pencil.C, UNSYMMETRIC) and is_symmetric(pencil.K, UNSYMMETRIC)


class Pairing:
    """Mode shapes of all bodies at rest, (nq, modes), the multipliers of each mode, and sets of equal eigenvalues, of a
    pencil that `is_mirrored`.

    pairs     modes (a, b) whose shapes meet: those of the same set
    clearest  how far from defective the eigenvalues are, 1 and less
    notes     what to know about each mode
    """

    def __init__(self, values: np.ndarray, phi: np.ndarray, is_rigid: np.ndarray, pencil: StaticPencil) -> None:
        self.values, self.phi, self.G = values, phi, pencil.G.tocsr()
        s, size = values, np.abs(phi)
        M_phi, C_phi = pencil.M @ phi, pencil.C @ phi
        self.mu = -_multipliers(self.G, s**2 * M_phi + s * C_phi + pencil.K @ phi)  # G^T mu = -force
        self.top = float(np.abs(pencil.K.data).max(initial=0.0))
        unit = np.sqrt((size * (abs(pencil.M) @ (2 * np.abs(s) * size) + abs(pencil.C) @ size)).sum(axis=0))
        every = [_scaled(modes, phi, 2 * s * M_phi + C_phi, unit) for modes in _alike(s, is_rigid)]
        self.clearest = min([1.0, *(float(own.clear.min()) for own in every)])
        self.notes = _notes(len(s), every)
        self._sets = [own.at(own.clear > CRITICAL) for own in every]
        pairs = [own.pairs for own in self._sets]
        a, b = (np.concatenate([[], *(pair[k] for pair in pairs)]).astype(int) for k in (0, 1))
        self.pairs: tuple[np.ndarray, np.ndarray] = a, b

    def slopes(self, total: np.ndarray) -> np.ndarray:
        """d s (numbers, modes) of sums (numbers, pairs); nan of rigid and of defective modes."""
        out = np.full((len(total), len(self.values)), complex(np.nan, np.nan))
        ends = np.cumsum([own.scale.size for own in self._sets])
        for own, end in zip(self._sets, ends.tolist(), strict=True):
            blocks = total[:, end - own.scale.size : end].reshape(len(total), *own.scale.shape)
            out[:, own.modes] = own.slopes(blocks, self.values)
        return out


@dataclass(frozen=True, eq=False)
class _Sets:
    """Sets of as many equal eigenvalues each: modes (sets, size), Phi^T (2 s M + C) Phi of each (sets, size, size), and
    its least singular value relative to the sum of its terms without sign, (sets,)."""

    modes: np.ndarray
    scale: np.ndarray
    clear: np.ndarray

    def at(self, which: np.ndarray) -> _Sets:
        return _Sets(self.modes[which], self.scale[which], self.clear[which])

    @property
    def pairs(self) -> tuple[np.ndarray, np.ndarray]:
        """Modes of the same set, in the order of the entries of `scale`."""
        a, b = np.broadcast_arrays(self.modes[:, :, None], self.modes[:, None, :])
        return a.ravel(), b.ravel()

    def slopes(self, blocks: np.ndarray, values: np.ndarray) -> np.ndarray:
        """(numbers, sets, size) of blocks (numbers, sets, size, size): eigenvalues of - scale^-1 block."""
        if self.modes.shape[1] == 1:
            return -(blocks / self.scale)[..., 0]
        own = np.linalg.eigvals(-np.linalg.solve(self.scale, blocks))
        for k, members in enumerate(self.modes):
            own[:, k] = in_order(own[:, k], complex(values[members].mean()))
        return own


def _scaled(modes: np.ndarray, phi: np.ndarray, weighed: np.ndarray, unit: np.ndarray) -> _Sets:
    scale = np.einsum("iga,igb->gab", phi[:, modes], weighed[:, modes])
    relative = scale / unit[modes][:, :, None] / unit[modes][:, None, :]
    return _Sets(modes, scale, np.linalg.svd(relative, compute_uv=False)[:, -1])


def _alike(s: np.ndarray, is_rigid: np.ndarray) -> list[np.ndarray]:
    """Sets of equal eigenvalues, linked by steps, as modes (sets, size) for each size; rigid modes are in none."""
    from scipy.sparse.csgraph import connected_components

    near = np.abs(s[:, None] - s) <= SAME * np.abs(s)[:, None]
    near[is_rigid], near[:, is_rigid] = False, False
    _, label = connected_components(near)
    modes = np.argsort(label, kind="stable")
    modes = modes[~is_rigid[modes]]
    size = np.bincount(label)[label[modes]]
    return [modes[size == m].reshape(-1, m) for m in np.unique(size).tolist()]


def _notes(count: int, sets: list[_Sets]) -> tuple[str, ...]:
    notes = [""] * count
    for own in sets:
        size = own.modes.shape[1]
        for members, clear in zip(own.modes.tolist(), own.clear.tolist(), strict=True):
            for mode in members:
                notes[mode] = DEFECTIVE if clear <= CRITICAL else REPEATED.format(size) if size > 1 else ""
    return tuple(notes)


def _multipliers(G: object, force: np.ndarray) -> np.ndarray:
    """mu of G^T mu = force, whose left side it is up to rounding."""
    from scipy.sparse.linalg import splu

    if not G.shape[0]:  # type: ignore[attr-defined]
        return np.zeros((0, force.shape[1]), dtype=force.dtype)
    square, right = (G @ G.T).tocsc(), G @ force  # type: ignore[attr-defined]
    solve = splu(square).solve
    return solve(right.real) + 1j * solve(right.imag)
