"""A mechanism as nodes and lines: its bodies by their centres and the points where others hold them, flexible ones by
their nodes; and how the nodes move in modes. Universal files have it so."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from eigenbody.analyses.drawing.bending import bent_lines
from eigenbody.analyses.drawing.elements import places_of_attachment
from eigenbody.exchange.measured import NodeShapes
from eigenbody.linearization.point import OperatingPoint
from eigenbody.model.description import is_inner

if TYPE_CHECKING:
    from eigenbody.analyses.modes import Modes

PER_BODY = 1000  # numbers of nodes: 1000 k is the centre of body k, 1000 k + j the j-th point where it is held
BENT = 10_000_000  # numbers from which nodes of flexible bodies are counted


def wireframe_shapes(modes: Modes) -> NodeShapes:
    """Nodes, lines with the names of the bodies, and the motion of the nodes in every mode."""
    point = modes.linear.point
    table = point.system.description.bodies
    flexible = {body.name for body in point.system.description.flexible}
    rows = [i for i, name in enumerate(table.names)
            if table.is_material[i] and not is_inner(name) and name not in flexible]  # fmt: skip
    numbers, position, carrier, traces = _rigid(point, rows)
    shapes = motion_at(modes, carrier, position)
    bent = bent_lines(point)
    first, start = BENT, 0
    for line in bent.lines:
        own = tuple(range(first, first + len(line.nodes)))
        traces += [(line.body.name, own)] if line.is_line else []
        numbers += own
        first, start = first + len(line.nodes), start + len(line.nodes)
    return NodeShapes(
        point.model.name, np.array(numbers, dtype=int), np.concatenate((position, bent.position)), tuple(traces),
        modes.eigenvalues, np.concatenate((shapes, bent.shapes(modes, len(modes))[..., :3]), axis=1),
    )  # fmt: skip


def _rigid(
    point: OperatingPoint, rows: list[int]
) -> tuple[list[int], np.ndarray, np.ndarray, list[tuple[str, tuple[int, ...]]]]:
    """Numbers, places (n, 3) and rows of the bodies (n,) of nodes, and the lines of each body."""
    names, held = point.system.description.bodies.names, places_of_attachment(point.system.places)
    r, R = np.real(point.state.r), np.real(point.state.R)
    numbers: list[int] = []
    places, carrier, traces = [np.zeros((0, 3))], [], []
    for k, i in enumerate(rows, 1):
        arms = held[i][np.linalg.norm(held[i], axis=1) > 0][: PER_BODY - 1]
        own = [PER_BODY * k + j for j in range(len(arms) + 1)]
        numbers += own
        places.append(r[i] + np.concatenate((np.zeros((1, 3)), arms)) @ R[i].T)
        carrier += [i] * len(own)
        traces.append((names[i], tuple(n for end in own[1:] for n in (own[0], end)) or (own[0],)))
    return numbers, np.concatenate(places), np.array(carrier, dtype=int), traces


def motion_at(modes: Modes, carrier: np.ndarray, position: np.ndarray) -> np.ndarray:
    """(modes, n, 3) complex displacement of points (n, 3) that move with rows (n,) of the table of bodies."""
    r = np.real(modes.linear.point.state.r)[carrier]
    motion = modes.motion[:, carrier]
    return motion[..., :3] + np.cross(motion[..., 3:], position - r)
