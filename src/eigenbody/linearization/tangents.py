"""Tangents of the residual in all coordinates of the bodies, and what the free motion feels of them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from eigenbody.base.arrays import as_dense
from eigenbody.linearization.point import OperatingPoint
from eigenbody.mobility.frame import MotionFrame
from eigenbody.numerics.matrices.assembly import Part
from eigenbody.numerics.matrices.linear import matrix
from eigenbody.numerics.matrices.projection import Projection


class Tangents:
    """The residual's tangents in all coordinates of the bodies."""

    def __init__(self, point: OperatingPoint, frame: MotionFrame) -> None:
        system, mechanics = point.system, point.mechanics
        self._frame, self._mechanics, self._nq, self._is_sparse = frame, mechanics, system.nq, frame.is_sparse
        self.mass: list[Part] = [*mechanics.mass()]
        self.damping = mechanics.damping()
        self.stiffness = mechanics.stiffness(point.motion.multipliers, point.motion.slip_multipliers)

    def onto_free(self) -> FreeTangents:
        """What the free motion feels of them."""
        return FreeTangents(self, self._frame.Pv)

    @cached_property
    def X(self) -> np.ndarray:
        """Forces by first-order states, (nq, states)."""
        return self._by(self._mechanics.applied.state_matrix(), len(self._mechanics.system.states))

    @cached_property
    def B(self) -> np.ndarray:
        """Forces by inputs, (nq, inputs)."""
        return self._by(self._mechanics.applied.input_matrix(), len(self._mechanics.system.inputs))

    @cached_property
    def Q_z(self) -> np.ndarray:
        """Forces by algebraic variables, (nq, variables)."""
        return self._by(self._mechanics.applied.algebraic_matrix(), len(self._mechanics.system.algebraic))

    def _by(self, parts: Sequence[Part], columns: int) -> np.ndarray:
        return as_dense(self._built(parts, columns)) if columns else np.zeros((self._nq, 0))

    @cached_property
    def M(self) -> Any:
        return self._built(self.mass, self._nq)

    @cached_property
    def C(self) -> Any:
        return self._built(self.damping, self._nq)

    @cached_property
    def K(self) -> Any:
        return self._built(self.stiffness, self._nq)

    def force(self, dq: np.ndarray, du: np.ndarray) -> np.ndarray:
        """K dq + C du, (nq,)."""
        products = [*(p.times(dq) for p in self.stiffness), *(p.times(du) for p in self.damping)]
        return sum(products, start=np.zeros(self._nq))

    def _built(self, parts: Sequence[Part], columns: int) -> Any:
        return matrix(parts, (self._nq, columns), self._is_sparse)


class FreeTangents:
    """Pv^T X motion for the mass, damping or stiffness X of all bodies. What these share is kept while it is in use."""

    def __init__(self, tangents: Tangents, Pv: np.ndarray) -> None:
        self._Pv, self._projection = Pv, Projection()
        self.mass, self.damping, self.stiffness = tangents.mass, tangents.damping, tangents.stiffness

    def of(self, parts: list[Part], motion: np.ndarray) -> np.ndarray:
        """Pv^T X motion."""
        if not motion.size:
            return np.zeros((self._Pv.shape[-1], motion.shape[-1]))
        return self._projection.of(parts, self._Pv, motion)

    def sizes(self, parts: list[Part], motion: np.ndarray) -> np.ndarray:
        """Size of the summands of Pv^T X motion, however they cancel."""
        return self._projection.sizes(parts, self._Pv, motion)
