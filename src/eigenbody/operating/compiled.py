"""A model compiled once for all values of some of its numbers.

Reading and compiling are recorded (base/recorded.py) and run again with other numbers, and where these do not move the
mechanism (masses, stiffnesses, loads) the kinematics of the start serve all of them. Everything else is found and
checked as for any model.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from eigenbody.base.errors import EigenbodyError, Fault, InputError
from eigenbody.base.recorded import AnotherBranch, Tape
from eigenbody.linearization.point import OperatingPoint, point_like, remember_system, system_of
from eigenbody.model.model import InertModel
from eigenbody.operating.find import operating_point
from eigenbody.system.compile import RecordedSystem
from eigenbody.system.system import System

MOST_BRANCHES = 16  # ways through the compilation that are kept: one for each set of conditions met


class _Branch:
    """One way through the compilation, and the operating point at which it was met first."""

    def __init__(self, model: InertModel, names: Sequence[str], values: Sequence[float]) -> None:
        tape = Tape(values)
        varied = model.with_values(dict(zip(names, tape.inputs, strict=True)))
        self.system = RecordedSystem(tape, varied.description)
        self.start: OperatingPoint | None = None


class Recording:
    """What was compiled of a model with open numbers. It does not hold the model, with which it is kept."""

    def __init__(self, is_possible: bool) -> None:
        self.branches: list[_Branch] = []
        self.is_possible = is_possible


class CompiledModel:
    """A model with open numbers, `names`: parameters, or any numbers of it by path."""

    def __init__(self, model: InertModel, names: Sequence[str], recording: Recording | None = None) -> None:
        self.model, self.names = model, tuple(names)
        self.recording = recording or _recording_of(model)
        asked = model.description.operating_point or {"type": "reference"}
        self._is_reference = asked["type"] == "reference"

    def __reduce__(self) -> tuple[type, tuple[InertModel, tuple[str, ...]]]:
        return type(self), (self.model, self.names)

    def model_at(self, values: Sequence[float]) -> InertModel | None:
        """The model with these numbers, compiled; None where its compilation is not recorded."""
        model, system, _ = self._found(values)
        return None if system is None else model

    def point_at(self, values: Sequence[float]) -> OperatingPoint:
        """The operating point that the model with these numbers asks for."""
        model, system, branch = self._found(values)
        if branch is None or system is None or not self._is_reference:
            return operating_point(model)
        if branch.start is not None and _move_alike(system, branch.start.system):
            return point_like(model, system, branch.start)
        point = operating_point(model)
        if branch.start is None and _is_drawn(point):
            branch.start = point
        return point

    def _found(self, values: Sequence[float]) -> tuple[InertModel, System | None, _Branch | None]:
        numbers = dict(zip(self.names, map(float, values), strict=True))
        kept = self.recording
        for branch in kept.branches:
            try:
                return self._of(branch, numbers)
            except AnotherBranch:
                continue
        with suppress(EigenbodyError):  # the model with these numbers is refused, and says so when it is used
            if kept.is_possible and len(kept.branches) < MOST_BRANCHES:
                branch = _Branch(self.model, self.names, list(numbers.values()))
                kept.is_possible = branch.system.is_whole
                if branch.system.is_whole:
                    kept.branches.append(branch)
                    return self._of(branch, numbers)
        return self.model.with_values(numbers), None, None

    def _of(self, branch: _Branch, numbers: Mapping[str, float]) -> tuple[InertModel, System, _Branch]:
        system = branch.system.with_inputs(list(numbers.values()))
        model = self.model.with_values(numbers, system.description)
        remember_system(model, system)
        return model, system, branch


def _is_drawn(point: OperatingPoint) -> bool:
    """Whether the mechanism stands as drawn: where it has to be assembled, masses decide how."""
    drawn = point.system.description.bodies
    return np.array_equal(point.state.r, drawn.position) and np.array_equal(point.state.R, drawn.rotation)


def _move_alike(a: System, b: System) -> bool:
    """Whether positions and velocities are the same at the start and measured alike, because these parts of the two are
    the same objects; masses, stiffnesses and loads may differ."""
    constant = a.constraints.constant, b.constraints.constant
    return all(mine is theirs for mine, theirs in zip(_moving_parts(a), _moving_parts(b), strict=True)) and (
        constant[0] is constant[1] or np.array_equal(*constant)  # drawn lengths are measured again
    )


def _moving_parts(s: System) -> tuple[Any, ...]:
    """All that positions and velocities depend on."""
    c, d = s.constraints, s.description
    return (
        s.dof, s.flexible, c.measures, c.row, c.measure, c.coefficient, c.motions, c.turned, s.slips, s.forces.measures,
        s.named, s.variations, s.sequences, s.tree, s.positions, s.velocities, s.initial_states, s.coordinates,
        s.algebraic, s.places.r, d.bodies.position, d.bodies.rotation, d.frames, d.inputs, d.weights,
    )  # fmt: skip


def _recording_of(model: InertModel) -> Recording:
    """Nothing yet; which one-sided drivers are closed is decided by the motion, which joints are open by rounding alone
    by the drawing, and nothing of that can be recorded."""
    is_closed = bool(system_of(model).description.closed)
    return Recording(not is_closed and all(entry.get("side") is None for entry in model.description.drivers))


_known: WeakKeyDictionary[InertModel, dict[tuple[str, ...], Recording]] = WeakKeyDictionary()


def compiled_model(model: InertModel, names: Sequence[str]) -> CompiledModel:
    """The model compiled for these open numbers; models are immutable, so once is enough."""
    kept = _known.setdefault(model, {})
    key = tuple(names)
    if len(set(key)) < len(key):
        twice = next(name for name in key if key.count(name) > 1)
        raise InputError(Fault(twice, "the number is named twice.", "Name each once."))
    if key not in kept:
        model.with_values(dict.fromkeys(key, 0.0))  # refuses unknown names
        kept[key] = _recording_of(model)
    return CompiledModel(model, key, kept[key])
