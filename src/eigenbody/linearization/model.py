"""The linear model: M, C, K and A, B, C, D with named states, inputs and outputs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from eigenbody.base.errors import ComputationError
from eigenbody.base.result import Result
from eigenbody.linearization.certificate import Certificate
from eigenbody.linearization.forms import DenseForm, Form, SparseForm, StateSpace, sparse_form
from eigenbody.linearization.pencil import Descriptor
from eigenbody.linearization.point import OperatingPoint
from eigenbody.linearization.units import Units, units_of
from eigenbody.mobility.partition import Selection
from eigenbody.numerics.matrices.linear import beside

if TYPE_CHECKING:
    from eigenbody.linearization.dependents import Dependents
    from eigenbody.linearization.first_order import FirstOrderModel
    from eigenbody.linearization.multiblade import MultiBlade


def motion_by_state(motion: np.ndarray, others: int) -> np.ndarray:
    """Motion by coordinates (nq, k), followed by zeros for the linear states that do not move bodies by themselves."""
    return beside([motion, np.zeros((motion.shape[-2], others))])


@dataclass(frozen=True)
class LinearModel(Result, look="linearization.look"):
    """Exact linear variational equations at an operating point.

    The linear state is [S, W, x]: variations of the coordinates, of the velocity coordinates, and first-order states.
    S' = Y S + Z W and M W' + C W + K S = B_force u + X x. Without non-holonomic rows W = S'. C and K are as they come:
    unsymmetric where the physics is. A large model is kept sparse: its dense matrices are refused, and `descriptor` has
    the same equations.
    """

    point: OperatingPoint
    coordinates: tuple[str, ...]  # S
    velocities: tuple[str, ...]  # W, without the prime
    dropped: tuple[str, ...]  # coordinates asked for that were dependent
    states: tuple[str, ...]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    form: Form  # the matrices
    certificate: Certificate
    notes: tuple[str, ...]
    damping_model: str | None = None  # of damping that was added, in words
    damping_is_natural: bool = True  # whether that damping follows from M and K: the same in all coordinates
    by_route: str | None = None  # route whose matrices these are, where they are not the engine's own
    blades: MultiBlade | None = None  # whose multi-blade coordinates these are; None: coordinates as they are named
    seen_from: str | None = None  # "ground" or the joint with which the observer turns for whom these coordinates were
    # taken, since the equations are constant for him and not in those of the model; None where they are the model's

    # ---- the two forms

    @property
    def is_sparse(self) -> bool:
        """Whether the model is kept sparse."""
        return self.form.is_sparse

    @property
    def dense(self) -> DenseForm:
        """The dense matrices; refused where the model is kept sparse."""
        if isinstance(self.form, DenseForm):
            return self.form
        n = len(self.states)
        raise ComputationError(
            f"This model is kept sparse: the dense A would have {n} x {n} entries ({8e-9 * n * n:.1f} GB). Use its"
            " sparse descriptor form (E, A), ask for a few modes, or force it with solver dense."
        )

    @cached_property
    def sparse(self) -> SparseForm:
        """The equations before elimination, sparse; those of a dense model are made when they are asked for."""
        if isinstance(self.form, SparseForm):
            return self.form
        if self.blades is not None:
            raise ComputationError("Multi-blade coordinates have no sparse form: use M, C, K or A, B, C, D.")
        return sparse_form(self.point, self.form.added_damping)

    @property
    def descriptor(self) -> Descriptor:
        """The same equations before elimination: E z' = A z + B u, y = C z + D u, sparse."""
        return self.sparse.descriptor

    @property
    def added_damping(self) -> Any:
        """What was added to C (dof, dof), over all body coordinates where the model is kept sparse; None: nothing."""
        return self.form.added_damping

    @property
    def numbers(self) -> dict[str, Any]:
        """All numbers that are shown of it, by name."""
        return {"certificate": self.certificate.figures, **self.form.numbers}

    @property
    def second_order_numbers(self) -> dict[str, Any]:
        """Those that modes rest on: the figures of the certificate, M, C and K."""
        return {"certificate": self.certificate.figures, **self.form.second_order_numbers}

    # ---- matrices of the dense form

    @property
    def M(self) -> np.ndarray:
        """Mass matrix (dof, dof)."""
        return self.dense.M

    @property
    def C(self) -> np.ndarray:
        """Damping and gyroscopic matrix (dof, dof)."""
        return self.dense.C

    @property
    def K(self) -> np.ndarray:
        """Stiffness matrix (dof, coordinates)."""
        return self.dense.K

    @property
    def Y(self) -> np.ndarray:
        """S' by S."""
        return self.dense.Y

    @property
    def Z(self) -> np.ndarray:
        """S' by W."""
        return self.dense.Z

    @property
    def noise_K(self) -> np.ndarray:
        """Rounding error to expect in the entries of K, from the size of what cancels in them."""
        return self.dense.noise_K

    @property
    def noise_C(self) -> np.ndarray:
        """The same of C."""
        return self.dense.noise_C

    @property
    def noise_Y(self) -> np.ndarray:
        """The same of Y."""
        return self.dense.noise_Y

    @property
    def noise_Z(self) -> np.ndarray:
        """The same of Z."""
        return self.dense.noise_Z

    @property
    def noise_A(self) -> np.ndarray:
        """Rounding error to expect in A: of the kinematics, and of the forces divided by the mass."""
        return self.dense.noise_A

    @property
    def P(self) -> np.ndarray:
        """(nq, coordinates) motion of all bodies, dq = P S."""
        return self.dense.P

    @property
    def Pv(self) -> np.ndarray:
        """(nq, dof) velocity of all bodies, du = drag S + Pv W."""
        return self.dense.Pv

    @property
    def drag(self) -> np.ndarray:
        """(nq, coordinates) velocity of all bodies by S, du = drag S + Pv W."""
        return self.dense.drag

    @property
    def state_space(self) -> StateSpace:
        """A, B, C, D over [S, W, x]."""
        return self.dense.state_space

    @property
    def A(self) -> np.ndarray:
        """State matrix over [S, W, x]."""
        return self.state_space.A

    @property
    def B(self) -> np.ndarray:
        """Input matrix."""
        return self.state_space.B

    @cached_property
    def shape_q(self) -> np.ndarray:
        """(nq, states) motion of all bodies: dq by linear state."""
        return motion_by_state(self.P, len(self.states) - self.P.shape[-1])

    @cached_property
    def shape_u(self) -> np.ndarray:
        """(nq, states) du by linear state."""
        both = beside([self.drag, self.Pv])
        return motion_by_state(both, len(self.states) - both.shape[-1])

    # ---- what follows from them

    @property
    def chosen(self) -> Selection:
        """Independent rows and coordinates."""
        return self.point.chosen

    @property
    def units(self) -> Units:
        """Units of states, inputs and outputs."""
        return units_of(self.point, self.coordinates, self.velocities)

    def to_control(self) -> Any:
        """A `control.StateSpace` (python-control) with the same matrices and named signals."""
        from eigenbody.linearization.exchange import to_control

        return to_control(self)

    def in_first_order(self, form: str = "momenta") -> FirstOrderModel:
        """A, B, C, D with their names in the state [S, p, x] of momenta, or [S, W, x] of velocities."""
        from eigenbody.linearization.first_order import first_order_model

        return first_order_model(self, form)

    def first_order(self, form: str = "velocities") -> np.ndarray:
        """A of the first-order form in [S, W, x] ("velocities") or [S, momenta, x] ("momenta")."""
        from eigenbody.linearization.first_order import first_order_form

        return first_order_form(self, form).A

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
            raise ComputationError(
                "With non-holonomic constraints there are fewer velocities than coordinates and K is not square; use A."
            )
