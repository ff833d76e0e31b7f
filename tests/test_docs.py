"""The documentation is true: its models load, its Python runs, its keys and types are those of the vocabulary."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import eigenbody as eb
from doc_pages import BLOCK, blocks
from eigenbody.elements.vocabulary import VOCABULARY
from eigenbody.model.builtin import BUILTIN, TOP_LEVEL
from eigenbody.model.expressions import FUNCTIONS

ROOT = Path(__file__).parents[1]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
RECIPES = {page.name for page in (ROOT / "docs" / "how-to").glob("*-*.md")}
RUN_ELSEWHERE = {"extending.md", "first-steps.md", *RECIPES}
# tests/test_extending.py registers what the page defines; tests/test_site.py does what tutorial and recipes say
every_page = pytest.mark.parametrize("page", PAGES, ids=lambda p: str(p.relative_to(ROOT)))


@every_page
def test_models_of_the_page(page: Path, tmp_path: Path) -> None:
    for block in blocks(page, "yaml"):
        if page.name != "extending.md" and block.text.startswith("eigenbody:"):
            file = tmp_path / f"{block.line}.yaml"
            file.write_text(block.text)
            assert eb.modes(eb.load(file)).certificate.tangent_error < 1e-12


@every_page
def test_python_of_the_page(page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    names: dict[str, object] = {}
    for block in blocks(page, "python"):
        if page.name not in RUN_ELSEWHERE:
            exec(compile(block.text, str(page), "exec"), names)


@every_page
def test_links_lead_somewhere(page: Path) -> None:
    text = BLOCK.sub("", page.read_text())
    for target in re.findall(r"\]\(([^)#]+)[^)]*\)", text):
        if not target.startswith("http"):
            assert (page.parent / target).exists(), target


@every_page
def test_tests_named_on_the_page_exist(page: Path) -> None:
    everything = "\n".join(path.read_text() for path in (ROOT / "tests").rglob("*.py"))
    for name in re.findall(r"::(test_\w+)", page.read_text()):
        assert f"def {name}(" in everything, name


def test_closed_forms_named_by_the_errata_exist() -> None:
    cases = (ROOT / "tests" / "support" / "closed_forms.py").read_text()
    text = " ".join((ROOT / "docs" / "theory" / "errata.md").read_text().split())
    quoted = [q for line in re.findall(r"losed forms? (.*?)(?:\.|\)|$)", text) for q in re.findall(r'"([^"]+)"', line)]
    assert len(quoted) > 8
    for name in quoted:
        known = name in cases or name.split(",")[0] in cases or re.sub(r" (for|back)wards$", "", name) in cases
        assert known, name


def sections_of_the_page() -> dict[str, str]:
    """Text below each second-level heading of the page on the model file."""
    text = (ROOT / "docs" / "model-file.md").read_text()
    parts = re.split(r"^## (.*)$", text, flags=re.MULTILINE)
    found = {}
    for heading, body in zip(parts[1::2], parts[2::2], strict=True):
        for name in re.findall(r"`(\w+)`", heading) or [heading]:
            found[name] = body
    return found


@pytest.mark.parametrize("section", [*BUILTIN, *VOCABULARY.sections])
def test_model_file_page_has_every_type_and_key(section: str) -> None:
    page = sections_of_the_page()[section]
    types = (dict(VOCABULARY.sections) | BUILTIN)[section]
    wanted = {name for name in types if name} | {field.name for spec in types.values() for field in spec.fields}
    missing = sorted(name for name in wanted if f"`{name}`" not in page and f"`{name}:" not in page)
    assert not missing


def test_model_file_page_has_every_top_level_key_and_function() -> None:
    text = (ROOT / "docs" / "model-file.md").read_text()
    assert not [key for key in TOP_LEVEL if f"`{key}`" not in text]
    functions = re.search(r"the functions `([^`]*)`", text)
    assert functions is not None
    assert set(functions[1].split()) == set(FUNCTIONS)


def test_conventions_have_every_joint_with_its_rows_and_coordinates() -> None:
    table = (ROOT / "docs" / "conventions.md").read_text().split("## Joint coordinates")[1].split("## Rot")[0]
    from eigenbody.elements.joints import JOINTS

    found = {}
    for types, rows, coordinates in re.findall(r"^\| (`.*?) \| (\d)[^|]*\| (.*?) ?\|$", table, re.MULTILINE):
        for name in re.findall(r"`(\w+)`", types):
            found[name] = (int(rows), [c for c in re.findall(r"`(\w+)`", coordinates) if not c.startswith("axis")])
    expected = {n: (len(j.held) + len(j.slips), [c.label for c in j.free]) for n, j in JOINTS.items()}
    assert found == expected
