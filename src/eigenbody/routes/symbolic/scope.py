"""What the symbolic route knows, and how large a model may be."""

from __future__ import annotations

import numpy as np

from eigenbody.model.description import Description, Entry
from eigenbody.routes.base import Place
from eigenbody.routes.joints import ROTATIONS, beyond_all, motions, terms_of
from eigenbody.routes.symbolic.equations import fitting_form, unassembled
from eigenbody.routes.symbolic.formulas import is_known
from eigenbody.routes.symbolic.joints import Pair, is_plane_angle
from eigenbody.routes.symbolic.kinematics import Kinematics
from eigenbody.routes.symbolic.skeleton import plane_of_motion, sides, split_name

MOST_PLANAR = 10
# in space, by (at rest, oblique axes): along the tree, and body by body
MOST_IN_TREE = {(True, False): 3, (True, True): 2, (False, False): 3, (False, True): 1}
MOST_BY_BODY = {(True, False): 4, (True, True): 3, (False, False): 2, (False, True): 1}
FORCES = ("spring", "damper", "bushing", "bearing", "force", "torque", "expression", "actuator")
MEASURES = ("distance", "displacement")


def why_not(description: Description, place: Place, form: str | None = None) -> str:
    """Why the equations of a model cannot be written out in a form (by default the one that fits), or ""."""
    if reason := _rest(description, place) or _rows(description) or _forces(description):
        return reason
    form = form or fitting_form(description, place)
    return _drawing(description, form) or _size(description, place, form)


def _drawing(description: Description, form: str) -> str:
    joint = "" if form == "lagrange-1" else unassembled(description)
    return f"joint {joint}, whose sides are drawn apart: only lagrange-1 starts from such a drawing" if joint else ""


def _size(description: Description, place: Place, form: str) -> str:
    """Equations of planar mechanisms stay short; in space products of rotations grow, the more when it moves and when
    axes are oblique."""
    count = len(description.bodies)
    if plane_of_motion(description, place) is not None:
        return f"more than {MOST_PLANAR} bodies" if count > MOST_PLANAR else ""
    in_tree = form != "lagrange-1"
    oblique = _is_oblique(description)
    most = (MOST_IN_TREE if in_tree else MOST_BY_BODY)[place.is_at_rest, oblique]
    how = f"{'' if place.is_at_rest else ', moving'}{', with oblique axes' if oblique else ''}"
    return f"more than {most} {'body' if most == 1 else 'bodies'} in space{how}" if count > most else ""


def _is_oblique(description: Description) -> bool:
    """Whether a joint's or bushing's axes are not global ones in the drawing."""
    for entry in (*description.joints, *description.forces):
        if entry.get("between") is None or entry.type in ("spring", "damper", "spherical", "point"):
            continue
        for axes in (side.frame for side in sides(description, entry)):
            if np.any((np.abs(axes) > 1e-12) & (np.abs(np.abs(axes) - 1) > 1e-12)):
                return True
    return False


def _rows(description: Description) -> str:
    for coupling in description.couplings:
        if not all(_is_scalar(description, name) for name in terms_of(coupling)):
            return f"the measures of coupling {coupling.name}"
    for name, motion, _ in motions(description):
        if not _is_scalar(description, name) or not is_known(motion, lambda n: n == "t"):
            return f"the prescribed motion of {name}"
    return ""


def _forces(description: Description) -> str:
    for force in description.forces:
        if force.type not in FORCES:
            return f"a force of type {force.type}"
        if force.get("along") is not None and not _is_measure(description, force["along"]):
            return f"the measure of force {force.name}"
        if force.get("body") in description.markers or force.get("body") == "ground":
            return f"the marker of load {force.name}"
        values = force.get("value") if isinstance(force.get("value"), tuple) else (force.get("value"),)
        signals = (*values, force.get("force"))
        if not all(is_known(signal, lambda n: _is_name(description, n)) for signal in signals):
            return f"the expression of force {force.name}"
    return ""


def _rest(description: Description, place: Place) -> str:
    if reason := beyond_all(description):
        return reason
    if description.states or description.blocks or place.x.size:
        return "first-order states"
    if place.inputs.any():
        return "an input that is not zero"
    wrong = [name for name in place.independent if not _is_coordinate(description, name)]
    return f"{wrong[0]} as a coordinate" if wrong else ""


def _is_coordinate(description: Description, name: str) -> bool:
    return split_name(description, name)[0] is not None or _is_measure(description, name)


def _is_measure(description: Description, name: str) -> bool:
    owner, part = split_name(description, name)
    if owner is None:
        known = next((m for m in description.measures if m.name == name), None)
        return known is not None and known.type in MEASURES and known.get("in") is None
    return isinstance(owner, Entry) or part not in ROTATIONS


def _is_scalar(description: Description, name: str) -> bool:
    """Whether a measure is exact to all orders: no component of a rotation vector."""
    return _is_measure(description, name) and split_name(description, name)[1] not in ROTATIONS


def _is_name(description: Description, name: str) -> bool:
    return name in ("t", "s", "v") or (not name.endswith("''") and _is_measure(description, name.rstrip("'")))


def approximate(kin: Kinematics) -> tuple[str, ...]:
    """What the equations of motion are exact for only near the reference."""
    names = [
        entry.name
        for entry in kin.description.forces
        if (entry.type == "bushing" and not is_plane_angle(Pair(kin, "forces", entry)))
        or split_name(kin.description, entry.get("along") or "")[1] in ROTATIONS
    ]
    if not names:
        return ()
    return (
        f"Rotation vector of {', '.join(names)}: to second order about the reference. The linear equations there are"
        " exact; accelerations far from it are not.",
    )
