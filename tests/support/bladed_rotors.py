"""Rotors with equal blades, of any number and kind, on a nacelle that tilts and slides on unequal springs."""

from typing import Any

import numpy as np

import eigenbody as eb
from floquet_references import BLADE, HUB

TURN = 2 * np.pi


def turned(azimuth: float, vector: Any) -> list[float]:
    """A vector turned about z."""
    c, s = np.cos(azimuth), np.sin(azimuth)
    return (np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]]) @ np.asarray(vector, dtype=float)).tolist()


def nacelle(speed: float, hub_height: float, mass: float = 8.0) -> dict[str, dict[str, Any]]:
    """A support with two slides and two tilts of unequal stiffness; the hub turns on it about z."""
    inertia = [0.5, 0.6, 0.4]
    joint = {"type": "revolute", "at": [0, 0, -0.7]}
    return {
        "bodies": {
            "slide": {"mass": 2, "inertia": inertia, "at": [0, 0, -0.7]},
            "bed": {"mass": 3, "inertia": inertia, "at": [0, 0, -0.7]},
            "fork": {"mass": 1, "inertia": inertia, "at": [0, 0, -0.7]},
            "nacelle": {"mass": mass, "inertia": inertia, "at": [0.05, 0.02, -0.3]},
            "hub": {"mass": 4, "inertia": [0.2, 0.2, 0.3], "at": [0, 0, hub_height]},
        },
        "joints": {
            "x": {"type": "prismatic", "between": ["ground", "slide"], "at": [0, 0, -0.7], "axis": [1, 0, 0]},
            "y": {"type": "prismatic", "between": ["slide", "bed"], "at": [0, 0, -0.7], "axis": [0, 1, 0]},
            "roll": {**joint, "between": ["bed", "fork"], "axis": [1, 0, 0]},
            "pitch": {**joint, "between": ["fork", "nacelle"], "axis": [0, 1, 0]},
            "spin": {
                "type": "revolute", "between": ["nacelle", "hub"], "at": [0, 0, hub_height], "axis": [0, 0, 1],
                "motion": f"={speed!r}*t",
            },
        },
        "forces": {
            "kx": {"type": "spring", "along": "x", "k": 5000, "c": 12},
            "ky": {"type": "spring", "along": "y", "k": 9000, "c": 15},
            "kroll": {"type": "spring", "along": "roll", "k": 4000, "c": 6},
            "kpitch": {"type": "spring", "along": "pitch", "k": 7000, "c": 8},
        },
    }  # fmt: skip


def ground_rotor(blades: int, speed: float = 20.0, kx: float = 1000.0, ky: float = 1000.0, **other: float) -> eb.Model:
    """A hub of 10 kg on springs along x and y, turning about z; bars hinged to it that lag (Coleman & Feingold)."""
    numbers = {"speed": speed, "kx": kx, "ky": ky, "c": 5.0, "cb": 0.2, "kb": 3.0, **other}
    origin = [0, 0, 0]
    bodies: dict[str, Any] = {
        "slide": {"mass": 0, "at": origin},
        "bed": {"mass": HUB / 2, "inertia": [1, 1, 1], "at": origin},
        "hub": {"mass": HUB / 2, "inertia": [0.1, 0.1, 0.1], "at": origin},
    }
    joints: dict[str, Any] = {
        "x": {"type": "prismatic", "between": ["ground", "slide"], "at": origin, "axis": [1, 0, 0]},
        "y": {"type": "prismatic", "between": ["slide", "bed"], "at": origin, "axis": [0, 1, 0]},
        "spin": {"type": "revolute", "between": ["bed", "hub"], "at": origin, "motion": "=speed*t"},
    }
    forces: dict[str, Any] = {
        "kx": {"type": "spring", "along": "x", "k": "=kx", "c": "=c"},
        "ky": {"type": "spring", "along": "y", "k": "=ky", "c": "=c"},
    }
    for i in range(blades):
        out = np.array([np.cos(TURN * i / blades), np.sin(TURN * i / blades), 0])
        middle = (BLADE["offset"] + BLADE["length"] / 2) * out
        moment = [BLADE["mass"] * BLADE["length"] ** 2 / 12] * 3
        bodies[f"b{i}"] = {"mass": BLADE["mass"], "inertia": moment, "at": middle.tolist()}
        hinge = {"type": "revolute", "between": ["hub", f"b{i}"], "at": (BLADE["offset"] * out).tolist()}
        joints[f"lag{i}"] = {**hinge, "axis": [0, 0, 1]}
        forces[f"hinge{i}"] = {"type": "spring", "along": f"lag{i}", "k": "=kb", "c": "=cb"}
    return eb.Model(parameters=numbers, bodies=bodies, joints=joints, forces=forces)


