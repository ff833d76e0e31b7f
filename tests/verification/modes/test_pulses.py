"""Equations that change for a small part of a turn or of time: no verdict of constant coefficients.

That they do change, and are unstable, is Floquet's theory: tests/verification/floquet.
"""

import numpy as np
import pytest

import eigenbody as eb

SMOOTH = "100*exp(60*(cos(spin - 3.0) - 1))"  # 17 degrees wide
SHARP = "200*step(cos(spin - 2*pi*0.03325) - cos(0.006*pi))"  # 2 degrees
TIMED = "200*step(cos(2*pi*(t - 0.03325)) - cos(0.006*pi))"


def block(pulse: str) -> eb.Model:
    """1 kg on a spring that stiffens as a rotor passes."""
    place = {"at": [0, 0, 0]}
    return eb.Model(
        bodies={"block": {"mass": 1, **place}, "rotor": {"mass": 1, "inertia": [1, 1, 1], **place}},
        joints={
            "s": {"type": "prismatic", "between": ["ground", "block"], "axis": [1, 0, 0], **place},
            "spin": {"type": "revolute", "between": ["ground", "rotor"], "motion": "=2*pi*t", **place},
        },
        forces={"pull": {"type": "expression", "along": "s", "value": f"=-(9.5 + {pulse})*s - 0.1*s'"}},
    )


@pytest.mark.parametrize("pulse", [SMOOTH, SHARP, TIMED])
def test_a_pulse_that_a_rotor_gives_once_a_turn_leaves_no_verdict(pulse):
    assert eb.modes(block(pulse)).stability == "frozen"


def test_what_reads_the_angle_and_stays_the_same_has_its_verdict():
    """cos^2 + sin^2 of the angle is one."""
    found = eb.modes(block("4*(cos(spin)^2 + sin(spin)^2)".replace("^", "**")))
    assert found.stability == "stable"
    np.testing.assert_allclose(found.eigenvalues, [complex(-0.05, np.sqrt(13.5 - 0.05**2))], rtol=1e-9)


@pytest.mark.parametrize("azimuth", [1.0, 4.6])
def test_blades_in_a_wind_shadow_leave_no_verdict(azimuth):
    place, forces = {"at": [0, 0, 0]}, {}
    bodies = {"bed": {"mass": 10, "inertia": [1, 1, 1], **place}, "hub": {"mass": 5, "inertia": [0.1] * 3, **place}}
    joints = {
        "base": {"type": "planar", "between": ["ground", "bed"], **place},
        "spin": {"type": "revolute", "between": ["bed", "hub"], "motion": "=10*t", **place},
    }
    forces["mount"] = {
        "type": "bushing", "between": ["ground", "bed"], "k": [1000, 1700, 0, 0, 0, 900], "c": [5, 5, 0, 0, 0, 2],
        **place,
    }  # fmt: skip
    for k, (x, y) in enumerate((np.cos(a), np.sin(a)) for a in 2 * np.pi * np.arange(3) / 3):
        bodies[f"blade{k}"] = {"mass": 1, "inertia": [0.02] * 3, "at": [0.35 * x, 0.35 * y, 0]}
        joints[f"lag{k}"] = {"type": "revolute", "between": ["hub", f"blade{k}"], "at": [0.1 * x, 0.1 * y, 0]}
        forces[f"hinge{k}"] = {"type": "spring", "along": f"lag{k}", "k": 3, "c": 0.2}
    steady = eb.Model(bodies=bodies, joints=joints, forces=forces)
    assert eb.modes(steady).stability == "stable"
    value = f"=-8000*exp(30*(cos(spin - {azimuth}) - 1))*base.x"
    shaded = steady.force("shadow", type="expression", along="base.x", value=value)
    assert eb.modes(shaded).stability == "frozen"
