"""`eigenbody new`."""

from __future__ import annotations

from typing import Annotated

import typer

from eigenbody.cli import delivery, options


def new(
    kind: Annotated[
        str, typer.Argument(metavar="KIND", help="Kind of model: blank, robot, rotor, ...", show_default=False)
    ],
    name: Annotated[str | None, typer.Argument(metavar="[NAME]", help="Which of the kind.", show_default=False)] = None,
    json: Annotated[bool, typer.Option("--json", help="JSON instead of YAML on standard output.")] = False,
    out: Annotated[
        str | None, options.option("--out -o", "FILE", "Write the model there: .yaml, .yml or .json.")
    ] = None,
    quiet: options.Quiet = False,
) -> None:
    """A model file to begin with.

    Printed, or written to --out.

    \b
    Kinds, commented files to change by hand; NAME is the name of the model:
      blank         a pendulum with one of everything
      linkage       four-bar linkage: a closed loop with a spring
      robot         arm with drives
      rotor         flexible shaft with discs on bearings
      vehicle       half car on its springs

    \b
    Kinds of which NAME says which:
      family NAME   chain, binary tree or ladder of closed loops, of any size (Jiang, Chen & Luo 2011):
                    C, T (or TL) or L; number of bodies (C) or of layers; joint: R revolute, P prismatic,
                    C cylindrical, S spherical; F and the number of spring-dampers in each joint
      torsion LINE  wheels on shafts that twist: inertia (kg m^2), stiffness (N m/rad), inertia, ...;
                    x N begins a line that the last wheel drives N times as fast, / x N another one

    \b
    Examples:
      eigenbody new rotor -o rotor.yaml
      eigenbody new family T4RF1
      eigenbody new family L3RF1 -o ladder.yaml
      eigenbody new torsion "0.5 1e5 0.2 x 2 0.1 4e4 0.3" -o line.yaml
      eigenbody new family C1000SF1 | eigenbody modes - --n 20

    \b
    JSON: the model
    """
    delivery.require_writable(out, ("yaml", "yml", "json"))
    from eigenbody.model.source import read_text
    from eigenbody.present.documents import as_json
    from eigenbody.starters import model_text

    text = model_text(kind, name)
    as_document = json if out is None else out.endswith(".json")
    if as_document:
        text = as_json(read_text(text).data) + "\n"
    if out is not None:
        delivery.write(out, lambda stream: stream.write(text.encode()), quiet)
        return
    delivery.put(text.rstrip("\n"))
