"""Which undamped modes an input drives and an output sees: infinite where they do, finite where they do not."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import eigenbody as eb
from eigenbody.analyses.frequency.residues import Poles
from eigenbody.analyses.frequency.system import excited
from eigenbody.analyses.linearize.ports import ports

EXAMPLES = Path(__file__).parents[3] / "examples"
SOLVERS = pytest.mark.parametrize("solver", ["dense", "sparse"])


def chain(masses, springs, dampers=(), grounded=None):
    """Masses on a line; springs[i] and dampers[i] on the left of mass i, the last on the right of the last one, zero
    for none; `grounded` are dampers of each mass to the ground. Coordinates x0, x1, ..., gaps g0 (left of mass 0)."""
    n, line = len(masses), {"type": "prismatic", "axis": [1, 0, 0]}
    places = [0.0, *(float(i + 1) for i in range(n)), float(n + 1)]
    bodies = ["ground", *(f"b{i}" for i in range(n)), "ground"]
    document = {
        "eigenbody": 1,
        "bodies": {f"b{i}": {"mass": float(m), "at": [places[i + 1], 0, 0]} for i, m in enumerate(masses)},
        "joints": {f"x{i}": {**line, "between": ["ground", f"b{i}"], "at": [places[i + 1], 0, 0]} for i in range(n)},
        "measures": {},
        "forces": {},
    }
    dampers = dampers or np.zeros(n + 1)
    for i, (k, c) in enumerate(zip(springs, dampers, strict=True)):
        if k or c:
            pair, free = [bodies[i], bodies[i + 1]], places[i + 1] - places[i]
            document["measures"][f"g{i}"] = {"type": "displacement", "between": pair, "axis": [1, 0, 0]}
            if "ground" in pair:
                free = places[i + 1] if i == 0 else -places[n]
            document["forces"][f"s{i}"] = {
                "type": "spring", "along": f"g{i}", "k": float(k), "c": float(c), "free": free,
            }  # fmt: skip
    for i, c in enumerate(grounded or []):
        if c:
            document["forces"][f"d{i}"] = {"type": "damper", "along": f"x{i}", "c": float(c)}
    return document


def infinite(response):
    return [peak.frequency_hz for peak in response.peaks if np.isinf(peak.magnitude)]


def mirrored(rng):
    """A chain with a mirror, damped in the middle alone: the number of its middle mass and its document."""
    half = int(rng.integers(1, 5))
    m, k = rng.uniform(0.5, 3, half), rng.uniform(10, 1000, half + 1)
    grounded = [0.0] * (2 * half + 1)
    grounded[half] = rng.uniform(0.1, 5)
    return half, chain([*m, rng.uniform(0.5, 3), *m[::-1]], [*k, *k[::-1]], grounded=grounded)


# ---- not driven, not seen


@SOLVERS
def test_a_mirrored_chain_pushed_in_its_middle_has_no_antisymmetric_resonance(solver):
    """Masses 1, 2, 1 on four springs of 100: the outer ones swing against each other at sqrt(200), the middle stands.

    There x1 = 1/(Z1 - 2 k^2/Z0) with Z0 = 200 - w^2 = 0: exactly zero.
    """
    model = eb.load(chain([1, 2, 1], [100] * 4, grounded=[0, 3, 0]))
    r = eb.frf(model, "x1", ["x1", "x0"], solver=solver)
    assert infinite(r) == []
    assert len(r.peaks) == 4
    on = eb.frf(model, "x1", ["x1", "x0"], [np.sqrt(200) / (2 * np.pi)], solver=solver)
    assert on.poles == ()
    assert on.values[0, :, 0] == pytest.approx([0.0, -1 / 200], abs=1e-12)  # k x1 + k x2 = -F held by the neighbours


@pytest.mark.parametrize("seed", range(30))
def test_random_mirrored_chains_have_finite_peaks(seed):
    middle, document = mirrored(np.random.default_rng(seed))
    model = eb.load(document)
    r = eb.frf(model, f"x{middle}", f"x{middle}")
    assert infinite(r) == []
    undamped = [v.imag for v in eb.modes(model).eigenvalues if abs(v.real) < 1e-12 * abs(v)]
    linear = ports(model, [f"x{middle}"], [f"x{middle}"]).linear
    assert undamped
    for w in undamped:  # the middle does not move with them: hold the others by their own equations
        Z = linear.K - w**2 * linear.M + 1j * w * linear.C
        force = np.zeros(len(Z))
        force[middle] = 1.0
        expected = np.linalg.lstsq(Z, force, rcond=1e-12)[0][middle]
        found = eb.frf(model, f"x{middle}", f"x{middle}", [w / (2 * np.pi)]).values[0, 0, 0]
        assert found == pytest.approx(expected, rel=1e-9, abs=1e-9 * np.abs(np.linalg.pinv(Z)).max())


def test_the_turning_frame_of_the_tractor_is_not_seen_by_its_hangers():
    """The pole of the frame at 0.017457 Hz; the curve there is 1.1e-6 rad/N."""
    model = eb.load(EXAMPLES / "tractor_semitrailer.yaml")
    assert infinite(eb.frf(model, "road.x", "hang_rear2.angle")) == []
    near = eb.frf(model, "road.x", "hang_rear2.angle", [0.01745679159216737])
    assert abs(near.values[0, 0, 0]) == pytest.approx(1.1e-6, rel=1e-3)
    assert near.poles == ()


def test_a_flexible_rod_hung_on_an_axis_bends_in_one_plane_when_pushed_in_it():
    """Pendulum and bending in the plane xz, bending of the clamped rod in yz, stretching, twist: each push, its own."""
    model = eb.load({
        "eigenbody": 1, "gravity": [0, 0, -9.81],
        "flexible": {"rod": {
            "type": "beam", "points": [[0, 0, 0], [0, 0, -1]], "E": "210 GPa", "nu": 0.3, "density": 7850,
            "diameter": "20 mm", "modes": 6,
        }},
        "joints": {"pin": {"type": "revolute", "between": ["ground", "rod.start"], "at": [0, 0, 0], "axis": [0, 1, 0]}},
        "measures": {
            f"tip {axis}": {"type": "displacement", "between": ["ground", "rod.end"], "axis": np.eye(3)[i].tolist()}
            for i, axis in enumerate("xyz")
        },
    })  # fmt: skip
    tip = ["tip x", "tip y", "tip z"]
    r = eb.frf(model, tip, tip, (0.1, 3000, 50))
    seen = {(p.input, p.output) for p in r.peaks if np.isinf(p.magnitude)}
    assert seen == {(name, name) for name in tip}
    sharp = [p for p in r.peaks if np.isinf(p.magnitude)]
    own = {name: [p.frequency_hz for p in sharp if p.input == name] for name in tip}
    assert len(set().union(*own.values())) == sum(map(len, own.values()))  # no mode is in two of them
    assert own["tip x"][0] == pytest.approx(np.sqrt(1.5 * 9.81) / (2 * np.pi), rel=0.01)  # a stiff rod swings


# ---- driven, however weakly


@SOLVERS
@pytest.mark.parametrize("coupling", [1.0, 1e-3, 1e-6, 1e-8])
def test_a_weakly_coupled_undamped_mass_is_infinite_at_its_mode(solver, coupling):
    """A damped mass is pushed and watched; a mass without damper hangs on it by `coupling` of its own spring.

    m2 rests on ground by k (1 - coupling): mode at sqrt(k/m2) where m1 stands still; it moves by coupling^2.
    """
    model = eb.load(chain([1, 1], [400, 100 * coupling, 100], grounded=[0, 0]))
    r = eb.frf(model, "x0", "x0", solver=solver)
    frequencies = eb.modes(model).frequency_hz
    assert infinite(r) == pytest.approx(list(frequencies), rel=1e-9)


def test_the_residue_of_a_weakly_coupled_mode_is_that_of_perturbation_theory():
    """x0 of the mode of mass 2 is k12/(Z11) to first order: residue of x0/F0 is (k12/Z11)^2 / (2 i w)."""
    k12 = 1e-6
    model = eb.load(chain([1, 1], [400, k12, 100]))
    equations = excited(ports(model, ["x0"], ["x0"])).dense
    first = Poles(equations).among(equations.spectrum.on_axis)[0].part
    w = np.sqrt(100.0)
    expected = (k12 / (400 - w**2)) ** 2 / (2j * w)
    assert first.terms[0][0, 0] == pytest.approx(expected, rel=1e-6)
    assert first.bounds[0][0, 0] < 1e-3 * abs(expected)


def test_equal_modes_are_judged_together():
    """Two equal oscillators: any pair of vectors is right, and each mass is driven by its own push alone."""
    document = chain([1, 1], [100, 0, 100])
    hz = 10 / (2 * np.pi)
    r = eb.frf(eb.load(document), ["x0", "x1"], ["x0", "x1"], (0.1, 10, 50))
    assert {(p.input, p.output): p.frequency_hz for p in r.peaks} == pytest.approx({("x0", "x0"): hz, ("x1", "x1"): hz})
    document["outputs"] = {"sum": {"expression": "=x0 + x1"}, "difference": {"expression": "=x0 - x1"}}
    document["inputs"] = {"push apart": {"along": "apart"}}
    document["measures"]["apart"] = {"type": "displacement", "between": ["b0", "b1"], "axis": [1, 0, 0]}
    r = eb.frf(eb.load(document), "push apart", ["sum", "difference"], (0.1, 10, 50))
    assert {(p.output, p.magnitude) for p in r.peaks} == {("difference", np.inf)}


def test_a_damped_defective_mode_elsewhere_does_not_hide_an_undamped_one():
    """A critically damped mass (no full set of eigenvectors) beside a mirrored pair."""
    document = chain([1, 1, 2], [100, 0, 0, 4], dampers=[0, 0, 0, 4 * np.sqrt(2)])
    r = eb.frf(eb.load(document), ["x0", "x2"], ["x0", "x1", "x2"], (0.1, 10, 50))
    assert {(p.input, p.output) for p in r.peaks if np.isinf(p.magnitude)} == {("x0", "x0")}


# ---- finite values on poles that are not felt


@SOLVERS
def test_a_mass_on_a_damper_follows_its_base_at_rest(solver):
    """x/r = c s / (m s^2 + c s) = 1 at 0 Hz, though the mass is free there."""
    line = {"type": "prismatic", "axis": [1, 0, 0]}
    model = eb.load({
        "eigenbody": 1,
        "bodies": {"base": {"mass": 1, "at": [0, 0, 0]}, "b": {"mass": 2, "at": [1, 0, 0]}},
        "joints": {
            "shake": {**line, "between": ["ground", "base"], "at": [0, 0, 0], "motion": 0},
            "x": {**line, "between": ["ground", "b"], "at": [1, 0, 0]},
        },
        "measures": {"gap": {"type": "displacement", "between": ["base", "b"], "axis": [1, 0, 0]}},
        "forces": {"d": {"type": "damper", "along": "gap", "c": 3}},
    })  # fmt: skip
    r = eb.frf(model, base="shake", outputs=["x", "gap"], frequencies_hz=[0.0, 0.1], solver=solver)
    s = 2j * np.pi * 0.1
    follows = 3 * s / (2 * s**2 + 3 * s)
    accuracy = 1e-12 if solver == "dense" else 1e-9  # there the limit is taken from both sides
    assert r.values[:, :, 0] == pytest.approx(np.array([[1, 0], [follows, follows - 1]]), abs=accuracy)


# ---- sharp resonances


@SOLVERS
@pytest.mark.parametrize("ratio", [1e-3, 1e-6, 1e-10, 1e-12])
def test_the_peak_of_a_lightly_damped_oscillator(ratio, solver):
    """1 / (2 zeta k sqrt(1 - zeta^2)), within what rounding of the eigenvalue allows; that is said where it shows."""
    m, k = 2.0, 800.0
    model = eb.load(chain([m], [k, 0], dampers=[2 * ratio * np.sqrt(k * m), 0]))
    for asked in (None, (0.1, 100, 12), [0.5, 3.0, 4.0, 9.0]):
        r = eb.frf(model, "x0", "x0", asked, solver=solver)
        (peak,) = r.peaks
        expected = 1 / (2 * ratio * k * np.sqrt(1 - ratio**2))
        assert peak.magnitude == pytest.approx(expected, rel=1e-9 + 4e-16 / ratio)
        assert any("so lightly damped" in note for note in r.notes) == (ratio < 1e-8)


def test_a_sharp_mode_that_is_not_driven_makes_no_peak_of_its_rounding():
    middle = 1
    document = chain([1, 2, 1], [100] * 4, dampers=[2e-12, 0, 0, 2e-12], grounded=[0, 3, 0])
    found = [p.frequency_hz for p in eb.frf(eb.load(document), f"x{middle}", f"x{middle}").peaks]
    assert found == pytest.approx([0.97599444, 2.57475963], rel=1e-6)  # the two of the damped middle


def test_a_large_model_says_where_its_modes_end():
    """30 equal masses: 20 modes are known, w_j = 2 sqrt(k/m) sin(j pi / 62)."""
    model = eb.load(chain([1.0] * 30, [100.0] * 31))
    r = eb.frf(model, "x0", "x0", (0.05, 10, 30), solver="sparse")
    known = 20 * np.sin(20 * np.pi / 62) / (2 * np.pi)
    assert any(f"to {known:.6g} Hz: above" in note for note in r.notes)
    modes = 20 * np.sin(np.arange(1, 21) * np.pi / 62) / (2 * np.pi)
    assert [hz for hz in infinite(r) if hz < known * 1.001] == pytest.approx(list(modes), rel=1e-9)
    assert not any("above" in note for note in eb.frf(model, "x0", "x0", (0.05, 1.0, 30), solver="sparse").notes)


def test_rounding_far_above_the_modes_makes_no_peaks():
    """Above w = 2 sqrt(k/m) the response of a chain falls with every mass and with the frequency: nothing resonates."""
    model = eb.load(chain([1.0] * 80, [1e4] * 81))
    peaks = eb.frf(model, "x3", "x70").peaks
    assert len(peaks) == 80
    assert all(np.isinf(peak.magnitude) for peak in peaks)


# ---- the same decision elsewhere


@pytest.mark.parametrize("coupling", [1e-3, 1e-6, 1e-10])
def test_a_stationary_response_is_refused_on_a_pole_that_is_driven_however_weakly(coupling):
    model = eb.load(chain([1, 1], [400, 100 * coupling, 100]))
    with pytest.raises(eb.InputError, match="on an undamped pole"):
        eb.response(
            model, eb.HarmonicInput("x0", eb.modes(model).frequency_hz[0]), times=(1, 10), outputs="x0", stationary=True
        )


def test_a_growing_mode_that_no_output_sees_is_said_to_be_unseen():
    """Two oscillators beside each other, one with a damper of -1."""
    model = eb.load(chain([1, 1], [100, 0, 100], grounded=[1, -1]))
    (note,) = eb.frf(model, "x0", "x0").notes
    assert "which none of these outputs sees" in note
    assert any(text.startswith("Unstable") for text in eb.frf(model, "x0", "x1").notes)
