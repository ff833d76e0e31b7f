"""What is handed out: the wheel has the whole package and nothing else, its version stands in one place, and the recipe
for conda says the same as pyproject.toml."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
import zipfile
from email import message_from_string
from pathlib import Path

import pytest
import yaml

from eigenbody.base.version import __version__

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
RENAMED = {"matplotlib": "matplotlib-base"}  # conda: without a window system


def tracked(folder: str) -> set[str]:
    """Files that the repository has there."""
    words = ["git", "ls-files", "--cached", "--others", "--exclude-standard", folder]
    found = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    if found.returncode:
        pytest.skip("this is no repository")
    return {name for name in found.stdout.splitlines() if (ROOT / name).is_file()}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    builder = pytest.importorskip("hatchling.builders.wheel", reason="hatchling is not installed").WheelBuilder
    (path,) = builder(str(ROOT)).build(directory=str(tmp_path_factory.mktemp("dist")))
    return zipfile.ZipFile(path)


def test_the_wheel_has_the_package_and_nothing_else(wheel: zipfile.ZipFile) -> None:
    inside = {name for name in wheel.namelist() if ".dist-info/" not in name}
    assert inside == {name.removeprefix("src/") for name in tracked("src/eigenbody")}
    assert "eigenbody/py.typed" in inside
    assert any(name.endswith(".html") for name in inside)


def bare(requirement: str) -> str:
    return re.split(r"[<>=]", requirement)[0]


def test_the_wheel_says_what_it_is(wheel: zipfile.ZipFile) -> None:
    (name,) = (name for name in wheel.namelist() if name.endswith("/METADATA"))
    told = message_from_string(wheel.read(name).decode())
    assert (told["Version"], told["Requires-Python"]) == (__version__, PROJECT["requires-python"])
    plain = [text for text in told.get_all("Requires-Dist", []) if "extra ==" not in text]
    assert {re.split(r"[<>=]", text)[0] for text in plain} == {
        re.split(r"[<>=]", t)[0] for t in PROJECT["dependencies"]
    }
    assert any(name.endswith("/licenses/LICENSE") for name in wheel.namelist())


def test_the_version_stands_in_one_place() -> None:
    """But for the recipe, which cannot read it, and which the next test compares."""
    assert PROJECT["dynamic"] == ["version"]
    named = {"CHANGELOG.md", "conda/recipe.yaml", "src/eigenbody/base/version.py"}
    for name in tracked(".") - named:
        path = ROOT / name
        if path.suffix in (".py", ".toml", ".yaml", ".yml", ".cff", ".cfg") and not name.startswith(
            "benchmarks/results"
        ):
            assert __version__ not in path.read_text(encoding="utf-8"), name


def test_the_recipe_is_that_of_the_project() -> None:
    recipe = yaml.safe_load((ROOT / "conda" / "recipe.yaml").read_text(encoding="utf-8"))
    assert recipe["context"]["version"] == __version__
    run = dict(text.split(maxsplit=1) for text in recipe["requirements"]["run"])
    assert run.pop("python") == PROJECT["requires-python"]
    wanted = dict(re.fullmatch(r"([\w-]+)(.*)", text).groups() for text in PROJECT["dependencies"])  # type: ignore[union-attr]
    assert run == {RENAMED.get(name, name): bounds for name, bounds in wanted.items()}
    assert recipe["about"]["summary"] == PROJECT["description"]
    assert recipe["about"]["license"] == PROJECT["license"]
    (entry,) = recipe["build"]["python"]["entry_points"]
    assert entry.split(" = ") == list(*PROJECT["scripts"].items())
    host = dict(text.split(maxsplit=1) for text in recipe["requirements"]["host"] if " " in text)
    build = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["build-system"]["requires"]
    assert [f"hatchling{host['hatchling']}"] == build


@pytest.mark.slow
def test_wheel_and_archive_work_in_fresh_environments() -> None:
    pytest.importorskip("hatchling", reason="hatchling is not installed")
    words = [sys.executable, str(ROOT / "scripts" / "packages.py")]
    found = subprocess.run(words, capture_output=True, text=True, check=False, timeout=280)
    assert found.returncode == 0, found.stdout
    assert found.stdout.count("report.html") == 2
