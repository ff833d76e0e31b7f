"""The certificate: evidence that travels with every result."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any

import numpy as np

from eigenbody.base.copies import Later, LeanCopies
from eigenbody.dynamics.mechanics import Mechanics
from eigenbody.linearization.point import OperatingPoint
from eigenbody.linearization.rows import algebraic_rows
from eigenbody.linearization.stiffening import remarks_on_loads
from eigenbody.mobility.independence import remarks_on_loops
from eigenbody.mobility.motion import ForwardDynamics
from eigenbody.mobility.multipliers import Multipliers
from eigenbody.numerics.matrices.assembly import dense_vector
from eigenbody.numerics.matrices.linear import DENSE_LIMIT, matrix, times
from eigenbody.spatial.rotations import exp
from eigenbody.system.arguments import AnySignal, Quantities
from eigenbody.system.external import External
from eigenbody.system.implicit import ImplicitRate
from eigenbody.system.measureset import MeasureSet, SetJet
from eigenbody.system.state import State, some_states, spread
from eigenbody.system.system import System

STEP = 1e-40
Tangent = Callable[[np.ndarray, np.ndarray], np.ndarray]  # dF = K dq + C du


@dataclass(frozen=True)
class Certificate(LeanCopies):
    """Residual of the operating point, constraint drift at each level, degrees of freedom, redundant rows by name, and
    the relative difference between the tangents and a directional (complex-step) derivative of the residual.

    `derivatives` says for every Python function of the model, by its place, how its slopes were found; `notes` name
    what the equations leave out. The tangents are checked when the figure is first read.
    """

    residual: float
    drift: tuple[float, float, float]
    dof: int
    redundant: tuple[dict[str, str], ...]
    check: Callable[[], float] = field(repr=False, compare=False)
    derivatives: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @cached_property
    def tangent_error(self) -> float:
        """How far the tangents are from a derivative of the residual by other means, relative."""
        return self.check()

    @property
    def figures(self) -> tuple[float, ...]:
        """Residual, drifts and error of the tangents."""
        return (self.residual, *self.drift, self.tangent_error)

    def as_dict(self) -> dict[str, Any]:
        return {
            "residual": self.residual,
            "drift": list(self.drift),
            "dof": self.dof,
            "redundant": [dict(row) for row in self.redundant],
            "tangent_error": self.tangent_error,
            **({"derivatives": dict(self.derivatives)} if self.derivatives else {}),
            **({"notes": list(self.notes)} if self.notes else {}),
        }


def certify(point: OperatingPoint, tangent: Tangent) -> Certificate:
    """Put the certificate of an operating point and its assembled tangents together."""
    check = Later(partial(tangent_error, point, tangent))
    notes = (*remarks_on_loops(point), *remarks_on_loads(point))
    dof = len(point.chosen.velocities)
    return Certificate(point.residual, point.drift, dof, point.redundant, check, derivatives(point), notes)


def derivatives(point: OperatingPoint) -> dict[str, str]:
    """How the slopes of every Python function of the model were found, by its place in the model."""
    found: dict[str, dict[str, None]] = {}
    for signal in _signals(point.system):
        for function, now in _functions(signal, point):
            found.setdefault(function.where, {})[function.means(now)] = None
    return {where: "; ".join(means) for where, means in found.items()}


def _signals(system: System) -> Iterator[AnySignal]:
    yield from (*system.forces.signals, *system.forces.state_rates)
    yield from (output.signal for output in system.outputs if output.signal is not None)


def _functions(signal: AnySignal, point: OperatingPoint) -> Iterator[tuple[External, Quantities]]:
    """Python functions in a signal, and the values that they take here."""
    parts = signal.group.equations if isinstance(signal, ImplicitRate) else (signal,)
    external = [part for part in parts if isinstance(part, External)]
    if external:
        now = point.mechanics.applied.now_with_accelerations
        now = replace(now, w=signal.group.rates(now)) if isinstance(signal, ImplicitRate) else now
        yield from ((part, now) for part in external)


def tangent_error(point: OperatingPoint, tangent: Tangent) -> float:
    """Largest relative difference between the assembled tangents and complex-step derivatives of the residual and of
    the constraints at acceleration level, along random directions in q and u (evaluated together, as a batch)."""
    system, nq = point.system, point.system.nq
    if not nq:
        return 0.0
    dq, du, rng = _directions(system, 2 if nq <= DENSE_LIMIT else 1)
    force = np.array([tangent(*pair) for pair in zip(dq, du, strict=True)])
    worst = [_errors_along(point, dq, du, force).max()]
    if system.algebraic:
        worst.append(_error_of_readings(point, rng, _scale(system)))
    return float(max(worst))


def tangent_errors(points: OperatingPoint, K: np.ndarray, C: np.ndarray) -> np.ndarray:
    """The same (n,) for an operating point with a leading axis over n states and its tangents K and C (n, nq, nq)."""
    system, n = points.system, len(points.state.r)
    if not system.nq:
        return np.zeros(n)
    dq, du, _ = _directions(system, 2)
    each = np.repeat(np.arange(n), len(dq))
    dq, du = np.tile(dq, (n, 1)), np.tile(du, (n, 1))
    force = times(np.broadcast_to(K, (n, *K.shape[-2:]))[each], dq)
    force = force + times(np.broadcast_to(C, (n, *C.shape[-2:]))[each], du)
    motion = ForwardDynamics(*(np.broadcast_to(part, (n, part.shape[-1]))[each] for part in points.motion.parts))
    state = some_states(points.state, each)
    mechanics = Mechanics(system, state, motion.acceleration)
    repeated = replace(points, state=state, motion=motion, mechanics=mechanics)
    return _errors_along(repeated, dq, du, force).reshape(n, -1).max(axis=-1)


def _scale(system: System) -> np.ndarray:
    """(nq,) what is a step of one in each coordinate."""
    return np.where(system.is_angular, 1.0, max(system.length, 1e-300))


def _directions(system: System, count: int) -> tuple[np.ndarray, np.ndarray, np.random.Generator]:
    """Random directions (count, nq) in q and u, the same ones every time."""
    rng = np.random.default_rng(20)
    dq, du = (rng.normal(size=(count, system.nq)) * _scale(system) for _ in range(2))
    return dq, du, rng


def _errors_along(point: OperatingPoint, dq: np.ndarray, du: np.ndarray, tangent: np.ndarray) -> np.ndarray:
    """(directions,) relative difference of the force `tangent` (directions, nq) from a complex step, and of the
    constraints at acceleration level; the point may have one state for each direction."""
    system, motion = point.system, point.motion
    bent = Mechanics(system, _perturbed(point, dq, du), motion.acceleration)
    force = bent.residual(motion.multipliers, motion.slip_multipliers).imag / STEP
    size = np.maximum(_size_of_parts(point, bent), _gyroscopic_size(point, du))
    worst = _relative(tangent, force, size)
    if point.is_at_rest and not np.any(motion.acceleration):  # no constraint accelerates whatever its tangent
        return worst
    rows = np.concatenate((bent.holonomic.acceleration, bent.non_holonomic.acceleration), axis=-1).imag / STEP
    strongest = np.maximum(np.abs(force).max(axis=-1), size)
    typical = strongest / max(float(system.mass.max()), 1e-300)  # what such a force accelerates
    return np.maximum(worst, _relative(_predicted(point, dq, du), rows, typical))


def _error_of_readings(point: OperatingPoint, rng: np.random.Generator, scale: np.ndarray) -> float:
    """The same of what the algebraic variables read, by everything it depends on, and of the forces that read them."""
    system, motion, chosen = point.system, point.motion, point.chosen
    dq, du, da = (rng.normal(size=system.nq) * scale for _ in range(3))
    size = np.maximum(np.abs(point.state.z), 1.0)
    dz = rng.normal(size=len(size)) * size
    loads = rng.normal(size=len(chosen.rows) + len(chosen.slip_rows)) * size.max()
    change = Multipliers.of(system, chosen, loads)
    state = _perturbed(point, dq, du)
    there = Mechanics(system, replace(state, z=state.z + 1j * STEP * dz), motion.acceleration + 1j * STEP * da)
    multipliers = motion.multipliers + 1j * STEP * change.held, motion.slip_multipliers + 1j * STEP * change.slip
    found = there.algebraic.readings(*multipliers).imag / STEP
    rows = algebraic_rows(point.mechanics, motion, chosen, system.nq > DENSE_LIMIT)
    parts = [(rows.q, dq), (rows.u, du), (rows.a, da), (rows.multipliers, loads), (rows.z, dz)]
    size = np.asarray(sum(abs(part) @ np.abs(by) for part, by in parts))
    second = np.array([variable.channel >= 0 for variable in system.algebraic])
    for kind in (second, ~second):  # a component that a joint does not hold is rounding beside those that it does
        size[kind] = size[kind].max(initial=0.0)
    off = np.abs(sum(part @ by for part, by in parts) - found) / np.where(size > 0, size, 1.0)
    moved = Mechanics(system, replace(point.state, z=point.state.z + 1j * STEP * dz), motion.acceleration)
    force = moved.residual(motion.multipliers, motion.slip_multipliers).imag / STEP
    onto = matrix(point.mechanics.applied.algebraic_matrix(), (system.nq, len(dz)), system.nq > DENSE_LIMIT)
    pushed = (abs(onto) @ np.abs(dz)).max(initial=0.0)
    return max(float(off.max()), float(_relative(-(onto @ dz), force, pushed)))


def _size_of_parts(point: OperatingPoint, bent: Mechanics) -> np.ndarray:
    """(directions,) largest derivative of the force of one element or constraint row on one coordinate, before they
    cancel: springs may balance to no stiffness at all, and the contact of a ball turns with it without any change."""
    system, motion, applied = point.system, point.motion, bent.applied
    law, held, n = system.forces.linear, system.constraints, system.forces.measures.count
    s, v = applied.now.s[..., law.j] - law.s0, applied.now.v[..., law.j]
    own = dense_vector(law.i, np.abs(law.k * s.real) + np.abs(law.c * v.real), n)
    change = dense_vector(law.i, np.abs(law.k * s.imag) + np.abs(law.c * v.imag), n)
    parts = [
        (applied.jet, np.maximum(own, np.abs(applied.tension.real)), np.maximum(change, np.abs(applied.tension.imag))),
        (bent.holonomic.jet, np.abs(bent.holonomic.along_measures(motion.multipliers)), np.zeros(held.measures.count)),
        (bent.non_holonomic.jet, np.abs(motion.slip_multipliers), np.zeros(system.slips.count)),
    ]
    sizes = [np.zeros(bent.state.r.shape[:-2])]
    for jet, force, changed in parts:
        if len(changed.T):
            g = jet.gradient
            pulled = jet.turned * force + np.abs(g.real).max(axis=-1) * changed
            sizes.append(pulled.max(axis=-1) / STEP)
    return np.max(np.broadcast_arrays(*sizes), axis=0)


def _gyroscopic_size(point: OperatingPoint, du: np.ndarray) -> np.ndarray:
    """(directions,) size of the gyroscopic moments before they cancel: a spinning ball needs none."""
    spin = np.abs(point.state.w).max(axis=(-2, -1), initial=0.0)
    moved = np.abs(point.mechanics.inertia_times(du))[..., point.system.is_angular]
    return spin * moved.max(axis=-1, initial=0.0)


def _predicted(point: OperatingPoint, dq: np.ndarray, du: np.ndarray) -> np.ndarray:
    """Change of the constraint accelerations, holonomic then non-holonomic, by dq and du."""
    system, mechanics = point.system, point.mechanics
    held, slips = system.constraints, system.slips
    of_measures = _along(held.measures, mechanics.holonomic.jet, dq, du)
    rows = dense_vector(held.row, held.coefficient * of_measures[..., held.measure], held.count)
    return np.concatenate((rows, _along(slips, mechanics.non_holonomic.jet, dq, du)), axis=-1)


def _along(measures: MeasureSet, jet: SetJet, dq: np.ndarray, du: np.ndarray) -> np.ndarray:
    """Change (..., measures) of the accelerations of measures by dq and du (..., nq)."""
    none = np.zeros((*dq.shape[:-1], 1))
    q, u = (np.concatenate((d, none), axis=-1)[..., measures.columns] for d in (dq, du))
    return (jet.acceleration_q * q).sum(axis=-1) + (jet.acceleration_u * u).sum(axis=-1)


def _perturbed(point: OperatingPoint, dq: np.ndarray, du: np.ndarray) -> State:
    system, state = point.system, point.state
    q, u = 1j * STEP * spread(system, dq), 1j * STEP * spread(system, du)
    return State(
        state.r + q[..., :3], state.R @ exp(q[..., 3:]), state.v + u[..., :3], state.w + u[..., 3:],
        state.x, state.turns, state.u_in, state.t, state.z,
    )  # fmt: skip


def _relative(tangent: np.ndarray, derivative: np.ndarray, typical: np.ndarray) -> np.ndarray:
    """Largest difference (...) of vectors (..., n), relative to the largest entry or to what is `typical` (...)."""
    size = np.maximum(np.abs(derivative).max(axis=-1, initial=0.0), typical)
    difference = np.abs(tangent - derivative).max(axis=-1, initial=0.0)
    return difference / np.where(size > STEP, size, 1.0)  # below: products of two steps
