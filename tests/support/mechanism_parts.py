"""Random points, bodies and joints, and a builder that names them."""

import numpy as np
from scipy.spatial.transform import Rotation

# Numbers, points, bodies ---------------------------------------------------------------------------------------------


def decimal(rng: np.random.Generator, low: float, high: float, digits: int = 3) -> float:
    """A short decimal number between `low` and `high`."""
    return round(float(rng.uniform(low, high)), digits)


def numbers(values: np.ndarray) -> list:
    """Plain Python numbers."""
    return np.asarray(values, dtype=float).tolist()


def direction(rng: np.random.Generator) -> np.ndarray:
    """A random unit vector."""
    v = rng.normal(size=3)
    return v / np.linalg.norm(v)


def perpendicular(rng: np.random.Generator, axis: np.ndarray) -> np.ndarray:
    """A random unit vector perpendicular to `axis`."""
    v = np.cross(axis, direction(rng))
    return v / np.linalg.norm(v)


def beside(rng: np.random.Generator, point: np.ndarray, low: float = 0.2, high: float = 0.8) -> np.ndarray:
    """A random point at a distance between `low` and `high` from `point`."""
    return np.round(point + direction(rng) * rng.uniform(low, high), 4)


def random_rotation(rng: np.random.Generator) -> dict:
    """A `rotation` entry in one of the three notations."""
    match rng.integers(3):
        case 0:
            return {"axis": numbers(np.round(direction(rng), 3)), "angle": decimal(rng, -2.5, 2.5)}
        case 1:
            sequence = str(rng.choice(["zxz", "xyz", "zyx", "yxz", "xzx"]))
            return {"sequence": sequence, "angles": [decimal(rng, -1.5, 1.5) for _ in range(3)]}
    x, y, z, w = Rotation.random(random_state=rng).as_quat()
    return {"quaternion": numbers([w, x, y, z])}


def random_body(rng: np.random.Generator, at: np.ndarray) -> dict:
    """A body with the inertia of a random cloud of points, so that it is physically possible."""
    mass = decimal(rng, 0.5, 5)
    cloud = rng.normal(size=(8, 3)) * rng.uniform(0.12, 0.35, size=3)
    cloud -= cloud.mean(axis=0)
    inertia = mass / 8 * (np.eye(3) * np.sum(cloud**2) - cloud.T @ cloud)
    body = {"mass": mass, "inertia": _inertia_entry(rng, inertia), "at": numbers(at)}
    if rng.random() < 0.6:
        body["rotation"] = random_rotation(rng)
    return body


def _inertia_entry(rng: np.random.Generator, inertia: np.ndarray) -> list:
    match rng.choice(["6", "3", "3x3"], p=[0.6, 0.2, 0.2]):
        case "6":
            return numbers(inertia[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]])
        case "3":
            return numbers(np.linalg.eigvalsh(inertia))
    return numbers((inertia + inertia.T) / 2)


# Joints --------------------------------------------------------------------------------------------------------------


def random_joint(rng: np.random.Generator, kind: str, between: list[str], at: np.ndarray) -> dict:
    """A joint of type `kind` with random axes, or with the default ones now and then."""
    joint = {"type": kind, "between": between, "at": numbers(at)}
    axis = direction(rng) if rng.random() < 0.8 else np.round(direction(rng) * 2, 2)
    if kind in ("universal", "perpendicular"):
        joint["axis"] = numbers(axis)
        joint["axis2"] = numbers(perpendicular(rng, axis))
    elif rng.random() < 0.85:
        joint["axis"] = numbers(axis)
        if rng.random() < 0.25:
            joint["axis2"] = numbers(direction(rng))
    if kind == "screw":
        joint["pitch"] = decimal(rng, 0.03, 0.2) * int(rng.choice([-1, 1]))
    if kind == "distance":
        joint["at"] = [joint["at"], numbers(beside(rng, at, 0.3, 1.2))]
    return joint


class Builder:
    """Collects bodies and joints under fresh names."""

    def __init__(self, rng: np.random.Generator):
        self.rng = rng
        self.document: dict = {"bodies": {}, "joints": {}}
        self.at = {"ground": np.zeros(3)}

    def body(self, at: np.ndarray) -> str:
        name = f"b{len(self.document['bodies']) + 1}"
        self.document["bodies"][name] = random_body(self.rng, at)
        self.at[name] = np.asarray(at)
        return name

    def joint(self, kind: str, between: list[str], at: np.ndarray, **keys) -> str:
        """A joint with random axes unless `keys` says otherwise."""
        name = f"j{len(self.document['joints']) + 1}"
        joint = random_joint(self.rng, kind, between, at)
        if "axis" in keys and kind != "universal":
            joint.pop("axis2", None)
        joint.update({key: numbers(value) if key in ("axis", "axis2") else value for key, value in keys.items()})
        self.document["joints"][name] = joint
        return name

    def revolute(self, a: str, b: str, at: np.ndarray, axis: np.ndarray, kind: str = "revolute", **keys) -> str:
        return self.joint(kind, [a, b] if self.rng.random() < 0.7 else [b, a], at, axis=axis, **keys)

    def grow(self, parent: str, kind: str) -> str:
        """A new body on `parent`."""
        point = beside(self.rng, self.at[parent], 0.2, 0.6)
        child = self.body(beside(self.rng, point, 0.2, 0.6))
        self.joint(kind, [parent, child] if self.rng.random() < 0.7 else [child, parent], point)
        if kind == "fixed" and self.rng.random() < 0.3:
            body = self.document["bodies"][child]
            self.document["bodies"][child] = {key: body[key] for key in ("mass", "at")}
        return child
