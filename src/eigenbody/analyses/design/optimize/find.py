"""Optimization: the best values of design variables, by exact gradients, from one start or many."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass, fields
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from eigenbody.analyses.design.designs import Design, DesignSpace
from eigenbody.analyses.design.identity import Follower
from eigenbody.analyses.design.optimize.descent import descend, merit
from eigenbody.analyses.design.optimize.formulation import HOLDS, Best, Formulation
from eigenbody.analyses.design.optimize.optimum import OPTIMAL, TRUSTED, Optimum, collected
from eigenbody.analyses.design.problem import Given, Problem, read_problem
from eigenbody.analyses.results import request_of
from eigenbody.base.errors import ComputationError, Fault, InputError
from eigenbody.base.progress import report
from eigenbody.linearization.subject import Subject
from eigenbody.many.run import Crew, Lost
from eigenbody.many.store import Column
from eigenbody.many.whole import Arrays, Form, Keeping, each_point
from eigenbody.model.model import InertModel
from eigenbody.numerics.matrices.kkt import ACTIVE, promised_gain, sharpened
from eigenbody.numerics.runtime import on_one_thread
from eigenbody.operating.asked import model_asking_for

ROUNDS = 6  # from one start
PATIENCE, STALLED = 10, 1e-4  # iterations of the solver that may pass without this (relative) gain
MENDINGS = 6
ESCAPES = 3  # from places where slopes vanish that are no best ones
TINY = 1e-8  # change of the objective at which the solver stops
SETTLED = 1e-3  # relative gain of a round below which the next would bring nothing
SHARPEN = 40  # variables up to which the optimum is sharpened by second derivatives
NEAR = 1e-2  # relative violation that a few Newton steps can mend
AT_BOUND = 1e-9  # share of the range from its end that counts as none
PLACED = 1e-12  # relative error of an equality that is worked for


class _Stalled(Exception):
    """The solver goes on without gaining anything."""


@dataclass
class Run:
    """What happened on the way from one start."""

    best: Best
    iterations: int
    evaluations: int
    residual: float
    doubts: int
    interrupted: bool = False


@on_one_thread
def optimize(
    model: Subject, problem: Given | None = None, exact: bool = True, workers: int | None = None, client: Any = None,
    store: str | Path | None = None,
) -> Optimum:  # fmt: skip
    """Find the values of the variables that make the objective best and keep the constraints.

    `problem` is a map or a YAML file with variables, objective and constraints; None: the model's own section
    `optimization`. Gradients are exact; `exact` False takes them from central differences. Ctrl-C ends the search with
    the best design so far. Several starts are shared by `workers` processes (default: as many as the machine has
    processors, where that pays) or the workers of a `dask.distributed.Client`, and what each led to is kept in a folder
    as `store`; the result does not depend on it.
    """
    model = model_asking_for(model)
    task, space = read_problem(model, _own(model) if problem is None else problem, exact)
    first = space.at(task.start)
    wanted = tuple(i for q in task.quantities for i in q.wanted_modes())
    runs: list[Run] = []
    try:
        places = _starts(task, space, Follower(first, wanted))
        report("improving")
        if len(places) == 1 and store is None:
            runs.append(_improve(task, space, Follower(first, wanted), places[0]))
        else:
            keeping = None if store is None else _keeping(store, task, exact)
            _improve_all(task, first, wanted, places, Crew(workers, client), keeping, runs)
    except KeyboardInterrupt:
        if not runs:
            raise
        runs[-1].interrupted = True
    best = runs[0]
    for run in runs[1:]:
        if best.best.better(run.best.violation, run.best.objective):
            best = run
    return collected(task, space, Follower(first, wanted), best, runs)


def _improve_all(
    task: Problem, first: Design, wanted: tuple[int, ...], places: list[np.ndarray], crew: Crew,
    keeping: Keeping | None, runs: list[Run],
) -> None:  # fmt: skip
    """From every start; those that lead nowhere are left out, unless all do."""
    reason = ""
    work = partial(_improve_rows, task, first, wanted, keeping is not None)
    with closing(each_point(work, np.stack(places), crew, 1, "starts", keeping)) as outcomes:
        for found in outcomes:
            if isinstance(found, Lost):
                reason = found.reason
                continue
            runs.append(found)
            if found.interrupted:
                break
    if not runs:
        raise ComputationError(reason)


def _improve_rows(
    task: Problem, first: Design, wanted: tuple[int, ...], is_kept: bool, rows: np.ndarray
) -> list[Run | Lost]:
    """From each start; where it is kept it is no result until it is complete."""
    found = [_improve(task, first.space, Follower(first, wanted), row) for row in rows]
    if is_kept and any(run.interrupted for run in found):
        raise KeyboardInterrupt
    return [*found]


def _keeping(store: str | Path, task: Problem, exact: bool) -> Keeping:
    columns = [
        Column("objective", "", "objective, scaled and to be made small"),
        Column("violation", "", "relative violation of the constraints"),
        Column("optimality", "", "share of the objective that a small step still promises"),
        Column("iterations", "", "iterations of the solver"), Column("evaluations", "", "designs that were computed"),
        *(Column(f"found.{name}", "SI", f"{name} of the design that was found") for name in task.names),
    ]  # fmt: skip
    asked = {"exact": exact, **{f.name: repr(getattr(task, f.name)) for f in fields(task) if f.name != "model"}}
    starts = [f"start.{name}" for name in task.names]
    request = request_of("optimize", task.model, starts, columns, 1, asked, is_whole=True)
    return Keeping(store, request, Form(partial(_numbers, task), _arrays, _made_of))


def _numbers(task: Problem, run: Run) -> dict[str, float]:
    found = {} if run.best.u is None else dict(zip(task.names, task.x(run.best.u).tolist(), strict=True))
    return {
        "objective": run.best.objective, "violation": run.best.violation, "optimality": run.residual,
        "iterations": run.iterations, "evaluations": run.evaluations,
        **{f"found.{name}": value for name, value in found.items()},
    }  # fmt: skip


def _arrays(run: Run) -> Arrays:
    u = {} if run.best.u is None else {"u": run.best.u}
    numbers = [run.best.violation, run.best.objective, run.residual, run.iterations, run.evaluations, run.doubts]
    return {"numbers": np.array(numbers), **u}


def _made_of(arrays: Arrays) -> Run:
    violation, objective, residual, *counts = arrays["numbers"].tolist()
    iterations, evaluations, doubts = (int(count) for count in counts)
    return Run(Best(arrays.get("u"), violation, objective), iterations, evaluations, residual, doubts)


def _own(model: InertModel) -> Given:
    section = model.document.get("optimization")
    if not section:
        what = "there is no problem: the model has no section `optimization`."
        raise InputError(Fault("optimization", what, "Add it (variables, objective, constraints) or name a file."))
    return section


# Starts ---------------------------------------------------------------------------------------------------------------
def _starts(task: Problem, space: DesignSpace, follower: Follower) -> list[np.ndarray]:
    """The given start, and the best of many that fill the space evenly, judged in one batch."""
    given = task.u(task.start)
    if task.starts == 1:
        return [given]
    from scipy.stats import qmc

    report(f"judging {task.starts} starts")
    count = task.starts - 1
    filling = qmc.Sobol(len(given), seed=task.seed).random_base2(int(np.ceil(np.log2(max(count, 1)))))[:count]
    judge = Formulation(task, space, follower)
    scores: list[tuple[float, float, np.ndarray]] = []
    for u, design in zip(filling, space.many(np.stack([task.x(u) for u in filling])), strict=True):
        if isinstance(design, str):
            continue
        try:
            made = judge.judge(u, design, follower.directly(design))
        except ComputationError:
            continue
        scores.append((judge.violation(made), judge.judged(made), u))
    scores.sort(key=lambda s: (max(s[0], HOLDS), s[1]))
    return [given, *(s[2] for s in scores[: task.refine])]


# From one start -------------------------------------------------------------------------------------------------------
def _improve(task: Problem, space: DesignSpace, follower: Follower, u: np.ndarray) -> Run:
    """Rounds of the solver until nothing is gained, then sharpened."""
    form = Formulation(task, space, follower)
    run = Run(form.best, 0, 0, np.nan, 0)
    try:
        form.sloped(u)  # refuses a start without derivatives
        for _ in range(ESCAPES):
            _rounds(task, form, u, run)
            _sharpen(form)
            better = _better_beside(form)
            if better is None:
                break
            u = better
        run.residual = _residual(form)
    except KeyboardInterrupt:
        run.interrupted = True
        if form.best.u is None:
            raise
    run.best, run.evaluations, run.doubts = form.best, form.evaluations, follower.doubts
    return run


def _rounds(task: Problem, form: Formulation, u: np.ndarray, run: Run) -> None:
    """SciPy's solver and descent by linear programs in turn, until nothing is gained."""
    before = merit(form, u)
    for turn in range(ROUNDS):
        for way in (_solve, descend):
            steps, there = way(form, u, task.iterations)
            run.iterations += steps
            there = _mended(form, there)
            u = there if merit(form, there) <= merit(form, u) else u
        now = merit(form, u)
        if turn == 0 and form.best.violation > HOLDS:
            _nearest(form, u)
            assert form.best.u is not None
            u, now = (form.best.u, np.inf) if form.best.violation < HOLDS else (u, now)
        if before - now <= SETTLED * (1.0 + abs(now)):
            break
        before = now


