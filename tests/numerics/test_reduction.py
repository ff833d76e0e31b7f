"""Reduction to modes and inertia invariants, against whole models, direct sums and the exact motion of points."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.linalg import block_diag, eigh
from scipy.sparse import csc_array, csr_array

from eigenbody.base.errors import InputError
from eigenbody.spatial.rotations import exp, skew
from eigenbody.structures import invariants as inertia
from eigenbody.structures import reduction
from eigenbody.structures.beam import beam_structure
from eigenbody.structures.beam_section import BeamStations
from eigenbody.structures.invariants import invariants, mass_and_centre, rigid_motions
from eigenbody.structures.pencils import DensePencil, SparsePencil
from eigenbody.structures.reduction import reduce
from eigenbody.structures.structure import InertiaPoints, Reduced, Structure
from eigenbody.structures.turning import node_turns

# ---------------------------------------------------------------- structures


def planar_beam(n: int, EI: Any = 1.0, length: Any = 1.0, stiffer: Any = 1.0) -> Structure:
    """Uniform Euler-Bernoulli beam of n elements with uy and rz at each node; the first third may be stiffer."""
    h = length / n
    K = np.zeros((2 * n + 2, 2 * n + 2), dtype=np.result_type(h, EI, stiffer))
    M = np.zeros_like(K)
    k = np.array([[12, 6 * h, -12, 6 * h], [6 * h, 4 * h * h, -6 * h, 2 * h * h]])
    k = np.vstack([k, -k[0], [6 * h, 2 * h * h, -6 * h, 4 * h * h]]) / h**3
    m = np.array([[156, 22 * h, 54, -13 * h], [22 * h, 4 * h * h, 13 * h, -3 * h * h]])
    m = np.vstack([m, [54, 13 * h, 156, -22 * h], [-13 * h, -3 * h * h, -22 * h, 4 * h * h]]) * h / 420
    for e in range(n):
        at = slice(2 * e, 2 * e + 4)
        K[at, at] += k * EI * (stiffer if e < n // 3 else 1.0)
        M[at, at] += m
    freedoms = np.full((n + 1, 6), -1)
    freedoms[:, 1], freedoms[:, 5] = 2 * np.arange(n + 1), 2 * np.arange(n + 1) + 1
    nodes = np.arange(n + 1)[:, None] * np.array([h, 0 * h, 0 * h])
    return Structure(tuple(map(str, range(n + 1))), nodes, freedoms, M, K)


def frame(n: int = 6, offsets: bool = True, seed: int = 0, change: Any = 0.0) -> Structure:
    """Nodes in space with six freedoms, joined by members of any stiffness, with rigid lumps of mass at them.

    `change` acts on the place of a node, on one member and on one lump.
    """
    rng = np.random.default_rng(seed)
    nodes = rng.normal(size=(n, 3)) + change * np.eye(n, 3) * 0.3
    K = np.zeros((6 * n, 6 * n), dtype=np.result_type(nodes))
    pairs = [(i, i + 1) for i in range(n - 1)] + [(i, i + 2) for i in range(n - 2)]
    for index, (i, j) in enumerate(pairs):
        root = rng.normal(size=(6, 6))
        S = root @ root.T * (1 + (change if index == 1 else 0.0))
        B = np.zeros((6, 6 * n), dtype=K.dtype)  # motion of j seen from the rigid motion of i
        B[:, 6 * i : 6 * i + 6], B[:, 6 * j : 6 * j + 6] = -np.eye(6), np.eye(6)
        B[:3, 6 * i + 3 : 6 * i + 6] = skew(nodes[j] - nodes[i])
        K = K + B.T @ S @ B
    move, turn = np.zeros((n, 3, 6 * n)), np.zeros((n, 3, 6 * n))
    arm = rng.normal(size=(n, 3)) * 0.3 * offsets
    root = rng.normal(size=(n, 3, 3)) * 0.3
    for i in range(n):
        move[i, :, 6 * i : 6 * i + 3], turn[i, :, 6 * i + 3 : 6 * i + 6] = np.eye(3), np.eye(3)
        move[i, :, 6 * i + 3 : 6 * i + 6] = -skew(arm[i])
    mass = rng.uniform(0.5, 2, n) * (1 + change * (np.arange(n) == 2))
    points = InertiaPoints(mass, root @ root.swapaxes(1, 2), nodes + arm, move, turn)
    M = np.einsum("g,gia,gib->ab", mass, move, move) + np.einsum("gia,gij,gjb->ab", turn, points.inertia, turn)
    return Structure(tuple(f"n{i}" for i in range(n)), nodes, np.arange(6 * n).reshape(n, 6), M, K, points)


def lattice(shape: tuple[int, int, int], seed: int = 0) -> Structure:
    """A solid of points with three freedoms, joined by springs to all near ones; mass spread over the springs."""
    rng = np.random.default_rng(seed)
    grid = np.stack(np.meshgrid(*map(np.arange, shape), indexing="ij"), axis=-1).reshape(-1, 3)
    nodes = grid * np.array([1.0, 0.8, 0.5])
    near = np.abs(grid[:, None] - grid[None]).max(axis=2) == 1
    i, j = np.nonzero(np.triu(near))
    n, k = len(nodes), rng.uniform(1, 2, len(i))
    along = (nodes[j] - nodes[i]) / np.linalg.norm(nodes[j] - nodes[i], axis=1)[:, None]
    rows = np.repeat(np.arange(len(i)), 3)
    B = csr_array((along.ravel(), (rows, (3 * j[:, None] + np.arange(3)).ravel())), shape=(len(i), 3 * n))
    B = B - csr_array((along.ravel(), (rows, (3 * i[:, None] + np.arange(3)).ravel())), shape=(len(i), 3 * n))
    scalar = np.zeros((n, n))
    weight = rng.uniform(0.05, 0.1, len(i))
    for a, b, part in ((i, i, 2), (j, j, 2), (i, j, 1), (j, i, 1)):
        np.add.at(scalar, (a, b), part * weight)
    freedoms = np.full((n, 6), -1)
    freedoms[:, :3] = np.arange(3 * n).reshape(n, 3)
    M = csr_array(np.kron(scalar, np.eye(3)))
    return Structure(tuple(map(str, range(n))), nodes, freedoms, M, B.T @ (B * k[:, None]))


# ---------------------------------------------------------------- what the reduced body says


def in_six(structure: Structure, body: Reduced) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Mass, stiffness and node displacements (6 n, r + m) of the free reduced body, small motion, rigid ones first."""
    R, _ = rigid_motions(structure, body.centre)
    rigid = np.where((structure.freedoms >= 0)[:, :, None], R[np.maximum(structure.freedoms, 0)], 0.0)
    shapes = np.concatenate([rigid, np.concatenate([body.move, body.turn], axis=1)], axis=2)
    M = block_diag(R.T @ (structure.M @ R), body.modal_mass)
    K = block_diag(np.zeros((R.shape[1],) * 2), body.stiffness)
    return M, K, shapes.reshape(-1, shapes.shape[2])


