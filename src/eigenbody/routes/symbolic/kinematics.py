"""Positions and rotations of all bodies as functions of the coordinates: along the spanning tree, or body by body.

Each body has axes in which S = 1 at a fixed configuration: R R_drawn^T = S B with a constant B, which is 1 but where
three rotations would be nearly singular. Three rotations are Cardan angles x, y', z'' from the drawing. In the plane a
body turns by one angle, the sum of those on the way to it. Prescribed coordinates of the tree are functions of time:
they give the bodies local velocities.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from eigenbody.model.description import Description, Entry
from eigenbody.routes.base import Place
from eigenbody.routes.drawing import GROUND
from eigenbody.routes.joints import COORDINATES, Branch, names_of, spanning_tree
from eigenbody.routes.symbolic.drawn import Drawing, DrawnSide, item_of
from eigenbody.routes.symbolic.exact import exact_array
from eigenbody.routes.symbolic.pool import Coordinates, Pool, rotation
from eigenbody.routes.symbolic.skeleton import Plane

E = np.eye(3, dtype=int).astype(object)
CARDAN = ("alpha", "beta", "gamma")
STEEP = 1.2  # rad: the second Cardan angle from which on the angles are counted from the present orientation
FREE_TO_TURN = ("spherical", "point", "distance", "inline", "inplane", "free")


@dataclass(eq=False)
class Kinematics:
    """r (3,), S (3, 3), the angular Jacobian (3, f) and the local angular velocity (3,) in body axes of every body."""

    description: Description
    place: Place
    pool: Pool
    plane: Plane | None
    prescribed: Mapping[str, Any] = field(default_factory=dict)  # coordinates of the tree that are functions of time
    r: dict[int, np.ndarray] = field(default_factory=dict)
    S: dict[int, np.ndarray] = field(default_factory=dict)
    base: dict[int, np.ndarray] = field(default_factory=dict)  # B, numbers
    columns: dict[int, dict[int, np.ndarray]] = field(default_factory=dict)  # of the angular Jacobian, by coordinate
    local: dict[int, np.ndarray] = field(default_factory=dict)  # angular velocity by the time alone
    angle: dict[int, Any] = field(default_factory=dict)  # in the plane
    in_tree: set[str] = field(default_factory=set)  # joints whose constraints hold by the choice of coordinates
    symbol_of: dict[str, Any] = field(default_factory=dict)  # measures that are coordinates themselves

    def __post_init__(self) -> None:
        self.coordinates = Coordinates(self.pool)
        self.drawing = Drawing(self.description, self.pool)
        self.turn = (
            np.eye(3) if self.plane is None else self.plane.turn
        )  # axes of the equations from those of the model
        self.is_turned = bool(np.any(self.turn != np.eye(3)))
        self.r[GROUND], self.S[GROUND], self.base[GROUND] = 0 * E[0], E, np.eye(3)
        self.columns[GROUND], self.local[GROUND], self.angle[GROUND] = {}, 0 * E[0], 0 * self.coordinates.t

    @property
    def is_planar(self) -> bool:
        return self.plane is not None

    # ---- what is fixed on a body

    def in_body_axes(self, body: int, drawn: np.ndarray) -> np.ndarray:
        """A vector or columns of the drawing in body axes, before they get names."""
        turn = self.base[body] @ self.turn
        return drawn if np.array_equal(turn, np.eye(3)) else exact_array(turn, 1.0) @ drawn

    def local_vector(self, body: int, name: str, drawn: np.ndarray, scale: float = 1.0) -> np.ndarray:
        """(3,) a vector of the drawing in body axes."""
        return self.pool.vector(name, self.in_body_axes(body, drawn), scale)

    def vector(self, body: int, name: str, drawn: np.ndarray) -> np.ndarray:
        """A direction fixed on a body, as it is now."""
        return self.S[body] @ self.local_vector(body, name, drawn)

    def point(self, body: int, name: str, drawn: np.ndarray) -> np.ndarray:
        """A point fixed on a body, as it is now."""
        if body == GROUND:
            return self.local_vector(GROUND, name, drawn, self.drawing.size)
        arm = drawn - self.drawing.position(body)
        return self.r[body] + self.S[body] @ self.local_vector(body, name, arm, self.drawing.size)

    def frame(self, side: DrawnSide, name: str) -> np.ndarray:
        """Axes (3, 3) of a joint's side as columns."""
        axes = [self.vector(side.body, f"{name}_{axis}", side.axes[:, k]) for k, axis in enumerate("xyz")]
        return np.stack(axes, axis=1)

    def inertia(self, body: int) -> np.ndarray:
        """Inertia tensor in the body axes of the equations."""
        bodies = self.description.bodies
        turned = self.in_body_axes(body, exact_array(bodies.rotation[body], 1.0))
        tensor = self.drawing.inertia(body)
        if np.any(turned != E):
            tensor = turned @ tensor @ turned.T
            tensor = np.where(_is_rounding(tensor, self.pool), 0 * tensor, (tensor + tensor.T) / 2)
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
        columns = self.columns[body].items()
        return sum((column * self.coordinates.u[k] for k, column in columns), start=self.local[body])

    # ---- building

    def turned_by(self, body: int, parent: int, steps: list[tuple[np.ndarray, Any]]) -> None:
        """Orientation of a body after successive rotations about axes carried along; `steps` are (axis, angle), an
        angle being a coordinate, its negative, or a function of time."""
        c = self.coordinates
        if self.plane is not None:
            turn = sum((axis[self.plane.normal] * angle for axis, angle in steps), start=0 * c.t)
            self._turned_in_plane(body, self.angle[parent] + turn)
            return
        S, columns, local = self.S[parent], dict(self.columns[parent]), self.local[parent]
        for axis, angle in steps:
            step = rotation(axis, angle)
            S = S @ step
            columns = {k: step.T @ column for k, column in columns.items()}
            local = step.T @ local + axis * c.by_time([angle])[0]
            slopes = c.gradient([angle], c.q)[0]
            columns |= {k: slopes[k] * axis for k in np.flatnonzero(slopes != 0).tolist()}
        self.S[body], self.columns[body], self.local[body] = S, columns, local

    def _turned_in_plane(self, body: int, angle: Any) -> None:
        assert self.plane is not None
        c, normal = self.coordinates, E[self.plane.normal]
        slopes = c.gradient([angle], c.q)[0]
        self.angle[body], self.S[body] = angle, rotation(normal, angle)
        self.columns[body] = {k: slopes[k] * normal for k in np.flatnonzero(slopes != 0).tolist()}
        self.local[body] = normal * c.by_time([angle])[0]

    def ball(self, body: int, parent: int, name: str) -> None:
        """Three Cardan angles from the drawing, or where these are nearly singular from the present orientation."""
        relative = self.turn @ self.placed(parent).T @ self.placed(body) @ self.turn.T
        turned = self.base[parent] @ relative @ self.base[parent].T
        self.base[body] = self.base[parent]
        angles = cardan_angles(turned)
        if abs(angles[1]) > STEEP:
            self.base[body], angles = self.base[parent] @ relative, np.zeros(3)
        if self._is_point(body):
            self.turned_by(body, parent, [])
            return
        steps = [(E[k], self.coordinates.new(f"{name}.{CARDAN[k]}", angles[k], is_angle=True)) for k in range(3)]
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


