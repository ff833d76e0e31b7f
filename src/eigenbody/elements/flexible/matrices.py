"""A body given by its finite-element matrices in files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from eigenbody.base.errors import Fault, InputError, suggest
from eigenbody.elements.flexible.base import (
    REDUCTION,
    FlexibleType,
    Section,
    UnknownNode,
    attached,
    over_variants_of,
    wrong_reduction,
)
from eigenbody.model.description import Entry
from eigenbody.model.flexible import Expansion
from eigenbody.model.vocabulary import Field, Kind, TypeSpec
from eigenbody.structures.structure import Structure, turned

MODES = 8

KEYS = (
    Field("file", Kind.FILE, doc="npz file with M, K and nodes"),
    Field("mass", Kind.FILE, doc="file of the mass matrix: npz, Matrix Market, OP4 or punch"),
    Field("stiffness", Kind.FILE, doc="file of the stiffness matrix"),
    Field("matrices", Kind.NAMES, doc="names of mass and stiffness matrix in a file that holds several (OP4, punch)"),
    Field("nodes", Kind.FILE, doc="file of the nodes: csv with name, x, y, z"),
    Field(
        "reduced",
        Kind.FLAG,
        default=False,
        doc="the matrices are Craig and Bampton's: rows that belong to no node are amplitudes of modes",
    ),
    Field("at", Kind.POINT, "m", doc="where the origin of the files stands in the drawing, default its origin"),
    Field("rotation", Kind.ROTATION, doc="how their axes are turned in the drawing"),
    *REDUCTION,
    Field("shape", Kind.ANY, doc="for drawing only"),
)


def _build(entry: Entry, used: Sequence[str]) -> Expansion:
    from eigenbody.structures.read import read_structure

    structure = _placed(read_structure(entry.values, where=entry.where), entry)
    known = {name: k for k, name in enumerate(structure.names)}
    wanted = [*used, *entry.get("interface", ())]
    faults = [
        UnknownNode(entry.where, f'the body has no node "{name}".', suggest(name, known), name)
        for name in wanted
        if name not in known
    ]
    if faults:
        raise InputError(faults)
    nodes = {f"{entry.name}.{name}": known[name] for name in used}
    interface = tuple(sorted(known[name] for name in entry.get("interface", used)))
    modes = structure.M.shape[0] if structure.is_reduced else MODES
    return attached(Section(entry.name, structure, interface, nodes), entry, entry.get("modes", modes))


def _placed(structure: Structure, entry: Entry) -> Structure:
    """The structure in the axes of the drawing."""
    at, R = entry.get("at", np.zeros(3)), entry.get("rotation")
    if R is None:
        return replace(structure, nodes=structure.nodes + at)
    present = structure.freedoms >= 0
    if (present[:, :3].any(axis=1) & ~present[:, :3].all(axis=1)).any() or (
        present[:, 3:].any(axis=1) & ~present[:, 3:].all(axis=1)
    ).any():
        what = "a structure with single directions left out at its nodes cannot be turned."
        raise InputError(Fault(f"{entry.where}.rotation", what, "Turn it where its matrices are made."))
    return replace(turned(structure, R), nodes=structure.nodes @ R.T + at)


MATRICES = FlexibleType(
    TypeSpec(
        "matrices",
        KEYS,
        check=lambda values, _: wrong_reduction(values),
        doc="A body given by mass and stiffness matrices.",
    ),
    over_variants_of(_build),
)
