"""What every method of integration shares: steps, scales of the error, and what to say when it cannot go on."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Protocol

import numpy as np

from eigenbody.base.errors import ComputationError, EigenbodyError
from eigenbody.dynamics.mechanics import Mechanics
from eigenbody.mobility.angles import chart_limits
from eigenbody.mobility.partition import select
from eigenbody.model.description import owner_of
from eigenbody.simulation.branching import SingularConfigurationError, at_change_point
from eigenbody.simulation.chart import orthonormal
from eigenbody.simulation.forward import Applied, Evaluation, Forward
from eigenbody.simulation.saddle import DEPENDENT, Solver
from eigenbody.spatial.rotations import dot
from eigenbody.system.state import State

TURN = 2.4  # rad that a body may turn in a step: rotation vectors are regular below half a turn
AGAINST = 3.0  # rad that two bodies may turn against each other where their angle counts turns: less than half a turn
LONG = 1e3  # first steps that a motion takes at least
SHORTEST = 4 * float(np.finfo(float).eps)  # a step that advances, in shares of the time reached
ROUNDING = 16 * float(np.finfo(float).eps)  # of a measure, relative to its scale
WEAK = 1e-5  # below this share of its own a row is exchanged for another one if there is a choice


@dataclass(frozen=True, slots=True, eq=False)
class Node:
    """A state within a step with its weight (s): sums over the nodes are integrals to the order of the method.

    `multipliers` are those of the chosen rows, where the method knows them.
    """

    weight: float
    state: State
    multipliers: np.ndarray | None = None


@dataclass(frozen=True, slots=True)
class Step:
    """One accepted step from t0 to t1: the state at its end, the states within, and nodes to integrate over it."""

    t0: float
    t1: float
    state: State
    at: Callable[[float], State]
    nodes: Callable[[], list[Node]]


@dataclass(slots=True)
class Counts:
    """What the integration cost."""

    steps: int = 0
    rejected: int = 0
    evaluations: int = 0
    jacobians: int = 0
    factorizations: int = 0
    iterations: int = 0
    selections: int = 0
    smallest_step: float = np.inf
    largest_step: float = 0.0

    def accept(self, h: float) -> None:
        self.steps += 1
        self.smallest_step, self.largest_step = min(self.smallest_step, h), max(self.largest_step, h)


class Stepper(Protocol):
    """A method of integration in progress."""

    name: str
    counts: Counts
    state: State
    forward: Forward

    def advance(self, limit: float) -> Step:
        """One step, not beyond `limit`."""
        ...


@dataclass(slots=True, eq=False)
class Scales:
    """Magnitudes by which errors are judged; speeds and first-order states by the largest so far."""

    forward: Forward
    until: float
    noise: float  # of a measure, relative to its scale and to the tolerance of errors
    linear: float = 0.0
    angular: float = 0.0
    x: np.ndarray = field(default_factory=lambda: np.zeros(0))
    _least: np.ndarray = field(default_factory=lambda: np.zeros(0))  # magnitudes of states that may be noise alone

    def see(self, state: State) -> None:
        """Take the speeds and states of a moment into account."""
        length = self.forward.system.length
        self.linear = max(self.linear, float(np.sqrt(dot(state.v, state.v).max(initial=0.0))), length / self.until)
        self.angular = max(self.angular, float(np.sqrt(dot(state.w, state.w).max(initial=0.0))), 1 / self.until)
        self.x = np.maximum(self.x, np.abs(state.x)) if len(self.x) else np.abs(state.x)
        if not len(self._least) or (self.x <= self._least).any():
            self._least = self._least_states(state)

    def states(self, end: np.ndarray | float = 0.0, rate: np.ndarray | float = 0.0) -> np.ndarray:
        """Magnitudes of the first-order states: the largest so far, that at the `end` of a step, or what its largest
        `rate` makes in a hundredth of the time (a state that was zero has no other)."""
        here = np.maximum(np.abs(end), 0.01 * self.until * np.abs(rate))
        size = np.maximum(np.maximum(self.x, self._least), here)
        return np.where(size > 0, size, 1.0)

    def vector(self, end: np.ndarray | float = 0.0, rate: np.ndarray | float = 0.0) -> np.ndarray:
        """One magnitude for each entry of (d, u, x)."""
        return np.concatenate((*self._motion(), self.states(end, rate)))

    def _motion(self) -> tuple[np.ndarray, np.ndarray]:
        system = self.forward.system
        position = np.where(system.is_angular, 1.0, system.length)
        return position, np.where(system.is_angular, self.angular, self.linear)

    def _least_states(self, state: State) -> np.ndarray:
        """(nx,) magnitudes below which states may be noise alone: their errors may be what the noise of all that their
        rates depend on, at the size of its scale, makes of them in the whole time."""
        system = self.forward.system
        if not system.forces.state_rates:
            return np.zeros(0)
        pushed = self.forward.jets(state, levels=2)[2]
        now = Applied(system, pushed, state).now
        gradient, columns = np.abs(pushed.gradient), system.forces.measures.columns
        position, speed = ((gradient * np.append(part, 0.0)[columns]).sum(axis=1) for part in self._motion())
        sizes = {"s": position, "v": speed, "x": self.x, "z": np.abs(state.z)}
        reach = np.zeros(len(state.x))
        for i, signal in enumerate(system.forces.state_rates):
            for argument, slope in signal.partials(now):
                if argument.kind in sizes:
                    reach[i] += abs(slope) * sizes[argument.kind][argument.index]
        return self.noise * self.until * reach


class Consistency:
    """Brings every accepted state back to the constraints and keeps the rows independent."""

    def __init__(self, forward: Forward, counts: Counts) -> None:
        self.forward, self.counts = forward, counts
        self._usual = 0.0  # share of the weakest row at its best

    def restored(self, before: np.ndarray, state: State, solver: Solver | None) -> tuple[State, Solver]:
        """Positions, turns and velocities made consistent; `before` are the angles from which turns are counted."""
        forward = self.forward
        state = forward.counted(before, orthonormal(forward.closed(state, solver)))
        state, solver, _, _ = forward.consistent(state)
        return state, solver

    def complete(self, state: State, solver: Solver) -> Evaluation:
        """Accelerations at an accepted state, after a look at the rows: exchanged if they become dependent."""
        forward = self.forward
        self._usual = max(self._usual, solver.weakest)
        if solver.weakest < WEAK:
            solver = self._exchanged(state, solver)
        forward.remember(state)
        return forward.evaluate(state, solver)

    def _exchanged(self, state: State, solver: Solver) -> Solver:
        forward, old = self.forward, self.forward.chosen
        if len(old.redundant) or len(old.redundant_slips):
            self.counts.selections += 1
            new = select(Mechanics(forward.system, state), forward.system.coordinates)
            if len(new.rows) == len(old.rows) and len(new.slip_rows) == len(old.slip_rows):
                forward.use(new)
                held, slips, _ = forward.jets(state)
                other = forward.saddle(state, held.gradient, slips.gradient)
                if other.weakest > solver.weakest:
                    solver = other
                else:
                    forward.use(old)
        if solver.weakest < DEPENDENT * self._usual:
            raise at_change_point(forward, state)
        return solver


class Integration:
    """What every method that chooses its steps has at hand; a method says how it advances."""

    def __init__(
        self, forward: Forward, state: State, until: float, tolerance: float, max_step: float, left: float = 0.0
    ) -> None:
        """`left`: what iterations leave of a measure, as a share of the tolerance."""
        self.forward, self.state, self.until = forward, state, until
        self.counts = Counts()
        self.tolerance, self.max_step = tolerance, max_step
        self.keeper = Consistency(forward, self.counts)
        self.scales = Scales(forward, until - float(np.real(state.t)), max(left, ROUNDING / tolerance))
        self.scales.see(state)
        self._first_tried = 0.0

    def refuse_stall(self, h: float, cause: EigenbodyError | None) -> None:
        """ComputationError where a step is nothing beside the time reached and the steps that were tried at first."""
        self._first_tried = self._first_tried or h
        least = max(abs(float(np.real(self.state.t))), min(self.until, LONG * self._first_tried))
        if not h > SHORTEST * least:  # nor where it is no number
            raise ComputationError(stalled(self.forward, self.state, cause))


def counted_nodes(forward: Forward, before: np.ndarray, nodes: Iterable[Node]) -> list[Node]:
    """The nodes with full turns counted on from the angles `before`, where forces mind them."""
    if not forward.counts_forces:
        return list(nodes)
    return [replace(node, state=forward.counted(before, node.state)) for node in nodes]


def longest_step(forward: Forward, state: State, acceleration: np.ndarray, wanted: float = np.inf) -> float:
    """The step in which no body turns too far, at its present angular acceleration, for its rotation vector or for
    an angle that counts turns; less than that, but not less than the step that is `wanted`, where that is seen at
    once: two bodies turn against each other at most twice as fast as each."""
    if not forward.has_turning_frames:  # no body has more than all together
        w, every = (float(np.vdot(part, part)) ** 0.5 for part in (state.w, acceleration))
        safe = _time_to_turn(0.5 * min(AGAINST, 2 * TURN), w, every)
        if wanted <= safe:
            return safe
    own = forward.spread(acceleration)[:, 3:]
    at, n = forward.carriers(state), forward.system.bodies
    alpha = np.array(at.alpha)
    alpha[:n] = own
    w, alpha = ((at.R @ part[..., None])[..., 0] for part in (at.w, alpha))
    one, other = forward.angle_carriers
    return min(
        _until_turned(TURN, w[:n], alpha[:n]), _until_turned(AGAINST, w[one] - w[other], alpha[one] - alpha[other])
    )


def _until_turned(angle: float, w: np.ndarray, alpha: np.ndarray) -> float:
    """Time in which none of the angular velocities and accelerations (n, 3) gives more than an angle."""
    return _time_to_turn(angle, *(float((part * part).sum(axis=1).max(initial=0.0)) ** 0.5 for part in (w, alpha)))


def _time_to_turn(angle: float, speed: float, growth: float) -> float:
    """Time in which a speed that grows steadily gives an angle."""
    reach = speed + (speed * speed + 2 * growth * angle) ** 0.5
    return 2 * angle / reach if reach > 0 else np.inf


def refuse_long_step(forward: Forward, state: State, acceleration: np.ndarray, step: float) -> None:
    """ComputationError where a step that is given would lose count of turns."""
    longest = longest_step(forward, state, acceleration)
    if step > longest * (1 + 1e-9):
        raise ComputationError(
            f"A body turns too far in a step of {step:.3g} s at t = {np.real(state.t):.6g} s: full turns could not be"
            f" counted. Use a step of at most {longest:.2g} s."
        )


def landing(h: float, t: float, limit: float) -> float:
    """The step h from t, cut or stretched a little so that it ends on the limit where that is near."""
    return limit - t if limit - t < 1.001 * h else h


def stalled(forward: Forward, state: State, cause: EigenbodyError | None) -> str:
    """Why the integration cannot go on: where it is, and which body or element is wildest there."""
    if isinstance(cause, SingularConfigurationError):
        return str(cause)
    if limits := chart_limits(forward.system, state):
        return f"The integration cannot go on beyond t = {state.t:.9g} s. {limits}"
    text = f"The integration stalls at t = {state.t:.9g} s: the step it needs is too small to advance."
    if cause is not None:
        text += f" {cause}"
    return f"{text} {wildest(forward, state)} Look at the stiffness and the free lengths there, or use a stiff method."


def wildest(forward: Forward, state: State) -> str:
    """The body with the largest acceleration and the force element with the largest force."""
    system = forward.system
    try:
        with np.errstate(all="ignore"):
            pushed = forward.jets(state)[2]
            now = forward.evaluate(state)
            applied = Applied(system, pushed, now.on(state))
            pull = np.abs(applied.tension[:, None] * pushed.gradient).max(axis=1, initial=0.0)
    except EigenbodyError:
        return ""
    both = np.abs(forward.spread(now.acceleration)) * np.repeat((1.0, system.length), 3)
    size = both.max(axis=1, initial=0.0)
    if not len(size) or not np.isfinite(size).all():
        return ""
    body = int(np.argmax(size))
    name = owner_of(system.places.names[body])
    text = f'The largest acceleration ({size[body]:.3g} m/s^2) is that of the body "{name}"'
    owner = _owner(forward, int(np.argmax(pull))) if len(pull) else ""
    return text + (f', the largest force ({pull.max():.3g} N) that of "{owner}".' if owner else ".")


def _owner(forward: Forward, channel: int) -> str:
    f = forward.system.forces
    of_channel = {int(i): int(o) for i, o in zip(f.linear.i, f.linear.owner, strict=True)}
    of_channel |= {signal.target: signal.owner for signal in f.signals}
    of_channel |= {int(c): int(o) for o, c, _ in np.real(f.constant_owner)}
    return f.owners[of_channel[channel]] if channel in of_channel else ""
