"""Beams that the operating point bends or stretches: how far their sections are turned in the frames of their bodies,
and how much longer they are."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from eigenbody.linearization.point import OperatingPoint
from eigenbody.mobility.bent import modal_coordinates, strains
from eigenbody.model.description import FlexibleBody

FAR = 0.03  # rad, whose square is 1e-3
NOTED = 1e-3  # part of a frequency that may be left out without a word
HALF = 0.5  # part of a stretch by which frequencies may err: measured, 0.25 to 0.5


@dataclass(frozen=True, slots=True)
class TurnedBeam:
    """A beam of one body or several, as it is at the operating point."""

    turn: float  # rad, the largest between a section and the frame of its body
    stretch: float  # the largest part by which a piece of its line is longer or shorter
    parts: int  # bodies that it consists of
    right_below: float  # rad/s, half of its modes: what its modes should give rightly

    @property
    def left_out(self) -> float:
        """Part of a frequency by which the terms of third order change it: measured, 0.5 to 1.8 times this square where
        the beam is about as stiff in both planes; half of it for one of several sections."""
        return self.turn**2 * (1.0 if self.parts == 1 else 0.5)


def turned_beams(point: OperatingPoint, least: float) -> dict[str, TurnedBeam]:
    """Beams with modes, by name, that a steady state or an equilibrium turns by `least` rad in themselves, or more."""
    return {name: beam for name, beam in _at_rest_or_steady(point).items() if beam.turn >= least}


def stretched_beams(point: OperatingPoint, least: float) -> dict[str, TurnedBeam]:
    """Beams with modes, by name, that a steady state or an equilibrium makes longer or shorter by that part or more."""
    return {name: beam for name, beam in _at_rest_or_steady(point).items() if beam.stretch >= least}


def _at_rest_or_steady(point: OperatingPoint) -> dict[str, TurnedBeam]:
    """Beams whose load has built up; elsewhere they swing back."""
    return _loaded_beams(point) if point.is_steady or point.is_equilibrium else {}


def _loaded_beams(point: OperatingPoint) -> dict[str, TurnedBeam]:
    bodies: dict[str, list[FlexibleBody]] = {}
    for body in point.system.description.flexible:
        if body.reduced.bow is not None and body.reduced.modes:
            bodies.setdefault(body.where.removeprefix("flexible."), []).append(body)
    found = {}
    for name, parts in bodies.items():
        turn, stretch = (max(of(point, body) for body in parts) for of in (_turn, _stretch))
        half = [float(np.real(body.reduced.frequencies)[(body.reduced.modes - 1) // 2]) for body in parts]
        found[name] = TurnedBeam(turn, stretch, len(parts), min(half))
    return found


def remarks_on_bending(point: OperatingPoint) -> tuple[str, ...]:
    """A sentence for every beam that is bent or stretched too far for its number of bodies whatever it is like."""
    return tuple(remark for name, beam in _loaded_beams(point).items() for remark in _remarks(name, beam))


def _remarks(name: str, beam: TurnedBeam) -> Iterator[str]:
    if beam.turn >= FAR and beam.left_out > NOTED:
        yield (
            f"flexible.{name}: its sections are turned by up to {beam.turn:.2g} rad in the frame of a body that is"
            f" right to second order: frequencies may err by {beam.left_out:.1e}, those of a strip by more. Give"
            f" {'' if beam.parts == 1 else 'more '}sections, and compare."
        )
    if beam.parts == 1 and HALF * beam.stretch > NOTED:
        yield (
            f"flexible.{name}: its load makes it longer or shorter by {beam.stretch:.1e} of its length, and one body"
            f" has the stiffness of small strains: frequencies may err by {HALF * beam.stretch:.1e}, those that the"
            " load lowers much by more. Give sections, and compare."
        )


def _turn(point: OperatingPoint, body: FlexibleBody) -> float:
    turned = np.real(body.reduced.turn) @ modal_coordinates(point.system, point.state, body)
    return float(np.linalg.norm(turned, axis=-1).max(initial=0.0))


def _stretch(point: OperatingPoint, body: FlexibleBody) -> float:
    return float(np.abs(strains(point.system, point.state, body)).max(initial=0.0))
