"""Forces and states that read accelerations, joint reactions and forces of elements, against equations by hand.

Expected numbers: the closed forms stand beside each test; motions are integrated by SciPy from those equations.
"""

import pickle

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

import eigenbody as eb
from eigenbody.analyses.modes.energy import mode_energies
from eigenbody.analyses.modes.motion import mode_motion

BLOCK = {"mass": 2.0, "at": [0, 0, 0]}
RAIL = {"type": "prismatic", "between": ["ground", "b"], "at": [0, 0, 0], "axis": [1, 0, 0], "axis2": [0, 1, 0]}


def slider(forces: dict, velocity: float = 0.0, position: float = 0.0, **more) -> dict:
    rail = {**RAIL, "velocity": velocity, "position": position}
    return {"eigenbody": 1, "bodies": {"b": BLOCK}, "joints": {"rail": rail}, "forces": forces, **more}


def pair(values: np.ndarray) -> np.ndarray:
    """Eigenvalues in the upper half plane, by size."""
    upper = values[values.imag >= 0]
    return upper[np.lexsort((upper.imag, upper.real))]


# Acceleration ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("gain", [0.7, -0.5, 30.0, -1.999])
@pytest.mark.parametrize("velocity", [0.0, 0.4])
def test_fed_back_acceleration_is_added_mass(gain, velocity):
    """(m + ka) x'' + c x' + k x = 0."""
    forces = {
        "k": {"type": "spring", "along": "rail", "k": 50.0, "c": 0.8},
        "ka": {"type": "expression", "along": "rail", "value": f"={-gain}*rail''"},
    }
    for solver in ("dense", "sparse"):
        found = eb.linearize(eb.load(slider(forces, velocity)), solver=solver)
        A = found.sparse.rates_of(np.eye(2))
        np.testing.assert_allclose(A, [[0, 1], [-50 / (2 + gain), -0.8 / (2 + gain)]], rtol=1e-12)
    found = eb.modes(eb.load(slider(forces, velocity))).eigenvalues
    np.testing.assert_allclose(pair(found), pair(np.roots([2 + gain, 0.8, 50])), rtol=1e-11)


def test_frequency_response_and_derivative_with_added_mass():
    """x/F = 1 / (k - (m + ka) w^2 + i c w), x''/F = -w^2 x/F; d(w0^2)/dka = -k / (m + ka)^2."""
    forces = {
        "k": {"type": "spring", "along": "rail", "k": 50.0, "c": 0.8},
        "ka": {"type": "expression", "along": "rail", "value": "=-ka*rail''"},
    }
    model = eb.load(
        slider(
            forces, parameters={"ka": 0.7}, inputs={"push": {"along": "rail"}},
            outputs={"x": {"measure": "rail"}, "a": {"measure": "rail", "order": 2}, "e": {"expression": "=2*rail''"}},
        )
    )  # fmt: skip
    w = 2 * np.pi * np.array([0.3, 0.69, 2.0])
    found = eb.frf(model, frequencies_hz=w / (2 * np.pi), refine=False).values[..., 0]
    exact = 1 / (50 - 2.7 * w**2 + 0.8j * w)
    np.testing.assert_allclose(found, exact[:, None] * np.stack((w**0, -(w**2), -2 * w**2), axis=-1), rtol=1e-10)
    slope = eb.derivatives(model, ["ka"])
    np.testing.assert_allclose(slope.dA[0], [[0, 0], [50 / 2.7**2, 0.8 / 2.7**2]], rtol=1e-12, atol=1e-14)
    assert slope.is_exact


def test_variants_are_found_together():
    forces = {
        "k": {"type": "spring", "along": "rail", "k": 50.0},
        "ka": {"type": "expression", "along": "rail", "value": "=-ka*rail''"},
    }
    gains = np.array([0.1, 0.5, 3.0])
    found = eb.variants(eb.load(slider(forces, parameters={"ka": 0.7})), {"ka": gains})
    np.testing.assert_allclose([modes[-1].imag for modes in found.eigenvalues], np.sqrt(50 / (2 + gains)), rtol=1e-11)


