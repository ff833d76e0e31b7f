"""The contracts of the engine hold with flexible bodies spliced into random mechanisms of every kind."""

import sys
from functools import cache

import numpy as np
import pytest

import eigenbody as eb
from flexible_mechanisms import with_beams
from forward_dynamics import ForwardDynamics, relative_error
from mechanisms import KINDS, equilibrium_mechanism, random_mechanism

TOLERANCE = 1e-7
FEW = [("tree", 0), ("floating", 0), ("loop", 2), ("redundant", 2), ("driven", 0), ("knife", 0), ("wheel", 1)]
# turns at 2600 rad/s, mass matrix of condition 2e7: differences of any step end in rounding at 6e-6
BEYOND_DIFFERENCES = [("wheel", 3)]
MORE = [(kind, seed) for kind in KINDS for seed in range(6) if (kind, seed) not in FEW]


@cache
def document(kind: str, seed: int) -> dict:
    rng = np.random.default_rng([seed, KINDS.index(kind)])
    return with_beams(rng, random_mechanism(rng, kind))


@cache
def linear(kind: str, seed: int) -> eb.LinearModel:
    return eb.linearize(eb.load(document(kind, seed)))


def error_against_forward_dynamics(result: eb.LinearModel) -> float:
    independent = ForwardDynamics(result.point.system, result.point.state, result.coordinates, result.velocities)
    space = result.state_space
    whole = np.block([[space.A, space.B], [space.C, space.D]])
    return relative_error(whole, independent.derivative(), len(result.coordinates))


def test_every_kind_has_flexible_bodies_and_most_move() -> None:
    assert all(document(*case)["flexible"] for case in FEW)
    assert {kind for kind, _ in FEW} == set(KINDS)
    assert sum(not linear(*case).point.is_at_rest for case in FEW) > len(FEW) / 2


@pytest.mark.parametrize(("kind", "seed"), FEW)
def test_linearization_is_the_derivative_of_the_dynamics(kind: str, seed: int) -> None:
    assert error_against_forward_dynamics(linear(kind, seed)) < TOLERANCE


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "seed"), [case for case in MORE if case not in BEYOND_DIFFERENCES])
def test_linearization_is_the_derivative_of_the_dynamics_on_many(kind: str, seed: int) -> None:
    assert error_against_forward_dynamics(linear(kind, seed)) < TOLERANCE


@pytest.mark.parametrize(("kind", "seed"), [*FEW, *MORE])
def test_certificate(kind: str, seed: int) -> None:
    certificate, point = linear(kind, seed).certificate, linear(kind, seed).point
    assert certificate.tangent_error < 1e-10
    assert certificate.residual < 1e-9  # stiff against soft: rounding of the elastic forces
    position, velocity, acceleration = certificate.drift
    assert position < 1e-12
    assert velocity < 1e-12 * max(1.0, np.abs(point.state.velocity(point.system)).max())
    assert acceleration < 1e-12 * max(1.0, np.abs(point.motion.acceleration).max())


@pytest.mark.parametrize(("kind", "seed"), FEW)
def test_sparse_is_dense(kind: str, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    dense = eb.linearize(linear(kind, seed).point, coordinates=linear(kind, seed).coordinates)
    for name, module in list(sys.modules.items()):
        if name.startswith("eigenbody.") and hasattr(module, "DENSE_LIMIT"):
            monkeypatch.setattr(module, "DENSE_LIMIT", 0)
    sparse = eb.linearize(eb.load(document(kind, seed)), coordinates=dense.coordinates)
    assert sparse.states == dense.states
    for a, b in zip(sparse.state_space, dense.state_space, strict=True):
        assert np.abs(a - b).max(initial=0.0) <= 1e-9 * np.abs(b).max(initial=1.0)


@pytest.mark.parametrize("seed", range(4))
def test_rigid_limit(seed: int) -> None:
    """Beams that are very stiff and light are rigid bars without mass; at rest, where no load waits to build up."""
    rng = np.random.default_rng(seed)
    rigid = equilibrium_mechanism(rng)
    stiff = with_beams(rng, rigid, most=1)
    assert stiff["flexible"]
    bar = {**rigid, "bodies": dict(rigid["bodies"]), "joints": dict(stiff["joints"])}
    for name, beam in stiff["flexible"].items():
        beam.update(E=4e12, density=1e-3, modes=0, damping=0.0)
        beam.pop("tension", None)
        bar["bodies"][name] = {"mass": 0, "inertia": [0, 0, 0], "at": beam["points"][0]}
        for joint, entry in stiff["joints"].items():
            ends = [end.partition(".")[0] for end in entry["between"]]
            bar["joints"][joint] = {**entry, "between": ends}
    wanted, found = (eb.modes(eb.load(model)).eigenvalues for model in (bar, stiff))
    for value in wanted:
        assert np.abs(found - value).min() < 1e-4 * max(1.0, abs(value))
