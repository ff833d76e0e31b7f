"""`eigenbody simulate`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from eigenbody.cli import delivery, options, session

if TYPE_CHECKING:
    from eigenbody.analyses.response import Spectrum
    from eigenbody.linearization.point import OperatingPoint
    from eigenbody.model.model import InertModel
    from eigenbody.simulation.result import Simulation


def simulate(
    model: options.ModelPath,
    until: options.Until = None,
    step: Annotated[str | None, options.option("--step", "H", "Step of the methods with a fixed one.")] = None,
    points: Annotated[int, typer.Option("--points", metavar="N", min=2, help="Number of output times.")] = 501,
    method: Annotated[
        str, typer.Option("--method", metavar="NAME", help="auto, dop853, radau, generalized-alpha, hht, rk4; kane.")
    ] = "auto",
    tolerance: Annotated[float, typer.Option("--tolerance", metavar="TOL", help="Local error of a step.")] = 1e-8,
    max_steps: options.MaxSteps = None,
    rho: Annotated[
        float | None, options.option("--rho", "RHO", "Damping of generalized-alpha and hht, 1 for none.", min=0, max=1)
    ] = None,
    signal: Annotated[list[str] | None, options.option("--signal", "NAME", "Signal to give; repeatable.")] = None,
    fft: Annotated[
        list[str] | None, options.option("--fft", "NAME", "Signal whose spectrum to give; repeatable.")
    ] = None,
    at_point: Annotated[
        bool, typer.Option("--at-point", help="Start from the operating point instead of the initial state.")
    ] = False,
    compiled: Annotated[
        bool | None,
        typer.Option(
            "--compiled/--no-compiled",
            help="Loops compiled by Numba from the start, or none.",
            show_default="where that pays",
        ),
    ] = None,
    strict: Annotated[
        bool, typer.Option("--strict", help="Refuse contradicting initial velocities instead of correcting them.")
    ] = False,
    set_: options.Set = None,
    json: options.Json = False,
    out: Annotated[
        str | None, options.option("--out -o", "FILE", "Also write the result: .npz, .csv, .parquet or .json.")
    ] = None,
    plot: options.Plot = None,
    quiet: options.Quiet = False,
) -> None:
    """Motion in time, from the initial state on.

    What was computed is written to --out even when the motion cannot be continued or is interrupted (Ctrl-C).
    A motion that is heading for more steps than --max-steps is refused early: by default 5000, or 60 for each
    output time if that is more, three times as many by generalized-alpha and hht, 1e9 where --step is given.

    --method kane integrates Kane's equations of a tree, independent of the engine: by dop853, or with --step by the
    Runge-Kutta method of order 4.

    \b
    Signals: every measure (joint coordinates, body.x ... body.rz, measures of the model), its rate (name') and
      acceleration (name''), first-order states, inputs and outputs of the model, energy,
      energy.kinetic, energy.gravity, energy.stored, power.dissipated,
      reaction.JOINT.fx ... mz (joint axes),
      drift.position, drift.velocity

    \b
    Examples:
      eigenbody simulate arm.yaml --until 2
      eigenbody simulate arm.yaml --until 2 --signal elbow --signal "elbow'" -o arm.csv
      eigenbody simulate arm.yaml --until 2 --method kane
      eigenbody simulate rotor.yaml --until 60 --points 6001 --fft stator.x --json

    \b
    JSON: {"model", "method", "finished", "message", "t": [...], "signals": {name: [...]},
           "final": {coordinate: value}, "drift": [position, velocity],
           "certificate": {"drift", "energy": share that the energy balance misses, "energy_allowed",
                           "energy_scale": J, "energy_fed": J},
           "energy": {"total": {"start", "end", "least", "greatest"}, "kinetic", ...},
           "spectra": {name: [{"frequency_hz", "amplitude"}]}, "statistics", "warnings"}

    \b
    Files: .npz, .csv and .parquet hold t and the signals as columns; .json the document above.
    """
    goal = delivery.Delivery("simulation.look", model, json, out, plot, quiet)
    end = session.end_of(until, "motion")
    fixed = None if step is None else session.quantity(step, "s", "--step", '0.001 or "1 ms"')
    mechanism = session.load(model, set_)
    from eigenbody.simulation.result import SimulationError, SimulationInterrupted
    from eigenbody.simulation.run import simulate as motion_of

    names = ("until", "step", "method", "tolerance", "signal", "compiled", "rho", "points", "max_steps")
    places = {name: f"--{name.replace('_', '-')}" for name in names}
    try:
        with session.places_of(mechanism, **places):
            start = _operating_point(mechanism) if at_point else mechanism
            result = motion_of(
                start, end, method=method, tolerance=tolerance, step=fixed, points=points, outputs=signal or None,
                rho=rho, strict=strict, compiled=compiled, max_steps=max_steps,
            )  # fmt: skip
    except (SimulationError, SimulationInterrupted) as stopped:
        goal.write(stopped.partial)
        raise
    spectra = _spectra(mechanism, result, fft or [])
    goal.deliver(
        result,
        result.remarks,
        document=lambda: result.document(signal or None, spectra),
        figure=spectra[0].plot if spectra else lambda: result.plot(signal or None),
    )
    for spectrum in spectra if goal.is_table else ():
        delivery.put(f"\n{spectrum}")


def _operating_point(mechanism: InertModel) -> OperatingPoint:
    from eigenbody.operating.find import operating_point

    return operating_point(mechanism)


def _spectra(mechanism: InertModel, result: Simulation, names: list[str]) -> list[Spectrum]:
    from eigenbody.analyses.response import fft

    with session.places_of(mechanism, fft="--fft", signal="--fft"):
        return [fft(result, name) for name in names]
