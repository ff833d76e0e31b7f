"""What every route gets and gives: a description, the state at which to linearize, and eigenvalues with their matrices.

A route shares with the main engine only the model's description, units and spatial algebra. It is told where the
mechanism is (poses and velocities of the bodies) and finds accelerations, forces and linear equations by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np


class Unsupported(Exception):
    """Something that a formulation does not know; the text says what."""


@dataclass(frozen=True, eq=False)
class Place:
    """Where to linearize: poses (bodies, 3), (bodies, 3, 3), velocities v global and w in body axes (bodies, 3),
    first-order states x with their names, inputs, time, the values of all joint coordinates by name (full turns
    counted), and the names of the independent ones to linearize in: away from equilibrium eigenvalues depend on that
    choice. With non-holonomic rows fewer velocities than coordinates are independent."""

    r: np.ndarray
    R: np.ndarray
    v: np.ndarray
    w: np.ndarray
    x: np.ndarray
    inputs: np.ndarray
    t: float
    coordinates: Mapping[str, float] = field(default_factory=dict)
    independent: tuple[str, ...] = ()
    velocities: tuple[str, ...] = ()
    states: tuple[str, ...] = ()

    @property
    def is_at_rest(self) -> bool:
        return not np.any(self.v) and not np.any(self.w)


@dataclass(frozen=True, eq=False)
class Linear:
    """What a route found: eigenvalues (all states) and the matrices behind them, by the names its authors use."""

    eigenvalues: np.ndarray
    matrices: Mapping[str, np.ndarray] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    is_exact: bool = True  # False: it neglects a term by construction, which `notes` and `matrices` show
    error: np.ndarray | None = None  # of its state matrix by its own estimate, where that is more than plain rounding


@dataclass(frozen=True)
class Route:
    """One formulation: `applies` says why it does not apply to a model ("" if it does), `linearize` does the work.

    An independent one is told the description and the place, another one the operating point of the engine itself.
    """

    name: str
    title: str
    source: str  # authors and year
    applies: Callable[..., str]
    linearize: Callable[..., Linear]
    is_independent: bool = True
    choices: tuple[str, ...] = ()  # what `linearize` may be told by keyword
