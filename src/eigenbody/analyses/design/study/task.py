"""A study as it is written: what varies, how, what is asked; every fault at once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from eigenbody.analyses.design.designs import Design, DesignSpace
from eigenbody.analyses.design.objectives import Modal, Quantity
from eigenbody.analyses.design.problem import Reader, Variable, Where
from eigenbody.analyses.design.quantities import Wording
from eigenbody.analyses.design.study.distributions import Spread, read_spreads
from eigenbody.analyses.design.study.sampling import METHODS, MOST_COMBINATIONS, combinations, sampled
from eigenbody.analyses.design.study.wording import EXAMPLES, Names, as_quantity
from eigenbody.base.errors import suggest
from eigenbody.model.model import InertModel
from eigenbody.model.source import Source, shown

KEYS = ("model", "vary", "of", "modes", "method", "points", "seed", "correlation", "name")
POINTS = {"latin": 1000, "sobol": 1024, "monte-carlo": 1000, "saltelli": 512}
DRAWN = ("latin", "sobol", "monte-carlo", "saltelli")  # whose points have the distributions that were given


@dataclass(frozen=True, eq=False)
class Task:
    """What is to be computed: quantities by the name of their column, at points (n, P)."""

    space: DesignSpace
    nominal: Design
    spreads: tuple[Spread, ...]
    quantities: Mapping[str, Quantity]
    method: str
    seed: int
    correlation: tuple[tuple[str, str, float], ...]
    points: np.ndarray
    notes: tuple[str, ...] = ()


def read_task(model: InertModel, source: Source) -> Task:
    """The study of a model; InputError with every fault."""
    reader = Reader(model, source)
    for key in source.data:
        if key not in KEYS:
            reader.faults.unknown((key,), "section", key, KEYS)
    spreads = read_spreads(reader)
    method, count, seed, notes = _method(reader, spreads)
    pairs = _correlation(reader, spreads, method)
    words, names = _worded(reader, spreads)
    quantities = {
        name: quantity
        for k, name in names.items()
        if (quantity := words.quantity(("of", k), words.reader.source.data["of"][k])) is not None
    }
    for k, name in names.items():
        quantity = quantities.get(name)
        if isinstance(quantity, Modal) and len(quantity.numbers) != 1 and quantity.order is None:
            reader.faults.add(("of", k), "several modes are named.", "Ask for each mode by itself.")
    reader.faults.raise_if_any()
    assert words.first is not None
    matrix = _matrix(reader, spreads, pairs)
    reader.faults.raise_if_any()
    points = sampled(spreads, method, count, seed, matrix)
    return Task(words.space, words.first, spreads, quantities, method, seed, pairs, points, notes)


def _method(reader: Reader, spreads: tuple[Spread, ...]) -> tuple[str, int, int, tuple[str, ...]]:
    """Method, points, seed, and what is to be said of them."""
    method = reader.source.data.get("method", METHODS[0])
    if method not in METHODS:
        reader.faults.add(("method",), f'"{shown(method)}" is not known.', suggest(str(method), METHODS))
        method = METHODS[0]
    seed = reader.whole("seed", 1, 0)
    if method == "factorial":
        if "points" in reader.source.data:
            what = "a full factorial has as many points as its levels have combinations."
            reader.faults.add(("points",), what, "Leave it out; give levels in `vary`.")
        if combinations(spreads) > MOST_COMBINATIONS:
            reader.faults.add(("vary",), f"{combinations(spreads)} combinations are too many.", "Take fewer levels.")
        return method, 0, seed, ()
    count = reader.whole("points", POINTS[method], 2)
    if method == "saltelli" and count & (count - 1):
        fitting = 1 << count.bit_length()
        return method, fitting, seed, (f"{fitting} base points were taken: a power of two fills the space evenly.",)
    return method, count, seed, ()


def _correlation(reader: Reader, spreads: tuple[Spread, ...], method: str) -> tuple[tuple[str, str, float], ...]:
    """Pairs of names with their correlation."""
    given = reader.source.data.get("correlation") or []
    example = "Write for example correlation: [[k, c, 0.5]]."
    if not isinstance(given, list | tuple):
        reader.faults.add(("correlation",), "a list is expected.", example)
        return ()
    if given and method in ("factorial", "saltelli"):
        what = f"{method} takes every number by itself: they cannot be correlated."
        reader.faults.add(("correlation",), what, "Use monte-carlo, latin or sobol.")
    known = [spread.name for spread in spreads]
    found = []
    for k, entry in enumerate(given):
        path: Where = ("correlation", k)
        if not isinstance(entry, list | tuple) or len(entry) != 3:
            reader.faults.add(path, "two names and a number are expected.", example)
            continue
        for name in entry[:2]:
            if name not in known:
                reader.faults.unknown(path, "varied number", name, known)
        value = reader.number(path, entry[2])
        if not -1 < value < 1 or entry[0] == entry[1]:
            reader.faults.add(path, f"{shown(entry[2])} is no correlation of two numbers.", "Give -1 < r < 1.")
        found.append((str(entry[0]), str(entry[1]), value))
    return tuple(found)


def _matrix(
    reader: Reader, spreads: tuple[Spread, ...], pairs: tuple[tuple[str, str, float], ...]
) -> np.ndarray | None:
    """Of all numbers; None where they are independent."""
    if not pairs:
        return None
    order = [spread.name for spread in spreads]
    R = np.eye(len(order))
    for one, other, value in pairs:
        i, j = order.index(one), order.index(other)
        R[i, j] = R[j, i] = value
    if np.linalg.eigvalsh(R).min() <= 1e-10:
        what = "no numbers can be correlated like that: the matrix of correlations is not positive definite."
        reader.faults.add(("correlation",), what, "Make them smaller.")
    return R


def _worded(reader: Reader, spreads: tuple[Spread, ...]) -> tuple[Wording, dict[int, str]]:
    """The reader of quantities, and the name of the column of each."""
    data = reader.source.data
    given = data.get("of")
    if isinstance(given, str):
        given = [given]
    if not isinstance(given, list | tuple) or not given:
        reader.faults.add(("of",), "nothing is asked for.", EXAMPLES)
        given = []
    known = Names(reader, reader.model)
    asked: list[Any] = []
    names: dict[int, str] = {}
    for k, entry in enumerate(given):
        path: Where = ("of", k)
        quantity = as_quantity(reader, known, path, entry) if isinstance(entry, str) else entry
        asked.append({} if quantity is None else quantity)
        name = entry.strip() if isinstance(entry, str) else _own_name(entry)
        if quantity is not None and name in names.values():
            reader.faults.add(path, f'"{shown(name)}" is asked for twice.', "Leave one out.")
        elif quantity is not None:
            names[k] = name
    variables = tuple(Variable(s.name, -np.inf, np.inf, s.nominal) for s in spreads)
    reader.source = reader.source.with_data({**data, "of": asked, "variables": {s.name: {} for s in spreads}})
    return Wording(reader, variables, True), names


def _own_name(entry: Any) -> str:
    """Of a quantity that is written as a map."""
    if not isinstance(entry, dict) or len(entry) != 1:
        return shown(entry)
    kind, given = next(iter(entry.items()))
    if isinstance(given, dict):
        return f"{kind}({', '.join(f'{key} {value}' for key, value in given.items())})"
    return f"{kind}[{given}]"


def model_file(source: Source) -> Path | None:
    """The model that a study names, beside its file."""
    name = source.data.get("model")
    return source.folder / name if isinstance(name, str) else None
