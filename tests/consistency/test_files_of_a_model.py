"""Files that a model names are those beside its own file, whatever is rebuilt from it and wherever the process stands.

A clamped rod read from `rod.npz` has the frequencies of its own matrices. In every other folder of these tests lies a
decoy of the same name whose stiffness is nine times as high: its frequencies are three times as high.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import yaml
from scipy.linalg import eigh

import eigenbody as eb
from eigenbody.cli import main
from eigenbody.structures.beam import BeamStations, beam_structure

CLAMPED = {
    "eigenbody": 1,
    "parameters": {"load": 0.3, "along": 0.0},
    "bodies": {"weight": {"mass": "=load", "inertia": [0.001, 0.001, 0.001], "at": [0.5, 0, 0]}},
    "flexible": {"rod": {"type": "matrices", "file": "rod.npz", "modes": 6, "damping": 0.01}},
    "joints": {
        "clamp": {"type": "fixed", "between": ["ground", "rod.root"], "at": [0, 0, 0]},
        "slide": {"type": "prismatic", "between": ["rod.tip", "weight"], "at": [0.5, 0, 0], "axis": [0, 0, 1]},
    },
    "forces": {"hold": {"type": "spring", "along": "slide", "k": 1000, "c": 2}},
    "measures": {"lift": {"type": "displacement", "between": ["ground", "rod.tip"], "at": [0.5, 0, 0],
                          "axis": [0, 0, 1]}},
}  # fmt: skip


def save(folder: Path, stiffer: float = 1.0) -> None:
    stations = BeamStations(
        points=np.array([[0, 0, 0], [0.5, 0, 0]]), E=210e9, G=81e9, A=1e-4, Iy=8e-10, Iz=9e-10, J=1.5e-9,
        density=7850.0,
    )  # fmt: skip
    mesh = beam_structure(stations, 6, ["root", "tip"], inside=False)
    folder.mkdir()
    np.savez(folder / "rod.npz", M=mesh.M, K=stiffer * mesh.K, nodes=mesh.nodes, names=np.array(mesh.names))


@pytest.fixture
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, Path]:
    """The model's folder and that of the decoy, in which the process stands."""
    here, decoy = tmp_path / "here", tmp_path / "decoy"
    save(here)
    save(decoy, 9.0)
    (here / "rod.yaml").write_text(yaml.safe_dump(CLAMPED))
    monkeypatch.chdir(decoy)
    return here, decoy


def frequencies(model: eb.Model) -> np.ndarray:
    return eb.modes(model).frequency_hz


REBUILT: dict[str, Callable[[eb.Model], eb.Model]] = {
    "with_parameters": lambda m: m.with_parameters(load=0.3),
    "with_values": lambda m: m.with_values({"forces.hold.k": 1000}),
    "set": lambda m: m.set(gravity=[0, 0, 0]),
    "set a whole section": lambda m: m.set(flexible=m.document["flexible"]),
    "an element more": lambda m: m.input("push", along="slide"),
    "a marker more": lambda m: m.marker("end", body="rod.tip", at=[0.5, 0, 0]),
    "twice": lambda m: m.set(gravity=[0, 0, 0]).with_values({"forces.hold.k": 1000}).parameter("p", 1),
    "from its source": lambda m: type(m).from_source(m.source, m.vocabulary),
}


@pytest.mark.parametrize("how", REBUILT)
def test_a_rebuilt_model_reads_the_same_file(folders: tuple[Path, Path], how: str) -> None:
    model = eb.load(folders[0] / "rod.yaml")
    assert frequencies(REBUILT[how](model)) == pytest.approx(frequencies(model), rel=1e-12)


