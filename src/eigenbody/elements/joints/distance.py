"""The distance of two points stays as drawn: a massless rod."""

from eigenbody.elements.joints.base import JointType
from eigenbody.elements.measures.templates import Distance

DISTANCE = JointType(
    "distance",
    held=(Distance("distance"),),
    branch=False,
    keeps_drawn=True,
    doc=__doc__ or "",
)
