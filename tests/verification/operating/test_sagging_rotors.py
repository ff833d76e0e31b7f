"""Steady motions of flexible rotors under their weight: each part turns about its own bent line."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from scipy.interpolate import CubicSpline

import eigenbody as eb

SPEED = 200.0
SHAFT: dict[str, Any] = {
    "type": "beam", "points": [[0, 0, 0], [0, 0, 0.5], [0, 0, 1]], "names": ["a", "b", "c"], "E": "205 GPa",
    "density": 7850, "diameter": "30 mm", "modes": 2,
}  # fmt: skip
DISC = {"on": "shaft.b", "disc": {"mass": 8, "Id": 0.02, "Ip": 0.035}}
BEARING = {"type": "bearing", "kxx": 2e6, "kyy": 2e6, "cxx": 30, "cyy": 30}
LEFT = {**BEARING, "between": ["ground", "shaft.a"], "at": [0, 0, 0], "kzz": 1e6}
RIGHT = {**BEARING, "between": ["ground", "shaft.c"], "at": [0, 0, 1]}


def spinning(body: str, at: list[float], speed: Any = SPEED) -> dict[str, Any]:
    """A free joint to ground that spins along z."""
    return {"type": "free", "between": ["ground", body], "at": at, "velocity": [0, 0, 0, 0, 0, speed]}


def rotor(left: dict[str, Any] = LEFT, shaft: dict[str, Any] = SHAFT, **sections: Any) -> eb.Model:
    """A round shaft with a disc, on two bearings, that sags under its weight and spins freely."""
    model = {
        "eigenbody": 1, "gravity": [0, -9.81, 0], "flexible": {"shaft": shaft}, "bodies": {"disc": DISC},
        "joints": {"spin": spinning("shaft.a", [0, 0, 0])}, "forces": {"left": left, "right": RIGHT},
        "operating_point": "steady", **sections,
    }  # fmt: skip
    return eb.load(model)


def test_a_table_that_begins_above_rest_is_read_at_the_speed_that_is_asked_for() -> None:
    """Coefficients at 200 rad/s by SciPy's spline, given as numbers, make the same motion."""
    speeds, stiff, damp = [100.0, 150.0, 300.0, 400.0], [1e6, 2.5e6, 2e6, 5e6], [10.0, 80.0, 40.0, 30.0]
    by_table = eb.modes(rotor({**LEFT, "speed": speeds, "kxx": stiff, "cyy": damp}))
    kxx, cyy = (float(CubicSpline(speeds, values)(SPEED)) for values in (stiff, damp))
    by_number = eb.modes(rotor({**LEFT, "kxx": kxx, "cyy": cyy}))
    assert by_table.linear.point.is_steady
    slow = by_number.eigenvalues.imag < 1e4
    np.testing.assert_allclose(by_table.eigenvalues[slow], by_number.eigenvalues[slow], rtol=1e-8, atol=1e-6)


def test_a_shaft_that_turns_about_its_bent_line_is_not_strained_by_it() -> None:
    """In axes of the shaft its bend goes round; at rest, in motion, and at the points of a sweep."""
    still = rotor(joints={"spin": spinning("shaft.a", [0, 0, 0], 0.0)}, operating_point="equilibrium")
    for model in (rotor(), still):
        found = eb.modes(model)
        assert found.stability == "drifting"
        assert np.count_nonzero(found.eigenvalues == 0) == 2
        assert not any("deflect" in note for note in found.notes)
    swept = rotor(parameters={"speed": SPEED}, joints={"spin": spinning("shaft.a", [0, 0, 0], "=speed")})
    assert not any("deflect" in note for note in eb.campbell(swept, "speed", [SPEED, 2 * SPEED], refine=0).notes)


def test_zeros_are_not_compared_with_those_of_the_shaft_in_sections() -> None:
    """The lowest frequency that bending may change is that of the sagging shaft, 28.8 Hz: free turns have none."""
    remarks = eb.modes(rotor(gravity=[0, -60, 0])).notes
    named = [float(f) for note in remarks for f in re.findall(r"in 4 sections a frequency of (\S+) Hz", note)]
    assert all(frequency > 28 for frequency in named)


