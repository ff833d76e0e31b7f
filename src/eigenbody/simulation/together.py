"""Forward dynamics at several states at once, for methods whose stages are all known before they are evaluated.

The equations are those of `forward`, their matrices are factorized one by one.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from eigenbody.base.errors import ComputationError
from eigenbody.elements.measures.features import Carriers
from eigenbody.simulation.chart import Chart
from eigenbody.simulation.forward import Applied, Forward
from eigenbody.spatial.rotations import exp, vector_rate
from eigenbody.system.copies import Copies, can_be_copied
from eigenbody.system.products import PlainJet
from eigenbody.system.state import State


class Together:
    """y' of a chart at `count` states; one by one where a system has parts that stand in no table."""

    def __init__(self, forward: Forward, count: int) -> None:
        self._forward, self._count = forward, count

    @cached_property
    def _copies(self) -> Copies | None:
        f = self._forward
        alone = f.is_sparse or f.has_turning_frames or f.combines_angles or f.system.algebraic
        if alone or not can_be_copied(f.geometry):
            return None
        return Copies(f.geometry, len(f.system.places.names), self._count)

    def derivatives(self, chart: Chart, times: np.ndarray, Y: np.ndarray) -> np.ndarray:
        """y' (count, ny) at times (count,) and coordinates Y (count, ny)."""
        if self._copies is None:
            return np.array([chart.derivative(float(t), y) for t, y in zip(times, Y, strict=True)])
        f, n, base = self._forward, self._forward.nq, chart.base
        d, u = self._spread(Y[:, :n]), self._spread(Y[:, n : 2 * n])
        r, R = self._placed(base, d)
        states = State(r, R, u[..., :3], u[..., 3:], Y[:, 2 * n :], base.turns, base.u_in, times, base.z)  # type: ignore[arg-type]
        f.evaluations += self._count
        acceleration, state_rate = self._accelerations(states)
        if f.loops is None:
            change = np.concatenate((u[..., :3], vector_rate(d[..., 3:], u[..., 3:])), axis=-1)
        else:
            change = f.loops.vector_steps(d.reshape(-1, 6), u.reshape(-1, 6))
        moved = change.reshape(self._count, -1)[:, f.system.body_columns]
        return np.concatenate((moved, acceleration, state_rate), axis=1)

    def _spread(self, u: np.ndarray) -> np.ndarray:
        """(count, nq) -> (count, bodies, 6)."""
        system = self._forward.system
        out = np.zeros((self._count, 6 * system.bodies))
        out[:, system.body_columns] = u
        return out.reshape(self._count, -1, 6)

    def _placed(self, base: State, d: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        if self._forward.loops is None:
            return base.r + d[..., :3], base.R @ exp(d[..., 3:])
        r, R = (np.repeat(part[None], self._count, axis=0) for part in (base.r, base.R))
        self._forward.loops.move(r.reshape(-1, 3), R.reshape(-1, 3, 3), d.reshape(-1, 6))
        return r, R

    def _accelerations(self, states: State) -> tuple[np.ndarray, np.ndarray]:
        """u' (count, nq) and x' (count, states)."""
        f, copies = self._forward, self._copies
        assert copies is not None
        held, slips, pushed = copies.jets(self._carriers(states), f.loops)
        pushed = PlainJet(f.counted_forces(pushed.value, states.turns), *pushed[1:])
        applied = Applied(f.system, pushed, states)
        mass, own = f.inertias(states)
        force = f.forces(own, applied)
        gamma = f.chosen_rows.combined(held.acceleration, states.t, "acceleration")
        gamma = np.concatenate((gamma, slips.acceleration[:, f.chosen.slip_rows]), axis=1)
        return self._solved(mass, f.matrices_of_rows(held.gradient, slips.gradient), force, gamma), applied.state_rate()

    def _carriers(self, states: State) -> Carriers:
        at, n = self._frames, self._forward.system.bodies
        for part, own in zip(at, (states.r, states.R, states.v, states.w), strict=True):
            part[:, :n] = own
        r, R, v, w = (part.reshape(-1, *part.shape[2:]) for part in at)
        return Carriers(r, R, v, w, np.zeros_like(r), np.zeros_like(r))

    @cached_property
    def _frames(self) -> list[np.ndarray]:
        """r, R, v and w of all carriers, count times; those of frames stay as they are."""
        at = self._forward.carriers(self._forward.system.reference_state())
        return [np.repeat(part[None], self._count, axis=0) for part in (at.r, at.R, at.v, at.w)]

    def _solved(self, mass: np.ndarray, H: np.ndarray, force: np.ndarray, gamma: np.ndarray) -> np.ndarray:
        """u' of [[M, H^T], [H, 0]] (u', l) = (force, -gamma), scaled as in `saddle.GeneralSaddle`."""
        scaled, n = self._forward.scaled_mass, self._forward.nq
        G = H * scaled.scale
        size = np.sqrt((G * G).sum(axis=-1))
        row = 1 / np.where(size > 0, size, 1.0)
        whole = np.zeros((self._count, n + H.shape[1], n + H.shape[1]))
        whole[:, :n, :n] = mass * scaled.square
        whole[:, n:, :n] = G * row[..., None]
        whole[:, :n, n:] = whole[:, n:, :n].swapaxes(-1, -2)
        right = np.concatenate((scaled.scale * force, -row * gamma), axis=1)
        try:
            return scaled.scale * np.linalg.solve(whole, right[..., None])[:, :n, 0]
        except np.linalg.LinAlgError:
            raise ComputationError(
                "The mechanism can move without moving mass, or its constraints are dependent."
            ) from None
