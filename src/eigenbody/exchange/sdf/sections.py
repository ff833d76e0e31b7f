"""From the models of an SDF file to the sections of a model: the drawing is the file as it stands."""

from __future__ import annotations

from typing import Any

import numpy as np

from eigenbody.base.errors import suggest
from eigenbody.exchange.base import Findings, Options, usable_name
from eigenbody.exchange.inertia import entries, repaired
from eigenbody.exchange.numbers import clean, direction, rotation
from eigenbody.exchange.parts import IDENTITY, ORIGIN, Pose, coordinates_of
from eigenbody.exchange.sdf.elements import WORLD, Axis, Joint, Link, Scene
from eigenbody.model.names import GROUND

GRAVITY = [0.0, 0.0, -9.8]  # of a world that says nothing
COORDINATES = {"revolute": ("",), "prismatic": ("",), "screw": ("",), "universal": (".angle1", ".angle2")}
ENDLESS = 1e15  # limits beyond are none


class Sections:
    """The sections as they grow."""

    def __init__(self, scene: Scene, options: Options, found: Findings) -> None:
        self.scene, self.options, self.found = scene, options, found
        self.data: dict[str, dict[str, Any]] = {key: {} for key in ("bodies", "joints", "couplings", "forces")}
        self.lines: dict[str, Any] = {}
        self.poses = {WORLD: ORIGIN}
        self.followers: set[str] = set()  # coordinates that mimic others
        self.link_names = self._names(list(scene.links))
        self.joint_names = self._names(list(scene.joints))
        for name in scene.places:
            self._pose(name, [])

    def document(self, name: str) -> dict[str, Any]:
        """All sections; the poses are known."""
        moving = {link.name: link for link in self.scene.links.values() if not link.is_static}
        self.extent = max((float(np.abs(self.poses[name].r).max()) for name in moving), default=0.0) or 1.0
        if not moving:
            self.found.fault("<sdf>", 1, "no link can move.", "Give a model that is not static.")
        for link in moving.values():
            self._body(link)
        for joint in self.scene.joints.values():
            self._joint(joint)
        self._start_leaders()
        self._base(moving)
        self._notes()
        gravity = GRAVITY if self.scene.gravity is None else list(self.scene.gravity)
        document: dict[str, Any] = {"eigenbody": 1, "name": name, "gravity": gravity}
        document |= {key: entries for key, entries in self.data.items() if entries}
        if self.followers:
            every = coordinates_of(self.data["joints"], ())
            document["coordinates"] = [name for name in every if name not in self.followers]
        return document

    # ---- names and places
    def _names(self, given: list[str]) -> dict[str, str]:
        names: dict[str, str] = {}
        for name in sorted(given, key=lambda name: usable_name(name, ()) != name):
            names[name] = usable_name(name, names.values())
        renamed = [f'"{old}" is {new}' for old, new in names.items() if old != new]
        if renamed:
            self.found.note(f"Renamed: {', '.join(renamed)}.")
        return names

    def _pose(self, name: str, path: list[str]) -> Pose:
        """Where something of the file is in the world."""
        if name in self.poses:
            return self.poses[name]
        placed = self.scene.places.get(name)
        if placed is None or name in path:
            of = path[-1] if path else name
            what = f'its place is relative to "{name}", which '
            what += "depends on it again." if placed is not None else "is not there."
            remedy = "" if placed is not None else suggest(name, list(self.scene.places))
            self.found.fault(f'"{of}"', self._line(of), what, remedy)
            self.poses[name] = ORIGIN
            return ORIGIN
        found = self._pose(placed.relative_to, [*path, name]) @ placed.pose
        if placed.through:
            found = found @ self._within(placed.through, name).inverse
        self.poses[name] = found
        return found

    def _within(self, name: str, model: str) -> Pose:
        """Where something of a model is in it."""
        found, start, seen = ORIGIN, name, set[str]()
        while name != model:
            placed = self.scene.places.get(name)
            if placed is None or name in seen:
                what = f'it is placed by its frame "{start}", which is not there, or not placed in it.'
                self.found.fault(f'"{model}"', self._line(model), what)
                return ORIGIN
            seen.add(name)
            found, name = placed.pose @ found, placed.relative_to
        return found

    def _line(self, name: str) -> int:
        placed = self.scene.places.get(name)
        return 1 if placed is None else placed.line

    def _place(self, section: str, name: str, line: int) -> None:
        self.lines.setdefault(section, (0, {}))[1][name] = line, {}

    # ---- bodies
    def _body(self, link: Link) -> None:
        name, pose = self.link_names[link.name], self.poses[link.name]
        own = pose @ link.inertial.pose
        entry: dict[str, Any] = {"mass": link.inertial.mass}
        if link.inertial.tensor.any():
            found = repaired(
                link.inertial.tensor, link.inertial.mass, float(np.linalg.norm(own.r - pose.r)) or self.extent
            )
            if found.change and self.options.strict:
                self.found.fault(f'link "{link.name}"', link.inertial.line, f"impossible inertia: {found.change}.")
            elif found.change:
                self.found.note(f"Inertia of {name}: {found.change}.")
            entry["inertia"] = entries(found.tensor)
        else:
            own = Pose(own.r, IDENTITY)
        entry["at"] = clean(own.r, self.extent)
        if (turn := rotation(own.R)) is not None:
            entry["rotation"] = turn
        if not link.has_gravity:
            self._lift(name, link)
        shapes = [self._shape(pose @ solid.pose, solid.shape, own) for solid in link.solids]
        if shapes:
            entry["shape"] = shapes
        self.data["bodies"][name] = entry
        self._place("bodies", name, link.line)

    def _lift(self, name: str, link: Link) -> None:
        """A link on which no gravity acts."""
        gravity = GRAVITY if self.scene.gravity is None else self.scene.gravity
        lift = {"type": "force", "body": name, "value": [-link.inertial.mass * g + 0.0 for g in gravity]}
        own = usable_name(f"{name}_lift", self.data["forces"])
        self.data["forces"][own] = lift
        self._place("forces", own, link.line)
        self.found.note(f"No gravity acts on {name}: force {own}.")

    def _shape(self, there: Pose, given: dict[str, object], own: Pose) -> dict[str, Any]:
        shape: dict[str, Any] = dict(given)
        if (at := clean(own.R.T @ (there.r - own.r), self.extent)) != [0.0, 0.0, 0.0]:
            shape["at"] = at
        if (turn := rotation(own.R.T @ there.R)) is not None:
            shape["rotation"] = turn
        return shape

    def _carrier(self, joint: Joint, name: str) -> str | None:
        """The body of the model that an end of a joint is on: frames are on what they are attached to."""
        seen: list[str] = []
        while name in self.scene.attached and name not in seen:
            seen.append(name)
            name = self.scene.attached[name]
        if name == WORLD:
            return GROUND
        link = self.scene.links.get(name)
        if link is None:
            self.found.fault(
                f'joint "{joint.name}"', joint.line, f'"{name}" is no link.', suggest(name, list(self.scene.links))
            )
            return None
        return GROUND if link.is_static else self.link_names[name]

    # ---- joints
    def _joint(self, joint: Joint) -> None:
        ends = [self._carrier(joint, end) for end in (joint.parent, joint.child)]
        if None in ends:
            return
        if ends[0] == ends[1]:
            self.found.note(f"Joint {joint.name} is left out: both of its ends are on {ends[0]}.")
            return
        name, pose = self.joint_names[joint.name], self.poses[joint.name]
        kind = {"continuous": "revolute", "ball": "spherical"}.get(joint.type, joint.type)
        entry: dict[str, Any] = {"type": kind, "between": ends, "at": clean(pose.r, self.extent)}
        for key, axis in zip(("axis", "axis2"), joint.axes, strict=False):
            inside = self._pose(axis.expressed_in, [joint.name]) if axis.expressed_in else pose
            entry[key] = direction(inside.R @ axis.xyz)
        if kind == "screw":
            entry["pitch"] = joint.pitch
        if COORDINATES.get(kind) == ("",):
            low, high = joint.axes[0].limits
            if low <= high:
                found = {"lower": low, "upper": high}
                entry |= {key: value for key, value in found.items() if abs(value) < ENDLESS}
        self.data["joints"][name] = entry
        self._place("joints", name, joint.line)
        for suffix, axis in zip(COORDINATES.get(kind, ()), joint.axes, strict=True):
            self._acting(joint, f"{name}{suffix}", axis)

    def _acting(self, joint: Joint, measure: str, axis: Axis) -> None:
        """Spring, damper and mimicry along a coordinate."""
        plain = measure.replace(".", "_")
        if axis.stiffness:
            name = usable_name(f"{plain}_spring", self.data["forces"])
            self.data["forces"][name] = {
                "type": "spring",
                "along": measure,
                "k": axis.stiffness,
                "free": axis.reference,
            }
            self._place("forces", name, joint.line)
        if axis.damping:
            name = usable_name(f"{plain}_damping", self.data["forces"])
            self.data["forces"][name] = {"type": "damper", "along": measure, "c": axis.damping}
            self._place("forces", name, joint.line)
        if axis.mimic is None:
            return
        leader, which, multiplier, constant = axis.mimic
        other = self.scene.joints.get(leader)
        labels = () if other is None else COORDINATES.get({"continuous": "revolute"}.get(other.type, other.type), ())
        number = {"axis": 0, "axis2": 1}.get(which, 2)
        if other is joint or number >= len(labels):
            what = f'it mimics "{leader}", which is no other joint, or has no coordinate of its own about its {which}.'
            self.found.fault(f'joint "{joint.name}"', joint.line, what, suggest(leader, list(self.scene.joints)))
            return
        led = f"{self.joint_names[leader]}{labels[number]}"
        name = usable_name(f"{plain}_mimics_{self.joint_names[leader]}", self.data["couplings"])
        terms = {measure: 1.0, led: -multiplier}
        self.data["couplings"][name] = {"type": "linear", "terms": terms} | ({"constant": constant} if constant else {})
        self.followers.add(measure)
        self._place("couplings", name, joint.line)

    def _start_leaders(self) -> None:
        """Where followers have an offset, those that they follow are at zero in the drawing."""
        ties = self.data["couplings"].values()
        if any("constant" in tie for tie in ties):
            led = {list(tie["terms"])[1] for tie in ties} - self.followers
            for name in led & self.data["joints"].keys():
                self.data["joints"][name]["position"] = 0.0

    def _base(self, moving: dict[str, Link]) -> None:
        """A part that nothing holds hangs on a free joint at the origin of its first link; `--base fixed` fixes it."""
        groups = {self.link_names[name]: self.link_names[name] for name in moving} | {GROUND: GROUND}

        def root(name: str) -> str:
            while groups[name] != name:
                name = groups[name]
            return name

        for entry in self.data["joints"].values():
            first, second = (root(end) for end in entry["between"])
            groups[first if second == GROUND else second] = second if second == GROUND else first
        for link in moving.values():
            body = self.link_names[link.name]
            if root(body) == GROUND:
                continue
            groups[root(body)] = GROUND
            name = usable_name("base" if "base" not in self.data["joints"] else f"{body}_base", self.data["joints"])
            origin = clean(self.poses[link.name].r, self.extent)
            kind = "fixed" if self.options.base == "fixed" else "free"
            self.data["joints"][name] = {"type": kind, "between": [GROUND, body], "at": origin}
            self._place("joints", name, link.line)
            held = "may move freely" if kind == "free" else "is fixed on the ground"
            self.found.note(f"{body} {held} (joint {name}).")

    # ---- notes
    def _notes(self) -> None:
        axes = [(self.joint_names[j.name], axis) for j in self.scene.joints.values() for axis in j.axes]
        rough = [f"{name} {axis.friction:g}" for name, axis in axes if axis.friction]
        if rough:
            self.found.note(f"Dry friction is left out: {', '.join(rough)}.")
        limited = [f"{name} {axis.limits[0]:g} to {axis.limits[1]:g}" for name, axis in axes
                   if min(map(abs, axis.limits)) < ENDLESS]  # fmt: skip
        if limited:
            self.found.note(f"Limits, which nothing enforces: {'; '.join(limited)}.")
        if self.scene.gravity is None:
            self.found.note("Gravity is 9.8 m/s^2 along -z.")
