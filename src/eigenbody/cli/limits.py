"""Options of every command: how long it may take and how much memory it may use. Who runs models of strangers sets
both."""

from __future__ import annotations

import inspect
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Annotated, Any

from eigenbody.base.errors import Fault, InputError
from eigenbody.cli import options

MEGABYTE = 2**20
EXTRA = {
    "limit_seconds": Annotated[
        float | None, options.option("--limit-seconds", "S", "End after so many seconds, with exit code 3.")
    ],
    "limit_memory": Annotated[
        float | None, options.option("--limit-memory", "MB", "Use no more memory than that, else exit code 3.")
    ],
}


def with_limits(function: Callable[..., Any]) -> Callable[..., Any]:
    """The command with both options."""
    signature = inspect.signature(function, eval_str=True)

    @wraps(function)
    def command(**given: Any) -> Any:
        seconds, memory = (given.pop(name) for name in EXTRA)
        with _time(seconds), _memory(memory):
            return function(**given)

    extra = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=kind)
        for name, kind in EXTRA.items()
    ]
    parameters = [*signature.parameters.values(), *extra]
    command.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    command.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    del command.__wrapped__
    return command


@contextmanager
def _time(seconds: float | None) -> Iterator[None]:
    """An alarm after so many seconds, which `stopping` hears like Ctrl-C."""
    if seconds is None:
        yield
        return
    if not 0 < seconds < 1e9:
        raise InputError(Fault("--limit-seconds", f"{seconds:g} is no time.", "Give a positive number of seconds."))
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        raise InputError(Fault("--limit-seconds", "there is no alarm on this system.", "Leave it out."))
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


@contextmanager
def _memory(megabytes: float | None) -> Iterator[None]:
    """Less memory for data of this process and of those that it starts; what was before is set again at the end."""
    if megabytes is None:
        yield
        return
    if not 1 <= megabytes < 1e9:
        raise InputError(Fault("--limit-memory", f"{megabytes:g} MB cannot be used.", "Give at least 1."))
    if not sys.platform.startswith("linux"):
        raise InputError(Fault("--limit-memory", "this system does not count memory so.", "Leave it out."))
    import resource

    before, most = resource.getrlimit(resource.RLIMIT_DATA)
    wanted = int(megabytes * MEGABYTE)
    resource.setrlimit(resource.RLIMIT_DATA, (wanted if most == resource.RLIM_INFINITY else min(wanted, most), most))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, (before, most))
