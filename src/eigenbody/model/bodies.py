"""All bodies at once: read into arrays and checked as arrays."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from eigenbody.base.batched import agreed, verdict
from eigenbody.model.builtin import BODY
from eigenbody.model.description import BodyTable, Marker
from eigenbody.model.discs import read_disc
from eigenbody.model.faults import Faults
from eigenbody.model.frozen import FrozenDict
from eigenbody.model.mesh_inertia import MeshInertia, read_mesh_inertia
from eigenbody.model.names import GROUND
from eigenbody.model.values import Number, Values, freeze

TOLERANCE = 1e-9  # relative, of the triangle inequality and of definiteness
KEYS = frozenset(field.name for field in BODY.fields)
_NONE: list[Number] = [0.0] * 6
_ORIGIN: list[Number] = [0.0] * 3
_IDENTITY = np.eye(3)


def read_bodies(raw: Mapping[str, Any], values: Values) -> BodyTable:
    """The table of bodies. Faulty values are reported and replaced by harmless ones."""
    mass: list[Number] = []
    inertia: list[list[Number]] = []
    position: list[list[Number]] = []
    rotations: dict[int, np.ndarray] = {}
    is_point: list[bool] = []
    shapes: list[Any] = []
    for index, (name, body) in enumerate(raw.items()):
        body = body if keys_fit(name, body, values.faults) else {}
        if body.get("rotation") is not None:
            rotation = values.rotation(body["rotation"], ("bodies", name, "rotation"))
            rotations[index] = _IDENTITY if rotation is None else rotation
        axes = rotations.get(index, _IDENTITY)
        filled = _filled(name, body, values)
        own_mass, own_inertia = _inertial(name, body, values, axes) if filled is None else (filled.mass, filled.tensor)
        mass.append(own_mass)
        inertia.append(own_inertia)
        position.append(_position(name, body, values, filled, axes))
        is_point.append(body.get("inertia") is None and body.get("disc") is None)
        shapes.append(filled.shape if filled is not None and body.get("shape") is None else body.get("shape"))
    table = BodyTable(
        names=tuple(raw),
        mass=freeze(mass),
        inertia=tensors(inertia),
        position=freeze(position).reshape(-1, 3),
        rotation=_rotations(len(raw), rotations),
        is_point=np.array(is_point, dtype=bool),
        shapes=tuple(shapes),
    )
    _check_masses(table, values.faults)
    _check_inertias(table, values.faults)
    return table


def keys_fit(name: str, body: Any, faults: Faults) -> bool:
    """Whether the entry of a body can be read; wrong and missing keys are remembered."""
    path = ("bodies", name)
    if not isinstance(body, dict):
        faults.add(path, "a map of keys and values is expected here.", "Write for example {mass: 1, at: [0, 0, 0]}.")
        return False
    if "flexible" in body:
        remedy = f"Write flexible: {{{name}: {{type: beam, points: ..., ...}}}} in place of the entry of bodies."
        faults.add((*path, "flexible"), "flexible bodies stand in a section of their own.", remedy)
        return False
    if not KEYS.issuperset(body):
        for key in sorted(body.keys() - KEYS):
            faults.unknown((*path, key), "key", key, KEYS)
    for key, other in (("mass", "disc"), ("at", "on")):
        if body.get(key) is None and body.get(other) is None and not isinstance(body.get("inertia"), dict):
            faults.add(path, f'the required key "{key}" is missing.')
    for key in ("mass", "inertia"):
        if body.get(key) is not None and body.get("disc") is not None:
            faults.add((*path, key), f"the disc has its own {key}.", "Give one or the other.")
    return True


def _inertial(name: str, body: Mapping[str, Any], values: Values, rotation: np.ndarray) -> tuple[Number, list[Number]]:
    """Mass and tensor entries of a body, given as such or as a disc."""
    path = ("bodies", name)
    if body.get("disc") is not None:
        return read_disc(body["disc"], values, (*path, "disc"), rotation) or (0.0, _NONE)
    given, inertia = body.get("mass"), body.get("inertia")
    if isinstance(inertia, dict):  # a mesh whose faults are known
        return 0.0, _NONE
    mass = 0.0 if given is None else values.number(given, "kg", (*path, "mass")) or 0.0
    return mass, _NONE if inertia is None else values.inertia(inertia, (*path, "inertia")) or _NONE


def _filled(name: str, body: Mapping[str, Any], values: Values) -> MeshInertia | None:
    """Mass, centre and inertia of a body that fills a mesh; None where it does not, or cannot be read."""
    path, inertia = ("bodies", name, "inertia"), body.get("inertia")
    if not isinstance(inertia, dict) or body.get("disc") is not None:
        return None
    if body.get("at") is not None and inertia.get("at") is not None:
        what = "the centre of mass and the place of the mesh are both given."
        values.faults.add((*path, "at"), what, "Leave one of them out: the other follows from it.")
        return None
    return read_mesh_inertia(inertia, body.get("mass"), values, path)


def _position(
    name: str, body: Mapping[str, Any], values: Values, filled: MeshInertia | None, axes: np.ndarray
) -> list[Number]:
    """The centre of mass, as given or where a mesh that lies in its place has it."""
    if body.get("at") is not None:
        return values.numbers(body["at"], "m", ("bodies", name, "at")) or _ORIGIN
    return _ORIGIN if filled is None else filled.position(axes)


def tensors(entries: list[list[Number]]) -> np.ndarray:
    """(n, 3, 3) symmetric matrices from rows xx, yy, zz, xy, xz, yz."""
    rows = freeze(entries).reshape(-1, 6)
    matrices = rows.take([0, 3, 4, 3, 1, 5, 4, 5, 2], axis=1).reshape(-1, 3, 3)
    matrices.setflags(write=False)
    return matrices


def _rotations(count: int, given: Mapping[int, np.ndarray]) -> np.ndarray:
    rotations = np.empty((count, 3, 3), dtype=np.result_type(float, *(rotation.dtype for rotation in given.values())))
    rotations[:] = _IDENTITY
    for index, rotation in given.items():
        rotations[index] = rotation
    rotations.setflags(write=False)
    return rotations


def _check_masses(table: BodyTable, faults: Faults) -> None:
    for i in verdict(_negative, table.mass):
        what = f"the mass is negative ({table.mass[i].real:g} kg)."
        faults.add(("bodies", table.names[i], "mass"), what, "A mass is zero or positive.")


def _negative(mass: np.ndarray) -> tuple[int, ...]:
    """Which of the masses (..., n) are negative, in all variants."""
    below = np.real(mass) < 0
    return tuple(i for i, own in enumerate(np.moveaxis(below, -1, 0)) if agreed(own)) if below.any() else ()


def _check_inertias(table: BodyTable, faults: Faults) -> None:
    """Principal moments must not be negative, and none larger than the sum of the other two."""
    for i, is_negative, principal in verdict(_impossible, table.inertia):
        if is_negative:
            what = f"impossible inertia: a principal moment is negative ({principal})."
        else:
            what = f"impossible inertia: the largest principal moment exceeds the sum of the other two ({principal})."
        remedy = (
            "Check the units, the signs of xy xz yz (xy = -integral x y dm), and that it is about the centre of mass."
        )
        faults.add(("bodies", table.names[i], "inertia"), what, remedy)


def _impossible(inertia: np.ndarray) -> tuple[tuple[int, bool, str], ...]:
    """Inertias (..., n, 3, 3) that no body has: which, whether a moment is negative, and the principal moments."""
    tensor = np.real(inertia)
    scale = np.max(np.abs(tensor), axis=(-2, -1), initial=0.0)
    safe = np.where(scale > 0, scale, 1.0)
    moments = np.linalg.eigvalsh(tensor / safe[..., None, None])  # ascending, scaled against overflow
    negative = moments[..., 0] < -TOLERANCE
    long = moments[..., 2] - moments[..., 1] - moments[..., 0] > TOLERANCE * moments[..., 2]
    if negative.ndim > 1:  # variants: all fail or none
        negative, long = (np.array([agreed(column) for column in mask.T]) for mask in (negative, long))
        moments, safe = moments[0], safe[0]
    return tuple(
        (i, bool(negative[i]), ", ".join(f"{value:.6g}" for value in moments[i] * safe[i]))
        for i in np.flatnonzero(negative | long).tolist()
    )


def place_marker(name: str, values: Mapping[str, Any], table: BodyTable, index: Mapping[str, int], at: Any) -> Marker:
    """Marker in global coordinates; `at` is the origin of its carrier when that is no body."""
    position = np.zeros(3) if values.get("at") is None else values["at"]
    rotation = _IDENTITY if values.get("rotation") is None else values["rotation"]
    if values.get("frame") == "body":
        i = index.get(values["body"])
        if i is None:
            position = at + position
        else:
            position, rotation = table.position[i] + table.rotation[i] @ position, table.rotation[i] @ rotation
    return Marker(name, values["body"], freeze(position), freeze(rotation))


def place_markers(entries: Any, frames: Any, table: BodyTable) -> FrozenDict:
    """All markers by name."""
    index = {name: i for i, name in enumerate(table.names)} if entries else {}
    origins = {frame.name: frame["at"] for frame in frames} | {GROUND: np.zeros(3)}
    return FrozenDict((e.name, place_marker(e.name, e.values, table, index, origins.get(e["body"]))) for e in entries)
