"""The model on the bench, in a process of its own: read once, compiled once, evaluated at the numbers of the knobs."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from eigenbody.analyses.compiled import Evaluation, Evaluator, compiled
from eigenbody.analyses.drawing import Scene, scene_of
from eigenbody.analyses.modes import Modes
from eigenbody.analyses.report import summary
from eigenbody.base.errors import Fault, InputError
from eigenbody.elements.vocabulary import VOCABULARY
from eigenbody.model.faults import placed
from eigenbody.model.model import InertModel
from eigenbody.model.source import Source, read_text
from eigenbody.operating.find import operating_point
from eigenbody.studio import parts
from eigenbody.studio.knobs import Knob, as_documents, knobs_of, si_values
from eigenbody.studio.points import movable_points

LINE = re.compile(r"line (\d+)(?:, column (\d+))?\)?$")
UNHURRIED = 0.03  # seconds: parts that take longer wait until the hand rests
SECTIONS = (
    "bodies", "flexible", "markers", "joints", "couplings", "drivers", "measures", "forces", "states", "variables",
    "inputs", "outputs",
)  # fmt: skip

Message = tuple[str, dict[str, Any]]


def fault_documents(faults: tuple[Fault, ...]) -> list[dict[str, Any]]:
    """Faults with line and column (from 1; 0 where there is none) for the editor."""
    out = []
    for fault in faults[:200]:
        found = LINE.search(fault.where)
        line, column = (int(found[1]), int(found[2] or 0)) if found else (0, 0)
        out.append({"line": line, "column": column, "where": fault.where, "what": fault.what, "remedy": fault.remedy})
    return out


def model_of(text: str, label: str, folder: str) -> InertModel:
    """The model that a text describes; InputError with every fault of it. Files outside the folder are not read."""
    source = read_text(text, label, Path(label).stem or "model", Path(folder))
    return InertModel.from_source(source, VOCABULARY)


@dataclass(eq=False)
class Bench:
    """A model that was opened, and the last state that it was in."""

    version: int
    source: Source
    evaluator: Evaluator | None  # None: the model has no knobs
    knobs: tuple[Knob, ...]
    scene: Scene
    evaluation: Evaluation
    selected: int
    motion: np.ndarray | None = None  # of the selected mode
    drawn: dict[str, Any] = field(default_factory=dict)  # the drawing that the page has
    pace: dict[str, float] = field(default_factory=dict)  # seconds that each part took last

    # ---- opening

    @classmethod
    def opened(cls, version: int, text: str, label: str, folder: str) -> Bench:
        """Read, compile and evaluate a model as it is written."""
        model = model_of(text, label, folder)
        with _places(model.source):
            point = operating_point(model)
            knobs = knobs_of(model)
            evaluator = compiled(model, [knob.name for knob in knobs]) if knobs else None
            evaluation = evaluator() if evaluator is not None else Evaluation({}, point)
            scene = scene_of(evaluation.point)
            modes = evaluation.modes
        selected = next((i for i, kind in enumerate(modes.kinds[: parts.ROWS]) if kind == "oscillatory"), 0)
        return cls(version, model.source, evaluator, knobs, scene, evaluation, selected)

    def description(self) -> dict[str, Any]:
        """What the page needs to know once."""
        model = self.evaluation.model
        names = {section: list(self.source.data.get(section) or ()) for section in SECTIONS}
        return {
            "version": self.version, "name": model.name, "summary": summary(self.evaluation.point, self.modes),
            "knobs": as_documents(self.knobs), "names": names, "points": movable_points(self.source),
            "notes": [*model.notes, *self.evaluation.point.warnings, *self.scene.notes],
        }  # fmt: skip

    @property
    def modes(self) -> Modes:
        """Those at the numbers of now."""
        return self.evaluation.modes

    # ---- turning

    def turned(self, values: Mapping[str, float], selected: int) -> None:
        """Evaluate at other numbers; the selected mode is followed by its shape."""
        with _places(self.source):
            numbers = si_values(self.knobs, values)
            if self.evaluator is not None and dict(self.evaluation.values) != {**self.evaluator.own, **numbers}:
                self.evaluation = self.evaluator(numbers)
            modes = self.modes
        self.selected = selected
        if selected < 0:  # follow
            self.selected = 0 if self.motion is None else parts.same_mode(self.motion, modes)
        self.selected = max(0, min(self.selected, len(modes) - 1, parts.ROWS - 1))

    def messages(self, hurried: Callable[[], bool]) -> Iterator[Message]:
        """What the page shows now, what matters most first. While `hurried` (the hand moves on) slow parts are left
        out; they come when it rests."""
        modes = self.modes
        yield "state", self._timed("state", lambda: parts.state(modes, self.scene, self.selected))
        self.motion = modes.motion[self.selected] if len(modes) else None
        names = [knob.name for knob in self.knobs]
        makers: dict[str, Callable[[], dict[str, Any]]] = {
            "detail": lambda: parts.detail(modes, self.scene, self.selected),
            "slopes": lambda: {
                **parts.slopes(self.evaluation, names, self.selected),
                "si": {knob.name: knob.si(1.0) for knob in self.knobs},
            },
            "curves": lambda: parts.curves(modes),
            "loads": lambda: parts.loads(self.evaluation.point),
        }
        for kind in sorted(makers, key=lambda name: self.pace.get(name, 0.0)):
            if hurried() and self.pace.get(kind, 0.0) > UNHURRIED:
                continue
            yield kind, self._timed(kind, makers[kind])
        if not (hurried() and self.pace.get("scene", 0.0) > UNHURRIED):
            drawn = self._timed("scene", self._drawing)
            if drawn != self.drawn:
                self.drawn = drawn
                yield "scene", {"drawing": drawn}

    def _drawing(self) -> dict[str, Any]:
        self.scene = scene_of(self.evaluation.point)
        return self.scene.document()

    def _timed(self, kind: str, make: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        begin = time.perf_counter()
        with _places(self.source):
            made = make()
        self.pace[kind] = time.perf_counter() - begin
        return made


class _places:
    """Faults that are found while computing get their line in the text."""

    def __init__(self, source: Source) -> None:
        self.source = source

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        if isinstance(error, InputError):
            raise InputError(
                replace(fault, where=placed(self.source, fault.where)) for fault in error.faults
            ) from error
