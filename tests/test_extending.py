"""docs/extending.md is true: its code blocks are executed as printed, registered, and used by the model on the page."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import eigenbody as eb
from eigenbody.elements.forces import FORCES
from eigenbody.elements.joints import JOINTS
from eigenbody.elements.measures.types import MEASURES
from eigenbody.elements.vocabulary import VOCABULARY
from eigenbody.model.schema import json_schema

PAGE = (Path(__file__).parents[1] / "docs" / "extending.md").read_text()


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


@pytest.fixture
def page() -> Iterator[dict[str, Any]]:
    """Names that the Python blocks define; the registries are put back afterwards."""
    registries: list[Any] = [
        JOINTS,
        MEASURES,
        FORCES,
        *(VOCABULARY.sections[s] for s in ("joints", "measures", "forces")),
    ]
    before = [dict(registry) for registry in registries]
    names: dict[str, Any] = {}
    try:
        for block in blocks("python"):
            exec(compile(block, "docs/extending.md", "exec"), names)
        yield names
    finally:
        for registry, content in zip(registries, before, strict=True):
            registry.clear()
            registry.update(content)


@pytest.fixture
def document(page: dict[str, Any], tmp_path: Path) -> dict[str, Any]:
    (text,) = blocks("yaml")
    file = tmp_path / "model.yaml"
    file.write_text(text)
    return eb.load(file).document


def test_model_of_the_page(document: dict[str, Any]) -> None:
    modes = eb.modes(eb.load(document))
    assert modes.linear.coordinates == ("pin.displacement", "pin.angle", "sight")
    carriage, bob = (500 + 3 * 2e4 * 0.1**2) / 2, 9.81 / 0.5  # (k + 3 k3 s0^2) / (m1 + m2) along, g/l across
    assert modes.eigenvalues[:2] == pytest.approx([0, 0])
    assert np.imag(modes.eigenvalues[2:]) ** 2 == pytest.approx([bob, carriage], rel=1e-12)
    assert modes.linear.point.is_equilibrium
    assert modes.certificate.tangent_error < 1e-12


def test_new_elements_have_exact_tangents_in_motion(document: dict[str, Any]) -> None:
    """Off equilibrium and moving, every derivative of the new kernels is in the tangents the certificate checks."""
    document["joints"]["pin"] |= {"position": [0.1, 0.3], "velocity": [0.4, 2.0]}
    document["joints"]["hinge"] |= {"position": 0.7, "velocity": -1.5}
    document["forces"]["buffer"] |= {"c": 3}
    document["forces"]["sighting"] = {"type": "spring", "along": "sight", "k": 2, "c": 0.1}
    document["drivers"] = {"d": {"measure": "sight", "motion": "=0.2*sin(3*t)"}}
    del document["joints"]["hinge"]["position"], document["joints"]["hinge"]["velocity"]
    certificate = eb.linearize(eb.load(document)).certificate
    assert certificate.tangent_error < 1e-12
    assert max(certificate.drift) < 1e-9


def test_vocabulary_and_schema_know_the_new_types(page: dict[str, Any], document: dict[str, Any]) -> None:
    schema = json_schema(VOCABULARY)
    assert {"joints-slot", "measures-azimuth", "forces-rubber"} <= set(schema["$defs"])
    document["forces"]["buffer"]["hardening"] = document["forces"]["buffer"].pop("k3")
    with pytest.raises(eb.InputError, match='"k3" is missing'):
        eb.load(document)


def test_registries_are_as_before() -> None:
    assert "slot" not in JOINTS
    assert "rubber" not in VOCABULARY.sections["forces"]
