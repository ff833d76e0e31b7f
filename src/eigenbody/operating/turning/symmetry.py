"""Which bodies of a rotor take each other's places when it turns on by 2 pi / N, and what keeps them from being equal.

Bodies are matched by where they are, from the hub outward: the body that a body maps onto hangs on the body that its
own carrier maps onto. Names play no part. What is matched must have the same mass and inertia, and its motion must map
onto motion that the coordinates of the rotor can make: that gives the matrix Gamma on the coordinates.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from eigenbody.linearization.model import LinearModel
from eigenbody.linearization.nodes import node_motion
from eigenbody.linearization.point import OperatingPoint
from eigenbody.model.description import owner_of
from eigenbody.operating.turning.frame import TurningFrame
from eigenbody.spatial.rotations import about_axis, apply, cross
from eigenbody.system.state import spread

PLACE = 1e-6  # of the mechanism's length: places that are the same
NEARLY = 0.1  # of that length: places that should perhaps have been the same
MASS = 1e-9  # relative difference of masses that is none
INERTIA = 1e-7  # of moments of inertia, whose axes are known as well as the steady motion is
FITS = 1e-8  # part of a motion that the coordinates may miss when it is turned on
WHOLE = 1e-11  # distance from a whole number that is rounding
FEWEST = 3  # blades


@dataclass(frozen=True, eq=False)
class Turned:
    """Where bodies go when the rotor turns on by 2 pi / count: `onto` (bodies,), -1 for those that do not turn."""

    count: int
    onto: np.ndarray


@dataclass(frozen=True, eq=False)
class RotorMotion:
    """Motion of everything that turns, by the coordinates that move nothing else.

    columns  of the coordinates S
    rows     (rows, 2, 3, columns) displacement and small rotation in global axes
    place    (rows, 3)
    body     (rows,) that each row belongs to
    weight   (rows, 2) mass and mean moment of inertia
    """

    columns: np.ndarray
    rows: np.ndarray
    place: np.ndarray
    body: np.ndarray
    weight: np.ndarray


def blade_count(point: OperatingPoint, turning: TurningFrame, along: np.ndarray) -> Turned | None:
    """The smallest part of a turn that brings all places of the rotor to places of it; None without one."""
    off = beside_axis(point, turning, along)
    for count in range(len(off), 1, -1):
        if len(off) % count == 0:
            onto = _matched(point, turning, along, count)
            if onto is not None:
                return Turned(count, onto)
    return None


def with_count(point: OperatingPoint, turning: TurningFrame, along: np.ndarray, count: int) -> Turned | None:
    """Where bodies go by 1 / count of a turn; None where that brings not all of them to places of the rotor."""
    onto = _matched(point, turning, along, count)
    return None if onto is None else Turned(count, onto)


def nearly_matched(point: OperatingPoint, turning: TurningFrame, along: np.ndarray) -> str:
    """Which body is nearly, but not, where another one comes to when the rotor turns on; "" where none is."""
    off = beside_axis(point, turning, along)
    places = np.real(point.state.r)[off]
    best: tuple[float, str] = (NEARLY * point.system.length, "")
    for count in range(FEWEST, len(off) + 1):
        goal = turning.at + apply(about_axis(turning.about, 2 * np.pi / count), places - turning.at)
        away = np.linalg.norm(places - goal[:, None], axis=-1)  # (from, to)
        body = int(np.argmax(away.min(axis=1)))
        worst = float(away[body].min())
        if PLACE * point.system.length < worst < best[0]:
            names = [owner_of(point.system.places.names[off[k]]) for k in (int(np.argmin(away[body])), body)]
            best = (worst, f"{names[0]} is {worst:.3g} m beside where {names[1]} comes to by 1/{count} of a turn")
    return best[1]


def beside_axis(point: OperatingPoint, turning: TurningFrame, along: np.ndarray) -> np.ndarray:
    """Bodies that turn with the frame and do not lie on its axis."""
    own = np.flatnonzero(along & point.system.description.bodies.is_material)
    arm = cross(np.broadcast_to(turning.about, (len(own), 3)), np.real(point.state.r)[own] - turning.at)
    return own[np.linalg.norm(arm, axis=-1) > PLACE * point.system.length]


def _matched(point: OperatingPoint, turning: TurningFrame, along: np.ndarray, count: int) -> np.ndarray | None:
    system, r = point.system, np.real(point.state.r)
    table = system.description.bodies
    rest = np.zeros(system.bodies, dtype=bool) if table.modal is None else np.asarray(table.modal) > 0
    turn = about_axis(turning.about, 2 * np.pi / count)
    goal = turning.at + apply(turn, r - turning.at)
    onto = np.full(system.bodies, -1)
    parent = dict(zip(system.tree.order.tolist(), system.tree.parent.tolist(), strict=True))
    free = along & ~rest
    for body in system.tree.order:
        if not along[body] or rest[body]:
            continue
        near = np.flatnonzero(free & (np.linalg.norm(r - goal[body], axis=-1) <= PLACE * system.length))
        carrier = parent[int(body)]
        wanted = onto[carrier] if carrier < system.bodies and along[carrier] else carrier
        near = np.array([b for b in near if parent[int(b)] == wanted], dtype=int)
        if not len(near):
            if table.is_material[body]:
                return None
            continue
        onto[body] = body if body in near else near[np.argmin(_mismatch(point, int(body), near, turn))]
        free[onto[body]] = False
    return onto


def _mismatch(point: OperatingPoint, body: int, others: np.ndarray, turn: np.ndarray) -> np.ndarray:
    """How much mass and inertia of others differ from those of a body turned on; 0 where they are the same."""
    mass, inertia = np.real(point.system.mass), _global_inertia(point)
    heavy = max(float(mass.max(initial=0.0)), 1e-300)
    large = max(float(np.abs(inertia).max(initial=0.0)), 1e-300)
    own = turn @ inertia[body] @ turn.T
    away = np.abs(inertia[others] - own).max(axis=(-2, -1))
    return np.abs(mass[others] - mass[body]) / heavy + away / large


def _global_inertia(point: OperatingPoint) -> np.ndarray:
    R = np.real(point.state.R)
    return R @ np.real(point.system.inertia) @ np.swapaxes(R, -1, -2)


def groups(point: OperatingPoint, found: Turned) -> tuple[tuple[str, ...], ...]:
    """Names of the bodies that take each other's places, in the order in which they do."""
    seen: set[int] = set()
    out = []
    for body in np.flatnonzero((found.onto >= 0) & point.system.description.bodies.is_material).tolist():
        orbit = [body]
        while found.onto[orbit[-1]] != body and len(orbit) <= found.count:
            orbit.append(int(found.onto[orbit[-1]]))
        if len(orbit) == found.count and body not in seen:
            out.append(tuple(owner_of(point.system.places.names[b]) for b in orbit))
        seen.update(orbit)
    return tuple(out)


