"""`eigenbody check`."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from eigenbody.cli import options, session
from eigenbody.errors import Fault, InputError


def check(
    model: options.OptionalModelPath = None,
    set_: options.Set = None,
    schema: Annotated[bool, typer.Option("--schema", help="Print the JSON schema of model files (no MODEL).")] = False,
    json: options.Json = False,
    out: Annotated[
        str | None,
        typer.Option("--out", "-o", metavar="FILE", help="Also write the JSON document: .json.", show_default=False),
    ] = None,
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
    session.known_ending(out, ("json",), model)
    if schema:
        _present(_schema(), out, quiet, printed=True, indent=2)
        return
    if model is None:
        raise InputError(Fault("check", "which MODEL?", "Try 'eigenbody check --help'."))
    mechanism = session.load(model, set_)
    with session.places_of(mechanism):
        from eigenbody.analyses.inspection import inspect

        found = inspect(mechanism)
    from eigenbody.present.check_tables import check_rich, check_text
    from eigenbody.present.documents import check_document

    session.warn(found.point.warnings, quiet)
    _present(check_document(found), out, quiet, printed=json)
    if not json and not (quiet and out):
        session.put_table(lambda: check_text(found), lambda: check_rich(found))


def _schema() -> dict[str, Any]:
    from eigenbody.elements.vocabulary import VOCABULARY
    from eigenbody.model.schema import json_schema

    return json_schema(VOCABULARY)


def _present(document: dict[str, Any], out: str | None, quiet: bool, printed: bool, indent: int | None = None) -> None:
    from eigenbody.present.documents import as_json

    text = as_json(document, indent)
    if out is not None:
        session.write(out, lambda file: file.write((text + "\n").encode()), quiet)
    if printed:
        session.put(text)
