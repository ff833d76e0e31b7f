"""Sums of measures, polynomial couplings and rotational dampers: closed forms, and the same machine by other routes."""

import numpy as np
import pytest

import eigenbody as eb

ARM = {
    "eigenbody": 1,
    "gravity": [0, 0, -9.81],
    "bodies": {
        "a": {"mass": 1.0, "inertia": [0.1, 0.15, 0.12], "at": [0.5, 0, 0]},
        "b": {"mass": 0.8, "inertia": [0.1, 0.2, 0.13], "at": [1.5, 0, 0.2]},
        "c": {"mass": 0.5, "inertia": [0.05, 0.1, 0.08], "at": [2.5, 0, 0.2]},
    },
    "joints": {
        "left-hip": {"type": "revolute", "between": ["ground", "a"], "at": [0, 0, 0], "axis": [0, 1, 0],
                     "position": 7.0, "velocity": 0.4},
        "ball": {"type": "spherical", "between": ["a", "b"], "at": [1, 0, 0], "position": [0.3, 0.4, -0.2],
                 "velocity": [0.2, 1, 0.4]},
        "j": {"type": "revolute", "between": ["b", "c"], "at": [2, 0, 0], "axis": [0, 1, 1]},
    },
}  # fmt: skip
TENDON = {
    "measures": {
        "inner": {"type": "sum", "terms": {"left-hip": 1, "ball.rx": -0.5}},
        "tendon": {"type": "sum", "terms": {"inner": 2, "ball.ry": 0.1, "j": 1}, "constant": 0.2},
    },
    "forces": {
        "cable": {"type": "spring", "along": "tendon", "k": 20, "c": 0.3, "free": 0.1},
        "law": {"type": "expression", "along": "tendon", "value": "=-1*'left-hip' - 0.1*'left-hip''*tendon"},
        "grease": {"type": "rotational_damper", "between": ["a", "b"], "c": 0.3},
    },
    "outputs": {"length": {"measure": "tendon"}, "drag": {"force": "grease", "component": "my"}},
}
COUPLED = {"couplings": {"cam": {"type": "polynomial", "joints": ["j", "left-hip"],
                                 "coefficients": [0.1, 0.2, -0.5, 0.03, 0.01]}}}  # fmt: skip


def value(model: eb.Model, name: str) -> float:
    point = eb.operating_point(model)
    system = point.system
    jet = system.named.jet(point.mechanics.at, point.state.turns)
    return float(jet.value[system.names.index(name)])


@pytest.mark.parametrize("more", [{}, COUPLED], ids=["tendon", "tendon and cam"])
def test_by_other_routes(more: dict) -> None:
    """Relative coordinates know all of it by formulas of their own, beyond a full turn of the first joint too."""
    model = eb.load({**ARM, **TENDON, **more})
    assert eb.verify(model, ["relative"]).verdict == "agree"
    assert eb.verify(model, ["difference"]).verdict == "agree"


def test_a_cam_holds_beyond_a_full_turn() -> None:
    model = eb.load({**ARM, **COUPLED})
    assert value(model, "left-hip") == pytest.approx(7.0, abs=1e-12)
    expected = np.polynomial.polynomial.polyval(7.0, COUPLED["couplings"]["cam"]["coefficients"])
    assert value(model, "j") == pytest.approx(expected, rel=1e-12)


def test_a_sum_of_sums_is_that_of_its_terms() -> None:
    """tendon = 2 (hip - 0.5 rx) + 0.1 ry + j + 0.2."""
    assert value(eb.load({**ARM, **TENDON}), "tendon") == pytest.approx(2 * (7 - 0.15) + 0.04 + 0.2, rel=1e-12)


def hinges(**sections: dict) -> eb.Model:
    """Two equal discs that turn on the ground."""
    disc = {"mass": 1, "inertia": [0.3, 0.3, 0.5]}
    joint = {"type": "revolute", "axis": [0, 0, 1]}
    return eb.load({
        "eigenbody": 1,
        "bodies": {"d1": {**disc, "at": [0, 0, 0]}, "d2": {**disc, "at": [2, 0, 0]}},
        "joints": {"q1": {**joint, "between": ["ground", "d1"], "at": [0, 0, 0]},
                   "q2": {**joint, "between": ["ground", "d2"], "at": [2, 0, 0]}},
        **sections,
    })  # fmt: skip


def test_a_spring_along_a_sum() -> None:
    """K = k w w^T with the weights w = (1, -0.5), and C likewise."""
    model = hinges(
        measures={"belt": {"type": "sum", "terms": {"q1": 1, "q2": -0.5}}},
        forces={"f": {"type": "spring", "along": "belt", "k": 40, "c": 3}},
    )
    w = np.array([1, -0.5])
    linear = eb.linearize(model)
    np.testing.assert_allclose(linear.K, 40 * np.outer(w, w), rtol=0, atol=1e-13)
    np.testing.assert_allclose(linear.C, 3 * np.outer(w, w), rtol=0, atol=1e-13)


