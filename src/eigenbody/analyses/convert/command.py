"""`eigenbody convert`."""

from __future__ import annotations

from typing import Annotated

from eigenbody.cli import delivery, options, session


def convert(
    model: options.ModelPath,
    set_: options.Set = None,
    out: Annotated[
        str | None, options.option("--out -o", "FILE", "Write the model there: .yaml, .yml or .urdf.")
    ] = None,
    quiet: options.Quiet = False,
) -> None:
    """The model as a file of another format.

    A URDF becomes a model file with its names kept, comments that say what was left out, renamed or repaired, and the
    same numbers; it may then be extended by everything that a model file knows. A model whose bodies hang on each other
    by revolute, prismatic, planar, fixed and free joints becomes a URDF. Without --out the model file is printed.

    \b
    Examples:
      eigenbody convert arm.urdf -o arm.yaml
      eigenbody convert arm.urdf --base free
      eigenbody convert arm.yaml -o arm.urdf
    """
    delivery.require_writable(out, ("yaml", "yml", "urdf"), model)
    mechanism = session.load(model, set_)
    from pathlib import Path

    from eigenbody.analyses.convert import converted

    with session.places_of(mechanism):
        path = None if out is None else Path(out)
        text = converted(mechanism, ".yaml" if path is None else path.suffix.lower(), path)
    if out is None:
        delivery.put(text.rstrip("\n"))
        return
    delivery.write(out, lambda stream: stream.write(text.encode()), quiet)
