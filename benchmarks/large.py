"""How time and memory grow with the number of bodies, beside the bare SciPy limit and other tools, in one run.

    python benchmarks/large.py                                        10 to 10,000 bodies, all families, no peers
    python benchmarks/large.py --sizes 1000,10000,100000 --families LR,CS
    python benchmarks/large.py --sizes 10,100,1000 --peers exudyn,mujoco,drake,pinocchio

Families: C chain, TL binary tree, L ladder, with R revolute or S spherical joints (examples/families.py). Prints one
table and writes benchmarks/results/<date>.json (a second run of the same day adds to it); `python benchmarks/chart.py`
draws it.
"""

from __future__ import annotations

import argparse
import datetime
import json
import math
import os
import platform
import re
import sys
import tempfile
from pathlib import Path

from processes import run

HERE = Path(__file__).resolve().parent
ENVIRONMENTS = Path(os.environ.get("EIGENBODY_PEERS", HERE / "peers" / "environments"))
FAMILIES = ("CR", "CS", "TLR", "TLS", "LR", "LS")
METHODS = {
    "exudyn": ("tree", "joints"),
    "mujoco": ("assembled", "transition"),
    "drake": ("linearize",),
    "pinocchio": ("derivatives",),
}
AGREE = 1e-4  # largest relative difference of a frequency at which a peer's time is shown
FROM = 900  # bodies from which the growth exponent is fitted
REPEATED = 2000  # bodies up to which the best of several is taken: of three commands, of ten calls
WARM = 20_000  # bodies up to which the best of three calls is taken: the first pays for memory from the system


