"""What is put together by hand is what SciPy puts together: saddle points, components of graphs, products of rows."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import block_array, coo_array, diags_array, random_array
from scipy.sparse.csgraph import connected_components
from threadpoolctl import threadpool_info, threadpool_limits

from eigenbody.numerics.matrices.assembly import Triplets, dense
from eigenbody.numerics.matrices.linear import KKT, SMALL_BLOCKS, SparseFactor, bordered
from eigenbody.numerics.matrices.rank import components
from eigenbody.numerics.runtime import on_one_thread


@pytest.mark.parametrize("rows", [1, 9])
@pytest.mark.parametrize("yields", [False, True])
@pytest.mark.parametrize("dtype", [float, complex])
def test_saddle_point_is_that_of_blocks(rows: int, yields: bool, dtype: type) -> None:
    """Entry by entry and in the same order, so that a factorization takes the same pivots."""
    rng = np.random.default_rng(rows)
    A = random_array((20, 20), density=0.2, rng=rng, format="csc").astype(dtype)
    G = random_array((rows, 20), density=0.3, rng=rng, format="csc")
    flexibility = np.where(np.arange(rows) % 2, 0.0, 3.0) if yields else None
    corner = None if flexibility is None else diags_array(-flexibility)
    whole = block_array([[A, G.T], [G, corner]], format="csc")
    whole.eliminate_zeros()
    found = bordered(A, G, flexibility)
    assert found.dtype == dtype
    for name in ("indptr", "indices", "data"):
        np.testing.assert_array_equal(getattr(found, name), getattr(whole, name))


def test_saddle_point_without_rows_is_the_matrix() -> None:
    A = random_array((5, 5), density=0.5, rng=np.random.default_rng(1), format="csc")
    assert abs(bordered(A, A[:0]) - A).max() == 0


def test_small_blocks_solve_as_well() -> None:
    """SuperLU with blocks of its own and with small ones: both meet the right side to rounding."""
    rng = np.random.default_rng(5)
    A = (random_array((300, 300), density=0.01, rng=rng, format="csc") + diags_array(np.full(300, 4.0))).tocsc()
    b = rng.normal(size=300)
    for options in ({}, SMALL_BLOCKS):
        assert np.abs(A @ SparseFactor(A, **options).solve(b) - b).max() < 1e-13
    G = random_array((40, 300), density=0.05, rng=rng, format="csc") + diags_array(np.ones(300), shape=(40, 300))
    x = KKT(A, G).solve(b)
    assert np.abs(G @ x).max() < 1e-12


@pytest.mark.parametrize("entries", [0, 3, 30, 400])
def test_components_are_those_of_the_graph(entries: int) -> None:
    """Labels count from zero in the order of rows, then of columns, as SciPy counts them."""
    rng = np.random.default_rng(entries)
    rows, columns = 40, 60
    row, column = rng.integers(0, rows, entries), rng.integers(0, columns, entries)
    graph = coo_array((np.ones(entries), (row, rows + column)), shape=(rows + columns,) * 2)
    labels = connected_components(graph, directed=False)[1]
    np.testing.assert_array_equal(np.concatenate(components(row, column, rows, columns)), labels)


def test_a_long_chain_is_one_component() -> None:
    n = 500
    row, column = np.repeat(np.arange(n), 2)[1:], np.repeat(np.arange(n), 2)[:-1]
    shuffled = np.random.default_rng(2).permutation(n)
    for labels in components(shuffled[row], column, n, n):
        assert not labels.any()


@pytest.mark.parametrize("before", [1, 2])
def test_blas_runs_on_one_thread_and_is_left_as_it_was(before: int) -> None:
    def counts() -> set[int]:
        return {library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"}

    threads = on_one_thread(counts)
    within = on_one_thread(lambda: (threads(), threads()))
    with threadpool_limits(before, user_api="blas"):
        assert within() == ({1}, {1})
        assert counts() == {before}


@pytest.mark.parametrize("count", [0, 1, 7, 300])
@pytest.mark.parametrize("dtype", [float, complex])
def test_sums_of_a_batch_are_those_of_each_member_to_the_bit(count: int, dtype: type) -> None:
    """Whatever part of the batch is summed at a time, and however its values lie in memory."""
    rng = np.random.default_rng(4)
    rows, cols = rng.integers(0, 21, (2, 900))  # places 20 are dropped
    values = rng.normal(size=(900, count, 2)).astype(dtype).transpose(1, 2, 0) * (1j if dtype is complex else 1)
    found = dense([Triplets(rows, cols, values)], (20, 20))
    assert found.shape == (count, 2, 20, 20)
    for k, j in np.ndindex(count, 2):
        alone = np.zeros((21, 21), dtype)
        np.add.at(alone, (rows, cols), values[k, j])
        np.testing.assert_array_equal(found[k, j], alone[:20, :20])
