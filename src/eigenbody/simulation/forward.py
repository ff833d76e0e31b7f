"""Forward dynamics at one state after another: accelerations, constraint forces, and the way back to the constraints.

    [M  H^T] [ u']   [Q - h ]
    [H   0 ] [ l ] = [-gamma]      H = [G; N], independent rows only

M is constant for rigid bodies, so that only H, the forces and gamma are evaluated anew (`inertia`).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations
from types import ModuleType
from typing import Any

import numpy as np

from eigenbody.base.errors import ComputationError
from eigenbody.dynamics.algebraic import AlgebraicVariables
from eigenbody.dynamics.constraints import pull_back
from eigenbody.dynamics.forces import AppliedForces
from eigenbody.elements.measures.combined import combines_angles
from eigenbody.elements.measures.features import Carriers
from eigenbody.mobility.partition import Selection
from eigenbody.mobility.treespace import value_set
from eigenbody.numerics.matrices.linear import DENSE_LIMIT
from eigenbody.simulation.algebraic import loop_solved
from eigenbody.simulation.channels import pushing
from eigenbody.simulation.inertia import Inertia, Inertias
from eigenbody.simulation.saddle import DefiniteSaddle, GeneralSaddle, LargeSaddle, ScaledMass, Solver
from eigenbody.simulation.scatter import ChosenRows, DenseRows, SparseSaddlePattern
from eigenbody.spatial.rotations import exp
from eigenbody.system.arguments import Quantities
from eigenbody.system.flattened import Geometry
from eigenbody.system.products import PlainJet
from eigenbody.system.state import State, frames_at
from eigenbody.system.sweep import CompiledSweep, Sweep, sweep_of
from eigenbody.system.system import System
from eigenbody.system.tables import Tables

CLOSED = 1e-14  # relative to the mechanism's length: position rows are closed
ROUNDING = 4 * float(np.finfo(float).eps)  # of an angle, beside its turns
ROUNDS = 12


class Applied(AppliedForces):
    """Applied forces from measures that are evaluated already; `is_blind`: without those that read algebraic
    variables."""

    def __init__(self, system: System, jet: Any, state: State, is_blind: bool = False) -> None:
        self.is_blind = is_blind
        self.system, self._f, self.jet = system, system.forces, jet
        self.now = Quantities(jet.value, jet.rate, state.x, state.u_in, state.t, z=state.z)


@dataclass(frozen=True, slots=True, eq=False)
class Evaluation:
    """Forward dynamics at a state: u' (nq,), multipliers of the chosen rows, x', and the factorized matrix."""

    acceleration: np.ndarray
    multipliers: np.ndarray  # chosen holonomic rows, then chosen slip rows
    state_rate: np.ndarray
    solver: Solver
    algebraic: np.ndarray = field(default_factory=lambda: np.zeros(0))  # z

    def on(self, state: State) -> State:
        """The state with the algebraic variables found."""
        return replace(state, z=self.algebraic) if len(self.algebraic) else state


class Forward:
    """Evaluates a system in the constraint rows of a selection, by NumPy or by compiled `loops`; `reference` keeps
    counted angles continuous."""

    def __init__(self, system: System, chosen: Selection, loops: ModuleType | None = None) -> None:
        self.system, self.loops, self.nq = system, loops, system.nq
        self.is_sparse = self.nq > DENSE_LIMIT
        c, f = system.constraints.measures, system.forces.measures
        self.geometry = Geometry((c, system.slips, f), len(system.places.names), 2, {2: pushing(system)})
        self.is_pushed = bool(pushing(system).any())
        needed = (np.ones(c.count, dtype=bool), pushing(system))
        self._counters = [np.flatnonzero((s.turn_counter >= 0) & use) for s, use in zip((c, f), needed, strict=True)]
        self._near: list[np.ndarray | None] = [None, None]
        self._near_angles: np.ndarray | None = None
        still, count = frames_at(system, 0.0), len(system.places.names)
        r, R, v, w, a, alpha = (np.zeros((count, *part.shape[1:])) for part in (still.r, still.R, *[still.r] * 4))
        self._carriers = Carriers(r, R, v, w, a, alpha, np.zeros_like(system.reference_state().turns))
        self.combines_angles = any(combines_angles(kernel) for s in self.geometry.sets for kernel, _ in s.batches)
        self.counts_forces = self.combines_angles or any(len(index) for index in self._counters)  # or constraints
        self._carriers.r[system.bodies :], self._carriers.R[system.bodies :] = still.r, still.R
        self._carriers.w[system.bodies :], self._carriers.alpha[system.bodies :] = still.w, still.alpha
        self.has_turning_frames = bool(system.description.frames or system.constraints.turned)
        self._inertias = Inertias(system, self.is_sparse)
        self.spread, self.collect = self._inertias.spread, self._inertias.collect  # (nq,) and (bodies, 6)
        self.evaluations = 0
        self.use(chosen)

    # Rows -------------------------------------------------------------------------------------------------------------
    def use(self, chosen: Selection) -> None:
        """Take these rows as the independent ones."""
        self.chosen, self.chosen_rows = chosen, ChosenRows(self.system, chosen)
        self._rows = DenseRows(self.system, chosen) if not self.is_sparse else None
        self._pattern = SparseSaddlePattern(self.system, chosen) if self.is_sparse else None

    def mass(self, state: State) -> Any:
        """M."""
        return self._inertias.mass(state)

    def saddle(self, state: State, gradient: np.ndarray, slips: np.ndarray, mass: Any = None) -> Solver:
        """The matrix [[M, H^T], [H, 0]] factorized; `mass` is M where it is known."""
        own = self._inertias
        if self._pattern is not None:
            return LargeSaddle(self._pattern.matrix(own.entries(state), gradient, slips), self.nq)
        H = self.matrix_of_rows(gradient, slips)
        if own.varies:
            mass = own.at(state, self.loops).mass if mass is None else mass
            return GeneralSaddle(ScaledMass(mass, own.scaled), H)
        return DefiniteSaddle(own.metric, H) if own.metric is not None else GeneralSaddle(own.scaled, H)

    def rows(self, state: State) -> np.ndarray:
        """H (rows, nq) of a system that is not sparse."""
        held, slips, _ = self.jets(state)
        return self.matrix_of_rows(held.gradient, slips.gradient)

    def matrix_of_rows(self, gradient: np.ndarray, slips: np.ndarray) -> np.ndarray:
        """The same from the gradients of all measures and slip rows."""
        assert self._rows is not None
        return self._rows.matrix(gradient, slips)

    def matrices_of_rows(self, gradient: np.ndarray, slips: np.ndarray) -> np.ndarray:
        """The same of several states."""
        assert self._rows is not None
        return self._rows.matrices(gradient, slips)

    # Kinematics -------------------------------------------------------------------------------------------------------
    def carriers(self, state: State) -> Carriers:
        """Poses and velocities, accelerations zero; the arrays are used again by the next call."""
        n, at = self.system.bodies, self._carriers
        if self.has_turning_frames:
            still = frames_at(self.system, state.t)
            at.r[n:], at.R[n:], at.v[n:], at.w[n:], at.alpha[n:] = still.r, still.R, still.v, still.w, still.alpha
        at.r[:n], at.R[:n], at.v[:n], at.w[:n] = state.r, state.R, state.v, state.w
        at.turns[:] = state.turns
        if self._near_angles is not None and self._angles is not None:  # counted where they are numbered: in order
            at.turns[:] = np.round((self._near_angles - self._angles[0].values(at, 0, self.loops)) / (2 * np.pi))
        return Carriers(at.r, at.R, at.v, at.w, at.a, at.alpha, at.turns)  # that knows nothing of the last state

    def jets(self, state: State, levels: int = 3) -> tuple[PlainJet, PlainJet, PlainJet]:
        """Measures of constraints, slip rows and forces; without accelerations if `levels` is 2."""
        held, slips, pushed = self.geometry.jets(self.carriers(state), levels, self.loops)
        held = self._counted(held, self.system.constraints.measures.turn_counter, state, 0)
        return held, slips, self._counted(pushed, self.system.forces.measures.turn_counter, state, 1)

    def _counted(self, jet: PlainJet, counter: np.ndarray, state: State, which: int) -> PlainJet:
        """Add full turns: those of the state, then what brings the angle nearest to where it was last remembered."""
        index = self._counters[which]
        if not len(index):
            return jet
        value = jet.value.copy()
        value[index] = self._unwrapped(value[index] + 2 * np.pi * state.turns[counter[index]], which)
        return PlainJet(value, jet.rate, jet.acceleration, jet.gradient)

    def counted_forces(self, value: np.ndarray, turns: np.ndarray) -> np.ndarray:
        """Values of the force channels (..., n) with full turns added as in `jets`."""
        index, counter = self._counters[1], self.system.forces.measures.turn_counter
        if len(index):
            value = value.copy()
            value[..., index] = self._unwrapped(value[..., index] + 2 * np.pi * turns[counter[index]], 1)
        return value

    def _unwrapped(self, value: np.ndarray, which: int) -> np.ndarray:
        near = self._near[which]
        return value if near is None else value + 2 * np.pi * np.round((near - value) / (2 * np.pi))

    def remember(self, state: State) -> None:
        """Angles in the states that follow are those nearest to the angles here, whose turns are right."""
        if self.counts_forces:
            self._near, self._near_angles = [None, None], None
            self._near_angles = self.angles(state) if self.combines_angles else None
            held, _, pushed = self.jets(state, levels=2)
            self._near = [jet.value[index] for jet, index in zip((held, pushed), self._counters, strict=True)]

    @cached_property
    def _angles(self) -> tuple[Geometry, np.ndarray] | None:
        index = np.flatnonzero(self.system.named.turn_counter >= 0)
        if not len(index):
            return None
        return Geometry((value_set(self.system, index),), len(self.system.places.names)), index

    @cached_property
    def angle_carriers(self) -> np.ndarray:
        """Pairs of carriers (2, n) between which an angle counts turns."""
        if self._angles is None:
            return np.zeros((2, 0), dtype=int)
        kernels = [kernel.carriers for kernel, _ in self._angles[0].sets[0].batches]
        pairs = [carriers[:, [i, j]] for carriers in kernels for i, j in combinations(range(carriers.shape[1]), 2)]
        return np.unique(np.concatenate(pairs), axis=0).T

    def angles(self, state: State) -> np.ndarray:
        """Every angle that counts turns, with the turns of the state."""
        if self._angles is None:
            return np.zeros(0)
        geometry, index = self._angles
        counter = self.system.named.turn_counter[index]
        return geometry.values(self.carriers(state), 0, self.loops) + 2 * np.pi * state.turns[counter]

    def counted(self, before: np.ndarray, after: State) -> State:
        """The state with full turns counted on from the angles `before`."""
        return self.counted_on(before, after)[0]

    def counted_on(self, before: np.ndarray, after: State) -> tuple[State, np.ndarray]:
        """The same, with the angles there."""
        if self._angles is None:
            return after, before
        now = self.angles(after)
        more = np.round((before - now) / (2 * np.pi))
        if not more.any():
            return after, now
        turns = np.array(after.turns)
        turns[self.system.named.turn_counter[self._angles[1]]] += more
        return replace(after, turns=turns), now + 2 * np.pi * more

    # Dynamics ---------------------------------------------------------------------------------------------------------
    def forces(self, own: np.ndarray, applied: AppliedForces) -> np.ndarray:
        """Q - h (nq,); `own` are weight and gyroscopic moments."""
        if not self.is_pushed:
            return own
        return own - pull_back(self.system.forces.measures, applied.jet.gradient, applied.tension, self.nq)

    def inertia(self, state: State) -> Inertia:
        """M and the forces of inertia and weight."""
        return self._inertias.at(state, self.loops)

    def inertias(self, states: State) -> tuple[np.ndarray, np.ndarray]:
        """The same of several states (n, nq, nq) and (n, nq)."""
        return self._inertias.of_many(states, self.loops)

    @property
    def scaled_mass(self) -> ScaledMass:
        """M of bodies without bending, scaled."""
        return self._inertias.scaled

    def inertial(self, state: State, rate: np.ndarray) -> np.ndarray:
        """M u' + h less the weight (nq,)."""
        return self._inertias.times(state, rate, self.loops)

    @cached_property
    def _tables(self) -> Tables:
        return Tables(self.geometry)

    def sweep(self, state: State) -> tuple[Sweep | CompiledSweep, PlainJet, PlainJet, PlainJet]:
        """Values and rates of constraints, slip rows and forces, without gradients."""
        tables = None if self.loops is None else self._tables
        sweep = sweep_of(self.geometry, tables, self.carriers(state), self.loops)
        none = np.zeros(0)
        held, slips, pushed = (PlainJet(s, v, none, none) for s, v in zip(sweep.values, sweep.rates, strict=True))
        held = self._counted(held, self.system.constraints.measures.turn_counter, state, 0)
        return sweep, held, slips, self._counted(pushed, self.system.forces.measures.turn_counter, state, 1)

    def force_measures(self, states: State) -> PlainJet | None:
        """Values and rates (n, channels) of the force channels at n states, by compiled loops; None without them, or
        where some stand in no table."""
        t = self._tables
        if self.loops is None or self.has_turning_frames or self.combines_angles or t.others:
            return None
        at, n = self.carriers(self.system.reference_state()), self.system.bodies
        poses = [np.repeat(part[None], len(states.r), axis=0) for part in (at.r, at.R, at.v, at.w)]
        for part, own in zip(poses, (states.r, states.R, states.v, states.w), strict=True):
            part[:, :n] = own
        measures = np.zeros((len(states.r), 2, t.starts[-1]))
        if not self.loops.swept_many(
            *self.geometry.products.rows, t.plain, t.angles, t.parts, *t.pairs, *poses, measures
        ):
            return None
        value, rate = measures[:, :, t.starts[2] :].swapaxes(0, 1)
        index, counter = self._counters[1], self.system.forces.measures.turn_counter
        value[:, index] += 2 * np.pi * states.turns[:, counter[index]]
        return PlainJet(value, rate, np.zeros(0), np.zeros(0))

    def evaluate(self, state: State, solver: Solver | None = None) -> Evaluation:
        """Accelerations at a state."""
        self.evaluations += 1
        held, slips, pushed = self.jets(state)
        applied, inertia = Applied(self.system, pushed, state), self.inertia(state)
        if solver is None:
            solver = self.saddle(state, held.gradient, slips.gradient, inertia.mass)
        gamma = self.chosen_rows.combined(held.acceleration, state.t, "acceleration")
        if len(self.chosen.slip_rows):
            gamma = np.concatenate((gamma, slips.acceleration[self.chosen.slip_rows]))
        if self.system.algebraic:
            blind = Applied(self.system, pushed, state, is_blind=True)
            without = solver.solve(self.forces(inertia.force, blind), -gamma)
            variables = AlgebraicVariables(self.system, self.carriers(state), held, slips, applied)
            state = replace(state, z=loop_solved(self.system, self.chosen, variables, without, solver.solve))
            applied = Applied(self.system, pushed, state)
        acceleration, multipliers = solver.solve(self.forces(inertia.force, applied), -gamma)
        return Evaluation(acceleration, multipliers, applied.state_rate(), solver, state.z)

    def complete(self, state: State) -> State:
        """The state with its algebraic variables; the same where there are none."""
        return self.evaluate(state).on(state) if self.system.algebraic else state

    # Back to the constraints ------------------------------------------------------------------------------------------
    def _open_by(self, state: State) -> tuple[np.ndarray, float]:
        """Phi of the chosen rows, and the rounding of angles that have counted many turns."""
        value = self.geometry.values(self.carriers(state), 0, self.loops)
        index, rounding = self._counters[0], 0.0
        if len(index):
            counter = self.system.constraints.measures.turn_counter
            value[index] = self._unwrapped(value[index] + 2 * np.pi * state.turns[counter[index]], 0)
            rounding = ROUNDING * self._largest_factor * float(np.abs(value[index]).max())
        return self.chosen_rows.combined(value, state.t, "value"), rounding

    @cached_property
    def _largest_factor(self) -> float:
        return float(np.abs(self.system.constraints.coefficient).max(initial=1.0))

    def closed(self, state: State, solver: Solver | None) -> State:
        """The configuration nearest by mass in which the chosen rows hold; `solver` is one of a state close by."""
        rows, slips = self.chosen.rows, np.zeros(len(self.chosen.slip_rows))
        if not len(rows):
            return state
        before = np.inf
        for _ in range(ROUNDS):
            phi, rounding = self._open_by(state)
            least = CLOSED + rounding / self.system.length
            size = float(np.abs(phi).max()) / self.system.length
            if size < least or (size < 100 * least and size > 0.3 * before):
                return state
            if solver is None or size > 0.1 * before:  # too far away: factorize here
                held, slip, _ = self.jets(state)
                solver = self.saddle(state, held.gradient, slip.gradient)
            before = size
            step, _ = solver.solve(np.zeros(self.nq), np.concatenate((-phi, slips)))
            state = self.moved(state, step)
        raise ComputationError("The constraints cannot be closed any more near the configuration reached.")

    def moved(self, state: State, step: np.ndarray) -> State:
        """State.moved for real steps."""
        r, R = self.placed(state, self.spread(step))
        return replace(state, r=r, R=R)

    def placed(self, state: State, step: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Positions and rotations after steps (bodies, 6)."""
        if self.loops is None:
            return state.r + step[:, :3], state.R @ exp(step[:, 3:])
        r, R = np.array(state.r, order="C"), np.array(state.R, order="C")
        self.loops.move(r, R, step)
        return r, R

    def consistent_by(self, state: State, solver: Solver | None) -> State:
        """The same with the factors of a state close by, in a few rounds."""
        before = np.inf
        for _ in range(ROUNDS):
            held, slips, _ = self.jets(state, levels=2)
            rate = self.chosen_rows.combined(held.rate, state.t, "rate")
            rate = np.concatenate((rate, slips.rate[self.chosen.slip_rows]))
            size = float(np.abs(rate).max(initial=0.0))
            speed = max(float(np.abs(state.v).max(initial=0.0)), float(np.abs(state.w).max(initial=0.0)))
            if size <= 1e-14 * speed or (size < 1e-12 * speed and size > 0.3 * before):
                return state
            if solver is None or size > 0.1 * before:
                return self.consistent(state)[0]
            before = size
            change = self.spread(solver.solve(np.zeros(self.nq), -rate)[0])
            state = replace(state, v=state.v + change[:, :3], w=state.w + change[:, 3:])
        return self.consistent(state)[0]

    def consistent(self, state: State) -> tuple[State, Solver, PlainJet, PlainJet]:
        """The nearest velocities that the constraints allow, and the matrix at this configuration."""
        held, slips, _ = self.jets(state, levels=2)
        solver = self.saddle(state, held.gradient, slips.gradient)
        rate = self.chosen_rows.combined(held.rate, state.t, "rate")
        rate = np.concatenate((rate, slips.rate[self.chosen.slip_rows]))
        if len(rate) and np.any(rate):
            change = self.spread(solver.solve(np.zeros(self.nq), -rate)[0])
            state = replace(state, v=state.v + change[:, :3], w=state.w + change[:, 3:])
        return state, solver, held, slips
