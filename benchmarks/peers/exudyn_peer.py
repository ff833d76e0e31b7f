"""Exudyn: minimal coordinates (KinematicTree, loops closed by joints) or redundant coordinates with joints."""

import exudyn as exu
import exudyn.itemInterface as item
import numpy as np
from mechanism import lowest, main, minus

UNIT = np.eye(3)
FREE = {"z": [1, 1, 1, 1, 1, 0], "xyz": [1, 1, 1, 0, 0, 0]}
TYPE = {"x": exu.JointType.RevoluteX, "y": exu.JointType.RevoluteY, "z": exu.JointType.RevoluteZ}


def tree(mechanism):
    """One KinematicTree; a spherical joint is three revolute ones with massless links; springs as P-D control."""
    container = exu.SystemContainer()
    system = container.AddSystem()
    last = {-1: -1}  # number of the link that is the body
    types, parents, offsets, inertias, centres, masses, stiffness, damping = ([] for _ in range(8))
    for body, joint in enumerate(mechanism.tree):
        parent, offset = last[joint.parent], minus(joint.at, mechanism.origin(joint.parent))
        for axis in joint.axes:
            is_body = axis == joint.axes[-1]
            types.append(TYPE[axis])
            parents.append(parent)
            offsets.append(offset)
            masses.append(mechanism.mass[body] if is_body else 0.0)
            inertias.append(np.diag(mechanism.inertia[body]) if is_body else np.zeros((3, 3)))
            centres.append(minus(mechanism.centre[body], joint.at) if is_body else [0, 0, 0])
            stiffness.append(joint.k)
            damping.append(joint.c)
            parent, offset = len(types) - 1, [0, 0, 0]
        last[body] = parent
    n = len(types)
    zeros = [0.0] * n
    node = system.AddNode(
        item.NodeGenericODE2(
            referenceCoordinates=zeros, initialCoordinates=zeros, initialCoordinates_t=zeros, numberOfODE2Coordinates=n
        )
    )
    tree = system.AddObject(
        item.ObjectKinematicTree(
            nodeNumber=node, jointTypes=types, linkParents=parents, jointTransformations=exu.Matrix3DList([UNIT] * n),
            jointOffsets=exu.Vector3DList(offsets), linkInertiasCOM=exu.Matrix3DList(inertias),
            linkCOMs=exu.Vector3DList(centres), linkMasses=masses, jointPControlVector=stiffness,
            jointDControlVector=damping, jointPositionOffsetVector=zeros, jointVelocityOffsetVector=zeros,
        )
    )  # fmt: skip
    for joint in mechanism.closing:
        ends = [
            system.AddMarker(
                item.MarkerKinematicTreeRigid(
                    objectNumber=tree, linkNumber=last[body], localPosition=minus(joint.at, mechanism.origin(body))
                )
            )
            for body in (joint.parent, joint.child)
        ]
        connect(system, ends, joint)
    return frequencies(system, "KinematicTree, M and K by Exudyn, 20 modes by LAPACK")


def joints(mechanism):
    """One node of six coordinates per body, a GenericJoint and a RigidBodySpringDamper per joint."""
    container = exu.SystemContainer()
    system = container.AddSystem()
    ground = system.AddObject(item.ObjectGround())
    bodies = []
    for mass, inertia, centre in zip(mechanism.mass, mechanism.inertia, mechanism.centre, strict=True):
        node = system.AddNode(item.NodeRigidBodyRxyz(referenceCoordinates=[*centre, 0, 0, 0]))
        tensor = [*inertia, 0, 0, 0]
        bodies.append(system.AddObject(item.ObjectRigidBody(mass=mass, inertia=tensor, nodeNumber=node)))
    for joint in mechanism.joints:
        ends = []
        for body in (joint.parent, joint.child):
            at = joint.at if body < 0 else minus(joint.at, mechanism.centre[body])
            ends.append(
                system.AddMarker(
                    item.MarkerBodyRigid(bodyNumber=ground if body < 0 else bodies[body], localPosition=at)
                )
            )
        connect(system, ends, joint)
    return frequencies(system, "redundant coordinates, constraints projected by SVD, 20 modes by LAPACK")


def connect(system, ends, joint):
    """A joint and its spring-damper between two markers."""
    system.AddObject(item.GenericJoint(markerNumbers=ends, constrainedAxes=FREE[joint.axes]))
    k, c = ([a] * 3 + [b] * 3 for a, b in ((joint.bushing_k, joint.k), (joint.bushing_c, joint.c)))
    system.AddObject(item.RigidBodySpringDamper(markerNumbers=ends, stiffness=np.diag(k), damping=np.diag(c)))


def frequencies(system, note):
    system.Assemble()
    M, K, *_ = system.ComputeLinearizedSystem(projectIntoConstraintNullspace=True)
    return lowest(M, K), f"exudyn {exu.__version__}; {note}"


if __name__ == "__main__":
    main({"tree": tree, "joints": joints})
