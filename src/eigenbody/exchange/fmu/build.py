"""The library of an FMU, made by the C compiler of this machine where there is one."""

from __future__ import annotations

import os
import platform
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from eigenbody.base.errors import ComputationError

COMPILERS = ("cc", "gcc", "clang")
MACHINES = {"x86_64": "x86_64", "amd64": "x86_64", "aarch64": "aarch64", "arm64": "aarch64"}
SYSTEMS = {"linux": ("linux", ".so"), "darwin": ("darwin", ".dylib")}
LONGEST = 300  # seconds


def compiler() -> list[str]:
    """The command of the C compiler: that of CC, else the first that is there; empty where there is none."""
    asked = shlex.split(os.environ.get("CC", ""))
    for command in [asked] if asked else [[name] for name in COMPILERS]:
        found = shutil.which(command[0])
        if found:
            return [found, *command[1:]]
    return []


def built(sources: Mapping[str, bytes], main: str, identifier: str, version: int) -> dict[str, bytes]:
    """The library by its name in the archive; none without a compiler or on a system that the folders do not name."""
    command, machine = compiler(), MACHINES.get(platform.machine().lower())
    if not command or machine is None or sys.platform not in SYSTEMS:
        return {}
    system, ending = SYSTEMS[sys.platform]
    folder = f"{machine}-{system}" if version == 3 else f"{system}64"
    if version == 2 and (system, machine) == ("linux", "aarch64"):
        folder = "aarch64-linux"  # FMI 2.0 names none; tools look where FMI 3.0 does
    with tempfile.TemporaryDirectory(prefix="eigenbody-fmu-") as place:
        for name, text in sources.items():
            Path(place, name).write_bytes(text)
        library = Path(place, f"{identifier}{ending}")
        flags = ["-std=c99", "-O2", "-fPIC", "-shared", "-fvisibility=hidden", "-ffp-contract=off"]
        done = subprocess.run(
            [*command, *flags, main, "-o", library.name, "-lm"],
            cwd=place, capture_output=True, text=True, timeout=LONGEST, check=False,
        )  # fmt: skip
        if done.returncode:
            said = done.stderr.strip().splitlines()
            raise ComputationError(
                f"The C compiler {command[0]} did not compile the FMU: {said[0] if said else 'it says nothing'}."
                " Set CC to another one."
            )
        return {f"binaries/{folder}/{library.name}": library.read_bytes()}
