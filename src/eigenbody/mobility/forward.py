"""Forward kinematics: the configuration of the spanning tree from the values of its coordinates, in one pass.

Each body hangs on its parent by a tree joint, whose coordinates give the pose of one of its frames in the other. With
frames (o1, A1) on the first body and (o2, A2) on the second, R2 A2 = R1 A1 R_rel and r2 + R2 o2 = r1 + R1 (o1 + A1 p).
Rotations are products of the relative ones along the tree, positions are sums of arms; both are taken for all bodies
together, by doubling the way that each has gone up the tree (log2 of its depth rounds).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from eigenbody.elements.joints.base import JointType
from eigenbody.elements.joints.pose import relative_pose
from eigenbody.elements.measures.templates import Pairs
from eigenbody.spatial.rotations import apply, exp
from eigenbody.system.state import State, frames_at
from eigenbody.system.system import System


@dataclass(frozen=True, slots=True, eq=False)
class _Branches:
    """Bodies (n,) that hang on their parents (n,) by joints of one type; `is_first`: the body is the joint's first."""

    type: JointType
    body: np.ndarray
    parent: np.ndarray
    is_first: np.ndarray
    pairs: Pairs
    coordinates: np.ndarray  # (n, k) named measures

    def turned(self, turn: np.ndarray) -> np.ndarray:
        """Axes of the bodies in those of their parents: A1 R_rel A2^T, or the inverse where the body is the first."""
        forth = self.pairs.axes1 @ turn @ np.swapaxes(self.pairs.axes2, -1, -2)
        back = self.is_first[:, None, None]
        return np.where(back, np.swapaxes(forth, -1, -2), forth) if self.is_first.any() else forth

    def arm(self, p: np.ndarray, R: np.ndarray) -> np.ndarray:
        """Vectors from the parents to the bodies in global axes; R (..., carriers, 3, 3) are turned already."""
        pairs = self.pairs
        at_first = apply(R[..., pairs.first, :, :], pairs.origin1 + apply(pairs.axes1, p))
        forth = at_first - apply(R[..., pairs.second, :, :], pairs.origin2)
        return np.where(self.is_first[:, None], -forth, forth)


