"""Results as plain data: the JSON documents of the command line."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from eigenbody.analyses.modes import Modes
    from eigenbody.linearization.model import LinearModel


def number(value: float) -> float | None:
    """A finite number, or null: JSON has no NaN and no infinity."""
    return float(value) if math.isfinite(value) else None


def modes_document(modes: Modes) -> dict[str, Any]:
    """`modes --json`."""
    linear = modes.linear
    entries = []
    for i, value in enumerate(modes.eigenvalues):
        entries.append(
            {
                "index": i + 1,
                "real": float(value.real),
                "imag": float(value.imag),
                "frequency_hz": float(modes.frequency_hz[i]),
                "damped_frequency_hz": float(modes.damped_frequency_hz[i]),
                "damping_ratio": number(modes.damping_ratio[i]),
                "kind": modes.kinds[i],
                "stability": modes.stabilities[i],
            }
        )
    return {
        "model": linear.point.model.name,
        "dof": modes.dof,
        "states": modes.states,
        "stability": modes.stability,
        "coordinates": list(linear.coordinates),
        "modes": entries,
        "certificate": linear.certificate.as_dict(),
        "notes": list(linear.notes),
        "warnings": list(linear.point.warnings),
    }


def linear_document(linear: LinearModel) -> dict[str, Any]:
    """`linearize --json`."""
    rows = lambda matrix: np.asarray(matrix).tolist()  # noqa: E731
    space = linear.state_space
    second = len(linear.coordinates) == len(linear.velocities)
    return {
        "model": linear.point.model.name,
        "coordinates": list(linear.coordinates),
        "velocities": list(linear.velocities),
        "mass": rows(linear.M) if second else None,
        "damping": rows(linear.C) if second else None,
        "stiffness": rows(linear.K) if second else None,
        "states": list(linear.states),
        "inputs": list(linear.inputs),
        "outputs": list(linear.outputs),
        "A": rows(space.A),
        "B": rows(space.B),
        "C": rows(space.C),
        "D": rows(space.D),
        "certificate": linear.certificate.as_dict(),
        "notes": list(linear.notes),
        "warnings": list(linear.point.warnings),
    }
