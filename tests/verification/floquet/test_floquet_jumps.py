"""Forces that jump, bend or act for a small part of the period: multipliers against closed forms, piece by piece."""

import itertools
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.linalg import expm

import eigenbody as eb
from floquet_references import same_sets

ORIGIN = [0, 0, 0]
DAMPING = 0.1
WIDTH, MIDDLE = 0.003, 0.03325  # half the width of the pulse, and its middle
PULSE = "(9.5 + 200*step(cos({phase} - 2*pi*0.03325) - cos(0.006*pi)))"


def slider(force: str, position: float = 0.0) -> eb.Model:
    """1 kg on a rail under a force."""
    return eb.Model(
        bodies={"block": {"mass": 1, "at": [0, 0, 0]}},
        joints={"s": {
            "type": "prismatic", "between": ["ground", "block"], "at": ORIGIN, "axis": [1, 0, 0], "position": position,
        }},
        forces={"pull": {"type": "expression", "along": "s", "value": force}},
    )  # fmt: skip


def multipliers(*pieces: tuple[float, float]) -> np.ndarray:
    """Of s'' + 0.1 s' + k s = 0 with a stiffness k for each duration: the product of matrix exponentials."""
    whole = np.eye(2)
    for stiffness, duration in pieces:
        whole = expm(np.array([[0, 1], [-stiffness, -DAMPING]]) * duration) @ whole
    return np.linalg.eigvals(whole)


def by_integration(stiffness: Any, ends: list[float]) -> np.ndarray:
    """Of s'' + 0.1 s' + k(t) s = 0, integrated from each of the ends to the next."""
    whole = np.eye(2)
    for a, b in itertools.pairwise(ends):
        rhs = lambda t, y: (np.array([[0, 1], [-stiffness(t), -DAMPING]]) @ y.reshape(2, 2)).ravel()  # noqa: E731
        found = solve_ivp(rhs, (a, b), whole.ravel(), method="DOP853", rtol=1e-13, atol=1e-15)
        whole = found.y[:, -1].reshape(2, 2)
    return np.linalg.eigvals(whole)


PULSED = multipliers((9.5, MIDDLE - WIDTH), (209.5, 2 * WIDTH), (9.5, 1 - MIDDLE - WIDTH))


def test_a_pulse_between_the_points_of_the_mesh_is_seen():
    """Without it the multipliers are exp(-0.05) in size, and stable."""
    found = eb.floquet(slider(f"=-{PULSE.format(phase='2*pi*t')}*s - 0.1*s'"), 1.0)
    assert found.stability == "unstable"
    same_sets(found.multipliers, PULSED, 1e-10)


def test_a_pulse_that_reads_the_angle_of_a_rotor_is_seen():
    model = slider(f"=-{PULSE.format(phase='spin')}*s - 0.1*s'").body("disc", mass=1, inertia=[1, 1, 1], at=ORIGIN)
    model = model.joint("spin", "revolute", between=["ground", "disc"], at=ORIGIN, axis=[0, 0, 1], motion="=2*pi*t")
    same_sets(eb.floquet(model).multipliers, PULSED, 1e-10)


def test_a_smooth_pulse_is_resolved():
    """A bell of width 5e-4 of the period."""
    bell = lambda t: 9.5 + 0.6 / 5e-4 * np.exp(-((np.sin(np.pi * (t - 0.0333)) / np.pi / 5e-4) ** 2))  # noqa: E731
    force = "=-(9.5 + 0.6/5e-4*exp(-((sin(pi*(t-0.0333))/pi/5e-4)**2)))*s - 0.1*s'"
    found = eb.floquet(slider(force), 1.0)
    same_sets(found.multipliers, by_integration(bell, [0, 0.028, 0.03, *np.linspace(0.031, 0.036, 21), 0.04, 1]), 1e-9)
    assert found.stability == "unstable"


def test_meissners_equation():
    """Two stiffnesses by turns; they change at instants that are no parts of the period. Few segments do."""
    part = np.arccos(0.3) / np.pi  # of the period on the stiffer spring, half of it at the start
    found = eb.floquet(slider("=-(9.5 + 3*step(cos(2*pi*t) - 0.3))*s - 0.1*s'"), 1.0)
    same_sets(found.multipliers, multipliers((12.5, part / 2), (9.5, 1 - part), (12.5, part / 2)), 1e-11)
    assert found.certificate.times < 1000
    assert found.certificate.convergence < 1e-12


