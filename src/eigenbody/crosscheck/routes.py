"""The list of routes. A new route is one module with a constant `ROUTE` and one line here."""

from __future__ import annotations

from importlib import import_module

from eigenbody.crosscheck.base import Route
from eigenbody.errors import Fault, InputError, suggest

NAMES = ("relative", "kane", "topology", "difference", "symbolic")


def all_routes() -> tuple[Route, ...]:
    """Every route, in the order in which they are shown."""
    found = []
    for name in NAMES:
        try:
            found.append(import_module(f"eigenbody.crosscheck.{name}").ROUTE)
        except (ImportError, AttributeError, SyntaxError):
            continue
    return tuple(found)


def route_named(name: str) -> Route:
    """The route of that name; InputError with the nearest known one."""
    if name not in NAMES:
        raise InputError(Fault("route", f'there is no route "{name}".', suggest(name, NAMES)))
    route: Route = import_module(f"eigenbody.crosscheck.{name}").ROUTE
    return route
