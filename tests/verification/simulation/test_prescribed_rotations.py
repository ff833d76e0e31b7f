"""Rotations prescribed in all three coordinates: any number of turns, by rotation vectors and by angles.

References are independent of the engine: rotations and their derivatives by mpmath's matrix exponential and its
numerical differentiation with 40 digits, moments by Euler's equations.
"""

from __future__ import annotations

import math
from pathlib import Path

import mpmath
import numpy as np
import pytest
from scipy.interpolate import make_interp_spline

import eigenbody as eb
from eigenbody.spatial.rotations import exp

G = 9.81
MASS, J, ARM = 2.0, np.array([0.3, 0.2, 0.1]), np.array([0.5, 0.1, -0.2])
MANIPULATOR = Path(__file__).parents[3] / "examples" / "space_manipulator.yaml"


def on_a_ball(**joint: object) -> eb.Model:
    """One body on a ball joint at the origin, drawn along global axes."""
    model = eb.Model(gravity=[0, 0, -G]).body("body", mass=MASS, inertia=J.tolist(), at=ARM.tolist())
    return model.joint("ball", "spherical", between=["ground", "body"], at=[0, 0, 0], **joint)


def driving_moment(R: np.ndarray, w: np.ndarray, a: np.ndarray) -> np.ndarray:
    """Moment about the ball, ground axes, by Euler's equations; w and its rate a in body axes."""
    about = np.diag(J) + MASS * (ARM @ ARM * np.eye(3) - np.outer(ARM, ARM))
    weight = np.cross(R @ ARM, [0, 0, -MASS * G])
    return R @ (about @ a + np.cross(w, about @ w)) - weight


def exact(vector, t: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """R, w, w' (body axes) of R(t) = exp([vector(t)]), with 40 digits."""
    with mpmath.workdps(40):

        def rotation(t):
            x, y, z = vector(t)
            return mpmath.expm(mpmath.matrix([[0, -z, y], [z, 0, -x], [-y, x, 0]]), method="taylor")

        def entry(i, j, order):
            return mpmath.diff(lambda s: rotation(s)[i, j], t, order) if order else rotation(mpmath.mpf(t))[i, j]

        R, R1, R2 = (np.array([[float(entry(i, j, k)) for j in range(3)] for i in range(3)]) for k in range(3))
    spin = R.T @ R1
    turn = R.T @ R2 - spin @ spin  # (R^T R')' = R^T R'' + R'^T R'
    return R, *(np.array([S[2, 1], S[0, 2], S[1, 0]]) for S in (spin, turn))


# One body -----------------------------------------------------------------------------------------------------------


def test_ball_joint_driven_about_z_for_many_turns() -> None:
    """motion [0, 0, 3 t] for 30 s, more than 14 turns: place, velocity and moment in closed form."""
    found = eb.inverse(on_a_ball(motion=[0, 0, "=3*t"]), until=30, points=61)
    for state, moment in zip(found.states, found.ball_moment[:, 0], strict=True):
        c, s = math.cos(3 * state.t), math.sin(3 * state.t)
        R = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])
        w = np.array([0, 0, 3.0])
        assert state.R[0] == pytest.approx(R, abs=1e-12)
        assert state.r[0] == pytest.approx(R @ ARM, abs=1e-12)
        assert state.w[0] == pytest.approx(w, abs=1e-11)
        assert moment == pytest.approx(driving_moment(R, w, np.zeros(3)), abs=1e-10)
    assert found.value[:, 2] == pytest.approx(3 * found.t, abs=1e-12)  # the coordinate goes on beyond half a turn
    assert found["ball.rz"] == pytest.approx(found.ball_moment[:, 0, 2], abs=1e-12)


@pytest.mark.parametrize(("method", "step"), [("dop853", None), ("radau", None), ("generalized-alpha", 0.02)])
def test_simulation_goes_on_beyond_half_a_turn(method: str, step: float | None) -> None:
    path = eb.simulate(on_a_ball(motion=[0, 0, "=3*t"]), 4, method=method, step=step, points=11)
    for k in range(len(path)):
        state = path.state_at(k)
        expected = [[math.cos(3 * state.t), -math.sin(3 * state.t)], [math.sin(3 * state.t), math.cos(3 * state.t)]]
        assert state.R[0][:2, :2] == pytest.approx(np.array(expected), abs=1e-9)


