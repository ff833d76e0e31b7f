"""The tree of a model: which chart leads to which body, in an order in which parents come first."""

from __future__ import annotations

from dataclasses import dataclass

from eigenbody.model.description import Description, Entry
from eigenbody.routes.base import Place
from eigenbody.routes.drawing import ends, is_lone_point, poses_of
from eigenbody.routes.joints import SIX, names_of, spanning_tree
from eigenbody.routes.kane.charts import Chart, chart_of, floating_chart


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
    """The charts along the spanning tree; a lone point mass floats without rotations."""
    at, branches, names = poses_of(place), [], list[str]()
    used = set()
    for body, parent, joint, outward in spanning_tree(description):
        if joint is None:
            chart = floating_chart(place.r[body], place.R[body], is_lone_point(description, body))
            own = tuple(f"{description.bodies.names[body]}.{label}" for label in SIX[: chart.count])
        else:
            chart, own = chart_of(joint, *ends(description, joint), at), names_of(joint)
            used.add(joint.name)
        branches.append(Branch(body, parent, chart if outward else chart.reversed(), len(names)))
        names.extend(own)
    closing = tuple(joint for joint in description.joints if joint.name not in used and joint.type != "free")
    return Tree(tuple(branches), tuple(names), closing)
