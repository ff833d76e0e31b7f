"""Joints, primitives, motions, couplers and gears of an Adams dataset."""

from __future__ import annotations

from typing import Any

import numpy as np

from eigenbody.base.errors import suggest
from eigenbody.exchange.adams.frames import Marker
from eigenbody.exchange.adams.functions import Untranslatable
from eigenbody.exchange.adams.readings import AXES
from eigenbody.exchange.adams.sections import Sections
from eigenbody.exchange.adams.statements import Statement
from eigenbody.exchange.numbers import clean, direction

JOINTS = {
    "REVOLUTE": "revolute", "TRANSLATIONAL": "prismatic", "CYLINDRICAL": "cylindrical", "SPHERICAL": "spherical",
    "FIXED": "fixed", "PLANAR": "planar", "SCREW": "screw", "HOOKE": "universal", "UNIVERSAL": "universal",
}  # fmt: skip
PRIMITIVES = {
    "ATPOINT": "point", "INLINE": "inline", "INPLANE": "inplane", "ORIENTATION": "orientation",
    "PARALLEL_AXES": "parallel", "PERPENDICULAR": "perpendicular",
}  # fmt: skip


class Constraints:
    """Writes what holds parts together into the sections."""

    def __init__(self, sections: Sections) -> None:
        self.s = sections
        self.joint_names: dict[int, str] = {}
        self.ends_of: dict[int, tuple[int, int]] = {}  # markers I and J of each joint

    def write_joint(self, statement: Statement) -> None:
        table = JOINTS if statement.type == "JOINT" else PRIMITIVES
        kinds = sorted(statement.flags & table.keys())
        if len(kinds) != 1:
            flags = ", ".join(sorted(statement.flags)) or "none"
            what = f"its type ({flags}) is not read." if statement.flags else "its type is missing."
            self.s.found.fault(statement.title, statement.line, what, suggest(flags, list(table)))
            return
        ends = self.s.ends(statement)
        if ends is None:
            return
        i, j = ends
        entry: dict[str, Any] = {"type": table[kinds[0]], "between": [self.s.marker(j), self.s.marker(i)]}
        if kinds[0] in ("HOOKE", "UNIVERSAL", "PERPENDICULAR"):
            entry |= self._crossed(kinds[0], i, j)
        if kinds[0] == "SCREW":
            entry["pitch"] = self.s.units.length * self.s.values.number(statement, "PITCH") / (2 * np.pi)
        name = self.s.named(statement, "joints")
        self.s.data["joints"][name] = entry
        if statement.type == "JOINT":
            self.joint_names[statement.id], self.ends_of[statement.id] = name, ends
            if entry["type"] in ("revolute", "screw", "cylindrical"):
                self.s.read.angles[ends] = f"{name}.angle" if entry["type"] == "cylindrical" else name
            self._initial(statement, kinds[0], entry)

    def _crossed(self, kind: str, i: int, j: int) -> dict[str, Any]:
        """Joints whose axes are one of each marker: x of I and y of J for a Hooke joint, else their z."""
        a, b = (0, 1) if kind == "HOOKE" else (2, 2)
        mi, mj = self.s.frames.markers[i], self.s.frames.markers[j]
        return {
            "between": [self.s.part_names[mj.part], self.s.part_names[mi.part]],
            "at": [clean(mj.place.r, self.s.extent), clean(mi.place.r, self.s.extent)],
            "axis": direction(mj.place.R[:, b]), "axis2": direction(mi.place.R[:, a]),
        }  # fmt: skip

    def _initial(self, statement: Statement, kind: str, entry: dict[str, Any]) -> None:
        """IC=value,rate of a joint with one coordinate; ICTRAN and ICROT of a cylindrical one."""
        metre, per_second = self.s.units.length, 1 / self.s.units.time
        wanted = {"REVOLUTE": [("IC", 1.0)], "TRANSLATIONAL": [("IC", metre)],
                  "CYLINDRICAL": [("ICTRAN", metre), ("ICROT", 1.0)]}.get(kind, [])  # fmt: skip
        given = [
            (self.s.values.numbers(statement, key, (1, 2)), unit) for key, unit in wanted if key in statement.values
        ]
        if not given or len(given) < len(wanted):
            return
        position = [unit * float(pair[0]) for pair, unit in given]
        velocity = [unit * per_second * float(pair[1]) for pair, unit in given if len(pair) > 1]
        entry["position"] = position[0] if len(position) == 1 else position
        if len(velocity) == len(position):
            entry["velocity"] = velocity[0] if len(velocity) == 1 else velocity

    def _coordinate(self, number: int | None, kind: str) -> tuple[str, float] | None:
        """The measure of a joint's translation (T) or rotation (R), and the unit it is counted in."""
        name = self.joint_names.get(number or 0)
        if name is None:
            return None
        of = self.s.data["joints"][name]["type"]
        if of == "cylindrical":
            return (f"{name}.displacement", self.s.units.length) if kind == "T" else (f"{name}.angle", 1.0)
        if of in ("revolute", "screw") and kind in ("R", ""):
            return name, 1.0
        return (name, self.s.units.length) if of == "prismatic" and kind in ("T", "") else None

    # ---- constraints along them
    def write_motion(self, statement: Statement) -> None:
        kind = next(
            (letter for word, letter in (("ROTATION", "R"), ("TRANSLATION", "T")) if word in statement.flags), ""
        )
        if "JOINT" in statement.values:
            found = self._coordinate(self.s.values.id(statement, "JOINT"), kind)
        else:
            found = self._moved_directly(statement)
        if found is None or "FUNCTION" not in statement.functions:
            self.s.leave_out(
                statement, "what it moves is not read" if found is None else "it has no FUNCTION", essential=True
            )
            return
        measure, unit = found
        try:
            motion = self.s.text(statement, "FUNCTION", unit)
        except Untranslatable as problem:
            self.s.leave_out(statement, f"{problem} cannot be translated", essential=True)
            return
        if statement.flags & {"VELOCITY", "ACCELERATION"}:
            self.s.leave_out(statement, "it prescribes a velocity or an acceleration", essential=True)
            return
        self.s.data["drivers"][self.s.named(statement, "drivers")] = {"measure": measure, "motion": motion}

    def _moved_directly(self, statement: Statement) -> tuple[str, float] | None:
        """A motion between two markers along x, y, z or about z of the J marker."""
        ends = self.s.ends(statement)
        which = sorted(statement.flags & {"X", "Y", "Z", "B3"})
        if ends is None or len(which) != 1:
            return None
        i, j = ends
        if which[0] == "B3":
            return self.s.read.angle(i, j, 2), 1.0
        return self.s.read.along(i, j, j, AXES.index(which[0])), self.s.units.length

    def write_coupler(self, statement: Statement) -> None:
        """r1 q1 + r2 q2 (+ r3 q3) = 0."""
        if statement.functions:
            self.s.leave_out(statement, "its FUNCTION is not read", essential=True)
            return
        joints = [int(text) if text.isdecimal() else 0 for text in statement.values.get("JOINTS", [])]
        kinds = [text[:1].upper() for text in statement.values.get("TYPE", [])] + [""] * len(joints)
        scales = self.s.values.numbers(statement, "SCALES", (2, 3), (1.0, -1.0))
        found = [self._coordinate(id, kind) for id, kind in zip(joints, kinds, strict=False)]
        if len(found) != len(scales) or None in found:
            self.s.leave_out(statement, "it ties coordinates that are not read", essential=True)
            return
        terms: dict[str, float] = {}
        for (measure, unit), scale in zip((f for f in found if f), scales, strict=True):
            terms[measure] = terms.get(measure, 0.0) + float(scale) / unit
        self.s.data["couplings"][self.s.named(statement, "couplings")] = {"type": "linear", "terms": terms}

    def write_gear(self, statement: Statement) -> None:
        """Both gears have the same velocity along z of the marker CV, where they touch, relative to their carrier."""
        joints = [int(text) if text.isdecimal() else 0 for text in statement.values.get("JOINTS", [])]
        touch = self.s.frames.markers.get(self.s.values.id(statement, "CV") or 0)
        arms = [] if touch is None else [self._arm(joint, touch) for joint in joints]
        if len(arms) != 2 or None in arms:
            self.s.leave_out(statement, "its joints or its marker CV are not read", essential=True)
            return
        (a, first), (b, second) = (arm for arm in arms if arm is not None)
        if not first or not second:
            self.s.leave_out(statement, "its teeth do not move along z of CV", essential=True)
            return
        name = self.s.named(statement, "couplings")
        self.s.data["couplings"][name] = {"type": "linear", "terms": {a: first, b: -second}}

    def _arm(self, number: int, touch: Marker) -> tuple[str, float] | None:
        """The coordinate of a gear's joint, and the velocity of its teeth along z of CV per rate of that."""
        found = self._coordinate(number, "R") or self._coordinate(number, "T")
        if found is None:
            return None
        i, j = (self.s.frames.markers[end] for end in self.ends_of[number])
        sign = 1.0 if j.part == touch.part else -1.0
        if touch.part not in (i.part, j.part):
            return None
        axis, along = j.place.R[:, 2], touch.place.R[:, 2]
        kind = self.s.data["joints"][self.joint_names[number]]["type"]
        speed = axis if kind == "prismatic" else np.cross(axis, touch.place.r - j.place.r)
        return found[0], sign * clean(float(speed @ along), self.s.extent)
