"""The second body's point stays in the plane normal to the axis of the first."""

from eigenbody.elements.joints.base import POINT, JointType

INPLANE = JointType(
    "inplane",
    held=POINT[2:],
    branch=False,
    doc=__doc__ or "",
)
