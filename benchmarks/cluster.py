"""Many points by a Dask cluster: the same bits as by one process, and nothing lost when workers are killed.

    python benchmarks/cluster.py                      a minute of killing, two workers
    python benchmarks/cluster.py --seconds 15
    sudo python benchmarks/cluster.py --namespaces    each worker in a network namespace of its own (Linux, iproute2)

1. variants of ten bodies by one process, by a LocalCluster of two workers, and by a scheduler with two workers started
   as `dask worker` in processes (or in network namespaces, joined by a bridge): every array bit by bit the same.
2. Points in a store while a worker, chosen by its pid, is killed (SIGKILL) every few seconds: every point once, the
   same files as by one process, byte by byte.
Writes benchmarks/results/cluster/<date>.json.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import numpy as np
import psutil
from many_points import digest, values
from variants import HERE, parametrized

BRIDGE, HOST = "eigenbody0", "10.231.7.1"
EVERY = 4.0  # seconds between two kills, at least
STARTED = 4.0  # seconds of the processor that a worker needs to begin
ENVIRONMENT = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}


def quietly(*words):
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL)


@contextmanager
def namespaces(count):
    """Network namespaces on a bridge of this machine: the words that run a command in each, and its address."""
    names = [f"eigenbody{k}" for k in range(count)]
    try:
        quietly("ip", "link", "add", BRIDGE, "type", "bridge")
        quietly("ip", "addr", "add", f"{HOST}/24", "dev", BRIDGE)
        quietly("ip", "link", "set", BRIDGE, "up")
        places = []
        for k, name in enumerate(names):
            here, there, address = f"eb{k}a", f"eb{k}b", f"10.231.7.{k + 2}"
            quietly("ip", "netns", "add", name)
            quietly("ip", "link", "add", here, "type", "veth", "peer", "name", there, "netns", name)
            quietly("ip", "link", "set", here, "master", BRIDGE, "up")
            inside = ["ip", "netns", "exec", name]
            quietly(*inside, "ip", "addr", "add", f"{address}/24", "dev", there)
            quietly(*inside, "ip", "link", "set", there, "up")
            quietly(*inside, "ip", "link", "set", "lo", "up")
            places.append((inside, address))
        yield places
    finally:
        for name in names:
            subprocess.run(["ip", "netns", "del", name], stderr=subprocess.DEVNULL, check=False)
        subprocess.run(["ip", "link", "del", BRIDGE], stderr=subprocess.DEVNULL, check=False)


@contextmanager
def processes(scheduler_at, places):
    """A scheduler here and a `dask worker` with a nanny in each place: a client of them, and the nannies."""
    from distributed import Client

    started = []
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "scheduler.json"
        dask = [sys.executable, "-m", "distributed.cli.dask_scheduler", "--host", scheduler_at, "--port", "0"]
        quiet = {"stderr": subprocess.DEVNULL, "env": ENVIRONMENT}
        started.append(subprocess.Popen([*dask, "--no-dashboard", "--scheduler-file", str(file)], **quiet))
        while not file.exists():
            time.sleep(0.1)
        for inside, address in places:
            worker = [*inside, sys.executable, "-m", "distributed.cli.dask_worker", "--scheduler-file", str(file)]
            worker += ["--nworkers", "1", "--nthreads", "1", "--no-dashboard", "--host", address]
            started.append(subprocess.Popen([*worker, "--local-directory", folder], **quiet))
        try:
            with Client(scheduler_file=str(file), timeout=60) as client:
                client.wait_for_workers(len(places), timeout=120)
                yield client, started[1:]
        finally:
            for one in reversed(started):
                one.terminate()
            for one in started:
                one.wait(30)


@contextmanager
def local_cluster():
    from distributed import Client, LocalCluster

    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster, Client(cluster) as client:
        yield client


def arrays_of(model, given, **crew):
    import eigenbody as eb

    found = eb.variants(model, given, **crew)
    return {name: getattr(found, name) for name in ("eigenvalues", "right", "A", "B", "C", "D", "M", "damping", "K")}


def same(one, other):
    return all(np.array_equal(one[name], other[name], equal_nan=True) for name in one)


def workers_of(nannies):
    """Processes that compute: each the child of one that starts it again."""
    family = [child for nanny in nannies for child in psutil.Process(nanny.pid).children(recursive=True)]
    return [one for one in family if any("spawn_main" in word for word in one.cmdline())]


def at_work(nannies):
    """Those that have used the processor longer than their start takes."""
    return [one for one in workers_of(nannies) if one.cpu_times().user > STARTED]


def kill_now_and_then(nannies, until, killed):
    """Kill one worker after another by its pid, as soon as one works; their nannies start new ones."""
    chosen = random.Random(1)
    while not until.wait(EVERY):
        with suppress(psutil.Error):  # it has just ended
            if workers := at_work(nannies):
                chosen.choice(workers).kill()
                killed.append(time.monotonic())


def with_kills(client, nannies, folder, seconds):
    """Points until the time is over, in stores of 3000 each; workers are killed all the while."""
    import eigenbody as eb

    killed, over = [], threading.Event()
    killer = threading.Thread(target=kill_now_and_then, args=(nannies, over, killed))
    model, begun, runs = parametrized("C10SF1"), time.monotonic(), []
    killer.start()
    try:
        while time.monotonic() - begun < seconds:
            given = {key: array + 0.001 * len(runs) * array for key, array in values(3000).items()}
            runs.append(given)
            print(f"store {len(runs)}, {len(killed)} killed", file=sys.stderr)
            eb.variants(model, given, client=client, store=folder / f"killed{len(runs)}")
    finally:
        over.set()
        killer.join()
    verdicts = []
    for k, given in enumerate(runs, start=1):
        kept = eb.variants(model, given, workers=1, store=folder / f"alone{k}")
        points = eb.results(folder / f"killed{k}").column("point")
        once = np.array_equal(points, np.arange(len(points))) and len(points) == kept.about["points"]
        verdicts.append(once and digest(folder / f"killed{k}") == digest(folder / f"alone{k}"))
    failed = [int((eb.results(folder / f"killed{k + 1}").column("failure") != "").sum()) for k in range(len(runs))]
    return {"killed": len(killed), "points": 3000 * len(runs), "failed": sum(failed), "same_bytes": verdicts}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--namespaces", action="store_true")
    parser.add_argument("--out", type=Path, default=HERE / "results" / "cluster" / f"{datetime.date.today()}.json")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that namespaces and workers go
    model, given = parametrized("C10SF1"), values(options.count)
    alone = arrays_of(model, given, workers=1)
    found = {"count": options.count, "workers": 2, "namespaces": options.namespaces}
    print("LocalCluster", file=sys.stderr)
    with local_cluster() as client:
        found["local_cluster_same"] = same(alone, arrays_of(model, given, client=client))
    with ExitStack() as stack:
        apart = stack.enter_context(namespaces(2)) if options.namespaces else [([], "127.0.0.1")] * 2
        host = HOST if options.namespaces else "127.0.0.1"
        client, nannies = stack.enter_context(processes(host, apart))
        print("scheduler and workers", file=sys.stderr)
        found["addresses"] = sorted(client.scheduler_info()["workers"])
        found["scheduler_and_workers_same"] = same(alone, arrays_of(model, given, client=client))
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        found["kills"] = with_kills(client, nannies, folder, options.seconds)
    print(json.dumps(found, indent=1))
    options.out.parent.mkdir(parents=True, exist_ok=True)
    options.out.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
