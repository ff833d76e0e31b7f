"""Conditions that modes must meet whatever algorithm found them, and what of the judgement rounding leaves open."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from eigenbody.dynamics.mechanics import Mechanics
from eigenbody.linearization.model import LinearModel
from eigenbody.linearization.point import OperatingPoint
from eigenbody.mobility.frame import measure_rows
from eigenbody.mobility.treespace import coordinate_set
from eigenbody.model.description import owner_of
from eigenbody.model.names import GROUND
from eigenbody.numerics.eigen.spectrum import Spectrum
from eigenbody.numerics.matrices.linear import blocks
from eigenbody.numerics.matrices.noise import balancing_scale
from eigenbody.numerics.matrices.thin import SPARSE, thinned

if TYPE_CHECKING:
    from eigenbody.numerics.eigen.sparse import SparseModes

WRONG_PAIR = 1e-8  # backward error, relative, that no backward-stable algorithm leaves
WRONG_SUM = 1e-6  # defect of the sum of all eigenvalues, or of their squares, relative to that of their magnitudes
BLOCK = 128  # pairs whose residuals are found at a time
DISPLACED = 1e-9  # displacement in a zero that is a motion at constant speed, per speed over the fastest rate
UNCERTAIN = 1e-3  # part of an eigenvalue that rounding may change without a word
TURNS = 1e-9  # part of the fastest angular velocity that is one
TILTS = 3  # coordinates of a joint from which on some are measured across its axis
STRAINED = 1e-6  # deflection of an element, part of the size of its summands, that is more than rounding

FROZEN = (
    "The equations change along the motion, in these coordinates and in every turning frame tried: the eigenvalues are"
    " those of an instant and say nothing about stability. Find an equilibrium or a steady motion (operating_point), or"
    " where the motion repeats itself use Floquet's theory: eigenbody floquet, eb.floquet(...)."
)
NOT_TRIED = (
    "The equations change along the motion in these coordinates: the eigenvalues are those of an instant. Turning"
    " frames are not tried for so many freedoms, and nothing is said about stability."
)
FROM_TURNING = (
    "{0}: its first body turns and its second does not, so that its coordinates are measured in axes that turn. Write"
    " its bodies in the other order, between: [{2}, {1}], and what is given of its coordinates with the other sign."
)
FIRST_LISTED = (
    "{0} rests and {1} turns: of bodies that no joint holds to ground the first listed rests where nothing is said. If"
    " it is {0} that is to turn, list {1} first in bodies, or hang it on ground by a free joint."
)
IN_FRAME = (
    "The equations are constant in the frame that turns with {0}, not in these coordinates: stability ({1}) is that of"
    " the eigenvalues there (modes --frame {0}); those listed belong to an instant."
)
SEEN_FROM = (
    "The equations are constant for an observer who turns with {0}, not for one at rest: these modes are as the first"
    " sees them (modes --frame {0} lists both)."
)
FROM_GROUND = (
    "The equations are constant for an observer at rest, not in the coordinates of the model, of which some turn: these"
    " modes are as seen from the ground."
)
IN_PATTERNS = (
    "The equations are constant in multi-blade coordinates ({0} equal blades on {1}), not in these: stability ({2}) is"
    " that of the eigenvalues there, which modes of the model lists; those listed belong to an instant."
)
CONTRADICTED = (
    "Eigenvalues with zeros recognized contradict the plain ones ({}): the plain ones are shown, and what is zero among"
    " them is not decided."
)
MISCOUNTED = "{} eigenvalues are taken for zero, a second count finds {}: what is zero among the modes is not decided."
MISSED = "An inertia count finds more modes than were returned in their range: ask for more (--n) or by parts (--near)."


@dataclass(frozen=True)
class ModesCertificate:
    """residual  largest backward error of the returned pairs in the linear equations
    trace     largest relative defect of the sum of all eigenvalues (and of their squares) against the trace of A (of
              A^2); None where not all were asked for
    zeros     how many zeros were recognized, and how many a plain algorithm finds within its error bounds of zero; of
              a large undamped mechanism how many an inertia count finds, None where that is not conclusive
    """

    residual: float
    trace: float | None
    zeros: tuple[int, int | None]

    def as_dict(self) -> dict[str, Any]:
        return {"residual": self.residual, "trace": self.trace, "zeros": list(self.zeros)}

    @property
    def holds(self) -> bool:
        """Whether nothing contradicts the modes."""
        return self.residual <= WRONG_PAIR and (self.trace is None or self.trace <= WRONG_SUM) and self.counts_agree

    @property
    def counts_agree(self) -> bool:
        """Whether no more zeros were recognized than a second way of counting allows."""
        found, plain = self.zeros
        return plain is None or found <= plain


def certify_modes(linear: LinearModel, spectrum: Spectrum, chosen: np.ndarray, vectors: np.ndarray) -> ModesCertificate:
    """Check eigenvalues `chosen` of a spectrum with their `vectors` (chosen, states) in the linear equations."""
    values, shown = spectrum.eigenvalues[chosen], vectors
    check = _second_order_residuals if linear.is_second_order else _first_order_residuals
    if spectrum.is_rigid[chosen].any():  # vectors of a zero may be generalized ones
        plain = ~spectrum.is_rigid[chosen]
        values, shown = values[plain], vectors[plain]
    residuals = check(linear, values, shown)
    all_of_them = 2 * len(chosen) - np.count_nonzero(spectrum.eigenvalues[chosen].imag == 0) == len(linear.states)
    return ModesCertificate(
        residual=float(residuals.max(initial=0.0)),
        trace=_trace_defect(linear, spectrum.eigenvalues) if all_of_them else None,
        zeros=(int(spectrum.is_rigid.sum()), spectrum.near_zero),
    )


def _second_order_residuals(linear: LinearModel, values: np.ndarray, vectors: np.ndarray) -> np.ndarray:
    """|(l^2 M + l C + K) q| over the sum of the sizes of its terms (Tisseur 2000), in coordinates of unit mass."""
    unit = 1 / np.sqrt(np.diagonal(linear.M))
    weight = np.outer(unit, unit)
    matrices = ((linear.M, values**2), (linear.C, values), (linear.K, np.ones(len(values))))
    terms = [(matrix * weight, factor) for matrix, factor in matrices if np.any(matrix)]
    size = sum((np.linalg.norm(scaled) * np.abs(factor) for scaled, factor in terms), start=np.zeros(len(values)))
    thin = [(thinned(scaled, SPARSE) if len(values) > BLOCK else scaled, factor) for scaled, factor in terms]
    out = np.empty(len(values))
    for block in blocks(len(values), BLOCK):
        q = _coordinates(vectors[block, : linear.dof] / unit)
        left = sum((_product(scaled, q) * factor[block] for scaled, factor in thin), start=np.zeros(q.shape))
        length = np.linalg.norm(q, axis=0)
        out[block] = np.linalg.norm(left, axis=0) / np.maximum(size[block] * length, 1e-300)
    return out


def _coordinates(rows: np.ndarray) -> np.ndarray:
    """The columns (states, entries) of rows of vectors, real where they are."""
    return np.ascontiguousarray((rows if np.any(rows.imag) else rows.real).T)


def _product(matrix: Any, q: np.ndarray) -> np.ndarray:
    """A real matrix times q (n, m), which may be complex: by real products."""
    return (matrix @ q.view(float)).view(q.dtype)


def _first_order_residuals(linear: LinearModel, values: np.ndarray, vectors: np.ndarray) -> np.ndarray:
    """|A x - l x| over the sizes of its terms, in balanced states."""
    scale = balancing_scale(linear.A, linear.noise_A)
    A = linear.A * scale / scale[:, None]
    x = vectors.T / scale[:, None]
    size = (np.linalg.norm(A) + np.abs(values)) * np.linalg.norm(x, axis=0)
    return np.linalg.norm(A @ x - x * values, axis=0) / np.maximum(size, 1e-300)


def _trace_defect(linear: LinearModel, values: np.ndarray) -> float:
    first, second = _traces(linear)
    size = np.abs(values)
    defects = (abs(values.sum() - first), abs((values**2).sum() - second))
    return max(float(d / s) if s > 0 else float(d) for d, s in zip(defects, (size.sum(), (size**2).sum()), strict=True))


def _traces(linear: LinearModel) -> tuple[float, float]:
    """Trace of A and of A^2."""
    if not linear.is_second_order:
        return float(np.trace(linear.A)), float(np.sum(linear.A * linear.A.T))
    from scipy.linalg.lapack import dpotrf, dpotri

    inverse = linear.M
    if linear.dof:
        upper = dpotri(dpotrf(linear.M)[0])[0]
        inverse = upper + np.triu(upper, 1).T
    second = -2 * float(np.sum(inverse * linear.K.T))
    if not np.any(linear.C):
        return 0.0, second
    loss = inverse @ (thinned(linear.C, SPARSE) if linear.dof > BLOCK else linear.C)
    return -float(np.trace(loss)), second + float(np.sum(loss * loss.T))


# What rounding leaves open --------------------------------------------------------------------------------------------
def strained_zeros(linear: LinearModel, spectrum: Spectrum) -> tuple[str, ...]:
    """Elements that the motions of the zero eigenvalue deflect: their stiffness is lost in the rounding of others, or
    cancels against others within it. That these eigenvalues are zero is then not known.

    Of a chain the eigenvector alone: how a faster turn stretches what turns is in the next vector, and proves nothing.
    """
    if not spectrum.is_rigid.any():
        return ()
    eigenvectors = np.flatnonzero(spectrum.is_rigid)[: len(spectrum.zero_chains)]
    states = np.real(spectrum.columns(eigenvectors))
    q, fastest = states[: linear.P.shape[1]], np.abs(spectrum.eigenvalues).max(initial=0.0)
    least = least_displacement(states, fastest)
    return deflected_elements(linear.point, linear.P @ q[:, np.abs(q).max(axis=0, initial=0.0) > least])


def least_displacement(states: np.ndarray, fastest: np.ndarray) -> np.ndarray:
    """Displacement in vectors (..., states, k) of zero below which it is rounding beside a speed."""
    return np.asarray(DISPLACED * np.abs(states).max(axis=-2, initial=0.0) / (1.0 + fastest))


def deflected_elements(point: OperatingPoint, motion: np.ndarray) -> tuple[str, ...]:
    """Elements with stiffness that motions (nq, k) of the bodies deflect."""
    law, motion = point.system.forces.linear, without_own_motion(point, motion)
    moved = np.vstack((bends_from_ground(point.mechanics, motion), np.zeros((1, motion.shape[1]))))
    measures, jet = point.system.forces.measures, point.mechanics.applied.jet
    there, gradient = moved[measures.columns], jet.gradient[..., None]
    deflection, size = np.abs((gradient * there).sum(axis=1)), (np.abs(gradient) * np.abs(there)).sum(axis=1)
    most = np.abs(gradient).sum(axis=1) * np.abs(moved).max(axis=0, initial=0.0)
    felt = np.any((deflection > STRAINED * size) & (size > STRAINED * most), axis=1)
    owners = law.owner[(law.k != 0) & (felt[law.i] | felt[law.j])]
    return tuple(dict.fromkeys(point.system.forces.owners[k] for k in owners))


def without_own_motion(point: OperatingPoint, motion: np.ndarray) -> np.ndarray:
    """Those of the motions (nq, k) that do not merely go on along a steady motion: deflections that go round with it
    (of an elastic seat on a shaft that sags) are as balanced further on, which was looked at when it was found."""
    if not point.is_steady:
        return motion
    state, dof = point.state, point.system.dof
    velocity = np.concatenate((np.real(state.v), np.real(state.w)), axis=1)
    moves = dof[: len(velocity)] >= 0
    own = np.zeros(len(motion))
    own[dof[: len(velocity)][moves]] = velocity[moves]
    length = float(np.linalg.norm(own))
    if not length:
        return motion
    own /= length
    beside = np.linalg.norm(motion - np.outer(own, own @ motion), axis=0)
    return motion[:, beside > STRAINED * np.linalg.norm(motion, axis=0)]


def bends_from_ground(mechanics: Mechanics, motion: np.ndarray) -> np.ndarray:
    """Motions (..., nq, k) of the bodies, with modal coordinates of symmetric ones as they are seen from the ground.

    A round shaft that sags turns about its bent line: in axes that turn with it its bend goes round, and nothing is
    strained by that.
    """
    system, moved = mechanics.system, np.array(motion)
    for body in system.description.flexible:
        if body.symmetry is not None:
            coordinates = coordinate_set(system, np.array([system.aliases[name] for name in body.coordinates]))
            carriers = system.dof[[system.places.index[name] for name in body.carriers], :3]
            places = carriers.ravel()[: coordinates.count]
            moved[..., places, :] = measure_rows(mechanics, coordinates, False) @ motion
    return moved


def open_questions(linear: LinearModel, spectrum: Spectrum, entries: np.ndarray) -> tuple[str, ...]:
    """Notes on what could not be decided, for the listed entries (numbers of the spectrum)."""
    names = strained_zeros(linear, spectrum)
    least = float(spectrum.bounds[spectrum.is_rigid].max()) if names else 0.0
    damped = np.any(linear.C) or not linear.is_second_order
    open_ones = np.flatnonzero(spectrum.undecided[entries]) if damped else ()
    values, bounds = spectrum.eigenvalues[entries], spectrum.bounds[entries]
    uncertain = on_frequencies(values, np.where(spectrum.is_rigid[entries], 0.0, bounds))
    return (*_on_zeros(names, least), *uncertain, *on_damping(open_ones))


def open_questions_of_few(point: OperatingPoint, found: SparseModes) -> tuple[str, ...]:
    """The same for modes found by the sparse path."""
    uncertain = on_frequencies(found.eigenvalues, np.where(found.is_zero, 0.0, found.bounds))
    damping = on_damping(np.flatnonzero(found.undecided))
    if not found.is_zero.any():
        return (*uncertain, *damping)
    names = deflected_elements(point, np.real(found.vectors[:, found.is_zero]))
    return (*_on_zeros(names, float(found.bounds[found.is_zero].max())), *uncertain, *damping)


def _on_zeros(names: Sequence[str], least: float) -> tuple[str, ...]:
    if not names:
        return ()
    return (
        f"Motions of the zero eigenvalue deflect {', '.join(names[:6])}{' and others' if len(names) > 6 else ''}:"
        " stiffnesses are so far apart, or so nearly cancel, that double precision cannot tell these eigenvalues"
        f" from zero; they lie below {least:.2g} rad/s. Model the stiff parts as rigid, or free what cancels.",
    )


def on_frequencies(eigenvalues: np.ndarray, bounds: np.ndarray) -> tuple[str, ...]:
    """A sentence where rounding may change eigenvalues by more than a thousandth of them."""
    open_ones = np.flatnonzero(bounds > UNCERTAIN * np.abs(eigenvalues))
    if not len(open_ones):
        return ()
    worst = open_ones[np.argmax(bounds[open_ones] / np.abs(eigenvalues[open_ones]))]
    numbers = [str(k + 1) for k in open_ones]
    return (
        f"Rounding of the equations leaves mode {', '.join(numbers[:8])}{' and others' if len(numbers) > 8 else ''}"
        f" uncertain: mode {worst + 1} at {abs(eigenvalues[worst]):.4g} rad/s may be off by {bounds[worst]:.1g} rad/s."
        " Masses or stiffnesses are too far apart for these coordinates: make very stiff parts rigid, very light ones"
        " massless (at rest), or take coordinates relative to ground.",
    )


def on_damping(entries: Iterable[int]) -> tuple[str, ...]:
    """A sentence on modes whose damping is lost in rounding."""
    numbers = [str(k + 1) for k in entries]
    if not numbers:
        return ()
    return (
        f"Damping of mode {', '.join(numbers[:8])}{' and others' if len(numbers) > 8 else ''} is below the rounding of"
        " the equations: whether it decays, grows or does neither is not known.",
    )


# Equations that change along the motion -------------------------------------------------------------------------------
def on_an_instant(point: OperatingPoint, are_frames_tried: bool, of_blades: str) -> tuple[str, ...]:
    """What to say of eigenvalues of equations that are constant nowhere; `of_blades` says what keeps blades from it."""
    blades = (f"Multi-blade coordinates do not help. {of_blades}.",) if of_blades else ()
    return (
        FROZEN if are_frames_tried else NOT_TRIED,
        *blades,
        *_measured_from_turning(point),
        *_turning_on_rest(point),
    )


def _turning_on_rest(point: OperatingPoint) -> Iterator[str]:
    """Parts that float, of which the body whose coordinates come first rests and one beside it turns, though forces tie
    it to ground."""
    system, w = point.system, np.abs(np.real(point.mechanics.at.w)).max(axis=-1)
    tree, names, least = system.tree, system.places.names, TURNS * float(w.max(initial=0.0))
    roots = tree.roots.tolist()
    ends = [entry.get("between") or () for entry in system.description.forces]
    tied = {owner_of(end) for own in ends if GROUND in own for end in own}
    for body, parent in zip(tree.order.tolist(), tree.parent.tolist(), strict=True):
        if parent in roots and w[body] > least >= w[parent] and owner_of(names[body]) in tied:
            yield FIRST_LISTED.format(owner_of(names[parent]), owner_of(names[body]))


def _measured_from_turning(point: OperatingPoint) -> Iterator[str]:
    """Joints that leave a body free in space or to tilt, written from the body that turns to one that does not."""
    system, w = point.system, np.abs(np.real(point.mechanics.at.w)).max(axis=-1)
    least = TURNS * float(w.max(initial=0.0))
    for group in system.joints:
        entries = [system.description.joints[i] for i in group.index.tolist()]
        for entry in entries if group.coordinates.shape[1] >= TILTS else ():
            ends = [system.places.carrier(end) for end in entry["between"]]
            if w[ends[0]] > least >= w[ends[1]] and ends[1] not in system.tree.roots:
                yield FROM_TURNING.format(entry.where, *entry["between"])
