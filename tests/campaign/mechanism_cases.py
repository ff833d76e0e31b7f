"""Random mechanisms with small-integer data: at rest, falling, inverted, nearly balanced, spinning, looped."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

Document = dict[str, Any]
WHOLE_LENGTHS = ([1, 2, 2], [2, 3, 6], [0, 3, 4], [4, 4, 7], [0, 0, 2], [1, 4, 8])
SINGLE = ("revolute", "prismatic")
DEGREES = {"fixed": 0, "revolute": 1, "prismatic": 1, "cylindrical": 2, "universal": 2, "spherical": 3, "free": 6}


def oblique(rng: random.Random) -> list[int]:
    """An axis with whole components, no two of the smallest equal in size, so that its frame is beyond doubt."""
    while True:
        axis = [rng.randint(-3, 3) for _ in range(3)]
        sizes = sorted(abs(x) for x in axis)
        if sizes[0] < sizes[1]:
            return axis


def normal_to(axis: list[int], rng: random.Random) -> list[int]:
    while True:
        a, (x, y, z) = [rng.randint(-2, 2) for _ in range(3)], axis
        normal = [y * a[2] - z * a[1], z * a[0] - x * a[2], x * a[1] - y * a[0]]
        if any(normal):
            return normal


def point(rng: random.Random) -> list[int]:
    return [rng.randint(-3, 3) for _ in range(3)]


def number(rng: random.Random) -> float | int:
    return rng.choice([rng.randint(1, 9), rng.randint(1, 99) / 10])


def body(rng: random.Random, at: list[Any] | None = None) -> Document:
    x, y, z = (number(rng) for _ in range(3))
    inertia = [round(float(v), 1) for v in (y + z, x + z, x + y)]  # of three positive masses on the axes
    entry: Document = {"mass": number(rng), "inertia": inertia, "at": point(rng) if at is None else at}
    if rng.random() < 0.2:
        entry["rotation"] = {"axis": oblique(rng), "angle": rng.randint(-15, 15) / 10}
    return entry


def joint(rng: random.Random, kind: str, between: list[str]) -> Document:
    axis = oblique(rng) if rng.random() < 0.8 else rng.choice([[1, 0, 0], [0, 1, 0], [0, 0, 1]])
    entry: Document = {"type": kind, "between": between, "at": point(rng), "axis": axis}
    if kind == "universal":
        entry["axis2"] = normal_to(axis, rng)
    return entry


def names_of(name: str, kind: str) -> list[str]:
    labels = {
        "cylindrical": ["displacement", "angle"],
        "universal": ["angle1", "angle2"],
        "spherical": ["rx", "ry", "rz"],
        "free": ["x", "y", "z", "rx", "ry", "rz"],
    }
    return [name] if kind in SINGLE else [f"{name}.{label}" for label in labels.get(kind, [])]


def tree(rng: random.Random, most: int = 4, kinds: tuple[str, ...] = ()) -> Document:
    """A tree with one to `most` free coordinates."""
    document: Document = {"eigenbody": 1, "bodies": {}, "joints": {}, "forces": {}}
    freedom, parents = 0, ["ground"]
    kinds = kinds or ("revolute", "revolute", "revolute", "prismatic", "cylindrical", "universal", "spherical", "fixed")
    for name in rng.sample("abcdefgh", rng.randint(1, 4)):
        kind = rng.choice([k for k in kinds if DEGREES[k] <= most - freedom] or ["fixed"])
        if kind == "fixed" and freedom == 0 and len(parents) > 1:
            kind = "revolute"
        document["bodies"][name] = body(rng)
        document["joints"][f"j{name}"] = joint(rng, kind, [rng.choice(parents), name])
        freedom += DEGREES[kind]
        parents.append(name)
    if freedom == 0:
        last = list(document["joints"])[-1]
        document["joints"][last]["type"] = "revolute"
    return document


def coordinates(document: Document) -> list[str]:
    return [c for name, entry in document["joints"].items() for c in names_of(name, entry["type"])]


def add_springs(document: Document, rng: random.Random, dampers: bool = True, share: float = 0.6) -> Document:
    """Unstretched springs along joints, between points a whole length apart, and bushings: no force at rest."""
    bodies, forces = ["ground", *document["bodies"]], document["forces"]
    for index, name in enumerate(coordinates(document)):
        if rng.random() < share:
            forces[f"s{index}"] = {"type": "spring", "along": name, "k": rng.choice([0, 1, 10, 100, 2.5, 1000])}
            if dampers and rng.random() < 0.5:
                forces[f"s{index}"]["c"] = number(rng)
    if rng.random() < 0.3:
        reach, start = rng.choice(WHOLE_LENGTHS), point(rng)
        length = round(sum(x * x for x in reach) ** 0.5)
        reach = [x * rng.choice([1, -1]) for x in rng.sample(reach, 3)]
        ends = [start, [a + b for a, b in zip(start, reach, strict=True)]]
        forces["line"] = {
            "type": "spring",
            "between": rng.sample(bodies, 2),
            "at": ends,
            "k": number(rng) * 10,
            "free_length": length,
        }
        if dampers and rng.random() < 0.5:
            forces["line"]["c"] = number(rng)
    if rng.random() < 0.2:
        kind, pair = rng.choice(["bushing", "bearing"]), rng.sample(bodies, 2)
        k = [number(rng) * 10 for _ in range(6)]
        if kind == "bearing":
            k[5] = 0
        forces["mount"] = {"type": kind, "between": pair, "at": point(rng), "axis": oblique(rng), "k": k}
        if dampers and rng.random() < 0.5:
            forces["mount"]["c"] = [x / 10 for x in k]
    return document


def add_gear(document: Document, rng: random.Random) -> Document:
    single = [name for name, entry in document["joints"].items() if entry["type"] in SINGLE]
    if len(single) > 1 and rng.random() < 0.2:
        document["couplings"] = {
            "g": {"type": "gear", "joints": rng.sample(single, 2), "ratio": rng.choice([-2, -1, 0.5, 3])}
        }
    return document


# Kinds of mechanism


def tree_at_rest(rng: random.Random) -> Document:
    """No gravity, nothing stretched: an equilibrium; K is semidefinite, nothing can grow."""
    return add_gear(add_springs(tree(rng), rng), rng)


def oblique_tree(rng: random.Random) -> Document:
    """Hinges alone, oblique, whole numbers, one or two springs: every wrong sign of a zero shows."""
    document: Document = {"eigenbody": 1, "bodies": {}, "joints": {}, "forces": {}}
    parents, axes = ["ground"], [oblique(rng), rng.choice([[1, 0, 1], [1, 1, 1], [1, 2, 3]])]
    for name in "abcd"[: rng.randint(2, 4)]:
        document["bodies"][name] = {"mass": rng.randint(1, 3), "inertia": [1, 1, 1], "at": point(rng)}
        document["joints"][f"j{name}"] = joint(rng, "revolute", [rng.choice(parents), name])
        document["joints"][f"j{name}"]["axis"] = rng.choice(axes)
        parents.append(name)
    for name in rng.sample(coordinates(document), rng.randint(1, 2)):
        document["forces"][f"s{name}"] = {"type": "spring", "along": name, "k": rng.choice([1, 100, 1000, 100000])}
    return document


def free_tree(rng: random.Random) -> Document:
    """Hardly a spring: zeros, single and double."""
    return add_springs(tree(rng), rng, share=0.2)


def tree_falling(rng: random.Random) -> Document:
    """Let go in the drawing under gravity: no equilibrium."""
    document = add_gear(add_springs(tree(rng), rng), rng)
    document["gravity"] = rng.choice([[0, 0, -10], [0, -9.81, 0], oblique(rng)])
    return document


def tree_moving(rng: random.Random) -> Document:
    """Joints with velocities and positions, forces of every kind."""
    document = add_springs(tree(rng), rng)
    if rng.random() < 0.5:
        document["gravity"] = rng.choice([[0, 0, -10], oblique(rng)])
    move(document, rng, positions=True)
    if rng.random() < 0.2:
        name = rng.choice(list(document["bodies"]))
        document["forces"]["push"] = {"type": "force", "body": name, "at": point(rng), "value": oblique(rng)}
    return document


def move(document: Document, rng: random.Random, positions: bool) -> None:
    for entry in document["joints"].values():
        size = DEGREES[entry["type"]]
        if size and rng.random() < 0.7:
            values = [rng.randint(-20, 20) / 10 for _ in range(size)]
            entry["velocity"] = values if size > 1 else values[0]
        if positions and size and entry["type"] not in ("spherical", "free") and rng.random() < 0.5:
            values = [rng.randint(-10, 10) / 10 for _ in range(size)]
            entry["position"] = values if size > 1 else values[0]


def pendulum_tower(rng: random.Random) -> Document:
    """Centres of mass and hinges on one plumb line, hinge axes normal to it: an equilibrium, hanging or inverted."""
    plumb = rng.choice(WHOLE_LENGTHS)
    plumb = [x * rng.choice([1, -1]) for x in rng.sample(plumb, 3)]
    up = rng.choice([1, -1])
    document: Document = {"eigenbody": 1, "gravity": [-up * x for x in plumb], "bodies": {}, "joints": {}, "forces": {}}
    parent, height = "ground", 0
    for name in "abcd"[: rng.randint(1, 4)]:
        kind = (
            rng.choice(["revolute", "revolute", "universal", "spherical"])
            if len(document["bodies"]) < 2
            else "revolute"
        )
        axis = normal_to(plumb, rng)
        entry: Document = {"type": kind, "between": [parent, name], "at": [height * x for x in plumb], "axis": axis}
        if kind != "revolute":
            entry["axis2"] = [a * b for a, b in zip(cross(axis, plumb), [1, 1, 1], strict=True)]
        document["joints"][f"h{name}"] = entry
        height += rng.randint(1, 2)
        document["bodies"][name] = body(rng, [height * x for x in plumb])
        height += rng.randint(0, 2)
        parent = name
    if sum(DEGREES[j["type"]] for j in document["joints"].values()) > 4:
        for entry in document["joints"].values():
            entry["type"] = "revolute"
    for index, name in enumerate(coordinates(document)):
        if rng.random() < 0.6:
            k = rng.choice([10, 100, 1000, 10000, 100000])
            document["forces"][f"s{index}"] = {"type": "spring", "along": name, "k": k, "c": rng.choice([0, 0, 1, 10])}
    return document


def cross(a: list[int], b: list[int]) -> list[int]:
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def nearly_balanced(rng: random.Random) -> Document:
    """Pendulums that springs just hold or just do not hold: k = m g l -+ 2**-n, growth rates from 1 to 1e-13."""
    document: Document = {"eigenbody": 1, "gravity": [0, 0, -10], "bodies": {}, "joints": {}, "forces": {}}
    for index, name in enumerate("abc"[: rng.randint(1, 3)]):
        mass, arm, x = rng.randint(1, 8), rng.randint(1, 4), 5 * index
        axis = rng.choice([[1, 0, 0], [0, 1, 0], [3, 4, 0], [0, 1, 0]])
        document["bodies"][name] = {"mass": mass, "inertia": [1, 1, 1], "at": [x, 0, arm]}
        document["joints"][f"h{name}"] = {
            "type": "revolute",
            "between": ["ground", name],
            "at": [x, 0, 0],
            "axis": axis,
        }
        balance = 10 * mass * arm
        damping = rng.choice([0, 0, 1, 5, 100])
        finest = {0: 43, 1: 43, 5: 40, 100: 36}[damping]  # growth of 1e-13 at least; k is a double exactly
        off = rng.choice([-1, -1, 1]) * 2.0 ** -rng.randint(0, finest)
        k = rng.choice([balance + off, balance + off, balance + off, 2 * balance])
        document["forces"][f"s{name}"] = {"type": "spring", "along": f"h{name}", "k": k, "c": damping}
    return document


def spinning(rng: random.Random) -> Document:
    """A round body that spins about its own axis, on bearings, on a swinging arm, or floating: a steady motion."""
    across, along = number(rng), number(rng)
    round_body: Document = {"mass": number(rng), "inertia": [across + 10, across + 10, along], "at": [0, 0, 0]}
    speed = rng.choice([0.1, 1, 3, 20, 100])
    document: Document = {"eigenbody": 1, "bodies": {"r": round_body}, "joints": {}, "forces": {}}
    form = rng.randint(0, 3)
    if form == 0:
        document["joints"]["f"] = {
            "type": "free",
            "between": ["ground", "r"],
            "at": [0, 0, 0],
            "velocity": [0, 0, 0, 0, 0, speed],
        }
    elif form == 1:
        document["joints"]["f"] = {
            "type": "spherical",
            "between": ["ground", "r"],
            "at": [0, 0, rng.randint(-2, 2)],
            "velocity": [0, 0, speed],
        }
        document["gravity"] = [0, 0, rng.choice([0, -10, 10])]
    else:
        document["bodies"]["b"] = {**body(rng), "at": [0, 0, rng.randint(-1, 1)]}
        base = rng.choice(["universal", "revolute", "spherical", "prismatic"])
        document["joints"]["h"] = {
            "type": base,
            "between": ["ground", "b"],
            "at": [0, 0, rng.randint(-2, 2)],
            "axis": [1, 0, 0],
            "axis2": [0, 1, 0],
        }
        document["joints"]["f"] = {
            "type": "revolute",
            "between": ["b", "r"],
            "at": [0, 0, 0],
            "axis": [0, 0, 1],
            "velocity": speed,
        }
        document["bodies"] = {"b": document["bodies"]["b"], "r": round_body}
        for index, name in enumerate(names_of("h", base)):
            if rng.random() < 0.7:
                document["forces"][f"s{index}"] = {
                    "type": "spring",
                    "along": name,
                    "k": rng.choice([1, 10, 1000]),
                    "c": rng.choice([0, 0, 1]),
                }
    if form < 2 and rng.random() < 0.7:
        k = [rng.choice([0, 10, 1000])] * 2 + [rng.choice([0, 100])] + [rng.choice([0, 10])] * 2 + [0]
        c = [rng.choice([0, 1])] * 2 + [rng.choice([0, 1])] + [rng.choice([0, 1])] * 2 + [0]
        document["forces"]["mount"] = {"type": "bearing", "between": ["ground", "r"], "at": [0, 0, 0], "k": k, "c": c}
    return document


def floating(rng: random.Random) -> Document:
    """Bodies not held by ground at all, at rest: six double zeros."""
    document = tree(rng, most=1, kinds=SINGLE)
    joints = document["joints"]
    for name, entry in list(joints.items()):
        if entry["between"][0] == "ground":
            del joints[name]
    return add_springs(document, rng, share=0.8)


LOOPS = (
    ("revolute", "spherical", "cylindrical", "revolute"),
    ("revolute", "universal", "cylindrical", "universal"),
    ("revolute", "spherical", "spherical", "revolute"),
    ("revolute", "spherical", "universal", "prismatic"),
    ("universal", "spherical", "spherical", "revolute"),
    ("cylindrical", "cylindrical", "cylindrical", "revolute"),
    ("revolute", "revolute", "universal", "spherical", "prismatic"),
    ("spherical", "spherical", "universal"),
)


def loop(rng: random.Random) -> tuple[Document, int]:
    """One closed loop through ground and the number of rows that it needs."""
    form = rng.randint(0, 3)
    if form == 0:
        kinds, rows = rng.choice(LOOPS), 6
        axes = None
    else:
        kinds, rows = ("revolute",) * rng.randint(4, 5), 3
        axes = [oblique(rng)] * len(kinds) if form < 3 else [oblique(rng) for _ in kinds]
        if form == 2:
            kinds = (*kinds[:-1], "prismatic")
    kinds = tuple(rng.sample(kinds, len(kinds)))
    document: Document = {"eigenbody": 1, "bodies": {}, "joints": {}, "forces": {}}
    previous = "ground"
    for index, kind in enumerate(kinds):
        last = index == len(kinds) - 1
        name = "abcdef"[index - last]
        between = ["ground", name] if last else [previous, name]
        if not last:
            document["bodies"][name] = body(rng)
        document["joints"][f"j{index}"] = joint(rng, kind, between)
        if axes is not None:
            document["joints"][f"j{index}"]["axis"] = axes[index] if kind == "revolute" else normal_to(axes[index], rng)
            if form == 3:
                document["joints"][f"j{index}"]["at"] = [1, -1, 2]  # axes meet in one point
        previous = name
    return document, rows


def loop_at_rest(rng: random.Random) -> Document:
    document, rows = loop(rng)
    document["rows"] = rows
    return add_springs(document, rng, share=0.4)


def loop_falling(rng: random.Random) -> Document:
    document = loop_at_rest(rng)
    document["gravity"] = rng.choice([[0, 0, -10], oblique(rng)])
    return document


def loop_moving(rng: random.Random) -> Document:
    """A driven first joint; the rest follows."""
    document = loop_at_rest(rng)
    first = next((e for e in document["joints"].values() if e["type"] in SINGLE), None)
    if first is not None:
        first["velocity"] = rng.randint(-20, 20) / 10
    if rng.random() < 0.5:
        document["gravity"] = oblique(rng)
    return document


KINDS: dict[str, tuple[Callable[[random.Random], Document], int]] = {
    "tree at rest": (tree_at_rest, 14),
    "oblique tree": (oblique_tree, 12),
    "free tree": (free_tree, 12),
    "tree falling": (tree_falling, 8),
    "tree moving": (tree_moving, 12),
    "pendulum tower": (pendulum_tower, 10),
    "nearly balanced": (nearly_balanced, 6),
    "spinning": (spinning, 8),
    "floating": (floating, 4),
    "loop at rest": (loop_at_rest, 10),
    "loop falling": (loop_falling, 3),
    "loop moving": (loop_moving, 3),
}


def case(seed: int, index: int) -> tuple[str, Document, int | None]:
    """Kind, document, and the rank that its loop must have (None where there is no loop) of one numbered case."""
    rng = random.Random(f"{seed}/{index}")
    kind = rng.choices(list(KINDS), [weight for _, weight in KINDS.values()])[0]
    document = KINDS[kind][0](rng)
    return kind, document, document.pop("rows", None)
