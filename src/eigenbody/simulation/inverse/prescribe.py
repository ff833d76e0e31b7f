"""A model with further motions prescribed, bodies held and inputs given over time, compiled for inverse dynamics."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from eigenbody.base.errors import Fault, InputError, suggest
from eigenbody.dynamics.mechanics import Mechanics
from eigenbody.elements.joints import ALL_JOINTS
from eigenbody.elements.prescribed import holds_a_row
from eigenbody.linearization.point import system_of
from eigenbody.mobility.closing import with_closed_joints
from eigenbody.mobility.initial import initial_state
from eigenbody.mobility.treespace import value_set
from eigenbody.mobility.turns import values_of
from eigenbody.model.model import InertModel
from eigenbody.model.names import MeasureDimensions, measure_dimensions
from eigenbody.simulation.inverse.laws import Law, MotionLaw, as_law
from eigenbody.spatial.rotations import quaternion
from eigenbody.system.arguments import Argument, Quantities
from eigenbody.system.compile import compile_system
from eigenbody.system.state import State
from eigenbody.system.system import PrescribedMotion, System, Turned

FORCE_UNITS = {"m": "N", "rad": "N*m", "1": "N"}


@dataclass(frozen=True, slots=True)
class LawSignal:
    """A signal given by a function of time alone, multiplied by `factor` and meant for `target`."""

    target: int
    factor: float
    owner: int
    function: Callable[[float], Any]
    arguments: tuple[Argument, ...] = ()

    def value(self, now: Quantities) -> np.ndarray:
        values = [self.function(float(t)) for t in np.real(np.ravel(now.t))]
        return self.factor * np.asarray(values).reshape(np.shape(now.t))

    def partials(self, now: Quantities) -> list[tuple[Argument, np.ndarray]]:
        return []


@dataclass(frozen=True, slots=True)
class Drive:
    """A prescribed coordinate: its constraint row and named measure."""

    name: str
    row: int
    measure: int
    unit: str  # of the force along it


@dataclass(frozen=True, slots=True, eq=False)
class Hold:
    """A held body: its rows, and the point (in body axes) at which force and moment are reported."""

    name: str
    body: int
    rows: np.ndarray
    arm: np.ndarray


@dataclass(frozen=True, slots=True, eq=False)
class Ball:
    """A rotation all of whose coordinates are driven: its three rows, and its drives, whose numbers these are too."""

    name: str
    rows: np.ndarray
    turned: Turned

    @property
    def drives(self) -> list[int]:
        return list(self.turned.motions)

    def coordinates(self, system: System, t: float | complex) -> np.ndarray:
        """(3, 3) prescribed values, rates and accelerations; (3, 4) of a quaternion."""
        motions = system.constraints.motions
        levels = ("value", "rate", "acceleration")
        return np.real([self.turned.coordinates(motions, t, level) for level in levels])

    def along_coordinates(self, moment: np.ndarray, value: np.ndarray) -> np.ndarray:
        """(3,) generalized forces of a moment in the axes of the first frame: what does the same power. Of the four
        of a quaternion those that change its length do none."""
        n = len(value)
        R, w, _ = self.turned.pose(value, np.eye(n), np.zeros((n, n)))  # w by each rate, in the axes of the second
        return w @ (R.T @ moment)


@dataclass(frozen=True, slots=True)
class Prescribed:
    """The compiled system, its start, what is driven and what is held."""

    system: System
    start: State
    drives: tuple[Drive, ...]
    holds: tuple[Hold, ...]

    @property
    def balls(self) -> tuple[Ball, ...]:
        """Ball joints, floating bodies and measures of angles whose three rotations are driven."""
        c, owners = self.system.constraints, self.system.places.targets
        return tuple(
            Ball(owner, np.array([c.motions[k].row for k in turned.motions[-3:]]), turned)
            for owner, turned in zip(owners, c.turned, strict=True)
        )


def prescribe(
    model: InertModel, motion: Mapping[str, Any], holds: Sequence[str], inputs: Mapping[str, Any], times: np.ndarray
) -> Prescribed:
    """Compile the model with its own motions and drivers, those given, held bodies and inputs over time."""
    laws = _laws(model, motion, times)
    given = input_laws(model, inputs, times)
    bodies = _held_bodies(model, holds)
    driven = _with_drivers(model, laws)
    system = _compiled(driven, laws, given)
    start = initial_state(system)
    _refuse_moving(system, start, bodies)
    joints = []
    for name, body in bodies:
        driven, joint = _fixed(driven, system, start, body)
        joints.append((name, body, joint))
    if joints:
        system = _compiled(driven, laws, given)
    return Prescribed(system, start, _drives(system), tuple(_held(system, *joint) for joint in joints))


def _compiled(model: InertModel, laws: Mapping[str, MotionLaw], inputs: Mapping[str, MotionLaw]) -> System:
    return _with_inputs(_with_laws(with_closed_joints(compile_system(model.description)), list(laws.values())), inputs)


# What is given ------------------------------------------------------------------------------------------------------
def _laws(model: InertModel, motion: Mapping[str, Any], times: np.ndarray) -> dict[str, MotionLaw]:
    """Laws by measure; every fault at once."""
    system = system_of(model)
    dimensions = measure_dimensions(model.description, model.vocabulary)
    taken = {drive.measure: drive.name for drive in _drives(system)}
    faults: list[Fault] = []
    laws: dict[str, MotionLaw] = {}
    for name, law in _one_by_one(motion, dimensions):
        where, dimension = f"motion of {name}", dimensions.get(name)
        if dimension is None:
            several = dimensions.coordinates_of(name)
            remedy = f"Name one: {', '.join(several)}." if several else suggest(name, dimensions.names())
            faults.append(Fault(where, "there is no such measure.", remedy))
            continue
        if dimensions.is_speed(name):
            what = "it is a speed and the rate of nothing, so its history cannot be prescribed."
            faults.append(Fault(where, what, "Prescribe joint coordinates, angles or displacements."))
            continue
        index = system.aliases.get(name, -1 - len(laws))
        if index in taken:
            faults.append(Fault(where, f"{taken[index]} is prescribed already.", "Remove one of the two."))
        taken[index] = name
        try:
            laws[name] = as_law(law, dimension, where, times, model.parameters)
        except InputError as error:
            faults.extend(error.faults)
    if faults:
        raise InputError(faults)
    return laws


def _one_by_one(motion: Mapping[str, Any], dimensions: MeasureDimensions) -> Iterator[tuple[str, Any]]:
    """Laws of single coordinates; a list may be given for all those of a joint or measure."""
    for name, law in motion.items():
        several = dimensions.coordinates_of(name) if dimensions.get(name) is None else []
        if several and isinstance(law, list | tuple) and len(law) == len(several):
            yield from zip(several, law, strict=True)
        else:
            yield name, law


def input_laws(model: InertModel, inputs: Mapping[str, Any], times: np.ndarray) -> dict[str, MotionLaw]:
    """Laws by input; every fault at once."""
    known = [entry.name for entry in model.description.inputs]
    faults = [
        Fault("inputs", f'there is no input "{name}".', suggest(name, known)) for name in inputs if name not in known
    ]
    if faults:
        raise InputError(faults)
    return {name: as_law(law, "1", f"input {name}", times, model.parameters) for name, law in inputs.items()}


def _held_bodies(model: InertModel, holds: Sequence[str]) -> list[tuple[str, int]]:
    """(name as given, body) of every held body or marker."""
    system, out, faults = system_of(model), [], []
    places, markers = system.places, system.description.markers
    hidden = set(system.description.bodies.names) - set(system.description.bodies.known_names)
    flexible = {body.name for body in system.description.flexible}
    seen: dict[int, str] = {}
    for name in [holds] if isinstance(holds, str) else holds:
        where = f"hold {name}"
        if name in hidden or (name not in places.index and name not in markers):
            remedy = suggest(name, [*system.description.bodies.known_names, *markers])
            faults.append(Fault(where, "there is no such body or marker.", remedy))
            continue
        body = places.carrier(name)
        if name in flexible:
            faults.append(Fault(where, "a flexible body is held at a node.", f"Name one: {name}.start, ..."))
        elif body >= system.bodies:
            faults.append(Fault(where, "it does not move anyway.", "Name a body."))
        elif body in seen:
            faults.append(Fault(where, f"its body is held already (by {seen[body]}).", "Hold it once."))
        else:
            seen[body] = name
            out.append((name, body))
    if faults:
        raise InputError(faults)
    return out


# The model with drivers ---------------------------------------------------------------------------------------------
def _with_drivers(model: InertModel, laws: Mapping[str, MotionLaw]) -> InertModel:
    """The model with a driver more for each law, under names that are free; placeholders where it is no expression."""
    if not laws:
        return model
    drivers = model.document.get("drivers") or {}
    for measure, law in laws.items():
        name = measure.replace(".", "_")
        while name in drivers:
            name += "_"
        drivers[name] = {"measure": measure, "motion": str(law) if isinstance(law, Law) else 0.0}
    return model.set(drivers=drivers)


def _refuse_moving(system: System, start: State, bodies: list[tuple[str, int]]) -> None:
    """A held body cannot start with a velocity."""
    faults = [
        Fault(f"hold {name}", "the body moves at the start.", "Hold it in a state in which it rests.")
        for name, body in bodies
        if np.abs(start.v[body]).max() > 1e-12 * system.length or np.abs(start.w[body]).max() > 1e-12
    ]
    if faults:
        raise InputError(faults)


def _fixed(model: InertModel, system: System, start: State, body: int) -> tuple[InertModel, str]:
    """The model with a body fixed to ground where it starts, and the name of the joint that does it."""
    body_name = system.places.names[body]
    joint = f"hold_{body_name.replace('.', '_')}"
    document = model.document
    while any(joint in (document.get(section) or {}) for section in ("bodies", "joints", "markers", "measures")):
        joint += "_"
    at = {"at": np.real(start.r[body]).tolist(), "rotation": {"quaternion": quaternion(start.R[body]).tolist()}}
    model = model.with_entry("markers", joint, {"body": "ground", **at})
    other = f"{joint}_on_body"
    model = model.with_entry("markers", other, {"body": body_name, "frame": "body", "at": [0, 0, 0]})
    return model.with_entry("joints", joint, {"type": "fixed", "between": [joint, other]}), joint


def _held(system: System, name: str, body: int, joint: str) -> Hold:
    rows = [r for r, row in enumerate(system.constraints.rows) if row.kind == "joint" and row.owner == joint]
    arm = system.places.local_points(np.array([body]), system.places.origin(name)[None])[0]
    return Hold(name, body, np.array(rows), np.real(arm))


def _with_laws(system: System, laws: list[MotionLaw]) -> System:
    """Laws that are no expressions take the place of their placeholders, the last motions of the system."""
    c = system.constraints
    motions = list(c.motions)
    first = len(motions) - len(laws)
    for k, law in enumerate(laws):
        if not isinstance(law, Law):
            old = motions[first + k]
            parts = (_signal(f, old.row) for f in (law.value, law.rate, law.acceleration))
            motions[first + k] = PrescribedMotion(old.row, *parts)
    return replace(system, constraints=replace(c, motions=tuple(motions)))


def _signal(function: Callable[[float], Any], target: int, factor: float = 1.0, owner: int = -1) -> LawSignal:
    return LawSignal(target, factor, owner, function)


def _with_inputs(system: System, laws: Mapping[str, MotionLaw]) -> System:
    """Inputs over time as forces along their channels."""
    if not laws:
        return system
    f = system.forces
    owners, signals = list(f.owners), list(f.signals)
    keep = np.ones(len(f.input_channel), dtype=bool)
    for name, law in laws.items():
        index = system.inputs.index(name)
        _refuse_read_input(system, name, index)
        own = np.flatnonzero(f.input_index == index)
        keep[own] = False
        owners.append(name)
        for k in own:
            factor = -float(f.input_weight[k])
            signals.append(_signal(law.value, int(f.input_channel[k]), factor, len(owners) - 1))
    forces = replace(
        f,
        owners=tuple(owners),
        signals=tuple(signals),
        input_channel=f.input_channel[keep],
        input_index=f.input_index[keep],
        input_weight=f.input_weight[keep],
    )
    return replace(system, forces=forces)


def _refuse_read_input(system: System, name: str, index: int) -> None:
    signals = (*system.forces.signals, *system.forces.state_rates)
    if any(a.kind == "u" and a.index == index for signal in signals for a in signal.arguments):
        what = "it is read by expressions, which cannot follow it over time here."
        raise InputError(Fault(f"inputs.{name}", what, 'Make it a variable: variables: {name: "=expression of t"}.'))


# What the rows are --------------------------------------------------------------------------------------------------
def _drives(system: System) -> tuple[Drive, ...]:
    """Every prescribed coordinate: motions of joints, drivers of the file, those added."""
    description = system.description
    names = [
        f"{entry.name}.{ALL_JOINTS[entry.type].free[k].label}"
        for entry in description.joints
        for k, signal in enumerate(entry.get("motion", ()))
        if signal is not None
    ]
    names += [entry["measure"] for entry in description.drivers if holds_a_row(entry)]
    motions = system.constraints.motions
    out = []
    for motion, name in zip(motions, names, strict=True):
        index = system.aliases[name]
        out.append(Drive(system.names[index], motion.row, index, FORCE_UNITS[system.dimensions[index]]))
    return tuple(out)


def positions_of(system: System, state: State) -> np.ndarray:
    """Values of all named measures."""
    return np.real(values_of(system, state, np.arange(system.named.count)))


def rates_of_values(system: System, state: State, index: np.ndarray) -> np.ndarray:
    """Rates of the values of named measures."""
    return np.real(value_set(system, index).jet(Mechanics(system, state).at, state.turns).rate)
