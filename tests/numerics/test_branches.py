"""Columns of an inverse that are solved for together, against each by itself."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csc_array, csr_array
from scipy.sparse.csgraph import maximum_bipartite_matching
from scipy.sparse.linalg import splu

import eigenbody as eb
from eigenbody.mobility import frame as frame_module
from eigenbody.mobility.frame import MotionFrame
from eigenbody.numerics.matrices.branches import branches_of, full_matching
from eigenbody.starters.family import family

SIZE = 3  # unknowns of a block
COLUMNS = 2  # of each block that are asked for


def coupled_blocks(above: list[int], also: list[tuple[int, int]], seed: int) -> tuple[csc_array, np.ndarray, int]:
    """A matrix of blocks, each coupled with the one above it and with those in `also`, in random order of the unknowns
    and of the rows but for the last `COLUMNS` of each block, which come last; the block of each unknown."""
    rng = np.random.default_rng(seed)
    n = SIZE * len(above)
    J = np.zeros((n, n))
    place = [slice(SIZE * k, SIZE * (k + 1)) for k in range(len(above))]
    for k, upper in enumerate(above):
        J[place[k], place[k]] = rng.normal(size=(SIZE, SIZE)) + 3 * np.eye(SIZE)
        if upper >= 0:
            J[place[k], place[upper]] = rng.normal(size=(SIZE, SIZE))
    for k, other in also:
        J[place[k], place[other]] = rng.normal(size=(SIZE, SIZE))
    asked = [SIZE * k + i for k in range(len(above)) for i in range(SIZE - COLUMNS, SIZE)]
    rows = [*rng.permutation([i for i in range(n) if i not in asked]), *asked]
    order = rng.permutation(n)
    return csc_array(J[rows][:, order]), (np.arange(n) // SIZE)[order], len(asked)


def check(J: csc_array, block: np.ndarray, count: int, width: int) -> None:
    found = branches_of(J, block, count, count)
    assert found is not None
    assert found.width == width
    expected = np.linalg.inv(J.toarray())[:, -count:]
    shared = splu(J).solve(found.units())
    size = np.abs(expected).max()
    np.testing.assert_allclose(found.spread(shared), expected, rtol=0, atol=1e-13 * size)
    np.testing.assert_allclose(found.shared(expected), shared, rtol=0, atol=1e-13 * size)
    largest = found.spread(found.largest(np.abs(shared)))
    reached = found.column >= 0
    touched = np.zeros(expected.shape, dtype=bool)
    touched[np.nonzero(reached)[0], found.column[reached]] = True
    np.testing.assert_allclose(largest, np.where(touched, np.abs(expected).max(axis=0), 0.0), rtol=1e-12)
    there = found.equation >= 0  # right sides are not mixed up either: J X, with the columns apart
    apart = np.zeros(expected.shape)
    apart[np.nonzero(there)[0], found.equation[there]] = (abs(J) @ np.abs(shared))[there]
    np.testing.assert_allclose(apart, abs(J) @ np.abs(expected), rtol=1e-11, atol=1e-12 * size)


@pytest.mark.parametrize("seed", range(5))
def test_a_tree_of_blocks_needs_as_many_right_sides_as_it_is_deep(seed: int) -> None:
    check(*coupled_blocks([-1, 0, 0, 1, 1, 2, 2], [], seed), width=3 * COLUMNS)


@pytest.mark.parametrize("seed", range(5))
def test_blocks_of_a_loop_are_one_knot(seed: int) -> None:
    """Blocks 3 and 4 determine each other: the knot of both has four columns."""
    check(*coupled_blocks([-1, 0, 0, 1, 1, 2, 2], [(3, 4), (4, 3)], seed), width=2 * COLUMNS + 2 * COLUMNS)


@pytest.mark.parametrize("seed", range(5))
def test_several_trees_share_right_sides(seed: int) -> None:
    check(*coupled_blocks([-1, 0, 0, -1, 3, -1], [], seed), width=2 * COLUMNS)


def test_what_hangs_on_two_blocks_is_no_branch() -> None:
    J, block, count = coupled_blocks([-1, 0, 0, 1], [(3, 2)], 0)
    assert branches_of(J, block, count, count) is None


def test_chains_that_need_too_many_right_sides_are_left_alone() -> None:
    J, block, count = coupled_blocks([-1, 0, 1, 2], [], 0)
    assert branches_of(J, block, count, count - 1) is None
    assert branches_of(J, block, count, count) is not None


def test_a_singular_pattern_has_no_branches() -> None:
    assert branches_of(csc_array(np.diag([1.0, 0.0])), np.arange(2), 1, 1) is None


@pytest.mark.parametrize("name", ["TL7RF1", "TL6SF1"])
def test_free_motion_of_a_tree_is_the_same_with_and_without(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    found = eb.operating_point(eb.load(family(name))).frame
    assert found.branches is not None
    P, error = found.P, found.rounding_of_P()
    monkeypatch.setattr(frame_module, "MANY", 10**9)
    alone = MotionFrame(found.mechanics, found.chosen)
    assert alone.branches is None
    assert np.array_equal(P == 0, alone.P == 0)
    np.testing.assert_allclose(P, alone.P, rtol=1e-14, atol=1e-14 * np.abs(P).max())
    np.testing.assert_allclose(error, alone.rounding_of_P(), rtol=1e-6, atol=1e-3 * error.max())


@pytest.mark.parametrize("seed", range(20))
def test_a_matching_is_found_exactly_where_there_is_one(seed: int) -> None:
    """Reference: SciPy's, which small patterns do not hold up."""
    rng = np.random.default_rng(seed)
    for _ in range(20):
        n = int(rng.integers(1, 12))
        pattern = rng.random((n, n)) < rng.random()
        wanted = maximum_bipartite_matching(csr_array(pattern), perm_type="column")
        found = full_matching(*pattern.nonzero(), n)
        assert (found is None) == bool((wanted < 0).any())
        if found is not None:
            assert pattern[np.arange(n), found].all()
            assert len(set(found.tolist())) == n
