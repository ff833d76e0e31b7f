"""Why a model is not a general chain system, or "" if it is one."""

from __future__ import annotations

import numpy as np

from eigenbody.model.description import Description, Function
from eigenbody.routes.base import Place, Unsupported
from eigenbody.routes.drawing import moving_frame
from eigenbody.routes.joints import (
    COORDINATES,
    COUPLINGS,
    JOINTS,
    NON_HOLONOMIC,
    ROTATIONS,
    armatures,
    beyond_constant_coefficients,
    motions,
)
from eigenbody.routes.kane.active import KNOWN
from eigenbody.routes.kane.dynamics import ChainSystem
from eigenbody.routes.kane.environment import signals_of, unknown_names
from eigenbody.routes.kane.measures import ChainMeasures
from eigenbody.routes.kane.tree import tree_of

ROLLING = {"between", "at", "axis", "axis2", "radius", "tube", "normal", "position", "velocity"}
"""Keys of a wheel that rolls on a plane: another surface would have others."""


def reason_against(description: Description, place: Place) -> str:
    """The first thing that Kane's linear equations of a tree do not know."""
    return reason_against_motion(description, place) or _choice(description, place)


def reason_against_motion(description: Description, place: Place, with_laws: bool = False) -> str:
    """The first thing that Kane's equations of motion of a tree do not know; `with_laws`: motions are given as
    functions, whatever the model file has."""
    if reason := (
        _bodies(description, place)
        or _joints(description, place)
        or _rows(description, with_laws)
        or _states(description, place, measures := ChainMeasures(description, place))
        or _forces(description, measures)
    ):
        return reason
    try:
        ChainSystem(description, place)  # finds every measure by its name
    except Unsupported as unknown:
        return str(unknown)
    return ""


def _bodies(description: Description, place: Place) -> str:
    for body in description.flexible:
        if body.reduced.points is None:
            return f'the flexible body "{body.name}", whose mass is known by a matrix alone'
        if body.symmetry is not None and np.any(place.w[description.bodies.names.index(body.name)]):
            return f'the flexible body "{body.name}", which spins and is seen from the ground'
    if frame := moving_frame(description):
        return f'the moving frame "{frame}"'
    return ""


def _joints(description: Description, place: Place) -> str:
    for joint in description.joints:
        if joint.type not in JOINTS and joint.type not in NON_HOLONOMIC:
            return f'the joint "{joint.name}" of type "{joint.type}"'
        more = {key for key, value in joint.values.items() if value is not None} - ROLLING
        if joint.type == "rolling" and more:
            return f'the key "{min(more)}" of the rolling joint "{joint.name}"'
    tree = tree_of(description, place)
    for name in armatures(description):
        if name not in tree.coordinates or name.rpartition(".")[2] in ROTATIONS:
            return f'the armature of "{name}", which is no coordinate of the tree'
    if not tree.count:
        return "a mechanism whose joints have no coordinates"
    for joint in tree.closing:
        kind = "a closed loop" if joint.type in COORDINATES else "a constraint across the tree"
        return f'{kind} (the {joint.type} joint "{joint.name}")'
    return ""


def _rows(description: Description, with_laws: bool) -> str:
    for driver in description.drivers:
        if driver.get("assembly"):
            return f'the assembly driver "{driver.name}"'
        if driver.get("side") is not None:
            return f'the one-sided driver "{driver.name}"'
    for name, signal, _ in motions(description):
        if isinstance(signal, Function) and not with_laws:
            return f'a motion given by a function of "{name}"'
    for coupling in description.couplings:
        if coupling.type not in (*COUPLINGS, "velocity"):
            return f'couplings of type "{coupling.type}"'
    return ""


def _states(description: Description, place: Place, measures: ChainMeasures) -> str:
    if description.blocks or len(place.x) != len(description.states):
        return "first-order states of blocks or force elements"
    for state in description.states:
        if state.get("residual") is not None:
            return f'the implicit state "{state.name}"'
        reason = unknown_names(state["rate"], description, measures)
        if reason:
            return f'{reason} in the state "{state.name}"'
    return ""


def _forces(description: Description, measures: ChainMeasures) -> str:
    for force in description.forces:
        if force.type not in KNOWN:
            return f'the {force.type} "{force.name}"'
        if reason := beyond_constant_coefficients(force):
            return reason
        for signal in signals_of(force):
            reason = unknown_names(signal, description, measures)
            if reason:
                return f'{reason} in the force "{force.name}"'
    return ""


def _choice(description: Description, place: Place) -> str:
    """Away from equilibrium eigenvalues depend on the coordinates, and these are those of the tree."""
    system = ChainSystem(description, place)
    others = [name for name in place.independent if name not in system.tree.coordinates]
    if not description.coordinates or not others:
        return ""
    acceleration = system.forward()
    if place.is_at_rest and not np.any(np.abs(acceleration) > 1e-9):
        return ""
    return f'the coordinate "{others[0]}" of one\'s own choice away from equilibrium'