def _solve(form: Formulation, u: np.ndarray, iterations: int) -> tuple[int, np.ndarray]:
    """One call of SciPy's solver; iterations, and where it ended."""
    from scipy.optimize import Bounds, minimize

    form.accept(u)
    made = form.point(u)
    levels = form.levels(made)
    z = np.concatenate((u, levels))
    free = np.full(len(levels), np.inf)
    limits = Bounds(np.concatenate((np.zeros(len(u)), -free)), np.concatenate((np.ones(len(u)), free)))
    c, e = form.constraints(z)

    past: list[tuple[float, np.ndarray]] = []

    def gradient(z: np.ndarray) -> np.ndarray:
        form.accept(z[: len(u)])
        past.append((merit(form, z[: len(u)]), z[: len(u)].copy()))
        form.program(z)  # refuses what is not finite
        if len(past) > PATIENCE and _least(past[:-PATIENCE])[0] - _least(past[-PATIENCE:])[0] < STALLED:
            raise _Stalled
        said = form.objective(form.point(z[: len(u)]))
        report("improving" if said is None else f"improving: {said:.6g}")
        return form.gradient(z)

    held: list[dict[str, object]] = []
    if len(c):
        held.append({"type": "ineq", "fun": lambda z: form.constraints(z)[0], "jac": lambda z: form.program(z).J})
    if len(e):
        held.append({"type": "eq", "fun": lambda z: form.constraints(z)[1], "jac": lambda z: form.program(z).E})
    options = {"maxiter": iterations, "ftol": TINY}
    try:
        found = minimize(form.value, z, jac=gradient, method="SLSQP", bounds=limits, constraints=held, options=options)
    except (_Stalled, ComputationError):  # no derivative here: go on from the best by other means
        return len(past), _least(past)[1]
    return int(found.nit), np.clip(found.x[: len(u)], 0.0, 1.0)


