"""Rotors written with joints on the bodies that turn: seen from the ground where the equations are constant there, and
nothing false said of them where they are not. Closed forms of a disc on springs."""

import numpy as np
import pytest

import eigenbody as eb

MASS, STIFF, DAMP = 10.0, 1e5, 40.0
PLACE = {"at": [0, 0, 0]}


def disc(across: float = 0.0, **more: object) -> eb.Model:
    """A disc that slides on a shaft on equal springs; a seal at rest with damping and, one way, stiffness `across`."""
    seal = {"kxx": across, "kyy": 0, "cxx": DAMP, "cyy": DAMP}
    return eb.Model(
        parameters={"w": 100.0},
        bodies={
            "shaft": {"mass": 1, "inertia": [0.01, 0.01, 0.01], **PLACE},
            "slide": {"mass": 0, **PLACE},
            "disc": {"mass": MASS, "inertia": [0.1, 0.1, 0.2], **PLACE},
        },
        joints={
            "spin": {"type": "revolute", "between": ["ground", "shaft"], "motion": "=w*t", **PLACE},
            "xi": {"type": "prismatic", "between": ["shaft", "slide"], "axis": [1, 0, 0], **PLACE},
            "eta": {"type": "prismatic", "between": ["slide", "disc"], "axis": [0, 1, 0], **PLACE},
        },
        forces={
            "along xi": {"type": "spring", "along": "xi", "k": STIFF},
            "along eta": {"type": "spring", "along": "eta", "k": STIFF},
            "seal": {"type": "bearing", "between": ["ground", "disc"], **PLACE, **seal},
        },
        **more,
    )


def swinging(k: float) -> complex:
    """m s^2 + c s + k = 0."""
    decay = DAMP / (2 * MASS)
    return complex(-decay, np.sqrt(k / MASS - decay**2))


def test_a_disc_on_a_shaft_in_an_unequal_seal_is_seen_from_the_ground():
    found = eb.modes(disc(6e4))
    assert (found.stability, found.linear.seen_from) == ("stable", "ground")
    np.testing.assert_allclose(found.eigenvalues, [swinging(1e5), swinging(1.6e5)], rtol=1e-12)
    assert "seen from the ground" in str(found)


@pytest.mark.parametrize("orders", [None, (1.0, 2.0)])
def test_its_critical_speeds_are_those_of_the_fixed_frame(orders):
    found = eb.campbell(disc(6e4), "w", np.linspace(0, 300, 13), per_rev=orders)
    assert not found.is_frozen
    once = sorted(c.spin for c in found.critical_speeds if c.order == 1)
    np.testing.assert_allclose(once, [swinging(1e5).imag, swinging(1.6e5).imag], rtol=1e-9)


def test_both_frames_of_a_disc_in_an_equal_seal():
    found = eb.modes_in_frames(disc(), "spin")
    assert found.fixed_is_constant
    assert found.rotating_is_constant
    np.testing.assert_allclose(found.fixed.eigenvalues, [swinging(1e5)] * 2, rtol=1e-9)
    assert {pair.whirl for pair in found.pairs} == {"forward", "backward"}


def test_an_unbalance_is_not_answered_in_coordinates_that_turn():
    """In coordinates from ground: m e w^2 / |k - m w^2 + i w c|."""
    given, speeds = {"body": "disc", "moment": 1e-3}, [8.0, 15.9]
    how = {"unbalance": given, "speed_parameter": "w", "frequencies_hz": speeds}
    with pytest.raises(eb.ComputationError, match="coordinates turn with"):
        eb.frf(disc(), **how)
    with pytest.raises(eb.ComputationError, match="coordinates turn with"):
        eb.frf(disc(coordinates=["disc.x", "disc.y"]), outputs=["xi"], **how)
    found = eb.frf(disc(coordinates=["disc.x", "disc.y"]), outputs=["disc.x"], **how)
    w = 2 * np.pi * np.array(speeds)
    np.testing.assert_allclose(np.abs(found.values[:, 0, 0]), 1e-3 * w**2 / abs(STIFF - MASS * w**2 + 1j * w * DAMP))


