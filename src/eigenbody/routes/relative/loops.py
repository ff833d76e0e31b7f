"""Closed loops: the rows of cut joints, couplings and drivers, and the reduction to independent coordinates.

Phi_q = J B with Trom's modified Cartesian Jacobian J (1990, Eq. 2.39). For deviations dq(t) from the motion
Phi_q(t) dq(t) = 0 holds at all times, hence

    Phi_q dq' + dPhi_q/dt dq = 0,    Phi_q dq'' + 2 dPhi_q/dt dq' + d2Phi_q/dt2 dq = 0 .

Eq. 4.10 keeps the first terms alone, which is right only at rest.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from eigenbody.base.errors import ComputationError
from eigenbody.model.description import Entry, Signal
from eigenbody.model.expressions import Expression
from eigenbody.routes.base import Place, Unsupported
from eigenbody.routes.joints import NON_HOLONOMIC, ROTATIONS, motions, terms_of
from eigenbody.routes.relative.combined import PolynomialOf
from eigenbody.routes.relative.contact import Height
from eigenbody.routes.relative.forces import gradient_rates, gradients
from eigenbody.routes.relative.kinematics import Kinematics
from eigenbody.routes.relative.measures import Channel, Pose, SmallRotation, Twists
from eigenbody.routes.relative.named import Names, Z, held
from eigenbody.routes.relative.sides import Drawing
from eigenbody.routes.relative.topology import Tree
from eigenbody.routes.relative.wheels import disc
from eigenbody.spatial.rotations import cross

RANK = 1e-9  # a row is redundant when less than this part of it is independent of the others
SINGULAR = 1e-6  # sine or cosine of the middle angle of a sequence
_STEP = 1e-40  # of the complex step


@dataclass(frozen=True, eq=False)
class Rows:
    """Sums of channels held at f(t): `combine` (rows, channels) and the first two rates of f (rows,)."""

    channels: tuple[Channel, ...]
    combine: np.ndarray
    rate: np.ndarray
    second_rate: np.ndarray

    def __len__(self) -> int:
        return len(self.combine)

    def taken(self, which: np.ndarray) -> Rows:
        """Some of the rows."""
        return Rows(self.channels, self.combine[which], self.rate[which], self.second_rate[which])

    def joined(self, other: Rows) -> Rows:
        """With other rows below."""
        none = np.zeros((len(self), len(other.channels))), np.zeros((len(other), len(self.channels)))
        combine = np.block([[self.combine, none[0]], [none[1], other.combine]])
        rates = (np.concatenate((getattr(self, name), getattr(other, name))) for name in ("rate", "second_rate"))
        return Rows((*self.channels, *other.channels), combine, *rates)

    def cartesian(self, pose: Pose) -> np.ndarray:
        """The modified Cartesian Jacobian J (rows, carriers, 6)."""
        return np.tensordot(self.combine, gradients(self.channels, pose), 1)

    def cartesian_rate(self, pose: Pose, motion: Twists) -> np.ndarray:
        """Its derivative along motions."""
        return np.tensordot(self.combine, gradient_rates(self.channels, pose, motion), 1)


def variation_rows(channels: tuple[Channel, ...]) -> Rows:
    """One row for each channel."""
    n = len(channels)
    return Rows(channels, np.eye(n), np.zeros(n), np.zeros(n))


def read_rows(drawing: Drawing, names: Names, tree: Tree, place: Place, pose: Pose) -> Rows:
    """Cut joints, moving frames, couplings, prescribed motions and drivers."""
    description = drawing.description
    rows: list[tuple[list[tuple[float, Channel]], float, float]] = []
    for entry in tree.cut:
        if entry.type in NON_HOLONOMIC:
            rows += [([(1.0, Height(disc(entry, drawing)))], 0.0, 0.0)] if entry.type == "rolling" else []
            continue
        first, second = drawing.sides(entry)
        pitch = entry.get("pitch", 0.0)
        rows += [([*row], 0.0, 0.0) for row in held(entry.type, first, second, drawing.count, pitch)]
    for hinge, entry in zip(tree.frames, description.frames, strict=True):
        rows.append(([(1.0, SmallRotation(hinge.first, hinge.second, Z))], float(entry["rate"]), 0.0))
    for entry in description.couplings:
        if entry.type == "velocity":
            continue
        if entry.type == "polynomial":
            rows.append((_function_of(entry, names, place, pose), 0.0, 0.0))
            continue
        rows.append(([(factor, names.measure(name)) for name, factor in terms_of(entry).items()], 0.0, 0.0))
    prescribed = {name: _in_time(signal, place.t) for name, signal, _ in motions(description)}
    _shorten(prescribed)
    _reflect(prescribed, names)
    rows += [([(1.0, names.measure(name))], rate, second) for name, (_, rate, second) in prescribed.items()]
    channels = [channel for row, _, _ in rows for _, channel in row]
    combine = np.zeros((len(rows), len(channels)))
    start = 0
    for k, (row, _, _) in enumerate(rows):
        combine[k, start : start + len(row)] = [factor for factor, _ in row]
        start += len(row)
    rates = np.array([(rate, second) for _, rate, second in rows]).reshape(-1, 2)
    return Rows(tuple(channels), combine, rates[:, 0], rates[:, 1])


def _function_of(entry: Entry, names: Names, place: Place, pose: Pose) -> list[tuple[float, Channel]]:
    """first - P(second)."""
    first, second = (names.measure(name) for name in entry["joints"])
    value = float(np.real(second.value(pose)))
    turns = place.coordinates.get(entry["joints"][1], value) - value
    return [(1.0, first), (-1.0, PolynomialOf(second, np.asarray(entry["coefficients"]), turns))]


def _in_time(signal: Signal, t: float) -> tuple[float, float, float]:
    """A prescribed motion and its first and second derivative by time."""
    if isinstance(signal, float | int):
        return float(signal), 0.0, 0.0
    if isinstance(signal, Expression):
        rate = signal.derivative("t")
        return tuple(float(f.evaluate({"t": t})) for f in (signal, rate, rate.derivative("t")))  # type: ignore[return-value]
    raise Unsupported("a motion prescribed by a function")


def _shorten(prescribed: dict[str, tuple[float, float, float]]) -> None:
    """Rotation vectors a longer than half a turn become a - 2 pi k a/|a|, which are the same rotation, in place."""
    for owner in dict.fromkeys(name.rpartition(".")[0] for name in prescribed):
        names = [f"{owner}.{label}" for label in ROTATIONS]
        if not all(name in prescribed for name in names):
            continue
        a, a1, a2 = np.array([prescribed[name] for name in names]).T
        turns = np.round(np.linalg.norm(a) / (2 * np.pi))
        if turns:
            size = np.linalg.norm(a)
            n, size1 = a / size, a @ a1 / size
            n1 = (a1 - size1 * n) / size
            size2 = (a1 @ a1 + a @ a2) / size - size1**2 / size
            n2 = (a2 - 2 * size1 * n1 - size2 * n) / size
            short = (part - 2 * np.pi * turns * of for part, of in zip((a, a1, a2), (n, n1, n2), strict=True))
            prescribed.update(zip(names, zip(*short, strict=True), strict=True))


def _reflect(prescribed: dict[str, tuple[float, float, float]], names: Names) -> None:
    """The middle angle b of three prescribed ones is measured between -pi/2 and pi/2 (0 and pi where the outer axes are
    the same): beyond, the rotation is that of pi - b (-b) with both others half a turn further. In place."""
    for owner, entry in names.measures.items():
        angles = [f"{owner}.{k}" for k in (1, 2, 3)]
        if entry.type != "angles" or not all(name in prescribed for name in angles):
            continue
        b, *rates = prescribed[angles[1]]
        inside = np.sin(b) if entry["sequence"][0] == entry["sequence"][2] else np.cos(b)
        if abs(inside) < SINGULAR:
            raise Unsupported(f'the angles "{owner}" in a singular pose')
        if inside < 0:
            prescribed[angles[1]] = (b, -rates[0], -rates[1])


# ---- the Jacobian and its time derivatives


class CartesianRows(Protocol):
    """Rows in body motions: of constraints, or of speeds held at zero."""

    def __len__(self) -> int: ...

    def cartesian(self, pose: Pose) -> np.ndarray:
        """(rows, carriers, 6)."""
        ...

    def cartesian_rate(self, pose: Pose, motion: Twists) -> np.ndarray:
        """Their derivative along motions."""
        ...


def jacobian(rows: CartesianRows, at: Kinematics) -> np.ndarray:
    """Phi_q = J B (rows, n), Eq. 2.39."""
    return np.einsum("rci,cin->rn", rows.cartesian(at.pose), at.B)


def jacobian_rate(rows: CartesianRows, at: Kinematics) -> np.ndarray:
    """dPhi_q/dt along the motion."""
    J, J_rate = rows.cartesian(at.pose), rows.cartesian_rate(at.pose, at.motion)
    return np.einsum("rci,cin->rn", J_rate, at.B) + np.einsum("rci,cin->rn", J, at.B_rate)


def jacobian_second_rate(rows: CartesianRows, at: Kinematics, nu_rate: np.ndarray) -> np.ndarray:
    """d2Phi_q/dt2 along the motion with accelerations nu_rate; d2J/dt2 is a complex step of dJ/dt."""
    acceleration = at.B @ nu_rate + at.B_rate @ at.nu
    pose, motion, h = at.pose, at.motion, 1j * _STEP
    turned = cross(motion.w[:, None, :], np.swapaxes(pose.R, 1, 2)).swapaxes(1, 2)
    ahead = Pose(pose.r + h * motion.v, pose.R + h * turned)
    later = Twists(motion.v + h * acceleration[:, :3], motion.w + h * acceleration[:, 3:])
    J_second = rows.cartesian_rate(ahead, later).imag / _STEP
    J, J_rate = rows.cartesian(pose), rows.cartesian_rate(pose, motion)
    second = np.einsum("rci,cin->rn", J_second, at.B) + 2 * np.einsum("rci,cin->rn", J_rate, at.B_rate)
    return second + np.einsum("rci,cin->rn", J, at.B_second_rate(nu_rate))


def multiplier_stiffness(rows: CartesianRows, at: Kinematics, multipliers: np.ndarray) -> np.ndarray:
    """d(Phi_q^T lambda)/dq at constant lambda (n, n): the geometric stiffness that Trom's Eq. 4.13 drops."""
    pull = np.tensordot(multipliers, rows.cartesian(at.pose), 1)
    pull_by = np.tensordot(multipliers, rows.cartesian_rate(at.pose, at.directions), 1)  # (b, carriers, 6)
    return np.einsum("cia,bci->ab", at.B, pull_by) + np.einsum("bcia,ci->ab", at.B_partial, pull)


