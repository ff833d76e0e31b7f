"""Control blocks: one small file each, one line here; and their expansion into states and variables."""

from __future__ import annotations

from dataclasses import replace

from eigenbody.base.errors import Fault, InputError
from eigenbody.elements.blocks.base import BlockType
from eigenbody.elements.registry import Registry, types_in
from eigenbody.model.description import Description, Entry
from eigenbody.model.expressions import Expression
from eigenbody.model.frozen import FrozenDict
from eigenbody.model.parameters import sort_by_use

__all__ = ["BLOCKS", "BlockType", "with_blocks"]

BLOCKS: Registry[BlockType] = types_in(
    __name__,
    transfer="transfer.TRANSFER",
    state_space="state_space.STATE_SPACE",
    pid="pid.PID",
    filter="transfer.FILTER",
    delay="transfer.DELAY",
)


def with_blocks(description: Description) -> Description:
    """The description with its blocks written out as states and variables."""
    if not description.blocks:
        return description
    states, variables = list(description.states), list(description.variables)
    for entry in description.blocks:
        found = BLOCKS[entry.type].expand(entry)
        for state in found.states:
            values = FrozenDict(initial=state.initial, rate=state.rate)
            states.append(Entry(f"{entry.name}.{state.label}", "", values, entry.where))
        for label, output in found.outputs.items():
            full = f"{entry.name}.{label}" if label else entry.name
            variables.append(Entry(full, "", FrozenDict(value=output), entry.where))
    _refuse_loops(variables)
    return replace(description, states=tuple(states), variables=tuple(variables))


def _refuse_loops(variables: list[Entry]) -> None:
    """Outputs that follow their inputs at once must not feed themselves."""
    uses: dict[str, frozenset[str]] = {}
    for entry in variables:
        value = entry["value"]
        uses[entry.name] = value.names if isinstance(value, Expression) else frozenset()
    places = {entry.name: entry.where for entry in variables}
    faults = [
        Fault(
            places[cycle[0]], f"an algebraic loop: {' -> '.join([*cycle, cycle[0]])}.", "Put a lag or filter into it."
        )
        for cycle in sort_by_use(uses)[1]
    ]
    if faults:
        raise InputError(faults)
