"""Rigid motions of a structure, and the inertia that its modes give to a floating frame.

A point at p, displaced by u and turned by th, rides in a frame of velocity v and angular velocity w at the centre:

    T = sum 1/2 m |v + w x (p + u) + u'|^2 + 1/2 ws.J ws,   ws = w - th x w + 1/2 th x (th x w) + th' - 1/2 th x th'

Sorted by powers of the modal coordinates up to the second (u = move eta, th = turn eta) this is `Invariants`. The sum
holds one more term, w.s' with s = sum 1/2 th x J th, which b antisymmetric leaves out: the frame of mean axes takes it
along (structures/second_order.py); without displacements of second order it is of their size.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from eigenbody.spatial.rotations import skew
from eigenbody.structures.structure import InertiaPoints, Structure

EPS3 = np.zeros((3, 3, 3))  # (a x b)_p = EPS3[p, i, j] a_i b_j
EPS3[[0, 1, 2], [1, 2, 0], [2, 0, 1]] = 1.0
EPS3[[0, 1, 2], [2, 0, 1], [1, 2, 0]] = -1.0
CHUNK = 4_000_000  # numbers in one array of the sum over points
ABSENT = 1e-9  # part of its size by which a rigid motion may miss a freedom


@dataclass(frozen=True, slots=True, eq=False)
class Invariants:
    """Inertia of m modes about the centre of mass, as in `Reduced`."""

    mass: Any
    centre: np.ndarray  # (3,)
    J0: np.ndarray  # (3, 3)
    J1: np.ndarray  # (m, 3, 3)
    J2: np.ndarray  # (m, m, 3, 3)
    b: np.ndarray  # (m, m, 3)


def invariants(structure: Structure, Phi: np.ndarray) -> Invariants:
    """Of the modes Phi (N, m), mass-orthogonal to all rigid motions: from the points of the structure where it has
    them, else from its mass matrix."""
    if structure.points is not None:
        return invariants_of_points(structure.points, Phi)
    if structure.is_reduced:
        return _of_rigid_motions(structure, Phi.shape[1])
    whole = _completed(structure)
    Phi = np.vstack([Phi, np.zeros((whole.M.shape[0] - len(Phi), Phi.shape[1]))])
    return _of_matrix(whole, Phi)


def mass_and_centre(structure: Structure) -> tuple[Any, np.ndarray]:
    """Total mass and centre of mass (3,)."""
    points = structure.points
    if points is not None:
        mass = points.mass.sum()
        return mass, points.mass @ points.position / mass
    return _mass_and_centre_of_matrix(_completed(structure))


# ---------------------------------------------------------------- rigid motions


def six_motions(structure: Structure, centre: np.ndarray) -> np.ndarray:
    """(N, 6): displacements along x, y, z and rotations about them through the centre, written in the freedoms."""
    f = structure.freedoms
    arm = structure.nodes - centre
    R = np.zeros((structure.M.shape[0], 6), dtype=np.result_type(arm, float))
    turned = -skew(arm)  # [node, freedom, axis]: e_a x arm
    for a in range(3):
        has = f[:, a] >= 0
        R[f[has, a], a] = 1.0
        R[f[has, a], 3:] = turned[has, a]
        has = f[:, 3 + a] >= 0
        R[f[has, 3 + a], 3 + a] = 1.0
    return R


def rigid_motions(structure: Structure, centre: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Independent rigid motions (N, r) that the freedoms can express, r <= 6, and which of the six (r,) they are.

    A structure in a plane has three. A node without any displacements holds nothing.
    """
    from scipy.linalg import qr

    arm = np.real(structure.nodes - centre)
    reach = float(np.abs(arm).max(initial=0.0)) or 1.0
    present = np.asarray(structure.freedoms[:, :3] >= 0)
    missing = ~present & present.any(axis=1, keepdims=True)
    needed = np.concatenate([np.broadcast_to(np.eye(3) * reach, (len(arm), 3, 3)), -skew(arm)], axis=2)
    lost = np.abs(np.where(missing[:, :, None], needed, 0.0)).max(axis=(0, 1), initial=0.0)
    R = six_motions(structure, centre)
    scaled = np.real(R) * np.array([reach, reach, reach, 1.0, 1.0, 1.0])
    scaled[:, lost > ABSENT * reach] = 0.0
    _, triangle, order = qr(scaled, mode="economic", pivoting=True)
    size = np.abs(np.diag(triangle))
    which = np.sort(order[: np.count_nonzero(size > ABSENT * size.max(initial=0.0))])
    return R[:, which], which


