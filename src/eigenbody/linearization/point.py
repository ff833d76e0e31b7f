"""The operating point: a consistent state with its accelerations and constraint forces."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from functools import cached_property
from weakref import WeakKeyDictionary

import numpy as np

from eigenbody.base.errors import Fault, InputError
from eigenbody.base.progress import report
from eigenbody.base.result import Shown
from eigenbody.dynamics.constraints import pull_back
from eigenbody.dynamics.mechanics import Mechanics
from eigenbody.mobility.active import compiled
from eigenbody.mobility.angles import refuse_singular_angles, refuse_singular_components
from eigenbody.mobility.bearings import misplaced_bearings
from eigenbody.mobility.bent import refuse_crushed, refuse_turned_over
from eigenbody.mobility.distances import refuse_coinciding_points
from eigenbody.mobility.frame import MotionFrame
from eigenbody.mobility.limits import beyond_limits
from eigenbody.mobility.motion import ForwardDynamics, free_response, solve_motion
from eigenbody.mobility.partition import Selection, select
from eigenbody.mobility.turns import values_of
from eigenbody.model.model import InertModel
from eigenbody.model.operating import HELD
from eigenbody.numerics.matrices.assembly import dense_vector
from eigenbody.numerics.matrices.linear import joined, solve_vector
from eigenbody.system.state import State, collect, spread
from eigenbody.system.system import System

ROUNDED = 8  # a measure is a sum of positions and turned arms, each rounded: this many units in the last place
SAMPLES = 4  # of the signs of rounding errors
CLOSED = 4  # roundings of positions that closing a loop leaves
TOUCHING = 1e-13  # a stop this near to its corner, in lengths of the mechanism (or radians), is at it


@dataclass(frozen=True)
class OperatingPoint(Shown, look="linearization.look.point"):
    """Where the mechanism is linearized: state, accelerations, constraint forces, and how well all equations hold."""

    model: InertModel
    system: System
    state: State
    motion: ForwardDynamics
    chosen: Selection
    residual: float  # largest force imbalance relative to the largest force
    drift: tuple[float, float, float]  # largest violation of the constraints at position, velocity, acceleration level
    warnings: tuple[str, ...]
    mechanics: Mechanics = field(repr=False)  # everything about the mechanism here, accelerations included
    frame: MotionFrame = field(repr=False)  # its free motion in the chosen coordinates
    is_steady: bool = False  # a motion whose linear equations, in its coordinates, do not change with time

    def choosing(self, chosen: Selection) -> OperatingPoint:
        """The same point with other independent rows and coordinates."""
        if chosen.is_like(self.chosen):
            return self
        return replace(self, chosen=chosen, frame=MotionFrame(self.mechanics, chosen))

    @cached_property
    def figures(self) -> tuple[np.ndarray, ...]:
        """What `residual` and `drift` are made of; batch axes may lead."""
        return imbalance(self.mechanics, self.motion), *drift_of(self.mechanics)

    @cached_property
    def is_at_rest(self) -> bool:
        """Whether nothing moves."""
        return not self.state.v.any() and not self.state.w.any()

    @cached_property
    def is_equilibrium(self) -> bool:
        """At rest and without acceleration beyond the rounding of the forces on each body."""
        system, mechanics = self.system, self.mechanics
        if not self.is_at_rest:
            return False
        if not self.motion.acceleration.any():
            return True
        pulled = spread(system, mechanics.force_size(self.motion.multipliers, self.motion.slip_multipliers))
        unit = np.repeat((1.0, 1.0 / system.length), 3)  # moments as forces at the mechanism's length

        def of_bodies(force: np.ndarray) -> np.ndarray:
            return np.asarray((spread(system, np.abs(force)) * unit).max(axis=-1, initial=0.0))

        own = (pulled * unit).max(axis=-1, initial=0.0)
        nothing = 1e-13 * np.abs(system.mass) * system.length  # 1e-13 lengths per second squared
        allowed = 1e-10 * own + 1e-15 * own.max(initial=0.0) + nothing
        left = of_bodies(mechanics.inertia_times(self.motion.acceleration))
        if np.all(left <= allowed):
            return True
        return bool(np.all(left <= allowed + CLOSED * of_bodies(imbalance_by_rounding(self.frame))))

    @property
    def redundant(self) -> tuple[dict[str, str], ...]:
        """Redundant constraint rows by name."""
        rows = [self.system.constraints.rows[r] for r in self.chosen.redundant]
        rows += [self.system.slip_rows[r] for r in self.chosen.redundant_slips]
        return tuple(row.as_dict() for row in rows)

    @property
    def contacts(self) -> dict[str, str]:
        """Which one-sided elements act here: "open", "closed", or "touching" exactly at the corner; `name.above` and
        `name.below` where an element has two sides."""
        stops = self.system.forces.stops
        if not stops:
            return dict(self.system.one_sided)
        sides = Counter(stop.name for stop in stops)
        out = dict(self.system.one_sided)
        for stop in stops:
            label = f"{stop.name}.{'above' if stop.side > 0 else 'below'}" if sides[stop.name] > 1 else stop.name
            depth = float(np.real(stop.side * (self.mechanics.applied.now.s[stop.channel] - stop.gap)))
            at_corner = stop.is_sharp and abs(depth) <= TOUCHING * self.system.length
            out[label] = "touching" if at_corner else "closed" if depth > 0 else "open"
        return out

    @property
    def held(self) -> dict[str, float]:
        """Forces and torques with which joints hold the pose (`operating_point: held`), by coordinate."""
        inputs = zip(self.system.description.inputs, self.state.u_in.tolist(), strict=True)
        return {entry.name: value for entry, value in inputs if entry.type == HELD}

    def outputs(self) -> dict[str, float]:
        """Values of the model's outputs."""
        from eigenbody.loads.outputs import output_value

        return {output.name: output_value(self.mechanics, output) for output in self.system.outputs}

    def coordinates(self) -> dict[str, float]:
        """Values of all named measures."""
        index = np.arange(self.system.named.count)
        return dict(zip(self.system.names, np.real(values_of(self.system, self.state, index)).tolist(), strict=True))

    def rates(self) -> dict[str, float]:
        """Rates of all named measures; of those that are speeds themselves, their accelerations."""
        jet, speeds = self.system.named.jet(self.mechanics.at, self.state.turns), self.system.speeds
        rate = jet.rate
        if speeds:
            rate = np.where([i in speeds for i in range(self.system.named.count)], jet.acceleration, rate)
        return dict(zip(self.system.names, np.real(rate).tolist(), strict=True))


