"""Floquet multipliers against special functions, closed forms and independent integration of equations by hand."""

import json
from typing import Any

import numpy as np
import pytest
from scipy.integrate import quad, solve_ivp
from scipy.special import mathieu_a, mathieu_b

import eigenbody as eb
from eigenbody.base.errors import ComputationError, InputError
from floquet_references import BLADE, HUB, INERTIA, MOMENT, bladed_equations, monodromy, same_sets

TURN = 2 * np.pi
ORIGIN = [0, 0, 0]


# Models ---------------------------------------------------------------------------------------------------------------
def slider(force: str, position: float = 0.0, **parameters: float) -> eb.Model:
    """1 kg on a rail under a force; s is its place."""
    rail = {"type": "prismatic", "between": ["ground", "block"], "at": ORIGIN, "axis": [1, 0, 0]}
    return eb.Model(
        parameters=parameters,
        bodies={"block": {"mass": 1, "at": [0, 0, 0]}},
        joints={"s": {**rail, "position": position}},
        forces={"pull": {"type": "expression", "along": "s", "value": force}},
    )  # fmt: skip


def mathieu(a: float, q: float) -> eb.Model:
    """s'' + (a - 2 q cos 2t) s = 0, of period pi."""
    return slider("=-(a - 2*q*cos(2*t))*s", a=a, q=q)


def rotor(
    blades: int, speed: float = 20.0, kx: float = 1000.0, ky: float = 1000.0, c: float = 5.0, cb: float = 0.2,
    kb: float = 3.0, is_driven: bool = True,
) -> eb.Model:  # fmt: skip
    """A hub of 10 kg on springs along x and y, turning about z; bars hinged to it 0.1 m from the axis that lag."""
    bodies: dict[str, Any] = {
        "slide": {"mass": 0, "at": [0, 0, 0]},
        "bed": {"mass": HUB / 2, "inertia": [1, 1, 1], "at": [0, 0, 0]},
        "hub": {"mass": HUB / 2, "inertia": [0.1, 0.1, 0.1], "at": [0, 0, 0]},
    }
    spin = {"motion": "=speed*t"} if is_driven else {"velocity": "=speed"}
    joints: dict[str, Any] = {
        "x": {"type": "prismatic", "between": ["ground", "slide"], "at": ORIGIN, "axis": [1, 0, 0]},
        "y": {"type": "prismatic", "between": ["slide", "bed"], "at": ORIGIN, "axis": [0, 1, 0]},
        "spin": {"type": "revolute", "between": ["bed", "hub"], "at": ORIGIN, "axis": [0, 0, 1], **spin},
    }
    forces: dict[str, Any] = {
        "kx": {"type": "spring", "along": "x", "k": "=kx", "c": "=c"},
        "ky": {"type": "spring", "along": "y", "k": "=ky", "c": "=c"},
    }
    length, offset, mass = BLADE["length"], BLADE["offset"], BLADE["mass"]
    for i in range(blades):
        out = np.array([np.cos(TURN * i / blades), np.sin(TURN * i / blades), 0])
        place = (offset + length / 2) * out
        bodies[f"b{i}"] = {"mass": mass, "inertia": [mass * length**2 / 12] * 3, "at": place.tolist()}
        joints[f"lag{i}"] = {
            "type": "revolute", "between": ["hub", f"b{i}"], "at": (offset * out).tolist(), "axis": [0, 0, 1],
        }  # fmt: skip
        forces[f"hinge{i}"] = {"type": "spring", "along": f"lag{i}", "k": "=kb", "c": "=cb"}
    numbers = {"speed": speed, "kx": kx, "ky": ky, "c": c, "cb": cb, "kb": kb}
    return eb.Model(parameters=numbers, bodies=bodies, joints=joints, forces=forces)


