"""Small models that answer like large ones: balanced truncation with its bound, and reduction of M, C, K."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from eigenbody.analyses.linearize import constant_linear_of
from eigenbody.analyses.modes import SmallModel, frequency_response
from eigenbody.analyses.reduce.second_order import second_order
from eigenbody.base.errors import Fault, InputError, suggest
from eigenbody.base.result import Drawn
from eigenbody.linearization.forms import StateSpace
from eigenbody.linearization.model import LinearModel
from eigenbody.linearization.subject import Subject
from eigenbody.numerics.runtime import on_one_thread
from eigenbody.numerics.signals.balancing import (
    Space,
    apart,
    balanced,
    beside,
    difference,
    dropped,
    largest_gain,
    measured,
    scaled,
    yardsticks,
)

METHODS = ("balanced", "second-order")
LARGEST = 600  # states of the difference whose largest gain is found; above it is not
TOLERANCE = 1e-3
ROUNDING = 1e-11  # of the sum of the Hankel singular values: what the Gramians may be off by


@dataclass(frozen=True, eq=False)
class ReducedModel(SmallModel, Drawn, look="analyses.reduce.look"):
    """z' = A z + B u, y = C z + D u with fewer states; x = T z restores the linear state, but for what was dropped.

    hankel    (n,) Hankel singular values of the part that decays, falling; empty for second-order reduction
    kept      eigenvalues of the part that does not decay (zeros, oscillations without damping, instability), which is
              kept as it is
    gains     (outputs, inputs) yardsticks: none is above the largest gain of its output (of what decays); ones where
              `relative` is off. Hankel singular values, bound and error are those of the gains divided by them
    bound     no gain is off by more than bound * gains at any frequency, nor is the largest singular value of them all;
              nan where there is no such bound (second-order reduction). It holds the rounding of what decays; a gain
              that what is kept makes far larger (that of the height of a road, at low frequencies) is rounded as any
              number of its size, or of the size of what cancels in it
    error     how far the largest singular value of the difference goes, found over all frequencies, and where:
              `error_hz`; nan where the models are too large to find it
    M, K, damping  of second-order reduction: M q'' + damping q' + K q = forces of u, z = [q, q']
    """

    linear: LinearModel
    method: str
    A: np.ndarray
    B: np.ndarray
    C: np.ndarray
    D: np.ndarray
    T: np.ndarray
    states: tuple[str, ...]
    hankel: np.ndarray
    kept: np.ndarray
    bound: float
    error: float
    error_hz: float
    gains: np.ndarray
    static: bool
    relative: bool
    M: np.ndarray | None = None
    damping: np.ndarray | None = None
    K: np.ndarray | None = None

    @cached_property
    def eigenvalues(self) -> np.ndarray:
        """Of A."""
        return np.linalg.eigvals(self.A)

    def full_response(self, hz: Any) -> np.ndarray:
        """The same of the model that was reduced."""
        return frequency_response(self.linear.state_space, hz)


@on_one_thread
def reduce(
    model: Subject,
    n: int | None = None,
    tolerance: float | None = None,
    method: str = "balanced",
    static: bool = True,
    relative: bool = True,
) -> ReducedModel:
    """A small model whose outputs answer the inputs like those of the large one.

    method     "balanced": states are dropped that inputs reach least and outputs see least, with a bound of the error;
               what does not decay is kept. "second-order": M, C and K stay matrices of a mechanism
    n          states to keep ("second-order": degrees of freedom)
    tolerance  instead: keep as many as the bound needs to be this part of the largest Hankel singular value, which the
               peak of the transfer matrix is never below (default 0.001; "second-order": n is needed)
    static     keep the gain at zero frequency
    relative   measure gains by the largest of each output, so that those in N do not drown those in m; off: as they are
    """
    linear = _checked(model, n, tolerance, method)
    space, scale = scaled(Space(*linear.state_space))
    parts = apart(space)
    sticks = yardsticks(parts.decaying) if relative else _ones(parts.decaying)
    if method == "second-order":
        assert n is not None
        return _second_order(linear, n, sticks, static, relative)
    found = balanced(measured(parts.decaying, *sticks))
    count = _needed(found.hankel, tolerance) if n is None else n - len(parts.kept.A)
    if count < 0:
        what = f"{len(parts.kept.A)} states do not decay and are kept; {n} are fewer."
        raise InputError(Fault("n", what, "Keep more, or hold what moves freely."))
    count = min(count, len(found.space.A))
    own, T = dropped(found, count, static)
    error, at = _error(measured(parts.decaying, *sticks), own)
    small = beside(parts.kept, measured(own, *(1 / stick for stick in sticks)))
    whole = scale[:, None] * np.hstack((parts.T_kept, parts.T_decaying @ T))
    names = (*(f"kept {k + 1}" for k in range(len(parts.kept.A))), *(f"balanced {k + 1}" for k in range(count)))
    rounding = ROUNDING * float(found.hankel.sum())
    bound = max(2 * float(found.hankel[count:].sum()) + rounding, float(np.nan_to_num(error)))
    return ReducedModel(
        linear, method, *small, whole, names, found.hankel, parts.eigenvalues, bound, error, at, np.outer(*sticks),
        static, relative,
    )  # fmt: skip


def _ones(space: Space) -> tuple[np.ndarray, np.ndarray]:
    return np.ones(len(space.C)), np.ones(space.B.shape[1])


def _checked(model: Subject, n: int | None, tolerance: float | None, method: str) -> LinearModel:
    faults = []
    if method not in METHODS:
        faults.append(Fault("method", f'there is no reduction "{method}".', suggest(method, METHODS)))
    if n is not None and (n < 0 or tolerance is not None):
        faults.append(Fault("n", "a number of states, or a tolerance, is expected.", "For example n=6."))
    if tolerance is not None and not 0 < tolerance < 1:
        faults.append(Fault("tolerance", f"{tolerance:g} is not between 0 and 1.", "For example 1e-3."))
    if method == "second-order" and (n is None or n < 1):
        faults.append(Fault("n", "second-order reduction needs a number of degrees of freedom.", "For example n=4."))
    if faults:
        raise InputError(faults)
    linear = constant_linear_of(model)
    if linear.is_sparse:
        what = f"the model has {linear.dof} degrees of freedom and is kept sparse."
        raise InputError(Fault("reduce", what, "Truncate it: eb.truncate(model, n=20), or ask for the solver dense."))
    if not linear.inputs or not linear.outputs:
        what = "the model has no inputs or no outputs: nothing says which states matter."
        raise InputError(Fault("reduce", what, "Add `inputs` and `outputs` to the model, or truncate by modes."))
    return linear


def _needed(hankel: np.ndarray, tolerance: float | None) -> int:
    """States whose bound is within the tolerance."""
    rest = 2 * np.concatenate((np.cumsum(hankel[::-1])[::-1], [0.0]))
    limit = (TOLERANCE if tolerance is None else tolerance) * float(hankel.max(initial=0.0))
    return int(np.argmax(rest <= limit))


def _error(whole: Space, small: Space) -> tuple[float, float]:
    """Largest gain of the difference, and where in Hz."""
    if len(whole.A) + len(small.A) > LARGEST:
        return np.nan, np.nan
    value, omega = largest_gain(difference(whole, small))
    return value, omega / (2 * np.pi)


def _second_order(
    linear: LinearModel, n: int, sticks: tuple[np.ndarray, np.ndarray], static: bool, relative: bool
) -> ReducedModel:
    found = second_order(linear, n, static)
    error, at = _error(*(measured(space, *sticks) for space in (Space(*linear.state_space), found.space)))
    names = tuple(f"{sign}{k + 1}{end}" for sign, end in (("q", ""), ("q", "'")) for k in range(len(found.M)))
    none = np.zeros(0)
    return ReducedModel(
        linear, "second-order", *found.space, found.T, names, none, none, np.nan, error, at, np.outer(*sticks),
        static, relative, found.M, found.damping, found.K,
    )  # fmt: skip


__all__ = ("ReducedModel", "reduce")
