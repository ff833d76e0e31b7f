"""Shapes of modes: the motion of every body, and of the generalized coordinates, each scaled by its largest."""

from __future__ import annotations

import numpy as np

from eigenbody.linearization.model import LinearModel
from eigenbody.linearization.point import OperatingPoint
from eigenbody.numerics.matrices.linear import blocks
from eigenbody.system.state import spread

TIE = 5e-10  # components of a shape that differ by less of the largest are equal
CACHED = 2**16  # entries of shapes that are compared at a time


def body_motion(P: np.ndarray, moved: np.ndarray) -> np.ndarray:
    """dq (n, nq) of coordinates (n, positions), real where they are; what the joints hold is left out."""
    rows = np.flatnonzero(P.any(axis=1))
    thin = P[rows].T
    out = np.zeros((len(moved), len(P)), dtype=complex if np.any(moved.imag) else float)
    if np.iscomplexobj(out):
        out.imag[:, rows] = moved.imag @ thin
    out.real[:, rows] = moved.real @ thin
    return out


def shapes_of(point: OperatingPoint, dq: np.ndarray, fallback: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Motion of every body from dq (n, nq), scaled so that the largest component is one; and the scale."""
    system = point.system
    motion = spread(system, dq)  # (n, bodies, 6)
    turned = motion[..., 3:].swapaxes(0, 1) @ np.real(point.state.R).mT  # all modes of a body at once
    motion[..., 3:] = turned.swapaxes(0, 1)
    weight = np.tile(np.repeat((1.0, system.length), 3), system.bodies)
    scale = largest(motion.reshape(len(dq), len(weight)), weight)
    still = scale == 0  # the bodies' own motion decides; only pure states have none
    scale[still] = largest(fallback[still], np.ones(fallback.shape[1]))
    scale[scale == 0] = 1.0
    if not np.iscomplexobj(motion) and not np.any(scale.imag):
        return (motion / scale.real[:, None, None]).astype(complex), scale
    return motion / scale[:, None, None], scale


def largest(rows: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """The largest entry (n,) complex of every row, times its weight; of entries equal to nine digits the first."""
    out = np.zeros(len(rows), dtype=complex)
    for block in blocks(len(rows), max(CACHED // max(rows.shape[1], 1), 1)) if rows.size else ():
        size = np.abs(rows[block]) * weight
        first = np.argmax(size >= (1 - TIE) * size.max(axis=1, keepdims=True), axis=1)
        out[block] = rows[block][np.arange(len(first)), first] * weight[first]
    return out


def coordinate_shapes(linear: LinearModel, states_shape: np.ndarray, is_rigid: np.ndarray) -> np.ndarray:
    """Coordinates and first-order states (n, coordinates + states) complex from linear states (n, states): those in
    rad times the radius of gyration, the largest one and real; of a motion at constant speed the velocities."""
    nS, nW = len(linear.coordinates), len(linear.velocities)
    own = np.hstack((states_shape[:, :nS], states_shape[:, nS + nW :])).astype(complex)
    drifts = is_rigid & (np.abs(own).max(axis=1, initial=0.0) == 0)
    if nS == nW:
        own[drifts, :nS] = states_shape[drifts, nS : nS + nW]
    turning = np.array([unit == "rad" for unit in linear.units.states[:nS]], dtype=bool)
    own[:, :nS] *= np.where(turning, linear.point.system.gyration, 1.0)
    scale = largest(own, np.ones(own.shape[1]))
    return own / np.where(scale == 0, 1.0, scale)[:, None]
