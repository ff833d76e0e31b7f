"""Bodies given as discs, and bodies that are fixed on others: on nodes of flexible shafts above all.

m = density pi (D^2 - d^2) width / 4     Ip = m (D^2 + d^2) / 8     Id = Ip / 2 + m width^2 / 12
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from eigenbody.base.batched import agreed, numbers
from eigenbody.model.description import BodyTable, Entry
from eigenbody.model.faults import Faults, Path
from eigenbody.model.flexible import AddedBody
from eigenbody.model.frozen import FrozenDict
from eigenbody.model.names import Names
from eigenbody.model.values import Number, Values, freeze
from eigenbody.spatial.rotations import unit

INERTIAL = {"mass": "kg", "Id": "kg*m^2", "Ip": "kg*m^2"}
GEOMETRIC = {"diameter": "m", "width": "m", "density": "kg/m^3"}
KEYS = (*INERTIAL, *GEOMETRIC, "axis")
FORMS = "Write {mass, Id, Ip} or {diameter, width, density}; diameter: [outer, inner] with a bore."
THIN = 1e-9  # rounding that Ip = 2 Id of a thin disc may have
GLOBAL_Z = np.array([0.0, 0.0, 1.0])


def read_disc(given: Any, values: Values, path: Path, rotation: np.ndarray) -> tuple[Number, list[Number]] | None:
    """Mass and tensor entries xx, yy, zz, xy, xz, yz in body axes of a disc about its `axis` (global, default z;
    on a node of a beam the direction of its line, `fixed_joints`)."""
    faults = values.faults
    if not isinstance(given, dict):
        faults.add(path, "a map is expected here.", FORMS)
        return None
    for key in sorted(given.keys() - set(KEYS)):
        faults.unknown((*path, key), "key", key, KEYS)
    form = next((form for form in (INERTIAL, GEOMETRIC) if given.keys() & form.keys()), INERTIAL)
    if given.keys() & INERTIAL.keys() and given.keys() & GEOMETRIC.keys():
        faults.add(path, "mass and inertia are given together with dimensions.", FORMS)
        return None
    missing = [key for key in form if given.get(key) is None]
    if missing:
        faults.add(path, f'"{missing[0]}" of the disc is missing.', FORMS)
        return None
    read = {key: _size(given[key], form[key], values, (*path, key)) for key in form}
    axis = GLOBAL_Z if given.get("axis") is None else values.direction(given["axis"], None, (*path, "axis"))
    if axis is None or any(value is None for value in read.values()):
        return None
    mass, across, polar = _by_dimensions(**read) if form is GEOMETRIC else (read["mass"], read["Id"], read["Ip"])
    if form is INERTIAL and agreed(np.asarray(np.real(numbers(polar)) > 2 * (1 + THIN) * np.real(numbers(across)))):
        what = "Ip of a disc is at most twice its Id (a thin disc), and this one exceeds that."
        faults.add((*path, "Ip"), what, "Ip is about the axis, Id about a diameter.")
        return None
    a = unit(axis) @ rotation
    entries = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))
    return mass, [(polar - across) * a[i] * a[j] + (across if i == j else 0.0) for i, j in entries]


def _about(tensor: np.ndarray, old: np.ndarray, new: np.ndarray) -> np.ndarray:
    """The tensor (3, 3) of a disc about the axis `old`, laid about the axis `new`."""
    polar = old @ tensor @ old
    across = 0.5 * (np.trace(tensor) - polar)
    return (polar - across) * np.outer(new, new) + across * np.eye(3)


def _size(value: Any, dimension: str, values: Values, path: Path) -> Any:
    """A positive number; a diameter may be two, outer and inner."""
    if path[-1] == "diameter" and isinstance(value, list):
        pair = values.numbers(value, dimension, path, 2)
        if pair is None:
            return None
        inner, outer = (np.real(numbers(number)) for number in reversed(pair))
        if not agreed(np.asarray((inner >= 0) & (inner < outer))):
            what = "the outer diameter is given first and is larger than the inner one."
            values.faults.add(path, what, "Write [outer, inner].")
            return None
        return tuple(pair)
    number = values.number(value, dimension, path)
    if number is not None and not agreed(np.asarray(np.real(numbers(number)) > 0)):
        values.faults.add(path, f"{path[-1]} of a disc is positive.", "Give a number above zero.")
        return None
    return number


def _by_dimensions(diameter: Any, width: Any, density: Any) -> tuple[Any, Any, Any]:
    """Mass, diametral and polar moment of inertia."""
    outer, inner = diameter if isinstance(diameter, tuple) else (diameter, 0.0)
    mass = density * (math.pi / 4) * (outer * outer - inner * inner) * width
    polar = mass * (outer * outer + inner * inner) / 8
    return mass, polar / 2 + mass * width * width / 12, polar


def _has_place(body: Mapping[str, Any]) -> bool:
    """Whether a body says itself where it is: by its centre of mass, or by a mesh that lies in its place."""
    return body.get("at") is not None or isinstance(body.get("inertia"), dict)


def carriers(raw: Mapping[str, Any], names: Names, faults: Faults) -> dict[str, str]:
    """What each body with the key `on` is fixed on, by the name of the body."""
    found = {}
    for name, body in raw.items():
        on = body.get("on") if isinstance(body, dict) else None
        if on is None:
            continue
        path = ("bodies", name, "on")
        if not isinstance(on, str) or not names.is_carrier(on):
            faults.unknown(path, "body or node", on, names.carriers())
        elif on == name:
            faults.add(path, "a body cannot be fixed on itself.")
        elif not _has_place(body) and not names.bodies.is_node(on):
            what = "the place of the body is not known."
            faults.add(path, what, 'Add "at"; only on a node of a flexible body it may be left out.')
        else:
            found[name] = on
    return found


def fixed_joints(
    table: BodyTable, on: Mapping[str, str], raw: Mapping[str, Any], nodes: Mapping[str, AddedBody]
) -> tuple[BodyTable, tuple[Entry, ...]]:
    """The table with bodies on nodes in place, discs about the line of their beam, and the joints that fix them."""
    if not on:
        return table, ()
    position, inertia = list(table.position), list(table.inertia)
    joints = []
    for name, carrier in on.items():
        k, body = table.names.index(name), raw[name]
        if not _has_place(body):
            position[k] = nodes[carrier].position
        along = nodes[carrier].axis if carrier in nodes else None
        if along is not None and body.get("disc") is not None and body["disc"].get("axis") is None:
            inertia[k] = _about(inertia[k], GLOBAL_Z @ table.rotation[k], along @ table.rotation[k])
        at = np.stack([position[k]] * 2)
        values = FrozenDict(between=(carrier, name), at=freeze(at))
        joints.append(Entry(f"{name}.on", "fixed", values, f"bodies.{name}"))
    return replace(table, position=freeze(np.stack(position)), inertia=freeze(np.stack(inertia))), tuple(joints)
