"""Unbalance response of flexible shafts on bearings over the speed, against rotor finite elements and Jeffcott."""

from typing import Any

import numpy as np
import pytest

import eigenbody as eb
from rotor_elements import Shaft, both_planes

SPEEDS = np.linspace(20, 700, 12)
ASKED = np.array([50.0, 150, 240, 300, 500, 650])


def stiffness(w: Any) -> dict[str, Any]:
    """Coefficients at speeds w."""
    k, one = 1e6 * (1 + w / 1000), np.ones_like(w)
    return {"kxx": k, "kxy": 200 * w, "kyx": -100 * w, "kyy": 0.8 * k, "cxx": 2e3 * one, "cyy": 2e3 + w}


def rotor() -> eb.Model:
    bearing = {"type": "bearing", "speed": SPEEDS.tolist(), **{k: v.tolist() for k, v in stiffness(SPEEDS).items()}}
    return eb.Model(
        parameters={"speed": 100.0},
        flexible={"shaft": {"type": "beam", "points": [[0, 0, z] for z in (0, 0.25, 0.5, 1)], "modes": 12,
                            "names": ["left", "quarter", "middle", "right"], "E": "210 GPa", "nu": 0.3, "density": 7850,
                            "diameter": "40 mm"}},
        bodies={"disc": {"on": "shaft.middle", "disc": {"mass": 20, "Id": 0.2, "Ip": 0.4}}},
        joints={"spin": {"type": "free", "between": ["ground", "shaft.left"], "at": [0, 0, 0],
                         "velocity": [0, 0, 0, 0, 0, "=speed"]}},
        forces={"left": {**bearing, "between": ["ground", "shaft.left"], "at": [0, 0, 0], "kzz": 1e6},
                "right": {**bearing, "between": ["ground", "shaft.right"], "at": [0, 0, 1]}},
        outputs={"x": {"measure": "disc.x"}, "y": {"measure": "disc.y"}},
    )  # fmt: skip


def by_elements(w: float, places: dict[int, complex]) -> np.ndarray:
    """Complex amplitudes of the disc along x and y; `places` are moments with their phases by node."""
    c = stiffness(np.float64(w))
    k, d = np.array([[c["kxx"], c["kxy"]], [c["kyx"], c["kyy"]]]), np.diag([c["cxx"], c["cyy"]])
    elements = Shaft(1.0, 0.04, 20, 210e9, 0.3, 7850)
    M, C, G, K, _ = both_planes(elements, {0: (k, d), 20: (k, d)}, {10: (20, 0.2, 0.4)})
    n, force = len(M) // 2, np.zeros(len(M), complex)
    for node, moment in places.items():
        force[2 * node] += moment * w**2
        force[n + 2 * node] -= 1j * moment * w**2
    found = np.linalg.solve(K - w**2 * M + 1j * w * (C + w * G), force)
    return found[[20, n + 20]]


def test_response_at_every_speed_is_that_of_rotor_finite_elements():
    """Amplitude and phase, unbalance in two planes, one of them a node to which nothing else is attached."""
    found = eb.frf(
        rotor(), outputs=["x", "y"], speed_parameter="speed", frequencies_hz=ASKED / (2 * np.pi),
        unbalance=[{"body": "disc", "moment": 1e-3}, {"body": "shaft.quarter", "moment": 2e-3, "phase": np.pi / 2}],
    )  # fmt: skip
    wanted = np.array([by_elements(w, {10: 1e-3, 5: 2e-3j}) for w in ASKED])
    np.testing.assert_allclose(found.values[:, :, 0], wanted, rtol=1e-5)
    assert found.inputs == ("unbalance of disc, shaft.quarter",)


def test_response_of_a_jeffcott_rotor_is_the_closed_form():
    """r = e n^2 / (1 - n^2 + 2 i zeta n) along x, and a quarter turn behind along y."""
    mass, k, c, e = 10.0, 4e5, 400.0, 1e-4
    model = eb.Model(parameters={"speed": 150.0}).body("disc", disc={"mass": mass, "Id": 0.1, "Ip": 0.2}, at=[0, 0, 0])
    model = model.joint("spin", "free", between=["ground", "disc"], at=[0, 0, 0], velocity=[0, 0, 0, 0, 0, "=speed"])
    model = model.force("shaft", "bearing", between=["ground", "disc"], at=[0, 0, 0], kxx=k, kyy=k, kzz=k, cxx=c, cyy=c)
    w = np.array([50.0, 190, 200, 210, 600])
    found = eb.frf(
        model, outputs=["spin.x", "spin.y"], unbalance={"body": "disc", "moment": mass * e}, speed_parameter="speed",
        frequencies_hz=w / (2 * np.pi),
    ).values[:, :, 0]  # fmt: skip
    n, zeta = w / np.sqrt(k / mass), c / (2 * np.sqrt(k * mass))
    wanted = e * n**2 / (1 - n**2 + 2j * zeta * n)
    np.testing.assert_allclose(found, np.column_stack([wanted, -1j * wanted]), rtol=1e-10)


@pytest.mark.parametrize(
    ("unbalance", "words"),
    [
        ([], "no place of an unbalance"),
        ({"body": "disk", "moment": 1e-3}, 'no body "disk"'),
        ({"body": "shaft.nowhere", "moment": 1e-3}, 'no node "nowhere"'),
        ([{"body": "disc", "moment": 1e-3}, {"body": "disc", "moment": 0}], "a positive number in kg m"),
        ({"body": "disc", "moment": 1e-3, "phase": "90 deg"}, "the phase is an angle in rad"),
        ({"body": "disc", "moment": 1e-3, "angle": 1}, '"angle" is not known'),
    ],
)
def test_what_is_wrong_with_an_unbalance_is_said(unbalance, words):
    with pytest.raises(eb.InputError, match=words):
        eb.frf(rotor(), outputs="x", unbalance=unbalance, speed_parameter="speed", frequencies_hz=[20.0])


