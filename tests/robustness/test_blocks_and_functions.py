"""Wrong blocks, laws, states, functions and outputs: one clear InputError each, naming the place."""

import math

import numpy as np
import pytest

import eigenbody as eb


def block(**sections: dict) -> eb.Model:
    rail = {"type": "prismatic", "between": ["ground", "block"], "at": [0, 0, 0], "axis": [1, 0, 0]}
    doc = {
        "eigenbody": 1,
        "bodies": {"block": {"mass": 2, "at": [0, 0, 0]}},
        "joints": {"rail": rail},
        "inputs": {"wish": {}},
        **sections,
    }
    return eb.load(doc)


def refused(match: str, **sections: dict) -> None:
    with pytest.raises(eb.InputError, match=match) as caught:
        eb.linearize(block(**sections))
    assert len(caught.value.faults) == 1, str(caught.value)


A, B, C = [[0, 1], [-1, -1]], [[0], [1]], [[1, 0]]
SPACE = {"type": "state_space", "inputs": ["=rail"], "A": A, "B": B, "C": C}
TRANSFER = {"type": "transfer", "input": "=rail", "numerator": [1], "denominator": [1, 2]}
WRONG_BLOCKS = {
    "improper": (TRANSFER | {"numerator": [1, 0, 0]}, r"blocks.b.numerator.*would differentiate"),
    "zero highest power": (TRANSFER | {"denominator": [0, 2]}, r"blocks.b.denominator.*highest power, is zero"),
    "no denominator": (TRANSFER | {"denominator": 3}, r"blocks.b.denominator"),
    "text in the numerator": (TRANSFER | {"numerator": ["a"]}, r"blocks.b.numerator"),
    "unknown name": (TRANSFER | {"input": "=raill"}, r'blocks.b.input.*"raill".*Did you mean "rail"'),
    "A not square": (SPACE | {"A": [[0, 1, 2], [1, 2, 3]]}, r"blocks.b.A.*is 2 x 3, but 2 x 2"),
    "B of another size": (SPACE | {"B": [[0, 1], [1, 2]]}, r"blocks.b.B.*is 2 x 2, but 2 x 1"),
    "C of another size": (SPACE | {"C": [[1, 0, 0]]}, r"blocks.b.C.*is 1 x 3, but 1 x 2"),
    "D of another size": (SPACE | {"D": [[1, 0]]}, r"blocks.b.D.*is 1 x 2, but 1 x 1"),
    "too many labels": (SPACE | {"outputs": ["p", "q"]}, r"blocks.b.outputs.*2 names for 1 row"),
    "too few initial values": (SPACE | {"initial": [1]}, r"blocks.b.initial.*1 values for 2 states"),
    "unknown name in a list": (SPACE | {"inputs": ["=wisch"]}, r'blocks.b.inputs.*"wisch".*Did you mean "wish"'),
    "derivative without filter": ({"type": "pid", "input": "=rail", "kd": 3}, r"blocks.b: .*filter"),
    "filter not positive": ({"type": "pid", "input": "=rail", "kd": 3, "filter": 0}, r"blocks.b.filter.*above zero"),
    "order of a filter": ({"type": "filter", "input": "=rail", "corner": 3, "order": 3}, r"blocks.b.order.*1 to 2"),
    "corner in Hz": ({"type": "filter", "input": "=rail", "corner": "3 Hz"}, r"blocks.b.corner.*rev/s"),
    "delay not positive": ({"type": "delay", "input": "=rail", "time": -1}, r"blocks.b.time.*above zero"),
    "no input": ({"type": "delay", "time": 1}, r'blocks.b: the required key "input"'),
    "unknown type": ({"type": "transfr", "input": "=rail"}, r'blocks.b.type.*Did you mean "transfer"'),
}


@pytest.mark.parametrize("name", WRONG_BLOCKS)
def test_wrong_block(name: str) -> None:
    entry, match = WRONG_BLOCKS[name]
    refused(match, blocks={"b": entry})


