"""What a force type is, and the builder through which it tells the engine what acts along which measure.

Everything that pushes acts along channels: channel i has a measure s_i and a tension f_i, and Q = -sum_i f_i ds_i/dq.
A positive tension pulls its measure shorter.

    f_i = sum_j k_ij (s_j - s0_j) + c_ij s_j'  +  signals (expressions, tables, constants)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from eigenbody.elements.measures.templates import Kernel
from eigenbody.elements.places import Places
from eigenbody.model.description import Entry, Signal
from eigenbody.model.vocabulary import TypeSpec


@dataclass(frozen=True, slots=True)
class SignalForce:
    """f[channel] += factor * signal, in which `own.s` and `own.v` mean the channel's deflection and its rate; so do `s`
    and `v` where it is along a measure that the user knows."""

    channel: int
    factor: float
    signal: Signal
    owner: int
    free: float = 0.0  # s = measure - free
    is_along: bool = True


@dataclass(frozen=True, slots=True)
class InnerState:
    """A first-order state that an element brings along. Its rate, and the element's signals, know it as `own.local`."""

    local: str
    initial: float
    rate: Signal
    owner: int
    channel: int
    free: float = 0.0
    unit: str = ""  # "s": that of the channel's measure


@dataclass(frozen=True, slots=True)
class LocalName:
    """`own.local` inside one element: the value ("s") or the rate ("v") of one of its channels."""

    local: str
    kind: str
    channel: int
    owner: int


@dataclass(frozen=True, slots=True, eq=False)
class Coupling:
    """n entries f_i += k (s_j - s0) + c s_j', each accounted to a force entry."""

    i: np.ndarray
    j: np.ndarray
    k: np.ndarray
    c: np.ndarray
    s0: np.ndarray
    owner: np.ndarray

    @staticmethod
    def concatenate(parts: Sequence[Coupling]) -> Coupling:
        if not parts:
            whole, real = np.zeros(0, dtype=int), np.zeros(0)
            return Coupling(whole, whole, real, real, real, whole)
        return Coupling(*(np.concatenate([getattr(p, name) for p in parts]) for name in Coupling.__slots__))


@dataclass(frozen=True, slots=True)
class Stop:
    """An element that acts on one side only: closed where side * (s - gap) > 0."""

    name: str
    channel: int
    side: int
    gap: float
    is_sharp: bool = True  # its stiffness jumps at the gap


@dataclass(slots=True, eq=False)
class ForceBuilder:
    """Collects channels, linear couplings and signals of all forces."""

    places: Places
    kernels: list[tuple[Kernel, np.ndarray]] = field(default_factory=list)  # private measures and their channels
    named: dict[str, int] = field(default_factory=dict)  # channels on named measures
    count: int = 0
    linear: list[Coupling] = field(default_factory=list)
    signals: list[SignalForce] = field(default_factory=list)
    states: list[InnerState] = field(default_factory=list)
    locals: list[LocalName] = field(default_factory=list)
    troubles: dict[int, tuple[str, str]] = field(default_factory=dict)  # by owner
    stops: list[Stop] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    owners: list[str] = field(default_factory=list)  # names of force entries; laws refer to them by number
    _numbers: dict[str, int] = field(default_factory=dict)

    def own(self, names: Sequence[str]) -> np.ndarray:
        """Register force entries; the numbers under which their shares are accounted."""
        start = len(self.owners)
        self.owners.extend(names)
        self._numbers.update({name: start + i for i, name in enumerate(names)})
        return np.arange(start, len(self.owners))

    def private(self, kernel: Kernel) -> np.ndarray:
        """New channels along the n measures of a kernel."""
        n = len(kernel.carriers)
        channels = np.arange(self.count, self.count + n)
        self.count += n
        self.kernels.append((kernel, channels))
        return channels

    def along(self, names: Sequence[str]) -> np.ndarray:
        """Channels along named measures; one channel per measure however many forces act along it."""
        for name in names:
            if name not in self.named:
                self.named[name] = self.count
                self.count += 1
        return np.array([self.named[name] for name in names], dtype=int)

    def couple(
        self,
        i: np.ndarray,
        j: np.ndarray,
        k: np.ndarray,
        c: np.ndarray,
        owner: np.ndarray,
        s0: np.ndarray | None = None,
    ) -> None:
        """f_i += k_ij (s_j - s0_j) + c_ij s_j'. Several may act along one measure, each with its own free value."""
        self.linear.append(Coupling(i, j, k, c, np.zeros_like(k) if s0 is None else s0, owner))

    def characteristic(
        self, channel: int, factor: float, signal: Signal, name: str, free: float = 0.0, is_along: bool = True
    ) -> None:
        """Add a signal to the tension of a channel; `is_along` says that its `s` and `v` are those of the channel."""
        self.signals.append(SignalForce(channel, factor, signal, self.number(name), free, is_along))

    def state(
        self, local: str, initial: float, rate: Signal, channel: int, name: str, free: float = 0.0, unit: str = ""
    ) -> None:
        """Give the element `name` a first-order state of its own; the unit "s" is that of the channel's measure."""
        self.states.append(InnerState(local, initial, rate, self.number(name), channel, free, unit))

    def call(self, local: str, kind: str, channel: int, name: str) -> None:
        """Let the formulas of the element `name` call the value ("s") or rate ("v") of a channel `own.local`."""
        self.locals.append(LocalName(local, kind, channel, self.number(name)))

    def trouble(self, name: str, what: str, remedy: str) -> None:
        """What to say when a formula of the element `name` has no value at a state."""
        self.troubles[self.number(name)] = (what, remedy)

    def stop(self, channel: int, side: int, gap: float, name: str, is_sharp: bool = True) -> None:
        """Declare that the element acts only where side * (s - gap) > 0: its state of contact is reported."""
        self.stops.append(Stop(name, channel, side, gap, is_sharp))

    def number(self, name: str) -> int:
        """Number of a registered force entry."""
        return self._numbers[name]


@dataclass(frozen=True, slots=True)
class ForceType:
    """A type of the `forces` section: its keys and how a batch of its entries becomes channels and laws."""

    spec: TypeSpec
    build: Callable[[Sequence[Entry], ForceBuilder], None]


def column(entries: Sequence[Entry], key: str, default: float = 0.0) -> np.ndarray:
    """A numeric key of many entries as one array (complex if any is)."""
    return np.array([entry.get(key, default) for entry in entries])
