"""Small dense LAPACK calls are many times slower when BLAS splits them over threads: keep them on one."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, wraps
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


@cache
def _controller() -> Any:
    import scipy.linalg  # noqa: F401 - brings its own BLAS, which the controller must see
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


def on_one_thread(function: Callable[P, T]) -> Callable[P, T]:
    """Run a function with BLAS on one thread; what the user has set is restored afterwards."""

    @wraps(function)
    def wrapped(*args: P.args, **kwargs: P.kwargs) -> T:
        with _controller().limit(limits=1, user_api="blas"):
            return function(*args, **kwargs)

    return wrapped
