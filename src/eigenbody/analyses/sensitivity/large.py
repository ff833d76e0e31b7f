"""Eigenvalue slopes of large mechanisms at rest: no matrix of the size of the system is ever dense.

With the pencil (s^2 M + s C + K) phi + G^T mu = 0, G phi = 0 and its left vectors psi, nu

    ds = - [psi^T (s^2 dM + s dC + dK) phi + mu^T dG psi + nu^T dG phi] / (psi^T (2 s M + C) phi)

in which d is the total derivative: matrices at the operating point moved by the parameter, with the constraint forces
there. All of them are complex steps through the same kernels, summed element by element against the mode shapes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from eigenbody.analyses.modes import Modes
from eigenbody.base.batched import as_rows
from eigenbody.base.errors import ComputationError
from eigenbody.base.progress import report
from eigenbody.dynamics.mechanics import Mechanics
from eigenbody.linearization.pencil import StaticPencil
from eigenbody.linearization.point import OperatingPoint
from eigenbody.mobility.frame import MotionFrame
from eigenbody.numerics.eigen.clusters import EPS
from eigenbody.numerics.eigen.sensitivity import in_order
from eigenbody.numerics.eigen.sparse import is_symmetric
from eigenbody.numerics.matrices.assembly import Part, Product, Triplets, sparse
from eigenbody.operating.shift import Steps, independent, shifted_state, with_steps

CRITICAL = 10.0 * EPS**0.5
"""|phi^T (2 s M + C) phi|, relative to the sum of its terms without sign, below which a mode counts as defective:
rounding of a double eigenvalue leaves about sqrt(eps)."""
UNSYMMETRIC = 1e-9  # of the largest entry, beyond rounding
SAME = 1e-7  # relative distance of eigenvalues that count as repeated
CHUNK = 4_000_000  # triplets of one chunk of parameters


@dataclass(frozen=True, eq=False)
class Slopes:
    """Derivatives (numbers, modes) of eigenvalues by the named numbers, and what to know about each mode."""

    names: tuple[str, ...]
    numbers: np.ndarray
    values: np.ndarray
    notes: tuple[str, ...]
    is_exact: bool


def eigenvalue_slopes(found: Modes, names: Sequence[str]) -> Slopes:
    """Slopes of the eigenvalues of modes found on the sparse path."""
    form = found.linear.sparse
    point = form.point
    if not form.is_static:
        raise ComputationError(
            "On the sparse path sensitivities are known at rest only; ask for --solver dense, or name fewer bodies."
        )
    pairing = _Pairing(found, form.pencil)
    chunk = max(1, CHUNK // (200 * point.system.bodies))
    names = tuple(dict.fromkeys(names))
    place = {name: k for k, name in enumerate(names)}
    values, exact = np.empty((len(names), len(found)), dtype=complex), True
    for together in independent(point.model, names):
        for few in (together[i : i + chunk] for i in range(0, len(together), chunk)):
            values[[place[name] for name in few]], is_exact = _slopes(point, with_steps(point.model, few), pairing)
            exact = exact and is_exact
    numbers = np.array([point.model.value_of(name) for name in names])
    return Slopes(names, numbers, values, pairing.notes, exact)


class _Pairing:
    """Mode shapes of all bodies, the multipliers of each mode, and groups of repeated eigenvalues."""

    def __init__(self, found: Modes, pencil: StaticPencil) -> None:
        self.values, self.G = found.eigenvalues, pencil.G.tocsr()
        self.phi = _shapes_of(found)  # (nq, modes)
        if not (is_symmetric(pencil.C, UNSYMMETRIC) and is_symmetric(pencil.K, UNSYMMETRIC)):
            raise ComputationError(
                "The stiffness or damping is not symmetric: on the sparse path left eigenvectors are not known."
                " Ask for --solver dense."
            )
        s = self.values
        force = pencil.M @ (self.phi * s**2) + pencil.C @ (self.phi * s) + pencil.K @ self.phi
        self.mu = -_multipliers(self.G, force)  # G^T mu = -force
        self.denominator = pencil.M @ (2 * s * self.phi) + pencil.C @ self.phi
        self.group = _groups(s, found.is_rigid)
        self.scale = {first: self._scale_of(pencil, first) for first in np.unique(self.group[self.group >= 0])}
        self.notes = tuple(self._note(first) for first in self.group)

    def members(self, first: int) -> np.ndarray:
        """Modes of the group whose first is given."""
        return np.flatnonzero(self.group == first)

    def _scale_of(self, pencil: StaticPencil, first: int) -> np.ndarray | None:
        """Phi^T (2 s M + C) Phi of a group, or None where it vanishes in rounding: a defective eigenvalue."""
        members = self.members(first)
        phi, size = self.phi[:, members], np.abs(self.phi[:, members])
        scale = phi.T @ self.denominator[:, members]
        terms = abs(pencil.M) @ (2 * np.abs(self.values[members]) * size) + abs(pencil.C) @ size
        unit = np.sqrt((size * terms).sum(axis=0))
        smallest = np.linalg.svd(scale / unit[:, None] / unit, compute_uv=False)[-1]
        return None if smallest <= CRITICAL else scale

    def _note(self, first: int) -> str:
        if first < 0 or (self.scale[first] is not None and len(self.members(first)) == 1):
            return ""
        if self.scale[first] is None:
            return "defective: it moves with a root of a parameter, so the derivative does not exist"
        count = len(self.members(first))
        return f"repeated: {count} equal eigenvalues; the slopes belong to the set, in order for each parameter"


def _groups(s: np.ndarray, is_rigid: np.ndarray) -> np.ndarray:
    """For each eigenvalue the first of those equal to it, sets linked by steps; -1 for rigid ones."""
    from scipy.sparse.csgraph import connected_components

    near = np.abs(s[:, None] - s) <= SAME * np.abs(s)[:, None]
    near[is_rigid], near[:, is_rigid] = False, False
    _, label = connected_components(near)
    first = np.unique(label, return_index=True)[1]
    return np.where(is_rigid, -1, first[label])


def _shapes_of(found: Modes) -> np.ndarray:
    """Body coordinates (nq, modes) of the shapes: rotations back into body axes."""
    point, system = found.linear.point, found.linear.point.system
    turned = np.einsum("bji,nbj->nbi", point.state.R, found.motion[..., 3:])
    both = as_rows(np.concatenate((found.motion[..., :3], turned), axis=-1))
    return both[:, system.body_columns].T


def _multipliers(G: object, force: np.ndarray) -> np.ndarray:
    """mu of G^T mu = force, whose left side it is up to rounding."""
    from scipy.sparse.linalg import splu

    if not G.shape[0]:  # type: ignore[attr-defined]
        return np.zeros((0, force.shape[1]), dtype=force.dtype)
    square, right = (G @ G.T).tocsc(), G @ force  # type: ignore[attr-defined]
    solve = splu(square).solve
    return solve(right.real) + 1j * solve(right.imag)


def _slopes(point: OperatingPoint, steps: Steps, pairing: _Pairing) -> tuple[np.ndarray, bool]:
    report("sensitivities")
    state, exact = shifted_state(point, steps)
    multipliers = _shifted_multipliers(point, steps, Mechanics(steps.system, state))
    mechanics = Mechanics(steps.system, state)
    slips = np.zeros(point.system.slips.count)
    n = len(steps.names)
    s, phi = pairing.values, pairing.phi
    total = np.zeros((n, len(s), len(s)), dtype=complex)  # psi_a^T (...) phi_b, within groups
    for parts, factor in ((mechanics.mass(), s**2), (mechanics.damping(), s),
                          (mechanics.stiffness(multipliers, slips), np.ones_like(s))):  # fmt: skip
        for entries in _steps_in(parts, point.system.nq, steps):
            _add(total, entries, phi, phi * factor, pairing.group)
    rows = np.full(point.system.constraints.count, -1)
    rows[point.chosen.rows] = np.arange(len(point.chosen.rows))
    for triplets in mechanics.holonomic.rows():
        chosen = Triplets(rows[triplets.rows], triplets.cols, triplets.values)
        kept = chosen.rows >= 0
        held = Triplets(chosen.rows[kept], chosen.cols[kept], chosen.values[..., kept])
        for entries in _steps_in([held], point.system.nq, steps, rows=len(point.chosen.rows)):
            _add(total, entries, pairing.mu, phi, pairing.group)
            number, row, column, slope = entries
            _add(total, (number, column, row, slope), phi, pairing.mu, pairing.group)
    return _within_groups(total, pairing), exact


def _shifted_multipliers(point: OperatingPoint, steps: Steps, moved: Mechanics) -> np.ndarray:
    """Constraint forces in the moved state: G^T d(lambda) = -dF at fixed lambda."""
    lam, n = point.motion.multipliers, len(steps.names)
    residual = moved.residual(lam, np.zeros(point.system.slips.count))
    if not np.iscomplexobj(residual):
        return lam
    force = steps.slope(np.broadcast_to(residual, (n, residual.shape[-1])))
    if not np.any(force):
        return lam
    frame = MotionFrame(Mechanics(point.system, point.state), point.chosen)
    found = frame.at_velocity.solve_transposed(np.ascontiguousarray(-force.T))[: len(point.chosen.rows)]
    change = np.zeros((n, len(lam)))
    change[:, point.chosen.rows] = found.T
    return lam + 1j * steps.size[:, None] * change


Entries = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]  # variant, row, column, slope


def _steps_in(parts: Sequence[Part], nq: int, steps: Steps, rows: int | None = None) -> Iterator[Entries]:
    """The non-zero slopes in parts as entries (number, row, column, value)."""
    height = nq if rows is None else rows
    for part in parts:
        if isinstance(part, Product):
            yield from _product_steps(part, nq, steps)
        elif np.iscomplexobj(part.values):
            values = np.broadcast_to(part.values, (len(steps.names), part.values.shape[-1])).imag
            k, e = np.nonzero(values)
            inside = (part.rows[e] < height) & (part.cols[e] < nq)
            k, e = k[inside], e[inside]
            yield k, part.rows[e], part.cols[e], values[k, e] / steps.size[k]


def _product_steps(part: Product, nq: int, steps: Steps) -> Iterator[Entries]:
    """Slopes of sum f_k left_i^T right_j, number by number where its rows or factors have one."""
    varying = [np.iscomplexobj(v) for v in (part.factor, part.left.values, part.right.values)]
    if not any(varying):
        return
    for k in range(len(steps.names)):
        own = [_one(v, k) for v in (part.factor, part.left.values, part.right.values)]
        if not any(np.any(np.imag(v)) for v in own):
            continue
        left = sparse([Triplets(part.left.rows, part.left.cols, own[1])], (part.count, nq))
        right = sparse([Triplets(part.right.rows, part.right.cols, own[2])], (part.count, nq))
        stepped = (np.imag(own[0]) != 0) | np.isin(part.i, _rows_with_steps(part.left, own[1]))
        touched = np.flatnonzero(stepped | np.isin(part.j, _rows_with_steps(part.right, own[2])))
        middle = sparse([Triplets(part.i[touched], part.j[touched], own[0][touched])], (part.count, part.count))
        whole = (left.T @ (middle @ right)).tocoo()
        slope = whole.data.imag / steps.size[k]
        yield np.full(len(slope), k), whole.row, whole.col, slope


def _rows_with_steps(rows: Triplets, values: np.ndarray) -> np.ndarray:
    return np.unique(rows.rows[np.imag(values) != 0])


def _one(values: np.ndarray, k: int) -> np.ndarray:
    return values[k] if values.ndim > 1 else values


def _add(total: np.ndarray, entries: Entries, left: np.ndarray, right: np.ndarray, group: np.ndarray) -> None:
    """Add sum left[row]_a slope right[column]_b to total[number, a, b], between modes of the same group only."""
    k, row, column, slope = entries
    for a, b in zip(*np.nonzero((group[:, None] == group) & (group >= 0)), strict=True):
        total[:, a, b] += _by_number(k, slope * left[row, a] * right[column, b], len(total))


def _by_number(k: np.ndarray, values: np.ndarray, n: int) -> np.ndarray:
    return np.bincount(k, values.real, n) + 1j * np.bincount(k, values.imag, n)


def _within_groups(total: np.ndarray, pairing: _Pairing) -> np.ndarray:
    """- (denominator of the group)^-1 times its block; eigenvalues of it are the slopes of a repeated eigenvalue."""
    out = np.full(total.shape[:2], complex(np.nan, np.nan))
    for first, scale in pairing.scale.items():
        if scale is None:
            continue
        members = pairing.members(first)
        block = -np.linalg.solve(scale, total[:, members[:, None], members])
        slopes = block[..., 0] if len(members) == 1 else np.linalg.eigvals(block)
        out[:, members] = in_order(slopes, complex(pairing.values[members].mean()))
    return out
