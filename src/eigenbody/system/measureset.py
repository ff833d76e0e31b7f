"""An ordered set of measures, stored as batches of like kernels and read as one array in set order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

import numpy as np

from eigenbody.base.batched import arrays_in, holds_variants, is_varying
from eigenbody.elements.measures.compose import Composed, ComposedJet
from eigenbody.elements.measures.features import Carriers, ScalarProduct, ScalarProductJet
from eigenbody.elements.measures.rotation import RotationComponent
from eigenbody.elements.measures.templates import Jet, Kernel

Placed = tuple[Kernel, np.ndarray]  # a kernel and the positions of its measures in the set
MANY = 30_000  # measures from which on their jets are not kept, and merged some at a time
AT_A_TIME = 4096  # of these: what is computed of them stays in the cache of the processor
GEOMETRIC = (ScalarProduct, Composed, RotationComponent)  # change only as carriers move; others may hold a speed


@dataclass(frozen=True, slots=True, eq=False)
class MeasureSet:
    """n measures; `columns` (n, width) are their velocity coordinates, `unused` where a carrier has none.

    `turn_counter` (n,) points into the state's count of full turns, -1 for measures that do not count.
    """

    count: int
    batches: tuple[Placed, ...]
    columns: np.ndarray
    turn_counter: np.ndarray

    def jet(self, at: Carriers, turns: np.ndarray) -> SetJet:
        return SetJet(self, at, turns)

    def subset(self, index: np.ndarray) -> list[Placed]:
        """The chosen measures as placed kernels, positions counted along `index`."""
        where = np.full(self.count, -1)
        where[index] = np.arange(len(index))
        out = []
        for kernel, positions in self.batches:
            place = where[positions]
            chosen = (place >= 0).nonzero()[0]
            if len(chosen) == len(positions):
                out.append((kernel, place))
            elif len(chosen):
                out.append((kernel.take(chosen), place[chosen]))
        return out


def counts_turns(kernel: Kernel) -> bool:
    """Whether the value of the kernel's measures is known up to full turns only."""
    return isinstance(kernel, Composed) and kernel.outer.counts_turns


def merge(placed: Iterable[Placed], count: int, dof: np.ndarray, counter: np.ndarray | None = None) -> MeasureSet:
    """Join kernels of the same kind; `dof` (carriers, 6) gives the columns of each carrier."""
    groups: dict[tuple[object, ...], list[Placed]] = {}
    for kernel, positions in placed:
        groups.setdefault(kernel.key, []).append((kernel, positions))
    batches = []
    for members in groups.values():
        if len(members) == 1:
            batches.append(members[0])
            continue
        kernels = [kernel for kernel, _ in members]
        joined = type(kernels[0]).concatenate(kernels)
        batches.append((joined, np.concatenate([positions for _, positions in members])))
    width = 6 * max((kernel.carriers.shape[-1] for kernel, _ in batches), default=2)
    unused = dof.max(initial=-1) + 1
    columns = np.full((count, width), unused)
    of_carriers = np.where(dof < 0, unused, dof) if batches else dof
    for kernel, positions in batches:
        own = of_carriers[kernel.carriers].reshape(len(positions), -1)
        columns[positions, : own.shape[1]] = own
    if counter is None:
        counter = np.full(count, -1)
    return MeasureSet(count, tuple(batches), columns, counter)


def as_variations(measures: MeasureSet) -> MeasureSet:
    """The same set with small rotations in place of components of rotation vectors."""
    batches = tuple(
        (kernel.as_variation() if isinstance(kernel, RotationComponent) else kernel, positions)
        for kernel, positions in measures.batches
    )
    return MeasureSet(measures.count, batches, measures.columns, measures.turn_counter)


def exchanged(measures: MeasureSet, others: MeasureSet, index: np.ndarray, dof: np.ndarray) -> MeasureSet:
    """The set with the measures of another, counted likewise, in the places `index`."""
    kept = np.setdiff1d(np.arange(measures.count), index)
    parts = ((measures, kept), (others, index))
    placed = [(kernel, own[positions]) for source, own in parts for kernel, positions in source.subset(own)]
    return merge(placed, measures.count, dof, measures.turn_counter)


def apart(measures: MeasureSet) -> MeasureSet:
    """The same set with the measures that vary in kernels of their own: the others are evaluated once for all variants
    (base/batched.py)."""
    parts = [part for kernel, positions in measures.batches for part in _apart(kernel, positions)]
    return replace(measures, batches=tuple(parts))


def _apart(kernel: Kernel, positions: np.ndarray) -> list[Placed]:
    varies = np.zeros(len(positions), dtype=bool)
    for array in arrays_in(kernel):
        if holds_variants(array) and len(array) == len(varies):
            varies |= is_varying(array).reshape(len(varies), -1).any(axis=1)
    if varies.all() or not varies.any():
        return [(kernel, positions)]
    return [(kernel.take(np.flatnonzero(own)), positions[own]) for own in (varies, ~varies)]


