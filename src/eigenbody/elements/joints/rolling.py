"""A wheel (thin disc, or torus with `tube`) rolls on a plane of the first body without slipping.

The plane has the direction `normal` and touches the wheel as drawn; the contact is the lowest point of the wheel, exact at
any lean. One holonomic row (contact) and two non-holonomic ones (no slip).
"""

from eigenbody.elements.joints.base import JointType
from eigenbody.elements.measures.rolling import Height, NoSlip
from eigenbody.model.vocabulary import Field, Kind

ROLLING = JointType(
    "rolling",
    held=(Height("contact"),),
    slips=(NoSlip("x", "no slip x"), NoSlip("y", "no slip y")),
    branch=False,
    keeps_drawn=True,
    keys=(
        Field("radius", Kind.NUMBER, "m", required=True, doc="radius of the wheel (of the tube's centre line)"),
        Field("tube", Kind.NUMBER, "m", default=0.0, doc="radius of the tube of a torus wheel, default a thin disc"),
        Field("normal", Kind.DIRECTION, default=(0.0, 0.0, 1.0), doc="normal of the plane, default global z"),
    ),
    doc=__doc__ or "",
)
