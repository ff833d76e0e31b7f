"""No constraint: six coordinates of the second body relative to the first."""

from eigenbody.elements.joints.base import JointType
from eigenbody.elements.measures.templates import Displacement, Rotation

FREE = JointType(
    "free",
    free=(
        *(Displacement(axis, axis) for axis in "xyz"),
        *(Rotation(axis, "r" + axis) for axis in "xyz"),
    ),
    needs_point=False,
    doc=__doc__ or "",
)
