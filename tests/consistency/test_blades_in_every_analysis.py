"""Rotors with equal blades: every analysis answers for the motion, not for the instant.

Against harmonic transfer of the periodic equations written by hand, nonlinear simulation, Floquet's theory, and modes
found again and again.
"""

from collections.abc import Callable

import numpy as np
import pytest

import eigenbody as eb
from bladed_rotors import flexible_rotor, ground_rotor, hinged_rotor
from floquet_references import bladed_matrices, harmonic_transfer

STABLE = {"speed": 6.0, "kx": 1000.0, "ky": 1700.0, "c": 25.0, "cb": 0.4, "kb": 8.0}
PATTERNS = {
    "collective": "=(lag0 + lag1 + lag2) / 3",
    "cosine": "=2/3 * (lag0 * cos(spin) + lag1 * cos(spin + 2*pi/3) + lag2 * cos(spin + 4*pi/3))",
    "sine": "=2/3 * (lag0 * sin(spin) + lag1 * sin(spin + 2*pi/3) + lag2 * sin(spin + 4*pi/3))",
}


def rotor(**numbers: float) -> eb.Model:
    model = ground_rotor(3, **{**STABLE, **numbers}).input("push", along="x")
    model = model.output("x", measure="x").output("y rate rate", measure="y", order=2)
    for name, expression in PATTERNS.items():
        model = model.output(name, expression=expression)
    return model


# Frequency and time responses -----------------------------------------------------------------------------------------
@pytest.mark.parametrize("omega", [2.3, 7.1, 11.7])
def test_frf_is_the_harmonic_transfer_of_the_periodic_equations(omega):
    """q(t) = sum X_k exp(i (w + k W) t): the support answers at the frequency of the force alone, a pattern of blades
    that stands still does so too; one blade at frequencies a turn to either side."""
    numbers = {key: value for key, value in STABLE.items() if key != "speed"}
    X = harmonic_transfer(bladed_matrices(3, STABLE["speed"], **numbers), STABLE["speed"], omega, np.eye(5)[0])
    middle, size = len(X) // 2, np.abs(X).max()
    np.testing.assert_allclose(np.delete(X, middle, axis=0)[:, :2], 0, atol=1e-13 * size)
    turn = np.exp(2j * np.pi / 3 * np.arange(3))
    before, after, alike = X[middle - 1, 2:] @ turn, X[middle + 1, 2:] @ turn.conj(), X[middle, 2:].mean()
    wanted = [X[middle, 0], -(omega**2) * X[middle, 1], alike, (before + after) / 3, (before - after) / 3j]
    found = eb.frf(rotor(), frequencies_hz=[omega / (2 * np.pi)])
    np.testing.assert_allclose(found.values[0, :, 0], wanted, rtol=1e-10, atol=1e-12 * size)


def test_frf_is_the_steady_answer_of_the_nonlinear_machine():
    omega, force = 7.1, 1e-3
    run = simulated("=1e-3*sin(7.1*t)", 40.0, 4001)
    late = run.t > 40.0 - 6 * 2 * np.pi / omega
    waves = np.column_stack((np.sin(omega * run.t[late]), np.cos(omega * run.t[late])))
    found = eb.frf(rotor(), outputs=["x", "y"], frequencies_hz=[omega / (2 * np.pi)]).values[0, :, 0]
    for name, H in zip(("x", "y"), found, strict=True):
        a, b = np.linalg.lstsq(waves, run.signal(name)[late], rcond=None)[0]
        assert abs((a + 1j * b) / force - H) < 1e-5 * np.abs(found).max()


def simulated(force: str | float, until: float, points: int) -> eb.Simulation:
    """Motion of the nonlinear machine with a force on its support along x."""
    model = ground_rotor(3, **STABLE)
    forces = {**model.document["forces"], "push": {"type": "actuator", "along": "x", "value": force}}
    return eb.simulate(model.set(forces=forces), until=until, points=points, tolerance=1e-10, outputs=["x", "y"])


def test_response_in_time_is_that_of_the_nonlinear_machine():
    run = simulated(1e-3, 3.0, 301)
    found = eb.response(rotor(), eb.StepInput({"push": 1e-3}), times=(3.0, 301), outputs=["x", "y"])
    size = np.abs(run.signal("x")).max()
    for k, name in enumerate(("x", "y")):
        np.testing.assert_allclose(found.outputs[:, k], run.signal(name), atol=1e-5 * size)


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda m: eb.frf(m, outputs="lag0", frequencies_hz=[1.0]), "lag0"),
        (lambda m: eb.frf(m, inputs="lag1", outputs="x", frequencies_hz=[1.0]), "lag1"),
        (lambda m: eb.response(m, eb.StepInput({"push": 1.0}), times=1.0, outputs="lag2"), "lag2"),
        (lambda m: eb.frf(eb.linearize(m.output("one", measure="lag0")), frequencies_hz=[1.0]), "one"),
    ],
)
def test_one_blade_is_refused_where_it_has_no_constant_part(call, name):
    with pytest.raises(eb.InputError, match=f'"{name}" turns with spin'):
        call(rotor())


