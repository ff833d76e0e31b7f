"""Generalized-alpha on chains beside Exudyn's, same step, same damping, in one run.

    sh benchmarks/peers/install.sh exudyn
    python benchmarks/simulation.py [--sizes 10,100,1000] [--steps 200] [--step 0.001]

Chains of revolute joints with a spring-damper each (examples/families.py); the last joint starts with 1 rad/s. Time is
that of the integration alone, from a compiled model; the best of three for us, the best of plain and modified Newton
for Exudyn. A time is shown only where the last joint's angle agrees.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from pathlib import Path

from processes import run

HERE = Path(__file__).resolve().parent
ENVIRONMENTS = Path(os.environ.get("EIGENBODY_PEERS", HERE / "peers" / "environments"))
PUSH, RHO, AGREE = 1.0, 0.9, 1e-6


def ours(path, steps, step):
    """Best seconds of three, the angle of the last joint, statistics."""
    import eigenbody as eb

    document = json.loads(path.read_text())
    last = list(document["joints"])[-1]
    document["joints"][last]["velocity"] = PUSH
    point = eb.operating_point(eb.load(document))
    best = float("inf")
    for _ in range(3):
        start = time.perf_counter()
        found = eb.simulate(point, until=steps * step, method="generalized-alpha", step=step, rho=RHO, points=2)
        best = min(best, time.perf_counter() - start)
    return best, float(found.signal(last)[-1]), dict(found.statistics)


def peer(path, method, steps, step):
    """Seconds and angle of Exudyn, or why not."""
    python = ENVIRONMENTS / "exudyn" / "bin" / "python"
    script = HERE / "peers" / "exudyn_motion.py"
    command = [str(python), "-W", "ignore", str(script), str(path), method, str(steps), str(step), str(PUSH)]
    done = run(command, 60)
    if done.failure:
        return None, done.failure
    answer = json.loads(done.output.splitlines()[-1])
    return answer["seconds"], answer["angle"]


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", default="10,100,1000")
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--step", type=float, default=1e-3)
    options = parser.parse_args(arguments)
    print(
        f"{'chain':>10} {'ours s':>9} {'exudyn/joints':>14} {'ratio':>6} {'exudyn/tree':>12} {'ratio':>6}  iterations"
    )
    with tempfile.TemporaryDirectory() as folder:
        for size in map(int, options.sizes.split(",")):
            name = f"C{size}RF1"
            path = Path(folder) / f"{name}.json"
            written = run(
                ["sh", "-c", f'"{sys.executable}" "{HERE.parent}/examples/families.py" {name} > "{path}"'], 60
            )
            assert not written.failure, written.failure
            seconds, angle, statistics = ours(path, options.steps, options.step)
            cells = []
            for method in ("joints", "tree"):
                taken, other = peer(path, method, options.steps, options.step)
                agrees = taken is not None and abs(other - angle) <= AGREE * max(abs(angle), 1e-12)
                cells += [f"{taken:.4f}", f"{seconds / taken:.2f}"] if agrees else [str(other)[:14], ""]
            row = f"{name:>10} {seconds:9.4f} {cells[0]:>14} {cells[1]:>6} {cells[2]:>12} {cells[3]:>6}"
            print(f"{row}  {statistics['iterations']:.0f}", flush=True)


if __name__ == "__main__":
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    main(sys.argv[1:])
