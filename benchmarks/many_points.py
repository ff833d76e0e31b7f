"""A million variants of ten bodies through a store: time, bytes and memory; killed twice and gone on with.

    python benchmarks/many_points.py                   1,000,000 variants, twice: about an hour of two processors
    python benchmarks/many_points.py --count 20000     two minutes
    python benchmarks/many_points.py --folder million  keeps the stores there, and goes on with them when called again

A run from beginning to end and one that is killed (SIGKILL) at a third and at two thirds must leave the same files,
byte by byte. Memory is looked at at every tenth of the run: of the process that asks, and of the largest worker.
One-by-one calls are timed on a few variants. Writes benchmarks/results/many_points/<date>.json.
"""

from __future__ import annotations

import argparse
import datetime
import hashlib
import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from variants import HERE, parametrized

ONE_BY_ONE = 20


def values(count):
    import numpy as np

    random = np.random.default_rng(1)
    return {
        "k": 1e4 * random.uniform(0.8, 1.2, count), "mass": 4.0 * random.uniform(0.9, 1.1, count),
        "shift": random.uniform(0.0, 0.01, count),
    }  # fmt: skip


def child(folder, count, workers, name):
    """The run itself: memory (bytes) of this process and its largest worker at every tenth, and processor time."""
    import psutil

    import eigenbody as eb

    memory = []

    def watch():
        own = psutil.Process()
        for tenth in range(1, 11):
            while kept(folder) < tenth * count / 10 and not done.wait(0.2):
                pass
            sizes = [one.memory_info().rss for one in (own, *own.children())]
            memory.append({"kept": kept(folder), "asking": sizes[0], "worker": max(sizes[1:], default=0)})
            if done.is_set():
                return

    done = threading.Event()
    watcher = threading.Thread(target=watch)
    watcher.start()
    model = parametrized(name)
    begun = time.perf_counter()
    eb.variants(model, values(count), workers=workers, store=folder)
    wall = time.perf_counter() - begun
    done.set()
    watcher.join()
    use = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    spent = sum(u.ru_utime + u.ru_stime for u in use)
    peak = {"asking": use[0].ru_maxrss * 1024, "worker": use[1].ru_maxrss * 1024}
    print(json.dumps({"wall": wall, "cpu": spent, "memory": memory, "peak": peak}))


def kept(folder):
    spans = [path.stem.split("-")[1:] for path in Path(folder).glob("*/rows-*.parquet")]
    return max((int(b) for _, b in spans), default=0)


def digest(folder):
    found = hashlib.sha256()
    for path in sorted(Path(folder).glob("*/rows-*.parquet")):
        found.update(path.name.encode() + path.read_bytes())
    return found.hexdigest()


def command(folder, options):
    return [
        sys.executable, __file__, "--child", str(folder), "--count", str(options.count), "--workers",
        str(options.workers), "--model", options.model,
    ]  # fmt: skip


def whole(folder, options):
    """Let through; what it told of itself stands beside the store, for when this script is called again."""
    told = folder.with_suffix(".json")
    if not told.exists():
        done = subprocess.run(command(folder, options), capture_output=True, text=True, check=True)
        told.write_text(done.stdout)
    return json.loads(told.read_text())


def killed(folder, options):
    """Ended by SIGKILL when a third and two thirds are kept, then let through."""
    marks = folder.with_suffix(".killed")
    at = json.loads(marks.read_text()) if marks.exists() else []
    for share in (1 / 3, 2 / 3)[len(at) :]:
        process = subprocess.Popen(command(folder, options), stdout=subprocess.DEVNULL)
        while kept(folder) < share * options.count and process.poll() is None:
            time.sleep(0.01)
        process.kill()
        if process.wait() != -signal.SIGKILL:
            raise SystemExit("the run was through before it could be killed: take a larger --count")
        at.append(kept(folder))
        marks.write_text(json.dumps(at))
    return {"killed_at": at, **whole(folder, options)}


def one_by_one(options):
    """Processor seconds of one variant by itself."""
    import eigenbody as eb

    model, some = parametrized(options.model), values(ONE_BY_ONE)
    eb.modes(model)
    begun = time.process_time()
    for k in range(ONE_BY_ONE):
        eb.modes(model.with_values({name: float(array[k]) for name, array in some.items()}))
    return (time.process_time() - begun) / ONE_BY_ONE


def measured(straight, stopped, options):
    """Both runs, and whether they left the same."""
    found = {"count": options.count, "workers": options.workers, "model": options.model, **whole(straight, options)}
    found["bytes"] = sum(path.stat().st_size for path in straight.glob("*/rows-*.parquet"))
    found["one_by_one_cpu"] = one_by_one(options) * options.count
    found["stopped"] = killed(stopped, options)
    found["same_bytes"] = digest(straight) == digest(stopped)
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=1_000_000)
    parser.add_argument("--workers", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--model", default="C10SF1")
    parser.add_argument("--folder", help="of the stores; a new one that is removed afterwards, if none is named")
    parser.add_argument("--out", type=Path, default=HERE / "results" / "many_points" / f"{datetime.date.today()}.json")
    parser.add_argument("--child", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        child(options.child, options.count, options.workers, options.model)
        return
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(options.folder or temporary)
        folder.mkdir(exist_ok=True)
        found = measured(folder / "straight", folder / "stopped", options)
    print(json.dumps(found, indent=1))
    options.out.parent.mkdir(parents=True, exist_ok=True)
    options.out.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
