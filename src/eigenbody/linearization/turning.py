"""Coordinates measured in axes that turn: those of joints on bodies that turn, and shapes of such bodies."""

from __future__ import annotations

import numpy as np

from eigenbody.elements.measures.templates import Angle, Pairs, Template
from eigenbody.linearization.point import OperatingPoint
from eigenbody.model.description import FlexibleBody, owner_of
from eigenbody.spatial.rotations import apply, cross

SIDEWAYS = 1e-6  # of the fastest turning: an axis turns with its body at more than this


def flexible_that_turn(point: OperatingPoint) -> list[FlexibleBody]:
    """Bodies with modal coordinates that turn."""
    index = point.system.places.index
    flexible = [body for body in point.system.description.flexible if body.reduced.modes]
    return [body for body in flexible if np.any(point.state.w[index[body.name]])]


def turning_flexible(point: OperatingPoint) -> list[str]:
    """Those of them without symmetry, each once: their modal coordinates turn with them."""
    return list(dict.fromkeys(owner_of(body.name) for body in flexible_that_turn(point) if body.symmetry is None))


def turning_coordinates(point: OperatingPoint) -> dict[str, int]:
    """Coordinates of joints along or about an axis that turns, and the number of the joint. An axis about which its
    body turns stands still."""
    system, at = point.system, point.mechanics.at
    spin = np.real(apply(at.R, at.w))
    least = SIDEWAYS * np.abs(spin).max(initial=0.0)
    found: dict[str, int] = {}
    if not least:
        return found
    for group in system.joints:
        for template, places in zip(group.type.free, group.coordinates.T, strict=True):
            axis = _direction(point, group.pairs, template)
            turns = np.abs(cross(spin[group.pairs.first], axis)).max(axis=-1, initial=0.0) > least
            own = np.flatnonzero(turns & np.isin(places, point.chosen.positions))
            found |= {system.names[places[k]]: int(group.index[k]) for k in own}
    return found


def has_carried_hinges(point: OperatingPoint) -> bool:
    """Whether coordinates turn about axes that are carried round: they keep their direction, and turn bodies about
    another place."""
    system, at = point.system, point.mechanics.at
    spin, speed = np.real(apply(at.R, at.w)), np.real(at.v)
    least = SIDEWAYS * np.abs(spin).max(initial=0.0) * system.length
    for group in system.joints:
        first = group.pairs.first
        arm = apply(np.real(at.R)[first], np.real(group.pairs.origin1))
        moves = speed[first] + cross(spin[first], arm)
        for template, places in zip(group.type.free, group.coordinates.T, strict=True):
            if isinstance(template, Angle):
                aside = np.abs(cross(moves, _direction(point, group.pairs, template))).max(axis=-1, initial=0.0)
                if np.any((aside > least) & np.isin(places, point.chosen.positions)):
                    return True
    return False


def _direction(point: OperatingPoint, pairs: Pairs, template: Template) -> np.ndarray:
    """(n, 3) of the axis along or about which a coordinate is measured, global axes."""
    name = template.about if isinstance(template, Angle) else getattr(template, "axis", "z") + "1"
    body = pairs.second if name.endswith("2") else pairs.first
    return apply(np.real(point.mechanics.at.R)[body], np.real(pairs.axis(name)))
