"""Bodies that turn about an axis of their own, which may lean: a shaft that sags.

The rate of a ball or free joint is an angular velocity. A body that spins steadily about an axis a of its own keeps
that axis where it is: omega x (R a) = 0. With a along the coordinate 3 of the joint that spins, this is

    omega_1 t_3 - omega_3 t_1 = 0,   omega_2 t_3 - omega_3 t_2 = 0,   t = R a

Bodies that turn together (a shaft and what an elastic seat or coupling holds to it) may lean differently. What is the
same of them is then not omega_3 but the rate about the own axis, omega . t.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from eigenbody.mobility.coordinates import rotation_batches, unit_of
from eigenbody.mobility.partition import Selection
from eigenbody.mobility.treespace import coordinate_set
from eigenbody.operating.steady.rates import null_space
from eigenbody.operating.steady.task import Task
from eigenbody.system.state import State, carriers
from eigenbody.system.system import System

SAME = 1e-9  # part of a rate by which it may differ from what others make of it


def about_own_axes(task: Task, system: System, chosen: Selection) -> Task:
    """The task in which joints that spin about one coordinate may do so about an axis of the body that leans; the rate
    of the spin is given, or sought from a guess."""
    triples = []
    for three in _triples(system, chosen):
        sought = {i for i in task.free_rates if task.guessed_rates.get(i, 0.0) != 0.0}
        spinning = [i for i in three if task.rates.get(i, 0.0) != 0.0 or i in sought]
        others = [i for i in three if i not in spinning]
        if len(spinning) == 1 and not any(i in task.free_rates or i in task.values for i in others):
            triples.append((spinning[0], *others))
    loose = tuple(i for triple in triples for i in triple[1:])
    rates = {i: rate for i, rate in task.rates.items() if i not in loose}
    return replace(task, rates=rates, free_rates=(*task.free_rates, *loose), axial=tuple(triples))


def about_own_axes_together(task: Task, along: Task, system: System, chosen: Selection) -> Task:
    """The task in which all that may turn along a neutral motion (`along`) does so about axes of its own, at the rates
    of that motion. Prescribed rates that follow from the others give way."""
    moving = list(along.neutral)
    unit = unit_of(system, np.array(moving, dtype=int))
    basis = np.array([along.neutral[i] for i in moving]) / unit[:, None]
    across = null_space(basis.T)
    triples = tuple(
        (spin[0], *(i for i in three if i != spin[0]))
        for three in _triples(system, chosen)
        if len(spin := [i for i in three if i in moving]) == 1 and not any(i in task.values for i in three)
    )
    if not triples or not across.shape[1]:
        return task
    loose = {i for triple in triples for i in triple[1:]} | _implied(task, moving, basis * unit[:, None])
    rates = {i: rate for i, rate in task.rates.items() if i not in loose and (i not in moving or rate)}
    free = dict.fromkeys((*task.free_rates, *(i for triple in triples for i in triple), *moving))
    rows = (across / unit[:, None]).tolist()
    return replace(
        task,
        rates=rates,
        free_rates=tuple(i for i in free if i not in rates),
        axial=triples,
        tied={i: tuple(row) for i, row in zip(moving, rows, strict=True)},
    )


def _implied(task: Task, moving: list[int], basis: np.ndarray) -> set[int]:
    """Rates that those prescribed before give along the neutral motions (rows of `basis`)."""
    held: list[int] = []
    implied: set[int] = set()
    for k, i in enumerate(moving):
        if not task.rates.get(i):
            continue
        wanted = np.array([task.rates[moving[n]] for n in held])
        share, *_ = np.linalg.lstsq(basis[held].T, basis[k], rcond=None) if held else (np.zeros(0),)
        follows = np.abs(basis[held].T @ share - basis[k]).max() <= SAME * np.abs(basis[k]).max()
        if follows and abs(share @ wanted - task.rates[i]) <= SAME * abs(task.rates[i]):
            implied.add(i)
        else:
            held.append(k)
    return implied


def _triples(system: System, chosen: Selection) -> Iterator[tuple[int, ...]]:
    """Coordinates that are the three rotations of one joint."""
    for kernel, where in rotation_batches(coordinate_set(system, chosen.velocities)):
        pairs: dict[tuple[int, ...], list[int]] = {}
        for n, k in enumerate(where):
            pairs.setdefault(tuple(kernel.carriers[n].tolist()), []).append(int(chosen.velocities[k]))
        yield from (tuple(three) for three in pairs.values() if len(three) == 3)


class AxialRows:
    """Values (2 a + t,) of the two equations of each such joint and of those that tie rates about own axes, and their
    derivatives by coordinates and by rates."""

    def __init__(self, system: System, chosen: Selection, state: State, task: Task, rates: np.ndarray) -> None:
        at = {int(i): k for k, i in enumerate(chosen.velocities)}
        place = {int(i): k for k, i in enumerate(chosen.positions)}
        count = axial_count(task)
        self.value = np.zeros(count)
        self.by_position = np.zeros((count, len(chosen.positions)))
        self.by_rate = np.zeros((count, len(chosen.velocities)))
        ties = {i: np.array(row) for i, row in task.tied.items()}
        about_own = slice(2 * len(task.axial), count)
        for i in ties.keys() - {triple[0] for triple in task.axial}:
            self.value[about_own] += ties[i] * rates[at[i]]
            self.by_rate[about_own, at[i]] += ties[i]
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
            if triple[0] in ties:
                where, around = [place[i] for i in triple], np.cross(t, omega @ e)  # d(omega . t) = (t x omega) . dphi
                self.value[about_own] += ties[triple[0]] * (omega @ e @ t)
                self.by_rate[about_own, [at[i] for i in triple]] += np.outer(ties[triple[0]], e @ t)
                self.by_position[about_own, where] += np.outer(ties[triple[0]], e @ around)


def axial_count(task: Task) -> int:
    """How many equations there are."""
    return 2 * len(task.axial) + len(next(iter(task.tied.values()), ()))


def axial_labels(task: Task) -> list[int]:
    """Of each equation the coordinate whose rate it is about."""
    most = np.abs(list(task.tied.values())).argmax(axis=0) if task.tied else ()
    return [*(i for triple in task.axial for i in triple[1:]), *(list(task.tied)[k] for k in most)]


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
