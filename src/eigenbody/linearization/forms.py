"""The two forms of the linear equations: dense matrices, and sparse ones where these would be too large."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Protocol

import numpy as np

from eigenbody.base.copies import LeanCopies
from eigenbody.linearization.pencil import (
    Descriptor,
    StaticPencil,
    descriptor,
    descriptor_noise,
    is_static,
    springs_of,
    static_pencil,
    tangents,
)
from eigenbody.linearization.point import OperatingPoint
from eigenbody.linearization.rounding import SparseRounding
from eigenbody.mobility.frame import MotionFrame
from eigenbody.numerics.eigen.dense import spectrum_first_order, spectrum_second_order
from eigenbody.numerics.eigen.spectrum import Spectrum
from eigenbody.numerics.matrices.linear import beside
from eigenbody.numerics.matrices.noise import EPS
from eigenbody.numerics.matrices.sparse_noise import SparseNoise
from eigenbody.numerics.matrices.springs import Springs

if TYPE_CHECKING:
    from eigenbody.numerics.eigen.sparse import DescriptorPencil
    from eigenbody.numerics.eigen.sparse_quadratic import QuadraticPencil


class StateSpace(NamedTuple):
    """x' = A x + B u, y = C x + D u."""

    A: np.ndarray
    B: np.ndarray
    C: np.ndarray
    D: np.ndarray


class Losses(NamedTuple):
    """Structural damping: loss stiffness (dof, dof), eta K of the modes that have it, and its viscous equivalent."""

    stiffness: np.ndarray
    viscous: np.ndarray


class EntryNoise(NamedTuple):
    """Rounding errors to expect in the entries of K, C, Y and Z, from the size of what cancels in them."""

    K: np.ndarray
    C: np.ndarray
    Y: np.ndarray
    Z: np.ndarray


class HasStateSpace(Protocol):
    """What knows A, B, C, D, or finds them when asked."""

    @property
    def state_space(self) -> StateSpace: ...


@dataclass(frozen=True)
class KnownStateSpace:
    """A, B, C, D that are known already."""

    state_space: StateSpace


@dataclass(frozen=True, eq=False)
class DenseForm(LeanCopies):
    """S' = Y S + Z W and M W' + C W + K S = B_force u + X x, and the motion of all bodies dq = P S, du = drag S + Pv W.

    `noise` finds the rounding errors to expect in the entries of K, C, Y and Z.
    """

    M: np.ndarray
    C: np.ndarray
    K: np.ndarray
    Y: np.ndarray
    Z: np.ndarray
    P: np.ndarray
    Pv: np.ndarray
    drag: np.ndarray
    noise: Callable[[], EntryNoise] = field(repr=False)
    source: HasStateSpace = field(repr=False)
    added_damping: np.ndarray | None = None  # (dof, dof) part of C that the mechanism does not have
    losses: Losses | None = None  # structural damping, whose viscous equivalent is part of `added_damping`
    is_sparse: ClassVar[bool] = False

    @cached_property
    def state_space(self) -> StateSpace:
        """A, B, C, D over [S, W, x]."""
        return self.source.state_space

    @cached_property
    def first_order_spectrum(self) -> Spectrum:
        """All eigenvalues of A."""
        return spectrum_first_order(self.state_space.A, self.noise_A)

    @cached_property
    def second_order_spectrum(self) -> Spectrum:
        """All eigenvalues of M, C and K, where these say everything."""
        return spectrum_second_order(self.M, self.C, self.K, self.noise_K, self.noise_C)

    @property
    def numbers(self) -> dict[str, Any]:
        """All numbers that are shown of it, by name."""
        A, B, C, D = self.state_space
        return {**self.second_order_numbers, "A": A, "B": B, "C": C, "D": D}

    @property
    def second_order_numbers(self) -> dict[str, Any]:
        """Those that modes rest on."""
        return {"mass": self.M, "damping": self.C, "stiffness": self.K}

    @property
    def noise_K(self) -> np.ndarray:
        """Rounding error to expect in the entries of K."""
        return self.noise().K

    @property
    def noise_C(self) -> np.ndarray:
        """The same of C."""
        return self.noise().C

    @property
    def noise_Y(self) -> np.ndarray:
        """The same of Y."""
        return self.noise().Y

    @property
    def noise_Z(self) -> np.ndarray:
        """The same of Z."""
        return self.noise().Z

    @cached_property
    def noise_A(self) -> np.ndarray:
        """Rounding error to expect in A: of the kinematics, and of the forces divided by the mass."""
        A, nS, nW = self.state_space.A, self.noise_K.shape[-1], self.M.shape[-1]
        velocities, noise = slice(nS, nS + nW), 8 * EPS * np.abs(A)
        noise[..., :nS, :nS] += self.noise_Y
        noise[..., :nS, velocities] += self.noise_Z
        if nW:
            inverse = np.abs(np.linalg.inv(self.M))
            noise[..., velocities, :] += 8 * EPS * (inverse @ (np.abs(self.M) @ np.abs(A[..., velocities, :])))
            noise[..., velocities, : nS + nW] += inverse @ beside([self.noise_K, self.noise_C])
        return noise


