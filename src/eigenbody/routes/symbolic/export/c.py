"""Equations of motion as C text (C99), with what it takes to solve them; nothing beyond the mathematical library."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from eigenbody.routes.symbolic.export.blocks import Program, block, renamed
from eigenbody.routes.symbolic.pool import identifier

RESERVED = {
    "auto",
    "break",
    "case",
    "char",
    "const",
    "continue",
    "default",
    "do",
    "double",
    "else",
    "enum",
    "extern",
    "float",
    "for",
    "goto",
    "if",
    "inline",
    "int",
    "long",
    "register",
    "restrict",
    "return",
    "short",
    "signed",
    "sizeof",
    "static",
    "struct",
    "switch",
    "typedef",
    "union",
    "unsigned",
    "void",
    "volatile",
    "while",
    "_Bool",
    "_Complex",
    "_Imaginary",
    "main",
    "errno",
    "NAN",
    "INFINITY",
    "HUGE_VAL",
    "M_PI",
    "NULL",
    "q",
    "u",
    "a",
    "lambda",
    "t",
    "p",
    "M",
    "h",
    "G",
    "gamma",
    "P",
    "Q",
    "K",
    "K1",
    "K2",
    "F",
    "CONSTRAINTS",
    "HELD",
    "N",
    "ROWS",
    "PARAMETERS",
}

HEAD = """/* Equations of motion of {model} ({form}), written by eigenbody.
 *
 *   M(q, t) a + h(q, u, t) = G^T lambda,   G a + gamma = 0,   u = q', a = q''
 *
 *   q = {coordinates}
 *   x = {names}
 *   p = {parameters}{notes}
 *
 *   {prefix}_accelerations   a and lambda at q, u, t
 *   {prefix}_linear          M x'' + P x' + Q x = 0 about q, u, t; matrices by rows
 *   {prefix}_defaults        the parameters of the model
 *   {prefix}_derive          parameters that are expressions of others, from these
 *
 * Functions return 0, or 1 where a matrix is singular.
 */
#include <math.h>

enum {{ F = {f}, CONSTRAINTS = {m}, HELD = {held}, N = {n}, ROWS = {rows}, PARAMETERS = {count} }};

static const int independent[HELD + 1] = {{{independent}}};
const double {prefix}_defaults[PARAMETERS + 1] = {{{defaults}}};
const double {prefix}_reference_q[F] = {{{q}}};
const double {prefix}_reference_u[F] = {{{u}}};

void {prefix}_derive(double *p)
{{
"""

SOLVE = """}

static void swap(double *x, double *y) { double s = *x; *x = *y; *y = s; }

/* A x = b for several b by elimination with row pivoting: A (n, n) and b (n, k) by rows, b becomes x */
static int solve(int n, int k, double *A, double *b)
{
    for (int j = 0; j < n; j++) {
        int best = j;
        for (int i = j + 1; i < n; i++)
            if (fabs(A[i * n + j]) > fabs(A[best * n + j])) best = i;
        if (A[best * n + j] == 0.0) return 1;
        if (best != j) {
            for (int c = 0; c < n; c++) swap(&A[j * n + c], &A[best * n + c]);
            for (int c = 0; c < k; c++) swap(&b[j * k + c], &b[best * k + c]);
        }
        for (int i = j + 1; i < n; i++) {
            double s = A[i * n + j] / A[j * n + j];
            for (int c = j; c < n; c++) A[i * n + c] -= s * A[j * n + c];
            for (int c = 0; c < k; c++) b[i * k + c] -= s * b[j * k + c];
        }
    }
    for (int j = n - 1; j >= 0; j--)
        for (int c = 0; c < k; c++) {
            for (int i = j + 1; i < n; i++) b[j * k + c] -= A[j * n + i] * b[i * k + c];
            b[j * k + c] /= A[j * n + j];
        }
    return 0;
}

/* C += s A B, or s A^T B: A (n, k) or (k, n), B (k, m) */
static void add(int n, int k, int m, double s, const double *A, int transposed, const double *B, double *C)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
            for (int c = 0; c < k; c++) C[i * m + j] += s * (transposed ? A[c * n + i] : A[i * k + c]) * B[c * m + j];
}