def clamped_squares(structure: Structure, body: Reduced, node: int, count: int) -> np.ndarray:
    """Lowest omega^2 with one node held, with its derivative as imaginary part."""
    M, K, shapes = in_six(structure, body)
    rows = shapes[6 * node : 6 * node + 6][structure.freedoms[node] >= 0]
    r = len(rows)
    Z = np.vstack([-np.linalg.solve(rows[:, :r], rows[:, r:]), np.eye(body.modes)])
    M, K = Z.T @ M @ Z, Z.T @ K @ Z
    values, V = eigh(K.real, M.real, subset_by_index=(0, count - 1))
    return values + 1j * np.einsum("ik,ijk,jk->k", V, K.imag[:, :, None] - values * M.imag[:, :, None], V)


def whole_squares(structure: Structure, count: int, held: int | None = None) -> np.ndarray:
    free = np.setdiff1d(np.arange(len(structure.M)), [] if held is None else structure.freedoms[held])
    at = np.ix_(free, free)
    return eigh(structure.K[at], structure.M[at], eigvals_only=True)[:count]


def random_modes(structure: Structure, m: int = 4, seed: int = 1) -> np.ndarray:
    """Any shapes (N, m), mass-orthogonal to rigid motion."""
    R, _ = rigid_motions(structure, mass_and_centre(structure)[1])
    X = np.random.default_rng(seed).normal(size=(structure.M.shape[0], m))
    return X - R @ np.linalg.solve(R.T @ (structure.M @ R), R.T @ (structure.M @ X))


# ---------------------------------------------------------------- Craig-Bampton


