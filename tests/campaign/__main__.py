"""`PYTHONPATH=tests ./run python -m campaign PART --count N`: docs/campaign.md says what each part does."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from campaign import comparison, mechanism_cases, networks, records

PARTS = {
    "mechanisms": (mechanism_cases.case, comparison.compare),
    "networks": (networks.case, networks.compare),
}


def main() -> int:
    """Run one part; the exit code is 1 where something was wrong."""
    parser = argparse.ArgumentParser(prog="python -m campaign", description="Looks for wrong answers.")
    parser.add_argument("part", choices=list(PARTS))
    parser.add_argument("--count", type=int, default=1000, help="how many cases (default 1000)")
    parser.add_argument("--start", type=int, default=0, help="number of the first case (default 0)")
    parser.add_argument("--seed", type=int, default=1, help="another seed, other cases (default 1)")
    parser.add_argument("--out", type=Path, help="file for the failures, one JSON document a line")
    parser.add_argument("--summary", type=Path, help="file to which the counts are appended, one JSON document a line")
    given = parser.parse_args()
    summary = records.run(given.part, *PARTS[given.part], given.seed, given.start, given.count, given.out)
    print(records.table(summary))
    if given.summary:
        with given.summary.open("a", encoding="utf-8") as stream:
            stream.write(json.dumps(summary) + "\n")
    return int(any(row.get("any") for row in summary["wrong"].values()))


if __name__ == "__main__":
    sys.exit(main())
