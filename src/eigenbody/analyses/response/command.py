"""`eigenbody response`."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Annotated

import typer

from eigenbody.base.errors import Fault, InputError
from eigenbody.cli import delivery, options, session

if TYPE_CHECKING:
    from eigenbody.analyses.response.excitation import Excitation

Names = list[str] | None


def response(
    model: options.ModelPath,
    free: Annotated[bool, typer.Option("--free", help="Free motion from the initial conditions (--initial).")] = False,
    step: Annotated[
        Names, options.option("--step", "NAME[=VALUE]", "An input jumps to a value (1) at --at; repeatable.")
    ] = None,
    impulse: Annotated[
        Names, options.option("--impulse", "NAME[=VALUE]", "A blow in N s or N m s (1) at --at; repeatable.")
    ] = None,
    harmonic: Annotated[
        str | None, options.option("--harmonic", "NAME=HZ", "An input a cos(2 pi f t + phase), from t = 0 on.")
    ] = None,
    sampled: Annotated[
        str | None, options.option("--sampled", "FILE.csv", "Inputs from a file: column t, others named as inputs.")
    ] = None,
    amplitude: Annotated[float, typer.Option("--amplitude", metavar="A", help="Amplitude of --harmonic.")] = 1.0,
    phase: Annotated[float, typer.Option("--phase", metavar="DEG", help="Phase of --harmonic in degrees.")] = 0.0,
    at: Annotated[float, typer.Option("--at", metavar="T", help="Time of --step and --impulse in s.")] = 0.0,
    hold: Annotated[
        str, typer.Option("--hold", metavar="first|zero", help="Samples joined by straight lines, or held.")
    ] = "first",
    period: Annotated[
        bool, typer.Option("--period", help="The file of --sampled is one period, to be repeated for ever.")
    ] = False,
    initial: Annotated[
        Names,
        options.option(
            "--initial",
            "NAME=VALUE",
            "Deviation of a coordinate (name), its rate (name') or a state at the start; repeatable.",
        ),
    ] = None,
    until: Annotated[str | None, options.option("--until", "T", 'End: 2 or "200 ms".')] = None,
    points: Annotated[int, typer.Option("--points", metavar="N", min=2, help="Number of times.")] = 501,
    output: Annotated[
        Names, options.option("--output", "NAME", "Output or measure (name', name'' for rates); repeatable.")
    ] = None,
    stationary: Annotated[
        bool, typer.Option("--stationary", help="What remains when all transients have died out.")
    ] = False,
    method: Annotated[str | None, options.option("--method", "NAME", "exact (default), modal or trapezoid.")] = None,
    damping: options.Damping = None,
    route: options.Route = None,
    solver: options.Solver = None,
    set_: options.Set = None,
    json: options.Json = False,
    out: options.Out = None,
    plot: options.Plot = None,
    quiet: options.Quiet = False,
) -> None:
    """Motion of the linear model in time.

    Deviations from the operating point; one kind of excitation: --free, --step, --impulse, --harmonic or --sampled.
    NAME is an input of the model, or any measure, along which a force or moment then acts.

    \b
    Examples:
      eigenbody response slider.yaml --free --initial rail=0.1 --initial "hinge'=0.2" --until 10
      eigenbody response slider.yaml --step rail=5 --until 20 --plot step.png
      eigenbody response slider.yaml --impulse rail --until 5 --output hinge --output "hinge''"
      eigenbody response slider.yaml --harmonic rail=0.4 --amplitude 3 --until 30 --set c=20
      eigenbody response slider.yaml --harmonic rail=0.4 --until 5 --stationary --set c=20 --json
      eigenbody response slider.yaml --impulse rail --until 60 --damping proportional:0.05,0.01
      eigenbody response tree.yaml --step j9 --until 1 --route topology
      eigenbody response car.yaml --sampled road.csv -o answer.csv

    \b
    JSON: {"model", "method", "stationary", "excitation": {"kind", ...},
           "time": [...], "outputs": {name: [...]}, "inputs": {name: [...]},
           "units": {"outputs": {name: unit}, "inputs": {name: unit}},
           "energy": {"kinetic": [...], "potential", "dissipated", "circulatory", "work",
                      "states_work", "imbalance"} or null,
           "modes": [{"index", "real", "imag", "damped_frequency_hz", "amplitude", "phase"}]
                    in a free motion, else null,
           "harmonics": [{"frequency_hz", "outputs": {name: {"amplitude", "phase"}}}]
                    with --stationary, else null,
           "notes", "warnings"}
      phase       rad
      dissipated  energy lost in dampers since the start; circulatory: drawn by forces that
                  depend on position and have no potential; work: done by the inputs
      imbalance   largest error of the balance relative to the largest energy

    \b
    Files: .csv has the columns t, inputs, outputs; .json the document above; .npz and .mat
      t, outputs (times, n), inputs, states, their names and units, and the energies.
    """
    goal = delivery.Delivery("analyses.response.look", model, json, out, plot, quiet)
    free = free or (bool(initial) and not any((step, impulse, harmonic, sampled)))
    given = _one_of(free=free, step=step, impulse=impulse, harmonic=harmonic, sampled=sampled)
    start = _numbers("--initial", initial or [])
    end = None if until is None and given == "sampled" else session.end_of(until, "response")
    mechanism = session.load(model, set_)
    from eigenbody.analyses.response.find import response as response_of

    places = {name: f"--{name}" for name in ("initial", "points", "method", "at", "solver", "stationary")}
    places |= {"times": "--until", "outputs": "--output", "inputs": f"--{given}", "hold": "--hold"}
    places |= {"frequency": "--harmonic", "samples": f"--sampled {sampled}", **session.CHANGED}
    with session.places_of(mechanism, **places):
        excitation = _excitation(given, step, impulse, harmonic, sampled, amplitude, phase, at, hold, period)
        result = response_of(
            mechanism, excitation, start, None if end is None else (end, points), output or None, method, stationary,
            solver, damping, route,
        )  # fmt: skip
    goal.deliver(result, result.linear.point.warnings)


def _one_of(**kinds: object) -> str:
    given = [name for name, value in kinds.items() if value]
    if len(given) == 1:
        return given[0]
    listed = ", ".join(f"--{name}" for name in (given or kinds))
    if not given:
        what = "what excites the model is missing."
        raise InputError(Fault("response", what, f"Give one of {listed}; see eigenbody response --help."))
    raise InputError(Fault(listed, "only one kind of excitation at a time."))


def _excitation(
    kind: str, step: Names, impulse: Names, harmonic: str | None, sampled: str | None, amplitude: float, phase: float,
    at: float, hold: str, period: bool,
) -> Excitation | None:  # fmt: skip
    from eigenbody.analyses.response import excitation as e

    if period and kind != "sampled":
        raise InputError(Fault("--period", "only samples make a period.", "Give the file with --sampled."))
    if kind == "step":
        return e.StepInput(_numbers("--step", step or [], 1.0), at=at)
    if kind == "impulse":
        return e.ImpulseInput(_numbers("--impulse", impulse or [], 1.0), at=at)
    if kind == "harmonic":
        ((name, hz),) = _numbers("--harmonic", [harmonic or ""]).items()
        return e.HarmonicInput(name, hz, amplitude, math.radians(phase))
    if kind == "sampled":
        samples = e.SampledInput.from_csv(sampled or "", hold)
        return e.PeriodicInput.from_samples(samples) if period else samples
    return None


def _numbers(option: str, texts: list[str], default: float | None = None) -> dict[str, float]:
    """`["rail=0.1", "hinge'=2"]` by name."""
    values, faults = {}, []
    for text in texts:
        name, equals, number = (part.strip() for part in text.partition("="))
        value = default if not equals else _number(number)
        if not name or value is None:
            faults.append(
                Fault(f"{option} {text}", "a name and a finite number are expected.", "For example: rail=0.1.")
            )
        elif name in values:
            faults.append(Fault(f"{option} {text}", f'"{name}" is given twice.'))
        else:
            values[name] = value
    if faults:
        raise InputError(faults)
    return values


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None
