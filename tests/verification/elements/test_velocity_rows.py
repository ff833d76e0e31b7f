"""General non-holonomic constraints given as a formula of rates."""

from __future__ import annotations

import numpy as np
import pytest

import eigenbody as eb
from eigenbody.elements.measures.velocity_row import VelocityRow
from eigenbody.model.expressions import parse
from forward_dynamics import ForwardDynamics, relative_error


def sleigh(**changes: dict) -> dict:
    """A body in the plane whose centre may not move across its heading, by a formula; it moves and turns."""
    document = {
        "eigenbody": 1,
        "bodies": {"s": {"mass": 2, "inertia": [1, 1, 0.7], "at": [0, 0, 0]}},
        "joints": {"p": {"type": "planar", "between": ["ground", "s"], "at": [0, 0, 0], "axis": [0, 0, 1],
                         "axis2": [1, 0, 0], "position": [0.3, -0.2, 0.4], "velocity": [2.0, None, 0.5]}},
        "couplings": {"edge": {"type": "velocity", "speed": "=p.y'*cos(p.angle) - p.x'*sin(p.angle)"}},
    }  # fmt: skip
    return document | changes


def test_equals_a_knife_edge() -> None:
    """The same body with the blade as a joint: same state, same accelerations, same linear equations."""
    blade = sleigh(couplings={})
    blade["joints"] = {
        **blade["joints"],
        "edge": {"type": "knife_edge", "between": ["ground", "s"], "at": [0, 0, 0], "axis": [0, 1, 0]},
    }
    points = [eb.operating_point(eb.load(document)) for document in (sleigh(), blade)]
    formula, joint = points
    assert formula.rates() == pytest.approx(joint.rates(), abs=1e-12)
    assert formula.motion.acceleration == pytest.approx(joint.motion.acceleration, abs=1e-11)
    linear, other = (eb.linearize(point, coordinates=["p.x", "p.y", "p.angle"]) for point in points)
    assert linear.velocities == other.velocities
    np.testing.assert_allclose(linear.A, other.A, atol=1e-10)
    assert linear.certificate.tangent_error < 1e-12


def test_linearization_is_the_derivative_of_the_motion() -> None:
    """A nonlinear row between two bodies of a linkage, one of them held from a moving frame, with a constant speed."""
    document = {
        "eigenbody": 1,
        "gravity": [0, 0, -9.81],
        "bodies": {"a": {"mass": 1, "inertia": [0.1, 0.12, 0.05], "at": [0.4, 0, 0]},
                   "b": {"mass": 2, "inertia": [0.2, 0.1, 0.15], "at": [1.0, 0.1, 0]}},
        "joints": {
            "h": {"type": "revolute", "between": ["ground", "a"], "at": [0, 0, 0], "axis": [0, 1, 0], "velocity": 0.7},
            "u": {"type": "universal", "between": ["a", "b"], "at": [0.8, 0, 0], "axis": [0, 1, 0], "axis2": [0, 0, 1]},
        },
        "measures": {"d": {"type": "distance", "between": ["ground", "b"]}},
        "couplings": {"c": {"type": "velocity", "speed": "=u.angle2' - (0.3 + sin(h))*h' + 0.2*d*u.angle1' - 0.1"}},
    }  # fmt: skip
    result = eb.linearize(eb.load(document))
    assert len(result.velocities) == len(result.coordinates) - 1
    assert result.certificate.tangent_error < 1e-12
    system, state = result.point.system, result.point.state
    independent = ForwardDynamics(system, state, result.coordinates, result.velocities).derivative()
    space = result.state_space
    found = np.block([[space.A, space.B], [space.C, space.D]])
    assert relative_error(found, independent, len(result.coordinates)) < 1e-7
    rates = result.point.rates()
    values = result.point.coordinates()
    slip = rates["u.angle2"] - (0.3 + np.sin(values["h"])) * rates["h"] + 0.2 * values["d"] * rates["u.angle1"] - 0.1
    assert abs(slip) < 1e-12


def test_simulation_holds_the_row_and_the_energy() -> None:
    found = eb.simulate(eb.load(sleigh()), until=2.0, points=21)
    across = found.signal("p.y'") * np.cos(found.signal("p.angle")) - found.signal("p.x'") * np.sin(
        found.signal("p.angle")
    )
    assert np.abs(across).max() < 1e-10
    energy = found.signal("energy")
    assert np.ptp(energy) < 1e-8 * energy[0]


@pytest.mark.parametrize(
    ("speed", "word"),
    [
        ("=p.x'*p.y'", "not linear"),
        ("=p.x - 1", "no rate"),
        ("=p.x' - t", "t cannot stand"),
        ("=p.z' - p.x'", "p.z"),
    ],
)
def test_what_cannot_be_held(speed: str, word: str) -> None:
    with pytest.raises(eb.InputError, match=word):
        eb.operating_point(eb.load(sleigh(couplings={"edge": {"type": "velocity", "speed": speed}})))


def test_linearity_is_recognized() -> None:
    linear = VelocityRow.of(parse("a' - sin(a)*b'"), _kernels())
    assert linear.is_linear()
    assert not VelocityRow.of(parse("a'**2"), _kernels()).is_linear()


def _kernels() -> dict:
    system = eb.operating_point(eb.load(sleigh())).system
    one = lambda i: system.named.subset(np.array([i]))[0][0]  # noqa: E731
    return {"a": one(0), "b": one(2)}
