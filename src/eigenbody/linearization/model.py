"""The linear model: M, C, K and A, B, C, D with named states, inputs and outputs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Protocol

import numpy as np

from eigenbody.base.result import Result
from eigenbody.linearization.certificate import Certificate
from eigenbody.linearization.pencil import Descriptor, descriptor, tangents
from eigenbody.linearization.point import OperatingPoint
from eigenbody.linearization.units import Units, units_of
from eigenbody.mobility.partition import Selection
from eigenbody.numerics.matrices.linear import beside
from eigenbody.numerics.matrices.noise import EPS

if TYPE_CHECKING:
    from eigenbody.linearization.dependents import Dependents


class StateSpace(NamedTuple):
    """x' = A x + B u, y = C x + D u."""

    A: np.ndarray
    B: np.ndarray
    C: np.ndarray
    D: np.ndarray


class HasStateSpace(Protocol):
    """What knows A, B, C, D, or finds them when asked."""

    @property
    def state_space(self) -> StateSpace: ...


@dataclass(frozen=True)
class KnownStateSpace:
    """A, B, C, D that are known already."""

    state_space: StateSpace


def motion_by_state(motion: np.ndarray, others: int) -> np.ndarray:
    """Motion by coordinates (nq, k), followed by zeros for the linear states that do not move bodies by themselves."""
    return beside([motion, np.zeros((motion.shape[-2], others))])


@dataclass(frozen=True)
class LinearModel(Result, look="linearization.look"):
    """Exact linear variational equations at an operating point.

    The linear state is [S, W, x]: variations of the coordinates, of the velocity coordinates, and first-order states.
    S' = Y S + Z W and M W' + C W + K S = B_force u + X x. Without non-holonomic rows W = S'. C and K are as they come:
    unsymmetric where the physics is.
    """

    point: OperatingPoint
    chosen: Selection
    coordinates: tuple[str, ...]  # S
    velocities: tuple[str, ...]  # W, without the prime
    dropped: tuple[str, ...]  # coordinates asked for that were dependent
    M: np.ndarray
    C: np.ndarray
    K: np.ndarray
    noise_K: np.ndarray  # rounding error to expect in the entries of K, from the size of what cancels in them
    noise_C: np.ndarray  # the same of C, Y and Z
    noise_Y: np.ndarray
    noise_Z: np.ndarray
    Y: np.ndarray
    Z: np.ndarray
    source: HasStateSpace = field(repr=False)
    states: tuple[str, ...]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    P: np.ndarray  # motion of all bodies, dq = P S
    Pv: np.ndarray  # du = drag S + Pv W
    drag: np.ndarray
    certificate: Certificate
    notes: tuple[str, ...]
    is_sparse: ClassVar[bool] = False

    @property
    def numbers(self) -> dict[str, Any]:
        """All numbers that are shown of it, by name."""
        A, B, C, D = self.state_space
        return {**self.second_order_numbers, "A": A, "B": B, "C": C, "D": D}

    @property
    def second_order_numbers(self) -> dict[str, Any]:
        """Those that modes rest on: the figures of the certificate, M, C and K."""
        return {"certificate": self.certificate.figures, "mass": self.M, "damping": self.C, "stiffness": self.K}

    @cached_property
    def state_space(self) -> StateSpace:
        """A, B, C, D over [S, W, x]."""
        return self.source.state_space

    @cached_property
    def shape_q(self) -> np.ndarray:
        """(nq, states) motion of all bodies: dq by linear state."""
        return motion_by_state(self.P, len(self.states) - self.P.shape[-1])

    @cached_property
    def shape_u(self) -> np.ndarray:
        """(nq, states) du by linear state."""
        both = beside([self.drag, self.Pv])
        return motion_by_state(both, len(self.states) - both.shape[-1])

    @cached_property
    def noise_A(self) -> np.ndarray:
        """Rounding error to expect in A: of the kinematics, and of the forces divided by the mass."""
        nS, nW = self.noise_K.shape[-1], self.M.shape[-1]
        velocities, noise = slice(nS, nS + nW), 8 * EPS * np.abs(self.A)
        noise[:nS, :nS] += self.noise_Y
        noise[:nS, velocities] += self.noise_Z
        if nW:
            inverse = np.abs(np.linalg.inv(self.M))
            noise[velocities] += 8 * EPS * (inverse @ (np.abs(self.M) @ np.abs(self.A[velocities])))  # solving with M
            noise[velocities, : nS + nW] += inverse @ beside([self.noise_K, self.noise_C])
        return noise

    @property
    def units(self) -> Units:
        """Units of states, inputs and outputs."""
        return units_of(self.point, self.coordinates, self.velocities)

    @cached_property
    def descriptor(self) -> Descriptor:
        """The same equations before elimination: E z' = A z + B u, y = C z + D u, sparse."""
        return descriptor(self.point, self.chosen, *tangents(self.point))

    def to_control(self) -> Any:
        """A `control.StateSpace` (python-control) with the same matrices and named signals."""
        from eigenbody.linearization.exchange import to_control

        return to_control(self)

    def first_order(self, form: str = "velocities") -> np.ndarray:
        """A of the first-order form in [S, W, x] ("velocities") or [S, momenta, x] ("momenta")."""
        from eigenbody.linearization.first_order import first_order_form

        return first_order_form(self, form).A

    @property
    def A(self) -> np.ndarray:
        """State matrix over [S, W, x]."""
        return self.state_space.A

    @property
    def B(self) -> np.ndarray:
        """Input matrix."""
        return self.state_space.B

    @property
    def is_second_order(self) -> bool:
        """Whether M, C, K say everything: W = S' and no first-order states."""
        return len(self.coordinates) == len(self.velocities) and len(self.states) == 2 * len(self.coordinates)

    @property
    def dof(self) -> int:
        """Degrees of freedom: independent velocities."""
        return len(self.velocities)

    @property
    def damping(self) -> np.ndarray:
        """Symmetric part of C."""
        return 0.5 * (self.C + self.C.T)

    @property
    def gyroscopic(self) -> np.ndarray:
        """Skew part of C."""
        return 0.5 * (self.C - self.C.T)

    @property
    def conservative(self) -> np.ndarray:
        """Symmetric part of K."""
        self._needs_square_stiffness()
        return 0.5 * (self.K + self.K.T)

    @property
    def circulatory(self) -> np.ndarray:
        """Skew part of K."""
        self._needs_square_stiffness()
        return 0.5 * (self.K - self.K.T)

    def dependents(self, measures: Sequence[str]) -> Dependents:
        """How measures that are no coordinates, and their rates, follow the linear state."""
        from eigenbody.linearization.dependents import dependents

        return dependents(self, measures)

    def _needs_square_stiffness(self) -> None:
        if len(self.coordinates) != len(self.velocities):
            from eigenbody.base.errors import ComputationError

            raise ComputationError(
                "With non-holonomic constraints there are fewer velocities than coordinates and K is not square; use A."
            )
