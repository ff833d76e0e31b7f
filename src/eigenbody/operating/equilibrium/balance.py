"""Forces at rest: what the constraints cannot carry, and the exact tangents of that."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from eigenbody.dynamics.algebraic import Response
from eigenbody.dynamics.mechanics import Mechanics
from eigenbody.linearization.point import ROUNDED, SAMPLES
from eigenbody.linearization.rows import algebraic_rows, fed_back
from eigenbody.mobility.multipliers import Multipliers
from eigenbody.mobility.partition import Selection
from eigenbody.mobility.projection import held_rows
from eigenbody.numerics.matrices.assembly import Triplets
from eigenbody.numerics.matrices.linear import DENSE_LIMIT, Saddle, matrix
from eigenbody.system.state import State, spread
from eigenbody.system.system import System

SMALL = 1e-6  # imbalance below which rounding is looked at
BALANCED = 1e-10  # imbalance of a body relative to the forces on it, at which it rests


@dataclass(frozen=True)
class Balance:
    """Forces f on a mechanism at rest, split into what the constraints carry and what would accelerate it.

    f = H^T multipliers + M a with H a = 0: the multipliers leave the least imbalance in the metric of M^-1, and `a` is
    the free acceleration of the bodies (nq,).
    """

    system: System
    state: State
    chosen: Selection
    M: Any  # the metric: mass matrix made positive definite

    @cached_property
    def mechanics(self) -> Mechanics:
        still = self._still
        return still.with_algebraic(self._algebraic(still)) if self.system.algebraic else still

    @cached_property
    def _still(self) -> Mechanics:
        return Mechanics(self.system, self.state)

    def _algebraic(self, still: Mechanics) -> np.ndarray:
        """What expressions read where nothing accelerates: reactions are what the constraints carry."""
        variables, none = still.algebraic, np.zeros(self.held.shape[0])
        without = Multipliers.of(self.system, self.chosen, self._metric.solve(still.blind().driving, none)[1])
        pushes = variables.pushes()
        answers = [self._metric.solve(np.ascontiguousarray(push), none)[1] for push in pushes.T]
        pull = np.stack(answers, axis=-1) if answers else np.zeros((len(none), 0))
        m = Multipliers.of_columns(self.system, self.chosen, pull)
        Y = variables.through(Response(np.zeros_like(pushes), m.held, m.slip))
        return variables.solved(variables.values(without.held, without.slip), Y)

    @cached_property
    def held(self) -> Any:
        return held_rows(self._still, self.chosen)

    @cached_property
    def force(self) -> np.ndarray:
        return self.mechanics.driving

    @cached_property
    def _metric(self) -> Saddle:
        return Saddle(self.M, self.held)

    def free(self, force: np.ndarray) -> np.ndarray:
        """Acceleration of the free motion under a force."""
        return self._metric.solve(force, np.zeros(self.held.shape[0]))[0]

    @cached_property
    def _split(self) -> tuple[np.ndarray, np.ndarray]:
        none = np.zeros(self.held.shape[0])
        a, carried = self._metric.solve(self.force, none)
        rest = self.force - self.M @ a - self.held.T @ carried
        more_a, more = self._metric.solve(rest, -(self.held @ a))  # refined: the balance is judged by rounding
        return a + more_a, carried + more

    @property
    def acceleration(self) -> np.ndarray:
        return self._split[0]

    @cached_property
    def multipliers(self) -> tuple[np.ndarray, np.ndarray]:
        """Of all holonomic rows and all slip rows."""
        m = Multipliers.of(self.system, self.chosen, self._split[1])
        return m.held, m.slip

    def size(self, a: np.ndarray) -> float:
        """Size of an acceleration in the metric of M."""
        return float(np.sqrt(max(a @ (self.M @ a), 0.0)))

    @cached_property
    def imbalance(self) -> float:
        """Largest force left on a body, relative to the forces that act on it."""
        if self.raw_imbalance >= SMALL:
            return self.raw_imbalance
        return self._relative(np.maximum(self._left - self._rounding, 0.0))

    @cached_property
    def raw_imbalance(self) -> float:
        """The same with what rounding alone makes of it in stiff laws."""
        return self._relative(self._left)

    @cached_property
    def _left(self) -> np.ndarray:
        return np.abs(self.force - self.held.T @ self._split[1])

    def _relative(self, force: np.ndarray) -> float:
        system = self.system
        pulled = spread(system, self.mechanics.force_size(*self.multipliers))
        unit = np.repeat((1.0, 1.0 / system.length), 3)
        own = (pulled * unit).max(axis=-1, initial=0.0)
        scale = own + 1e-5 * own.max(initial=0.0) + 1e-3 * np.abs(system.mass) * system.length
        left = (spread(system, force) * unit).max(axis=-1, initial=0.0)
        return float((left / np.where(scale > 0, scale, 1.0)).max(initial=0.0))

    @property
    def _rounding(self) -> np.ndarray:
        """Imbalance (nq,) that the rounding of the positions alone makes: in stiff laws, and on the bodies to which
        joints hand these forces on."""
        reach = max(float(np.abs(self.state.r).max(initial=0.0)), self.system.length)
        own = ROUNDED * np.finfo(float).eps * (abs(self.stiffness) @ np.where(self.system.is_angular, 1.0, reach))
        rng, none = np.random.default_rng(5), np.zeros(self.held.shape[0])
        left = own
        for _ in range(SAMPLES):
            force = own * rng.choice((-1.0, 1.0), len(own))
            left = np.maximum(left, np.abs(force - self.held.T @ self._metric.solve(force, none)[1]))
        return left

    # First-order states -----------------------------------------------------------------------------------------
    @cached_property
    def rate(self) -> np.ndarray:
        """x' of the first-order states."""
        return np.asarray(self.mechanics.applied.state_rate(), dtype=float)

    @cached_property
    def pull(self) -> np.ndarray:
        """(states,) acceleration that a unit of each state makes, in the metric of M."""
        if not len(self.rate):
            return np.zeros(0)
        squares = self.by_state.T**2 if isinstance(self.by_state, np.ndarray) else self.by_state.T.power(2)
        return np.sqrt(squares @ (1.0 / self.M.diagonal()))

    # Tangents ---------------------------------------------------------------------------------------------------
    @property
    def is_sparse(self) -> bool:
        return self.system.nq > DENSE_LIMIT

    @cached_property
    def stiffness(self) -> Any:
        n = self.system.nq
        return matrix(self.mechanics.stiffness(*self.multipliers), (n, n), self.is_sparse)

    @cached_property
    def by_state(self) -> Any:
        """dQ/dx (nq, states)."""
        return matrix(self.mechanics.applied.state_matrix(), (self.system.nq, len(self.rate)), self.is_sparse)

    @cached_property
    def rate_by(self) -> tuple[Any, Any]:
        """Derivatives of x' by q (states, nq) and by x (states, states)."""
        applied, columns = self.mechanics.applied, self.system.forces.measures.columns
        by_q: list[Triplets] = []
        by_x: list[Triplets] = []
        for i, signal in enumerate(self.system.forces.state_rates):
            for argument, slope in signal.partials(applied.now):
                row, j = np.array([i]), argument.index
                if argument.kind == "x":
                    by_x.append(Triplets(row, np.array([j]), np.array([float(slope)])))
                elif argument.kind == "s":
                    by_q.append(Triplets.of_rows(row, columns[[j]], slope * applied.jet.gradient[[j]]))
        nx = len(self.rate)
        return matrix(by_q, (nx, self.system.nq), self.is_sparse), matrix(by_x, (nx, nx), self.is_sparse)

    @cached_property
    def _rate_by_readings(self) -> np.ndarray:
        """Derivative of x' by the algebraic variables (states, variables)."""
        out = np.zeros((len(self.rate), len(self.system.algebraic)))
        for i, signal in enumerate(self.system.forces.state_rates):
            for argument, slope in signal.partials(self.mechanics.applied.now):
                if argument.kind == "z":
                    out[i, argument.index] += float(slope)
        return out

    @property
    def size_of_readings(self) -> np.ndarray:
        """(states,) what forces of the size that there are here make of x' through what states read of them."""
        if not self.system.algebraic:
            return np.zeros(len(self.rate))
        force = float(self.mechanics.force_size(*self.multipliers).max(initial=0.0))
        heavy = float(self.M.diagonal().max(initial=0.0)) or 1.0
        size = [force / heavy if variable.channel >= 0 else force for variable in self.system.algebraic]
        return np.abs(self._rate_by_readings) @ np.array(size)

    @cached_property
    def _readings(self) -> tuple[Any, Any, np.ndarray]:
        """How forces and rates of states (nq + states) follow what they read: by q and x, by the multipliers of the
        chosen rows, and by the present ones of these."""
        read = algebraic_rows(self.mechanics, Multipliers(*self.multipliers), self.chosen, self.is_sparse)
        onto = [*self.mechanics.applied.algebraic_matrix()]
        nq, nx, nz = self.system.nq, len(self.rate), len(self.system.algebraic)
        row, column = np.nonzero(self._rate_by_readings)
        onto.append(Triplets(nq + row, column, self._rate_by_readings[row, column]))
        Q_z = matrix(onto, (nq + nx, nz), self.is_sparse)
        by, pulled = fed_back(Q_z, read, _beside(read.q, read.x), read.multipliers)
        return by, pulled, pulled @ self._split[1]

    def step(self, tau: float, force: np.ndarray, rate: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """dq and dx of [M/tau + K, -X; -g_q, 1/sqrt(tau) - g_x] with the held rows at rest."""
        A, H, both = self.M / tau + self.stiffness, self.held, force
        nx = len(rate)
        if nx:
            (by_q, by_x), one = self.rate_by, np.eye(nx) / np.sqrt(tau)
            A = _stacked(_beside(A, -self.by_state), _beside(-by_q, one - by_x))
            H = _beside(H, _none_like(H, nx))
            both = np.concatenate((force, rate))
        pull = None
        if self.system.algebraic:
            by, pulled, present = self._readings
            A, pull, both = A - by, H.T - pulled, both - present
        found = refined(A, H, both, pull)
        return found[: self.system.nq], found[self.system.nq :]


def _beside(left: Any, right: Any) -> Any:
    """Two matrices side by side, dense or sparse as the first is."""
    if isinstance(left, np.ndarray):
        return np.hstack((left, right))
    from scipy.sparse import csc_array, hstack

    return hstack((left, csc_array(right)), format="csc")


def _stacked(upper: Any, lower: Any) -> Any:
    if isinstance(upper, np.ndarray):
        return np.vstack((upper, lower))
    from scipy.sparse import vstack

    return vstack((upper, lower), format="csc")


def _none_like(matrix: Any, columns: int) -> np.ndarray:
    return np.zeros((matrix.shape[0], columns))


def refined(A: Any, H: Any, f: np.ndarray, pull: Any = None) -> np.ndarray:
    """x of A x + H^T y = f, H x = 0, to rounding: rows of H are brought to the size of A, and the solution is refined.
    `pull` stands in place of H^T where forces read what the constraints carry.

    Stiff laws feel it when a step leaves the constraints by more than that.
    """
    largest = (float(np.abs(A).max()) if isinstance(A, np.ndarray) else float(abs(A).max())) or 1.0
    H, pull = H * largest, (H.T if pull is None else pull) * largest
    saddle = Saddle(A, H, pull)
    x, y = saddle.solve(f, np.zeros(H.shape[0]))
    for _ in range(2):
        more_x, more_y = saddle.solve(f - A @ x - pull @ y, -(H @ x))
        x, y = x + more_x, y + more_y
    return x
