"""Multi-blade coordinates of a model: found from the symmetry of what turns, kept where the equations are constant.

The symmetry proposes; the equations decide: they are linearized again where the rotor has turned on, in the same
multi-blade coordinates, and must be the same there. Where they are not, what differs is named.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from eigenbody.base.errors import EigenbodyError, Fault, InputError
from eigenbody.linearization.along import at_states, state_matrices
from eigenbody.linearization.forms import StateSpace
from eigenbody.linearization.linearize import DENSE_FREEDOMS, VariationalEquations, dense_model
from eigenbody.linearization.model import LinearModel
from eigenbody.linearization.multiblade import Chart, MultiBlade, pattern_generator
from eigenbody.linearization.point import OperatingPoint
from eigenbody.model.description import Entry, is_internal, owner_of
from eigenbody.numerics.matrices.noise import EPS
from eigenbody.operating.comparison import part_beyond_rounding, same_matrices, vibrations
from eigenbody.operating.constancy import reads_what_moves
from eigenbody.operating.turning.frame import TurningFrame, turning_frame
from eigenbody.operating.turning.observer import (
    TRIED,
    alike,
    keeps_turning,
    later_state,
    states_of_a_turn,
    turning_bodies,
)
from eigenbody.operating.turning.symmetry import (
    FEWEST,
    PLACE,
    RotorMotion,
    Turned,
    beside_axis,
    blade_count,
    groups,
    nearly_matched,
    rotor_motion,
    states_symmetry,
    symmetry_of,
    unequal_bodies,
    with_count,
)
from eigenbody.spatial.rotations import about_axis, apply, cross
from eigenbody.system.state import one_state, stacked_states

PHASES = (0.41, 1.27, 2.9)  # rad: where constancy of the equations is tried
UNEQUAL = 1e-7  # relative difference of entries that should be the same
PORTS = 1e-8  # relative difference of columns of B and rows of C, D that counts as none
ROUNDED = 1e3  # units in the last place of what cancels in D
LEFT_OUT = (
    "The {} are taken as equal: what the equations change by while they turn, {:.1g} of their rows, is left out."
    " Floquet's theory (eigenbody floquet) takes it in."
)
CHANGING = "they are equal, but the equations change while they turn"


@dataclass(frozen=True, eq=False)
class Rotor:
    """A joint, the frame that turns with it, which bodies (bool) turn with that; the entry that names its blades."""

    joint: str
    turning: TurningFrame
    along: np.ndarray
    named: Entry | None = None

    def refuse(self, reason: str) -> None:
        """Refuse blades that were named by hand and are none."""
        if self.named is not None:
            remedy = (
                "Name equal blades in equal places, or use Floquet's theory (eigenbody floquet) without the section."
            )
            raise InputError(Fault(f"rotors.{self.named.name}", f"these are no equal blades: {reason}.", remedy))


@dataclass(frozen=True, eq=False)
class Blades:
    """What was found of blades: the coordinates and what is to be said of them, or why there are none."""

    chart: MultiBlade | None
    reason: str = ""
    notes: tuple[str, ...] = ()


def has_blades(point: OperatingPoint) -> bool:
    """Whether something turns with three bodies or more, or blades are named, so that they are worth looking for."""
    return bool(possible_rotors(point)) or bool(point.model.description.rotors and not point.is_at_rest)


def may_have_patterns(point: OperatingPoint) -> bool:
    """Whether blades are named, or three bodies or more turn beside the axis of what turns: without that there are no
    multi-blade coordinates."""
    if point.model.description.rotors:
        return True
    rotors = possible_rotors(point)
    return any(len(beside_axis(point, rotor.turning, rotor.along)) >= FEWEST for rotor in rotors)


def blades_of(linear: LinearModel) -> Blades:
    """Equal blades of what turns, in whose coordinates the equations are constant, or what keeps them from it."""
    return blades_among(linear, _rotors(linear.point))


def blades_among(linear: LinearModel, rotors: Sequence[Rotor]) -> Blades:
    """The first of these rotors on which blades make the equations constant, or what keeps the first from it."""
    reason = ""
    if rotors and linear.added_damping is not None:
        linear = dense_model(linear.point)  # of the mechanism alone
    for rotor in rotors:
        try:
            found = _blades_on(linear, rotor)
        except EigenbodyError:  # no motion further on that could be looked at
            if rotor.named is not None:
                raise
            continue
        if found.chart is not None:
            return found
        reason = reason or found.reason
    if not rotors and (named := linear.point.model.description.rotors):
        reason = f"{named[0]['joint']}, which rotors.{named[0].name} names, does not turn alone with all that turns"
    return Blades(None, reason)


def possible_rotors(point: OperatingPoint) -> list[Rotor]:
    """Those of a mechanism that moves and is small enough to be looked at."""
    is_small = len(point.chosen.velocities) <= DENSE_FREEDOMS
    return _rotors(point) if is_small and not point.is_at_rest else []


def _rotors(point: OperatingPoint) -> list[Rotor]:
    """Joints with the frame that turns with each, and which bodies turn with it, where these may have blades; where
    blades are named by hand, those alone."""
    out: list[Rotor] = []
    if point.system.slips.count:
        return out
    description = point.model.description
    named = {entry["joint"]: entry for entry in description.rotors}
    for entry in description.joints:
        if is_internal(entry) or len(out) == TRIED or (named and entry.name not in named):
            continue
        try:
            turning = turning_frame(point, entry.name)
        except EigenbodyError:  # the joint does not turn
            continue
        if any(alike(turning, other.turning) for other in out):
            continue
        along = turning_bodies(point, turning)
        if along is not None and along.sum() >= FEWEST:
            out.append(Rotor(entry.name, turning, along, named.get(entry.name)))
    return out


def _patterns_noise(linear: LinearModel, chart: Chart) -> np.ndarray:
    """Errors (states, states) of the equations in multi-blade coordinates: those of all rows that these take from."""
    mixed = np.any([np.abs(chart.into(phase)) > 0 for phase in PHASES], axis=0)
    return np.asarray(mixed @ linear.noise_A @ mixed)


def _blades_on(linear: LinearModel, rotor: Rotor) -> Blades:
    point, name, turning, along = linear.point, rotor.joint, rotor.turning, rotor.along
    found = blade_count(point, turning, along) if rotor.named is None else blades_named(point, rotor)
    if found is None:
        reason = nearly_matched(point, turning, along)
        return Blades(None, f"The bodies on {name} are not equal blades: {reason}" if reason else "")
    where = f"{found.count} blades on {name}: "
    if found.count < FEWEST:
        return Blades(None, where + "multi-blade coordinates need three or more")
    if reason := unequal_bodies(point, turning, found):
        rotor.refuse(reason)
        return Blades(None, where + reason)
    if reason := _changing_load(point, turning):
        return Blades(None, where + reason)
    motion = rotor_motion(point, linear.P, along)
    symmetry = symmetry_of(point, turning, found, motion, len(linear.coordinates))
    if symmetry is None:
        rotor.refuse("their joints do not take each other's places")
        return Blades(None, where + "their joints do not take each other's places")
    later = _turned_on(point, turning)
    blades = MultiBlade(
        name, found.count, groups(point, found), float(turning.rate), turning.about, turning.at, symmetry,
        pattern_generator(symmetry, found.count) + _turning_of_coordinates(later, turning, along, motion),
        pattern_generator(states_symmetry(linear, symmetry, motion.columns, found.count), found.count),
    )  # fmt: skip
    return _where_constant(linear, rotor, blades, later, motion.columns)


def _where_constant(
    linear: LinearModel, rotor: Rotor, blades: MultiBlade, later: OperatingPoint, columns: np.ndarray
) -> Blades:
    """The blades if their coordinates make the equations constant, with the inputs and outputs that are; else why."""
    every = VariationalEquations(later).state_space
    there = [StateSpace(*(_one_of(part, k, len(PHASES)) for part in every)) for k in range(len(PHASES))]
    own = vibrations(linear)
    if all(same_matrices(linear.A, space.A, lambda: linear.noise_A, own) for space in there):
        return Blades(None)  # nothing has to be made constant
    here, chart = blades.chart.space(linear.state_space), blades.chart
    turned = [chart.space(space, phase) for space, phase in zip(there, PHASES, strict=True)]
    rounded, of_patterns = _patterns_noise(linear, chart), chart.back() @ own
    if not all(same_matrices(here.A, space.A, lambda: rounded, of_patterns) for space in turned):
        unequal = _unequal_entries(linear, blades.symmetry, columns)
        if unequal:
            rotor.refuse(unequal)
        return Blades(None, f"{blades.count} blades on {blades.joint}: {unequal or CHANGING}")
    if reads_what_moves(linear.point) and not _stays_all_round(
        linear, rotor, chart, lambda A: same_matrices(here.A, A, lambda: rounded, of_patterns)
    ):
        return Blades(None, f"{blades.count} blades on {blades.joint}: {CHANGING}")
    inputs, outputs = _fixed_ports(linear.state_space, here, turned, chart)
    left_out = max(part_beyond_rounding(here.A, space.A, rounded) for space in turned)
    notes = (LEFT_OUT.format(f"{blades.count} blades on {blades.joint}", left_out),) if left_out else ()
    return Blades(replace(blades, fixed_inputs=inputs, fixed_outputs=outputs), notes=notes)


def _stays_all_round(linear: LinearModel, rotor: Rotor, chart: Chart, is_same: Callable[[np.ndarray], bool]) -> bool:
    """Whether the equations in multi-blade coordinates are the same at many places of a turn."""
    states, rate = states_of_a_turn(linear.point, rotor.turning), float(rotor.turning.rate)
    there = state_matrices(linear.point.choosing(linear.chosen), stacked_states(states))
    phases = [rate * float(np.real(state.t - linear.point.state.t)) for state in states]
    spaces = (linear.state_space._replace(A=A) for A in there)
    return all(is_same(chart.space(space, phase).A) for space, phase in zip(spaces, phases, strict=True))


def _one_of(part: np.ndarray, k: int, count: int) -> np.ndarray:
    return np.asarray(np.broadcast_to(part, (count, *part.shape[-2:]))[k])


def _fixed_ports(
    raw: StateSpace, here: StateSpace, turned: Sequence[StateSpace], chart: Chart
) -> tuple[tuple[bool, ...], tuple[bool, ...]]:
    """Which inputs and outputs are constant in multi-blade coordinates."""
    size_B = (np.abs(chart.back()) @ np.abs(raw.B)).max(axis=0, initial=0.0)
    size_C = (np.abs(raw.C) @ np.abs(chart.into())).max(axis=1, initial=0.0)
    rounded = ROUNDED * EPS * np.outer(np.maximum(size_C, 1.0), size_B)  # of an acceleration that others cancel
    inputs, outputs = np.ones(len(size_B), dtype=bool), np.ones(len(size_C), dtype=bool)
    for space in turned:
        inputs &= np.abs(space.B - here.B).max(axis=0, initial=0.0) <= PORTS * size_B
        outputs &= np.abs(space.C - here.C).max(axis=1, initial=0.0) <= PORTS * size_C
        size_D = PORTS * np.maximum(np.abs(space.D), np.abs(here.D)) + rounded
        outputs &= ((np.abs(space.D - here.D) <= size_D) | ~inputs).all(axis=1)
    return tuple(inputs.tolist()), tuple(outputs.tolist())


def _changing_load(point: OperatingPoint, turning: TurningFrame) -> str:
    """Why equal blades are not in the same motion all the way round; "" where they are."""
    gravity = np.real(point.system.gravity)
    if np.linalg.norm(cross(gravity, turning.about)) > UNEQUAL * np.linalg.norm(gravity):
        return "gravity acts across the axis, so that their loads change while they turn"
    if not keeps_turning(point, turning):
        return "this is no steady motion, they accelerate (operating_point: steady finds one)"
    return ""


def _unequal_entries(linear: LinearModel, symmetry: np.ndarray, columns: np.ndarray) -> str:
    """The entry of M, C or K that another blade does not have, in words; "" where all have the same."""
    part = np.ix_(columns, columns)
    G = symmetry[part]
    names = [linear.coordinates[k] for k in columns]
    for what, matrix in (("mass", linear.M[part]), ("stiffness", linear.K[part]), ("damping", linear.C[part])):
        image = np.linalg.inv(G).T @ matrix @ np.linalg.inv(G)
        away = np.abs(image - matrix)
        size = np.abs(matrix).max(axis=1, keepdims=True, initial=0.0) + 1e-3 * np.abs(matrix).max(initial=0.0)
        if np.any(away > UNEQUAL * size):
            i, j = np.unravel_index(int(np.argmax(away / np.where(size > 0, size, 1.0))), away.shape)
            other = names[int(np.argmax(np.abs(G[i])))]
            return (
                f"the {what} of {names[i]}{'' if i == j else f' with {names[j]}'} is {matrix[i, j]:.7g}, where {other}"
                f" has {image[i, j]:.7g}"
            )
    return ""


def blades_named(point: OperatingPoint, rotor: Rotor) -> Turned:
    """Where bodies go when the rotor turns on from one blade that was named to the next; refused where they do not."""
    assert rotor.named is not None
    names, turning = rotor.named["blades"], rotor.turning
    owners = [owner_of(name) for name in point.system.places.names]
    index = [owners.index(name) for name in names]
    if standing := [name for name, body in zip(names, index, strict=True) if not rotor.along[body]]:
        rotor.refuse(f"{standing[0]} does not turn with {rotor.joint}")
    found = with_count(point, turning, rotor.along, len(names))
    if found is not None and set(found.onto[index]) == set(index):
        return found
    places = np.real(point.state.r)[index]
    goal = turning.at + apply(about_axis(turning.about, 2 * np.pi / len(names)), places - turning.at)
    away = np.linalg.norm(places - goal[:, None], axis=-1)  # (from, to)
    worst = int(np.argmax(away.min(axis=1)))
    if away[worst].min() > PLACE * point.system.length:
        rotor.refuse(
            f"1/{len(names)} of a turn brings {names[worst]} to where none of them is"
            f" ({names[int(np.argmin(away[worst]))]} is {away[worst].min():.3g} m beside)"
        )
    reason = nearly_matched(point, turning, rotor.along)
    rotor.refuse(
        f"1/{len(names)} of a turn does not bring all that turns with {rotor.joint} to places of it"
        + (f" ({reason})" if reason else "")
    )
    raise AssertionError  # refused


def _turned_on(point: OperatingPoint, turning: TurningFrame) -> OperatingPoint:
    """The steady motion when the rotor has turned on by each of the phases, as one point with a leading axis."""
    states = [later_state(point, turning, phase) for phase in PHASES]
    found = [state for state in states if state is not None]  # all: every body rests or turns with the frame
    return at_states(point, stacked_states(found))


def _turning_of_coordinates(
    later: OperatingPoint, turning: TurningFrame, along: np.ndarray, here: RotorMotion
) -> np.ndarray:
    """Generator (S, S) of the turning, against the rotor, of coordinates of it that are seen from the ground; zero for
    those that turn with it. Rotor-fixed Y and coordinates S make the same motion: V(phi) S = R(phi) V(0) Y."""
    from scipy.linalg import logm

    n, count = later.frame.P.shape[-1], len(here.columns)
    out = np.zeros((n, n))
    P = np.broadcast_to(later.frame.P, (len(PHASES), *later.frame.P.shape[-2:]))[0]
    there = rotor_motion(replace(later, state=one_state(later.state, 0)), P, along)
    if not np.array_equal(here.columns, there.columns):
        return out
    unit = np.array([1.0, later.system.length])[:, None, None]
    carried = np.einsum("ij,rkjc->rkic", about_axis(turning.about, PHASES[0]), here.rows * unit)
    turn, *_ = np.linalg.lstsq((there.rows * unit).reshape(-1, count), carried.reshape(-1, count), rcond=1e-10)
    if np.abs(turn - np.eye(count)).max(initial=0.0) > UNEQUAL:
        out[np.ix_(here.columns, here.columns)] = np.real(logm(turn)) / PHASES[0]
    return out