CONE = ("0.7*sin(1.3*t)", "0.2 + 1.1*t", "2.4*t - 0.3*cos(2*t)")


def cone(t):
    return 0.7 * mpmath.sin(1.3 * t), 0.2 + 1.1 * t, 2.4 * t - 0.3 * mpmath.cos(2 * t)


@pytest.mark.parametrize("kind", ["spherical", "free", "drivers of a floating body"])
def test_coning_rotation_vector_by_eulers_equations(kind: str) -> None:
    """Axis and angle both change; the vector is 13 rad long in the end. Driven on a ball joint, on a free joint with
    its displacements held so that the origin stays, and by three drivers of a body that floats."""
    motion = [f"={part}" for part in CONE]
    if kind == "spherical":
        model, owner = on_a_ball(motion=motion), "ball"
    else:
        model = eb.Model(gravity=[0, 0, -G]).body("body", mass=MASS, inertia=J.tolist(), at=ARM.tolist())
        model, owner = model.joint("pin", "spherical", between=["ground", "body"], at=[0, 0, 0]), "body"
        if kind == "free":
            model, owner = model.joint("loose", "free", between=["ground", "body"], at=[0, 0, 0]), "loose"
        for axis, part in zip("xyz", motion, strict=True):
            model = model.driver(f"turn_{axis}", measure=f"{owner}.r{axis}", motion=part)
    found = eb.inverse(model, times=[0.0, 0.4, 1.7, 3.1, 5.0])
    assert found.balls == (owner,)
    for k, t in enumerate(found.t):
        R, w, a = exact(cone, t)
        assert found.states[k].R[0] == pytest.approx(R, abs=1e-11)
        assert found.states[k].w[0] == pytest.approx(w, abs=1e-10)
        assert found.ball_moment[k, 0] == pytest.approx(driving_moment(R, w, a), abs=1e-9)
        power = found.force[k] @ found.rate[k]  # along the components of the vector, whatever its length
        assert power == pytest.approx(found.ball_moment[k, 0] @ (R @ w), abs=1e-8)


def test_reaction_of_the_ball_is_weight_and_centripetal_force() -> None:
    found = eb.inverse(on_a_ball(motion=[0, 0, "=3*t"]), times=[2.5])
    force = found.reactions(0, axes="ground")["ball"].force
    pull = -MASS * 9 * (found.states[0].r[0] * [1, 1, 0]) + [0, 0, MASS * G]
    assert force == pytest.approx(pull, abs=1e-11)


@pytest.mark.parametrize("turn", [[0, 0, 4], [0, 0, math.pi], [0, 8, 0], [3, -2, 5]])
def test_constant_rotation_beyond_half_a_turn_is_taken_from_the_start(turn: list[float]) -> None:
    """Also where everything is held still for an equilibrium."""
    model = on_a_ball(motion=turn)
    for point in (eb.operating_point(model), eb.equilibrium(model).point):
        assert point.state.R[0] == pytest.approx(exp(np.array(turn, dtype=float)), abs=1e-12)


def test_a_single_component_beyond_half_a_turn_is_named() -> None:
    model = on_a_ball(motion=[None, None, "=3*t"])
    for run in (lambda: eb.simulate(model, 3), lambda: eb.inverse(model, until=3)):
        with pytest.raises(eb.ComputationError, match=r"joints.ball: the rotation comes to half a turn.*Prescribe all"):
            run()


# Linearization along such motions -------------------------------------------------------------------------------------


