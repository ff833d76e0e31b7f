"""docs/comparison.md is true: eigenbody's rows are computed again, the others are those of the recorded run."""

from __future__ import annotations

import py_compile
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import eigenbody as eb

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "comparison"
PAGE = (ROOT / "docs" / "comparison.md").read_text()
RECORD = (FOLDER / "results" / "2026-11-16.txt").read_text()
SCRIPTS = sorted(FOLDER.glob("*.py"))
TOOLS = ("eigenbody", "exudyn", "mujoco", "drake", "pinocchio", "ross", "sympy")
CASES = {
    "Hanging pendulum": "pendulum",
    "Parallelogram": "parallelogram",
    "Upside down, closed by a point constraint": "upside down",
    "Splayed four-bar": "four-bar",
    "Spinning rotor": "rotor",
    "Rotor with two discs": "two discs",
}
NUMBERS = re.compile(r"-?\d+(?:\.\d+)?")


def rows(heading: str) -> list[list[str]]:
    """Cells of the table below a heading, without its head."""
    text = PAGE.split(f"\n## {heading}\n")[1].split("\n## ")[0]
    found = [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if line[:1] == "|"]
    return found[2:]


def numbers(text: str) -> list[float]:
    return [float(x) for x in NUMBERS.findall(text)]


def recorded(tool: str, case: str) -> list[tuple[str, str]]:
    """Ways and results that a script printed for a case."""
    block = next(b for b in RECORD.split("\n\n") if b.strip().lower().startswith(tool.lower()))
    lines = [line for line in block.splitlines() if line[2:16].strip() == case]
    return [(line[17:55].strip(), line[55:].split("exact")[0].strip()) for line in lines]


@pytest.fixture(scope="module")
def scripts() -> dict[str, ModuleType]:
    sys.path.insert(0, str(FOLDER))
    try:
        import cases
        import eigenbody_cases
    finally:
        sys.path.remove(str(FOLDER))
    return {"cases": cases, "eigenbody": eigenbody_cases}


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda p: p.name)
def test_scripts_compile_and_are_described(script: Path, tmp_path: Path) -> None:
    py_compile.compile(str(script), cfile=str(tmp_path / "x.pyc"), doraise=True)
    assert f"`{script.name}`" in (FOLDER / "README.md").read_text() or script.name == "run.py"
    if script.stem.endswith("_cases"):
        assert f"(../comparison/{script.name})" in PAGE


def test_every_tool_has_a_script_and_an_installer() -> None:
    assert {script.stem.removesuffix("_cases") for script in SCRIPTS if script.stem.endswith("_cases")} == set(TOOLS)
    installer = (FOLDER / "install.sh").read_text()
    peers = (ROOT / "benchmarks" / "peers" / "install.sh").read_text()
    for tool in TOOLS[1:]:
        assert re.search(rf"set -- .*\b{tool}\b", installer), tool
        assert re.search(rf"^ .*\b{tool}\b.*\) .*package=", peers, re.MULTILINE), tool


def test_exact_values_of_the_page(scripts: dict[str, ModuleType]) -> None:
    """Closed forms of cases.py against the values stated under each heading."""
    cases = scripts["cases"]
    sections = dict(part.split("\n", 1) for part in PAGE.split("\n## ")[1:])
    texts = {heading: re.search(r"Exact: (.*?)(?:1/s²|\n\n)", text, re.DOTALL) for heading, text in sections.items()}
    stated = {heading: numbers(found[1]) for heading, found in texts.items() if found}
    expected = {
        "Hanging pendulum": [cases.PENDULUM],
        "Parallelogram": [cases.PARALLELOGRAM],
        "Upside down, closed by a point constraint": [-cases.PARALLELOGRAM],
        "Splayed four-bar": [cases.four_bar()],
        "Spinning rotor": [*cases.ROTOR, *cases.ROTOR_TURNING],
    }
    assert stated.keys() == expected.keys()
    for heading, values in expected.items():
        assert stated[heading] == [round(value, 3) for value in values], heading


