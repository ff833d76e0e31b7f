"""Constraint rows at all levels: holonomic Phi with rate and acceleration, non-holonomic rows with theirs."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

import numpy as np

from eigenbody.elements.measures.features import Carriers
from eigenbody.numerics.matrices.assembly import Triplets, dense_vector
from eigenbody.system.arguments import Quantities
from eigenbody.system.measureset import MeasureSet, SetJet
from eigenbody.system.state import State
from eigenbody.system.system import Constraints, System


def prescribed(constraints: Constraints, t: float | complex, level: str) -> np.ndarray:
    """What motions ask of the rows at a time: "value", "rate" or "acceleration"."""
    shifts = constraints.shifts
    if not shifts:
        return np.zeros(constraints.count)
    empty = np.zeros(0)
    now = Quantities(empty, empty, empty, empty, t)
    values = [getattr(motion, level).value(now) for motion in shifts]
    many = any(np.ndim(value) for value in values)
    stacked = np.stack(np.broadcast_arrays(*values), axis=-1) if many else np.array(values)
    return dense_vector(np.array([motion.row for motion in shifts]), stacked, constraints.count)


class Holonomic:
    """Phi(q, t) = 0, G u + Phi_t = 0, G u' + gamma = 0 at one state (with its accelerations in `at`); `same` is in the
    same state, whatever accelerates."""

    def __init__(self, system: System, at: Carriers, state: State, same: Holonomic | None = None) -> None:
        self._c = system.constraints
        self._t = state.t
        self._same = same
        self.jet: SetJet = self._c.measures.jet(at, state.turns) if same is None else same.jet.accelerated(at)

    def _combine(self, values: np.ndarray) -> np.ndarray:
        """Measures (..., m) to rows (..., rows)."""
        c = self._c
        return dense_vector(c.row, c.coefficient * values[..., c.measure], c.count)

    def _prescribed(self, level: str) -> np.ndarray:
        return prescribed(self._c, self._t, level)

    @cached_property
    def value(self) -> np.ndarray:
        if self._same is not None:
            return self._same.value
        return self._combine(self.jet.value) - self._c.constant - self._prescribed("value")

    @cached_property
    def rate(self) -> np.ndarray:
        if self._same is not None:
            return self._same.rate
        return self._combine(self.jet.rate) - self._prescribed("rate")

    @cached_property
    def acceleration(self) -> np.ndarray:
        return self._combine(self.jet.acceleration) - self._prescribed("acceleration")

    def rows(self, what: str = "gradient") -> list[Triplets]:
        """Row derivatives as triplets: "gradient", "rate_q", "acceleration_q" or "acceleration_u"."""
        return self._gradient if what == "gradient" else self._derivative(what)

    @property
    def _are_measures(self) -> bool:
        """Whether the rows are the measures themselves, as those of joints are."""
        c = self._c
        return np.array_equal(c.measure, np.arange(c.measures.count)) and bool(np.all(c.coefficient == 1.0))

    @cached_property
    def _gradient(self) -> list[Triplets]:
        return self._derivative("gradient") if self._same is None else self._same.rows()

    def _derivative(self, what: str) -> list[Triplets]:
        c = self._c
        if self._are_measures:
            values = getattr(self.jet, what)
            if values.ndim == 2:
                return [Triplets.of_rows(c.row.astype(np.int32), c.measures.columns, values)]
            return [self._written(values, np.arange(c.measures.count))]
        return [self._written(values, positions) for values, positions in self.jet.by_kind(what)]

    def _written(self, values: np.ndarray, positions: np.ndarray) -> Triplets:
        """What measures (k,) whose derivatives are values (..., k, w) bring to the rows; of many variants, zeros of
        all are not written."""
        c = self._c
        place = np.full(c.measures.count, -1)
        place[positions] = np.arange(len(positions))
        own = place[c.measure]
        terms = np.flatnonzero(own >= 0)
        there = (values != 0).any(axis=tuple(range(values.ndim - 2))) if values.ndim > 2 else np.ones_like(values, bool)
        k, column = np.nonzero(there[own[terms]])
        term = terms[k]
        flat = values.reshape(*values.shape[:-2], -1)
        return Triplets(
            c.row[term],
            c.measures.columns[c.measure[term], column],
            c.coefficient.take(term, axis=-1) * flat.take(own[term] * values.shape[-1] + column, axis=-1),
        )

    def along_measures(self, multipliers: np.ndarray) -> np.ndarray:
        """Multipliers of rows (..., rows) to forces along measures, L^T lambda."""
        c = self._c
        return dense_vector(c.measure, c.coefficient * multipliers.take(c.row, axis=-1), c.measures.count)

    def force(self, multipliers: np.ndarray, nq: int) -> np.ndarray:
        """G^T lambda."""
        if not multipliers.any():
            return np.zeros((*self.jet.at.v.shape[:-2], nq))
        return pull_back(self._c.measures, self.jet.gradient, self.along_measures(multipliers), nq)

    def stiffness(self, multipliers: np.ndarray) -> list[Triplets]:
        """d(G^T lambda)/dq, the geometric stiffness of loaded joints (docs/theory/errata.md)."""
        return bent(self._c.measures, self.jet, self.along_measures(multipliers))


class NonHolonomic:
    """N u + b = 0, N u' + beta = 0."""

    def __init__(self, system: System, at: Carriers, state: State) -> None:
        self._set = system.slips
        self.jet: SetJet = self._set.jet(at, state.turns)

    @property
    def rate(self) -> np.ndarray:
        return self.jet.rate

    @property
    def acceleration(self) -> np.ndarray:
        return self.jet.acceleration

    def rows(self, what: str = "gradient") -> list[Triplets]:
        return [Triplets.of_rows(np.arange(self._set.count), self._set.columns, getattr(self.jet, what))]

    def force(self, multipliers: np.ndarray, nq: int) -> np.ndarray:
        """N^T mu."""
        return pull_back(self._set, self.jet.gradient, multipliers, nq)

    def stiffness(self, multipliers: np.ndarray) -> list[Triplets]:
        """d(N^T mu)/dq."""
        return bent(self._set, self.jet, multipliers)


