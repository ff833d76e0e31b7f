"""Small mechanisms of parameters, as a lecturer draws them, and random ones for the symbolic equations."""

from __future__ import annotations

import numpy as np

G = 9.81

SLIDER_PENDULUM = {  # Trom 1990, section 3.2.4
    "eigenbody": 1,
    "name": "Slider-pendulum",
    "parameters": {"m2": 10, "m3": 20, "l": 2, "j3": 15, "k": 20, "c": 0, "g": "9.81 m/s^2"},
    "gravity": [0, 0, "=-g"],
    "bodies": {
        "slider": {"mass": "=m2", "inertia": [1, 1, 1], "at": [0, 0, 0]},
        "pendulum": {"mass": "=m3", "inertia": ["=j3", "=j3", 1], "at": [0, 0, "=-l/2"]},
    },
    "joints": {
        "rail": {"type": "prismatic", "between": ["ground", "slider"], "at": [0, 0, 0], "axis": [0, 1, 0]},
        "hinge": {"type": "revolute", "between": ["slider", "pendulum"], "at": [0, 0, 0], "axis": [1, 0, 0]},
    },
    "forces": {"spring": {"type": "spring", "along": "rail", "k": "=k", "c": "=2*c"}},
    "coordinates": ["rail", "hinge"],
}

DOUBLE_PENDULUM = {
    "eigenbody": 1,
    "name": "Double pendulum",
    "parameters": {"m1": 2, "m2": 3, "l1": 1.5, "l2": 0.5, "g": G},
    "gravity": [0, 0, "=-g"],
    "bodies": {
        "upper": {"mass": "=m1", "at": [0, 0, "=-l1"]},
        "lower": {"mass": "=m2", "at": [0, 0, "=-l1 - l2"]},
    },
    "joints": {
        "phi1": {"type": "revolute", "between": ["ground", "upper"], "at": [0, 0, 0], "axis": [0, 1, 0]},
        "phi2": {"type": "revolute", "between": ["upper", "lower"], "at": [0, 0, "=-l1"], "axis": [0, 1, 0]},
    },
}

FOUR_BAR = {  # uneven, planar; the drawing follows its parameters
    "eigenbody": 1,
    "name": "Four-bar",
    "parameters": {"m": 2, "h": 0.5, "w": 1.1, "rise": 0.2, "k": 30, "damp": 0.4, "J": "=m*h**2/12", "g": G},
    "gravity": [0, 0, "=-g"],
    "bodies": {
        "crank": {"mass": "=m", "inertia": ["=J", "=J", "=J"], "at": [0, 0, "=h/2"]},
        "coupler": {"mass": "=2*m", "inertia": ["=J", "=J", "=J"], "at": ["=w/2", 0, "=h + rise/2"]},
        "rocker": {"mass": "=m", "inertia": ["=J", "=J", "=J"], "at": ["=w", 0, "=(h + rise)/2"]},
    },
    "joints": {
        "a": {"type": "revolute", "between": ["ground", "crank"], "at": [0, 0, 0], "axis": [0, 1, 0]},
        "b": {"type": "revolute", "between": ["crank", "coupler"], "at": [0, 0, "=h"], "axis": [0, 1, 0]},
        "c": {"type": "revolute", "between": ["coupler", "rocker"], "at": ["=w", 0, "=h + rise"], "axis": [0, -1, 0]},
        "d": {"type": "revolute", "between": ["ground", "rocker"], "at": ["=w", 0, 0], "axis": [0, 1, 0]},
    },
    "forces": {
        "twist": {"type": "spring", "along": "d", "k": "=k", "c": "=damp"},
        "stay": {"type": "spring", "between": ["ground", "coupler"], "at": [[0, 0, 2], ["=w/2", 0, "=h + rise/2"]],
                 "k": "=2*k", "free_length": 1},
    },
}  # fmt: skip

PENDULUM = {  # the lecture's example of the first kind
    "eigenbody": 1,
    "name": "Pendulum",
    "parameters": {"m": 3, "J": 0.4, "l": 0.7, "g": G},
    "gravity": [0, "=-g", 0],
    "bodies": {"rod": {"mass": "=m", "inertia": ["=J", "=J", "=J"], "at": [0, "=-l", 0]}},
    "joints": {"pin": {"type": "revolute", "between": ["ground", "rod"], "at": [0, 0, 0], "axis": [0, 0, 1]}},
}

DRIVEN = {  # a bead sliding on an arm that is turned
    "eigenbody": 1,
    "name": "Driven arm",
    "parameters": {"Omega": 3, "A": 0.2, "m": 2, "k": 90, "l0": 0.5},
    "bodies": {
        "arm": {"mass": 1, "inertia": [0.1, 0.1, 0.1], "at": [0, 0, 0]},
        "bead": {"mass": "=m", "inertia": [0.01, 0.02, 0.03], "at": ["=l0", 0, 0]},
    },
    "joints": {
        "spin": {"type": "revolute", "between": ["ground", "arm"], "at": [0, 0, 0], "axis": [0, 0, 1],
                 "motion": "=Omega*t + A*sin(t)"},
        "slide": {"type": "prismatic", "between": ["arm", "bead"], "at": ["=l0", 0, 0], "axis": [1, 0, 0]},
    },
    "forces": {"hold": {"type": "spring", "along": "slide", "k": "=k", "c": 1}},
}  # fmt: skip


def moved(document: dict, rng: np.random.Generator, drives: tuple[str, ...]) -> dict:
    """The same mechanism with other values of its parameters, in motion: `drives` are joints whose position and
    velocity are set."""
    values = {
        name: value if isinstance(value, str) else round(float(value * rng.uniform(0.7, 1.3)), 6) or 0.3
        for name, value in document["parameters"].items()
    }
    joints = {name: dict(joint) for name, joint in document["joints"].items()}
    for name in drives:
        joints[name]["position"] = float(rng.uniform(-0.3, 0.3))
        joints[name]["velocity"] = float(rng.uniform(-2, 2))
    return {**document, "parameters": values, "joints": joints}