def deflection_rounding(mechanics: Mechanics, of_modes: bool = True) -> np.ndarray:
    """Rounding of the measures that forces act along (..., channels): of positions, and of arms turned. A modal
    coordinate is as uncertain as the positions that determine it in a loop (`of_modes`), else by its own size."""
    system, jet, r = mechanics.system, mechanics.applied.jet, np.abs(mechanics.state.r)
    places = np.full_like(r, max(float(r.max(initial=0.0)), system.length))
    modal = system.description.bodies.modal
    if modal is not None and not of_modes:
        places[..., modal > 0, :] = r[..., modal > 0, :]
    scale = collect(system, places, np.ones_like(r))
    scale = np.concatenate((scale, np.zeros((*scale.shape[:-1], 1))), axis=-1)
    columns = np.minimum(system.forces.measures.columns, system.nq)
    return ROUNDED * np.finfo(float).eps * (np.abs(jet.gradient) * scale[..., columns]).sum(axis=-1)


def stiff_rounding(mechanics: Mechanics) -> np.ndarray:
    """Force (nq,) that stiff springs make of the rounding of positions alone."""
    system, jet = mechanics.system, mechanics.applied.jet
    measures, law = system.forces.measures, system.forces.linear
    tension = dense_vector(law.i, np.abs(law.k) * deflection_rounding(mechanics)[..., law.j], measures.count)
    return pull_back(measures, np.abs(jet.gradient), tension, system.nq)


