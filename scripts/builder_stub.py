"""Write `src/eigenbody/model/builder.pyi`: the keys of every type as editors and type checkers read them.

They are those of the registries of elements; after a change there: ./run python scripts/builder_stub.py
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from eigenbody.elements.vocabulary import VOCABULARY
from eigenbody.model import builder
from eigenbody.model.builtin import BUILTIN
from eigenbody.model.vocabulary import Field, Kind, TypeSpec

STUB = Path(builder.__file__).with_suffix(".pyi")
METHODS = {
    "bodies": "body", "flexible": "flexible", "markers": "marker", "frames": "frame", "joints": "joint",
    "rotors": "rotor",
    "couplings": "coupling", "measures": "measure", "forces": "force", "drivers": "driver", "states": "state",
    "blocks": "block", "inputs": "input", "outputs": "output",
}  # fmt: skip
HEAD = """# Written by scripts/builder_stub.py from the registries of elements.

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, Self, overload

import numpy as np

from eigenbody.model.model import InertModel

Number = float | str  # SI units, "3 mm" or "=2*k"
Vector = Sequence[Number] | np.ndarray
Signal = Number | Mapping[str, Any] | Callable[..., Any]  # "=sin(3*t)", {table: ...}, a Python function

class Builder(InertModel):
    def parameter(self, name: str, value: Number) -> Self: ...
    def variable(self, name: str, value: Signal) -> Self: ...
"""
HINTS = {
    Kind.NUMBER: "Number", Kind.VECTOR: "Vector", Kind.DIRECTION: "Vector", Kind.POINT: "Vector",
    Kind.POINTS: "Vector | Sequence[Vector]", Kind.ROTATION: "Mapping[str, Any]", Kind.INERTIA: "Any",
    Kind.TERMS: "Mapping[str, Number]", Kind.SIGNAL: "Signal", Kind.MOTION: "Any", Kind.EXPRESSION: "Number",
    Kind.PROFILE: "Number | Vector", Kind.NUMBERS: "Vector", Kind.MATRIX: "Sequence[Vector]", Kind.BODY: "str",
    Kind.BETWEEN: "Sequence[str]", Kind.MEASURE: "str", Kind.MEASURES: "Sequence[str]", Kind.INTEGER: "int",
    Kind.FLAG: "bool", Kind.TEXT: "str", Kind.FILE: "str", Kind.LABELS: "Sequence[str]",
}  # fmt: skip


def stub() -> str:
    """The text of the stub."""
    sections = dict(VOCABULARY.sections) | BUILTIN
    return HEAD + "".join(line for section, method in METHODS.items() for line in _method(method, sections[section]))


def _method(method: str, types: Mapping[str, TypeSpec]) -> Iterator[str]:
    for kind, spec in types.items():
        if len(types) > 1:
            yield "    @overload\n"
        typed = f', type: Literal["{kind}"]' if kind else ""
        yield f"    def {method}(\n        self, name: str{typed}, *,\n"
        for field in sorted(spec.fields, key=lambda field: not field.required):
            yield f"        {_keyword(field)}"
        yield f"    ) -> Self:\n{_docstring(spec)}"


def _keyword(field: Field) -> str:
    hint = HINTS.get(field.kind, "Any")
    if field.kind is Kind.CHOICE:
        hint = f"Literal[{', '.join(repr(choice).replace(chr(39), chr(34)) for choice in field.choices)}]"
    name = "in_" if field.name == "in" else field.name
    return f"{name}: {hint},\n" if field.required else f"{name}: {hint} | None = None,\n"


def _docstring(spec: TypeSpec) -> str:
    lines = [spec.doc.splitlines()[0] if spec.doc else spec.name]
    for field in spec.fields:
        unit = f" [{field.dimension}]" if isinstance(field.dimension, str) else ""
        lines.append(f"{field.name}{unit}: {field.doc}" if field.doc else f"{field.name}{unit}")
    text = "\n        ".join([lines[0] + "\n", *lines[1:]])
    return f'        """{text}\n        """\n'


if __name__ == "__main__":
    STUB.write_text(stub(), encoding="utf-8")
