"""Many models checked against themselves: what is printed and their document."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from eigenbody.model.source import shown
from eigenbody.present.documents import number
from eigenbody.present.tables import Grid, Sheet, Styled, counted, significant

if TYPE_CHECKING:
    from eigenbody.analyses.verify.many import Verifications

STYLES = {"agree": "green", "disagree": "bold red", "unchecked": "yellow"}
VERDICTS = ("agree", "disagree", "unchecked", "failed")


def sheet(found: Verifications) -> Sheet:
    """How many have each verdict, and a line for every model."""
    words = ", ".join(f"{found.count(verdict)} {verdict}" for verdict in VERDICTS if found.count(verdict))
    rows = tuple(
        (
            shown(one.name, 80), one.verdict, ", ".join(one.routes) or "—",
            "—" if one.difference != one.difference else significant(one.difference, 2), shown(one.reason, 160),
        )
        for one in found.models
    )  # fmt: skip
    columns = ("model", "verdict", "routes that agree", "largest\ndifference", "why not")
    grid = Grid("", columns, rows, (False, False, False, True, False))
    line = Styled(f"{counted(len(found.models), 'model')}: {words}", STYLES[found.verdict])
    return Sheet("Verification", [line], (grid,), [])


def document(found: Verifications) -> dict[str, Any]:
    """`verify --json` of several models."""
    return {
        "verdict": found.verdict,
        **{verdict: found.count(verdict) for verdict in VERDICTS},
        "models": [
            {
                "model": one.name, "verdict": one.verdict, "routes": list(one.routes), "states": one.states,
                "largest_difference": number(one.difference), "stability": one.stability or None,
                "reason": one.reason or None,
            }
            for one in found.models
        ],
    }  # fmt: skip


def records(found: Verifications) -> Iterator[list[Any]]:
    """A line for every model."""
    yield ["model", "verdict", "routes", "states", "largest difference", "stability", "reason"]
    for one in found.models:
        yield [one.name, one.verdict, " ".join(one.routes), one.states, one.difference, one.stability, one.reason]
