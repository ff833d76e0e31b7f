"""What is prescribed in time: which drivers hold, and which rotations are prescribed as a whole."""

from __future__ import annotations

from collections.abc import Iterator

from eigenbody.elements.joints import ALL_JOINTS
from eigenbody.model.description import Description, Entry

ROTATIONS = ("rx", "ry", "rz")
ANGLES = ("1", "2", "3")
QUATERNION = ("w", "x", "y", "z")


def holds_a_row(driver: Entry) -> bool:
    """Not one that holds during assembly only, as a given position and velocity, nor a one-sided one that is open."""
    return not driver.get("assembly") and (driver.get("side") is None or bool(driver.get("closed")))


def rotations_prescribed(description: Description) -> dict[str, tuple[str, ...]]:
    """Joints, bodies and measures whose rotation is prescribed in all of its coordinates, with the labels of these:
    components of the rotation vector, angles of a sequence, or components of a quaternion."""
    names = dict.fromkeys(_prescribed(description))
    owners = dict.fromkeys(name.rpartition(".")[0] for name in names)
    return {
        owner: labels
        for owner in owners
        for labels in (ROTATIONS, ANGLES, QUATERNION)
        if all(f"{owner}.{label}" in names for label in labels)
    }


def _prescribed(description: Description) -> Iterator[str]:
    """Full names of the prescribed coordinates, two-sided ones, of joints that turn about all axes and of drivers."""
    types = {entry.type: ALL_JOINTS[entry.type].free for entry in description.joints}
    turning = {name: free for name, free in types.items() if {*ROTATIONS} <= {part.label for part in free}}
    for entry in description.joints if turning else ():
        if entry.type in turning:
            free, motion = turning[entry.type], entry.get("motion") or ()
            yield from (f"{entry.name}.{free[k].label}" for k, signal in enumerate(motion) if signal is not None)
    yield from (e["measure"] for e in description.drivers if holds_a_row(e) and e.get("side") is None)
