"""The split of C and K, and undamped frequencies, on models whose parts are known."""

from __future__ import annotations

import numpy as np
import pytest

import eigenbody as eb

DISC = {"mass": 2, "inertia": [0.6, 0.6, 1.0], "at": [0, 0, 0]}
FRAME = {"mass": 0, "at": [0, 0, 0]}


def rotor(**forces: object) -> dict:
    """A disc (Ip 1, It 0.6) spinning at 50 rad/s in a massless frame on a universal joint."""
    return {
        "eigenbody": 1,
        "bodies": {"frame": FRAME, "disc": DISC},
        "joints": {
            "tilt": {"type": "universal", "between": ["ground", "frame"], "at": [0, 0, 0], "axis": [1, 0, 0],
                     "axis2": [0, 1, 0]},
            "spin": {"type": "revolute", "between": ["frame", "disc"], "at": [0, 0, 0], "velocity": 50},
        },
        "forces": forces,
        "coordinates": ["tilt.angle1", "tilt.angle2", "spin"],
    }  # fmt: skip


def spring(coordinate: str, k: float, c: float) -> dict:
    return {"type": "spring", "along": coordinate, "k": k, "c": c}


def follower(coordinate: str, value: str) -> dict:
    return {"type": "expression", "along": coordinate, "value": value}


def test_every_part_stands_where_it_belongs() -> None:
    """It = 0.6 and Ip W = 50 by Euler; dampers on the diagonal; a circulatory pair +-7 written as forces."""
    document = rotor(
        a=spring("tilt.angle1", 500, 3),
        b=spring("tilt.angle2", 500, 4),
        p=follower("tilt.angle1", "=-7*tilt.angle2"),
        q=follower("tilt.angle2", "=7*tilt.angle1"),
    )
    linear = eb.linearize(eb.load(document))
    tilt = np.ix_([0, 1], [0, 1])
    np.testing.assert_allclose(linear.M[tilt], 0.6 * np.eye(2), atol=1e-12)
    np.testing.assert_allclose(linear.damping[tilt], np.diag([3.0, 4.0]), atol=1e-10)
    np.testing.assert_allclose(np.abs(linear.gyroscopic[0, 1]), 50.0, rtol=1e-12)
    np.testing.assert_allclose(linear.conservative[tilt], 500 * np.eye(2), atol=1e-9)
    np.testing.assert_allclose(linear.circulatory[tilt], [[0, 7], [-7, 0]], atol=1e-9)
    np.testing.assert_allclose(linear.damping + linear.gyroscopic, linear.C, atol=0)
    np.testing.assert_allclose(linear.conservative + linear.circulatory, linear.K, atol=0)


def test_undamped_frequencies_leave_damping_and_gyroscopic_terms_out() -> None:
    modes = eb.modes(eb.load(rotor(a=spring("tilt.angle1", 500, 3), b=spring("tilt.angle2", 800, 4))))
    expected = [0.0, np.sqrt(500 / 0.6) / (2 * np.pi), np.sqrt(800 / 0.6) / (2 * np.pi)]
    np.testing.assert_allclose(modes.undamped_frequency_hz, expected, rtol=1e-10, atol=1e-6)


def test_a_split_of_k_does_not_exist_with_a_knife_edge() -> None:
    sleigh = {
        "eigenbody": 1,
        "bodies": {"sleigh": {"mass": 1, "inertia": [0.1, 0.1, 0.1], "at": [0.3, 0, 0]}},
        "joints": {
            "plane": {"type": "planar", "between": ["ground", "sleigh"], "at": [0, 0, 0], "velocity": [1, 0, 0]},
            "blade": {"type": "knife_edge", "between": ["ground", "sleigh"], "at": [0, 0, 0], "axis": [0, 1, 0]},
        },
    }
    linear = eb.linearize(eb.load(sleigh))
    assert (len(linear.coordinates), len(linear.velocities)) == (3, 2)
    with pytest.raises(eb.ComputationError, match="use A"):
        _ = linear.circulatory
