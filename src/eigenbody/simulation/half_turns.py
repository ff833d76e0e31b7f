"""Springs along components of a rotation vector, step by step: at half a turn the vector r becomes -r.

The energy of a spring that is bent by a component itself, k r_z^2 / 2, or of a bushing, is the same on both sides. That
of one with a free angle, or along a sum of components and other measures, jumps: there the motion ends.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from eigenbody.base.errors import ComputationError
from eigenbody.elements.measures.combined import Combined
from eigenbody.elements.measures.rotation import RotationComponent
from eigenbody.elements.measures.templates import Kernel
from eigenbody.system.state import State, carriers
from eigenbody.system.system import System

Watched = tuple[RotationComponent, tuple[str, ...]]  # rotations, and the elements that each of them bends


class HalfTurns:
    """Watches the rotations whose half turn makes the energy of a spring jump."""

    def __init__(self, system: System, start: State) -> None:
        self._system = system
        self._watched = tuple(_watched(system))
        self._last = self._vectors(start)

    def refuse_jump(self, state: State) -> None:
        """End the motion where a rotation came beyond half a turn since the last state."""
        before, self._last = self._last, self._vectors(state)
        for (_, names), first, second in zip(self._watched, before, self._last, strict=True):
            is_far = np.minimum(np.linalg.norm(first, axis=-1), np.linalg.norm(second, axis=-1)) > np.pi / 2
            for k in np.flatnonzero(is_far & ((first * second).sum(axis=-1) < 0)):
                raise ComputationError(
                    f"forces.{names[k]}: before t = {np.real(state.t):.6g} s the rotation passes half a turn, where the"
                    " components of its rotation vector jump, and with them the energy of this spring. Measure an"
                    " angle of a sequence (measures of type angles), or end the motion before."
                )

    def _vectors(self, state: State) -> list[np.ndarray]:
        if not self._watched:
            return []
        at = carriers(self._system, state)
        return [np.real(kernel.jet(at).s) for kernel, _ in self._watched]


def _watched(system: System) -> Iterator[Watched]:
    forces = system.forces
    law, owner = forces.linear, dict[int, str]()
    odd = {int(p) for kernel, positions in forces.measures.batches
           for p, is_odd in zip(positions, _changes_sign(kernel), strict=True) if is_odd}  # fmt: skip
    for i, j, k, s0, who in zip(law.i, law.j, *(np.real(part) for part in (law.k, law.s0)), law.owner, strict=True):
        is_even = not s0 and {int(i), int(j)} <= odd
        if k and not is_even:
            owner |= {int(i): forces.owners[who], int(j): forces.owners[who]}
    for kernel, positions in forces.measures.batches:
        chosen = np.array([n for n, p in enumerate(positions) if int(p) in owner], dtype=int)
        if len(chosen):
            names = tuple(owner[int(positions[n])] for n in chosen)
            yield from ((part, names) for part in _rotations(kernel.take(chosen)))


def _changes_sign(kernel: Kernel) -> np.ndarray:
    """(n,) bool: measures that change their sign at half a turn, and nothing else: components of a rotation vector, and
    sums of those of one."""
    count = len(kernel.carriers)
    if isinstance(kernel, RotationComponent):
        return np.ones(count, dtype=bool)
    parts = kernel.inner if isinstance(kernel, Combined) else ()
    if not isinstance(kernel, Combined) or not all(isinstance(part, RotationComponent) for part in parts):
        return np.zeros(count, dtype=bool)
    found = np.all(kernel.coefficients[..., 0] == 0, axis=-1) & np.all(kernel.coefficients[..., 2:] == 0, axis=(-1, -2))
    for part in parts[1:]:
        for what in ("carriers", "first", "second"):
            one, other = (getattr(rotation, what).reshape(count, -1) for rotation in (parts[0], part))
            found = found & np.all(one == other, axis=-1)
    return found


def _rotations(kernel: Kernel) -> Iterator[RotationComponent]:
    """Rotation vectors that measures are made of."""
    if isinstance(kernel, RotationComponent):
        yield kernel
    elif isinstance(kernel, Combined):
        for inner in kernel.inner:
            yield from _rotations(inner)