# ---- rank and reduction


def independent_rows(
    rows: CartesianRows, at: Kinematics, scale: np.ndarray, beside: np.ndarray | None = None
) -> np.ndarray:
    """Indices of independent rows of Phi_q, by QR with pivoting; columns are scaled. `beside`: rows that hold already.

    A row is judged by the size of the terms of which it is the sum: one whose terms cancel is redundant.
    """
    from scipy.linalg import qr

    if not len(rows):
        return np.zeros(0, dtype=int)
    terms = np.einsum("rci,cin->rn", np.abs(rows.cartesian(at.pose)), np.abs(at.B) * scale)
    size = np.maximum(np.linalg.norm(terms, axis=1), 1e-300)
    scaled = jacobian(rows, at) * scale / size[:, None]
    if beside is not None and len(beside):
        basis = np.linalg.qr((beside * scale).T)[0]
        scaled = _without(basis, scaled.T).T
    _, triangle, order = qr(scaled.T, mode="economic", pivoting=True)
    return np.sort(order[: int(np.sum(np.abs(np.diag(triangle)) > RANK))])


def idle_turns(tree: Tree, points: np.ndarray, felt: np.ndarray) -> Rows:
    """Rows that hold the rotation of a point mass where what hangs on it by a ball joint can turn by itself as well:
    the columns of its rotation in `felt` (rows, n), in which all that feels a coordinate stands, depend on others."""
    channels: list[Channel] = []
    size = np.linalg.norm(felt, axis=0)
    unit = felt / np.where(size > 0, size, 1.0)
    idle: list[int] = []
    for branch in tree.branches:
        if branch.body not in points or branch.triple is None:
            continue
        own = list(range(branch.triple.start, branch.triple.stop))
        others = np.setdiff1d(np.arange(tree.count), [*own, *idle])
        basis = np.linalg.qr(unit[:, others])[0]
        if np.any(size[own] > 0) and np.all(np.linalg.norm(_without(basis, unit[:, own]), axis=0) <= RANK):
            idle += own
            channels += [SmallRotation(branch.first, branch.second, k) for k in range(3)]
    return variation_rows(tuple(channels))


