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
