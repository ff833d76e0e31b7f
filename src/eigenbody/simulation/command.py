"""`eigenbody simulate`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from eigenbody.base.errors import Fault, InputError
from eigenbody.cli import delivery, options, session

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from eigenbody.analyses.response import Spectrogram, Spectrum
    from eigenbody.linearization.point import OperatingPoint
    from eigenbody.model.model import InertModel
    from eigenbody.simulation.result import Simulation


def simulate(
    model: options.ModelPath,
    until: options.Until = None,
    step: Annotated[str | None, options.option("--step", "H", "Step of the methods with a fixed one.")] = None,
    points: Annotated[int, typer.Option("--points", metavar="N", min=2, help="Number of output times.")] = 501,
    method: Annotated[
        str,
        typer.Option("--method", metavar="NAME", help="auto, dop853, gauss, radau, generalized-alpha, hht, rk4; kane."),
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
    spectrogram: Annotated[
        list[str] | None,
        options.option("--spectrogram", "NAME", "Signal whose spectra over time to give and draw; repeatable."),
    ] = None,
    piece: Annotated[
        str | None, options.option("--piece", "T", "Length of a piece of --spectrogram; default an eighth of all.")
    ] = None,
    waterfall: Annotated[
        bool, typer.Option("--waterfall", help="Draw --spectrogram as spectra one behind the other.")
    ] = False,
    spectra_out: Annotated[
        str | None, options.option("--spectra", "FILE", "Write the first --spectrogram: .npz, .mat, .csv or .json.")
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
      eigenbody simulate rotor.yaml --until 60 --points 6001 --spectrogram stator.x --piece 8 --plot rotor.png

    \b
    JSON: {"model", "method", "finished", "message", "t": [...], "signals": {name: [...]},
           "final": {coordinate: value}, "drift": [position, velocity],
           "certificate": {"drift", "energy": share that the energy balance misses, "energy_allowed",
                           "energy_scale": J, "energy_fed": J},
           "energy": {"total": {"start", "end", "least", "greatest"}, "kinetic", ...},
           "spectra": {name: [{"frequency_hz", "amplitude"}]}, "statistics", "warnings"}
      With --spectrogram also "spectrograms": [{"signal", "length", "window", "t": [...],
      "frequency_hz": [...], "amplitude": [[...]]}], indexed [time][frequency].

    \b
    Files: .npz, .csv and .parquet hold t and the signals as columns; .json the document above.
    """
    goal = delivery.Delivery("simulation.look", model, json, out, plot, quiet)
    also = _pictures_asked(model, spectrogram, piece, waterfall, spectra_out)
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
    over_time = _spectrograms(mechanism, result, spectrogram or [], also)
    if spectra_out is not None:
        from eigenbody.present.export import result_writer

        delivery.write(spectra_out, result_writer(over_time[0], spectra_out), quiet)
    goal.deliver(
        result,
        result.remarks,
        document=lambda: result.document(signal or None, spectra, over_time),
        figure=lambda: _figure(result, signal, spectra, over_time, waterfall),
    )
    for found in (*spectra, *over_time) if goal.is_table else ():
        delivery.put(f"\n{found}")


def _pictures_asked(
    model: str, names: list[str] | None, piece: str | None, waterfall: bool, out: str | None
) -> float | None:
    """Length of the pieces of spectrograms, where it is given; options without a spectrogram are refused."""
    for option, given in (("--piece", piece), ("--waterfall", waterfall), ("--spectra", out)):
        if given and not names:
            raise InputError(Fault(option, "no spectrogram is asked for.", "Name a signal: --spectrogram NAME."))
    if out is not None:
        delivery.require_writable(out, ("npz", "mat", "csv", "json"), model)
    return None if piece is None else session.quantity(piece, "s", "--piece", '2 or "200 ms"')


def _figure(
    result: Simulation, names: list[str] | None, spectra: list[Spectrum], over_time: list[Spectrogram], waterfall: bool
) -> Figure:
    """The first spectrogram, else the first spectrum, else the signals."""
    if over_time:
        return over_time[0].plot("waterfall" if waterfall else "map")
    return spectra[0].plot() if spectra else result.plot(names or None)


def _spectrograms(
    mechanism: InertModel, result: Simulation, names: list[str], length: float | None
) -> list[Spectrogram]:
    from eigenbody.analyses.response import spectrogram

    with session.places_of(mechanism, fft="--spectrogram", signal="--spectrogram", length="--piece"):
        return [spectrogram(result, name, length) for name in names]


def _operating_point(mechanism: InertModel) -> OperatingPoint:
    from eigenbody.operating.find import operating_point

    return operating_point(mechanism)


def _spectra(mechanism: InertModel, result: Simulation, names: list[str]) -> list[Spectrum]:
    from eigenbody.analyses.response import fft

    with session.places_of(mechanism, fft="--fft", signal="--fft"):
        return [fft(result, name) for name in names]
