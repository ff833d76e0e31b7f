"""Finite elements reduced to modes that are mass-orthogonal to rigid motion.

Craig-Bampton (Craig & Bampton 1968): static shapes of every freedom of the interface nodes and modes with these held.
Together they contain the rigid motions, written here from geometry; these are taken out, P = 1 - R (R^T M R)^-1 R^T M,
and the rest is put in the order of its own frequencies.

Matrices may carry tiny imaginary parts (complex steps). Eigenproblems are solved at the real part; modes that are left
out then turn those kept by first-order perturbation, so that the kept span is right to first order. Inside the span
modes stay modes, as they do in a model with another number.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from eigenbody.base.arrays import as_dense
from eigenbody.base.errors import ComputationError, Fault, InputError, suggest
from eigenbody.numerics.eigen.graded import graded_eigh, mass_basis
from eigenbody.structures.checks import check_first_frequency, check_magnitudes, check_rigid_mass
from eigenbody.structures.invariants import gathered, invariants, moved_points, owners, rigid_motions
from eigenbody.structures.ordering import dissection
from eigenbody.structures.pencils import DensePencil, SparsePencil, StepPencil, even
from eigenbody.structures.second_order import second_order
from eigenbody.structures.structure import Reduced, Structure
from eigenbody.structures.turning import node_turns

METHODS = ("craig-bampton", "free", "attachment")
DENSE = 600  # freedoms up to which dense algebra is the faster where all modes are wanted,
FEW = 200  # and where a few are
DENSE_COMPLEX = 4000  # and up to which it is used where derivatives are wanted
SAME_VALUE = 1e-6  # relative distance of omega^2 below which rounding may have parted the modes of a symmetric body
LARGEST = 0.999  # part of the largest entry of a mode that counts as largest too
SAME_SHAPE = 1e-10  # part of its mass that a shape must have beside those before it
ROUNDING_OF_SHAPES = 1e-22  # part of its strain energy that a shape of inertia must have beside those before it
INERTIA_SHARE = 4  # shapes of inertia are a part of so many of the modes kept, or there are none


def reduce(
    structure: Structure,
    interface: Sequence[int] = (),
    modes: int | None = None,
    upto: float | None = None,
    method: str = "craig-bampton",
    where: str = "flexible",
) -> Reduced:
    """The structure in modes orthogonal to its rigid motions, by rising frequency.

    `interface` are indices of nodes. `modes` elastic modes are kept, or those up to the frequency `upto` in rad/s, or
    what both allow, or all. Modes of equal frequency are kept together, even if that is one more. Methods:

    craig-bampton  static shapes of the interface and modes with it held; `free` where there is no interface. Where
                   the interface does not hold the body, up to six freedoms elsewhere are treated like it. Of 24 modes
                   or more of a body that loads stiffen, the last (up to six) are static shapes of its own inertia
    free           modes of the free body
    attachment     modes of the free body and the shapes that loads at the interface give it
    """
    _check_request(structure, interface, modes, upto, method, where)
    centre = check_magnitudes(structure, where)
    R, _ = rigid_motions(structure, centre)
    few = modes is not None and structure.M.shape[0] > max(FEW, 10 * modes)
    body = _Body(*_matrices(structure, few), R, owners(structure)[0], np.real(structure.nodes), few)
    check_rigid_mass(np.real(R.T @ (body.M @ R)), where)
    held = _freedoms_of(structure, interface)
    try:
        if method == "craig-bampton" and len(held):
            shapes = _craig_bampton(body, held, modes, upto, structure.line is not None)
        else:
            shapes = _free(body, held if method == "attachment" else held[:0], modes, upto)
    except np.linalg.LinAlgError as error:
        what = "it can move with no or negative strain energy in other ways than as a rigid body."
        remedy = "Look for parts of it that are not connected, hinges in it, or wrong signs in K."
        raise InputError(Fault(where, what, remedy)) from error
    nodal = np.unique(structure.freedoms[structure.freedoms >= 0])
    values, Phi, modal_mass, stiffness = _ritz(body, shapes, nodal, where)
    check_first_frequency(float(np.sqrt(values[0])) if len(values) else 0.0, where)
    rest = np.zeros(len(values))
    if structure.pull is not None and len(values):
        rest = -np.linalg.solve(stiffness, Phi.T @ structure.pull)
    own = invariants(structure, Phi)
    bow = second_order(structure, Phi, own.centre, own.J0)
    return Reduced(
        names=structure.names,
        nodes=structure.nodes,
        mass=own.mass,
        centre=own.centre,
        J0=own.J0,
        J1=own.J1,
        J2=own.J2 if bow is None else own.J2 + bow.J2,
        b=own.b,
        modal_mass=modal_mass,
        stiffness=stiffness,
        frequencies=np.sqrt(values),
        move=gathered(Phi, structure.freedoms[:, :3]),
        turn=node_turns(structure, Phi),
        rest=rest,
        bow=None if bow is None else bow.nodes,
        points=moved_points(structure, own.centre, Phi, None if bow is None else bow.points),
        is_reduced=structure.is_reduced,
    )


def _check_request(
    structure: Structure, interface: Sequence[int], modes: int | None, upto: float | None, method: str, where: str
) -> None:
    faults = []
    if method not in METHODS:
        faults.append(Fault(where, f'there is no method "{method}".', suggest(method, METHODS)))
    outside = [i for i in interface if not 0 <= i < len(structure.nodes)]
    if outside:
        what = f"the structure has no node {outside[0]}."
        faults.append(Fault(where, what, f"Nodes are counted from 0 to {len(structure.nodes) - 1}."))
    if modes is not None and modes < 0:
        faults.append(Fault(where, f"{modes} modes cannot be kept.", "Give 0 or more."))
    if upto is not None and not upto >= 0:
        faults.append(Fault(where, f"modes up to {upto:g} rad/s cannot be kept.", "Give a frequency of 0 or more."))
    if faults:
        raise InputError(faults)


def _freedoms_of(structure: Structure, interface: Sequence[int]) -> np.ndarray:
    found = structure.freedoms[np.unique(np.asarray(interface, dtype=int))].ravel()
    return found[found >= 0]


def _matrices(structure: Structure, few: bool) -> tuple[Any, Any]:
    """M and K, dense where the structure is small or carries derivatives, else sparse columns; fewer freedoms are small
    where few of its modes are wanted."""
    from scipy.sparse import csc_array

    M, K = structure.M, structure.K
    size = M.shape[0]
    derived = any(np.iscomplexobj(part) for part in (M, K, structure.nodes))
    if derived and size > DENSE_COMPLEX:
        raise ComputationError(
            f"Derivatives of a structure with {size} freedoms are not available; the limit is {DENSE_COMPLEX}. "
            "Use fewer elements."
        )
    if derived or (size <= DENSE and not few):
        return as_dense(M), as_dense(K)
    return csc_array(M), csc_array(K)


@dataclass(frozen=True, slots=True, eq=False)
class _Body:
    """M, K and the rigid motions R (N, r); the node (N,) of each freedom and the places of the nodes."""

    M: Any
    K: Any
    R: np.ndarray
    node: np.ndarray
    places: np.ndarray
    few: bool  # few modes of many are wanted

    def without_rigid(self, X: np.ndarray) -> np.ndarray:
        """X (N, k) made mass-orthogonal to R; twice, as rounding wants it."""
        MR = self.M @ self.R
        G = self.R.T @ MR
        for _ in range(2):
            X = X - self.R @ np.linalg.solve(G, MR.T @ X)
        return X

    def block(self, rows: np.ndarray, columns: np.ndarray) -> tuple[Any, Any]:
        """M and K at some rows and columns."""
        if isinstance(self.M, np.ndarray):
            at = np.ix_(rows, columns)
            return self.M[at], self.K[at]
        return self.M[rows][:, columns].tocsc(), self.K[rows][:, columns].tocsc()

    def pencil(
        self, at: np.ndarray, rigid: tuple[np.ndarray, np.ndarray] | None
    ) -> DensePencil | SparsePencil | StepPencil:
        """K x = omega^2 M x in the freedoms `at`; with `rigid` = (S, G), M stands for M - S G^-1 S^T."""
        M, K = self.block(at, at)
        if isinstance(M, np.ndarray) and rigid is None and self.few:
            return StepPencil(M, K, self.node[at], self.places)
        if isinstance(M, np.ndarray):
            return DensePencil(M if rigid is None else M - rigid[0] @ np.linalg.solve(rigid[1], rigid[0].T), K)
        return SparsePencil(M, K, rigid, dissection(K, self.node[at], self.places))


# ---------------------------------------------------------------- shapes


def _craig_bampton(
    body: _Body, interface: np.ndarray, modes: int | None, upto: float | None, is_stiffened: bool
) -> np.ndarray:
    """Shapes (N, k) that, together with R, span the static shapes and the modes of the held interface.

    A load that stiffens the body bends it as forces between its ends do, N w'' of a shape w: at an end that is held the
    fourth derivative of the line is not zero, but that of every mode is, and the sum of modes approaches it slowly. The
    static shapes of uniform and linear loads, which are those of its inertia when it moves as a rigid body, have it.
    """
    held = np.concatenate([interface, _holding(body.R, interface)])
    rest = np.setdiff1d(np.arange(len(body.R)), held)
    _, coupling = body.block(rest, held)
    pencil = body.pencil(rest, None)
    drop = _determinate(body.R[held])  # these static shapes and R stand for each other
    keep = np.setdiff1d(np.arange(len(held)), drop)
    static, normal = pencil.solve(-as_dense(coupling[:, keep])), pencil.lowest(modes, upto)
    if is_stiffened and upto is None and modes is not None and INERTIA_SHARE * body.R.shape[1] <= modes < len(rest):
        inertia = _slower(pencil, pencil.solve((body.M @ body.R)[rest]), normal)
        normal = pencil.lowest(modes - inertia.shape[1], None)
        normal = np.hstack([normal, _beside(pencil, inertia, normal)])
    shapes = np.zeros((len(body.R), len(keep) + normal.shape[1]), np.result_type(normal, static))
    shapes[held[keep], np.arange(len(keep))] = 1.0
    shapes[rest] = np.hstack([static, normal])
    return shapes


def _slower(pencil: DensePencil | SparsePencil | StepPencil, X: np.ndarray, modes: np.ndarray) -> np.ndarray:
    """Those of the shapes X (n, k) whose own frequency is not beyond all of the modes: a beam that cannot stretch
    beside its bending is not to stretch in them either."""
    own, others = (
        np.einsum("ij,ij->j", Y, np.real(pencil.K @ Y)) / np.einsum("ij,ij->j", Y, np.real(pencil.M @ Y))
        for Y in (X.real, modes.real)
    )
    return X[:, own <= others.max()]


def _beside(pencil: DensePencil | SparsePencil | StepPencil, X: np.ndarray, modes: np.ndarray) -> np.ndarray:
    """What the shapes X (n, k) have beside the modes (n, m) and beside each other, of unit strain energy. Where it is
    of the size of rounding the shape is left out."""
    found = modes
    for x in (X / np.sqrt(np.einsum("ij,ij->j", X.real, np.real(pencil.K @ X.real)))).T:
        for _ in range(2):  # as rounding wants it
            x = x - found @ (found.T @ (pencil.K @ x))
        energy = x @ (pencil.K @ x)
        if energy.real > ROUNDING_OF_SHAPES:
            found = np.column_stack([found, x / np.sqrt(energy)])
    return found[:, modes.shape[1] :]


def _free(body: _Body, loaded: np.ndarray, modes: int | None, upto: float | None) -> np.ndarray:
    """Modes of the free body, and its shapes under loads at some freedoms that its own inertia balances.

    Displacements are counted from r freedoms that hold the body without stress: x = P y, y zero there.
    """
    rest = np.setdiff1d(np.arange(len(body.R)), _determinate(body.R))
    MR = body.M @ body.R
    pencil = body.pencil(rest, (MR[rest], body.R.T @ MR))
    normal = pencil.lowest(modes, upto)
    load = -MR @ np.linalg.solve(body.R.T @ MR, body.R[loaded].T)
    load[loaded, np.arange(len(loaded))] += 1.0
    static = pencil.solve(load[rest])
    shapes = np.zeros((len(body.R), normal.shape[1] + len(loaded)), np.result_type(normal, static))
    shapes[rest] = np.hstack([normal, static])
    return shapes[:, _independent(body, shapes, normal.shape[1])] if len(loaded) else shapes


def _independent(body: _Body, shapes: np.ndarray, certain: int) -> np.ndarray:
    """Columns that have mass beside the first `certain` and beside each other, judged at the real part."""
    X = body.without_rigid(shapes).real
    gram = X.T @ (np.real(body.M) @ X)
    scale = 1 / np.sqrt(np.maximum(np.diag(gram), np.finfo(float).tiny))
    gram = gram * np.outer(scale, scale)
    kept = list(range(certain))
    for k in range(certain, len(gram)):
        beside = gram[k, k] - gram[k, kept] @ np.linalg.solve(gram[np.ix_(kept, kept)], gram[kept, k])
        if beside > SAME_SHAPE:
            kept.append(k)
    return np.array(kept, dtype=int)


def _determinate(R: np.ndarray) -> np.ndarray:
    """Freedoms, as many as R (n, r) has columns, that hold the body without stress."""
    from scipy.linalg import qr

    real = np.real(R)
    reach = np.abs(real).max(axis=0)
    _, _, order = qr((real / reach).T, mode="economic", pivoting=True)
    return np.sort(order[: R.shape[1]])


def _holding(R: np.ndarray, interface: np.ndarray) -> np.ndarray:
    """Freedoms beside the interface that are to be held too, because rigid motions are left when it is."""
    scaled = np.real(R) / np.abs(np.real(R)).max(axis=0)
    _, size, axes = np.linalg.svd(scaled[interface], full_matrices=True)
    left = axes[np.count_nonzero(size > 1e-6 * size.max(initial=0.0)) :].T
    return _determinate(scaled @ left) if left.size else np.zeros(0, dtype=int)


# ---------------------------------------------------------------- the free body in its shapes


def _ritz(
    body: _Body, shapes: np.ndarray, nodal: np.ndarray, where: str
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """omega^2 (m,), modes (N, m), modal mass and stiffness (m, m) of the free body in the shapes, R taken out.

    Modes are directed by the freedoms `nodal`: those within elements may stand for others after every rounding.
    """
    X = body.without_rigid(shapes)
    size = np.sqrt(np.einsum("ij,ij->j", X.real, np.real(body.M) @ X.real))
    X = X / np.where(size > 0, size, 1.0)
    M, K = even(X.T @ (body.M @ X)), even(X.T @ (body.K @ X))
    order = np.argsort(np.diag(K).real, kind="stable")
    try:
        values, Y = graded_eigh(K.real[np.ix_(order, order)], mass_basis(M.real[np.ix_(order, order)]))
    except ComputationError as error:
        what = "the mass matrix leaves some of the kept shapes without mass."
        remedy = "Give the nodes of the interface rotary inertia, use more elements, or keep fewer modes."
        raise InputError(Fault(where, what, remedy)) from error
    Y = Y[np.argsort(order, kind="stable")]
    turn = _orientation(X.real[nodal] @ Y, values)
    Y = Y @ turn
    if np.iscomplexobj(M):
        Y = Y + 1j * Y @ _turning(values, np.imag(Y.T @ M @ Y), np.imag(Y.T @ K @ Y))
    modal_mass = _with_real(Y.T @ M @ Y, np.eye(len(values)))
    return values, X @ Y, modal_mass, _with_real(Y.T @ K @ Y, turn.T @ (values[:, None] * turn))


def _turning(values: np.ndarray, M: np.ndarray, K: np.ndarray) -> np.ndarray:
    """W (m, m) by which the modes of omega^2 = `values` turn into each other where mass and stiffness change by M and
    K: they stay modes of unit mass, so that coordinates along them mean the same as those of a model with another
    number (an operating point may be moved by differences). Modes of equal frequency keep their directions."""
    gap = values - values[:, None]
    is_own = np.abs(gap) <= SAME_VALUE * np.maximum(values, values[:, None])
    return np.where(is_own, -M / 2, (K - M * values) / np.where(is_own, 1.0, gap))


def _with_real(matrix: np.ndarray, real: np.ndarray) -> np.ndarray:
    return real + 1j * matrix.imag if np.iscomplexobj(matrix) else real


def _orientation(Phi: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Rotation (m, m) that fixes the signs of modes, and their directions where frequencies are equal.

    Each has its largest entry positive, and none there of the modes of equal frequency that follow it.
    """
    turn = np.zeros((len(values), len(values)))
    start = 0
    for end in range(1, len(values) + 1):
        if end < len(values) and values[end] <= values[start] * (1 + SAME_VALUE):
            continue
        turn[start:end, start:end] = _own_directions(Phi[:, start:end])
        start = end
    return turn


def _own_directions(V: np.ndarray) -> np.ndarray:
    """Orthogonal (k, k) by which the columns of V take the entries largest in turn."""
    found = np.zeros((V.shape[1], 0))
    for _ in range(V.shape[1]):
        left = V - (V @ found) @ found.T
        size = np.linalg.norm(left, axis=1)
        row = left[np.argmax(size > LARGEST * size.max())]
        row = row - found @ (found.T @ row)
        found = np.column_stack([found, row / np.linalg.norm(row)])
    return found
