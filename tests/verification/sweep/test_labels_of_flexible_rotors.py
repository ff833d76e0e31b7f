"""Words of a Campbell diagram for flexible bodies: what moves as if it were rigid is no bending."""

import numpy as np
import pytest

import eigenbody as eb

LENGTH, RADIUS, DENSITY, THRUST, DISC = 1.0, 0.015, 7850.0, 1e6, 5.0


def rotor() -> eb.Model:
    """A straight shaft with a disc on two bearings, one of which holds it along its axis."""
    bearing = {"type": "bearing", "kxx": 2e6, "kyy": 2e6, "cxx": 50, "cyy": 50}
    return eb.Model(
        parameters={"speed": 100.0},
        flexible={
            "shaft": {
                "type": "beam", "points": [[0, 0, 0], [0, 0, 0.4], [0, 0, LENGTH]], "names": ["l", "m", "r"],
                "E": 210e9, "density": DENSITY, "diameter": 2 * RADIUS, "modes": 4,
            }
        },
        bodies={"disc": {"on": "shaft.m", "disc": {"mass": DISC, "Id": 0.02, "Ip": 0.035}}},
        joints={"spin": {"type": "free", "between": ["ground", "shaft.l"], "at": [0, 0, 0],
                         "velocity": [0, 0, 0, 0, 0, "=speed"]}},
        forces={
            "bl": {**bearing, "between": ["ground", "shaft.l"], "at": [0, 0, 0], "kzz": THRUST},
            "br": {**bearing, "between": ["ground", "shaft.r"], "at": [0, 0, LENGTH]},
        },
    )  # fmt: skip


def test_a_shaft_on_its_thrust_bearing_moves_along_its_axis_and_does_not_bend():
    """sqrt(k / m) of shaft and disc on the thrust bearing (the shaft's own stretch takes less than 1 % off); modes say
    translation z of it."""
    found = eb.campbell(rotor(), "speed", [100.0, 300.0])
    mass = np.pi * RADIUS**2 * LENGTH * DENSITY + DISC
    expected = np.sqrt(THRUST / mass) / (2 * np.pi)
    k = int(np.nanargmin(np.abs(found.frequency_hz[0] - expected)))
    assert found.frequency_hz[0, k] == pytest.approx(expected, rel=0.01)
    assert found.labels[k].endswith("axial"), found.labels
    assert any("bending" in label for label in found.labels)
    modes = eb.modes(rotor())
    named = modes.explain().labels[int(np.argmin(np.abs(modes.frequency_hz - expected)))]
    assert "translation z" in named
