"""The point of the second body does not move along the axis fixed in it (skate, thin wheel seen from above)."""

from eigenbody.elements.joints.base import JointType

KNIFE_EDGE = JointType(
    "knife_edge",
    slips=("z",),
    branch=False,
    doc=__doc__ or "",
)
