"""Joint types: one small file each, one line here."""

from collections import ChainMap

from eigenbody.elements.joints.base import JointType, Tie
from eigenbody.elements.joints.cylindrical import CYLINDRICAL
from eigenbody.elements.joints.distance import DISTANCE
from eigenbody.elements.joints.fixed import FIXED
from eigenbody.elements.joints.free import FREE
from eigenbody.elements.joints.inline import INLINE
from eigenbody.elements.joints.inplane import INPLANE
from eigenbody.elements.joints.knife_edge import KNIFE_EDGE
from eigenbody.elements.joints.node import NODE
from eigenbody.elements.joints.orientation import ORIENTATION
from eigenbody.elements.joints.parallel import PARALLEL_JOINT
from eigenbody.elements.joints.perpendicular import PERPENDICULAR
from eigenbody.elements.joints.planar import PLANAR
from eigenbody.elements.joints.point import POINT_JOINT
from eigenbody.elements.joints.prismatic import PRISMATIC
from eigenbody.elements.joints.revolute import REVOLUTE
from eigenbody.elements.joints.rolling import ROLLING
from eigenbody.elements.joints.screw import SCREW
from eigenbody.elements.joints.spherical import SPHERICAL
from eigenbody.elements.joints.universal import UNIVERSAL

__all__ = ["ALL_JOINTS", "JOINTS", "JointType", "Tie"]

JOINTS: dict[str, JointType] = {
    joint.name: joint
    for joint in (
        FIXED,
        REVOLUTE,
        PRISMATIC,
        CYLINDRICAL,
        SCREW,
        UNIVERSAL,
        SPHERICAL,
        POINT_JOINT,
        PLANAR,
        FREE,
        INLINE,
        INPLANE,
        PARALLEL_JOINT,
        PERPENDICULAR,
        ORIENTATION,
        DISTANCE,
        ROLLING,
        KNIFE_EDGE,
    )
}
ALL_JOINTS = ChainMap(JOINTS, {NODE.name: NODE})  # those too that no user writes
