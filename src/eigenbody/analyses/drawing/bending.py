"""Flexible bodies as lines through their nodes that bend: where the vertices are, in modes and in simulated motion."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from eigenbody.linearization.nodes import node_motion
from eigenbody.linearization.point import OperatingPoint
from eigenbody.model.description import FlexibleBody, owner_of
from eigenbody.spatial.rotations import exp

if TYPE_CHECKING:
    from eigenbody.analyses.modes import Modes
    from eigenbody.simulation.result import Simulation
    from eigenbody.structures.beam_section import Outline

MOST_IN_LINE = 80  # vertices of one line; more are thinned out
MOST_POINTS = 400  # nodes of a body without lines
THINNEST = 0.002  # half the least size of a section that is drawn, in lengths of its body
SAME_SIZE = 0.01  # relative: ends of neighbouring pieces whose sections differ by less meet in one, also in a corner
POINT = 0.01  # radius of a node of a body without lines, in sizes of that body


@dataclass(frozen=True, eq=False)
class BentLine:
    """One line or cloud of points of a body: which of its nodes, and how thick it is drawn.

    half (k - 1, 2, 2, 3) are half the sizes of the section along its y and z, as vectors in the axes of the body, at
    both ends of what is drawn between neighbouring nodes; none of points.
    """

    body: FlexibleBody
    nodes: np.ndarray  # numbers of nodes of the body
    radius: float
    is_line: bool
    half: np.ndarray
    is_round: bool = True


@dataclass(frozen=True, eq=False)
class BentLines:
    """All that bends in a mechanism; vertices are counted through."""

    point: OperatingPoint
    lines: tuple[BentLine, ...]
    position: np.ndarray = field(init=False)  # (vertices, 3) at the operating point
    rotation: np.ndarray = field(init=False)  # (vertices, 3, 3) of the sections there, from the drawing

    def __post_init__(self) -> None:
        state = self.point.state
        places = self._places(np.real(state.r)[None], np.real(state.R)[None])[0]
        object.__setattr__(self, "position", places[:, :3, 3])
        object.__setattr__(self, "rotation", places[:, :3, :3])

    def __len__(self) -> int:
        return sum(len(line.nodes) for line in self.lines)

    def document(self) -> list[dict[str, Any]]:
        """For the page: name, title, radius, vertices and sections of every line; parts of a body have the colour of
        the first. Sections are six numbers, half of y and of z, at both ends between neighbouring vertices."""
        first: dict[str, str] = {}
        out, start = [], 0
        for line in self.lines:
            owner = owner_of(line.body.name)
            own = slice(start, start + len(line.nodes))
            where, turn = self.position[own], self.rotation[own]
            ends = np.stack((turn[:-1], turn[1:]), axis=1) if line.is_line else np.zeros((0, 2, 3, 3))
            half = np.einsum("keij,kesj->kesi", ends, line.half)
            out.append(
                {
                    "name": first.setdefault(owner, line.body.name),
                    "title": owner,
                    "layer": "body",
                    "radius": float(f"{line.radius:.6g}"),
                    "isLine": line.is_line,
                    "isRound": line.is_round,
                    "sections": [[float(f"{value:.5g}") for value in row] for row in half.reshape(-1, 6).tolist()],
                    "body": line.body.name,
                    "points": [[float(f"{value:.7g}") for value in row] for row in where.tolist()],
                }
            )
            start += len(line.nodes)
        return out

    def shapes(self, modes: Modes, count: int) -> np.ndarray:
        """(count, vertices, 6) complex displacement and rotation of the vertices in the first modes, global axes."""
        if not self.lines:
            return np.zeros((count, 0, 6), complex)
        nodes = node_motion(modes.linear.point, modes.motion[:count])
        start, sizes = {}, 0
        for body in self.point.system.description.flexible:
            start[body.name] = sizes
            sizes += len(body.reduced.names)
        own = np.concatenate([start[line.body.name] + line.nodes for line in self.lines])
        return np.concatenate((nodes.move[:, own], nodes.turn[:, own]), axis=-1)

    def path(self, simulation: Simulation, step: int) -> tuple[np.ndarray, np.ndarray]:
        """(times, vertices, 3) where the vertices are at every so many output times, and (times, vertices, 3, 3) how
        they have turned since the operating point."""
        found = self._places(np.real(simulation.states.r[::step]), np.real(simulation.states.R[::step]))
        return found[..., :3, 3], found[..., :3, :3] @ self.rotation.swapaxes(-1, -2)

    def _places(self, r: np.ndarray, R: np.ndarray) -> np.ndarray:
        """Rotation and place (times, vertices, 3, 4) at poses r (times, rows, 3), R (times, rows, 3, 3)."""
        index, parts = self.point.system.places.index, [np.zeros((len(r), 0, 3, 4))]
        for line in self.lines:
            reduced, frame = line.body.reduced, index[line.body.name]
            carriers = [index[name] for name in line.body.carriers]
            eta = r[:, carriers].reshape(len(r), 3 * len(carriers))[:, : reduced.modes]
            local = np.real(reduced.nodes - reduced.centre)[line.nodes] + reduced.displacement(eta)[:, line.nodes]
            turn = np.einsum("nim,tm->tni", np.real(reduced.turn)[line.nodes], eta)
            place = r[:, None, frame] + np.einsum("tij,tnj->tni", R[:, frame], local)
            parts.append(np.concatenate((R[:, None, frame] @ exp(turn), place[..., None]), axis=-1))
        return np.concatenate(parts, axis=1)


def bent_lines(point: OperatingPoint) -> BentLines:
    """Lines of all flexible bodies that the author gave no shape."""
    description = point.system.description
    shapes = dict(zip(description.bodies.names, description.bodies.shapes, strict=True))
    lines: list[BentLine] = []
    for body in description.flexible:
        if shapes[body.name] is None:
            lines += _lines(body, _size(point, owner_of(body.name)))
    return BentLines(point, tuple(lines))


def _size(point: OperatingPoint, owner: str) -> float:
    """Largest extent of all sections of a body."""
    own = [body for body in point.system.description.flexible if owner_of(body.name) == owner]
    return float(np.ptp(np.concatenate([np.real(body.reduced.nodes) for body in own]), axis=0).max(initial=0.0))


def _lines(body: FlexibleBody, size: float) -> list[BentLine]:
    if not body.lines:
        nodes = _thinned(np.arange(len(body.reduced.names)), MOST_POINTS)
        return [BentLine(body, nodes, POINT * size, is_line=False, half=np.zeros((0, 2, 2, 3)))]
    return [_line(body, np.array(nodes, dtype=int), outline, size)
            for nodes, outline in zip(body.lines, body.outlines, strict=True)]  # fmt: skip


def _line(body: FlexibleBody, nodes: np.ndarray, outline: Outline, size: float) -> BentLine:
    """Through nodes, with the sections between those of them that are drawn; smooth where the beam bends."""
    kept = _thinned(np.arange(len(nodes)), MOST_IN_LINE)
    half = np.stack((outline.half[kept[:-1], 0], outline.half[kept[1:] - 1, 1]), axis=1)
    long = np.linalg.norm(half, axis=-1, keepdims=True)
    half = half * np.maximum(1.0, THINNEST * size / np.maximum(long, 1e-300))
    before, after = half[:-1, 1], half[1:, 0]
    sizes = np.linalg.norm(before, axis=-1), np.linalg.norm(after, axis=-1)
    meet = (np.abs(sizes[1] - sizes[0]) <= SAME_SIZE * sizes[0]).all(axis=-1)
    half[:-1, 1][meet] = half[1:, 0][meet] = 0.5 * (before + after)[meet]
    radius = float(np.linalg.norm(half, axis=-1).max(initial=THINNEST * size)) or 1.0
    return BentLine(body, nodes[kept], radius, True, half, outline.is_round)


def _thinned(nodes: np.ndarray, most: int) -> np.ndarray:
    """At most so many of the nodes, spread evenly, both ends among them."""
    return nodes[np.unique(np.linspace(0, len(nodes) - 1, min(len(nodes), most)).round().astype(int))]
