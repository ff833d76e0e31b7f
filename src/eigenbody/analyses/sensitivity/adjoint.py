"""Slopes of the eigenvalues of small mechanisms at rest by their mode shapes, where these are clearly simple.

The linear equations are not differentiated: what a number changes in the elements is summed against the shapes that are
known already (`large`). Where that does not say everything (motion, feedback, unsymmetric matrices, equal or nearly
equal eigenvalues, points of rest that a number disturbs) the answer is None, and A has to be differentiated.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from eigenbody.analyses.modes import Modes
from eigenbody.analyses.sensitivity.large import Slopes, Unbalanced, slopes_by_shapes, steps_in
from eigenbody.analyses.sensitivity.pairing import Pairing, is_mirrored
from eigenbody.dynamics.mechanics import Mechanics
from eigenbody.linearization.forms import sparse_form
from eigenbody.linearization.pencil import is_static
from eigenbody.linearization.point import OperatingPoint
from eigenbody.linearization.spectrum import spectrum_of
from eigenbody.model.model import InertModel
from eigenbody.numerics.matrices.linear import matrix
from eigenbody.operating.shift import Steps, refuse_opened

APART = 1e-4  # relative distance from every other eigenvalue beyond which one is simple
CLEAR = 1e-3  # phi^T (2 s M + C) phi, of its terms without sign, beyond which one is far from defective


def slopes_of_simple(found: Modes, model: InertModel, names: Sequence[str]) -> Slopes | None:
    """Slopes of the eigenvalues of modes found on the dense path, None where they are not told by the shapes."""
    point, states = found.linear.point, found.states_shape
    if states is None or not is_static(point) or not _are_simple(found):
        return None
    pencil = sparse_form(point).pencil
    if not is_mirrored(pencil):
        return None
    P, shapes = found.linear.P, states[:, : found.linear.P.shape[1]].T
    pairing = Pairing(found.eigenvalues, P @ shapes.real + 1j * (P @ shapes.imag), found.is_rigid, pencil)
    if pairing.clearest < CLEAR:
        return None
    try:
        return slopes_by_shapes(point, model, pairing, names, lambda steps, moved: _refuse_opening(point, steps, moved))
    except Unbalanced:
        return None


def _are_simple(found: Modes) -> bool:
    """Whether each eigenvalue is away from all others and from zero."""
    every = spectrum_of(found.linear).eigenvalues
    if found.is_rigid.any() or not len(found.eigenvalues):
        return False
    near = np.abs(found.eigenvalues[:, None] - every) <= APART * np.abs(found.eigenvalues)[:, None]
    return bool(np.all(np.count_nonzero(near, axis=1) == 1))


def _refuse_opening(point: OperatingPoint, steps: Steps, moved: Mechanics) -> None:
    """A redundant row that opens with a number, here or next to here. Redundant rows are a combination of the others,
    G_r = L G, and stay so along the free motion where d(G_r) P = L d(G) P."""
    from scipy.sparse import csr_array

    chosen, system, n = point.chosen, point.system, len(steps.names)
    if not len(chosen.redundant):
        return
    value = np.broadcast_to(moved.holonomic.value[..., chosen.redundant], (n, len(chosen.redundant)))
    shape = (system.constraints.count, system.nq)
    redundant = matrix(point.mechanics.holonomic.rows(), shape, False)[chosen.redundant]
    L = point.frame.at_velocity.solve_transposed(np.asfortranarray(redundant.T))[: len(chosen.rows)].T
    opened = np.abs(steps.slope(value))
    for entries in steps_in(moved.holonomic.rows(), system.nq, steps, rows=shape[0]):
        number, row, column, slope = entries
        for k in np.unique(number):
            own = number == k
            change = csr_array((slope[own], (row[own], column[own])), shape=shape) @ point.frame.P
            along = change[chosen.redundant] - L @ change[chosen.rows]
            opened[k] = np.maximum(opened[k], np.abs(along).max(axis=-1, initial=0.0))
    refuse_opened(steps, system, chosen.redundant, opened)
