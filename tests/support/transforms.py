"""The same machine described differently: functions from model document to model document, the argument unchanged.

`moved` and `in_other_units` keep the initial state of every document. `reordered`, `rotated` and `swapped` keep it
where no freedom is settled by an order (of the file, of the global axes for a floating base, of a universal joint's two
angles): see `mobility.is_determined`. `rerooted` keeps it for documents at rest as drawn, and for determined ones
without a floating base. Documents of `equilibrium_mechanism` always qualify.
"""

import copy
import re
from collections.abc import Callable, Iterable

import numpy as np
from scipy.spatial.transform import Rotation

from mechanism_numbers import COORDINATES, UNITS, in_unit, leaves, negated, vector
from mechanisms import equilibrium_mechanism
from mobility import floating_bases, frame, rotation_matrix, spanning_tree

__all__ = ["equilibrium_mechanism", "in_other_units", "moved", "reordered", "rerooted", "rotated", "swapped"]


def moved(document: dict, translation: Iterable[float]) -> dict:
    """Everything displaced by `translation` (m), ground included."""
    shift = np.asarray(translation, dtype=float)
    return _with_points(copy.deepcopy(document), lambda point: point + shift)


def rotated(document: dict, R: np.ndarray) -> dict:
    """Everything turned by the rotation matrix R about the origin, ground, gravity and default axes included."""
    R = np.asarray(R, dtype=float)
    new = _with_points(copy.deepcopy(document), lambda point: R @ point)
    parameters = document.get("parameters")

    def turn(owner: dict, key: str) -> None:
        owner[key] = (R @ vector(owner[key], parameters)).tolist()

    if "gravity" in new:
        turn(new, "gravity")
    for owner in [*new["bodies"].values(), *new.get("markers", {}).values()]:
        if owner.get("frame") != "body":
            owner["rotation"] = _quaternion(R @ rotation_matrix(owner.get("rotation"), parameters))
    for entry in [*new.get("joints", {}).values(), *new.get("forces", {}).values()]:
        if "along" not in entry and entry["type"] not in ("force", "torque", "spring"):
            _turn_frame(entry, R, parameters)
    for measure in new.get("measures", {}).values():
        if measure["type"] != "distance":
            measure.setdefault("axis", [0, 0, 1])
            turn(measure, "axis")
    for force in new.get("forces", {}).values():
        if force["type"] in ("force", "torque") and force.get("axes", "ground") == "ground":
            force["value"] = _turned_values(force["value"], R, parameters)
    for moving in new.get("frames", {}).values():
        turn(moving, "about")
    return new


def _turn_frame(entry: dict, R: np.ndarray, parameters: dict | None) -> None:
    """Turn a joint's or bushing's frame; what was left to default is written out first."""
    if entry["type"] == "distance" and "axis" not in entry:
        return
    if "normal" in entry or entry["type"] == "rolling":
        entry["normal"] = (R @ vector(entry.get("normal", [0, 0, 1]), parameters)).tolist()
    explicit = entry["type"] in ("universal", "perpendicular") and "axis2" in entry
    axes = R @ frame(entry, parameters)
    # axes given as perpendicular pairs are turned as they stand, not made perpendicular again
    entry["axis2"] = (R @ vector(entry["axis2"], parameters)).tolist() if explicit else axes[:, 0].tolist()
    entry["axis"] = axes[:, 2].tolist()


def _turned_values(values: list, R: np.ndarray, parameters: dict | None) -> list:
    """R times a list of numbers, unit strings and expressions."""
    if not any(isinstance(value, str) and value.startswith("=") for value in values):
        return (R @ vector(values, parameters)).tolist()
    terms = [v[1:] if isinstance(v, str) and v.startswith("=") else repr(vector([v], parameters)[0]) for v in values]
    return ["=" + " + ".join(f"({float(r)!r})*({term})" for r, term in zip(row, terms, strict=True)) for row in R]


def _quaternion(R: np.ndarray) -> dict:
    x, y, z, w = Rotation.from_matrix(R).as_quat().tolist()
    return {"quaternion": [w, x, y, z]}


