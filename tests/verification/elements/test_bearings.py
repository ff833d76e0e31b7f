"""Bearings whose coefficients depend on the speed: their tangents, their tables, oil whip, and what is refused."""

import json
from typing import Any

import numpy as np
import pytest
from scipy.interpolate import CubicSpline, PchipInterpolator
from scipy.optimize import brentq

import eigenbody as eb
from eigenbody.model.curves import curve, slopes
from eigenbody.model.expressions import Expression, OutsideTable
from rotor_elements import Shaft, both_planes, eigenvalues
from short_bearing import ShortBearing, critical_mass

SPEEDS = np.linspace(50, 500, 7)
FILM = ShortBearing(0.05, 0.025, 50e-6, 0.02, 360.0)


def rotor(mass: float = 10.0, across: float = 0.1, **bearing: Any) -> eb.Model:
    """A rigid rotor in two equal bearings 0.4 m apart."""
    model = eb.Model(parameters={"speed": 200.0}).body("rotor", mass=mass, inertia=[across, across, 0.1], at=[0, 0, 0])
    model = model.joint("spin", "free", between=["ground", "rotor"], at=[0, 0, 0], velocity=[0, 0, 0, 0, 0, "=speed"])
    for name, z in (("a", -0.2), ("b", 0.2)):
        model = model.force(name, "bearing", between=["ground", "rotor"], at=[0, 0, z], **bearing)
    return model


def whirl(model: eb.Model) -> np.ndarray:
    """All eigenvalues but the two zeros of the spin."""
    return eb.modes(model).eigenvalues[2:]


# Curves ---------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("count", [2, 3, 4, 9])
@pytest.mark.parametrize("how", ["spline", "monotone"])
def test_curves_are_those_of_scipy(count, how):
    """Values and three derivatives, at points and between them; values by a complex step too."""
    rng = np.random.default_rng(count)
    x, y = np.cumsum(rng.uniform(0.2, 2, count)), rng.normal(size=count)
    wanted = CubicSpline(x, y) if how == "spline" else PchipInterpolator(x, y)
    found = curve(x, y, Expression.symbol("w"), how)
    at = np.concatenate((x, rng.uniform(x[0], x[-1], 20)))
    np.testing.assert_allclose(found.evaluate({"w": at}), wanted(at), rtol=1e-12, atol=1e-12)
    slope = found.derivative("w")
    np.testing.assert_allclose(slope.evaluate({"w": at}), wanted(at, 1), rtol=1e-11, atol=1e-11)
    inside = at[count:]
    bend = slope.derivative("w")
    np.testing.assert_allclose(bend.evaluate({"w": inside}), wanted(inside, 2), rtol=1e-10, atol=1e-10)
    third = bend.derivative("w")
    np.testing.assert_allclose(third.evaluate({"w": inside}), wanted(inside, 3), rtol=1e-9, atol=1e-9)
    assert third.derivative("w").evaluate({}) == 0
    step = np.imag(found.evaluate({"w": at + 1e-30j})) / 1e-30
    np.testing.assert_allclose(step, slope.evaluate({"w": at}), rtol=1e-14, atol=1e-14)


def test_slopes_take_complex_points_as_analytic_functions_do():
    rng = np.random.default_rng(1)
    x, y, d = np.arange(6.0), rng.normal(size=6), rng.normal(size=6)
    for how in ("spline", "monotone"):
        step = np.imag(slopes(x + 0j, y + 1e-30j * d, how)) / 1e-30
        h = 1e-6
        ahead, behind = (slopes(x, y + side * h * d, how) for side in (1, -1))
        np.testing.assert_allclose(step, (ahead - behind) / (2 * h), rtol=1e-6, atol=1e-8)


def test_a_curve_has_no_value_beyond_its_points():
    found = curve(np.array([0.0, 1, 2]), np.array([1.0, 2, 5]), Expression.symbol("w"))
    assert found.evaluate({"w": 2 + 1e-10}) == pytest.approx(5)  # rounding of units
    with pytest.raises(OutsideTable, match=r"2\.1 lies outside of its table, which goes from 0 to 2"):
        found.evaluate({"w": 2.1})
    with pytest.raises(OutsideTable, match="-1 lies outside"):
        found.evaluate({"w": np.array([0.5, -1.0])})


