"""Signals as functions of measures, their rates and first-order states: numbers, expressions, tables, Python functions.

Everything takes complex numbers, so that slopes are complex steps. A Python function is not asked to: it is
differentiated by differences extrapolated to step zero (Trom 1990, Sec. 3.2.3 leaves user forces to differences, too),
whatever derivative it brings along.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from eigenbody.model.description import Description, Entry, Function, Signal
from eigenbody.model.expressions import Expression
from eigenbody.routes.base import Place, Unsupported
from eigenbody.routes.relative.blocks import LinearBlock, read_block
from eigenbody.routes.relative.measures import Channel, Measure, Pose
from eigenbody.routes.relative.named import Names

STEP = 1e-40  # of complex steps
FIRST, HALVINGS = 0.05, 12  # step of differences relative to max(1, |x|), and how often it is halved


@dataclass(frozen=True)
class Gauge:
    """A measure with what its value lacks here: turns counted, zero in the drawing. A speed has no value: zero."""

    measure: Channel
    here: float = 0.0  # value at the operating point
    raw: complex | None = None  # what the measure itself says there; None: nothing
    counts_turns: bool = False

    def value(self, pose: Pose) -> complex:
        """Value at a configuration near to the operating point."""
        if self.raw is None:
            return self.here
        change = self.measure.value(pose) - self.raw  # type: ignore[attr-defined]
        if self.counts_turns:
            change = change - 2 * np.pi * np.round(np.real(change) / (2 * np.pi))
        return self.here + change


@dataclass(frozen=True, eq=False)
class Now:
    """Values and rates of all gauges, first-order states, and the rates w of those that are given implicitly."""

    s: np.ndarray
    rate: np.ndarray
    x: np.ndarray
    w: np.ndarray


@dataclass(frozen=True)
class Reading:
    """A scalar as a function of what is now, and the numbers of what it depends on in each of the arrays of `Now`."""

    value: Callable[[Now], Any] = field(repr=False)
    uses: Mapping[str, frozenset[int]] = field(default_factory=dict)

    @staticmethod
    def of(what: str, number: int, offset: float = 0.0) -> Reading:
        """One entry of an array of `Now`, less an offset."""
        return Reading(lambda now: getattr(now, what)[number] - offset, {what: frozenset((number,))})

    @staticmethod
    def constant(value: float) -> Reading:
        return Reading(lambda now: value)


def combined(formula: Callable[..., Any], *parts: Reading) -> Reading:
    """A formula of other readings."""
    uses = {
        what: frozenset().union(*(part.uses.get(what, frozenset()) for part in parts))
        for what in ("s", "rate", "x", "w")
    }
    return Reading(lambda now: formula(*(part.value(now) for part in parts)), uses)


def slopes(reading: Reading, now: Now, what: str) -> np.ndarray:
    """Derivatives by one of the arrays of `Now`, by complex steps."""
    base = getattr(now, what)
    out = np.zeros(len(base))
    for number in reading.uses.get(what, ()):
        ahead = base.astype(complex)
        ahead[number] += 1j * STEP
        out[number] = np.imag(reading.value(replace(now, **{what: ahead}))) / STEP
    return out


class Reader:
    """Knows what every name means; collects the gauges that are asked for and the rates of all first-order states."""

    def __init__(self, description: Description, names: Names, place: Place, pose: Pose) -> None:
        self.names, self.place, self.pose = names, place, pose
        self.gauges: list[Gauge] = []
        self.rates: dict[str, Reading] = {}
        self.residuals: dict[str, Reading] = {}
        self._numbers: dict[str, int] = {}
        self._states = {name: k for k, name in enumerate(place.states)}
        self._inputs = {entry.name: float(place.inputs[k]) for k, entry in enumerate(description.inputs)}
        self._blocks = {entry.name: read_block(entry) for entry in description.blocks}
        own = [entry for entry in description.states if entry.name.partition(".")[0] not in self._blocks]
        self._variables: dict[str, Entry] = {
            entry.name: entry for entry in description.variables if entry.name.partition(".")[0] not in self._blocks
        }
        self._outputs: dict[str, tuple[LinearBlock, int]] = {
            f"{name}.{label}" if label else name: (block, k)
            for name, block in self._blocks.items()
            for k, label in enumerate(block.outputs)
        }
        self._read_states(own)

    # ---- what a reading may depend on

    def gauge(self, name: str) -> int:
        """Number of the gauge of a named measure."""
        if name not in self._numbers:
            measure = self._measure(name)
            raw = measure.value(self.pose)
            here = self.place.coordinates.get(name, raw)
            self._numbers[name] = self._added(Gauge(measure, float(np.real(here)), raw, _turns(measure)))
        return self._numbers[name]

    def own_gauge(self, measure: Measure) -> int:
        """Number of a gauge that one element has for itself."""
        raw = measure.value(self.pose)
        return self._added(Gauge(measure, float(np.real(raw)), raw, _turns(measure)))

    def speed(self, channel: Channel) -> int:
        """Number of a gauge that has a rate alone."""
        return self._added(Gauge(channel))

    def state(self, name: str) -> Reading:
        """A first-order state."""
        if name not in self._states:
            raise Unsupported(f'the state "{name}", whose value is not told')
        return Reading.of("x", self._states[name])

    def ordered_rates(self) -> list[Reading | None]:
        """Rates of the states in their order; None where it is given implicitly."""
        for name in self._states:
            if name not in self.rates and name not in self.residuals:
                raise Unsupported(f'the state "{name}"')
        return [self.rates.get(name) for name in self._states]

    def _added(self, gauge: Gauge) -> int:
        self.gauges.append(gauge)
        return len(self.gauges) - 1

    def _measure(self, name: str) -> Measure:
        try:
            return self.names.measure(name)
        except KeyError:
            raise Unsupported(f'"{name}" in an expression') from None

    # ---- signals

    def read(self, signal: Signal, own: Mapping[str, Reading] | None = None) -> Reading:
        """A signal; `own` are the names that mean something inside one element."""
        own = own or {}
        if isinstance(signal, Expression):
            names = tuple(sorted(signal.names))
            parts = [self._named(name, own) for name in names]
            return combined(lambda *values: signal.evaluate(dict(zip(names, values, strict=True))), *parts)
        if isinstance(signal, Function):
            parts = [self._named(name, own) for name in signal.of]
            return combined(lambda *values: called(signal.call, values), *parts)
        return Reading.constant(float(signal))

    def _named(self, name: str, own: Mapping[str, Reading]) -> Reading:
        if name in own:
            return own[name]
        if name == "t":
            return Reading.constant(self.place.t)
        if name in self._states:
            return self.state(name)
        if name in self._inputs:
            return Reading.constant(self._inputs[name])
        if name in self._variables:
            return self.read(self._variables[name]["value"])
        if name in self._outputs:
            return self._output(*self._outputs[name])
        plain = name.rstrip("'")
        if len(name) - len(plain) > 1:
            raise Unsupported(f'the second rate "{name}"')
        return Reading.of("s" if plain == name else "rate", self.gauge(plain))

    def _output(self, block: LinearBlock, number: int) -> Reading:
        return self._row(block, block.C[number], block.D[number])

    def _row(self, block: LinearBlock, by_state: np.ndarray, by_input: np.ndarray) -> Reading:
        """by_state . x + by_input . u of a block; what has no part is not asked for."""
        terms = [(c, self.state(name)) for c, name in zip(by_state, block.states, strict=True) if c]
        terms += [(c, self.read(signal)) for c, signal in zip(by_input, block.inputs, strict=True) if c]
        factors = [c for c, _ in terms]
        return combined(lambda *v: sum(c * x for c, x in zip(factors, v, strict=True)), *(part for _, part in terms))

    def _read_states(self, own: Sequence[Entry]) -> None:
        for entry in own:
            if entry.get("rate") is not None:
                self.rates[entry.name] = self.read(entry["rate"])
        implicit = [entry for entry in own if entry.get("rate") is None]
        rates = {f"{entry.name}'": Reading.of("w", self._states[entry.name]) for entry in implicit}
        for entry in implicit:
            self.residuals[entry.name] = self.read(entry["residual"], rates)
        for block in self._blocks.values():
            for k, name in enumerate(block.states):
                self.rates[name] = self._row(block, block.A[k], block.B[k])


def _turns(measure: Channel) -> bool:
    return bool(getattr(measure, "counts_turns", False))


def called(call: Callable[..., Any], values: Sequence[complex]) -> complex:
    """A Python function of real numbers; what is imaginary goes through its slopes."""
    real = [float(np.real(value)) for value in values]
    result: complex = float(call(*real))
    for k, value in enumerate(values):
        if np.imag(value):
            result += 1j * _slope(call, real, k) * np.imag(value)
    return result


def _slope(call: Callable[..., Any], at: list[float], k: int) -> float:
    """Central differences, the step halved, extrapolated by Neville's scheme; the entry that its neighbours confirm."""
    step = FIRST * max(1.0, abs(at[k]))
    best, error = 0.0, np.inf
    previous: list[float] = []
    for level in range(HALVINGS):
        ends = [float(call(*at[:k], at[k] + side * step, *at[k + 1 :])) for side in (1, -1)]
        rows = [(ends[0] - ends[1]) / (2 * step)]
        for order in range(level):
            rows.append(rows[order] + (rows[order] - previous[order]) / (4 ** (order + 1) - 1))
            doubt = max(abs(rows[-1] - rows[-2]), abs(rows[-1] - previous[order]))
            if doubt <= error:
                best, error = rows[-1], doubt
        step, previous = step / 2, rows
    return best
