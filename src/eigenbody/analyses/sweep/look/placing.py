"""Labels beside points of a diagram, where they cover neither each other nor the curves if there is room."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes

Box = tuple[float, float, float, float]  # left, low, right, high in pixels

AROUND = tuple(
    (np.cos(a), np.sin(a))
    for a in np.pi * np.array([0.25, -0.25, 0.75, -0.75, 0.5, -0.5, 0, 1, 0.12, -0.12, 0.88, -0.88, 0.38, 0.62])
)
REACHES = (9.0, 18.0, 30.0, 44.0, 60.0, 80.0, 105.0, 135.0)  # points from the place to the label
NEAR = 20.0  # beyond this a line leads from the place to the label
LETTER, HEIGHT = 0.58, 1.25  # width of a letter and height of a line, of the font's size
ROOM = 2.0  # pixels between labels
STEP = 5.0  # pixels between samples of a curve
ATTEMPTS = 6  # at finding room for all labels
RING = 7.0  # points from the middle of a mark to what keeps clear of it
COSTS = {"label": 1e3, "mark": 60.0, "curve": 4.0, "reach": 0.12, "way": 0.02}


@dataclass(frozen=True, slots=True)
class Label:
    """A text that belongs to a place (data coordinates); `prefers` is where it stands if it may."""

    text: str
    x: float
    y: float
    prefers: tuple[int, int] = (1, 1)  # right or left, above or below


@dataclass(frozen=True, slots=True, eq=False)
class Spot:
    """Where a label may stand: its box, its offset in points from the place, the samples (n, 2) of the line that leads
    to it (none where it is near) and its cost."""

    box: Box
    reach: float
    direction: tuple[float, float]
    leader: np.ndarray
    cost: float


class Placing:
    """Places labels of one pair of axes; what is there already is kept clear of."""

    def __init__(self, axes: Axes, curves: Sequence[tuple[np.ndarray, np.ndarray]], size: float) -> None:
        figure: Any = axes.figure
        figure.draw_without_rendering()  # the layout decides where data are
        self.axes, self.size = axes, size
        self.scale = figure.dpi / 72
        self.inside = axes.get_window_extent()
        self.curves = np.concatenate([np.zeros((0, 2)), *(self._sampled(x, y) for x, y in curves)])
        self.taken: list[Box] = []
        self.marks = np.zeros((0, 2))

    def _sampled(self, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Pixels of a curve, close together."""
        known = np.isfinite(x) & np.isfinite(y)
        return _close_together(self.axes.transData.transform(np.column_stack((x[known], y[known]))))

    def extent(self, text: str) -> tuple[float, float]:
        """Width and height in pixels."""
        lines = text.split("\n")
        letters = max(len(line) for line in lines)
        return LETTER * self.size * self.scale * letters, HEIGHT * self.size * self.scale * len(lines)

    def mark(self, labels: Sequence[Label]) -> None:
        """Keep clear of the places of labels."""
        at = self.axes.transData.transform(np.array([(one.x, one.y) for one in labels]).reshape(-1, 2))
        self.marks = np.concatenate((self.marks, at))

    # Beside points --------------------------------------------------------------------------------------------------
    def put_where_free(self, labels: Sequence[Label], **style: Any) -> list[int]:
        """Write labels but for those that would cover a label, a mark or the line that leads to a label, be led through
        one or be read as that of another mark; returns the places of these in the list. Those that find no room come
        first in another attempt; the attempt that leaves the fewest out counts."""
        spots = [self._spots(label) for label in labels]
        order, attempts = list(range(len(labels))), []
        for _ in range(ATTEMPTS):
            attempts.append(_chosen(spots, order, self.taken))
            if len(attempts[-1]) == len(labels):
                break
            order.sort(key=lambda k: k in attempts[-1])
        best = max(attempts, key=len, default={})
        for k, spot in best.items():
            self.taken.append(spot.box)
            self._write(labels[k], spot, **style)
        return [k for k in range(len(labels)) if k not in best]

    def _spots(self, label: Label) -> list[Spot]:
        """Where a label may stand as long as there are no others, the spot of least cost first."""
        at = np.asarray(self.axes.transData.transform((label.x, label.y)))
        others = self.marks[np.hypot(*(self.marks - at).T) > ROOM]
        tried = (self._spot(label, at, reach, direction) for reach in REACHES for direction in AROUND)
        return sorted((s for s in tried if self._is_clear(s, at, others)), key=lambda spot: round(spot.cost, 9))

    def _spot(self, label: Label, at: np.ndarray, reach: float, direction: tuple[float, float]) -> Spot:
        width, height = self.extent(label.text)
        dx, dy = direction
        corner = at + self.scale * reach * np.array(direction)
        left = corner[0] - width * (0.5 - 0.5 * np.sign(np.round(dx, 6)))
        low = corner[1] - height * (0.5 - 0.5 * np.sign(np.round(dy, 6)))
        box = (left - ROOM, low - ROOM, left + width + ROOM, low + height + ROOM)
        leader = np.zeros((0, 2))
        if reach > NEAR:  # from the middle of the text to its place, as far as it is seen
            whole = _close_together(np.array([(left + width / 2, low + height / 2), at]))
            leader = whole[~_is_within(whole, box)]
        against = (dx * label.prefers[0] < -1e-9) + (dy * label.prefers[1] < -1e-9)
        cost = COSTS["curve"] * _within(self.curves, box) + COSTS["reach"] * (reach + 6 * against)
        return Spot(box, reach, direction, leader, cost)

    def _is_clear(self, spot: Spot, at: np.ndarray, others: np.ndarray) -> bool:
        """Whether a spot is inside the picture, covers no mark, and belongs to its own and to none of the others for
        the eye: by the line that leads to it and runs over no other, or because it is nearest."""
        ring = RING * self.scale
        if self._beyond(spot.box) > 0 or np.any(_distance(self.marks, spot.box) < self._within_ring):
            return False
        if len(spot.leader):
            beyond_own = spot.leader[np.hypot(*(spot.leader - at).T) > ring]  # marks may touch each other
            return not np.any(_gaps(others, beyond_own) < ring)
        return not np.any(_distance(others, spot.box) < _distance(at[None], spot.box)[0] + ring)

    def _write(self, label: Label, spot: Spot, **style: Any) -> None:
        sides = {-1: "right", 0: "center", 1: "left"}, {-1: "top", 0: "center", 1: "bottom"}
        ha, va = (side[int(np.sign(np.round(d, 6)))] for side, d in zip(sides, spot.direction, strict=True))
        arrow = {"arrowstyle": "-", "lw": 0.6, "color": style.get("color"), "shrinkA": 0, "shrinkB": 4}
        self.axes.annotate(
            label.text, (label.x, label.y), xytext=(spot.reach * spot.direction[0], spot.reach * spot.direction[1]),
            textcoords="offset points", ha=ha, va=va, fontsize=self.size,
            arrowprops=arrow if spot.reach > NEAR else None,
            bbox={"boxstyle": "round,pad=0.08", "fc": "white", "ec": "none", "alpha": 0.75}, **style,
        )  # fmt: skip

    # On lines -------------------------------------------------------------------------------------------------------
    def put_on(self, text: str, lines: Sequence[tuple[np.ndarray, np.ndarray]], own: int, **style: Any) -> None:
        """Write a text in a gap of its own line (of several through one picture), near the end where the line leaves
        the picture, clear of the other lines, of curves, marks and labels if there is room."""
        way = self._sampled(*lines[own])[::-1]
        width, height = self.extent(text)
        half = np.array([width / 2, height / 2]) + ROOM
        low, high = np.array([self.inside.x0, self.inside.y0]), np.array([self.inside.x1, self.inside.y1])
        way = way[np.all((way - half >= low) & (way + half <= high), axis=1)]
        if not len(way):
            return
        rest = [self._sampled(*line) for k, line in enumerate(lines) if k != own]
        curves = np.concatenate((self.curves, *rest))
        boxes = [(*(at - half), *(at + half)) for at in way]
        costs = [
            self._covers(box) + COSTS["curve"] * _within(curves, box) + COSTS["way"] * STEP * k
            for k, box in enumerate(boxes)
        ]
        best = int(np.argmin(np.round(costs, 9)))
        self.taken.append(boxes[best])
        self.axes.annotate(
            text, tuple(self.axes.transData.inverted().transform(way[best])), ha="center", va="center",
            fontsize=self.size, bbox={"boxstyle": "round,pad=0.1", "fc": "white", "ec": "none"}, **style,
        )  # fmt: skip

    def _covers(self, box: Box) -> float:
        """Cost of the labels and marks under a box."""
        labels = sum(_overlap(box, other) for other in self.taken)
        marks = int(np.sum(_distance(self.marks, box) < self._within_ring))
        return COSTS["label"] * labels + COSTS["mark"] * marks

    @property
    def _within_ring(self) -> float:
        """Pixels from the middle of a mark within which it is covered."""
        return 0.7 * RING * self.scale

    def _beyond(self, box: Box) -> float:
        """How far a box reaches out of the picture, in pixels."""
        left, low, right, high = box
        over = (self.inside.x0 - left, right - self.inside.x1, self.inside.y0 - low, high - self.inside.y1)
        return sum(max(part, 0.0) for part in over)

    # Beside upright lines -------------------------------------------------------------------------------------------
    def put_in_rows(self, labels: Sequence[Label], **style: Any) -> None:
        """Labels right of upright lines at the top of the picture, in as many rows as keep them apart."""
        ends: list[float] = []  # right end of each row
        for label in sorted(labels, key=lambda one: one.x):
            width, height = self.extent(label.text)
            left = float(self.axes.transData.transform((label.x, 0.0))[0]) + 3 * self.scale
            flip = left + width > self.inside.x1
            start = left - width - 6 * self.scale if flip else left
            row = next((k for k, end in enumerate(ends) if end + ROOM <= start), len(ends))
            ends[row : row + 1] = [start + width]
            down = 4 * self.scale + row * (height + 2 * ROOM)
            top = self.inside.y1 - down
            self.taken.append((start, top - height, start + width, top))
            self.axes.annotate(
                label.text, (label.x, 1.0), xycoords=("data", "axes fraction"), textcoords="offset points",
                xytext=(-3 if flip else 3, -down / self.scale), ha="right" if flip else "left", va="top",
                fontsize=self.size, **style,
            )  # fmt: skip


