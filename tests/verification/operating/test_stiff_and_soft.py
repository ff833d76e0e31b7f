"""Whether equations stay the same along a motion is judged motion by motion: what is stiff hides nothing that is soft,
and what a drive turns fast is looked at all the same."""

from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import eigenbody as eb
from eigenbody.operating.constancy import has_constant_coefficients

SPEED = 5.6
CORDS, TILT, FRICTION = (10.0, 40.0), (1.0, 4.0), 0.005  # N/m, N m/rad, N m s/rad
CASING, ACROSS, OTHER, ALONG = 0.1, 0.3, 0.05, 0.3  # kg m2: the casing across, the rotor in its own axes


def rotor_in_soft_cords(k: float, inertia: tuple[float, float, float], cords: tuple[float, float] = CORDS) -> eb.Model:
    """A rotor in bearings of stiffness k inside a casing that hangs in soft cords."""
    at = [0, 0, 0]
    tilt = tuple(TILT[0] * cord / cords[0] for cord in cords)
    return eb.load({
        "eigenbody": 1,
        "bodies": {
            "mid": {"mass": 0, "at": at},
            "sled": {"mass": 5, "inertia": [0, 0, 0], "at": at},
            "gimbal": {"mass": 0, "inertia": [0, 0, 0], "at": at},
            "casing": {"mass": 5, "inertia": [CASING] * 3, "at": at},
            "rotor": {"mass": 5, "inertia": list(inertia), "at": at},
        },
        "joints": {
            "x": {"type": "prismatic", "between": ["ground", "mid"], "at": at, "axis": [1, 0, 0]},
            "y": {"type": "prismatic", "between": ["mid", "sled"], "at": at, "axis": [0, 1, 0]},
            "rx": {"type": "revolute", "between": ["sled", "gimbal"], "at": at, "axis": [1, 0, 0]},
            "ry": {"type": "revolute", "between": ["gimbal", "casing"], "at": at, "axis": [0, 1, 0]},
            "spin": {"type": "free", "between": ["casing", "rotor"], "at": at, "velocity": [0, 0, 0, 0, 0, SPEED]},
        },
        "forces": {
            "cord_x": {"type": "spring", "along": "x", "k": cords[0], "c": 0.05},
            "cord_y": {"type": "spring", "along": "y", "k": cords[1], "c": 0.05},
            "tilt_x": {"type": "spring", "along": "rx", "k": tilt[0], "c": FRICTION},
            "tilt_y": {"type": "spring", "along": "ry", "k": tilt[1], "c": FRICTION},
            "left": bearing(-0.1, kxx=k, kyy=k, kzz=k),
            "right": bearing(0.1, kxx=k, kyy=k),
        },
    })  # fmt: skip


def bearing(z: float, between: tuple[str, str] = ("casing", "rotor"), **k: float) -> dict[str, Any]:
    return {"type": "bearing", "between": list(between), "at": [0, 0, z], **k}


def growth_by_hand() -> float:
    """Of the tilt of casing and rotor as one, by Floquet's theory: the rotor's inertia turns against the ground."""
    K, C, z = np.diag(TILT), FRICTION * np.eye(2), ALONG * SPEED

    def rate(t: float, flat: np.ndarray) -> np.ndarray:
        Y, c, s = flat.reshape(4, 4), np.cos(SPEED * t), np.sin(SPEED * t)
        R, D = np.array([[c, -s], [s, c]]), np.diag([ACROSS, OTHER])
        turning = SPEED * np.array([[0, -1], [1, 0]]) @ R
        J, change = R @ D @ R.T, turning @ D @ R.T + R @ D @ turning.T
        gyroscopic = z * np.array([[0, 1], [-1, 0]])
        a = np.linalg.solve(J + CASING * np.eye(2), -K @ Y[:2] - (C + gyroscopic + change) @ Y[2:])
        return np.concatenate([Y[2:], a]).ravel()

    period = np.pi / SPEED
    end = solve_ivp(rate, (0, period), np.eye(4).ravel(), rtol=1e-9, atol=1e-11).y[:, -1]
    return float(np.log(np.abs(np.linalg.eigvals(end.reshape(4, 4))).max()) / period)


