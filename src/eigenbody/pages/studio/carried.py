"""The files of the page: our modules, the viewer of the report, the libraries, the schema of the model file."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from functools import cache
from gzip import compress
from html import escape
from importlib.resources import files

from eigenbody.analyses.report import asset, library_script
from eigenbody.elements.vocabulary import VOCABULARY
from eigenbody.model.schema import json_schema

VIEWER = ("meshes.js", "scene.js", "player.js", "charts.js")  # of the report
HOLDERS = ("notebook.js", "embedded.js")  # of a page without a server; no modules of the page itself
IMPORT = re.compile(r'^import .* from "\./([\w.]+)";$', re.MULTILINE)
POLICY = (
    "default-src 'none'; script-src 'unsafe-inline' blob:; style-src 'unsafe-inline'; img-src data: blob:;"
    " font-src data:; connect-src 'none'; media-src blob:; base-uri 'none'; form-action 'none'"
)


@cache
def own(name: str) -> str:
    """A file of the page."""
    return (files("eigenbody.pages.studio") / "assets" / name).read_text(encoding="utf-8")


@cache
def served() -> dict[str, bytes]:
    """Everything that a page may ask for, by name."""
    folder = files("eigenbody.pages.studio") / "assets"
    found = {item.name: item.read_bytes() for item in folder.iterdir() if item.name.endswith((".js", ".css"))}
    found = {name: text for name, text in found.items() if name not in HOLDERS}
    found["viewer.js"] = ("var EB = {};\n" + "\n".join(asset(name) for name in VIEWER)).encode()
    found["report.css"] = asset("report.css").encode()
    found["three.js"] = (
        b"window.define = (needs, make) => make((window.THREE = {})); window.define.amd = true;\n"
        + library_script("3d") + b"\ndelete window.define;\n"
    )  # fmt: skip
    found["plotly.js"] = library_script("charts")
    found["schema.json"] = json.dumps(json_schema(VOCABULARY)).encode()
    return found


@cache
def embedded_page() -> str:
    """The page with everything in it, for a frame without a server."""
    given = served()
    packed = lambda name: b64encode(compress(given[name], 6, mtime=0)).decode("ascii")  # noqa: E731
    carried = {
        "libraries": [packed("three.js"), packed("plotly.js")],
        "schema": packed("schema.json"),
        "modules": [(name, given[name].decode()) for name in _in_order("main.js", [])],
    }
    head, _, body = own("studio.html").partition("<body")
    title = re.findall(r"<meta charset.*?>|<meta name.*?>|<title>.*?</title>", head)
    styles = "".join(f"<style>{given[name].decode()}</style>" for name in ("report.css", "studio.css"))
    data = json.dumps(carried).replace("<", "\\u003c")  # no end tag within the script
    scripts = (
        f'<script type="application/json" id="carried">{data}</script>'
        f"<script>{given['viewer.js'].decode()}</script><script>{own('embedded.js')}</script>"
    )
    policy = f'<meta http-equiv="Content-Security-Policy" content="{escape(POLICY)}">'
    page = (
        f'<!doctype html>\n<html lang="en">\n<head>{title[0]}{policy}{"".join(title[1:])}{styles}</head>\n<body{body}'
    )
    return page.replace("</body>", f"{scripts}</body>")


def _in_order(name: str, before: list[str]) -> list[str]:
    """A module after all that it imports; `before` are there already."""
    for other in IMPORT.findall(own(name)):
        before = before if other in before else _in_order(other, before)
    return [*before, name]
