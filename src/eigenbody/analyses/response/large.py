"""Time response of large models by the implicit trapezoid rule: one sparse factorization, one solve a step.

At rest (M + h/2 C + h^2/4 K) v1 + G^T l = ..., G v1 = 0 over all body coordinates: the average-acceleration Newmark
scheme, whose discrete energy balance holds to rounding. In motion, with first-order states, or where accelerations or
reactions are read: the descriptor equations, algebraic rows at the new time.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from eigenbody.analyses.response.energy import EnergyBalance
from eigenbody.base.progress import report
from eigenbody.linearization.forms import SparseForm
from eigenbody.numerics.matrices.linear import KKT, SparseFactor


@dataclass(frozen=True, eq=False)
class LargeTask:
    """What to compute: outputs (rows of C, D) at equidistant times from states x0, inputs at both ends of each step."""

    form: SparseForm
    inputs: tuple[int, ...]
    C: Any  # (p, unknowns) rows over the unknowns of the descriptor, sparse
    D: Any  # (p, m)
    x0: np.ndarray
    times: np.ndarray
    u: np.ndarray  # (times, m)
    u_end: np.ndarray  # (times - 1, m)
    blow: np.ndarray | None  # (m,) at the first time

    @property
    def step(self) -> float:
        return float(self.times[-1] - self.times[0]) / (len(self.times) - 1)


def large_motion(task: LargeTask) -> tuple[np.ndarray, EnergyBalance | None]:
    """Outputs (times, p) and, at rest, the energies."""
    d = task.form.descriptor
    nq = d.dq.stop - d.dq.start
    reads_more = task.C[:, d.dq.stop + nq :].nnz or task.C[:, : d.differential].nnz
    if task.form.is_static and not reads_more:
        return _second_order(task, d.dq.start, nq)
    return _descriptor(task), None


# ---- at rest


def _second_order(task: LargeTask, first: int, nq: int) -> tuple[np.ndarray, EnergyBalance]:
    pencil, h = task.form.pencil, task.step
    M, C, K = (matrix.tocsr() for matrix in (pencil.M, pencil.C, pencil.K))
    push = -task.form.descriptor.B[-nq:][:, list(task.inputs)]
    report("factorizing")
    S = (M + 0.5 * h * C + 0.25 * h * h * K).tocsc()
    solve = KKT(S, pencil.G, _unit(S)).solve_refined
    q, v = _initial_motion(task, nq)
    energy = _Energies(M, C, K, q, v)
    if task.blow is not None:
        kicked = v + KKT(M.tocsc(), pencil.G, _unit(M)).solve_refined(push @ task.blow)
        energy.work += 0.5 * float((v + kicked) @ (push @ task.blow))
        v = kicked
    rows_q, rows_u = task.C[:, first : first + nq].tocsr(), task.C[:, first + nq : first + 2 * nq].tocsr()
    out = np.empty((len(task.times), task.C.shape[0]))
    for k in range(len(task.times)):
        if k:
            force = push @ (0.5 * (task.u[k - 1] + task.u_end[k - 1]))
            # M (v1 - v0)/h + C (v0 + v1)/2 + K (q0 + q1)/2 + G^T l = f, q1 = q0 + h (v0 + v1)/2
            mean = solve(M @ v + 0.5 * h * (force - K @ q))  # of the velocity: S mean = M v0 + h/2 (f - K q0)
            energy.step(h, mean, force)
            q, v = q + h * mean, 2 * mean - v
        energy.note(q, v)
        out[k] = rows_q @ q + rows_u @ v + task.D @ task.u[k]
        if k % 50 == 0:
            report(f"time {task.times[k]:.4g} of {task.times[-1]:.4g} s")
    return out, energy.balance()


def _unit(S: Any) -> np.ndarray:
    diagonal = np.abs(S.diagonal())
    return 1.0 / np.sqrt(np.where(diagonal > 0, diagonal, diagonal.max(initial=1.0)))


def _initial_motion(task: LargeTask, nq: int) -> tuple[np.ndarray, np.ndarray]:
    """Positions and velocities of all bodies from the coordinates and their rates."""
    n = task.form.dof
    if not task.x0.any():
        return np.zeros(nq), np.zeros(nq)
    held = np.zeros(nq - n)
    both = (task.x0[:n], task.x0[n : 2 * n])
    q, v = (task.form.point.frame.at_position.solve(np.concatenate((held, part))) for part in both)
    return q, v


class _Energies:
    """Sums the balance of the discrete scheme."""

    def __init__(self, M: Any, C: Any, K: Any, q: np.ndarray, v: np.ndarray) -> None:
        self.M, self.C, self.K = M, C, (0.5 * (K + K.T)).tocsr()
        self.skew = (0.5 * (K - K.T)).tocsr()
        self.start = self._stored(q, v)
        self.lost = self.circulated = self.work = 0.0
        self.q = q
        self.rows: list[tuple[float, ...]] = []

    def _stored(self, q: np.ndarray, v: np.ndarray) -> tuple[float, float]:
        return 0.5 * float(v @ (self.M @ v)), 0.5 * float(q @ (self.K @ q))

    def step(self, h: float, mean: np.ndarray, force: np.ndarray) -> None:
        self.lost += h * float(mean @ (self.C @ mean))
        self.work += h * float(mean @ force)
        self.circulated += h * float(mean @ (self.skew @ (self.q + 0.5 * h * mean)))

    def note(self, q: np.ndarray, v: np.ndarray) -> None:
        self.q = q
        self.rows.append((*self._stored(q, v), self.lost, self.circulated, self.work))

    def balance(self) -> EnergyBalance:
        kinetic, potential, lost, circulated, work = np.array(self.rows).T
        return EnergyBalance(kinetic, potential, lost, circulated, work, np.zeros(len(work)), sum(self.start))


# ---- in motion


def _descriptor(task: LargeTask) -> np.ndarray:
    from scipy.sparse import eye_array, hstack, vstack

    d, h = task.form.descriptor, task.step
    n, size = d.differential, d.A.shape[0]
    A, B = d.A.tocsr(), d.B.tocsr()[:, list(task.inputs)]
    changing, held = A[:n], A[n:]
    one = hstack([eye_array(n), _zeros(n, size - n)], format="csr")
    consistent = SparseFactor(vstack([one, held], format="csc"))
    report("factorizing")
    forward = SparseFactor(vstack([one - 0.5 * h * changing, held], format="csc"))
    explicit = (one + 0.5 * h * changing).tocsr()
    start = task.x0
    if task.blow is not None:
        pushed = consistent.solve(np.concatenate((np.zeros(n), -(B[n:] @ task.blow))))
        start = start + changing @ pushed + B[:n] @ task.blow
    z = consistent.solve(np.concatenate((start, -(B[n:] @ task.u[0]))))
    rows = task.C.tocsr()
    out = np.empty((len(task.times), rows.shape[0]))
    out[0] = rows @ z + task.D @ task.u[0]
    for k in range(1, len(task.times)):
        u0, u1 = task.u[k - 1], task.u_end[k - 1]
        z = forward.solve(np.concatenate((explicit @ z + 0.5 * h * (B[:n] @ (u0 + u1)), -(B[n:] @ u1))))
        if np.any(u1 != task.u[k]):  # the input jumps: forces and accelerations follow at once
            z = consistent.solve(np.concatenate((z[:n], -(B[n:] @ task.u[k]))))
        out[k] = rows @ z + task.D @ task.u[k]
        if k % 50 == 0:
            report(f"time {task.times[k]:.4g} of {task.times[-1]:.4g} s")
    return out


def _zeros(rows: int, columns: int) -> Any:
    from scipy.sparse import csc_array

    return csc_array((rows, columns))
