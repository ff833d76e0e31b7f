"""`eigenbody sensitivity`."""

from __future__ import annotations

from typing import Annotated

from eigenbody.base.errors import Fault, InputError
from eigenbody.cli import delivery, options, session


def sensitivity(
    model: options.ModelPath,
    parameter: Annotated[
        list[str] | None,
        options.option(
            "--parameter -p",
            "NAME",
            "A parameter, or any number of the model by path: bodies.rotor.mass, joints.b.at[2]; repeatable.",
        ),
    ] = None,
    n: Annotated[int | None, options.option("--n", "COUNT", "That many modes, lowest first.", min=1)] = None,
    mode: Annotated[int | None, options.option("--mode", "INDEX", "Show this mode alone.", min=1)] = None,
    route: options.Route = None,
    solver: options.Solver = None,
    set_: options.Set = None,
    json: options.Json = False,
    out: options.Out = None,
    plot: options.Plot = None,
    quiet: options.Quiet = False,
) -> None:
    """Which number moves which mode, and how far.

    Exact derivatives of every eigenvalue, frequency and damping ratio, the shift of the
    operating point included. Without --parameter all parameters of the model, or where it
    has none its masses, stiffnesses and dampings.

    \b
    Examples:
      eigenbody sensitivity rotor.yaml
      eigenbody sensitivity rotor.yaml -p speed -p bodies.rotor.mass --n 6
      eigenbody sensitivity rotor.yaml -p "joints.spin.at[2]" --json
      eigenbody sensitivity rotor.yaml --plot tornado.png
      eigenbody sensitivity ladder.yaml --route topology -p joints.rung_1 -p bodies

    \b
    JSON: {"model", "parameters": [{"name", "value"}], "exact", "certificate", "notes",
           "modes": [{"index", "real", "imag", "frequency_hz", "damping_ratio", "kind",
                      "note", "ranking",
                      "derivatives": {name: {"real", "imag", "frequency_hz",
                                             "damping_ratio", "relative_frequency"}}}]}
      real, imag          derivative of the eigenvalue, per SI unit of the number
      relative_frequency  d ln f / d ln p; null for numbers that are zero and rigid modes
      note                repeated or defective eigenvalues: what their slopes mean
      exact               false where the operating point's shift needed differences, and with
                          --route topology where it or geometric stiffness is neglected
      With --route topology numbers are joints.A.at[0] (place, m), joints.A.turn[0]
      (about a global axis, rad), the same of bushings, bodies.B.mass, bodies.B.inertia[0],
      forces.F.k, forces.F.c; -p names one or the beginning of several; default: joints.

    \b
    Files: .csv has a line for each mode and number; .json the document above; .npz and
      .mat hold d_eigenvalues (numbers, modes), and the derivatives of the matrices.
    """
    goal = delivery.Delivery("analyses.sensitivity.look", model, json, out, plot, quiet)
    mechanism = session.load(model, set_)
    from eigenbody.analyses.sensitivity.find import sensitivity as sensitivity_of

    with session.places_of(mechanism, solver="--solver", parameters="--parameter", route="--route"):
        result = sensitivity_of(mechanism, parameter, n=n, solver=solver, route=route)
    if mode is not None and mode > len(result.modes):
        raise InputError(Fault("--mode", f"there are {len(result.modes)} modes.", "Choose one of them."))
    goal.deliver(
        result,
        result.modes.linear.point.warnings,
        sheet=lambda: result.sheet(mode),
        figure=lambda: result.plot(mode),
    )
