"""The numbers of a linear block as C: entries of [A B; C D] row by row, scales and start values."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from eigenbody.exchange.block import LinearBlock

PER_LINE = 6


def numbers(block: LinearBlock) -> str:
    """The text of numbers.h, without the token."""
    whole = np.block([[block.A, block.B], [block.C, block.D]])
    rows = [np.flatnonzero(row) for row in whole]
    start = np.concatenate(([0], np.cumsum([len(row) for row in rows], dtype=int)))
    column = np.concatenate([*rows, np.zeros(0, int)]).astype(int)
    value = [float(whole[i, j]) for i, row in enumerate(rows) for j in row]
    sizes = [f"#define {name} {len(own)}u"
             for name, own in (("NX", block.states), ("NU", block.inputs), ("NY", block.outputs))]  # fmt: skip
    return "\n".join(
        [
            *sizes,
            _table("long", "START", start.tolist()),
            _table("long", "COLUMN", column.tolist()),
            _table("double", "VALUE", value),
            _table("double", "SCALE", _scales(block)),
            _table("double", "STARTS", [0.0] * len(block.states)),
            "",
        ]
    )


def _scales(block: LinearBlock) -> list[float]:
    """Powers of two: of states those that balance A, of inputs those that make B as large as A."""
    if not block.states:
        return [1.0] * len(block.inputs)
    from scipy.linalg import matrix_balance

    even, (scale, _) = matrix_balance(block.A, permute=False, separate=True)
    size = float(np.abs(even).sum(axis=1).max()) or 1.0
    pushed = np.abs(block.B / scale[:, None]).max(axis=0, initial=0.0)
    inputs = [float(2.0 ** np.round(np.log2(size / push))) if push > 0 else 1.0 for push in pushed]
    return [*(float(s) for s in scale), *inputs]


def _table(kind: str, name: str, values: Iterable[float]) -> str:
    """A constant array; C has none of length zero."""
    texts = [repr(v) for v in values] or ["0"]
    lines = [", ".join(texts[k : k + PER_LINE]) for k in range(0, len(texts), PER_LINE)]
    return f"static const {kind} {name}[] = {{\n    " + ",\n    ".join(lines) + "\n};"
