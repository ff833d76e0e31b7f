"""Algebraic variables: second rates, joint reactions and forces of elements that expressions read.

Expressions see them as z_k. Given z, accelerations and multipliers follow as ever; z itself is then a reading R_k of
these (dynamics/algebraic.py closes the loop z = R(z)).
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from eigenbody.base.errors import Fault, InputError, suggest
from eigenbody.elements.forces import ForceBuilder
from eigenbody.model.description import Description, is_internal
from eigenbody.model.names import WRENCH, load_parts
from eigenbody.system.joints import JointTable, slip_kernels
from eigenbody.system.rows import ConstraintRows
from eigenbody.system.system import Algebraic, JointRows, Load, Reaction, System

MOMENTS = ("torque", "rotational_damper")  # elements whose channels are rotations alone


class LoadNames:
    """What names of loads mean: components of joint reactions, and forces of elements along their channels."""

    def __init__(
        self, description: Description, joints: JointTable, rows: ConstraintRows, builder: ForceBuilder
    ) -> None:
        self._description, self._joints, self._rows, self._builder = description, joints, rows, builder

    @cached_property
    def _number(self) -> dict[str, int]:
        return {entry.name: i for i, entry in enumerate(self._description.joints) if not is_internal(entry)}

    @cached_property
    def _types(self) -> dict[str, str]:
        return {entry.name: entry.type for entry in self._description.forces}

    def reaction(self, joint: str, component: str, axes: str, where: str) -> Reaction:
        """A component of the force and moment in a joint, in axes "joint" or "ground"."""
        if joint not in self._number:
            raise InputError(Fault(where, f'there is no joint "{joint}".', suggest(joint, self._number)))
        i = self._number[joint]
        return Reaction(i, WRENCH.index(component), axes, self._joint_rows(i))

    def _joint_rows(self, i: int) -> JointRows:
        table = self._joints
        group = next(group for group in table.groups if i in group.index)
        pairs, k = group.pairs, int(np.flatnonzero(group.index == i)[0])
        row = np.concatenate([term[0] for term in self._rows.terms] or [np.zeros(0)]).astype(int)
        start, stop = (int(table.row_start[j]) for j in (i, i + 1))
        owners = np.concatenate([own for own, _ in slip_kernels(table)[1]] or [np.zeros(0)]).astype(int)
        return JointRows(
            int(table.first[i]), int(table.second[i]), pairs.origin2[k], pairs.axes1[k], np.arange(start, stop),
            np.flatnonzero((row >= start) & (row < stop)), np.flatnonzero(owners == i),
        )  # fmt: skip

    def load(self, name: str, component: str | None, where: str) -> tuple[Load, str]:
        """The tension of an element along one of its channels, and its component ("" where it has one channel)."""
        if name not in self._types:
            raise InputError(Fault(where, f'there is no force "{name}".', suggest(name, self._types)))
        owner = self._builder.number(name)
        channels = self._channels(owner)
        if len(channels) == 1:
            if component:
                raise InputError(Fault(where, f"{name} acts along one measure.", "Leave the component out."))
            return Load(owner, channels[0]), ""
        known = WRENCH[3:] if self._types[name] in MOMENTS else WRENCH[: len(channels)]
        if component not in known:
            what = f"{name} acts along {len(channels)} measures."
            raise InputError(Fault(where, what, f"Give the component: {', '.join(known)}."))
        return Load(owner, channels[known.index(component)]), component

    def _channels(self, owner: int) -> list[int]:
        linear = [coupling.i[coupling.owner == owner].tolist() for coupling in self._builder.linear]
        own = {item.channel for item in self._builder.signals if item.owner == owner}
        return sorted(own.union(*linear))


class AlgebraicNames:
    """Collects the algebraic variables that expressions read, each once."""

    def __init__(self, loads: LoadNames) -> None:
        self._loads = loads
        self._found: dict[str, Algebraic] = {}

    def second_rate(self, name: str, channel: int, where: str) -> int:
        """Number of the variable that is the second rate of a channel's measure."""
        return self._numbered(name, Algebraic(name, where, channel=channel))

    def load(self, name: str, where: str) -> int | None:
        """Number of the variable that is a joint reaction or the force of an element; None if the name is neither."""
        kind, owner, component = load_parts(name)
        if not kind:
            return None
        if name in self._found:
            return list(self._found).index(name)
        if kind == "reaction":
            if not component:
                raise InputError(Fault(where, f'"{name}" needs a component.', f"One of {', '.join(WRENCH)}."))
            reaction = self._loads.reaction(owner, component, "joint", where)
            return self._numbered(name, Algebraic(name, where, reaction=reaction))
        return self._numbered(name, Algebraic(name, where, load=self._loads.load(owner, component, where)[0]))

    def _numbered(self, name: str, variable: Algebraic) -> int:
        self._found.setdefault(name, variable)
        return list(self._found).index(name)

    def found(self) -> tuple[Algebraic, ...]:
        """All of them, in the order of their numbers."""
        return tuple(self._found.values())


def reading_forces(system: System) -> str:
    """Names of the forces that read accelerations or loads, for messages; "" where none does."""
    return ", ".join(dict.fromkeys(system.forces.owners[signal.owner] for signal in system.readers))
