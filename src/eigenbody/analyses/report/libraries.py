"""The JavaScript that the page carries: three.js out of the package trimesh, plotly.js out of the package plotly."""

from __future__ import annotations

import base64
import gzip
import io
import zipfile
from functools import cache
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path

from eigenbody.base.errors import ComputationError

SOURCES = {"3d": ("trimesh", "resources/templates/viewer.zip"), "charts": ("plotly", "package_data/plotly.min.js")}
THREE = b"/**\n * @license", b'"__esModule",{value:!0})}));'  # how three.js begins and ends in the viewer of trimesh
OWN = ("meshes.js", "scene.js", "player.js", "energy.js", "controls.js", "charts.js", "paper.js", "start.js")


@cache
def library(which: str) -> str:
    """A library as base64 of gzip."""
    return base64.b64encode(gzip.compress(library_script(which), 6, mtime=0)).decode("ascii")


@cache
def library_script(which: str) -> bytes:
    """A library as it is. The package that brings it is found but not imported."""
    package, name = SOURCES[which]
    spec = find_spec(package)
    for folder in (spec.submodule_search_locations or ()) if spec is not None else ():
        path = Path(folder) / name
        text = _script(path) if path.is_file() else b""
        if text:
            return text
    raise ComputationError(
        f"The report needs the package {package} with {name}. Install it anew: pip install --upgrade {package}"
    )


def _script(path: Path) -> bytes:
    """The script of a file; of an archive that three.js in the page which it holds, nothing where there is none."""
    content = path.read_bytes()
    if path.suffix != ".zip":
        return content
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        page = b"".join(archive.read(name) for name in archive.namelist())
    first, last = (page.find(text) for text in THREE)
    return page[first : last + len(THREE[1])] if 0 <= first < last else b""


@cache
def asset(name: str) -> str:
    """A style sheet or script of our own."""
    return (files("eigenbody.analyses.report") / "assets" / name).read_text(encoding="utf-8")


def own_script() -> str:
    """All our scripts as one."""
    return "const EB = {};\n" + "\n".join(asset(name) for name in OWN)
