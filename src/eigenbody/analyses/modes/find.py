"""Modes: eigenvalues, damping, stability and shapes of a linear model."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from eigenbody.analyses.linearize import Damping, equations_asked, linearize
from eigenbody.analyses.modes.blade_labels import pure_patterns
from eigenbody.analyses.modes.checks import (
    CONTRADICTED,
    MISCOUNTED,
    MISSED,
    ModesCertificate,
    certify_modes,
    open_questions,
    open_questions_of_few,
)  # fmt: skip
from eigenbody.analyses.modes.result import Modes
from eigenbody.analyses.modes.shapes import body_motion, shapes_of
from eigenbody.analyses.modes.spectrum import frequencies_hz, growth_of
from eigenbody.base.copies import Known, Later
from eigenbody.base.errors import ComputationError, Fault, InputError
from eigenbody.base.progress import report
from eigenbody.linearization.linearize import DENSE_FREEDOMS, linear_model, sparse_model
from eigenbody.linearization.model import LinearModel
from eigenbody.linearization.point import OperatingPoint
from eigenbody.linearization.spectrum import spectrum_of
from eigenbody.linearization.subject import Subject, subject
from eigenbody.model.model import InertModel
from eigenbody.numerics.eigen.dense import spectrum_first_order
from eigenbody.numerics.eigen.sparse import SparseModes
from eigenbody.numerics.eigen.spectrum import Spectrum, conjugate_representatives
from eigenbody.numerics.runtime import on_one_thread, without_collection
from eigenbody.operating.constancy import has_constant_coefficients
from eigenbody.operating.find import operating_point
from eigenbody.operating.turning.blades import has_blades
from eigenbody.operating.turning.constant_form import in_blade_patterns
from eigenbody.operating.turning.observer import from_constant_frame

FEW_OF_MANY = 200  # degrees of freedom above which a few modes are found by the sparse path
FEW_OF_BRANCHES = 300  # the same where branches move different bodies, which makes the dense path cheap


@on_one_thread
@without_collection
def modes(
    model: Subject,
    n: int | None = None,
    near: float | None = None,
    solver: str | None = None,
    *,
    damping: Damping | None = None,
    route: str | None = None,
) -> Modes:
    """Modes of a model or of what a result was found at: all, the `n` lowest, or the `n` nearest to a frequency.

    `near` is in Hz and compares |eigenvalue| / 2 pi. All modes are found up to 2000 degrees of freedom; above, or when
    few of many are asked for, the sparse path finds `n` (default 20). `solver` "dense" or "sparse" forces a path.
    `damping` is added as by `with_damping`: "proportional:0.1,1e-4", "modal:0.02", "structural:0.03" or a map. With
    `route` "topology" the equations are those of the constraint-topology transformation.
    """
    if n is not None and n < 1:
        raise InputError(Fault("n", f"{n} modes cannot be found.", "Ask for at least one."))
    model = subject(model, LinearModel)
    if damping is not None or route is not None:
        is_linear = isinstance(model, LinearModel)
        linear = model if is_linear else linearize(model, solver="dense" if route else solver)
        linear = equations_asked(linear, damping, route)
        model = linear if is_linear else in_blade_patterns(linear)
    if isinstance(model, InertModel | OperatingPoint):
        point = operating_point(model)
        if solver is None and n is not None and _are_few(point, n) and not has_blades(point):
            found = _few_of_many(point, n, near)
            if found is not None:
                return found
        linear = in_blade_patterns(linear_model(point, solver=solver))
        is_constant = _constancy(linear)
        seen = from_constant_frame(linear, is_constant)
        linear, is_constant = (linear, is_constant) if seen is linear else (seen, Known(True))
    else:
        linear = model
        is_constant = _constancy(linear)
    if linear.is_sparse:
        return sparse_modes(linear, n or 20, near)
    report("finding modes")
    found = modes_from(linear, spectrum_of(linear), n, near, is_constant)
    if not isinstance(model, InertModel) or not linear.point.system.flexible:
        return found
    from eigenbody.analyses.modes.bent_beams import remarks_on_bent_beams  # others need none of it
    from eigenbody.analyses.modes.few_shapes import remarks_on_few_shapes
    from eigenbody.analyses.modes.stretched import remarks_on_stretched_beams

    remarks = remarks_on_few_shapes(model, found) + remarks_on_bent_beams(model, linear.point)
    remarks += remarks_on_stretched_beams(found)
    return replace(found, remarks=(*found.remarks, *remarks))


def _are_few(point: OperatingPoint, n: int) -> bool:
    """Whether the sparse path finds so few modes faster than the dense one finds all."""
    dof = len(point.chosen.velocities)
    is_few = 4 * n < dof and FEW_OF_MANY < dof <= DENSE_FREEDOMS
    return is_few and (dof > FEW_OF_BRANCHES or point.frame.branches is None)


def _few_of_many(point: OperatingPoint, n: int, near: float | None) -> Modes | None:
    """A few modes by the sparse path, or None where it meets rigid motion or does not converge: there the dense path,
    which is affordable, knows better."""
    linear = sparse_model(point)
    try:
        found = sparse_modes(linear, n, near)
    except ComputationError:
        return None
    return None if found.is_rigid.any() else found


def _constancy(linear: LinearModel, found: SparseModes | None = None) -> Callable[[], bool]:
    return Later(lambda: has_constant_coefficients(linear, found))


def modes_from(
    linear: LinearModel,
    spectrum: Spectrum,
    n: int | None,
    near: float | None,
    is_constant: Callable[[], bool] | None = None,
) -> Modes:
    """Modes of a dense linear model from its eigenvalues, certified."""
    entries, vectors, check = _entries(linear, spectrum, n, near)
    contradictions: tuple[str, ...] = ()
    if not check.holds:
        contradictions = (CONTRADICTED.format(f"backward error {check.residual:.1e}, zeros {check.zeros}"),)
        spectrum = spectrum_first_order(linear.A, linear.noise_A, recognize=False)
        entries, vectors, _ = _entries(linear, spectrum, n, near)
    motion, scale = shapes_of(linear.point, body_motion(linear.P, vectors[:, : linear.P.shape[1]]), vectors)
    on_axis = spectrum.is_rigid | spectrum.on_axis
    flags = zip(spectrum.eigenvalues[entries], on_axis[entries], spectrum.defective[entries], strict=True)
    return Modes(
        linear=linear,
        eigenvalues=spectrum.eigenvalues[entries],
        motion=motion,
        states_shape=vectors / scale[:, None],
        is_rigid=spectrum.is_rigid[entries],
        growths=tuple(growth_of(*flag) for flag in flags),
        growth=spectrum.stability,
        errors=Later(lambda: spectrum.bounds[entries]),
        check=check,
        remarks=(*contradictions, *open_questions(linear, spectrum, entries)),
        contradictions=contradictions,
        constancy=is_constant or _constancy(linear),
    )


def _entries(
    linear: LinearModel, spectrum: Spectrum, n: int | None, near: float | None
) -> tuple[np.ndarray, np.ndarray, ModesCertificate]:
    """The entries that were asked for, their vectors (entries, states) and whether they hold."""
    chosen = conjugate_representatives(spectrum)
    if near is not None:
        distance = np.abs(frequencies_hz(spectrum.eigenvalues[chosen]) - near)
        chosen = chosen[np.sort(np.argsort(distance, kind="stable")[: n or len(chosen)])]
    elif n is not None:
        chosen = chosen[:n]
    vectors = pure_patterns(linear, spectrum.eigenvalues[chosen], spectrum.is_rigid[chosen], spectrum.columns(chosen).T)
    return chosen, vectors, certify_modes(linear, spectrum, chosen, vectors)


def sparse_modes(linear: LinearModel, n: int, near: float | None) -> Modes:
    """A few modes by the sparse path."""
    from eigenbody.analyses.modes.few import few_modes  # small models need none of it

    report("finding modes")
    found = few_modes(linear.sparse, n, None if near is None else 2 * np.pi * near)
    motion, _ = shapes_of(linear.point, found.vectors.T, found.vectors.T)
    flags = zip(found.eigenvalues, found.is_zero | found.on_axis, found.defective, strict=True)
    parts = tuple(growth_of(value, on_axis, defective) for value, on_axis, defective in flags)
    known = max(parts, key=("stable", "marginal", "drifting", "unstable").index, default="stable")
    partial = f"{len(parts)} modes of {len(linear.states)} states were asked for; the stability is that of these modes."
    check = ModesCertificate(float(found.residuals.max(initial=0.0)), None, (found.zeros, found.near_zero))
    remarks = [] if found.stability else [partial]
    remarks += [MISSED] if found.complete is False else []
    contradictions = () if check.counts_agree else (MISCOUNTED.format(*check.zeros),)
    return Modes(
        linear=linear,
        eigenvalues=found.eigenvalues,
        motion=motion,
        states_shape=None,
        is_rigid=found.is_zero,
        growths=parts,
        growth=found.stability or known,
        errors=Later(lambda: found.bounds),
        check=check,
        residuals=found.residuals,
        complete=found.complete,
        contradictions=contradictions,
        remarks=(*contradictions, *remarks, *open_questions_of_few(linear.point, found)),
        constancy=_constancy(linear, found),
    )
