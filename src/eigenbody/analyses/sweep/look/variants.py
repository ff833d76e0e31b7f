"""Variants of a model: what they print and their arrays."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from eigenbody.model.source import shown
from eigenbody.present.axes import Over, over
from eigenbody.present.tables import Grid, Sheet

if TYPE_CHECKING:
    from eigenbody.analyses.sweep.variants import VariantModes

MOST = 20  # rows of the table


def sheet(result: VariantModes) -> Sheet:
    """One line per variant: its values, lowest frequencies and largest real part."""
    names = list(result.values)
    rows = tuple(
        (*(f"{result.values[name][i]:.6g}" for name in names), *_cells(result, i))
        for i in range(min(len(result), MOST))
    )
    columns = (*(shown(name, 40) for name in names), "lowest Hz", "largest real part 1/s")
    right = (*(True for _ in names), False, True)
    grid = Grid("", columns, rows, right, len(result) - len(rows))
    one_by_one = f"{len(result.alone)} of {len(result)} variants were found one by one."
    lines = (one_by_one,) if result.alone else ()
    return Sheet(f"{len(result)} variants of {shown(result.model.name, 100)}", lines, [grid])


def _cells(result: VariantModes, i: int) -> tuple[str, str]:
    if i in result.failures:
        return f"failed: {result.failures[i]}", ""
    upper = result.eigenvalues[i][result.eigenvalues[i].imag > 0]
    lowest = ", ".join(f"{f:.6g}" for f in np.abs(upper[:3]) / (2 * np.pi)) or "-"
    return lowest, f"{result.eigenvalues[i].real.max():.3g}" if len(result.eigenvalues[i]) else "-"


def arrays(result: VariantModes) -> dict[str, Any]:
    """Values, eigenvalues and state space of every variant, (variants, ...)."""
    values = {"names": tuple(result.values), "values": np.stack(list(result.values.values()), axis=-1)}
    space = {name: getattr(result, name) for name in ("eigenvalues", "A", "B", "C", "D", "states")}
    return {**values, **space, "model": np.array(result.model.name)}


def axes(result: VariantModes) -> dict[str, Over]:
    """What the arrays lie over."""
    return {
        "values": over(variant="", parameter="names"),
        "eigenvalues": over("1/s", variant="", eigenvalue=""),
        "A": over(variant="", rate="states", state="states"),
        "B": over(variant="", rate="states", input=""),
        "C": over(variant="", output="", state="states"),
        "D": over(variant="", output="", input=""),
    }


def records(result: VariantModes) -> Iterator[list[Any]]:
    """A line for each variant and eigenvalue."""
    yield ["variant", *result.values, "real", "imag"]
    for i, eigenvalues in enumerate(result.eigenvalues):
        own = [float(values[i]) for values in result.values.values()]
        yield from ([i + 1, *own, value.real, value.imag] for value in eigenvalues.tolist())
