"""What a steady motion is asked for: values and rates that hold, what may adjust, where to start."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from eigenbody.base.errors import Fault, InputError, suggest
from eigenbody.dynamics.mechanics import Mechanics
from eigenbody.linearization.point import system_of
from eigenbody.mobility.coordinates import ahead_of, configured, place_of, unit_of
from eigenbody.mobility.frame import MotionFrame, measure_rows
from eigenbody.mobility.initial import initial_configuration
from eigenbody.mobility.partition import select
from eigenbody.mobility.treespace import coordinate_set, value_set
from eigenbody.model.model import InertModel
from eigenbody.system.state import State, carriers
from eigenbody.system.system import Given, System

WHERE = "operating_point"
NOTHING = 1e-12  # part of the largest given rate that counts as none


@dataclass(frozen=True, slots=True)
class Task:
    """Measures and first-order states by index; what is held, and what is free beside the positions."""

    values: Mapping[int, float]  # measures held at a value
    rates: Mapping[int, float]  # measures held at a rate
    states: Mapping[int, float]  # first-order states held at a value
    free_rates: tuple[int, ...]  # measures that may move at a rate to be found
    free_inputs: tuple[int, ...]
    parameters: tuple[str, ...]  # model parameters to be found
    guessed_rates: Mapping[int, float]  # starting rates of the free ones
    neutral: Mapping[int, tuple[float, ...]] = field(default_factory=dict)  # motions allowed: entries by measure

    axial: tuple[tuple[int, ...], ...] = ()  # rotations of joints, the one that spins first: about an axis that leans
    tied: Mapping[int, tuple[float, ...]] = field(
        default_factory=dict
    )  # equations of rates about own axes: entries by measure
    speeds: frozenset[int] = frozenset()  # measures that are speeds: no coordinates, though their rate is spoken of

    @property
    def moving(self) -> tuple[int, ...]:
        """Measures that must be coordinates because their rate is spoken of, the moving ones first."""
        ordered = sorted(self.rates.keys() - self.speeds, key=lambda i: (self.rates[i] == 0.0, [*self.rates].index(i)))
        return tuple(dict.fromkeys((*ordered, *self.free_rates, *self.neutral)))

    @property
    def seeks_more_than_positions(self) -> bool:
        return bool(self.free_rates or self.free_inputs or self.parameters or self.neutral)

    def at_share(self, share: float) -> Task:
        """The same task with prescribed rates reduced to a share."""
        return replace(self, rates={i: share * rate for i, rate in self.rates.items()})


def rate_name(name: str) -> str | None:
    """`spin` of `spin'`; None for a name without prime."""
    return name[:-1].rstrip() if name.endswith("'") else None


def understand(
    model: InertModel, prescribed: Mapping[str, float], adjust: Sequence[str]
) -> tuple[InertModel, Task, State]:
    """The model with prescribed parameters, the task, and the consistent configuration from which to start."""
    _refuse_wrong_names(model, prescribed, adjust)
    fixed = {name: value for name, value in prescribed.items() if name in model.parameters}
    if fixed:
        model = model.with_parameters(fixed)
    system = system_of(model)
    task = _task(model, system, prescribed, adjust)
    return model, task, _starting_state(system, task, prescribed)


def task_of(model: InertModel, given_rates: Mapping[int, float] | None = None) -> Task:
    """The task that the operating point of a model asks for; rates given on the joints may be known."""
    asked = model.description.operating_point or {}
    return _task(model, system_of(model), asked.get("prescribed") or {}, asked.get("adjust") or (), given_rates)


def _known(model: InertModel, system: System) -> list[str]:
    measures = list(system.aliases)
    return [*measures, *(name + "'" for name in measures), *system.states, *system.inputs, *model.parameters]


def _refuse_wrong_names(model: InertModel, prescribed: Mapping[str, float], adjust: Sequence[str]) -> None:
    system = system_of(model)
    known = _known(model, system)
    faults = []
    for name in dict.fromkeys((*prescribed, *adjust)):
        if name not in known:
            what = f'there is no measure, rate, state, input or parameter "{name}".'
            faults.append(Fault(WHERE, what, suggest(name, known)))
        elif system.aliases.get(rate_name(name) or "") in system.speeds:
            faults.append(Fault(WHERE, f'"{name}" is the rate of a speed.', "Name the speed itself, or a coordinate."))
        elif name in adjust and system.aliases.get(name) in system.speeds:
            faults.append(Fault(WHERE, f'"{name}" is a speed.', "What may be found are rates of coordinates (name')."))
        elif name in prescribed and name in adjust:
            faults.append(Fault(WHERE, f'"{name}" is both prescribed and to be adjusted.', "Keep one of the two."))
    for name, value in prescribed.items():
        if not isinstance(value, int | float | np.number) or not math.isfinite(value):
            faults.append(Fault(f"{WHERE}: {name}", f"{value!r} is not a finite number.", "Give an SI value."))
    if faults:
        raise InputError(faults)


def _task(
    model: InertModel,
    system: System,
    prescribed: Mapping[str, float],
    adjust: Sequence[str],
    given_rates: Mapping[int, float] | None = None,
) -> Task:
    values: dict[int, float] = {}
    rates: dict[int, float] = {}
    states: dict[int, float] = {}
    for name, value in prescribed.items():
        of_rate = rate_name(name)
        if of_rate is None and system.aliases.get(name) in system.speeds:
            rates[system.aliases[name]] = float(value)
        elif of_rate is not None:
            rates[system.aliases[of_rate]] = float(value)
        elif name in system.aliases:
            values[system.aliases[name]] = float(value)
        elif name in system.states:
            states[system.states.index(name)] = float(value)
    open_rates = {system.aliases[base] for name in adjust if (base := rate_name(name)) is not None}
    open_values = {system.aliases[name] for name in adjust if name in system.aliases}
    given_rates = _given_rates(system) if given_rates is None else given_rates
    if not prescribed:
        given = zip(system.positions.measure.tolist(), np.real(system.positions.value).tolist(), strict=True)
        values = {i: value for i, value in given if i not in open_values}
        rates = {i: rate for i, rate in given_rates.items() if i not in open_rates}
    guessed = {i: rate for i, rate in given_rates.items() if i not in rates and i not in system.speeds}
    least = NOTHING * max(map(abs, given_rates.values()), default=0.0)  # rounding of what the joints give as zero
    free = [i for i in guessed if abs(guessed[i]) > least] + sorted(open_rates)
    return Task(
        values, rates, states,
        free_rates=tuple(dict.fromkeys(free)),
        free_inputs=tuple(system.inputs.index(name) for name in adjust if name in system.inputs),
        parameters=tuple(name for name in adjust if name in model.parameters),
        guessed_rates=guessed,
        speeds=system.speeds,
    )  # fmt: skip


def _given_rates(system: System) -> dict[int, float]:
    """Rates given on the joints; those of ball joints as angular velocity about the axes of the first body."""
    given = system.velocities
    if not len(given.measure):
        return {}
    from eigenbody.mobility.initial import initial_state

    state = initial_state(system)
    rate = coordinate_set(system, given.measure).jet(carriers(system, state), state.turns).rate
    return dict(zip(given.measure.tolist(), np.real(rate).tolist(), strict=True))


def _starting_state(system: System, task: Task, prescribed: Mapping[str, float]) -> State:
    """The configuration that has the prescribed values, and the given ones as far as they agree; at rest."""
    given = dict(zip(system.positions.measure.tolist(), np.real(system.positions.value).tolist(), strict=True))
    agreeing = {i: value for i, value in given.items() if i not in task.values}
    if agreeing and task.values:
        wishes = (*task.values, *agreeing)
        dependent = select(Mechanics(system, system.reference_state()), wishes, by_order=True).dropped
        agreeing = {i: value for i, value in agreeing.items() if i not in dependent}
    try:
        state = initial_configuration(_with_positions(system, {**task.values, **agreeing}))
    except InputError:
        if not agreeing:
            raise
        state = _from_given(system, task)
    x = np.array(state.x)
    for i, value in task.states.items():
        x[i] = value
    u_in = np.array(state.u_in)
    for k, name in enumerate(system.inputs):
        u_in[k] = prescribed.get(name, u_in[k])
    return replace(state, x=x, u_in=u_in)


def _from_given(system: System, task: Task) -> State:
    """From the given positions to the prescribed values by the least changes."""
    state = initial_configuration(system)
    held = np.array(list(task.values), dtype=int)
    wanted = np.array(list(task.values.values()))
    for _ in range(50):
        off = wanted - values_held(system, state, held)
        if np.abs(off).max(initial=0.0) < 1e-12 * max(1.0, np.abs(wanted).max(initial=0.0)):
            return state
        mechanics = Mechanics(system, state)
        chosen = select(mechanics)
        frame = MotionFrame(mechanics, chosen)
        rows = measure_rows(mechanics, value_set(system, held), False) @ frame.P
        dS = np.linalg.lstsq(rows, off, rcond=1e-9)[0]
        measures = coordinate_set(system, chosen.positions)
        longest = float(np.abs(dS / unit_of(system, chosen.positions)).max(initial=0.0))
        goal = ahead_of(measures, place_of(measures, mechanics), dS * min(1.0, 0.3 / max(longest, 1e-300)))
        state = configured(system, chosen, state, goal)
    off = wanted - values_held(system, state, held)
    raise InputError(
        [
            Fault(f"{WHERE}: {system.names[i]}", f"the prescribed value is missed by {d:.3g}.", "Start nearer to it.")
            for i, d in zip(held, off, strict=True)
            if abs(d) > 1e-9
        ]
    )


def _with_positions(system: System, wanted: Mapping[int, float]) -> System:
    where = tuple(f"{WHERE}: {system.names[i]}" for i in wanted)
    given = Given(np.array(list(wanted), dtype=int), np.array(list(wanted.values()), dtype=float), where)
    return replace(system, positions=given)


def values_held(system: System, state: State, index: np.ndarray) -> np.ndarray:
    """Values of named measures, real."""
    return np.real(value_set(system, index).jet(carriers(system, state), state.turns).value)
