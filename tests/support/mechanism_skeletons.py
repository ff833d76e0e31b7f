"""Random bodies and joints without forces: the topologies behind `mechanisms.random_mechanism`.

Every function returns a new document with `bodies` and `joints` (and `couplings`), consistent as drawn and at rest.
Closed ones are redrawn until the oracle in `mobility` finds them well away from singular configurations.
"""

from collections.abc import Callable
from itertools import pairwise

import numpy as np
from scipy.spatial.transform import Rotation

from mechanism_numbers import BRANCH_TYPES, COORDINATES
from mechanism_parts import Builder, beside, decimal, direction, numbers, perpendicular
from mobility import coordinate_names, mobility

WELL_CONDITIONED = 0.02
CLOSURES = (
    "spherical",
    "point",
    "universal",
    "cylindrical",
    "distance",
    "inplane",
    "inline",
    "parallel",
    "perpendicular",
    "orientation",
    "revolute",
    "prismatic",
    "screw",
    "planar",
    "fixed",
)
COUPLINGS = ("gear", "rack", "worm", "screw", "linear")
_ROWS_HELD = {
    "spherical": 3,
    "point": 3,
    "universal": 4,
    "cylindrical": 4,
    "distance": 1,
    "inplane": 1,
    "inline": 2,
    "parallel": 2,
    "perpendicular": 1,
    "orientation": 3,
    "revolute": 5,
    "prismatic": 5,
    "screw": 5,
    "planar": 3,
    "fixed": 6,
}


def redrawn(draw: Callable[[], dict], accept: Callable[[dict], bool], tries: int = 400) -> dict:
    """The first acceptable drawing."""
    for _ in range(tries):
        document = draw()
        if accept(document):
            return document
    raise RuntimeError("no acceptable drawing found: the topology is unsuitable")


def freedoms_of(document: dict) -> int:
    return mobility(document).freedoms


# Open trees ----------------------------------------------------------------------------------------------------------


def tree(rng: np.random.Generator, size: int | None = None, floating: bool = False, types=BRANCH_TYPES) -> dict:
    """A random tree of 2 to 6 bodies, jointed to ground or floating, with at least two freedoms."""
    count = size or int(rng.integers(2, 7))

    def draw() -> dict:
        builder = Builder(rng)
        names = [builder.body(beside(rng, np.zeros(3)))] if floating else ["ground"]
        for _ in range(count - len(builder.document["bodies"])):
            parent = names[-1] if rng.random() < 0.6 else str(rng.choice(names))
            names.append(builder.grow(parent, str(rng.choice(types))))
        return builder.document

    return redrawn(draw, lambda document: sum(len(COORDINATES[j["type"]]) for j in document["joints"].values()) >= 2)


def two_floating_parts(rng: np.random.Generator) -> dict:
    """Two floating trees, not connected by joints."""
    builder = Builder(rng)
    for _ in range(2):
        base = builder.body(beside(rng, np.zeros(3), 0.3, 1.0))
        builder.grow(base, str(rng.choice(["revolute", "universal", "spherical", "prismatic"])))
    return builder.document


# Closed loops --------------------------------------------------------------------------------------------------------


def loop(rng: np.random.Generator, topology: str | None = None) -> dict:
    """One or more closed loops or couplings with at least two freedoms left, nothing singular."""
    topologies = {
        "chain": closed_chain,
        "bars": planar_bars,
        "coupled": coupled_tree,
        "platform": platform,
        "strutted": strutted_body,
    }
    name = topology or str(rng.choice(list(topologies), p=[0.42, 0.15, 0.28, 0.05, 0.1]))
    return topologies[name](rng)


