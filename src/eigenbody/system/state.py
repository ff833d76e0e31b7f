"""The state of a mechanism, its update on the rotation manifold, and its carriers."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from eigenbody.elements.measures.features import Carriers
from eigenbody.spatial.rotations import about_axis, exp

if TYPE_CHECKING:
    from eigenbody.system.system import System


@dataclass(frozen=True, slots=True)
class State:
    """Bodies: r, v (..., n, 3) global; R (..., n, 3, 3); w (..., n, 3) in body axes. x: first-order states (..., m).

    `turns` (..., k) are the full turns counted by the angle measures; `u_in` the inputs; t the time.
    """

    r: np.ndarray
    R: np.ndarray
    v: np.ndarray
    w: np.ndarray
    x: np.ndarray
    turns: np.ndarray
    u_in: np.ndarray
    t: float | complex = 0.0

    def moved(self, system: System, dq: np.ndarray) -> State:
        """Configuration changed by the variation dq (..., nq): r + dr, R exp(dtheta)."""
        step = spread(system, dq)
        return replace(self, r=self.r + step[..., :3], R=self.R @ exp(step[..., 3:]))

    def with_velocity(self, system: System, u: np.ndarray) -> State:
        """The same configuration with velocities u (..., nq)."""
        both = spread(system, u)
        return replace(self, v=both[..., :3], w=both[..., 3:])

    def velocity(self, system: System) -> np.ndarray:
        """u (..., nq)."""
        return collect(system, self.v, self.w)


def spread(system: System, u: np.ndarray) -> np.ndarray:
    """Coordinates (..., nq) -> (..., bodies, 6); bodies without a coordinate get zero."""
    padded = np.concatenate((u, np.zeros((*u.shape[:-1], 1), dtype=u.dtype)), axis=-1)
    return padded[..., system.dof[: system.bodies]]


def collect(system: System, linear: np.ndarray, angular: np.ndarray) -> np.ndarray:
    """(..., bodies, 3) twice -> (..., nq)."""
    both = np.concatenate((linear, angular), axis=-1).reshape(*linear.shape[:-2], -1)
    return both[..., system.body_columns]


def carriers(system: System, state: State, acceleration: np.ndarray | None = None) -> Carriers:
    """Poses and motions of bodies, moving frames and ground; `acceleration` is u' (..., nq), default zero."""
    lead = state.r.shape[:-2]
    if acceleration is None:
        both = np.zeros((*lead, system.bodies, 6))
    else:
        both = spread(system, acceleration)
        lead = np.broadcast_shapes(lead, both.shape[:-2])
    rest = frames_at(system, state.t)

    def append(moving: np.ndarray, still: np.ndarray, axes: int) -> np.ndarray:
        tail = moving.shape[moving.ndim - axes :]
        moving = np.broadcast_to(moving, (*lead, system.bodies, *tail))
        still = np.broadcast_to(still, (*lead, *still.shape))
        return np.concatenate((moving, still), axis=-1 - axes)

    return Carriers(
        append(state.r, rest.r, 1),
        append(state.R, rest.R, 2),
        append(state.v, rest.v, 1),
        append(state.w, rest.w, 1),
        append(both[..., :3], rest.a, 1),
        append(both[..., 3:], rest.alpha, 1),
    )


def frames_at(system: System, t: float | complex) -> Carriers:
    """Moving frames at time t, then ground: a frame turns about its point at a constant rate."""
    frames = system.description.frames
    n = len(frames) + 1
    zero = np.zeros((n, 3))
    r, w = zero.copy(), zero.copy()
    R = np.broadcast_to(np.eye(3), (n, 3, 3)).astype(complex if np.iscomplexobj(t) else float)
    for k, frame in enumerate(frames):
        about = np.asarray(frame["about"])
        r[k] = frame["at"]
        w[k] = frame["rate"] * about / np.sqrt(about @ about)
        R[k] = about_axis(about, frame["rate"] * t)
    return Carriers(r, R, zero, w, zero, zero)
