"""Time response of the linear model: free, step, impulse, harmonic, periodic and sampled excitation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from eigenbody.analyses.frequency import dense_equations
from eigenbody.analyses.linearize import Damping, Ports, constant_linear_of, ports
from eigenbody.analyses.modes import Modes, modes
from eigenbody.analyses.response.amplitudes import ModeAmplitude, mode_amplitudes
from eigenbody.analyses.response.energy import EnergyBalance, energy_balance
from eigenbody.analyses.response.excitation import (
    Excitation,
    FreeMotion,
    HarmonicInput,
    ImpulseInput,
    Lines,
    PeriodicInput,
    SampledInput,
)
from eigenbody.analyses.response.large import LargeTask, large_motion
from eigenbody.analyses.response.linear_motion import Trajectory, motion
from eigenbody.analyses.response.setup import finer, method_of, readout, start_state, times_of
from eigenbody.analyses.response.stationary import Harmonics, mode_words, pole_remarks, stationary_states
from eigenbody.base.arrays import frozen
from eigenbody.base.errors import ComputationError, Fault, InputError, suggest
from eigenbody.base.progress import report
from eigenbody.base.result import Drawn
from eigenbody.linearization.model import LinearModel
from eigenbody.linearization.subject import Subject
from eigenbody.numerics.runtime import on_one_thread
from eigenbody.numerics.signals import fundamental

COARSE = 1e-3  # imbalance of the energies above which the steps are called coarse
LARGEST = 1e290


@dataclass(frozen=True, eq=False)
class TimeResponse(Drawn, look="analyses.response.look"):
    """Deviations from the operating point over time.

    states   (times, n) the linear state [S, W, x]; None on the sparse path
    outputs  (times, p) and inputs (times, m) by name; an impulse is not drawn in the inputs
    energy   kinetic, potential, dissipated energy and work over time; None where it is not defined
    """

    linear: LinearModel
    excitation: Excitation
    method: str
    times: np.ndarray
    states: np.ndarray | None
    output_names: tuple[str, ...]
    output_units: tuple[str, ...]
    outputs: np.ndarray
    input_names: tuple[str, ...]
    input_units: tuple[str, ...]
    inputs: np.ndarray
    energy: EnergyBalance | None
    harmonics: Harmonics | None  # of a stationary response
    notes: tuple[str, ...]

    @property
    def is_stationary(self) -> bool:
        """Whether it is the stationary answer to a periodic input."""
        return self.harmonics is not None

    def __len__(self) -> int:
        return len(self.times)

    def output(self, name: str) -> np.ndarray:
        """Values (times,) of an output, an input or a state."""
        for names, table in (
            (self.output_names, self.outputs), (self.input_names, self.inputs), (self.linear.states, self.states),
        ):  # fmt: skip
            if name in names and table is not None:
                return table[:, names.index(name)]
        known = (*self.output_names, *self.input_names, *(self.linear.states if self.states is not None else ()))
        raise InputError(Fault("output", f'there is no "{name}" in this response.', suggest(name, known)))

    __getitem__ = output

    def amplitudes(self) -> tuple[ModeAmplitude, ...]:
        """Amplitude and phase of every mode in the free motion after the start."""
        if not isinstance(self.excitation, FreeMotion | ImpulseInput) or self.excitation.at:
            what = f"a {self.excitation.kind} excitation goes on; its modes have no constant amplitude."
            raise InputError(Fault("amplitudes", what, "Ask for the free motion or an impulse at t = 0."))
        if self.states is None:
            raise InputError(Fault("amplitudes", "all modes are needed, which a large model does not have."))
        return self._amplitudes

    @cached_property
    def modes_in_motion(self) -> tuple[tuple[ModeAmplitude, ...] | None, tuple[str, ...]]:
        """Amplitudes of the modes where there are such, and a remark where they cannot be told."""
        free = isinstance(self.excitation, FreeMotion | ImpulseInput) and not self.excitation.at
        if not free or self.states is None:
            return None, ()
        try:
            return self.amplitudes(), ()
        except ComputationError as error:  # defective modes: said beside the result
            return None, (str(error),)

    @cached_property
    def _amplitudes(self) -> tuple[ModeAmplitude, ...]:
        assert self.states is not None
        return mode_amplitudes(modes(self.linear), self.states[0])


@on_one_thread
def fundamental_matrix(model: Subject | np.ndarray, t: float | np.ndarray, method: str = "pade") -> np.ndarray:
    """Phi(t) = exp(A t): how the state of a linear model (or of x' = A x) moves freely from 0 to t.

    (n, n) for one time, (times, n, n) for many. `method` is "pade", "modal", "series" or "cayley-hamilton".
    """
    A = model if isinstance(model, np.ndarray) else constant_linear_of(model).A
    return fundamental.fundamental_matrix(A, t, method)


@on_one_thread
def response(
    model: Subject,
    excitation: Excitation | None = None,
    initial: Mapping[str, float] | None = None,
    times: float | tuple[float, int] | None = None,
    outputs: str | Sequence[str] | None = None,
    method: str | None = None,
    stationary: bool = False,
    solver: str | None = None,
    damping: Damping | None = None,
    route: str | None = None,
) -> TimeResponse:
    """Response of the linear model from t = 0 on, as deviations from the operating point.

    excitation  StepInput, ImpulseInput, HarmonicInput, PeriodicInput or SampledInput; None: free motion
    initial     deviations at the start by name of coordinate (rate: name', first-order state: its name); else zero
    times       end, or (end, number of points); of samples by default their own times
    outputs     names of outputs or measures (name', name'' for rates); by default all of the model
    method      "exact" (default), "modal", or "trapezoid", which a large model always uses
    stationary  what remains of a harmonic or periodic response when all transients have died out
    damping     to be added as by `with_damping`: "proportional:0.1,1e-4", "modal:0.02", "structural:0.03" (by its
                viscous equivalent) or a map
    route       "topology": by the equations of the constraint-topology transformation
    """
    excitation = FreeMotion() if excitation is None else excitation
    found = ports(model, list(excitation.names), outputs, solver, damping, route)
    task = _Task(found, excitation, times_of(excitation, times), method_of(found, method))
    report("responding")
    if stationary:
        if initial:
            raise InputError(Fault("initial", "a stationary response has forgotten its initial conditions."))
        return task.stationary()
    x0 = start_state(found.linear, initial or {})
    if isinstance(excitation, FreeMotion) and not x0.any():
        what = "nothing excites the model and it starts at rest: it stays where it is."
        example = found.linear.states[0] if found.linear.states else "name"
        raise InputError(Fault("initial", what, f"Give a deviation at the start, for example {example}=0.1."))
    return task.large(x0) if found.linear.is_sparse else task.dense(x0)


@dataclass(frozen=True, eq=False)
class _Task:
    """One response: ports, excitation, times, method."""

    found: Ports
    excitation: Excitation
    times: np.ndarray
    method: str

    @property
    def linear(self) -> LinearModel:
        return self.found.linear

    # ---- the three ways

    def dense(self, x0: np.ndarray) -> TimeResponse:
        linear = self.linear
        A, B = linear.A, linear.B[:, list(self.found.inputs)]
        path = self._path(A, B, x0)
        self._refuse_overflow(path.times, path.states)
        energy = energy_balance(linear, B, path)
        return self._result(path.states[path.kept], path.u[path.kept], energy, None, self._remarks(linear, energy))

    def _path(self, A: np.ndarray, B: np.ndarray, x0: np.ndarray) -> Trajectory:
        """The trajectory, with times in between where the energies need them and the method does not mind."""
        between = 1 if self.method == "trapezoid" else finer(A, self.times, self.excitation)
        if between == 1:
            return motion(A, B, x0, self.times, self.excitation, self.method)
        count = (len(self.times) - 1) * between + 1
        fine = motion(A, B, x0, np.linspace(self.times[0], self.times[-1], count), self.excitation, self.method)
        kept = np.zeros(len(fine.times), bool)
        kept[np.flatnonzero(fine.kept)[::between]] = True
        return replace(fine, kept=kept)

    def stationary(self) -> TimeResponse:
        linear, excitation = self.linear, self.excitation
        if not isinstance(excitation, HarmonicInput | PeriodicInput):
            what = f"a {excitation.kind} excitation has no stationary response."
            raise InputError(Fault("stationary", what, "Excite the model harmonically or periodically."))
        if linear.is_sparse:
            what = "the stability of a large model is not known, so a stationary response cannot be vouched for."
            raise InputError(Fault("stationary", what, "Use the frequency response, or force solver dense."))
        lines, equations = excitation.lines(), dense_equations(linear, self.found.inputs, self.found.outputs)
        amplitudes, remarks = stationary_states(equations, lines, modes(linear))
        C, D = readout(linear, self.found)[2:]
        outputs = amplitudes @ C.T + lines.amplitude @ D.T
        states = Lines(lines.omega, amplitudes).values(self.times)
        harmonics = Harmonics(lines.omega / (2 * np.pi), amplitudes, outputs)
        return self._result(states, lines.values(self.times), None, harmonics, remarks)

    def large(self, x0: np.ndarray) -> TimeResponse:
        linear = self.linear
        u, u_end, blow = self._large_inputs()
        names, units, C, D = readout(linear, self.found)
        task = LargeTask(linear.sparse, self.found.inputs, C, D, x0, self.times, u, u_end, blow)
        with np.errstate(over="ignore", invalid="ignore"):
            y, energy = large_motion(task)
        self._refuse_overflow(self.times, y)
        remarks = [
            f"Implicit trapezoid rule of second order with steps of {task.step:.4g} s: motion faster than about"
            f" {0.05 / task.step:.4g} Hz is not resolved."
        ]
        return TimeResponse(
            linear, self.excitation, self.method, frozen(self.times), None, names, units, frozen(y),
            self.found.input_names, self.found.input_units, frozen(u), energy, None, (*linear.notes, *remarks),
        )  # fmt: skip

    def _large_inputs(self) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
        """Inputs at the times, at the ends of the steps, and a blow at the start."""
        excitation, times = self.excitation, self.times
        none = np.zeros((len(times), len(self.found.inputs)))
        if excitation.at:
            what = "a large model is stepped through even times, between which nothing can happen."
            raise InputError(Fault("at", what, "Let it happen at t = 0."))
        if isinstance(excitation, FreeMotion):
            return none, none[1:], None
        if isinstance(excitation, ImpulseInput):
            return none, none[1:], excitation.blow
        if not isinstance(excitation, SampledInput):
            u = excitation.lines().values(times)
            return u, u[1:], None
        if np.ptp(np.diff(times)) > 1e-9 * (times[-1] - times[0]) / len(times):
            what = "a large model needs equidistant times; the samples are not."
            raise InputError(Fault("times", what, "Give the end and a number of points."))
        u = excitation.between(times)
        return u, u[:-1] if excitation.hold == "zero" else u[1:], None

    # ---- the result

    def _result(
        self, states: np.ndarray, u: np.ndarray, energy: EnergyBalance | None, harmonics: Harmonics | None,
        remarks: Sequence[str],
    ) -> TimeResponse:  # fmt: skip
        names, units, C, D = readout(self.linear, self.found)
        return TimeResponse(
            self.linear, self.excitation, self.method, frozen(self.times), frozen(states), names, units,
            frozen(states @ C.T + u @ D.T), self.found.input_names, self.found.input_units, frozen(u), energy,
            harmonics, (*self.linear.notes, *remarks),
        )  # fmt: skip

    def _remarks(self, linear: LinearModel, energy: EnergyBalance | None) -> list[str]:
        remarks = []
        if energy is None:
            remarks.append("No energy balance: with non-holonomic constraints the stiffness is not square.")
        elif COARSE < energy.imbalance < np.inf:
            remarks.append(
                f"The energy balance misses {100 * energy.imbalance:.2g} %: the times are too far apart for its"
                " integrals. Ask for more points; the response itself does not need them."
                if self.method != "trapezoid"
                else f"The energy balance misses {100 * energy.imbalance:.2g} %: the steps of the trapezoid recursion"
                " are coarse. Ask for more points."
            )
        if isinstance(self.excitation, HarmonicInput):
            remarks += pole_remarks(linear, float(self.excitation.lines().omega[0]))
        return remarks

    def _refuse_overflow(self, times: np.ndarray, values: np.ndarray) -> None:
        with np.errstate(invalid="ignore"):
            lost = np.flatnonzero(~(np.abs(values) < LARGEST).all(axis=1))
        if not len(lost):
            return
        if self.linear.is_sparse:
            raise ComputationError(f"The response overflows at t = {times[lost[0]]:.6g} s. End earlier.")
        found: Modes = modes(self.linear)
        fastest = int(np.argmax(found.eigenvalues.real))
        if found.growths[fastest] != "unstable":
            raise ComputationError(
                f"The response overflows at t = {times[lost[0]]:.6g} s although no mode grows: the excitation or the"
                " initial conditions are of absurd size."
            )
        raise ComputationError(
            f"The response overflows at t = {times[lost[0]]:.6g} s: {mode_words(found, fastest)}."
            " End earlier, or stabilize the model."
        )
