"""How the nodes of flexible bodies move: with their floating frame, and by the modal coordinates."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from eigenbody.linearization.point import OperatingPoint
from eigenbody.model.description import FlexibleBody
from eigenbody.spatial.rotations import apply, cross


@dataclass(frozen=True, slots=True, eq=False)
class NodeMotion:
    """Small motion of N nodes of flexible bodies in n modes, global axes.

    bodies    (N,) name of the body that each node belongs to
    names     (N,) its name on that body
    position  (N, 3) where it is at the operating point, m
    move      (n, N, 3) complex displacement, m
    turn      (n, N, 3) complex small rotation, rad
    """

    bodies: tuple[str, ...]
    names: tuple[str, ...]
    position: np.ndarray
    move: np.ndarray
    turn: np.ndarray

    def __len__(self) -> int:
        return len(self.names)


def node_motion(point: OperatingPoint, motion: np.ndarray) -> NodeMotion:
    """Of all flexible bodies, from the motion (n, rows, 6) of the rows of the table of bodies in global axes."""
    flexible = point.system.description.flexible
    parts = [_of_body(point, body, motion) for body in flexible]
    count = len(motion)
    return NodeMotion(
        tuple(body.name for body in flexible for _ in body.reduced.names),
        tuple(name for body in flexible for name in body.reduced.names),
        np.concatenate([np.zeros((0, 3)), *(part[0] for part in parts)]),
        np.concatenate([np.zeros((count, 0, 3)), *(part[1] for part in parts)], axis=1),
        np.concatenate([np.zeros((count, 0, 3)), *(part[2] for part in parts)], axis=1),
    )


def _of_body(
    point: OperatingPoint, body: FlexibleBody, motion: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Position (N, 3), displacement and rotation (n, N, 3) of its nodes."""
    index, reduced = point.system.places.index, body.reduced
    frame, carriers = index[body.name], [index[name] for name in body.carriers]
    R = np.real(point.state.R[frame])
    move, turn = np.real(reduced.move), np.real(reduced.turn)
    eta = np.real(point.state.r[carriers]).reshape(-1)[: reduced.modes]
    bent = motion[:, carriers, :3].reshape(len(motion), 3 * len(carriers))[:, : reduced.modes]  # (n, m)
    if reduced.bow is not None and eta.any():
        bow = 2 * np.real(reduced.bow) @ eta  # (N, 6, m)
        move, turn = move + bow[:, :3], turn + bow[:, 3:]
    arm = apply(R, np.real(reduced.nodes - reduced.centre) + reduced.displacement(eta[None])[0])  # (N, 3)
    spin = np.broadcast_to(motion[:, None, frame, 3:], (len(motion), len(arm), 3))
    moved = motion[:, None, frame, :3] + cross(spin, np.broadcast_to(arm, spin.shape))
    moved, turned = (a + _bent_by(R, shape, bent) for a, shape in ((moved, move), (spin, turn)))
    return np.real(point.state.r[frame]) + arm, moved, turned


def _bent_by(R: np.ndarray, shape: np.ndarray, amplitudes: np.ndarray) -> np.ndarray:
    """(k, N, 3) in global axes, by shapes (N, 3, m) and amplitudes (k, m)."""
    return np.moveaxis(R @ (shape @ amplitudes.T), -1, 0)
