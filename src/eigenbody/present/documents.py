"""Results as plain data: the JSON documents of the command line."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from eigenbody.errors import ComputationError

if TYPE_CHECKING:
    from eigenbody.analyses.inspection import Inspection
    from eigenbody.analyses.modes import Modes
    from eigenbody.linearization.large import SparseLinearModel
    from eigenbody.linearization.model import LinearModel


MAX_NODES = 60  # of a flexible body that are all listed


def number(value: float) -> float | None:
    """A finite number without the sign of a negative zero, or null: JSON has no NaN and no infinity."""
    return float(value) + 0.0 if math.isfinite(value) else None


def as_json(document: Any, indent: int | None = None) -> str:
    """The document as JSON text, full precision; refuses NaN and infinity."""
    try:
        return json.dumps(document, allow_nan=False, indent=indent)
    except ValueError as error:
        raise ComputationError(
            "A number of the result is not finite. Check the model for absurd magnitudes."
        ) from error


def require_finite(**arrays: Any) -> None:
    """Refuse a result that holds NaN or infinity; the keywords name the arrays in the message."""
    for name, array in arrays.items():
        wrong = np.count_nonzero(~np.isfinite(np.asarray(array)))
        if wrong:
            raise ComputationError(
                f"{name.replace('_', ' ')}: {wrong} of {np.size(array)} numbers are not finite."
                " Check the model for absurd magnitudes and the force laws at the operating point."
            )


def dense(linear: LinearModel | SparseLinearModel) -> LinearModel | None:
    """The linear model if it has dense matrices; large ones are kept sparse."""
    return None if linear.is_sparse else cast("LinearModel", linear)


def require_finite_linear(linear: LinearModel | SparseLinearModel) -> None:
    """Refuse a linear model with a number that is not finite."""
    require_finite(**linear.numbers)


def require_finite_modes(modes: Modes) -> None:
    """Refuse modes with a number that is not finite (the damping ratio of a rigid mode is undefined and exempt)."""
    require_finite(**modes.numbers)


def mode_entries(modes: Modes) -> list[dict[str, Any]]:
    """One map for each mode, in the order of docs/cli.md."""
    hz, damped, ratio, kinds = modes.frequency_hz, modes.damped_frequency_hz, modes.damping_ratio, modes.kinds
    return [
        {
            "index": i + 1,
            "real": number(value.real),
            "imag": number(value.imag),
            "frequency_hz": number(hz[i]),
            "damped_frequency_hz": number(damped[i]),
            "damping_ratio": number(ratio[i]),
            "kind": kinds[i],
            "stability": modes.stabilities[i],
            "error": number(modes.bounds[i]),
        }
        for i, value in enumerate(modes.eigenvalues)
    ]


def _deformed(modes: Modes, i: int) -> dict[str, Any]:
    """Of a model with flexible bodies: displacement of their nodes in a mode, real and imaginary part; of bodies with
    very many nodes those that the model uses."""
    nodes, flexible = modes.deformations, modes.linear.point.system.description.flexible
    if not flexible:
        return {}
    every = {body.name: len(body.reduced.names) <= MAX_NODES for body in flexible}
    used = {(body.name, body.reduced.names[number]) for body in flexible for number in body.nodes.values()}
    out: dict[str, dict[str, Any]] = {body.name: {} for body in flexible}
    for k, (body, name) in enumerate(zip(nodes.bodies, nodes.names, strict=True)):
        if not every[body] and (body, name) not in used:
            continue
        move = nodes.move[i, k] + 0.0
        out[body][name] = {"real": move.real.tolist(), "imag": move.imag.tolist()}
    return {"nodes": out}


def modes_document(modes: Modes) -> dict[str, Any]:
    """`modes --json`."""
    require_finite_modes(modes)
    linear = modes.linear
    return {
        "model": linear.point.model.name,
        "dof": modes.dof,
        "states": modes.states,
        "stability": modes.stability,
        "solver": modes.solver,
        "coordinates": list(linear.coordinates),
        "modes": [entry | _deformed(modes, i) for i, entry in enumerate(mode_entries(modes))],
        "certificate": _with_residuals(modes),
        "notes": list(modes.notes),
        "warnings": [*linear.point.warnings, *modes.contradictions],
    }


def _with_residuals(modes: Modes) -> dict[str, Any]:
    """The certificate, on the sparse path with the residual of every mode."""
    certificate = {**modes.linear.certificate.as_dict(), "modes": modes.check.as_dict()}
    if modes.residuals is not None:
        certificate["mode_residuals"] = [float(value) for value in modes.residuals]
        certificate["modes_complete"] = modes.complete
    return certificate


def linear_document(linear: LinearModel | SparseLinearModel) -> dict[str, Any]:
    """`linearize --json`; a large model has null for the dense matrices and its sparse descriptor form instead."""
    require_finite_linear(linear)
    return {
        "model": linear.point.model.name,
        "dof": linear.dof,
        "coordinates": list(linear.coordinates),
        "velocities": list(linear.velocities),
        **_matrices(linear),
        "certificate": linear.certificate.as_dict(),
        "notes": list(linear.notes),
        "warnings": list(linear.point.warnings),
    }


def _matrices(linear: LinearModel | SparseLinearModel) -> dict[str, Any]:
    full = dense(linear)
    second = full if full is not None and has_second_order_matrices(full) else None
    space = None if full is None else full.state_space
    matrices: dict[str, Any] = {
        "mass": _rows(second.M) if second else None,
        "damping": _rows(second.C) if second else None,
        "stiffness": _rows(second.K) if second else None,
        "states": list(linear.states),
        "inputs": list(linear.inputs),
        "outputs": list(linear.outputs),
        "units": linear.units.as_dict(),
        "A": _rows(space.A) if space else None,
        "B": _rows(space.B) if space else None,
        "C": _rows(space.C) if space else None,
        "D": _rows(space.D) if space else None,
    }
    if full is None:
        form = linear.descriptor
        parts = {name: _entries(getattr(form, name)) for name in "EABCD"}
        matrices["descriptor"] = {**parts, "differential": form.differential}
    return matrices


def _entries(matrix: Any) -> dict[str, Any]:
    """A sparse matrix by its entries; rows and columns count from zero."""
    coo = matrix.tocoo()
    require_finite(descriptor=coo.data)
    return {
        "shape": list(coo.shape),
        "row": coo.row.tolist(),
        "column": coo.col.tolist(),
        "value": coo.data.tolist(),
    }


def has_second_order_matrices(linear: LinearModel) -> bool:
    """Whether M, C, K exist: not with non-holonomic rows, where there are fewer velocities than coordinates."""
    return len(linear.coordinates) == len(linear.velocities)


def _rows(matrix: np.ndarray) -> list[list[float]]:
    return (np.asarray(matrix) + 0.0).tolist()


def check_document(found: Inspection) -> dict[str, Any]:
    """`check --json`."""
    point = found.point
    require_finite(certificate=[point.residual, *point.drift], mass=[body.mass for body in found.bodies])
    return {
        "model": point.model.name,
        "bodies": [body.as_dict() for body in found.bodies],
        "joints": [joint.as_dict() for joint in found.joints],
        "couplings": [coupling.as_dict() for coupling in found.couplings],
        "drivers": [driver.as_dict() for driver in found.drivers],
        "body_coordinates": found.body_coordinates,
        "rows": found.rows,
        "gruebler": found.gruebler,
        "dof": found.dof,
        "coordinates": list(found.coordinates),
        "constraints": [
            {"of": row.owner, "row": row.label, "class": row.classed, "redundant": row.is_redundant}
            for constraint in found.constraints
            for row in constraint.rows
        ],
        "redundant": [dict(row) for row in found.redundant],
        "residual": point.residual,
        "drift": list(point.drift),
        "notes": list(found.notes),
        "warnings": list(point.warnings),
    }
