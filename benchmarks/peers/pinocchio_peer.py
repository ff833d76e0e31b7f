"""Pinocchio: mass matrix and derivatives of the inverse dynamics; it has no springs, so they are added by hand."""

import numpy as np
import pinocchio as pin
from mechanism import lowest, main, minus
from scipy.linalg import svd


def derivatives(mechanism):
    """M and d(tau)/dq by Pinocchio; loops by the difference of its joint Jacobians, projected by SVD."""
    model, number, stiffness = pin.Model(), {-1: 0}, []
    for body in mechanism.depth_first():  # Pinocchio's sub-tree blocks are right in this order only
        joint = mechanism.tree[body]
        kind = pin.JointModelRZ() if joint.kind == "revolute" else pin.JointModelSpherical()
        offset = pin.SE3(np.eye(3), np.array(minus(joint.at, mechanism.origin(joint.parent))))
        number[body] = model.addJoint(number[joint.parent], kind, offset, f"j{body}")
        centre = np.array(minus(mechanism.centre[body], joint.at))
        inertia = pin.Inertia(float(mechanism.mass[body]), centre, np.diag(mechanism.inertia[body]).astype(float))
        model.appendBodyToJoint(number[body], inertia, pin.SE3.Identity())
        stiffness += [joint.k] * len(joint.axes)
    model.gravity = pin.Motion.Zero()
    data, q, zero = model.createData(), pin.neutral(model), np.zeros(model.nv)
    pin.computeRNEADerivatives(model, data, q, zero, zero)
    K = data.dtau_dq + np.diag(stiffness)
    M = np.triu(data.M) + np.triu(data.M, 1).T
    if mechanism.closing:
        pin.computeJointJacobians(model, data, q)
        rows = []
        for joint in mechanism.closing:
            row = sum(sign * jacobian(model, data, mechanism, number, body, joint.at)
                      for sign, body in ((1, joint.child), (-1, joint.parent)))  # fmt: skip
            rows.append(row[:3])
            free = row[5:] if joint.kind == "revolute" else row[3:]
            touched = np.flatnonzero(np.abs(free).max(axis=0))
            K[np.ix_(touched, touched)] += joint.k * free[:, touched].T @ free[:, touched]
        _, values, V = svd(np.vstack(rows))
        N = V[np.count_nonzero(values > 1e-9 * values[0]) :].T
        M, K = N.T @ M @ N, N.T @ K @ N
    return lowest(M, K), f"pinocchio {pin.__version__}; computeRNEADerivatives, springs by hand, 20 modes by LAPACK"


def jacobian(model, data, mechanism, number, body, point):
    """Motion of a point of a body: displacement and rotation rows, world axes."""
    if body < 0:
        return np.zeros((6, model.nv))
    J = pin.getJointJacobian(model, data, number[body], pin.LOCAL_WORLD_ALIGNED)
    arm = np.array(minus(point, mechanism.origin(body)))
    return np.vstack((J[:3] - pin.skew(arm) @ J[3:], J[3:]))


if __name__ == "__main__":
    main({"derivatives": derivatives})
