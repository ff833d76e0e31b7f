"""Flexible bodies among the others: what their entries stand for, and the table of bodies that contains them.

An entry of the section `flexible` stands for bodies: a floating frame, the nodes that something is attached to, and
carriers of modal coordinates. Which they are, the element layer says; here they join the description.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from typing import Any

import numpy as np

from eigenbody.base.batched import Variants, holds_variants
from eigenbody.model.description import BodyTable, Entry, FlexibleBody
from eigenbody.model.expressions import Expression
from eigenbody.model.vocabulary import Vocabulary


@dataclass(frozen=True, slots=True, eq=False)
class AddedBody:
    """A body that an entry of `flexible` stands for."""

    name: str
    position: np.ndarray  # (3,)
    mass: Any = 0.0
    inertia: np.ndarray | None = None  # (3, 3)
    modal: int = 0  # modal coordinates that it carries
    is_node: bool = False
    axis: np.ndarray | None = None  # (3,) direction of the line of a beam at its node
    shape: Any = None


@dataclass(frozen=True, slots=True)
class Expansion:
    """Bodies, joints and forces that entries of `flexible` stand for."""

    bodies: tuple[AddedBody, ...] = ()
    joints: tuple[Entry, ...] = ()
    forces: tuple[Entry, ...] = ()
    flexible: tuple[FlexibleBody, ...] = ()

    def __add__(self, other: Expansion) -> Expansion:
        return Expansion(
            self.bodies + other.bodies, self.joints + other.joints, self.forces + other.forces,
            self.flexible + other.flexible,
        )  # fmt: skip


NOTHING = Expansion()


class Expansions:
    """What the flexible bodies of a model stand for, found once for all models that differ from it in other numbers:
    finite elements and their reduction are not repeated at every speed of a rotor."""

    def __init__(self) -> None:
        self._last: tuple[Sequence[Entry], Mapping[str, str], Expansion] | None = None

    def of(self, vocabulary: Vocabulary, entries: Sequence[Entry], mentioned: Mapping[str, str]) -> Expansion:
        """What the entries stand for. `mentioned` are all names that the rest of the model uses,
        nodes among them, and where."""
        assert vocabulary.expand is not None  # a vocabulary with types of flexible bodies knows what they stand for
        if self._last is not None and self._last[1] == mentioned and _alike(self._last[0], entries):
            return self._last[2]
        result: Expansion = vocabulary.expand(entries, mentioned)
        self._last = entries, mentioned, result
        return result


def _alike(one: Any, other: Any) -> bool:
    """Whether two resolved entries have the same values; numbers that vary are like no others."""
    if type(one) is not type(other) or isinstance(one, Variants):
        return False
    if isinstance(one, np.ndarray):
        return one.dtype == other.dtype != object and np.array_equal(one, other)
    if isinstance(one, Mapping):
        return one.keys() == other.keys() and all(_alike(one[key], other[key]) for key in one)
    if isinstance(one, tuple | list):
        return len(one) == len(other) and all(map(_alike, one, other))
    if isinstance(one, Entry):
        return (one.name, one.type, one.where) == (other.name, other.type, other.where) and _alike(
            one.values, other.values
        )
    return isinstance(one, str | int | float | complex | type(None)) and one == other


def names_in(items: Mapping[str, Any]) -> dict[str, str]:
    """Every text in structures (by their places in the model) and the names in its expressions, with the place that
    mentions each first: the key of an entry."""
    found: dict[str, str] = {}
    for place, item in items.items():
        _collect(item, place, found)
    return found


def _collect(item: Any, place: str, found: dict[str, str]) -> None:
    if isinstance(item, str):
        found.setdefault(item, place)
    elif isinstance(item, Expression):
        for name in item.names:
            found.setdefault(name.rstrip("'"), place)
    elif isinstance(item, Mapping):
        for key, value in item.items():
            found.setdefault(key, place)
            _collect(value, place, found)
    elif isinstance(item, tuple | list):
        for value in item:
            _collect(value, place, found)
    elif isinstance(item, Entry):
        found.setdefault(item.name, item.where)
        for key, value in item.values.items():
            found.setdefault(key, item.where)
            _collect(value, f"{item.where}.{key}", found)
    elif is_dataclass(item):
        for part in fields(item):
            _collect(getattr(item, part.name), place, found)


def extended(table: BodyTable, more: Sequence[AddedBody]) -> BodyTable:
    """The table with further bodies at its end."""
    n = len(more)
    zero, eye = np.zeros((3, 3)), np.broadcast_to(np.eye(3), (n, 3, 3))
    return BodyTable(
        names=(*table.names, *(body.name for body in more)),
        mass=_joined(table.mass, [body.mass for body in more]),
        inertia=_joined(table.inertia, [zero if body.inertia is None else body.inertia for body in more]),
        position=_joined(table.position, [body.position for body in more]),
        rotation=_joined(table.rotation, list(eye)),
        is_point=_joined(table.is_point, [False] * n).astype(bool),
        shapes=(*table.shapes, *(body.shape for body in more)),
        modal=_joined(np.zeros(len(table), dtype=int), [body.modal for body in more]).astype(int),
        is_node=_joined(np.zeros(len(table), dtype=bool), [body.is_node for body in more]).astype(bool),
    )


def _joined(first: np.ndarray, rest: list[Any]) -> np.ndarray:
    """Arrays one below the other; entries that vary are kept."""
    if any(holds_variants(part) for part in rest) or holds_variants(first):
        rest_array = np.empty((len(rest), *first.shape[1:]), dtype=object)
        for k, part in enumerate(rest):
            rest_array[k] = part
    else:
        rest_array = np.array(rest).reshape(len(rest), *first.shape[1:])
    out = np.concatenate((first, rest_array))
    out.setflags(write=False)
    return out