def chain(sequence: str | None = None) -> dict:
    """An arm, a body driven on a ball joint with a skew axis, and a universal joint with springs behind it."""
    motion = ["=0.3*sin(2*t)", "=0.4*cos(t)", "=w*t"]
    bodies = {
        "a": {"mass": 2, "inertia": [0.3, 0.2, 0.1], "at": [0.5, 0, 0]},
        "b": {"mass": 1, "inertia": [0.03, 0.02, 0.01], "at": [1.0, 0.3, 0]},
        "c": {"mass": 1, "inertia": [0.03, 0.02, 0.03], "at": [1.5, 0.3, 0]},
    }
    ball = {"type": "spherical", "between": ["a", "b"], "at": [1, 0, 0], "axis": [1, 1, 0]}
    hook = {"type": "universal", "between": ["b", "c"], "at": [1.2, 0.3, 0], "axis": [0, 1, 0], "axis2": [0, 0, 1]}
    document = {
        "eigenbody": 1, "gravity": [0, 0, -G], "parameters": {"w": 3}, "bodies": bodies,
        "joints": {"hinge": {"type": "revolute", "between": ["ground", "a"], "at": [0, 0, 0], "axis": [0, 1, 0]},
                   "ball": ball, "hook": hook},
        "forces": {"k1": {"type": "spring", "along": "hook.angle1", "k": 20, "c": 0.1},
                   "k2": {"type": "spring", "along": "hook.angle2", "k": 20, "c": 0.1},
                   "k3": {"type": "spring", "along": "hinge", "k": 50, "c": 0.1, "free": 0.2}},
        "operating_point": {"simulate": {"until": 3}},
    }  # fmt: skip
    if sequence is None:
        ball["motion"] = motion
    else:
        document["measures"] = {"turn": {"type": "angles", "of": "ball", "sequence": sequence}}
        document["drivers"] = {f"d{k}": {"measure": f"turn.{k}", "motion": motion[3 - k]} for k in (1, 2, 3)}
    return document


@pytest.mark.parametrize("sequence", [None, "xyz", "zyx", "yxz", "zxz", "yxy"])
def test_linearization_along_a_prescribed_rotation_of_many_radians(sequence: str | None) -> None:
    """The vector is 9 rad long at t = 3 s; by relative coordinates and by differences the eigenvalues are the same, and
    so are those of the complex step."""
    model = eb.load(chain(sequence))
    point = eb.operating_point(model)
    assert eb.linearize(model, at=point).certificate.tangent_error < 1e-13
    found = eb.verify(point)
    assert {result.route.name for result in found.results if result.agrees} == {"relative", "kane", "difference"}
    assert found.verdict == "agree"


def test_rotation_vector_and_angles_about_one_axis_are_the_same_motion() -> None:
    document = chain()
    document["joints"]["ball"]["motion"] = [0, 0, "=w*t"]
    other = chain("zyx")
    for k, value in ((1, "=w*t"), (2, 0), (3, 0)):
        other["drivers"][f"d{k}"]["motion"] = value
    by_vector, by_angles = eb.load(document), eb.load(other)
    A, B = (eb.linearize(model, at=eb.operating_point(model)).A for model in (by_vector, by_angles))
    assert pytest.approx(B, abs=1e-9 * np.abs(A).max()) == A


@pytest.mark.parametrize("kind", ["spherical", "angles"])
def test_steady_turning_on_a_ball_joint_is_that_on_a_hinge(kind: str) -> None:
    """A pendulum on a hub that turns at 6 rad/s: the same relative equilibrium and frequency."""

    def turning(kind: str) -> eb.Model:
        model = eb.Model(gravity=[0, 0, -G]).body("hub", mass=1, inertia=[0.1, 0.1, 0.1], at=[0, 0, 0])
        model = model.body("bob", mass=1, inertia=[0.01, 0.01, 0.01], at=[0.2, 0, -0.5])
        motion = {"revolute": "=6*t", "spherical": [0, 0, "=6*t"]}
        type_ = "spherical" if kind == "angles" else kind
        keys = {"motion": motion[kind]} if kind in motion else {}
        model = model.joint("spin", type_, between=["ground", "hub"], at=[0, 0, 0], **keys)
        if kind == "angles":
            model = model.measure("turn", "angles", of="spin", sequence="zxz")
            for k, value in enumerate(("=6*t", 0, 0), 1):
                model = model.driver(f"d{k}", measure=f"turn.{k}", motion=value)
        model = model.joint("pin", "revolute", between=["hub", "bob"], at=[0.2, 0, 0], axis=[0, 1, 0])
        return model.set(operating_point="steady")

    hinge, ball = (eb.modes(turning(each)) for each in ("revolute", kind))
    assert ball.eigenvalues == pytest.approx(hinge.eigenvalues, abs=1e-10)
    assert ball.stability == hinge.stability == "marginal"


