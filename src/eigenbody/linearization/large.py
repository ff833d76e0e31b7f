"""The linear model of a mechanism too large for dense matrices: the same equations in sparse form."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from typing import Any, ClassVar, NoReturn

import numpy as np

from eigenbody.base.errors import ComputationError
from eigenbody.base.result import Result
from eigenbody.linearization.certificate import Certificate
from eigenbody.linearization.pencil import (
    Descriptor,
    StaticPencil,
    descriptor,
    descriptor_noise,
    is_static,
    springs_of,
    static_pencil,
)
from eigenbody.linearization.point import OperatingPoint
from eigenbody.linearization.rounding import SparseRounding
from eigenbody.linearization.units import Units, units_of
from eigenbody.mobility.partition import Selection
from eigenbody.numerics.eigen.sparse import DescriptorPencil, condensed_times
from eigenbody.numerics.eigen.sparse_quadratic import QuadraticPencil
from eigenbody.numerics.matrices.sparse_noise import SparseNoise
from eigenbody.numerics.matrices.springs import Springs


@dataclass(frozen=True)
class SparseLinearModel(Result, look="linearization.look"):
    """Linear equations with named coordinates, kept sparse; `modes` takes it as it takes a `LinearModel`.

    `descriptor` is E z' = A z + B u, y = C z + D u with z = [S, W, x, dq, du, du', multipliers]. At rest `pencil` has
    M, C, K over all body coordinates and the independent constraint rows G, which is smaller.
    """

    point: OperatingPoint
    chosen: Selection
    coordinates: tuple[str, ...]
    velocities: tuple[str, ...]
    dropped: tuple[str, ...]
    states: tuple[str, ...]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    certificate: Certificate
    notes: tuple[str, ...]
    tangents: tuple[Any, Any] = field(repr=False)  # C = dF/du and K = dF/dq over all body coordinates
    is_sparse: ClassVar[bool] = True

    @property
    def numbers(self) -> dict[str, Any]:
        """All numbers that are shown of it, by name."""
        return self.second_order_numbers

    @property
    def second_order_numbers(self) -> dict[str, Any]:
        """Those that modes rest on: the figures of the certificate."""
        return {"certificate": self.certificate.figures}

    @property
    def dof(self) -> int:
        return len(self.velocities)

    @property
    def units(self) -> Units:
        """Units of states, inputs and outputs."""
        return units_of(self.point, self.coordinates, self.velocities)

    @property
    def is_static(self) -> bool:
        """Whether the small pencil says everything."""
        return is_static(self.point)

    @cached_property
    def pencil(self) -> StaticPencil:
        pencil = static_pencil(self.point, self.chosen, *self.tangents)
        return replace(pencil, springs=cache(self.springs)) if self.is_static else pencil

    def springs(self) -> Springs | None:
        """Stiffness and damping by the deflections of the elements."""
        return springs_of(self.point)

    @cached_property
    def descriptor(self) -> Descriptor:
        return descriptor(self.point, self.chosen, *self.tangents)

    @cached_property
    def noise(self) -> SparseNoise:
        """What rounding may leave in the tangents C and K."""
        return self._rounding.noise(self.tangents[0])

    @cached_property
    def _rounding(self) -> SparseRounding:
        return SparseRounding(self.point, self.chosen)

    @cached_property
    def descriptor_noise(self) -> Any:
        """The same for the descriptor's A."""
        return descriptor_noise(self.descriptor, self.noise, self._rounding.accelerations())

    @property
    def resting_pencil(self) -> QuadraticPencil:
        """The equations where `is_static`."""
        p = self.pencil
        return QuadraticPencil(p.M, p.C, p.K, p.G, self.noise)

    @property
    def moving_pencil(self) -> DescriptorPencil:
        """The equations anywhere."""
        d, rate = self.descriptor, max(float(np.abs(self.point.state.w).max(initial=0.0)), 1.0)
        return DescriptorPencil(d.E, d.A, d.differential, self.descriptor_noise, d.dq, rate)

    def rates_of(self, states: np.ndarray) -> np.ndarray:
        """A times states (states, k), without forming A."""
        return condensed_times(self.descriptor.A, states)

    def refuse_dense(self, what: str) -> NoReturn:
        n = len(self.states)
        raise ComputationError(
            f"The dense {what} of this model would have {n} x {n} entries ({8e-9 * n * n:.1f} GB). Use its sparse"
            " descriptor form (E, A), ask for a few modes, or force it with solver dense."
        )

    def to_control(self) -> NoReturn:
        """python-control holds dense matrices only."""
        self.refuse_dense("A")

    @property
    def A(self) -> Any:
        self.refuse_dense("A")

    @property
    def M(self) -> Any:
        self.refuse_dense("M")

    @property
    def C(self) -> Any:
        self.refuse_dense("C")

    @property
    def K(self) -> Any:
        self.refuse_dense("K")
