"""A pose held at rest: forces and torques along joint coordinates that balance all others, found by inverse statics.

Along the held coordinates Y, in their order as far as they are independent, G^T lambda + N^T mu - Y^T tau = Q: one
transposed solve with the rows that also give the velocities at the start. What is left along coordinates that are not
held must be zero, else the mechanism would not rest. The torques are inputs of the model, at these values.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from eigenbody.base.errors import ComputationError, Fault, InputError
from eigenbody.dynamics.mechanics import Mechanics
from eigenbody.linearization.point import OperatingPoint, completed_point, system_of
from eigenbody.mobility.frame import measure_rows
from eigenbody.mobility.initial import initial_mechanics
from eigenbody.mobility.multipliers import Multipliers
from eigenbody.mobility.partition import Selection, select
from eigenbody.mobility.treespace import value_set
from eigenbody.model.model import InertModel
from eigenbody.model.operating import HELD
from eigenbody.numerics.matrices.linear import DENSE_LIMIT, factor, matrix, rows_of, solve_vector, stack
from eigenbody.system.state import State
from eigenbody.system.system import System

ITERATIONS = 30
CONVERGED = 1e-13  # relative change of what forces read
BALANCED = 1e-9  # force left along a coordinate that is not held, relative to the forces on the mechanism
NAMED = 6  # coordinates that are listed


def held_point(model: InertModel, options: Mapping[str, Any]) -> OperatingPoint:
    """The initial state at rest, with the forces and torques of the held joints that keep it there."""
    system = system_of(model)
    start = initial_mechanics(system)
    if start.state.v.any() or start.state.w.any():
        what = "the mechanism moves at its start, and held joints are at rest."
        remedy = "Leave velocities and moving frames out, or use `inverse` for the torques of a motion."
        raise InputError(Fault("operating_point: held", what, remedy))
    chosen = select(start, held_measures(system, options), by_order=True)
    return completed_point(model, Mechanics(system, balanced_state(start, chosen)))


def held_measures(system: System, options: Mapping[str, Any]) -> np.ndarray:
    """Held measures in their order; of all of them first those of the tree, as it is walked from ground on."""
    index = np.array([system.aliases[name] for name in options["joints"]], dtype=int)
    if not options["is_all"]:
        return index
    walk = {int(measure): k for k, measure in enumerate(system.tree_coordinates)}
    return np.array(sorted(index.tolist(), key=lambda i: walk.get(i, len(walk))), dtype=int)


def balanced_state(start: Mechanics, chosen: Selection) -> State:
    """The state with the inputs at which it rests; leading axes and complex steps are those of `start`."""
    system, state = start.system, start.state
    square, n = factor(_rows(start, chosen)), len(chosen.velocities)
    inputs = {name: i for i, name in enumerate(system.inputs) if system.description.inputs[i].type == HELD}
    held = [(k, inputs[name]) for k, i in enumerate(chosen.velocities) if (name := system.names[i]) in inputs]
    for _ in range(ITERATIONS):
        here = Mechanics(system, state)
        forces = solve_vector(square, here.driving, transposed=True)
        push = -forces[..., forces.shape[-1] - n :]
        u_in = np.zeros((*push.shape[:-1], len(system.inputs)), dtype=push.dtype) + state.u_in
        u_in[..., [i for _, i in held]] += push[..., [k for k, _ in held]]
        state = replace(state, u_in=u_in)
        if not system.algebraic:
            break
        multipliers = Multipliers.of(system, chosen, forces)
        z = here.algebraic.values(multipliers.held, multipliers.slip, np.zeros_like(here.acceleration))
        change, state = np.abs(z - state.z).max(), replace(state, z=z)
        if change <= CONVERGED * np.abs(z).max(initial=1e-300) and np.abs(push).max() <= 1e-12 * np.abs(u_in).max():
            break
    else:
        raise ComputationError("The forces that hold the pose were not found: other forces read what they bring about.")
    _refuse_unbalanced(here, chosen, push, {k for k, _ in held}, Multipliers.of(system, chosen, forces))
    return state


def _rows(mechanics: Mechanics, chosen: Selection) -> Any:
    """[G; N; Y]: independent rows, then the chosen coordinates by value, as inputs act along them."""
    system = mechanics.system
    is_sparse = system.nq > DENSE_LIMIT and mechanics.state.r.ndim == 2
    G = matrix(mechanics.holonomic.rows(), (system.constraints.count, system.nq), is_sparse)
    N = matrix(mechanics.non_holonomic.rows(), (system.slips.count, system.nq), is_sparse)
    Y = measure_rows(mechanics, value_set(system, chosen.velocities), is_sparse)
    return stack([rows_of(G, chosen.rows), rows_of(N, chosen.slip_rows), Y])


def _refuse_unbalanced(
    here: Mechanics, chosen: Selection, push: np.ndarray, held: set[int], multipliers: Multipliers
) -> None:
    """Coordinates that are not held must be in balance by themselves."""
    system = here.system
    size = np.abs(here.force_size(multipliers.held, multipliers.slip)) / np.where(system.is_angular, system.length, 1.0)
    names = [system.names[i] for i in chosen.velocities]
    arms = np.array([1.0 if system.dimensions[i] == "m" else system.length for i in chosen.velocities])
    left = np.abs(np.real(push)).max(axis=tuple(range(push.ndim - 1)), initial=0.0)
    loose = [k for k in range(len(names)) if k not in held and left[k] > BALANCED * arms[k] * size.max(initial=0.0)]
    if loose:
        worst = sorted(loose, key=lambda k: -left[k] / arms[k])[:NAMED]
        units = {"m": "N", "rad": "N*m"}
        texts = [f"{names[k]} ({left[k]:.6g} {units.get(system.dimensions[chosen.velocities[k]], 'N')})" for k in worst]
        what = f"the pose is not held: what acts along {', '.join(texts)} is balanced by nothing."
        remedy = "Hold these coordinates too, or give them positions at which they rest (`eigenbody equilibrium`)."
        raise InputError(Fault("operating_point: held", what, remedy))
