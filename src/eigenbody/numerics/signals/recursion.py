"""Linear recursions x_(k+1) = F x_k + c_k over very many steps, and the exact discretization of x' = A x + B u.

Steps follow each other, but blocks of steps need not: all blocks advance together, first from rest, which gives the
state at the start of each block, then from there. Two matrix products of all blocks per step replace one product of one
state per step.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from eigenbody.numerics.matrices.balance import balanced, exponential


class Discretization(NamedTuple):
    """x(t+h) = F x(t) + G0 u(t) + G1 u(t+h), exact for an input that is constant (G1 = 0) or linear in the step."""

    F: np.ndarray
    G0: np.ndarray
    G1: np.ndarray


def discretize(A: np.ndarray, B: np.ndarray, h: np.ndarray, hold: str) -> Discretization:
    """For every step length h (steps,): arrays with a leading axis. From one exponential of [A B 0; 0 0 1/h; 0 0 0],
    which needs no inverse of A. `hold` is "zero" or "first"."""
    from scipy.linalg import expm

    n, m = B.shape
    order = 1 if hold == "zero" else 2
    template = np.zeros((n + m, n + m), np.result_type(A, B, float))
    template[:n, :n], template[:n, n:] = A, B
    template, unit = balanced(template)
    large = np.zeros((len(h), n + order * m, n + order * m), template.dtype)
    large[:, : n + m, : n + m] = template * h[:, None, None]
    if order == 2:
        large[:, n : n + m, n + m :] = np.eye(m)  # time counted in steps
    Phi = expm(large) if large.size else large
    scale = unit[:n, None] / np.concatenate((unit, unit[n:]))[: large.shape[1]]
    Phi = Phi[:, :n] * scale
    F, hold_start = Phi[:, :, :n], Phi[:, :, n : n + m]
    if order == 1:
        return Discretization(F, hold_start, np.zeros_like(hold_start))
    ramp = Phi[:, :, n + m :]
    return Discretization(F, hold_start - ramp, ramp)


def even_recursion(F: np.ndarray, start: np.ndarray, pushes: np.ndarray | None, steps: int) -> np.ndarray:
    """All x_0 ... x_steps (steps + 1, n) of x_(k+1) = F x_k + c_k; `pushes` c (steps, n), or None for none."""
    n = len(F)
    length = max(1, round(np.sqrt(steps)))
    blocks = -(-steps // length)
    out = np.zeros((blocks * length + 1, n), np.result_type(F, start, *(() if pushes is None else (pushes,))))
    out[0] = start
    if steps and n:
        if pushes is not None:
            out[1 : steps + 1] = pushes  # each is read before its state takes its place
        table = out[1:].reshape(blocks, length, n)
        now = _block_starts(F, start, table, blocks, length)
        for i in range(length):
            now = now @ F.T + table[:, i]
            table[:, i] = now
    return out[: steps + 1]


def _block_starts(F: np.ndarray, start: np.ndarray, c: np.ndarray, blocks: int, length: int) -> np.ndarray:
    """State at the start of each block (blocks, n)."""
    n = len(F)
    ends = np.zeros((blocks, n), c.dtype)
    for i in range(length):
        ends = ends @ F.T + c[:, i]
    across = np.linalg.matrix_power(F, length)
    starts = np.empty((blocks, n), ends.dtype)
    starts[0] = start
    for j in range(blocks - 1):
        starts[j + 1] = across @ starts[j] + ends[j]
    return starts


def uneven_recursion(F: np.ndarray, which: np.ndarray, start: np.ndarray, pushes: np.ndarray) -> np.ndarray:
    """All x_0 ... x_steps of x_(k+1) = F[which_k] x_k + c_k: one step after the other."""
    out = np.empty((len(which) + 1, len(start)), np.result_type(F, start, pushes))
    out[0] = now = start
    for k, i in enumerate(which):
        out[k + 1] = now = F[i] @ now + pushes[k]
    return out


def distinct_steps(times: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Lengths of the steps that differ beyond the rounding of the times, and which of them each step is."""
    steps = np.diff(times)
    rounding = 4 * np.finfo(float).eps * max(float(np.abs(times).max(initial=0.0)), 1e-300)
    unit = max(rounding, 1e-12 * float(steps.min(initial=np.inf)))
    _, first, which = np.unique(np.round(steps / unit), return_index=True, return_inverse=True)
    if len(first) > 1 and np.ptp(steps) <= 4 * rounding:  # equidistant but for rounding
        return np.array([(times[-1] - times[0]) / len(steps)]), np.zeros(len(steps), int)
    return steps[first], which


def respond_to_samples(
    A: np.ndarray, B: np.ndarray, start: np.ndarray, times: np.ndarray, u: np.ndarray, hold: str
) -> np.ndarray:
    """States (times, n) for inputs u (times, m) held ("zero") or joined by straight lines ("first"); exact."""
    if len(times) < 2:
        return np.broadcast_to(start, (len(times), len(start))).copy()
    lengths, which = distinct_steps(times)
    if len(lengths) == 1:
        F, G0, G1 = (matrix[0] for matrix in discretize(A, B, lengths, hold))
        return even_recursion(F, start, u[:-1] @ G0.T + u[1:] @ G1.T, len(times) - 1)
    return _in_parts(A, B, start, times, u, hold, lengths, which)


def _in_parts(
    A: np.ndarray, B: np.ndarray, start: np.ndarray, times: np.ndarray, u: np.ndarray, hold: str,
    lengths: np.ndarray, which: np.ndarray, most: int = 2**22,
) -> np.ndarray:  # fmt: skip
    """Uneven steps, as many at a time as memory allows."""
    out = np.empty((len(times), len(start)))
    out[0] = start
    part = max(1, most // max(1, (len(A) + 2 * B.shape[1]) ** 2))
    for first in range(0, len(which), part):
        here = slice(first, min(first + part, len(which)))
        used, local = np.unique(which[here], return_inverse=True)
        step = discretize(A, B, lengths[used], hold)
        pushes = np.einsum("kij,kj->ki", step.G0[local], u[here])
        pushes += np.einsum("kij,kj->ki", step.G1[local], u[here.start + 1 : here.stop + 1])
        out[here.start : here.stop + 1] = uneven_recursion(step.F, local, out[here.start], pushes)
    return out


def trapezoid_recursion(
    A: np.ndarray, B: np.ndarray, start: np.ndarray, times: np.ndarray, u: np.ndarray
) -> np.ndarray:
    """States (times, n) by w(t+h) = Phi(h) [w(t) + h/2 b(t)] + h/2 b(t+h): the integral of the variation of constants
    by the trapezoid rule, of second order. Equidistant times."""
    steps = len(times) - 1
    if steps < 1:
        return np.broadcast_to(start, (len(times), len(start))).copy()
    h = (times[-1] - times[0]) / steps
    F, b = exponential(A, h), 0.5 * h * (u @ B.T)
    return even_recursion(F, start, b[:-1] @ F.T + b[1:], steps)
