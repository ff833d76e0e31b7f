"""Stiff motions of large mechanisms: Radau by the factors of sparse equations is the same method."""

from pathlib import Path

import numpy as np
import pytest

import eigenbody as eb
from eigenbody.simulation import forward as forward_dynamics
from eigenbody.simulation import shifted
from eigenbody.simulation.forward import Forward
from eigenbody.simulation.shifted import DenseShifts, SparseShifts
from eigenbody.starters.family import family
from mechanisms import KINDS, random_mechanism

EXAMPLES = Path(__file__).parents[3] / "examples"


def shifts_of(point: eb.OperatingPoint, of: type, monkeypatch: pytest.MonkeyPatch) -> DenseShifts | SparseShifts:
    """Dense or sparse, whatever the size."""
    monkeypatch.setattr(forward_dynamics, "DENSE_LIMIT", 0 if of is SparseShifts else 10_000)
    forward = Forward(point.system, point.chosen)
    forward.remember(point.state)
    return of(forward, point.state, forward.evaluate(point.state))


@pytest.mark.parametrize("shift", [300.0, 100 + 70j])
@pytest.mark.parametrize("name", [*KINDS, "half_car", "isolated_table", "flexible_slider_crank", "whipple_bicycle"])
def test_sparse_equations_solve_what_the_jacobian_does(
    name: str, shift: complex, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Loops, redundant and slip rows, first-order states, forces that read accelerations, flexible bodies."""
    rng = np.random.default_rng(3)
    model = eb.load(random_mechanism(rng, name) if name in KINDS else EXAMPLES / f"{name}.yaml")
    point = eb.operating_point(model)
    size = 2 * point.system.nq + len(point.system.states)
    b = rng.normal(size=size) + (0 if isinstance(shift, float) else 1j * rng.normal(size=size))
    dense, sparse = (shifts_of(point, of, monkeypatch).factored(shift)(b) for of in (DenseShifts, SparseShifts))
    np.testing.assert_allclose(sparse, dense, rtol=0, atol=1e-10 * np.abs(dense).max())


def stiff_chain(bodies: int) -> eb.Model:
    """A chain that sags on stiff joints with strong dampers: explicit steps would be ten times as many."""
    document = family(f"C{bodies}SF1")
    for force in document["forces"].values():
        force["c"] = [1e3] * 3 + [1e5] * 3
    return eb.load(document | {"gravity": [9.81, 3, 0]})


def test_the_motion_is_that_of_dense_matrices(monkeypatch: pytest.MonkeyPatch) -> None:
    ends = []
    for limit in (10_000, 0):
        monkeypatch.setattr(forward_dynamics, "DENSE_LIMIT", limit)
        motion = eb.simulate(stiff_chain(6), until=0.05, method="radau", points=3)
        ends.append(motion)
    assert ends[0].statistics["steps"] == ends[1].statistics["steps"]
    np.testing.assert_allclose(ends[1].states.r, ends[0].states.r, atol=1e-11)


def test_large_mechanisms_never_form_a_dense_jacobian(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("a dense Jacobian of a large system")

    monkeypatch.setattr(shifted, "jacobian", refuse)
    motion = eb.simulate(stiff_chain(40), until=0.02, points=3)
    assert motion.method == "dop853 then radau"
    assert motion.balance.is_kept
