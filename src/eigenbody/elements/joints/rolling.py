"""A wheel (thin disc, or torus with `tube`), a ball, an ellipsoid or any other convex body rolls on a plane of the
first body without slipping.

The plane has the direction `normal` and touches the body as drawn; the contact is the lowest point, exact in any
attitude. One holonomic row (contact) and two non-holonomic ones (no slip).
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from eigenbody.base.batched import agreed, verdict
from eigenbody.elements.checks import Wrong, any_marker, real
from eigenbody.elements.joints.base import JointType
from eigenbody.elements.measures.rolling import Height, NoSlip
from eigenbody.model.description import Entry
from eigenbody.model.vocabulary import Field, Kind

FLAT = 1e-6  # rad: an axis this close to the normal is that of a wheel lying flat


def fits(values: Mapping[str, Any], is_marker: Callable[[str], bool]) -> Iterator[Wrong]:
    """A wheel that stands, or a surface that has no wheel's keys."""
    if values.get("surface") is None:
        yield from wheel_stands(values, is_marker)
    elif real(values.get("tube")):
        yield "tube", "only a wheel has a tube.", "Leave it out, or give the radius of a wheel in place of the surface."


def wheel_stands(values: Mapping[str, Any], is_marker: Callable[[str], bool]) -> Iterator[Wrong]:
    """A wheel with a radius, which does not lie flat as drawn."""
    radius, tube = (real(values.get(key)) for key in ("radius", "tube"))
    if radius is not None and not radius > 0:
        yield "radius", f"a radius above zero is expected, but this is {radius:.6g} m.", "Give the radius of the wheel."
    if tube is not None and not tube >= 0:
        yield "tube", f"a radius of at least zero is expected, but this is {tube:.6g} m.", "Leave it out for a disc."
    axis, normal = values.get("axis"), values.get("normal")
    if axis is None and not any_marker(values, is_marker):
        axis = np.array([0.0, 0.0, 1.0])
    if not (isinstance(axis, np.ndarray) and isinstance(normal, np.ndarray | tuple)):
        return
    if verdict(_lies_flat, axis, np.asarray(normal)):
        what = "the wheel lies flat: its axis is parallel to the normal of the plane, so it has no lowest point."
        yield "axis", what, "Give axis as the direction of the axle, or normal as the direction away from the plane."


def _lies_flat(axis: np.ndarray, normal: np.ndarray) -> bool:
    axis, normal = np.real(axis), np.real(normal)
    size = np.linalg.norm(axis, axis=-1) * np.linalg.norm(normal, axis=-1)
    return agreed(np.linalg.norm(np.cross(axis, normal), axis=-1) <= FLAT * size)


def _form(entry: Entry) -> str:
    """Wheels, balls and ellipsoids are alike among themselves; every implicit surface is of its own kind."""
    surface = entry["surface"]
    if surface is None:
        return "wheel"
    return f"implicit {entry.name}" if surface.form == "implicit" else str(surface.form)


ROLLING = JointType(
    "rolling",
    held=(Height("contact"),),
    slips=(NoSlip("x", "no slip x"), NoSlip("y", "no slip y")),
    branch=False,
    keeps_drawn=True,
    keys=(
        Field("radius", Kind.NUMBER, "m", doc="radius of the wheel (of the tube's centre line)"),
        Field("tube", Kind.NUMBER, "m", default=0.0, doc="radius of the tube of a torus wheel, default a thin disc"),
        Field("surface", Kind.SURFACE, doc="in place of a wheel: {sphere}, {ellipsoid} or {implicit}, in the joint's"
              " axes at its point"),
        Field("normal", Kind.DIRECTION, default=(0.0, 0.0, 1.0), doc="normal of the plane, default global z"),
    ),
    one_of=(("radius", "surface"),),
    form=_form,
    check=fits,
    doc=__doc__ or "",
)  # fmt: skip
