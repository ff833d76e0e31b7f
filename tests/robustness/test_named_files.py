"""Files that a model names are those of its folder, unless others are allowed."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

import eigenbody as eb

TABLE = "speed,kxx,kyy\n0,1e6,1e6\n1000,2e6,2e6\n"


def rotor(table: str) -> dict:
    bearing = {"type": "bearing", "between": ["ground", "disc"], "at": [0, 0, 0], "table": table, "of": "=speed"}
    return {
        "eigenbody": 1,
        "parameters": {"speed": 500},
        "bodies": {"disc": {"mass": 10, "inertia": [0.1, 0.1, 0.2], "at": [0, 0, 0]}},
        "joints": {"plane": {"type": "planar", "between": ["ground", "disc"], "at": [0, 0, 0]}},
        "forces": {"film": bearing},
    }


@pytest.fixture
def folders(tmp_path: Path) -> tuple[Path, Path]:
    inside, outside = tmp_path / "model", tmp_path / "elsewhere"
    inside.mkdir(), outside.mkdir()
    for folder in (inside, outside):
        (folder / "film.csv").write_text(TABLE)
    (inside / "link.csv").symlink_to(outside / "film.csv")
    return inside, outside


def written(folder: Path, table: str) -> Path:
    path = folder / "rotor.yaml"
    path.write_text(json.dumps(rotor(table)))
    return path


def test_files_of_the_folder_are_read(folders: tuple[Path, Path]):
    inside, _ = folders
    for name in ("film.csv", "./film.csv", str(inside / "film.csv"), "../model/film.csv"):
        assert eb.modes(written(inside, name)).eigenvalues.imag.max() == pytest.approx((1.5e6 / 10) ** 0.5)


def test_files_elsewhere_are_refused_unless_allowed(folders: tuple[Path, Path]):
    inside, outside = folders
    for name in ("../elsewhere/film.csv", str(outside / "film.csv"), "link.csv"):
        path = written(inside, name)
        with pytest.raises(eb.InputError, match=r"is not in the folder of the model.*allow_files=True"):
            eb.load(path)
        assert eb.modes(eb.load(path, allow_files=True)).eigenvalues.imag.max() == pytest.approx((1.5e6 / 10) ** 0.5)
    assert eb.modes(rotor(str(outside / "film.csv"))).dof == 3  # a program names what it likes


def test_nothing_of_a_forbidden_file_is_said(folders: tuple[Path, Path]):
    """Neither whether it is there nor what it holds nor its neighbours."""
    inside, outside = folders
    (outside / "secret.csv").write_text("password,hunter2\n")
    said = []
    for name in ("../elsewhere/secret.csv", "../elsewhere/missing.csv", "\x00"):
        command = [sys.executable, "-m", "eigenbody", "check", str(written(inside, name))]
        run = subprocess.run(command, capture_output=True, text=True)
        assert run.returncode == 2
        assert "hunter2" not in run.stderr + run.stdout
        said.append(run.stderr.replace("secret", "missing"))
    assert said[0] == said[1]
    run = subprocess.run([*command[:-1], str(written(inside, "../elsewhere/film.csv")), "--allow-files"])
    assert run.returncode == 0
