"""Positions and rotations of all bodies as functions of the coordinates: along the spanning tree, or body by body.

Each body has axes in which S = 1 at a fixed configuration: R R_drawn^T = S B with a constant B, which is 1 along the
tree except after ball joints, and the present rotation where every body has coordinates of its own. Three rotations are
Cardan angles x, y', z'' that are zero at the reference, so that they are never singular there.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from eigenbody.model.description import Description, Entry
from eigenbody.routes.base import Place
from eigenbody.routes.drawing import GROUND
from eigenbody.routes.joints import COORDINATES, Branch, names_of, spanning_tree
from eigenbody.routes.symbolic.pool import Coordinates, Pool, rotation
from eigenbody.routes.symbolic.skeleton import Side, sides

E = np.eye(3, dtype=int).astype(object)
CARDAN = ("alpha", "beta", "gamma")
FREE_TO_TURN = ("spherical", "point", "distance", "inline", "inplane", "free")


@dataclass(eq=False)
class Kinematics:
    """r (3,), S (3, 3) and the angular Jacobian in body axes J (3, f) of every body."""

    description: Description
    place: Place
    pool: Pool
    coordinates: Coordinates
    turn: np.ndarray  # global axes of the equations from global axes of the model
    r: dict[int, np.ndarray] = field(default_factory=dict)
    S: dict[int, np.ndarray] = field(default_factory=dict)
    base: dict[int, np.ndarray] = field(default_factory=dict)  # B, numbers
    columns: dict[int, dict[int, np.ndarray]] = field(default_factory=dict)  # of the angular Jacobian, by coordinate
    is_planar: bool = False
    in_tree: set[str] = field(default_factory=set)  # joints whose constraints hold by the choice of coordinates
    symbol_of: dict[str, Any] = field(default_factory=dict)  # measures that are coordinates themselves

    def __post_init__(self) -> None:
        self.r[GROUND], self.S[GROUND], self.base[GROUND] = 0 * E[0], E, np.eye(3)
        self.columns[GROUND] = {}

    # ---- what is fixed on a body

    def local_vector(self, body: int, name: str, drawn: np.ndarray, scale: float = 1.0) -> np.ndarray:
        """Symbols (3,) of a vector of the drawing in body axes."""
        return self.pool.vector(name, self.base[body] @ self.turn @ drawn, scale)

    def vector(self, body: int, name: str, drawn: np.ndarray) -> np.ndarray:
        """A direction fixed on a body, as it is now."""
        return self.S[body] @ self.local_vector(body, name, drawn)

    def point(self, body: int, name: str, drawn: np.ndarray) -> np.ndarray:
        """A point fixed on a body, as it is now."""
        if body == GROUND:
            return self.local_vector(GROUND, name, drawn, self.size)
        arm = drawn - self.description.bodies.position[body]
        return self.r[body] + self.S[body] @ self.local_vector(body, name, arm, self.size)

    @property
    def size(self) -> float:
        """Length beside which rounding is nothing."""
        return max(1e-300, float(np.abs(self.description.bodies.position).max(initial=0.0)), 1e-3)

    def frame(self, side: Side, name: str) -> np.ndarray:
        """Axes (3, 3) of a joint's side as columns."""
        axes = [self.vector(side.body, f"{name}_{axis}", side.frame[:, k]) for k, axis in enumerate("xyz")]
        return np.stack(axes, axis=1)

    def inertia(self, body: int) -> np.ndarray:
        """Inertia tensor in the body axes of the equations."""
        bodies = self.description.bodies
        R = self.base[body] @ self.turn @ bodies.rotation[body]
        tensor = R @ bodies.inertia[body] @ R.T
        small = np.abs(tensor) <= 1e-15 * np.abs(tensor).max(initial=0.0)
        tensor = np.where(small, 0.0, (tensor + tensor.T) / 2)
        return self.pool.matrix(f"I_{bodies.names[body]}", tensor)

    # ---- Jacobians

    def angular(self, body: int) -> np.ndarray:
        """(3, f) angular velocity in body axes by the rates of the coordinates."""
        out = np.zeros((3, len(self.coordinates.q)), dtype=int).astype(object)
        for k, column in self.columns[body].items():
            out[:, k] = column
        return out

    def angular_velocity(self, body: int) -> np.ndarray:
        """(3,) in body axes."""
        zero = 0 * E[0]
        return sum((column * self.coordinates.u[k] for k, column in self.columns[body].items()), start=zero)

    # ---- building

    def turned_by(self, body: int, parent: int, steps: list[tuple[np.ndarray, Any]]) -> None:
        """Orientation of a body after successive rotations about axes carried along; `steps` are (axis, coordinate or
        its negative)."""
        S, columns = self.S[parent], dict(self.columns[parent])
        for axis, angle in steps:
            step = rotation(axis, angle)
            S = S @ step
            columns = {k: step.T @ column for k, column in columns.items()}
            sign = 1 if angle in self.coordinates.q else -1
            columns[self.coordinates.q.index(sign * angle)] = sign * axis
        self.S[body], self.columns[body] = S, columns

    def ball(self, body: int, parent: int, name: str) -> None:
        """Three Cardan angles from the present orientation."""
        relative = self.placed(parent).T @ self.placed(body)
        self.base[body] = self.base[parent] @ self.turn @ relative @ self.turn.T
        if self._is_point(body):
            self.turned_by(body, parent, [])
            return
        steps = [(E[k], self.coordinates.new(f"{name}.{CARDAN[k]}", 0.0)) for k in range(3)]
        self.turned_by(body, parent, steps)

    def placed(self, body: int) -> np.ndarray:
        """R R_drawn^T at the reference, in global axes of the model."""
        if body == GROUND:
            return np.eye(3)
        return self.place.R[body] @ self.description.bodies.rotation[body].T

    def _is_point(self, body: int) -> bool:
        """Whether the rotation of a body means nothing: a point mass that nothing turns."""
        name = self.description.bodies.names[body]
        joints = [j for j in self.description.joints if name in j["between"]]
        held = any(j.type not in FREE_TO_TURN for j in joints)
        twisted = any(f.type in ("bushing", "bearing") and name in f["between"] for f in self.description.forces)
        return bool(self.description.bodies.is_point[body]) and not held and not twisted


