"""Joint types as the independent routes know them: what each holds and which coordinates it leaves, in words.

One table for all of them, written from the model file's contract and not from the engine's elements. What a word means
(a row, a deflection, a matrix, a symbol) is each route's own.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from functools import partial
from typing import NamedTuple

from eigenbody.model.description import Description, Entry, Function, Signal, owner_of
from eigenbody.model.names import load_parts
from eigenbody.routes.drawing import GROUND, body_of, moving_frame

ROTATIONS = ("rx", "ry", "rz")
SIX = ("x", "y", "z", *ROTATIONS)


class JointType(NamedTuple):
    """`held`: what stays as drawn. `free`: coordinates, None for a constraint that is no branch of a tree.

    point     the second point at the first              (3 rows)
    sideways  it stays on the first z axis               (2)
    along     it stays in the plane normal to z          (1)
    tilt      the z axes stay parallel                   (2)
    rotation  all axes stay parallel                     (3)
    crossed   z of the first normal to x of the second   (1)
    distance  the points stay as far apart as drawn      (1)
    modes     a node of a flexible body, moved and turned by its modes in its frame (6)
    pitch     displacement along z is pitch times angle  (1)
    """

    held: tuple[str, ...]
    free: tuple[str, ...] | None


JOINTS = {
    "fixed": JointType(("point", "rotation"), ()),
    "node": JointType(("modes",), ()),
    "revolute": JointType(("point", "tilt"), ("angle",)),
    "prismatic": JointType(("sideways", "rotation"), ("displacement",)),
    "cylindrical": JointType(("sideways", "tilt"), ("displacement", "angle")),
    "screw": JointType(("sideways", "tilt", "pitch"), ("angle",)),
    "universal": JointType(("point", "crossed"), ("angle1", "angle2")),
    "spherical": JointType(("point",), ROTATIONS),
    "point": JointType(("point",), ROTATIONS),
    "planar": JointType(("along", "tilt"), ("x", "y", "angle")),
    "free": JointType((), SIX),
    "inline": JointType(("sideways",), ("displacement", *ROTATIONS)),
    "inplane": JointType(("along",), None),
    "parallel": JointType(("tilt",), None),
    "perpendicular": JointType(("crossed",), None),
    "orientation": JointType(("rotation",), None),
    "distance": JointType(("distance",), None),
}
COORDINATES = {name: kind.free for name, kind in JOINTS.items() if kind.free is not None}
"""Coordinates of the joint types that can be branches of the tree."""
NON_HOLONOMIC = ("rolling", "knife_edge")
COUPLINGS = ("gear", "worm", "rack", "screw", "linear")


def names_of(joint: Entry) -> tuple[str, ...]:
    """Names of a joint's coordinates."""
    labels = COORDINATES[joint.type]
    return (joint.name,) if len(labels) == 1 else tuple(f"{joint.name}.{label}" for label in labels)


def beyond_all(description: Description) -> str:
    """The first thing in a model that no independent route knows; "" if there is none."""
    if description.flexible:
        return f'the flexible body "{owner_of(description.flexible[0].name)}"'
    if frame := moving_frame(description):
        return f'the moving frame "{frame}"'
    for joint in description.joints:
        if joint.type in NON_HOLONOMIC:
            return f'non-holonomic rows ({joint.type} "{joint.name}")'
        if joint.type not in JOINTS:
            return f'the joint "{joint.name}" of type "{joint.type}"'
    if armed := armatures(description):
        return f'the armature of "{next(iter(armed))}"'
    for coupling in description.couplings:
        if coupling.type == "velocity":
            return f'non-holonomic rows (coupling "{coupling.name}")'
        if coupling.type not in COUPLINGS:
            return f'the coupling "{coupling.name}" of type "{coupling.type}"'
    for driver in description.drivers:
        if driver.get("side") is not None:
            return f'the one-sided driver "{driver.name}"'
    for force in description.forces:
        if reason := beyond_constant_coefficients(force):
            return reason
    return _reads_loads(description)