# The element ----------------------------------------------------------------------------------------------------------
def test_at_a_steady_speed_it_is_the_bearing_with_the_coefficients_of_that_speed():
    """Lists by name, whatever they are said to be over, and one speed after the other."""
    rng = np.random.default_rng(5)
    names = ("kxx", "kxy", "kyx", "kyy", "cxx", "cxy", "cyx", "cyy")
    lists = {name: (1e6 if name[0] == "k" else 1e3) * rng.uniform(0.5, 1.5, 7) for name in names}
    splines = {name: CubicSpline(SPEEDS, values) for name, values in lists.items()}
    tables = {name: values.tolist() for name, values in lists.items()}
    for of in (None, "=speed", "=spin.rz'"):
        keys = {} if of is None else {"of": of}
        model = rotor(speed=SPEEDS.tolist(), kzz=1e6, **tables, **keys)
        for speed in (50.0, 123.4, SPEEDS[3]):
            plain = rotor(kzz=1e6, **{name: float(spline(speed)) for name, spline in splines.items()})
            wanted = whirl(plain.with_parameters(speed=speed))
            np.testing.assert_allclose(whirl(model.with_parameters(speed=speed)), wanted, rtol=1e-10)


def test_speed_changes_the_force_of_a_deflected_bearing():
    """d(force)/d(speed) = k'(W) x + c'(W) x': in the damping matrix, in the column of the spin."""
    k, c = "=1e6 + 2*own.speed**2", "=100 + 0.1*own.speed"
    model = rotor(kxx=k, cxx=c, kyy=1e6, kzz=1e6).set(
        operating_point={"positions": {"spin.x": 3e-4}, "velocities": {"spin.rz": 210.0, "spin.x": 0.2}}
    )
    linear = eb.linearize(model)
    x, spin = (linear.coordinates.index(name) for name in ("spin.x", "spin.rz"))
    assert linear.C[x, spin] == pytest.approx(2 * (4 * 210 * 3e-4 + 0.1 * 0.2), rel=1e-12)
    assert eb.verify(model, ["difference"]).document()["verdict"] == "agree"


@pytest.mark.parametrize("kind", ["bearing", "bushing"])
def test_full_matrices_of_expressions_and_tables_agree_with_another_formulation(kind):
    """Deflected, tilted, moving, loaded; relative coordinates know names alone, not the bearing's own speed."""
    rng = np.random.default_rng(2)
    k, c = (size * rng.normal(size=(6, 6)) for size in (1e5, 1e2))
    k += 1e6 * np.eye(6)
    rows: list[list[Any]] = k.tolist()
    rows[0][1] = "=1e5*(1 + 0.001*spin.rz')"
    rows[3][2] = {"table": [[w, 1e4 * np.sin(w / 100)] for w in SPEEDS.tolist()], "of": "=spin.rz'"}
    rows[4][4] = "=1e6 + 1e9*spin.x"
    damping: list[list[Any]] = c.tolist()
    damping[1][3] = "=10*cos(spin.rx)"
    model = rotor().set(forces={}).force(
        "a", kind, between=["ground", "rotor"], at=[0.02, 0, -0.2], axis=[0.1, 0, 1], k=rows, c=damping,
        load=[10, 20, 30],
    )  # fmt: skip
    model = model.set(
        operating_point={
            "positions": {"spin.x": 1e-3, "spin.y": -2e-3, "spin.rx": 0.02, "spin.ry": 0.03, "spin.rz": 0.1},
            "velocities": {"spin.rz": 210.0, "spin.x": 0.1, "spin.ry": 0.5},
        }
    )
    found = eb.verify(model, ["relative", "difference"]).document()
    assert found["verdict"] == "agree"
    assert [route["agrees"] for route in found["routes"] if route["name"] in ("relative", "difference")] == [True, True]


def test_load_is_carried_without_deflection():
    """Coefficients about the loaded place: the rotor stays where it is drawn, whatever the speed does to them."""
    model = rotor(kxx=1e6, kyy="=1e6 + 1e3*own.speed", kzz=1e6, cyy=100, load=[0, 49.05, 0]).set(
        gravity=[0, -9.81, 0], operating_point="steady"
    )
    point = eb.operating_point(model)
    assert point.coordinates()["spin.y"] == pytest.approx(0, abs=1e-12)
    without = model.set(forces={n: {**model.document["forces"][n], "load": [0, 0, 0]} for n in "ab"})
    hanging = eb.operating_point(without)
    assert hanging.coordinates()["spin.y"] == pytest.approx(-49.05 / 1.2e6, rel=1e-9)


