"""`eigenbody frf`."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Annotated, Any

import typer

from eigenbody.base.errors import Fault, InputError
from eigenbody.cli import delivery, options, session

if TYPE_CHECKING:
    from eigenbody.model.model import InertModel

PLACES = {
    "inputs": "--input", "outputs": "--output", "frequencies_hz": "--from/--to/--at", "points": "--points",
    "base": "--base", "base_order": "--base-order", "unbalance": "--unbalance", "speed_parameter": "--speed",
    "method": "--method", "modes": "--modes", "solver": "--solver", "parameter": "--over", "values": "--over",
    **session.CHANGED,
}  # fmt: skip


def frf(
    model: options.ModelPath,
    set_: options.Set = None,
    input_: Annotated[
        list[str] | None,
        options.option(
            "--input", "NAME", "An input, or a measure to push along; repeatable. Default: all inputs of the model."
        ),
    ] = None,
    output: Annotated[
        list[str] | None,
        options.option(
            "--output",
            "NAME",
            "An output, or a measure (slide, slide', slide''); repeatable. Default: all outputs, or coordinates.",
        ),
    ] = None,
    start: Annotated[
        float | None, options.option("--from", "HZ", "Start of the range; default from the modes.")
    ] = None,
    stop: Annotated[float | None, options.option("--to", "HZ", "End of the range; default from the modes.")] = None,
    points: Annotated[int | None, options.option("--points", "N", "Points in the range [400].")] = None,
    log: Annotated[bool, typer.Option("--log/--linear", help="Spacing of the points.")] = True,
    at: Annotated[list[float] | None, options.option("--at", "HZ", "This frequency exactly; repeatable.")] = None,
    method: Annotated[
        str, typer.Option("--method", metavar="direct|modal", help="Solve at every frequency, or sum over modes.")
    ] = "direct",
    modes: Annotated[int | None, options.option("--modes", "N", "With modal: the lowest N modes only.")] = None,
    residual: Annotated[
        bool, typer.Option("--residual", help="With --modes: add a constant for the modes left out.")
    ] = False,
    refine: Annotated[
        bool, typer.Option("--refine/--no-refine", help="Add points near resonances and locate the peaks.")
    ] = True,
    base: Annotated[
        str | None, options.option("--base", "NAME", "Excite by the motion of a driver or driven joint.")
    ] = None,
    base_order: Annotated[
        int, typer.Option("--base-order", metavar="0|1|2", help="That motion as displacement, velocity, acceleration.")
    ] = 0,
    unbalance: Annotated[
        list[str] | None,
        options.option(
            "--unbalance",
            "BODY=KGM[@DEG]",
            "Excite by a rotating unbalance: body or node, mass times eccentricity, phase; repeatable.",
        ),
    ] = None,
    axis: Annotated[
        str | None, options.option("--axis", "X,Y,Z", "Axis of the unbalance; default: of the spin.")
    ] = None,
    speed: Annotated[
        str | None, options.option("--speed", "PARAMETER", "Parameter of the spin; it follows the frequency.")
    ] = None,
    over: Annotated[
        str | None,
        options.option("--over", "NAME=A,B,C or NAME=FROM:TO:N", "At every value of a parameter: a map of responses."),
    ] = None,
    workers: options.Workers = None,
    scheduler: options.Scheduler = None,
    store: options.Store = None,
    damping: options.Damping = None,
    route: options.Route = None,
    solver: options.Solver = None,
    kind: Annotated[str, typer.Option("--kind", metavar="bode|nyquist", help="Diagram of --plot.")] = "bode",
    json: options.Json = False,
    out: options.Out = None,
    plot: options.Plot = None,
    quiet: options.Quiet = False,
) -> None:
    """Frequency response: any input to any output.

    Complex amplitude of each output for a unit cosine at each input, over frequency, with the resonance peaks located.
    Instead of a force, the motion of a base (--base) or a rotating unbalance (--unbalance) can excite.

    \b
    Examples:
      eigenbody frf car.yaml --input push --output "heave''" --plot car.png
      eigenbody frf car.yaml --input heave --output heave --from 0.1 --to 50 --points 2000
      eigenbody frf car.yaml --base road --at 1 --at 2.5 --json
      eigenbody frf rotor.yaml --unbalance disc=1e-4 --speed speed --from 1 --to 100
      eigenbody frf rotor.yaml --unbalance one=1e-4 --unbalance two=2e-4@90 --speed speed
      eigenbody frf car.yaml --damping structural:0.03
      eigenbody frf tree.json --route topology --input j9 --output j1
      eigenbody frf tree.json --input j9 --output j1 --method modal --modes 30 -o tree.npz
      eigenbody frf rotor.yaml --over "speed=0:400 rad/s:41" --from 1 --to 100 --plot map.png

    \b
    JSON: {"model", "inputs", "outputs", "units": {"inputs", "outputs"}, "method",
           "frequency_hz": [...], "real", "imag", "magnitude", "phase_deg",
           "peaks": [{"input", "output", "frequency_hz", "magnitude"}],
           "poles": [{"frequency_hz", "mode", "inputs", "outputs"}],
           "notes", "warnings", "certificate"}
      real, imag, magnitude, phase_deg are indexed [frequency][output][input]; the
      phase is unwrapped. null: infinite, exactly on an undamped mode ("poles" names it).
    With --over: {"model", "parameter", "values", "inputs", "outputs", "units",
      "frequency_hz", "real", "imag", "magnitude", "failed", "notes"}, indexed
      [value][frequency][output][input]; the same frequencies at every value.

    \b
    Files: .csv has a line for each frequency; .json the document above; .npz and .mat
      hold frequency_hz, response (complex), magnitude, phase_deg, each (frequencies,
      outputs, inputs), peaks (frequency, magnitude) and the names and units.
    """
    _checked(kind, at, (start, stop, points), unbalance, axis)
    goal = delivery.Delivery("analyses.frequency.look", model, json, out, plot, quiet)
    turning = [_unbalance(text, axis) for text in unbalance] if unbalance else None
    for option, given in (("--workers", workers), ("--scheduler", scheduler), ("--store", store)):
        if given is not None and over is None:
            raise InputError(Fault(option, "one response is found by one process, at once.", "Give --over too."))
    mechanism = session.load(model, set_)
    from eigenbody.analyses.frequency.find import frf as response_of

    with session.places_of(mechanism, **PLACES):
        wanted: Any = at if at else None if (start, stop, points) == (None, None, None) else (start, stop, points)
        if over is not None:
            from eigenbody.analyses.frequency.map import frf_map

            name, values = _over(mechanism, over)
            with session.client_of(scheduler) as client, session.kept_in(store):
                found = frf_map(
                    mechanism, name, values, input_, output, wanted, workers, client, store, method=method,
                    modes=modes, residual=residual, spacing="log" if log else "linear", base=base,
                    base_order=base_order, unbalance=turning, solver=solver, damping=damping, route=route,
                )  # fmt: skip
            goal.deliver(found)
            return
        result = response_of(
            mechanism, input_, output, wanted, method=method, modes=modes, residual=residual, refine=refine,
            spacing="log" if log else "linear", base=base, base_order=base_order, unbalance=turning,
            speed_parameter=speed, solver=solver, damping=damping, route=route,
        )  # fmt: skip
    from eigenbody.analyses.frequency.look import require_known

    require_known(result)
    goal.deliver(result, result.linear.point.warnings, figure=lambda: result.plot(kind))


def _over(mechanism: InertModel, text: str) -> tuple[str, Any]:
    """`speed=0:40 rad/s:21` or `speed=1,2,3` as the name of a parameter and its values."""
    from eigenbody.analyses.sweep import path_of

    name, equals, values = (part.strip() for part in text.partition("="))
    ends = values.split(":")
    if not equals or len(ends) not in (1, 3) or (len(ends) == 3 and not ends[2].strip().isdigit()):
        raise InputError(Fault("--over", f'"{text}" is no range.', 'For example: --over "speed=0:400 rad/s:41".'))
    if len(ends) == 3:
        return name, session.swept_values(mechanism, name, ends[0].strip(), ends[1].strip(), int(ends[2]), None)
    return name, path_of(mechanism, name, [value.strip() for value in values.split(",")]).values[name]


def _checked(
    kind: str, at: list[float] | None, span: tuple[Any, ...], unbalance: list[str] | None, axis: str | None
) -> None:
    faults = []
    if kind not in ("bode", "nyquist"):
        faults.append(Fault("--kind", f'"{kind}" is not known.', "Use bode or nyquist."))
    if at and span != (None, None, None):
        faults.append(Fault("--at", "single frequencies and a range were both given.", "Give one of them."))
    if axis is not None and not unbalance:
        faults.append(Fault("--axis", "only an unbalance has an axis.", "Give --unbalance BODY=KGM too."))
    if faults:
        raise InputError(faults)


def _unbalance(text: str, axis: str | None) -> dict[str, Any]:
    """`disc=1e-4@90` and `0,0,1` as the library takes them."""
    body, _, size = (part.strip() for part in text.rpartition("="))
    moment, at, phase = (part.strip() for part in size.partition("@"))
    if not body or not all(session.NUMBER.fullmatch(part) for part in (moment, phase if at else "0")):
        what = "an unbalance is written BODY=KGM or BODY=KGM@DEG, mass times eccentricity in kg m."
        raise InputError(Fault(f"--unbalance {text}", what, "For example: --unbalance disc=1e-4."))
    given: dict[str, Any] = {"body": body, "moment": float(moment), "phase": math.radians(float(phase or 0))}
    if axis is not None:
        parts = [part.strip() for part in axis.split(",")]
        if len(parts) != 3 or not all(session.NUMBER.fullmatch(part) for part in parts):
            raise InputError(Fault(f"--axis {axis}", "an axis is three numbers.", "For example: --axis 0,0,1."))
        given["axis"] = [float(part) for part in parts]
    return given
