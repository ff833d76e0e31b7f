"""Mechanisms that the generator does not draw: moving frames, many turns, rotations near a half turn, odd knife edges.

`SPECIAL` maps a name to a document. All of them move, none is at a corner of anything.
"""

import numpy as np

GRAVITY = {"gravity": [0, 0, -9.81]}
INERTIA = [0.3, 0.4, 0.5, 0.02, -0.03, 0.01]


def body(x: float, y: float, z: float, **keys) -> dict:
    return {"mass": 2, "inertia": INERTIA, "at": [x, y, z], **keys}


TURNTABLE = {"frames": {"table": {"about": [0.2, 0.1, 1], "at": [0.1, 0, 0], "rate": 1.7}}}

HINGE_ON_A_TURNTABLE = {
    **TURNTABLE,
    **GRAVITY,
    "bodies": {"b": body(0.4, 0.2, -0.5)},
    "joints": {"j": {"type": "revolute", "between": ["table", "b"], "at": [0.3, 0, 0], "axis": [0, 1, 0],
                     "velocity": 0.6}},
    "forces": {"spring": {"type": "spring", "along": "j", "k": 40}},
}  # fmt: skip

COORDINATE_MEASURED_IN_A_MOVING_FRAME = {
    **TURNTABLE,
    **GRAVITY,
    "bodies": {"b": body(0.4, 0.2, -0.5), "c": body(0.9, 0, 0.3)},
    "joints": {
        "j": {"type": "spherical", "between": ["table", "b"], "at": [0.3, 0, 0], "velocity": [0.3, 0.2, -1]},
        "k": {"type": "universal", "between": ["b", "c"], "at": [0.6, 0.1, 0.1], "axis": [1, 0, 0],
              "axis2": [0, 1, 1]},
    },
    "measures": {"m": {"type": "displacement", "between": ["b", "c"], "in": "table", "axis": [1, 1, 0]}},
    "forces": {
        "spring": {"type": "spring", "along": "m", "k": 40, "c": 2},
        "mount": {"type": "bushing", "between": ["table", "c"], "at": [0.5, 0.5, 0.5], "k": [100] * 6, "c": [1] * 6},
    },
    "coordinates": ["m"],
}  # fmt: skip

GEAR_AFTER_TWO_TURNS = {
    **GRAVITY,
    "bodies": {"a": body(0.2, 0, 0), "b": body(1, 0.2, 0)},
    "joints": {
        "p": {"type": "revolute", "between": ["ground", "a"], "at": [0, 0, 0], "axis": [0, 1, 0],
              "position": "800 deg", "velocity": 2},
        "q": {"type": "revolute", "between": ["ground", "b"], "at": [1, 0, 0], "axis": [0, 0, 1]},
    },
    "couplings": {"g": {"type": "gear", "joints": ["p", "q"], "ratio": -2.5}},
    "forces": {"spring": {"type": "spring", "along": "q", "k": 3}},
}  # fmt: skip

SCREW_AFTER_A_TURN = {
    **GRAVITY,
    "bodies": {"a": body(0, 0.1, -1), "b": body(0.5, 0.1, -1.3)},
    "joints": {
        "s": {"type": "screw", "between": ["ground", "a"], "at": [0, 0, 0], "axis": [1, 0, 1], "pitch": 0.05,
              "position": 9.0, "velocity": 3},
        "p": {"type": "prismatic", "between": ["a", "b"], "at": [0.3, 0, -1], "axis": [0, 1, 0], "velocity": 1},
    },
}  # fmt: skip

NEARLY_HALF_A_TURN = {
    **GRAVITY,
    "bodies": {"a": body(0.2, 0.3, 0)},
    "joints": {"p": {"type": "spherical", "between": ["ground", "a"], "at": [0, 0, 0], "position": [1.0, 2.5, 1.2],
                     "velocity": [0.5, -1, 2]}},
    "forces": {
        "mount": {"type": "bushing", "between": ["ground", "a"], "at": [0, 0.3, 0], "k": [100, 200, 300, 10, 20, 30],
                  "c": [1] * 6},
        "twist": {"type": "spring", "along": "p.ry", "k": 4, "c": 0.3},
    },
}  # fmt: skip

