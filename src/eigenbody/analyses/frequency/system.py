"""What is excited: state equations dense or sparse, behind inputs whose strength may depend on frequency.

Every frequency response here is H(s) = T(s) W(s): T the transfer matrix of constant equations, W (nf, raw, inputs) how
the named inputs drive their raw columns: a base motion r drives through r, r' and r'', an unbalance through two forces
that grow with the square of the frequency.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from eigenbody.analyses.linearize import Ports, with_hysteresis
from eigenbody.base.arrays import as_dense
from eigenbody.base.copies import LeanCopies
from eigenbody.base.errors import ComputationError
from eigenbody.linearization.forms import DenseForm
from eigenbody.linearization.model import LinearModel
from eigenbody.linearization.pencil import is_static
from eigenbody.numerics.eigen.dense import spectrum_first_order, spectrum_second_order
from eigenbody.numerics.eigen.spectrum import Spectrum
from eigenbody.numerics.signals.transfer import DenseTransfer, SparseTransfer, StaticTransfer

MANY_STATES = 800  # above this one sparse factorization per frequency beats the dense reduction

Transfer = Callable[[np.ndarray], np.ndarray]  # T (nf, ny, raw) at s (nf,)
Weight = Callable[[np.ndarray], np.ndarray]


@dataclass(frozen=True, eq=False)
class DenseEquations(LeanCopies):
    """z' = A z + B u, y = C z + D u; `noise` (n, n) is the rounding to expect in A."""

    A: np.ndarray
    B: np.ndarray
    C: np.ndarray
    D: np.ndarray
    noise: np.ndarray
    second: DenseForm | None  # M, C, K where they say everything
    rates: tuple[list[int], np.ndarray] | None = None  # outputs that are rates of these rows (k, n) of the state
    hysteretic: tuple[np.ndarray, np.ndarray] | None = None  # complex A and C of structural damping above 0 Hz

    def hysteretic_transfer(self, s: np.ndarray) -> np.ndarray:
        """T (nf, ny, nu) with structural damping at s (nf,) on the imaginary axis: K (1 + i eta) above 0 Hz, its
        conjugate below; at 0 Hz nothing is lost."""
        assert self.hysteretic is not None
        A, C = self.hysteretic
        if self.rates is not None:
            C = C.copy()
            C[self.rates[0]] = self.rates[1]
        D = self.in_rates().D
        out = np.zeros((len(s), *D.shape), complex)
        moving = s.imag != 0
        one = np.eye(len(A))
        for k in np.flatnonzero(moving):
            T = C @ np.linalg.solve(1j * abs(s[k].imag) * one - A, self.B) + D
            if self.rates is not None:
                T[self.rates[0]] *= 1j * abs(s[k].imag)
            out[k] = T if s[k].imag > 0 else T.conj()
        if not moving.all():
            out[~moving] = self.transfer(s[~moving])
        return out

    @cached_property
    def transfer(self) -> Transfer:
        """T (nf, ny, nu) at s (nf,)."""
        inner = self.in_rates()
        return self.from_rates(DenseTransfer(inner.A, inner.B, inner.C, inner.D))

    def in_rates(self) -> DenseEquations:
        """The same with velocities in place of accelerations."""
        if self.rates is None:
            return self
        places, rows = self.rates
        C, D = self.C.copy(), self.D.copy()
        C[places], D[places] = rows, 0.0
        return replace(self, C=C, D=D, rates=None)

    def from_rates(self, inner: Transfer) -> Transfer:
        """Accelerations as s times the velocities that `inner` gives: below the resonances C z and D u would cancel."""
        if self.rates is None:
            return inner
        places, _ = self.rates

        def transfer(s: np.ndarray) -> np.ndarray:
            T = inner(s)
            with np.errstate(all="ignore"):  # free motion at 0 Hz is looked after by the poles
                T[:, places] *= s[:, None, None]
            return T

        return transfer

    @cached_property
    def spectrum(self) -> Spectrum:
        """All eigenvalues, by the second-order form where there is one."""
        if self.second is not None:
            m = self.second
            return spectrum_second_order(m.M, m.C, m.K, m.noise_K, m.noise_C)
        return spectrum_first_order(self.A, self.noise)


