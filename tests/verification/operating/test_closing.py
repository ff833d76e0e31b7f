"""Joints open by the rounding of a drawing: the mechanism is the one that was meant, to the size of the rounding."""

from __future__ import annotations

import json

import numpy as np
import pytest

import eigenbody as eb
from eigenbody.cli import main

POINTS = {"a": [0, 0, 0], "b": [0.2, 0, 0.9], "c": [1.3, 0, 1.1], "d": [1.0, 0, 0]}
BETWEEN = {
    "a": ("ground", "crank"),
    "b": ("crank", "coupler"),
    "c": ("coupler", "rocker"),
    "d": ("ground", "rocker"),
}
CENTRES = {"crank": [0.1, 0, 0.45], "coupler": [0.75, 0, 1.0], "rocker": [1.15, 0, 0.55]}


def planar_loop(noise: float, seed: int = 0, tilt: float | None = None) -> dict:
    """A planar four-bar in space, three of whose rows are redundant, from markers with errors of that size in their
    places and axes."""
    rng = np.random.default_rng(seed)
    tilt = noise if tilt is None else tilt
    document: dict = {"eigenbody": 1, "gravity": [0, 0, -9.81], "parameters": {"m": 1.0}, "markers": {}, "joints": {}}
    document["bodies"] = {name: {"mass": 1, "inertia": [0.1, 0.1, 0.1], "at": at} for name, at in CENTRES.items()}
    document["bodies"]["coupler"]["mass"] = "=m"
    for joint, bodies in BETWEEN.items():
        for side, body in enumerate(bodies):
            turn = {"axis": (np.eye(3)[0] + tilt * rng.uniform(-1, 1, 3)).tolist(), "angle": -np.pi / 2}
            place = (np.array(POINTS[joint]) + noise * rng.uniform(-1, 1, 3)).tolist()
            document["markers"][f"{joint}{side}"] = {"body": body, "at": place, "rotation": turn}
        document["joints"][joint] = {"type": "revolute", "between": [f"{joint}0", f"{joint}1"]}
    return document


@pytest.mark.parametrize("noise", [1e-10, 1e-9, 1e-8, 1e-7, 1e-6])
@pytest.mark.parametrize("seed", range(3))
def test_a_rounded_loop_moves_like_the_one_that_was_meant(noise, seed):
    exact, rounded = eb.load(planar_loop(0.0)), eb.load(planar_loop(noise, seed))
    for turn in (0.0, 0.4):
        meant, found = eb.linearize(exact.posed(a=turn)), eb.linearize(rounded.posed(a=turn))
        assert found.dof == 1
        assert len(found.point.redundant) == 3
        assert np.allclose(found.K, meant.K, rtol=0, atol=100 * noise)
        assert np.allclose(found.M, meant.M, rtol=0, atol=100 * noise)
        assert max(found.point.drift) < 1e-13
    drawn = rounded.description.bodies
    assert np.array_equal(eb.operating_point(rounded).state.r, drawn.position)  # bodies stay as drawn
    assert any("counts as rounding" in text for text in eb.operating_point(rounded).warnings)


def test_axes_alone_or_places_alone():
    meant = eb.modes(eb.load(planar_loop(0.0))).eigenvalues
    for noise, tilt in ((1e-7, 0.0), (0.0, 1e-7)):
        found = eb.modes(eb.load(planar_loop(noise, 5, tilt)))
        assert found.eigenvalues == pytest.approx(meant, rel=1e-5)


def test_an_exact_drawing_is_not_touched():
    point = eb.operating_point(eb.load(planar_loop(0.0)))
    assert point.warnings == ()
    assert point.system.description.closed == ""


@pytest.mark.parametrize("noise", [1e-4, 1e-2])
def test_what_is_really_open_is_refused_with_the_gaps(noise):
    with pytest.raises(eb.InputError, match=r"open by more than its rounding \(tolerance") as caught:
        eb.operating_point(eb.load(planar_loop(noise)))
    assert "joints.c: stays open by" in str(caught.value)


def test_check_says_how_far_bodies_moved_to_close_a_rough_drawing():
    """Two blocks on a rail, drawn 0.04 m apart: masses 1 and 3 share the gap."""
    document = {
        "eigenbody": 1,
        "bodies": {"light": {"mass": 1, "inertia": [1, 1, 1], "at": [0, 0, 0]},
                   "heavy": {"mass": 3, "inertia": [1, 1, 1], "at": [1, 0, 0]}},
        "joints": {"rail": {"type": "prismatic", "between": ["ground", "light"], "at": [0, 0, 0], "axis": [1, 0, 0]},
                   "other": {"type": "prismatic", "between": ["ground", "heavy"], "at": [1, 0, 0], "axis": [1, 0, 0]},
                   "weld": {"type": "fixed", "between": ["light", "heavy"], "at": [[0.5, 0, 0], [0.54, 0, 0]]}},
    }  # fmt: skip
    notes = [note for note in eb.check(eb.load(document)).notes if "open by" in note]
    assert notes == [
        "Joints of the drawing are open by up to 0.04 (m or rad, weld) and were closed by moving bodies; the farthest"
        " from its drawing is light, by 0.03 m."
    ]


def test_the_tolerance_is_the_users(tmp_path, capsys):
    document = planar_loop(1e-4)
    meant = eb.modes(eb.load(planar_loop(0.0))).eigenvalues
    assert eb.modes(eb.load({**document, "tolerance": "1 mm"})).eigenvalues == pytest.approx(meant, rel=1e-2)
    with pytest.raises(eb.InputError, match="tolerance"):
        eb.operating_point(eb.load({**planar_loop(1e-7), "tolerance": 0}))
    path = tmp_path / "loop.json"
    path.write_text(json.dumps(document))
    assert main(["modes", str(path), "--json"]) == 2
    assert main(["modes", str(path), "--json", "--tolerance", "1 mm"]) == 0
    assert any("rounding" in text for text in json.loads(capsys.readouterr().out)["warnings"])


@pytest.mark.parametrize("value", [-1, "3 kg", "wide"])
def test_a_tolerance_is_a_length(value):
    with pytest.raises(eb.InputError, match="tolerance"):
        _ = eb.load({**planar_loop(0.0), "tolerance": value}).description


def test_variants_sweeps_evaluators_and_sensitivities_are_of_the_closed_drawing():
    model = eb.load(planar_loop(1e-7))
    one_by_one = [eb.modes(model.with_parameters(m=value)).eigenvalues for value in (0.9, 1.0, 1.1)]
    assert np.allclose(eb.sweep(model, "m", values=[0.9, 1.0, 1.1]).eigenvalues, one_by_one, rtol=1e-12)
    evaluator = eb.compiled(model, ["m"])
    assert np.allclose([evaluator(m=v).modes.eigenvalues for v in (0.9, 1.0, 1.1)], one_by_one, rtol=1e-12)
    slope = eb.sensitivity(model, ["m"])
    exact = eb.sensitivity(eb.load(planar_loop(0.0)), ["m"])
    assert np.allclose(slope.eigenvalues, exact.eigenvalues, rtol=1e-5)
    assert not slope.is_exact


def test_a_motion_of_the_closed_drawing_is_the_one_that_was_meant():
    run = eb.simulate(eb.load(planar_loop(1e-7)), until=0.5)
    meant = eb.simulate(eb.load(planar_loop(0.0)), until=0.5)
    assert np.allclose(run.state.r, meant.state.r, rtol=0, atol=1e-5)
