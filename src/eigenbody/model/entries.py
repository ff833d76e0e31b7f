"""Entries of the sections, read against the vocabulary: one reader for each kind of value."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from eigenbody.base.errors import printable
from eigenbody.model.coefficients import Coefficients
from eigenbody.model.description import Entry
from eigenbody.model.drivers import one_by_one
from eigenbody.model.faults import Path
from eigenbody.model.frozen import FrozenDict
from eigenbody.model.names import Names
from eigenbody.model.source import shown
from eigenbody.model.surfaces import read_surface
from eigenbody.model.values import Values
from eigenbody.model.varying import OWN_MEASURE, Scope, Signals
from eigenbody.model.vocabulary import Field, Kind, TypeSpec

Item = tuple[Any, str | None, Path]  # value, unit, where it stands
Reader = Callable[..., Any]  # of a value, its field, the entry and where it stands


class Place(NamedTuple):
    """The entry that a value belongs to."""

    section: str
    spec: TypeSpec
    raw: Mapping[str, Any]


class Keys(NamedTuple):
    """The keys of one type, prepared for reading many entries."""

    known: frozenset[str]
    required: tuple[str, ...]
    fields: Mapping[str, Field]
    readers: Mapping[str, Reader]
    defaults: Mapping[str, Any]


def is_typeless(types: Mapping[str, TypeSpec]) -> bool:
    """Whether entries of a section have no `type` key."""
    return "" in types and len(types) == 1


def spec_of(raw: Any, types: Mapping[str, TypeSpec]) -> TypeSpec | None:
    """Spec of an entry, or None when its type is missing or unknown."""
    if is_typeless(types):
        return types[""]
    kind = raw.get("type") if isinstance(raw, dict) else None
    return types.get(kind) if isinstance(kind, str) and kind else None


class EntryReader:
    """Reads entries; remembers faults and returns None for what cannot be read."""

    def __init__(self, values: Values, names: Names) -> None:
        self.values, self.names, self.faults = values, names, values.faults
        self.signals = Signals(values, names)
        self.coefficients_of = Coefficients(values, self.signals)
        self._keys: dict[tuple[str, str], Keys] = {}
        self.readers: dict[Kind, Reader] = {
            Kind.NUMBER: lambda v, f, p, at: self.values.number(v, self.dimension(f, p), at),
            Kind.VECTOR: lambda v, f, p, at: self.values.vector(v, self.dimension(f, p), at),
            Kind.DIRECTION: lambda v, f, p, at: self.values.direction(v, self.dimension(f, p), at),
            Kind.POINT: lambda v, f, p, at: self.values.vector(v, self.dimension(f, p) or "m", at),
            Kind.POINTS: lambda v, f, p, at: self.values.points(v, self.dimension(f, p) or "m", at),
            Kind.ROTATION: lambda v, f, p, at: self.values.rotation(v, at),
            Kind.SURFACE: lambda v, f, p, at: read_surface(v, self.values, self.signals, at),
            Kind.INERTIA: self.inertia,
            Kind.SIX: lambda v, f, p, at: self.coefficients_of.six(v, self.dimension(f, p), at),
            Kind.COEFFICIENT: lambda v, f, p, at: self.coefficients_of.one(v, self.dimension(f, p), at),
            Kind.SPEED: lambda v, f, p, at: self.coefficients_of.speed(v, at),
            Kind.TERMS: self.terms,
            Kind.COORDINATES: self.coordinates,
            Kind.SIGNAL: lambda v, f, p, at: self.signals.signal(v, self.dimension(f, p), at, self.scope(f, p)),
            Kind.EXPRESSION: lambda v, f, p, at: self.signals.formula(v, self.dimension(f, p), at, self.scope(f, p)),
            Kind.EXPRESSIONS: self.expressions,
            Kind.PROFILE: lambda v, f, p, at: self.values.row(
                v if isinstance(v, list) else [v], self.dimension(f, p), at
            ),
            Kind.NUMBERS: lambda v, f, p, at: self.values.row(v, self.dimension(f, p), at),
            Kind.MATRIX: lambda v, f, p, at: self.values.matrix(v, at),
            Kind.LABELS: self.labels,
            Kind.NAMES: self.list_of_names,
            Kind.SIGNALS: self.three_signals,
            Kind.MOTION: self.motion,
            Kind.BODY: lambda v, f, p, at: self.body(v, at),
            Kind.BETWEEN: self.between,
            Kind.MEASURE: lambda v, f, p, at: self.measure(v, at, takes_speed(p)),
            Kind.MEASURES: lambda v, f, p, at: self.measures(v, at),
            Kind.CHOICE: self.choice,
            Kind.INTEGER: self.integer,
            Kind.FLAG: lambda v, f, p, at: self.typed(v, bool, "true or false", at),
            Kind.TEXT: lambda v, f, p, at: self.text(v, at),
            Kind.FILE: lambda v, f, p, at: self.file(v, at),
            Kind.ANY: lambda v, f, p, at: v,
        }

    # ---- entries

    def section(self, section: str, raw: Mapping[str, Any], types: Mapping[str, TypeSpec]) -> tuple[Entry, ...]:
        """All entries of a section that can be read."""
        if section == "drivers":
            raw = one_by_one(raw, self.names.measures, self.faults)
        read = (self.entry(section, name, item, types) for name, item in raw.items())
        return tuple(entry for entry in read if entry is not None)

    def entry(self, section: str, name: str, raw: Any, types: Mapping[str, TypeSpec]) -> Entry | None:
        """One entry with its values, defaults filled in."""
        path: Path = (section, name)
        typeless = is_typeless(types)
        if section == "variables" and (not isinstance(raw, dict) or "table" in raw):
            raw = {"value": raw}
        if raw is None and typeless:
            raw = {}
        if not isinstance(raw, dict):
            self.faults.add(path, "a map of keys and values is expected here.", _example(types))
            return None
        spec = spec_of(raw, types)
        if spec is None:
            self.wrong_type(section, raw, types, path)
            return None
        return Entry(name, spec.name, self.fields(section, spec, raw, path, typeless), f"{section}.{name}")

    def wrong_type(self, section: str, raw: Mapping[str, Any], types: Mapping[str, TypeSpec], path: Path) -> None:
        """Remember that the type is missing or unknown."""
        known = next((f for spec in types.values() for f in spec.fields if f.name == "between"), None)
        if known is not None and "between" in raw:  # what every type has in common can be judged all the same
            self.between(raw["between"], known, Place(section, next(iter(types.values())), raw), (*path, "between"))
        if "type" in raw:
            self.faults.unknown((*path, "type"), f"type of {section.removesuffix('s')}", raw["type"], types)
        else:
            self.faults.add(path, 'the required key "type" is missing.', _example(types))

    def fields(self, section: str, spec: TypeSpec, raw: Mapping[str, Any], path: Path, typeless: bool) -> FrozenDict:
        """Values of all keys of one entry."""
        keys = self.keys_of(section, spec, typeless)
        self.check_keys(spec, keys, raw, path)
        place = Place(section, spec, raw)
        values, is_read = dict(keys.defaults), True
        for key, value in raw.items():
            if value is not None and key in keys.fields:
                values[key] = keys.readers[key](value, keys.fields[key], place, (*path, key))
                is_read = is_read and values[key] is not None
        if spec.check is not None:
            for key, what, remedy in spec.check(_judged(values, raw, is_read), self.names.markers.__contains__):
                self.faults.add((*path, key) if key else path, what, remedy)
                is_read = False
        return FrozenDict(spec.settle(values) if spec.settle is not None and is_read else values)

    def check_keys(self, spec: TypeSpec, keys: Keys, raw: Mapping[str, Any], path: Path) -> None:
        """Unknown keys, missing keys and groups of which exactly one must be given."""
        if not keys.known.issuperset(raw):
            for key in sorted(raw.keys() - keys.known):
                self.faults.unknown((*path, key), "key", key, keys.known)
        for key in keys.required:
            if raw.get(key) is None:
                self.faults.add(path, f'the required key "{key}" is missing.')
        for group in spec.one_of:
            given = [key for key in group if raw.get(key) is not None]
            if len(given) != 1:
                found = " and ".join(f'"{key}"' for key in given) or "none of them"
                wanted = ", ".join(f'"{key}"' for key in group)
                self.faults.add(path, f"exactly one of {wanted} must be given, but here is {found}.")

    def keys_of(self, section: str, spec: TypeSpec, typeless: bool) -> Keys:
        """The keys of a type."""
        if (section, spec.name) not in self._keys:
            fields = {field.name: field for field in spec.fields}
            known = frozenset(fields) | (frozenset() if typeless else {"type"})
            required = tuple(field.name for field in spec.fields if field.required)
            defaults = {name: field.default for name, field in fields.items()}
            readers = {name: self.readers[field.kind] for name, field in fields.items() if field.kind in self.readers}
            self._keys[section, spec.name] = Keys(known, required, fields, readers, defaults)
        return self._keys[section, spec.name]

    # ---- dimensions and scopes

    def dimension(self, field: Field, place: Place) -> str | None:
        """Unit expected of a value; where it depends on a measure, that of the entry's `along` or `measure`."""
        if field.dimension is None or isinstance(field.dimension, str):
            return field.dimension
        name = place.raw.get("along", place.raw.get("measure"))
        if name is None:
            return field.dimension.get("m")
        return field.dimension.get(self.names.measures.get(name, "") or "") if isinstance(name, str) else None

    def scope(self, field: Field, place: Place) -> Scope:
        """Names that an expression in this place may use."""
        if place.section == "drivers":
            return Scope(only_time=True)
        own = OWN_MEASURE if place.section == "forces" else frozenset()
        along = place.raw.get("along")
        if own and isinstance(along, str) and self.names.measures.is_speed(along):
            own = frozenset("v")
        if place.section == "states" and field.name == "residual":
            own = frozenset(f"{state}'" for state in self.names.states)
        same = "s" if along == "s" and place.raw.get("free") is None else ""
        return Scope(own=own, loads=place.section != "couplings", argument=field.argument, along=same)

    # ---- kinds

    def inertia(self, value: Any, field: Field, place: Place, path: Path) -> Any:
        """Inertia tensor (3, 3)."""
        from eigenbody.model.bodies import tensors

        entries = self.values.inertia(value, path)
        return None if entries is None else tensors([entries])[0]

    def terms(self, value: Any, field: Field, place: Place, path: Path) -> FrozenDict | None:
        """Coefficients by measure."""
        if not isinstance(value, dict) or not value:
            self.faults.add(path, "a map of measures and coefficients is expected.", "Write for example {a: 1, b: -2}.")
            return None
        read = {}
        for name, item in value.items():
            if self.measure(name, (*path, name)) is not None:
                read[name] = self.values.number(item, self.dimension(field, place), (*path, name))
        return FrozenDict(read)

    def _per_coordinate(self, value: Any, field: Field, place: Place, path: Path) -> list[Item] | None:
        """Each value with its dimension and place, one for each coordinate of the joint."""
        coordinates = place.spec.coordinates
        if not coordinates and place.section != "joints":
            single = value[0] if isinstance(value, list) and len(value) == 1 else value
            return [(single, self.dimension(field, place), path)]
        count, labels = len(coordinates), ", ".join(coordinate.label for coordinate in coordinates)
        if not count:
            self.faults.add(path, f"a {place.spec.name} joint has no coordinates, so it takes no {field.name}.")
            return None
        values = value if isinstance(value, list) else [value]
        if len(values) != count:
            found = f"{len(values)} value{'s' if len(values) != 1 else ''}"
            self.faults.add(path, f"a list of {count} is expected ({labels}), not {found}.")
            return None
        places = [(*path, i) for i in range(count)] if isinstance(value, list) else [path]
        return [(v, field.unit_of(c.dimension), at) for v, c, at in zip(values, coordinates, places, strict=True)]

    def coordinates(self, value: Any, field: Field, place: Place, path: Path) -> tuple[Any, ...] | None:
        """One number (or None: not given) for each coordinate."""
        items = self._per_coordinate(value, field, place, path)
        if items is None:
            return None
        return tuple(None if item is None else self.values.number(item, unit, at) for item, unit, at in items)

    def motion(self, value: Any, field: Field, place: Place, path: Path) -> tuple[Any, ...] | None:
        """One signal of time (or None: free) for each coordinate."""
        items = self._per_coordinate(value, field, place, path)
        if items is None:
            return None
        scope = Scope(only_time=True)
        return tuple(None if item is None else self.signals.signal(item, unit, at, scope) for item, unit, at in items)

    def three_signals(self, value: Any, field: Field, place: Place, path: Path) -> tuple[Any, ...] | None:
        """Three signals."""
        if not isinstance(value, list) or len(value) != 3:
            self.faults.add(path, "a list of three numbers, expressions or tables is expected.")
            return None
        unit, scope = self.dimension(field, place), Scope()
        return tuple(self.signals.signal(item, unit, (*path, i), scope) for i, item in enumerate(value))

    def expressions(self, value: Any, field: Field, place: Place, path: Path) -> tuple[Any, ...] | None:
        """A list of expressions."""
        if not isinstance(value, list) or not value:
            self.faults.add(path, "a list of expressions is expected.", 'Write for example ["=a - b", "=c"].')
            return None
        unit, scope = self.dimension(field, place), self.scope(field, place)
        read = tuple(self.signals.formula(item, unit, (*path, i), scope) for i, item in enumerate(value))
        return None if any(item is None for item in read) else read

    def labels(self, value: Any, field: Field, place: Place, path: Path) -> tuple[str, ...] | None:
        """Different names made of letters, digits and underscores."""
        fine = isinstance(value, list) and all(isinstance(v, str) and v.isidentifier() for v in value)
        if not fine or len(set(value)) != len(value):
            self.faults.add(path, "a list of different names is expected.", "Write for example [left, right].")
            return None
        return tuple(value)

    def list_of_names(self, value: Any, field: Field, place: Place, path: Path) -> tuple[str, ...] | None:
        """Different names; numbers count as such."""
        fine = isinstance(value, list) and all(isinstance(v, str | int) and str(v) and "." not in str(v) for v in value)
        if not fine or len(set(map(str, value))) != len(value):
            self.faults.add(path, "a list of different names without dots is expected.", "Write for example [root, 5].")
            return None
        return tuple(map(str, value))

    def body(self, value: Any, path: Path) -> str | None:
        """Name of a body, marker, frame or ground."""
        if isinstance(value, str) and self.names.is_carrier(value):
            return value
        owner, dot, _ = value.partition(".") if isinstance(value, str) else ("", "", "")
        if owner in self.names.bodies.flexible:
            kind = "no node of a flexible body" if dot else "a flexible body"
            what = f'"{shown(value)}" is {kind}; what is attached to it is attached to a node.'
            self.faults.add(path, what, f"Name one: {shown(owner)}.start, {shown(owner)}.end, ...")
            return None
        self.faults.unknown(path, "body or marker", value, self.names.carriers())
        return None

    def between(self, value: Any, field: Field, place: Place, path: Path) -> tuple[str, str] | None:
        """Two names on different bodies."""
        if not isinstance(value, list) or len(value) != 2:
            self.faults.add(path, "a list of two bodies or markers is expected.", "Write for example [ground, crank].")
            return None
        first, second = self.body(value[0], (*path, 0)), self.body(value[1], (*path, 1))
        if first is None or second is None:
            return None
        if self.names.body_of(first) == self.names.body_of(second):
            kind = place.section.removesuffix("s")
            body = shown(self.names.body_of(first))
            self.faults.add(path, f'this is a {kind} of the body "{body}" with itself.', "Name two different bodies.")
            return None
        return first, second

    def measure(self, value: Any, path: Path, speeds: bool = False) -> str | None:
        """Name of a measure; of one that is a speed where `speeds` says so."""
        if isinstance(value, str) and value in self.names.measures:
            if speeds or not self.names.measures.is_speed(value):
                return value
            what = f'"{shown(value)}" is a speed and the rate of nothing, so it has no place here.'
            self.faults.add(path, what, "Name a measure that has a position: a joint coordinate, an angle, ...")
            return None
        coordinates = self.names.measures.coordinates_of(value) if isinstance(value, str) else []
        if coordinates:
            what = f"{self.names.measures.owner(shown(value))} has several coordinates."
            self.faults.add(path, what, f"Name one: {', '.join(coordinates)}.")
        else:
            self.faults.unknown(path, "measure", value, self.names.measures.names())
        return None

    def measures(self, value: Any, path: Path) -> tuple[str, ...] | None:
        """Names of measures."""
        if not isinstance(value, list):
            self.faults.add(path, "a list of measures is expected.")
            return None
        read = [self.measure(item, (*path, i)) for i, item in enumerate(value)]
        return tuple(item for item in read if item is not None)

    def choice(self, value: Any, field: Field, place: Place, path: Path) -> str | None:
        """One of the choices of the field."""
        if isinstance(value, str) and value in field.choices:
            return value
        self.faults.unknown(path, "choice", value, field.choices)
        return None

    def integer(self, value: Any, field: Field, place: Place, path: Path) -> int | None:
        """A whole number."""
        number = self.values.number(value, "1", path)
        if number is None:
            return None
        if number.imag or not float(number.real).is_integer():
            self.faults.add(path, f"{shown(value)} is not a whole number.")
            return None
        if field.choices and str(int(number.real)) not in field.choices:
            self.faults.unknown(path, "choice", value, field.choices)
            return None
        return int(number.real)

    def file(self, value: Any, path: Path) -> Any:
        """A file that the model names and may name, wherever this process stands."""
        name = self.typed(value, str, "the path of a file", path)
        return None if name is None else self.faults.named_file(name, path)

    def text(self, value: Any, path: Path) -> Any:
        """Text that can be printed."""
        text = self.typed(value, str, "text", path)
        if text is not None and printable(text) != text:
            self.faults.add(path, f'"{shown(text)}" has characters that cannot be printed.', "Leave them out.")
            return None
        return text

    def typed(self, value: Any, kind: type, expected: str, path: Path) -> Any:
        """A value of one Python type."""
        if isinstance(value, kind):
            return value
        self.faults.add(path, f'{expected} is expected, not "{shown(value)}".')
        return None


def takes_speed(place: Place) -> bool:
    """Whether what an entry acts along or reads may be a speed: no element that knows a stiffness."""
    return place.section in ("outputs", "inputs") or (
        place.section == "forces" and not {"k", "free"} & {field.name for field in place.spec.fields}
    )


def _judged(values: dict[str, Any], raw: Mapping[str, Any], is_read: bool) -> dict[str, Any]:
    """Values for a check: what was given but could not be read stands as given, and so is not missing."""
    return values if is_read else {key: raw.get(key) if value is None else value for key, value in values.items()}


def _example(types: Mapping[str, TypeSpec]) -> str:
    if is_typeless(types):
        spec = types[""]
        return f"Keys: {', '.join(field.name for field in spec.fields)}."
    return f"Types: {', '.join(list(types)[:12])}{', ...' if len(types) > 12 else ''}."