# Parametric excitation ------------------------------------------------------------------------------------------------
def test_mathieu_boundaries_are_its_characteristic_values():
    """a_n(q) and b_n(q) part stable from unstable (Abramowitz & Stegun 20); scipy.special has them to all digits."""
    q = 0.4
    found = eb.floquet_sweep(mathieu(1, q), "a", [0.2, 1.0, 2.0, 4.05, 4.4], period="=pi")
    wanted = [mathieu_b(1, q), mathieu_a(1, q), mathieu_b(2, q), mathieu_a(2, q)]
    assert [b.begins for b in found.boundaries] == [True, False, True, False]
    np.testing.assert_allclose([b.value for b in found.boundaries], wanted, rtol=0, atol=1e-8)


def test_mathieu_boundaries_begin_as_the_series_says():
    """delta = 1/4 -+ epsilon/2 - epsilon^2/8 of s'' + (delta + epsilon cos t) s = 0, up to epsilon^3/32 (Nayfeh &
    Mook, Nonlinear Oscillations, 5.3, with 2 q = -4 epsilon and a = 4 delta)."""
    epsilon = 0.01
    found = eb.floquet_sweep(mathieu(1, -2 * epsilon), "a", [0.9, 1.0, 1.1], period="=pi")
    wanted = [4 * (0.25 - s * epsilon / 2 - epsilon**2 / 8) for s in (1, -1)]
    np.testing.assert_allclose([b.value for b in found.boundaries], wanted, atol=epsilon**3)


def test_undamped_parametric_motion_keeps_its_volume():
    found = eb.floquet(mathieu(1.3, 0.4), np.pi)
    assert abs(np.prod(found.multipliers) - 1) < 1e-13
    assert found.certificate.determinant < 1e-13
    assert found.stability == "unstable"


def test_exponents_of_mathieus_equation_are_those_of_hills_determinant():
    """sin^2(pi nu / 2) = Delta(0) sin^2(pi sqrt(a) / 2) with lambda = i nu (Whittaker & Watson 19.42), the determinant
    cut off at 400 harmonics: what is left out changes it by q^2 / (24 * 400^3), 3e-10."""
    a, q = 2.3, 0.7
    orders = np.arange(-400.0, 401.0)
    beside = q / (4 * orders**2 - a)
    hill = np.eye(len(orders)) + np.diag(beside[:-1], 1) + np.diag(beside[1:], -1)
    square = np.linalg.det(hill) * np.sin(np.pi * np.sqrt(a) / 2) ** 2
    nu = 2 / np.pi * np.arcsin(np.sqrt(square))
    found = eb.floquet(mathieu(a, q), "=pi")
    assert found.stability == "marginal"
    turn = np.exp(1j * nu * np.pi)
    same_sets(found.multipliers, np.array([turn, turn.conj()]), 1e-8)


def kapitza(frequency: float) -> eb.Model:
    """An inverted bar, 0.1 kg m^2 about its centre 0.5 m above a pivot that shakes by 0.05 m."""
    return eb.Model(
        parameters={"w": frequency},
        gravity=[0, 0, -9.81],
        bodies={"pivot": {"mass": 1, "at": [0, 0, 0]}, "bar": {"mass": 1, "inertia": [0.1] * 3, "at": [0, 0, 0.5]}},
        joints={
            "shake": {"type": "prismatic", "between": ["ground", "pivot"], "at": ORIGIN, "motion": "=0.05*cos(w*t)"},
            "tilt": {"type": "revolute", "between": ["pivot", "bar"], "at": ORIGIN, "axis": [0, 1, 0]},
        },
    )


@pytest.mark.parametrize(("frequency", "verdict"), [(60.0, "unstable"), (200.0, "marginal")])
def test_kapitzas_pendulum(frequency, verdict):
    """(I + m l^2) phi'' = m l (g - 0.05 w^2 cos w t) phi, integrated by hand."""
    found = eb.floquet(kapitza(frequency), "=2*pi/w")
    pull = lambda t: 0.5 * (9.81 - 0.05 * frequency**2 * np.cos(frequency * t)) / 0.35  # noqa: E731
    whole = monodromy(lambda t: np.array([[0, 1], [pull(t), 0]]), TURN / frequency, 2)
    same_sets(found.multipliers, np.linalg.eigvals(whole), 1e-9)
    assert found.stability == verdict


