"""Simulate: from the initial state, or from an operating point, to a time, by the method asked for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from eigenbody.base.errors import ComputationError, EigenbodyError, Fault, InputError, suggest
from eigenbody.base.progress import report
from eigenbody.linearization.point import OperatingPoint
from eigenbody.linearization.subject import Subject, subject
from eigenbody.mobility.motion import refuse_massless
from eigenbody.model.description import is_inner
from eigenbody.numerics.matrices.linear import DENSE_LIMIT
from eigenbody.numerics.runtime import on_one_thread
from eigenbody.simulation import kernels
from eigenbody.simulation.balance import Balance, Budget
from eigenbody.simulation.branching import ChangePoints, SingularConfigurationError, at_change_point
from eigenbody.simulation.explicit import DormandPrince, StiffnessFoundError
from eigenbody.simulation.forward import Forward
from eigenbody.simulation.half_turns import HalfTurns
from eigenbody.simulation.kane.chain import METHOD, NOTE, Chain
from eigenbody.simulation.pace import LongRunError, Pace, allowed_steps
from eigenbody.simulation.result import Simulation, SimulationError, SimulationInterrupted
from eigenbody.simulation.start import initial_point
from eigenbody.simulation.stepping import Step, Stepper
from eigenbody.simulation.vibration import is_smooth, lasting_radians
from eigenbody.system.state import State, stacked_states

METHODS = ("auto", "dop853", "gauss", "radau", "generalized-alpha", "hht", "rk4", METHOD)
FIXED = ("generalized-alpha", "hht", "rk4", METHOD)  # methods that take a step
QUICK = ("generalized-alpha", "hht")  # methods whose steps cost a third of the others'
STAGES = 6  # times as much as one of theirs is saved by compiled loops in a step of the others
LIKE_STEPS = 4  # steps of theirs save as much as following a radian of a vibration by gauss
RINGING = 200.0  # radians of the fastest vibration in a motion from which on gauss follows it
LOOPED = ("dop853", "gauss", "radau", *QUICK)  # methods that compiled loops make faster
POINTS = 501  # output times by default
MOST_POINTS = 10_000_000

Progress = Callable[[float], None]


@on_one_thread
def simulate(
    start: Subject,
    until: float,
    method: str = "auto",
    tolerance: float = 1e-8,
    step: float | None = None,
    times: float | Sequence[float] | np.ndarray | None = None,
    outputs: Sequence[str] | None = None,
    progress: Progress | None = None,
    max_step: float | None = None,
    rho: float | None = None,
    strict: bool = False,
    points: int = POINTS,
    compiled: bool | None = None,
    max_steps: float | None = None,
) -> Simulation:
    """The motion from a model's initial state, or from an operating point or a result's, to the time `until` (s).

    `times` are the output times, or the interval between them (default: `points` equidistant ones). `tolerance` is the
    local error of a step, relative to the mechanism's length, to a radian and to the largest speeds so far. `step` is
    the step of rk4 (required), of generalized-alpha and hht (without it they choose their own by the tolerance) and of
    kane, Kane's equations of a tree (by a Runge-Kutta method of order 4 then, without it by dop853);
    `rho` is the spectral radius of these at infinite frequency. `outputs` names the signals that are written and drawn.
    `progress` is called with the share done. A run that is heading for more than `max_steps` steps, rejected ones
    included, is refused early (default: 5000, or 60 for each output time if that is more, three times as many by
    generalized-alpha and hht; with a `step`, 1e9).
    `compiled` True asks for the compiled loops (extra `fast`) from the start,
    False for none; by default runs of 5000 steps and more have them (833 by dop853 and radau, 1250 radians of a
    vibration by gauss; never rk4). Initial
    velocities that contradict the constraints are corrected and reported in `remarks`, or refused if `strict`. A motion
    that cannot be continued raises SimulationError, Ctrl-C raises SimulationInterrupted: both carry what was computed
    as `partial`.
    """
    kernels.loops_for(0, compiled)  # refuses what is not installed, before anything is computed
    start = subject(start)
    point, corrected = (start, ()) if isinstance(start, OperatingPoint) else initial_point(start, strict)
    refuse_massless(point.frame, "motion in time")
    _refuse_large(method, point)
    begin = float(np.real(point.state.t))
    _check(until, begin, method, tolerance, step, max_step, rho, points, max_steps)
    wanted = _output_times(begin, until, times, points)
    names = _outputs(point, outputs)
    remarks = (*point.warnings, *corrected, *_unused(method, step, rho))
    if method == METHOD:
        Chain(point.system, point.system.description).refuse_unknown(point.state)
        remarks = (*remarks, NOTE.format(what="the states", rest="accelerations, reactions and energies"))
    run = _Run(point, until, wanted, names, progress, remarks, compiled, max_steps)
    with np.errstate(all="ignore"):
        return run.go(method, tolerance, step, max_step or (until - begin) / 20, rho)


def _check(
    until: float, begin: float, method: str, tolerance: float, step: float | None, max_step: float | None,
    rho: float | None, points: int, max_steps: float | None,
) -> None:  # fmt: skip
    faults = []
    if method not in METHODS:
        faults.append(Fault("method", f'"{method}" is not known.', suggest(method, METHODS)))
    if not (np.isfinite(until) and until > begin):
        faults.append(Fault("until", f"{until:g} is not a time after the start at {begin:g} s."))
    if not 1e-15 <= tolerance <= 0.1:
        faults.append(Fault("tolerance", f"{tolerance:g} is not between 1e-15 and 0.1."))
    for name, value in (("step", step), ("max_step", max_step)):
        if value is not None and not (np.isfinite(value) and value > 0):
            faults.append(Fault(name, f"{value:g} is not a positive time."))
    if method == "rk4" and step is None:
        faults.append(Fault("step", "rk4 has no step control.", "Give its step in seconds."))
    least = 0.5 if method == "hht" else 0.0
    if rho is not None and not least <= rho <= 1:
        faults.append(Fault("rho", f"{rho:g} is not between {least:g} and 1.", "1 damps nothing, less damps more."))
    if not 2 <= points <= MOST_POINTS:
        faults.append(Fault("points", f"{points} is not between 2 and {MOST_POINTS}."))
    if max_steps is not None and not max_steps >= 1:
        faults.append(Fault("max_steps", f"{max_steps:g} is not a number of steps.", "Give 1 or more."))
    if faults:
        raise InputError(faults)


def _refuse_large(method: str, point: OperatingPoint) -> None:
    if method == "gauss" and point.system.nq > DENSE_LIMIT:
        what = f"gauss is for up to {DENSE_LIMIT} velocity coordinates; the model has {point.system.nq}."
        raise InputError(Fault("method", what, "Use radau or generalized-alpha."))


def _unused(method: str, step: float | None, rho: float | None) -> tuple[str, ...]:
    """Remarks on what the method has no use for."""
    out = []
    if step is not None and method in ("dop853", "gauss", "radau"):
        out.append(f"step: {method} chooses its own steps; {step:g} s was not used. Give max_step to keep them short.")
    if rho is not None and method in ("dop853", "gauss", "radau", "rk4", METHOD):
        out.append(f"rho: {method} has no such number; {rho:g} was not used.")
    return tuple(out)


def _output_times(
    begin: float, until: float, times: float | Sequence[float] | np.ndarray | None, points: int
) -> np.ndarray:
    if times is None:
        return np.linspace(begin, until, points)
    if np.ndim(times) == 0:
        interval = float(times)  # type: ignore[arg-type]
        if not interval > 0:
            raise InputError(Fault("times", f"{interval:g} is not a positive interval."))
        count = int(np.floor((until - begin) / interval * (1 + 1e-12) + 1e-9))
        if count > MOST_POINTS:
            raise InputError(Fault("times", f"{count} output times are too many.", "Use a longer interval."))
        return begin + interval * np.arange(count + 1)
    wanted = np.asarray(times, dtype=float)
    if wanted.ndim != 1 or not len(wanted) or not np.isfinite(wanted).all() or np.any(np.diff(wanted) <= 0):
        raise InputError(Fault("times", "output times must be numbers in ascending order."))
    if wanted[0] < begin or wanted[-1] > until * (1 + 1e-12):
        raise InputError(Fault("times", f"output times must lie between {begin:g} and {until:g} s."))
    return wanted


def _outputs(point: OperatingPoint, outputs: Sequence[str] | None) -> tuple[str, ...]:
    system = point.system
    if outputs is None:
        chosen, nodes = [system.names[i] for i in point.chosen.positions[:200]], []
        for body in system.description.flexible:  # nodes that are named move as one can see, modal coordinates do not
            chosen = [name for name in chosen if name not in body.coordinates]
            named = [node for node in body.nodes if not is_inner(node)]
            nodes += [f"{node}.{axis}" for node in named for axis in "xyz"]
        own = (*chosen, *nodes[:200], *system.states, *(o.name for o in system.outputs))
        return tuple(dict.fromkeys((*own, "energy")))
    from eigenbody.simulation.histories import Reader

    reader = Reader(system, point.chosen, stacked_states([point.state]))
    for name in outputs:
        reader.signal(name)  # refuses what it does not know, before anything is computed
    return tuple(outputs)


class _Run:
    """One simulation: steps are taken and output states recorded until the end, an error or Ctrl-C."""

    def __init__(
        self, point: OperatingPoint, until: float, times: np.ndarray, outputs: tuple[str, ...],
        progress: Progress | None, remarks: tuple[str, ...], compiled: bool | None, max_steps: float | None,
    ) -> None:  # fmt: skip
        self.point, self.until, self.times, self.outputs, self.remarks = point, until, times, outputs, remarks
        self._progress, self._compiled, self._max_steps = progress, compiled, max_steps
        self._recorded: list[State] = []
        self._last = point.state  # how far it came
        self._branching, self._half_turns = ChangePoints(point.state), HalfTurns(point.system, point.state)
        self._used: list[Stepper] = []

    def go(self, method: str, tolerance: float, step: float | None, max_step: float, rho: float | None) -> Simulation:
        self._record_first()
        self._is_fixed = is_fixed = step is not None and method in FIXED
        duration = self.until - float(np.real(self.point.state.t))
        self._budget = Budget(self.point.system, self.point.state, None if is_fixed else tolerance, duration)
        try:
            stepper = self._stepper(method, self.point.state, tolerance, step, max_step, rho)
            try:
                self._follow(stepper)
            except (StiffnessFoundError, LongRunError) as why:
                if method != "auto":
                    raise
                stiff = self._stepper("radau", stepper.state, tolerance, step, max_step, rho)
                self._follow_instead(stiff, why)
        except EigenbodyError as error:
            raise SimulationError(str(error), self._result(False, str(error))) from error
        except KeyboardInterrupt:
            raise SimulationInterrupted(self._result(False, "interrupted")) from None
        return self._result(True, "")

    def _stepper(
        self, method: str, state: State, tolerance: float, step: float | None, max_step: float, rho: float | None
    ) -> Stepper:
        stepper: Stepper
        duration = self.until - float(np.real(state.t))
        forward = Forward(self.point.system, self.point.chosen)
        forward.remember(state)
        expected = duration / step if step and method in QUICK else 0.0
        if method == "gauss" or (method == "auto" and self._may_ring()):
            radians = lasting_radians(forward, state, duration)
            method, expected = method if radians < RINGING else "gauss", LIKE_STEPS * radians
        forward.loops = kernels.loops_for(expected if method != "auto" else 0.0, self._compiled)
        if method in ("auto", "dop853"):
            stepper = DormandPrince(forward, state, self.until, tolerance, max_step, method == "auto")
        elif method == "radau":
            from eigenbody.simulation.collocation import Radau

            stepper = Radau(forward, state, self.until, tolerance, max_step)
        elif method == "gauss":
            from eigenbody.simulation.gauss import Gauss

            stepper = Gauss(forward, state, self.until, tolerance, max_step)
        elif method == "rk4":
            from eigenbody.simulation.minimal import RungeKutta

            stepper = RungeKutta(forward, state, float(step or 0.0))
        elif method == METHOD:
            from eigenbody.simulation.kane.steps import KaneDormandPrince, KaneRungeKutta

            chain = Chain(self.point.system, self.point.system.description)
            if step is None:
                stepper = KaneDormandPrince(chain, forward, state, self.until, tolerance, max_step)
            else:
                stepper = KaneRungeKutta(chain, forward, state, step)
        else:
            from eigenbody.simulation.implicit import GeneralizedAlpha

            stepper = GeneralizedAlpha(forward, state, self.until, tolerance, max_step, step, rho, method == "hht")
        self._used.append(stepper)
        return stepper

    def _may_ring(self) -> bool:
        """Whether elastic bodies may ring on through the motion, which gauss follows best."""
        system = self.point.system
        return bool(system.flexible) and system.nq <= DENSE_LIMIT and is_smooth(system)

    # Steps ------------------------------------------------------------------------------------------------------------
    def _record_first(self) -> None:
        state = self.point.state
        if self.times[0] <= state.t:
            self._recorded.append(state)

    def _follow_instead(self, stiff: Stepper, why: StiffnessFoundError | LongRunError) -> None:
        """Go on by the stiff method; where it is no help to a run that was too long, that is what is said."""
        try:
            self._follow(stiff)
        except SingularConfigurationError:
            raise
        except ComputationError as error:
            is_better = isinstance(error, LongRunError) and isinstance(why, LongRunError) and error.remain < why.remain
            raise (why if isinstance(why, LongRunError) and not is_better else error) from None

    def _follow(self, stepper: Stepper) -> None:
        begin, made = float(np.real(self.point.state.t)), 0
        before = sum(used.counts.steps + used.counts.rejected for used in self._used)
        most = self._max_steps or allowed_steps(len(self.times), self._is_fixed, stepper.name in QUICK)
        enough = kernels.MANY_STEPS if stepper.name in QUICK else kernels.MANY_STEPS // STAGES
        pace = Pace(stepper, begin, self.until, most, before)
        while float(np.real(stepper.state.t)) < self.until:
            step = stepper.advance(self.until)
            if (at := self._branching.before(step, stepper.forward)) is not None:
                self._record(replace(step, t1=float(np.real(at.t)), state=at), stepper)
                self._last = at
                raise at_change_point(stepper.forward, at)
            self._half_turns.refuse_jump(step.state)
            self._record(step, stepper)
            self._last = step.state
            self._budget.follow(step, stepper.forward)
            made += 1
            if made == enough and stepper.name in LOOPED:  # how many there would be was not known
                stepper.forward.loops = kernels.loops_for(kernels.MANY_STEPS, self._compiled)
            share = (float(np.real(stepper.state.t)) - begin) / (self.until - begin)
            if share < 1:
                pace.refuse_long_run()
            report("simulating", share)
            if self._progress is not None:
                self._progress(share)

    def _record(self, step: Step, stepper: Stepper) -> None:
        slack = 1e-12 * max(abs(step.t1), self.until)
        while (i := len(self._recorded)) < len(self.times) and self.times[i] <= step.t1 + slack:
            t = float(self.times[i])
            state = step.at(step.t1 if abs(t - step.t1) <= slack else t)
            self._recorded.append(stepper.forward.complete(state))

    def _result(self, finished: bool, message: str) -> Simulation:
        recorded = self._recorded or [self.point.state]
        if not finished and float(np.real(self._last.t)) > float(np.real(recorded[-1].t)):
            recorded = [*recorded, self._last]
        balance = self._budget.balance()
        return Simulation(
            model=self.point.model,
            system=self.point.system,
            chosen=self.point.chosen,
            states=stacked_states(recorded),
            method=" then ".join(stepper.name for stepper in self._used),
            outputs=self.outputs,
            statistics=self._statistics(),
            balance=balance,
            remarks=(*self.remarks, *_remarks_on(balance)),
            finished=finished,
            message=message,
        )

    def _statistics(self) -> dict[str, Any]:
        keys = ("steps", "rejected", "evaluations", "jacobians", "factorizations", "iterations", "selections")
        out: dict[str, Any] = {key: sum(getattr(s.counts, key) for s in self._used) for key in keys}
        out["smallest_step"] = min((s.counts.smallest_step for s in self._used), default=0.0)
        out["largest_step"] = max((s.counts.largest_step for s in self._used), default=0.0)
        if not np.isfinite(out["smallest_step"]):
            out["smallest_step"] = 0.0
        return out


def _remarks_on(balance: Balance) -> tuple[str, ...]:
    """A warning where the energy does not balance, or was not followed."""
    if balance.open:
        return (f"energy: the balance was not closed: {balance.open}",)
    if balance.is_kept:
        return ()
    return (
        f"energy: the balance misses {balance.defect:.3g} J, {balance.relative:.2g} of the largest energy, where"
        f" {balance.asked:.2g} J are allowed. The motion is less accurate than asked for: use a smaller tolerance or"
        " step, or another method.",
    )
