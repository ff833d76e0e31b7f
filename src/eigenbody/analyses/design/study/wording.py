"""Quantities as a study names them: `frequency[1]`, `damping[weave]`, `peak(y/u)`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from eigenbody.analyses.design.problem import Reader, Where
from eigenbody.analyses.modes import modes
from eigenbody.base.errors import suggest
from eigenbody.model.model import InertModel
from eigenbody.model.source import shown

KINDS = {
    "frequency": "frequency", "damping": "damping_ratio", "damping_ratio": "damping_ratio", "real": "real_part",
    "real_part": "real_part",
}  # fmt: skip
MODAL = re.compile(r"(\w+)\s*\[\s*(.+?)\s*\]")
RATIO = r"\(\s*([^/,]+?)\s*/\s*([^/,]+?)\s*"
PEAK = re.compile(rf"peak{RATIO}(?:,\s*(.+?)\s*\.\.\s*(.+?)\s*)?\)")
GAIN = re.compile(rf"gain{RATIO},\s*(.+?)\s*\)")
RMS = re.compile(rf"rms{RATIO}(?:,\s*(.+?)\s*)?\)")
MASS = re.compile(r"mass(?:\(\s*(.+?)\s*\))?")
EXAMPLES = "Write frequency[1], damping[NAME], real[1], peak(y/u, 1..50 Hz), gain(y/u, 10 Hz), rms(y/u) or mass."
WIDE = 10.0  # a peak without a band is looked for from a tenth of the lowest frequency to ten times the highest


class Names:
    """What modes are called: numbers of the table of modes, names that the study gives, words of their labels."""

    def __init__(self, reader: Reader, model: InertModel) -> None:
        self._reader, self._model = reader, model
        given = reader.source.data.get("modes") or {}
        if not isinstance(given, dict):
            reader.faults.add(("modes",), "a map is expected.", "For example modes: {weave: 9}.")
            given = {}
        self._given: Mapping[str, Any] = given

    def mode(self, path: Where, text: str) -> dict[str, Any] | None:
        """The mode as `optimize` names it; None after a fault."""
        if text in self._given:
            value = self._given[text]
            return value if isinstance(value, dict) else {"mode": value}
        if text.isdecimal():
            return {"mode": int(text)}
        if text.startswith("near "):
            return {"near": text.removeprefix("near ").strip()}
        return self._by_label(path, text)

    def _by_label(self, path: Where, text: str) -> dict[str, Any] | None:
        labels = modes(self._model).explain().labels
        found = [k + 1 for k, label in enumerate(labels) if text.lower() in label.lower()]
        if len(found) == 1:
            return {"mode": found[0]}
        known = [*self._given, *dict.fromkeys(labels)]
        what = f'no mode is called "{shown(text)}"' if not found else f'"{shown(text)}" may be one of modes {found}'
        remedy = f"Name it in `modes` (modes: {{{shown(text)}: 3}}), or give its number. {suggest(text, known)}"
        self._reader.faults.add(path, f"{what}.", remedy.strip())
        return None

    def band(self) -> dict[str, str]:
        """A band that has all resonances in it."""
        hz = modes(self._model).frequency_hz
        moving = hz[hz > 0]
        if not len(moving):
            return {}
        return {"from": f"{moving.min() / WIDE:.2g} Hz", "to": f"{moving.max() * WIDE:.2g} Hz"}


def as_quantity(reader: Reader, names: Names, path: Where, text: str) -> dict[str, Any] | None:
    """One quantity as `optimize` writes it; None after a fault."""
    text = text.strip()
    if (m := MODAL.fullmatch(text)) and m[1] in KINDS:
        mode = names.mode(path, m[2])
        return None if mode is None else {KINDS[m[1]]: mode}
    if m := PEAK.fullmatch(text):
        band = names.band() if m[3] is None else {"from": m[3], "to": _with_unit(m[4])}
        return {"frf_peak": {"output": m[1], "input": m[2], **band}}
    if m := GAIN.fullmatch(text):
        return {"frf": {"output": m[1], "input": m[2], "at": _with_unit(m[3])}}
    if m := RMS.fullmatch(text):
        level = {} if m[3] is None else {"density": m[3]}
        return {"rms": {"output": m[1], "input": m[2], **level}}
    if m := MASS.fullmatch(text):
        return {"mass": m[1] or "all"}
    reader.faults.add(path, f'"{shown(text)}" is no quantity.', EXAMPLES)
    return None


def _with_unit(text: str) -> str:
    """Frequencies are in Hz where nothing is said."""
    return text if re.search(r"[A-Za-z]\s*$", text) else f"{text} Hz"