DRIVEN_BALL_JOINT = {
    **GRAVITY,
    "bodies": {"a": body(0.2, 0.3, 0)},
    "joints": {"p": {"type": "spherical", "between": ["ground", "a"], "at": [0, 0, 0], "velocity": [None, None, 2]}},
    "drivers": {
        "d": {"measure": "p.ry", "motion": "=0.4 + 0.5*sin(2*t) + 0.3*t"},
        "e": {"measure": "p.rx", "motion": "=-0.3 + 0.3*t"},
    },
    "forces": {"twist": {"type": "spring", "along": "p.rz", "k": 4, "c": 0.3}},
}

COUPLED_COMPONENTS_OF_A_BALL_JOINT = {
    **GRAVITY,
    "bodies": {"a": body(0.2, 0.3, 0)},
    "joints": {"p": {"type": "spherical", "between": ["ground", "a"], "at": [0, 0, 0], "position": [0.3, None, 0.5],
                     "velocity": [1, None, None]}},
    "couplings": {"g": {"type": "gear", "joints": ["p.rx", "p.ry"], "ratio": 2}},
}  # fmt: skip

BOTH_COORDINATES_PRESCRIBED = {
    **GRAVITY,
    "bodies": {"a": body(0.2, 0.3, 0), "b": body(0.6, 0.6, 0.2)},
    "joints": {
        "p": {"type": "cylindrical", "between": ["ground", "a"], "at": [0, 0, 0], "axis": [1, 1, 0],
              "motion": ["=0.1 + 0.4*t", "=t**2 + 3*t"]},
        "q": {"type": "universal", "between": ["a", "b"], "at": [0.4, 0.4, 0], "axis": [0, 0, 1], "axis2": [1, 0, 0],
              "velocity": [1, 2]},
    },
}  # fmt: skip

DRIVEN_DISTANCE = {
    **GRAVITY,
    "bodies": {"a": body(0, 0.1, -1)},
    "joints": {"p": {"type": "spherical", "between": ["ground", "a"], "at": [0, 0, 0], "velocity": [None, None, 2]}},
    "measures": {
        "d": {"type": "distance", "between": ["ground", "a"], "at": [[1, 0, 0], [0, 0.1, -1]]},
        "c": {"type": "cosine", "between": ["ground", "a"], "axis": [1, 0, 0], "axis2": [0, 1, 0]},
    },
    "drivers": {"e": {"measure": "d", "motion": "=sqrt(2.01) + 0.2*t + 0.1*t**2"}},
    "forces": {"f": {"type": "spring", "along": "c", "k": 3, "c": 1}},
    "coordinates": ["c", "p.rz"],
}

SLEIGH_ON_A_TURNING_DISC = {
    **GRAVITY,
    "bodies": {"disc": body(0, 0, 0), "a": body(0.2, 0.1, 0)},
    "joints": {
        "r": {"type": "revolute", "between": ["ground", "disc"], "at": [0, 0, 0], "velocity": 1.2},
        "p": {"type": "planar", "between": ["disc", "a"], "at": [0.1, 0.1, 0], "velocity": [0.5, None, 0.4]},
        "k": {"type": "knife_edge", "between": ["disc", "a"], "at": [0.1, 0.1, 0], "axis": [0, 1, 0]},
    },
    "forces": {"spring": {"type": "spring", "along": "p.x", "k": 4, "c": 0.3}},
}

