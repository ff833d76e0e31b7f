"""A scene that moves, as formats of pictures in space take it: triangles carried by nodes, and motions of the nodes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, slots=True, eq=False)
class Triangles:
    """vertices (n, 3) in the axes of what carries them, faces (m, 3)."""

    vertices: np.ndarray
    faces: np.ndarray


@dataclass(frozen=True, slots=True, eq=False)
class Node:
    """One thing: where it is in its parent (a number of a node, -1: the world), and what it looks like (-1: nothing).

    pose (10,) is translation, quaternion (x, y, z, w) and scale.
    """

    name: str
    parent: int
    mesh: int
    color: str
    pose: np.ndarray


@dataclass(frozen=True, slots=True, eq=False)
class Tube:
    """What bends: triangles in the world, whose vertices are displaced."""

    name: str
    color: str
    mesh: Triangles


@dataclass(frozen=True, slots=True, eq=False)
class Motion:
    """One period. poses (frames, len(moved), 10) of the nodes `moved`; of each tube the complex displacement (n, 3) of
    its vertices, whose real part times exp(i phase) is seen. The phases of the frames go from 0 to 2 pi, both included.
    """

    name: str
    hz: float
    phases: np.ndarray
    moved: np.ndarray
    poses: np.ndarray
    bends: tuple[np.ndarray, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Moving:
    """Meshes, nodes that carry them, tubes that bend, and motions; `up` (3,) is the direction against gravity."""

    name: str
    up: np.ndarray
    meshes: tuple[Triangles, ...]
    nodes: tuple[Node, ...]
    tubes: tuple[Tube, ...]
    motions: tuple[Motion, ...]

    def world(self, motion: Motion | None = None, frame: int = 0) -> np.ndarray:
        """(nodes, 4, 4) transformations to the world, at rest or in a frame of a motion."""
        poses = np.array([node.pose for node in self.nodes]).reshape(-1, 10)
        if motion is not None:
            poses[motion.moved] = motion.poses[frame]
        out = transformations(poses)
        for k, node in enumerate(self.nodes):
            if node.parent >= 0:  # parents stand before their children
                out[k] = out[node.parent] @ out[k]
        return out

    def vertices(self, motion: Motion | None = None, frame: int = 0) -> np.ndarray:
        """(n, 3) all vertices in the world, in the order of `faces`."""
        parts = [np.zeros((0, 3))]
        for node, T in zip(self.nodes, self.world(motion, frame), strict=True):
            if node.mesh >= 0:
                parts.append(self.meshes[node.mesh].vertices @ T[:3, :3].T + T[:3, 3])
        for k, tube in enumerate(self.tubes):
            turn = 0.0 if motion is None else np.real(motion.bends[k] * np.exp(1j * motion.phases[frame]))
            parts.append(tube.mesh.vertices + turn)
        return np.concatenate(parts)

    @property
    def faces(self) -> tuple[np.ndarray, np.ndarray]:
        """(m, 3) triangles among all vertices, and which thing (m,) each belongs to: nodes, then tubes."""
        meshes = [(k, self.meshes[node.mesh]) for k, node in enumerate(self.nodes) if node.mesh >= 0]
        meshes += [(len(self.nodes) + k, tube.mesh) for k, tube in enumerate(self.tubes)]
        parts, owners, first = [np.zeros((0, 3), int)], [np.zeros(0, int)], 0
        for k, mesh in meshes:
            parts.append(mesh.faces + first)
            owners.append(np.full(len(mesh.faces), k))
            first += len(mesh.vertices)
        return np.concatenate(parts), np.concatenate(owners)


def transformations(poses: np.ndarray) -> np.ndarray:
    """(n, 4, 4) of poses (n, 10)."""
    x, y, z, w = np.moveaxis(poses[:, 3:7], -1, 0)
    out = np.zeros((len(poses), 4, 4))
    out[:, 0, 0], out[:, 0, 1], out[:, 0, 2] = 1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)
    out[:, 1, 0], out[:, 1, 1], out[:, 1, 2] = 2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)
    out[:, 2, 0], out[:, 2, 1], out[:, 2, 2] = 2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)
    out[:, :3, :3] *= poses[:, None, 7:]
    out[:, :3, 3], out[:, 3, 3] = poses[:, :3], 1.0
    return out
