"""Linear equations about the reference motion q_s(t): M x'' + P x' + Q x = 0, and P = D + G, Q = C + N.

The coordinates q of the equations need not be those of the linear equations: loops make some dependent, and three
rotations vary as small rotations. Along the reference dq = T(t) x with [G(t); L(t)] T = [0; 1], G the constraints and L
the rows of the coordinates x. Hence du = T' x + T x' and da = T'' x + 2 T' x' + T x''.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from eigenbody.base.errors import ComputationError
from eigenbody.routes.base import Place
from eigenbody.routes.symbolic.equations import SymbolicEquations
from eigenbody.routes.symbolic.joints import rate_row
from eigenbody.routes.symbolic.pool import elementwise, symbols_in

INDEPENDENT = 1e-9  # rows whose part not in the others is smaller, beside the largest, are redundant


@dataclass(frozen=True, eq=False)
class Tangent:
    """Derivatives of the equations as expressions: M, P, Q of F - G^T lambda, and the rows with their rates."""

    M: np.ndarray
    P: np.ndarray
    Q: np.ndarray
    rows: np.ndarray  # [G; L]
    rows1: np.ndarray  # their rates
    rows2: np.ndarray


@dataclass(frozen=True, eq=False)
class Reference:
    """Where and how it moves: values of q, u, a and the multipliers; which constraints are independent."""

    q: np.ndarray
    u: np.ndarray
    a: np.ndarray
    multipliers: np.ndarray
    independent: np.ndarray

    def zeros(self, eqs: SymbolicEquations) -> dict[Any, int]:
        """Symbols of rates, accelerations and multipliers that are zero here."""
        import sympy

        pairs = [(eqs.u, self.u), (eqs.a, self.a), (eqs.multipliers, self.multipliers)]
        return {s: sympy.Integer(0) for symbols, values in pairs for s, v in zip(symbols, values, strict=True) if not v}


@dataclass(frozen=True, eq=False)
class Linearized:
    """M x'' + P x' + Q x = 0 in the coordinates x, numbers."""

    coordinates: tuple[str, ...]
    M: np.ndarray
    P: np.ndarray
    Q: np.ndarray

    @property
    def parts(self) -> dict[str, np.ndarray]:
        """Mass, damping, gyroscopic, conservative and circulatory matrices."""
        P, Q = self.P, self.Q
        return {"M": self.M, "D": (P + P.T) / 2, "G": (P - P.T) / 2, "C": (Q + Q.T) / 2, "N": (Q - Q.T) / 2}

    def eigenvalues(self) -> np.ndarray:
        """Of the state equation."""
        n = len(self.M)
        A = np.zeros((2 * n, 2 * n))
        A[:n, n:] = np.eye(n)
        A[n:] = -np.linalg.solve(self.M, np.hstack([self.Q, self.P]))
        return np.linalg.eigvals(A)


class Numbers:
    """Values of arrays of expressions at given coordinates; all in one call, common parts computed once."""

    def __init__(self, eqs: SymbolicEquations, *arrays: np.ndarray) -> None:
        import sympy

        self.shapes = [array.shape for array in arrays]
        flat = [sympy.sympify(e) for array in arrays for e in array.ravel()]
        self.filled = np.array([k for k, e in enumerate(flat) if e != 0], int)
        self.count = len(flat)
        self.known = list(eqs.values.values())
        arguments = [*eqs.q, *eqs.u, *eqs.a, *eqs.multipliers, eqs.kin.coordinates.t, *eqs.values]
        self.call = sympy.lambdify(arguments, [flat[k] for k in self.filled], modules="numpy", cse=True)

    def at(self, *groups: Iterable[float]) -> list[np.ndarray]:
        """Arrays at q, u, a, multipliers, t."""
        flat = np.zeros(self.count)
        flat[self.filled] = self.call(*(v for group in groups for v in group), *self.known)
        ends = np.cumsum([int(np.prod(shape)) for shape in self.shapes])
        return [part.reshape(shape) for part, shape in zip(np.split(flat, ends[:-1]), self.shapes, strict=True)]


def tangent(eqs: SymbolicEquations, names: Sequence[str], where: Reference | None = None) -> Tangent:
    """Derivatives of the equations, the constraints and the coordinates named.

    With a reference, what vanishes there (rates, accelerations, multipliers that are zero) is left out before further
    derivatives are taken; without, the expressions hold for any motion.
    """
    c = eqs.kin.coordinates
    nothing = {} if where is None else where.zeros(eqs)
    balance = eqs.balance()
    M = eqs.M
    P = replaced(c.gradient(balance, eqs.u), nothing)
    Q = c.gradient(replaced(balance, nothing), eqs.q)
    chosen = [rate_row(eqs.kin, name) for name in names]
    rows = np.vstack([eqs.jacobian, np.array(chosen, object).reshape(-1, len(eqs.q))])
    return Tangent(M, P, Q, rows, *_rates(eqs, rows, nothing))


def _rates(eqs: SymbolicEquations, array: np.ndarray, nothing: Mapping[Any, int]) -> tuple[np.ndarray, np.ndarray]:
    """First and second time derivatives of expressions of q and t, with the rates in `nothing` zero."""
    c = eqs.kin.coordinates
    first = {q: u for q, u in zip(eqs.q, eqs.u, strict=True) if u not in nothing}
    second = {q: a for q, a in zip(eqs.q, eqs.a, strict=True) if a not in nothing}
    first[c.t] = 1

    def along(expression: Any, rates: Mapping[Any, Any]) -> Any:
        return sum((expression.diff(s) * rates[s] for s in symbols_in(expression) if s in rates), start=0 * c.t)

    one = elementwise(lambda e: along(e, first), array)
    two = elementwise(lambda e: along(e, first), one) + elementwise(lambda e: along(e, second), array)
    return one, two