def _least(past: list[tuple[float, np.ndarray]]) -> tuple[float, np.ndarray]:
    return min(past, key=lambda entry: entry[0])


def _nearest(form: Formulation, u: np.ndarray) -> None:
    """The design that violates the constraints least, by least squares."""
    from scipy.optimize import least_squares

    report("looking for a design that keeps the constraints")
    made = form.point(u)
    levels = form.levels(made)
    skip = sum(len(made.values[k]) for k in form.leveled)

    def residual(u: np.ndarray) -> np.ndarray:
        c, e = form.constraints(np.concatenate((u, levels)))
        return np.concatenate((np.minimum(c[skip:], 0.0), e))

    def jacobian(u: np.ndarray) -> np.ndarray:
        form.accept(u)
        p = form.program(np.concatenate((u, levels)))
        J = np.where(p.c[skip:, None] < 0, p.J[skip:], 0.0)
        return np.concatenate((J, p.E))[:, : len(u)]

    inside = np.clip(u, 1e-9, 1 - 1e-9)
    least_squares(residual, inside, jacobian, bounds=(0.0, 1.0), xtol=1e-14, ftol=1e-14, gtol=1e-14, max_nfev=200)


def _sharpen(form: Formulation) -> None:
    """Newton steps on the conditions of optimality, then on the constraints alone."""
    u = form.best.u
    if u is None or form.best.violation > NEAR:
        return
    report("sharpening")
    form.prefer(np.where(u < AT_BOUND, 0.0, np.where(u > 1 - AT_BOUND, 1.0, u)))
    u = form.best.u
    assert u is not None
    lower, upper = np.zeros(len(u)), np.ones(len(u))
    levels = form.levels(form.point(u))
    free = np.full(len(levels), np.inf)
    z = np.concatenate((u, levels))
    form.accept(u)
    meeting = form.cuts(z)[0]
    if len(u) <= SHARPEN and not (meeting < ACTIVE).any():  # where active modes are repeated there is no Hessian
        try:
            better = sharpened(form.program, z, np.concatenate((lower, -free)), np.concatenate((upper, free)))
        except ComputationError:
            better = z
        form.prefer(better[: len(u)])
    assert form.best.u is not None
    form.prefer(_mended(form, form.best.u))


