"""Joints as equations between the poses of two bodies: constraints, coordinates as measures, coordinates as rates."""

from __future__ import annotations

from typing import Any

import numpy as np

from eigenbody.model.description import Entry
from eigenbody.routes.drawing import GROUND
from eigenbody.routes.joints import JOINTS, ROTATIONS
from eigenbody.routes.symbolic.drawn import item_of
from eigenbody.routes.symbolic.exact import exact_array
from eigenbody.routes.symbolic.kinematics import E, Kinematics
from eigenbody.routes.symbolic.skeleton import split_name
from eigenbody.spatial.rotations import cotangent_coefficient, log, skew


class Pair:
    """Both sides of a joint, force or measure at the present coordinates."""

    def __init__(self, kin: Kinematics, section: str, entry: Entry) -> None:
        self.kin, self.entry = kin, entry
        self.first, self.second = kin.drawing.sides(section, entry)
        self.between = [
            kin.point(side.body, f"{entry.name}_{k}", side.point) for k, side in ((1, self.first), (2, self.second))
        ]
        self.F1 = kin.frame(self.first, entry.name)
        same = np.allclose(self.first.frame, self.second.frame, rtol=0, atol=1e-12)
        self.F2 = kin.frame(self.second, entry.name if same else f"{entry.name}_far")

    @property
    def gap(self) -> np.ndarray:
        """(3,) from the first point to the second, global axes."""
        return self.between[1] - self.between[0]

    @property
    def displacement(self) -> np.ndarray:
        """The same in the axes of the first frame."""
        return self.F1.T @ self.gap

    def cosine(self, i: int, j: int) -> Any:
        """Of axis i of the first side and axis j of the second."""
        return self.F1[:, i] @ self.F2[:, j]

    def angle(self) -> Any:
        """In the plane: by how much the second body is turned beyond the first about the joint's axis."""
        kin = self.kin
        assert kin.plane is not None
        sense = kin.in_body_axes(self.first.body, self.first.axes[:, 2])[kin.plane.normal]
        turned = kin.angle[self.second.body] - kin.angle[self.first.body]
        return -turned if float(sense) < 0 else turned

    def turning(self) -> np.ndarray:
        """(3, f) relative angular velocity, global axes, by the rates of the coordinates."""
        kin = self.kin
        one, two = (kin.S[side.body] @ kin.angular(side.body) for side in (self.first, self.second))
        return two - one


def constraints(kin: Kinematics, joint: Entry) -> list[Any]:
    """Expressions that the joint holds at zero."""
    pair = Pair(kin, "joints", joint)
    x, y, z = pair.displacement
    words = {
        "point": lambda: list(pair.gap),
        "sideways": lambda: [x, y],
        "along": lambda: [z],
        "tilt": lambda: [pair.cosine(0, 2), pair.cosine(1, 2)],
        "rotation": lambda: _parallel(pair),
        "crossed": lambda: [pair.cosine(2, 0)],
        "distance": lambda: [pair.gap @ pair.gap - _drawn_length(pair)],
        "pitch": lambda: [z - item_of(kin.pool, "joints", joint, "pitch", "pitch") * measure(kin, joint.name)],
    }
    rows = [row for word in JOINTS[joint.type].held for row in words[word]()]
    held = set(kin.coordinates.q)
    return [row for row in rows if held & getattr(row, "free_symbols", set())]


def _parallel(pair: Pair) -> list[Any]:
    if pair.kin.is_planar and np.allclose(pair.first.frame, pair.second.frame, rtol=0, atol=1e-12):
        return [pair.angle()]
    return [pair.cosine(0, 1), pair.cosine(1, 2), pair.cosine(2, 0)]


def _drawn_length(pair: Pair) -> Any:
    """Square of the distance in the drawing."""
    drawn = pair.second.point - pair.first.point
    square = drawn @ drawn
    return (
        square if square.free_symbols else pair.kin.pool.number(f"length_{pair.entry.name}", float(square) ** 0.5) ** 2
    )


def measure(kin: Kinematics, name: str) -> Any:
    """A joint coordinate, a body's own, or a measure of the model as an expression of the coordinates."""
    import sympy

    if name in kin.symbol_of:
        return kin.symbol_of[name]
    owner, part = split_name(kin.description, name)
    if owner is None:
        return _named(kin, next(m for m in kin.description.measures if m.name == name))
    if isinstance(owner, int):
        moved = kin.r[owner] - kin.local_vector(GROUND, f"drawn_{name}", kin.drawing.position(owner), kin.drawing.size)
        return (exact_array(kin.turn.T, 1.0) @ moved)["xyz".index(part)]
    pair = Pair(kin, "joints", owner)
    if part in ("x", "y", "z", "displacement"):
        return pair.displacement["xyz".index(part) if part in "xyz" else 2]
    if part in ROTATIONS:
        return rotation_vector(pair)[ROTATIONS.index(part)]
    if kin.is_planar:
        return _counted(kin, name, pair.angle())
    return _counted(kin, name, sympy.atan2(*_sine_and_cosine(pair, part)))


