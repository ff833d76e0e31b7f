"""How a number of the model may vary: its distribution, or the levels of it."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from eigenbody.analyses.design.problem import Reader, Where, value_of
from eigenbody.analyses.design.tolerance.find import NORMAL_REACH, width_of
from eigenbody.base.errors import Fault, InputError, suggest
from eigenbody.model.source import shown

LEVELS = 5  # of a full factorial, where none are said
ENDS = 1e-12  # probability beyond which nothing is drawn: no distribution is asked for its infinite end
LAWS: dict[str, tuple[str, ...]] = {
    "uniform": ("from", "to"), "log-uniform": ("from", "to"), "triangular": ("from", "peak", "to"),
    "normal": ("mean", "deviation"), "truncated normal": ("mean", "deviation", "from", "to"),
    "lognormal": ("mean", "deviation"),
}  # fmt: skip
"""Distributions by name, with the numbers that they need."""
KEYS = ("from", "to", "peak", "mean", "deviation", "tolerance", "scale", "distribution", "levels")
EXAMPLE = 'For example "5 %", "100..200", {from: 100, to: 200}, {mean: 150, deviation: 10} or [100, 150, 200].'


@dataclass(frozen=True)
class Spread:
    """One number of the model that varies: its value there, a distribution with its numbers (in the order of `LAWS`)
    or "levels", equally likely; `levels` is how many a full factorial takes."""

    name: str
    nominal: float
    law: str
    numbers: tuple[float, ...]
    levels: int = LEVELS

    def values(self, u: np.ndarray) -> np.ndarray:
        """Values with these probabilities (0 to 1) of being lower."""
        if self.law == "levels":
            at = np.minimum((u * len(self.numbers)).astype(int), len(self.numbers) - 1)
            return np.array(self.numbers)[at]
        return np.asarray(_law(self.law, self.numbers).ppf(np.clip(u, ENDS, 1 - ENDS)), dtype=float)

    def grid(self) -> np.ndarray:
        """Values of a full factorial: evenly from end to end; where there are no ends, at the middles of equally likely
        parts."""
        if self.law == "levels":
            return np.array(self.numbers)
        if self.law in ("uniform", "triangular", "log-uniform"):
            space = np.geomspace if self.law == "log-uniform" else np.linspace
            return space(self.numbers[0], self.numbers[-1], self.levels)
        return self.values((np.arange(self.levels) + 0.5) / self.levels)

    @property
    def words(self) -> str:
        """What it is, for people."""
        if self.law == "levels":
            return f"{len(self.numbers)} levels from {min(self.numbers):.6g} to {max(self.numbers):.6g}"
        keys = LAWS[self.law]
        return f"{self.law}, " + ", ".join(f"{key} {v:.6g}" for key, v in zip(keys, self.numbers, strict=True))


def _law(name: str, numbers: tuple[float, ...]) -> Any:
    """The distribution of SciPy."""
    from scipy import stats

    def truncated(mean: float, deviation: float, low: float, high: float) -> Any:
        return stats.truncnorm((low - mean) / deviation, (high - mean) / deviation, mean, deviation)

    def lognormal(mean: float, deviation: float) -> Any:
        squared = math.log1p((deviation / mean) ** 2)
        return stats.lognorm(math.sqrt(squared), scale=mean * math.exp(-squared / 2))

    make: dict[str, Callable[..., Any]] = {
        "uniform": lambda low, high: stats.uniform(low, high - low), "log-uniform": stats.loguniform,
        "triangular": lambda low, peak, high: stats.triang((peak - low) / (high - low), low, high - low),
        "normal": stats.norm, "truncated normal": truncated, "lognormal": lognormal,
    }  # fmt: skip
    return make[name](*numbers)


# As they are written --------------------------------------------------------------------------------------------------
def read_spreads(reader: Reader) -> tuple[Spread, ...]:
    """The section `vary`; faults are added to the reader's."""
    given = reader.source.data.get("vary")
    if not isinstance(given, dict) or not given:
        reader.faults.add(("vary",), "nothing varies.", f"Give names with what they do. {EXAMPLE}")
        return ()
    found = []
    for name, entry in given.items():
        before = len(reader.faults.found)
        spread = _spread(reader, ("vary", name), str(name), entry)
        if spread is not None and len(reader.faults.found) == before:
            found.append(spread)
    return tuple(found)


def _spread(reader: Reader, path: Where, name: str, entry: Any) -> Spread | None:
    try:
        reader.model.with_values({name: 0.0})  # refuses unknown names
    except InputError as error:
        reader.faults.found += [Fault(reader.source.where(path), f.what, f.remedy) for f in error.faults]
        return None
    now = value_of(reader.model, name)
    if isinstance(entry, str) and ".." in entry:
        low, _, high = entry.partition("..")
        entry = {"from": low.strip(), "to": high.strip()}
    if isinstance(entry, list | tuple):
        return _levels(reader, path, name, now, list(entry))
    if isinstance(entry, dict):
        return _distribution(reader, path, name, now, reader.keys(path, entry, KEYS))
    if isinstance(entry, bool) or not isinstance(entry, str | int | float):
        reader.faults.add(path, f"{shown(entry)} is no distribution.", EXAMPLE)
        return None
    return _tolerance(reader, path, name, entry, "uniform", LEVELS)