def imbalance_by_rounding(frame: MotionFrame) -> np.ndarray:
    """Force (nq,) that the rounding of positions alone may leave on the bodies, by stiff springs: on those that they
    hold, and on all to which constraints hand these forces on. A frame of beams that is closed by their stiffness along
    their lines is bent by what rounding makes of that, however small its own bending forces are."""
    own = stiff_rounding(frame.mechanics)
    if not own.any():
        return own
    signs = np.random.default_rng(5).choice((-1.0, 1.0), (frame.system.nq, SAMPLES))
    handed_on = free_response(frame, own[..., None] * signs)[1]
    return np.maximum(own, np.abs(handed_on).max(axis=-1))


_compiled: WeakKeyDictionary[InertModel, System] = WeakKeyDictionary()


def system_of(model: InertModel) -> System:
    """The compiled system of a model; models are immutable, so it is compiled once."""
    system = _compiled.get(model)
    if system is None:
        report("putting the mechanism together")
        system = _compiled[model] = compiled(model.description)
    return system


def remember_system(model: InertModel, system: System) -> None:
    """Spare a model its compilation where the system is known already."""
    _compiled[model] = system


def at_state(model: InertModel, system: System, state: State) -> OperatingPoint:
    """Complete a consistent state to an operating point."""
    return completed_point(model, Mechanics(system, state))


def completed_point(model: InertModel, unaccelerated: Mechanics) -> OperatingPoint:
    """Complete a mechanism in a consistent state to an operating point."""
    report("constraints, accelerations and reactions")
    system, state = unaccelerated.system, unaccelerated.state
    if len(state.z) != len(system.algebraic):  # found with a model whose expressions read something else
        state = replace(state, z=np.zeros(len(system.algebraic)))
        unaccelerated = Mechanics(system, state)
    refuse_singular_angles(system, state)
    refuse_coinciding_points(system, state)
    refuse_turned_over(system, state)
    refuse_crushed(system, state)
    refuse_singular_components(system, state, system.coordinates.tolist())
    chosen = select(unaccelerated, system.coordinates)
    frame = MotionFrame(unaccelerated, chosen)
    refuse_singular(frame)
    if system.algebraic:
        refuse_open_reactions(frame)
    return _in_motion(model, frame)


def point_like(model: InertModel, system: System, other: OperatingPoint) -> OperatingPoint:
    """Complete the state of another point of a mechanism that stands and moves in the same way, under its own forces
    and with its own masses: what depends on positions and velocities alone is known there."""
    frame = other.frame.unaccelerated
    alike = Mechanics(system, frame.mechanics.state, same=frame.mechanics)
    return _in_motion(model, frame.of(alike))


def _in_motion(model: InertModel, frame: MotionFrame) -> OperatingPoint:
    """The operating point of a frame that is known to serve: accelerations and reactions, and how well they hold."""
    system, chosen = frame.system, frame.chosen
    motion = solve_motion(frame, is_doubted=True, may_rest=True)
    mechanics = motion.mechanics(frame.mechanics)
    _refuse_contradiction(system, mechanics, chosen)
    position, velocity, acceleration = drift_of(mechanics)
    return OperatingPoint(
        model,
        system,
        mechanics.state,
        motion,
        chosen,
        residual=float(imbalance(mechanics, motion)),
        drift=(float(position), float(velocity), float(acceleration)),
        warnings=(*system.warnings, *beyond_limits(mechanics), *misplaced_bearings(mechanics)),
        mechanics=mechanics,
        frame=frame.accelerated(mechanics),
    )


def refuse_open_reactions(frame: MotionFrame) -> None:
    """Refuse expressions that read a reaction which redundant constraints leave open."""
    from eigenbody.loads.linear import refuse_open

    refuse_open(frame, [(v.reaction, v.where) for v in frame.system.algebraic if v.reaction is not None])


def _refuse_contradiction(system: System, mechanics: Mechanics, chosen: Selection) -> None:
    """Rows left out as redundant must hold at acceleration level too: two motions that part later do not."""
    if not len(chosen.redundant):
        return
    bad = chosen.redundant[contradicting(mechanics, chosen)]
    if len(bad):
        raise InputError(
            Fault(
                ", ".join(dict.fromkeys(system.constraints.rows[r].where for r in bad[:6])),
                "the prescribed motion contradicts the other constraints in acceleration, by"
                f" {np.abs(mechanics.holonomic.acceleration[chosen.redundant]).max():.3g}.",
                "Remove one of them.",
            )
        )


