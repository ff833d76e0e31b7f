"""Sweeps: branches that keep their identity, critical speeds and stability boundaries against closed forms."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import eigenbody as eb
from eigenbody.analyses.sweep import points as sweeping
from eigenbody.analyses.sweep.roots import dips, roots
from eigenbody.base.errors import InputError

EXAMPLES = Path(__file__).parents[3] / "examples"
G = 9.81


def example(name: str) -> eb.Model:
    return eb.load(EXAMPLES / f"{name}.yaml")


def two_masses(**changes: Any) -> eb.Model:
    """Two unit masses on springs k1 and 100 N/m, coupled by kc: omega^2 are the eigenvalues of a 2x2 matrix."""
    return eb.load({
        "eigenbody": 1, "name": "Two masses", "parameters": {"k1": "90 N/m", "kc": 0, "c": 0, "m": 1} | changes,
        "bodies": {"a": {"mass": "=m", "at": [0, 0, 0]}, "b": {"mass": 1, "at": [1, 0, 0]}},
        "joints": {
            "left": {"type": "prismatic", "between": ["ground", "a"], "at": [0, 0, 0], "axis": [1, 0, 0]},
            "right": {"type": "prismatic", "between": ["ground", "b"], "at": [1, 0, 0], "axis": [1, 0, 0]},
        },
        "forces": {
            "one": {"type": "spring", "along": "left", "k": "=k1", "c": "=c"},
            "two": {"type": "spring", "along": "right", "k": 100},
            "both": {
                "type": "spring", "between": ["a", "b"], "at": [[0, 0, 0], [1, 0, 0]], "free_length": 1, "k": "=kc",
            },
        },
    })  # fmt: skip


def inverted_pendulum(c: float = 0.0) -> eb.Model:
    """Upright on a spring: stands while k > m g l."""
    return eb.load({
        "eigenbody": 1, "parameters": {"k": "10 N*m/rad"}, "gravity": [0, 0, -G],
        "bodies": {"bob": {"mass": 2, "inertia": [0.01, 0.01, 0.01], "at": [0, 0, 0.5]}},
        "joints": {"pin": {"type": "revolute", "between": ["ground", "bob"], "at": [0, 0, 0], "axis": [0, 1, 0]}},
        "forces": {"spring": {"type": "spring", "along": "pin", "k": "=k", "c": c}},
    })  # fmt: skip


def sleeping_top() -> eb.Model:
    return eb.load({
        "eigenbody": 1, "parameters": {"spin": "100 rad/s"}, "gravity": [0, 0, -G],
        "bodies": {"top": {"mass": 1.5, "inertia": [0.02, 0.02, 0.015], "at": [0, 0, 0.2]}},
        "joints": {
            "tip": {"type": "spherical", "between": ["ground", "top"], "at": [0, 0, 0], "velocity": [0, 0, "=spin"]},
        },
    })  # fmt: skip


def value_of(found: Any) -> float:
    return next(iter(found.values.values()))


# Rotors ---------------------------------------------------------------------------------------------------------------
def overhung_whirl(speed: float) -> np.ndarray:
    """Signed whirl speeds (rad/s, ascending): det(K - n^2 M + n speed Ip e e') = 0 of the disc's w and tilt."""
    EI, L, m, Id, Ip = 1657.1901247686158, 0.4, 10.0, 0.1, 0.2
    push, cross, turn = 12 * EI / L**3, 6 * EI / L**2, 4 * EI / L
    tilt = [-Id, Ip * speed, turn]
    return np.sort(np.roots(np.polysub(np.polymul([-m, 0, push], tilt), [cross**2])).real)


def test_overhung_rotor_whirls_at_the_published_speeds() -> None:
    found = eb.campbell(example("overhung_rotor"), "speed", np.linspace(0, 200, 9))
    at = int(np.flatnonzero(found.values == 100)[0])
    signed = np.sort(found.whirl_frequency[at][~np.isnan(found.whirl_frequency[at])])
    published = [-362.7525221145, -69.340778735, 95.3498581426, 536.7434427068]
    assert signed == pytest.approx(published, abs=1e-9)
    for speed, row in zip(found.spin[1:], found.whirl_frequency[1:], strict=True):
        assert np.sort(row[~np.isnan(row)]) == pytest.approx(overhung_whirl(speed), rel=1e-11)
    assert sorted(found.whirl) == ["backward", "backward", "forward", "forward", "none", "none"]


def test_critical_speeds_of_the_overhung_rotor() -> None:
    found = eb.campbell(example("overhung_rotor"), "speed", np.linspace(0, 200, 5), per_rev=(1, 2))
    forward = [c for c in found.critical_speeds if found.whirl[c.branch] == "forward" and c.order == 1]
    assert [c.spin for c in forward] == pytest.approx([94.6781274761], rel=1e-12)
    # closed form of every other crossing: the whirl speed n = +-order * speed
    EI, L, m, Id, Ip = 1657.1901247686158, 0.4, 10.0, 0.1, 0.2
    push, cross, turn = 12 * EI / L**3, 6 * EI / L**2, 4 * EI / L
    expected = []
    for order in (1, 2):
        for sense in (1, -1):
            inertia = Id * order**2 - sense * Ip * order
            squares = np.roots(np.polysub(np.polymul([-m * order**2, push], [-inertia, turn]), [cross**2]))
            expected += [(order, sense, math.sqrt(s.real)) for s in squares if abs(s.imag) < 1e-9 and 0 < s.real < 4e4]
    senses = {"forward": 1, "backward": -1}
    got = [(c.order, senses[found.whirl[c.branch]], c.spin) for c in found.critical_speeds]
    assert len(got) == len(expected)
    assert np.array(sorted(got)) == pytest.approx(np.array(sorted(expected)), rel=1e-11)


def rotor_stator_whirl(speed: float) -> np.ndarray:
    """Four exponents of w = x + iy and tilt th (Negrut & Ortiz 2006, rotor-stator), sorted by imaginary part."""
    m, S, It, Iz, C, K, Ct, Kt = 1500.0, 975.0, 1281.25, 1000.0, 1.0, 1000.0, 10.0, 1e4
    omega = 2 * np.pi * speed
    determinant = np.polysub(np.polymul([m, C, K], [It, Ct - 1j * Iz * omega, Kt]), np.array([S**2, 0, 0, 0, 0]))
    return np.array(sorted(np.roots(determinant), key=lambda value: value.imag))


@pytest.mark.parametrize("points", [21, 9])
def test_rotor_stator_keeps_identity_through_crossings_in_the_rotor_frame(points: int) -> None:
    found = eb.campbell(example("rotor_stator"), "speed", np.linspace(0, 1, points), frame="spin")
    expected = np.array([rotor_stator_whirl(s) - 2j * np.pi * s for s in found.values])  # never cross before the shift
    lateral = [k for k in range(len(found.labels)) if found.whirl[k] != "none"]
    assert len(lateral) == 4
    matched = []
    for k in lateral:
        signed = found.eigenvalues.real[:, k] + 1j * found.whirl_frequency[:, k]
        errors = np.abs(signed[:, None] - expected).max(axis=0)
        assert errors.min() < 1e-9  # one and the same closed-form branch at all points
        matched.append(int(errors.argmin()))
    assert sorted(matched) == [0, 1, 2, 3]
    pairs = {frozenset(found.labels[b].split(",")[0] for b in e.branches) for e in found.events if e.kind == "crossing"}
    assert frozenset({"rotor translation", "rotor rocking"}) in pairs
    assert not [e for e in found.events if e.kind in ("doubt", "veering")]


def test_critical_speed_of_the_rotor_stator_in_both_frames() -> None:
    from scipy.optimize import brentq

    forward = brentq(lambda s: rotor_stator_whirl(s)[2].imag - 2 * np.pi * s, 0.1, 0.2, xtol=1e-15)
    assert forward == pytest.approx(0.1273, abs=1e-4)
    rotating = eb.campbell(example("rotor_stator"), "speed", np.linspace(0, 0.3, 7), frame="spin")
    assert [value_of(c) for c in rotating.critical_speeds] == pytest.approx([forward], rel=1e-10)
    assert rotating.critical_speeds[0].order == 0
    assert rotating.labels[rotating.critical_speeds[0].branch] == "rotor translation, forward whirl"
    fixed = eb.campbell(example("rotor_stator"), "speed", np.linspace(0, 0.3, 7))
    own = [c for c in fixed.critical_speeds if fixed.labels[c.branch] == "rotor translation, forward whirl"]
    assert [value_of(c) for c in own] == pytest.approx([forward], rel=1e-12)


def test_two_critical_speeds_between_two_points() -> None:
    """The frequency is spin + d and meets the spin where d = (p - 1.3)^2 - 0.01 is zero."""
    model = eb.load({
        "eigenbody": 1, "parameters": {"p": 0.0},
        "bodies": {"wheel": {"mass": 1, "inertia": [1, 1, 2], "at": [0, 0, 0]}, "a": {"mass": 1, "at": [1, 0, 0]}},
        "joints": {
            "hub": {"type": "revolute", "between": ["ground", "wheel"], "at": [0, 0, 0], "axis": [0, 0, 1],
                    "velocity": 10},
            "way": {"type": "prismatic", "between": ["ground", "a"], "at": [1, 0, 0], "axis": [1, 0, 0]},
        },
        "forces": {"spring": {"type": "spring", "along": "way", "k": "=(10 + (p - 1.3)**2 - 0.01)**2"}},
    })  # fmt: skip
    found = eb.campbell(model, "p", np.arange(5.0))
    assert [value_of(c) for c in found.critical_speeds] == pytest.approx([1.2, 1.4], abs=1e-9)
    assert [c.frequency for c in found.critical_speeds] == pytest.approx([10, 10], rel=1e-12)


def test_spin_is_read_from_the_operating_point_whatever_the_parameter() -> None:
    document = example("rotor_stator").document
    document["parameters"] = {"turns": "30 rpm"}
    document["joints"]["spin"]["velocity"] = "=turns"
    found = eb.campbell(eb.load(document), "turns", ["6 rpm", "30 rpm", "60 rpm"])
    assert found.spin[~found.is_added] == pytest.approx(2 * np.pi * np.array([0.1, 0.5, 1.0]), rel=1e-12)
    assert found.unit[0] == "rpm"
    assert sorted(value_of(c) for c in found.critical_speeds)[0] == pytest.approx(0.1269870815 * 2 * np.pi, rel=1e-9)


# Stability ------------------------------------------------------------------------------------------------------------
def test_bicycle_weave_and_capsize() -> None:
    found = eb.sweep(example("whipple_bicycle"), "v", np.linspace(0, 10, 21))
    rows = [(b.kind, b.begins, value_of(b)) for b in found.boundaries]
    # Meijaard, Papadopoulos, Ruina and Schwab 2007
    assert [row[:2] for row in rows] == [("flutter", False), ("divergence", True)]
    assert [row[2] for row in rows] == pytest.approx([4.292382536341, 6.024262015388], rel=1e-10)
    joins = [value_of(e) for e in found.events if e.kind == "joining"]
    assert joins == pytest.approx([0.684283078889], rel=1e-10)
    assert not [e for e in found.events if e.kind == "doubt"]


def test_hunting_of_the_wheelset() -> None:
    from scipy.optimize import brentq

    m, yaw, r, half, cone, f11, f22, ky, kpsi = 1250, 700, 0.45, 0.75, 0.1, 1.0e7, 8.8e6, 2.3e5, 2.5e6

    def growth(V: float) -> float:
        stiff = np.array([[ky, -2 * f22], [2 * f11 * half * cone / r, kpsi]]) / [[m], [yaw]]
        loss = np.diag([2 * f22 / V / m, 2 * f11 * half**2 / V / yaw])
        return float(np.linalg.eigvals(np.block([[np.zeros((2, 2)), np.eye(2)], [-stiff, -loss]])).real.max())

    found = eb.sweep(example("wheelset"), "V", np.linspace(40, 100, 4))
    (hunting,) = found.boundaries
    assert hunting.kind == "flutter"
    assert hunting.begins
    assert value_of(hunting) == pytest.approx(brentq(growth, 60, 100, xtol=1e-12), rel=1e-10)
    assert value_of(hunting) == pytest.approx(78.898, abs=5e-4)


@pytest.mark.parametrize("c", [0.0, 0.5, 8.0])
def test_inverted_pendulum_falls_below_the_spring_of_its_weight(c: float) -> None:
    found = eb.sweep(inverted_pendulum(c), "k", np.linspace(5, 15, 6))
    (boundary,) = found.boundaries
    assert (boundary.kind, boundary.begins) == ("divergence", False)
    assert value_of(boundary) == pytest.approx(2 * G * 0.5, rel=1e-11)


def test_sleeping_top_flutters_below_its_critical_spin() -> None:
    found = eb.sweep(sleeping_top(), "spin", np.linspace(10, 100, 8))
    A = 0.02 + 1.5 * 0.2**2
    (boundary,) = found.boundaries
    assert boundary.kind == "flutter"
    assert value_of(boundary) == pytest.approx(2 * math.sqrt(A * 1.5 * G * 0.2) / 0.015, rel=1e-11)
    assert boundary.frequency == pytest.approx(0.015 * value_of(boundary) / (2 * A), rel=1e-5)  # double root
    assert "collision" in {e.kind for e in found.events}


def test_instability_between_two_points_is_found() -> None:
    model = two_masses(c="=(p - 1.3)**2 - 0.01", p=0.0)
    found = eb.sweep(model, "p", np.arange(5.0))
    assert [value_of(b) for b in found.boundaries] == pytest.approx([1.2, 1.4], rel=1e-10)
    assert [b.begins for b in found.boundaries] == [True, False]
    asked = [s for s, added in zip(found.stability, found.is_added, strict=True) if not added]
    assert set(asked) == {"marginal"}


# Following ------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("points", [11, 12])  # one of the eleven lies exactly on the crossing
def test_uncoupled_modes_cross(points: int) -> None:
    found = eb.sweep(two_masses(), "k1", np.linspace(50, 150, points))
    assert found.eigenvalues.imag == pytest.approx(np.column_stack((np.sqrt(found.values), np.full(len(found), 10.0))))
    assert [(e.kind, e.branches) for e in found.events] == [("crossing", (0, 1))]
    assert value_of(found.events[0]) == pytest.approx(100, rel=1e-7)


@pytest.mark.parametrize("coupling", [10.0, 1.0, 0.01, 1e-4])
def test_coupled_modes_veer(coupling: float) -> None:
    found = eb.sweep(two_masses(kc=coupling), "k1", np.linspace(52, 150, 12))
    for value, row in zip(found.values, found.eigenvalues, strict=True):
        stiffness = [[value + coupling, -coupling], [-coupling, 100 + coupling]]
        assert row.imag**2 == pytest.approx(np.linalg.eigvalsh(stiffness), rel=1e-11)  # the lower stays the lower
    assert [e.kind for e in found.events] == ["veering"]
    assert value_of(found.events[0]) == pytest.approx(100, abs=0.6 * coupling + 1e-3)


@pytest.mark.parametrize("third", ["=118", "=122-5*p"])
def test_what_veers_one_after_the_other_does_not_veer_at_once(third: str) -> None:
    """The stiffness of the first passes that of the second, then that of the third: each time two neighbours exchange
    what they do. The lowest and the highest are nearest in between, and the first has gone from one to the other."""
    names, places = "abc", {name: [0, i, 0] for i, name in enumerate("abc")}
    springs = {f"k{n}": {"type": "spring", "along": f"{n}s", "k": k}
               for n, k in zip(names, ("=80+60*p", 100.0, third), strict=True)}  # fmt: skip
    links = {f"l{a}{b}": {"type": "expression", "along": f"{a}s", "value": f"=-2*({a}s-{b}s)"}
             for a in names for b in names if a != b}  # fmt: skip
    model = eb.load({
        "eigenbody": 1, "parameters": {"p": 0.5}, "forces": springs | links,
        "bodies": {name: {"mass": 1, "at": at} for name, at in places.items()},
        "joints": {f"{name}s": {"type": "prismatic", "between": ["ground", name], "at": at, "axis": [1, 0, 0]}
                   for name, at in places.items()},
    })  # fmt: skip
    found = eb.sweep(model, "p", np.linspace(0, 1, 41))
    assert [(event.kind, event.branches) for event in found.events] == [("veering", (0, 1)), ("veering", (1, 2))]


def test_branches_veer_past_others_that_have_no_part_in_it() -> None:
    """Both backward whirls exchange translation and rocking; forward and vertical translation lie between them."""
    found = eb.campbell(example("rotor_stator"), "speed", [0.0, 3.0, 6.0])
    assert [(event.kind, tuple(found.whirl[k] for k in event.branches)) for event in found.events] == [
        ("veering", ("backward", "backward"))
    ]


def test_without_refinement_a_narrow_veering_is_jumped_over() -> None:
    found = eb.sweep(two_masses(kc=0.01), "k1", np.linspace(52, 150, 12), refine=0)
    assert len(found) == 12
    assert [e.kind for e in found.events] == ["crossing"]


def test_repeated_modes_stay_apart_where_they_part() -> None:
    """At speed zero whirl has no sense: shapes of repeated frequencies are arbitrary there."""
    found = eb.campbell(example("rotor_stator"), "speed", [0.0, 0.2, 0.4, 0.0])
    assert found.eigenvalues[0].imag == pytest.approx(found.eigenvalues[-1].imag, rel=1e-9)
    assert [w for w in found.whirl if w != "none"].count("forward") == 2


def test_a_pair_that_becomes_two_real_eigenvalues_is_two_branches_throughout() -> None:
    found = eb.sweep(inverted_pendulum(2.0), "k", np.linspace(15, 5, 6))
    upper, lower = (found.eigenvalues[:, found.is_lower == side][:, 0] for side in (False, True))
    inertia, weight = 0.01 + 2 * 0.25, 2 * G * 0.5
    for k, pair in zip(found.values, zip(upper, lower, strict=True), strict=True):
        roots_ = sorted(np.roots([inertia, 2.0, k - weight]), key=lambda v: (v.imag, v.real))
        assert sorted(pair, key=lambda v: (v.imag, v.real)) == pytest.approx(roots_, rel=1e-11)
    (split,) = [e for e in found.events if e.kind == "split"]
    assert value_of(split) == pytest.approx(weight + 1 / inertia, rel=1e-11)  # c^2 = 4 I (k - m g l)


def test_several_parameters_change_along_a_path() -> None:
    k1, kc = np.linspace(50, 150, 5), np.linspace(0, 10, 5) ** 2
    found = eb.sweep(two_masses(), {"k1": k1, "kc": kc})
    asked = ~found.is_added
    assert found.parameters["kc"][asked] == pytest.approx(kc)
    for a, b, row in zip(found.parameters["k1"], found.parameters["kc"], found.eigenvalues, strict=True):
        assert np.sort(row.imag) ** 2 == pytest.approx(np.linalg.eigvalsh([[a + b, -b], [-b, 100 + b]]), rel=1e-11)


def test_few_modes_are_followed_where_few_are_asked_for() -> None:
    found = eb.sweep(two_masses(), "k1", np.linspace(50, 150, 6), n=1)
    lowest = np.nanmin(np.where(np.isnan(found.eigenvalues.real), np.nan, found.eigenvalues.imag), axis=1)
    assert lowest == pytest.approx(np.minimum(np.sqrt(found.values), 10.0))
    assert any("not among the modes found" in note for note in found.notes)


# Trouble --------------------------------------------------------------------------------------------------------------
def test_points_that_fail_are_marked_and_the_sweep_goes_on() -> None:
    model = two_masses(m="=sqrt(p)", p=1.0)
    found = eb.sweep(model, "p", [4.0, 1.0, -1.0, 0.25, 0.16])
    assert [f.values["p"] for f in found.failed] == [-1.0]
    assert "sqrt" in found.failed[0].message
    assert found.stability[2] == "failed"
    good = ~found.is_failed
    first = found.eigenvalues[good].imag
    assert first == pytest.approx(
        np.column_stack((np.sqrt(90 / np.sqrt(found.values[good])), np.full(good.sum(), 10.0)))
    )
    assert "Failed at -1" in str(found)
    document = found.as_dict()
    json.dumps(document, allow_nan=False)
    assert document["failed"][0]["value"] == -1
    assert document["branches"][0]["real"][2] is None
    found.plot()


def test_a_sweep_that_fails_everywhere_says_why() -> None:
    with pytest.raises(eb.ComputationError, match="None of the 2 points"):
        eb.sweep(two_masses(m="=sqrt(p)", p=1.0), "p", [-2.0, -1.0])


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("k11", [1, 2]), 'Did you mean "k1"'),
        (("k1", [1.0]), "at least two"),
        (("k1", [1.0, math.inf]), "not finite"),
        (("k1", [3.0, 3.0]), "the same"),
        (("k1", ["1 s", "2 s"]), "dimension"),
        (("k1", ["1 furlongs/N", "2"]), "unit"),
        (("k1", None), "no values"),
        (({"k1": [1, 2], "kc": [1, 2, 3]},), "one length"),
    ],
)
def test_wrong_input(arguments: tuple[Any, ...], words: str) -> None:
    with pytest.raises(eb.InputError, match=words):
        eb.sweep(two_masses(), *arguments)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"joint": "spn"}, 'Did you mean "spin"'),
        ({"frame": "spn"}, 'Did you mean "spin"'),
        ({"per_rev": [-1]}, "zero or positive"),
        ({"frame": "spin", "n": 2}, "all modes"),
    ],
)
def test_wrong_options_of_campbell(options: dict[str, Any], words: str) -> None:
    with pytest.raises(eb.InputError, match=words):
        eb.campbell(example("rotor_stator"), "speed", [0.0, 1.0], **options)


def test_no_joint_or_several_that_spin() -> None:
    still = eb.campbell(two_masses(), "k1", [50.0, 60.0])
    assert still.critical_speeds == ()
    assert any("No joint spins" in note for note in still.notes)
    with pytest.raises(eb.InputError, match="no joint spins"):
        eb.campbell(two_masses(), "k1", [50.0, 60.0], per_rev=[1])
    several = eb.campbell(example("whipple_bicycle"), "v", [4.5, 5.0])
    assert any("Several joints spin" in note for note in several.notes)
    with pytest.raises(eb.InputError, match=r"several joints spin.*rear_hub"):
        eb.campbell(example("whipple_bicycle"), "v", [4.5, 5.0], per_rev=[1])
    named = eb.campbell(example("whipple_bicycle"), "v", [4.5, 5.0], joint="rear_hub")
    assert named.spin == pytest.approx([4.5 / 0.3, 5.0 / 0.3])


@pytest.mark.parametrize(("after", "points"), [(2, 4), (7, 11)])  # among the points, and while closing in
def test_interruption_keeps_what_was_computed(monkeypatch: pytest.MonkeyPatch, after: int, points: int) -> None:
    """Of points that are found two at a time."""
    calls = []
    original = sweeping._modes_of_some

    def stopping(*args: Any, **kwargs: Any) -> Any:
        calls.append(1)
        if len(calls) > after:
            raise KeyboardInterrupt
        return original(*args, **kwargs)

    monkeypatch.setattr(sweeping, "TOGETHER", 8)
    monkeypatch.setattr(sweeping, "_modes_of_some", stopping)
    with pytest.raises(eb.SweepInterrupted) as stopped:
        eb.sweep(inverted_pendulum(), "k", np.linspace(5, 15, 11))
    assert stopped.value.partial.values == pytest.approx(np.linspace(5, 15, 11)[:points])
    assert any("Interrupted" in note for note in stopped.value.partial.notes)


# Parts ----------------------------------------------------------------------------------------------------------------
def test_roots_of_many_functions_at_once() -> None:
    goals = np.array([2.0, 3.0, 1e-8])
    found = roots(lambda x, k: x**3 - goals[k], np.zeros(3), np.full(3, 2.0), -goals, 8 - goals)
    assert found == pytest.approx(np.cbrt(goals), rel=1e-14)
    lost = roots(lambda x, k: np.full(len(x), np.nan), np.zeros(1), np.ones(1), -np.ones(1), np.ones(1))
    assert np.isnan(lost).all()


def test_dips_between_samples() -> None:
    t = np.arange(6.0)
    for centre, depth in ((2.3, 0.01), (2.5, 1e-4), (2.6, 0.1)):
        curve = lambda x, c=centre, d=depth: (x - c) ** 2 * (1 + 0.1 * x) - d  # noqa: E731
        ((place, value),) = dips(lambda x, _, f=curve: f(x), t, curve(t), np.arange(5))  # type: ignore[misc]
        assert abs(place - centre) < 1.1 * math.sqrt(depth)
        assert value < 0
    assert dips(lambda x, _: (x - 2.3) ** 2 + 0.01, t, (t - 2.3) ** 2 + 0.01, np.arange(5)) == []


def test_pictures_draw() -> None:
    found = eb.campbell(example("rotor_stator"), "speed", np.linspace(0, 1, 5))
    for figure in (found.plot(), found.plot(signed=True), found.locus()):
        assert figure.axes
    assert "Critical speeds" in str(found)
    assert "<table>" in found._repr_html_()


def test_a_number_by_path_can_be_swept():
    """The mass of a body, as a parameter would be."""
    model = eb.load(EXAMPLES / "slider_pendulum.yaml")
    body = model.description.bodies.names[0]
    name = f"bodies.{body}.mass"
    now = model.value_of(name)
    found = eb.sweep(model, name, np.linspace(now, 2 * now, 5))
    last = eb.modes(model.with_values({name: 2 * now}))
    assert np.sort(np.abs(found.eigenvalues[-1])) == pytest.approx(np.abs(last.eigenvalues), rel=1e-9)
    with pytest.raises(InputError, match="maas"):
        eb.sweep(model, f"bodies.{body}.maas", [1, 2])


def test_chain_for_a_beam_is_swept_like_single_models() -> None:
    """A chain of rigid bodies in place of modes: its nodes ride on the segments and have no shape of their own."""
    beam = {"type": "beam", "points": [[0, 0, 0], [0, 0, 1]], "E": 210e9, "density": 7850, "diameter": "=d"}
    clamp = {"type": "fixed", "between": ["ground", "rod.start"], "at": [0, 0, 0]}
    model = eb.load({
        "eigenbody": 1, "parameters": {"d": 0.02}, "flexible": {"rod": {**beam, "segments": 3}}, "joints": {"c": clamp},
    })  # fmt: skip
    found = eb.sweep(model, "d", [0.02, 0.03])
    for k, d in enumerate((0.02, 0.03)):
        alone = np.sort(eb.modes(model.with_values({"d": d})).frequency_hz)
        assert np.sort(np.abs(found.eigenvalues[k])) / (2 * np.pi) == pytest.approx(alone, rel=1e-9)


def test_points_that_all_fail_for_one_reason_say_it_once() -> None:
    """All speeds are beyond the table of the bearing: one sentence, of the farthest of them."""
    table = {"table": [[100, 1e6], [150, 1.5e6], [200, 2e6]], "interpolation": "spline", "of": "=speed"}
    model = eb.Model(
        parameters={"speed": 150.0},
        bodies={"rotor": {"mass": 10, "inertia": [0.1, 0.1, 0.05], "at": [0, 0, 0]}},
        joints={"hold": {"type": "free", "between": ["ground", "rotor"], "at": [0, 0, 0],
                         "velocity": [0, 0, 0, 0, 0, "=speed"]}},
        forces={"film": {"type": "bearing", "between": ["ground", "rotor"], "at": [0, 0, 0], "kxx": table,
                         "kyy": 1e6, "kzz": 1e5}},
    )  # fmt: skip
    with pytest.raises(eb.ComputationError) as told:
        eb.campbell(model, "speed", [300, 400, 500, 600])
    message = str(told.value)
    assert message.startswith("None of the 4 points of the sweep succeeded.")
    assert message.count("outside of its table") == 1
    assert "600" in message
