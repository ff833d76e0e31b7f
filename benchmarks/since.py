"""`modes` against an earlier revision of this repository, both in one run: is it slower than it was?

    python benchmarks/since.py v1.0                       10 to 10,000 bodies: about ten minutes
    python benchmarks/since.py 38a6312 --families CR --sizes 10,100

The source of the revision is exported with `git archive`. Old and new take turns, each time in a process of their own,
and the least CPU time of all their calls counts: other work on the machine lengthens neither. A row counts only where
both find the same frequencies. Prints one table and writes benchmarks/results/since/<date>.json.
"""

from __future__ import annotations

import argparse
import datetime
import io
import json
import os
import platform
import subprocess
import sys
import tarfile
import tempfile
import time
from pathlib import Path

from large import difference, member
from processes import run

HERE = Path(__file__).resolve().parent
COUNT = 20
ALL_UP_TO = 1100  # bodies up to which the call without a number of modes is measured, too
AGREE = 1e-8  # largest relative difference of a frequency


def calls_of(bodies):
    """Calls in each process."""
    return 60 if bodies <= 30 else 25 if bodies <= 300 else 4 if bodies <= 3000 else 1


def measured(path, count, calls):
    """What one process does: the least CPU seconds of `eb.modes` on a loaded model, and what it found."""
    import eigenbody as eb

    eb.modes(eb.load(path), n=count)  # imports
    best, modes = float("inf"), None
    for _ in range(calls):
        model = eb.load(path)
        modes = None
        start = time.process_time()
        modes = eb.modes(model, n=count)
        best = min(best, time.process_time() - start)
    assert modes is not None
    found = {"solver": modes.solver, "dof": modes.dof, "frequencies": sorted(modes.frequency_hz.tolist())}
    return {"seconds": best, "source": str(Path(eb.__file__).parents[1]), **found}


def exported(revision, folder):
    """The source of a revision in a folder of its own, and the commit."""
    git = ["git", "-C", str(HERE.parent)]
    commit = subprocess.check_output([*git, "rev-parse", "--short", f"{revision}^{{commit}}"], text=True).strip()
    archive = subprocess.check_output([*git, "archive", commit, "src"])
    with tarfile.open(fileobj=io.BytesIO(archive)) as packed:
        packed.extractall(folder, filter="data")
    return Path(folder) / "src", commit


def once(source, arguments, timeout):
    """Run this file or the command with the source of one side."""
    os.environ["PYTHONPATH"] = str(source)
    done = run([sys.executable, *map(str, arguments)], timeout)
    if done.failure:
        raise SystemExit(f"{source}: {done.failure}")
    return done


def compared(path, count, bodies, sides, options):
    """One case: least seconds of both sides and their ratio."""
    best: dict[str, dict] = {}
    for _ in range(options.rounds):
        for side, source in sides.items():
            arguments = [__file__, "--measure", path, "--calls", calls_of(bodies), "--count", count or 0]
            found = json.loads(once(source, arguments, options.timeout).output)
            if Path(found["source"]) != Path(source).resolve():
                raise SystemExit(f"{found['source']} was measured instead of {source}.")
            if side not in best or found["seconds"] < best[side]["seconds"]:
                best[side] = found
    apart = difference(best["new"]["frequencies"], [f for f in best["old"]["frequencies"] if f > 0])
    return {
        "modes": count or "all",
        "solver": best["new"]["solver"],
        "dof": best["new"]["dof"],
        "old": best["old"]["seconds"],
        "new": best["new"]["seconds"],
        "ratio": best["new"]["seconds"] / best["old"]["seconds"] if apart <= AGREE else None,
        "difference": apart,
    }


def command(path, sides, options):
    """The whole command, start-up included: CPU seconds."""
    best = dict.fromkeys(sides, float("inf"))
    for _ in range(options.rounds):
        for side, source in sides.items():
            arguments = ["-m", "eigenbody", "modes", path, "--n", COUNT]
            best[side] = min(best[side], once(source, arguments, options.timeout).cpu)
    return {"modes": "command", **best, "ratio": best["new"] / best["old"]}


def table(rows):
    """The rows as text that can stand in a README."""
    lines = ["| mechanism | bodies | modes | path | before, ms | now, ms | ratio |", "|---|---|---|---|---|---|---|"]
    for row in rows:
        ratio = "differ" if row["ratio"] is None else f"{row['ratio']:.2f}"
        times = (f"{1e3 * row[side]:.4g}" for side in ("old", "new"))
        cells = (row["name"], str(row["bodies"]), str(row["modes"]), row.get("solver", ""), *times, ratio)
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def options_of(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("revision", nargs="?", help="a tag, branch or commit of this repository")
    parser.add_argument("--sizes", default="10,100,1000,10000", help="numbers of bodies")
    parser.add_argument("--families", default="CR,TLS,LR", help="as in large.py")
    parser.add_argument("--rounds", type=int, default=4, help="processes of each side for each case")
    parser.add_argument("--timeout", type=float, default=600, help="seconds for each process")
    parser.add_argument("--measure", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--calls", type=int, default=1, help=argparse.SUPPRESS)
    parser.add_argument("--count", type=int, default=0, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if not (options.revision or options.measure):
        parser.error("name the revision to compare with, for example a tag")
    return options


def main(arguments):
    options = options_of(arguments)
    if options.measure:
        print(json.dumps(measured(options.measure, options.count or None, options.calls)))
        return 0
    os.environ |= {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    today, rows = datetime.date.today().isoformat(), []
    out = HERE / "results" / "since" / f"{today}.json"
    out.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        old, commit = exported(options.revision, folder)
        os.environ["PYTHONPYCACHEPREFIX"] = str(Path(folder) / "compiled")  # neither side reads its source twice
        about = {"date": today, "since": commit, "machine": f"{platform.machine()}, {os.cpu_count()} cores"}
        sides = {"old": old, "new": HERE.parent / "src"}
        for family in options.families.split(","):
            for size in map(int, options.sizes.split(",")):
                name, bodies = member(family, size)
                print(f"{name} ...", file=sys.stderr, flush=True)
                path = Path(folder) / f"{name}.json"
                path.write_text(once(sides["new"], [HERE.parent / "examples" / "families.py", name], 300).output)
                counts = (COUNT, None) if bodies <= ALL_UP_TO else (COUNT,)
                found = [compared(path, count, bodies, sides, options) for count in counts]
                found.append(command(path, sides, options))
                rows += [{"name": name, "bodies": bodies, **each} for each in found]
                out.write_text(json.dumps({**about, "rows": rows}, indent=1) + "\n")
    print(table(rows))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