def _with_points(document: dict, function: Callable[[np.ndarray], np.ndarray]) -> dict:
    """Apply `function` to every global point of the document, in place."""
    parameters = document.get("parameters")
    sections = ("bodies", "markers", "joints", "forces", "frames")
    for entry in (entry for section in sections for entry in document.get(section, {}).values()):
        if entry.get("frame") == "body":
            continue
        if entry.get("type") in COORDINATES or entry.get("type") in ("bushing", "bearing", "force"):
            entry.setdefault("at", [0, 0, 0])
        if "at" in entry and isinstance(entry["at"][0], list):
            entry["at"] = [function(np.array(vector(point, parameters))).tolist() for point in entry["at"]]
        elif "at" in entry:
            entry["at"] = function(np.array(vector(entry["at"], parameters))).tolist()
    # a measure from ground is one from the origin of ground: give it a marker that moves along
    for measure in document.get("measures", {}).values():
        if "ground" in measure.get("between", ()):
            markers = document.setdefault("markers", {})
            markers.setdefault("ground_origin", {"body": "ground", "at": function(np.zeros(3)).tolist()})
            measure["between"] = ["ground_origin" if end == "ground" else end for end in measure["between"]]
    return document


# Order ---------------------------------------------------------------------------------------------------------------


def reordered(document: dict, rng: np.random.Generator) -> dict:
    """Bodies, joints, forces and the rest in another order; the base of each floating part stays its first body."""
    new = copy.deepcopy(document)
    bases = floating_bases(document)
    for section in ("bodies", "markers", "joints", "couplings", "drivers", "measures", "forces", "parameters"):
        if section in new:
            new[section] = _shuffled(new[section], rng)
    new["bodies"] = {name: new["bodies"][name] for name in [*bases, *(n for n in new["bodies"] if n not in bases)]}
    sections = rng.permutation(list(new))
    return {str(section): new[str(section)] for section in sections}


def _shuffled(section: dict, rng: np.random.Generator) -> dict:
    names = rng.permutation(list(section)).tolist()
    return {name: section[name] for name in names}


def rerooted(document: dict, rng: np.random.Generator, free_joint: bool = False) -> dict:
    """The same machine with another spanning tree: another joint closes the loop, another body is the base.

    By reordering bodies and joints (ValueError if no order changes the tree); with `free_joint` by a joint of type
    `free`, which holds nothing, listed first, from ground to a body that had no joint to ground (or any body).
    """
    if free_joint:
        return _with_free_joint(document, rng)
    before = set(spanning_tree(document)), set(floating_bases(document))
    for _ in range(200):
        new = copy.deepcopy(document)
        for section in ("bodies", "joints"):
            new[section] = _shuffled(new[section], rng)
        if (set(spanning_tree(new)), set(floating_bases(new))) != before:
            return new
    raise ValueError("no order of bodies and joints changes the spanning tree")


def _with_free_joint(document: dict, rng: np.random.Generator) -> dict:
    new = copy.deepcopy(document)
    grounded = {body for joint in new["joints"].values() if "ground" in joint["between"] for body in joint["between"]}
    bodies = [body for body in new["bodies"] if body not in grounded] or list(new["bodies"])
    body = str(rng.choice(bodies))
    at = vector(new["bodies"][body]["at"], new.get("parameters"))
    new["joints"] = {"rerooting": {"type": "free", "between": ["ground", body], "at": at}, **new["joints"]}
    return new


# Swapped joints ------------------------------------------------------------------------------------------------------

# Types whose coordinates change sign when first and second body are exchanged (the relative rotation becomes its
# inverse, and the axis is common to both bodies); a screw keeps its pitch: displacement and angle both change sign.
_SIGN_CHANGES = ("revolute", "prismatic", "cylindrical", "screw")
_WITHOUT_COORDINATES = ("fixed", "distance", "parallel", "perpendicular", "orientation")
SWAPPABLE = (*_SIGN_CHANGES, "universal", "spherical", "point", *_WITHOUT_COORDINATES)


def swapped(document: dict, joint_names: Iterable[str]) -> dict:
    """`between` exchanged for these joints, everything that refers to their coordinates adapted.

    Universal: R = Rz(angle1) Rx(angle2) inverts to Rx(-angle2) Rz(-angle1), so `axis` and `axis2` exchange roles and
    (angle1, angle2) becomes (-angle2, -angle1). Spherical and point joints only as drawn and unreferenced: their
    variations are small rotations about the axes of the first body; at nonzero velocity frozen eigenvalues may differ.
    ValueError for joints whose coordinates do not simply change sign.
    """
    new = copy.deepcopy(document)
    for name in joint_names:
        joint = new["joints"][name]
        kind = joint["type"]
        if kind not in SWAPPABLE:
            raise ValueError(f"joint {name}: swapping a {kind} joint is not a plain change of sign")
        referenced = _refers_to(new, name)
        if kind in ("spherical", "point") and ("position" in joint or referenced):
            raise ValueError(f"joint {name}: a {kind} joint is swapped only as drawn, nothing along its coordinates")
        if referenced and any(name in str(new.get(section, "")) for section in ("inputs", "outputs")):
            raise ValueError(f"joint {name}: inputs and outputs along it have no sign to change")
        _swap_joint(joint)
        if referenced:
            _negate_references(new, name, kind)
    return new


