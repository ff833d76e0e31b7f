"""What a study found, from its lines: those in memory or those of a store, complete or not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from eigenbody.analyses.design.study.distributions import Spread
from eigenbody.analyses.design.study.statistics import (
    Description,
    Indices,
    Instability,
    Regression,
    described,
    instability,
    regressed,
    sobol_indices,
)
from eigenbody.analyses.results import StoredResults
from eigenbody.base.errors import Fault, InputError, suggest
from eigenbody.base.result import Drawn
from eigenbody.many.store import FAILURE, INDEX

if TYPE_CHECKING:
    from matplotlib.figure import Figure

GROWTH, UNSTABLE, DOUBTFUL = "growth", "unstable", "doubtful"
PICTURES = ("scatter", "parallel", "instability")


class Lines(Protocol):
    """A line for each point."""

    @property
    def about(self) -> Mapping[str, Any]: ...

    @property
    def columns(self) -> tuple[str, ...]: ...

    def column(self, name: str) -> np.ndarray:
        """One column (lines,): numbers, or text for `failure`."""
        ...


@dataclass(frozen=True, eq=False)
class LinesInMemory:
    """Lines that no store keeps."""

    about: Mapping[str, Any]
    arrays: Mapping[str, np.ndarray]

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(self.arrays)

    def column(self, name: str) -> np.ndarray:
        """One column (lines,)."""
        return self.arrays[name]


@dataclass(frozen=True, eq=False)
class StudiedQuantity:
    """One quantity over all points where it is known.

    regression  by the numbers that varied; None where a straight line says nothing
    indices     Sobol indices, of the method saltelli alone
    """

    name: str
    unit: str
    label: str
    nominal: float
    found: Description
    regression: Regression | None
    indices: Indices | None


@dataclass(frozen=True, eq=False)
class Study(Drawn, look="analyses.design.study.look"):
    """Many designs of a model.

    lines        the points: `column(name)` has one number for each, `to_pandas()` all
    spreads      what varied, and how
    quantities   what was asked for, summarized
    instability  how many points are unstable, and the probability; None where eigenvalues do not judge stability
    doubtful     points at which it could not be told for sure which mode is which
    failures     how many points are not or not wholly known, by reason
    done         points computed so far, of about["points"]
    """

    about: Mapping[str, Any]
    lines: Lines
    spreads: tuple[Spread, ...]
    quantities: tuple[StudiedQuantity, ...]
    instability: Instability | None
    doubtful: int
    failures: Mapping[str, int]
    done: int
    notes: tuple[str, ...]

    @property
    def model(self) -> str:
        """Name of the model."""
        return self.about["model"]

    @property
    def method(self) -> str:
        """How the points were chosen."""
        return self.about["options"]["method"]

    @property
    def varied(self) -> tuple[str, ...]:
        """Columns of the numbers that varied."""
        return tuple(column["name"] for column in self.about["varied"])

    def column(self, name: str) -> np.ndarray:
        """One number for each point: of what varied, of a quantity, `growth`, `unstable`, `doubtful`; or `failure`."""
        if name not in self.lines.columns:
            raise InputError(Fault("column", f'there is no "{name}".', suggest(name, self.lines.columns)))
        return self.lines.column(name)[: self.done]

    def quantity(self, name: str) -> StudiedQuantity:
        """The summary of one quantity."""
        for quantity in self.quantities:
            if quantity.name == name:
                return quantity
        known = [quantity.name for quantity in self.quantities]
        raise InputError(Fault("quantity", f'there is no "{name}".', suggest(name, known)))

    def plot(self, kind: str = "scatter") -> Figure:
        """`scatter`: every quantity over every number; `parallel`: a line through all axes for each point;
        `instability`: share of unstable points over each number."""
        if kind not in PICTURES:
            raise InputError(Fault("kind", f'"{kind}" is not known.', suggest(kind, PICTURES)))
        return self.look.plot(self, kind)


def summarized(lines: Lines, notes: Sequence[str] = ()) -> Study:
    """The study that these lines are."""
    options = lines.about["options"]
    done = len(lines.column(INDEX))
    varied = [column["name"] for column in lines.about["varied"]]
    asked = [column for column in lines.about["found"] if column["name"] in options["quantities"]]
    quantities = tuple(_quantity(lines, column, varied, options, done) for column in asked)
    failures = Counter(text for text in lines.column(FAILURE)[:done].tolist() if text)
    return Study(
        lines.about, lines, tuple(_spread(spread) for spread in options["vary"]), quantities,
        _instability(lines, done), int(np.nansum(lines.column(DOUBTFUL)[:done])), failures, done,
        tuple(dict.fromkeys((*options["notes"], *notes))),
    )  # fmt: skip


def _spread(given: Mapping[str, Any]) -> Spread:
    return Spread(**{**given, "numbers": tuple(given["numbers"])})


def _quantity(
    lines: Lines, column: Mapping[str, Any], varied: Sequence[str], options: Mapping[str, Any], done: int
) -> StudiedQuantity:
    name = column["name"]
    values = lines.column(name)[:done]
    by = regressed(lambda: _blocks(lines, varied, name, done))
    indices = sobol_indices(values, len(varied), options["seed"]) if options["method"] == "saltelli" else None
    nominal = options["quantities"][name]
    value = np.nan if nominal is None else nominal
    return StudiedQuantity(name, column["unit"], column["meaning"], value, described(values), by, indices)


def _blocks(lines: Lines, varied: Sequence[str], name: str, done: int) -> Iterator[np.ndarray]:
    """Independent lines (k, P + 1) of what varied and one quantity, some thousand at a time where a store has them."""
    names = [INDEX, *varied, name]
    if isinstance(lines, StoredResults):
        blocks: Iterator[np.ndarray] = (
            np.column_stack([table[own].to_numpy() for own in names]) for table in lines.tables(names)
        )
    else:
        blocks = iter([np.column_stack([lines.column(own) for own in names])])
    for block in blocks:
        yield block[_independent(lines, block[:, 0], done), 1:]


def _independent(lines: Lines, index: np.ndarray, done: int) -> np.ndarray:
    """Which of these points repeat no numbers of others."""
    if lines.about["options"]["method"] != "saltelli":
        return index < done
    return (index < done) & (index % (len(lines.about["varied"]) + 2) < 2)


def _instability(lines: Lines, done: int) -> Instability | None:
    options = lines.about["options"]
    if not options["judges_stability"]:
        return None
    unstable = lines.column(UNSTABLE)[:done]
    kept = unstable[_independent(lines, np.arange(done), done)]
    return instability(kept, options["method"] != "factorial")
