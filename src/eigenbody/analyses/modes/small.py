"""Small models that stand for larger ones, and how state-space models respond."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from eigenbody.linearization.forms import StateSpace
from eigenbody.linearization.model import LinearModel

CHUNK = 2_000_000  # numbers solved for at a time


class SmallModel:
    """z' = A z + B u, y = C z + D u with the inputs and outputs of a larger linear model."""

    linear: LinearModel
    A: np.ndarray
    B: np.ndarray
    C: np.ndarray
    D: np.ndarray
    point: ClassVar[None] = None  # analyses of the whole model would not be those of the small one

    @property
    def state_space(self) -> StateSpace:
        """A, B, C, D."""
        return StateSpace(self.A, self.B, self.C, self.D)

    @property
    def inputs(self) -> tuple[str, ...]:
        """Names of the inputs."""
        return self.linear.inputs

    @property
    def outputs(self) -> tuple[str, ...]:
        """Names of the outputs."""
        return self.linear.outputs

    def frequency_response(self, hz: Any) -> np.ndarray:
        """Complex response (frequencies, outputs, inputs) of outputs to inputs."""
        return frequency_response(self.state_space, hz)


def frequency_response(space: StateSpace, hz: Any) -> np.ndarray:
    """C (i w - A)^-1 B + D at frequencies (n,) in Hz, (n, outputs, inputs) complex; nan on a pole."""
    A, B, C, D = space
    w = 2 * np.pi * np.atleast_1d(np.asarray(hz, dtype=float))
    out = np.empty((len(w), *D.shape), complex)
    step = max(1, CHUNK // max(1, A.size))
    for first in range(0, len(w), step):
        part = w[first : first + step]
        shifted = 1j * part[:, None, None] * np.eye(len(A)) - A
        try:
            out[first : first + step] = C @ np.linalg.solve(shifted, np.broadcast_to(B, (len(part), *B.shape))) + D
        except np.linalg.LinAlgError:
            out[first : first + step] = [_on_pole(matrix, space) for matrix in shifted]
    return out


def _on_pole(shifted: np.ndarray, space: StateSpace) -> np.ndarray:
    try:
        return space.C @ np.linalg.solve(shifted, space.B) + space.D
    except np.linalg.LinAlgError:
        return np.full(space.D.shape, np.nan, complex)
