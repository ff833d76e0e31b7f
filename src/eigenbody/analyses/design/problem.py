"""Optimization problems as they are written: variables, objective, constraints; every fault at once."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from eigenbody.analyses.design.objectives import Quantity
from eigenbody.base.errors import Fault, InputError
from eigenbody.model.faults import Faults
from eigenbody.model.model import InertModel
from eigenbody.model.source import Source, read, shown
from eigenbody.model.units import UnitError, parse_quantity

KEYS = ("variables", "objective", "constraints", "starts", "refine", "seed", "iterations", "name")
VARIABLE_KEYS = ("from", "to", "start", "scale")
BOUNDS = ("min", "max", "equals")
Where = tuple[str | int, ...]


@dataclass(frozen=True)
class Variable:
    """A design variable: parameter or path, bounds, start, and whether it is varied by factors or by differences."""

    name: str
    lower: float
    upper: float
    start: float
    log: bool = False

    def unit(self, x: float) -> float:
        """Place between the bounds, 0 to 1."""
        if self.log:
            return math.log(x / self.lower) / math.log(self.upper / self.lower)
        return (x - self.lower) / (self.upper - self.lower)

    def value(self, u: float) -> float:
        """Value at a place between the bounds; the bounds themselves exactly."""
        if u <= 0.0 or u >= 1.0:
            return self.lower if u <= 0.0 else self.upper
        return self.lower * (self.upper / self.lower) ** u if self.log else self.lower + u * (self.upper - self.lower)

    def slope(self, x: float) -> float:
        """dx/du."""
        return x * math.log(self.upper / self.lower) if self.log else self.upper - self.lower


@dataclass(frozen=True)
class Term:
    """A quantity of the objective with its weight."""

    quantity: Quantity
    weight: float = 1.0


@dataclass(frozen=True)
class Bound:
    """A quantity held between bounds, or at a value."""

    quantity: Quantity
    lower: float = -math.inf
    upper: float = math.inf
    equals: float | None = None
    where: str = ""


@dataclass(frozen=True)
class Problem:
    """Minimize (or maximize) the sum of the terms within the bounds; without terms the smallest change that holds."""

    model: InertModel
    variables: tuple[Variable, ...]
    terms: tuple[Term, ...]
    maximize: bool
    bounds: tuple[Bound, ...]
    starts: int = 1
    refine: int = 3  # of the starts, the best so many are improved to the end
    seed: int = 1
    iterations: int = 200

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the variables."""
        return tuple(v.name for v in self.variables)

    @property
    def start(self) -> np.ndarray:
        """Start values (P,)."""
        return np.array([v.start for v in self.variables])

    def x(self, u: np.ndarray) -> np.ndarray:
        """Values at places between the bounds."""
        return np.array([v.value(float(w)) for v, w in zip(self.variables, u, strict=True)])

    def u(self, x: np.ndarray) -> np.ndarray:
        """Places between the bounds."""
        return np.array([v.unit(float(w)) for v, w in zip(self.variables, x, strict=True)])

    def slopes(self, x: np.ndarray) -> np.ndarray:
        """dx/du (P,)."""
        return np.array([v.slope(float(w)) for v, w in zip(self.variables, x, strict=True)])

    @property
    def quantities(self) -> tuple[Quantity, ...]:
        """All quantities, of the objective first."""
        return (*(t.quantity for t in self.terms), *(b.quantity for b in self.bounds))


Given = str | Path | Mapping[str, Any] | Source


