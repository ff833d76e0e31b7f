"""A component of the force and moment in a joint, and how it changes: by the multipliers, and by the turning of the
rows' directions.

With unit multipliers' force f_r and moment R2 t_r - arm x f_r on the second body, row r of the joint, t_r in body axes,
the component along d of F = sum lambda_r f_r or M = sum lambda_r (R2 t_r - arm x f_r) changes by

    d.dF = sum dlambda_r d.f_r - sum lambda_r d.H_f dq                            H: curvature of the measure
    d.dM = sum dlambda_r d.m_r + sum lambda_r [(d x arm).H_f - (R2^T d).H_t] dq
           + dtheta2.(T x R2^T d) - dtheta2.(o x R2^T (F x d))                    T = sum lambda_r t_r, arm = R2 o
    dd.V = dtheta1.(a x R1^T V)                                                   d = R1 a, V = F or M: joint axes
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from eigenbody.elements.measures.features import Carriers
from eigenbody.numerics.matrices.assembly import dense_vector
from eigenbody.spatial.rotations import apply, apply_transposed, cross, dot
from eigenbody.system.measureset import MeasureSet, SetJet
from eigenbody.system.system import Reaction, System

Entries = tuple[np.ndarray, np.ndarray]  # columns (n,) and values (..., n)


class JointLoad:
    """One component of a joint's force and moment at a state, batch axes first; `held` and `slips` are the measures of
    the constraints there. Its rows are the holonomic ones of the joint, then its slip rows."""

    def __init__(self, system: System, at: Carriers, held: SetJet, slips: SetJet, asked: Reaction) -> None:
        self._system, self._at, self._held, self._slips, self._asked = system, at, held, slips, asked
        self._joint = asked.held
        self._is_force = asked.component < 3

    @property
    def rows(self) -> np.ndarray:
        """Numbers of its rows; slip rows are counted on from the holonomic ones."""
        return np.concatenate((self._joint.rows, self._system.constraints.count + self._joint.slips))

    @cached_property
    def _R1(self) -> np.ndarray:
        return self._at.R[..., self._joint.first, :, :]

    @cached_property
    def _R2(self) -> np.ndarray:
        return self._at.R[..., self._joint.second, :, :]

    @cached_property
    def _arm(self) -> np.ndarray:
        return apply(self._R2, self._joint.origin)

    @cached_property
    def _direction(self) -> np.ndarray:
        k = self._asked.component % 3
        return np.eye(3)[k] if self._asked.axes == "ground" else apply(self._R1, self._joint.axes[..., :, k])

    @cached_property
    def _unit(self) -> tuple[np.ndarray, np.ndarray]:
        """Force and moment at the joint's point (..., rows, 3) for unit multipliers."""
        c, joint = self._system.constraints, self._joint
        part = c.coefficient[..., joint.terms, None] * self._held.gradient[..., c.measure[joint.terms], 6:12]
        first = int(joint.rows[0]) if len(joint.rows) else 0
        onto = dense_vector(c.row[joint.terms] - first, np.swapaxes(part, -1, -2), len(joint.rows))
        gradient = np.swapaxes(onto, -1, -2)
        if len(joint.slips):
            own = self._slips.gradient[..., joint.slips, 6:12]
            lead = np.broadcast_shapes(gradient.shape[:-2], own.shape[:-2])
            gradient = np.concatenate([np.broadcast_to(g, (*lead, *g.shape[-2:])) for g in (gradient, own)], axis=-2)
        force = -gradient[..., :3]
        turning = -apply(self._R2[..., None, :, :], gradient[..., 3:])
        return force, turning - cross(self._arm[..., None, :], force)

    @cached_property
    def by_multipliers(self) -> np.ndarray:
        """(..., rows) derivative by the multipliers of its rows."""
        return dot(self._unit[0 if self._is_force else 1], self._direction[..., None, :])

    def value(self, held: np.ndarray, slips: np.ndarray) -> np.ndarray:
        """The component (...) for multipliers of all holonomic rows and all slip rows."""
        return np.sum(self.by_multipliers * self._own(held, slips), axis=-1)

    def _own(self, held: np.ndarray, slips: np.ndarray) -> np.ndarray:
        own = held[..., self._joint.rows]
        return np.concatenate((own, slips[..., self._joint.slips]), axis=-1) if len(self._joint.slips) else own

    def by_position(self, held: np.ndarray, slips: np.ndarray) -> Entries:
        """Derivative by dq with these multipliers."""
        weights, d, arm = self._own(held, slips), self._direction, self._arm
        force, moment = (np.sum(weights[..., None] * unit, axis=-2) for unit in self._unit)
        inside = apply_transposed(self._R2, d)
        onto = np.concatenate(np.broadcast_arrays(cross(d, arm), -inside), axis=-1)
        if self._is_force:
            onto = np.concatenate((-d, np.zeros_like(d)), axis=-1)
        parts = self._bent(weights, onto)
        if not self._is_force:
            turning = apply_transposed(self._R2, moment + cross(arm, force))
            lever = cross(self._joint.origin, apply_transposed(self._R2, cross(force, d)))
            parts.append((self._turns(self._joint.second), cross(turning, inside) - lever))
        if self._asked.axes == "joint":
            vector = force if self._is_force else moment
            own = cross(apply_transposed(self._R1, d), apply_transposed(self._R1, vector))
            parts.append((self._turns(self._joint.first), own))
        lead = np.broadcast_shapes(*(values.shape[:-1] for _, values in parts))
        values = [np.broadcast_to(value, (*lead, value.shape[-1])) for _, value in parts]
        return np.concatenate([columns for columns, _ in parts]), np.concatenate(values, axis=-1)

    def _turns(self, carrier: int) -> np.ndarray:
        """Columns of the carrier's rotation; beyond all where it has none."""
        dof = self._system.dof[carrier, 3:]
        return np.where(dof < 0, self._system.nq, dof)

    def _bent(self, weights: np.ndarray, onto: np.ndarray) -> list[Entries]:
        """sum of lambda times onto . curvature of the second carrier's share of the rows' gradients."""
        c, joint, out = self._system.constraints, self._joint, []

        def add(measures: MeasureSet, jet: SetJet, m: int, weight: np.ndarray) -> None:
            bent = np.sum(onto[..., :, None] * jet.curvature[..., m, 6:12, :], axis=-2)
            out.append((measures.columns[m], weight[..., None] * bent))

        for e in joint.terms.tolist():
            k = int(c.row[e]) - int(joint.rows[0])
            add(c.measures, self._held, int(c.measure[e]), c.coefficient[..., e] * weights[..., k])
        for k, row in enumerate(joint.slips.tolist(), start=len(joint.rows)):
            add(self._system.slips, self._slips, row, weights[..., k])
        return out
