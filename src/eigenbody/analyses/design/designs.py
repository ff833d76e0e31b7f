"""Designs: the linear model at given values of the design variables, and its derivatives by them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, Protocol

import numpy as np

from eigenbody.analyses.linearize import Ports, ports
from eigenbody.analyses.modes import damping_ratios, frequencies_hz
from eigenbody.analyses.sensitivity import derivatives
from eigenbody.analyses.sweep import VariantModes, variants
from eigenbody.base.batched import Variants, stacked
from eigenbody.base.errors import ComputationError
from eigenbody.model.description import owner_of
from eigenbody.model.model import InertModel
from eigenbody.numerics.signals.transfer import DenseTransfer

STEP = 1e-5  # relative, of central differences
TOGETHER = 1e-7  # relative distance below which eigenvalues count as repeated


class Slopes(NamedTuple):
    """Derivatives (P, ...) of the state space by the variables."""

    A: np.ndarray
    B: np.ndarray
    C: np.ndarray
    D: np.ndarray


@dataclass(frozen=True)
class DesignSpace:
    """A model with the names of its design variables, and where its inputs, outputs and velocities stand."""

    model: InertModel
    names: tuple[str, ...]
    inputs: dict[str, int]
    outputs: dict[str, int]
    velocities: slice  # of the linear state
    units: dict[str, str]  # of inputs and outputs
    exact: bool = True  # derivatives by differentiation, not by differences

    @classmethod
    def of(
        cls, model: InertModel, names: Sequence[str], inputs: Sequence[str] = (), outputs: Sequence[str] = (),
        exact: bool = True,
    ) -> DesignSpace:  # fmt: skip
        """The space of a model that is excited and read at these ports (inputs, outputs or measures)."""
        found = ports(model, list(inputs), list(outputs))
        linear = found.linear
        if linear.is_sparse:
            raise ComputationError(
                f"The model has {linear.dof} degrees of freedom; designs are compared by dense matrices only."
                " Take a smaller model, or a part of this one."
            )
        first = len(linear.coordinates)
        return cls(
            linear.point.model, tuple(names),
            dict(zip(found.input_names, found.inputs, strict=True)),
            dict(zip(found.output_names, found.outputs, strict=True)),
            slice(first, first + len(linear.velocities)), _units(found), exact,
        )  # fmt: skip

    def at(self, x: np.ndarray) -> Design:
        """The design of these values; ComputationError where it has no operating point."""
        found = self.many(np.asarray(x, dtype=float)[None])[0]
        if isinstance(found, str):
            raise ComputationError(found)
        return found

    def many(self, x: np.ndarray) -> list[Design | str]:
        """Designs of all rows of x (k, P), computed together; a message where one fails."""
        try:
            family = variants(self.model, {name: x[:, i] for i, name in enumerate(self.names)}, workers=1)
        except ComputationError as error:
            return [str(error)] * len(x)
        return [family.failures.get(k) or Design.of(self, x[k], family, k) for k in range(len(x))]

    def mass(self, x: np.ndarray, bodies: Sequence[str] = ()) -> tuple[float, np.ndarray]:
        """Total mass of the bodies (default: of all) and its derivatives (P,), by complex steps."""
        tiny = 1e-30
        shifts = np.eye(len(x)) * 1j * tiny
        varied = {name: Variants(x[i] + shifts[:, i]) for i, name in enumerate(self.names)}
        table = self.model.with_values(varied).description.bodies
        every = np.broadcast_to(stacked(table.mass), (len(x), len(table)))
        chosen = [k for k, name in enumerate(table.names) if not bodies or owner_of(name) in bodies]
        total = every[:, chosen].sum(axis=1)
        return float(total[0].real), np.imag(total) / tiny


def _units(found: Ports) -> dict[str, str]:
    named = zip(found.input_names, found.input_units, strict=True)
    return {**dict(named), **dict(zip(found.output_names, found.output_units, strict=True))}


class HasPeaks(Protocol):
    """A response of which peaks are judged; hashable."""

    def peaks(self, design: Design) -> np.ndarray: ...


@dataclass(frozen=True, eq=False)
class Design:
    """The linear model at values x (P,) of the variables.

    eigenvalues  (n,) without rigid motion, one of each conjugate pair, sorted by magnitude
    right        (states, n) eigenvectors as columns
    """

    space: DesignSpace
    x: np.ndarray
    A: np.ndarray
    B: np.ndarray
    C: np.ndarray
    D: np.ndarray
    M: np.ndarray
    eigenvalues: np.ndarray
    right: np.ndarray
    rigid: int  # number of recognized zeros

    @classmethod
    def of(cls, space: DesignSpace, x: np.ndarray, family: VariantModes, k: int) -> Design:
        """One variant out of a family."""
        values = family.eigenvalues[k]
        shown = np.flatnonzero((values != 0) & (values.imag >= 0))
        parts = (family.A[k], family.B[k], family.C[k], family.D[k], family.M[k])
        return cls(
            space, np.array(x, dtype=float), *parts, values[shown], family.right[k][:, shown], int((values == 0).sum())
        )

    @property
    def frequency_hz(self) -> np.ndarray:
        """|eigenvalue| / 2 pi."""
        return frequencies_hz(self.eigenvalues)

    @property
    def damping_ratio(self) -> np.ndarray:
        """-real / |eigenvalue|."""
        return damping_ratios(self.eigenvalues)

    @property
    def is_stable(self) -> bool:
        """Whether nothing grows; undamped motion is allowed."""
        scale = np.abs(self.eigenvalues).max(initial=0.0)
        return bool((self.eigenvalues.real <= 1e-9 * scale).all())

    @cached_property
    def motion(self) -> np.ndarray:
        """(n, states) shapes whose scalar product is by kinetic energy; first-order states count a little."""
        moving = self.right[self.space.velocities]
        root = np.linalg.cholesky(_positive(self.M)).T
        size = np.linalg.norm(self.right, axis=0)
        scaled = (root @ moving) / np.maximum(np.linalg.norm(root @ moving, axis=0), 1e-300)
        rest = np.delete(self.right, np.arange(self.space.velocities.stop), axis=0) / size
        return np.concatenate((scaled, 1e-3 * rest)).T

    @cached_property
    def left(self) -> np.ndarray:
        """(states, n) left eigenvectors with left^H right = 1 for each mode (a unit matrix within repeated ones)."""
        from scipy.linalg import eig

        values, left, _ = eig(self.A, left=True, right=True)
        taken = _paired(self.eigenvalues, values)
        left = left[:, taken].astype(complex)
        for members in _clusters(self.eigenvalues):
            gram = left[:, members].conj().T @ self.right[:, members]
            if np.linalg.cond(gram) > 1e10:
                hz = float(self.frequency_hz[members[0]])
                raise ComputationError(
                    f"The mode at {hz:.6g} Hz is defective (critical damping or flutter begins exactly there):"
                    " its eigenvalue has no derivative. Change a start value a little."
                )
            left[:, members] = left[:, members] @ np.linalg.inv(gram).conj().T
        return left

    def transfer(self, output: int, input: int) -> DenseTransfer:
        """Transfer function from an input to an output; made once."""
        if (output, input) not in self._transfers:
            B, C, D = self.B[:, [input]], self.C[[output]], self.D[[output]][:, [input]]
            self._transfers[output, input] = DenseTransfer(self.A, B, C, D)
        return self._transfers[output, input]

    def peaks_of(self, response: HasPeaks) -> np.ndarray:
        """Frequencies of the peaks of a response; found once."""
        if response not in self._peaks:
            self._peaks[response] = response.peaks(self)
        return self._peaks[response]

    @cached_property
    def _transfers(self) -> dict[tuple[int, int], DenseTransfer]:
        return {}

    @cached_property
    def _peaks(self) -> dict[HasPeaks, np.ndarray]:
        return {}

    @cached_property
    def slopes(self) -> Slopes:
        """Derivatives of A, B, C, D by the variables."""
        return _gradient(self)

    @cached_property
    def eigenvalue_slopes(self) -> np.ndarray:
        """(P, n) derivatives of the eigenvalues."""
        return np.einsum("sn,pst,tn->pn", self.left.conj(), self.slopes.A, self.right, optimize=True)


def _positive(M: np.ndarray) -> np.ndarray:
    """A symmetric M that can be factored; massless directions count a little."""
    symmetric = 0.5 * (M + M.T)
    least = 1e-12 * np.abs(np.diag(symmetric)).max(initial=0.0)
    strengths, axes = np.linalg.eigh(symmetric)
    return (axes * np.maximum(strengths, least)) @ axes.T


def _paired(wanted: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Index of the nearest value for each wanted one, each value once."""
    from scipy.optimize import linear_sum_assignment

    return linear_sum_assignment(np.abs(wanted[:, None] - values[None, :]))[1]


