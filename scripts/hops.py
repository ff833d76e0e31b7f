"""How many files a command goes through, and how often from one package to another, counted by the interpreter.

    python scripts/hops.py modes examples/four_bar.yaml        of the eigenbody that is imported

A hop is a call from a function of one package to one of another. Imports do not count.
"""

from __future__ import annotations

import contextlib
import io
import sys
from pathlib import Path
from types import FrameType


def counted(arguments: list[str]) -> tuple[int, int]:
    """Files, and hops between packages."""
    import eigenbody
    from eigenbody.cli import main

    with contextlib.redirect_stdout(io.StringIO()):
        main(arguments)  # imports
    source = str(Path(eigenbody.__file__).parent) + "/"
    files: set[str] = set()
    hops = 0

    def package(path: str) -> str:
        return path.removeprefix(source).split("/")[0]

    def watch(frame: FrameType, event: str, _: object) -> None:
        nonlocal hops
        path = frame.f_code.co_filename
        if event != "call" or not path.startswith(source):
            return
        files.add(path)
        caller = frame.f_back
        while caller is not None and not caller.f_code.co_filename.startswith(source):
            caller = caller.f_back
        hops += caller is not None and package(caller.f_code.co_filename) != package(path)

    sys.setprofile(watch)
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            main(arguments)
    finally:
        sys.setprofile(None)
    return len(files), hops


if __name__ == "__main__":
    found = counted(sys.argv[1:])
    print(f"{found[0]} files, {found[1]} hops")
