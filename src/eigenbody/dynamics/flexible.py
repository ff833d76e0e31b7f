"""Inertia of flexible bodies beyond that of their undeformed shape, with its exact tangents.

In mean axes (all modes are mass-orthogonal to rigid motions) the kinetic energy is

    T = 1/2 m v.v + 1/2 w.J(eta)w + w.B(eta)eta' + 1/2 eta'.M eta'
    J = J0 + sum_k eta_k J1_k + sum_kl eta_k eta_l J2_kl,     B_k = sum_l eta_l b_lk,     b_lk = -b_kl

m and J0 are counted with the rigid bodies. What remains, with J'_k = dJ/deta_k, J' = sum_k eta'_k J'_k and D = J - J0:

    F_w   = D w' + B eta'' + J' w + w x (D w + B eta')
    F_eta = B^T w' + M eta'' + 2 sum_l eta'_l b_lk.w - 1/2 w.J'_k w
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from eigenbody.numerics.matrices.assembly import Triplets, dense_vector
from eigenbody.spatial.rotations import apply, cross, dot, skew
from eigenbody.system.state import State
from eigenbody.system.system import FlexibleBatch, System


class FlexibleInertia:
    """One batch of flexible bodies at a state; forces and blocks are ordered (w, eta), 3 + m per body."""

    def __init__(self, system: System, batch: FlexibleBatch, state: State) -> None:
        self._nq = system.nq
        self.batch = batch
        self.w = state.w[..., batch.frame, :]
        self.eta, self.rate = _modal(batch, state.r), _modal(batch, state.v)
        dof = np.where(system.dof < 0, system.nq, system.dof)
        flat = dof[: system.bodies, :3].ravel()
        self.columns = np.concatenate((dof[batch.frame, 3:], flat[batch.modal]), axis=1)  # (n, 3 + m)

    # Shorthand ----------------------------------------------------------------------------------------------------
    @cached_property
    def _slopes(self) -> np.ndarray:
        """J'_k (..., n, m, 3, 3)."""
        return self.batch.J1 + 2 * np.einsum("...klij,...l->...kij", self.batch.J2, self.eta)

    @cached_property
    def change(self) -> np.ndarray:
        """D = J - J0 (..., n, 3, 3)."""
        return 0.5 * np.einsum("...kij,...k->...ij", self.batch.J1 + self._slopes, self.eta)

    @cached_property
    def coupling(self) -> np.ndarray:
        """B_k as rows, (..., n, m, 3)."""
        return np.einsum("...lki,...l->...ki", self.batch.b, self.eta)

    @cached_property
    def momentum(self) -> np.ndarray:
        """D w + B eta' (..., n, 3)."""
        return apply(self.change, self.w) + np.einsum("...ki,...k->...i", self.coupling, self.rate)

    @cached_property
    def _turned(self) -> np.ndarray:
        """J'_k w (..., n, m, 3)."""
        return np.einsum("...kij,...j->...ki", self._slopes, self.w)

    @cached_property
    def _coriolis(self) -> np.ndarray:
        """sum_l eta'_l b_lk (..., n, m, 3)."""
        return np.einsum("...lki,...l->...ki", self.batch.b, self.rate)

    # Forces -------------------------------------------------------------------------------------------------------
    def inertia_times(self, u: np.ndarray) -> np.ndarray:
        """The further mass matrix times u (..., nq)."""
        turn, bend = self._parts(u)
        on_frame = apply(self.change, turn) + np.einsum("...ki,...k->...i", self.coupling, bend)
        on_modes = np.einsum("...ki,...i->...k", self.coupling, turn) + apply(self.batch.mass, bend)
        return self._scattered(on_frame, on_modes)

    def gyroscopic(self) -> np.ndarray:
        """What is left of F without accelerations (..., nq)."""
        on_frame = np.einsum("...ki,...k->...i", self._turned, self.rate) + cross(self.w, self.momentum)
        on_modes = np.einsum("...ki,...i->...k", 2 * self._coriolis - 0.5 * self._turned, self.w)
        return self._scattered(on_frame, on_modes)

    def energy(self) -> np.ndarray:
        """Kinetic energy beyond that of the undeformed body, (..., n)."""
        on_modes = (self.rate * apply(self.batch.mass, self.rate)).sum(axis=-1)
        straight = np.einsum("...ki,...k->...i", self.coupling, self.rate)
        return 0.5 * (dot(self.w, apply(self.change, self.w)) + on_modes) + dot(self.w, straight)

    def _parts(self, u: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        padded = np.concatenate((u, np.zeros((*u.shape[:-1], 1), dtype=u.dtype)), axis=-1)[..., self.columns]
        return padded[..., :3], padded[..., 3:]

    def _scattered(self, on_frame: np.ndarray, on_modes: np.ndarray) -> np.ndarray:
        lead = np.broadcast_shapes(on_frame.shape[:-1], on_modes.shape[:-1])
        parts = [np.broadcast_to(part, (*lead, part.shape[-1])) for part in (on_frame, on_modes)]
        both = np.concatenate(parts, axis=-1)
        return dense_vector(self.columns.ravel(), both.reshape(*both.shape[:-2], -1), self._nq)

    # Tangents -----------------------------------------------------------------------------------------------------
    def mass(self) -> Triplets:
        """The further mass matrix."""
        return self._blocks(self.change, self.coupling.mT, self.coupling, self.batch.mass)

    def damping(self) -> Triplets:
        """dF/du."""
        spin = np.einsum("...kij,...k->...ij", self._slopes, self.rate)
        by_w = spin + skew(self.w) @ self.change - skew(self.momentum)
        by_rate = self._turned + cross(self.w[..., None, :], self.coupling)
        of_modes = np.einsum("...lki,...i->...kl", 2 * self.batch.b, self.w)
        return self._blocks(by_w, by_rate.mT, 2 * self._coriolis - self._turned, of_modes)

    def stiffness(self, acceleration: np.ndarray) -> Triplets:
        """dF/dq at the accelerations u' (..., nq)."""
        b, J2, w = self.batch.b, self.batch.J2, self.w
        turn, bend = self._parts(acceleration)
        by_eta = np.einsum("...kij,...j->...ki", self._slopes, turn) + np.einsum("...kli,...l->...ki", b, bend)
        by_eta = by_eta + 2 * np.einsum("...klij,...l,...j->...ki", J2, self.rate, w)
        by_eta = by_eta + cross(w[..., None, :], self._turned + np.einsum("...kli,...l->...ki", b, self.rate))
        of_modes = np.einsum("...lki,...i->...kl", b, turn) - np.einsum("...klij,...i,...j->...kl", J2, w, w)
        nothing = np.zeros((*by_eta.shape[:-2], 3, 3))
        return self._blocks(nothing, by_eta.mT, np.zeros_like(by_eta), of_modes)

    def _blocks(self, ww: np.ndarray, we: np.ndarray, ew: np.ndarray, ee: np.ndarray) -> Triplets:
        lead = np.broadcast_shapes(*(part.shape[:-2] for part in (ww, we, ew, ee)))
        ww, we, ew, ee = (np.broadcast_to(part, (*lead, *part.shape[-2:])) for part in (ww, we, ew, ee))
        top, bottom = np.concatenate((ww, we), axis=-1), np.concatenate((ew, ee), axis=-1)
        return Triplets.of_blocks(self.columns, self.columns, np.concatenate((top, bottom), axis=-2))


def _modal(batch: FlexibleBatch, positions: np.ndarray) -> np.ndarray:
    """Modal coordinates (..., n, m) among positions or velocities (..., bodies, 3)."""
    return positions.reshape(*positions.shape[:-2], -1)[..., batch.modal]


def flexible_parts(system: System, state: State) -> list[FlexibleInertia]:
    """All batches at a state."""
    return [FlexibleInertia(system, batch, state) for batch in system.flexible]
