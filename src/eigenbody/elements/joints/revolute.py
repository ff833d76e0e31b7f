"""Hinge: rotation about the axis."""

from eigenbody.elements.joints.base import PARALLEL, POINT, JointType
from eigenbody.elements.measures.templates import Angle

REVOLUTE = JointType(
    "revolute",
    held=(*POINT, *PARALLEL),
    free=(Angle("z1", "angle"),),
    doc=__doc__ or "",
)
