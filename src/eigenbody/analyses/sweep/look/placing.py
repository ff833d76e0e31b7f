"""Labels beside points of a diagram, where they cover neither each other nor the curves if there is room."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes

AROUND = tuple((np.cos(a), np.sin(a)) for a in np.pi * np.array([0.25, -0.25, 0.75, -0.75, 0.5, -0.5, 0.0, 1.0]))
REACHES = (9.0, 18.0, 30.0, 44.0, 60.0, 80.0)  # points from the place to the label
NEAR = 20.0  # beyond this a line leads from the place to the label
LETTER, HEIGHT = 0.58, 1.25  # width of a letter and height of a line, of the font's size
ROOM = 2.0  # pixels between labels
COSTS = {"outside": 1e4, "label": 1e3, "mark": 60.0, "curve": 4.0, "reach": 0.08}


@dataclass(frozen=True, slots=True)
class Label:
    """A text that belongs to a place (data coordinates); `prefers` is where it stands if it may."""

    text: str
    x: float
    y: float
    prefers: tuple[int, int] = (1, 1)  # right or left, above or below


class Placing:
    """Places labels of one pair of axes one after the other; what is there already is kept clear of."""

    def __init__(self, axes: Axes, curves: Sequence[tuple[np.ndarray, np.ndarray]], size: float) -> None:
        figure: Any = axes.figure
        figure.draw_without_rendering()  # the layout decides where data are
        self.axes, self.size = axes, size
        self.scale = figure.dpi / 72
        self.inside = axes.get_window_extent()
        self.curves = np.concatenate([np.zeros((0, 2)), *(self._sampled(x, y) for x, y in curves)])
        self.taken: list[tuple[float, float, float, float]] = []
        self.marks = np.zeros((0, 2))

    def _sampled(self, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Pixels of a curve, close together."""
        known = np.isfinite(x) & np.isfinite(y)
        points = self.axes.transData.transform(np.column_stack((x[known], y[known])))
        if len(points) < 2:
            return points
        way = np.concatenate(([0.0], np.cumsum(np.hypot(*np.diff(points, axis=0).T))))
        fine = np.arange(0.0, way[-1], 5.0)
        return np.column_stack([np.interp(fine, way, points[:, k]) for k in (0, 1)])

    def extent(self, text: str) -> tuple[float, float]:
        """Width and height in pixels."""
        lines = text.split("\n")
        letters = max(len(line) for line in lines)
        return LETTER * self.size * self.scale * letters, HEIGHT * self.size * self.scale * len(lines)

    def mark(self, labels: Sequence[Label]) -> None:
        """Keep clear of the places of labels."""
        at = self.axes.transData.transform(np.array([(one.x, one.y) for one in labels]).reshape(-1, 2))
        self.marks = np.concatenate((self.marks, at))

    def put(self, label: Label, **style: Any) -> None:
        """Write a label where it costs least."""
        width, height = self.extent(label.text)
        at = self.axes.transData.transform((label.x, label.y))
        best: tuple[float, Any] = (np.inf, None)
        for reach in REACHES:
            for dx, dy in AROUND:
                corner = at + self.scale * reach * np.array([dx, dy])
                left = corner[0] - width * (0.5 - 0.5 * np.sign(np.round(dx, 6)))
                low = corner[1] - height * (0.5 - 0.5 * np.sign(np.round(dy, 6)))
                box = (left - ROOM, low - ROOM, left + width + ROOM, low + height + ROOM)
                against = (dx * label.prefers[0] < -1e-9) + (dy * label.prefers[1] < -1e-9)
                cost = self._cost(box) + COSTS["reach"] * (reach + 6 * against)
                if cost < best[0] - 1e-9:
                    best = (cost, (box, reach, dx, dy))
        box, reach, dx, dy = best[1]
        self.taken.append(box)
        sides = {-1: "right", 0: "center", 1: "left"}, {-1: "top", 0: "center", 1: "bottom"}
        ha, va = (side[int(np.sign(np.round(d, 6)))] for side, d in zip(sides, (dx, dy), strict=True))
        arrow = {"arrowstyle": "-", "lw": 0.6, "color": style.get("color"), "shrinkA": 0, "shrinkB": 4}
        self.axes.annotate(
            label.text, (label.x, label.y), xytext=(reach * dx, reach * dy), textcoords="offset points", ha=ha, va=va,
            fontsize=self.size, arrowprops=arrow if reach > NEAR else None,
            bbox={"boxstyle": "round,pad=0.08", "fc": "white", "ec": "none", "alpha": 0.75}, **style,
        )  # fmt: skip

    def _cost(self, box: tuple[float, float, float, float]) -> float:
        left, low, right, high = box
        beyond = max(self.inside.x0 - left, 0) + max(right - self.inside.x1, 0)
        beyond += max(self.inside.y0 - low, 0) + max(high - self.inside.y1, 0)
        cost = COSTS["outside"] * beyond
        for other in self.taken:
            wide, tall = min(right, other[2]) - max(left, other[0]), min(high, other[3]) - max(low, other[1])
            if wide > 0 and tall > 0:
                cost += COSTS["label"] * (1 + wide * tall / 100)
        return cost + COSTS["mark"] * _within(self.marks, box) + COSTS["curve"] * _within(self.curves, box)

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


def _within(points: np.ndarray, box: tuple[float, float, float, float]) -> int:
    left, low, right, high = box
    x, y = points[:, 0], points[:, 1]
    return int(np.sum((x >= left) & (x <= right) & (y >= low) & (y <= high)))
