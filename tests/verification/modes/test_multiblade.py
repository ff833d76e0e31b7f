"""Multi-blade coordinates: eigenvalues in the fixed frame against Floquet's theory and closed forms; refusals."""

import json
from typing import Any

import numpy as np
import pytest
from scipy.optimize import brentq

import eigenbody as eb
from bladed_rotors import flexible_rotor, ground_rotor, hinged_rotor, lagging_rotor
from floquet_references import BLADE, HUB, INERTIA, MOMENT, same_sets

TURN = 2 * np.pi


def changed(model: eb.Model, section: str, name: str, **values: Any) -> eb.Model:
    part = model.document[section]
    return model.set(**{section: {**part, name: {**part[name], **values}}})


def all_eigenvalues(modes: eb.Modes) -> np.ndarray:
    return np.concatenate((modes.eigenvalues, modes.eigenvalues[modes.eigenvalues.imag > 0].conj()))


def agrees_with_floquet(model: eb.Model, count: int, tolerance: float = 1e-10) -> eb.Modes:
    found, periodic = eb.modes(model), eb.floquet(model)
    assert found.linear.blades.count == count
    same_sets(np.exp(all_eigenvalues(found) * periodic.period), periodic.multipliers, tolerance)
    assert found.stability == periodic.stability
    return found


# Against Floquet's theory ---------------------------------------------------------------------------------------------
@pytest.mark.parametrize("blades", [3, 4, 5])
def test_blades_on_an_unequal_support_have_the_exponents_of_floquet(blades):
    agrees_with_floquet(ground_rotor(blades, ky=1700.0), blades)


@pytest.mark.parametrize("seed", range(3))
def test_random_rotors_of_any_number_of_blades(seed):
    """Three hinges to a blade, two bodies of it in one place; hub offset, masses and springs by chance, axes and names
    of the bodies too. The nacelle slides and tilts on unequal springs."""
    rng = np.random.default_rng(seed)
    count = int(rng.integers(3, 8))
    agrees_with_floquet(hinged_rotor(count, rng.uniform(5, 25), rng, start=rng.uniform(0, 3)), count)


@pytest.mark.parametrize("hub", ["turning", "gimbal", "ball"])
def test_a_hub_may_have_freedom_of_its_own_seen_from_the_shaft_or_from_the_ground(hub):
    agrees_with_floquet(lagging_rotor(3, 15.0, hub), 3)


def test_flexible_blades():
    found = agrees_with_floquet(flexible_rotor(3, 25.0), 3)
    labels = found.explain().labels
    assert {"backward flap", "collective flap", "forward flap", "collective lag"} <= set(labels)


# Closed forms ---------------------------------------------------------------------------------------------------------
def test_three_blades_are_colemans_polynomial():
    """(M s^2 + c s + k)(I (s - i w)^2 + cb (s - i w) + kb + w^2 e S) = 3/2 S^2 s^4 for z = x + i y (Coleman & Feingold,
    NACA report 1351), and the collective lag by itself."""
    speed = 20.0
    mass, spring = np.polynomial.Polynomial([1000.0, 5.0, HUB + 3]), 3.0 + speed**2 * BLADE["offset"] * MOMENT
    shifted = np.polynomial.Polynomial([-1j * speed, 1])
    blade = INERTIA * shifted**2 + 0.2 * shifted + spring
    whirl = (mass * blade - np.polynomial.Polynomial([0, 0, 0, 0, 1.5 * MOMENT**2])).roots()
    found = eb.modes(ground_rotor(3, speed))
    same_sets(all_eigenvalues(found), [*whirl, *whirl.conj(), *np.roots([INERTIA, 0.2, spring])], 1e-10)
    assert found.stability == "unstable"


