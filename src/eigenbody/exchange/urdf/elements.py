"""The elements of a URDF: links and joints with their numbers, each with its line; faults are collected."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np

from eigenbody.base.errors import suggest
from eigenbody.exchange.base import Findings
from eigenbody.exchange.meshes import Meshes, hex_color
from eigenbody.exchange.numbers import is_endless, read_numbers
from eigenbody.exchange.parts import IDENTITY, ORIGIN, Inertial, Pose, Solid
from eigenbody.exchange.xml import Element
from eigenbody.model.source import shown
from eigenbody.spatial.rotations import from_quaternion, from_sequence

TYPES = ("revolute", "continuous", "prismatic", "fixed", "floating", "planar")
QUATERNION = "quat_xyzw"
OF_DYNAMICS = {"damping", "friction"}
OF_LINK = {"inertial", "visual", "collision"}
OF_JOINT = {"origin", "parent", "child", "axis", "limit", "dynamics", "mimic"}


@dataclass(frozen=True, slots=True, eq=False)
class Link:
    """A link; without `inertial` it has no mass."""

    name: str
    line: int
    inertial: Inertial | None
    solids: tuple[Solid, ...]

    @property
    def is_massless(self) -> bool:
        return self.inertial is None or (self.inertial.mass == 0 and not self.inertial.tensor.any())


@dataclass(frozen=True, slots=True)
class Mimic:
    """This joint = multiplier times another one + offset."""

    joint: str
    multiplier: float
    offset: float


@dataclass(frozen=True, slots=True, eq=False)
class Joint:
    """A joint: the pose of the child's frame in its parent's at zero, and the axis in the child's."""

    name: str
    line: int
    type: str
    parent: str
    child: str
    pose: Pose
    axis: np.ndarray
    damping: float
    friction: float
    limit: dict[str, float]
    mimic: Mimic | None

    @property
    def has_one_coordinate(self) -> bool:
        return self.type in ("revolute", "continuous", "prismatic")


@dataclass(frozen=True, slots=True, eq=False)
class Robot:
    """All links and joints by name."""

    name: str
    links: dict[str, Link]
    joints: dict[str, Joint]


