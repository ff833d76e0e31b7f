"""How the force and moment in a joint change with position and multipliers, at an operating point."""

from __future__ import annotations

from collections.abc import Sequence

from eigenbody.base.errors import Fault, InputError
from eigenbody.loads.reactions import open_components
from eigenbody.mobility.frame import MotionFrame
from eigenbody.model.names import WRENCH
from eigenbody.system.system import Reaction


def refuse_open(frame: MotionFrame, asked: Sequence[tuple[Reaction, str]]) -> None:
    """Refuse reactions, each with the place that asks for it, that redundant constraints leave open."""
    chosen = frame.chosen
    if not asked or not (len(chosen.redundant) or len(chosen.redundant_slips)):
        return
    is_open = {axes: open_components(frame, axes) for axes in {reaction.axes for reaction, _ in asked}}
    faults = []
    for reaction, where in asked:
        if is_open[reaction.axes][reaction.joint, reaction.component]:
            joint, component = frame.system.description.joints[reaction.joint].name, WRENCH[reaction.component]
            what = f"{component} of the joint {joint} is left open by redundant constraints."
            faults.append(
                Fault(where, what, "Release the redundant rows that `check` lists, or ask for another component.")
            )
    if faults:
        raise InputError(faults)
