"""Slider: displacement along the axis."""

from eigenbody.elements.joints.base import ALIGNED, POINT, JointType
from eigenbody.elements.measures.templates import Displacement

PRISMATIC = JointType(
    "prismatic",
    held=(*POINT[:2], *ALIGNED),
    free=(Displacement("z", "displacement"),),
    doc=__doc__ or "",
)
