"""Equations of motion as a LaTeX document, step by step as on a blackboard."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from eigenbody.routes.symbolic.about import SymbolicLinear
from eigenbody.routes.symbolic.bodies import BodyKinematics
from eigenbody.routes.symbolic.equations import SymbolicEquations
from eigenbody.routes.symbolic.export.letters import decimal, index_of, joined, letter, plain, printer, symbol_names
from eigenbody.routes.symbolic.short import short, short_matrix

WIDE = 170  # characters of LaTeX, without commands, that fit on a line
HEAD = r"""\documentclass[fleqn]{article}
\usepackage[a4paper,landscape,margin=18mm]{geometry}
\usepackage{amsmath}
\setcounter{MaxMatrixCols}{60}
\allowdisplaybreaks
\begin{document}"""
FORMS = {
    "newton-euler": (
        r"Newton and Euler, projected by the Jacobians: $\sum_i J_{Ti}^T m_i \dot v_i"
        r" + J_{Ri}^T (I_i \dot\omega_i + \tilde\omega_i I_i \omega_i) = d$"
    ),
    "lagrange-2": (
        r"Lagrange's equations of the second kind:"
        r" $\frac{d}{dt}\frac{\partial T}{\partial \dot q} - \frac{\partial T}{\partial q} = d$"
    ),
    "lagrange-1": (
        r"Lagrange's equations of the first kind, coordinates of every body by itself:"
        r" $M \ddot q + g = d + G^T \lambda$"
    ),
}


class Page:
    """Writes equations of one mechanism."""

    def __init__(self, eqs: SymbolicEquations) -> None:
        self.show, self.names = printer(eqs), symbol_names(eqs)

    def equation(self, left: str, value: Any) -> list[str]:
        """left = value, over several lines where a sum is long."""
        text = self.show(value)
        if _width(text) < WIDE or not getattr(value, "is_Add", False):
            return [rf"\[ {left} = {text} \]"]
        lines: list[str] = []
        line = ""
        for term in value.as_ordered_terms():
            piece = self.show(term)
            piece = piece if piece.lstrip().startswith("-") or not (lines or line) else f"+ {piece}"
            if line and _width(line + piece) > WIDE:
                lines.append(line)
                line = ""
            line = f"{line} {piece}"
        body = (r" \\" + "\n").join(f"  & {part}" for part in (*lines, line))
        return [rf"\begin{{align*}} {left} ={{}}" + "\n" + body, r"\end{align*}"]

    def matrix(self, left: str, matrix: Any) -> list[str]:
        """A matrix, or its entries one by one where it is too wide."""
        rows = [[self.show(matrix[i, j]) for j in range(matrix.shape[1])] for i in range(matrix.shape[0])]
        if not matrix.shape[0] or not matrix.shape[1]:
            return []
        if all(entry == "0" for row in rows for entry in row):
            return [rf"\[ {left} = 0 \]"]
        widest = sum(max(_width(row[j]) for row in rows) + 2 for j in range(matrix.shape[1]))
        if widest < WIDE:
            inside = r" \\ ".join(" & ".join(row) for row in rows)
            return [rf"\[ {left} = \begin{{bmatrix}} {inside} \end{{bmatrix}} \]"]
        out = []
        for i, j in np.ndindex(*matrix.shape):
            if rows[i][j] != "0":
                index = f"{i + 1},{j + 1}" if matrix.shape[1] > 1 else f"{i + 1}"
                out += self.equation(rf"\left({left}\right)_{{{index}}}", matrix[i, j])
        return [*out, r"\noindent All other entries are zero."]


def _width(text: str) -> int:
    """How long a formula is about: commands and braces are not."""
    import re

    bare = re.sub(r"\\(left|right|mathrm|dot|ddot|frac)", "", text)
    return len(re.sub(r"\\[A-Za-z]+", "x", bare).translate({ord(c): None for c in "{}_^ "}))


def latex(
    eqs: SymbolicEquations,
    bodies: dict[str, BodyKinematics],
    linear: SymbolicLinear,
    multipliers: Any,
    notes: Sequence[str],
) -> str:
    """The document."""
    page = Page(eqs)
    title = plain(eqs.kin.description.name or "A mechanism")
    return joined([
        HEAD, rf"\section*{{{title}}}", *(plain(note) + r"\\" for note in notes),
        *_coordinates(eqs, linear, page), *_parameters(eqs, page), *_kinematics(bodies, page), *_energies(eqs, page),
        *_constraints(eqs, page), *_motion(eqs, page, multipliers), *_linear(eqs, linear, page), r"\end{document}",
    ])  # fmt: skip


def _coordinates(eqs: SymbolicEquations, linear: SymbolicLinear, page: Page) -> list[str]:
    rows = []
    for name, q, value in zip(eqs.kin.coordinates.names, eqs.q, eqs.kin.coordinates.reference, strict=True):
        at = page.show(linear.reference[q]) if q in linear.reference else decimal(value, 6)
        rows.append(rf"${page.names[q]}$ & {plain(name)} & ${at}$ \\")
    return [
        r"\subsection*{Coordinates}",
        r"Global axes $x, y, z$ and names are those of the model file; SI units, angles in rad." + _turned(eqs), "",
        r"\begin{tabular}{lll} coordinate & name & reference \\ \hline", *rows, r"\end{tabular}",
    ]  # fmt: skip


def _turned(eqs: SymbolicEquations) -> str:
    if not eqs.kin.is_turned:
        return ""
    return " The plane of motion is oblique: here $x$ and $y$ lie in it and $z$ is normal to it."


def _parameters(eqs: SymbolicEquations, page: Page) -> list[str]:
    if not eqs.values:
        return []
    defined = eqs.kin.pool.definitions
    rows = [
        rf"${letter(s.name)}$ & {plain(s.name)} & ${decimal(v)}$"
        + (rf" & $= {page.show(defined[s])}$ \\" if s in defined else r" & \\")
        for s, v in eqs.values.items()
    ]
    head = r"\begin{tabular}{llll} symbol & name & value & \\ \hline"
    return [r"\subsection*{Parameters}", head, *rows, r"\end{tabular}"]


def _kinematics(bodies: dict[str, BodyKinematics], page: Page) -> list[str]:
    out = [
        r"\subsection*{Kinematics}",
        r"Position $r$ of the centre of mass, rotation $S$ from the drawing, $v = J_T\,\dot q + \bar v$,"
        r" $\omega = J_R\,\dot q + \bar\omega$ in global axes, inertia $I$ in body axes.",
    ]
    for body in bodies.values():
        out += [rf"\paragraph{{{plain(body.name)}}}", rf"\[ m_{{{index_of(body.name)}}} = {page.show(body.mass)} \]"]
        for name, matrix in _steps(body):
            out += page.matrix(name, matrix)
    return out


def _steps(body: BodyKinematics) -> list[tuple[str, Any]]:
    """Objects of a body in the order in which they are found, local velocities where there are any."""
    below = f"_{{{index_of(body.name)}}}"
    after = f"{{{index_of(body.name)}}}"
    local = [(rf"\bar v{below}", body.v_local), (rf"\bar\omega{below}", body.omega_local)]
    return [
        (f"r{below}", body.r), (f"S{below}", body.S), (f"J_{{T,{after}}}", body.J_T), (f"J_{{R,{after}}}", body.J_R),
        *((name, matrix) for name, matrix in local if any(matrix)),
        (f"v{below}", body.v), (rf"\omega{below}", body.omega), (f"I{below}", body.inertia),
    ]  # fmt: skip


def _energies(eqs: SymbolicEquations, page: Page) -> list[str]:
    return [
        r"\subsection*{Energies and forces}", r"Kinetic energy, potential, and generalized forces without potential:",
        *page.equation("T", short(eqs.kinetic)), *page.equation("V", short(eqs.potential)),
        *page.matrix(r"\bar d", short_matrix(eqs.forces)),
    ]  # fmt: skip


def _constraints(eqs: SymbolicEquations, page: Page) -> list[str]:
    if not len(eqs.constraints):
        return []
    out = [
        r"\subsection*{Constraints}",
        r"$\Phi(q, t) = 0$, $G = \partial\Phi/\partial q$, $\ddot\Phi = G \ddot q + \bar{\bar\gamma}$:",
    ]
    for k, (name, row) in enumerate(zip(eqs.held_by, eqs.constraints, strict=True)):
        out += page.equation(rf"\Phi_{{{k + 1}}}\;(\text{{{plain(name)}}})", short(row))
    out += page.matrix("G", short_matrix(eqs.jacobian))
    return out + page.matrix(r"\bar{\bar\gamma}", short_matrix(eqs.gamma))


def _motion(eqs: SymbolicEquations, page: Page, multipliers: Any) -> list[str]:
    held = len(eqs.constraints) > 0
    out = [r"\subsection*{Equations of motion}", f"{FORMS[eqs.form]}."]
    pull = r" + G^T \lambda" if held else ""
    out += [rf"\[ M(q,t)\,\ddot q + g(q,\dot q,t) = d(q,\dot q,t){pull} \]"]
    out += page.matrix("M", short_matrix(eqs.M)) + page.matrix("g", short_matrix(eqs.g))
    out += page.matrix(r"d = \bar d - \frac{\partial V}{\partial q}", short_matrix(eqs.d))
    if not held:
        return out
    reactions = eqs.jacobian.T @ np.array(eqs.multipliers, object)
    out += [r"Reactions:", *page.matrix(r"z = G^T \lambda", short_matrix(reactions))]
    unknowns = r"\begin{bmatrix} \ddot q \\ \lambda \end{bmatrix}"
    right = r"\begin{bmatrix} d - g \\ \bar{\bar\gamma} \end{bmatrix}"
    out += [rf"\[ \begin{{bmatrix}} M & -G^T \\ -G & 0 \end{{bmatrix}} {unknowns} = {right} \]"]
    if multipliers is not None:
        out += page.matrix(
            r"\lambda = -(G M^{-1} G^T)^{-1}\left(G M^{-1}(d - g) + \bar{\bar\gamma}\right)", multipliers
        )
    return out


def _linear(eqs: SymbolicEquations, linear: SymbolicLinear, page: Page) -> list[str]:
    x = r",\;".join(rf"\delta\,\text{{{plain(name)}}}" for name in linear.coordinates)
    out = [r"\subsection*{Linear equations about the reference}"]
    known = {s: v for s, v in linear.reference.items() if v != 0 and s in page.names and s not in eqs.q}
    if known:
        there = (rf"{page.names[symbol]} = {page.show(value)}" for symbol, value in known.items())
        out += [r"\[ " + r",\quad ".join(there) + r" \]"]
    if linear.values:
        rows = [rf"${page.names.get(s, page.show(s))} = {decimal(v, 6)}$" for s, v in linear.values.items()]
        out += ["There " + ", ".join(rows) + "."]
    out += [rf"\[ M\,\ddot x + P\,\dot x + Q\,x = 0, \quad P = D + G,\; Q = C + N, \quad x = ({x}) \]"]
    if not linear.is_reduced:
        out += [
            r"with $G\,x = 0$ for the constraints' matrix $G$ above: dependent coordinates are not eliminated here."
        ]
    elif linear.T is not None and len(eqs.constraints):
        out += page.matrix(r"\delta q = T\,x,\quad T", linear.T)
    for name, matrix in (("M", linear.M), ("P", linear.P), ("Q", linear.Q)):
        out += page.matrix(name, matrix)
    out += [
        r"Damping $D$ and gyroscopic $G$ (symmetric and skew part of $P$),"
        r" conservative $C$ and circulatory $N$ (of $Q$):"
    ]
    for name, matrix in (("D", linear.D), ("G", linear.G), ("C", linear.C), ("N", linear.N)):
        out += page.matrix(name, matrix)
    if linear.A is not None:
        text = r"\dot w = A\,w,\; w = \begin{bmatrix} x \\ \dot x \end{bmatrix},\quad A"
        out += [r"\subsection*{State matrix}", *page.matrix(text, short_matrix(np.array(linear.A.tolist(), object)))]
    return out
