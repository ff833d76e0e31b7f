"""Linear equations about the reference as expressions: M x'' + P x' + Q x = 0, P = D + G, Q = C + N, and A.

What the reference is by the drawing (zeros, dimensions, parameters) is put in; what is but a number there stays a
symbol.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from eigenbody.routes.base import Place
from eigenbody.routes.symbolic.equations import SymbolicEquations
from eigenbody.routes.symbolic.exact import exact, is_float
from eigenbody.routes.symbolic.kinematics import Kinematics
from eigenbody.routes.symbolic.linear import Numbers, Reference, independent_rows, reference, tangent
from eigenbody.routes.symbolic.pool import CLOSE, elementwise
from eigenbody.routes.symbolic.short import short_matrix

MOST_UNKNOWN = 4  # symbols of the reference beyond which dependent coordinates are not eliminated by expressions
NOTHING = 1e-13  # accelerations and multipliers that are but rounding, beside the largest, 1 and squares of rates
MOST_INVERTED = 4  # degrees of freedom up to which the state matrix is written out


MOST_OPERATIONS = 400  # in M, P and Q, likewise


@dataclass(frozen=True, eq=False)
class SymbolicLinear:
    """M x'' + P x' + Q x = 0 about the reference motion, as SymPy matrices.

    coordinates  of x: the independent ones where `is_reduced`, else all of the equations, with G x = 0 besides
    reference    what the coordinates, rates, accelerations and multipliers are there, where it is more than a number
    values       of the symbols of the reference that stay symbols
    T            all coordinates by the independent ones, None where not reduced
    """

    coordinates: tuple[str, ...]
    is_reduced: bool
    reference: Mapping[Any, Any]
    values: Mapping[Any, float]
    T: Any
    M: Any
    P: Any
    Q: Any

    @property
    def D(self) -> Any:
        """Damping matrix, the symmetric part of P."""
        return _half(self.P, 1)

    @property
    def G(self) -> Any:
        """Gyroscopic matrix, the skew part of P."""
        return _half(self.P, -1)

    @property
    def C(self) -> Any:
        """Conservative stiffness, the symmetric part of Q."""
        return _half(self.Q, 1)

    @property
    def N(self) -> Any:
        """Circulatory matrix, the skew part of Q: forces of position without a potential. They do not damp."""
        return _half(self.Q, -1)

    @cached_property
    def A(self) -> Any:
        """State matrix [[0, 1], [-M^-1 Q, -M^-1 P]]; None where it is not written out."""
        import sympy

        n, both = self.M.shape[0], sympy.Matrix(sympy.Matrix.hstack(self.Q, self.P))
        length = sum(entry.count_ops() for matrix in (self.M, both) for entry in matrix)
        if not self.is_reduced or n > MOST_INVERTED or (n > 1 and length > MOST_OPERATIONS):
            return None
        below = -both / self.M[0, 0] if n == 1 else solved(sympy.Matrix(self.M), -both)
        upper = sympy.Matrix.hstack(sympy.zeros(n), sympy.eye(n))
        return sympy.ImmutableMatrix(sympy.Matrix.vstack(upper, below))


def _half(matrix: Any, sign: int) -> Any:
    import sympy

    return ((matrix + sign * matrix.T) / 2).applyfunc(lambda e: sympy.factor_terms(sympy.expand(e)))


def linear_about(eqs: SymbolicEquations, place: Place, names: Sequence[str]) -> SymbolicLinear:
    """The linear equations of a description at a place, in the coordinates named."""
    where = reference(eqs, place)
    slopes = tangent(eqs, names, where)
    known, values = _reference(eqs, place, where)

    def here(array: np.ndarray) -> np.ndarray:
        return elementwise(lambda e: e.xreplace(known), array)

    positive = [s for s, v in eqs.values.items() if v > 0]
    M, P, Q = here(slopes.M), here(slopes.P), here(slopes.Q)
    known |= _multipliers(eqs, where, known, here)
    P, Q = here(P), here(Q)
    values = {s: v for s, v in values.items() if s not in known}
    rows = [*where.independent, *range(len(eqs.constraints), len(slopes.rows))]
    K, K1, K2 = (here(rates[rows]) for rates in (slopes.rows, slopes.rows1, slopes.rows2))
    trivial = not len(where.independent) and np.array_equal(K, np.eye(len(K), dtype=int).astype(object))
    left = {s for matrix in (K, K1, K2) for e in matrix.ravel() for s in e.free_symbols} & set(values)
    if not trivial and len(left) > MOST_UNKNOWN:
        matrices = [short_matrix(m, positive) for m in (M, P, Q)]
        return SymbolicLinear(tuple(eqs.kin.coordinates.names), False, known, _used(values, matrices), None, *matrices)
    if trivial:
        T = np.eye(len(K), dtype=int).astype(object)
    else:
        T, T1, T2 = _eliminated(K, K1, K2, len(where.independent))
        M, P, Q = T.T @ M @ T, T.T @ (P @ T + 2 * M @ T1), T.T @ (Q @ T + P @ T1 + M @ T2)
    matrices = [short_matrix(m, positive) for m in (T, M, P, Q)]
    return SymbolicLinear(tuple(names), True, known, _used(values, matrices), *matrices)


def _used(values: Mapping[Any, float], matrices: Sequence[Any]) -> dict[Any, float]:
    return {s: v for s, v in values.items() if any(s in matrix.free_symbols for matrix in matrices)}


def _reference(eqs: SymbolicEquations, place: Place, where: Reference) -> tuple[dict[Any, Any], dict[Any, float]]:
    """What symbols of the motion are at the reference, and the values of those that stay."""
    c = eqs.kin.coordinates
    known: dict[Any, Any] = {c.t: exact(place.t)}
    values: dict[Any, float] = {}
    for k, name in enumerate(c.names):
        for symbol, number, key in ((c.q[k], where.q[k], "position"), (c.u[k], where.u[k], "velocity")):
            written = _written(eqs.kin, name, key, number) if number else None
            drawn = c.drawn[k] if key == "position" else exact(number)
            if number and written is None and key == "velocity" and is_float(drawn):
                values[symbol] = float(number)
            elif written is not None or drawn is not None:
                known[symbol] = drawn if written is None else written
            else:
                values[symbol] = float(number)
    for symbols, numbers in ((eqs.a, where.a), (eqs.multipliers, where.multipliers)):
        nothing = NOTHING * max(
            1.0, float(np.abs(numbers).max(initial=0.0)), float(np.square(where.u).max(initial=0.0))
        )
        zero = {s: exact(0.0) for s, v in zip(symbols, numbers, strict=True) if abs(v) <= nothing}
        known |= zero
        values |= {s: float(v) for s, v in zip(symbols, numbers, strict=True) if s not in zero}
    return known, values


def _written(kin: Kinematics, name: str, key: str, value: float) -> Any:
    """The expression by which the model gives a coordinate's position or velocity: that of its joint, or of a joint
    between its body and ground."""
    owner = name.rpartition(".")[0] or name
    joints = [j.name for j in kin.description.joints if j.name == owner or {owner, "ground"} == set(j["between"])]
    for path in kin.pool.formulas:
        if path[0] == "joints" and path[1] in joints and path[2] == key:
            found = kin.pool.formula(path)
            if found is not None and abs(kin.pool.value_of(found) - value) <= CLOSE * abs(value):
                return found
    return None


def _multipliers(eqs: SymbolicEquations, where: Reference, known: Mapping[Any, Any], here: Any) -> dict[Any, Any]:
    """At rest: multipliers by the parameters, from G^T lambda = -d."""
    import sympy

    rows = where.independent
    if not len(rows) or where.u.any() or where.a.any() or not where.multipliers.any():
        return {}
    G, load = here(eqs.jacobian[rows]), here(eqs.residual)
    if any(e.free_symbols & set(eqs.q) for e in (*G.ravel(), *load)):
        return {}
    numbers = Numbers(eqs, G).at(where.q, where.u, where.a, where.multipliers, [0.0])[0]
    columns = independent_rows(numbers.T)
    found = solved(sympy.Matrix(G[:, columns].T.tolist()), sympy.Matrix(load[columns].tolist()))
    out = {eqs.multipliers[row]: sympy.factor_terms(found[k]) for k, row in enumerate(rows)}
    out |= {eqs.multipliers[k]: sympy.Integer(0) for k in range(len(eqs.multipliers)) if k not in set(rows.tolist())}
    size = np.abs(where.multipliers).max()
    same = [
        abs(eqs.kin.pool.value_of(e) - where.multipliers[eqs.multipliers.index(s)]) <= 1e-8 * size
        for s, e in out.items()
    ]
    return out if all(same) else {}


def _eliminated(K: np.ndarray, K1: np.ndarray, K2: np.ndarray, count: int) -> tuple[np.ndarray, ...]:
    """T with K T = [0; 1] and its rates."""
    import sympy

    unit = sympy.zeros(len(K), len(K) - count)
    unit[count:, :] = sympy.eye(len(K) - count)
    whole = sympy.Matrix(K.tolist())
    T = _array(solved(whole, unit))
    none = 0 * T
    T1 = -_array(solved(whole, sympy.Matrix((K1 @ T).tolist()))) if np.any(K1 != 0) else none
    bent = K2 @ T + 2 * (K1 @ T1)
    T2 = -_array(solved(whole, sympy.Matrix(bent.tolist()))) if np.any(bent != 0) else none
    return T, T1, T2


def _array(matrix: Any) -> np.ndarray:
    return np.array(matrix.tolist(), object).reshape(matrix.shape)


def solved(K: Any, B: Any) -> Any:
    """K^-1 B of matrices of expressions, in the field of their symbols."""
    from sympy.polys.matrices import DomainMatrix

    left, right = DomainMatrix.from_Matrix(K), DomainMatrix.from_Matrix(B)
    left, right = left.unify(right, fmt="dense")
    return left.to_field().lu_solve(right.to_field()).to_Matrix()
