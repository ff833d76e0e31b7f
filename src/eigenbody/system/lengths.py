"""Lengths of a mechanism: of its drawing, and of its bodies themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from eigenbody.system.system import System


def drawn_length(system: System) -> float:
    """The size of the drawing, by which rotations are compared with displacements; of the first variant where there
    are several."""
    points, bodies = _first(np.real(system.places.r), 2), system.description.bodies
    if bodies.modal is not None:  # modal coordinates are no points of the drawing
        points = np.delete(points, np.flatnonzero(bodies.modal), axis=-2)
    arms = [np.zeros(1)]
    for measures in (system.constraints.measures, system.forces.measures):
        for kernel, _ in measures.batches:
            arm = getattr(getattr(kernel, "y", None), "arm", None)
            if arm is not None and arm.size:
                arms.append(np.abs(_first(np.real(arm), 3)).max(axis=-1).ravel())
    span = float((points.max(axis=0) - points.min(axis=0)).max()) if len(points) else 0.0
    return max(span / max(1.0, system.bodies**0.5), _median(np.concatenate(arms))) or 1.0


def mean_gyration(system: System) -> float:
    """Mean radius of gyration of the bodies about their own centres of mass, so that a rotation of all of them has the
    energy of the displacement shown for it. Where the drawing stands does not matter. Of point masses their spread
    about their centre."""
    own = np.flatnonzero(system.description.bodies.is_material)
    mass, inertia = _first(np.real(system.mass), 1)[own], _first(np.real(system.inertia), 3)[own]
    whole, points = float(mass.sum()), _first(np.real(system.places.r), 2)[own]
    if not whole > 0:
        return system.length
    squared = float(np.trace(inertia, axis1=-2, axis2=-1).sum()) / (3 * whole)
    away = points - mass @ points / whole
    return squared**0.5 if squared > 0 else float(mass @ (away**2).sum(axis=-1) / whole) ** 0.5 or system.length


def _median(values: np.ndarray) -> float:
    """As np.median, which takes ten times as long for so few."""
    values = np.sort(values)
    return float(values[(len(values) - 1) // 2] + values[len(values) // 2]) / 2


def _first(values: np.ndarray, axes: int) -> np.ndarray:
    """The array of the first variant, with so many axes."""
    return values[0] if values.ndim > axes else values
