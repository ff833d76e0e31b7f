"""`eigenbody verify`."""

from __future__ import annotations

from typing import Annotated, Any, NamedTuple

import typer

from eigenbody.base.errors import Fault, InputError
from eigenbody.cli import delivery, options, session
from eigenbody.cli.main import FAILED, UNCHECKED, say


class Crew(NamedTuple):
    """Who computes."""

    workers: int | None
    scheduler: str | None


def verify(
    model: options.ModelPath,
    more: Annotated[
        list[str] | None,
        typer.Argument(metavar="[MODEL ...]", help="More models: a line for each.", show_default=False),
    ] = None,
    route: Annotated[
        list[str] | None,
        options.option(
            "--route", "NAME", "Only this route: relative, kane, topology, difference, symbolic; repeatable."
        ),
    ] = None,
    set_: options.Set = None,
    workers: options.Workers = None,
    scheduler: options.Scheduler = None,
    json: options.Json = False,
    out: Annotated[str | None, options.option("--out -o", "FILE", "Also write the result: .json, .csv.")] = None,
    plot: options.Plot = None,
    quiet: options.Quiet = False,
) -> None:
    """The same eigenvalues by other formulations.

    Linearizes the model by every route that applies to it and compares all eigenvalues.
    All but `difference`, which differentiates the engine's own equations of motion, are
    independent of the engine. Exit code 0 only if some route could check the model and all that should agree do.

    \b
    Examples:
      eigenbody verify rotor.yaml
      eigenbody verify rotor.yaml --route relative --route symbolic
      eigenbody verify rotor.yaml --set "speed=1 Hz" --json
      eigenbody verify models/*.yaml --workers 4

    \b
    JSON: {"model", "verdict", "tolerance", "stability", "stability_decided",
           "engine": {"seconds", "eigenvalues": [{"real", "imag", "tolerance"}]},
           "routes": [{"name", "title", "source", "is_independent", "applies",
                       "reason", "seconds", "largest_difference", "agrees", "is_exact",
                       "notes", "eigenvalues": [{"real", "imag"}]}]}
      verdict             agree, disagree (exit code 3), or unchecked: no route applies,
                          each says which element it does not know (exit code 4)
      tolerance           of an eigenvalue: 1e-8 of its magnitude, or what rounding makes
                          of it by its condition number
      stability           of the engine; decided: its eigenvalues are on the same side of
                          the imaginary axis everywhere within their tolerances
      reason              why the route does not apply, or did not succeed; else null
      largest_difference  relative to the eigenvalue; of zeros to the largest one
      is_independent      false: it uses the engine's own equations (`difference`)
      is_exact            false: the route neglects a term, which its notes say; its
                          eigenvalues are shown but do not count
      eigenvalues         in the order of the engine's; null where the route gave none
    Of several models: {"verdict", "agree", "disagree", "unchecked", "failed" (how many),
      "models": [{"model", "verdict", "routes", "states", "largest_difference",
                  "stability", "reason"}]}; one that cannot be read or linearized is
      failed and counts as disagree, the others go on.
    """
    if more:
        _verify_many([model, *more], route, set_, Crew(workers, scheduler), json, out, plot, quiet)
        return
    for option, given in (("--workers", workers), ("--scheduler", scheduler)):
        if given is not None:
            raise InputError(Fault(option, "one model is checked by one process.", "Leave it out."))
    goal = delivery.Delivery("analyses.verify.look", model, json, out, plot, quiet)
    mechanism = session.load(model, set_)
    from eigenbody.analyses.verify.find import verify as verified

    with session.places_of(mechanism, route="--route"):
        result = verified(mechanism, route)
    goal.deliver(result, result.point.warnings)
    if result.verdict == "unchecked":
        say("nothing was checked: no route applies to this model; each says why.")
        raise typer.Exit(UNCHECKED)
    if result.verdict == "disagree":
        say("a route that should agree does not.")
        raise typer.Exit(FAILED)


def _verify_many(
    paths: list[str], routes: list[str] | None, set_: list[str] | None, crew: Crew, json: bool, out: str | None,
    plot: str | None, quiet: bool,
) -> None:  # fmt: skip
    if plot is not None:
        raise InputError(Fault("--plot", "several models have no common picture.", "Name one model."))
    goal = delivery.Delivery("analyses.verify.look.many", None, json, out, None, quiet)
    models: dict[str, Any] = {}
    for path in paths:
        try:
            models[path] = session.load(path, set_)
        except InputError:
            models[path] = path  # it is listed with what is wrong with it
    from eigenbody.analyses.verify.many import verify_many

    with session.client_of(crew.scheduler) as client:
        result = verify_many(models, routes, crew.workers, client)
    goal.deliver(result)
    if result.verdict != "agree":
        say("not every model was checked and agrees: the table says which.")
        raise typer.Exit(FAILED if result.verdict == "disagree" else UNCHECKED)
