"""Symmetry of an elastic body about an axis: what turning about it makes of the modal coordinates.

A shape turned by alpha about the axis a is the shape of exp(alpha G) eta: G is the generator, the same for the inertia
of the deformed body, its stiffness and its damping. A body that has such a G moves the same whatever its angle about a.
"""

from __future__ import annotations

import numpy as np

from eigenbody.spatial.rotations import cross, skew
from eigenbody.structures.structure import Reduced

ON_AXIS = 1e-9  # of the length of the body: nodes this near to the axis lie on it
SYMMETRIC = 1e-8  # part of its size by which a quantity may change when the body turns


def spin_symmetry(reduced: Reduced, damping: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
    """The axis (3,) and G (m, m) of a body that is symmetric about the line of its nodes; None where it is not."""
    if not reduced.modes or len(reduced.nodes) < 2:
        return None
    axis = _line(np.real(reduced.nodes), np.real(reduced.centre))
    if axis is None:
        return None
    shapes, turned = (
        np.concatenate([change(np.real(part)).reshape(-1, reduced.modes) for part in (reduced.move, reduced.turn)])
        for change in (lambda shape: shape, lambda shape: np.moveaxis(cross(axis, np.moveaxis(shape, 1, -1)), -1, 1))
    )
    size = np.abs(shapes).max(axis=0)
    unit = np.concatenate([np.full(3 * len(reduced.nodes), s) for s in _units(reduced)])
    G = np.linalg.lstsq(shapes / unit[:, None], turned / unit[:, None], rcond=None)[0]
    off = np.abs(shapes @ G - turned) / unit[:, None]
    if np.any(off > SYMMETRIC * np.abs(size / unit.min()).max()) or not _is_symmetric(reduced, damping, axis, G):
        return None
    return axis, G


def _line(nodes: np.ndarray, centre: np.ndarray) -> np.ndarray | None:
    """Direction of the line through the centre on which all nodes lie."""
    from_centre = nodes - centre
    far = from_centre[np.argmax(np.linalg.norm(from_centre, axis=1))]
    length = float(np.linalg.norm(far))
    if not length:
        return None
    axis = far / length
    across = from_centre - np.outer(from_centre @ axis, axis)
    return axis if np.abs(across).max() <= ON_AXIS * length else None


def _units(reduced: Reduced) -> tuple[float, float]:
    """Size of displacements and of rotations in the shapes."""
    move, turn = (float(np.abs(np.real(part)).max(initial=0.0)) for part in (reduced.move, reduced.turn))
    return move or 1.0, turn or 1.0


def _is_symmetric(reduced: Reduced, damping: np.ndarray, axis: np.ndarray, G: np.ndarray) -> bool:
    """Whether inertia, stiffness and damping are the same when the body has turned."""
    A = skew(axis)
    J0, J1, J2, b, M, K = (
        np.real(getattr(reduced, name)) for name in ("J0", "J1", "J2", "b", "modal_mass", "stiffness")
    )
    C = np.real(damping)
    slope1 = np.einsum("lij,lk->kij", J1, G)
    slope2 = np.einsum("lmij,lk->kmij", J2, G) + np.einsum("kmij,ml->klij", J2, G)
    slope_b = np.einsum("lmi,lk->kmi", b, G) + np.einsum("kmi,ml->kli", b, G)
    changes = [
        (A @ J0 - J0 @ A, J0),
        (slope1 - (A @ J1 - J1 @ A), J1),
        (slope2 - (A @ J2 - J2 @ A), J2),
        (slope_b - np.einsum("ij,klj->kli", A, b), b),
        *_changes_of_bow(reduced, A, G),
        (G @ G @ G + G, G),  # displacements and rotations on the axis turn as vectors do
        (G.T @ M + M @ G, M),
        (G.T @ K + K @ G, K),
        (G.T @ C + C @ G, C),
    ]
    return all(np.abs(change).max(initial=0.0) <= SYMMETRIC * np.abs(own).max(initial=0.0) for change, own in changes)


def _changes_of_bow(reduced: Reduced, A: np.ndarray, G: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
    """How displacements and rotations of second order of the nodes change when the body has turned."""
    if reduced.bow is None:
        return []
    both = np.real(reduced.bow).reshape(-1, 2, 3, *G.shape)
    change = G.T @ both + both @ G - np.moveaxis(np.tensordot(A, both, axes=(1, 2)), 0, 2)
    return [(change[:, k], both[:, k]) for k in range(2)]
