"""Loop rows that are independent of the others by only a little: axes meant to be parallel and drawn with rounding.

A planar loop drawn in space closes twice over. Tilt one of its axes by 1e-6 and a row that said nothing new holds the
last freedom. Such a row is told from an honest one by two things: what is left of it beside the rows before it is small
for a row of its loop (lengths measured by the loop), and it stays so when the loop moves without it; next to a dead
point the share is small too, but grows on the way.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from eigenbody.base.errors import ComputationError
from eigenbody.dynamics.mechanics import Mechanics
from eigenbody.elements.joints import ALL_JOINTS
from eigenbody.mobility.frame import MotionFrame
from eigenbody.mobility.partition import Margins, Selection, select
from eigenbody.mobility.projection import closed
from eigenbody.mobility.turns import counted
from eigenbody.numerics.matrices.assembly import join
from eigenbody.system.state import State
from eigenbody.system.system import System

if TYPE_CHECKING:
    from eigenbody.linearization.point import OperatingPoint

SLIGHT = 0.02  # share of a row, beside those before it, below which it is looked at
STAYS = 0.04  # and up to which it may grow when the loop moves
ROUNDING = 1e-13  # share that rounding leaves, as far as positions are not larger than the mechanism
CLEARLY = 2  # times rounding and what the constraints are open by, from which a share is one
MEANT_TO_MEET = 0.01  # joints nearer to each other than this part of their bodies are meant to be in one place
NAMED = 6  # joints that are listed
REMEDY = "Where axes are meant to be parallel, to coincide or to meet, write them with the same digits"
WAY, STEPS = 0.3, 6  # how far the loop is moved, in rad or lengths of the mechanism, and in how many steps


def remarks_on_loops(point: OperatingPoint) -> tuple[str, ...]:
    """What to say of joint rows that are independent by a small share only."""
    held, left_out = slight_rows(point.mechanics, point.chosen)
    notes = [_locked(point.mechanics, point.chosen, held)] if held else []
    if left_out:
        notes.append(
            f"{_named(point.system, left_out)}: taken as redundant, though independent of the other joints by"
            f" {max(left_out.values()):.2g} of a row. {REMEDY}."
        )
    return tuple(notes)


def what_locks(mechanics: Mechanics) -> str:
    """The remark on joint rows that take freedom away by a small share only; "" without such rows."""
    chosen = select(mechanics)
    held, _ = slight_rows(mechanics, chosen)
    return _locked(mechanics, chosen, held) if held else ""


def _locked(mechanics: Mechanics, chosen: Selection, held: dict[int, float]) -> str:
    now, dof = len(chosen.velocities), len(select(mechanics, without=held).velocities)
    gain = f"without them the mechanism would have {dof} degree{'s' * (dof != 1)} of freedom instead of {now}"
    return (
        f"{_named(mechanics.system, held)}: independent of the other joints by only {max(held.values()):.2g} of a row,"
        " and by that alone they take freedom away:"
        f" {gain if dof > now else 'a prescribed motion needs it'}. {REMEDY}, or take a joint that leaves these"
        " directions free."
    )


def _named(system: System, rows: Iterable[int]) -> str:
    """Joints with their rows, `joints.c (parallel x, point z)`."""
    labels: dict[str, list[str]] = {}
    for row in (system.constraints.rows[r] for r in sorted(rows)):
        labels.setdefault(row.where, []).append(row.label)
    named = [f"{where} ({', '.join(own)})" for where, own in labels.items()]
    return ", ".join(named[:NAMED]) + (f" and {len(named) - NAMED} more" if len(named) > NAMED else "")


def slight_rows(mechanics: Mechanics, chosen: Selection) -> tuple[dict[int, float], dict[int, float]]:
    """Joint rows of loops that are independent by a small share only, with their shares: those that hold a freedom all
    the same, wherever the loops are moved, and those that were left out as redundant."""
    if chosen.margins is None or not len(chosen.margins.left):
        return {}, {}  # there is no loop
    length, opened = mechanics.system.length, np.abs(mechanics.holonomic.value).max(initial=0.0)
    reach = max(1.0, np.abs(mechanics.state.r).max(initial=0.0) / length)
    rounded = ROUNDING * reach + opened / length
    small = _shares(mechanics, chosen)
    left_out = {r: share for r, share in small.items() if r in chosen.redundant and share > CLEARLY * rounded}
    held: dict[int, float] = {}
    loose = chosen
    while more := {r: share for r, share in small.items() if r in loose.rows}:
        held = {**more, **held}
        loose = select(mechanics, without=held)
        small = _shares(mechanics, loose)
    if held:
        held = _staying(mechanics, loose, held)
    return held, {r: share for r, share in left_out.items() if r not in held}


def _staying(mechanics: Mechanics, loose: Selection, rows: dict[int, float]) -> dict[int, float]:
    """Those of the rows whose share stays small on a way in either direction without them."""
    staying = rows
    for sign in (1.0, -1.0):
        ahead = Mechanics(mechanics.system, _moved(mechanics, loose, sign))
        there = _shares(ahead, select(ahead, without=rows), everything=True)
        staying = {r: share for r, share in staying.items() if there[r] <= STAYS}
    return staying


def _moved(mechanics: Mechanics, chosen: Selection, sign: float) -> State:
    """The state after a way along a random free motion, as far as the rows let it."""
    system, state = mechanics.system, mechanics.state
    rng = np.random.default_rng(7)
    direction = rng.choice([-1.0, 1.0], len(chosen.positions)) * rng.uniform(0.5, 1.0, len(chosen.positions))
    unit = np.array([system.length if system.dimensions[i] == "m" else 1.0 for i in chosen.positions])
    rhs = np.concatenate((np.zeros(len(chosen.rows)), sign * WAY / STEPS * direction * unit))
    for _ in range(STEPS):
        try:
            frame = MotionFrame(Mechanics(system, state), chosen)
            ahead = counted(system, state, state.moved(system, frame.at_position.solve(rhs)))
            state = closed(system, ahead, chosen)
        except ComputationError:
            break
    return state


# Shares ---------------------------------------------------------------------------------------------------------------
def _shares(mechanics: Mechanics, chosen: Selection, everything: bool = False) -> dict[int, float]:
    """What is left of joint rows of loops, relative to a row of that loop: those below SLIGHT, or all of them."""
    system, margins = mechanics.system, chosen.margins
    if margins is None or not len(margins.left) or not system.description.joints:
        return {}
    moving, turning = _sizes(mechanics)
    points, joint = _points(system), _joint_of_row(system)
    whole = np.linalg.norm(np.ptp(np.concatenate((points.reshape(-1, 3), np.real(system.places.r))), axis=0))
    longest = np.where(moving > 0, moving * whole, turning)
    looked_at = everything | ((margins.left < SLIGHT * longest) & (margins.left > ROUNDING * longest))
    some = np.flatnonzero(looked_at & (system.loop_rows < len(joint)))
    if not len(some):
        return {}
    length = _loop_lengths(system, margins, joint, points)[joint[system.loop_rows[some]]]
    size = np.where(moving[some] > 0, moving[some] * length, turning[some])
    share = margins.left[some] / np.where(size > 0, size, 1.0)
    small = everything | (share < SLIGHT)
    return dict(zip(system.loop_rows[some[small]].tolist(), share[small].tolist(), strict=True))


def _sizes(mechanics: Mechanics) -> tuple[np.ndarray, np.ndarray]:
    """(loop rows,) size of the gradient of each row by displacements and by rotations of its bodies."""
    system = mechanics.system
    rows = join(mechanics.holonomic.rows())
    keep = rows.cols < system.nq
    row, square = rows.rows[keep], np.real(rows.values[keep]) ** 2
    turns = system.is_angular[rows.cols[keep]]
    count = system.constraints.count
    moving = np.sqrt(np.bincount(row, weights=square * ~turns, minlength=count))
    turning = np.sqrt(np.bincount(row, weights=square * turns, minlength=count))
    return moving[system.loop_rows], turning[system.loop_rows]


def _joint_of_row(system: System) -> np.ndarray:
    """(rows of joints,) joint that each constraint row belongs to."""
    joints = system.description.joints
    held = {name: len(ALL_JOINTS[name].held) for name in {entry.type for entry in joints}}
    return np.repeat(np.arange(len(joints)), [held[entry.type] for entry in joints])


def _points(system: System) -> np.ndarray:
    """(joints, 2, 3) where the joints are in the drawing, on their first and on their second body."""
    return np.real(system.places.points(system.description.joints))


def _loop_lengths(system: System, margins: Margins, joint: np.ndarray, points: np.ndarray) -> np.ndarray:
    """(joints,) size of the loop that each joint closes: of the joints in it or, where they are meant to meet, of its
    bodies."""
    hung_on = np.full(system.bodies, -1)
    hung_on[system.tree.order] = system.tree.joint
    own = system.loop_rows[margins.row] < len(joint)
    closing, body = joint[system.loop_rows[margins.row[own]]], system.tree_coordinate_body[margins.column[own]]
    hung = hung_on[body] >= 0
    label = np.concatenate((np.arange(len(points)), closing[hung]))
    where = np.concatenate((points, points[hung_on[body[hung]]]))
    joints = _spans(label, where, len(points))
    centres = np.broadcast_to(np.real(system.places.r)[body, None], (len(body), 2, 3))
    bodies = _spans(np.concatenate((label, closing)), np.concatenate((where, centres)), len(points))
    return np.where(joints > MEANT_TO_MEET * bodies, joints, np.where(bodies > 0, bodies, system.length))


def _spans(label: np.ndarray, points: np.ndarray, count: int) -> np.ndarray:
    """(count,) diagonal of the box around the pairs of points (n, 2, 3) with each label."""
    low, high = np.full((count, 3), np.inf), np.full((count, 3), -np.inf)
    np.minimum.at(low, label, points.min(axis=1))
    np.maximum.at(high, label, points.max(axis=1))
    return np.linalg.norm(np.maximum(high - low, 0.0), axis=1)
