"""Force laws read from the description: along which channels they pull, and with what tension.

A tension is positive when it pulls its channel shorter: the bodies feel -tension times the channel's gradient.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from eigenbody.model.description import Description, Entry, Signal
from eigenbody.model.expressions import Expression
from eigenbody.routes.base import Unsupported
from eigenbody.routes.relative.beams import beam
from eigenbody.routes.relative.measures import Channel, Component, Cosine, Distance, Measure, SmallRotation
from eigenbody.routes.relative.named import X, Y, Z, coordinate
from eigenbody.routes.relative.sides import Drawing
from eigenbody.routes.relative.signals import Reader, Reading, combined
from eigenbody.routes.relative.wheels import tyre, wheel_rail


@dataclass(frozen=True)
class Pull:
    """A tension along a channel."""

    channel: Channel
    tension: Reading


@dataclass(frozen=True)
class Own:
    """The measure along which an element acts: its deflection and rate."""

    measure: Measure
    s: Reading
    v: Reading

    def less(self, free: float) -> Own:
        """With the deflection counted from another value."""
        return Own(self.measure, combined(lambda s: s - free, self.s), self.v)

    @property
    def names(self) -> dict[str, Reading]:
        """What signals of the element call them."""
        return {"s": self.s, "v": self.v}


class Laws:
    """Reads the forces and inputs of a description."""

    def __init__(self, drawing: Drawing, reader: Reader) -> None:
        self.drawing, self.reader = drawing, reader
        self._along: dict[str, Callable[[Entry, Own], Reading]] = {
            "spring": self._spring, "damper": self._spring, "expression": self._push, "actuator": self._push,
            "friction": self._friction, "one_sided": self._one_sided, "backlash": self._backlash,
            "maxwell": self._maxwell, "motor": self._motor, "dc_motor": self._dc_motor,
        }  # fmt: skip

    def all(self) -> list[Pull]:
        """Every force and every input."""
        description: Description = self.drawing.description
        pulls = [pull for entry in description.forces for pull in self.force(entry)]
        return [*pulls, *(pull for entry in description.inputs for pull in self._input(entry))]

    def force(self, entry: Entry) -> Iterator[Pull]:
        """The tensions of one entry of `forces`."""
        if entry.type in self._along:
            own = self._own(entry)
            yield Pull(own.measure, self._along[entry.type](entry, own))
        elif entry.type in ("bushing", "bearing"):
            yield from self._six(entry)
        elif entry.type == "rotational_damper":
            for turn in (SmallRotation(*self.drawing.sides(entry), k) for k in (X, Y, Z)):
                yield Pull(turn, _scaled(entry["c"], Reading.of("rate", self.reader.speed(turn))))
        elif entry.type == "beam":
            yield from self._beam(entry)
        elif entry.type in ("force", "torque"):
            channels = self._components(entry, entry.type == "torque")
            none = {"s": Reading.constant(0.0), "v": Reading.constant(0.0)}  # a load has no deflection
            for channel, signal in zip(channels, entry["value"], strict=True):
                yield Pull(channel, _scaled(-1.0, self.reader.read(signal, none)))
        elif entry.type in ("tyre", "wheel_rail"):
            law = tyre if entry.type == "tyre" else wheel_rail
            yield from (Pull(*pull) for pull in law(entry, self.drawing, self.reader))
        else:
            raise Unsupported(f'the {entry.type} "{entry.name}"')

    # ---- along one measure

    def _own(self, entry: Entry) -> Own:
        if entry.get("along") is not None:
            number = self.reader.gauge(entry["along"])
        else:
            number = self.reader.own_gauge(Distance(*self.drawing.sides(entry)))
        measure: Measure = self.reader.gauges[number].measure  # type: ignore[assignment]
        return Own(measure, Reading.of("s", number), Reading.of("rate", number))

    def _read(self, value: Signal, own: Own) -> Reading:
        return self.reader.read(value, own.names)

    def _spring(self, entry: Entry, own: Own) -> Reading:
        k, c = entry.get("k", 0.0), entry.get("c", 0.0)
        own = own.less(entry.get("free", entry.get("free_length", 0.0)))
        linear = combined(lambda s, v: k * s + c * v, own.s, own.v)
        if entry.get("force") is None:
            return linear
        return combined(lambda a, b: a + b, linear, self._read(entry["force"], own))

    def _push(self, entry: Entry, own: Own) -> Reading:
        return _scaled(-1.0, self._read(entry["value"], own))

    def _friction(self, entry: Entry, own: Own) -> Reading:
        """[Fc + (Fs - Fc) exp(-(v/vs)^2)] tanh(v/vt) + c v."""
        transition, viscous = entry["transition"], entry.get("viscous", 0.0)
        stribeck = entry.get("stribeck", 10 * transition)
        coulomb = self._read(entry["coulomb"], own)
        static = coulomb if entry.get("static") is None else self._read(entry["static"], own)

        def tension(v: complex, sliding: complex, breakaway: complex) -> complex:
            size = sliding + (breakaway - sliding) * np.exp(-((v / stribeck) ** 2))
            return size * np.tanh(v / transition) + viscous * v

        return combined(tension, own.v, coulomb, static)

    def _one_sided(self, entry: Entry, own: Own) -> Reading:
        return _stop(entry, own, 1.0 if entry["side"] == "above" else -1.0, entry["gap"])

    def _backlash(self, entry: Entry, own: Own) -> Reading:
        """Nothing inside the play, a stop at either end."""
        centre, half = entry.get("centre", 0.0), entry["gap"] / 2
        ends = (_stop(entry, own, side, centre + side * half) for side in (1.0, -1.0))
        return combined(lambda a, b: a + b, *ends)

    def _maxwell(self, entry: Entry, own: Own) -> Reading:
        """A spring in series with a damper, whose deflection is the state x: k (s - x) = c x'."""
        k, c = entry["k"], entry["c"]
        own = own.less(entry.get("free_length", 0.0) if entry.get("along") is None else entry.get("free", 0.0))
        tension = combined(lambda s, x: k * (s - x), own.s, self.reader.state(f"{entry.name}.x"))
        self.reader.rates[f"{entry.name}.x"] = _scaled(1 / c, tension)
        return tension

    def _motor(self, entry: Entry, own: Own) -> Reading:
        """A curve over the speed; it pushes."""
        return _scaled(-1.0, self._read(entry["curve"], own))

    def _dc_motor(self, entry: Entry, own: Own) -> Reading:
        """L i' = u - R i - K v, and K i pushes."""
        R, L, K = entry["R"], entry["L"], entry["K"]
        i, voltage = self.reader.state(f"{entry.name}.i"), self._read(entry.get("voltage", 0.0), own)
        rate = combined(lambda u, i, v: (u - R * i - K * v) / L, voltage, i, own.v)
        self.reader.rates[f"{entry.name}.i"] = rate
        return _scaled(-K, i)

    # ---- six deflections

    def _six(self, entry: Entry) -> Iterator[Pull]:
        first, second = self.drawing.sides(entry)
        shift = [coordinate(first, second, label) for label in "xyz"]
        if entry.type == "bushing":
            turn: list[Measure] = [coordinate(first, second, label) for label in ("rx", "ry", "rz")]
        else:  # z1 x z2 about x and y of the first frame
            z = second.axes[:, Z]
            i, j = first.carrier, second.carrier
            turn = [Cosine(i, j, -first.axes[:, Y], z), Cosine(i, j, first.axes[:, X], z)]
        measures = (*shift, *turn)
        count = len(measures)
        none = np.zeros((6, 6))
        k, c = (none if entry.get(key) is None else entry[key] for key in ("k", "c"))
        numbers = [self.reader.own_gauge(measure) for measure in measures]
        parts = [Reading.of(what, number) for what in ("s", "rate") for number in numbers]
        load = (*(entry.get("load") if entry.get("load") is not None else np.zeros(3)), 0.0, 0.0, 0.0)
        for row, measure in enumerate(measures):
            factors = [*k[row][:count], *c[row][:count]]
            pull = [_linear(np.array([0.0 if isinstance(f, Expression) else f for f in factors]), parts)]
            pull += [
                combined(lambda f, part: f * part, self.reader.read(factor), part)
                for factor, part in zip(factors, parts, strict=True)
                if isinstance(factor, Expression)
            ]
            pull += [Reading.constant(-load[row])]
            yield Pull(measure, combined(lambda *terms: sum(terms), *pull))

    def _beam(self, entry: Entry) -> Iterator[Pull]:
        for measure, k, c, free in beam(entry, self.drawing):
            number = self.reader.own_gauge(measure)
            parts = (Reading.of("s", number, free), Reading.of("rate", number))
            yield Pull(measure, _linear(np.array((k, c)), parts))

    # ---- forces on one body

    def _components(self, entry: Entry, is_torque: bool) -> list[Component]:
        """The three axes of a load: of ground, of the body, or of the marker that it acts at."""
        side = self.drawing.side(entry["body"], self._point(entry))
        turns = entry.get("axes", "ground") == "body"
        is_marker = entry["body"] in self.drawing.description.markers
        axes = side.axes if turns and is_marker else np.eye(3)
        return [Component(side, axes[:, k], turns, is_torque) for k in range(3)]

    def _point(self, entry: Entry) -> np.ndarray | None:
        at = entry.get("at")
        if at is None or entry.get("frame") != "body":
            return at
        carrier = self.drawing.carrier(entry["body"])
        return self.drawing.r[carrier] + self.drawing.R[carrier] @ at

    def _input(self, entry: Entry) -> Iterator[Pull]:
        """An input is a push of constant size."""
        value = self.reader.read(Expression.symbol(entry.name))
        if entry.get("along") is not None:
            number = self.reader.gauge(entry["along"])
            yield Pull(self.reader.gauges[number].measure, _scaled(-1.0, value))
        elif entry.get("body") is not None:
            direction = entry["direction"] / np.linalg.norm(entry["direction"])
            for part, channel in zip(direction, self._components(entry, bool(entry.get("torque"))), strict=True):
                yield Pull(channel, _scaled(-part, value))


def _scaled(factor: float, reading: Reading) -> Reading:
    return combined(lambda value: factor * value, reading)


def _linear(factors: np.ndarray, parts: Sequence[Reading]) -> Reading:
    """sum factor_k part_k, without the zero ones."""
    used = [(factor, part) for factor, part in zip(factors, parts, strict=True) if factor]
    sizes = [factor for factor, _ in used]
    return combined(lambda *values: sum(f * v for f, v in zip(sizes, values, strict=True)), *(part for _, part in used))


def _stop(entry: Entry, own: Own, side: float, gap: float) -> Reading:
    """A spring that acts where side (s - gap) > 0: side k d^n + c v; `smooth` rounds the corner over that width."""
    k, c, n = entry["k"], entry.get("c", 0.0), entry.get("exponent", 1.0)
    width = entry.get("smooth", 0.0)

    def tension(s: complex, v: complex) -> complex:
        depth = side * (s - gap)
        if width:
            far = np.sqrt(depth**2 + width**2)
            depth, contact = (depth + far) / 2, (1 + depth / far) / 2
        else:
            contact = 1.0 if np.real(depth) > 0 else 0.0
            depth = contact * depth
        return side * k * depth**n + c * v * contact

    return combined(tension, own.s, own.v)