def test_the_band_of_ground_resonance_by_campbell():
    """Undamped, the whirl frequencies merge at the edges of the band: zeros of the discriminant of
    (k - M w^2)(kb + W^2 e S - I (w - W)^2) - 3/2 S^2 w^4."""

    def discriminant(speed: float) -> float:
        w = np.polynomial.Polynomial([0, 1])
        spring = 3.0 + speed**2 * BLADE["offset"] * MOMENT
        p = (1000 - (HUB + 3) * w**2) * (spring - INERTIA * (w - speed) ** 2) - 1.5 * MOMENT**2 * w**4
        roots = p.roots()
        return float(np.prod([(a - b) ** 2 for i, a in enumerate(roots) for b in roots[:i]]).real)

    speeds = np.linspace(8, 40, 65)
    signs = np.sign([discriminant(speed) for speed in speeds])
    edges = [brentq(discriminant, *speeds[k : k + 2], xtol=1e-13) for k in np.flatnonzero(signs[1:] != signs[:-1])]
    found = eb.campbell(ground_rotor(3, c=0, cb=0), "speed", np.linspace(edges[0] - 2, edges[1] + 2, 7))
    assert [b.begins for b in found.boundaries] == [True, False]
    np.testing.assert_allclose([b.values["speed"] for b in found.boundaries], edges, rtol=1e-8)
    assert not found.is_frozen


def test_patterns_without_reaction_on_the_hub_are_those_of_a_blade_alone():
    """n = 2 of five blades, and N / 2 of four, leave the hub at rest: the frequency of a blade on a held hub, and two
    revolutions to either side of it in the fixed frame."""
    speed, spring = 20.0, 3.0 + 20.0**2 * BLADE["offset"] * MOMENT
    alone = np.roots([INERTIA, 0.2, spring])[0]
    alone = alone if alone.imag > 0 else alone.conj()
    five, four = eb.modes(ground_rotor(5, speed, ky=1700.0)), eb.modes(ground_rotor(4, speed, ky=1700.0))
    of_five = five.eigenvalues[[p.order == 2 for p in five.patterns]]
    same_sets(of_five, [alone + 2j * speed, alone.conj() + 2j * speed], 1e-9)
    same_sets(four.eigenvalues[[p.label == "differential lag" for p in four.patterns]], [alone], 1e-9)
    same_sets(four.eigenvalues[[p.label == "collective lag" for p in four.patterns]], [alone], 1e-9)


# What is told ---------------------------------------------------------------------------------------------------------
def test_whirl_is_that_of_the_pattern():
    """Without a support, nearly: modes of order 1 lie a revolution above (forward) and below (backward where the blade
    is faster than the spin) those of a blade alone."""
    found = eb.modes(ground_rotor(3, 2.0, kx=1e9, ky=1e9, kb=300.0, cb=0.0))
    alone = float(np.sqrt((300.0 + 4.0 * BLADE["offset"] * MOMENT) / INERTIA))
    by_label = {p.label: v.imag for p, v in zip(found.patterns, found.eigenvalues, strict=True) if p.label}
    assert by_label["collective lag"] == pytest.approx(alone, rel=1e-4)
    assert by_label["forward lag"] == pytest.approx(alone + 2, rel=1e-4)
    assert by_label["backward lag"] == pytest.approx(alone - 2, rel=1e-4)


def test_campbell_names_patterns_and_their_whirl():
    found = eb.campbell(ground_rotor(3, ky=1700.0), "speed", np.linspace(8, 16, 5), per_rev=[1, 3])
    whirl = dict(zip(found.labels, found.whirl, strict=True))
    assert whirl["collective lag"] == "none"
    assert whirl["forward lag"] == "forward"
    assert "bed and hub translation, backward whirl" in whirl
    assert found.per_rev == (1.0, 3.0)


def test_documents_say_which_blades():
    document = json.loads(json.dumps(eb.modes(ground_rotor(3, ky=1700.0)).document()))
    assert document["multiblade"] == {
        "blades": 3, "joint": "spin", "rate": 20.0, "bodies": [["b0", "b1", "b2"]],
    }  # fmt: skip
    assert {"label", "order", "whirl", "share"} == document["modes"][0]["blades"].keys()
    assert "blades" not in eb.modes(ground_rotor(2)).document()["modes"][0]


