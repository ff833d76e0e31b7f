"""Models to begin with: kinds of them, each made from a name.

A kind is one file and one line of `KINDS`: a `Starter` with the function that makes the text of the model file.
"""

from __future__ import annotations

from eigenbody.api import Model
from eigenbody.base.errors import Fault, InputError, suggest
from eigenbody.model.source import read_text
from eigenbody.starters.base import Starter
from eigenbody.starters.family import FAMILY
from eigenbody.starters.template import template
from eigenbody.starters.torsion import TORSION

KINDS: dict[str, Starter] = {
    "blank": template("blank", "A pendulum with one of everything"),
    "linkage": template("linkage", "Four-bar linkage: a closed loop with a spring"),
    "robot": template("robot", "Arm with drives"),
    "rotor": template("rotor", "Flexible shaft with discs on bearings"),
    "vehicle": template("vehicle", "Half car on its springs"),
    "family": FAMILY,
    "torsion": TORSION,
}


def model_text(kind: str, name: str | None = None) -> str:
    """The model file of a kind, as YAML; `name` says which of it."""
    if kind not in KINDS:
        raise InputError(Fault("kind", f'there is no kind of model "{kind}".', suggest(kind, list(KINDS))))
    starter = KINDS[kind]
    if not name and starter.names:
        raise InputError(Fault("name", f"the kind {kind} needs a name.", starter.names))
    return starter.text(name)


def new(kind: str, name: str | None = None) -> Model:
    """A model to begin with: `new("rotor")` is a flexible shaft with discs, `new("family", "T4RF1")` a binary tree of
    four layers with revolute joints, `new("torsion", "2 1e5 0.5")` two wheels on a shaft."""
    from eigenbody.elements.vocabulary import VOCABULARY

    return Model.from_source(read_text(model_text(kind, name), name or kind), VOCABULARY, {})