class _Merging:
    """One attribute of all measures, put together from parts whose last `axes` axes run over the columns; as many
    leading axes and as wide a type as the widest part has."""

    def __init__(self, measures: MeasureSet, at: Carriers, axes: int) -> None:
        self._axes, self._lead = axes, at.r.shape[:-2]
        self.merged = np.zeros((*self._lead, measures.count, *((measures.columns.shape[1],) * axes)))

    def put(self, part: np.ndarray, positions: np.ndarray) -> None:
        """Place the measures of a part."""
        out = self.merged
        is_wider = part.dtype != out.dtype and np.promote_types(part.dtype, out.dtype) != out.dtype
        if is_wider or part.ndim > out.ndim or part.shape[: -1 - self._axes] not in ((), self._lead):
            self._lead = np.broadcast_shapes(self._lead, part.shape[: part.ndim - 1 - self._axes])
            shape = (*self._lead, *out.shape[out.ndim - 1 - self._axes :])
            out = self.merged = np.array(np.broadcast_to(out, shape), dtype=np.result_type(out, part))
        if self._axes == 0:
            out[..., positions] = part
        elif self._axes == 1:
            out[..., positions, : part.shape[-1]] = part
        else:
            out[..., positions, : part.shape[-1], : part.shape[-1]] = part


@dataclass(slots=True, eq=False)
class SetJet:
    """All measures of a set at a state; arrays are merged on first use."""

    measures: MeasureSet
    at: Carriers
    turns: np.ndarray
    same: SetJet | None = None  # in the same state, whatever accelerates: what it has evaluated serves here too
    jets: list[tuple[Jet, np.ndarray]] = field(init=False)  # and the positions of their measures in the set
    _cache: dict[str, np.ndarray] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        self.jets = []
        if self.measures.count > MANY:
            return
        if self.same is None:
            self.jets = [(kernel.jet(self.at), positions) for kernel, positions in self.measures.batches]
        else:
            pairs = zip(self.measures.batches, self.same.jets, strict=True)
            self.jets = [(_accelerated(jet, kernel, self.at), own) for (kernel, own), (jet, _) in pairs]

    def accelerated(self, at: Carriers) -> SetJet:
        """The same measures in the same state with other accelerations."""
        return SetJet(self.measures, at, self.turns, self)

    def parts(self) -> Iterator[tuple[Jet, np.ndarray]]:
        """Jets of like measures and their positions; of many measures some at a time, made for this pass only."""
        if self.measures.count <= MANY:
            yield from self.jets
            return
        for kernel, positions in self.measures.batches:
            repeats = getattr(kernel, "repeats", 1)  # components of one rotation stay together
            count = len(positions) // repeats
            for first in range(0, count, AT_A_TIME):
                one = np.arange(first, min(first + AT_A_TIME, count))
                own = (one + count * np.arange(repeats)[:, None]).ravel()
                yield kernel.take(own).jet(self.at), positions[own]

    def merged(self, what: str, axes: int) -> np.ndarray:
        """Merge an attribute whose last `axes` axes run over the columns; with the gradient of many measures their
        values, which it is made of."""
        if what in self._cache:
            return self._cache[what]
        if self.same is not None and not what.startswith("acceleration"):
            return self.same.merged(what, axes)
        wanted = {what: axes} if what != "gradient" or self.measures.count <= MANY else {"value": 0, what: axes}
        found = {name: _Merging(self.measures, self.at, count) for name, count in wanted.items()}
        for jet, positions in self.parts():
            for name, out in found.items():
                out.put(getattr(jet, name), positions)
        self._cache |= {name: out.merged for name, out in found.items() if name not in self._cache}
        return self._cache[what]

    @property
    def value(self) -> np.ndarray:
        raw = self.merged("value", 0)
        counter = self.measures.turn_counter
        if not (counter >= 0).any():
            return raw
        return raw + np.where(counter >= 0, 2 * np.pi * self.turns[..., np.maximum(counter, 0)], 0.0)

    def _rests(self) -> bool:
        """Whether no carrier moves, and measures with them."""
        is_plain = self.at.v.ndim == 2 and not self.at.moves
        return is_plain and all(isinstance(kernel, GEOMETRIC) for kernel, _ in self.measures.batches)

    @property
    def rate(self) -> np.ndarray:
        return np.zeros(self.measures.count) if self._rests() else self.merged("rate", 0)

    @property
    def acceleration(self) -> np.ndarray:
        if self._rests() and not self.at.accelerates:
            return np.zeros(self.measures.count)
        return self.merged("acceleration", 0)

    @property
    def gradient(self) -> np.ndarray:
        return self.merged("gradient", 1)

    @property
    def turned(self) -> np.ndarray:
        """Imaginary parts of the gradient as large as they are before they cancel, (..., n): the largest of a summand
        where a measure is made of several."""
        out = np.abs(self.gradient.imag).max(axis=-1, initial=0.0)
        for jet, positions in self.parts():
            summands = getattr(jet, "summands", None)
            if summands is not None:
                largest = np.abs(np.imag(summands)).max(axis=(-2, -1))
                out[..., positions] = np.maximum(out[..., positions], largest)
        return out

    @property
    def rate_q(self) -> np.ndarray:
        return self.merged("rate_q", 1)

    @property
    def acceleration_q(self) -> np.ndarray:
        return self.merged("acceleration_q", 1)

    @property
    def acceleration_u(self) -> np.ndarray:
        return self.merged("acceleration_u", 1)

    @property
    def curvature(self) -> np.ndarray:
        return self.merged("curvature", 2)

    def by_kind(self, what: str) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """An attribute (..., k, w, ...) of like measures and their positions (k,) in the set, kind by kind."""
        source = self if self.same is None or what.startswith("acceleration") else self.same
        return ((getattr(jet, what), positions) for jet, positions in source.parts())


def _accelerated(jet: Jet, kernel: Kernel, at: Carriers) -> Jet:
    return jet.accelerated(at) if isinstance(jet, ScalarProductJet | ComposedJet) else kernel.jet(at)
