"""Run numbered cases one after the other, count what came out, and write every failure with its document."""

from __future__ import annotations

import json
import sys
import time
import traceback
from collections import Counter, defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

from campaign.comparison import Outcome

NO_CASE = "no case: singular or contradictory"
Case = Callable[[int, int], tuple[str, dict[str, Any], int | None]]
Compare = Callable[[dict[str, Any], int | None], Outcome | None]


def run(name: str, case: Case, compare: Compare, seed: int, start: int, count: int, out: Path | None) -> dict[str, Any]:
    """The summary of one part of the campaign; failures go to `out`, one JSON document a line."""
    tried: Counter[str] = Counter()
    wrong: defaultdict[str, Counter[str]] = defaultdict(Counter)
    remarks: Counter[str] = Counter()
    verdicts: Counter[str] = Counter()
    begin = time.process_time()
    for index in range(start, start + count):
        kind, document, known = case(seed, index)
        try:
            outcome = compare(document, known)
        except Exception as error:
            outcome = Outcome({"reference": f"{type(error).__name__}: {error}"})
            traceback.print_exc(limit=-3, file=sys.stderr)
        if outcome is None:
            tried[NO_CASE] += 1
            continue
        tried[kind] += 1
        verdicts[outcome.truth] += 1
        wrong[kind].update(outcome.faults.keys())
        wrong[kind]["any"] += bool(outcome.faults)
        remarks.update(outcome.remarks.keys())
        if outcome.faults and out is not None:
            line = {"part": name, "kind": kind, "seed": seed, "index": index, "faults": outcome.faults,
                    "remarks": outcome.remarks, "document": document}  # fmt: skip
            with out.open("a", encoding="utf-8") as stream:
                stream.write(json.dumps(line) + "\n")
    return {
        "part": name, "seed": seed, "start": start, "count": count,
        "cpu_seconds": round(time.process_time() - begin, 1),
        "tried": dict(tried),
        "wrong": {k: {f: n for f, n in v.items() if n} for k, v in wrong.items()},
        "truth": dict(verdicts), "remarks": dict(remarks),
    }  # fmt: skip


def table(summary: dict[str, Any]) -> str:
    """The summary as a Markdown table: a row for each kind, a column for each fault that occurred."""
    faults = sorted({f for row in summary["wrong"].values() for f in row} - {"any"})
    lines = [f"| {summary['part']} | tried | wrong | {' | '.join(faults)} |", "|---" * (3 + len(faults)) + "|"]
    for kind, tried in sorted(summary["tried"].items()):
        row = summary["wrong"].get(kind, {})
        cells = [kind, tried, row.get("any", 0), *(row.get(f, 0) for f in faults)]
        lines.append("| " + " | ".join(str(cell) for cell in cells) + " |")
    total = sum(row.get("any", 0) for row in summary["wrong"].values())
    lines += ["", f"{sum(summary['tried'].values())} cases, {total} wrong, {summary['cpu_seconds']} s of CPU."]
    lines += [f"Remarks: {summary['remarks']}. True verdicts: {summary.get('truth', {})}."]
    return "\n".join(lines) + "\n"


def overview(summaries: list[dict[str, Any]]) -> str:
    """One row for each part of the campaign, from the summaries of all its runs."""
    tried: Counter[str] = Counter()
    wrong: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for summary in summaries:
        part = summary["part"]
        if "tried" in summary:  # compared with long arithmetic
            tried[part] += sum(n for kind, n in summary["tried"].items() if kind != NO_CASE)
            for row in summary["wrong"].values():
                wrong[part].update(row)
        else:
            tried[part] += summary["count"]
            wrong[part].update({"any": sum(summary["failures"].values())})
            for what, n in summary["failures"].items():
                wrong[part][" ".join(what.split()[:2] if what.startswith("exit") else what.split()[:1])] += n
    lines = ["| part | tried | wrong | what |", "|---|---|---|---|"]
    for part, count in tried.items():
        what = ", ".join(f"{fault} {n}" for fault, n in sorted(wrong[part].items()) if fault != "any" and n)
        lines.append(f"| {part} | {count} | {wrong[part]['any']} | {what} |")
    return "\n".join(lines) + "\n"
