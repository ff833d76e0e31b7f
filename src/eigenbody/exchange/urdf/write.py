"""A model whose bodies hang on each other in a tree, as URDF. What URDF cannot say is refused by name."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from xml.sax.saxutils import quoteattr

import numpy as np

from eigenbody.base.errors import Fault, InputError
from eigenbody.exchange.numbers import clean
from eigenbody.exchange.parts import ORIGIN, Pose
from eigenbody.model.description import Entry
from eigenbody.model.model import InertModel
from eigenbody.model.names import GROUND
from eigenbody.spatial.rotations import frame, unit

TYPES = {"revolute": "continuous", "prismatic": "prismatic", "fixed": "fixed", "planar": "planar", "free": "floating"}
WORLD = "world"
NOT_KNOWN = (
    "flexible",
    "frames",
    "drivers",
    "measures",
    "states",
    "variables",
    "blocks",
    "inputs",
    "outputs",
    "rotors",
)


def write_urdf(model: InertModel, path: Path | None = None) -> str:
    """The text of the URDF. Every link has the axes of its joint's frame at the point of the joint."""
    return "\n".join(_Writer(model).lines()) + "\n"


class _Writer:
    def __init__(self, model: InertModel) -> None:
        self.model, self.description = model, model.description
        self.faults: list[Fault] = []
        self._refuse_others()
        self.inward = self._inward()
        if self.faults:
            raise InputError(self.faults)
        self.index = {name: i for i, name in enumerate(self.description.bodies.names)}
        self.poses = {name: self._link_pose(joint) for name, joint in self.inward.items()} | {GROUND: ORIGIN}

    # ---- what cannot be written
    def _refuse(self, section: str, name: str, what: str, remedy: str = "") -> None:
        self.faults.append(Fault(self.model.where(section, name), what, remedy))

    def _refuse_others(self) -> None:
        d = self.description
        for section in NOT_KNOWN:
            for entry in getattr(d, section):
                self._refuse(section, entry.name, f"URDF has no {section}.", "Leave it out.")
        for entry in d.forces:
            if entry.type != "damper" or entry.get("along") not in {joint.name for joint in d.joints}:
                self._refuse("forces", entry.name, f"URDF has no {entry.type} but dampers along joints.")
        for entry in d.couplings:
            if entry.type != "linear" or len(entry["terms"]) != 2:
                self._refuse("couplings", entry.name, "URDF ties two joints at a time (mimic).", "Use type: linear.")
        if d.bodies.names.count(WORLD):
            self._refuse("bodies", WORLD, "this is the name of the ground in a URDF.", "Choose another name.")

    def _inward(self) -> dict[str, Entry]:
        """The joint that carries each body, from the ground outwards."""
        d, carried = self.description, {GROUND}
        found: dict[str, Entry] = {}
        waiting = list(d.joints)
        for joint in d.joints:
            if joint.type not in TYPES:
                self._refuse("joints", joint.name, f"URDF has no joint of type {joint.type}.")
            if joint.get("at") is not None and np.any(joint["at"][0] != joint["at"][1]):
                self._refuse("joints", joint.name, "its two points are drawn apart.", "Draw it closed.")
            for key in ("motion", "armature"):
                if any(value is not None for value in joint.get(key) or ()):
                    self._refuse("joints", joint.name, f"URDF has no {key} of joints.", "Leave it out.")
        while ready := [joint for joint in waiting if self._bodies(joint)[0] in carried]:
            for joint in ready:
                waiting.remove(joint)
                child = self._bodies(joint)[1]
                if child in carried:
                    self._refuse("joints", joint.name, f"it closes a loop at {child}: URDF has none.")
                else:
                    carried.add(child)
                    found[child] = joint
        for name in d.bodies.names:
            if name not in carried and not any(name in self._bodies(joint) for joint in waiting):
                self._refuse("bodies", name, "no joint carries it.", "Hang it on ground by a joint of type free.")
        for joint in waiting:
            remedy = "The first of its two bodies must be carried by another joint, or be ground."
            self._refuse("joints", joint.name, "it does not lead outwards from ground.", remedy)
        return found

    def _bodies(self, joint: Entry) -> tuple[str, str]:
        markers = self.description.markers
        first, second = (markers[end].body if end in markers else end for end in joint["between"])
        return first, second

    # ---- geometry
    def _link_pose(self, joint: Entry) -> Pose:
        ends, markers = joint["between"], self.description.markers
        for end in ends:
            if end in markers:
                return Pose(np.real(markers[end].position), np.real(markers[end].rotation))
        axis = np.array([0.0, 0.0, 1.0]) if joint.get("axis") is None else np.real(joint["axis"])
        across = joint.get("axis2")
        return Pose(np.real(joint["at"][0]), frame(unit(axis), None if across is None else unit(np.real(across))))

    # ---- text
    def lines(self) -> Iterator[str]:
        yield '<?xml version="1.0"?>'
        yield f"<robot name={quoteattr(self.model.name)}>"
        yield from (f"  <!-- {text.replace('--', '- -')} -->" for text in self._left_out())
        yield f'  <link name="{WORLD}"/>'
        for name, joint in self.inward.items():
            yield from self._link(name)
            yield from self._joint(name, joint)
        for marker in self.description.markers.values():
            yield from self._marker(marker.name, marker.body, Pose(np.real(marker.position), np.real(marker.rotation)))
        yield "</robot>"

    def _left_out(self) -> Iterator[str]:
        """What the model says beyond links and joints."""
        d = self.description
        if np.any(d.gravity):
            yield f"gravity of the model: {clean(np.real(d.gravity))} m/s^2; whoever reads a URDF chooses it"
        tied = {next(iter(coupling["terms"])) for coupling in d.couplings}
        given = [
            joint.name
            for joint in d.joints
            if (joint.get("position") or joint.get("velocity")) and joint.name not in tied
        ]
        if given:
            yield f"positions and velocities at the start are left out: {', '.join(given)}"
        if any("shape" in entry for entry in self.model.document.get("bodies", {}).values()):
            yield "shapes are left out"
        if d.coordinates or d.operating_point:
            yield "coordinates and operating point are left out"
        if d.poses or d.pose:
            yield "poses are left out"

    def _link(self, name: str) -> Iterator[str]:
        table, i = self.description.bodies, self.index[name]
        mass, J = float(np.real(table.mass[i])), np.real(table.inertia[i])
        if mass == 0 and not J.any():
            yield f"  <link name={quoteattr(name)}/>"
            return
        own = Pose(np.real(table.position[i]), np.real(table.rotation[i]))
        (xx, xy, xz), (_, yy, yz), (_, _, zz) = clean(J)
        entries = {"ixx": xx, "ixy": xy, "ixz": xz, "iyy": yy, "iyz": yz, "izz": zz}
        tensor = " ".join(f'{key}="{value!r}"' for key, value in entries.items())
        yield f"  <link name={quoteattr(name)}>"
        yield "    <inertial>"
        yield f"      {_origin(_seen(self.poses[name], own))}"
        yield f'      <mass value="{mass!r}"/>'
        yield f"      <inertia {tensor}/>"
        yield "    </inertial>"
        yield "  </link>"

    def _joint(self, name: str, joint: Entry) -> Iterator[str]:
        parent, kind = self._bodies(joint)[0], TYPES[joint.type]
        if kind == "continuous" and _is_limited(joint):
            kind = "revolute"
        yield f'  <joint name={quoteattr(joint.name)} type="{kind}">'
        yield f"    <parent link={quoteattr(WORLD if parent == GROUND else parent)}/>"
        yield f"    <child link={quoteattr(name)}/>"
        yield f"    {_origin(_seen(self.poses[parent], self.poses[name]))}"
        if kind not in ("fixed", "floating"):
            yield '    <axis xyz="0 0 1"/>'
        yield from self._limit(joint, kind)
        damping = sum(float(np.real(f["c"])) for f in self.description.forces if f["along"] == joint.name)
        if damping:
            yield f'    <dynamics damping="{damping!r}"/>'
        yield from self._mimic(joint)
        yield "  </joint>"

    def _limit(self, joint: Entry, kind: str) -> Iterator[str]:
        """Limits as the model has them; a slider must have some."""
        if kind in ("prismatic", "revolute"):
            low, high = ((joint.get(key) or (None,))[0] for key in ("lower", "upper"))
            ends = [-1e9 if low is None else float(np.real(low)), 1e9 if high is None else float(np.real(high))]
            yield f'    <limit lower="{ends[0]!r}" upper="{ends[1]!r}" effort="0" velocity="0"/>'

    def _mimic(self, joint: Entry) -> Iterator[str]:
        """The coupling whose first term is this joint: first = -(b/a) second + constant/a."""
        for coupling in self.description.couplings:
            (own, a), (other, b) = coupling["terms"].items()
            if own == joint.name:
                offset = float(coupling.get("constant") or 0.0) / a
                more = f' offset="{offset!r}"' if offset else ""
                yield f'    <mimic joint={quoteattr(other)} multiplier="{-b / a!r}"{more}/>'

    def _marker(self, name: str, body: str, pose: Pose) -> Iterator[str]:
        """A link without mass on a fixed joint."""
        if name == WORLD:
            return
        yield f"  <link name={quoteattr(name)}/>"
        yield f'  <joint name={quoteattr(f"{name}_mount")} type="fixed">'
        yield f"    <parent link={quoteattr(WORLD if body == GROUND else body)}/>"
        yield f"    <child link={quoteattr(name)}/>"
        yield f"    {_origin(_seen(self.poses[body], pose))}"
        yield "  </joint>"


def _seen(first: Pose, second: Pose) -> Pose:
    """The second pose in the axes of the first."""
    return Pose(first.R.T @ (second.r - first.r), first.R.T @ second.R)


def _origin(pose: Pose) -> str:
    """`<origin xyz rpy>`: rotations about fixed x, y, z."""
    R = pose.R
    pitch = np.arctan2(-R[2, 0], np.hypot(R[0, 0], R[1, 0]))
    if np.hypot(R[0, 0], R[1, 0]) > 1e-9:
        roll, yaw = np.arctan2(R[2, 1], R[2, 2]), np.arctan2(R[1, 0], R[0, 0])
    else:  # roll and yaw turn about the same axis
        roll, yaw = 0.0, np.arctan2(-R[0, 1], R[1, 1])
    xyz = " ".join(repr(value) for value in clean(pose.r, max(1.0, float(np.abs(pose.r).max()))))
    rpy = " ".join(repr(float(value) + 0.0) for value in (roll, pitch, yaw))
    return f'<origin xyz="{xyz}" rpy="{rpy}"/>'


def _is_limited(joint: Entry) -> bool:
    return any(value is not None for key in ("lower", "upper") for value in joint.get(key) or ())
