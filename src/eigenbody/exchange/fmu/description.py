"""The description of an FMU: variables with names, units and start values, and which depends on which."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from xml.sax.saxutils import escape, quoteattr

import numpy as np

from eigenbody.base.version import __version__
from eigenbody.exchange.block import LinearBlock, different
from eigenbody.exchange.units import powers

HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n'
LOG = (
    '  <LogCategories>\n    <Category name="logStatusError" description="Calls that were refused"/>\n  </LogCategories>'
)


@dataclass(frozen=True)
class FmuNames:
    """Names of the variables, all different, in the order of their value references."""

    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    states: tuple[str, ...]
    derivatives: tuple[str, ...]
    time: str

    @classmethod
    def of(cls, block: LinearBlock) -> FmuNames:
        """Inputs and outputs keep theirs; a state that is called like one of them gets the word state before it."""
        inputs = different(block.inputs, (), "input")
        outputs = different(block.outputs, inputs, "output")
        states = different(block.states, (*inputs, *outputs), "state")
        known = (*inputs, *outputs, *states)
        derivatives = different((f"der({name})" for name in states), known, "derivative")
        return cls(inputs, outputs, states, derivatives, different(["time"], (*known, *derivatives), "independent")[0])


@dataclass(frozen=True)
class _Variable:
    reference: int
    name: str
    unit: str
    kind: str  # input, output, state, derivative
    of: int = 0  # reference of the state

    def parts(self) -> dict[str, str]:
        """What both versions say of it."""
        causality = self.kind if self.kind in ("input", "output") else "local"
        return {"name": self.name, "valueReference": str(self.reference), "causality": causality,
                "variability": "continuous"}  # fmt: skip


def _variables(block: LinearBlock, names: FmuNames) -> list[_Variable]:
    rates = tuple(_rate(unit) for unit in block.state_units)
    groups = (
        ("input", names.inputs, block.input_units), ("output", names.outputs, block.output_units),
        ("state", names.states, block.state_units), ("derivative", names.derivatives, rates),
    )  # fmt: skip
    found: list[_Variable] = []
    first = len(names.inputs) + len(names.outputs)
    for kind, own, units in groups:
        for k, (name, unit) in enumerate(zip(own, units, strict=True)):
            found.append(_Variable(len(found), name, unit, kind, first + k if kind == "derivative" else 0))
    return found


def _rate(unit: str) -> str:
    """Unit of the derivative: m/s of m, m/s^2 of m/s."""
    if not unit:
        return ""
    for ending, next_one in (("/s^2", "/s^3"), ("/s", "/s^2")):
        if unit.endswith(ending):
            return unit.removesuffix(ending) + next_one
    return f"{unit}/s"


def _units(variables: Iterable[_Variable]) -> list[str]:
    used = dict.fromkeys(v.unit for v in variables if v.unit)
    if not used:
        return []
    lines = ["  <UnitDefinitions>"]
    for unit in used:
        base = powers(unit)
        if base is None:
            lines.append(f"    <Unit name={quoteattr(unit)}/>")
        else:
            inner = "".join(f' {name}="{power}"' for name, power in base.items())
            lines.append(f"    <Unit name={quoteattr(unit)}><BaseUnit{inner}/></Unit>")
    return [*lines, "  </UnitDefinitions>"]


def _element(tag: str, attributes: Mapping[str, str], end: str = "/>") -> str:
    return f"<{tag}" + "".join(f" {key}={quoteattr(value)}" for key, value in attributes.items()) + end


def _dependencies(block: LinearBlock, shift: int) -> Iterator[tuple[str, int, str, str]]:
    """Kind, number (references and `shift`), dependencies and their kinds of outputs, then of derivatives."""
    nu, ny, nx = len(block.inputs), len(block.outputs), len(block.states)
    knowns = np.concatenate((nu + ny + np.arange(nx), np.arange(nu))) + shift
    for kind, rows, first in (
        ("Output", np.hstack((block.C, block.D)), nu), ("Derivative", np.hstack((block.A, block.B)), nu + ny + nx),
    ):  # fmt: skip
        for k, row in enumerate(rows):
            on = np.sort(knowns[np.flatnonzero(row)]).tolist()
            yield kind, first + k + shift, " ".join(map(str, on)), " ".join(["constant"] * len(on))


def description_2(block: LinearBlock, names: FmuNames, token: str) -> str:
    """modelDescription.xml of FMI 2.0."""
    variables = _variables(block, names)
    able = {"modelIdentifier": block.identifier, "canGetAndSetFMUstate": "true", "canSerializeFMUstate": "true",
            "providesDirectionalDerivative": "true"}  # fmt: skip
    source = '<SourceFiles><File name="fmi2.c"/></SourceFiles>'
    exchange = _element("ModelExchange", able | {"completedIntegratorStepNotNeeded": "true"}, ">")
    own = {"canHandleVariableCommunicationStepSize": "true", "canInterpolateInputs": "true"}
    steps = _element("CoSimulation", able | own, ">")
    lines = [
        _element("fmiModelDescription", {
            "fmiVersion": "2.0", "modelName": block.name, "guid": token, "description": block.about,
            "generationTool": f"eigenbody {__version__}", "variableNamingConvention": "flat",
            "numberOfEventIndicators": "0"}, ">"),
        f"  {exchange}{source}</ModelExchange>",
        f"  {steps}{source}</CoSimulation>",
        *_units(variables),
        LOG,
        '  <DefaultExperiment startTime="0"/>',
        "  <ModelVariables>",
        *(_variable_2(v) for v in variables),
        "  </ModelVariables>",
        "  <ModelStructure>",
    ]  # fmt: skip
    found = list(_dependencies(block, 1))
    for group, kinds in (("Outputs", ("Output",)), ("Derivatives", ("Derivative",)),
                         ("InitialUnknowns", ("Output", "Derivative"))):  # fmt: skip
        own_lines = []
        for kind, number, on, how in found:
            if kind in kinds:
                said = {"index": str(number), "dependencies": on}
                own_lines.append(f"      {_element('Unknown', said if len(kinds) > 1 else said | _kinds(how))}")
        if own_lines:
            lines += [f"    <{group}>", *own_lines, f"    </{group}>"]
    return HEAD + "\n".join([*lines, "  </ModelStructure>", "</fmiModelDescription>", ""])


def _kinds(how: str) -> dict[str, str]:
    return {"dependenciesKind": how} if how else {}


def _variable_2(v: _Variable) -> str:
    outer, inner = v.parts(), {}
    if v.kind == "state":
        outer["initial"] = "exact"
    if v.kind in ("input", "state"):
        inner["start"] = "0"
    if v.unit:
        inner["unit"] = v.unit
    if v.kind == "derivative":
        inner["derivative"] = str(v.of + 1)
    return f"    {_element('ScalarVariable', outer, '>')}{_element('Real', inner)}</ScalarVariable>"


def description_3(block: LinearBlock, names: FmuNames, token: str) -> str:
    """modelDescription.xml of FMI 3.0."""
    variables = _variables(block, names)
    able = {"modelIdentifier": block.identifier, "canGetAndSetFMUState": "true", "canSerializeFMUState": "true",
            "providesDirectionalDerivatives": "true", "providesAdjointDerivatives": "true"}  # fmt: skip
    lines = [
        _element("fmiModelDescription", {
            "fmiVersion": "3.0", "modelName": block.name, "instantiationToken": token, "description": block.about,
            "generationTool": f"eigenbody {__version__}", "variableNamingConvention": "flat"}, ">"),
        f"  {_element('ModelExchange', able)}",
        f"  {_element('CoSimulation', able | {'canHandleVariableCommunicationStepSize': 'true'})}",
        *_units(variables),
        LOG,
        '  <DefaultExperiment startTime="0"/>',
        "  <ModelVariables>",
        *(_variable_3(v) for v in variables),
        f"    <Float64 name={quoteattr(names.time)} valueReference=\"{len(variables)}\" causality=\"independent\""
        " variability=\"continuous\"/>",
        "  </ModelVariables>",
        "  <ModelStructure>",
    ]  # fmt: skip
    found, tags = list(_dependencies(block, 0)), {"Output": "Output", "Derivative": "ContinuousStateDerivative"}
    for kind, number, on, how in found:
        lines.append(f"    {_element(tags[kind], {'valueReference': str(number), 'dependencies': on} | _kinds(how))}")
    for _, number, on, _ in found:
        lines.append(f"    {_element('InitialUnknown', {'valueReference': str(number), 'dependencies': on})}")
    return HEAD + "\n".join([*lines, "  </ModelStructure>", "</fmiModelDescription>", ""])


def _variable_3(v: _Variable) -> str:
    own = v.parts()
    if v.kind == "state":
        own["initial"] = "exact"
    if v.kind in ("input", "state"):
        own["start"] = "0"
    if v.unit:
        own["unit"] = v.unit
    if v.kind == "derivative":
        own["derivative"] = str(v.of)
    return f"    {_element('Float64', own)}"


def build_description(identifier: str, main: str) -> str:
    """sources/buildDescription.xml of FMI 3.0."""
    return (
        f'{HEAD}<fmiBuildDescription fmiVersion="3.0">\n  <BuildConfiguration modelIdentifier="{escape(identifier)}">\n'
        f'    <SourceFileSet language="C99"><SourceFile name="{escape(main)}"/></SourceFileSet>\n'
        "  </BuildConfiguration>\n</fmiBuildDescription>\n"
    )
