"""Exudyn: rigid bodies with joints by multipliers, and its kinematic tree in minimal coordinates.

    benchmarks/peers/environments/exudyn/bin/python comparison/exudyn_cases.py

Each mechanism is at rest in its equilibrium; `SolveStatic` runs first, so that the joints carry their load when
`ComputeODE2Eigenvalues` and `ComputeLinearizedSystem` look at it.
"""

import exudyn as exu
import exudyn.itemInterface as item
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
    ROTOR_TURNING,
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

DOWN = [0, 0, -GRAVITY]
REVOLUTE_Y = [1, 1, 1, 1, 0, 1]
BAR = (MASS, np.diag([ACROSS, ACROSS, ALONG]), np.array([0, 0, -LENGTH / 2]))


class Bodies:
    """Rigid bodies with six or seven coordinates each, joined by multipliers; body -1 is the ground."""

    def __init__(self, node="euler parameters"):
        self.container = exu.SystemContainer()
        self.system = self.container.AddSystem()
        self.node, self.bodies, self.centres = node, {}, {-1: np.zeros(3)}
        self.bodies[-1] = self.system.AddObject(item.ObjectGround())

    def add(self, mass, inertia, centre, spin=0.0):
        """A body; the node holds its orientation as Euler parameters or as three angles."""
        if self.node == "euler parameters":
            node = item.NodeRigidBodyEP(
                referenceCoordinates=[*centre, 1, 0, 0, 0], initialVelocities=[0, 0, 0, 0, 0, 0, spin / 2]
            )
        else:
            node = item.NodeRigidBodyRxyz(
                referenceCoordinates=[*centre, 0, 0, 0], initialVelocities=[0, 0, 0, 0, 0, spin]
            )
        number = len(self.bodies) - 1
        tensor = [*np.diag(inertia), inertia[1, 2], inertia[0, 2], inertia[0, 1]]
        body = item.ObjectRigidBody(mass=mass, inertia=tensor, nodeNumber=self.system.AddNode(node))
        self.bodies[number], self.centres[number] = self.system.AddObject(body), np.array(centre)
        return number

    def weigh(self):
        """Gravity on all bodies."""
        for number, body in self.bodies.items():
            if number >= 0:
                marker = self.system.AddMarker(item.MarkerBodyMass(bodyNumber=body))
                self.system.AddLoad(item.LoadMassProportional(markerNumber=marker, loadVector=DOWN))

    def markers(self, first, second, at):
        """The two ends of a joint or spring at a point."""
        return [
            self.system.AddMarker(
                item.MarkerBodyRigid(bodyNumber=self.bodies[body], localPosition=np.array(at) - self.centres[body])
            )
            for body in (first, second)
        ]

    def join(self, first, second, at, held):
        """A joint that holds the marked ones of three displacements and three rotations."""
        self.system.AddObject(item.GenericJoint(markerNumbers=self.markers(first, second, at), constrainedAxes=held))


def settled(system):
    """Static solution as the new initial state, with the multipliers that bear the load."""
    system.Assemble()
    settings = exu.SimulationSettings()
    settings.solution.file.write = False
    settings.staticSolver.verboseMode = 0
    settings.linearSolver.solverType = exu.LinearSolverType.EigenDense
    settings.linearSolver.ignoreSingularJacobian = True  # redundant rows of closed loops
    system.SolveStatic(settings)
    system.systemData.SetSystemState(
        system.systemData.GetSystemState(configuration=exu.ConfigurationType.Current),
        configuration=exu.ConfigurationType.Initial,
    )
    return system


def squared(system):
    """Smallest omega^2 of the settled system under its constraints."""
    values, _ = settled(system).ComputeODE2Eigenvalues(ignoreAlgebraicEquations=False, useAbsoluteValues=False)
    return min(np.real(values), key=abs)


def pendulum(node):
    """A bar on a revolute joint."""
    case = Bodies(node)
    bar = case.add(*BAR)
    case.join(-1, bar, [0, 0, 0], REVOLUTE_Y)
    case.weigh()
    return case.system


def loop(node, points):
    """Three rods on four revolute joints."""
    case = Bodies(node)
    a, b, c, d = points
    left, coupler, right = (case.add(MASS, rod.inertia, rod.centre) for rod in rods(points))
    case.join(-1, left, a, REVOLUTE_Y)
    case.join(-1, right, b, REVOLUTE_Y)
    case.join(left, coupler, c, REVOLUTE_Y)
    case.join(right, coupler, d, REVOLUTE_Y)
    case.weigh()
    return case.system