def hinged_rotor(count: int, speed: float, rng: np.random.Generator, start: float = 0.0) -> eb.Model:
    """Blades that flap and lag on knuckles and twist, all numbers drawn by chance, blades alike; names and axes of the
    bodies say nothing: they are shuffled and turned by chance."""
    parts = nacelle(speed, hub_height=0.4)
    offset, length, mass = rng.uniform(0.05, 0.2), rng.uniform(0.5, 0.9), rng.uniform(0.5, 1.5)
    flap, lag, twist = rng.uniform(5, 30, 3)
    tip = mass * length**2 / 12
    local = np.diag([0.01, tip, tip + 0.01])
    names = [f"blade{k}" for k in rng.permutation(count)]
    for b, name in enumerate(names):
        psi = start + TURN * b / count
        at = lambda radius, psi=psi: turned(psi, [radius, 0, 0.4])  # noqa: E731
        axis = rng.normal(size=3)
        angle = rng.uniform(-1, 1)
        own = _rotation(axis / np.linalg.norm(axis), angle)
        turn = np.array([turned(psi, e) for e in np.eye(3)]).T
        inertia = own.T @ turn @ local @ turn.T @ own
        parts["bodies"] |= {
            f"knuckle {name}": {"mass": 0.2, "inertia": [0.001] * 3, "at": at(offset)},
            f"cuff {name}": {"mass": 0.1, "inertia": [0.001] * 3, "at": at(offset)},
            name: {
                "mass": mass, "inertia": inertia.tolist(), "at": at(offset + length / 2),
                "rotation": {"axis": axis.tolist(), "angle": angle},
            },
        }  # fmt: skip
        parts["joints"] |= {
            f"lag {name}": _hinge("hub", f"knuckle {name}", at(offset), [0, 0, 1]),
            f"flap {name}": _hinge(f"knuckle {name}", f"cuff {name}", at(offset), turned(psi, [0, -1, 0])),
            f"twist {name}": _hinge(f"cuff {name}", name, at(offset), turned(psi, [1, 0, 0])),
        }
        for kind, k in (("lag", lag), ("flap", flap), ("twist", twist)):
            parts["forces"][f"{kind} spring {name}"] = {
                "type": "spring", "along": f"{kind} {name}", "k": k, "c": 0.01 * k,
            }  # fmt: skip
    return eb.Model(**parts)


def flexible_rotor(count: int, speed: float) -> eb.Model:
    """Beams clamped to the hub, pitched by 20 degrees, so that flap and lag couple."""
    parts = nacelle(speed, hub_height=0.4)
    parts["flexible"] = {}
    for b in range(count):
        psi = TURN * b / count
        root, tip = turned(psi, [0.1, 0, 0.4]), turned(psi, [0.9, 0, 0.4])
        parts["flexible"][f"blade{b}"] = {
            "type": "beam", "points": [root, tip], "E": 70e9, "nu": 0.3, "density": 2700, "width": 0.04,
            "height": 0.008, "y_axis": turned(psi, [0, np.cos(0.35), np.sin(0.35)]), "elements": 4, "modes": 2,
            "damping": 0.01,
        }  # fmt: skip
        parts["joints"][f"root{b}"] = {"type": "fixed", "between": ["hub", f"blade{b}.start"], "at": root}
    return eb.Model(**parts)


def lagging_rotor(count: int, speed: float, hub: str = "turning") -> eb.Model:
    """Bars that lag and flap on universal joints on a hub that is held on the shaft ("turning"), hangs on it in a
    gimbal ("gimbal"), or turns in a ball joint of the nacelle, seen from there, with a bearing ("ball")."""
    parts = nacelle(speed, hub_height=0.4)
    at = [0, 0, 0.4]
    if hub == "gimbal":
        parts["bodies"]["shaft"] = {"mass": 1, "inertia": [0.05, 0.05, 0.02], "at": at}
        parts["joints"]["spin"]["between"] = ["nacelle", "shaft"]
        parts["joints"]["gimbal"] = {
            "type": "universal", "between": ["shaft", "hub"], "at": at, "axis": [1, 0, 0], "axis2": [0, 1, 0],
        }  # fmt: skip
        for k in (1, 2):
            along = f"gimbal.angle{k}"
            parts["forces"][f"gimbal spring {k}"] = {"type": "spring", "along": along, "k": 300, "c": 1}
    elif hub == "ball":
        parts["joints"]["spin"] = {
            "type": "spherical", "between": ["nacelle", "hub"], "at": at, "velocity": [0, 0, speed],
        }  # fmt: skip
        parts["forces"]["seat"] = {
            "type": "bearing", "between": ["nacelle", "hub"], "at": at, "axis": [0, 0, 1],
            "k": [0, 0, 0, 300, 450, 0], "c": [0, 0, 0, 1, 1, 0],
        }  # fmt: skip
    for b in range(count):
        psi = TURN * b / count
        bar = np.diag([0.002, 0.03, 0.032])
        turn = np.array([turned(psi, e) for e in np.eye(3)]).T
        parts["bodies"][f"b{b}"] = {
            "mass": 1, "inertia": (turn @ bar @ turn.T).tolist(), "at": turned(psi, [0.4, 0, 0.4]),
        }  # fmt: skip
        parts["joints"][f"hinge{b}"] = {
            "type": "universal", "between": ["hub", f"b{b}"], "at": turned(psi, [0.1, 0, 0.4]), "axis": [0, 0, 1],
            "axis2": turned(psi, [0, -1, 0]),
        }  # fmt: skip
        for k, stiffness in ((1, 12.0), (2, 5.0)):
            along = f"hinge{b}.angle{k}"
            parts["forces"][f"spring{b} {k}"] = {"type": "spring", "along": along, "k": stiffness, "c": 0.1}
    return eb.Model(**parts)


def _hinge(first: str, second: str, at: list[float], axis: list[float]) -> dict[str, Any]:
    return {"type": "revolute", "between": [first, second], "at": at, "axis": axis}


def _rotation(axis: np.ndarray, angle: float) -> np.ndarray:
    """Rodrigues' formula."""
    K = np.array([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]])
    return np.eye(3) + np.sin(angle) * K + (1 - np.cos(angle)) * K @ K
