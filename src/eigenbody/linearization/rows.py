"""Derivatives of signals, outputs and reactions by everything they depend on: dq, du, du', multipliers, x, inputs."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, NamedTuple, Protocol

import numpy as np

from eigenbody.base.arrays import as_dense
from eigenbody.dynamics.joint_load import JointLoad
from eigenbody.dynamics.mechanics import Mechanics
from eigenbody.linearization.point import OperatingPoint
from eigenbody.mobility.frame import MotionFrame
from eigenbody.mobility.partition import Selection
from eigenbody.mobility.treespace import value_set
from eigenbody.numerics.matrices.assembly import Part, Triplets
from eigenbody.numerics.matrices.linear import matrix
from eigenbody.system.arguments import AnySignal
from eigenbody.system.system import Load, Reaction


class HasMultipliers(Protocol):
    """Multipliers of all holonomic rows and of all slip rows."""

    @property
    def multipliers(self) -> np.ndarray: ...

    @property
    def slip_multipliers(self) -> np.ndarray: ...


class Rows(NamedTuple):
    """n rows over dq, du, du' (n, nq), independent multipliers, first-order states, inputs, algebraic variables."""

    q: Any
    u: Any
    a: Any
    multipliers: Any
    x: Any
    inputs: Any
    z: Any


def output_rows(point: OperatingPoint, frame: MotionFrame, is_sparse: bool) -> Rows:
    """Rows of all outputs."""
    system = point.system
    reactions = [(o.reaction, o.where) for o in system.outputs if o.reaction is not None]
    if reactions:
        from eigenbody.loads.linear import refuse_open

        refuse_open(frame, reactions)
    collected = _Collector(point.mechanics, point.motion, frame.chosen)
    for order in range(3):
        of_order = [i for i, o in enumerate(system.outputs) if o.measure >= 0 and o.order == order]
        collected.measures(of_order, [system.outputs[i].measure for i in of_order], order)
    for i, output in enumerate(system.outputs):
        if output.signal is not None:
            collected.signal(i, output.signal)
        elif output.load is not None:
            collected.load(i, output.load)
        elif output.reaction is not None:
            collected.reaction(i, output.reaction)
    return collected.rows(len(system.outputs), is_sparse)


def rate_rows(point: OperatingPoint, frame: MotionFrame, is_sparse: bool) -> Rows:
    """Rows of the rates of first-order states."""
    return rate_rows_of(point.mechanics, point.motion, frame.chosen, is_sparse)


def rate_rows_of(mechanics: Mechanics, motion: HasMultipliers, chosen: Selection, is_sparse: bool) -> Rows:
    """The same where the motion is no operating point's."""
    collected = _Collector(mechanics, motion, chosen)
    for i, signal in enumerate(mechanics.system.forces.state_rates):
        collected.signal(i, signal)
    return collected.rows(len(mechanics.system.states), is_sparse)


def algebraic_rows(mechanics: Mechanics, motion: HasMultipliers, chosen: Selection, is_sparse: bool) -> Rows:
    """Rows of the algebraic variables."""
    collected = _Collector(mechanics, motion, chosen)
    for i, variable in enumerate(mechanics.system.algebraic):
        if variable.load is not None:
            collected.load(i, variable.load)
        elif variable.reaction is not None:
            collected.reaction(i, variable.reaction)
        else:
            collected.second_rate(i, variable.channel)
    return collected.rows(len(mechanics.system.algebraic), is_sparse)


def fed_back(Q_z: Any, read: Rows, *by: Any) -> tuple[Any, ...]:
    """Q_z (I - z)^-1 times each of `by` (variables, k): forces by what they read, beside their own dependence on each
    other; dense or sparse as these are."""
    loop = np.linalg.inv(np.eye(read.z.shape[0]) - as_dense(read.z))
    through = Q_z @ loop if isinstance(Q_z, np.ndarray) else Q_z @ type(Q_z)(loop)
    return tuple(through @ part for part in by)


