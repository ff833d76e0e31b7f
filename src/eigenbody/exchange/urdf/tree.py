"""Links in the order of the tree, from its root outwards; loops, second parents and several roots are refused."""

from __future__ import annotations

from dataclasses import dataclass

from eigenbody.base.errors import suggest
from eigenbody.exchange.base import Findings
from eigenbody.exchange.parts import ORIGIN, Pose
from eigenbody.exchange.urdf.elements import Joint, Robot
from eigenbody.model.source import shown


@dataclass(frozen=True, slots=True, eq=False)
class Tree:
    """The root, the joint that carries each other link in the order of the walk, and where links are at zero."""

    root: str
    carried: dict[str, Joint]
    poses: dict[str, Pose]

    def outward(self, link: str) -> list[Joint]:
        """Joints that carry others on a link."""
        return [joint for joint in self.carried.values() if joint.parent == link]


def tree_of(robot: Robot, found: Findings, strict: bool = False) -> Tree | None:
    """The tree of the robot; None where it is none, and the faults say why."""
    carried: dict[str, Joint] = {}
    for joint in robot.joints.values():
        of = f'joint "{joint.name}"'
        for tag, link in (("parent", joint.parent), ("child", joint.child)):
            if link and link not in robot.links:
                found.fault(of, joint.line, f'its {tag} "{shown(link)}" is no link.', suggest(link, list(robot.links)))
        if joint.child in carried:
            other = carried[joint.child]
            what = f'"{shown(joint.child)}" is the child of joint "{shown(other.name)}" (line {other.line}) already.'
            found.fault(of, joint.line, what, "A link has one parent: URDF has no closed loops.")
        elif joint.child:
            carried[joint.child] = joint
        _check_mimic(joint, robot, found, strict)
    _refuse_mimic_loops(robot, found)
    roots = [name for name in robot.links if name not in carried]
    if len(roots) > 1:
        for name in roots[1:]:
            what = f'it hangs on nothing, as "{shown(roots[0])}" does: a robot has one root.'
            found.fault(f'link "{name}"', robot.links[name].line, what, "Join it by a joint.")
    if found.faults:
        _name_loops(robot, carried, found)
        return None
    return _walked(robot, roots, carried, found)


def _walked(robot: Robot, roots: list[str], carried: dict[str, Joint], found: Findings) -> Tree | None:
    outward: dict[str, list[Joint]] = {}
    for joint in carried.values():
        outward.setdefault(joint.parent, []).append(joint)
    order, poses, waiting = dict[str, Joint](), dict.fromkeys(roots, ORIGIN), list(roots)
    while waiting:
        link = waiting.pop(0)
        for joint in outward.get(link, ()):
            poses[joint.child] = poses[link] @ joint.pose
            order[joint.child] = joint
            waiting.append(joint.child)
    if len(poses) < len(robot.links):
        _name_loops(robot, carried, found)
        return None
    return Tree(roots[0], order, poses)


def _name_loops(robot: Robot, carried: dict[str, Joint], found: Findings) -> None:
    """A fault for every loop of parents."""
    seen: set[str] = set()
    for start in robot.links:
        path: list[str] = []
        link = start
        while link in carried and link not in seen:
            seen.add(link)
            path.append(link)
            link = carried[link].parent
        if link in path:
            loop = path[path.index(link) :]
            names = " < ".join(shown(name, 30) for name in [*loop, loop[0]][:8])
            joint = carried[loop[0]]
            found.fault(f'joint "{joint.name}"', joint.line, f"links carry each other in a loop: {names}.")


def _check_mimic(joint: Joint, robot: Robot, found: Findings, strict: bool) -> None:
    """What ties a joint to nothing is left out with a note, or refused where reading is strict."""
    if joint.mimic is None:
        return
    other = robot.joints.get(joint.mimic.joint)
    if other is None:
        wrong = f'it mimics "{shown(joint.mimic.joint)}", which is no joint'
    elif other is joint:
        wrong = "it mimics itself"
    elif not (joint.has_one_coordinate and other.has_one_coordinate):
        kind = f"a {joint.type} joint mimics" if not joint.has_one_coordinate else f"it mimics a {other.type} joint"
        wrong = f"{kind}, where both must have one coordinate"
    else:
        return
    if strict:
        remedy = suggest(joint.mimic.joint, list(robot.joints)) if other is None else "Leave out <mimic>."
        found.fault(f'joint "{joint.name}"', joint.line, f"{wrong}.", remedy)
    else:
        found.note(f"Joint {joint.name} follows no other: {wrong}.")


def _refuse_mimic_loops(robot: Robot, found: Findings) -> None:
    """A fault for every loop of joints that mimic each other."""
    seen: set[str] = set()
    for start in robot.joints.values():
        path: list[str] = []
        joint = start
        while joint.name not in seen and joint.mimic is not None and follows(joint, robot):
            seen.add(joint.name)
            path.append(joint.name)
            joint = robot.joints[joint.mimic.joint]
        if joint.name in path:
            loop = path[path.index(joint.name) :]
            what = f"joints mimic each other in a loop: {', '.join(shown(name, 30) for name in loop[:8])}."
            found.fault(f'joint "{joint.name}"', joint.line, what, "Leave out one <mimic>.")


def leaders(robot: Robot) -> set[str]:
    """Joints that others follow by an offset, and that follow no other."""
    out = set()
    for joint in robot.joints.values():
        is_moved = False
        while joint.mimic is not None and follows(joint, robot):
            is_moved = is_moved or bool(joint.mimic.offset)
            joint = robot.joints[joint.mimic.joint]
        out |= {joint.name} if is_moved else set()
    return out


def follows(joint: Joint, robot: Robot) -> bool:
    """Whether a joint is tied to another one."""
    other = None if joint.mimic is None else robot.joints.get(joint.mimic.joint)
    return other is not None and other is not joint and joint.has_one_coordinate and other.has_one_coordinate
