"""Beams that the operating point bends: how far their sections are turned in the frames of their bodies."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from eigenbody.linearization.point import OperatingPoint
from eigenbody.model.description import FlexibleBody

FAR = 0.03  # rad, whose square is 1e-3
NOTED = 1e-3  # part of a frequency that may be left out without a word


@dataclass(frozen=True, slots=True)
class TurnedBeam:
    """A beam of one body or several."""

    turn: float  # rad, the largest between a section and the frame of its body
    parts: int  # bodies that it consists of
    right_below: float  # rad/s, half of its modes: what its modes should give rightly

    @property
    def left_out(self) -> float:
        """Part of a frequency by which the terms of third order change it: measured, 0.5 to 1.8 times this square where
        the beam is about as stiff in both planes; half of it for one of several sections."""
        return self.turn**2 * (1.0 if self.parts == 1 else 0.5)


def turned_beams(point: OperatingPoint, least: float) -> dict[str, TurnedBeam]:
    """Beams with modes, by name, that a steady state or an equilibrium turns by `least` rad in themselves, or more."""
    bodies: dict[str, list[FlexibleBody]] = {}
    for body in point.system.description.flexible:
        if body.reduced.bow is not None and body.reduced.modes:
            bodies.setdefault(body.where.removeprefix("flexible."), []).append(body)
    if not bodies or not (point.is_steady or point.is_equilibrium):
        return {}
    found = {}
    for name, parts in bodies.items():
        turn = max(_turn(point, body) for body in parts)
        if turn >= least:
            half = [float(np.real(body.reduced.frequencies)[(body.reduced.modes - 1) // 2]) for body in parts]
            found[name] = TurnedBeam(turn, len(parts), min(half))
    return found


def remarks_on_bending(point: OperatingPoint) -> tuple[str, ...]:
    """A sentence for every beam that is bent too far for its number of bodies whatever it is like."""
    return tuple(
        f"flexible.{name}: its sections are turned by up to {beam.turn:.2g} rad in the frame of a body that is right to"
        f" second order: frequencies may err by {beam.left_out:.1e}, those of a strip by more. Give sections:"
        f" {2 * beam.parts} or more, and compare."
        for name, beam in turned_beams(point, FAR).items()
        if beam.left_out > NOTED
    )


def _turn(point: OperatingPoint, body: FlexibleBody) -> float:
    carriers = [point.system.places.index[name] for name in body.carriers]
    eta = np.real(point.state.r[carriers]).reshape(-1)[: body.reduced.modes]
    return float(np.linalg.norm(np.real(body.reduced.turn) @ eta, axis=-1).max(initial=0.0))
