"""Force laws read from the description: along which channels they pull, and with what tension.

A tension is positive when it pulls its channel shorter: the bodies feel -tension times the channel's gradient.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

from eigenbody.model.description import Description, Entry, Signal, Table
from eigenbody.model.expressions import Expression
from eigenbody.routes.base import Place, Unsupported
from eigenbody.routes.relative.measures import Channel, Component, Cosine, Distance, Measure, Pose
from eigenbody.routes.relative.named import Names, X, Y, Z, coordinate
from eigenbody.routes.relative.sides import Drawing

Tension = tuple[np.ndarray, np.ndarray, np.ndarray]  # f (m,), df/ds (m, l), df/ds' (m, l)


@dataclass(frozen=True)
class Argument:
    """A measure with what its value lacks here: turns counted, zero in the drawing."""

    measure: Measure
    here: float  # value at the operating point
    raw: float  # what the measure itself says there

    def value(self, pose: Pose) -> float:
        """Value at a configuration near to the operating point."""
        change = self.measure.value(pose) - self.raw
        if not isinstance(self.measure, Distance) and hasattr(self.measure, "sine"):
            change = (change + np.pi) % (2 * np.pi) - np.pi
        return self.here + change


@dataclass(frozen=True)
class Law:
    """Tensions (m,) along channels as a function of arguments (l,) and their rates, with slopes."""

    channels: tuple[Channel, ...]
    arguments: tuple[Argument, ...]
    tension: Callable[[np.ndarray, np.ndarray], Tension] = field(repr=False)


class Laws:
    """Reads the forces and inputs of a description."""

    def __init__(self, drawing: Drawing, names: Names, place: Place, pose: Pose) -> None:
        self.drawing, self.names, self.place, self.pose = drawing, names, place, pose
        description = drawing.description
        self.variables = {entry.name: entry["value"] for entry in description.variables}
        self.inputs = {entry.name: float(place.inputs[k]) for k, entry in enumerate(description.inputs)}

    def all(self) -> list[Law]:
        """Every force and every input."""
        description: Description = self.drawing.description
        return [*(self.force(entry) for entry in description.forces), *self._inputs(description)]

    def argument(self, name: str) -> Argument:
        """A measure by name."""
        measure = self.names.measure(name)
        raw = measure.value(self.pose)
        return Argument(measure, self.place.coordinates.get(name, raw), raw)

    def force(self, entry: Entry) -> Law:
        """The law of one entry of `forces`."""
        if entry.type in ("bushing", "bearing"):
            return self._six(entry)
        if entry.type in ("force", "torque"):
            return self._components(entry)
        if entry.type in ("spring", "damper", "expression", "actuator", "friction"):
            return self._along(entry)
        raise Unsupported(f'forces of type "{entry.type}"')

    # ---- along one measure

    def _own(self, entry: Entry) -> Argument:
        if entry.get("along") is not None:
            return self.argument(entry["along"])
        measure = Distance(*self.drawing.sides(entry))
        raw = measure.value(self.pose)
        return Argument(measure, raw, raw)

    def _along(self, entry: Entry) -> Law:
        own = self._own(entry)
        if entry.type in ("expression", "actuator"):
            return self._signal(own, entry["value"], -1.0)
        if entry.type == "friction":
            return self._friction(own, entry)
        k, c = entry.get("k", 0.0), entry.get("c", 0.0)
        free = entry.get("free", entry.get("free_length", 0.0))
        linear = _linear((own.measure,), (own,), np.array([[k]]), np.array([[c]]), np.array([free]))
        if entry.get("force") is None:
            return linear
        deflection = Argument(own.measure, own.here - free, own.raw)  # `s` of its own force law
        return _sum(linear, self._signal(deflection, entry["force"], 1.0))

    def _friction(self, own: Argument, entry: Entry) -> Law:
        """[Fc + (Fs - Fc) exp(-(v/vs)^2)] tanh(v/vt) + c v."""
        coulomb = _constant(entry["coulomb"])
        static = coulomb if entry.get("static") is None else _constant(entry["static"])
        stribeck, transition, viscous = entry.get("stribeck"), entry["transition"], entry.get("viscous", 0.0)

        def tension(s: np.ndarray, rate: np.ndarray) -> Tension:
            v = rate[0]
            drop = 0.0 if stribeck is None else np.exp(-((v / stribeck) ** 2))
            size, size_v = coulomb + (static - coulomb) * drop, 0.0
            if stribeck is not None:
                size_v = -(static - coulomb) * drop * 2 * v / stribeck**2
            smooth = np.tanh(v / transition)
            slope = size_v * smooth + size * (1 - smooth**2) / transition + viscous
            return np.array([size * smooth + viscous * v]), np.zeros((1, 1)), np.array([[slope]])

        return Law((own.measure,), (own,), tension)

    def _signal(self, own: Argument, signal: Signal, sign: float) -> Law:
        """A signal of anything that varies as the tension along a measure, times a sign."""
        evaluate, arguments = self._read(signal, own)

        def tension(s: np.ndarray, rate: np.ndarray) -> Tension:
            value, by_s, by_rate = evaluate(s, rate)
            return np.array([sign * value]), sign * by_s[None], sign * by_rate[None]

        return Law((own.measure,), arguments, tension)

    # ---- six deflections

    def _six(self, entry: Entry) -> Law:
        first, second = self.drawing.sides(entry)
        shift = [coordinate(first, second, label) for label in "xyz"]
        if entry.type == "bushing":
            turn: list[Measure] = [coordinate(first, second, label) for label in ("rx", "ry", "rz")]
            count = 6
        else:  # z1 x z2 about x and y of the first frame
            z = second.axes[:, Z]
            i, j = first.carrier, second.carrier
            turn = [Cosine(i, j, -first.axes[:, Y], z), Cosine(i, j, first.axes[:, X], z)]
            count = 5
        k = np.asarray(entry["k"])[:count, :count]
        c = np.zeros((6, 6)) if entry.get("c") is None else np.asarray(entry["c"])
        measures = (*shift, *turn)
        arguments = tuple(Argument(m, m.value(self.pose), m.value(self.pose)) for m in measures)
        return _linear(measures, arguments, k, c[:count, :count], np.zeros(count))

    # ---- forces on one body

    def _components(self, entry: Entry) -> Law:
        side = self.drawing.side(entry["body"], self._point(entry))
        turns = entry.get("axes", "ground") == "body"
        if turns and entry["body"] in self.drawing.description.markers:
            raise Unsupported(f'a {entry.type} in the axes of the marker "{entry["body"]}"')
        axes = np.eye(3)
        channels = tuple(Component(side, axes[k], turns, entry.type == "torque") for k in range(3))
        parts = [self._read(signal, None) for signal in entry["value"]]
        arguments = tuple(argument for _, wanted in parts for argument in wanted)

        def tension(s: np.ndarray, rate: np.ndarray) -> Tension:
            value, by_s, by_rate = np.zeros(3), np.zeros((3, len(s))), np.zeros((3, len(s)))
            start = 0
            for k, (evaluate, wanted) in enumerate(parts):
                own = slice(start, start + len(wanted))
                value[k], by_s[k, own], by_rate[k, own] = evaluate(s[own], rate[own])
                start += len(wanted)
            return -value, -by_s, -by_rate

        return Law(channels, arguments, tension)

    def _point(self, entry: Entry) -> np.ndarray | None:
        at = entry.get("at")
        if at is None or entry.get("frame") != "body":
            return at
        carrier = self.drawing.carrier(entry["body"])
        return self.drawing.r[carrier] + self.drawing.R[carrier] @ at

    def _inputs(self, description: Description) -> list[Law]:
        found = []
        for entry in description.inputs:
            value = self.inputs[entry.name]
            if entry.get("along") is not None:
                found.append(self._signal(self.argument(entry["along"]), value, -1.0))
            elif entry.get("body") is not None:
                found.append(self._push(entry, value))
        return found

    def _push(self, entry: Entry, value: float) -> Law:
        """A force or torque of constant size at a body."""
        side = self.drawing.side(entry["body"], self._point(entry))
        turns = entry.get("axes", "ground") == "body"
        if turns and entry["body"] in self.drawing.description.markers:
            raise Unsupported(f'an input in the axes of the marker "{entry["body"]}"')
        axis = entry["direction"] / np.linalg.norm(entry["direction"])
        channel = Component(side, axis, turns, bool(entry.get("torque", False)))
        none = np.zeros((1, 0))
        return Law((channel,), (), lambda s, rate: (np.array([-value]), none, none))

    # ---- signals

    def _read(self, signal: Signal, own: Argument | None) -> tuple[Callable, tuple[Argument, ...]]:
        """Value and slopes by its arguments and their rates, and the arguments; its own measure first."""
        first = () if own is None else (own,)
        if isinstance(signal, float | int):
            none = np.zeros(len(first))
            return lambda s, rate: (float(signal), none, none), first
        if isinstance(signal, Table):
            return self._table(signal, own)
        if isinstance(signal, Expression):
            return self._expression(signal, own)
        raise Unsupported("a Python function")

    def _table(self, table: Table, own: Argument | None) -> tuple[Callable, tuple[Argument, ...]]:
        """Straight lines between the points, the end pieces go on."""
        if table.of is None and own is None:
            raise Unsupported("a table over time")
        inner, arguments = self._expression(Expression.symbol("s") if table.of is None else table.of, own)
        x, y = table.x, table.y

        def evaluate(s: np.ndarray, rate: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
            value, by_s, by_rate = inner(s, rate)
            piece = int(np.clip(np.searchsorted(x, value) - 1, 0, len(x) - 2))
            slope = (y[piece + 1] - y[piece]) / (x[piece + 1] - x[piece])
            return y[piece] + slope * (value - x[piece]), slope * by_s, slope * by_rate

        return evaluate, arguments

    def _expression(self, expression: Expression, own: Argument | None) -> tuple[Callable, tuple[Argument, ...]]:
        expression = self._closed(expression)
        constants = {"t": self.place.t, **self.inputs}
        bases = sorted({name.rstrip("'") for name in expression.names} - constants.keys())
        wanted = [own if name in ("s", "v") and own is not None else self.argument(name) for name in bases]
        slots = {name: k + (own is not None) for k, name in enumerate(bases)}
        slopes = {name: expression.derivative(name) for name in expression.names if name not in constants}
        arguments = tuple(a for a in (own, *wanted) if a is not None)

        def evaluate(s: np.ndarray, rate: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
            env: dict[str, float] = dict(constants)
            for name in slopes:
                source = rate if name.endswith("'") or (name == "v" and own is not None) else s
                env[name] = source[slots[name.rstrip("'")]]
            by_s, by_rate = np.zeros(len(s)), np.zeros(len(s))
            for name, slope in slopes.items():
                target = by_rate if name.endswith("'") or (name == "v" and own is not None) else by_s
                target[slots[name.rstrip("'")]] += float(np.real(slope.evaluate(env)))
            return float(np.real(expression.evaluate(env))), by_s, by_rate

        return evaluate, arguments

    def _closed(self, expression: Expression) -> Expression:
        """Variables replaced by what they stand for."""
        for _ in range(len(self.variables) + 1):
            known: Mapping = {name: self.variables[name] for name in expression.names if name in self.variables}
            if not known:
                return expression
            if not all(isinstance(value, Expression | float | int) for value in known.values()):
                raise Unsupported("a variable given by a table or a function")
            expression = expression.substitute(known)
        return expression


def _constant(value: Signal) -> float:
    if isinstance(value, Expression) and not value.names:
        value = value.evaluate({})
    if not isinstance(value, float | int):
        raise Unsupported("friction that follows an expression")
    return float(value)


def _linear(
    channels: tuple[Measure, ...], arguments: tuple[Argument, ...], k: np.ndarray, c: np.ndarray, free: np.ndarray
) -> Law:
    return Law(channels, arguments, lambda s, rate: (k @ (s - free) + c @ rate, k, c))


def _sum(one: Law, other: Law) -> Law:
    """Two laws along the same channel."""
    count = len(one.arguments)

    def tension(s: np.ndarray, rate: np.ndarray) -> Tension:
        a, a_s, a_r = one.tension(s[:count], rate[:count])
        b, b_s, b_r = other.tension(s[count:], rate[count:])
        return a + b, np.hstack((a_s, b_s)), np.hstack((a_r, b_r))

    return Law(one.channels, (*one.arguments, *other.arguments), tension)