def test_modes_of_the_linear_equations_say_where_they_are_constant():
    model = ground_rotor(3, ky=1700.0)
    found = eb.modes(eb.linearize(model))
    assert found.stability == eb.modes(model).stability == "unstable"
    assert any("constant in multi-blade coordinates (3 equal blades on spin)" in note for note in found.notes)


def test_a_free_spin_strains_nothing():
    """The velocity part of a motion at constant speed comes with displacements of rounding, which deflect nothing."""
    model = ground_rotor(3, ky=1700.0)
    spin = {key: v for key, v in model.document["joints"]["spin"].items() if key != "motion"}
    found = eb.modes(model.set(joints={**model.document["joints"], "spin": {**spin, "velocity": "=speed"}}))
    assert found.is_rigid.sum() == 2
    assert not any("deflect" in note for note in found.notes)


# What is no pattern ---------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("section", "name", "values", "reason"),
    [
        ("bodies", "b1", {"mass": 1.01}, "b1 has a mass of 1.01 kg, b0 one of 1 kg"),
        ("bodies", "b1", {"inertia": [0.02] * 3}, "moments of inertia"),
        ("bodies", "hub", {"inertia": [0.1, 0.12, 0.1]}, "moments of inertia of hub across the axis differ"),
        ("forces", "hinge2", {"k": 3.03}, "the stiffness of lag0 is 13, where lag2 has 13.03"),
        ("forces", "hinge2", {"c": 0.202}, "the damping of lag0 is 0.2, where lag2 has 0.202"),
        ("bodies", "b1", {"at": [-0.17, 0.303, 0]}, "b1 is 0.005"),
        ("joints", "lag1", {"position": 0.02}, "not equal blades"),
    ],
)
def test_one_blade_that_differs_is_named(section, name, values, reason):
    found = eb.modes(changed(ground_rotor(3, ky=1700.0), section, name, **values))
    assert found.stability == "frozen"
    assert any("eigenbody floquet" in note for note in found.notes)
    assert any(reason in note for note in found.notes), found.notes


@pytest.mark.parametrize(("by", "is_said"), [(0.0, False), (1e-13, False), (1e-10, True), (5e-10, True)])
def test_blades_taken_as_equal_though_they_differ_are_said_to_be(by, is_said):
    """A mass other by 1e-10 is no rounding of 1e-16: what is left out of the equations is said, and how much it is."""
    model = changed(ground_rotor(3), "bodies", "b1", mass=BLADE["mass"] * (1 + by))
    notes = [note for note in eb.modes(model).linear.notes if "taken as equal" in note]
    assert bool(notes) == is_said
    for note in notes:
        part = float(note.partition("turn, ")[2].split()[0])
        assert 0.03 * by < part < 3 * by


def test_two_blades_and_gravity_across_the_axis_are_left_to_floquet():
    two = eb.modes(ground_rotor(2, ky=1700.0))
    assert (two.stability, two.patterns) == ("frozen", None)
    assert any("need three or more" in note for note in two.notes)
    pulled = eb.modes(ground_rotor(3, ky=1700.0).set(gravity=[0, -9.81, 0]))
    assert pulled.stability == "frozen"
    assert any("gravity acts across the axis" in note for note in pulled.notes)


@pytest.mark.parametrize("ky", [1000.0, 1700.0])
def test_blades_that_are_not_in_steady_motion_are_no_pattern_and_steady_in_no_frame(ky):
    """All three alike off the place to which the springs pull them: the equations of the instant are the same at every
    azimuth, but the blades do not stay there."""
    model = ground_rotor(3, ky=ky)
    for k in range(3):
        model = changed(model, "joints", f"lag{k}", position=0.1)
    found = eb.modes(model)
    assert found.stability == "frozen"
    assert any("no steady motion" in note for note in found.notes)


