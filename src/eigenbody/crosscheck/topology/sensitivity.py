"""Derivatives of eigenvalues by masses, inertias, stiffnesses and dampings (section 4), explicit in the parameters.

    d lambda / dp = -phi^T (lambda^2 dM/dp + lambda dC/dp + dK/dp) phi,   phi = B' B'' psi

with psi^T (2 lambda M'' + C'') psi = 1: "unitary" as printed is wrong, see docs/theory/topology.md. B' and B'' do not
depend on these parameters, and M, C, K are linear in them, so dE/dp is E with p = 1 and all others zero (Eqs. 63, 73).
Where the equilibrium depends on p, that is not in these formulas.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from eigenbody.crosscheck.topology.analysis import normal_modes
from eigenbody.crosscheck.topology.system import Oscillations


def body_motions(system: Oscillations) -> tuple[np.ndarray, np.ndarray]:
    """Eigenvalues (2n'',) and the motions phi (n, 6, 2n'') of all bodies, normalized as the formulas need."""
    values, shapes = normal_modes(*system.matrices())
    return values, (system.B @ shapes).reshape(len(system.description.bodies), 6, -1)


def by_mass(system: Oscillations, bodies: Iterable[str]) -> np.ndarray:
    """d lambda / dm for a mass that these bodies share, Eqs. 66 and 67."""
    unit = np.diag([1.0, 1, 1, 0, 0, 0])
    return _by_body(system, dict.fromkeys(bodies, unit))


def by_inertia(system: Oscillations, changes: dict[str, np.ndarray]) -> np.ndarray:
    """d lambda / dp for inertia tensors (3, 3, body axes) that change with p as given, Eqs. 66 and 67."""
    units = {}
    for name, change in changes.items():
        R = system.place.R[system.description.bodies.names.index(name)]
        units[name] = np.zeros((6, 6))
        units[name][3:, 3:] = R @ change @ R.T
    return _by_body(system, units)


def _by_body(system: Oscillations, units: dict[str, np.ndarray]) -> np.ndarray:
    values, motions = body_motions(system)
    total = np.zeros(len(values), complex)
    for name, unit in units.items():
        phi = motions[system.description.bodies.names.index(name)]
        total -= values**2 * np.einsum("ir,ij,jr->r", phi, unit, phi)
    return total


def by_stiffness(system: Oscillations, changes: dict[str, np.ndarray]) -> np.ndarray:
    """d lambda / dp where the stiffness of the named springs changes as given (m, m), Eqs. 68-76."""
    values, motions = body_motions(system)
    phi = motions.reshape(-1, len(values))
    return -np.einsum("ir,ij,jr->r", phi, system.assembled(changes), phi)


def by_damping(system: Oscillations, changes: dict[str, np.ndarray]) -> np.ndarray:
    """d lambda / dp where the damping of the named dampers changes as given (m, m), Eqs. 77-79."""
    values, motions = body_motions(system)
    phi = motions.reshape(-1, len(values))
    return -values * np.einsum("ir,ij,jr->r", phi, system.assembled(changes), phi)