def seated(speed: float, **sections: Any) -> eb.Model:
    """The same with its disc on an elastic seat beside the middle: shaft and disc lean differently."""
    at = [0, 0, 0.5]
    shaft = {**SHAFT, "points": [[0, 0, 0], at, [0, 0, 1.3]]}
    seat = {"type": "bushing", "between": ["shaft.b", "disc"], "at": at, "k": [1e7, 1e7, 1e7, 1e4, 1e4, 1e4]}
    disc = {"disc": {"mass": 8, "Id": 0.02, "Ip": 0.035}, "at": at}
    joints = {"spin": spinning("shaft.a", [0, 0, 0], speed), "turn": spinning("disc", at, speed)}
    forces = {"left": LEFT, "right": {**RIGHT, "at": [0, 0, 1.3]}, "seat": seat}
    return rotor(shaft=shaft, bodies={"disc": disc}, joints=joints, forces=forces, **sections)


def test_a_disc_on_an_elastic_seat_turns_about_its_own_line_as_fast_as_the_shaft() -> None:
    """Round and undamped: the sag is that at rest, and nothing winds up the seat."""
    point = eb.operating_point(seated(SPEED))
    assert point.is_steady
    still = eb.operating_point(seated(0.0, operating_point="equilibrium")).coordinates()
    turning = point.coordinates()
    for name in ("spin.y", "spin.rx", "turn.y", "turn.rx"):
        assert turning[name] == pytest.approx(still[name], rel=1e-8)
    assert abs(turning["turn.rx"] - turning["spin.rx"]) > 1e-5
    shaft, disc = (point.state.w[point.system.places.index[name]] for name in ("shaft", "disc"))
    assert shaft[2] == pytest.approx(disc[2], rel=1e-12)  # in their own axes
    np.testing.assert_allclose([*shaft[:2], *disc[:2]], 0.0, atol=1e-9)
    found = eb.modes(seated(SPEED))
    assert found.stability == "drifting"
    assert not any("deflect" in note for note in found.notes)  # the seat's own deflection goes round


DAMPED = {**SHAFT, "damping": 0.002}


def dissipated() -> float:
    """Power in W at 200 rad/s: the bend of the shaft at rest goes round in axes that turn with it, eta' = -Omega G eta,
    against its damping C."""
    still = rotor(shaft=DAMPED, joints={"spin": spinning("shaft.a", [0, 0, 0], 0.0)}, operating_point="equilibrium")
    (body,) = still.description.flexible
    at = eb.operating_point(still).coordinates()
    assert body.symmetry is not None
    rate = SPEED * body.symmetry[1] @ [at[name] for name in body.coordinates]
    return float(rate @ body.damping @ rate)


def test_a_spin_that_damping_in_the_shaft_slows_down_is_said_to_need_a_torque() -> None:
    with pytest.raises(eb.ComputationError, match=r"along spin\.rz\. Give an input") as caught:
        eb.operating_point(rotor(shaft=DAMPED))
    (power,) = re.findall(r"(\S+) W is dissipated", str(caught.value))
    (torque,) = re.findall(r"of (\S+) along spin\.rz", str(caught.value))
    assert float(power) == pytest.approx(dissipated(), rel=1e-3)
    assert float(torque) == pytest.approx(dissipated() / SPEED, rel=1e-3)


def test_a_motor_turns_a_damped_shaft_at_the_speed_that_its_torque_allows() -> None:
    slope = 1e-5
    motor = {"type": "expression", "along": "w", "value": f"=-{slope}*(w - 210)"}
    point = eb.operating_point(
        rotor(
            shaft=DAMPED,
            measures={"w": {"type": "angular_velocity", "between": ["ground", "shaft.a"], "axis": [0, 0, 1]}},
            forces={"left": LEFT, "right": RIGHT, "motor": motor},
            operating_point={"steady": {"adjust": ["spin.rz'"]}},
        )
    )
    assert point.is_steady
    w = point.coordinates()["w"]
    assert slope * (210 - w) == pytest.approx(dissipated() / SPEED**2 * w, rel=1e-3)
