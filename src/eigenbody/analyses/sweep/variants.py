"""Linear equations and eigenvalues of many variants of a model in one batched evaluation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from eigenbody.analyses.modes import Modes, damping_ratios, frequencies_hz, modes
from eigenbody.analyses.sweep.linear import linear_alone, linear_models, linearized
from eigenbody.base.copies import Later
from eigenbody.base.errors import ComputationError, EigenbodyError
from eigenbody.base.result import Result
from eigenbody.linearization.forms import DenseForm, KnownStateSpace, StateSpace
from eigenbody.linearization.linearize import VariationalEquations
from eigenbody.linearization.model import LinearModel
from eigenbody.linearization.point import OperatingPoint
from eigenbody.linearization.spectrum import spectrum_of
from eigenbody.linearization.subject import Subject
from eigenbody.linearization.turning import turning_coordinates, turning_flexible
from eigenbody.many.run import Crew, Lost, in_order
from eigenbody.model.model import InertModel
from eigenbody.numerics.eigen.dense import spectra_first_order, spectra_second_order
from eigenbody.numerics.eigen.spectra import Spectra
from eigenbody.numerics.matrices.stacks import columns_of
from eigenbody.numerics.runtime import on_one_thread
from eigenbody.operating.asked import model_asking_for
from eigenbody.operating.constancy import has_constant_coefficients
from eigenbody.operating.family import (
    Failed,
    Group,
    batch_point,
    batch_size,
    can_batch,
    checked_values,
    groups,
)
from eigenbody.operating.find import operating_point
from eigenbody.operating.turning.blades import has_blades
from eigenbody.operating.turning.constant_form import in_blade_patterns, refuse_instant
from eigenbody.operating.turning.observer import from_constant_frame

if TYPE_CHECKING:
    from eigenbody.analyses.results import StoredResults

Values = Mapping[str, Sequence[float] | np.ndarray]
NEAR_ZERO = 1e-5  # eigenvalues below this share of the largest are judged again, with the rounding of their matrices


@dataclass(frozen=True, eq=False)
class VariantModes(Result, look="analyses.sweep.look.variants"):
    """Eigenvalues of all variants of a model.

    eigenvalues  (variants, states) complex, sorted by magnitude, then imaginary part; recognized zeros are exactly 0;
                 nan where the variant failed
    right        (variants, states, states) complex, eigenvectors as columns, in the linear state [S, W, x]
    A, B, C, D   (variants, ...) state space; M, K, damping (variants, n, n)
    failures     message of each variant that has no operating point
    alone        numbers of the variants that could not be found together with the others, and were found by themselves
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
    alone: tuple[int, ...] = ()

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


@overload
def variants(
    model: Subject, values: Values, workers: int | None = None, client: Any = None, store: None = None
) -> VariantModes: ...
@overload
def variants(
    model: Subject, values: Values, workers: int | None = None, client: Any = None, *, store: str | Path
) -> StoredResults: ...


@on_one_thread
def variants(
    model: Subject, values: Values, workers: int | None = None, client: Any = None, store: str | Path | None = None
) -> VariantModes | StoredResults:
    """Linearize and solve all variants of a model: `values` has one number per variant for each parameter or path.

    A path names any number of the model: `bodies.rotor.mass`, `joints.b.at[2]`. Variants that fail are listed in
    `failures`; the others go on.

    workers  processes (default: as many as the machine has processors, where that pays)
    client   a `dask.distributed.Client`: its workers compute the variants
    store    a folder: eigenvalues and damping ratios are kept there as they come (`eigenbody.results`), an interrupted
             run goes on where it was, and memory does not grow with the number of variants
    The result does not depend on who computes.
    """
    model = model_asking_for(model)
    arrays = checked_values(model, values)
    if store is not None:
        from eigenbody.analyses.sweep.stored import stored_variants

        return stored_variants(model, arrays, store, Crew(workers, client))
    rows = np.stack(list(arrays.values()), axis=-1)
    collected = _Collected(len(rows))
    work = partial(_solved, model, tuple(arrays))
    with closing(in_order(work, rows, Crew(workers, client), batch_size(model), "variants")) as outcomes:
        for start, stop, found in outcomes:
            if isinstance(found, Lost):
                collected.failures.update(dict.fromkeys(range(start, stop), found.reason))
            else:
                collected.add(start, found)
    if len(collected.failures) == len(rows):
        raise ComputationError(f"None of the {len(rows)} variants could be computed: {collected.failures[0]}")
    alone = tuple(sorted(collected.alone))
    return VariantModes(model=model, values=arrays, failures=collected.failures, alone=alone, **collected.arrays())


def _solved(model: InertModel, names: tuple[str, ...], rows: np.ndarray) -> _Collected:
    """The variants of one batch."""
    collected = _Collected(len(rows))
    for group in groups(model, {name: rows[:, k] for k, name in enumerate(names)}):
        if isinstance(group, Failed):
            collected.failures[group.index] = group.message
        else:
            _solve(group, collected)
    return collected


