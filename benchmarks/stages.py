"""Times the stages of one job through the Python API; a process of its own, so that its peak memory can be read.

python benchmarks/stages.py FILE --solver sparse --repeats 3     one JSON line: best seconds of each stage
python benchmarks/stages.py small                                 the small jobs: warm calls, all modes of 100 bodies
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from pathlib import Path

import eigenbody as eb

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "examples"))
from families import family

COUNT = 20


def stages(path, solver):
    """Seconds of each stage and the frequencies of one job."""
    clock = [time.perf_counter()]
    model = eb.load(path)
    clock.append(time.perf_counter())
    point = eb.operating_point(model)
    clock.append(time.perf_counter())
    linear = eb.linearize(point, solver=solver)
    clock.append(time.perf_counter())
    modes = eb.modes(linear, n=COUNT)
    clock.append(time.perf_counter())
    seconds = {
        name: end - start
        for name, start, end in zip(("load", "point", "linear", "modes"), clock, clock[1:], strict=False)
    }
    seconds["total"] = clock[-1] - clock[0]
    return seconds, modes


def at_once(path, repeats):
    """Best seconds of the one call that most users make, from the loaded model on and one after the other, as the peers
    are timed; each on a model of its own, because a model is compiled but once."""
    best = float("inf")
    for model in [eb.load(path) for _ in range(repeats)]:
        start = time.perf_counter()
        eb.modes(model, n=COUNT)
        best = min(best, time.perf_counter() - start)
    return best


def job(path, solver, repeats):
    """Best of `repeats` after a warm-up on a small model: imports are part of the command, not of the calls."""
    eb.modes(eb.linearize(eb.load(family("L3RF1")), solver=solver), n=COUNT)
    best = {}
    for _ in range(repeats):
        seconds, modes = stages(path, solver)
        best = {name: min(value, best.get(name, value)) for name, value in seconds.items()}
    best["at once"] = at_once(path, repeats)
    frequencies = [f for f, kind in zip(modes.frequency_hz.tolist(), modes.kinds, strict=True) if kind == "oscillatory"]
    worst = None if modes.residuals is None else float(modes.residuals.max())
    return {"seconds": best, "dof": modes.dof, "frequencies": frequencies, "residual": worst}


def small():
    """Warm seconds of the small jobs."""
    ten, hundred = eb.load(family("C10SF1")), eb.load(family("C100SF1"))
    return {
        "10 bodies, spherical chain: linearize + modes, warm": _best(lambda: eb.modes(eb.linearize(ten)), 10),
        "100 bodies, spherical chain: linearize + all modes": _best(lambda: eb.modes(eb.linearize(hundred)), 2),
        "100 bodies, spherical chain: 20 modes": _best(lambda: eb.modes(hundred, n=COUNT), 3),
        **loading("L3333RF1"),
    }


def loading(name):
    """Seconds to load 9999 bodies from JSON and from YAML (one line for each item)."""
    document = family(name)
    lines = []
    for key, value in document.items():
        if isinstance(value, dict):
            lines += [f"{key}:", *(f"  {item}: {json.dumps(entry)}" for item, entry in value.items())]
        else:
            lines.append(f"{key}: {json.dumps(value)}")
    seconds = {}
    with tempfile.TemporaryDirectory() as folder:
        for ending, text in (("json", json.dumps(document)), ("yaml", "\n".join(lines))):
            path = Path(folder) / f"{name}.{ending}"
            path.write_text(text)
            seconds[f"9999 bodies: load {ending.upper()}"] = _best(lambda path=path: eb.load(path), 1)
    return seconds


def _best(call, repeats):
    seconds = []
    for _ in range(repeats):
        start = time.perf_counter()
        call()
        seconds.append(time.perf_counter() - start)
    return min(seconds)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file")
    parser.add_argument("--solver", choices=("dense", "sparse"))
    parser.add_argument("--repeats", type=int, default=1)
    arguments = parser.parse_args()
    result = small() if arguments.file == "small" else job(arguments.file, arguments.solver, arguments.repeats)
    print(json.dumps(result))


if __name__ == "__main__":
    main()
