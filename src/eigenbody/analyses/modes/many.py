"""Modes of many linear models, their eigenvalues found together."""

from __future__ import annotations

from collections.abc import Sequence

from eigenbody.analyses.modes.find import modes_from
from eigenbody.analyses.modes.result import Modes
from eigenbody.base.errors import EigenbodyError
from eigenbody.base.progress import report
from eigenbody.linearization.model import LinearModel
from eigenbody.linearization.spectrum import spectra_of
from eigenbody.numerics.runtime import on_one_thread, without_collection


@on_one_thread
@without_collection
def modes_of_many(linears: Sequence[LinearModel], n: int | None = None) -> list[Modes | EigenbodyError]:
    """Modes of many dense linear models as `modes` finds them of each, their eigenvalues together; or why one has
    none."""
    report("finding modes")
    out: list[Modes | EigenbodyError] = []
    for linear, spectrum in zip(linears, spectra_of(linears), strict=True):
        try:
            out.append(spectrum if isinstance(spectrum, EigenbodyError) else modes_from(linear, spectrum, n, None))
        except EigenbodyError as error:
            out.append(error)
    return out
