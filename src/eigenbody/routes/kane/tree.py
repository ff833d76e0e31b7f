"""The tree of a model: which chart leads to which body, in an order in which parents come first."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from eigenbody.model.description import Description, Entry, FlexibleBody
from eigenbody.routes.base import Place
from eigenbody.routes.drawing import ends, is_lone_point, poses_of
from eigenbody.routes.joints import NON_HOLONOMIC, SIX, names_of, spanning_tree
from eigenbody.routes.joints import Branch as JointBranch
from eigenbody.routes.kane.charts import Bend, Chart, Shape, chart_of, floating_chart, modal_chart


@dataclass(frozen=True)
class Branch:
    """A body, the body that carries it, and the chart between them; `start` is its first coordinate."""

    body: int
    parent: int
    chart: Chart
    start: int


@dataclass(frozen=True)
class Tree:
    """All branches, the names of all coordinates, and the joints that close loops."""

    branches: tuple[Branch, ...]
    coordinates: tuple[str, ...]
    closing: tuple[Entry, ...]

    @property
    def count(self) -> int:
        """Number of coordinates."""
        return len(self.coordinates)

    @property
    def balls(self) -> tuple[int, ...]:
        """First coordinate of every set of 1-2-3 angles."""
        return tuple(b.start + b.chart.ball for b in self.branches if b.chart.ball is not None)


def tree_of(description: Description, place: Place) -> Tree:
    """The charts along the spanning tree; a lone point mass floats without rotations. Carriers of modal coordinates
    come first: the charts of nodes need them."""
    at, branches, names = poses_of(place), [], list[str]()
    modes = modal_coordinates(description)
    for body, parent, joint, outward in _carriers_first(description):
        if joint is None and (own := modes.get(body)):
            chart = modal_chart(place.r[body], len(own))
        elif joint is None:
            chart = floating_chart(place.r[body], place.R[body], is_lone_point(description, body))
            own = tuple(f"{description.bodies.names[body]}.{label}" for label in SIX[: chart.count])
        elif joint.type == "node":
            chart, own = _node_chart(description, joint, place, names), ()
        else:
            chart, own = chart_of(joint, *ends(description, joint), at), names_of(joint)
        branches.append(Branch(body, parent, chart if outward else chart.reversed(), len(names)))
        names.extend(own)
    used = {joint.name for _, _, joint, _ in spanning_tree(description) if joint is not None}
    others = (joint for joint in description.joints if joint.name not in used)
    closing = tuple(joint for joint in others if joint.type not in ("free", *NON_HOLONOMIC))
    return Tree(tuple(branches), tuple(names), closing)


def modal_coordinates(description: Description) -> dict[int, tuple[str, ...]]:
    """Names of the modal coordinates by the body that carries them."""
    index = description.bodies.names.index
    return {
        index(carrier): body.coordinates[3 * k : 3 * k + 3]
        for body in description.flexible
        for k, carrier in enumerate(body.carriers)
    }


def _carriers_first(description: Description) -> list[JointBranch]:
    modes = modal_coordinates(description)
    return sorted(spanning_tree(description), key=lambda branch: branch.body not in modes)


def _node_chart(description: Description, joint: Entry, place: Place, names: list[str]) -> Chart:
    """From the floating frame of a flexible body to a node."""
    frame, node = joint["between"]
    body = next(body for body in description.flexible if body.name == frame)
    reduced, number = body.reduced, body.nodes[node]
    modes = np.array([names.index(name) for name in body.coordinates], dtype=int)
    p = np.real(reduced.nodes[number] - reduced.centre)
    m = reduced.modes
    bow = np.zeros((6, m, m)) if reduced.bow is None else reduced.bow[number]
    move, turn = Shape(reduced.move[number], bow[:3]), Shape(reduced.turn[number], bow[3:])
    return Chart((Bend(p, move, turn, modes, modal_values(description, body, place)),), 0, None)


def modal_values(description: Description, body: FlexibleBody, place: Place) -> np.ndarray:
    """Modal coordinates (m,) of a flexible body at a place: where its carriers are."""
    where = [description.bodies.names.index(carrier) for carrier in body.carriers]
    return place.r[where].ravel()[: body.reduced.modes]