def null_space(matrix: np.ndarray, method: str = "qr") -> np.ndarray:
    """Q2 (n, freedoms): motions that the independent rows allow, by QR (Eqs. 4.1 to 4.6), SVD or LU."""
    from scipy.linalg import lu, qr

    rank, n = matrix.shape
    if not rank:
        return np.eye(n)
    if method == "svd":
        return np.linalg.svd(matrix)[2][rank:].T
    if method == "qr":
        return qr(matrix.T)[0][:, rank:]
    if method != "lu":
        raise ComputationError(f'there is no reduction "{method}"; known: qr, svd, lu.')
    dependent = _pivots(matrix)
    free = np.setdiff1d(np.arange(n), dependent)
    left, lower, upper = lu(matrix[:, dependent])
    motion = np.zeros((n, n - rank))
    motion[free] = np.eye(n - rank)
    motion[dependent] = -np.linalg.solve(left @ lower @ upper, matrix[:, free])
    return motion


def _pivots(matrix: np.ndarray) -> np.ndarray:
    """Columns that elimination with full pivoting makes dependent."""
    work, chosen = matrix.astype(float).copy(), []
    rows = list(range(len(work)))
    for _ in range(len(work)):
        k, column = np.unravel_index(np.argmax(np.abs(work[rows])), (len(rows), work.shape[1]))
        row = rows.pop(int(k))
        chosen.append(int(column))
        factor = work[rows, column] / work[row, column]
        work[rows] -= np.outer(factor, work[row])
    return np.sort(chosen)


