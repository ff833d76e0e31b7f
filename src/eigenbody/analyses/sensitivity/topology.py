"""Sensitivities by the explicit formulas of Jiang, Chen & Luo: by masses, springs, places and axes of joints."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from eigenbody.analyses.linearize import by_topology, oscillations_at
from eigenbody.analyses.modes import Modes, modes
from eigenbody.base.errors import Fault, InputError, suggest
from eigenbody.linearization.linearize import dense_model
from eigenbody.linearization.point import OperatingPoint
from eigenbody.routes.topology.sensitivity import Motion, Number, numbers_of
from eigenbody.routes.topology.system import Oscillations

NEAR = 1e-6  # relative distance of eigenvalues whose vectors are not their own
DEFECTIVE = 1e-9  # of what is added up in the norm
REPEATED = "repeated or defective: the explicit formulas hold for single eigenvalues alone"
LOCKED = "nan: {}{} would lock a loop with redundant rows"


def slopes_by_route(
    point: OperatingPoint, names: str | Sequence[str] | None, n: int | None, route: str
) -> tuple[Modes, tuple[Number, ...], np.ndarray, tuple[str, ...], bool]:
    """Modes by the route, the numbers, d lambda (numbers, modes), a note for each mode, and whether nothing is
    neglected."""
    system = oscillations_at(point, route)
    chosen = _chosen(list(numbers_of(system)), names)
    found = modes(by_topology(dense_model(point), route), n=n)
    motions = [_motion(system, found, i) for i in range(len(found))]
    slopes = np.array([[_slope(number, motion) for motion in motions] for number in chosen], dtype=complex)
    locked = [number.name for number, row in zip(chosen, slopes, strict=True) if np.isnan(row).all()]
    notes = []
    for motion in motions:
        more = f" and {len(locked) - 3} more" if len(locked) > 3 else ""
        plain = LOCKED.format(", ".join(locked[:3]), more) if locked else ""
        notes.append(REPEATED if motion is None else plain)
    return found, tuple(chosen), slopes.reshape(len(chosen), len(found)), tuple(notes), system.is_exact


def _chosen(known: list[Number], names: str | Sequence[str] | None) -> list[Number]:
    """The numbers of these names, or whose paths begin so; by default places and axes of all joints."""
    wanted = ["joints"] if names is None else [names] if isinstance(names, str) else list(names)
    found: dict[str, Number] = {}
    for name in wanted:
        own = [number for number in known if number.name == name or number.name.startswith((f"{name}.", f"{name}["))]
        if not own and names is not None:
            what = f'the explicit formulas have no derivative by "{name}".'
            remedy = suggest(name, [number.name for number in known]) or "Name joints, joints.a.at, bodies.b.mass."
            raise InputError(Fault("parameters", what, remedy))
        found |= {number.name: number for number in own}
    return list(found.values())


def _motion(system: Oscillations, found: Modes, i: int) -> Motion | None:
    """The mode in the displacements of the route; None where its eigenvalue is not single."""
    value = complex(found.eigenvalues[i])
    others = np.delete(found.eigenvalues, i)
    others = np.concatenate((others, others.conj(), [value.conjugate()] if value.imag else []))
    if found.is_rigid[i] or np.abs(others - value).min(initial=np.inf) <= NEAR * abs(value):
        return None
    phi = found.motion[i].ravel()
    motion = Motion(system, value, np.linalg.lstsq(system.B, phi, rcond=None)[0])
    size = float(np.abs(phi) @ (2 * abs(value) * (np.abs(system.M) @ np.abs(phi)) + np.abs(system.C) @ np.abs(phi)))
    return motion if abs(motion.norm) > DEFECTIVE * size else None


def _slope(number: Number, motion: Motion | None) -> complex:
    found = None if motion is None else number.slope(motion)
    return complex(np.nan, np.nan) if motion is None or found is None else found / motion.norm
