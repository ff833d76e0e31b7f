"""The XML of an MJCF file before anything compiles it: what it includes, which files it names, where things stand."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from eigenbody.base.errors import Fault, InputError
from eigenbody.exchange.base import LARGEST, Findings, Options, content_of
from eigenbody.exchange.xml import Element, parse
from eigenbody.model.source import shown

ROOT, PART = "mujoco", "mujocoinclude"
DEEPEST = 20  # files that include each other
OTHERS = {
    "robot": "This is URDF: give it the ending .urdf.",
    "sdf": "This is SDF.",
    PART: "Read the file that includes it.",
}
REMEDY = "Move it there, or allow it: --allow-files (Python: allow_files=True)."
FOLDERS = ("meshdir", "texturedir", "assetdir")
IN_TREE = {"freejoint": "joint"}
ACTUATORS = "actuator"


@dataclass(frozen=True, slots=True, eq=False)
class Texts:
    """Root elements of a file and of all that it includes, and the lines of what has a name, by kind and name."""

    roots: list[tuple[str, Path, Element]]  # label of the file, its folder, its root
    lines: dict[tuple[str, str], tuple[str, int]] = field(default_factory=dict)

    def line(self, kind: str, name: str) -> int:
        """The line of something in the main file; 0 where it has no name or stands in another file."""
        label, line = self.lines.get((kind, name), ("", 0))
        return line if label == self.roots[0][0] else 0


def texts_of(path: Path, options: Options, found: Findings) -> Texts:
    """The file, what it includes and what it attaches: no document types, no entities, nothing outside its folder
    unless allowed."""
    main = parse(content_of(path, found.label), found.label)
    if main.tag != ROOT:
        what = f"an MJCF file begins with <{ROOT}>, not with <{shown(main.tag)}>."
        raise InputError(Fault(f"{found.label}, line {main.line}", what, OTHERS.get(main.tag, "")))
    texts = Texts([])
    _read(path, main, found.label, texts, options, found, ())
    _check_assets(path, texts, options, found)
    found.raise_if_any()
    return texts


def _read(
    path: Path, root: Element, label: str, texts: Texts, options: Options, found: Findings, trail: tuple[Path, ...]
) -> None:
    texts.roots.append((label, path.parent, root))
    for kind, name, line in _named(root):
        texts.lines.setdefault((kind, name), (label, line))
    main = (trail or (path.resolve(),))[0].parent
    for element in root.walk():
        name = element.attributes.get("file", "")
        if element.tag != "include" and not (element.tag == "model" and name):
            continue
        places = [(folder / name).resolve() for folder in (main, path.parent)]  # MuJoCo looks in this order
        other = next((place for place in places if place.is_file()), places[-1])
        if not name:
            found.fault("include", element.line, "it names no file.")
        elif other in trail or other == path.resolve() or len(trail) > DEEPEST:
            found.fault(element.tag, element.line, f"files include each other: {shown(name)}.")
        elif not (options.allow_files or other.is_relative_to(main)):
            found.fault(element.tag, element.line, f"{shown(name)} is outside the folder of the file.", REMEDY)
        elif not other.is_file():
            found.fault(element.tag, element.line, f"there is no file {shown(name)}.")
        else:
            inner = shown(other.name)
            _read(other, parse(content_of(other, inner), inner), inner, texts, options, found, (*trail, path.resolve()))


def _named(root: Element) -> Iterator[tuple[str, str, int]]:
    """Kind, name and line of everything that has a name."""
    inside_actuator = {id(child) for element in root.walk() if element.tag == ACTUATORS for child in element.children}
    for element in root.walk():
        if name := element.attributes.get("name"):
            kind = ACTUATORS if id(element) in inside_actuator else IN_TREE.get(element.tag, element.tag)
            yield kind, name, element.line


def _check_assets(path: Path, texts: Texts, options: Options, found: Findings) -> None:
    """Meshes, textures, height fields, skins: they must exist and be of a size, inside the folder unless allowed."""
    elements = [(label, folder, element) for label, folder, root in texts.roots for element in root.walk()]
    settings = [element.attributes for _, _, element in elements if element.tag == "compiler"]
    folders = {"", *(value for given in settings for key, value in given.items() if key in FOLDERS)}
    strips = any(given.get("strippath") == "true" for given in settings)
    for label, own, element in elements:
        if element.tag in ("include", "model"):
            continue
        for name in {value for key, value in element.attributes.items() if key.startswith("file") and value}:
            # which of the folders counts depends on the order in which parts are included: all are looked at
            bare = {name, Path(name).name} if strips else {name}
            every = [(start / below / n).resolve() for start in (path.parent, own) for below in folders for n in bare]
            wrong, remedy = _fault_of(name, [other for other in every if other.is_file()], path, options)
            if wrong:
                item = f'{element.tag} "{element.attributes.get("name", name)}"'
                found.faults.append(Fault(f"{shown(item)} ({label}, line {element.line})", wrong, remedy))


def _fault_of(name: str, there: list[Path], path: Path, options: Options) -> tuple[str, str]:
    """What is wrong with a file that is named, by those that may be meant, and what to do; "" where nothing is."""
    if not there:
        return f"there is no file {shown(name)} in the folders that the file names.", ""
    if not (options.allow_files or all(other.is_relative_to(path.resolve().parent) for other in there)):
        return f"{shown(name)} is outside the folder of the file.", REMEDY
    largest = max(other.stat().st_size for other in there)
    if largest > LARGEST:
        return f"a file of {largest >> 20} MB is not read; the most are {LARGEST >> 20} MB.", ""
    return "", ""
