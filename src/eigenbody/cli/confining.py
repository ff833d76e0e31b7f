"""A process that may read what Python needs and one folder, and write nothing: the second line behind the rules by
which models name files.

It hears what the interpreter reports (PEP 578) and refuses files elsewhere, other programs and connections. Libraries
that open files by themselves are not heard: the readers of such formats ask first.
"""

from __future__ import annotations

import errno
import os
import sys
import sysconfig
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

REFUSED = (
    "subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.spawn", "os.fork", "os.forkpty", "os.startfile",
    "socket.connect", "socket.bind", "socket.getaddrinfo", "os.remove", "os.rename", "os.rmdir", "os.mkdir", "os.link",
    "os.symlink", "os.truncate", "os.chmod", "os.chown", "shutil.rmtree", "shutil.copyfile", "shutil.move",
)  # fmt: skip
LISTED = ("os.listdir", "os.scandir", "glob.glob", "glob.glob/2")
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
SYSTEM = ("/dev/null", "/dev/urandom", "/proc/self", "/proc/cpuinfo", "/proc/stat", "/proc/meminfo", "/sys/devices")


class Confinement:
    """What may be read and written while it is in force."""

    def __init__(self, readable: list[Path], writable: list[Path]) -> None:
        self.writable = _resolved(writable)
        self.caches = _resolved([Path(path) for path in (*sys.path, *sysconfig.get_paths().values()) if path])
        self.readable = (*self.caches, *self.writable, *_resolved(readable), *map(os.path.realpath, SYSTEM), *SYSTEM)
        self.is_on = False
        sys.addaudithook(self._hear)

    @contextmanager
    def in_force(self) -> Iterator[None]:
        """Inside, everything else is refused."""
        self.is_on = True
        try:
            yield
        finally:
            self.is_on = False

    def _hear(self, event: str, arguments: tuple[Any, ...]) -> None:
        if not self.is_on:
            return
        if event == "open":
            path, mode, flags = arguments
            if not isinstance(path, int):
                self._judge(path, _is_writing(mode, flags))
        elif event in LISTED:
            if not isinstance(arguments[0], int):
                self._judge(arguments[0] or ".", False)
        elif event in REFUSED:
            paths = [one for one in arguments if isinstance(one, str | bytes | os.PathLike)]
            if event.startswith("os.") and paths and all(self._is_writable(_real(path)) for path in paths):
                return
            raise PermissionError(errno.EACCES, f"{event} is refused here")

    def _judge(self, path: Any, is_writing: bool) -> None:
        real = _real(path)
        if self._is_writable(real) or (not is_writing and _is_within(real, self.readable)):
            return
        raise PermissionError(errno.EACCES, "this is outside of what may be read")

    def _is_writable(self, real: str) -> bool:
        """Private folders, and the compiled code that libraries keep beside their own modules."""
        if _is_within(real, self.writable) or real == os.devnull:
            return True
        return "__pycache__" in Path(real).parts and _is_within(real, self.caches)


def _is_writing(mode: Any, flags: Any) -> bool:
    if isinstance(mode, str):
        return any(sign in mode for sign in "wax+")
    return bool(isinstance(flags, int) and flags & WRITING)


def _real(path: Any) -> str:
    return os.path.realpath(os.fsdecode(path))


def _resolved(paths: list[Path]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(os.path.realpath(path) for path in paths))


def _is_within(real: str, roots: tuple[str, ...]) -> bool:
    return any(real == root or real.startswith(root.rstrip(os.sep) + os.sep) for root in roots)
