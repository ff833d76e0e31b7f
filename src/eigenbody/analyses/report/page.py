"""The page: one HTML file with its data, styles, scripts and libraries inside, and nothing fetched from anywhere."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Any

from eigenbody.analyses.report.libraries import asset, library, own_script
from eigenbody.analyses.report.sections import Section
from eigenbody.model.source import shown

KEYS = (
    "Keys: space plays and pauses, arrows choose a mode, [ and ] change the amplitude, shift with arrows turns, + and -"
    " zoom, 0 resets the view."
)


@dataclass
class Page:
    """What a page holds. `modes` and `motion` are what its mechanism can play."""

    name: str
    summary: str
    scene: dict[str, Any]
    modes: list[dict[str, Any]] = field(default_factory=list)
    shapes: str = ""
    bends: str = ""
    motion: dict[str, Any] | None = None
    first: int = 0  # mode that plays at the start
    stability: str = ""
    verdict: str = ""
    sections: Sequence[Section] = ()
    footer: str = ""
    warnings: Sequence[str] = ()  # of the model, for the terminal
    notes: Sequence[str] = ()  # on the drawing
    failed: Sequence[tuple[str, str]] = ()  # titles of what was asked for and could not be computed, and why
    is_compact: bool = False  # in a notebook: the mechanism alone

    def html(self) -> str:
        """The whole file."""
        script, data, style = own_script(), self._data(), asset("report.css")
        nonce = hashlib.sha256((script + data).encode()).hexdigest()[:32]
        charts = "" if self.is_compact else _library("charts", nonce)
        policy = (
            f"default-src 'none'; script-src 'nonce-{nonce}'; style-src 'unsafe-inline'; img-src data: blob:;"
            " font-src data:; base-uri 'none'; form-action 'none'"
        )
        title = escape(shown(self.name, 200))
        return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="generator" content="eigenbody">
<title>{title}</title>
<link rel="icon" href="data:,">
<style>{style}</style>
</head>
<body{' class="compact"' if self.is_compact else ""}>
{"" if self.is_compact else self._head()}
<main>
{self._viewer()}
{"".join(map(_section, self.sections))}
</main>
{f"<footer>{escape(self.footer)}</footer>" if self.footer else ""}
<script type="application/json" id="data" nonce="{nonce}">{data}</script>
{_library("3d", nonce)}{charts}
<script id="start" nonce="{nonce}">{script}</script>
</body>
</html>
"""

    def _data(self) -> str:
        charts = {key: chart for section in self.sections for key, chart in section.charts.items()}
        document = {
            "name": self.name, "scene": self.scene, "modes": self.modes, "shapes": self.shapes, "bends": self.bends,
            "motion": self.motion, "charts": charts, "first": self.first,
        }  # fmt: skip
        return safe_json(document)

    def _head(self) -> str:
        links = "".join(f'<a href="#{s.id}">{escape(s.title)}</a>' for s in self.sections)
        badge = f'<p class="badge {self.stability}">{escape(self.verdict)}</p>' if self.verdict else ""
        return f"""<header>
<div class="title"><h1>{escape(shown(self.name, 200))}</h1><p>{escape(self.summary)}</p></div>
<div class="state">{badge}{_button("theme", "Switch between light and dark", "", "")}</div>
<nav aria-label="Sections"><a href="#viewer">Mechanism</a>{links}</nav>
</header>
"""

    # ---- the viewer

    def _viewer(self) -> str:
        choices = self._choices()
        return f"""<section id="viewer" aria-label="The mechanism"{' class="alone"' if not choices else ""}>
<div class="stage">
<div id="view"><noscript><p>The moving picture needs JavaScript. The tables below are complete.</p></noscript></div>
{self._controls()}
</div>
{choices}
<div id="mode-detail" aria-live="polite" data-only="mode"{"" if self.modes else " hidden"}></div>
{"".join(f'<p class="quiet note">{escape(note)}</p>' for note in self.notes)}
<p id="keys" class="quiet">{escape(KEYS)}</p>
</section>
"""

    def _controls(self) -> str:
        play = ""
        if self.modes or self.motion:
            play = (
                '<div class="group">'
                + _button("play", "Play", "", "")
                + _button("previous", "Previous mode", "‹", "mode")
                + _button("next", "Next mode", "›", "mode")
                + "</div>"
                + _slider("amplitude", "Amplitude", 0, 4, 0.05, 1, "mode")
                + _slider("speed", "Speed", -1.5, 1, 0.02, -0.3, "")
            )
        if self.motion:
            times = self.motion["times"]
            play += _slider("time", "Time", times[0], times[-1], "any", times[0], "motion")
        views = "".join(
            _button(f"view-{name}", f"View: {name}", name, "") for name in ("oblique", "front", "side", "top")
        )
        layers = {part["layer"] for part in (*self.scene["parts"], *self.scene["links"])}
        few = sum(bool(body["label"]) for body in self.scene["bodies"]) <= 12
        shows = _check("show-names", "Names", few and not self.is_compact)
        shows += "".join(
            _check(f"show-{layer}", title, True)
            for layer, title in (("joint", "Joints"), ("force", "Forces"), ("marker", "Markers"))
            if layer in layers
        )
        strained = {name for mode in self.modes for name in mode["strain"]}
        drawn = {part["name"] for part in (*self.scene["parts"], *self.scene["links"]) if part["layer"] == "force"}
        drawn |= {f"{line['title']}.elastic" for line in self.scene["lines"] if line["isLine"]}
        found = strained & drawn
        shows += _check("show-strain", "Strain energy", len(found) > 1) if found else ""
        shows += _check("show-ghost", "Rest position", False) if play else ""
        return f"""<div class="controls">{play}
<div class="group views" role="group" aria-label="Views">{views}</div>
<div class="group checks" role="group" aria-label="What is drawn">{shows}</div></div>
"""

    def _choices(self) -> str:
        if self.is_compact and not self.modes:
            return ""
        tabs = ""
        if self.modes and self.motion:
            tabs = (
                '<div class="tabs" role="group" aria-label="What is played">'
                '<button type="button" id="play-mode" aria-pressed="true">Modes</button>'
                '<button type="button" id="play-motion" aria-pressed="false">Simulation</button></div>'
            )
        rows = "".join(_mode_button(i, mode) for i, mode in enumerate(self.modes))
        empty = "" if self.modes else '<p class="quiet">The mechanism has no modes.</p>'
        return (
            f'<aside class="side">{tabs}<div class="modes" role="group" aria-label="Modes">{rows}{empty}</div></aside>'
        )


