"""Ball joint."""

from eigenbody.elements.joints.base import POINT, JointType
from eigenbody.elements.measures.templates import Rotation

SPHERICAL = JointType(
    "spherical",
    held=POINT,
    free=(Rotation("x", "rx"), Rotation("y", "ry"), Rotation("z", "rz")),
    doc=__doc__ or "",
)
