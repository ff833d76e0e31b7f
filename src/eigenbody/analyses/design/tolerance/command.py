"""`eigenbody tolerance`."""

from __future__ import annotations

from typing import Annotated

import typer

from eigenbody.base.errors import Fault, InputError
from eigenbody.cli import delivery, options, session

PLACES = {
    "vary": "--vary", "samples": "--samples", "distribution": "--distribution", "workers": "--workers",
    "store": "--store",    "inputs": "--peak", "outputs": "--peak", "peaks": "--peak",
}  # fmt: skip


def tolerance(
    model: options.ModelPath,
    set_: options.Set = None,
    vary: Annotated[
        list[str] | None,
        options.option(
            "--vary", "NAME=WIDTH", "A parameter or path with its tolerance: k=5% or bodies.rotor.mass=0.1; repeatable."
        ),
    ] = None,
    samples: Annotated[int | None, options.option("--samples", "N", "Monte Carlo with so many variants.")] = None,
    seed: Annotated[int, typer.Option("--seed", metavar="N", help="Of the random numbers.")] = 1,
    distribution: Annotated[
        str,
        typer.Option(
            "--distribution", metavar="uniform|normal", help="Within the tolerance, or two standard deviations."
        ),
    ] = "uniform",
    peak: Annotated[
        list[str] | None,
        options.option(
            "--peak", "INPUT:OUTPUT:FROM:TO", "Also the highest response in a band of frequencies (Hz); repeatable."
        ),
    ] = None,
    workers: options.Workers = None,
    scheduler: options.Scheduler = None,
    store: options.Store = None,
    json: options.Json = False,
    out: options.Out = None,
    plot: options.Plot = None,
    quiet: options.Quiet = False,
) -> None:
    """Tolerance bands of frequencies, damping, response peaks.

    First order from exact derivatives, or Monte Carlo (--samples): the same numbers for the same seed.

    \b
    Examples:
      eigenbody tolerance absorber.yaml --vary k=5% --vary c=10%
      eigenbody tolerance absorber.yaml --vary k=5% --samples 2000 --plot bands.png
      eigenbody tolerance absorber.yaml --vary bodies.machine.mass=0.02 \\
                          --peak push:y:0.05:0.5 --samples 5000 --json

    Monte Carlo by several processes (--workers) or a cluster (--scheduler) gives the same numbers. With --store the
    variants are kept as they come: stopped or killed, the same command goes on where it was.

    \b
    JSON: {"model", "method", "distribution", "samples", "failed", "seed",
           "varied": [{"name", "value", "tolerance"}],
           "bands": [{"what", "unit", "nominal", "lower", "upper", "deviation",
                      "percentiles", "shares"}], "notes"}
      lower, upper  first order: every number at the worse end of its tolerance;
                    Monte Carlo: 0.5 and 99.5 percentiles
      deviation     standard deviation
      shares        first order: part of the variance that each number brings

    \b
    Files: .csv has a line for each band; .json the document above; .npz and .mat hold
      what, nominal, lower, upper, deviation and with Monte Carlo samples (n, bands).
    """
    goal = delivery.Delivery("analyses.design.tolerance.look", model, json, out, plot, quiet)
    widths = _widths(vary)
    bands = [_peak(text) for text in peak or ()]
    mechanism = session.load(model, set_)
    from eigenbody.analyses.design.tolerance.find import tolerance as tolerance_of

    with session.client_of(scheduler) as client, session.going_on_from(store), session.places_of(mechanism, **PLACES):
        result = tolerance_of(
            mechanism, widths, "first-order" if samples is None else "monte-carlo",
            samples=2000 if samples is None else samples, seed=seed, distribution=distribution, peaks=bands,
            workers=workers, client=client, store=store,
        )  # fmt: skip
    goal.deliver(result)


def _widths(vary: list[str] | None) -> dict[str, str | float]:
    widths: dict[str, str | float] = {}
    for text in vary or ():
        name, equals, width = (part.strip() for part in text.rpartition("="))
        if not name or not equals or not width:
            remedy = "For example: --vary k=5% or --vary bodies.rotor.mass=0.1."
            raise InputError(Fault(f"--vary {text}", "a tolerance is written NAME=WIDTH.", remedy))
        widths[name] = width
    return widths


def _peak(text: str) -> tuple[str, str, float, float]:
    parts = [part.strip() for part in text.split(":")]
    numbers = all(session.NUMBER.fullmatch(part) for part in parts[2:])
    if len(parts) != 4 or not numbers:
        remedy = "For example: --peak push:y:1:50."
        raise InputError(Fault(f"--peak {text}", "a peak is written INPUT:OUTPUT:FROM:TO.", remedy))
    return parts[0], parts[1], float(parts[2]), float(parts[3])
