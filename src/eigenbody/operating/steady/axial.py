"""Bodies that turn about an axis of their own, which may lean: a shaft that sags.

The rate of a ball or free joint is an angular velocity. A body that spins steadily about an axis a of its own keeps
that axis where it is: omega x (R a) = 0. With a along the coordinate 3 of the joint that spins, this is

    omega_1 t_3 - omega_3 t_1 = 0,   omega_2 t_3 - omega_3 t_2 = 0,   t = R a
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from eigenbody.mobility.coordinates import rotation_batches
from eigenbody.mobility.partition import Selection
from eigenbody.mobility.treespace import coordinate_set
from eigenbody.operating.steady.task import Task
from eigenbody.system.state import State, carriers
from eigenbody.system.system import System


def about_own_axes(task: Task, system: System, chosen: Selection) -> Task:
    """The task in which joints that spin about one coordinate may do so about an axis of the body that leans."""
    triples = []
    for three in _triples(system, chosen):
        spinning = [i for i in three if task.rates.get(i, 0.0) != 0.0]
        others = [i for i in three if i not in spinning]
        if len(spinning) == 1 and not any(i in task.free_rates or i in task.values for i in others):
            triples.append((spinning[0], *others))
    loose = tuple(i for triple in triples for i in triple[1:])
    rates = {i: rate for i, rate in task.rates.items() if i not in loose}
    return replace(task, rates=rates, free_rates=(*task.free_rates, *loose), axial=tuple(triples))


def _triples(system: System, chosen: Selection) -> Iterator[tuple[int, ...]]:
    """Coordinates that are the three rotations of one joint."""
    for kernel, where in rotation_batches(coordinate_set(system, chosen.velocities)):
        pairs: dict[tuple[int, ...], list[int]] = {}
        for n, k in enumerate(where):
            pairs.setdefault(tuple(kernel.carriers[n].tolist()), []).append(int(chosen.velocities[k]))
        yield from (tuple(three) for three in pairs.values() if len(three) == 3)


class AxialRows:
    """Values (2 a,) of the two equations of each such joint, and their derivatives by coordinates and by rates."""

    def __init__(self, system: System, chosen: Selection, state: State, task: Task, rates: np.ndarray) -> None:
        at = {int(i): k for k, i in enumerate(chosen.velocities)}
        place = {int(i): k for k, i in enumerate(chosen.positions)}
        count = 2 * len(task.axial)
        self.value = np.zeros(count)
        self.by_position = np.zeros((count, len(chosen.positions)))
        self.by_rate = np.zeros((count, len(chosen.velocities)))
        for n, triple in enumerate(task.axial):
            e, R = _axes(system, state, triple)
            t = R @ e[0]
            turned = np.cross(e, t)  # dt = sum of these times the changes of the three coordinates
            omega = rates[[at[i] for i in triple]]
            for k in (1, 2):
                row = 2 * n + k - 1
                self.value[row] = omega[k] * (e[0] @ t) - omega[0] * (e[k] @ t)
                self.by_rate[row, at[triple[k]]] = e[0] @ t
                self.by_rate[row, at[triple[0]]] = -(e[k] @ t)
                self.by_position[row, [place[i] for i in triple]] = omega[k] * (turned @ e[0]) - omega[0] * (
                    turned @ e[k]
                )


def _axes(system: System, state: State, triple: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray]:
    """Axes (3, 3) of the coordinates in the first body, and the rotation of the second from the drawing."""
    measures = coordinate_set(system, np.array(triple))
    there, e, R = carriers(system, state), np.zeros((3, 3)), np.eye(3)
    for kernel, where in rotation_batches(measures):
        for n, k in enumerate(where):
            e[k] = np.real(kernel.e[n])
            first, second = (
                there.R[kernel.carriers[n, side]] @ part[n] for side, part in ((0, kernel.first), (1, kernel.second))
            )
            R = np.real(first.T @ second)
    return e, R