# Rotors with blades ---------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("is_driven", [True, False])
def test_three_blades_are_colemans(is_driven):
    """Multi-blade coordinates make the equations constant (Coleman & Feingold): (M s^2 + c s + k)(I (s - i w)^2 +
    cb (s - i w) + kb + w^2 e S) = 3/2 S^2 s^4 for z = x + i y, and the collective lag by itself."""
    speed = 20.0
    found = eb.floquet(rotor(3, speed, is_driven=is_driven))
    mass, spring = np.polynomial.Polynomial([1000.0, 5.0, HUB + 3]), 3.0 + speed**2 * BLADE["offset"] * MOMENT
    shifted = np.polynomial.Polynomial([-1j * speed, 1])
    blade = INERTIA * shifted**2 + 0.2 * shifted + spring
    whirl = (mass * blade - np.polynomial.Polynomial([0, 0, 0, 0, 1.5 * MOMENT**2])).roots()
    collective = np.roots([INERTIA, 0.2, spring])
    wanted = np.exp(np.concatenate([whirl, whirl.conj(), collective]) * TURN / speed)
    free = found.multipliers == 1  # the spin itself, where it is free
    if is_driven:
        same_sets(found.multipliers, wanted, 1e-10)
        assert not free.any()
        assert found.stability == "unstable"
    else:  # a free spin exchanges momentum with the collective lag: that pair is another one
        assert free.sum() == 2
        same_sets(np.exp(np.concatenate([whirl, whirl.conj()]) * TURN / speed), found.multipliers[~free], 1e-10)


def test_ground_resonance_band_in_closed_form():
    """Undamped, the four whirl frequencies merge at the edges of the band: zeros of the discriminant of
    (k - M w^2)(kb + W^2 e S - I (w - W)^2) - 3/2 S^2 w^4."""
    from scipy.optimize import brentq

    def discriminant(speed: float) -> float:
        w = np.polynomial.Polynomial([0, 1])
        spring = 3.0 + speed**2 * BLADE["offset"] * MOMENT
        p = (1000 - (HUB + 3) * w**2) * (spring - INERTIA * (w - speed) ** 2) - 1.5 * MOMENT**2 * w**4
        roots = p.roots()
        return float(np.prod([(a - b) ** 2 for i, a in enumerate(roots) for b in roots[:i]]).real)

    speeds = np.linspace(8, 40, 65)
    signs = np.sign([discriminant(speed) for speed in speeds])
    (lower, upper) = np.flatnonzero(signs[1:] != signs[:-1])
    edges = [brentq(discriminant, speeds[k], speeds[k + 1], xtol=1e-13) for k in (lower, upper)]
    grid = [edges[0] - 0.4, 0.5 * sum(edges), edges[1] + 0.4]
    found = eb.floquet_sweep(rotor(3, c=0, cb=0), "speed", grid)
    assert [b.begins for b in found.boundaries] == [True, False]
    np.testing.assert_allclose([b.value for b in found.boundaries], edges, rtol=1e-8)


def test_two_blades_on_unequal_springs_against_integration_by_hand():
    """N = 2 on kx != ky has periodic coefficients in every frame."""
    numbers = {"speed": 20.0, "kx": 1000.0, "ky": 1500.0, "c": 5.0, "cb": 0.2, "kb": 3.0}
    found = eb.floquet(rotor(2, **numbers))
    whole = monodromy(bladed_equations(2, **numbers), TURN / 20, 8)
    same_sets(found.multipliers, np.linalg.eigvals(whole), 1e-10)
    assert eb.modes(rotor(2, **numbers)).stability == "frozen"


