"""A linear model as a Modelica block: named connectors of the Modelica Standard Library around A, B, C, D."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from eigenbody.exchange.block import LinearBlock, different

PORT = "Modelica.Blocks.Interfaces.Real{kind} {name}{unit} annotation (Placement(transformation({place})));"


def write_block(block: LinearBlock, path: Path) -> bytes:
    """The text of the file; names that are no identifiers of Modelica are quoted, and stay as they are."""
    inputs = different(block.inputs, (), "input")
    outputs = different(block.outputs, inputs, "output")
    matrices = [
        line for key, rows, columns in (("A", "nx", "nx"), ("B", "nx", "nu"), ("C", "ny", "nx"), ("D", "ny", "nu"))
        for line in _matrix(key, getattr(block, key), rows, columns)
    ]  # fmt: skip
    names = f"{{{', '.join(_text(name) for name in block.states)}}}" if block.states else 'fill("", 0)'
    body = [
        f"block {block.identifier} {_text(block.about)}",
        "  extends Modelica.Blocks.Icons.Block;",
        *(f"  {line}" for line in _ports("Input", inputs, block.input_units, -110)),
        *(f"  {line}" for line in _ports("Output", outputs, block.output_units, 110)),
        f"  constant Integer nx = {len(block.states)}, nu = {len(inputs)}, ny = {len(outputs)};",
        f"  constant String stateNames[nx] = {names};",
        *(f"  {line}" for line in matrices),
        "  parameter Real x_start[nx] = zeros(nx) \"deviations at the start\";",
        "  Real x[nx](start = x_start, each fixed = true) \"states, in the order of stateNames\";",
        "equation",
        f"  der(x) = A*x + B*{_vector(inputs)};",
        *(f"  {_name(name)} = C[{k}, :]*x + D[{k}, :]*{_vector(inputs)};" for k, name in enumerate(outputs, 1)),
        f"end {block.identifier};",
    ]  # fmt: skip
    return ("\n".join(body) + "\n").encode()


def _vector(names: tuple[str, ...]) -> str:
    return f"{{{', '.join(map(_name, names))}}}" if names else "fill(0.0, 0)"


def _matrix(key: str, values: np.ndarray, rows: str, columns: str) -> list[str]:
    head = f"parameter Real {key}[{rows}, {columns}] = "
    if not values.size:
        return [f"{head}fill(0.0, {rows}, {columns});"]
    lines = [", ".join(repr(float(v)) for v in row) for row in values]
    return [f"{head}[", *(f"  {line};" for line in lines[:-1]), f"  {lines[-1]}];"]


def _ports(kind: str, names: tuple[str, ...], units: tuple[str, ...], x: int) -> list[str]:
    out = []
    for k, (name, unit) in enumerate(zip(names, units, strict=True)):
        y = round(100 - 200 * (k + 1) / (len(names) + 1))
        place = f"extent = {{{{{x - 10}, {y - 10}}}, {{{x + 10}, {y + 10}}}}}"
        said = f"(unit = {_text(unit.replace('*', '.').replace('^', ''))})" if unit else ""
        out.append(PORT.format(kind=kind, name=_name(name), unit=said, place=place))
    return out


def _name(name: str) -> str:
    """A name as it is, between single quotes where it is no identifier."""
    if name.isidentifier() and name.isascii() and name not in RESERVED:
        return name
    kept = "".join(c if c.isascii() and c.isprintable() else "_" for c in name)
    return "'" + kept.replace("\\", "\\\\").replace("'", "\\'") + "'"


def _text(text: str) -> str:
    kept = "".join(c if c.isprintable() else " " for c in text)
    return '"' + kept.replace("\\", "\\\\").replace('"', '\\"') + '"'


RESERVED = {
    "algorithm", "and", "annotation", "assert", "block", "break", "class", "connect", "connector", "constant",
    "constrainedby", "der", "discrete", "each", "else", "elseif", "elsewhen", "encapsulated", "end",
    "enumeration", "equation", "expandable", "extends", "external", "false", "final", "flow", "for", "function",
    "if", "import", "impure", "in", "initial", "inner", "input", "loop", "model", "not", "operator", "or",
    "outer", "output", "package", "parameter", "partial", "protected", "public", "pure", "record", "redeclare",
    "replaceable", "return", "stream", "then", "true", "type", "when", "while", "within", "A", "B", "C", "D",
    "x", "nx", "nu", "ny", "x_start", "stateNames", "time",
}  # fmt: skip
