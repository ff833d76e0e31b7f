"""The model on the bench, in a process of its own: read once, compiled once, evaluated at the numbers of the knobs.

Two processes have one each: the first answers every turn of a knob with what must follow at once (`state`), the second
makes everything else (`rest`) as often as it can.
"""

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
from eigenbody.pages.studio import parts
from eigenbody.pages.studio.knobs import Knob, as_documents, knobs_of, si_values
from eigenbody.pages.studio.limits import GivenUp, limited
from eigenbody.pages.studio.points import movable_points

LINE = re.compile(r"line (\d+)(?:, column (\d+))?\)?$")
SHARE = 4  # while the hand moves on, a part is made so often that it takes at most one part in so many of the time
SECTIONS = (
    "bodies", "flexible", "markers", "joints", "couplings", "drivers", "measures", "forces", "states", "variables",
    "inputs", "outputs",
)  # fmt: skip

LONGEST = 3.0  # seconds of the processor that one part may take
EMPTY: dict[str, dict[str, Any]] = {
    "detail": {"labels": [], "mode": None},
    "slopes": {"slopes": {}, "best": [], "effects": {}, "si": {}},
    "curves": {"frf": [], "step": []},
    "loads": {"point": "not known", "reactions": []},
    "scene": {},
}

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
    too_long: set[str] = field(default_factory=set)  # parts that are left out
    shown: dict[str, float] = field(default_factory=dict)  # when it was sent last

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

    def state(self) -> dict[str, Any]:
        """What must follow the hand at once: poles, table of modes, the moving shape."""
        with _places(self.source):
            found = parts.state(self.modes, self.scene, self.selected)
        self.motion = self.modes.motion[self.selected] if len(self.modes) else None
        return found

    def rest(self, hurried: Callable[[], bool]) -> Iterator[Message]:
        """Everything else that the page shows, what waits longest first. While `hurried` (something newer waits) each
        part has its share of the time; all come when the hand rests."""
        modes = self.modes
        names = [knob.name for knob in self.knobs]
        makers: dict[str, Callable[[], dict[str, Any]]] = {
            "scene": self._drawing,
            "detail": lambda: parts.detail(modes, self.scene, self.selected),
            "slopes": lambda: {
                **parts.slopes(self.evaluation, names, self.selected),
                "si": {knob.name: knob.si(1.0) for knob in self.knobs},
            },
            "curves": lambda: parts.curves(modes),
            "loads": lambda: parts.loads(self.evaluation.point),
        }
        for kind in sorted(makers, key=lambda name: self.shown.get(name, 0.0)):
            if hurried() and time.perf_counter() - self.shown.get(kind, 0.0) < SHARE * self.pace.get(kind, 0.0):
                continue
            made = self._tried(kind, makers[kind])
            self.shown[kind] = time.perf_counter()
            if made:
                yield kind, made

    def _tried(self, kind: str, make: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        """A part, or why there is none where it takes too long: then it is not tried again with this text."""
        if kind in self.too_long:
            return {}
        begin = time.perf_counter()
        try:
            with limited(LONGEST), _places(self.source):
                return make()
        except GivenUp:
            self.too_long.add(kind)
            return {**EMPTY[kind], "why": f"This takes longer than {LONGEST:g} s here and is left out."}
        finally:
            self.pace[kind] = time.perf_counter() - begin

    def _drawing(self) -> dict[str, Any]:
        """The drawing; nothing where the page has it already."""
        self.scene = scene_of(self.evaluation.point)
        drawn = self.scene.document()
        if drawn == self.drawn:
            return {}
        self.drawn = drawn
        return {"drawing": drawn}


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
