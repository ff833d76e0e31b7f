"""Studies: Sobol indices, correlations, probabilities with closed forms; modes that keep their names; failed points."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

import eigenbody as eb
from eigenbody.analyses.design.study.sampling import saltelli_rows
from eigenbody.analyses.design.study.statistics import regressed, sobol_indices
from eigenbody.model.model import InertModel

EXAMPLES = Path(__file__).parents[3] / "examples"


def oscillators() -> InertModel:
    """Two masses on springs that know nothing of each other."""
    slide = {"type": "prismatic", "at": [0, 0, 0], "axis": [1, 0, 0]}
    return eb.load({
        "eigenbody": 1, "name": "two", "parameters": {"m": 2.0, "k": 50.0, "n": 1.0, "j": 80.0, "c": 0.5},
        "bodies": {"a": {"mass": "=m", "at": [0, 0, 0]}, "b": {"mass": "=n", "at": [0, 0, 0]}},
        "joints": {"s": {**slide, "between": ["ground", "a"]}, "r": {**slide, "between": ["ground", "b"]}},
        "forces": {"f": {"type": "spring", "along": "s", "k": "=k", "c": "=c"},
                   "g": {"type": "spring", "along": "r", "k": "=j", "c": "=c"}},
        "inputs": {"u": {"along": "s"}}, "outputs": {"y": {"measure": "s"}},
    })  # fmt: skip


def pendulum() -> InertModel:
    """An inverted pendulum of one metre and one kilogram that a spring of moment holds: stable where k > m g l."""
    return eb.load({
        "eigenbody": 1, "name": "inverted pendulum", "gravity": [0, 0, -9.81], "parameters": {"k": 12.0, "c": 0.1},
        "bodies": {"bob": {"mass": 1.0, "at": [0, 0, 1]}},
        "joints": {"pin": {"type": "revolute", "between": ["ground", "bob"], "at": [0, 0, 0], "axis": [1, 0, 0]}},
        "forces": {"f": {"type": "spring", "along": "pin", "k": "=k", "c": "=c"}},
        "inputs": {"u": {"along": "pin"}}, "outputs": {"y": {"measure": "pin"}},
    })  # fmt: skip


# Sobol indices --------------------------------------------------------------------------------------------------------
def ishigami(x: np.ndarray, a: float = 7.0, b: float = 0.1) -> np.ndarray:
    return np.sin(x[:, 0]) + a * np.sin(x[:, 1]) ** 2 + b * x[:, 2] ** 4 * np.sin(x[:, 0])


def test_indices_of_the_ishigami_function() -> None:
    """Ishigami & Homma 1990: V = a^2/8 + b pi^4/5 + b^2 pi^8/18 + 1/2, V1 = (1 + b pi^4/5)^2/2, V2 = a^2/8,
    V13 = b^2 pi^8 (1/18 - 1/50)."""
    a, b = 7.0, 0.1
    V1, V2, V13 = 0.5 * (1 + b * np.pi**4 / 5) ** 2, a**2 / 8, b**2 * np.pi**8 * (1 / 18 - 1 / 50)
    V = V1 + V2 + V13
    n = 2**13
    u = stats.qmc.Sobol(6, seed=3).random_base2(13)
    x = np.pi * (2 * saltelli_rows(u[:, :3], u[:, 3:]) - 1)
    found = sobol_indices(ishigami(x), 3)
    assert found is not None
    assert found.base_points == n
    first, total = np.array([V1, V2, 0.0]) / V, np.array([V1 + V13, V2, V13]) / V
    np.testing.assert_allclose(found.first, first, atol=5e-3)
    np.testing.assert_allclose(found.total, total, atol=5e-3)
    for low, exact, high in ((found.first_low, first, found.first_high), (found.total_low, total, found.total_high)):
        assert (low <= exact).all()
        assert (exact <= high).all()
    assert (found.first_high - found.first_low < 0.1).all()


def test_indices_are_those_of_scipy() -> None:
    """The same estimators on the same points, by another hand."""
    u = stats.qmc.Sobol(6, seed=1).random_base2(8)
    values = ishigami(np.pi * (2 * saltelli_rows(u[:, :3], u[:, 3:]) - 1))
    block = values.reshape(-1, 5)
    theirs = stats.sobol_indices(
        func={"f_A": block[None, :, 0], "f_B": block[None, :, 1], "f_AB": block[:, 2:].T[:, None]}, n=256
    )
    found = sobol_indices(values, 3)
    assert found is not None
    np.testing.assert_allclose(found.first, np.ravel(theirs.first_order), rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(found.total, np.ravel(theirs.total_order), rtol=1e-10, atol=1e-12)


def test_base_points_with_an_unknown_value_are_left_out() -> None:
    u = stats.qmc.Sobol(6, seed=1).random_base2(8)
    values = ishigami(np.pi * (2 * saltelli_rows(u[:, :3], u[:, 3:]) - 1))
    holed = values.copy()
    holed[7] = np.nan  # of the second base point
    found, kept = sobol_indices(holed, 3), sobol_indices(np.delete(values, slice(5, 10)), 3)
    assert found is not None
    assert kept is not None
    assert found.base_points == 255
    np.testing.assert_array_equal(found.total, kept.total)


def test_indices_of_an_oscillator() -> None:
    """f = sqrt(k/m) / 2 pi with lognormal k and m is lognormal: with s^2 the variance of ln sqrt(k), ln sqrt(m), first
    order (e^s_i^2 - 1)/(e^(s_1^2 + s_2^2) - 1), total 1 less the first order of the other."""
    vary = {name: {"distribution": "lognormal", "mean": mean, "deviation": f"{share} %"}
            for name, mean, share in (("k", 50.0, 60), ("m", 2.0, 30))}  # fmt: skip
    found = eb.study(oscillators(), vary, of=["frequency[1]"], method="saltelli", points=2048, workers=1)
    indices = found.quantity("frequency[1]").indices
    assert indices is not None
    s = np.log1p(np.array([0.6, 0.3]) ** 2) / 4
    first = np.expm1(s) / np.expm1(s.sum())
    total = 1 - first[::-1]
    np.testing.assert_allclose(indices.first, first, atol=0.01)
    np.testing.assert_allclose(indices.total, total, atol=0.01)
    assert ((indices.first_low < first) & (first < indices.first_high)).all()
    assert found.done == 2048 * 4


# Regression and distributions -----------------------------------------------------------------------------------------
def test_regression_of_a_plane() -> None:
    """y = 3 a - 4 b: coefficients are the slopes in standard deviations, and explain everything."""
    x = np.random.default_rng(0).normal(size=(500, 2)) * [2.0, 1.0] + [100.0, -5.0]
    y = 3 * x[:, 0] - 4 * x[:, 1]
    lines = np.column_stack((x, y))
    found = regressed(lambda: iter([lines[:123], lines[123:]]))
    assert found is not None
    expected = np.array([3.0, -4.0]) * x.std(axis=0, ddof=1) / y.std(ddof=1)
    np.testing.assert_allclose(found.coefficients, expected, rtol=1e-11)
    assert found.r_squared == pytest.approx(1.0, abs=1e-12)


def test_regression_errors_are_those_of_scipy() -> None:
    random = np.random.default_rng(2)
    x, noise = random.normal(size=300), random.normal(size=300)
    fit = stats.linregress((x - x.mean()) / x.std(ddof=1), (z := x + noise) / z.std(ddof=1))
    found = regressed(lambda: iter([np.column_stack((x, z))]))
    assert found is not None
    assert found.coefficients[0] == pytest.approx(fit.slope, rel=1e-12)
    assert found.errors[0] == pytest.approx(fit.stderr, rel=1e-12)


def test_correlated_masses() -> None:
    """Var(m + n) = s^2 + t^2 + 2 r s t."""
    vary = {"m": {"mean": 2.0, "deviation": 0.1}, "n": {"mean": 1.0, "deviation": 0.05}}
    pairs = [("m", "n", -0.8)]
    found = eb.study(oscillators(), vary, of=["mass"], method="monte-carlo", points=4000, correlation=pairs, workers=1)
    exact = np.sqrt(0.1**2 + 0.05**2 - 2 * 0.8 * 0.1 * 0.05)
    assert found.quantity("mass").found.deviation == pytest.approx(exact, rel=0.05)  # standard error 1.1 %
    assert np.corrcoef(found.column("m"), found.column("n"))[0, 1] == pytest.approx(-0.8, abs=0.02)
    free = eb.study(oscillators(), vary, of=["mass"], method="monte-carlo", points=4000, workers=1)
    assert free.quantity("mass").found.deviation == pytest.approx(np.hypot(0.1, 0.05), rel=0.05)


@pytest.mark.parametrize(
    ("given", "law"),
    [
        ("10 %", stats.uniform(45, 10)),
        ("40..60", stats.uniform(40, 20)),
        ({"from": 40, "to": "60 N/m", "scale": "log"}, stats.loguniform(40, 60)),
        ({"deviation": "4 %"}, stats.norm(50, 2)),
        ({"tolerance": "10 %", "distribution": "normal"}, stats.norm(50, 2.5)),
        ({"mean": 50, "deviation": 5, "from": 48, "to": 60}, stats.truncnorm(-0.4, 2, 50, 5)),
        ({"from": 40, "peak": 45, "to": 60}, stats.triang(0.25, 40, 20)),
    ],
)
def test_latin_hypercube_has_one_point_in_each_part_of_a_distribution(given: Any, law: Any) -> None:
    found = eb.study(oscillators(), {"k": given, "m": "1 %"}, of=["mass"], points=50, workers=1)
    assert sorted((law.cdf(found.column("k")) * 50).astype(int)) == list(range(50))


def test_full_factorial() -> None:
    vary = {"k": {"from": 40, "to": 60, "levels": 3}, "m": [1.0, 4.0]}
    found = eb.study(oscillators(), vary, of=["frequency[1]"], method="factorial", workers=1)
    lines = list(zip(found.column("k"), found.column("m"), strict=True))
    assert lines == [(40.0, 1.0), (40.0, 4.0), (50.0, 1.0), (50.0, 4.0), (60.0, 1.0), (60.0, 4.0)]
    exact = [np.sqrt(k / m) / (2 * np.pi) for k, m in lines]
    np.testing.assert_allclose(found.column("frequency[1]"), exact, rtol=1e-12)
    assert found.instability is not None
    assert np.isnan(found.instability.high)  # levels are no distribution


# Instability ----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("method", ["latin", "sobol", "monte-carlo", "saltelli"])
def test_probability_of_instability(method: str) -> None:
    """Unstable where k < m g l = 9.81: P = Phi((9.81 - 12)/2)."""
    vary = {"k": {"mean": 12.0, "deviation": 2.0}, "c": "1 %"}
    found = eb.study(pendulum(), vary, of=["real[1]"], method=method, points=1024, workers=1)
    exact = stats.norm.cdf((9.81 - 12) / 2)
    judged = found.instability
    assert judged is not None
    assert judged.low < exact < judged.high < judged.low + 0.06
    independent = found.column("k").reshape(-1, 4)[:, :2] if method == "saltelli" else found.column("k")
    assert judged.unstable == np.sum(independent < 9.81)
    assert judged.share == judged.unstable / judged.known


def test_instability_is_not_judged_by_eigenvalues_of_an_instant() -> None:
    """The pivot of the pendulum goes up and down: its equations change with time."""
    model = eb.load(EXAMPLES / "parametric_pendulum.yaml")
    assert eb.modes(model).stability == "frozen"
    found = eb.study(model, {"l": "1 %"}, of=["mass"], points=4, workers=1)
    assert found.instability is None
    assert np.isnan(found.column("unstable")).all()
    assert "Floquet" in str(found)


# Modes that keep their names ------------------------------------------------------------------------------------------
def test_a_mode_keeps_its_name_while_frequencies_cross() -> None:
    """Mode 1 of the model is mass a: with k up to 400 it passes the other, at sqrt(80) rad/s."""
    of = ["frequency[slow]", "frequency[fast]"]
    found = eb.study(oscillators(), {"k": "20..400"}, of=of, modes={"slow": 1, "fast": 2}, points=60, workers=1)
    k = found.column("k")
    np.testing.assert_allclose(found.column("frequency[slow]"), np.sqrt(k / 2) / (2 * np.pi), rtol=1e-10)
    np.testing.assert_allclose(found.column("frequency[fast]"), np.sqrt(80) / (2 * np.pi), rtol=1e-10)
    assert found.doubtful == 0
    assert (k > 160).sum() > 20


def test_doubt_about_a_mode_is_told() -> None:
    """A pair that becomes two real eigenvalues (c > 2 sqrt(k m) = 20) has no successor of its own."""
    found = eb.study(oscillators(), {"c": "0.1..60"}, of=["frequency[1]"], points=40, workers=1)
    over = found.column("c") > 20.0
    np.testing.assert_array_equal(found.column("doubtful") == 1, over)
    assert found.doubtful == over.sum() > 20
    assert "which mode is which" in str(found)


# Points that fail -----------------------------------------------------------------------------------------------------
def test_a_point_that_fails_is_kept_with_its_reason() -> None:
    """Peaks of unstable designs are no response; what else is known of them stays."""
    found = eb.study(pendulum(), {"k": [8.0, 12.0]}, of=["peak(y/u, 0.1..10 Hz)", "real[1]"], method="factorial")
    assert np.isnan(found.column("peak(y/u, 0.1..10 Hz)")).tolist() == [True, False]
    assert np.isfinite(found.column("real[1]")).all()
    assert "unstable" in found.column("failure")[0]
    assert found.column("failure")[1] == ""
    assert sum(found.failures.values()) == 1


def test_a_design_without_operating_point_does_not_end_the_study() -> None:
    found = eb.study(oscillators(), {"m": [-1.0, 2.0, 3.0]}, of=["frequency[1]"], method="factorial")
    assert np.isnan(found.column("frequency[1]")).tolist() == [True, False, False]
    assert found.column("failure")[0]
    assert found.instability is not None
    assert found.instability.failed == 1


# One result wherever computed -----------------------------------------------------------------------------------------
def test_the_same_bits_by_processes_and_through_a_store(tmp_path: Path) -> None:
    asked = {"vary": {"k": "20 %", "j": "20 %"}, "of": ["frequency[1]", "peak(y/u)"], "points": 200}
    alone = eb.study(oscillators(), **asked, workers=1)
    shared = eb.study(oscillators(), **asked, workers=2)
    kept = eb.study(oscillators(), **asked, workers=2, store=tmp_path)
    again = eb.study(tmp_path)  # without the model
    for other in (shared, kept, again):
        assert other.document() == alone.document()
        for name in alone.lines.columns:
            np.testing.assert_array_equal(other.column(name), alone.column(name))


def test_a_study_file(tmp_path: Path) -> None:
    """The example, from its file and from Python; unstable beyond 4.29 and 6.02 m/s where nothing else varies."""
    path = EXAMPLES / "problems" / "bicycle_study.yaml"
    command = [sys.executable, "-m", "eigenbody", "study", str(path), "--points", "200", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    document = json.loads(done.stdout)
    vary = {"v": "3..8", "c": {"mean": 0.08, "deviation": "10 %"},
            "tilt": {"from": "14 deg", "to": "22 deg", "peak": "18 deg"}, "w": "5 %"}  # fmt: skip
    of = ["damping[weave]", "real[weave]", "real[capsize]"]
    model = EXAMPLES / "whipple_bicycle.yaml"
    found = eb.study(model, vary, of, points=200, modes={"weave": 8, "capsize": 7}, workers=1)
    assert document == json.loads(json.dumps(found.document()))
    alone = eb.study(model, {"v": {"from": 3, "to": 8, "levels": 101}}, of, method="factorial",
                     modes={"weave": 8, "capsize": 7}, workers=1)  # fmt: skip
    v, grows = alone.column("v"), alone.column("unstable") == 1
    np.testing.assert_array_equal(grows, (v < 4.29238) | (v > 6.02426))  # Meijaard et al. 2007


# What is written wrong ------------------------------------------------------------------------------------------------
def test_every_fault_at_once() -> None:
    with pytest.raises(eb.InputError) as error:
        eb.study(
            oscillators(), {"kk": "5 %", "m": {"from": 3, "to": 1}, "n": {"mean": 1, "spread": 2}, "c": "much"},
            of=["speed[1]", "frequency[9]"], method="grid", points=0, correlation=[("m", "x", 2.0)],
        )  # fmt: skip
    text = str(error.value)
    for part in ('"kk"', "from 3 to 1", '"spread"', '"much"', '"speed[1]"', '"grid"', "points", '"x"', "2.0"):
        assert part in text


@pytest.mark.parametrize(
    ("changes", "word"),
    [
        ({"of": ["frequency[nobody]"]}, "nobody"),
        ({"of": ["frequency[9]"]}, "no mode 9"),
        ({"of": ["peak(y/x)"]}, '"x"'),
        ({"of": ["mass", "mass"]}, "twice"),
        ({"of": [{"frequency": {"mode": [1, 2]}}]}, "several modes"),
        ({"method": "saltelli", "correlation": [("k", "m", 0.5)]}, "correlated"),
        ({"method": "factorial", "points": 9}, "combinations"),
        ({"correlation": [("k", "m", 1.5)]}, "correlation"),
        ({"workers": 0}, "workers"),
    ],
)
def test_a_fault_is_named(changes: dict[str, Any], word: str) -> None:
    asked: dict[str, Any] = {"vary": {"k": "5 %", "m": "5 %"}, "of": ["mass"], **changes}
    with pytest.raises(eb.InputError, match=word):
        eb.study(oscillators(), **asked)


def test_correlations_that_cannot_be() -> None:
    pairs = [("k", "m", 0.9), ("m", "c", 0.9), ("k", "c", -0.9)]
    with pytest.raises(eb.InputError, match="positive definite"):
        eb.study(oscillators(), {"k": "5 %", "m": "5 %", "c": "5 %"}, of=["mass"], correlation=pairs)


def test_a_folder_of_something_else(tmp_path: Path) -> None:
    eb.variants(oscillators(), {"k": [40.0, 60.0]}, store=tmp_path)
    with pytest.raises(eb.InputError, match="variants"):
        eb.study(tmp_path)
