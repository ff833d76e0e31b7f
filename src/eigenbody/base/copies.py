"""What copies and pickles hold: what an object was made of and the values that were found, not what finds them."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any, Generic, TypeVar

T = TypeVar("T")


class LeanCopies:
    """What it has computed of itself (cached properties) is not copied: a copy computes it when it is asked for."""

    __slots__ = ()

    def __getstate__(self) -> dict[str, Any]:
        kind = type(self)
        return {name: part for name, part in vars(self).items() if not _is_computed(kind, name)}


def _is_computed(kind: type, name: str) -> bool:
    return isinstance(getattr(kind, name, None), cached_property)


class Later(Generic[T]):
    """A value that is found when it is first asked for. A copy holds the value."""

    def __init__(self, find: Callable[[], T]) -> None:
        self._find = find

    @cached_property
    def _value(self) -> T:
        return self._find()

    def __call__(self) -> T:
        return self._value

    def __reduce__(self) -> tuple[Any, ...]:
        return Known, (self(),)


class Known(Generic[T]):
    """A value that is known already, where one may be found later."""

    def __init__(self, value: T) -> None:
        self._value = value

    def __call__(self) -> T:
        return self._value
