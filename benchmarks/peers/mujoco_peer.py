"""MuJoCo: its mass matrix and differences of its forces, or its own linearized time step (mjd_transitionFD)."""

import mujoco
import numpy as np
from mechanism import COUNT, lowest, main, minus
from scipy.linalg import svd

STEP = 1e-6
AXIS = {"x": "1 0 0", "y": "0 1 0", "z": "0 0 1"}


def build(mechanism, scalar):
    """The model; `scalar` writes ball joints as three hinges, so that tendons can carry the springs of a loop."""
    children = {}
    for body, joint in enumerate(mechanism.tree):
        children.setdefault(joint.parent, []).append(body)
    lines, stack = [], [("open", body) for body in reversed(children.get(-1, []))]
    while stack:
        what, body = stack.pop()
        if what == "close":
            lines.append("</body>")
            continue
        joint = mechanism.tree[body]
        lines.append(f'<body name="b{body}" pos="{text(minus(joint.at, mechanism.origin(joint.parent)))}">')
        lines.append(
            f'<inertial pos="{text(minus(mechanism.centre[body], joint.at))}" mass="{mechanism.mass[body]}" '
            f'diaginertia="{text(mechanism.inertia[body])}"/>'
        )
        spring = f'stiffness="{joint.k!r}" damping="{joint.c!r}"'
        if joint.kind == "spherical" and not scalar:
            lines.append(f'<joint type="ball" {spring}/>')
        else:
            lines += [f'<joint name="{a}{body}" type="hinge" axis="{AXIS[a]}" {spring}/>' for a in joint.axes]
        stack.append(("close", body))
        stack += [("open", child) for child in reversed(children.get(body, []))]
    equality, tendon = [], []
    for joint in mechanism.closing:
        at = text(minus(joint.at, mechanism.origin(joint.parent)))
        equality.append(f'<connect body1="b{joint.parent}" body2="b{joint.child}" anchor="{at}"/>')
        for axis in joint.axes:  # relative rotation = sum over the tree path: the spring that closes the loop
            terms = {}
            for sign, body in ((1, joint.child), (-1, joint.parent)):
                while body >= 0:
                    terms[body] = terms.get(body, 0) + sign
                    body = mechanism.tree[body].parent
            parts = "".join(f'<joint joint="{axis}{b}" coef="{s}"/>' for b, s in terms.items() if s)
            tendon.append(f'<fixed stiffness="{joint.k!r}" damping="{joint.c!r}" springlength="0">{parts}</fixed>')
    xml = (
        '<mujoco><compiler inertiafromgeom="false" boundmass="0"/><size memory="2G"/>'
        '<option gravity="0 0 0" timestep="0.001" jacobian="dense"><flag eulerdamp="disable" contact="disable"/>'
        f"</option><worldbody>{''.join(lines)}</worldbody><tendon>{''.join(tendon)}</tendon>"
        f"<equality>{''.join(equality)}</equality></mujoco>"
    )
    model = mujoco.MjModel.from_xml_string(xml)
    return model, mujoco.MjData(model)


def text(values):
    return " ".join(repr(float(value)) for value in values)


def assembled(mechanism):
    """M from MuJoCo, K by central differences of its smooth forces, hard constraints from its Jacobian by SVD."""
    model, data = build(mechanism, scalar=bool(mechanism.closing))
    mujoco.mj_forward(model, data)
    M = np.zeros((model.nv, model.nv))
    mujoco.mj_fullM(model, data, M)
    J = data.efc_J.reshape(-1, model.nv).copy()
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
    K, start, direction = np.zeros_like(M), data.qpos.copy(), np.zeros(model.nv)
    for i in range(model.nv):
        for sign in (1, -1):
            direction[i] = sign
            data.qpos[:] = start
            mujoco.mj_integratePos(model, data.qpos, direction, STEP)
            mujoco.mj_fwdPosition(model, data)
            mujoco.mj_fwdVelocity(model, data)
            K[:, i] += sign * (data.qfrc_bias - data.qfrc_passive) / (2 * STEP)
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
