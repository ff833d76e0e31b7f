"""Rows of the linear model that read signals: outputs and rates of first-order states."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from eigenbody.numerics.assembly import Triplets, dense
from eigenbody.operation.frame import measure_rows
from eigenbody.operation.point import OperatingPoint
from eigenbody.operation.treespace import value_set
from eigenbody.system.signals import Signal


class Shapes(Protocol):
    """Motion of all bodies by linear state (and input)."""

    nS: int
    nW: int
    nx: int
    nu: int
    q: np.ndarray
    u: np.ndarray
    a: np.ndarray


def output_rows(point: OperatingPoint, shapes: Shapes) -> tuple[np.ndarray, np.ndarray]:
    """C and D."""
    system, mechanics = point.system, point.mechanics
    n = shapes.nS + shapes.nW + shapes.nx
    full = np.zeros((len(system.outputs), n + shapes.nu))
    for i, output in enumerate(system.outputs):
        if output.signal is not None:
            full[i] = signal_row(point, shapes, output.signal)
            continue
        measure = value_set(system, np.array([output.measure]))
        row = lambda what, m=measure: measure_rows(mechanics, m, False, what)[0]  # noqa: E731
        if output.order == 0:
            full[i, :n] = row("gradient") @ shapes.q
        elif output.order == 1:
            full[i, :n] = row("rate_q") @ shapes.q + row("gradient") @ shapes.u
        else:
            full[i] = row("gradient") @ shapes.a
            full[i, :n] += row("acceleration_q") @ shapes.q + row("acceleration_u") @ shapes.u
    return full[:, :n], full[:, n:]


def state_rate_rows(point: OperatingPoint, shapes: Shapes) -> np.ndarray:
    """Rows of [A | B] that belong to the first-order states."""
    return np.stack([signal_row(point, shapes, signal) for signal in point.system.forces.state_rates])


def signal_row(point: OperatingPoint, shapes: Shapes, signal: Signal) -> np.ndarray:
    """Derivative of a signal by [S, W, x | inputs]."""
    applied, measures = point.mechanics.applied, point.system.forces.measures
    n, nq = shapes.nS + shapes.nW + shapes.nx, point.system.nq
    out = np.zeros(n + shapes.nu)
    for argument, slope in signal.partials(applied.now):
        i = argument.index
        if argument.kind == "x":
            out[shapes.nS + shapes.nW + i] += slope
        elif argument.kind == "u":
            out[n + i] += slope
        elif argument.kind in ("s", "v"):
            row = lambda values, i=i: dense(  # noqa: E731
                [Triplets.of_rows(np.zeros(1, dtype=int), measures.columns[[i]], values[[i]])], (1, nq)
            )[0]
            gradient = row(applied.jet.gradient)
            if argument.kind == "s":
                out[:n] += slope * (gradient @ shapes.q)
            else:
                out[:n] += slope * (row(applied.jet.rate_q) @ shapes.q + gradient @ shapes.u)
    return out
