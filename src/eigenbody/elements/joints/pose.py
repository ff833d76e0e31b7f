"""Where the coordinates of a joint put its second frame, seen from the first: forward kinematics of every joint type,
read from the table of its measures."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from eigenbody.elements.joints.base import JointType, Tie
from eigenbody.elements.measures.templates import Angle, Displacement, Rotation, Template
from eigenbody.spatial.rotations import exp

X, Y, Z = np.eye(3)
AXES = {"x": X, "y": Y, "z": Z}
TURNS = {"z1": Z, "x2": X}  # of the axes of angles: about z of the first frame, then about x of the second


def relative_pose(
    joint: JointType, values: np.ndarray, keys: Mapping[str, np.ndarray]
) -> tuple[np.ndarray, np.ndarray]:
    """Origin p (..., n, 3) and axes R (..., n, 3, 3) of the second frame in the first, where the joint's coordinates
    have the values (..., n, k). Displacements add up, angles turn one after the other, components of a rotation vector
    turn at once. What a type holds in other ways than at zero or by a tie to its coordinates is not known here: the
    caller looks whether its rows hold."""
    p, vector, R = np.zeros(3), np.zeros(3), np.broadcast_to(np.eye(3), (*values.shape[:-1], 3, 3))
    for template, value in (*_moves(joint, values), *_ties(joint, values, keys)):
        along = value[..., None]
        if isinstance(template, Displacement):
            p = p + along * AXES[template.axis]
        elif isinstance(template, Angle):
            R = R @ exp(along * TURNS[template.about])
        elif isinstance(template, Rotation):
            vector = vector + along * AXES[template.axis]
    if vector.ndim > 1:
        R = R @ exp(vector)
    return np.broadcast_to(p, (*values.shape[:-1], 3)), R


def _moves(joint: JointType, values: np.ndarray) -> list[tuple[Template, np.ndarray]]:
    return [(template, values[..., k]) for k, template in enumerate(joint.free)]


def _ties(joint: JointType, values: np.ndarray, keys: Mapping[str, np.ndarray]) -> list[tuple[Template, np.ndarray]]:
    """What ties make of measures that are no coordinates: the advance of a screw."""
    out = []
    for tie in joint.held:
        shares = _shares(tie, joint, values, keys) if isinstance(tie, Tie) else None
        if shares is not None:
            out.append(shares)
    return out


def _shares(
    tie: Tie, joint: JointType, values: np.ndarray, keys: Mapping[str, np.ndarray]
) -> tuple[Template, np.ndarray] | None:
    """The one measure of a tie that is no coordinate, with its value; None where there are none or several."""
    own = [(template, factor if key is None else factor * keys[key]) for template, factor, key in tie.terms]
    others = [(template, factor) for template, factor in own if template not in joint.free]
    if len(others) != 1:
        return None
    sum_of_coordinates = sum(
        (factor * values[..., joint.free.index(template)] for template, factor in own if template in joint.free),
        start=np.zeros(values.shape[:-1]),
    )
    return others[0][0], -sum_of_coordinates / others[0][1]
