"""The jump of all velocities by impulses, by Kane's equations: A dx' = I (Passerello & Huston, Eq. 4.9)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from eigenbody.base.errors import Fault, InputError
from eigenbody.model.description import Entry
from eigenbody.routes.base import Unsupported
from eigenbody.routes.kane import Strike, generalized_impulse
from eigenbody.simulation.impulse.blows import Blow
from eigenbody.simulation.kane.chain import Chain
from eigenbody.spatial.rotations import apply_transposed
from eigenbody.system.state import State, collect
from eigenbody.system.system import System


def jump(system: System, state: State, blows: Sequence[Blow]) -> np.ndarray:
    """du (nq,) of all bodies; InputError where Kane's equations do not know something in the model."""
    chain = Chain(system, system.description)
    chain.refuse_unknown(state)
    here = chain.at(state)
    try:
        total = sum((generalized_impulse(here, _strike(blow)) for blow in blows), np.zeros(here.tree.count))
    except Unsupported as unknown:
        what = f"Kane's equations of a tree do not know {unknown}."
        raise InputError(Fault("method", what, "Leave the method out: the engine knows it.")) from unknown
    rates = here.jump(total)
    arrays = here.here
    v, w = (np.einsum("jik,j->ik", part[0], rates)[:-1] for part in (arrays.V, arrays.W))
    return collect(system, v, apply_transposed(arrays.at.R[0, 0, :-1], w))


def _strike(blow: Blow) -> Strike:
    place = Entry("", "", {"body": blow.body, "at": blow.at, "axes": blow.axes, "frame": blow.frame})
    return Strike(place, blow.impulse, blow.angular, blow.against, blow.along, blow.value)
