"""Files of triangles: STL, OBJ, COLLADA (.dae) and glTF (.glb), read with the package trimesh."""

from __future__ import annotations

import io
import logging
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from eigenbody.model.source import shown
from eigenbody.spatial.polyhedra import Solid, solid_of

ENDINGS = (".stl", ".obj", ".dae", ".glb")
LARGEST = 64 * 2**20  # bytes of a file
LARGEST_MATERIALS = 2**20  # bytes
MOST = 2_000_000  # triangles of a file
MOST_NODES, DEEPEST = 10_000, 50  # that a node of a COLLADA file consists of, and levels of them
FARTHEST = 1e30  # coordinates
INSTALL = "pip install 'eigenbody[mesh]'"
KEPT = 32  # files that are not read again


class MeshError(Exception):
    """A mesh cannot be had; the text says why, without a full stop."""


class NoReaderError(MeshError):
    """The package that reads COLLADA files is not installed."""


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """Triangles of one colour: vertices (n, 3) in the axes of the file, faces (m, 3), colour #rrggbb or ""."""

    vertices: np.ndarray
    faces: np.ndarray
    color: str


@dataclass(frozen=True, eq=False)
class Mesh:
    """All parts of a file."""

    parts: tuple[Part, ...]

    @property
    def vertices(self) -> np.ndarray:
        """Of all parts, (n, 3)."""
        return np.concatenate([part.vertices for part in self.parts])

    @property
    def faces(self) -> np.ndarray:
        """Of all parts, (m, 3), into `vertices`."""
        starts = np.cumsum([0, *(len(part.vertices) for part in self.parts)])
        return np.concatenate([part.faces + start for part, start in zip(self.parts, starts, strict=False)])

    @cached_property
    def solid(self) -> Solid:
        """What it encloses; OpenSurfaceError where it is not closed."""
        return solid_of(self.vertices, self.faces)


def read_mesh(path: Path) -> Mesh:
    """The triangles of a file, whose lengths are those of the file (COLLADA: metres, by the unit that it states)."""
    name = f'"{shown(path.name)}"'
    if path.suffix.lower() not in ENDINGS:
        raise MeshError(f"{name} is no mesh: its ending must be one of {', '.join(ENDINGS)}")
    try:
        if not path.is_file():
            raise MeshError(f"there is no file {name}")
        stat = path.stat()
    except OSError as problem:
        raise MeshError(f"{name} cannot be read: {problem.strerror}") from problem
    if stat.st_size > LARGEST:
        size, most = stat.st_size >> 20, LARGEST >> 20
        raise MeshError(f"{name} has {size} MB, and at most {most} are read: write it coarser")
    if path.suffix.lower() == ".dae" and find_spec("collada") is None:
        raise NoReaderError(f"reading .dae needs the package pycollada: {INSTALL}")
    return _read(path, stat.st_mtime_ns, stat.st_size)


@lru_cache(KEPT)
def _read(path: Path, changed: int, size: int) -> Mesh:
    """A file as it was at a time: variants of a model read it once."""
    name = f'"{shown(path.name)}"'
    try:
        content = path.read_bytes()
    except OSError as problem:
        raise MeshError(f"{name} cannot be read: {problem.strerror}") from problem
    if path.suffix.lower() == ".dae":
        _refuse_bombs(content, name)
    parts = tuple(_parts(_scene(content, path, name), name))
    if not parts:
        raise MeshError(f"{name} has no triangles")
    return Mesh(parts)


def _scene(content: bytes, path: Path, name: str) -> Any:
    """What trimesh reads from the content. Of the files that it names only materials of OBJ beside it are opened."""
    import trimesh

    kind = path.suffix.lower()[1:]
    loud = logging.getLogger("trimesh").level
    logging.getLogger("trimesh").setLevel(logging.CRITICAL)  # missing textures are no news
    try:
        return trimesh.load_scene(io.BytesIO(content), file_type=kind, resolver=_beside(path), process=False)
    except Exception as problem:  # whatever its readers fail with, the file is not what its ending says
        what = shown(" ".join(str(problem).split()) or type(problem).__name__, 120)
        raise MeshError(f"{name} cannot be read as {kind.upper()}: {what}") from problem
    finally:
        logging.getLogger("trimesh").setLevel(loud)


