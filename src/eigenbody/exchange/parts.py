"""What links of robots consist of in every format: poses, inertias, drawn solids."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

IDENTITY = np.eye(3)
ROTATIONS = ("rx", "ry", "rz")
LABELS = {  # coordinates of joints with several
    "free": ("x", "y", "z", *ROTATIONS), "spherical": ROTATIONS, "planar": ("x", "y", "angle"),
    "universal": ("angle1", "angle2"), "fixed": (),
}  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class Pose:
    """Where a frame is in another one: r (3,), R (3, 3)."""

    r: np.ndarray
    R: np.ndarray

    def __matmul__(self, other: Pose) -> Pose:
        return Pose(self.r + self.R @ other.r, self.R @ other.R)

    @property
    def inverse(self) -> Pose:
        return Pose(-self.R.T @ self.r, self.R.T)


ORIGIN = Pose(np.zeros(3), IDENTITY)


def coordinates_of(joints: Mapping[str, Mapping[str, Any]], without: Collection[str]) -> list[str]:
    """All coordinates of joints of a model, but those of the joints `without`."""
    kept = {name: entry["type"] for name, entry in joints.items() if name not in without}
    return [full for name, kind in kept.items()
            for full in ([f"{name}.{label}" for label in LABELS[kind]] if kind in LABELS else [name])]  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class Inertial:
    """Mass, the pose of the centre of mass in the link, and the inertia (3, 3) about it in the axes of that pose."""

    mass: float
    pose: Pose
    tensor: np.ndarray
    line: int


@dataclass(frozen=True, slots=True, eq=False)
class Solid:
    """A visual primitive: the pose in the link and what a `shape` of a model says of it."""

    pose: Pose
    shape: dict[str, object]
