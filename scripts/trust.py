"""docs/trust.md: what is proven and how, with the numbers of the last records in the repository.

    ./run python scripts/trust.py --count      count the tests anew (benchmarks/results/trust/<date>.json), then write
    ./run python scripts/trust.py              write the page from the records as they are

Every number comes from a record: tests as counted, comparison/results, the tables of docs/campaign.md, docs/verify.md,
docs/seeds.md and docs/theory/errata.md, and benchmarks/results. `tests/test_trust.py` compares the page with this.
"""

from __future__ import annotations

import ast
import datetime
import json
import re
import sys
from pathlib import Path
from typing import Any

# ruff: noqa: E501  sentences of the page
ROOT = Path(__file__).resolve().parents[1]
DOCS, RESULTS = ROOT / "docs", ROOT / "benchmarks" / "results"
PAGE = DOCS / "trust.md"
KINDS = {
    "verification": "closed forms, numbers of the literature, derivatives by complex steps, one folder for each analysis",
    "consistency": "the same machine two ways",
    "contracts": "what every element of a registry and every public name must do",
    "robustness": "bad input: every fault with its place and remedy",
    "campaign": "a small seeded part of the [campaign](campaign.md), and its 84-digit reference against closed forms",
    "numerics": "eigenvalues, factors, signals by themselves",
    "many": "many points: workers, clusters, stores, signals of the system",
    "cli": "every command, its exit codes and messages",
    "present": "tables, documents, files",
    "studio": "the page on this machine: what it refuses, and that its numbers are those of the commands",
    "service": "the commands over HTTP: the same documents, and what it survives",
    "browser": "report and studio in Chromium",
    "": "examples, documentation, rules of the house",
}
LIMITS = """\
- **Linear.** A linear model holds near its operating point. How near is not said: simulate, and compare.
- **A verdict needs constant coefficients.** Where the linear equations change along a motion that is not periodic, none is given (`frozen`).
- **Within rounding nobody knows.** A zero that is one only up to rounding is called one, with a note that names the spring or the mass that cancels; the bound of each eigenvalue's error is part of the result.
- **The model is yours.** A certificate says how well the equations of the file hold, not whether the file describes the machine: `check` counts freedoms and names what is redundant.
- **Flexible bodies are their modes.** A beam or a matrix file is reduced to the modes that were asked for; more of them is the test.
- **Contact, impacts, Coulomb friction that sticks** have no linearization at their corner; what stands for them is smooth, and says so.
- **Other formats** are read as far as they are mechanisms: what is left out, renamed or repaired stands in the notes.
- **Independent routes know less than the engine**: the table above says how much each checks. `difference` checks everything and shares the engine's equations of motion, not its tangents.
- **Memory is bounded on Linux alone** (`--limit-memory`, the service); time everywhere.
- **Not measured**: graphics cards, Windows and macOS; the tests run on Linux."""


def newest(folder: str) -> tuple[str, Any]:
    """Day and content of the last record of a benchmark."""
    path = max((RESULTS / folder).glob("*.json"))
    return path.stem, json.loads(path.read_text(encoding="utf-8"))


def counted() -> dict[str, dict[str, int]]:
    """Test functions and files of tests by folder; a function often has many cases."""
    found: dict[str, dict[str, int]] = {kind: {"functions": 0, "files": 0} for kind in KINDS}
    for path in sorted((ROOT / "tests").rglob("test_*.py")):
        parts = path.relative_to(ROOT / "tests").parts
        kind = parts[0] if len(parts) > 1 else ""
        tree = ast.parse(path.read_text(encoding="utf-8"))
        names = [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef) and n.name.startswith("test_")]
        found[kind]["functions"] += len(names)
        found[kind]["files"] += 1
    return found


def tests_of_the_record() -> str:
    """Tests as they were counted."""
    day, record = newest("trust")
    rows = [
        f"| {f'`tests/{kind}`' if kind else '`tests`'} | {record[kind]['functions']:,} | {what} |"
        for kind, what in KINDS.items()
        if kind in record
    ]
    total, files = (sum(row[key] for row in record.values()) for key in ("functions", "files"))
    head = f"{total:,} test functions in {files} files, counted on {day}; most of them have many cases."
    return "\n".join([head, "", "| where | functions | evidence |", "|---|---|---|", *rows])


def peers() -> str:
    """The last comparison with other tools."""
    path = max((ROOT / "comparison" / "results").glob("20*.txt"))
    tool, counts = "", {}
    for line in path.read_text(encoding="utf-8").splitlines()[1:]:
        said = re.search(r" exact +[-\d].*? (right|off by|no number)(.*)$", line)
        if line and not line.startswith(" "):
            tool = line.strip()
            counts[tool] = [0, 0, 0]
        elif tool and said is not None:
            counts[tool][2 if said[1] != "right" else 1 if said[2].strip() else 0] += 1
    rows = [f"| {name} | {' | '.join(map(str, row))} |" for name, row in counts.items() if sum(row)]
    head = f"Five small cases with closed forms, built in each tool as its own documentation builds them, some in several ways; what a tool refuses is not counted. On {path.stem} ([all numbers and reasons](comparison.md)):"
    titles = "| tool | right | right, with poles that the mechanism does not have | off, or no number |"
    return "\n".join([head, "", titles, "|---|---|---|---|", *rows])