@dataclass(frozen=True)
class SparseForm(LeanCopies):
    """The equations before elimination, over all body coordinates.

    `descriptor` is E z' = A z + B u, y = C z + D u with z = [S, W, x, dq, du, du', multipliers]. At rest `pencil` has
    M, C, K over all body coordinates and the independent constraint rows G, which is smaller.
    """

    point: OperatingPoint = field(repr=False)
    tangents: tuple[Any, Any] = field(repr=False)  # C = dF/du and K = dF/dq over all body coordinates
    added_damping: Any = field(default=None, repr=False)  # part of C that the mechanism does not have
    is_sparse: ClassVar[bool] = True
    numbers: ClassVar[dict[str, Any]] = {}  # shown of it
    second_order_numbers: ClassVar[dict[str, Any]] = {}

    @property
    def dof(self) -> int:
        """Degrees of freedom."""
        return len(self.point.chosen.velocities)

    @property
    def is_static(self) -> bool:
        """Whether the small pencil says everything."""
        return is_static(self.point)

    @cached_property
    def pencil(self) -> StaticPencil:
        """M, C, K and G; right only where `is_static`."""
        pencil = static_pencil(self.point, *self.tangents)
        return replace(pencil, springs=cache(self.springs)) if self.is_static else pencil

    def springs(self) -> Springs | None:
        """Stiffness and damping by the deflections of the elements; damping that was added is not theirs."""
        found = springs_of(self.point)
        if found is None or self.added_damping is None:
            return found
        return replace(found, c=np.zeros(len(found.k)), C_rest=self.tangents[0])

    @cached_property
    def descriptor(self) -> Descriptor:
        """E, A, B, C, D and where the unknowns stand in z."""
        return descriptor(self.point, *self.tangents)

    @cached_property
    def noise(self) -> SparseNoise:
        """What rounding may leave in the tangents C and K."""
        return self._rounding.noise(self.tangents[0])

    @cached_property
    def _rounding(self) -> SparseRounding:
        return SparseRounding(self.point)

    @cached_property
    def descriptor_noise(self) -> Any:
        """The same for the descriptor's A."""
        return descriptor_noise(self.descriptor, self.noise, self._rounding.accelerations())

    @property
    def resting_pencil(self) -> QuadraticPencil:
        """The equations where `is_static`."""
        from eigenbody.numerics.eigen.sparse_quadratic import QuadraticPencil

        p = self.pencil
        return QuadraticPencil(p.M, p.C, p.K, p.G, self.noise)

    @property
    def moving_pencil(self) -> DescriptorPencil:
        """The equations anywhere."""
        from eigenbody.numerics.eigen.sparse import DescriptorPencil

        d, rate = self.descriptor, max(float(np.abs(self.point.state.w).max(initial=0.0)), 1.0)
        return DescriptorPencil(d.E, d.A, d.differential, self.descriptor_noise, d.dq, rate)

    def rates_of(self, states: np.ndarray) -> np.ndarray:
        """A times states (states, k), without forming A."""
        from eigenbody.numerics.eigen.sparse import condensed_times

        return condensed_times(self.descriptor.A, states)


Form = DenseForm | SparseForm


def sparse_form(point: OperatingPoint, added_damping: np.ndarray | None = None) -> SparseForm:
    """The equations at an operating point; `added_damping` (dof, dof) acts along the velocity coordinates."""
    C, K = tangents(point)
    if added_damping is None:
        return SparseForm(point, (C, K))
    from scipy.sparse import csc_array

    frame = MotionFrame(point.mechanics, point.chosen, is_sparse=True)
    by_speed, by_place = (frame.speed_rows(what) for what in ("gradient", "rate_q"))  # dW = (.) du + (.) dq
    force = by_speed.T @ csc_array(added_damping)
    added = (force @ by_speed).tocsc()
    return SparseForm(point, ((C + added).tocsc(), (K + force @ by_place).tocsc()), added)
