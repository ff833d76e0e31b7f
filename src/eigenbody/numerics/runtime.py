"""Many small steps: BLAS on one thread, memory that is used again, no search for garbage where none is made.

Small dense LAPACK calls are many times slower when BLAS splits them over threads, and arrays of some hundred kilobytes
cost more to get from the system than to fill.
"""

from __future__ import annotations

import gc
from collections.abc import Callable
from functools import cache, wraps
from typing import Any, ParamSpec, TypeVar

import numpy as np

KEPT = 31 * 2**20  # bytes; glibc adapts to blocks below 32 MiB, and keeps twice as much at the end of its heap

P = ParamSpec("P")
T = TypeVar("T")


@cache
def _controller() -> Any:
    import scipy.linalg  # noqa: F401 - brings its own BLAS, which the controller must see
    from threadpoolctl import ThreadpoolController

    _keep_freed_memory()
    return ThreadpoolController()


def _keep_freed_memory() -> None:
    """Free a large block once: the C library (glibc) then keeps freed blocks up to that size for the next array instead
    of returning them to the system, which would hand every page out anew. Elsewhere this does nothing."""
    np.empty(KEPT, dtype=np.uint8)


def on_one_thread(function: Callable[P, T]) -> Callable[P, T]:
    """Run a function with BLAS on one thread; what the user has set is restored afterwards."""

    @wraps(function)
    def wrapped(*args: P.args, **kwargs: P.kwargs) -> T:
        controller = _controller()
        if all(library.num_threads == 1 for library in controller.lib_controllers if library.user_api == "blas"):
            return function(*args, **kwargs)  # set already, by the user or by the call that this one is part of
        with controller.limit(limits=1, user_api="blas"):
            return function(*args, **kwargs)

    return wrapped


def without_collection(function: Callable[P, T]) -> Callable[P, T]:
    """Run a function that makes many lasting objects without looking for garbage among them again and again."""

    @wraps(function)
    def wrapped(*args: P.args, **kwargs: P.kwargs) -> T:
        was_on = gc.isenabled()
        gc.disable()
        try:
            return function(*args, **kwargs)
        finally:
            if was_on:
                gc.enable()

    return wrapped
