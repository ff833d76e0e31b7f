"""How nodes turn that have no rotations of their own, as those of solids: with the nodes around them."""

from __future__ import annotations

import numpy as np

from eigenbody.structures.invariants import EPS3, gathered, owners
from eigenbody.structures.structure import Structure

FLAT = 1e-9  # part of the size of the neighbourhood below which it has no extent


def node_turns(structure: Structure, Phi: np.ndarray) -> np.ndarray:
    """Rotations (n, 3, m) of the nodes by the shapes Phi (N, m).

    A node with displacements alone turns by the rigid rotation that fits best, in the sense of least squares, the
    displacements of the nodes K couples to it, seen from it. Nodes in a line say nothing about turning about it.
    """
    turn = gathered(Phi, structure.freedoms[:, 3:])
    plain = (structure.freedoms[:, 3:] < 0).all(axis=1) & (structure.freedoms[:, :3] >= 0).any(axis=1)
    if plain.any():
        turn[plain] = _fitted(structure, np.flatnonzero(plain), Phi)
    return turn


def _fitted(structure: Structure, nodes: np.ndarray, Phi: np.ndarray) -> np.ndarray:
    """th (k, 3, m) with sum d x (u_j - u_i - th x d) = 0 over the neighbours j at d from node i."""
    i, j = _neighbours(structure, nodes)
    d = structure.nodes[j] - structure.nodes[nodes[i]]
    S = np.zeros((len(nodes), 3, 3), d.dtype)
    np.add.at(S, i, (d * d).sum(axis=1)[:, None, None] * np.eye(3) - d[:, :, None] * d[:, None, :])
    moment = _moments(structure, nodes, i, j, d, Phi)
    size, axes = np.linalg.eigh(S.real)
    largest = np.where(size[:, 2:] > 0, size[:, 2:], 1.0)
    blind = size <= FLAT * largest
    S = S + np.einsum("nia,na,nja->nij", axes, np.where(blind, largest, 0.0), axes)
    seen = np.einsum("nia,na,nja->nij", axes, np.where(blind, 0.0, 1.0), axes)
    return seen @ np.linalg.solve(S, moment)


def _neighbours(structure: Structure, nodes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Pairs: place i in `nodes`, and a node j with displacements that K couples to it."""
    from scipy.sparse import csr_array

    owner, _ = owners(structure)
    rows, columns = csr_array(structure.K).tocoo().coords
    place = np.full(len(structure.nodes), -1)
    place[nodes] = np.arange(len(nodes))
    moves = structure.freedoms[:, :3].max(axis=1) >= 0
    keep = (owner[rows] >= 0) & (owner[columns] >= 0)
    i, j = place[owner[rows[keep]]], owner[columns[keep]]
    keep = (i >= 0) & moves[j]
    pairs = np.unique(i[keep] * len(structure.nodes) + j[keep])
    i, j = pairs // len(structure.nodes), pairs % len(structure.nodes)
    apart = nodes[i] != j
    return i[apart], j[apart]


def _moments(
    structure: Structure, nodes: np.ndarray, i: np.ndarray, j: np.ndarray, d: np.ndarray, Phi: np.ndarray
) -> np.ndarray:
    """sum d x (u_j - u_i) (k, 3, m), by one sparse product for each axis of d."""
    from scipy.sparse import csr_array

    u = gathered(Phi, structure.freedoms[:, :3])
    flat = u.reshape(len(u), -1)
    total = np.zeros((len(nodes), 3, u.shape[2]), np.result_type(u, d))
    for a in range(3):
        weight = csr_array((d[:, a], (i, j)), shape=(len(nodes), len(u)))
        moved = weight @ flat - weight.sum(axis=1)[:, None] * flat[nodes]
        total += np.einsum("pb,nbk->npk", EPS3[:, a, :], moved.reshape(len(nodes), 3, -1))
    return total
