"""Base excitation: the prescribed motion of a driver or joint as the input.

A prescribed measure is held at f(t) + r(t). Its variation r stands on the right side of the augmented equations, once
at each level of its constraint row: G dq = r, (G u)_q dq + G du = r', and r'' at the level of accelerations. Nothing is
approximated and nothing is released: holding force, inertia of the base and geometric stiffness are those of the model.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np

from eigenbody.analyses.frequency.system import DenseEquations, Excited, SparseEquations, dense_equations
from eigenbody.analyses.linearize import Ports, ports
from eigenbody.base.errors import Fault, InputError, suggest
from eigenbody.linearization.model import LinearModel
from eigenbody.linearization.point import OperatingPoint
from eigenbody.model.model import InertModel
from eigenbody.numerics.matrices.linear import factor
from eigenbody.system.outputs import rate_unit


def base_excited(
    model: InertModel, name: str, order: int, outputs: str | Sequence[str] | None, solver: str | None = None
) -> Excited:
    """The model excited by the motion `name`, given as displacement (order 0), velocity (1) or acceleration (2)."""
    found = ports(model, [], outputs, solver)
    linear = found.linear
    if linear.blades is not None:
        what = f"a moving base is not seen in the multi-blade coordinates that {linear.blades.joint} needs."
        raise InputError(Fault("base", what, "Push on the support by a force, or simulate the motion of the base."))
    row = _row(linear.point, name)
    unit = rate_unit(_measured_in(linear.point, row), order)
    primes = "'" * order
    right = _right_side(linear, row)
    return Excited(
        linear, None if linear.is_sparse else _dense(found, right),
        SparseEquations(linear, (), found.outputs, right), (name + primes,), found.output_names, (unit,),
        found.output_units, partial(_weight, order),
    )  # fmt: skip


def _weight(order: int, s: np.ndarray) -> np.ndarray:
    """r, r', r'' (nf, 3, 1) for a unit motion of that order."""
    return s[:, None, None] ** (np.arange(3)[:, None] - float(order) if order else np.arange(3)[:, None])


def _row(point: OperatingPoint, name: str) -> int:
    """Number of the constraint row that prescribes the motion `name`; `joint.angle` where a joint has several."""
    rows = point.system.constraints.rows
    moved: dict[str, list[int]] = {}
    for number, row in enumerate(rows):
        if row.kind == "driver":
            moved.setdefault(row.owner, []).append(number)
            if row.label.startswith("motion "):
                moved.setdefault(f"{row.owner}.{row.label.removeprefix('motion ')}", []).append(number)
    if name not in moved:
        what = f'no motion "{name}" is prescribed in the model.'
        remedy = suggest(name, moved) if moved else "Add a driver, or give a joint a motion (motion: 0 for a base)."
        raise InputError(Fault("base", what, remedy))
    if len(moved[name]) > 1:
        several = [key for key, numbers in moved.items() if numbers[0] in moved[name] and key != name]
        what = f'"{name}" prescribes several motions.'
        raise InputError(Fault("base", what, f"Name one: {', '.join(several)}."))
    return moved[name][0]


def _measured_in(point: OperatingPoint, row: int) -> str:
    owner = point.system.constraints.rows[row]
    system = point.system
    if owner.label.startswith("motion "):
        names = [f"{owner.owner}.{owner.label.removeprefix('motion ')}", owner.owner]
    else:
        entry = next(entry for entry in system.description.drivers if entry.name == owner.owner)
        names = [str(entry["measure"])]
    known = [name for name in names if name in system.aliases]
    return system.dimensions[system.aliases[known[0]]] if known else ""


def _right_side(linear: LinearModel, row: int) -> np.ndarray:
    """Columns (n, 3) of r, r', r'' in 0 = A z + B u: minus one in the row at each of the three levels."""
    chosen, d = linear.chosen, linear.descriptor
    place = np.flatnonzero(np.asarray(chosen.rows) == row)
    if not len(place):
        owner = linear.point.system.constraints.rows[row].owner
        what = f'"{owner}" repeats what other constraints hold, so it cannot move on its own.'
        raise InputError(Fault("base", what, "Remove the other constraint, or excite that one."))
    held, slips = len(chosen.rows), len(chosen.slip_rows)
    nS, nW = len(chosen.positions), len(chosen.velocities)
    position = d.differential + int(place[0])
    velocity = position + held + nS
    acceleration = velocity + held + slips + nW
    right = np.zeros((d.A.shape[0], 3))
    right[[position, velocity, acceleration], [0, 1, 2]] = -1.0
    return right


def _dense(found: Ports, right: np.ndarray) -> DenseEquations:
    """The state equations with the raw inputs r, r', r'' after the auxiliary unknowns are eliminated."""
    own, d = dense_equations(found.linear, (), found.outputs), found.linear.descriptor
    n = d.differential
    A = d.A.tocsc()
    auxiliary = -factor(A[n:, n:].tocsc()).solve(right[n:])
    C = d.C.tocsc()[:, n:].tocsr()[list(found.outputs)]
    B, D = np.asarray(A[:n, n:] @ auxiliary), np.asarray(C @ auxiliary)
    return DenseEquations(own.A, B, own.C, D, own.noise, own.second)
