"""How an operating point moves with the numbers of its model: the implicit derivative, by complex steps.

Every parameter has a variant in which it alone carries a step i h; all other numbers keep their values. The equations
that define the operating point, evaluated there with the state held, give their explicit derivatives exactly; one
factorization of their real tangent then gives the state's. With the state so moved, everything that follows from it
(accelerations, constraint forces, linear equations) has the total derivative in its imaginary part.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from eigenbody.base import batched
from eigenbody.base.batched import Variants, arrays_in
from eigenbody.base.errors import ComputationError, Fault, InputError
from eigenbody.dynamics.mechanics import Mechanics
from eigenbody.linearization.linearize import VariationalEquations
from eigenbody.linearization.pencil import tangents
from eigenbody.linearization.point import OperatingPoint
from eigenbody.mobility.assembly import is_rough
from eigenbody.mobility.frame import MotionFrame, measure_rows
from eigenbody.mobility.motion import solve_motion
from eigenbody.mobility.partition import Selection, select
from eigenbody.mobility.posing import square
from eigenbody.mobility.treespace import value_set
from eigenbody.model.model import InertModel
from eigenbody.model.operating import HELD
from eigenbody.numerics.matrices.linear import Saddle, factor, matrix, rows_of, solve_vector, stack
from eigenbody.operating.find import operating_point
from eigenbody.operating.given import asked
from eigenbody.operating.held import balanced_state, held_measures
from eigenbody.operating.shapes import in_shapes_of, less_changed_shapes
from eigenbody.spatial.rotations import log
from eigenbody.system.compile import CompiledVariants
from eigenbody.system.state import State, collect
from eigenbody.system.system import System

STEP = 1e-30  # of a parameter's own size
OPENS = 1e-9  # change of a redundant row, per change of the parameter, that counts as opening


@dataclass(frozen=True, eq=False)
class Steps:
    """The model with a complex step on each of several numbers: `size` (n,) are the imaginary parts."""

    model: InertModel
    names: tuple[str, ...]
    values: np.ndarray
    size: np.ndarray
    system: System

    def slope(self, complex_values: np.ndarray) -> np.ndarray:
        """Derivative by each number from values (n, ...) or, where nothing varies, (...)."""
        n = len(self.names)
        if not np.iscomplexobj(complex_values):
            return np.zeros((n, *complex_values.shape[1:])) if _leads(complex_values, n) else complex_values * 0.0
        return complex_values.imag / self.size.reshape(n, *(1,) * (complex_values.ndim - 1))

    def split(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The names in two parts: numbers that leave the geometry of the drawing as it is, and the others."""
        measures = (self.system.constraints.measures, self.system.forces.measures, self.system.named, self.system.slips)
        bodies = self.system.description.bodies
        bent = np.zeros(len(self.names), dtype=bool)
        for array in arrays_in((measures, bodies.position, bodies.rotation, self.system.constraints.coefficient)):
            if np.iscomplexobj(array):
                bent |= np.any(array.imag != 0, axis=tuple(range(1, array.ndim)))
        pairs = list(zip(self.names, bent, strict=True))
        return tuple(name for name, bends in pairs if not bends), tuple(name for name, bends in pairs if bends)


def _leads(values: np.ndarray, n: int) -> bool:
    return values.ndim > 0 and values.shape[0] == n


def independent(model: InertModel, names: Sequence[str]) -> list[tuple[str, ...]]:
    """The names in sets that may have their steps together.

    A step replaces what stands in the model. Where that is an expression, the parameters in it would no longer act
    through it: expressions have a set of their own, parameters that are expressions of others one each.
    """
    plain, entries, derived = [], [], []
    for name in dict.fromkeys(names):
        given = model.written(name)
        if not (isinstance(given, str) and given.lstrip().startswith("=")):
            plain.append(name)
        elif name.removeprefix("parameters.") in model.parameters:
            derived.append(name)
        else:
            entries.append(name)
    return [tuple(part) for part in (plain, entries, *([name] for name in derived)) if part]


