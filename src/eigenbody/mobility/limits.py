"""Limits of joint coordinates: nothing enforces them, a state beyond them is noted."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from eigenbody.dynamics.mechanics import Mechanics
from eigenbody.mobility.turns import values_of
from eigenbody.model.description import Entry
from eigenbody.system.system import System

ROUNDING = 1e-9  # rad or m: a coordinate at its limit is not beyond it
NAMED = 6  # coordinates that are listed


def beyond_limits(mechanics: Mechanics) -> tuple[str, ...]:
    """What to say of joint coordinates that are beyond the limits that the model gives them."""
    system = mechanics.system
    limited = list(_limited(system))
    if not limited or mechanics.state.r.ndim > 2:
        return ()
    index = np.array([measure for measure, _, _ in limited])
    values = np.real(values_of(system, mechanics.state, index)).tolist()
    found = [
        f"{system.names[i]} = {value:.6g} {system.dimensions[i]} ({low:.6g} to {high:.6g})"
        for value, (i, low, high) in zip(values, limited, strict=True)
        if not low - ROUNDING <= value <= high + ROUNDING
    ]
    if not found:
        return ()
    more = f" and {len(found) - NAMED} more" if len(found) > NAMED else ""
    return (f"Beyond the limits of joints: {', '.join(found[:NAMED])}{more}.",)


def _limited(system: System) -> Iterator[tuple[int, float, float]]:
    """Coordinates with limits: measure, lower and upper one."""
    joints: tuple[Entry, ...] = system.description.joints
    for group in system.joints:
        for i, measures in zip(group.index.tolist(), group.coordinates.tolist(), strict=True):
            lower, upper = joints[i].values.get("lower"), joints[i].values.get("upper")
            if lower or upper:
                for k, measure in enumerate(measures):
                    low, high = (None if side is None else side[k] for side in (lower, upper))
                    if low is not None or high is not None:
                        yield (
                            measure,
                            -np.inf if low is None else float(np.real(low)),
                            np.inf if high is None else float(np.real(high)),
                        )
