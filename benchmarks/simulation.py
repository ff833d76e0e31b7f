"""Generalized-alpha on chains beside Exudyn's, same step, same damping, in one run.

    sh benchmarks/peers/install.sh exudyn
    python benchmarks/simulation.py [--sizes 10,100,1000] [--steps 200] [--step 0.001]

Chains with a spring-damper in each joint (examples/families.py). CR: revolute joints, the last one starts with 1 rad/s
(its motion is linear: one Newton iteration per step will do); CS: spherical joints, the chain sags sideways under
gravity, which is not linear. Time is processor time of the integration alone, from a point that is known; the best of
five for us, with and without the compiled loops (extra `fast`), the best of three with plain and of three with modified
Newton for Exudyn. A time is shown only where the result agrees.
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
PUSH, RHO, AGREE = 1.0, 0.9, 1e-4
PEERS = {"R": ("joints", "tree"), "S": ("sag",)}


def ours(path, letter, steps, step, compiled):
    """Best seconds of five, what is compared, statistics."""
    import eigenbody as eb

    document = json.loads(path.read_text())
    read = list(document["joints"])[-1]
    if letter == "R":
        document["joints"][read]["velocity"] = PUSH
    else:
        document["gravity"], read = [9.81, 0, 0], list(document["bodies"])[-1] + ".x"
    point = eb.operating_point(eb.load(document))
    best = float("inf")
    for _ in range(5):
        start = time.process_time()
        found = eb.simulate(
            point, until=steps * step, method="generalized-alpha", step=step, rho=RHO, points=2, compiled=compiled
        )
        best = min(best, time.process_time() - start)
    return best, float(found.signal(read)[-1]), dict(found.statistics)


def peer(path, method, steps, step):
    """Seconds of Exudyn and what is compared, or why not."""
    python = ENVIRONMENTS / "exudyn" / "bin" / "python"
    script = HERE / "peers" / "exudyn_motion.py"
    command = [str(python), "-W", "ignore", str(script), str(path), method, str(steps), str(step), str(PUSH)]
    done = run(command, 60)
    if done.failure:
        return None, done.failure
    answer = json.loads(done.output.splitlines()[-1])
    return answer["seconds"], answer["value"]


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", default="10,100,1000")
    parser.add_argument("--joints", default="R,S")
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--step", type=float, default=1e-3)
    options = parser.parse_args(arguments)
    print(f"{'chain':>10} {'NumPy s':>9} {'compiled':>9}  iterations  peers: seconds (ours, compiled / theirs)")
    with tempfile.TemporaryDirectory() as folder:
        for letter in options.joints.split(","):
            for size in map(int, options.sizes.split(",")):
                compare(Path(folder), f"C{size}{letter}F1", letter, options)


def compare(folder, name, letter, options):
    """One line: our time, and each peer's with the ratio."""
    path = folder / f"{name}.json"
    written = run(["sh", "-c", f'"{sys.executable}" "{HERE.parent}/examples/families.py" {name} > "{path}"'], 60)
    assert not written.failure, written.failure
    plain, _, _ = ours(path, letter, options.steps, options.step, False)
    seconds, value, statistics = ours(path, letter, options.steps, options.step, True)
    cells = []
    for method in PEERS[letter]:
        taken, other = peer(path, method, options.steps, options.step)
        if taken is None:
            cells.append(f"exudyn/{method} {other}")
        elif abs(other - value) > AGREE * max(abs(value), 1e-9):
            cells.append(f"exudyn/{method} off: {other:.6g} instead of {value:.6g}")
        else:
            cells.append(f"exudyn/{method} {taken:.4f} ({seconds / taken:.2f})")
    print(f"{name:>10} {plain:9.4f} {seconds:9.4f}  {statistics['iterations']:10.0f}  {', '.join(cells)}", flush=True)


if __name__ == "__main__":
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    main(sys.argv[1:])
