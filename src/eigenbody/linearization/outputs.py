"""Rows of the linear model that read signals: outputs and rates of first-order states, by linear state and input."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from eigenbody.base.arrays import as_dense
from eigenbody.linearization.rows import Rows
from eigenbody.numerics.matrices.linear import beside


class Shapes(Protocol):
    """Motion of all bodies by linear state (and input)."""

    nS: int
    nW: int
    nx: int
    nu: int

    @property
    def q(self) -> np.ndarray: ...  # (nq, states)

    @property
    def u(self) -> np.ndarray: ...

    @property
    def a(self) -> np.ndarray: ...  # (nq, states + inputs)

    @property
    def multipliers(self) -> np.ndarray: ...  # (independent rows, states + inputs)


def through(rows: Rows, shapes: Shapes) -> np.ndarray:
    """Derivative of the quantities by [S, W, x | inputs]."""
    n, first = shapes.nS + shapes.nW + shapes.nx, shapes.nS + shapes.nW
    by_state = rows.q @ shapes.q + rows.u @ shapes.u
    none = np.zeros((by_state.shape[-2], first))
    direct = beside([none, as_dense(rows.x), as_dense(rows.inputs)])
    full = direct + beside([by_state, np.zeros((by_state.shape[-2], direct.shape[-1] - n))])
    if _any(rows.a):
        full = full + rows.a @ shapes.a
    return full + rows.multipliers @ shapes.multipliers if _any(rows.multipliers) else full


def _any(matrix: object) -> bool:
    return bool(np.any(matrix)) if isinstance(matrix, np.ndarray) else bool(matrix.nnz)  # type: ignore[attr-defined]
