"""Many variants of a model at once: compiled once, and their operating points with a leading batch axis.

Variants that take different branches (a mass that is zero in some, a direction that changes its nearest axis) are
parted into groups inside which all agree. A variant that a group cannot hold (another branch of the mechanism, a rank
of its own) is found again by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from eigenbody.base.batched import Differ, Variants
from eigenbody.base.errors import EigenbodyError, Fault, InputError
from eigenbody.dynamics.mechanics import Mechanics
from eigenbody.linearization.point import OperatingPoint, remember_system, system_of
from eigenbody.mobility.bearings import misplaced_bearings
from eigenbody.mobility.closing import with_closed_joints
from eigenbody.mobility.frame import MotionFrame
from eigenbody.mobility.initial import initial_configuration
from eigenbody.mobility.limits import beyond_limits
from eigenbody.mobility.motion import ForwardDynamics, solve_motion
from eigenbody.mobility.partition import select
from eigenbody.mobility.segments import segmented
from eigenbody.mobility.treespace import value_set
from eigenbody.mobility.turns import values_of
from eigenbody.model.model import InertModel
from eigenbody.numerics.matrices.assembly import Triplets
from eigenbody.numerics.matrices.linear import DENSE_LIMIT, factor, matrix, rows_of, solve_vector, stack
from eigenbody.operating.find import operating_point
from eigenbody.system.compile import CompiledVariants
from eigenbody.system.state import State, stacked_states
from eigenbody.system.system import System

CHUNK_ENTRIES = 2_000_000  # numbers in one stack of matrices of the bodies: bounds the memory of a chunk
HOLDS = 1e-9  # how well constraints must hold in a variant, relative to the mechanism's length
REACH = 1e6  # a coordinate that moves bodies by more than this many times as in the first variant has gone singular

Values = Mapping[str, np.ndarray]


@dataclass(frozen=True, eq=False)
class Group:
    """Variants that were compiled together: their numbers in the family, their values, and all their systems."""

    model: InertModel
    index: np.ndarray
    values: Values
    compiled: CompiledVariants
    system: System

    def __len__(self) -> int:
        return len(self.index)

    @cached_property
    def first(self) -> System:
        """The system of the first variant."""
        return with_closed_joints(self.compiled.one(0))

    def model_of(self, k: int) -> InertModel:
        """The model of the k-th variant; it need not be compiled again."""
        numbers = {name: float(values[k]) for name, values in self.values.items()}
        system = with_closed_joints(self.compiled.one(k)) if k else self.first
        model = self.model.with_values(numbers, system.description)
        remember_system(model, system)
        return model


@dataclass(frozen=True)
class Failed:
    """A variant that has no operating point, and why."""

    index: int
    message: str


def checked_values(model: InertModel, values: Mapping[str, Sequence[float] | np.ndarray]) -> dict[str, np.ndarray]:
    """The values as arrays of one length; names that the model does not know and values not finite are refused."""
    arrays = {name: np.atleast_1d(np.asarray(given, dtype=float)) for name, given in values.items()}
    if not arrays:
        raise InputError(Fault("variants", "there are no values.", 'Give for example {"k": [900, 1000, 1100]}.'))
    counts = {array.size for array in arrays.values()}
    if len(counts) > 1 or any(array.ndim > 1 for array in arrays.values()):
        raise InputError(Fault("variants", "the lists of values differ in length.", "Give one value for each variant."))
    for name, array in arrays.items():
        if not np.isfinite(array).all():
            raise InputError(Fault(name, "not every value is a finite number."))
    model.with_values(dict.fromkeys(arrays, 0.0))  # refuses unknown names
    return arrays


def groups(model: InertModel, values: Values) -> Iterator[Group | Failed]:
    """All variants, compiled in groups."""
    count = len(next(iter(values.values())))
    chunk = batch_size(model)
    for start in range(0, count, chunk):
        yield from _grouped(model, np.arange(start, min(count, start + chunk)), values)


def batch_size(model: InertModel) -> int:
    """How many variants are at most found together."""
    width = max(1, 6 * len(model.description.bodies))
    return max(1, CHUNK_ENTRIES // width**2)


def _grouped(model: InertModel, index: np.ndarray, values: Values) -> Iterator[Group | Failed]:
    own = {name: array[index] for name, array in values.items()}
    try:
        varied = model.with_values({name: Variants(array) for name, array in own.items()})
        compiled = CompiledVariants.of(varied.description)
        yield Group(model, index, own, compiled, compiled.all())
    except Differ as parts:
        yield from _grouped(model, index[parts.mask], values)
        yield from _grouped(model, index[~parts.mask], values)
    except EigenbodyError as error:
        if len(index) == 1:
            yield Failed(int(index[0]), str(error))
        else:  # which of them is at fault shows one by one
            for i in index:
                yield from _grouped(model, np.array([i]), values)


def can_batch(model: InertModel, system: System) -> bool:
    """Whether variants can be found together: small, without one-sided constraints, no reactions among the outputs, no
    joints that are open by rounding, no parameters that each operating point finds for itself."""
    one_sided = any(entry.get("side") is not None for entry in model.description.drivers)
    reactions = any(output.reaction is not None for output in system.outputs)
    is_open = bool(system_of(model).description.closed)
    adjusted = (model.description.operating_point or {}).get("adjust") or ()
    is_adjusted = any(name in model.parameters for name in adjusted)
    return system.nq <= DENSE_LIMIT and not (one_sided or reactions or is_open or is_adjusted)


def batch_point(group: Group) -> tuple[OperatingPoint, np.ndarray]:
    """The operating points of a group as one with batch axes, and which variants (k,) it does not hold for.

    Raises the error of the first variant where that has no operating point.
    """
    first = operating_point(group.model_of(0))
    wanted = group.model.description.operating_point or {"type": "reference"}
    if wanted["type"] == "reference":
        state, apart = initial_states(group)
    else:
        state, apart = _stacked([operating_point(group.model_of(k)).state for k in range(len(group))])
    return _completed(group, first, state, apart)


def _completed(
    group: Group, first: OperatingPoint, state: State, apart: np.ndarray
) -> tuple[OperatingPoint, np.ndarray]:
    system, chosen = group.system, first.chosen
    frame = MotionFrame(Mechanics(system, state), chosen)
    motion = solve_motion(frame)
    mechanics = motion.mechanics(frame.mechanics)
    point = replace(
        first, system=system, state=mechanics.state, motion=motion, mechanics=mechanics,
        frame=frame.accelerated(mechanics),
    )  # fmt: skip
    return point, apart | _broken(point, first, len(group))


def _broken(point: OperatingPoint, first: OperatingPoint, count: int) -> np.ndarray:
    """Variants in which a row left out as redundant does not hold, or whose coordinates have gone singular."""
    h, n = point.mechanics.holonomic, point.mechanics.non_holonomic
    speed = 1.0 + float(np.abs(first.state.w).max(initial=0.0)) ** 2
    tolerance = HOLDS * max(1.0, point.system.length) * speed
    size = 1.0 + np.abs(point.motion.acceleration).max(axis=-1, initial=0.0)
    rows = [(h.value, 1.0), (h.rate, 1.0), (n.rate, 1.0), (h.acceleration, 10 * size), (n.acceleration, 10 * size)]
    bad = np.zeros(count, dtype=bool)
    for values, scale in rows:
        bad = bad | (np.abs(values).max(axis=-1, initial=0.0) > tolerance * scale)
    reach, first_reach = (np.abs(frame.P).max(axis=(-2, -1), initial=0.0) for frame in (point.frame, first.frame))
    return bad | ~(reach < REACH * (1.0 + first_reach)) | ~np.isfinite(size)


def separate_points(
    group: Group, batch: OperatingPoint, members: Iterable[int], models: Sequence[InertModel] | None = None
) -> dict[int, OperatingPoint]:
    """The operating points of some of the variants, each by itself; the models of all may be known."""
    residual, *drift = (np.broadcast_to(figure, len(group)).tolist() for figure in batch.figures)
    points = {}
    for k in members:
        model, state = models[k] if models else group.model_of(k), one_of(batch.state, k)
        own = system_of(model)
        motion = ForwardDynamics(*(a[k] if a.ndim > 1 else a for a in batch.motion.parts))
        here = Mechanics(own, state, motion.acceleration)
        points[k] = replace(
            batch, model=model, system=own, state=state, motion=motion, residual=residual[k],
            drift=(drift[0][k], drift[1][k], drift[2][k]),
            warnings=(*own.warnings, *beyond_limits(here), *misplaced_bearings(here)),
            mechanics=here, frame=MotionFrame(here, batch.chosen),
        )  # fmt: skip
    return points


# The initial state ----------------------------------------------------------------------------------------------------
def initial_states(group: Group) -> tuple[State, np.ndarray]:
    """The initial states, the drawings where they hold, else found one by one, velocities together; and which variants
    (k,) they do not hold for."""
    system = group.system
    drawn = system.reference_state()
    mechanics = Mechanics(system, drawn)
    given = system.positions
    length = group.first.length
    off = np.abs(mechanics.holonomic.value).max(axis=-1, initial=0.0) / length > 1e-12
    start = values_of(system, drawn, given.measure)
    off = off | (np.abs(start - given.value).max(axis=-1, initial=0.0) > 1e-15)
    if np.any(off):
        state, apart = _stacked([initial_configuration(system_of(group.model_of(k))) for k in range(len(group))])
    else:
        state, apart = drawn, np.zeros(len(group), dtype=bool)
    moving, off_speed = _initial_velocities(system, state, group)
    return moving, apart | off_speed


def _initial_velocities(system: System, state: State, group: Group) -> tuple[State, np.ndarray]:
    given, mechanics = system.velocities, Mechanics(system, state)
    none = np.zeros(len(group), dtype=bool)
    held = (mechanics.holonomic.rate, mechanics.non_holonomic.rate)
    if not any(np.any(rates) for rates in (*held, given.value)) and not system.description.frames:
        return state, none  # but what hangs on a turning frame moves with it
    chosen = select(Mechanics(group.first, one_of(state, 0)), given.measure, by_order=True)
    measures = value_set(system, chosen.velocities)
    jet = measures.jet(mechanics.at, state.turns)
    wanted = np.zeros((*given.value.shape[:-1], measures.count), dtype=given.value.dtype)
    for k, i in enumerate(given.measure):
        wanted[..., chosen.velocities == i] = given.value[..., k, None]
    own = [Triplets.of_rows(np.arange(measures.count), measures.columns, jet.gradient)]
    G = matrix(mechanics.holonomic.rows(), (system.constraints.count, system.nq), False)
    N = matrix(mechanics.non_holonomic.rows(), (system.slips.count, system.nq), False)
    speeds = matrix(own, (measures.count, system.nq), False)
    J = stack([rows_of(G, chosen.rows), rows_of(N, chosen.slip_rows), speeds])
    right = [-held[0][..., chosen.rows], -held[1][..., chosen.slip_rows], wanted - jet.rate]
    lead = np.broadcast_shapes(*(part.shape[:-1] for part in right))
    rhs = np.concatenate([np.broadcast_to(part, (*lead, part.shape[-1])) for part in right], axis=-1)
    moving = state.with_velocity(system, solve_vector(factor(J), rhs))
    rate = value_set(system, given.measure).jet(Mechanics(system, moving).at, state.turns).rate
    size = 1.0 + np.abs(given.value).max(axis=-1, initial=0.0)
    off = np.abs(rate - given.value).max(axis=-1, initial=0.0) > 1e-9 * size
    return moving, none | off | bool(segmented(group.first))  # whose pieces may turn with one of them


def one_of(state: State, k: int) -> State:
    """One state out of a batch; parts without batch axes are shared."""
    part: Callable[[np.ndarray, int], np.ndarray] = lambda a, axes: a[k] if a.ndim > axes else a  # noqa: E731
    r, R, v, w = part(state.r, 2), part(state.R, 3), part(state.v, 2), part(state.w, 2)
    x, turns, u_in, z = (part(a, 1) for a in (state.x, state.turns, state.u_in, state.z))
    t = float(state.t[k]) if isinstance(state.t, np.ndarray) and state.t.ndim else state.t
    return State(r, R, v, w, x, turns, u_in, t, z)


def _stacked(states: list[State]) -> tuple[State, np.ndarray]:
    """States as one with a batch axis; states at another time than the first cannot be among them."""
    apart = np.array([state.t != states[0].t for state in states])
    return replace(stacked_states(states), t=states[0].t), apart
