"""Modes at points of a sweep that were linearized together and of which there is nothing more to say."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np

from eigenbody.analyses.modes import (
    StackedModes,
    growth_of,
    spins_of,
    stacked_modes,
    stands_still,
    tracked_shapes,
)
from eigenbody.analyses.sweep.linear import Linearized, Member, Stack
from eigenbody.analyses.sweep.tracking import PointModes
from eigenbody.base.errors import EigenbodyError
from eigenbody.linearization.point import OperatingPoint
from eigenbody.linearization.stiffening import need_no_remarks
from eigenbody.operating.turning.blades import may_have_patterns
from eigenbody.system.state import State

ALIKE = 9  # digits of velocities that are the same


def modes_in_stacks(linears: Sequence[Linearized], n: int | None) -> dict[int, PointModes]:
    """Modes of members of stacks, by their places among `linears`; without those that need their own treatment."""
    stacks: dict[Stack, dict[int, int]] = {}
    for i, one in enumerate(linears):
        if isinstance(one, Member):
            stacks.setdefault(one.stack, {})[one.place] = i
    return {places[k]: found for stack, places in stacks.items() for k, found in _of_stack(stack, [*places], n).items()}


def _of_stack(stack: Stack, members: list[int], n: int | None) -> dict[int, PointModes]:
    if not stands_still(stack.linear):
        return {}
    classes = alike_in_turning({k: stack.state(k) for k in members})
    turning = stack.points([own[0] for own in classes])
    without = np.array([k for own in classes if not may_have_patterns(turning[own[0]]) for k in own], dtype=int)
    if not len(without):
        return {}
    try:
        found = stacked_modes(stack.linear, without, n)
    except (EigenbodyError, np.linalg.LinAlgError):  # one by one each says for itself what is wrong
        return {}
    notes = _notes(stack, [own for own in classes if own[0] in set(without.tolist())], turning)
    return {k: modes for some in found for k, modes in _of_points(stack, some, notes).items()}


def _of_points(stack: Stack, found: StackedModes, notes: Mapping[int, tuple[str, ...]]) -> dict[int, PointModes]:
    g, n = found.eigenvalues.shape
    shapes = tracked_shapes(stack.linear.first, found.motion.reshape(g * n, *found.motion.shape[2:]))
    shapes = shapes.reshape(g, n, *shapes.shape[1:])
    finite = np.isfinite(found.eigenvalues).all(axis=1) & np.isfinite(found.motion).all(axis=(1, 2, 3))
    spins = spins_of(stack.linear, found.members)
    out = {}
    for i, k in enumerate(found.members.tolist()):
        if not finite[i]:
            continue
        spectrum, entries, values = found.spectra[i], found.entries[i], found.eigenvalues[i]
        on_axis = spectrum.is_rigid | spectrum.on_axis
        flags = zip(values.tolist(), on_axis[entries].tolist(), spectrum.defective[entries].tolist(), strict=True)
        out[k] = PointModes(
            eigenvalues=values,
            shapes=shapes[i],
            extra=np.zeros((n, 0)),
            is_rigid=spectrum.is_rigid[entries],
            stabilities=tuple(growth_of(*flag) for flag in flags),
            spins=spins[i],
            is_complete=n + int((values.imag > 0).sum()) == len(spectrum.eigenvalues),
            stability=spectrum.stability,
            notes=(*notes[k], *found.remarks[i]),
            linear=partial(stack.model, k),
        )
    return out


def _notes(
    stack: Stack, classes: Sequence[Sequence[int]], known: Mapping[int, OperatingPoint]
) -> dict[int, tuple[str, ...]]:
    """Notes on the linear equations: the same for points that turn alike and of which there is nothing to remark, those
    of its own for any other. Some operating points are known."""
    linear = stack.linear
    quiet = need_no_remarks(stack.batch, linear.first.system.description.flexible, linear.count)
    out: dict[int, tuple[str, ...]] = {}
    for own in classes:
        state = stack.state(own[0])
        moves = bool(state.v.any() or state.w.any())
        same = [k for k in own if moves and quiet[k]]
        alone = [*same[:1], *(k for k in own if not (moves and quiet[k]))]
        out.update({k: model.notes for k, model in stack.models(alone, known).items()})
        if same:
            out.update(dict.fromkeys(same, out[same[0]]))
    return out


def alike_in_turning(states: Mapping[int, State]) -> list[list[int]]:
    """Keys of states in which bodies stand alike, the same bodies turn, and all move alike beside the fastest turn; of
    each such class the one that turns fastest first."""
    classes: dict[bytes, list[int]] = {}
    speed: dict[int, float] = {}
    for k, state in states.items():
        speed[k] = float(np.abs(state.w).max(initial=0.0))
        unit = speed[k] or 1.0
        moving = (np.round(part / unit, ALIKE) + 0.0 for part in (state.w, state.v))
        key = b"".join(part.tobytes() for part in (state.r, state.w != 0, *moving))
        classes.setdefault(key, []).append(k)
    return [sorted(own, key=lambda k: -speed[k]) for own in classes.values()]
