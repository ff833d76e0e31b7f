"""The initial state: given values hold exactly, all constraints hold, the rest of the freedom is settled by the walk.

A drawing with open joints is assembled first, heavy bodies moving least (mobility/assembly.py). From there the
mechanism is brought to the given positions (mobility/posing.py). Velocities are one linear solve.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from eigenbody.base.errors import Fault, InputError
from eigenbody.dynamics.mechanics import Mechanics
from eigenbody.mobility.angles import (
    given_as_rotation_vectors,
    refuse_singular_angles,
    refuse_singular_start,
    with_given_turns,
    without_given_angles,
)
from eigenbody.mobility.assembly import close_joints, compromise, gap_faults, is_rough
from eigenbody.mobility.closing import tolerance_of
from eigenbody.mobility.independence import what_locks
from eigenbody.mobility.partition import select
from eigenbody.mobility.posing import STEP, Way, posed
from eigenbody.mobility.segments import spins_of_segments
from eigenbody.mobility.treespace import value_set
from eigenbody.mobility.turns import values_of
from eigenbody.numerics.matrices.assembly import Triplets
from eigenbody.numerics.matrices.linear import DENSE_LIMIT, factor, matrix, stack
from eigenbody.system.state import State
from eigenbody.system.system import Given, System

HOLDS = 1e-9  # how well constraints and given values must hold, relative to the mechanism's length


def initial_state(system: System) -> State:
    """The consistent state from which everything starts."""
    return initial_mechanics(system).state


def initial_mechanics(system: System) -> Mechanics:
    """The mechanism at its initial state."""
    return with_initial_velocity(mechanics_at_initial_positions(system))


# Positions ------------------------------------------------------------------------------------------------------------
def initial_configuration(system: System) -> State:
    """Bring the drawing to the given positions, holding the constraints.

    A drawing whose joints are open is assembled first, heavy bodies moving least; what is then left of the freedom
    stays as assembled.
    """
    return mechanics_at_initial_positions(system).state


def mechanics_at_initial_positions(system: System) -> Mechanics:
    """The mechanism at its initial configuration, at rest."""
    return _with_angles(system) if system.sequences else _at_positions(system)


def _with_angles(system: System) -> Mechanics:
    """The same where angles of a sequence may be given."""
    refuse_singular_start(system, system.reference_state())
    wanted = given_as_rotation_vectors(system)
    loose = without_given_angles(wanted, system)
    there = _at_positions(loose)
    if loose is not wanted:
        there = _settled(wanted, there.state)
    there = with_given_turns(system, there)
    refuse_singular_angles(system, there.state)
    return there


def _at_positions(system: System) -> Mechanics:
    drawn = Mechanics(system, system.reference_state())
    return _settled(system, _assembled(system, drawn.state)) if is_rough(drawn) else _brought(drawn, {})


def _settled(system: System, state: State) -> Mechanics:
    """The given positions from a state whose other coordinates stay as they are."""
    walk = system.tree_coordinates
    settled = dict(zip(walk.tolist(), values_of(system, state, walk), strict=True))
    return _brought(Mechanics(system, state), settled)


def _assembled(system: System, drawing: State) -> State:
    """The drawing with its joints closed and, where they are near, the given positions taken."""
    given = system.positions
    end = np.real(_nearest_turn(system, given.value, given.measure))
    start = np.real(values_of(system, drawing, given.measure))
    near = np.abs(_scaled(system, given.measure, end - start)) <= STEP
    found = close_joints(system, drawing, given.measure[near], end[near])
    if found.largest > HOLDS * max(1.0, system.length):
        where = tuple(place for place, is_near in zip(given.where, near, strict=True) if is_near)
        raise InputError(
            [
                Fault(
                    "joints",
                    "the drawing cannot be assembled: joints are open by more than its rounding"
                    f" (tolerance {tolerance_of(system):.2g} m).",
                    "The gaps below are what remains, worst first; where they are rounding, give a larger tolerance.",
                ),
                *gap_faults(system, found, where, HOLDS * max(1.0, system.length)),
            ]
        )
    return found.state


def _brought(mechanics: Mechanics, settled: dict[int, float]) -> Mechanics:
    """Follow the given positions and prescribed motions from where the mechanism is."""
    system, phi, given = mechanics.system, mechanics.holonomic.value, mechanics.system.positions
    start = values_of(system, mechanics.state, given.measure, mechanics.at)
    if _size(phi, system) <= 1e-12 and _close(start, given.value, 1e-15):
        return mechanics
    end = _nearest_turn(system, given.value, given.measure)
    mechanics, done = posed(mechanics, Way(given.measure, start, end, phi, settled))
    if done < 1.0:
        _cannot_assemble(mechanics, done)
    _check_positions(mechanics)
    return mechanics


def _nearest_turn(system: System, end: np.ndarray, index: np.ndarray) -> np.ndarray:
    """Rotation vectors are brought to at most half a turn: the rotation is the same."""
    end = np.array(end)
    for own in _rotation_vectors(system, index):
        angle = float(np.sqrt(np.sum(np.real(end[own]) ** 2)))
        if angle > np.pi:
            end[own] *= 1 - 2 * np.pi * np.round(angle / (2 * np.pi)) / angle
    return end


def _rotation_vectors(system: System, index: np.ndarray) -> Iterator[list[int]]:
    """Which of the measures are components of the same rotation vector, by their place in `index`."""
    labels = [system.names[i].rsplit(".", 1) for i in index]
    owners = {name: None for name, *label in labels if label and label[0] in ("rx", "ry", "rz")}
    for owner in owners:
        yield [k for k, (name, *label) in enumerate(labels) if name == owner and label and label[0].startswith("r")]


def _check_positions(mechanics: Mechanics) -> None:
    system = mechanics.system
    _refuse_open_rows(system, np.abs(mechanics.holonomic.value))
    given = system.positions
    wanted = _nearest_turn(system, given.value, given.measure)
    found = values_of(system, mechanics.state, given.measure, mechanics.at)
    off = np.abs(found - wanted)
    for own in _rotation_vectors(system, given.measure):
        angle = float(np.sqrt(np.sum(np.real(wanted[own]) ** 2)))
        if angle > np.pi - 1e-6:  # half a turn one way is half a turn the other way
            other = np.abs(found[own] - wanted[own] * (1 - 2 * np.pi / angle))
            off[own] = min(off[own], other, key=np.max)
    _refuse_given(mechanics, off, given)


def _refuse_open_rows(system: System, drift: np.ndarray) -> None:
    bad = np.flatnonzero(drift > HOLDS * max(1.0, system.length))
    if len(bad):
        raise InputError(_open_rows(system, drift, bad))


def _open_rows(system: System, drift: np.ndarray, bad: np.ndarray) -> list[Fault]:
    worst: dict[str, float] = {}
    for r in bad:
        place = system.constraints.rows[r].where
        worst[place] = max(worst.get(place, 0.0), float(drift[r]))
    ranked = sorted(worst.items(), key=lambda item: -item[1])[:8]
    return [
        Fault(
            place,
            f"cannot be closed: it stays open by {size:.3g} (m or rad) while the other constraints hold.",
            "Correct its position or axis, or remove a constraint that contradicts it.",
        )
        for place, size in ranked
    ]


def _refuse_given(mechanics: Mechanics, off: np.ndarray, given: Given, tolerance: float = 1e-8) -> None:
    bad = [k for k, value in enumerate(given.value) if off[k] > tolerance * max(1.0, abs(value))]
    if not bad:
        return
    remedy = what_locks(mechanics) or "Leave it out or correct it."
    raise InputError(
        Fault(
            given.where[k],
            f"the value {np.real(given.value[k]):.6g} contradicts the constraints and other given values,"
            f" by {off[k]:.3g}.",
            remedy,
        )
        for k in bad
    )


def _cannot_assemble(mechanics: Mechanics, done: float) -> None:
    system, drift = mechanics.system, np.abs(mechanics.holonomic.value)
    names = sorted({system.constraints.rows[r].owner for r in system.loop_rows}) or ["its joints"]
    at = f"got {100 * done:.0f} % of the way from the drawing to the given positions"
    worst = f" (open by {drift.max(initial=0.0):.3g})" if drift.max(initial=0.0) > HOLDS else ""
    given = system.positions
    end = np.real(_nearest_turn(system, given.value, given.measure))
    found = compromise(system, mechanics.state, np.zeros(system.constraints.count), given.measure, end)
    raise InputError(
        [
            Fault(
                "joints",
                f"the mechanism cannot be assembled: {at}{worst}; the loop is closed by {', '.join(names[:8])}.",
                "Correct the drawing, or give positions that the links can reach.",
            ),
            *gap_faults(system, found, given.where, HOLDS * max(1.0, system.length)),
        ]
    )


# Velocities -----------------------------------------------------------------------------------------------------------
def with_initial_velocity(mechanics: Mechanics) -> Mechanics:
    """Given rates hold, constraint rates hold, the walk's remaining rates are zero, but for pieces of a beam that turn
    with it; at rest before, so that rates are the explicit time derivatives."""
    system, state, given = mechanics.system, mechanics.state, mechanics.system.velocities
    rest = np.concatenate((mechanics.holonomic.rate, mechanics.non_holonomic.rate, given.value))
    if not np.any(rest) and not system.description.frames:  # what hangs on a turning frame moves with it
        return mechanics
    chosen = select(mechanics, given.measure, by_order=True)
    measures = value_set(system, chosen.velocities)
    goal = dict(zip(given.measure.tolist(), given.value, strict=True))
    wanted = np.array([goal.get(int(i), 0.0) for i in chosen.velocities])
    sparse = system.nq > DENSE_LIMIT
    jet = measures.jet(mechanics.at, state.turns)
    own = [Triplets.of_rows(np.arange(measures.count), measures.columns, jet.gradient)]
    G = matrix(mechanics.holonomic.rows(), (system.constraints.count, system.nq), sparse)
    N = matrix(mechanics.non_holonomic.rows(), (system.slips.count, system.nq), sparse)
    J = stack([G[chosen.rows], N[chosen.slip_rows], matrix(own, (measures.count, system.nq), sparse)])
    rhs = np.concatenate(
        (-mechanics.holonomic.rate[chosen.rows], -mechanics.non_holonomic.rate[chosen.slip_rows], wanted - jet.rate)
    )
    square = factor(J)
    moving = Mechanics(system, state.with_velocity(system, square.solve(rhs)))
    rows, first = matrix(own, (measures.count, system.nq), False), len(rhs) - measures.count
    is_given = np.isin(chosen.velocities, given.measure)
    for u, theirs in spins_of_segments(moving):
        follows = ~is_given & ~np.any(rows[:, ~theirs], axis=1)
        turned = np.concatenate((rhs[:first], np.where(follows, rows @ u, rhs[first:])))
        found = square.solve(turned)
        if np.allclose(found[theirs], u[theirs], rtol=0, atol=1e-9 * np.abs(u).max()):  # else something holds a piece
            rhs, moving = turned, Mechanics(system, state.with_velocity(system, found))
    _check_velocities(moving)
    return moving


def _check_velocities(mechanics: Mechanics) -> None:
    system, state = mechanics.system, mechanics.state
    asked = max(1.0, float(np.max(np.abs(system.velocities.value), initial=0.0)))
    speed = asked + 1e-5 * float(np.max(np.abs(state.velocity(system)), initial=0.0))  # room for rounding alone
    off = np.abs(np.concatenate((mechanics.holonomic.rate, mechanics.non_holonomic.rate)))
    bad = np.flatnonzero(off > 1e-8 * speed)
    if len(bad):
        rows = (*system.constraints.rows, *system.slip_rows)
        raise InputError(
            Fault(
                ", ".join(sorted({rows[r].where for r in bad})),
                "the prescribed motion contradicts the other constraints in velocity.",
                what_locks(mechanics) or "Remove one of them.",
            )
        )
    given = system.velocities
    rate = value_set(system, given.measure).jet(mechanics.at, state.turns).rate
    _refuse_given(mechanics, np.abs(rate - given.value), given, 1e-8 * speed)


# Scales ---------------------------------------------------------------------------------------------------------------
def _size(phi: np.ndarray, system: System) -> float:
    return float(np.max(np.abs(phi), initial=0.0)) / max(system.length, 1e-300)


def _scaled(system: System, index: np.ndarray, change: np.ndarray) -> np.ndarray:
    unit = np.array([system.length if system.dimensions[i] == "m" else 1.0 for i in index])
    return np.real(change) / unit if len(index) else np.zeros(0)


def _close(a: np.ndarray, b: np.ndarray, tolerance: float) -> bool:
    return bool(np.all(np.abs(a - b) <= tolerance))