def _named(kin: Kinematics, entry: Entry) -> Any:
    import sympy

    pair = Pair(kin, "measures", entry)
    if entry.type == "distance":
        return sympy.sqrt(pair.gap @ pair.gap)
    assert entry.type == "displacement", entry.type
    return pair.displacement[2]


def _sine_and_cosine(pair: Pair, part: str) -> tuple[Any, Any]:
    if part == "angle2":
        return pair.cosine(2, 1), pair.cosine(2, 2)
    return pair.cosine(1, 0), pair.cosine(0, 0)


def _counted(kin: Kinematics, name: str, angle: Any) -> Any:
    """An angle with what it lacks to the value at the reference: full turns, and what markers are turned."""
    where = {**kin.pool.values, **dict(zip(kin.coordinates.q, kin.coordinates.reference, strict=True))}
    where[kin.coordinates.t] = kin.place.t
    rest = kin.place.coordinates[name] - float(angle.subs(where))
    turns = round(rest / (2 * np.pi))
    if abs(rest - 2 * np.pi * turns) < 1e-9:
        import sympy

        return angle + 2 * turns * sympy.pi
    return angle + kin.pool.number(f"offset_{name}", rest)


def rate_row(kin: Kinematics, name: str) -> np.ndarray:
    """(f,) how the variation of a coordinate of the linear equations follows the variations of q.

    Three rotations vary as small rotations about the axes of the first frame; an angle about an axis likewise.
    """
    owner, part = split_name(kin.description, name)
    q = kin.coordinates.q
    if name in kin.symbol_of:
        return kin.coordinates.gradient([kin.symbol_of[name]], q)[0]
    if isinstance(owner, int) and part in ROTATIONS:
        return (exact_array(kin.turn.T, 1.0) @ (kin.S[owner] @ kin.angular(owner)))[ROTATIONS.index(part)]
    if isinstance(owner, Entry) and part in (*ROTATIONS, "angle", "angle1", "angle2"):
        pair = Pair(kin, "joints", owner)
        axes = {"rx": pair.F1[:, 0], "ry": pair.F1[:, 1], "angle2": pair.F2[:, 0]}
        return axes.get(part, pair.F1[:, 2]) @ pair.turning()
    return kin.coordinates.gradient([measure(kin, name)], q)[0]


def rotation_vector(pair: Pair) -> np.ndarray:
    """(3,) rotation vector of the second frame in the first, exact to second order about the reference.

    With the relative rotation exp(e) R0, e follows from the skew part of exp(e) up to third order, and the vector is
    s0 + B e + (dB/ds B e) e / 2 with B the inverse left Jacobian: ds = B(s) de. In the plane it is the angle itself.
    """
    if is_plane_angle(pair):
        return np.array([0, 0, pair.angle()], object)
    kin, name, second = pair.kin, pair.entry.name, pair.second
    now = [kin.placed(side.body) @ side.frame for side in (pair.first, second)]
    s0 = log(now[0].T @ now[1])
    s0 = np.where(np.abs(s0) < 1e-14, 0.0, s0)
    carried = kin.base[second.body] @ kin.turn @ second.frame @ now[1].T @ now[0]  # first frame, carried by the second
    carried = exact_array(carried, 1.0)
    columns = [kin.pool.vector(f"{name}_{'xyz'[k]}", carried[:, k]) for k in range(3)]
    small = pair.F1.T @ (kin.S[second.body] @ np.stack(columns, axis=1))
    e = np.array([small[2, 1] - small[1, 2], small[0, 2] - small[2, 0], small[1, 0] - small[0, 1]], object) / 2
    if not s0.any():
        return e
    B, slope = _inverse_jacobian(s0)
    linear = kin.pool.matrix(f"B_{name}", B) @ e
    bent = [kin.pool.matrix(f"B{k + 1}_{name}", slope[:, :, k]) @ e * linear[k] for k in range(3)]
    return kin.pool.vector(f"s0_{name}", s0) + linear + sum(bent, start=0 * E[0]) / 2


def is_plane_angle(pair: Pair) -> bool:
    """Whether the rotation vector is the angle about z and nothing else, exactly and everywhere."""
    plane = pair.kin.plane
    if plane is None or not np.allclose(pair.first.frame, pair.second.frame, rtol=0, atol=1e-12):
        return False
    along = np.abs(pair.kin.turn @ pair.first.frame[:, 2])[plane.normal]
    return bool(along > 1 - 1e-12) and abs(_turned(pair)) < np.pi


def _turned(pair: Pair) -> float:
    kin, c = pair.kin, pair.kin.coordinates
    where = {**kin.pool.values, **dict(zip(c.q, c.reference, strict=True)), c.t: kin.place.t}
    return float(pair.angle().subs(where))


def _inverse_jacobian(s: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """B(s) = 1 - s~/2 + c(s.s) s~^2 and its derivatives (3, 3, k) by s_k."""
    c, c1, _ = cotangent_coefficient(np.asarray(s @ s))
    tilde = skew(s)
    B = np.eye(3) - tilde / 2 + c * tilde @ tilde
    slope = np.empty((3, 3, 3))
    for k in range(3):
        d = skew(np.eye(3)[k])
        slope[:, :, k] = -d / 2 + c * (d @ tilde + tilde @ d) + 2 * s[k] * c1 * tilde @ tilde
    return B, slope
