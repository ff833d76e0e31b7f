"""The tree of the mechanism: which joints are branches, which are cut, the path matrix, and the columns of B.

Every coordinate moves all that lies beyond it by a rotation w about a pole and a translation t (Trom 1990, Sec. 2.3:
every joint is a sequence of revolute and translational freedoms). A ball joint has three rotations about axes fixed in
its first body; their rates are the relative angular velocity, not the rates of angles, so that nothing is singular.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from eigenbody.model.description import Entry
from eigenbody.routes.drawing import GROUND
from eigenbody.routes.joints import COORDINATES, ROTATIONS, names_of, spanning_tree
from eigenbody.routes.relative.named import X, Z
from eigenbody.routes.relative.sides import Drawing, Side
from eigenbody.spatial.rotations import frame as axes_along


@dataclass(frozen=True, eq=False)
class Branch:
    """A body on its parent: columns of B from `start`, in the order of the joint's coordinates."""

    body: int
    parent: int
    names: tuple[str, ...]
    start: int
    first: Side
    second: Side
    forward: bool  # the parent is the joint's first body
    rotation: np.ndarray  # (m, 3) w in the axes of the body that carries it
    translation: np.ndarray  # (m, 3) t likewise
    carriers: tuple[int, ...]  # body that carries the axis of each coordinate
    stages: tuple[tuple[int, ...], ...]  # rotations in their order from the parent outwards

    @property
    def columns(self) -> slice:
        return slice(self.start, self.start + len(self.names))

    @property
    def triple(self) -> slice | None:
        """Columns of a ball joint's three rotations."""
        three = next((stage for stage in self.stages if len(stage) == 3), None)
        return slice(self.start + three[0], self.start + three[0] + 3) if three else None


@dataclass(frozen=True, eq=False)
class Tree:
    """Branches in walking order, cut joints, and which coordinate moves which body."""

    bodies: int
    branches: tuple[Branch, ...]  # bodies and moving frames
    cut: tuple[Entry, ...]
    names: tuple[str, ...]
    path: np.ndarray  # (coordinates, carriers) bool: Trom's path matrix, ground the last column

    @property
    def count(self) -> int:
        return len(self.names)

    @property
    def frames(self) -> tuple[Branch, ...]:
        """The hinges of moving frames, which come first."""
        return tuple(branch for branch in self.branches if branch.body >= self.bodies)


def read_tree(drawing: Drawing, cut: Collection[str] = ()) -> Tree:
    """All branches, and the joints that are none: those to be `cut` and one of each loop that is left.

    A moving frame is a carrier without mass on a hinge of its own, whose angle is prescribed.
    """
    frames = range(drawing.bodies, drawing.count)

    def index(name: str) -> int:
        carrier = drawing.carrier(name)
        return GROUND if carrier == drawing.count else carrier

    walk = spanning_tree(drawing.description, cut, index, (GROUND, *frames))
    branches = [_hinge(drawing, frame, start) for start, frame in enumerate(frames)]
    start = len(branches)
    for body, parent, entry, _ in walk:
        branch = _branch(drawing, body, drawing.count if parent == GROUND else parent, entry, start)
        branches.append(branch)
        start += len(branch.names)
    used = {branch.joint.name for branch in walk if branch.joint is not None}
    others = tuple(entry for entry in drawing.description.joints if entry.name not in used)
    names = tuple(name for branch in branches for name in branch.names)
    return Tree(drawing.bodies, tuple(branches), others, names, _path_matrix(drawing.count, branches, start))


def _hinge(drawing: Drawing, frame: int, start: int) -> Branch:
    """A moving frame on ground."""
    entry = drawing.description.frames[frame - drawing.bodies]
    ground, axes = drawing.count, axes_along(np.asarray(entry["about"]))
    first, second = Side(ground, entry["at"], axes), Side(frame, np.zeros(3), axes)
    return Branch(
        frame, ground, (f"turn of {entry.name}",), start, first, second, True,
        rotation=axes[None, :, Z], translation=np.zeros((1, 3)), carriers=(ground,), stages=((0,),),
    )  # fmt: skip


def _branch(drawing: Drawing, body: int, parent: int, entry: Entry | None, start: int) -> Branch:
    if entry is None:
        owner, labels, pitch = drawing.description.bodies.names[body], COORDINATES["free"], 0.0
        names = tuple(f"{owner}.{label}" for label in labels)
        first, second = drawing.body_sides(owner)
    else:
        names, labels, pitch = names_of(entry), COORDINATES[entry.type], entry.get("pitch", 0.0)
        first, second = drawing.sides(entry)
    forward = parent == first.carrier
    sign = 1.0 if forward else -1.0
    columns = [_column(label, first, second, pitch) for label in labels]
    return Branch(
        body, parent, names, start, first, second, forward,
        rotation=np.array([sign * w for w, _, _ in columns]).reshape(-1, 3),
        translation=np.array([sign * t for _, t, _ in columns]).reshape(-1, 3),
        carriers=tuple(carrier for _, _, carrier in columns),
        stages=_stages(labels, forward),
    )  # fmt: skip


def _column(label: str, first: Side, second: Side, pitch: float) -> tuple[np.ndarray, np.ndarray, int]:
    """Rotation, translation and carrier of one coordinate, of the second body relative to the first."""
    none, c = np.zeros(3), first.carrier
    if label in ("rx", "ry", "rz"):
        return first.axes[:, "xyz".index(label[1])], none, c
    if label in ("x", "y", "z"):
        return none, first.axes[:, "xyz".index(label)], c
    if label == "displacement":
        return none, first.axes[:, Z], c
    if label == "angle2":
        return second.axes[:, X], none, second.carrier
    return first.axes[:, Z], pitch * first.axes[:, Z], c


def _stages(labels: tuple[str, ...], forward: bool) -> tuple[tuple[int, ...], ...]:
    turning = tuple(k for k, label in enumerate(labels) if label[0] in "ar")
    if set(labels) >= set(ROTATIONS):
        return (turning,)
    singles = tuple((k,) for k in turning)
    return singles if forward else singles[::-1]


def _path_matrix(bodies: int, branches: list[Branch], count: int) -> np.ndarray:
    path = np.zeros((count, bodies + 1), dtype=bool)
    for branch in branches:
        path[:, branch.body] = path[:, branch.parent]
        path[branch.columns, branch.body] = True
    return path