class Reader:
    """Reads one problem; remembers faults with their places."""

    def __init__(self, model: InertModel, given: Given) -> None:
        self.model = model
        self.source = read(given)
        self.faults = Faults(self.source)

    # ---- values

    def number(self, path: Where, value: Any, unit: str | None = None) -> float:
        """A number, or a quantity with its unit; nan after a fault."""
        if isinstance(value, str):
            try:
                return float(parse_quantity(value, unit))
            except UnitError as error:
                self.faults.add(path, f"{error}.")
                return math.nan
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
            self.faults.add(path, f"a number is expected, not {shown(value)}.")
            return math.nan
        return float(value)

    def whole(self, key: str, default: int, least: int) -> int:
        """A whole number at the top level."""
        value = self.source.data.get(key, default)
        if isinstance(value, bool) or not isinstance(value, int) or value < least:
            self.faults.add((key,), f"a whole number of at least {least} is expected, not {shown(value)}.")
            return default
        return value

    def keys(self, path: Where, given: Any, known: tuple[str, ...], kind: str = "key") -> dict[str, Any]:
        """The map, without what is not known."""
        if not isinstance(given, dict):
            self.faults.add(path, f"a map is expected, not {shown(given)}.", f"It may hold: {', '.join(known)}.")
            return {}
        for key in given:
            if key not in known:
                self.faults.unknown((*path, key), kind, key, known)
        return {key: value for key, value in given.items() if key in known}

    # ---- parts

    def variables(self) -> tuple[Variable, ...]:
        """The section `variables`."""
        given = self.source.data.get("variables")
        if not isinstance(given, dict) or not given:
            example = "For example variables: {k: {from: 100, to: 1e4}}."
            self.faults.add(("variables",), "there are no variables to change.", example)
            return ()
        return tuple(v for name, entry in given.items() if (v := self._variable(name, entry)) is not None)

    def _variable(self, name: str, entry: Any) -> Variable | None:
        path: Where = ("variables", name)
        before = len(self.faults.found)
        now = self._now(path, name)
        entry = self.keys(path, entry, VARIABLE_KEYS)
        for key in ("from", "to"):
            if key not in entry and isinstance(self.source.data["variables"][name], dict):
                self.faults.add(path, f'the bound "{key}" is missing.', "Write for example {from: 100, to: 1e4}.")
        low, high = (self.number((*path, key), entry.get(key, math.pi)) for key in ("from", "to"))
        start = self.number((*path, "start"), entry["start"]) if "start" in entry else now
        scale = entry.get("scale", "linear")
        if scale not in ("linear", "log"):
            self.faults.add((*path, "scale"), f'"{shown(scale)}" is not known.', "Use linear or log.")
        if len(self.faults.found) > before:
            return None
        if not low < high:
            self.faults.add(path, f"from {low:g} to {high:g} is no range.", "from must be below to.")
        elif scale == "log" and low <= 0:
            self.faults.add(
                (*path, "scale"), f"a range from {low:g} has no logarithm.", "Use linear, or start above zero."
            )
        elif start is None:
            self.faults.add(path, "its value in the model is an expression.", "Give a start, or vary its parameters.")
        elif not low <= start <= high:
            what = f"the start {start:g} is not between {low:g} and {high:g}."
            hint = "" if "start" in entry else " (It is the value of the model.)"
            self.faults.add(path, what + hint, "Give a start between them, or a wider range.")
        else:
            return Variable(name, low, high, start, scale == "log")
        return None

    def _now(self, path: Where, name: str) -> float | None:
        """Value in the model; None for an expression."""
        try:
            self.model.with_values({name: 0.0})  # refuses unknown names
        except InputError as error:
            self.faults.found += [Fault(self.source.where(path), f.what, f.remedy) for f in error.faults]
            return None
        return value_of(self.model, name)

    def choices(self) -> dict[str, Any]:
        """Starts, seed, iterations."""
        return {
            "starts": self.whole("starts", 1, 1), "refine": self.whole("refine", 3, 1),
            "seed": self.whole("seed", 1, 0), "iterations": self.whole("iterations", 200, 1),
        }  # fmt: skip


def value_of(model: InertModel, name: str) -> float | None:
    """SI value of a parameter or of a number by path; None where it is an expression."""
    from eigenbody.model.paths import locate

    path, value = locate(read(model.document), name)
    if path[0] == "parameters":
        return float(model.parameters[str(path[1])])
    if isinstance(value, str):
        try:
            return float(parse_quantity(value, None))
        except UnitError:
            return None
    return float(value)


def read_problem(model: InertModel, given: Given, exact: bool = True) -> tuple[Problem, Any]:
    """The problem and the space of its designs; InputError with every fault."""
    from eigenbody.analyses.design.quantities import Wording

    reader = Reader(model, given)
    for key in reader.source.data:
        if key not in KEYS:
            reader.faults.unknown((key,), "section", key, KEYS)
    variables = reader.variables()
    choices = reader.choices()
    words = Wording(reader, variables, exact)
    terms, maximize = words.objective()
    bounds = words.constraints()
    if not terms and not bounds and not reader.faults.found:
        remedy = "For example objective: {minimize: {mass: all}}, or constraints."
        reader.faults.add(("objective",), "nothing is asked for.", remedy)
    reader.faults.raise_if_any()
    return Problem(model, variables, terms, maximize, bounds, **choices), words.space
