"""Operating points by explicit values: what is given holds exactly, the rest follows the rule of the initial state."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from eigenbody.base.batched import stack
from eigenbody.linearization.point import OperatingPoint, at_state, system_of
from eigenbody.mobility.initial import initial_configuration, initial_state
from eigenbody.model.model import InertModel
from eigenbody.system.state import State
from eigenbody.system.system import Given, System


def given_point(model: InertModel, options: Mapping[str, Any]) -> OperatingPoint:
    """The initial state with the given positions, velocities, states and inputs instead of the model's own."""
    system = system_of(model)
    return at_state(model, system, given_state(system, options))


def given_state(system: System, options: Mapping[str, Any]) -> State:
    """The consistent state with the values of `positions`, `velocities`, `states` and `inputs`."""
    return _with_states(system, initial_state(asked(system, options)), options)


def given_configuration(system: System, options: Mapping[str, Any]) -> State:
    """The same at rest."""
    return _with_states(system, initial_configuration(asked(system, options)), options)


def asked(system: System, options: Mapping[str, Any]) -> System:
    """The system with the positions and velocities of the options instead of its own."""
    return replace(
        system,
        positions=_overridden(system, system.positions, options.get("positions") or {}),
        velocities=_overridden(system, system.velocities, options.get("velocities") or {}),
    )


def _with_states(system: System, state: State, options: Mapping[str, Any]) -> State:
    return replace(
        state,
        x=_set(state.x, system.states, options.get("states") or {}),
        u_in=_set(state.u_in, system.inputs, options.get("inputs") or {}),
    )


def _overridden(system: System, own: Given, values: Mapping[str, float]) -> Given:
    if not values:
        return own
    index = np.array([system.aliases[name] for name in values])
    kept = np.flatnonzero(~np.isin(own.measure, index))
    each = [np.asarray(value) for value in values.values()] + [own.value[..., k] for k in kept]
    return Given(
        np.concatenate((index, own.measure[kept])),
        stack(each, axis=-1),
        (*(f"operating_point: {name}" for name in values), *(own.where[k] for k in kept)),
    )


def _set(values: np.ndarray, names: tuple[str, ...], asked: Mapping[str, float]) -> np.ndarray:
    out = np.array(values)
    for name, value in asked.items():
        out[names.index(name)] = value
    return out
