"""Patterns of blades in words: collective, whirling forward or backward, differential; flap, lag or torsion.

Energies decide, of the coordinates of the rotor alone: what the blades do relative to a hub that is carried along.
A mode in which the support has more of it keeps the label that its bodies give it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from eigenbody.linearization.model import LinearModel
from eigenbody.linearization.multiblade import MultiBlade
from eigenbody.operating.turning.frame import TurningFrame
from eigenbody.operating.turning.observer import turning_bodies
from eigenbody.operating.turning.symmetry import PLACE, RotorMotion, rotor_motion
from eigenbody.spatial.rotations import cross

if TYPE_CHECKING:
    from eigenbody.analyses.modes.result import Modes

SAME = 1e-9  # relative: eigenvalues that are repeated
WHIRLS = 0.2  # excess of one sense over the other, as share of both, that makes a whirl
MOTIONS = ("lag", "flap", "torsion")


@dataclass(frozen=True, slots=True)
class BladePattern:
    """What the blades do in one mode.

    label   "forward flap"; "" where the support moves more than the blades, or nothing oscillates or decays
    order   of the pattern: how often it goes round the rotor, 0 for all blades alike
    sense   from -1 to 1: excess of patterns that go round with the spin over those that go against it
    share   of the kinetic energy that blades have, relative to the hub
    """

    label: str
    order: int
    sense: float
    share: float

    @property
    def whirl(self) -> str:
        """ "forward", "backward" or ""."""
        return "forward" if self.sense > WHIRLS else "backward" if self.sense < -WHIRLS else ""


def blade_patterns(modes: Modes) -> tuple[BladePattern, ...] | None:
    """Of each mode; None where these are no multi-blade coordinates."""
    linear, shape = modes.linear, modes.states_shape
    if linear.blades is None or shape is None:
        return None
    turning = TurningFrame(linear.blades.joint, linear.blades.axis, linear.blades.at, linear.blades.rate)
    along = turning_bodies(linear.point, turning)
    assert along is not None  # the coordinates were found for such a motion
    motion = rotor_motion(linear.point, linear.P, along)
    axes = _blade_axes(linear, linear.blades, motion)
    parts = zip(modes.eigenvalues, shape[:, : len(linear.coordinates)], modes.is_rigid, strict=True)
    return tuple(
        BladePattern("", 0, 0.0, 0.0) if rigid else _pattern(linear, linear.blades, motion, axes, value, z)
        for value, z, rigid in parts
    )


def pure_patterns(linear: LinearModel, values: np.ndarray, is_rigid: np.ndarray, vectors: np.ndarray) -> np.ndarray:
    """Vectors (n, states) in which those of a repeated eigenvalue, which are any that span their space, are patterns of
    one order each: blades alike, and blades that go alternately, often have the same eigenvalue."""
    if linear.blades is None:
        return vectors
    out, n = vectors, len(linear.coordinates)
    size = np.abs(values)
    same = np.abs(values[:, None] - values) <= SAME * (size[:, None] + size)
    for k in range(len(values)):
        group = np.flatnonzero(same[k] & ~is_rigid)
        if len(group) < 2 or group[0] != k:
            continue
        basis = np.linalg.svd(vectors[group], full_matrices=False)[2]  # (m, states)
        orders = sum(order * linear.blades.pattern(order) for order in linear.blades.orders)
        part = np.linalg.lstsq(basis[:, :n].T, orders @ basis[:, :n].T, rcond=None)[0]
        out = out.copy()
        out[group] = np.linalg.eig(part)[1].T @ basis
    return out


def _pattern(
    linear: LinearModel, blades: MultiBlade, motion: RotorMotion, axes: np.ndarray, value: complex, z: np.ndarray
) -> BladePattern:
    own = np.zeros_like(z)
    own[motion.columns] = z[motion.columns]
    mass = linear.M
    rotor, rest = _energy(mass, own), _energy(mass, z - own)
    shares = {n: _energy(mass, blades.pattern(n) @ own) for n in blades.orders}
    by_order = {n: shares[n] + (shares.get(-n, 0.0) if n else 0.0) for n in blades.orders if n >= 0}
    order = max(by_order, key=lambda n: by_order[n])
    pair = order != 0 and 2 * order != blades.count and value.imag != 0
    sense = (shares[order] - shares[-order]) / max(by_order[order], 1e-300) if pair else 0.0
    share = rotor / max(rotor + rest, 1e-300)
    pattern = BladePattern("", order, float(sense), float(share))
    word = _motion_word(motion, axes, own)
    if share < 0.5 or not word:
        return pattern
    kind = "collective" if not order else "differential" if 2 * order == blades.count else pattern.whirl or "cyclic"
    turns = f" of order {order}" if order > 1 and 2 * order != blades.count else ""
    return BladePattern(f"{kind} {word}{turns}", order, float(sense), float(share))


def _energy(mass: np.ndarray, z: np.ndarray) -> float:
    return float(np.real(z.conj() @ mass @ z))


def _blade_axes(linear: LinearModel, blades: MultiBlade, motion: RotorMotion) -> np.ndarray:
    """(rows, 3, 3) directions around, along the axis and outward at each row; zero on the axis."""
    arm = motion.place - blades.at
    out = arm - np.outer(arm @ blades.axis, blades.axis)
    size = np.linalg.norm(out, axis=-1, keepdims=True)
    beside = size > PLACE * linear.point.system.length
    out = np.where(beside, out / np.where(beside, size, 1.0), 0.0)
    axis = np.where(beside, blades.axis, 0.0)
    return np.stack((cross(axis, out), axis, out), axis=1)


def _motion_word(motion: RotorMotion, axes: np.ndarray, z: np.ndarray) -> str:
    """lag in the plane of the rotor, flap out of it, torsion about the blade; "" where only the hub moves."""
    moved = np.einsum("rij,rkjc,c->rki", axes, motion.rows, z[motion.columns])  # around, along, outward
    energy = (np.abs(moved) ** 2 * motion.weight[:, :, None]).sum(axis=0)  # (2, 3)
    lag = energy[0, 0] + energy[0, 2] + energy[1, 1]
    parts = (lag, energy[0, 1] + energy[1, 0], energy[1, 2])
    on_axis = (np.abs(np.einsum("rkjc,c->rkj", motion.rows, z[motion.columns])) ** 2).sum(axis=2) * motion.weight
    if max(parts) <= on_axis[~axes.any(axis=(1, 2))].sum():
        return ""
    return MOTIONS[int(np.argmax(parts))]
