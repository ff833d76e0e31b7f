"""Flexible bodies in batches of the same number of modes, and their elastic forces along the modal coordinates."""

from __future__ import annotations

import numpy as np

from eigenbody.elements.forces import ForceBuilder
from eigenbody.elements.places import Places
from eigenbody.model.description import Description, FlexibleBody
from eigenbody.system.system import FlexibleBatch


def flexible_batches(description: Description, places: Places) -> tuple[FlexibleBatch, ...]:
    """All flexible bodies."""
    by_modes: dict[int, list[FlexibleBody]] = {}
    for body in description.flexible:
        by_modes.setdefault(body.reduced.modes, []).append(body)
    return tuple(_batch(bodies, places) for bodies in by_modes.values())


def _batch(bodies: list[FlexibleBody], places: Places) -> FlexibleBatch:
    def column(name: str) -> np.ndarray:
        return np.stack([getattr(body.reduced, name) for body in bodies])

    frames = [places.index[body.name] for body in bodies]
    modal = [
        [3 * places.index[body.carriers[k // 3]] + k % 3 for k in range(body.reduced.modes)] for body in bodies
    ]  # fmt: skip
    return FlexibleBatch(
        np.array(frames), np.array(modal, dtype=int), column("J1"), column("J2"), column("b"), column("modal_mass")
    )


def resist_bending(description: Description, builder: ForceBuilder) -> None:
    """Stiffness and damping of every flexible body."""
    for body in description.flexible:
        owner = builder.own([elastic_name(body.name)])
        channel = builder.along(body.coordinates)
        K, C = body.reduced.stiffness, body.damping
        i, j = np.nonzero((K != 0) | (C != 0))
        builder.couple(channel[i], channel[j], K[i, j], C[i, j], np.repeat(owner, len(i)), body.reduced.rest[j])


def elastic_name(body: str) -> str:
    """What the elastic forces of a flexible body are called among the force elements."""
    return f"{body}.elastic"