def eigenvalues_of(model: InertModel, names: tuple[str, ...], rows: np.ndarray) -> tuple[np.ndarray, dict[int, str]]:
    """Eigenvalues (variants, states) of one batch, nan where a variant failed, and why; (variants, 0) where all did."""
    collected = _solved(model, names, rows)
    return collected.arrays().get("eigenvalues", np.zeros((len(rows), 0), complex)), collected.failures


def linear_variants(
    model: InertModel, values: Mapping[str, Sequence[float] | np.ndarray]
) -> list[LinearModel | Failed]:
    """The linear model of every variant, found together as far as they allow; or why one has none."""
    return linear_models(linearized(model, values))


class _Collected:
    """Arrays of all variants, filled group by group; the first result says how large they are."""

    def __init__(self, count: int) -> None:
        self.count = count
        self.failures: dict[int, str] = {}
        self.alone: list[int] = []
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

    def add(self, start: int, other: _Collected) -> None:
        """Those of another, whose first variant is here the one of that number."""
        self.failures.update({start + i: message for i, message in other.failures.items()})
        self.alone.extend(start + i for i in other.alone)
        good = np.array([i for i in range(other.count) if i not in other.failures], dtype=int)
        if len(good):
            parts = {name: part[good] for name, part in other._arrays.items()}
            self.put(start + good, other._states, parts)

    def arrays(self) -> dict[str, Any]:
        return {**self._arrays, "states": self._states}


def _solve(group: Group, collected: _Collected) -> None:
    """Together where the group allows, the rest one by one."""
    alone = np.ones(len(group), dtype=bool)
    if len(group) > 1 and can_batch(group.model, group.system):
        # where a variant in the group fails, one by one each says what is wrong with it
        with suppress(EigenbodyError, np.linalg.LinAlgError):
            alone = _solve_together(group, collected)
    for k in np.flatnonzero(alone):
        collected.alone.append(int(group.index[k]))
        _solve_alone(group, int(k), collected)


def _solve_together(group: Group, collected: _Collected) -> np.ndarray:
    """Linearize and solve; returns which variants must be done by themselves."""
    point, apart = batch_point(group)
    if _may_be_seen_otherwise(group, point):
        return np.ones(len(group), dtype=bool)
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
    values, right = values.astype(complex), right.astype(complex)
    size = np.abs(values)
    suspicious = np.flatnonzero((size < NEAR_ZERO * size.max(axis=-1, keepdims=True, initial=0.0)).any(axis=-1))
    if len(suspicious):
        spectra = _judged(e, space, n, kept[suspicious])
        values[suspicious], right[suspicious] = spectra.eigenvalues, spectra.right
    order = np.lexsort((values.imag, np.round(np.abs(values), 12)), axis=-1)
    found = {"eigenvalues": np.take_along_axis(values, order, axis=-1), "right": columns_of(right, order)}
    collected.put(group.index[kept], _state_names(point), {**found, **{k: a[kept] for k, a in parts.items()}})
    return apart


def _judged(e: VariationalEquations, space: StateSpace, count: int, members: np.ndarray) -> Spectra:
    """Eigenvalues of some of the variants with the zeros among them recognized."""
    form = DenseForm(**e.arrays(), noise=Later(e.noise), source=KnownStateSpace(space))
    is_second_order = form.Z.shape[-1] == form.Z.shape[-2] and space.A.shape[-1] == 2 * form.Z.shape[-1]
    names = ("M", "C", "K", "noise_K", "noise_C") if is_second_order else ("A", "noise_A")
    whole = (space.A if name == "A" else getattr(form, name) for name in names)
    parts = [np.broadcast_to(a, (count, *a.shape[-2:]))[members] for a in whole]
    return spectra_second_order(*parts) if is_second_order else spectra_first_order(*parts)


def _may_be_seen_otherwise(group: Group, batch: OperatingPoint) -> bool:
    """Whether multi-blade coordinates, or those of another observer, are to be looked for in each variant: in the one
    that turns fastest."""
    spin = np.abs(np.broadcast_to(batch.state.w, (len(group), *batch.state.w.shape[-2:]))).max(axis=(1, 2), initial=0.0)
    if not spin.any():
        return False
    fastest = operating_point(group.model_of(int(np.argmax(spin))))
    return has_blades(fastest) or bool(turning_flexible(fastest) or turning_coordinates(fastest))


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
    linear = linear_alone(group, k)
    if isinstance(linear, Failed):
        collected.failures[linear.index] = linear.message
        return
    try:
        linear = in_blade_patterns(linear)
        linear = refuse_instant(from_constant_frame(linear, partial(has_constant_coefficients, linear)))
    except EigenbodyError as error:
        collected.failures[int(group.index[k])] = str(error)
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
