"""MuJoCo: its own linearization, mjd_transitionFD, turned back into the continuous system that it steps.

    benchmarks/peers/environments/mujoco/bin/python comparison/mujoco_cases.py

Trees are exact in MuJoCo's joint coordinates. Loops are closed by `connect`, a soft constraint; it is tried with
MuJoCo's own stiffness and with the stiffest that the time step allows.
"""

import mujoco
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
    show,
    title,
)

STEP, TIME_STEP = 1e-6, 1e-4
X, Y, Z = np.eye(3).tolist()
HINGE = mujoco.mjtJoint.mjJNT_HINGE


def empty(gravity):
    """A model without bodies; contact and implicit damping off."""
    spec = mujoco.MjSpec()
    spec.option.gravity, spec.option.timestep = [0, 0, gravity], TIME_STEP
    spec.option.disableflags = mujoco.mjtDisableBit.mjDSBL_EULERDAMP | mujoco.mjtDisableBit.mjDSBL_CONTACT
    spec.option.tolerance, spec.option.iterations = 1e-14, 200
    return spec


def body(parent, name, at, centre, mass, inertia):
    """A body whose frame is at its joint, positions relative to the parent's joint."""
    full = [*np.diag(inertia), inertia[0, 1], inertia[0, 2], inertia[1, 2]]
    return parent.add_body(name=name, pos=at, mass=mass, ipos=centre, fullinertia=full, explicitinertial=True)


def eigenvalues(spec, speed=None):
    """All eigenvalues of the continuous system whose Euler step is linearized."""
    model = spec.compile()
    data = mujoco.MjData(model)
    if speed is not None:
        data.qvel[:] = speed
    mujoco.mj_forward(model, data)
    n, h = model.nv, model.opt.timestep
    A = np.zeros((2 * n, 2 * n))
    mujoco.mjd_transitionFD(model, data, STEP, True, A, None, None, None)
    A = np.block([[np.zeros((n, n)), np.eye(n)], [A[n:, :n] / h, (A[n:, n:] - np.eye(n)) / h]])
    return np.linalg.eigvals(A)


def pendulum():
    """A bar on a hinge."""
    spec = empty(-GRAVITY)
    bar = body(spec.worldbody, "bar", [0, 0, 0], [0, 0, -LENGTH / 2], MASS, np.diag([ACROSS, ACROSS, ALONG]))
    bar.add_joint(type=HINGE, axis=Y)
    return max(np.abs(eigenvalues(spec)) ** 2)


def loop(points, gravity=-GRAVITY, stiff=False):
    """Slowest pole of the four-bar, squared (omega^2 = -lambda^2), and the number of poles beyond the two."""
    spec = empty(gravity)
    left, coupler, right = rods(points)
    parents = {}
    for name, rod, parent in (("left", left, None), ("coupler", coupler, "left"), ("right", right, None)):
        origin = left.start if parent else np.zeros(3)
        carrier = parents[parent] if parent else spec.worldbody
        parents[name] = body(carrier, name, rod.start - origin, rod.centre - rod.start, MASS, rod.inertia)
        parents[name].add_joint(type=HINGE, axis=Y)
    data = np.zeros(12)
    data[:3] = coupler.end - coupler.start
    closing = spec.add_equality(
        type=mujoco.mjtEq.mjEQ_CONNECT, objtype=mujoco.mjtObj.mjOBJ_BODY, name1="coupler", name2="right", data=data
    )
    if stiff:
        closing.solref, closing.solimp = [2 * TIME_STEP, 1], [0.9999, 0.9999, 0.001, 0.5, 2]
    values = eigenvalues(spec)
    slow = min(values, key=abs)
    return -(slow**2).real, len(values) - 2


def rotor():
    """Whirl frequencies: hinges about x, y, z in one body, springs on the first two, spinning about the third."""
    spec = empty(0.0)
    wheel = body(spec.worldbody, "rotor", [0, 0, 0], [0, 0, 0], ROTOR_MASS, np.diag([TRANSVERSE, TRANSVERSE, POLAR]))
    for axis, k in ((X, TILT), (Y, TILT), (Z, 0.0)):
        wheel.add_joint(type=HINGE, axis=axis, stiffness=[k, 0.0, 0.0])
    values = eigenvalues(spec, [0, 0, SPEED])
    return np.sort(values.imag[values.imag > 1e-2])


def main():
    """All cases."""
    title("MuJoCo", mujoco.__version__)
    show("pendulum", "hinge", pendulum(), PENDULUM)
    for stiff in (False, True):
        way = f"closed by connect, {'stiffest' if stiff else 'as it comes'}"
        for case, points, gravity, exact in (
            ("parallelogram", PARALLEL, -GRAVITY, PARALLELOGRAM),
            ("upside down", PARALLEL, GRAVITY, -PARALLELOGRAM),
            ("four-bar", SPLAYED, -GRAVITY, four_bar()),
        ):
            found, surplus = loop(points, gravity, stiff)
            show(case, way, found, exact, f"{surplus} poles that the mechanism does not have")
    show("rotor", "three hinges in one body", rotor(), ROTOR)


if __name__ == "__main__":
    main()
