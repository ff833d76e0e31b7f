"""A mechanism put into a pose: bodies of any tree are where forward kinematics written for themselves say; loops follow
their branch; turns are counted; poses by name, from Python and the command line."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import eigenbody as eb
from eigenbody.cli import main
from posed_trees import COORDINATES, coordinates, poses, random_tree

TREES = [(seed, 1 + seed % 13) for seed in range(30)]


def _values(document, seed, size=0.9):
    rng = np.random.default_rng(1000 + seed)
    return {name: float(size * rng.normal()) for name in coordinates(document)}


def _bodies(point):
    names = point.system.description.bodies.names
    return {
        name: (point.state.r[i], point.state.R[i], point.state.v[i], point.state.w[i]) for i, name in enumerate(names)
    }


@pytest.mark.parametrize(("seed", "bodies"), TREES)
def test_posed_tree_is_its_forward_kinematics(seed, bodies):
    document = random_tree(seed, bodies)
    q = _values(document, seed)
    point = eb.operating_point(eb.load(document).posed(q))
    expected = poses(document, q)
    for name, (r, R, _, _) in _bodies(point).items():
        assert np.allclose(r, expected[name][:3, 3], rtol=0, atol=2e-13)
        assert np.allclose(R, expected[name][:3, :3], rtol=0, atol=2e-14 * (1 + bodies))
    assert max(point.drift) < 1e-12
    found = point.coordinates()
    turned = {name for name in q if name.rpartition(".")[2] in ("rx", "ry", "rz")}
    assert all(abs(found[name] - q[name]) < 1e-12 for name in q if name not in turned)  # vectors may be longer than pi


@pytest.mark.parametrize(("seed", "bodies"), TREES[:20])
def test_velocities_of_a_posed_tree_are_those_of_its_forward_kinematics(seed, bodies):
    document = random_tree(seed, bodies)
    q, rates = _values(document, seed, 0.5), _values(document, seed + 50)
    given = {"positions": q, "velocities": rates}
    point = eb.operating_point(eb.load(document), at=given)
    moving = poses(document, {name: q[name] + 1e-30j * rates[name] for name in q})
    for name, (_, R, v, w) in _bodies(point).items():
        spin = R.T @ np.imag(moving[name][:3, :3]) / 1e-30
        assert np.allclose(v, np.imag(moving[name][:3, 3]) / 1e-30, rtol=0, atol=1e-11)
        assert np.allclose(w, [spin[2, 1], spin[0, 2], spin[1, 0]], rtol=0, atol=1e-11)


def test_every_joint_that_can_be_a_branch_is_in_the_trees():
    from eigenbody.elements.joints import JOINTS

    branches = {name for name, joint in JOINTS.items() if joint.branch} - {"point"}  # another name of spherical
    assert branches == set(COORDINATES)


def test_positions_of_the_file_operating_points_and_poses_are_the_same_pose():
    document = random_tree(3, 6, ("revolute", "cylindrical", "prismatic"))
    q = _values(document, 3)
    model = eb.load(document)
    listed = {name: [q[f"{name}.{label}"] for label in COORDINATES[joint["type"]]] if joint["type"] == "cylindrical"
              else q[name] for name, joint in document["joints"].items()}  # fmt: skip
    drawn = {name: {**joint, "position": listed[name]} for name, joint in document["joints"].items()}
    points = [
        eb.operating_point(model.posed(q)), eb.operating_point(model.posed(listed)),
        eb.operating_point(model, at={"positions": q}), eb.operating_point(eb.load({**document, "joints": drawn})),
        eb.operating_point(eb.load({**document, "poses": {"there": listed}}).posed("there")),
        eb.operating_point(eb.load({**document, "poses": {"there": listed}, "pose": "there"})),
    ]  # fmt: skip
    for point in points[1:]:
        assert np.allclose(point.state.r, points[0].state.r, rtol=0, atol=1e-13)


def test_full_turns_are_counted_by_joints_and_by_measures_along_the_way():
    document = {
        "eigenbody": 1,
        "bodies": {f"b{i}": {"mass": 1, "inertia": [1, 1, 1], "at": [i, 0, 0]} for i in range(3)},
        "joints": {
            f"j{i}": {"type": "revolute", "between": ["ground" if i == 0 else f"b{i - 1}", f"b{i}"], "at": [i, 0, 0]}
            for i in range(3)
        },
        "measures": {"whole": {"type": "angle", "between": ["ground", "b2"]}},
    }
    point = eb.operating_point(eb.load(document).posed(j0=7.0, j1=-20.0, j2=3.14159265))
    found = point.coordinates()
    assert [found[name] for name in ("j0", "j1", "j2")] == pytest.approx([7.0, -20.0, 3.14159265], abs=1e-12)
    assert found["whole"] == pytest.approx(7.0 - 20.0 + 3.14159265, abs=1e-12)


def test_floating_bodies_and_point_masses_are_posed():
    document = {
        "eigenbody": 1,
        "bodies": {
            "base": {"mass": 2, "inertia": [1, 2, 2], "at": [0.2, 0, 0]},
            "arm": {"mass": 1, "inertia": [1, 1, 1], "at": [1, 0, 0]},
            "bob": {"mass": 1, "at": [2, 0, 0]},
        },
        "joints": {
            "hinge": {"type": "revolute", "between": ["arm", "base"], "at": [0.5, 0, 0]},
            "ball": {"type": "spherical", "between": ["arm", "bob"], "at": [2, 0, 0]},
        },
    }
    point = eb.operating_point(eb.load(document).posed({"base.x": 0.3, "base.rz": 0.4, "hinge": -0.7}))
    r = dict(zip(point.system.description.bodies.names, point.state.r, strict=True))

    def turned(angle, x):
        return np.array([np.cos(angle) * x, np.sin(angle) * x, 0])

    hinge = np.array([0.5, 0, 0]) + turned(0.4, 0.3)  # the base turns about its centre of mass
    assert np.allclose(r["base"], [0.5, 0, 0], atol=1e-14)
    assert np.allclose(r["arm"], hinge + turned(0.4 + 0.7, 0.5), atol=1e-14)
    assert np.allclose(r["bob"], hinge + turned(0.4 + 0.7, 1.5), atol=1e-14)


# ---- loops


def _four_bar(**crank):
    """Crank 1, coupler 3, rocker 2 over ground 3: a Grashof crank-rocker whose branch has a name."""
    A, D = np.array([0.0, 0, 0]), np.array([3.0, 0, 0])
    B = np.array([0.0, 1, 0])
    C = _rocker_end(np.pi / 2)

    def link(p, q):
        return {"mass": 1, "inertia": [0.1, 0.1, 0.1], "at": ((p + q) / 2).tolist()}

    return {
        "eigenbody": 1,
        "gravity": [0, -9.81, 0],
        "bodies": {"crank": link(A, B), "coupler": link(B, C), "rocker": link(C, D)},
        "joints": {
            "a": {"type": "revolute", "between": ["ground", "crank"], "at": A.tolist(), **crank},
            "b": {"type": "revolute", "between": ["crank", "coupler"], "at": B.tolist()},
            "c": {"type": "revolute", "between": ["coupler", "rocker"], "at": C.tolist()},
            "d": {"type": "revolute", "between": ["ground", "rocker"], "at": D.tolist()},
        },
    }


def _rocker_end(angle):
    """Intersection of the circles about B (3) and D (2), the upper one: the branch of the drawing."""
    B, D = np.array([np.cos(angle), np.sin(angle), 0]), np.array([3.0, 0, 0])
    d = np.linalg.norm(D - B)
    along = (9 - 4 + d * d) / (2 * d)
    e = (D - B) / d
    return B + along * e + np.sqrt(9 - along**2) * np.array([-e[1], e[0], 0])


@pytest.mark.parametrize("turn", [0.1, 1.0, 2.5, -2.9, 6.0, -13.0])
def test_a_crank_takes_its_rocker_along_its_branch(turn):
    point = eb.operating_point(eb.load(_four_bar()).posed(a=turn))
    C, D = _rocker_end(np.pi / 2 + turn), np.array([3.0, 0, 0])
    r = dict(zip(point.system.description.bodies.names, point.state.r, strict=True))
    assert np.allclose(r["rocker"], (C + D) / 2, rtol=0, atol=1e-12)
    assert point.coordinates()["a"] == pytest.approx(turn, abs=1e-12)


def test_loops_posed_one_by_one_stand_where_each_stands_alone():
    """Three four-bars on one another's ground, each with its own angle: what one does the others do not feel."""
    whole = {"eigenbody": 1, "bodies": {}, "joints": {}}
    turns = [0.8, -1.7, 3.0]
    for k in range(3):
        one = _four_bar()
        whole["bodies"] |= {f"{name}{k}": body for name, body in one["bodies"].items()}
        for name, joint in one["joints"].items():
            between = [side if side == "ground" else f"{side}{k}" for side in joint["between"]]
            whole["joints"][f"{name}{k}"] = {**joint, "between": between}
    point = eb.operating_point(eb.load(whole).posed({f"a{k}": turn for k, turn in enumerate(turns)}))
    r = dict(zip(point.system.description.bodies.names, point.state.r, strict=True))
    for k, turn in enumerate(turns):
        expected = (_rocker_end(np.pi / 2 + turn) + np.array([3.0, 0, 0])) / 2
        assert np.allclose(r[f"rocker{k}"], expected, rtol=0, atol=1e-12)


