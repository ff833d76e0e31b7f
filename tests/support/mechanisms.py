"""Random mechanisms as model documents: consistent as drawn, non-degenerate, modest numbers, every element type.

    document = random_mechanism(numpy.random.default_rng(7), "loop")

The first word of a document's `name` is its kind. `equilibrium_mechanism` rests at equilibrium with nothing deflected.
"""

from collections import Counter

import numpy as np

import mechanism_skeletons as skeletons
from mechanism_forces import (
    FORCES,
    add_driver,
    add_force,
    bushing,
    coordinates,
    drawn_distance,
    fresh,
    point_spring,
    spring_along,
    two_bodies,
)
from mechanism_numbers import BRANCH_TYPES, COORDINATES, UNITS, in_unit, leaves
from mechanism_parts import decimal, direction, numbers
from mechanism_skeletons import WELL_CONDITIONED
from mobility import assembled, coordinate_names, floating_bases, independence, mobility, spanning_tree

__all__ = ["FORCES", "KINDS", "coverage", "equilibrium_mechanism", "random_mechanism"]

KINDS = ("tree", "floating", "loop", "redundant", "driven", "knife", "wheel")
_CLEARLY_INDEPENDENT = 0.1


def random_mechanism(rng: np.random.Generator, kind: str | None = None) -> dict:
    """A random mechanism as a model document of plain Python values.

    kind: one of `KINDS`; None draws one.
    """
    kind = kind or str(rng.choice(KINDS, p=[0.15, 0.11, 0.28, 0.15, 0.15, 0.09, 0.07]))
    skeleton = {
        "tree": _tree,
        "floating": _floating,
        "loop": _loop,
        "redundant": _redundant,
        "driven": _driven,
        "knife": _knife,
        "wheel": _wheel,
    }[kind](rng)
    document = {"eigenbody": 1, "name": f"{kind} mechanism", **skeleton}
    _give_gravity(rng, document)
    for _ in range(rng.integers(1, 5)):
        add_force(rng, document)
    _disguise_numbers(rng, document)
    return document


# Kinds ---------------------------------------------------------------------------------------------------------------


def _tree(rng: np.random.Generator) -> dict:
    document = skeletons.tree(rng, floating=rng.random() < 0.25)
    _give_tree_state(rng, document)
    return document


def _floating(rng: np.random.Generator) -> dict:
    """A floating tree, or two, on bushings or point springs to ground."""
    if rng.random() < 0.2:
        document = skeletons.two_floating_parts(rng)
    else:
        document = skeletons.tree(rng, size=int(rng.integers(2, 6)), floating=True)
    _give_tree_state(rng, document)
    forces = document.setdefault("forces", {})
    for base in floating_bases(document):
        if rng.random() < 0.7:
            forces[fresh(forces, "f")] = bushing(rng, document, "bushing", "ground", base)
        else:
            for _ in range(rng.integers(2, 5)):
                forces[fresh(forces, "f")] = point_spring(rng, document, ends=("ground", base))
    return document


def _loop(rng: np.random.Generator) -> dict:
    document = skeletons.loop(rng)
    _displace_one_crank(rng, document)
    _give_some_velocities(rng, document)
    return document


def _redundant(rng: np.random.Generator) -> dict:
    document = skeletons.redundant(rng)
    _displace_one_crank(rng, document)
    _give_some_velocities(rng, document)
    return document


def _driven(rng: np.random.Generator) -> dict:
    """A tree or a loop with one or two drivers that leave at least one freedom."""
    count = int(rng.integers(1, 3))

    def draw() -> dict:
        document = skeletons.loop(rng) if rng.random() < 0.4 else skeletons.tree(rng, floating=rng.random() < 0.15)
        before = mobility(document)
        for _ in range(count):
            if coordinates(document):
                add_driver(rng, document)
        driven = mobility(document)
        document["accepted"] = (
            driven.freedoms == before.freedoms - count
            and driven.freedoms >= 1
            and driven.conditioning > WELL_CONDITIONED
        )
        return document

    document = skeletons.redrawn(draw, lambda document: document.pop("accepted"))
    _give_some_velocities(rng, document)
    return document


def _knife(rng: np.random.Generator) -> dict:
    document = skeletons.knife(rng)
    if not any("velocity" in joint for joint in document["joints"].values()):
        _give_some_velocities(rng, document)
    return document


def _wheel(rng: np.random.Generator) -> dict:
    document = skeletons.wheels(rng)
    _give_some_velocities(rng, document)
    return document


# Initial state -------------------------------------------------------------------------------------------------------