def contradicting(mechanics: Mechanics, chosen: Selection) -> np.ndarray:
    """(..., redundant) which rows left out as redundant do not hold at acceleration level."""
    off = np.abs(mechanics.holonomic.acceleration[..., chosen.redundant])
    size = 1.0 + _largest(mechanics.acceleration) + np.abs(mechanics.state.w).max(axis=(-2, -1), initial=0.0) ** 2
    return np.asarray(off > 1e-8 * size[..., None])


def _largest(values: np.ndarray) -> np.ndarray:
    return np.abs(values).max(axis=-1, initial=0.0)


def imbalance(mechanics: Mechanics, motion: ForwardDynamics) -> np.ndarray:
    """Largest force imbalance relative to the largest force; batch axes may lead."""
    residual = mechanics.residual(motion.multipliers, motion.slip_multipliers)
    pulls = _largest(mechanics.applied.jet.gradient * mechanics.applied.tension[..., None])  # of each element
    inertia = _largest(mechanics.inertia_times(mechanics.acceleration))
    scale = np.maximum(np.maximum(inertia, _largest(mechanics.driving)), _largest(pulls))
    return _largest(residual) / np.where(scale > 0, scale, 1.0)


def drift_of(mechanics: Mechanics) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Largest violation of the constraints at position, velocity and acceleration level; batch axes may lead."""
    h = mechanics.holonomic
    position, velocity, acceleration = _largest(h.value), _largest(h.rate), _largest(h.acceleration)
    if mechanics.system.slips.count:
        n = mechanics.non_holonomic
        velocity = np.maximum(velocity, _largest(n.rate))
        acceleration = np.maximum(acceleration, _largest(n.acceleration))
    return position, velocity, acceleration


def refuse_singular(frame: MotionFrame) -> None:
    """A singular configuration has a lower rank than its neighbours on the constraint manifold.

    Walk a small way along the free motion with the independent rows held. Rows that are redundant for good stay closed
    to rounding; rows that are dependent only here open by the square of the step. Batch axes may lead.
    """
    system, state, chosen = frame.system, frame.mechanics.state, frame.chosen
    if not len(chosen.redundant) or not len(chosen.positions):
        return
    step = 1e-3
    rng = np.random.default_rng(7)
    direction = rng.choice([-1.0, 1.0], len(chosen.positions)) * rng.uniform(0.5, 1.0, len(chosen.positions))
    unit = np.array([system.length if system.dimensions[i] == "m" else 1.0 for i in chosen.positions])
    rhs = np.concatenate((np.zeros(len(chosen.rows)), step * direction * unit))
    ahead = state.moved(system, solve_vector(frame.at_position, rhs))
    for _ in range(20):
        phi = Mechanics(system, ahead).holonomic.value
        rhs = joined(-phi[..., chosen.rows], np.zeros(frame.positions.count))
        if np.abs(rhs).max() < 1e-14 * system.length:
            break
        # the step is small: the first tangent serves
        ahead = ahead.moved(system, solve_vector(frame.at_position, rhs))
    open_by = np.abs(phi[..., chosen.redundant]).reshape(-1, len(chosen.redundant)).max(axis=0)
    bad = chosen.redundant[open_by > 1e-5 * step**2 * max(system.length, 1.0)]
    if len(bad):
        places = list(dict.fromkeys(system.constraints.rows[r].where for r in bad))
        loop = list(dict.fromkeys(system.constraints.rows[r].owner for r in system.loop_rows))
        raise InputError(
            Fault(
                ", ".join(places[:6]),
                "the mechanism is in a singular configuration: here its constraints leave more freedom than next to it"
                f" (loop closed by {', '.join(loop[:6])}).",
                "Move it a little off this position (--at JOINT=VALUE, --pose NAME, `position` of a joint), change a"
                " dimension, or leave out the joint that closes the loop where it can reach no other position.",
            )
        )
