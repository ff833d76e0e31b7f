"""Expressions made readable: the shortest of a few equivalent forms."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

WORTH_SHORTENING = 1200  # operations; longer expressions are left as they come
WORTH_WITH_ROOTS = 120  # likewise, with roots and quotients, which do not cancel by expansion
WORTH_FACTORING = 50
MOST_TERMS = 80  # of the sum that an expression expands to


def short(expression: Any, positive: Iterable[Any] = ()) -> Any:
    """The shortest of the forms tried: as it came, expanded, with sums of angles in place of products, factored.

    `positive` are symbols whose values are positive: the root of their square is they themselves.
    """
    import sympy
    from sympy.simplify.fu import TR8

    expression = sympy.sympify(expression)
    most = WORTH_SHORTENING if not expression.atoms(sympy.Pow) - _whole_powers(expression) else WORTH_WITH_ROOTS
    if not expression.args or not expression.free_symbols or expression.count_ops() > most:
        return expression
    stands = {s: sympy.Dummy(s.name, positive=True) for s in sorted(positive, key=str) if s in expression.free_symbols}
    back = {stand: s for s, stand in stands.items()}
    here = expression.xreplace(stands)
    forms = [here, sympy.expand(here)]
    if len(sympy.Add.make_args(forms[1])) > MOST_TERMS:
        return expression
    if here.has(sympy.sin, sympy.cos):
        forms += [_squares_joined(forms[1]), sympy.expand(TR8(forms[1]))]
    forms += [sympy.factor_terms(form) for form in forms[1:]]
    best = min(forms, key=_length)
    if best.count_ops() < WORTH_FACTORING:
        best = min(best, sympy.factor(best), sympy.powsimp(best), key=_length)
    return best.replace(_is_turned_square, lambda e: (-e.base) ** e.exp).xreplace(back)


def _is_turned_square(expression: Any) -> bool:
    """(-a - b)^2, which is nicer as (a + b)^2."""
    even = expression.is_Pow and expression.exp.is_Integer and expression.exp % 2 == 0
    return bool(even and expression.base.is_Add and expression.base.could_extract_minus_sign())


def _squares_joined(expression: Any) -> Any:
    """An expanded sum with cos^2 as 1 - sin^2, and the other way round, whichever is shorter."""
    import sympy

    angles = sorted({f.args[0] for f in expression.atoms(sympy.sin, sympy.cos)}, key=str)
    for angle in angles:
        s, c = sympy.sin(angle), sympy.cos(angle)
        forms = [
            expression,
            *(
                expression.replace(lambda e, f=f: e.is_Pow and e.base == f and e.exp == 2, lambda e, h=h: 1 - h**2)
                for f, h in ((c, s), (s, c))
            ),
        ]
        expression = min(map(sympy.expand, forms), key=_length)
    return expression


def _whole_powers(expression: Any) -> set[Any]:
    """Squares, cubes and higher powers."""
    import sympy

    return {power for power in expression.atoms(sympy.Pow) if power.exp.is_Integer and power.exp > 0}


def _length(expression: Any) -> int:
    """Operations, a sine or cosine counted as a few."""
    import sympy

    return int(expression.count_ops()) + 2 * len(expression.atoms(sympy.sin, sympy.cos))


def short_matrix(array: np.ndarray, positive: Iterable[Any] = ()) -> Any:
    """An immutable SymPy matrix of shortened entries; (n,) arrays become columns."""
    import sympy

    positive = tuple(positive)
    rows, columns = array.shape if array.ndim == 2 else (len(array), 1)
    return sympy.ImmutableMatrix(rows, columns, [short(e, positive) for e in array.ravel()])
