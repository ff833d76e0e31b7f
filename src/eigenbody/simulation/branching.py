"""Change points: configurations in which constraint rows become dependent, and branches of motion meet.

With H the independent rows and N a basis of the motion they leave free, both carried on from step to step, det [H; N^T]
changes its sign where a motion passes such a point (as in numerical continuation: Allgower & Georg 2003, 8.1), however
long the step. N is compared in axes of the bodies, in which it changes little as they turn.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from eigenbody.base.errors import ComputationError, EigenbodyError
from eigenbody.dynamics.mechanics import Mechanics
from eigenbody.mobility.angles import chart_limits
from eigenbody.mobility.partition import Selection
from eigenbody.numerics.matrices.assembly import dense
from eigenbody.system.state import State

if TYPE_CHECKING:
    from eigenbody.simulation.forward import Forward
    from eigenbody.simulation.stepping import Step

CLOSE = 0.5  # cosine of the largest angle between two free motions that are compared
HALVINGS = 20  # of a step, to find the point within
FULLER = 100.0  # all rows are that much further from losing rank than the chosen ones: it is the choice that fails
DEPENDS = 1e-3  # share of a row in a dependency that is worth naming


class SingularConfigurationError(ComputationError):
    """The motion comes to a change point."""


@dataclass(frozen=True, slots=True, eq=False)
class _Motion:
    """A basis of the free motion (nq, dof) at a state, and the sign of det [H; N^T] with it."""

    state: State
    basis: np.ndarray
    sign: float


class ChangePoints:
    """Watches a motion step by step; mechanisms without loops have no change points, and large ones are not watched."""

    def __init__(self, start: State) -> None:
        self._state = start
        self._chosen: Selection | None = None
        self._last: _Motion | None = None

    def before(self, step: Step, forward: Forward) -> State | None:
        """The state just before a change point within the step, or None where there is none."""
        if forward.is_sparse or not len(forward.system.loop_rows):
            return None
        if self._last is None or self._chosen is not forward.chosen:  # with other rows the sign begins anew
            self._chosen, self._last = forward.chosen, _motion(forward, self._state)
        start, end = self._last, _motion(forward, step.state)
        self._state, self._last = step.state, end
        found = _located(start, end, step, forward)
        return found if found is not None and _is_singular(forward, found) else None


def _located(start: _Motion, end: _Motion, step: Step, forward: Forward, halvings: int = HALVINGS) -> State | None:
    """The state just before the sign changes within a step, by halving it; None where it does not."""
    change = _turned(start, end)
    if change is False:
        return None
    try:
        middle = _motion(forward, step.at(0.5 * (_time(start) + _time(end)))) if halvings else None
    except EigenbodyError:  # the constraints cannot even be closed there
        middle = None
    if middle is None:
        return start.state
    for first, second in ((start, middle), (middle, end)):
        found = _located(first, second, step, forward, halvings - 1)
        if found is not None:
            return found
    return start.state if change else None  # states between may lie on another branch


def _is_singular(forward: Forward, state: State) -> bool:
    """Whether all rows together lose rank as the chosen ones do; where they do not, others could be chosen."""
    system, chosen = forward.system, forward.chosen
    mechanics, n = Mechanics(system, state), forward.nq
    every = dense(mechanics.holonomic.rows(), (system.constraints.count, n))
    if system.slips.count:
        every = np.concatenate((every, dense(mechanics.non_holonomic.rows(), (system.slips.count, n))))
    rank = len(chosen.rows) + len(chosen.slip_rows)
    least = [np.linalg.svd(H, compute_uv=False)[rank - 1] for H in (every, forward.rows(state))]
    return bool(least[0] < FULLER * least[1])


def _time(motion: _Motion) -> float:
    return float(np.real(motion.state.t))


def _motion(forward: Forward, state: State) -> _Motion:
    H = forward.rows(state)
    count, system = len(H), forward.system
    both = np.append(H, np.zeros((count, 1)), axis=1)[:, system.dof[: system.bodies]]
    both[..., :3] = np.einsum("rbi,bij->rbj", both[..., :3], state.R) * system.length
    Q, R = np.linalg.qr(both.reshape(count, -1)[:, system.body_columns].T, mode="complete")
    sign = np.prod(np.sign(np.diagonal(R))) * np.sign(np.linalg.det(Q))
    return _Motion(state, Q[:, count:], float(sign))


def _turned(first: _Motion, second: _Motion) -> bool | None:
    """Whether det [H; N^T] has changed its sign in between; None where the motions differ too much to tell."""
    cosines = second.basis.T @ first.basis
    if np.linalg.svd(cosines, compute_uv=False).min(initial=1.0) < CLOSE:
        return None
    return bool(first.sign * second.sign * np.linalg.det(cosines) < 0)


def at_change_point(forward: Forward, state: State) -> SingularConfigurationError:
    """What to say at a change point: when, which joints, and what to do."""
    system, chosen = forward.system, forward.chosen
    if limits := chart_limits(system, state):
        return SingularConfigurationError(f"The motion cannot go on beyond t = {state.t:.9g} s. {limits}")
    rows = [system.constraints.rows[r] for r in chosen.rows] + [system.slip_rows[r] for r in chosen.slip_rows]
    H = forward.rows(state)
    share = np.abs(np.linalg.svd(H / np.linalg.norm(H, axis=1, keepdims=True))[0][:, -1])
    names = dict.fromkeys(f'"{rows[i].owner}"' for i in np.flatnonzero(share > DEPENDS * share.max()))
    shown = ", ".join([*names][:8]) + (" and others" if len(names) > 8 else "")
    return SingularConfigurationError(
        f"The mechanism comes into a singular configuration at t = {np.real(state.t):.9g} s: rows of {shown} depend on"
        " each other there, and branches of motion meet; nothing in the model says which of them it follows. End the"
        " motion before, change a dimension a little, or add what decides (a spring, a stop, a gear)."
    )