def test_clamped_afterwards() -> None:
    """20 elements, both ends as interface, 8 modes between them: the errors that an independent
    reduction of the same beam leaves in the frequencies of the cantilever."""
    beam = planar_beam(20)
    body = reduce(beam, [0, 20], modes=8)
    reduced = np.sqrt(clamped_squares(beam, body, 0, 5).real)
    error = reduced / np.sqrt(whole_squares(beam, 5, held=0)) - 1
    np.testing.assert_allclose(error, [3.1e-7, 9.7e-6, 6.1e-5, 1.8e-4, 3.8e-4], rtol=0.02)
    assert body.modes == 4 + 8 - 2


@pytest.mark.parametrize("method", ["craig-bampton", "free", "attachment"])
def test_all_modes_are_the_whole_structure(method: str) -> None:
    whole = frame()
    body = reduce(whole, [0, 5], method=method)
    assert body.modes == 36 - 6
    np.testing.assert_allclose(body.frequencies**2, whole_squares(whole, 36)[6:], rtol=1e-9)
    np.testing.assert_allclose(clamped_squares(whole, body, 3, 30), whole_squares(whole, 30, held=3), rtol=1e-9)
    np.testing.assert_array_equal(body.modal_mass, np.eye(30))
    np.testing.assert_allclose(body.stiffness, np.diag(body.frequencies**2), rtol=1e-15)


def test_free_modes_are_those_of_the_whole() -> None:
    whole = frame()
    body = reduce(whole, modes=7, method="free")
    np.testing.assert_allclose(body.frequencies**2, whole_squares(whole, 13)[6:], rtol=1e-10)
    upto = reduce(whole, upto=float(body.frequencies[4]) * 1.0001, method="free")
    np.testing.assert_allclose(upto.frequencies, body.frequencies[:5], rtol=1e-12)


def test_without_an_interface_the_modes_are_free() -> None:
    whole = frame()
    np.testing.assert_array_equal(reduce(whole, modes=5).frequencies, reduce(whole, modes=5, method="free").frequencies)


@pytest.mark.parametrize("method", ["craig-bampton", "attachment"])
def test_loads_at_the_interface_deflect_it_as_the_whole(method: str) -> None:
    """Static shapes are exact whatever modes are kept: node 5 under loads, node 0 held."""
    whole = frame()
    body = reduce(whole, [0, 5], modes=2, method=method)
    _, K, shapes = in_six(whole, body)
    rows = shapes[:6]
    Z = np.vstack([-np.linalg.solve(rows[:, :6], rows[:, 6:]), np.eye(body.modes)])
    tip = shapes[30:] @ Z
    found = tip @ np.linalg.solve(Z.T @ K @ Z, tip.T)
    exact = np.linalg.inv(whole.K[6:, 6:])[-6:, -6:]
    np.testing.assert_allclose(found, exact, rtol=1e-9, atol=1e-9 * np.abs(exact).max())


def test_modes_carry_no_momentum() -> None:
    whole = frame()
    body = reduce(whole, [0], modes=9)
    points = whole.points
    assert points is not None
    arm = points.position - body.centre
    move = body.move + np.cross(np.swapaxes(body.turn, 1, 2), (points.position - whole.nodes)[:, None]).swapaxes(1, 2)
    momentum = np.einsum("g,gik->ik", points.mass, move)
    moment = np.einsum("gij,gjk->ik", points.mass[:, None, None] * skew(arm), move)
    moment += np.einsum("gij,gjk->ik", points.inertia, body.turn)
    np.testing.assert_allclose(np.vstack([momentum, moment]), 0, atol=1e-12)


def test_an_interface_that_holds_too_little() -> None:
    """One point of a solid: three freedoms more are treated like it."""
    whole = lattice((3, 3, 2))
    body = reduce(whole, [0], modes=5)
    assert body.modes == 5
    everything = reduce(whole, [0])
    dense = replace(whole, M=whole.M.toarray(), K=whole.K.toarray())
    np.testing.assert_allclose(everything.frequencies**2, whole_squares(dense, 54)[6:], rtol=1e-8)


