"""Pinocchio: derivatives of the forward dynamics, analytic and by differences of the same forward dynamics.

    benchmarks/peers/environments/pinocchio/bin/python comparison/pinocchio_cases.py

Trees: computeABADerivatives. Loops: constraintDynamics with a 3-D constraint between two points and
computeConstraintDynamicsDerivatives. Pinocchio has no springs; the script adds those of the rotor.
"""

import numpy as np
import pinocchio as pin
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
from scipy.linalg import null_space

STEP = 1e-5


def add(model, parent, kind, at, mass, inertia, centre):
    """A joint at a point relative to the parent's joint, with its body."""
    number = model.addJoint(parent, kind, pin.SE3(np.eye(3), np.array(at, float)), f"joint{model.njoints}")
    model.appendBodyToJoint(number, pin.Inertia(mass, np.array(centre, float), inertia), pin.SE3.Identity())
    return number


def pendulum():
    """omega^2 of a bar on a revolute joint."""
    model = pin.Model()
    model.gravity.linear = np.array([0, 0, -GRAVITY])
    add(model, 0, pin.JointModelRY(), [0, 0, 0], MASS, np.diag([ACROSS, ACROSS, ALONG]), [0, 0, -LENGTH / 2])
    data, zero = model.createData(), np.zeros(1)
    pin.computeABADerivatives(model, data, zero, zero, zero)
    return -data.ddq_dq[0, 0]


class Loop:
    """A four-bar: left crank with the coupler, right crank, closed by a constraint between two points."""

    def __init__(self, points, gravity):
        left, coupler, right = rods(points)
        model = self.model = pin.Model()
        model.gravity.linear = np.array([0, 0, gravity])
        arms = [(rod.inertia, rod.centre - rod.start) for rod in (left, coupler, right)]
        first = add(model, 0, pin.JointModelRY(), left.start, MASS, *arms[0])
        second = add(model, first, pin.JointModelRY(), coupler.start - left.start, MASS, *arms[1])
        third = add(model, 0, pin.JointModelRY(), right.start, MASS, *arms[2])
        places = (pin.SE3(np.eye(3), coupler.end - coupler.start), pin.SE3(np.eye(3), right.end - right.start))
        closing = pin.RigidConstraintModel(
            pin.ContactType.CONTACT_3D, model, second, places[0], third, places[1], pin.ReferenceFrame.LOCAL
        )
        self.constraints = pin.StdVec_RigidConstraintModel()
        self.constraints.append(closing)
        self.data = model.createData()
        self.constraint_data = pin.StdVec_RigidConstraintData()
        self.constraint_data.append(closing.createData())
        pin.initConstraintDynamics(model, self.data, self.constraints, self.constraint_data)
        # the planar loop holds the point across the plane twice over: a proximal solver copes with it
        self.settings = pin.ProximalSettings(1e-14, 1e-10, 200)

    def acceleration(self, q):
        """Of the constrained mechanism at rest."""
        zero = np.zeros(3)
        return pin.constraintDynamics(
            self.model, self.data, q, zero, zero, self.constraints, self.constraint_data, self.settings
        ).copy()

    def directions(self):
        """The motion that the loop allows, and its change to second order by Newton on the closure."""
        q = np.zeros(3)
        self.acceleration(q)
        J = pin.getConstraintsJacobian(self.model, self.data, self.constraints, self.constraint_data)
        return null_space(J, rcond=1e-9)[:, 0]

    def analytic(self):
        """omega^2 from computeConstraintDynamicsDerivatives."""
        t = self.directions()
        self.acceleration(np.zeros(3))
        pin.computeConstraintDynamicsDerivatives(
            self.model, self.data, self.constraints, self.constraint_data, self.settings
        )
        return -t @ self.data.ddq_dq @ t

    def difference(self):
        """omega^2 from differences of constraintDynamics along the motion that the loop allows."""
        t = self.directions()
        return -t @ (self.acceleration(STEP * t) - self.acceleration(-STEP * t)) / (2 * STEP)


def rotor():
    """Whirl frequencies: revolute joints about x, y, z; the tilt stiffness is added to the derivatives by hand."""
    model, none = pin.Model(), np.zeros((3, 3))
    first = add(model, 0, pin.JointModelRX(), [0, 0, 0], 0.0, none, [0, 0, 0])
    second = add(model, first, pin.JointModelRY(), [0, 0, 0], 0.0, none, [0, 0, 0])
    add(model, second, pin.JointModelRZ(), [0, 0, 0], ROTOR_MASS, np.diag([TRANSVERSE, TRANSVERSE, POLAR]), [0, 0, 0])
    data, zero = model.createData(), np.zeros(3)
    pin.computeRNEADerivatives(model, data, zero, np.array([0, 0, SPEED]), zero)
    M = np.triu(data.M) + np.triu(data.M, 1).T
    K, C = data.dtau_dq + np.diag([TILT, TILT, 0]), data.dtau_dv
    A = np.block([[np.zeros((3, 3)), np.eye(3)], [-np.linalg.solve(M, K), -np.linalg.solve(M, C)]])
    values = np.linalg.eigvals(A)
    return np.sort(values.imag[values.imag > 1e-3])


def main():
    """All cases."""
    title("Pinocchio", pin.__version__)
    show("pendulum", "computeABADerivatives", pendulum(), PENDULUM)
    for case, points, gravity, exact in (
        ("parallelogram", PARALLEL, -GRAVITY, PARALLELOGRAM),
        ("upside down", PARALLEL, GRAVITY, -PARALLELOGRAM),
        ("four-bar", SPLAYED, -GRAVITY, four_bar()),
    ):
        loop = Loop(points, gravity)
        show(case, "computeConstraintDynamicsDerivatives", loop.analytic(), exact)
        show(case, "differences of constraintDynamics", loop.difference(), exact)
    show("rotor", "three revolute joints, springs by hand", rotor(), ROTOR)


if __name__ == "__main__":
    main()
