"""Rotation matrices from what users write; complex input passes through analytically."""

from __future__ import annotations

from typing import Any

import numpy as np

_UNIT = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}


def about_axis(axis: Any, angle: Any) -> np.ndarray:
    """Rotation (3, 3) by `angle` (rad) about `axis` (any length but zero), right-handed."""
    axis = np.asarray(axis)
    x, y, z = axis / np.sqrt(np.sum(axis * axis))
    skew = np.array([[0 * x, -z, y], [z, 0 * x, -x], [-y, x, 0 * x]])
    return np.eye(3) + np.sin(angle) * skew + (1 - np.cos(angle)) * (skew @ skew)


def from_sequence(sequence: str, angles: Any, extrinsic: bool) -> np.ndarray:
    """Product of rotations about the named axes: intrinsic R1 R2 R3, extrinsic R3 R2 R1."""
    rotation = np.eye(3)
    for letter, angle in zip(sequence.lower(), angles, strict=True):
        step = about_axis(_UNIT[letter], angle)
        rotation = step @ rotation if extrinsic else rotation @ step
    return rotation


def from_quaternion(quaternion: Any) -> np.ndarray:
    """Rotation (3, 3) of a quaternion [w, x, y, z] of any length but zero."""
    quaternion = np.asarray(quaternion)
    w, x, y, z = quaternion / np.sqrt(np.sum(quaternion * quaternion))
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )
