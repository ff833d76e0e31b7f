"""Derivatives of eigenvalues by masses, inertias, stiffnesses, dampings and the places of spring-dampers (section 4).

    d lambda / dp = -phi^T (lambda^2 dM/dp + lambda dC/dp + dK/dp) phi,   phi = B' B'' psi

with psi^T (2 lambda M'' + C'') psi = 1: "unitary" as printed is wrong, see docs/theory/topology.md. B' and B'' do not
depend on these parameters. M, C, K are linear in the physical ones, so dE/dp is E with p = 1 and all others zero
(Eqs. 63, 73). Points and frames of spring-dampers are in T and R (Eqs. 80-87). Where the equilibrium depends on p, that
is not in these formulas.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from eigenbody.crosscheck.topology.analysis import normal_modes
from eigenbody.crosscheck.topology.elements import Spring
from eigenbody.crosscheck.topology.system import Oscillations
from eigenbody.crosscheck.topology.transforms import to_frame, to_point
from eigenbody.errors import Fault, InputError, suggest
from eigenbody.spatial.rotations import skew


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


def by_position(system: Oscillations, moves: dict[str, np.ndarray]) -> np.ndarray:
    """d lambda / dp where the points of the named bushings and bearings move as given (3,), global, Eqs. 80-83."""
    return _by_geometry(system, {name: to_point(move) - np.eye(6) for name, move in moves.items()})


def by_orientation(system: Oscillations, turns: dict[str, np.ndarray]) -> np.ndarray:
    """d lambda / dp where the frames of the named bushings and bearings turn about the given vectors (3,), global,
    Eqs. 84 and 85."""
    return _by_geometry(system, {name: np.kron(np.eye(2), -skew(turn)) for name, turn in turns.items()})


def _by_geometry(system: Oscillations, rates: dict[str, np.ndarray]) -> np.ndarray:
    """-phi^T (lambda dC/dp + dK/dp) phi, where dR/dp and dT/dp make rates (6, 6) of the relative displacements."""
    values, motions = body_motions(system)
    total = np.zeros(len(values), complex)
    for name, rate in rates.items():
        spring = _spatial(system, name)
        relative = _relative(system, spring, motions)
        frame = spring.N @ to_frame(spring.axes)
        deflection, change = frame @ relative, frame @ rate @ relative
        for E, factor in ((spring.k, 1.0), (spring.c, values)):
            total -= factor * np.einsum("ir,ij,jr->r", change, E + E.T, deflection)
    return total


def _spatial(system: Oscillations, name: str) -> Spring:
    spatial = {entry.name for entry in system.description.forces if entry.type in ("bushing", "bearing")}
    if name not in spatial:
        what = f'"{name}" has no point and frame of its own that could be moved or turned.'
        raise InputError(Fault("forces", what, suggest(name, spatial)))
    return next(spring for spring in system.springs if spring.name == name)


def _relative(system: Oscillations, spring: Spring, motions: np.ndarray) -> np.ndarray:
    """Relative displacements and rotations (6, 2n'') at the spring's point, global axes."""
    parts = np.concatenate([motions, np.zeros_like(motions[:1])])  # ground is the last
    i, j = (to_point(spring.point - system.at.r[body]) @ parts[body] for body in spring.bodies)
    return j - i
