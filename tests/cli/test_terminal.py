"""Nothing that a terminal would obey reaches it from a model: names, units, files and wishes are written out.

Every command runs without a terminal (messages and tables as plain text) and on one (rich tables, in colour); what
other people wrote contains a colour, a command to clear the screen, a turn of the writing direction and rich's markup.
"""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import eigenbody as eb
from eigenbody.base.errors import Fault, printable, suggest
from eigenbody.cli import main
from eigenbody.cli.delivery import put_sheet
from eigenbody.present.tables import Sheet
from eigenbody.structures.beam import BeamStations, beam_structure

NASTY = "\x1b[31mred\x9b2J\u202e\x07"
OBEYED = ("\x1b[31m", "\x9b", "\u202e", "\x07")
SHOWN = r"\x1b[31mred\x9b2J\u202e\x07"

MODEL = {
    "eigenbody": 1,
    "name": NASTY,
    "parameters": {"m[/b]": 0.3},
    "bodies": {"w[/red]": {"mass": 0.3, "at": [0.5, 0, 0]}},
    "joints": {"s[/b]": {"type": "prismatic", "between": ["ground", "w[/red]"], "at": [0.5, 0, 0], "axis": [0, 0, 1]}},
    "forces": {"[bold]h": {"type": "spring", "along": "s[/b]", "k": 1000, "c": 2}},
    "inputs": {"push": {"along": "s[/b]"}},
    "outputs": {"y[/b]": {"measure": "s[/b]"}},
}
COMMANDS = {
    "modes": ["modes", "MODEL"],
    "explain": ["modes", "MODEL", "--explain"],
    "check": ["check", "MODEL"],
    "linearize": ["linearize", "MODEL"],
    "equilibrium": ["equilibrium", "MODEL"],
    "frf": ["frf", "MODEL", "--points", "20"],
    "response": ["response", "MODEL", "--step", "push", "--until", "0.1"],
    "psd": ["psd", "MODEL", "--white", "1", "--from", "1", "--to", "100"],
    "simulate": ["simulate", "MODEL", "--until", "0.01"],
    "sensitivity": ["sensitivity", "MODEL"],
    "verify": ["verify", "MODEL", "--route", "relative"],
    "reduce": ["reduce", "MODEL", "--n", "1"],
    "fundamental": ["fundamental", "MODEL", "--at", "0.1"],
    "along": ["along", "MODEL", "--until", "0.1", "--points", "3"],
    "inverse": ["inverse", "MODEL", "--until", "0.1", "--points", "3", "--motion", "s[/b]==0.1*t"],
    "impulse": ["impulse", "MODEL", "--along", "s[/b]=1"],
    "campbell": ["campbell", "MODEL", "-p", "m[/b]", "--from", "0.2", "--to", "0.4", "--points", "3"],
    "tolerance": ["tolerance", "MODEL", "--vary", "m[/b]=1%"],
    "floquet": ["floquet", "MODEL", "--period", "0.5"],
}
WISHES = {
    "--set": ["modes", "MODEL", "--set", f"{NASTY}=3"],
    "--input": ["frf", "MODEL", "--input", NASTY],
    "-p": ["sensitivity", "MODEL", "-p", NASTY],
    "path": ["modes", f"{NASTY}.yaml"],
    "command": [NASTY],
    "--output": ["frf", "MODEL", "--output", NASTY],
    "--over": ["frf", "MODEL", "--over", f"{NASTY}=1,2"],
    "--vary": ["tolerance", "MODEL", "--vary", f"{NASTY}=1%"],
    "--frame": ["modes", "MODEL", "--frame", NASTY],
    "--pose": ["modes", "MODEL", "--pose", NASTY],
    "--at": ["modes", "MODEL", "--at", f"{NASTY}=1"],
    "--held": ["modes", "MODEL", "--held", NASTY],
    "--motion": ["inverse", "MODEL", "--until", "1", "--motion", f"{NASTY}=1"],
    "--along": ["impulse", "MODEL", "--along", f"{NASTY}=1"],
    "--of": ["study", "MODEL", "--vary", "m[/b]=1%", "--of", NASTY],
    "--damping": ["modes", "MODEL", "--damping", NASTY],
    "--method": ["reduce", "MODEL", "--n", "1", "--method", NASTY],
    "option": ["modes", "MODEL", f"--{NASTY}"],
}
SECTIONS = {
    "name of a body": {"bodies": {NASTY: {"mass": 1, "at": [0, 0, 0]}}},
    "unknown section": {NASTY: {}},
    "unknown key": {"bodies": {"w": {"mass": 1, "at": [0, 0, 0], NASTY: 1}}},
    "unknown type": {"joints": {"s": {"type": NASTY}}},
    "expression": {"parameters": {"p": f"=2*{NASTY}"}},
    "unit": {"outputs": {"y": {"measure": "s[/b]", "unit": NASTY}}},
    "quantity": {"parameters": {"p": f"3 {NASTY}"}},
    "unknown measure": {"inputs": {"push": {"along": NASTY}}},
    "file": {"flexible": {"rod": {"type": "matrices", "file": f"{NASTY}.npz"}}},
}  # fmt: skip


