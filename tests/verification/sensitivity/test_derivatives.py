"""Derivatives of the linear equations and eigenvalues against central differences extrapolated to step zero."""

import math
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from families import family

import eigenbody as eb
from design_models import preloaded_pair, unequal_four_bar
from eigenbody.analyses.sensitivity.derivatives import derivatives
from eigenbody.base.errors import EigenbodyError, InputError
from eigenbody.model.paths import numeric_paths
from mechanisms import random_mechanism

EXAMPLES = Path(__file__).parents[3] / "examples"
MATRICES = {
    "dM": lambda linear: linear.M, "dC": lambda linear: linear.C, "dK": lambda linear: linear.K,
    "dA": lambda linear: linear.A, "dB": lambda linear: linear.B,
    "dC_out": lambda linear: linear.state_space.C, "dD": lambda linear: linear.state_space.D,
}  # fmt: skip


def romberg(f, value, width):
    """Derivative by central differences with steps h, h/2, h/4, extrapolated: error of order h^6."""
    d = [(f(value + width / 2**k) - f(value - width / 2**k)) * 2 ** (k - 1) / width for k in range(3)]
    first = [(4 * d[k + 1] - d[k]) / 3 for k in range(2)]
    return (16 * first[1] - first[0]) / 15


def in_own_coordinates(model):
    """The model with its coordinates fixed by name, so that no difference quotient meets another choice."""
    return model.set(coordinates=list(eb.linearize(model).coordinates))


def assert_right(model, names, tolerance=1e-7, width=2e-3):
    model = in_own_coordinates(model)
    found = derivatives(model, names)
    assert found.is_exact
    for k, name in enumerate(found.names):
        value = found.values[k]
        step = width * (abs(value) or 0.2)
        linear = cache(lambda p, name=name: eb.linearize(model.with_values({name: p})))  # one search serves all seven
        for field, of in MATRICES.items():
            expected = romberg(lambda p, of=of, linear=linear: of(linear(p)), value, step)
            now = np.abs(of(found.linear)).max(initial=0.0) / (abs(value) or 1.0)
            size = max(np.abs(expected).max(initial=0.0), 1e-3 * now, 1e-300)
            assert np.abs(getattr(found, field)[k] - expected).max(initial=0.0) < tolerance * size, (name, field)
    return found


def test_slider_pendulum():
    model = eb.load(EXAMPLES / "slider_pendulum.yaml")
    assert_right(model, [*model.parameters, *(f"bodies.{name}.mass" for name in model.description.bodies.names)])


def test_four_bar_with_unequal_cranks():
    """Joint positions move the masses, the geometry and the multipliers of the loop."""
    names = ["reach", "height", "joints.b.at[2]", "bodies.coupler.at[0]", "gravity[2]"]
    found = assert_right(unequal_four_bar(), names)
    assert np.abs(found.dK).max() > 1  # the loop's loads do change


def test_rotor_speed():
    model = eb.load(EXAMPLES / "rotor_stator.yaml").with_parameters(speed=0.5)
    assert_right(model, ["speed", "bodies.stator.inertia[2]"])


def test_preloaded_springs():
    found = assert_right(preloaded_pair(), ["k", "free", "c", "bodies.m.mass", "forces.left.at[0][0]"])
    k, free = 400.0, 0.3
    across = found.linear.coordinates.index("m.y")
    stiffness = 2 * k * (1 - free / 0.5)  # preload over length, both springs
    assert found.linear.K[across, across] == pytest.approx(stiffness, rel=1e-12)
    assert found.dK[list(found.names).index("free"), across, across] == pytest.approx(-2 * k / 0.5, rel=1e-12)


def test_ladder_stiffness_and_joint_positions():
    """L3RF1: one stiffness in all springs, and the position of a joint of the loop."""
    document = family("L3RF1")
    document["parameters"] = {"k": 1e4}
    for force in document["forces"].values():
        force["k"] = ["=k", "=k", "=k", *force["k"][3:]]
    joint = next(iter(document["joints"]))
    assert_right(eb.load(document), ["k", f"joints.{joint}.at[0]"])


def test_equilibrium_that_moves():
    """A gravity-loaded closed loop with a spring: crank angle, reactions and stiffness all move with the parameter."""
    model = eb.load(EXAMPLES / "four_bar_with_spring.yaml")
    assert model.description.operating_point["type"] == "equilibrium"
    found = assert_right(model, ["k", "m", "c", "L", "gravity[1]"])
    eigenvalues = lambda model: np.sort_complex(eb.modes(model).eigenvalues)  # noqa: E731
    k = list(found.names).index("k")
    expected = romberg(lambda p: eigenvalues(model.with_parameters(k=p)), 25.0, 0.02)
    values, right = np.linalg.eig(found.linear.A)
    slopes = np.diag(np.linalg.inv(right) @ found.dA[k] @ right)[values.imag > 0]
    assert slopes == pytest.approx(expected, rel=1e-7)


def test_steady_motion_by_differences():
    """The conical pendulum: omega^2 of its small motion is g (1 + 3 cos^2) / (l cos), its angle given."""
    model = eb.load(EXAMPLES / "conical_pendulum.yaml")
    name = "gravity[2]"
    found = derivatives(model, [name])
    assert not found.is_exact
    own = model.set(coordinates=list(found.linear.coordinates))
    found = derivatives(own, [name])
    expected = romberg(lambda p: np.sort(np.abs(np.linalg.eigvals(eb.linearize(own.with_values({name: p})).A)))[-1:],
                       found.values[0], 0.02)  # fmt: skip
    values, right = np.linalg.eig(found.linear.A)
    top = np.argmax(np.abs(values))
    slope = (np.linalg.inv(right) @ found.dA[0] @ right)[top, top]
    size = (slope * values[top].conj() / abs(values[top])).real
    assert size == pytest.approx(expected[0], rel=1e-7)


