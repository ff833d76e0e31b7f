"""`eigenbody superelement`."""

from __future__ import annotations

from typing import Annotated

from eigenbody.base.errors import Fault, InputError
from eigenbody.cli import delivery, options, session


def superelement(
    model: options.ModelPath,
    interface: Annotated[
        list[str],
        options.option(
            "--interface", "NAME[@X,Y,Z]", "Body at which it will be fastened, and the point of it (m); repeatable."
        ),
    ],
    set_: options.Set = None,
    n: Annotated[int, options.option("--n", "COUNT", "Modes with the interface held, default 10.", min=0)] = 10,
    json: options.Json = False,
    out: options.Out = None,
    quiet: options.Quiet = False,
) -> None:
    """The mechanism as an element of a larger structure, by Craig and Bampton's method.

    Mass, damping and stiffness over the displacements and rotations of the interface and the amplitudes of the lowest
    modes with the interface held. Statics are exact; what is dropped are modes above the frequency that is shown.

    \b
    Examples:
      eigenbody superelement gearbox.yaml --interface housing -o gearbox.pch
      eigenbody superelement arm.yaml --interface foot --interface "hand@0.4,0,1.2" --n 20 -o arm.npz

    \b
    JSON: {"model", "nodes": [{"name", "at", "columns"}], "freedoms", "frequencies_hz",
           "first_dropped_hz", "left_out", "M", "C", "K"}
      columns   of ux uy uz rx ry rz (global axes) in the matrices, from 0; null where a freedom
                is held or moved by the others
      frequencies_hz   modes with the interface held; null where one runs away

    \b
    Files: .npz holds the matrices with nodes, freedoms and names, as a flexible body of type
      matrices reads it; .pch Nastran's DMIG with GRID and SPOINT (KAAX, MAAX, BAAX; twelve
      digits); .mat, .nc, .csv and .json as for all results.
    """
    goal = delivery.Delivery("analyses.superelement.look", model, json, out, None, quiet)
    points = dict(_point(text) for text in interface)
    mechanism = session.load(model, set_)
    with session.places_of(mechanism, interface="--interface", n="--n"):
        from eigenbody.analyses.superelement import superelement as condensed

        found = condensed(mechanism, points, n)
    goal.deliver(found, found.linear.point.warnings)


def _point(text: str) -> tuple[str, list[float] | None]:
    name, at, place = text.partition("@")
    if not at:
        return name.strip(), None
    try:
        return name.strip(), [float(part) for part in place.split(",")]
    except ValueError as error:
        what = f'"{place}" is not x,y,z in m.'
        raise InputError(Fault("--interface", what, "For example hub@0,0,0.4.")) from error
