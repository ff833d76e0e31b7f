"""Where things sit in the drawing: names of bodies, markers and ground as points and axes fixed on bodies."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from eigenbody.model.description import Description, Entry
from eigenbody.routes.base import Place
from eigenbody.spatial.rotations import apply_transposed, frame

GROUND = -1  # index of ground: one row after the last body
AT_POINTS = ("distance", "inplane", "spring", "damper", "expression", "actuator")  # feel only where points are
_Z = np.array([0.0, 0.0, 1.0])


@dataclass(frozen=True, eq=False)
class Attachment:
    """A frame fixed on a body: `point` from its centre of mass and `axes` (columns), both in body axes."""

    body: int
    point: np.ndarray
    axes: np.ndarray


@dataclass(frozen=True, eq=False)
class Poses:
    """Positions (..., n + 1, 3) of the centres of mass and rotations (..., n + 1, 3, 3); ground is the last."""

    r: np.ndarray
    R: np.ndarray

    def point(self, end: Attachment) -> np.ndarray:
        """Global position (..., 3) of a frame's origin."""
        return self.r[..., end.body, :] + self.R[..., end.body, :, :] @ end.point

    def axes(self, end: Attachment) -> np.ndarray:
        """Global axes (..., 3, 3) of a frame as columns."""
        return self.R[..., end.body, :, :] @ end.axes


def poses_of(place: Place) -> Poses:
    """The poses of all bodies and of ground at a place."""
    return Poses(np.vstack([place.r, np.zeros(3)]), np.concatenate([place.R, np.eye(3)[None]]))


def body_of(description: Description, name: str) -> int:
    """Index of the body that a body, marker or ground belongs to; KeyError for a moving frame."""
    marker = description.markers.get(name)
    owner = name if marker is None else marker.body
    if owner == "ground":
        return GROUND
    if owner in description.bodies.names:
        return description.bodies.names.index(owner)
    raise KeyError(name)


def attached(description: Description, name: str, point: np.ndarray, axes: np.ndarray) -> Attachment:
    """What is drawn at a global point with global axes, as a frame on the body of `name`."""
    body, bodies = body_of(description, name), description.bodies
    if body == GROUND:
        return Attachment(body, point, axes)
    R = bodies.rotation[body]
    return Attachment(body, apply_transposed(R, point - bodies.position[body]), R.T @ axes)


def drawn_point(description: Description, name: str) -> np.ndarray:
    """Where a marker or a centre of mass is drawn; the origin for ground."""
    marker = description.markers.get(name)
    if marker is not None:
        return marker.position
    body = body_of(description, name)
    return np.zeros(3) if body == GROUND else description.bodies.position[body]


def ends(description: Description, entry: Entry) -> tuple[Attachment, Attachment]:
    """The two frames of a joint, force or measure between two bodies."""
    names, at = entry["between"], entry.get("at")
    points = [drawn_point(description, name) for name in names] if at is None else list(at)
    axis, axis2 = entry.get("axis"), entry.get("axis2")
    markers = [description.markers.get(name) for name in names]
    if axis is None and axis2 is None and all(marker is not None for marker in markers):
        axes = [marker.rotation for marker in markers if marker is not None]
    else:
        axes = [frame(_Z if axis is None else np.asarray(axis), None if axis2 is None else np.asarray(axis2))] * 2
    first, second = (attached(description, *end) for end in zip(names, points, axes, strict=True))
    return first, second


def names_used(description: Description) -> Iterator[str]:
    """Every name of a body, marker, frame or ground that an entry refers to."""
    for _, entry in description.entries():
        yield from entry.get("between") or ()
        for key in ("body", "in"):
            if isinstance(entry.get(key), str):
                yield entry[key]
    for marker in description.markers.values():
        yield marker.body


def moving_frame(description: Description) -> str:
    """Name of a moving reference frame that something is attached to, or ""."""
    frames = {entry.name for entry in description.frames}
    return next((name for name in names_used(description) if name in frames), "")


def is_lone_point(description: Description, body: int) -> bool:
    """Whether a body is a point mass whose rotation nothing feels: all that touches it does so at its centre."""
    if not description.bodies.is_point[body]:
        return False
    return not any(
        _feels_rotation(description, entry, body)
        for section, entry in description.entries()
        if section in ("joints", "forces", "inputs") and body in _bodies_of(description, entry)
    )


def _bodies_of(description: Description, entry: Entry) -> list[int]:
    names = [*(entry.get("between") or ()), *([entry["body"]] if entry.get("body") is not None else [])]
    return [body_of(description, name) for name in names]


def _feels_rotation(description: Description, entry: Entry, body: int) -> bool:
    """Whether a joint or force that touches a body turns with it, or turns it."""
    if entry.get("between") is None or entry.type not in AT_POINTS:
        return True
    first, second = ends(description, entry)
    arms = [end.point for end in (first, second) if end.body == body]
    return any(np.any(np.abs(arm) > 1e-12) for arm in arms) or (entry.type == "inplane" and first.body == body)