def test_four_bar_against_a_root_of_the_loop(scripts: dict[str, ModuleType]) -> None:
    """The implicit derivatives of the exact value against the energy of the loop closed numerically."""
    from scipy.optimize import brentq

    height = 0.75**0.5

    def potential(turn: float) -> float:
        """Sum of heights of the centres, the left crank turned; m = g = 1."""
        a = np.arctan2(-height, 0.5) + turn
        pin = np.array([np.cos(a), np.sin(a)])

        def end(b: float) -> np.ndarray:
            return pin + np.array([np.cos(b), np.sin(b)])

        b = brentq(lambda b: np.hypot(*(end(b) - np.array([2.0, 0.0]))) - 1, -0.7, 0.7, xtol=1e-15)
        return float(pin[1] / 2 + (pin[1] + end(b)[1]) / 2 + end(b)[1] / 2)

    h = 1e-3
    weights = {-2: -1, -1: 16, 0: -30, 1: 16, 2: -1}
    second = sum(weight * potential(k * h) for k, weight in weights.items()) / (12 * h**2)
    # rates at the drawn position: cranks turn alike, the coupler turns against them about the pole at (1, -2 height)
    coupler = -1.0
    pole_to_centre = height * abs(coupler)
    inertia = 2 / 3 + coupler**2 / 12 + pole_to_centre**2
    assert scripts["cases"].four_bar() == pytest.approx(9.81 * second / inertia, rel=1e-6)


def results(scripts: dict[str, ModuleType], case: str, way: str) -> list[float]:
    """What eigenbody gives now for a row of the page."""
    own = scripts["eigenbody"]
    if case == "rotor":
        return list(own.whirl(turning="turn" in way))
    if case == "two discs":
        return list(own.two_discs(int(way.split()[0])))
    models = {
        "pendulum": lambda: eb.load(own.EXAMPLES / "hanging_pendulum.yaml"),
        "parallelogram": lambda: eb.load(own.EXAMPLES / "parallelogram.yaml"),
        "upside down": own.upside_down,
        "four-bar": own.splayed,
    }
    return [own.squared(models[case]())]


@pytest.mark.parametrize("heading", CASES)
def test_eigenbody_of_the_page(heading: str, scripts: dict[str, ModuleType]) -> None:
    mine = [row for row in rows(heading) if row[0] == "eigenbody"]
    assert mine
    for row in mine:
        assert numbers(row[2]) == [round(v, 3) for v in results(scripts, CASES[heading], row[1])], row


def test_eigenbody_is_exact(scripts: dict[str, ModuleType]) -> None:
    """Not only to the three digits of the page."""
    own, cases = scripts["eigenbody"], scripts["cases"]
    assert own.squared(own.upside_down()) == pytest.approx(-cases.PARALLELOGRAM, rel=1e-12)
    assert own.squared(own.splayed()) == pytest.approx(cases.four_bar(), rel=1e-12)
    assert own.whirl() == pytest.approx(cases.ROTOR, rel=1e-12)
    assert own.whirl(turning=True) == pytest.approx(cases.ROTOR_TURNING, rel=1e-12)


@pytest.mark.parametrize("heading", CASES)
def test_others_of_the_page_are_as_recorded(heading: str) -> None:
    checked = 0
    for tool, way, found, *_ in rows(heading):
        if tool.lower() not in TOOLS or tool == "eigenbody":
            continue
        first = way.removesuffix(" or angles")
        lines = [text for recorded_way, text in recorded(tool, CASES[heading]) if recorded_way.startswith(first)]
        assert lines, (tool, way)
        for line in lines:
            if found == "none":
                assert "refuses" in line or "nan" in line
            else:
                assert line == found, (tool, way)
        checked += 1
    assert checked >= 2


def test_versions_of_the_page_are_as_recorded() -> None:
    stated = re.findall(r"^\| (\w+) \| (\d[\w.]*) \| \[", PAGE, re.MULTILINE)
    assert {tool.lower() for tool, _ in stated} == set(TOOLS)
    for tool, version in stated:
        assert f"\n{tool} {version}\n" in RECORD, tool


def test_a_tool_that_is_not_installed_is_named(tmp_path: Path) -> None:
    environment = {"EIGENBODY_PEERS": str(tmp_path), "PATH": ""}
    run = [sys.executable, str(FOLDER / "run.py")]
    done = subprocess.run([*run, "drake"], capture_output=True, text=True, env=environment, check=True)
    assert "drake: not installed; sh comparison/install.sh drake" in done.stdout
    wrong = subprocess.run([*run, "adams"], capture_output=True, text=True, env=environment, check=False)
    assert wrong.returncode == 2
    assert "no such tool: adams" in wrong.stderr
