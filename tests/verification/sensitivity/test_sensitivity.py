"""Sensitivities of modes, shapes and responses: closed forms, extrapolated differences, a second formulation."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from families import family
from scipy.optimize import linear_sum_assignment

import eigenbody as eb
from design_models import preloaded_pair, unequal_four_bar
from eigenbody.base.errors import ComputationError, InputError

EXAMPLES = Path(__file__).parents[3] / "examples"


def romberg(f, value, width):
    """Derivative by central differences with steps h, h/2, h/4, extrapolated: error of order h^6."""
    d = [(f(value + width / 2**k) - f(value - width / 2**k)) * 2 ** (k - 1) / width for k in range(3)]
    first = [(4 * d[k + 1] - d[k]) / 3 for k in range(2)]
    return (16 * first[1] - first[0]) / 15


def matched(found, wanted):
    return found[linear_sum_assignment(np.abs(wanted[:, None] - found))[1]]


def step_of(value, width=2e-3):
    return width * (abs(value) or 0.2)


def assert_differences(model, names, tolerance=1e-7, width=2e-3):
    """Eigenvalues, frequencies and damping ratios of every mode with a frequency, by every name."""
    found = eb.sensitivity(model, names)
    assert found.is_exact
    assert found.names == tuple(names)
    chosen = ~found.modes.is_rigid & (found.modes.eigenvalues.imag > 0)
    assert chosen.any()
    now = found.modes.eigenvalues[chosen]

    for i, name in enumerate(names):
        value = found.values[i]

        def at(p, name=name):
            s = matched(eb.modes(model.with_values({name: p})).eigenvalues, now)
            return np.array([s, np.abs(s) / (2 * np.pi), -s.real / np.abs(s)])

        expected = romberg(at, value, step_of(value, width))
        least = 1e-3 / (abs(value) or 1.0)  # what a per cent of the number does to a thousandth of a per cent
        rows = (found.eigenvalues, found.frequency_hz, found.damping_ratio)
        sizes = (np.abs(now), np.abs(now) / (2 * np.pi), np.ones(len(now)))
        for row, wanted, size in zip(rows, expected, sizes, strict=True):
            bound = tolerance * np.maximum(np.abs(wanted), least * size)
            assert (np.abs(row[i, chosen] - wanted) < bound).all(), name
    return found


# Closed forms ---------------------------------------------------------------------------------------------------------


def oscillator(m=2.0, c=0.8, k=50.0):
    return eb.load(
        {
            "eigenbody": 1, "parameters": {"m": m, "c": c, "k": k},
            "bodies": {"mass": {"mass": "=m", "at": [0, 0, 0]}},
            "joints": {"rail": {"type": "prismatic", "between": ["ground", "mass"], "at": [0, 0, 0],
                                "axis": [1, 0, 0]}},
            "forces": {"spring": {"type": "spring", "along": "rail", "k": "=k", "c": "=c"}},
            "inputs": {"push": {"along": "rail"}}, "outputs": {"x": {"measure": "rail"}},
        }
    )  # fmt: skip


@pytest.mark.parametrize("solver", ["dense", "sparse"])
def test_damped_oscillator(solver):
    """lambda = (-c + sqrt(c^2 - 4 m k)) / 2 m, differentiated by hand."""
    found = eb.sensitivity(oscillator(), solver=solver)
    assert found.modes.eigenvalues[0] == pytest.approx(-0.2 + 4.995998398718719j, rel=1e-14)
    by = dict(zip(found.names, found.eigenvalues[:, 0], strict=True))
    assert by["k"] == pytest.approx(0.05004004806408973j, rel=1e-13)
    assert by["c"] == pytest.approx(-0.25 - 0.010008009612817947j, rel=1e-13)
    assert by["m"] == pytest.approx(0.1 - 1.2469979977571162j, rel=1e-13)
    f = dict(zip(found.names, found.relative_frequency[:, 0], strict=True))
    assert [f["k"], f["m"], f["c"]] == pytest.approx([0.5, -0.5, 0.0], abs=1e-13)  # omega = sqrt(k / m)
    zeta = dict(zip(found.names, found.damping_ratio[:, 0], strict=True))
    assert zeta["c"] == pytest.approx(0.04 / 0.8, rel=1e-12)  # zeta = c / 2 sqrt(k m)


def pair(p=0.0):
    """M = 1 and K = [[2 + p, p], [p, 2 - p]] of a point mass free in x and y."""
    k = [["=2+p", "=p", 0], ["=p", "=2-p", 0], [0, 0, 1e3]]
    stiffness = [[*row, 0, 0, 0] for row in k] + [[0] * 6] * 3
    return eb.load(
        {
            "eigenbody": 1, "parameters": {"p": p}, "bodies": {"m": {"mass": 1, "at": [0, 0, 0]}},
            "forces": {"mount": {"type": "bushing", "between": ["ground", "m"], "at": [0, 0, 0], "k": stiffness}},
        }
    )  # fmt: skip


@pytest.mark.parametrize("solver", ["dense", "sparse"])
def test_repeated_pair_splits_by_the_root_of_two(solver):
    found = eb.sensitivity(pair(), ["p"], solver=solver)
    slopes = 2 * found.modes.eigenvalues.imag * found.eigenvalues[0].imag  # of omega^2
    assert slopes[:2] == pytest.approx([-np.sqrt(2), np.sqrt(2)], rel=1e-12)
    assert all("repeated" in note for note in found.notes[:2])
    assert found.notes[2] == ""
    split = eb.modes(pair(1e-3)).eigenvalues[:2].imag ** 2  # what really happens
    assert split == pytest.approx([2 - np.sqrt(2) * 1e-3, 2 + np.sqrt(2) * 1e-3], rel=1e-13)


def test_a_set_of_equal_eigenvalues_is_not_cut_by_n():
    for solver in ("dense", "sparse"):
        found = eb.sensitivity(pair(), ["p"], n=1, solver=solver)
        assert len(found.modes) == 1
        assert 2 * np.sqrt(2) * found.eigenvalues[0, 0].imag == pytest.approx(-np.sqrt(2), rel=1e-12)


@pytest.mark.parametrize("solver", ["dense", "sparse"])
def test_critical_damping_is_reported(solver):
    """m = 1, c = 2, k = 1: lambda = -1 +- sqrt(1 - k) has no derivative."""
    found = eb.sensitivity(oscillator(1.0, 2.0, 1.0), solver=solver)
    assert all("defective" in note for note in found.notes)
    assert np.isnan(found.eigenvalues).all()
    document = found.as_dict()
    assert document["modes"][0]["derivatives"]["k"]["real"] is None
    assert document["modes"][0]["derivatives"]["k"]["imag"] is None
    assert "defective" in str(found)


def test_rigid_motion_has_no_derivative():
    found = eb.sensitivity(eb.load(EXAMPLES / "geared_shafts.yaml"))
    assert found.modes.is_rigid[:2].all()
    assert np.isnan(found.eigenvalues[:, :2].real).all()
    assert np.isnan(found.eigenvalues[:, :2].imag).all()
    assert "rigid" in found.notes[0]


# Against extrapolated differences -------------------------------------------------------------------------------------


def held_four_bar():
    """The four-bar with unequal cranks and a spring that makes it stable."""
    return unequal_four_bar().force("hold", "spring", along="a", k=100, c=3)


def ladder():
    document = family("L3RF1")
    document["parameters"] = {"k": 1e4 * 180 / np.pi}
    for force in document["forces"].values():
        force["k"] = [*force["k"][:3], "=k", "=k", "=k"]
    return eb.load(document)


CASES = {
    "slider-pendulum": (lambda: eb.load(EXAMPLES / "slider_pendulum.yaml").with_parameters(c=3.0),
                        ["k", "c", "bodies.slider.mass", "bodies.pendulum.mass", "bodies.pendulum.inertia[0]",
                         "gravity[2]", "joints.hinge.at[2]"]),
    "four-bar with unequal cranks": (held_four_bar, ["reach", "height", "joints.b.at[2]", "forces.hold.k",
                                                        "bodies.coupler.at[0]", "bodies.crank.mass"]),
    "rotor-stator": (lambda: eb.load(EXAMPLES / "rotor_stator.yaml").with_parameters(speed=0.5),
                     ["speed", "bodies.stator.inertia[0]", "joints.spin.velocity", "forces.mount.k[0]"]),
    "L3RF1": (ladder, ["k", "joints.j1.at[0]", "joints.j4.at[0]", "joints.j6.at[1]", "bodies.b2_3.mass"]),
    "preloaded springs": (preloaded_pair, ["k", "c", "free", "forces.left.at[0][0]", "bodies.m.mass"]),
    "equilibrium of a loop": (lambda: eb.load(EXAMPLES / "four_bar_with_spring.yaml"), ["k", "L"]),
    "gear ratio": (lambda: eb.load(EXAMPLES / "geared_shafts.yaml"), ["ratio", "k", "couplings.mesh.ratio"]),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_against_differences(case):
    make, names = CASES[case]
    assert_differences(make(), names)


def cart(**parameters):
    """A cart with a pendulum, held by a controller with a filter: an expression of rates and a first-order state."""
    return eb.load(
        {
            "eigenbody": 1, "parameters": {"kp": 60.0, "kd": 12.0, "w": 25.0, **parameters}, "gravity": [0, 0, -9.81],
            "bodies": {"cart": {"mass": 3, "inertia": [1, 1, 1], "at": [0, 0, 0]},
                       "bob": {"mass": 1, "inertia": [0.1, 0.1, 0.1], "at": [0, 0, -0.7]}},
            "joints": {"rail": {"type": "prismatic", "between": ["ground", "cart"], "at": [0, 0, 0], "axis": [1, 0, 0]},
                       "pin": {"type": "revolute", "between": ["cart", "bob"], "at": [0, 0, 0], "axis": [0, 1, 0]}},
            "states": {"seen": {"initial": 0, "rate": "=w*(rail - seen)"}},
            "forces": {"motor": {"type": "expression", "along": "rail", "value": "=-kp*seen - kd*rail'"}},
            "inputs": {"push": {"along": "rail"}},
            "outputs": {"x": {"measure": "rail"}, "swing": {"measure": "pin"},
                        "a": {"measure": "rail", "order": 2}},
        }
    )  # fmt: skip


def test_controller_gains():
    assert_differences(cart(), ["kp", "kd", "w", "gravity[2]", "bodies.bob.at[2]"])


def driven_pendulum():
    """A pendulum in a frame that a driver turns about the vertical; stable below the critical rate."""
    return eb.load(
        {
            "eigenbody": 1, "parameters": {"rate": 2.0}, "gravity": [0, 0, -9.81],
            "bodies": {"yoke": {"mass": 2, "inertia": [1, 1, 1], "at": [0, 0, 0]},
                       "bob": {"mass": 1, "inertia": [0.02, 0.02, 0.01], "at": [0, 0, -0.5]}},
            "joints": {"turn": {"type": "revolute", "between": ["ground", "yoke"], "at": [0, 0, 0], "axis": [0, 0, 1]},
                       "pin": {"type": "revolute", "between": ["yoke", "bob"], "at": [0, 0, 0], "axis": [1, 0, 0]}},
            "drivers": {"motor": {"measure": "turn", "motion": "=rate*t"}},
        }
    )  # fmt: skip


def test_rate_of_a_driver():
    """omega^2 = m g l / Ix - rate^2 (Ix - I') / Ix about the pin, with l = 0.5, Ix = 0.27, Iy - Iz = 0.26."""
    found = assert_differences(driven_pendulum(), ["rate", "joints.pin.at[2]", "bodies.bob.mass"])
    omega2 = 9.81 * 0.5 / 0.27 - 4.0 * 0.26 / 0.27
    assert found.modes.eigenvalues[-1].imag ** 2 == pytest.approx(omega2, rel=1e-12)
    assert 2 * np.sqrt(omega2) * found.eigenvalues[0, -1].imag == pytest.approx(-2 * 2.0 * 0.26 / 0.27, rel=1e-11)


def test_velocity_of_a_joint():
    document = driven_pendulum().document
    del document["drivers"]
    document["joints"]["turn"]["velocity"] = "=rate"
    assert_differences(eb.load(document), ["rate"])


def skew_chain():
    document = family("C3SF1")
    for k, force in enumerate(document["forces"].values()):
        force |= {"axis": [0.3, 0.1 * k, 1.0], "axis2": [1, 0, 0], "k": [9e3, 1e4, 2e4, 4e5, 7e5, 9e5], "c": [3] * 6}
    for k, body in enumerate(document["bodies"].values()):
        body["inertia"], body["at"] = [1.0, 1.3, 0.8], [0.1 * k, 0.05, body["at"][2]]
    return document


def test_orientation_of_a_spring():
    assert_differences(eb.load(skew_chain()), ["forces.s1_1.axis[0]", "forces.s2_1.axis[1]", "forces.s3_1.axis2[1]"])


def test_orientation_of_a_joint():
    document = skew_chain()
    for joint in document["joints"].values():
        joint |= {"type": "revolute", "axis": [0.2, 0.3, 1.0]}
    assert_differences(eb.load(document), ["joints.j1.axis[0]", "joints.j3.axis[1]", "joints.j2.at[1]"])


def test_a_parameter_in_many_places_is_the_sum_of_its_places():
    document = family("TL3RF1")
    document["parameters"] = {"m": 4.0}
    places = [f"bodies.{name}.mass" for name in document["bodies"]]
    apart = eb.sensitivity(eb.load(document), places)
    for body in document["bodies"].values():
        body["mass"] = "=m"
    together = eb.sensitivity(eb.load(document))
    assert together.names == ("m",)
    single = [k for k, note in enumerate(together.notes) if not note]
    assert len(single) >= 4
    assert together.eigenvalues[0, single] == pytest.approx(apart.eigenvalues[:, single].sum(axis=0), rel=1e-10)


def test_derived_parameters_are_left_out_unless_asked_for():
    document = oscillator().document
    document["parameters"]["twice"] = "=2*k"
    document["forces"]["spring"]["k"] = "=twice/2"
    model = eb.load(document)
    assert eb.sensitivity(model).names == ("m", "c", "k")
    both = eb.sensitivity(model, ["k", "twice", "forces.spring.k"])
    assert both.eigenvalues[0, 0] == pytest.approx(2 * both.eigenvalues[1, 0], rel=1e-12)
    assert both.eigenvalues[0, 0] == pytest.approx(both.eigenvalues[2, 0], rel=1e-12)


def test_a_model_without_parameters_varies_its_masses_and_stiffnesses():
    document = family("C2RF1")
    found = eb.sensitivity(eb.load(document))
    assert {"bodies.b1.mass", "forces.s2_1.k[0]", "forces.s1_1.c[2]"} <= set(found.names)
    with pytest.raises(InputError, match="no parameters"):
        eb.sensitivity(eb.load({"eigenbody": 1, "parameters": {"J": "=1"}, "bodies": {
            "a": {"mass": "=J", "inertia": ["=J"] * 3, "at": [0, 0, 0]}}}))  # fmt: skip


# Shapes and responses -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("case", ["slider-pendulum", "four-bar with unequal cranks", "L3RF1", "equilibrium of a loop"])
def test_shapes_against_differences(case):
    """Of every body: how the coordinates share the motion, how the geometry carries it, how the point moves."""
    make, names = CASES[case]
    model = make()
    found = eb.sensitivity(model, names)
    for mode in np.flatnonzero(~found.modes.is_rigid)[:3]:
        shapes = found.shapes(mode)
        assert np.abs(shapes.bodies - found.modes.shapes[mode]).max() < 1e-12
        assert np.abs(shapes.states - found.modes.states_shape[mode]).max() < 1e-10 * np.abs(shapes.states).max()
        for i, name in enumerate(names[:1] if case == "equilibrium of a loop" else names):
            value = found.values[i]

            def at(p, name=name, mode=mode):
                return eb.modes(model.with_values({name: p})).shapes[mode]

            expected = romberg(at, value, step_of(value))
            bound = 1e-7 * max(np.abs(expected).max(), 1e-2 / (abs(value) or 1.0))
            assert np.abs(shapes.d_bodies[i] - expected).max() < bound, name


def test_frequency_response_against_differences():
    model, hz = cart(), np.array([0.3, 0.8, 1.5, 4.0])
    names = ["kp", "kd", "w", "bodies.bob.mass", "joints.pin.at[2]"]
    found = eb.sensitivity(model, names)
    for output in ("x", "swing", "a"):
        slopes = found.frf(hz, "push", output)
        for i, name in enumerate(names):

            def at(p, name=name, output=output):
                return eb.frf(model.with_values({name: p}), "push", output, hz, refine=False).values[:, 0, 0]

            expected = romberg(at, found.values[i], step_of(found.values[i]))
            assert np.abs(slopes.derivatives[i] - expected).max() < 1e-7 * max(
                np.abs(expected).max(), 1e-3 * np.abs(slopes.values).max() / (abs(found.values[i]) or 1.0)
            ), name
        assert slopes.magnitude == pytest.approx(
            (slopes.values.conj() * slopes.derivatives).real / np.abs(slopes.values), rel=1e-12
        )


def test_peak_of_the_oscillator():
    """|x / F| is largest at omega^2 = k/m - c^2 / 2 m^2 and is 1 / (c sqrt(k/m - c^2 / 4 m^2)) there."""
    m, c, k = 2.0, 0.8, 50.0
    peak = eb.sensitivity(oscillator()).peak("push", "x", near_hz=0.7)
    bare = k / m - c**2 / (4 * m**2)
    assert peak.height.value == pytest.approx(1 / (c * np.sqrt(bare)), rel=1e-12)
    assert (2 * np.pi * peak.frequency_hz.value) ** 2 == pytest.approx(k / m - c**2 / (2 * m**2), rel=1e-10)
    by = dict(zip(peak.height.names, peak.height.derivatives, strict=True))
    assert by["k"] == pytest.approx(-0.5 * peak.height.value / bare / m, rel=1e-10)
    assert by["c"] == pytest.approx(-peak.height.value / c + peak.height.value * c / (4 * m**2) / bare, rel=1e-10)
    place = dict(zip(peak.frequency_hz.names, peak.frequency_hz.derivatives, strict=True))
    omega = 2 * np.pi * peak.frequency_hz.value
    assert 2 * np.pi * place["c"] == pytest.approx(-c / (2 * m**2) / omega, rel=1e-9)
    assert "peak of |x / push|" in str(peak)


def test_rms_of_the_oscillator():
    """White force of one-sided density S: the mean square of x is S / (4 c k)."""
    rms = eb.sensitivity(oscillator()).rms("push", "x", density=3.0)
    assert rms.value == pytest.approx(np.sqrt(3.0 / (4 * 0.8 * 50)), rel=1e-12)
    assert dict(zip(rms.names, rms.relative, strict=True)) == pytest.approx({"m": 0, "c": -0.5, "k": -0.5}, abs=1e-12)


def test_responses_that_do_not_exist_are_refused():
    found = eb.sensitivity(cart())
    with pytest.raises(InputError, match='no input "pusch"'):
        found.frf(1.0, "pusch", "x")
    with pytest.raises(InputError, match='no output "y"'):
        found.peak("push", "y", 1.0)
    with pytest.raises(ComputationError, match="infinite"):
        found.rms("push", "a")
    with pytest.raises(ComputationError, match="no maximum"):
        eb.sensitivity(oscillator()).peak("push", "x", near_hz=40.0)
    with pytest.raises(ComputationError, match="not determined"):
        eb.sensitivity(pair(), ["p"]).shapes(0)
    with pytest.raises(ComputationError, match="sparse path"):
        eb.sensitivity(oscillator(), solver="sparse").frf(1.0, "push", "x")


def conical_pendulum(**bodies: Any) -> eb.Model:
    """A mass of 10 kg on an arm of 0.5 m that circles at 30 degrees; what is in its middle has no mass yet."""
    document = eb.load(EXAMPLES / "conical_pendulum.yaml").document
    document["bodies"] |= {name: {"mass": mass, "at": [0, 0, "=-l/2"]} for name, mass in bodies.items()}
    for name in bodies:
        document["joints"][name] = {"type": "fixed", "between": ["bob", name], "at": [0, 0, 0]}
    return eb.load({**document, "parameters": {**document["parameters"], "p": 0.0}})


def test_sensitivity_to_a_mass_that_is_zero_looks_ahead_alone() -> None:
    """Rate^2 = g S / (J cos) with S = m l + p l / 2, J = m l^2 + p l^2 / 4, and omega = rate sqrt(1 + 3 cos^2): by p
    d ln omega = 1 / (8 m). A step back would make the mass negative; the shift of the steady motion is one of
    differences, with an error of the step cubed."""
    for name in ("bodies.middle.mass", "p"):
        found = eb.sensitivity(conical_pendulum(middle=0.0 if name != "p" else "=p"), [name])
        assert found.frequency_hz[0, 2] / found.modes.frequency_hz[2] == pytest.approx(1 / 80, rel=1e-7)


def test_a_number_that_cannot_move_either_way_is_named() -> None:
    with pytest.raises(eb.InputError, match="p: the model takes no value a little above or below 0"):
        eb.sensitivity(conical_pendulum(one="=p", other="=-p"), ["p"])
