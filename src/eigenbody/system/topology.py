"""The spanning tree: which joint hangs each body on the mechanism, in the order of the walk (initial state)."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, slots=True, eq=False)
class Tree:
    """Bodies in walking order with the joint that carries each; -1 for a floating root (its own six come first)."""

    order: np.ndarray  # (bodies,) body index
    joint: np.ndarray  # (bodies,) joint index, aligned with `order`
    parent: np.ndarray  # (bodies,) carrier index, aligned with `order`

    @property
    def depth(self) -> int:
        """Number of joints from the ground, or from what floats, to the body farthest from it."""
        below: dict[int, int] = {}
        for body, parent in zip(self.order.tolist(), self.parent.tolist(), strict=True):
            below[body] = below.get(parent, 0) + 1
        return max(below.values(), default=0)

    @property
    def roots(self) -> np.ndarray:
        """Bodies that float."""
        return self.order[self.joint < 0]


def span(bodies: int, still: Sequence[int], first: np.ndarray, second: np.ndarray, branch: np.ndarray) -> Tree:
    """Breadth-first from the carriers that do not move freely (ground first), then from the first-listed body of each
    part not jointed to them; joints in file order. `branch` (joints,) tells which joints can be branches."""
    neighbours: list[list[tuple[int, int]]] = [[] for _ in range(bodies + len(still))]
    branches = np.flatnonzero(branch)
    for j, a, b in zip(branches.tolist(), first[branches].tolist(), second[branches].tolist(), strict=True):
        neighbours[a].append((j, b))
        neighbours[b].append((j, a))
    seen = [False] * (bodies + len(still))
    order: list[int] = []
    joint: list[int] = []
    parent: list[int] = []

    def walk(start: int) -> None:
        queue = deque([start])
        while queue:
            at = queue.popleft()
            for j, other in neighbours[at]:
                if not seen[other]:
                    seen[other] = True
                    order.append(other)
                    joint.append(j)
                    parent.append(at)
                    queue.append(other)

    for carrier in still:
        seen[carrier] = True
    for carrier in still:
        walk(carrier)
    ground = still[0]
    for body in range(bodies):
        if not seen[body]:
            seen[body] = True
            order.append(body)
            joint.append(-1)
            parent.append(ground)
            walk(body)
    return Tree(np.array(order, dtype=int), np.array(joint, dtype=int), np.array(parent, dtype=int))
