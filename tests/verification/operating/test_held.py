"""A pose held by joints: torques against the slope of an energy written for itself, stiffness against its curvature,
inputs against unit torques; loops against the four-bar in high precision; derivatives against differences."""

from __future__ import annotations

import json

import mpmath as mp
import numpy as np
import pytest

import eigenbody as eb
from eigenbody.cli import main
from posed_trees import GRAVITY, coordinates, poses, random_tree, slope

PLAIN = ("revolute", "prismatic", "cylindrical", "screw", "universal", "planar")
SPRING, FREE = 3.7, 0.2


def _posed(seed, bodies, kinds):
    """A random tree with a spring along every coordinate, in a random pose."""
    document = random_tree(seed, bodies, kinds)
    rng = np.random.default_rng(500 + seed)
    q = {name: float(0.6 * rng.normal()) for name in coordinates(document)}
    document["forces"] = {
        f"s{i}": {"type": "spring", "along": name, "k": SPRING, "free": FREE} for i, name in enumerate(q)
    }
    return document, q


@pytest.mark.parametrize("seed", range(12))
def test_torques_are_the_slope_of_the_energy(seed):
    """All kinds of joints, ball and free ones too: forces along rotation vectors are slopes by their components."""
    document, q = _posed(seed, 1 + seed % 9, (*PLAIN, "spherical", "free"))
    point = eb.operating_point(eb.load(document).posed(q).set(operating_point={"held": "all"}))
    for name, torque in point.held.items():
        expected = slope(document, q, name) + SPRING * (q[name] - FREE)
        assert torque == pytest.approx(expected, rel=1e-10, abs=1e-10)
    assert set(point.held) == set(q)
    assert point.is_equilibrium
    assert point.residual < 1e-13
    assert np.abs(point.motion.acceleration).max() < 1e-11


@pytest.mark.parametrize("seed", range(10))
def test_stiffness_is_the_curvature_of_the_energy_and_inputs_are_unit_torques(seed):
    document, q = _posed(seed, 1 + seed % 7, PLAIN)
    linear = eb.linearize(eb.load(document).posed(q).set(operating_point={"held": "all"}))
    names, n, h = list(linear.coordinates), linear.dof, 1e-4

    def curvature(i, j):  # exact slopes, differences of fourth order
        def at(step):
            return slope(document, {**q, names[j]: q[names[j]] + step}, names[i])

        return (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h)

    expected = np.array([[curvature(i, j) for j in range(n)] for i in range(n)]) + SPRING * np.eye(n)
    assert np.allclose(linear.K, expected, rtol=0, atol=1e-8 * np.abs(expected).max())
    order = [names.index(name) for name in linear.inputs]
    assert set(linear.inputs) == set(names)
    unit = np.zeros((n, n))
    unit[order, range(n)] = 1.0
    assert np.allclose(linear.M @ linear.B[n:], unit, rtol=0, atol=1e-11)
    assert not linear.B[:n].any()


def test_stiffness_is_the_slope_of_the_inverse_dynamics_of_the_engine_itself():
    """Another route in the house: torques at neighbouring poses, each held for itself."""
    document, q = _posed(3, 6, PLAIN)
    model = eb.load(document).set(operating_point={"held": "all"})
    linear = eb.linearize(model.posed(q))
    names = list(linear.coordinates)

    def torques(name, step):
        held = eb.operating_point(model.posed({**q, name: q[name] + step})).held
        return np.array([held[other] for other in names])

    h = 1e-4
    for j, name in enumerate(names):
        column = (8 * (torques(name, h) - torques(name, -h)) - (torques(name, 2 * h) - torques(name, -2 * h))) / (
            12 * h
        )
        assert np.allclose(linear.K[:, j], column, rtol=0, atol=1e-7 * np.abs(linear.K).max())


def test_weights_of_the_reference_are_those_of_the_drawing():
    document, _ = _posed(1, 4, PLAIN)
    for name, body in document["bodies"].items():
        assert np.allclose(poses(document, {})[name][:3, 3], body["at"])
    assert document["gravity"] == GRAVITY.tolist()


# ---- loops

LENGTHS = (1.0, 3.0, 2.0, 3.0)  # crank, coupler, rocker, ground


def _four_bar_points(angle):
    """Ends of crank and rocker, in mpmath; the upper branch."""
    B = mp.matrix([mp.cos(angle), mp.sin(angle)])
    dx, dy = 3 - B[0], -B[1]
    d = mp.sqrt(dx**2 + dy**2)
    along = (9 - 4 + d**2) / (2 * d)
    up = mp.sqrt(9 - along**2)
    return B, mp.matrix([B[0] + (along * dx - up * dy) / d, B[1] + (along * dy + up * dx) / d])


def _energy(angle):
    """Weights 9.81 N of the three links, at the middle of each."""
    B, C = _four_bar_points(angle)
    return mp.mpf("9.81") * (B[1] / 2 + (B[1] + C[1]) / 2 + C[1] / 2)


def _rocker_angle(angle):
    _, C = _four_bar_points(angle)
    return mp.atan2(C[1], C[0] - 3)


