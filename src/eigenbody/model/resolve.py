"""From plain data to the resolved description: every name known, every number in SI, every fault found."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from eigenbody.model.bodies import place_markers, read_bodies
from eigenbody.model.builtin import BUILTIN, SECTIONS, TOP_LEVEL, VERSION
from eigenbody.model.description import Description, Entry, Function
from eigenbody.model.discs import carriers, fixed_joints
from eigenbody.model.entries import EntryReader, spec_of
from eigenbody.model.expressions import Expression
from eigenbody.model.faults import Faults, Path
from eigenbody.model.flexible import NOTHING, Expansions, extended, names_in
from eigenbody.model.frozen import FrozenDict
from eigenbody.model.names import GROUND, RESERVED, Names
from eigenbody.model.operating import OperatingPoints, held_inputs
from eigenbody.model.parameters import resolve_parameters, sort_by_use
from eigenbody.model.poses import read_poses
from eigenbody.model.source import Source, shown
from eigenbody.model.sums import check_sums
from eigenbody.model.values import Values, freeze
from eigenbody.model.vocabulary import TypeSpec, Vocabulary

Sections = dict[str, dict[str, Any]]
FEWEST_BLADES = 3


def resolve(
    source: Source,
    vocabulary: Vocabulary,
    overrides: Mapping[str, object] | None = None,
    formulas: dict[Path, Expression] | None = None,
    expansions: Expansions | None = None,
) -> Description:
    """The description of the model in `source`; raises one InputError with all faults.

    `overrides` replace parameter values (numbers, complex ones too, quantities, expressions); the expressions of the
    model are written into `formulas` by their place. `expansions` has the flexible bodies of a model like this one.
    """
    faults = Faults(source)
    data = source.data
    _check_top_level(data, faults)
    sections = {name: _section(name, data, faults) for name in (*SECTIONS, "parameters")}
    types = _types(sections, vocabulary, faults)
    names = _names(sections, types)
    _check_names(sections, faults)
    values = resolve_parameters(sections["parameters"], overrides or {}, faults, names.what_is, formulas)
    reader = EntryReader(values, names)
    bodies = read_bodies(sections["bodies"], values)
    on = carriers(sections["bodies"], names, faults)
    entries = {name: reader.section(name, sections[name], types[name]) for name in SECTIONS if name != "bodies"}
    _check_markers(entries["markers"], names, faults)
    check_sums(names.sums, names.measures, faults)
    _check_rotors(entries["rotors"], sections, faults)
    entries["variables"] = _variables(entries["variables"], faults)
    gravity = _gravity(data.get("gravity"), values)
    coordinates, weights = _coordinates(data.get("coordinates"), reader)
    points = OperatingPoints(reader)
    operating_point = points.read(data.get("operating_point"))
    poses, pose = read_poses(points, data.get("poses"), data.get("pose"))
    tolerance = _tolerance(data.get("tolerance"), values)
    name = _name(data.get("name"), source, faults)
    faults.raise_if_any()
    added = NOTHING
    if flexible := entries.pop("flexible"):
        others = {"coordinates": coordinates, "operating_point": operating_point, "pose": pose}
        mentioned = names_in({**entries, **others, **{f"bodies.{body}.on": node for body, node in on.items()}})
        added = (expansions or Expansions()).of(vocabulary, flexible, mentioned)
    bodies, fixed = fixed_joints(bodies, on, sections["bodies"], {body.name: body for body in added.bodies})
    bodies = extended(bodies, added.bodies) if added.bodies else bodies
    markers = place_markers(entries.pop("markers"), entries["frames"], bodies)
    parameters = FrozenDict(values.parameters)
    entries["inputs"] += held_inputs(operating_point)
    entries["joints"], entries["forces"] = entries["joints"] + fixed + added.joints, entries["forces"] + added.forces
    return Description(
        name=name, parameters=parameters, gravity=gravity, bodies=bodies, flexible=added.flexible, markers=markers,
        coordinates=coordinates, weights=weights, poses=poses, pose=pose,
        operating_point=operating_point, tolerance=tolerance, closed="", **entries,
    )  # fmt: skip


# ---- structure


def _check_top_level(data: Mapping[str, Any], faults: Faults) -> None:
    version = data.get("eigenbody")
    if "eigenbody" not in data:
        faults.add((), 'the format version is missing: "eigenbody: 1".', "Write it as the first line of the model.")
    elif isinstance(version, bool) or version != VERSION:
        what = f'format version "{shown(version)}" is not known to this eigenbody.'
        faults.add(("eigenbody",), what, f"Write eigenbody: {VERSION}.")
    for key in data:
        if key not in TOP_LEVEL:
            faults.unknown((key,), "section", key, TOP_LEVEL)
    if not isinstance(data.get("optimization") or {}, dict):
        faults.add(("optimization",), "a map with variables, objective and constraints is expected.")
    if not data.get("bodies") and not data.get("flexible"):
        faults.add(("bodies",), "there are no bodies.", "A model has at least one body.")


def _section(name: str, data: Mapping[str, Any], faults: Faults) -> dict[str, Any]:
    section = data.get(name)
    if section is None:
        return {}
    if not isinstance(section, dict):
        kind = "a list" if isinstance(section, list) else f'"{shown(section)}"'
        faults.add((name,), f"a map of names and their entries is expected, not {kind}.")
        return {}
    return section


def _types(sections: Sections, vocabulary: Vocabulary, faults: Faults) -> dict[str, Mapping[str, TypeSpec]]:
    known = dict(vocabulary.sections) | BUILTIN
    for name in SECTIONS:
        if sections[name] and name not in known:
            faults.add((name,), "this section is not supported.")
            sections[name] = {}
    return {name: known.get(name, {}) for name in SECTIONS}


def _names(sections: Sections, types: Mapping[str, Mapping[str, TypeSpec]]) -> Names:
    joints = {name: spec_of(raw, types["joints"]) for name, raw in sections["joints"].items()}
    measures = {name: spec_of(raw, types["measures"]) for name, raw in sections["measures"].items()}
    return Names(sections, joints, measures)


# ---- names


def _check_names(sections: Sections, faults: Faults) -> None:
    for section, entries in sections.items():
        for name in entries:
            if _is_bad_name(name):
                _refuse_name(section, name, faults)
    _check_disjoint(sections, ("bodies", "flexible", "markers", "frames"), faults)
    _check_disjoint(sections, ("joints", "measures", "states", "variables", "blocks", "inputs", "parameters"), faults)
    for section in ("bodies", "flexible", "markers", "frames"):
        if GROUND in sections[section]:
            faults.add((section, GROUND), '"ground" is the name of the fixed world.', "Choose another name.")
    for section in ("joints", "measures", "states", "variables", "blocks", "inputs", "parameters"):
        for name in RESERVED:
            if name in sections[section]:
                meaning = "the time" if name == "t" else "the number 3.14159..."
                faults.add((section, name), f'"{name}" means {meaning} in expressions.', "Choose another name.")


def _is_bad_name(name: str) -> bool:
    if name.replace("_", "a").isalnum():
        return False
    return not name or name != name.strip() or not name.isprintable() or any(c in name for c in ".'\"=")


def _refuse_name(section: str, name: str, faults: Faults) -> None:
    what = f'"{shown(name)}" cannot be a name.'
    faults.add((section, name), what, "A name is not empty and has no . ' \" = and no blanks at its ends.")


def _check_disjoint(sections: Sections, group: tuple[str, ...], faults: Faults) -> None:
    """A name may stand in only one section of the group."""
    for i, section in enumerate(group):
        for other in group[:i]:
            for name in sections[section].keys() & sections[other].keys():
                what = f'the name "{shown(name)}" is used in {other} and in {section}.'
                faults.add((section, name), what, "Choose different names.")


# ---- sections with rules of their own


def _check_markers(markers: tuple[Entry, ...], names: Names, faults: Faults) -> None:
    for marker in markers:
        raw: Any = names.markers[marker.name] or {}
        path = ("markers", marker.name)
        if marker["body"] in names.markers and marker["body"] not in names.bodies:
            faults.add((*path, "body"), "a marker is carried by a body, a frame or ground, not by a marker.")
        if raw.get("at") is None and raw.get("frame") != "body":
            faults.add(path, 'the required key "at" is missing.', "It may be left out only with `frame: body`.")


def _check_rotors(rotors: tuple[Entry, ...], sections: Sections, faults: Faults) -> None:
    bodies = {**sections["bodies"], **sections["flexible"]}
    for rotor in rotors:
        path = ("rotors", rotor.name)
        if rotor["joint"] not in sections["joints"]:
            faults.unknown((*path, "joint"), "joint", rotor["joint"], sections["joints"])
        for i, blade in enumerate(rotor["blades"]):
            if blade not in bodies:
                faults.unknown((*path, "blades", i), "body", blade, bodies)
        if len(rotor["blades"]) < FEWEST_BLADES:
            what = f"{len(rotor['blades'])} blades have no multi-blade coordinates."
            faults.add((*path, "blades"), what, "Name three or more; of fewer Floquet's theory tells (floquet).")


def _variables(entries: tuple[Entry, ...], faults: Faults) -> tuple[Entry, ...]:
    """Variables as expressions, none of which depends on itself."""
    result = []
    uses: dict[str, frozenset[str]] = {}
    for entry in entries:
        value = entry.values.get("value")
        if isinstance(value, Function):
            what = "a variable cannot be a Python function."
            faults.add(("variables", entry.name), what, "Put the function where it is used.")
        if isinstance(value, int | float | complex):
            value = Expression.number(value)
        uses[entry.name] = value.names if isinstance(value, Expression) else frozenset()
        result.append(Entry(entry.name, entry.type, FrozenDict({**entry.values, "value": value}), entry.where))
    for cycle in sort_by_use(uses)[1]:
        loop = " -> ".join([*cycle, cycle[0]])
        faults.add(("variables", cycle[0]), f"variables depend on themselves: {shown(loop, 200)}.")
    return tuple(result)


def _gravity(value: Any, values: Values) -> np.ndarray:
    vector = None if value is None else values.vector(value, "m/s^2", ("gravity",))
    return freeze(np.zeros(3)) if vector is None else vector


def _tolerance(value: Any, values: Values) -> float | None:
    number = None if value is None else values.number(value, "m", ("tolerance",))
    if number is not None and not number.real >= 0:
        values.faults.add(("tolerance",), f"{number.real:g} m is not a gap.", "Give zero or a positive length.")
    return None if number is None else float(number.real)


def _coordinates(value: Any, reader: EntryReader) -> tuple[tuple[str, ...], tuple[float, ...]]:
    """Measures to linearize in: a list in order of preference, or a map of measures and positive weights."""
    if value is None:
        return (), ()
    if not isinstance(value, dict):
        return reader.measures(value, ("coordinates",)) or (), ()
    names, weights = [], []
    for key, item in value.items():
        path = ("coordinates", key)
        name, weight = reader.measure(key, path), reader.values.number(item, "1", path)
        if weight is not None and not weight.real > 0:
            reader.faults.add(path, f"the weight {shown(item)} is not positive.", "Leave the coordinate out instead.")
        names.append(name or "")
        weights.append(0.0 if weight is None else float(weight.real))
    return tuple(names), tuple(weights)


def _name(value: Any, source: Source, faults: Faults) -> str:
    if value is None:
        return source.name
    if not isinstance(value, str):
        faults.add(("name",), f'the name is text; write it in quotes: "{shown(value)}".')
        return source.name
    return value