def test_blades_on_a_held_hub_keep_their_own_coordinates():
    """Their equations are constant as they are: three times the frequency of one blade."""
    model = ground_rotor(3, kx=1.0, ky=1.0)
    joints = {k: v for k, v in model.document["joints"].items() if k not in ("x", "y")}
    joints["spin"] = {**joints["spin"], "between": ["ground", "hub"]}
    forces = {k: v for k, v in model.document["forces"].items() if k.startswith("hinge")}
    bodies = {k: v for k, v in model.document["bodies"].items() if k not in ("slide", "bed")}
    found = eb.modes(model.set(joints=joints, forces=forces, bodies=bodies))
    assert found.patterns is None
    assert found.stability == "stable"
    np.testing.assert_allclose(found.eigenvalues, found.eigenvalues[0], rtol=1e-12)


# Blades named by hand -------------------------------------------------------------------------------------------------
def named(model: eb.Model, *blades: str, joint: str = "spin") -> eb.Model:
    return model.rotor("main", joint=joint, blades=list(blades))


def test_blades_may_be_named_in_any_order():
    model = ground_rotor(3, ky=1700.0)
    found = eb.modes(named(model, "b2", "b0", "b1"))
    assert found.linear.blades.count == 3
    np.testing.assert_array_equal(found.eigenvalues, eb.modes(model).eigenvalues)


def test_named_blades_choose_how_many_there_are():
    """Six blades as three pairs: the same multipliers."""
    agrees_with_floquet(named(ground_rotor(6, 9.0, ky=1700.0), "b0", "b2", "b4"), 3)
    assert eb.modes(named(flexible_rotor(3, 25.0), "blade0", "blade1", "blade2")).linear.blades.count == 3


@pytest.mark.parametrize(
    ("model", "reason"),
    [
        (named(changed(ground_rotor(3), "bodies", "b1", mass=1.01), "b0", "b1", "b2"), "b1 has a mass of 1.01 kg"),
        (named(changed(ground_rotor(3), "forces", "hinge1", k=3.0001), "b0", "b1", "b2"), "the stiffness of lag"),
        (named(ground_rotor(4), "b0", "b1", "b2"), r"1/3 of a turn brings b\d to where none of them is"),
        (named(ground_rotor(3), "b0", "b1", "bed"), "bed does not turn with spin"),
    ],
)
def test_blades_that_are_none_are_refused_with_what_differs(model, reason):
    with pytest.raises(eb.InputError, match=f"rotors.main: these are no equal blades: {reason}"):
        eb.modes(model)


def test_names_of_rotors_are_checked_with_the_model():
    with pytest.raises(eb.InputError) as error:
        eb.modes(named(ground_rotor(3), "b0", "b7", joint="spine"))
    text = str(error.value)
    assert 'unknown joint "spine". Did you mean "spin"?' in text
    assert 'unknown body "b7"' in text
    assert "2 blades have no multi-blade coordinates" in text


def test_a_named_joint_that_does_not_turn_is_said():
    found = eb.modes(named(ground_rotor(3, ky=1700.0), "b0", "b1", "b2", joint="x"))
    assert found.stability == "frozen"
    assert any("rotors.main names, does not turn" in note for note in found.notes)


# Dampers and controllers with states ----------------------------------------------------------------------------------
def test_first_order_states_of_blades_are_counted_in_patterns():
    """A damper with a state on each hinge (x' = (lag' - x) / T, force -d x), a controller of the support beside it, and
    a chain of two states that reads the mean of the blades: multipliers of Floquet's theory."""
    model = ground_rotor(3, 9.0, ky=1700.0)
    states = {f"s{i}": {"rate": f"=(lag{i}' - s{i}) / 0.2", "initial": 0} for i in range(3)}
    states |= {
        "held": {"rate": "=x - 3 * held", "initial": 0},
        "mean": {"rate": "=(lag0 + lag1 + lag2) / 3 - mean", "initial": 0},
        "after": {"rate": "=mean - 2 * after", "initial": 0},
    }
    pulls = {f"pull{i}": {"type": "actuator", "along": f"lag{i}", "value": f"=-0.5 * s{i}"} for i in range(3)}
    pulls["damp"] = {"type": "actuator", "along": "y", "value": "=-40 * held + 3 * after"}
    agrees_with_floquet(model.set(states=states, forces={**model.document["forces"], **pulls}), 3)
