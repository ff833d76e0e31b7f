"""What is excited: state equations dense or sparse, behind inputs whose strength may depend on frequency.

Every frequency response here is H(s) = T(s) W(s): T the transfer matrix of constant equations, W (nf, raw, inputs) how
the named inputs drive their raw columns: a base motion r drives through r, r' and r'', an unbalance through two forces
that grow with the square of the frequency.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from eigenbody.analyses.linearize import Ports
from eigenbody.base.arrays import as_dense
from eigenbody.base.errors import ComputationError
from eigenbody.linearization.model import LinearModel
from eigenbody.linearization.pencil import is_static
from eigenbody.numerics.eigen.dense import spectrum_first_order, spectrum_second_order
from eigenbody.numerics.eigen.spectrum import Spectrum
from eigenbody.numerics.signals.transfer import DenseTransfer, SparseTransfer, StaticTransfer

MANY_STATES = 800  # above this one sparse factorization per frequency beats the dense reduction

Weight = Callable[[np.ndarray], np.ndarray]


class Equations(Protocol):
    """Something with a transfer matrix."""

    @property
    def transfer(self) -> Callable[[np.ndarray], np.ndarray]:
        """T (nf, ny, raw) at s (nf,)."""
        ...


@dataclass(frozen=True)
class SecondOrder:
    """M, C, K of the same states, and the rounding to expect in C and K."""

    M: np.ndarray
    C: np.ndarray
    K: np.ndarray
    noise_K: np.ndarray
    noise_C: np.ndarray


@dataclass(frozen=True)
class DenseEquations:
    """z' = A z + B u, y = C z + D u; `noise` (n, n) is the rounding to expect in A."""

    A: np.ndarray
    B: np.ndarray
    C: np.ndarray
    D: np.ndarray
    noise: np.ndarray
    second: SecondOrder | None
    sparse: SparseEquations | None = None  # the same, where these are large
    rates: tuple[list[int], np.ndarray] | None = None  # outputs that are rates of these rows (k, n) of the state

    @cached_property
    def transfer(self) -> Callable[[np.ndarray], np.ndarray]:
        if self.sparse is not None and len(self.A) > MANY_STATES:
            return self.sparse.transfer
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

    def from_rates(self, inner: Callable[[np.ndarray], np.ndarray]) -> Callable[[np.ndarray], np.ndarray]:
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


@dataclass(frozen=True)
class SparseEquations:
    """E z' = A z + B u, y = C z + D u, or at rest the smaller equations that `static` makes a transfer matrix of."""

    parts: Callable[[], tuple[Any, Any, Any, Any, Any]]  # E, A, B, C, D
    static: Callable[[], StaticTransfer] | None = None

    @cached_property
    def descriptor(self) -> tuple[Any, Any, Any, Any, Any]:
        """E, A, B, C, D."""
        return self.parts()

    @cached_property
    def transfer(self) -> SparseTransfer:
        return SparseTransfer(*self.descriptor) if self.static is None else self.static()


@dataclass(frozen=True)
class Excited:
    """Equations with named inputs and outputs."""

    linear: LinearModel
    equations: DenseEquations | SparseEquations
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    input_units: tuple[str, ...]
    output_units: tuple[str, ...]
    weight: Weight | None = None

    def through(self, T: np.ndarray, s: np.ndarray) -> np.ndarray:
        """H (nf, ny, nu) from the transfer matrix T (nf, ny, raw)."""
        return T if self.weight is None else T @ self.weight(s)


def excited(found: Ports) -> Excited:
    """The linear model between the ports."""
    return Excited(
        found.linear,
        equations_of(found.linear, found.inputs, found.outputs),
        found.input_names,
        found.output_names,
        found.input_units,
        found.output_units,
    )


def equations_of(
    linear: LinearModel, inputs: tuple[int, ...], outputs: tuple[int, ...]
) -> DenseEquations | SparseEquations:
    """State equations between columns of B and rows of C."""
    sparse = _sparse(linear, list(inputs), list(outputs))
    if linear.is_sparse:
        return sparse
    A, B, C, D = linear.state_space
    if not all(np.isfinite(part).all() for part in (A, B, C, D)):
        what = "The linear equations hold numbers that are not finite."
        raise ComputationError(
            f"{what} Check the model for absurd magnitudes and the force laws at the operating point."
        )
    i, o = list(inputs), list(outputs)
    second = None
    if linear.is_second_order:
        second = SecondOrder(linear.M, linear.C, linear.K, linear.noise_K, linear.noise_C)
    return DenseEquations(A, B[:, i], C[o], D[np.ix_(o, i)], linear.noise_A, second, sparse, _rates(linear, o))


def _rates(linear: LinearModel, outputs: list[int]) -> tuple[list[int], np.ndarray] | None:
    """Which outputs are accelerations of measures, and the rows of their velocities; at rest, where s'' = (s')'."""
    system = linear.point.system
    own = [system.outputs[o] for o in outputs]
    places = [k for k, output in enumerate(own) if output.measure >= 0 and output.order == 2]
    if not places or not is_static(linear.point):
        return None
    return places, linear.dependents([system.names[own[k].measure] for k in places]).rate


def _sparse(linear: LinearModel, inputs: list[int], outputs: list[int]) -> SparseEquations:
    def parts() -> tuple[Any, Any, Any, Any, Any]:
        d = linear.descriptor
        return d.E, d.A, d.B[:, inputs], d.C.tocsr()[outputs], as_dense(d.D)[np.ix_(outputs, inputs)]

    def static() -> StaticTransfer:
        _, A, B, C, D = parts()
        n, nq = linear.descriptor.differential, linear.point.system.nq
        pencil = linear.sparse.pencil
        C = C.tocsc()
        columns = [slice(n + k * nq, n + (k + 1) * nq) for k in range(3)] + [slice(n + 3 * nq, A.shape[0])]
        q, u, a, m = (C[:, part] for part in columns)
        mass = pencil.M.diagonal()
        unit = 1.0 / np.sqrt(np.where(mass > 0, mass, mass[mass > 0].max(initial=1.0)))
        # the rows of B that hold the forces are the last ones, with the sign of the left side
        return StaticTransfer(pencil, -as_dense(B)[A.shape[0] - nq :], (q, u, a, m), D, unit)

    return SparseEquations(parts, static if is_static(linear.point) else None)
