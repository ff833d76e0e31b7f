"""What a joint type is: which measures it holds, which it leaves free."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from eigenbody.elements.checks import POINT_MISSING, Wrong, any_marker, at_most, axes_fit, real
from eigenbody.elements.measures.templates import Cosine, Displacement, SlipTemplate, Template
from eigenbody.model.description import Entry
from eigenbody.model.vocabulary import Check, Coordinate, Field, Kind, TypeSpec

POINT = (Displacement("x", "point x"), Displacement("y", "point y"), Displacement("z", "point z"))
PARALLEL = (Cosine("x1", "z2", "parallel x"), Cosine("y1", "z2", "parallel y"))
ARMATURE = {"m": "kg", "rad": "kg*m^2", "1": "J*s^2"}
ALIGNED = (*PARALLEL, Cosine("x1", "y2", "no rotation about z"))


@dataclass(frozen=True, slots=True)
class Tie:
    """A linear combination of measures held at zero; a coefficient may be a key of the joint, with a sign."""

    label: str
    terms: tuple[tuple[Template, float, str | None], ...]  # (measure, factor, key whose value multiplies the factor)


@dataclass(frozen=True, slots=True)
class JointType:
    """A row of the joint table (docs/conventions.md).

    held      measures or ties held at zero, one row each; the measure keeps its drawn value if `keeps_drawn`
    free      measures that remain, in the order of `position` and `velocity`
    slips     speeds held at zero: non-holonomic rows
    branch    whether the joint can be a branch of the spanning tree
    """

    name: str
    held: tuple[Template | Tie, ...] = ()
    free: tuple[Template, ...] = ()
    slips: tuple[SlipTemplate, ...] = ()
    branch: bool = True
    keeps_drawn: bool = False
    right_angle: bool = False  # axis2 must be given perpendicular to axis
    needs_point: bool = True
    keys: tuple[Field, ...] = ()  # further numbers and directions; measures find them in `Pairs.keys`
    one_of: tuple[tuple[str, ...], ...] = ()  # groups of its keys of which exactly one must be given
    form: Callable[[Entry], str] | None = None  # entries of different form have measures of different kinds
    check: Check | None = None  # what its own keys must fulfil
    doc: str = ""

    def spec(self) -> TypeSpec:
        keys = (
            Field("between", Kind.BETWEEN, required=True, doc="first and second: bodies, markers, frames or ground"),
            Field("at", Kind.POINTS, "m", doc="point of the joint (two points: one on each side)"),
            Field("axis", Kind.DIRECTION, doc="axis of the joint, default global z"),
            Field("axis2", Kind.DIRECTION, doc="second axis"),
            Field("position", Kind.COORDINATES, "coordinate", doc="initial value of the coordinates"),
            Field("velocity", Kind.COORDINATES, "coordinate/s", doc="initial rate of the coordinates"),
            Field("lower", Kind.COORDINATES, "coordinate", doc="lower limit of the coordinates: noted, not enforced"),
            Field("upper", Kind.COORDINATES, "coordinate", doc="upper limit of the coordinates: noted, not enforced"),
            Field("armature", Kind.COORDINATES, ARMATURE, doc="inertia on the rate of the coordinates: kg or kg*m^2"),
            Field("motion", Kind.MOTION, "coordinate", doc="prescribed motion as an expression of t"),
        )
        coordinates = tuple(Coordinate(m.label, m.dimension) for m in self.free)
        return TypeSpec(
            self.name, (*keys, *self.keys), coordinates, one_of=self.one_of, check=self._check, doc=self.doc
        )

    def _check(self, values: Mapping[str, Any], is_marker: Callable[[str], bool]) -> Iterator[Wrong]:
        """A point where one is needed, axes that fit each other."""
        without_point = self.needs_point and values["at"] is None
        without_second = self.right_angle and values["axis2"] is None
        if (without_point or without_second) and not any_marker(values, is_marker):
            if without_point:
                yield POINT_MISSING
            if without_second:
                yield "", 'the required key "axis2" is missing.', "Give it as a direction perpendicular to axis."
        yield from axes_fit(values, self.right_angle)
        given = values.get("armature")
        for value in given if isinstance(given, tuple) else ():
            if at_most(value, 0) and real(value) != 0:
                yield "armature", "an armature must not be negative.", "Check its sign."
        lower, upper = (values.get(key) if isinstance(values.get(key), tuple) else () for key in ("lower", "upper"))
        for low, high in zip(lower or (), upper or (), strict=False):
            if low is not None and high is not None and real(low) is not None and at_most(high, low) and low != high:
                what = f"the upper limit {real(high):g} is below the lower one, {real(low):g}."
                yield "upper", what, "Exchange them."
        if self.check is not None:
            yield from self.check(values, is_marker)
