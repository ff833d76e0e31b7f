"""Optimization: known optima, exact placement, repeated modes, honest failure, gradients against differences."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import eigenbody as eb
from eigenbody.analyses.design.designs import DesignSpace, differences
from eigenbody.analyses.design.optimize import find as optimizing
from eigenbody.analyses.design.optimize.find import optimize
from eigenbody.analyses.design.problem import read_problem
from eigenbody.base.progress import listening
from eigenbody.model.model import InertModel
from eigenbody.model.source import read

EXAMPLES = Path(__file__).parents[3] / "examples"
MU = 0.05


def absorber(**values: float) -> InertModel:
    return eb.load(EXAMPLES / "vibration_absorber.yaml").with_values(values)


def chain(n: int, **springs: Any) -> InertModel:
    """Masses of 1 kg in a row, joined by springs k1, k2, ... and to the ground on the left."""
    document: dict[str, Any] = {"eigenbody": 1, "parameters": dict(springs), "bodies": {}, "joints": {}, "forces": {}}
    document["measures"] = {}
    for i in range(1, n + 1):
        document["bodies"][f"m{i}"] = {"mass": 1, "at": [i, 0, 0]}
        document["joints"][f"s{i}"] = {
            "type": "prismatic", "between": ["ground", f"m{i}"], "at": [i, 0, 0], "axis": [1, 0, 0],
        }  # fmt: skip
        if i == 1:
            document["forces"]["f1"] = {"type": "spring", "along": "s1", "k": "=k1"}
        else:
            between = {"type": "displacement", "between": [f"m{i - 1}", f"m{i}"], "axis": [1, 0, 0]}
            document["measures"][f"d{i}"] = between
            document["forces"][f"f{i}"] = {"type": "spring", "along": f"d{i}", "k": f"=k{i}", "free": 1}
    return eb.load(document)


# Known optima ---------------------------------------------------------------------------------------------------------
def exact_absorber(mu: float) -> tuple[float, float, float]:
    """Tuning, damping ratio and least peak: Nishihara and Asami 2002, closed forms; the peak on a grid."""
    root = np.sqrt(4 + 3 * mu)
    tuning = (
        2 / (1 + mu) * np.sqrt(2 * (16 + 23 * mu + 9 * mu**2 + 2 * (2 + mu) * root) / (3 * (64 + 80 * mu + 27 * mu**2)))
    )
    damping = 0.25 * np.sqrt((8 + 9 * mu - 4 * root) / (1 + mu))
    return tuning, damping, _peak(mu, tuning, damping)


def _peak(mu: float, tuning: float, damping: float) -> float:
    """Largest |X / F| of unit mass and stiffness with an absorber, on a fine grid."""
    w = np.linspace(0.7, 1.3, 400_001)
    upper = tuning**2 - w**2 + 2j * damping * tuning * w
    return float(np.abs(upper / ((1 - w**2) * upper - mu * w**2 * (tuning**2 + 2j * damping * tuning * w))).max())


@pytest.mark.parametrize(("k", "c"), [(8.0, 0.02), (0.1, 1.5)])
def test_absorber_reaches_the_exact_optimum_from_a_bad_start(k: float, c: float) -> None:
    found = optimize(absorber(k=k, c=c), EXAMPLES / "problems/vibration_absorber.yaml")
    tuning, damping, peak = exact_absorber(MU)
    assert found.success
    assert np.sqrt(found["k"]) == pytest.approx(tuning, rel=1e-8)
    assert found["c"] / (2 * np.sqrt(found["k"])) == pytest.approx(damping, rel=1e-7)
    assert found.objective_after == pytest.approx(peak, rel=1e-9)
    assert f"{np.sqrt(found['k']):.6f}" == "0.952372"
    assert f"{found['c'] / (2 * np.sqrt(found['k'])):.6f}" == "0.133938"
    assert found.residual < 1e-6


def test_absorber_peaks_are_equal() -> None:
    found = optimize(absorber(), EXAMPLES / "problems/vibration_absorber.yaml")
    peaks = [p.magnitude for p in eb.frf(found.model, frequencies_hz=(0.05, 0.5, 400)).peaks]
    assert len(peaks) == 2
    assert peaks[0] == pytest.approx(peaks[1], rel=1e-9)


def test_white_noise_absorber() -> None:
    """Least RMS of the machine under white noise of force: Warburton 1982."""
    problem = {
        "variables": {"k": {"from": 0.1, "to": 10, "scale": "log"}, "c": {"from": 0.01, "to": 2, "scale": "log"}},
        "objective": {"minimize": {"rms": {"input": "push", "output": "y", "density": 3}}},
    }
    found = optimize(absorber(), problem)
    tuning = np.sqrt(1 + MU / 2) / (1 + MU)
    damping = np.sqrt(MU * (1 + 3 * MU / 4) / (4 * (1 + MU) * (1 + MU / 2)))
    assert np.sqrt(found["k"]) == pytest.approx(tuning, rel=1e-6)
    assert found["c"] / (2 * np.sqrt(found["k"])) == pytest.approx(damping, rel=1e-6)


def test_most_damping_of_every_mode() -> None:
    """The least damping ratio is greatest where the two pairs of eigenvalues meet (a defective point)."""
    problem = {
        "variables": {"k": {"from": 0.1, "to": 10, "scale": "log"}, "c": {"from": 0.01, "to": 2, "scale": "log"}},
        "objective": {"maximize": {"damping_ratio": {"mode": "all"}}},
    }
    found = optimize(absorber(k=1, c=0.1), problem)
    # (s^2 + 2 zeta w s + w^2)^2 is the characteristic polynomial: zeta = sqrt(mu) / 2, k = 1 / (1 + mu)^2. Eigenvalues
    # part with the root of the distance from there, so the last per mille is out of reach of derivatives.
    assert found["k"] == pytest.approx((1 + MU) ** -2, rel=1e-3)
    assert found.objective_after == pytest.approx(0.5 * np.sqrt(MU), rel=1e-2)


# Placement ------------------------------------------------------------------------------------------------------------
def test_frequency_is_placed_exactly() -> None:
    model = chain(3, k1=100.0, k2=200.0, k3=150.0)
    problem = {
        "variables": {"k1": {"from": 50, "to": 500}, "k3": {"from": 50, "to": 500, "scale": "log"}},
        "constraints": [
            {"frequency": {"mode": 1}, "equals": 0.9},
            {"frequency": {"near": "3 Hz"}, "equals": "2.8 Hz"},
        ],
    }
    found = optimize(model, problem)
    hz = eb.modes(found.model).frequency_hz
    assert found.success
    assert hz[0] == pytest.approx(0.9, rel=1e-10)
    assert hz[1] == pytest.approx(2.8, rel=1e-10) or hz[2] == pytest.approx(2.8, rel=1e-10)


def test_what_cannot_be_reached_is_said_with_the_nearest() -> None:
    model = chain(1, k1=100.0)
    problem = {"variables": {"k1": {"from": 50, "to": 400}}, "constraints": [{"frequency": {"mode": 1}, "equals": 5}]}
    found = optimize(model, problem)
    nearest = np.sqrt(400) / (2 * np.pi)
    assert not found.success
    assert f"{nearest:.6f}"[:7] in found.message
    assert found.constraints[0].after[0] == pytest.approx(nearest, rel=1e-8)


def test_least_mass_with_a_linear_constraint() -> None:
    model = eb.load({
        "eigenbody": 1, "parameters": {"m": 2, "k": 100},
        "bodies": {"a": {"mass": "=m", "at": [0, 0, 0]}},
        "joints": {"s": {"type": "prismatic", "between": ["ground", "a"], "at": [0, 0, 0], "axis": [1, 0, 0]}},
        "forces": {"f": {"type": "spring", "along": "s", "k": "=k"}},
    })  # fmt: skip
    problem = {
        "variables": {"m": {"from": 0.1, "to": 10}, "k": {"from": 10, "to": 1000}},
        "objective": {"minimize": {"mass": "all"}},
        "constraints": [{"frequency": {"mode": 1}, "max": 1}, {"linear": {"k": 1, "m": 10}, "min": 80}],
    }
    found = optimize(model, problem)  # k = (2 pi)^2 m and k + 10 m = 80
    assert found["m"] == pytest.approx(80 / (10 + 4 * np.pi**2), rel=1e-8)
    assert {c.is_active for c in found.constraints} == {True}


def test_modes_leave_a_band() -> None:
    model = chain(2, k1=100.0, k2=100.0)
    middle = float(eb.modes(model).frequency_hz[0])
    band = [0.95 * middle, 1.2 * middle]
    problem = {
        "variables": {"k1": {"from": 20, "to": 500}, "k2": {"from": 20, "to": 500}},
        "constraints": [{"frequencies_outside": band}],
    }
    found = optimize(model, problem)
    hz = eb.modes(found.model).frequency_hz
    assert found.success
    assert ((hz <= band[0] * (1 + 1e-6)) | (hz >= band[1] * (1 - 1e-6))).all()


def test_a_band_is_left_where_nothing_oscillates() -> None:
    """A free body has no frequency that could be in the band: the lightest design is the answer, and prints itself."""
    model = eb.load({"eigenbody": 1, "bodies": {"a": {"mass": 2, "inertia": [1, 1, 1], "at": [0, 0, 0]}}})
    problem = {
        "variables": {"bodies.a.mass": {"from": 1, "to": 4}},
        "objective": {"minimize": {"mass": "all"}},
        "constraints": [{"frequencies_outside": [9, 11]}],
    }
    found = optimize(model, problem)
    assert (found.success, found["bodies.a.mass"]) == (True, pytest.approx(1, rel=1e-9))
    assert found.constraints[0].holds
    assert "9 to 11" in str(found)


# Repeated modes and modes that change places --------------------------------------------------------------------------
def test_lowest_frequency_is_raised_until_modes_are_repeated() -> None:
    """A mass on springs in three directions with k1 + k2 + k3 given: all three frequencies equal."""
    model = eb.load({
        "eigenbody": 1, "parameters": {"a": 10, "b": 300, "c": 90},
        "bodies": {"m": {"mass": 2, "at": [0, 0, 0]}},
        "forces": {"f": {"type": "bushing", "between": ["ground", "m"], "at": [0, 0, 0],
                         "k": ["=a", "=b", "=c", 0, 0, 0], "c": [0, 0, 0, 0, 0, 0]}},
    })  # fmt: skip
    problem = {
        "variables": {name: {"from": 1, "to": 500} for name in "abc"},
        "objective": {"maximize": {"frequency": {"mode": "all"}}},
        "constraints": [{"linear": {"a": 1, "b": 1, "c": 1}, "max": 300}],
    }
    found = optimize(model, problem)
    assert [found[name] for name in "abc"] == pytest.approx([100, 100, 100], rel=1e-6)
    assert found.objective_after == pytest.approx(np.sqrt(50) / (2 * np.pi), rel=1e-6)


def test_a_mode_is_followed_by_its_shape_past_another() -> None:
    """The mode along x is asked for; on the way its frequency passes that of the mode along y."""
    model = eb.load({
        "eigenbody": 1, "parameters": {"a": 50},
        "bodies": {"m": {"mass": 1, "at": [0, 0, 0]}},
        "forces": {"f": {"type": "bushing", "between": ["ground", "m"], "at": [0, 0, 0],
                         "k": ["=a", 100, 900, 0, 0, 0], "c": [0, 0, 0, 0, 0, 0]}},
    })  # fmt: skip
    hz = 2.5
    asked = lambda way: {  # noqa: E731
        "variables": {"a": {"from": 10, "to": 800}}, "constraints": [{"frequency": way, "equals": hz}],
    }  # fmt: skip
    found = optimize(model, asked({"mode": 1}))
    assert found["a"] == pytest.approx((2 * np.pi * hz) ** 2, rel=1e-9)
    by_place = optimize(model, asked({"order": 1}))  # the lowest of all stays below that along y
    assert not by_place.success
    assert by_place.constraints[0].after[0] == pytest.approx(10 / (2 * np.pi), rel=1e-6)


def test_stewart_platform_improves_with_all_modes_in_the_band() -> None:
    """Closed loops, twelve variables, a pair of modes repeated at the lower end of the band from the first steps on."""
    model = eb.load(EXAMPLES / "stewart_platform.yaml")
    found = optimize(model, {**read(EXAMPLES / "problems/stewart_platform.yaml").data, "iterations": 4})
    hz = eb.modes(found.model).frequency_hz
    peak = max(p.magnitude for p in eb.frf(found.model, frequencies_hz=(0.5, 50, 300)).peaks)
    assert found.success
    assert len(found.variables) == 12
    assert hz.min() >= 3.5 * (1 - 1e-6)
    assert hz.max() <= 6.5 * (1 + 1e-6)
    assert found.objective_before == pytest.approx(10.6636, abs=1e-4)
    assert found.objective_after == pytest.approx(peak, rel=1e-6)
    assert peak < 4


# Starts, interruption, gradients --------------------------------------------------------------------------------------
def test_many_starts_give_the_same_result_again() -> None:
    problem = {
        "variables": {"k": {"from": 0.05, "to": 20, "scale": "log"}, "c": {"from": 0.01, "to": 2, "scale": "log"}},
        "objective": {"minimize": {"frf_peak": {"from": 0.05, "to": 0.5}}},
        "starts": 5, "refine": 1,
    }  # fmt: skip
    first, second = optimize(absorber(), problem), optimize(absorber(), problem)
    assert first.values == second.values
    assert np.sqrt(first["k"]) == pytest.approx(0.952372044, abs=1e-7)


def test_interruption_keeps_the_best_so_far() -> None:
    heard = []

    def stop(stage: str, share: float | None) -> None:
        heard.append(stage)
        if stage.startswith("improving:") and sum(s.startswith("improving:") for s in heard) == 4:
            raise KeyboardInterrupt

    with listening(stop):
        found = optimize(absorber(), EXAMPLES / "problems/vibration_absorber.yaml")
    assert not found.success
    assert "Interrupted" in found.message
    assert found.objective_after is not None
    assert found.objective_before is not None
    assert found.objective_after < found.objective_before


def test_exact_gradients_agree_with_differences() -> None:
    model = eb.load(EXAMPLES / "stewart_platform.yaml")
    names = ("rb", "ap", "h", "k3", "c", "bodies.platform.mass")
    space = DesignSpace.of(model, names, ["push"], ["felt"])
    x = np.array([0.52, 0.25, 0.41, 9000.0, 30.0, 31.0])
    design = space.at(x)
    for exact, numeric in zip(design.slopes, differences(space, x), strict=True):
        assert exact == pytest.approx(numeric, rel=1e-6, abs=1e-7 * max(np.abs(numeric).max(), 1e-300))


def test_slopes_of_every_quantity_agree_with_differences() -> None:
    problem = {
        "variables": {
            "k": {"from": 0.05, "to": 20}, "c": {"from": 0.01, "to": 2},
            "bodies.absorber.mass": {"from": 0.01, "to": 1, "start": 0.05},
        },
        "objective": {"minimize": [
            {"frf_peak": {"from": 0.05, "to": 0.5}}, {"rms": {}},
            {"frf": {"at": 0.2}, "weight": 2}, {"mass": ["absorber"]},
        ]},
        "constraints": [
            {"frequency": {"mode": 2}, "max": 9}, {"damping_ratio": {"mode": 1}, "max": 1},
            {"real_part": "all", "max": 0},
            {"linear": {"k": 2, "c": -1}, "max": 99}, {"frequencies_outside": [0.3, 0.4]},
        ],
    }  # fmt: skip
    task, space = read_problem(absorber(k=0.9, c=0.2), problem)
    x, places = np.array([0.9, 0.2, 0.05]), {0: 0, 1: 1}
    for quantity in task.quantities:
        slopes = quantity.parts(space.at(x), places, True).slopes
        assert slopes is not None
        for i, h in enumerate(1e-4 * x):
            step = np.eye(3)[i] * h
            four = [quantity.parts(space.at(x + k * step), places).values for k in (-2, -1, 1, 2)]
            numeric = (four[0] - 8 * four[1] + 8 * four[2] - four[3]) / (12 * h)
            assert slopes[:, i] == pytest.approx(numeric, rel=1e-6, abs=1e-7), quantity.label


# Faults ---------------------------------------------------------------------------------------------------------------
def test_all_faults_at_once() -> None:
    problem = {
        "variables": {"kk": {"from": 1, "to": 2}, "c": {"from": 3, "to": 1}},
        "objective": {"minimize": {"frf_peak": {"input": "pusch", "output": "y", "from": 1, "to": 2}}},
        "constraints": [
            {"frequenzy": {"mode": 1}, "max": 3}, {"mass": ["absorbr"], "max": 1}, {"frequency": {"mode": 1}},
        ],
        "startz": 3,
    }  # fmt: skip
    with pytest.raises(eb.InputError) as error:
        optimize(absorber(), problem)
    text = str(error.value)
    for part in ('"kk"', "from 3 to 1", "pusch", 'Did you mean "push"', '"frequenzy"', 'Did you mean "frequency"',
                 "absorbr", "no bound is given", 'Did you mean "starts"'):  # fmt: skip
        assert part in text


def test_rigid_and_missing_modes_are_refused() -> None:
    variables = {"k": {"from": 1, "to": 20}}
    with pytest.raises(eb.InputError, match="there is no mode 7"):
        optimize(absorber(), {"variables": variables, "constraints": [{"frequency": {"mode": 7}, "min": 1}]})
    with pytest.raises(eb.InputError, match="nothing is asked for"):
        optimize(absorber(), {"variables": variables})


# The conditions of optimality -----------------------------------------------------------------------------------------
def oscillator(k: str) -> InertModel:
    """m = 1: the frequency is sqrt(k) / 2 pi."""
    return eb.load({
        "eigenbody": 1, "parameters": {"p": 0.3, "q": 0.8}, "bodies": {"a": {"mass": 1, "at": [0, 0, 0]}},
        "joints": {"s": {"type": "prismatic", "between": ["ground", "a"], "at": [0, 0, 0], "axis": [1, 0, 0]}},
        "forces": {"f": {"type": "spring", "along": "s", "k": k, "c": 0.1}},
    })  # fmt: skip


LOWEST = {"objective": {"minimize": {"frequency": {"mode": 1}}}}
BEST = "A best design was found."
BOWL = "=100*(1 + (p - 0.7)**2 + (q - 0.2)**2 + p*q)"  # least at p = 0.8, q = -0.2: k = 101


def test_a_smooth_optimum_inside_the_ranges_is_one() -> None:
    found = optimize(oscillator(BOWL), {"variables": {n: {"from": -2, "to": 2} for n in "pq"}} | LOWEST)
    assert [found["p"], found["q"]] == pytest.approx([0.8, -0.2], abs=1e-8)
    assert found.objective_after == pytest.approx(np.sqrt(101) / (2 * np.pi), rel=1e-12)
    assert found.message == BEST
    assert found.residual < 1e-9


def test_an_optimum_at_a_bound_missed_by_rounding_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Least at p = 0, q = 0; the search ends 1e-12 beside, as solvers do."""
    monkeypatch.setattr(optimizing, "_rounds", lambda task, form, u, run: form.point(np.full(2, 1e-12)))
    problem = {"variables": {n: {"from": 0, "to": 1} for n in "pq"}} | LOWEST
    found = optimize(oscillator("=100*(1 + 0.1*p + q)"), problem)
    assert found.message == BEST
    assert found.values == {"p": 0.0, "q": 0.0}
    monkeypatch.setattr(optimizing, "_sharpen", lambda form: None)
    beside = optimize(oscillator("=100*(1 + 0.1*p + q)"), problem)
    assert beside.values == {"p": 1e-12, "q": 1e-12}
    assert beside.message == BEST