def cardan_angles(R: np.ndarray) -> np.ndarray:
    """(3,) angles of R = Rx(alpha) Ry(beta) Rz(gamma)."""
    angles = [np.arctan2(-R[1, 2], R[2, 2]), np.arcsin(np.clip(R[0, 2], -1.0, 1.0)), np.arctan2(-R[0, 1], R[0, 0])]
    return np.where(np.abs(angles) < 4e-16, 0.0, angles)


def _is_rounding(tensor: np.ndarray, pool: Pool) -> np.ndarray:
    """Which entries are zeros that were rounded."""
    values = np.abs(np.vectorize(pool.value_of, otypes=[float])(tensor))
    plain = np.vectorize(lambda e: not e.free_symbols, otypes=[bool])(tensor)
    return np.asarray(plain & (values <= 1e-15 * values.max(initial=0.0)))


def along_tree(
    description: Description, place: Place, pool: Pool, plane: Plane | None, prescribed: Callable[[Any], Mapping]
) -> Kinematics:
    """Joint coordinates along the spanning tree, and six of every floating body. `prescribed` gives the motions that
    are functions of the time handed to it."""
    kin = Kinematics(description, place, pool, plane)
    kin.prescribed = prescribed(kin.coordinates.t)
    tree = spanning_tree(description)
    for floating in (branch.body for branch in tree if branch.joint is None):
        _own_coordinates(kin, floating)
    for branch in tree:
        if branch.joint is not None:
            _hang(kin, branch, branch.joint)
    return kin


def body_by_body(description: Description, place: Place, pool: Pool, plane: Plane | None) -> Kinematics:
    """Coordinates of every body by itself: two and an angle in the plane, else x, y, z and three Cardan angles."""
    kin = Kinematics(description, place, pool, plane)
    turns = _turns_in_plane(kin) if plane is not None else {}
    for body in range(len(description.bodies)):
        _own_coordinates(kin, body, turns.get(body, 0.0))
    return kin


