"""Variants of a model as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from eigenbody.analyses.variants import VariantModes

MOST = 20  # rows of the table


def variants_text(result: VariantModes) -> str:
    """One line per variant: its values, lowest frequencies and largest real part."""
    names = list(result.values)
    lines = [
        f"{len(result)} variants of {result.model.name}",
        "  ".join([*names, "lowest Hz", "largest real part 1/s"]),
    ]
    for i in range(min(len(result), MOST)):
        values = "  ".join(f"{result.values[name][i]:.6g}" for name in names)
        if i in result.failures:
            lines.append(f"{values}  failed: {result.failures[i]}")
            continue
        upper = result.eigenvalues[i][result.eigenvalues[i].imag > 0]
        lowest = ", ".join(f"{f:.6g}" for f in np.abs(upper[:3]) / (2 * np.pi)) or "-"
        lines.append(f"{values}  {lowest}  {result.eigenvalues[i].real.max():.3g}")
    if len(result) > MOST:
        lines.append(f"... and {len(result) - MOST} more")
    return "\n".join(lines)