def _clusters(values: np.ndarray) -> list[np.ndarray]:
    """Members of each set of repeated eigenvalues."""
    near = np.abs(values[:, None] - values[None, :]) <= TOGETHER * np.abs(values[:, None])
    groups, left = [], np.ones(len(values), dtype=bool)
    for i in range(len(values)):
        if left[i]:
            members = np.flatnonzero(near[i] & left)
            left[members] = False
            groups.append(members)
    return groups


# Derivatives ----------------------------------------------------------------------------------------------------------
def _gradient(design: Design) -> Slopes:
    """Exact derivatives; by differences where asked for, or where the design stands in other coordinates."""
    space = design.space
    if not space.exact:
        return differences(space, design.x)
    found = derivatives(space.model.with_values(dict(zip(space.names, design.x.tolist(), strict=True))), space.names)
    if found.dA.shape[1:] != design.A.shape or not np.allclose(found.linear.A, design.A, rtol=1e-8, atol=1e-300):
        return differences(space, design.x)
    return Slopes(found.dA, found.dB, found.dC_out, found.dD)


def differences(space: DesignSpace, x: np.ndarray) -> Slopes:
    """Derivatives by central differences, all in one batch of variants."""
    h = STEP * np.maximum(np.abs(x), 1e-3)
    steps = np.diag(h)
    around = np.concatenate((x + steps, x - steps))
    family = variants(space.model, {name: around[:, i] for i, name in enumerate(space.names)}, workers=1)
    if family.failures:
        raise ComputationError(f"No derivative: beside the design, {next(iter(family.failures.values()))}")
    n = len(x)
    slope = lambda a: (a[:n] - a[n:]) / (2 * h[:, None, None])  # noqa: E731
    return Slopes(slope(family.A), slope(family.B), slope(family.C), slope(family.D))