# Load cell ------------------------------------------------------------------------------------------------------------


def test_load_cell_in_a_loop():
    """A force against the filtered tension f of a spring: (m s^2 + c s + k)(T s + 1) + g (k + c s) = 0."""
    g, T = 3.0, 0.02
    model = slider(
        {
            "cell": {"type": "spring", "along": "rail", "k": 50.0, "c": 0.8},
            "act": {"type": "expression", "along": "rail", "value": f"=-{g}*soft"},
        },
        velocity=0.2,
        blocks={"soft": {"type": "filter", "input": "=force.cell", "corner": 1 / T, "order": 1}},
    )
    found = eb.modes(eb.load(model)).eigenvalues
    exact = np.roots(np.polyadd(np.polymul([2, 0.8, 50], [T, 1]), g * np.array([0.8, 50])))
    np.testing.assert_allclose(np.sort_complex(pair(found)), np.sort_complex(pair(exact)), rtol=1e-9)


def test_force_that_depends_on_a_springs_force_at_once():
    """f = -g (k x + c x') stiffens and damps by 1 + g; read through a second force as well."""
    model = slider(
        {
            "cell": {"type": "spring", "along": "rail", "k": 50.0, "c": 0.8},
            "act": {"type": "expression", "along": "rail", "value": "=-0.5*force.cell"},
            "more": {"type": "expression", "along": "rail", "value": "=-0.4*force.act"},
        },
        position=0.3,
    )
    linear = eb.linearize(eb.load(model))
    # the tension of `act` is the opposite of its value: +0.5 cell; `more` pushes by -0.2 cell
    np.testing.assert_allclose(linear.K, [[50 * 1.7]], rtol=1e-13)
    np.testing.assert_allclose(linear.C, [[0.8 * 1.7]], rtol=1e-13)


# Friction by the load of the joint ------------------------------------------------------------------------------------
SLOPE, MU, VT, K, FREE = 0.35, 0.3, 0.2, 120.0, 0.6
EYE = np.array([0.2, 0.5])  # the spring's end in the ground: along the rail, and normal to it


def spring_on_rail(x: float) -> np.ndarray:
    """Force on the block along the rail and normal to it."""
    d = EYE - (x, 0.0)
    length = np.hypot(*d)
    return K * (length - FREE) * d / length


def sliding(x: float, v: float) -> float:
    """x'' of a block of 2 kg on an incline, friction mu |N| tanh(v / vt)."""
    along, normal = spring_on_rail(x)
    N = 2 * 9.81 * np.cos(SLOPE) - normal
    return (along - 2 * 9.81 * np.sin(SLOPE) - MU * abs(N) * np.tanh(v / VT)) / 2


def inclined() -> eb.Model:
    up, out = np.array([np.cos(SLOPE), 0, np.sin(SLOPE)]), np.array([-np.sin(SLOPE), 0, np.cos(SLOPE)])
    rail = {"type": "prismatic", "between": ["ground", "b"], "at": [0, 0, 0], "axis": up.tolist(),
            "axis2": out.tolist(), "position": 0.1, "velocity": 0.5}  # fmt: skip
    eye = (EYE[0] * up + EYE[1] * out).tolist()
    return eb.load({
        "eigenbody": 1, "gravity": [0, 0, -9.81], "bodies": {"b": BLOCK}, "joints": {"rail": rail},
        "forces": {
            "k": {"type": "spring", "between": ["ground", "b"], "at": [eye, [0, 0, 0]], "k": K, "free_length": FREE},
            "rub": {"type": "friction", "along": "rail", "coulomb": f"={MU}*abs(reaction.rail.fx)", "transition": VT},
        },
    })  # fmt: skip