def _four_bar(angle):
    B, C = ([float(x) for x in (*point, 0)] for point in _four_bar_points(mp.mpf(angle)))

    def link(p, q):
        return {"mass": 1, "inertia": [0.1, 0.1, 0.1], "at": [(a + b) / 2 for a, b in zip(p, q, strict=True)]}

    return {
        "eigenbody": 1, "gravity": [0, -9.81, 0],
        "bodies": {"crank": link([0, 0, 0], B), "coupler": link(B, C), "rocker": link(C, [3, 0, 0])},
        "joints": {"a": {"type": "revolute", "between": ["ground", "crank"], "at": [0, 0, 0]},
                   "b": {"type": "revolute", "between": ["crank", "coupler"], "at": B},
                   "c": {"type": "revolute", "between": ["coupler", "rocker"], "at": C},
                   "d": {"type": "revolute", "between": ["ground", "rocker"], "at": [3, 0, 0]}},
    }  # fmt: skip


@pytest.mark.parametrize("turn", [0.0, 0.7, -1.9])
def test_a_loop_is_held_at_the_joint_nearest_to_the_ground(turn):
    model = eb.load({**_four_bar(1.2), "coordinates": ["a"]}).posed(a=turn).set(operating_point={"held": "all"})
    with mp.workdps(40):
        torque, stiffness = mp.diff(_energy, mp.mpf("1.2") + turn), mp.diff(_energy, mp.mpf("1.2") + turn, 2)
    point, linear = eb.operating_point(model), eb.linearize(model)
    assert point.held["a"] == pytest.approx(float(torque), rel=1e-11)
    assert [point.held[name] for name in "bcd"] == [0, 0, 0]  # dependent on the first: they carry nothing
    assert linear.K[0, 0] == pytest.approx(float(stiffness), rel=1e-9)
    assert list(linear.inputs) == ["a", "b", "c", "d"]
    pushes = (linear.M @ linear.B[1:])[0]
    with mp.workdps(30):
        rocker = mp.diff(_rocker_angle, mp.mpf("1.2") + turn)  # power of a unit torque at the rocker
    assert pushes[0] == pytest.approx(1.0, rel=1e-11)
    assert pushes[3] == pytest.approx(float(rocker), rel=1e-10)


def test_a_loop_held_elsewhere():
    """At the rocker: its torque is the slope of the energy by its own angle and bears on the crank's stiffness."""
    model = eb.load({**_four_bar(1.2), "coordinates": ["a"]}).set(operating_point={"held": ["d"]})
    with mp.workdps(40):
        per_crank, ratio = mp.diff(_energy, mp.mpf("1.2")), mp.diff(_rocker_angle, mp.mpf("1.2"))
        torque = per_crank / ratio
        stiffness = mp.diff(_energy, mp.mpf("1.2"), 2) - torque * mp.diff(_rocker_angle, mp.mpf("1.2"), 2)
    assert eb.operating_point(model).held == {"d": pytest.approx(float(torque), rel=1e-11)}
    assert eb.linearize(model).K[0, 0] == pytest.approx(float(stiffness), rel=1e-9)


# ---- what moves with parameters


def test_derivatives_at_a_held_pose_follow_the_torques():
    """The rocker's torque depends on the masses, and the stiffness on the torque: sensitivities against differences."""
    document = _four_bar(1.2)
    document["parameters"] = {"m": 1.0, "turn": 0.3}
    document["bodies"]["coupler"]["mass"] = "=m"
    document |= {"pose": {"a": "=turn"}, "operating_point": {"held": ["d"]}, "coordinates": ["a"]}
    document["forces"] = {"s": {"type": "spring", "along": "a", "k": 60}}
    model = eb.load(document)
    found = eb.sensitivity(model, ["m", "turn"])

    def eigenvalue(**values):
        return eb.modes(model.with_parameters(**values)).eigenvalues[0]

    for k, (name, at) in enumerate((("m", 1.0), ("turn", 0.3))):
        h = 1e-3
        f = {s: eigenvalue(**{name: at + s * h}) for s in (-2, -1, 1, 2)}
        expected = (8 * (f[1] - f[-1]) - (f[2] - f[-2])) / (12 * h)
        assert found.is_exact
        assert found.eigenvalues[k, 0] == pytest.approx(expected, rel=1e-7)


# ---- bad input and the command line

PENDULA = {
    "eigenbody": 1, "gravity": [0, 0, -9.81],
    "bodies": {"upper": {"mass": 2, "inertia": [1, 1, 1], "at": [0.5, 0, 0]},
               "lower": {"mass": 1, "inertia": [1, 1, 1], "at": [1.5, 0, 0]}},
    "joints": {"hip": {"type": "revolute", "between": ["ground", "upper"], "at": [0, 0, 0], "axis": [0, 1, 0]},
               "knee": {"type": "revolute", "between": ["upper", "lower"], "at": [1, 0, 0], "axis": [0, 1, 0]}},
}  # fmt: skip


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"held": ["hip"]}, r"along knee \(4.905 N\*m\) is balanced by nothing"),
        ({"held": ["hop"]}, 'Did you mean "hip"'),
        ({"held": []}, "joints are expected"),
        ({"held": "knees"}, 'Did you mean "knee"'),
    ],
)
def test_what_cannot_be_held(asked, message):
    with pytest.raises(eb.InputError, match=message):
        eb.operating_point(eb.load(PENDULA).set(operating_point=asked))


