"""`eigenbody floquet`."""

from __future__ import annotations

from typing import Annotated

from eigenbody.base.errors import Fault, InputError
from eigenbody.cli import delivery, options, session


def floquet(
    model: options.ModelPath,
    period: Annotated[
        str | None,
        options.option(
            "--period", "T", 'Period: "20 ms", "=2*pi/w", or free: a cycle. Default the model\'s, or a turn.'
        ),
    ] = None,
    guess: Annotated[str | None, options.option("--guess", "T", "First guess of the period of a cycle.")] = None,
    settle: Annotated[str | None, options.option("--settle", "T", "Time to run before the search begins.")] = None,
    sensitivity: Annotated[
        list[str] | None,
        options.option("--sensitivity", "NAME", "Also slopes of the exponents by this number; may be repeated."),
    ] = None,
    parameter: options.Parameter = None,
    start: options.From = None,
    stop: options.To = None,
    points: options.Points = 41,
    values: options.Values = None,
    workers: options.Workers = None,
    scheduler: options.Scheduler = None,
    store: options.Store = None,
    set_: options.Set = None,
    json: options.Json = False,
    out: options.Out = None,
    plot: options.Plot = None,
    quiet: options.Quiet = False,
) -> None:
    """Stability of a periodic motion by Floquet's theory.

    The motion is found from the initial state: prescribed, forced, or a limit cycle (--period free). The multipliers
    tell what a small deviation becomes after a period. Over a parameter, boundaries of stability are bisected.

    \b
    Examples:
      eigenbody floquet helicopter.yaml
      eigenbody floquet swing.yaml --period "=pi" --plot swing.png
      eigenbody floquet wheelset.yaml --period free --settle "20 s"
      eigenbody floquet rotor.yaml --parameter speed --from 10 --to 40 --points 61
      eigenbody floquet rotor.yaml --sensitivity kx --sensitivity bodies.hub.mass

    \b
    JSON: {"model", "period", "cycle", "states", "stability",
           "multipliers": [[re, im]], "exponents": [[re, im]],
           "modes": [{"index", "multiplier", "real", "imag", "frequency_hz",
                      "damped_frequency_hz", "damping_ratio", "stability", "error",
                      "harmonics": [{"order", "frequency_hz", "share"}]}],
           "certificate": {"orbit", "drift", "tangent_error", "determinant",
                           "convergence", "times"}, "notes", "warnings"}
      exponents      1/s, with the frequency of the strongest harmonic; null where the
                     multiplier is too small to be resolved
      stability      stable, marginal, drifting or unstable; of a mode also orbit: the
                     motion of a cycle along itself
      orbit          how far the motion does not close, relative to its size
      determinant    log|det| of the transition against the integral of the trace of A
      convergence    change of the transition in the last refinement of the times
    With --sensitivity: "sensitivity": [{"name", "value", "period", "multipliers",
      "exponents"}], slopes per unit of each number in the order above; null where a
      multiplier is 1 or comes in a chain.
    With --parameter: {"model", "parameter", "values", "period", "exponents", "growth",
      "stability", "stability_boundaries": [{"value", "between", "begins",
      "frequency_hz"}], "failed", "certificate", "notes"}

    \b
    Files: .csv has a line for each exponent (for each value, with --parameter); .json
      the document above; .npz and .mat hold the arrays.
    """
    goal = delivery.Delivery("analyses.floquet.look", model, json, out, plot, quiet)
    if sensitivity and parameter is not None:
        what = "sensitivities are those at one value."
        raise InputError(Fault("--sensitivity", what, "Leave out --parameter, or set it by --set."))
    for option, given in (("--workers", workers), ("--scheduler", scheduler), ("--store", store)):
        if given is not None and parameter is None:
            raise InputError(
                Fault(option, "one value is found by one process, at once.", "Give --parameter, or leave it out.")
            )
    mechanism = session.load(model, set_)
    with session.places_of(
        mechanism, parameter="--parameter", values="--values" if values else "--from, --to", period="--period"
    ):  # fmt: skip
        from eigenbody.analyses.floquet import floquet_of_model, floquet_sweep

        times = {name: _plain(text) for name, text in (("period", period), ("guess", guess), ("settle", settle))}
        if parameter is None:
            goal.deliver(floquet_of_model(mechanism, times, sensitivity=sensitivity or ()))
        else:
            grid = session.swept_values(mechanism, parameter, start, stop, points, values)
            with session.client_of(scheduler) as client, session.kept_in(store), session.partly_delivered(goal):
                found = floquet_sweep(mechanism, parameter, grid, **times, workers=workers, client=client, store=store)
                goal.deliver(found)


def _plain(text: str | None) -> float | str | None:
    """A plain number as one; the model reads the rest: quantities, expressions, the word free."""
    return float(text) if text is not None and session.NUMBER.fullmatch(text) else text
