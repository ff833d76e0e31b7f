"""What a type of the `flexible` section is, and how an elastic structure becomes bodies and modal coordinates."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from eigenbody.base.batched import Variants, arrays_in, entries, is_common, stack, variant
from eigenbody.base.errors import Fault
from eigenbody.elements.checks import Wrong
from eigenbody.model.description import Entry, FlexibleBody
from eigenbody.model.flexible import AddedBody, Expansion
from eigenbody.model.frozen import FrozenDict
from eigenbody.model.vocabulary import Field, Kind, TypeSpec
from eigenbody.structures.beam_section import Outline
from eigenbody.structures.reduction import reduce
from eigenbody.structures.structure import Reduced, Structure
from eigenbody.structures.symmetry import spin_symmetry

SHAPE = ("move", "turn", "J1")  # arrays of a `Reduced` that are linear in the modes
PRODUCTS = ("J2", "b", "modal_mass", "stiffness")  # and those with two axes of modes

REDUCTION = (
    Field("modes", Kind.INTEGER, doc="modes with the interface nodes held, default 8 (4 for each of several sections)"),
    Field("interface", Kind.NAMES, doc="interface nodes, default all nodes that the model uses"),
    Field("damping", Kind.NUMBER, "1", default=0.0, doc="damping ratio of every mode of the free body"),
)


def wrong_reduction(values: Mapping[str, Any]) -> Iterator[Wrong]:
    """What is wrong with the keys of the reduction."""
    if isinstance(values.get("modes"), int) and values["modes"] < 0:
        yield "modes", "a number of modes is not negative.", "Give 0 or more."
    if isinstance(values.get("damping"), int | float) and values["damping"] < 0:
        yield "damping", "a damping ratio is not negative.", "Give 0 or more, 0.01 for one per cent."


@dataclass(frozen=True, slots=True)
class FlexibleType:
    """A type of the `flexible` section: its keys and what an entry stands for.

    `build(entry, used)` gets the names of its nodes that the model uses, in the order of the model's names.
    """

    spec: TypeSpec
    build: Callable[[Entry, Sequence[str]], Expansion]


@dataclass(frozen=True, slots=True)
class UnknownNode(Fault):
    """A node that a flexible body does not have; whoever knows where it is mentioned says so (`expand`)."""

    node: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Section:
    """A part of a flexible body that has modes of its own: its structure, nodes that are held for its modes, nodes that
    become bodies by the names of these, lines between nodes for drawing, and the direction of a beam at its nodes."""

    name: str
    structure: Structure
    interface: tuple[int, ...]
    nodes: Mapping[str, int]
    lines: tuple[tuple[int, ...], ...] = ()
    outlines: tuple[Outline, ...] = ()  # of the sections between the nodes of each line
    directions: np.ndarray | None = None  # (n, 3)


def attached(section: Section, entry: Entry, modes: int) -> Expansion:
    """Frame, carriers of modal coordinates and nodes of a section, with the joints that hold them together."""
    reduced = reduce(section.structure, section.interface, modes, where=entry.where)
    C = ratio_damping(reduced, entry.get("damping", 0.0))
    reduced, C = in_metres(reduced, C)
    m = reduced.modes
    carriers = tuple(f"{section.name}.modes{k + 1}" for k in range(-(-m // 3)))
    centre = np.asarray(reduced.centre)
    bodies = [AddedBody(section.name, centre, reduced.mass, reduced.J0, shape=entry.get("shape"))]
    bodies += [AddedBody(name, np.zeros(3), modal=min(3, m - 3 * k)) for k, name in enumerate(carriers)]
    joints = []
    for name, number in section.nodes.items():
        at = reduced.nodes[number]
        along = None if section.directions is None else section.directions[number]
        bodies.append(AddedBody(name, at, is_node=True, axis=along))
        joints.append(joint("node", name, (section.name, name), at, entry.where))
    body = FlexibleBody(
        section.name, entry.where, reduced, C, carriers, FrozenDict(section.nodes), section.lines,
        section.outlines, spin_symmetry(reduced, C),
    )  # fmt: skip
    return Expansion(tuple(bodies), tuple(joints), flexible=(body,))


def joint(kind: str, name: str, between: tuple[str, str], at: np.ndarray, where: str) -> Entry:
    """A joint that a flexible body brings along."""
    return Entry(name, kind, FrozenDict(between=between, at=np.stack((at, at))), where)


def ratio_damping(reduced: Reduced, ratio: Any) -> np.ndarray:
    """2 ratio M sqrt(M^-1 K): every mode of the free body has this damping ratio. First order in imaginary parts."""
    M, K = reduced.modal_mass, reduced.stiffness
    if ratio == 0 or not reduced.modes:
        return np.zeros(K.shape)
    from scipy.linalg import eigh

    values, V = eigh(np.real(K), np.real(M))
    w = np.sqrt(np.maximum(values, 0.0))
    mass, change = np.imag(V.T @ M @ V), np.imag(V.T @ K @ V)
    change = change - 0.5 * (mass * values + values[:, None] * mass)
    both = w + w[:, None]
    root = change / np.where(both > 0, both, 1.0) + 0.5 * (mass * w + w[:, None] * mass)
    back = np.linalg.inv(V)
    C = back.T @ (np.diag(w) + 1j * root) @ back
    C = 2 * ratio * (C if np.iscomplexobj(M) or np.iscomplexobj(K) else C.real)
    return np.asarray(0.5 * (C + C.T))


def in_metres(reduced: Reduced, C: np.ndarray) -> tuple[Reduced, np.ndarray]:
    """Modes scaled so that a modal coordinate is the largest displacement of a node, in m (rotations at the size of the
    body): it can then be compared with the other coordinates."""
    if not reduced.modes:
        return reduced, C
    move, turn = np.real(reduced.move), np.real(reduced.turn)
    reach = np.abs(np.real(reduced.nodes - reduced.centre)).max(initial=0.0)
    scale = 1 / np.maximum(np.abs(move).max(axis=(0, 1)), reach * np.abs(turn).max(axis=(0, 1)))
    linear = {name: getattr(reduced, name) * _along(scale, name) for name in SHAPE}
    square = {}
    for name in PRODUCTS:
        value = getattr(reduced, name)
        square[name] = value * (scale[:, None] * scale).reshape(len(scale), len(scale), *(1,) * (value.ndim - 2))
    both, points = scale[:, None] * scale, reduced.points
    if points is not None:
        bow = None if points.bow is None else points.bow * both
        points = replace(points, move=points.move * scale, turn=points.turn * scale, bow=bow)
    bow = None if reduced.bow is None else reduced.bow * both
    rest = reduced.rest / scale
    return replace(reduced, **linear, **square, rest=rest, bow=bow, points=points), C * both


def _along(scale: np.ndarray, name: str) -> np.ndarray:
    """The factors along the axis of the modes: the first of J1, the last of shapes."""
    return scale[:, None, None] if name == "J1" else scale


def over_variants_of(
    build: Callable[[Entry, Sequence[str]], Expansion],
) -> Callable[[Entry, Sequence[str]], Expansion]:
    """Let a builder that takes plain numbers also take entries whose numbers vary: variant by variant."""

    def built(entry: Entry, used: Sequence[str]) -> Expansion:
        count = _variants(entry)
        if count is None:
            return build(entry, used)
        found = [_lean(build(variant(entry, k), used)) for k in range(count)]
        return _together(found)

    return built


def _lean(built: Expansion) -> Expansion:
    """Without the points of mass, which other routes use and no variant is asked for."""
    lean = tuple(replace(body, reduced=replace(body.reduced, points=None)) for body in built.flexible)
    return replace(built, flexible=lean)


def _variants(entry: Entry) -> int | None:
    """How many variants the entry has, None if none of its numbers varies."""
    varying = [value for value in entry.values.values() if isinstance(value, Variants)]
    for array in arrays_in(entry.values):
        if array.dtype == object:
            varying += [item for item in array.ravel() if isinstance(item, Variants)]
    return max((len(item.values) for item in varying), default=None)


def _together(found: Sequence[Any]) -> Any:
    """The same structure with numbers and arrays that vary where those of the given ones differ."""
    first = found[0]
    if isinstance(first, np.ndarray):
        if first.dtype.kind not in "fc":
            return first
        batch = stack(list(found), axis=0)
        return batch[0].real if is_common(batch).all() else entries(batch)
    if isinstance(first, float | complex | np.generic) and not isinstance(first, np.bool_ | np.integer):
        return entries(np.array(found))[()]
    if isinstance(first, Mapping):
        return type(first)({key: _together([item[key] for item in found]) for key in first})  # type: ignore[call-arg]
    if isinstance(first, tuple):
        return tuple(_together(parts) for parts in zip(*found, strict=True))
    if hasattr(first, "__dataclass_fields__"):
        names = [part.name for part in fields(first)]
        return replace(first, **{name: _together([getattr(item, name) for item in found]) for name in names})
    return first