def with_steps(model: InertModel, names: Sequence[str]) -> Steps:
    """Put a step on each of the named numbers, parameters or paths, of one set of `independent`."""
    names = tuple(dict.fromkeys(names))
    if not names:
        raise InputError(Fault("parameters", "no parameter is named.", "Name at least one, or a path to a number."))
    values = np.array([model.value_of(name) for name in names])
    size = STEP * np.where(values == 0, 1.0, np.abs(values))
    stepped = values + 1j * np.diag(size)  # row k: the variant in which number k has its step
    varied = model.with_values({name: Variants(stepped[:, k]) for k, name in enumerate(names)})
    return Steps(model, names, values, size, CompiledVariants.of(varied.description).all())


def shifted_point(point: OperatingPoint, steps: Steps) -> tuple[OperatingPoint, bool]:
    """The operating point of every variant, as one with batch axes; and whether its shift was found exactly."""
    state, exact = shifted_state(point, steps)
    frame = MotionFrame(Mechanics(steps.system, state), point.chosen, is_sparse=False)
    motion = solve_motion(frame)
    mechanics = motion.mechanics(frame.mechanics)
    moved = replace(
        point, system=steps.system, state=mechanics.state, motion=motion, mechanics=mechanics,
        frame=frame.accelerated(mechanics),
    )  # fmt: skip
    _refuse_opening(moved, steps)
    return moved, exact


def shifted_state(point: OperatingPoint, steps: Steps) -> tuple[State, bool]:
    """The state of every variant, and whether its shift was found exactly.

    Where it rests on a search that has no equations of its own (the assembly of a rough drawing, a steady motion, the
    end of a simulation), its shift is found by differences, extrapolated to step zero.
    """
    wanted = steps.model.description.operating_point or {"type": "reference"}
    rough = bool(point.system.description.closed) or is_rough(Mechanics(point.system, point.system.reference_state()))
    exact = wanted["type"] in ("reference", "given", "equilibrium", HELD) and not rough
    if not exact and wanted["type"] == HELD:
        what = "the drawing is assembled by search, and how the torques that hold it change with parameters is unknown."
        raise InputError(Fault("operating_point: held", what, "Draw the joints closed."))
    if not exact:
        return _by_differences(point, steps), False
    if wanted["type"] == HELD:
        return _held_shift(point, steps, wanted), True
    find = _equilibrium_shift if wanted["type"] == "equilibrium" else _initial_shift
    return find(point, steps), True


def _refuse_opening(moved: OperatingPoint, steps: Steps) -> None:
    """A redundant row that opens with a parameter, here or next to here: the mechanism cannot follow that change."""
    redundant, system, n = moved.chosen.redundant, moved.system, len(steps.names)
    if not len(redundant):
        return
    value = moved.mechanics.holonomic.value[..., redundant]
    G = matrix(moved.mechanics.holonomic.rows(), (system.constraints.count, system.nq), False)
    along = rows_of(G, redundant) @ moved.frame.P  # opening by the free motion
    here, near = np.broadcast_to(value, (n, len(redundant))), np.broadcast_to(along, (n, *along.shape[-2:]))
    opened = np.maximum(np.abs(steps.slope(here)), np.abs(steps.slope(near)).max(axis=-1, initial=0.0))
    refuse_opened(steps, system, redundant, opened)


def refuse_opened(steps: Steps, system: System, redundant: np.ndarray, opened: np.ndarray) -> None:
    """Refuse a step that opens one of the redundant rows, by `opened` (n, redundant) a unit of the number."""
    if (opened <= OPENS).all():
        return
    k, row = np.unravel_index(np.argmax(opened), opened.shape)
    where = system.constraints.rows[redundant[row]].where
    what = f"the mechanism cannot follow a change of {steps.names[k]}: {where}, redundant here, would open."
    raise InputError(Fault(steps.names[k], what, "Leave it out, or free the joint so that it is not redundant."))


