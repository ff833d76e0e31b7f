"""The geometry that simulations use is that of the elements, and rotations are what independent formulas say."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.linalg import expm

import eigenbody as eb
from eigenbody.simulation.channels import pushing
from eigenbody.simulation.forward import Forward
from eigenbody.spatial.components import cotangent
from eigenbody.spatial.rotations import cotangent_coefficient, exp, inverse_jacobian, log, skew, vector_rate
from eigenbody.system.sweep import Sweep
from mechanisms import KINDS, random_mechanism

STEP = 1e-40
ANGLES = (0.0, 1e-160, 1e-9, 1e-3, 0.5, 2.0, 2.68, 2.69, 3.1, np.pi - 1e-7, np.pi - 1e-12)


def vectors(angle: float) -> np.ndarray:
    """Rotation vectors of one angle in twenty directions, among them the axes."""
    directions = np.vstack((np.eye(3), -np.eye(3), np.random.default_rng(5).normal(size=(14, 3))))
    return angle * directions / np.linalg.norm(directions, axis=1)[:, None]


@pytest.mark.parametrize("angle", ANGLES)
def test_rotation_matrix_is_the_exponential_and_the_vector_its_logarithm(angle: float) -> None:
    a = vectors(angle)
    R = exp(a)
    np.testing.assert_allclose(R, [expm(skew(one)) for one in a], atol=1e-14)
    np.testing.assert_allclose(log(R), a, atol=1e-14)


def test_half_a_turn_has_the_one_or_the_other_sign() -> None:
    a = vectors(np.pi)
    R = 2 * a[:, :, None] * a[:, None, :] / np.pi**2 - np.eye(3)
    np.testing.assert_allclose(exp(log(R)), R, atol=1e-14)


@pytest.mark.parametrize("angle", [0.0, 1e-9, 1e-3, 0.5, 2.0, 2.69, 3.1])
def test_derivatives_of_rotations_by_complex_steps(angle: float) -> None:
    """(exp [a])' of a turning matrix is R [w]; log and the rates of rotation vectors are its inverse."""
    rng = np.random.default_rng(6)
    a, w = vectors(angle), rng.normal(size=(20, 3))
    rate = vector_rate(a, w)
    R = exp(a + 1j * STEP * rate)
    np.testing.assert_allclose(R.imag / STEP, R.real @ skew(w), atol=1e-13)
    np.testing.assert_allclose(log(R).imag / STEP, rate, atol=1e-11)
    np.testing.assert_allclose(inverse_jacobian(-a) @ w[..., None], rate[..., None], atol=1e-14)


def test_closed_form_and_series_of_the_cotangent_agree() -> None:
    x = np.linspace(0.01, np.pi**2, 50)
    np.testing.assert_allclose(cotangent(x), cotangent_coefficient(x)[0], rtol=1e-13)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(3))
def test_flattened_measures_are_those_of_the_elements(kind: str, seed: int) -> None:
    """Value, rate, acceleration and gradient of every constraint, slip row and force channel of random mechanisms,
    anywhere; a force along all measures does to the bodies what their gradients say."""
    rng = np.random.default_rng(900 + seed)
    point = eb.operating_point(eb.load(random_mechanism(rng, kind)))
    system = point.system
    forward = Forward(system, point.chosen)
    state = forward.moved(point.state, 0.3 * rng.normal(size=forward.nq))
    at = forward.carriers(state.with_velocity(system, rng.normal(size=forward.nq)))
    forces = [rng.normal(size=s.count) for s in forward.geometry.sets]
    forces[2][~pushing(system)] = 0.0
    expected_pull = np.zeros(forward.nq + 1)
    for k, (measures, found) in enumerate(zip(forward.geometry.sets, forward.geometry.jets(at), strict=True)):
        jet = measures.jet(at, np.zeros(measures.turn_counter.max(initial=-1) + 1))
        asked = pushing(system) if k == 2 else np.ones(measures.count, dtype=bool)
        for what in ("value", "rate", "gradient") if k == 2 else ("value", "rate", "acceleration", "gradient"):
            expected = getattr(jet, what)[asked]
            bound = 1e-12 * max(1.0, np.abs(expected).max(initial=0.0))
            np.testing.assert_allclose(getattr(found, what)[asked], expected, rtol=1e-12, atol=bound, err_msg=what)
        np.add.at(expected_pull, measures.columns, forces[k][:, None] * jet.gradient)
    pulled = forward.collect(Sweep(forward.geometry, at).pull(forces)[: system.bodies])
    np.testing.assert_allclose(pulled, expected_pull[:-1], rtol=1e-11, atol=1e-11)


def test_springs_that_do_nothing_are_not_followed():
    """k = c = 0, as where a parameter takes an element out; either of them alone acts."""
    joint = {"type": "revolute", "between": ["ground", "b"], "at": [0, 0, 0], "axis": [0, 0, 1]}
    for k, c, acts in ((0, 0, False), (1, 0, True), (0, 1, True)):
        model = eb.Model(
            bodies={"b": {"mass": 1, "inertia": [1, 1, 1], "at": [1, 0, 0]}},
            joints={"pin": joint},
            forces={"f": {"type": "spring", "along": "pin", "k": k, "c": c}},
        )
        assert pushing(eb.operating_point(model).system).tolist() == [acts]