@pytest.mark.parametrize("k", [1e6, 2e9, 1e12])
def test_stiff_bearings_hide_no_change_of_what_hangs_in_soft_cords(k: float) -> None:
    """The cords see a rotor that is not round, the rotor sees cords that are not alike: it grows by resonance of its
    parameters, which no eigenvalue of an instant tells. A part of 1e-11 of the largest stiffness changes."""
    assert growth_by_hand() > 1.0
    modes = eb.modes(rotor_in_soft_cords(k, (ACROSS, OTHER, ALONG)))
    assert modes.stability == "frozen"
    assert modes.linear.seen_from is None


@pytest.mark.parametrize("k", [1e6, 2e9, 1e12])
def test_where_one_side_is_alike_all_round_stiff_bearings_change_nothing(k: float) -> None:
    assert eb.modes(rotor_in_soft_cords(k, (0.3, 0.3, 0.05))).stability == "drifting"
    turning = rotor_in_soft_cords(k, (ACROSS, OTHER, ALONG), cords=(10.0, 10.0))
    frames = eb.modes_in_frames(turning, "spin")
    assert not frames.fixed_is_constant
    assert frames.rotating_is_constant


@pytest.mark.parametrize("speed", [160.0, 170.0, 450.0, 3000.0])
@pytest.mark.parametrize("ky", [1e5, 2e5])
def test_a_rotation_vector_that_is_driven_fast_is_constant(speed: float, ky: float) -> None:
    """It reaches half a turn, at these speeds in less than the times looked at where only time passes. The eigenvalues
    are those of four coordinates across and one along, by hand."""
    m, across, along = 20.0, 0.1, 0.19
    k, c, ends = np.diag([1e5, ky]), 40.0 * np.eye(2), (-0.3, 0.4)
    turn = np.array([[0.0, 1.0], [-1.0, 0.0]])  # of tilts (rx, ry) into displacements (x, y) per height
    K, C = np.zeros((2, 4, 4))
    for z in ends:
        rows = np.hstack([np.eye(2), z * turn])
        K, C = K + rows.T @ k @ rows, C + rows.T @ c @ rows
    C[2:, 2:] += along * speed * turn
    below = -np.linalg.solve(np.diag([m, m, across, across]), np.hstack([K, C]))
    by_hand = np.linalg.eigvals(np.block([[np.zeros((4, 4)), np.eye(4)], [below]]))
    model = eb.load({
        "eigenbody": 1,
        "bodies": {"disc": {"mass": m, "inertia": [across, across, along], "at": [0, 0, 0]}},
        "joints": {"spin": {"type": "free", "between": ["ground", "disc"], "at": [0, 0, 0],
                            "motion": [None] * 5 + [f"={speed}*t"]}},
        "forces": {
            "left": bearing(ends[0], ("ground", "disc"), kxx=1e5, kyy=ky, kzz=1e5, cxx=40, cyy=40, czz=30),
            "right": bearing(ends[1], ("ground", "disc"), kxx=1e5, kyy=ky, cxx=40, cyy=40),
        },
    })  # fmt: skip
    modes = eb.modes(model)
    assert (modes.stability, modes.linear.seen_from) == ("stable", None)
    for value in by_hand[by_hand.imag > 0]:
        assert np.abs(modes.eigenvalues - value).min() < 1e-8 * abs(value)


