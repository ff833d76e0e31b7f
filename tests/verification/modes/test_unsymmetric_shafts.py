"""Rotors that are not round, on bearings that are: their equations are constant for one who turns with them, and that
is how modes and Campbell diagrams are seen; against finite elements by hand in the turning frame."""

from typing import Any

import numpy as np
import pytest

import eigenbody as eb
from rotor_elements import Shaft

WIDTH, HEIGHT, NODES = 0.04, 0.03, 80
STEEL = Shaft(1.0, 0.0, NODES, 210e9, 0.3, 7850)
STIFF, DAMP = 1e6, 300.0


def flat_shaft(ky: float = STIFF, **keys: Any) -> eb.Model:
    """1 m of flat steel that spins freely on two bearings."""
    steel = {"E": "210 GPa", "nu": 0.3, "density": 7850, "width": WIDTH, "height": HEIGHT}
    beam = {"type": "beam", "points": [[0, 0, 0], [0, 0, 1]], "modes": 24, **steel, **keys}
    beam = {name: value for name, value in beam.items() if value is not None}
    bearing = {"type": "bearing", "c": [DAMP, DAMP, 0, 0, 0, 0]}
    velocity = [0, 0, 0, 0, 0, "=speed"]
    return eb.Model(
        parameters={"speed": 0.0},
        flexible={"shaft": beam},
        joints={"spin": {"type": "free", "between": ["ground", "shaft.start"], "at": [0, 0, 0], "velocity": velocity}},
        forces={
            "left": {**bearing, "between": ["ground", "shaft.start"], "at": [0, 0, 0], "k": [STIFF, ky, 1e6, 0, 0, 0]},
            "right": {**bearing, "between": ["ground", "shaft.end"], "at": [0, 0, 1], "k": [STIFF, ky, 0, 0, 0, 0]},
        },
    )


def seen_from_the_shaft(speed: float, disc: tuple[float, float, float, float] | None = None) -> np.ndarray:
    """Eigenvalues in axes x, y that turn with the flat shaft, or with a round one and a `disc` in its middle (mass,
    moments of inertia about x, y, z). With T by displacement and R by turning of thin sections
    (T + Rx) x'' - 2 W T y' + (Kx + W^2 (Rx - T)) x; a damper at rest has c (z' + i W z); a disc the equations of
    test_frames.test_asymmetric_disc_is_constant_in_the_rotating_frame_alone."""
    (T, Rx, Kx), (_, Ry, Ky) = flat_planes() if disc is None else round_planes()
    zero, ends = np.zeros_like(T), np.zeros_like(T)
    ends[0, 0] = ends[-2, -2] = 1.0
    coupling = 2 * T
    Mx, My, Sx, Sy = T + Rx, T + Ry, Rx - T, Ry - T
    if disc is not None:
        m, Jx, Jy, Jz = disc
        place, slope = NODES, NODES + 1  # of the middle node
        coupling = coupling + np.diag(np.eye(len(T))[place] * 2 * m + np.eye(len(T))[slope] * (Jx + Jy - Jz))
        for M, S, own, other in ((Mx, Sx, Jy, Jx), (My, Sy, Jx, Jy)):  # a slope in x turns about y
            M[[place, slope], [place, slope]] += (m, own)
            S[[place, slope], [place, slope]] += (-m, Jz - other)
    M = np.block([[Mx, zero], [zero, My]])
    C = np.block([[DAMP * ends, -speed * coupling], [speed * coupling, DAMP * ends]])
    turned = speed * DAMP * ends
    K = np.block([[Kx + STIFF * ends + speed**2 * Sx, -turned], [turned, Ky + STIFF * ends + speed**2 * Sy]])
    n = len(M)
    A = np.block([[np.zeros((n, n)), np.eye(n)], [-np.linalg.solve(M, K), -np.linalg.solve(M, C)]])
    found = np.linalg.eigvals(A)
    found = found[found.imag >= 0]
    return found[np.argsort(np.abs(found))]


def flat_planes() -> tuple[tuple[np.ndarray, ...], ...]:
    area = WIDTH * HEIGHT
    return tuple(STEEL.plane(area, area * side**2 / 12, 5 / 6) for side in (WIDTH, HEIGHT))


def round_planes() -> tuple[tuple[np.ndarray, ...], ...]:
    shear = 6 * (1 + STEEL.nu) / (7 + 6 * STEEL.nu)
    return (STEEL.plane(np.pi * WIDTH**2 / 4, np.pi * WIDTH**4 / 64, shear),) * 2


@pytest.mark.parametrize("speed", [30.0, 265.0, 400.0, 900.0])
def test_a_flat_shaft_on_equal_bearings_is_seen_from_the_shaft(speed):
    exact = seen_from_the_shaft(speed)[:5]
    modes = eb.modes(flat_shaft().with_parameters(speed=speed))
    assert modes.linear.seen_from == "spin"
    near = [modes.eigenvalues[np.argmin(np.abs(modes.eigenvalues - value))] for value in exact]
    np.testing.assert_allclose(near, exact, rtol=5e-6)
    grows = bool((exact.real > 0).any())
    assert modes.stability == ("unstable" if grows else "drifting")  # the spin is free
    assert any("who turns with spin" in note for note in modes.notes)


