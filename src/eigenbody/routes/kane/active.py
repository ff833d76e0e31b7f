"""Generalized active forces: F_r = sum of forces times partial velocities (Passerello & Huston, Eqs. 3.2-3.18).

A force along a deflection s with tension f has F_r = -f ds'/dx_r': for a moment in a joint this is Eq. 3.18.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from eigenbody.model.description import Description, Entry
from eigenbody.routes.base import Place
from eigenbody.routes.deflections import Deflection, Distance, Velocities, bearing, bushing
from eigenbody.routes.drawing import Poses, attached, body_of, drawn_point, ends
from eigenbody.routes.kane.environment import Environment, Now
from eigenbody.routes.kane.measures import ChainMeasures
from eigenbody.spatial.rotations import cross, dot

Tension = Callable[[Environment, np.ndarray, np.ndarray], Any]  # of the scope, deflection and rate (b,)


def _spring(entry: Entry) -> Tension:
    k, c = entry.get("k", 0.0), entry.get("c", 0.0)
    free = entry.get("free_length", entry.get("free", 0.0))
    law = entry.get("force")
    return lambda scope, s, v: k * (s - free) + c * v + (0.0 if law is None else scope.value(law, s, v))


def _friction(entry: Entry) -> Tension:
    viscous, coulomb = entry.get("viscous", 0.0), entry["coulomb"]
    static, stribeck = entry.get("static"), entry.get("stribeck")

    def tension(scope: Environment, s: np.ndarray, v: np.ndarray) -> Any:
        level = scope.value(coulomb, s, v)
        if static is not None and stribeck is not None:
            level = level + (scope.value(static, s, v) - level) * np.exp(-((v / stribeck) ** 2))
        return level * np.tanh(v / entry["transition"]) + viscous * v

    return tension


LAWS: dict[str, Callable[[Entry], Tension]] = {
    "spring": _spring,
    "damper": lambda entry: lambda scope, s, v: entry["c"] * v,
    "expression": lambda entry: lambda scope, s, v: -scope.value(entry["value"], s, v),
    "actuator": lambda entry: lambda scope, s, v: -scope.value(entry["value"], s, v),
    "motor": lambda entry: lambda scope, s, v: -scope.value(entry["curve"], s, v),
    "friction": _friction,
}
LOADS = ("force", "torque")
KNOWN = (*LAWS, *LOADS, "bushing", "bearing")


class ActiveForces:
    """All forces of a model as generalized forces in given fields of velocities."""

    def __init__(self, description: Description, place: Place) -> None:
        self.description, self.place = description, place
        self.measures = ChainMeasures(description, place)
        self._lines = [(self._line(e), LAWS[e.type](e)) for e in description.forces if e.type in LAWS]
        self._mounts = [_mount(description, e) for e in description.forces if e.type in ("bushing", "bearing")]
        own = [body.name for body in description.flexible]  # the points of their mass have weight instead
        rigid = [0.0 if name in own else 1.0 for name in description.bodies.names]
        self._mass = np.append(description.bodies.mass * rigid, 0.0)

    def _line(self, entry: Entry) -> Deflection:
        along = entry.get("along")
        if along is None:
            return Distance(*ends(self.description, entry))
        return self.measures[along]

    def _scope(self, at: Poses, field: Velocities, states: np.ndarray, now: Now) -> Environment:
        return Environment(self.description, now, self.measures, at, field, states)

    def state_rates(self, at: Poses, field: Velocities, states: np.ndarray, now: Now) -> np.ndarray:
        """Rates (b, m) of the first-order states."""
        scope = self._scope(at, field, states, now)
        rates = [scope.value(entry["rate"]) for entry in self.description.states]
        return np.stack([np.broadcast_to(rate, len(states)) for rate in rates], axis=-1) if rates else states

    def __call__(self, at: Poses, field: Velocities, states: np.ndarray, now: Now) -> np.ndarray:
        """Generalized forces (b, n) in the fields 1 to n; field 0 is the motion; first-order states (b, m)."""
        scope = self._scope(at, field, states, now)
        b, fields = field.v.shape[:2]
        total = field.v.reshape(b, fields, -1) @ np.outer(self._mass, self.description.gravity).ravel()
        for deflection, tension in self._lines:
            rate = deflection.rate(at, field)[..., 0]
            total = total - np.asarray(tension(scope, deflection.value(at)[:, 0, 0], rate[:, 0]))[..., None] * rate
        for deflection, k, c in self._mounts:
            rate = deflection.rate(at, field)
            pull = deflection.value(at)[:, 0] @ k.T + rate[:, 0] @ c.T
            total = total - dot(pull[:, None], rate)
        for entry in self.description.forces:
            if entry.type in LOADS:
                value = [scope.value(component) for component in entry["value"]]
                total = total + self.load(entry, value, entry.type == "torque", at, field)
        return (total + self._given(at, field, now))[:, 1:]

    def _given(self, at: Poses, field: Velocities, now: Now) -> np.ndarray | float:
        """Inputs that act."""
        total: np.ndarray | float = 0.0
        for entry, value in zip(self.description.inputs, now.inputs, strict=True):
            along = entry.get("along")
            if along is not None:
                total = total + value * self.measures[along].rate(at, field)[..., 0]
            elif entry.get("body") is not None:
                direction = np.asarray(entry["direction"]) / np.linalg.norm(entry["direction"])
                total = total + self.load(entry, list(value * direction), bool(entry.get("torque")), at, field)
        return total

    def load(self, entry: Entry, value: list[Any], is_torque: bool, at: Poses, field: Velocities) -> np.ndarray:
        """Generalized forces (b, k) of a force at a point or a torque on a body, in the given fields."""
        body = body_of(self.description, entry["body"])
        vector = np.stack(np.broadcast_arrays(*value), axis=-1)
        vector = self.in_ground_axes(entry, vector[:, None] if vector.ndim == 2 else vector, at)
        if is_torque:
            return dot(vector, field.w[..., body, :])
        arm = at.R[..., body, :, :] @ self.arm(entry)
        return dot(vector, field.v[..., body, :] + cross(field.w[..., body, :], arm))

    def in_ground_axes(self, entry: Entry, vector: np.ndarray, at: Poses) -> np.ndarray:
        """The components of a load, in the axes that its entry says, as a vector (b, 1, 3) in ground axes."""
        if entry.get("axes") != "body":
            return np.broadcast_to(vector, np.broadcast_shapes(vector.shape, (1, 1, 3)))
        body = body_of(self.description, entry["body"])
        return (at.R[..., body, :, :] @ self._body_axes(entry["body"]) @ vector[..., None])[..., 0]

    def _body_axes(self, name: str) -> np.ndarray:
        marker = self.description.markers.get(name)
        axes = np.eye(3) if marker is None else marker.rotation
        body = body_of(self.description, name)
        R = self.description.bodies.rotation[body]
        return np.eye(3) if marker is None else R.T @ axes

    def arm(self, entry: Entry) -> np.ndarray:
        """Where a load acts, from the centre of mass in body axes."""
        name, at = entry["body"], entry.get("at")
        if at is not None and entry.get("frame") == "body":
            return np.asarray(at)
        point = drawn_point(self.description, name) if at is None else np.asarray(at)
        return attached(self.description, name, point, np.eye(3)).point


def _mount(description: Description, entry: Entry) -> tuple[Deflection, np.ndarray, np.ndarray]:
    """A bushing or bearing: its deflections, stiffness and damping."""
    first, second = ends(description, entry)
    deflection = bushing(first, second) if entry.type == "bushing" else bearing(first, second)
    size = 6 if entry.type == "bushing" else 5
    k, c = (np.asarray(entry.get(key, np.zeros((6, 6))))[:size, :size] for key in ("k", "c"))
    return deflection, k, c
