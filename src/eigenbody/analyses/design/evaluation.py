"""Quantities of many designs, computed together: numbers, and reasons where there are none."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from eigenbody.analyses.design.designs import Design, DesignSpace
from eigenbody.analyses.design.identity import Follower
from eigenbody.analyses.design.objectives import Quantity
from eigenbody.base.errors import ComputationError, in_one_line

GROWS = "the design is unstable: its response never settles."


class Evaluated(NamedTuple):
    """Of the designs of one batch.

    values    (k, quantities) nan where one is not known
    growth    (k,) largest real part (1/s) of the eigenvalues that are no recognized zeros; nan where there are none
    unstable  (k,) 1 or 0; nan where the design has no operating point
    doubtful  (k,) 1 where it could not be told for sure which mode is which, else 0
    reasons   why a design, or one of its quantities, is not known; None where all is
    """

    values: np.ndarray
    growth: np.ndarray
    unstable: np.ndarray
    doubtful: np.ndarray
    reasons: list[str | None]


def evaluated(space: DesignSpace, nominal: Design, quantities: Sequence[Quantity], x: np.ndarray) -> Evaluated:
    """All quantities of the designs x (k, P); modes are those of the nominal design, followed by their shapes."""
    wanted = tuple(i for q in quantities for i in q.wanted_modes())
    unknown = np.full((len(quantities) + 3, len(x)), np.nan)
    found = Evaluated(unknown[3:].T, unknown[0], unknown[1], unknown[2], [])
    for row, design in enumerate(space.many(x)):
        if isinstance(design, str):
            found.reasons.append(" ".join(design.split()))
            continue
        found.growth[row] = design.eigenvalues.real.max() if len(design.eigenvalues) else np.nan
        found.unstable[row] = not design.is_stable
        follower = Follower(nominal, wanted)
        try:
            places = follower.find(design)
        except ComputationError as error:
            found.reasons.append(in_one_line(error))
            continue
        found.doubtful[row] = follower.doubts > 0 or _is_parted(nominal, design, places)
        found.reasons.append(_measured(design, places, quantities, found.values[row]))
    return found


def _is_parted(nominal: Design, design: Design, places: dict[int, int]) -> bool:
    """Whether a pair has become two real eigenvalues, of which either could bear its name, or the other way round."""
    before, now = nominal.eigenvalues[list(places)], design.eigenvalues[list(places.values())]
    return bool(((before.imag > 0) != (now.imag > 0)).any())


def _measured(design: Design, places: dict[int, int], quantities: Sequence[Quantity], into: np.ndarray) -> str | None:
    """Fills in one line; what could not be."""
    reasons = []
    for column, quantity in enumerate(quantities):
        try:
            if quantity.ports != ((), ()) and not design.is_stable:
                raise ComputationError(GROWS)
            into[column] = quantity.parts(design, places).values.max()
        except ComputationError as error:
            reasons.append(f"{quantity.label}: {in_one_line(error)}")
    return " ".join(reasons) or None
