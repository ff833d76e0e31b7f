"""Configuration charts: a joint as a sequence of turns and slides about axes that the earlier ones have carried along.

Passerello & Huston, Figures 3 and 4: three successive dextral rotations through 1-2-3 angles bring a body from the
reference configuration to the general one. Here the reference configuration is the place itself, so that all
coordinates are zero there and the angles are as far as they can be from their singularity at 90 degrees.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from eigenbody.model.description import Entry
from eigenbody.routes.drawing import Attachment, Poses
from eigenbody.routes.joints import COORDINATES, ROTATIONS

_X, _Y, _Z = np.eye(3)
BALL = (("turn", _X), ("turn", _Y), ("turn", _Z))


@dataclass(frozen=True, eq=False)
class Step:
    """One motion: `turn` about or `slide` along an axis by factor times a coordinate; `shift` and `fixed` are constant.

    `axis` is in the axes that the steps before it have left.
    """

    kind: str
    axis: np.ndarray  # direction; displacement of a shift; rotation matrix of a fixed change of axes
    coordinate: int = -1  # counted within the joint
    factor: float = 1.0

    def inverse(self) -> Step:
        """The step that undoes this one."""
        if self.kind == "fixed":
            return replace(self, axis=self.axis.T)
        return replace(self, axis=-self.axis) if self.kind == "shift" else replace(self, factor=-self.factor)


@dataclass(frozen=True, eq=False)
class Shape:
    """A vector linear eta + eta.square eta of modal coordinates eta."""

    linear: np.ndarray  # (3, m)
    square: np.ndarray  # (3, m, m), symmetric

    def value(self, eta: np.ndarray) -> np.ndarray:
        """(b, 3) at eta (b, m)."""
        return eta @ self.linear.T + np.einsum("ikl,bk,bl->bi", self.square, eta, eta)

    def slopes(self, eta: np.ndarray) -> np.ndarray:
        """(b, m, 3): by each coordinate."""
        return self.linear.T + self.slope_rates(eta)

    def slope_rates(self, rate: np.ndarray) -> np.ndarray:
        """Rates (b, m, 3) of the slopes at eta' (b, m)."""
        return 2 * np.einsum("ikl,bl->bki", self.square, rate)


@dataclass(frozen=True, eq=False)
class Bend:
    """From the floating frame of a flexible body to one of its nodes, or back: the node is at p + move eta, turned by
    the rotation whose axial vector (axis times sine) is turn eta, both with the terms of second order that there are
    and in the axes of the frame."""

    position: np.ndarray  # (3,) from the frame
    move: Shape
    turn: Shape
    modes: np.ndarray  # (m,) coordinates of the tree that the modal ones are
    start: np.ndarray  # (m,) modal coordinates at the place
    outward: bool = True

    def inverse(self) -> Bend:
        """From the node to the frame."""
        return replace(self, outward=not self.outward)


@dataclass(frozen=True)
class Chart:
    """From one body to the next: steps in order, the number of its coordinates, and the ball joint's three, if any."""

    steps: tuple[Step | Bend, ...]
    count: int
    ball: int | None  # first of three coordinates that are 1-2-3 angles

    def reversed(self) -> Chart:
        """The same joint seen from the other body."""
        return replace(self, steps=tuple(step.inverse() for step in reversed(self.steps)))


def _motions(labels: tuple[str, ...], Q: np.ndarray) -> tuple[tuple[str, np.ndarray], ...]:
    """Turns and slides of joint coordinates in the axes of the first frame; Q: axes of the second frame in it."""
    slides = {"x": _X, "y": _Y, "z": _Z, "displacement": _Z}
    turns = {"rx": _X, "ry": _Y, "rz": _Z, "angle": _Z, "angle1": _Z, "angle2": Q[:, 0]}
    return tuple(("slide", slides[label]) if label in slides else ("turn", turns[label]) for label in labels)


def chart_of(joint: Entry, first: Attachment, second: Attachment, at: Poses) -> Chart:
    """The chart of a joint from its first body to its second; all coordinates are zero at the place."""
    F1 = at.axes(first)
    gap = F1.T @ (at.point(second) - at.point(first))
    Q = F1.T @ at.axes(second)
    labels = COORDINATES[joint.type]
    motions, ball = _motions(labels, Q), labels.index(ROTATIONS[0]) if ROTATIONS[0] in labels else None
    steps = [Step(kind, axis, index) for index, (kind, axis) in enumerate(motions)]
    if joint.type == "screw":
        steps.insert(0, Step("slide", _Z, 0, float(joint["pitch"])))
    before = (Step("shift", first.point), Step("fixed", first.axes), Step("shift", gap))
    after = (Step("fixed", Q), Step("fixed", second.axes.T), Step("shift", -second.point))
    return Chart((*before, *steps, *after), len(motions), ball)


def modal_chart(r: np.ndarray, count: int) -> Chart:
    """The chart of a carrier of modal coordinates: they are its slides."""
    slides = tuple(Step("slide", axis, index) for index, axis in enumerate((_X, _Y, _Z)[:count]))
    return Chart((Step("shift", r), *slides), count, None)


def floating_chart(r: np.ndarray, R: np.ndarray, is_point: bool) -> Chart:
    """The chart of a body that no joint holds: three slides in global axes, then 1-2-3 angles (not for a point)."""
    motions = (("slide", _X), ("slide", _Y), ("slide", _Z), *(() if is_point else BALL))
    steps = tuple(Step(kind, axis, index) for index, (kind, axis) in enumerate(motions))
    return Chart((Step("shift", r), *steps, Step("fixed", R)), len(motions), None if is_point else 3)
