"""Displacement proportional to rotation: displacement = pitch * angle."""

from eigenbody.elements.joints.base import PARALLEL, POINT, JointType, Tie
from eigenbody.elements.measures.templates import Angle, Displacement
from eigenbody.model.vocabulary import Field, Kind

ANGLE = Angle("z1", "angle")

SCREW = JointType(
    "screw",
    held=(
        *POINT[:2],
        *PARALLEL,
        Tie("thread", ((Displacement("z"), 1.0, None), (ANGLE, -1.0, "pitch"))),
    ),
    free=(ANGLE,),
    keys=(Field("pitch", Kind.NUMBER, "m/rad", required=True, doc="advance per radian"),),
    doc=__doc__ or "",
)
