"""Linear equations and eigenvalues of many variants of a model in one batched evaluation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from eigenbody.analyses.modes import Modes, damping_ratios, frequencies_hz, modes
from eigenbody.base.errors import ComputationError, EigenbodyError
from eigenbody.base.result import Result
from eigenbody.linearization.linearize import VariationalEquations, dense_model, dense_models
from eigenbody.linearization.model import LinearModel
from eigenbody.linearization.point import OperatingPoint
from eigenbody.linearization.spectrum import spectrum_of
from eigenbody.linearization.subject import Subject
from eigenbody.model.model import InertModel
from eigenbody.numerics.runtime import on_one_thread
from eigenbody.operating.asked import model_asking_for
from eigenbody.operating.compiled import known_model
from eigenbody.operating.family import Failed, Group, batch_point, can_batch, checked_values, groups, separate_points
from eigenbody.operating.find import operating_point

NEAR_ZERO = 1e-5  # eigenvalues below this share of the largest are judged again, with the rounding of their matrices


@dataclass(frozen=True, eq=False)
class VariantModes(Result, look="analyses.sweep.look.variants"):
    """Eigenvalues of all variants of a model.

    eigenvalues  (variants, states) complex, sorted by magnitude, then imaginary part; recognized zeros are exactly 0;
                 nan where the variant failed
    right        (variants, states, states) complex, eigenvectors as columns, in the linear state [S, W, x]
    A, B, C, D   (variants, ...) state space; M, K, damping (variants, n, n)
    failures     message of each variant that has no operating point
    """

    model: InertModel
    values: Mapping[str, np.ndarray]
    eigenvalues: np.ndarray
    right: np.ndarray
    A: np.ndarray
    B: np.ndarray
    C: np.ndarray
    D: np.ndarray
    M: np.ndarray
    damping: np.ndarray
    K: np.ndarray
    shape_q: np.ndarray  # (variants, nq, states) motion of all bodies by linear state
    states: tuple[str, ...]
    failures: Mapping[int, str]

    def __len__(self) -> int:
        return len(self.eigenvalues)

    @property
    def frequency_hz(self) -> np.ndarray:
        """|eigenvalue| / 2 pi."""
        return frequencies_hz(self.eigenvalues)

    @cached_property
    def damping_ratio(self) -> np.ndarray:
        """-real / |eigenvalue|; nan for zeros."""
        return damping_ratios(self.eigenvalues)

    def variant(self, index: int) -> InertModel:
        """The model of one variant."""
        return self.model.with_values({name: float(values[index]) for name, values in self.values.items()})

    def modes(self, index: int) -> Modes:
        """The modes of one variant with everything that belongs to them."""
        return modes(self.variant(index))


@on_one_thread
def variants(model: Subject, values: Mapping[str, Sequence[float] | np.ndarray]) -> VariantModes:
    """Linearize and solve all variants of a model: `values` has one number per variant for each parameter or path.

    A path names any number of the model: `bodies.rotor.mass`, `joints.b.at[2]`. Variants that fail are listed in
    `failures`; the others go on.
    """
    model = model_asking_for(model)
    arrays = checked_values(model, values)
    count = len(next(iter(arrays.values())))
    collected = _Collected(count)
    for group in groups(model, arrays):
        if isinstance(group, Failed):
            collected.failures[group.index] = group.message
        else:
            _solve(group, collected)
    if len(collected.failures) == count:
        raise ComputationError(f"None of the {count} variants could be computed: {collected.failures[0]}")
    return VariantModes(model=model, values=arrays, failures=collected.failures, **collected.arrays())


@on_one_thread
def linear_variants(
    model: InertModel, values: Mapping[str, Sequence[float] | np.ndarray]
) -> list[LinearModel | Failed]:
    """The linear model of every variant, found together as far as they allow; or why one has none."""
    arrays = checked_values(model, values)
    if all(len(array) == 1 for array in arrays.values()):
        known = known_model(model, {name: float(array[0]) for name, array in arrays.items()})
        if known is not None:
            return [_linear_of(known, 0)]
    found: dict[int, LinearModel | Failed] = {}
    for group in groups(model, arrays):
        if isinstance(group, Failed):
            found[group.index] = group
            continue
        alone = np.ones(len(group), dtype=bool)
        if len(group) > 1 and can_batch(group.model, group.system):
            try:
                batch, alone = batch_point(group)
                points = separate_points(group, batch)
                linears = dense_models(batch, points)
                found.update({int(group.index[k]): linears[k] for k in np.flatnonzero(~alone)})
            except EigenbodyError:
                alone[:] = True  # a variant in the group fails: one by one each says for itself what is wrong
        for k in np.flatnonzero(alone):
            found[int(group.index[k])] = _linear_alone(group, int(k))
    return [found[i] for i in range(len(found))]


def _linear_alone(group: Group, k: int) -> LinearModel | Failed:
    return _linear_of(group.model_of(k), int(group.index[k]))


def _linear_of(model: InertModel, index: int) -> LinearModel | Failed:
    try:
        return dense_model(operating_point(model))
    except EigenbodyError as error:
        return Failed(index, str(error))


class _Collected:
    """Arrays of all variants, filled group by group; the first result says how large they are."""

    def __init__(self, count: int) -> None:
        self.count = count
        self.failures: dict[int, str] = {}
        self._arrays: dict[str, np.ndarray] = {}
        self._states: tuple[str, ...] = ()

    def put(self, index: np.ndarray, states: tuple[str, ...], parts: Mapping[str, np.ndarray]) -> None:
        if not self._arrays:
            self._states = states
            for name, part in parts.items():
                self._arrays[name] = np.full((self.count, *part.shape[1:]), np.nan, dtype=part.dtype)
        if states != self._states:
            what = f"has other states ({', '.join(states)}) than the first variant"
            self.failures.update({int(i): f"The variant {what}." for i in index})
            return
        for name, part in parts.items():
            self._arrays[name][index] = part

    def arrays(self) -> dict[str, Any]:
        return {**self._arrays, "states": self._states}


def _solve(group: Group, collected: _Collected) -> None:
    """Together where the group allows, the rest one by one."""
    alone = np.ones(len(group), dtype=bool)
    if len(group) > 1 and can_batch(group.model, group.system):
        with suppress(EigenbodyError):  # a variant in the group fails: one by one each says what is wrong with it
            alone = _solve_together(group, collected)
    for k in np.flatnonzero(alone):
        _solve_alone(group, int(k), collected)


def _solve_together(group: Group, collected: _Collected) -> np.ndarray:
    """Linearize and solve; returns which variants must be done by themselves."""
    point, apart = batch_point(group)
    e = VariationalEquations(point)
    space = e.state_space
    n = len(group)
    full = {"A": space.A, "B": space.B, "C": space.C, "D": space.D, "M": e.M, "damping": e.C, "K": e.K}
    full["shape_q"] = e.shapes.q
    parts = {name: np.broadcast_to(a, (n, *a.shape[-2:])) for name, a in full.items()}
    finite = np.isfinite(parts["A"]).all(axis=(1, 2))
    apart = apart | ~finite
    kept = np.flatnonzero(~apart)
    values, right = np.linalg.eig(parts["A"][kept])
    order = np.lexsort((values.imag, np.round(np.abs(values), 12)), axis=-1)
    values = np.take_along_axis(values.astype(complex), order, axis=-1)
    right = np.take_along_axis(right.astype(complex), order[:, None, :], axis=-1)
    size = np.abs(values)
    suspicious = (size < NEAR_ZERO * size.max(axis=-1, keepdims=True, initial=0.0)).any(axis=-1)
    apart[kept[suspicious]] = True
    kept, values, right = kept[~suspicious], values[~suspicious], right[~suspicious]
    states = _state_names(point)
    collected.put(
        group.index[kept], states, {"eigenvalues": values, "right": right, **{k: a[kept] for k, a in parts.items()}}
    )
    return apart


def sorted_eigenvalues(linear: LinearModel) -> np.ndarray:
    """Eigenvalues (states,) of one linear model as `variants` has them."""
    values = np.linalg.eigvals(linear.A).astype(complex)
    size = np.abs(values)
    if (size < NEAR_ZERO * size.max(initial=0.0)).any():
        values = spectrum_of(linear).eigenvalues
    return values[np.lexsort((values.imag, np.round(np.abs(values), 12)))]


def _state_names(point: OperatingPoint) -> tuple[str, ...]:
    names, system = point.system.names, point.system
    S, W = ([names[i] for i in index] for index in (point.chosen.positions, point.chosen.velocities))
    return (*S, *(name + "'" for name in W), *system.states)


def _solve_alone(group: Group, k: int, collected: _Collected) -> None:
    linear = _linear_alone(group, k)
    if isinstance(linear, Failed):
        collected.failures[linear.index] = linear.message
        return
    spectrum, space = spectrum_of(linear), linear.state_space
    order = np.lexsort((spectrum.eigenvalues.imag, np.round(np.abs(spectrum.eigenvalues), 12)))
    parts = {
        "eigenvalues": spectrum.eigenvalues[order], "right": spectrum.right[:, order].astype(complex),
        "A": space.A, "B": space.B, "C": space.C, "D": space.D, "M": linear.M, "damping": linear.C, "K": linear.K,
        "shape_q": linear.shape_q,
    }  # fmt: skip
    at = group.index[k : k + 1]
    collected.put(at, linear.states, {name: part[None] for name, part in parts.items()})
