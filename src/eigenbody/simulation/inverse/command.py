"""`eigenbody inverse`."""

from __future__ import annotations

from typing import Annotated

import typer

from eigenbody.base.errors import Fault, InputError
from eigenbody.cli import delivery, options, session


def inverse(
    model: options.ModelPath,
    until: options.Until = None,
    points: options.Times = 101,
    motion: Annotated[
        list[str] | None, options.option("--motion", "MEASURE=LAW", "Prescribed motion; repeatable.")
    ] = None,
    hold: Annotated[
        list[str] | None, options.option("--hold", "BODY", "Body held where it starts; repeatable.")
    ] = None,
    tolerance: Annotated[
        float, typer.Option("--tolerance", metavar="TOL", help="Relative error of a step where coordinates are free.")
    ] = 1e-12,
    max_steps: options.MaxSteps = None,
    method: options.Method = None,
    set_: options.Set = None,
    json: options.Json = False,
    out: options.Out = None,
    plot: options.Plot = None,
    quiet: options.Quiet = False,
) -> None:
    """Forces that a given motion needs.

    Motions and drivers of the model count, and those given. Coordinates that nothing prescribes are free and move
    under the forces of the model. What was computed is written to --out even when the motion cannot be continued or
    is interrupted (Ctrl-C).

    \b
    Laws:
      cycloid(start, end, duration[, begin])        rests before and after
      polynomial345(start, end, duration[, begin])  the same with a polynomial
      harmonic(mean, amplitude, period[, phase])
      30 deg                                        a constant
      =expression of t and parameters

    \b
    Examples:
      eigenbody inverse arm.yaml --until 2 --motion "elbow=cycloid(0, 90 deg, 2 s)"
      eigenbody inverse arm.yaml --until 2 --hold base -o forces.csv
      eigenbody inverse arm.yaml --until 2 --motion "elbow=cycloid(0, 90 deg, 2 s)" --method kane

    \b
    JSON: {"model", "t": [...],
           "driven": [{"coordinate", "unit", "value", "rate", "acceleration", "force",
                       "indeterminate"}],
           "moments": [{"joint", "moment": [[x, y, z], ...]}],
           "held": [{"body", "force": [[x, y, z], ...], "moment", "indeterminate"}],
           "free", "measures": {"name": [...]}, "warnings"}
      force    along the coordinate, positive increases it
      moments  of ball joints driven in all three rotations: of the first body on
               the second, joint axes
      held     force and moment on the body at its centre of mass (or the marker
               named), ground axes
    """
    end = session.end_of(until, "motion")
    goal = delivery.Delivery("simulation.inverse.look", model, json, out, plot, quiet)
    laws = session.laws(motion or (), '"elbow=cycloid(0, 90 deg, 2 s)"')
    mechanism = session.load(model, set_)
    from eigenbody.simulation.inverse import inverse as forces_of
    from eigenbody.simulation.result import SimulationError, SimulationInterrupted

    try:
        places = {name: f"--{name.replace('_', '-')}" for name in ("until", "tolerance", "max_steps", "method")}
        with session.places_of(mechanism, **places):
            result = forces_of(
                mechanism, laws, until=end, points=points, holds=hold or (), tolerance=tolerance, max_steps=max_steps,
                method=method,
            )  # fmt: skip
    except (SimulationError, SimulationInterrupted) as stopped:
        goal.write(stopped.partial)
        raise
    if not result.coordinates and not result.held:
        raise InputError(Fault("inverse", "no motion is prescribed and no body is held.", "Give --motion or --hold."))
    goal.deliver(result, result.warnings)