def _give_tree_state(rng: np.random.Generator, document: dict) -> None:
    """Positions (up to 1 rad in all of a joint's angles) and velocities for most joints of an open tree."""
    for joint in document["joints"].values():
        kinds = [quantity for _, quantity in COORDINATES[joint["type"]]]
        if kinds and rng.random() < 0.5:
            turn = direction(rng) if kinds.count("angle") == 3 else rng.uniform(-1, 1, 3)
            turn = iter(turn * rng.uniform(0.2, 1.0))
            _give(joint, "position", [next(turn) if kind == "angle" else rng.uniform(-0.4, 0.4) for kind in kinds])
        if kinds and rng.random() < 0.7:
            _give(joint, "velocity", _random_rates(rng, kinds))


def _random_rates(rng: np.random.Generator, kinds: list[str]) -> list[float]:
    return [rng.uniform(0.3, 2.0 if kind == "angle" else 1.0) * rng.choice([-1, 1]) for kind in kinds]


def _give(joint: dict, key: str, values: list[float]) -> None:
    values = [round(float(value), 3) for value in values]
    joint[key] = values[0] if len(values) == 1 else values


def _displace_one_crank(rng: np.random.Generator, document: dict) -> None:
    """Now and then a position of 0.1 rad (or 0.05 m) on one joint, if the loops can follow."""
    single = [name for name in coordinates(document) if "." not in name]
    if not single or rng.random() < 0.6:
        return
    name = str(rng.choice(single))
    if independence(document, [name]) < _CLEARLY_INDEPENDENT:
        return
    drawn = mobility(document)
    joint = document["joints"][name]
    joint["position"] = 0.1 if COORDINATES[joint["type"]][0][1] == "angle" else 0.05
    try:
        state = assembled(document)
    except ValueError:
        del joint["position"]
        return
    moved = mobility(document, state)
    if moved.rank != drawn.rank or moved.conditioning < WELL_CONDITIONED:
        del joint["position"]


def _give_some_velocities(rng: np.random.Generator, document: dict) -> None:
    """Velocities for one or two joints whose coordinates can certainly be given together."""
    state = assembled(document)
    names = [n for n, joint in document["joints"].items() if COORDINATES[joint["type"]] and "motion" not in joint]
    driven = {driver["measure"].split(".")[0] for driver in document.get("drivers", {}).values()}
    chosen: list[str] = []
    most = int(rng.integers(1, 3))
    for name in rng.permutation([name for name in names if name not in driven]):
        if len(chosen) < most and independence(document, [*chosen, str(name)], state) > _CLEARLY_INDEPENDENT:
            chosen.append(str(name))
    for name in chosen:
        joint = document["joints"][name]
        _give(joint, "velocity", _random_rates(rng, [kind for _, kind in COORDINATES[joint["type"]]]))


def _give_gravity(rng: np.random.Generator, document: dict) -> None:
    match rng.choice(["none", "down", "any"], p=[0.2, 0.3, 0.5]):
        case "down":
            document["gravity"] = [0, 0, -9.81]
        case "any":
            document["gravity"] = numbers(np.round(9.81 * direction(rng), 3))


# Notation ------------------------------------------------------------------------------------------------------------


def _disguise_numbers(rng: np.random.Generator, document: dict) -> None:
    """Write some numbers with units and some by parameters."""
    parameters: dict = {}
    for container, key, quantity in list(leaves(document)):
        value = container[key]
        if isinstance(value, str):
            continue
        chance = rng.random()
        if chance < 0.06:
            container[key] = in_unit(value, quantity, str(rng.choice(list(UNITS[quantity]))))
        elif chance < 0.12 and quantity not in ("length", "inertia") and value and len(parameters) < 4:
            name = f"q{len(parameters) + 1}"
            match rng.integers(3):
                case 0:
                    parameters[name] = value
                    container[key] = f"={name}"
                case 1:
                    parameters[name] = value / 2
                    container[key] = f"=2*{name}"
                case 2:
                    parameters[name] = in_unit(value, quantity, str(rng.choice(list(UNITS[quantity]))))
                    container[key] = f"={name}"
    if parameters:
        document["parameters"] = parameters


# Equilibrium ---------------------------------------------------------------------------------------------------------


def equilibrium_mechanism(rng: np.random.Generator, kind: str | None = None) -> dict:
    """A random mechanism at rest at equilibrium, every spring and bushing undeflected, no gravity, no zero frequencies.

    kind: "tree", "floating", "loop" or "redundant"; None draws one. At least two freedoms; stiffness along every joint
    coordinate (and under every floating base), so the stiffness matrix is positive definite. Some damping.
    """
    kind = kind or str(rng.choice(["tree", "floating", "loop", "redundant"]))
    draw = {
        "tree": lambda: skeletons.tree(rng),
        "floating": lambda: skeletons.tree(rng, floating=True),
        "loop": lambda: skeletons.loop(rng),
        "redundant": lambda: skeletons.redundant(rng),
    }[kind]
    skeleton = skeletons.redrawn(draw, lambda document: mobility(document).freedoms >= 2)
    document = {"eigenbody": 1, "name": f"equilibrium {kind}", **skeleton, "forces": {}}
    for force in _stiffening(rng, document):
        document["forces"][fresh(document["forces"], "f")] = force
    return document


