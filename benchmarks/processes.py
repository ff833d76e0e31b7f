"""Run a command, with its seconds, CPU seconds and its own peak memory."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import tempfile
import threading
import time
from dataclasses import dataclass


@dataclass(frozen=True)
class Run:
    """What one process did; `failure` is None when it ended well."""

    output: str
    seconds: float
    cpu: float
    megabytes: float
    failure: str | None


def run(command, timeout, gigabytes=None):
    """Run a command to its end, or to its time limit or memory limit (address space).

    The caller should stay small: the peak memory the kernel reports for a child starts from the caller's own.
    """

    def bound():
        if gigabytes:
            size = int(gigabytes * 2**30)
            resource.setrlimit(resource.RLIMIT_AS, (size, size))

    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
        start = time.perf_counter()
        process = subprocess.Popen(command, stdout=out, stderr=err, preexec_fn=bound, start_new_session=True)
        late = threading.Event()

        def stop():
            late.set()
            os.killpg(process.pid, signal.SIGKILL)

        timer = threading.Timer(timeout, stop)
        timer.start()
        try:
            _, status, usage = os.wait4(process.pid, 0)
        except BaseException:
            os.killpg(process.pid, signal.SIGKILL)
            raise
        finally:
            timer.cancel()
        seconds = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        err.seek(0)
        output, errors = out.read(), err.read().strip()
    failure = None
    if late.is_set():
        failure = f"> {timeout:g} s"
    elif process.returncode:
        failure = errors.splitlines()[-1][:160] if errors else f"ended with {process.returncode}"
    return Run(output, seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, failure)
