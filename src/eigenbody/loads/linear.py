"""How the force and moment in a joint change: by the multipliers, and by the turning of the rows' directions.

With unit multipliers' force f_r and moment R2 t_r - arm x f_r on the second body (loads/wrenches.py), row r of the
joint, t_r in body axes, the component along d of F = sum lambda_r f_r or M = sum lambda_r (R2 t_r - arm x f_r) changes
by

    d.dF = sum dlambda_r d.f_r - sum lambda_r d.H_f dq                            H: curvature of the measure
    d.dM = sum dlambda_r d.m_r + sum lambda_r [(d x arm).H_f - (R2^T d).H_t] dq
           + dtheta2.(T x R2^T d) - dtheta2.(o x R2^T (F x d))                    T = sum lambda_r t_r, arm = R2 o
    dd.V = dtheta1.(a x R1^T V)                                                   d = R1 a, V = F or M: joint axes
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from eigenbody.base.errors import Fault, InputError
from eigenbody.loads.reactions import COMPONENTS, Reactions, at_point
from eigenbody.loads.wrenches import JointWrenches
from eigenbody.mobility.frame import MotionFrame
from eigenbody.system.measureset import MeasureSet, SetJet
from eigenbody.system.system import Output, Reaction

if TYPE_CHECKING:
    from eigenbody.linearization.point import OperatingPoint

Entries = tuple[np.ndarray, np.ndarray]  # columns and values


class ReactionRows:
    """Rows of reactions at an operating point."""

    def __init__(self, point: OperatingPoint, frame: MotionFrame) -> None:
        self.point, self.frame, self.system = point, frame, point.system
        self.mechanics = point.mechanics
        self.wrenches = JointWrenches(point.mechanics)
        self._weights = np.concatenate((point.motion.multipliers, point.motion.slip_multipliers))

    @cached_property
    def _found(self) -> dict[str, Reactions]:
        return {axes: at_point(self.point, axes) for axes in ("joint", "ground")} if self._has_redundant else {}

    @property
    def _has_redundant(self) -> bool:
        chosen = self.point.chosen
        return bool(len(chosen.redundant) or len(chosen.redundant_slips))

    def row(self, output: Output) -> tuple[Entries, Entries]:
        """Entries by dq and by the independent multipliers."""
        asked = output.reaction
        assert asked is not None
        self._refuse_open(output, asked)
        direction = self.wrenches.axes[asked.joint][:, asked.component % 3]
        if asked.axes == "ground":
            direction = np.eye(3)[asked.component % 3]
        held = np.flatnonzero(self.wrenches.joint == asked.joint)
        part = slice(0, 3) if asked.component < 3 else slice(3, 6)
        by_multipliers = self._number[held], self.wrenches.unit[held, part] @ direction
        return self._by_position(asked, direction, held), by_multipliers

    def _refuse_open(self, output: Output, asked: Reaction) -> None:
        joint = self.system.description.joints[asked.joint].name
        if self._has_redundant and COMPONENTS[asked.component] in self._found[asked.axes][joint].indeterminate:
            what = f"{COMPONENTS[asked.component]} of the joint {joint} is left open by redundant constraints."
            remedy = "Release the redundant rows that `check` lists, or ask for another component."
            raise InputError(Fault(output.where, what, remedy))

    @cached_property
    def _number(self) -> np.ndarray:
        """Position of each row (holonomic, then slips) among the independent multipliers; beyond them if redundant."""
        chosen, rows = self.frame.chosen, self.system.constraints.count
        kept = np.concatenate((chosen.rows, rows + chosen.slip_rows)).astype(int)
        number = np.full(rows + self.system.slips.count, len(kept))
        number[kept] = np.arange(len(kept))
        return number

    def _by_position(self, asked: Reaction, direction: np.ndarray, held: np.ndarray) -> Entries:
        at, wrenches, j = self.mechanics.at, self.wrenches, asked.joint
        first, second = (int(carriers[j]) for carriers in wrenches.carriers)
        R1, R2, arm = at.R[first], at.R[second], wrenches.arm[j]
        is_force = asked.component < 3
        force, moment = (self._weights[held] @ wrenches.unit[held, part] for part in (slice(0, 3), slice(3, 6)))
        onto = np.concatenate((-direction, np.zeros(3)))
        if not is_force:
            onto = np.concatenate((np.cross(direction, arm), -R2.T @ direction))
        parts = [self._bent(held, onto)]
        if not is_force:
            turning, inside = R2.T @ (moment + np.cross(arm, force)), R2.T @ direction
            twist = np.cross(turning, inside) - np.cross(R2.T @ arm, R2.T @ np.cross(force, direction))
            parts.append((self._turns(second), twist))
        if asked.axes == "joint":
            vector = force if is_force else moment
            parts.append((self._turns(first), np.cross(R1.T @ direction, R1.T @ vector)))
        columns, values = (np.concatenate([part[k] for part in parts]) for k in range(2))
        return columns, values

    def _turns(self, carrier: int) -> np.ndarray:
        """Columns of the carrier's rotation; beyond all where it has none."""
        dof = self.system.dof[carrier, 3:]
        return np.where(dof < 0, self.system.nq, dof)

    def _bent(self, held: np.ndarray, onto: np.ndarray) -> Entries:
        """sum of lambda times onto . curvature of the second carrier's share of the rows' gradients."""
        c = self.system.constraints
        columns, values = [np.zeros(0, dtype=int)], [np.zeros(0)]

        def add(measures: MeasureSet, jet: SetJet, m: int, weight: float) -> None:
            columns.append(measures.columns[m])
            values.append(weight * (onto @ jet.curvature[m, 6:12]))

        for row in held.tolist():
            if row >= c.count:
                add(self.system.slips, self.mechanics.non_holonomic.jet, row - c.count, self._weights[row])
                continue
            for e in np.flatnonzero(c.row == row):
                add(c.measures, self.mechanics.holonomic.jet, int(c.measure[e]), c.coefficient[e] * self._weights[row])
        return np.concatenate(columns), np.concatenate(values)
