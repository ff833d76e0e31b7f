"""Small models called often: a compiled model with other numbers, equations along a motion, expressions.

    python benchmarks/evaluator.py                  about a minute
    python benchmarks/evaluator.py --repeat 300

Least processor time of many calls, one thread. Agreement with the plain route comes before times. Writes
benchmarks/results/evaluator/<date>.json.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import sys
import time
from pathlib import Path

os.environ |= {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "examples"))
VALUES = {"k": 1.1e4, "mass": 4.1}
CHAINS = ("C10RF1", "C10SF1", "L3RF1")


def least(call, repeat):
    """Least processor time of a call, s."""
    best = float("inf")
    for _ in range(repeat):
        start = time.process_time()
        call()
        best = min(best, time.process_time() - start)
    return best


def evaluator(name, repeat):
    """Rows of a mechanism with other numbers: read and compiled again, and called."""
    import numpy as np
    from variants import parametrized

    import eigenbody as eb

    model = parametrized(name)
    rows = []
    for what, values in (("mass, stiffness", VALUES), ("and a position", {**VALUES, "shift": 1e-3})):
        f = eb.compiled(model, list(values))
        plain = eb.linearize(model.with_values(values))
        if np.abs(f(values).linear.A - plain.A).max() > 1e-9 * np.abs(plain.A).max():
            raise SystemExit(f"{name}: the evaluator and the plain route differ")
        many = {key: np.linspace(0.9, 1.1, 1000) * value for key, value in values.items()}
        rows.append(
            {
                "model": f"{name}, {what}",
                "plain modes": least(lambda v=values: eb.modes(model.with_values(v)), repeat // 3),
                "called: point": least(lambda v=values, f=f: f(v).point, repeat),
                "called: linear model": least(lambda v=values, f=f: f(v).linear, repeat),
                "called: eigenvalues": least(lambda v=values, f=f: f(v).eigenvalues, repeat),
                "called: modes": least(lambda v=values, f=f: f(v).modes, repeat),
                "many, each of 1000": least(lambda m=many, f=f: f.many(m), 2) / 1000,
            }
        )
    return rows


def along(repeat):
    """Equations along a motion, each of 41 times."""
    from families import family

    import eigenbody as eb

    four_bar = eb.load(HERE.parent / "examples" / "four_bar.yaml")
    models = {"four-bar linkage, 1 freedom": four_bar, "C5RF1, 5 freedoms": eb.load(family("C5RF1"))}
    rows = []
    for name, model in models.items():
        swing = eb.simulate(model.set(gravity=[0, 2, -9.81]), 0.4, points=41)
        rows.append({"model": name, "along, each of 41": least(lambda s=swing: eb.along(s), repeat // 20) / 41})
    return rows


def expressions(repeat):
    """A sum of thirty sines: its value and its two slopes, node by node and as code."""
    from eigenbody.model import expression_code
    from eigenbody.model.expressions import ExpressionSet, parse

    text = " + ".join(f"{0.1 * k}*sin({k}*s + 0.3*t)" for k in range(1, 31))
    value = parse(text)
    slopes = [value.derivative("s"), value.derivative("t")]
    here = {"s": 0.4, "t": 1.1}
    code = ExpressionSet((value, *slopes))
    row = {"model": "30 sines and 2 slopes", "as code": least(lambda: code.evaluate(here), repeat)}
    large, expression_code.LARGE = expression_code.LARGE, 10**9
    try:
        nodes = [parse(text + " + 0"), *(parse(text + " + 0").derivative(name) for name in "st")]
        row["node by node"] = least(lambda: [e.evaluate(here) for e in nodes], repeat)
    finally:
        expression_code.LARGE = large
    row["made in"] = least(lambda: expression_code.Code((value, *slopes)), repeat // 10)
    return [row]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeat", type=int, default=100)
    repeat = parser.parse_args().repeat
    rows = [row for name in CHAINS for row in evaluator(name, repeat)] + along(repeat) + expressions(repeat)
    for row in rows:
        print(row["model"])
        for what, seconds in row.items():
            if what != "model":
                print(f"    {what:24} {1e3 * seconds:9.4f} ms")
    folder = HERE / "results" / "evaluator"
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{datetime.date.today().isoformat()}.json"
    path.write_text(json.dumps(rows, indent=1) + "\n")
    print(f"wrote {path.relative_to(HERE.parent)}")


if __name__ == "__main__":
    main()