def _levels(reader: Reader, path: Where, name: str, now: float | None, entry: list[Any]) -> Spread | None:
    numbers = tuple(reader.number((*path, k), value) for k, value in enumerate(entry))
    if len(set(numbers)) < 2:
        reader.faults.add(path, "at least two different levels are expected.", EXAMPLE)
        return None
    return Spread(name, float(np.median(numbers)) if now is None else now, "levels", numbers)


def _tolerance(reader: Reader, path: Where, name: str, given: Any, law: str, levels: int) -> Spread | None:
    """As `tolerance` has it: uniform within it, or normal with the tolerance as two standard deviations."""
    try:
        value, width = width_of(reader.model, name, given)
    except InputError as error:
        reader.faults.found += [Fault(reader.source.where(path), f.what, f.remedy or EXAMPLE) for f in error.faults]
        return None
    if law not in ("uniform", "normal"):
        reader.faults.add((*path, "distribution"), f"a tolerance is not {law}.", "Use uniform or normal.")
        return None
    numbers = (value - width, value + width) if law == "uniform" else (value, width / NORMAL_REACH)
    return Spread(name, value, law, numbers, levels)


def _distribution(reader: Reader, path: Where, name: str, now: float | None, given: dict[str, Any]) -> Spread | None:
    levels = given.pop("levels", LEVELS)
    if isinstance(levels, bool) or not isinstance(levels, int) or levels < 2:
        reader.faults.add((*path, "levels"), f"a whole number of at least 2 is expected, not {shown(levels)}.")
        return None
    law = _named_law(reader, path, given)
    if law is None:
        return None
    if "tolerance" in given:
        if len(given) > 1:
            reader.faults.add(path, "a tolerance and other numbers are given.", "Give one or the other.")
            return None
        return _tolerance(reader, path, name, given["tolerance"], law, levels)
    if now is not None and "mean" in LAWS[law]:
        given.setdefault("mean", now)
    if set(given) != set(LAWS[law]):
        needed = ", ".join(LAWS[law])
        reader.faults.add(path, f"a {law} distribution needs {needed}, and nothing else.", EXAMPLE)
        return None
    numbers = _numbers(reader, path, law, given)
    if not all(map(math.isfinite, numbers)) or not _is_sound(
        reader, path, law, dict(zip(LAWS[law], numbers, strict=True))
    ):
        return None
    middle = float(_law(law, numbers).median()) if now is None else now
    return Spread(name, middle, law, numbers, levels)


def _named_law(reader: Reader, path: Where, given: dict[str, Any]) -> str | None:
    """The distribution that is named, or meant by the keys."""
    scale, law = given.pop("scale", "linear"), given.pop("distribution", None)
    if scale not in ("linear", "log"):
        reader.faults.add((*path, "scale"), f'"{shown(scale)}" is not known.', "Use linear or log.")
        return None
    if law is None:
        keys = set(given)
        ranged = "truncated normal" if keys & {"mean", "deviation"} else "triangular" if "peak" in keys else "uniform"
        law = ranged if keys & {"from", "to", "tolerance"} else "normal"
    if not isinstance(law, str) or law not in LAWS:
        reader.faults.add((*path, "distribution"), f'"{shown(law)}" is not known.', suggest(str(law), list(LAWS)))
        return None
    if scale == "log" and law not in ("uniform", "log-uniform"):
        reader.faults.add((*path, "scale"), f"a {law} distribution has no scale.", "Leave it out.")
        return None
    return "log-uniform" if scale == "log" else law


def _numbers(reader: Reader, path: Where, law: str, given: dict[str, Any]) -> tuple[float, ...]:
    """Numbers of the distribution; the deviation may be a part of the mean."""
    found: dict[str, float] = {}
    for key in LAWS[law]:
        value = given[key]
        if key == "deviation" and isinstance(value, str) and value.strip().endswith("%"):
            share = reader.number((*path, key), value.strip()[:-1].strip())
            value = abs(found["mean"]) * share / 100
        found[key] = reader.number((*path, key), value)
    return tuple(found.values())


def _is_sound(reader: Reader, path: Where, law: str, numbers: dict[str, float]) -> bool:
    low, high = numbers.get("from", -math.inf), numbers.get("to", math.inf)
    if not low < high:
        reader.faults.add(path, f"from {low:g} to {high:g} is no range.", "from must be below to.")
    elif law == "log-uniform" and low <= 0:
        reader.faults.add(path, f"a range from {low:g} has no logarithm.", "Use linear, or start above zero.")
    elif numbers.get("deviation", 1.0) <= 0:
        reader.faults.add((*path, "deviation"), "a positive standard deviation is expected.")
    elif law == "lognormal" and numbers["mean"] <= 0:
        reader.faults.add((*path, "mean"), "a lognormal distribution needs a positive mean.")
    elif law == "triangular" and not low <= numbers["peak"] <= high:
        reader.faults.add((*path, "peak"), f"the peak {numbers['peak']:g} is not between {low:g} and {high:g}.")
    else:
        return True
    return False
