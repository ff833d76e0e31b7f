"""First-order forms of the linear equations: by velocities [S, W, x] or by momenta [S, p, x].

p = M W, and where W = S' the canonical p = M S' + G S / 2 with the gyroscopic matrix G (skew part of C): without
damping and with symmetric K the matrix A is then Hamiltonian (J A symmetric).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from eigenbody.base.errors import Fault, InputError, suggest
from eigenbody.base.result import Result

if TYPE_CHECKING:
    from eigenbody.linearization.forms import StateSpace
    from eigenbody.linearization.model import LinearModel

FORMS = ("velocities", "momenta")


@dataclass(frozen=True, eq=False)
class FirstOrderModel(Result, look="linearization.look.first_order"):
    """z' = A z + B u, y = C z + D u with z = [S, W, x] or, in momenta, [S, p, x].

    `hamiltonian` is the largest entry of J A - (J A)^T relative to J A, in momenta: zero where nothing is lost and K is
    symmetric; None where it has no meaning (by velocities, with first-order states or non-holonomic constraints).
    """

    linear: LinearModel
    form: str
    states: tuple[str, ...]
    A: np.ndarray
    B: np.ndarray
    C: np.ndarray
    D: np.ndarray
    hamiltonian: float | None


def first_order_model(linear: LinearModel, form: str = "velocities") -> FirstOrderModel:
    """The first-order equations with their names, by velocities or by momenta (Trom 1990, section 3.2.6)."""
    A, B, C, D = first_order_form(linear, form)
    nS, nW = len(linear.coordinates), len(linear.velocities)
    states = linear.states
    if form == "momenta":
        states = (*states[:nS], *(f"p({name})" for name in linear.velocities), *states[nS + nW :])
    return FirstOrderModel(linear, form, states, A, B, C, D, _defect(linear, A) if form == "momenta" else None)


def _defect(linear: LinearModel, A: np.ndarray) -> float | None:
    if not linear.is_second_order:
        return None
    n = linear.dof
    JA = np.vstack((A[n:], -A[:n]))
    return float(np.abs(JA - JA.T).max(initial=0.0) / np.abs(JA).max(initial=1e-300))


def first_order_form(linear: LinearModel, form: str = "velocities") -> StateSpace:
    """A, B, C, D in the state [S, W, x] ("velocities") or [S, p, x] ("momenta")."""
    if form not in FORMS:
        raise InputError(Fault("form", f'there is no first-order form "{form}".', suggest(form, FORMS)))
    if form == "velocities":
        return linear.state_space
    A, B, C, D = linear.state_space
    there, back = _to_momenta(linear)
    own = _by_momenta(linear) if linear.is_second_order else there @ A @ back
    return type(linear.state_space)(own, there @ B, C @ back, D)


def _by_momenta(linear: LinearModel) -> np.ndarray:
    """A in [S, p] from M, C, K: S' = M^-1 (p - G S/2), p' = -K S - (C - G/2) S'."""
    n, half = linear.dof, 0.5 * linear.gyroscopic
    inverse = np.linalg.inv(linear.M) if n else linear.M
    above = np.hstack((-inverse @ half, inverse))
    return np.vstack((above, np.hstack((-linear.K, np.zeros((n, n)))) - (linear.C - half) @ above))


def _to_momenta(linear: LinearModel) -> tuple[np.ndarray, np.ndarray]:
    """[S, p, x] = there [S, W, x] and its inverse."""
    nS, nW = len(linear.coordinates), len(linear.velocities)
    there, back = np.eye(len(linear.states)), np.eye(len(linear.states))
    w = slice(nS, nS + nW)
    inverse = np.linalg.inv(linear.M) if nW else linear.M
    there[w, w], back[w, w] = linear.M, inverse
    if nS == nW:
        there[w, :nS] = 0.5 * linear.gyroscopic
        back[w, :nS] = -0.5 * inverse @ linear.gyroscopic
    return there, back