def _stiffening(rng: np.random.Generator, document: dict):
    """Undeflected springs and bushings along everything that can move, and a few more."""
    for name, joint in document["joints"].items():
        if not COORDINATES[joint["type"]]:
            continue
        measures = coordinate_names(document, name)
        if len(measures) <= 2 and rng.random() < 0.7:
            for measure in measures:
                yield _undeflected(spring_along(rng, document, measure))
        else:
            yield bushing(rng, document, "bushing", *joint["between"], soft=True)
    for base in floating_bases(document):
        yield bushing(rng, document, "bushing", "ground", base)
    for _ in range(rng.integers(0, 3)):
        yield point_spring(rng, document, free=True)
    if rng.random() < 0.4:
        yield bushing(rng, document, "bearing", *two_bodies(rng, document))
    if rng.random() < 0.4:
        a, b = rng.permutation(["ground", *document["bodies"]])[:2].tolist()
        if drawn_distance(document, a, b) > 0.15:
            measures = document.setdefault("measures", {})
            name = fresh(measures, "m")
            measures[name] = {"type": "distance", "between": [a, b]}
            yield {**spring_along(rng, document, name), "free": drawn_distance(document, a, b)}
    if document["joints"] and rng.random() < 0.3:
        measure = next(iter(coordinates(document)), None)
        if measure:
            k, c = decimal(rng, 20, 100), decimal(rng, 0.1, 1)
            yield {"type": "expression", "along": measure, "value": f"=-{k}*sin({measure}) - {c}*{measure}'"}


def _undeflected(spring: dict) -> dict:
    spring.pop("free", None)
    return spring


# Coverage ------------------------------------------------------------------------------------------------------------


def coverage(documents: list[dict]) -> Counter:
    """How many of what the documents contain.

    Keys: `kind:tree`, `joint:revolute`, `closure:point` (a joint outside the spanning tree), `force:bushing`,
    `force:bushing 6x6`, `force:spring along`, `coupling:gear`, `measure:angle`, `axes:body`, `rotation:quaternion`, ...
    and one per document for `floating`, `loop`, `redundant`; one per occurrence for `driver`, `motion`, `marker`,
    `position`, `velocity`, `rate` (in an expression), `parameter`, `unit`, ...
    """
    count: Counter = Counter()
    for document in documents:
        count[f"kind:{document['name'].split()[0]}"] += 1
        _count_joints(document, count)
        _count_forces(document, count)
        for coupling in document.get("couplings", {}).values():
            count[f"coupling:{coupling['type']}"] += 1
        for measure in document.get("measures", {}).values():
            count[f"measure:{measure['type']}"] += 1
        count["driver"] += len(document.get("drivers", {}))
        count["parameter"] += len(document.get("parameters", {}))
        count["gravity"] += "gravity" in document
        for owner in [*document["bodies"].values(), *document.get("markers", {}).values()]:
            count[f"rotation:{next(iter(owner['rotation'])) if 'rotation' in owner else 'none'}"] += 1
            count["marker"] += "body" in owner
            count["marker in body axes"] += owner.get("frame") == "body"
            count[f"inertia:{_shape(owner.get('inertia'))}"] += "mass" in owner
        for container, key, _ in leaves(document):
            count["unit"] += isinstance(container[key], str) and not container[key].startswith("=")
    return +count


def _count_joints(document: dict, count: Counter) -> None:
    tree = spanning_tree(document)
    joints = document.get("joints", {})
    for name, joint in joints.items():
        count[f"joint:{joint['type']}"] += 1
        if name not in tree and joint["type"] not in ("knife_edge", "rolling"):
            count[f"closure:{joint['type']}"] += 1
        for key in ("position", "velocity", "motion"):
            count[key] += key in joint
        count["default axis"] += "axis" not in joint
    count["floating"] += bool(floating_bases(document))
    count["loop"] += any(n not in tree and joint["type"] in BRANCH_TYPES for n, joint in joints.items())
    count["redundant"] += mobility(document).redundant > 0


def _count_forces(document: dict, count: Counter) -> None:
    for force in document.get("forces", {}).values():
        kind = force["type"]
        count[f"force:{kind}"] += 1
        if "along" in force and kind == "spring":
            count["force:spring along"] += 1
        if kind in ("bushing", "bearing"):
            count[f"force:{kind} {_shape(force['k'])}"] += 1
        if kind in ("force", "torque"):
            count[f"axes:{force.get('axes', 'default')}"] += 1
        values = force.get("value", [])
        texts = [v for v in (values if isinstance(values, list) else [values]) if isinstance(v, str)]
        count[f"{kind} by expression"] += any(text.startswith("=") and ("t" in text or "j" in text) for text in texts)
        count["rate"] += any("'" in text for text in texts)


def _shape(values: list | None) -> str:
    if values is None:
        return "none"
    return f"{len(values)}x{len(values)}" if isinstance(values[0], list) else str(len(values))
