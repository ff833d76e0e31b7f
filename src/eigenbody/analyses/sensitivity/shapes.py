"""How the shape of a mode moves with numbers of the model."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from eigenbody.analyses.modes import Modes
from eigenbody.analyses.sensitivity.derivatives import Derivatives
from eigenbody.base.errors import ComputationError
from eigenbody.linearization.point import OperatingPoint
from eigenbody.numerics.eigen.clusters import EigenBasis
from eigenbody.numerics.eigen.vector_sensitivity import eigenvector_derivatives
from eigenbody.operating.shift import independent, shifted_point, with_steps
from eigenbody.spatial.rotations import apply
from eigenbody.system.state import spread

CHUNK_ENTRIES = 8_000_000  # complex numbers in one stack of matrices of the bodies


@dataclass(frozen=True, eq=False)
class ShapeSensitivity:
    """A shape and its derivatives by the named numbers; the component that is largest now stays one.

    bodies, d_bodies  (bodies, 6), (numbers, bodies, 6) complex: displacement of the centre of mass (m) and small
                      rotation (rad), global axes, scaled as `modes.shapes`
    states, d_states  (states,), (numbers, states) complex: the same motion in the linear state
    """

    names: tuple[str, ...]
    bodies: np.ndarray
    d_bodies: np.ndarray
    states: np.ndarray
    d_states: np.ndarray


def shape_sensitivity(found: Derivatives, modes: Modes, basis: EigenBasis, place: int, mode: int) -> ShapeSensitivity:
    """Of the mode with that index, whose eigenvalue is at `place` in the basis."""
    turned = eigenvector_derivatives(basis, found.linear.A, found.dA, [place])
    if turned.notes[0]:
        raise ComputationError(
            f"Mode {mode + 1} is one of several with equal eigenvalues: its shape is not determined."
        )
    z, dz = turned.vectors[:, 0], turned.derivatives[:, :, 0]
    point, nS = found.linear.point, len(found.linear.coordinates)
    dq, R = point.frame.P @ z[:nS], np.real(point.state.R)
    motion = spread(point.system, dq)
    here = np.concatenate((motion[:, :3], apply(R, motion[:, 3:])), axis=-1)
    change = np.empty((len(found.names), *here.shape), dtype=complex)
    for rows, few in _parts(found):
        change[rows] = _change(point, few, z[:nS], dz[rows][:, :nS])
    weighted = (here * np.repeat((1.0, point.system.length), 3)).ravel()
    moving = change * np.repeat((1.0, point.system.length), 3)
    shape = modes.motion[mode]
    m = int(np.argmin(np.abs(shape * np.repeat((1.0, point.system.length), 3) - 1.0)))  # the component that is one
    scale, d_scale = weighted[m], moving.reshape(len(change), -1)[:, m]
    states = z / scale
    return ShapeSensitivity(
        found.names,
        here / scale,
        (change - here / scale * d_scale[:, None, None]) / scale,
        states,
        (dz - states * d_scale[:, None]) / scale,
    )


def _parts(found: Derivatives) -> Iterator[tuple[list[int], tuple[str, ...]]]:
    chunk = max(1, CHUNK_ENTRIES // max(1, found.linear.point.system.nq) ** 2)
    for together in independent(found.linear.point.model, found.names):
        for few in (together[i : i + chunk] for i in range(0, len(together), chunk)):
            yield [found.names.index(name) for name in few], few


def _change(point: OperatingPoint, names: tuple[str, ...], z: np.ndarray, dz: np.ndarray) -> np.ndarray:
    """Derivative (numbers, bodies, 6) of the motion that coordinates z with derivatives dz (numbers, nS) make."""
    steps = with_steps(point.model, names)
    moved, _ = shifted_point(point, steps)
    n, P, R = len(names), moved.frame.P, moved.state.R
    dP = steps.slope(np.broadcast_to(P, (n, *P.shape[-2:]))) if np.iscomplexobj(P) else np.zeros((n, 1, 1))
    dR = steps.slope(np.broadcast_to(R, (n, *R.shape[-3:]))) if np.iscomplexobj(R) else np.zeros((1, 1, 1, 1))
    now = spread(point.system, point.frame.P @ z)
    by_geometry = (dP @ z) if dP.shape[-1] == len(z) else np.zeros((n, point.system.nq))
    change = spread(point.system, by_geometry + dz @ point.frame.P.T)
    turned = apply(np.real(point.state.R), change[..., 3:]) + np.einsum("...bij,bj->...bi", dR, now[:, 3:])
    return np.concatenate((change[..., :3], turned), axis=-1)
