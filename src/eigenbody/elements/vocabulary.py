"""The vocabulary of the model file, put together from the registries."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Any

from eigenbody.elements.blocks import BLOCKS
from eigenbody.elements.checks import Wrong
from eigenbody.elements.couplings import COUPLINGS
from eigenbody.elements.flexible import FLEXIBLE, expand
from eigenbody.elements.forces import FORCES
from eigenbody.elements.joints import JOINTS
from eigenbody.elements.measures.types import MEASURES
from eigenbody.model.names import WRENCH
from eigenbody.model.vocabulary import Field, Kind, TypeSpec, Vocabulary


def _output_keys(values: Mapping[str, Any], is_marker: Callable[[str], bool]) -> Iterator[Wrong]:
    order, has = values.get("order"), {key for key, value in values.items() if value is not None}
    if order is not None and "expression" in has:
        yield "order", "an expression has no order.", "Write the rate of a measure m as m', or use measure and order."
    elif order is not None and "measure" not in has:
        yield "order", "only a measure has an order.", "Leave it out."
    elif order is not None and order not in (0, 1, 2):
        yield "order", f"order {order} does not exist.", "Use 0 (value), 1 (rate) or 2 (acceleration)."
    if "reaction" in has and "component" not in has:
        yield "", "a reaction needs its component.", f'Add "component: ...", one of {", ".join(WRENCH)}.'
    if "component" in has and not has & {"reaction", "force"}:
        yield "component", "only a reaction or a force has components.", "Leave it out."
    if "axes" in has and "reaction" not in has:
        yield "axes", "only a reaction has axes.", "Leave it out."


def _input_force(values: Mapping[str, Any], is_marker: Callable[[str], bool]) -> Iterator[Wrong]:
    if values.get("body") is not None and values.get("direction") is None:
        yield "", "a force at a body needs a direction.", 'Add "direction: [x, y, z]".'


UNIT = Field("unit", Kind.TEXT, doc="unit to show; known by itself for measures, forces and reactions")
DRIVER = TypeSpec(
    "",
    (
        Field("measure", Kind.MEASURE, required=True, doc="the measure that is prescribed"),
        Field(
            "motion", Kind.SIGNAL, {"m": "m", "rad": "rad", "1": "1"}, required=True, doc="its value as expression of t"
        ),
        Field("side", Kind.CHOICE, choices=("above", "below"), doc="one-sided: the measure may be above (below) it"),
        Field("assembly", Kind.FLAG, default=False, doc="held while the mechanism is assembled, then released"),
    ),
    doc="A measure prescribed in time.",
)
STATE = TypeSpec(
    "",
    (
        Field("initial", Kind.NUMBER, default=0.0, doc="value at the start"),
        Field("rate", Kind.SIGNAL, doc="its time derivative"),
        Field("residual", Kind.SIGNAL, doc="what must be zero, an expression in which name' is the time derivative"),
        UNIT,
    ),
    one_of=(("rate", "residual"),),
    doc="A first-order state, explicit (rate) or implicit (residual).",
)
VARIABLE = TypeSpec("", (Field("value", Kind.SIGNAL, required=True, doc="expression"),), doc="A named expression.")
INPUT = TypeSpec(
    "",
    (
        Field("along", Kind.MEASURE, doc="measure along which the input force acts; positive increases it"),
        Field("body", Kind.BODY, doc="body or marker at which an input force acts"),
        Field("at", Kind.POINT, "m", doc="its point"),
        Field("direction", Kind.DIRECTION, doc="its direction"),
        Field("axes", Kind.CHOICE, choices=("ground", "body"), default="ground", doc="axes of the direction"),
        Field("torque", Kind.FLAG, default=False, doc="a torque about the direction instead of a force"),
        Field("value", Kind.NUMBER, default=0.0, doc="value at the operating point"),
        UNIT,
    ),
    check=_input_force,
    doc="An input: a force along a measure, or a force or torque at a marker.",
)
OUTPUT = TypeSpec(
    "",
    (
        Field("measure", Kind.MEASURE, doc="the measure"),
        Field("order", Kind.INTEGER, doc="0 value (default), 1 rate, 2 acceleration"),
        Field(
            "expression",
            Kind.SIGNAL,
            doc="expression of measures, rates, second rates, states, inputs, reactions, forces, t",
        ),
        Field("state", Kind.TEXT, doc="a first-order state, also of a block (block.x1) or an element (motor.i)"),
        Field("reaction", Kind.TEXT, doc="a joint: force or moment of its first body on the second"),
        Field("force", Kind.TEXT, doc="a force element: its tension"),
        Field("component", Kind.CHOICE, choices=WRENCH, doc="of a reaction, or of a force along several measures"),
        Field("axes", Kind.CHOICE, choices=("joint", "ground"), doc="axes of a reaction, default joint"),
        UNIT,
    ),
    one_of=(("measure", "expression", "state", "reaction", "force"),),
    check=_output_keys,
    doc="An output.",
)

VOCABULARY = Vocabulary(
    MappingProxyType(
        {
            "flexible": FLEXIBLE.each(lambda flexible: flexible.spec),
            "joints": JOINTS.each(lambda joint: joint.spec()),
            "forces": FORCES.each(lambda force: force.spec),
            "couplings": {name: coupling.spec for name, coupling in COUPLINGS.items()},
            "measures": {name: measure.spec for name, measure in MEASURES.items()},
            "drivers": {"": DRIVER},
            "states": {"": STATE},
            "variables": {"": VARIABLE},
            "blocks": BLOCKS.each(lambda block: block.spec),
            "inputs": {"": INPUT},
            "outputs": {"": OUTPUT},
        }
    ),
    expand,
    f"{__name__}:VOCABULARY",
)
