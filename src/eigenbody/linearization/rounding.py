"""What rounding may leave in K, C, Y and Z: the noise against which zeros are told from small numbers.

Three sources, entry by entry (docs/theory/judgement.md has a worked example):

* summands that cancel: each entry is a sum of products, rounded in the size of its largest summands;
* loads: a spring's deflection is a difference of positions, so a stiff spring that is not strained still pulls by
  k times their rounding. That force passes through the joints, and loads bend: it appears in K times curvatures,
  where no stiffness of that size was summed;
* accelerations, which such forces make, in the inertia of a pose varied.

How loads pass on is found by solving with samples of random sign: exact zeros stay zero, nothing is assumed of size.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np

from eigenbody.dynamics.constraints import bent, pull_back
from eigenbody.dynamics.mechanics import Mechanics
from eigenbody.linearization.tangents import Tangents
from eigenbody.linearization.variations import Variations
from eigenbody.numerics.assembly import Part, Product, Triplets, dense_vector
from eigenbody.numerics.linear import factor
from eigenbody.numerics.noise import EPS
from eigenbody.operation.frame import MotionFrame
from eigenbody.operation.point import OperatingPoint, deflection_rounding

ROUNDED = 8  # units in the last place of a sum of a few products
LOADED = 3  # of a force: fewer, since its summands are sampled
DIRECTIONS = (4 * EPS) ** 2  # square of the rounding of a direction
TYPICAL = 0.25  # of the largest rounding of a deflection, which is a sum of many
SAMPLES = 3
SURE = 3.0  # times the largest of the samples


class Rounding:
    """Rounding errors to expect in the linear equations at a point; batch axes may lead."""

    def __init__(self, point: OperatingPoint, frame: MotionFrame, tangents: Tangents, mass: np.ndarray) -> None:
        self._point, self._frame, self._tangents, self._mass = point, frame, tangents, mass
        self._mechanics, self._motion = point.mechanics, point.motion

    def is_still(self) -> bool:
        """Whether the mechanism rests and accelerates by no more than rounding: its true accelerations are zero."""
        acceleration = np.abs(self._motion.acceleration)
        if not self._point.is_at_rest or self._point.system.description.frames or np.iscomplexobj(self._mass):
            return False
        return bool(np.all(acceleration <= SURE * np.abs(self._passed_on[0]).max(axis=-1)))

    def of_forces(self, motion: Variations, K: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Of K, as it was found, and C."""
        t, frame = self._tangents.onto_free(), self._frame
        of_K, size_C = t.sizes(t.stiffness, frame.rounding_of_P()), t.sizes(t.damping, frame.Pv)
        if not frame.has_slips:
            of_K = of_K + of_K.mT  # P stands on both sides
        if np.any(motion.D):
            of_K = of_K + ROUNDED * EPS * t.sizes(t.damping, motion.D)
        if np.any(motion.A_S):
            of_K = of_K + ROUNDED * EPS * t.sizes(t.mass, motion.A_S)
        if np.any(motion.A_W):
            size_C = size_C + t.sizes(t.mass, motion.A_W)
        of_K = of_K + self._of_spin(frame.P.shape[-1], 2)
        if np.any((K != 0) & (np.abs(K) <= DIRECTIONS * np.abs(self._point.system.forces.linear.k).max(initial=0.0))):
            of_K = of_K + DIRECTIONS * t.sizes(_without_direction(t.stiffness), frame.P)
        if self._is_loaded:
            of_K = of_K + t.sizes(self._bending_loads(), frame.P)
            if np.any(motion.A_S):
                of_K = of_K + self._of_accelerations()
        return of_K, ROUNDED * EPS * size_C + self._of_spin(frame.Pv.shape[-1], 1)

    def of_kinematics(self, motion: Variations) -> tuple[np.ndarray, np.ndarray]:
        """Of Y and Z in S' = Y S + Z W; exact without non-holonomic rows."""
        frame = self._frame
        if not frame.has_slips:
            none = np.zeros((frame.positions.count,) * 2)
            return none, none
        rows, turning = frame.position_rows("gradient"), frame.position_rows("rate_q")
        size_Y = abs(turning) @ abs(frame.P) + abs(rows) @ abs(motion.D)
        return ROUNDED * EPS * size_Y, ROUNDED * EPS * (abs(rows) @ abs(frame.Pv))

    @property
    def _is_loaded(self) -> bool:
        """Whether any force is carried, be it only by rounding."""
        motion = self._motion
        return any(
            np.any(force) for force in (self._mechanics.applied.tension, motion.multipliers, motion.acceleration)
        )

    def _of_spin(self, columns: int, order: int) -> np.ndarray:
        """Inertia forces that cancel inside the summands, of the order mass times spin to that power."""
        weight = np.sqrt(np.abs(np.diagonal(self._mass, axis1=-2, axis2=-1)))
        column = weight
        if weight.shape[-1] != columns:
            column = np.repeat(weight.max(axis=-1, keepdims=True, initial=0.0), columns, axis=-1)
        spin = np.asarray(_spin_rate(self._point) ** order)[..., None, None]
        return 2 * ROUNDED * EPS * spin * weight[..., :, None] * column[..., None, :]

    @cached_property
    def _tension(self) -> np.ndarray:
        """Error of the force along every channel: slopes times the rounding of deflections and rates, and its own."""
        forces, applied = self._point.system.forces, self._mechanics.applied
        law, channels = forces.linear, forces.measures.count
        s, v = TYPICAL * deflection_rounding(self._mechanics, of_modes=False), self._rate_rounding()
        out = dense_vector(law.i, np.abs(law.k) * s[..., law.j] + np.abs(law.c) * v[..., law.j], channels)
        for channel, argument, slope in applied.slopes:
            if argument.kind in "sv":
                own = np.abs(slope) * (s if argument.kind == "s" else v)[..., argument.index]
                out = out + dense_vector(np.array([channel]), own[..., None], channels)
        return out + LOADED * EPS * np.abs(applied.tension)

    def _rate_rounding(self) -> np.ndarray:
        """Error of the rate of every channel (..., channels)."""
        system, mechanics = self._point.system, self._mechanics
        measures, jet = system.forces.measures, mechanics.applied.jet
        u = np.abs(mechanics.state.velocity(system))
        moved = np.concatenate((u, np.zeros((*u.shape[:-1], 1))), axis=-1)[..., measures.columns]
        return LOADED * EPS * (np.abs(jet.gradient) * moved).sum(axis=-1)

    @cached_property
    def _passed_on(self) -> tuple[np.ndarray, np.ndarray]:
        """Samples (..., nq, samples) of the accelerations and of the constraint forces that errors of the loads make;
        constraint forces of independent rows come first."""
        system, mechanics, frame, motion = self._point.system, self._mechanics, self._frame, self._motion
        size = LOADED * EPS * mechanics.force_size(motion.multipliers, motion.slip_multipliers)
        gradient = np.abs(mechanics.applied.jet.gradient)
        size = size + pull_back(system.forces.measures, gradient, self._tension, system.nq)
        if size.ndim == 1 and self._point.is_equilibrium:  # what is left of the balance is rounding
            size = size + np.abs(mechanics.inertia_times(motion.acceleration))
        force = np.random.default_rng(8).choice((-1.0, 1.0), (system.nq, SAMPLES)) * size[..., None]
        free = np.zeros_like(force)
        if frame.speeds.count:
            free = frame.Pv @ factor(self._mass).solve(frame.Pv.mT @ force)
        return free, frame.at_velocity.solve_transposed(np.asfortranarray(force - self._tangents.M @ free))

    def _bending_loads(self) -> list[Part]:
        """Curvatures times the errors of the forces along them."""
        system, mechanics, frame = self._point.system, self._mechanics, self._frame
        held = SURE * np.abs(self._passed_on[1]).max(axis=-1)
        lead, n, m = held.shape[:-1], len(frame.chosen.rows), len(frame.chosen.slip_rows)
        multipliers, slips = np.zeros((*lead, system.constraints.count)), np.zeros((*lead, system.slips.count))
        multipliers[..., frame.chosen.rows], slips[..., frame.chosen.slip_rows] = held[..., :n], held[..., n : n + m]
        parts: list[Part] = [*bent(system.forces.measures, mechanics.applied.jet, self._tension)]
        parts += bent(
            system.constraints.measures,
            mechanics.holonomic.jet,
            dense_vector(
                system.constraints.measure,
                np.abs(system.constraints.coefficient) * multipliers[..., system.constraints.row],
                system.constraints.measures.count,
            ),
        )
        if system.slips.count:
            parts += mechanics.non_holonomic.stiffness(slips)
        return parts

    def _of_accelerations(self) -> np.ndarray:
        """Of Pv^T M A_S, by the accelerations that errors of the loads make of the mechanism at rest."""
        still = self._inertia_at(np.zeros_like(self._motion.acceleration))  # not zero where frames turn
        samples = [self._inertia_at(sample) for sample in np.moveaxis(self._passed_on[0], -1, 0)]
        return SURE * np.max([np.abs(sample - still) for sample in samples], axis=0)

    def _inertia_at(self, acceleration: np.ndarray) -> np.ndarray:
        """Pv^T M A_S of the mechanism at rest with these accelerations."""
        point, t = self._point, self._tangents.onto_free()
        rest = point.state.with_velocity(point.system, np.zeros_like(point.state.velocity(point.system)))
        accelerated = self._frame.accelerated(Mechanics(point.system, rest, acceleration))
        return t.of(t.mass, Variations(accelerated).A_S)


def _without_direction(parts: Sequence[Part]) -> list[Part]:
    """Products of rows in which every entry counts as much as the largest: a direction is known to rounding only, and
    what is square to it is strained by the square of that."""
    return [
        replace(p, left=_evened(p.left, p.count), right=_evened(p.right, p.count))
        for p in parts
        if isinstance(p, Product)
    ]


def _evened(rows: Triplets, count: int) -> Triplets:
    values = np.abs(rows.values).reshape(*rows.values.shape[:-1], count, -1)
    largest = np.broadcast_to(values.max(axis=-1, keepdims=True), values.shape)
    return replace(rows, values=largest.reshape(rows.values.shape))


def _spin_rate(point: OperatingPoint) -> np.ndarray:
    """How fast things move, in rad/s: rotation, speed in lengths of the mechanism, root of angular acceleration."""
    turning = np.abs(point.motion.acceleration[..., point.system.is_angular]).max(axis=-1, initial=0.0)
    speed = np.abs(point.state.v).max(axis=(-2, -1), initial=0.0) / point.system.length
    return np.sqrt(np.abs(point.state.w).max(axis=(-2, -1), initial=0.0) ** 2 + speed**2 + turning)
