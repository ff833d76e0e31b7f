"""MJCF files against MuJoCo itself: M, C and K by differences of its equations (comparison/files), loops eliminated.

The files are written here, one for each kind of thing; comparison/files/run.sh compares those of published packages.
"""

import importlib
import sys
from pathlib import Path

import numpy as np
import pytest

import eigenbody as eb

mujoco = pytest.importorskip("mujoco")
ROOT = Path(__file__).parents[3]

HEAD = '<mujoco model="m"><compiler angle="radian"/><option gravity="0.4 -0.3 -9.81"/>'
LINK = '<geom type="box" size=".2 .03 .05" pos=".2 .01 .02" euler=".1 .2 .3" mass="1.3"/>'
CASES = {
    "hinges and slides in one body": f"""{HEAD}<worldbody><body name="root">
        <joint name="x" type="slide" axis="1 0 0" damping=".3"/>
        <joint name="z" type="slide" axis="0 .2 1" stiffness="30"/>
        <joint name="tilt" axis="0 1 0.1" pos=".1 0 0" armature=".2"/>{LINK}
        <body name="arm" pos=".4 0 0" euler=".3 -.2 .1"><joint name="elbow" axis="1 .2 0" ref=".4" springref=".7"
          stiffness="12" damping=".4"/>{LINK}</body></body></worldbody></mujoco>""",
    "ball and free": f"""{HEAD}<worldbody><body name="base" pos="0 0 1" euler=".2 .1 0"><freejoint name="root"/>{LINK}
        <body name="upper" pos=".4 0 0" euler="0 .5 .1"><joint name="shoulder" type="ball" pos=".02 0 .01" damping=".7"
          stiffness="15" armature=".05"/>{LINK}<body name="hand" pos=".4 0 0">{LINK}</body></body></body></worldbody>
        </mujoco>""",
    "damped free body on springs": f"""{HEAD}<worldbody><body name="b" pos="0 0 1">
        <joint name="f" type="free" damping=".6" stiffness="20"/>{LINK}</body></worldbody></mujoco>""",
    "servos, motors, activations": f"""{HEAD}<worldbody><body name="a"><joint name="j" axis="0 1 0"/>{LINK}
        <body name="b" pos=".4 0 0"><joint name="k" axis="0 1 .3"/>{LINK}</body></body></worldbody><actuator>
        <motor name="m" joint="j"/><motor name="geared" joint="j" gear="7"/>
       <position name="p" joint="k" kp="40" kv="2"/>
        <velocity name="speed" joint="k" kv="3" gear="2"/>
        <general name="slow" joint="j" dyntype="filter" dynprm=".1" gainprm="5"/>
        <general name="affine" joint="j" gaintype="affine" gainprm="1 2 3" biastype="affine" biasprm=".1 -2 -.3"/>
        </actuator></mujoco>""",
    "tendons": f"""{HEAD}<worldbody><site name="anchor" pos=".3 .5 .8"/><body name="a">
        <joint name="j" axis="0 1 0"/>{LINK}
        <site name="mid" pos=".3 .05 .1"/><body name="b" pos=".4 0 0"><joint name="k" axis="0 1 .3" ref=".2"/>{LINK}
        <site name="end" pos=".2 .1 0"/></body></body></worldbody><tendon>
        <fixed name="belt" stiffness="11" damping=".8" springlength=".1"><joint joint="j" coef="2"/>
          <joint joint="k" coef="-.7"/></fixed>
        <spatial name="cable" stiffness="50" damping="3" springlength=".4"><site site="anchor"/><site site="mid"/>
          <site site="end"/></spatial></tendon>
        <actuator><position name="pull" tendon="belt" kp="9"/></actuator></mujoco>""",
    "loop by connect": f"""{HEAD}<worldbody><body name="crank"><joint name="c" axis="0 1 0"/>{LINK}
        <body name="rod" pos=".4 0 0"><joint name="r" axis="0 1 0"/>{LINK}</body></body>
        <body name="rocker" pos=".5 0 -.4"><joint name="k" axis="0 1 0"/>{LINK}</body></worldbody>
        <equality><connect name="pin" body1="rod" body2="rocker" anchor=".4 0 -.1"/></equality></mujoco>""",
    "weld to another": f"""{HEAD}<worldbody><body name="a"><joint name="j" axis="0 1 0"/>
        <joint name="s" type="slide"/>{LINK}
        </body><body name="b" pos=".5 .1 .2"><freejoint name="f"/>{LINK}</body></worldbody>
        <equality><weld name="glue" body1="a" body2="b"/></equality></mujoco>""",
    "joints as functions of joints": f"""{HEAD}<worldbody><body name="a"><joint name="j" axis="0 1 0" ref=".1"/>{LINK}
        <body name="b" pos=".4 0 0"><joint name="k" axis="0 1 .3"/>{LINK}<body name="c" pos=".4 0 0">
        <joint name="l" axis="1 0 .3"/>{LINK}</body></body></body></worldbody><equality>
        <joint name="cam" joint1="k" joint2="j" polycoef=".05 .6 -.3 .2 .1"/></equality></mujoco>""",
    "tendons as functions of tendons": f"""{HEAD}<worldbody><body name="a"><joint name="j" axis="0 1 0"/>{LINK}
        <body name="b" pos=".4 0 0"><joint name="k" axis="0 1 .3"/>{LINK}</body></body></worldbody><tendon>
        <fixed name="t1"><joint joint="j" coef="1"/></fixed><fixed name="t2"><joint joint="k" coef="2"/>
        <joint joint="j" coef=".2"/></fixed></tendon><equality><tendon tendon1="t1" tendon2="t2" polycoef="0 .5 0 0 0"/>
        </equality></mujoco>""",
    "armatures of a hinge, then of balls": f"""{HEAD}<worldbody><body><joint name="h" axis="0 1 0" armature=".7"/>{LINK}
        <body pos=".3 .1 0"><joint name="b" type="ball" armature=".3"/>{LINK}<body pos=".3 .1 0">
        <joint name="c" type="ball" armature=".2" stiffness="3"/>{LINK}</body></body></body></worldbody></mujoco>""",
    "armature of a free body": f"""{HEAD}<worldbody><body euler=".1 .2 .3"><joint type="free" name="f" armature=".3"/>
        {LINK}</body></worldbody></mujoco>""",
    "an equality that the file starts apart from": f"""{HEAD}<worldbody><body><joint name="j" axis="0 1 0" ref=".3"/>
        {LINK}<body pos=".4 0 0"><joint name="k" axis="0 1 0" ref="-.2"/>{LINK}<body pos=".4 0 0">
        <joint name="l" axis="0 1 0" ref="-.2"/>{LINK}</body></body></body></worldbody><equality>
        <joint joint1="j" joint2="k" polycoef=".1 .5 0 0 0"/><joint joint1="k" joint2="l" polycoef=".1 .5 .1 0 0"/>
        </equality></mujoco>""",
    "a loop that the file starts apart from": f"""{HEAD}<worldbody><site name="w" pos=".7 0 -.2"/><body>
        <joint name="c" axis="0 1 0" ref=".1"/>{LINK}
        <body pos=".4 0 0" euler="0 .6 0"><joint name="r" axis="0 1 0" ref=".2"/>{LINK}
        <body pos=".4 0 0"><joint name="q" axis="0 1 0" ref=".3"/>{LINK}<site name="e" pos=".1 0 0"/></body></body>
        </body></worldbody><equality><connect site1="w" site2="e"/></equality></mujoco>""",
    "a group of actuators switched off": f"""<mujoco><option actuatorgroupdisable="2"/><worldbody><body>
        <joint name="j" axis="0 1 0"/>{LINK}</body></worldbody><actuator>
        <position name="p" joint="j" kp="50" group="2"/><position name="q" joint="j" kp="5" group="1"/>
        </actuator></mujoco>""",
    "degrees, classes, frames": f"""<mujoco><compiler angle="degree" eulerseq="ZYX"/><default>
        <joint damping=".5" armature=".01"/><default class="x"><joint stiffness="7" axis="0 1 0"/>
        <position kp="30" kv="1"/></default></default><worldbody><frame pos="1 2 3" euler="10 0 40">
        <body childclass="x" euler="10 20 30"><joint name="a" ref="10" springref="20"/>{LINK}<frame euler="0 30 0">
        <body pos=".2 0 0"><joint name="b"/>{LINK}</body></frame></body></frame></worldbody><actuator>
        <position class="x" joint="a"/><position class="x" joint="b" gear="3"/></actuator></mujoco>""",
    "thrusters at sites": f"""{HEAD}<worldbody><body euler=".3 .1 .2" pos="0 0 1"><freejoint name="root"/>{LINK}
        <body pos=".1 0 0"><site name="left" pos=".3 .1 .02" euler=".2 .1 .4"/></body><site name="right" pos="-.3 0 0"/>
        </body></worldbody><actuator><motor name="one" site="left" gear="0 .1 1 .1 0 .2"/>
        <general name="two" site="right" gear="0 0 1 0 0 -.2" biastype="affine" biasprm="3 0 0" gainprm="2"/></actuator>
        </mujoco>""",
    "weight lifted": f"""{HEAD}<worldbody><body name="a" gravcomp="0.7"><joint name="j" axis="0 1 0"/>{LINK}</body>
        </worldbody></mujoco>""",
}


