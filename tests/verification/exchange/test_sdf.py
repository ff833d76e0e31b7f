"""SDF files against the same mechanisms in other formats and against closed forms."""

from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import eigenbody as eb
from eigenbody.exchange.base import Findings, Options
from eigenbody.exchange.meshes import Meshes
from eigenbody.exchange.urdf.elements import robot_of
from eigenbody.exchange.urdf.tree import tree_of
from eigenbody.exchange.xml import parse

EXAMPLES = Path(__file__).parents[3] / "examples"


def read(tmp_path: Path, text: str, version: str = "1.9", **options: object) -> eb.Model:
    path = tmp_path / "robot.sdf"
    path.write_text(f'<?xml version="1.0"?><sdf version="{version}">{text}</sdf>')
    return eb.load(path, **options)


def euler(R: np.ndarray) -> list[float]:
    """Roll, pitch, yaw about fixed axes; near the poles too."""
    if abs(R[2, 0]) > 1 - 1e-12:
        return [0.0, -np.sign(R[2, 0]) * np.pi / 2, np.arctan2(-R[0, 1], R[1, 1])]
    return Rotation.from_matrix(R).as_euler("xyz").tolist()


def pose_text(r: np.ndarray, R: np.ndarray, relative: str = "") -> str:
    numbers = [*r, *euler(R)]
    inside = f' relative_to="{relative}"' if relative else ""
    return f"<pose{inside}>{' '.join(repr(float(v)) for v in numbers)}</pose>"


def as_sdf(urdf: Path) -> str:
    """The robot of a URDF file with every second link placed in the link before, the others in the model."""
    found = Findings("urdf")
    robot = robot_of(parse(urdf.read_bytes(), "urdf"), found, Meshes(urdf.parent, Options()))
    tree = tree_of(robot, found)
    assert tree is not None
    text = ""
    for n, (name, link) in enumerate(robot.links.items()):
        if name == "world":  # what SDF calls the ground
            continue
        own = tree.poses[name]
        joint = tree.carried.get(name)
        place = pose_text(joint.pose.r, joint.pose.R, joint.parent) if joint and n % 2 else pose_text(own.r, own.R)
        inertial = link.inertial
        mass = "<mass>0</mass><inertia><ixx>0</ixx><iyy>0</iyy><izz>0</izz></inertia>"
        if inertial is not None:
            (xx, xy, xz), (_, yy, yz), (_, _, zz) = inertial.tensor
            entries = {"ixx": xx, "ixy": xy, "ixz": xz, "iyy": yy, "iyz": yz, "izz": zz}
            inside = "".join(f"<{key}>{float(value)!r}</{key}>" for key, value in entries.items())
            mass = pose_text(inertial.pose.r, inertial.pose.R) + f"<mass>{inertial.mass!r}</mass>"
            mass += f"<inertia>{inside}</inertia>"
        text += f'<link name="{name}">{place}<inertial>{mass}</inertial></link>'
    for joint in tree.carried.values():
        axis = " ".join(map(repr, map(float, joint.axis)))
        text += (
            f'<joint name="{joint.name}" type="{joint.type}">'
            f"<parent>{joint.parent}</parent><child>{joint.child}</child>"
            f"<axis><xyz>{axis}</xyz><dynamics><damping>{joint.damping}</damping></dynamics></axis></joint>"
        )
    return f'<model name="{robot.name}">{text}</model>'


def test_the_arm_of_the_urdf(tmp_path: Path):
    urdf = EXAMPLES / "six_axis_arm.urdf"
    arm = eb.load(urdf).set(gravity=[0, 0, -9.8])
    found = read(tmp_path, as_sdf(urdf))
    one, two = eb.linearize(found), eb.linearize(arm)
    assert one.coordinates == two.coordinates
    for name in "MCK":
        np.testing.assert_allclose(getattr(one, name), getattr(two, name), atol=1e-9 * np.abs(getattr(two, name)).max())


