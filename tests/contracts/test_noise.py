"""Noise in expressions: its statistics, that it is smooth, and that it is the same wherever it is asked for."""

from __future__ import annotations

import math

import numpy as np
import pytest

import eigenbody as eb
from eigenbody.model.expression_noise import LENGTH, POINTS, noise
from eigenbody.model.expressions import ExpressionError, parse


def by_hand(x: float, seed: int, bandwidth: float) -> float:
    """The definition with Python's own integers and floats: kernel times number, point by point."""

    def mixed(value: int) -> int:  # splitmix64
        value = (value + 0x9E3779B97F4A7C15) % 2**64
        value = (value ^ value >> 30) * 0xBF58476D1CE4E5B9 % 2**64
        value = (value ^ value >> 27) * 0x94D049BB133111EB % 2**64
        return value ^ value >> 31

    def normal(point: int) -> float:
        start = mixed(seed % 2**64) + 2 * point
        first, second = mixed(start % 2**64), mixed((start + 1) % 2**64)
        return math.sqrt(-2 * math.log(((first >> 11) + 0.5) / 2**53)) * math.cos(2 * math.pi * (second >> 11) / 2**53)

    def kernel(a: float) -> float:
        return math.cos(a / 2) ** 6 * sum(math.cos(m * a) for m in range(-16, 17))

    place = x * bandwidth * POINTS / LENGTH
    points = range(math.floor(place) - 23, math.floor(place) + 25)
    total = math.sqrt(sum(kernel(2 * math.pi * k / POINTS) ** 2 for k in range(POINTS)))
    return sum(normal(k) * kernel(2 * math.pi * (place - k) / POINTS) for k in points) / total


def test_values_by_hand() -> None:
    for x, seed, bandwidth in ((0.0, 7, 2.0), (-3.21, 0, 1.0), (123.4, -5, 7.5), (0.05, 2**52, 30.0)):
        assert noise(x, seed, bandwidth) == pytest.approx(by_hand(x, seed, bandwidth), abs=1e-12)


def test_values_stay_what_they_are() -> None:
    """A model that names a seed means these numbers, in every release."""
    assert noise(np.array([0.0, 0.1, 1.0]), 7, 2.0) == pytest.approx(GOLDEN, abs=1e-12)


GOLDEN = [0.46533102950427063, 0.7025291516929827, 1.0010775539857646]


def test_alone_or_among_others_in_any_order() -> None:
    t = np.random.default_rng(1).uniform(-50, 1e4, 200)
    together = noise(t, 5, 3.0)
    assert together == pytest.approx([noise(x, 5, 3.0) for x in t[::-1]][::-1], abs=1e-13)
    assert noise(t, 6, 3.0) != pytest.approx(together, abs=0.1)


def test_variance_is_one_at_every_argument() -> None:
    """Over 4000 seeds, at four places within a step from point to point; the mean of squares has sigma sqrt(2/4000)."""
    seeds = np.arange(4000)
    for part in (0.0, 0.3, 0.5, 0.9):
        values = noise((10 + part) * LENGTH / POINTS, seeds, 1.0)
        assert np.mean(values) == pytest.approx(0, abs=4 / np.sqrt(4000))
        assert np.mean(values**2) == pytest.approx(1, abs=4 * np.sqrt(2 / 4000))
        assert np.mean(values**4) == pytest.approx(3, abs=4 * np.sqrt(96 / 4000))


def test_spectral_density_is_flat_up_to_the_bandwidth() -> None:
    """One-sided density 1/B below B, half of it near B, nothing above 1.3 B; by the mean over 600 periodograms."""
    B, n, length = 2.0, 256, 20.0
    t = np.arange(n) * length / n
    series = noise(t, np.arange(600)[:, None], B)
    window = np.hanning(n + 1)[:n]
    power = 2 * length / n * np.mean(np.abs(np.fft.rfft(series * window)) ** 2, axis=0) / np.sum(window**2)
    hz = np.arange(len(power)) / length
    below, above = (hz > 0.1) & (hz < 0.8 * B), hz > 1.3 * B
    assert power[below] * B == pytest.approx(np.ones(below.sum()), abs=4 / np.sqrt(600))
    assert power[hz == B] * B == pytest.approx([0.5], abs=0.1)
    assert np.max(power[above]) * B < 1e-4
    assert (np.sum(power) - power[0] / 2) / length == pytest.approx(1, abs=0.02)


@pytest.mark.parametrize("order", range(6))
def test_no_jump_from_point_to_point(order: int) -> None:
    edge = 17 * LENGTH / POINTS / 2.0
    before, after = (noise(edge + shift, 5, 2.0, order) for shift in (-1e-12, 1e-12))
    assert before == pytest.approx(after, abs=1e-11 * max(1, abs(noise(edge, 5, 2.0, order + 1))))


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("noise(t, 1.5, 2)", "whole number"),
        ("noise(t, 1, -2)", "positive"),
        ("noise(t, 1)", "takes 3"),
    ],
)
def test_wrong_arguments(text: str, fault: str) -> None:
    with pytest.raises(ExpressionError, match=fault):
        parse(text).evaluate({"t": 1.0})


def test_oscillator_pushed_by_noise() -> None:
    """Mean square of the motion over 6 runs against the density of the input times |H|^2."""
    model = eb.load(
        {
            "eigenbody": 1,
            "parameters": {"seed": 1, "B": 2},
            "bodies": {"m": {"mass": 1, "inertia": [1, 1, 1], "at": [0, 0, 0]}},
            "joints": {"slide": {"type": "prismatic", "between": ["ground", "m"], "at": [0, 0, 0], "axis": [1, 0, 0]}},
            "forces": {
                "s": {"type": "spring", "along": "slide", "k": 39.478417604, "c": 2.513274123},  # 1 Hz, 20 %
                "w": {"type": "actuator", "along": "slide", "value": "=noise(t, seed, B)"},
            },
        }
    )
    squares = []
    for seed in range(6):
        motion = eb.simulate(model.with_parameters(seed=seed), until=40, points=201, tolerance=1e-4)
        squares.append(np.mean(motion.signal("slide")[25:] ** 2))
    hz = np.linspace(0, 2, 2001)
    gain = 1 / np.abs(39.478417604 - (2 * np.pi * hz) ** 2 + 2j * np.pi * hz * 2.513274123) ** 2
    expected = np.trapezoid(gain, hz) / 2
    # A band of 0.31 Hz (pi zeta f) seen for 35 s: sigma of a mean square sqrt(1/(0.31*35)), of six 0.125
    assert np.mean(squares) == pytest.approx(expected, rel=0.25)
    assert len({round(square, 6) for square in squares}) == 6


def test_a_motion_by_noise_has_its_rates() -> None:
    """A table shaken by noise: rates of the constraint are derivatives of the function."""
    table = {"type": "prismatic", "between": ["ground", "m"], "at": [0, 0, 0], "axis": [1, 0, 0]}
    model = eb.load(
        {
            "eigenbody": 1,
            "bodies": {"m": {"mass": 1, "inertia": [1, 1, 1], "at": [0, 0, 0]}},
            "joints": {"slide": {**table, "motion": "=0.01*noise(t, 4, 3)"}},
        }
    )
    motion = eb.simulate(model, until=0.5, points=11)
    for prime, order in (("", 0), ("'", 1), ("''", 2)):
        exact = 0.01 * 3**order * noise(motion.t, 4, 3.0, order)
        assert motion.signal("slide" + prime) == pytest.approx(exact, abs=1e-10 * 10**order)