def test_names_of_blocks() -> None:
    refused(r'states.b.*|blocks.b: the name "b" is used in', blocks={"b": TRANSFER}, states={"b": {"rate": "=rail"}})
    refused(r'outputs.y: there is no "b.x7"', blocks={"b": TRANSFER}, outputs={"y": {"expression": "=b.x7"}})
    refused(r'blocks.c: there is no "b.q"', blocks={"b": TRANSFER, "c": TRANSFER | {"input": "=b.q"}})


def test_a_loop_of_blocks_without_states_is_refused() -> None:
    gain = {"type": "transfer", "numerator": [2], "denominator": [1]}
    blocks = {"p": gain | {"input": "=q"}, "q": gain | {"input": "=p + rail"}}
    with pytest.raises(eb.InputError, match=r"p -> q -> p|q -> p -> q"):
        eb.linearize(block(blocks=blocks, outputs={"y": {"expression": "=p"}}))


# States ---------------------------------------------------------------------------------------------------------------
def test_wrong_implicit_states() -> None:
    refused(r"states.x: .*does not determine the rate", states={"x": {"residual": "=x - rail"}})
    refused(r"states.x: exactly one of", states={"x": {"residual": "=x'", "rate": "=rail"}})
    refused(r"states.x: y' is the rate of a state that has its own",
            states={"x": {"residual": "=x' - y'"}, "y": {"rate": "=rail"}})  # fmt: skip
    twice = {"x": {"residual": "=x' + y' - rail"}, "y": {"residual": "=2*x' + 2*y' - wish"}}
    refused(r"states.[xy]: the equation does not determine", states=twice)
    refused(r"states.x: the equation could not be solved", states={"x": {"residual": "=x'**2 + 1 + 0.001*x'"}})


# Laws -----------------------------------------------------------------------------------------------------------------
FRICTION = {"type": "friction", "along": "rail", "coulomb": 3, "transition": 0.01}
STOP = {"type": "one_sided", "along": "rail", "gap": 0.1, "k": 100}
WRONG_LAWS = {
    "transition": (FRICTION | {"transition": 0}, r"forces.f.transition.*above zero"),
    "transition in metres": (FRICTION | {"transition": "1 mm"}, r"forces.f.transition.*length"),
    "stribeck": (FRICTION | {"stribeck": -1}, r"forces.f.stribeck.*above zero"),
    "exponent": (STOP | {"exponent": 0.5}, r"forces.f.exponent.*at least one"),
    "smooth": (STOP | {"smooth": -0.1}, r"forces.f.smooth"),
    "text for a number": (STOP | {"k": "stiff"}, r"forces.f.k"),
    "side": (STOP | {"side": "left"}, r"forces.f.side"),
    "maxwell": ({"type": "maxwell", "along": "rail", "k": 100, "c": 0}, r"forces.f.c.*above zero"),
    "maxwell between points": (
        {"type": "maxwell", "between": ["ground", "block"], "at": [[1, 0, 0], [0, 0, 0]], "k": 1, "c": 1},
        r"forces.f: .*free_length",
    ),
    "motor curve": ({"type": "motor", "along": "rail", "curve": {"table": [[1, 2]]}}, r"forces.f.curve.*two points"),
}


@pytest.mark.parametrize("name", WRONG_LAWS)
def test_wrong_law(name: str) -> None:
    entry, match = WRONG_LAWS[name]
    refused(match, forces={"f": entry})


