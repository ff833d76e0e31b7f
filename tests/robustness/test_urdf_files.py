"""URDF files that are odd, wrong or hostile: every fault with its line, repairs with a note, refusals by name."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

import eigenbody as eb
from eigenbody.base.errors import InputError
from eigenbody.exchange.inertia import repaired

INERTIAL = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial>'


def link(name: str, inside: str = INERTIAL) -> str:
    return f'<link name="{name}">{inside}</link>'


def joint(name: str, parent: str, child: str, kind: str = "revolute", inside: str = "") -> str:
    return f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>{inside}</joint>'


def robot(*lines: str) -> str:
    return "\n".join(["<robot name='r'>", *lines, "</robot>"])


@pytest.fixture
def load(tmp_path: Path):
    def loaded(text: str | bytes, **options: object) -> eb.Model:
        path = tmp_path / "r.urdf"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return eb.load(path, **options)

    return loaded


def faults(load, text: str | bytes, **options: object) -> list[str]:
    with pytest.raises(InputError) as caught:
        load(text, **options)
    return [str(fault) for fault in caught.value.faults]


FAULTS = {
    "cycle": (robot(link("a"), link("b"), joint("i", "a", "b"), joint("j", "b", "a")), "line 5", "loop: a < b < a"),
    "two roots": (robot(link("a"), link("b"), link("c"), joint("i", "a", "b")), "line 4", "a robot has one root"),
    "two parents": (
        robot(link("a"), link("b"), link("c"), joint("i", "a", "c"), joint("j", "b", "c"), joint("k", "a", "b")),
        "line 6", "has no closed loops",
    ),
    "missing parent": (robot(link("arm"), joint("i", "amr", "arm")), "line 3", 'Did you mean "arm"?'),
    "no child": (robot(link("a"), '<joint name="i" type="fixed"><parent link="a"/></joint>'), "line 3", "its child is"),
    "unknown type": (robot(link("a"), link("b"), joint("i", "a", "b", "revolut")), "line 4", '"revolute"'),
    "second link": (robot(link("a"), link("a")), "line 3", "in line 2 already"),
    "no number": (robot(link("a", INERTIAL.replace('"1"', '"heavy"', 1))), "line 2", "a finite number expected"),
    "not finite": (robot(link("a", INERTIAL.replace('"1"', '"nan"', 1))), "line 2", "a finite number expected"),
    "two numbers": (robot(link("a"), joint("i", "a", "a", inside='<origin xyz="1 2"/>')), "line 3", "3 finite numbers"),
    "digits of Python": (robot(link("a", INERTIAL.replace('"1"', '"1_0"', 1))), "line 2", "a finite number expected"),
    "mimic loop": (
        robot(link("a"), link("b"), link("c"), joint("i", "a", "b", inside='<mimic joint="j"/>'),
              joint("j", "b", "c", inside='<mimic joint="i" multiplier="2"/>')), "line 5", "in a loop: i, j",
    ),
    "two rotations": (
        robot(link("a"), link("b"), joint("i", "a", "b", inside='<origin rpy="0 0 1" quat_xyzw="0 0 0 1"/>')),
        "line 4", "rpy beside quat_xyzw",
    ),
    "latin letters": (robot("<!-- Größe -->", link("a")).encode("latin-1"), "line 2", 'encoding="ISO-8859-1"'),
    "negative mass": (robot(link("a", INERTIAL.replace('"1"', '"-2"', 1))), "line 2", "negative (-2 kg)"),
    "zero axis": (robot(link("a"), joint("i", "a", "a", inside='<axis xyz="0 0 0"/>')), "line 3", "no direction"),
    "no links": (robot(), "line 1", "it has no links"),
    "not URDF": ("<mujoco/>", "line 1", "This is MJCF"),
    "xacro": ('<robot xmlns:xacro="x">\n<xacro:leg/></robot>', "line 2", "ros2 run xacro xacro r.urdf"),
    "syntax": ("<robot>\n<link></robot>", "line 2", "XML syntax: mismatched tag"),
    "empty": ("", "line 1", "no element found"),
    "entities": ('<!DOCTYPE r [<!ENTITY a "aa"><!ENTITY b "&a;&a;">]>\n<robot>&b;</robot>', "line 1", "(DTD)"),
    "another file": ('<!DOCTYPE r SYSTEM "file:///etc/passwd">\n<robot/>', "line 1", "(DTD)"),
    "deep": ("<robot>" + "<a>" * 200 + "</a>" * 200 + "</robot>", "line 1", "100 levels"),
}  # fmt: skip


@pytest.mark.parametrize("name", FAULTS)
def test_faults_are_named_with_their_line(name: str, load) -> None:
    text, line, what = FAULTS[name]
    found = "\n".join(faults(load, text))
    assert "r.urdf, " + line in found
    assert what in found


def test_all_faults_at_once(load) -> None:
    wrong = INERTIAL.replace('value="1"', 'value="-1"')
    text = robot(link("a", wrong), link("b", wrong), joint("i", "a", "x"), joint("j", "y", "b", "hinge"))
    assert [fault.count("line") for fault in faults(load, text)].count(1) == 5


def test_binary_and_large_files(load, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "XML" in faults(load, b"\x89PNG\r\n\x1a\n\x00\x00")[0]
    assert "XML" in faults(load, b'<?xml version="1.0" encoding="nonsense"?><robot/>')[0]
    monkeypatch.setattr("eigenbody.exchange.base.LARGEST", 10)
    assert "is not read" in faults(load, robot(link("a")))[0]
    with pytest.raises(InputError, match="there is no such file"):
        eb.load(tmp_path / "none.urdf")


def test_other_formats_say_what_is_read() -> None:
    with pytest.raises(InputError, match="xacro robot"):
        eb.load("robot.xacro")


def test_names_that_a_model_cannot_have(load) -> None:
    text = robot(link("ground"), link("left.hip"), link("left_hip"), joint("t", "ground", "left.hip"),
                 joint("j.1", "left.hip", "left_hip"))  # fmt: skip
    model = load(text)
    assert [*model.document["bodies"]] == ["ground_link", "left_hip_2", "left_hip"]
    assert {"t_", "j_1"} < {*model.document["joints"]}
    assert '"ground" is ground_link' in " ".join(model.notes)
    assert eb.linearize(model).coordinates == ("t_", "j_1")


@pytest.mark.parametrize("name", ["ground", "world"])
def test_a_root_without_mass_is_the_ground(name: str, load) -> None:
    model = load(robot(f'<link name="{name}"/>', link("a"), joint("i", name, "a")))
    assert model.document["joints"]["i"]["between"] == ["ground", "a"]
    assert eb.linearize(model).dof == 1


def test_free_base_of_a_root_without_mass(load) -> None:
    """The root is a marker on what a fixed joint holds there, and the free joint is at its origin."""
    on = joint("on", "foot", "a", "fixed", '<origin xyz="0 0 1"/>')
    model = load(robot('<link name="foot"/>', link("a"), on, link("b"), joint("i", "a", "b")), base="free")
    assert model.document["joints"]["base"]["between"] == ["ground", "a"]
    assert model.document["joints"]["base"]["at"] == [0, 0, 0]
    assert model.document["markers"]["foot"]["body"] == "a"
    assert eb.linearize(model).dof == 7


def test_all_joint_types(load) -> None:
    kinds = ("revolute", "continuous", "prismatic", "fixed", "floating", "planar")
    parts = [link("root"), *(link(kind) for kind in kinds), *(joint(f"j_{k}", "root", k, k) for k in kinds)]
    model = load(robot(*parts))
    assert eb.linearize(model).dof == 1 + 1 + 1 + 0 + 6 + 3
    assert eb.check(model).notes == model.notes


def test_a_mimic_of_a_mimic(load) -> None:
    """k = 3 j - 0.1, j = 2 i + 0.3: in the drawing i is zero; i is the coordinate, also where it comes last."""
    ties = {
        "j": '<mimic joint="i" multiplier="2" offset="0.3"/>',
        "k": '<mimic joint="j" multiplier="3" offset="-0.1"/>',
    }
    for order in ("ijk", "kji"):
        chain = [
            joint(name, before, name, inside=ties.get(name, ""))
            for before, name in zip("a" + order, order, strict=False)
        ]
        model = load(robot(link("a"), *(link(name) for name in order), *chain))
        assert eb.linearize(model).coordinates == ("i",)
        for value in (0.0, 0.2):
            at = eb.operating_point(model.posed({"i": value}) if value else model).coordinates()
            assert at["j"] == pytest.approx(2 * value + 0.3, abs=1e-12)
            assert at["k"] == pytest.approx(3 * at["j"] - 0.1, abs=1e-12)


def test_what_is_read_once_or_not_at_all_is_told(load) -> None:
    light = INERTIAL.replace('<mass value="1"/>', "")
    ends = '<limit lower="1" upper="-1"/><dynamics damping="1" armature="0.2"/>'
    text = robot(link("a"), link("b", INERTIAL + INERTIAL), link("c", light), joint("i", "a", "b", inside=ends),
                 joint("j", "b", "c"))  # fmt: skip
    model = load(text)
    told = " ".join(model.notes)
    for words in ("a second <inertial> of a link", '"armature" of <dynamics>', "inertia and no mass: c", "Limits of i"):
        assert words in told
    assert "lower" not in model.document["joints"]["i"]
    assert any("upper limit is below" in fault for fault in faults(load, text, strict=True))


def test_rotations_by_quaternions(load) -> None:
    """`quat_xyzw` of an origin is the same rotation as rpy."""
    turns = ('rpy="0.3 0 0"', f'quat_xyzw="{math.sin(0.15)!r} 0 0 {math.cos(0.15)!r}"')
    found = [
        eb.linearize(load(robot(link("a"), link("b", INERTIAL.replace("<mass", '<origin xyz="0 1 0"/><mass')),
                                joint("i", "a", "b", inside=f'<origin xyz="0 0 1" {turn}/><axis xyz="1 1 0"/>'))))
        for turn in turns
    ]  # fmt: skip
    np.testing.assert_allclose(found[1].M, found[0].M, rtol=1e-14)
    np.testing.assert_allclose(found[1].K, found[0].K, rtol=1e-14)


def test_mimic_joints_are_couplings(load) -> None:
    """child = 2 parent + 0.3, all along a motion."""
    arm = INERTIAL.replace("<mass", '<origin xyz="0 1 0"/><mass')
    tie = '<mimic joint="i" multiplier="2" offset="0.3"/>'
    text = robot(link("a"), link("b"), link("c", arm), joint("i", "a", "b"), joint("j", "b", "c", inside=tie))
    model = load(text)
    assert eb.linearize(model).dof == 1
    run = eb.simulate(model, 0.2, points=3)
    np.testing.assert_allclose(run.signal("j"), 2 * run.signal("i") + 0.3, atol=1e-9)
    assert run.signal("i")[-1] != 0
    wrong = text.replace('joint="i" m', 'joint="k" m')
    assert "follows no other" in " ".join(load(wrong).notes)
    assert "is no joint" in faults(load, wrong, strict=True)[0]


def test_what_is_left_out_is_noted(load) -> None:
    inside = '<dynamics damping="2" friction="0.5"/><limit lower="-1" upper="2" effort="3" velocity="4"/>'
    mesh = '<visual><geometry><mesh filename="a.stl"/></geometry></visual>'
    extra = '<gazebo/><transmission name="x"/>'
    text = robot(link("a", INERTIAL + mesh), link("b"), joint("i", "a", "b", inside=inside), extra)
    model = load(text)
    notes = "\n".join(model.notes)
    for words in (
        "Meshes that are not drawn, not found: a.stl",
        "<gazebo>",
        "<transmission>",
        "friction is left out: i 0.5",
        "-1 to 2 rad, 3 N*m, 4 rad/s",
    ):
        assert words in notes
    assert model.document["forces"] == {"i_damping": {"type": "damper", "along": "i", "c": 2.0}}


def test_massless_links_that_move(load) -> None:
    text = robot(
        link("a"),
        '<link name="b"/>',
        link("c"),
        joint("i", "a", "b"),
        joint("j", "b", "c", inside='<axis xyz="0 1 0"/>'),
    )
    assert eb.linearize(load(text)).dof == 2
    light = load(robot(link("a"), '<link name="b"/>', joint("i", "a", "b")))
    assert "Joints that move no mass: i." in light.notes


def inertia(xx: float, yy: float, zz: float) -> str:
    return INERTIAL.replace('ixx="1" iyy="1" izz="1"', f'ixx="{xx}" iyy="{yy}" izz="{zz}"')


def test_impossible_inertias(load) -> None:
    """A triangle violation is repaired with a note or refused; noise beside mass times size squared is neither."""
    text = robot(link("a", inertia(1, 1, 3)))
    model = load(text)
    assert "Inertia of a" in " ".join(model.notes)
    xx, yy, zz = model.document["bodies"]["a"]["inertia"]
    assert zz == pytest.approx(xx + yy)
    assert "impossible inertia" in faults(load, text, strict=True)[0]
    for noise in (inertia(-5e-20, 1e-19, 1e-19), inertia(1e-12, 1e-12, 2.1e-12)):
        quiet = load(robot(link("a", noise)), strict=True)
        assert "Inertia of" not in " ".join(quiet.notes)
        assert eb.linearize(quiet, solver="dense").dof == 0


def test_the_repaired_inertia_is_one_of_a_body() -> None:
    """Second moments of mass are not negative after the repair, and what was possible is not touched."""
    rng = np.random.default_rng(2)
    for _ in range(200):
        J = rng.normal(size=(3, 3))
        J = J + J.T
        found = repaired(J, 1.0, 1.0)
        moments = np.linalg.eigvalsh(found.tensor)
        assert moments[0] >= -1e-12
        assert moments[2] <= moments[0] + moments[1] + 1e-12
        points = rng.normal(size=(5, 3))
        real = (points**2).sum() * np.eye(3) - points.T @ points
        assert repaired(real, 1.0, 1.0).tensor is real


def test_a_model_file_with_parameters_called_base(tmp_path: Path) -> None:
    model = {"parameters": {"base": 1.0, "strict": 2.0}, "bodies": {"a": {"mass": "=base", "at": [0, 0, 0]}}}
    assert eb.load({"eigenbody": 1, **model}, base=3.0).parameters["base"] == 3.0


def test_what_a_urdf_cannot_say_is_refused_by_name(tmp_path: Path) -> None:
    examples = Path(__file__).parents[2] / "examples"
    with pytest.raises(InputError) as caught:
        eb.convert(examples / "four_bar.yaml", tmp_path / "x.urdf")
    assert "URDF has" in str(caught.value)
    with pytest.raises(InputError, match="no format"):
        eb.convert(examples / "four_bar.yaml", tmp_path / "x.docx")
