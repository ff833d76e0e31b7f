"""Measured modes: read from a universal file, compared with those of a model, handed to its updating."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from eigenbody.analyses.modes.alike import Mac, mac_matrix, mode_names
from eigenbody.analyses.modes.spectrum import damping_ratios, frequencies_hz
from eigenbody.base.errors import Fault, InputError, suggest
from eigenbody.base.result import Result
from eigenbody.exchange.uff import read_uff
from eigenbody.model.source import shown

if TYPE_CHECKING:
    from eigenbody.analyses.modes.result import Modes

AXES = ("x", "y", "z", "rx", "ry", "rz")
PLACE = re.compile(r"(\d+):([+-]?)(x|y|z|rx|ry|rz)")
EXAMPLE = 'Write node and direction, for example "12:z" or "12:-x".'


@dataclass(frozen=True, eq=False)
class MeasuredModes(Result, look="analyses.modes.look.measured"):
    """Modes at measured places, sorted by |eigenvalue|.

    eigenvalues  (m,) complex, 1/s
    shapes       (m, nodes, 3 or 6) complex: displacement, and rotation, in global axes; zero where nothing was measured
    nodes        (nodes,) their numbers; `position` (nodes, 3) in m, nan where the file has none
    traces       lines through nodes, with their names
    """

    name: str
    eigenvalues: np.ndarray
    shapes: np.ndarray
    nodes: np.ndarray
    position: np.ndarray
    traces: tuple[tuple[str, tuple[int, ...]], ...]

    @property
    def frequency_hz(self) -> np.ndarray:
        """|eigenvalue| / 2 pi."""
        return frequencies_hz(self.eigenvalues)

    @property
    def damping_ratio(self) -> np.ndarray:
        """-real / |eigenvalue|."""
        return damping_ratios(self.eigenvalues)

    def __len__(self) -> int:
        return len(self.eigenvalues)

    # ---- beside a model

    def mac(self, modes: Modes, bodies: Mapping[int, str] | None = None) -> Mac:
        """MAC of the modes of a model with these, over the directions that were measured.

        `bodies` says which body each node is on; by default a node is on the body that a line through it is named by.
        """
        own = self.measured_directions
        seen = self.motion_of(modes, bodies)[:, own]
        names = tuple(f"{i + 1}: {hz:.4g} Hz" for i, hz in enumerate(self.frequency_hz))
        return Mac(mac_matrix(seen, self.shapes[:, own]), mode_names(modes), names, "plain")

    @property
    def measured_directions(self) -> np.ndarray:
        """(nodes, 3 or 6) bool: where something moves in some mode."""
        return np.any(self.shapes != 0, axis=0)

    def motion_of(self, modes: Modes, bodies: Mapping[int, str] | None = None) -> np.ndarray:
        """(modes of the model, nodes, 3 or 6) complex: what the model does at the nodes."""
        from eigenbody.analyses.drawing import motion_at

        carrier = self._carriers(modes, bodies or {})
        at = np.where(np.isnan(self.position), np.real(modes.linear.point.state.r)[carrier], self.position)
        moved = motion_at(modes, carrier, at)
        return moved if self.shapes.shape[2] == 3 else np.concatenate((moved, modes.motion[:, carrier, 3:]), axis=-1)

    def _carriers(self, modes: Modes, bodies: Mapping[int, str]) -> np.ndarray:
        table = modes.linear.point.system.description.bodies
        index = {name: i for i, name in enumerate(table.names)}
        named = {number: name for name, numbers in self.traces if name in index for number in numbers} | dict(bodies)
        faults = [Fault(f"bodies[{number}]", f'there is no body "{shown(name)}".', suggest(name, table.material_names))
                  for number, name in bodies.items() if name not in index]  # fmt: skip
        lost = [str(number) for number in self.nodes.tolist() if number not in named]
        if lost:
            what = f"it is not known which body {'these nodes are' if len(lost) > 1 else 'this node is'} on:"
            remedy = f'Say so: bodies={{{lost[0]}: "{table.material_names[0]}"}}.'
            faults.append(Fault("bodies", f"{what} {', '.join(lost[:10])}{' …' if len(lost) > 10 else ''}.", remedy))
        if faults:
            raise InputError(faults)
        return np.array([index[named[number]] for number in self.nodes.tolist()], dtype=int)

    # ---- for updating

    def at(self, measures: Mapping[str, str] | None = None, modes: Sequence[int] | None = None) -> dict[str, Any]:
        """Frequencies and shapes for `update`, of the modes with these numbers (from 1 on; default all): `measures`
        maps names of measures of the model to node and direction, {"hinge": "12:rz", "slide": "3:-x"}; without them
        frequencies alone are fitted."""
        chosen = self._chosen(modes)
        columns = [self._column(name, place) for name, place in (measures or {}).items()]
        data: dict[str, Any] = {"frequencies": self.frequency_hz[chosen]}
        if columns:
            data |= {"shapes": np.array(columns).T[chosen], "measures": tuple(measures or ())}
        return data

    def _chosen(self, modes: Sequence[int] | None) -> np.ndarray:
        numbers = range(1, len(self) + 1) if modes is None else modes
        wrong = [str(n) for n in numbers if not 1 <= n <= len(self)]
        if wrong:
            what = f"there is no measured mode {', '.join(wrong)}."
            raise InputError(Fault("modes", what, f"They are counted from 1 to {len(self)}."))
        return np.array([n - 1 for n in numbers], dtype=int)

    def _column(self, name: str, place: str) -> np.ndarray:
        """(m,) motion at one place."""
        found = PLACE.fullmatch(str(place).strip())
        where = f"measures.{shown(name)}"
        if found is None:
            raise InputError(Fault(where, f'"{shown(place)}" is no place.', EXAMPLE))
        number, sign, axis = int(found[1]), -1.0 if found[2] == "-" else 1.0, AXES.index(found[3])
        at = np.flatnonzero(self.nodes == number)
        if not len(at):
            raise InputError(Fault(where, f"node {number} was not measured.", f"Nodes: {_listed(self.nodes)}."))
        if axis >= self.shapes.shape[2]:
            raise InputError(Fault(where, "no rotations were measured.", EXAMPLE))
        return sign * self.shapes[:, at[0], axis]


def _listed(numbers: np.ndarray) -> str:
    return ", ".join(map(str, numbers[:20].tolist())) + (" …" if len(numbers) > 20 else "")


def measured_modes(path: str | os.PathLike[str]) -> MeasuredModes:
    """The modes of a universal file (.uff, .unv): datasets 15 or 2411 (nodes), 82 (lines) and 55 (modes)."""
    found, _ = read_uff(Path(path))
    if found is None:
        what = "the file has functions (dataset 58), but no modes (dataset 55)."
        raise InputError(Fault(shown(Path(path).name), what, "Identify them: eb.identify(path)."))
    return MeasuredModes(found.name, found.eigenvalues, found.shapes, found.numbers, found.position, found.traces)
