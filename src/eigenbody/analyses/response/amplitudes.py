"""Amplitude and phase of each mode from the initial conditions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from eigenbody.analyses.modes import Modes
from eigenbody.base.errors import ComputationError

WORST = 1e10  # condition of the mode shapes above which amplitudes mean nothing


@dataclass(frozen=True, slots=True)
class ModeAmplitude:
    """A mode in a free motion: x(t) = sum over modes of amplitude Re(shape exp(eigenvalue t + i phase)).

    The shape is that of `modes` (largest body motion one and real); the phase (rad) of a mode without oscillation is
    0 or pi. `index` counts the modes from 1.
    """

    index: int
    eigenvalue: complex
    amplitude: float
    phase: float

    @property
    def frequency_hz(self) -> float:
        """Damped frequency."""
        return self.eigenvalue.imag / (2 * np.pi)


def mode_amplitudes(modes: Modes, x0: np.ndarray) -> tuple[ModeAmplitude, ...]:
    """Solve x0 = Re(sum c_k shape_k) for the complex amplitudes c, one for each entry of the modes.

    A rigid coordinate has two entries, position and velocity; the amplitude of the second is a speed.
    """
    assert modes.states_shape is not None
    shapes, paired = modes.states_shape, modes.eigenvalues.imag > 0
    columns = np.concatenate((shapes.real, -shapes[paired].imag)).T  # unknowns: real parts, then imaginary parts
    unit = np.maximum(np.abs(columns).max(axis=1, initial=0.0), 1e-300)
    condition = np.linalg.cond(columns / unit[:, None]) if columns.size else 1.0
    if not condition < WORST:
        raise ComputationError(
            "Modes coincide in eigenvalue and shape (defective): the motion has no amplitude of each of them."
            " It is the states over time that say what happens."
        )
    solved = np.linalg.solve(columns / unit[:, None], x0 / unit) if columns.size else np.zeros(0)
    found = solved[: len(shapes)].astype(complex)
    found[paired] += 1j * solved[len(shapes) :]
    return tuple(
        ModeAmplitude(i + 1, complex(value), float(np.abs(c)), float(np.angle(c)))
        for i, (value, c) in enumerate(zip(modes.eigenvalues, found, strict=True))
    )