def test_block_on_an_inclined_rail():
    """K and C are derivatives of the equation by hand, by complex steps of the same formula."""
    linear, h = eb.linearize(inclined()), 1e-5
    by_x, by_v = (
        (f(h) - f(-h)) / (2 * h) * 4 / 3 - (f(2 * h) - f(-2 * h)) / (4 * h) / 3
        for f in (lambda d: sliding(0.1 + d, 0.5), lambda d: sliding(0.1, 0.5 + d))
    )
    np.testing.assert_allclose(linear.A[1], [by_x, by_v], rtol=1e-8)
    assert linear.certificate.tangent_error < 1e-13


@pytest.mark.parametrize("method", ["dop853", "radau", "generalized-alpha", "rk4"])
def test_block_on_an_inclined_rail_slides(method):
    """Against SciPy's own integration of the equation by hand; the energy balance counts the friction."""
    exact = solve_ivp(lambda t, y: [y[1], sliding(*y)], (0, 0.3), [0.1, 0.5], "DOP853", rtol=1e-12, atol=1e-13)
    step = {"step": 5e-3} if method == "rk4" else {"tolerance": 1e-6 if method == "generalized-alpha" else 1e-9}
    found = eb.simulate(inclined(), 0.3, method=method, points=3, **step)
    accuracy = 2e-4 if method == "generalized-alpha" else 1e-7
    np.testing.assert_allclose(found.signal("rail")[-1], exact.y[0, -1], atol=accuracy)
    np.testing.assert_allclose(found.signal("rail'")[-1], exact.y[1, -1], atol=10 * accuracy)
    _, normal = spring_on_rail(found.signal("rail")[-1])
    np.testing.assert_allclose(found.signal("reaction.rail.fx")[-1], 2 * 9.81 * np.cos(SLOPE) - normal, rtol=1e-9)
    assert found.balance.is_kept
    assert found.balance.work < -0.1  # what the friction took


M, L, J, RADIUS, MU_P, W0 = 1.5, 0.4, 0.1, 0.05, 0.4, 0.3


def swinging(angle: float, rate: float) -> float:
    """Angular acceleration of a pendulum whose pivot rubs with mu r |reaction|: implicit, since the reaction depends on
    it. J + m l^2 about the pivot; reaction m (l a + g sin) across the rod and m (l w^2 + g cos) along it."""

    def left(a: float) -> float:
        load = M * np.hypot(L * a + 9.81 * np.sin(angle), L * rate**2 + 9.81 * np.cos(angle))
        return (J + M * L**2) * a + M * 9.81 * L * np.sin(angle) + MU_P * RADIUS * load * np.tanh(rate / W0)

    return float(brentq(left, -1e3, 1e3, xtol=1e-13, rtol=1e-14))


def pendulum(mu: float = MU_P) -> eb.Model:
    load = "sqrt(reaction.pivot.fx**2 + reaction.pivot.fy**2)"
    return eb.load({
        "eigenbody": 1, "gravity": [0, 0, -9.81], "parameters": {"mu": mu},
        "bodies": {"rod": {"mass": M, "inertia": [J, J, J], "at": [0, 0, -L]}},
        "joints": {"pivot": {"type": "revolute", "between": ["ground", "rod"], "at": [0, 0, 0], "axis": [0, 1, 0],
                             "position": 0.7, "velocity": -1.1}},
        "forces": {"rub": {"type": "friction", "along": "pivot", "coulomb": f"=mu*{RADIUS}*{load}", "transition": W0}},
    })  # fmt: skip


def test_pendulum_whose_pivot_friction_is_its_load():
    linear, h = eb.linearize(pendulum()), 1e-3
    slopes = []
    for f in (lambda d: swinging(0.7 + d, -1.1), lambda d: swinging(0.7, -1.1 + d)):
        one, two, four = ((f(k * h) - f(-k * h)) / (2 * k * h) for k in (1, 2, 4))
        slopes.append((64 * one - 20 * two + four) / 45)  # of sixth order
    np.testing.assert_allclose(linear.A[1], slopes, rtol=1e-8)
    motion = linear.point.motion.acceleration
    np.testing.assert_allclose(linear.point.frame.speed_jet.acceleration[0], swinging(0.7, -1.1), rtol=1e-12)
    assert np.isfinite(motion).all()


