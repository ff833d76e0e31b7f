"""A system of the engine as a chain system of Kane's equations, anew at any state."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from eigenbody.base.errors import Fault, InputError
from eigenbody.linearization.place import place_at
from eigenbody.model.description import Description
from eigenbody.system.state import State
from eigenbody.system.system import System

if TYPE_CHECKING:
    from eigenbody.routes.kane import ChainMotion, ChainSystem
    from eigenbody.routes.kane.rows import Law

METHOD = "kane"
NOTE = (
    "method kane: {what} are those of Kane's equations of the tree (Passerello & Huston, docs/theory/kane.md),"
    " independent of the engine; {rest} are read by the engine from them."
)


@dataclass(frozen=True, eq=False)
class Chain:
    """How a model is seen by Kane's equations: its description, laws in place of the motions it prescribes, inputs over
    time and bodies that are held."""

    system: System
    description: Description
    laws: Sequence[Law] | None = None
    inputs: Callable[[float], np.ndarray] | None = None
    holds: tuple[tuple[str, int], ...] = ()

    def at(self, state: State) -> ChainSystem:
        """Its charts at a state."""
        from eigenbody.routes.kane import ChainSystem

        place = place_at(self.system, state)
        return ChainSystem(self.description, place, self.laws, self.inputs, self.holds)

    def moving(self, state: State) -> ChainMotion:
        """The same, ready to move."""
        from eigenbody.routes.kane import ChainMotion

        return ChainMotion(self.at(state))

    def refuse_unknown(self, state: State) -> None:
        """InputError where the model has something that Kane's equations of a tree do not know."""
        from eigenbody.routes.kane import reason_against_motion

        reason = reason_against_motion(self.description, place_at(self.system, state), self.laws is not None)
        if reason:
            what = f"Kane's equations of a tree do not know {reason.rstrip('.')}."
            raise InputError(Fault("method", what, "Leave the method out: the engine knows it."))
