"""Loop rows that are independent by only a little are named; honest rows never are.

Mobility of the exact mechanism (planar four-bar 1, door on two hinges 1, Sarrus linkage 1, spherical four-bar 1) is
that of the textbooks; a tilt of one axis by any angle, however small, locks each of them.
"""

import json
from pathlib import Path

import numpy as np
import pytest
from families import family
from scipy.spatial.transform import Rotation

import eigenbody as eb
from eigenbody.cli import main
from eigenbody.mobility.independence import slight_rows
from eigenbody.operating.find import operating_point
from mechanisms import random_mechanism

EXAMPLES = Path(__file__).parents[3] / "examples"
OBLIQUE = Rotation.from_rotvec([0.4, -0.9, 0.3]).as_matrix()
TILTS = (1e-11, 1e-10, 1e-9, 1e-8, 1e-6, 1e-4, 1e-2)
LOCKED_FROM = 1e-7  # below, the tolerance of the rank decision (1e-9 of a row) may take the row as redundant


def _body(at, scale=1.0):
    return {"mass": 2, "inertia": [0.3 * scale**2] * 3, "at": np.asarray(at, float).tolist()}


def _revolute(first, second, at, axis):
    return {"type": "revolute", "between": [first, second], "at": list(map(float, at)), "axis": list(map(float, axis))}


def four_bar(tilt=0.0, tilted="d", scale=1.0, Q=OBLIQUE, far=0.0):
    """Planar four-bar in an oblique plane; `scale` its size, `far` how far away one more body stands."""
    points = {"a": [0, 0, 0], "b": [0.2, 0, -1], "c": [1.3, 0, -1.2], "d": [1, 0, 0]}
    points = {name: scale * Q @ p for name, p in points.items()}
    axes = {name: Q @ [tilt * (name == tilted), 1, 0.5 * tilt * (name == tilted)] for name in points}
    ends = {"a": ("ground", "crank"), "b": ("crank", "coupler"), "c": ("coupler", "rocker"), "d": ("ground", "rocker")}
    bars = {"crank": "ab", "coupler": "bc", "rocker": "cd"}
    bodies = {name: _body((points[u] + points[v]) / 2, scale) for name, (u, v) in bars.items()}
    joints = {name: _revolute(*ends[name], points[name], axes[name]) for name in points}
    if far:
        bodies["arm"] = _body([far, 0, 0])
        joints["shoulder"] = _revolute("ground", "arm", [far / 2, 0, 0], [0, 1, 0])
    return {"eigenbody": 1, "bodies": bodies, "joints": joints}


def door(tilt=0.0):
    """One body on two hinges."""
    lower, upper = (
        _revolute("ground", "door", [0, 0, 0], [0, 0, 1]),
        _revolute("ground", "door", [0, 0, 2], [tilt, 0, 1]),
    )
    return {"eigenbody": 1, "bodies": {"door": _body([0.4, 0, 1])}, "joints": {"lower": lower, "upper": upper}}


def sarrus(tilt=0.0):
    """Two pairs of hinged plates whose axes are along x and along y lift a platform straight."""
    bodies = {"top": _body([0, 0, 1])}
    joints = {}
    for name, out, axis in (("p", np.array([1.0, 0, 0]), [0, 1, 0]), ("q", np.array([0, 1.0, 0]), [1, 0, 0])):
        foot, knee, head = out, np.add(1.5 * out, [0, 0, 0.5]), np.add(out, [0, 0, 1])
        bodies |= {f"{name}1": _body((foot + knee) / 2), f"{name}2": _body((knee + head) / 2)}
        joints[f"{name}_foot"] = _revolute("ground", f"{name}1", foot, axis)
        joints[f"{name}_knee"] = _revolute(f"{name}1", f"{name}2", knee, np.add(axis, [0, 0, tilt * (name == "q")]))
        joints[f"{name}_head"] = _revolute(f"{name}2", "top", head, axis)
    return {"eigenbody": 1, "bodies": bodies, "joints": joints}


def spherical_four_bar(tilt=0.0):
    """Four axes through one point, all joints drawn there; one axis passes it by `tilt`."""
    axes = [np.array(v, float) for v in ([0, 0, 1], [0.5, 0, 1], [0.6, 0.9, 1], [0, 1, 1])]
    names = ["ground", "crank", "coupler", "rocker"]
    bodies = {name: _body((axes[k] + axes[k + 1]) / 2) for k, name in enumerate(names[1:])}
    shift = tilt * np.array([0.3, -0.2, 0.5])
    joints = {f"j{k}": _revolute(names[k], names[(k + 1) % 4], shift * (k == 1), axes[k]) for k in range(4)}
    return {"eigenbody": 1, "bodies": bodies, "joints": joints}


@pytest.mark.parametrize("tilt", TILTS)
@pytest.mark.parametrize("mechanism", [four_bar, door, sarrus, spherical_four_bar])
def test_a_loop_that_only_a_tilt_locks_is_named_with_its_mobility(mechanism, tilt):
    assert eb.linearize(eb.load(mechanism())).dof == 1
    linear = eb.linearize(eb.load(mechanism(tilt)))
    joints = mechanism()["joints"]
    notes = [note for note in linear.notes if "independent of the other joints by" in note]
    assert len(notes) == 1
    assert notes[0] in linear.certificate.as_dict()["notes"]
    assert any(f"joints.{name} (" in notes[0] for name in joints)
    if linear.dof == 0:
        assert "would have 1 degree of freedom instead of 0" in notes[0]
    else:
        assert tilt < LOCKED_FROM
        assert linear.dof == 1
        assert "taken as redundant" in notes[0]


