"""Exudyn's implicit generalized-alpha on a chain: `exudyn_motion.py FILE METHOD STEPS STEP PUSH`, one JSON line.

METHOD "joints": rigid bodies with GenericJoint and RigidBodySpringDamper, sparse solver; "tree": one KinematicTree. The
last joint starts with the angular velocity PUSH; `value` is its angle at the end. METHOD "sag": the bodies of "joints"
under gravity along x instead; `value` is the displacement of the last one along x.
"""

import json
import sys
import time

import exudyn as exu
import exudyn.itemInterface as item
import numpy as np
from exudyn_peer import TYPE, UNIT, connect
from mechanism import Mechanism, minus


def tree(mechanism, push):
    container = exu.SystemContainer()
    system = container.AddSystem()
    n = len(mechanism.tree)
    joints = mechanism.tree
    zeros = [0.0] * n
    node = system.AddNode(
        item.NodeGenericODE2(
            referenceCoordinates=zeros, initialCoordinates=zeros, initialCoordinates_t=[0.0] * (n - 1) + [push],
            numberOfODE2Coordinates=n,
        )
    )  # fmt: skip
    system.AddObject(
        item.ObjectKinematicTree(
            nodeNumber=node, jointTypes=[TYPE["z"]] * n, linkParents=[j.parent for j in joints],
            jointTransformations=exu.Matrix3DList([UNIT] * n),
            jointOffsets=exu.Vector3DList([minus(j.at, mechanism.origin(j.parent)) for j in joints]),
            linkInertiasCOM=exu.Matrix3DList([np.diag(i) for i in mechanism.inertia]),
            linkCOMs=exu.Vector3DList([minus(c, j.at) for c, j in zip(mechanism.centre, joints, strict=True)]),
            linkMasses=mechanism.mass, jointPControlVector=[j.k for j in joints],
            jointDControlVector=[j.c for j in joints], jointPositionOffsetVector=zeros, jointVelocityOffsetVector=zeros,
        )
    )  # fmt: skip
    return container, system, lambda: float(system.GetNodeOutput(node, exu.OutputVariableType.Coordinates)[-1])


def joints(mechanism, push, sags=False):
    container = exu.SystemContainer()
    system = container.AddSystem()
    ground = system.AddObject(item.ObjectGround())
    bodies, nodes = [], []
    last = len(mechanism.mass) - 1
    for i, (mass, inertia, centre) in enumerate(zip(mechanism.mass, mechanism.inertia, mechanism.centre, strict=True)):
        spin = [0, 0, 0, 0, 0, push if i == last else 0.0]
        nodes.append(
            system.AddNode(item.NodeRigidBodyRxyz(referenceCoordinates=[*centre, 0, 0, 0], initialVelocities=spin))
        )
        tensor = [*inertia, 0, 0, 0]
        bodies.append(system.AddObject(item.ObjectRigidBody(mass=mass, inertia=tensor, nodeNumber=nodes[-1])))
    for joint in mechanism.joints:
        ends = []
        for body in (joint.parent, joint.child):
            at = joint.at if body < 0 else minus(joint.at, mechanism.centre[body])
            number = ground if body < 0 else bodies[body]
            ends.append(system.AddMarker(item.MarkerBodyRigid(bodyNumber=number, localPosition=at)))
        connect(system, ends, joint)
    if sags:
        for body in bodies:
            marker = system.AddMarker(item.MarkerBodyMass(bodyNumber=body))
            system.AddLoad(item.LoadMassProportional(markerNumber=marker, loadVector=[9.81, 0, 0]))
        place = lambda: float(system.GetNodeOutput(nodes[last], exu.OutputVariableType.Displacement)[0])  # noqa: E731
        return container, system, place
    angle = lambda i: float(system.GetNodeOutput(nodes[i], exu.OutputVariableType.Coordinates)[5])  # noqa: E731
    return container, system, lambda: angle(last) - (angle(last - 1) if last else 0.0)


def sag(mechanism, push):
    return joints(mechanism, 0.0, sags=True)


METHODS = {"tree": tree, "joints": joints, "sag": sag}


def main():
    path, method, steps, step, push = sys.argv[1], sys.argv[2], int(sys.argv[3]), float(sys.argv[4]), float(sys.argv[5])
    mechanism = Mechanism(path)
    best, value, begin = None, None, time.process_time()
    for modified in (False, True) * 3:
        _container, system, read = METHODS[method](mechanism, push)
        system.Assemble()
        settings = exu.SimulationSettings()
        time_integration = settings.timeIntegration
        time_integration.numberOfSteps, time_integration.endTime = steps, steps * step
        time_integration.generalizedAlpha.spectralRadius = 0.9
        time_integration.newton.useModifiedNewton = modified
        time_integration.verboseMode = 0
        settings.solutionSettings.writeSolutionToFile = False
        settings.solutionSettings.sensorsWritePeriod = 1e9
        if method != "tree":
            settings.linearSolverType = exu.LinearSolverType.EigenSparse
        start = time.process_time()
        system.SolveDynamic(settings, solverType=exu.DynamicSolverType.GeneralizedAlpha)
        taken = time.process_time() - start
        if best is None or taken < best:
            best, value = taken, read()
        if time.process_time() - begin > 20 and modified:
            break
    print(json.dumps({"seconds": best, "value": value}))


if __name__ == "__main__":
    main()
