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
from eigenbody.analyses.sensitivity.pairing import Pairing, is_mirrored
from eigenbody.base.batched import as_rows
from eigenbody.base.errors import ComputationError
from eigenbody.base.progress import report
from eigenbody.dynamics.mechanics import Mechanics
from eigenbody.linearization.point import OperatingPoint
from eigenbody.mobility.frame import MotionFrame
from eigenbody.model.model import InertModel
from eigenbody.numerics.matrices.assembly import Product, Triplets, sparse
from eigenbody.numerics.matrices.linear import blocks
from eigenbody.operating.shift import Steps, independent, shifted_state, with_steps

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
    values, numbers, exact = np.empty((len(names), len(pairing.values)), dtype=complex), np.empty(len(names)), True
    for together in independent(model, names):
        for few in (together[i : i + chunk] for i in range(0, len(together), chunk)):
            steps = with_steps(model, few)
            state, is_exact = shifted_state(point, steps)
            moved = Mechanics(steps.system, state)
            judge(steps, moved)
            own = [place[name] for name in few]
            values[own], numbers[own] = _slopes(point, steps, moved, pairing), steps.values
            exact = exact and is_exact
    return Slopes(names, numbers, values, pairing.notes, exact)


def _shapes_of(found: Modes) -> np.ndarray:
    """Body coordinates (nq, modes) of the shapes: rotations back into body axes."""
    point, system = found.linear.point, found.linear.point.system
    turned = np.einsum("bji,nbj->nbi", point.state.R, found.motion[..., 3:])
    both = as_rows(np.concatenate((found.motion[..., :3], turned), axis=-1))
    return both[:, system.body_columns].T


def _slopes(point: OperatingPoint, steps: Steps, mechanics: Mechanics, pairing: Pairing) -> np.ndarray:
    report("sensitivities")
    multipliers = _shifted_multipliers(point, steps, mechanics, pairing.top)
    slips = np.zeros(point.system.slips.count)
    s, phi, pairs, nq = pairing.values, pairing.phi, pairing.pairs, point.system.nq
    total = np.zeros((len(steps.names), len(pairs[0])), dtype=complex)  # phi_a^T (...) phi_b, within groups
    for parts, factor in ((mechanics.mass(), s**2), (mechanics.damping(), s),
                          (mechanics.stiffness(multipliers, slips), np.ones_like(s))):  # fmt: skip
        scaled = phi * factor
        for part in parts:
            if isinstance(part, Product):
                _add_product(total, part, steps, phi, scaled, pairs)
                continue
            for entries in steps_in([part], nq, steps, rows=nq):
                _add(total, entries, phi, scaled, pairs)
    rows = np.full(point.system.constraints.count, -1)
    rows[point.chosen.rows] = np.arange(len(point.chosen.rows))
    for triplets in mechanics.holonomic.rows():
        chosen = Triplets(rows[triplets.rows], triplets.cols, triplets.values)
        kept = chosen.rows >= 0
        held = Triplets(chosen.rows[kept], chosen.cols[kept], chosen.values[..., kept])
        for entries in steps_in([held], nq, steps, rows=len(point.chosen.rows)):
            _add(total, entries, pairing.mu, phi, pairs)
            number, row, column, slope = entries
            _add(total, (number, column, row, slope), phi, pairing.mu, pairs)
    return pairing.slopes(total)


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
Pairs = tuple[np.ndarray, np.ndarray]  # modes (a, b)


def steps_in(parts: Sequence[Triplets], nq: int, steps: Steps, rows: int) -> Iterator[Entries]:
    """The non-zero slopes in parts of a matrix (rows, nq) as entries (number, row, column, value)."""
    for part in parts:
        if np.iscomplexobj(part.values):
            k, e, slope = _slopes_in(part.values, steps)
            inside = (part.rows[e] < rows) & (part.cols[e] < nq)
            k, e, slope = k[inside], e[inside], slope[inside]
            yield k, part.rows[e], part.cols[e], slope


def _add_product(
    total: np.ndarray, part: Product, steps: Steps, left: np.ndarray, right: np.ndarray, pairs: Pairs
) -> None:
    """Add what the steps change in sum_e f_e left_i^T right_j, e = (i, j): of the factors f, and of the rows at either
    side of them, by the product rule."""
    if not any(np.iscomplexobj(v) for v in (part.factor, part.left.values, part.right.values)):
        return
    shape, f = (part.count, len(left)), _without_steps(part.factor)
    along_left, along_right = (
        sparse([Triplets(g.rows, g.cols, _without_steps(g.values))], shape) @ shapes
        for g, shapes in ((part.left, left), (part.right, right))
    )
    k, e, slope = _slopes_in(part.factor, steps)
    _add(total, (k, part.i[e], part.j[e], slope), along_left, along_right, pairs)
    for k, row, column, slope in steps_in([part.left], len(left), steps, rows=part.count):
        own, e = _meeting(row, part.i, part.count)
        _add(total, (k[own], column[own], part.j[e], slope[own] * f[e]), left, along_right, pairs)
    for k, row, column, slope in steps_in([part.right], len(right), steps, rows=part.count):
        own, e = _meeting(row, part.j, part.count)
        _add(total, (k[own], part.i[e], column[own], slope[own] * f[e]), along_left, right, pairs)


def _without_steps(values: np.ndarray) -> np.ndarray:
    """The numbers themselves, the same in every variant."""
    return (values[0] if values.ndim > 1 else values).real


def _slopes_in(values: np.ndarray, steps: Steps) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Number, place and value of the non-zero slopes of values (n,), or (numbers, n)."""
    step = np.broadcast_to(values, (len(steps.names), values.shape[-1])).imag
    k, e = np.nonzero(step)
    return k, e, step[k, e] / steps.size[k]


def _meeting(a: np.ndarray, b: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
    """All places (m, n) with a[m] = b[n]; both hold integers below count."""
    many, by_value = np.bincount(b, minlength=count), np.argsort(b, kind="stable")
    first, each = (np.cumsum(many) - many)[a], many[a]
    m = np.repeat(np.arange(len(a)), each)
    along = np.arange(len(m)) - np.repeat(np.cumsum(each) - each, each)
    return m, by_value[first[m] + along]


def _add(total: np.ndarray, entries: Entries, left: np.ndarray, right: np.ndarray, pairs: Pairs) -> None:
    """Add sum left[row]_a slope right[column]_b to total[number, pair] of each pair of modes (a, b)."""
    from scipy.sparse import csr_array

    a, b = pairs
    for own in blocks(len(entries[0]), max(1, CHUNK // max(1, len(a)))):
        k, row, column, slope = (part[own] for part in entries)
        by_number = csr_array((slope, (k, np.arange(len(k)))), shape=(len(total), len(k)))
        total += by_number @ (left[row][:, a] * right[column][:, b])
