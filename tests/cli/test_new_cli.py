"""`eigenbody new`: files that every other command reads."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import eigenbody as eb
from eigenbody.cli.main import DONE, WRONG_INPUT, main
from eigenbody.model.text import as_yaml
from eigenbody.starters import KINDS
from eigenbody.starters.family import family


@pytest.mark.parametrize("name", ["C10RF1", "T3PF2", "TL3CF1", "L3SF1"])
def test_text_is_the_document(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """YAML on standard output, JSON and Python: one model, to the last digit."""
    assert main(["new", "family", name]) == DONE
    text = capsys.readouterr().out
    assert main(["new", "family", name, "--json"]) == DONE
    assert json.loads(capsys.readouterr().out) == family(name) == eb.new("family", name).document
    assert text == as_yaml(family(name), "\n".join(line[2:] for line in text.splitlines() if line.startswith("#")))


def test_the_letter_of_the_rule_and_those_of_the_figures() -> None:
    """Jiang, Chen & Luo: the rule of names has T, the figures TL."""
    first, second = family("T4RF1"), family("TL4RF1")
    assert {**first, "name": ""} == {**second, "name": ""}
    assert eb.modes(eb.new("family", "T4RF1")).frequency_hz[0] == pytest.approx(2.863143416, rel=1e-9)


@pytest.mark.parametrize("ending", ["yaml", "yml", "json"])
def test_file(ending: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / f"ladder.{ending}"
    assert main(["new", "family", "L3RF1", "--out", str(path)]) == DONE
    assert capsys.readouterr().out == ""
    assert eb.load(path).document == family("L3RF1")
    assert json.loads(path.read_text()) if ending == "json" else path.read_text().startswith("eigenbody: 1\n")


@pytest.mark.parametrize(
    ("arguments", "fault"),
    [
        (["famly", "C3RF1"], 'Did you mean "family"'),
        (["family"], "needs a name"),
        (["family", "X3"], "C10RF1"),
        (["family", "C0RF1"], "C10RF1"),
        (["family", "C3RF1", "-o", "chain.txt"], "yaml"),
    ],
)
def test_wrong_input(arguments: list[str], fault: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["new", *arguments]) == WRONG_INPUT
    said = capsys.readouterr()
    assert fault in said.err
    assert said.out == ""


def test_every_kind_stands_in_the_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["new", "--help"]) == DONE
    words = capsys.readouterr().out.split()
    assert set(KINDS) <= set(words)


#: Verdict and lowest frequency other than zero, from other routes of `eigenbody verify` or closed forms.
BEGUN = {"blank": "stable", "linkage": "stable", "robot": "stable", "rotor": "drifting", "vehicle": "stable"}


@pytest.mark.parametrize("kind", BEGUN)
def test_files_to_change_by_hand(kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """They are commented, load without a note, are certified and keep their comments when they are named."""
    path = tmp_path / "mine.yaml"
    assert main(["new", kind, "My machine: the first", "-o", str(path), "-q"]) == DONE
    text = path.read_text()
    assert text.count("#") >= 4
    assert text.count("\nname: ") == 1
    model = eb.load(path)
    assert model.name == "My machine: the first"
    assert {**model.document, "name": ""} == {**eb.new(kind).document, "name": ""}
    found = eb.modes(model)
    assert found.stability == BEGUN[kind]
    assert found.certificate.residual < 1e-12
    assert found.certificate.tangent_error < 1e-12
    assert len(eb.new(kind).parameters) >= 2  # sensitivity and sweeps have something to turn


def test_the_pendulum_to_begin_with_is_the_pendulum_of_the_book() -> None:
    """m g l / (J + m l^2)."""
    (value,) = eb.modes(eb.new("blank").with_parameters(k=3)).eigenvalues
    assert abs(value) ** 2 == pytest.approx((2 * 9.81 + 3) / (0.01 + 2), rel=1e-12)