def test_a_minimax_optimum_is_one() -> None:
    """Both peaks equal: neither slope vanishes, no step lowers both."""
    found = optimize(absorber(), EXAMPLES / "problems/vibration_absorber.yaml")
    assert found.message == BEST
    assert found.residual < 1e-7


@pytest.mark.parametrize("p", [0.75, 0.81, 1.5])
def test_a_search_that_was_stopped_says_so(monkeypatch: pytest.MonkeyPatch, p: float) -> None:
    """Least at p = 0.8. d ln f = dk / 2 k, to first order the sum over both variables; 1 % of each range is 0.04."""
    monkeypatch.setattr(optimizing, "_rounds", lambda task, form, u, run: form.point(u))
    monkeypatch.setattr(optimizing, "_sharpen", lambda form: None)
    monkeypatch.setattr(optimizing, "_better_beside", lambda form: None)
    variables = {"p": {"from": -2, "to": 2, "start": p}, "q": {"from": -2, "to": 2, "start": -0.2}}
    found = optimize(oscillator(BOWL), {"variables": variables} | LOWEST)
    assert "stopped before" in found.message
    by_p, by_q, k = 2 * (p - 0.7) - 0.2, 2 * (-0.2 - 0.2) + p, 1 + (p - 0.7) ** 2 + 0.16 - 0.2 * p
    assert found.residual == pytest.approx(0.04 * (abs(by_p) + abs(by_q)) / (2 * k), rel=1e-9)
    assert any("promises another" in note for note in found.notes)


