"""Signals of a motion by name, for all output times at once."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from eigenbody.base.errors import Fault, InputError, suggest
from eigenbody.dynamics.energy import Energy, energy
from eigenbody.dynamics.mechanics import Mechanics
from eigenbody.elements.joints import JOINTS
from eigenbody.elements.measures.templates import Pairs
from eigenbody.loads.outputs import output_value
from eigenbody.loads.reactions import at_acceleration
from eigenbody.mobility.partition import Selection, select
from eigenbody.mobility.treespace import value_set
from eigenbody.model.description import is_internal
from eigenbody.model.names import WRENCH
from eigenbody.simulation.forward import Forward
from eigenbody.simulation.stepping import WEAK
from eigenbody.system.measureset import MeasureSet, merge
from eigenbody.system.state import State, carriers, one_state
from eigenbody.system.system import Output, System

LEVELS = ("value", "rate", "acceleration")
ENERGIES = ("energy", "energy.kinetic", "energy.gravity", "energy.stored", "power.dissipated", "power.elements")
DRIFTS = ("drift.position", "drift.velocity")


class Reader:
    """Reads signals from a stack of states."""

    def __init__(self, system: System, chosen: Selection, states: State) -> None:
        self.system, self.chosen, self.states = system, chosen, states
        self._forms = {s.name: s for s in system.outputs}
        self._done: dict[str, np.ndarray] = {}

    @property
    def names(self) -> tuple[str, ...]:
        s = self.system
        plain = (*s.names, *(name for name in self._body_names if name not in s.aliases))
        return tuple(
            dict.fromkeys((*plain, *s.states, *s.inputs, *self._forms, *ENERGIES, *DRIFTS, *self._reaction_names))
        )

    @cached_property
    def _body_names(self) -> tuple[str, ...]:
        bodies = self.system.description.bodies.known_names
        return tuple(f"{body}.{template.label}" for body in bodies for template in JOINTS["free"].free)

    def body_dimension(self, name: str) -> str:
        """ "m" or "rad" of a coordinate of a body that the model does not name, "" of any other signal."""
        if name in self.system.aliases or name not in self._body_names:
            return ""
        return next(t.dimension for t in JOINTS["free"].free if t.label == name.rpartition(".")[2])

    @property
    def _joints(self) -> list[str]:
        return [entry.name for entry in self.system.description.joints if not is_internal(entry)]

    @cached_property
    def _reaction_names(self) -> tuple[str, ...]:
        return tuple(f"reaction.{joint}.{component}" for joint in self._joints for component in WRENCH)

    def signal(self, name: str) -> np.ndarray:
        """History (n,) of the signal."""
        if name not in self._done:
            self._done[name] = np.real(self._read(name))
            self._done[name].setflags(write=False)
        return self._done[name]

    def _read(self, name: str) -> np.ndarray:
        system, plain = self.system, name.rstrip("'")
        order = len(name) - len(plain)
        if name == "t":
            return np.array(self.states.t)
        if name in self._forms:
            return self._output(self._forms[name])
        if name in system.states:
            return np.array(self.states.x[:, system.states.index(name)])
        if name in system.inputs:
            return np.array(self.states.u_in[:, system.inputs.index(name)])
        if name in self._reaction_names:
            return self._reaction(name)
        if name in ENERGIES:
            return self._energy(name)
        if name in DRIFTS:
            return self._drift(name)
        if plain in system.aliases and (level := order + (system.aliases[plain] in system.speeds)) < 3:
            return self._measure(value_set(system, np.array([system.aliases[plain]])), level)
        if order < 3 and plain in self._body_names:
            return self._measure(self._of_body(plain), order)
        known = [*self.names, *(f"{n}'" for n in system.names), *(f"{n}''" for n in system.names)]
        raise InputError(Fault("signal", f'there is no signal "{name}".', suggest(name, known)))

    def _of_body(self, name: str) -> MeasureSet:
        """A coordinate of a body that the model does not name: displacement or rotation from its drawn pose."""
        body, _, label = name.rpartition(".")
        system = self.system
        template = next(t for t in JOINTS["free"].free if t.label == label)
        first, second = np.array([system.places.ground]), system.places.carriers([body])
        r, R = system.places.r[second], system.places.R[second]
        origin, eye = np.zeros((1, 3)), np.eye(3)[None]
        pairs = Pairs(first, second, r, origin, eye, np.swapaxes(R, -1, -2) @ eye)
        return merge([(template.kernel(pairs), np.zeros(1, dtype=int))], 1, system.dof)

    # Kinds ------------------------------------------------------------------------------------------------------------
    @property
    def _is_batched(self) -> bool:
        """Whether all times can be evaluated at once: nothing but the states depends on time."""
        return not self.system.description.frames and not self.system.constraints.motions

    @cached_property
    def accelerations(self) -> np.ndarray:
        """u' (n, nq) at every output time."""
        forward, out = Forward(self.system, self.chosen), []
        for i in range(len(self.states.r)):
            state = one_state(self.states, i)
            now = forward.evaluate(state)
            if now.solver.weakest < WEAK:  # here other rows are the independent ones
                forward.use(select(Mechanics(self.system, state)))
                now = forward.evaluate(state)
            out.append(now.acceleration)
        return np.stack(out)

    def _measure(self, measures: MeasureSet, order: int) -> np.ndarray:
        level = LEVELS[order]
        u1 = self.accelerations if order == 2 else None
        if self._is_batched:
            return getattr(measures.jet(carriers(self.system, self.states, u1), self.states.turns), level)[..., 0]
        out = []
        for i in range(len(self.states.r)):
            state = one_state(self.states, i)
            at = carriers(self.system, state, None if u1 is None else u1[i])
            out.append(getattr(measures.jet(at, state.turns), level)[0])
        return np.array(out)

    def _output(self, output: Output) -> np.ndarray:
        if output.measure >= 0:
            return self._measure(value_set(self.system, np.array([output.measure])), output.order)
        n, signal = len(self.states.r), output.signal
        needs = output.reaction is not None or (signal is not None and any(a.kind == "a" for a in signal.arguments))
        u1 = self.accelerations if needs else None
        if self._is_batched and signal is not None:
            applied = Mechanics(self.system, self.states, u1).applied
            return np.broadcast_to(signal.value(applied.now if u1 is None else applied.now_with_accelerations), (n,))
        pairs = ((one_state(self.states, i), None if u1 is None else u1[i]) for i in range(n))
        return np.array([output_value(Mechanics(self.system, state, a), output) for state, a in pairs])

    @cached_property
    def _reactions(self) -> np.ndarray:
        """Force and moment in every joint, in joint axes, (n, joints, 6)."""
        found = []
        for i, acceleration in enumerate(self.accelerations):
            state = one_state(self.states, i)
            chosen = select(Mechanics(self.system, state), self.system.coordinates)
            r = at_acceleration(self.system, state, acceleration, chosen)
            found.append(np.concatenate((r.force, r.moment), axis=-1))
        return np.stack(found)

    def _reaction(self, name: str) -> np.ndarray:
        joint, _, component = name.removeprefix("reaction.").rpartition(".")
        return self._reactions[:, self._joints.index(joint), WRENCH.index(component)]

    @cached_property
    def _energies(self) -> Energy | list[Energy]:
        if self._is_batched:
            return energy(Mechanics(self.system, self.states))
        return [energy(Mechanics(self.system, one_state(self.states, i))) for i in range(len(self.states.r))]

    def _energy(self, name: str) -> np.ndarray:
        def of(e: Energy) -> np.ndarray:
            parts = {
                "energy": e.kinetic.sum(-1) + e.gravity.sum(-1) + e.stored.sum(-1),
                "energy.kinetic": e.kinetic.sum(-1),
                "energy.gravity": e.gravity.sum(-1),
                "energy.stored": e.stored.sum(-1),
                "power.dissipated": e.dissipated.sum(-1),
                "power.elements": e.power.sum(-1),
            }
            return parts[name]

        found = self._energies
        return of(found) if isinstance(found, Energy) else np.array([of(e) for e in found])

    def _drift(self, name: str) -> np.ndarray:
        """Largest violation over all rows, the redundant ones included."""
        system = self.system

        def of(mechanics: Mechanics) -> np.ndarray:
            if name == "drift.position":
                rows = mechanics.holonomic.value
            else:
                rows = np.concatenate((mechanics.holonomic.rate, mechanics.non_holonomic.rate), axis=-1)
            return np.abs(rows).max(axis=-1, initial=0.0)

        n = len(self.states.r)
        if self._is_batched:
            return np.broadcast_to(of(Mechanics(system, self.states)), (n,))
        return np.array([of(Mechanics(system, one_state(self.states, i))) for i in range(n)])