def test_file_of_coefficients_is_the_lists(tmp_path):
    lists = {"kxx": 1e6 + 10 * SPEEDS**2, "kxy": 1e3 * SPEEDS, "cyy": 100 + SPEEDS}
    rows = np.column_stack([SPEEDS * 30 / np.pi, lists["kxx"] / 1e6, lists["kxy"], lists["cyy"] / 1e3])
    text = "# film\nspeed [rpm], kxx [MN/m], kxy, cyy [kN*s/m]\n"
    (tmp_path / "film.csv").write_text(text + "\n".join(",".join(map(repr, row)) for row in rows.tolist()))
    (tmp_path / "rotor.json").write_text(json.dumps(rotor(table="film.csv", kyy=2e6, kzz=1e6).document))
    by_list = rotor(
        speed=SPEEDS.tolist(), kyy=2e6, kzz=1e6, **{name: values.tolist() for name, values in lists.items()}
    )
    found, wanted = whirl(eb.load(tmp_path / "rotor.json")), whirl(by_list)
    np.testing.assert_allclose(found, wanted, rtol=1e-12)


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ({}, 'the required key "k" is missing'),
        ({"kxx": 1e6, "k": [1, 1, 1, 0, 0, 0]}, '"k" and coefficients by their names'),
        ({"kxx": [1, 2, 3]}, "the speeds of the lists of coefficients are missing"),
        ({"kxx": [1, 2, 3], "speed": [1, 2]}, "3 values are given for 2 speeds"),
        ({"kxx": [1, 2], "speed": [2, 1]}, "the speeds must increase; number 2 does not"),
        ({"kxx": [1], "speed": [2]}, "at least two speeds"),
        ({"kxx": 1, "speed": [1, 2]}, "no coefficient is given as a list over the speed"),
        ({"kxx": [1, 2], "speed": [1, 2], "of": "=speed"}, "200 lies outside of its table, which goes from 1 to 2"),
        ({"kxx": "=spim.rz'"}, "spim.rz"),
        ({"kxx": [1, 2], "speed": [1, 2], "interpolation": "linear"}, "linear"),
        ({"k": [{"table": [[1, 2]]}, 0, 0, 0, 0, 0]}, "a table needs at least two points"),
        ({"table": "no.csv"}, "no.csv cannot be read"),
        ({"kxx": 1, "load": 3}, "a list of 3 numbers is expected"),
    ],
)
def test_what_is_wrong_with_coefficients_is_said_by_name(keys, words):
    with pytest.raises(eb.InputError, match=words.replace("(", r"\(")) as caught:
        rotor(**keys).description  # noqa: B018
    assert "forces.a" in str(caught.value)


def test_beyond_the_table_is_refused_and_named():
    model = rotor(speed=SPEEDS.tolist(), kxx=[1e6] * 7, kyy=1e6, kzz=1e6)
    with pytest.raises(eb.InputError, match=r"forces\.a: 600 lies outside of its table, which goes from 50 to 500"):
        eb.modes(model.with_parameters(speed=600.0))
    found = eb.variants(model, {"speed": [100.0, 600.0, 300.0]})
    assert list(found.failures) == [1]


def test_sensitivities_are_those_of_differences():
    """By the speed and by a number in the table."""
    lists = {"kxx": [f"=k0*{1 + i**2 / 10}" for i in range(7)], "kxy": (2e3 * SPEEDS).tolist(),
             "kyx": (-1e3 * SPEEDS).tolist()}  # fmt: skip
    model = rotor(speed=SPEEDS.tolist(), kyy=2e6, cxx=100, cyy=100, kzz=1e6, **lists).set(
        parameters={"speed": 222.0, "k0": 1e6}
    )
    found = eb.sensitivity(model, ["speed", "k0"]).eigenvalues
    for i, (name, step) in enumerate((("speed", 1e-2), ("k0", 10.0))):
        at = model.parameters[name]
        ends = [whirl(model.with_parameters({name: at + side * step})) for side in (1, -1)]
        wanted = (ends[0] - ends[1]) / (2 * step)
        np.testing.assert_allclose(found[i][2:], wanted, rtol=1e-6, atol=1e-8 * np.abs(wanted).max())


# Oil whip -------------------------------------------------------------------------------------------------------------
def film(speeds: np.ndarray) -> dict[str, list[float]]:
    """Lists of the coefficients of the oil film."""
    both = [FILM.coefficients(speed) for speed in speeds]
    return {"speed": speeds.tolist()} | {
        f"{matrix}{'xy'[i]}{'xy'[j]}": [pair[m][i, j] for pair in both]
        for m, matrix in enumerate("kc") for i in range(2) for j in range(2)
    }  # fmt: skip


