"""Outputs of a model: measures, expressions, states, reactions in joints, tensions of force elements; and all units."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from eigenbody.base.errors import Fault, InputError, suggest
from eigenbody.elements.forces import ForceBuilder
from eigenbody.model.description import Description, Entry, is_internal
from eigenbody.model.expressions import Expression
from eigenbody.system.named import NamedMeasures
from eigenbody.system.signals import SignalCompiler
from eigenbody.system.system import Load, Output, Reaction

COMPONENTS = ("fx", "fy", "fz", "mx", "my", "mz")
FORCE_UNITS = {"m": "N", "rad": "N*m", "1": "N*m"}


class OutputReader:
    """Turns the entries of `outputs` into outputs; faults are collected and raised together."""

    def __init__(
        self, description: Description, named: NamedMeasures, compiler: SignalCompiler, builder: ForceBuilder,
        states: Sequence[str],
    ) -> None:  # fmt: skip
        self.description, self.named, self.compiler, self.builder = description, named, compiler, builder
        self.states = states
        self.units = dict(zip(states, state_units(description, builder, named), strict=True))
        self.units |= dict(zip((e.name for e in description.inputs), input_units(description, named), strict=True))
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
        signal = self.compiler.compile(entry["expression"], i, where=entry.where)
        unit = entry.get("unit", self._unit_of(entry["expression"]))
        return Output(entry.name, -1, 0, signal, unit=unit, where=entry.where)

    def _state(self, i: int, entry: Entry) -> Output | None:
        name = entry["state"]
        if name not in self.states:
            return self._fault(entry, f'there is no state "{name}".', suggest(name, self.states))
        signal = self.compiler.compile(Expression.symbol(name), i, where=entry.where)
        return Output(entry.name, -1, 0, signal, unit=entry.get("unit", self.units[name]), where=entry.where)

    def _reaction(self, entry: Entry) -> Output | None:
        joints = [joint.name for joint in self.description.joints]
        own = [joint.name for joint in self.description.joints if not is_internal(joint)]
        if entry["reaction"] not in own:
            return self._fault(entry, f'there is no joint "{entry["reaction"]}".', suggest(entry["reaction"], own))
        component = COMPONENTS.index(entry["component"])
        reaction = Reaction(joints.index(entry["reaction"]), component, entry.get("axes", "joint"))
        unit = entry.get("unit", "N" if component < 3 else "N*m")
        return Output(entry.name, -1, 0, None, reaction=reaction, unit=unit, where=entry.where)

    def _load(self, entry: Entry) -> Output | None:
        forces = {force.name: force for force in self.description.forces}
        if entry["force"] not in forces:
            return self._fault(entry, f'there is no force "{entry["force"]}".', suggest(entry["force"], forces))
        owner = self.builder.number(entry["force"])
        channels = sorted(set(self._channels(owner)))
        component = entry.get("component")
        if len(channels) == 1:
            if component is not None:
                return self._fault(entry, f"{entry['force']} acts along one measure.", "Leave the component out.")
            return self._loaded(entry, owner, channels[0], self._force_unit(forces[entry["force"]]))
        turning = forces[entry["force"]].type == "torque"
        known = COMPONENTS[3:] if turning else COMPONENTS[: len(channels)]
        if component not in known:
            what = f"{entry['force']} acts along {len(channels)} measures."
            return self._fault(entry, what, f"Give the component: {', '.join(known)}.")
        return self._loaded(entry, owner, channels[known.index(component)], "N" if component[0] == "f" else "N*m")

    def _loaded(self, entry: Entry, owner: int, channel: int, unit: str) -> Output:
        return Output(
            entry.name, -1, 0, None, load=Load(owner, channel), unit=entry.get("unit", unit), where=entry.where
        )

    def _channels(self, owner: int) -> Iterator[int]:
        for coupling in self.builder.linear:
            yield from coupling.i[coupling.owner == owner].tolist()
        yield from (item.channel for item in self.builder.signals if item.owner == owner)

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

    def _fault(self, entry: Entry, what: str, remedy: str) -> Output | None:
        self.faults.append(Fault(entry.where, what, remedy))
        return None


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
