"""Readers and writers of other people's formats: one file each, one registry line.

A reader takes a path and `Options` and gives a `Source`: the sections of a model file with the places in the foreign
file, and notes on what was dropped, renamed or repaired. A writer of results takes what the look of a result hands over
(a linear block, measured shapes, a scene that moves) and gives the bytes of a file; it is asked for by the ending.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

from eigenbody.base.errors import Fault, InputError
from eigenbody.exchange.base import BASES, Options
from eigenbody.model.source import Source, read, shown

READERS = {  # by the ending of the file
    ".urdf": "urdf.read_urdf",
    ".xml": "mjcf.read_mjcf",
    ".mjcf": "mjcf.read_mjcf",
    ".adm": "adams.read_adams",
    ".sdf": "sdf.read_sdf",
}
WRITERS = {".yaml": "model_file.write_yaml", ".yml": "model_file.write_yaml", ".urdf": "urdf.write.write_urdf"}
RESULT_WRITERS = {  # by the ending of the file: what the look of a result hands over, and what makes bytes of it
    "fmu": ("block", "fmu.write_fmi2"),
    "fmi3.fmu": ("block", "fmu.write_fmi3"),
    "mo": ("block", "modelica.write_block"),
    "uff": ("universal", "uff.write_uff"),
    "unv": ("universal", "uff.write_uff"),
    "glb": ("moving", "gltf.write_glb"),
    "pvd": ("moving", "vtk.write_pvd"),
    "pch": ("component", "punch.write_punch"),
}
READ = "Read are model files (.yaml, .yml, .json), URDF (.urdf), MJCF (.xml), SDF (.sdf) and Adams datasets (.adm)."
XACRO = "Expand it first: xacro {name} > {stem}.urdf (ROS 2: ros2 run xacro xacro {name} > {stem}.urdf)."
NOT_READ = {
    ".xacro": "this is a xacro file, from which a URDF is made.",
}


def is_foreign(path: object) -> bool:
    """Whether a path has the ending of another format than the model file."""
    return isinstance(path, str | Path) and Path(path).suffix.lower() in READERS.keys() | NOT_READ.keys()


def read_model(
    source: str | Path | Mapping[str, Any] | Source,
    base: str | None = None,
    strict: bool = False,
    allow_files: bool = False,
) -> Source:
    """A model file, a map of its sections, or a file of another format by its ending.

    base         "fixed" or "free": how the root link of a robot stands on the ground (URDF: fixed, SDF: as it says)
    strict       refuse what would be repaired with a note
    allow_files  the file may name others outside its folder
    """
    if base is not None and base not in BASES:
        raise InputError(Fault("--base", f'"{shown(base)}" is neither fixed nor free.', "Give fixed or free."))
    if not isinstance(source, str | Path) or not is_foreign(source):
        if base is not None:
            what = "a model file says itself how its bodies stand on the ground."
            raise InputError(Fault("--base", what, "Leave it out: it is for URDF files."))
        found = read(source)
        return replace(found, allow_files=True) if allow_files else found
    path = Path(source)
    kind = path.suffix.lower()
    if kind in NOT_READ:
        remedy = XACRO.format(name=path.name, stem=path.name.split(".")[0]) if kind == ".xacro" else READ
        raise InputError(Fault(shown(path.name), NOT_READ[kind], remedy))
    return _function(READERS[kind])(path, Options(base, strict, allow_files))


def written_as(kind: str) -> Callable[..., str]:
    """The writer of files with an ending: a function that gives the text of a model."""
    return _function(WRITERS[kind])


def result_written_as(ending: str) -> Callable[..., bytes]:
    """The writer of files of results with an ending: a function of what the look hands over and of the path."""
    return _function(RESULT_WRITERS[ending][1])


def _function(name: str) -> Callable[..., Any]:
    module, _, function = name.rpartition(".")
    return getattr(import_module(f"eigenbody.exchange.{module}"), function)
