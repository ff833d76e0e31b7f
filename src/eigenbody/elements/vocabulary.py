"""The vocabulary of the model file, put together from the registries."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Any

from eigenbody.elements.checks import Wrong
from eigenbody.elements.couplings import COUPLINGS
from eigenbody.elements.forces import FORCES
from eigenbody.elements.joints import JOINTS
from eigenbody.elements.measures.types import MEASURES
from eigenbody.model.vocabulary import Field, Kind, TypeSpec, Vocabulary


def _output_order(values: Mapping[str, Any], is_marker: Callable[[str], bool]) -> Iterator[Wrong]:
    order = values.get("order")
    if order is not None and values.get("expression") is not None:
        yield "order", "an expression has no order.", "Write the rate of a measure m as m', or use measure and order."
    elif order is not None and order not in (0, 1, 2):
        yield "order", f"order {order} does not exist.", "Use 0 (value), 1 (rate) or 2 (acceleration)."


def _input_force(values: Mapping[str, Any], is_marker: Callable[[str], bool]) -> Iterator[Wrong]:
    if values.get("body") is not None and values.get("direction") is None:
        yield "", "a force at a body needs a direction.", 'Add "direction: [x, y, z]".'


DRIVER = TypeSpec(
    "",
    (
        Field("measure", Kind.MEASURE, required=True, doc="the measure that is prescribed"),
        Field(
            "motion", Kind.SIGNAL, {"m": "m", "rad": "rad", "1": "1"}, required=True, doc="its value as expression of t"
        ),
    ),
    doc="A measure prescribed in time.",
)
STATE = TypeSpec(
    "",
    (
        Field("initial", Kind.NUMBER, default=0.0, doc="value at the start"),
        Field("rate", Kind.SIGNAL, required=True, doc="its time derivative"),
    ),
    doc="A first-order state.",
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
    ),
    check=_input_force,
    doc="An input: a force along a measure, or a force or torque at a marker.",
)
OUTPUT = TypeSpec(
    "",
    (
        Field("measure", Kind.MEASURE, doc="the measure"),
        Field("order", Kind.INTEGER, doc="0 value (default), 1 rate, 2 acceleration"),
        Field("expression", Kind.SIGNAL, doc="expression of measures, rates, states, inputs, t"),
    ),
    one_of=(("measure", "expression"),),
    check=_output_order,
    doc="An output.",
)

VOCABULARY = Vocabulary(
    MappingProxyType(
        {
            "joints": {name: joint.spec() for name, joint in JOINTS.items()},
            "forces": {name: force.spec for name, force in FORCES.items()},
            "couplings": {name: coupling.spec for name, coupling in COUPLINGS.items()},
            "measures": {name: measure.spec for name, measure in MEASURES.items()},
            "drivers": {"": DRIVER},
            "states": {"": STATE},
            "variables": {"": VARIABLE},
            "inputs": {"": INPUT},
            "outputs": {"": OUTPUT},
        }
    )
)
