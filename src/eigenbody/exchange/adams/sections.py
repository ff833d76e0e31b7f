"""From the statements of an Adams dataset to the sections of a model, in SI units: the drawing is the dataset as it
stands. Coordinates of joints are of the I marker relative to the J marker, as in Adams."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

from eigenbody.exchange.adams.frames import Frames, Part, Values
from eigenbody.exchange.adams.functions import Untranslatable, translated
from eigenbody.exchange.adams.readings import Readings
from eigenbody.exchange.adams.statements import Statement
from eigenbody.exchange.adams.units import Units
from eigenbody.exchange.base import Findings, Options, usable_name
from eigenbody.exchange.inertia import entries, repaired
from eigenbody.exchange.numbers import clean, rotation
from eigenbody.model.names import GROUND

ORDER = (
    "bodies", "markers", "joints", "couplings", "measures", "variables", "states", "drivers", "forces",
)  # fmt: skip
INITIAL = {"VX", "VY", "VZ", "WX", "WY", "WZ"}  # of parts


class Sections:
    """The sections as they grow; `lines` are those of the statements that their entries come from."""

    def __init__(self, frames: Frames, units: Units, options: Options, found: Findings) -> None:
        self.frames, self.units, self.options, self.found = frames, units, options, found
        self.values = Values(found)
        self.data: dict[str, dict[str, Any]] = {section: {} for section in ORDER}
        self.lines: dict[str, Any] = {}
        self.gravity = [0.0, 0.0, 0.0]
        self.taken: set[str] = set()  # no name stands for two things
        self.renamed: dict[str, str] = {}
        self.part_names = {
            k: GROUND if part.is_ground else self.named(part.statement, "bodies") for k, part in frames.parts.items()
        }
        self.marker_names: dict[int, str] = {}
        self.signals: dict[tuple[str, int], str] = {}
        self.read = Readings(frames, units, self.marker, self.signals, self.data["measures"])
        self.extent = max((float(np.abs(m.place.r).max()) for m in frames.markers.values()), default=0.0) or 1.0
        for k, part in frames.parts.items():
            if not part.is_ground:
                self._body(k, part)

    def document(self, left: Counter[str]) -> dict[str, Any]:
        """The sections that have entries; `left` counts the statements that were not read."""
        if self.renamed:
            self.found.note(f"Renamed: {', '.join(f'{old} is {new}' for old, new in self.renamed.items())}.")
        if left:
            self.found.note(f"Not read: {', '.join(f'{k} ({n})' if n > 1 else k for k, n in left.items())}.")
        if any(part.statement.values.keys() & INITIAL for part in self.frames.parts.values()):
            self.found.note("Initial velocities of parts (VX ... WZ) are left out; those of joints (IC) are kept.")
        return {"eigenbody": 1, "gravity": self.gravity} | {key: self.data[key] for key in ORDER if self.data[key]}

    # ---- names and places
    def named(self, s: Statement, section: str) -> str:
        """A name of its own, that of Adams View where it has one."""
        given = s.view_name.rpartition(".")[2] or f"{s.type.lower()}_{s.id}"
        name = usable_name("".join(c if c.isalnum() else "_" for c in given), self.taken)
        name = f"_{name}" if name[0].isdigit() else name
        if s.view_name and name != given:
            self.renamed[given] = name
        self.taken.add(name)
        self.lines.setdefault(section, (0, {}))[1][name] = s.line, {}
        return name

    def marker(self, number: int) -> str:
        """The name of a marker of the model, which is added when it is first asked for; 0 is one of the ground."""
        if number not in self.marker_names:
            if number == 0:
                self.marker_names[0] = name = usable_name("ground_axes", self.taken)
                self.taken.add(name)
                self.data["markers"][name] = {"body": GROUND, "at": [0.0, 0.0, 0.0]}
            else:
                m = self.frames.markers[number]
                self.marker_names[number] = name = self.named(m.statement, "markers")
                entry: dict[str, Any] = {"body": self.part_names[m.part], "at": clean(m.place.r, self.extent)}
                if (turn := rotation(m.place.R)) is not None:
                    entry["rotation"] = turn
                self.data["markers"][name] = entry
        return self.marker_names[number]

    def ends(self, s: Statement, first: str = "I", second: str = "J") -> tuple[int, int] | None:
        """The numbers of the two markers of a statement; a fault where they are not there."""
        ids = [self.values.id(s, key) for key in (first, second)]
        wrong = [key for key, id in zip((first, second), ids, strict=True) if id not in self.frames.markers]
        for key in wrong:
            self.found.fault(s.title, s.line, f"{key} names no marker.", f"Write {key}=id with the number of a marker.")
        return None if wrong else (ids[0] or 0, ids[1] or 0)

    def leave_out(self, s: Statement, why: str, essential: bool = False) -> None:
        """A statement that is left out: with a note, or a fault where it holds the mechanism together."""
        if essential or self.options.strict:
            self.found.fault(s.title, s.line, f"{why}.", "Take it out of the file, or write it in other words.")
        else:
            self.found.note(f"{s.title} (line {s.line}) is left out: {why}.")

    def text(self, s: Statement, key: str, factor: float = 1.0) -> str | float:
        """A function in SI units: `factor` is the unit of its value."""
        text = translated(s.functions[key], self.read)
        try:
            return factor * float(text)
        except ValueError:
            return f"={text}" if factor == 1 else f"={factor!r}*({text})"

    # ---- bodies
    def _body(self, k: int, part: Part) -> None:
        name = self.part_names[k]
        entry: dict[str, Any] = {"mass": part.mass}
        place = part.centre or part.place
        if part.tensor is not None and part.tensor.any():
            size = max(float(np.linalg.norm(m.place.r - place.r)) for m in self.frames.markers.values() if m.part == k)
            found = repaired(part.tensor, part.mass, size or self.extent)
            if found.change and self.options.strict:
                what = f"impossible inertia: {found.change}."
                self.found.fault(part.statement.title, part.statement.line, what, "Correct IP.")
            elif found.change:
                self.found.note(f"Inertia of {name}: {found.change}.")
            entry["inertia"] = entries(found.tensor)
        entry["at"] = clean(place.r, self.extent)
        if (turn := rotation(place.R)) is not None and "inertia" in entry:
            entry["rotation"] = turn
        self.data["bodies"][name] = entry

    def write_gravity(self, s: Statement) -> None:
        unit = self.units.length / self.units.time**2
        self.gravity = [unit * self.values.number(s, f"{axis}GRAV") for axis in "IJK"]

    # ---- signals
    def announce(self, s: Statement) -> None:
        """The name of a variable or state, which others may read before it is written."""
        section, key = ("variables", "VARVAL") if s.type == "VARIABLE" else ("states", "DIF")
        self.signals[key, s.id] = self.named(s, section)

    def write_variable(self, s: Statement) -> None:
        try:
            self.data["variables"][self.signals["VARVAL", s.id]] = self.text(s, "FUNCTION") if s.functions else 0.0
        except Untranslatable as problem:
            self.leave_out(s, f"{problem} cannot be translated", essential=True)

    def write_state(self, s: Statement) -> None:
        try:
            rate = self.text(s, "FUNCTION", 1 / self.units.time) if s.functions else 0.0
        except Untranslatable as problem:
            self.leave_out(s, f"{problem} cannot be translated", essential=True)
            return
        if "IMPLICIT" in s.flags:
            self.leave_out(s, "it is implicit", essential=True)
            return
        self.data["states"][self.signals["DIF", s.id]] = {"initial": self.values.number(s, "IC"), "rate": rate}
