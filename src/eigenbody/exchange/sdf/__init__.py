"""SDF: models and worlds of Gazebo (Simulation Description Format), with closed loops."""

from __future__ import annotations

from pathlib import Path

from eigenbody.base.errors import Fault, InputError
from eigenbody.exchange.base import Findings, Options, content_of
from eigenbody.exchange.meshes import Meshes
from eigenbody.exchange.sdf.elements import Reader
from eigenbody.exchange.sdf.sections import Sections
from eigenbody.exchange.xml import parse
from eigenbody.model.source import Source, shown

__all__ = ["read_sdf"]


def read_sdf(path: Path, options: Options) -> Source:
    """The sections of a model, with the lines of the file."""
    label = shown(path.name)
    root = parse(content_of(path, label), label)
    if root.tag != "sdf":
        what = f"an SDF file begins with <sdf>, not with <{shown(root.tag)}>."
        raise InputError(Fault(f"{label}, line {root.line}", what))
    found = Findings(label)
    folder = path.absolute().parent
    reader = Reader(found, root.attributes.get("version", ""), Meshes(folder, options))
    worlds, models = root.all("world"), root.all("model")
    if len(worlds) + len(models) != 1:
        what = f"it has {len(worlds)} worlds and {len(models)} models outside of them."
        raise InputError(Fault(label, what, "Give a file with one world or one model."))
    if worlds:
        reader.world(worlds[0])
    else:
        reader.model(models[0], "", is_root=True)
    found.raise_if_any()
    sections = Sections(reader.scene, options, found)
    data = sections.document((worlds or models)[0].attributes.get("name", "") or path.stem)
    found.raise_if_any()
    if reader.unsaid:
        found.note(f"Links without <inertial> have 1 kg and 1 kg m^2, as SDF says: {', '.join(reader.unsaid)}.")
    reader.meshes.note(found)
    if reader.left:
        found.note(f"Not read: {', '.join(f'{tag} ({n})' if n > 1 else tag for tag, n in reader.left.items())}.")
    return Source(
        data, folder, label, path.stem, lines=sections.lines, notes=tuple(found.notes), allow_files=options.allow_files
    )
