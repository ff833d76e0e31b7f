"""The public contract as a sorted list: every option, JSON key, column and array of files, public name and method.

The list of what may not get lost is `tests/contracts/contract.txt`; after an addition: ./run python scripts/contract.py
"""

from __future__ import annotations

import contextlib
import csv
import inspect
import io
import json
import os
import tempfile
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import numpy as np

import eigenbody

ROOT = Path(__file__).resolve().parents[1]
STORED = ROOT / "tests" / "contracts" / "contract.txt"
PROBLEM = {"variables": {"k": {"from": 90, "to": 110}}, "objective": {"maximize": {"frequency": {"mode": 1}}}}
MODEL = {
    "eigenbody": 1,
    "name": "two masses",
    "parameters": {"k": 100.0},
    "bodies": {"a": {"mass": 2, "at": [0, 0, 0]}, "b": {"mass": 1, "at": [0, 0, 1]}},
    "joints": {
        "low": {"type": "prismatic", "between": ["ground", "a"], "at": [0, 0, 0], "axis": [0, 0, 1]},
        "high": {"type": "prismatic", "between": ["a", "b"], "at": [0, 0, 1], "axis": [0, 0, 1]},
    },
    "forces": {
        "foot": {"type": "spring", "along": "low", "k": "=k", "c": 1},
        "link": {"type": "spring", "along": "high", "k": "=2*k", "c": 1},
    },
    "inputs": {"push": {"along": "low"}},
    "outputs": {"y": {"measure": "high"}},
}
ROTOR = str(ROOT / "examples" / "rotor_stator.yaml")
COMMANDS = (
    "check model.json", "modes model.json", "modes model.json --solver sparse --n 1", "modes model.json --explain",
    f"modes {ROTOR} --frame spin", "linearize model.json", "linearize model.json --solver sparse",
    "linearize model.json --method relative", "linearize model.json --form momenta",
    "modes model.json --route topology", "fundamental model.json --at 0.1", "sensitivity model.json --route topology",
    "equilibrium model.json", "impulse model.json --along low=1",
    "inverse model.json --motion low=0 --motion high=0 --until 0.01 --points 3",
    "inverse model.json --hold b --until 0.01 --points 3",
    "simulate model.json --until 0.01 --points 20 --fft low",
    "simulate model.json --until 0.01 --points 20 --spectrogram low", "frf model.json --points 5",
    "response model.json --step push --until 0.1 --points 3", "response model.json --initial low=1 --until 0.1",
    "response model.json --harmonic push=1 --until 0.1 --stationary", "verify model.json --route relative",
    "psd model.json --white 1 --to 9", "psd model.json --white 1 --to 9 --output high'' --weighting Wk --level 1"
    " --duration 5", "campbell model.json -p k --from 90 --to 110 --points 3", "sensitivity model.json",
    f"campbell {ROTOR} -p speed --from 0 --to 6 --points 3", "tolerance model.json --vary k=1%",
    "tolerance model.json --vary k=1% --samples 4 --workers 1", "optimize model.json problem.json",
    "study model.json --vary k=1% --of frequency[1] --points 4 --method saltelli --workers 1",
    "reduce model.json --n 2", "reduce model.json --n 1 --method modal",
    "superelement model.json --interface b --n 1", "identify shaken.csv --inputs push --order 10",
)  # fmt: skip


def contract() -> list[str]:
    """All lines, sorted."""
    return sorted({*_options(), *_answers(), *_names()})


def _options() -> Iterator[str]:
    from typer.main import get_command

    from eigenbody.cli.app import application

    group: Any = get_command(application())
    for name, command in group.commands.items():
        for parameter in command.params:
            for option in (*parameter.opts, *parameter.secondary_opts):
                yield f"option {name} {option}"


def _answers() -> Iterator[str]:
    """Keys of documents and contents of files of every command, in a folder of its own."""
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        Path("model.json").write_text(json.dumps(MODEL))
        Path("problem.json").write_text(json.dumps(PROBLEM))
        _write_histories(Path("shaken.csv"))
        for command in COMMANDS:
            words = command.split()
            shown = " ".join(word if os.sep not in word else Path(word).name for word in words)
            yield from (f"json {shown}: {key}" for key in _keys(json.loads(_printed([*words, "--json"]))))
            yield from (f"file {shown}: {part}" for part in _files(words))


def _write_histories(path: Path) -> None:
    """What the model does under random forces."""
    shaken = np.random.default_rng(1).normal(size=800)
    pushed = eigenbody.SampledInput(0.02 * np.arange(800), {"push": shaken}, hold="zero")
    eigenbody.response(MODEL, pushed, outputs=["low", "high"]).write(path)


def _printed(words: list[str]) -> str:
    from eigenbody.cli import main

    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
        code = main(words)
    return out.getvalue() if code == 0 else "null"


def _files(words: list[str]) -> Iterator[str]:
    for ending in (
        "csv",
        "npz",
        "mat",
        "json",
        "yaml",
        "parquet",
        "nc",
        "fmu",
        "fmi3.fmu",
        "mo",
        "uff",
        "unv",
        "glb",
        "pvd",
    ):
        path = Path(f"out.{ending}")
        path.unlink(missing_ok=True)
        _printed([*words, "-o", str(path), "--quiet"])
        if path.exists():
            yield ending
            if ending == "csv":
                yield from (f"csv {cell}" for cell in next(csv.reader(path.read_text().splitlines())))
            if ending == "npz":
                yield from (f"npz {name}" for name in np.load(path).files)


def _keys(value: Any, above: str = "") -> Iterator[str]:
    if isinstance(value, list):
        for item in value:
            yield from _keys(item, f"{above}[]")
    elif isinstance(value, dict):
        for key, item in value.items():
            yield f"{above}.{key}"
            yield from _keys(item, f"{above}.{key}")


def _names() -> Iterator[str]:
    for name in eigenbody.__all__:
        value = getattr(eigenbody, name)
        yield f"name {name}"
        if inspect.isclass(value):
            members = [part for part in dir(value) if not part.startswith("_") or part == "_repr_html_"]
            members += [field.name for field in fields(value)] if is_dataclass(value) else []
            yield from (f"name {name}.{part}" for part in members if not part.startswith("__"))
            yield from (f"prints {name}" for _ in range(value.__str__ is not object.__str__))


if __name__ == "__main__":
    STORED.write_text("\n".join(contract()) + "\n", encoding="utf-8")
