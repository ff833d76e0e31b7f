"""Applied forces by their virtual work: deflections s(q) with tensions, and loads at points."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from eigenbody.model.description import Entry
from eigenbody.routes.drawing import GROUND, body_of
from eigenbody.routes.symbolic.drawn import drawn_six, item_of
from eigenbody.routes.symbolic.exact import exact_array
from eigenbody.routes.symbolic.formulas import as_symbolic
from eigenbody.routes.symbolic.joints import Pair, measure, rotation_vector
from eigenbody.routes.symbolic.kinematics import E, Kinematics
from eigenbody.routes.symbolic.pool import Path


@dataclass(frozen=True, eq=False)
class Applied:
    """Deflections s (m,) with the energy V stored in them and further tensions (m,) that pull them shorter."""

    s: np.ndarray
    energy: Any
    tension: np.ndarray


@dataclass(frozen=True, eq=False)
class Load:
    """A force and a torque (3,) in global axes on a body, the force at a point."""

    body: int
    point: np.ndarray
    force: np.ndarray
    torque: np.ndarray


def applied(kin: Kinematics, entry: Entry) -> Applied:
    """Springs, dampers, bushings, bearings and forces along a measure."""
    if entry.type in ("bushing", "bearing"):
        return _bushing(kin, entry)
    s = np.array([_deflection(kin, entry)], object)
    path = ("forces", entry.name)
    if entry.type in ("expression", "actuator"):
        value = signal(kin, (*path, "value"), entry["value"], s[0])
        return Applied(s, 0 * kin.coordinates.t, np.array([-value], object))
    k, c = (item_of(kin.pool, "forces", entry, key, key) for key in "kc")
    free = item_of(kin.pool, "forces", entry, "free_length" if entry.get("along") is None else "free", "free")
    tension = c * kin.coordinates.rate(s[0])
    if entry.get("force") is not None:
        tension = tension + signal(kin, (*path, "force"), entry["force"], s[0])
    return Applied(s, k * (s[0] - free) ** 2 / 2, np.array([tension], object))


def _deflection(kin: Kinematics, entry: Entry) -> Any:
    import sympy

    if entry.get("along") is not None:
        return measure(kin, entry["along"])
    gap = Pair(kin, "forces", entry).gap
    return sympy.sqrt(gap @ gap)


def _bushing(kin: Kinematics, entry: Entry) -> Applied:
    pair = Pair(kin, "forces", entry)
    if entry.type == "bushing":
        s = np.concatenate([pair.displacement, rotation_vector(pair)])
    else:  # tilt z1 x z2 about x and y of the first frame
        s = np.array([*pair.displacement, -pair.cosine(1, 2), pair.cosine(0, 2)], object)
    k, c = (_six(kin, entry, letter)[: len(s), : len(s)] for letter in "kc")
    symmetric, rest = (k + k.T) / 2, (k - k.T) / 2
    energy = sum((s @ symmetric * s).tolist(), start=0 * kin.coordinates.t) / 2
    rate = kin.coordinates.rate(s) if c.any() else 0 * s
    return Applied(s, energy, rest @ s + c @ rate)


def _six(kin: Kinematics, entry: Entry, letter: str) -> np.ndarray:
    given = entry.get(letter)
    values = np.zeros((6, 6)) if given is None else np.asarray(given, float)
    whole = np.diag(values) if values.ndim == 1 else values
    return drawn_six(kin.pool, ("forces", entry.name, letter), f"{letter}_{entry.name}", whole)


def load(kin: Kinematics, entry: Entry) -> Load:
    """A force or torque on a body, fixed in global axes or carried along."""
    bodies, path = kin.description.bodies, ("forces", entry.name)
    body = body_of(kin.description, entry["body"])
    at = kin.drawing.position(body)
    turned = exact_array(bodies.rotation[body], 1.0)
    if entry.get("at") is not None:
        given = kin.drawing.vector((*path, "at"), np.asarray(entry["at"], float))
        at = at + turned @ given if entry.get("frame") == "body" else given
    value = np.array([signal(kin, (*path, "value", k), v, None) for k, v in enumerate(entry["value"])], object)
    if entry.get("axes") == "body":
        value = kin.S[body] @ (kin.in_body_axes(body, turned) @ value)
    else:
        value = kin.in_body_axes(GROUND, value)
    none = 0 * E[0]
    is_torque = entry.type == "torque"
    point = kin.r[body] if is_torque else kin.point(body, f"at_{entry.name}", at)
    return Load(body, point, none if is_torque else value, value if is_torque else none)


def signal(kin: Kinematics, path: Path, value: Any, own: Any) -> Any:
    """A number or an expression of t, measures and their rates; s and v are the element's own."""

    def name_of(name: str) -> Any:
        if name == "t":
            return kin.coordinates.t
        if own is not None and name in ("s", "v"):
            return own if name == "s" else kin.coordinates.rate(own)
        bare = name.rstrip("'")
        return measure(kin, bare) if bare == name else kin.coordinates.rate(measure(kin, bare))

    written = kin.pool.formula(path, name_of)
    return as_symbolic(value, name_of) if written is None else written