class ForwardKinematics:
    """The tree of a system, ready to be put into any pose."""

    def __init__(self, system: System) -> None:
        self.system = system
        self._branches = list(_branches(system))
        self._still = np.flatnonzero(system.dof[: system.bodies, 3] < 0)  # what does not turn: points, modal carriers
        self._roots = list(_roots(system))

    def configuration(self, drawing: State, values: np.ndarray) -> State:
        """The drawing with the tree's coordinates at `values` (..., named measures); full turns are not counted."""
        poses = [relative_pose(b.type, values[..., b.coordinates], b.pairs.keys) for b in self._branches]
        bodies = self.system.bodies
        R = self._rotations(drawing, values, [turn for _, turn in poses])
        r = self._positions(drawing, values, [p for p, _ in poses], R)
        return replace(drawing, r=r[..., :bodies, :], R=R[..., :bodies, :, :])

    def _rotations(self, drawing: State, values: np.ndarray, turns: list[np.ndarray]) -> np.ndarray:
        """(..., carriers + 1, 3, 3); the last is the world, on which roots hang."""
        parts = [(b.body, b.turned(turn)) for b, turn in zip(self._branches, turns, strict=True)]
        for body, measures, is_modal in self._roots:
            if measures.shape[1] == 6 and not is_modal:
                parts.append((body, exp(values[..., measures[:, 3:]]) @ drawing.R[..., body, :, :]))
        parts.append((self._still, drawing.R[..., self._still, :, :]))
        own = self._own(drawing.R, frames_at(self.system, drawing.t).R, np.eye(3), parts)
        up = self._up()
        up[self._still] = len(up) - 1
        return _along_tree(own, up, 2, np.matmul)

    def _positions(self, drawing: State, values: np.ndarray, moves: list[np.ndarray], R: np.ndarray) -> np.ndarray:
        """(..., carriers + 1, 3)."""
        parts = [(b.body, b.arm(p, R)) for b, p in zip(self._branches, moves, strict=True)]
        for body, measures, is_modal in self._roots:
            moved = values[..., measures[:, :3]]
            if is_modal:  # the carrier of modal coordinates is where they are
                rest = drawing.r[..., body, measures.shape[1] :]
                parts.append(
                    (body, np.concatenate((moved, np.broadcast_to(rest, (*moved.shape[:-1], rest.shape[-1]))), -1))
                )
            else:
                parts.append((body, drawing.r[..., body, :] + moved))
        own = self._own(drawing.r, frames_at(self.system, drawing.t).r, np.zeros(3), parts)
        return _along_tree(own, self._up(), 1, np.add)

    def _up(self) -> np.ndarray:
        """(carriers + 1,) what each carrier hangs on; the world for roots, frames, ground and itself."""
        up = np.full(len(self.system.places.names) + 1, len(self.system.places.names))
        for b in self._branches:
            up[b.body] = b.parent
        return up

    def _own(
        self, bodies: np.ndarray, rest: np.ndarray, world: np.ndarray, parts: list[tuple[np.ndarray, np.ndarray]]
    ) -> np.ndarray:
        """What each carrier has beside what it hangs on, in one array (..., carriers + 1, *own axes)."""
        axes = world.ndim + 1
        arrays = [bodies, rest, *(part for _, part in parts)]
        lead = np.broadcast_shapes(*(array.shape[:-axes] for array in arrays))
        count, n = len(self.system.places.names), self.system.bodies
        out = np.empty((*lead, count + 1, *world.shape), dtype=np.result_type(*arrays))
        drawn: list[tuple[Any, np.ndarray]] = [
            (slice(0, n), bodies),
            (slice(n, count), rest),
            (slice(count, None), world),
        ]
        for index, part in (*drawn, *parts):
            out[(..., index, *[slice(None)] * world.ndim)] = part
        return out


def _branches(system: System) -> Iterator[_Branches]:
    tree = system.tree
    hung = tree.joint >= 0
    body, parent = (np.full(len(system.description.joints), -1) for _ in range(2))
    body[tree.joint[hung]], parent[tree.joint[hung]] = tree.order[hung], tree.parent[hung]
    for group in system.joints:
        on = np.flatnonzero(body[group.index] >= 0)
        if len(on):
            index, pairs = group.index[on], group.pairs if len(on) == len(group.index) else group.pairs.take(on)
            is_first = pairs.first == body[index]
            yield _Branches(group.type, body[index], parent[index], is_first, pairs, group.coordinates[on])


def _roots(system: System) -> Iterator[tuple[np.ndarray, np.ndarray, bool]]:
    """Bodies (n,) that hang on nothing with their coordinates (n, k), like with like, and whether these are modal."""
    modal, is_root = system.description.bodies.modal, np.zeros(system.bodies, dtype=bool)
    is_root[system.tree.roots] = True
    own: dict[int, list[int]] = {}
    for body, measure in zip(system.tree_coordinate_body.tolist(), system.tree_coordinates.tolist(), strict=True):
        if is_root[body]:
            own.setdefault(body, []).append(measure)
    alike: dict[tuple[int, bool], list[int]] = {}
    for body, measures in own.items():
        alike.setdefault((len(measures), modal is not None and modal[body] > 0), []).append(body)
    for (_, is_modal), bodies in alike.items():
        yield np.array(bodies), np.array([own[body] for body in bodies]), is_modal


def _along_tree(
    own: np.ndarray, up: np.ndarray, axes: int, join: Callable[[np.ndarray, np.ndarray], np.ndarray]
) -> np.ndarray:
    """What carriers have of their own (..., carriers, *axes), joined with that of all above them. `up` (carriers,)
    points to the last at roots, which is neutral."""
    while (up != len(up) - 1).any():
        own = join(np.take(own, up, axis=-1 - axes), own)
        up = up[up]
    return own
