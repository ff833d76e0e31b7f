"""`eigenbody campbell`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, cast

import typer

from eigenbody.base.errors import Fault, InputError
from eigenbody.cli import delivery, options, session

if TYPE_CHECKING:
    from eigenbody.analyses.sweep.campbell import Campbell
    from eigenbody.model.model import InertModel


def campbell(
    model: options.ModelPath,
    parameter: options.Parameter = None,
    start: options.From = None,
    stop: options.To = None,
    points: options.Points = 41,
    values: options.Values = None,
    order: Annotated[
        list[float] | None,
        options.option("--order", "N", "Excitation per revolution; repeatable. Default 1, with --frame 0."),
    ] = None,
    joint: Annotated[
        str | None, options.option("--joint", "NAME", "Joint that excites; default the one that spins.")
    ] = None,
    frame: Annotated[
        str | None,
        options.option(
            "--frame", "NAME", "Measure in a rotating frame: one of the model's frames, or that of a spinning joint."
        ),
    ] = None,
    n: Annotated[int | None, options.option("--n", "COUNT", "Follow that many modes, lowest first.", min=1)] = None,
    locus: Annotated[bool, typer.Option("--locus", help="Draw the root locus, not the Campbell diagram.")] = False,
    floquet: Annotated[
        bool, typer.Option("--floquet", help="Exponents of the periodic motion at every value, by Floquet's theory.")
    ] = False,
    workers: Annotated[
        int | None, options.option("--workers", "N", "Processes that share the points; by default one.")
    ] = None,
    scheduler: options.Scheduler = None,
    store: options.Store = None,
    signed: Annotated[bool, typer.Option("--signed", help="Draw backward whirl with negative frequencies.")] = False,
    drawn: Annotated[
        str | None, options.option("--modes", "3,5", "Draw these branches: 3,5 or 2-6, counted as in the table.")
    ] = None,
    set_: options.Set = None,
    json: options.Json = False,
    out: options.Out = None,
    plot: options.Plot = None,
    quiet: options.Quiet = False,
) -> None:
    """Modes over a speed or parameter, critical speeds.

    At every value: operating point, linearization, modes. Modes are followed as branches through crossings and
    veerings; critical speeds and stability boundaries are found as roots on the branches, not read off the grid. A
    point that fails is marked and the sweep goes on. The spin is read from the operating point, whatever the parameter.

    \b
    Examples:
      eigenbody campbell rotor.yaml --parameter speed --from 0 --to "1 Hz" --plot campbell.png
      eigenbody campbell rotor.yaml --parameter speed --to "200 rad/s" --order 1 --order 2
      eigenbody campbell rotor.yaml --parameter speed --to "1 Hz" --frame spin
      eigenbody campbell bicycle.yaml --parameter v --from 0 --to 10 --locus --plot locus.png
      eigenbody campbell blades.yaml --parameter speed --from 10 --to 40 --floquet
      eigenbody campbell car.yaml --parameter k --values "10 kN/m,20 kN/m,40 kN/m" --json

    \b
    JSON: {"model", "parameter", "unit", "values", "parameters", "added", "stability",
           "joint", "frame", "turning", "orders", "spin_rad_s",
           "branches": [{"index", "label", "whirl", "rigid", "real", "imag",
                         "frequency_hz", "damping_ratio"}],
           "critical_speeds": [{"branch", "order", "value", "spin_rad_s", "frequency_hz"}],
           "stability_boundaries": [{"branch", "kind", "begins", "value", "frequency_hz"}],
           "boundaries_sought": "between points", "at points" or "nowhere",
           "crossings": [{"kind", "value", "branches"}],
           "failed": [{"index", "value", "message"}], "notes"}
      values         in SI units; points added between those asked for are true in "added"
      real, imag     of the branch at every point, rad/s; null at a failed point
      frequency_hz   |imag| / 2 pi
      whirl          forward, backward, none or mixed; null where nothing spins
      kind           of a boundary: flutter or divergence; of a crossing: crossing,
                     veering, split (a pair becomes two real eigenvalues), joining (the
                     reverse), collision (two pairs become one) or doubt
      begins         whether growth begins or ends there, going along the values

    \b
    Files: .csv has a line for each point and branch; .json the document above; .npz and
      .mat hold values, spin_rad_s, eigenvalues (points, branches), frequency_hz,
      damping_ratio, labels, whirl, critical_values, boundary_values and more.
    """
    goal = delivery.Delivery("analyses.sweep.look", model, json, out, plot, quiet)
    if floquet and any((order, joint, frame, n, locus, signed, drawn)):
        what = "exponents of periodic motions are followed without orders, frames, a number of modes, locus or signs."
        raise InputError(Fault("--floquet", what, "Leave these options out."))
    if drawn is not None and plot is None:
        raise InputError(Fault("--modes", "nothing is drawn.", "Give the picture's file too: --plot speeds.png."))
    numbers = session.numbers_in(drawn, "--modes")

    def deliver(found: Campbell) -> None:
        with session.places_of(mechanism, modes="--modes"):
            found.numbered(numbers)
        goal.deliver(found, figure=lambda: found.locus(numbers) if locus else found.plot(signed, numbers))

    mechanism = session.load(model, set_)
    from eigenbody.analyses.sweep.campbell import campbell as campbell_of
    from eigenbody.analyses.sweep.follow import SweepInterrupted

    with session.places_of(
        mechanism, parameter="--parameter", values="--values" if values else "--from, --to", per_rev="--order",
        frame="--frame", joint="--joint", n="--n", workers="--workers", store="--store",
    ), session.client_of(scheduler) as client, session.kept_in(store):  # fmt: skip
        name = _parameter(mechanism, parameter)
        grid = session.swept_values(mechanism, name, start, stop, points, values)
        if floquet:
            from eigenbody.analyses.floquet import floquet_sweep

            with session.partly_delivered(goal):
                goal.deliver(floquet_sweep(mechanism, name, grid, workers=workers, client=client, store=store))
            return
        try:
            result = campbell_of(
                mechanism, name, grid, per_rev=order, frame=frame, joint=joint, n=n, workers=workers, client=client,
                store=store,
            )  # fmt: skip
        except SweepInterrupted as stopped:
            deliver(cast("Campbell", stopped.partial))
            raise
    deliver(result)


def _parameter(mechanism: InertModel, name: str | None) -> str:
    known = list(mechanism.document.get("parameters") or {})
    if name is not None:
        return name
    if not known:
        remedy = 'Add a section parameters, for example parameters: {speed: "1 Hz"}, and use it as "=speed".'
        raise InputError(Fault("parameters", "the model has no parameter to change.", remedy))
    raise InputError(Fault("--parameter", "no parameter is named.", f"Choose one of: {', '.join(known[:12])}."))
