"""Outputs of a model: measures, expressions, states, reactions in joints, tensions of force elements; and all units."""

from __future__ import annotations

from collections.abc import Sequence

from eigenbody.base.errors import Fault, InputError, suggest
from eigenbody.elements.forces import ForceBuilder
from eigenbody.model.description import Description, Entry
from eigenbody.model.expressions import Expression
from eigenbody.model.operating import HELD
from eigenbody.system.algebraic import LoadNames
from eigenbody.system.named import NamedMeasures
from eigenbody.system.signals import SignalCompiler
from eigenbody.system.system import Output

FORCE_UNITS = {"m": "N", "rad": "N*m", "1": "N*m"}


class OutputReader:
    """Turns the entries of `outputs` into outputs; faults are collected and raised together."""

    def __init__(
        self, description: Description, named: NamedMeasures, compiler: SignalCompiler, builder: ForceBuilder,
        states: Sequence[str], loads: LoadNames,
    ) -> None:  # fmt: skip
        self.description, self.named, self.compiler, self.builder = description, named, compiler, builder
        self.states, self.loads = states, loads
        self.units = dict(zip(states, state_units(description, builder, named), strict=True))
        units = zip(description.inputs, input_units(description, named), strict=True)
        self.units |= {entry.name: unit for entry, unit in units if entry.type != HELD}
        self.faults: list[Fault] = []

    def read(self) -> tuple[Output, ...]:
        out = [self._output(i, entry) for i, entry in enumerate(self.description.outputs)]
        if self.faults:
            raise InputError(self.faults)
        return tuple(output for output in out if output is not None)

    def _output(self, i: int, entry: Entry) -> Output | None:
        if entry.get("reaction") is not None:
            return self._reaction(entry)
        if entry.get("force") is not None:
            return self._load(entry)
        if entry.get("measure") is not None:
            measure, order = self.named.of(entry["measure"]), entry.get("order", 0)
            order += measure in self.named.speeds
            if order > 2:
                what = f"{entry['measure']} is a speed, and has no second rate here."
                return self._fault(entry, what, "Use order 0 (the speed) or 1 (its rate).")
            unit = rate_unit(self.named.dimensions[measure], order)
            return Output(entry.name, measure, order, None, unit=entry.get("unit", unit), where=entry.where)
        if entry.get("state") is not None:
            return self._state(i, entry)
        signal = self.compiler.compile(entry["expression"], i, where=entry.where, after_motion=True)
        unit = entry.get("unit", self._unit_of(entry["expression"]))
        return Output(entry.name, -1, 0, signal, unit=unit, where=entry.where)

    def _state(self, i: int, entry: Entry) -> Output | None:
        name = entry["state"]
        if name not in self.states:
            return self._fault(entry, f'there is no state "{name}".', suggest(name, self.states))
        signal = self.compiler.compile(Expression.symbol(name), i, where=entry.where)
        return Output(entry.name, -1, 0, signal, unit=entry.get("unit", self.units[name]), where=entry.where)

    def _reaction(self, entry: Entry) -> Output | None:
        try:
            found = self.loads.reaction(entry["reaction"], entry["component"], entry.get("axes", "joint"), entry.where)
        except InputError as error:
            return self._faults(error)
        unit = entry.get("unit", "N" if found.component < 3 else "N*m")
        return Output(entry.name, -1, 0, None, reaction=found, unit=unit, where=entry.where)

    def _load(self, entry: Entry) -> Output | None:
        try:
            load, component = self.loads.load(entry["force"], entry.get("component"), entry.where)
        except InputError as error:
            return self._faults(error)
        own = next(force for force in self.description.forces if force.name == entry["force"])
        unit = ("N" if component[0] == "f" else "N*m") if component else self._force_unit(own)
        return Output(entry.name, -1, 0, None, load=load, unit=entry.get("unit", unit), where=entry.where)

    def _force_unit(self, force: Entry) -> str:
        return FORCE_UNITS[_dimension(force, self.named)]

    def _unit_of(self, signal: object) -> str:
        """Unit of an expression that is one name alone."""
        if not isinstance(signal, Expression) or len(signal.names) != 1:
            return ""
        (name,) = signal.names
        if str(signal) != name:
            return ""
        plain = name.rstrip("'")
        if plain in self.named.index:
            order = len(name) - len(plain) + self.named.is_speed(plain)
            return rate_unit(self.named.dimensions[self.named.index[plain]], order)
        return self.units.get(name, "")

    def _faults(self, error: InputError) -> Output | None:
        self.faults.extend(error.faults)
        return None

    def _fault(self, entry: Entry, what: str, remedy: str) -> Output | None:
        self.faults.append(Fault(entry.where, what, remedy))
        return None


def state_names(description: Description, builder: ForceBuilder) -> tuple[str, ...]:
    """Names of all first-order states: of the model, of its blocks, then those that elements bring along."""
    inner = (f"{builder.owners[state.owner]}.{state.local}" for state in builder.states)
    return (*(entry.name for entry in description.states), *inner)


# Units ----------------------------------------------------------------------------------------------------------------
def rate_unit(dimension: str, order: int) -> str:
    """Unit of a measure ("m", "rad" or "1") or of its first or second rate."""
    plain = "" if dimension == "1" else dimension
    return plain if not order else (plain or "1") + ("/s", "/s^2")[order - 1]


def state_units(description: Description, builder: ForceBuilder, named: NamedMeasures) -> tuple[str, ...]:
    """Units of all first-order states: as the model says, those of elements as the element says."""
    forces = {entry.name: entry for entry in description.forces}
    inner = (
        rate_unit(_dimension(forces[builder.owners[s.owner]], named), 0) if s.unit == "s" else s.unit
        for s in builder.states
    )
    return (*(entry.get("unit", "") for entry in description.states), *inner)


def input_units(description: Description, named: NamedMeasures) -> tuple[str, ...]:
    """Units of the inputs: of forces and torques by what they act on, of setpoints as the model says."""
    out = []
    for entry in description.inputs:
        if entry.get("along") is not None:
            unit = FORCE_UNITS[_dimension(entry, named)]
        elif entry.get("body") is not None:
            unit = "N*m" if entry.get("torque", False) else "N"
        else:
            unit = ""
        out.append(entry.get("unit", unit))
    return tuple(out)


def _dimension(entry: Entry, named: NamedMeasures) -> str:
    """Dimension of what the entry acts along: a measure, or the distance of two points."""
    along = entry.get("along")
    return "m" if along is None else named.dimensions[named.of(along)]
