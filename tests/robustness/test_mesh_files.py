"""Meshes that are missing, wrong, hostile or elsewhere: refused where numbers need them, noted where a drawing does."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import trimesh

import eigenbody as eb
from eigenbody.analyses.drawing import scene_of
from eigenbody.model import meshes
from eigenbody.model.meshes import MeshError, read_mesh
from eigenbody.operating.find import operating_point


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    box = trimesh.creation.box((1, 1, 1))
    box.export(tmp_path / "box.stl")
    (tmp_path / "words.stl").write_text("nothing of the kind")
    (tmp_path / "empty.obj").write_text("v 0 0 0\n")
    (tmp_path / "far.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1e40 0\nf 1 2 3\n")
    (tmp_path / "table.csv").write_text("1,2\n")
    (tmp_path / "flat.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\nf 1 3 2\n")
    box.update_faces(np.arange(12) != 3)
    box.export(tmp_path / "open.stl")
    turned = trimesh.creation.box((1, 1, 1))
    turned.faces[4] = turned.faces[4][::-1]
    turned.export(tmp_path / "turned.obj")
    (tmp_path / "bomb.dae").write_text('<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b "c">]><COLLADA>&b;</COLLADA>')
    space = 'xmlns="http://www.collada.org/2005/11/COLLADASchema"'
    nodes = [f'<node id="n{k}">{f"""<instance_node url="#n{k + 1}"/>""" * 2}</node>' for k in range(30)]
    nested = f"<library_nodes>{''.join(nodes)}</library_nodes>"  # 2^30 of them
    (tmp_path / "nested.dae").write_text(f"<COLLADA {space}>{nested}</COLLADA>")
    around = '<library_nodes><node id="a"><instance_node url="#a"/></node></library_nodes>'
    (tmp_path / "around.dae").write_text(f"<COLLADA {space}>{around}</COLLADA>")
    return tmp_path


def model_of(folder: Path, body: dict[str, Any], **options: Any) -> eb.Model:
    path = folder / "model.json"
    path.write_text(json.dumps({"eigenbody": 1, "bodies": {"b": body}}))
    return eb.load(path, **options)


WRONG = {
    "lost.stl": "there is no file",
    "words.stl": "cannot be read|no triangles",
    "empty.obj": "cannot be read|no triangles",
    "far.obj": "no numbers, or beyond",
    "table.csv": "its ending must be one of",
    "bomb.dae": "entities or a document type",
    "around.dae": "or of themselves",
    "nested.dae": "nodes that consist of more than",
}
OPEN = {"open.stl": "not watertight: 3 open edges", "turned.obj": "not turned alike", "flat.obj": "encloses no volume"}


@pytest.mark.parametrize("name", WRONG | OPEN)
def test_numbers_are_refused(name: str, folder: Path) -> None:
    with pytest.raises(eb.InputError, match=(WRONG | OPEN)[name]) as caught:
        eb.modes(model_of(folder, {"inertia": {"mesh": name, "density": 1}}))
    assert str(caught.value).startswith("bodies.b.inertia.mesh (model.json, line 1)")


@pytest.mark.parametrize("name", WRONG)
def test_drawings_are_noted(name: str, folder: Path) -> None:
    body = {"mass": 1, "inertia": [1, 1, 1], "at": [0, 0, 0], "shape": {"type": "mesh", "file": name}}
    model = model_of(folder, body)
    scene = scene_of(operating_point(model))
    assert scene.parts[0]["kind"] == "sphere"  # of its inertia
    (note,) = scene.notes
    assert note.startswith("Not drawn: bodies.b.shape.file (model.json, line 1)")
    assert scene.meshes["surfaces"] == []


@pytest.mark.parametrize("name", OPEN)
def test_open_meshes_are_drawn(name: str, folder: Path) -> None:
    model = model_of(folder, {"mass": 1, "at": [0, 0, 0], "shape": {"type": "mesh", "file": name}})
    scene = scene_of(operating_point(model))
    assert scene.notes == ()
    assert scene.parts[0]["kind"] == "mesh"


def test_a_body_twice_with_a_lost_mesh(folder: Path) -> None:
    """The second one that names the same file is drawn from its inertia, too, and one note is enough for a file."""
    shape = {"type": "mesh", "file": "lost.stl"}
    entry = {"mass": 1, "inertia": [1, 1, 1], "at": [0, 0, 0], "shape": [shape, {"type": "box", "size": [1, 1, 1]}]}
    bodies = {"a": entry, "b": entry | {"shape": shape}, "c": entry | {"shape": "none"}}
    path = folder / "model.json"
    path.write_text(json.dumps({"eigenbody": 1, "bodies": bodies}))
    scene = scene_of(operating_point(eb.load(path)))
    drawn = {name: [p["kind"] for p in scene.parts if p["name"] == name and not p.get("mark")] for name in bodies}
    assert drawn == {"a": ["box"], "b": ["sphere"], "c": []}


def test_files_elsewhere(folder: Path) -> None:
    inside = folder / "inside"
    inside.mkdir()
    filled = {"inertia": {"mesh": "../box.stl", "density": 1}}
    drawn = {"mass": 1, "at": [0, 0, 0], "shape": {"type": "mesh", "file": "../box.stl"}}
    with pytest.raises(eb.InputError, match="is not in the folder of the model"):
        eb.modes(model_of(inside, filled))
    (note,) = scene_of(operating_point(model_of(inside, drawn))).notes
    assert "--allow-files" in note
    assert model_of(inside, filled, allow_files=True).description.bodies.mass[0] == pytest.approx(1)
    assert scene_of(operating_point(model_of(inside, drawn, allow_files=True))).notes == ()


def test_materials_elsewhere_are_not_opened(folder: Path) -> None:
    inside = folder / "inside"
    inside.mkdir()
    (folder / "red.mtl").write_text("newmtl m\nKd 1 0 0\n")
    text = "mtllib {}\nv 0 0 0\nv 1 0 0\nv 0 1 0\nusemtl m\nf 1 2 3\n"
    (folder / "beside.obj").write_text(text.format("red.mtl"))
    (inside / "above.obj").write_text(text.format("../red.mtl"))
    assert [part.color for part in read_mesh(folder / "beside.obj").parts] == ["#ff0000"]
    assert "#ff0000" not in [part.color for part in read_mesh(inside / "above.obj").parts]


def test_limits(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(meshes, "LARGEST", 100)
    with pytest.raises(MeshError, match="at most 0 are read"):
        read_mesh(folder / "box.stl")
    monkeypatch.undo()
    monkeypatch.setattr(meshes, "MOST", 11)
    with pytest.raises(MeshError, match="12 triangles, and at most 11"):
        read_mesh(folder / "box.stl")


def test_without_the_package_for_collada(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    trimesh.creation.box((1, 1, 1)).export(folder / "box.dae")
    filled = {"inertia": {"mesh": "box.dae", "density": 1}}
    drawn = {"mass": 1, "at": [0, 0, 0], "shape": {"type": "mesh", "file": "box.dae"}}
    monkeypatch.setattr(meshes, "find_spec", lambda name: None)
    with pytest.raises(eb.InputError, match=r"needs the package pycollada: pip install 'eigenbody\[mesh\]'"):
        eb.modes(model_of(folder, filled))
    (note,) = scene_of(operating_point(model_of(folder, drawn))).notes
    assert note.startswith("Meshes of this kind are not drawn: reading .dae needs the package pycollada")
    monkeypatch.undo()
    assert model_of(folder, filled).description.bodies.mass[0] == pytest.approx(1)
    assert scene_of(operating_point(model_of(folder, drawn))).notes == ()


FAULTS = {
    "density and mass": ({"mass": 1, "inertia": {"mesh": "box.stl", "density": 1}}, "mass and density are given"),
    "neither": ({"inertia": {"mesh": "box.stl"}}, "the density is missing"),
    "no file": ({"inertia": {"density": 1}}, "name of a file is expected"),
    "density": ({"inertia": {"mesh": "box.stl", "density": -1}}, "density is not positive"),
    "scale": ({"inertia": {"mesh": "box.stl", "density": 1, "scale": 0}}, "cannot be scaled"),
    "mirror": ({"inertia": {"mesh": "box.stl", "density": 1, "scale": -1}}, "cannot be scaled"),
    "key": ({"inertia": {"mesh": "box.stl", "density": 1, "scales": 1}}, 'unknown key "scales".*scale'),
    "two places": ({"at": [0, 0, 0], "inertia": {"mesh": "box.stl", "density": 1, "at": [0, 0, 0]}}, "both given"),
    "disc": ({"disc": {"mass": 1, "Id": 1, "Ip": 1}, "inertia": {"mesh": "box.stl", "density": 1}, "at": [0, 0, 0]},
             "disc has its own inertia"),
}  # fmt: skip


@pytest.mark.parametrize("case", FAULTS)
def test_faults_of_the_model(case: str, folder: Path) -> None:
    body, words = FAULTS[case]
    with pytest.raises(eb.InputError, match=words) as caught:
        eb.modes(model_of(folder, body))
    assert len(caught.value.faults) == 1


SHAPES = {
    "no file": ({}, "name of a file is expected"),
    "scale": ({"file": "box.stl", "scale": [1, 0, 1]}, "cannot be scaled"),
    "key": ({"file": "box.stl", "size": 2}, 'unknown key "size"'),
}


@pytest.mark.parametrize("case", SHAPES)
def test_faults_of_a_shape(case: str, folder: Path) -> None:
    shape, words = SHAPES[case]
    model = model_of(folder, {"mass": 1, "at": [0, 0, 0], "shape": {"type": "mesh", **shape}})
    with pytest.raises(eb.InputError, match=words):
        eb.report(model)


def test_command_line(folder: Path) -> None:
    import subprocess

    body = {"inertia": {"mesh": "open.stl", "density": 1}}
    (folder / "m.json").write_text(json.dumps({"eigenbody": 1, "bodies": {"b": body}}))
    run = subprocess.run(
        [sys.executable, "-m", "eigenbody", "modes", str(folder / "m.json")], capture_output=True, text=True
    )
    assert run.returncode == 2
    assert "not watertight" in run.stderr