# The initial state ----------------------------------------------------------------------------------------------------
def _initial_shift(point: OperatingPoint, steps: Steps) -> State:
    """Given values and constraints hold, the rest of the walk stays: at position, then at velocity level."""
    options = steps.model.description.operating_point or {}
    real, system = asked(point.system, options), asked(steps.system, steps.system.description.operating_point or {})
    x, u_in = _states_and_inputs(point, system)
    at_rest = replace(point.state, v=np.zeros_like(point.state.v), w=np.zeros_like(point.state.w))
    chosen = select(Mechanics(real, at_rest), real.positions.measure, by_order=True)
    dq = _moved_by_position(Mechanics(real, at_rest), chosen, Mechanics(system, at_rest), steps)
    state = _moved(replace(point.state, x=x, u_in=u_in), steps, dq)
    du = _moved_by_velocity(point, real, system, state, steps)
    if not np.any(du):
        return state
    return state.with_velocity(system, point.state.velocity(point.system) + 1j * steps.size[:, None] * du)


def _held_shift(point: OperatingPoint, steps: Steps, options: Mapping[str, Any]) -> State:
    """The pose moves like any start, and forces and torques balance it there anew."""
    state, system = _initial_shift(point, steps), steps.system
    start = Mechanics(point.system, point.state)
    chosen = select(start, held_measures(point.system, options), by_order=True)
    u_in = np.array(np.broadcast_to(state.u_in, (len(steps.names), len(system.inputs))))
    return balanced_state(Mechanics(system, replace(state, u_in=u_in)), chosen)


def _moved(state: State, steps: Steps, dq: np.ndarray) -> State:
    """The state moved by each step; as it is where nothing moves."""
    return state.moved(steps.system, 1j * steps.size[:, None] * dq) if np.any(dq) else state


def _states_and_inputs(point: OperatingPoint, system: System) -> tuple[np.ndarray, np.ndarray]:
    """First-order states and inputs at their values, with the steps of what sets them."""
    options, drawn = system.description.operating_point or {}, system.reference_state()
    out = []
    for now, new, names, key in (
        (point.state.x, drawn.x, system.states, "states"), (point.state.u_in, drawn.u_in, system.inputs, "inputs")
    ):  # fmt: skip
        given = options.get(key) or {}
        steps = [np.imag(given[n] if n in given else new[..., k]) for k, n in enumerate(names)]
        out.append(now + 1j * batched.stack(steps, axis=-1) if any(np.any(s) for s in steps) else now)
    return out[0], out[1]


def _moved_by_position(real: Mechanics, chosen: Selection, stepped: Mechanics, steps: Steps) -> np.ndarray:
    given = stepped.system.positions
    measures = value_set(stepped.system, chosen.positions)
    value = measures.jet(stepped.at, stepped.state.turns).value
    off = value - _wanted(chosen.positions, given.measure, given.value)
    right = _joined([stepped.holonomic.value[..., chosen.rows], off], len(steps.names))
    if not np.any(right.imag):
        return np.zeros((len(steps.names), stepped.system.nq))
    J = square(real, chosen, value_set(real.system, chosen.positions))
    return -solve_vector(factor(J), steps.slope(right))


def _moved_by_velocity(point: OperatingPoint, real: System, system: System, state: State, steps: Steps) -> np.ndarray:
    now = Mechanics(real, point.state)
    given = system.velocities
    chosen = select(now, given.measure, by_order=True)
    there = Mechanics(system, state)
    rate = value_set(system, chosen.velocities).jet(there.at, state.turns).rate
    off = rate - _wanted(chosen.velocities, given.measure, given.value)
    slips = there.non_holonomic.rate[..., chosen.slip_rows]
    right = _joined([there.holonomic.rate[..., chosen.rows], slips, off], len(steps.names))
    if not np.any(right.imag):
        return np.zeros((len(steps.names), system.nq))
    is_sparse = MotionFrame(now, chosen).is_sparse
    G = matrix(now.holonomic.rows(), (real.constraints.count, real.nq), is_sparse)
    N = matrix(now.non_holonomic.rows(), (real.slips.count, real.nq), is_sparse)
    own = measure_rows(now, value_set(real, chosen.velocities), is_sparse)
    J = stack([rows_of(G, chosen.rows), rows_of(N, chosen.slip_rows), own])
    return -solve_vector(factor(J), steps.slope(right))


