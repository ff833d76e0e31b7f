"""`verify` over every example and over random mechanisms that together contain every registered element.

Wrong is a route that disagrees, and a model that not even `difference` can check. What each route checks is a table.
"""

from __future__ import annotations

import json
import re
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

import eigenbody as eb
from eigenbody.analyses.verify.find import TOLERANCE, Verification
from eigenbody.analyses.verify.routes import all_routes
from every_element import all_elements, contents, every_element

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*.yaml"))
REDRAWN = 8  # times that a mechanism which contradicts itself is drawn again
NAMED = re.compile(r'"[^"]*"|\([^)]*\)|\b\d[\d.e+-]*\b')


@dataclass
class Tally:
    """What the routes made of a set of models."""

    models: int = 0
    checked: Counter[str] = field(default_factory=Counter)
    largest: dict[str, float] = field(default_factory=dict)  # of eigenvalues that are held to 1e-8, relative
    reasons: defaultdict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    wrong: list[str] = field(default_factory=list)

    def add(self, name: str, found: Verification) -> None:
        """Count one model; what is wrong with it is kept as a sentence."""
        self.models += 1
        held = (found.eigenvalues != 0) & (found.tolerances <= (1 + 1e-12) * TOLERANCE * np.abs(found.eigenvalues))
        for result in found.results:
            route = result.route.name
            if result.spoils:
                self.wrong.append(f"{name}: {route} disagrees {result.reason}".rstrip())
            if result.match is None or not result.is_exact:
                why = result.reason if result.match is None else "a term that it neglects"
                self.reasons[route][NAMED.sub("…", why)] += 1
                continue
            self.checked[route] += 1
            apart = result.match.differences[held] / np.abs(found.eigenvalues[held])
            self.largest[route] = max(self.largest.get(route, 0.0), float(apart.max(initial=0.0)))
        asked = {result.route.name for result in found.results}
        if "difference" in asked and not found["difference"].agrees:
            self.wrong.append(f"{name}: not checked by difference: {found['difference'].reason}")


def drawn(numbers: Iterable[int], folder: Path) -> Iterator[tuple[str, dict[str, Any], Any]]:
    """Name, document and operating point of each mechanism."""
    for number in numbers:
        for again in range(REDRAWN):
            document = every_element(number, folder, again)
            try:
                point = eb.operating_point(eb.load(document))
            except eb.InputError:  # drawn positions or velocities contradict each other, a wheel lies flat
                continue
            yield f"{number}, {document['name']}", document, point
            break


def tally(
    numbers: Iterable[int], routes: list[str] | None = None, told: Callable[[int], object] = lambda count: None
) -> tuple[Tally, set[str]]:
    """Random mechanisms, and the registered elements that none of them has. `told`: hears how many are done."""
    out, documents = Tally(), []
    with tempfile.TemporaryDirectory() as folder:
        for name, document, point in drawn(numbers, Path(folder)):
            documents.append(document)
            out.add(name, eb.verify(point, routes))
            told(out.models)
    return out, all_elements() - set(contents(documents))


def over_examples(routes: list[str] | None = None, told: Callable[[str], object] = lambda name: None) -> Tally:
    """Every example. `told`: hears the name of each before it is done."""
    out = Tally()
    for path in EXAMPLES:
        told(path.stem)
        out.add(path.stem, eb.verify(eb.load(path), routes))
    return out


def table(examples: Tally, random: Tally) -> str:
    """Share checked by each route, and the most frequent reasons why not, as Markdown."""
    sets = f"{examples.models} examples | {random.models} random mechanisms"
    lines = [f"| route | {sets} | largest difference | not checked, mostly |", "|---|---|---|---|---|"]
    for route in all_routes():
        name = route.name
        shares = (f"{t.checked[name]} ({100 * t.checked[name] / max(t.models, 1):.0f} %)" for t in (examples, random))
        largest = max((t.largest.get(name, 0.0) for t in (examples, random)), default=0.0)
        why = (examples.reasons[name] + random.reasons[name]).most_common(3)
        reasons = "; ".join(f"{reason} {count}" for reason, count in why)
        lines.append(f"| `{name}` | {' | '.join(shares)} | {largest:.1e} | {reasons} |")
    return "\n".join(lines)


def campaign(seed: int, start: int, count: int, out: Path | None) -> dict[str, Any]:
    """Both sets; the table is printed."""
    first = 1000 * (seed - 1) + start
    random, missing = tally(range(first, first + count), None, lambda n: print(f"mechanism {n}", file=sys.stderr))
    examples = over_examples(None, lambda name: print(name, file=sys.stderr))
    print(table(examples, random), flush=True)
    wrong = [*examples.wrong, *random.wrong]
    if out is not None and wrong:
        with out.open("a", encoding="utf-8") as stream:
            stream.writelines(json.dumps({"name": text}) + "\n" for text in wrong)
    return {"part": "routes", "seed": seed, "start": start, "count": random.models, "missing": sorted(missing),
            "failures": dict(Counter(wrong))}  # fmt: skip