def _beside(path: Path) -> Any:
    """Gives trimesh the materials (.mtl) in the folder of a mesh and nothing else: no textures, no file elsewhere."""
    from trimesh.resolvers import Resolver

    class Materials(Resolver):
        """Files by name; whatever is refused is missing."""

        def __init__(self) -> None:
            self.folder = path.resolve().parent

        def get(self, key: str) -> bytes:
            file = (self.folder / key).resolve()
            if file.parent != self.folder or file.suffix.lower() != ".mtl" or file.stat().st_size > LARGEST_MATERIALS:
                raise FileNotFoundError(key)
            return file.read_bytes()

        def namespaced(self, namespace: str) -> Any:
            return self

        def keys(self) -> list[str]:
            return []

        def write(self, name: str, data: Any) -> None:
            raise PermissionError(name)

    return Materials()


def _refuse_bombs(content: bytes, name: str) -> None:
    """COLLADA is XML: no entities, and no nodes that consist of others so that a short file becomes very long."""
    from xml.etree import ElementTree

    if b"\0" in content or b"<!" in content.replace(b"<!--", b"").replace(b"<![CDATA[", b""):
        raise MeshError(f"{name} declares entities or a document type, which are not read")
    try:
        root = ElementTree.fromstring(content)
    except ElementTree.ParseError as problem:
        raise MeshError(f"{name} is no XML: {problem}") from problem
    uses = {
        f"#{node.get('id')}": [use.get("url", "") for use in node.findall(".//{*}instance_node")]
        for node in root.findall(".//{*}node")
    }
    if not _is_modest(uses):
        raise MeshError(f"{name} has nodes that consist of more than {MOST_NODES:,} others, or of themselves")


def _is_modest(uses: dict[str, list[str]]) -> bool:
    """Whether nodes, each with the names of those it uses, consist of few others, counted with all that these use."""
    size = dict.fromkeys(uses, 1)
    for _ in range(DEEPEST):
        larger = {name: 1 + sum(size.get(other, 1) for other in of) for name, of in uses.items()}
        if max(larger.values(), default=0) > MOST_NODES:
            return False
        if larger == size:
            return True
        size = larger
    return False


def _parts(scene: Any, name: str) -> Iterator[Part]:
    """Geometries where the nodes of the scene put them, those of one colour together."""
    placed = [scene.graph[node] for node in scene.graph.nodes_geometry]
    shapes = [(scene.geometry[key], np.asarray(pose, float)) for pose, key in placed]
    surfaces = [(shape, pose) for shape, pose in shapes if len(getattr(shape, "faces", ()))]
    count = sum(len(shape.faces) for shape, _ in surfaces)
    if count > MOST:
        raise MeshError(f"{name} has {count:,} triangles, and at most {MOST:,} are read: write it coarser")
    groups: dict[str, list[tuple[np.ndarray, np.ndarray]]] = {}
    for shape, pose in surfaces:
        vertices = np.asarray(shape.vertices, float) @ pose[:3, :3].T + pose[:3, 3]
        vertices = vertices * _unit(scene, shape)
        faces = np.asarray(shape.faces)
        if not np.all(np.abs(vertices) <= FARTHEST):
            raise MeshError(f"{name} has coordinates that are no numbers, or beyond {FARTHEST:g}")
        if len(faces) and (faces.min() < 0 or faces.max() >= len(vertices)):
            raise MeshError(f"{name} has triangles with corners that are not there")
        if np.linalg.det(pose[:3, :3]) < 0:
            faces = faces[:, ::-1]
        groups.setdefault(_color(shape), []).append((vertices, faces))
    for color, members in groups.items():
        starts = np.cumsum([0, *(len(vertices) for vertices, _ in members)])
        vertices = np.concatenate([vertices for vertices, _ in members])
        faces = np.concatenate([faces + start for (_, faces), start in zip(members, starts, strict=False)])
        for array in (vertices, faces):
            array.setflags(write=False)
        yield Part(vertices, faces, color)


def _unit(scene: Any, shape: Any) -> float:
    """Metres of a COLLADA file's unit; 1 of other formats, which state none or are in metres."""
    stated = str(shape.metadata.get("units") or scene.metadata.get("units") or "")
    number, _, rest = stated.partition(" * ")
    try:
        return float(number) if rest == "meters" else 1.0
    except ValueError:
        return 1.0


def _color(shape: Any) -> str:
    """The colour that the file gives to a geometry; "" where it gives none, or many."""
    visual = getattr(shape, "visual", None)
    if visual is None or not visual.defined:
        return ""
    material = getattr(visual, "material", None)
    if material is None:
        return ""
    red, green, blue = (int(value) for value in np.asarray(material.main_color)[:3])
    return f"#{red:02x}{green:02x}{blue:02x}"
