"""Tables 1 and 2 of Jiang, Chen & Luo: what joints hold (H), what they leave free (D), what transmissions couple (G).

Rows and columns are x, y, z, alpha, beta, gamma in the frame of the joint. Types that the paper does not list follow
the same rule. The axes of the frame are those of `joint_axes`.
"""

from __future__ import annotations

import numpy as np

from eigenbody.routes.joints import JOINTS

COMPONENTS = {  # what the words of `joints` hold, in the axes of `joint_axes`; "pitch" is the screw pair of Table 2
    "point": (0, 1, 2),
    "sideways": (0, 1),
    "along": (2,),
    "tilt": (3, 4),
    "rotation": (3, 4, 5),
    "crossed": (5,),
    "distance": (0,),
    "pitch": (),
}
SELECT: dict[str, tuple[int, ...]] = {  # G for one joint coordinate
    "displacement": (0, 0, 1, 0, 0, 0),
    "angle": (0, 0, 0, 0, 0, 1),
    "angle1": (0, 0, 0, 1, 0, 0),
    "angle2": (0, 0, 0, 0, 1, 0),
    "x": (1, 0, 0, 0, 0, 0),
    "y": (0, 1, 0, 0, 0, 0),
    "z": (0, 0, 1, 0, 0, 0),
}


def H(kind: str) -> np.ndarray:
    """What a joint holds (6, 6), Table 1."""
    held = np.zeros((6, 6))
    for k in (k for word in JOINTS[kind].held for k in COMPONENTS[word]):
        held[k, k] = 1.0
    return held


def D(kind: str) -> np.ndarray:
    """What a joint leaves free (f, 6): the rows of 1 - H that are not zero, Table 1."""
    free = np.eye(6) - H(kind)
    return free[free.any(axis=1)]


def G(label: str) -> np.ndarray:
    """The row (6,) that takes a joint coordinate out of the relative displacements of the joint, Table 2."""
    return np.array(SELECT[label], dtype=float)


def joint_axes(kind: str, F1: np.ndarray, F2: np.ndarray, gap: np.ndarray) -> np.ndarray:
    """Axes (3, 3) of the joint frame in which its H is diagonal, from the frames on both bodies and the gap (3,)."""
    if kind in ("universal", "perpendicular"):  # x along the axis of the first, y along axis2 of the second
        x, y = F1[:, 2], F2[:, 0]
        return np.column_stack([x, y, np.cross(x, y)])
    if kind == "distance":  # x along the line
        x = gap / np.linalg.norm(gap)
        side = np.eye(3)[np.abs(x).argmin()]
        y = np.cross(x, side) / np.linalg.norm(np.cross(x, side))
        return np.column_stack([x, y, np.cross(x, y)])
    return F1
