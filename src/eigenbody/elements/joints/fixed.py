"""No relative motion."""

from eigenbody.elements.joints.base import ALIGNED, POINT, JointType

FIXED = JointType(
    "fixed",
    held=(*POINT, *ALIGNED),
    doc=__doc__ or "",
)
