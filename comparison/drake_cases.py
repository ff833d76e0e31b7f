"""Drake: MultibodyPlant, linearized by automatic differentiation (FirstOrderTaylorApproximation).

    benchmarks/peers/environments/drake/bin/python comparison/drake_cases.py

Loops are tried in the two ways that Drake has: a ball constraint, in continuous and in discrete time, and the stiff
bushing of its own four-bar example.
"""

import numpy as np
from cases import (
    ACROSS,
    ALONG,
    GRAVITY,
    LENGTH,
    MASS,
    PARALLEL,
    PARALLELOGRAM,
    PENDULUM,
    POLAR,
    ROTOR,
    ROTOR_MASS,
    SPEED,
    SPLAYED,
    TILT,
    TRANSVERSE,
    four_bar,
    rods,
    say,
    show,
    title,
)
from pydrake.math import RigidTransform
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import (
    FixedOffsetFrame,
    LinearBushingRollPitchYaw,
    RevoluteJoint,
    RevoluteSpring,
    RotationalInertia,
    SpatialInertia,
)
from pydrake.systems.framework import InputPortSelection, OutputPortSelection
from pydrake.systems.primitives import FirstOrderTaylorApproximation
from scipy.optimize import fsolve

BUSHING = 1e6  # N/m


def version():
    """Installed release."""
    from importlib.metadata import version

    return version("drake")


def plant(gravity, time_step=0.0):
    """An empty plant; time step zero is continuous time."""
    made = MultibodyPlant(time_step)
    if time_step:
        made.SetUseSampledOutputPorts(False)  # the linearization takes no plant with samples in its state
    made.mutable_gravity_field().set_gravity_vector([0, 0, gravity])
    return made


def body(made, name, mass, inertia, centre):
    """A body whose frame is at its joint; without mass where the mass is zero."""
    if mass == 0:
        return made.AddRigidBody(name, SpatialInertia.Zero())
    rotational = RotationalInertia(*np.diag(inertia), inertia[0, 1], inertia[0, 2], inertia[1, 2])
    return made.AddRigidBody(name, SpatialInertia.MakeFromCentralInertia(mass, centre, rotational))


def hinge(made, carrier, at, child, axis):
    """A revolute joint at a point of the carrier's frame."""
    name = f"hinge_{child.name()}"
    frame = made.AddFrame(FixedOffsetFrame(f"frame_{child.name()}", carrier.body_frame(), RigidTransform(at)))
    return made.AddJoint(RevoluteJoint(name, frame, child.body_frame(), axis))


def matrix(made, velocities=None, settle=False):
    """State matrix of the finished plant, by the Taylor approximation: `Linearize` refuses a spinning rotor."""
    made.Finalize()
    context = made.CreateDefaultContext()
    if velocities is not None:
        made.SetVelocities(context, velocities)
    if settle:
        made.SetPositions(context, equilibrium(made, context))
    return FirstOrderTaylorApproximation(made, context, InputPortSelection.kNoInput, OutputPortSelection.kNoOutput).A()


def equilibrium(made, context):
    """Positions in which nothing accelerates, found by SciPy."""

    def accelerations(q):
        made.SetPositions(context, q)
        return made.EvalTimeDerivatives(context).CopyToVector()[made.num_positions() :]

    return fsolve(accelerations, made.GetPositions(context), xtol=1e-9)


def pendulum():
    """omega^2 of a bar on a revolute joint."""
    made = plant(-GRAVITY)
    bar = body(made, "bar", MASS, np.diag([ACROSS, ACROSS, ALONG]), [0, 0, -LENGTH / 2])
    hinge(made, made.world_body(), [0, 0, 0], bar, [0, 1, 0])
    return max(np.abs(np.linalg.eigvals(matrix(made))) ** 2)


def loop(points, gravity, closing, time_step=0.0):
    """omega^2 = -lambda^2 of the slowest pole, and the number of poles beyond the two of the mechanism."""
    made = plant(gravity, time_step)
    left, coupler, right = rods(points)
    bodies = [
        body(made, name, MASS, rod.inertia, rod.centre - rod.start)
        for name, rod in (("left", left), ("coupler", coupler), ("right", right))
    ]
    hinge(made, made.world_body(), left.start, bodies[0], [0, 1, 0])
    hinge(made, bodies[0], coupler.start - left.start, bodies[1], [0, 1, 0])
    hinge(made, made.world_body(), right.start, bodies[2], [0, 1, 0])
    ends = (coupler.end - coupler.start, right.end - right.start)
    if closing == "ball":
        made.AddBallConstraint(bodies[1], ends[0], bodies[2], ends[1])
    else:
        frames = [
            made.AddFrame(FixedOffsetFrame(f"end{i}", each.body_frame(), RigidTransform(end)))
            for i, (each, end) in enumerate(zip(bodies[1:], ends, strict=True))
        ]
        made.AddForceElement(LinearBushingRollPitchYaw(*frames, [0] * 3, [0] * 3, [BUSHING, 0, BUSHING], [0] * 3))
    values = np.linalg.eigvals(matrix(made, settle=closing == "bushing"))
    if time_step:
        values = np.log(values.astype(complex)) / time_step
    slow = min(values, key=abs)
    return -(slow**2).real, len(values) - 2


def rotor():
    """Whirl frequencies: revolute joints about x, y, z with massless links, springs on the first two."""
    made = plant(0.0)
    carrier = made.world_body()
    tensors = (np.zeros((3, 3)), np.zeros((3, 3)), np.diag([TRANSVERSE, TRANSVERSE, POLAR]))
    for name, axis, k, tensor in zip("xyz", np.eye(3), (TILT, TILT, 0.0), tensors, strict=True):
        link = body(made, name, ROTOR_MASS if name == "z" else 0.0, tensor, [0, 0, 0])
        joint = hinge(made, carrier, [0, 0, 0], link, axis)
        if k:
            made.AddForceElement(RevoluteSpring(joint, 0.0, k))
        carrier = link
    values = np.linalg.eigvals(matrix(made, [0, 0, SPEED]))
    return np.sort(values.imag[values.imag > 1e-3])


def main():
    """All cases."""
    title("Drake", version())
    show("pendulum", "RevoluteJoint", pendulum(), PENDULUM)
    ways = (
        ("ball constraint, continuous time", "ball", 0.0),
        ("ball constraint, discrete time 1 ms", "ball", 1e-3),
        ("bushing of 1e6 N/m", "bushing", 0.0),
    )
    for case, points, gravity, exact in (
        ("parallelogram", PARALLEL, -GRAVITY, PARALLELOGRAM),
        ("upside down", PARALLEL, GRAVITY, -PARALLELOGRAM),
        ("four-bar", SPLAYED, -GRAVITY, four_bar()),
    ):
        for way, closing, time_step in ways:
            try:
                found, surplus = loop(points, gravity, closing, time_step)
            except RuntimeError as error:
                say(case, way, f"refuses: {' '.join(str(error).split())[:104]}")
                continue
            show(case, way, found, exact, f"{surplus} poles that the mechanism does not have" if surplus else "")
    show("rotor", "three revolute joints with springs", rotor(), ROTOR)


if __name__ == "__main__":
    main()
