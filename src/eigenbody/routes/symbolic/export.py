"""Equations of motion for the reader and for other programs: LaTeX, and a Python module that needs NumPy alone."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from eigenbody.routes.base import Place
from eigenbody.routes.symbolic.equations import SymbolicEquations
from eigenbody.routes.symbolic.linear import reference, tangent

WORTH_SIMPLIFYING = 300  # operations; longer expressions are left as they come


def latex(eqs: SymbolicEquations, names: Sequence[str]) -> str:
    """A LaTeX document: symbols with their values, equations of motion, constraints, linear equations."""
    slopes = tangent(eqs, names)
    parts = [
        r"\documentclass{article}", r"\usepackage{amsmath}", r"\begin{document}",
        f"Equations of motion ({eqs.method}), $q$ coordinates, $u = \\dot q$, $a = \\ddot q$.",
        *_align((eqs.q[i], e) for i, e in enumerate(eqs.balance())),
    ]  # fmt: skip
    if len(eqs.constraints):
        parts += ["Each line is zero. Constraints, with multipliers $\\lambda$:"]
        parts += _align((eqs.multipliers[i], g) for i, g in enumerate(eqs.constraints))
    parts += [r"Linear equations $M\,\delta a + P\,\delta u + Q\,\delta q = 0$ about any motion:"]
    parts += [_matrix(name, matrix) for name, matrix in (("M", slopes.M), ("P", slopes.P), ("Q", slopes.Q))]
    if len(eqs.constraints):
        parts += [_matrix("G", eqs.jacobian())]
    parts += ["Values:", *_align((symbol, value) for symbol, value in eqs.values.items()), r"\end{document}"]
    return "\n".join(parts) + "\n"


def _align(pairs: Iterable[tuple[Any, Any]]) -> list[str]:
    import sympy

    lines = [rf"{sympy.latex(left)}:\quad & {sympy.latex(short(right))} \\" for left, right in pairs]
    return [r"\begin{align*}", *lines, r"\end{align*}"] if lines else []


def _matrix(name: str, matrix: np.ndarray) -> str:
    import sympy

    entries = sympy.Matrix(matrix.shape[0], matrix.shape[1], [short(e) for e in matrix.ravel()])
    return rf"\[ {name} = {sympy.latex(entries)} \]"


def short(expression: Any) -> Any:
    """The expression simplified where that is quick."""
    import sympy

    expression = sympy.sympify(expression)
    return sympy.simplify(expression) if expression.count_ops() < WORTH_SIMPLIFYING else expression


HEAD = '''"""Linear equations of motion of {model}, written by eigenbody.

    linear()                 matrices and eigenvalues at the reference
    linear({example})   with another value of a parameter

