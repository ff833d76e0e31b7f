"""Registries of element types: names and where their types are. A file is read when a model uses one of its types."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, MutableMapping
from functools import partial
from importlib import import_module
from typing import Any, Generic, TypeVar

T = TypeVar("T")
S = TypeVar("S")


class Registry(MutableMapping[str, T], Generic[T]):
    """A dict whose values are made when they are first asked for."""

    def __init__(self, makers: Mapping[str, Callable[[], T]]) -> None:
        self._makers = dict(makers)
        self._made: dict[str, T] = {}

    def each(self, of: Callable[[T], S]) -> Registry[S]:
        """Something of every type, made from it when it is first asked for."""
        return Registry({name: partial(self._of, name, of) for name in self})

    def _of(self, name: str, of: Callable[[T], S]) -> S:
        return of(self[name])

    def __getitem__(self, name: str) -> T:
        if name not in self._made:
            self._made[name] = self._makers[name]()
        return self._made[name]

    def __setitem__(self, name: str, value: T) -> None:
        self._makers[name], self._made[name] = lambda: value, value

    def __delitem__(self, name: str) -> None:
        del self._makers[name]
        self._made.pop(name, None)

    def __contains__(self, name: object) -> bool:
        return name in self._makers  # without making it, as the inherited method would

    def __iter__(self) -> Iterator[str]:
        return iter(self._makers)

    def __len__(self) -> int:
        return len(self._makers)


def types_in(package: str, **places: str) -> Registry[Any]:
    """Types of the modules of a package: `spring="spring.SPRING"` is SPRING of `package/spring.py`."""
    return Registry({name: partial(_found, package, place) for name, place in places.items()})


def _found(package: str, place: str) -> Any:
    module, _, name = place.partition(".")
    return getattr(import_module(f"{package}.{module}"), name)
