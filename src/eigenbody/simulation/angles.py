"""Rotations read as intrinsic angle sequences (1-2-3, 3-1-3, ...): angles, their rates, and where these are singular.

R_rel = R1(a) R2(b) R3(c). The relative angular velocity in the axes of the first frame is E(a, b) (a', b', c'). Where E
is singular (gimbal lock) the same motion belongs to many angle rates: those of least norm are given, with the null
vector; angular velocity outside the range of E cannot be written as angle rates at all, and what is left of it is told.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from eigenbody.base.errors import Fault, InputError
from eigenbody.elements.measures.features import Carriers
from eigenbody.elements.measures.rotation import RotationComponent
from eigenbody.spatial.rotations import about_axis
from eigenbody.system.system import System

LOCKED = 1e-9  # smallest singular value of E below which the angles are singular
DIGITS = {"1": "x", "2": "y", "3": "z"}


@dataclass(frozen=True, slots=True, eq=False)
class AngleRates:
    """Angles of one relative rotation and the rates that belong to an angular velocity."""

    owner: str
    angle: np.ndarray  # (3,)
    rate: np.ndarray  # (3,) of least norm where singular
    null: np.ndarray | None  # (3,) unit vector of angle rates that move nothing, None where the angles are regular
    rest: float  # angular velocity that no angle rates can give, rad/s

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(f"{self.owner}.angle{k}" for k in (1, 2, 3))


def read_sequence(text: str) -> str:
    """`"123"` or `"xyz"` to `"xyz"`; neighbouring axes must differ."""
    letters = "".join(DIGITS.get(c, c.lower()) for c in text)
    if len(letters) != 3 or set(letters) - set("xyz") or letters[0] == letters[1] or letters[1] == letters[2]:
        what = f'"{text}" is no sequence of three rotations.'
        raise InputError(Fault("angles", what, 'Write for example "123" (x, y, z) or "313".'))
    return letters


def angle_rates(system: System, at: Carriers, sequence: str) -> list[AngleRates]:
    """Angles and rates of every ball joint, free joint and floating body, for the velocities in `at`."""
    out = []
    for owner, kernel in rotations_of(system):
        i, j = kernel.carriers[0]
        P, Q = at.R[i] @ kernel.first[0], at.R[j] @ kernel.second[0]
        omega = P.T @ (at.R[j] @ at.w[j] - at.R[i] @ at.w[i])
        angle = angles_of(P.T @ Q, sequence)
        rate, null, rest = rates_of(angle, omega, sequence)
        out.append(AngleRates(owner, angle, rate, null, rest))
    return out


def rotations_of(system: System) -> list[tuple[str, RotationComponent]]:
    """Owner and kernel (of one component) of every three-dimensional relative rotation among the named measures."""
    found: dict[int, tuple[str, RotationComponent]] = {}
    for kernel, positions in system.named.batches:
        if isinstance(kernel, RotationComponent):
            for k, position in enumerate(positions.tolist()):
                owner, _, label = system.names[position].rpartition(".")
                if label == "rx":
                    found[position] = (owner, kernel.take(np.array([k])))
    return [found[position] for position in sorted(found)]


def axes_of(angle: np.ndarray, sequence: str) -> np.ndarray:
    """E (3, 3): axis of each angle in the first frame."""
    R = np.eye(3)
    columns = []
    for letter, a in zip(sequence, angle, strict=True):
        axis = np.eye(3)["xyz".index(letter)]
        columns.append(R @ axis)
        R = R @ about_axis(axis, a)
    return np.stack(columns, axis=1)


def angles_of(R: np.ndarray, sequence: str) -> np.ndarray:
    """Angles of an intrinsic sequence; where it is singular the third is zero."""
    i, j, k = ("xyz".index(letter) for letter in sequence)
    sign = 1.0 if (i, j) in ((0, 1), (1, 2), (2, 0)) else -1.0
    if i == k:  # R_ii = cos b
        third = 3 - i - j
        b = np.arctan2(np.hypot(R[i, j], R[i, third]), R[i, i])
        a = np.arctan2(R[j, i], -sign * R[third, i])
        locked = np.hypot(R[j, i], R[third, i]) < 1e-9
    else:  # R_ik = sign sin b
        b = np.arctan2(sign * R[i, k], np.hypot(R[i, i], R[i, j]))
        a = np.arctan2(-sign * R[j, k], R[k, k])
        locked = np.hypot(R[j, k], R[k, k]) < 1e-9
    axis = np.eye(3)
    if locked:  # only a combination of a and c is defined: R R2(b)^T = R1(a), c = 0
        Ra = R @ about_axis(axis[j], b).T
        p, q = (i + 1) % 3, (i + 2) % 3
        return np.array([np.arctan2(Ra[q, p], Ra[p, p]), b, 0.0])
    Rc = (about_axis(axis[i], a) @ about_axis(axis[j], b)).T @ R
    p, q = (k + 1) % 3, (k + 2) % 3
    return np.array([a, b, np.arctan2(Rc[q, p], Rc[p, p])])


def rates_of(angle: np.ndarray, omega: np.ndarray, sequence: str) -> tuple[np.ndarray, np.ndarray | None, float]:
    """Angle rates of least norm, null vector where singular, and what of the angular velocity they cannot give."""
    E = axes_of(angle, sequence)
    U, s, V = np.linalg.svd(E)
    locked = s[-1] < LOCKED
    keep = 2 if locked else 3
    rate = V[:keep].T @ ((U[:, :keep].T @ omega) / s[:keep])
    if not locked:
        return rate, None, 0.0
    null = V[-1] / (np.sign(V[-1][np.argmax(np.abs(np.round(V[-1], 12)))]) or 1.0)
    return rate, np.where(np.abs(null) < 1e-14, 0.0, null), float(np.abs(U[:, 2] @ omega))
