"""Parts and markers of an Adams dataset: where they are in the drawing, in m, and what mass they have."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from eigenbody.exchange.adams.statements import Statement, number
from eigenbody.exchange.adams.units import Units
from eigenbody.exchange.base import Findings
from eigenbody.spatial.rotations import from_sequence, unit


@dataclass(frozen=True, slots=True, eq=False)
class Place:
    """Position (3,) in m and axes (3, 3, columns) in ground."""

    r: np.ndarray
    R: np.ndarray


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """A part: its number, where its coordinate system is, and mass with the inertia (3, 3) about the mass centre in the
    axes of `centre`; None without mass."""

    statement: Statement
    is_ground: bool
    place: Place
    mass: float = 0.0
    centre: Place | None = None
    tensor: np.ndarray | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Marker:
    """A marker on a part."""

    statement: Statement
    part: int
    place: Place


@dataclass(frozen=True, slots=True, eq=False)
class Frames:
    """Parts and markers by their numbers; `floating` are the parts of markers without a place."""

    parts: dict[int, Part]
    markers: dict[int, Marker]
    floating: dict[int, int]

    def still(self, marker: int) -> bool:
        """Whether a marker (0: of the ground) is on the ground."""
        return not marker or self.parts[self.markers[marker].part].is_ground


class Values:
    """Values of statements; what cannot be read is a fault, and zeros stand for it."""

    def __init__(self, found: Findings) -> None:
        self.found = found

    def numbers(self, s: Statement, key: str, counts: Sequence[int], default: Sequence[float] = ()) -> np.ndarray:
        """The numbers of a key, of which there are as many as one of `counts`; the default where it is missing."""
        given = s.values.get(key)
        if given is None:
            return np.array(default, dtype=float)
        read = [number(text) for text in given]
        if len(read) in counts and None not in read:
            return np.array(read, dtype=float)
        wanted = " or ".join(map(str, counts))
        self.found.fault(s.title, s.line, f"{key}={','.join(given)[:60]}: {wanted} numbers are expected.")
        return np.zeros(counts[0])

    def number(self, s: Statement, key: str, default: float = 0.0) -> float:
        return float(self.numbers(s, key, (1,), (default,))[0])

    def id(self, s: Statement, key: str) -> int | None:
        text = (s.values.get(key) or [""])[0]
        return int(text) if text.isdecimal() else None

    def place(self, s: Statement, at: str, z: str, x: str, length: float, base: Place | None = None) -> Place:
        """Origin `at` and axes by REULER (3-1-3 angles, radians), or by points on z and in the x-z plane."""
        r = length * self.numbers(s, at, (3,), (0.0, 0.0, 0.0))
        R = from_sequence("zxz", self.numbers(s, "REULER", (3,), (0.0, 0.0, 0.0)))
        if z in s.values or x in s.values:
            R = self._by_points(s, r, z, x, length)
        return Place(r, R) if base is None else Place(base.r + base.R @ r, base.R @ R)

    def _by_points(self, s: Statement, r: np.ndarray, z: str, x: str, length: float) -> np.ndarray:
        """ZP and XP: a point on the z axis and one in the x-z plane; with USEXP the second is on the x axis."""
        towards = [length * self.numbers(s, key, (3,), default) - r if key in s.values else np.array(default)
                   for key, default in ((z, (0.0, 0.0, 1.0)), (x, (1.0, 0.0, 0.0)))]  # fmt: skip
        if z in s.values and x not in s.values:
            towards[1] = np.eye(3)[np.abs(towards[0]).argmin()]
        first, second = towards if "USEXP" not in s.flags else reversed(towards)
        normal = np.cross(towards[0], towards[1])
        if not np.linalg.norm(normal) > 1e-9 * np.linalg.norm(first) * np.linalg.norm(second):
            self.found.fault(s.title, s.line, f"{z} and {x} give no axes: they are in one line with the origin.")
            return np.eye(3)
        y = unit(normal)
        if "USEXP" in s.flags:
            return np.stack((unit(first), y, np.cross(unit(first), y)), axis=1)
        return np.stack((np.cross(y, unit(first)), y, unit(first)), axis=1)


def frames_of(statements: list[Statement], units: Units, found: Findings) -> Frames:
    """Parts and markers with their places."""
    values = Values(found)
    parts: dict[int, Part] = {}
    for s in statements:
        if s.type in ("PART", "POINT_MASS"):
            if s.id in parts and parts[s.id].statement.type != s.type:
                found.fault(s.title, s.line, f"there is a part {s.id} in line {parts[s.id].statement.line} already.")
            place = values.place(s, "QG", "ZG", "XG", units.length)
            parts[s.id] = Part(s, "GROUND" in s.flags, place)
    markers: dict[int, Marker] = {}
    floating: dict[int, int] = {}
    for s in statements:
        if s.type == "MARKER":
            owner = values.id(s, "PART") if "PART" in s.values else values.id(s, "POINT_MASS")
            if owner not in parts:
                found.fault(s.title, s.line, "it is on no part.", "Write PART=id with the number of a part.")
            elif "FLOATING" in s.flags:
                floating[s.id] = owner
            else:
                place = values.place(s, "QP", "ZP", "XP", units.length, parts[owner].place)
                markers[s.id] = Marker(s, owner, place)
    if sum(part.is_ground for part in parts.values()) != 1:
        what = "there is no part that is the ground." if parts else "the file has no parts."
        grounds = [part.statement for part in parts.values() if part.is_ground]
        found.fault("PART", grounds[1].line if grounds else 1, "two parts are the ground." if grounds else what)
    parts = {k: _with_mass(part, markers, units, values) for k, part in parts.items()}
    return Frames(parts, markers, floating)


def _with_mass(part: Part, markers: dict[int, Marker], units: Units, values: Values) -> Part:
    """The part with its mass; IP is about the inertia marker, and its products of inertia are positive integrals."""
    s = part.statement
    mass = units.mass * values.number(s, "MASS")
    if part.is_ground:
        return part
    if mass < 0:
        values.found.fault(s.title, s.line, f"the mass is negative ({mass:g} kg).", "A mass is zero or positive.")
    centre = markers.get(values.id(s, "CM") or 0)
    if centre is None and mass:
        values.found.fault(s.title, s.line, "a part with mass needs the marker of its centre.", "Write CM=id.")
        return part
    about = markers.get(values.id(s, "IM") or 0, centre)
    if centre is None or about is None:
        return part
    moments = units.mass * units.length**2 * values.numbers(s, "IP", (3, 6), (0.0, 0.0, 0.0))
    xx, yy, zz, xy, xz, yz = [*moments, 0.0, 0.0, 0.0][:6]
    J = np.array([[xx, -xy, -xz], [-xy, yy, -yz], [-xz, -yz, zz]])
    d = about.place.R.T @ (about.place.r - centre.place.r)
    J = J - mass * (d @ d * np.eye(3) - np.outer(d, d))
    axes = about.place.R
    return Part(s, False, part.place, mass, Place(centre.place.r, axes), J)
