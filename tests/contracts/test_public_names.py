"""The public names stand in one list; what editors, type checkers and `dir` see is made from it."""

import subprocess
import sys
from pathlib import Path
from runpy import run_path

import pytest

import eigenbody as eb
from eigenbody.model.builder import Builder

ROOT = Path(__file__).parents[2]


def test_the_stub_is_that_of_the_list() -> None:
    script = run_path(str(ROOT / "scripts" / "public_names.py"))
    assert script["STUB"].read_text(encoding="utf-8") == script["stub"](), "run scripts/public_names.py"


def test_the_keys_of_the_builder_are_those_of_the_registries() -> None:
    script = run_path(str(ROOT / "scripts" / "builder_stub.py"))
    assert script["STUB"].read_text(encoding="utf-8") == script["stub"](), "run scripts/builder_stub.py"
    assert set(script["METHODS"].values()) | {"parameter", "variable"} == {
        name for name in vars(Builder) if not name.startswith("_")
    }


def test_dir_lists_the_public_names() -> None:
    assert dir(eb) == sorted(eb.__all__)
    assert len(set(eb.__all__)) == len(eb.__all__)
    assert {"load", "modes", "Model", "InputError", "__version__"} <= set(dir(eb))


@pytest.mark.parametrize("name", eb.__all__)
def test_a_public_name_is_defined_where_the_list_says(name: str) -> None:
    value = getattr(eb, name)
    assert value.__name__ == name if name != "__version__" else value.count(".") >= 2


def test_nothing_is_imported_before_it_is_used() -> None:
    code = "import sys, eigenbody; print([m for m in sys.modules if m.startswith('eigenbody.') or m == 'numpy'])"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert out.strip() == "[]"


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'mods'"):
        _ = eb.mods  # type: ignore[attr-defined]
