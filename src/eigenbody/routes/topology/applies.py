"""Why a model is not one of small vibrations about rest, or "" if it is one."""

from __future__ import annotations

import numpy as np

from eigenbody.model.description import Description
from eigenbody.routes.base import Place
from eigenbody.routes.joints import beyond_all, terms_of
from eigenbody.routes.named import Measures
from eigenbody.routes.topology.elements import LOADS, SPRINGS, is_of_three_bodies, joint_coordinate
from eigenbody.routes.topology.system import BALANCED, Oscillations
from eigenbody.routes.topology.tables import SELECT


def reason_against(description: Description, place: Place) -> str:
    """The first thing that the constraint-topology formulation does not know."""
    if not place.is_at_rest:
        return "the mechanism moves; the formulation is for vibrations about rest"
    if reason := beyond_all(description):
        return reason
    if place.states:
        return f'the first-order state "{place.states[0]}"'
    reason = _joints(description) or _forces(description, place)
    if reason:
        return reason
    if Oscillations(description, place).unbalanced > BALANCED:
        return "the place is no equilibrium; the formulation is for vibrations about one"
    return ""


def _joints(description: Description) -> str:
    for joint in description.joints:
        if joint.get("motion") is not None:
            return f'prescribed motion (joint "{joint.name}")'
    if description.drivers:
        return f'prescribed motion (driver "{description.drivers[0].name}")'
    for coupling in description.couplings:
        for name in terms_of(coupling):
            found = joint_coordinate(description, name)
            if found is None or found[1] not in SELECT:
                return f'the coupling "{coupling.name}" of "{name}", which is no scalar joint coordinate'
    return ""


def _forces(description: Description, place: Place) -> str:
    measures = Measures(description, place)
    for force in description.forces:
        if force.type not in (*SPRINGS, *LOADS):
            return f'the {force.type} "{force.name}"'
        if force.get("force") is not None:
            return f'the nonlinear spring "{force.name}"'
        if force.type in LOADS and any(not isinstance(component, int | float) for component in force["value"]):
            return f'the varying {force.type} "{force.name}"'
        if force.get("along") is not None and is_of_three_bodies(measures[force["along"]]):
            return f'the measure "{force["along"]}", a displacement in the axes of a third body'
    if np.any(place.inputs):
        return "inputs that act"
    return ""
