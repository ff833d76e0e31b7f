"""Families of mechanisms of any size: chains, binary trees and closed-loop ladders, by the names of their paper.

Name = kind (C, T or TL, L), size, joint letter (R revolute, P prismatic, C cylindrical, S spherical; axis z), F, number
of spring-dampers that share the stiffness of each joint. All bodies are alike: 4 kg, 1 kg m^2 about every axis.

Source: Jiang, Chen & Luo 2011, section 5.1. Where the paper is silent or misprinted: the root of the tree is joined to
ground at (1, 0.5, 0); the rails of a ladder meet ground at y = 0 and their rungs at y = 0.2 i (the printed positions
lock the rungs); the spring-dampers act at the point of the joint. Its rule of names has T for trees, its figures TL.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from eigenbody.base.errors import Fault, InputError
from eigenbody.model.text import as_yaml
from eigenbody.starters.base import Starter

JOINT_OF_LETTER = {"R": "revolute", "P": "prismatic", "C": "cylindrical", "S": "spherical"}
NAMES = (
    "Write C (chain), T or TL (binary tree) or L (ladder of closed loops), the number of bodies or layers, the joint (R"
    " revolute, P prismatic, C cylindrical, S spherical), F and the number of spring-dampers in each joint: C10RF1,"
    " T4SF1, L3RF2."
)
HEAD = """{what}, {joint} joints, {springs} spring-damper{s} in each; no gravity.
Source: Jiang, Chen & Luo 2011, section 5.1. The root of a tree, and the rails of a ladder, are joined to ground."""
STIFFNESS, DAMPING = 1e4, 10  # N/m and N s/m; the same numbers per degree for rotations
NAME = re.compile(r"(?P<kind>C|TL?|L)(?P<size>\d+)(?P<letter>[RPCS])F(?P<springs>\d+)")

Point = list[float]


class Link(NamedTuple):
    """A joint with its spring-dampers; `centre` is given where the child body appears for the first time."""

    parent: str
    child: str
    centre: Point | None
    joint: Point


MOST = 1e6  # bodies times springs


def chain(n: int) -> Iterator[Link]:
    """Bodies one above the other along z."""
    parent = "ground"
    for i in range(1, n + 1):
        child = f"b{i}"
        yield Link(parent, child, [0, 0, 0.2 * i - 0.1], [0, 0, 0.2 * i - 0.2])
        parent = child


def tree(layers: int) -> Iterator[Link]:
    """Every body of a layer carries two of the next."""
    yield Link("ground", "b1_1", [1, 1, 0], [1, 0.5, 0])
    for i in range(1, layers):
        for j in range(1, 2 ** (i - 1) + 1):
            for child, joint in ((2 * j - 1, (3 * j - 1) / 2), (2 * j, 3 * j / 2)):
                yield Link(f"b{i}_{j}", f"b{i + 1}_{child}", [child, i + 1, 0], [joint, i + 0.5, 0])


def ladder(layers: int) -> Iterator[Link]:
    """Two rails (1, 2) and a rung (3) per layer; the second rail closes a loop."""
    below = "ground"
    for i in range(1, layers + 1):
        sides = [(f"b{i}_{side}", 0.2 * side - 0.3) for side in (1, 2)]
        rung = f"b{i}_3"
        for rail, x in sides:
            yield Link(below, rail, [x, 0.2 * i - 0.1, 0], [x, 0.2 * i - 0.2, 0])
        for rail, x in sides:
            yield Link(rail, rung, [0, 0.2 * i, 0] if rail == sides[0][0] else None, [x, 0.2 * i, 0])
        below = rung


LINKS = {"C": chain, "T": tree, "TL": tree, "L": ladder}


def family(name: str) -> dict[str, Any]:
    """The model called `name`, as a document that `eigenbody.load` takes."""
    match = NAME.fullmatch(name)
    if match is None or int(match["size"]) < 1 or int(match["springs"]) < 1:
        raise InputError(Fault("name", f"{name!r} is not the name of a family member.", NAMES))
    springs, letter = int(match["springs"]), match["letter"]
    size = int(match["size"])
    bodies = {"C": size, "L": 3 * size}.get(match["kind"], 2.0 ** min(size, 60))
    if bodies * springs > MOST:
        raise InputError(
            Fault("name", f"{name} would have some {bodies * springs:.3g} parts.", f"Up to {MOST:.0e} are written.")
        )
    model: dict[str, Any] = {"eigenbody": 1, "name": name, "bodies": {}, "joints": {}, "forces": {}}
    for number, link in enumerate(LINKS[match["kind"]](int(match["size"])), 1):
        if link.centre is not None:
            model["bodies"][link.child] = {"mass": 4, "inertia": [1, 1, 1], "at": link.centre}
        ends = {"between": [link.parent, link.child], "at": link.joint}
        axis = {} if letter == "S" else {"axis": [0, 0, 1]}
        model["joints"][f"j{number}"] = {"type": JOINT_OF_LETTER[letter], **ends, **axis}
        for s in range(1, springs + 1):
            model["forces"][f"s{number}_{s}"] = {"type": "bushing", **ends, **_share(springs)}
    return model


def _share(springs: int) -> dict[str, list[Any]]:
    """Stiffness and damping of one of the springs that act in parallel."""
    k, c = STIFFNESS / springs, DAMPING / springs
    return {"k": [k] * 3 + [f"{k} N*m/deg"] * 3, "c": [c] * 3 + [f"{c} N*m*s/deg"] * 3}


def _text(name: str | None) -> str:
    document = family(name or "")
    match = NAME.fullmatch(name or "")
    assert match is not None  # family has looked
    size, springs = int(match["size"]), int(match["springs"])
    what = {"C": f"Chain of {size} bodies", "L": f"Ladder of {size} layers"}.get(
        match["kind"], f"Binary tree of {size} layers"
    )
    head = HEAD.format(what=what, joint=JOINT_OF_LETTER[match["letter"]], springs=springs, s="s" * (springs > 1))
    return as_yaml(document, head)


FAMILY = Starter("Chain, tree or ladder of any size", NAMES, _text)
