"""What every name in a model stands for: carriers (bodies, markers, frames, ground), measures, and other symbols."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Mapping
from itertools import chain

from eigenbody.base.errors import suggest
from eigenbody.model.description import Description
from eigenbody.model.sums import Sum, in_order, sums_in, sums_of
from eigenbody.model.vocabulary import TypeSpec, Vocabulary

GROUND = "ground"
TIME = "t"
RESERVED = ("t", "pi")  # names with a meaning of their own in every expression
BODY_COORDINATES = {"x": "m", "y": "m", "z": "m", "rx": "rad", "ry": "rad", "rz": "rad"}
WRENCH = ("fx", "fy", "fz", "mx", "my", "mz")  # components of a force and moment
MODAL = re.compile("q[1-9][0-9]*")  # modal coordinates of a flexible body
NO_NODE = re.compile("[xyz]|r[xyz]|q[0-9]+|modes[0-9]+")  # its coordinates, and what carries the modal ones
ANY_DIMENSION = ""  # of a measure whose own entry is faulty: nothing is checked against it

Specs = Mapping[str, TypeSpec | None]


class MeasureDimensions:
    """Dimension ("m", "rad" or "1") of every measure by name, looked up without listing them all.

    Measures are the joint coordinates (`slide.z`, or plain `spin` when the joint has one), the entries of `measures`,
    `x y z rx ry rz` of every body relative to ground unless a joint of that name has such a coordinate, and the modal
    coordinates `q1 q2 ...` of flexible bodies.
    """

    def __init__(
        self,
        joints: Specs,
        measures: Specs,
        bodies: Container[str],
        flexible: Container[str] = frozenset(),
        sums: Mapping[str, Sum] | None = None,
    ) -> None:
        self._joints, self._measures, self._bodies, self._flexible = joints, measures, bodies, flexible
        self._of_sums: dict[str, str] = {}
        for name in in_order(sums or {})[0]:
            item = (sums or {})[name]
            found = {self.get(term) or ANY_DIMENSION for term in item.terms}
            self._of_sums[name] = item.unit or (found.pop() if len(found) == 1 else ANY_DIMENSION)

    def get(self, name: str, default: str | None = None) -> str | None:
        """Dimension of the measure, or `default` when there is none of that name."""
        if name in self._measures:
            spec = self._measures[name]
            if spec and spec.coordinates:
                return default
            if name in self._of_sums:
                return self._of_sums[name]
            return (spec.dimension or ANY_DIMENSION) if spec else ANY_DIMENSION
        if name in self._joints:
            spec = self._joints[name]
            if spec is None:
                return ANY_DIMENSION
            return spec.coordinates[0].dimension if len(spec.coordinates) == 1 else default
        base, dot, label = name.rpartition(".")
        return self._coordinate(base, label, default) if dot else default

    def _coordinate(self, base: str, label: str, default: str | None) -> str | None:
        for owners in (self._joints, self._measures):
            if base in owners:
                spec = owners[base]
                if spec is None:
                    return ANY_DIMENSION
                for coordinate in spec.coordinates:
                    if coordinate.label == label:
                        return coordinate.dimension
        if base.partition(".")[0] in self._flexible:
            return "m" if MODAL.fullmatch(label) else BODY_COORDINATES.get(label, default)
        return BODY_COORDINATES.get(label, default) if base in self._bodies else default

    def is_speed(self, name: str) -> bool:
        """Whether the measure is a velocity that is the rate of nothing."""
        spec = self._measures.get(name)
        return spec is not None and spec.is_speed

    def __getitem__(self, name: str) -> str:
        dimension = self.get(name)
        if dimension is None:
            raise KeyError(name)
        return dimension

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and self.get(name) is not None

    def coordinates_of(self, owner: str) -> list[str]:
        """Full names of the coordinates of a joint, or of a measure that has several."""
        spec = self._measures.get(owner) if owner in self._measures else self._joints.get(owner)
        return [f"{owner}.{coordinate.label}" for coordinate in spec.coordinates] if spec else []

    def owner(self, name: str) -> str:
        """What has several coordinates, for messages."""
        return f'the {"measure" if name in self._measures else "joint"} "{name}"'

    def names(self) -> Iterator[str]:
        """Names of measures and joint coordinates, the short form where there is one."""
        for measure in self._measures:
            yield from self.coordinates_of(measure) or [measure]
        for joint, spec in self._joints.items():
            if spec and len(spec.coordinates) == 1:
                yield joint
            else:
                yield from self.coordinates_of(joint)


def short_name(name: str, measures: MeasureDimensions) -> str:
    """`elbow` for `elbow.angle` where that is the joint's only coordinate."""
    owner = name.rpartition(".")[0]
    return owner if measures.coordinates_of(owner) == [name] else name


def measure_dimensions(description: Description, vocabulary: Vocabulary) -> MeasureDimensions:
    """Dimensions of all measures of a resolved model."""
    joints, measures = vocabulary.sections.get("joints", {}), vocabulary.sections.get("measures", {})
    return MeasureDimensions(
        {entry.name: joints[entry.type] for entry in description.joints if entry.type in joints},
        {entry.name: measures[entry.type] for entry in description.measures},
        frozenset(description.bodies.names),
        frozenset(body.name.partition(".")[0] for body in description.flexible),
        sums_of(description.measures),
    )


