"""How joints, forces and markers are drawn. Every entry is a few primitives; unknown types get a plain sign."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from eigenbody.analyses.drawing.meshes import Surface
from eigenbody.analyses.drawing.shapes import Solid
from eigenbody.elements.forces.beam import Beams
from eigenbody.elements.joints import JOINTS
from eigenbody.elements.measures.templates import Pairs
from eigenbody.elements.places import Places
from eigenbody.model.description import Entry, is_internal
from eigenbody.spatial.rotations import frame, quaternion

WHEELS = ("rolling", "tyre", "wheel_rail")
ROUND = np.eye(3)
MARKED = 60  # bodies; among more, nobody looks at one


def _short(values: Any) -> list[float]:
    return [float(f"{value:.6g}") for value in np.real(values)]


@dataclass(eq=False)
class Draw:
    """Collects what is drawn. `glyph` is the size of a joint, `size` that of the mechanism."""

    places: Places
    glyph: float
    size: float
    up: np.ndarray
    numbers: Mapping[int, int]  # of the rows of bodies that are drawn
    parts: list[dict[str, Any]] = field(default_factory=list)
    links: list[dict[str, Any]] = field(default_factory=list)
    surfaces: dict[Surface, int] = field(default_factory=dict)  # of meshes, with their numbers

    def solid(self, carrier: int, solid: Solid, layer: str, name: str, title: str, is_mark: bool = False) -> None:
        """A primitive on a carrier; a mark is drawn darker."""
        q = np.real(quaternion(solid.rotation))[[1, 2, 3, 0]]
        part = {
            "kind": solid.kind, "on": self.on(carrier), "p": _short(solid.at), "q": _short(q),
            "s": _short(solid.scale), "layer": layer, "name": name, "title": title,
        }  # fmt: skip
        if solid.surface is not None:
            part["mesh"] = self.surfaces.setdefault(solid.surface, len(self.surfaces))
        more = {"color": solid.color, "mark": is_mark, "clear": solid.is_clear}
        self.parts.append(part | {key: value for key, value in more.items() if value})

    def link(
        self, kind: str, ends: Sequence[tuple[int, np.ndarray]], radius: float, layer: str, name: str, title: str
    ) -> None:
        """Something that stretches between two points."""
        (a, p), (b, q) = ends
        self.links.append(
            {"kind": kind, "a": self.on(a), "p": _short(p), "b": self.on(b), "q": _short(q),
             "radius": float(f"{radius:.6g}"), "layer": layer, "name": name, "title": title}
        )  # fmt: skip

    @property
    def has_marks(self) -> bool:
        """Whether the turning of round bodies is worth a mark."""
        return len(self.places.description.bodies) <= MARKED

    def on(self, carrier: int) -> int:
        """Index of the body, -1 for what stands still."""
        return self.numbers.get(int(carrier), -1)

    @cached_property
    def joints(self) -> dict[str, Entry]:
        """Joints by name."""
        return {entry.name: entry for entry in self.places.description.joints}

    @cached_property
    def measures(self) -> dict[str, Entry]:
        """Measures of the section by name."""
        return {entry.name: entry for entry in self.places.description.measures}

    @cached_property
    def wheels(self) -> dict[int, list[Solid]]:
        """Wheels that rolling joints, tyres and rails tell of, by body."""
        description = self.places.description
        out: dict[int, list[Solid]] = {}
        wheels = [e for e in (*description.joints, *description.forces) if e.type in WHEELS]
        entries = [e for e in wheels if e.get("surface") is None]
        for entry, (_, second, _, at, _, axes) in zip(entries, ends(self.places, entries), strict=True):
            radius = float(np.real(entry["radius"]))
            if second < len(description.bodies):
                out.setdefault(second, []).append(Solid("ring", np.full(3, radius), at, axes))
        return out


def rolling_solids(places: Places) -> dict[int, list[Solid]]:
    """Balls and ellipsoids that rolling joints tell of, by body; surfaces known by a formula alone are not drawn."""
    out: dict[int, list[Solid]] = {}
    rolling = [e for e in places.description.joints if e.type == "rolling" and e.get("surface") is not None]
    entries = [e for e in rolling if e["surface"].form != "implicit"]
    for entry, (_, second, _, at, _, axes) in zip(entries, ends(places, entries), strict=True):
        out.setdefault(second, []).append(Solid("sphere", np.real(entry["surface"].size).astype(float), at, axes))
    return out


End = tuple[int, int, np.ndarray, np.ndarray, np.ndarray, np.ndarray]


def ends(places: Places, entries: Sequence[Entry]) -> Iterator[End]:
    """Carriers, points and axes (z first) of two-ended entries, in carrier axes."""
    if not entries:
        return
    pairs: Pairs = places.pairs(entries)
    for i in range(len(entries)):
        yield (
            int(pairs.first[i]), int(pairs.second[i]), np.real(pairs.origin1[i]), np.real(pairs.origin2[i]),
            np.real(pairs.axes1[i]), np.real(pairs.axes2[i]),
        )  # fmt: skip


def places_of_attachment(places: Places) -> list[np.ndarray]:
    """Points of every body (body axes) where joints and forces hold it; of ground and frames (global) at the end."""
    description = places.description
    count = len(description.bodies)
    found: list[list[np.ndarray]] = [[] for _ in range(count + 1)]
    two = [e for e in (*description.joints, *description.forces) if e.get("between") is not None and e.type != "free"]
    two = [e for e in two if not is_internal(e)]
    two += [e for e in description.measures if e.get("at") is not None]
    for first, second, p, q, _, _ in ends(places, two):
        found[min(first, count)].append(p)
        found[min(second, count)].append(q)
    for marker in description.markers.values():
        carrier = places.index[marker.body]
        found[min(carrier, count)].append(_local(places, carrier, marker.position))
    return [np.unique(np.array(points).reshape(-1, 3).round(12), axis=0) for points in found]


def _local(places: Places, carrier: int, point: Any) -> np.ndarray:
    return np.real(places.local_points(np.array([carrier]), np.atleast_2d(point))[0])


def _drawn(places: Places, carrier: int, point: np.ndarray) -> np.ndarray:
    """A point of a carrier in global axes, as drawn."""
    return np.real(places.r[carrier]) + np.real(places.R[carrier]) @ point


# ---- joints


def draw_joints(draw: Draw) -> None:
    """A sign for every joint, with a plate where it stands on ground."""
    entries = [entry for entry in draw.places.description.joints if not is_internal(entry)]
    for entry, (first, second, p, q, axes, _) in zip(entries, ends(draw.places, entries), strict=True):
        title = f"{entry.type} joint {entry.name}"
        if entry.type in ("rolling", "free"):
            continue
        if entry.type == "distance":
            draw.link("bar", ((first, p), (second, q)), 0.4 * draw.glyph, "joint", entry.name, title)
            continue
        for kind, scale in _sign(entry.type):
            draw.solid(first, Solid(kind, draw.glyph * np.array(scale), p, axes), "joint", entry.name, title)
        if entry.type == "universal":
            turned = axes[:, [2, 1, 0]] * [1, 1, -1]
            draw.solid(first, Solid("cylinder", draw.glyph * np.array([0.45, 0.45, 3]), p, turned), "joint",
                       entry.name, title)  # fmt: skip
        for carrier, point in ((first, p), (second, q)):
            if draw.on(carrier) < 0:
                _plate(draw, point, entry.name, title)


def _sign(type_: str) -> tuple[tuple[str, tuple[float, float, float]], ...]:
    g: dict[str, tuple[tuple[str, tuple[float, float, float]], ...]] = {
        "revolute": (("cylinder", (0.95, 0.95, 2.4)),),
        "cylindrical": (("cylinder", (0.8, 0.8, 4.2)),),
        "screw": (("cylinder", (0.8, 0.8, 4.2)), ("ring", (1.1, 1.1, 1.1))),
        "prismatic": (("box", (1.5, 1.5, 4.6)),),
        "spherical": (("sphere", (1.15, 1.15, 1.15)),),
        "point": (("sphere", (1.15, 1.15, 1.15)),),
        "universal": (("cylinder", (0.45, 0.45, 3.0)),),
        "planar": (("box", (4.0, 4.0, 0.4)),),
        "fixed": (("box", (1.5, 1.5, 1.5)),),
    }
    return g.get(type_, (("sphere", (0.8, 0.8, 0.8)),))


def _plate(draw: Draw, point: np.ndarray, name: str, title: str) -> None:
    scale = draw.glyph * np.array([2.0, 2.0, 0.5])
    draw.solid(-1 % len(draw.places.names), Solid("cylinder", scale, point - 1.3 * draw.glyph * draw.up,
               frame(draw.up)), "ground", name, title)  # fmt: skip


# ---- forces


def draw_forces(draw: Draw) -> None:
    """Springs as coils, dampers as telescopes, bushings as soft balls, loads and inputs as arrows."""
    description = draw.places.description
    for entry in description.forces:
        title = f"{entry.type} {entry.name}"
        if entry.type in WHEELS or is_internal(entry):
            continue
        if entry.get("between") is not None:
            _between(draw, entry, next(ends(draw.places, [entry])), title)
        elif entry.get("along") is not None:
            _along(draw, entry, title)
        elif entry.get("body") is not None:
            _arrow(draw, entry, entry.get("value"), "force", title)
    for entry in description.inputs:
        if entry.get("body") is not None:
            _arrow(draw, entry, entry.get("direction"), "input", f"input {entry.name}")


def _between(draw: Draw, entry: Entry, end: End, title: str) -> None:
    first, second, p, q, axes, _ = end
    if entry.type in ("bushing", "bearing"):
        kind, scale = ("sphere", (1.5, 1.5, 1.5)) if entry.type == "bushing" else ("ring", (1.9, 1.9, 1.9))
        draw.solid(first, Solid(kind, draw.glyph * np.array(scale), p, axes), "force", entry.name, title)
        if draw.on(first) < 0:
            _plate(draw, p, entry.name, title)
        return
    kind = {"damper": "damper", "actuator": "damper", "friction": "bar", "motor": "damper", "beam": "beam"}.get(
        entry.type, "coil"
    )
    draw.link(kind, ((first, p), (second, q)), draw.glyph, "force", entry.name, title)
    if kind == "beam":
        draw.links[-1]["section"] = _short(_section(draw, entry))


def _section(draw: Draw, entry: Entry) -> np.ndarray:
    """Half the sizes (6,) of a beam's section along y and z, as vectors in the axes of its first body: those of the
    rectangle that has its radii of gyration."""
    axes = np.real(Beams.of([entry], draw.places).pairs.axes1[0])
    area, Iy, Iz = (float(np.real(entry[key])) for key in ("area", "Iy", "Iz"))
    least = 0.25 * draw.glyph
    return np.concatenate([max(math.sqrt(3 * second / area), least) * axes[:, k] for k, second in ((1, Iz), (2, Iy))])


def _along(draw: Draw, entry: Entry, title: str) -> None:
    """At the joints, measures or bodies whose coordinates it works along."""
    for found in _measured(draw, str(entry["along"])):
        _acting(draw, entry, title, *found)


def _acting(draw: Draw, entry: Entry, title: str, end: End, is_angle: bool) -> None:
    first, second, p, q, axes, _ = end
    if is_angle:
        draw.solid(first, Solid("ring", draw.glyph * np.full(3, 1.6), p, axes), "force", entry.name, title)
        return
    apart = np.linalg.norm(_drawn(draw.places, first, p) - _drawn(draw.places, second, q)) > 3 * draw.glyph
    start = p if apart else p - 0.2 * draw.size * axes[:, 2]
    kind = "damper" if entry.type in ("damper", "actuator", "motor") else "coil"
    draw.link(kind, ((first, start), (second, q)), draw.glyph, "force", entry.name, title)
    if draw.on(first) < 0:
        _plate(draw, start, entry.name, title)


def _measured(draw: Draw, name: str) -> Iterator[tuple[End, bool]]:
    """Ends of a named measure with z along it, and whether it is an angle: of every part of a sum, of nothing for what
    has no place."""
    measure = draw.measures.get(name)
    if measure is not None and measure.type == "sum":
        for part in measure["terms"]:
            yield from _measured(draw, str(part))
    elif (found := _single(draw, name)) is not None:
        yield found


def _single(draw: Draw, name: str) -> tuple[End, bool] | None:
    owner, _, part = name.rpartition(".") if name.count(".") > 1 else name.partition(".")
    joint = draw.joints.get(owner)
    if joint is not None:
        free = JOINTS[joint.type].free
        chosen = next((m for m in free if m.label == part), free[0] if free else None)
        end = next(ends(draw.places, [joint]))
        if chosen is None:
            return None
        return _turned(end, part), chosen.dimension == "rad"
    measure = draw.measures.get(name)
    if measure is not None and measure.get("between") is not None:
        return _ends_of_measure(draw.places, measure), measure.type not in ("displacement", "distance")
    body, ground = draw.places.index.get(owner), draw.places.ground
    if body is not None and body < len(draw.places.description.bodies) and part in ("x", "y", "z"):
        axes = frame(ROUND["xyz".index(part)])
        return (ground, body, np.real(draw.places.r[body]), np.zeros(3), axes, axes), False
    return None


def _ends_of_measure(places: Places, entry: Entry) -> End:
    """As of any pair, but without `at` a measure goes from centre of mass to centre of mass."""
    first, second, p, q, axes, axes2 = next(ends(places, [entry]))
    if entry.get("at") is None:
        p, q = (
            _local(places, carrier, places.origin(name))
            for carrier, name in zip((first, second), entry["between"], strict=True)
        )
    return first, second, p, q, axes, axes2


def _turned(end: End, part: str) -> End:
    """Axes with z along the named coordinate x or y of a joint with several."""
    first, second, p, q, axes, axes2 = end
    order = {"x": [1, 2, 0], "y": [2, 0, 1]}.get(part, [0, 1, 2])
    return first, second, p, q, axes[:, order], axes2


def _arrow(draw: Draw, entry: Entry, direction: Any, layer: str, title: str) -> None:
    """A constant or given direction at a point of a body; signals that vary are drawn along what is known of them."""
    places = draw.places
    carrier = places.carrier(entry["body"])
    at = entry.get("at")
    in_body = entry.get("frame") == "body"
    if at is None:
        point = _local(places, carrier, places.origin(entry["body"]))
    else:
        point = np.real(np.asarray(at, dtype=complex)) if in_body else _local(places, carrier, at)
    along = np.array([value if isinstance(value, float | int) else 1.0 for value in np.atleast_1d(direction)], float)
    if along.shape != (3,) or not np.any(along) or not np.all(np.isfinite(along)):
        return
    R = np.real(places.R[carrier])
    along = along if entry.get("axes") == "body" else R.T @ along
    axes = frame(along / np.abs(along).max())
    g, z = draw.glyph, axes[:, 2]
    long = 0.14 * draw.size
    color = "#e07b00" if layer == "input" else ""
    for kind, scale, middle in (
        ("cylinder", (0.35 * g, 0.35 * g, long), -0.5 * long - 2 * g),
        ("cone", (0.9 * g, 0.9 * g, 2 * g), -g),
    ):
        draw.solid(carrier, Solid(kind, np.array(scale), point + middle * z, axes, color), "force", entry.name, title)


# ---- markers


def draw_markers(draw: Draw) -> None:
    """Three coloured axes at every marker."""
    places = draw.places
    for marker in places.description.markers.values():
        carrier = places.index[marker.body]
        point = _local(places, carrier, marker.position)
        axes = np.real(places.local_axes(np.array([carrier]), np.real(marker.rotation)[None])[0])
        long, thin = 3.2 * draw.glyph, 0.16 * draw.glyph
        for k, color in enumerate(("#d62728", "#2ca02c", "#1f77b4")):
            z = axes[:, k]
            solid = Solid("cylinder", np.array([thin, thin, long]), point + 0.5 * long * z, frame(z), color)
            draw.solid(carrier, solid, "marker", marker.name, f"marker {marker.name}")
