"""Rotating unbalance: forces moment * omega^2 that turn with the frequency, each about an axis through a body.

As a complex amplitude along two normals n1, n2 of the axis (n1 x n2 = axis) one is (1, -i) exp(i phase): at phase zero
cos along n1, sin along n2.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np

from eigenbody.analyses.frequency.evaluate import Evaluator
from eigenbody.analyses.frequency.poles import Growth, Pole, SharpPole, fastest_growth
from eigenbody.analyses.frequency.system import Excited, SparseEquations, dense_equations, excited
from eigenbody.analyses.linearize import Ports, ports
from eigenbody.base.errors import ComputationError, Fault, InputError, suggest
from eigenbody.base.progress import report
from eigenbody.linearization.linearize import dense_model
from eigenbody.linearization.point import OperatingPoint
from eigenbody.model.description import owner_of
from eigenbody.model.model import InertModel
from eigenbody.operating.constancy import has_constant_coefficients, has_constant_ports
from eigenbody.operating.find import operating_point
from eigenbody.operating.turning.constant_form import in_blade_patterns, is_of_an_instant

KEYS = ("body", "moment", "axis", "phase")
CRITICAL = 1e-6  # relative distance of spin and undamped whirl at which a located peak is infinite
FOLLOWED = 1e-10  # relative error of the spin that a parameter is solved for
STEP = 1e-3  # of the parameter, to see how the spin follows it; small, for tables over the speed have ends

NOT_OF_ONE_FREQUENCY = (
    "The equations of this rotor change as it turns (it and what carries it lack symmetry, or its coordinates turn with"
    " it): what an unbalance makes of it is not of one frequency. If it is the coordinates, take some that are measured"
    " from ground (coordinates: [disc.x, disc.y]); else give the unbalance as a body beside the axis, and ask for the"
    " periodic motion (eigenbody floquet) or simulate it."
)
SAME_SPEED = 1e-6  # relative
OWN_SPEED = (
    "The equations are those of {} spinning at {:.6g} Hz; the unbalance turns at the frequency all the same. Name the"
    " parameter that sets the spin (--speed) to let it follow."
)

Given = Mapping[str, Any] | Sequence[Mapping[str, Any]]


@dataclass(frozen=True, eq=False)
class Unbalance:
    """Checked: body, moment m e in kg m, unit axis (None: the axis it spins about), phase in rad ahead of n1."""

    body: str
    moment: float
    axis: np.ndarray | None
    phase: float = 0.0


def unbalance_excited(
    model: InertModel, given: Given, outputs: str | Sequence[str] | None, solver: str | None = None
) -> Excited:
    """The model excited by unbalance whose speed is the frequency, at the operating point as it is."""
    places = checked(model, given)
    point = operating_point(_touched(model, places))
    system, _ = _excited(model, places, [_spin_axis(point, place) for place in places], outputs, solver)
    if is_of_an_instant(system.linear):
        raise ComputationError(NOT_OF_ONE_FREQUENCY)
    _refuse_other_speeds(point, places)
    rate = float(np.linalg.norm(spin(point, places[0].body)))
    if not rate:
        return system
    note = OWN_SPEED.format(places[0].body, rate / (2 * np.pi))
    return replace(system, linear=replace(system.linear, notes=(*system.linear.notes, note)))


def _refuse_other_speeds(point: OperatingPoint, places: Sequence[Unbalance]) -> None:
    """Unbalance on bodies that turn at different speeds is not of one frequency."""
    rates = [float(np.linalg.norm(spin(point, place.body))) for place in places]
    for place, rate in zip(places, rates, strict=True):
        if abs(rate - rates[0]) > SAME_SPEED * max(rates):
            what = f"{places[0].body} turns at {rates[0]:.6g} rad/s, {place.body} at {rate:.6g}."
            raise InputError(Fault("unbalance", what, "Ask for each by itself: they answer at different speeds."))


def checked(model: InertModel, given: Given) -> tuple[Unbalance, ...]:
    """The unbalance at every place, or all that is wrong with it."""
    faults: list[Fault] = []
    items = [given] if isinstance(given, Mapping) else list(given)
    places = tuple(_checked(model, item, faults) for item in items)
    if not places:
        faults.append(Fault("unbalance", "no place of an unbalance is given.", "Give body and moment."))
    if faults:
        raise InputError(faults)
    return places


def _checked(model: InertModel, given: Mapping[str, Any], faults: list[Fault]) -> Unbalance:
    for key in given:
        if key not in KEYS:
            faults.append(Fault("unbalance", f'"{key}" is not known.', suggest(str(key), KEYS)))
    bodies = model.description.bodies.known_names
    flexible = {owner_of(body.name) for body in model.description.flexible}
    body, moment, axis = given.get("body"), given.get("moment"), given.get("axis")
    is_node = (
        isinstance(body, str) and "." in body and owner_of(body) in flexible
    )  # what attaches to it says if it exists
    if body not in bodies and not is_node:
        faults.append(Fault("unbalance", f'there is no body "{body}".', suggest(str(body), bodies)))
    if not isinstance(moment, int | float) or not np.isfinite(moment) or moment <= 0:
        faults.append(Fault("unbalance", "the moment (mass times eccentricity) is a positive number in kg m."))
    phase = given.get("phase", 0.0)
    if not isinstance(phase, int | float) or not np.isfinite(phase):
        faults.append(Fault("unbalance", "the phase is an angle in rad, ahead of the first normal of the axis."))
    direction = None
    if axis is not None:
        direction = np.asarray(axis, float)
        if direction.shape != (3,) or not np.isfinite(direction).all() or not direction.any():
            faults.append(Fault("unbalance", "the axis is a direction of three numbers, not all zero."))
        else:
            direction = direction / np.linalg.norm(direction)
    return Unbalance(str(body), float(moment or 0.0), direction, phase)


def _touched(model: InertModel, places: Sequence[Unbalance]) -> InertModel:
    """The model in which every node with an unbalance is a body, whether or not something else is attached to it."""
    known = model.description.bodies.names
    for number, place in enumerate(places):
        if place.body not in known:
            entry = {"body": place.body, "direction": [1, 0, 0]}
            model = model.with_entry("inputs", f"place of unbalance {number}", entry)
    return model


def spin(point: OperatingPoint, body: str) -> np.ndarray:
    """Angular velocity (3,) of a body in global axes."""
    i = point.system.description.bodies.names.index(body)
    return np.real(point.state.R[i] @ point.state.w[i])


def _spin_axis(point: OperatingPoint, place: Unbalance) -> np.ndarray:
    """The axis that is given, else that of the spin."""
    if place.axis is not None:
        return place.axis
    rate = spin(point, place.body)
    if not rate.any():
        what = f'"{place.body}" does not spin at the operating point, so its axis is not known.'
        raise InputError(Fault("unbalance", what, "Give the axis: --axis 0,0,1."))
    return rate / np.linalg.norm(rate)


def normals(axis: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """n1 and n2 with n1 x n2 = axis; for an axis along z they are x and y."""
    cyclic = np.roll(np.eye(3), -1, axis=0)[int(np.argmax(np.abs(axis)))]  # x for z, y for x, z for y
    first = cyclic - axis * (cyclic @ axis)
    first = first / np.linalg.norm(first)
    return first, np.cross(axis, first)


def _excited(
    model: InertModel,
    places: Sequence[Unbalance],
    axes: Sequence[np.ndarray],
    outputs: str | Sequence[str] | None,
    solver: str | None,
) -> tuple[Excited, Ports]:
    names = []
    taken = {entry.name for entry in model.description.inputs}
    normal_of = [(place.body, normal) for place, axis in zip(places, axes, strict=True) for normal in normals(axis)]
    for number, (body, normal) in enumerate(normal_of, 1):
        name = f"unbalance {number}"
        while name in taken:
            name += " again"
        model = model.with_entry("inputs", name, {"body": body, "direction": normal.tolist()})
        names.append(name)
    found = ports(model, names, outputs, solver)
    sizes = [place.moment * np.exp(1j * place.phase) for place in places]
    rotating = np.array([[size * along] for size in sizes for along in (1.0, -1.0j)])
    weight = partial(_turning, rotating)
    name = f"unbalance of {', '.join(dict.fromkeys(place.body for place in places))}"
    return replace(excited(found), inputs=(name,), input_units=("",), weight=weight), found


def _turning(rotating: np.ndarray, s: np.ndarray) -> np.ndarray:
    """Forces (nf, two for each place, 1) that grow with the square of the frequency."""
    return -(s[:, None, None] ** 2) * rotating


def _at_speeds(omega: list[float], fastest: float) -> str:
    """Where modes grow, and where fastest."""
    low, high, most = (value / (2 * np.pi) for value in (min(omega), max(omega), fastest))
    if len(omega) == 1:
        return f" at {most:.6g} Hz"
    return f" at {len(omega)} of the speeds, from {low:.6g} to {high:.6g} Hz, fastest at {most:.6g} Hz"


class Synchronous:
    """The response to an unbalance at the speed of the rotor, linearized anew at every speed."""

    def __init__(self, model: InertModel, given: Given, outputs: str | Sequence[str] | None, parameter: str) -> None:
        self._parameter, places = parameter, checked(model, given)
        if parameter not in model.parameters:
            what = f'there is no parameter "{parameter}".'
            raise InputError(Fault("speed_parameter", what, suggest(parameter, model.parameters)))
        self._model, self._body = _touched(model, places), places[0].body
        start = float(model.parameters[parameter]) or 1.0
        first = self._point(start)
        _refuse_other_speeds(first, places)
        axes = [_spin_axis(first, place) for place in places]
        self._axis = axes[0]
        self._line(start, self._speed(first), self._speed(self._point((1 - STEP) * start)))
        self.system, found = _excited(model, places, axes, outputs, "dense")
        self._ports = found.inputs, found.outputs
        self._model = found.linear.point.model  # with inputs and outputs
        self._growing: dict[float, Growth] = {}  # by the speeds at which a mode grows
        self._is_checked = False

    def _line(self, start: float, first: float, second: float) -> None:
        """Spin over parameter as a straight line, to start from."""
        self._slope = (first - second) / (STEP * start)
        self._zero = first - self._slope * start
        if not np.isfinite(self._slope) or abs(second - first) <= 1e-9 * abs(first) or second == first:
            what = f'"{self._parameter}" does not change the spin of {self._body}.'
            raise InputError(Fault("speed_parameter", what, "Name the parameter that sets the velocity of its joint."))

    def _point(self, value: float) -> OperatingPoint:
        return operating_point(self._model.with_parameters({self._parameter: value}))

    def _speed(self, point: OperatingPoint) -> float:
        return float(spin(point, self._body) @ self._axis)

    def _spinning(self, omega: float) -> OperatingPoint:
        """The operating point at which the body spins at omega: the parameter from the line through two speeds,
        corrected by secants."""
        value, slope = (omega - self._zero) / self._slope, self._slope
        point = self._point(value)
        speed = self._speed(point)
        for _ in range(20):
            if abs(speed - omega) <= FOLLOWED * abs(omega):
                return point
            new = value + (omega - speed) / slope
            point = self._point(new)
            reached = self._speed(point)
            slope = (reached - speed) / (new - value) if reached != speed else slope
            value, speed = new, reached
        raise ComputationError(
            f'The parameter "{self._parameter}" could not be set so that {self._body} spins at'
            f" {omega:.6g} rad/s: {value:.6g} gives {speed:.6g}. Name the parameter that sets the spin."
        )

    def _at(self, omega: float) -> Excited:
        """The system that spins at omega."""
        linear = in_blade_patterns(dense_model(self._spinning(omega)))
        if omega and not self._is_checked and linear.blades is None:
            if not (has_constant_coefficients(linear) and has_constant_ports(linear, *self._ports)):
                raise ComputationError(NOT_OF_ONE_FREQUENCY)
            self._is_checked = True
        dense, sparse = dense_equations(linear, *self._ports), SparseEquations(linear, *self._ports)
        return replace(self.system, linear=linear, dense=dense, sparse=sparse)

    @cached_property
    def resonances(self) -> np.ndarray:
        """Eigenvalues at the model's own speed, to choose a range."""
        return Evaluator(self.system).resonances

    @property
    def notes(self) -> tuple[str, ...]:
        """What was done, and at which of the speeds asked for a mode grows."""
        follows = (
            f'Spin speed = frequency: "{self._parameter}" follows, and the model is linearized anew at every speed.'
        )
        return (follows, *self._growth_notes())

    def _growth_notes(self) -> Iterator[str]:
        for is_seen in (True, False):
            growing = {omega: growth for omega, growth in self._growing.items() if growth.is_seen is is_seen}
            if growing:
                fastest = max(growing, key=lambda omega: growing[omega].value.real)
                yield growing[fastest].text(_at_speeds(list(growing), fastest))

    def respond(self, omega: np.ndarray) -> tuple[np.ndarray, tuple[Pole, ...]]:
        """H (nf, ny, 1) and the critical speeds that were met."""
        found = []
        for system, w in self._systems(omega):
            assert system.dense is not None
            found.append(Evaluator(system).respond(w))
            growth = fastest_growth(system.dense)
            if growth is not None:
                self._growing[float(w[0])] = growth
        return np.concatenate([H for H, _ in found]), tuple(pole for _, poles in found for pole in poles)

    def __call__(self, omega: np.ndarray) -> np.ndarray:
        """H (nf, ny, 1), whatever arithmetic makes of it at a critical speed."""
        return np.concatenate([Evaluator(system)(w) for system, w in self._systems(omega)])

    def _systems(self, omega: np.ndarray) -> Iterator[tuple[Excited, np.ndarray]]:
        for i, value in enumerate(omega.tolist()):
            report("frequency response, speed by speed", i / len(omega))
            yield self._at(value), np.array([value])

    def sharp_poles(self, low: float, high: float) -> tuple[SharpPole, ...]:
        """None is known beforehand."""
        return ()

    @property
    def beside_resonances(self) -> np.ndarray:
        """None is known beforehand."""
        return np.zeros(0)

    def is_undamped(self, omega: float) -> np.ndarray:
        """Entries (ny, 1) that are infinite at an undamped whirl as fast as the spin."""
        system = self._at(omega)
        poles = Evaluator(system).sharp_poles((1 - CRITICAL) * omega, (1 + CRITICAL) * omega)
        near = [pole.felt for pole in poles if not pole.decay]
        return np.any([np.zeros((len(system.outputs), 1), bool), *near], axis=0)