KINDS = (("states", "a state"), ("variables", "a variable"), ("inputs", "an input"), ("blocks", "a block"))


class BodyNames:
    """Names of bodies, and of nodes of flexible bodies, `rod.tip`: which nodes there are is known only later."""

    def __init__(self, rigid: Mapping[str, object], flexible: Mapping[str, object]) -> None:
        self._rigid, self.flexible = rigid, flexible

    def __contains__(self, name: object) -> bool:
        return name in self._rigid or (isinstance(name, str) and self.is_node(name))

    def is_node(self, name: str) -> bool:
        """Whether the name is that of a flexible body followed by that of a node."""
        body, dot, node = name.partition(".")
        return bool(dot and node) and body in self.flexible and not NO_NODE.fullmatch(node.rpartition(".")[2])

    def __iter__(self) -> Iterator[str]:
        return chain(self._rigid, (f"{name}.NODE" for name in self.flexible))


class Names:
    """Every name of one model while it is being read. The sections may still hold faulty entries."""

    def __init__(self, sections: Mapping[str, Mapping[str, object]], joints: Specs, measures: Specs) -> None:
        self.bodies = BodyNames(sections["bodies"], sections["flexible"])
        self.frames = sections["frames"]
        self.markers = sections["markers"]
        self.parameters = sections["parameters"]
        self.states = sections["states"]
        self.variables = sections["variables"]
        self.inputs = sections["inputs"]
        self.blocks = sections["blocks"]
        self.joints, self.forces = sections["joints"], sections["forces"]
        self.sums = sums_in(sections["measures"])
        self.measures = MeasureDimensions(joints, measures, self.bodies, self.bodies.flexible, self.sums)

    def is_carrier(self, name: str) -> bool:
        """Whether the name is a body, marker, frame or ground."""
        return name in self.bodies or name in self.markers or name in self.frames or name == GROUND

    def body_of(self, name: str) -> object:
        """The body (or frame, or ground) that carries the thing of that name."""
        raw = self.markers.get(name)
        return raw.get("body") if isinstance(raw, dict) else name

    def carriers(self) -> Iterator[str]:
        """Names that may stand in `between`."""
        return chain(self.bodies, self.markers, self.frames, (GROUND,))

    def is_dynamic(self, name: str, loads: bool = True) -> bool:
        """Whether the name varies in time: t, a state, variable or input, a measure or its rate; with `loads` also a
        second rate, a joint reaction or the force of an element."""
        if name == TIME or name in self.states or name in self.variables or name in self.inputs:
            return True
        if name in self.blocks or name.rpartition(".")[0] in self.blocks:
            return True
        base = name.rstrip("'")
        order = len(name) - len(base) + self.measures.is_speed(base)
        if order <= (2 if loads else 1) and base in self.measures:
            return True
        return loads and self.is_load(name)

    def is_load(self, name: str) -> bool:
        """Whether the name is `reaction.JOINT.COMPONENT`, `force.ELEMENT` or `force.ELEMENT.COMPONENT`."""
        kind, owner, component = load_parts(name)
        if kind == "reaction":
            return owner in self.joints and component in WRENCH
        return kind == "force" and owner in self.forces

    def wrong_load(self, name: str) -> tuple[str, str]:
        """What is wrong with the name of a load, and what to do; empty where the name is not meant as one."""
        kind, owner, _ = load_parts(name)
        known = {"reaction": self.joints, "force": self.forces}.get(kind, {})
        if not kind or name.endswith("'") or self.is_load(name):
            return "", ""
        joint, _, component = owner.rpartition(".")
        if kind == "reaction" and joint in known:
            return (
                f'"{component}" is no component of a reaction.',
                f"Write reaction.{joint}.fx, or {', '.join(WRENCH[1:])}.",
            )
        if owner not in known:
            thing = "joint" if kind == "reaction" else "force"
            return f'there is no {thing} "{owner}" to read "{name}" of.', suggest(owner, known)
        return f'"{name}" needs a component.', f"Write reaction.{owner}.fx, or {', '.join(WRENCH[1:])}."

    def what_is(self, name: str) -> str:
        """`a measure`, `a state`, ...; empty when the name is unknown."""
        if name == TIME:
            return "the time"
        for section, kind in KINDS:
            if name in getattr(self, section):
                return kind
        base = name.rstrip("'")
        if base in self.measures:
            return ("a measure", "the rate of a measure", "the second rate of a measure")[min(2, len(name) - len(base))]
        if self.is_load(name):
            return "a joint reaction" if name.startswith("reaction.") else "the force of an element"
        return "a body" if name in self.bodies else ""

    def symbols(self) -> Iterator[str]:
        """Names that may stand in an expression."""
        return chain(
            self.parameters, self.states, self.variables, self.inputs, self.blocks, self.measures.names(), RESERVED
        )


def load_parts(name: str) -> tuple[str, str, str]:
    """Kind ("reaction" or "force"; empty where it is neither), owner and component (may be empty) of a load's name."""
    kind, _, rest = name.partition(".")
    if kind not in ("reaction", "force") or not rest:
        return "", "", ""
    owner, _, component = rest.rpartition(".")
    return (kind, owner, component) if owner and component in WRENCH else (kind, rest, "")