def pull_back(measures: MeasureSet, gradient: np.ndarray, force: np.ndarray, nq: int) -> np.ndarray:
    """sum_m force_m gradient_m^T, (..., nq)."""
    values = gradient * force[..., None]
    return dense_vector(measures.columns.ravel(), values.reshape(*values.shape[:-2], -1), nq)


def somewhere_not_zero(values: np.ndarray) -> np.ndarray:
    """Which of values (..., n) are not zero throughout, as indices."""
    there = values != 0
    if values.ndim > 1:
        there = there.any(axis=tuple(range(values.ndim - 1)))
    return there.nonzero()[0]


def bent(measures: MeasureSet, jet: SetJet, force: np.ndarray) -> list[Triplets]:
    """sum_m force_m curvature_m as triplets, kind by kind."""
    if not force.any():
        return []
    kinds = jet.by_kind("curvature")
    return [part for own, positions in kinds for part in _bent_alike(measures, own, positions, force)]


def _bent_alike(
    measures: MeasureSet, curvature: np.ndarray, positions: np.ndarray, force: np.ndarray
) -> Iterator[Triplets]:
    """The same for measures of one kind; under many sets of forces only what is curved is written for each of them."""
    if force.ndim == 1:
        loaded = force[positions].nonzero()[0]
        if len(loaded):
            columns = measures.columns[positions[loaded], : curvature.shape[-1]]
            values = force[positions[loaded], None, None] * curvature[..., loaded, :, :]
            yield Triplets.of_blocks(columns, columns, values)
        return
    there = (curvature != 0).any(axis=tuple(range(curvature.ndim - 3)))
    m, a, b = np.nonzero(there)
    if len(m):
        columns, own = measures.columns[positions], curvature.reshape(*curvature.shape[:-3], -1)
        values = force.take(positions[m], axis=-1) * own.take(np.flatnonzero(there), axis=-1)
        yield Triplets(columns[m, a], columns[m, b], values)