def bar(name: str, place: str) -> str:
    inertia = "<ixx>5</ixx><iyy>5</iyy><izz>5</izz>"
    return (
        f'<link name="{name}"><pose>{place} 0 0 0</pose>'
        f"<inertial><mass>10</mass><inertia>{inertia}</inertia></inertial>"
        "<visual><geometry><box><size>0.1 0.1 1</size></box></geometry></visual></link>"
    )


def joint(name: str, kind: str, parent: str, child: str, place: str, *axes: str) -> str:
    turned = "".join(f"<axis{n}><xyz>{xyz}</xyz></axis{n}>" for n, xyz in zip(("", "2"), axes, strict=False))
    ends = f"<parent>{parent}</parent><child>{child}</child>"
    where = f'<pose relative_to="__model__">{place} 0 0 0</pose>'
    return f'<joint name="{name}" type="{kind}">{where}{ends}{turned}</joint>'


FOUR_BAR = (
    bar("crank", "0 0 -0.5") + bar("coupler", "0.5 0 -1") + bar("rocker", "1 0 -0.5")
    + joint("a", "revolute", "world", "crank", "0 0 0", "0 1 0")
    + joint("b", "universal", "crank", "coupler", "0 0 -1", "0 1 0", "0 0 1")
    + joint("c", "ball", "coupler", "rocker", "1 0 -1")
    + joint("d", "revolute", "world", "rocker", "1 0 0", "0 1 0")
)  # fmt: skip


def test_a_closed_loop_in_a_turned_world(tmp_path: Path):
    """omega^2 = 7.848 1/s^2 (Trom 1990, Eq. 4.18), in a model inside a model inside a world that is turned with it."""
    turned = Rotation.from_euler("xyz", [0.4, -0.7, 1.1])
    gravity = " ".join(map(repr, turned.apply([0, 0, -9.81]).tolist()))
    inner = f'<model name="bar"><pose>1 2 3 0 0 0</pose>{FOUR_BAR}</model>'
    angles = " ".join(map(repr, np.degrees([0.4, -0.7, 1.1]).tolist()))
    outer = f'<model name="rig"><pose degrees="true">4 5 6 {angles}</pose>{inner}</model>'
    found = eb.linearize(read(tmp_path, f'<world name="w"><gravity>{gravity}</gravity>{outer}</world>'))
    assert found.coordinates == ("rig::bar::a",)
    assert found.K[0, 0] / found.M[0, 0] == pytest.approx(7.848, abs=1e-9)


def test_springs_mimics_screws_and_frames(tmp_path: Path):
    """A slider of 2 kg on a spring, a nut of 3 kg on a screw that a wheel mimics, joined by frames."""
    text = """
    <model name="m">
      <frame name="rail" attached_to="base"><pose>0 0 1 0 1.5707963267948966 0</pose></frame>
      <link name="base"><inertial><mass>100</mass></inertial></link>
      <joint name="stand" type="fixed"><parent>world</parent><child>base</child></joint>
      <link name="slider"><pose relative_to="rail"/><inertial><mass>2</mass></inertial></link>
      <joint name="slide" type="prismatic"><parent>rail</parent><child>slider</child>
        <axis><xyz expressed_in="__model__">1 0 0</xyz>
          <dynamics><spring_stiffness>200</spring_stiffness><spring_reference>0</spring_reference>
            <damping>4</damping></dynamics>
        </axis></joint>
      <link name="nut"><inertial><mass>3</mass>
        <inertia><ixx>0.1</ixx><iyy>0.1</iyy><izz>0.5</izz></inertia></inertial></link>
      <joint name="turn" type="screw"><parent>base</parent><child>nut</child><axis><xyz>0 0 1</xyz></axis>
        <screw_thread_pitch>0.2</screw_thread_pitch></joint>
      <link name="wheel"><inertial><mass>1</mass>
        <inertia><ixx>1</ixx><iyy>1</iyy><izz>0.7</izz></inertia></inertial></link>
      <joint name="roll" type="continuous"><parent>base</parent><child>wheel</child>
        <axis><xyz>0 0 1</xyz><mimic joint="turn"><multiplier>3</multiplier></mimic></axis></joint>
    </model>"""
    linear = eb.linearize(read(tmp_path, text), coordinates=["slide", "turn"])
    np.testing.assert_allclose(linear.M, np.diag([2, 0.5 + 3 * (0.2 / (2 * np.pi)) ** 2 + 9 * 0.7]), rtol=1e-12)
    np.testing.assert_allclose(linear.K, np.diag([200, 0]), atol=1e-9)
    np.testing.assert_allclose(linear.C, np.diag([4, 0]), atol=1e-12)