@pytest.mark.parametrize("tilt", TILTS)
def test_a_joint_placed_by_its_markers_is_judged_like_one_with_a_point(tilt):
    plain, marked = spherical_four_bar(tilt), spherical_four_bar(tilt)
    joint = marked["joints"]["j1"]
    marked["markers"] = {f"on_{body}": {"body": body, "at": joint["at"]} for body in joint["between"]}
    joint["between"] = list(marked["markers"])
    del joint["at"]
    assert eb.linearize(eb.load(marked)).notes == eb.linearize(eb.load(plain)).notes


@pytest.mark.parametrize("tilted", ["a", "b", "c", "d"])
@pytest.mark.parametrize("tilt", [1e-8, 1e-5, 1e-2])
def test_the_share_is_that_of_the_tilt(tilted, tilt):
    """Within the factor that link lengths make: a tilt of one axis leaves sines of the angles between the links."""
    point = operating_point(eb.load(four_bar(tilt, tilted)))
    held, _ = slight_rows(point.mechanics, point.chosen)
    assert 0.1 * tilt < max(held.values()) < 2 * tilt


@pytest.mark.parametrize("mechanism", [four_bar, door, sarrus, spherical_four_bar])
def test_exact_loops_are_not_named(mechanism):
    assert not eb.linearize(eb.load(mechanism())).certificate.notes


def test_a_small_linkage_in_a_large_machine_is_measured_by_itself():
    small = four_bar(scale=1e-3, far=1.0)
    assert not eb.linearize(eb.load(small)).certificate.notes
    tilted = eb.linearize(eb.load(four_bar(1e-5, scale=1e-3, far=1.0)))
    assert "would have 2 degrees of freedom instead of 1" in tilted.certificate.notes[0]


@pytest.mark.parametrize("off", [1e-6, 1e-4, 1e-2])
def test_next_to_a_dead_point_no_row_is_blamed(off):
    """A locked structure of two hinged rods that are nearly in line: two rows, nearly the same here, not elsewhere."""
    joints = {
        "a": _revolute("ground", "p", [0, 0, 0], [0, 1, 0]),
        "b": _revolute("p", "q", [1, 0, off], [0, 1, 0]),
        "c": _revolute("ground", "q", [2, 0, 0], [0, 1, 0]),
    }
    model = {"eigenbody": 1, "bodies": {"p": _body([0.5, 0, off / 2]), "q": _body([1.5, 0, off / 2])}, "joints": joints}
    linear = eb.linearize(eb.load(model))
    assert linear.dof == 0
    assert not linear.certificate.notes


def test_all_examples_are_honest():
    for path in sorted(EXAMPLES.glob("*.yaml")):
        point = operating_point(eb.load(path))
        assert slight_rows(point.mechanics, point.chosen) == ({}, {}), path


@pytest.mark.parametrize("kind", ["loop", "redundant", "driven", "wheel"])
def test_random_loops_are_honest(kind):
    for seed in range(40):
        point = operating_point(eb.load(random_mechanism(np.random.default_rng(seed), kind)))
        assert slight_rows(point.mechanics, point.chosen) == ({}, {}), seed


@pytest.mark.parametrize("name", ["L30RF1", "L30SF1", "L333RF1"])
def test_ladders_are_honest(name):
    point = operating_point(eb.load(family(name)))
    assert slight_rows(point.mechanics, point.chosen) == ({}, {})


def test_a_tilt_in_a_large_ladder_is_found_on_the_sparse_path():
    document = family("L333RF1")
    document["joints"]["j800"]["axis"] = [1e-6, 0, 1]
    linear = eb.linearize(eb.load(document), solver="sparse")
    exact = eb.linearize(eb.load(family("L333RF1")), solver="sparse")
    assert linear.dof < exact.dof
    assert f"would have {exact.dof} degrees of freedom instead of {linear.dof}" in linear.certificate.notes[0]


def test_a_simulated_state_of_a_redundant_loop_is_honest():
    """Constraint drift of the integrator is not mistaken for a tilt."""
    model = eb.load(EXAMPLES / "planar_four_bar_redundant.yaml").set(operating_point={"simulate": {"until": 0.7}})
    assert not eb.linearize(model).certificate.notes


def test_check_and_equilibrium_say_it_too(capsys, tmp_path):
    path = tmp_path / "tilted.json"
    path.write_text(json.dumps(four_bar(1e-6)))
    for command in ("check", "equilibrium", "modes", "linearize"):
        assert main([command, str(path)]) == 0
        assert "1 degree of freedom" in " ".join(capsys.readouterr().out.split())
    assert main(["check", str(path), "--json"]) == 0
    assert "joints.c" in json.loads(capsys.readouterr().out)["notes"][0]


@pytest.mark.parametrize("given", [{"motion": "=2*t"}, {"velocity": 2}])
def test_a_motion_that_a_tilt_forbids_is_refused_with_the_rows_that_forbid_it(given):
    exact, tilted = four_bar(), four_bar(1e-6)
    exact["joints"]["a"] |= given
    tilted["joints"]["a"] |= given
    assert not eb.linearize(eb.load(exact)).certificate.notes
    with pytest.raises(eb.InputError, match=r"joints\.a.*contradicts.*joints\.c \(.*parallel.*independent .* by only"):
        eb.linearize(eb.load(tilted))
