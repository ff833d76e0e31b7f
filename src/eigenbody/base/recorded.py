"""Numbers that remember how they were made: a computation is recorded once and run again with other numbers.

A `Tape` hands out its inputs as `Recorded` numbers. What is computed with them is computed at once, like with any
`Variants` of one variant, and written down as steps; every question asked about them (an order, an equality, a check)
is written down with its answer as a condition. With other inputs the steps give what the computation would have given,
as long as every condition has the same answer; else it would have taken another branch, and `Tape.run` says so.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from eigenbody.base.batched import Variants, numbers
from eigenbody.base.errors import EigenbodyError

Step = tuple[Callable[..., Any], tuple[int, ...]]  # what is called with which of the numbers so far


class AnotherBranch(Exception):
    """With these inputs the recorded computation would have taken another branch."""


class Tape:
    """A computation with recorded numbers: its steps and its conditions, in order."""

    def __init__(self, inputs: Sequence[float]) -> None:
        self._steps: list[Step] = []
        self._conditions: dict[tuple[Any, ...], tuple[Callable[..., Any], tuple[int, ...], Any]] = {}
        self._count = 0
        self.is_whole = True  # whether all that was done with the numbers is on the tape
        self.inputs = tuple(self.number(np.array([float(value)])) for value in inputs)

    def number(self, values: np.ndarray) -> Recorded:
        """The next number."""
        self._count += 1
        return Recorded(self, self._count - 1, values)

    def step(self, f: Callable[..., Any], arguments: Sequence[Any], plain: Any) -> Recorded:
        """f(arguments), whose value is known to be `plain` here."""
        call, used = _bound(f, arguments)
        self._steps.append((call, used))
        return self.number(plain)

    def ask(self, f: Callable[..., Any], arguments: Sequence[Any], answer: Any) -> Any:
        """f(arguments) must give the same answer."""
        call, used = _bound(f, arguments)
        key = (f, *(part.slot if isinstance(part, Recorded) else (part,) for part in arguments))
        if any(isinstance(part, np.ndarray) for part in arguments):
            key = (len(self._conditions),)  # the same question about the same numbers is asked once, but not of arrays
        self._conditions.setdefault(key, (call, used, answer))
        return answer

    def call(self, f: Callable[..., Any], arguments: Sequence[Any]) -> Any:
        """f(arguments) as one step: a recorded number, or an array of them. f takes leading batch axes."""
        plain = np.atleast_1d(f(*map(_here, arguments)))
        whole = self.step(f, arguments, plain)
        shape = np.shape(plain)[1:]
        if not shape:
            return whole
        out = np.empty(shape, dtype=object)
        for index in np.ndindex(*shape):
            out[index] = self.step(operator.itemgetter(index), (whole,), plain[(slice(None), *index)])
        return out

    def verdict(self, f: Callable[..., Any], arguments: Sequence[Any]) -> Any:
        """The answer of f, on which the further way depends. f takes leading batch axes."""
        return self.ask(f, arguments, f(*map(_here, arguments)))

    def run(self, inputs: Sequence[float]) -> list[Any]:
        """All numbers with other inputs; AnotherBranch where a condition has another answer."""
        found: list[Any] = [float(value) for value in inputs]
        try:
            for call, used in self._steps:
                found.append(call(*[found[k] for k in used]))
            for call, used, answer in self._conditions.values():
                if call(*[found[k] for k in used]) != answer:
                    raise AnotherBranch
        except (ArithmeticError, EigenbodyError, np.linalg.LinAlgError) as problem:  # the computation itself says what
            raise AnotherBranch from problem
        return found


def _bound(f: Callable[..., Any], arguments: Sequence[Any]) -> tuple[Callable[..., Any], tuple[int, ...]]:
    """f as a function of the recorded numbers alone, and which they are. Arrays may hold some among plain entries."""
    parts = [_Argument(argument) for argument in arguments]
    used = tuple(slot for part in parts for slot in part.slots)
    if all(isinstance(argument, Recorded) for argument in arguments):
        return f, used
    ends = np.cumsum([len(part.slots) for part in parts]).tolist()
    ranges = [slice(end - len(part.slots), end) for part, end in zip(parts, ends, strict=True)]

    def call(*found: Any) -> Any:
        return f(*[part.plain(found[own]) for part, own in zip(parts, ranges, strict=True)])

    return call, used


class _Argument:
    """A number or array, some of which may be recorded numbers."""

    def __init__(self, given: Any) -> None:
        self._given, self._is_array = given, isinstance(given, np.ndarray)
        flat = given.ravel().tolist() if self._is_array and given.dtype == object else [given]
        self._where = [k for k, entry in enumerate(flat) if isinstance(entry, Recorded)]
        self.slots = tuple(flat[k].slot for k in self._where)
        if self._is_array and self._where:
            self._constant = np.array([0.0 if isinstance(entry, Recorded) else entry for entry in flat], dtype=float)
        elif self._is_array and given.dtype == object:
            self._given = given.astype(float)

    def plain(self, found: Sequence[Any]) -> Any:
        """The argument with the numbers found in the place of the recorded ones."""
        if not self._where:
            return self._given
        if not self._is_array:
            return found[0]
        out = self._constant.copy()
        out[self._where] = found
        return out.reshape(self._given.shape)


def _computed(f: Callable[[Any, Any], Any], swapped: bool = False) -> Callable[[Recorded, Any], Any]:
    def method(self: Recorded, other: Any) -> Any:
        if isinstance(other, np.ndarray) and other.ndim:
            return NotImplemented
        pair = (other, self) if swapped else (self, other)
        return self.tape.step(f, pair, f(*(one.here if isinstance(one, Recorded) else one for one in pair)))

    return method


def _asked(f: Callable[[Any, Any], Any]) -> Callable[[Recorded, Any], Any]:
    def answered(a: Any, b: Any) -> bool:
        found = f(a, b)
        return bool(found) if isinstance(found, bool | np.bool) else bool(np.all(found))

    def method(self: Recorded, other: Any) -> Any:
        if isinstance(other, np.ndarray) and other.ndim:
            return NotImplemented
        if not isinstance(other, int | float | complex | np.number | Recorded):
            return NotImplemented
        theirs = other.here if isinstance(other, Recorded) else other
        return self.tape.ask(answered, (self, other), answered(self.here, theirs))

    return method


def _mapped(f: Callable[[Any], Any]) -> Callable[[Recorded], Recorded]:
    return lambda self: self.tape.step(f, (self,), f(self.here))


def _root(x: Any) -> Any:
    return math.sqrt(x) if isinstance(x, float) and x >= 0 else np.sqrt(x)


class Recorded(Variants):
    """A number on a tape. Computes like a number; whoever takes its plain value leaves the tape, which then is no
    longer whole."""

    __slots__ = ("here", "slot", "tape")

    def __init__(self, tape: Tape, slot: int, values: np.ndarray) -> None:
        self.tape, self.slot, self.here = tape, slot, values

    @property
    def values(self) -> np.ndarray:  # type: ignore[override]
        self.tape.is_whole = False
        return self.here

    __add__, __radd__ = _computed(operator.add), _computed(operator.add, True)
    __sub__, __rsub__ = _computed(operator.sub), _computed(operator.sub, True)
    __mul__, __rmul__ = _computed(operator.mul), _computed(operator.mul, True)
    __truediv__, __rtruediv__ = _computed(operator.truediv), _computed(operator.truediv, True)
    __pow__, __rpow__ = _computed(operator.pow), _computed(operator.pow, True)
    __lt__, __le__ = _asked(operator.lt), _asked(operator.le)
    __gt__, __ge__ = _asked(operator.gt), _asked(operator.ge)
    __eq__, __ne__ = _asked(operator.eq), _asked(operator.ne)
    __neg__, __abs__, sqrt = _mapped(operator.neg), _mapped(abs), _mapped(_root)
    sin, cos, exp, log, arctan = (_mapped(f) for f in (np.sin, np.cos, np.exp, np.log, np.arctan))
    rint = _mapped(np.rint)
    __hash__ = object.__hash__

    @property
    def real(self) -> Recorded:
        return self

    def conjugate(self) -> Recorded:
        return self

    def __bool__(self) -> bool:
        return bool(self != 0)

    def __repr__(self) -> str:
        return f"Recorded(number {self.slot})"  # expressions are told from one another by what they show

    def __round__(self, digits: int = 0) -> Recorded:
        return self.tape.step(np.round, (self, digits), np.round(self.here, digits))


def _here(argument: Any) -> Any:
    """The argument with a batch axis of one where it holds recorded numbers."""
    if isinstance(argument, Recorded):
        return argument.here
    if not (isinstance(argument, np.ndarray) and argument.dtype == object):
        return argument
    flat = argument.ravel().tolist()
    if not any(isinstance(entry, Recorded) for entry in flat):
        return numbers(argument)
    return np.array([[entry.here[0] if isinstance(entry, Recorded) else entry for entry in flat]]).reshape(
        1, *argument.shape
    )
