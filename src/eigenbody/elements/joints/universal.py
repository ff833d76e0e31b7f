"""Hooke joint: angle1 about axis fixed in the first body, angle2 about axis2 fixed in the second."""

from eigenbody.elements.joints.base import POINT, JointType
from eigenbody.elements.measures.templates import Angle, Cosine

UNIVERSAL = JointType(
    "universal",
    held=(*POINT, Cosine("z1", "x2", "right angle")),
    free=(Angle("z1", "angle1"), Angle("x2", "angle2")),
    right_angle=True,
    doc=__doc__ or "",
)
