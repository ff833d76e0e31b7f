"""Why a model is not a general chain system, or "" if it is one."""

from __future__ import annotations

import numpy as np

from eigenbody.model.description import Description, Function, Table
from eigenbody.routes.base import Place
from eigenbody.routes.joints import COORDINATES, beyond_all, motions, terms_of
from eigenbody.routes.kane.active import KNOWN
from eigenbody.routes.kane.dynamics import ChainSystem
from eigenbody.routes.kane.environment import signals_of, unknown_names
from eigenbody.routes.kane.prescribed import index_of
from eigenbody.routes.kane.tree import Tree, tree_of


def reason_against(description: Description, place: Place) -> str:
    """The first thing that Kane's equations of a tree do not know."""
    if reason := beyond_all(description) or _states(description, place) or _forces(description):
        return reason
    tree = tree_of(description, place)
    return _joints(tree) or _rows(description, tree) or _choice(description, place, tree)


def _states(description: Description, place: Place) -> str:
    if description.blocks or len(place.x) != len(description.states):
        return "first-order states of blocks or force elements"
    for state in description.states:
        if state.get("residual") is not None:
            return f'the implicit state "{state.name}"'
        reason = unknown_names(state["rate"], description)
        if reason:
            return f'{reason} in the state "{state.name}"'
    return ""


def _forces(description: Description) -> str:
    for force in description.forces:
        if force.type not in KNOWN:
            return f'the {force.type} "{force.name}"'
        for signal in signals_of(force):
            reason = unknown_names(signal, description)
            if reason:
                return f'{reason} in the force "{force.name}"'
    return ""


def _joints(tree: Tree) -> str:
    for joint in tree.closing:
        kind = "a closed loop" if joint.type in COORDINATES else "a constraint across the tree"
        return f'{kind} (the {joint.type} joint "{joint.name}")'
    return ""


def _rows(description: Description, tree: Tree) -> str:
    for driver in description.drivers:
        if driver.get("assembly"):
            return f'the assembly driver "{driver.name}"'
    for name, signal, where in motions(description):
        if index_of(tree, name) is None:
            return f'the prescribed measure "{name}", which is not one scalar coordinate of the tree ({where})'
        if isinstance(signal, Table | Function):
            return f'a motion given by a table or function of "{name}"'
    for coupling in description.couplings:
        for name in terms_of(coupling):
            if index_of(tree, name) is None:
                return f'the coupling "{coupling.name}" of "{name}", which is not one scalar coordinate of the tree'
    return ""


def _choice(description: Description, place: Place, tree: Tree) -> str:
    """Away from equilibrium eigenvalues depend on the coordinates, and these are those of the tree."""
    others = [name for name in place.independent if name not in tree.coordinates]
    if not description.coordinates or not others:
        return ""
    system = ChainSystem(description, place)
    acceleration = system.forward()
    if place.is_at_rest and not np.any(np.abs(acceleration) > 1e-9):
        return ""
    return f'the coordinate "{others[0]}" of one\'s own choice away from equilibrium'