def clean(*texts: str) -> bool:
    return not any(command in text for text in texts for command in OBEYED)


@pytest.fixture
def model(tmp_path: Path) -> str:
    (tmp_path / "model.json").write_text(json.dumps(MODEL))
    return str(tmp_path / "model.json")


def called(arguments: list[str], model: str) -> list[str]:
    return [model if argument == "MODEL" else argument for argument in arguments]


@pytest.mark.parametrize("command", COMMANDS)
def test_tables_show_names_instead_of_obeying_them(
    command: str, model: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(called(COMMANDS[command], model)) == 0
    assert clean(*capsys.readouterr())


@pytest.mark.parametrize("command", ["modes", "frf", "sensitivity", "equilibrium"])
def test_so_do_tables_on_a_terminal(command: str, model: str) -> None:
    parent, child = pty.openpty()
    argv = [sys.executable, "-m", "eigenbody", *called(COMMANDS[command], model)]
    environment = {**os.environ, "NO_COLOR": "1", "TERM": "xterm", "COLUMNS": "120"}
    with subprocess.Popen(argv, stdout=child, stderr=child, env=environment) as process:
        os.close(child)
        out = b""
        while part := _read(parent):
            out += part
    os.close(parent)
    assert process.returncode == 0, out
    text = out.decode()
    assert clean(text)
    assert "y[/b]" in text or command != "frf"


@pytest.mark.parametrize("is_terminal", [True, False])
def test_whatever_a_table_holds_is_shown(
    is_terminal: bool, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: is_terminal)
    put_sheet(Sheet("", [NASTY]))
    assert capsys.readouterr().out.rstrip() in (SHOWN, SHOWN.removesuffix(r"\x07"))  # rich itself drops the bell


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 65536)
    except OSError:  # the other end is closed
        return b""


@pytest.mark.parametrize("wish", WISHES)
def test_wishes_are_shown(wish: str, model: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(called(WISHES[wish], model)) == 2
    out, err = capsys.readouterr()
    assert clean(out, err)
    assert "red" in err


@pytest.mark.parametrize("place", SECTIONS)
def test_faults_of_a_model_are_shown(place: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "model.json").write_text(json.dumps({**MODEL, **SECTIONS[place]}))
    assert main(["modes", str(tmp_path / "model.json")]) == 2
    out, err = capsys.readouterr()
    assert clean(out, err)
    assert "red" in err


def test_known_names_are_shown() -> None:
    assert suggest("x", [NASTY, "two\nlines"]) == f"Known: {SHOWN}, two\\nlines."
    assert suggest(NASTY, [NASTY]) == f'Did you mean "{SHOWN}"?'
    assert str(Fault(NASTY, NASTY, NASTY)) == f"{SHOWN}: {SHOWN} {SHOWN}"


def test_text_that_harms_nobody_stays() -> None:
    harmless = "µ·m²\tété\n漢字 \u00a0\u2009 −1"
    assert printable(harmless) == harmless


def test_nodes_of_files_have_names_that_can_be_printed(tmp_path: Path) -> None:
    stations = BeamStations(
        points=np.array([[0, 0, 0], [0.5, 0, 0]]), E=210e9, G=81e9, A=1e-4, Iy=8e-10, Iz=9e-10, J=1.5e-9,
        density=7850.0,
    )  # fmt: skip
    mesh = beam_structure(stations, 2, ["root", NASTY], inside=False)
    np.savez(tmp_path / "rod.npz", M=mesh.M, K=mesh.K, nodes=mesh.nodes, names=np.array(mesh.names))
    with pytest.raises(eb.InputError, match="cannot be printed") as caught:
        eb.load({"eigenbody": 1, "flexible": {"rod": {"type": "matrices", "file": str(tmp_path / "rod.npz")}}})
    assert clean(str(caught.value))
