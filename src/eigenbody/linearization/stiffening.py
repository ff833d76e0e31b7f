"""Flexible bodies whose load ought to stiffen them and does not, or not as much.

A flexible body with modes of its own bends as it does without load. What its load adds to the stiffness comes from
several sections, which turn against each other, or from a reference load that was given. A single body with neither is
named where its load is large enough to matter, and so is one whose reference load is not the load that it carries:
`spin` knows the mass of the beam alone and not what hangs on it.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from eigenbody.dynamics.constraints import pull_back
from eigenbody.linearization.point import OperatingPoint
from eigenbody.model.description import FlexibleBody

SPEED = 0.01  # of the lowest frequency of the free body (rad/s), across its length, from which turning matters
LOAD = 2e-4  # of mass, length and that frequency squared: a hundredth of the buckling load of a slender beam
SLENDER = 0.1  # smallest over largest moment of inertia of a body with a length
OTHERWISE = 0.03  # part of the larger load by which the load carried must differ from the one assumed
EVEN = 0.05  # and by which the difference may vary along the beam to be one tension


def remarks_on_loads(point: OperatingPoint) -> tuple[str, ...]:
    """A sentence for every flexible body that turns or carries a load along its length without being stiffened, or
    stiffened by another load than it carries."""
    lone = [body for body in point.system.description.flexible if _is_lone(body)]
    known = [body for body in point.system.description.flexible if body.load is not None and body.reduced.modes]
    if not lone and not known:
        return ()
    forces = _node_forces(point, [*lone, *known])
    return (
        *(text for body in lone if (text := _said(point, body, forces[body.name]))),
        *_other_loads(point, known, forces),
    )


# Another load than was assumed ----------------------------------------------------------------------------------------
def _other_loads(point: OperatingPoint, bodies: list[FlexibleBody], forces: dict[str, np.ndarray]) -> Iterator[str]:
    """Beams that carry another load than their stiffness contains: the section of each in which that matters most."""
    sections: dict[str, list[FlexibleBody]] = {}
    for body in bodies:
        sections.setdefault(body.where, []).append(body)
    has_built_up = point.is_steady or point.is_equilibrium
    for where, parts in sections.items():
        if not has_built_up:
            yield (
                f"{where}: the load in its stiffness cannot be compared with the load it carries, which is still"
                " building up here. Take operating_point: steady or equilibrium."
            )
            continue
        both = [(part, _loads(point, part, forces[part.name])) for part in parts]
        assumed, carried = (np.concatenate([load[k] for _, load in both]) for k in (0, 1))
        matters = np.concatenate(
            [np.full(part.load.force.size, LOAD * _load_scale(part)) for part in parts if part.load]
        )
        off = carried - assumed
        worst = int(np.argmax(np.abs(off) / matters))
        largest = OTHERWISE * max(np.abs(assumed).max(), np.abs(carried).max())
        if len(parts) > 1:  # their joints have the stiffness of the load carried: worse than none is too much
            largest = abs(carried[worst])
        if abs(off[worst]) > max(matters[worst], largest):
            yield _otherwise(where, assumed[worst], carried[worst], off)


def _otherwise(where: str, assumed: float, carried: float, off: np.ndarray) -> str:
    mean = float(off.mean())
    tension = f"tension: {mean:.4g} in addition" if np.ptp(off) <= EVEN * abs(mean) else "tension, one for each element"
    return (
        f"{where}: its stiffness contains an axial load of {assumed:.4g} N where it carries {carried:.4g} N (spin"
        " counts the mass of the beam alone, whatever hangs on it and however it turns). Part it into sections"
        f" (sections: 10) without spin and tension, or give the load that it carries ({tension})."
    )


def _load_scale(body: FlexibleBody) -> float:
    """Mass, length and lowest frequency squared of the free body, by which loads are judged."""
    reduced = body.reduced
    length = float(np.ptp(np.real(reduced.nodes), axis=0).max(initial=0.0))
    return float(np.real(reduced.mass)) * length * float(np.real(reduced.frequencies).min()) ** 2


def _loads(point: OperatingPoint, body: FlexibleBody, forces: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Axial force at the Gauss points (e g,), assumed and carried: by the forces on its nodes, gravity and inertia, as
    if it were rigid and straight."""
    load, at, frame = body.load, point.mechanics.at, point.system.places.index[body.name]
    assert load is not None
    R, w, alpha = (np.real(array[frame]) for array in (at.R, at.w, at.alpha))
    arm = np.real(load.position) - np.real(body.reduced.centre)
    acceleration = (
        np.real(at.a[frame] - point.system.gravity) @ R + np.cross(alpha, arm) + np.cross(w, np.cross(w, arm))
    )
    on_nodes = np.zeros((len(body.reduced.nodes), 3))
    np.add.at(on_nodes, list(body.nodes.values()), -forces @ R)
    return np.real(load.force).ravel(), np.real(load.carried(-acceleration, on_nodes)).ravel()


# No stiffness of a load at all ----------------------------------------------------------------------------------------


def _is_lone(body: FlexibleBody) -> bool:
    return not body.is_stiffened and body.reduced.modes > 0 and "." not in body.name


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
    remedy = "Part it into sections (sections: 10), or give spin or tension."
    if not body.lines:
        remedy = "Part it into several bodies joined rigidly."
    return f"{body.where}: it {' and '.join(parts)} as one body without the stiffness of its load. {remedy}"


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
