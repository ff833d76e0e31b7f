"""The sparse path gives what the dense path gives, on every example, on random mechanisms in motion, and at size."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import numpy as np
import pytest
import scipy.linalg
from scipy.sparse.linalg import LinearOperator, eigsh

import eigenbody as eb
from mechanisms import KINDS, random_mechanism

EXAMPLES = Path(__file__).parents[2] / "examples"
spec = importlib.util.spec_from_file_location("families", EXAMPLES / "families.py")
assert spec is not None
assert spec.loader is not None
families = importlib.util.module_from_spec(spec)
spec.loader.exec_module(families)


def assert_same(model: eb.Model, n: int | None = None, near: float | None = None) -> tuple[eb.Modes, eb.Modes]:
    """Same entries to 1e-8 of each eigenvalue (zeros exactly), same stability where all are found."""
    linear = eb.linearize(model, solver="dense")  # not in multi-blade coordinates, which the sparse path does not seek
    dense = eb.modes(linear, n=n, near=near)
    sparse = eb.modes(model, n=n or len(dense), near=near, solver="sparse")
    assert (dense.solver, sparse.solver) == ("dense", "sparse")
    assert len(dense) == len(sparse)
    zeros = dense.eigenvalues == 0
    assert np.count_nonzero(sparse.eigenvalues == 0) == np.count_nonzero(zeros)
    a, b = dense.eigenvalues[~zeros], sparse.eigenvalues[sparse.eigenvalues != 0]
    scale = 1e-8 * np.abs(a) + unavoidable(dense)[~zeros]
    nearest = np.abs(a[:, None] - b[None, :]).min(axis=1, initial=np.inf) if len(b) else np.zeros(0)
    assert np.all(nearest <= scale), np.max(nearest / scale)
    return dense, sparse


def unavoidable(modes: eb.Modes) -> np.ndarray:
    """What rounding in A alone does to each eigenvalue: its condition number times eps times the size of A."""
    A = modes.linear.A
    values, left, right = scipy.linalg.eig(A, left=True)
    angle = np.abs((left.conj() * right).sum(axis=0))
    bound = 100 * np.finfo(float).eps * np.linalg.norm(A, 2) / np.maximum(angle, 1e-300)
    nearest = np.abs(values[:, None] - modes.eigenvalues[None, :]).argmin(axis=0)
    return bound[nearest]


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.yaml")), ids=lambda path: path.stem)
def test_examples(path: Path) -> None:
    model = eb.load(path)
    many = eb.linearize(model).dof > 100  # stiff against soft by 1e9: only the lowest are worth a second route
    dense, sparse = assert_same(model, n=12 if many else None)
    assert dense.stability == sparse.stability or dense.blades.chart is not None


def test_rotor_at_one_hertz() -> None:
    assert_same(eb.load(EXAMPLES / "rotor_stator.yaml", speed="1 Hz"))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(5))
def test_random_mechanisms(kind: str, seed: int) -> None:
    document = random_mechanism(np.random.default_rng(4000 + seed), kind)
    dense, sparse = assert_same(eb.load(document))
    assert dense.stability == sparse.stability


@pytest.mark.parametrize("name", ["C60RF1", "C40SF1", "TL6RF1", "L40RF1", "L20CF1"])
def test_families_by_iteration(name: str) -> None:
    _, sparse = assert_same(eb.load(families.family(name)), n=6)
    assert sparse.residuals is not None
    assert sparse.residuals.max() < 1e-8


def test_near_a_frequency() -> None:
    assert_same(eb.load(families.family("C60RF1")), n=3, near=60.0)


def spinning_chain(n: int, free: bool = False, damping: float = 0.0, speed: float = 0.0) -> dict:
    """A chain on ball joints with bushings and a spinning disc on a bearing-like revolute at its end."""
    document = families.family(f"C{n}SF1")
    for force in document["forces"].values():
        force["c"] = [damping * 1e-3 * 1e4] * 6
    if free:
        document["joints"].pop("j1")
        document["forces"].pop("s1_1")
    if speed:
        top = [0, 0, 0.2 * n]
        document["bodies"]["disc"] = {"mass": 2, "inertia": [0.5, 0.5, 1.0], "at": top}
        document["joints"]["spin"] = {
            "type": "revolute", "between": [f"b{n}", "disc"], "at": top, "axis": [0, 0, 1], "velocity": speed,
        }  # fmt: skip
    return document


def test_a_spinning_disc_on_a_long_chain() -> None:
    """Gyroscopic splitting on the augmented pencil: the frozen pencil of the bodies' own axes would be wrong."""
    dense, _ = assert_same(eb.load(spinning_chain(30, speed=200.0)), n=8)
    split = dense.frequency_hz[dense.frequency_hz > 0]
    assert split[1] - split[0] > 1e-4 * split[0]


@pytest.mark.parametrize("damping", [0.0, 1.0])
def test_a_free_chain_has_six_free_motions(damping: float) -> None:
    dense, sparse = assert_same(eb.load(spinning_chain(40, free=True, damping=damping)), n=16)
    assert np.count_nonzero(dense.eigenvalues == 0) == 12
    assert sparse.stability == "drifting"


