"""Unit solids as triangles, those that the page draws: box, cylinder, sphere, cone, ring; rod and coil from 0 to 1."""

from __future__ import annotations

from functools import cache

import numpy as np

from eigenbody.exchange.moving import Triangles

ROUND = 24  # corners of a circle
TURNS, PER_TURN, WIRE = 7, 16, 5  # of a coil: turns, points of each, corners of the wire
COIL = 0.16  # thickness of the wire


@cache
def unit_solid(kind: str) -> Triangles:
    """Box of edges 1; cylinder of radius 1 and height 1 along z; sphere of radius 1; cone of base radius 1 and height 1
    along z, all about their middle; ring of radius 1 about z. Rod and coil of radius 1 go along z from 0 to 1."""
    from trimesh import creation

    if kind == "coil":
        return _coil()
    if kind == "rod":
        rod = creation.cylinder(radius=1.0, height=1.0, sections=ROUND)
        return Triangles(np.asarray(rod.vertices) + np.array([0, 0, 0.5]), np.asarray(rod.faces))
    makers = {
        "box": lambda: creation.box(extents=(1, 1, 1)),
        "cylinder": lambda: creation.cylinder(radius=1.0, height=1.0, sections=ROUND),
        "sphere": lambda: creation.icosphere(subdivisions=3),
        "cone": lambda: creation.cone(radius=1.0, height=1.0, sections=ROUND),
        "ring": lambda: creation.torus(major_radius=0.93, minor_radius=0.07, major_sections=48, minor_sections=10),
    }
    mesh = makers[kind]()
    return Triangles(
        np.asarray(mesh.vertices) + np.array([0, 0, -0.5 if kind == "cone" else 0.0]), np.asarray(mesh.faces)
    )


def _coil() -> Triangles:
    count = TURNS * PER_TURN + 1
    t = np.linspace(0, 1, count)
    angle, size = 2 * np.pi * TURNS * t, np.minimum(1.0, np.minimum(t, 1 - t) / 0.05)
    middle = np.column_stack((size * np.cos(angle), size * np.sin(angle), t))
    across = np.column_stack((np.cos(angle), np.sin(angle), 0 * t))
    thick = np.array([COIL, COIL, 0.25 / TURNS])  # it is stretched along z
    turn = 2 * np.pi * np.arange(WIRE) / WIRE
    upward = np.array([0.0, 0.0, 1.0])
    ring = np.cos(turn)[None, :, None] * across[:, None] + np.sin(turn)[None, :, None] * upward
    return Triangles((middle[:, None] + ring * thick).reshape(-1, 3), ring_faces(count, WIRE))


def ring_faces(rings: int, corners: int) -> np.ndarray:
    """(2 (rings - 1) corners, 3) triangles between rings of so many corners, counted ring by ring."""
    a = (corners * np.arange(rings - 1)[:, None] + np.arange(corners)).ravel()
    b = (corners * np.arange(rings - 1)[:, None] + (np.arange(corners) + 1) % corners).ravel()
    both = np.stack((a, b, b + corners, a, b + corners, a + corners), axis=1)
    return both.reshape(-1, 3)


def loft(points: np.ndarray, sections: np.ndarray, is_round: bool) -> tuple[Triangles, np.ndarray, np.ndarray]:
    """A beam along a line of points (n, 3) with half its sizes along y and z as vectors (n - 1, 2, 2, 3) at both ends
    of every piece; which point (vertices,) each of its vertices belongs to, and its arm (vertices, 3) from there."""
    if is_round:
        turn = 2 * np.pi * np.arange(12) / 12
        corner = np.column_stack((np.cos(turn), np.sin(turn)))
    else:
        corner = np.array([[1.0, 1], [-1, 1], [-1, -1], [1, -1]])
    arms = np.einsum("cs,kesi->keci", corner, sections)  # piece, end, corner
    at = np.broadcast_to(np.arange(len(points) - 1)[:, None, None] + np.array([0, 1])[:, None], arms.shape[:3])
    n = len(corner)
    sides = ring_faces(2, n)
    fan = np.stack((np.zeros(n - 2, int), np.arange(1, n - 1), np.arange(2, n)), axis=1)
    piece = np.concatenate((sides, fan[:, ::-1], fan + n))
    faces = (2 * n * np.arange(len(points) - 1)[:, None, None] + piece).reshape(-1, 3)
    at, arms = at.ravel(), arms.reshape(-1, 3)
    return Triangles(points[at] + arms, faces), at, arms
