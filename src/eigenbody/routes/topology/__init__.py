"""Vibration by constraint-topology transformation: free system, open-loop matrix B', cut-joint matrix B''."""

from __future__ import annotations

import numpy as np

from eigenbody.base.errors import ComputationError
from eigenbody.model.description import Description
from eigenbody.routes.base import Linear, Place, Route
from eigenbody.routes.topology.applies import reason_against
from eigenbody.routes.topology.system import Oscillations

__all__ = ["ROUTE", "Oscillations", "linearize", "reason_against"]


def linearize(description: Description, place: Place, geometric: bool = False) -> Linear:
    """The linear equations as the paper has them, or with the geometric stiffness that it neglects added."""
    system = Oscillations(description, place)
    M, C, K = system.matrices(geometric)
    eigenvalues = np.linalg.eigvals(state_matrix(M, C, K)).astype(complex)
    matrices = {"M''": M, "C''": C, "K''": K, "B'": system.B1, "B''": system.B2, "neglected": system.neglected}
    exact = geometric or system.is_exact
    notes = [f"constraints: {system.topology.name}, {len(system.rows)} cut rows, {system.redundant} redundant"]
    if not exact:
        whole = np.linalg.eigvals(state_matrix(M, C, K + system.neglected)).astype(complex)
        matrices["eigenvalues with the neglected term"] = whole
        size = float(np.abs(system.neglected).max())
        notes.append(
            f"neglects the geometric stiffness of loaded joints and springs by construction, here up to {size:.4g}; "
            "it is given as `neglected`, and the eigenvalues with it beside"
        )
    return Linear(eigenvalues, matrices, tuple(notes), exact)


def state_matrix(M: np.ndarray, C: np.ndarray, K: np.ndarray) -> np.ndarray:
    """A (2n, 2n) of the state [q, q']."""
    n = len(M)
    A = np.zeros((2 * n, 2 * n))
    A[:n, n:] = np.eye(n)
    if n:
        size = np.sqrt(np.maximum(np.abs(np.diag(M)), np.finfo(float).tiny))
        scaled = M / np.outer(size, size)
        if np.linalg.eigvalsh(scaled)[0] < 1e-13:
            raise ComputationError(
                "topology: the reduced mass matrix is singular: a free motion has no inertia. "
                "Give the body an inertia, or hold it by a joint."
            )
        A[n:] = -np.linalg.solve(M, np.hstack([K, C]))
    return A


ROUTE = Route("topology", "constraint-topology transformation", "Jiang, Chen & Luo 2011", reason_against, linearize)