def test_pendulum_swings_as_its_own_equation():
    exact = solve_ivp(lambda t, y: [y[1], swinging(*y)], (0, 0.4), [0.7, -1.1], "DOP853", rtol=1e-11, atol=1e-12)
    found = eb.simulate(pendulum(), 0.4, method="dop853", points=3, tolerance=1e-10)
    np.testing.assert_allclose(found.signal("pivot")[-1], exact.y[0, -1], atol=2e-9)
    assert found.balance.is_kept


def test_inverse_dynamics_of_the_pendulum():
    """The torque that drives it along angle(t): the friction is that of the reaction in the prescribed motion."""
    found = eb.inverse(pendulum(), {"pivot": "=0.7 - 1.1*t + 0.4*t**2"}, until=0.2, points=3)
    for t, torque in zip(found.t, found["pivot"], strict=True):
        angle, w, a = 0.7 - 1.1 * t + 0.4 * t**2, -1.1 + 0.8 * t, 0.8
        load = M * np.hypot(L * a + 9.81 * np.sin(angle), L * w**2 + 9.81 * np.cos(angle))
        expected = (J + M * L**2) * a + M * 9.81 * L * np.sin(angle) + MU_P * RADIUS * load * np.tanh(w / W0)
        np.testing.assert_allclose(torque, expected, rtol=1e-9)


def test_equilibrium_by_a_reaction():
    """A block hung on a spring and pulled by half of the weight that a rail carries: k x = 0.5 m g cos."""
    forces = {
        "k": {"type": "spring", "along": "rail", "k": 50.0, "c": 1.0},
        "pull": {"type": "expression", "along": "rail", "value": "=0.5*reaction.rail.fy + 3*rail''"},
    }
    model = slider(forces, gravity=[0, 0, -9.81], operating_point="equilibrium", position=0.5)
    point = eb.operating_point(eb.load(model))
    np.testing.assert_allclose(point.coordinates()["rail"], 0.5 * 2 * 9.81 / 50, rtol=1e-9)
    assert point.is_equilibrium


def test_steady_speed_by_the_load_of_a_bearing():
    """An eccentric disc driven by 2 N m against mu r times the load of its bearing, m e w^2: w^2 = 2 / (mu r m e)."""
    load = "sqrt(reaction.spin.fx**2 + reaction.spin.fy**2)"
    model = eb.load({
        "eigenbody": 1, "bodies": {"disc": {"mass": 4.0, "inertia": [0.1, 0.1, 0.2], "at": [0.05, 0, 0]}},
        "joints": {"spin": {"type": "revolute", "between": ["ground", "disc"], "at": [0, 0, 0], "velocity": 30.0}},
        "forces": {"drive": {"type": "expression", "along": "spin", "value": f"=2 - 0.02*{load}"}},
        "operating_point": {"steady": {"prescribed": {"spin": 0}, "adjust": ["spin'"]}},
    })  # fmt: skip
    point = eb.operating_point(model)
    np.testing.assert_allclose(point.rates()["spin"], np.sqrt(2 / (0.02 * 4 * 0.05)), rtol=1e-9)


# Where there is no solution, or more than one -------------------------------------------------------------------------


