"""`eigenbody impulse`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import typer

from eigenbody.base.errors import Fault, InputError
from eigenbody.cli import delivery, options, session

THREE = '--impulse "100,0,0"'


def impulse(
    model: options.ModelPath,
    at: Annotated[
        list[str] | None, options.option("--at", "BODY", "Body or marker that is struck; repeatable.")
    ] = None,
    impulse: Annotated[
        list[str] | None, options.option("--impulse", "X,Y,Z", "Impulse in N*s on the last --at.")
    ] = None,
    angular: Annotated[list[str] | None, options.option("--angular", "X,Y,Z", "Angular impulse in N*m*s.")] = None,
    point: Annotated[list[str] | None, options.option("--point", "X,Y,Z", "Point of the body, as drawn.")] = None,
    body_axes: Annotated[bool, typer.Option("--body-axes", help="The components are in body axes.")] = False,
    along: Annotated[
        list[str] | None, options.option("--along", "MEASURE=VALUE", "Internal impulse; repeatable.")
    ] = None,
    angles: Annotated[str | None, options.option("--angles", "123", "Read ball joints as such angles.")] = None,
    axes: Annotated[
        str, typer.Option("--axes", metavar="joint|ground", help="Axes of the impulsive reactions.")
    ] = "joint",
    method: options.Method = None,
    set_: options.Set = None,
    json: options.Json = False,
    out: options.Out = None,
    plot: options.Plot = None,
    quiet: options.Quiet = False,
) -> None:
    """Jump of all velocities by a blow.

    The mechanism is struck at its operating point. With several --at, the first --impulse (--angular, --point) belongs
    to the first --at, the second to the second; write - to leave one out.

    \b
    Examples:
      eigenbody impulse arm.yaml --at hand --impulse "100,0,0"
      eigenbody impulse arm.yaml --at hand --impulse "2 lbf*s, 0, 0" --point 0,0,1
      eigenbody impulse arm.yaml --along elbow=0.5 --json
      eigenbody impulse arm.yaml --at base --impulse 1,0,0 --angles 123
      eigenbody impulse arm.yaml --at hand --impulse "100,0,0" --method kane

    \b
    JSON: {"model", "coordinates": [{"name", "before", "jump", "after"}],
           "bodies": [{"name", "velocity", "angular_velocity"}],
           "indeterminate": [{"coordinates", "vector", "reason"}],
           "reactions": {"axes", "joints": [{"joint", "force", "moment", ...}]},
           "before": {"kinetic_energy", "linear", "angular"}, "after": {...},
           "work", "balance", "notes"}
      jump            of least norm where a coordinate is indeterminate
      bodies          jumps in ground axes
      reactions       impulses in N*s and N*m*s of the first body on the second
    """
    blows = _blows(at or (), impulse or (), angular or (), point or (), body_axes, along or ())
    goal = delivery.Delivery("simulation.impulse.look", model, json, out, plot, quiet)
    mechanism = session.load(model, set_)
    from eigenbody.operating.impulse import impulse as strike

    with session.places_of(mechanism, angles="--angles", axes="--axes", method="--method"):
        result = strike(mechanism, blows, angles=angles, axes=axes, method=method)
    goal.deliver(result)


def _blows(
    at: Sequence[str],
    pushes: Sequence[str],
    turns: Sequence[str],
    points: Sequence[str],
    body_axes: bool,
    along: Sequence[str],
) -> list[dict[str, Any]]:
    if not at and not along:
        raise InputError(Fault("impulse", "where does it strike?", f"Give --at BODY {THREE} or --along MEASURE=VALUE."))
    for option, given in (("--impulse", pushes), ("--angular", turns), ("--point", points)):
        if len(given) > len(at):
            raise InputError(Fault(option, "there are more of these than of --at.", "Give --at BODY for each."))
    blows: list[dict[str, Any]] = []
    for k, body in enumerate(at):
        blow: dict[str, Any] = {"body": body, "axes": "body" if body_axes else "ground"}
        for key, option, given in (
            ("impulse", "--impulse", pushes),
            ("angular", "--angular", turns),
            ("at", "--point", points),
        ):
            if k < len(given) and given[k].strip() != "-":
                blow[key] = _three(given[k], option)
        if "impulse" not in blow and "angular" not in blow:
            raise InputError(Fault(f"--at {body}", "what strikes it?", f"Give {THREE} or --angular."))
        blows.append(blow)
    for text in along:
        name, value = session.pair("--along", text, "MEASURE=VALUE", "elbow=0.5")
        blows.append({"along": name, "value": value})
    return blows


def _three(text: str, option: str) -> list[str]:
    parts = [part.strip() for part in text.split(",")]
    if len(parts) != 3 or not all(parts):
        raise InputError(Fault(f"{option} {text}", "three components are expected.", f"For example: {THREE}."))
    return parts
