"""`eigenbody equilibrium`."""

from __future__ import annotations

from typing import Annotated

import typer

from eigenbody.cli import delivery, options, session


def equilibrium(
    model: options.ModelPath,
    set_: options.Set = None,
    all_from: Annotated[int, options.option("--all-from", "N", "Search from N random starts too.", min=0)] = 0,
    nearest: Annotated[
        bool, typer.Option("--nearest", help="The nearest one, stable or not; the default is the nearest stable one.")
    ] = False,
    json: options.Json = False,
    out: options.Out = None,
    quiet: options.Quiet = False,
) -> None:
    """Static equilibrium, its stability and reactions.

    Starts from the initial state and finds the stable equilibrium nearest to it. Unstable ones passed on the way are
    listed; with --all-from all that are found from random starts are, stable or not. Prescribed motions and turning
    frames are held still at t = 0, inputs have their stated values.

    \b
    Examples:
      eigenbody equilibrium four_bar_with_spring.yaml
      eigenbody equilibrium four_bar_with_spring.yaml --all-from 20 --json
      eigenbody equilibrium crane.yaml --set "load=2 t" -o settled.csv

    \b
    JSON: {"model",
           "equilibria": [{"stable", "stability", "all_modes", "coordinates": {name: value},
                           "states", "bodies": {name: {"at": [x, y, z],
                                                       "rotation": [w, x, y, z]}},
                           "eigenvalues": [{"real", "imag"}], "distance", "residual",
                           "drift", "reactions": {"axes", "joints": [...], ...}}],
           "iterations", "how",
           "certificate": {"residual", "drift", "dof", "redundant", "tangent_error"},
           "warnings"}
      equilibria   the one asked for first, then those passed and the others
      stable       no motion grows (an undamped oscillation does not)
      stability    stable, marginal, drifting (a free motion) or unstable
      all_modes    false where only the softest motions were looked at (large models)
      bodies       centre of mass and rotation (quaternion) in ground axes
      distance     change of the coordinates since the start, rad and lengths of the
                   mechanism

    \b
    Files: .csv has a line for each coordinate; .json the document above; .npz and .mat
      hold coordinates, values (equilibria, coordinates), bodies, at, rotation,
      stability, distance, residual, states, states_value and eigenvalues of the first.
    """
    goal = delivery.Delivery("operating.equilibrium.look", model, json, out, None, quiet)
    mechanism = session.load(model, set_)
    from eigenbody.operating.equilibrium import equilibrium as equilibrium_of

    with session.places_of(mechanism):
        result = equilibrium_of(mechanism, which="nearest" if nearest else "stable", all_from=all_from)
    goal.deliver(result, result.point.warnings)
