"""`eigenbody psd`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from eigenbody.base.errors import Fault, InputError
from eigenbody.cli import delivery, options, session

if TYPE_CHECKING:
    from eigenbody.analyses.random.drives import Source


def psd(
    model: options.ModelPath,
    set_: options.Set = None,
    input_: Annotated[
        list[str] | None,
        options.option(
            "--input", "NAME", "Input of the model, or measure to push along; repeatable. Default: all inputs."
        ),
    ] = None,
    base: Annotated[str | None, options.option("--base", "NAME", "Driver or joint whose motion is random.")] = None,
    output: Annotated[
        list[str] | None,
        options.option(
            "--output", "NAME", "Output of the model, or measure with ' and ''; repeatable. Default: all outputs."
        ),
    ] = None,
    white: Annotated[float | None, options.option("--white", "LEVEL", "White noise: (unit of input)² per Hz.")] = None,
    road: Annotated[str | None, options.option("--road", "CLASS", "ISO 8608 road A to H, or Gd(n0) in m³.")] = None,
    speed: Annotated[str | None, options.option("--speed", "V", 'Speed on the road, m/s or "72 km/h".')] = None,
    cutoff: Annotated[
        float, typer.Option("--cutoff", metavar="N", help="The density of the road levels off at so many cycles/m.")
    ] = 0.0,
    table: Annotated[str | None, options.option("--table", "FILE.csv", "Lines of Hz, density of the input.")] = None,
    of: Annotated[
        list[str] | None,
        options.option("--of", "WHAT", "displacement, velocity or acceleration: what the input (or NAME=...) is."),
    ] = None,
    delay: Annotated[
        list[str] | None, options.option("--delay", "NAME=T", "An input comes later by T seconds; repeatable.")
    ] = None,
    coherence: Annotated[
        float,
        typer.Option(
            "--coherence", metavar="0..1", help="|S12|^2/(S11 S22) of several inputs: 1 the same signal, 0 independent."
        ),
    ] = 1.0,
    from_: Annotated[float | None, options.option("--from", "HZ", "Begin of the band.")] = None,
    to: Annotated[float | None, options.option("--to", "HZ", "End of the band.")] = None,
    weighting: Annotated[str | None, options.option("--weighting", "NAME", "ISO 2631-1: Wk Wd Wf Wc We Wj.")] = None,
    level: Annotated[
        list[float] | None, options.option("--level", "VALUE", "How often it is crossed; repeatable.")
    ] = None,
    duration: Annotated[str | None, options.option("--duration", "T", "Greatest value to expect in it, dose.")] = None,
    solver: options.Solver = None,
    json: options.Json = False,
    out: options.Out = None,
    plot: options.Plot = None,
    quiet: options.Quiet = False,
) -> None:
    """Random vibration: densities, RMS, crossings, comfort.

    Stationary response of the linear model to white noise (--white), an ISO 8608 road (--road, --speed) or a table of
    densities (--table). RMS values are integrated over the band and, where the excitation allows, computed a second
    time without integration over all frequencies.

    \b
    Examples:
      eigenbody psd quarter_car.yaml --road B --speed "72 km/h"
      eigenbody psd quarter_car.yaml --road C --speed 20 --output acceleration \\
                    --weighting Wk --duration 600 --plot ride.png
      eigenbody psd half_car.yaml --road B --speed 20 --delay rear=0.13
      eigenbody psd rotor.yaml --input stator.x --white 4 --output "rotor.x''" --to 200
      eigenbody psd shaker.yaml --base table --table test.csv --of acceleration

    \b
    JSON: {"model", "inputs", "outputs", "excitation", "band_hz", "units",
           "frequency_hz", "input_psd": {input: [...]}, "psd": {output: [...]},
           "rms", "rms_exact", "difference", "zero_crossings_hz", "peaks_hz",
           "moments": {output: {"0", "1", "2", "4"}}, "infinite",
           "weighted_rms", "weighted_rms_exact", "weighting", "comfort",
           "notes", "warnings"}
      psd                one-sided, unit of the output squared per Hz
      rms                over the band; null where infinite (then in "infinite")
      rms_exact          over all frequencies, by Lyapunov equations; null where infinite
                         or where the excitation is no filtered white noise
      zero_crossings_hz  expected upward crossings of the mean per second
      With --level also "level_crossings_hz", with --duration "expected_peak" and
      "estimated_vdv".

    \b
    Files: .csv has a line for each frequency; .json the document above; .npz and .mat
      hold frequency_hz, input_psd, psd, rms, rms_exact, moments, names and units.
    """
    goal = delivery.Delivery("analyses.random.look", model, json, out, plot, quiet)
    _one_excitation(white, road, table, speed, cutoff)
    lasting = None if duration is None else session.quantity(duration, "s", "--duration", '600 or "10 min"')
    later = dict(session.pair("--delay", text, "NAME=VALUE", "rear=0.13") for text in delay or ())
    delays = {name: session.quantity(text, "s", "--delay", '0.13 or "130 ms"') for name, text in later.items()}
    mechanism = session.load(model, set_)
    from eigenbody.analyses.random.find import psd as psd_of
    from eigenbody.present.documents import require_finite_linear

    names = ("white", "road", "speed", "cutoff", "of", "coherence", "weighting", "duration", "base", "solver")
    places = {name: f"--{name}" for name in names} | {"band": "--from, --to", "delays": "--delay"}
    with session.places_of(mechanism, **places):
        result = psd_of(
            mechanism, _source(white, road, speed, cutoff, table), input_ or None, output or None, (from_, to),
            of=_quantities(of), delays=delays, coherence=coherence, weighting=weighting, base=base, solver=solver,
        )  # fmt: skip
        if lasting is not None:
            result.expected_peak(result.outputs[0], lasting)  # refuses what is no duration
    require_finite_linear(result.linear)
    levels = tuple(level or ())
    goal.deliver(
        result,
        result.linear.point.warnings,
        sheet=lambda: result.sheet(levels, lasting),
        document=lambda: result.document(levels, lasting),
    )


def _one_excitation(white: float | None, road: str | None, table: str | None, speed: str | None, cutoff: float) -> None:
    given = [name for name, value in (("--white", white), ("--road", road), ("--table", table)) if value is not None]
    if len(given) != 1:
        what = f"{' and '.join(given)} are given." if given else "no excitation is given."
        remedy = 'Give one of: --white LEVEL, --road B --speed "20 m/s", --table FILE.csv.'
        raise InputError(Fault("excitation", what, remedy))
    if road is not None and speed is None:
        raise InputError(Fault("--road", "the speed is missing.", 'For example: --speed "20 m/s".'))
    if road is None and (speed is not None or cutoff):
        raise InputError(Fault("--speed" if speed is not None else "--cutoff", "only a road (--road) has this."))


def _source(white: float | None, road: str | None, speed: str | None, cutoff: float, table: str | None) -> Source:
    from eigenbody.analyses.random.drives import Tabulated, White
    from eigenbody.analyses.random.roads import Road

    if white is not None:
        return White(white)
    if table is not None:
        return Tabulated.from_csv(table)
    assert road is not None
    assert speed is not None
    velocity = session.quantity(speed, "m/s", "--speed", '20 or "72 km/h"')
    try:
        roughness: str | float = float(road)
    except ValueError:
        roughness = road
    return Road(roughness, velocity, cutoff=cutoff)


def _quantities(of: list[str] | None) -> str | dict[str, str] | None:
    """`velocity`, or `front=velocity` for some inputs."""
    if not of:
        return None
    if len(of) == 1 and "=" not in of[0]:
        return of[0]
    return dict(session.pair("--of", text, "NAME=VALUE", "front=velocity") for text in of)
