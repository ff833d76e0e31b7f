"""Factorizations of matrices whose entries stand symmetric solve what they were made of, in every order."""

import sys

import numpy as np
import pytest
from scipy.sparse import csc_array, diags_array, eye_array, kron

from eigenbody.base.errors import ComputationError
from eigenbody.numerics.eigen.inertia import InertiaCount
from eigenbody.numerics.matrices.linear import KKT
from eigenbody.numerics.matrices.ordering import SymmetricFactor, alike_columns, nested_dissection


def grid(n, shift=0.0):
    """A lattice of n^3 points, each held by its neighbours, in blocks of three; less `shift` on the diagonal."""
    line = diags_array([-np.ones(n - 1), 2.1 * np.ones(n), -np.ones(n - 1)], offsets=[-1, 0, 1])
    one = eye_array(n)
    cube = kron(kron(line, one), one) + kron(kron(one, line), one) + kron(kron(one, one), line)
    block = np.array([[2.0, 0.3, 0.1], [0.3, 1.0, -0.2], [0.1, -0.2, 1.5]])
    whole = csc_array(kron(cube, block))
    return csc_array(whole - shift * eye_array(whole.shape[0]))


@pytest.fixture(params=["minimum degree", "nested dissection"])
def ordering(request, monkeypatch):
    if request.param == "nested dissection":
        pytest.importorskip("pymetis")
    else:
        monkeypatch.setitem(sys.modules, "pymetis", None)
        monkeypatch.setattr("eigenbody.numerics.matrices.ordering.find_spec", lambda name: None)
    return request.param


@pytest.mark.parametrize("shift", [0.0, 1.3])
def test_solves_both_ways(ordering, shift):
    A = grid(6, shift)
    A.data = A.data * np.random.default_rng(1).uniform(0.9, 1.1, len(A.data))  # not symmetric in its values
    rhs = np.random.default_rng(2).normal(size=(A.shape[0], 3))
    factor = SymmetricFactor(A)
    assert A @ factor.solve(rhs) == pytest.approx(rhs, abs=1e-9)
    assert A.T @ factor.solve_transposed(rhs[:, 0]) == pytest.approx(rhs[:, 0], abs=1e-9)


def test_free_system_and_count(ordering):
    """No rows: KKT solves with A alone, and the count of negative eigenvalues is that of LAPACK."""
    A = grid(4, 1.3)
    none = csc_array((0, A.shape[0]))
    rhs = np.random.default_rng(3).normal(size=A.shape[0])
    assert A @ KKT(A, none).solve_refined(rhs) == pytest.approx(rhs, abs=1e-10)
    expected = int(np.sum(np.linalg.eigvalsh(A.toarray()) < 0))
    count = InertiaCount(A, none, 1.0)
    assert expected > 0
    assert [count.below(1e-8), count.below(1e-6)] == [expected, expected]


def test_singular_matrix_is_named(ordering):
    A = grid(2)
    A.data[:] = 0.0
    with pytest.raises(ComputationError, match="singular"):
        SymmetricFactor(A)


def test_nested_dissection_is_an_order():
    pytest.importorskip("pymetis")
    A = grid(8)
    order = nested_dissection(A)
    assert np.array_equal(np.sort(order), np.arange(A.shape[0]))


def test_columns_with_entries_in_the_same_rows_are_one_knot():
    """The three coordinates of a point of the lattice; with an entry of its own one of them is by itself."""
    A = grid(3)
    place, first = alike_columns(A)
    assert len(first) == 27
    assert np.array_equal(place.reshape(27, 3), np.tile(place[::3, None], 3))
    B = A.tolil()
    B[0, 26 * 3] = 1.0
    place, first = alike_columns(csc_array(B))
    assert len(first) == 28
    assert place[26 * 3] not in place[26 * 3 + 1 :]
