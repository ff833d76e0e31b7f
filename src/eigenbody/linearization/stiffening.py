"""Flexible bodies whose load ought to stiffen them and does not.

The stiffness that loads give to a beam is that of the loads it carries at the operating point (structures/
second_order.py). A body that is known by its matrices alone has displacements of first order only and bends as it does
without load: it is named where its load is large enough to matter. So is a beam whose load has not built up yet.
"""

from __future__ import annotations

import numpy as np

from eigenbody.dynamics.constraints import pull_back
from eigenbody.linearization.point import OperatingPoint
from eigenbody.model.description import FlexibleBody

SPEED = 0.01  # of the lowest frequency of the free body (rad/s), across its length, from which turning matters
LOAD = 2e-4  # of mass, length and that frequency squared: a hundredth of the buckling load of a slender beam
SLENDER = 0.1  # smallest over largest moment of inertia of a body with a length


def remarks_on_loads(point: OperatingPoint) -> tuple[str, ...]:
    """A sentence for every flexible body that turns or carries a load along its length without being stiffened."""
    bodies = [body for body in point.system.description.flexible if _is_lone(body, point)]
    if not bodies:
        return ()
    forces = _node_forces(point, bodies)
    return tuple(text for body in bodies if (text := _said(point, body, forces[body.name])))


def _is_lone(body: FlexibleBody, point: OperatingPoint) -> bool:
    """Whether its load may miss in its stiffness."""
    if body.reduced.bow is not None:
        return not (point.is_steady or point.is_equilibrium) and body.reduced.modes > 0
    return body.reduced.modes > 0 and "." not in body.name


def _said(point: OperatingPoint, body: FlexibleBody, forces: np.ndarray) -> str:
    frame, reduced = point.system.places.index[body.name], body.reduced
    w, R = np.real(point.state.w[frame]), np.real(point.state.R[frame])
    lowest = float(np.real(reduced.frequencies).min())
    line = _line(body)
    across = float(np.linalg.norm(w if line is None else np.cross(w, line)))
    along = np.linalg.norm(forces, axis=1) if line is None else np.abs(forces @ (R @ line))
    load = float(along.max(initial=0.0))
    parts = [f"turns at {across:.4g} rad/s"] if across > SPEED * lowest else []
    parts += [f"carries {load:.4g} N"] if load > LOAD * _load_scale(body) else []
    if not parts:
        return ""
    if reduced.bow is not None:
        return (
            f"{body.where}: it {' and '.join(parts)}, a load that is still building up here and stiffens it only as"
            " far as it has. Take operating_point: steady or equilibrium."
        )
    remedy = "Part it into several bodies joined rigidly."
    return f"{body.where}: it {' and '.join(parts)} as one body without the stiffness of its load. {remedy}"


def _load_scale(body: FlexibleBody) -> float:
    """Mass, length and lowest frequency squared of the free body, by which loads are judged."""
    reduced = body.reduced
    length = float(np.ptp(np.real(reduced.nodes), axis=0).max(initial=0.0))
    return float(np.real(reduced.mass)) * length * float(np.real(reduced.frequencies).min()) ** 2


def _line(body: FlexibleBody) -> np.ndarray | None:
    """Unit vector along a slender body, None for others."""
    moments, axes = np.linalg.eigh(np.real(body.reduced.J0))
    return axes[:, 0] if moments[0] < SLENDER * moments[-1] else None


def _node_forces(point: OperatingPoint, bodies: list[FlexibleBody]) -> dict[str, np.ndarray]:
    """Forces (nodes, 3), global axes, that the bodies put on their nodes."""
    system, holonomic = point.system, point.mechanics.holonomic
    owners = {node for body in bodies for node in body.nodes}
    own = np.array([row.owner in owners for row in system.constraints.rows], dtype=bool)
    along = np.real(holonomic.along_measures(np.where(own, np.real(point.motion.multipliers), 0.0)))
    force = -pull_back(system.constraints.measures, np.real(holonomic.jet.gradient), along, system.nq)
    index = system.places.index
    return {
        body.name: np.array([force[system.dof[index[node], :3]] for node in body.nodes]).reshape(-1, 3)
        for body in bodies
    }
