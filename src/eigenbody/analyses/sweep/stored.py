"""Eigenvalues of so many variants that they are kept in a folder, not in memory."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path

import numpy as np

from eigenbody.analyses.modes import damping_ratios
from eigenbody.analyses.results import StoredResults, request_of, results
from eigenbody.analyses.sweep.variants import eigenvalues_of
from eigenbody.base.errors import ComputationError
from eigenbody.many.run import Crew
from eigenbody.many.store import FAILURE, Column, Table, keep
from eigenbody.model.model import InertModel
from eigenbody.operating.family import batch_size

PARTS = {
    "real": ("1/s", "real part of eigenvalue {}"),
    "imag": ("rad/s", "imaginary part of eigenvalue {}"),
    "damping": ("", "damping ratio of eigenvalue {}"),
}


def stored_variants(
    model: InertModel, values: Mapping[str, np.ndarray], store: str | Path, crew: Crew
) -> StoredResults:
    """Eigenvalues and damping ratios of all variants, in a store; those that it has are not computed again."""
    rows = np.stack(list(values.values()), axis=-1)
    count = _states(model, tuple(values), rows)
    columns = [
        Column(f"{p}_{k}", unit, text.format(k)) for k in range(1, count + 1) for p, (unit, text) in PARTS.items()
    ]
    request = request_of("variants", model, list(values), columns, batch_size(model))
    place = keep(store, request, partial(eigenvalue_columns, model, tuple(values), count), rows, crew, [])
    return results(place)


def _states(model: InertModel, names: tuple[str, ...], rows: np.ndarray) -> int:
    """How many eigenvalues there are: those of the first variant that can be computed."""
    reason = ""
    for k in range(len(rows)):
        values, failures = eigenvalues_of(model, names, rows[k : k + 1])
        if not failures:
            return values.shape[1]
        reason = reason or failures[0]
    raise ComputationError(f"None of the {len(rows)} variants could be computed: {reason}")


def eigenvalue_columns(model: InertModel, names: tuple[str, ...], count: int, rows: np.ndarray) -> Table:
    """The columns of one batch."""
    values, failures = eigenvalues_of(model, names, rows)
    if values.shape[1] != count:
        others = f"The variant has {values.shape[1]} eigenvalues, the first one {count}."
        failures = {k: failures.get(k, others) for k in range(len(rows))}
        values = np.full((len(rows), count), np.nan + 0j)
    known = np.array([k not in failures for k in range(len(rows))])
    parts = {"real": values.real, "imag": values.imag, "damping": damping_ratios(values)}
    table = {f"{part}_{k + 1}": np.where(known, parts[part][:, k], np.nan) for k in range(count) for part in PARTS}
    return {**table, FAILURE: [failures.get(k) for k in range(len(rows))]}
