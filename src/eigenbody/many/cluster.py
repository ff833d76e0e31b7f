"""Workers of a Dask cluster. The cluster is the user's: its workers are asked, never started or ended here."""

from __future__ import annotations

import pickle
import threading
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from eigenbody.base.errors import ComputationError, Fault, InputError
from eigenbody.many.parcels import CannotWork, Parcel, Piece, Work, answers, lost, parcel_of

DEPTH = 2  # parcels for each thread of the cluster: one in work, one on the way
_one_at_a_time = threading.Lock()  # in a worker with several threads: BLAS has one number of threads for all of them


class Cluster:
    """The workers behind a `dask.distributed.Client`."""

    def __init__(self, work: Work, client: Any) -> None:
        from distributed import as_completed

        self._client = client
        if not client.nthreads():
            raise InputError(Fault("client", "the cluster has no workers.", "Start some: dask worker ADDRESS."))
        try:
            data = pickle.dumps(work)
        except (pickle.PicklingError, TypeError, AttributeError) as error:
            raise ComputationError(f"The model cannot travel to the workers ({error}).") from error
        self._task = client.submit(bytes, data, pure=False)  # scattered, it would be lost with its worker
        self._sent: dict[Any, Sequence[Piece]] = {}
        self._back = as_completed()

    def idle(self) -> int:
        return max(1, DEPTH * sum(self._client.nthreads().values())) - len(self._sent)

    def send(self, pieces: Sequence[Piece], rows: Sequence[np.ndarray]) -> None:
        future = self._client.submit(on_cluster, self._task, list(rows), pure=False)
        self._sent[future] = pieces
        self._back.add(future)

    def receive(self) -> Parcel:
        future = next(self._back)
        pieces = self._sent.pop(future)
        if future.status != "finished":
            error = future.exception() if future.status == "error" else None
            return lost(pieces, f"the worker that computed it was lost ({_reason(error)}).")
        unready, found, seconds = future.result()
        if unready is not None:
            raise CannotWork(f"workers of the cluster cannot read the model ({unready})")
        return parcel_of(pieces, found, seconds)

    def close(self) -> None:
        self._client.cancel(list(self._sent), force=True)
        self._sent.clear()


def _reason(error: BaseException | None) -> str:
    return "cancelled" if error is None else type(error).__name__


def on_cluster(task: bytes, rows: Sequence[np.ndarray]) -> tuple[str | None, list[tuple[Any, str | None]], float]:
    """In a worker: the answers of a parcel; or why the task cannot be read."""
    from eigenbody.numerics.runtime import on_one_thread

    with _one_at_a_time:
        try:
            work = _read(task)
        except Exception as error:  # whatever the reading of objects of another version may raise
            return f"{type(error).__name__}: {error}", [], 0.0
        return (None, *on_one_thread(answers)(work, rows))


@lru_cache(maxsize=2)
def _read(task: bytes) -> Work:
    return pickle.loads(task)


def client_at(address: str) -> Any:
    """A client of the scheduler at an address, for the command line."""
    try:
        from distributed import Client
    except ImportError as error:
        remedy = 'Run: pip install "eigenbody[cluster]".'
        raise InputError(Fault("--scheduler", "Dask is not installed.", remedy)) from error
    try:
        return Client(address, timeout=10)
    except (OSError, ValueError) as error:
        what = f"no scheduler answers at {address} ({' '.join(str(error).split())[:120]})."
        raise InputError(Fault("--scheduler", what, "Start one: dask scheduler.")) from error
