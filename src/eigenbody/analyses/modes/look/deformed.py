"""The mechanism as a skeleton of lines, at rest and displaced as in a mode, drawn in parallel projection."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from eigenbody.analyses.drawing import places_of_attachment
from eigenbody.spatial.rotations import apply, cross, exp

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from eigenbody.analyses.modes.result import Modes

SHOWN = 0.18  # largest displacement, in sizes of the mechanism
TURNED, RAISED = np.radians(-35.0), np.radians(20.0)  # of the view from the front
REST, LATER, NODE = "#b8bec8", "#8fb3e0", "#1f5fbf"
RIB, TWIST = 0.06, 0.8  # half a bar across a body that twists, in sizes of the mechanism; largest twist drawn, rad
ROUND = 0.05  # part of the motion a quarter of a cycle later from which it is drawn too
MANY = 60  # nodes in a line above which they are not marked


@dataclass(frozen=True, eq=False)
class Skeleton:
    """Vertices (v, 3) at rest and their complex displacements (modes, v, 3); polylines and single points by number. The
    first vertices are nodes of flexible bodies, with rotations `turn` (modes, nodes, 3)."""

    rest: np.ndarray
    motion: np.ndarray
    turn: np.ndarray
    lines: tuple[tuple[np.ndarray, bool], ...]  # vertices, and whether the body is flexible
    points: np.ndarray
    axes: np.ndarray  # (2, 3) right and up in the picture

    @property
    def size(self) -> float:
        """Extent of the drawing."""
        return float(np.ptp(self.rest @ self.axes.T, axis=0).max(initial=0.0)) or 1.0


def skeleton_of(modes: Modes) -> Skeleton:
    """Flexible bodies as lines through their nodes (or as points), rigid ones as lines to the places that hold them."""
    point = modes.linear.point
    description, state = point.system.description, point.state
    nodes = modes.deformations
    flexible = {body.name: body for body in description.flexible}
    rest, motion = [nodes.position], [nodes.move]
    lines: list[tuple[np.ndarray, bool]] = []
    singles: list[np.ndarray] = []
    start = 0
    for body in description.flexible:
        lines += [(start + np.array(own, dtype=int), True) for own in body.lines]
        if not body.lines:
            singles.append(start + np.arange(len(body.reduced.names)))
        start += len(body.reduced.names)
    held = places_of_attachment(point.system.places)
    for i in np.flatnonzero(description.bodies.is_material).tolist():
        if description.bodies.names[i] in flexible:
            continue
        arms = apply(np.real(state.R[i]), np.concatenate((np.zeros((1, 3)), held[i])))
        spin = np.broadcast_to(modes.motion[:, None, i, 3:], (len(modes), len(arms), 3))
        rest.append(np.real(state.r[i]) + arms)
        motion.append(modes.motion[:, None, i, :3] + cross(spin, np.broadcast_to(arms, spin.shape)))
        lines += [(np.array([start, start + k]), False) for k in range(1, len(arms))]
        singles.append(np.array([start]))
        start += len(arms)
    every = np.concatenate(rest)
    points = np.concatenate(singles) if singles else np.zeros(0, dtype=int)
    view = _view(every, _up(modes))
    return Skeleton(every, np.concatenate(motion, axis=1), nodes.turn, tuple(lines), points, view)


def _up(modes: Modes) -> np.ndarray:
    gravity = np.real(modes.linear.point.system.gravity)
    size = np.linalg.norm(gravity)
    return -gravity / size if size > 0 else np.array([0.0, 0.0, 1.0])


def _view(points: np.ndarray, up: np.ndarray) -> np.ndarray:
    """Right and up in the picture: the longest extent across the vertical nearly to the right, seen from above."""
    flat = points - np.outer(points @ up, up)
    spread = flat - flat.mean(axis=0)
    along = np.linalg.eigh(spread.T @ spread)[1][:, -1]
    if np.abs(along @ up) > 0.5 or not np.any(np.abs(spread) > 0):  # nothing extends across the vertical
        along = np.eye(3)[int(np.argmin(np.abs(up)))]
    along = along - up * (along @ up)
    along = along / np.linalg.norm(along) * (np.sign(along[np.argmax(np.abs(along))]) or 1.0)
    away = np.cross(up, along)
    right = np.cos(TURNED) * along + np.sin(TURNED) * away
    depth = np.cos(TURNED) * away - np.sin(TURNED) * along
    return np.stack((right, np.cos(RAISED) * up + np.sin(RAISED) * depth))


def draw_mode(axes: Axes, skeleton: Skeleton, mode: int) -> None:
    """The mechanism at rest, at the largest displacement and, where the motion goes round, a quarter later."""
    motion, size = skeleton.motion[mode], skeleton.size
    moved = np.linalg.norm(motion, axis=-1).max(initial=0.0)
    turned = np.linalg.norm(skeleton.turn[mode], axis=-1).max(initial=0.0)
    twists = turned * RIB * size > moved
    largest = max(moved, turned * SHOWN * size / TWIST)
    scale = SHOWN * size / largest if largest > 0 else 0.0
    _draw(axes, skeleton, skeleton.rest, REST, 1.0)
    if np.abs(motion.imag).max(initial=0.0) > ROUND * largest:
        _draw(axes, skeleton, skeleton.rest - scale * motion.imag, LATER, 1.2)
    _draw(axes, skeleton, skeleton.rest + scale * motion.real, NODE, 1.6)
    if twists:
        _draw_ribs(axes, skeleton, np.zeros_like(skeleton.turn[mode].real), REST)
        _draw_ribs(axes, skeleton, scale * skeleton.turn[mode].real, NODE)
    flat, room = skeleton.rest @ skeleton.axes.T, 1.1 * SHOWN * size
    low, high = flat.min(axis=0) - room, flat.max(axis=0) + room
    axes.set_xlim(low[0], high[0])
    axes.set_ylim(low[1], high[1])
    axes.set_aspect("equal", adjustable="box", anchor="W")
    axes.set_xticks([])
    axes.set_yticks([])
    axes.spines[:].set_visible(False)


def _draw_ribs(axes: Axes, skeleton: Skeleton, turn: np.ndarray, colour: str) -> None:
    """Bars across flexible bodies at their nodes, turned by rotation vectors (nodes, 3): they show how it twists."""
    for own, bends in skeleton.lines:
        if not bends:
            continue
        along = skeleton.rest[own[-1]] - skeleton.rest[own[0]]
        along = along / (np.linalg.norm(along) or 1.0)
        across = skeleton.axes[1] - along * (along @ skeleton.axes[1])
        rib = RIB * skeleton.size * across / (np.linalg.norm(across) or 1.0)
        for node in own:
            ends = skeleton.rest[node] + np.stack((-1, 1))[:, None] * (exp(turn[node]) @ rib)
            axes.plot(*(ends @ skeleton.axes.T).T, color=colour, lw=1.2)


def _draw(axes: Axes, skeleton: Skeleton, points: np.ndarray, colour: str, width: float) -> None:
    flat = points @ skeleton.axes.T
    for own, bends in skeleton.lines:
        marked = bends and len(own) <= MANY and colour != REST
        axes.plot(*flat[own].T, color=colour, lw=1.6 * width if bends else width, solid_capstyle="round",
                  marker="o" if marked else "", markersize=2.2)  # fmt: skip
    axes.plot(
        *flat[skeleton.points].T, color=colour, lw=0, marker="o", markersize=4 if len(skeleton.points) < 30 else 2
    )
