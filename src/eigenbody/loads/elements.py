"""Loads of force elements: the tension along each measure on which an element acts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from eigenbody.dynamics.mechanics import Mechanics


@dataclass(frozen=True, slots=True)
class ElementLoad:
    """Tensions of a force element along its measures (a spring: one; a bushing: six; a force: three components).

    A positive tension pulls its measure shorter; what a load of type force or torque applies is the opposite.
    """

    name: str
    tension: tuple[float, ...]

    def as_dict(self) -> dict[str, Any]:
        return {"name": self.name, "tension": [value + 0.0 for value in self.tension]}


def element_loads(mechanics: Mechanics) -> tuple[ElementLoad, ...]:
    """Tensions of every force element at a state, in the order of the model."""
    forces, now = mechanics.system.forces, mechanics.applied.now
    law = forces.linear
    linear = np.real(law.k * (now.s[law.j] - law.s0) + law.c * now.v[law.j])
    shares: list[dict[int, float]] = [{} for _ in forces.owners]

    def add(owner: int, channel: int, value: float) -> None:
        shares[owner][channel] = shares[owner].get(channel, 0.0) + value

    for owner, channel, value in zip(law.owner.tolist(), law.i.tolist(), linear.tolist(), strict=True):
        add(owner, channel, value)
    for signal in forces.signals:
        add(signal.owner, signal.target, float(np.real(signal.value(now))))
    for owner, channel, value in np.real(forces.constant_owner).tolist():
        add(int(owner), int(channel), value)
    order = {entry.name: i for i, entry in enumerate(mechanics.system.description.forces)}
    loads = [
        ElementLoad(name, tuple(share[channel] for channel in sorted(share)))
        for name, share in zip(forces.owners, shares, strict=True)
    ]
    return tuple(sorted(loads, key=lambda load: order.get(load.name, len(order))))
