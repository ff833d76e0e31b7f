"""Where joints, forces and measures sit: a point and axes on a body, a moving frame or ground, as the description says.

Bodies, frames and ground, in this order, are the carriers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from eigenbody.model.description import Description, Entry
from eigenbody.routes.joints import JOINTS, NON_HOLONOMIC
from eigenbody.spatial.rotations import frame

GROUND = "ground"

COMMON_POINT = (
    *(name for name in JOINTS if name != "distance"), *NON_HOLONOMIC, "bushing", "bearing", "tyre", "wheel_rail",
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class Side:
    """A frame fixed on a carrier (index of a body; ground is the last): point (3,) from the centre of mass and axes
    (3, 3) as columns, both in body axes."""

    carrier: int
    point: np.ndarray
    axes: np.ndarray


class Drawing:
    """Names to carriers, and points and axes of the drawing to sides."""

    def __init__(self, description: Description) -> None:
        bodies, frames = description.bodies, description.frames
        self.description = description
        self.bodies, self.count = len(bodies), len(bodies) + len(frames)
        carriers = (*bodies.names, *(entry.name for entry in frames), GROUND)
        self.index = {name: i for i, name in enumerate(carriers)}
        self.r = np.vstack((bodies.position, *(entry["at"] for entry in frames), np.zeros(3)))
        self.R = np.concatenate((bodies.rotation, np.broadcast_to(np.eye(3), (len(frames) + 1, 3, 3))))

    def carrier(self, name: str) -> int:
        """Index of the carrier of what is called `name`."""
        marker = self.description.markers.get(name)
        return self.index[marker.body if marker else name]

    def side(self, name: str, point: np.ndarray | None = None, axes: np.ndarray | None = None) -> Side:
        """Point and axes given in the drawing, globally; default those of the marker or the body's centre of mass."""
        carrier = self.carrier(name)
        marker = self.description.markers.get(name)
        r, R = self.r[carrier], self.R[carrier]
        if point is None:
            point = marker.position if marker else r
        if axes is None:
            axes = marker.rotation if marker else np.eye(3)
        return Side(carrier, R.T @ (point - r), R.T @ axes)

    def sides(self, entry: Entry) -> tuple[Side, Side]:
        """Both sides of a joint, bushing or measure; a joint or bushing has its point at the marker it names."""
        first, second = entry["between"]
        at = entry.get("at")
        points: Any = (None, None) if at is None else at
        axis, axis2 = entry.get("axis"), entry.get("axis2")
        own = [self.description.markers.get(name) for name in (first, second)]
        if at is None and any(own) and entry.type in COMMON_POINT:
            points = [(mine or other).position for mine, other in (own, own[::-1])]  # type: ignore[union-attr]
        if axis is None and axis2 is None and any(own):  # a marker's own frame; a body beside it takes the same
            drawn = [(mine or other).rotation for mine, other in (own, own[::-1])]  # type: ignore[union-attr]
        else:
            drawn = [frame(np.array((0.0, 0.0, 1.0)) if axis is None else axis, axis2)] * 2
        return self.side(first, points[0], drawn[0]), self.side(second, points[1], drawn[1])

    def body_sides(self, body: str) -> tuple[Side, Side]:
        """The drawn place of a body in global axes, on ground and on the body."""
        i = self.index[body]
        return self.side(GROUND, self.r[i], np.eye(3)), self.side(body, self.r[i], np.eye(3))
