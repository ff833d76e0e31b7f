"""Static equilibrium: the stable one nearest to the start or the nearest of all, those passed on the way, others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from eigenbody.base.errors import ComputationError, Fault, InputError
from eigenbody.base.result import Result
from eigenbody.dynamics.mechanics import Mechanics
from eigenbody.linearization.point import OperatingPoint, at_state, system_of
from eigenbody.linearization.still import held_still
from eigenbody.linearization.subject import Subject, subject
from eigenbody.loads.reactions import Reactions, at_point
from eigenbody.mobility.bent import BentTooFarError
from eigenbody.mobility.frame import MotionFrame
from eigenbody.mobility.partition import select
from eigenbody.mobility.projection import closed, weight
from eigenbody.mobility.turns import counted, values_of
from eigenbody.model.model import InertModel
from eigenbody.numerics.runtime import on_one_thread
from eigenbody.operating.equilibrium.settle import Settled, newton, settle
from eigenbody.operating.equilibrium.stability import Verdict, judge
from eigenbody.operating.given import given_configuration
from eigenbody.system.state import State
from eigenbody.system.system import System

if TYPE_CHECKING:
    from eigenbody.mobility.motion import ForwardDynamics

ASIDE = 0.03  # how far an unstable equilibrium is left: rad, or spans of the mechanism
MODES_TRIED = 4  # growing modes followed from an unstable equilibrium, each both ways
PASSES = 12  # unstable equilibria left behind before giving up
SAME = 1e-6  # difference of two configurations, in rad and lengths, up to which they are the same
STEPS_AWAY = 12  # steps in which a random start is reached


@dataclass(frozen=True, eq=False)
class Equilibrium(Result, look="operating.equilibrium.look"):
    """A configuration in which all forces balance.

    point      the operating point: state, multipliers, certificate
    verdict    stability, eigenvalues, growing motions
    how        how it was found, in `iterations` steps
    distance   from the start: Euclidean norm of the change of all tree coordinates, rad and lengths of the mechanism
    passed     unstable equilibria met on the way, in order
    others     further distinct equilibria, from random starts
    """

    point: OperatingPoint
    verdict: Verdict
    iterations: int
    how: str
    distance: float
    passed: tuple[Equilibrium, ...] = ()
    others: tuple[Equilibrium, ...] = ()

    @property
    def stability(self) -> str:
        """ "stable", "marginal" (undamped), "drifting" (a free motion) or "unstable"."""
        return self.verdict.stability

    @property
    def is_stable(self) -> bool:
        """Whether no motion from it grows."""
        return self.verdict.is_stable

    @property
    def eigenvalues(self) -> np.ndarray:
        """Those that its stability was judged by."""
        return self.verdict.eigenvalues

    @property
    def motion(self) -> ForwardDynamics:
        """Multipliers of all constraint rows."""
        return self.point.motion

    def coordinates(self) -> dict[str, float]:
        """Values of all named measures."""
        return self.point.coordinates()

    @cached_property
    def reactions(self) -> Reactions:
        """Force and moment in every joint, in joint axes."""
        return at_point(self.point)

    @cached_property
    def all(self) -> tuple[Equilibrium, ...]:
        """This one, then those passed and the others, each distinct one once."""
        found: list[Equilibrium] = []
        for one in (self, *self.passed, *self.others):
            if not any(is_same(one, known) for known in found):
                found.append(one)
        return tuple(found)


@on_one_thread
def equilibrium(model: Subject, *, which: str = "stable", all_from: int = 0) -> Equilibrium:
    """The stable equilibrium nearest to the initial state (or to the explicit values of the model's operating point);
    or nearest to the operating point given, or to the one that a result carries (where a simulation ended).

    `which="nearest"` takes the nearest one, stable or not: of what Newton's method finds from the start and what the
    forces lead to. `all_from=N` also searches from N random starts (always the same ones) in both ways and lists what
    is found, stable or not, in `others`.
    """
    if which not in ("stable", "nearest"):
        raise InputError(Fault("which", f'"{which}" is not known.', 'Use "stable" or "nearest".'))
    given = subject(model)
    search = _Search(given) if isinstance(given, InertModel) else _Search(given.model, given)
    found = search.nearest() if which == "nearest" else search.wanted(search.start)
    if not all_from:
        return found
    starts = (search.start, *search.random_starts(all_from))
    others = sorted((one for start in starts for one in search.quietly(start)), key=lambda one: one.distance)
    full = replace(found, others=tuple(others))
    return replace(full, others=tuple(one for one in full.all[1:] if not any(one is p for p in found.passed)))


def equilibrium_point(model: InertModel, options: Mapping[str, Any]) -> OperatingPoint:
    """The operating point of `operating_point: equilibrium`."""
    return equilibrium(model, which=options.get("which") or "stable").point


class _Search:
    """Where the search starts and what it may do."""

    def __init__(self, model: InertModel, point: OperatingPoint | None = None) -> None:
        self.model = model
        self.system, _ = held_still(system_of(model))
        self.M = weight(self.system)
        self.bent: tuple[str, ...] = ()  # what a way from an unstable equilibrium bent too far
        self.start = given_configuration(self.system, model.description.operating_point)
        if point is not None:
            at_rest = replace(self.start, r=point.state.r, R=point.state.R, x=point.state.x, turns=point.state.turns)
            self.start = closed(self.system, at_rest, select(Mechanics(self.system, at_rest)), self.M)

    def nearest(self) -> Equilibrium:
        """The nearer of the one that Newton's method finds from the start and the one to which the forces lead."""
        direct = newton(self.system, self.start)
        if direct is not None and direct.steps == 0:
            return self.judged(direct)
        try:
            ways = [settle(self.system, self.start), *([] if direct is None else [direct])]
        except (ComputationError, InputError):
            if direct is None:
                raise
            ways = [direct]
        return self.judged(min(ways, key=lambda settled: self.distance(settled.state)))

    def wanted(self, start: State) -> Equilibrium:
        """Settle; from an unstable equilibrium go on, both ways along the growing modes, to the nearest stable one."""
        found = self.judged(settle(self.system, start))
        if found.is_stable:
            return found
        passed, steps = [found], found.iterations
        waiting = [found]
        best: Equilibrium | None = None
        while waiting and len(passed) <= PASSES and best is None:
            below: list[Equilibrium] = []
            for settled in self.left(waiting.pop(0)):
                one = self.judged(settled)
                steps += one.iterations
                if not any(is_same(one, known) for known in (*passed, *below)):
                    below.append(one)
            stable = [one for one in below if one.is_stable]
            best = min(stable, key=lambda one: one.distance, default=None)
            unstable = [one for one in below if not one.is_stable]
            passed += unstable
            waiting = sorted([*waiting, *unstable], key=lambda one: one.distance)
        if best is None:
            point = replace(found.point, warnings=(*found.point.warnings, *self.bent))
            return replace(found, point=point, passed=tuple(passed[1:]))
        return replace(best, passed=tuple(passed), iterations=steps, how=f"{best.how}, after leaving an unstable one")

    def judged(self, settled: Settled) -> Equilibrium:
        point = at_state(self.model, self.system, settled.state)
        return Equilibrium(point, judge(point), settled.steps, settled.how, self.distance(settled.state))

    def left(self, unstable: Equilibrium) -> Iterator[Settled]:
        """Where the mechanism comes to rest when it leaves an unstable equilibrium."""
        system, point = self.system, unstable.point
        span = float(np.ptp(np.real(system.places.r), axis=0).max(initial=0.0))
        unit = np.where(system.is_angular, 1.0, max(span, system.length))
        for motion in unstable.verdict.growing[:MODES_TRIED]:
            step = ASIDE * motion / np.abs(motion / unit).max()
            for sign in (1.0, -1.0):
                try:
                    moved = counted(system, point.state, point.state.moved(system, sign * step))
                    yield settle(system, closed(system, moved, point.chosen, self.M))
                except BentTooFarError as error:
                    self.bent = self.bent or (f"On the way from this unstable equilibrium to a stable one: {error}",)
                except (ComputationError, InputError):  # that way there is none; the other ways decide
                    continue

    def quietly(self, start: State) -> Iterator[Equilibrium]:
        """What is found from a random start, if anything: by Newton's method, and where the forces lead."""
        for way in (newton, settle):
            try:
                settled = way(self.system, start)
                found = None if settled is None else self.judged(settled)
            except (ComputationError, InputError):
                continue
            if found is not None:
                yield found

    def distance(self, state: State) -> float:
        """Change of the tree coordinates since the start."""
        system, index = self.system, self.system.tree_coordinates
        unit = np.array([system.length if system.dimensions[i] == "m" else 1.0 for i in index])
        change = values_of(system, state, index) - values_of(system, self.start, index)
        return float(np.linalg.norm(change / unit)) if len(index) else 0.0

    # Random starts ----------------------------------------------------------------------------------------------
    def random_starts(self, count: int) -> Iterator[State]:
        """Starts spread over the coordinates: any angle, displacements up to the size of the mechanism."""
        system = self.system
        rng = np.random.default_rng(1)
        positions = select(Mechanics(system, self.start)).positions
        size = drawing_size(system)
        unit = np.array([size if system.dimensions[i] == "m" else np.pi for i in positions])
        for _ in range(count):
            yield self._walked(rng.uniform(-1.0, 1.0, len(positions)) * unit)

    def _walked(self, change: np.ndarray) -> State:
        """The start moved by a change of its coordinates, as far as the constraints let it."""
        system, state = self.system, self.start
        for _ in range(STEPS_AWAY if len(change) else 0):
            try:
                mechanics = Mechanics(system, state)
                chosen = select(mechanics)
                if len(chosen.positions) != len(change):
                    return state
                frame = MotionFrame(mechanics, chosen)
                rhs = np.concatenate((np.zeros(len(chosen.rows)), change / STEPS_AWAY))
                ahead = state.moved(system, frame.at_position.solve(rhs))
                state = closed(system, counted(system, state, ahead), chosen, self.M)
            except ComputationError:
                return state
        return state


def drawing_size(system: System) -> float:
    """Extent of all that is drawn: bodies, joints, the points at which forces hold on to bodies and to ground, and the
    free lengths of springs."""
    description, places = system.description, system.places
    own = [places.index[name] for name in description.bodies.names if not _is_modal(system, places.index[name])]
    points = [places.r[own], *(marker.position for marker in description.markers.values())]
    lengths = [0.0]
    for _, entry in description.entries():
        at = entry.get("at")
        points += [at] if isinstance(at, np.ndarray) else []
        lengths.append(abs(np.real(entry.get("free_length") or 0.0)))
    drawn = np.concatenate([np.real(point).reshape(-1, 3) for point in points])
    span = float(np.linalg.norm(np.ptp(drawn, axis=0))) if len(drawn) else 0.0
    return max(span, *lengths) or system.length


def _is_modal(system: System, carrier: int) -> bool:
    modal = system.description.bodies.modal
    return modal is not None and bool(modal[carrier])


def is_same(one: Equilibrium, other: Equilibrium) -> bool:
    """Whether two equilibria are one, up to a motion that nothing opposes (then their eigenvalues tell)."""
    a, b, length = one.point.state, other.point.state, one.point.system.length
    apart = max(
        np.abs(a.r - b.r).max(initial=0.0) / length,
        np.abs(a.R - b.R).max(initial=0.0),
        np.abs(a.x - b.x).max(initial=0.0) / max(1.0, np.abs(a.x).max(initial=0.0)),
    )
    if apart <= SAME:
        return True
    if not (_is_indifferent(one) and _is_indifferent(other)) or one.stability != other.stability:
        return False
    p, q = one.eigenvalues, other.eigenvalues
    return len(p) == len(q) and bool(np.allclose(p, q, rtol=1e-5, atol=1e-6 * np.abs(p).max(initial=1e-300)))


def _is_indifferent(one: Equilibrium) -> bool:
    return bool(np.any(one.eigenvalues == 0))