# Python functions -----------------------------------------------------------------------------------------------------
WRONG_FUNCTIONS = {
    "returns text": (lambda s: "a", r"forces.f.*not a number"),
    "returns None": (lambda s: None, r"forces.f.*not a number"),
    "returns nan": (lambda s: math.nan, r"forces.f.*no finite value"),
    "returns a vector": (lambda s: np.ones(3), r"forces.f.*not a number"),
    "unknown argument": (lambda raill: 1.0, r'forces.f.value.*"raill".*Did you mean "rail"'),
    "a parameter": (eb.Function(lambda p: p, of=("p",)), r"forces.f.value.*cannot take the parameter p"),
    "too few slopes": (
        eb.Function(lambda s, v: s, derivative=lambda s, v: (1.0,)),
        r"forces.f.*1 slopes were returned for 2 arguments",
    ),
    "slope is nan": (eb.Function(lambda s: s, derivative=lambda s: (math.nan,)), r"forces.f.*no finite value"),
}


@pytest.mark.parametrize("name", WRONG_FUNCTIONS)
def test_wrong_function(name: str) -> None:
    value, match = WRONG_FUNCTIONS[name]
    refused(match, forces={"f": {"type": "actuator", "along": "rail", "value": value}}, parameters={"p": 1})


def test_function_where_none_can_stand() -> None:
    refused(r"drivers.d.motion.*cannot stand here", drivers={"d": {"measure": "rail", "motion": lambda t: t}})
    refused(r"blocks.b.input.*a number or an expression", blocks={"b": TRANSFER | {"input": lambda rail: rail}})
    refused(r"variables.v.*cannot be a Python function", variables={"v": {"value": lambda rail: rail}})


# Outputs --------------------------------------------------------------------------------------------------------------
SPRING = {"spring": {"type": "spring", "along": "rail", "k": 10}}
WRONG_OUTPUTS = {
    "unknown joint": ({"reaction": "rial", "component": "fx"}, r'outputs.y: there is no joint "rial".*"rail"'),
    "no component": ({"reaction": "rail"}, r"outputs.y: a reaction needs its component"),
    "unknown component": ({"reaction": "rail", "component": "fw"}, r"outputs.y.component.*fw"),
    "unknown axes": ({"reaction": "rail", "component": "fx", "axes": "body"}, r"outputs.y.axes"),
    "axes of a measure": ({"measure": "rail", "axes": "ground"}, r"outputs.y.axes.*only a reaction"),
    "component of a measure": ({"measure": "rail", "component": "fx"}, r"outputs.y.component.*only a reaction"),
    "order of a state": ({"state": "x", "order": 1}, r"outputs.y.order.*only a measure"),
    "unknown state": ({"state": "xx"}, r'outputs.y: there is no state "xx"'),
    "unknown force": ({"force": "sprung"}, r'outputs.y: there is no force "sprung".*"spring"'),
    "component of a spring": ({"force": "spring", "component": "fx"}, r"outputs.y: spring acts along one measure"),
    "nothing": ({}, r"outputs.y: exactly one of"),
    "third rate": ({"expression": "=rail'''"}, r"outputs.y.expression"),
}


@pytest.mark.parametrize("name", WRONG_OUTPUTS)
def test_wrong_output(name: str) -> None:
    entry, match = WRONG_OUTPUTS[name]
    refused(match, outputs={"y": entry}, forces=SPRING, states={"x": {"rate": "=rail"}})


def test_third_rates_stand_nowhere() -> None:
    third = "=rail'''"
    refused("forces.f.value", forces={"f": {"type": "actuator", "along": "rail", "value": third}})
    refused("states.x.rate", states={"x": {"rate": third}})


def test_a_bushing_has_six_components() -> None:
    bushing = {"type": "bushing", "between": ["ground", "block"], "at": [0, 0, 0], "k": [1, 2, 3, 4, 5, 6]}
    refused(r"outputs.y: b acts along 6 measures.*fx, fy", forces={"b": bushing}, outputs={"y": {"force": "b"}})
    linear = eb.linearize(block(forces={"b": bushing}, outputs={"y": {"force": "b", "component": "fx"}}))
    assert linear.state_space.C[0, 0] == pytest.approx(1.0)
    assert linear.units.outputs == ("N",)
