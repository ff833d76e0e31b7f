"""Bearings in a motion: whose first side turns, and whose axis is across the turning of the second."""

from __future__ import annotations

from itertools import islice

import numpy as np

from eigenbody.dynamics.mechanics import Mechanics
from eigenbody.model.description import Entry
from eigenbody.spatial.rotations import apply, cross

TURNS = 1e-9  # of the fastest turning: what turns less stands still
ACROSS = 0.1  # sine of the angle between the axis of a bearing and a turning from which it is across
AXIS = np.array([0.0, 0.0, 1.0])  # of a bearing that has none of its own
NAMED = 3  # bearings that are told of


def misplaced_bearings(mechanics: Mechanics) -> tuple[str, ...]:
    """What to say of bearings that let another body spin than the one that does, or about another axis."""
    bearings = [entry for entry in mechanics.system.description.forces if entry.type == "bearing"]
    if not bearings or mechanics.state.r.ndim > 2:
        return ()
    spin = np.real(apply(mechanics.at.R, mechanics.at.w))  # (carriers, 3) in global axes
    least = TURNS * float(np.abs(spin).max(initial=0.0))
    found = (_remark(mechanics, entry, spin, least) for entry in bearings)
    return tuple(islice(filter(None, found), NAMED))


def _remark(mechanics: Mechanics, entry: Entry, spin: np.ndarray, least: float) -> str:
    """Of one bearing; nothing where it fits."""
    first, second = mechanics.system.places.carriers(entry["between"])
    one, other = entry["between"]
    if np.linalg.norm(spin[first]) > least >= np.linalg.norm(spin[second]):
        return (
            f"{entry.where}: {one}, its first side, turns and {other} does not: stiffness and damping of the bearing"
            f" turn with {one}. Write the fixed side first: between: [{other}, {one}]."
        )
    turning = spin[second] - spin[first]
    size = float(np.linalg.norm(turning))
    if size > least and _is_across(mechanics, entry, int(first), turning / size):
        return (
            f"{entry.where}: {other} turns across the axis of the bearing, which lets it spin about that axis alone."
            " Give the direction of the spin as axis."
        )
    return ""


def _is_across(mechanics: Mechanics, entry: Entry, first: int, direction: np.ndarray) -> bool:
    """Whether the axis, which moves with the first side, is across a direction; not known of axes of markers."""
    if any(name in mechanics.system.description.markers for name in entry["between"]):
        return False
    drawn = np.real(mechanics.system.places.R)[first].T @ np.real(entry.get("axis", AXIS))
    return bool(np.linalg.norm(cross(direction, np.real(mechanics.at.R)[first] @ drawn)) > ACROSS)