M x'' + (D + G) x' + (C + N) x = 0 in the coordinates x = {names}.
"""

import numpy

PARAMETERS = {parameters}
REFERENCE = {reference}  # coordinates and rates of {coordinates}
CONSTRAINTS = {independent}  # independent ones


def equations(q, u, a, multipliers, t, parameters):
    """Residual, M, P, Q, rows with their first and second rates, second rates of the constraints without a."""
'''

TAIL = '''

def linear(q=REFERENCE["q"], u=REFERENCE["u"], t=REFERENCE["t"], **parameters):
    """M, D, G, C, N and the eigenvalues; accelerations and constraint forces follow from the equations."""
    unknown = set(parameters) - set(PARAMETERS)
    if unknown:
        raise TypeError(f"unknown parameters: {{sorted(unknown)}}")
    p = {{**PARAMETERS, **parameters}}
    f, m = {f}, {m}
    none, idle, held = numpy.zeros(f), numpy.zeros(m), CONSTRAINTS
    F, M, P, Q, K, K1, K2, gamma = equations(q, u, none, idle, t, p)
    G = K[held]
    saddle = numpy.block([[M, -G.T], [G, numpy.zeros((len(held), len(held)))]])
    solved = numpy.linalg.solve(saddle, -numpy.concatenate([F, gamma[held]]))
    idle[held] = solved[f:]
    F, M, P, Q, K, K1, K2, gamma = equations(q, u, solved[:f], idle, t, p)
    rows = [*held, *range(m, len(K))]
    K, K1, K2 = K[rows], K1[rows], K2[rows]
    T = numpy.linalg.inv(K)[:, len(held):]
    T1 = -numpy.linalg.solve(K, K1 @ T)
    T2 = -numpy.linalg.solve(K, K2 @ T + 2 * K1 @ T1)
    M, P, Q = T.T @ M @ T, T.T @ (P @ T + 2 * M @ T1), T.T @ (Q @ T + P @ T1 + M @ T2)
    n = len(M)
    A = numpy.block([[numpy.zeros((n, n)), numpy.eye(n)], [-numpy.linalg.solve(M, Q), -numpy.linalg.solve(M, P)]])
    return {{
        "M": M, "D": (P + P.T) / 2, "G": (P - P.T) / 2, "C": (Q + Q.T) / 2, "N": (Q - Q.T) / 2,
        "eigenvalues": numpy.linalg.eigvals(A),
    }}


if __name__ == "__main__":
    for name, value in linear().items():
        print(name, value, sep="\\n")
'''


def python(eqs: SymbolicEquations, place: Place, names: Sequence[str]) -> str:
    """A Python module with a function `linear` that gives the matrices for any values of the parameters."""
    where = reference(eqs, place)
    slopes = tangent(eqs, names)
    c = eqs.kin.coordinates
    curved = c.rate(c.rate(eqs.constraints))
    arrays = (eqs.balance(), slopes.M, slopes.P, slopes.Q, slopes.rows, slopes.rows1, slopes.rows2, curved)
    parameters = {symbol.name: value for symbol, value in eqs.values.items()}
    head = HEAD.format(
        model=repr(eqs.kin.description.name or "a mechanism")[1:-1].replace('"', "'"),
        example=f"{next(iter(parameters), 'm')}=1.0",
        names=", ".join(names),
        parameters=_dict(parameters),
        reference=repr({"q": where.q.tolist(), "u": where.u.tolist(), "t": place.t}),
        coordinates=", ".join(c.names),
        independent=where.independent.tolist(),
    )
    return head + _body(eqs, arrays) + TAIL.format(f=len(eqs.q), m=len(eqs.multipliers))


def _dict(values: dict[str, float]) -> str:
    inside = "".join(f"    {name!r}: {value!r},\n" for name, value in values.items())
    return "{\n" + inside + "}"


def _body(eqs: SymbolicEquations, arrays: Sequence[np.ndarray]) -> str:
    import sympy
    from sympy.printing.numpy import NumPyPrinter

    flat = [sympy.sympify(e) for array in arrays for e in array.ravel()]
    filled = [k for k, e in enumerate(flat) if e != 0]
    common, results = sympy.cse([flat[k] for k in filled], symbols=sympy.numbered_symbols("w_"))
    show = NumPyPrinter().doprint
    lines = []
    for symbols, source in ((eqs.q, "q"), (eqs.u, "u"), (eqs.a, "a"), (eqs.multipliers, "multipliers")):
        if symbols:
            lines.append(f"{', '.join(show(s) for s in symbols)}{',' * (len(symbols) == 1)} = {source}")
    lines += [f"{show(symbol)} = parameters[{symbol.name!r}]" for symbol in eqs.values]
    lines += [f"{show(symbol)} = {show(value)}" for symbol, value in common]
    lines.append(f"flat = numpy.zeros({len(flat)})")
    lines += [f"flat[{k}] = {show(value)}" for k, value in zip(filled, results, strict=True)]
    shapes = [tuple(int(n) for n in array.shape) for array in arrays]
    ends = np.cumsum([int(np.prod(shape)) for shape in shapes])[:-1].tolist()
    lines.append(f"parts = numpy.split(flat, {ends})")
    lines.append(f"return [part.reshape(shape) for part, shape in zip(parts, {shapes!r})]")
    return "".join(f"    {line}\n" for line in lines)
