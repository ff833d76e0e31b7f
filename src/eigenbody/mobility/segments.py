"""Beams made of rigid pieces (`segments`): a spin given at one place is that of the whole beam.

Springs alone join the pieces, and a velocity that is not given is zero: only the piece that it is given to would turn.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from eigenbody.dynamics.mechanics import Mechanics
from eigenbody.model.description import owner_of
from eigenbody.spatial.rotations import apply, cross
from eigenbody.system.state import collect
from eigenbody.system.system import System

SAME = 1e-9  # relative: a speed that is none


def segmented(system: System) -> dict[str, list[int]]:
    """Bodies of each beam that is made of rigid pieces: pieces and nodes."""
    bodies, flexible = system.description.bodies, {owner_of(body.name) for body in system.description.flexible}
    found: dict[str, list[int]] = {}
    for i, name in enumerate(bodies.names):
        if owner_of(name) != name and owner_of(name) not in flexible:
            found.setdefault(owner_of(name), []).append(i)
    return found


def riders(system: System, own: list[int]) -> list[int]:
    """Other bodies that joints hold fast on these: discs pressed on, and what is fixed to them."""
    count, places = len(system.description.bodies.names), system.places
    pairs = [{places.carrier(name) for name in joint["between"]} for joint in system.description.joints
             if joint.type == "fixed"]  # fmt: skip
    found = set(own)
    while new := {i for pair in pairs if pair & found for i in pair if i < count} - found:
        found |= new
    return sorted(found - set(own))


def spins_of_segments(moving: Mechanics) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """For each such beam of which a piece turns about the line of all and others do not: velocities u (nq,) with which
    all of them turn, what is fixed on them too, and which coordinates of the bodies (nq,) are theirs."""
    system, state = moving.system, moving.state
    omega = np.real(apply(state.R, state.w))
    for own in segmented(system).values():
        speed = np.linalg.norm(omega[own], axis=1)
        turning = [i for i, w in zip(own, speed, strict=True) if w > SAME * speed.max(initial=0.0)]
        pieces = [i for i in own if np.real(system.mass[i]) > 0]
        if not turning or set(pieces) <= set(turning):
            continue
        spin, at = omega[turning[0]], state.r[turning[0]]
        carried = cross(np.broadcast_to(spin, (len(own), 3)), state.r[own] - at)
        least = SAME * float(np.linalg.norm(spin)) * system.length
        is_spin = np.abs(omega[turning] - spin).max() <= SAME * np.abs(spin).max()
        if not is_spin or np.abs(carried).max() > least or np.abs(state.v[turning]).max() > least:
            continue
        riding = riders(system, own)
        whole = own + riding
        v, w, theirs = np.zeros_like(state.v), np.zeros_like(state.w), np.zeros_like(state.w)
        v[riding] = cross(np.broadcast_to(spin, (len(riding), 3)), state.r[riding] - at)
        w[whole] = apply(np.swapaxes(state.R[whole], -1, -2), np.broadcast_to(spin, (len(whole), 3)))
        theirs[whole] = 1.0
        yield collect(system, v, w), collect(system, theirs, theirs) > 0
