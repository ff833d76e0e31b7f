"""Likeness of mode shapes: the modal assurance criterion (MAC) between any two sets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from eigenbody.analyses.modes.given import modes_of
from eigenbody.base.batched import as_rows
from eigenbody.base.errors import Fault, InputError
from eigenbody.base.result import Drawn
from eigenbody.linearization.point import OperatingPoint
from eigenbody.linearization.subject import Subject
from eigenbody.numerics.matrices.assembly import Triplets, dense
from eigenbody.spatial.rotations import apply
from eigenbody.system.state import spread

if TYPE_CHECKING:
    from eigenbody.analyses.modes.result import Modes


def mac_matrix(a: np.ndarray, b: np.ndarray, weight: np.ndarray | None = None) -> np.ndarray:
    """MAC (..., n, k) of the row vectors of a (..., n, m) and b (..., k, m): |a* W b|^2 / (a* W a)(b* W b).

    `weight` is W: (m,) a diagonal, (m, m) a positive semidefinite matrix. One for shapes alike up to a complex factor,
    zero for orthogonal ones and for a shape that does not move.
    """
    a, b = _scaled(a), _scaled(b)
    heavy_a, heavy_b = _weighed(a, weight), _weighed(b, weight)
    cross = a.conj() @ np.swapaxes(heavy_b, -1, -2)
    size = np.einsum("...nm,...nm->...n", a.conj(), heavy_a).real[..., :, None]
    other = np.einsum("...km,...km->...k", b.conj(), heavy_b).real[..., None, :]
    product = size * other
    moves = product > 0
    return np.where(moves, np.minimum(np.abs(cross) ** 2 / np.where(moves, product, 1.0), 1.0), 0.0)


def _scaled(vectors: np.ndarray) -> np.ndarray:
    """Row vectors with largest component one: squares neither overflow nor vanish."""
    vectors = np.asarray(vectors)
    top = np.abs(vectors).max(axis=-1, keepdims=True, initial=0.0)
    return vectors / np.where(top > 0, top, 1.0)


def _weighed(vectors: np.ndarray, weight: np.ndarray | None) -> np.ndarray:
    """W v for every row vector v."""
    if weight is None:
        return vectors
    return vectors * weight if np.ndim(weight) == 1 else vectors @ np.asarray(weight).T


@dataclass(frozen=True)
class MacPair:
    """Mode `first` of one set is like mode `second` of the other (counted from 0)."""

    first: int
    second: int
    value: float


@dataclass(frozen=True, eq=False)
class Mac(Drawn, look="analyses.modes.look.mac"):
    """MAC between two sets of modes: `values` (n, k), one for alike, zero for orthogonal shapes.

    `weighting` is "mass" (the shapes are compared by kinetic energy), "plain" or "given".
    """

    values: np.ndarray
    first: tuple[str, ...]  # what the rows are
    second: tuple[str, ...]
    weighting: str

    def pairs(self, at_least: float = 0.0) -> tuple[MacPair, ...]:
        """The assignment of modes, one to one, with the largest sum of MAC; those below `at_least` are left out."""
        from scipy.optimize import linear_sum_assignment

        rows, columns = linear_sum_assignment(self.values, maximize=True)
        chosen = ((int(i), int(j), float(self.values[i, j])) for i, j in zip(rows, columns, strict=True))
        return tuple(MacPair(i, j, value) for i, j, value in chosen if value >= at_least)


def mac(
    a: Subject | np.ndarray, b: Subject | np.ndarray | None = None, weight: np.ndarray | str | None = "mass"
) -> Mac:
    """MAC between two mode sets; without `b` of one with itself.

    Modes of models with the same bodies are compared by mass and inertia (`weight` "mass"), arrays (n, m) of row
    vectors as they are. `weight` None compares plainly; an array (m,) or (m, m) weighs the components. Measured modes
    (`measured_modes`) as `b` are compared at the places and in the directions that were measured.
    """
    a = a if isinstance(a, np.ndarray) else modes_of(a)
    from eigenbody.analyses.modes.measured import MeasuredModes  # which is compared by this module

    if isinstance(b, MeasuredModes):
        if isinstance(a, np.ndarray):
            raise InputError(Fault("mac", "measured modes are compared with modes of a model.", "Give these first."))
        return b.mac(a)
    b = a if b is None else b if isinstance(b, np.ndarray) else modes_of(b)
    if isinstance(weight, str) and weight != "mass":
        raise InputError(Fault("weight", f'"{weight}" is not known.', 'Use "mass", None or an array.'))
    by_mass = isinstance(weight, str) and not isinstance(a, np.ndarray) and not isinstance(b, np.ndarray)
    one, other = (_by_mass(x, _roots(a, b)) if by_mass else _row_vectors(x) for x in (a, b))  # type: ignore[arg-type]
    if one.shape[-1] != other.shape[-1]:
        what = f"the shapes of one set have {one.shape[-1]} components, those of the other {other.shape[-1]}."
        raise InputError(Fault("mac", what, "Compare sets of the same bodies, or cut out arrays that match."))
    given = None if isinstance(weight, str) or weight is None else np.asarray(weight)
    if given is not None and (given.ndim not in (1, 2) or any(side != one.shape[-1] for side in given.shape)):
        what = f"the weight has shape {given.shape}; shapes have {one.shape[-1]} components."
        raise InputError(Fault("weight", what, "Give one number per component, or a square matrix."))
    named = "mass" if by_mass else "plain" if given is None else "given"
    return Mac(mac_matrix(one, other, given), mode_names(a), mode_names(b), named)


def _row_vectors(shapes: Modes | np.ndarray) -> np.ndarray:
    """(n, m) row vectors."""
    if not isinstance(shapes, np.ndarray) and hasattr(shapes, "shapes"):
        return as_rows(shapes.motion)
    array = np.asarray(shapes)
    if array.ndim < 2:
        raise InputError(
            Fault("mac", f"an array of shape {array.shape} is no set of modes.", "Give (modes, components).")
        )
    return as_rows(array)


@dataclass(frozen=True, slots=True, eq=False)
class _Roots:
    """Roots of mass (rows,) and inertia (rows, 3, 3), global axes; of batches of flexible bodies those of inertia and
    modal masses together (k, 3 + m, 3 + m), their frames (k,), axes and modal coordinates (k, m) among positions; of
    armatures the rates of their coordinates by all motions (n, 6 bodies), times the root of the armature."""

    mass: np.ndarray
    inertia: np.ndarray
    flexible: tuple[tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray], ...]
    armature: np.ndarray


def _roots(a: Modes, b: Modes) -> _Roots:
    """Of the first model, which has the bodies of the second."""
    one, other = (modes.linear.point.system.description.bodies.names for modes in (a, b))
    if one != other:
        what = "the two sets belong to models with other bodies."
        raise InputError(Fault("mac", what, "Compare arrays of what they have in common: modes.shapes[:, bodies]."))
    point = a.linear.point
    R = np.real(point.state.R)
    inertia = R @ np.real(point.system.inertia) @ np.swapaxes(R, -1, -2)
    flexible = []
    for part in point.mechanics.flexible:
        frame = part.batch.frame
        turning = np.real(point.system.inertia)[frame] + np.real(part.change)
        coupling, own = np.real(part.coupling), np.real(part.batch.mass)
        flexible.append((_root(np.block([[turning, coupling.mT], [coupling, own]])), frame, R[frame], part.batch.modal))
        inertia[frame] = 0.0
    return _Roots(np.sqrt(np.real(point.system.mass)), _root(inertia), tuple(flexible), _armature_roots(point))


def _armature_roots(point: OperatingPoint) -> np.ndarray:
    system, rows = point.system, [np.zeros((0, 6 * point.system.bodies))]
    for part in point.mechanics.armature:
        count, columns = part.armature.measures.count, part.armature.measures.columns
        gradient = dense([Triplets.of_rows(np.arange(count), columns, np.real(part.jet.gradient))], (count, system.nq))
        by_body = spread(system, np.sqrt(np.real(part.armature.inertia))[:, None] * gradient)
        by_body[..., 3:] = apply(np.real(point.state.R), by_body[..., 3:])
        rows.append(as_rows(by_body))
    return np.concatenate(rows)


def _root(matrices: np.ndarray) -> np.ndarray:
    """L with L^T L = each of the matrices (..., n, n)."""
    strength, axes = np.linalg.eigh(matrices)
    return np.sqrt(np.maximum(strength, 0.0))[..., None] * np.swapaxes(axes, -1, -2)


def _by_mass(modes: Modes, roots: _Roots) -> np.ndarray:
    """(n, components) shapes whose scalar products are twice the kinetic energy."""
    motion = modes.motion
    moved = motion[..., :3] * roots.mass[:, None]
    turned = (roots.inertia @ motion[..., 3:, None])[..., 0]
    parts = [as_rows(np.concatenate((moved, turned), axis=-1))]
    for root, frame, R, modal in roots.flexible:
        own = np.concatenate(((R.mT @ motion[:, frame, 3:, None])[..., 0],
                              as_rows(motion[..., :3])[:, modal]), axis=-1)  # fmt: skip
        parts.append(as_rows((root @ own[..., None])[..., 0]))
    if len(roots.armature):
        parts.append(as_rows(motion) @ roots.armature.T)
    return np.concatenate(parts, axis=1)


def mode_names(modes: Modes | np.ndarray) -> tuple[str, ...]:
    """A name for each mode: its number and frequency."""
    if isinstance(modes, np.ndarray) or not hasattr(modes, "damped_frequency_hz"):
        return tuple(str(i + 1) for i in range(len(modes)))
    pairs = zip(modes.kinds, modes.frequency_hz, strict=True)
    return tuple(f"{i + 1}: {'rigid' if kind == 'rigid' else f'{hz:.4g} Hz'}" for i, (kind, hz) in enumerate(pairs))
