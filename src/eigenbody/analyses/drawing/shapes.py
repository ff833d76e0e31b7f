"""What a body looks like: the `shape` its author gave, or one that has its mass and inertia."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from eigenbody.analyses.drawing.meshes import MeshFiles, Surface
from eigenbody.model.description import owner_of
from eigenbody.model.faults import Faults
from eigenbody.model.mesh_inertia import mesh_scale
from eigenbody.model.model import InertModel
from eigenbody.model.source import shown
from eigenbody.model.values import Values
from eigenbody.spatial.rotations import frame

ALIKE = 0.02  # relative: moments this near to each other make a body of revolution
THIN = 0.05  # of the largest extent: the least that is drawn
CUBE = 0.22  # edge of a cube in place of a ball that would be too large, in distances of what holds it
EXAMPLE = "Write for example {type: box, size: [0.4, 0.1, 0.1]}."
COMMON = ("type", "at", "rotation", "color")


@dataclass(frozen=True, eq=False)
class Solid:
    """One primitive in body axes: unit solid of a kind, scaled, turned and put somewhere.

    Unit solids: box with edges 1; cylinder of radius 1 and height 1 along z; sphere of radius 1; cone of base radius 1
    and height 1 along z; ring of radius 1 about z; mesh with a box of edges 1. `extent` (3,) holds the half sizes.
    """

    kind: str
    scale: np.ndarray  # (3,)
    at: np.ndarray  # (3,)
    rotation: np.ndarray  # (3, 3)
    color: str = ""
    surface: Surface | None = None  # of a mesh
    is_clear: bool = False  # drawn so that one sees what it would hide

    @property
    def extent(self) -> np.ndarray:
        """Half sizes (3,) in its own axes."""
        halves = {"box": (0.5, 0.5, 0.5), "cylinder": (1, 1, 0.5), "cone": (1, 1, 0.5), "sphere": (1, 1, 1)}
        halves["mesh"] = halves["box"]
        return self.scale * np.array(halves.get(self.kind, (1, 1, 0.15)))

    @property
    def reach(self) -> float:
        """Largest distance from the centre of mass."""
        return float(np.linalg.norm(self.at) + np.linalg.norm(self.extent))

    def contains(self, point: np.ndarray, margin: float = 1.0) -> bool:
        """Whether a point (3,) in body axes lies inside."""
        inside = self.rotation.T @ (point - self.at)
        return bool(np.all(np.abs(inside) <= margin * self.extent))


# ---- given by the author


def given_solids(model: InertModel, which: Sequence[int]) -> tuple[dict[int, list[Solid]], list[str]]:
    """The solids of the bodies that have a `shape`, by index; every fault at once. An empty list: not drawn. Bodies
    whose meshes cannot be had are left out, and notes say why."""
    table = model.description.bodies
    faults = Faults(model.source)
    values, files = Values(faults, dict(model.parameters)), MeshFiles(faults)
    found, own = {}, {body.name for body in model.description.flexible}
    for i in which:
        given = table.shapes[i]
        if given is not None:
            items = given if isinstance(given, list) else [given]
            flexible = "." in table.names[i] or table.names[i] in own
            path = ("flexible" if flexible else "bodies", owner_of(table.names[i]), "shape")
            known = files.missed
            solids = [solid for k, item in enumerate(items) if item != "none"
                      for solid in _read(item, (*path, k) if isinstance(given, list) else path, values, files)
                      ]  # fmt: skip
            if solids or files.missed == known:
                found[i] = solids
    faults.raise_if_any()
    return found, files.notes


def _read(item: Any, path: tuple[Any, ...], values: Values, files: MeshFiles) -> list[Solid]:
    faults = values.faults
    if not isinstance(item, Mapping):
        faults.add(path, "a shape is a map with its type.", EXAMPLE)
        return []
    kind = item.get("type")
    if kind not in READERS:
        if kind is None:
            faults.add(path, "the shape has no type.", EXAMPLE)
        else:
            faults.unknown((*path, "type"), "shape", kind, READERS)
        return []
    reader, keys = READERS[kind]
    for key in sorted(item.keys() - {*COMMON, *keys}, key=str):
        faults.unknown((*path, key), "key", key, (*COMMON, *keys))
    before = len(faults.found)
    solids = reader(_Keys(item, path, values, files))
    return solids if len(faults.found) == before else []


class _Keys:
    """Reads the keys of one shape; what is wrong is remembered and replaced by something harmless."""

    def __init__(self, item: Mapping[str, Any], path: tuple[Any, ...], values: Values, files: MeshFiles) -> None:
        self.item, self.path, self.values, self.files = item, path, values, files

    def size(self, key: str, default: float | None = None) -> float:
        """A positive length."""
        if self.item.get(key) is None and default is not None:
            return default
        value = self.values.number(self.item.get(key), "m", (*self.path, key))
        return self._positive(key, [value])[0]

    def sizes(self, key: str) -> np.ndarray:
        value = self.values.vector(self.item.get(key), "m", (*self.path, key))
        return np.array(self._positive(key, [None] * 3 if value is None else list(value)))

    def _positive(self, key: str, given: Sequence[Any]) -> list[float]:
        real = [1.0 if value is None else float(np.real(value)) for value in given]
        if min(real) <= 0:
            self.values.faults.add((*self.path, key), "a length that is not positive cannot be drawn.")
            return [1.0] * len(real)
        return real

    def point(self, key: str) -> np.ndarray:
        if key == "at" and self.item.get(key) is None:
            return np.zeros(3)
        value = self.values.vector(self.item.get(key), "m", (*self.path, key))
        return np.zeros(3) if value is None else np.real(value)

    def axes(self) -> np.ndarray:
        """Rotation (3, 3): as given, or z along `axis`."""
        if self.item.get("rotation") is not None:
            value = self.values.rotation(self.item["rotation"], (*self.path, "rotation"))
            return np.eye(3) if value is None else np.real(value)
        axis = self.item.get("axis")
        direction = None if axis is None else self.values.direction(axis, None, (*self.path, "axis"))
        return np.eye(3) if direction is None else frame(np.real(direction))

    def color(self) -> str:
        """As #rrggbb, or nothing."""
        given = self.item.get("color")
        if given is None:
            return ""
        from matplotlib.colors import is_color_like, to_hex

        if isinstance(given, str) and is_color_like(given):
            return to_hex(given)
        what = f'"{shown(given)}" is no colour.'
        self.values.faults.add((*self.path, "color"), what, 'Write a name such as "steelblue" or "#4682b4".')
        return ""

    def solid(self, kind: str, scale: Any) -> list[Solid]:
        return [Solid(kind, np.array(scale, dtype=float), self.point("at"), self.axes(), self.color())]


