"""What signals depend on, and what is asked of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

import numpy as np


@dataclass(frozen=True, slots=True)
class Argument:
    """One quantity a signal depends on: `kind` is "s" (measure), "v" (its rate), "a" (its second rate, in outputs
    alone), "x" (state), "w" (rate of a state, in implicit equations alone), "u" (input), "z" (algebraic variable) or
    "t"."""

    name: str
    kind: str
    index: int
    offset: float = 0.0  # subtracted from the quantity


@dataclass(frozen=True, slots=True, eq=False)
class Quantities:
    """Current values of everything signals may depend on."""

    s: np.ndarray  # (..., channels)
    v: np.ndarray
    x: np.ndarray
    u: np.ndarray
    t: float | complex
    w: np.ndarray = field(default_factory=lambda: np.zeros(0))
    a: np.ndarray = field(default_factory=lambda: np.zeros(0))
    z: np.ndarray = field(default_factory=lambda: np.zeros(0))

    def of(self, argument: Argument) -> np.ndarray | float | complex:
        if argument.kind == "t":
            return self.t
        return getattr(self, argument.kind)[..., argument.index] - argument.offset


class AnySignal(Protocol):
    """What forces, states and outputs ask of a signal."""

    @property
    def target(self) -> int: ...
    @property
    def owner(self) -> int: ...
    @property
    def arguments(self) -> tuple[Argument, ...]: ...
    def value(self, now: Quantities) -> np.ndarray: ...
    def partials(self, now: Quantities) -> list[tuple[Argument, np.ndarray]]: ...
