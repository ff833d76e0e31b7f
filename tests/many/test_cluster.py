"""The same points by a Dask cluster: a scheduler and workers in processes of their own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import pytest

import eigenbody as eb
import many_work
from eigenbody.many.run import Crew, Lost, in_order

distributed = pytest.importorskip("distributed")
POINTS = np.arange(103.0)[:, None]


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    """Two workers, each a process, with a nanny that replaces one that is killed."""
    paths = os.pathsep.join([*os.environ.get("PYTHONPATH", "").split(os.pathsep), str(Path(many_work.__file__).parent)])
    cluster = distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, env={"PYTHONPATH": paths}
    )
    client = distributed.Client(cluster)
    client.run(_reach, str(Path(many_work.__file__).parent))
    yield client
    client.close()
    cluster.close()


def _reach(folder: str) -> None:
    sys.path.insert(0, folder)


def test_the_same_batches_in_order(client: Any) -> None:
    found = list(in_order(many_work.batch_sizes, POINTS, Crew(client=client), grain=10))
    assert [a for a, _, _ in found] == list(range(0, 103, 10))
    assert np.array_equal(np.concatenate([r for _, _, r in found]), np.r_[np.full(100, 10), np.full(3, 3)])


def test_a_point_that_fails_is_the_only_one_lost(client: Any) -> None:
    found = list(in_order(many_work.refuses_seven, POINTS, Crew(client=client), grain=10))
    lost = [(a, b, r.reason) for a, b, r in found if isinstance(r, Lost)]
    assert lost == [(7, 8, "seven has no operating point.")]
    assert sum(b - a for a, b, _ in found) == len(POINTS)


def test_work_that_workers_cannot_read_is_refused(client: Any) -> None:
    with pytest.raises(eb.ComputationError, match="not here"):
        list(in_order(many_work.Unreadable(), POINTS, Crew(client=client), grain=10))


def test_tolerance_gives_the_same_bits(client: Any) -> None:
    model = eb.load("examples/quarter_car.yaml")
    vary = {"ks": "5 %", "cs": "10 %"}
    here = eb.tolerance(model, vary, "monte-carlo", samples=700, workers=1)
    there = eb.tolerance(model, vary, "monte-carlo", samples=700, client=client)
    for a, b in zip(here.bands, there.bands, strict=True):
        assert a.samples is not None
        assert np.array_equal(a.samples, b.samples)


def test_a_killed_worker_costs_nothing(client: Any) -> None:
    model = eb.load("examples/quarter_car.yaml")
    here = eb.tolerance(model, {"ks": "5 %"}, "monte-carlo", samples=2000, workers=1)
    for pid in list(client.run(os.getpid).values())[:1]:
        psutil.Process(pid).kill()
    there = eb.tolerance(model, {"ks": "5 %"}, "monte-carlo", samples=2000, client=client)
    assert np.array_equal(here.bands[0].samples, there.bands[0].samples)  # type: ignore[arg-type]


def test_workers_and_client_exclude_each_other(client: Any) -> None:
    with pytest.raises(eb.InputError, match="not both"):
        list(in_order(many_work.squares, POINTS, Crew(2, client)))


def test_the_command_line_goes_to_a_scheduler(client: Any) -> None:
    command = [sys.executable, "-m", "eigenbody", "tolerance", "examples/quarter_car.yaml", "--vary", "ks=5%"]
    command += ["--samples", "600", "--json"]
    here = subprocess.run([*command, "--workers", "1"], capture_output=True, check=True, timeout=250)
    address = client.scheduler.address
    there = subprocess.run([*command, "--scheduler", address], capture_output=True, check=True, timeout=250)
    assert here.stdout == there.stdout
    assert there.stderr == b""


def test_no_scheduler_answers() -> None:
    command = [sys.executable, "-m", "eigenbody", "tolerance", "examples/quarter_car.yaml", "--vary", "ks=5%"]
    command += ["--samples", "600", "--scheduler", "tcp://127.0.0.1:9"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=250)
    assert done.returncode == 2
    assert done.stderr.startswith("eigenbody: --scheduler: no scheduler answers at tcp://127.0.0.1:9")
    assert done.stderr.count("\n") == 1
