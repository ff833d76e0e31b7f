"""Steady motion (relative equilibrium): every coordinate is at rest, or moves at a constant rate and nothing depends
on its value (docs/steady-motion.md)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from eigenbody.linearization.point import OperatingPoint
from eigenbody.model.model import InertModel
from eigenbody.numerics.runtime import on_one_thread
from eigenbody.operating.steady.attempts import search
from eigenbody.operating.steady.motion import SteadyMotion, described, stable_one

__all__ = ["SteadyMotion", "find_steady", "steady_motion"]

NOTHING: Mapping[str, float] = MappingProxyType({})


def steady_motion(
    model: InertModel, prescribed: Mapping[str, float] = NOTHING, adjust: Sequence[str] = ()
) -> OperatingPoint:
    """The operating point of a steady motion; see `find_steady`."""
    return find_steady(model, prescribed, adjust).point


@on_one_thread
def find_steady(
    model: InertModel, prescribed: Mapping[str, float] = NOTHING, adjust: Sequence[str] = ()
) -> SteadyMotion:
    """Find a steady motion.

    `prescribed` holds SI values: `tilt` is a value, `spin'` a rate; states, inputs and parameters have values. Without
    any, the positions and velocities given on the joints are prescribed; with some, they are where the search starts.
    `adjust` names what may change: rates, inputs, parameters; positions given on the joints. Where nothing else
    balances the motion, coordinates on whose value nothing depends may take up a constant rate.
    """
    solution = search(model, prescribed, adjust)
    return stable_one(described(solution), solution)[0]