THREE_BLADES_IN_A_ROW = {
    "bodies": {"a": body(0.2, 0, 0)},
    "joints": {
        "p": {"type": "planar", "between": ["ground", "a"], "at": [0, 0, 0], "axis2": [1, 0, 0], "velocity": [1, 0, 0]},
        **{f"k{i}": {"type": "knife_edge", "between": ["ground", "a"], "at": [0.3 * i, 0, 0], "axis": [0, 1, 0]}
           for i in range(3)},
    },
    "forces": {"spring": {"type": "spring", "along": "p.x", "k": 4, "c": 0.3}},
}  # fmt: skip

UNSYMMETRIC_BUSHING = {
    "bodies": {"a": body(0.2, 0.3, 0), "b": body(0.6, 0.6, 0.2)},
    "joints": {"f": {"type": "free", "between": ["ground", "a"], "velocity": [1, 2, 3, 0.4, 0.5, 0.6]}},
    "forces": {
        "s": {"type": "bushing", "between": ["a", "b"], "at": [0, 0.3, 0],
              "k": np.random.default_rng(0).uniform(5, 50, (6, 6)).tolist()},
        "g": {"type": "bushing", "between": ["ground", "b"], "at": [0.4, 0.3, 0], "axis": [1, 1, 1], "k": [10] * 6},
    },
}  # fmt: skip

POINT_MASSES_ON_RODS = {
    **GRAVITY,
    "bodies": {"a": {"mass": 1, "at": [0, 0, -1]}, "b": body(0.3, 0.2, -1.5), "c": {"mass": 2, "at": [0.6, 0.5, -1]}},
    "joints": {
        "r": {"type": "distance", "between": ["ground", "a"], "at": [[0, 0, 0], [0, 0, -1]]},
        "s": {"type": "spherical", "between": ["a", "b"], "at": [0, 0, -1], "velocity": [1, 2, 3]},
        "q": {"type": "distance", "between": ["b", "c"], "at": [[0.4, 0.2, -1.5], [0.6, 0.5, -1]]},
    },
    "forces": {"f": {"type": "spring", "between": ["ground", "c"], "at": [[1, 0, 0], [0.6, 0.5, -1]], "k": 20,
                     "free_length": 1}},
}  # fmt: skip

LOADS_IN_MARKER_AXES = {
    **GRAVITY,
    "bodies": {"a": body(0, 0.1, -1, rotation={"axis": [1, 2, 3], "angle": 0.6})},
    "markers": {"k": {"body": "a", "at": [0.1, 0.2, -1.2], "rotation": {"axis": [1, 0, 0], "angle": 1}}},
    "joints": {"p": {"type": "spherical", "between": ["ground", "a"], "at": [0, 0, 0], "velocity": [1, 2, 3]}},
    "forces": {
        "f": {"type": "force", "body": "k", "axes": "body", "value": [1, "=2*p.rx", "=t + p.ry'"]},
        "g": {"type": "torque", "body": "k", "axes": "body", "value": [1, "=2*p.rx", "=t + p.ry'"]},
    },
    "inputs": {
        "u": {"body": "k", "axes": "body", "direction": [1, 2, 3]},
        "w": {"body": "k", "torque": True, "direction": [1, 2, 3]},
    },
}

COORDINATES_OF_A_BODY = {
    **GRAVITY,
    "bodies": {"a": body(0, 0.1, -1), "b": body(0.5, 0.1, -1.3)},
    "joints": {
        "p": {"type": "universal", "between": ["ground", "a"], "at": [0, 0, 0], "axis": [1, 0, 0], "axis2": [0, 1, 0],
              "velocity": [1, 2]},
        "q": {"type": "spherical", "between": ["a", "b"], "at": [0.3, 0, -1], "velocity": [1, 0.4, 2]},
    },
    "coordinates": ["b.x", "b.y", "b.rx", "b.ry", "b.rz"],
    "forces": {"f": {"type": "spring", "along": "b.y", "k": 10}},
}  # fmt: skip

SPECIAL = {
    name.lower().replace("_", " "): {"eigenbody": 1, "name": name.lower().replace("_", " "), **document}
    for name, document in list(globals().items())
    if name.isupper() and isinstance(document, dict) and "bodies" in document
}
