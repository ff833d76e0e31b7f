"""The sections of a model while they are made of a compiled MJCF file: names, lines, notes."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np

from eigenbody.exchange.base import Findings, Options, usable_name
from eigenbody.exchange.mjcf.compiled import KINDS, Compiled
from eigenbody.exchange.mjcf.files import Texts
from eigenbody.exchange.numbers import clean, rotation
from eigenbody.model.names import GROUND, RESERVED

SECTIONS = (
    "bodies", "markers", "joints", "couplings", "measures", "states", "inputs", "forces", "poses",
)  # fmt: skip
SYMBOLS = ("joints", "measures", "states", "inputs")  # share their names: expressions read them
PLACES = ("bodies", "markers")
OWN = ("s", "v")  # what a force calls the measure that it acts along, and its rate
Lines = dict[str, tuple[int, dict[str, tuple[int, dict[str, Any]]]]]


class Draft:
    """Sections of the model by name. What each body, joint and tendon of the file is called is known as they come."""

    def __init__(self, robot: Compiled, texts: Texts, options: Options, found: Findings) -> None:
        self.robot, self.texts, self.options, self.found = robot, texts, options, found
        self.sections: dict[str, dict[str, Any]] = {name: {} for name in SECTIONS}
        self.coordinates: list[str] = []
        self.lines: Lines = {}
        self.bodies: dict[int, str] = {0: GROUND}  # the body that each body of the file is, or is a part of
        self.joints: dict[int, str] = {}
        self.tendons: dict[int, str] = {}  # measures
        self.sites: dict[int, str] = {}  # markers
        self.controls: dict[int, str] = {}  # inputs of the actuators
        self.renamed: dict[str, str] = {}
        self.unnamed: list[str] = []
        d = robot.d
        self.extent = float(np.abs(np.concatenate((d.xpos, d.xipos, d.xanchor))).max()) or 1.0

    def document(self) -> dict[str, Any]:
        """The model: name, gravity and all sections that have entries."""
        gravity = [0.0, 0.0, 0.0] if self.robot.is_disabled("GRAVITY") else self.robot.m.opt.gravity.tolist()
        head = {"eigenbody": 1, "name": self.robot.name, "gravity": gravity}
        document = {key: value for key, value in head.items() if value != ""}
        document |= {name: entries for name, entries in self.sections.items() if entries}
        return document | ({"coordinates": self.coordinates} if self.coordinates else {})

    # ---- names and places
    def name(self, kind: str, number: int, section: str, suffix: str, fallback: str) -> str:
        """The name in the model of something in the file: its own one, with a suffix where another thing has it."""
        given = self.robot.name_of(kind, number)
        taken = self.taken(section)
        wanted = usable_name(given or fallback, ())
        found = usable_name(wanted if wanted not in taken else f"{wanted}_{suffix}", taken, (GROUND, *RESERVED, *OWN))
        if given and found != given:
            self.renamed[f"{kind.lower()} {given}"] = found
        elif not given:
            self.unnamed.append(found)
        if line := self.texts.line(kind.lower(), given):
            self.place(section, found, line)
        return found

    def taken(self, section: str) -> Collection[str]:
        group = next((group for group in (SYMBOLS, PLACES) if section in group), (section,))
        return {name for part in group for name in self.sections[part]}

    def free_name(self, section: str, wanted: str) -> str:
        """A name for something that the file does not name."""
        return usable_name(wanted, self.taken(section))

    def add(self, section: str, wanted: str, entry: dict[str, Any], like: tuple[str, str] | None = None) -> str:
        """A further entry; `like` (section, name) has the line that it comes from."""
        name = self.free_name(section, wanted)
        self.sections[section][name] = entry
        if like is not None and (line := self.lines.get(like[0], (0, {}))[1].get(like[1], (0, {}))[0]):
            self.place(section, name, line)
        return name

    def place(self, section: str, name: str, line: int) -> None:
        self.lines.setdefault(section, (0, {}))[1][name] = line, {}

    def note(self, text: str) -> None:
        self.found.note(text)

    # ---- numbers
    def point(self, r: np.ndarray) -> Any:
        return clean(r, self.extent)

    @staticmethod
    def turned(entry: dict[str, Any], R: np.ndarray) -> None:
        """Add the rotation to an entry, where it turns anything."""
        if (turn := rotation(R)) is not None:
            entry["rotation"] = turn

    def marker(self, wanted: str, body: int, r: np.ndarray, R: np.ndarray) -> str:
        """A marker on a body at a point of its own axes."""
        origin, axes = self.robot.pose(body)
        entry: dict[str, Any] = {"body": self.bodies[body], "at": self.point(origin + axes @ r)}
        self.turned(entry, axes @ R)
        return self.add("markers", wanted, entry)

    def material(self, b: int) -> int:
        """The body of the file that a body without mass is a part of."""
        m = self.robot.m
        while not m.body_mass[b] and not m.body_jntnum[b]:
            b = int(m.body_parentid[b])
        return b

    def joint_kind(self, j: int) -> str:
        return KINDS[int(self.robot.m.jnt_type[j])]
