"""Where a simulation starts: the initial state; velocities that contradict each other are corrected and reported."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from eigenbody.base.errors import InputError
from eigenbody.dynamics.mechanics import Mechanics
from eigenbody.linearization.point import OperatingPoint, at_state, completed_point, system_of
from eigenbody.mobility.initial import mechanics_at_initial_positions, with_initial_velocity
from eigenbody.mobility.treespace import value_set
from eigenbody.model.model import InertModel
from eigenbody.system.state import State, carriers
from eigenbody.system.system import Given, System


def initial_point(model: InertModel, strict: bool = False) -> tuple[OperatingPoint, tuple[str, ...]]:
    """The initial state as an operating point, and a remark for every given velocity that had to be corrected.

    Given velocities are taken in the order of the file as far as they agree with the constraints and with each other;
    `strict` refuses the others instead of correcting them.
    """
    system = system_of(model)
    still = mechanics_at_initial_positions(system)
    try:
        return completed_point(model, with_initial_velocity(still)), ()
    except InputError as error:
        at_fault = {fault.where for fault in error.faults}
        if strict or not at_fault <= set(system.velocities.where):
            raise
    agreeing = replace(system, velocities=_without(system.velocities, at_fault))
    moving = with_initial_velocity(Mechanics(agreeing, still.state)).state
    return at_state(model, system, moving), _corrections(system, moving, at_fault)


def _without(given: Given, at_fault: set[str]) -> Given:
    keep = [i for i, place in enumerate(given.where) if place not in at_fault]
    return Given(given.measure[keep], given.value[keep], tuple(given.where[i] for i in keep))


def _corrections(system: System, state: State, at_fault: set[str]) -> tuple[str, ...]:
    given = system.velocities
    rate = np.real(value_set(system, given.measure).jet(carriers(system, state), state.turns).rate)
    return tuple(
        f"{place}: {np.real(value):.6g} contradicts the constraints or velocities before it; corrected to {now:.6g}."
        for place, value, now in zip(given.where, given.value, rate, strict=True)
        if place in at_fault
    )
