"""Inertias of other people's files: what no body has is repaired with a note, or refused where reading is strict."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

NOISE = 1e-9  # of a second moment of mass, relative to mass times size squared and to the largest moment


@dataclass(frozen=True, slots=True, eq=False)
class Repaired:
    """An inertia (3, 3) that a body can have, and in words what was changed; "" if nothing or noise alone."""

    tensor: np.ndarray
    change: str


def repaired(tensor: np.ndarray, mass: float, size: float) -> Repaired:
    """The nearest inertia whose second moments of mass are not negative.

    J = trace(P) - P with P = integral x x^T dm, which is positive semidefinite for every body: then no principal moment
    is negative, nor larger than the sum of the other two. Negative eigenvalues of P are set to zero. Those within the
    noise of `mass` (kg) times `size` (m) squared are no news.
    """
    moments, axes = np.linalg.eigh(0.5 * np.trace(tensor) * np.eye(3) - tensor)
    if moments[0] >= -1e-12 * np.abs(moments).max(initial=0.0):
        return Repaired(tensor, "")
    kept = np.maximum(moments, 0.0)
    whole = (axes * kept) @ axes.T
    fixed = np.trace(whole) * np.eye(3) - whole
    if -moments[0] <= NOISE * max(mass * size**2, float(np.abs(moments).max())):
        return Repaired(fixed, "")
    before, after = (", ".join(f"{v:.4g}" for v in np.linalg.eigvalsh(J)) for J in (tensor, fixed))
    return Repaired(fixed, f"principal moments {before} kg m^2, which no body has, became {after}")


def entries(tensor: np.ndarray) -> list[float]:
    """Three principal moments, or xx yy zz xy xz yz."""
    xx, yy, zz = np.diagonal(tensor)
    across = [tensor[0, 1], tensor[0, 2], tensor[1, 2]]
    moments = [float(xx), float(yy), float(zz)]
    return moments + [float(value) for value in across] if np.any(across) else moments