def test_edges_of_an_unstable_band_of_two_blades():
    """Bisected on the largest multiplier of the equations by hand."""
    numbers = {"kx": 1000.0, "ky": 1500.0, "c": 5.0, "cb": 0.2, "kb": 0.0}

    def grows(speed: float) -> bool:
        whole = monodromy(bladed_equations(2, speed, **numbers), TURN / speed, 8)
        return bool(np.abs(np.linalg.eigvals(whole)).max() > 1)

    found = eb.floquet_sweep(rotor(2, **numbers), "speed", [26.0, 29.0])
    (edge,) = found.boundaries
    assert edge.begins
    assert not grows(edge.value * (1 - 1e-8))
    assert grows(edge.value * (1 + 1e-8))


# Cycles and forced motion ---------------------------------------------------------------------------------------------
def test_van_der_pols_cycle():
    """Period 6.66328685932313... of s'' - (1 - s^2) s' + s = 0 (Andersen & Geer 1982 give 6.6632868593); its other
    multiplier is exp of the integral of 1 - s^2, found here by integration at 1e-13."""
    found = eb.floquet(slider("=-s + (1 - s**2)*s'", position=0.5), "free")
    assert found.period == pytest.approx(6.6632868593231, rel=1e-10)
    assert found.stability == "stable"
    assert found.stabilities[0] == "orbit"
    start = found.point.coordinates()["s"], found.point.rates()["s"], 0.0
    rhs = lambda t, y: [y[1], (1 - y[0] ** 2) * y[1] - y[0], 1 - y[0] ** 2]  # noqa: E731
    end = solve_ivp(rhs, (0, found.period), start, method="DOP853", rtol=1e-13, atol=1e-14).y[:, -1]
    np.testing.assert_allclose(end[:2], start[:2], atol=1e-9)
    assert found.multipliers[1].real == pytest.approx(np.exp(end[2]), rel=1e-8)


def test_a_forced_motion_is_found_and_its_multipliers():
    """Duffing's equation with damping: end = start after one period of the force, the product of the multipliers is
    exp(-c T)."""
    model = slider("=-s - 0.5*s**3 - 0.2*s' + 0.3*cos(2*t)")
    found = eb.floquet(model, "=pi")
    rhs = lambda t, y: [y[1], -y[0] - 0.5 * y[0] ** 3 - 0.2 * y[1] + 0.3 * np.cos(2 * t)]  # noqa: E731
    start = found.point.coordinates()["s"], found.point.rates()["s"]
    end = solve_ivp(rhs, (0, np.pi), start, method="DOP853", rtol=1e-13, atol=1e-14).y[:, -1]
    np.testing.assert_allclose(end, start, atol=1e-9)
    assert np.prod(found.multipliers).real == pytest.approx(np.exp(-0.2 * np.pi), rel=1e-9)


def test_a_spinning_ball_joint_turns_in_its_own_coordinates():
    """A symmetric top on a ball joint without gravity, spinning about z: Floquet's exponents over one turn are its
    constant eigenvalues, i w Iz / It and zeros (modulo the turn)."""
    model = eb.Model(
        bodies={"top": {"mass": 1, "inertia": [0.6, 0.6, 1.0], "at": [0, 0, 0]}},
        joints={"ball": {"type": "spherical", "between": ["ground", "top"], "at": ORIGIN, "velocity": [0, 0, 7.0]}},
    )
    found = eb.floquet(model)
    turn = np.exp(1j * TURN / 0.6)
    ones = np.abs(found.multipliers - 1) < 1e-9
    assert ones.sum() == 4
    same_sets(found.multipliers[~ones], np.array([turn, turn.conj()]), 1e-10)
    assert found.stability == "drifting"


