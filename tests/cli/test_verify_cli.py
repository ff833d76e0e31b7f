"""`eigenbody verify` and `linearize --method`: document, table, exit codes, files, refusals."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from eigenbody.analyses.verify.routes import route_named
from eigenbody.cli import main

EXAMPLES = Path(__file__).parents[2] / "examples"
SLIDER = str(EXAMPLES / "slider_pendulum.yaml")
TABLE = str(EXAMPLES / "isolated_table.yaml")
PARALLELOGRAM = str(EXAMPLES / "parallelogram.yaml")


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    try:
        code = main(list(arguments))
    except SystemExit as stop:
        code = int(stop.code or 0)
    out, err = capsys.readouterr()
    return code, out, err


def test_document(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "verify", SLIDER, "--json")
    document = json.loads(out)
    assert code == 0
    assert document["verdict"] == "agree"
    assert document["tolerance"] == 1e-8
    found = {route["name"]: route for route in document["routes"]}
    assert set(found) == {"relative", "kane", "topology", "difference", "symbolic"}
    assert list(found["symbolic"]) == [
        "name", "title", "source", "is_independent", "applies", "reason", "seconds", "largest_difference", "agrees",
        "is_exact", "notes", "eigenvalues",
    ]  # fmt: skip
    assert found["symbolic"]["agrees"] is True
    assert found["symbolic"]["largest_difference"] < 1e-12
    assert [name for name in found if not found[name]["is_independent"]] == ["difference"]
    assert found["topology"]["is_exact"] is False  # gravity's geometric stiffness


def test_table(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "verify", SLIDER, "--route", "relative", "--route", "kane")
    assert code == 0
    assert "agree: 2 routes and the engine give the same 4 eigenvalues" in out
    assert "0.7973029859i" in out
    assert "symbolic" not in out


def test_a_wrong_route_exits_3(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    right = route_named("relative")

    def linearize(description: object, place: object) -> object:
        found = right.linearize(description, place)  # type: ignore[arg-type]
        return replace(found, eigenvalues=found.eigenvalues * 1.001)

    wrong = replace(right, name="wrong", linearize=linearize)
    monkeypatch.setattr("eigenbody.analyses.verify.find.all_routes", lambda: (right, wrong))
    code, out, _ = run(capsys, "verify", SLIDER)
    assert code == 3
    assert "disagree: wrong and the engine" in out
    assert "DISAGREES" in out
    code, out, _ = run(capsys, "verify", SLIDER, "--json")
    assert code == 3
    assert json.loads(out)["verdict"] == "disagree"


def test_a_model_that_no_independent_route_knows(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "verify", TABLE)
    assert code == 0  # nothing that should agree disagrees
    assert "agree: differences of the engine's own equations give the same 3 eigenvalues; no independent route" in out
    assert "not the equations themselves" in " ".join(out.split())
    assert "guide''" in out  # what they do not know is named
    code, out, _ = run(capsys, "verify", TABLE, "--route", "relative")
    assert code == 4
    assert "unchecked: no route applies" in out


def test_unknown_route_is_wrong_input(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, "verify", SLIDER, "--route", "relativ")
    assert (code, out) == (2, "")
    assert "--route" in err
    assert 'Did you mean "relative"?' in err


def test_files(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    table, picture = tmp_path / "v.csv", tmp_path / "v.png"
    code, out, _ = run(
        capsys, "verify", SLIDER, "--route", "relative", "-o", str(table), "--plot", str(picture), "--quiet"
    )
    assert (code, out) == (0, "")
    lines = table.read_text().splitlines()
    assert lines[0] == "engine real,engine imag,tolerance,relative real,relative imag"
    assert len(lines) == 5
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_linearize_by_a_route(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "equations.tex"
    code, out, _ = run(capsys, "linearize", SLIDER, "--method", "symbolic", "--json", "-o", str(file))
    document = json.loads(out)
    assert code == 0
    assert document["method"] == "symbolic"
    assert document["matrices"]["M"] == [[30, 20], [20, 35]]
    assert max(value["imag"] for value in document["eigenvalues"]) == pytest.approx(3.0816579370, rel=1e-9)
    assert file.read_text().startswith(r"\documentclass")


def test_eigenvalues_with_the_neglected_term_have_both_parts(capsys: pytest.CaptureFixture[str]) -> None:
    """They are those of the model: 0.797303 and 3.081658 rad/s (Negrut & Ortiz 2006), undamped."""
    code, out, _ = run(capsys, "linearize", SLIDER, "--method", "topology", "--json")
    assert code == 0
    whole = json.loads(out)["matrices"]["eigenvalues with the neglected term"]
    assert sorted(value["imag"] for value in whole) == pytest.approx(
        [-3.0816579370, -0.7973029858, 0.7973029858, 3.0816579370], rel=1e-9
    )
    code, out, _ = run(capsys, "linearize", SLIDER, "--method", "topology")
    below = out.partition("eigenvalues with the neglected term")[2]
    assert "+ 0.797302985862i" in below
    assert "+ 3.08165793706i" in below


def test_linearize_by_a_route_says_why_not(capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = run(capsys, "linearize", PARALLELOGRAM, "--method", "kane")
    assert code == 2
    assert "does not apply" in err
    assert "a closed loop" in err
    code, _, err = run(capsys, "linearize", SLIDER, "--method", "kan")
    assert code == 2
    assert 'Did you mean "kane"?' in err
    code, _, err = run(capsys, "linearize", SLIDER, "--method", "kane", "--solver", "dense")
    assert code == 2
    assert "--method" in err
    code, _, err = run(capsys, "linearize", SLIDER, "--method", "kane", "-o", "a.tex")
    assert code == 2
    assert ".json" in err