def choose_coordinates(rows: np.ndarray, wishes: np.ndarray, scale: np.ndarray) -> tuple[list[int], list[int]]:
    """Independent coordinates: which of the wishes (m, n) can be had, in order, and which of the n coordinates fill up
    the rest, the most independent first."""
    basis = np.linalg.qr((rows * scale).T)[0] if len(rows) else np.zeros((len(scale), 0))
    n, freedoms = len(scale), len(scale) - basis.shape[1]
    kept: list[int] = []
    for k, wish in enumerate(wishes * scale):
        size = np.linalg.norm(wish)
        left = _without(basis, wish)
        if len(kept) < freedoms and size > 0 and np.linalg.norm(left) > RANK * size:
            kept.append(k)
            basis = np.column_stack((basis, left / np.linalg.norm(left)))
    filled: list[int] = []
    while len(kept) + len(filled) < freedoms:
        rest = np.eye(n) - basis @ basis.T
        best = int(np.argmax(np.round(np.linalg.norm(rest, axis=0), 9)))
        left = _without(basis, np.eye(n)[best])
        filled.append(best)
        basis = np.column_stack((basis, left / np.linalg.norm(left)))
    return kept, sorted(filled)


def _without(basis: np.ndarray, vector: np.ndarray) -> np.ndarray:
    """What is left of a vector after projection, twice."""
    for _ in range(2):
        vector = vector - basis @ (basis.T @ vector)
    return vector