def closed_chain(rng: np.random.Generator, closure: str | None = None) -> dict:
    """A spatial chain whose ends are tied together by one constraint of any type, sometimes by two."""
    closures = [closure or _random_closure(rng)]
    if closure is None and rng.random() < 0.4:
        closures.append(_random_closure(rng))
    held = sum(_ROWS_HELD[kind] for kind in closures)
    kinds = ("revolute", "universal", "spherical", "prismatic", "cylindrical", "planar", "inline", "point", "screw")
    wanted = int(rng.integers(2, 5))
    base_on_ground = rng.random() < 0.75

    def draw() -> dict:
        builder = Builder(rng)
        base = "ground"
        if not base_on_ground:
            base = builder.body(beside(rng, np.zeros(3)))
            if rng.random() < 0.7:
                kind = str(rng.choice(["revolute", "prismatic", "fixed", "spherical"]))
                builder.joint(kind, ["ground", base], beside(rng, builder.at[base], 0.2, 0.5))
        last, freedoms, count = base, 0, 0
        while count < 2 or freedoms < held + wanted:
            kind = str(rng.choice(kinds))
            last = builder.grow(last, kind)
            freedoms += len(COORDINATES[kind])
            count += 1
        for kind, end in zip(closures, (last, str(rng.choice(list(builder.document["bodies"])))), strict=False):
            ends = [base, end] if rng.random() < 0.5 else [end, base]
            builder.joint(kind, ends, beside(rng, builder.at[end], 0.2, 0.5))
        return builder.document

    def accept(document: dict) -> bool:
        if any(len(set(joint["between"])) < 2 for joint in document["joints"].values()):
            return False
        found = mobility(document)
        return found.redundant == 0 and found.freedoms >= 2 and found.conditioning > WELL_CONDITIONED

    return redrawn(draw, accept)


def _random_closure(rng: np.random.Generator) -> str:
    weights = np.array([1.0] * 10 + [0.25] * 5)  # the last five are tested as branches enough
    return str(rng.choice(CLOSURES, p=weights / weights.sum()))


def polygon(rng: np.random.Generator, corners: int) -> tuple[np.ndarray, np.ndarray]:
    """Corners (n, 3) of a random polygon far from flat, in a plane of random direction, and the normal."""
    angles = np.linspace(0, 2 * np.pi, corners, endpoint=False) + rng.uniform(-0.25, 0.25, corners)
    radii = rng.uniform(0.5, 0.9, corners)
    normal = direction(rng)
    x = perpendicular(rng, normal)
    y = np.cross(normal, x)
    flat = np.column_stack([radii * np.cos(angles), radii * np.sin(angles)])
    return rng.uniform(-0.5, 0.5, 3) + flat @ np.array([x, y]), normal


def planar_bars(rng: np.random.Generator, count: int | None = None) -> dict:
    """A 4-, 5- or 6-bar of revolutes, three rows redundant; hung on ground, on a body or with a gear or a pendulum."""
    count = count or int(rng.integers(4, 7))
    on_body = rng.random() < 0.35

    def draw() -> dict:
        builder = Builder(rng)
        corners, normal = polygon(rng, count)
        base = "ground"
        if on_body:
            base = builder.body((corners[0] + corners[-1]) / 2 + 0.1 * direction(rng))
            if rng.random() < 0.7:
                kind = str(rng.choice(["revolute", "prismatic", "spherical", "fixed", "planar"]))
                builder.joint(kind, ["ground", base], beside(rng, builder.at[base], 0.2, 0.5))
        # bodies between consecutive corners; each joint point may lie anywhere along its axis
        links = [builder.body((a + b) / 2 + 0.05 * direction(rng)) for a, b in pairwise(corners)]
        around = [base, *links, base]
        for corner, a, b in zip(corners, around, around[1:], strict=False):
            builder.revolute(a, b, corner + normal * rng.uniform(-0.2, 0.2), normal * rng.choice([-1, 1]))
        document = builder.document
        hinges = [name for name, joint in document["joints"].items() if joint["type"] == "revolute"]
        if count == 6 and rng.random() < 0.6:
            pair = list(rng.choice(hinges, 2, replace=False))
            document["couplings"] = {"c1": _coupling(rng, str(rng.choice(["gear", "worm"])), pair)}
        while freedoms_of(document) < 2:
            builder.grow(str(rng.choice(links)), str(rng.choice(["revolute", "spherical", "universal", "prismatic"])))
        return document

    def accept(document: dict) -> bool:
        found = mobility(document)
        return found.redundant == 3 and found.conditioning > WELL_CONDITIONED

    return redrawn(draw, accept)


def _coupling(rng: np.random.Generator, kind: str, measures: list[str]) -> dict:
    ratio = decimal(rng, 0.3, 3) * int(rng.choice([-1, 1]))
    if kind == "linear":
        factors = [1.0] + [decimal(rng, 0.3, 2.5) * int(rng.choice([-1, 1])) for _ in measures[1:]]
        return {"type": "linear", "terms": dict(zip(map(str, measures), factors, strict=True))}
    return {"type": kind, "joints": [str(measure) for measure in measures], "ratio": ratio}


