"""Derivatives of signals, outputs and reactions by everything they depend on: dq, du, du', multipliers, x, inputs."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from eigenbody.linearization.point import OperatingPoint
from eigenbody.mobility.frame import MotionFrame
from eigenbody.mobility.treespace import value_set
from eigenbody.numerics.matrices.assembly import Part, Triplets
from eigenbody.numerics.matrices.linear import matrix
from eigenbody.system.arguments import AnySignal
from eigenbody.system.system import Load

if TYPE_CHECKING:
    from eigenbody.loads.linear import ReactionRows


class Rows(NamedTuple):
    """n rows over dq, du, du' (n, nq), independent multipliers, first-order states and inputs."""

    q: Any
    u: Any
    a: Any
    multipliers: Any
    x: Any
    inputs: Any


def output_rows(point: OperatingPoint, frame: MotionFrame, is_sparse: bool) -> Rows:
    """Rows of all outputs."""
    system = point.system
    collected = _Collector(point, frame)
    for order in range(3):
        of_order = [i for i, o in enumerate(system.outputs) if o.measure >= 0 and o.order == order]
        collected.measures(of_order, [system.outputs[i].measure for i in of_order], order)
    for i, output in enumerate(system.outputs):
        if output.signal is not None:
            collected.signal(i, output.signal)
        elif output.load is not None:
            collected.load(i, output.load)
        elif output.reaction is not None:
            by_q, by_multipliers = collected.reactions.row(output)
            collected.add("q", i, *by_q)
            collected.add("multipliers", i, *by_multipliers)
    return collected.rows(len(system.outputs), is_sparse)


def rate_rows(point: OperatingPoint, frame: MotionFrame, is_sparse: bool) -> Rows:
    """Rows of the rates of first-order states."""
    collected = _Collector(point, frame)
    for i, signal in enumerate(point.system.forces.state_rates):
        collected.signal(i, signal)
    return collected.rows(len(point.system.states), is_sparse)


class _Collector:
    """Collects entries of rows and assembles them."""

    def __init__(self, point: OperatingPoint, frame: MotionFrame) -> None:
        self.point, self.frame, self.system = point, frame, point.system
        self.applied = point.mechanics.applied
        self._parts: dict[str, list[Part]] = {kind: [] for kind in Rows._fields}

    @cached_property
    def reactions(self) -> ReactionRows:
        from eigenbody.loads.linear import ReactionRows

        return ReactionRows(self.point, self.frame)

    def add(self, kind: str, i: int, columns: np.ndarray, values: np.ndarray) -> None:
        """Add values at columns of row i."""
        self._parts[kind].append(Triplets(np.full(len(columns), i), columns, values))

    def rows(self, count: int, is_sparse: bool) -> Rows:
        """The collected rows as matrices."""
        system, chosen = self.system, self.frame.chosen
        held = len(chosen.rows) + len(chosen.slip_rows)
        widths = (system.nq, system.nq, system.nq, held, len(system.states), len(system.inputs))
        pairs = zip(self._parts.values(), widths, strict=True)
        return Rows(*(matrix(parts, (count, width), is_sparse) for parts, width in pairs))

    def measures(self, rows: Sequence[int], index: Sequence[int], order: int) -> None:
        """Named measures or their first or second rates."""
        if not rows:
            return
        at, measures = np.array(rows), value_set(self.system, np.array(index))
        jet = measures.jet(self.point.mechanics.at, self.point.state.turns)
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
            elif argument.kind in "xu":
                kind = "x" if argument.kind == "x" else "inputs"
                self.add(kind, i, np.array([argument.index]), np.asarray(slope)[..., None])

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