@pytest.mark.parametrize("speed", [50.0, 180.0, 230.0, 600.0])
def test_a_round_shaft_with_an_unsymmetric_disc_is_seen_from_the_disc(speed):
    disc = (8.0, 0.3, 0.5, 0.7)
    exact = seen_from_the_shaft(speed, disc)[:5]
    model = flat_shaft(width=None, height=None, diameter=WIDTH, modes=60, points=[[0, 0, 0], [0, 0, 0.5], [0, 0, 1]])
    model = model.body("disc", mass=disc[0], inertia=disc[1:], at=[0, 0, 0.5])
    model = model.joint("hub", type="fixed", between=["shaft.2", "disc"], at=[0, 0, 0.5])
    modes = eb.modes(model.with_parameters(speed=speed))
    assert modes.linear.seen_from == "spin"
    near = [modes.eigenvalues[np.argmin(np.abs(modes.eigenvalues - value))] for value in exact]
    np.testing.assert_allclose(near, exact, rtol=5e-6)
    assert (modes.stability == "unstable") == bool((exact.real > 0).any())


def test_a_flat_shaft_on_unequal_bearings_is_frozen():
    modes = eb.modes(flat_shaft(ky=0.5 * STIFF).with_parameters(speed=400.0))
    assert modes.linear.seen_from is None
    assert modes.stability == "frozen"


def disc_on_springs(stiff: float = 900.0, mount: float | None = None) -> eb.Model:
    """1 kg on two springs that turn: Jeffcott's rotor. With `mount`, the rotor itself slides on springs at rest."""
    place = {"at": [0, 0, 0]}
    bodies = {"shaft": {"mass": 0, **place}, "slide": {"mass": 0, **place}, "disc": {"mass": 1, **place}}
    joints = {
        "spin": {"type": "revolute", "between": ["ground", "shaft"], "motion": "=speed*t", **place},
        "xi": {"type": "prismatic", "between": ["shaft", "slide"], "axis": [1, 0, 0], **place},
        "eta": {"type": "prismatic", "between": ["slide", "disc"], "axis": [0, 1, 0], **place},
    }
    forces = {
        "weak": {"type": "spring", "along": "xi", "k": 400},
        "stiff": {"type": "spring", "along": "eta", "k": stiff},
    }
    if mount is not None:
        bodies |= {"cross": {"mass": 0, **place}, "seat": {"mass": 2, **place}}
        joints |= {
            "x": {"type": "prismatic", "between": ["ground", "cross"], "axis": [1, 0, 0], **place},
            "y": {"type": "prismatic", "between": ["cross", "seat"], "axis": [0, 1, 0], **place},
            "spin": {**joints["spin"], "between": ["seat", "shaft"]},
        }
        forces |= {f"mount {c}": {"type": "spring", "along": c, "k": mount} for c in "xy"}
    return eb.Model(parameters={"speed": 1.0}, bodies=bodies, joints=joints, forces=forces)


def test_critical_speeds_in_coordinates_that_turn_are_those_of_what_stands_still_there():
    """Unbalance turns with the shaft: in its axes it is in resonance where an eigenvalue is zero, at sqrt(k / m)."""
    found = eb.campbell(disc_on_springs(), "speed", np.linspace(1, 60, 60))
    assert found.turning == ("xi", "eta")
    assert found.per_rev == (0.0, 1.0)
    unbalance = sorted(c.spin for c in found.critical_speeds if c.order == 0)
    np.testing.assert_allclose(unbalance, [20.0, 30.0], rtol=1e-7)
    gravity = [c.spin for c in found.critical_speeds if c.order == 1]  # seen from the shaft it turns once round
    exact = np.sqrt(400 * 900 / (2 * (400 + 900)))  # (s^2 + a - W^2)(s^2 + b - W^2) + 4 W^2 s^2 = 0 at s = i W
    np.testing.assert_allclose(gravity, [exact], rtol=1e-7)
    assert "of which xi, eta turn" in str(found)
    assert "fixed frame" not in str(found)


def test_two_critical_speeds_within_one_step_are_both_found():
    """Damped, in steps of 30 rad/s: K has the determinant (k1 - W^2)(k2 - W^2) + (W c)^2, a zero at 20.08 and 29.88."""
    model = disc_on_springs().force("air", type="bearing", between=["ground", "disc"], at=[0, 0, 0], cxx=2, cyy=2)
    found = eb.campbell(model, "speed", [5.0, 35.0, 65.0], per_rev=(0,))
    squares = np.roots([1, 4.0 - 1300.0, 400.0 * 900.0])
    np.testing.assert_allclose(sorted(c.spin for c in found.critical_speeds), np.sort(np.sqrt(squares)), rtol=1e-8)


def test_critical_speeds_of_a_flat_rotor_on_a_soft_seat():
    """Seat of 2 kg on 5000 N/m both ways: each spring of the shaft in series with 5000 - 2 W^2."""
    found = eb.campbell(disc_on_springs(mount=5000.0), "speed", np.linspace(1, 90, 90))
    assert found.frame == "spin"
    assert found.per_rev == (0.0,)
    exact = sorted(float(np.sqrt(x)) for k in (400.0, 900.0) for x in np.roots([2.0, -(5000 + 3 * k), 5000 * k]))
    np.testing.assert_allclose(sorted(c.spin for c in found.critical_speeds), exact, rtol=1e-7)