class _Collector:
    """Collects entries of rows and assembles them."""

    def __init__(self, mechanics: Mechanics, motion: HasMultipliers, chosen: Selection) -> None:
        self.mechanics, self.motion, self.chosen, self.system = mechanics, motion, chosen, mechanics.system
        self.applied = mechanics.applied
        self._parts: dict[str, list[Part]] = {kind: [] for kind in Rows._fields}

    def add(self, kind: str, i: int, columns: np.ndarray, values: np.ndarray) -> None:
        """Add values at columns of row i."""
        self._parts[kind].append(Triplets(np.full(len(columns), i), columns, values))

    @cached_property
    def _number(self) -> np.ndarray:
        """Position of each row (holonomic, then slips) among the independent multipliers; beyond them if redundant."""
        chosen, rows = self.chosen, self.system.constraints.count
        kept = np.concatenate((chosen.rows, rows + chosen.slip_rows)).astype(int)
        number = np.full(rows + self.system.slips.count, len(kept))
        number[kept] = np.arange(len(kept))
        return number

    def reaction(self, i: int, asked: Reaction) -> None:
        """A component of the force and moment in a joint."""
        m, motion = self.mechanics, self.motion
        load = JointLoad(self.system, m.at, m.holonomic.jet, m.non_holonomic.jet, asked)
        self.add("q", i, *load.by_position(motion.multipliers, motion.slip_multipliers))
        self.add("multipliers", i, self._number[load.rows], load.by_multipliers)

    def rows(self, count: int, is_sparse: bool) -> Rows:
        """The collected rows as matrices."""
        system, chosen = self.system, self.chosen
        held = len(chosen.rows) + len(chosen.slip_rows)
        widths = (system.nq, system.nq, system.nq, held, len(system.states), len(system.inputs), len(system.algebraic))
        pairs = zip(self._parts.values(), widths, strict=True)
        return Rows(*(matrix(parts, (count, width), is_sparse) for parts, width in pairs))

    def measures(self, rows: Sequence[int], index: Sequence[int], order: int) -> None:
        """Named measures or their first or second rates."""
        if not rows:
            return
        at, measures = np.array(rows), value_set(self.system, np.array(index))
        jet = measures.jet(self.mechanics.at, self.mechanics.state.turns)
        by = {"qua"[order]: "gradient"}
        if order:
            by["q"] = ("rate_q", "acceleration_q")[order - 1]
        if order == 2:
            by["u"] = "acceleration_u"
        for kind, what in by.items():
            self._parts[kind].append(Triplets.of_rows(at, measures.columns, getattr(jet, what)))

    def signal(self, i: int, signal: AnySignal) -> None:
        """Any signal of measures, rates, second rates, states and inputs."""
        reads_second = any(argument.kind == "a" for argument in signal.arguments)
        now = self.applied.now_with_accelerations if reads_second else self.applied.now
        for argument, slope in signal.partials(now):
            if argument.kind in "sva":
                self._channel(i, argument.index, "sva".index(argument.kind), slope)
            elif argument.kind in "xuz":
                kind = "inputs" if argument.kind == "u" else argument.kind
                self.add(kind, i, np.array([argument.index]), np.asarray(slope)[..., None])

    def second_rate(self, i: int, channel: int) -> None:
        """Of a channel's measure."""
        self._channel(i, channel, 2, 1.0)

    def load(self, i: int, load: Load) -> None:
        """Tension of a force element along a channel."""
        forces = self.system.forces
        law = forces.linear
        for e in np.flatnonzero((law.owner == load.owner) & (law.i == load.channel)):
            self._channel(i, int(law.j[e]), 0, law.k[..., e])
            self._channel(i, int(law.j[e]), 1, law.c[..., e])
        for signal in forces.signals:
            if signal.owner == load.owner and signal.target == load.channel:
                self.signal(i, signal)

    def _channel(self, i: int, channel: int, order: int, slope: Any) -> None:
        """A channel's measure or its first or second rate, times a slope."""
        columns, jet = self.system.forces.measures.columns[channel], self.applied.jet
        slope = np.asarray(slope)[..., None]
        self.add("qua"[order], i, columns, slope * jet.gradient[..., channel, :])
        if order == 1:
            self.add("q", i, columns, slope * jet.rate_q[..., channel, :])
        elif order == 2:
            self.add("q", i, columns, slope * jet.acceleration_q[..., channel, :])
            self.add("u", i, columns, slope * jet.acceleration_u[..., channel, :])
