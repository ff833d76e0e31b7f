"""Displacement along and rotation about the axis."""

from eigenbody.elements.joints.base import PARALLEL, POINT, JointType
from eigenbody.elements.measures.templates import Angle, Displacement

CYLINDRICAL = JointType(
    "cylindrical",
    held=(*POINT[:2], *PARALLEL),
    free=(Displacement("z", "displacement"), Angle("z1", "angle")),
    doc=__doc__ or "",
)
