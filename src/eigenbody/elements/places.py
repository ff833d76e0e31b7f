"""Names to carriers: where points and frames given in the drawing sit on the bodies that carry them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from eigenbody.elements.measures.templates import Pairs
from eigenbody.errors import Fault, InputError
from eigenbody.model.description import Description, Entry
from eigenbody.spatial.rotations import apply_transposed, frame

GROUND = "ground"


class Places:
    """Carriers are numbered bodies first, then moving frames, ground last."""

    def __init__(self, description: Description) -> None:
        bodies = description.bodies
        self.description = description
        self.names = (*bodies.names, *(f.name for f in description.frames), GROUND)
        self.index = {name: i for i, name in enumerate(self.names)}
        still = len(self.names) - len(bodies)
        self.r = np.concatenate((bodies.position, np.zeros((still, 3))), axis=-2)
        self.R = np.concatenate((bodies.rotation, np.broadcast_to(np.eye(3), (still, 3, 3))), axis=-3)

    @property
    def ground(self) -> int:
        return len(self.names) - 1

    def carrier(self, name: str) -> int:
        """Carrier of a body, frame, marker or ground."""
        marker = self.description.markers.get(name)
        return self.index[marker.body if marker is not None else name]

    def carriers(self, names: Sequence[str]) -> np.ndarray:
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

    def pairs(self, entries: Sequence[Entry], at_required: bool = True) -> Pairs:
        """Frames of two-ended elements from their keys `between`, `at`, `axis`, `axis2`."""
        names = [entry["between"] for entry in entries]
        first, second = (self.carriers([pair[k] for pair in names]) for k in (0, 1))
        points, frames = self._points(entries, at_required), self._frames(entries)
        return Pairs(
            first,
            second,
            self.local_points(first, points[:, 0]),
            self.local_points(second, points[:, 1]),
            self.local_axes(first, frames[:, 0]),
            self.local_axes(second, frames[:, 1]),
        )

    def _points(self, entries: Sequence[Entry], at_required: bool) -> np.ndarray:
        """(n, 2, 3): `at`, else the markers' own points, else the centre of mass of the second body."""
        faults, rows = [], []
        for entry in entries:
            at = entry.get("at")
            if at is None:
                a, b = entry["between"]
                marked = [name in self.description.markers for name in (a, b)]
                if at_required and not any(marked):
                    faults.append(
                        Fault(entry.where, "has no point.", 'Give it as "at: [x, y, z]", or join two markers.')
                    )
                points = [self.origin(a), self.origin(b)]
                if not marked[0]:
                    points[0] = points[1]
                elif not marked[1]:
                    points[1] = points[0]
                at = np.stack(points)
            rows.append(at)
        if faults:
            raise InputError(faults)
        return np.stack(rows) if rows else np.zeros((0, 2, 3))

    def _frames(self, entries: Sequence[Entry]) -> np.ndarray:
        """(n, 2, 3, 3): z along `axis`, x along `axis2`; a marker without `axis` gives its own axes."""
        faults = []
        out = np.empty((len(entries), 2, 3, 3), dtype=self.R.dtype)
        axis = [entry.get("axis") for entry in entries]
        axis2 = [entry.get("axis2") for entry in entries]
        plain = [i for i in range(len(entries)) if axis2[i] is None]
        if plain:
            z = np.stack([np.array([0.0, 0.0, 1.0]) if axis[i] is None else axis[i] for i in plain])
            out = out.astype(np.result_type(out, z))
            out[plain] = frame(z)[:, None]
        for i, entry in enumerate(entries):
            if axis2[i] is not None:
                z = np.array([0.0, 0.0, 1.0]) if axis[i] is None else axis[i]
                cosine = np.real(z @ axis2[i]) / np.sqrt(np.real(z @ z) * np.real(axis2[i] @ axis2[i]))
                if abs(cosine) > 1 - 1e-9:
                    faults.append(Fault(entry.where, "axis2 is parallel to axis.", "Give axis2 another direction."))
                    continue
                f = frame(z, axis2[i])
                out = out.astype(np.result_type(out, f))
                out[i] = f
            elif axis[i] is None:
                for side, name in enumerate(entry["between"]):
                    marker = self.description.markers.get(name)
                    if marker is not None:
                        other = self.description.markers.get(entry["between"][1 - side])
                        out[i, side] = marker.rotation
                        if other is None:
                            out[i, 1 - side] = marker.rotation
        if faults:
            raise InputError(faults)
        return out
