"""Published examples, from the files in `examples/` where one exists. The source of every number stands beside it.

Digits are compared as printed: half a unit of the last digit. Where the equations of the source are short enough they
stand here too and give the number to full precision.
"""

import importlib.util
import math
from decimal import Decimal
from pathlib import Path

import numpy as np
import pytest

import eigenbody as eb
from seed_models import four_bar_with_long_rocker, on_a_bearing, on_a_carrier

EXAMPLES = Path(__file__).parents[3] / "examples"


def example(name: str, **parameters: object) -> eb.Model:
    return eb.load(EXAMPLES / f"{name}.yaml").with_parameters(**parameters)


def family(name: str) -> dict:
    spec = importlib.util.spec_from_file_location("families", EXAMPLES / "families.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.family(name)


def assert_digits(found: np.ndarray, printed: str) -> None:
    """Each number agrees with the printed one to half a unit of its last digit."""
    texts = printed.split()
    assert len(found) == len(texts), f"{len(found)} numbers, {len(texts)} printed: {found}"
    for value, text in zip(found, texts, strict=True):
        unit = 10.0 ** Decimal(text).as_tuple().exponent
        assert abs(value - float(text)) <= 0.5001 * unit, f"{value!r} is not {text}"


def assert_close(found: np.ndarray, expected: np.ndarray, tolerance: float = 1e-10) -> None:
    """Same numbers in some order: every expected one has its own neighbour, relative to the largest."""
    found, rest = np.asarray(found), list(np.asarray(found))
    expected = np.asarray(expected)
    assert len(found) == len(expected)
    for value in expected:
        nearest = min(range(len(rest)), key=lambda i: abs(rest[i] - value))
        assert abs(rest.pop(nearest) - value) <= tolerance * max(abs(value), 1e-3 * np.abs(expected).max())


# Trom 1990 ------------------------------------------------------------------------------------------------------------


def test_slider_pendulum_matrices() -> None:
    """Section 3.2.4: M = [[30, 20], [20, 35]], K = diag(20, 196.2), C = diag(c, 0)."""
    linear = eb.linearize(example("slider_pendulum", c=20))
    assert linear.coordinates == ("rail", "hinge")
    np.testing.assert_allclose(linear.M, [[30, 20], [20, 35]], rtol=0, atol=30e-10)
    np.testing.assert_allclose(linear.K, [[20, 0], [0, 196.2]], rtol=0, atol=196e-10)
    np.testing.assert_allclose(linear.C, [[20, 0], [0, 0]], rtol=0, atol=20e-10)


def test_slider_pendulum_undamped() -> None:
    """Table 3.5: omega^2 = 0.63569205 and 9.49661564, here to all digits of the 2x2 problem."""
    modes = eb.modes(example("slider_pendulum"))
    assert_close(modes.eigenvalues, [0.797302985861869j, 3.08165793705976j])
    assert_digits(np.sort(np.abs(modes.eigenvalues) ** 2), "0.63569205 9.49661564")
    assert modes.stability == "marginal"


def test_slider_pendulum_damped() -> None:
    """Table 3.7 with c = 20; the real parts are printed without their minus sign."""
    modes = eb.modes(example("slider_pendulum", c=20))
    expected = [-0.312177227401119 + 0.747815417342014j, -0.226284311060419 + 3.02355045399089j]
    assert_close(modes.eigenvalues, expected)
    assert modes.stability == "stable"


def test_spatial_four_bar() -> None:
    """Section 4.4, Eq. 4.18: omega^2 = 65.4 / 8.33333 = 7.848."""
    modes = eb.modes(example("four_bar"))
    assert modes.dof == 1
    assert modes.certificate.redundant == ()
    assert_close(np.abs(modes.eigenvalues) ** 2, [7.848])


def test_planar_four_bar_with_redundant_rows() -> None:
    """The same motion with four revolutes: three rows too many, named, and no effect on the result."""
    modes = eb.modes(example("planar_four_bar_redundant"))
    assert modes.dof == 1
    assert_close(np.abs(modes.eigenvalues) ** 2, [7.848])
    rows = modes.certificate.redundant
    assert len(rows) == 3
    assert all(row["joint"] in "abcd" and row["row"] for row in rows)
    assert len({(row["joint"], row["row"]) for row in rows}) == 3


def test_four_bar_with_unequal_cranks() -> None:
    """147.15 / 21.25. Eq. 4.13 drops d(G^T lambda)/dq and gives 171.675 / 21.25 = 8.0788."""
    modes = eb.modes(eb.load(four_bar_with_long_rocker()))
    assert_close(np.abs(modes.eigenvalues) ** 2, [147.15 / 21.25])
    assert_digits(np.abs(modes.eigenvalues) ** 2, "6.9247058823529")


def test_mass_on_two_sliders_with_a_distance_constraint() -> None:
    """g / L: all stiffness comes from the loaded rod (Table 2.5). Eq. 4.13 gives 0."""
    model = {
        "eigenbody": 1,
        "gravity": [0, 0, -9.81],
        "bodies": {"cross": {"mass": 0, "at": [0, 0, -1]}, "bob": {"mass": 3, "at": [0, 0, -1]}},
        "joints": {
            "across": {"type": "prismatic", "between": ["ground", "cross"], "at": [0, 0, -1], "axis": [1, 0, 0]},
            "down": {"type": "prismatic", "between": ["cross", "bob"], "at": [0, 0, -1], "axis": [0, 0, 1]},
            "rod": {"type": "distance", "between": ["ground", "bob"], "at": [[0, 0, 0], [0, 0, -1]]},
        },
    }
    modes = eb.modes(eb.load(model))
    assert modes.dof == 1
    assert_close(np.abs(modes.eigenvalues) ** 2, [9.81])


def test_rotating_pendulum() -> None:
    """Table 5.1: rate sqrt(g / (l cos 30 deg)), omega = rate sqrt(1 + 3 cos^2 30 deg), and a free azimuth."""
    modes = eb.modes(example("rotating_pendulum"))
    assert_close(modes.eigenvalues, [0, 0, 8.58076219398679j])
    assert np.count_nonzero(modes.eigenvalues == 0) == 2
    assert modes.stability == "drifting"


# Negrut & Ortiz 2006 --------------------------------------------------------------------------------------------------

# Damped frequencies (Hz) in the ground frame: backward and forward translation, vertical, backward and forward rocking,
# stator torsion; real parts (1/s) in the same order where they are known.
ROTOR_STATOR = {
    "0 Hz": (
        "0.127177187 0.127177187 0.129949456 0.639093829 0.639093829 15.895587492",
        "-3.1926e-4 -3.1926e-4 -3.3333e-4 -8.0623e-3 -8.0623e-3 -5",
    ),
    "0.5 Hz": ("0.126247702 0.127739224 0.129949456 0.361730598 1.132439848 15.895587492", None),
    "1 Hz": (
        "0.124464511 0.128113742 0.129949456 0.233502471 1.774254785 15.895587492",
        "-3.1839e-4 -3.2241e-4 -3.3333e-4 -1.8665e-3 -1.4256e-2 -5",
    ),
}


def rotor_stator_roots(speed: float) -> np.ndarray:
    """The linear equations in w = x + i y and th = thx + i thy, with S = 1300 * 0.75 and Iz Omega from the rotor:

    m w'' - i S th'' + C w' + K w = 0,   I th'' + i S w'' + (Ct - i Iz Omega) th' + Kt th = 0
    """
    translation, rocking = [1500, 1, 1000], [1281.25, 10 - 1000j * 2 * math.pi * speed, 1e4]
    coupled = np.polysub(np.polymul(translation, rocking), [975**2, 0, 0, 0, 0])
    roots = np.concatenate((np.roots(coupled), np.roots([1500, 1, 1000]), np.roots([10, 100, 1e5])))
    return np.where(roots.imag > 0, roots, roots.conj())[[0, 1, 2, 3, 4, 6]]


@pytest.mark.parametrize("speed", ROTOR_STATOR)
def test_rotor_stator(speed: str) -> None:
    modes = eb.modes(example("rotor_stator", speed=speed))
    assert modes.dof == 7
    assert modes.stability == "drifting"
    assert modes.kinds.count("rigid") == 2, "the free spin"
    found = modes.eigenvalues[np.array(modes.kinds) != "rigid"]
    found = found[np.argsort(found.imag)]
    frequencies, real_parts = ROTOR_STATOR[speed]
    assert_digits(found.imag / (2 * np.pi), frequencies)
    np.testing.assert_allclose(found.imag / (2 * np.pi), [float(f) for f in frequencies.split()], rtol=1e-8)
    if real_parts:
        assert_digits(found.real, real_parts)
    assert_close(found, rotor_stator_roots(float(speed.split()[0])), 1e-9)


# Rotor with polar inertia 1, transverse inertia 0.6, tilt stiffness 500, at 50 rad/s: It n^2 - Ip Omega n - k = 0 ----

WHIRL = np.sort(np.abs(np.roots([0.6, -50.0, -500.0])))


@pytest.mark.parametrize(
    ("model", "others"),
    [(on_a_bearing(), [10, 10, 10]), (on_a_carrier(), [])],
    ids=["floating on a bearing", "carrier and revolute"],
)
def test_whirl_of_a_spinning_rotor(model: dict, others: list) -> None:
    modes = eb.modes(eb.load(model))
    found = modes.eigenvalues[np.array(modes.kinds) != "rigid"]
    assert modes.kinds.count("rigid") == 2
    assert_close(found, 1j * np.sort([*others, *WHIRL]))
    assert_digits(WHIRL, "9.023 92.356")


def test_whirl_in_the_example() -> None:
    modes = eb.modes(example("rotor_on_bearing"))
    assert_close(modes.eigenvalues, [0, 0, *(1j * WHIRL)])


# Jiang, Chen & Luo 2011 -----------------------------------------------------------------------------------------------

# Frequencies |lambda| / 2 pi in Hz and damping ratios; computed three ways (absolute coordinates, closed form, Exudyn).
FAMILIES = {
    "C3RF1": (
        "53.61450709 150.2245106 217.0807074",
        "0.16843494 0.47194422 0.68197916",
    ),
    "C10RF1": (
        "18.00557395 53.61450709 88.02578073 120.4707039 150.2245106 176.62255 199.0751334 217.0807074 230.2370571"
        " 238.2502913",
        "0.056566179 0.16843494 0.27654115 0.37846988 0.47194422 0.55487611 0.62541298 0.68197916 0.72331105"
        " 0.74848536",
    ),
    "TL4RF1": (
        "2.863143416 6.507477848 10.23631292 18.60868718 30.26369152 33.55430711 43.38920932 56.78278167 65.91251552"
        " 79.27746587 117.8579198 149.5050187 162.4771118 209.457803 232.1916542",
        "0.0089948303 0.020443845 0.032158325 0.058460915 0.095076191 0.10541396 0.13631122 0.17838837 0.20707027"
        " 0.2490575 0.37026157 0.46968387 0.5104369 0.6580311 0.72945159",
    ),
    "L3RF1": ("121.770203 162.9627712 167.9150884", "0.38255238 0.51196264 0.52752081"),
}


@pytest.mark.parametrize("name", FAMILIES)
def test_families(name: str) -> None:
    modes = eb.modes(eb.load(family(name)))
    frequencies, ratios = FAMILIES[name]
    assert_digits(modes.frequency_hz, frequencies)
    assert_digits(modes.damping_ratio, ratios)
    # C = 1e-3 s * K, so every damping ratio is half of omega * 1e-3 s
    np.testing.assert_allclose(modes.damping_ratio, math.pi * 1e-3 * modes.frequency_hz, rtol=1e-10)
    np.testing.assert_allclose(modes.frequency_hz, [float(f) for f in frequencies.split()], rtol=1e-8)


@pytest.mark.parametrize("bodies", [3, 10])
def test_chains_in_closed_form(bodies: int) -> None:
    """f_j = sqrt(k/I)/pi sin((2j - 1) pi / (2 (2n + 1))), k = 1e4 N m/deg, I = 1 kg m^2."""
    j = np.arange(1, bodies + 1)
    k = 1e4 * 180 / math.pi
    expected = math.sqrt(k) / math.pi * np.sin((2 * j - 1) * math.pi / (2 * (2 * bodies + 1)))
    np.testing.assert_allclose(eb.modes(eb.load(family(f"C{bodies}RF1"))).frequency_hz, expected, rtol=1e-10)


def test_ladder_has_nine_redundant_rows() -> None:
    """60 rows of rank 51."""
    assert len(eb.modes(eb.load(family("L3RF1"))).certificate.redundant) == 9