def coupled_tree(rng: np.random.Generator, kind: str | None = None) -> dict:
    """A tree of simple joints, some of whose coordinates are coupled; sometimes two couplings."""
    kind = kind or str(rng.choice(COUPLINGS))
    wants = {
        "gear": (("angle", "angle2", "angle1"),) * 2,
        "worm": (("angle", "angle2", "angle1"),) * 2,
        "rack": (("displacement", "x", "y"), ("angle", "angle2", "angle1")),
        "screw": (("displacement",), ("angle",)),
        "linear": (("displacement", "x", "angle", "angle1", "angle2"),) * int(rng.integers(2, 4)),
    }[kind]
    types = ("revolute", "prismatic", "cylindrical", "universal", "screw", "planar")

    def draw() -> dict:
        floating = rng.random() < 0.2
        document = tree(rng, size=int(rng.integers(2, 6)), floating=floating, types=types)
        free = {m: measured(document, m) for joint in document["joints"] for m in coordinate_names(document, joint)}
        chosen: list[str] = []
        for wanted in wants:
            fitting = [m for m, coordinate in free.items() if coordinate in wanted and m not in chosen]
            if kind == "screw" and chosen:  # a screw ties the two coordinates of one joint where it can
                fitting = [m for m in fitting if m.split(".")[0] == chosen[0].split(".")[0]] or fitting
            if not fitting:
                return document
            chosen.append(str(rng.choice(fitting)))
        document["couplings"] = {"c1": _coupling(rng, kind, chosen)}
        rest = [m for m, coordinate in free.items() if m not in chosen and coordinate.startswith("angle")]
        if len(rest) >= 2 and rng.random() < 0.4:
            document["couplings"]["c2"] = _coupling(rng, str(rng.choice(["gear", "worm", "linear"])), rest[:2])
        return document

    def accept(document: dict) -> bool:
        found = mobility(document)
        return "couplings" in document and found.redundant == 0 and found.freedoms >= 2 and found.conditioning > 0.01

    return redrawn(draw, accept)


def measured(document: dict, measure: str) -> str:
    """Name of the coordinate behind a joint measure: `angle` for `j1` of a revolute."""
    joint, _, coordinate = measure.partition(".")
    return coordinate or COORDINATES[document["joints"][joint]["type"]][0][0]


def platform(rng: np.random.Generator) -> dict:
    """A platform on three legs (revolute or universal, prismatic, spherical): two loops, at least three freedoms."""
    lower = [str(k) for k in rng.choice(["revolute", "universal"], 3, p=[0.7, 0.3])]

    def draw() -> dict:
        builder = Builder(rng)
        turn = Rotation.random(random_state=rng).as_matrix()
        plate = builder.body(turn @ [0, 0, 0.9])
        for i, kind in enumerate(lower):
            angle = 2 * np.pi * i / 3 + rng.uniform(-0.2, 0.2)
            radial, around = np.array([np.cos(angle), np.sin(angle), 0]), np.array([-np.sin(angle), np.cos(angle), 0])
            foot, top = 0.8 * radial, 0.45 * radial + [0, 0, 0.8 + rng.uniform(-0.1, 0.1)]
            along = (top - foot) / np.linalg.norm(top - foot)
            shank = builder.body(turn @ (foot + 0.3 * (top - foot)))
            rod = builder.body(turn @ (foot + 0.7 * (top - foot)))
            axes = {"axis": turn @ (around + 0.2 * direction(rng))}
            if kind == "universal":
                axes["axis2"] = perpendicular(rng, axes["axis"])
            builder.joint(kind, ["ground", shank], turn @ foot, **axes)
            builder.joint("prismatic", [shank, rod], turn @ (foot + 0.5 * (top - foot)), axis=turn @ along)
            builder.joint("spherical", [rod, plate], turn @ top)
        return builder.document

    def accept(document: dict) -> bool:
        found = mobility(document)
        return found.redundant == 0 and found.freedoms >= 3 and found.conditioning > WELL_CONDITIONED

    return redrawn(draw, accept)