@pytest.fixture
def suite(monkeypatch: pytest.MonkeyPatch):
    """The instruments of comparison/files."""
    monkeypatch.syspath_prepend(str(ROOT / "comparison" / "files"))
    yield importlib.import_module("mjcf")
    for name in ("mjcf", "mujoco_reference"):
        sys.modules.pop(name, None)


@pytest.mark.parametrize("name", CASES)
def test_agrees_with_mujoco(name: str, suite, tmp_path: Path) -> None:
    path = tmp_path / "m.xml"
    path.write_text(CASES[name])
    count, _, drawn, posed, _, _ = suite.compared(path)
    assert count >= 1
    assert max(*drawn, *posed) < 1e-9


def test_the_gripper_agrees(suite) -> None:
    count, loops, drawn, posed, _, _ = suite.compared(ROOT / "examples" / "gripper.xml")
    assert (count, loops) == (2, True)
    assert max(*drawn, *posed) < 1e-9


def test_higher_powers_of_springs_and_dampers(suite, tmp_path: Path) -> None:
    """f = -(k + k1 x + k2 x^2) x - (c + c1 |v| + c2 v^2) v, in versions of MuJoCo that know them."""
    path = tmp_path / "m.xml"
    text = f'{HEAD}<worldbody><body><joint name="j" axis="0 1 0" stiffness="4 3 2" damping=".5 .2 .1"/>{LINK}</body>'
    path.write_text(f"{text}</worldbody></mujoco>")
    try:
        mujoco.MjModel.from_xml_path(str(path))
    except ValueError:
        pytest.skip("this MuJoCo has linear springs alone")
    _, _, drawn, posed, _, _ = suite.compared(path)
    assert max(*drawn[::2], *posed) < 1e-9  # differences of |v| v at rest are those of their step
    assert eb.linearize(eb.load(path)).C[0, 0] == pytest.approx(0.5, rel=1e-15)