def unequal_bodies(point: OperatingPoint, turning: TurningFrame, found: Turned) -> str:
    """Which matched bodies differ, and by what; "" where none do."""
    turn, mass, inertia = about_axis(turning.about, 2 * np.pi / found.count), point.system.mass, _global_inertia(point)
    names = [owner_of(name) for name in point.system.places.names]
    for body in np.flatnonzero(found.onto >= 0):
        other = int(found.onto[body])
        if abs(mass[other] - mass[body]) > MASS * max(abs(mass[other]), abs(mass[body])):
            return f"{names[other]} has a mass of {mass[other]:.12g} kg, {names[body]} one of {mass[body]:.12g} kg"
        away = np.abs(inertia[other] - turn @ inertia[body] @ turn.T).max()
        if away > INERTIA * max(np.abs(inertia[body]).max(), np.abs(inertia[other]).max()):
            if other == body:
                return f"the moments of inertia of {names[body]} across the axis differ"
            return (
                f"{names[other]} and {names[body]} have other moments of inertia, seen from the hub ({away:.3g} kg m^2)"
            )
    return ""


def rotor_motion(point: OperatingPoint, P: np.ndarray, along: np.ndarray) -> RotorMotion:
    """Motion of what turns by the coordinates of the rotor."""
    system = point.system
    table = system.description.bodies
    of_rotor = _rotor_rows(point, along)
    moved = spread(system, P.T)  # (S, bodies, 6)
    size = np.abs(moved).max(axis=(0, 1), initial=0.0).max(initial=0.0)
    still = np.abs(moved[:, ~of_rotor]).max(axis=(1, 2), initial=0.0) <= WHOLE * max(size, 1e-300)
    columns = np.flatnonzero(still & (np.abs(moved).max(axis=(1, 2), initial=0.0) > 0))
    own = moved[columns]
    R = np.real(point.state.R)
    own = np.concatenate((own[..., :3], apply(R, own[..., 3:])), axis=-1)  # a modal carrier does not turn: R = 1
    flexible = {body.name for body in system.description.flexible}
    rigid = np.array(
        [b for b in np.flatnonzero(along & table.is_material) if table.names[b] not in flexible], dtype=int
    )
    nodes = node_motion(point, own)
    carrier = np.array([system.places.index[name] for name in nodes.bodies], dtype=int)
    turning = np.flatnonzero(along[carrier]) if len(carrier) else np.zeros(0, dtype=int)
    rows = np.concatenate((own[:, rigid], np.concatenate((nodes.move, nodes.turn), axis=-1)[:, turning]), axis=1)
    counts = np.bincount(carrier, minlength=system.bodies)
    mass, moment = np.real(system.mass), np.trace(np.real(system.inertia), axis1=-2, axis2=-1) / 3
    weight = np.concatenate(
        (
            np.column_stack((mass[rigid], moment[rigid])),
            np.column_stack((_flexible_mass(point, carrier[turning], counts), np.zeros(len(turning)))),
        )
    )
    return RotorMotion(
        columns,
        np.moveaxis(rows, 0, -1).reshape(rows.shape[1], 2, 3, len(columns)),
        np.concatenate((np.real(point.state.r)[rigid], nodes.position[turning])),
        np.concatenate((rigid, carrier[turning])),
        weight,
    )


