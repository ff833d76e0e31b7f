"""Slopes of eigenvalues by mode shapes equal those by the derivative of A, which the linear equations give."""

import numpy as np
import pytest
from families import family

import eigenbody as eb
from eigenbody.analyses.sensitivity.adjoint import slopes_of_simple
from eigenbody.base.errors import ComputationError, InputError
from eigenbody.linearization.linearize import dense_model


def by_equations(result):
    """d lambda = l^T dA r / l^T r of each mode, with vectors of NumPy alone."""
    found = result.derivatives
    A = found.linear.A
    values, right = np.linalg.eig(A)
    left = np.linalg.inv(right)
    place = [int(np.argmin(np.abs(values - value))) for value in result.modes.eigenvalues]
    return np.array([[left[k] @ dA @ right[:, k] for k in place] for dA in found.dA])


def loaded(name, seed):
    """A member of a family without symmetry, sagging under gravity."""
    document, rng = family(name), np.random.default_rng(seed)
    document["gravity"], document["operating_point"] = [3.0, -9.0, 2.0], "equilibrium"
    for body in document["bodies"].values():
        body["mass"], body["inertia"] = 4 + rng.uniform(), (1 + rng.uniform(0, 0.2, 3)).tolist()
    return document


@pytest.mark.parametrize("name", ["C6RF1", "C5SF1", "TL3SF1", "L3RF1", "L3SF1"])
def test_shapes_and_equations_agree(name):
    document = loaded(name, 3)
    joints, bodies, forces = (list(document[key]) for key in ("joints", "bodies", "forces"))
    names = [f"joints.{joints[k]}.at[{i}]" for k in (0, -1) for i in ((0, 1, 2) if "S" in name else (1,))]
    names += [f"bodies.{bodies[1]}.mass", f"bodies.{bodies[-1]}.inertia[2]", f"forces.{forces[0]}.k[5]"]
    model = eb.load(document)
    names = [each for each in names if _can_follow(model, each)]
    lowest = eb.modes(dense_model(eb.operating_point(model)))
    assert slopes_of_simple(lowest, model, names) is not None
    result = eb.sensitivity(model, names)
    expected = by_equations(result)
    assert len(names) >= 4
    assert np.abs(expected).max() > 0
    unit = np.abs(expected).max(axis=1, keepdims=True) + np.abs(result.modes.eigenvalues)
    assert (np.abs(result.eigenvalues - expected) < 1e-9 * unit).all()


def _can_follow(model, name):
    """Whether no redundant row opens with the number: what the derivative of A refuses, the shapes refuse, too."""
    by_shapes, by_A = (_is_refused(lambda f=f: f(model, [name])) for f in (eb.sensitivity, eb.derivatives))
    assert by_shapes == by_A
    return not by_A


def _is_refused(call):
    try:
        call()
    except InputError as error:
        return "would open" in str(error)
    return False


def test_a_number_that_opens_a_redundant_row_is_refused():
    document = family("L3RF1")
    model = eb.load(document)
    name = f"joints.{list(document['joints'])[2]}.axis[0]"
    assert not _can_follow(model, name)


def held_up(kind):
    """A bar under gravity on a pivot, held level by a spring."""
    return {
        "eigenbody": 1, "gravity": [0, -9.81, 0], "operating_point": kind,
        "bodies": {"bar": {"mass": 2, "inertia": [0.1, 0.1, 0.2], "at": [0.5, 0, 0]}},
        "joints": {"pivot": {"type": "revolute", "between": ["ground", "bar"], "at": [0, 0, 0], "axis": [0, 0, 1]}},
        "forces": {"spring": {
            "type": "spring", "between": ["ground", "bar"], "at": [[1, 1, 0], [1, 0, 0]], "k": 200,
            "free_length": 1 - 9.81 / 200,
        }},
    }  # fmt: skip


def test_a_number_that_disturbs_the_rest_needs_the_equations():
    """At the drawn pose a longer spring leaves the bar unbalanced: its acceleration is part of the linear equations."""
    model = eb.load(held_up("reference"))
    lowest = eb.modes(dense_model(eb.operating_point(model)))
    assert slopes_of_simple(lowest, model, ["forces.spring.free_length"]) is None
    result = eb.sensitivity(model, ["forces.spring.free_length"])
    assert result.eigenvalues == pytest.approx(by_equations(result), rel=1e-9)
    with pytest.raises(ComputationError, match="sets the mechanism in motion"):
        eb.sensitivity(model, ["forces.spring.free_length"], solver="sparse")
    settled = eb.load(held_up("equilibrium"))
    assert eb.sensitivity(settled, ["forces.spring.free_length"]).eigenvalues == pytest.approx(
        eb.sensitivity(settled, ["forces.spring.free_length"], solver="sparse").eigenvalues, rel=1e-8
    )