def test_a_moving_base_is_refused():
    with pytest.raises(eb.InputError, match="base: a moving base is not seen in the multi-blade coordinates"):
        eb.frf(rotor(), outputs="x", base="spin", frequencies_hz=[1.0])


def test_coordinates_of_the_blades_are_left_out_where_nothing_was_named():
    found = eb.frf(ground_rotor(3, **STABLE), inputs="x", frequencies_hz=[1.0])
    assert found.outputs == ("x", "y")
    assert any("lag0, lag1, lag2: left out" in note for note in found.notes)


def test_equations_that_change_are_said_to_be_those_of_an_instant():
    two = eb.frf(ground_rotor(2, **STABLE), inputs="x", outputs="x", frequencies_hz=[1.0])
    assert any("of an instant" in note for note in two.notes)
    assert any("three or more" in note for note in two.notes)
    three = eb.frf(rotor(), outputs="x", frequencies_hz=[1.0])
    assert not any("of an instant" in note for note in three.notes)


# Damping that is added ------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("damping", ["proportional:0.3,2e-3", "modal:0.03"])
def test_added_damping_is_that_of_the_blades_whatever_the_azimuth(damping):
    """Eigenvalues with damping added do not depend on where the rotor stands when it is linearized."""
    found = [eb.modes(turned_by(angle), damping=damping) for angle in (0.0, 0.7, 2.0)]
    assert all(one.linear.blades is not None and one.is_constant for one in found)
    for one in found[1:]:
        np.testing.assert_allclose(
            one.eigenvalues, found[0].eigenvalues, atol=1e-10 * np.abs(found[0].eigenvalues).max()
        )
    plain = eb.modes(rotor())
    assert np.all(found[0].eigenvalues.real < plain.eigenvalues.real)


def turned_by(angle: float) -> eb.Model:
    """The rotor with its blades at another azimuth when it is linearized."""
    model = rotor()
    joints = model.document["joints"]
    return model.set(joints={**joints, "spin": {**joints["spin"], "motion": f"={angle!r} + speed*t"}})


def test_damping_that_has_no_meaning_in_the_fixed_frame_is_refused():
    with pytest.raises(eb.InputError, match="seen from the fixed frame"):
        eb.frf(rotor(), outputs="x", frequencies_hz=[1.0], damping="structural:0.02")
    with pytest.raises(eb.InputError, match="seen from the fixed frame"):
        eb.modes(rotor(), damping="modal:0.01,0.02")


# Derivatives and variants ---------------------------------------------------------------------------------------------
def slopes_of(eigenvalues: Callable[[eb.Model], np.ndarray], model: eb.Model, name: str) -> np.ndarray:
    """By differences of fourth order."""
    value = model.value_of(name)
    h = 1e-3 * value
    near = eigenvalues(model)
    steps = []
    for k in (-2, -1, 1, 2):
        there = eigenvalues(model.with_values({name: value + k * h}))
        steps.append(np.array([there[np.argmin(np.abs(there - one))] for one in near]))
    return (steps[0] - 8 * steps[1] + 8 * steps[2] - steps[3]) / (12 * h)


def of_modes(model: eb.Model) -> np.ndarray:
    return eb.modes(model).eigenvalues


@pytest.mark.parametrize("seed", range(2))
def test_sensitivities_of_random_rotors_are_slopes_of_the_modes(seed):
    """Without parameters all masses and springs are tried: those of one blade are left out and named."""
    rng = np.random.default_rng(seed)
    model = hinged_rotor(int(rng.integers(3, 6)), rng.uniform(5, 25), rng)
    found = eb.sensitivity(model)
    assert {"bodies.hub.mass", "bodies.nacelle.mass", "forces.kpitch.k"} <= set(found.names)
    assert any("blade0" in text for text in found.left_out)
    for name in ("bodies.hub.mass", "forces.kpitch.k", "forces.kx.c"):
        slopes = slopes_of(of_modes, model, name)
        mine = found.eigenvalues[found.names.index(name)]
        np.testing.assert_allclose(mine, slopes, atol=1e-7 * np.abs(slopes).max())


@pytest.mark.parametrize("name", ["speed", "kx", "kb", "cb"])
def test_sensitivities_are_slopes_of_the_modes(name):
    found = eb.sensitivity(rotor(), name)
    slopes = slopes_of(of_modes, rotor(), name)
    np.testing.assert_allclose(found.eigenvalues[0], slopes, atol=1e-9 * np.abs(slopes).max())
    assert found.is_exact


def test_sensitivities_of_flexible_blades_are_slopes_of_the_modes():
    model = flexible_rotor(3, 25.0)
    found = eb.sensitivity(model, "forces.kpitch.k")
    slopes = slopes_of(of_modes, model, "forces.kpitch.k")
    np.testing.assert_allclose(found.eigenvalues[0], slopes, atol=1e-6 * np.abs(slopes).max())