def _wanted(chosen: np.ndarray, given: np.ndarray, value: np.ndarray) -> np.ndarray:
    """Steps of the values asked for: given ones have their own, the others none."""
    place = {int(i): k for k, i in enumerate(given)}
    none = np.zeros(value.shape[:-1])
    columns = [1j * value[..., place[i]].imag if i in place else none for i in chosen.tolist()]
    return np.stack(columns, axis=-1) if columns else np.zeros((*value.shape[:-1], 0))


def _joined(parts: Sequence[np.ndarray], n: int) -> np.ndarray:
    """Vectors (n, m) or (m,) one after the other, complex, with the batch axis."""
    return np.concatenate([np.broadcast_to(part, (n, part.shape[-1])) for part in parts], axis=-1).astype(complex)


# Equilibrium ----------------------------------------------------------------------------------------------------------
def _equilibrium_shift(point: OperatingPoint, steps: Steps) -> State:
    """Constraints and the balance of forces hold; states stay at rest."""
    if point.frame.is_sparse:
        return _large_equilibrium_shift(point, steps)
    e = VariationalEquations(point)
    frame, system = point.frame, steps.system
    held = Mechanics(system, point.state).holonomic.value[..., point.chosen.rows]
    closing = _joined([held, np.zeros(frame.positions.count)], len(steps.names))
    dq = -solve_vector(frame.at_position, steps.slope(closing))
    there = Mechanics(system, _moved(point.state, steps, dq))
    pushed, rates = _pushed(point, there, steps)
    nS, nW = frame.positions.count, frame.speeds.count
    A = e.state_space.A[nS:]
    static = np.delete(A, np.s_[nS : nS + nW], axis=1)
    right = np.concatenate((pushed.T if system.algebraic else np.linalg.solve(e.M, pushed.T), rates.T))
    found = _least_change(static, -right)
    dq = dq + (frame.P @ found[:nS]).T
    dx = found[nS:].T
    x = point.state.x + 1j * steps.size[:, None] * dx if np.any(dx) else point.state.x
    return replace(_moved(point.state, steps, dq), x=x)


def _pushed(point: OperatingPoint, there: Mechanics, steps: Steps) -> tuple[np.ndarray, np.ndarray]:
    """What the steps alone do to the equilibrium: forces along the velocity coordinates (n, velocities), and rates of
    states (n, states); accelerations of the coordinates in place of forces where forces read what they bring about."""
    n = len(steps.names)
    if there.system.algebraic:
        frame = MotionFrame(there, point.chosen, is_sparse=False)
        moved = solve_motion(frame).mechanics(there)
        moving = frame.accelerated(moved).speed_jet.acceleration
        return steps.slope(_joined([moving], n)), steps.slope(_joined([moved.applied.state_rate()], n))
    force = _joined([there.residual(point.motion.multipliers, np.zeros(point.system.slips.count))], n)
    rates = _joined([there.applied.state_rate()], n)
    return -steps.slope(force) @ point.frame.Pv, steps.slope(rates)


