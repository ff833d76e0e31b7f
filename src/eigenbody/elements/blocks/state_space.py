"""Linear state-space block: x' = A x + B u, y = C x + D u."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from eigenbody.elements.blocks.base import BlockType, Expansion, linear_system
from eigenbody.elements.checks import Wrong
from eigenbody.model.description import Entry
from eigenbody.model.vocabulary import Field, Kind, TypeSpec


def expand_state_space(entry: Entry) -> Expansion:
    """States x1, x2, ...; outputs by name, the only one also by the name of the block."""
    A, B, C = (entry[key] for key in "ABC")
    D = entry.get("D")
    D = np.zeros((len(C), len(entry["inputs"]))) if D is None else D
    labels = entry.get("outputs") or ([""] if len(C) == 1 else [f"y{k + 1}" for k in range(len(C))])
    return linear_system(entry, A, B, C, D, entry["inputs"], labels, entry.get("initial"))


def sizes_fit(values: Mapping[str, Any], is_marker: Callable[[str], bool]) -> Iterator[Wrong]:
    """A is n x n, B n x m, C p x n, D p x m."""
    A, B, C, D = (values.get(key) for key in "ABCD")
    inputs, outputs, initial = values.get("inputs"), values.get("outputs"), values.get("initial")
    if not (isinstance(A, np.ndarray) and isinstance(B, np.ndarray) and isinstance(C, np.ndarray)):
        return
    if not isinstance(inputs, tuple):
        return
    n, m, p = len(A), len(inputs), len(C)
    for key, matrix, shape in (("A", A, (n, n)), ("B", B, (n, m)), ("C", C, (p, n)), ("D", D, (p, m))):
        if isinstance(matrix, np.ndarray) and matrix.shape != shape:
            found, wanted = (" x ".join(map(str, s)) for s in (matrix.shape, shape))
            yield key, f"is {found}, but {wanted} is needed.", "A is n x n, B n x inputs, C outputs x n, D both."
    if isinstance(outputs, tuple) and len(outputs) != p:
        yield "outputs", f"{len(outputs)} names for {p} rows of C.", "Name each row."
    if isinstance(initial, np.ndarray) and len(initial) != n:
        yield "initial", f"{len(initial)} values for {n} states.", "Give one for each."


STATE_SPACE = BlockType(
    TypeSpec(
        "state_space",
        (
            Field("inputs", Kind.EXPRESSIONS, required=True, doc="what goes in: a list of expressions"),
            Field("A", Kind.MATRIX, required=True, doc="n x n"),
            Field("B", Kind.MATRIX, required=True, doc="n x inputs"),
            Field("C", Kind.MATRIX, required=True, doc="outputs x n"),
            Field("D", Kind.MATRIX, doc="outputs x inputs, default zero"),
            Field("outputs", Kind.LABELS, doc="names of the outputs (block.name), default y1, y2, ..."),
            Field("initial", Kind.NUMBERS, doc="initial states, default zero"),
        ),
        check=sizes_fit,
        doc=__doc__ or "",
    ),
    expand_state_space,
)
