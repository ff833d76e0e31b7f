"""The open-loop matrix B' of the tree and the cut-joint matrix B'' of what closes loops (sections 3.2 and 3.3)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from eigenbody.model.description import Description, Entry
from eigenbody.routes.drawing import Poses, ends
from eigenbody.routes.joints import spanning_tree, terms_of
from eigenbody.routes.topology.elements import joint_coordinate
from eigenbody.routes.topology.tables import D, G, H, joint_axes
from eigenbody.routes.topology.transforms import to_frame, to_point

RANK = 1e-9  # of the cut-joint rows, relative to the largest pivot, or to the unit displacements they are made for


@dataclass(frozen=True, eq=False)
class Joint:
    """A joint where it stands: bodies, the acting point that both share, and the axes in which its H is diagonal."""

    entry: Entry
    first: int
    second: int
    point: np.ndarray
    axes: np.ndarray

    def displacement(self, body: int, at: Poses) -> np.ndarray:
        """R T (6, 6): displacements of the acting point on a body, in the joint frame, Eq. 17."""
        return to_frame(self.axes) @ to_point(self.point - at.r[body])


@dataclass(frozen=True)
class Topology:
    """Joints of the tree with the body each one carries, cut joints, and bodies that nothing carries."""

    carried: tuple[tuple[Joint, int, int], ...]  # joint, parent, child; parents first
    cut: tuple[Joint, ...]
    floating: tuple[int, ...]

    @property
    def name(self) -> str:
        """The group of Fig. 4 that the constraints belong to."""
        if self.cut:
            return "closed-loop"
        if not self.carried:
            return "free"
        parents = [parent for _, parent, _ in self.carried]
        children = {child for _, _, child in self.carried}
        if not children.intersection(parents):
            return "scattered"
        return "tree" if len(set(parents)) < len(parents) else "chain"


def joint_at(description: Description, entry: Entry, at: Poses) -> Joint:
    """A joint at the place; its acting point is the second body's, so that both bodies are compared at one point."""
    first, second = ends(description, entry)
    point = at.point(second)
    axes = joint_axes(entry.type, at.axes(first), at.axes(second), point - at.point(first))
    return Joint(entry, first.body, second.body, point, axes)


def topology_of(description: Description, at: Poses) -> Topology:
    """The spanning tree of a model where it stands, and what closes loops."""
    tree = spanning_tree(description)
    joints = {entry.name: joint_at(description, entry, at) for entry in description.joints}
    carried = tuple((joints[b.joint.name], b.parent, b.body) for b in tree if b.joint is not None)
    used = {joint.entry.name for joint, _, _ in carried}
    cut = tuple(joint for name, joint in joints.items() if name not in used and joint.entry.type != "free")
    return Topology(carried, cut, tuple(b.body for b in tree if b.joint is None))


def open_loop_matrix(description: Description, topology: Topology, at: Poses) -> np.ndarray:
    """B' (6n, n'): displacements of all bodies from the independent ones of the tree, Eqs. 37-42."""
    n = len(description.bodies)
    sizes = dict.fromkeys(topology.floating, 6)
    sizes |= {child: len(D(joint.entry.type)) for joint, _, child in topology.carried}
    starts = dict(zip(sizes, np.cumsum([0, *sizes.values()])[:-1].tolist(), strict=True))
    B = np.zeros((n + 1, 6, sum(sizes.values())))  # ground is the last block and stays zero
    for body in topology.floating:
        B[body, :, starts[body] : starts[body] + 6] = np.eye(6)
    for joint, parent, child in topology.carried:
        back = np.linalg.inv(joint.displacement(child, at))
        hold, free = H(joint.entry.type), D(joint.entry.type)
        B[child] = back @ hold @ joint.displacement(parent, at) @ B[parent]  # P_ij, Eq. 37
        B[child, :, starts[child] : starts[child] + len(free)] += back @ (np.eye(6) - hold) @ free.T  # Q_ij, Eq. 38
    return B[:n].reshape(6 * n, -1)


def row_terms(
    description: Description, topology: Topology, at: Poses
) -> Iterator[tuple[tuple[np.ndarray, Joint], ...]]:
    """Sums of L (k, 6) times the relative displacements of joints that must vanish: cut joints (Eq. 50), then
    transmissions (Eq. 52, corrected: Eq. 8 takes absolute displacements, which is right on ground)."""
    for joint in topology.cut:
        hold = H(joint.entry.type)
        yield ((hold[hold.any(axis=1)], joint),)
    for entry in description.joints:
        if entry.type == "screw":
            row = G("displacement") - float(entry["pitch"]) * G("angle")
            yield ((row[None], joint_at(description, entry, at)),)
    for coupling in description.couplings:
        terms = []
        for name, factor in terms_of(coupling).items():
            found = joint_coordinate(description, name)
            assert found is not None
            terms.append((factor * G(found[1])[None], joint_at(description, found[0], at)))
        yield tuple(terms)


def cut_rows(description: Description, topology: Topology, at: Poses, B: np.ndarray) -> np.ndarray:
    """Rows (m, n') on the displacements of the tree."""
    blocks = with_ground(B)
    rows = [np.zeros((0, B.shape[1]))]
    for terms in row_terms(description, topology, at):
        rows.append(np.sum([L @ relative(joint, at, blocks) for L, joint in terms], axis=0))
    return np.concatenate(rows)


def with_ground(B: np.ndarray) -> np.ndarray:
    """B (6n, n') by bodies (n + 1, 6, n'), ground last."""
    return np.concatenate([B.reshape(-1, 6, B.shape[1]), np.zeros((1, 6, B.shape[1]))])


def relative(joint: Joint, at: Poses, blocks: np.ndarray) -> np.ndarray:
    """Displacements (6, n') of the second body relative to the first at the joint, in its frame."""
    return joint.displacement(joint.second, at) @ blocks[joint.second] - (
        joint.displacement(joint.first, at) @ blocks[joint.first]
    )


def cut_joint_matrix(rows: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray, int]:
    """B'' (n', n''), the independent displacements (n'',) and the number of redundant rows, Eqs. 54-57."""
    if not len(rows):
        return np.eye(count), np.arange(count), 0
    from scipy.linalg import qr, solve_triangular

    _, R, order = qr(rows, mode="economic", pivoting=True)
    pivots = np.abs(np.diag(R))
    rank = int(np.count_nonzero(pivots > RANK * max(1.0, pivots[0])))
    dependent, independent = order[:rank], np.sort(order[rank:])
    columns = np.argsort(order[rank:])
    B = np.zeros((count, count - rank))
    B[independent, range(count - rank)] = 1.0
    B[dependent] = -solve_triangular(R[:rank, :rank], R[:rank, rank:])[:, columns]
    return B, independent, len(rows) - rank
