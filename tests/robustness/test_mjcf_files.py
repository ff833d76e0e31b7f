"""Bad MJCF files: one clear message for each fault, with file and line; nothing outside the folder is opened."""

import subprocess
import sys
from pathlib import Path

import pytest

import eigenbody as eb

pytest.importorskip("mujoco")
BODY = '<body name="b"><joint name="j"/><geom size=".1"/></body>'


def refusal(path: Path, **options: object) -> str:
    with pytest.raises(eb.InputError) as caught:
        eb.load(path, **options)
    return str(caught.value)


FILES = {
    "URDF in XML": ("<robot/>", "line 1", "URDF"),
    "a part of a file": ("<mujocoinclude/>", "line 1", "includes it"),
    "bomb": ('<!DOCTYPE a [<!ENTITY b "bb">]>\n<mujoco/>', "line 1", "entities"),
    "entity of a file": ('<!DOCTYPE a [<!ENTITY b SYSTEM "/etc/passwd">]>\n<mujoco>&b;</mujoco>', "line 1", "entities"),
    "not closed": ("<mujoco>\n<worldbody>\n</mujoco>", "line 3", "XML"),
    "unknown element": (f"<mujoco>\n<worldbody>\n<sphinx/>\n{BODY}</worldbody></mujoco>", "line 3", "sphinx"),
    "massless": ('<mujoco><worldbody>\n<body name="light"><joint/></body></worldbody></mujoco>', "line 2", "mass"),
    "missing mesh": (
        f'<mujoco><asset>\n<mesh name="a" file="a.stl"/>\n<mesh name="b" file="b.stl"/></asset><worldbody>{BODY}'
        "</worldbody></mujoco>", "line 3", "b.stl",
    ),
    "missing part": ('<mujoco>\n\n<include file="part.xml"/></mujoco>', "line 3", "part.xml"),
    "part of itself": ('<mujoco>\n<include file="m.xml"/></mujoco>', "line 2", "include each other"),
    "far away": ('<mujoco>\n<include file="../../x.xml"/></mujoco>', "line 2", "--allow-files"),
    "attached from far away": (
        '<mujoco><asset>\n<model name="c" file="../x.xml"/></asset></mujoco>', "line 2", "--allow-files",
    ),
    "sides of a texture": (
        f'<mujoco><asset>\n<texture type="cube" name="t" fileright="../a.png"/></asset><worldbody>{BODY}</worldbody>'
        "</mujoco>", "line 2", "a.png",
    ),
    "deformable mesh": (f'<mujoco><worldbody>{BODY}\n<flexcomp name="f" type="mesh" file="../m.obj" mass="1"/>'
        "</worldbody></mujoco>", "line 2", "m.obj"),
    "absolute": ('<mujoco>\n<include file="/etc/hostname"/></mujoco>', "line 2", "--allow-files"),
}  # fmt: skip


@pytest.mark.parametrize("name", FILES)
def test_faults_are_named_with_their_lines(name: str, tmp_path: Path) -> None:
    text, *words = FILES[name]
    path = tmp_path / "m.xml"
    path.write_text(text)
    told = refusal(path)
    assert all(word in told for word in ("m.xml", *words)), told


def test_every_missing_mesh_is_told(tmp_path: Path) -> None:
    path = tmp_path / "m.xml"
    path.write_text(FILES["missing mesh"][0])
    assert all(name in refusal(path) for name in ("a.stl", "b.stl"))


def test_files_outside_are_opened_where_allowed(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "part.xml").write_text(f"<mujocoinclude>{BODY}</mujocoinclude>")
    path = tmp_path / "in" / "m.xml"
    path.write_text('<mujoco><worldbody>\n<include file="../part.xml"/></worldbody></mujoco>')
    assert "outside the folder" in refusal(path)
    assert eb.linearize(eb.load(path, allow_files=True)).coordinates == ("j",)


def test_attached_models_and_large_meshes(tmp_path: Path) -> None:
    """A model that is attached counts like one that is included; meshes are limited in size."""
    inner, path = tmp_path / "there" / "inner.xml", tmp_path / "here" / "m.xml"
    for file in (inner, path):
        file.parent.mkdir()
    inner.write_text(f"<mujoco><worldbody>{BODY}</worldbody></mujoco>")
    path.write_text(
        '<mujoco><asset><model name="c" file="../there/inner.xml"/></asset><worldbody>'
        '<attach model="c" body="b" prefix="x_"/></worldbody></mujoco>'
    )
    assert "outside the folder" in refusal(path)
    assert [*eb.load(path, allow_files=True).document["joints"]] == ["x_j"]
    with open(path.parent / "big.stl", "wb") as mesh:
        mesh.truncate(100 * 2**20)
    path.write_text(f'<mujoco><asset><mesh file="big.stl"/></asset><worldbody>{BODY}</worldbody></mujoco>')
    assert "100 MB" in refusal(path)


def test_parts_are_looked_for_where_mujoco_does(tmp_path: Path) -> None:
    """In the folder of the main file first, then in that of the part that includes them."""
    (tmp_path / "sub").mkdir()
    path, part = tmp_path / "m.xml", tmp_path / "sub" / "a.xml"
    path.write_text('<mujoco><include file="sub/a.xml"/></mujoco>')
    part.write_text('<mujocoinclude><include file="b.xml"/></mujocoinclude>')
    for folder in (tmp_path / "sub", tmp_path):
        text = BODY.replace('"j"', f'"in_{folder.name}"')
        (folder / "b.xml").write_text(f"<mujocoinclude><worldbody>{text}</worldbody></mujocoinclude>")
        assert [*eb.load(path).document["joints"]] == [f"in_{folder.name}"]


def test_base_is_said_by_the_file(tmp_path: Path) -> None:
    path = tmp_path / "m.xml"
    path.write_text(f"<mujoco><worldbody>{BODY}</worldbody></mujoco>")
    assert "says itself" in refusal(path, base="free")


def test_nothing_moves(tmp_path: Path) -> None:
    path = tmp_path / "m.xml"
    path.write_text('<mujoco><worldbody><geom size=".1"/></worldbody></mujoco>')
    assert "no bodies" in refusal(path)


def test_without_the_package(tmp_path: Path) -> None:
    """Exit code 2 and the line that installs it."""
    path = tmp_path / "m.xml"
    path.write_text(f"<mujoco><worldbody>{BODY}</worldbody></mujoco>")
    code = "import sys; sys.modules['mujoco'] = None; from eigenbody.cli import main; sys.exit(main())"
    done = subprocess.run([sys.executable, "-c", code, "modes", str(path)], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert 'pip install "eigenbody[mujoco]"' in done.stderr