def test_a_response_through_ports_that_turn_is_cautioned():
    found = eb.frf(disc(coordinates=["disc.x", "disc.y"]), "disc.x", ["xi", "disc.y"], frequencies_hz=[5.0])
    assert any("turns along the motion" in note for note in found.cautions)
    still = eb.frf(disc(coordinates=["disc.x", "disc.y"]), "disc.x", ["disc.x", "disc.y"], frequencies_hz=[5.0])
    assert not still.cautions
    assert not eb.frf(disc(), "xi", ["xi", "eta"], frequencies_hz=[5.0]).cautions  # all of them turn


def rotors(second: str, tilt: float = 1e4) -> eb.Model:
    """Two rotors that do not touch; the speed of the second."""
    k, c = [1e6, 1e6, 1e6, 1e4, 1e4, 0], [100, 100, 0, 1, 1, 0]
    inertia = [0.1, 0.1, 0.15]
    one = {"type": "free", "between": ["ground", "A"], "at": [0, 0, 0], "velocity": [0, 0, 0, 0, 0, "=w"]}
    two = {"type": "free", "between": ["ground", "B"], "at": [1, 0, 0], "velocity": [0, 0, 0, 0, 0, second]}
    return eb.Model(
        parameters={"w": 100.0},
        bodies={
            "A": {"mass": 10, "inertia": inertia, "at": [0, 0, 0]},
            "B": {"mass": 10, "inertia": inertia, "at": [1, 0, 0]},
        },
        joints={"ja": one, "jb": two},
        forces={
            "a": {"type": "bearing", "between": ["ground", "A"], "at": [0, 0, 0], "k": k, "c": c},
            "b": {"type": "bearing", "between": ["ground", "B"], "at": [1, 0, 0], "k": [*k[:3], tilt, tilt, 0], "c": c},
        },
    )


def test_unbalance_of_two_speeds_is_refused():
    both = [{"body": "A", "moment": 1e-3}, {"body": "B", "moment": 1e-3}]
    with pytest.raises(eb.InputError, match="A turns at 100 rad/s, B at 200"):
        eb.frf(rotors("=-2*w"), unbalance=both, speed_parameter="w", frequencies_hz=[20.0])
    assert eb.frf(rotors("=-w"), unbalance=both, speed_parameter="w", frequencies_hz=[20.0]).values.size


def test_rotors_that_turn_against_each_other_have_no_common_sense_of_whirl():
    found = eb.campbell(rotors("=-w", 5e3), "w", [10.0, 100.0])
    assert found.joint == ""
    assert any("Several joints spin (ja, jb)" in note for note in found.notes)
    own = eb.campbell(rotors("=-w", 5e3), "w", [10.0, 100.0], joint="jb")
    falling = [k for k, label in enumerate(own.labels) if label.startswith("B r") and "backward" in label]
    hz = own.frequency_hz
    assert len(falling) == 1
    assert hz[-1, falling[0]] < hz[0, falling[0]]  # gyroscopic moments slow backward whirl down


