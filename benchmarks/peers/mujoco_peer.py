"""MuJoCo: its mass matrix and differences of its forces, or its own linearized time step (mjd_transitionFD)."""

import mujoco
import numpy as np
from mechanism import COUNT, lowest, main, minus
from scipy.linalg import svd

STEP = 1e-6
AXIS = {"x": [1, 0, 0], "y": [0, 1, 0], "z": [0, 0, 1]}
# what the forces need of mj_forward; the factorization of M at every difference would take most of the time
NEEDED = (mujoco.mj_kinematics, mujoco.mj_comPos, mujoco.mj_tendon, mujoco.mj_comVel, mujoco.mj_passive)
HINGE, BALL = mujoco.mjtJoint.mjJNT_HINGE, mujoco.mjtJoint.mjJNT_BALL


def build(mechanism, scalar):
    """The model, by MjSpec (an XML file of 1000 nested bodies is refused by the parser).

    `scalar` makes ball joints of three hinges each, so that tendons can carry the springs that close loops.
    """
    spec = mujoco.MjSpec()
    spec.compiler.inertiafromgeom, spec.option.gravity, spec.option.timestep = 0, [0, 0, 0], 1e-3
    spec.option.jacobian = mujoco.mjtJacobian.mjJAC_DENSE
    off = mujoco.mjtDisableBit
    spec.option.disableflags = off.mjDSBL_EULERDAMP | off.mjDSBL_CONTACT
    spec.memory = 2**31
    bodies = {-1: spec.worldbody}
    for body, joint in enumerate(mechanism.tree):
        bodies[body] = bodies[joint.parent].add_body(
            name=f"b{body}", pos=minus(joint.at, mechanism.origin(joint.parent)), mass=mechanism.mass[body],
            ipos=minus(mechanism.centre[body], joint.at), inertia=mechanism.inertia[body], explicitinertial=True,
        )  # fmt: skip
        spring = {"stiffness": coefficient(joint.k), "damping": coefficient(joint.c)}
        if joint.kind == "spherical" and not scalar:
            bodies[body].add_joint(type=BALL, **spring)
        else:
            for axis in joint.axes:
                bodies[body].add_joint(name=f"{axis}{body}", type=HINGE, axis=AXIS[axis], **spring)
    for joint in mechanism.closing:
        data = np.zeros(12)
        data[:3] = minus(joint.at, mechanism.origin(joint.parent))
        spec.add_equality(
            type=mujoco.mjtEq.mjEQ_CONNECT, objtype=mujoco.mjtObj.mjOBJ_BODY, data=data,
            name1=f"b{joint.parent}", name2=f"b{joint.child}",
        )  # fmt: skip
        for axis in joint.axes:  # relative rotation = sum over the tree path: the spring that closes the loop
            terms = {}
            for sign, body in ((1, joint.child), (-1, joint.parent)):
                while body >= 0:
                    terms[body] = terms.get(body, 0) + sign
                    body = mechanism.tree[body].parent
            tendon = spec.add_tendon(stiffness=coefficient(joint.k), damping=coefficient(joint.c), springlength=[0, 0])
            for body, factor in terms.items():
                if factor:
                    tendon.wrap_joint(f"{axis}{body}", factor)
    model = spec.compile()
    return model, mujoco.MjData(model)


def coefficient(value):
    """Linear springs and dampers in the polynomial form of MuJoCo 4."""
    return [value, 0.0, 0.0]


def assembled(mechanism):
    """M from MuJoCo, K by central differences of its smooth forces, hard constraints from its Jacobian by SVD."""
    model, data = build(mechanism, scalar=bool(mechanism.closing))
    mujoco.mj_forward(model, data)
    M = np.zeros((model.nv, model.nv))
    mujoco.mj_fullM(model, data, M)
    J = data.efc_J.reshape(-1, model.nv).copy()
    K, start, direction, bias = np.zeros_like(M), data.qpos.copy(), np.zeros(model.nv), np.zeros(model.nv)
    for i in range(model.nv):
        for sign in (1, -1):
            direction[i] = sign
            data.qpos[:] = start
            mujoco.mj_integratePos(model, data.qpos, direction, STEP)
            for compute in NEEDED:
                compute(model, data)
            mujoco.mj_rne(model, data, 0, bias)
            K[:, i] += sign * (bias - data.qfrc_passive) / (2 * STEP)
        direction[i] = 0
    if len(J):
        _, values, V = svd(J)
        N = V[np.count_nonzero(values > 1e-9 * values[0]) :].T
        M, K = N.T @ M @ N, N.T @ K @ N
    return lowest(M, K), f"mujoco {mujoco.__version__}; M and J by MuJoCo, K by differences, 20 modes by LAPACK"


def transition(mechanism):
    """MuJoCo's linearized time step, turned back into the continuous system it steps; all eigenvalues."""
    model, data = build(mechanism, scalar=bool(mechanism.closing))
    mujoco.mj_forward(model, data)
    n, h = model.nv, model.opt.timestep
    A = np.zeros((2 * n, 2 * n))
    mujoco.mjd_transitionFD(model, data, STEP, True, A, None, None, None)
    A = np.block([[np.zeros((n, n)), np.eye(n)], [A[n:, :n] / h, (A[n:, n:] - np.eye(n)) / h]])
    values = np.linalg.eigvals(A)
    found = np.sort(np.abs(values[values.imag > 0]))[:COUNT] / (2 * np.pi)
    soft = ", soft constraints" if mechanism.closing else ""
    return found.tolist(), f"mujoco {mujoco.__version__}; mjd_transitionFD{soft}, all modes by LAPACK"


if __name__ == "__main__":
    main({"assembled": assembled, "transition": transition})
