"""Springs, loads and constraints of a model where it stands: acting points, frames, stiffness, tension."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from eigenbody.model.description import Description, Entry
from eigenbody.routes.base import Place
from eigenbody.routes.deflections import (
    Angle,
    Cosine,
    Deflection,
    Displacement,
    DisplacementIn,
    Distance,
    Part,
    RotationVector,
    Several,
    Tilt,
    Velocities,
    bearing,
    bushing,
)
from eigenbody.routes.drawing import Attachment, Poses, attached, body_of, drawn_point, ends
from eigenbody.routes.joints import COORDINATES, JOINTS, terms_of
from eigenbody.routes.named import Measures

SPRINGS = ("spring", "damper", "bushing", "bearing")
LOADS = ("force", "torque")
_TURNED = np.array([[0.0, 0, 1], [1, 0, 0], [0, 1, 0]])  # columns y, z, x: the third axis is the old x


@dataclass(frozen=True, eq=False)
class Spring:
    """A spatial spring-damper between two bodies: deflections along which it acts, their k, c (m, m) and tension (m,).

    `point` is its acting point on both bodies and `axes` its frame, global. `N` (m, 6) gives its deflections from the
    relative displacements of the two bodies there.
    """

    name: str
    deflection: Deflection
    point: np.ndarray
    axes: np.ndarray
    N: np.ndarray
    k: np.ndarray
    c: np.ndarray
    tension: np.ndarray

    @property
    def bodies(self) -> tuple[int, int]:
        """The two bodies."""
        return self.deflection.first.body, self.deflection.second.body


@dataclass(frozen=True, eq=False)
class Load:
    """A constant force at a point of a body, or a torque; in body axes if it turns with the body."""

    body: int
    point: np.ndarray  # in body axes, from the centre of mass
    value: np.ndarray
    is_torque: bool
    turns: bool


def relative_rates(deflection: Deflection, at: Poses, point: np.ndarray, axes: np.ndarray) -> np.ndarray:
    """N (m, 6): deflections from unit displacements of the second body at a point, in the axes of a frame."""
    v = np.zeros((6, *at.r.shape[-2:]))
    w = np.zeros_like(v)
    body = deflection.second.body
    arm = at.r[body] - point
    for i in range(3):
        v[i, body] = axes[:, i]
        v[3 + i, body], w[3 + i, body] = np.cross(axes[:, i], arm), axes[:, i]
    return deflection.rate(Poses(at.r[None], at.R[None]), Velocities(v, w)).T


def springs(description: Description, place: Place, at: Poses) -> Iterator[Spring]:
    """All spring-dampers of a model."""
    measures = Measures(description, place)
    for entry in description.forces:
        if entry.type in SPRINGS:
            yield _spring(description, entry, measures, at)


def _spring(description: Description, entry: Entry, measures: Measures, at: Poses) -> Spring:
    deflection = _deflection(description, entry, measures)
    point, axes = at.point(deflection.second), at.axes(deflection.first)
    N = relative_rates(deflection, at, point, axes)
    size = len(N)
    k, c = (_square(entry.get(key, 0.0), size) for key in ("k", "c"))
    free = entry.get("free_length", entry.get("free", 0.0)) if entry.type == "spring" else 0.0
    tension = k @ (np.real(deflection.value(at)) - free)
    return Spring(entry.name, deflection, point, axes, N, k, c, tension)


def _deflection(description: Description, entry: Entry, measures: Measures) -> Deflection:
    if entry.type == "bushing":
        return bushing(*ends(description, entry))
    if entry.type == "bearing":
        return bearing(*ends(description, entry))
    if entry.get("along") is None:
        return Distance(*ends(description, entry))
    return measures[entry["along"]]


def _square(value: float | np.ndarray, size: int) -> np.ndarray:
    array = np.asarray(value, dtype=float)
    return array[:size, :size] if array.ndim else float(array) * np.eye(size)


def is_of_three_bodies(deflection: Deflection) -> bool:
    """Whether a displacement is measured in the axes of a body that is neither of its two."""
    if not isinstance(deflection, DisplacementIn):
        return False
    return deflection.carrier.body not in (deflection.first.body, deflection.second.body)


def loads(description: Description) -> Iterator[Load]:
    """All constant forces and torques."""
    for entry in description.forces:
        if entry.type in LOADS:
            name = entry["body"]
            marker = description.markers.get(name)
            turns = entry.get("axes") == "body"
            value = np.array([float(component) for component in entry["value"]])
            if turns and marker is not None:
                value = attached(description, name, marker.position, marker.rotation).axes @ value
            yield Load(body_of(description, name), _arm(description, entry), value, entry.type == "torque", turns)


def _arm(description: Description, entry: Entry) -> np.ndarray:
    at = entry.get("at")
    if at is not None and entry.get("frame") == "body":
        return np.asarray(at)
    point = drawn_point(description, entry["body"]) if at is None else np.asarray(at)
    return attached(description, entry["body"], point, np.eye(3)).point


def held(joint: Entry, first: Attachment, second: Attachment) -> Deflection | None:
    """What a joint holds, as deflections that stay zero (or constant) however far it moves."""
    place = Displacement(first, second)
    words: dict[str, Deflection] = {
        "point": place,
        "sideways": Part(place, (0, 1)),
        "along": Part(place, (2,)),
        "tilt": Tilt(first, second),
        "rotation": RotationVector(first, second),
        "crossed": Cosine(first, Attachment(second.body, second.point, second.axes @ _TURNED)),
        "distance": Distance(first, second),
    }
    found = tuple(words[word] for word in JOINTS[joint.type].held if word != "pitch")
    return Several(found) if found else None


def combinations(description: Description, place: Place) -> Iterator[tuple[tuple[float, Deflection], ...]]:
    """Couplings and screws: sums of factors times deflections that stay constant."""
    measures = Measures(description, place)
    for joint in description.joints:
        if joint.type == "screw":
            first, second = ends(description, joint)
            advance = Part(Displacement(first, second), (2,))
            yield (1.0, advance), (-float(joint["pitch"]), Angle(first, second))
    for coupling in description.couplings:
        yield tuple((factor, measures[name]) for name, factor in terms_of(coupling).items())


def joint_coordinate(description: Description, name: str) -> tuple[Entry, str] | None:
    """The joint and the label of a coordinate by its name, or None."""
    owner, _, label = name.partition(".")
    for joint in description.joints:
        if joint.name == owner and joint.type in COORDINATES:
            return joint, label or COORDINATES[joint.type][0]
    return None
