"""Eigenvalue slopes of mechanisms at rest by their mode shapes: no linear equations are differentiated, and no matrix
of the size of the system is ever dense.

With the pencil (s^2 M + s C + K) phi + G^T mu = 0, G phi = 0 and its left vectors psi, nu

    ds = - [psi^T (s^2 dM + s dC + dK) phi + mu^T dG psi + nu^T dG phi] / (psi^T (2 s M + C) phi)

in which d is the total derivative: matrices at the operating point moved by the parameter, with the constraint forces
there. All of them are complex steps through the same kernels, summed element by element against the mode shapes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
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
from eigenbody.model.model import InertModel
from eigenbody.numerics.eigen.clusters import EPS
from eigenbody.numerics.eigen.sensitivity import in_order
from eigenbody.numerics.eigen.sparse import is_symmetric
from eigenbody.numerics.matrices.assembly import Part, Product, Triplets, sparse
from eigenbody.numerics.matrices.linear import blocks
from eigenbody.operating.shift import Steps, independent, shifted_state, with_steps
from eigenbody.system.state import State

CRITICAL = 10.0 * EPS**0.5
"""|phi^T (2 s M + C) phi|, relative to the sum of its terms without sign, below which a mode counts as defective:
rounding of a double eigenvalue leaves about sqrt(eps)."""
UNSYMMETRIC = 1e-9  # of the largest entry, beyond rounding
SAME = 1e-7  # relative distance of eigenvalues that count as repeated
BALANCED = 1e-9  # of the largest change of a force, or of that which strains everything: what nothing balances
CHUNK = 4_000_000  # triplets of one chunk of parameters


class Unbalanced(ComputationError):
    """A number whose change sets the mechanism in motion from its operating point, where this is no equilibrium that
    moves with it: the equations then hold accelerations, which are not in the formula."""

    def __init__(self, name: str) -> None:
        super().__init__(
            f"A change of {name} sets the mechanism in motion from its operating point. On the sparse path"
            " sensitivities are known at rest only: ask for an operating point of type equilibrium, or for --solver"
            " dense."
        )


@dataclass(frozen=True, eq=False)
class Slopes:
    """Derivatives (numbers, modes) of eigenvalues by the named numbers, and what to know about each mode."""

    names: tuple[str, ...]
    numbers: np.ndarray
    values: np.ndarray
    notes: tuple[str, ...]
    is_exact: bool


def _agreed(steps: Steps, moved: Mechanics) -> None:
    pass


def eigenvalue_slopes(found: Modes, names: Sequence[str]) -> Slopes:
    """Slopes of the eigenvalues of modes found on the sparse path."""
    form = found.linear.sparse
    if not form.is_static:
        raise ComputationError(
            "On the sparse path sensitivities are known at rest only; ask for --solver dense, or name fewer bodies."
        )
    if not is_mirrored(form.pencil):
        raise ComputationError(
            "The stiffness or damping is not symmetric: on the sparse path left eigenvectors are not known."
            " Ask for --solver dense."
        )
    pairing = Pairing(found.eigenvalues, _shapes_of(found), found.is_rigid, form.pencil)
    return slopes_by_shapes(form.point, form.point.model, pairing, names)


def slopes_by_shapes(
    point: OperatingPoint,
    model: InertModel,
    pairing: Pairing,
    names: Sequence[str],
    judge: Callable[[Steps, Mechanics], None] = _agreed,
) -> Slopes:
    """Slopes of the eigenvalues of modes at the point that the model asks for, one evaluation of the equations for each
    set of numbers; `judge` may refuse what a step does to the mechanism."""
    chunk = max(1, CHUNK // (200 * point.system.bodies))
    names = tuple(dict.fromkeys(names))
    place = {name: k for k, name in enumerate(names)}
    values, exact = np.empty((len(names), len(pairing.values)), dtype=complex), True
    for together in independent(model, names):
        for few in (together[i : i + chunk] for i in range(0, len(together), chunk)):
            steps = with_steps(model, few)
            state, is_exact = shifted_state(point, steps)
            judge(steps, Mechanics(steps.system, state))
            values[[place[name] for name in few]] = _slopes(point, steps, state, pairing)
            exact = exact and is_exact
    numbers = np.array([model.value_of(name) for name in names])
    return Slopes(names, numbers, values, pairing.notes, exact)


def is_mirrored(pencil: StaticPencil) -> bool:
    """Whether left vectors are the right ones."""
    return is_symmetric(pencil.C, UNSYMMETRIC) and is_symmetric(pencil.K, UNSYMMETRIC)


class Pairing:
    """Mode shapes of all bodies at rest, the multipliers of each mode, and groups of repeated eigenvalues, of a pencil
    that `is_mirrored`."""

    def __init__(self, values: np.ndarray, phi: np.ndarray, is_rigid: np.ndarray, pencil: StaticPencil) -> None:
        self.values, self.phi, self.G = values, phi, pencil.G.tocsr()  # phi (nq, modes)
        s = self.values
        force = pencil.M @ (self.phi * s**2) + pencil.C @ (self.phi * s) + pencil.K @ self.phi
        self.mu = -_multipliers(self.G, force)  # G^T mu = -force
        self.top = float(np.abs(pencil.K.data).max(initial=0.0))
        self.group = _groups(s, is_rigid)
        first, second = np.nonzero((self.group[:, None] == self.group) & (self.group >= 0))
        self.pairs: tuple[np.ndarray, np.ndarray] = first, second
        self.scale, self.clearest = self._scales(pencil)
        self.notes = tuple(self._note(first) for first in self.group)

    def members(self, first: int) -> np.ndarray:
        """Modes of the group whose first is given."""
        return np.flatnonzero(self.group == first)

    def _scales(self, pencil: StaticPencil) -> tuple[dict[int, np.ndarray | None], float]:
        """Phi^T (2 s M + C) Phi of each group, None where it vanishes in rounding: a defective eigenvalue; and the
        least of their singular values, relative to the sum of the terms without sign."""
        s, size = self.values, np.abs(self.phi)
        right = pencil.M @ (2 * s * self.phi) + pencil.C @ self.phi
        unit = np.sqrt((size * (abs(pencil.M) @ (2 * np.abs(s) * size) + abs(pencil.C) @ size)).sum(axis=0))
        scales: dict[int, np.ndarray | None] = {}
        least = [1.0]
        for first in np.unique(self.group[self.group >= 0]).tolist():
            own = self.members(first)
            scale = self.phi[:, own].T @ right[:, own]
            least.append(float(np.linalg.svd(scale / unit[own, None] / unit[own], compute_uv=False)[-1]))
            scales[first] = None if least[-1] <= CRITICAL else scale
        return scales, min(least)

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


def _slopes(point: OperatingPoint, steps: Steps, state: State, pairing: Pairing) -> np.ndarray:
    report("sensitivities")
    multipliers = _shifted_multipliers(point, steps, Mechanics(steps.system, state), pairing.top)
    mechanics = Mechanics(steps.system, state)
    slips = np.zeros(point.system.slips.count)
    s, phi, pairs = pairing.values, pairing.phi, pairing.pairs
    total = np.zeros((len(steps.names), len(pairs[0])), dtype=complex)  # phi_a^T (...) phi_b, within groups
    for parts, factor in ((mechanics.mass(), s**2), (mechanics.damping(), s),
                          (mechanics.stiffness(multipliers, slips), np.ones_like(s))):  # fmt: skip
        for entries in steps_in(parts, point.system.nq, steps):
            _add(total, entries, phi, phi * factor, pairs)
    rows = np.full(point.system.constraints.count, -1)
    rows[point.chosen.rows] = np.arange(len(point.chosen.rows))
    for triplets in mechanics.holonomic.rows():
        chosen = Triplets(rows[triplets.rows], triplets.cols, triplets.values)
        kept = chosen.rows >= 0
        held = Triplets(chosen.rows[kept], chosen.cols[kept], chosen.values[..., kept])
        for entries in steps_in([held], point.system.nq, steps, rows=len(point.chosen.rows)):
            _add(total, entries, pairing.mu, phi, pairs)
            number, row, column, slope = entries
            _add(total, (number, column, row, slope), phi, pairing.mu, pairs)
    return _within_groups(total, pairing)


def _shifted_multipliers(point: OperatingPoint, steps: Steps, moved: Mechanics, top: float) -> np.ndarray:
    """Constraint forces in the moved state: G^T d(lambda) = -dF at fixed lambda; `top` is the largest stiffness."""
    lam, n = point.motion.multipliers, len(steps.names)
    residual = moved.residual(lam, np.zeros(point.system.slips.count))
    if not np.iscomplexobj(residual):
        return lam
    force = steps.slope(np.broadcast_to(residual, (n, residual.shape[-1])))
    if not np.any(force):
        return lam
    rows, frame = len(point.chosen.rows), MotionFrame(Mechanics(point.system, point.state), point.chosen)
    found = frame.at_velocity.solve_transposed(np.ascontiguousarray(-force.T))
    left = np.abs(found[rows:]).max(axis=0, initial=0.0)  # along the coordinates: nothing holds it
    unit = np.where(steps.values == 0, 1.0, np.abs(steps.values))
    size = np.maximum(np.abs(found).max(axis=0, initial=0.0), top * point.system.length / unit)
    moving = np.flatnonzero(left > BALANCED * size)
    if len(moving):
        raise Unbalanced(steps.names[moving[0]])
    change = np.zeros((n, len(lam)))
    change[:, point.chosen.rows] = found[:rows].T
    return lam + 1j * steps.size[:, None] * change


Entries = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]  # variant, row, column, slope


def steps_in(parts: Sequence[Part], nq: int, steps: Steps, rows: int | None = None) -> Iterator[Entries]:
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


def _add(
    total: np.ndarray, entries: Entries, left: np.ndarray, right: np.ndarray, pairs: tuple[np.ndarray, np.ndarray]
) -> None:
    """Add sum left[row]_a slope right[column]_b to total[number, pair] of each pair of modes (a, b)."""
    from scipy.sparse import csr_array

    a, b = pairs
    for own in blocks(len(entries[0]), max(1, CHUNK // max(1, len(a)))):
        k, row, column, slope = (part[own] for part in entries)
        by_number = csr_array((slope, (k, np.arange(len(k)))), shape=(len(total), len(k)))
        total += by_number @ (left[row][:, a] * right[column][:, b])


def _within_groups(total: np.ndarray, pairing: Pairing) -> np.ndarray:
    """- (denominator of the group)^-1 times its block; eigenvalues of it are the slopes of a repeated eigenvalue."""
    out = np.full((len(total), len(pairing.values)), complex(np.nan, np.nan))
    group = pairing.group[pairing.pairs[0]]
    for first, scale in pairing.scale.items():
        members = pairing.members(first)
        if scale is None:
            continue
        own = total[:, group == first]
        if len(members) == 1:
            out[:, members] = -own / scale
            continue
        block = -np.linalg.solve(scale, own.reshape(len(total), len(members), len(members)))
        out[:, members] = in_order(np.linalg.eigvals(block), complex(pairing.values[members].mean()))
    return out