def test_a_pose_that_links_do_not_reach_is_refused():
    with pytest.raises(eb.InputError, match="cannot be assembled"):
        eb.operating_point(eb.load(_four_bar()).posed(d=3.0))


# ---- by name

ARM = {
    "eigenbody": 1,
    "parameters": {"bend": 0.4},
    "bodies": {"upper": {"mass": 2, "inertia": [1, 1, 1], "at": [0.2, 0, 0]},
               "fore": {"mass": 1, "inertia": [1, 1, 1], "at": [0.6, 0, 0]}},
    "joints": {"shoulder": {"type": "revolute", "between": ["ground", "upper"], "at": [0, 0, 0], "axis": [0, 1, 0]},
               "wrist": {"type": "universal", "between": ["upper", "fore"], "at": [0.4, 0, 0], "axis": [0, 1, 0],
                         "axis2": [0, 0, 1], "position": [0.1, 0.2]}},
    "poses": {"home": {"shoulder": "20 deg", "wrist": ["=bend", None]}, "up": {"shoulder": -1.5}},
}  # fmt: skip


def _at(model):
    found = eb.operating_point(model).coordinates()
    return [found[name] for name in ("shoulder", "wrist.angle1", "wrist.angle2")]


def test_poses_by_name_values_units_expressions_and_lists():
    model = eb.load(ARM)
    assert _at(model) == pytest.approx([0, 0.1, 0.2])
    assert _at(model.posed("home")) == pytest.approx([np.deg2rad(20), 0.4, 0.2])
    assert _at(model.posed("home").with_parameters(bend=-0.3)) == pytest.approx([np.deg2rad(20), -0.3, 0.2])
    assert _at(model.posed("home", shoulder="10 deg")) == pytest.approx([np.deg2rad(10), 0.4, 0.2])
    assert _at(model.posed("home").posed({"wrist.angle2": 0.5})) == pytest.approx([np.deg2rad(20), 0.4, 0.5])
    assert _at(model.posed({"shoulder.angle": 1.0}).posed(shoulder=0.5)) == pytest.approx([0.5, 0.1, 0.2])
    assert _at(model.posed("home").posed("up")) == pytest.approx([-1.5, 0.1, 0.2])  # a name begins anew