def member(family, size):
    """Name of the member of a family with about `size` bodies, and its number of bodies."""
    kind, letter, springs = re.fullmatch(r"(C|TL|L)([RPCS])(?:F(\d+))?", family).groups()
    if kind == "C":
        count, bodies = size, size
    elif kind == "TL":
        count = max(1, round(math.log2(size + 1)))
        bodies = 2**count - 1
    else:
        count = max(1, size // 3)
        bodies = 3 * count
    return f"{kind}{count}{letter}F{springs or 1}", bodies


def measure(name, bodies, folder, options):
    """Everything about one mechanism: command, stages, limit, peers."""
    path = folder / f"{name}.json"
    written = run(["sh", "-c", f'"{sys.executable}" "{HERE.parent}/examples/families.py" {name} > "{path}"'], 300)
    row = {"name": name, "bodies": bodies, "file_mb": path.stat().st_size / 2**20}
    if written.failure:
        return {**row, "failure": written.failure}
    repeats = 3 if bodies <= REPEATED else 1
    runs = [run(command(path), options.timeout) for _ in range(repeats)]
    best = min(runs, key=lambda each: each.seconds)
    if best.failure:
        return {**row, "failure": best.failure}
    document = json.loads(best.output)
    row |= {"command": best.seconds, "command_mb": best.megabytes, "solver": document["solver"], "dof": document["dof"]}
    row |= {"redundant": len(document["certificate"]["redundant"])}
    calls = 10 if bodies <= REPEATED else 3 if bodies <= WARM else 1
    arguments = [str(path), "--solver", document["solver"], "--repeats", str(calls)]
    api = run([sys.executable, HERE / "stages.py", *arguments], options.timeout)
    row |= {"api_failure": api.failure} if api.failure else {"api": json.loads(api.output), "api_mb": api.megabytes}
    frequencies = [mode["frequency_hz"] for mode in document["modes"] if mode["kind"] == "oscillatory"]
    row |= {"frequencies": frequencies}
    if document["dof"] > 25 and row["name"][0] in "CTL" and re.search("[RS]F1$", name):
        row["limit"] = limit(name, calls, frequencies, options)
    if bodies <= 1.1 * options.peer_size:
        row["peers"] = {key: peer(*key.split("/"), path, frequencies, options) for key in options.methods}
    path.unlink()
    return row


def command(path):
    """The command as a user types it."""
    script = Path(sys.executable).with_name("eigenbody")
    return [
        *([script] if script.exists() else [sys.executable, "-m", "eigenbody"]),
        "modes",
        path,
        "--n",
        "20",
        "--json",
    ]


def limit(name, repeats, frequencies, options):
    """Bare SciPy on the same mechanism."""
    bare = run([sys.executable, HERE / "bare_scipy.py", name, str(repeats)], options.timeout)
    if bare.failure:
        return {"failure": bare.failure, "megabytes": bare.megabytes}
    found = json.loads(bare.output)
    return {
        "undamped": found["undamped"],
        "damped": found["damped"],
        "megabytes": bare.megabytes,
        "difference": difference(found["frequencies"], frequencies),
        "damped_difference": difference(found["damped_frequencies"], frequencies),
    }


def peer(tool, method, path, frequencies, options):
    """One other tool on the same file; its time counts when its frequencies agree with ours."""
    python = ENVIRONMENTS / tool / "bin" / "python"
    if not python.exists():
        return {"shown": "not installed"}
    done = run([python, HERE / "peers" / f"{tool}_peer.py", path, method], options.peer_timeout, options.peer_gigabytes)
    if done.failure:
        short = "memory" if re.search("MemoryError|bad_alloc|allocate", done.failure) else done.failure
        return {"shown": short if len(short) < 14 else "fails", "failure": done.failure, "megabytes": done.megabytes}
    found = json.loads(done.output.splitlines()[-1])
    if not found["frequencies"]:
        return {"shown": "refuses", **found, "megabytes": done.megabytes}
    error = difference(found["frequencies"], frequencies)
    right = error <= AGREE
    shown = f"{found['seconds']:.3g}" if right else f"off {error:.0e}"
    return {"shown": shown, "right": right, "difference": error, "megabytes": done.megabytes, **found}


def difference(found, expected):
    """Largest relative difference of the frequencies both sides have; infinite when one of them has too few."""
    count = min(len(expected), 20)
    if len(found) < count - 1:  # ARPACK gives at most all but one
        return math.inf
    pairs = zip(found[:count], expected, strict=False)
    return max(abs(a - b) / b if math.isfinite(a) else math.inf for a, b in pairs)


def exponent(rows, value):
    """Slope of log(value) over log(bodies) from 1000 bodies up, or None."""
    points = [(math.log(row["bodies"]), math.log(value(row))) for row in rows if row["bodies"] >= FROM and value(row)]
    if len({x for x, _ in points}) < 2:
        return None
    mx, my = (sum(axis) / len(points) for axis in zip(*points, strict=True))
    return sum((x - mx) * (y - my) for x, y in points) / sum((x - mx) ** 2 for x, _ in points)


def growth(rows):
    """Exponents of each family."""
    values = {
        "api": lambda row: row.get("api", {}).get("seconds", {}).get("total"),
        "command": lambda row: row.get("command"),
        "memory": lambda row: row.get("command_mb"),
    }
    families = {row["family"]: [each for each in rows if each["family"] == row["family"]] for row in rows}
    return {family: {n: exponent(own, value) for n, value in values.items()} for family, own in families.items()}


def earlier(out, today):
    """Rows already measured today: a second run adds to the file or replaces what it measures again."""
    if not out.exists():
        return []
    found = json.loads(out.read_text())
    return found["rows"] if found["date"] == today else []


def startup():
    """Seconds of the command on a small model and of importing NumPy and SciPy, best of five each."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "small.json"
        name = "C3RF1"
        run(["sh", "-c", f'"{sys.executable}" "{HERE.parent}/examples/families.py" {name} > "{path}"'], 60)
        imports = [sys.executable, "-c", "import numpy, scipy.linalg, scipy.sparse.linalg"]
        seconds = [(run(command(path), 60).seconds, run(imports, 60).seconds) for _ in range(5)]
    ours, bare = (min(each) for each in zip(*seconds, strict=True))
    return {"command": ours, "imports": bare, "ratio": ours / bare}


COLUMNS = (
    ("mechanism", lambda row: row["name"]),
    ("bodies", lambda row: str(row["bodies"])),
    ("dof", lambda row: str(row.get("dof", ""))),
    ("path", lambda row: row.get("solver", row.get("failure", ""))[:14]),
    ("load", lambda row: stage(row, "load")),
    ("point", lambda row: stage(row, "point")),
    ("linear", lambda row: stage(row, "linear")),
    ("modes", lambda row: stage(row, "modes")),
    ("API s", lambda row: stage(row, "total")),
    ("at once", lambda row: stage(row, "at once")),
    ("command s", lambda row: number(row.get("command"))),
    ("MB", lambda row: f"{row['command_mb']:.0f}" if "command_mb" in row else ""),
    ("limit", lambda row: number(row.get("limit", {}).get("undamped"))),
    ("damped", lambda row: number(row.get("limit", {}).get("damped"))),
    ("API/limit", lambda row: ratio(row)),
)


def number(value):
    return "" if value is None else f"{value:.3g}" if value < 1000 else f"{value:.0f}"


def stage(row, name):
    return number(row.get("api", {}).get("seconds", {}).get(name))


def ratio(row):
    total, bare = row.get("api", {}).get("seconds", {}).get("total"), row.get("limit", {}).get("undamped")
    return f"{total / bare:.1f}" if total and bare else ""


def table(rows, methods):
    """The rows as aligned text."""
    columns = [*COLUMNS, *((key, lambda row, key=key: row.get("peers", {}).get(key, {}).get("shown", ""))
                           for key in methods)]  # fmt: skip
    cells = [[title for title, _ in columns], *([text(row) for _, text in columns] for row in rows)]
    widths = [max(len(line[i]) for line in cells) for i in range(len(columns))]
    return "\n".join("  ".join(cell.rjust(width) for cell, width in zip(line, widths, strict=True)) for line in cells)


def summary(results):
    """Growth exponents and start-up, as text."""
    lines = ["", "growth exponent from 1000 bodies up:   API   command   memory"]
    for family, found in results["growth"].items():
        lines.append(f"{family:>38}  " + "  ".join("  -  " if v is None else f"{v:5.2f}" for v in found.values()))
    start = results["startup"]
    lines += ["", f"start-up: command {start['command']:.2f} s, imports of NumPy and SciPy {start['imports']:.2f} s,"
              f" ratio {start['ratio']:.2f}"]  # fmt: skip
    lines += [f"{what}: {seconds:.4g} s" for what, seconds in results["small"].items()]
    return "\n".join(lines)


def options_of(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", default="10,100,1000,10000", help="numbers of bodies")
    parser.add_argument("--families", default=",".join(FAMILIES), help="e.g. CR,TLS,LR or LRF2")
    parser.add_argument("--peers", default="", help="of " + ",".join(METHODS) + ", or exudyn/tree for one method")
    parser.add_argument("--peer-size", type=int, default=1000, help="largest number of bodies given to the peers")
    parser.add_argument("--peer-timeout", type=float, default=120, help="seconds")
    parser.add_argument("--peer-gigabytes", type=float, default=8, help="address space of a peer")
    parser.add_argument("--timeout", type=float, default=600, help="seconds for each of our own runs")
    parser.add_argument("--out", type=Path, help="file of the results (default benchmarks/results/<date>.json)")
    options = parser.parse_args(arguments)
    options.sizes = [int(float(size)) for size in options.sizes.split(",")]
    options.families = options.families.split(",")
    for family in options.families:
        if not re.fullmatch(r"(C|TL|L)([RPCS])(?:F(\d+))?", family):
            parser.error(f"{family!r} is not a family; write for example CR, TLS or LRF2")
    options.methods = []
    for name in filter(None, options.peers.replace("pin,", "pinocchio,").split(",")):
        tool, _, method = name.partition("/")
        if tool not in METHODS or (method and method not in METHODS[tool]):
            parser.error(f"{name!r} is not a peer; choose of {', '.join(METHODS)}")
        options.methods += [f"{tool}/{each}" for each in METHODS[tool] if method in ("", each)]
    return options


def main(arguments):
    options = options_of(arguments)
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    today = datetime.date.today().isoformat()
    out = options.out or HERE / "results" / f"{today}.json"
    results = {"date": today, "machine": f"{platform.machine()}, {os.cpu_count()} cores", "rows": earlier(out, today)}
    results["startup"] = startup()
    small = run([sys.executable, HERE / "stages.py", "small"], options.timeout)
    results["small"] = {} if small.failure else json.loads(small.output)
    with tempfile.TemporaryDirectory() as folder:
        for family in options.families:
            for size in sorted(options.sizes):
                name, bodies = member(family, size)
                print(f"{name} ...", file=sys.stderr, flush=True)
                row = {"family": family, **measure(name, bodies, Path(folder), options)}
                others = [each for each in results["rows"] if each["name"] != name]
                results["rows"] = sorted([*others, row], key=lambda each: (each["family"], each["bodies"]))
                results["growth"] = growth(results["rows"])
                out.parent.mkdir(parents=True, exist_ok=True)
                out.write_text(json.dumps(results, indent=1) + "\n")
    methods = dict.fromkeys(key for row in results["rows"] for key in row.get("peers", {}))
    print(table(results["rows"], methods))
    print(summary(results))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
