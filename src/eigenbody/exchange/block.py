"""A linear block as other tools take it: x' = A x + B u, y = C x + D u with names, units and start values."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass

import numpy as np

from eigenbody.base.errors import Fault, InputError


@dataclass(frozen=True, slots=True, eq=False)
class LinearBlock:
    """States, inputs and outputs are deviations from the operating point; units are empty where none is known."""

    name: str
    A: np.ndarray
    B: np.ndarray
    C: np.ndarray
    D: np.ndarray
    states: tuple[str, ...]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    state_units: tuple[str, ...]
    input_units: tuple[str, ...]
    output_units: tuple[str, ...]

    def __post_init__(self) -> None:
        for key in "ABCD":
            if not np.isfinite(getattr(self, key)).all():
                raise InputError(Fault(key, "the matrix has entries that are no numbers."))

    @property
    def identifier(self) -> str:
        """The name as C, Modelica and file names can have it."""
        return identifier(self.name)

    @property
    def about(self) -> str:
        """What it is, in a line."""
        return f"{self.name}: linear model, deviations from its operating point in SI units"


def identifier(name: str) -> str:
    """Letters, digits and underscores, not beginning with a digit, at most 60 of them."""
    kept = re.sub(r"[^A-Za-z0-9_]+", "_", name).strip("_")[:60] or "model"
    return f"m_{kept}" if kept[0].isdigit() else kept


def different(names: Iterable[str], taken: Collection[str], word: str) -> tuple[str, ...]:
    """The names; one that is taken already gets the word before it, and a number where that is taken too."""
    out: list[str] = []
    for name in names:
        found, number = name, 1
        while found in taken or found in out:
            found = f"{word} {name}" if number == 1 else f"{word} {name} {number}"
            number += 1
        out.append(found)
    return tuple(out)
