"""The transfer matrix as a sum over modes: from right and left eigenvectors, all of them or the lowest."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from eigenbody.analyses.frequency.system import DenseEquations, SparseEquations
from eigenbody.base.arrays import as_dense
from eigenbody.base.errors import ComputationError
from eigenbody.base.progress import report
from eigenbody.linearization.model import LinearModel
from eigenbody.numerics.eigen.spectrum import conjugate_representatives
from eigenbody.numerics.signals.residues import Subspace
from eigenbody.numerics.signals.transfer import away_from_zero, chunks

EPS = float(np.finfo(float).eps)
INDEPENDENT = 1e-7  # eigenvectors that are more nearly dependent than this do not carry a modal sum
SAME = 1e-6  # relative distance of eigenvalues that are taken as one cluster in the sparse path


class ModalForm:
    """H(s) = D + sum c_i b_i / (s - l_i) + C_0 (s - N)^-1 B_0: simple eigenvalues, and the block of the zero one.

    `values` (m,) with C modes (ny, m) and B modes (m, nu); N (z, z) nilpotent with C_0 (ny, z) and B_0 (z, nu).
    """

    def __init__(self, equations: DenseEquations) -> None:
        report("finding modes")
        A, B, C, self.D = equations.A, equations.B, equations.C, equations.D
        spectrum = equations.spectrum
        self.spectrum = spectrum
        right = spectrum.right / np.where(spectrum.is_rigid, 1.0, _balance(spectrum.right))
        left, self.condition = _left(right)
        rigid = spectrum.is_rigid
        self.values = spectrum.eigenvalues[~rigid]
        self.c, self.b = C @ right[:, ~rigid], left[~rigid] @ B
        self.c0, self.b0 = C @ right[:, rigid], left[rigid] @ B
        self.N = left[rigid] @ (A @ right[:, rigid])
        self.right, self.left = right, left
        self.error = np.einsum("ij,ji->i", np.abs(left[~rigid]) @ equations.noise, np.abs(right[:, ~rigid]))

    @property
    def is_usable(self) -> bool:
        """Whether the eigenvectors are independent enough."""
        return self.condition > INDEPENDENT

    def refuse_defective(self) -> None:
        """Refuse a modal sum where eigenvectors are missing."""
        if self.is_usable:
            return
        closest = _closest(self.values)
        where = f", near {closest.real:.6g} {closest.imag:+.6g}i 1/s" if closest is not None else ""
        raise ComputationError(
            f"The eigenvectors are dependent (independence {self.condition:.1e}): the state matrix is defective{where},"
            " and a sum over modes does not exist. Use method direct, which needs no modes."
        )

    def entries(self) -> int:
        """Modes: pairs, real eigenvalues and zeros."""
        return len(conjugate_representatives(self.spectrum))

    def lowest(self, count: int) -> np.ndarray:
        """Which of `values` (bool) belong to the `count` lowest modes; zeros come first."""
        kept = conjugate_representatives(self.spectrum)[:count]
        allowed = self.spectrum.eigenvalues[kept]
        return np.isin(self.values, allowed) | np.isin(self.values, allowed.conj())

    def __call__(self, s: np.ndarray, keep: np.ndarray | None = None, zeros: bool = True) -> np.ndarray:
        """H (nf, ny, nu) at s (nf,) of the kept eigenvalues."""
        keep = np.ones(len(self.values), bool) if keep is None else keep
        values, c, b = self.values[keep], self.c[:, keep], self.b[keep]
        terms = (c[:, :, None] * b).transpose(1, 0, 2).reshape(len(values), self.D.size)  # (m, ny nu)
        out = np.empty((len(s), *self.D.shape), complex)
        for part in chunks(len(s), 16.0 * (len(values) + 2 * self.D.size) + 1):
            poles = 1.0 / away_from_zero(s[part, None] - values)
            out[part] = self.D + (poles @ terms).reshape(-1, *self.D.shape)
        if zeros and len(self.N):
            out += self._zero_block(s)
        return out

    def subspace(self, members: np.ndarray, value: complex, depth: int) -> Subspace:
        """The invariant subspace of the members (n,) bool of the spectrum, for chains up to `depth`."""
        others, block = ~members[~self.spectrum.is_rigid], ~members & self.spectrum.is_rigid
        apart, whole = self.values[others] - value, self.N - value * np.eye(len(self.N))
        c, b = self.c[:, others], self.b[others]
        c0, b0 = (self.c0, self.b0) if block.any() else (self.c0[:, :0], self.b0[:0])
        onto, out_of = self.left[~self.spectrum.is_rigid][others], self.right[:, ~self.spectrum.is_rigid][:, others]
        left, right = [], []
        for _ in range(depth):
            c, b = c / apart, b / apart[:, None]
            left.append(c @ onto)
            right.append(out_of @ b)
            if block.any():
                c0, b0 = np.linalg.solve(whole.T, c0.T).T, np.linalg.solve(whole, b0)
                left[-1] += c0 @ self.left[block]
                right[-1] += self.right[:, block] @ b0
        return Subspace(value, self.right[:, members], self.left[members], left, right)

    def _zero_block(self, s: np.ndarray) -> np.ndarray:
        """C_0 (s - N)^-1 B_0 as the finite series in 1/s: N is nilpotent."""
        total = np.zeros((len(s), *self.D.shape), complex)
        s = away_from_zero(s)
        with np.errstate(all="ignore"):  # what is infinite at s = 0 is looked after by the poles
            for k, term in enumerate(self.zero_terms()):
                total += term / s[:, None, None] ** (k + 1)
        return total

    def zero_terms(self) -> list[np.ndarray]:
        """C_0 N^k B_0, what goes with 1/s^(k+1)."""
        terms, chain = [], self.b0
        for _ in range(max(self.spectrum.zero_chains, default=0)):
            terms.append(self.c0 @ chain)
            chain = self.N @ chain
        return terms


def _balance(right: np.ndarray) -> np.ndarray:
    size = np.linalg.norm(right, axis=0)
    return np.where(size > 0, size, 1.0)


def _left(right: np.ndarray) -> tuple[np.ndarray, float]:
    """Left vectors, and how independent the right ones are: reciprocal condition, rows and columns of one size."""
    if not right.size:
        return right, 1.0
    rows = np.linalg.norm(right, axis=1)
    rows = np.where(rows > 0, rows, 1.0)
    scaled = right / rows[:, None]
    columns = np.linalg.norm(scaled, axis=0)
    columns = np.where(columns > 0, columns, 1.0)
    scaled = scaled / columns
    try:
        inverse = np.linalg.inv(scaled)
    except np.linalg.LinAlgError:
        return np.zeros_like(right), 0.0
    independence = 1.0 / (np.linalg.norm(scaled, 1) * np.linalg.norm(inverse, 1))
    return inverse / columns[:, None] / rows, float(independence)


def _closest(values: np.ndarray) -> complex | None:
    """One of the two eigenvalues nearest to each other."""
    if len(values) < 2:
        return None
    apart = np.abs(values[:, None] - values) + np.diag(np.full(len(values), np.inf))
    return complex(values[np.unravel_index(np.argmin(apart), apart.shape)[0]])


# ---------------------------------------------------------------- sparse: clusters by inverse iteration


@dataclass(frozen=True, eq=False)
class Cluster:
    """An invariant subspace: (C_0 + s C_1) (s Ew - Aw)^-1 B_c with small matrices."""

    E: np.ndarray
    A: np.ndarray
    C: tuple[np.ndarray, np.ndarray]
    B: np.ndarray
    is_pair: bool  # its conjugate belongs to it

    def __call__(self, s: np.ndarray) -> np.ndarray:
        """Share of H (nf, ny, nu)."""
        own = self._one(s)
        return own + self._one(s.conj()).conj() if self.is_pair else own

    def _one(self, s: np.ndarray) -> np.ndarray:
        s = s[:, None, None]
        x = np.linalg.solve(s * self.E - self.A, np.broadcast_to(self.B, (len(s), *self.B.shape)))
        return self.C[0] @ x + s * (self.C[1] @ x)


class SparseModalForm:
    """The sum over the lowest modes of a large model; right and left vectors by inverse iteration.

    Infinite eigenvalues of the pencil (constraints) leave a constant: what an input does at once. At rest accelerations
    are taken as s times velocities, which converges far better than that constant and the modes.
    """

    def __init__(self, linear: LinearModel, equations: SparseEquations, count: int) -> None:
        from eigenbody.analyses.modes import sparse_modes

        self.modes = sparse_modes(linear, count, None)
        self._E, self._A, self._B, C, D = equations.descriptor
        self._right = as_dense(self._B)
        self._C = _split(C, linear) if linear.sparse.is_static else (C, 0 * C)
        self.D = self._at_once(linear.descriptor.differential, as_dense(D))
        groups = eigenvalue_groups(self.modes.eigenvalues)
        self.clusters = []
        for i, group in enumerate(groups):
            report("vectors of the modes", i / len(groups))
            self.clusters.append(self._cluster(self.modes.eigenvalues[group]))

    def __call__(self, s: np.ndarray) -> np.ndarray:
        """H (nf, ny, nu)."""
        out = self.D[0] + s[:, None, None] * self.D[1]
        for part in chunks(len(s), 64.0 * (self.D[0].size + 16)):
            for cluster in self.clusters:
                out[part] += cluster(s[part])
        return out

    def _at_once(self, n: int, D: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """D - C A^-1 B of the auxiliary unknowns."""
        from scipy.sparse.linalg import splu

        auxiliary = splu(self._A.tocsc()[n:, n:].tocsc()).solve(np.ascontiguousarray(self._right[n:]))
        now, rate = (np.asarray(part.tocsc()[:, n:] @ auxiliary) for part in self._C)
        return D - now, -rate

    def _cluster(self, values: np.ndarray) -> Cluster:
        """Block inverse iteration from a shift beside the eigenvalues, right and left."""
        from scipy.sparse.linalg import splu

        centre = complex(values.mean())
        size = abs(centre) or float(np.abs(self.modes.eigenvalues).max(initial=0.0)) or 1.0
        lu = splu(((centre + 1e-5 * size) * self._E - self._A).tocsc().astype(complex))
        rng = np.random.default_rng(5)
        n, m = self._A.shape[0], len(values)
        z, w = (rng.normal(size=(n, m)).astype(complex) for _ in range(2))
        for _ in range(6):
            z = np.linalg.qr(lu.solve(self._E @ z))[0]
            w = np.linalg.qr(lu.solve(self._E.T @ w, "T"))[0]
        onto = w.T
        return Cluster(
            onto @ (self._E @ z),
            onto @ (self._A @ z),
            (self._C[0] @ z, self._C[1] @ z),
            onto @ self._right,
            bool(centre.imag > 0),
        )


def _split(C: Any, linear: LinearModel) -> tuple[Any, Any]:
    """C z = C_0 z + s C_1 z: the columns of du' stand for s times du at rest."""
    from scipy.sparse import csc_array, hstack

    d, nq = linear.descriptor, linear.point.system.nq
    C = csc_array(C)
    u, a = d.dq.stop, d.dq.stop + nq
    none = lambda columns: csc_array((C.shape[0], columns))  # noqa: E731
    C0 = hstack([C[:, :a], none(nq), C[:, a + nq :]], format="csr")
    return C0, hstack([none(u), C[:, a : a + nq], none(C.shape[1] - u - nq)], format="csr")


def eigenvalue_groups(values: np.ndarray) -> list[np.ndarray]:
    """Indices of eigenvalues that are one within SAME of their size, zeros together."""
    groups: list[list[int]] = []
    for i, value in enumerate(values):
        for group in groups:
            if abs(values[group[0]] - value) <= SAME * abs(value):
                group.append(i)
                break
        else:
            groups.append([i])
    return [np.array(group) for group in groups]
