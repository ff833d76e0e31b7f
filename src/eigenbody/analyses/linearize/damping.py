"""Damping added to a linear model: proportional, modal, structural, or any matrix.

The damping force -C_add W acts along the coordinates. It feeds the velocities back through the same gates as an input
would: dW' = -M^-1 C_add W, and outputs that read accelerations or reactions follow. Structural damping is a loss factor
of the stiffness, K (1 + i eta), which has a meaning at one frequency only: frequency responses have it so, everything
else the viscous damping that loses as much in each mode at its own frequency, zeta = eta / 2.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from eigenbody.analyses.linearize.gates import gates
from eigenbody.analyses.linearize.linear import linear_of
from eigenbody.base.copies import Later
from eigenbody.base.errors import ComputationError, Fault, InputError, suggest
from eigenbody.linearization.forms import DenseForm, Form, KnownStateSpace, Losses, SparseForm
from eigenbody.linearization.model import LinearModel
from eigenbody.linearization.subject import Subject
from eigenbody.model.source import shown
from eigenbody.numerics.matrices.assembly import sparse
from eigenbody.numerics.matrices.noise import EPS
from eigenbody.numerics.runtime import on_one_thread
from eigenbody.system.algebraic import reading_forces

WORDS = ("proportional", "modal", "structural")
ROUNDING = 64 * EPS  # of mode shapes
ZERO = 1e-9  # of the highest frequency: an undamped mode below it is rigid


@on_one_thread
def with_damping(
    linear: Subject,
    *,
    proportional: tuple[float, float] | None = None,
    modal: float | Sequence[float] | None = None,
    structural: float | Sequence[float] | None = None,
    matrix: Any = None,
) -> LinearModel:
    """The linear model with damping added to what it has. Give one of

    proportional  (alpha in 1/s, beta in s): C_add = alpha M + beta K
    modal         damping ratio of all undamped modes of M and the symmetric K, or one for each, lowest first; rigid
                  modes are not counted and stay undamped, as do modes beyond the list
    structural    loss factor eta of all undamped modes, or one for each: K (1 + i eta) in frequency responses, else the
                  modal damping eta / 2, which loses as much at each resonance
    matrix        C_add (dof, dof) in the coordinates of the linear model: of dampers, beside which forces that read
                  accelerations or loads act, too
    """
    every = {"proportional": proportional, "modal": modal, "structural": structural, "matrix": matrix}
    given = [name for name, value in every.items() if value is not None]
    if len(given) != 1:
        what = "nothing was given." if not given else f"{' and '.join(given)} were given together."
        raise InputError(Fault("with_damping", what, "Give one of proportional, modal, structural, matrix."))
    linear = linear_of(linear)
    if matrix is None and (reading := reading_forces(linear.point.system)):
        what = f"{reading} read accelerations or loads, so that M and K are not those of the mechanism alone."
        raise InputError(Fault("with_damping", what, "Give the matrix of the dampers, or dampers as elements."))
    if proportional is not None:
        alpha, beta = _two(proportional)
        name = f"proportional, {alpha:g} M + {beta:g} K"
        if linear.is_sparse:
            return _damped(linear, _sparse_form(linear.sparse, alpha, beta), name)
        _refuse_rectangular(linear)
        return _damped(linear, _dense_form(linear, alpha * linear.M + beta * linear.K), name)
    if linear.is_sparse:
        what = "a model kept sparse takes proportional damping only."
        raise InputError(Fault("with_damping", what, "Linearize with solver dense, or give proportional."))
    if matrix is not None:
        return _damped(linear, _dense_form(linear, _square(matrix, linear.dof)), "a given matrix", is_natural=False)
    if structural is not None:
        return _with_losses(linear, structural)
    assert modal is not None
    return _damped(linear, _dense_form(linear, *modal_damping(linear, modal)), "modal", np.ndim(modal) == 0)


def damping_given(text: str | Mapping[str, Any]) -> dict[str, Any]:
    """The choice of `with_damping` in words: `proportional:0.1,1e-4`, `modal:0.02`, `modal:0.02,0.05` (one for each
    mode), `structural:0.03`; or a map with one of these names."""
    if not isinstance(text, str):
        return dict(text)
    kind, colon, numbers = (part.strip() for part in text.partition(":"))
    example = "For example proportional:0.1,1e-4, modal:0.02 or structural:0.03."
    if kind not in WORDS:
        raise InputError(Fault("damping", f'"{shown(kind)}" is no damping model.', suggest(kind, WORDS) or example))
    try:
        values = [float(part) for part in numbers.split(",")]
    except ValueError as error:
        what = f'"{shown(numbers)}" are no numbers.' if colon and numbers else "its numbers are missing."
        raise InputError(Fault("damping", f"{kind}: {what}", example)) from error
    return {kind: values[0] if kind != "proportional" and len(values) == 1 else values}


def _with_losses(linear: LinearModel, factor: float | Sequence[float]) -> LinearModel:
    """Structural damping: its viscous equivalent, and the loss stiffness that frequency responses take in its place."""
    ratio = (0.5 * np.asarray(factor, dtype=float)).tolist()
    viscous, noise = modal_damping(linear, ratio, "structural")
    loss = _in_modes(linear, ratio, 2, "structural")[0]
    form = _dense_form(linear, viscous, noise)
    before = form.losses
    both = Losses(loss, viscous) if before is None else Losses(before.stiffness + loss, before.viscous + viscous)
    return _damped(linear, replace(form, losses=both), _structural(factor), is_natural=False)


def _structural(factor: float | Sequence[float]) -> str:
    told = ", ".join(f"{value:g}" for value in np.atleast_1d(np.asarray(factor, dtype=float)))
    return f"structural, loss factor {told} in frequency responses, elsewhere modal with half of it"


def with_hysteresis(linear: LinearModel) -> tuple[np.ndarray, np.ndarray] | None:
    """A and C (complex) of a linear model with structural damping at positive frequencies, where its loss stiffness
    stands in place of the viscous equivalent; None where it has none."""
    losses = None if linear.is_sparse else linear.dense.losses
    if losses is None:
        return None
    nS, nW = len(linear.coordinates), len(linear.velocities)
    by_output, by_state, inverse = gates(linear)
    A, C = linear.state_space.A.astype(complex), linear.state_space.C.astype(complex)
    for rows, gate in ((A[nS : nS + nW], inverse), (A[nS + nW :], by_state), (C, by_output)):
        rows[:, nS : nS + nW] += gate @ losses.viscous
        rows[:, :nS] -= 1j * (gate @ losses.stiffness)
    return A, C


def _damped(linear: LinearModel, form: Form, name: str, is_natural: bool = True) -> LinearModel:
    natural = linear.damping_is_natural and is_natural
    notes = (*linear.notes, f"Damping was added to the linear model: {name}.")
    return replace(linear, form=form, damping_model=name, damping_is_natural=natural, notes=notes)


def modal_damping(
    linear: LinearModel, ratio: float | Sequence[float], name: str = "modal"
) -> tuple[np.ndarray, np.ndarray]:
    """C with the damping ratios `ratio` in the undamped modes, M Phi diag(2 zeta omega) Phi^T M, and its rounding."""
    return _in_modes(linear, ratio, 1, name)


def _in_modes(
    linear: LinearModel, ratio: float | Sequence[float], power: int, name: str
) -> tuple[np.ndarray, np.ndarray]:
    """M Phi diag(2 zeta omega^power) Phi^T M over the undamped modes that are not rigid, and its rounding."""
    from scipy.linalg import eigh

    _refuse_rectangular(linear)
    ratios = np.atleast_1d(np.asarray(ratio, dtype=float))
    if not np.isfinite(ratios).all() or np.any(ratios < 0):
        raise InputError(Fault(name, "a number, zero or positive, is expected.", "For example 0.02."))
    squared, shapes = eigh(linear.conservative, linear.M) if linear.dof else (np.zeros(0), np.zeros((0, 0)))
    elastic = np.flatnonzero(squared > (ZERO**2) * np.abs(squared).max(initial=0.0))
    if np.ndim(ratio) == 0:
        ratios = np.full(len(elastic), ratios[0])
    if len(ratios) > len(elastic):
        what = f"{len(ratios)} numbers were given for {len(elastic)} modes that are not rigid."
        raise InputError(Fault(name, what, "Give one for each, or fewer: the others stay undamped."))
    chosen = elastic[: len(ratios)]
    momenta = linear.M @ shapes[:, chosen]
    strength = 2 * ratios * np.sqrt(squared[chosen]) ** power
    size = np.abs(linear.M) @ np.abs(shapes[:, chosen])  # of what cancels in the momenta
    noise = ROUNDING * (size * strength) @ size.T
    return (momenta * strength) @ momenta.T, noise


def _two(proportional: Any) -> tuple[float, float]:
    pair = np.asarray(proportional, dtype=float).ravel()
    if pair.shape != (2,) or not np.isfinite(pair).all():
        raise InputError(
            Fault("proportional", "two numbers, alpha and beta, are expected.", "For example (0.1, 1e-4).")
        )
    return float(pair[0]), float(pair[1])


def _square(matrix: Any, dof: int) -> np.ndarray:
    C = np.asarray(matrix, dtype=float)
    if C.shape != (dof, dof):
        what = f"the matrix has shape {C.shape}; the model has {dof} degrees of freedom."
        raise InputError(Fault("matrix", what, f"Give {dof} x {dof} numbers in the order of linear.velocities."))
    if not np.isfinite(C).all():
        raise InputError(Fault("matrix", "it has entries that are not finite.", "Correct them."))
    return C


def _refuse_rectangular(linear: LinearModel) -> None:
    if len(linear.coordinates) != len(linear.velocities):
        raise ComputationError(
            "With non-holonomic constraints K is not square, so damping cannot be proportional or modal. Give a matrix."
        )


def _sparse_form(form: SparseForm, alpha: float, beta: float) -> SparseForm:
    if not form.is_static:
        raise ComputationError(
            "Proportional damping of a model kept sparse needs a mechanism at rest: in motion K is not that of the"
            " coordinates. Linearize with solver dense."
        )
    C, K = form.tangents
    system = form.point.system
    mass = sparse(form.point.mechanics.mass(), (system.nq, system.nq))
    added = (alpha * mass + beta * K).tocsc()
    return replace(form, tangents=((C + added).tocsc(), K), added_damping=_sum(form.added_damping, added))


def _dense_form(linear: LinearModel, added: np.ndarray, noise: np.ndarray | float = 0.0) -> DenseForm:
    form, space = linear.dense, linear.state_space
    nS, nW = len(linear.coordinates), len(linear.velocities)
    velocities = slice(nS, nS + nW)
    by_output, by_state, inverse = gates(linear)
    A, C = space.A.copy(), space.C.copy()
    A[velocities, velocities] -= inverse @ added
    A[nS + nW :, velocities] -= by_state @ added
    C[:, velocities] -= by_output @ added
    answered = linear.M @ inverse @ added if linear.point.system.algebraic else added  # by forces that read its effect
    return replace(
        form,
        C=form.C + answered,
        noise=Later(lambda: form.noise()._replace(C=form.noise_C + (noise + 8 * EPS * np.abs(added)))),
        source=KnownStateSpace(space._replace(A=A, C=C)),
        added_damping=_sum(form.added_damping, added),
    )


def _sum(before: Any, added: Any) -> Any:
    """All damping that was added."""
    return added if before is None else before + added
