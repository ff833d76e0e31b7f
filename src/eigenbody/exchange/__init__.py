"""Readers and writers of other people's formats: one file each, one registry line.

A reader takes a path and `Options` and gives a `Source`: the sections of a model file with the places in the foreign
file, and notes on what was dropped, renamed or repaired.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

from eigenbody.base.errors import Fault, InputError
from eigenbody.exchange.base import BASES, Options
from eigenbody.model.source import Source, read, shown

READERS = {".urdf": "urdf.read_urdf"}  # by the ending of the file
WRITERS = {".yaml": "model_file.write_yaml", ".yml": "model_file.write_yaml", ".urdf": "urdf.write.write_urdf"}
READ = "Read are model files (.yaml, .yml, .json) and URDF (.urdf)."
XACRO = "Expand it first: xacro {name} > {stem}.urdf (ROS 2: ros2 run xacro xacro {name} > {stem}.urdf)."
NOT_READ = {
    ".xml": "MJCF and other XML files are not read.",
    ".mjcf": "MJCF files are not read.",
    ".sdf": "SDF files are not read.",
    ".adm": "Adams files are not read.",
    ".xacro": "this is a xacro file, from which a URDF is made.",
}


def is_foreign(path: object) -> bool:
    """Whether a path has the ending of another format than the model file."""
    return isinstance(path, str | Path) and Path(path).suffix.lower() in READERS.keys() | NOT_READ.keys()


def read_model(
    source: str | Path | Mapping[str, Any] | Source, base: str | None = None, strict: bool = False
) -> Source:
    """A model file, a map of its sections, or a file of another format by its ending.

    base    "fixed" (default) or "free": how the root link of a robot stands on the ground
    strict  refuse what would be repaired with a note
    """
    if base is not None and base not in BASES:
        raise InputError(Fault("--base", f'"{shown(base)}" is neither fixed nor free.', "Give fixed or free."))
    if not isinstance(source, str | Path) or not is_foreign(source):
        if base is not None:
            what = "a model file says itself how its bodies stand on the ground."
            raise InputError(Fault("--base", what, "Leave it out: it is for URDF files."))
        return read(source)
    path = Path(source)
    kind = path.suffix.lower()
    if kind in NOT_READ:
        remedy = XACRO.format(name=path.name, stem=path.name.split(".")[0]) if kind == ".xacro" else READ
        raise InputError(Fault(shown(path.name), NOT_READ[kind], remedy))
    return _function(READERS[kind])(path, Options(base or "fixed", strict))


def written_as(kind: str) -> Callable[..., str]:
    """The writer of files with an ending: a function that gives the text of a model."""
    return _function(WRITERS[kind])


def _function(name: str) -> Callable[..., Any]:
    module, _, function = name.rpartition(".")
    return getattr(import_module(f"eigenbody.exchange.{module}"), function)