def ocvirk(speed: float) -> tuple[np.ndarray, np.ndarray]:
    """Coefficients in closed form (Friswell, Penny, Garvey & Lees 2010, 5.5.1)."""
    size = np.pi * FILM.diameter * speed * FILM.viscosity * FILM.length**3 / (8 * FILM.clearance**2 * FILM.load)
    e = brentq(lambda e: size * e * np.sqrt((16 / np.pi**2 - 1) * e**2 + 1) / (1 - e**2) ** 2 - 1, 1e-9, 1 - 1e-9)
    p, q, root = np.pi**2, 1 - e**2, np.sqrt(1 - e**2)
    h = (p * q + 16 * e**2) ** -1.5
    mixed = np.pi * (p * q * (1 + 2 * e**2) + 32 * e**2 * (1 + e**2)) / (e * root)
    k = [[4 * (p * (2 - e**2) + 16 * e**2), np.pi * (p * q**2 - 16 * e**4) / (e * root)],
         [-mixed, 4 * (p * (1 + 2 * e**2) + 32 * e**2 * (1 + e**2) / q)]]  # fmt: skip
    b = p * (1 + 2 * e**2) - 16 * e**2
    c = [[2 * np.pi * root * b / e, -8 * b], [-8 * b, 2 * np.pi * (p * q**2 + 48 * e**2) / (e * root)]]
    return FILM.load / FILM.clearance * h * np.array(k), FILM.load / FILM.clearance / speed * h * np.array(c)


def test_coefficients_of_the_short_bearing_by_quadrature_are_the_closed_form():
    for speed in (50.0, 300.0, 900.0):
        for found, wanted in zip(FILM.coefficients(speed), ocvirk(speed), strict=True):
            np.testing.assert_allclose(found, wanted, rtol=1e-10)


def test_oil_whirl_of_a_rigid_rotor_begins_at_routh_s_threshold():
    """Mass 2 x 36.7 kg: where the critical mass of a film that carries it equals it."""
    mass = FILM.load / 9.81
    wanted = brentq(lambda speed: critical_mass(*ocvirk(speed))[0] - mass, 500, 2000, xtol=1e-9)
    assert critical_mass(*ocvirk(wanted))[1] / wanted == pytest.approx(0.5, abs=0.02)  # half-frequency whirl
    model = rotor(2 * mass, 0.2 * mass * 0.04, kzz=1e6, czz=100, **film(np.linspace(700, 1300, 13)))
    found = eb.campbell(model, "speed", np.linspace(800, 1250, 10)).boundaries
    assert found[0].values["speed"] == pytest.approx(wanted, rel=1e-6)
    assert found[0].kind == "flutter"


def test_oil_whip_of_a_flexible_rotor_begins_at_lund_s_threshold():
    """Jeffcott rotor: 1/(m w^2) = 1/keq + 1/ks, w the whirl of the film; the shaft light, then extrapolated to none."""
    E, nu, d, length = 210e9, 0.3, 0.04, 1.0
    area, inertia = np.pi * d**2 / 4, np.pi * d**4 / 64
    shear = 6 * (1 + nu) / (7 + 6 * nu) * E / (2 * (1 + nu)) * area
    half_stiffness = 0.5 / (length**3 / (48 * E * inertia) + length / (4 * shear))
    mass = FILM.load / 9.81

    def surplus(speed: float) -> float:
        own, w = critical_mass(*ocvirk(speed))
        keq = own * w**2
        return keq * half_stiffness / (keq + half_stiffness) - mass * w**2

    wanted = brentq(surplus, 100, 1000, xtol=1e-9)
    bearing = {"type": "bearing", **film(np.linspace(0.94, 1.06, 13) * wanted)}
    model = eb.Model(
        parameters={"speed": wanted, "density": 500.0},
        flexible={"shaft": {"type": "beam", "points": [[0, 0, 0], [0, 0, length / 2], [0, 0, length]], "modes": 6,
                            "names": ["left", "middle", "right"], "E": E, "nu": nu, "density": "=density",
                            "diameter": d}},
        bodies={"disc": {"on": "shaft.middle", "disc": {"mass": 2 * mass, "Id": 0.1, "Ip": 0.2}}},
        joints={"spin": {"type": "free", "between": ["ground", "shaft.left"], "at": [0, 0, 0],
                         "velocity": [0, 0, 0, 0, 0, "=speed"]}},
        forces={"left": {**bearing, "between": ["ground", "shaft.left"], "at": [0, 0, 0], "kzz": 1e8},
                "right": {**bearing, "between": ["ground", "shaft.right"], "at": [0, 0, length]}},
    )  # fmt: skip

    def growth(speed: float, density: float) -> float:
        found = eb.modes(model.with_parameters(speed=speed, density=density)).eigenvalues
        near = found[(found.imag > 0.3 * wanted) & (found.imag < 0.8 * wanted)]
        return float(near[np.argmax(near.real)].real)

    def threshold(density: float) -> float:
        """Root of the cubic through four growths that rounding leaves their sign."""
        at = np.array([-0.03, -0.02, 0.02, 0.03])
        roots = np.roots(np.polyfit(at, [growth((1 + shift) * wanted, density) for shift in at], 3))
        return wanted * (1 + float(roots[np.argmin(np.abs(roots))].real))

    one, two, three = map(threshold, (500.0, 1000.0, 1500.0))
    assert one == pytest.approx(wanted, rel=1e-2)
    assert 3 * one - 3 * two + three == pytest.approx(wanted, rel=1e-6)  # without the mass of the shaft


