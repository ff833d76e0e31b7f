"""Multi-blade coordinates of a model: found from the symmetry of what turns, kept where the equations are constant.

The symmetry proposes; the equations decide: they are linearized again where the rotor has turned on, in the same
multi-blade coordinates, and must be the same there. Where they are not, what differs is named.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from eigenbody.analyses.modes.blade_symmetry import (
    FEWEST,
    RotorMotion,
    Turned,
    blade_count,
    groups,
    nearly_matched,
    rotor_motion,
    symmetry_of,
    unequal_bodies,
)
from eigenbody.analyses.modes.frame_chart import TurningFrame, turning_frame
from eigenbody.analyses.modes.turning import TRIED, alike, keeps_turning, later_state, turning_bodies
from eigenbody.base.errors import EigenbodyError
from eigenbody.linearization.along import at_states, matrices_at
from eigenbody.linearization.linearize import DENSE_FREEDOMS
from eigenbody.linearization.model import LinearModel
from eigenbody.linearization.multiblade import MultiBlade, in_fixed_frame, in_multiblade, pattern_generator
from eigenbody.linearization.point import OperatingPoint
from eigenbody.model.description import is_internal
from eigenbody.operating.constancy import same_matrices
from eigenbody.operating.steady.report import stability_note
from eigenbody.spatial.rotations import about_axis, cross
from eigenbody.system.state import ARRAYS, State, one_state

PHASES = (0.41, 1.27, 2.9)  # rad: where constancy of the equations is tried
Rotor = tuple[str, TurningFrame, np.ndarray]  # a joint, the frame that turns with it, which bodies turn with that
UNEQUAL = 1e-7  # relative difference of entries that should be the same


@dataclass(frozen=True, eq=False)
class Blades:
    """What was found of blades: the coordinates, or why there are none."""

    chart: MultiBlade | None
    reason: str = ""


def has_blades(point: OperatingPoint) -> bool:
    """Whether something turns with three bodies or more beside its axis, so that blades are worth looking for."""
    return any(_possible_rotors(point))


def in_blade_patterns(linear: LinearModel) -> LinearModel:
    """The linear model in multi-blade coordinates where these make its equations constant and its own do not; else
    as it is."""
    if linear.is_sparse or linear.by_route is not None or linear.point.is_steady:
        return linear
    found = _blades_among(linear, _possible_rotors(linear.point))
    if found.chart is None:
        return linear
    settled = stability_note("unknown")  # what a search of a steady motion says of coordinates that do not serve
    point = replace(linear.point, warnings=tuple(text for text in linear.point.warnings if text not in settled))
    return in_multiblade(replace(linear, point=point), found.chart)


def blades_of(linear: LinearModel) -> Blades:
    """Equal blades of what turns, in whose coordinates the equations are constant, or what keeps them from it."""
    return _blades_among(linear, _rotors(linear.point))


def _blades_among(linear: LinearModel, rotors: Sequence[Rotor]) -> Blades:
    reason = ""
    for name, turning, along in rotors:
        try:
            found = _blades_on(linear, name, turning, along)
        except EigenbodyError:  # no motion further on that could be looked at
            continue
        if found.chart is not None:
            return found
        reason = reason or found.reason
    return Blades(None, reason)


def _possible_rotors(point: OperatingPoint) -> list[Rotor]:
    """Those of a mechanism that moves and is small enough to be looked at."""
    is_small = len(point.chosen.velocities) <= DENSE_FREEDOMS
    return _rotors(point) if is_small and not point.is_at_rest else []


def _rotors(point: OperatingPoint) -> list[Rotor]:
    """Joints with the frame that turns with each, and which bodies turn with it, where these may have blades."""
    out: list[Rotor] = []
    if point.system.slips.count:
        return out
    for entry in point.model.description.joints:
        if is_internal(entry) or len(out) == TRIED:
            continue
        try:
            turning = turning_frame(point, entry.name)
        except EigenbodyError:  # the joint does not turn
            continue
        if any(alike(turning, other) for _, other, _ in out):
            continue
        along = turning_bodies(point, turning)
        if along is not None and along.sum() >= FEWEST:
            out.append((entry.name, turning, along))
    return out


def _patterns_noise(linear: LinearModel, generator: np.ndarray) -> np.ndarray:
    """Errors (states, states) of the equations in multi-blade coordinates: those of all rows that these take from."""
    n, noise = len(generator), linear.noise_A
    mixed = np.eye(len(noise))
    both = np.eye(n) + (np.abs(generator) > 0)
    mixed[:n, :n] = mixed[n : 2 * n, n : 2 * n] = mixed[n : 2 * n, :n] = both
    return np.asarray(mixed @ noise @ mixed)


def _blades_on(linear: LinearModel, name: str, turning: TurningFrame, along: np.ndarray) -> Blades:
    point = linear.point
    found = blade_count(point, turning, along)
    if found is None:
        reason = nearly_matched(point, turning, along)
        return Blades(None, f"The bodies on {name} are not equal blades: {reason}" if reason else "")
    where = f"{found.count} blades on {name}: "
    if found.count < FEWEST:
        return Blades(None, where + "multi-blade coordinates need three or more")
    if reason := _unequal(linear, turning, found):
        return Blades(None, where + reason)
    motion = rotor_motion(point, linear.P, along)
    symmetry = symmetry_of(point, turning, found, motion, len(linear.coordinates))
    if symmetry is None:
        return Blades(None, where + "their joints do not take each other's places")
    later = _turned_on(point, turning)
    generator = pattern_generator(symmetry, found.count) + _turning_of_coordinates(later, turning, along, motion)
    matrices = matrices_at(later)
    if all(same_matrices(linear.A, A, lambda: linear.noise_A) for A in matrices):
        return Blades(None)  # nothing has to be made constant
    here = in_fixed_frame(linear.A, generator, turning.rate)
    there = [in_fixed_frame(A, generator, turning.rate, p) for A, p in zip(matrices, PHASES, strict=True)]
    rounded = _patterns_noise(linear, generator)
    if not all(same_matrices(here, A, lambda: rounded) for A in there):
        return Blades(None, where + (_unequal_entries(linear, symmetry, motion.columns) or _on_the_rest(linear)))
    return Blades(
        MultiBlade(
            name, found.count, groups(point, found), turning.rate, turning.about, turning.at, symmetry, generator
        )
    )


def _unequal(linear: LinearModel, turning: TurningFrame, found: Turned) -> str:
    """Why blades in equal places cannot be counted in patterns, as far as bodies and loads tell."""
    point = linear.point
    if reason := unequal_bodies(point, turning, found):
        return reason
    gravity = np.real(point.system.gravity)
    if np.linalg.norm(cross(gravity, turning.about)) > UNEQUAL * np.linalg.norm(gravity):
        return "gravity acts across the axis, so that their loads change while they turn"
    if not keeps_turning(point, turning):
        return "this is no steady motion, they accelerate (operating_point: steady finds one)"
    added = linear.added_damping
    return "" if added is None else "damping that was added is not that of the blades"


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


def _on_the_rest(linear: LinearModel) -> str:
    """Why the equations of equal blades are not constant."""
    what = "they are equal, but the equations change while they turn"
    if linear.point.system.states:
        what += " (first-order states of blades are not counted in patterns)"
    return what


def _turned_on(point: OperatingPoint, turning: TurningFrame) -> OperatingPoint:
    """The steady motion when the rotor has turned on by each of the phases, as one point with a leading axis."""
    states = [later_state(point, turning, phase) for phase in PHASES]
    found = [state for state in states if state is not None]  # all: every body rests or turns with the frame
    arrays = {name: np.stack([getattr(state, name) for state in found]) for name in ARRAYS}
    return at_states(point, State(**arrays, t=np.array([float(np.real(state.t)) for state in found])))  # type: ignore[arg-type]


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