class _Reader:
    def __init__(self, found: Findings, meshes: Meshes, colors: dict[str, str]) -> None:
        self.found, self.meshes, self.colors = found, meshes, colors
        self.ignored: Counter[str] = Counter()

    # ---- values
    def numbers(self, of: str, element: Element, name: str, count: int, default: list[float] | None) -> np.ndarray:
        """Attribute `name` as so many numbers; where it cannot be read that is a fault, and zeros stand for it."""
        text = element.attributes.get(name)
        if text is None and default is not None:
            return np.array(default)
        values = None if text is None else read_numbers(text)
        if values is not None and len(values) == count:
            return np.array(values)
        expected = "a finite number" if count == 1 else f"{count} finite numbers"
        what = f'<{element.tag} {name}="{shown(text)}">: {expected} expected.' if text is not None else (
            f'<{element.tag}> has no "{name}".'
        )  # fmt: skip
        self.found.fault(
            of, element.line, what, f'Write {name}="{"1.5" if count == 1 else "0 0 1 0.5"[: 2 * count - 1]}".'
        )
        return np.zeros(count) if default is None else np.array(default)

    def number(self, of: str, element: Element, name: str, default: float | None = None) -> float:
        return float(self.numbers(of, element, name, 1, None if default is None else [default])[0])

    def pose(self, of: str, element: Element | None) -> Pose:
        """`<origin xyz rpy>` of an element: rotations about fixed x, y, z; or by a quaternion."""
        origin = None if element is None else element.first("origin")
        if origin is None:
            return ORIGIN
        xyz, rpy = (self.numbers(of, origin, name, 3, [0.0, 0.0, 0.0]) for name in ("xyz", "rpy"))
        if QUATERNION not in origin.attributes:
            return Pose(xyz, from_sequence("XYZ", rpy) if rpy.any() else IDENTITY)
        x, y, z, w = self.numbers(of, origin, QUATERNION, 4, [0.0, 0.0, 0.0, 1.0])
        if "rpy" in origin.attributes or not np.hypot(np.hypot(x, y), np.hypot(z, w)) > 0:
            what = f"<origin> has rpy beside {QUATERNION}, or a quaternion of length zero."
            self.found.fault(of, origin.line, what, "Give one of the two.")
            return Pose(xyz, IDENTITY)
        return Pose(xyz, from_quaternion(np.array([w, x, y, z])))

    def name(self, element: Element) -> str:
        name = element.attributes.get("name", "")
        if not name:
            self.found.fault(f"<{element.tag}>", element.line, "it has no name.", f'Write <{element.tag} name="...">.')
        return name

    def once(self, element: Element, *tags: str) -> None:
        """Of elements that may stand once the first counts."""
        for tag in tags:
            if more := len(element.all(tag)) - 1 if element.first(tag) else 0:
                self.ignored[f"a second <{tag}> of a {element.tag}"] += more

    # ---- links
    def link(self, element: Element) -> Link:
        name = self.name(element)
        of = f'link "{name}"'
        for child in element.children:
            if child.tag not in OF_LINK:
                self.ignored[f"<{child.tag}> of links"] += 1
        self.once(element, "inertial")
        inertial = element.first("inertial")
        read = None if inertial is None else self.inertial(of, inertial)
        solids = [self.solid(of, visual) for visual in element.all("visual")]
        return Link(name, element.line, read, tuple(solid for solid in solids if solid is not None))

    def inertial(self, of: str, element: Element) -> Inertial:
        mass, tensor = element.first("mass"), element.first("inertia")
        value = 0.0 if mass is None else self.number(of, mass, "value")
        if value < 0:
            self.found.fault(of, element.line, f"the mass is negative ({value:g} kg).", "A mass is zero or positive.")
        keys = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")
        needed = dict.fromkeys(keys[:3]) | dict.fromkeys(keys[3:], 0.0)
        xx, yy, zz, xy, xz, yz = (
            0.0 if tensor is None else self.number(of, tensor, key, needed[key]) for key in keys
        )  # fmt: skip
        J = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        return Inertial(value, self.pose(of, element), J, element.line)

    def solid(self, of: str, visual: Element) -> Solid | None:
        geometry = visual.first("geometry")
        kinds = geometry.children if geometry is not None else []
        if not kinds:
            return None
        kind, pose = kinds[0], self.pose(of, visual)
        if kind.tag == "box":
            shape: dict[str, object] = {"type": "box", "size": self.numbers(of, kind, "size", 3, None).tolist()}
        elif kind.tag == "cylinder":
            radius, length = (self.number(of, kind, key) for key in ("radius", "length"))
            shape = {"type": "cylinder", "radius": radius, "length": length}
        elif kind.tag == "sphere":
            shape = {"type": "sphere", "radius": self.number(of, kind, "radius")}
        elif kind.tag == "mesh":
            scale = self.numbers(of, kind, "scale", 3, [1.0, 1.0, 1.0])
            mesh = self.meshes.shape(kind.attributes.get("filename", ""), scale, self.color(visual))
            return None if mesh is None else Solid(pose, mesh)
        else:
            self.ignored[f"<{kind.tag}> of visuals"] += 1
            return None
        sizes = np.ravel([value for key, value in shape.items() if key != "type"])
        if not np.all(sizes > 0):
            return None
        color = self.color(visual)
        return Solid(pose, shape | {"color": color} if color else shape)

    def color(self, visual: Element) -> str:
        """The colour of its own material, or of that of the robot with the same name."""
        material = visual.first("material")
        if material is None:
            return ""
        return _color(material) or self.colors.get(material.attributes.get("name", ""), "")

    # ---- joints
    def joint(self, element: Element) -> Joint:
        name, kind = self.name(element), element.attributes.get("type", "")
        of = f'joint "{name}"'
        if kind not in TYPES:
            what = f'there is no joint type "{shown(kind)}".' if kind else "its type is missing."
            self.found.fault(of, element.line, what, suggest(kind, list(TYPES)))
        for child in element.children:
            if child.tag not in OF_JOINT:
                self.ignored[f"<{child.tag}> of joints"] += 1
        self.once(element, *OF_JOINT)
        ends = [self.end(of, element, tag) for tag in ("parent", "child")]
        dynamics = element.first("dynamics")
        for key in () if dynamics is None else sorted(dynamics.attributes.keys() - OF_DYNAMICS):
            self.ignored[f'"{key}" of <dynamics>'] += 1
        damping, friction = (
            0.0 if dynamics is None else self.number(of, dynamics, key, 0.0) for key in ("damping", "friction")
        )
        if damping < 0:
            self.found.fault(of, element.line, f"the damping is negative ({damping:g}).", "Check its sign.")
        return Joint(
            name, element.line, kind, ends[0], ends[1], self.pose(of, element), self.axis(of, element, kind),
            damping, friction, self.limit(of, element), self.mimic(of, element),
        )  # fmt: skip

    def end(self, of: str, element: Element, tag: str) -> str:
        end = element.first(tag)
        link = "" if end is None else end.attributes.get("link", "")
        if not link:
            self.found.fault(of, element.line, f"its {tag} is missing.", f'Write <{tag} link="...">.')
        return link

    def axis(self, of: str, element: Element, kind: str) -> np.ndarray:
        axis = element.first("axis")
        if axis is None or kind in ("fixed", "floating"):
            return np.array([1.0, 0.0, 0.0])
        xyz = self.numbers(of, axis, "xyz", 3, [1.0, 0.0, 0.0])
        if not xyz.any():
            self.found.fault(of, axis.line, "the axis is zero: it has no direction.", 'Write <axis xyz="0 0 1">.')
        return xyz

    def limit(self, of: str, element: Element) -> dict[str, float]:
        limit = element.first("limit")
        keys = ("lower", "upper", "effort", "velocity")
        given = {} if limit is None else {k: limit.attributes[k] for k in keys if k in limit.attributes}
        return {k: self.number(of, limit, k) for k, text in given.items() if limit and not is_endless(text)}

    def mimic(self, of: str, element: Element) -> Mimic | None:
        mimic = element.first("mimic")
        if mimic is None:
            return None
        joint = mimic.attributes.get("joint", "")
        return Mimic(joint, self.number(of, mimic, "multiplier", 1.0), self.number(of, mimic, "offset", 0.0))


