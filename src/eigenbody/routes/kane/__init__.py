"""Kane's equations of general chain systems: charts, shifter matrices, partial velocities and their rates."""

from __future__ import annotations

from eigenbody.model.description import Description
from eigenbody.routes.base import Linear, Place, Route
from eigenbody.routes.kane.applies import reason_against, reason_against_motion
from eigenbody.routes.kane.dynamics import ChainSystem, Mixed
from eigenbody.routes.kane.impulses import Strike, generalized_impulse
from eigenbody.routes.kane.linear import linear_equations
from eigenbody.routes.kane.motion import ChainMotion
from eigenbody.routes.kane.prescribed import Prescribed, prescribed

__all__ = [
    "ROUTE", "ChainMotion", "ChainSystem", "Mixed", "Prescribed", "Strike", "generalized_impulse", "prescribed",
    "reason_against_motion",
]  # fmt: skip


def _linearize(description: Description, place: Place) -> Linear:
    return linear_equations(ChainSystem(description, place))


ROUTE = Route("kane", "Kane's equations of a tree", "Passerello & Huston, NASA N72-30352", reason_against, _linearize)
