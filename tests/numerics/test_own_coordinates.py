"""Coordinates by which columns are told apart."""

import numpy as np

from eigenbody.numerics.matrices.noise import own_coordinates


def test_each_column_has_a_coordinate_of_its_own():
    vectors = np.array([[[0.0, 1.0], [3.0, 0.0], [0.0, 0.5]]])
    assert own_coordinates(vectors).tolist() == [[1, 0]]


def test_no_columns_need_none_and_lapack_is_not_asked(capfd):
    assert own_coordinates(np.zeros((2, 4, 0))).shape == (2, 0)
    assert capfd.readouterr() == ("", "")
