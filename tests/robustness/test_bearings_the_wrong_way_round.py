"""A bearing whose first side turns, or whose axis is across the spin, is told of: its damping would turn with it."""

import numpy as np
import pytest

import eigenbody as eb


def rotor(between: tuple[str, str], axis: tuple[float, float, float] = (0, 0, 1), speed: float = 100.0) -> eb.Model:
    """A disc that spins about z on one bearing."""
    along = [*axis[:2], f"={axis[2]}+tilt"]
    return eb.Model(
        parameters={"speed": speed, "tilt": 0.0},
        bodies={"disc": {"mass": 5, "inertia": [0.02, 0.02, 0.035], "at": [0, 0, 0]}},
        joints={"spin": {"type": "free", "between": ["ground", "disc"], "at": [0, 0, 0],
                         "velocity": [0, 0, 0, 0, 0, "=speed"]}},
        forces={"b": {"type": "bearing", "between": list(between), "at": [0, 0, 0], "axis": along,
                      "k": [1e6, 1e6, 1e6, 1e4, 1e4, 0], "c": [100, 100, 100, 1, 1, 0]}},
    )  # fmt: skip


def warnings(model: eb.Model) -> list[str]:
    return [text for text in eb.operating_point(model).warnings if "forces.b:" in text]


def test_a_bearing_whose_first_side_turns_is_told_of_with_the_remedy():
    """Damping that turns with the disc drives it above its critical speed sqrt(k/m) = 447 rad/s; in a bearing on the
    ground it does not."""
    (told,) = warnings(rotor(("disc", "ground")))
    assert "disc, its first side, turns and ground does not" in told
    assert "between: [ground, disc]" in told
    assert warnings(rotor(("ground", "disc"))) == []
    assert warnings(rotor(("disc", "ground"), speed=0.0)) == []
    growth = [eb.modes(rotor(pair, speed=600.0)).eigenvalues.real.max() for pair in
              (("disc", "ground"), ("ground", "disc"))]  # fmt: skip
    assert growth[0] > 1 > 1e-6 > growth[1]


@pytest.mark.parametrize(("axis", "count"), [((1, 0, 0), 1), ((0, 1, 1), 1), ((0, 0, -1), 0), ((0.01, 0, 1), 0)])
def test_a_bearing_across_the_spin_is_told_of(axis, count):
    told = warnings(rotor(("ground", "disc"), axis))
    assert len(told) == count
    assert all("turns across the axis of the bearing" in text for text in told)


def test_the_axis_of_a_marker_is_not_judged():
    across = rotor(("ground", "disc"), (1, 0, 0))
    bearing = {**across.document["forces"]["b"], "between": ["seat", "disc"]}
    for key in ("at", "axis"):
        del bearing[key]
    seat = {"body": "ground", "at": [0, 0, 0]}
    assert warnings(across.set(markers={"seat": seat}, forces={"b": bearing})) == []


def test_variants_of_the_axis_are_told_of_one_by_one():
    found = eb.variants(rotor(("ground", "disc")), {"tilt": np.array([0.0, 0.5])})
    assert not found.failures
