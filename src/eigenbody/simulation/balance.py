"""The energy balance of a run, step by step: what kinetic and potential energy change by is what was fed in.

    T + V = T0 + V0 + int P dt,   P = Q u + dS/dt - (G^T lambda + N^T mu) u

V is the potential of the weight and of linear springs, S that of the springs, Q the force of all elements and inputs;
constraints do work where something moves them (drivers, moving frames). P is integrated by the quadrature of the method
itself, at the nodes of each step. An exact step leaves nothing open, so what a step leaves open is the error it makes
in the energy: errors of the size of the tolerance, against the forces and momenta there, say how much it may be.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from eigenbody.base.errors import EigenbodyError
from eigenbody.dynamics.energy import energy, fed_power
from eigenbody.dynamics.mechanics import Mechanics
from eigenbody.mobility.multipliers import Multipliers
from eigenbody.simulation.forward import Applied, Forward
from eigenbody.simulation.stepping import Node, Step
from eigenbody.system.state import State, stacked_states
from eigenbody.system.system import System

CHUNK, LEAST = 20_000, 200  # poses of bodies evaluated at a time, and states
LARGE = 0.01  # a share of the energy that is said to be missing whatever was asked for
FINEST = 1e-12  # constraints and rotations are met to this, whatever the tolerance
ROUNDING = 1e-14  # of each part of the energy, in each step


@dataclass(frozen=True, slots=True)
class Balance:
    """The largest energy (J) that the balance lacks or has too much over a run, and what to hold it against.

    `scale` is the largest kinetic energy, change of potential energy or work, and not less than the energy of errors of
    the size of the tolerance about a state of rest; `asked` what the tolerance allows (J); `work` what elements other
    than springs, inputs and drivers fed in until the end. `open` says why a balance was not drawn up; its numbers are
    then those up to there.
    """

    defect: float
    scale: float
    asked: float
    work: float
    open: str = ""

    @property
    def relative(self) -> float | None:
        """The defect in shares of the scale, or None where the balance was not closed."""
        if self.open:
            return None
        return self.defect / self.scale if self.scale > 0 else 0.0

    @property
    def is_kept(self) -> bool:
        """Whether the defect is within what was asked for."""
        return bool(self.open) or self.defect <= self.asked


@dataclass(frozen=True, slots=True)
class _Instant:
    """A node of a step, with the loads of all rows where they do work."""

    weight: float
    state: State
    loads: Multipliers | None


class Budget:
    """The balance in the making; `tolerance` None where the step is fixed and nothing was asked for."""

    def __init__(self, system: System, start: State, tolerance: float | None, duration: float) -> None:
        self._system = system
        self._tolerance = None if tolerance is None else max(tolerance, FINEST)
        self._is_fed, self._is_driven = _is_fed(system), _is_driven(system)
        self._waiting: list[tuple[State, list[_Instant]]] = []
        self._count, self._most = 0, max(LEAST, CHUNK // max(1, system.bodies))  # states that wait, and may at most
        self._work = self._defect = self._asked = 0.0
        self._scale = self._rounding = _energy_of_errors(system, self._tolerance or FINEST, duration)
        self._speeds = np.zeros(2)  # largest linear and angular ones so far
        self._open = ""
        self._forward: Forward | None = None  # of the last step
        self._start, self._last, self._last_reach = np.zeros(3), start, 0.0
        try:
            at_start = self._mechanics([start])
            self._start = self._energies(at_start)[0]
            self._last_reach = 0.0 if self._tolerance is None else float(self._reach(at_start)[0])
        except EigenbodyError as error:
            self._open = str(error)

    def follow(self, step: Step, forward: Forward) -> None:
        """Take a step of a method into account."""
        if self._open:
            return
        self._forward = forward
        nodes = step.nodes() if self._is_fed or self._is_driven else []
        try:
            self._waiting.append((forward.complete(step.state), [self._instant(node, forward) for node in nodes]))
        except EigenbodyError as error:
            self._open = str(error)
        self._count += 1 + len(nodes)
        if self._count >= self._most:
            self._settle()

    def balance(self) -> Balance:
        """The balance of all steps so far."""
        if self._waiting:
            self._settle()
        asked = LARGE * self._scale if self._tolerance is None else min(self._asked, LARGE * self._scale)
        return Balance(self._defect, self._scale, max(asked, self._rounding), self._work, self._open)

    def _instant(self, node: Node, forward: Forward) -> _Instant:
        """A node with the loads of all rows; which rows carry them is known while the step is the last one only."""
        if not self._is_driven:
            return _Instant(node.weight, forward.complete(node.state), None)
        if self._system.algebraic:
            now = forward.evaluate(node.state)
            every = Multipliers.of(forward.system, forward.chosen, now.multipliers)
            return _Instant(node.weight, now.on(node.state), every)
        loads = forward.evaluate(node.state).multipliers if node.multipliers is None else node.multipliers
        return _Instant(node.weight, node.state, Multipliers.of(forward.system, forward.chosen, loads))

    def _settle(self) -> None:
        """Close the balance of the steps that wait."""
        waiting, self._waiting, self._count = self._waiting, [], 0
        try:
            at_ends = self._mechanics([end for end, _ in waiting])
            parts = self._energies(at_ends)
            reach = np.zeros(len(waiting)) if self._tolerance is None else self._reach(at_ends)
            fed = self._fed(waiting, at_ends)
        except EigenbodyError as error:
            self._open = str(error)
            return
        work = self._work + np.cumsum(fed)
        missing = parts.sum(axis=1) - self._start.sum() - work
        potential = parts[:, 1] + parts[:, 2] - self._start[1] - self._start[2]
        if not np.isfinite(missing).all():
            self._open = "its energy has no finite value."
            return
        self._work = float(work[-1])
        self._defect = max(self._defect, float(np.abs(missing).max()))
        self._scale = max(self._scale, float(np.abs((parts[:, 0], potential, work)).max()))
        either = np.maximum(reach, np.concatenate(([self._last_reach], reach[:-1])))
        self._asked += float((self._tolerance or 0.0) * either.sum())
        self._rounding += ROUNDING * float(np.abs(parts).sum())
        self._last_reach, self._last = float(reach[-1]), waiting[-1][0]

    def _energies(self, mechanics: Sequence[Mechanics]) -> np.ndarray:
        """Kinetic energy, and potential energy of weight and of springs, (n, 3)."""
        found = [energy(m) for m in mechanics]
        parts = [np.stack((e.kinetic.sum(-1), e.gravity.sum(-1), e.stored.sum(-1)), axis=-1) for e in found]
        return np.real(np.concatenate([part.reshape(-1, 3) for part in parts]))

    def _reach(self, mechanics: Sequence[Mechanics]) -> np.ndarray:
        """What all coordinates and velocities at the size of their scales are worth in energy (n,): forces times
        length or one radian, momenta times the largest speeds so far."""
        angular, found = self._system.is_angular, []
        for m in mechanics:
            u = m.state.velocity(self._system)
            force = np.atleast_2d(np.abs(m.applied.generalized() + m.weight()))
            momentum = np.atleast_2d(np.abs(m.inertia_times(u)))
            top = [float(np.abs(part).max(initial=0.0)) for part in (u[..., ~angular], u[..., angular])]
            self._speeds = np.maximum(self._speeds, top)
            unit = np.where(angular, 1.0, self._system.length)
            found.append(force @ unit + momentum @ self._speeds[angular.astype(int)])
        return np.concatenate(found)

    def _fed(self, waiting: Sequence[tuple[State, list[_Instant]]], at_ends: Sequence[Mechanics]) -> np.ndarray:
        """Integral of P over each step; nodes at the ends of steps are those of the steps before and after."""
        nodes = [(k, node) for k, (_, own) in enumerate(waiting) for node in own]
        if not nodes:
            return np.zeros(len(waiting))
        ends = [self._last, *(end for end, _ in waiting)]
        place, inner = list[int](), list[_Instant]()
        for k, node in nodes:
            own = [j for j in (k, k + 1) if node.state is ends[j] and node.loads is None]
            place.append(own[0] if own else len(ends) + len(inner))
            inner += [] if own else [node]
        first = self._powers(self._mechanics([self._last]), [])
        power = np.concatenate((first, self._powers(at_ends, []), self._powers_within(inner)))
        share = np.array([node.weight for _, node in nodes]) * power[place]
        return np.bincount([k for k, _ in nodes], share, len(waiting))

    def _powers_within(self, nodes: Sequence[_Instant]) -> np.ndarray:
        return self._powers(self._mechanics([n.state for n in nodes]), [n.loads for n in nodes if n.loads is not None])

    @staticmethod
    def _powers(mechanics: Sequence[Mechanics], loads: Sequence[Multipliers]) -> np.ndarray:
        """P at the nodes (n,)."""
        if not mechanics:
            return np.zeros(0)
        fed = np.concatenate([np.atleast_1d(fed_power(m)) for m in mechanics])
        if loads:
            held, slip = np.stack([own.held for own in loads]), np.stack([own.slip for own in loads])
            parts = zip(mechanics, np.split(held, len(mechanics)), np.split(slip, len(mechanics)), strict=True)
            fed = fed + np.concatenate([_driving_power(*part) for part in parts])
        return np.real(fed)

    def _mechanics(self, states: Sequence[State]) -> list[Mechanics]:
        """All states at once where frames do not turn with time."""
        if self._system.description.frames or not states:
            return [Mechanics(self._system, state) for state in states]
        many = stacked_states(states)
        found = Mechanics(self._system, many)
        if self._tolerance is None and self._forward is not None:  # no gradients are asked for
            jet = self._forward.force_measures(many)
            if jet is not None:
                found.applied = Applied(self._system, jet, many)
        return [found]


def _energy_of_errors(system: System, tolerance: float, duration: float) -> float:
    """Energy of bodies and springs at rest but for errors of the size of the tolerance, in the methods' scales."""
    bodies = float(np.real(system.mass).sum() * system.length**2 + np.real(system.inertia).sum()) / duration**2
    springs = float(np.abs(system.forces.linear.k).sum()) * max(system.length, 1.0) ** 2
    return 0.5 * tolerance**2 * (bodies + springs)


def _is_fed(system: System) -> bool:
    """Whether anything but weight and plain springs acts."""
    f = system.forces
    only_springs = not np.any(f.linear.c) and np.array_equal(f.linear.i, f.linear.j)
    return not only_springs or bool(f.signals) or bool(np.any(f.constant)) or len(f.input_channel) > 0


def _is_driven(system: System) -> bool:
    """Whether constraints, or what elements hold on to, move with time."""
    return bool(system.constraints.motions) or bool(system.description.frames)


def _driving_power(m: Mechanics, held: np.ndarray, slip: np.ndarray) -> np.ndarray:
    """-(G^T lambda + N^T mu) u at one or many instants (n,): what constraints that move feed in."""
    system = m.system
    force = m.holonomic.force(held, system.nq)
    if system.slips.count:
        force = force + m.non_holonomic.force(slip, system.nq)
    return np.atleast_1d(-np.real((force * m.state.velocity(system)).sum(axis=-1)))