def test_modes_of_two_blades_on_equal_supports_are_those_that_the_hub_sees():
    """Their equations are constant there, and exp(lambda T) of an observer who turns once in T are the multipliers."""
    model = rotor(2, speed=12.0)
    modes, found = eb.modes(model), eb.floquet(model, TURN / 12)
    assert modes.linear.seen_from == "spin"
    assert (modes.stability, found.stability) == ("stable", "stable")
    pairs = np.concatenate((modes.eigenvalues, modes.eigenvalues.conj()))
    same_sets(np.exp(pairs * TURN / 12), found.multipliers, 1e-9)


# Refusals -------------------------------------------------------------------------------------------------------------
def test_a_period_that_is_not_that_of_the_motion_is_refused():
    with pytest.raises(InputError, match=r"joints\.spin.*elsewhere.*correct the period"):
        eb.floquet(rotor(3), 0.1)
    with pytest.raises(InputError, match="depends on time and is another one"):
        eb.floquet(mathieu(1.3, 0.4), 1.0)


def test_what_has_no_period_says_what_to_give():
    with pytest.raises(InputError, match=r"nothing turns.*operating_point: \{periodic"):
        eb.floquet(slider("=-s"))
    with pytest.raises(InputError, match='"fre" is no time'):
        eb.floquet(slider("=-s"), "fre")
    with pytest.raises(InputError, match="depends on time"):
        eb.floquet(slider("=-s + cos(t)"), "free")


def pendulum(velocity: float) -> eb.Model:
    """A bar of 1 kg whose centre hangs 0.5 m below its pin, 0.35 kg m^2 about it."""
    return eb.Model(
        gravity=[0, 0, -9.81],
        bodies={"bar": {"mass": 1, "inertia": [0.1] * 3, "at": [0, 0, -0.5]}},
        joints={
            "p": {
                "type": "revolute", "between": ["ground", "bar"], "at": ORIGIN, "axis": [0, 1, 0], "velocity": velocity,
            }
        },
    )  # fmt: skip


def test_a_pendulum_that_turns_is_not_taken_to_turn_steadily():
    """It passes its lowest place unaccelerated and slows down on its way up: 2 pi / 8 s is no period of it."""
    with pytest.raises(InputError, match=r"period: what turns.*does not keep its speed.*periodic: \{period"):
        eb.floquet(pendulum(8.0))


def test_a_motion_far_from_the_given_start_says_so():
    """With this period Newton's method goes to another motion than that which starts at 8 rad/s, whose turn takes the
    integral of dp / sqrt(64 - 2 * 4.905 / 0.35 (1 - cos p)), or none that is far off."""
    turn = quad(lambda p: 1 / np.sqrt(64 - 2 * 4.905 / 0.35 * (1 - np.cos(p))), 0, TURN)[0]
    assert not eb.floquet(pendulum(8.0), turn).notes
    found = eb.floquet(pendulum(8.0), TURN / 8)
    assert any("far from the start: the rate of p is 9.28" in note for note in found.notes)
    place, rate = found.point.coordinates()["p"], found.point.rates()["p"]
    speed = lambda p: np.sqrt(rate**2 - 2 * 4.905 / 0.35 * (np.cos(place) - np.cos(p)))  # noqa: E731
    assert quad(lambda p: 1 / speed(p), 0, TURN)[0] == pytest.approx(TURN / 8, rel=1e-9)


def test_rest_is_no_cycle():
    with pytest.raises(ComputationError, match="only a point of rest"):
        eb.floquet(slider("=-s - 0.5*s'", position=0.3), "free", settle=60)


def test_the_operating_point_of_a_model_may_be_periodic():
    model = slider("=-s - 0.5*s**3 - 0.2*s' + 0.3*cos(2*t)").set(operating_point={"periodic": {"period": "=pi"}})
    point = eb.operating_point(model)
    assert point.coordinates()["s"] == pytest.approx(eb.floquet(model).point.coordinates()["s"], abs=1e-9)
    assert eb.modes(model).stability == "frozen"