def _flexible_mass(point: OperatingPoint, carriers: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Mass (k,) of nodes: an equal share of that of their body."""
    mass = {
        point.system.places.index[body.name]: np.real(body.reduced.mass) for body in point.system.description.flexible
    }
    return np.array([float(mass[int(c)]) / counts[c] for c in carriers])


def _rotor_rows(point: OperatingPoint, along: np.ndarray) -> np.ndarray:
    """(bodies,) bool: what turns, and modal coordinates of it."""
    out, index = along.copy(), point.system.places.index
    for body in point.system.description.flexible:
        for name in body.carriers:
            out[index[name]] = along[index[body.name]]
    return out


def symmetry_of(
    point: OperatingPoint, turning: TurningFrame, found: Turned, motion: RotorMotion, count_S: int
) -> np.ndarray | None:
    """Gamma (S, S): the coordinates that make the motion of given ones turned on; None where none do."""
    length = point.system.length
    turn = about_axis(turning.about, 2 * np.pi / found.count)
    V = motion.rows * np.array([1.0, length])[:, None, None]
    image = np.einsum("ij,rkjc->rkic", turn, V)
    place = turning.at + apply(turn, motion.place - turning.at)
    target = np.full(len(V), -1)
    for row in range(len(V)):
        own = np.flatnonzero(motion.body == found.onto[motion.body[row]])
        if len(own):
            away = np.linalg.norm(motion.place[own] - place[row], axis=-1)
            best = int(np.argmin(away))
            target[row] = own[best] if away[best] <= PLACE * length else -1
    if np.any(target < 0):
        return None
    wanted = np.zeros_like(V)
    wanted[target] = image
    n = len(motion.columns)
    left, right = V.reshape(-1, n), wanted.reshape(-1, n)
    small, *_ = np.linalg.lstsq(left, right, rcond=1e-10)
    if np.abs(left @ small - right).max(initial=0.0) > FITS * np.abs(left).max(initial=1e-300):
        return None
    whole = np.round(small)
    small = np.where(np.abs(small - whole) <= WHOLE, whole, small)
    power = np.linalg.matrix_power(small, found.count)
    if np.abs(power - np.eye(n)).max(initial=0.0) > FITS:
        return None
    out = np.zeros((count_S, count_S))
    out[np.ix_(motion.columns, motion.columns)] = small
    return out


def states_symmetry(linear: LinearModel, symmetry: np.ndarray, columns: np.ndarray, count: int) -> np.ndarray:
    """Gamma (x, x) of first-order states of the blades: a state that reads the coordinates of a blade, or pushes along
    them, goes to that which reads or pushes those of the next blade in the same way. Zero on states that do neither,
    or that have no such partners."""
    n, m = len(linear.coordinates), len(linear.states) - 2 * len(linear.coordinates)
    out = np.zeros((m, m))
    if not m or not len(columns):
        return out
    A = linear.A
    inner, G = A[2 * n :, 2 * n :], symmetry[np.ix_(columns, columns)]
    reads = np.stack((A[2 * n :, columns], A[2 * n :, n + columns]), axis=1)  # (x, 2, rotor)
    pushes = (linear.M @ A[n : 2 * n, 2 * n :])[columns].T  # (x, rotor)
    back = np.linalg.inv(G)
    theirs, wanted = [], []  # of the state that another goes to, and what they must be: forces go as work demands
    for _ in range(m):  # of states behind states
        theirs += [reads[:, 0] @ G, reads[:, 1] @ G, pushes]
        wanted += [reads[:, 0], reads[:, 1], pushes @ back]
        reads, pushes = np.einsum("ij,jkl->ikl", inner, reads), inner.T @ pushes
    size = [max(float(np.abs(part).max(initial=0.0)), 1e-300) for part in theirs]
    there, here = (
        np.concatenate([part / scale for part, scale in zip(parts, size, strict=True)], axis=1)
        for parts in (theirs, wanted)
    )
    for i in np.flatnonzero(np.abs(here).max(axis=1) > FITS):
        away = np.abs(there - here[i]).max(axis=1)
        if away.min() <= INERTIA:
            out[int(np.argmin(away)), i] = 1.0
    whole = np.linalg.matrix_power(out, count)
    return (
        out if np.array_equal(whole, np.diag(np.diagonal(whole))) and set(np.unique(whole)) <= {0.0, 1.0} else 0 * out
    )