def _swap_joint(joint: dict) -> None:
    joint["between"] = joint["between"][::-1]
    kind = joint["type"]
    if kind == "distance":
        joint["at"] = joint["at"][::-1]
    if kind in ("universal", "perpendicular"):
        joint["axis"], joint["axis2"] = joint["axis2"], joint["axis"]
    for key in ("position", "velocity"):
        if key in joint:
            values = joint[key]
            if isinstance(values, list):
                joint[key] = [negated(value) for value in (values[::-1] if kind == "universal" else values)]
            else:
                joint[key] = negated(values)
    if "motion" in joint:
        joint["motion"] = negated(joint["motion"])


_NAME = re.compile(r"(?<![\w.])([A-Za-z_]\w*)(\.\w+)?('?)")


def _renamed(measure: str, joint: str, kind: str) -> str | None:
    """New name of a coordinate of the swapped joint (its sign changes too); None if it is another measure."""
    owner, _, coordinate = measure.partition(".")
    if owner != joint:
        return None
    exchange = {"angle1": "angle2", "angle2": "angle1"} if kind == "universal" else {}
    return f"{owner}.{exchange.get(coordinate, coordinate)}" if coordinate else owner


def _refers_to(document: dict, joint: str) -> bool:
    """Whether anything outside the joints' own entries is along a coordinate of this joint."""
    pattern = re.compile(rf"(?<![\w.]){re.escape(joint)}(?!\w)")
    sections = ("couplings", "drivers", "forces", "states", "variables", "inputs", "outputs", "coordinates")
    return any(pattern.search(str(document.get(section, ""))) for section in sections)


def _negate_references(document: dict, joint: str, kind: str) -> None:
    def substitute(match: re.Match) -> str:
        new = _renamed(match[1] + (match[2] or ""), joint, kind)
        return match[0] if new is None else f"(-{new}{match[3]})"

    def rewrite(value):
        if isinstance(value, dict):
            return {key: rewrite(item) for key, item in value.items()}
        if isinstance(value, list):
            return [rewrite(item) for item in value]
        return _NAME.sub(substitute, value) if isinstance(value, str) and value.startswith("=") else value

    for section in ("forces", "drivers", "states", "variables"):
        if section in document:
            document[section] = rewrite(document[section])
    for force in document.get("forces", {}).values():
        along = _renamed(force.get("along", ""), joint, kind)
        if along is not None:
            force["along"] = along
            for key in ("free", "value"):  # a stiffness keeps its sign, what it is measured from does not
                if key in force:
                    force[key] = negated(force[key])
    for driver in document.get("drivers", {}).values():
        measure = _renamed(driver["measure"], joint, kind)
        if measure is not None:
            driver.update(measure=measure, motion=negated(driver["motion"]))
    for coupling in document.get("couplings", {}).values():
        _negate_in_coupling(coupling, joint, kind)
    if "coordinates" in document:
        document["coordinates"] = [_renamed(name, joint, kind) or name for name in document["coordinates"]]


def _negate_in_coupling(coupling: dict, joint: str, kind: str) -> None:
    if "terms" in coupling:
        coupling["terms"] = {
            _renamed(name, joint, kind) or name: negated(factor) if _renamed(name, joint, kind) else factor
            for name, factor in coupling["terms"].items()
        }
        return
    renamed = [_renamed(name, joint, kind) for name in coupling["joints"]]
    coupling["joints"] = [new or old for new, old in zip(renamed, coupling["joints"], strict=True)]
    if sum(name is not None for name in renamed) == 1:  # -a + i b = 0 is a - i b = 0; both signs cancel
        coupling["ratio"] = negated(coupling["ratio"])


# Units ---------------------------------------------------------------------------------------------------------------


def in_other_units(document: dict, rng: np.random.Generator) -> dict:
    """Every plain number that has a dimension as a string with a random unit of equal value (powers of ten exactly)."""
    new = copy.deepcopy(document)
    for container, key, quantity in list(leaves(new)):
        if not isinstance(container[key], str):
            container[key] = in_unit(container[key], quantity, str(rng.choice(list(UNITS[quantity]))))
    return new
