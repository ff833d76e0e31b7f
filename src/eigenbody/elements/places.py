"""Names to carriers: where points and frames given in the drawing sit on the bodies that carry them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from eigenbody.elements.measures.templates import Pairs
from eigenbody.elements.prescribed import rotations_prescribed
from eigenbody.model.description import Description, Entry
from eigenbody.spatial.rotations import apply_transposed, frame

GROUND = "ground"
GLOBAL_Z = np.array([0.0, 0.0, 1.0])


class Places:
    """Carriers are numbered bodies first, then moving frames, then the targets of rotations prescribed as a whole (by
    the owner of their three coordinates), ground last."""

    def __init__(self, description: Description) -> None:
        bodies = description.bodies
        self.description = description
        self.prescribed = rotations_prescribed(description)
        self.targets = tuple(self.prescribed)
        frames = (f.name for f in description.frames)
        self.names = (*bodies.names, *frames, *(f"motion of {owner}" for owner in self.targets), GROUND)
        self.index = {name: i for i, name in enumerate(self.names)}
        still = len(self.names) - len(bodies)
        turning = [frame["at"][None] for frame in description.frames]
        self.r = np.concatenate((bodies.position, *turning, np.zeros((still - len(turning), 3))), axis=-2)
        self.R = np.concatenate((bodies.rotation, np.broadcast_to(np.eye(3), (still, 3, 3))), axis=-3)

    @property
    def ground(self) -> int:
        return len(self.names) - 1

    def target(self, owner: str) -> int:
        """Carrier that turns as is prescribed for the rotation of a joint or body."""
        return self.ground - len(self.targets) + self.targets.index(owner)

    def carrier(self, name: str) -> int:
        """Carrier of a body, frame, marker or ground."""
        marker = self.description.markers.get(name)
        return self.index[marker.body if marker is not None else name]

    def carriers(self, names: Sequence[str]) -> np.ndarray:
        if not self.description.markers:
            return np.array([self.index[name] for name in names], dtype=int)
        return np.array([self.carrier(name) for name in names], dtype=int)

    def origin(self, name: str) -> np.ndarray:
        """Where a name stands in the drawing: the marker's point, or the body's centre of mass."""
        marker = self.description.markers.get(name)
        return marker.position if marker is not None else self.r[self.index[name]]

    def local_points(self, carrier: np.ndarray, points: np.ndarray) -> np.ndarray:
        """Global points (..., n, 3) of the drawing in carrier axes."""
        return apply_transposed(self.R[carrier], points - self.r[carrier])

    def local_axes(self, carrier: np.ndarray, axes: np.ndarray) -> np.ndarray:
        """Global frames (..., n, 3, 3) of the drawing in carrier axes."""
        return np.swapaxes(self.R[carrier], -1, -2) @ axes

    def pairs(self, entries: Sequence[Entry]) -> Pairs:
        """Frames of two-ended elements from their keys `between`, `at`, `axis`, `axis2`."""
        names = [entry["between"] for entry in entries]
        first, second = (self.carriers([pair[k] for pair in names]) for k in (0, 1))
        points, frames = self.points(entries), self._frames(entries)
        return Pairs(
            first,
            second,
            self.local_points(first, points[:, 0]),
            self.local_points(second, points[:, 1]),
            self.local_axes(first, frames[:, 0]),
            self.local_axes(second, frames[:, 1]),
        )

    def points(self, entries: Sequence[Entry]) -> np.ndarray:
        """(n, 2, 3): `at`, else the markers' own points, else the centre of mass of the second body."""
        rows = [self._point(entry) for entry in entries]
        return np.concatenate(rows).reshape(-1, 2, 3) if rows else np.zeros((0, 2, 3))

    def _point(self, entry: Entry) -> np.ndarray:
        at = entry.values.get("at")
        if at is not None:
            return at
        first, second = entry["between"]
        markers = self.description.markers
        a, b = self.origin(first), self.origin(second)
        if first not in markers:
            a = b
        elif second not in markers:
            b = a
        return np.stack((a, b))

    def _frames(self, entries: Sequence[Entry]) -> np.ndarray:
        """(n, 2, 3, 3): z along `axis`, x along `axis2`; a marker without `axis` gives its own axes."""
        if not entries:
            return np.zeros((0, 2, 3, 3))
        given = [entry.values.get("axis") for entry in entries]
        z = np.array([GLOBAL_Z if axis is None else axis for axis in given])
        out = np.repeat(frame(z)[:, None], 2, axis=1)
        markers = self.description.markers
        if markers:
            out = out.astype(np.result_type(out, *(m.rotation for m in markers.values())))
        for i, entry in enumerate(entries):
            axis2 = entry.values.get("axis2")
            if axis2 is not None:
                own = frame(z[i], axis2)
                out = out.astype(np.result_type(out, own))
                out[i] = own
            elif markers and given[i] is None:
                self._marker_axes(entry, out[i])
        return out

    def _marker_axes(self, entry: Entry, axes: np.ndarray) -> None:
        """Axes (2, 3, 3) of the markers at the two ends; one marker alone gives its axes to both."""
        found = [self.description.markers.get(name) for name in entry["between"]]
        for side in (0, 1):
            marker = found[side] or found[1 - side]
            if marker is not None:
                axes[side] = marker.rotation