def test_equal_frequencies_are_kept_together() -> None:
    """The same beam in two planes: each frequency occurs twice."""
    one = planar_beam(10)
    two = np.full((11, 6), -1)
    two[:, 1], two[:, 5], two[:, 2], two[:, 4] = (
        *one.freedoms[:, [1, 5]].T,
        22 + one.freedoms[:, 1],
        23 + one.freedoms[:, 1],
    )
    flip = np.diag(np.tile([1.0, -1.0], 11))
    both = replace(
        one, freedoms=two, M=block_diag(one.M, flip @ one.M @ flip), K=block_diag(one.K, flip @ one.K @ flip)
    )
    assert reduce(both, [0], modes=3).modes == 8 + 4 - 4 - 4
    body = reduce(both, [0], modes=3)
    np.testing.assert_allclose(body.frequencies[0::2], body.frequencies[1::2], rtol=1e-9)
    np.testing.assert_allclose(body.move[:, 2, 0::2], 0, atol=1e-8)  # of each pair, the first is in the first plane
    np.testing.assert_allclose(np.abs(body.move[:, 2, 1::2]), np.abs(body.move[:, 1, 0::2]), atol=1e-8)


def test_a_load_in_the_drawing_moves_the_place_of_rest_and_chooses_no_modes() -> None:
    whole = frame()
    pull = np.random.default_rng(3).normal(size=len(whole.K))
    plain, loaded = reduce(whole, [0], modes=6), reduce(replace(whole, pull=pull), [0], modes=6)
    shapes = np.concatenate([plain.move, plain.turn], axis=1).reshape(36, -1)
    np.testing.assert_allclose(loaded.stiffness @ loaded.rest, -shapes.T @ pull, rtol=1e-9, atol=1e-9)
    np.testing.assert_array_equal(loaded.frequencies, plain.frequencies)
    np.testing.assert_array_equal(plain.rest, 0)


# ---------------------------------------------------------------- large and sparse