def _large_equilibrium_shift(point: OperatingPoint, steps: Steps) -> State:
    """The same by one sparse factorization of [[K, G^T], [G, 0]]."""
    if len(point.state.x) or point.system.algebraic:
        what = "first-order states" if len(point.state.x) else "forces that read reactions or accelerations"
        raise ComputationError(
            f"The equilibrium has {what} and {point.system.nq} body coordinates:"
            " its shift is not known on the sparse path."
        )
    system, n = steps.system, len(steps.names)
    there = Mechanics(system, point.state)
    force = _joined([there.residual(point.motion.multipliers, np.zeros(system.slips.count))], n)
    held = _joined([there.holonomic.value[..., point.chosen.rows]], n)
    _, K = tangents(point)
    dq, _ = Saddle(K, point.frame.held("gradient")).solve(-steps.slope(force).T, -steps.slope(held).T)
    if not np.isfinite(dq).all():
        raise ComputationError("The equilibrium does not move smoothly with a parameter: its stiffness is singular.")
    return _moved(point.state, steps, dq.T)


def _least_change(matrix: np.ndarray, right: np.ndarray) -> np.ndarray:
    """The smallest solution: along motions that nothing opposes an equilibrium stays where it is."""
    if not matrix.size:
        return np.zeros((matrix.shape[1], right.shape[1]))
    scale = np.abs(matrix).max(axis=1, keepdims=True)
    scale = np.where(scale > 0, scale, 1.0)
    found, _, rank, _ = np.linalg.lstsq(matrix / scale, right / scale, rcond=1e-11)
    off = np.abs((matrix @ found - right) / scale).max(initial=0.0)
    if rank < len(matrix) and off > 1e-6 * np.abs(right / scale).max(initial=1e-300):
        raise ComputationError(
            "The equilibrium does not move smoothly with a parameter: it is about to vanish (a turning point)."
        )
    return found


# Differences ----------------------------------------------------------------------------------------------------------
def _by_differences(point: OperatingPoint, steps: Steps) -> State:
    """Differences of the whole search with several steps, extrapolated to zero."""
    slopes = [_slope(point, steps.model, name, value) for name, value in zip(steps.names, steps.values, strict=True)]
    dq, du, dx = (np.array(column) for column in zip(*slopes, strict=True))
    dq, du = less_changed_shapes(point, steps.system, steps.size, dq, du)
    step = 1j * steps.size[:, None]
    moved = point.state.moved(steps.system, step * dq)
    u = point.state.velocity(point.system) + step * du
    return replace(moved.with_velocity(steps.system, u), x=point.state.x + step * dx)


def _slope(point: OperatingPoint, model: InertModel, name: str, value: float) -> list[np.ndarray]:
    """Slopes of position, velocity and states by one number: central where the model takes values on both sides."""
    width = 1e-3 * (abs(value) or 1.0)
    sides = [side for side in (1.0, -1.0) if _is_valid(model, name, value + side * width)]
    if not sides:
        what = f"the model takes no value a little above or below {value:g}, by which to find how its motion changes."
        raise InputError(Fault(name, what, "Leave it out, or change it."))

    def change(h: float) -> list[np.ndarray]:
        there = operating_point(model.with_values({name: value + h}))
        return _change(point, in_shapes_of(point, there))

    if len(sides) == 2:
        halved = [[(a - b) / (2 * h) for a, b in zip(change(h), change(-h), strict=True)] for h in (width, width / 2)]
        return [(4 * fine - coarse) / 3 for coarse, fine in zip(*halved, strict=True)]
    quarters = [[a / h for a in change(h)] for h in sides[0] * width * np.array((1.0, 0.5, 0.25))]
    return [(8 * fine - 6 * middle + coarse) / 3 for coarse, middle, fine in zip(*quarters, strict=True)]


def _is_valid(model: InertModel, name: str, value: float) -> bool:
    """Whether the model is one with this value: no mass is negative, and the like."""
    try:
        return model.with_values({name: value}).description is not None
    except InputError:
        return False


def _change(point: OperatingPoint, there: State) -> list[np.ndarray]:
    """What parts another state of the same mechanism from this one: body coordinates, velocities, states."""
    system, now = point.system, point.state
    turned = log(np.swapaxes(now.R, -1, -2) @ there.R)
    return [collect(system, there.r - now.r, turned), there.velocity(system) - now.velocity(system), there.x - now.x]