def place(r: str, child: str = "", **attributes: str) -> str:
    words = "".join(f' {key}="{value}"' for key, value in attributes.items())
    return f'<model name="arm"{words}><pose>{r}</pose>{child}</model>'


def test_models_inside_models(tmp_path: Path):
    """The bar as a model of its own in a turned model, placed by its own origin, by a link in it, with its canonical
    link or a frame on it as the child: one mechanism."""
    stand = '<link name="stand"/><joint name="foot" type="fixed"><parent>world</parent><child>stand</child></joint>'
    hinge = (
        '<joint name="j" type="revolute"><pose relative_to="stand"/><parent>stand</parent><child>{}</child>{}</joint>'
    )
    axis = '<axis><xyz expressed_in="__model__">0 1 0</xyz></axis>'
    tip = '<link name="tip"><pose>0 0 -2 0 0.3 0</pose></link><joint name="grip" type="fixed"><parent>bar</parent>'
    inner = bar("bar", "0 0 -0.5") + tip + "<child>tip</child></joint>"
    framed = f'{inner}<frame name="f" attached_to="bar"><pose>1 0 0 0 0 0</pose></frame>'
    at = "0.1 0.2 0 0 0.4 0"
    turned = Rotation.from_euler("y", 0.4)
    moved = turned.apply([0, 0, -2]) + np.array([0.1, 0.2, 0])
    by_tip = " ".join(map(repr, [*moved.tolist(), 0.0, 0.7, 0.0]))
    wanted = None
    for child, model in (
        ("arm::bar", place(at, inner)),
        ("arm::f", place(at, framed)),
        ("arm", place(at, inner)),
        ("arm", place(at, inner, canonical_link="bar")),
        ("arm::bar", place(by_tip, inner, placement_frame="tip")),
    ):
        found = eb.linearize(
            read(
                tmp_path, f'<model name="m"><pose>0 0 0 0.2 0 0</pose>{stand}{model}{hinge.format(child, axis)}</model>'
            )
        )
        assert found.coordinates == ("j",)
        wanted = wanted or found
        np.testing.assert_allclose([found.M, found.K], [wanted.M, wanted.K], rtol=1e-12)
    assert wanted.K[0, 0] > 1


def test_what_acts_on_links_and_what_is_not_read(tmp_path: Path):
    """A link without gravity falls no more; limits, `inf` too, are kept; what nothing reads is told."""
    swing = joint("a", "revolute", "world", "crank", "0 0 0", "0 1 0")
    limit = "<limit><lower>-0.5</lower><upper>inf</upper></limit></axis>"
    text = f'<model name="m">{bar("crank", "0 0 -0.5")}{swing}</model>'.replace("</axis>", limit)
    plain = read(tmp_path, text)
    assert eb.linearize(plain).K[0, 0] == pytest.approx(10 * 9.8 * 0.5)
    assert plain.document["joints"]["a"]["lower"] == -0.5
    assert "upper" not in plain.document["joints"]["a"]
    more = "<gravity>false</gravity><velocity_decay/><sensor/></link>"
    still = read(tmp_path, text.replace("</link>", more))
    assert eb.linearize(still).K[0, 0] == pytest.approx(0, abs=1e-12)
    told = " ".join(still.notes)
    for words in ("No gravity acts on crank", "<velocity_decay> of links", "<sensor> of links", "a -0.5 to"):
        assert words in told
    with pytest.raises(eb.InputError, match="auto"):
        read(tmp_path, text.replace("<inertial>", '<inertial auto="true">'))


