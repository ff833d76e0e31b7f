"""Equations of motion as a Python module that needs NumPy alone."""

from __future__ import annotations

import keyword
from collections.abc import Mapping
from typing import Any

from eigenbody.routes.symbolic.export.blocks import Program, block, renamed

RESERVED = {*keyword.kwlist, *keyword.softkwlist, "q", "u", "a", "multipliers", "t", "p", "numpy"}
RESERVED |= {"M", "h", "G", "gamma", "P", "Q", "K", "K1", "K2"}

HEAD = '''"""Equations of motion of {model} ({form}), written by eigenbody.

    M(q, t) a + h(q, u, t) = G^T lambda,   G a + gamma = 0,   u = q', a = q''

    accelerations(q, u)     a and the multipliers lambda
    linear()                matrices and eigenvalues about the reference
    linear({example})   with another value of a parameter

q = {coordinates}
Linear: M x'' + (D + G) x' + (C + N) x = 0 with x = {names}.
The reference is that of the values below; for others give q and u yourself.{notes}
"""

import numpy

COORDINATES = {all_names!r}
CONSTRAINTS = {held!r}  # what holds each
INDEPENDENT = {independent}  # constraints that are
PARAMETERS = {parameters}
REFERENCE = {reference}


def values(**given):
    """All parameters by name, those that are expressions of others too."""
    unknown = set(given) - set(PARAMETERS) - {derived!r}
    if unknown:
        raise TypeError(f"unknown parameters: {{sorted(unknown)}}")
    p = {{**PARAMETERS, **given}}
'''

MIDDLE = '''

def accelerations(q=REFERENCE["q"], u=REFERENCE["u"], t=REFERENCE["t"], /, **parameters):
    """a and the multipliers of the independent constraints, those of the others zero."""
    M, h, G, gamma = motion(q, u, t, values(**parameters))
    G, gamma = G[INDEPENDENT], gamma[INDEPENDENT]
    saddle = numpy.block([[M, -G.T], [G, numpy.zeros((len(G), len(G)))]])
    solved = numpy.linalg.solve(saddle, -numpy.concatenate([h, gamma]))
    multipliers = numpy.zeros(len(CONSTRAINTS))
    multipliers[INDEPENDENT] = solved[len(M):]
    return solved[:len(M)], multipliers

'''

TAIL = '''

def linear(q=REFERENCE["q"], u=REFERENCE["u"], t=REFERENCE["t"], /, **parameters):
    """M, D, G, C, N and the eigenvalues; accelerations and constraint forces follow from the equations."""
    a, multipliers = accelerations(q, u, t, **parameters)
    M, P, Q, K, K1, K2 = tangents(q, u, a, multipliers, t, values(**parameters))
    rows = [*INDEPENDENT, *range(len(CONSTRAINTS), len(K))]
    K, K1, K2 = K[rows], K1[rows], K2[rows]
    T = numpy.linalg.inv(K)[:, len(INDEPENDENT):]
    T1 = -numpy.linalg.solve(K, K1 @ T)
    T2 = -numpy.linalg.solve(K, K2 @ T + 2 * K1 @ T1)
    M, P, Q = T.T @ M @ T, T.T @ (P @ T + 2 * M @ T1), T.T @ (Q @ T + P @ T1 + M @ T2)
    n = len(M)
    A = numpy.block([[numpy.zeros((n, n)), numpy.eye(n)], [-numpy.linalg.solve(M, Q), -numpy.linalg.solve(M, P)]])
    return {
        "M": M, "D": (P + P.T) / 2, "G": (P - P.T) / 2, "C": (Q + Q.T) / 2, "N": (Q - Q.T) / 2,
        "eigenvalues": numpy.linalg.eigvals(A),
    }


if __name__ == "__main__":
    for name, value in linear().items():
        print(name, value, sep="\\n")
'''


def python(text: Program) -> str:
    """The module."""
    eqs = text.eqs
    names = renamed(eqs, RESERVED)
    show = _printer()
    parameters = {symbol.name: eqs.values[symbol] for symbol in text.parameters}
    head = HEAD.format(
        model=_inside(text.model),
        form=text.form,
        example=f"{next(iter(parameters), 'm')}=1.0",
        coordinates=_inside(", ".join(eqs.kin.coordinates.names)),
        names=_inside(", ".join(text.names)),
        notes="".join(f"\n{_inside(note)}" for note in text.notes),
        all_names=tuple(eqs.kin.coordinates.names),
        held=eqs.held_by,
        independent=text.where.independent.tolist(),
        parameters=_dict(parameters),
        reference=repr({"q": text.where.q.tolist(), "u": text.where.u.tolist(), "t": text.t}),
        derived={symbol.name for symbol, _ in text.derived} or set(),
    ).replace(" - set()", "")
    lines = []
    if text.derived:
        lines += [f"{show(names[s])} = p[{s.name!r}]" for s in text.parameters]
        for s, value in text.derived:
            lines.append(f"{show(names[s])} = p.setdefault({s.name!r}, {show(value.xreplace(names))})")
    lines.append("return p")
    return (
        head
        + _indented(lines)
        + "\n\ndef motion(q, u, t, p):\n"
        + '    """M, h = g - d, G and gamma."""\n'
        + _function(text, text.motion(), ("M", "h", "G", "gamma"), names, show)
        + MIDDLE
        + "\ndef tangents(q, u, a, multipliers, t, p):\n"
        + '    """M, P, Q, and the rows of constraints and coordinates x with their first and second rates."""\n'
        + _function(text, text.tangents(), ("M", "P", "Q", "K", "K1", "K2"), names, show)
        + TAIL
    )


def _function(text: Program, arrays: list[Any], results: tuple[str, ...], names: Mapping[Any, Any], show: Any) -> str:
    eqs, made = text.eqs, block(arrays, names)
    used, lines = made.symbols, []
    for source, symbols in (("q", eqs.q), ("u", eqs.u), ("a", eqs.a), ("multipliers", eqs.multipliers)):
        lines += [f"{show(names[s])} = {source}[{k}]" for k, s in enumerate(symbols) if names[s] in used]
    t = eqs.kin.coordinates.t
    lines += [f"{show(names[t])} = t"] if names[t] in used and show(names[t]) != "t" else []
    lines += [f"{show(names[s])} = p[{s.name!r}]" for s in eqs.values if names[s] in used]
    lines += [f"{show(symbol)} = {show(value)}" for symbol, value in made.common]
    for name, shape, entries in zip(results, made.shapes, made.entries, strict=True):
        lines.append(f"{name} = numpy.zeros({shape!r})")
        lines += [f"{name}.flat[{k}] = {show(value)}" for k, value in entries]
    lines.append(f"return {', '.join(results)}")
    return _indented(lines)


def _printer() -> Any:
    from sympy.printing.numpy import NumPyPrinter

    class Printer(NumPyPrinter):
        """Floats with all their digits."""

        def _print_Float(self, expr: Any) -> str:
            return repr(float(expr))

    return Printer().doprint


def _indented(lines: list[str]) -> str:
    return "".join(f"    {line}\n" for line in lines)


def _inside(text: str) -> str:
    """Text that may stand inside a docstring."""
    return repr(text)[1:-1].replace('"', "'")


def _dict(values: dict[str, float]) -> str:
    inside = "".join(f"    {name!r}: {value!r},\n" for name, value in values.items())
    return "{\n" + inside + "}" if inside else "{}"
