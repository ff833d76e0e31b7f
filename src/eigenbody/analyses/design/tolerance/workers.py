"""Many variants by several processes. Batches are the same whatever their number, and so are the results."""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from eigenbody.analyses.design.designs import Design, DesignSpace
from eigenbody.analyses.design.objectives import Quantity
from eigenbody.base.progress import report
from eigenbody.elements.vocabulary import VOCABULARY
from eigenbody.model.model import InertModel
from eigenbody.model.source import Source

ALONE = (
    "The other processes could not start, so one did all the work. In a script, call what works by several processes"
    ' under `if __name__ == "__main__":`, or ask for workers=1.'
)


def in_processes(
    space: DesignSpace, nominal: Design, quantities: list[Quantity], pieces: list[np.ndarray], workers: int | None
) -> list[np.ndarray] | None:
    """The table of each piece, in order; None where processes cannot be started or end early."""
    from concurrent.futures import ProcessPoolExecutor
    from concurrent.futures.process import BrokenProcessPool
    from multiprocessing import current_process, get_context

    if getattr(current_process(), "_inheriting", False):  # such a process, reading a script that has no main guard
        raise SystemExit(1)
    count = min(workers or os.cpu_count() or 1, len(pieces))
    packed = (space.model.source, *_ports(space), nominal.x, quantities)
    out = []
    try:
        with ProcessPoolExecutor(count, mp_context=get_context("spawn"), initializer=_prepare, initargs=packed) as pool:
            for k, table in enumerate(pool.map(_piece, pieces)):
                report(f"batch {k + 1} of {len(pieces)}", (k + 1) / len(pieces))
                out.append(table)
    except BrokenProcessPool:
        return None
    return out


def can_share(space: DesignSpace) -> bool:
    """Whether other processes can read the model: it uses the common element types and holds plain data alone."""
    import pickle

    if space.model.vocabulary is not VOCABULARY:
        return False
    try:
        pickle.dumps(space.model.source)
    except (pickle.PicklingError, TypeError, AttributeError):
        return False
    return True


def _ports(
    space: DesignSpace,
) -> tuple[tuple[str, ...], dict[str, int], dict[str, int], tuple[int, int], dict[str, str]]:
    return space.names, space.inputs, space.outputs, (space.velocities.start, space.velocities.stop), space.units


_task: dict[str, Any] = {}


def _prepare(
    source: Source, names: tuple[str, ...], inputs: dict[str, int],
    outputs: dict[str, int], velocities: tuple[int, int], units: dict[str, str], x: np.ndarray,
    quantities: list[Quantity],
) -> None:  # fmt: skip
    """In each process, once: the space and the nominal design."""
    space = DesignSpace(InertModel(source, vocabulary=VOCABULARY), names, inputs, outputs, slice(*velocities), units)
    _task.update(space=space, nominal=space.at(x), quantities=quantities)


def _piece(x: np.ndarray) -> np.ndarray:
    from eigenbody.analyses.design.tolerance.find import evaluated
    from eigenbody.numerics.runtime import on_one_thread

    return on_one_thread(evaluated)(_task["space"], _task["nominal"], _task["quantities"], x)
