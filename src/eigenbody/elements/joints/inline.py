"""The second body's point stays on the axis of the first."""

from eigenbody.elements.joints.base import POINT, JointType
from eigenbody.elements.measures.templates import Displacement, Rotation

INLINE = JointType(
    "inline",
    held=POINT[:2],
    free=(Displacement("z", "displacement"), *(Rotation(axis, "r" + axis) for axis in "xyz")),
    doc=__doc__ or "",
)
