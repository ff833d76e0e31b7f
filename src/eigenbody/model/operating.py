"""The `operating_point` of the model file: a word, a word with options, or explicit values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from eigenbody.model.builtin import OPERATING_POINTS
from eigenbody.model.description import Entry
from eigenbody.model.entries import EntryReader
from eigenbody.model.faults import Path
from eigenbody.model.frozen import FrozenDict
from eigenbody.model.names import short_name
from eigenbody.model.source import shown

FREE_PERIOD = "free"  # of a limit cycle, to be found
GIVEN = "given"  # type of an operating point by explicit values
HELD = "held"  # type of an operating point at which joints hold a pose, and of the inputs with which they do
GROUPS = ("positions", "velocities", "states", "inputs")
HERE: Path = ("operating_point",)

Item = tuple[str, str, Any, str | None, Path]  # group, name, value, unit, where it stands


class OperatingPoints:
    """Reads the section; the result is a map with `type` and the values of all options in SI."""

    def __init__(self, reader: EntryReader) -> None:
        self.reader, self.names, self.values, self.faults = reader, reader.names, reader.values, reader.faults

    def read(self, value: Any) -> FrozenDict:
        """Any of the forms; a fault is remembered for what cannot be read."""
        if value is None:
            return FrozenDict(type="reference")
        if isinstance(value, str):
            return self._word(value, {}, HERE, HERE, typeless=True)
        if not isinstance(value, dict) or not value:
            words = ", ".join(OPERATING_POINTS)
            self.faults.add(HERE, "a word or a map is expected.", f"Words: {words}; or values such as {{crank: 0.5}}.")
            return FrozenDict()
        if "type" in value:
            return self._word(value["type"], value, HERE, (*HERE, "type"), typeless=False)
        word = next(iter(value))
        if len(value) == 1 and word in OPERATING_POINTS and (value[word] is None or isinstance(value[word], dict)):
            return self._word(word, value[word] or {}, (*HERE, word), HERE, typeless=True)
        if len(value) == 1 and word == HELD and isinstance(value[word], str | list):
            return self._word(word, {"joints": value[word]}, HERE, HERE, typeless=True)
        return self._given(value)

    # ---- words

    def _word(self, word: Any, options: Mapping[str, Any], path: Path, at: Path, typeless: bool) -> FrozenDict:
        spec = OPERATING_POINTS.get(word) if isinstance(word, str) else None
        if spec is None:
            self.faults.unknown(at, "operating point", word, OPERATING_POINTS)
            return FrozenDict()
        read = dict(self.reader.fields("operating_point", spec, options, path, typeless))
        if "prescribed" in read:
            read["prescribed"] = self._prescribed(read["prescribed"], (*path, "prescribed"))
        if "adjust" in read:
            read["adjust"] = self._adjust(read["adjust"], (*path, "adjust"))
        if spec.name == HELD:
            read |= self._held(read.get("joints"), (*path, "joints") if "type" in options else (*HERE, HELD))
        if read.get("period") is not None:
            read["period"] = self._period(read["period"], (*path, "period"))
            for key, least in (("guess", "a positive time"), ("settle", "zero or a positive time")):
                self._refuse_backward(read.get(key), (*path, key), least)
        return FrozenDict({"type": spec.name, **read})

    def _prescribed(self, value: Any, path: Path) -> FrozenDict:
        """Values of measures and of rates (name'), by name."""
        if value is None:
            return FrozenDict()
        if not isinstance(value, dict):
            example = 'Write for example {tilt: 0.5, "spin\'": 60}.'
            self.faults.add(path, "a map of measures and their values is expected.", example)
            return FrozenDict()
        read = {}
        for name, item in value.items():
            unit = self._unit(name, (*path, name))
            number = None if unit is None else self.values.number(item, unit or None, (*path, name))
            if number is not None:
                read[name] = number
        return FrozenDict(read)

    def _adjust(self, value: Any, path: Path) -> tuple[str, ...]:
        """Names of what may change."""
        if value is None:
            return ()
        if not isinstance(value, list):
            self.faults.add(path, "a list of names is expected.", "Measures, rates (name'), inputs or parameters.")
            return ()
        known = {*self.names.inputs, *self.names.parameters}
        good = []
        for i, name in enumerate(value):
            if isinstance(name, str) and (name in known or name.removesuffix("'") in self.names.measures):
                good.append(name)
            else:
                self._refuse(name, (*path, i), [*self.names.measures.names(), *known])
        return tuple(good)

    def _held(self, value: Any, path: Path) -> dict[str, Any]:
        """Coordinates that hold the pose, by name: those of all joints whose motion is not prescribed, or of a list."""
        measures = self.names.measures
        if value == "all":
            every = [full for name, raw in self.names.joints.items() for full in self._not_prescribed(name, raw)]
            return {"joints": tuple(short_name(name, measures) for name in every), "is_all": True}
        given = [value] if isinstance(value, str) else value
        if not isinstance(given, list) or not given:
            self.faults.add(path, "joints are expected: a list of names, or all.", "For example [shoulder, elbow].")
            return {"joints": (), "is_all": False}
        good: dict[str, None] = {}
        for i, name in enumerate(given):
            several = measures.coordinates_of(name) if isinstance(name, str) else []
            if several or (isinstance(name, str) and name in measures and not measures.is_speed(name)):
                good |= dict.fromkeys(short_name(full, measures) for full in several or [name])
            else:
                self._refuse(name, (*path, i) if isinstance(value, list) else path, [*measures.names()])
        return {"joints": tuple(good), "is_all": False}

    def _not_prescribed(self, joint: str, raw: Any) -> list[str]:
        """Coordinates of a joint without a motion of their own."""
        coordinates, motion = self.names.measures.coordinates_of(joint), raw.get("motion") if raw else None
        if isinstance(motion, list) and len(motion) == len(coordinates):
            return [name for name, law in zip(coordinates, motion, strict=True) if law is None]
        return coordinates if motion is None else []

    def _period(self, value: Any, path: Path) -> float | complex | str:
        """A time, or the word "free"."""
        if value == FREE_PERIOD:
            return FREE_PERIOD
        if isinstance(value, str) and value.strip().isalpha():
            remedy = 'Give a time such as "20 ms" or "=2*pi/speed", or "free" for a cycle.'
            self.faults.add(path, f'"{shown(value)}" is no time.', remedy)
            return 0.0
        number = self.values.number(value, "s", path)
        if isinstance(number, float) and number <= 0:
            self.faults.add(path, f"{number:g} s is not a positive time.", 'Give the period, or "free" for a cycle.')
        return 0.0 if number is None else number

    def _refuse_backward(self, value: Any, path: Path, wanted: str) -> None:
        is_number = isinstance(value, float | int)
        if is_number and (value < 0 or (value == 0 and wanted.startswith("a "))):
            self.faults.add(path, f"{value:g} s is given where {wanted} is expected.", "Correct it, or leave it out.")

    # ---- explicit values

    def _given(self, value: Mapping[str, Any]) -> FrozenDict:
        items = self._groups(value) if GROUPS_ONLY.issuperset(value) else self._flat(value)
        read: dict[str, dict[str, Any]] = {group: {} for group in GROUPS}
        for group, name, item, unit, path in items:
            if name in read[group]:
                self.faults.add(path, f'"{shown(name)}" is given twice.', "Leave one of them out.")
            number = self.values.number(item, unit, path)
            if number is not None:
                read[group][name] = number
        return FrozenDict({"type": GIVEN, **{group: FrozenDict(values) for group, values in read.items()}})

    def _groups(self, value: Mapping[str, Any]) -> Iterator[Item]:
        """`{positions: {..}, velocities: {..}, states: {..}, inputs: {..}}`."""
        for group, entries in value.items():
            path = (*HERE, group)
            if not isinstance(entries, dict):
                self.faults.add(path, "a map of names and values is expected.")
                continue
            for name, item in entries.items():
                at = (*path, name)
                if group in ("states", "inputs"):
                    known = getattr(self.names, group)
                    if name in known:
                        yield group, name, item, None, at
                    else:
                        self.faults.unknown(at, group.removesuffix("s"), name, known)
                else:
                    yield from self.coordinates(name, item, group, at)

    def _flat(self, value: Mapping[str, Any]) -> Iterator[Item]:
        """`{crank: .., "crank'": .., slide: {position: [..], velocity: ..}, state: ..}`."""
        for name, item in value.items():
            path = (*HERE, name)
            if name in self.names.states:
                yield "states", name, item, None, path
            elif name in self.names.inputs:
                yield "inputs", name, item, None, path
            elif isinstance(item, dict):
                for key in sorted(item.keys() - {"position", "velocity"}):
                    self.faults.unknown((*path, key), "key", key, ("position", "velocity"))
                for key, group in (("position", "positions"), ("velocity", "velocities")):
                    if item.get(key) is not None:
                        yield from self.coordinates(name, item[key], group, (*path, key))
            elif isinstance(name, str) and (name.endswith("'") or self.names.measures.is_speed(name)):
                yield from self.coordinates(name.removesuffix("'"), item, "velocities", path)
            else:
                yield from self.coordinates(name, item, "positions", path)

    def coordinates(self, name: Any, item: Any, group: str, path: Path) -> Iterator[Item]:
        """A measure, or all coordinates of a joint by a list."""
        if isinstance(name, str) and name.endswith("'"):
            self._refuse(name, path, [*self.names.measures.names()])
            return
        per_second = "/s" if group == "velocities" else ""
        several = self.names.measures.coordinates_of(name) if isinstance(name, str) else []
        if len(several) > 1 and isinstance(item, list):
            if len(item) != len(several):
                self.faults.add(path, f"a list of {len(several)} is expected ({', '.join(several)}), not {len(item)}.")
                return
            for i, (full, value) in enumerate(zip(several, item, strict=True)):
                if value is not None:
                    yield group, full, value, self.names.measures[full] + per_second, (*path, i)
            return
        if isinstance(name, str) and self.names.measures.is_speed(name) and group == "positions":
            self.faults.add(path, f'"{shown(name)}" is a speed.', "Give it among the velocities.")
            return
        unit = self._unit(name, path)
        if unit is not None:
            per_second = "" if self.names.measures.is_speed(name) else per_second
            yield group, name, item, (unit + per_second) if unit else None, path

    def _unit(self, name: Any, path: Path) -> str | None:
        """Dimension of a measure or rate ("" where its own entry is faulty); None after remembering a fault."""
        base = name.removesuffix("'") if isinstance(name, str) else ""
        unit = self.names.measures.get(base)
        if unit is None:
            known = [*self.names.measures.names(), *self.names.states, *self.names.inputs]
            self._refuse(name, path, [*known, *OPERATING_POINTS, *GROUPS] if len(path) <= len(HERE) + 1 else known)
            return None
        if self.names.measures.is_speed(base) and base != name:
            self.faults.add(path, f'the rate of the speed "{shown(base)}" cannot be given.', "Give the speed itself.")
            return None
        return unit + "/s" if unit and (base != name or self.names.measures.is_speed(base)) else unit

    def _refuse(self, name: Any, path: Path, known: list[str]) -> None:
        base = name.removesuffix("'") if isinstance(name, str) else name
        several = self.names.measures.coordinates_of(base) if isinstance(base, str) else []
        if len(several) > 1:
            what = f"{self.names.measures.owner(shown(base))} has several coordinates."
            self.faults.add(path, what, f"Give a list, or name one: {', '.join(several)}.")
        elif name in OPERATING_POINTS and name in known:
            what = f'"{name}" is a kind of operating point, and has no value.'
            self.faults.add(
                path, what, f"Write operating_point: {name}, or {{type: {name}}} with its options beside it."
            )
        else:
            self.faults.unknown(path, "measure, state or input", name, known)


def held_inputs(operating_point: Mapping[str, Any]) -> tuple[Entry, ...]:
    """The inputs with which joints hold a pose, named after the coordinates along which they act."""
    names = operating_point["joints"] if operating_point.get("type") == HELD else ()
    return tuple(Entry(name, HELD, FrozenDict(along=name), f"operating_point: held {name}") for name in names)


GROUPS_ONLY = frozenset(GROUPS)


def measures_asked_for(operating_point: Mapping[str, Any]) -> Iterator[str]:
    """Names of the measures that an operating point mentions, without the mark of a rate."""
    if operating_point.get("type") == HELD:
        yield from operating_point["joints"]
    for key in ("positions", "velocities", "prescribed"):
        yield from (name.removesuffix("'") for name in operating_point.get(key) or ())
    yield from (name.removesuffix("'") for name in operating_point.get("adjust") or () if "." in name)
