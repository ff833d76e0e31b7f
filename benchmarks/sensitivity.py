"""All eigenvalue sensitivities of a model of 100 bodies at once, against central differences through the same calls.

    python benchmarks/sensitivity.py                  C100RF1: 100 masses and 100 stiffnesses, then 20 joint positions,
                                                      then these of the same chain with joint axes across it, in which
                                                      positions count: of the family itself all their slopes are zero
    python benchmarks/sensitivity.py TL6RF1 --sample 6
    python benchmarks/sensitivity.py --large L334RF1  the sparse path: 13 numbers of 1002 bodies

A central difference needs `eb.modes(model.with_values({name: value}))` twice for each number; a sample of them is timed
and scaled. Seconds are the smallest of several runs, of the clock and of the processor. Writes
benchmarks/results/sensitivity/<date>.json.
"""

from __future__ import annotations

import argparse
import datetime
import json
import platform
import resource
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
WIDTH = 1e-4  # relative step of the differences


def timed(f, runs):
    """Result, and the smallest time by the clock and by the processor."""
    times, out = [], None
    for _ in range(runs):
        clock, processor = time.perf_counter(), time.process_time()
        out = f()
        times.append((time.perf_counter() - clock, time.process_time() - processor))
    return out, [min(column) for column in zip(*times, strict=True)]


def difference(eb, model, name, found, i):
    """Central difference of all eigenvalues by one number, matched to those found; and how far they are apart."""
    import numpy as np
    from scipy.optimize import linear_sum_assignment

    value = found.values[i]
    h = WIDTH * (abs(value) or 1.0)
    ends = [eb.modes(model.with_values({name: value + sign * h})).eigenvalues for sign in (1, -1)]
    now = found.modes.eigenvalues
    ahead, behind = (e[linear_sum_assignment(np.abs(now[:, None] - e))[1]] for e in ends)
    slope = (ahead - behind) / (2 * h)
    size = np.maximum(np.abs(slope), 1e-3 * np.abs(now) / (abs(value) or 1.0))
    return float(np.nanmax(np.abs(found.eigenvalues[i] - slope) / size))


def compare(eb, model, names, sample, runs):
    """One row: the batch, the differences, their ratio."""
    eb.sensitivity(model, names)  # warm
    found, exact = timed(lambda: eb.sensitivity(model, names), runs)
    chosen = sorted({round(k * (len(names) - 1) / max(1, sample - 1)) for k in range(sample)})
    offs, each = [], []
    for i in chosen:
        off, seconds = timed(lambda i=i: difference(eb, model, names[i], found, i), 1)
        offs.append(off)
        each.append(seconds)
    mean = [sum(column) / len(column) for column in zip(*each, strict=True)]
    _, one = timed(lambda: eb.modes(eb.linearize(model)), runs)
    whole = [len(names) * seconds for seconds in mean]
    return {
        "numbers": len(names), "modes": len(found.modes), "seconds": exact[0], "processor_seconds": exact[1],
        "differences_seconds": whole[0], "differences_processor_seconds": whole[1],
        "times_faster": whole[0] / exact[0], "times_faster_processor": whole[1] / exact[1],
        "linearization_and_modes_seconds": one[0], "linearizations": exact[1] / one[1],
        "largest_difference": max(offs), "sampled": len(chosen),
    }  # fmt: skip


def across(document):
    """The same mechanism with all joint axes across the links, none like the next."""
    document = json.loads(json.dumps(document))
    for k, joint in enumerate(document["joints"].values()):
        joint["axis"] = [0.3 * (k % 3), 1.0, 0.1]
    return document


def large(eb, name, family):
    """The sparse path in this process: seconds and peak memory."""
    document = family(name)
    model = eb.load(document)
    bodies, forces, joints = (list(document[key]) for key in ("bodies", "forces", "joints"))
    names = [f"bodies.{x}.mass" for x in bodies[:5]] + [f"forces.{x}.k[5]" for x in forces[:5]]
    names += [f"joints.{x}.at[0]" for x in joints[:3]]
    _, modes = timed(lambda: eb.modes(model, n=20, solver="sparse"), 2)
    found, seconds = timed(lambda: eb.sensitivity(model, names, n=20, solver="sparse"), 2)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {"model": name, "bodies": len(bodies), "numbers": len(names), "modes": len(found.modes),
            "seconds": seconds[0], "processor_seconds": seconds[1], "modes_seconds": modes[0], "MB": peak}  # fmt: skip


def main():
    """Measure, print, write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", nargs="?", default="C100RF1")
    parser.add_argument("--sample", type=int, default=10)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--large", metavar="NAME")
    options = parser.parse_args()
    sys.path.insert(0, str(HERE.parent / "examples"))
    from families import family

    import eigenbody as eb

    if options.large:
        result = {"large": large(eb, options.large, family)}
    else:
        document = family(options.name)
        model = eb.load(document)
        physical = [f"bodies.{name}.mass" for name in document["bodies"]]
        physical += [f"forces.{name}.k[5]" for name in document["forces"]]
        places = [f"joints.{name}.at[0]" for name in list(document["joints"])[:20]]
        result = {
            options.name: {
                "masses and stiffnesses": compare(eb, model, physical, options.sample, options.runs),
                "joint positions": compare(eb, model, places, max(2, options.sample // 2), options.runs),
                "joint positions, axes across": compare(
                    eb, eb.load(across(document)), places, max(2, options.sample // 2), options.runs
                ),
            }
        }
    print(json.dumps(result, indent=2))
    folder = HERE / "results" / "sensitivity"
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"{datetime.date.today()}.json"
    known = json.loads(file.read_text()) if file.exists() else {"machine": platform.processor() or platform.machine()}
    file.write_text(json.dumps(known | result, indent=2) + "\n")


if __name__ == "__main__":
    main()
