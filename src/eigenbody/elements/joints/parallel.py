"""The two axes stay parallel."""

from eigenbody.elements.joints.base import PARALLEL, JointType

PARALLEL_JOINT = JointType(
    "parallel",
    held=PARALLEL,
    branch=False,
    needs_point=False,
    doc=__doc__ or "",
)
