"""What wheels of all kinds share: where they touch their plane, and the speeds of the contact as channels."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from eigenbody.base.errors import Fault, InputError
from eigenbody.elements.checks import Wrong, any_marker, positive
from eigenbody.elements.forces.base import ForceBuilder, column
from eigenbody.elements.measures.contact import ContactSpeed, Speed, plane_axes
from eigenbody.elements.measures.templates import Pairs
from eigenbody.elements.places import Places
from eigenbody.model.description import Entry
from eigenbody.model.vocabulary import Field, Kind
from eigenbody.spatial.rotations import apply, apply_transposed, cross, dot, unit

STANDS_STILL = "it does not roll: at zero forward speed its slip has no value."

WHEEL = (
    Field("between", Kind.BETWEEN, required=True, doc="body of the plane or rail, and the wheel"),
    Field("at", Kind.POINTS, "m", doc="centre of the wheel; two points: a point of the plane, the centre"),
    Field("axis", Kind.DIRECTION, doc="axis of the wheel, to its left; default global z"),
    Field("radius", Kind.NUMBER, "m", required=True, doc="radius of the wheel"),
    Field("normal", Kind.DIRECTION, default=(0.0, 0.0, 1.0), doc="normal of the plane, default global z"),
    Field("low_speed", Kind.NUMBER, "m/s", doc="slip is relative to sqrt(V^2 + low_speed^2), default 0"),
)


@dataclass(frozen=True, slots=True, eq=False)
class Wheels:
    """n wheels on their planes: frames, axes of the planes on the first carriers, numbers by name."""

    pairs: Pairs
    axes: np.ndarray
    size: dict[str, np.ndarray]
    cosine: np.ndarray  # n.a in the drawing

    @staticmethod
    def of(entries: Sequence[Entry], places: Places, numbers: Sequence[str]) -> Wheels:
        """The axis e1 of each plane is the heading of its wheel in the drawing."""
        pairs = places.pairs(entries)
        axle = apply(places.R[pairs.second], pairs.axis("z2"))
        normal = np.array([entry["normal"] for entry in entries])
        ahead = cross(axle, normal)
        _refuse_flat(entries, ahead, normal)
        R = places.R[pairs.first]
        axes = plane_axes(apply_transposed(R, normal), apply_transposed(R, ahead))
        size = {name: column(entries, name) for name in numbers}
        keys = {"normal": axes[..., :, 2], "radius": size["radius"]}
        cosine = dot(axle, unit(normal))
        return Wheels(replace(pairs, keys=keys), axes, size, cosine)

    def speed(self, speed: Speed) -> ContactSpeed:
        """Kernel of one speed of every wheel."""
        return ContactSpeed.of(speed, self.pairs, self.axes, self.size)


def _refuse_flat(entries: Sequence[Entry], ahead: np.ndarray, normal: np.ndarray) -> None:
    flat = np.real(dot(ahead, ahead)) < 1e-12 * np.real(dot(normal, normal))
    faults = [
        Fault(entry.where, "the wheel lies flat: its axis is normal to the plane.", 'Correct "axis" or "normal".')
        for entry, is_flat in zip(entries, flat, strict=True)
        if is_flat
    ]
    if faults:
        raise InputError(faults)


def speed_text(entry: Entry) -> str:
    """Formula of the forward speed to which slip is relative, `low` being the key low_speed."""
    return "sqrt(own.vx**2 + low**2)" if entry.get("low_speed") else "abs(own.vx)"


def say_still(builder: ForceBuilder, entry: Entry, remedy: str) -> None:
    """What is said of a wheel without forward speed."""
    builder.trouble(entry.name, STANDS_STILL, remedy)


def wheel_complete(values: Mapping[str, Any], is_marker: Callable[[str], bool]) -> Iterator[Wrong]:
    """A place and a positive radius."""
    if values.get("at") is None and not any_marker(values, is_marker):
        yield "", "has no point.", 'Give the centre of the wheel as "at: [x, y, z]", or use markers.'
    yield from positive(values, ("radius",))
