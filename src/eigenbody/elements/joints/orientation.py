"""No relative rotation."""

from eigenbody.elements.joints.base import ALIGNED, JointType

ORIENTATION = JointType(
    "orientation",
    held=ALIGNED,
    branch=False,
    needs_point=False,
    doc=__doc__ or "",
)
