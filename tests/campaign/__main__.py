"""`PYTHONPATH=tests:tests/support ./run python -m campaign PART --count N`: docs/campaign.md says what the parts do."""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from pathlib import Path
from typing import Any

from campaign import comparison, example_commands, mechanism_cases, mutants, networks, records, routes, shafts

COMPARED = {
    "mechanisms": (mechanism_cases.case, comparison.compare),
    "networks": (networks.case, networks.compare),
    "shafts": (shafts.case, shafts.compare),
}
PART = 1000
RUN = {"mutants": mutants.campaign, "examples": example_commands.campaign, "routes": routes.campaign}


def main() -> int:
    """Run one part; the exit code is 1 where something was wrong."""
    parser = argparse.ArgumentParser(prog="python -m campaign", description="Looks for wrong answers.")
    parser.add_argument("part", choices=[*COMPARED, *RUN, "shrink", "table"])
    parser.add_argument("--count", type=int, default=1000, help="how many cases (default 1000)")
    parser.add_argument("--start", type=int, default=0, help="number of the first case (default 0)")
    parser.add_argument("--seed", type=int, default=1, help="another seed, other cases (default 1)")
    parser.add_argument("--out", type=Path, help="file for the failures, one JSON document a line (shrink: to read)")
    parser.add_argument("--summary", type=Path, help="file to which the counts are appended (table: to read)")
    given = parser.parse_args()
    if given.part == "shrink":
        return shrink(given.out)
    if given.part == "table":
        print(records.overview([json.loads(line) for line in given.summary.read_text(encoding="utf-8").splitlines()]))
        return 0
    if given.part in COMPARED:
        case, compare = COMPARED[given.part]
        summary = records.run(given.part, case, compare, given.seed, given.start, given.count, given.out)
        print(records.table(summary))
        wrong = any(row.get("any") for row in summary["wrong"].values())
        append(given.summary, summary)
        return int(wrong)
    return int(run_in_parts(given))


def run_in_parts(given: argparse.Namespace) -> bool:
    """Whether anything failed; counts are kept after every part, so that a run that is ended early is not lost."""
    wrong, end = False, given.start + given.count
    for start in range(given.start, end, PART):
        summary = RUN[given.part](given.seed, start, min(PART, end - start), given.out)
        print(json.dumps(summary), flush=True)
        append(given.summary, summary)
        wrong |= bool(summary["failures"])
    return wrong


def append(path: Path | None, summary: dict[str, Any]) -> None:
    if path:
        with path.open("a", encoding="utf-8") as stream:
            stream.write(json.dumps(summary) + "\n")


def shrink(path: Path) -> int:
    """Print each distinct failure of the mutants in a file with the smallest document that still fails."""
    distinct: dict[str, dict[str, Any]] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        distinct.setdefault(record["signature"], record)
    with tempfile.TemporaryDirectory() as folder:
        for name, record in sorted(distinct.items()):
            small = mutants.shrink(record, mutants.prepare(Path(folder)))
            print(f"### {name}\n\n`{' '.join(small['command'])}`\n\n```json\n{small['text']}\n```\n", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
