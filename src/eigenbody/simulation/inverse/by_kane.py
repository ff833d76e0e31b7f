"""Inverse and mixed dynamics by Kane's equations (Passerello & Huston, Eqs. 3.30, 3.31): some coordinates move as
prescribed, with unknown forces; the others are free."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from eigenbody.base.errors import ComputationError
from eigenbody.base.progress import report
from eigenbody.dynamics.mechanics import Mechanics
from eigenbody.linearization.point import OperatingPoint, at_state
from eigenbody.mobility.partition import select
from eigenbody.model.model import InertModel
from eigenbody.routes.kane.rows import Held, Law
from eigenbody.simulation.forward import Forward
from eigenbody.simulation.inverse.instant import Instant, at_arm, completed
from eigenbody.simulation.inverse.laws import MotionLaw
from eigenbody.simulation.inverse.prescribe import Prescribed
from eigenbody.simulation.kane.chain import NOTE, Chain
from eigenbody.simulation.kane.steps import KaneDormandPrince
from eigenbody.simulation.pace import Pace, allowed_steps
from eigenbody.spatial.rotations import apply_transposed
from eigenbody.system.arguments import Quantities
from eigenbody.system.state import State, collect
from eigenbody.system.system import PrescribedMotion

_EMPTY = np.zeros(0)


class ChainForces(NamedTuple):
    """What a prescribed motion needs at one state: u' (nq,), forces along the prescribed coordinates (k,) where these
    are single ones, moments (balls, 3) of rotations prescribed as a whole, forces and moments (holds, 6) at the centres
    of mass of held bodies."""

    acceleration: np.ndarray
    forces: np.ndarray
    moments: np.ndarray
    wrenches: np.ndarray


def chain_of(plan: Prescribed, inputs: Mapping[str, MotionLaw]) -> Chain:
    """The model of a plan: its motions as functions of time, held bodies as rows on their partial velocities."""
    system = plan.system
    rows = system.constraints.rows
    fixing = {rows[r].owner for hold in plan.holds for r in hold.rows}
    joints = tuple(joint for joint in system.description.joints if joint.name not in fixing)
    laws = [_law(motion) for motion in system.constraints.motions]
    constant = np.real(plan.start.u_in).astype(float)
    index = {name: system.inputs.index(name) for name in inputs}

    def given(t: float) -> np.ndarray:
        values = constant.copy()
        for name, k in index.items():
            values[k] = float(np.real(inputs[name].value(t)))
        return values

    holds = tuple((hold.name, hold.body) for hold in plan.holds)
    return Chain(system, replace(system.description, joints=joints), laws, given, holds)


def _law(motion: PrescribedMotion) -> Law:
    levels = (motion.value, motion.rate, motion.acceleration)

    def law(t: float) -> np.ndarray:
        now = Quantities(_EMPTY, _EMPTY, _EMPTY, _EMPTY, t)
        return np.array([float(np.real(np.ravel(level.value(now))[0])) for level in levels])

    return law


def walk(
    chain: Chain, point: OperatingPoint, instants: np.ndarray, tolerance: float, max_steps: float | None
) -> Iterator[State]:
    """States at the instants, by Kane's equations."""
    start, until = point.state, float(instants[-1])
    begin = float(np.real(start.t))
    if instants[0] <= begin:
        yield start
    waiting = [float(t) for t in instants if t > begin]
    if not waiting:
        return
    forward = Forward(point.system, point.chosen)
    forward.remember(start)
    with np.errstate(all="ignore"):
        steps = KaneDormandPrince(chain, forward, start, until, tolerance, (until - begin) / 20)
        pace = Pace(steps, begin, until, max_steps or allowed_steps(len(instants), False, False), 0)
        while waiting:
            step = steps.advance(until)
            while waiting and waiting[0] <= step.t1 + 1e-12 * until:
                yield step.at(waiting.pop(0))
            if waiting:
                pace.refuse_long_run()
            report("integrating by Kane's equations", (step.t1 - begin) / (until - begin))


def forces_at(chain: Chain, plan: Prescribed, state: State) -> ChainForces:
    """Accelerations and the forces that the prescribed motions need."""
    here = chain.at(state)
    found = here.mixed(here.prescribed)
    arrays = here.here
    a = (arrays.a[0] + np.einsum("jik,j->ik", arrays.V[0], found.acceleration))[:-1]
    alpha = (arrays.alpha[0] + np.einsum("jik,j->ik", arrays.W[0], found.acceleration))[:-1]
    turning = apply_transposed(arrays.at.R[0, 0, :-1], alpha)
    forces, wrenches, moments = np.zeros(len(plan.drives)), [], {}
    for row, own in zip(here.constraints, here.forces_of_rows(found.force), strict=True):
        if isinstance(row, Held):
            wrenches.append(own)
        elif len(row.motions) == 1:
            forces[row.motions[0]] = own[0]
        elif row.motions:
            moments[row.motions] = own
    by_ball = [moments[tuple(ball.turned.motions)] for ball in plan.balls]
    return ChainForces(
        collect(chain.system, a, turning),
        forces,
        np.array(by_ball).reshape(-1, 3),
        np.array(wrenches).reshape(-1, 6),
    )


def free_speeds(plan: Prescribed, state: State) -> np.ndarray:
    """Numbers of the measures whose rates stay free; ComputationError where prescribed motions are redundant."""
    chosen = select(Mechanics(plan.system, state), plan.system.coordinates)
    if len(chosen.redundant):
        names = dict.fromkeys(plan.system.constraints.rows[r].owner for r in chosen.redundant)
        raise ComputationError(
            f"kane: what is prescribed is determined twice ({', '.join(names)}): forces are indeterminate there. Remove"
            " one, or leave the method out: the engine gives the least ones."
        )
    return np.asarray(chosen.velocities)


@dataclass(frozen=True)
class ByKane:
    """By Kane's equations of the tree."""

    plan: Prescribed
    point: OperatingPoint
    chain: Chain

    @property
    def notes(self) -> tuple[str, ...]:
        """Whose motion and forces these are."""
        return (NOTE.format(what="motion and forces", rest="reactions in joints and momenta"),)

    def walk(self, instants: np.ndarray, tolerance: float, max_steps: float | None) -> Iterator[State]:
        """States at the instants, integrated."""
        return walk(self.chain, self.point, instants, tolerance, max_steps)

    def instant(self, state: State) -> Instant:
        """Accelerations and drive forces at one state."""
        plan, found = self.plan, forces_at(self.chain, self.plan, state)
        mechanics = Mechanics(plan.system, state, found.acceleration)
        is_open = np.zeros(plan.system.constraints.count, dtype=bool)
        wrenches = [at_arm(state, hold, own) for hold, own in zip(plan.holds, found.wrenches, strict=True)]
        return completed(
            plan, mechanics, found.forces.copy(), found.moments, wrenches, is_open, free_speeds(plan, state)
        )


def by_kane(model: InertModel, plan: Prescribed, inputs: Mapping[str, MotionLaw]) -> ByKane:
    """The way of Kane's equations; InputError where they do not know something in the model."""
    chain = chain_of(plan, inputs)
    chain.refuse_unknown(plan.start)
    free_speeds(plan, plan.start)  # refuses what is prescribed twice, before anything is computed
    return ByKane(plan, at_state(model, plan.system, plan.start), chain)
