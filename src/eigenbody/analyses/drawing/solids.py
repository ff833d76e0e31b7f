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


def tube(points: np.ndarray, radius: float, corners: int = 8) -> tuple[Triangles, np.ndarray]:
    """A tube around a line of points (n, 3), and which point (vertices,) each of its vertices belongs to."""
    along = np.gradient(points, axis=0) if len(points) > 1 else np.array([[0.0, 0.0, 1.0]])
    along = along / np.maximum(np.linalg.norm(along, axis=1), 1e-300)[:, None]
    side = np.zeros_like(along)
    side[np.arange(len(along)), np.abs(along).argmin(axis=1)] = 1.0
    first = np.cross(along, side)
    first /= np.maximum(np.linalg.norm(first, axis=1), 1e-300)[:, None]
    for k in range(1, len(first)):  # the rings do not twist against each other
        first[k] = first[k - 1] - along[k] * (along[k] @ first[k - 1])
        first[k] /= max(float(np.linalg.norm(first[k])), 1e-300)
    second = np.cross(along, first)
    turn = 2 * np.pi * np.arange(corners) / corners
    ring = np.cos(turn)[None, :, None] * first[:, None] + np.sin(turn)[None, :, None] * second[:, None]
    vertices = (points[:, None] + radius * ring).reshape(-1, 3)
    return Triangles(vertices, ring_faces(len(points), corners)), np.repeat(np.arange(len(points)), corners)