@dataclass(frozen=True, eq=False)
class SparseEquations(LeanCopies):
    """E z' = A z + B u, y = C z + D u between inputs and outputs of a linear model, or from forces `right`."""

    linear: LinearModel
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    right: np.ndarray | None = None  # (unknowns, raw) in place of the inputs

    @cached_property
    def descriptor(self) -> tuple[Any, Any, Any, Any, Any]:
        """E, A, B, C, D."""
        d, inputs, outputs = self.linear.descriptor, list(self.inputs), list(self.outputs)
        E, A, C = d.E, d.A, d.C.tocsr()[outputs]
        if self.right is not None:
            return E, A, self.right, C, np.zeros((len(outputs), self.right.shape[1]))
        return E, A, d.B[:, inputs], C, as_dense(d.D)[np.ix_(outputs, inputs)]

    @cached_property
    def transfer(self) -> SparseTransfer:
        """T (nf, ny, raw) at s (nf,); at rest by the smaller equations."""
        at_rest = self.right is None and is_static(self.linear.point)
        return self._at_rest() if at_rest else SparseTransfer(*self.descriptor)

    def _at_rest(self) -> StaticTransfer:
        _, A, B, C, D = self.descriptor
        n, nq, pencil = self.linear.descriptor.differential, self.linear.point.system.nq, self.linear.sparse.pencil
        C = C.tocsc()
        columns = [slice(n + k * nq, n + (k + 1) * nq) for k in range(3)] + [slice(n + 3 * nq, A.shape[0])]
        q, u, a, m = (C[:, part] for part in columns)
        mass = pencil.M.diagonal()
        unit = 1.0 / np.sqrt(np.where(mass > 0, mass, mass[mass > 0].max(initial=1.0)))
        # the rows of B that hold the forces are the last ones, with the sign of the left side
        return StaticTransfer(pencil, -as_dense(B)[A.shape[0] - nq :], (q, u, a, m), D, unit)


@dataclass(frozen=True)
class Excited:
    """Equations with named inputs and outputs; `dense` is None where the linear model is kept sparse."""

    linear: LinearModel
    dense: DenseEquations | None
    sparse: SparseEquations
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    input_units: tuple[str, ...]
    output_units: tuple[str, ...]
    weight: Weight | None = None

    @property
    def transfer(self) -> Transfer:
        """T of the raw inputs, by the equations that are faster to solve."""
        if self.dense is None:
            return self.sparse.transfer
        is_large = len(self.dense.A) > MANY_STATES and self.linear.added_damping is None  # what was added fills C
        return self.sparse.transfer if is_large else self.dense.transfer

    def through(self, T: np.ndarray, s: np.ndarray) -> np.ndarray:
        """H (nf, ny, nu) from the transfer matrix T (nf, ny, raw); on a pole, where T is infinite and weights may be
        zero, whatever arithmetic makes of it."""
        with np.errstate(invalid="ignore"):
            return T if self.weight is None else T @ self.weight(s)


def excited(found: Ports) -> Excited:
    """The linear model between the ports."""
    between = found.linear, found.inputs, found.outputs
    return Excited(
        found.linear,
        None if found.linear.is_sparse else dense_equations(*between),
        SparseEquations(*between),
        found.input_names,
        found.output_names,
        found.input_units,
        found.output_units,
    )


def dense_equations(linear: LinearModel, inputs: tuple[int, ...], outputs: tuple[int, ...]) -> DenseEquations:
    """State equations between columns of B and rows of C."""
    A, B, C, D = linear.state_space
    if not all(np.isfinite(part).all() for part in (A, B, C, D)):
        what = "The linear equations hold numbers that are not finite."
        raise ComputationError(
            f"{what} Check the model for absurd magnitudes and the force laws at the operating point."
        )
    i, o = list(inputs), list(outputs)
    second = linear.dense if linear.is_second_order else None
    losses = with_hysteresis(linear)
    hysteretic = None if losses is None else (losses[0], losses[1][o])
    return DenseEquations(A, B[:, i], C[o], D[np.ix_(o, i)], linear.noise_A, second, _rates(linear, o), hysteretic)


def _rates(linear: LinearModel, outputs: list[int]) -> tuple[list[int], np.ndarray] | None:
    """Which outputs are accelerations of measures, and the rows of their velocities; at rest, where s'' = (s')'."""
    system = linear.point.system
    own = [system.outputs[o] for o in outputs]
    places = [k for k, output in enumerate(own) if output.measure >= 0 and output.order == 2]
    if not places or not is_static(linear.point):
        return None
    return places, linear.dependents([system.names[own[k].measure] for k in places]).rate