def drawer(mu: float, pull: float = 30.0, arm: float = 0.2) -> dict:
    """A drawer pulled off its middle, whose runner rubs on the other side with mu times the moment of its rail:
    moment = pull arm + friction d, so that |moment| (1 - mu d) = pull arm where it slides (d = 0.5 m)."""
    return {
        "eigenbody": 1, "bodies": {"b": BLOCK}, "joints": {"rail": {**RAIL, "velocity": 1.0}},
        "markers": {"runner": {"body": "b", "at": [0, 0, -0.5]}, "frame": {"body": "ground", "at": [0, 0, -0.5]}},
        "measures": {"run": {"type": "displacement", "between": ["frame", "runner"], "axis": [1, 0, 0]}},
        "forces": {
            "pull": {"type": "force", "body": "b", "at": [0, 0, arm], "value": [pull, 0, 0]},
            "rub": {"type": "friction", "along": "run", "coulomb": f"={mu}*abs(reaction.rail.mx)", "transition": 0.01},
        },
    }  # fmt: skip


@pytest.mark.parametrize("mu", [0.0, 0.4, 1.5, 1.99])
def test_drawer_slides(mu):
    moment = 30 * 0.2 / (1 - 0.5 * mu)
    point = eb.operating_point(eb.load(drawer(mu)))
    np.testing.assert_allclose(abs(eb.reactions(point)["rail"].moment[0]), moment, rtol=1e-10)
    np.testing.assert_allclose(point.motion.acceleration[0], (30 - mu * moment) / 2, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("mu", [2.0, 2.5, 10.0])
def test_drawer_that_jams_is_named(mu):
    with pytest.raises(eb.InputError, match=r"forces\.rub.*reaction\.rail\.mx and forces depend on each other"):
        eb.operating_point(eb.load(drawer(mu)))


def test_drawer_with_two_solutions_is_named():
    """Pulled on the side of its runner the moment is either -a/(1 + mu d) or a/(mu d - 1): Painleve's paradox."""
    with pytest.raises(eb.InputError, match=r"forces\.rub.*not determined"):
        eb.operating_point(eb.load(drawer(6.0, arm=-0.2)))


def test_motion_that_comes_to_jam_ends_there():
    """A brake that is pulled at 0.1 s so hard that mu d = 1.25: no acceleration satisfies the equations any more."""
    model = drawer(0.0)
    model["forces"]["rub"] = {
        "type": "expression",
        "along": "run",
        "value": "=-(1 + 1.5*step(t - 0.1))*abs(reaction.rail.mx)",
    }
    with pytest.raises(eb.ComputationError, match=r"forces\.rub: reaction\.rail\.mx and forces depend") as caught:
        eb.simulate(eb.load(model), 0.4, method="rk4", step=0.03, points=5)
    assert 0 < caught.value.partial.t[-1] < 0.1


def test_singular_added_mass_is_named():
    """ka = -m takes all inertia away: x'' is left open."""
    forces = {"ka": {"type": "expression", "along": "rail", "value": "=2*rail'' - rail"}}
    with pytest.raises(eb.InputError, match=r"forces\.ka.*rail'' and forces depend on each other"):
        eb.operating_point(eb.load(slider(forces)))


# Names ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("reaction.rial.fz", 'there is no joint "rial".*rail'),
        ("reaction.rail", "needs a component"),
        ("reaction.rail.fw", "is no component"),
        ("force.kk", 'there is no force "kk".*k'),
        ("force.k.fx", "acts along one measure"),
        ("force.m", "acts along 6 measures.*fx, fy, fz, mx, my, mz"),
        ("reaction.rail.fz'", "reaction.rail.fz'"),
    ],
)
def test_wrong_names_are_refused(name, message):
    forces = {
        "k": {"type": "spring", "along": "rail", "k": 50.0},
        "m": {"type": "bushing", "between": ["ground", "b"], "at": [0, 0, 0], "k": [1] * 6},
        "f": {"type": "expression", "along": "rail", "value": f"=0.1*{name}"},
    }
    with pytest.raises(eb.InputError, match=f"(?s)forces.f.*{message}"):
        eb.linearize(eb.load(slider(forces)))


