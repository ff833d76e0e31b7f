"""The point of the second body does not move along the axis fixed in it (skate, thin wheel seen from above)."""

from eigenbody.elements.joints.base import JointType
from eigenbody.elements.measures.slip import Edge

KNIFE_EDGE = JointType(
    "knife_edge",
    slips=(Edge(),),
    branch=False,
    doc=__doc__ or "",
)
