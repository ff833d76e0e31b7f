"""`eigenbody identify`."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

import typer

from eigenbody.base.errors import Fault, InputError
from eigenbody.cli import delivery, options, session, waiting


def identify(
    data: Annotated[
        str,
        typer.Argument(
            metavar="DATA", help="Histories or frequency responses: .csv, .npz, .uff or .unv.", show_default=False
        ),
    ],
    inputs: Annotated[
        str | None, options.option("--inputs", "NAMES", "Signals that are known excitations: push,shake.")
    ] = None,
    outputs: Annotated[str | None, options.option("--outputs", "NAMES", "Signals that are used; default: all.")] = None,
    order: Annotated[
        int | None, options.option("--order", "COUNT", "Highest order: 40 states of histories, 20 powers.", min=4)
    ] = None,
    band: Annotated[str | None, options.option("--band", "LOW,HIGH", "Only modes between these, in Hz.")] = None,
    json: options.Json = False,
    out: options.Out = None,
    plot: options.Plot = None,
    quiet: options.Quiet = False,
) -> None:
    """Modes of measured or simulated data.

    Histories with known inputs, free decay and ambient vibration by subspace identification; frequency responses by
    poly-reference least squares. Poles that stay while the order grows are modes, what comes and goes is spurious.

    \b
    Examples:
      eigenbody identify bench.csv --inputs hammer --plot stabilization.png
      eigenbody identify bench.uff --band 2,40
      eigenbody response car.yaml --step push -o run.csv && eigenbody identify run.csv --inputs push

    \b
    JSON: {"data", "method", "outputs", "inputs",
           "modes": [{"index", "real", "imag", "frequency_hz", "damping_ratio",
                      "frequency_deviation_hz", "damping_deviation", "share",
                      "shape": {"real", "imag"}}],
           "spurious": [{"real", "imag"}],
           "poles": [{"order", "real", "imag", "status", "mode"}], "notes"}
      share      in how many orders, since it first came up, the mode was found again
      status     new, frequency, damping or stable: up to which a pole agrees with the
                 order before; mode is the number of its mode, null for none

    \b
    Files read: .csv with titles, first column t or frequency_hz ("y / u real" and "y / u
      imag" for responses); .npz as `response` and `frf` write it; universal files with
      functions (dataset 58; needs eigenbody[uff]).
    Files written: .csv a line for each mode; .npz, .mat, .nc the modes and all poles; .json.
    """
    goal = delivery.Delivery("analyses.identify.look", data, json, out, plot, quiet)
    limits = _limits(band)
    from eigenbody.analyses.identify import identify as identified

    pushed, seen = session.names_in(inputs, "--inputs"), session.names_in(outputs, "--outputs")
    places = {"inputs": "--inputs", "outputs": "--outputs", "order": "--order", "band_hz": "--band"}
    try:
        with waiting.shown():
            found = identified(data, pushed, seen, order, limits)
    except InputError as error:
        raise InputError(
            replace(fault, where=places.get(fault.where, fault.where)) for fault in error.faults
        ) from error
    goal.deliver(found)


def _limits(band: str | None) -> tuple[float, float] | None:
    if band is None:
        return None
    try:
        low, high = (float(part) for part in band.split(","))
    except ValueError as problem:
        raise InputError(
            Fault("--band", "two frequencies in Hz are expected.", "For example --band 2,40.")
        ) from problem
    return low, high
