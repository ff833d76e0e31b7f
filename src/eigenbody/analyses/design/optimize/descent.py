"""Descent by linear programs inside a trust region: sturdy where peaks come and go and modes meet.

Each step linearizes every part of every quantity as it is now (the number of peaks may change from step to step) and
solves a linear program for the step that lowers objective and violation most within the region. What it cannot see is
curvature: the solver that follows takes over where the optimum is smooth.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from eigenbody.analyses.design.optimize.formulation import Formulation
from eigenbody.base.errors import ComputationError
from eigenbody.base.progress import report

PENALTY = 100.0  # of the violation, beside an objective near one
FIRST, WIDEST, LEAST = 0.1, 0.3, 1e-6  # trust region, as a share of the ranges
PATIENCE, SLOW = 8, 0.01  # so many steps that gain less than this (relative) end the descent too
GAINED = 1e-9  # predicted gain that ends the descent


class Rows(NamedTuple):
    """Objective slope (n,), levels and violations linearized: c + J dz >= 0 and e + E dz = 0."""

    gradient: np.ndarray
    c: np.ndarray
    J: np.ndarray
    e: np.ndarray
    E: np.ndarray


def descend(form: Formulation, u: np.ndarray, iterations: int) -> tuple[int, np.ndarray]:
    """Steps until the region or the predicted gain vanishes; their number, and where it ended."""
    region, now = FIRST, merit(form, u)
    past = [now]
    form.accept(u)
    for step in range(iterations):
        try:
            rows = _rows(form, u)
        except ComputationError:
            return step, u
        while True:
            move, predicted = _best_step(rows, u, form.size, region)
            if predicted < GAINED or region < LEAST:
                return step, u
            there = np.clip(u + move[: form.size], 0.0, 1.0)
            gained = now - merit(form, there)
            if gained < 0.7 * predicted:
                bent = _bent(form, rows, u, move, region)
                better = now - merit(form, bent)
                there, gained = (bent, better) if better > gained else (there, gained)
            good = gained / predicted
            region = min(WIDEST, 2 * region) if good > 0.7 else region if good > 0.25 else 0.4 * region
            if good > 0.05:
                break
        u, now = there, now - gained
        form.accept(u)
        past.append(now)
        if len(past) > PATIENCE and past[-PATIENCE] - now < SLOW:
            return step, u
        said = form.objective(form.point(u))
        report("descending" if said is None else f"descending: {said:.6g}")
    return iterations, u


def merit(form: Formulation, u: np.ndarray) -> float:
    """Objective of the program with the violation on top; infinite where there is no design."""
    try:
        made = form.point(u)
        z = np.concatenate((u, form.levels(made)))
        value = form.value(z)
        c, e = form.constraints(z)
    except ComputationError:
        return np.inf
    missed = max(0.0, float(-c.min(initial=0.0)), float(np.abs(e).max(initial=0.0)))
    return value + PENALTY * missed


def _bent(form: Formulation, rows: Rows, u: np.ndarray, move: np.ndarray, region: float) -> np.ndarray:
    """Where the step leads when the constraints bend as they were found to do on the straight step."""
    z = np.concatenate((u, form.levels(form.point(u))))
    try:
        c, e = form.constraints(z + move)
    except ComputationError:
        return u
    count = len(c)
    bent_c = rows.c.copy()
    bent_c[:count] = c - rows.J[:count] @ move
    again, _ = _best_step(rows._replace(c=bent_c, e=e - rows.E @ move), u, form.size, region)
    return np.clip(u + again[: form.size], 0.0, 1.0)


def _rows(form: Formulation, u: np.ndarray) -> Rows:
    z = np.concatenate((u, form.levels(form.point(u))))
    p = form.program(z)
    more_c, more_J = form.cuts(z)
    return Rows(p.gradient, np.append(p.c, more_c), np.concatenate((p.J, more_J)), p.e, p.E)


def _best_step(rows: Rows, u: np.ndarray, size: int, region: float) -> tuple[np.ndarray, float]:
    """The step of the linear program, levels included, and the gain that it predicts."""
    from scipy.optimize import linprog

    n = len(rows.gradient)
    cost = np.append(rows.gradient, PENALTY)
    inequality = np.concatenate((-np.column_stack((rows.J, np.ones(len(rows.c)))), _both(rows.E)))
    right = np.concatenate((rows.c, -rows.e, rows.e))
    low = np.maximum(-region, -u)
    high = np.minimum(region, 1.0 - u)
    limits = [*zip(low, high, strict=True), *[(None, None)] * (n - size), (0.0, None)]
    found = linprog(cost, inequality, right, bounds=limits, method="highs")
    if found.x is None:
        return np.zeros(n), 0.0
    missed = max(0.0, float(-rows.c.min(initial=0.0)), float(np.abs(rows.e).max(initial=0.0)))
    return found.x[:n], PENALTY * missed - float(found.fun)


def _both(E: np.ndarray) -> np.ndarray:
    """Rows of |e + E dz| <= t."""
    column = -np.ones((len(E), 1))
    return np.concatenate((np.hstack((E, column)), np.hstack((-E, column))))
