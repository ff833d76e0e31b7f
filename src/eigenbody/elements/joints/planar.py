"""Motion in the plane normal to the axis."""

from eigenbody.elements.joints.base import PARALLEL, POINT, JointType
from eigenbody.elements.measures.templates import Angle, Displacement

PLANAR = JointType(
    "planar",
    held=(POINT[2], *PARALLEL),
    free=(Displacement("x", "x"), Displacement("y", "y"), Angle("z1", "angle")),
    doc=__doc__ or "",
)