def test_prescribed_motions_cannot_read_loads():
    model = slider({}, measures={"m": {"type": "displacement", "between": ["ground", "b"], "axis": [1, 0, 0]}})
    model["drivers"] = {"d": {"measure": "m", "motion": "=rail''"}}
    with pytest.raises(eb.InputError, match="cannot be used here"):
        eb.load(model)


def test_models_that_read_nothing_have_no_algebraic_variables():
    system = eb.operating_point(eb.load(slider({"k": {"type": "spring", "along": "rail", "k": 5.0}}))).system
    assert system.algebraic == ()
    assert not len(system.reference_state().z)


# Beside everything else -----------------------------------------------------------------------------------------------


def coupled_arms(**more) -> dict:
    """Two arms whose hinges rub by their loads and are pushed by what they carry, and a state that reads both."""
    load = "sqrt(reaction.p.fx**2 + reaction.p.fy**2)"
    return {
        "eigenbody": 1, "gravity": [0, 0, -9.81],
        "bodies": {"b": {"mass": 2.0, "inertia": [0.1, 0.2, 0.3], "at": [0, 0, -0.5]},
                   "c": {"mass": 1.0, "inertia": [0.1, 0.05, 0.06], "at": [0.2, 0, -1.3]}},
        "joints": {"p": {"type": "revolute", "between": ["ground", "b"], "axis": [0, 1, 0], "at": [0, 0, 0]},
                   "q": {"type": "revolute", "between": ["b", "c"], "axis": [0, 1, 0], "at": [0, 0, -1]}},
        "forces": {
            "sp": {"type": "spring", "between": ["ground", "c"], "at": [[1, 0, 0], [0.2, 0, -1.3]], "k": 40, "c": 0.3,
                   "free_length": 1.0},
            "kt": {"type": "spring", "along": "q", "k": 3.0, "c": 0.1},
            "rub": {"type": "friction", "along": "p", "coulomb": f"=0.02*{load}", "transition": 0.5},
            "push": {"type": "expression", "along": "q", "value": "=0.04*reaction.p.fx - 0.1*p'' + 0.05*lag"},
        },
        "states": {"lag": {"initial": 0.3, "rate": "=-3*lag + 0.1*reaction.q.fy + 0.2*p'' + 0.1*force.sp"}},
        "inputs": {"in": {"along": "p"}},
        "outputs": {"o": {"expression": "=reaction.q.fx + p'' + force.push"},
                    "r": {"reaction": "p", "component": "fy"}},
        "operating_point": "equilibrium", **more,
    }  # fmt: skip


def test_energies_of_modes_explain_their_damping():
    """a = -dissipation / (2 (kinetic + strain)) for every mode, the forces that read loads among the elements."""
    modes = eb.modes(eb.load(coupled_arms()))
    energies = mode_energies(modes, mode_motion(modes))
    whole = energies.kinetic.sum(axis=(1, 2)) + energies.strain.sum(axis=1)
    oscillating = modes.eigenvalues.imag > 0
    assert oscillating.sum() == 2
    found = -energies.dissipated.sum(axis=1) / (2 * whole)
    np.testing.assert_allclose(found[oscillating], modes.eigenvalues.real[oscillating], rtol=1e-9)


