"""The executor: order, the same batches whoever computes, what happens to points and workers that fail."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import pytest

import eigenbody as eb
import many_work
from eigenbody.base.progress import listening
from eigenbody.many.run import Crew, Lost, in_order

POINTS = np.arange(103.0)[:, None]


def run(work: Callable[[np.ndarray], Any], crew: Crew, grain: int = 10, **more: Any) -> list[tuple[int, int, Any]]:
    return list(in_order(work, POINTS, crew, grain=grain, **more))


def joined(found: list[tuple[int, int, Any]]) -> np.ndarray:
    """Results end to end, nan where they are lost; every point stands there once."""
    assert [a for a, _, _ in found] == [0, *(b for _, b, _ in found[:-1])]
    assert found[-1][1] == len(POINTS)
    return np.concatenate([np.full(b - a, np.nan) if isinstance(r, Lost) else r for a, b, r in found])


@pytest.mark.parametrize("crew", [Crew(), Crew(1), Crew(2), Crew(3)])
def test_results_come_in_order_and_batches_are_the_same(crew: Crew) -> None:
    assert np.array_equal(joined(run(many_work.squares, crew)), POINTS[:, 0] ** 2)
    expected = np.r_[np.full(100, 10), np.full(3, 3)]
    assert np.array_equal(joined(run(many_work.batch_sizes, crew)), expected)


def test_known_grains_are_left_out() -> None:
    found = run(many_work.squares, Crew(2), known={0, 3, 10})
    assert [a for a, _, _ in found] == [10, 20, 40, 50, 60, 70, 80, 90]


@pytest.mark.parametrize("crew", [Crew(1), Crew(2)])
@pytest.mark.parametrize(
    ("work", "reason"),
    [(many_work.refuses_seven, "seven has no operating point."), (many_work.breaks_at_seven, "KeyError: 'seven'")],
)
def test_a_point_that_fails_is_the_only_one_lost(crew: Crew, work: Callable[..., Any], reason: str) -> None:
    found = run(work, crew)
    values = joined(found)
    assert np.flatnonzero(np.isnan(values)).tolist() == [7]
    (lost,) = [r for _, _, r in found if isinstance(r, Lost)]
    assert reason in lost.reason


def test_a_point_that_kills_its_process_is_the_only_one_lost() -> None:
    found = run(many_work.kills_its_process, Crew(2))
    assert np.flatnonzero(np.isnan(joined(found))).tolist() == [7]
    (lost,) = [r for _, _, r in found if isinstance(r, Lost)]
    assert "SIGKILL" in lost.reason


def test_a_killed_worker_costs_nothing(tmp_path: Path) -> None:
    """Its grain is computed again as a whole: not even its batch is another."""
    found = run(many_work.KilledOnce(tmp_path / "mark"), Crew(2))
    assert (tmp_path / "mark").exists()
    assert np.array_equal(joined(found), np.r_[np.full(100, 10), np.full(3, 3)] + POINTS[:, 0] ** 2)


def test_workers_that_cannot_read_the_work_are_done_without() -> None:
    notes: list[str] = []
    found = run(many_work.Unreadable(), Crew(2), notes=notes)
    assert np.array_equal(joined(found), POINTS[:, 0] ** 2)
    assert "not here" in notes[0]


def test_work_that_does_not_pickle_is_done_here() -> None:
    notes: list[str] = []
    found = run(lambda rows: rows[:, 0] ** 2, Crew(2), notes=notes)
    assert np.array_equal(joined(found), POINTS[:, 0] ** 2)
    assert len(notes) == 1


def test_progress_tells_rate_and_time_left() -> None:
    said: list[tuple[str, float | None]] = []
    with listening(lambda text, share: said.append((text, share))):
        run(many_work.squares, Crew(1), what="variants")
    assert said[-1][1] == 1.0
    assert said[-1][0].startswith("103 of 103 variants, ")
    assert said[-1][0].endswith(" a second, 0 s left")


def test_workers_are_a_positive_number() -> None:
    with pytest.raises(eb.InputError, match="Give at least 1"):
        run(many_work.squares, Crew(0))


def test_workers_end_when_the_iteration_is_left() -> None:
    before = psutil.Process().children()  # of other tests
    outcomes = in_order(many_work.squares, np.arange(10_000.0)[:, None], Crew(2), grain=1)
    next(outcomes)
    children = [child for child in psutil.Process().children() if child not in before]
    assert len(children) == 2
    outcomes.close()
    psutil.wait_procs(children, timeout=60)
    assert not any(child.is_running() for child in children)


SCRIPT = """
import sys; sys.path.insert(0, {support!r})
import numpy as np, many_work
from pathlib import Path
from eigenbody.many.run import Crew, in_order
list(in_order(many_work.SaysWhoAndWaits(Path({folder!r})), np.zeros((4, 1)), Crew(2), grain=1))
"""


def test_workers_end_when_their_parent_is_killed(tmp_path: Path) -> None:
    text = SCRIPT.format(support=str(Path(many_work.__file__).parent), folder=str(tmp_path))
    parent = subprocess.Popen([sys.executable, "-c", text])
    workers = [psutil.Process(pid) for pid in two_names_in(tmp_path, parent)]
    parent.kill()
    parent.wait()
    _, alive = psutil.wait_procs(workers, timeout=60)
    assert not alive


def two_names_in(folder: Path, parent: subprocess.Popen[bytes]) -> list[int]:
    """Process ids that two workers leave when they have begun."""
    while len(found := [int(path.name) for path in folder.iterdir()]) < 2:
        assert parent.poll() is None
        time.sleep(0.05)
    return found
