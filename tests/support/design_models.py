"""Mechanisms whose parameters shape them: for derivatives by joint positions and preloads."""

import eigenbody as eb


def unequal_four_bar():
    """The spatial four-bar with a rocker of 2 m whose pivot is 1 m higher: its joint positions as parameters."""
    return eb.load(
        {
            "eigenbody": 1, "gravity": [0, 0, -9.81], "parameters": {"reach": 1.0, "height": 1.0},
            "bodies": {
                "crank": {"mass": 10, "inertia": [5, 5, 5], "at": [0, 0, -0.5]},
                "coupler": {"mass": 10, "inertia": [5, 5, 5], "at": [0.5, 0, -1]},
                "rocker": {"mass": 10, "inertia": [5, 5, 5], "at": ["=reach", 0, "=height/2 - 0.5"]},
            },
            "joints": {
                "a": {"type": "revolute", "between": ["ground", "crank"], "at": [0, 0, 0], "axis": [0, 1, 0]},
                "b": {"type": "universal", "between": ["crank", "coupler"], "at": [0, 0, -1], "axis": [0, 1, 0],
                      "axis2": [0, 0, 1]},
                "c": {"type": "spherical", "between": ["coupler", "rocker"], "at": ["=reach", 0, -1]},
                "d": {"type": "revolute", "between": ["ground", "rocker"], "at": ["=reach", 0, "=height"],
                      "axis": [0, 1, 0]},
            },
        }
    )  # fmt: skip


def preloaded_pair():
    """A mass between two stretched springs: across them only the preload is stiff."""
    return eb.load(
        {
            "eigenbody": 1, "parameters": {"k": 400.0, "free": 0.3, "c": 2.0},
            "bodies": {"m": {"mass": 2, "at": [0, 0, 0]}},
            "inputs": {"push": {"body": "m", "at": [0, 0, 0], "direction": [1, 1, 0]}},
            "outputs": {"a": {"measure": "m.y", "order": 2}},
            "forces": {
                side: {"type": "spring", "between": ["ground", "m"], "at": [[x, 0, 0], [0, 0, 0]], "k": "=k", "c": "=c",
                       "free_length": "=free"}
                for side, x in (("left", -0.5), ("right", 0.5))
            },
        }
    )  # fmt: skip
