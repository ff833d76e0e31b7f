"""The list of routes. A new route is one module with a constant `ROUTE` and one line here."""

from __future__ import annotations

from eigenbody.base.errors import Fault, InputError, suggest
from eigenbody.routes.base import Route


def all_routes() -> tuple[Route, ...]:
    """Every route, in the order in which they are shown."""
    from eigenbody.analyses.verify import difference
    from eigenbody.routes import kane, relative, symbolic, topology

    return relative.ROUTE, kane.ROUTE, topology.ROUTE, difference.ROUTE, symbolic.ROUTE


def route_named(name: str) -> Route:
    """The route of that name; InputError with the nearest known one."""
    routes = {route.name: route for route in all_routes()}
    if name not in routes:
        raise InputError(Fault("route", f'there is no route "{name}".', suggest(name, routes)))
    return routes[name]
