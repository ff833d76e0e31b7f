"""Small displacements of a rigid body from point to point and from frame to frame (Jiang, Chen & Luo, section 2.2)."""

from __future__ import annotations

import numpy as np

from eigenbody.spatial.rotations import skew


def to_point(arm: np.ndarray) -> np.ndarray:
    """T (6, 6): displacements of a point from those of the centre of mass, Eq. 15.

    U is the matrix of theta x arm. Eq. 14 as printed has the opposite sign, see docs/theory/topology.md.
    """
    T = np.eye(6)
    T[:3, 3:] = -skew(arm)
    return T


def to_frame(axes: np.ndarray) -> np.ndarray:
    """R (6, 6): the same displacements in the frame whose axes are the columns of `axes`, Eq. 10."""
    return np.kron(np.eye(2), axes.T)
