"""`eigenbody reduce`."""

from __future__ import annotations

from typing import Annotated

import typer

from eigenbody.base.errors import Fault, InputError
from eigenbody.cli import delivery, options, session

METHODS = ("balanced", "second-order", "modal")


def reduce(
    model: options.ModelPath,
    set_: options.Set = None,
    n: Annotated[
        int | None,
        options.option("--n", "COUNT", "States to keep; second-order: degrees of freedom; modal: modes.", min=1),
    ] = None,
    error: Annotated[
        float | None,
        options.option("--error", "PART", "Balanced: keep as many states as this error needs (default 0.001)."),
    ] = None,
    method: Annotated[
        str, options.option("--method", "NAME", "balanced, second-order (M, C, K stay such) or modal.")
    ] = "balanced",
    dynamic: Annotated[
        bool, typer.Option("--no-static", help="Do not keep the gain at zero frequency: exact at high ones instead.")
    ] = False,
    json: options.Json = False,
    out: options.Out = None,
    plot: options.Plot = None,
    quiet: options.Quiet = False,
) -> None:
    """A small model with the same inputs and outputs.

    Balanced truncation drops the states that inputs reach least and outputs see least, and says how far any gain can be
    off at any frequency, in parts of the largest gain of its output: twice the sum of the Hankel singular values that
    were dropped. What does not decay is kept.

    \b
    Examples:
      eigenbody reduce car.yaml --error 0.01
      eigenbody reduce car.yaml --n 4 -o small.fmu
      eigenbody reduce frame.yaml --method second-order --n 6 -o small.mat
      eigenbody reduce frame.yaml --method modal --n 10 --plot modal.png

    \b
    JSON: {"model", "method", "states", "inputs", "outputs", "A", "B", "C", "D", "mass",
           "damping", "stiffness", "hankel", "kept": [{"real", "imag"}], "bound", "error",
           "error_hz", "gains", "static", "relative"}
      hankel        Hankel singular values of what decays, the largest first
      gains         (outputs, inputs) at most the largest gain of each output: hankel, bound
                    and error are of gains divided by these
      kept          eigenvalues of what does not decay
      bound         of the error of every gain at any frequency; null for second-order
      error         largest singular value of the difference over all frequencies, at error_hz
      mass, damping, stiffness: of second-order reduction, else null
      With --method modal: "eigenvalues", "first_dropped_hz", "static_correction" instead.

    \b
    Files: .npz, .mat and .nc hold the matrices, T (states by reduced states) and names;
      .csv the matrices below each other; .json the document; .fmu (FMI 2.0), .fmi3.fmu and
      .mo (Modelica) the reduced model for other programs.
    """
    if method not in METHODS:
        from eigenbody.base.errors import suggest

        raise InputError(Fault("--method", f'there is no reduction "{method}".', suggest(method, METHODS)))
    look = "analyses.modes.look.truncated" if method == "modal" else "analyses.reduce.look"
    goal = delivery.Delivery(look, model, json, out, plot, quiet)
    mechanism = session.load(model, set_)
    with session.places_of(mechanism, n="--n", tolerance="--error", method="--method"):
        if method == "modal":
            from eigenbody import truncate

            if n is None:
                raise InputError(Fault("--n", "modal truncation needs a number of modes.", "For example --n 10."))
            shorter = truncate(mechanism, n, static_correction=not dynamic)
            goal.deliver(shorter, shorter.linear.point.warnings)
            return
        from eigenbody.analyses.reduce import reduce as reduced

        found = reduced(mechanism, n, error, method, not dynamic)
    goal.deliver(found, found.linear.point.warnings)
