"""Eigenvalues belong to the machine, not to its description: moved, turned, re-ordered, re-rooted, in other units.

At equilibrium with nothing deflected and nothing moving, where eigenvalues do not depend on the choice of coordinates.
"""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment
from scipy.spatial.transform import Rotation

import eigenbody as eb
from mechanisms import equilibrium_mechanism
from transforms import SWAPPABLE, in_other_units, moved, reordered, rerooted, rotated, swapped

TOLERANCE = 1e-8  # of the largest eigenvalue; a pair split by rounding e moves by sqrt(e)
seeds = st.integers(0, 2**32 - 1)
bounded = settings(max_examples=25, deadline=None, derandomize=True, database=None)


def eigenvalues(document: dict) -> np.ndarray:
    return np.linalg.eigvals(eb.linearize(eb.load(document)).A)


def assert_same_eigenvalues(document: dict, other: dict) -> None:
    a, b = eigenvalues(document), eigenvalues(other)
    assert len(a) == len(b)
    distance = np.abs(a[:, None] - b[None, :])
    assert distance[linear_sum_assignment(distance)].max() <= TOLERANCE * np.abs(a).max()


def drawn(seed: int) -> tuple[np.random.Generator, dict]:
    rng = np.random.default_rng(seed)
    return rng, equilibrium_mechanism(rng)


@bounded
@given(seeds)
def test_at_equilibrium(seed: int) -> None:
    """The mechanisms of this module rest at equilibrium, so that the comparison means something."""
    _, document = drawn(seed)
    point = eb.operating_point(eb.load(document))
    assert point.is_at_rest
    assert np.abs(point.motion.acceleration).max() < 1e-9


@bounded
@given(seeds)
def test_moved(seed: int) -> None:
    rng, document = drawn(seed)
    assert_same_eigenvalues(document, moved(document, rng.uniform(-2, 2, 3)))


@bounded
@given(seeds)
def test_rotated(seed: int) -> None:
    rng, document = drawn(seed)
    assert_same_eigenvalues(document, rotated(document, Rotation.random(rng=rng).as_matrix()))


@bounded
@given(seeds)
def test_reordered(seed: int) -> None:
    rng, document = drawn(seed)
    assert_same_eigenvalues(document, reordered(document, rng))


@bounded
@given(seeds)
def test_swapped(seed: int) -> None:
    """`between` of every joint whose coordinates only change sign; ball joints unless something acts along them."""
    _, document = drawn(seed)
    for name, joint in document["joints"].items():
        if joint["type"] in SWAPPABLE:
            try:
                other = swapped(document, [name])
            except ValueError:
                continue
            assert_same_eigenvalues(document, other)


@bounded
@given(seeds)
def test_rerooted_by_order(seed: int) -> None:
    rng, document = drawn(seed)
    try:
        other = rerooted(document, rng)
    except ValueError:  # an open tree from ground has one spanning tree
        return
    assert_same_eigenvalues(document, other)


@bounded
@given(seeds)
def test_rerooted_by_a_free_joint(seed: int) -> None:
    rng, document = drawn(seed)
    assert_same_eigenvalues(document, rerooted(document, rng, free_joint=True))


@bounded
@given(seeds)
def test_in_other_units(seed: int) -> None:
    rng, document = drawn(seed)
    assert_same_eigenvalues(document, in_other_units(document, rng))
