"""Volume, centroid and second moments of what a surface of triangles encloses, by the divergence theorem.

Each triangle a, b, c makes a tetrahedron with a point of reference. With s = a + b + c and V = a . (b x c) / 6

    integral x dV = V s / 4        integral x x^T dV = V (a a^T + b b^T + c c^T + s s^T) / 20
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

WELD = 1e-6  # of the extent: corners nearer than this, written differently by rounding, are one


@dataclass(frozen=True, slots=True, eq=False)
class Solid:
    """What a closed surface encloses: volume, centroid (3,), and the integral of x x^T about the centroid (3, 3)."""

    volume: float
    centroid: np.ndarray
    second: np.ndarray


class OpenSurfaceError(ValueError):
    """The surface encloses nothing that can be integrated; the text says why."""


def solid_of(vertices: np.ndarray, faces: np.ndarray) -> Solid:
    """The solid in a surface: vertices (n, 3), faces (m, 3) with normals outwards, or all inwards. Shells turned
    inwards inside another one are cavities. OpenSurfaceError where the surface is not closed."""
    vertices, faces = closed(vertices, faces)
    middle = 0.5 * (vertices.min(axis=0) + vertices.max(axis=0))
    corners = vertices[faces] - middle
    volumes = np.linalg.det(corners) / 6
    if volumes.sum() < 0:
        corners, volumes = corners[:, ::-1], -volumes
    total = float(volumes.sum())
    _refuse_misplaced_shells(faces, corners, volumes)
    size = float(np.ptp(vertices, axis=0).max())
    if not total > 1e-12 * size**3:
        raise OpenSurfaceError("it encloses no volume")
    s = corners.sum(axis=1)
    centroid = volumes @ s / (4 * total)
    about = (np.einsum("f,fki,fkj->ij", volumes, corners, corners) + np.einsum("f,fi,fj->ij", volumes, s, s)) / 20
    return Solid(total, middle + centroid, about - total * np.outer(centroid, centroid))


def closed(vertices: np.ndarray, faces: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The surface with equal corners made one; OpenSurfaceError unless its triangles meet at all edges, turned alike.
    Corners that rounding has moved apart are made one only where the surface is open without that."""
    size = float(np.ptp(vertices, axis=0).max(initial=0.0))
    if not size > 0 or not len(faces):
        raise OpenSurfaceError("it encloses no volume")
    welded = merged(vertices, faces, vertices + 0.0)
    if _unmatched(welded[1]):
        welded = merged(vertices, faces, np.round((vertices - vertices.min(axis=0)) / (WELD * size)))
    number = _unmatched(welded[1])
    if number and not _unmatched_either_way(welded[1]):
        raise OpenSurfaceError(f"its triangles are not turned alike at {number} edges: normals point in and out")
    if number:
        raise OpenSurfaceError(f"it is not watertight: {number} open edges")
    return welded


def merged(vertices: np.ndarray, faces: np.ndarray, keys: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The surface with those corners made one that have the same key (n, 3); triangles that collapse are left out."""
    first, number = like_rows(keys)
    return vertices[first], spread(number[faces])


def spread(faces: np.ndarray) -> np.ndarray:
    """The triangles with three different corners."""
    a, b, c = faces.T
    return faces[(a != b) & (b != c) & (c != a)]


def like_rows(keys: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Rows (n, 3) that are alike: the first of each kind, in their order, and the number of its kind for each row.

    Column by column, which sorts plain numbers: `np.unique` of rows takes ten times as long.
    """
    number = np.unique(keys[:, 0], return_inverse=True)[1].astype(np.int64)
    for column in (keys[:, 1], keys[:, 2]):
        values, own = np.unique(column, return_inverse=True)
        number = np.unique(number * len(values) + own, return_inverse=True)[1].astype(np.int64)
    first = np.full(int(number.max(initial=-1)) + 1, len(keys))
    np.minimum.at(first, number, np.arange(len(keys)))
    return first, number


def _edges(faces: np.ndarray) -> np.ndarray:
    """Directed edges (3 m, 2)."""
    return np.concatenate((faces[:, :2], faces[:, 1:], faces[:, [2, 0]]))


def _either_way(edges: np.ndarray) -> np.ndarray:
    """A number for each edge (n, 2), the same for both directions."""
    edges = edges.astype(np.int64)
    return edges.min(axis=1) * (int(edges.max(initial=0)) + 1) + edges.max(axis=1)


def _unmatched(faces: np.ndarray) -> int:
    """Edges that are not run through as often one way as the other: zero for the boundary of a solid."""
    edges = _edges(faces)
    _, number = np.unique(_either_way(edges), return_inverse=True)
    return int(np.count_nonzero(np.bincount(number, np.where(edges[:, 0] < edges[:, 1], 1, -1))))


def _unmatched_either_way(faces: np.ndarray) -> int:
    """Edges with an odd number of triangles."""
    _, counts = np.unique(_either_way(_edges(faces)), return_counts=True)
    return int(np.count_nonzero(counts % 2))


def _refuse_misplaced_shells(faces: np.ndarray, corners: np.ndarray, volumes: np.ndarray) -> None:
    """Connected shells must bound matter one after the other: the others wind zero times around one that is turned
    outwards, once around one that is turned inwards. Corners (m, 3, 3) of the triangles, volumes (m,) below them."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    edges = _edges(faces)
    count = int(faces.max()) + 1
    graph = coo_array((np.ones(len(edges)), (edges[:, 0], edges[:, 1])), shape=(count, count))
    label = connected_components(graph, directed=False)[1]
    _, first, shell = np.unique(label[faces[:, 0]], return_index=True, return_inverse=True)
    number = len(first)
    if number == 1:
        return
    own = np.bincount(shell, volumes, number)
    order = np.argsort(shell, kind="stable")
    starts = np.searchsorted(shell[order], np.arange(number + 1))
    low, high = (
        f.reduceat(g(corners, axis=1)[order], starts[:-1]) for f, g in ((np.minimum, np.min), (np.maximum, np.max))
    )
    for i, point in enumerate(corners[first, 0]):
        around = np.flatnonzero(np.all((low <= point) & (point <= high), axis=1))
        others = [order[starts[j] : starts[j + 1]] for j in around.tolist() if j != i]
        winding = _winding(corners[np.concatenate(others)] - point) if others else 0.0
        if own[i] < 0 and winding < 0.25:
            raise OpenSurfaceError("one of its shells has normals that point inwards and lies in no other one")
        if own[i] > 0 and winding > 0.75:
            raise OpenSurfaceError("one of its shells lies inside another one, and both are turned outwards")


def _winding(corners: np.ndarray) -> float:
    """How often triangles (m, 3, 3) wind around the origin: their solid angles (van Oosterom and Strackee 1983)."""
    a, b, c = np.moveaxis(corners, 1, 0)
    la, lb, lc = (np.linalg.norm(side, axis=1) for side in (a, b, c))
    above = np.einsum("fi,fi->f", a, np.cross(b, c))
    ab, bc, ca = (np.einsum("fi,fi->f", x, y) for x, y in ((a, b), (b, c), (c, a)))
    return float(np.arctan2(above, la * lb * lc + ab * lc + bc * la + ca * lb).sum()) / (2 * np.pi)
