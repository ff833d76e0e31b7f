"""The calls a user makes: load a model, or build one in code."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from eigenbody.elements.vocabulary import VOCABULARY
from eigenbody.exchange import is_foreign, read_model
from eigenbody.model.builder import Builder
from eigenbody.numerics.runtime import without_collection

if TYPE_CHECKING:
    from eigenbody.analyses.report import View


SHOWN = 12  # names of a section in a notebook


class Model(Builder):
    """A mechanism as its author described it; immutable. Build it from sections or step by step.

    >>> bob = Model(gravity=[0, 0, -9.81]).body("bob", mass=1, inertia=[0.1, 0.1, 0.1], at=[0, 0, -1])
    >>> pendulum = bob.joint("pin", "revolute", between=["ground", "bob"], at=[0, 0, 0], axis=[0, 1, 0])
    """

    def __init__(self, document: Mapping[str, Any] | None = None, **sections: Any) -> None:
        super().__init__({"eigenbody": 1, **(document or {}), **sections}, vocabulary=VOCABULARY)

    def _repr_html_(self) -> str:
        """What the model consists of, for a notebook: nothing is computed."""
        rows = []
        for section, entries in self.source.data.items():
            if isinstance(entries, dict) and entries and section != "operating_point":
                names = ", ".join(list(entries)[:SHOWN]) + (", ..." if len(entries) > SHOWN else "")
                rows.append(f"<tr><th>{section}</th><td>{len(entries)}</td><td>{escape(names)}</td></tr>")
        notes = "".join(f"<li>{escape(note)}</li>" for note in self.notes)
        listed = f"<ul>{notes}</ul>" if notes else ""
        return f"<b>{escape(self.name)}</b><table>{''.join(rows)}</table>{listed}"

    def view(self, modes: int = 0) -> View:
        """The mechanism in 3-D, at its operating point; shows itself in a notebook. `modes`: so many of them moving."""
        from eigenbody.analyses.report import view

        return view(self, modes)


@without_collection
def load(
    source: str | Path | Mapping[str, Any],
    /,
    *,
    base: Any = None,
    strict: Any = False,
    allow_files: bool = False,
    **parameters: Any,
) -> Model:
    """Read a model from a path (YAML, JSON, URDF, SDF, Adams), "-" (standard input) or a dict; all faults at once.

    base         of a URDF or SDF: "fixed" or "free", how its root link stands on the ground
    strict       refuse what would be repaired with a note in files of other formats
    allow_files  a file may name others (matrices, tables) outside its own folder
    """
    if not is_foreign(source):  # a model file may have parameters of these names
        parameters |= {"base": base} if base is not None else {}
        parameters |= {"strict": strict} if strict is not False else {}
        return Model.from_source(read_model(source, allow_files=allow_files), VOCABULARY, parameters)
    return Model.from_source(read_model(source, base, strict, allow_files), VOCABULARY, parameters)