@pytest.mark.parametrize("interface", [[0], [0, 20]])
def test_derivatives_of_few_modes_are_those_of_all(interface: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    """Modes of a twisted, tapered beam whose sections carry a step, by bordered solutions and by all its modes."""
    section = {"E": 1e9 + 1e-11j, "G": 4e8, "A": [1e-2, 8e-3], "Iy": [1e-5, 5e-6 + 1e-26j], "Iz": 2e-5, "J": 2e-5}
    line = BeamStations(
        points=[[0, 0, 0], [1, 0.2 + 1e-21j, 0]], density=1e3, ky=0.8, kz=0.8, twist=[0.0, 0.5], **section
    )
    beam = beam_structure(line, 20)
    few = reduce(beam, interface, modes=6)
    monkeypatch.setattr(reduction, "FEW", 10_000)
    every = reduce(beam, interface, modes=6)
    for name in ("modal_mass", "stiffness", "J2", "b"):
        one, other = (np.asarray(getattr(body, name)) for body in (few, every))
        np.testing.assert_allclose(one.real, other.real, atol=1e-7 * np.abs(other.real).max(), err_msg=name)
    wanted, found = (np.array([value.imag for value in _eigenvalues(body)]) for body in (every, few))
    np.testing.assert_allclose(found, wanted, rtol=1e-6, atol=1e-8 * np.abs(wanted).max())


def _eigenvalues(body: Reduced) -> list[complex]:
    """omega^2 of the free body in its modes, with their derivatives."""
    values, V = eigh(np.real(body.stiffness), np.real(body.modal_mass))
    return [
        value + 1j * (v @ (np.imag(body.stiffness) - value * np.imag(body.modal_mass)) @ v)
        for value, v in zip(values, V.T, strict=True)
    ]


@pytest.mark.parametrize("method", ["craig-bampton", "free", "attachment"])
def test_sparse_and_dense_agree(method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = lattice((4, 4, 3))
    dense = reduce(whole, [0, 3, 47], modes=12, method=method)
    monkeypatch.setattr(reduction, "DENSE", 0)
    monkeypatch.setattr(reduction, "FEW", 0)
    sparse = reduce(whole, [0, 3, 47], modes=12, method=method)
    np.testing.assert_allclose(sparse.frequencies, dense.frequencies, rtol=1e-9)
    np.testing.assert_allclose(sparse.move, dense.move, atol=1e-6)
    np.testing.assert_allclose(sparse.J2, dense.J2, atol=1e-6)


@pytest.mark.parametrize("copies", [4, 7, 20])
@pytest.mark.parametrize("is_free", [False, True])
def test_a_frequency_is_found_as_often_as_it_occurs(copies: int, is_free: bool) -> None:
    """Equal chains, of which few modes are wanted; one of them may lack the mass of a rigid motion."""
    chain, n = 2 * np.eye(12) - np.eye(12, k=1) - np.eye(12, k=-1), 12 * copies
    M, K = csc_array(np.eye(n)), csc_array(block_diag(*[chain] * copies))
    rigid = None
    if is_free:
        shape = np.zeros((n, 1))
        shape[:12, 0] = np.linspace(0.5, 1.0, 12)
        rigid = shape, 2 * shape.T @ shape
    every = DensePencil(M.toarray() - (0 if rigid is None else rigid[0] @ rigid[0].T / rigid[1]), K.toarray())
    for modes in range(1, 2 * copies):
        found = SparsePencil(M, K, rigid, np.arange(n)).lowest(modes, None)
        wanted = every.lowest(modes, None)
        assert found.shape == wanted.shape
        np.testing.assert_allclose(found @ found.T, wanted @ wanted.T, atol=1e-9)  # the same span, V^T K V = 1


def test_modes_up_to_a_frequency_in_a_sparse_structure(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = lattice((6, 4, 3))
    limit = float(reduce(whole, method="free").frequencies[45]) * 1.00001
    monkeypatch.setattr(reduction, "DENSE", 0)
    monkeypatch.setattr(reduction, "FEW", 0)
    assert reduce(whole, upto=limit, method="free").modes == 46


# ---------------------------------------------------------------- derivatives


@pytest.mark.parametrize("parameter", ["EI", "length", "stiffer"])
@pytest.mark.parametrize("method", ["craig-bampton", "free", "attachment"])
def test_derivatives_of_a_reduced_beam(method: str, parameter: str) -> None:
    def squares(value: Any) -> np.ndarray:
        beam = planar_beam(12, **{parameter: value})
        return clamped_squares(beam, reduce(beam, [12], modes=4, method=method), 0, 4)

    compare_derivative(squares, 1.0)


@pytest.mark.parametrize("method", ["craig-bampton", "free", "attachment"])
def test_derivatives_of_a_reduced_frame(method: str) -> None:
    def squares(value: Any) -> np.ndarray:
        whole = frame(change=value)
        return clamped_squares(whole, reduce(whole, [4], modes=5, method=method), 1, 5)

    compare_derivative(squares, 0.0)


def compare_derivative(squares: Any, at: float) -> None:
    step = 1e-3

    def slope(h: float) -> np.ndarray:
        return (squares(at + h).real - squares(at - h).real) / (2 * h)

    differences = (64 * slope(step / 4) - 20 * slope(step / 2) + slope(step)) / 45
    exact = squares(at + 1e-40j).imag / 1e-40
    assert np.abs(exact / squares(at).real).max() > 1e-3
    np.testing.assert_allclose(exact, differences, rtol=1e-6)


def test_derivatives_of_the_inertia() -> None:
    """J of a given deformation of the whole, which any change inside the span leaves alone."""

    def moment(value: Any) -> np.ndarray:
        whole = frame(change=value)
        body = reduce(whole, [4], modes=3)
        M, K, shapes = in_six(whole, body)
        rows = shapes[:6]
        Z = np.vstack([-np.linalg.solve(rows[:, :6], rows[:, 6:]), np.eye(body.modes)])
        load = (shapes @ Z).T @ (whole.M @ np.sin(np.arange(36)))
        eta = np.linalg.solve(Z.T @ (K + M) @ Z, load)
        rate = np.linalg.solve(Z.T @ (K + 2 * M) @ Z, load)
        J = body.J0 + np.einsum("k,kij->ij", eta, body.J1) + np.einsum("k,l,klij->ij", eta, eta, body.J2)
        return np.concatenate([J.ravel(), np.einsum("k,l,kla->a", eta, rate, body.b), [body.mass], body.centre])

    step = 1e-3
    slope = [(moment(h) - moment(-h)) / (2 * h) for h in (step, step / 2, step / 4)]
    differences = (64 * slope[2] - 20 * slope[1] + slope[0]) / 45
    exact = moment(1e-40j).imag / 1e-40
    np.testing.assert_allclose(exact, differences, rtol=1e-6, atol=1e-8 * np.abs(exact).max())


# ---------------------------------------------------------------- invariants


def body_rates(th: np.ndarray, rate: np.ndarray) -> np.ndarray:
    """Angular velocity in the turned axes of the rotation vectors th (g, 3), analytic also for complex ones."""
    x2 = (th * th).sum(axis=1)[:, None]
    first = sum((-1) ** k * x2**k / np.prod(np.arange(1.0, 2 * k + 3)) for k in range(12))  # (1 - cos x) / x^2
    second = sum((-1) ** k * x2**k / np.prod(np.arange(1.0, 2 * k + 4)) for k in range(12))  # (x - sin x) / x^3
    once = np.cross(th, rate)
    return rate - first * once + second * np.cross(th, once)


def exact_energy(
    points: InertiaPoints, centre: np.ndarray, v: np.ndarray, w: np.ndarray, d: np.ndarray, rate: np.ndarray
) -> Any:
    """Kinetic energy of the points in finite motion."""
    u, du, th, dth = points.move @ d, points.move @ rate, points.turn @ d, points.turn @ rate
    velocity = v + np.cross(w, points.position - centre + u) + du
    ws = (np.swapaxes(exp(th), 1, 2) @ w) + body_rates(th, dth)
    return (points.mass @ (velocity**2).sum(axis=1) + np.einsum("gi,gij,gj->", ws, points.inertia, ws)) / 2


def test_energy_of_the_exact_motion_to_second_order() -> None:
    whole = frame()
    points = whole.points
    assert points is not None
    Phi = random_modes(whole)
    own = invariants(whole, Phi)
    rng = np.random.default_rng(7)
    v, w, eta, rate = rng.normal(size=3), rng.normal(size=3), rng.normal(size=4), rng.normal(size=4)
    circle = 0.05 * np.exp(2j * np.pi * np.arange(16) / 16)
    energy = [exact_energy(points, own.centre, v, w, s * Phi @ eta, s * Phi @ rate) for s in circle]
    series = (np.fft.fft(energy) / 16)[:3].real / 0.05 ** np.arange(3)

    th, dth = points.turn @ Phi @ eta, points.turn @ Phi @ rate
    turned = np.cross(th, np.einsum("gij,gj->gi", points.inertia, dth))
    turned += np.cross(dth, np.einsum("gij,gj->gi", points.inertia, th))
    expected = [
        own.mass * v @ v / 2 + w @ own.J0 @ w / 2,
        w @ np.einsum("k,kij->ij", eta, own.J1) @ w / 2,
        w @ np.einsum("k,l,klij->ij", eta, eta, own.J2) @ w / 2
        + w @ np.einsum("l,k,lka->a", eta, rate, own.b)
        + rate @ (Phi.T @ whole.M @ Phi) @ rate / 2
        + w @ turned.sum(axis=0) / 2,  # the rate of a function of eta, left out of b: see the module
    ]
    np.testing.assert_allclose(series, expected, rtol=1e-9)


def test_rigid_inertia_by_the_parallel_axis_theorem() -> None:
    whole = frame()
    points = whole.points
    assert points is not None
    own = invariants(whole, random_modes(whole))
    total = points.mass.sum()
    about_origin = sum(
        J - m * skew(p) @ skew(p) for m, J, p in zip(points.mass, points.inertia, points.position, strict=True)
    )
    c = (points.mass[:, None] * points.position).sum(axis=0) / total
    np.testing.assert_allclose(own.mass, total)
    np.testing.assert_allclose(own.centre, c)
    np.testing.assert_allclose(own.J0, about_origin + total * skew(c) @ skew(c), rtol=1e-12)


def same(a: inertia.Invariants, b: inertia.Invariants) -> None:
    for name in ("mass", "centre", "J0", "J1", "J2", "b"):
        np.testing.assert_allclose(getattr(a, name), getattr(b, name), rtol=1e-10, atol=1e-11, err_msg=name)


def test_points_and_the_mass_matrix_agree_for_lumps() -> None:
    whole = frame(offsets=False)
    Phi = random_modes(whole)
    same(invariants(replace(whole, points=None), Phi), invariants(whole, Phi))
    same(invariants(replace(whole, points=None, M=csr_array(whole.M)), Phi), invariants(whole, Phi))


def test_lumps_on_arms() -> None:
    """The matrix has their inertia about the node, which turns with it: points do not have c x 1/2 th x (th x c)."""
    whole = frame()
    points = whole.points
    assert points is not None
    Phi = random_modes(whole)
    exact, found = invariants(whole, Phi), invariants(replace(whole, points=None), Phi)
    th, c = np.moveaxis(points.turn @ Phi, 2, 0), points.position - whole.nodes
    for k in range(4):
        for m in range(4):
            second = (np.cross(th[k], np.cross(th[m], c)) + np.cross(th[m], np.cross(th[k], c))) / 4
            arms = -points.mass[:, None, None] * (skew(c) @ skew(second) + skew(second) @ skew(c))
            exact.J2[k, m] += arms.sum(axis=0)
    same(found, exact)


def test_the_mass_matrix_of_a_beam_approaches_its_points() -> None:
    """Without rotary inertia, which shape functions write into displacements: by the square of an element's length."""
    section = {"E": 1e9, "G": 4e8, "A": 1e-2, "Iy": 1e-5, "Iz": 2e-5, "J": 2e-5, "m": 10.0, "jx": 0.1, "jy": 0, "jz": 0}
    line = BeamStations(points=[[0, 0, 0], [0.6, 0.3, 0], [1, 0, 0.4]], **section)
    errors = []
    for n in (8, 16, 32):
        beam = beam_structure(line, n, inside=False)
        body = reduce(replace(beam, line=None), [0], modes=4)
        Phi = np.concatenate([body.move, body.turn], axis=1).reshape(-1, body.modes)
        found = invariants(replace(beam, points=None), Phi)
        np.testing.assert_allclose(found.J0, body.J0, rtol=1e-12, atol=1e-12)
        pairs = ((body.J1, found.J1), (body.J2, found.J2), (body.b, found.b))
        errors.append([np.abs(one - other).max() / np.abs(one).max() for one, other in pairs])
    order = np.log2(np.array(errors[:-1]) / np.array(errors[1:]))
    assert order.min() > 1.8, order
    assert np.max(errors[-1]) < 0.005


def test_a_solid_against_direct_summation() -> None:
    """Mass that couples nodes: sum_ij m_ij of products of places and displacements."""
    whole = lattice((3, 2, 2))
    Phi = random_modes(whole, 3)
    own = invariants(whole, Phi)
    mass = whole.M.toarray()[::3, ::3]
    total = mass.sum()
    c = mass.sum(axis=0) @ whole.nodes / total
    p, u = whole.nodes - c, Phi.reshape(-1, 3, 3)
    J0, J1, J2, b = np.zeros((3, 3)), np.zeros((3, 3, 3)), np.zeros((3, 3, 3, 3)), np.zeros((3, 3, 3))
    for i in range(len(p)):
        for j in range(len(p)):
            J0 -= mass[i, j] * skew(p[i]) @ skew(p[j])
            for k in range(3):
                J1[k] -= mass[i, j] * (skew(p[i]) @ skew(u[j, :, k]) + skew(u[i, :, k]) @ skew(p[j]))
                for m in range(3):
                    first, second = skew(u[i, :, k]), skew(u[j, :, m])
                    J2[k, m] -= mass[i, j] * (first @ second + second @ first) / 2
                    b[k, m] += mass[i, j] * np.cross(u[i, :, k], u[j, :, m])
    same(own, inertia.Invariants(total, c, J0, J1, J2, b))


def test_a_structure_in_a_plane_has_its_mass_in_space() -> None:
    beam = planar_beam(40)
    body = reduce(beam, [0], modes=2)
    assert body.mass == pytest.approx(1.0)
    across = 1 / 12 + 1 / (6 * 40**2)  # of masses lumped at the nodes
    np.testing.assert_allclose(body.J0, np.diag([0, across, 1 / 12]), atol=1e-14)
    assert list(rigid_motions(beam, body.centre)[1]) == [1, 5]


@pytest.mark.parametrize("points", [True, False])
def test_a_body_may_keep_no_modes(points: bool) -> None:
    whole = frame()
    body = reduce(whole if points else replace(whole, points=None), [0], modes=0)
    assert (body.modes, body.J2.shape, body.turn.shape) == (0, (0, 0, 3, 3), (6, 3, 0))
    np.testing.assert_allclose(body.J0, reduce(whole, [0], modes=2).J0)


def test_symmetries_of_the_invariants() -> None:
    body = reduce(frame(), [0, 2], modes=4)
    np.testing.assert_allclose(body.J1, body.J1.swapaxes(1, 2))
    np.testing.assert_allclose(body.J2, body.J2.swapaxes(2, 3))
    np.testing.assert_allclose(body.J2, body.J2.swapaxes(0, 1))
    np.testing.assert_allclose(body.b, -body.b.swapaxes(0, 1))


# ---------------------------------------------------------------- rotations of nodes that have none


def test_points_of_a_solid_turn_with_their_neighbours() -> None:
    """A homogeneous deformation u = F p turns every point by the skew part of F where neighbours lie on all sides, and
    a rigid rotation turns all of them by itself."""
    whole = lattice((3, 3, 3))
    F = np.array([[0.2, 0.5, -0.1], [0.1, -0.3, 0.4], [0.7, 0.0, 0.1]])
    rigid = skew(np.array([0.3, -0.2, 0.5]))
    Phi = np.stack([(whole.nodes @ F.T).ravel(), (whole.nodes @ rigid.T).ravel()], axis=1)
    turn = node_turns(whole, Phi)
    np.testing.assert_allclose(turn[:, :, 1], np.broadcast_to([0.3, -0.2, 0.5], (27, 3)), atol=1e-12)
    middle = turn[13, :, 0]
    shear = np.array([F[2, 1] - F[1, 2], F[0, 2] - F[2, 0], F[1, 0] - F[0, 1]])
    strain = (F + F.T) / 2
    extent = np.array([1.0, 0.8, 0.5]) ** 2  # of the neighbourhood along each axis
    skewed = [(extent[1] - extent[2]) / (extent[1] + extent[2]) * strain[1, 2],
              (extent[2] - extent[0]) / (extent[2] + extent[0]) * strain[2, 0],
              (extent[0] - extent[1]) / (extent[0] + extent[1]) * strain[0, 1]]  # fmt: skip
    np.testing.assert_allclose(middle, shear / 2 + skewed, atol=1e-12)


def test_points_in_a_line_do_not_turn_about_it() -> None:
    """A string of points: turned across the line by their neighbours, about it not at all."""
    n = 5
    nodes = np.arange(n)[:, None] * np.array([1.0, 1.0, 0.0])
    freedoms = np.full((n, 6), -1)
    freedoms[:, :3] = np.arange(3 * n).reshape(n, 3)
    K = np.kron(np.diag(np.ones(n - 1), 1) + np.diag(np.ones(n - 1), -1), np.eye(3))
    string = Structure(tuple("abcde"), nodes, freedoms, np.eye(3 * n), K)
    turn = node_turns(string, np.cross([0.1, 0.2, 0.3], nodes).reshape(-1, 1))
    np.testing.assert_allclose(turn[:, :, 0], np.broadcast_to([-0.05, 0.05, 0.3], (n, 3)), atol=1e-12)


def test_nodes_with_rotations_keep_their_own() -> None:
    whole = frame()
    Phi = random_modes(whole)
    np.testing.assert_array_equal(node_turns(whole, Phi), Phi.reshape(6, 6, 4)[:, 3:])


# ---------------------------------------------------------------- refusals


def test_a_part_that_is_not_connected() -> None:
    one, two = frame(), frame(seed=4)
    both = Structure(
        tuple(map(str, range(12))), np.vstack([one.nodes, two.nodes + 9]), np.arange(72).reshape(12, 6),
        block_diag(one.M, two.M), block_diag(one.K, two.K),
    )  # fmt: skip
    with pytest.raises(InputError, match=r"flexible\.arm: it can move with no or negative strain energy"):
        reduce(both, [0], modes=4, where="flexible.arm")


def test_shapes_without_mass() -> None:
    beam = planar_beam(1)
    lumped = replace(beam, M=np.diag([0.5, 0.0, 0.5, 0.0]))
    with pytest.raises(InputError, match="without mass"):
        reduce(lumped, [0, 1], modes=0)


@pytest.mark.parametrize(
    ("request_", "message"),
    [
        ({"interface": [9]}, "no node 9"),
        ({"modes": -1}, "-1 modes"),
        ({"upto": float("nan")}, "up to nan"),
        ({"method": "craig"}, 'Did you mean "craig-bampton"'),
    ],
)
def test_requests_that_make_no_sense(request_: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        reduce(frame(), **request_)
