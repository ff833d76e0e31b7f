"""What is measured, as files hold it: shapes at nodes, and functions of time or frequency."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, slots=True, eq=False)
class NodeShapes:
    """Modes at nodes.

    numbers, position  (n,) and (n, 3) in m, of the nodes
    traces             lines through nodes, each with its name, for drawing
    eigenvalues        (m,) 1/s, complex
    shapes             (m, n, 3 or 6) complex: displacement, and rotation, in global axes
    """

    name: str
    numbers: np.ndarray
    position: np.ndarray
    traces: tuple[tuple[str, tuple[int, ...]], ...]
    eigenvalues: np.ndarray
    shapes: np.ndarray


@dataclass(frozen=True, slots=True, eq=False)
class Functions:
    """Functions over the same places: times in s ("time") or frequencies in Hz ("frequency").

    values (places, count), real over time, complex over frequency; `responses` and `references` name what was measured
    and, of frequency responses, what it was divided by.
    """

    name: str
    over: str
    x: np.ndarray
    values: np.ndarray
    responses: tuple[str, ...]
    references: tuple[str, ...]
    units: tuple[str, ...]
