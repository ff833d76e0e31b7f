"""Equations of motion as a Modelica model without libraries."""

from __future__ import annotations

from typing import Any

import numpy as np

from eigenbody.routes.symbolic.export.blocks import Program, renamed
from eigenbody.routes.symbolic.linear import independent_rows
from eigenbody.routes.symbolic.pool import identifier
from eigenbody.routes.symbolic.short import short

RESERVED = {
    "algorithm",
    "and",
    "annotation",
    "assert",
    "block",
    "break",
    "class",
    "connect",
    "connector",
    "constant",
    "constrainedby",
    "der",
    "discrete",
    "each",
    "else",
    "elseif",
    "elsewhen",
    "encapsulated",
    "end",
    "enumeration",
    "equation",
    "expandable",
    "extends",
    "external",
    "false",
    "final",
    "flow",
    "for",
    "function",
    "if",
    "import",
    "impure",
    "in",
    "initial",
    "inner",
    "input",
    "loop",
    "model",
    "not",
    "operator",
    "or",
    "outer",
    "output",
    "package",
    "parameter",
    "partial",
    "protected",
    "public",
    "pure",
    "record",
    "redeclare",
    "replaceable",
    "return",
    "stream",
    "then",
    "true",
    "type",
    "when",
    "while",
    "within",
    "time",
    "Real",
    "Integer",
    "Boolean",
    "String",
    "abs",
    "sign",
    "sqrt",
    "sin",
    "cos",
    "tan",
    "asin",
    "acos",
    "atan",
    "atan2",
    "sinh",
    "cosh",
    "tanh",
    "exp",
    "log",
    "log10",
    "min",
    "max",
    "sum",
    "pre",
    "edge",
}


def modelica(text: Program) -> str:
    """The model: der(q) = u, equations of motion with der(u), constraints as they stand."""
    eqs, show = text.eqs, _printer()
    c = eqs.kin.coordinates
    names = renamed(eqs, RESERVED, is_ascii=True)
    import sympy

    names[c.t] = sympy.Symbol("time")
    for velocity, acceleration in zip(eqs.u, eqs.a, strict=True):
        names[acceleration] = sympy.Symbol(f"der({names[velocity]})")
    held = text.where.independent.tolist()
    own = _own(text)

    def written(expression: Any) -> str:
        return str(show(short(expression).xreplace(names)))

    title = _name(text.model)
    lines = [f"model {title} {_quoted(f'Equations of motion of {text.model} ({text.form}), written by eigenbody')}"]
    lines += [f"  parameter Real {names[s]} = {eqs.values[s]!r};" for s in text.parameters]
    lines += [f"  parameter Real {names[s]} = {show(value.xreplace(names))};" for s, value in text.derived]
    for k, (q, u) in enumerate(zip(eqs.q, eqs.u, strict=True)):
        fixed = "true" if k in own else "false"
        q0, u0 = float(text.where.q[k]), float(text.where.u[k])
        lines.append(f"  Real {names[q]}(start = {q0!r}, fixed = {fixed}) {_quoted(c.names[k])};")
        lines.append(f"  Real {names[u]}(start = {u0!r}, fixed = {fixed});")
    lines += [f"  Real {names[eqs.multipliers[k]]} {_quoted(f'of {eqs.held_by[k]}')};" for k in held]
    lines.append("equation")
    lines += [f"  der({names[q]}) = {names[u]};" for q, u in zip(eqs.q, eqs.u, strict=True)]
    pull = eqs.jacobian[held].T @ np.array([eqs.multipliers[k] for k in held], object) if held else 0 * eqs.d
    for inertia, force, reaction in zip(eqs.inertia, eqs.d, pull, strict=True):
        lines.append(f"  {written(inertia)} = {written(force + reaction)};")
    lines += [f"  {written(eqs.constraints[k])} = 0.0;" for k in held]
    notes = "".join(f"\n  // {_quoted(note)[1:-1]}" for note in text.notes)
    return "\n".join([lines[0] + notes, *lines[1:], f"end {title};"]) + "\n"


def _own(text: Program) -> set[int]:
    """Coordinates that may start anywhere: as many as are independent, those of the linear equations first."""
    eqs, held = text.eqs, text.where.independent
    if not len(held):
        return set(range(len(eqs.q)))
    from eigenbody.routes.symbolic.linear import Numbers

    G = Numbers(eqs, eqs.jacobian).at(text.where.q, text.where.u, text.where.a, text.where.multipliers, [text.t])[0]
    order = sorted(range(len(eqs.q)), key=lambda k: eqs.kin.coordinates.names[k] in text.names)  # theirs come last
    dependent: list[int] = []
    for k in order:
        if len(independent_rows(G[held][:, [*dependent, k]].T)) > len(dependent):
            dependent.append(k)
    return set(range(len(eqs.q))) - set(dependent)


def _printer() -> Any:
    from sympy.printing.str import StrPrinter

    class Printer(StrPrinter):
        """Powers by ^, divisions of real numbers, floats with all their digits."""

        def _print_Pow(self, expr: Any, rational: bool = False) -> str:
            return str(super()._print_Pow(expr, rational=False)).replace("**", "^")

        def _print_Float(self, expr: Any) -> str:
            return repr(float(expr))

        def _print_Pi(self, expr: Any) -> str:
            return "3.141592653589793"

    return Printer().doprint


def _name(model: str) -> str:
    name = identifier("".join(c if c.isascii() and c.isalnum() else "_" for c in model)).strip("_")
    return f"Model_{name}" if not name or name[0].isdigit() or name in RESERVED else name


def _quoted(text: str) -> str:
    inside = "".join(c if c.isprintable() else " " for c in text).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{inside}"'
