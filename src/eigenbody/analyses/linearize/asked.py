"""The linear equations that were asked for: with damping added, or by the route of other authors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from eigenbody.analyses.linearize.damping import damping_given, with_damping
from eigenbody.linearization.model import LinearModel

Damping = str | Mapping[str, Any]  # "modal:0.02" or {"modal": 0.02}: the choices of `with_damping`


def equations_asked(linear: LinearModel, damping: Damping | None, route: str | None) -> LinearModel:
    """The linear model by the route, and with the damping, that were named."""
    if route is not None:
        from eigenbody.analyses.linearize.topology import by_topology

        linear = by_topology(linear, route)
    return linear if damping is None else with_damping(linear, **damping_given(damping))
