"""Order of elimination for the matrices of a structure, by nested dissection of its nodes in space."""

from __future__ import annotations

from typing import Any

import numpy as np

LEAF = 60  # nodes that are not divided further


def dissection(K: Any, node: np.ndarray, places: np.ndarray) -> np.ndarray:
    """Order (n,) of the freedoms of K (n, n sparse) that keeps its factors sparse.

    The nodes are halved across the longest extent again and again; those of one half that K couples to the other come
    after both. `node` (n,) tells whose freedom it is, -1 for none (these come last), `places` (nodes, 3) where it is.
    """
    graph = _graph(K, node, len(places))
    rank = np.full(len(places) + 1, len(places))
    rank[_nodes_in_order(graph, places, np.unique(node[node >= 0]))] = np.arange(np.unique(node[node >= 0]).size)
    return np.argsort(rank[node], kind="stable")  # node -1 has the last rank


def _graph(K: Any, node: np.ndarray, count: int) -> Any:
    """Which nodes K couples (count, count)."""
    from scipy.sparse import csr_array

    rows, columns = K.tocoo().coords
    rows, columns = node[rows], node[columns]
    keep = (rows >= 0) & (columns >= 0)
    return csr_array((np.ones(np.count_nonzero(keep), np.int32), (rows[keep], columns[keep])), shape=(count, count))


def _nodes_in_order(graph: Any, places: np.ndarray, nodes: np.ndarray) -> np.ndarray:
    """From the last to be eliminated to the first, then turned round."""
    found: list[np.ndarray] = []
    left_side = np.zeros(len(places), dtype=bool)
    waiting = [nodes]
    while waiting:
        nodes = waiting.pop()
        half = len(nodes) // 2
        if len(nodes) <= LEAF:
            found.append(nodes)
            continue
        extent = places[nodes]
        along = np.argsort(extent[:, np.argmax(np.ptp(extent, axis=0))], kind="stable")
        left, right = nodes[along[:half]], nodes[along[half:]]
        left_side[left] = True
        touched = np.unique(graph[right].indices)
        border = touched[left_side[touched]]
        left_side[left] = False
        found.append(border)
        waiting += [np.setdiff1d(left, border, assume_unique=True), right]
    return np.concatenate(found[::-1]) if found else nodes
