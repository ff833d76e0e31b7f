"""What the service answers is what the command line prints: documents to the byte, faults to the word."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("starlette", reason="the extra studio is not installed")
from eigenbody.cli.app import commands
from eigenbody.cli.main import DONE, main
from public_analyses import PENDULUM
from service_line import EXAMPLES, Line, printed

SMALL = json.dumps(PENDULUM)
EVERY: dict[str, list[tuple[dict[str, Any], list[str]]]] = {  # of every command: options, and the words for them
    "modes": [
        ({}, []), ({"n": 1, "near": 0.4}, ["--n", "1", "--near", "0.4"]), ({"explain": True}, ["--explain"]),
        ({"set": ["k=4", "k==2*2"]}, ["--set", "k=4", "--set", "k==2*2"]), ({"set": "k=4"}, ["--set", "k=4"]),
        ({"explain": False, "n": None}, []), ({"damping": "modal:0.02"}, ["--damping", "modal:0.02"]),
    ],
    "linearize": [({}, []), ({"coordinates": "pin"}, ["--coordinates", "pin"])],
    "check": [({}, [])],
    "equilibrium": [({}, []), ({"all_from": 4}, ["--all-from", "4"])],
    "inverse": [({"until": "10 ms", "points": 3, "motion": ["pin==0.1*t**2"]},
                 ["--until", "10 ms", "--points", "3", "--motion", "pin==0.1*t**2"])],
    "impulse": [({"along": ["pin=1"]}, ["--along", "pin=1"])],
    "simulate": [({"until": 0.1, "points": 5, "compiled": False},
                  ["--until", "0.1", "--points", "5", "--no-compiled"])],
    "along": [({"until": "0.1", "points": 3}, ["--until", "0.1", "--points", "3"])],
    "fundamental": [({"at": [0.2]}, ["--at", "0.2"])],
    "response": [({"step": ["push"], "until": 1, "points": 5}, ["--step", "push", "--until", "1", "--points", "5"])],
    "psd": [({"white": 1, "from": 0.1, "to": 5}, ["--white", "1", "--from", "0.1", "--to", "5"])],
    "frf": [
        ({"at": [0.3, 1.0], "log": False}, ["--at", "0.3", "--at", "1.0", "--linear"]),
        ({"over": "k=2:3:3", "from": 0.1, "to": 1, "points": 4},
         ["--over", "k=2:3:3", "--from", "0.1", "--to", "1", "--points", "4"]),
    ],
    "campbell": [({"parameter": "k", "from": 1, "to": "3", "points": 4},
                  ["--parameter", "k", "--from", "1", "--to", "3", "--points", "4"])],
    "floquet": [({"period": 0.5}, ["--period", "0.5"])],
    "sensitivity": [({"parameter": ["k"]}, ["-p", "k"])],
    "tolerance": [({"vary": ["k=5%"], "samples": 4}, ["--vary", "k=5%", "--samples", "4"])],
    "study": [({"vary": ["k=5%"], "of": ["frequency[1]"], "points": 4},
               ["--vary", "k=5%", "--of", "frequency[1]", "--points", "4"])],
    "reduce": [({"n": 2}, ["--n", "2"])],
    "superelement": [({"interface": ["bob"], "n": 1}, ["--interface", "bob", "--n", "1"])],
    "verify": [({}, [])],
}  # fmt: skip
FILES = [
    "rotor_stator.yaml", "quarter_car.yaml", "four_bar.yaml", "whipple_bicycle.yaml", "stewart_platform.yaml",
    "flexible_slider_crank.yaml", "geared_shafts.yaml", "rolling_disc.yaml", "helicopter_blade.yaml",
]  # fmt: skip
WRONG = {
    "no model": "- 3",
    "faulty": "eigenbody: 1\nbodies: {a: {mass: -1, inertia: [1, 1], at: [0, 0]}}\njoints: {j: {type: revolt}}\n",
    "escapes": 'eigenbody: 1\nbodies: {"\\e[31mred": {mas: 1}}\nforces: {f: {type: spring, along: "\\a\\u202e"}}\n',
    "tabs": "eigenbody: 1\n\tbodies: 3",
    "a file elsewhere": "eigenbody: 1\nbodies: {a: {mass: 1, at: [0, 0, 0], inertia: {mesh: /etc/passwd}}}\n",
}


@pytest.fixture(scope="module")
def line() -> Iterator[Line]:
    with Line() as found:
        yield found


def test_the_table_above_has_every_command_that_is_served(line: Line) -> None:
    served = {command["command"] for command in line.get("/v1/commands").document["commands"]}
    assert served == EVERY.keys() | {"optimize"}


@pytest.mark.parametrize("command", EVERY)
def test_same_document(
    command: str, line: Line, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for options, words in EVERY[command]:
        code, out, err = printed(command, SMALL, words, monkeypatch, capsys)
        found = line.run(command, SMALL, **options)
        assert (found.status, timeless(found.text)) == (200, timeless(out)), (options, err)
        assert found.headers["Eigenbody-Exit-Code"] == str(code)
        assert timeless(line.run(command, PENDULUM, **options).text) == timeless(out)  # sections instead of text


def timeless(text: str) -> str:
    """Without the seconds that `verify` measures."""
    return re.sub(r'"seconds": [-+.e0-9]+', "", text)


@pytest.mark.parametrize("file", FILES)
def test_same_document_of_examples(
    file: str, line: Line, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    text = (EXAMPLES / file).read_text(encoding="utf-8")
    for command in ("modes", "check", "linearize"):
        code, out, _ = printed(command, text, [], monkeypatch, capsys)
        assert code == DONE
        assert line.run(command, text).text == out


def test_other_formats(line: Line, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = (EXAMPLES / "six_axis_arm.urdf").read_text()
    (tmp_path / "model.urdf").write_text(text)
    assert main(["modes", str(tmp_path / "model.urdf"), "--base", "free", "--json"]) == DONE
    body = {"model": text, "format": "urdf", "options": {"base": "free"}}
    assert line.post("modes", body).text == capsys.readouterr().out
    wrong = line.post("modes", {**body, "format": "urdv"})
    assert (wrong.status, wrong.document["faults"][0]["remedy"]) == (400, 'Did you mean "urdf"?')


def test_an_optimization_is_that_of_the_model(
    line: Line, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    best = {"variables": {"k": {"from": 1, "to": 10}}, "objective": {"maximize": {"frequency": {"mode": 1}}}}
    text = json.dumps({**PENDULUM, "optimization": best})
    _, out, _ = printed("optimize", text, [], monkeypatch, capsys)
    assert line.run("optimize", text).text == out


@pytest.mark.parametrize("kind", WRONG)
def test_same_faults(
    kind: str, line: Line, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = printed("modes", WRONG[kind], [], monkeypatch, capsys)
    found = line.run("modes", WRONG[kind])
    assert (found.status, found.headers["Eigenbody-Exit-Code"], out) == (400, str(code), "")
    said = [line.removeprefix("eigenbody: ") for line in err.splitlines()]
    assert [fault["message"] for fault in found.document["faults"]] == said
    assert found.document["message"] == "\n".join(said)
    assert found.text.isprintable()
    for fault in found.document["faults"]:
        assert fault["message"] == f"{fault['where']}: {fault['what']} {fault['remedy']}".strip()
        assert all(text.isprintable() for text in fault.values())


def test_a_computation_that_does_not_succeed(
    line: Line, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    code, _, err = printed("floquet", SMALL, ["--period", "free"], monkeypatch, capsys)
    found = line.run("floquet", SMALL, period="free")
    assert (code, found.status) == ((3, 422) if code == 3 else (2, 400))
    assert f"eigenbody: {found.document['message']}" == " ".join(err.split())


def test_nothing_of_one_request_is_left_for_the_next() -> None:
    """The same process, the same answer: whatever came in between, and also for others that were given options. On a
    line of its own: what others asked for may have worn a process."""
    with Line() as line:
        first = line.run("modes", SMALL).text
        for between in (WRONG["faulty"], "{" * 1000, SMALL.replace('"k": 3.0', '"k": 4.0')):
            line.run("modes", between, set=["k=9"], pose="none", held="all")
            assert line.run("modes", SMALL).text == first
        assert line.get("/health").document["replaced"] == 0


def test_commands_that_are_left_out_are_named(line: Line) -> None:
    document = line.get("/v1/commands").document
    assert document["left_out"].keys() == commands().keys() - EVERY.keys() - {"optimize"}
    found = line.post("report", {"model": SMALL})
    assert (found.status, found.document["message"]) == (404, "report: it is not served: it always writes a file.")
