"""Coordinates measured in a turning frame: which bodies move sideways to its axis, and the same motion in its axes.

A body whose two displacements (or small rotations) sideways to the axis are independent is described by them, and by
the component along the axis, in the axes of the frame. All other freedom keeps the coordinates it has: an angle about
the axis and the hinge of a blade on a turning hub are the same in both frames.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from eigenbody.base.errors import Fault, InputError, suggest
from eigenbody.dynamics.mechanics import Mechanics
from eigenbody.linearization.point import OperatingPoint, at_state, system_of
from eigenbody.linearization.turning import turning_coordinates
from eigenbody.mobility.frame import measure_rows
from eigenbody.mobility.partition import select
from eigenbody.mobility.treespace import coordinate_set
from eigenbody.model.description import Entry, is_internal, owner_of
from eigenbody.model.model import InertModel
from eigenbody.model.names import GROUND
from eigenbody.spatial.rotations import apply, cross, dot, frame
from eigenbody.system.measureset import exchanged
from eigenbody.system.system import System

SAME = 1e-9  # relative: angular velocities that are the same
INDEPENDENT = 1e-6  # smallest over largest singular value of two directions that are independent
KINDS = (("displacement", ""), ("rotation", "r"))
AXES = "xyz"


@dataclass(frozen=True, eq=False)
class TurningFrame:
    """A frame that turns about the unit vector `about` through the point `at` (m) at `rate` (rad/s, positive). Of many
    variants at once (`turning_with`) all have leading axes."""

    name: str
    about: np.ndarray
    at: np.ndarray
    rate: Any  # float, or many

    @property
    def angular_velocity(self) -> np.ndarray:
        return self.rate * self.about


@dataclass(frozen=True)
class Triple:
    """Displacement or small rotation of a body: two components sideways to the axis and one along it."""

    body: str
    kind: str  # "displacement" or "rotation"
    names: tuple[str, str, str]  # measures


def turning_frame(point: OperatingPoint, name: str) -> TurningFrame:
    """The frame of the model, or the one that turns with the second body of a joint at the operating point."""
    description = point.model.description  # an equilibrium holds frames still, the model turns them
    for entry in description.frames:
        if entry.name == name:
            return _named(entry)
    for entry in description.joints:
        if entry.name == name:
            return _with_joint(point, name, entry["between"])
    known = [entry.name for entry in (*description.frames, *description.joints) if not is_internal(entry)]
    raise InputError(Fault("frame", f'there is no frame and no joint "{name}".', suggest(name, known)))


def _named(entry: Entry) -> TurningFrame:
    rate, about = float(np.real(entry["rate"])), np.asarray(np.real(entry["about"]), dtype=float)
    if not rate:
        raise InputError(Fault("frame", f'the frame "{entry.name}" does not turn.', "Give it a rate."))
    unit = np.sign(rate) * about / np.linalg.norm(about)
    return TurningFrame(entry.name, unit, np.asarray(np.real(entry["at"]), dtype=float), abs(rate))


def _with_joint(point: OperatingPoint, name: str, between: Sequence[str]) -> TurningFrame:
    system, at = point.system, point.mechanics.at
    carriers = [system.places.carrier(end) for end in between]
    body = carriers[1] if carriers[1] < system.bodies else carriers[0]
    found = turning_with(point.mechanics, body, name)
    if found.rate <= SAME * np.abs(at.w).max(initial=0.0):
        raise InputError(
            Fault(
                "frame",
                f'{owner_of(system.places.names[body])}, the second body of the joint "{name}", does not turn at the'
                " operating point.",
                "Give the joint a velocity, or name a frame of the section frames.",
            )
        )
    return found


def turning_with(mechanics: Mechanics, body: int, name: str) -> TurningFrame:
    """The frame that turns with a carrier; batch axes may lead, complex steps pass through."""
    at = mechanics.at
    spin = apply(at.R[..., body, :, :], at.w[..., body, :])
    rate = np.sqrt(dot(spin, spin))
    whole = np.where(np.abs(rate) > 0, rate, 1.0)[..., None]
    axis_point = at.r[..., body, :] + cross(spin, at.v[..., body, :]) / whole**2
    return TurningFrame(name, spin / whole, axis_point, rate[()])


def charted(point: OperatingPoint, turning: TurningFrame, in_ground: bool) -> OperatingPoint:
    """The same operating point in coordinates measured in the turning frame, or (`in_ground`) in ground axes, from
    where joints are seen too that are written on bodies that turn."""
    own = [point.system.names[i] for i in point.chosen.positions]
    carrier = GROUND if in_ground else _free_name(point, turning)
    triples = [
        triple
        for body in (_bodies_seen_from_ground(point) if in_ground else _sideways_bodies(point, turning))
        for triple in _triples(point, body, GROUND if in_ground else turning.name)
    ]
    model = _extended(point.model, turning, carrier, triples)
    system = system_of(model) if in_ground else _with_modes_that_turn(system_of(model), point, turning)
    there = at_state(model, system, point.state)
    wishes = [name for triple in _independent(there, triples) for name in triple.names]
    index = [there.system.aliases[name] for name in (*wishes, *own)]
    return there.choosing(replace(select(there.mechanics, index), dropped=np.zeros(0, dtype=int)))


def _with_modes_that_turn(system: System, point: OperatingPoint, turning: TurningFrame) -> System:
    """The system with the modal coordinates of bodies that turn with the frame as they are seen from it."""
    spin = apply(point.mechanics.at.R, point.mechanics.at.w)
    names: list[str] = []
    for body in system.description.flexible:
        own = spin[point.system.places.index[body.name]]
        if body.symmetry is not None and np.abs(own - turning.angular_velocity).max() <= SAME * turning.rate:
            names += body.coordinates
    if not names:
        return system
    index = np.array([system.aliases[name] for name in names])
    return replace(system, variations=exchanged(system.variations, system.named, index, system.dof))


def _free_name(point: OperatingPoint, turning: TurningFrame) -> str:
    """Name of the frame in the extended model: its own, or one that nothing else has."""
    places, name = point.system.places, turning.name
    if any(entry.name == name for entry in point.system.description.frames):
        return name
    while name in places.index or name in point.system.description.markers:
        name += " frame"
    return name


def _sideways_bodies(point: OperatingPoint, turning: TurningFrame) -> list[int]:
    """Bodies in tree order that do not hang on a body turning with the frame."""
    system, at = point.system, point.mechanics.at
    spin = apply(at.R, at.w)
    along = np.abs(spin - turning.angular_velocity).max(axis=-1) <= SAME * turning.rate
    pairs = zip(system.tree.order.tolist(), system.tree.parent.tolist(), strict=True)
    free = [body for body, parent in pairs if parent >= system.bodies or not along[parent]]
    known = set(system.description.bodies.known_names)
    free = [body for body in free if system.places.names[body] in known]  # modal coordinates turn with their body
    flexible = {item.name for item in system.description.flexible}
    bent = [owner_of(system.places.names[body]) for body in free if system.places.names[body] in flexible]
    if bent:
        what = "it hangs on nothing that turns with the frame, and modal coordinates cannot be measured in a frame."
        remedy = "Let it be a chain of rigid bodies (segments), or ask for its modes without a frame."
        raise InputError(Fault(f"flexible.{bent[0]}", what, remedy))
    return free


def _bodies_seen_from_ground(point: OperatingPoint) -> list[int]:
    """Bodies in tree order that joints measure from ground or a frame, and those, or nodes, in axes that turn."""
    system = point.system
    names, known = system.places.names, set(system.description.bodies.known_names)
    turning, walk = set(turning_coordinates(point).values()), (system.tree.order, system.tree.parent, system.tree.joint)
    hangs = zip(*(part.tolist() for part in walk), strict=True)
    return [b for b, parent, joint in hangs if joint in turning or (parent >= system.bodies and names[b] in known)]


def _triples(point: OperatingPoint, body: int, where: str) -> list[Triple]:
    system = point.system
    name = system.places.names[body]
    plain = name.replace(".", " ")
    present = (True, bool(system.dof[body, 3] >= 0))  # a point mass has no rotation
    return [
        Triple(name, kind, tuple(f"{plain} {prefix}{axis} in {where}" for axis in AXES))  # type: ignore[arg-type]
        for (kind, prefix), there in zip(KINDS, present, strict=True)
        if there
    ]


def _extended(model: InertModel, turning: TurningFrame, carrier: str, triples: Sequence[Triple]) -> InertModel:
    """The model with the frame and the measures in it."""
    document = model.document
    axes = frame(turning.about)
    measures = {
        name: {"type": triple.kind, "between": [carrier, triple.body], "axis": axes[:, k].tolist()}
        for triple in triples
        for k, name in enumerate(triple.names)
    }
    frames = dict(document.get("frames") or {})
    if carrier != GROUND and carrier not in frames:
        frames[carrier] = {"about": turning.about.tolist(), "at": turning.at.tolist(), "rate": turning.rate}
    return model.set(frames=frames, measures={**(document.get("measures") or {}), **measures})


def _independent(point: OperatingPoint, triples: Sequence[Triple]) -> list[Triple]:
    """Triples whose two sideways directions are free, each pair independent of those before it."""
    system = point.system
    if not triples:
        return []
    index = np.array([[system.aliases[name] for name in triple.names[:2]] for triple in triples])
    motion = point.frame
    rows = measure_rows(point.mechanics, coordinate_set(system, index.ravel()), motion.is_sparse) @ motion.P
    size = np.linalg.svd(rows.reshape(len(triples), 2, -1), compute_uv=False)
    alive = [k for k in range(len(triples)) if size.shape[-1] == 2 and size[k, 1] > INDEPENDENT * size[k, 0]]
    while True:
        kept = set(select(point.mechanics, index[alive].ravel().tolist()).positions.tolist())
        broken = [k for k in alive if len(kept & set(index[k].tolist())) == 1]
        if not broken:
            return [triples[k] for k in alive if set(index[k].tolist()) <= kept]
        alive.remove(broken[0])