def test_inputs_are_the_controls(tmp_path: Path) -> None:
    """Columns of B by MuJoCo's own force for a unit control."""
    path = tmp_path / "m.xml"
    for case, names in (
        ("servos, motors, activations", ("m", "geared", "p", "speed")),
        ("thrusters at sites", ("one", "two")),
    ):
        path.write_text(CASES[case])
        linear = eb.linearize(eb.load(path))
        m = mujoco.MjModel.from_xml_path(str(path))
        d = mujoco.MjData(m)
        n = len(linear.coordinates)
        for k, name in enumerate(names):
            accelerations = []
            for u in (0.0, 1.0):
                d.ctrl[:] = 0
                d.ctrl[k] = u
                mujoco.mj_forward(m, d)
                accelerations.append(np.array(d.qacc))
                if len(m.jnt_type) == 1:  # a free body: angular accelerations in its own axes
                    accelerations[-1][3:] = d.xmat[1].reshape(3, 3) @ d.qacc[3:]
            column = linear.B[:, linear.inputs.index(name)]
            np.testing.assert_allclose(column[n : 2 * n], accelerations[1] - accelerations[0], rtol=1e-9, atol=1e-9)
        assert ("slow_activation" in linear.states) == case.startswith("servos")


def test_names_and_notes(tmp_path: Path) -> None:
    """Names that clash get a suffix, unnamed things a name, and everything left out is told."""
    path = tmp_path / "m.xml"
    path.write_text(f"""{HEAD}<worldbody><geom type="plane" size="1 1 1"/><body name="wall"><geom size=".1"/></body>
        <body name="ground"><joint name="j" axis="0 1 0" range="-1 1" limited="true" frictionloss=".2"/>{LINK}
        <site name="s1" pos="0 0 .2"/><body pos=".4 0 0"><joint axis="0 1 0"/>{LINK}</body></body></worldbody>
        <tendon><spatial name="around"><site site="s1"/><geom geom="peg"/><site site="s2"/></spatial></tendon>
        <actuator><motor name="j" joint="j" ctrlrange="-1 1" ctrllimited="true"/><muscle name="biceps" joint="j"/>
        </actuator></mujoco>""".replace("<body name=\"wall\">",
        '<body name="wall"><site name="s2"/><geom name="peg" type="sphere" size=".05" pos="0 .3 0"/>'))  # fmt: skip
    model = eb.load(path)
    assert [*model.document["bodies"]] == ["ground_link", "body3"]
    assert [*model.document["joints"]] == ["j", "body3_hinge"]
    assert [*model.document["inputs"]] == ["j_control"]
    told = "\n".join(model.notes)
    words = ("j -1 to 1", "j 0.2", "around", "biceps", "Contacts", "Saturation", "wall", "body3_hinge", "j_control")
    for word in words:
        assert word in told, word
    assert eb.linearize(model).coordinates == ("j", "body3_hinge")


