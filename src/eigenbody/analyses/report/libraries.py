"""The JavaScript that the page carries: three.js out of the package k3d, plotly.js out of the package plotly."""

from __future__ import annotations

import base64
import gzip
from functools import cache
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path

from eigenbody.base.errors import ComputationError

SOURCES = {"3d": ("k3d", "static/standalone.js"), "charts": ("plotly", "package_data/plotly.min.js")}
OWN = ("scene.js", "player.js", "controls.js", "charts.js", "start.js")


@cache
def library(which: str) -> str:
    """A library as base64 of gzip. The package that brings it is found but not imported."""
    package, name = SOURCES[which]
    spec = find_spec(package)
    for folder in (spec.submodule_search_locations or ()) if spec is not None else ():
        path = Path(folder) / name
        if path.is_file():
            return base64.b64encode(gzip.compress(path.read_bytes(), 6, mtime=0)).decode("ascii")
    raise ComputationError(
        f"The report needs the package {package}, which lacks {name}. Install it: pip install {package}"
    )


@cache
def asset(name: str) -> str:
    """A style sheet or script of our own."""
    return (files("eigenbody.analyses.report") / "assets" / name).read_text(encoding="utf-8")


def own_script() -> str:
    """All our scripts as one."""
    return "const EB = {};\n" + "\n".join(asset(name) for name in OWN)