def row_of_bodies(n: int, velocity: list[float] | None = None) -> dict:
    """Free bodies in a row along x on ball joints with rotational bushings; they may travel as a whole."""
    bodies = {f"b{i}": {"mass": 1, "inertia": [0.1, 0.1, 0.1], "at": [i, 0, 0]} for i in range(n)}
    joints, forces = {}, {}
    for i in range(1, n):
        place = {"between": [f"b{i - 1}", f"b{i}"], "at": [i - 0.5, 0, 0]}
        joints[f"j{i}"] = {"type": "spherical", **place}
        forces[f"s{i}"] = {"type": "bushing", "k": [0, 0, 0, 50, 50, 50], **place}
    if velocity:
        joints["fly"] = {"type": "free", "between": ["ground", "b0"], "at": [0, 0, 0], "velocity": [*velocity, 0, 0, 0]}
    return {"eigenbody": 1, "bodies": bodies, "joints": joints, "forces": forces}


@pytest.mark.parametrize("n", [5, 8, 12])
def test_a_free_row_vibrates_alike_at_rest_and_travelling(n: int) -> None:
    """Galileo: the elastic frequencies do not change, and the six free motions give twelve zeros."""
    still, _ = assert_same(eb.load(row_of_bodies(n)))
    travelling, _ = assert_same(eb.load(row_of_bodies(n, velocity=[1, 2, 3])))
    for modes in (still, travelling):
        assert np.count_nonzero(modes.eigenvalues == 0) == 12
        assert modes.stability == "drifting"
    np.testing.assert_allclose(travelling.frequency_hz, still.frequency_hz, rtol=1e-9)


def test_ladder_of_333_layers() -> None:
    """999 bodies, 999 redundant rows; frequencies from exact elimination of the redundant rows."""
    modes = eb.modes(eb.load(families.family("L333RF1")), n=5)
    assert modes.solver == "sparse"
    assert len(modes.certificate.redundant) == 999
    np.testing.assert_allclose(modes.frequency_hz[:2], [1.63956805752, 4.91691943512], rtol=1e-9)


def bending_of_a_chain(bodies: int) -> np.ndarray:
    """The four lowest bending frequencies in Hz of C<bodies>SF1, in the relative rotations of its joints: sums along
    the chain and back, without a difference that could cancel."""
    k, mass, inertia, length = 1e4 * 180 / np.pi, 4.0, 1.0, 0.2

    def flexibility(theta: np.ndarray) -> np.ndarray:
        turned = np.cumsum(theta)
        start = np.concatenate(([0.0], length * np.cumsum(turned)[:-1]))
        force, moment = mass * (start + length / 2 * turned), inertia * turned
        beyond = np.concatenate((np.cumsum(force[::-1])[::-1][1:], [0.0]))
        return np.cumsum((moment + length / 2 * force + length * beyond)[::-1])[::-1] / k

    operator = LinearOperator((bodies, bodies), lambda x: flexibility(x.ravel()), dtype=float)
    inverse = eigsh(operator, k=4, tol=1e-14, return_eigenvectors=False)
    return np.sort(1 / np.sqrt(inverse)) / (2 * np.pi)


@pytest.mark.parametrize("bodies", [300, 5000])
def test_soft_motion_of_many_bodies(bodies: int) -> None:
    """The rows of K that bend 5000 bodies cancel to a part of 1e-13: deflections keep the digits."""
    modes = eb.modes(eb.load(families.family(f"C{bodies}SF1")), n=20, solver="sparse")
    twice = np.repeat(bending_of_a_chain(bodies), 2)  # across the chain in two directions
    bending = [f for f in modes.frequency_hz if np.abs(twice / f - 1).min() < 1e-3]
    np.testing.assert_allclose(bending[:8], twice, rtol=1e-10)
    assert modes.complete is True
    assert modes.stability == "stable"


def hanging_chain(bodies: int) -> dict:
    """Ball joints under gravity, full bushings, a spring across some joints, a damper alone and a free bushing."""
    document = families.family(f"C{bodies}SF1")
    document["gravity"] = [0, 0, 9.81]  # the chain is drawn upwards: it hangs
    full = np.diag([0.0, 0, 0, 40, 50, 60]) + 5.0 * np.eye(6, k=1) + 5.0 * np.eye(6, k=-1)
    for i, force in enumerate(document["forces"].values()):
        force["k"] = full.tolist() if i % 3 == 0 else [0, 0, 0, 30 + i, 40, 50]
        force["c"] = [0, 0, 0, 0.3, 0.4, 0.2 + 0.01 * i]
    across = {"type": "spring", "between": ["b3", "b9"], "at": [[0, 0.1, 0.5], [0, 0.1, 1.7]], "k": 500, "c": 2}
    dashpot = {"type": "damper", "between": ["ground", "b20"], "at": [[1, 0, 4], [0, 0, 3.9]], "c": 3}
    document["forces"] |= {"across": across | {"free_length": 1.2}, "dashpot": dashpot}
    return document


