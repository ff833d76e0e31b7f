"""Control blocks: one small file each, one line here; and their expansion into states and variables."""

from __future__ import annotations

from dataclasses import replace

from eigenbody.elements.blocks.base import BlockType
from eigenbody.elements.blocks.pid import PID
from eigenbody.elements.blocks.state_space import STATE_SPACE
from eigenbody.elements.blocks.transfer import DELAY, FILTER, TRANSFER
from eigenbody.model.description import Description, Entry
from eigenbody.model.frozen import FrozenDict

__all__ = ["BLOCKS", "BlockType", "with_blocks"]

BLOCKS: dict[str, BlockType] = {block.spec.name: block for block in (TRANSFER, STATE_SPACE, PID, FILTER, DELAY)}


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
    return replace(description, states=tuple(states), variables=tuple(variables))