def test_campbell_over_a_table_is_that_of_rotor_finite_elements():
    """The gallery's rotor on oil films: eigenvalues and the speed at which whip begins."""
    model = eb.load("examples/oil_whip.yaml")
    elements = Shaft(1.0, 0.05, 16, 210e9, 0.3, 7850)
    disc = model.description.bodies
    inertial = float(disc.mass[0]), float(disc.inertia[0, 0, 0]), float(disc.inertia[0, 2, 2])

    def by_elements(speed: float) -> np.ndarray:
        pair = FILM.coefficients(speed)
        return eigenvalues(both_planes(elements, {0: pair, 16: pair}, {8: inertial}), speed)

    for rpm in (1000.0, 3000.0, 6000.0):
        speed = rpm * np.pi / 30
        found = eb.modes(model.with_parameters(speed=speed)).eigenvalues
        for wanted in by_elements(speed)[:4]:
            assert np.abs(found - wanted).min() < 2e-5 * abs(wanted)

    def growth(speed: float) -> float:
        return float(max(value.real for value in by_elements(speed)[:6]))

    wanted = brentq(growth, 300, 500)
    found = eb.campbell(model, "speed", np.array([3000.0, 3600, 4200]) * np.pi / 30, n=8)
    assert [place.values["speed"] for place in found.boundaries] == pytest.approx([wanted], rel=1e-5)


# Smooth tables elsewhere ----------------------------------------------------------------------------------------------
def test_a_smooth_table_prescribes_a_motion_and_is_a_characteristic():
    """A cubic of time is its own spline: value, rate and acceleration; a spring by points has the spline's slope."""
    t = np.linspace(-1, 2, 5)
    table = {"table": np.column_stack([t, 1 + 2 * t + 3 * t**2 + 4 * t**3]).tolist(), "interpolation": "spline"}
    points = np.array([[-0.2, -5.0], [0, 0], [0.1, 4], [0.3, 20]])
    model = eb.Model().body("slider", mass=1, at=[0, 0, 0]).body("load", mass=2, at=[0, 0, 0])
    model = model.joint("drive", "prismatic", between=["ground", "slider"], at=[0, 0, 0], axis=[1, 0, 0], motion=table)
    model = model.joint("rail", "prismatic", between=["slider", "load"], at=[0, 0, 0], axis=[1, 0, 0], position=0.05)
    model = model.force(
        "spring", "spring", along="rail", force={"table": points.tolist(), "interpolation": "monotone"}
    )  # fmt: skip
    model = model.set(outputs={f"x{k}": {"measure": "drive", "order": k} for k in range(3)})
    linear = eb.linearize(model)
    assert linear.K[0, 0] == pytest.approx(float(PchipInterpolator(*points.T)(0.05, 1)), rel=1e-12)
    point = eb.operating_point(model)
    assert [point.coordinates()["drive"], point.outputs()["x1"], point.outputs()["x2"]] == pytest.approx([1, 2, 6])


def test_an_expression_without_a_value_is_told_as_such():
    """A root of the speed, below the speed where it begins: there is no table to speak of."""
    model = rotor(10.0, 0.1, kxx="=1e6*sqrt(own.speed - 200)", kyy=1e6).with_parameters(speed=100.0)
    with pytest.raises(eb.InputError, match=r"sqrt.*has no value"):
        eb.modes(model)
