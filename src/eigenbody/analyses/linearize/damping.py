"""Damping added to a linear model: proportional, modal, or any matrix.

The damping force -C_add W acts along the coordinates. It feeds the velocities back through the same gates as an input
would: dW' = -M^-1 C_add W, and outputs that read accelerations or reactions follow.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from eigenbody.analyses.linearize.linear import linear_of
from eigenbody.base.errors import ComputationError, Fault, InputError
from eigenbody.linearization.forms import DenseForm, Form, KnownStateSpace, SparseForm
from eigenbody.linearization.linearize import VariationalEquations
from eigenbody.linearization.model import LinearModel
from eigenbody.linearization.rows import Rows, algebraic_rows, output_rows, rate_rows
from eigenbody.linearization.subject import Subject
from eigenbody.numerics.matrices.assembly import sparse
from eigenbody.numerics.matrices.noise import EPS
from eigenbody.numerics.runtime import on_one_thread

ROUNDING = 64 * EPS  # of mode shapes
ZERO = 1e-9  # of the highest frequency: an undamped mode below it is rigid


@on_one_thread
def with_damping(
    linear: Subject,
    *,
    proportional: tuple[float, float] | None = None,
    modal: float | Sequence[float] | None = None,
    matrix: Any = None,
) -> LinearModel:
    """The linear model with damping added to what it has. Give one of

    proportional  (alpha in 1/s, beta in s): C_add = alpha M + beta K
    modal         damping ratio of all undamped modes of M and the symmetric K, or one for each, lowest first; rigid
                  modes are not counted and stay undamped, as do modes beyond the list
    matrix        C_add (dof, dof) in the coordinates of the linear model
    """
    given = [
        name
        for name, value in (("proportional", proportional), ("modal", modal), ("matrix", matrix))
        if value is not None
    ]
    if len(given) != 1:
        what = "nothing was given." if not given else f"{' and '.join(given)} were given together."
        raise InputError(Fault("with_damping", what, "Give one of proportional, modal, matrix."))
    linear = linear_of(linear)
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
        return _damped(linear, _dense_form(linear, _square(matrix, linear.dof)), "a given matrix")
    assert modal is not None
    return _damped(linear, _dense_form(linear, *modal_damping(linear, modal)), "modal")


def _damped(linear: LinearModel, form: Form, name: str) -> LinearModel:
    notes = (*linear.notes, f"Damping was added to the linear model: {name}.")
    return replace(linear, form=form, damping_model=name, notes=notes)


def modal_damping(linear: LinearModel, ratio: float | Sequence[float]) -> tuple[np.ndarray, np.ndarray]:
    """C with the damping ratios `ratio` in the undamped modes, M Phi diag(2 zeta omega) Phi^T M, and its rounding."""
    from scipy.linalg import eigh

    _refuse_rectangular(linear)
    ratios = np.atleast_1d(np.asarray(ratio, dtype=float))
    if not np.isfinite(ratios).all() or np.any(ratios < 0):
        raise InputError(Fault("modal", "a damping ratio must be a number, zero or positive.", "For example 0.02."))
    squared, shapes = eigh(linear.conservative, linear.M) if linear.dof else (np.zeros(0), np.zeros((0, 0)))
    elastic = np.flatnonzero(squared > (ZERO**2) * np.abs(squared).max(initial=0.0))
    if np.ndim(ratio) == 0:
        ratios = np.full(len(elastic), ratios[0])
    if len(ratios) > len(elastic):
        what = f"{len(ratios)} damping ratios were given for {len(elastic)} modes that are not rigid."
        raise InputError(Fault("modal", what, "Give one for each, or fewer: the others stay undamped."))
    chosen = elastic[: len(ratios)]
    momenta = linear.M @ shapes[:, chosen]
    strength = 2 * ratios * np.sqrt(squared[chosen])
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
    by_output, by_state, inverse = _gates(linear)
    A, C = space.A.copy(), space.C.copy()
    A[velocities, velocities] -= inverse @ added
    A[nS + nW :, velocities] -= by_state @ added
    C[:, velocities] -= by_output @ added
    answered = linear.M @ inverse @ added if linear.point.system.algebraic else added  # by forces that read its effect
    return replace(
        form,
        C=form.C + answered,
        noise_C=form.noise_C + (noise + 8 * EPS * np.abs(added)),
        source=KnownStateSpace(space._replace(A=A, C=C)),
        added_damping=_sum(form.added_damping, added),
    )


def _sum(before: Any, added: Any) -> Any:
    """All damping that was added."""
    return added if before is None else before + added


def _gates(linear: LinearModel) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """What a force along the velocity coordinates does at once: to outputs, to rates of states, and M^-1."""
    frame = linear.point.frame
    inverse = np.linalg.inv(linear.M) if linear.dof else linear.M
    acceleration = frame.Pv @ inverse  # (nq, dof) du' for a unit force
    held = len(linear.chosen.rows) + len(linear.chosen.slip_rows)
    inertia = np.ascontiguousarray(linear.point.mechanics.inertia_times(acceleration.T).T)
    multipliers = -frame.at_velocity.solve_transposed(inertia)[:held]

    def read(rows: Rows) -> np.ndarray:
        return np.asarray(rows.a @ acceleration) + np.asarray(rows.multipliers @ multipliers)

    if linear.point.system.algebraic:  # forces that read what a force does act beside it
        return _gates_in_loop(linear, inverse, read)
    outputs = read(output_rows(linear.point, frame, frame.is_sparse))
    rates = read(rate_rows(linear.point, frame, frame.is_sparse))
    return outputs, rates, inverse


def _gates_in_loop(
    linear: LinearModel, inverse: np.ndarray, read: Callable[[Rows], np.ndarray]
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The same where forces read accelerations or reactions: z = (I - D)^-1 (what a force does to the readings), and
    what these do to everything else."""
    point, frame, sparse = linear.point, linear.point.frame, linear.point.frame.is_sparse
    rows = algebraic_rows(point.mechanics, point.motion, frame.chosen, sparse)
    shapes, first = VariationalEquations(point).shapes, len(linear.states) + len(linear.inputs)
    z = np.linalg.solve(np.eye(shapes.nz) - shapes.open_through(rows)[:, first:], read(rows))
    outputs, rates = (part(point, frame, sparse) for part in (output_rows, rate_rows))
    along = [shapes.open_through(part)[:, first:] @ z for part in (outputs, rates)]
    return read(outputs) + along[0], read(rates) + along[1], inverse + shapes.open_rates[:, first:] @ z
