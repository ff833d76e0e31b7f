"""JSON Schema (draft 2020-12) of the model file, generated from the vocabulary, for editors that complete keys."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from eigenbody.model.builtin import BUILTIN, OPERATING_POINTS, SECTIONS, VERSION
from eigenbody.model.entries import is_typeless
from eigenbody.model.vocabulary import Field, Kind, TypeSpec, Vocabulary

Schema = dict[str, Any]


def json_schema(vocabulary: Vocabulary) -> Schema:
    """The schema of model files that use these types."""
    sections = dict(vocabulary.sections) | BUILTIN
    definitions = dict(_VALUES)
    properties: Schema = {
        "eigenbody": {"const": VERSION, "description": "format version"},
        "name": {"type": "string", "description": "name of the model"},
        "parameters": _named(_ref("number"), "design parameters: numbers, quantities or expressions of each other"),
        "gravity": {**_ref("vector"), "description": "acceleration of gravity, m/s^2, default none"},
        "coordinates": {
            **_any_of(
                {"type": "array", "items": {"type": "string"}},
                {"type": "object", "additionalProperties": _ref("number")},
            ),
            "description": "measures in which to linearize, in order of preference or with weights",
        },
        "poses": _named(_pose(), "values of joint coordinates and other measures, by the name of the pose"),
        "pose": {
            "anyOf": [{"type": "string"}, _pose()],
            "description": "what the drawing is put into: the name of a pose, or values",
        },
        "tolerance": {**_ref("number"), "description": "gap of joints that counts as rounding of the drawing, m"},
        "operating_point": _operating_point(),
        "optimization": {"type": "object", "description": "variables, objective and constraints of `optimize`"},
    }
    for section in SECTIONS:
        if section in sections:
            properties[section] = _section(section, sections[section], definitions)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "eigenbody model",
        **_object(properties, ["eigenbody"]),
        "anyOf": [{"required": ["bodies"]}, {"required": ["flexible"]}],
        "$defs": definitions,
    }


# ---- building blocks


def _ref(name: str) -> Schema:
    return {"$ref": f"#/$defs/{name}"}


def _list(item: Schema, count: int) -> Schema:
    return {"type": "array", "items": item, "minItems": count, "maxItems": count}


def _any_of(*options: Schema) -> Schema:
    return {"anyOf": list(options)}


def _object(properties: Schema, required: list[str]) -> Schema:
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


def _named(item: Schema, description: str) -> Schema:
    names = {"pattern": "^[^.'\"=]+$"}
    return {
        "type": ["object", "null"],
        "additionalProperties": item,
        "propertyNames": names,
        "description": description,
    }


_NUMBER = _ref("number")
_NULL = {"type": "null"}
_SIGNAL = _ref("signal")

_VALUES: dict[str, Schema] = {
    "number": {
        "description": 'number (SI, radians), quantity such as "30 deg", or expression of parameters such as "=2*k"',
        "anyOf": [{"type": "number"}, {"type": "string", "pattern": "^\\s*[-+.0-9=]"}],
    },
    "vector": _list(_NUMBER, 3),
    "points": _any_of(_ref("vector"), _list(_ref("vector"), 2)),
    "rotation": _any_of(
        _object({"axis": _ref("vector"), "angle": _NUMBER}, ["axis", "angle"]),
        _object(
            {
                "sequence": {"type": "string", "pattern": "^([xyz]{1,3}|[XYZ]{1,3})$"},
                "angles": {"type": "array", "items": _NUMBER, "minItems": 1, "maxItems": 3},
                "extrinsic": {"type": "boolean"},
            },
            ["sequence", "angles"],
        ),
        _object({"quaternion": _list(_NUMBER, 4)}, ["quaternion"]),
    ),
    "surface": _any_of(
        _object({"sphere": _NUMBER}, ["sphere"]),
        _object({"ellipsoid": _ref("vector")}, ["ellipsoid"]),
        _object({"implicit": {"type": "string", "description": "expression of x, y, z"}}, ["implicit"]),
    ),
    "disc": _any_of(
        _object({"mass": _NUMBER, "Id": _NUMBER, "Ip": _NUMBER, "axis": _ref("vector")}, ["mass", "Id", "Ip"]),
        _object(
            {
                "diameter": _any_of(_NUMBER, _list(_NUMBER, 2)),
                "width": _NUMBER,
                "density": _NUMBER,
                "axis": _ref("vector"),
            },
            ["diameter", "width", "density"],
        ),
    ),
    "inertia": _any_of(
        _list(_NUMBER, 3),
        _list(_NUMBER, 6),
        _list(_list(_NUMBER, 3), 3),
        _object(
            {
                "mesh": {"type": "string"},
                "density": _NUMBER,
                "scale": _any_of(_NUMBER, _list(_NUMBER, 3)),
                "at": _ref("vector"),
            },
            ["mesh"],
        ),
    ),
    "six": _any_of(_list(_SIGNAL, 6), _list(_list(_SIGNAL, 6), 6)),
    "table": _object(
        {
            "table": {"type": "array", "items": _list(_NUMBER, 2), "minItems": 2},
            "of": {"type": "string"},
            "interpolation": {"enum": ["linear", "spline", "monotone"]},
        },
        ["table"],
    ),
    "signal": {
        "description": 'number, quantity, expression such as "=2*sin(t)" or {table: [[x, y], ...], of: "=..."}',
        "anyOf": [_NUMBER, _ref("table")],
    },
    "coordinates": _any_of(_NUMBER, {"type": "array", "items": _any_of(_NUMBER, _NULL)}),
    "motion": _any_of(_SIGNAL, {"type": "array", "items": _any_of(_SIGNAL, _NULL)}),
}

_TEXT: Schema = {"type": "string"}
_KINDS: dict[Kind, Schema] = {
    Kind.NUMBER: _NUMBER,
    Kind.VECTOR: _ref("vector"),
    Kind.DIRECTION: _ref("vector"),
    Kind.POINT: _ref("vector"),
    Kind.POINTS: _ref("points"),
    Kind.ROTATION: _ref("rotation"),
    Kind.SURFACE: _ref("surface"),
    Kind.INERTIA: _ref("inertia"),
    Kind.DISC: _ref("disc"),
    Kind.SIX: _ref("six"),
    Kind.COEFFICIENT: _any_of(_SIGNAL, {"type": "array", "items": _NUMBER}),
    Kind.SPEED: _NUMBER,
    Kind.TERMS: {"type": "object", "additionalProperties": _NUMBER, "minProperties": 1},
    Kind.COORDINATES: _ref("coordinates"),
    Kind.SIGNAL: _SIGNAL,
    Kind.EXPRESSION: _SIGNAL,
    Kind.EXPRESSIONS: {"type": "array", "items": _SIGNAL},
    Kind.PROFILE: _any_of(_NUMBER, {"type": "array", "items": _NUMBER}),
    Kind.NUMBERS: {"type": "array", "items": _NUMBER},
    Kind.MATRIX: {"type": "array", "items": _any_of(_NUMBER, {"type": "array", "items": _NUMBER})},
    Kind.NAMES: {"type": "array", "items": {"type": ["string", "integer"]}},
    Kind.LABELS: {"type": "array", "items": {"type": "string"}},
    Kind.SIGNALS: _list(_SIGNAL, 3),
    Kind.MOTION: _ref("motion"),
    Kind.BODY: _TEXT,
    Kind.BETWEEN: _list(_TEXT, 2),
    Kind.MEASURE: _TEXT,
    Kind.MEASURES: {"type": "array", "items": _TEXT},
    Kind.INTEGER: {"type": ["integer", "string"]},
    Kind.FLAG: {"type": "boolean"},
    Kind.TEXT: _TEXT,
    Kind.FILE: _TEXT,
    Kind.ANY: {},
}


def _field(field: Field) -> Schema:
    schema = {"enum": list(field.choices)} if field.kind is Kind.CHOICE else dict(_KINDS[field.kind])
    unit = field.dimension if isinstance(field.dimension, str) else " or ".join((field.dimension or {}).values())
    description = field.doc + (f" [{unit}]" if unit and unit != "1" else "")
    return {**schema, "description": description} if description else schema


def _entry(spec: TypeSpec, typeless: bool) -> Schema:
    properties = {field.name: _field(field) for field in spec.fields}
    required = [field.name for field in spec.fields if field.required]
    if not typeless:
        properties, required = {"type": {"const": spec.name}, **properties}, ["type", *required]
    schema = _object(properties, required)
    if spec.one_of:
        schema["allOf"] = [{"oneOf": [{"required": [key]} for key in group]} for group in spec.one_of]
    return {**schema, "description": spec.doc.strip()} if spec.doc else schema


def _pose() -> Schema:
    """Values of measures, or lists of all coordinates of a joint."""
    return {"type": "object", "additionalProperties": _ref("coordinates")}


def _operating_point() -> Schema:
    """A word, a word with options in either form, or values of measures, rates, states and inputs."""
    words = [name for name, spec in OPERATING_POINTS.items() if not any(field.required for field in spec.fields)]
    forms: list[Schema] = [{"enum": words}]
    for name, spec in OPERATING_POINTS.items():
        forms += [_entry(spec, typeless=False), _object({name: _entry(spec, typeless=True)}, [name])]
    values = _any_of(_ref("coordinates"), _object({key: _ref("coordinates") for key in ("position", "velocity")}, []))
    group = {"type": "object", "additionalProperties": _ref("coordinates")}
    forms.append(_object(dict.fromkeys(("positions", "velocities", "states", "inputs"), group), []))
    reserved = {"not": {"enum": ["type", *OPERATING_POINTS]}}
    forms.append({"type": "object", "additionalProperties": values, "propertyNames": reserved, "minProperties": 1})
    return {"anyOf": forms, "description": "where to linearize; default: the initial state, made consistent"}


def _section(section: str, types: Mapping[str, TypeSpec], definitions: dict[str, Schema]) -> Schema:
    if is_typeless(types):
        definitions[section] = _entry(types[""], typeless=True)
        item = _any_of(_SIGNAL, _ref(section)) if section == "variables" else _ref(section)
        return _named(item, types[""].doc)
    branches = []
    for name, spec in types.items():
        definitions[f"{section}-{name}"] = _entry(spec, typeless=False)
        condition = {"properties": {"type": {"const": name}}, "required": ["type"]}
        branches.append({"if": condition, "then": _ref(f"{section}-{name}")})
    item = {
        "type": "object",
        "required": ["type"],
        "properties": {"type": {"enum": list(types), "description": f"type of {section.removesuffix('s')}"}},
        "allOf": branches,
    }
    return _named(item, section)
