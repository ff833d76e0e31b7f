"""Drake: MultibodyPlant in continuous time, linearized by automatic differentiation (pydrake.systems.primitives)."""

import numpy as np
from mechanism import COUNT, Refused, main, minus
from pydrake.math import RigidTransform
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import (
    BallRpyJoint,
    FixedOffsetFrame,
    LinearBushingRollPitchYaw,
    RevoluteJoint,
    RevoluteSpring,
    RotationalInertia,
    SpatialInertia,
)
from pydrake.systems.framework import InputPortSelection, OutputPortSelection
from pydrake.systems.primitives import Linearize


def linearize(mechanism):
    """All eigenvalues of the linearized state space."""
    plant = MultibodyPlant(0.0)
    plant.mutable_gravity_field().set_gravity_vector([0, 0, 0])
    bodies = []
    for body, joint in enumerate(mechanism.tree):
        centre = minus(mechanism.centre[body], joint.at)
        inertia = SpatialInertia.MakeFromCentralInertia(
            mechanism.mass[body], centre, RotationalInertia(*map(float, mechanism.inertia[body]))
        )
        bodies.append(plant.AddRigidBody(f"b{body}", inertia))
        carrier = plant.world_body() if joint.parent < 0 else bodies[joint.parent]
        offset = minus(joint.at, mechanism.origin(joint.parent))
        frame = plant.AddFrame(FixedOffsetFrame(f"f{body}", carrier.body_frame(), RigidTransform(offset)))
        own = bodies[body].body_frame()
        if joint.kind == "revolute":
            added = plant.AddJoint(RevoluteJoint(f"j{body}", frame, own, [0, 0, 1], damping=joint.c))
            plant.AddForceElement(RevoluteSpring(added, 0.0, joint.k))
        else:
            plant.AddJoint(BallRpyJoint(f"j{body}", frame, own, damping=joint.c))
            plant.AddForceElement(LinearBushingRollPitchYaw(frame, own, [joint.k] * 3, [0] * 3, [0] * 3, [0] * 3))
    for joint in mechanism.closing:
        ends = [(bodies[b], minus(joint.at, mechanism.origin(b))) for b in (joint.parent, joint.child)]
        plant.AddBallConstraint(*ends[0], *ends[1])
    plant.Finalize()
    context = plant.CreateDefaultContext()
    try:
        system = Linearize(plant, context, InputPortSelection.kNoInput, OutputPortSelection.kNoOutput)
    except RuntimeError as error:
        raise Refused(f"drake: {error}"[:200]) from error
    values = np.linalg.eigvals(system.A())
    found = np.sort(np.abs(values[values.imag > 0]))[:COUNT] / (2 * np.pi)
    return found.tolist(), "drake; Linearize by automatic differentiation, all modes by LAPACK"


if __name__ == "__main__":
    main({"linearize": linearize})