def test_a_moving_mechanism_is_not_held():
    document = json.loads(json.dumps(PENDULA))
    document["joints"]["hip"]["velocity"] = 1.0
    with pytest.raises(eb.InputError, match="held joints are at rest"):
        eb.operating_point(eb.load(document).set(operating_point={"held": "all"}))


def test_joints_that_rest_by_themselves_need_not_be_held():
    point = eb.operating_point(eb.load(PENDULA).posed(knee=np.pi / 2).set(operating_point={"held": ["hip"]}))
    assert point.held == {"hip": pytest.approx(-9.81 * (2 * 0.5 + 1 * 1.0), rel=1e-12)}


@pytest.mark.parametrize("form", [{"held": "all"}, "held", {"type": "held"}, {"held": {"joints": ["hip", "knee"]}}])
def test_forms_of_the_word(form):
    held = eb.operating_point(eb.load(PENDULA).set(operating_point=form)).held
    assert held == {"hip": pytest.approx(-9.81 * 2.5), "knee": pytest.approx(-9.81 * 0.5)}


def test_nothing_is_held_where_nothing_moves():
    document = {"eigenbody": 1, "bodies": {"b": {"mass": 1, "inertia": [1, 1, 1], "at": [0, 0, 0]}}}
    document["joints"] = {"j": {"type": "fixed", "between": ["ground", "b"], "at": [0, 0, 0]}}
    assert eb.operating_point(eb.load(document).set(operating_point={"held": "all"})).held == {}


def test_many_joints_are_held_on_the_sparse_path():
    """A chain of 150 bodies: the torque of each joint carries all that hangs on it."""
    n = 150
    bodies = {f"b{i}": {"mass": 1, "inertia": [1, 1, 1], "at": [i + 0.5, 0, 0]} for i in range(n)}
    joints = {
        f"j{i}": {"type": "revolute", "between": ["ground" if i == 0 else f"b{i - 1}", f"b{i}"], "at": [i, 0, 0],
                  "axis": [0, -1, 0]} for i in range(n)
    }  # fmt: skip
    model = eb.load({"eigenbody": 1, "gravity": [0, 0, -10], "bodies": bodies, "joints": joints})
    held = eb.operating_point(model.set(operating_point={"held": "all"})).held
    assert list(held.values()) == pytest.approx([10 * (n - i) * (n - i) / 2 for i in range(n)], rel=1e-11)


def test_forces_that_read_reactions_are_held_too():
    """Friction-like torque by the load of the joint itself: |N| is 30 N of weight at the hinge."""
    document = {
        "eigenbody": 1, "gravity": [0, 0, -10],
        "bodies": {"bar": {"mass": 3, "inertia": [1, 1, 1], "at": [0.5, 0, 0]}},
        "joints": {"hinge": {"type": "revolute", "between": ["ground", "bar"], "at": [0, 0, 0], "axis": [0, -1, 0]}},
        "measures": {"height": {"type": "displacement", "between": ["ground", "bar"], "axis": [0, 0, 1]}},
        "forces": {"load": {"type": "expression", "along": "hinge", "value": "=0.2*sqrt(reaction.hinge.fx**2"
                            " + reaction.hinge.fy**2 + reaction.hinge.fz**2)"}},
        "operating_point": {"held": "all"},
    }  # fmt: skip
    point = eb.operating_point(eb.load(document))
    assert point.held["hinge"] == pytest.approx(15 - 0.2 * 30, rel=1e-12)
    assert point.is_equilibrium


def test_the_command_line_holds(tmp_path, capsys):
    path = tmp_path / "pendula.json"
    path.write_text(json.dumps(PENDULA))
    assert main(["check", str(path), "--held", "all", "--at", "hip=0.5", "--json"]) == 0
    held = json.loads(capsys.readouterr().out)["held"]
    assert held == {"hip": pytest.approx(-9.81 * 2.5 * np.cos(0.5)), "knee": pytest.approx(-9.81 * 0.5 * np.cos(0.5))}
    assert main(["linearize", str(path), "--held", "hip,knee", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["inputs"], found["held"]["knee"]) == (["hip", "knee"], pytest.approx(-9.81 * 0.5))
    assert main(["modes", str(path), "--held", "hip"]) == 2
    assert "knee" in capsys.readouterr().err


def test_an_expression_still_reads_the_joint_of_that_name():
    """Inputs are named after joints; expressions mean the joint's coordinate."""
    document = {**PENDULA, "forces": {"f": {"type": "expression", "along": "knee", "value": "=-7*hip"}}}
    point = eb.operating_point(eb.load(document).posed(hip=0.5).set(operating_point={"held": "all"}))
    assert point.held["knee"] == pytest.approx(-9.81 * 0.5 * np.cos(0.5) + 3.5, rel=1e-12)
