"""Holonomic constraint rows: what joints, couplings, motions and drivers hold."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import overload

import numpy as np

from eigenbody.elements.couplings import COUPLINGS
from eigenbody.elements.joints import Tie
from eigenbody.elements.measures.modal_form import ModalForm, modal_forms
from eigenbody.elements.measures.templates import Kernel, Pairs
from eigenbody.elements.measures.turned import TurnedRotation
from eigenbody.elements.prescribed import holds_a_row
from eigenbody.model.description import Description, Entry, FlexibleBody, Signal
from eigenbody.system.joints import JointTable
from eigenbody.system.measureset import Placed
from eigenbody.system.named import NamedMeasures
from eigenbody.system.system import Row


class ConstraintRows:
    """All holonomic rows: joints in file order, then couplings, joint motions, drivers."""

    def __init__(self, description: Description, joints: JointTable, named: NamedMeasures) -> None:
        self.placed: list[Placed] = []  # private measures
        self.named: list[tuple[int, int]] = []  # (measure position, named index)
        self.terms: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = []
        self.of_joints = int(joints.row_start[-1])
        self.others: list[Row] = []  # rows after those of the joints
        self.rows = RowNames(joints, self.others)
        self.count = 0
        self.constants: dict[int, float] = {}
        self.motions: list[tuple[int, Signal]] = []
        self.turned = {owner: _Turned(owner, labels, named) for owner, labels in named.places.prescribed.items()}
        self.keep_drawn: list[np.ndarray] = []
        for group in joints.groups:
            for k, item in enumerate(group.type.held):
                rows = joints.row_start[group.index] + k
                if isinstance(item, Tie):
                    self._tie(item, [description.joints[i] for i in group.index], group.pairs, rows, named)
                else:
                    measures = self._private(item.kernel(group.pairs))
                    self.terms.append((rows, measures, np.ones(len(rows))))
                    if group.type.keeps_drawn:
                        self.keep_drawn.append(rows)
        self._bend(description, joints, named)
        for entry in description.couplings:
            self._couple(entry, named)
        for i, entry in enumerate(description.joints):
            for k, signal in enumerate(entry.get("motion", ())):
                if signal is not None:
                    label = joints.types[i].free[k].label
                    row, own = Row(entry.name, f"motion {label}", "driver"), int(named.joint_start[i]) + k
                    self._prescribe(row, own, signal, named)
        for entry in description.drivers:
            if not holds_a_row(entry):
                named.of(entry["measure"])
                continue
            row, one_sided = Row(entry.name, "motion", "driver"), entry.get("side") is not None
            self._prescribe(row, named.of(entry["measure"]), entry["motion"], named, one_sided)
        for whole in self.turned.values():
            shared = self.motions[whole.motions[-1]][0]
            for k in whole.motions[:-3]:
                self.motions[k] = (shared, self.motions[k][1])

    def _private(self, kernel: Kernel) -> np.ndarray:
        positions = np.arange(self.count, self.count + len(kernel.carriers))
        self.count += len(positions)
        self.placed.append((kernel, positions))
        return positions

    def _from_named(self, index: int) -> int:
        self.named.append((self.count, index))
        self.count += 1
        return self.count - 1

    def _tie(self, tie: Tie, entries: list[Entry], pairs: Pairs, rows: np.ndarray, named: NamedMeasures) -> None:
        for template, factor, key in tie.terms:
            scale = np.array([factor * (1.0 if key is None else entry[key]) for entry in entries])
            if template.label:  # a coordinate of the joint, which counts turns
                measures = np.array([self._from_named(named.index[f"{e.name}.{template.label}"]) for e in entries])
            else:
                measures = self._private(template.kernel(pairs))
            self.terms.append((rows, measures, scale))

    def _bend(self, description: Description, joints: JointTable, named: NamedMeasures) -> None:
        """Nodes of flexible bodies are displaced and turned by the modal coordinates, which share one measure each."""
        start = {entry.name: joints.row_start[i] for i, entry in enumerate(description.joints) if entry.type == "node"}
        in_pairs = _are_narrow(description.flexible, self.count)
        for flexible in description.flexible:
            q = np.array([self._from_named(named.index[name]) for name in flexible.coordinates], dtype=int)
            for node, number in flexible.nodes.items():
                shape = np.concatenate((flexible.reduced.move[number], flexible.reduced.turn[number]))  # (6, modes)
                row, mode = np.nonzero(shape != 0)
                self.terms.append((start[node] + row, q[mode], -shape[row, mode]))
                if flexible.reduced.bow is not None:
                    self._bow(flexible, flexible.reduced.bow[number], start[node], named, in_pairs)

    def _bow(self, flexible: FlexibleBody, bow: np.ndarray, start: int, named: NamedMeasures, in_pairs: bool) -> None:
        """Displacement and rotation (6, modes, modes) of second order of a node: one form of all carriers for each of
        its rows, or forms of their pairs."""
        carriers = np.array([named.places.index[name] for name in flexible.carriers], dtype=int)
        rows = start + np.arange(6)
        for members, form in modal_forms(2 * bow, in_pairs):
            kernel = ModalForm(np.repeat(carriers[members], 6, axis=0), form)
            self.terms.append((np.tile(rows, len(members)), self._private(kernel), -np.ones(6 * len(members))))

    def _couple(self, entry: Entry, named: NamedMeasures) -> None:
        coupling = COUPLINGS[entry.type]
        if coupling.terms is None:  # a speed: not holonomic
            return
        number = self._combination(Row(entry.name, entry.type, "coupling"), coupling.terms(entry), named)
        for name, coefficients in coupling.polynomials(entry).items():
            measure = self._private(named.polynomial(name, coefficients))
            self.terms.append((np.array([number]), measure, np.array([-1.0])))
        self.constants[number] = entry.get("constant", 0.0)

    def _number(self, row: Row) -> int:
        self.others.append(row)
        return self.of_joints + len(self.others) - 1

    def _combination(self, row: Row, terms: dict[str, float], named: NamedMeasures) -> int:
        number = self._number(row)
        for name, factor in terms.items():
            measure = np.array([self._from_named(named.of(name))])
            self.terms.append((np.array([number]), measure, np.array([factor])))
        return number

    def _prescribe(self, row: Row, measure: int, signal: Signal, named: NamedMeasures, one_sided: bool = False) -> None:
        owner, _, label = named.names[measure].rpartition(".")
        whole = self.turned.get(owner)
        if whole is not None and label in whole.labels and not one_sided:
            k = whole.labels.index(label)
            whole.motions[k], whole.where = len(self.motions), row.where
            axis = k - len(whole.labels) + 3
            if axis < 0:  # a quaternion has four components, but a rotation is held by three rows
                self.motions.append((-1, signal))
                return
            number = self._number(row)
            own = self._private(whole.kernel(axis))
        else:
            number = self._number(row)
            own = np.array([self._from_named(measure)])
        self.terms.append((np.array([number]), own, np.ones(1)))
        self.motions.append((number, signal))


def _are_narrow(bodies: Sequence[FlexibleBody], others: int) -> bool:
    """Whether the table of all measures has fewer entries if the forms of these bodies are written by pairs of
    carriers, beside `others`: every measure has as many columns as the widest."""
    sizes = [(6 * len(body.nodes), len(body.carriers)) for body in bodies if body.reduced.bow is not None]
    whole = 6 * max((K for _, K in sizes), default=0) * (others + sum(n for n, _ in sizes))
    return whole > 12 * (others + sum(n * K * (K + 1) // 2 for n, K in sizes))


class _Turned:
    """A rotation prescribed as a whole: its rows are components, in the axes of the first frame, of the rotation that
    is left to the prescribed one."""

    def __init__(self, owner: str, labels: tuple[str, ...], named: NamedMeasures) -> None:
        self.labels, self.motions, self.where = labels, [-1] * len(labels), ""
        self._pairs, self.sequence = named.rotation(owner)
        self._target = np.array([named.places.target(owner)])

    def kernel(self, k: int) -> TurnedRotation:
        pairs = self._pairs
        return TurnedRotation(pairs.carriers, self._target, pairs.axes1, pairs.axes2, np.eye(3)[[k]])


class RowNames(Sequence[Row]):
    """What the rows are called: those of the joints, then others."""

    def __init__(self, joints: JointTable, others: Sequence[Row]) -> None:
        self._joints, self._others, self._start = joints, others, joints.row_start.tolist()
        self._of_joints = self._start[-1]

    def __len__(self) -> int:
        return self._of_joints + len(self._others)

    @overload
    def __getitem__(self, index: int) -> Row: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[Row, ...]: ...

    def __getitem__(self, index: int | slice) -> Row | tuple[Row, ...]:
        if isinstance(index, slice):
            return tuple(self)[index]
        start, number = self._start, range(len(self))[index]
        if number >= self._of_joints:
            return self._others[number - self._of_joints]
        k = bisect_right(start, number) - 1
        item = self._joints.types[k].held[number - start[k]]
        return Row(self._joints.description.joints[k].name, item.label, "joint")

    def __iter__(self) -> Iterator[Row]:
        for entry, joint in zip(self._joints.description.joints, self._joints.types, strict=True):
            yield from (Row(entry.name, item.label, "joint") for item in joint.held)
        yield from self._others
