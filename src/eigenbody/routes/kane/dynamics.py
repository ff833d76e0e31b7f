"""Kane's equations of a tree and what they answer: forward, inverse and mixed dynamics (Passerello & Huston, ch. III),
and the jump of all speeds by impulses (ch. IV).

A_rj x_j'' = f_r + F_r                                                            (3.27)
A_rj = m_i V_ijk V_irk + I_ikn omega_ijn omega_irk                                (3.28)
f_r = -(m_i a_ik V_irk + I_ikn alpha_in omega_irk + e_nmk omega_in I_iml omega_il omega_irk)      (3.29, corrected)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np

from eigenbody.base.errors import ComputationError
from eigenbody.model.description import Description
from eigenbody.routes.base import Place
from eigenbody.routes.joints import armatures
from eigenbody.routes.kane.active import ActiveForces
from eigenbody.routes.kane.arrays import Arrays, arrays_at
from eigenbody.routes.kane.environment import Now
from eigenbody.routes.kane.flexible import FlexibleMass, flexible_masses
from eigenbody.routes.kane.prescribed import Prescribed, held_body, independent_rows, prescribed, rows_of
from eigenbody.routes.kane.rows import Law, Row
from eigenbody.routes.kane.tree import Tree, tree_of
from eigenbody.spatial.rotations import apply, cross

_SINGULAR = 1e-12  # reciprocal condition of the scaled mass matrix
_ENTRIES = 1_000_000  # of one array at once: states are handled in chunks


class Mixed(NamedTuple):
    """Accelerations (n,) of all coordinates and the forces (m,) that the prescribed rows need."""

    acceleration: np.ndarray
    force: np.ndarray


class ChainSystem:
    """A model as a general chain system: its charts at a place, its arrays, its equations of motion.

    Coordinates `x` (n,) are deviations from the place: turns and slides in the order of `tree.coordinates`. `laws` take
    the place of the motions that the model prescribes, in their order; `inputs` of the constant ones of the place;
    `holds` are bodies, by name and number, that stay where they are.
    """

    def __init__(
        self,
        description: Description,
        place: Place,
        laws: Sequence[Law] | None = None,
        inputs: Callable[[float], np.ndarray] | None = None,
        holds: Sequence[tuple[str, int]] = (),
    ) -> None:
        self.description, self.place = description, place
        self.tree: Tree = tree_of(description, place)
        self.active = ActiveForces(description, place)
        self.flexible: tuple[FlexibleMass, ...] = flexible_masses(description, self.tree, place)
        self.holds = tuple(held_body(place, *hold) for hold in holds)
        own = rows_of(description, place, self.tree, self.active.measures, laws)
        self.constraints: tuple[Row, ...] = (*own, *self.holds)
        self._inputs = inputs
        rigid = np.ones(len(description.bodies))
        rigid[[body.frame for body in self.flexible]] = 0.0
        self._mass = description.bodies.mass * rigid
        self._body_inertia = description.bodies.inertia * rigid[:, None, None]

    @cached_property
    def speeds(self) -> np.ndarray:
        """Rates (n,) of the coordinates at the place, from the velocities of the bodies."""
        if self.place.is_at_rest:
            return np.zeros(self.tree.count)
        here = self.arrays(np.zeros((1, self.tree.count)), np.zeros((1, self.tree.count)))
        count = self.tree.count
        columns = np.concatenate([here.V[0, :, :-1].reshape(count, -1), here.W[0, :, :-1].reshape(count, -1)], axis=1)
        turning = apply(self.place.R, self.place.w)
        moving = np.concatenate([self.place.v.ravel(), turning.ravel()])
        return np.linalg.lstsq(columns.T, moving, rcond=None)[0]

    def arrays(self, x: np.ndarray, speeds: np.ndarray) -> Arrays:
        """Partial velocities and their rates at coordinates and speeds (b, n)."""
        return arrays_at(self.tree, len(self.description.bodies), x, speeds)

    def now(self, t: float) -> Now:
        """A time, and the inputs then."""
        return Now(t, np.asarray(self.place.inputs if self._inputs is None else self._inputs(t), dtype=float))

    # ---- the terms of the equations

    def mass(self, arrays: Arrays) -> np.ndarray:
        """A_rj (b, n, n), Eq. 3.28; one state at a time where bodies are flexible."""
        inertia = self._inertia(arrays)
        V, W = arrays.V[:, :, :-1], arrays.W[:, :, :-1]
        moment = np.einsum("bikn,bjin->bjik", inertia, W)
        heavy = self._mass[:, None] * V
        total = _pairs(heavy, V) + _pairs(moment, W)
        for body in self.flexible:
            total = total + body.mass(arrays)
        return total + np.diag(self._armature)

    def inertia_forces(self, arrays: Arrays, acceleration: np.ndarray | None = None) -> np.ndarray:
        """-F_r* (b, n), Eq. 3.26, with the given x'' (n,) or with none: then it is -f_r of Eq. 3.29."""
        a, alpha = arrays.a[:, :-1], arrays.alpha[:, :-1]
        if acceleration is not None:
            a, alpha = a + (given := arrays.accelerated(acceleration))[0][:, :-1], alpha + given[1][:, :-1]
        inertia, omega = self._inertia(arrays), arrays.omega[:, :-1]
        torque = apply(inertia, alpha) + cross(omega, apply(inertia, omega))
        force = self._mass[:, None] * a
        total = arrays.generalized(force, torque)
        for body in self.flexible:
            total = total + body.inertia(arrays, acceleration)
        return total if acceleration is None else total + self._armature * acceleration

    @cached_property
    def _armature(self) -> np.ndarray:
        """Inertia on the coordinates themselves (n,)."""
        known = armatures(self.description)
        return np.array([known.get(name, 0.0) for name in self.tree.coordinates])

    def active_forces(self, arrays: Arrays, states: np.ndarray | None = None, t: float | None = None) -> np.ndarray:
        """F_r (b, n), external and internal; first-order states (b, m), else those of the place."""
        states = self.place.x[None] if states is None else states
        total = self.active(arrays.at, arrays.fields, states, self.now(self.place.t if t is None else t))
        for body in self.flexible:
            total = total + body.elastic(arrays) + body.weight(arrays, self.description.gravity)
        return total

    def state_rates(self, arrays: Arrays, states: np.ndarray, t: float | None = None) -> np.ndarray:
        """Rates (b, m) of the first-order states."""
        return self.active.state_rates(arrays.at, arrays.fields, states, self.now(self.place.t if t is None else t))

    def _inertia(self, arrays: Arrays) -> np.ndarray:
        """Inertia tensors (b, N, 3, 3) in inertial axes, Eq. 3.24."""
        S = arrays.at.R[:, 0, :-1]
        return S @ self._body_inertia @ np.swapaxes(S, -1, -2)

    # ---- rows on the speeds

    @cached_property
    def kept(self) -> np.ndarray:
        """(m,) numbers of the rows that are independent at the place, holonomic ones before others; what the others
        hold is held already (a car on four wheels)."""
        holonomic = np.concatenate([np.zeros(0, dtype=bool), *(self._is_holonomic(row) for row in self.constraints)])
        order = np.argsort(~holonomic, kind="stable")
        return np.sort(order[independent_rows(self._all_rows(self.here)[0][order])])

    def _is_holonomic(self, row: Row) -> np.ndarray:
        return np.full(len(row.names), row.gap(self.here, self.place.t) is not None)

    def _all_rows(self, arrays: Arrays) -> np.ndarray:
        parts = [row.gradient(arrays) for row in self.constraints]
        return np.concatenate([np.zeros((len(arrays.x), 0, self.tree.count)), *parts], axis=1)

    @property
    def row_names(self) -> tuple[str, ...]:
        """What each row holds."""
        names = [name for row in self.constraints for name in row.names]
        return tuple(names[i] for i in self.kept)

    def gradient(self, arrays: Arrays) -> np.ndarray:
        """G (b, m, n) of the independent rows."""
        return self._all_rows(arrays)[:, self.kept]

    def bias(self, arrays: Arrays) -> np.ndarray:
        """G' x' (b, m)."""
        parts = [row.bias(arrays) for row in self.constraints]
        return np.concatenate([np.zeros((len(arrays.x), 0)), *parts], axis=1)[:, self.kept]

    def given(self, t: float) -> tuple[np.ndarray, np.ndarray]:
        """G x' (m,) and (G x')' (m,) as prescribed."""
        rates, seconds = zip(*(row.given(t) for row in self.constraints), strict=True) if self.constraints else ((), ())
        return np.concatenate([np.zeros(0), *rates])[self.kept], np.concatenate([np.zeros(0), *seconds])[self.kept]

    def gap(self, arrays: Arrays, t: float) -> np.ndarray:
        """What the holonomic ones of the independent rows leave open (b, h), up to a constant."""
        found = [(row, row.gap(arrays, t)) for row in self.constraints]
        parts = [np.full((len(arrays.x), len(row.names)), np.nan) if gap is None else gap for row, gap in found]
        return np.concatenate([np.zeros((len(arrays.x), 0)), *parts], axis=1)[:, self.kept][:, self.is_holonomic]

    @cached_property
    def is_holonomic(self) -> np.ndarray:
        """(m,) bool, of the independent rows."""
        found = [self._is_holonomic(row) for row in self.constraints]
        return np.concatenate([np.zeros(0, dtype=bool), *found])[self.kept]

    def forces_of_rows(self, force: np.ndarray) -> list[np.ndarray]:
        """Forces (m,) of the independent rows, row by row of `constraints`; zero where one is not independent."""
        sizes = [len(row.names) for row in self.constraints]
        whole = np.zeros(sum(sizes))
        whole[self.kept] = force
        return np.split(whole, np.cumsum(sizes)[:-1]) if sizes else []

    @cached_property
    def prescribed(self) -> Prescribed:
        """The rows at the place: which accelerations they give and which motions they leave."""
        given = self.given(self.place.t)[1] - self.bias(self.here)[0]
        preferred = [i for i, name in enumerate(self.tree.coordinates) if name in self.place.velocities]
        return prescribed(self.gradient(self.here)[0], given, preferred)

    # ---- what they answer at the place

    @cached_property
    def here(self) -> Arrays:
        """The arrays at the place."""
        return self.arrays(np.zeros((1, self.tree.count)), self.speeds[None])

    def forward(self) -> np.ndarray:
        """Accelerations x'' (n,) of all coordinates under the model's forces, prescribed motions held."""
        return self.mixed(self.prescribed).acceleration

    def inverse(self, acceleration: np.ndarray) -> np.ndarray:
        """Forces (n,) along the coordinates that this motion needs beyond those of the model."""
        return (self.inertia_forces(self.here, acceleration) - self.active_forces(self.here))[0]

    def mixed(self, prescribed: Prescribed) -> Mixed:
        """Some accelerations given, the forces that they need unknown (3.30), (3.31)."""
        N, given = prescribed.free, prescribed.particular
        A = self.mass(self.here)[0]
        load = (self.active_forces(self.here) - self.inertia_forces(self.here))[0]
        reduced = N.T @ A @ N
        self.refuse_singular(reduced, N)
        acceleration = given + N @ np.linalg.solve(reduced, N.T @ (load - A @ given))
        if not len(prescribed.rows):
            return Mixed(acceleration, np.zeros(0))
        needed = A @ acceleration - load
        return Mixed(acceleration, np.linalg.lstsq(prescribed.rows.T, needed, rcond=None)[0])

    def jump(self, impulse: np.ndarray) -> np.ndarray:
        """Jump (n,) of the speeds by generalized impulses (n,), Eq. 4.9: A dx' = I in the motions that rows leave."""
        N = self.prescribed.free
        reduced = N.T @ self.mass(self.here)[0] @ N
        self.refuse_singular(reduced, N)
        return N @ np.linalg.solve(reduced, N.T @ impulse)

    def refuse_singular(self, A: np.ndarray, N: np.ndarray) -> None:
        """1-2-3 angles at 90 degrees, or a freedom without inertia."""
        size = np.sqrt(np.abs(np.diag(A)))
        scaled = A / np.maximum(np.outer(size, size), np.finfo(float).tiny)
        if len(A) and (not np.all(size) or np.linalg.eigvalsh(scaled)[0] < _SINGULAR):
            worst = int(np.argmin(size)) if not np.all(size) else int(np.abs(np.linalg.eigh(scaled)[1][:, 0]).argmax())
            name = self.tree.coordinates[int(np.abs(N[:, worst]).argmax())]
            raise ComputationError(
                f"kane: the mass matrix of the tree is singular: nothing with inertia moves along {name}. "
                "Give the body an inertia, or hold the coordinate."
            )

    def residual(
        self, x: np.ndarray, speeds: np.ndarray, states: np.ndarray, acceleration: np.ndarray, force: np.ndarray
    ) -> np.ndarray:
        """At many states with the same x'' (n,) and forces in the rows (m,): A x'' - f - F - G^T force, minus the rates
        of first-order states, G x', and G x'' + G' x'; (b, n + states + 2 m)."""
        count = max(1, _ENTRIES // (3 * (len(self.description.bodies) + 1) * max(1, self.tree.count)))
        parts = []
        for start in range(0, len(x), count):
            some = slice(start, start + count)
            arrays, inner = self.arrays(x[some], speeds[some]), states[some]
            G = self.gradient(arrays)
            balance = self.inertia_forces(arrays, acceleration) - self.active_forces(arrays, inner) - force @ G
            held = np.einsum("bmn,bn->bm", G, speeds[some]), G @ acceleration + self.bias(arrays)
            parts.append(np.hstack([balance, -self.state_rates(arrays, inner), *held]))
        return np.concatenate(parts)


def _pairs(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Sums over bodies and axes (b, j, ...), (b, r, ...) -> (b, r, j)."""
    b, n = left.shape[:2]
    return right.reshape(b, n, -1) @ np.swapaxes(left.reshape(b, n, -1), 1, 2)
