"""Smooth Coulomb and Stribeck friction along any measure or between two points.

f(v) = [Fc + (Fs - Fc) exp(-(v/vs)^2)] tanh(v/vt) + c v. Near v = 0 it is a damper of
strength Fs/vt + c: a linearization at rest sees that slope, which is what the smoothing means.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from eigenbody.elements.checks import Wrong, at_most
from eigenbody.elements.forces.base import ForceBuilder, ForceType
from eigenbody.elements.forces.law import law, own_channels
from eigenbody.elements.forces.spring import DAMPING, ENDS, FORCE, ends_given
from eigenbody.model.description import Entry
from eigenbody.model.vocabulary import Field, Kind, TypeSpec

SPEED = {"m": "m/s", "rad": "rad/s", "1": "1/s"}


def build_friction(entries: Sequence[Entry], builder: ForceBuilder) -> None:
    """Friction against the rate of the measure."""
    for entry, channel in own_channels(entries, builder):
        text = "fc * tanh(v / vt) + c * v"
        if entry.get("static") is not None:
            text = "(fc + (fs - fc) * exp(-(v / vs)**2)) * tanh(v / vt) + c * v"
        forces = {"fc": entry["coulomb"], "fs": entry.get("static", 0.0), "c": entry.get("viscous", 0.0)}
        speeds = {"vt": entry["transition"], "vs": entry.get("stribeck", 10 * entry["transition"])}
        builder.characteristic(channel, 1.0, law(text, **forces, **speeds), entry.name)


def friction_complete(values: Mapping[str, Any], is_marker: Callable[[str], bool]) -> Iterator[Wrong]:
    """Ends and positive speeds."""
    yield from ends_given(values, is_marker)
    for key in ("transition", "stribeck"):
        if at_most(values.get(key), 0):
            yield key, "a speed above zero is expected.", "Choose it well below the speeds of interest."


FRICTION = ForceType(
    TypeSpec(
        "friction",
        (
            *ENDS,
            Field(
                "coulomb",
                Kind.EXPRESSION,
                FORCE,
                required=True,
                doc="sliding friction force, or mu times a normal force",
            ),
            Field("static", Kind.EXPRESSION, FORCE, doc="breakaway force (Stribeck), default the sliding one"),
            Field("stribeck", Kind.NUMBER, SPEED, doc="Stribeck speed, default ten times the transition speed"),
            Field("transition", Kind.NUMBER, SPEED, required=True, doc="speed over which the sign changes smoothly"),
            Field("viscous", Kind.NUMBER, DAMPING, doc="viscous part"),
        ),
        one_of=(("between", "along"),),
        check=friction_complete,
        doc=__doc__ or "",
    ),
    build_friction,
)