@pytest.mark.parametrize("name", ["kx", "kb"])
def test_sensitivities_are_slopes_of_floquets_exponents(name):
    """exp(lambda T) are the multipliers; T does not depend on these numbers."""
    model = rotor()
    found, period = eb.sensitivity(model, name), 2 * np.pi / STABLE["speed"]
    multipliers = np.exp(found.modes.eigenvalues * period)

    def nearest(varied: eb.Model) -> np.ndarray:
        there = eb.floquet(varied).multipliers
        return np.array([there[np.argmin(np.abs(there - one))] for one in multipliers])

    slopes = slopes_of(nearest, model, name) / (period * multipliers)
    np.testing.assert_allclose(found.eigenvalues[0], slopes, atol=1e-7 * np.abs(slopes).max())


def test_a_number_of_one_blade_is_refused():
    with pytest.raises(eb.InputError, match=r"forces.hinge0.k: .* unequal"):
        eb.sensitivity(rotor(), "forces.hinge0.k")


def test_derivatives_of_frequency_responses():
    found = eb.sensitivity(rotor(), ["kb", "speed"]).frf([1.1], "push", "x")
    for k, (name, value) in enumerate((("kb", 8.0), ("speed", 6.0))):
        h = 1e-4 * value
        ends = [
            eb.frf(rotor(**{name: value + side * h}), outputs="x", frequencies_hz=[1.1]).values[0, 0, 0]
            for side in (1, -1)
        ]
        assert found.derivatives[k, 0] == pytest.approx((ends[0] - ends[1]) / (2 * h), rel=1e-6)


def whole(found: eb.Modes) -> np.ndarray:
    values = np.concatenate((found.eigenvalues, found.eigenvalues[found.eigenvalues.imag > 0].conj()))
    return values[np.lexsort((values.imag, np.round(np.abs(values), 8)))]


def test_variants_and_compiled_models_have_the_eigenvalues_of_modes():
    speeds, stiffnesses = [0.0, 4.0, 6.0, 9.0], [8.0, 8.0, 9.0, 12.0]
    family = eb.variants(rotor(), {"speed": speeds, "kb": stiffnesses})
    compiled = eb.compiled(rotor(), ["speed", "kb"])
    for k, (speed, kb) in enumerate(zip(speeds, stiffnesses, strict=True)):
        wanted = whole(eb.modes(rotor(speed=speed, kb=kb)))
        one = compiled(speed=speed, kb=kb)
        for found in (family.eigenvalues[k], one.eigenvalues):
            found = found[np.lexsort((found.imag, np.round(np.abs(found), 8)))]
            np.testing.assert_allclose(found, wanted, atol=1e-9 * np.abs(wanted).max())
        np.testing.assert_allclose(whole(one.modes), wanted, atol=1e-9 * np.abs(wanted).max())
    np.testing.assert_allclose(compiled().derivatives.dA, eb.sensitivity(rotor(), ["speed", "kb"]).derivatives.dA)


def test_a_variant_with_unequal_blades_fails_with_the_reason():
    family = eb.variants(rotor(), {"forces.hinge0.k": [8.0, 8.01]})
    assert set(family.failures) == {1}
    assert "the stiffness of lag" in family.failures[1]


def test_tolerances_agree_with_modes_found_again():
    """Of first order by exact slopes; Monte Carlo by variants, each of which is what modes finds."""
    first = eb.tolerance(rotor(), {"kb": "1 %", "kx": "1 %"})
    slopes = eb.sensitivity(rotor(), ["kb", "kx"])
    widths = np.abs(slopes.frequency_hz * np.array([[0.08], [10.0]])).sum(axis=0)
    drawn = eb.tolerance(rotor(), {"kb": "1 %"}, "monte-carlo", samples=3, seed=4)
    for k, hz in enumerate(slopes.modes.frequency_hz, 1):
        band = first.band(f"frequency of mode {k}")
        assert band.nominal == pytest.approx(hz, rel=1e-10)
        assert band.upper - band.nominal == pytest.approx(widths[k - 1], rel=1e-7)
        assert drawn.band(f"frequency of mode {k}").nominal == pytest.approx(hz, rel=1e-10)


def test_an_optimum_is_one_of_the_modes():
    """The damper of the hinges that damps the worst mode best: slopes of either side meet there, as modes shows."""
    problem = {
        "variables": {"cb": {"from": 0.05, "to": 2.0, "scale": "log"}},
        "objective": {"maximize": {"damping_ratio": {"mode": "all"}}},
    }
    found = eb.optimize(rotor(), problem)
    best = min(eb.modes(rotor(cb=found.values["cb"])).damping_ratio)
    for factor in (0.97, 1.03):
        assert min(eb.modes(rotor(cb=found.values["cb"] * factor)).damping_ratio) < best


def test_explanations_and_reports_are_those_of_the_patterns(tmp_path):
    found = eb.modes(rotor())
    assert {"collective lag", "forward lag", "backward lag"} <= set(found.explain().labels)
    page = eb.report(rotor())
    text = page.html if hasattr(page, "html") else str(page)
    assert "forward lag" in text
