"""Numbers that are many at once: the values of one quantity in every variant of a model.

A model is read and compiled once for all its variants. Where a parameter varies, the entries of its arrays are
`Variants`; arrays that hold some have the dtype object until `stacked` gives them a leading batch axis. Equality asks
whether the variants agree; an order between variants that do not agree is refused with `Differ`, which says how the
variants fall apart, so that the caller can treat each part by itself.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from functools import wraps
from typing import Any, TypeVar

import numpy as np

F = TypeVar("F", bound=Callable[..., Any])
PLAIN = (str, int, float, complex, type(None))


class Differ(Exception):
    """Variants take different branches: `mask` (variants,) bool."""

    def __init__(self, mask: np.ndarray) -> None:
        super().__init__("the variants take different branches")
        self.mask = mask


def _arithmetic(f: Callable[[Any, Any], Any], swapped: bool = False) -> Callable[[Variants, Any], Any]:
    def method(self: Variants, other: Any) -> Any:
        if isinstance(other, np.ndarray) and other.ndim:
            return NotImplemented
        theirs = other.values if isinstance(other, Variants) else other
        return Variants(f(theirs, self.values) if swapped else f(self.values, theirs))

    return method


def _order(f: Callable[[Any, Any], Any]) -> Callable[[Variants, Any], bool]:
    def method(self: Variants, other: Any) -> Any:
        if isinstance(other, np.ndarray) and other.ndim:
            return NotImplemented
        theirs = other.values if isinstance(other, Variants) else other
        return agreed(f(np.real(self.values), np.real(theirs)))

    return method


def agreed(mask: Any) -> bool:
    """The common answer of all variants; raises Differ where there is none."""
    if mask.all():
        return True
    if mask.any():
        raise Differ(mask)
    return False


def _function(f: Callable[[np.ndarray], np.ndarray]) -> Callable[[Variants], Variants]:
    return lambda self: Variants(f(self.values))


class Variants:
    """One number in every variant: `values` (variants,), real or complex. Computes like a number."""

    __slots__ = ("values",)
    tape: Any = None  # what is computed with the number is written down there, if anywhere (base/recorded.py)

    def __init__(self, values: Any) -> None:
        self.values = np.asarray(values)

    __add__, __radd__ = _arithmetic(operator.add), _arithmetic(operator.add, True)
    __sub__, __rsub__ = _arithmetic(operator.sub), _arithmetic(operator.sub, True)
    __mul__, __rmul__ = _arithmetic(operator.mul), _arithmetic(operator.mul, True)
    __truediv__, __rtruediv__ = _arithmetic(operator.truediv), _arithmetic(operator.truediv, True)
    __pow__, __rpow__ = _arithmetic(operator.pow), _arithmetic(operator.pow, True)
    __lt__, __le__ = _order(operator.lt), _order(operator.le)
    __gt__, __ge__ = _order(operator.gt), _order(operator.ge)
    __neg__, __abs__ = _function(operator.neg), _function(np.abs)
    sqrt, sin, cos, exp, log, arctan = (_function(f) for f in (np.sqrt, np.sin, np.cos, np.exp, np.log, np.arctan))
    real, imag = (property(_function(f)) for f in (np.real, np.imag))
    conjugate = _function(np.conjugate)

    def __pos__(self) -> Variants:
        return self

    def __eq__(self, other: object) -> Any:
        if isinstance(other, np.ndarray) and other.ndim:
            return NotImplemented
        theirs = other.values if isinstance(other, Variants) else other
        return bool(np.all(self.values == theirs))

    def __ne__(self, other: object) -> Any:
        equal = self.__eq__(other)
        return NotImplemented if equal is NotImplemented else not equal

    def __bool__(self) -> bool:
        return bool(np.any(self.values != 0))

    __hash__ = object.__hash__  # none is the same as another

    def __round__(self, digits: int = 0) -> Variants:
        return Variants(np.round(self.values, digits))

    rint = _function(np.rint)

    def __repr__(self) -> str:
        low, high = (f(np.real(self.values)).item() for f in (np.min, np.max))
        return f"Variants({low:g} to {high:g}, {id(self)})"

    def __format__(self, spec: str) -> str:
        return format(float(np.real(self.values[0])), spec)


def holds_variants(values: Any) -> bool:
    """Whether the array has entries that vary."""
    return isinstance(values, Variants) or (isinstance(values, np.ndarray) and values.dtype == object)


is_varying: Callable[[np.ndarray], np.ndarray] = np.vectorize(lambda entry: isinstance(entry, Variants), otypes=[bool])
"""Which entries of an array vary."""


def over_variants(f: F) -> F:
    """Let a function that takes leading batch axes also take arrays and numbers that vary."""

    @wraps(f)
    def wrapper(*arguments: Any) -> Any:
        if not any(map(holds_variants, arguments)):
            return f(*arguments)
        tape = tape_of(arguments)
        if tape is not None:
            return tape.call(f, arguments)
        plain = [numbers(argument) for argument in arguments]
        varies = any(np.ndim(new) > np.ndim(old) for new, old in zip(plain, arguments, strict=True))
        return entries(f(*plain)) if varies else f(*plain)

    return wrapper  # type: ignore[return-value]


def tape_of(arguments: Sequence[Any]) -> Any:
    """The tape of the first number among arguments or in their arrays that is on one."""
    for argument in arguments:
        is_array = isinstance(argument, np.ndarray) and argument.dtype == object
        for entry in argument.ravel().tolist() if is_array else [argument]:
            if isinstance(entry, Variants) and entry.tape is not None:
                return entry.tape
    return None


def verdict(f: Callable[..., Any], *values: Any) -> Any:
    """The answer of f, which takes plain numbers and arrays with leading batch axes: a check of numbers that may vary,
    on whose answer the further way depends."""
    tape = tape_of(values)
    return f(*map(numbers, values)) if tape is None else tape.verdict(f, values)


def entries(batch: np.ndarray) -> np.ndarray:
    """(variants, ...) as an array of objects: `Variants` where they differ or carry a step, else the plain number."""
    out = np.array(batch[0].real, dtype=object)
    for index in map(tuple, np.argwhere(~is_common(batch))):
        out[index] = Variants(batch[(slice(None), *index)])
    return out


def is_common(batch: np.ndarray) -> np.ndarray:
    """Where (...) the numbers (variants, ...) are real and the same in several variants. One variant shares nothing:
    its numbers keep their batch axis."""
    same = np.all(batch == batch[0], axis=0) & ~np.any(batch.imag, axis=0)
    return same if len(batch) > 1 else np.zeros_like(same)


def numbers(values: Any) -> np.ndarray:
    """The array with a leading batch axis if any entry varies, else as it is."""
    if isinstance(values, Variants):
        return values.values
    if not (isinstance(values, np.ndarray) and values.dtype.hasobject):
        return values
    flat = values.ravel().tolist()
    kinds = set(map(type, flat))
    plain = {kind for kind in kinds if not issubclass(kind, Variants)}
    if plain == kinds:
        return np.array(flat, dtype=np.result_type(float, *plain)).reshape(values.shape)
    varying = {k: entry.values for k, entry in enumerate(flat) if isinstance(entry, Variants)}
    dtype = np.result_type(*{column.dtype for column in varying.values()}, *plain)
    lead = np.broadcast_shapes(*(column.shape for column in varying.values()))
    columns = np.empty((*lead, len(flat)), dtype=dtype)
    columns[:] = np.array([0 if k in varying else entry for k, entry in enumerate(flat)], dtype=dtype)
    for k, column in varying.items():
        columns[..., k] = column
    return columns.reshape(*lead, *values.shape)


def stack(parts: Sequence[np.ndarray], axis: int) -> np.ndarray:
    """np.stack of arrays of which only some have batch axes."""
    if len(parts) == 1:
        return np.expand_dims(parts[0], axis)
    if any(part.shape != parts[0].shape for part in parts):
        parts = np.broadcast_arrays(*parts)
    if axis not in (-1, -2):
        return np.stack(parts, axis=axis)
    shape, dtype = parts[0].shape, np.result_type(*parts)  # np.stack takes far longer where the parts are small
    out = np.empty((*shape, len(parts)) if axis == -1 else (*shape[:-1], len(parts), shape[-1]), dtype=dtype)
    places = out if axis == -1 else out.swapaxes(-1, -2)
    for k, part in enumerate(parts):
        places[..., k] = part
    return out


def as_rows(array: np.ndarray) -> np.ndarray:
    """(n, ...) as rows (n, m); n may be zero, of which reshape(n, -1) makes nothing."""
    return array.reshape(len(array), math.prod(array.shape[1:]))


def arrays_in(item: Any) -> list[np.ndarray]:
    """All arrays in a structure."""
    found: list[np.ndarray] = []

    def leaf(value: Any) -> Any:
        if isinstance(value, np.ndarray):
            found.append(value)
        return value

    _rebuilt(item, leaf)
    return found


def stacked(item: Any) -> Any:
    """The same structure with a leading batch axis on everything that varies."""
    return _rebuilt(item, numbers)


def variant(item: Any, index: int, fixed: Mapping[int, Any] | None = None) -> Any:
    """The same structure for one variant alone. `fixed` has its parts that do not vary (`fixed_parts`), which then
    need not be looked into."""

    def one(value: Any) -> Any:
        if isinstance(value, Variants):
            return value.values[index].item()
        values = numbers(value)
        return values if values is value else values[index] if values.ndim > value.ndim else values

    known = {number: (part, part) for number, part in (fixed or {}).items()}
    return _Rebuilding(one, into_numbers=True).of(item, known)


def fixed_parts(item: Any) -> dict[int, Any]:
    """The parts of a structure in which nothing varies, by number."""

    def first(value: Any) -> Any:
        return value.values[0].item() if isinstance(value, Variants) else numbers(value)

    done: Done = {}
    _Rebuilding(first, into_numbers=True).of(item, done)
    return {number: old for number, (old, new) in done.items() if new is old}


def _rebuilt(item: Any, leaf: Callable[[Any], Any], into_numbers: bool = False) -> Any:
    """`item` with `leaf` applied to every number and array; parts that do not vary are shared with the original."""
    return _Rebuilding(leaf, into_numbers).of(item, {})


Done = dict[
    int, tuple[Any, Any]
]  # originals and what they became, by number; originals are kept, hence no number recurs


class _Rebuilding:
    """What a structure is made of is looked up once for each type of item in it."""

    def __init__(self, leaf: Callable[[Any], Any], into_numbers: bool) -> None:
        self._leaf, self._into_numbers = leaf, into_numbers
        self._ways: dict[type, Callable[[Any, Done], Any] | None] = dict.fromkeys(PLAIN)  # None: stays as it is

    def of(self, item: Any, done: Done) -> Any:
        kind = type(item)
        try:
            way = self._ways[kind]
        except KeyError:
            way = self._ways[kind] = self._way(kind)
        if way is None:
            return item
        if kind is np.ndarray or kind is Variants:
            return self._leaf(item)
        if id(item) not in done:
            done[id(item)] = item, way(item, done)
        return done[id(item)][1]

    def _way(self, kind: type) -> Callable[[Any, Done], Any] | None:
        """How items of a type are rebuilt."""
        if issubclass(kind, PLAIN) or any("__call__" in vars(base) for base in kind.__mro__):
            return None
        if issubclass(kind, Variants | np.ndarray):
            return self._of_leaf
        if hasattr(kind, "with_numbers"):  # expressions take variants as they are
            return self._of_expression if self._into_numbers else None
        if issubclass(kind, Mapping):
            return self._of_mapping
        if issubclass(kind, tuple | list):
            return self._of_sequence
        if is_dataclass(kind):
            names = [field.name for field in fields(kind)]
            return lambda item, done: self._replaced(item, names, done)
        if kind.__module__.startswith("eigenbody."):
            return self._of_object
        return None

    def _of_leaf(self, item: Any, done: Done) -> Any:
        return self._leaf(item)

    def _of_expression(self, item: Any, done: Done) -> Any:
        return item.with_numbers(self._leaf)

    def _of_mapping(self, item: Any, done: Done) -> Any:
        new = {key: self.of(value, done) for key, value in item.items()}
        return item if _same(new.values(), item.values()) else type(item)(new)

    def _of_sequence(self, item: Any, done: Done) -> Any:
        parts = [self.of(part, done) for part in item]
        if _same(parts, item):
            return item
        return type(item)(*parts) if hasattr(item, "_fields") else type(item)(parts)

    def _of_object(self, item: Any, done: Done) -> Any:
        return self._replaced(item, list(vars(item)), done) if hasattr(item, "__dict__") else item

    def _replaced(self, item: Any, names: list[str], done: Done) -> Any:
        old = [getattr(item, name) for name in names]
        new = [self.of(value, done) for value in old]
        if _same(new, old):
            return item
        copy = object.__new__(type(item))
        for name, value in zip(names, new, strict=True):
            object.__setattr__(copy, name, value)
        return copy


def _same(new: Any, old: Any) -> bool:
    return all(map(operator.is_, new, old))