def strutted_body(rng: np.random.Generator) -> dict:
    """A body without branches to ground, held by distance struts and other primitives, carrying another body."""
    struts = int(rng.integers(1, 4))
    extra = str(rng.choice(["none", "inplane", "parallel", "perpendicular", "inplane"]))

    def draw() -> dict:
        builder = Builder(rng)
        base = builder.body(beside(rng, np.zeros(3)))
        for _ in range(struts):
            near, far = beside(rng, builder.at[base], 0.2, 0.5), beside(rng, builder.at[base], 0.8, 1.4)
            strut = builder.joint("distance", ["ground", base], far)
            builder.document["joints"][strut]["at"] = [numbers(far), numbers(near)]
        if extra != "none":
            builder.joint(extra, ["ground", base], beside(rng, builder.at[base], 0.2, 0.5))
        builder.grow(base, str(rng.choice(["revolute", "spherical", "universal", "cylindrical", "prismatic"])))
        return builder.document

    def accept(document: dict) -> bool:
        found = mobility(document)
        return found.redundant == 0 and found.freedoms >= 2 and found.conditioning > WELL_CONDITIONED

    return redrawn(draw, accept)


# Redundant constraints -----------------------------------------------------------------------------------------------


def redundant(rng: np.random.Generator, topology: str | None = None) -> dict:
    """A mechanism with redundant rows that moves all the same, sometimes carrying a further body."""
    topologies = {
        "parallelogram": three_cranks,
        "door": door,
        "doubled": doubled_joint,
        "wedge": wedge,
        "sarrus": sarrus,
        "bars": planar_bars,
    }
    name = topology or str(rng.choice(list(topologies), p=[0.25, 0.2, 0.25, 0.1, 0.1, 0.1]))
    carries = rng.random() < 0.4

    def draw() -> dict:
        builder = topologies[name](rng)
        if isinstance(builder, dict):
            return builder
        if carries:
            bodies = list(builder.document["bodies"])
            builder.grow(str(rng.choice(bodies)), str(rng.choice(["revolute", "universal", "spherical", "prismatic"])))
        return builder.document

    def accept(document: dict) -> bool:
        found = mobility(document)
        return found.redundant >= 1 and found.freedoms >= 1 and found.conditioning > WELL_CONDITIONED

    return redrawn(draw, accept)


def three_cranks(rng: np.random.Generator) -> Builder:
    """A parallelogram with a third parallel crank: one freedom."""
    builder = Builder(rng)
    normal = direction(rng)
    u = perpendicular(rng, normal)
    angle = rng.uniform(0.6, 2.5)
    crank = rng.uniform(0.4, 0.9) * (np.cos(angle) * u + np.sin(angle) * np.cross(normal, u))
    start = np.round(rng.uniform(-0.4, 0.4, 3), 3)
    feet = [start, start + rng.uniform(0.4, 0.7) * u, start + rng.uniform(0.9, 1.4) * u]
    coupler = None
    for foot in feet:
        link = builder.body(foot + crank / 2 + 0.05 * direction(rng))
        coupler = coupler or builder.body(feet[1] + crank + 0.1 * direction(rng))
        builder.revolute("ground", link, foot, normal)
        builder.revolute(link, coupler, foot + crank, normal)
    return builder


def door(rng: np.random.Generator) -> Builder:
    """Two or three coaxial hinges between the same bodies."""
    builder = Builder(rng)
    axis, point = direction(rng), beside(rng, np.zeros(3))
    base = "ground"
    if rng.random() < 0.3:
        base = builder.grow("ground", str(rng.choice(["revolute", "prismatic", "spherical"])))
        point = beside(rng, builder.at[base])
    leaf = builder.body(point + 0.4 * perpendicular(rng, axis) + 0.3 * axis)
    kinds = ["revolute", str(rng.choice(["revolute", "cylindrical", "spherical"]))]
    if rng.random() < 0.3:
        kinds.append(str(rng.choice(["point", "cylindrical", "inline"])))
    for i, kind in enumerate(kinds):
        builder.revolute(base, leaf, point + 0.6 * i * axis, axis * rng.choice([-1.0, 1.0]), kind)
    return builder


