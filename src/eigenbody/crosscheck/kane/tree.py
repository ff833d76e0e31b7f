"""The tree of a model: which chart leads to which body, in an order in which parents come first."""

from __future__ import annotations

from dataclasses import dataclass

from eigenbody.crosscheck.base import Place
from eigenbody.crosscheck.drawing import GROUND, body_of, ends, is_lone_point, poses_of
from eigenbody.crosscheck.kane.charts import Chart, chart_of, floating_chart
from eigenbody.crosscheck.named import COORDINATES, SIX
from eigenbody.model.description import Description, Entry


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


def names_of(joint: Entry) -> tuple[str, ...]:
    """Names of a joint's coordinates."""
    labels = COORDINATES[joint.type]
    return (joint.name,) if len(labels) == 1 else tuple(f"{joint.name}.{label}" for label in labels)


def tree_of(description: Description, place: Place) -> Tree:
    """Breadth-first from ground, joints in file order, then from the first-listed body of each floating part."""
    at, bodies = poses_of(place), description.bodies
    joints = [joint for joint in description.joints if joint.type in COORDINATES]
    pairs = {joint.name: tuple(body_of(description, name) for name in joint["between"]) for joint in joints}
    reached, used = {GROUND}, set()
    branches: list[Branch] = []
    names: list[str] = []

    def add(body: int, parent: int, chart: Chart, coordinates: tuple[str, ...]) -> None:
        branches.append(Branch(body, parent, chart, len(names)))
        names.extend(coordinates)
        reached.add(body)

    def grow(queue: list[int]) -> None:
        while queue:
            parent = queue.pop(0)
            for joint in joints:
                first, second = pairs[joint.name]
                other = second if first == parent else first
                if parent not in (first, second) or other in reached or joint.name in used:
                    continue
                chart = chart_of(joint, *ends(description, joint), at)
                add(other, parent, chart if first == parent else chart.reversed(), names_of(joint))
                used.add(joint.name)
                queue.append(other)

    grow([GROUND])
    for body, name in enumerate(bodies.names):
        if body not in reached:
            lone = is_lone_point(description, body)
            chart = floating_chart(place.r[body], place.R[body], lone)
            add(body, GROUND, chart, tuple(f"{name}.{label}" for label in SIX[: chart.count]))
            grow([body])
    closing = tuple(joint for joint in description.joints if joint.name not in used and joint.type != "free")
    return Tree(tuple(branches), tuple(names), closing)
