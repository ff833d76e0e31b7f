"""Motors along a measure (an angle, a stroke): by a curve of force over speed, or with the current as a state.

motor     f = curve(v)                              table over v, or expression of v and other things
dc_motor  L i' = voltage - R i - K v,   f = K i     the state `i` is the current
A positive force increases the measure.
"""

from __future__ import annotations

from collections.abc import Sequence

from eigenbody.elements.forces.base import ForceBuilder, ForceType
from eigenbody.elements.forces.law import law, own_channels
from eigenbody.elements.forces.spring import ENDS, FORCE, ends_given
from eigenbody.model.description import Entry
from eigenbody.model.vocabulary import Field, Kind, TypeSpec

CONSTANT = {"m": "V*s/m", "rad": "V*s/rad", "1": "V*s"}


def build_motor(entries: Sequence[Entry], builder: ForceBuilder) -> None:
    """A curve over the speed."""
    for entry, channel in own_channels(entries, builder):
        builder.characteristic(channel, -1.0, entry["curve"], entry.name)


def build_dc_motor(entries: Sequence[Entry], builder: ForceBuilder) -> None:
    """The electric equation of a direct-current machine."""
    for entry, channel in own_channels(entries, builder):
        numbers = {key: entry[key] for key in ("R", "K", "L")}
        rate = law("(u - R * i - K * v) / L", u=entry.get("voltage", 0.0), **numbers)
        builder.characteristic(channel, -1.0, law("K * i", K=entry["K"]), entry.name)
        builder.state("i", entry.get("initial", 0.0), rate, channel, entry.name, unit="A")


MOTOR = ForceType(
    TypeSpec(
        "motor",
        (
            *ENDS,
            Field(
                "curve",
                Kind.SIGNAL,
                FORCE,
                required=True,
                doc="force over the speed v: table or expression",
                argument="v",
            ),
        ),
        one_of=(("between", "along"),),
        check=ends_given,
        doc=__doc__ or "",
    ),
    build_motor,
)
DC_MOTOR = ForceType(
    TypeSpec(
        "dc_motor",
        (
            *ENDS,
            Field("voltage", Kind.EXPRESSION, "V", doc="number or expression (an input, a controller), default 0"),
            Field("R", Kind.NUMBER, "ohm", required=True, doc="resistance"),
            Field("L", Kind.NUMBER, "H", required=True, doc="inductance"),
            Field(
                "K", Kind.NUMBER, CONSTANT, required=True, doc="motor constant: force per current, voltage per speed"
            ),
            Field("initial", Kind.NUMBER, "A", doc="current at the start, default 0"),
        ),
        one_of=(("between", "along"),),
        check=ends_given,
        doc="Direct-current motor with its current as a state.",
    ),
    build_dc_motor,
)