def test_a_cam_stretches_inertia_and_load() -> None:
    """q1 = p(q2): M = 0.5 (1 + p'^2), K = k p'^2 + (k p - T) p'' with a spring k on q1 and a torque T on it at rest by
    which the spring is balanced (T = k p): K = k p'^2."""
    k, c = 30.0, [0.2, 0.7, 0.4, -0.1]
    p = np.polynomial.Polynomial(c)
    sections = {"couplings": {"cam": {"type": "polynomial", "joints": ["q1", "q2"], "coefficients": c}},
                "forces": {"f": {"type": "spring", "along": "q1", "k": k},
                           "T": {"type": "expression", "along": "q1", "value": k * float(p(0.3))}},
                "coordinates": ["q2"]}  # fmt: skip
    model = hinges(**sections)
    document = model.document
    document["joints"]["q2"]["position"] = 0.3
    linear = eb.linearize(eb.load(document))
    assert linear.coordinates == ("q2",)
    slope = float(p.deriv()(0.3))
    assert linear.M[0, 0] == pytest.approx(0.5 * (1 + slope**2), rel=1e-12)
    assert linear.K[0, 0] == pytest.approx(k * slope**2, rel=1e-12)
    document["forces"].pop("T")
    with_load = eb.linearize(eb.load(document))  # the multiplier carries the spring: it accelerates from here
    assert with_load.K[0, 0] != pytest.approx(k * slope**2, rel=1e-3)


def test_a_rotational_damper_brakes_all_turning_alike() -> None:
    """A free ball in grease: J w' = -c w, at any orientation; a bushing would damp the rotation vector."""
    model = eb.load({
        "eigenbody": 1,
        "bodies": {"ball": {"mass": 1, "inertia": [0.2, 0.2, 0.2], "at": [0, 0, 0]}},
        "joints": {"s": {"type": "spherical", "between": ["ground", "ball"], "at": [0, 0, 0],
                         "position": [0.9, -0.5, 1.1]}},
        "forces": {"g": {"type": "rotational_damper", "between": ["ground", "ball"], "c": "0.05 N*m*s/rad"}},
    })  # fmt: skip
    linear = eb.linearize(model)
    np.testing.assert_allclose(linear.C, 0.05 * np.eye(3), rtol=0, atol=1e-15)
    np.testing.assert_allclose(linear.K, np.zeros((3, 3)), rtol=0, atol=1e-15)


@pytest.mark.parametrize("method", ["dop853", "radau"])
def test_turns_are_counted_while_it_moves(method: str) -> None:
    """Energy of a spring along a sum of angles that make several turns each is accounted for."""
    model = hinges(
        measures={"belt": {"type": "sum", "terms": {"q1": 1, "q2": 1}}},
        forces={"f": {"type": "spring", "along": "belt", "k": 0.5}},
    )
    document = model.document
    document["joints"]["q1"]["velocity"], document["joints"]["q2"]["velocity"] = 15.0, -14.0
    run = eb.simulate(eb.load(document), until=2.0, method=method)
    # sum of the two: 0.5 s'' = -k s twice over; s = sin(w t) / w with w^2 = 2 k / 0.5
    w = np.sqrt(2 * 0.5 / 0.5)
    total = run.signal("q1")[-1] + run.signal("q2")[-1]
    assert abs(run.signal("q1")[-1]) > 4 * np.pi
    assert total == pytest.approx(np.sin(2 * w) / w, abs=1e-6)


def test_faults() -> None:
    def wrong(**sections: dict) -> str:
        with pytest.raises(eb.InputError) as caught:
            hinges(**sections)
        return str(caught.value)

    ring = {"a": {"type": "sum", "terms": {"b": 1}}, "b": {"type": "sum", "terms": {"a": 1}}}
    assert "made of themselves" in wrong(measures=ring)
    assert "unit" in wrong(measures={"a": {"type": "sum", "terms": {"q1": 1, "d1.x": 1}}})
    assert "q3" in wrong(measures={"a": {"type": "sum", "terms": {"q3": 1}}})
    speed = {"v": {"type": "velocity", "between": ["ground", "d1"]}, "a": {"type": "sum", "terms": {"v": 1}}}
    assert "speed" in wrong(measures=speed)
    cam = {"type": "polynomial", "joints": ["q1", "q1"], "coefficients": [0, 1]}
    assert "itself" in wrong(couplings={"c": cam})
    assert "1 to 20" in wrong(couplings={"c": {**cam, "joints": ["q1", "q2"], "coefficients": [0.1] * 21}})


def test_names_in_quotes() -> None:
    """Names with any character stand in quotes in expressions, before their primes."""
    document = {**ARM, "forces": {"f": {"type": "expression", "along": "j", "value": "=2*'left-hip' - 3*'left-hip''"}}}
    model = eb.load({**document, "joints": {**ARM["joints"], "j": {**ARM["joints"]["j"]}}})
    K = eb.linearize(model).K - eb.linearize(eb.load(ARM)).K
    names = eb.linearize(model).coordinates
    assert K[names.index("j"), names.index("left-hip")] == pytest.approx(-2, rel=1e-6)