def test_a_relative_path_means_the_folder_where_it_was_loaded(
    folders: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    here, decoy = folders
    monkeypatch.chdir(here)
    by_path, by_map = eb.load("rod.yaml"), eb.load(CLAMPED)
    wanted = frequencies(by_path)
    monkeypatch.chdir(decoy)
    for model in (by_path, by_map, eb.load(os.path.relpath(here / "rod.yaml"))):
        assert frequencies(model.set(gravity=[0, 0, 0])) == pytest.approx(wanted, rel=1e-12)


def test_the_clamped_rod_has_the_frequencies_of_its_own_matrices(folders: tuple[Path, Path]) -> None:
    """The lowest ones against the generalized eigenvalues of the file's matrices, root held; all modes are kept."""
    here, _ = folders
    with np.load(here / "rod.npz") as held:
        M, K = held["M"][6:, 6:], held["K"][6:, 6:]
    alone = {key: CLAMPED[key] for key in ("eigenbody", "flexible")} | {"joints": {"clamp": CLAMPED["joints"]["clamp"]}}
    alone["flexible"] = {"rod": {"type": "matrices", "file": "rod.npz", "modes": 36}}
    (here / "alone.yaml").write_text(yaml.safe_dump(alone))
    found = frequencies(eb.load(here / "alone.yaml").set(gravity=[0, 0, 0]))
    wanted = np.sqrt(eigh(K, M, eigvals_only=True)) / (2 * np.pi)
    assert found[:6] == pytest.approx(wanted[:6], rel=1e-8)


COMMANDS = {
    "modes": ["modes", "MODEL"],
    "frf": ["frf", "MODEL", "--input", "lift", "--output", "lift", "--from", "1", "--to", "200", "--points", "20"],
    "response": ["response", "MODEL", "--step", "lift", "--output", "lift", "--until", "0.05"],
    "psd": ["psd", "MODEL", "--input", "lift", "--output", "lift", "--white", "1", "--from", "1", "--to", "100"],
    "campbell": ["campbell", "MODEL", "-p", "load", "--from", "0.2", "--to", "0.4", "--points", "3"],
    "sensitivity": ["sensitivity", "MODEL", "-p", "load"],
    "simulate": ["simulate", "MODEL", "--until", "0.002"],
    "tolerance": ["tolerance", "MODEL", "--vary", "load=5%", "--samples", "260", "--workers", "2"],
    "linearize": ["linearize", "MODEL", "--coordinates", "lift"],
    "verify": ["verify", "MODEL", "--route", "difference"],
}  # fmt: skip


def numbers(item: object) -> list[float]:
    """All numbers of a document but those that depend on the run (times)."""
    if isinstance(item, dict):
        return [n for key, part in item.items() if "second" not in key for n in numbers(part)]
    if isinstance(item, list):
        return [n for part in item for n in numbers(part)]
    return [float(item)] if isinstance(item, int | float) and not isinstance(item, bool) else []


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_from_another_folder_gives_the_same_numbers(
    folders: tuple[Path, Path], command: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    here, decoy = folders
    found = []
    for stand, path in ((here, "rod.yaml"), (decoy, "../here/rod.yaml")):
        monkeypatch.chdir(stand)
        code = main([*(path if a == "MODEL" else a for a in COMMANDS[command]), "--json"])
        out, err = capsys.readouterr()
        assert code == 0, err
        found.append(numbers(json.loads(out)))
    assert found[0] == pytest.approx(found[1], rel=1e-9, abs=1e-12)


def test_a_changed_model_written_elsewhere_names_the_same_file(
    folders: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    here, decoy = folders
    problem = {"variables": {"forces.hold.k": {"from": 500, "to": 2000}},
               "objective": {"maximize": {"frequency": {"mode": 1}}}}  # fmt: skip
    (decoy / "problem.yaml").write_text(yaml.safe_dump(problem))
    for target in (decoy / "better.yaml", here / "better.yaml"):
        assert main(["optimize", str(here / "rod.yaml"), str(decoy / "problem.yaml"), "-o", str(target)]) == 0
    capsys.readouterr()
    wanted = frequencies(eb.load(here / "rod.yaml").with_values({"forces.hold.k": 2000}))
    with pytest.raises(eb.InputError, match="--allow-files"):
        eb.load(decoy / "better.yaml")
    assert frequencies(eb.load(decoy / "better.yaml", allow_files=True)) == pytest.approx(wanted, rel=1e-9)
    assert frequencies(eb.load(here / "better.yaml")) == pytest.approx(wanted, rel=1e-9)
    assert yaml.safe_load((here / "better.yaml").read_text())["flexible"]["rod"]["file"] == "rod.npz"


def test_a_missing_file_is_named_with_the_folder_where_it_was_sought(folders: tuple[Path, Path]) -> None:
    here, _ = folders
    (here / "rod.npz").unlink()
    with pytest.raises(eb.InputError, match=f'there is no file "{here / "rod.npz"}"'):
        eb.load(here / "rod.yaml")
    with pytest.raises(eb.InputError, match="there is no file"):
        eb.load({**CLAMPED, "flexible": {"rod": {"type": "matrices", "file": "x" * 5000}}})