def along_tree(description: Description, place: Place, turn: np.ndarray) -> Kinematics:
    """Joint coordinates along the spanning tree, and six of every floating body."""
    kin = Kinematics(description, place, Pool(), Coordinates(), turn)
    tree = spanning_tree(description)
    for floating in (branch.body for branch in tree if branch.joint is None):
        _own_coordinates(kin, floating)
    for branch in tree:
        if branch.joint is not None:
            _hang(kin, branch, branch.joint)
    return kin


def body_by_body(description: Description, place: Place, turn: np.ndarray, is_planar: bool) -> Kinematics:
    """Coordinates of every body by itself: x, y and an angle in the plane, else x, y, z and three Cardan angles."""
    kin = Kinematics(description, place, Pool(), Coordinates(), turn, is_planar=is_planar)
    for body in range(len(description.bodies)):
        _own_coordinates(kin, body)
    return kin


def _own_coordinates(kin: Kinematics, body: int) -> None:
    name = kin.description.bodies.names[body]
    here = kin.pool.vector(f"r_{name}", kin.turn @ kin.place.r[body], kin.size)
    count = 2 if kin.is_planar else 3
    moves = [kin.coordinates.new(f"{name}.{'xyz'[k]}", 0.0) for k in range(count)]
    kin.r[body] = here + np.array([*moves, *[0] * (3 - count)], object)
    if not kin.is_planar:
        kin.ball(body, GROUND, name)
        return
    kin.base[body] = kin.turn @ kin.placed(body) @ kin.turn.T
    kin.turned_by(body, GROUND, [(E[2], kin.coordinates.new(f"{name}.phi", 0.0))])


def _hang(kin: Kinematics, branch: Branch, joint: Entry) -> None:
    """Place a body by its joint's coordinates."""
    first, second = sides(kin.description, joint)
    coordinates = COORDINATES[joint.type]
    label = dict(zip(coordinates, names_of(joint), strict=True))
    sign = 1 if branch.outward else -1
    q: dict[str, Any] = {}
    for c in coordinates:
        if c not in ("rx", "ry", "rz"):
            q[c] = kin.symbol_of[label[c]] = kin.coordinates.new(label[c], kin.place.coordinates[label[c]])

    def axis(k: int) -> np.ndarray:
        """Axis k of the joint in the parent's body axes, which are the child's where it turns about it."""
        return kin.local_vector(branch.parent, f"{joint.name}_{'xyz'[k]}", first.frame[:, k])

    if "rx" in coordinates:
        kin.ball(branch.body, branch.parent, joint.name)
    else:
        kin.base[branch.body] = kin.base[branch.parent]
        turns = [(2, c) for c in ("angle", "angle1") if c in q] + [(0, "angle2")] * ("angle2" in q)
        kin.turned_by(branch.body, branch.parent, [(axis(k), sign * q[c]) for k, c in turns[::sign]])
    _translate(kin, branch, joint, (first, second), q)
    kin.in_tree.add(joint.name)


def _translate(kin: Kinematics, branch: Branch, joint: Entry, both: tuple[Side, Side], q: dict[str, Any]) -> None:
    """Position of the child's centre of mass: from the parent's point by the joint's displacement to its own."""
    first, second = both
    steps = [(k, q[c]) for k, c in ((0, "x"), (1, "y"), (2, "z"), (2, "displacement")) if c in q]
    if joint.type == "screw":
        steps.append((2, kin.pool.number(f"pitch_{joint.name}", joint["pitch"]) * q["angle"]))
    moved = 0 * E[0]
    for k, amount in steps:
        moved = moved + amount * kin.vector(first.body, f"{joint.name}_{'xyz'[k]}", first.frame[:, k])
    near, far = (first, second) if branch.outward else (second, first)
    joint_point = kin.point(near.body, f"{joint.name}_1", near.point)
    arm = far.point - kin.description.bodies.position[branch.body]
    own = kin.S[branch.body] @ kin.local_vector(branch.body, f"{joint.name}_2", arm, kin.size)
    kin.r[branch.body] = joint_point + (moved if branch.outward else -moved) - own
