"""Poses: values of joint coordinates and other measures that the drawing is put into.

Section `poses` has some by name; `pose` is the name of the one that the model is in, or values of its own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from eigenbody.model.faults import Path
from eigenbody.model.frozen import FrozenDict
from eigenbody.model.names import MeasureDimensions, short_name
from eigenbody.model.operating import OperatingPoints
from eigenbody.model.source import shown

EXAMPLE = "For example {shoulder: 0.3, elbow: -0.5}."


def read_poses(reader: OperatingPoints, poses: Any, pose: Any) -> tuple[FrozenDict, FrozenDict]:
    """All named poses, and the values of the one that the model is in; faults are remembered."""
    named: dict[str, FrozenDict] = {}
    if poses is not None and not isinstance(poses, dict):
        reader.faults.add(("poses",), "a map of names and poses is expected.", "For example {home: {shoulder: 0.3}}.")
    for name, values in (poses if isinstance(poses, dict) else {}).items():
        named[str(name)] = _values(reader, values, ("poses", name))
    if isinstance(pose, str):
        if pose not in named:
            reader.faults.unknown(("pose",), "pose", pose, list(named))
        return FrozenDict(named), named.get(pose, FrozenDict())
    return FrozenDict(named), FrozenDict() if pose is None else _values(reader, pose, ("pose",))


def _values(reader: OperatingPoints, given: Any, path: Path) -> FrozenDict:
    """Values in SI by the names of the measures."""
    if not isinstance(given, dict):
        reader.faults.add(path, "a map of joint coordinates and their values is expected.", EXAMPLE)
        return FrozenDict()
    read: dict[str, Any] = {}
    for name, item in given.items():
        for _, full, value, unit, at in reader.coordinates(name, item, "positions", (*path, name)):
            short = short_name(full, reader.names.measures)
            if short in read:
                reader.faults.add(at, f'"{shown(full)}" is given twice.', "Leave one of them out.")
            number = reader.values.number(value, unit, at)
            if number is not None:
                read[short] = number
    return FrozenDict(read)


def spelled_out(given: Mapping[str, Any], measures: MeasureDimensions) -> dict[str, Any]:
    """Values as they are written, lists of a joint's coordinates one by one, names short."""
    out: dict[str, Any] = {}
    for name, item in given.items():
        several = measures.coordinates_of(name)
        if len(several) > 1 and isinstance(item, list) and len(item) == len(several):
            out |= {full: value for full, value in zip(several, item, strict=True) if value is not None}
        else:
            out[short_name(name, measures)] = item
    return out


def without_positions(operating_point: Any, names: Mapping[str, Any], measures: MeasureDimensions) -> Any:
    """An operating point by explicit values, without those of positions that a pose now gives; others as they are."""
    if not isinstance(operating_point, dict) or "type" in operating_point:
        return operating_point
    kept: dict[str, Any] = {}
    for key, item in operating_point.items():
        if key == "positions" and isinstance(item, dict):
            kept[key] = {k: v for k, v in spelled_out(item, measures).items() if k not in names}
        elif isinstance(item, dict) and "position" in item:
            left = {k: v for k, v in spelled_out({key: item["position"]}, measures).items() if k not in names}
            rest = {k: v for k, v in item.items() if k != "position"}
            kept |= left | ({key: rest} if rest else {})
        else:
            kept |= {k: v for k, v in spelled_out({key: item}, measures).items() if k not in names}
    return {k: v for k, v in kept.items() if v != {}} or None
