"""The helicopter blade of twenty flexible sections: how long each stage takes, at rest and at 660 rpm.

python benchmarks/flexible.py            prints a table and writes results/flexible/<date>.json
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import eigenbody as eb

HERE = Path(__file__).parent
MODEL = HERE.parent / "examples" / "helicopter_blade.yaml"
REPEATS = 3


def timed(call: Callable[[], Any]) -> tuple[float, Any]:
    """Seconds of the fastest run, and the result."""
    best = float("inf")
    for _ in range(REPEATS):
        start = time.perf_counter()
        result = call()
        best = min(best, time.perf_counter() - start)
    return best, result


def stages(rpm: float) -> dict[str, float]:
    """Seconds of reading with finite elements and reduction, operating point, linearization, all eigenvalues."""
    load, _ = timed(lambda: eb.load(MODEL, rpm=rpm))
    find, point = timed(lambda: eb.operating_point(eb.load(MODEL, rpm=rpm)))
    linearize, linear = timed(lambda: eb.linearize(point))
    solve, modes = timed(lambda: eb.modes(linear))
    return {
        "rpm": rpm, "coordinates": point.system.nq, "freedoms": linear.dof, "eigenvalues": 2 * len(modes.eigenvalues),
        "load": load, "point": find - load, "linearize": linearize, "modes": solve,
    }  # fmt: skip


def main() -> None:
    """Measure, print, write."""
    rows = [stages(rpm) for rpm in (0, 660)]
    for row in rows:
        print("  ".join(f"{key} {value:.4g}" for key, value in row.items()))
    folder = HERE / "results" / "flexible"
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{datetime.now(UTC).date()}.json"
    path.write_text(json.dumps({"version": eb.__version__, "rows": rows}, indent=1) + "\n")


if __name__ == "__main__":
    main()
