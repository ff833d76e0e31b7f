"""Instantaneous screw axes of bodies from their small motion."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from eigenbody.spatial.rotations import cross, dot

STILL = 1e-9  # of the largest motion in the mode: less is none
STRAIGHT = 1e-9  # turning, times the mechanism's length, that is none beside the displacement
IN_PHASE = 1e-6  # part of the motion out of phase that lets the axis wander


@dataclass(frozen=True, slots=True, eq=False)
class Screws:
    """Screw axis of every body in every mode, global axes, at the instant of the cycle when the body moves fastest.

    point      (n, bodies, 3) the point of the axis nearest to the centre of mass; nan where the body only translates
    direction  (n, bodies, 3) unit vector of the rotation, or of the displacement where there is no rotation; nan: still
    pitch      (n, bodies) displacement along the axis per radian, m/rad; inf for a translation, nan: still
    wanders    (n, bodies) bool: parts of the motion are out of phase, the axis moves during a cycle
    """

    point: np.ndarray
    direction: np.ndarray
    pitch: np.ndarray
    wanders: np.ndarray


def fastest(motion: np.ndarray) -> np.ndarray:
    """Re(motion exp(i phase)) (..., m) at the phase at which it is largest."""
    turn = np.exp(-0.5j * np.angle((motion * motion).sum(axis=-1)))
    return (motion * turn[..., None]).real


def planarity(motion: np.ndarray) -> np.ndarray:
    """(...,) 1 for a complex vector (..., m) in one phase, 0 for a circle."""
    size = (np.abs(motion) ** 2).sum(axis=-1)
    return np.abs((motion * motion).sum(axis=-1)) / np.where(size > 0, size, 1.0)


def screws(position: np.ndarray, twist: np.ndarray, length: float) -> Screws:
    """Screw axes of motions twist (n, bodies, 6) of bodies with centres at position (bodies, 3)."""
    weight = np.repeat((1.0, length), 3)
    top = np.abs(twist * weight).max(axis=(1, 2), initial=0.0)[:, None]
    scaled = twist * weight / np.where(top > 0, top, 1.0)[..., None]
    now = fastest(scaled)
    v, w = now[..., :3], now[..., 3:] / length
    size = np.sqrt(dot(now, now))
    moves = size > STILL
    turning = np.sqrt(dot(w, w))
    turns = moves & (turning * length > STRAIGHT * size)
    square = np.where(turns, turning**2, 1.0)
    along = np.where(turns[..., None], w, v)
    norm = np.sqrt(dot(along, along))
    point = position + cross(w, v) / square[..., None]
    return Screws(
        point=np.where(turns[..., None], point, np.nan),
        direction=np.where(moves[..., None], along / np.where(norm > 0, norm, 1.0)[..., None], np.nan),
        pitch=np.where(turns, dot(w, v) / square, np.where(moves, np.inf, np.nan)),
        wanders=moves & (1.0 - planarity(scaled) > IN_PHASE),
    )