def beside_a_large_frame(bodies: int, anvil: float, more: dict[str, Any]) -> eb.Model:
    """A chain of bodies in bushings, a light anvil on a bushing of stiffness `anvil`, and what is added to them."""
    data: dict[str, Any] = {
        "eigenbody": 1,
        "bodies": {"anvil": {"mass": 1e-3, "inertia": [1e-6] * 3, "at": [0, 3, 0]}} | more.pop("bodies"),
        "forces": {"block": bushing("ground", "anvil", [0, 3, 0], anvil, anvil, 1.0)} | more.pop("forces"),
        **more,
    }
    before = "ground"
    for k in range(bodies):
        at = [0.3 + 0.1 * k, 0, 0]
        data["bodies"][f"b{k}"] = {"mass": 5.0, "inertia": [0.1] * 3, "at": at}
        data["forces"][f"s{k}"] = bushing(before, f"b{k}", at, 1e6, 1e4, 10.0)
        before = f"b{k}"
    return eb.load(data)


def bushing(first: str, second: str, at: list[float], k: float, turn: float, c: float) -> dict[str, Any]:
    return {
        "type": "bushing", "between": [first, second], "at": at,
        "k": [k] * 3 + [turn] * 3, "c": [c] * 3 + [0.1 * c] * 3,
    }  # fmt: skip


def rotor_beside_a_frame(bodies: int, anvil: float, across: float, speed: float = 60.0) -> eb.Model:
    soft = {"kxx": 3000.0, "kyy": 2000.0, "kzz": 1000.0}
    return beside_a_large_frame(bodies, anvil, {
        "bodies": {"rotor": {"mass": 10, "inertia": [1.0, across, 1.2], "at": [0, 0, 0.5]}},
        "joints": {"spin": {"type": "free", "between": ["ground", "rotor"], "at": [0, 0, 0.5],
                            "velocity": [0, 0, 0, 0, 0, speed]}},
        "forces": {"low": bearing(0.0, ("ground", "rotor"), **soft), "high": bearing(1.0, ("ground", "rotor"), **soft)},
    })  # fmt: skip


@pytest.mark.parametrize("anvil", [1e6, 1e9, 1e12])
@pytest.mark.parametrize(("near", "across"), [(None, 0.7), (3.8, 0.999)], ids=["lowest", "those of the rotor"])
def test_a_few_modes_of_many_are_judged_as_all_are(anvil: float, near: float | None, across: float) -> None:
    """The rotor sees bearings that are not alike, and is not round: its equations change. A round one beside the same
    stiff anvil has constant ones."""
    changing, constant = (
        eb.modes(rotor_beside_a_frame(60, anvil, across), n=8, near=near, solver="sparse") for across in (across, 1.0)
    )
    assert changing.stability == "frozen"
    assert constant.stability == ("marginal" if near else "drifting")


@pytest.mark.parametrize("anvil", [1e6, 1e9, 1e12])
@pytest.mark.parametrize("swing", [0.0, 1e-3])
def test_a_soft_stiffness_that_changes_with_time_beside_a_large_frame_at_rest(anvil: float, swing: float) -> None:
    rail = {"type": "prismatic", "between": ["ground", "cart"], "at": [0, -1, 0], "axis": [1, 0, 0]}
    model = beside_a_large_frame(60, anvil, {
        "bodies": {"cart": {"mass": 2, "inertia": [0.1] * 3, "at": [0, -1, 0]}},
        "joints": {"rail": rail},
        "forces": {"cord": {"type": "expression", "along": "rail", "value": f"=-8*(1 + {swing}*sin(3.7*t))*rail"}},
    })  # fmt: skip
    modes = eb.modes(model, n=30)
    assert modes.linear.is_sparse
    assert np.abs(modes.eigenvalues - 2j).min() < 1e-9  # of the cart, at t = 0
    assert modes.stability == ("frozen" if swing else "marginal")


def test_equations_of_more_than_600_freedoms_are_compared_where_all_are_kept() -> None:
    for across, is_constant in ((0.7, False), (1.0, True)):
        linear = eb.linearize(rotor_beside_a_frame(100, 1e9, across), solver="dense")
        assert len(linear.velocities) > 600
        assert has_constant_coefficients(linear) == is_constant
