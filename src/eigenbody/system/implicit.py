"""First-order states given implicitly: F(x', x, measures, rates, inputs, t) = 0, solved for x' by Newton's method."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from eigenbody.base.errors import Fault, InputError
from eigenbody.system.arguments import AnySignal, Argument, Quantities

ITERATIONS = 50
CONVERGED = 1e-14


@dataclass(frozen=True, slots=True)
class ImplicitStates:
    """m equations for the rates of m states; argument "w" number k is the rate of the k-th of them."""

    equations: tuple[AnySignal, ...]
    places: tuple[str, ...]  # in the model file, for messages

    def rates(self, now: Quantities) -> np.ndarray:
        """x' (..., m)."""
        lead = np.broadcast_shapes(np.shape(now.s)[:-1], np.shape(now.x)[:-1], np.shape(now.z)[:-1])
        dtype = np.result_type(now.s, now.v, now.x, now.u, now.z, np.asarray(now.t), float)
        w = np.zeros((*lead, len(self.equations)), dtype=dtype)
        for _ in range(ITERATIONS):
            at = replace(now, w=w)
            F = np.stack(np.broadcast_arrays(*(e.value(at) for e in self.equations)), axis=-1)
            step = np.linalg.solve(self._own_slopes(at), F[..., None])[..., 0]
            w = w - step
            if np.all(np.abs(step) <= CONVERGED * (1.0 + np.abs(w))):
                return w
        worst = int(np.argmax(np.abs(np.real(step)).reshape(-1, len(self.equations)).max(axis=0)))
        what = "the equation could not be solved for the rate of the state."
        raise InputError(Fault(self.places[worst], what, "Check that the state's rate stands in it."))

    def _own_slopes(self, at: Quantities) -> np.ndarray:
        """dF/dx', (..., m, m)."""
        m = len(self.equations)
        lead = np.shape(at.w)[:-1]
        J = np.zeros((*lead, m, m), dtype=at.w.dtype)
        for i, equation in enumerate(self.equations):
            for argument, slope in equation.partials(at):
                if argument.kind == "w":
                    J[..., i, argument.index] += slope
        flat = np.abs(J).reshape(-1, m, m)
        if np.any(flat.max(axis=-1).min(axis=0) == 0) or np.any(np.linalg.cond(flat) > 1e14):
            k = int(np.argmin(flat.max(axis=-1).min(axis=0)))
            what = "the equation does not determine the rate of the state here."
            raise InputError(Fault(self.places[k], what, "It must contain the state's rate, written with a prime."))
        return J

    def partials(self, now: Quantities) -> list[tuple[Argument, np.ndarray]]:
        """dx' (..., m) by every argument but the rates themselves: -(dF/dx')^-1 dF/dargument."""
        at = replace(now, w=self.rates(now))
        J = self._own_slopes(at)
        m = len(self.equations)
        columns: dict[Argument, np.ndarray] = {}
        for i, equation in enumerate(self.equations):
            for argument, slope in equation.partials(at):
                if argument.kind != "w":
                    column = columns.setdefault(argument, np.zeros((*J.shape[:-2], m), dtype=J.dtype))
                    column[..., i] += slope
        return [(a, -np.linalg.solve(J, column[..., None])[..., 0]) for a, column in columns.items()]


@dataclass(frozen=True, slots=True)
class ImplicitRate:
    """The rate of one of the states, as a signal."""

    target: int
    group: ImplicitStates
    member: int
    owner: int = -1

    @property
    def arguments(self) -> tuple[Argument, ...]:
        every = (a for equation in self.group.equations for a in equation.arguments)
        return tuple(dict.fromkeys(a for a in every if a.kind != "w"))

    def value(self, now: Quantities) -> np.ndarray:
        return self.group.rates(now)[..., self.member]

    def partials(self, now: Quantities) -> list[tuple[Argument, np.ndarray]]:
        return [(a, d[..., self.member]) for a, d in self.group.partials(now)]
