"""The elements of an SDF file: models with links, joints and frames, each with its line; faults are collected."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Container, Iterator
from dataclasses import dataclass, field, replace

import numpy as np

from eigenbody.base.errors import suggest
from eigenbody.exchange.base import Findings
from eigenbody.exchange.meshes import Meshes, hex_color
from eigenbody.exchange.numbers import is_endless, read_numbers
from eigenbody.exchange.parts import IDENTITY, ORIGIN, Inertial, Pose, Solid
from eigenbody.exchange.xml import Element
from eigenbody.model.source import shown
from eigenbody.spatial.rotations import from_quaternion, from_sequence

TYPES = ("revolute", "continuous", "prismatic", "fixed", "ball", "universal", "screw")
WORLD, MODEL = "world", "__model__"
UNIT = Inertial(1.0, ORIGIN, IDENTITY, 0)  # what a link has that says nothing
TRUE, FALSE = ("true", "1"), ("false", "0")
OF_LINK = {
    "pose", "inertial", "visual", "collision", "gravity", "self_collide", "enable_wind", "must_be_base_link",
}  # fmt: skip
OF_JOINT = ("pose", "parent", "child", "screw_thread_pitch", "thread_pitch")
OF_AXIS = ("xyz", "dynamics", "limit", "mimic", "use_parent_model_frame")
QUIET = {"pose", "static", "link", "joint", "frame", "model", "self_collide", "allow_auto_disable", "enable_wind"}


@dataclass(frozen=True, slots=True, eq=False)
class Placed:
    """A pose in the frame of that name; "" stands for what the element is placed in by default. Of a model it is that
    of its frame `through`, where it has one."""

    pose: Pose
    relative_to: str
    line: int = 1
    through: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Link:
    """A link of a model; its name has the names of the models around it before it."""

    name: str
    line: int
    inertial: Inertial
    solids: tuple[Solid, ...]
    is_static: bool
    has_gravity: bool = True


@dataclass(frozen=True, slots=True, eq=False)
class Axis:
    """An axis of a joint: its direction in the frame of that name ("": of the joint), and what acts along it."""

    xyz: np.ndarray
    expressed_in: str
    damping: float
    friction: float
    stiffness: float
    reference: float
    limits: tuple[float, float]
    mimic: tuple[str, str, float, float] | None  # leader, its axis, multiplier, constant


@dataclass(frozen=True, slots=True, eq=False)
class Joint:
    """A joint between two links, or a link and the world."""

    name: str
    line: int
    type: str
    parent: str
    child: str
    axes: tuple[Axis, ...]
    pitch: float  # m/rad, of a screw


@dataclass(slots=True, eq=False)
class Scene:
    """Everything in the file, by its full name; `places` are where links, joints, frames and models are."""

    links: dict[str, Link] = field(default_factory=dict)
    joints: dict[str, Joint] = field(default_factory=dict)
    places: dict[str, Placed] = field(default_factory=dict)
    attached: dict[str, str] = field(default_factory=dict)  # what frames are fixed on
    models: list[str] = field(default_factory=list)
    gravity: tuple[float, float, float] | None = None


def _color(visual: Element) -> str:
    material = visual.first("material")
    diffuse = None if material is None else material.first("diffuse")
    return "" if diffuse is None else hex_color(diffuse.text)


class Reader:
    """Reads models into a scene."""

    def __init__(self, found: Findings, version: str, meshes: Meshes) -> None:
        self.found, self.scene, self.meshes = found, Scene(), meshes
        self.old = version in ("1.0", "1.2", "1.3", "1.4")  # axes in the frame of the model
        self.left: Counter[str] = Counter()
        self.unsaid: list[str] = []  # links without mass of their own

    # ---- values
    def numbers(self, of: str, element: Element | None, count: int, default: tuple[float, ...]) -> np.ndarray:
        """The text of an element as so many numbers; where it cannot be read that is a fault."""
        if element is None or not element.text.strip():
            return np.array(default)
        values = read_numbers(element.text)
        if values is not None and len(values) == count:
            return np.array(values)
        expected = "a finite number" if count == 1 else f"{count} finite numbers"
        self.found.fault(of, element.line, f"<{element.tag}>{shown(element.text, 30)}: {expected} expected.")
        return np.array(default)

    def number(self, of: str, element: Element | None, name: str, default: float) -> float:
        return float(self.numbers(of, None if element is None else element.first(name), 1, (default,))[0])

    def pose(self, of: str, element: Element) -> Placed:
        """`<pose relative_to>x y z roll pitch yaw`, rotations about fixed x, y, z."""
        given = element.first("pose")
        if given is None:
            return Placed(ORIGIN, "", element.line)
        if given.attributes.get("rotation_format") == "quat_xyzw":
            x, y, z, a, b, c, w = self.numbers(of, given, 7, (0, 0, 0, 0, 0, 0, 1))
            R = from_quaternion(np.array([w, a, b, c]))
        else:
            x, y, z, *turn = self.numbers(of, given, 6, (0.0,) * 6)
            angles = np.array(turn) * (math.pi / 180 if given.attributes.get("degrees") in TRUE else 1.0)
            R = from_sequence("XYZ", angles) if angles.any() else IDENTITY
        relative = given.attributes.get("relative_to", given.attributes.get("frame", ""))
        return Placed(Pose(np.array([x, y, z]), R), relative, element.line)

    def named(self, element: Element, prefix: str, known: dict[str, Placed]) -> str:
        """The full name of an element; a fault where it has none, or one that is taken."""
        name = element.attributes.get("name", "")
        if not name:
            self.found.fault(f"<{element.tag}>", element.line, "it has no name.", f'Write <{element.tag} name="...">.')
        full = f"{prefix}{name}"
        if full in known:
            self.found.fault(f'{element.tag} "{full}"', element.line, "there is something of this name already.")
        return full

    def inside(self, prefix: str, name: str) -> str:
        """The full name of what a name means among what has this prefix; "" is the model around it, or the world."""
        if not name:
            return f"{prefix}{MODEL}" if prefix or self.scene.gravity is None else WORLD
        return WORLD if name == WORLD else f"{prefix}{name}"

    def leave(self, element: Element, known: Container[str], kind: str) -> None:
        """Count the children of an element that nothing reads."""
        for child in element.children:
            if child.tag not in known:
                self.left[f"<{child.tag}> of {kind}"] += 1

    # ---- models
    def world(self, element: Element) -> None:
        """Models and joints of a world; its gravity."""
        x, y, z = self.numbers("world", element.first("gravity"), 3, (0.0, 0.0, -9.8))
        self.scene.gravity = (float(x), float(y), float(z))
        for child in element.children:
            if child.tag == "model":
                self.model(child, "")
            elif child.tag == "frame":
                self.frame(child, "")
            elif child.tag == "joint":
                self.joint(child, "")
            elif child.tag == "include":
                self._refuse_include(child)
            elif child.tag not in ("gravity", "physics", "scene", "light", "gui"):
                self.left[f"<{child.tag}>"] += 1

    def model(self, element: Element, prefix: str, static: bool = False, is_root: bool = False) -> None:
        """Everything in a model, and in the models in it; names in the root of a file have nothing before them."""
        name = self.named(element, prefix, self.scene.places)
        inner = "" if is_root else f"{name}::"
        placed = self.pose(f'model "{name}"', element)
        around = WORLD if is_root and not placed.relative_to else self.inside(prefix, placed.relative_to)
        through = element.attributes.get("placement_frame", "")
        frame = f"{inner}{MODEL}"
        self.scene.places[frame] = replace(placed, relative_to=around, through=through and f"{inner}{through}")
        if inner:
            self.scene.places[name] = Placed(ORIGIN, frame, element.line)
            self.scene.attached[name] = frame
        self.scene.models.append(name)
        flag = element.first("static")
        static = static or (flag is not None and flag.text.strip() in TRUE)
        readers = {"link": self.link, "model": self.model}
        before = len(self.scene.links)
        for child in element.children:
            if child.tag in readers:
                readers[child.tag](child, inner, static)
            elif child.tag == "joint":
                self.joint(child, inner)
            elif child.tag == "frame":
                self.frame(child, inner)
            elif child.tag == "include":
                self._refuse_include(child)
            elif child.tag not in QUIET:
                self.left[f"<{child.tag}>"] += 1
        first = next(iter(list(self.scene.links)[before:]), "")
        canonical = element.attributes.get("canonical_link", "")
        self.scene.attached[frame] = f"{inner}{canonical}" if canonical else first

    def frame(self, element: Element, prefix: str) -> None:
        name = self.named(element, prefix, self.scene.places)
        placed = self.pose(f'frame "{name}"', element)
        attached = element.attributes.get("attached_to", "")
        self.scene.attached[name] = self.inside(prefix, attached)
        self.scene.places[name] = replace(placed, relative_to=self.inside(prefix, placed.relative_to or attached))

    def _refuse_include(self, element: Element) -> None:
        what = "other files are not included."
        self.found.fault(
            "<include>", element.line, what, "Merge them first: gz sdf -p FILE (it prints the whole model)."
        )

    # ---- links
    def link(self, element: Element, prefix: str, static: bool) -> None:
        name = self.named(element, prefix, self.scene.places)
        of = f'link "{name}"'
        placed = self.pose(of, element)
        self.scene.places[name] = replace(placed, relative_to=self.inside(prefix, placed.relative_to))
        self.leave(element, OF_LINK, "links")
        inertial, gravity = element.first("inertial"), element.first("gravity")
        if inertial is None and not static:
            self.unsaid.append(name)
        read = UNIT if inertial is None else self.inertial(of, inertial)
        solids = tuple(self.solids(of, element))
        falls = gravity is None or gravity.text.strip() not in FALSE
        self.scene.links[name] = Link(name, element.line, read, solids, static, falls)

    def inertial(self, of: str, element: Element) -> Inertial:
        self.leave(element, ("pose", "mass", "inertia"), "inertials")
        if element.attributes.get("auto", "") in TRUE:
            what = "its inertia is to be computed from its collisions (auto), which are not read."
            self.found.fault(of, element.line, what, "Write <mass> and <inertia>.")
        mass = self.number(of, element, "mass", 1.0)
        if mass < 0:
            self.found.fault(of, element.line, f"the mass is negative ({mass:g} kg).", "A mass is zero or positive.")
        tensor = element.first("inertia")
        keys = (("ixx", 1.0), ("iyy", 1.0), ("izz", 1.0), ("ixy", 0.0), ("ixz", 0.0), ("iyz", 0.0))
        xx, yy, zz, xy, xz, yz = (self.number(of, tensor, key, default) for key, default in keys)
        placed = self.pose(of, element)
        if placed.relative_to:
            self.found.fault(of, element.line, "the pose of an inertia is in the axes of its link.")
        return Inertial(mass, placed.pose, np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]), element.line)

    def solids(self, of: str, link: Element) -> Iterator[Solid]:
        for visual in link.all("visual"):
            geometry = visual.first("geometry")
            kind = geometry.children[0] if geometry is not None and geometry.children else None
            if kind is None or kind.tag in ("empty", "plane"):
                continue
            shape, placed = self.shape(of, kind, _color(visual)), self.pose(of, visual)
            if placed.relative_to:
                self.left["visuals that are not placed in their link"] += 1
            elif shape is not None:
                yield Solid(placed.pose, shape)

    def shape(self, of: str, kind: Element, color: str) -> dict[str, object] | None:
        """What a `shape` of a model says of a geometry; None where nothing can be drawn."""
        if kind.tag == "mesh":
            uri = kind.first("uri")
            scale = self.numbers(of, kind.first("scale"), 3, (1.0, 1.0, 1.0))
            if kind.first("submesh") is not None:
                self.left["<submesh>"] += 1
                return None
            return self.meshes.shape("" if uri is None else uri.text, scale, color)
        shape: dict[str, object] = {"type": kind.tag}
        if kind.tag == "box":
            shape["size"] = self.numbers(of, kind.first("size"), 3, (1.0, 1.0, 1.0)).tolist()
        elif kind.tag == "cylinder":
            shape |= {key: self.number(of, kind, key, 1.0) for key in ("radius", "length")}
        elif kind.tag == "sphere":
            shape["radius"] = self.number(of, kind, "radius", 1.0)
        else:
            self.left[f"<{kind.tag}> of visuals"] += 1
            return None
        return shape | ({"color": color} if color else {})

    # ---- joints
    def joint(self, element: Element, prefix: str) -> None:
        name = self.named(element, prefix, self.scene.places)
        of, kind = f'joint "{name}"', element.attributes.get("type", "")
        if kind not in TYPES:
            what = f'joints of type "{shown(kind)}" are not read.' if kind else "its type is missing."
            self.found.fault(of, element.line, what, suggest(kind, list(TYPES)))
        ends = []
        for tag in ("parent", "child"):
            end = element.first(tag)
            if end is None or not end.text.strip():
                self.found.fault(of, element.line, f"its {tag} is missing.", f"Write <{tag}>link</{tag}>.")
            ends.append("" if end is None else self.inside(prefix, end.text.strip()))
        placed = self.pose(of, element)
        around = self.inside(prefix, placed.relative_to) if placed.relative_to else ends[1]
        self.scene.places[name] = replace(placed, relative_to=around)
        wanted = {"fixed": 0, "ball": 0, "universal": 2}.get(kind, 1)
        self.leave(element, (*OF_JOINT, *("axis", "axis2")[:wanted]), f"{kind or 'other'} joints")
        axes = [self.axis(of, element, tag, prefix) for tag in ("axis", "axis2")[:wanted]]
        self.scene.joints[name] = Joint(
            name, element.line, kind, ends[0], ends[1], tuple(axes), self.pitch(of, element) if kind == "screw" else 0.0
        )

    def axis(self, of: str, joint: Element, tag: str, prefix: str) -> Axis:
        element = joint.first(tag)
        xyz = np.array([0.0, 0.0, 1.0])
        inside = ""
        if element is not None:
            self.leave(element, OF_AXIS, "axes")
            given = element.first("xyz")
            xyz = self.numbers(of, given, 3, (0.0, 0.0, 1.0))
            inside = "" if given is None else given.attributes.get("expressed_in", "")
            parent = element.first("use_parent_model_frame")
            if (parent is not None and parent.text.strip() in TRUE) or (self.old and parent is None):
                inside = MODEL
        if not xyz.any():
            self.found.fault(of, joint.line, "the axis is zero: it has no direction.", "Write <xyz>0 0 1</xyz>.")
            xyz = np.array([0.0, 0.0, 1.0])
        dynamics, limit = (None if element is None else element.first(key) for key in ("dynamics", "limit"))
        damping, friction, stiffness, reference = (
            self.number(of, dynamics, key, 0.0)
            for key in ("damping", "friction", "spring_stiffness", "spring_reference")
        )
        limits = tuple(self.limit(of, limit, key, sign * 1e16) for key, sign in (("lower", -1), ("upper", 1)))
        return Axis(xyz, self.inside(prefix, inside) if inside else "", damping, friction, stiffness, reference,
                    limits, self.mimic(of, element, prefix))  # type: ignore[arg-type]  # fmt: skip

    def limit(self, of: str, limits: Element | None, name: str, endless: float) -> float:
        given = None if limits is None else limits.first(name)
        return endless if given is None or is_endless(given.text) else self.number(of, limits, name, endless)

    def mimic(self, of: str, axis: Element | None, prefix: str) -> tuple[str, str, float, float] | None:
        """follower = multiplier (leader - reference) + offset."""
        mimic = None if axis is None else axis.first("mimic")
        if mimic is None:
            return None
        multiplier = self.number(of, mimic, "multiplier", 1.0)
        offset, reference = (self.number(of, mimic, key, 0.0) for key in ("offset", "reference"))
        leader = self.inside(prefix, mimic.attributes.get("joint", ""))
        return leader, mimic.attributes.get("axis", "axis"), multiplier, offset - multiplier * reference

    def pitch(self, of: str, element: Element) -> float:
        """Advance in m/rad: metres per turn, or in old files -2 pi over it."""
        given = self.number(of, element, "screw_thread_pitch", math.nan)
        if math.isnan(given):
            old = self.number(of, element, "thread_pitch", math.nan)
            given = -2 * math.pi / old if old and not math.isnan(old) else math.nan
        if math.isnan(given) or not given:
            what = "the pitch of the screw is missing."
            self.found.fault(of, element.line, what, "Write <screw_thread_pitch> in metres per turn.")
            return 1.0
        return given / (2 * math.pi)
