"""The model a user holds: immutable, validated when it is first used, extended by making new ones."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Any, Self

from eigenbody.base.errors import Fault, InputError
from eigenbody.model.building import refuse_wrong_entry
from eigenbody.model.builtin import TOP_LEVEL, VERSION
from eigenbody.model.description import Description
from eigenbody.model.expressions import Expression
from eigenbody.model.faults import Faults
from eigenbody.model.files import with_files_from
from eigenbody.model.flexible import Expansions
from eigenbody.model.frozen import FrozenDict
from eigenbody.model.names import measure_dimensions
from eigenbody.model.paths import locate, replaced
from eigenbody.model.poses import spelled_out, without_positions
from eigenbody.model.resolve import resolve
from eigenbody.model.source import PathItem, Source, read, shown
from eigenbody.model.values import Values
from eigenbody.model.vocabulary import Vocabulary


class InertModel:
    """A mechanism as its author described it, in the words of a vocabulary. Every method returns a new model.

    Inert: what is computed of it is computed elsewhere. `eb.Model` is this with the vocabulary of all elements.

    `model.with_entry("bodies", "bob", {"mass": 1, "at": [0, 0, -1]})`
    """

    def __init__(
        self,
        document: Mapping[str, Any] | Source | None = None,
        *,
        vocabulary: Vocabulary,
        overrides: Mapping[str, object] | None = None,
    ) -> None:
        self._source = read({"eigenbody": VERSION} if document is None else document)
        self._vocabulary = vocabulary
        self._overrides = FrozenDict(overrides or {})
        self._known: Description | None = None
        self._expansions = Expansions()

    @classmethod
    def from_source(
        cls,
        source: Source,
        vocabulary: Vocabulary,
        overrides: Mapping[str, object] | None = None,
        validate: bool = True,
        description: Description | None = None,
        expansions: Expansions | None = None,
    ) -> Self:
        """Model of a file that was read; its faults are raised at once. `description`: where it is known already,
        `expansions`: those of a model that it was made from."""
        model = cls.__new__(cls)
        model._source, model._vocabulary, model._overrides = source, vocabulary, FrozenDict(overrides or {})
        model._expansions = Expansions() if expansions is None else expansions
        model._known = model._resolved() if validate else description
        return model

    # ---- what it is

    @cached_property
    def description(self) -> Description:
        """The resolved description; raises InputError with all faults of the model."""
        return self._resolved() if self._known is None else self._known

    def _resolved(self) -> Description:
        return resolve(self._source, self._vocabulary, self._overrides, expansions=self._expansions)

    @property
    def name(self) -> str:
        """Name of the model."""
        name = self._source.data.get("name")
        return name if isinstance(name, str) else self._source.name

    @property
    def notes(self) -> tuple[str, ...]:
        """What was dropped, renamed or repaired when the model was read from a file of another format."""
        return self._source.notes

    @property
    def parameters(self) -> Mapping[str, float]:
        """SI values of the parameters."""
        return self.description.parameters

    @property
    def formulas(self) -> Mapping[tuple[PathItem, ...], Expression]:
        """Every expression that the model writes in place of a number, by its place, parameters unresolved:
        `("bodies", "bar", "mass")`, `("joints", "a", "at", 2)`."""
        found: dict[tuple[PathItem, ...], Expression] = {}
        resolve(self._source, self._vocabulary, self._overrides, found)
        return MappingProxyType(found)

    @property
    def vocabulary(self) -> Vocabulary:
        """The element types that the model may use."""
        return self._vocabulary

    @property
    def document(self) -> dict[str, Any]:
        """The model as plain data (a copy), overridden parameters included."""
        return copy.deepcopy(self.source.data)

    @property
    def source(self) -> Source:
        """The document with its places and the folder of its files: all that builds the same model elsewhere."""
        data = self._source.data
        if not self._overrides:
            return self._source
        return self._source.with_data({**data, "parameters": {**data.get("parameters", {}), **self._overrides}})

    def document_in(self, folder: Path) -> dict[str, Any]:
        """The document to be written in another folder: the files that it names are the same."""
        return with_files_from(folder, self.source, self._vocabulary)

    def where(self, *path: PathItem) -> str:
        """Place of an item for messages: `joints.b.axis (rotor.yaml, line 12)`."""
        return self._source.where(path)

    def _count(self, section: str) -> int:
        entries = self._source.data.get(section)
        return len(entries) if isinstance(entries, dict) else 0

    def __repr__(self) -> str:
        counts = []
        for one, many in (("body", "bodies"), ("joint", "joints"), ("force", "forces")):
            number = self._count(many)
            counts.append(f"{number} {one if number == 1 else many}")
        return f"Model({self.name!r}: {', '.join(counts)})"

    # ---- new models from this one

    def with_parameters(self, values: Mapping[str, object] | None = None, /, **more: object) -> Self:
        """The same model with other parameter values: numbers, quantities with units or expressions."""
        new = {**(values or {}), **more}
        given = self._source.data.get("parameters")
        known = list(given) if isinstance(given, dict) else []
        faults = Faults(self._source)
        for name in new:
            if name not in known:
                what = f'there is no parameter "{shown(name)}" to set.'
                faults.add(("parameters",), what, faults.nearest(str(name), known))
        faults.raise_if_any()
        overrides = {**self._overrides, **new}
        return self.from_source(self._source, self._vocabulary, overrides, validate=False, expansions=self._expansions)

    def written(self, name: str) -> Any:
        """How the model writes a parameter or a number by path: a number, a quantity or an expression."""
        path, given = locate(self._source, name)
        return self._overrides.get(str(path[1]), given) if path[0] == "parameters" else given

    def value_of(self, name: str) -> float:
        """SI value of a parameter or of any number by path: `k`, `bodies.rotor.mass`, `joints.b.at[2]`."""
        path, given = locate(self._source, name)
        if path[0] == "parameters":
            return self.parameters[str(path[1])]
        faults = Faults(self._source)
        number = Values(faults, dict(self.parameters)).number(given, None, path)
        faults.raise_if_any()
        assert number is not None
        return float(number.real)

    def with_values(self, values: Mapping[str, object], description: Description | None = None) -> Self:
        """The same model with other numbers by path: `{"k": 1200, "bodies.rotor.mass": 3, "joints.b.at[2]": 0.1}`.

        `description` spares it the reading where that is known already.
        """
        data, overrides = self._source.data, dict(self._overrides)
        for text, value in values.items():
            path, _ = locate(self._source, text)
            if path[0] == "parameters":
                overrides[str(path[1])] = value
            else:
                data = replaced(data, path, value)
        source = self._source if data is self._source.data else self._source.with_data(data)
        return self.from_source(
            source, self._vocabulary, overrides, validate=False, description=description, expansions=self._expansions
        )

    def posed(self, pose: str | Mapping[str, Any] | None = None, /, **more: Any) -> Self:
        """The drawing put into a pose: one of the model's `poses` by name, or values of joint coordinates and other
        measures (numbers, quantities, expressions). Values replace those of the same coordinates in the pose that the
        model is in already; a name begins anew. Given values hold exactly, loops follow them."""
        data, measures = self._source.data, measure_dimensions(self.description, self._vocabulary)
        values = {**(pose if isinstance(pose, Mapping) else {}), **more}
        here: Any = pose if isinstance(pose, str) else data.get("pose") or {}
        if isinstance(here, str) and here not in self.description.poses:
            faults = Faults(self._source)
            faults.unknown(("poses",), "pose", here, list(self.description.poses))
            faults.raise_if_any()
        if isinstance(here, str) and values:
            here = data["poses"][here]
        if not isinstance(here, str):
            here = {**spelled_out(here, measures), **spelled_out(_as_data(values), measures)}
        now = self.set(pose=here)
        asked = data.get("operating_point")
        left = without_positions(asked, now.description.pose, measures)
        return now if left == asked else now.set(operating_point=left)

    def set(self, **top_level: Any) -> Self:
        """The same model with other top-level values: `gravity`, `name`, `coordinates`, `operating_point`, ..."""
        faults = Faults(self._source)
        for key in top_level:
            if key not in TOP_LEVEL:
                faults.unknown((key,), "section", key, TOP_LEVEL)
        faults.raise_if_any()
        return self._replaced({**self._source.data, **_as_data(top_level)})

    def _replaced(self, data: dict[str, Any]) -> Self:
        return self.from_source(self._source.rewritten(data), self._vocabulary, self._overrides, validate=False)

    def with_entry(self, section: str, name: str, entry: Any) -> Self:
        """The same model with one entry more in a section; what is wrong with it by itself is refused."""
        existing = self._source.data.get(section) or {}
        if not isinstance(name, str):
            raise InputError(Fault(section, f"a name is a string, not {shown(name)}."))
        if name in existing:
            where = self._source.where((section, name))
            raise InputError(Fault(where, f'the name "{shown(name)}" is taken already.', "Choose another name."))
        data = _as_data(entry)
        refuse_wrong_entry(self._source, self._vocabulary, section, name, data)
        return self._replaced({**self._source.data, section: {**existing, name: data}})


def _as_data(value: Any) -> Any:
    return read({"value": value}).data["value"]
