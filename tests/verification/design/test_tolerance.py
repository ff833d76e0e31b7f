"""Tolerance bands and model updating: closed forms, agreement of the two methods, recovered parameters."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import eigenbody as eb
from eigenbody.analyses.design.tolerance.find import tolerance
from eigenbody.analyses.design.update import update
from eigenbody.analyses.linearize.ports import ports
from eigenbody.model.model import InertModel

EXAMPLES = Path(__file__).parents[3] / "examples"
M, K, C = 2.0, 50.0, 0.8


def oscillator() -> InertModel:
    return eb.load({
        "eigenbody": 1, "parameters": {"m": M, "k": K, "c": C},
        "bodies": {"a": {"mass": "=m", "at": [0, 0, 0]}},
        "joints": {"s": {"type": "prismatic", "between": ["ground", "a"], "at": [0, 0, 0], "axis": [1, 0, 0]}},
        "forces": {"f": {"type": "spring", "along": "s", "k": "=k", "c": "=c"}},
    })  # fmt: skip


# Bands ----------------------------------------------------------------------------------------------------------------
def test_first_order_of_an_oscillator() -> None:
    """f = sqrt(k/m) / 2 pi: d ln f = (d ln k - d ln m) / 2; zeta = c / 2 sqrt(k m)."""
    found = tolerance(oscillator(), {"k": "4 %", "m": 0.1, "c": "10 %"})
    f = np.sqrt(K / M) / (2 * np.pi)
    band = found.band("frequency of mode 1")
    assert band.nominal == pytest.approx(f, rel=1e-12)
    assert band.upper - band.nominal == pytest.approx(f * (0.02 + 0.025), rel=1e-9)
    assert band.deviation == pytest.approx(f * np.hypot(0.02, 0.025) / np.sqrt(3), rel=1e-9)
    assert band.shares["k"] == pytest.approx(0.02**2 / (0.02**2 + 0.025**2), rel=1e-9)
    damping = found.band("damping ratio of mode 1")
    zeta = C / (2 * np.sqrt(K * M))
    assert damping.upper - damping.nominal == pytest.approx(zeta * (0.1 + 0.02 + 0.025), rel=1e-9)


def test_monte_carlo_agrees_with_first_order_for_small_tolerances() -> None:
    model = eb.load(EXAMPLES / "stewart_platform.yaml")
    vary: dict[str, str | float] = {"k1": "1 %", "h": 0.001, "bodies.platform.mass": "1 %"}
    first = tolerance(model, vary)
    drawn = tolerance(model, vary, "monte-carlo", samples=1000, seed=7)
    for a, b in zip(first.bands, drawn.bands, strict=True):
        assert a.label == b.label
        assert b.deviation == pytest.approx(a.deviation, rel=0.1)  # 1000 samples: 2 % of standard error
        assert a.lower - 0.02 * a.deviation <= b.lower <= b.upper <= a.upper + 0.02 * a.deviation


def test_band_of_a_bicycle_by_the_tilt_of_its_steering_axis() -> None:
    """Rolling wheels: rows of velocity that one number alone does not move, beside rows that it does."""
    model = eb.load(EXAMPLES / "whipple_bicycle.yaml")
    band = tolerance(model, {"tilt": 1e-4}).band("frequency of mode 8")
    ahead, behind = (eb.modes(model.with_values({"tilt": model.value_of("tilt") + s})) for s in (1e-4, -1e-4))
    assert band.upper - band.lower == pytest.approx(abs(ahead.frequency_hz[7] - behind.frequency_hz[7]), rel=1e-4)


def test_exact_distribution_of_an_oscillator() -> None:
    """k uniform: the median of f is f of the median, and its limits those of k."""
    found = tolerance(oscillator(), {"k": "20 %"}, "monte-carlo", samples=3000, seed=3)
    samples = found.band("frequency of mode 1").samples
    assert samples is not None
    f = lambda k: np.sqrt(k / M) / (2 * np.pi)  # noqa: E731
    assert f(0.8 * K) <= samples.min() < f(0.802 * K)
    assert f(1.198 * K) < samples.max() <= f(1.2 * K)
    assert np.median(samples) == pytest.approx(f(K), rel=5e-3)


def test_samples_depend_on_the_seed_alone() -> None:
    vary = {"k": "5 %", "c": "5 %"}
    one = tolerance(oscillator(), vary, "monte-carlo", samples=520, seed=5)
    again = tolerance(oscillator(), vary, "monte-carlo", samples=520, seed=5, workers=2)
    other = tolerance(oscillator(), vary, "monte-carlo", samples=520, seed=6)
    for a, b, c in zip(one.bands, again.bands, other.bands, strict=True):
        assert a.samples is not None
        assert b.samples is not None
        assert c.samples is not None
        assert np.array_equal(a.samples, b.samples)
        assert not np.array_equal(a.samples, c.samples)


def test_peak_of_an_oscillator() -> None:
    """|H| at resonance is 1 / (2 zeta k sqrt(1 - zeta^2)) = 1 / (c w_d)."""
    found = tolerance(oscillator(), {"c": "1 %"}, peaks=[("s", "s", 0.1, 5)])
    band = found.bands[-1]
    assert band.nominal == pytest.approx(1 / (C * np.sqrt(K / M - (C / (2 * M)) ** 2)), rel=1e-9)
    h = 1e-4
    at = lambda c: 1 / (c * np.sqrt(K / M - (c / (2 * M)) ** 2))  # noqa: E731
    slope = (at(C + h) - at(C - h)) / (2 * h)
    assert band.upper - band.nominal == pytest.approx(abs(slope) * 0.01 * C, rel=1e-5)


def test_modes_that_cross_keep_their_bands() -> None:
    """Two modes, along x and y, whose frequencies overlap: each follows its own spring."""
    model = eb.load({
        "eigenbody": 1, "parameters": {"a": 100, "b": 102},
        "bodies": {"m": {"mass": 1, "at": [0, 0, 0]}},
        "forces": {"f": {"type": "bushing", "between": ["ground", "m"], "at": [0, 0, 0],
                         "k": ["=a", "=b", 900, 0, 0, 0], "c": [0, 0, 0, 0, 0, 0]}},
    })  # fmt: skip
    found = tolerance(model, {"a": "10 %"}, "monte-carlo", samples=300, seed=2)
    first, second = found.band("frequency of mode 1"), found.band("frequency of mode 2")
    assert first.upper > second.nominal
    assert second.deviation == pytest.approx(0, abs=1e-12)


def test_faults() -> None:
    with pytest.raises(eb.InputError) as error:
        tolerance(oscillator(), {"kk": "5 %", "m": "-1", "c": "abc"}, "monte-charlo", samples=1, distribution="flat")
    text = str(error.value)
    for part in ('"kk"', "not positive", '"abc" is no tolerance', 'Did you mean "monte-carlo"', "samples", "flat"):
        assert part in text
    with pytest.raises(eb.InputError, match="nothing varies"):
        tolerance(oscillator(), {})


# Updating -------------------------------------------------------------------------------------------------------------
TRUE = {"k1": 9000.0, "k2": 7000.0, "k4": 8600.0, "h": 0.41}
LEGS = [f"leg{i}" for i in range(1, 7)]


def measured(model: InertModel) -> dict[str, Any]:
    """Frequencies and shapes at the legs, as a test would give them."""
    found = ports(model, [], LEGS)
    modes = eb.modes(found.linear)
    assert modes.states_shape is not None
    C = found.linear.state_space.C[list(found.outputs)]  # type: ignore[union-attr]
    return {"frequencies": modes.frequency_hz, "shapes": modes.states_shape @ C.T, "measures": LEGS}


def variables(model: InertModel) -> dict[str, Any]:
    return {n: {"from": 0.5 * v, "to": 2 * v, "start": model.parameters[n], "scale": "log"} for n, v in TRUE.items()}


def test_updating_recovers_the_parameters() -> None:
    model = eb.load(EXAMPLES / "stewart_platform.yaml")
    data = measured(model.with_values(TRUE))
    found = update(model, variables(model), data)
    assert found.values == pytest.approx(TRUE, rel=1e-9)
    assert found.mac_after == pytest.approx(np.ones(6), abs=1e-9)
    assert found.mac_before is not None
    assert found.mac_before.min() < 0.9  # it had something to do


def test_updating_pairs_measured_modes_in_any_order_by_shape() -> None:
    model = eb.load(EXAMPLES / "stewart_platform.yaml")
    data = measured(model.with_values(TRUE))
    order = [3, 0, 5, 2]
    data = {"frequencies": data["frequencies"][order], "shapes": data["shapes"][order], "measures": LEGS}
    found = update(model, variables(model), data)
    assert found.modes.tolist() == order
    assert found.values == pytest.approx(TRUE, rel=1e-8)


def test_updating_tells_its_uncertainty() -> None:
    model = eb.load(EXAMPLES / "stewart_platform.yaml")
    data = measured(model.with_values(TRUE))
    random = np.random.default_rng(11)
    off = []
    for _ in range(3):
        hz = data["frequencies"] * (1 + 1e-3 * random.normal(size=6))
        shapes = data["shapes"] * (1 + 0.01 * random.normal(size=(6, 6)))
        found = update(model, variables(model), {"frequencies": hz, "shapes": shapes, "measures": LEGS})
        off.append([(found[n] - v) / d for (n, v), d in zip(TRUE.items(), found.deviations, strict=True)])
    spread = float(np.sqrt(np.mean(np.square(off))))
    assert 0.4 < spread < 2.5  # one, if the deviations are right


def test_jacobian_of_the_fit() -> None:
    """Against central differences, shapes included."""
    from eigenbody.analyses.design.designs import DesignSpace
    from eigenbody.analyses.design.problem import Problem, Reader
    from eigenbody.analyses.design.update import _Fit, _read, _weights

    model = eb.load(EXAMPLES / "stewart_platform.yaml")
    data, _ = _read(measured(model.with_values(TRUE)))
    task = Problem(model, Reader(model, {"variables": variables(model)}).variables(), (), False, ())
    fit = _Fit(task, DesignSpace.of(model, task.names, (), LEGS), data, *_weights({}, data))
    u = np.array([0.4, 0.55, 0.45, 0.52])
    J = fit.jacobian(u)
    for i in range(4):
        h = 1e-5 * np.eye(4)[i]
        numeric = (fit.residual(u + h) - fit.residual(u - h)) / 2e-5
        assert J[:, i] == pytest.approx(numeric, rel=1e-5, abs=1e-7)


def test_updating_by_frequencies_alone() -> None:
    found = update(oscillator(), {"k": {"from": 10, "to": 200}}, {"frequencies": [1.0]})
    assert found["k"] == pytest.approx((2 * np.pi) ** 2 * M, rel=1e-10)
    assert np.isnan(found.deviations).all()
    assert "uncertainty cannot be told" in found.notes[0]


def test_updating_says_what_the_data_do_not_determine() -> None:
    found = update(oscillator(), {"k": {"from": 10, "to": 200}, "m": {"from": 1, "to": 4}}, {"frequencies": [1.0]})
    assert "do not determine" in found.notes[0]


def test_updating_faults() -> None:
    with pytest.raises(eb.InputError) as error:
        update(oscillator(), {"kk": {"from": 1, "to": 2}}, {"frequencies": [-1], "shape": 1})
    for part in ('"kk"', "positive frequencies", 'Did you mean "shapes"'):
        assert part in str(error.value)


def test_a_script_without_main_guard_gets_the_same_bands(tmp_path: Path) -> None:
    """Workers do not read the script again: no guard is needed, nothing is done twice, nothing is to be said."""
    alone = tolerance(oscillator(), {"k": "5 %"}, "monte-carlo", samples=300, workers=1)
    (tmp_path / "model.json").write_text(json.dumps(oscillator().document))
    script = tmp_path / "script.py"
    script.write_text(
        "import json, eigenbody as eb\n"
        f"model = eb.load({str(tmp_path / 'model.json')!r})\n"
        "found = eb.tolerance(model, {'k': '5 %'}, 'monte-carlo', samples=300, workers=2)\n"
        "print(json.dumps([found.bands[0].samples.tolist(), found.notes]))\n"
    )
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, timeout=300, check=True)
    samples, notes = json.loads(done.stdout)
    assert samples == alone.bands[0].samples.tolist()  # type: ignore[union-attr]
    assert notes == []
    assert done.stderr == ""
