"""Types of flexible bodies: one small file each, one line here; and their expansion into bodies, joints and forces."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from eigenbody.base.errors import Fault, InputError
from eigenbody.elements.registry import Registry, types_in
from eigenbody.model.description import Entry
from eigenbody.model.flexible import NOTHING, Expansion
from eigenbody.model.names import NO_NODE

if TYPE_CHECKING:
    from eigenbody.elements.flexible.base import FlexibleType

__all__ = ["FLEXIBLE", "expand"]

FLEXIBLE: Registry[FlexibleType] = types_in(__name__, beam="beam.BEAM", matrices="matrices.MATRICES")


def expand(found: Sequence[Entry], mentioned: Mapping[str, str]) -> Expansion:
    """Everything that the entries of `flexible` stand for; `mentioned` are the names that the model uses, and where."""
    out = NOTHING
    for entry in found:
        try:
            built = FLEXIBLE[entry.type].build(entry, _nodes(entry.name, mentioned))
        except InputError as error:
            raise InputError([_where_mentioned(fault, entry, mentioned) for fault in error.faults]) from None
        _refuse_sections(entry, built, mentioned)
        out = out + built
    return out


def _where_mentioned(fault: Fault, entry: Entry, mentioned: Mapping[str, str]) -> Fault:
    """A fault of a node that is not there, at the place that first mentions it: the node or a coordinate of it."""
    from eigenbody.elements.flexible.base import UnknownNode

    if not isinstance(fault, UnknownNode):
        return fault
    node = f"{entry.name}.{fault.node}"
    places = (place for name, place in mentioned.items() if name == node or name.startswith(f"{node}."))
    return Fault(next(places, fault.where), f'{entry.name} has no node "{fault.node}".', fault.remedy)


def _refuse_sections(entry: Entry, built: Expansion, mentioned: Mapping[str, str]) -> None:
    """The mean axes of a section are no point of its material."""
    used = sorted(body.name for body in built.flexible if body.name != entry.name and body.name in mentioned)
    if used:
        what = f'"{used[0]}" is a section, whose axes are no point of it; what is attached is attached to a node.'
        remedy = f"Name one: {entry.name}.start, {entry.name}.end, or a station of its points (names)."
        raise InputError(Fault(entry.where, what, remedy))


def _nodes(body: str, mentioned: Mapping[str, str]) -> list[str]:
    """Names of parts of a body among those mentioned, nodes and sections: `tip` of `rod.tip` and of its coordinate
    `rod.tip.x`, `s2` of the modal coordinate `rod.s2.q1`."""
    own = {name.removeprefix(f"{body}.") for name in mentioned if name.startswith(f"{body}.")}
    own = {base if NO_NODE.fullmatch(label) else name for name in own for base, _, label in [name.rpartition(".")]}
    return sorted(own - {""})
