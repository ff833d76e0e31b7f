"""A model document as bodies, a tree of joints, loops, gears and elements: positions only, no rates."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from flint import arb, arb_mat

from campaign.geometry import (
    AT_REST,
    IDENTITY,
    ONE,
    ZERO,
    Pose,
    axial,
    body_rotation,
    column,
    dot,
    exact,
    frame,
    rotation,
    rotation_vector,
    turn_about_z,
    unit,
)

LABELS = {
    "fixed": (),
    "revolute": ("angle",),
    "prismatic": ("displacement",),
    "cylindrical": ("displacement", "angle"),
    "universal": ("angle1", "angle2"),
    "spherical": ("rx", "ry", "rz"),
    "free": ("x", "y", "z", "rx", "ry", "rz"),
}
ROTATION_AT = {"spherical": 0, "free": 3}  # where the three small rotations stand among the coordinates


class Place(NamedTuple):
    """Values of the scalar coordinates of a joint and the rotation of a ball."""

    values: tuple[arb, ...]
    R: arb_mat = IDENTITY


@dataclass
class Joint:
    """A joint between two bodies: its frame as each of them carries it."""

    name: str
    type: str
    first: int
    second: int
    frame1: Pose
    frame2: Pose
    axis2: arb_mat  # of a universal joint, in the joint's frame
    entry: dict[str, Any]
    start: int = -1  # first of its coordinates among those of the tree; -1 where it closes a loop
    parent: int = -1  # the one of its bodies that is nearer to ground in the tree

    @property
    def child(self) -> int:
        return self.first if self.parent == self.second else self.second

    @property
    def labels(self) -> tuple[str, ...]:
        return LABELS[self.type]

    @property
    def names(self) -> list[str]:
        return [self.name] if len(self.labels) == 1 else [f"{self.name}.{label}" for label in self.labels]

    def drawn(self) -> Place:
        return Place((ZERO,) * (len(self.labels) - 3 * (self.type in ROTATION_AT)))

    def moved(self, place: Place, steps: list[arb]) -> Place:
        """The place after a step of the coordinates: small rotations turn about the axes of the first body."""
        if self.type not in ROTATION_AT:
            return Place(tuple(v + s for v, s in zip(place.values, steps, strict=True)), place.R)
        at = ROTATION_AT[self.type]
        values = tuple(v + s for v, s in zip(place.values, steps[:at], strict=True))
        return Place(values, rotation(column(steps[at:])) * place.R)

    def relative(self, place: Place) -> Pose:
        """The second frame seen from the first."""
        q = place.values
        match self.type:
            case "fixed":
                return AT_REST
            case "revolute":
                return Pose(turn_about_z(q[0]), AT_REST.r)
            case "prismatic":
                return Pose(IDENTITY, column([ZERO, ZERO, q[0]]))
            case "cylindrical":
                return Pose(turn_about_z(q[1]), column([ZERO, ZERO, q[0]]))
            case "universal":
                return Pose(turn_about_z(q[0]) * rotation(self.axis2 * q[1]), AT_REST.r)
            case "spherical":
                return Pose(place.R, AT_REST.r)
            case "free":
                return Pose(place.R, column(q))
        raise ValueError(self.type)

    def held(self, pose: Pose) -> list[arb]:
        """What is zero where the joint holds: functions of the second frame seen from the first."""
        x, y, z = pose.r.entries()
        tilt = [pose.R[0, 2], pose.R[1, 2]]
        match self.type:
            case "fixed":
                return [x, y, z, *axial(pose.R)]
            case "revolute":
                return [x, y, z, *tilt]
            case "prismatic":
                return [x, y, *axial(pose.R)]
            case "cylindrical":
                return [x, y, *tilt]
            case "universal":
                return [x, y, z, (pose.R * self.axis2)[2, 0]]
            case "spherical":
                return [x, y, z]
        return []

    def measured(self, pose: Pose, place: Place | None) -> list[arb]:
        """The values of its coordinates; angles of a tree joint count turns."""
        x, y, z = pose.r.entries()
        match self.type:
            case "revolute" | "cylindrical" | "prismatic" | "universal" if place is not None:
                return list(place.values)
            case "revolute":
                return [arb.atan2(pose.R[1, 0], pose.R[0, 0])]
            case "prismatic":
                return [z]
            case "cylindrical":
                return [z, arb.atan2(pose.R[1, 0], pose.R[0, 0])]
            case "universal":
                return [arb.atan2(pose.R[1, 0], pose.R[0, 0]), arb.atan2(pose.R[2, 1], pose.R[2, 2])]
            case "spherical":
                return rotation_vector(pose.R)
            case "free":
                return [x, y, z, *rotation_vector(pose.R)]
        return []


Measure = Callable[[list[Pose], "Places"], list[arb]]
Places = list[Place]


@dataclass
class Element:
    """Forces -(k (s - free) + c s') + push on measures s."""

    name: str
    measure: Measure
    k: arb_mat
    c: arb_mat
    free: arb_mat
    push: arb_mat


@dataclass
class Assembly:
    """Everything the reference needs: ground is pose 0."""

    names: list[str]
    drawn: list[Pose]
    mass: list[arb]
    inertia: list[arb_mat]
    gravity: arb_mat
    tree: list[Joint] = field(default_factory=list)
    loops: list[Joint] = field(default_factory=list)
    gears: list[list[tuple[Measure, arb]]] = field(default_factory=list)
    elements: list[Element] = field(default_factory=list)

    @property
    def coordinates(self) -> list[str]:
        return [name for joint in self.tree for name in joint.names]

    def poses(self, places: Places, base: list[Pose] | None = None, moved: int = 0) -> list[Pose]:
        """Poses of all bodies; with a base only those that hang on joint number `moved` are found anew."""
        poses = list(base) if base else [AT_REST] * len(self.names)
        fresh = {self.tree[moved].child} if base else set(range(len(self.names)))
        for joint, place in zip(self.tree[moved:], places[moved:], strict=True):
            if joint.child not in fresh and joint.parent not in fresh:
                continue
            fresh.add(joint.child)
            across = joint.frame1 @ joint.relative(place) @ joint.frame2.inverse()
            poses[joint.child] = poses[joint.parent] @ (across if joint.parent == joint.first else across.inverse())
        return poses

    def between(self, joint: Joint, poses: list[Pose]) -> Pose:
        return (poses[joint.first] @ joint.frame1).inverse() @ (poses[joint.second] @ joint.frame2)

    def constraints(self, poses: list[Pose], places: Places) -> list[arb]:
        rows = [row for joint in self.loops for row in joint.held(self.between(joint, poses))]
        for terms in self.gears:
            rows.append(sum((measure(poses, places)[0] * factor for measure, factor in terms), ZERO))
        return rows


def assemble(document: dict[str, Any]) -> Assembly:
    """The assembly of a model document with plain numbers."""
    names = ["ground", *document["bodies"]]
    drawn, mass, inertia = [AT_REST], [ZERO], [arb_mat(3, 3)]
    for entry in document["bodies"].values():
        drawn.append(Pose(body_rotation(entry.get("rotation")), column(entry["at"])))
        mass.append(exact(entry["mass"]))
        inertia.append(_inertia(entry.get("inertia", [0, 0, 0])))
    assembly = Assembly(names, drawn, mass, inertia, column(document.get("gravity", [0, 0, 0])))
    _grow(assembly, [_joint(assembly, n, e) for n, e in document.get("joints", {}).items()])
    for entry in document.get("couplings", {}).values():
        first, second = (_measure(assembly, name) for name in entry["joints"])
        assembly.gears.append([(first, ONE), (second, exact(entry["ratio"]))])
    assembly.elements = [_element(assembly, n, e) for n, e in document.get("forces", {}).items()]
    return assembly


def _inertia(values: list[Any]) -> arb_mat:
    v = [exact(x) for x in values]
    xx, yy, zz = v[:3]
    xy, xz, yz = v[3:] if len(v) == 6 else (ZERO, ZERO, ZERO)
    return arb_mat([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def _carried(assembly: Assembly, body: int, drawn: Pose) -> Pose:
    return assembly.drawn[body].inverse() @ drawn


def _joint(assembly: Assembly, name: str, entry: dict[str, Any]) -> Joint:
    first, second = (assembly.names.index(b) for b in entry["between"])
    drawn = frame(column(entry.get("at", [0, 0, 0])), entry.get("axis", [0, 0, 1]), entry.get("axis2"))
    axis2 = drawn.R.transpose() * unit(column(entry["axis2"])) if entry["type"] == "universal" else AT_REST.r
    ends = (_carried(assembly, body, drawn) for body in (first, second))
    return Joint(name, entry["type"], first, second, *ends, axis2, entry)


def _grow(assembly: Assembly, joints: list[Joint]) -> None:
    """Breadth-first from ground, then from the first body of each part that floats; joints in the order of the file."""
    left, reached, count = list(joints), {0}, 0

    def plant(joint: Joint, parent: int) -> None:
        nonlocal count
        joint.start, joint.parent = count, parent
        count += len(joint.labels)
        assembly.tree.append(joint)
        reached.add(joint.child)

    def spread(queue: list[int]) -> None:
        while queue:
            body = queue.pop(0)
            for joint in list(left):
                if body in (joint.first, joint.second):
                    other = joint.second if joint.first == body else joint.first
                    if other in reached:
                        continue
                    left.remove(joint)
                    plant(joint, body)
                    queue.append(other)

    spread([0])
    for body, name in enumerate(assembly.names):
        if body not in reached:
            centre = Pose(IDENTITY, assembly.drawn[body].r)
            plant(Joint(name, "free", 0, body, centre, _carried(assembly, body, centre), AT_REST.r, {}), 0)
            spread([body])
    assembly.loops = left


def _measure(assembly: Assembly, name: str) -> Measure:
    """The value of a joint coordinate by name."""
    owner, _, label = name.partition(".")
    joint = next(j for j in [*assembly.tree, *assembly.loops] if j.name == owner)
    which = joint.labels.index(label) if label else 0
    at = assembly.tree.index(joint) if joint in assembly.tree else None

    def value(poses: list[Pose], places: Places) -> list[arb]:
        place = None if at is None else places[at]
        return [joint.measured(assembly.between(joint, poses), place)[which]]

    return value


def _element(assembly: Assembly, name: str, entry: dict[str, Any]) -> Element:
    kind = entry["type"]
    if kind == "force":
        body = assembly.names.index(entry["body"])
        point = _carried(assembly, body, Pose(IDENTITY, column(entry["at"])))
        zero = arb_mat(3, 3)
        return Element(
            name, lambda p, _: (p[body] @ point).r.entries(), zero, zero, arb_mat(3, 1), column(entry["value"])
        )
    if kind == "spring" and "along" in entry:
        return _law(name, _measure(assembly, entry["along"]), entry, 1, entry.get("free", 0))
    first, second = (assembly.names.index(b) for b in entry["between"])
    if kind == "spring":
        ends = [
            _carried(assembly, b, Pose(IDENTITY, column(at)))
            for b, at in zip((first, second), entry["at"], strict=True)
        ]

        def length(poses: list[Pose], _: Places) -> list[arb]:
            reach = (poses[second] @ ends[1]).r - (poses[first] @ ends[0]).r
            return [dot(reach, reach).sqrt()]

        return _law(name, length, entry, 1, entry["free_length"])
    drawn = frame(column(entry["at"]), entry.get("axis", [0, 0, 1]), entry.get("axis2"))
    frames = [_carried(assembly, body, drawn) for body in (first, second)]

    def deflections(poses: list[Pose], _: Places) -> list[arb]:
        seen = (poses[first] @ frames[0]).inverse() @ (poses[second] @ frames[1])
        turn = rotation_vector(seen.R) if kind == "bushing" else [-seen.R[1, 2], seen.R[0, 2]]
        return [*seen.r.entries(), *turn]

    return _law(name, deflections, entry, 6 if kind == "bushing" else 5, 0)


def _law(name: str, measure: Measure, entry: dict[str, Any], size: int, free: Any) -> Element:
    k, c = (_square(entry.get(key, 0), size) for key in ("k", "c"))
    zero = arb_mat(size, 1)
    return Element(name, measure, k, c, column([free]) if size == 1 else zero, zero)


def _square(values: Any, size: int) -> arb_mat:
    matrix = arb_mat(size, size)
    for i in range(size):
        for j in range(size):
            if isinstance(values, list) and isinstance(values[0], list):
                matrix[i, j] = exact(values[i][j])
            elif i == j:
                matrix[i, i] = exact(values[i] if isinstance(values, list) else values)
    return matrix