@pytest.mark.parametrize("seed", range(10))
def test_random_mechanisms(seed):
    """Any number of trees, loops, wheels, driven and floating mechanisms in motion."""
    rng = np.random.default_rng(seed)
    model = in_own_coordinates(eb.load(random_mechanism(rng)))
    paths = [p for p in numeric_paths(model.document) if not p.startswith(("eigenbody", "operating", "coordinates"))]
    checked = 0
    for name in rng.permutation(paths)[:8].tolist():
        try:
            found = derivatives(model, [name])
            value = found.values[0]
            step = 5e-3 * (abs(value) or 0.2)  # shorter ones feel the rounding of A, 1e-14 of it
            expected = romberg(lambda p, name=name: eb.linearize(model.with_values({name: p})).A, value, step)
        except EigenbodyError:
            continue  # the mechanism cannot follow: a loop would open, an axis would vanish
        size = max(np.abs(expected).max(), 1e-4 * np.abs(found.linear.A).max() / (abs(value) or 1.0))
        assert np.abs(found.dA[0] - expected).max() < 1e-7 * size, name
        checked += 1
    assert checked


def test_a_loop_that_would_open_is_refused():
    """The planar four-bar drawn in space has three redundant rows: one axis alone cannot be tilted."""
    model = eb.load(EXAMPLES / "planar_four_bar_redundant.yaml")
    joint = model.description.joints[1]
    name = f"joints.{joint.name}.axis[0]"
    document = model.document
    if document["joints"][joint.name].get("axis") is None:
        document["joints"][joint.name]["axis"] = [0, 0, 1]
    with pytest.raises(InputError, match="cannot follow"):
        derivatives(eb.load(document), [name])


def test_unknown_names_are_refused_with_the_nearest():
    with pytest.raises(InputError, match='"rotor"'):
        derivatives(eb.load(EXAMPLES / "rotor_stator.yaml"), ["bodies.roter.mass"])
    with pytest.raises(InputError, match="no parameter"):
        derivatives(eb.load(EXAMPLES / "rotor_stator.yaml"), [])


def test_python_function_that_bears_no_complex_numbers():
    """A characteristic from Python's math: its slope at the operating point moves with the position."""
    model = (
        eb.Model(parameters={"m": 2.0, "x0": 0.3})
        .body("b", mass="=m", inertia=[0.1, 0.1, 0.1], at=[0, 0, 0])
        .joint("s", "prismatic", between=["ground", "b"], at=[0, 0, 0], position="=x0")
        .force("f", "spring", along="s", force=eb.Function(lambda s, v: 90 * s + 40 * math.tanh(s) + 0.3 * v))
    )
    found = derivatives(model, ["x0", "m"])
    slope = -80 * math.tanh(0.3) / math.cosh(0.3) ** 2  # second derivative of 40 tanh
    assert found.dK[0, 0, 0] == pytest.approx(slope, rel=1e-7)
    assert found.dM[1, 0, 0] == pytest.approx(1.0, rel=1e-12)


def test_reactions_among_the_outputs_are_left_out():
    """Their rows are nan; everything else is there."""
    model = eb.load(EXAMPLES / "hanging_pendulum.yaml")
    joint = model.description.joints[0].name
    model = model.output("pull", reaction=joint, component="fz").output("swing", measure=joint)
    found = derivatives(model, ["gravity[2]"])
    assert np.isnan(found.dC_out[0, 0]).all()
    assert np.isfinite(found.dC_out[0, 1]).all()
    assert not eb.variants(model, {"gravity[2]": [-9.0, -9.8]}).failures


@pytest.mark.parametrize("diameter", [0.03, 0.04, 0.05, 0.08])
def test_a_round_shaft_has_the_derivatives_of_its_differences(diameter: float) -> None:
    """Its modes come in pairs: derivatives belong to those directions that the modes themselves have."""
    model = eb.Model(
        parameters={"d": diameter},
        flexible={"shaft": {"type": "beam", "points": [[0, 0, 0], [0, 0, 0.5], [0, 0, 1]], "names": ["l", "m", "r"],
                            "modes": 4, "E": 2.1e11, "nu": 0.3, "density": 7850, "diameter": "=d"}},
        bodies={"disc": {"on": "shaft.m", "disc": {"mass": 10, "Id": 0.1, "Ip": 0.2}}},
        joints={"spin": {"type": "free", "between": ["ground", "shaft.l"], "at": [0, 0, 0]}},
        forces={
            name: {"type": "bearing", "between": ["ground", f"shaft.{name}"], "at": [0, 0, z], "kxx": 1e6, "kyy": 2e6,
                   "kzz": 1e6}
            for name, z in (("l", 0), ("r", 1))
        },
    )  # fmt: skip
    found = eb.sensitivity(model, ["d"])
    step = 1e-4 * diameter
    after, before = (eb.modes(model.with_parameters(d=diameter + s)).frequency_hz for s in (step, -step))
    change = (after - before) / (2 * step)
    lowest = slice(2, 9)
    np.testing.assert_allclose(
        found.frequency_hz[0, lowest], change[lowest], rtol=1e-5, atol=1e-3 * np.abs(change).min()
    )
