"""What is said where forces lead to no equilibrium: what nothing opposes, what is bent too far, what still moves."""

from __future__ import annotations

import numpy as np

from eigenbody.base.errors import ComputationError, Fault, InputError
from eigenbody.mobility.bent import BentTooFarError, bent_too_far
from eigenbody.mobility.treespace import coordinate_set
from eigenbody.model.description import owner_of
from eigenbody.operating.equilibrium.balance import BALANCED, Balance
from eigenbody.system.state import spread


def _moving(here: Balance, a: np.ndarray) -> tuple[list[str], list[str]]:
    """Coordinates and bodies that take part in a motion."""
    system, index = here.system, here.chosen.velocities
    measures = coordinate_set(system, index)
    jet = measures.jet(here.mechanics.at, here.state.turns)
    padded = np.append(a, 0.0)
    columns = np.where(measures.columns < system.nq, measures.columns, system.nq)
    rates = np.abs((jet.gradient * padded[columns]).sum(axis=-1))
    rates /= np.array([system.length if system.dimensions[i] == "m" else 1.0 for i in index])
    speed = np.abs(spread(system, a / np.where(system.is_angular, 1.0, system.length))).max(axis=-1, initial=0.0)
    bodies = dict.fromkeys(map(owner_of, _largest(speed, system.description.bodies.names)))
    return _largest(rates, [system.names[i] for i in index]), list(bodies)


def _largest(values: np.ndarray, names: list[str] | tuple[str, ...]) -> list[str]:
    order = np.argsort(-values, kind="stable")
    return [names[i] for i in order if values[i] > 1e-3 * values.max(initial=0.0)][:6]


def unopposed(here: Balance, motion: np.ndarray) -> InputError:
    """There is none: a motion goes on under the same forces, however far, or a state changes where nothing moves."""
    if here.imbalance <= BALANCED:
        states = _restless(here)
        where, what = (
            ", ".join(f"states.{name}" for name in states),
            f"the state {', '.join(states)} never comes to rest.",
        )
        remedy = "Change its rate so that it can become zero."
    else:
        coordinates, bodies = _moving(here, motion)
        flexible = {owner_of(body.name) for body in here.system.description.flexible}
        where, what = (
            ", ".join(f"{'flexible' if name in flexible else 'bodies'}.{name}" for name in bodies),
            f"nothing opposes the motion of {', '.join(coordinates)}.",
        )
        remedy = "Support it by a joint or a spring, remove the force, or ask for a steady motion."
    return InputError(Fault(where, f"there is no static equilibrium: {what}", remedy))


def _restless(here: Balance) -> list[str]:
    return [name for name, rate in zip(here.system.states, here.rate, strict=True) if abs(rate) > 1e-9][:6]


def not_settled(here: Balance, steps: int) -> ComputationError:
    """None was found: a flexible body was bent too far for one, or what is still unbalanced."""
    too_far = bent_too_far(here.system, here.state)
    if too_far is not None:
        return BentTooFarError(f"No equilibrium was reached in {steps} steps. {too_far}")
    coordinates, bodies = _moving(here, here.acceleration)
    what = ", ".join([*coordinates, *(f"state {name}" for name in _restless(here))])
    return ComputationError(
        f"No equilibrium was reached in {steps} steps: {here.imbalance:.2g} of the forces is still unbalanced and moves"
        f" {what} (bodies {', '.join(bodies)}). Give the joints positions nearer to the equilibrium, or look for a"
        " motion that nothing opposes, for forces that turn with their body, and for force laws with jumps."
    )
