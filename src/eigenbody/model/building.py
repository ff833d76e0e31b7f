"""What is wrong with an entry whatever else the model may have: found when it is added."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from eigenbody.model.bodies import keys_fit
from eigenbody.model.builtin import BUILTIN, SECTIONS
from eigenbody.model.entries import EntryReader, Place, is_typeless, spec_of
from eigenbody.model.faults import Faults
from eigenbody.model.names import Names
from eigenbody.model.parameters import resolve_parameters
from eigenbody.model.source import Source
from eigenbody.model.vocabulary import Kind, TypeSpec, Vocabulary

ALONE = {
    Kind.NUMBER, Kind.VECTOR, Kind.DIRECTION, Kind.POINT, Kind.POINTS, Kind.ROTATION, Kind.INERTIA, Kind.PROFILE,
    Kind.NUMBERS, Kind.MATRIX, Kind.CHOICE, Kind.INTEGER, Kind.FLAG, Kind.TEXT,
}  # fmt: skip  # values that name nothing else of the model


def refuse_wrong_entry(source: Source, vocabulary: Vocabulary, section: str, name: str, raw: Any) -> None:
    """Raise the faults of keys, types and plain values. Names of other things may come later; expressions read them."""
    types: Mapping[str, TypeSpec] = (dict(vocabulary.sections) | BUILTIN).get(section, {})
    if not types or not isinstance(raw, dict) or section == "variables":
        return
    faults = Faults(source.rewritten(source.data))
    nothing: dict[str, dict[str, Any]] = {key: {} for key in (*SECTIONS, "parameters")}
    values = resolve_parameters({}, {}, faults, lambda name: "")
    reader = EntryReader(values, Names(nothing, {}, {}))
    spec, path = spec_of(raw, types), (section, name)
    if spec is None:
        reader.wrong_type(section, {key: raw[key] for key in raw if key == "type"}, types, path)
        faults.raise_if_any()
        return
    keys = reader.keys_of(section, spec, is_typeless(types))
    if section == "bodies":
        keys_fit(name, raw, faults)
    else:
        reader.check_keys(spec, keys, raw, path)
    for key, field in keys.fields.items():
        is_mesh = field.kind is Kind.INERTIA and isinstance(raw.get(key), dict)  # read with the whole model
        plain = field.kind in ALONE and not isinstance(field.dimension, Mapping) and not is_mesh
        if plain and raw.get(key) is not None and not _has_expression(raw[key]):
            reader.readers[field.kind](raw[key], field, Place(section, spec, raw), (*path, key))
    faults.raise_if_any()


def _has_expression(value: Any) -> bool:
    if isinstance(value, str):
        return value.startswith("=")
    items = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return any(map(_has_expression, items))