def _color(material: Element) -> str:
    color = material.first("color")
    return "" if color is None else hex_color(color.attributes.get("rgba", ""))


def robot_of(root: Element, found: Findings, meshes: Meshes) -> Robot:
    """All links and joints of `<robot>`; what else it holds is noted."""
    known = [element for element in root.walk() if element.tag == "material"]
    colors = {element.attributes.get("name", ""): color for element in reversed(known) if (color := _color(element))}
    reader = _Reader(found, meshes, colors)
    links: dict[str, Link] = {}
    joints: dict[str, Joint] = {}
    for element in root.children:
        if element.tag == "link":
            link = reader.link(element)
            _refuse_second("link", link.name, element, links, found)
            links[link.name] = link
        elif element.tag == "joint":
            joint = reader.joint(element)
            _refuse_second("joint", joint.name, element, joints, found)
            joints[joint.name] = joint
        elif element.tag != "material":
            reader.ignored[f"<{element.tag}>"] += 1
    if not links:
        found.fault("<robot>", root.line, "it has no links.", "A robot has at least one link.")
    meshes.note(found)
    if reader.ignored:
        found.note(f"Not read: {', '.join(f'{tag} ({n})' if n > 1 else tag for tag, n in reader.ignored.items())}.")
    return Robot(root.attributes.get("name", ""), links, joints)


def _refuse_second(
    kind: str, name: str, element: Element, known: dict[str, Link] | dict[str, Joint], found: Findings
) -> None:
    if name in known:
        what = f"there is a {kind} of this name in line {known[name].line} already."
        found.fault(f'{kind} "{name}"', element.line, what, "Choose another name.")