def tree(links):
    """Links (parent, offset of the joint, mass, inertia, centre from the joint) on revolute joints about y."""
    container = exu.SystemContainer()
    system = container.AddSystem()
    n = len(links)
    zeros = [0.0] * n
    node = system.AddNode(
        item.NodeGenericODE2(
            referenceCoordinates=zeros, initialCoordinates=zeros, initialCoordinates_t=zeros, numberOfODE2Coordinates=n
        )
    )
    parents, offsets, masses, inertias, centres = zip(*links, strict=True)
    number = system.AddObject(
        item.ObjectKinematicTree(
            nodeNumber=node, jointTypes=[exu.JointType.RevoluteY] * n, linkParents=list(parents), gravity=DOWN,
            jointTransformations=exu.Matrix3DList([np.eye(3)] * n), jointOffsets=exu.Vector3DList(list(offsets)),
            linkInertiasCOM=exu.Matrix3DList(list(inertias)), linkCOMs=exu.Vector3DList(list(centres)),
            linkMasses=list(masses), jointPControlVector=zeros, jointDControlVector=zeros,
            jointPositionOffsetVector=zeros, jointVelocityOffsetVector=zeros,
        )
    )  # fmt: skip
    return container, system, number


def tree_of_rods(points):
    """The rods as a tree: left crank with the coupler, right crank; closed by a joint between two links."""
    left, coupler, right = rods(points)
    links = [
        (parent, rod.start - origin, MASS, rod.inertia, rod.centre - rod.start)
        for parent, origin, rod in ((-1, np.zeros(3), left), (0, left.start, coupler), (-1, np.zeros(3), right))
    ]
    container, system, number = tree(links)
    ends = [
        system.AddMarker(
            item.MarkerKinematicTreeRigid(objectNumber=number, linkNumber=link, localPosition=rod.end - rod.start)
        )
        for link, rod in ((1, coupler), (2, right))
    ]
    system.AddObject(item.GenericJoint(markerNumbers=ends, constrainedAxes=REVOLUTE_Y))
    return container, system


def rotor(node):
    """Whirl frequencies of the spinning rotor: complex eigenvalues of its projected M, C, K."""
    case = Bodies(node)
    body = case.add(ROTOR_MASS, np.diag([TRANSVERSE, TRANSVERSE, POLAR]), [0, 0, 0], spin=SPEED)
    case.join(-1, body, [0, 0, 0], [1, 1, 1, 0, 0, 0])
    stiffness = np.diag([0, 0, 0, TILT, TILT, 0])
    case.system.AddObject(
        item.RigidBodySpringDamper(
            markerNumbers=case.markers(-1, body, [0, 0, 0]), stiffness=stiffness, damping=np.zeros((6, 6))
        )
    )
    case.system.Assemble()
    M, K, D, *_ = case.system.ComputeLinearizedSystem(projectIntoConstraintNullspace=True)
    n = len(M)
    A = np.block([[np.zeros((n, n)), np.eye(n)], [-np.linalg.solve(M, K), -np.linalg.solve(M, D)]])
    values = np.linalg.eigvals(A)
    return np.sort(values.imag[values.imag > 1e-3])


def main():
    """All cases."""
    title("Exudyn", exu.__version__)
    nodes = ("euler parameters", "angles")
    for node in nodes:
        show("pendulum", f"revolute joint, {node}", squared(pendulum(node)), PENDULUM)
    _container, system, _ = tree([(-1, np.zeros(3), *BAR)])
    show("pendulum", "kinematic tree", squared(system), PENDULUM)
    for case, points, exact in (("parallelogram", PARALLEL, PARALLELOGRAM), ("four-bar", SPLAYED, four_bar())):
        for node in nodes:
            show(case, f"revolute joints, {node}", squared(loop(node, points)), exact)
        _container, system = tree_of_rods(points)
        show(case, "kinematic tree closed by a joint", squared(system), exact)
    for node in nodes:
        show("rotor", f"spherical joint, {node}", rotor(node), ROTOR)
    say("rotor", "exact in axes that turn", " / ".join(f"{w:.3f}" for w in ROTOR_TURNING))


if __name__ == "__main__":
    main()