def _mended(form: Formulation, u: np.ndarray) -> np.ndarray:
    """The design after the smallest steps that make equalities and violated inequalities hold to rounding."""
    start = u
    for _ in range(MENDINGS):
        made = form.point(u)
        if not 0 < form.violation(made) < NEAR:
            break
        z = np.concatenate((u, form.levels(made)))
        p = form.program(z)
        more_c, more_J = form.cuts(z)
        c, J = np.append(p.c, more_c), np.concatenate((p.J, more_J))
        wrong = np.flatnonzero(c < 0)
        miss = np.concatenate((p.e, c[wrong]))
        if not len(miss) or np.abs(miss).max() <= PLACED:
            break
        free = (u > 0) & (u < 1)
        rows = np.concatenate((p.E, J[wrong]))[:, : len(u)][:, free]
        u = u.copy()
        u[free] = np.clip(u[free] + np.linalg.lstsq(rows, -miss, rcond=1e-10)[0], 0.0, 1.0)
    return u if form.violation(form.point(u)) <= form.violation(form.point(start)) else start


def _better_beside(form: Formulation) -> np.ndarray | None:
    """A design a small step along one variable away that is better: where slopes vanish they do not tell the best place
    from the worst."""
    best = form.best
    assert best.u is not None
    now, z = merit(form, best.u), np.concatenate((best.u, form.levels(form.point(best.u))))
    steps = TRUSTED * np.eye(len(best.u))
    beside = [np.clip(best.u + step, 0.0, 1.0) for step in (*steps, *-steps)]
    found = [merit(form, u) for u in beside]
    form.best = best  # not for rounding
    least = int(np.argmin(found))
    return beside[least] if now - found[least] > OPTIMAL * form.magnitude(z) else None


def _residual(form: Formulation) -> float:
    """Share of the objective that a step of at most TRUSTED still promises."""
    assert form.best.u is not None
    u = form.best.u
    try:
        z = np.concatenate((u, form.levels(form.point(u))))
        p, (more_c, more_J) = form.program(z), form.cuts(z)
    except ComputationError:
        return np.nan
    p = p._replace(c=np.append(p.c, more_c), J=np.concatenate((p.J, more_J)))
    free = np.full(len(z) - len(u), np.inf)  # levels
    below = np.append(np.maximum(-TRUSTED, -u), -free)
    above = np.append(np.minimum(TRUSTED, 1.0 - u), free)
    return promised_gain(p, below, above) / form.magnitude(z)