def test_document_has_the_keys_of_the_contract():
    document = json.loads(json.dumps(eb.floquet(rotor(3)).document()))
    assert {"period", "multipliers", "exponents", "modes", "stability", "certificate"} <= document.keys()
    assert len(document["multipliers"]) == len(document["exponents"]) == 10
    assert all(len(pair) == 2 for pair in document["multipliers"])
    assert {"orbit", "determinant", "convergence"} <= document["certificate"].keys()
    shares = sum(harmonic["share"] for harmonic in document["modes"][0]["harmonics"])
    assert shares == pytest.approx(1, abs=0.02)


# Found by trying to make it say something false -----------------------------------------------------------------------
@pytest.mark.parametrize(("height", "verdict"), [(0.5, "unstable"), (-0.5, "stable")])
def test_a_search_that_ends_at_rest_has_the_multipliers_of_rest(height, verdict):
    """0.35 phi'' + 0.1 phi' -+ 4.905 phi = 0 beside the points of rest of a pendulum, started off them."""
    model = eb.Model(
        gravity=[0, 0, -9.81],
        bodies={"bar": {"mass": 1, "inertia": [0.1] * 3, "at": [0, 0, height]}},
        joints={
            "p": {"type": "revolute", "between": ["ground", "bar"], "at": ORIGIN, "axis": [0, 1, 0], "position": 0.1}
        },
        forces={"d": {"type": "damper", "along": "p", "c": 0.1}},
    )
    found = eb.floquet(model, 0.5)
    same_sets(found.multipliers, np.exp(0.5 * np.roots([0.35, 0.1, -np.sign(height) * 4.905])), 1e-8)
    assert found.stability == verdict


@pytest.mark.parametrize("frequency", [30.3, 100.0])
def test_frequencies_many_harmonics_away_are_told_as_they_are(frequency):
    found = eb.floquet(slider(f"=-{frequency**2}*s - 0.2*s'"), "=2*pi")
    assert found.eigenvalues[0] == pytest.approx(-0.1 + 1j * np.sqrt(frequency**2 - 0.01), rel=1e-9)


def test_a_slow_drive_has_its_own_period():
    model = slider("=-s - 0.2*s'").body("disc", mass=1, inertia=[1, 1, 1], at=ORIGIN)
    model = model.joint(
        "spin", "revolute", between=["ground", "disc"], at=ORIGIN, axis=[0, 0, 1], motion="=7.292115e-5*t"
    )
    assert eb.floquet(model).period == pytest.approx(TURN / 7.292115e-5, rel=1e-12)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"guess": -1.0}, r"periodic\.guess: -1 s is given where a positive time"),
        ({"guess": 0.0}, r"periodic\.guess: 0 s"),
        ({"settle": "-2 s"}, r"periodic\.settle: -2 s is given where zero or a positive time"),
    ],
)
def test_times_that_run_backward_are_refused_by_name(options, words):
    with pytest.raises(InputError, match=words):
        eb.floquet(slider("=-s + (1 - s**2)*s'", position=0.5), "free", **options)


def test_multipliers_beyond_and_below_all_numbers():
    """exp(+-50) after 5 s: the small one is hidden beside the large one and no 1; exp(1000) is no number."""
    found = eb.floquet(slider("=100*s"), 5.0)
    assert found.multipliers[0].real == pytest.approx(np.exp(50), rel=1e-10)
    assert found.multipliers[1] == 0
    assert np.isnan(found.exponents[1].real)
    assert found.notes[0].startswith("1 multiplier is so small")
    assert found.stability == "unstable"
    with pytest.raises(ComputationError, match="beyond all numbers"):
        eb.floquet(slider("=100*s"), 100.0)


