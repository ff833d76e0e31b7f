"""Robots whose links look like meshes: found from the file, drawn where the file says, never a reason to refuse."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import trimesh
from scipy.spatial import cKDTree

import eigenbody as eb
from eigenbody.analyses.drawing import scene_of
from eigenbody.model.faults import Faults
from eigenbody.model.values import Values
from eigenbody.operating.find import operating_point
from mesh_robot import COLORS, write_robot

SDF = """<sdf version="1.9"><model name="m"><link name="a"><inertial><mass>1</mass></inertial>
<visual name="v"><pose>0 0 1 0 0 0</pose><geometry><mesh><uri>{uri}</uri><scale>2 2 2</scale></mesh></geometry>
<material><diffuse>1 0 0 1</diffuse></material></visual>
<visual name="w"><geometry><mesh><uri>meshes/lost.obj</uri></mesh></geometry></visual></link></model></sdf>"""


@pytest.fixture
def urdf(tmp_path: Path) -> Path:
    return write_robot(tmp_path)


def test_links_of_a_urdf(urdf: Path) -> None:
    model = eb.load(urdf)
    shapes = {name: body["shape"][0] for name, body in model.document["bodies"].items()}
    assert shapes["base"] == {"type": "mesh", "file": "meshes/base.dae", "at": [0, 0, -0.1]}
    assert shapes["turret"]["color"] == "#e68c33"
    assert shapes["turret"]["scale"] == 0.001
    assert "Meshes that are not drawn, not found: meshes/lost.stl." in model.notes
    scene = scene_of(operating_point(model))
    assert scene.notes == ()
    drawn = {part["name"]: part for part in scene.parts if part["kind"] == "mesh"}
    for name, rgb in COLORS.items():
        assert drawn[name]["color"] == "#" + "".join(f"{part:02x}" for part in rgb)
    assert drawn["base"]["s"] == pytest.approx([0.44, 0.44, 0.2], rel=1e-5)
    assert drawn["turret"]["p"] == pytest.approx([0, 0, 0.205 - 0.15], abs=1e-6)  # of 0 to 0.41 m, from the centre


def test_the_page_is_small(urdf: Path) -> None:
    text = eb.report(eb.load(urdf))
    assert len(text.encode()) < 10e6
    assert "meshes/lost.stl" in text


def test_converted_models_find_the_meshes(urdf: Path, tmp_path: Path) -> None:
    beside, elsewhere = urdf.parent / "robot.yaml", tmp_path / "other" / "robot.yaml"
    elsewhere.parent.mkdir()
    for path in (beside, elsewhere):
        eb.convert(eb.load(urdf), path)
    assert scene_of(operating_point(eb.load(beside))).notes == ()
    scene = scene_of(operating_point(eb.load(elsewhere)))
    assert len(scene.notes) == 4
    assert all("is not in the folder of the model" in note for note in scene.notes)
    assert scene_of(operating_point(eb.load(elsewhere, allow_files=True))).notes == ()


def test_packages_around_the_file(urdf: Path) -> None:
    """The usual layout, package/urdf/robot.urdf beside package/meshes, lies outside of the folder of the file."""
    inside = urdf.parent / "urdf" / "robot.urdf"
    inside.parent.mkdir()
    inside.write_text(urdf.read_text().replace("meshes/lost.stl", "package://mesh_robot/meshes/lost.stl"))
    model = eb.load(inside)
    assert "shape" not in model.document["bodies"]["base"]
    assert "--allow-files looks outside it" in " ".join(model.notes)
    allowed = eb.load(inside, allow_files=True)
    assert allowed.document["bodies"]["base"]["shape"][0]["file"] == "../meshes/base.dae"
    scene = scene_of(operating_point(allowed))
    assert {part["name"] for part in scene.parts if part["kind"] == "mesh"} == {"base", "arm"}
    assert "not found: " in " ".join(allowed.notes)


@pytest.mark.parametrize(
    "uri", ["meshes/turret.stl", "model://mesh_robot/meshes/turret.stl", "file://meshes/turret.stl"]
)
def test_links_of_an_sdf(urdf: Path, uri: str) -> None:
    path = urdf.with_suffix(".sdf")
    path.write_text(SDF.format(uri=uri))
    model = eb.load(path)
    shape = {"type": "mesh", "file": "meshes/turret.stl", "scale": 2.0, "color": "#ff0000", "at": [0, 0, 1]}
    assert model.document["bodies"]["a"]["shape"] == [shape]
    assert "Meshes that are not drawn, not found: meshes/lost.obj." in model.notes


ODD = {
    "kind": ("meshes/a.wrl", "of another kind than"),
    "none": ("", "of another kind than"),
    "outside": ("../../secret.stl", "--allow-files"),
    "root": ("/etc/hostname.stl", "--allow-files"),
    "long": ("a" * 5000 + ".stl", "not found"),
    "package alone": ("package://mesh_robot.stl", "not found"),
}


@pytest.mark.parametrize("case", ODD)
def test_odd_names_are_noted(case: str, urdf: Path) -> None:
    name, words = ODD[case]
    urdf.write_text(urdf.read_text().replace("meshes/lost.stl", name))
    assert words in " ".join(eb.load(urdf).notes)


MJCF = """<mujoco><compiler meshdir="meshes"/><asset>
<mesh name="a" file="lump.obj" scale="0.1 -0.2 0.3"/><mesh name="b" file="lump.obj" refpos="1 0 0"/></asset><worldbody>
<body name="r" pos="0 0 1" euler="10 20 30"><freejoint/><inertial mass="1" pos="0.1 0.2 0.3" diaginertia="1 1 1"/>
<geom type="mesh" mesh="a" pos="1 2 3" euler="5 6 7" rgba="1 0 0 1"/><geom type="mesh" mesh="b"/></body>
</worldbody></mujoco>"""


def test_geoms_of_an_mjcf(urdf: Path) -> None:
    """Corners of the file drawn by the shape are those that MuJoCo has; meshes that it moves are left out."""
    mujoco = pytest.importorskip("mujoco")
    lump = trimesh.creation.box((1, 2, 3))
    lump.vertices[0] += [0.3, 0.2, 0.1]
    lump.apply_translation((5, 1, 2))
    lump.export(urdf.parent / "meshes" / "lump.obj")
    path = urdf.with_suffix(".xml")
    path.write_text(MJCF)
    model = eb.load(path)
    assert "1 geoms that are no" in " ".join(model.notes)
    (shape,) = model.document["bodies"]["r"]["shape"]
    assert (shape["file"], shape["color"]) == ("meshes/lump.obj", "#ff0000")
    table = model.description.bodies
    turn = Values(Faults(model.source), {}).rotation(shape["rotation"], ())
    own = np.array(shape["at"]) + (np.asarray(lump.vertices) * shape["scale"]) @ turn.T
    found = table.position[0] + own @ table.rotation[0].T
    m = mujoco.MjModel.from_xml_path(str(path))
    d = mujoco.MjData(m)
    mujoco.mj_kinematics(m, d)
    exact = d.geom_xpos[0] + m.mesh_vert[: m.mesh_vertnum[0]] @ d.geom_xmat[0].reshape(3, 3).T
    assert cKDTree(exact).query(found)[0].max() < 1e-6
