"""Modes in the fixed and in a rotating frame side by side (Negrut & Ortiz 2006, rotor-stator example).

In coordinates S_rot = T(t) S that turn at the rate Omega a circular motion exp(l t) becomes exp((l - i Omega) t): whirl
frequencies are counted from the turning frame. Where the equations are constant in a frame, its eigenvalues are the
exponents of the motion seen from there; where they are not, they are those of the equations frozen at an instant.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from eigenbody.analyses.modes.alike import mac_matrix
from eigenbody.analyses.modes.find import modes
from eigenbody.analyses.modes.result import Modes
from eigenbody.base.batched import as_rows
from eigenbody.base.errors import ComputationError
from eigenbody.base.result import Drawn
from eigenbody.linearization.linearize import DENSE_FREEDOMS, dense_model
from eigenbody.linearization.point import OperatingPoint
from eigenbody.linearization.subject import Subject
from eigenbody.linearization.turning import turning_coordinates, turning_flexible
from eigenbody.numerics.runtime import on_one_thread
from eigenbody.operating.find import operating_point
from eigenbody.operating.turning.constant_form import in_blade_patterns
from eigenbody.operating.turning.frame import TurningFrame, charted, turning_frame
from eigenbody.operating.turning.observer import is_constant_in

SHIFTED = 1e-6  # relative: an eigenvalue is shifted by the rate
STANDS = "Nothing moves here: the rotating frame stands still, and both sets are the same."
WHIRL = {-1: "forward", 0: "none", 1: "backward"}


@dataclass(frozen=True)
class FramePair:
    """A mode of the fixed frame and its counterpart in the rotating frame (indices into the two sets of modes)."""

    fixed: int
    rotating: int
    whirl: str  # "forward", "backward", "none", or "" where the two are not related by the rate
    likeness: float  # of the two shapes, 1 when they are the same


@dataclass(frozen=True)
class FrameModes(Drawn, look="analyses.modes.look.frames"):
    """Modes in the fixed and in the rotating frame, matched pair by pair by their shapes.

    `fixed_is_constant` and `rotating_is_constant` say whether the linear equations in that frame do not change with
    time (None: it could not be told). Only then are the eigenvalues exponents of the motion.
    """

    frame: TurningFrame
    fixed: Modes
    rotating: Modes
    pairs: tuple[FramePair, ...]
    fixed_is_constant: bool | None
    rotating_is_constant: bool | None
    notes: tuple[str, ...]


@on_one_thread
def modes_in_frames(model: Subject, frame: str) -> FrameModes:
    """All modes in the fixed frame and in a rotating one, side by side.

    `frame` names a moving frame of the model's section `frames`, or a joint: then the frame turns with the joint's
    second body, axis and rate taken from the operating point. Where nothing moves the two frames are one.
    """
    point = operating_point(model)
    if len(point.chosen.velocities) > DENSE_FREEDOMS:
        raise ComputationError(
            f"Frames are compared up to {DENSE_FREEDOMS} degrees of freedom; this mechanism has"
            f" {len(point.chosen.velocities)}. Name coordinates measured in the frame and ask for a few modes."
        )
    if (standing := _standing(point, frame)) is not None:
        found = modes(point)
        pairs = tuple(FramePair(k, k, "none", 1.0) for k in range(len(found)))
        return FrameModes(standing, found, found, pairs, found.is_constant, found.is_constant, (STANDS,))
    turning = turning_frame(point, frame)
    is_carried = any(entry["rate"] for entry in point.model.description.frames) or bool(turning_coordinates(point))
    fixed, fixed_constant = _fixed(charted(point, turning, True) if is_carried else point, turning)
    if turning_flexible(point):
        fixed_constant = False  # shapes that turn are not seen from ground
    rotating, rotating_constant = _found(charted(point, turning, False), turning)
    return FrameModes(
        frame=turning,
        fixed=fixed,
        rotating=rotating,
        pairs=_pairs(fixed, rotating, turning.rate),
        fixed_is_constant=fixed_constant,
        rotating_is_constant=rotating_constant,
        notes=_notes(turning, fixed_constant, rotating_constant),
    )


def _standing(point: OperatingPoint, name: str) -> TurningFrame | None:
    """The frame of a joint of a mechanism at rest; None where something moves."""
    entry = next((entry for entry in point.model.description.joints if entry.name == name), None)
    if entry is None or not point.is_at_rest or any(other["rate"] for other in point.model.description.frames):
        return None
    axis = entry.get("axis")
    about = np.array([0.0, 0.0, 1.0]) if axis is None else np.asarray(np.real(axis), dtype=float)
    return TurningFrame(name, about / np.linalg.norm(about), np.zeros(3), 0.0)


def _fixed(point: OperatingPoint, turning: TurningFrame) -> tuple[Modes, bool | None]:
    """As `_found`, in multi-blade coordinates where these are needed and help."""
    found, constant = _found(point, turning)
    linear = in_blade_patterns(found.linear)
    return (found, constant) if linear.blades is None else (modes(linear), True)


def _found(point: OperatingPoint, turning: TurningFrame) -> tuple[Modes, bool | None]:
    """Modes, and whether the equations stay the same while the frame turns."""
    constant = is_constant_in(point, turning)
    return modes(dense_model(replace(point, is_steady=bool(constant)))), constant


# Pairs ----------------------------------------------------------------------------------------------------------------
def _pairs(fixed: Modes, rotating: Modes, rate: float) -> tuple[FramePair, ...]:
    """The assignment with the most alike shapes; both members of a conjugate pair are tried, eigenvalues help."""
    from scipy.optimize import linear_sum_assignment

    turned = [_as_vectors(fixed), np.conj(_as_vectors(fixed))]
    values = [fixed.eigenvalues, np.conj(fixed.eigenvalues)]
    likeness = np.stack([mac_matrix(vectors, _as_vectors(rotating)) for vectors in turned])  # (2, fixed, rotating)
    likeness[:, fixed.is_rigid[:, None] & rotating.is_rigid] = 1.0  # zeros have no shapes of their own
    shifts = np.array([-1, 0, 1])
    target = np.stack([value[:, None] + 1j * rate * shifts for value in values])  # (2, fixed, shift)
    off = np.abs(target[..., None, :] - rotating.eigenvalues[:, None])
    scale = rate + np.abs(fixed.eigenvalues)[:, None] + np.abs(rotating.eigenvalues) + 1e-300
    off = off / scale[None, ..., None]  # (2, fixed, rotating, shift)
    cost = 1 - likeness + off.min(axis=-1)
    found = []
    for i, j in zip(*linear_sum_assignment(cost.min(axis=0)), strict=True):
        side = int(np.argmin(cost[:, i, j]))
        best = int(np.argmin(off[side, i, j]))
        shift = int(shifts[best]) * (1 if side == 0 else -1)  # as seen with a positive frequency in the fixed frame
        whirl = WHIRL[shift] if off[side, i, j, best] < SHIFTED else ""
        found.append(FramePair(int(i), int(j), whirl, float(likeness[side, i, j])))
    return tuple(found)


def _as_vectors(modes: Modes) -> np.ndarray:
    weights = np.repeat((1.0, modes.linear.point.system.length), 3)
    return as_rows(modes.motion * weights)


# Words ----------------------------------------------------------------------------------------------------------------
def _notes(turning: TurningFrame, fixed: bool | None, rotating: bool | None) -> tuple[str, ...]:
    hz = turning.rate / (2 * np.pi)
    depends = (
        "Eigenvalues depend on the frame in which they are measured: circular motion sideways to the axis is shifted by"
        f" the rate of the frame, {hz:.9g} Hz. Damping as real part, and motion along or about the axis, are the same."
    )
    if fixed and rotating:
        return (depends, "The equations are constant in both frames: both sets are exact.")
    if fixed is None or rotating is None:
        return (depends, "Not every body rests or turns with the frame: the eigenvalues are those of an instant.")
    if fixed or rotating:
        good, bad = ("fixed", "rotating") if fixed else ("rotating", "fixed")
        return (
            depends,
            f"The equations are constant in the {good} frame alone: its eigenvalues are exact, those of the {bad} frame"
            " belong to an instant and are no exponents of the motion.",
        )
    return (depends, "The equations are constant in neither frame: no eigenvalues here are exponents of the motion.")