def doubled_joint(rng: np.random.Generator) -> Builder:
    """A tree one of whose joints is given twice, or with a primitive that it implies."""
    builder = Builder(rng)
    first = builder.grow("ground", str(rng.choice(["revolute", "universal", "cylindrical", "spherical"])))
    implied = {
        "revolute": ["revolute", "parallel", "point", "cylindrical", "inplane"],
        "prismatic": ["prismatic", "orientation", "parallel", "cylindrical", "inline"],
        "cylindrical": ["cylindrical", "parallel", "inline"],
        "universal": ["universal", "spherical", "perpendicular"],
        "spherical": ["spherical", "point", "inplane"],
        "planar": ["planar", "inplane", "parallel"],
        "screw": ["screw", "cylindrical", "inline"],
        "inline": ["inline"],
    }
    kind = str(rng.choice(list(implied)))
    builder.grow(first, kind)
    again = {**builder.document["joints"]["j2"], "type": str(rng.choice(implied[kind]))}
    if again["type"] != "screw":
        again.pop("pitch", None)
    builder.document["joints"]["j3"] = again
    return builder


def wedge(rng: np.random.Generator) -> Builder:
    """Three slides in one plane: two bodies, one freedom, three redundant rows."""
    builder = Builder(rng)
    normal = direction(rng)
    x = perpendicular(rng, normal)
    y = np.cross(normal, x)
    angles = np.array([0, 2.1, 4.2]) + rng.uniform(-0.3, 0.3, 3)
    slides = np.cos(angles)[:, None] * x + np.sin(angles)[:, None] * y
    first, second = builder.body(beside(rng, np.zeros(3))), builder.body(beside(rng, np.zeros(3)))
    for ends, along in zip([("ground", first), (first, second), ("ground", second)], slides, strict=True):
        builder.joint("prismatic", list(ends), beside(rng, np.zeros(3)), axis=along)
    return builder


def sarrus(rng: np.random.Generator) -> Builder:
    """Sarrus' linkage: a plate on two folding hinge chains moves along a straight line."""
    builder = Builder(rng)
    turn = Rotation.random(random_state=rng).as_matrix()
    height = rng.uniform(0.6, 0.9)
    plate = builder.body(turn @ [0, 0, height])
    spread = rng.uniform(0.9, 2.0)
    for angle in (0.0, spread):
        radial, hinge = np.array([np.cos(angle), np.sin(angle), 0]), np.array([-np.sin(angle), np.cos(angle), 0])
        foot, top = 0.4 * radial, 0.4 * radial + [0, 0, height]
        knee = rng.uniform(0.7, 0.9) * radial + [0, 0, height / 2]
        lower, upper = builder.body(turn @ ((foot + knee) / 2)), builder.body(turn @ ((knee + top) / 2))
        for a, b, at in (("ground", lower, foot), (lower, upper, knee), (upper, plate, top)):
            builder.revolute(a, b, turn @ at, turn @ hinge)
    return builder


# Knife edges ---------------------------------------------------------------------------------------------------------


def knife(rng: np.random.Generator) -> dict:
    """A sleigh on a plane, a sleigh with trailers, or a spatial tree with a knife edge somewhere."""
    return [sleigh, sleigh, knife_on_tree][rng.integers(3)](rng)


def sleigh(rng: np.random.Generator) -> dict:
    """A sleigh on a plane, its edge on or off the joint point, with up to two trailers and a passenger."""
    builder = Builder(rng)
    normal = direction(rng)
    forward = perpendicular(rng, normal)
    lateral = np.cross(normal, forward)
    start = beside(rng, np.zeros(3))
    offset = float(rng.choice([0.0, 0.25, 0.5]))
    last = builder.body(start + 0.25 * forward + 0.1 * direction(rng))
    rail = builder.joint("planar", ["ground", last], start, axis=normal, axis2=forward)
    builder.joint("knife_edge", ["ground", last], start + offset * forward, axis=lateral)
    if rng.random() < 0.6:  # forward speed and turn rate; the edge forbids y' + offset * angle'
        speed, turn = decimal(rng, 0.5, 2), 0.25 * int(rng.integers(-4, 5))
        builder.document["joints"][rail]["velocity"] = [speed, -offset * turn, turn]
    hitch = start - 0.3 * forward
    for _ in range(rng.integers(0, 3)):
        trailer = builder.body(hitch - 0.3 * forward)
        builder.joint("revolute", [last, trailer], hitch, axis=normal)
        builder.joint("knife_edge", ["ground", trailer], hitch - 0.4 * forward, axis=lateral)
        last, hitch = trailer, hitch - 0.6 * forward
    if rng.random() < 0.5:
        builder.grow(str(rng.choice(list(builder.document["bodies"]))), str(rng.choice(["revolute", "spherical"])))
    return builder.document


