"""Which coordinates may move: rules for the rates of a steady motion.

At first only what is spoken of moves; everything else rests. Where that does not do, the mechanism may move along any
change of its coordinates on which nothing depends: a free spin, or a motor and its load that turn together.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from eigenbody.linearization.model import LinearModel
from eigenbody.mobility.coordinates import unit_of
from eigenbody.mobility.partition import Selection
from eigenbody.operating.steady.task import Task
from eigenbody.system.system import System

NEUTRAL = 1e-9  # derivative below which nothing depends on a change, relative to the size of what cancels in it


@dataclass(frozen=True, slots=True, eq=False)
class RateRules:
    """H r = wanted for the rates r of the velocity coordinates; `free` (n, k) are the directions left, in units."""

    H: np.ndarray
    wanted: np.ndarray
    labels: tuple[str, ...]
    free: np.ndarray


def rules(system: System, chosen: Selection, task: Task) -> RateRules:
    """The rules of a task in the chosen coordinates."""
    index = chosen.velocities
    n, names = len(index), np.array([system.names[i] + "'" for i in index], dtype=object)
    eye, is_free = np.eye(n), np.isin(index, task.free_rates)
    if not task.neutral:
        still = np.flatnonzero(~is_free)
        wanted = listed(task.rates.get(int(i), 0.0) for i in index[still])
        return RateRules(eye[still], wanted, tuple(names[still]), eye[:, is_free])
    unit = unit_of(system, index)
    width = max(len(row) for row in task.neutral.values())
    along = np.array([task.neutral.get(int(i), (0.0,) * width) for i in index]).reshape(n, width)
    U, s, _ = np.linalg.svd(np.hstack((along / unit[:, None], eye[:, is_free])))
    across = U[:, int(np.sum(s > NEUTRAL * s.max(initial=0.0))) :]
    held = np.array([k for k, i in enumerate(index.tolist()) if i in task.rates], dtype=int)
    H = np.vstack((across.T / unit, eye[held]))
    wanted = listed([*np.zeros(across.shape[1]), *(task.rates[int(i)] for i in index[held])])
    most = names[np.argmax(np.abs(across), axis=0)] if across.size else names[:0]
    return RateRules(H, wanted, (*most, *names[held]), null_space(H * unit))


def listed(values: Iterable[float | np.ndarray]) -> np.ndarray:
    """(..., k) of k numbers, each of which may be many (...,)."""
    each = np.broadcast_arrays(*values)
    return np.stack(each, axis=-1).astype(float) if each else np.zeros(0)


def null_space(rows: np.ndarray) -> np.ndarray:
    """Orthonormal basis (n, k) of what the rows do not see."""
    if not len(rows):
        return np.eye(rows.shape[1])
    _, s, Vt = np.linalg.svd(rows)
    return Vt[int(np.sum(s > NEUTRAL * s.max(initial=0.0))) :].T


def obeyed(rule: RateRules, rates: np.ndarray, unit: np.ndarray) -> np.ndarray:
    """The nearest rates that follow the rules."""
    if not len(rule.H):
        return rates
    miss = rule.wanted - rule.H @ rates
    return rates + unit * np.linalg.lstsq(rule.H * unit, miss, rcond=NEUTRAL)[0] if np.any(miss) else rates


def along_neutral(task: Task, linear: LinearModel, system: System, chosen: Selection) -> Task:
    """The task in which the mechanism may move along every change of position on which nothing depends.

    Modal coordinates rest: a body that bent on and on at a constant rate would be no steady motion.
    """
    bending = {name for body in system.description.flexible for name in body.coordinates}
    rigid = np.array([k for k, i in enumerate(chosen.positions) if system.names[i] not in bending], dtype=int)
    unit = unit_of(system, chosen.positions[rigid])
    weight = 1.0 / np.sqrt(np.maximum(np.abs(np.diagonal(linear.M)), 1e-300))
    first = len(chosen.positions) + len(chosen.velocities)
    rows = np.vstack((weight[:, None] * linear.K[:, rigid] * unit, linear.A[first:, rigid] * unit))
    size = np.abs(weight[:, None] * linear.noise_K[:, rigid] * unit).max(initial=0.0) / (8 * np.finfo(float).eps)
    _, s, Vt = np.linalg.svd(rows)
    rank = int(np.sum(s > NEUTRAL * max(s.max(initial=0.0), size)))
    basis = unit[:, None] * Vt[rank:].T
    if not basis.size:
        return task
    basis[np.abs(basis) < 1e-12 * np.abs(basis).max()] = 0.0
    where = {int(i): k for k, i in enumerate(chosen.positions[rigid])}
    moving = [int(i) for i in chosen.velocities if int(i) in where and np.any(basis[where[int(i)]])]
    return replace(task, neutral={i: tuple(basis[where[i]].tolist()) for i in moving})
