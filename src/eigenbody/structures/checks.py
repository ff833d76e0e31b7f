"""Mass and stiffness matrices that cannot be those of a free elastic body, told by name."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from eigenbody.base.errors import Fault, InputError, printable
from eigenbody.structures.invariants import mass_and_centre, rigid_motions
from eigenbody.structures.structure import Structure

ASYMMETRY = 1e-8  # of the size of the two rows
NEGATIVE = 1e-6  # an eigenvalue below minus this part of the largest, in coordinates of unit diagonal; as coarse
# as the digits of files demand
STRAINED = 1e-5  # part of its terms that a force in a rigid motion may have; files have few digits
UNEVEN_MASS = 1e-6
DENSE = 600  # freedoms up to which all eigenvalues are computed
STEPS = 60  # of the iteration beyond that
FASTEST = 1e9  # Hz
LEAST_MASS = 1e-150  # kg: its square is still a number

MOTIONS = (
    "moving along x", "moving along y", "moving along z", "turning about x", "turning about y", "turning about z",
)  # fmt: skip
FREEDOMS = ("ux", "uy", "uz", "rx", "ry", "rz")


def check_structure(structure: Structure, where: str = "flexible") -> None:
    """Raises InputError with everything found wrong; later questions are asked where earlier ones are answered."""
    for questions in (_sizes, _entries, _physics):
        faults = list(questions(structure, where))
        if faults:
            raise InputError(faults)


@np.errstate(over="ignore", invalid="ignore")
def check_magnitudes(structure: Structure, where: str) -> np.ndarray:
    """The centre of mass (3,). Raises InputError where mass or stiffness leave the range of double precision."""
    from scipy.sparse import issparse

    mass, centre = mass_and_centre(structure)
    sizes = [part.data if issparse(part) else part for part in (structure.M, structure.K)]
    if structure.points is not None:
        sizes += [structure.points.inertia, structure.points.position**2 * structure.points.mass[:, None]]
    if not (np.real(mass) > LEAST_MASS and all(np.isfinite(part).all() for part in (centre, *sizes))):
        what = "its mass or stiffness is too large or too small for double precision."
        raise InputError(Fault(where, what, "Check dimensions, offsets, density and moduli, and their units."))
    return centre


def check_first_frequency(omega: float, where: str) -> None:
    """Raises InputError where the first elastic frequency, in rad/s, is beyond all that bodies have."""
    if omega > 2 * np.pi * FASTEST:
        what = f"its first elastic frequency would be {omega / (2 * np.pi):.3g} Hz."
        raise InputError(Fault(where, what, "Check the units of M, K and the nodes: kg, N/m and m belong together."))


# ---------------------------------------------------------------- sizes


def _sizes(structure: Structure, where: str) -> Iterator[Fault]:
    for name in structure.names:
        if printable(name) != name:
            yield Fault(where, f'the name of the node "{name}" has characters that cannot be printed.', "Rename it.")
    for name, matrix in (("M", structure.M), ("K", structure.K)):
        if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
            yield Fault(where, f"{name} is {_shape(matrix)}, not square.")
    if structure.M.shape != structure.K.shape:
        yield Fault(where, f"M is {_shape(structure.M)} but K is {_shape(structure.K)}.", "They must agree.")
    nodes, freedoms, size = structure.nodes, structure.freedoms, structure.M.shape[0]
    if nodes.ndim != 2 or nodes.shape[1] != 3 or not len(nodes):
        yield Fault(where, f"the nodes are {_shape(nodes)}.", "Give x, y, z of each node.")
    elif not np.isfinite(nodes).all():
        row = np.argwhere(~np.isfinite(nodes))[0, 0]
        yield Fault(where, f'node "{_name(structure, row)}" is at {_listed(nodes[row])}.', "Give finite numbers.")
    if len(structure.names) != len(nodes):
        yield Fault(where, f"{len(nodes)} nodes have {len(structure.names)} names.")
    elif len(set(structure.names)) < len(structure.names):
        twice = next(name for name in structure.names if structure.names.count(name) > 1)
        yield Fault(where, f'two nodes have the name "{twice}".')
    if freedoms.shape != (len(nodes), 6):
        yield Fault(
            where, f"the freedoms are {_shape(freedoms)}.", f"Six for each of the {len(nodes)} nodes belong here."
        )
        return
    used = freedoms[freedoms >= 0]
    if used.size and used.max() >= size:
        remedy = f"Count from 0 to {size - 1}; give -1 where a node has no such freedom."
        yield Fault(where, f"a freedom has the number {used.max()} but M has {size} rows.", remedy)
    elif len(np.unique(used)) < len(used):
        values, counts = np.unique(used, return_counts=True)
        yield Fault(where, f"row {values[np.argmax(counts)]} of M is given to two freedoms.")
    elif not used.size:
        yield Fault(where, "no node has a freedom.")


def _shape(array: Any) -> str:
    return " x ".join(map(str, array.shape)) or "a number"


def _listed(values: np.ndarray) -> str:
    return ", ".join(f"{value:g}" for value in values)


def _name(structure: Structure, node: int) -> str:
    return structure.names[node] if node < len(structure.names) else str(node)


# ---------------------------------------------------------------- entries


def _entries(structure: Structure, where: str) -> Iterator[Fault]:
    from scipy.sparse import csr_array

    for name, given in (("M", structure.M), ("K", structure.K)):
        matrix = csr_array(given)
        if not np.isfinite(matrix.data).all():
            entries = matrix.tocoo()
            worst = int(np.argmin(np.isfinite(entries.data)))
            row, column = (int(part[worst]) for part in entries.coords)
            yield Fault(where, f"{name} has {entries.data[worst]} at {_entry(structure, row, column)}.")
            continue
        pair = _asymmetric(matrix.real)
        if pair is not None:
            i, j = pair
            values = f"{matrix[i, j]:.9g} at {_entry(structure, i, j)} but {matrix[j, i]:.9g} opposite to it"
            what = f"{name} is not symmetric: it has {values}."
            yield Fault(where, what, "Give both halves of the matrix, with equal entries.")


def _asymmetric(matrix: Any) -> tuple[int, int] | None:
    """The pair of entries that differ most beside the size of their rows, if they do."""
    apart = abs(matrix - matrix.T).tocoo()
    if not apart.nnz:
        return None
    size = np.sqrt(np.maximum(abs(matrix).max(axis=1).toarray().ravel(), abs(matrix).max(axis=0).toarray().ravel()))
    rows, columns = apart.coords
    scale = size[rows] * size[columns]
    ratio = np.where(scale > 0, apart.data / np.where(scale > 0, scale, 1.0), 0.0)
    worst = int(np.argmax(ratio))
    i, j = sorted((int(rows[worst]), int(columns[worst])))
    return (i, j) if ratio[worst] > ASYMMETRY else None


def _entry(structure: Structure, row: int, column: int) -> str:
    """Place of an entry as a user finds it: rows from 0, and whose freedoms they are."""
    return f"[{row}, {column}] ({_freedom(structure, row)}; {_freedom(structure, column)})"


def _freedom(structure: Structure, row: int) -> str:
    found = np.argwhere(structure.freedoms == row)
    if not len(found):
        return "no node's"
    return f"{FREEDOMS[found[0, 1]]} of node {_name(structure, int(found[0, 0]))}"


# ---------------------------------------------------------------- physics


def _physics(structure: Structure, where: str) -> Iterator[Fault]:
    from scipy.sparse import csr_array

    M, K = csr_array(structure.M).real, csr_array(structure.K).real
    mass = float(np.real(mass_and_centre(structure)[0])) if abs(M).sum() else 0.0
    if not mass > 0:
        yield Fault(where, f"its total mass is {mass:g}.", "Check M, and which freedoms belong to which node.")
        return
    homeless = np.setdiff1d(np.flatnonzero(abs(M).max(axis=1).toarray()), structure.freedoms)
    if len(homeless) and not structure.is_reduced:
        what = f"row {homeless[0]} of M belongs to no node, so that nobody knows where its mass is."
        remedy = (
            "Give the matrices of all nodes; where these are amplitudes of modes (Craig-Bampton), say reduced: true."
        )
        yield Fault(where, what, remedy)
    if _has_negative(M):
        what = "M is not positive semi-definite: some motion would have negative kinetic energy."
        yield Fault(where, what, "Check the signs and the order of the freedoms.")
    if _has_negative(K):
        what = "K is not positive semi-definite: some deformation would have negative strain energy."
        remedy = "Check the signs; give a geometric stiffness apart from K."
        yield Fault(where, what, remedy)
    yield from _rigid(structure, M, K, where)


def _has_negative(A: Any) -> bool:
    """Whether a symmetric matrix has eigenvalues clearly below zero.

    Large ones are asked by Lanczos: a Ritz value below zero proves it, and eigenvalues far from the rest are found.
    """
    from scipy.sparse import diags_array

    size = abs(A).max(axis=1).toarray().ravel()
    diagonal = A.diagonal()
    if np.any(diagonal < -NEGATIVE * size):
        return True
    scale = 1 / np.sqrt(np.where(size > 0, np.maximum(diagonal, 1e-30 * size), 1.0))
    if np.any((size > 0) & (diagonal <= 0)):
        return True  # a zero on the diagonal beside entries that are not
    A = diags_array(scale) @ A @ diags_array(scale)
    values = np.linalg.eigvalsh(A.toarray()) if len(size) <= DENSE else _ritz_values(A)
    return bool(values[0] < -NEGATIVE * max(values[-1], 1.0))


def _ritz_values(A: Any) -> np.ndarray:
    V = np.zeros((A.shape[0], STEPS), order="F")
    x = np.random.default_rng(8).normal(size=A.shape[0])
    for k in range(STEPS):
        V[:, k] = x / np.linalg.norm(x)
        x = A @ V[:, k]
        for _ in range(2):
            x -= V[:, : k + 1] @ (V[:, : k + 1].T @ x)
        if not np.linalg.norm(x) > 1e-12:
            V = V[:, : k + 1]
            break
    return np.linalg.eigvalsh(V.T @ (A @ V))


def _rigid(structure: Structure, M: Any, K: Any, where: str) -> Iterator[Fault]:
    """Rigid motions must weigh the same in all directions and strain nothing."""
    centre = np.real(mass_and_centre(structure)[1])
    R, which = rigid_motions(structure, centre)
    R = np.real(R)
    masses = {"xyz"[a]: float(R[:, k] @ (M @ R[:, k])) for k, a in enumerate(which) if a < 3}
    if masses and max(masses.values()) - min(masses.values()) > UNEVEN_MASS * max(masses.values()):
        listed = ", ".join(f"{mass:.7g} along {axis}" for axis, mass in masses.items())
        yield Fault(where, f"its mass is not the same in all directions: {listed}.", "Check the order of the freedoms.")
    for k, motion in enumerate(which):
        force = K @ R[:, k]
        terms = abs(K) @ np.abs(R[:, k])
        rotates = np.isin(np.arange(len(force)), structure.freedoms[:, 3:])
        floor = np.where(rotates, terms[rotates].max(initial=0.0), terms[~rotates].max(initial=0.0)) * 1e-8
        ratio = np.abs(force) / np.maximum(np.maximum(terms, floor), np.finfo(float).tiny)
        worst = int(np.argmax(ratio))
        if ratio[worst] > STRAINED:
            what = f"{MOTIONS[motion]} as a rigid body strains it: a force remains at {_freedom(structure, worst)}."
            remedy = "K must be of the free body; check that no support is left in, and the places of the nodes."
            yield Fault(where, what, remedy)


def check_rigid_mass(G: np.ndarray, where: str) -> None:
    """Every rigid motion must move mass, G (r, r): a line of mass has no inertia about itself."""
    size = np.sqrt(np.abs(np.diag(G)))
    if not (size > 0).all() or np.linalg.eigvalsh(G / size / size[:, None])[0] < 1e-14:
        what = "it has no inertia about one of its axes: a line of mass without rotary inertia."
        raise InputError(Fault(where, what, "Give the rotary inertia, of a beam jx."))