def armatures(description: Description) -> dict[str, float]:
    """Inertia on joint coordinates by their names."""
    found: dict[str, float] = {}
    for joint in description.joints:
        values = joint.get("armature") or ()
        names = names_of(joint) if joint.type in COORDINATES else (joint.name,) * len(values)  # no branch of a tree
        found |= {name: value for name, value in zip(names, values, strict=False) if value is not None}
    return found


def beyond_constant_coefficients(force: Entry) -> str:
    """What a bushing or bearing has beside constant coefficients; "" if nothing."""
    if force.type not in ("bushing", "bearing"):
        return ""
    if any(isinstance(force.get(key), tuple) for key in ("k", "c")):
        return f'the varying coefficients of the {force.type} "{force.name}"'
    return "" if force.get("load") is None else f'the load of the {force.type} "{force.name}"'


def _reads_loads(description: Description) -> str:
    """The first second rate, joint reaction or force of an element that a force, state, variable or block reads."""
    owners = {entry.name for entry in (*description.forces, *description.joints)}
    for entry in (*description.forces, *description.states, *description.variables, *description.blocks):
        for value in entry.values.values():
            for signal in value if isinstance(value, tuple) else (value,):
                names = getattr(getattr(signal, "of", None) or signal, "names", ())
                names = signal.of if isinstance(signal, Function) else names
                read = [name for name in sorted(names) if name.endswith("''") or load_parts(name)[1] in owners]
                if read:
                    return f"{entry.where}, which reads {read[0]}: it depends on accelerations or loads"
    return ""


def terms_of(coupling: Entry) -> dict[str, float]:
    """Coefficients of a coupling by measure: first + ratio second, or as given."""
    if coupling.type == "linear":
        return dict(coupling["terms"])
    first, second = coupling["joints"]
    return {first: 1.0, second: float(coupling["ratio"])}


def motions(description: Description) -> Iterator[tuple[str, Signal, str]]:
    """Every prescribed measure with its signal and where it stands."""
    for joint in description.joints:
        if joint.get("motion") is not None:
            for name, signal in zip(names_of(joint), joint["motion"], strict=True):
                if signal is not None:
                    yield name, signal, joint.where
    for driver in description.drivers:
        is_open = driver.get("side") is not None and not driver.get("closed")
        if not driver.get("assembly") and not is_open:
            yield driver["measure"], driver["motion"], driver.where


class Branch(NamedTuple):
    """A body, the one that carries it, and the joint between them, None where it floats; `outward` where the joint
    leads from its first body to its second."""

    body: int
    parent: int
    joint: Entry | None
    outward: bool


def spanning_tree(
    description: Description,
    cut: Collection[str] = (),
    index: Callable[[str], int] | None = None,
    roots: Sequence[int] = (GROUND,),
) -> tuple[Branch, ...]:
    """Breadth-first from ground, joints in file order but those to be cut, then from the first-listed body of each part
    left over. A route that knows moving frames gives its own `index` of names and further `roots`."""
    index = index or partial(body_of, description)
    joints = [joint for joint in description.joints if joint.type in COORDINATES and joint.name not in cut]
    pairs = [tuple(index(name) for name in joint["between"]) for joint in joints]
    at: dict[int, list[int]] = {}
    for k, pair in enumerate(pairs):
        for body in set(pair):
            at.setdefault(body, []).append(k)
    branches: list[Branch] = []
    reached: set[int] = set(roots)
    for root in (*roots, *range(len(description.bodies))):
        if root in reached and root not in roots:
            continue
        if root not in roots:
            branches.append(Branch(root, GROUND, None, True))
        reached.add(root)
        queue = [root]
        for here in queue:
            for k in at.get(here, ()):
                first, second = pairs[k]
                other = second if first == here else first
                if other not in reached:
                    reached.add(other)
                    queue.append(other)
                    branches.append(Branch(other, here, joints[k], first == here))
    return tuple(branches)
