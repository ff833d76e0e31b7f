"""Sensitivities by the sparse path equal those by the dense one, and large mechanisms keep no dense matrix."""

import tracemalloc

import numpy as np
import pytest
from families import family

import eigenbody as eb
from eigenbody.base.errors import ComputationError


def numbers_of(document):
    bodies, forces, joints = (list(document[key]) for key in ("bodies", "forces", "joints"))
    return [
        f"bodies.{bodies[0]}.mass", f"bodies.{bodies[-1]}.inertia[2]", f"bodies.{bodies[-1]}.at[0]",
        f"forces.{forces[0]}.k[5]", f"forces.{forces[-1]}.k[0]", f"forces.{forces[-1]}.c[5]",
        f"forces.{forces[-1]}.at[1]", f"joints.{joints[0]}.at[0]", f"joints.{joints[-1]}.at[1]",
    ]  # fmt: skip


def assert_same(model, names, n=4):
    dense = eb.sensitivity(model, names, n=n, solver="dense")
    sparse = eb.sensitivity(model, names, n=n, solver="sparse")
    assert sparse.modes.solver == "sparse"
    assert sparse.derivatives is None
    assert [note.split(":")[0] for note in sparse.notes] == [note.split(":")[0] for note in dense.notes]
    assert sparse.modes.eigenvalues == pytest.approx(dense.modes.eigenvalues, rel=1e-9)
    assert np.array_equal(sparse.values, dense.values)
    unit = np.abs(dense.modes.eigenvalues) / np.where(dense.values == 0, 1.0, np.abs(dense.values))[:, None]
    off = np.abs(sparse.eigenvalues - dense.eigenvalues)
    moved = ~dense.modes.is_rigid
    assert (off < 1e-8 * np.maximum(np.abs(dense.eigenvalues), 1e-3 * unit))[:, moved].all()
    return dense


@pytest.mark.parametrize("name", ["C8RF1", "C40RF1", "TL4RF1", "TL5SF1", "L4RF1", "L12RF1", "L3SF1"])
def test_families(name):
    document = family(name)
    dense = assert_same(eb.load(document), numbers_of(document))
    assert np.abs(dense.eigenvalues).max() > 0


def test_repeated_eigenvalues():
    """A chain of ball joints swings alike in two planes; a number that tells them apart splits the pairs."""
    document = family("C12SF1")
    names = ["forces.s1_1.k[3]", "forces.s3_1.k[4]", "bodies.b2.inertia[0]", "bodies.b5.mass", "forces.s2_1.c[3]"]
    dense = assert_same(eb.load(document), names)
    assert sum("repeated" in note for note in dense.notes) >= 2
    assert np.abs(np.diff(dense.eigenvalues[0, :2])).max() > 1e-3 * np.abs(dense.eigenvalues[0, :2]).max()


@pytest.mark.parametrize("name", ["L3RF1", "C6RF1", "TL3RF1"])
def test_equilibrium_under_gravity(name):
    """The mechanism sags: joints carry load, and masses and places move the equilibrium and its stiffness."""
    document = family(name)
    document["gravity"], document["operating_point"] = [3.0, -9.0, 0.0], "equilibrium"
    for k, body in enumerate(document["bodies"].values()):
        body["at"] = [body["at"][0] + 0.01 * k, body["at"][1], body["at"][2]]
    for force in document["forces"].values():
        force["k"] = [1e4, 1e4, 1e4, 2e3, 2e3, 2e3]
    names = [*numbers_of(document), "gravity[1]"]
    dense = assert_same(eb.load(document), names, n=3)
    assert np.abs(dense.eigenvalues[-1]).max() > 0  # gravity acts on the frequencies


def test_a_moving_mechanism_is_refused():
    document = family("C4RF1")
    document["joints"]["j1"]["velocity"] = 2.0
    with pytest.raises(ComputationError, match="at rest"):
        eb.sensitivity(eb.load(document), ["bodies.b1.mass"], solver="sparse")


def test_a_large_ladder_has_no_dense_matrix():
    """501 bodies: one dense matrix of their coordinates would be 72 MB, and four numbers have four of them, complex."""
    document = family("L167RF1")
    document["parameters"] = {"k": 1e4 * 180 / np.pi}
    for force in document["forces"].values():
        force["k"][5] = "=k"
    model = eb.load(document)
    names = ["k", "bodies.b1_1.mass", "joints.j7.at[0]", "forces.s9_1.c[5]"]
    tracemalloc.start()
    found = eb.sensitivity(model, names, n=3, solver="sparse")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 60e6
    assert np.isfinite(found.eigenvalues).all()
    k = found.values[0]
    ahead, behind = (eb.modes(model.with_parameters(k=k * f), n=3, solver="sparse").eigenvalues for f in (1.001, 0.999))
    assert found.eigenvalues[0] == pytest.approx((ahead - behind) / (0.002 * k), rel=1e-6)
