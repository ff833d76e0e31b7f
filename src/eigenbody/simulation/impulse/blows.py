"""Impulses as a user gives them, and the generalized impulse they put on all bodies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from eigenbody.base.errors import Fault, InputError, suggest
from eigenbody.dynamics.mechanics import Mechanics
from eigenbody.elements.forces.load import load_directions
from eigenbody.mobility.treespace import value_set
from eigenbody.model.description import Entry
from eigenbody.model.expressions import ExpressionError, parse
from eigenbody.model.model import InertModel
from eigenbody.model.units import UnitError, parse_quantity
from eigenbody.numerics.matrices.assembly import dense_vector
from eigenbody.system.system import System

KEYS = ("body", "impulse", "angular", "at", "axes", "frame", "against", "along", "value")
_UNITS = {"m": "N*s", "rad": "N*m*s", "1": "N*s"}


@dataclass(frozen=True, eq=False)
class Blow:
    """One impulse: at a body (or marker), or along a measure."""

    body: str = ""
    impulse: np.ndarray | None = None  # (3,) N*s
    angular: np.ndarray | None = None  # (3,) N*m*s
    at: np.ndarray | None = None  # (3,) in the drawing, or in body axes with frame = "body"
    axes: str = "ground"
    frame: str = "ground"
    against: str = ""  # body that takes the opposite, at the same point
    along: str = ""  # measure
    value: float = 0.0


def read_blows(given: Any, system: System, model: InertModel) -> list[Blow]:
    """All impulses; every fault at once."""
    listed = [given] if isinstance(given, Mapping | Blow) else list(given)
    faults: list[Fault] = []
    blows = []
    for number, item in enumerate(listed):
        reader = _Reader(f"impulses[{number}]", system, model, faults)
        blows.append(item if isinstance(item, Blow) else reader.read(item))
    if not listed:
        faults.append(
            Fault("impulses", "there is no impulse.", 'Give for example {"body": ..., "impulse": [1, 0, 0]}.')
        )
    if faults:
        raise InputError(faults)
    return blows


class _Reader:
    """Reads one impulse and remembers its faults."""

    def __init__(self, where: str, system: System, model: InertModel, faults: list[Fault]) -> None:
        self.where, self.system, self.model, self.faults = where, system, model, faults

    def fault(self, what: str, remedy: str = "") -> None:
        self.faults.append(Fault(self.where, what, remedy))

    def read(self, given: Any) -> Blow:
        if not isinstance(given, Mapping):
            self.fault(f"{type(given).__name__} is not an impulse.", 'Give {"body": ..., "impulse": [x, y, z]}.')
            return Blow()
        for key in given:
            if key not in KEYS:
                self.fault(f'unknown key "{key}".', suggest(str(key), KEYS))
        if (given.get("along") is None) == (given.get("body") is None):
            self.fault('exactly one of "body" and "along" is expected.')
            return Blow()
        return self._along(given) if given.get("body") is None else self._at_body(given)

    def _along(self, given: Mapping[str, Any]) -> Blow:
        name = str(given["along"])
        index = self.system.aliases.get(name)
        if index is None:
            several = [full for full in self.system.aliases if full.startswith(f"{name}.")]
            remedy = f"Name one: {', '.join(several)}." if several else suggest(name, self.system.aliases)
            self.fault(f'there is no measure "{name}".', remedy)
            return Blow()
        if self.system.dimensions[index] not in _UNITS:
            self.fault(f'no impulse acts along "{name}".', "Name a displacement, an angle or a velocity.")
            return Blow()
        if given.get("value") is None:
            self.fault("an impulse along a measure needs its value.", 'Add "value".')
            return Blow()
        return Blow(along=name, value=self._number(given["value"], _UNITS[self.system.dimensions[index]]))

    def _at_body(self, given: Mapping[str, Any]) -> Blow:
        name = self._body(given["body"])
        against = self._body(given["against"]) if given.get("against") is not None else ""
        axes, frame = str(given.get("axes", "ground")), str(given.get("frame", "ground"))
        for key, value in (("axes", axes), ("frame", frame)):
            if value not in ("ground", "body"):
                self.fault(f'{key} "{value}" is not known.', 'Use "ground" or "body".')
        push, turn = self._vector(given, "impulse", "N*s"), self._vector(given, "angular", "N*m*s")
        if given.get("impulse") is None and given.get("angular") is None:
            self.fault('neither "impulse" nor "angular" is given.', 'For example "impulse": [1, 0, 0].')
        return Blow(name, push, turn, self._vector(given, "at", "m"), axes, frame, against)

    def _body(self, given: Any) -> str:
        name, places = str(given), self.system.places
        markers = places.description.markers
        known = [*self.system.description.bodies.known_names, *places.names[self.system.bodies :], *markers]
        if name not in known:
            self.fault(f'there is no body or marker "{name}".', suggest(name, known))
        elif places.carrier(name) >= self.system.bodies:
            self.fault(f'"{name}" does not move: an impulse on it has no effect.', "Name a body or a marker on one.")
        return name

    def _vector(self, given: Mapping[str, Any], key: str, unit: str) -> np.ndarray | None:
        values = given.get(key)
        if values is None:
            return None
        if isinstance(values, str) or not isinstance(values, Sequence | np.ndarray) or len(values) != 3:
            self.fault(f"{key}: three components are expected.")
            return None
        return np.array([self._number(value, unit) for value in values])

    def _number(self, value: Any, unit: str) -> float:
        try:
            if isinstance(value, str):
                text = value.strip()
                known = self.model.parameters
                number = parse(text[1:]).evaluate(dict(known)) if text.startswith("=") else parse_quantity(text, unit)
            else:
                number = value
            number = float(np.real(number))
        except (UnitError, ExpressionError, TypeError, ValueError) as error:
            self.fault(f"{value!r} is not a number: {error}.")
            return 0.0
        if not np.isfinite(number):
            self.fault(f"{value!r} is not a finite number.")
            return 0.0
        return number


def generalized_impulse(system: System, mechanics: Mechanics, blows: Sequence[Blow]) -> np.ndarray:
    """I (nq,): work of the impulses per unit of the velocity variations."""
    out = np.zeros(system.nq)
    for blow in blows:
        if blow.along:
            jet = (measures := value_set(system, np.array([system.aliases[blow.along]]))).jet(
                mechanics.at, mechanics.state.turns
            )
            out += dense_vector(measures.columns[0], blow.value * jet.gradient[0], system.nq)
            continue
        out += _at_body(system, mechanics, blow)
    return out


def _at_body(system: System, mechanics: Mechanics, blow: Blow) -> np.ndarray:
    """External impulse and, with `against`, its opposite on the other body at the same point of space."""
    entry = Entry("", "", {"body": blow.body, "at": blow.at, "axes": blow.axes, "frame": blow.frame})
    places, state = system.places, mechanics.state
    linear, turning = np.zeros(3), np.zeros(3)  # ground axes, turning about the centre of mass
    body = places.carrier(blow.body)
    for is_torque, vector in ((False, blow.impulse), (True, blow.angular)):
        if vector is not None:
            gradient = load_directions(places, entry, is_torque).jet(mechanics.at).gradient
            total = vector @ gradient
            linear = linear + total[:3]
            turning = turning + state.R[body] @ total[3:]
    out = _on_body(system, state.R, body, linear, turning)
    if blow.against:
        other = places.carrier(blow.against)
        moved = turning + np.cross(state.r[body] - state.r[other], linear)
        out -= _on_body(system, state.R, other, linear, moved)
    return out


def _on_body(system: System, R: np.ndarray, body: int, linear: np.ndarray, turning: np.ndarray) -> np.ndarray:
    both = np.concatenate((linear, R[body].T @ turning))
    columns = np.where(system.dof[body] < 0, system.nq, system.dof[body])
    return dense_vector(columns, both, system.nq)
