"""What is said about a steady motion: what moves, what was adjusted, what family it belongs to, what is missing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from eigenbody.base.errors import ComputationError, EigenbodyError, Fault, InputError
from eigenbody.linearization.linearize import dense_model
from eigenbody.mobility.coordinates import advanced, rates_of, unit_of
from eigenbody.mobility.partition import Selection
from eigenbody.operating.comparison import same_equations
from eigenbody.operating.constancy import depends_on_time, has_constant_coefficients
from eigenbody.operating.steady.equations import SteadyEquations, Trial, equations, idle_states, point_at
from eigenbody.operating.steady.solve import RANK, Outcome, evened
from eigenbody.operating.steady.task import WHERE, Task, rate_name, values_held

ADVANCE = 0.9  # rad, or lengths of the mechanism, along the motion, after which it must be the same
STEPS = (2, 8, 32)  # into which that way is divided: as few as will do


def moving_rates(trial: Trial) -> dict[str, float]:
    """Rates of the coordinates that move."""
    index = trial.chosen.positions
    rates = rates_of(trial.system, trial.state, index)
    still = 1e-12 * (1.0 + np.abs(rates).max(initial=0.0))
    return {trial.system.names[i]: float(r) for i, r in zip(index, rates, strict=True) if abs(r) > still}


def adjusted_values(trial: Trial, adjust: Sequence[str]) -> dict[str, float]:
    """What was found of the names to adjust."""
    system, state = trial.system, trial.state
    out: dict[str, float] = {}
    for name in adjust:
        base = rate_name(name)
        if base is not None:
            out[name] = float(rates_of(system, state, np.array([system.aliases[base]]))[0])
        elif name in system.aliases:
            out[name] = float(values_held(system, state, np.array([system.aliases[name]]))[0])
        elif name in system.states:
            out[name] = float(state.x[system.states.index(name)])
        elif name in system.inputs:
            out[name] = float(state.u_in[system.inputs.index(name)])
        else:
            out[name] = float(trial.model.parameters[name])
    return out


# Along the motion -----------------------------------------------------------------------------------------------------
def _duration(trial: Trial) -> float:
    """Time in which the fastest coordinate or frame goes a good way; zero if nothing moves."""
    system, chosen = trial.system, trial.chosen
    rates = np.abs(rates_of(system, trial.state, chosen.positions)) / unit_of(system, chosen.positions)
    frames = [abs(frame["rate"]) for frame in system.description.frames]
    fastest = max([*rates, *frames], default=0.0)
    return ADVANCE / fastest if fastest > 1e-9 else 0.0


def later(trial: Trial) -> Trial | None:
    """The state some time later if all rates stay as they are; None if nothing moves."""
    duration = _duration(trial)
    if not duration:
        return None
    for steps in STEPS[:-1]:
        try:
            return replace(trial, state=advanced(trial.system, trial.chosen, trial.state, duration, steps))
        except ComputationError:  # too long a step for this mechanism
            continue
    return replace(trial, state=advanced(trial.system, trial.chosen, trial.state, duration, STEPS[-1]))


def passing(trial: Trial) -> ComputationError | None:
    """A coordinate may move only if nothing depends on its value: later the motion must be as steady as now."""
    ahead = later(trial)
    if ahead is None:
        return None
    plain = Task({}, {}, {}, tuple(trial.chosen.velocities.tolist()), (), (), {})
    now = equations(ahead, plain, idle_states(trial), 1.0)
    off = np.flatnonzero(is_passing(now))
    if not len(off):
        return None
    worst = ", ".join(f"{now.labels[k]} = {now.f[k]:.3g}" for k in off[:4])
    return ComputationError(
        f"The motion is steady for an instant only: further on, {worst}, because something depends on the position of"
        f" what moves ({', '.join(moving_rates(trial))}). Measure the moving coordinates in a turning frame (frames),"
        " or prescribe other rates."
    )


def is_passing(later: SteadyEquations) -> np.ndarray:
    """Which equations do not hold later along the motion."""
    return np.asarray(np.abs(later.f) > 1e3 * later.tolerance + 1e-7 * later.row_unit)


def is_constant(trial: Trial, chosen: Selection) -> bool:
    """Whether the linear equations in some coordinates stay the same along a steady motion."""
    point = point_at(replace(trial, chosen=chosen))
    if depends_on_time(point):
        return has_constant_coefficients(dense_model(point))
    ahead = later(trial)
    return ahead is None or same_equations(*(dense_model(point_at(replace(t, chosen=chosen))) for t in (trial, ahead)))


def stability_note(stability: str) -> tuple[str, ...]:
    """What must be said about the stability of the motion and the meaning of its eigenvalues."""
    if stability == "unknown":
        return (
            "The linear equations in these coordinates change along the motion: their eigenvalues are not its"
            " exponents. Let ball joints and floating bodies hang on a frame (frames) that turns with the motion, or"
            " choose coordinates that rest or move at a constant rate.",
        )
    return ("This steady motion is unstable.",) if stability == "unstable" else ()


# Families and failures ------------------------------------------------------------------------------------------------
def family_note(outcome: Outcome, task: Task) -> tuple[str, ...]:
    """The freedom that is left: how many parameters, and what could be prescribed to choose one member."""
    now = outcome.equations
    _, J = evened(now)
    felt = np.linalg.norm(J, axis=0) > RANK * np.abs(J).max(initial=0.0)
    _, s, Vt = np.linalg.svd(J[:, felt])
    rank = int(np.sum(s > RANK * s.max(initial=0.0))) if len(s) else 0
    freedom = len(Vt) - rank
    if not freedom:
        return ()
    names = np.array(_unknown_names(now.trial, task), dtype=object)[felt]
    share = np.abs(Vt[rank:]).max(axis=0)
    likely = [str(names[k]) for k in np.argsort(-share, kind="stable")[:4] if share[k] > 1e-6]
    kind = "one-parameter" if freedom == 1 else f"{freedom}-parameter"
    return (f"One of a {kind} family of steady motions, the nearest to the start; prescribe {' or '.join(likely)}.",)


def _unknown_names(trial: Trial, task: Task) -> list[str]:
    system, chosen = trial.system, trial.chosen
    return [
        *(system.names[i] for i in chosen.positions),
        *(system.names[i] + "'" for i in chosen.velocities),
        *system.states,
        *(system.inputs[i] for i in task.free_inputs),
        *task.parameters,
    ]


def unsolved(outcome: Outcome, task: Task, may_move: Sequence[int]) -> EigenbodyError:
    """What contradicts, or what stays unbalanced and could be allowed to adjust."""
    now = outcome.equations
    unmet = contradictions(now)
    if len(unmet):
        what = "the prescribed value contradicts the constraints and what else is prescribed, by {:.3g}."
        return InputError([Fault(f"{WHERE}: {now.labels[k]}", what.format(now.f[k]), "Leave it out.") for k in unmet])
    left = np.flatnonzero(np.abs(now.f[: now.balances]) > now.tolerance[: now.balances])
    left = left[np.argsort(-np.abs(now.f[left] / now.row_unit[left]), kind="stable")]
    needed = -(now.M @ now.accelerations)
    told = []
    for k in left[:4]:
        force = f" (a force of {needed[k]:.4g} along it would hold it)" if k < len(needed) else ""
        told.append(f"{now.labels[k]} = {now.f[k]:.4g}{force}")
    return ComputationError(
        f"No steady motion was found in {outcome.iterations} iterations; unbalanced: {'; '.join(told)}."
        f" Allow something else to adjust ({_could_adjust(outcome.trial, task, may_move)}), prescribe less, or start"
        " from other positions or velocities."
    )


def no_drive(power: float, needed: str, names: Iterable[str]) -> str:
    """What to say where only forces along the prescribed rates are missing, which supply `power` in W."""
    happens = "is dissipated (by damping in bodies that turn while they are bent, say)" if power > 0 else "is gained"
    first, *_ = names
    return (
        f"No steady motion keeps itself up at these rates: {abs(power):.4g} W {happens}. It is steady with forces or"
        f" torques (N, N m) of {needed}. Give an input along what turns and let it adjust (inputs: {{drive: {{along:"
        f" {first}}}}}, adjust: [drive]), or a force that drives it and let the speed adjust (adjust: [{first}'])."
    )


def contradictions(now: SteadyEquations) -> np.ndarray:
    """Prescriptions that no change of the unknowns can meet while it meets the others."""
    n = now.balances
    f, J = now.f[n:] / now.row_unit[n:], now.J[n:] / now.row_unit[n:, None] * now.column_unit
    if not len(f):
        return np.zeros(0, dtype=int)
    U, s, _ = np.linalg.svd(J)
    beyond = U[:, int(np.sum(s > RANK * s.max(initial=0.0))) :]
    return n + np.flatnonzero(np.abs(beyond @ (beyond.T @ f)) > 1e-7)


def _could_adjust(trial: Trial, task: Task, may_move: Sequence[int]) -> str:
    system = trial.system
    rates = [i for i in (*may_move, *task.rates) if i not in task.free_rates]
    names = [system.names[i] + ("" if i in system.speeds else "'") for i in rates]
    names += [system.names[i] for i in task.values]
    names += [name for k, name in enumerate(system.inputs) if k not in task.free_inputs]
    names += [name for name in trial.model.parameters if name not in task.parameters]
    return ", ".join(list(dict.fromkeys(names))[:8]) or "an input that acts along it"