def _round(kind: str) -> Callable[[_Keys], list[Solid]]:
    def read(keys: _Keys) -> list[Solid]:
        radius = keys.size("radius")
        return keys.solid(kind, (radius, radius, keys.size("length")))

    return read


def _sphere(keys: _Keys) -> list[Solid]:
    return keys.solid("sphere", [keys.size("radius")] * 3)


def _bar(keys: _Keys) -> list[Solid]:
    start, end = keys.point("from"), keys.point("to")
    if not np.any(end - start):
        keys.values.faults.add(keys.path, "the two ends of the bar coincide.")
        end = start + np.array([0.0, 0.0, 1.0])
    return [bar(start, end, keys.size("radius"), keys.color())]


def _wheel(keys: _Keys) -> list[Solid]:
    return keys.solid("ring", [keys.size("radius")] * 3)


def _mesh(keys: _Keys) -> list[Solid]:
    """A solid for each colour of the file."""
    name = keys.item.get("file")
    if not isinstance(name, str):
        keys.values.faults.add((*keys.path, "file"), "the name of a file is expected here.", "Write file: part.stl.")
        return []
    scale = mesh_scale(keys.item.get("scale"), keys.values, (*keys.path, "scale"))
    at, axes, color = keys.point("at"), keys.axes(), keys.color()
    if scale is None:
        return []
    return [
        Solid("mesh", placed.surface.size, at + axes @ placed.middle, axes, color or placed.color, placed.surface)
        for placed in keys.files.surfaces(name, np.real(np.array(scale)), (*keys.path, "file"))
    ]


READERS: dict[str, tuple[Callable[[_Keys], list[Solid]], tuple[str, ...]]] = {
    "box": (lambda keys: keys.solid("box", keys.sizes("size")), ("size",)),
    "sphere": (_sphere, ("radius",)),
    "ellipsoid": (lambda keys: keys.solid("sphere", keys.sizes("radii")), ("radii",)),
    "cylinder": (_round("cylinder"), ("radius", "length", "axis")),
    "cone": (_round("cone"), ("radius", "length", "axis")),
    "bar": (_bar, ("from", "to", "radius")),
    "wheel": (_wheel, ("radius", "axis")),
    "mesh": (_mesh, ("file", "scale")),
}


