"""Joint types: one small file each, one line here."""

from collections import ChainMap

from eigenbody.elements.joints.base import JointType, Tie
from eigenbody.elements.registry import Registry, types_in

__all__ = ["ALL_JOINTS", "JOINTS", "JointType", "Tie"]

JOINTS: Registry[JointType] = types_in(
    __name__,
    fixed="fixed.FIXED",
    revolute="revolute.REVOLUTE",
    prismatic="prismatic.PRISMATIC",
    cylindrical="cylindrical.CYLINDRICAL",
    screw="screw.SCREW",
    universal="universal.UNIVERSAL",
    spherical="spherical.SPHERICAL",
    point="point.POINT_JOINT",
    planar="planar.PLANAR",
    free="free.FREE",
    inline="inline.INLINE",
    inplane="inplane.INPLANE",
    parallel="parallel.PARALLEL_JOINT",
    perpendicular="perpendicular.PERPENDICULAR",
    orientation="orientation.ORIENTATION",
    distance="distance.DISTANCE",
    rolling="rolling.ROLLING",
    knife_edge="knife_edge.KNIFE_EDGE",
)
ALL_JOINTS: ChainMap[str, JointType] = ChainMap(JOINTS, types_in(__name__, node="node.NODE"))  # none writes a node