def test_a_pose_is_later_than_an_operating_point_by_values_and_the_other_way_round():
    model = eb.load({**ARM, "operating_point": {"shoulder": 0.7, "wrist": {"position": [0.3, 0.4]}}})
    assert _at(model) == pytest.approx([0.7, 0.3, 0.4])
    assert _at(model.posed({"shoulder": 0.2, "wrist.angle2": 0.9})) == pytest.approx([0.2, 0.3, 0.9])
    point = eb.operating_point(model.posed(shoulder=0.2), at={"shoulder": 0.6})
    assert point.coordinates()["shoulder"] == pytest.approx(0.6)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"pose": "hom"}, 'unknown pose "hom". Did you mean "home"'),
        ({"pose": {"sholder": 1}}, 'pose.sholder: unknown .* Did you mean "shoulder"'),
        ({"pose": {"wrist": 1}}, "several coordinates"),
        ({"pose": {"wrist": [1, 2, 3]}}, "a list of 2 is expected"),
        ({"pose": {"shoulder": "3 m"}}, "is a length"),
        ({"pose": {"shoulder": 1, "shoulder.angle": 2}}, "given twice"),
        ({"pose": 3}, "a map of joint coordinates"),
        ({"poses": [1]}, "a map of names and poses"),
        ({"poses": {"odd": {"sholder": 1}}}, "poses.odd.sholder: unknown"),
    ],
)  # fmt: skip
def test_faults_of_poses(change, message):
    with pytest.raises(eb.InputError, match=message):
        _ = eb.load({**ARM, **change}).description