def test_a_stiffness_that_bends():
    """max(): continuous, its slope is not."""
    stiffness = lambda t: 9.5 + 3 * max(0.0, np.cos(2 * np.pi * t) - 0.3)  # noqa: E731
    place = np.arccos(0.3) / (2 * np.pi)
    found = eb.floquet(slider("=-(9.5 + 3*max(0, cos(2*pi*t) - 0.3))*s - 0.1*s'"), 1.0)
    same_sets(found.multipliers, by_integration(stiffness, [0, place, 1 - place, 1]), 1e-10)
    assert found.certificate.times < 2000


def test_a_blow_that_no_step_of_the_simulation_may_pass_over():
    """s'' + 0.3 s' + 9.5 s + s^3 = 200 for 0.6 % of the period, from the start that was found: it comes back."""
    found = eb.floquet(slider("=-9.5*s - s**3 - 0.3*s' + 200*step(cos(2*pi*(t-0.03325)) - cos(0.006*pi))"), 1.0)
    y = np.array([found.point.coordinates()["s"], found.point.rates()["s"]])
    start, ends = y, [0, MIDDLE - WIDTH, MIDDLE + WIDTH, 1]
    for k, (a, b) in enumerate(itertools.pairwise(ends)):
        rhs = lambda t, y, push=200.0 * (k == 1): [y[1], push - 9.5 * y[0] - y[0] ** 3 - 0.3 * y[1]]  # noqa: E731
        y = solve_ivp(rhs, (a, b), y, method="DOP853", rtol=1e-13, atol=1e-14).y[:, -1]
    assert np.abs(start).max() > 0.1
    np.testing.assert_allclose(y, start, atol=1e-9)
    assert np.prod(found.multipliers).real == pytest.approx(np.exp(-0.3), rel=1e-10)


def test_forces_that_jump_where_the_motion_is_are_named():
    """Dry friction of 0.1 N one way: s'' jumps where s' changes its sign, and a deviation changes when it does. A
    jump at a time has no note."""
    rest = "=-9.5*s - 0.3*s' + 2*cos(2*pi*t)"
    (note,) = eb.floquet(slider(f"{rest} - 0.1*step(s')"), 1.0).notes
    assert "not those of this motion" in note
    assert not eb.floquet(slider(f"{rest} - 0.1*step(cos(2*pi*t))"), 1.0).notes


def test_a_motion_that_is_simulated_is_so_from_one_jump_to_the_next() -> None:
    """A hardening spring under a force that is on for a part of each period, against an integration that ends at the
    two jumps; the other start is on the same orbit."""
    on, off = np.arcsin(0.6), np.pi - np.arcsin(0.6)

    def flow(y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The end of the period, and how it changes with the start."""
        whole = np.concatenate((y, np.eye(2).ravel()))
        for begin, end, force in ((0.0, on, 0.0), (on, off, 1.0), (off, 2 * np.pi, 0.0)):

            def rate(t: float, z: np.ndarray, force: float = force) -> np.ndarray:
                slope = np.array([[0, 1], [-1 - 3 * z[0] ** 2, -0.2]])
                own = [z[1], -z[0] - z[0] ** 3 - 0.2 * z[1] + force]
                return np.concatenate((own, (slope @ z[2:].reshape(2, 2)).ravel()))

            whole = solve_ivp(rate, (begin, end), whole, method="DOP853", rtol=1e-12, atol=1e-14).y[:, -1]
        return whole[:2], whole[2:].reshape(2, 2)

    start = np.array([0.03, 0.7])
    for _ in range(8):
        end, slope = flow(start)
        start = start - np.linalg.solve(slope - np.eye(2), end - start)
    wanted = np.linalg.eigvals(flow(start)[1])
    found = eb.floquet(slider("=-s - s**3 - 0.2*s' + step(sin(t) - 0.6)"), period="=2*pi")
    assert found.point.state.t == 0.0
    assert np.sort_complex(found.multipliers) == pytest.approx(np.sort_complex(wanted), abs=1e-8)
    assert found.certificate.convergence < 1e-10