def _chosen(spots: Sequence[Sequence[Spot]], order: Sequence[int], taken: Sequence[Box]) -> dict[int, Spot]:
    """For each label in the order given its first spot that is clear of boxes taken before and of leading lines, and
    whose own leading line is; none for a label without."""
    boxes, leaders, found = list(taken), np.zeros((0, 2)), {}
    for k in order:
        for spot in spots[k]:
            if any(_overlap(spot.box, box) or _within(spot.leader, box) for box in boxes):
                continue
            if not _within(leaders, spot.box) and not np.any(_gaps(leaders, spot.leader) < STEP):
                found[k] = spot
                boxes.append(spot.box)
                leaders = np.concatenate((leaders, spot.leader))
                break
    return found


def _overlap(box: Box, other: Box) -> float:
    """Zero where boxes are apart, else 1 and more by the hundred square pixels they share."""
    wide, tall = min(box[2], other[2]) - max(box[0], other[0]), min(box[3], other[3]) - max(box[1], other[1])
    return 1 + wide * tall / 100 if wide > 0 and tall > 0 else 0.0


def _close_together(points: np.ndarray) -> np.ndarray:
    """Samples (n, 2) along the polygon through points, `STEP` apart."""
    if len(points) < 2:
        return points
    way = np.concatenate(([0.0], np.cumsum(np.hypot(*np.diff(points, axis=0).T))))
    fine = np.arange(0.0, way[-1], STEP)
    return np.column_stack([np.interp(fine, way, points[:, k]) for k in (0, 1)])


def _is_within(points: np.ndarray, box: Box) -> np.ndarray:
    left, low, right, high = box
    x, y = points[:, 0], points[:, 1]
    return (x >= left) & (x <= right) & (y >= low) & (y <= high)


def _within(points: np.ndarray, box: Box) -> int:
    return int(np.sum(_is_within(points, box)))


def _distance(points: np.ndarray, box: Box) -> np.ndarray:
    """(n,) from points to a box, zero inside."""
    left, low, right, high = box
    across = np.maximum(np.maximum(left - points[:, 0], points[:, 0] - right), 0)
    up = np.maximum(np.maximum(low - points[:, 1], points[:, 1] - high), 0)
    return np.hypot(across, up)


def _gaps(points: np.ndarray, others: np.ndarray) -> np.ndarray:
    """(n,) from each point to the nearest of others; infinite where there are none."""
    apart = np.hypot(*(points[:, None] - others).transpose(2, 0, 1))
    return apart.min(axis=1, initial=np.inf)
