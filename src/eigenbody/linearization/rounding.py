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
from functools import cached_property
from typing import Any

import numpy as np

from eigenbody.dynamics.constraints import bent, pull_back
from eigenbody.dynamics.mechanics import Mechanics
from eigenbody.linearization.point import OperatingPoint, deflection_rounding
from eigenbody.linearization.tangents import Tangents
from eigenbody.linearization.variations import Variations
from eigenbody.mobility.frame import MotionFrame
from eigenbody.numerics.matrices.assembly import Part, Product, Triplets, absolute, dense_vector, sparse
from eigenbody.numerics.matrices.linear import Saddle, factor
from eigenbody.numerics.matrices.noise import EPS
from eigenbody.numerics.matrices.projection import Projection
from eigenbody.numerics.matrices.sparse_noise import SparseNoise
from eigenbody.system.state import spread

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
        if motion.is_moving:
            of_K = of_K + ROUNDED * EPS * t.sizes(t.damping, motion.D)
        if motion.is_accelerated:
            of_K = of_K + ROUNDED * EPS * t.sizes(t.mass, motion.A_S)
        if motion.is_moving:
            size_C = size_C + t.sizes(t.mass, motion.A_W)
        of_C = ROUNDED * EPS * size_C
        if np.any(self._rate):
            of_K, of_C = of_K + self._of_spin(frame.P.shape[-1], 2), of_C + self._of_spin(frame.Pv.shape[-1], 1)
        least, size = DIRECTIONS * np.abs(self._point.system.forces.linear.k).max(initial=0.0), np.abs(K)
        if np.any((size > 0) & (size <= least)):
            of_K = of_K + DIRECTIONS * t.sizes(_without_direction(t.stiffness), frame.P)
        if self._is_loaded:
            of_K = of_K + t.sizes(self._bending_loads(), frame.P)
            if np.any(motion.A_S):
                of_K = of_K + self._of_accelerations(motion)
        return of_K, of_C

    def of_kinematics(self, motion: Variations) -> tuple[np.ndarray, np.ndarray]:
        """Of Y and Z in S' = Y S + Z W; exact without non-holonomic rows."""
        frame = self._frame
        if not frame.has_slips:
            none = np.zeros((frame.positions.count,) * 2)
            return none, none
        rows, turning = frame.position_rows("gradient"), frame.position_rows("rate_q")
        P, Pv, D = abs(frame.P), abs(frame.Pv), abs(motion.D)
        size_Y, size_Z = abs(turning) @ P + abs(rows) @ D, abs(rows) @ Pv
        whole, of_P = abs(frame.rows_at_velocity), frame.rounding_of_P()
        of_Pv = self._sampled(EPS * (whole @ Pv))
        driven = abs(frame.velocity_rows("rate_q"))
        of_D = self._sampled(ROUNDED * EPS * (driven @ P) + driven @ of_P + EPS * (whole @ D))
        noise_Y = ROUNDED * EPS * size_Y + abs(turning) @ of_P + abs(rows) @ of_D
        return noise_Y, ROUNDED * EPS * size_Z + abs(rows) @ of_Pv

    def _sampled(self, size: np.ndarray) -> np.ndarray:
        """Motion that rows at velocity level missed by `size` (..., nq, k) of random sign make."""
        if not np.any(size):
            return np.zeros_like(size)
        signs = np.random.default_rng(10).choice((-1.0, 1.0), (SAMPLES, *size.shape[-2:]))
        samples = [np.abs(self._frame.at_velocity.solve(np.asfortranarray(sign * size))) for sign in signs]
        return SURE * np.max(samples, axis=0)

    @property
    def _is_loaded(self) -> bool:
        """Whether any force is carried, be it only by rounding."""
        motion = self._motion
        return any(
            np.any(force) for force in (self._mechanics.applied.tension, motion.multipliers, motion.acceleration)
        )

    @cached_property
    def _rate(self) -> np.ndarray:
        return spin_rate(self._point)

    def _of_spin(self, columns: int, order: int) -> np.ndarray:
        """Inertia forces that cancel inside the summands, of the order mass times spin to that power."""
        weight = np.sqrt(np.abs(np.diagonal(self._mass, axis1=-2, axis2=-1)))
        column = weight
        if weight.shape[-1] != columns:
            column = np.repeat(weight.max(axis=-1, keepdims=True, initial=0.0), columns, axis=-1)
        spin = np.asarray(self._rate**order)[..., None, None]
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
        system, mechanics, motion = self._point.system, self._mechanics, self._motion
        size = LOADED * EPS * mechanics.force_size(motion.multipliers, motion.slip_multipliers)
        gradient = np.abs(mechanics.applied.jet.gradient)
        size = size + pull_back(system.forces.measures, gradient, self._tension, system.nq)
        if size.ndim == 1 and self._point.is_equilibrium:  # what is left of the balance is rounding
            size = size + np.abs(mechanics.inertia_times(motion.acceleration))
        return self._carried(np.random.default_rng(8).choice((-1.0, 1.0), (system.nq, SAMPLES)) * size[..., None])

    def _carried(self, force: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Accelerations and constraint forces that forces (..., nq, samples) on the bodies make."""
        frame, free = self._frame, np.zeros_like(force)
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

    def accelerations_of_loads(self, frame: MotionFrame) -> np.ndarray | None:
        """Samples (samples, nq) of the accelerations that errors of the loads make, where they are best looked at
        together with the accelerations of the frame: of small mechanisms that leave their rest."""
        system, acceleration = self._point.system, frame.mechanics.acceleration
        if not self._point.is_at_rest or not acceleration.any() or acceleration.ndim > 1:
            return None
        is_alone = frame.is_sparse or system.description.frames or np.iscomplexobj(acceleration)
        return None if is_alone else self._passed_on[0].T

    def _of_accelerations(self, motion: Variations) -> np.ndarray:
        """Of Pv^T M A_S, by the accelerations that errors of the loads make of the mechanism at rest."""
        if motion.A_S_of_others is not None:
            t = self._tangents.onto_free()
            return SURE * np.abs(t.of(t.mass, motion.A_S_of_others)).max(axis=0)
        turning = bool(self._point.system.description.frames)  # else nothing is left without accelerations
        still = self._inertia_at(np.zeros_like(self._motion.acceleration)) if turning else 0.0
        samples = np.moveaxis(self._passed_on[0], -1, 0)
        if self._frame.is_sparse:  # such rows have no batch axes
            found = np.stack([self._inertia_at(sample) for sample in samples])
        else:
            found = self._inertia_at(samples)
        return SURE * np.abs(found - still).max(axis=0)

    def _inertia_at(self, acceleration: np.ndarray) -> np.ndarray:
        """Pv^T M A_S of the mechanism at rest with these accelerations (..., nq)."""
        point, t = self._point, self._tangents.onto_free()
        if point.is_at_rest:
            accelerated = Mechanics(point.system, point.state, acceleration, still=self._mechanics)
        else:
            rest = point.state.with_velocity(point.system, np.zeros(point.system.nq))
            accelerated = Mechanics(point.system, rest, acceleration)
        return t.of(t.mass, Variations(self._frame.accelerated(accelerated)).A_S)


class SparseRounding(Rounding):
    """The same over all coordinates of the bodies, in sparse matrices: nothing is projected on the free motion."""

    def __init__(self, point: OperatingPoint) -> None:
        super().__init__(point, point.frame, Tangents(point, point.frame), np.zeros((0, 0)))

    def noise(self, C: Any) -> SparseNoise:
        """Of dF/dq and dF/du; `C` is dF/du as it was found, with what was added to it."""
        t, spin = self._tangents, self._spin(1)

        def loss(X: np.ndarray) -> np.ndarray:
            return ROUNDED * EPS * (_form(t.damping, X) + X.T @ (abs(C) @ X)) + _form(spin, X)

        return SparseNoise(
            of_summands=lambda: self._size_of(t.stiffness),
            of_loads=self._of_loads,
            of_C=lambda: self._size_of(t.damping) + self._sum(spin) + ROUNDED * EPS * abs(C),
            strain_of_summands=lambda X: ROUNDED * EPS * _form(t.stiffness, X),
            loss=loss,
        )

    def _of_loads(self) -> Any:
        bending = absolute(self._bending_loads()) if self._is_loaded else []
        return self._sum([*bending, *self._spin(2)])

    def _size_of(self, parts: list[Part]) -> Any:
        return ROUNDED * EPS * self._sum(absolute(parts))

    def _sum(self, parts: list[Part]) -> Any:
        return sparse(parts, (self._point.system.nq,) * 2)

    def accelerations(self) -> list[MotionFrame]:
        """The mechanism at rest with accelerations as large as errors of the loads make them; none where none do."""
        if not self._is_loaded:
            return []
        point = self._point
        rest = point.state.with_velocity(point.system, np.zeros_like(point.state.velocity(point.system)))
        samples = (*(SURE * self._passed_on[0]).T, np.zeros(point.system.nq))
        return [MotionFrame(Mechanics(point.system, rest, sample), point.chosen) for sample in samples]

    def _carried(self, force: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        from scipy.sparse import csc_array

        rows = csc_array(self._frame.held("gradient"))
        saddle = Saddle(sparse(self._tangents.mass, (len(force),) * 2), rows)
        return saddle.solve(force, np.zeros((rows.shape[0], force.shape[1])))

    def _spin(self, order: int) -> list[Part]:
        """Inertia forces that cancel inside the summands of each body, of the order mass times spin to that power."""
        system, state = self._point.system, self._point.state
        turning = np.abs(spread(system, self._motion.acceleration)[:, 3:]).max(axis=-1)
        speed = np.abs(state.v).max(axis=-1) / system.length
        spin = np.sqrt(np.abs(state.w).max(axis=-1) ** 2 + speed**2 + turning)[: system.bodies] ** order
        if not np.any(spin):
            return []
        inertia = np.diagonal(system.inertia, axis1=-2, axis2=-1)
        weight = np.sqrt(np.abs(np.hstack((np.repeat(system.mass[:, None], 3, axis=1), inertia))))
        dof = np.where(system.dof < 0, system.nq, system.dof)[: system.bodies]
        values = 2 * ROUNDED * EPS * spin[:, None, None] * weight[:, :, None] * weight[:, None, :]
        return [Triplets.of_blocks(dof, dof, values), *self._spin_of_armature(float(spin.max()))]

    def _spin_of_armature(self, spin: float) -> list[Part]:
        parts: list[Part] = []
        for part in self._point.mechanics.armature:
            columns, size = part.armature.measures.columns, np.abs(part.jet.gradient)
            values = np.abs(part.armature.inertia)[..., None, None] * size[..., :, None] * size[..., None, :]
            parts.append(Triplets.of_blocks(columns, columns, 2 * ROUNDED * EPS * spin * values))
        return parts


def _form(parts: Sequence[Part], X: np.ndarray) -> np.ndarray:
    """X^T A X for X (nq, k) without negative entries and the absolute values A of parts. Of springs, where each acts by
    its own deflection, some are looked at at a time: what they are moved by is larger than X."""
    alone = [p for p in parts if isinstance(p, Product) and p.is_diagonal]
    others = [p for p in parts if not any(p is each for each in alone)]
    out = Projection().sizes(others, X, X) if others else np.zeros((X.shape[1],) * 2)
    return sum((p.size_form(X) for p in alone), start=out)


def _without_direction(parts: Sequence[Part]) -> list[Part]:
    """Products of rows in which every entry counts as much as the largest: a direction is known to rounding only, and
    what is square to it is strained by the square of that. Rows over the same columns are written once."""
    out: list[Part] = []
    for p in parts:
        if isinstance(p, Product) and p.count:
            columns, i, j = _columns_once(*(rows.cols.reshape(p.count, -1) for rows in (p.left, p.right)))
            left, right = (_largest(rows.values, p.count) for rows in (p.left, p.right))
            rows = Triplets.of_rows(np.arange(len(columns)), columns, np.ones(columns.shape))
            out.append(Product(len(columns), i[p.i], j[p.j], p.factor * left[..., p.i] * right[..., p.j], rows, rows))
    return out


def _columns_once(left: np.ndarray, right: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The different rows of two tables of columns (n, w), and the place of the rows of each table among them."""
    both = np.ascontiguousarray(left if np.array_equal(left, right) else np.concatenate((left, right)))
    keys = both.view(np.dtype((np.void, both.itemsize * both.shape[1]))).ravel()
    _, first, place = np.unique(keys, return_index=True, return_inverse=True)
    return both[first], place[: len(left)], place[-len(left) :]


def _largest(values: np.ndarray, count: int) -> np.ndarray:
    """Size of the largest of the values (..., count * w) of each row."""
    return np.abs(values).reshape(*values.shape[:-1], count, -1).max(axis=-1, initial=0.0)


def spin_rate(point: OperatingPoint) -> np.ndarray:
    """How fast things move, in rad/s: rotation, speed in lengths of the mechanism, root of angular acceleration."""
    turning = np.abs(point.motion.acceleration[..., point.system.is_angular]).max(axis=-1, initial=0.0)
    speed = np.abs(point.state.v).max(axis=(-2, -1), initial=0.0) / point.system.length
    return np.sqrt(np.abs(point.state.w).max(axis=(-2, -1), initial=0.0) ** 2 + speed**2 + turning)
