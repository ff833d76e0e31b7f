"""Adams: the statements of a dataset (.adm) of which mechanisms consist."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from eigenbody.base.errors import Fault, InputError
from eigenbody.exchange.adams.constraints import Constraints
from eigenbody.exchange.adams.forces import Forces
from eigenbody.exchange.adams.frames import frames_of
from eigenbody.exchange.adams.sections import Sections
from eigenbody.exchange.adams.statements import Statement, statements_of
from eigenbody.exchange.adams.units import units_of
from eigenbody.exchange.adams.vocabulary import ACTING, HOLDING, KEYS, understand, unread
from eigenbody.exchange.base import Findings, Options, content_of
from eigenbody.model.source import Source, shown

__all__ = ["read_adams"]

VIEW = re.compile(r"\s*adams.view model name:", re.IGNORECASE)  # in the title that Adams View writes


def read_adams(path: Path, options: Options) -> Source:
    """The sections of a model, with the lines of the dataset."""
    label = shown(path.name)
    if options.base is not None:
        raise InputError(Fault("--base", "parts of an Adams dataset stand as it says.", "Leave it out."))
    content = content_of(path, label)
    if b"\0" in content:
        raise InputError(Fault(label, "this is not a text file.", "A dataset of Adams is text."))
    text = _decoded(content)
    found = Findings(label)
    statements = statements_of(text, found)
    understand(statements, found)
    if not any(s.type == "PART" for s in statements) and (not found.faults or "/" not in text):
        what = "there is no PART in this file: it is no dataset of Adams Solver."
        raise InputError(Fault(label, what, "In Adams View: File, Export, Adams Solver Dataset."))
    units = units_of(statements, found)
    frames = frames_of(statements, units, found)
    found.raise_if_any()
    sections = Sections(frames, units, options, found)
    data = sections.document(_written(statements, sections))
    found.raise_if_any()
    name = VIEW.sub("", text.partition("\n")[0]).strip() if VIEW.match(text) else path.stem
    return Source(data, path.absolute().parent, label, shown(name), lines=sections.lines, notes=tuple(found.notes))


def _written(statements: list[Statement], sections: Sections) -> Counter[str]:
    """All statements, those first that others refer to; how many of each kind were not read."""
    constraints, forces = Constraints(sections), Forces(sections)
    for s in statements:
        if s.type in ("JOINT", "JPRIM"):
            constraints.write_joint(s)
        elif s.type in ("VARIABLE", "DIFF"):
            sections.announce(s)
    writers: dict[str, Callable[[Statement], None]] = {
        "ACCGRAV": sections.write_gravity, "VARIABLE": sections.write_variable, "DIFF": sections.write_state,
        "MOTION": constraints.write_motion, "COUPLER": constraints.write_coupler, "GEAR": constraints.write_gear,
        "SPRINGDAMPER": forces.write_spring, "BUSHING": forces.write_bushing, "SFORCE": forces.write_sforce,
        "GFORCE": forces.write_gforce, "VFORCE": forces.write_gforce, "VTORQUE": forces.write_gforce,
    }  # fmt: skip
    left: Counter[str] = Counter()
    for s in statements:
        if s.type in writers:
            writers[s.type](s)
        elif s.type in HOLDING:
            sections.leave_out(s, "it is not read, and without it this is another mechanism", essential=True)
        elif s.type in ACTING:
            sections.leave_out(s, "it is not read")
        elif s.type not in KEYS:
            left[s.type] += 1
    if ignored := unread(statements):
        sections.found.note(f"Not read: {'; '.join(ignored)}.")
    return left


def _decoded(content: bytes) -> str:
    """The text; older programs write western European letters as one byte each."""
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.decode("cp1252", errors="replace")
