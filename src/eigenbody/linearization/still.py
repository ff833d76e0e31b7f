"""The mechanism with everything that is driven by time held still: that of an equilibrium."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from eigenbody.linearization.point import OperatingPoint, system_of
from eigenbody.model.frozen import FrozenDict
from eigenbody.model.model import InertModel
from eigenbody.system.arguments import Quantities
from eigenbody.system.system import System


def held_still(system: System) -> tuple[System, tuple[str, ...]]:
    """The same mechanism with prescribed motions and turning frames stopped where they are at t = 0, and remarks."""
    moving, constant = [], np.array(system.constraints.constant, dtype=float)
    empty = np.zeros(0)
    now = Quantities(empty, empty, empty, empty, 0.0)
    for motion in system.constraints.shifts:
        constant[motion.row] += float(np.real(motion.value.value(now)))
    for motion in system.constraints.motions:
        if motion.rate.value(now) or motion.acceleration.value(now):
            moving.append(system.constraints.rows[motion.row].owner)
    given = [system.names[i] for i, v in zip(system.velocities.measure, system.velocities.value, strict=True) if v]
    turning = [entry.name for entry in system.description.frames if entry["rate"]]
    still = tuple(
        replace(entry, values=FrozenDict({**entry.values, "rate": 0.0})) for entry in system.description.frames
    )
    remarks = tuple(
        f"{what} {', '.join(names[:6])}: held still at t = 0 for the static equilibrium. For a steady motion use"
        " operating_point: steady."
        for what, names in (("prescribed motion", moving), ("given velocity", given), ("turning frame", turning))
        if names
    )
    c = system.constraints
    turned = tuple(replace(item, motions=(), held=np.real(item.coordinates(c.motions, 0.0))) for item in c.turned)
    held = replace(
        system,
        constraints=replace(c, motions=(), constant=constant, turned=turned),
        description=replace(system.description, frames=still) if turning else system.description,
        warnings=(*system.warnings, *remarks),
    )
    return held, remarks


def system_as_at(point: OperatingPoint, model: InertModel) -> System:
    """The system of a model of the same mechanism (with other coordinates, inputs or outputs), driven or held still as
    it is at the point."""
    system = system_of(model)
    is_equilibrium = _is_driven(system) and not _is_driven(point.system)  # prescribed motions stand still there
    return held_still(system)[0] if is_equilibrium else system


def _is_driven(system: System) -> bool:
    return bool(system.constraints.motions) or any(entry["rate"] for entry in system.description.frames)
