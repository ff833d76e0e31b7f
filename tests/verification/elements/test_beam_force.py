"""The massless beam: classic matrices, closed forms of chains of rigid pieces, large rotations, sensitivities."""

import runpy
from dataclasses import replace
from math import pi, sqrt
from pathlib import Path

import numpy as np
import pytest
from scipy.linalg import eigh

import eigenbody as eb
from eigenbody.base.errors import InputError
from eigenbody.dynamics.mechanics import Mechanics
from eigenbody.loads.elements import element_loads
from eigenbody.numerics.matrices.assembly import dense
from eigenbody.spatial.rotations import exp

EXAMPLES = Path(__file__).parents[3] / "examples"
NONE = np.zeros(0)
SECTION = {"E": 210.0, "G": 80.0, "area": 1.3, "Iy": 0.9, "Iz": 0.5, "J": 0.7}
SHEAR = {"ky": 0.8, "kz": 0.6}
CASES = {"bernoulli": {}, "timoshenko": SHEAR, "tension": {"tension": 30.0}, "all": {**SHEAR, "tension": -40.0}}
every_case = pytest.mark.parametrize("case", CASES)


def body(at, mass=1.0, inertia=(1.0, 1.2, 1.5), **more) -> dict:
    return {"mass": mass, "inertia": list(inertia), "at": list(map(float, at)), **more}


def beam(first, second, a, b, **keys) -> dict:
    points = [list(map(float, a)), list(map(float, b))]
    return {"type": "beam", "between": [first, second], "at": points, **keys}


def two_bodies(a, b, y, **keys) -> dict:
    """Two free bodies, turned and apart from the ends of the beam between them."""
    return {
        "eigenbody": 1,
        "bodies": {
            "a": body(np.add(a, [0.1, 0.2, -0.1]), rotation={"axis": [1, 2, -1], "angle": 0.7}),
            "b": body(np.add(b, [0.0, -0.2, 0.3]), mass=2, rotation={"axis": [1, -1, 1], "angle": 0.4}),
        },
        "forces": {"f": beam("a", "b", a, b, y_axis=list(map(float, y)), **SECTION, **keys)},
    }


