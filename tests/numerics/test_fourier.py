"""Fourier series of periodic matrices: taken only where they say all to rounding."""

from __future__ import annotations

import numpy as np
import pytest

from eigenbody.numerics.signals.fourier import exact_series
from eigenbody.numerics.signals.transition import Mesh, transitions

PERIOD = 0.7
BASE = 2 * np.pi / PERIOD
MESH = Mesh(0.3, PERIOD, 10)  # 80 times: 20 harmonics are fitted, of which 10 may be there


def matrices(times, *parts):
    """[[0, 1], [-a(t), -0.1]] with a(t) = 40 + the parts."""
    a = 40 + sum(part(times) for part in parts)
    zero, one = np.zeros_like(times), np.ones_like(times)
    return np.stack((np.stack((zero, one), -1), np.stack((-a, -0.1 * one), -1)), -2)


def harmonic(order, size=5.0):
    return lambda t: size * np.cos(order * BASE * t + 0.4)


@pytest.mark.parametrize("order", [1, 2, 10])
def test_harmonics_are_met_between_the_times(order):
    found = exact_series(MESH.times, matrices(MESH.times, harmonic(order)), MESH.start, PERIOD)
    assert found is not None
    times = np.linspace(0.3, 1.0, 301)
    wanted = matrices(times, harmonic(order))
    assert np.abs(found.at(times) - wanted).max() < 1e-13 * 45
    assert not found.at(times)[:, 0, 0].any()  # what is nothing at all times stays nothing
    assert found.rounding.max() < 1e-13 * 45


@pytest.mark.parametrize(
    "part",
    [harmonic(11), harmonic(12, 1e-9), harmonic(75), lambda t: np.abs(np.sin(BASE * t)), lambda t: 3 * t],
    ids=["upper half", "little of it", "more than the times tell", "kinked", "not periodic"],
)
def test_what_a_series_does_not_say_is_refused(part):
    assert exact_series(MESH.times, matrices(MESH.times, part), MESH.start, PERIOD) is None


def test_errors_of_the_equations_bound_those_of_the_transition():
    """A is moved by random errors of a given size: Phi moves by no more than the bound, and by a good part of it when
    all of them push the same way."""
    A = matrices(MESH.times, harmonic(1))
    error = np.array([[0.0, 1e-6], [2e-5, 1e-6]])
    found = transitions(A, MESH)
    bound = found.moved_by(error)
    rng = np.random.default_rng(3)
    for signs in (rng.choice((-1.0, 1.0), A.shape), np.ones_like(A), np.broadcast_to([[1, 1], [-1, -1]], A.shape)):
        moved = np.abs(transitions(A + signs * error, MESH).whole - found.whole)
        assert np.all(moved <= 1.1 * bound)
    assert moved.max() > 0.05 * bound.max()