def test_added_damping_is_read_too():
    """Damping added to the linear model is what dampers in the mechanism are: forces that read accelerations and
    reactions answer to it."""
    more = coupled_arms()
    more["forces"] |= {
        "d1": {"type": "damper", "along": "p", "c": 0.7},
        "d2": {"type": "damper", "along": "q", "c": 0.2},
    }
    damped = eb.linearize(eb.load(more))
    added = eb.with_damping(eb.linearize(eb.load(coupled_arms())), matrix=np.diag([0.7, 0.2]))
    for name in ("A", "B", "C", "K"):
        np.testing.assert_allclose(getattr(added, name), getattr(damped, name), rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(added.state_space.C, damped.state_space.C, rtol=1e-9, atol=1e-9)


def test_derivatives_through_the_loop_and_the_equilibrium():
    """Against differences of the whole chain: equilibrium, loop, linear model."""
    model = eb.load(coupled_arms())
    names = ["forces.sp.k", "bodies.c.mass", "joints.q.at[2]"]
    found = eb.derivatives(model, names)
    assert found.is_exact
    for name, value, slope in zip(names, found.values, found.dA, strict=True):
        h = 1e-3 * abs(value)
        A = {k: eb.linearize(model.with_values({name: value + k * h})).A for k in (-2, -1, 1, 2)}
        difference = (8 * (A[1] - A[-1]) - (A[2] - A[-2])) / (12 * h)
        np.testing.assert_allclose(slope, difference, atol=1e-7 * np.abs(slope).max())


def test_copies_and_large_mechanisms():
    """A point pickles; a chain of 36 bodies takes the sparse factors and the same eigenvalues."""
    point = eb.operating_point(eb.load(coupled_arms()))
    again = pickle.loads(pickle.dumps(point))
    np.testing.assert_array_equal(again.state.z, point.state.z)
    np.testing.assert_allclose(eb.linearize(again).A, eb.linearize(point).A, rtol=1e-13)
    n = 36
    bodies = {
        f"b{i}": {"mass": 1.0, "inertia": [0.02, 0.02, 0.01], "at": [0.02 * i, 0, -0.3 * i - 0.15]} for i in range(n)
    }
    joints = {
        f"j{i}": {"type": "revolute", "between": [f"b{i - 1}" if i else "ground", f"b{i}"], "axis": [0, 1, 0],
                  "at": [0.02 * i, 0, -0.3 * i]}
        for i in range(n)
    }  # fmt: skip
    forces = {f"k{i}": {"type": "spring", "along": f"j{i}", "k": 20.0, "c": 0.4} for i in range(n)}
    for i in range(0, n, 12):
        law = f"=-0.01*j{i}'' + 0.01*force.k{i} + 0.1*x + 0.001*reaction.j{i}.fx"
        forces[f"a{i}"] = {"type": "expression", "along": f"j{i}", "value": law}
    chain = {"eigenbody": 1, "gravity": [0.5, 0, -9.81], "bodies": bodies, "joints": joints, "forces": forces,
             "states": {"x": {"rate": "=-x + 0.01*reaction.j0.fx + 0.1*j3''"}},
             "operating_point": "equilibrium"}  # fmt: skip
    point = eb.operating_point(eb.load(chain))
    assert point.system.nq > 200
    assert point.is_equilibrium
    few, every = eb.modes(point, n=3, solver="sparse"), eb.modes(point, solver="dense")
    np.testing.assert_allclose(few.eigenvalues[:3], every.eigenvalues[:3], rtol=1e-8)


@pytest.mark.parametrize("damping", [{"modal": 0.1}, {"structural": 0.1}, {"proportional": (0.4, 0.1)}])
def test_damping_of_modes_and_blows_beside_forces_that_read_accelerations_are_refused(damping):
    """(1 + 1) x'' + 4 x = 0 by a force -x'': M and K told are those of a mass of 1, no modes to damp by."""
    model = eb.Model(
        bodies={"b": {"mass": 1, "inertia": [0.1] * 3, "at": [0, 0, 0]}},
        joints={"rail": {"type": "prismatic", "between": ["ground", "b"], "at": [0, 0, 0], "axis": [1, 0, 0]}},
        forces={
            "sp": {"type": "spring", "along": "rail", "k": 4},
            "am": {"type": "expression", "along": "rail", "value": "=-rail''"},
        },
        inputs={"push": {"along": "rail"}},
    )
    with pytest.raises(eb.InputError, match="am read accelerations"):
        eb.with_damping(eb.linearize(model), **damping)
    with pytest.raises(eb.InputError, match="am read accelerations"):
        eb.impulse(model, {"along": "rail", "value": 1.0})
    assert eb.response(model, eb.StepInput({"push": 1.0}), times=(1.0, 3)).energy is None
