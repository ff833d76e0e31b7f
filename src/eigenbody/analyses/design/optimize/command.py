"""`eigenbody optimize`."""

from __future__ import annotations

from typing import Annotated

import typer

from eigenbody.cli import delivery, options, session

Out = Annotated[
    str | None,
    options.option("--out -o", "FILE", "Also write the result: .yaml the changed model; .json, .csv, .npz or .mat."),
]


def optimize(
    model: options.ModelPath,
    problem: Annotated[
        str | None,
        typer.Argument(
            metavar="[PROBLEM]",
            help="Problem file (YAML or JSON): variables, objective, constraints;"
            " by default the model's own section `optimization`.",
            show_default=False,
        ),
    ] = None,
    set_: options.Set = None,
    workers: Annotated[
        int | None, options.option("--workers", "N", "Processes that share several starts; the same result.")
    ] = None,
    scheduler: options.Scheduler = None,
    store: options.Store = None,
    json: options.Json = False,
    out: Out = None,
    plot: options.Plot = None,
    quiet: options.Quiet = False,
) -> None:
    """Best values of parameters: frequencies, damping, peaks, mass.

    Minimizes or maximizes what the problem file asks for, within ranges and constraints, with exact gradients. Modes
    are followed by their shapes. Ctrl-C ends the search with the best design so far.

    \b
    A problem, in a file or as the model's section `optimization`:
      variables:
        k: {from: 100, to: 1e4, scale: log}      a parameter; start: as in the model
        bodies.rotor.mass: {from: 1, to: 5}      any number by path
      objective:
        minimize: {frf_peak: {input: push, output: y, from: 1, to: 50}}
      constraints:
        - {frequency: {mode: 1}, min: 5, max: 8}
        - {frequency: {near: 20 Hz}, equals: 22}
        - {frequencies_outside: [9, 11]}
        - {linear: {k: 1, c: -10}, max: 0}
      starts: 20                                  search the ranges, improve the best
    Quantities: frequency, damping_ratio, real_part (mode: 1, [1, 2] or all; near: HZ;
      order: 1), frf_peak, frf (at), rms (density of white noise), mass, parameter,
      linear; in constraints also frequencies_within, frequencies_outside.

    \b
    Examples:
      eigenbody optimize vibration_absorber.yaml problems/vibration_absorber.yaml
      eigenbody optimize platform.yaml problem.yaml --plot after.png -o better.yaml
      eigenbody optimize with_its_problem.yaml --json

    \b
    JSON: {"model", "success", "message", "objective": {"what", "unit", "before", "after"},
           "variables": [{"name", "before", "after", "lower", "upper", "at_bound"}],
           "constraints": [{"what", "unit", "before", "after", "min", "max", "equals",
                            "holds", "active"}],
           "modes_before", "modes_after", "iterations", "evaluations", "optimality",
           "notes"}
      optimality  share of the objective that a step of 1 % of the ranges still promises
      success     false where no design keeps all constraints; the message says how near
                  it came (exit code 3)
    """
    goal = delivery.Delivery("analyses.design.optimize.look", model, json, out, plot, quiet)
    mechanism = session.load(model, set_)
    from eigenbody.analyses.design.optimize.find import optimize as optimized
    from eigenbody.base.errors import ComputationError

    places = {"workers": "--workers", "store": "--store"}
    with session.client_of(scheduler) as client, session.kept_in(store), session.places_of(mechanism, **places):
        result = optimized(mechanism, problem, workers=workers, client=client, store=store)
    goal.deliver(result)
    if not result.success:
        raise ComputationError(result.message)