def random_place(seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Ends, a direction for y, and the frame of the beam."""
    rng = np.random.default_rng(seed)
    a, b, y = rng.normal(size=(3, 3))
    x = (b - a) / np.linalg.norm(b - a)
    own = y - x * (x @ y)
    own /= np.linalg.norm(own)
    return a, b, y, np.stack((x, own, np.cross(x, own)), axis=-1)


def classic_stiffness(L, E, G, area, Iy, Iz, J, ky=None, kz=None, tension=0.0) -> np.ndarray:
    """12 x 12, (moves, turns) of each end: Przemieniecki 1968; the geometric part with the shear number p."""
    K = np.zeros((12, 12))
    pull = np.array([[1, -1], [-1, 1]])
    K[np.ix_([0, 6], [0, 6])] = E * area / L * pull
    K[np.ix_([3, 9], [3, 9])] = (G * J + tension * (Iy + Iz) / area) / L * pull
    for EI, k, index, sign in ((E * Iz, ky, [1, 5, 7, 11], 1), (E * Iy, kz, [2, 4, 8, 10], -1)):
        p = 0.0 if k is None else 12 * EI / (k * G * area * L**2)
        elastic = EI / (L**3 * (1 + p)) * plane(12, 6 * L, (4 + p) * L**2, (2 - p) * L**2)
        bend = 36 + 60 * p + 30 * p**2, 3 * L, (4 + 5 * p + 2.5 * p**2) * L**2, -(1 + 5 * p + 2.5 * p**2) * L**2
        S = np.diag([1, sign, 1, sign])
        K[np.ix_(index, index)] = S @ (elastic + tension / (30 * L * (1 + p) ** 2) * plane(*bend)) @ S
    return K


def plane(a, b, c, d) -> np.ndarray:
    return np.array([[a, b, -a, b], [b, c, -b, d], [-a, -b, a, -b], [b, d, -b, c]])


def at_rest(document: dict):
    point = eb.operating_point(eb.load(document))
    return point.system, point.state


def tangent(document: dict) -> np.ndarray:
    system, state = at_rest(document)
    return dense(Mechanics(system, state, np.zeros(system.nq)).stiffness(NONE, NONE), (system.nq, system.nq))


def frequencies(document: dict) -> np.ndarray:
    """Angular, of all modes, rising."""
    found = eb.modes(eb.load(document))
    assert found.certificate.tangent_error < 1e-12
    return np.sort(found.eigenvalues.imag[found.eigenvalues.imag > 0])


# The tangent ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(3))
@every_case
def test_tangent_in_the_drawing_is_the_classic_matrix(case: str, seed: int) -> None:
    """Elastic and geometric stiffness for ends in any place, on bodies whose centres are elsewhere."""
    a, b, y, R = random_place(seed)
    document = two_bodies(a, b, y, **CASES[case])
    for name, end in (("a", a), ("b", b)):  # here the centres are the ends
        document["bodies"][name] = body(end)
    found = tangent(document)
    T = np.kron(np.eye(4), R)
    expected = T @ classic_stiffness(np.linalg.norm(b - a), **SECTION, **CASES[case]) @ T.T
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-14 * np.abs(expected).max())


@every_case
def test_ends_may_be_exchanged(case: str) -> None:
    """The same beam read from the other end, z then points the other way."""
    a, b, y, _ = random_place(5)
    document = two_bodies(a, b, y, **CASES[case])
    swapped = {**document, "forces": {"f": document["forces"]["f"] | {"between": ["b", "a"]}}}
    swapped["forces"]["f"]["at"] = document["forces"]["f"]["at"][::-1]
    for one, two in zip(moved_loads(document), moved_loads(swapped), strict=True):
        np.testing.assert_allclose(two, one, rtol=0, atol=1e-13 * np.abs(one).max())


def moved_loads(document: dict):
    """Generalized force and tangent in a deformed state."""
    system, state = at_rest(document)
    rng = np.random.default_rng(7)
    state = replace(state, r=state.r + 0.2 * rng.normal(size=(2, 3)), R=state.R @ exp(0.3 * rng.normal(size=(2, 3))))
    mechanics = Mechanics(system, state, np.zeros(12))
    return mechanics.applied.generalized(), dense(mechanics.stiffness(NONE, NONE), (12, 12))


def test_length_other_than_drawn_is_a_preload() -> None:
    a, b, y, _ = random_place(2)
    drawn = np.linalg.norm(b - a)
    system, state = at_rest(two_bodies(a, b, y, length=0.99 * drawn, tension=2.0))
    (load,) = element_loads(Mechanics(system, state))
    expected = 2.0 + 210 * 1.3 * 0.01 / 0.99
    np.testing.assert_allclose(load.tension, [expected, 0, 0, 0, 0, 0], rtol=0, atol=1e-12)


# Large motion ---------------------------------------------------------------------------------------------------------


@every_case
def test_rigid_motion_of_the_pair_changes_nothing(case: str) -> None:
    """Turned by any angle and carried away the beam has the loads it had; turning on it feels no damping."""
    a, b, y, _ = random_place(3)
    system, state = at_rest(two_bodies(a, b, y, damping=0.1, **CASES[case]))
    spin, away = np.array([0.7, -1.1, 0.5]), np.array([3.0, -2.0, 5.0])
    for turn in (np.zeros(3), np.array([2.0, -1.0, 0.8])):
        R = exp(turn)
        r, axes = state.r @ R.T + away, R @ state.R
        v = np.cross(spin, r) + 2.0
        w = np.einsum("nij,i->nj", axes, spin)
        (load,) = element_loads(Mechanics(system, replace(state, r=r, R=axes, v=v, w=w)))
        expected = [CASES[case].get("tension", 0.0), 0, 0, 0, 0, 0]
        np.testing.assert_allclose(load.tension, expected, rtol=0, atol=1e-11)


def test_frequencies_do_not_depend_on_the_orientation() -> None:
    a, b, y, _ = random_place(4)
    found = []
    for turn in (np.zeros(3), np.array([1.0, 0.4, -2.0])):
        R = exp(turn)
        document = two_bodies(R @ a, R @ b, R @ y, **SHEAR)
        for name, at in (("a", R @ a), ("b", R @ b)):
            document["bodies"][name] = body(at, inertia=np.full(3, 1.3))
        found.append(frequencies(document))
    assert len(found[0]) == 6
    np.testing.assert_allclose(found[1], found[0], rtol=1e-12)


@pytest.mark.parametrize("angle", [0.1, 0.8])
def test_bent_to_an_arc(angle: float) -> None:
    """Ends on a circle of the beam's own length: Mz = E Iz angle/L exactly, no shear; N vanishes with angle^4."""
    L, radius = 2.0, 2.0 / angle
    document = {
        "eigenbody": 1,
        "bodies": {"b": body([L, 0, 0])},
        "forces": {"f": beam("ground", "b", [0, 0, 0], [L, 0, 0], y_axis=[0, 1, 0], **SECTION, **SHEAR)},
    }
    system, state = at_rest(document)
    r = radius * np.array([[np.sin(angle), 1 - np.cos(angle), 0]])
    (load,) = element_loads(Mechanics(system, replace(state, r=r, R=exp(np.array([[0, 0, angle]])))))
    N, Qy, Qz, T, My, Mz = load.tension
    assert pytest.approx(210 * 0.5 * angle / L, rel=1e-13) == Mz
    assert np.abs([Qy, Qz, T, My]).max() < 1e-13
    # chord = L (1 - x^2/6 + x^4/120), slope squared = x^2 (1 - x^2/3)(1 - x^2/6)^2, x = angle/2
    assert pytest.approx((1 / 120 - 1 / 9) * (angle / 2) ** 4, rel=angle**2) == N / (210 * 1.3)


def test_energy_is_kept_while_two_bodies_tumble() -> None:
    a, b, y = np.zeros(3), np.array([1.0, 0, 0]), [0, 1, 0]
    document = two_bodies(a, b, y, **SHEAR, tension=5.0)
    for name in "ab":
        free = {"type": "free", "between": ["ground", name], "at": document["bodies"][name]["at"]}
        sign = 1 if name == "a" else -1
        document.setdefault("joints", {})[name] = free | {"velocity": [0, sign, 0.5, 0.3, -0.8, 0.5 * sign]}
    run = eb.simulate(eb.load(document), until=1.0, tolerance=1e-10)
    assert np.ptp(run.signal("energy.kinetic")) > 0.1
    assert np.ptp(run.signal("energy")) < 1e-7


# Vibration in closed form ---------------------------------------------------------------------------------------------


def test_cantilever_with_a_body_at_its_tip() -> None:
    """Massless beam: two modes in each plane, one along and one about it."""
    L, m, (jx, jy, jz) = 1.7, 2.0, (0.3, 0.4, 0.5)
    keys = SECTION | SHEAR
    document = {
        "eigenbody": 1,
        "bodies": {"tip": body([0, 0, L], m, (jy, jz, jx))},  # beam axes x, y, z are global z, x, y
        "forces": {"f": beam("ground", "tip", [0, 0, 0], [0, 0, L], y_axis=[1, 0, 0], **keys)},
    }
    K = classic_stiffness(L, **keys)[6:, 6:]
    expected = np.sqrt(eigh(K, np.diag([m, m, m, jx, jy, jz]), eigvals_only=True))
    np.testing.assert_allclose(frequencies(document), expected, rtol=1e-12)
    assert expected[0] < sqrt(3 * 210 * 0.5 / L**3 / m)


EI, MASS, LENGTH = 2.0, 3.0, 1.5  # of the chains: N m^2, kg, m
SLENDER = {"E": 2e4, "nu": 0.0, "area": 1.0, "Iy": 1e-4, "Iz": 1e-4, "J": 2e-4}


def chain(n: int, **keys) -> dict:
    """A bar along x clamped to ground at the origin: n beams, and a rigid piece of the bar at the end of each."""
    h = LENGTH / n
    bodies, forces = {}, {}
    for i in range(1, n + 1):
        share = 0.5 if i == n else 1.0  # the last piece is half as long, its centre a quarter of h before the end
        m, long = MASS / n * share, h * share
        bodies[f"p{i}"] = body([h * i - (h / 4 if i == n else 0), 0, 0], m, m * long**2 / 12 * np.array([0.1, 1, 1]))
        first = f"p{i - 1}" if i > 1 else "ground"
        forces[f"f{i}"] = beam(first, f"p{i}", [h * (i - 1), 0, 0], [h * i, 0, 0], **SLENDER, **keys)
    return {"eigenbody": 1, "bodies": bodies, "forces": forces}


def test_chain_converges_to_the_cantilever_with_the_second_power_of_the_piece() -> None:
    exact = np.array([1.8751040687, 4.6940911330, 7.8547574382]) ** 2 * sqrt(EI * LENGTH / MASS) / LENGTH**2
    error = np.array([frequencies(chain(n))[:6:2] / exact - 1 for n in (8, 16, 32)])
    assert np.abs(error[2]).max() < 6e-3
    np.testing.assert_allclose(error[:-1] / error[1:], 4, rtol=0.12)


def buckling_load(n: int) -> float:
    """Load that takes the stiffness away from a column whose drawing already carries it; K is linear in the load."""

    def stiffness(P: float) -> np.ndarray:
        document = chain(n, tension=-P)
        push = {"type": "force", "body": f"p{n}", "at": [LENGTH, 0, 0], "value": [-P, 0, 0]}
        return tangent({**document, "forces": {**document["forces"], "push": push}})

    K, loaded = stiffness(0.0), stiffness(1.0)
    return 1 / eigh(K - loaded, K, eigvals_only=True)[-1]


def test_column_buckles_at_the_load_of_euler() -> None:
    euler = pi**2 * EI / (4 * LENGTH**2)
    one, two, four = (buckling_load(n) / euler - 1 for n in (1, 2, 4))
    assert (one + 1) * pi**2 / 4 == pytest.approx((156 - sqrt(17856)) / 9, rel=1e-10)  # one cubic element, 2.486
    assert one / two == pytest.approx(16, rel=0.1)
    assert two / four == pytest.approx(16, rel=0.05)


def test_column_at_its_buckling_load_has_no_frequency() -> None:
    P = buckling_load(6)
    for share, is_below in ((0.999, True), (1.001, False)):
        document = chain(6, tension=-share * P)
        push = {"type": "force", "body": "p6", "at": [LENGTH, 0, 0], "value": [-share * P, 0, 0]}
        document["forces"]["push"] = push
        fundamental = eb.modes(eb.load(document)).eigenvalues
        assert (np.abs(fundamental.real).max() < 1e-6) == is_below


def test_axial_force_stiffens_however_it_came_about() -> None:
    """Pulled by a load until it is in equilibrium, or drawn with the tension: the same but for the strain."""
    pull = {"type": "force", "body": "p6", "at": [LENGTH, 0, 0], "value": [20, 0, 0]}
    drawn, pulled = chain(6, tension=20.0), chain(6)
    for document in (drawn, pulled):
        document["forces"]["pull"] = pull
    slack = frequencies(chain(6))[:6]
    tight = frequencies(drawn)[:6]
    found = frequencies({**pulled, "operating_point": "equilibrium"})[:6]
    assert (tight / slack)[0] > 2
    np.testing.assert_allclose(found, tight, rtol=3 * 20 / 2e4)


def pinned_chain(n: int, tension: float, inertia: float) -> dict:
    """Held by balls at both ends, and about its axis; all mass in the nodes."""
    document = chain(n, tension=tension)
    document["bodies"] = {
        f"p{i}": body([LENGTH * i / n, 0, 0], MASS / n, np.full(3, inertia / n)) for i in range(n + 1)
    }
    document["forces"]["f1"]["between"] = ["p0", "p1"]
    left, right = [0, 0, 0], [LENGTH, 0, 0]
    about = {"type": "perpendicular", "at": left, "axis": [0, 1, 0], "axis2": [0, 0, 1]}
    document["joints"] = {
        "left": {"type": "spherical", "between": ["ground", "p0"], "at": left},
        "right": {"type": "spherical", "between": ["ground", f"p{n}"], "at": right},
        "about": {"between": ["ground", "p0"], **about},
    }
    for end in ("p0", f"p{n}"):  # half a piece
        document["bodies"][end]["inertia"] = [inertia / n / 2] * 3
    return document


def test_pinned_bar_under_tension() -> None:
    """w^2 = (EI q^4 + T q^2)/(mu + j q^2), q = k pi/L, with the inertia j of the section per length; T L^2/EI = 100.

    Between pins, what is gathered in the nodes errs with the fourth power of their spacing.
    """
    T, j, q = 100 * EI / LENGTH**2, 1e-3, np.arange(1, 4) * pi / LENGTH
    exact = np.sqrt((EI * q**4 + T * q**2) / (MASS + j * q**2) * LENGTH)
    errors = []
    for n in (12, 24):
        found = frequencies(pinned_chain(n, T, j))
        errors.append([found[np.argsort(np.abs(found - w))[:2]] / w - 1 for w in exact])
    coarse, fine = np.array(errors)
    assert np.abs(fine).max() < 6e-5
    np.testing.assert_allclose(coarse / fine, 16, rtol=0.15)


def test_damping_in_proportion_to_the_stiffness() -> None:
    document = chain(3, damping=1e-3)
    found = eb.modes(eb.load(document))
    np.testing.assert_allclose(found.damping_ratio, np.abs(found.eigenvalues) * 1e-3 / 2, rtol=1e-9)


# Rotors ---------------------------------------------------------------------------------------------------------------


def jeffcott(speed: float, **keys) -> dict:
    """A disc between two beams whose other ends turn in the ground; x is the axis."""
    free = {"type": "free", "between": ["ground", "disc"], "at": [0, 0, 0], "axis": [0, 0, 1]}
    hub = lambda side: {"type": "revolute", "between": ["ground", side], "axis": [1, 0, 0], "velocity": speed}  # noqa: E731
    return {
        "eigenbody": 1,
        "bodies": {
            "left": body([-LENGTH, 0, 0]),
            "disc": body([0, 0, 0], MASS, (0.3, 0.16, 0.16)),
            "right": body([LENGTH, 0, 0]),
        },
        "joints": {
            "disc": {**free, "velocity": [0, 0, 0, speed, 0, 0]},
            "left": {**hub("left"), "at": [-LENGTH, 0, 0]},
            "right": {**hub("right"), "at": [LENGTH, 0, 0]},
        },
        "forces": {
            "f1": beam("left", "disc", [-LENGTH, 0, 0], [0, 0, 0], **SLENDER, **keys),
            "f2": beam("disc", "right", [0, 0, 0], [LENGTH, 0, 0], **SLENDER, **keys),
        },
    }


def test_whirl_of_a_disc_on_a_turning_shaft() -> None:
    """In the fixed frame: sideways sqrt(k/m) at any speed; tilting Id w^2 -+ Ip speed w - k = 0."""
    speed, k, turn = 7.0, 2 * 12 * EI / LENGTH**3, 2 * 4 * EI / LENGTH
    sideways = sqrt(k / MASS)
    tilt = [(sqrt((0.3 * speed) ** 2 + 4 * 0.16 * turn) + sign * 0.3 * speed) / (2 * 0.16) for sign in (-1, 1)]
    found = frequencies(jeffcott(speed))
    for w, times in ((sideways, 2), (tilt[0], 1), (tilt[1], 1)):
        assert (np.abs(found / w - 1) < 1e-9).sum() == times
    assert eb.modes(eb.load(jeffcott(speed))).eigenvalues.real.max() < 1e-9


@pytest.mark.parametrize("share", [0.5, 2.0])
def test_damping_that_turns_with_the_shaft_drives_the_forward_whirl_above_its_speed(share: float) -> None:
    """m z" + c (z' - i speed z) + k z = 0 with z = y + i x: grows where the shaft turns faster than it whirls."""
    k, beta = 2 * 12 * EI / LENGTH**3, 1e-3
    speed = share * sqrt(k / MASS)
    roots = np.roots([MASS, beta * k, k - 1j * beta * k * speed])
    found = eb.modes(eb.load(jeffcott(speed, damping=beta))).eigenvalues
    found = np.concatenate((found, found.conj()))
    np.testing.assert_allclose(np.abs(found[:, None] - roots).min(axis=0), 0, atol=1e-9)
    assert (roots.real.max() > 0) == (share > 1)


def test_rotor_with_two_discs() -> None:
    """Friswell, Penny, Garvey & Lees 2010, example 5.9.1, at 4000 rpm: rad/s."""
    found = runpy.run_path(str(EXAMPLES / "two_disc_rotor.py"))["whirl_speeds"]("4000 rpm")
    book = [85.389467, 87.7958637, 251.7846041, 294.7133309, 600.179362]
    np.testing.assert_allclose(found[:5], book, rtol=5e-4)


# Numbers of the beam --------------------------------------------------------------------------------------------------

DESIGN = ("forces.f2.E", "forces.f2.Iy", "forces.f2.Iz", "forces.f2.G", "forces.f2.ky", "forces.f2.tension",
          "forces.f2.length", "forces.f2.damping")  # fmt: skip


def design() -> eb.Model:
    document = chain(3, y_axis=[0, 1, 0.2], **SHEAR)
    document["forces"]["f2"] |= {"G": 1.1e4, "Iy": 1.3e-4, "tension": 3.0, "damping": 1e-3, "length": 0.499}
    del document["forces"]["f2"]["nu"]
    return eb.load(document)


@pytest.mark.parametrize("name", DESIGN)
def test_sensitivity_is_the_slope_of_the_eigenvalues(name: str) -> None:
    model = design()
    found = eb.sensitivity(model, [name])
    assert found.is_exact
    chosen = found.modes.eigenvalues.imag > 0
    now, value = found.modes.eigenvalues[chosen], found.values[0]

    def at(share: float) -> np.ndarray:
        moved = eb.modes(model.with_values({name: value * (1 + share)})).eigenvalues
        return moved[np.abs(moved[:, None] - now).argmin(axis=0)]

    h = 1e-6 if name.endswith("length") else 1e-3
    slope = [(at(step) - at(-step)) / (2 * step * value) for step in (h, 2 * h)]
    expected = (4 * slope[0] - slope[1]) / 3
    np.testing.assert_allclose(found.eigenvalues[0, chosen], expected, rtol=0, atol=2e-6 * np.abs(expected).max())


def test_sweep_gives_the_numbers_of_single_models() -> None:
    """Many variants at once, among them of the places of the ends and of the length."""
    document = chain(2, y_axis=[0, "=tilt", 1], **SHEAR)
    document["parameters"] = {"tilt": 0.3, "stiff": 2e4, "reach": LENGTH}
    document["forces"]["f2"] |= {"E": "=stiff", "Iy": 2e-4, "at": [[0.75, 0, 0], ["=reach", 0.1, 0]]}
    model = eb.load(document)
    for name, values in (("tilt", [0.1, 0.7]), ("stiff", [1e4, 3e4]), ("reach", [1.4, 1.6])):
        swept = eb.sweep(model, name, values, refine=0)
        for value, eigenvalues in zip(values, swept.eigenvalues, strict=False):
            single = eb.modes(model.with_parameters({name: value})).eigenvalues
            np.testing.assert_allclose(np.sort(eigenvalues.imag), np.sort(single.imag), rtol=0, atol=1e-9)


# Faults ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ({"at": [[0, 0, 0], [0, 0, 0]]}, "coincide"),
        ({"y_axis": [2, 0, 0]}, "parallel"),
        ({"Iy": 1e-3}, "y_axis"),
        ({"ky": 0.8}, "y_axis"),
        ({"nu": 0.7}, "Poisson"),
        ({"G": 1e4}, "nu"),
        ({"E": -1}, "above zero"),
        ({"area": 0}, "above zero"),
        ({"J": -1}, "negative"),
        ({"at": None}, "end points"),
        ({"width": 1}, "width"),
    ],
)
def test_wrong_beams_are_named(keys: dict, said: str) -> None:
    document = chain(1)
    document["forces"]["f1"] |= keys
    if keys.get("at", 0) is None:
        del document["forces"]["f1"]["at"]
    with pytest.raises(InputError) as caught:
        eb.modes(eb.load(document))
    assert said in str(caught.value)
    assert "forces.f1" in str(caught.value)


def test_output_of_a_section_force() -> None:
    """Shear at midspan of a cantilever with a load at its tip, at rest."""
    document = chain(1)
    document["forces"]["load"] = {"type": "force", "body": "p1", "at": [LENGTH, 0, 0], "value": [0, 1e-3, 0]}
    document["outputs"] = {"Qy": {"force": "f1", "component": "fy"}, "Mz": {"force": "f1", "component": "mz"}}
    document["operating_point"] = "equilibrium"
    document["forces"]["f1"]["y_axis"] = [0, 1, 0]
    point = eb.operating_point(eb.load(document))
    load = next(load for load in element_loads(point.mechanics) if load.name == "f1")
    np.testing.assert_allclose(load.tension[1], 1e-3, rtol=1e-6)
    np.testing.assert_allclose(load.tension[5], 1e-3 * LENGTH / 2, rtol=1e-6)
    assert eb.linearize(eb.load(document)).outputs == ("Qy", "Mz")
