"""Units of the signals of a linear model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from eigenbody.linearization.point import OperatingPoint
from eigenbody.system.outputs import rate_unit


class Units(NamedTuple):
    """Units in the order of the signals; empty where there is none or none is known."""

    states: tuple[str, ...]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]

    def as_dict(self) -> dict[str, list[str]]:
        return {name: list(units) for name, units in self._asdict().items()}


def units_of(point: OperatingPoint, coordinates: Sequence[str], velocities: Sequence[str]) -> Units:
    """Units of the states [S, W, x], the inputs and the outputs."""
    system = point.system

    def unit(name: str, order: int) -> str:
        return rate_unit(system.dimensions[system.aliases[name]], order)

    states = (*(unit(name, 0) for name in coordinates), *(unit(name, 1) for name in velocities), *system.state_units)
    return Units(states, system.input_units, tuple(output.unit for output in system.outputs))