"""

TAIL = """
int {prefix}_accelerations(const double *q, const double *u, double t, const double *p, double *a, double *lambda)
{{
    double M[F * F], h[F], G[CONSTRAINTS * F + 1], gamma[CONSTRAINTS + 1];
    double A[(F + HELD) * (F + HELD)], b[F + HELD];
    motion(q, u, t, p, M, h, G, gamma);
    for (int i = 0; i < F + HELD; i++)
        for (int j = 0; j < F + HELD; j++)
            A[i * (F + HELD) + j] = i < F ? (j < F ? M[i * F + j] : -G[independent[j - F] * F + i])
                                          : (j < F ? G[independent[i - F] * F + j] : 0.0);
    for (int i = 0; i < F + HELD; i++) b[i] = i < F ? -h[i] : -gamma[independent[i - F]];
    if (solve(F + HELD, 1, A, b)) return 1;
    for (int i = 0; i < F; i++) a[i] = b[i];
    for (int i = 0; i < CONSTRAINTS; i++) lambda[i] = 0.0;
    for (int i = 0; i < HELD; i++) lambda[independent[i]] = b[F + i];
    return 0;
}}

int {prefix}_linear(const double *q, const double *u, double t, const double *p, double *M, double *P, double *Q)
{{
    double a[F], lambda[CONSTRAINTS + 1], m[F * F], d[F * F], k[F * F];
    double all[3][ROWS * F], row[3][F * F], copy[F * F], T[3][F * N], x[F * N];
    if ({prefix}_accelerations(q, u, t, p, a, lambda)) return 1;
    tangents(q, u, a, lambda, t, p, m, d, k, all[0], all[1], all[2]);
    for (int r = 0; r < 3; r++)
        for (int i = 0; i < F; i++)
            for (int j = 0; j < F; j++)
                row[r][i * F + j] = all[r][(i < HELD ? independent[i] : i - HELD + CONSTRAINTS) * F + j];
    for (int r = 0; r < 3; r++) {{ /* row T = [0; 1], and its rates */
        for (int i = 0; i < F * N; i++) T[r][i] = 0.0;
        if (r == 0)
            for (int i = 0; i < N; i++) T[0][(HELD + i) * N + i] = 1.0;
        if (r > 0) add(F, F, N, -1.0, row[r], 0, T[0], T[r]);
        if (r == 2) add(F, F, N, -2.0, row[1], 0, T[1], T[2]);
        for (int i = 0; i < F * F; i++) copy[i] = row[0][i];
        if (solve(F, N, copy, T[r])) return 1;
    }}
    for (int i = 0; i < N * N; i++) M[i] = P[i] = Q[i] = 0.0;
    for (int i = 0; i < F * N; i++) x[i] = 0.0;
    add(F, F, N, 1.0, m, 0, T[0], x);
    add(N, F, N, 1.0, T[0], 1, x, M);
    for (int i = 0; i < F * N; i++) x[i] = 0.0;
    add(F, F, N, 1.0, d, 0, T[0], x);
    add(F, F, N, 2.0, m, 0, T[1], x);
    add(N, F, N, 1.0, T[0], 1, x, P);
    for (int i = 0; i < F * N; i++) x[i] = 0.0;
    add(F, F, N, 1.0, k, 0, T[0], x);
    add(F, F, N, 1.0, d, 0, T[1], x);
    add(F, F, N, 1.0, m, 0, T[2], x);
    add(N, F, N, 1.0, T[0], 1, x, Q);
    return 0;
}}
"""


def c_text(text: Program) -> str:
    """The C file."""
    eqs = text.eqs
    names = renamed(eqs, RESERVED | _functions(), is_ascii=True)
    show = _printer()
    order = [*text.parameters, *(s for s, _ in text.derived)]
    place = {s: k for k, s in enumerate(order)}
    independent = text.where.independent.tolist()
    prefix = _prefix(text.model)
    head = HEAD.format(
        model=_comment(text.model), form=text.form, prefix=prefix,
        coordinates=_comment(", ".join(eqs.kin.coordinates.names)), names=_comment(", ".join(text.names)),
        parameters=_comment(", ".join(s.name for s in order)) or "none",
        notes="".join(f"\n *   {_comment(note)}" for note in text.notes),
        f=len(eqs.q), m=len(eqs.multipliers), held=len(independent), n=len(text.names),
        rows=len(eqs.multipliers) + len(text.names), count=len(order),
        independent=", ".join(map(str, [*independent, 0])),
        defaults=", ".join([*(repr(eqs.values[s]) for s in order), "0"]),
        q=", ".join(map(repr, text.where.q.tolist())), u=", ".join(map(repr, text.where.u.tolist())),
    )  # fmt: skip
    used = {names[s] for _, value in text.derived for s in value.free_symbols}
    derived = _locals([(s, f"p[{place[s]}]") for s in text.parameters], names, show, used)
    for s, value in text.derived:
        derived.append(f"const double {show(names[s])} = p[{place[s]}] = {show(value.xreplace(names))};")
    derived += [f"(void){show(names[s])};" for s, _ in text.derived] or ["(void)p;"]
    motion = ("M", "h", "G", "gamma")
    tangents = ("M", "P", "Q", "K", "K1", "K2")
    return (
        head
        + _indented(derived)
        + SOLVE
        + "static void motion(const double *q, const double *u, double t, const double *p,\n"
        + "                   double *M, double *h, double *G, double *gamma)\n{\n"
        + _function(text, text.motion(), motion, names, show, place)
        + "}\n\nstatic void tangents(const double *q, const double *u, const double *a, const double *lambda,\n"
        + "                     double t, const double *p,\n"
        + "                     double *M, double *P, double *Q, double *K, double *K1, double *K2)\n{\n"
        + _function(text, text.tangents(), tangents, names, show, place)
        + "}\n"
        + TAIL.format(prefix=prefix)
    )


def _function(
    text: Program, arrays: list[Any], results: tuple[str, ...], names: Mapping[Any, Any], show: Any, place: Mapping
) -> str:
    eqs, made = text.eqs, block(arrays, names)
    sources: list[tuple[Any, str]] = [(eqs.kin.coordinates.t, "t"), *((s, f"p[{k}]") for s, k in place.items())]
    for source, symbols in (("q", eqs.q), ("u", eqs.u), ("a", eqs.a), ("lambda", eqs.multipliers)):
        sources += [(s, f"{source}[{k}]") for k, s in enumerate(symbols)]
    lines = _locals(sources, names, show, made.symbols)
    lines += [f"const double {show(symbol)} = {show(value)};" for symbol, value in made.common]
    for name, shape, entries in zip(results, made.shapes, made.entries, strict=True):
        count = int(shape[0] * (shape[1] if len(shape) == 2 else 1))
        lines.append(f"for (int i = 0; i < {count}; i++) {name}[i] = 0.0;" if count else f"(void){name};")
        lines += [f"{name}[{k}] = {show(value)};" for k, value in entries]
    idle = ["q", "u", "t", "p", *(["a", "lambda"] if "P" in results else [])]
    return _indented([f"{''.join(f'(void){name}; ' for name in idle).rstrip()}", *lines])


def _locals(sources: Sequence[tuple[Any, str]], names: Mapping[Any, Any], show: Any, used: set[Any]) -> list[str]:
    return [f"const double {show(names[s])} = {source};" for s, source in sources if names[s] in used]


def _functions() -> set[str]:
    """Names that the text calls."""
    return {
        "sin",
        "cos",
        "tan",
        "asin",
        "acos",
        "atan",
        "atan2",
        "sqrt",
        "exp",
        "log",
        "tanh",
        "pow",
        "fabs",
        "solve",
        "add",
        "motion",
        "tangents",
        "i",
    }


def _printer() -> Any:
    from sympy.printing.c import C99CodePrinter

    class Printer(C99CodePrinter):
        """Floats with all their digits, small powers as products."""

        def _print_Float(self, expr: Any, _type: Any = None) -> str:
            return repr(float(expr))

        def _print_Pow(self, expr: Any) -> str:
            if expr.exp.is_Integer and 2 <= int(expr.exp) <= 4:
                base = self.parenthesize(expr.base, 1000)
                return "(" + "*".join([base] * int(expr.exp)) + ")"
            return str(super()._print_Pow(expr))

        def _print_Pi(self, expr: Any) -> str:
            return "3.141592653589793"

    return Printer().doprint


def _indented(lines: Sequence[str]) -> str:
    return "".join(f"    {line}\n" for line in lines)


def _comment(text: str) -> str:
    return "".join(c if c.isascii() and c.isprintable() else "?" for c in text).replace("*/", "* /")


def _prefix(model: str) -> str:
    name = identifier("".join(c if c.isascii() and (c.isalnum() or c == "_") else "_" for c in model.lower()))
    return name.strip("_") if name.strip("_") and not name.strip("_")[0].isdigit() else f"model_{name.strip('_')}"
