"""From multipliers to forces and moments at the joints, all joints at once, and the metric in which these are least."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from eigenbody.dynamics.constraints import pull_back
from eigenbody.dynamics.mechanics import Mechanics
from eigenbody.numerics.matrices.assembly import Triplets, dense_vector
from eigenbody.spatial.rotations import apply, apply_transposed, cross
from eigenbody.system.joints import JointTable, slip_kernels


class JointWrenches:
    """Multipliers to forces and moments at the joints' points, all joints at once, ground axes."""

    def __init__(self, mechanics: Mechanics) -> None:
        self.mechanics, self.system = mechanics, mechanics.system
        table = JointTable(self.system.description, self.system.places)
        self._table = table
        self.count = len(table.types)
        self.joint_rows = int(table.row_start[-1])
        origin, axes = np.zeros((self.count, 3)), np.zeros((self.count, 3, 3))
        for group in table.groups:
            origin[group.index], axes[group.index] = np.real(group.pairs.origin2), np.real(group.pairs.axes1)
        at = mechanics.at
        self._R2 = at.R[table.second]
        self._arm = apply(self._R2, origin)
        self.point = at.r[table.second] + self._arm
        self._axes = at.R[table.first] @ axes

    @property
    def carriers(self) -> tuple[np.ndarray, np.ndarray]:
        """First and second carrier of every joint."""
        return self._table.first, self._table.second

    @property
    def arm(self) -> np.ndarray:
        """(joints, 3) from the second body's origin to the joint's point, ground axes."""
        return self._arm

    @property
    def axes(self) -> np.ndarray:
        """(joints, 3, 3) joint axes as columns, ground axes."""
        return self._axes

    def in_joint_axes(self, vectors: np.ndarray) -> np.ndarray:
        """(joints, 3) from ground axes to the axes of each joint on its first body."""
        return apply_transposed(self._axes, vectors)

    def of(self, multipliers: np.ndarray, slip_multipliers: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Force and moment (joints, 3) that the first body exerts on the second."""
        weights = np.concatenate((multipliers, slip_multipliers))
        total = np.zeros((self.count, 6))
        np.add.at(total, self.joint[self.holding], weights[self.holding, None] * self.unit[self.holding])
        return total[:, :3], total[:, 3:]

    @cached_property
    def joint(self) -> np.ndarray:
        """(rows + slip rows,) joint of each row, -1 for couplings, motions and drivers."""
        owner = np.full(self.system.constraints.count, -1)
        owner[: self.joint_rows] = np.repeat(np.arange(self.count), np.diff(self._table.row_start))
        slips = [index for index, _ in slip_kernels(self._table)[1]]
        joints = np.concatenate((owner, *slips)).astype(int)
        return np.append(joints, np.full(len(owner) + self.system.slips.count - len(joints), -1))

    @cached_property
    def holding(self) -> np.ndarray:
        """Rows that belong to joints."""
        return np.flatnonzero(self.joint >= 0)

    @cached_property
    def unit(self) -> np.ndarray:
        """(rows + slip rows, 6) force and moment at the joint's point for a unit multiplier."""
        c, jet = self.system.constraints, self.mechanics.holonomic.jet
        held = c.row < self.joint_rows
        rows = np.zeros((c.count, 6))
        np.add.at(rows, c.row[held], c.coefficient[held, None] * jet.gradient[c.measure[held], 6:12])
        parts = [rows]
        if self.system.slips.count:
            parts.append(self.mechanics.non_holonomic.jet.gradient[:, 6:12])
        gradient = np.concatenate(parts)
        force = -gradient[:, :3]
        turning = -apply(self._R2[self.joint], gradient[:, 3:]) if self.count else np.zeros_like(force)
        arm = self._arm[self.joint] if self.count else np.zeros_like(force)
        return np.concatenate((force, turning - cross(arm, force)), axis=1)

    @cached_property
    def row_weight(self) -> np.ndarray:
        """(rows,) size of each holonomic row in the metric."""
        return self.weight[: self.system.constraints.count]

    @cached_property
    def weight(self) -> np.ndarray:
        """(rows + slip rows,) diagonal of the metric: |force|^2 + |moment / L|^2 of a unit multiplier."""
        length = self.system.length
        out = (self.unit[:, :3] ** 2).sum(1) + (self.unit[:, 3:] ** 2).sum(1) / length**2
        c, measures = self.system.constraints, self.system.constraints.measures
        other = c.row >= self.joint_rows
        columns = np.where(measures.columns < self.system.nq, measures.columns, 0)
        unit = (
            np.where(self.system.is_angular, 1.0 / length, 1.0)[columns] if self.system.nq else np.zeros(columns.shape)
        )
        unit = np.where(measures.columns < self.system.nq, unit, 0.0)
        size = ((self.mechanics.holonomic.jet.gradient * unit) ** 2).sum(axis=-1)
        out[: c.count] += dense_vector(c.row[other], c.coefficient[other] ** 2 * size[c.measure[other]], c.count)
        return np.where(out > 0, out, 1.0)

    def metric(self, scale: np.ndarray) -> list[Triplets]:
        """D: products of the forces and moments of rows of the same joint; the diagonal for other rows."""
        rows = self.holding[np.argsort(self.joint[self.holding], kind="stable")]
        owner = self.joint[rows]
        per = np.bincount(owner, minlength=self.count)[owner] if len(rows) else np.zeros(0, dtype=int)
        start = np.searchsorted(owner, owner)
        i = np.repeat(np.arange(len(rows)), per)
        within = np.arange(len(i)) - np.repeat(np.cumsum(per) - per, per)
        j = np.repeat(start, per) + within
        wrench = self.unit[rows] * np.repeat((1.0, 1.0 / self.system.length), 3) * scale[rows, None]
        pairs = Triplets(rows[i], rows[j], (wrench[i] * wrench[j]).sum(axis=1))
        lone = np.flatnonzero(self.joint < 0)
        return [pairs, Triplets(lone, lone, self.weight[lone] * scale[lone] ** 2)]


def body_wrench(mechanics: Mechanics, rows: np.ndarray, multipliers: np.ndarray, body: int) -> np.ndarray:
    """(6,) force and moment, ground axes, that constraint rows put on a body at its centre of mass."""
    system = mechanics.system
    chosen = np.zeros_like(multipliers)
    chosen[rows] = multipliers[rows]
    along = mechanics.holonomic.along_measures(chosen)
    force = -pull_back(system.constraints.measures, mechanics.holonomic.jet.gradient, along, system.nq)
    padded = np.append(force, 0.0)[np.where(system.dof[body] < 0, system.nq, system.dof[body])]
    return np.concatenate((padded[:3], mechanics.state.R[body] @ padded[3:]))