@pytest.mark.parametrize("sequence", [None, "zyx", "zxz"])
def test_parameters_of_a_prescribed_rotation(sequence: str | None) -> None:
    """Variants in one batch are those one by one; sensitivities are differences of modes."""
    document = chain(sequence)
    del document["operating_point"]
    document["parameters"] |= {"start": 4.0, "tilt": 1.0}
    document["joints"]["ball"]["axis"] = [1, "=tilt", 0]
    if sequence is None:
        document["joints"]["ball"]["motion"][2] = "=start + w*t"
    else:
        document["drivers"]["d1"]["motion"] = "=start + w*t"
    model = eb.load(document)
    together = eb.variants(model, {"w": [2.5, 3.0], "tilt": [1.0, 0.7], "start": [4.0, 9.0]})
    for k, values in enumerate(({"w": 2.5}, {"tilt": 0.7, "start": 9.0})):
        alone = eb.modes(model.with_parameters(**values)).eigenvalues
        batch = together.eigenvalues[k]
        assert np.sort_complex(batch[batch.imag > 0]) == pytest.approx(np.sort_complex(alone), abs=1e-9)
    found, h = eb.sensitivity(model), 1e-5
    for k, name in enumerate(found.names):
        near = [eb.modes(model.with_parameters(**{name: model.parameters[name] + s * h})) for s in (1, -1)]
        slope = (near[0].eigenvalues - near[1].eigenvalues) / (2 * h)
        assert found.eigenvalues[k] == pytest.approx(slope, abs=1e-6)


# Passerello and Huston, problems 1 and 2: shoulder angles 1-2-3 by cycloids (their Eq. 5.1) ---------------------------


def manipulator() -> eb.Model:
    model = eb.load(MANIPULATOR)
    for arm in (1, 2):
        model = model.measure(f"arm_{arm}", "angles", of=f"shoulder_{arm}", sequence="xyz")
    return model


def arms(duration: float) -> dict[str, object]:
    """From the angles of their Figure 17 as corrected (docs/theory/errata.md; the second arm starts in the gimbal lock
    of 1-2-3 angles) to a grip in front of the base; the numbers of their Figure 11 are only drawn."""
    deg = math.pi / 180
    to = {"arm_1": ((90, 30), (0, 20), (0, -15)), "arm_2": ((0, -25), (-90, -20), (0, 35))}
    laws = {
        f"{name}.{k}": eb.cycloid(start * deg, end * deg, duration)
        for name, angles in to.items()
        for k, (start, end) in enumerate(angles, 1)
    }
    return laws | {"elbow_1": eb.cycloid(0, -40 * deg, duration), "elbow_2": eb.cycloid(90 * deg, 20 * deg, duration)}


def test_problem_1_momentum_stays_zero_and_the_base_rests_in_the_end() -> None:
    found = eb.inverse(manipulator(), arms(2.0), until=2.2, points=12)
    assert set(found.free) == {"base.x", "base.y", "base.z", "base.rx", "base.ry", "base.rz"}
    assert found.balls == ("arm_1", "arm_2")
    assert np.abs(found.linear_momentum).max() < 1e-10
    assert np.abs(found.angular_momentum).max() < 1e-10
    base = found.positions[:, [found.measures.index(f"base.{k}") for k in ("x", "y", "z", "rx", "ry", "rz")]]
    assert base[-1] == pytest.approx(base[-2], abs=1e-9)
    assert np.abs(base[-1]).max() > 1e-2
    values = {name: found.value[:, k] for k, name in enumerate(found.coordinates)}
    assert values["arm_2.2"][[0, -1]] == pytest.approx([-math.pi / 2, -math.pi / 9], abs=1e-12)


def test_problem_1_work_of_the_joints_is_the_kinetic_energy() -> None:
    """Forces along the angles times their rates, summed over all drives: the power that the bodies take up."""
    times = np.linspace(0.0, 2.0, 81)
    found = eb.inverse(manipulator(), arms(2.0), times=times)
    power = make_interp_spline(times, found.power.sum(axis=1), k=5)
    energy = [power.integrate(0.0, t) for t in times]
    assert found.kinetic_energy == pytest.approx(np.array(energy), abs=1e-6 * found.kinetic_energy.max())


def test_problem_2_holding_forces_are_the_rates_of_momentum() -> None:
    times = np.linspace(0.0, 1.0, 41)
    held = eb.inverse(manipulator(), arms(1.0), times=times, holds=["base"])
    assert held.free == ()
    for momentum, found in ((held.linear_momentum, held.holding_force), (held.angular_momentum, held.holding_moment)):
        rate = make_interp_spline(times, momentum, k=5).derivative()(times)
        assert found[5:-5, 0] == pytest.approx(rate[5:-5], abs=1e-5 * np.abs(rate).max())
