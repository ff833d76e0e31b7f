"""`eigenbody fundamental`."""

from __future__ import annotations

from typing import Annotated

from eigenbody.base.errors import Fault, InputError
from eigenbody.cli import delivery, options, session


def fundamental(
    model: options.ModelPath,
    at: Annotated[list[float] | None, options.option("--at", "T", "This time in s; repeatable.")] = None,
    until: options.Until = None,
    points: options.Times = 101,
    method: Annotated[
        str, options.option("--method", "NAME", "pade (default), modal, series or cayley-hamilton.")
    ] = "pade",
    set_: options.Set = None,
    json: options.Json = False,
    out: options.Out = None,
    plot: options.Plot = None,
    quiet: options.Quiet = False,
) -> None:
    """Fundamental matrix Phi(t) of the linear equations.

    Every free motion is z(t) = Phi(t) z(0), Phi(t) = exp(A t), in the state [S, W, x]. At single times (--at) or at
    --points times from 0 on (--until), by one of four ways that are compared.

    \b
    Examples:
      eigenbody fundamental slider.yaml --at 1
      eigenbody fundamental slider.yaml --at 1 --at 2 --method cayley-hamilton --json
      eigenbody fundamental slider.yaml --until 10 --plot phi.png -o phi.npz

    \b
    JSON: {"model", "states", "method", "times": [...], "matrices": [[[...]]],
           "determinant": [...], "spread": {way: relative difference},
           "certificate", "notes", "warnings"}
      matrices     one for each time; column k is the motion from a unit of state k
      determinant  exp(t trace A), by Liouville

    \b
    Files: .csv has a line for each time and state; .json the document above; .npz and
      .mat hold times, matrices (times, states, states) and states.
    """
    goal = delivery.Delivery("analyses.fundamental.look", model, json, out, plot, quiet)
    if (at is None) == (until is None):
        what = "times are missing." if at is None else "single times and an end were both given."
        raise InputError(Fault("--at", what, "Give --at 1 or --until 10."))
    end = None if until is None else session.end_of(until, "motion")
    mechanism = session.load(model, set_)
    import numpy as np

    from eigenbody.analyses.fundamental import fundamental as matrix_of

    with session.places_of(mechanism, method="--method", times="--at", t="--at", A="--solver"):
        result = matrix_of(mechanism, (at or []) if end is None else np.linspace(0, end, points), method)
    goal.deliver(result, result.linear.point.warnings)
