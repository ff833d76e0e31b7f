"""A structure that holds recorded numbers, made again with other numbers in their place.

`Pattern.of` walks through the structure once and keeps what has to be made anew, parts before the wholes they are in;
everything else is shared by all that is made of it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

from eigenbody.base.batched import numbers
from eigenbody.base.recorded import AnotherBranch, Recorded, Tape

Maker = Callable[[Sequence[Any], np.ndarray], Any]  # a part, from the parts so far and the numbers
Done = dict[int, tuple[Any, "_Part"]]  # what was walked through, by number; kept, hence no number recurs


class _Part:
    """Something in the structure: a constant, or the number of what makes it."""

    __slots__ = ("constant", "made")

    def __init__(self, constant: Any = None, made: int | None = None) -> None:
        self.constant, self.made = constant, made

    def now(self, parts: Sequence[Any]) -> Any:
        return self.constant if self.made is None else parts[self.made]


class Pattern:
    """What varies in a structure, and how it is put together again."""

    def __init__(self, tape: Tape, item: Any) -> None:
        self._tape = tape
        self._slots: list[int] = []
        self._makers: list[Maker] = []
        self._places: dict[int, int] = {}
        self._root = self._of(item, {})

    def with_inputs(self, inputs: Sequence[float]) -> Any:
        """The structure for other inputs of the tape; AnotherBranch where it would have been another one."""
        found = self._tape.run(inputs)
        values = np.array([found[slot] for slot in self._slots])
        if values.dtype != float or not np.isfinite(values).all():
            raise AnotherBranch
        parts: list[Any] = []
        for make in self._makers:
            parts.append(make(parts, values))
        return self._root.now(parts)

    # ---- the walk
    def _place(self, number: Recorded) -> int:
        if number.slot not in self._places:
            self._places[number.slot] = len(self._slots)
            self._slots.append(number.slot)
        return self._places[number.slot]

    def _made(self, make: Maker) -> _Part:
        self._makers.append(make)
        return _Part(made=len(self._makers) - 1)

    def _of(self, item: Any, done: Done) -> _Part:
        if isinstance(item, str | int | float | complex | bool | type(None)) or callable(item):
            return _Part(item)
        if isinstance(item, Recorded):
            place = self._place(item)
            return self._made(lambda parts, values: float(values[place]))
        if id(item) not in done:
            done[id(item)] = item, self._composed(item, done)
        return done[id(item)][1]

    def _composed(self, item: Any, done: Done) -> _Part:
        if isinstance(item, np.ndarray):
            return self._array(item)
        if hasattr(item, "with_numbers"):
            return self._expression(item)
        if isinstance(item, Mapping):
            return self._joined(item, list(item.values()), _mapping(item), done)
        if isinstance(item, tuple | list):
            return self._joined(item, list(item), _sequence(item), done)
        if is_dataclass(item):
            return self._object(item, [field.name for field in fields(item)], done)
        if hasattr(item, "__dict__") and type(item).__module__.startswith("eigenbody."):
            return self._object(item, list(vars(item)), done)
        return _Part(item)

    def _array(self, item: np.ndarray) -> _Part:
        if item.dtype != object:
            return _Part(item)
        flat = item.ravel().tolist()
        where = np.array([k for k, entry in enumerate(flat) if isinstance(entry, Recorded)], dtype=int)
        if not len(where):
            return _Part(numbers(item))
        base = np.array([0.0 if isinstance(entry, Recorded) else entry for entry in flat], dtype=float)
        places, shape = np.array([self._place(flat[k]) for k in where]), item.shape

        def make(parts: Sequence[Any], values: np.ndarray) -> np.ndarray:
            out = base.copy()
            out[where] = values[places]
            return out.reshape(shape)

        return self._made(make)

    def _expression(self, item: Any) -> _Part:
        if not any(isinstance(node.value, Recorded) for node in item.nodes):
            return _Part(item)
        places = {node.value.slot: self._place(node.value) for node in item.nodes if isinstance(node.value, Recorded)}
        return self._made(lambda parts, values: item.with_numbers(lambda number: float(values[places[number.slot]])))

    def _joined(self, item: Any, members: list[Any], join: Callable[[list[Any]], Any], done: Done) -> _Part:
        own = [self._of(member, done) for member in members]
        if all(part.made is None for part in own):
            same = all(part.constant is member for part, member in zip(own, members, strict=True))
            return _Part(item if same else join([part.constant for part in own]))
        fixed = [part.constant for part in own]
        varying = [(k, part.made) for k, part in enumerate(own) if part.made is not None]

        def make(parts: Sequence[Any], values: np.ndarray) -> Any:
            now = fixed.copy()
            for k, made in varying:
                now[k] = parts[made]
            return join(now)

        return self._made(make)

    def _object(self, item: Any, names: list[str], done: Done) -> _Part:
        kind = type(item)

        def join(members: list[Any]) -> Any:
            copy = object.__new__(kind)
            for name, member in zip(names, members, strict=True):
                object.__setattr__(copy, name, member)
            return copy

        return self._joined(item, [getattr(item, name) for name in names], join, done)


def _mapping(item: Mapping[Any, Any]) -> Callable[[list[Any]], Any]:
    keys, kind = list(item), type(item)
    return lambda members: kind(dict(zip(keys, members, strict=True)))  # type: ignore[call-arg]


def _sequence(item: tuple[Any, ...] | list[Any]) -> Callable[[list[Any]], Any]:
    kind = type(item)
    return (lambda members: kind(*members)) if hasattr(item, "_fields") else kind