def with_cross_coupling(kxy: float) -> eb.Model:
    """A disc on a seal that drives it around: unstable from kxy = c omega on, omega^2 = k / m."""
    model = eb.Model(parameters={"speed": 150.0, "kxy": kxy}, outputs={"x": {"measure": "spin.x"}})
    model = model.body("disc", disc={"mass": 10.0, "Id": 0.1, "Ip": 0.2}, at=[0, 0, 0])
    model = model.joint("spin", "free", between=["ground", "disc"], at=[0, 0, 0], velocity=[0, 0, 0, 0, 0, "=speed"])
    seal = {
        "kxx": 4e5,
        "kyy": 4e5,
        "kzz": 4e5,
        "kxy": "=kxy*speed/100",
        "kyx": "=-kxy*speed/100",
        "cxx": 400,
        "cyy": 400,
    }
    return model.force("seal", "bearing", between=["ground", "disc"], at=[0, 0, 0], **seal)


def unbalanced(model: eb.Model, hz: list[float], **keys: Any) -> Any:
    return eb.frf(model, unbalance={"body": "disc", "moment": 1e-3}, frequencies_hz=hz, **keys)


def test_speeds_at_which_a_mode_grows_are_named():
    """c omega = 8e4: with kxy = 4e4 the limit is at 200 rad/s, 31.8 Hz."""
    found = unbalanced(with_cross_coupling(4e4), [20.0, 31.0, 33.0, 40.0], speed_parameter="speed")
    growing = [note for note in found.notes if note.startswith("Unstable")]
    assert len(growing) == 1
    assert "at 2 of the speeds, from 33 to 40 Hz, fastest at 40 Hz" in growing[0]
    assert not any(
        "Unstable" in note for note in unbalanced(with_cross_coupling(0.0), [20.0], speed_parameter="speed").notes
    )


def test_a_speed_that_does_not_follow_is_named():
    own = [note for note in unbalanced(with_cross_coupling(0.0), [20.0]).notes if "spinning at 23.8732 Hz" in note]
    assert len(own) == 1
    assert "--speed" in own[0]
    resting = with_cross_coupling(0.0).with_parameters(speed=0.0)
    found = eb.frf(resting, unbalance={"body": "disc", "moment": 1e-3, "axis": [0, 0, 1]}, frequencies_hz=[20.0])
    assert not any("spinning at" in note for note in found.notes)


def unsymmetric_on_unequal_bearings(speed: float) -> eb.Model:
    """A flat shaft on unequal bearings: no observer sees constant coefficients of it once it turns."""
    bearing = {"type": "bearing", "kxx": 2e6, "kyy": 1e6, "kzz": 1e6, "cxx": 300, "cyy": 300}
    return eb.Model(
        parameters={"speed": speed},
        flexible={
            "shaft": {
                "type": "beam", "points": [[0, 0, z] for z in (0, 0.5, 1)], "names": ["left", "middle", "right"],
                "E": "210 GPa", "nu": 0.3, "density": 7850, "width": 0.03, "height": 0.02,
            }
        },
        bodies={"disc": {"on": "shaft.middle", "disc": {"mass": 6, "Id": 0.02, "Ip": 0.04}}},
        joints={"spin": {"type": "free", "between": ["ground", "shaft.left"], "velocity": [0, 0, 0, 0, 0, "=speed"]}},
        forces={
            "left": {**bearing, "between": ["ground", "shaft.left"], "at": [0, 0, 0]},
            "right": {**bearing, "between": ["ground", "shaft.right"], "at": [0, 0, 1]},
        },
        outputs={"x": {"measure": "disc.x"}},
        inputs={"push": {"body": "disc", "direction": [1, 0, 0]}},
    )  # fmt: skip


@pytest.mark.parametrize("own", [0.0, 300.0])
@pytest.mark.parametrize("follows", [{}, {"speed_parameter": "speed"}])
def test_an_unbalance_of_a_rotor_without_constant_equations_is_refused(own, follows):
    """It answers at many frequencies."""
    model = unsymmetric_on_unequal_bearings(own)
    place = {"body": "disc", "moment": 1e-3, "axis": [0, 0, 1]}
    if own or follows:
        with pytest.raises(eb.ComputationError, match=r"not of one frequency.*eigenbody floquet"):
            eb.frf(model, unbalance=place, frequencies_hz=[35.0], **follows)
    else:
        assert eb.frf(model, unbalance=place, frequencies_hz=[35.0]).values.all()


def test_equations_of_an_instant_have_no_growth_and_no_stationary_response():
    model = unsymmetric_on_unequal_bearings(300.0)
    notes = eb.frf(model, frequencies_hz=[35.0]).notes
    assert any("that of an instant" in note for note in notes)
    assert not any("Unstable" in note for note in notes)
    with pytest.raises(eb.ComputationError, match="no stationary response"):
        eb.response(model, eb.HarmonicInput("push", 35.0), times=(1.0, 3), stationary=True)
    with pytest.raises(eb.ComputationError, match="no stationary response"):
        eb.psd(model, eb.White(1.0), band_hz=(1.0, 100.0))