def replaced(array: np.ndarray, values: Mapping[Any, int]) -> np.ndarray:
    """Expressions with some symbols replaced."""
    return elementwise(lambda e: e.xreplace(values), array) if values else array


def reference(eqs: SymbolicEquations, place: Place) -> Reference:
    """Rates from the velocities of the bodies, accelerations and multipliers from the equations."""
    c = eqs.kin.coordinates
    q, none, t = np.array(c.reference), np.zeros(len(c.q)), [place.t]
    G = eqs.jacobian
    idle = np.zeros(len(eqs.multipliers))
    first = Numbers(eqs, _velocities(eqs), _local_velocities(eqs), eqs.M, G)
    J, local, M, G0 = first.at(q, none, none, idle, t)
    u = np.linalg.lstsq(J, _moving(eqs, place) - local, rcond=None)[0]
    u = np.where(np.abs(u) <= 1e-14 * np.abs(u).max(initial=0.0), 0.0, u)
    nothing = Reference(q, u, none, idle, np.zeros(0, int)).zeros(eqs)
    _, bent = _rates(eqs, eqs.constraints, nothing)
    F0, gamma = Numbers(eqs, replaced(eqs.residual, nothing), bent).at(q, u, none, idle, t)
    rows = independent_rows(G0)
    m, f = len(rows), len(q)
    K = np.zeros((f + m, f + m))
    K[:f, :f], K[:f, f:], K[f:, :f] = M, -G0[rows].T, G0[rows]
    try:
        solved = np.linalg.solve(K, -np.concatenate([F0, gamma[rows]]))
    except np.linalg.LinAlgError as error:
        raise ComputationError("The symbolic equations have a motion without mass at this place.") from error
    multipliers = np.zeros(len(idle))
    multipliers[rows] = solved[f:]
    a, size = solved[:f], np.abs(F0).max(initial=0.0)
    at_rest = np.abs(M @ a).max(initial=0.0) <= 1e-14 * max(size, np.abs(G0.T @ multipliers).max(initial=0.0))
    return Reference(q, u, np.zeros(f) if at_rest else a, multipliers, rows)


def _velocities(eqs: SymbolicEquations) -> np.ndarray:
    """(6 bodies, f) velocities of the bodies by the rates of the coordinates."""
    kin, c = eqs.kin, eqs.kin.coordinates
    blocks: list[Any] = []
    for i in range(len(kin.description.bodies)):
        blocks += [c.gradient(kin.r[i], c.q), kin.S[i] @ kin.angular(i)]
    return np.vstack(blocks)


def _local_velocities(eqs: SymbolicEquations) -> np.ndarray:
    """(6 bodies,) velocities by the time alone, coordinates held."""
    kin, c = eqs.kin, eqs.kin.coordinates
    parts = [
        part for i in range(len(kin.description.bodies)) for part in (c.by_time(kin.r[i]), kin.S[i] @ kin.local[i])
    ]
    return np.concatenate(parts)


def _moving(eqs: SymbolicEquations, place: Place) -> np.ndarray:
    """(6 bodies,) velocities of the bodies at the reference."""
    turn = eqs.kin.turn
    turning = np.einsum("nij,nj->ni", place.R, place.w)
    return np.concatenate([place.v @ turn.T, turning @ turn.T], axis=1).ravel()


def independent_rows(G: np.ndarray) -> np.ndarray:
    """Rows of G that are independent, by pivoting on rows of unit length."""
    from scipy.linalg import qr

    if not G.size:
        return np.zeros(0, int)
    length = np.linalg.norm(G, axis=1)
    scaled = G / np.where(length > 0, length, 1.0)[:, None]
    _, R, order = qr(scaled.T, mode="economic", pivoting=True)
    diagonal = np.abs(np.diag(R))
    return np.sort(order[: int(np.sum(diagonal > INDEPENDENT * max(diagonal[0], 1e-300)))])


def linearized(eqs: SymbolicEquations, place: Place, names: Sequence[str]) -> Linearized:
    """Numbers of the linear equations in the coordinates named."""
    where = reference(eqs, place)
    slopes = tangent(eqs, names, where)
    arrays = Numbers(eqs, slopes.M, slopes.P, slopes.Q, slopes.rows, slopes.rows1, slopes.rows2)
    M, P, Q, K, K1, K2 = arrays.at(where.q, where.u, where.a, where.multipliers, [place.t])
    count = len(eqs.multipliers)
    rows = [*where.independent, *range(count, count + len(names))]
    K, K1, K2 = K[rows], K1[rows], K2[rows]
    if K.shape[0] != K.shape[1]:
        raise ComputationError(
            f"{len(names)} coordinates and {len(where.independent)} independent constraints do not make"
            f" {K.shape[1]} coordinates of the symbolic equations."
        )
    unit = np.zeros((len(K), len(names)))
    unit[len(where.independent) :] = np.eye(len(names))
    T = np.linalg.solve(K, unit)
    T1 = -np.linalg.solve(K, K1 @ T)
    T2 = -np.linalg.solve(K, K2 @ T + 2 * K1 @ T1)
    return Linearized(tuple(names), T.T @ M @ T, T.T @ (P @ T + 2 * M @ T1), T.T @ (Q @ T + P @ T1 + M @ T2))
