"""The axis of the first body and axis2 of the second stay perpendicular."""

from eigenbody.elements.joints.base import JointType
from eigenbody.elements.measures.templates import Cosine

PERPENDICULAR = JointType(
    "perpendicular",
    held=(Cosine("z1", "x2", "right angle"),),
    branch=False,
    right_angle=True,
    needs_point=False,
    doc=__doc__ or "",
)
