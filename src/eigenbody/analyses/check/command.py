"""`eigenbody check`."""

from __future__ import annotations

from typing import Annotated

import typer

from eigenbody.base.errors import Fault, InputError
from eigenbody.cli import delivery, options, session


def check(
    model: options.OptionalModelPath = None,
    set_: options.Set = None,
    schema: Annotated[bool, typer.Option("--schema", help="Print the JSON schema of model files (no MODEL).")] = False,
    json: options.Json = False,
    out: Annotated[str | None, options.option("--out -o", "FILE", "Also write the JSON document: .json.")] = None,
    quiet: options.Quiet = False,
) -> None:
    """Faults, constraints, degrees of freedom.

    Reports every fault of the model at once, each with its place in the file. A model without faults is counted:
    bodies, joints, the class of each constraint, the Gruebler count (coordinates of all bodies minus constraint rows)
    and the actual degrees of freedom, which differ by the redundant rows.

    \b
    Examples:
      eigenbody check four_bar.yaml
      eigenbody check four_bar.yaml --json
      eigenbody check --schema > eigenbody.schema.json     for editors that complete keys

    \b
    JSON: {"model", "bodies": [{"name", "mass", "coordinates"}],
           "joints": [{"name", "type", "between", "rows", "class", "redundant"}],
           "couplings", "drivers", "body_coordinates", "rows", "gruebler", "dof",
           "coordinates", "constraints": [{"of", "row", "class", "redundant"}],
           "redundant": [{"joint", "row"}], "residual", "drift",
           "notes", "warnings"}
      class   holonomic or non-holonomic, scleronomic or rheonomic (moving in time);
              none for a joint without rows
      notes   joint rows that take freedom away by a small share only (axes not quite
              parallel)
    """
    if schema:
        delivery.require_writable(out, ("json",), model)
        _put_schema(out, quiet)
        return
    goal = delivery.Delivery("analyses.check.look", model, json, out, None, quiet)
    if model is None:
        raise InputError(Fault("check", "which MODEL?", "Try 'eigenbody check --help'."))
    mechanism = session.load(model, set_)
    from eigenbody.analyses.check import check as checked

    with session.places_of(mechanism):
        found = checked(mechanism)
    goal.deliver(found, found.point.warnings)


def _put_schema(out: str | None, quiet: bool) -> None:
    """The JSON schema of model files, for people and editors."""
    from eigenbody.elements.vocabulary import VOCABULARY
    from eigenbody.model.schema import json_schema
    from eigenbody.present.documents import as_json
    from eigenbody.present.export import text_file

    text = as_json(json_schema(VOCABULARY), indent=2)
    if out is not None:
        delivery.write(out, text_file(text + "\n"), quiet)
    delivery.put(text)
