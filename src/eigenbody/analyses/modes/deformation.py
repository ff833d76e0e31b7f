"""Rows by which modes are told apart: rigid bodies, and nodes of flexible ones."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from eigenbody.linearization.nodes import node_motion
from eigenbody.linearization.point import OperatingPoint
from eigenbody.model.description import owner_of
from eigenbody.system.system import System

MOST = 30  # nodes of one body by which modes are told apart


@dataclass(frozen=True, slots=True, eq=False)
class TrackedRows:
    """What stands for the mechanism when shapes are compared: rigid bodies, and nodes of the flexible ones.

    names (k,) of the bodies, of which some are flexible; mass (k,) and inertia (k, 3, 3) that weigh the rows.
    """

    names: tuple[str, ...]
    mass: np.ndarray
    inertia: np.ndarray
    flexible: frozenset[str]


def tracked_rows(system: System) -> TrackedRows:
    """Rows of `tracked_shapes`; a node has an equal share of the mass of its body."""
    table, rigid = system.description.bodies, _rigid(system)
    nodes = [(body, _some(len(body.reduced.names))) for body in system.description.flexible]
    shares = [np.full(len(own), np.real(body.reduced.mass) / len(own)) for body, own in nodes]
    return TrackedRows(
        (*(owner_of(table.names[i]) for i in rigid), *(owner_of(body.name) for body, own in nodes for _ in own)),
        np.concatenate((np.asarray(system.mass)[..., rigid], *shares)),
        np.concatenate((np.asarray(system.inertia)[..., rigid, :, :], np.zeros((sum(map(len, shares)), 3, 3)))),
        frozenset(owner_of(body.name) for body, _ in nodes),
    )


def tracked_shapes(point: OperatingPoint, motion: np.ndarray) -> np.ndarray:
    """(n, k, 6) motion of rigid bodies and of nodes of flexible ones in global axes."""
    flexible, rigid = point.system.description.flexible, motion[:, _rigid(point.system)]
    if not flexible:
        return rigid
    nodes = node_motion(point, motion)
    sizes = [len(body.reduced.names) for body in flexible]
    starts = np.cumsum([0, *sizes[:-1]])
    chosen = np.concatenate([start + _some(size) for start, size in zip(starts, sizes, strict=True)])
    both = np.concatenate((nodes.move, nodes.turn), axis=-1)[:, chosen]
    return np.concatenate((rigid, both), axis=1)


def _rigid(system: System) -> np.ndarray:
    """Rows of the table that are rigid bodies."""
    table, flexible = system.description.bodies, {body.name for body in system.description.flexible}
    return np.array([i for i in np.flatnonzero(table.is_material) if table.names[i] not in flexible], dtype=int)


def _some(count: int) -> np.ndarray:
    """Numbers of at most MOST nodes, spread evenly."""
    return np.unique(np.linspace(0, count - 1, min(count, MOST)).round().astype(int))
