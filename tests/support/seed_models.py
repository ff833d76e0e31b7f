"""Mechanisms of the seeds that several tests look at."""

from __future__ import annotations

SPUN = {"mass": 4, "inertia": [0.6, 0.6, 1.0], "at": [0, 0, 0]}


def four_bar_with_long_rocker() -> dict:
    """Section 4.4 with crank 4 of 2 m, its pivot raised by 1 m: the drawing is still an equilibrium."""
    return {
        "eigenbody": 1,
        "gravity": [0, 0, -9.81],
        "bodies": {
            "crank": {"mass": 10, "inertia": [5, 5, 5], "at": [0, 0, -0.5]},
            "coupler": {"mass": 10, "inertia": [5, 5, 5], "at": [0.5, 0, -1]},
            "rocker": {"mass": 10, "inertia": [5, 5, 5], "at": [1, 0, 0]},
        },
        "joints": {
            "a": {"type": "revolute", "between": ["ground", "crank"], "at": [0, 0, 0], "axis": [0, 1, 0]},
            "b": {"type": "universal", "between": ["crank", "coupler"], "at": [0, 0, -1], "axis": [0, 1, 0],
                  "axis2": [0, 0, 1]},
            "c": {"type": "spherical", "between": ["coupler", "rocker"], "at": [1, 0, -1]},
            "d": {"type": "revolute", "between": ["ground", "rocker"], "at": [1, 0, 1], "axis": [0, 1, 0]},
        },
    }  # fmt: skip


def on_a_bearing() -> dict:
    """One floating body; its translations are held by the bearing too, at 10 rad/s."""
    return {
        "eigenbody": 1,
        "bodies": {"rotor": SPUN},
        "joints": {"float": {"type": "free", "between": ["ground", "rotor"], "velocity": [0, 0, 0, 0, 0, 50]}},
        "forces": {"f": {"type": "bearing", "between": ["ground", "rotor"], "at": [0, 0, 0],
                         "k": [400, 400, 400, 500, 500, 0]}},
    }  # fmt: skip


def on_a_carrier() -> dict:
    """A massless carrier that tilts on two springs, and the rotor on a revolute joint in it."""
    return {
        "eigenbody": 1,
        "bodies": {"carrier": {"mass": 0, "inertia": [0, 0, 0], "at": [0, 0, 0]}, "rotor": SPUN},
        "joints": {
            "tilt": {"type": "universal", "between": ["ground", "carrier"], "at": [0, 0, 0], "axis": [1, 0, 0],
                     "axis2": [0, 1, 0]},
            "spin": {"type": "revolute", "between": ["carrier", "rotor"], "at": [0, 0, 0], "axis": [0, 0, 1],
                     "velocity": 50},
        },
        "forces": {
            "f1": {"type": "spring", "along": "tilt.angle1", "k": 500},
            "f2": {"type": "spring", "along": "tilt.angle2", "k": 500},
        },
    }  # fmt: skip