def test_unbalance_in_a_turning_casing_turns_at_the_speed_seen_from_the_ground():
    bearing = {"type": "bearing", "between": ["ground", "casing"], "kxx": 1e6, "kyy": 1e6, "cxx": 100, "cyy": 100}
    model = eb.Model(
        parameters={"w": 300.0, "wc": 100.0},
        bodies={
            "casing": {"mass": 20, "inertia": [1, 1, 1.5], "at": [0, 0, 0]},
            "rotor": {"mass": 10, "inertia": [0.5, 0.5, 0.8], "at": [0, 0, 0.3]},
        },
        joints={
            "turn": {
                "type": "free", "between": ["ground", "casing"], "at": [0, 0, 0], "velocity": [0, 0, 0, 0, 0, "=wc"],
            },
            "spin": {"type": "revolute", "between": ["casing", "rotor"], "at": [0, 0, 0.3], "velocity": "=w"},
        },
        forces={"one": {**bearing, "at": [0, 0, -0.2], "kzz": 1e6}, "two": {**bearing, "at": [0, 0, 0.2]}},
    )  # fmt: skip
    found = eb.campbell(model, "w", np.linspace(0, 600, 13), joint="spin")
    forward = [c for c in found.critical_speeds if "forward" in found.labels[c.branch]]
    assert len(forward) == 2
    for critical in forward:
        assert critical.spin == pytest.approx(critical.values["w"] + 100)
        there = eb.modes(model.with_parameters(critical.values)).eigenvalues.imag
        assert np.abs(there - critical.spin).min() < 1e-6 * critical.spin
        peak = eb.frf(
            model, unbalance={"body": "rotor", "moment": 1e-3}, speed_parameter="w", outputs=["rotor.x"],
            frequencies_hz=critical.spin / (2 * np.pi) * np.array([0.97, 1.0, 1.03]),
        ).magnitude[:, 0, 0]  # fmt: skip
        assert peak[1] > max(peak[0], peak[2])


@pytest.mark.parametrize("ky", [1e6, 7e5])
def test_two_shafts_in_a_ball_joint_are_the_same_however_the_tree_is_cut(ky):
    """As a branch of the tree the ball joint measures in axes that turn; as the closing of a loop it does not."""
    steel = {"type": "beam", "E": 2.1e11, "nu": 0.3, "density": 7850, "modes": 6, "elements": 8}
    free = {"type": "free", "velocity": [0, 0, 0, 0, 0, 300]}
    bearing = {"type": "bearing", "c": [100, 100, 0, 0, 0, 0]}
    model = eb.Model(
        flexible={
            "A": {**steel, "points": [[0, 0, 0], [0, 0, 0.6], [0, 0, 0.8]], "diameter": 0.04},
            "B": {**steel, "points": [[0, 0, 0.8], [0, 0, 1.0], [0, 0, 1.4]], "diameter": 0.05},
        },
        joints={
            "ja": {**free, "between": ["ground", "A.start"], "at": [0, 0, 0]},
            "ball": {"type": "spherical", "between": ["A.end", "B.start"], "at": [0, 0, 0.8]},
        },
        forces={
            name: {**bearing, "between": ["ground", node], "at": [0, 0, z], "k": [1e6, ky, k, 0, 0, 0]}
            for name, node, z, k in (
                ("a1", "A.start", 0, 1e6), ("a2", "A.2", 0.6, 0), ("b1", "B.2", 1.0, 0), ("b2", "B.end", 1.4, 0),
            )
        },
    )  # fmt: skip
    found = eb.modes(model)
    assert found.linear.seen_from == "ground"
    closed = model.joint("jb", **free, between=["ground", "B.end"], at=[0, 0, 1.4])
    other = eb.modes(closed)
    assert other.is_constant
    size = np.abs(found.eigenvalues[:12]).max()
    np.testing.assert_allclose(found.eigenvalues[:12], other.eigenvalues[:12], rtol=1e-6, atol=1e-6 * size)


def test_bodies_that_spin_against_each_other_whirl_each_in_its_own_sense():
    """Joined by a spring two rotors circle as one: forward for the one that turns this way, backward for the other, and
    nothing is said. Where they rock, at frequencies of their own, each has its sense."""
    model = rotors("=-w", 5e3).force(
        "tie", type="bearing", between=["A", "B"], at=[0.5, 0, 0], k=[1e5, 1e5, 0, 0, 0, 0], c=[0] * 6
    )
    labels = eb.modes(model).explain().labels
    assert not any("whirl" in label for label in labels if label.startswith("A and B"))
    assert sorted(label for label in labels if "rocking" in label) == [
        f"{name} rocking, {sense} whirl" for name in "AB" for sense in ("backward", "forward")
    ]
