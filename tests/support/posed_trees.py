"""Random trees of joints, and their forward kinematics written for themselves: products of 4 x 4 matrices from the
model file's own words (docs/conventions.md), complex-safe, so that velocities and forces are complex steps of it."""

from __future__ import annotations

from typing import Any

import numpy as np

COORDINATES = {
    "revolute": ("angle",),
    "prismatic": ("displacement",),
    "cylindrical": ("displacement", "angle"),
    "screw": ("angle",),
    "universal": ("angle1", "angle2"),
    "spherical": ("rx", "ry", "rz"),
    "planar": ("x", "y", "angle"),
    "inline": ("displacement", "rx", "ry", "rz"),
    "free": ("x", "y", "z", "rx", "ry", "rz"),
    "fixed": (),
}
GRAVITY = np.array([0.4, -0.7, -9.81])


def random_tree(
    seed: int, bodies: int, kinds: tuple[str, ...] = tuple(COORDINATES), pitch: float = 0.07
) -> dict[str, Any]:
    """A document: joints of all kinds in random order, towards the ground as often as away from it."""
    rng = np.random.default_rng(seed)
    document: dict[str, Any] = {"eigenbody": 1, "gravity": GRAVITY.tolist(), "bodies": {}, "joints": {}}
    names = ["ground"]
    for i in range(bodies):
        parent, kind = names[rng.integers(0, i + 1)], kinds[rng.integers(len(kinds))]
        turn, angle = rng.normal(size=3), float(rng.uniform(-3, 3))
        document["bodies"][f"b{i}"] = {
            "mass": float(rng.uniform(0.5, 2)), "inertia": rng.uniform(0.9, 1.2, 3).tolist(),
            "at": rng.normal(size=3).tolist(), "rotation": {"axis": turn.tolist(), "angle": angle},
        }  # fmt: skip
        axis, other = rng.normal(size=3), rng.normal(size=3)
        between = [parent, f"b{i}"] if rng.random() < 0.5 else [f"b{i}", parent]
        joint = {"type": kind, "between": between, "at": rng.normal(size=3).tolist(), "axis": axis.tolist()}
        joint["axis2"] = (other - axis * (other @ axis) / (axis @ axis)).tolist()
        if kind == "screw":
            joint["pitch"] = pitch
        document["joints"][f"j{i}"] = joint
        names.append(f"b{i}")
    return document


def coordinates(document: dict[str, Any]) -> list[str]:
    """Names of all joint coordinates."""
    out = []
    for name, joint in document["joints"].items():
        labels = COORDINATES[joint["type"]]
        out += [name] if len(labels) == 1 else [f"{name}.{label}" for label in labels]
    return out


def rotation(vector: np.ndarray) -> np.ndarray:
    """Rodrigues' formula."""
    x, y, z = vector
    S = np.array([[0 * x, -z, y], [z, 0 * x, -x], [-y, x, 0 * x]])
    angle = np.sqrt(x * x + y * y + z * z)
    if angle == 0:
        return np.eye(3) + S
    return np.eye(3) + np.sin(angle) / angle * S + (1 - np.cos(angle)) / angle**2 * (S @ S)


def _pose(R: np.ndarray, p: np.ndarray) -> np.ndarray:
    out = np.eye(4, dtype=np.result_type(R, p))
    out[:3, :3], out[:3, 3] = R, p
    return out


def _inverse(X: np.ndarray) -> np.ndarray:
    return _pose(X[:3, :3].T, -X[:3, :3].T @ X[:3, 3])


def _between_frames(joint: dict[str, Any], q: dict[str, Any], name: str) -> np.ndarray:
    labels = COORDINATES[joint["type"]]
    v = {label: q.get(name if len(labels) == 1 else f"{name}.{label}", 0.0) for label in labels}
    along = v.get("displacement", v.get("z", 0.0)) + joint.get("pitch", 0.0) * v.get("angle", 0.0)
    p = np.array([v.get("x", 0.0), v.get("y", 0.0), along])
    R = rotation(np.array([0, 0, v.get("angle", v.get("angle1", 0.0))]))
    R = R @ rotation(np.array([v.get("angle2", 0.0), 0, 0]))
    return _pose(R @ rotation(np.array([v.get("rx", 0.0), v.get("ry", 0.0), v.get("rz", 0.0)])), p)


def poses(document: dict[str, Any], q: dict[str, Any]) -> dict[str, np.ndarray]:
    """Pose (4, 4) of every body where the joint coordinates have these values, others zero."""
    drawn, out = {"ground": np.eye(4)}, {"ground": np.eye(4)}
    for name, body in document["bodies"].items():
        axis = np.array(body["rotation"]["axis"])
        turn = rotation(axis / np.linalg.norm(axis) * body["rotation"]["angle"])
        drawn[name] = _pose(turn, np.array(body["at"]))
    for name, joint in document["joints"].items():
        z, x = np.array(joint["axis"]), np.array(joint["axis2"])
        z, x = z / np.linalg.norm(z), x / np.linalg.norm(x)
        frame = _pose(np.column_stack((x, np.cross(z, x), z)), np.array(joint["at"]))
        first, second = joint["between"]
        step = _inverse(drawn[first]) @ frame @ _between_frames(joint, q, name) @ _inverse(frame) @ drawn[second]
        if second in out:
            out[first] = out[second] @ _inverse(step)
        else:
            out[second] = out[first] @ step
    return out


def potential(document: dict[str, Any], q: dict[str, Any]) -> Any:
    """Energy of the weights."""
    found = poses(document, q)
    return -sum(body["mass"] * (GRAVITY @ found[name][:3, 3]) for name, body in document["bodies"].items())


def slope(document: dict[str, Any], q: dict[str, Any], name: str) -> float:
    """Derivative of the potential energy by a coordinate, by a complex step."""
    return float(np.imag(potential(document, {**q, name: q.get(name, 0.0) + 1e-30j})) / 1e-30)
