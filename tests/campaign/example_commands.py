"""Every command on every example, unharmed, with short horizons."""

from __future__ import annotations

import json
import random
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

from campaign.command_lines import LONG, SHORT, sensible_options
from campaign.in_process import faults, run, signature, tidy
from campaign.mutants import prepare
from campaign.mutations import EXAMPLES, examples

COMMANDS = (*SHORT, *LONG)


def one(example: Path, command: str, folder: Path, seed: int = 0) -> dict[str, Any]:
    """The record of one command on one example."""
    rng = random.Random(f"example {seed}/{example.stem}/{command}")
    arguments = [command, *sensible_options(command, examples()[example.stem], rng, folder)]
    if command != "report" and rng.random() < 0.5:
        arguments.append("--json")
    line = [arguments[0], str(example), *arguments[1:]]
    result = run(line)
    found = faults(line, result, example.read_text(encoding="utf-8"))
    return {"name": example.stem, "command": arguments, "code": result.code, "faults": found,
            "signature": signature(found) if found else "", "message": result.err[-300:]}  # fmt: skip


def campaign(seed: int, start: int, count: int, out: Path | None) -> dict[str, Any]:
    """Pairs of example and command, numbered with the commands innermost."""
    codes: Counter[str] = Counter()
    seen: Counter[str] = Counter()
    pairs = [(example, command) for example in EXAMPLES for command in COMMANDS]
    with tempfile.TemporaryDirectory() as name:
        folder = prepare(Path(name))
        for example, command in pairs[start : start + count]:
            record = one(example, command, folder, seed)
            codes[str(record["code"])] += 1
            if record["faults"]:
                seen[record["signature"]] += 1
                if out is not None:
                    with out.open("a", encoding="utf-8") as stream:
                        stream.write(tidy(json.dumps(record), folder) + "\n")
    tried = min(count, len(pairs) - start)
    return {
        "part": "examples",
        "seed": seed,
        "start": start,
        "count": tried,
        "codes": dict(codes),
        "failures": dict(seen),
    }
