"""What makes products with free motions fast gives the same numbers as the products written out."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from families import family

import eigenbody as eb
from eigenbody.mobility import frame
from eigenbody.numerics.matrices import projection, thin
from eigenbody.numerics.matrices.assembly import Part, Product, Triplets, absolute, dense, sparse
from eigenbody.numerics.matrices.linear import DENSE_LIMIT
from eigenbody.numerics.matrices.projection import Projection, is_large
from eigenbody.numerics.matrices.stacks import parts_of, real_times

NQ, COUNT = 12, 7
EXAMPLES = Path(__file__).parents[2] / "examples"


def parts(rng: np.random.Generator) -> list[Part]:
    """Rows of which some entries are zero or dropped; couplings within rows and across them."""

    def rows() -> Triplets:
        columns = np.array([rng.permutation(NQ + 1)[:4] for _ in range(COUNT)])
        values = rng.normal(size=(COUNT, 4)) * (rng.random((COUNT, 4)) < 0.7)
        return Triplets.of_rows(np.arange(COUNT), columns, values)

    own, left, right = rows(), rows(), rows()
    i, j = np.array([0, 1, 1, 4, 4]), np.array([0, 1, 6, 2, 3])
    return [
        Triplets(np.arange(3), np.arange(2, 5), rng.normal(size=3)),
        Product(COUNT, np.arange(COUNT), np.arange(COUNT), rng.random(COUNT), own, own),
        Product(COUNT, i, j, rng.normal(size=5), own, own),
        Product(COUNT, i, j, rng.normal(size=5), left, right),
    ]


WAYS = {"written out": (NQ, 0), "by rows": (0, NQ * NQ), "by rows, sparse": (0, 0)}
"""Largest size of a matrix that is written out, and number of entries from which rows may be sparse."""


@pytest.fixture(params=WAYS)
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    written_out, small = WAYS[request.param]
    monkeypatch.setattr(projection, "DENSE_LIMIT", written_out)
    monkeypatch.setattr(thin, "SMALL", small)
    monkeypatch.setattr(projection, "SPARSE", 0.5)


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize("moving", [2, NQ])
def test_projection_is_the_product_of_whole_matrices(moving: int) -> None:
    """left^T X right and the sizes of its summands, against X written out."""
    rng = np.random.default_rng(moving)
    X, left, right = parts(rng), np.zeros((NQ, 5)), rng.normal(size=(NQ, 3))
    left[:moving] = rng.normal(size=(moving, 5))
    projected = Projection()
    for a, b in ((left, right), (left, left)):
        expected, sizes = a.T @ dense(X, (NQ, NQ)) @ b, np.abs(a).T @ dense(absolute(X), (NQ, NQ)) @ np.abs(b)
        np.testing.assert_allclose(projected.of(X, a, b), expected, rtol=1e-13, atol=1e-13)
        np.testing.assert_allclose(projected.sizes(X, a, b), sizes, rtol=1e-13, atol=1e-13)


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize("is_step", [False, True])
def test_projection_of_values_with_a_batch_axis_is_that_of_each(is_step: bool) -> None:
    """Variants, and complex steps that share a real part: against the product of whole matrices, one by one."""
    rng = np.random.default_rng(3)
    X, left, right = parts(rng), rng.normal(size=(NQ, 5)), rng.normal(size=(NQ, 3))

    def varied(values: np.ndarray) -> np.ndarray:
        change = rng.normal(size=(4, *values.shape)) * (rng.random((4, *values.shape)) < 0.3)
        return values + (1e-20j if is_step else 1.0) * change

    batch: list[Part] = [
        replace(p, values=varied(p.values)) if isinstance(p, Triplets) else replace(p, factor=varied(p.factor))
        for p in X
    ]
    expected = left.T @ dense(batch, (NQ, NQ)) @ right
    found = Projection().of(batch, left, right)
    np.testing.assert_allclose(found.real, expected.real, rtol=1e-13, atol=1e-13)
    np.testing.assert_allclose(found.imag, expected.imag, rtol=1e-12, atol=1e-33)


def test_only_large_matrices_are_left_in_parts_and_nothing_but_their_values_may_vary() -> None:
    rows = Triplets.of_rows(np.arange(1), np.arange(2)[None], np.ones((1, 2)))
    varied = replace(rows, values=np.ones((3, 2)))
    one = np.array([0])
    spring, moved = (Product(1, one, one, np.ones((3, 1)), own, own) for own in (rows, varied))
    large, small = np.zeros((DENSE_LIMIT + 1, 2)), np.zeros((DENSE_LIMIT, 2))
    assert is_large([spring], large, large)
    assert not is_large([spring], small, small)
    assert not is_large([spring], large, large[None])
    assert not is_large([moved], large, large)


def test_sparse_sum_of_parts_is_the_dense_one() -> None:
    """Rows that nothing acts along leave no entries."""
    X = parts(np.random.default_rng(1))
    own = X[1]
    assert isinstance(own, Product)
    X.append(Product(COUNT, np.array([2, 5]), np.array([2, 5]), np.array([3.0, 0.0]), own.left, own.right))
    for part in X:
        found, expected = sparse([part], (NQ, NQ)), dense([part], (NQ, NQ))
        np.testing.assert_allclose(found.toarray(), expected, rtol=1e-14, atol=1e-14)
    assert sparse([X[-1]], (NQ, NQ)).nnz == np.count_nonzero(dense([X[-1]], (NQ, NQ)))


@pytest.mark.parametrize("example", ["half_car", "mcpherson_strut", "rotor_stator", "all_terrain_vehicle"])
def test_noise_of_sparse_equations_by_products_is_that_of_matrices(example: str) -> None:
    """Springs and dampers, loaded joints, a turning rotor."""
    noise = eb.linearize(eb.load(EXAMPLES / f"{example}.yaml"), solver="sparse").sparse.noise
    X = np.abs(np.random.default_rng(2).normal(size=(noise.K.shape[0], 4)))
    np.testing.assert_allclose(noise.strain(X), X.T @ (noise.K @ X), rtol=1e-13)
    np.testing.assert_allclose(noise.loss(X), X.T @ (noise.C @ X), rtol=1e-13)


def test_free_motion_by_blocks_of_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    """P and its rounding are the same whether all columns are found at once or few at a time."""
    point = eb.operating_point(eb.load(family("C70RF1")))  # 70 columns, sparse rows
    at_once = frame.MotionFrame(point.mechanics, point.chosen)
    P, rounding = at_once.P, at_once.rounding_of_P()
    monkeypatch.setattr(frame, "CACHED", 1)
    by_blocks = frame.MotionFrame(point.mechanics, point.chosen)
    np.testing.assert_allclose(by_blocks.P, P, rtol=1e-14)
    np.testing.assert_allclose(by_blocks.rounding_of_P(), rounding, rtol=1e-6)


def test_largest_component_of_a_shape_is_one_and_the_first_of_equal_ones() -> None:
    """Two equal masses on equal springs: in both modes the components are equal to rounding, the first is +1."""
    masses = {name: {"mass": 1.0, "inertia": [1, 1, 1], "at": [k, 0, 0]} for k, name in enumerate(("a", "b"))}
    slides = {
        name: {"type": "prismatic", "between": ["ground", name], "at": [0, 0, 0], "axis": [1, 0, 0]} for name in masses
    }
    springs = {name: {"type": "spring", "along": name, "k": 100.0} for name in masses}
    model = {"eigenbody": 1, "bodies": masses, "joints": slides, "forces": {f"s{n}": s for n, s in springs.items()}}
    model["forces"]["between"] = {
        "type": "spring",
        "between": ["a", "b"],
        "at": [[0, 0, 0], [1, 0, 0]],
        "k": 50,
        "free_length": 1,
    }
    modes = eb.modes(eb.load(model))
    for shape in modes.shapes:
        assert np.abs(shape).max() == pytest.approx(1.0, abs=1e-15)
        assert shape[0, 0] == pytest.approx(1.0, abs=1e-9)


@pytest.mark.parametrize("lead", [(), (2,)])
@pytest.mark.parametrize("share", [0.02, 1.0])
def test_thin_matrices_are_multiplied_as_what_they_are(
    lead: tuple[int, ...], share: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Entries that are not zero decide which product is taken, not what comes out."""
    monkeypatch.setattr(thin, "SMALL", 0)
    rng = np.random.default_rng(3)
    A, X = rng.normal(size=(*lead, 40, 40)), rng.normal(size=(*lead, 40, 7))
    A *= rng.random(A.shape) < share
    assert isinstance(thin.thinned(A.reshape(-1, 40), thin.SPARSE_SQUARE), np.ndarray) == (share == 1.0)
    np.testing.assert_allclose(thin.product(A, X), A @ X, atol=1e-14)


