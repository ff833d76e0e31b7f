"""Distances along which something acts: where two points coincide they have no direction, and no derivatives."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from eigenbody.base.errors import Fault, InputError
from eigenbody.elements.measures.combined import Combined
from eigenbody.elements.measures.compose import Composed
from eigenbody.elements.measures.features import Carriers
from eigenbody.elements.measures.templates import SQUARE_ROOT, Kernel
from eigenbody.system.state import State, carriers
from eigenbody.system.system import System

NOTHING = 1e-14  # of the length of the mechanism


def refuse_coinciding_points(system: System, state: State) -> None:
    """No force acts along a distance that is zero."""
    batches = [(kernel, positions) for kernel, positions in system.forces.measures.batches if _has_distances(kernel)]
    if not batches:
        return
    at = carriers(system, state)
    short = {int(positions[n]) for kernel, positions in batches for n in _short(kernel, at, NOTHING * system.length)}
    if short:
        what = "it acts along a distance whose two points coincide here: it has no direction."
        raise InputError([Fault(where, what, "Move one of the points, or use a bushing.")
                          for where in _acting(system, short)])  # fmt: skip


def _has_distances(kernel: Kernel) -> bool:
    if isinstance(kernel, Combined):
        return any(map(_has_distances, kernel.inner))
    return isinstance(kernel, Composed) and kernel.outer is SQUARE_ROOT


def _short(kernel: Kernel, at: Carriers, limit: float) -> set[int]:
    """Measures of a kernel that are, or are made of, a distance of nothing."""
    if isinstance(kernel, Combined):
        return {n for inner in kernel.inner if _has_distances(inner) for n in _short(inner, at, limit)}
    assert isinstance(kernel, Composed)
    square = np.real(kernel.inner[0].jet(at).value)
    return set(np.flatnonzero((square <= limit**2).reshape(-1, square.shape[-1]).any(axis=0)).tolist())


def _acting(system: System, channels: set[int]) -> Iterator[str]:
    """Where the elements and inputs stand that act along channels."""
    forces = system.forces
    found = [int(who) for who, i in zip(forces.linear.owner, forces.linear.i, strict=True) if int(i) in channels]
    found += [signal.owner for signal in forces.signals if signal.target in channels]
    found += [int(np.real(who)) for who, channel, _ in forces.constant_owner if int(np.real(channel)) in channels]
    yield from dict.fromkeys(f"forces.{forces.owners[who]}" for who in sorted(found))
    inputs = (forces.input_index[n] for n, channel in enumerate(forces.input_channel) if int(channel) in channels)
    yield from dict.fromkeys(f"inputs.{system.inputs[int(k)]}" for k in inputs)