# ---------------------------------------------------------------- from points


def invariants_of_points(points: InertiaPoints, Phi: np.ndarray) -> Invariants:
    """Exact to second order in the modal coordinates."""
    centre = points.mass @ points.position / points.mass.sum()
    total = _Sums(Phi.shape[1])
    move, turn = points.moved(Phi)
    for part in _chunks(len(points.mass), 3 * max(Phi.shape)):
        total.add(points.mass[part], points.inertia[part], points.position[part] - centre, move[part], turn[part])
    return total.result(centre)


def moved_points(
    structure: Structure, centre: np.ndarray, Phi: np.ndarray, bow: np.ndarray | None = None
) -> InertiaPoints | None:
    """The points of a structure from the centre of mass, moved and turned by modes Phi (N, m) in place of freedoms."""
    points = structure.points
    if points is None:
        return None
    move, turn = points.moved(Phi)
    return replace(points, position=points.position - centre, move=move, turn=turn, columns=None, bow=bow)


def _chunks(count: int, width: int) -> Iterator[slice]:
    step = max(1, CHUNK // max(width, 1))
    return (slice(start, start + step) for start in range(0, count, step))


class _Sums:
    """Sums over points that all invariants are made of."""

    def __init__(self, modes: int) -> None:
        self.modes = modes
        self.mass: Any = 0.0
        self.J: Any = np.zeros((3, 3))  # inertia of the points themselves
        self.pp: Any = np.zeros((3, 3))  # m p p
        self.pu: Any = np.zeros((3, 3, modes))  # m p u_k
        self.uu: Any = np.zeros((3, modes, 3, modes))  # m u_k u_l
        self.Jt: Any = np.zeros((3, 3, 3, modes))  # J th_k
        self.Jtt: Any = np.zeros((3, 3, 3, modes, 3, modes))  # J th_k th_l

    def add(self, mass: np.ndarray, inertia: np.ndarray, p: np.ndarray, u: np.ndarray, th: np.ndarray) -> None:
        """Points of mass (g,) and inertia (g, 3, 3) at p (g, 3) from the centre, moved u and turned th (g, 3, m)."""
        g, shape = len(mass), (3, self.modes, 3, self.modes)
        flat = u.reshape(g, -1)
        weighted = mass[:, None] * flat
        self.mass = self.mass + mass.sum()
        self.pp = self.pp + (mass[:, None] * p).T @ p
        self.pu = self.pu + (p.T @ weighted).reshape(3, 3, self.modes)
        self.uu = self.uu + (flat.T @ weighted).reshape(shape)
        heavy = inertia.any(axis=(1, 2))
        if not heavy.any():
            return
        inertia, flat = inertia[heavy], th[heavy].reshape(np.count_nonzero(heavy), -1)
        self.J = self.J + inertia.sum(axis=0)
        self.Jt = self.Jt + (inertia.reshape(-1, 9).T @ flat).reshape(3, 3, 3, self.modes)
        self.Jtt = self.Jtt + _squares(inertia, flat, self.modes)

    def result(self, centre: np.ndarray) -> Invariants:
        trace = np.einsum("iik->k", self.pu)
        X = np.einsum("pic,cqik->kpq", EPS3, self.Jt) - np.transpose(self.pu, (2, 0, 1))
        J1 = X + X.swapaxes(1, 2) + 2 * trace[:, None, None] * np.eye(3)
        J0 = np.trace(self.pp) * np.eye(3) - self.pp + self.J
        Y = np.einsum("ikil->kl", self.uu)[:, :, None, None] * np.eye(3) - self.uu.transpose(1, 3, 0, 2)
        Y = Y - np.einsum("pic,djq,cdikjl->klpq", EPS3, EPS3, self.Jtt, optimize=True)
        Y = Y + np.einsum("pic,cjd,dqikjl->klpq", EPS3, EPS3, self.Jtt, optimize=True)
        B = np.einsum("pij,ikjl->klp", EPS3, self.uu, optimize=True)
        B = B + np.einsum("pic,cjikjl->klp", EPS3, self.Jtt, optimize=True)
        B = B - np.einsum("cij,pcikjl->klp", EPS3, self.Jtt, optimize=True) / 2
        return Invariants(self.mass, centre, J0, J1, _symmetric(Y), (B - B.swapaxes(0, 1)) / 2)


def _symmetric(J2: np.ndarray) -> np.ndarray:
    """The part (m, m, 3, 3) symmetric in the modes and in the axes."""
    J2 = (J2 + J2.swapaxes(0, 1)) / 2
    return (J2 + J2.swapaxes(2, 3)) / 2


# ---------------------------------------------------------------- from the mass matrix


def _completed(structure: Structure) -> Structure:
    """The structure with three displacements at each node that has one: those missing are still and carry the mass
    of the others, so that a structure in a plane has its mass in space."""
    from scipy.sparse import block_diag, csr_array, diags_array

    f, M = structure.freedoms, csr_array(structure.M)
    N = M.shape[0]
    present = np.asarray(f[:, :3] >= 0)
    missing = ~present & present.any(axis=1, keepdims=True)
    if not missing.any():
        return replace(structure, M=M)
    weight = np.zeros(f[:, :3].shape, M.dtype)
    for a in range(3):
        one = np.zeros(N)
        one[f[present[:, a], a]] = 1.0
        weight[present[:, a], a] = (M @ one)[f[present[:, a], a]]
    mean = weight.sum(axis=1) / np.maximum(present.sum(axis=1), 1)
    freedoms = f.copy()
    nodes, axes = np.nonzero(missing)
    freedoms[nodes, axes] = N + np.arange(len(nodes))
    return replace(structure, freedoms=freedoms, M=csr_array(block_diag([M, diags_array(mean[nodes])])))


def _mass_and_centre_of_matrix(whole: Structure) -> tuple[Any, np.ndarray]:
    R = six_motions(whole, np.zeros(3))
    G = R.T @ (whole.M @ R)
    mass = np.trace(G[:3, :3]) / 3
    return mass, np.einsum("pij,ij->p", EPS3, G[:3, 3:]) / (2 * mass)  # G[:3, 3:] = -m [c], EPS3 : [c] = -2 c


def _of_rigid_motions(structure: Structure, modes: int) -> Invariants:
    """What the matrices say of the body as it is drawn; how its inertia changes as it bends they do not."""
    mass, centre = _mass_and_centre_of_matrix(structure)
    rotations = six_motions(structure, centre)[:, 3:]
    J1, J2, b = np.zeros((modes, 3, 3)), np.zeros((modes, modes, 3, 3)), np.zeros((modes, modes, 3))
    return Invariants(mass, centre, rotations.T @ (structure.M @ rotations), J1, J2, b)


def owners(structure: Structure) -> tuple[np.ndarray, np.ndarray]:
    """Node and place among its six freedoms of each column of M; node -1 where none."""
    node = np.full(structure.M.shape[0], -1)
    place = np.zeros(structure.M.shape[0], int)
    nodes, places = np.nonzero(structure.freedoms >= 0)
    columns = structure.freedoms[nodes, places]
    node[columns], place[columns] = nodes, places
    return node, place


def gathered(Phi: np.ndarray, freedoms: np.ndarray) -> np.ndarray:
    """Rows of Phi (N, m) at the freedoms (n, 3) of nodes: (n, 3, m), zero where there is none."""
    return np.where((freedoms >= 0)[:, :, None], Phi[np.maximum(freedoms, 0)], 0.0)


def _of_matrix(whole: Structure, Phi: np.ndarray) -> Invariants:
    """From 1/2 V^T M V, V the velocities of the freedoms in a frame at the centre.

    Entries of M between displacements and rotations are masses times arms, which turn with the nodes; the rotations
    of a node have their inertia in its own turned axes. Right for solids, shells and lumps; rotary inertia of thick
    beams that their shape functions write into displacements does not turn.
    """
    mass, centre = _mass_and_centre_of_matrix(whole)
    rotations = six_motions(whole, centre)[:, 3:]
    J0 = rotations.T @ (whole.M @ rotations)
    arms = _arms(whole)
    bulk = _without_arms(whole, arms)
    J1, J2, b = _turned_alike(whole, bulk, rotations, Phi)
    for more in (_turning_inertia(whole, bulk, Phi), _turning_arms(whole, arms, centre, Phi)):
        J1, J2, b = J1 + more[0], J2 + more[1], b + more[2]
    return Invariants(mass, centre, J0, J1, _symmetric(J2), (b - b.swapaxes(0, 1)) / 2)


Terms = tuple[Any, np.ndarray, np.ndarray]  # of J1, J2 and b


def _turned_alike(whole: Structure, M: Any, rotations: np.ndarray, Phi: np.ndarray) -> Terms:
    """V = w_a (r_a + e_a x Phi eta) + Phi eta', displacements and rotations of a node turned alike."""
    m = Phi.shape[1]
    cross = [_crossed(whole, a) for a in range(3)]
    dtype = np.result_type(M.dtype, Phi, rotations)
    X1, J2, b = np.zeros((m, 3, 3), dtype), np.zeros((m, m, 3, 3), dtype), np.zeros((m, m, 3), dtype)
    momentum = M @ Phi
    for a in range(3):
        turned = cross[a] @ Phi
        b[:, :, a] = turned.T @ momentum
        pushed = M @ turned
        X1[:, :, a] = (rotations.T @ pushed).T
        for c in range(a + 1):
            J2[:, :, c, a] = J2[:, :, a, c] = ((cross[c] @ Phi).T @ pushed + pushed.T @ (cross[c] @ Phi)) / 2
    return X1 + X1.swapaxes(1, 2), J2, b


def _crossed(whole: Structure, a: int) -> Any:
    """Sparse (N, N): e_a x the displacements and the rotations of each node."""
    from scipy.sparse import csr_array

    rows, columns, signs = [], [], []
    for base in (0, 3):
        for p, i in zip(*np.nonzero(EPS3[:, a, :]), strict=True):
            row, column = whole.freedoms[:, base + p], whole.freedoms[:, base + i]
            has = (row >= 0) & (column >= 0)
            rows.append(row[has])
            columns.append(column[has])
            signs.append(np.full(np.count_nonzero(has), EPS3[p, a, i]))
    data = (np.concatenate(signs), (np.concatenate(rows), np.concatenate(columns)))
    return csr_array(data, shape=whole.M.shape)


def _turning_inertia(whole: Structure, M: Any, Phi: np.ndarray) -> Terms:
    """G w.(1/2 th x (th x w) - 1/2 th x th') summed over the nodes, G w their angular momentum in rotation."""
    turning = np.zeros((M.shape[0], 3))
    f = whole.freedoms[:, 3:]
    for a in range(3):
        turning[f[f[:, a] >= 0, a], a] = 1.0
    G = gathered(M @ turning, f)
    W = _squares_of_turns(whole, G, Phi)
    J2 = np.einsum("pic,cjd,dqikjl->klpq", EPS3, EPS3, W, optimize=True)
    return 0.0, J2, -np.einsum("cij,cpikjl->klp", EPS3, W, optimize=True) / 2


def _squares_of_turns(whole: Structure, Z: np.ndarray, Phi: np.ndarray) -> np.ndarray:
    """sum Z_cd th_ik th_jl over the nodes, Z (n, 3, 3): (3, 3, 3, m, 3, m)."""
    m = Phi.shape[1]
    total: Any = np.zeros((3, 3, 3, m, 3, m))
    for part in _chunks(len(Z), 6 * m):
        th = gathered(Phi, whole.freedoms[part, 3:])
        total = total + _squares(Z[part], th.reshape(len(th), 3 * m), m)
    return total


def _squares(Z: np.ndarray, flat: np.ndarray, m: int) -> np.ndarray:
    shape = (3, m, 3, m)
    return np.array([[(flat.T @ (Z[:, c, d, None] * flat)).reshape(shape) for d in range(3)] for c in range(3)])


# ---------------------------------------------------------------- arms between displacements and rotations


def _arms(whole: Structure) -> list[Any]:
    """s_a (n, n) sparse for a = x, y, z: M between displacements of node i and rotations of j is -[s_ij]."""
    from scipy.sparse import csr_array

    node, place = owners(whole)
    M = whole.M.tocoo()
    rows, columns = M.coords
    across = (node[rows] >= 0) & (node[columns] >= 0) & (place[rows] < 3) & (place[columns] >= 3)
    i, j = node[rows[across]], node[columns[across]]
    p, q = place[rows[across]], place[columns[across]] - 3
    both = (whole.freedoms[i, q] >= 0) & (whole.freedoms[j, 3 + p] >= 0)
    data = M.data[across] / (1 + both)
    size = (len(whole.nodes),) * 2
    found = []
    for a in range(3):
        sign = -EPS3[p, a, q]
        keep = sign != 0
        found.append(csr_array((sign[keep] * data[keep], (i[keep], j[keep])), shape=size))
    return found


def _without_arms(whole: Structure, arms: list[Any]) -> Any:
    """M without the entries that `arms` stand for."""
    from scipy.sparse import csr_array

    M = whole.M
    for a, matrix in enumerate(arms):
        part = matrix.tocoo()
        i, j = part.coords
        for p, q in zip(*np.nonzero(EPS3[:, a, :]), strict=True):
            row, column = whole.freedoms[i, p], whole.freedoms[j, 3 + q]
            has = (row >= 0) & (column >= 0)
            entries = csr_array((-EPS3[p, a, q] * part.data[has], (row[has], column[has])), shape=M.shape)
            M = M - entries - entries.T
    return M


def _turning_arms(whole: Structure, arms: list[Any], centre: np.ndarray, Phi: np.ndarray) -> Terms:
    """sum (w x X_i + X_i').(w x Y_ij + Y_ij') with X = p + u of node i and Y = s + th x s by the rotation of node j."""
    m, n = Phi.shape[1], len(whole.nodes)
    p = whole.nodes - centre
    u, th = gathered(Phi, whole.freedoms[:, :3]), gathered(Phi, whole.freedoms[:, 3:])
    flat = th.reshape(n, -1)
    Z = np.stack([matrix.T @ p for matrix in arms], axis=2)  # sum_i p_i s_ij
    sums = np.stack([matrix.sum(axis=1) for matrix in arms], axis=1)  # sum_j s_ij
    first = np.einsum("ipk,ia->pak", u, sums) + np.einsum("jpa,cba,jbk->pck", Z, EPS3, th, optimize=True)
    moved = [(u.reshape(n, -1).T @ (matrix @ flat)).reshape(3, m, 3, m) for matrix in arms]
    uq = np.einsum("cba,apkbl->klpc", EPS3, np.array(moved), optimize=True)  # u_k (th_l x s)
    b = np.einsum("apc,klpc->kla", EPS3, uq)
    return _moment(first.transpose(2, 0, 1)), _moment(uq), b - b.swapaxes(0, 1)


def _moment(XY: np.ndarray) -> np.ndarray:
    """J of 1/2 w.J w = sum (w x X).(w x Y), from sum X Y (..., 3, 3)."""
    trace = np.trace(XY, axis1=-2, axis2=-1)
    return 2 * trace[..., None, None] * np.eye(3) - XY - XY.swapaxes(-2, -1)
