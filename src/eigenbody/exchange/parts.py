"""What links of robots consist of in every format: poses, inertias, drawn solids."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

IDENTITY = np.eye(3)


@dataclass(frozen=True, slots=True, eq=False)
class Pose:
    """Where a frame is in another one: r (3,), R (3, 3)."""

    r: np.ndarray
    R: np.ndarray

    def __matmul__(self, other: Pose) -> Pose:
        return Pose(self.r + self.R @ other.r, self.R @ other.R)


ORIGIN = Pose(np.zeros(3), IDENTITY)


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