def test_a_start_where_the_slope_vanishes_is_left_for_the_optimum() -> None:
    """k is greatest at the start p = 0.3; least at the farther end of the range."""
    found = optimize(oscillator("=100*(3 - (p - 0.3)**2)"), {"variables": {"p": {"from": -0.5, "to": 1.5}}} | LOWEST)
    assert found["p"] in (-0.5, 1.5)
    assert found.message == BEST


def mirrored(pushed: str) -> InertModel:
    """Masses 1, 2, 1 on four springs, the outer two to find, a damper on the middle mass: against each other the outer
    masses swing undamped."""
    walls = ["ground", "m1", "m2", "m3", "ground"]
    document: dict[str, Any] = {"eigenbody": 1, "parameters": {"k": 100}, "bodies": {}, "joints": {}, "forces": {}}
    for i, mass in enumerate((1, 2, 1), 1):
        document["bodies"][f"m{i}"] = {"mass": mass, "at": [i, 0, 0]}
        place = {"between": ["ground", f"m{i}"], "at": [i, 0, 0], "axis": [1, 0, 0]}
        document["joints"][f"x{i}"] = {"type": "prismatic", **place}
    for i, k in enumerate(("=k", 100, 100, "=k")):
        document["forces"][f"k{i}"] = {
            "type": "spring", "between": walls[i : i + 2], "at": [[i, 0, 0], [i + 1, 0, 0]], "free_length": 1, "k": k,
        }  # fmt: skip
    document["forces"]["c"] = {"type": "spring", "along": "x2", "k": 0, "c": 1}
    return eb.load(document | {"inputs": {"push": {"along": pushed}}, "outputs": {"y": {"measure": pushed}}})


def test_an_undamped_mode_matters_where_the_input_drives_it() -> None:
    """As in the frequency response: pushed in the middle there is a peak to lower, pushed outside it is infinite."""
    problem = {
        "variables": {"k": {"from": 50, "to": 200}},
        "objective": {"minimize": {"frf_peak": {"input": "push", "output": "y", "from": 0.5, "to": 4}}},
    }
    found = optimize(mirrored("x2"), problem)
    peaks = [p.magnitude for p in eb.frf(found.model, frequencies_hz=(0.5, 4, 400)).peaks]
    assert found.objective_after == pytest.approx(max(peaks), rel=1e-6)
    with pytest.raises(eb.ComputationError, match="undamped mode is excited in the band"):
        optimize(mirrored("x1"), problem)
    assert np.isinf([p.magnitude for p in eb.frf(mirrored("x1"), frequencies_hz=(0.5, 4, 400)).peaks]).any()