def _file(folder):
    path = folder / "arm.json"
    path.write_text(json.dumps(ARM))
    return str(path)


def test_the_command_line_poses_every_model(tmp_path, capsys):
    path, model = _file(tmp_path), eb.load(ARM)
    for options, posed in (
        (["--pose", "home"], model.posed("home")),
        (["--pose", "home", "--at", "shoulder=10 deg", "--at", "wrist.angle2=0.3"],
         model.posed("home", shoulder="10 deg").posed({"wrist.angle2": 0.3})),
        (["--at", "shoulder==bend/2"], model.posed(shoulder=0.2)),
    ):  # fmt: skip
        assert main(["linearize", path, "--json", *options]) == 0
        found = json.loads(capsys.readouterr().out)
        assert np.allclose(found["mass"], eb.linearize(posed).M, rtol=1e-12)


def test_a_command_with_another_at_takes_poses_too(tmp_path, capsys):
    path = _file(tmp_path)
    assert main(["frf", path, "--input", "shoulder", "--at", "2", "--at", "shoulder=0.3", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["frequency_hz"] == [2.0]


@pytest.mark.parametrize(
    "options",
    [["modes", "--pose", "hme"], ["modes", "--at", "shoulder"], ["frf", "--at", "two"], ["modes", "--at", "x=1"]],
)
def test_wrong_poses_on_the_command_line(tmp_path, capsys, options):
    assert main([options[0], _file(tmp_path), *options[1:]]) == 2
    assert len(capsys.readouterr().err.strip().splitlines()) == 1


def test_coordinates_beyond_their_limits_are_named():
    document = json.loads(json.dumps(ARM))
    document["joints"]["shoulder"] |= {"lower": "-30 deg", "upper": "30 deg"}
    document["joints"]["wrist"] |= {"upper": [None, 0.25]}
    model = eb.load(document)
    assert eb.operating_point(model).warnings == ()
    assert eb.operating_point(model.posed(shoulder="30 deg")).warnings == ()
    warnings = eb.operating_point(model.posed({"shoulder": -1, "wrist.angle2": 0.3})).warnings
    beyond = "shoulder = -1 rad (-0.523599 to 0.523599), wrist.angle2 = 0.3 rad (-inf to 0.25)"
    assert warnings == (f"Beyond the limits of joints: {beyond}.",)
    document["joints"]["shoulder"]["upper"] = -3
    with pytest.raises(eb.InputError, match="upper limit -3 is below the lower one"):
        _ = eb.load(document).description


def test_limits_go_to_urdf_and_back(tmp_path):
    model = eb.load(str(Path(__file__).parents[3] / "examples" / "six_axis_arm.urdf"))
    again = eb.load(str(eb.convert(model, tmp_path / "again.urdf")))
    for name in ("shoulder", "elbow"):
        for key in ("lower", "upper"):
            assert again.document["joints"][name][key] == model.document["joints"][name][key]


def test_convert_keeps_poses(tmp_path):
    out = tmp_path / "out.yaml"
    assert main(["convert", _file(tmp_path), "-o", str(out), "--pose", "home"]) == 0
    again = eb.load(str(out))
    assert again.document["poses"] == eb.load(ARM).document["poses"]
    assert _at(again) == pytest.approx(_at(eb.load(ARM).posed("home")))