def test_shimmy_has_the_cycle_of_its_equations():
    """A trailing wheel with a tyre that relaxes over 0.3 m and saturates (von Schlippe's tyre, tanh for its slip):
    I psi'' + c psi' + k psi = -e C a0 tanh(alpha/a0), sigma alpha' = V (psi - alpha) + e psi'. Here the equations by
    hand, their variation and Newton's method on DOP853 at 1e-13; the start is where psi passes zero upward."""
    tyre = {"I": 0.4, "c": 0.8, "k": 100.0, "e": 0.1, "C": 2e3, "a0": 0.1, "sigma": 0.3, "V": 8.0}
    model = eb.Model(
        parameters=tyre,
        bodies={"fork": {"mass": 1, "inertia": ["=I"] * 3, "at": [0, 0, 0]}},
        joints={"pin": {"type": "revolute", "between": ["ground", "fork"], "at": ORIGIN, "position": 0.05}},
        states={"alpha": {"initial": 0.0, "rate": "=(V*(pin - alpha) + e*pin')/sigma"}},
        forces={"tyre": {"type": "expression", "along": "pin", "value": "=-k*pin - c*pin' - e*C*a0*tanh(alpha/a0)"}},
    )
    found = eb.floquet(model, "free")
    p = tyre

    def rhs(t: float, y: np.ndarray) -> np.ndarray:
        psi, rate, alpha = y[:3]
        grip = np.tanh(alpha / p["a0"])
        f = [
            rate,
            (-p["k"] * psi - p["c"] * rate - p["e"] * p["C"] * p["a0"] * grip) / p["I"],
            (p["V"] * (psi - alpha) + p["e"] * rate) / p["sigma"],
        ]
        J = np.array([
            [0, 1, 0],
            [-p["k"] / p["I"], -p["c"] / p["I"], -p["e"] * p["C"] * (1 - grip**2) / p["I"]],
            [p["V"] / p["sigma"], p["e"] / p["sigma"], -p["V"] / p["sigma"]],
        ])  # fmt: skip
        return np.concatenate((f, (J @ y[3:].reshape(3, 3)).ravel()))

    y = np.array([found.point.coordinates()["pin"], found.point.rates()["pin"], found.point.state.x[0]])
    period = found.period * 1.001  # Newton's method must bring it back
    for _ in range(8):
        start = np.concatenate((y, np.eye(3).ravel()))
        end = solve_ivp(rhs, (0, period), start, method="DOP853", rtol=1e-13, atol=1e-15).y[:, -1]
        whole, f0, f1 = end[3:].reshape(3, 3), rhs(0, start)[:3], rhs(0, end)[:3]
        left = np.block([[whole - np.eye(3), f1[:, None]], [f0, np.zeros(1)]])
        step = np.linalg.solve(left, np.append(y - end[:3], 0.0))
        y, period = y + step[:3], period + step[3]
    assert np.abs(step).max() < 1e-11
    assert found.period == pytest.approx(period, rel=1e-9)
    same_sets(found.multipliers, np.linalg.eigvals(whole), 1e-8)
    assert found.stability == "stable"
    assert found.stabilities[0] == "orbit"


@pytest.mark.parametrize("period", [1.3, "=2*pi"])
@pytest.mark.parametrize("coupling", [0.0, 0.7])
def test_what_grows_with_time_drifts_whatever_period_is_asked_for(period: float | str, coupling: float) -> None:
    """Two equal oscillators, one of which pushes the other: multipliers are two equal pairs with one vector each."""
    rail = {"type": "prismatic", "between": ["ground", "a"], "at": [0, 0, 0], "axis": [1, 0, 0]}
    model = eb.Model(
        bodies={name: {"mass": 1, "at": [0, 0, 0]} for name in "ab"},
        joints={"p": rail, "q": {**rail, "between": ["ground", "b"]}},
        forces={
            "own": {"type": "spring", "along": "p", "k": 1},
            "other": {"type": "expression", "along": "q", "value": f"=-q + {coupling}*p"},
        },
    )
    assert eb.floquet(model, period=period).stability == ("drifting" if coupling else "marginal")
