"""Flexible bodies whose load ought to stiffen them and does not.

The stiffness that loads give to a beam is that of the loads it carries at the operating point (structures/
second_order.py). A body that is known by its matrices alone has displacements of first order only and bends as it does
without load: it is named where its load is large enough to matter. So is a beam whose load has not built up yet.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from eigenbody.dynamics.constraints import pull_back
from eigenbody.linearization.bending import remarks_on_bending
from eigenbody.linearization.point import OperatingPoint
from eigenbody.model.description import FlexibleBody, is_inner

SPEED = 0.01  # of the lowest frequency of the free body (rad/s), across its length, from which turning matters
LOAD = 2e-4  # of mass, length and that frequency squared: a hundredth of the buckling load of a slender beam
FAST = 0.1  # of that frequency: from here on the load changes the shapes of a beam
STRONG = 5e-4  # of mass, length and frequency squared, in any direction: a tenth of the buckling load of a cantilever
FREE = 500.6  # mass, length and frequency squared of a free slender beam, of E I / length^2 (4.7300^4)
BUILT_UP = 0.01  # of the acceleration that a load would give: what may be left of it where it has built up
SLENDER = 0.1  # smallest over largest moment of inertia of a body with a length


def remarks_on_loads(point: OperatingPoint) -> tuple[str, ...]:
    """A sentence for every flexible body that turns or carries a load along its length without being stiffened, and for
    every beam that its load bends far."""
    bodies = _lone_bodies(point)
    return _remarks(point, bodies, _node_forces(point, bodies) if bodies else {})


def remarks_on_many(batch: OperatingPoint, points: Mapping[int, OperatingPoint]) -> dict[int, tuple[str, ...]]:
    """The same for some of many points: `batch` is the operating point of all with a batch axis, `points` are those
    asked for by their places on it."""
    if len(points) == 1:
        return {k: remarks_on_loads(point) for k, point in points.items()}
    known: dict[tuple[str, ...], dict[str, np.ndarray]] = {}  # forces by the bodies asked for
    out = {}
    for k, point in points.items():
        bodies = _lone_bodies(point)
        names = tuple(body.name for body in bodies)
        if bodies and names not in known:
            known[names] = _node_forces(batch, bodies)
        forces = {name: each[k] if each.ndim > 2 else each for name, each in known.get(names, {}).items()}
        out[k] = _remarks(point, bodies, forces)
    return out


def need_no_remarks(batch: OperatingPoint, flexible: Sequence[FlexibleBody], count: int) -> np.ndarray:
    """(count,) points that move and of whose `flexible` bodies, which are the same in all, there is nothing to say."""
    bodies, quiet = [body for body in flexible if body.reduced.modes], np.ones(count, dtype=bool)
    forces = _node_forces(batch, bodies) if bodies else {}
    for body in bodies:
        across, load = _across_and_along(batch, body, forces[body.name])
        quiet &= (across <= SPEED * _lowest(body)) & (load <= LOAD * _load_scale(body))
    return quiet


def _lone_bodies(point: OperatingPoint) -> list[FlexibleBody]:
    return [body for body in point.system.description.flexible if _is_lone(body, point)]


def _remarks(
    point: OperatingPoint, bodies: Sequence[FlexibleBody], forces: Mapping[str, np.ndarray]
) -> tuple[str, ...]:
    found = {body.where: text for body in reversed(bodies) if (text := _said(point, body, forces[body.name]))}
    said = (found[where] for where in dict.fromkeys(body.where for body in bodies) if where in found)
    return (*said, *remarks_on_bending(point))


@dataclass(frozen=True, slots=True)
class StrainedBeam:
    """A beam, of one body or several, under a load that bends it in shapes of its own."""

    parts: int  # bodies that it consists of
    length: float  # m, and that of the longest part
    longest: float
    layer: float  # m: how far from what holds it a beam bends that is pulled so hard, the root of E I over the force
    coordinates: frozenset[str]  # modal ones, of all parts
    used: tuple[str, ...]  # names of its nodes that the model uses


def strained_beams(point: OperatingPoint) -> dict[str, StrainedBeam]:
    """Beams, by name, under loads that bend them in shapes of their own: spinning, pulled or pushed so hard that it
    counts beside their stiffness."""
    beams: dict[str, list[FlexibleBody]] = {}
    for body in point.system.description.flexible:
        if body.reduced.bow is not None and body.reduced.modes:
            beams.setdefault(body.where.removeprefix("flexible."), []).append(body)
    if not beams:
        return {}
    loads = _node_loads(point, [body for parts in beams.values() for body in parts])
    found = {name: _strained(point, name, parts, loads) for name, parts in beams.items()}
    return {name: beam for name, beam in found.items() if beam is not None}


def _strained(
    point: OperatingPoint, name: str, parts: Sequence[FlexibleBody], loads: Mapping[str, np.ndarray]
) -> StrainedBeam | None:
    """The whole beam is judged: its lowest frequency goes with the square of its length. Moments count as forces across
    that length."""
    lengths = [_length(body) for body in parts]
    length, longest = sum(lengths), max(lengths)
    if not longest:
        return None
    part = parts[lengths.index(longest)]
    lowest = _lowest(part) * (longest / length) ** 2
    mass = sum(float(np.real(body.reduced.mass)) for body in parts)
    across = max(float(_across_and_along(point, body, loads[body.name][..., :3])[0]) for body in parts)
    sizes = (loads[body.name] / np.array([1.0] * 3 + [length] * 3) for body in parts)
    force = max(float(np.linalg.norm(size.reshape(-1, 3), axis=-1).max(initial=0.0)) for size in sizes)
    scale = mass * length * lowest**2
    if across <= FAST * lowest and force <= STRONG * scale:
        return None
    layer = length * (scale / (FREE * max(force, mass * across**2 * length / 8))) ** 0.5
    names = frozenset(name for body in parts for name in body.coordinates)
    used = tuple(node.removeprefix(f"{name}.") for body in parts for node in body.nodes if not is_inner(node))
    return StrainedBeam(len(parts), length, longest, layer, names, used)


def _is_lone(body: FlexibleBody, point: OperatingPoint) -> bool:
    """Whether its load may miss in its stiffness."""
    if body.reduced.bow is not None:
        return body.reduced.modes > 0 and not (point.is_steady or point.is_equilibrium)
    return body.reduced.modes > 0 and "." not in body.name


def _across_and_along(point: OperatingPoint, body: FlexibleBody, forces: np.ndarray) -> tuple[Any, Any]:
    """Angular velocity across the length of a body, rad/s, and the largest force of a node along it, N; batch axes may
    lead."""
    frame = point.system.places.index[body.name]
    w, R, line = np.real(point.state.w[..., frame, :]), np.real(point.state.R[..., frame, :, :]), _line(body)
    across = np.linalg.norm(w if line is None else np.cross(w, line), axis=-1)
    along = np.linalg.norm(forces, axis=-1) if line is None else np.abs((forces @ (R @ line)[..., None])[..., 0])
    return across, along.max(axis=-1, initial=0.0)


def _said(point: OperatingPoint, body: FlexibleBody, forces: np.ndarray) -> str:
    reduced, lowest = body.reduced, _lowest(body)
    across, load = _across_and_along(point, body, forces)
    parts = [f"turns at {across:.4g} rad/s"] if across > SPEED * lowest else []
    parts += [f"carries {load:.4g} N"] if load > LOAD * _load_scale(body) else []
    if not parts or (reduced.bow is not None and _has_built_up(point, body, across, load)):
        return ""
    if reduced.bow is not None:
        return (
            f"{body.where}: it {' and '.join(parts)}, a load that is still building up here and stiffens it only as"
            " far as it has. Take operating_point: steady or equilibrium."
        )
    remedy = "Part it into several bodies joined rigidly."
    return f"{body.where}: it {' and '.join(parts)} as one body without the stiffness of its load. {remedy}"


def _has_built_up(point: OperatingPoint, body: FlexibleBody, across: float, load: float) -> bool:
    """Whether its nodes hardly accelerate in its frame, beside what the load would do to them."""
    system, reduced = point.system, body.reduced
    columns = system.dof[[system.places.index[name] for name in body.carriers], :3].ravel()[: reduced.modes]
    bending = np.abs(np.real(reduced.move) @ np.real(point.motion.acceleration)[columns]).max(initial=0.0)
    return bool(bending < BUILT_UP * (across**2 * _length(body) + load / float(np.real(reduced.mass))))


def _length(body: FlexibleBody) -> float:
    return float(np.ptp(np.real(body.reduced.nodes), axis=0).max(initial=0.0))


def _load_scale(body: FlexibleBody) -> float:
    """Mass, length and lowest frequency squared of the free body, by which loads are judged."""
    reduced = body.reduced
    return float(np.real(reduced.mass)) * _length(body) * _lowest(body) ** 2


def _lowest(body: FlexibleBody) -> float:
    """The lowest frequency of the free body, rad/s."""
    return float(np.real(body.reduced.frequencies).min())


def _line(body: FlexibleBody) -> np.ndarray | None:
    """Unit vector along a slender body, None for others."""
    moments, axes = np.linalg.eigh(np.real(body.reduced.J0))
    return axes[:, 0] if moments[0] < SLENDER * moments[-1] else None


def _node_forces(point: OperatingPoint, bodies: Sequence[FlexibleBody]) -> dict[str, np.ndarray]:
    """Forces (..., nodes, 3), global axes, that the bodies put on their nodes."""
    return {name: load[..., :3] for name, load in _node_loads(point, bodies).items()}


def _node_loads(point: OperatingPoint, bodies: Sequence[FlexibleBody]) -> dict[str, np.ndarray]:
    """Forces in global axes, and moments in those of the nodes (..., nodes, 6), that the bodies put on their nodes."""
    system, holonomic = point.system, point.mechanics.holonomic
    owners = {node for body in bodies for node in body.nodes}
    own = np.array([row.owner in owners for row in system.constraints.rows], dtype=bool)
    along = np.real(holonomic.along_measures(np.where(own, np.real(point.motion.multipliers), 0.0)))
    load = -pull_back(system.constraints.measures, np.real(holonomic.jet.gradient), along, system.nq)
    index = system.places.index
    columns = {body.name: system.dof[[index[node] for node in body.nodes]] for body in bodies}
    return {name: load[..., own] for name, own in columns.items()}