def knife_on_tree(rng: np.random.Generator) -> dict:
    """A tree, floating now and then, with a knife edge in a random direction."""

    def draw() -> dict:
        document = tree(rng, size=int(rng.integers(2, 5)), floating=rng.random() < 0.3)
        builder = Builder(rng)
        builder.document = document
        last = list(document["bodies"])[-1]
        at = beside(rng, np.array(document["bodies"][last]["at"]), 0.2, 0.5)
        builder.joint("knife_edge", ["ground", last], at, axis=direction(rng))
        return document

    def accept(document: dict) -> bool:
        found = mobility(document)
        return found.redundant == 0 and found.freedoms >= 2 and found.conditioning > WELL_CONDITIONED

    return redrawn(draw, accept)


# Wheels --------------------------------------------------------------------------------------------------------------


def wheels(rng: np.random.Generator) -> dict:
    """A lone wheel that carries something, a two-wheeler, or a wheel on a body that turns."""
    draw = [lone_wheel, two_wheeler, wheel_on_a_moving_body][rng.integers(3)]

    def accept(document: dict) -> bool:
        found = mobility(document)
        return found.redundant == 0 and found.freedoms >= 2 and found.conditioning > WELL_CONDITIONED

    return redrawn(lambda: draw(rng).document, accept)


def _roll(rng: np.random.Generator, builder: Builder, plane: str, wheel: str, axle: np.ndarray, normal=None) -> None:
    """Let a body roll on a plane of another; its axle leans, and stands anywhere but near the normal."""
    at = builder.at[wheel] + (0.05 * direction(rng) if rng.random() < 0.3 else 0.0)
    keys = {"axis": axle, "radius": decimal(rng, 0.2, 0.6)}
    if rng.random() < 0.5:
        keys["tube"] = decimal(rng, 0.02, 0.15)
    if normal is not None:
        keys["normal"] = numbers(normal)
    builder.joint("rolling", [plane, wheel], at, **keys)


def _axle(rng: np.random.Generator, normal: np.ndarray) -> np.ndarray:
    return perpendicular(rng, normal) + rng.uniform(-0.7, 0.7) * normal


def lone_wheel(rng: np.random.Generator) -> Builder:
    builder = Builder(rng)
    normal = np.array([0.0, 0, 1]) if rng.random() < 0.4 else direction(rng)
    wheel = builder.body(beside(rng, np.zeros(3)))
    _roll(rng, builder, "ground", wheel, _axle(rng, normal), None if normal[2] == 1 else normal)
    for _ in range(rng.integers(1, 3)):
        builder.grow(wheel, str(rng.choice(["revolute", "spherical", "universal", "prismatic"])))
    return builder


def two_wheeler(rng: np.random.Generator) -> Builder:
    """Rear wheel, frame, fork, front wheel: crooked everywhere."""
    builder = Builder(rng)
    frame_body = builder.body(beside(rng, np.array([0, 0, 0.8]), 0.1, 0.3))
    fork = builder.body(np.round([0.9, 0, 0.7] + 0.1 * direction(rng), 4))
    rear, front = (builder.body(np.round([x, 0, 0.3] + 0.1 * direction(rng), 4)) for x in (0.0, 1.1))
    rear_axle, front_axle = (np.array([0, 1.0, 0]) + 0.3 * direction(rng) for _ in range(2))
    builder.revolute(frame_body, rear, builder.at[rear], rear_axle)
    builder.revolute(frame_body, fork, np.array([1.1, 0, 0.2]), np.array([0.3, 0, -1]) + 0.1 * direction(rng))
    builder.revolute(fork, front, builder.at[front], front_axle)
    _roll(rng, builder, "ground", rear, rear_axle)
    _roll(rng, builder, "ground", front, front_axle)
    return builder


def wheel_on_a_moving_body(rng: np.random.Generator) -> Builder:
    builder = Builder(rng)
    table = builder.grow("ground", str(rng.choice(["revolute", "prismatic", "universal", "spherical"])))
    wheel = builder.body(beside(rng, builder.at[table]))
    normal = direction(rng)
    _roll(rng, builder, table, wheel, _axle(rng, normal), normal)
    if rng.random() < 0.5:
        builder.grow(wheel, str(rng.choice(["revolute", "spherical", "universal"])))
    return builder