def _own_coordinates(kin: Kinematics, body: int, turned: float = 0.0) -> None:
    name = kin.description.bodies.names[body]
    here = kin.turn @ kin.place.r[body]
    here = np.where(np.abs(here) <= 4e-16 * kin.drawing.size, 0.0, here)
    drawn = kin.in_body_axes(GROUND, kin.drawing.position(body))
    fixed = None if kin.plane is None else kin.plane.normal
    kin.r[body] = np.array(
        [
            kin.pool.vector(f"r_{name}", drawn, kin.drawing.size)[k]
            if k == fixed
            else kin.coordinates.new(f"{name}.{'xyz'[k]}", here[k], None if kin.is_turned else drawn[k])
            for k in range(3)
        ],
        object,
    )
    if fixed is None:
        kin.ball(body, GROUND, name)
        return
    kin.base[body] = np.eye(3)
    kin.turned_by(body, GROUND, [(E[fixed], kin.coordinates.new(f"{name}.phi", turned, is_angle=True))])


def _turns_in_plane(kin: Kinematics) -> dict[int, float]:
    """Angle of every body from the drawing, full turns counted along the joints."""
    assert kin.plane is not None
    k = kin.plane.normal
    i, j = (k + 1) % 3, (k + 2) % 3
    counted, out = {GROUND: 0.0}, {}
    for branch in spanning_tree(kin.description):
        joint = branch.joint
        assert joint is not None
        label = dict(zip(COORDINATES[joint.type], names_of(joint), strict=True)).get("angle")
        side = kin.drawing.sides("joints", joint)[0]
        sense = (1 if branch.outward else -1) * float((kin.turn @ side.frame[:, 2])[k])
        counted[branch.body] = counted[branch.parent] + (sense * kin.place.coordinates[label] if label else 0.0)
        S = kin.turn @ kin.placed(branch.body) @ kin.turn.T
        angle = float(np.arctan2(S[j, i], S[i, i]))
        angle = 0.0 if abs(angle) < 4e-16 else angle
        out[branch.body] = angle + 2 * np.pi * round((counted[branch.body] - angle) / (2 * np.pi))
    return out


def _hang(kin: Kinematics, branch: Branch, joint: Entry) -> None:
    """Place a body by its joint's coordinates."""
    first, second = kin.drawing.sides("joints", joint)
    coordinates = COORDINATES[joint.type]
    label = dict(zip(coordinates, names_of(joint), strict=True))
    sign = 1 if branch.outward else -1
    q: dict[str, Any] = {}
    for c in coordinates:
        if c not in ("rx", "ry", "rz"):
            motion, here = kin.prescribed.get(label[c]), kin.place.coordinates[label[c]]
            new = kin.coordinates.new(label[c], here, is_angle="angle" in c) if motion is None else motion
            q[c] = kin.symbol_of[label[c]] = new

    def axis(k: int) -> np.ndarray:
        """Axis k of the joint in the parent's body axes, which are the child's where it turns about it."""
        return kin.local_vector(branch.parent, f"{joint.name}_{'xyz'[k]}", first.axes[:, k])

    if "rx" in coordinates:
        kin.ball(branch.body, branch.parent, joint.name)
    else:
        kin.base[branch.body] = kin.base[branch.parent]
        turns = [(2, c) for c in ("angle", "angle1") if c in q] + [(0, "angle2")] * ("angle2" in q)
        kin.turned_by(branch.body, branch.parent, [(axis(k), sign * q[c]) for k, c in turns[::sign]])
    _translate(kin, branch, joint, (first, second), q)
    kin.in_tree.add(joint.name)


def _translate(
    kin: Kinematics, branch: Branch, joint: Entry, both: tuple[DrawnSide, DrawnSide], q: dict[str, Any]
) -> None:
    """Position of the child's centre of mass: from the parent's point by the joint's displacement to its own."""
    first, second = both
    steps = [(k, q[c]) for k, c in ((0, "x"), (1, "y"), (2, "z"), (2, "displacement")) if c in q]
    if joint.type == "screw":
        steps.append((2, item_of(kin.pool, "joints", joint, "pitch", "pitch") * q["angle"]))
    moved = 0 * E[0]
    for k, amount in steps:
        moved = moved + amount * kin.vector(first.body, f"{joint.name}_{'xyz'[k]}", first.axes[:, k])
    near, far = (first, second) if branch.outward else (second, first)
    joint_point = kin.point(near.body, f"{joint.name}_1", near.point)
    arm = far.point - kin.drawing.position(branch.body)
    own = kin.S[branch.body] @ kin.local_vector(branch.body, f"{joint.name}_2", arm, kin.drawing.size)
    kin.r[branch.body] = joint_point + (moved if branch.outward else -moved) - own