def test_keyframes_as_joint_coordinates(tmp_path: Path) -> None:
    """A rotation vector from the drawing: that of the quaternion, in the axes of the first frame."""
    from eigenbody.exchange.base import Options
    from eigenbody.exchange.mjcf import drafted

    path = tmp_path / "m.xml"
    key = '<keyframe><key name="home" qpos="1 2 3 0.6 0 0.8 0  0.8 0 0 0.6"/></keyframe></mujoco>'
    path.write_text(CASES["ball and free"].replace("</mujoco>", key).replace('euler=".2 .1 0"', ""))
    pose = drafted(path, Options()).sections["poses"]["home"]
    assert [pose[f"root.{c}"] for c in "xyz"] == pytest.approx([1, 2, 2])
    assert [pose[f"root.{c}"] for c in ("rx", "ry", "rz")] == pytest.approx([0, 2 * np.arcsin(0.8), 0])
    assert [pose[f"shoulder.{c}"] for c in ("rx", "ry", "rz")] == pytest.approx([0, 0, 2 * np.arcsin(0.6)])


def test_what_keyframes_have_beside_positions_is_told(tmp_path: Path) -> None:
    path = tmp_path / "m.xml"
    path.write_text(f"""{HEAD}<worldbody><body><joint name="j" axis="0 1 0" range="-1 1" limited="true"/>{LINK}</body>
        </worldbody><actuator><position name="p" joint="j" kp="50"/></actuator><keyframe>
        <key name="home" qpos=".4" ctrl=".4" qvel=".1"/></keyframe></mujoco>""")
    model = eb.load(path)
    assert any("home has positions alone: controls and velocities" in note for note in model.notes)
    entry = model.document["joints"]["j"]
    assert (entry["lower"], entry["upper"]) == (-1, 1)


def test_keyframes_of_loops_have_independent_joints() -> None:
    """The digits of a keyframe do not close a loop: the first independent joints are given, the loops give the others,
    within the rounding of the file."""
    gripper = eb.load(ROOT / "examples" / "gripper.xml")
    assert gripper.document["poses"]["closed"] == {"lift": 0.0, "left-drive": 0.35}
    values = eb.operating_point(gripper.posed("closed")).coordinates()
    assert values["left-drive"] == pytest.approx(0.35, abs=1e-12)
    for side in ("left", "right"):
        assert values[f"{side}-knuckle"] == pytest.approx(-0.348, abs=1e-3)
        assert values[f"{side}-rock"] == pytest.approx(0.336, abs=1e-3)


def test_converted_it_has_the_same_equations(tmp_path: Path) -> None:
    path, again = tmp_path / "m.xml", tmp_path / "m.yaml"
    for name in ("ball and free", "tendons", "loop by connect"):
        path.write_text(CASES[name])
        eb.convert(eb.load(path), again)
        first, second = eb.linearize(eb.load(path)), eb.linearize(eb.load(again))
        for what in ("M", "C", "K"):
            np.testing.assert_array_equal(getattr(first, what), getattr(second, what))
