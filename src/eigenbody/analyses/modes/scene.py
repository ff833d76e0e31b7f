"""What the labels of modes are told of a mechanism: its bodies, what holds them, which of them spin, its axis."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from eigenbody.analyses.modes.screws import fastest
from eigenbody.linearization.point import OperatingPoint
from eigenbody.model.description import owner_of
from eigenbody.model.names import GROUND
from eigenbody.operating.turning.frame import turning_frame
from eigenbody.spatial.rotations import apply, cross, dot
from eigenbody.system.measureset import MeasureSet, SetJet
from eigenbody.system.system import System

NAMED = 0.1  # share of kinetic energy from which a body is named
CLEAR = 0.9  # share of one direction that names it
SPINS = 1e-9  # part of the fastest turning from which a body spins
WITHIN = 1.05  # of the reach


@dataclass(frozen=True, slots=True, eq=False)
class Scene:
    """What the labels of all modes have in common: bodies with inertia, reach and spin, and directions with a name."""

    names: tuple[str, ...]  # sections of a flexible body have that of the whole
    position: np.ndarray  # (bodies, 3)
    mass: np.ndarray
    inertia: np.ndarray  # (bodies, 3, 3) global axes
    reach: np.ndarray  # (bodies,)
    is_held: np.ndarray  # (bodies,) bool: joints hold it to ground or a moving frame, over other bodies if need be
    hinge: np.ndarray  # (bodies, 3) place of the joint that carries it in the tree; nan where it floats
    spin: np.ndarray  # (bodies, 3) angular velocity of bodies that spin, global axes; zero for others
    vertical: np.ndarray | None  # unit vector against gravity
    axis: np.ndarray | None  # of the machine: of its spin, or of its free rotation
    centre: np.ndarray  # a point of that axis
    on_axis: np.ndarray  # (bodies,) bool: bodies that spin, or would spin freely
    length: float
    observer_rate: float  # rad/s about the axis, of the observer who turns with the machine; 0 for one at rest


def scene(
    point: OperatingPoint, twist: np.ndarray, is_rigid: np.ndarray, kinetic: np.ndarray, observer: str | None = None
) -> Scene:
    """The scene at an operating point, seen by one who turns with the joint `observer`; the machine's axis is that of
    its fastest spin, else of its free rotation."""
    system, state = point.system, point.state
    R, gravity = np.real(state.R), np.real(system.gravity)
    own = system.description.bodies.is_material
    position, spin, reach = np.real(state.r)[own], apply(R, np.real(state.w))[own], _reach(point)[own]
    spin = np.where(_spins(point, spin, reach)[:, None], spin, 0.0)
    rate = np.sqrt(dot(spin, spin))
    if rate.max(initial=0.0) > 0:
        first = int(np.argmax(rate))
        axis, on_axis = spin[first] / rate[first], rate > SPINS * rate[first]
    else:
        axis, first, on_axis = _free_axis(twist, is_rigid, kinetic)
    weight = np.sqrt(gravity @ gravity)
    return Scene(
        names=tuple(owner_of(name) for name in system.description.bodies.material_names),
        position=position,
        mass=np.real(system.mass)[own],
        inertia=(R @ np.real(system.inertia) @ np.swapaxes(R, -1, -2))[own],
        reach=reach,
        is_held=_held(system)[: system.bodies][own],
        hinge=_hinges(point)[own],
        spin=spin,
        vertical=-gravity / weight if weight > 0 else None,
        axis=axis,
        centre=position[first] if len(rate) else np.zeros(3),
        on_axis=on_axis,
        length=system.gyration,
        observer_rate=0.0 if observer in (None, GROUND) else float(turning_frame(point, observer).rate),
    )


def _free_axis(
    twist: np.ndarray, is_rigid: np.ndarray, kinetic: np.ndarray
) -> tuple[np.ndarray | None, int, np.ndarray]:
    """Axis of the free rotation, a body on it and all that turn in it, where all zeros are rotations about it."""
    found: np.ndarray | None = None
    body, turning = 0, np.zeros(twist.shape[1], dtype=bool)
    none = (None, 0, np.zeros_like(turning))
    for i in np.flatnonzero(is_rigid):
        if not np.any(kinetic[i]):
            continue  # the sparse path does not tell how a motion at constant speed looks
        shares = kinetic[i].sum(axis=-1)
        body = int(np.argmax(shares))
        about = fastest(twist[i, body, 3:])
        size = np.sqrt(about @ about)
        if kinetic[i, body, 3:].sum() < CLEAR * kinetic[i].sum() or not size:
            return none
        if found is not None and abs(found @ about) < (1 - 1e-6) * size:
            return none
        found, turning = about / size, turning | (shares >= NAMED)
    return found, body, turning


def _reach(point: OperatingPoint) -> np.ndarray:
    """(bodies,) largest arm at which anything acts on each body."""
    system, mechanics = point.system, point.mechanics
    out = np.zeros(len(system.places.names))
    pairs: list[tuple[MeasureSet, SetJet]] = [
        (system.constraints.measures, mechanics.holonomic.jet),
        (system.forces.measures, mechanics.applied.jet),
        (system.slips, mechanics.non_holonomic.jet),
    ]
    for measures, jet in pairs:
        gradient = np.real(jet.gradient) if measures.count else np.zeros((0, 12))
        for kernel, positions in measures.batches:
            for side in range(kernel.carriers.shape[-1]):
                push, moment = (gradient[positions, 6 * side + k : 6 * side + k + 3] for k in (0, 3))
                force = np.sqrt(dot(push, push))
                arm = np.sqrt(dot(moment, moment)) / np.where(force > 1e-12, force, np.inf)
                np.maximum.at(out, kernel.carriers[:, side], arm)
    return out[: system.bodies]


def _held(system: System) -> np.ndarray:
    """(carriers,) bool: what constraints connect to ground or to a moving frame."""
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import connected_components

    count = len(system.places.names)
    pairs = [np.zeros((0, 2), dtype=int)]
    for measures in (system.constraints.measures, system.slips):
        for kernel, _ in measures.batches:
            others = kernel.carriers[:, 1:]
            pairs += [np.column_stack((kernel.carriers[:, 0], others[:, k])) for k in range(others.shape[1])]
    first, second = np.concatenate(pairs).T
    graph = coo_matrix((np.ones(len(first)), (first, second)), shape=(count, count))
    part = connected_components(graph, directed=False)[1]
    return np.isin(part, part[system.bodies :])


def _hinges(point: OperatingPoint) -> np.ndarray:
    """(bodies, 3) where the joint that carries each body in the tree holds it; nan for bodies that float."""
    system, state = point.system, point.state
    out = np.full((system.bodies, 3), np.nan)
    held = (system.tree.joint >= 0) & np.isin(system.tree.order, system.tree_row_body)
    carried = system.tree.order[held]
    pairs = system.places.pairs([system.description.joints[j] for j in system.tree.joint[held]])
    arm = np.where((pairs.second == carried)[:, None], np.real(pairs.origin2), np.real(pairs.origin1))
    out[carried] = np.real(state.r)[carried] + apply(np.real(state.R)[carried], arm)
    return out


def _spins(point: OperatingPoint, turning: np.ndarray, reach: np.ndarray) -> np.ndarray:
    """(bodies,) bool: bodies with angular velocity (bodies, 3) that spin. The axis of the motion passes within their
    reach or radius of gyration, or they turn in a joint, faster than the other body there."""
    system = point.system
    own = np.flatnonzero(system.description.bodies.is_material)
    v, mass = np.real(point.state.v)[own], np.real(system.mass)[own]
    rate = np.sqrt(dot(turning, turning))
    moment = 0.5 * np.trace(np.real(system.inertia)[own], axis1=-2, axis2=-1)
    within = np.maximum(reach, np.sqrt(moment / np.where(mass > 0, mass, np.inf)))
    away = cross(turning, v)
    found = (rate > 0) & (np.sqrt(dot(away, away)) <= WITHIN * within * rate**2)
    number = {body: k for k, body in enumerate(own.tolist())}
    for joint in system.description.joints:
        pair = [number[c] for c in map(system.places.carrier, joint["between"]) if c in number]
        if len(pair) == 2:
            relative = turning[pair[1]] - turning[pair[0]]
            faster = max(pair, key=lambda k: rate[k])
            found[faster] |= bool(2 * np.sqrt(relative @ relative) >= rate[faster] > 0)
    return found
