"""Flexible bodies as lines through their nodes that bend: where the vertices are, in modes and in simulated motion."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from eigenbody.linearization.nodes import node_motion
from eigenbody.linearization.point import OperatingPoint
from eigenbody.model.description import FlexibleBody, owner_of

if TYPE_CHECKING:
    from eigenbody.analyses.modes import Modes
    from eigenbody.simulation.result import Simulation

MOST_IN_LINE = 80  # vertices of one line; more are thinned out
MOST_POINTS = 400  # nodes of a body without lines
THICKEST, THINNEST = 0.04, 0.006  # radius of a tube in lengths of its body
POINT = 0.01  # radius of a node of a body without lines, in sizes of that body


@dataclass(frozen=True, eq=False)
class BentLine:
    """One line or cloud of points of a body: which of its nodes, and how thick it is drawn."""

    body: FlexibleBody
    nodes: np.ndarray  # numbers of nodes of the body
    radius: float
    is_line: bool


@dataclass(frozen=True, eq=False)
class BentLines:
    """All that bends in a mechanism; vertices are counted through."""

    point: OperatingPoint
    lines: tuple[BentLine, ...]
    position: np.ndarray = field(init=False)  # (vertices, 3) at the operating point

    def __post_init__(self) -> None:
        state = self.point.state
        where = self._places(np.real(state.r)[None], np.real(state.R)[None])[0]
        object.__setattr__(self, "position", where)

    def __len__(self) -> int:
        return sum(len(line.nodes) for line in self.lines)

    def document(self) -> list[dict[str, Any]]:
        """For the page: name, title, radius and vertices of every line; sections have the colour of the first."""
        first: dict[str, str] = {}
        out, start = [], 0
        for line in self.lines:
            owner = owner_of(line.body.name)
            where = self.position[start : start + len(line.nodes)]
            out.append(
                {
                    "name": first.setdefault(owner, line.body.name),
                    "title": owner,
                    "layer": "body",
                    "radius": float(f"{line.radius:.6g}"),
                    "isLine": line.is_line,
                    "points": [[float(f"{value:.7g}") for value in row] for row in where.tolist()],
                }
            )
            start += len(line.nodes)
        return out

    def shapes(self, modes: Modes, count: int) -> np.ndarray:
        """(count, vertices, 3) complex displacement of the vertices in the first modes."""
        if not self.lines:
            return np.zeros((count, 0, 3), complex)
        nodes = node_motion(modes.linear.point, modes.motion[:count])
        start, sizes = {}, 0
        for body in self.point.system.description.flexible:
            start[body.name] = sizes
            sizes += len(body.reduced.names)
        return nodes.move[:, np.concatenate([start[line.body.name] + line.nodes for line in self.lines])]

    def path(self, simulation: Simulation, step: int) -> np.ndarray:
        """(times, vertices, 3) where the vertices are at every so many output times."""
        return self._places(np.real(simulation.states.r[::step]), np.real(simulation.states.R[::step]))

    def _places(self, r: np.ndarray, R: np.ndarray) -> np.ndarray:
        """Vertices (times, vertices, 3) at poses r (times, rows, 3), R (times, rows, 3, 3)."""
        index, parts = self.point.system.places.index, [np.zeros((len(r), 0, 3))]
        for line in self.lines:
            reduced, frame = line.body.reduced, index[line.body.name]
            carriers = [index[name] for name in line.body.carriers]
            eta = r[:, carriers].reshape(len(r), 3 * len(carriers))[:, : reduced.modes]
            local = np.real(reduced.nodes - reduced.centre)[line.nodes] + reduced.displacement(eta)[:, line.nodes]
            parts.append(r[:, None, frame] + np.einsum("tij,tnj->tni", R[:, frame], local))
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
        count = len(body.reduced.names)
        return [BentLine(body, _thinned(np.arange(count), MOST_POINTS), POINT * size, is_line=False)]
    return [
        BentLine(body, _thinned(np.array(nodes, dtype=int), MOST_IN_LINE), _radius(body, nodes, size), is_line=True)
        for nodes in body.lines
    ]


def _thinned(nodes: np.ndarray, most: int) -> np.ndarray:
    """At most so many of the nodes, spread evenly, both ends among them."""
    return nodes[np.unique(np.linspace(0, len(nodes) - 1, min(len(nodes), most)).round().astype(int))]


def _radius(body: FlexibleBody, nodes: tuple[int, ...], size: float) -> float:
    """Of the round bar that has its mass and inertia about the line, within limits that look well."""
    ends = np.real(body.reduced.nodes)[[nodes[0], nodes[-1]]]
    along = ends[1] - ends[0]
    length = float(np.linalg.norm(along)) or 1.0
    polar = float(along @ np.real(body.reduced.J0) @ along) / length**2
    radius = np.sqrt(max(2 * polar / max(float(np.real(body.reduced.mass)), 1e-300), 0.0))
    return float(np.clip(radius, THINNEST * size, THICKEST * size)) or 1.0