# ---- random ones


def random_small(rng: np.random.Generator, kind: str) -> dict:
    """A mechanism of up to three bodies in motion, far from equilibrium: "planar tree", "planar loop" or "space"."""
    document = {"planar tree": _planar_tree, "planar loop": _planar_loop, "space": _space}[kind](rng)
    return {"eigenbody": 1, "name": kind, "gravity": rng.uniform(-9, 9, 3).round(2).tolist(), **document}


def _numbers(rng: np.random.Generator, count: int = 3) -> list[float]:
    return rng.uniform(-1, 1, count).round(2).tolist()


def _body(rng: np.random.Generator) -> dict:
    moments = rng.uniform(1.0, 1.9, 3).round(2).tolist()
    return {"mass": round(float(rng.uniform(0.5, 3)), 2), "inertia": moments, "at": _numbers(rng)}


def _spring(rng: np.random.Generator, between: list[str]) -> dict:
    at = [[p + s for p, s in zip(_numbers(rng), shift, strict=True)] for shift in ((0, 0, 0), (4, 4, 4))]
    return {"type": "spring", "between": between, "at": at, "k": round(float(rng.uniform(5, 50)), 1),
            "c": round(float(rng.uniform(0, 2)), 2), "free_length": round(float(rng.uniform(1, 5)), 2)}  # fmt: skip


def _planar_tree(rng: np.random.Generator) -> dict:
    """Revolute joints normal to a global plane and sliders in it, along a random tree."""
    normal = int(rng.integers(3))
    count = int(rng.integers(1, 4))
    names = ["ground", *(f"b{k + 1}" for k in range(count))]
    joints, forces = {}, {}
    for k in range(1, count + 1):
        other = names[int(rng.integers(k))]
        kind = "revolute" if rng.random() < 0.7 else "prismatic"
        axis = [0, 0, 0]
        axis[normal if kind == "revolute" else (normal + int(rng.integers(1, 3))) % 3] = int(rng.choice((-1, 1)))
        pair = [other, names[k]] if rng.random() < 0.7 else [names[k], other]
        joints[f"j{k}"] = {"type": kind, "between": pair, "at": _numbers(rng), "axis": axis,
                           "position": _numbers(rng, 1)[0], "velocity": 2 * _numbers(rng, 1)[0]}  # fmt: skip
        forces[f"f{k}"] = {"type": "spring", "along": f"j{k}", "k": round(float(rng.uniform(1, 30)), 1), "c": 0.5}
    forces["stay"] = _spring(rng, ["ground", names[-1]])
    return {"bodies": {name: _body(rng) for name in names[1:]}, "joints": joints, "forces": forces}


def _planar_loop(rng: np.random.Generator) -> dict:
    """A four-bar, or a crank with a rod and a slider, between random points of a global plane."""
    normal = int(rng.integers(3))
    axis = np.eye(3)[normal].tolist()

    def point(x: float, y: float) -> list[float]:
        out = [0.0, 0.0, 0.0]
        out[(normal + 1) % 3] = round(x + rng.uniform(-0.2, 0.2), 2)
        out[(normal + 2) % 3] = round(y + rng.uniform(-0.2, 0.2), 2)
        return out

    a, b, c, d = point(0, 0), point(0, 1), point(2, 1.5), point(2, 0)
    joints = {
        "a": {"type": "revolute", "between": ["ground", "b1"], "at": a, "axis": axis,
              "velocity": round(float(rng.uniform(-2, 2)), 2)},
        "b": {"type": "revolute", "between": ["b1", "b2"], "at": b, "axis": axis},
        "c": {"type": "revolute", "between": ["b2", "b3"], "at": c, "axis": axis},
    }  # fmt: skip
    if rng.random() < 0.5:
        joints["d"] = {"type": "revolute", "between": ["ground", "b3"], "at": d, "axis": axis}
    else:
        joints["d"] = {"type": "prismatic", "between": ["b3", "ground"], "at": d,
                       "axis": np.eye(3)[(normal + 1) % 3].tolist()}  # fmt: skip
    forces = {
        "twist": {"type": "spring", "along": "d", "k": 20.5, "c": 0.7, "free": 0.2},
        "oil": {"type": "damper", "along": "b", "c": 0.3},
        "stay": _spring(rng, ["ground", "b2"]),
    }
    return {"bodies": {name: _body(rng) for name in ("b1", "b2", "b3")}, "joints": joints, "forces": forces}


def _space(rng: np.random.Generator) -> dict:
    """A body on a joint of a random kind, or one that floats; axes are global ones."""
    kinds = {"universal": 2, "spherical": 3, "cylindrical": 2, "screw": 1, "free": 6}
    kind = str(rng.choice(list(kinds)))
    axes = np.eye(3)[rng.permutation(3)].astype(int).tolist()
    joint = {"type": kind, "between": ["ground", "b1"], "at": _numbers(rng), "axis": axes[0], "axis2": axes[1]}
    joint["velocity"] = rng.uniform(-2, 2, kinds[kind]).round(2).tolist()
    if kind == "screw":
        joint["pitch"] = 0.3
    if kind not in ("spherical", "free"):
        joint["position"] = rng.uniform(-1, 1, kinds[kind]).round(2).tolist()
    return {"bodies": {"b1": _body(rng)}, "joints": {"j1": joint}, "forces": {"stay": _spring(rng, ["ground", "b1"])}}