def safe_json(document: Any) -> str:
    """JSON that no HTML parser can take for anything else."""
    text = json.dumps(document, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _library(which: str, nonce: str) -> str:
    return f'<script type="text/plain" id="library-{which}" nonce="{nonce}">{library(which)}</script>\n'


def _section(section: Section) -> str:
    return f'<section id="{section.id}" class="card"><h2>{escape(section.title)}</h2>{section.html}</section>\n'


def _mode_button(i: int, mode: dict[str, Any]) -> str:
    facts = dict(mode["facts"])
    hz = facts.get("frequency", "no oscillation" if facts["kind"] != "rigid" else "0 Hz")
    damping = f"ζ {facts['damping ratio']}" if "damping ratio" in facts else "free"
    return (
        f'<button type="button" data-mode="{i}" aria-pressed="false" class="{escape(facts["stability"])}">'
        f'<b>{i + 1}</b><span class="hz">{escape(hz)}</span><span class="damping">{escape(damping)}</span>'
        f'<span class="label">{escape(mode["label"])}</span></button>'
    )


def _only(what: str) -> str:
    return f' data-only="{what}"' if what else ""


def _button(id_: str, label: str, text: str, only: str) -> str:
    named = f'aria-label="{escape(label)}" title="{escape(label)}"'
    return f'<button type="button" id="{id_}" {named}{_only(only)}>{escape(text)}</button>'


def _slider(id_: str, label: str, low: float, high: float, step: float | str, value: float, only: str) -> str:
    return (
        f'<label class="slider"{_only(only)}><span>{escape(label)}</span>'
        f'<input type="range" id="{id_}" min="{low}" max="{high}" step="{step}" value="{value}"'
        f' aria-label="{escape(label)}">'
        f'<output id="{id_}-value" for="{id_}"></output></label>'
    )


def _check(id_: str, label: str, is_on: bool) -> str:
    return f'<label><input type="checkbox" id="{id_}"{" checked" if is_on else ""}> {escape(label)}</label>'
