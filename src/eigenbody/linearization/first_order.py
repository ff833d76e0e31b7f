"""First-order forms of the linear equations: by velocities [S, W, x] or by momenta [S, p, x].

p = M W, and where W = S' the canonical p = M S' + G S / 2 with the gyroscopic matrix G (skew part of C): without
damping and with symmetric K the matrix A is then Hamiltonian (J A symmetric).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from eigenbody.base.errors import Fault, InputError, suggest

if TYPE_CHECKING:
    from eigenbody.linearization.forms import StateSpace
    from eigenbody.linearization.model import LinearModel

FORMS = ("velocities", "momenta")


def first_order_form(linear: LinearModel, form: str = "velocities") -> StateSpace:
    """A, B, C, D in the state [S, W, x] ("velocities") or [S, p, x] ("momenta")."""
    if form not in FORMS:
        raise InputError(Fault("form", f'there is no first-order form "{form}".', suggest(form, FORMS)))
    if form == "velocities":
        return linear.state_space
    A, B, C, D = linear.state_space
    there, back = _to_momenta(linear)
    return type(linear.state_space)(there @ A @ back, there @ B, C @ back, D)


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
