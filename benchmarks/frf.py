"""Seconds and memory of ten thousand frequencies of a tree of 127 bodies, by every method, each in its own process.

    python benchmarks/frf.py                      TL7SF1, 10,000 frequencies: about a minute
    python benchmarks/frf.py TL6SF1 --points 1000
    python benchmarks/frf.py TL11SF1 --points 200 --methods "sparse direct,sparse modal"

Writes benchmarks/results/frf/<date>.json.
"""

from __future__ import annotations

import argparse
import datetime
import json
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
METHODS = {
    "dense direct": {"solver": "dense", "method": "direct"},
    "dense modal": {"solver": "dense", "method": "modal"},
    "sparse direct": {"solver": "sparse", "method": "direct"},
    "sparse modal": {"solver": "sparse", "method": "modal", "modes": 40},
    "batched LU": {},
}
SPAN = (0.05, 400.0)  # Hz


def one(name, method, points):
    """One run in this process: seconds, and a few values to compare."""
    sys.path.insert(0, str(HERE.parent / "examples"))
    import numpy as np
    from families import family

    import eigenbody as eb

    model = eb.load(family(name))
    last = eb.operating_point(model).system.names[-1]
    hz = np.geomspace(*SPAN, points)
    start = time.perf_counter()
    if method == "batched LU":
        values = batched_lu(model, last, hz)
    else:
        found = eb.frf(model, last, ["j1.rz", last + "''"], hz, refine=False, **METHODS[method])
        values = found.values
    seconds = time.perf_counter() - start
    sample = values[:: max(1, points // 50), :, 0]
    print(json.dumps({"seconds": seconds, "real": sample.real.tolist(), "imag": sample.imag.tolist()}))


def batched_lu(model, last, hz, chunk=8):
    """What one would write with NumPy alone: a dense solution of the second-order equations for every frequency."""
    import numpy as np

    from eigenbody.analyses.linearize.ports import ports

    linear = ports(model, last, ["j1.rz", last + "''"], "dense").linear
    n, (_, B, C, D) = linear.dof, linear.state_space
    out = []
    for i in range(0, len(hz), chunk):
        s = 2j * np.pi * hz[i : i + chunk, None, None]
        q = np.linalg.solve(s**2 * linear.M + s * linear.C + linear.K, (linear.M @ B[n:])[None] + 0 * s)
        out.append(C @ np.concatenate((q, s * q), axis=1) + D)
    return np.concatenate(out)


def main():
    """Run all methods and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", nargs="?", default="TL7SF1")
    parser.add_argument("--points", type=int, default=10_000)
    parser.add_argument("--methods", default=",".join(METHODS))
    parser.add_argument("--timeout", type=float, default=900)
    parser.add_argument("--one", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        one(options.name, options.one, options.points)
        return
    from processes import run

    rows, exact = [], None
    print(f"{options.name}, {options.points} frequencies, 1 input, 2 outputs")
    print(f"{'method':15} {'seconds':>9} {'ms each':>9} {'MB':>6}  largest difference")
    for method in options.methods.split(","):
        command = [sys.executable, HERE / "frf.py", options.name, "--points", str(options.points), "--one", method]
        done = run(command, options.timeout)
        row = {"method": method, "megabytes": done.megabytes, "failure": done.failure}
        if done.failure is None:
            found = json.loads(done.output)
            row["seconds"] = found["seconds"]
            values = [
                [complex(a, b) for a, b in zip(*pair, strict=True)]
                for pair in zip(found["real"], found["imag"], strict=True)
            ]
            exact = exact or values
            modes = METHODS[method].get("modes")
            row |= {"modes": modes} if modes else {"difference": difference(values, exact)}
            remark = f"{modes} lowest modes only" if modes else f"{row['difference']:.1e}"
            each = 1e3 * row["seconds"] / options.points
            print(f"{method:15} {row['seconds']:9.2f} {each:9.3f} {done.megabytes:6.0f}  {remark}")
        else:
            print(f"{method:15} {done.failure}")
        rows.append(row)
    store(options, rows)


def difference(values, exact):
    """Largest difference of an entry over the largest value of that entry."""
    worst = 0.0
    for k in range(len(exact[0])):
        top = max(abs(row[k]) for row in exact)
        worst = max(worst, max(abs(a[k] - b[k]) for a, b in zip(values, exact, strict=True)) / top)
    return worst


def store(options, rows):
    """Add the run to today's file."""
    path = HERE / "results" / "frf" / f"{datetime.date.today()}.json"
    before = json.loads(path.read_text()) if path.exists() else {}
    key, measured = f"{options.name}, {options.points} frequencies", [row["method"] for row in rows]
    before[key] = [row for row in before.get(key, []) if row["method"] not in measured] + rows
    path.write_text(json.dumps(before, indent=1) + "\n")
    print(f"wrote {path}")


if __name__ == "__main__":
    main()