def test_parts_of_stacks_are_those_of_each_matrix() -> None:
    rng = np.random.default_rng(4)
    A, B = rng.normal(size=(2, 3, 5, 6))
    rows, columns = rng.permuted(np.tile(np.arange(5), (3, 1)), axis=1)[:, :4], rng.integers(0, 6, (3, 2))
    for whole, part in zip((A, B), parts_of((A, B), rows, columns), strict=True):
        np.testing.assert_array_equal(part, [a[np.ix_(r, c)] for a, r, c in zip(whole, rows, columns, strict=True)])


def test_projection_of_many_motions_is_that_of_each() -> None:
    """Many motions meet left^T X; one of them, and many matrices X, meet X first. What a projection has written out of
    the same parts serves again, for sizes apart."""
    rng = np.random.default_rng(5)
    X, left, many = parts(rng), rng.normal(size=(NQ, 5)), rng.normal(size=(2, 4, NQ, 3))
    shared = Projection()
    for sizes in (False, True, False):
        project = shared.sizes if sizes else shared.of
        alone = [[getattr(Projection(), project.__name__)(X, left, each) for each in some] for some in many]
        np.testing.assert_allclose(project(X, left, many), alone, rtol=1e-12, atol=1e-13)


def test_real_times_complex_in_real_arithmetic() -> None:
    rng = np.random.default_rng(6)
    A, X = rng.normal(size=(3, 4, 5)), rng.normal(size=(3, 2, 5)) + 1j * rng.normal(size=(3, 2, 5))
    np.testing.assert_allclose(real_times(A, X.mT), A @ X.mT, rtol=1e-13)  # columns that are not together in memory
