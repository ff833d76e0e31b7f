"""docs/elements.md is what scripts/elements.py writes from the registry, and its examples are models."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

import eigenbody as eb
from eigenbody.elements.vocabulary import VOCABULARY

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "scripts"))
import elements  # noqa: E402

EVERY = [(section, name) for section in VOCABULARY.sections for name in VOCABULARY.types(section)]


def test_the_page_is_what_the_script_writes() -> None:
    assert elements.PAGE.read_text(encoding="utf-8") == elements.page(), "run scripts/elements.py"


def test_every_type_and_key_of_the_registry_is_on_the_page() -> None:
    text = elements.PAGE.read_text(encoding="utf-8")
    assert {(section, spec.name) for section, spec in elements.elements()} == set(EVERY)
    for section, name in EVERY:
        part = text.split(f"## {elements.SECTIONS[section][0]}\n")[1].split("\n## ")[0]
        assert not name or f"\n### {name}\n" in part, (section, name)
        keys = {field.name for field in VOCABULARY.types(section)[name].fields}
        assert not [key for key in keys if f"| `{key}`" not in part], (section, name)


def test_every_element_has_a_picture_with_something_on_it() -> None:
    """And no picture is left over."""
    wanted = {elements.file_of(section, name) for section, name in EVERY}
    assert {path.name for path in elements.PICTURES.iterdir()} == wanted
    for name in wanted:
        text = (elements.PICTURES / name).read_text(encoding="utf-8")
        assert len(re.findall(r"<(polygon|polyline|path|circle|text)", text)) >= 1, name
        assert "nan" not in text, name


@pytest.mark.parametrize(("section", "name"), EVERY)
def test_the_example_is_a_model(section: str, name: str) -> None:
    """Read, and linearized with tangents that are those of its equations."""
    model = elements.example(section, name)
    assert eb.modes(model).certificate.tangent_error < 1e-11
    given = elements.document(section, name)[section]
    kinds = {entry.get("type", "") for entry in given.values()}
    assert name in kinds


def test_pictures_are_made_from_the_examples() -> None:
    """One of each kind: a scene, a curve and a sign, drawn anew."""
    for section, name in (("forces", "spring"), ("forces", "friction"), ("blocks", "pid")):
        made = elements.picture(section, name)
        kept = (elements.PICTURES / elements.file_of(section, name)).read_text(encoding="utf-8")
        assert len(made.splitlines()) == len(kept.splitlines())
