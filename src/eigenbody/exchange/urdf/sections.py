"""From links and joints to the sections of a model: the drawing is the robot with all joints at zero."""

from __future__ import annotations

from typing import Any

import numpy as np

from eigenbody.exchange.base import Findings, Options, usable_name
from eigenbody.exchange.inertia import entries, repaired
from eigenbody.exchange.numbers import clean, direction, rotation
from eigenbody.exchange.parts import ORIGIN, Inertial, Pose, coordinates_of
from eigenbody.exchange.urdf.elements import Joint, Link, Robot
from eigenbody.exchange.urdf.tree import Tree, follows, leaders
from eigenbody.model.names import GROUND

GRAVITY = [0.0, 0.0, -9.81]
Lines = dict[str, tuple[int, dict[str, tuple[int, dict[str, Any]]]]]


def sections_of(robot: Robot, tree: Tree, options: Options, found: Findings) -> tuple[dict[str, Any], Lines]:
    """The sections of the model and the lines of the file that its entries come from."""
    return _Sections(robot, tree, options, found).written()


class _Sections:
    def __init__(self, robot: Robot, tree: Tree, options: Options, found: Findings) -> None:
        self.robot, self.tree, self.options, self.found = robot, tree, options, found
        self.bodies: dict[str, dict[str, Any]] = {}
        self.markers: dict[str, dict[str, Any]] = {}
        self.joints: dict[str, dict[str, Any]] = {}
        self.couplings: dict[str, dict[str, Any]] = {}
        self.forces: dict[str, dict[str, Any]] = {}
        self.lines: Lines = {}
        self.carrier: dict[str, str] = {}  # the body that each link is, or is a marker of
        self.body_pose: dict[str, Pose] = {}
        self.extent = max((float(np.abs(pose.r).max()) for pose in tree.poses.values()), default=0.0) or 1.0
        self.leaders = leaders(robot)
        self.link_names = self._names([*robot.links], "link")
        self.joint_names = self._names([*robot.joints], "joint")

    def written(self) -> tuple[dict[str, Any], Lines]:
        self._root()
        for name, joint in self.tree.carried.items():
            self._link(self.robot.links[name], joint)
        for joint in self.tree.carried.values():
            self._coupling(joint)
        self._note_summaries()
        document: dict[str, Any] = {"eigenbody": 1, "name": self.robot.name, "gravity": GRAVITY}
        if not self.robot.name:
            del document["name"]
        for section in ("bodies", "markers", "joints", "couplings", "forces"):
            if entries := getattr(self, section):
                document[section] = entries
        if self.couplings:
            tied = {self.joint_names[joint.name] for joint in self.tree.carried.values() if follows(joint, self.robot)}
            document["coordinates"] = coordinates_of(self.joints, tied)
        return document, self.lines

    # ---- names
    def _names(self, given: list[str], kind: str) -> dict[str, str]:
        """Each name as the model has it; those that stay as they are come first."""
        names: dict[str, str] = {}
        for name in sorted(given, key=lambda name: usable_name(name, ()) != name):
            names[name] = usable_name(name, names.values())
        renamed = {old: new for old, new in names.items() if old != new and not self._is_ground(old, kind)}
        if renamed:
            listed = ", ".join(f'"{old}" is {new}' for old, new in renamed.items())
            self.found.note(f"Renamed {kind}s: {listed}.")
        return names

    def _is_ground(self, name: str, kind: str) -> bool:
        """Whether a link is the ground itself and not only called so."""
        link = self.robot.links.get(name)
        is_root = name == self.tree.root and self.options.base != "free"
        return kind == "link" and name == GROUND and is_root and link is not None and link.is_massless

    def _place(self, section: str, name: str, line: int) -> None:
        self.lines.setdefault(section, (0, {}))[1][name] = line, {}

    # ---- links
    def _root(self) -> None:
        root, name = self.robot.links[self.tree.root], self.link_names[self.tree.root]
        is_free = self.options.base == "free"
        host = root if not root.is_massless else self._host() if is_free else None
        if host is None and not is_free:
            self.carrier[root.name] = GROUND
            if not self._is_ground(root.name, "link"):
                self._marker(root, GROUND)
            self._draw(root)
            return
        host = host or root
        body = self._body(host)
        self.carrier[root.name] = body
        if host is not root:
            self._marker(root, body)
            self._draw(root)
        base = usable_name("base", self.joint_names.values())
        kind = "free" if is_free else "fixed"
        self.joints[base] = {"type": kind, "between": [GROUND, body], "at": [0.0, 0.0, 0.0]}
        if is_free:
            self.joints[base] |= {"axis": [0.0, 0.0, 1.0], "axis2": [1.0, 0.0, 0.0]}
        self._place("joints", base, root.line)
        held = f"may move freely (joint {base})" if is_free else f"is fixed on the ground (joint {base})"
        self.found.note(f"The root link {name} {held}.")

    def _host(self) -> Link | None:
        """The first link with mass among those that fixed joints hold on the root."""
        group = {self.tree.root}
        for name, joint in self.tree.carried.items():
            if joint.parent in group and joint.type == "fixed":
                if not self.robot.links[name].is_massless:
                    return self.robot.links[name]
                group.add(name)
        return None

    def _link(self, link: Link, joint: Joint) -> None:
        parent = self.carrier[joint.parent]
        if self.link_names[link.name] in self.bodies:  # it carries the root
            self.carrier[link.name] = self.link_names[link.name]
        elif joint.type == "fixed" and link.is_massless:
            self.carrier[link.name] = parent
            self._marker(link, parent)
            self._draw(link)
        else:
            self.carrier[link.name] = self._body(link)
        if self.carrier[link.name] != parent:
            self._joint(joint, parent, self.carrier[link.name])

    def _marker(self, link: Link, body: str) -> None:
        pose, name = self.tree.poses[link.name], self.link_names[link.name]
        self.markers[name] = {"body": body, "at": clean(pose.r, self.extent)}
        self._turned(self.markers[name], pose.R)
        self._place("markers", name, link.line)

    def _body(self, link: Link) -> str:
        name, pose = self.link_names[link.name], self.tree.poses[link.name]
        inertial = link.inertial or Inertial(0.0, ORIGIN, np.zeros((3, 3)), link.line)
        own = pose @ inertial.pose if inertial.tensor.any() else pose @ Pose(inertial.pose.r, np.eye(3))
        entry: dict[str, Any] = {"mass": inertial.mass}
        if inertial.tensor.any():
            entry["inertia"] = entries(self._possible(link, inertial))
        entry["at"] = clean(own.r, self.extent)
        self._turned(entry, own.R)
        self.bodies[name], self.body_pose[name] = entry, own
        self._place("bodies", name, link.line)
        self.carrier[link.name] = name
        self._draw(link)
        return name

    def _possible(self, link: Link, inertial: Inertial) -> np.ndarray:
        arms = [inertial.pose.r, *(joint.pose.r for joint in self.tree.outward(link.name))]
        size = max(float(np.linalg.norm(arm)) for arm in arms) or self.extent
        found = repaired(inertial.tensor, inertial.mass, size)
        if found.change and self.options.strict:
            remedy = "Correct it, or read the file without strict: then the nearest possible inertia is taken."
            self.found.fault(f'link "{link.name}"', inertial.line, f"impossible inertia: {found.change}.", remedy)
        elif found.change:
            self.found.note(f"Inertia of {self.link_names[link.name]}: {found.change}.")
        return found.tensor

    def _draw(self, link: Link) -> None:
        body = self.carrier[link.name]
        if body == GROUND:
            return
        own = self.body_pose[body]
        for solid in link.solids:
            there = self.tree.poses[link.name] @ solid.pose
            shape = dict(solid.shape)
            if (at := clean(own.R.T @ (there.r - own.r), self.extent)) != [0.0, 0.0, 0.0]:
                shape["at"] = at
            self._turned(shape, own.R.T @ there.R)
            shapes = self.bodies[body].setdefault("shape", [])
            shapes.append(shape)

    @staticmethod
    def _turned(entry: dict[str, Any], R: np.ndarray) -> None:
        if (turn := rotation(R)) is not None:
            entry["rotation"] = turn

    # ---- joints
    def _joint(self, joint: Joint, parent: str, child: str) -> None:
        name, pose = self.joint_names[joint.name], self.tree.poses[joint.child]
        kind = {"continuous": "revolute", "floating": "free"}.get(joint.type, joint.type)
        entry: dict[str, Any] = {"type": kind, "between": [parent, child], "at": clean(pose.r, self.extent)}
        if kind in ("revolute", "prismatic", "planar"):
            entry["axis"] = direction(pose.R @ joint.axis)
        if kind == "planar":
            entry["axis2"] = direction(pose.R @ _across(joint.axis))
        if kind == "free":
            entry |= {"axis": direction(pose.R[:, 2]), "axis2": direction(pose.R[:, 0])}
        if joint.name in self.leaders:
            entry["position"] = 0.0
        if joint.type in ("revolute", "prismatic"):
            entry |= self._range(joint)
        self.joints[name] = entry
        self._place("joints", name, joint.line)
        if joint.damping and joint.has_one_coordinate:
            damper = usable_name(f"{name}_damping", self.forces)
            self.forces[damper] = {"type": "damper", "along": name, "c": joint.damping}
            self._place("forces", damper, joint.line)

    def _range(self, joint: Joint) -> dict[str, float]:
        """Lower and upper limit; exchanged ones are left out."""
        found: dict[str, float] = {key: joint.limit[key] for key in ("lower", "upper") if key in joint.limit}
        if found.get("lower", 0.0) <= found.get("upper", found.get("lower", 0.0)):
            return found
        if self.options.strict:
            self.found.fault(
                f'joint "{joint.name}"', joint.line, "its upper limit is below the lower one.", "Exchange them."
            )
        else:
            self.found.note(
                f"Limits of {self.joint_names[joint.name]} are left out: the upper one is below the lower one."
            )
        return {}

    def _coupling(self, joint: Joint) -> None:
        """joint - multiplier other = offset."""
        if joint.mimic is None or not follows(joint, self.robot):
            return
        own, other = self.joint_names[joint.name], self.joint_names[joint.mimic.joint]
        entry: dict[str, Any] = {"type": "linear", "terms": {own: 1.0, other: -joint.mimic.multiplier}}
        if joint.mimic.offset:
            entry["constant"] = joint.mimic.offset
        name = usable_name(f"{own}_mimics_{other}", self.couplings)
        self.couplings[name] = entry
        self._place("couplings", name, joint.line)

    # ---- notes
    def _note_summaries(self) -> None:
        self.found.note("Gravity is 9.81 m/s^2 along -z.")
        joints = [joint for joint in self.tree.carried.values() if self.joint_names[joint.name] in self.joints]
        gone = [joint.name for joint in self.tree.carried.values() if joint not in joints]
        if gone:
            self.found.note(
                f"Links without mass on fixed joints are markers; these joints are none: {', '.join(gone)}."
            )
        points, rings = [
            [self.link_names[link.name] for link in self.robot.links.values()
             if (own := link.inertial) is not None and wanted(own.mass, own.tensor.any())]
            for wanted in (lambda mass, turns: mass and not turns, lambda mass, turns: turns and not mass)
        ]  # fmt: skip
        if points:
            self.found.note(f"Links with mass and no inertia are points: {', '.join(points)}.")
        if rings:
            self.found.note(f"Links with inertia and no mass: {', '.join(rings)}.")
        light = [joint.name for joint in joints if joint.type != "fixed" and not self._mass_on(joint.child)]
        if light:
            self.found.note(f"Joints that move no mass: {', '.join(light)}.")
        rough = [f"{joint.name} {joint.friction:g}" for joint in joints if joint.friction]
        if rough:
            self.found.note(f"Dry friction is left out: {', '.join(rough)}.")
        undamped = [joint.name for joint in joints if joint.damping and not joint.has_one_coordinate]
        if undamped:
            self.found.note(f"Damping of joints with several coordinates is left out: {', '.join(undamped)}.")
        planar = [joint.name for joint in joints if joint.type == "planar"]
        if planar:
            self.found.note(f"Planar joints have x along axis2: {', '.join(planar)}.")
        limits = [text for joint in joints if (text := _limits(joint))]
        if limits:
            self.found.note(f"Limits, which nothing enforces: {'; '.join(limits)}.")

    def _mass_on(self, link: str) -> bool:
        """Whether the link or anything that it carries has mass."""
        waiting = [link]
        while waiting:
            name = waiting.pop()
            if not self.robot.links[name].is_massless:
                return True
            waiting += [joint.child for joint in self.tree.outward(name)]
        return False


def _across(axis: np.ndarray) -> np.ndarray:
    """The x axis of the joint's frame made perpendicular to an axis, or the y axis where that is along it."""
    z = axis / np.linalg.norm(axis)
    x = np.eye(3)[0] if abs(z[0]) < 0.9 else np.eye(3)[1]
    return x - (x @ z) * z


def _limits(joint: Joint) -> str:
    turning = joint.type in ("revolute", "continuous")
    units = {"effort": "N*m" if turning else "N", "velocity": "rad/s" if turning else "m/s"}
    parts = []
    if joint.type != "continuous" and ("lower" in joint.limit or "upper" in joint.limit):
        low, high = (joint.limit.get(key, 0.0) for key in ("lower", "upper"))
        parts.append(f"{low:g} to {high:g} {'rad' if turning else 'm'}")
    parts += [f"{joint.limit[key]:g} {unit}" for key, unit in units.items() if joint.limit.get(key)]
    return f"{joint.name} {', '.join(parts)}" if parts and joint.has_one_coordinate else ""