@pytest.mark.parametrize("name", ["L60RF1", "L30SF2", "hanging"])
@pytest.mark.parametrize("n", [4, 20])
def test_some_at_a_time(monkeypatch: pytest.MonkeyPatch, name: str, n: int) -> None:
    """Large systems are worked on some measures, rows and vectors at a time, which changes nothing but rounding."""
    from eigenbody.numerics.matrices import assembly, linear
    from eigenbody.system import measureset

    document = hanging_chain(30) if name == "hanging" else families.family(name)
    whole = eb.modes(eb.load(document), n=n, solver="sparse")
    for module, limit, value in ((measureset, "MANY", 5), (measureset, "AT_A_TIME", 7), (assembly, "ROWS", 11)):
        monkeypatch.setattr(module, limit, value)
    monkeypatch.setattr(linear, "TOGETHER", 1000)
    some = eb.modes(eb.load(document), n=n, solver="sparse")
    np.testing.assert_allclose(some.eigenvalues, whole.eigenvalues, rtol=1e-11)
    np.testing.assert_allclose(some.bounds, whole.bounds, rtol=1e-2)
    assert some.complete == whole.complete
    assert some.residuals.max() < 1e-11
    assert some.linear.certificate.tangent_error < 1e-12


@pytest.mark.parametrize("added", [False, True])
def test_deflections_of_loaded_elements(monkeypatch: pytest.MonkeyPatch, added: bool) -> None:
    """Geometric stiffness, coupled directions and damping without stiffness stay beside the springs."""
    from eigenbody.numerics.eigen import constrained

    used: list[bool] = []
    whole = constrained.ConstrainedPencil._by_deflections
    monkeypatch.setattr(constrained, "NEAR_ROUNDING", 1e300)
    monkeypatch.setattr(constrained.ConstrainedPencil, "_by_deflections", lambda self: used.append(True) or whole(self))
    model = eb.load(hanging_chain(40))
    dense, sparse = (eb.linearize(model, solver=solver) for solver in ("dense", "sparse"))
    if added:
        dense, sparse = (eb.with_damping(linear, proportional=(0.02, 1e-4)) for linear in (dense, sparse))
    expected, found = eb.modes(dense, n=20), eb.modes(sparse, n=20)
    np.testing.assert_allclose(found.eigenvalues, expected.eigenvalues, rtol=1e-9)
    assert used
    assert found.residuals is not None
    assert found.residuals.max() < 1e-9


def test_dampers_alone_have_no_deflections_to_keep() -> None:
    """Held up by gravity: the stiffness is that of loaded joints."""
    document = hanging_chain(12)
    document["forces"] = {name: force for name, force in document["forces"].items() if force["type"] == "bushing"}
    assert eb.linearize(eb.load(document), solver="sparse").sparse.springs() is not None
    for force in document["forces"].values():
        force["k"] = [0] * 6
    assert eb.linearize(eb.load(document), solver="sparse").sparse.springs() is None


@pytest.mark.parametrize("name", ["C2000SF1", "TL11RF1", "TL11SF1", "L700RF1", "L700SF1"])
def test_no_mode_of_two_thousand_bodies_was_missed(name: str) -> None:
    """The inertia count needs constraints soft enough for double precision and stiff enough for the modes."""
    assert eb.modes(eb.load(families.family(name)), n=20, solver="sparse").complete is True


def test_a_ring_closes_by_one_long_loop() -> None:
    """Twelve bodies in a planar ring of revolutes on ground: 12 + 1 joints, n - 3 freedoms, 3 redundant rows."""
    n, bodies, joints, forces = 12, {}, {}, {}
    corner = [[np.cos(2 * np.pi * k / n), np.sin(2 * np.pi * k / n), 0.0] for k in range(n)]
    names = ["ground", *(f"b{k}" for k in range(1, n))]
    for k in range(1, n):
        middle = [(a + b) / 2 for a, b in zip(corner[k], corner[(k + 1) % n], strict=True)]
        bodies[names[k]] = {"mass": 1, "inertia": [0.1, 0.1, 0.1], "at": middle}
    for k in range(n):
        pair = [names[k], names[(k + 1) % n]]
        joints[f"j{k}"] = {"type": "revolute", "between": pair, "at": corner[(k + 1) % n]}
        forces[f"s{k}"] = {"type": "spring", "along": f"j{k}", "k": 10.0 + k, "c": 0.01}
    model = eb.load({"eigenbody": 1, "bodies": bodies, "joints": joints, "forces": forces})
    dense, _ = assert_same(model)
    assert (dense.dof, len(dense.certificate.redundant)) == (n - 3, 3)


def test_dense_matrices_of_a_large_model_are_explained_not_allocated() -> None:
    linear = eb.linearize(eb.load(families.family("C2100RF1")))
    with pytest.raises(eb.ComputationError, match=r"4200 x 4200 .* sparse descriptor"):
        _ = linear.A
    assert linear.descriptor.A.shape[0] > 6 * 2100