def bar(start: np.ndarray, end: np.ndarray, radius: float, color: str = "") -> Solid:
    """A round bar between two points."""
    along = end - start
    scale = np.array([radius, radius, float(np.linalg.norm(along))])
    return Solid("cylinder", scale, 0.5 * (start + end), frame(along), color)


def mark(solid: Solid) -> Solid:
    """A stripe on a round solid, that shows how it turns about its axis."""
    across, thick, along = (1.8, 0.12, 1.02) if solid.kind == "cylinder" else (1.45, 0.16, 1.45)
    scale = solid.scale * np.array([across, thick, along])
    return Solid("box", scale, solid.at, solid.rotation, solid.color)


# ---- from mass and inertia


def equivalent_solid(mass: float, inertia: np.ndarray, held: np.ndarray, spread: float) -> Solid | None:
    """The sphere, cylinder or box of the same mass and inertia (3, 3), not larger than where it sits allows: a ball
    that would hide the mechanism becomes a small cube, which shows how it turns.

    held (k, 3) are the points, in body axes, where others hold it; spread is the extent of the whole mechanism. None
    for a point mass. A flat disc keeps its radius: wheels and rotors are wider than their bearings are apart.
    """
    moments, axes = np.linalg.eigh(inertia)
    moments = np.maximum(moments, 0.0)  # of a thin rod one may be a rounding below zero
    if mass <= 0 or moments[2] <= 0:
        return None
    if np.linalg.det(axes) < 0:
        axes[:, 0] *= -1
    room = _Room(held, spread)
    if moments[2] - moments[0] <= ALIKE * moments[2]:
        radius = np.sqrt(2.5 * moments.mean() / mass)
        if room.limited(radius, 0.35) >= radius:
            return Solid("sphere", np.full(3, radius), np.zeros(3), np.eye(3))
        return Solid("box", np.full(3, room.limited(radius, CUBE)), np.zeros(3), np.eye(3))
    for spin in (2, 0):  # the axis of revolution has the largest or the smallest moment
        pair = [k for k in range(3) if k != spin]
        if abs(moments[pair[0]] - moments[pair[1]]) <= ALIKE * moments[2]:
            return _cylinder(mass, moments[spin], moments[pair].mean(), frame(axes[:, spin]), room)
    edges = np.sqrt(np.maximum(6 * (moments.sum() - 2 * moments) / mass, 0.0))
    edges = np.array([room.limited(edge, 0.4, axes[:, k], 1.9) for k, edge in enumerate(edges)])
    return Solid("box", np.maximum(edges, THIN * edges.max()), np.zeros(3), axes)


@dataclass(frozen=True, eq=False)
class _Room:
    """How large a body may be drawn: its inertia may be that of something that would hide all the others."""

    held: np.ndarray
    spread: float

    def limited(self, size: float, share: float, axis: np.ndarray | None = None, along: float = 0.0) -> float:
        """A size, at most `share` of the farthest point that holds it, or `along` times its distance along the axis."""
        reach = float(np.linalg.norm(self.held, axis=1).max(initial=0.0))
        if reach > 0:
            far = 0.0 if axis is None else float(np.abs(self.held @ axis).max())
            return min(size, max(share * reach, along * far))
        return min(size, 0.25 * self.spread) if self.spread > 0 else size


def _cylinder(mass: float, polar: float, transverse: float, axes: np.ndarray, room: _Room) -> Solid:
    radius = np.sqrt(2 * polar / mass)
    height = room.limited(np.sqrt(max(12 * transverse / mass - 3 * radius**2, 0.0)), 0.4, axes[:, 2], 1.9)
    if polar <= 1.2 * transverse:  # no disc
        radius = min(room.limited(radius, 0.2, axes[:, 0], 0.9), room.limited(radius, 0.2, axes[:, 1], 0.9))
    radius, height = max(radius, 0.5 * THIN * height), max(height, 2 * THIN * radius)
    return Solid("cylinder", np.array([radius, radius, height]), np.zeros(3), axes)
