"""The fundamental matrix of the linear equations: how every free motion goes on from any start."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from eigenbody.analyses.linearize import constant_linear_of
from eigenbody.base.errors import Fault, InputError, suggest
from eigenbody.base.result import Drawn
from eigenbody.linearization.model import LinearModel
from eigenbody.linearization.subject import Subject
from eigenbody.numerics.runtime import on_one_thread
from eigenbody.numerics.signals.fundamental import METHODS, fundamental_matrix

COMPARED = 100  # states up to which the other ways are tried too


@dataclass(frozen=True, eq=False)
class Fundamental(Drawn, look="analyses.fundamental.look"):
    """Phi(t) = exp(A t) of the linear state z = [S, W, x]: z(t) = Phi(t) z(0) without excitation.

    times   (nt,) s
    values  (nt, states, states)
    method  "pade", "modal", "series" or "cayley-hamilton"
    """

    linear: LinearModel
    times: np.ndarray
    values: np.ndarray
    method: str

    @cached_property
    def spread(self) -> dict[str, float]:
        """Largest difference of the other ways from this one at the last time, relative to the largest entry there;
        empty for more than 100 states."""
        if len(self.linear.states) > COMPARED:
            return {}
        last, Phi = float(self.times[-1]), self.values[-1]
        size = np.abs(Phi).max(initial=1e-300)
        others = {name: fundamental_matrix(self.linear.A, last, name) for name in METHODS if name != self.method}
        return {name: float(np.abs(other - Phi).max(initial=0.0) / size) for name, other in others.items()}

    @property
    def determinant(self) -> np.ndarray:
        """(nt,) det Phi by Liouville: exp(t trace A), by how much a volume of states shrinks."""
        return np.exp(self.times * float(np.trace(self.linear.A)))

    def motion(self, initial: Mapping[str, float]) -> np.ndarray:
        """(nt, states) free motion from deviations at the start by name of state; those not named are zero."""
        states, start = self.linear.states, np.zeros(len(self.linear.states))
        for name, value in initial.items():
            if name not in states:
                raise InputError(Fault("initial", f'there is no state "{name}".', suggest(name, states)))
            start[states.index(name)] = value
        return self.values @ start


@on_one_thread
def fundamental(model: Subject, times: float | Sequence[float] | np.ndarray, method: str = "pade") -> Fundamental:
    """Fundamental matrix of the linear model at one time or at many, by one of four ways.

    method  "pade" (default); "modal", by modes, in blocks where they are repeated or defective; "series", scaled and
            squared; "cayley-hamilton", a polynomial of degree n - 1 in A
    """
    linear = constant_linear_of(model)
    given = np.atleast_1d(np.asarray(times, dtype=float))
    if given.ndim != 1 or not given.size or not np.isfinite(given).all():
        raise InputError(Fault("times", "one finite time, or a list of them, is expected.", "For example 1.0."))
    return Fundamental(linear, given, fundamental_matrix(linear.A, given, method), method)
