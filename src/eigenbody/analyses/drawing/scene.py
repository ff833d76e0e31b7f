"""The mechanism as a drawing: primitives carried by bodies, and links between points of two of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from eigenbody.analyses.drawing.bending import BentLines, bent_lines
from eigenbody.analyses.drawing.elements import (
    Draw,
    draw_forces,
    draw_joints,
    draw_markers,
    places_of_attachment,
    rolling_solids,
)
from eigenbody.analyses.drawing.meshes import Surface, packed, reduced
from eigenbody.analyses.drawing.shapes import Solid, bar, equivalent_solid, given_solids, mark
from eigenbody.linearization.point import OperatingPoint
from eigenbody.model.description import is_inner, owner_of
from eigenbody.spatial.rotations import quaternion

GLYPH = 0.020  # size of a joint, in sizes of the mechanism
MANY = 300  # bodies; among more, none is looked for that hides another
SMALLER = 0.8  # of its reach: what can be hidden by a body
LARGEST = 1e30  # coordinates beyond are not drawn truly by any browser


@dataclass(frozen=True, eq=False)
class Scene:
    """What the page draws, at the operating point. Lengths in metres, global axes z up unless gravity says otherwise.

    rows    which rows of the table of bodies are drawn: bodies, and nodes of flexible ones
    bodies  name, place, quaternion (x, y, z, w) and radius of each of them, a label unless it is a node, and where
            something spins the axis that whirl is counted by
    parts   primitives in the axes of their carrier (index of a body, -1 for ground)
    links   springs, dampers, rods: from a point of one carrier to a point of another
    bent    flexible bodies as lines that bend
    meshes  surfaces of triangles that parts look like, packed for the page; `surfaces` are these as they are
    notes   what is not drawn as it was asked for, and why
    """

    rows: np.ndarray
    bodies: list[dict[str, Any]]
    parts: list[dict[str, Any]]
    links: list[dict[str, Any]]
    bent: BentLines
    centre: np.ndarray
    size: float  # radius of a sphere around all of it
    floor: float  # height of the ground plane along `up`
    up: np.ndarray
    meshes: dict[str, Any]
    surfaces: tuple[Surface, ...]
    notes: tuple[str, ...]

    @property
    def radii(self) -> np.ndarray:
        """Radius of every body, (n,)."""
        return np.array([body["radius"] for body in self.bodies])

    def document(self) -> dict[str, Any]:
        """For the page."""
        return {
            "bodies": self.bodies, "parts": self.parts, "links": self.links,
            "lines": self.bent.document(), "centre": rounded(self.centre),
            "size": self.size, "floor": self.floor, "up": rounded(self.up), "meshes": self.meshes,
        }  # fmt: skip


def rounded(values: Any) -> list[float]:
    """Seven digits are more than any screen shows."""
    return [float(f"{value:.7g}") for value in np.real(values)]


def xyzw(R: np.ndarray) -> np.ndarray:
    """Quaternions in the order of the browser, (..., 4)."""
    return np.real(quaternion(R))[..., [1, 2, 3, 0]]


def scene_of(point: OperatingPoint) -> Scene:
    """The drawing of a mechanism at its operating point."""
    system, table = point.system, point.system.description.bodies
    known = {name for name in table.known_names if not is_inner(name)}
    rows = np.array([i for i, name in enumerate(table.names) if name in known], dtype=int)
    r, R = np.real(point.state.r)[rows], np.real(point.state.R)[rows]
    held = places_of_attachment(system.places)
    attached = [*(held[i] for i in rows), held[-1]]
    bent = bent_lines(point)
    given, notes = given_solids(point.model, rows.tolist())
    solids = _see_through(r, R, _solids(point, rows, attached, given), [i in given for i in rows.tolist()])
    centre, size = _around(r, R, attached, solids, bent)
    thickest = max((line.radius for line in bent.lines), default=0.0)
    glyph = max(_glyph(size, r, R, attached), min(1.5 * thickest, 2 * GLYPH * size))  # joints show beside tubes
    draw = Draw(system.places, glyph, size, _up(point), {int(row): k for k, row in enumerate(rows)})
    for i, own, points in zip(rows.tolist(), solids, attached, strict=False):
        _draw_body(draw, i, own, points, i in given)
    draw_joints(draw)
    draw_forces(draw)
    draw_markers(draw)
    labels = _labels(point, rows)
    radii = [max(max((solid.reach for solid in own), default=0.0), glyph) for own in solids]
    spins = _spins(np.real(point.state.w)[rows], R, table.is_material[rows])
    bodies = [
        {"name": table.names[rows[i]], "r": rounded(r[i]), "q": rounded(q), "radius": float(f"{radii[i]:.7g}"),
         "label": labels[i]} | ({"spin": rounded(spins[i])} if spins is not None else {})
        for i, q in enumerate(xyzw(R))
    ]  # fmt: skip
    lowest = min((float(r[i] @ draw.up) - _depth(own, R[i], draw.up) for i, own in enumerate(solids)), default=0.0)
    points = (*attached[-1], *bent.position)
    floor = min(lowest, *(float(p @ draw.up) for p in points), lowest) - 0.02 * size
    surfaces = list(draw.surfaces)
    few, moved = reduced(surfaces)
    meshes, told = packed(few, [surface.size for surface in surfaces]), (*notes, *_coarser(surfaces, few, moved))
    drawn = (draw.parts, draw.links, bent, centre, size, floor, draw.up, meshes, tuple(surfaces))
    return Scene(rows, bodies, *drawn, told)


def _spins(w: np.ndarray, R: np.ndarray, is_material: np.ndarray) -> np.ndarray | None:
    """(n, 3) unit vectors by which whirl is forward or backward: the spin of a body, of those that do not turn that of
    the fastest; None where nothing turns. w (n, 3) in body axes."""
    spin = np.einsum("nij,nj->ni", R, w)
    rate = np.linalg.norm(spin, axis=-1)
    fastest = int(np.argmax(rate * is_material)) if len(rate) else 0
    if not len(rate) or rate[fastest] <= 0:
        return None
    turns = rate > 1e-9 * rate[fastest]
    return np.where(turns[:, None], spin / np.where(turns, rate, 1.0)[:, None], spin[fastest] / rate[fastest])


def _coarser(surfaces: list[Surface], few: list[Surface], moved: float) -> list[str]:
    """A note where surfaces are drawn coarser than their files."""
    before, after = (sum(len(s.faces) for s in own) for own in (surfaces, few))
    note = f"Meshes are drawn with {after:,} of {before:,} triangles, corners up to {1000 * moved:.2g} mm off."
    return [note] if moved else []


def _labels(point: OperatingPoint, rows: np.ndarray) -> list[str]:
    """A name beside every body; of several sections beside the one in the middle, none at nodes."""
    table = point.system.description.bodies
    owners = [owner_of(name) for name in table.names]
    own: dict[str, list[int]] = {}
    for i in np.flatnonzero(table.is_material).tolist():
        own.setdefault(owners[i], []).append(i)
    middle = {members[len(members) // 2] for members in own.values()}
    return [owners[i] if i in middle else "" for i in rows.tolist()]


def _up(point: OperatingPoint) -> np.ndarray:
    gravity = np.real(point.system.description.gravity)
    size = np.linalg.norm(gravity)
    return -gravity / size + 0.0 if size > 0 else np.array([0.0, 0.0, 1.0])


def _solids(
    point: OperatingPoint, rows: np.ndarray, attached: Sequence[np.ndarray], given: Mapping[int, list[Solid]]
) -> list[list[Solid]]:
    """Solids of every row in body axes: as given, the surface that rolls, or equivalent to mass and inertia; none of
    nodes and of flexible bodies, which are lines."""
    table = point.system.description.bodies
    rolling = rolling_solids(point.system.places)
    without = {body.name for body in point.system.description.flexible}
    mass, inertia = np.real(table.mass), np.real(table.inertia)
    heaviest = max(float(mass.max(initial=0.0)), 1e-300)
    spread = _spread(np.real(point.state.r)[rows], np.real(point.state.R)[rows], attached)
    out: list[list[Solid]] = []
    for k, i in enumerate(rows.tolist()):
        if i in given:
            out.append(given[i])
            continue
        if table.names[i] in without or not table.is_material[i]:
            out.append([])
            continue
        if i in rolling:
            out.append(rolling[i])
            continue
        solid = equivalent_solid(float(mass[i]), inertia[i], attached[k], spread)
        if solid is None:
            radius = 0.07 * (spread or 1.0) * max((mass[i] / heaviest) ** (1 / 3), 0.35)
            solid = Solid("sphere", np.full(3, radius), np.zeros(3), np.eye(3))
        out.append([solid])
    return out


def _see_through(
    r: np.ndarray, R: np.ndarray, solids: list[list[Solid]], is_given: Sequence[bool]
) -> list[list[Solid]]:
    """Solids that nobody asked for and that hide smaller ones are drawn clear: those that hold the centre of one, and
    those within whose reach most of the others are."""
    reach = np.array([max((solid.reach for solid in own), default=0.0) for own in solids])
    if len(solids) > MANY:
        return solids
    out = []
    for i, own in enumerate(solids):
        is_small = (reach > 0) & (reach < SMALLER * reach[i]) & (not is_given[i])
        near = np.flatnonzero(is_small & (np.linalg.norm(r - r[i], axis=-1) < reach[i])).tolist()
        others = int(np.count_nonzero(reach)) - 1
        hides = len(near) > max(1, others // 2) or any(s.contains(R[i].T @ (r[j] - r[i])) for j in near for s in own)
        out.append([replace(solid, is_clear=True) for solid in own] if hides else own)
    return out


def _spread(r: np.ndarray, R: np.ndarray, attached: Sequence[np.ndarray]) -> float:
    """Largest extent of all centres and attachments."""
    points = _points(r, R, attached)
    return float(np.ptp(points, axis=0).max(initial=0.0)) if len(points) else 0.0


def _points(r: np.ndarray, R: np.ndarray, attached: Sequence[np.ndarray]) -> np.ndarray:
    """Every centre and attachment in global axes, (n, 3)."""
    own = [r[i] + attached[i] @ R[i].T for i in range(len(r))]
    return np.clip(np.concatenate([r.reshape(-1, 3), *own, attached[-1]]), -LARGEST, LARGEST)


def _around(
    r: np.ndarray, R: np.ndarray, attached: Sequence[np.ndarray], solids: Sequence[Sequence[Solid]], bent: BentLines
) -> tuple[np.ndarray, float]:
    """Centre and radius of a sphere around everything."""
    points = [_points(r, R, attached), bent.position]
    for i, own in enumerate(solids):
        for solid in own:
            half = np.abs(R[i] @ solid.rotation) @ solid.extent
            points.append(r[i] + R[i] @ solid.at + np.stack((-half, half)))
    every = np.clip(np.concatenate(points), -LARGEST, LARGEST)
    if not len(every):
        return np.zeros(3), 1.0
    centre = 0.5 * (every.min(axis=0) + every.max(axis=0))
    size = float(np.linalg.norm(every - centre, axis=1).max())
    return centre, size if size > 0 else 1.0


def _glyph(size: float, r: np.ndarray, R: np.ndarray, attached: Sequence[np.ndarray]) -> float:
    """Size of joints: smaller where attachments are crowded."""
    reach = np.array([np.linalg.norm(own, axis=1).max(initial=0.0) for own in attached[:-1]])
    crowded = np.median(reach[reach > 0]) if np.any(reach > 0) else size
    return float(max(min(GLYPH * size * 1.6, 0.2 * crowded), 0.15 * GLYPH * size))


def _depth(solids: Sequence[Solid], R: np.ndarray, up: np.ndarray) -> float:
    """How far the solids reach below the centre of mass."""
    down = [np.abs((R @ solid.rotation).T @ up) @ solid.extent - float((R @ solid.at) @ up) for solid in solids]
    return float(max(down, default=0.0))


def _draw_body(draw: Draw, i: int, solids: Sequence[Solid], points: np.ndarray, is_given: bool) -> None:
    """Its solids, and bars to the points where others hold it."""
    name = draw.places.names[i]
    for solid in solids:
        draw.solid(i, solid, "body", name, name)
        if not is_given and not solid.is_clear and solid.kind in ("cylinder", "sphere") and draw.has_marks:
            draw.solid(i, mark(solid), "body", name, name, is_mark=True)
    if is_given:
        return
    wheels = draw.wheels.get(i, ())
    for wheel in wheels:
        draw.solid(i, wheel, "body", name, name)
    for point in points:
        if np.linalg.norm(point) > 0 and not any(solid.contains(point) for solid in solids):
            draw.solid(i, bar(np.zeros(3), point, 0.5 * draw.glyph), "body", name, name)
