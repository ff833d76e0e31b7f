"""The state of a mechanism, its update on the rotation manifold, and its carriers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from eigenbody.elements.measures.features import Carriers
from eigenbody.spatial.rotations import about_axis, apply, exp, unit

if TYPE_CHECKING:
    from eigenbody.system.system import System


@dataclass(frozen=True, slots=True, eq=False)
class State:
    """Bodies: r, v (..., n, 3) global; R (..., n, 3, 3); w (..., n, 3) in body axes. x: first-order states (..., m).

    `turns` (..., k) are the full turns counted by the angle measures; `u_in` the inputs; t the time. `z` (..., n) are
    the algebraic variables: reactions, element forces and second rates that expressions read. They follow from
    everything else; where they do not yet, they are a guess.
    """

    r: np.ndarray
    R: np.ndarray
    v: np.ndarray
    w: np.ndarray
    x: np.ndarray
    turns: np.ndarray
    u_in: np.ndarray
    t: float | complex = 0.0
    z: np.ndarray = field(default_factory=lambda: np.zeros(0))

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


ARRAYS = ("r", "R", "v", "w", "x", "turns", "u_in", "z")  # of a state


def one_state(states: State, i: int) -> State:
    """One of many states."""
    t = float(np.asarray(states.t)[i])
    return State(t=t, **{name: getattr(states, name)[i] for name in ARRAYS})


def some_states(states: State, index: slice | np.ndarray) -> State:
    """Some of many states, as many."""
    return State(t=np.asarray(states.t)[index], **{name: getattr(states, name)[index] for name in ARRAYS})  # type: ignore[arg-type]


def stacked_states(states: Sequence[State]) -> State:
    """States as one with a leading axis."""
    fields: dict[str, Any] = {name: np.stack([getattr(state, name) for state in states]) for name in ARRAYS}
    return State(t=np.array([state.t for state in states]), **fields)  # type: ignore[arg-type]


def joined_states(parts: Sequence[State]) -> State:
    """Parts of many states, as many."""
    fields: dict[str, Any] = {name: np.concatenate([getattr(part, name) for part in parts]) for name in ARRAYS}
    return State(t=np.concatenate([np.asarray(part.t) for part in parts]), **fields)  # type: ignore[arg-type]


def spread(system: System, u: np.ndarray) -> np.ndarray:
    """Coordinates (..., nq) -> (..., bodies, 6); bodies without a coordinate get zero."""
    padded = np.concatenate((u, np.zeros((*u.shape[:-1], 1), dtype=u.dtype)), axis=-1)
    return np.take(padded, system.dof[: system.bodies], axis=-1)


def collect(system: System, linear: np.ndarray, angular: np.ndarray) -> np.ndarray:
    """(..., bodies, 3) twice -> (..., nq)."""
    if linear.shape != angular.shape:
        linear, angular = np.broadcast_arrays(linear, angular)
    both = np.concatenate((linear, angular), axis=-1).reshape(*linear.shape[:-2], 6 * linear.shape[-2])
    return both[..., system.body_columns]


def carriers(system: System, state: State, acceleration: np.ndarray | None = None) -> Carriers:
    """Poses and motions of bodies, moving frames and ground; `acceleration` is u' (..., nq), default zero. Poses have
    batch axes of their own: where many motions pass through one configuration it has none."""
    both = np.zeros((system.bodies, 6)) if acceleration is None else spread(system, acceleration)
    rest = frames_at(system, state.t)
    posed = np.broadcast_shapes(state.r.shape[:-2], state.R.shape[:-3], rest.r.shape[:-2], rest.R.shape[:-3])
    moved = np.broadcast_shapes(
        posed, state.v.shape[:-2], state.w.shape[:-2], both.shape[:-2], rest.w.shape[:-2], rest.alpha.shape[:-2]
    )

    def append(moving: np.ndarray, still: np.ndarray, axes: int, lead: tuple[int, ...]) -> np.ndarray:
        if lead:
            tail = moving.shape[moving.ndim - axes :]
            moving = np.broadcast_to(moving, (*lead, system.bodies, *tail))
            still = np.broadcast_to(still, (*lead, *still.shape[still.ndim - 1 - axes :]))
        return np.concatenate((moving, still), axis=-1 - axes)

    return Carriers(
        append(state.r, rest.r, 1, posed),
        append(state.R, rest.R, 2, posed),
        append(state.v, rest.v, 1, moved),
        append(state.w, rest.w, 1, moved),
        append(both[..., :3], rest.a, 1, moved),
        append(both[..., 3:], rest.alpha, 1, moved),
        state.turns,
    )


def frames_at(system: System, t: float | complex) -> Carriers:
    """Moving frames at time t, targets of prescribed rotations, then ground: a frame turns about its point at a
    constant rate, a target the other way round than what is to follow it."""
    frames, c = system.description.frames, system.constraints
    zero = np.zeros((len(frames) + len(c.turned) + 1, 3))
    if len(zero) == 1:
        return Carriers(zero, np.eye(3)[None], zero, zero, zero, zero)
    rate = [np.asarray(frame["rate"])[..., None] for frame in frames]
    w = [rate[k] * unit(np.asarray(frame["about"])) for k, frame in enumerate(frames)]
    R = [about_axis(frame["about"], rate[k][..., 0] * t) for k, frame in enumerate(frames)]
    alpha = [np.zeros(3) for _ in frames]
    for turned in c.turned:  # R^T turns at -R w
        pose, spin, change = turned.at(c.motions, t)
        R.append(np.swapaxes(pose, -1, -2))
        w.append(-apply(pose, spin))
        alpha.append(-apply(pose, change))
    still = [np.zeros(3)] * (len(c.turned) + 1)
    return Carriers(
        _rows([*(frame["at"] for frame in frames), *still], 1), _rows([*R, np.eye(3)], 2), zero,
        _rows([*w, np.zeros(3)], 1), zero, _rows([*alpha, np.zeros(3)], 1),
    )  # fmt: skip


def _rows(items: list[np.ndarray], axes: int) -> np.ndarray:
    """Stack items (..., *own axes) before their own axes; batch axes are broadcast."""
    return np.stack(np.broadcast_arrays(*items), axis=-1 - axes)