def campaign() -> str:
    """The last campaign, after mending."""
    text = (DOCS / "campaign.md").read_text(encoding="utf-8")
    after = text.partition("After mending, the same cases:")[2].split("\n\n")[1]
    done = re.search(r"([\d,]+) were done .*?, ([\d,]+) refused .*?, ([\d,]+) could not be computed", text)
    assert done is not None
    return "\n".join(
        [
            "Random mechanisms against arithmetic of 84 digits that shares no code with the tool ([campaign](campaign.md)):",
            "",
            after.strip(),
            "",
            f"100,000 damaged model files through every command: {done[1]} done, {done[2]} refused with the fault named, {done[3]} not computed with the reason. The 218 that failed or took too long were mended and ran again without an internal error.",
        ]
    )


def routes() -> str:
    """What the independent routes check."""
    text = (DOCS / "verify.md").read_text(encoding="utf-8")
    rows = text.partition("| route | 41 examples |")[2].splitlines()[2:7]
    cells = [[cell.strip() for cell in row.strip("|").split("|")][:4] for row in rows]
    return "\n".join(
        [
            "`eigenbody verify` checks a model against itself by formulations that share nothing with the engine's tangents ([verify](verify.md)):",
            "",
            "| route | of 41 examples | of 200 random mechanisms | largest difference |",
            "|---|---|---|---|",
            *(f"| {' | '.join(row)} |" for row in cells),
        ]
    )


def published() -> str:
    """Cases of the literature."""
    seeds = (DOCS / "seeds.md").read_text(encoding="utf-8")
    rows = [row for row in seeds.splitlines() if row.startswith("| ") and "::test_" in row]
    errata = re.findall(r"^## (.+)$", (DOCS / "theory" / "errata.md").read_text(encoding="utf-8"), re.MULTILINE)
    gallery = [path for path in (DOCS / "gallery").glob("*.md") if path.stem != "index"]
    return "\n".join(
        [
            f"- {len(rows)} sections of the five sources, each with a number and the test that has it: [section by section](seeds.md).",
            f"- {len(errata)} formulas or tables of the literature that are wrong, each with the right one and a proof: [errata](theory/errata.md).",
            f"- {len(gallery)} machines of the gallery, each with its key number in `tests/test_examples.py` and where the number comes from: [gallery](gallery/index.md).",
        ]
    )


def robots() -> str:
    """Files of public packages."""
    found = []
    for name, reader in (("urdf", "Pinocchio"), ("mjcf", "MuJoCo")):
        lines = (ROOT / "comparison" / "results" / f"{name}.txt").read_text(encoding="utf-8").splitlines()
        agree = sum(
            bool(re.search(r"(^| )agrees", line)) and not re.match(r"\s*(\d|fixed:|free:)", line) for line in lines
        )
        listed = [line.strip() for line in lines if re.match(r"\s*(fixed:|free:|\d+ )", line)]
        found.append(f"- {name.upper()} against {reader}, {agree} comparisons agree: {'; '.join(listed)}.")
    return "\n".join(
        [
            "Every file of public packages of robots, read and compared ([how](other-files.md#how-well-it-agrees)):",
            "",
            *found,
        ]
    )


def service() -> str:
    """The last load test."""
    day, record = newest("serve")
    honest, hostile = record["honest"], record["hostile"]
    return (
        f"The [service](service.md#under-load) on {day}: {honest['requests']:,} honest requests beside {hostile['requests']:,} hostile ones,"
        f" {len(honest['wrong'])} answers that differ from the command line, {len(hostile['unclear'])} refusals that were not clear, {record['left']} processes left."
    )


def page() -> str:
    """The text of docs/trust.md."""
    parts = [
        "# What is proven, and how",
        "Numbers on this page are written by `scripts/trust.py` from the records of the last runs.",
        "## Published cases", published(),
        "## Other formulations", routes(),
        "## Random mechanisms and damaged files", campaign(),
        "## Other tools", peers(),
        "## Robots", robots(),
        "## Tests", tests_of_the_record(),
        "## Every result",
        "A result carries its certificate: residual of the operating point, drift of the constraints at each level, redundant rows by name, the difference between tangents and a directional derivative of the residual; modes also their backward error, the trace, and zeros counted twice. Where these disagree the result says so.",
        "## Requests of strangers", service(),
        "## Known limits", LIMITS,
    ]  # fmt: skip
    return "\n\n".join(parts) + "\n"


def main() -> None:
    """Count where asked to, write."""
    if "--count" in sys.argv[1:]:
        folder = RESULTS / "trust"
        folder.mkdir(exist_ok=True)
        name = f"{datetime.date.today().isoformat()}.json"
        (folder / name).write_text(json.dumps(counted(), indent=1) + "\n", encoding="utf-8")
    PAGE.write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