def test_mimics_follow_their_leader(tmp_path: Path):
    """The first of two joints follows the second by 2 q + 0.3: q is the coordinate, zero in the drawing."""
    chain = bar("one", "0 0 0") + bar("two", "0 0 -1") + joint("i", "revolute", "world", "one", "0 0 0.5", "0 1 0")
    chain += joint("j", "revolute", "one", "two", "0 0 -0.5", "0 1 0")
    tie = '<mimic joint="j"><multiplier>2</multiplier><offset>0.3</offset></mimic></axis>'
    model = read(tmp_path, f'<model name="m">{chain.replace("</axis>", tie, 1)}</model>')
    assert eb.linearize(model).coordinates == ("j",)
    values = eb.operating_point(model).coordinates()
    assert (values["i"], values["j"]) == (pytest.approx(0.3), pytest.approx(0, abs=1e-12))


def test_a_model_stands_as_the_file_says(tmp_path: Path):
    """Nothing joins it to the world: it is free; `base` fixes it. A static model is the ground."""
    hinge = joint("j", "revolute", "one", "two", "0 0 0.5", "1 0 0")
    arm = f'<model name="m">{bar("one", "0 0 0")}{bar("two", "0 0 1")}{hinge}</model>'
    free = read(tmp_path, arm)
    assert free.document["joints"]["base"]["type"] == "free"
    assert eb.linearize(free).dof == 7
    assert eb.linearize(read(tmp_path, arm, base="fixed")).dof == 1
    static = arm.replace('<model name="m">', '<model name="m"><static>1</static>')
    with pytest.raises(eb.InputError, match="no link can move"):
        read(tmp_path, static)


def test_axes_of_old_files_are_in_the_model(tmp_path: Path):
    """Version 1.4: the axis is in the frame of the model; from 1.5 on in that of the joint."""
    text = (
        '<model name="m"><link name="l"><pose>0 0 0 0 0 1.5707963267948966</pose>'
        "<inertial><mass>1</mass><inertia><ixx>1</ixx><iyy>2</iyy><izz>3</izz></inertia></inertial></link>"
        '<joint name="j" type="revolute"><parent>world</parent><child>l</child>'
        "<axis><xyz>1 0 0</xyz></axis></joint></model>"
    )
    assert eb.linearize(read(tmp_path, text, "1.4")).M[0, 0] == pytest.approx(2, rel=1e-12)
    assert eb.linearize(read(tmp_path, text, "1.9")).M[0, 0] == pytest.approx(1, rel=1e-12)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("<child>rocker</child>", "<child>roker</child>", '"roker" is no link'),
        ('type="ball"', 'type="gearbox"', 'joints of type "gearbox" are not read'),
        ("<mass>10</mass>", "<mass>ten</mass>", "a finite number expected"),
        ("<parent>coupler</parent>", "", "its parent is missing"),
        ('relative_to="__model__"', 'relative_to="__modle__"', "is not there"),
        ('<link name="crank">', '<link name="coupler">', "there is something of this name already"),
        ('<link name="crank">', '<include><uri>model://x</uri></include><link name="crank">', "gz sdf -p"),
    ],
)
def test_faults_have_their_lines(tmp_path: Path, old: str, new: str, said: str):
    text = '<model name="m">' + FOUR_BAR.replace("<link", "\n<link").replace("<joint", "\n<joint") + "</model>"
    assert old in text
    with pytest.raises(eb.InputError) as caught:
        read(tmp_path, text.replace(old, new, 1))
    assert any(said in str(fault) and "robot.sdf, line" in str(fault) for fault in caught.value.faults)


def test_frames_in_a_circle_are_refused(tmp_path: Path):
    links = [f'<link name="{one}"><pose relative_to="{other}"/></link>' for one, other in ("ab", "ba")]
    text = f'<model name="m">{"".join(links)}</model>'
    with pytest.raises(eb.InputError, match="depends on it again"):
        read(tmp_path, text)
