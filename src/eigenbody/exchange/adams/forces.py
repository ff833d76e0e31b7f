"""Springs, bushings and forces of an Adams dataset."""

from __future__ import annotations

from typing import Any

import numpy as np

from eigenbody.exchange.adams.functions import Untranslatable
from eigenbody.exchange.adams.readings import AXES
from eigenbody.exchange.adams.sections import Sections
from eigenbody.exchange.adams.statements import Statement
from eigenbody.exchange.base import usable_name

COMPONENTS = ("FX", "FY", "FZ", "TX", "TY", "TZ")


class Forces:
    """Writes what acts between parts into the sections."""

    def __init__(self, sections: Sections) -> None:
        self.s = sections

    def write_spring(self, statement: Statement) -> None:
        """F = -C v - K (s - L) + FORCE drives the markers apart; a torsion spring turns I about z of J likewise."""
        ends = self.s.ends(statement)
        if ends is None:
            return
        i, j = ends
        turns = "ROTATION" in statement.flags
        k, c = (self.s.values.number(statement, key) for key in (("KT", "CT") if turns else ("K", "C")))
        rest = self.s.values.number(statement, "ANGLE" if turns else "LENGTH" if "LENGTH" in statement.values else "L")
        load = self.s.values.number(statement, "TORQUE" if turns else "FORCE")
        force, length, time = self.s.units.force, self.s.units.length, self.s.units.time
        unit = force * length if turns else force / length
        entry: dict[str, Any] = {"type": "spring", "k": unit * k, "c": unit * time * c}
        if turns:
            entry |= {"along": self.s.read.angle(i, j, 2), "free": rest}
        else:
            entry |= {"between": [self.s.marker(j), self.s.marker(i)], "free_length": rest * length}
        if load:
            entry["force"] = -load * (force * length if turns else force)
        self.s.data["forces"][self.s.named(statement, "forces")] = entry

    def write_bushing(self, statement: Statement) -> None:
        ends = self.s.ends(statement)
        if ends is None:
            return
        i, j = ends
        force, length, time = self.s.units.force, self.s.units.length, self.s.units.time
        read = {key: self.s.values.numbers(statement, key, (3, 1), (0.0, 0.0, 0.0)) * np.ones(3)
                for key in ("K", "KT", "C", "CT", "FORCE", "TORQUE")}  # fmt: skip
        across, about = force / length, force * length
        k = [*(across * read["K"]), *(about * read["KT"])]
        c = [*(time * across * read["C"]), *(time * about * read["CT"])]
        name = self.s.named(statement, "forces")
        entry: dict[str, Any] = {"type": "bushing", "between": [self.s.marker(j), self.s.marker(i)]}
        entry |= {"k": [float(v) for v in k], "c": [float(v) for v in c]}
        if read["FORCE"].any():
            entry["load"] = [float(v) for v in force * read["FORCE"]]
        self.s.data["forces"][name] = entry
        for axis, torque in enumerate(about * read["TORQUE"]):
            if torque:
                own = usable_name(f"{name}_t{AXES[axis].lower()}", self.s.data["forces"])
                along = self.s.read.turning(i, j, j, axis)
                self.s.data["forces"][own] = {"type": "expression", "along": along, "value": float(torque)}

    def write_sforce(self, statement: Statement) -> None:
        """A force that drives I from J, or with ACTIONONLY one on I along z of J; a torque about z of J likewise."""
        ends = self.s.ends(statement)
        if ends is None:
            return
        i, j = ends
        turns = "ROTATION" in statement.flags
        alone = "ACTIONONLY" in statement.flags
        if turns:
            measure = self.s.read.turning(i, 0, j, 2) if alone else self.s.read.angle(i, j, 2)
        else:
            measure = self.s.read.through(i, 0, j, 2) if alone else self.s.read.measure("distance", i, j)
        self._pushes(statement, "FUNCTION", measure, turns, self.s.named(statement, "forces"))

    def write_gforce(self, statement: Statement) -> None:
        """Components along the axes of RM, at I, on the part of I and opposite at the same point on that of JFLOAT."""
        i, rm, j = (self.s.values.id(statement, key) for key in ("I", "RM", "JFLOAT"))
        frames = self.s.frames
        part = frames.floating.get(j or 0)
        if i not in frames.markers or rm not in frames.markers or part is None:
            what = "I, RM or JFLOAT names no marker."
            self.s.found.fault(
                statement.title, statement.line, what, "Write I=id, JFLOAT=id, RM=id with numbers of markers."
            )
            return
        if "FUNCTION" in statement.functions or not statement.functions:
            self.s.leave_out(statement, f"{statement.functions.get('FUNCTION', 'it has no components')} is not read")
            return
        name = self.s.named(statement, "forces")
        for key in COMPONENTS:
            if key in statement.functions:
                reading = self.s.read.through if key[0] == "F" else self.s.read.turning
                measure = reading(i, self.s.part_names[part], rm, AXES.index(key[1]))
                self._pushes(
                    statement, key, measure, key[0] == "T", usable_name(f"{name}_{key.lower()}", self.s.data["forces"])
                )

    def _pushes(self, statement: Statement, key: str, measure: str, turns: bool, name: str) -> None:
        """A force along a measure by a function."""
        if key not in statement.functions:
            self.s.leave_out(statement, "it has no FUNCTION")
            return
        try:
            value = self.s.text(statement, key, self.s.units.force * (self.s.units.length if turns else 1.0))
        except Untranslatable as problem:
            self.s.leave_out(statement, f"{problem} cannot be translated")
            return
        if value != 0:
            self.s.data["forces"][name] = {"type": "expression", "along": measure, "value": value}
            self.s.lines.setdefault("forces", (0, {}))[1][name] = statement.line, {}
