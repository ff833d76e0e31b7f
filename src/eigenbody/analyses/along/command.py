"""`eigenbody along`."""

from __future__ import annotations

from typing import Annotated

from eigenbody.cli import delivery, options, session


def along(
    model: options.ModelPath,
    until: options.Until = None,
    points: options.Times = 101,
    motion: Annotated[
        list[str] | None, options.option("--motion", "MEASURE=LAW", "Prescribed reference motion; repeatable.")
    ] = None,
    coordinates: options.Coordinates = None,
    set_: options.Set = None,
    json: options.Json = False,
    out: options.Out = None,
    plot: options.Plot = None,
    quiet: options.Quiet = False,
) -> None:
    """Linear equations along a motion: M(t), C(t), K(t), h(t).

    The motion is simulated from the initial state, or prescribed for some measures. The transition matrix from its
    first time to its last tells how deviations grow; over a period it is the monodromy matrix.

    \b
    Examples:
      eigenbody along pendulum.yaml --until 2
      eigenbody along arm.yaml --until "500 ms" --motion "elbow==0.8*sin(3*t)" -o arm.npz

    \b
    JSON: {"model", "coordinates", "velocities", "states", "inputs", "is_solution",
           "t": [...], "M", "C", "K", "h", "A", "B", "transition",
           "certificate": {"drift", "tangent_error"}}
      M, C, K, h, A, B   one matrix (h: one vector) for each time, in the same
                         coordinates all along: M W' + C W + K S = h
      is_solution        whether the motion is one that the mechanism makes by itself;
                         else h is the force that is missing
      transition         of the whole linear state from the first time to the last

    \b
    Files: .npz and .mat hold the arrays over time; .json the document above.
    """
    end = session.end_of(until, "motion")
    goal = delivery.Delivery("analyses.along.look", model, json, out, plot, quiet)
    laws = session.laws(motion or (), '"elbow==0.8*sin(3*t)" or "elbow=0.1"')
    chosen = session.names_in(coordinates, "--coordinates")
    mechanism = session.load(model, set_)
    import numpy as np

    from eigenbody.analyses.along import AlongError
    from eigenbody.analyses.along import along as equations_along

    places = {"until": "--until", "coordinates": "--coordinates" if chosen else "", "motion": "--motion"}
    try:
        with session.places_of(mechanism, **places):
            result = equations_along(mechanism, np.linspace(0, end, points), chosen, laws or None)
    except AlongError as stopped:
        if stopped.partial is not None:
            goal.write(stopped.partial)
        raise
    needed = goal.json or (out is not None and out.endswith(".json"))
    transition = result.transition() if needed else None
    goal.deliver(result, document=lambda: result.document(transition))
