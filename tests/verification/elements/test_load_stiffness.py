"""The stiffness that beams have from the loads they carry, without any load being told: spinning cantilevers, columns,
strings, lateral and torsional buckling, against closed forms, literature and a Ritz method written here."""

import re
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from numpy.polynomial import Legendre
from scipy.linalg import eigh

import eigenbody as eb
from eigenbody.linearization.point import at_state, system_of
from eigenbody.present.words import verdict

# E I = m = L = 1 in both planes, stiff in stretch and twist, without rotary inertia across
UNIFORM = {
    "type": "beam", "points": [[0, 0, 0], [1, 0, 0]], "E": 1.0, "G": 1.0, "area": 1e8, "Iy": 1.0, "Iz": 1.0, "J": 1e5,
    "shear": False, "mass_per_length": 1.0, "jx": 1e-8, "jy": 0.0, "jz": 0.0, "y_axis": [0, 1, 0],
}  # fmt: skip


def rates(model: eb.Model) -> np.ndarray:
    """Circular frequencies, ascending, one per conjugate pair."""
    found = eb.modes(model).eigenvalues.imag
    return np.sort(found[found > 1e-6])


# Spinning cantilevers -------------------------------------------------------------------------------------------------
def cantilever(nu: float, tip: float = 0.0, hub: float = 0.0, point: str = "steady", **more: object) -> eb.Model:
    """A cantilever on a hub that turns at nu about z: flap along z, lag along y."""
    at, end = [hub, 0, 0], [1 + hub, 0, 0]
    bodies = {"hub": {"mass": 1, "inertia": [1, 1, 1], "at": [0, 0, 0]}}
    joints = {
        "spin": {"type": "revolute", "between": ["ground", "hub"], "at": [0, 0, 0], "motion": f"={nu}*t"},
        "root": {"type": "fixed", "between": ["hub", "rod.start"], "at": at},
    }
    if tip:
        bodies["tip"] = {"mass": tip, "inertia": [1e-9] * 3, "at": end}
        joints["end"] = {"type": "fixed", "between": ["rod.end", "tip"], "at": end}
    beam = {**UNIFORM, "points": [at, end], "modes": 48, **more}
    return eb.load({"eigenbody": 1, "operating_point": point, "bodies": bodies, "joints": joints,
                    "flexible": {"rod": beam}})  # fmt: skip


def ritz(nu: float, tip: float = 0.0, hub: float = 0.0, terms: int = 24) -> np.ndarray:
    """Squares of the flap frequencies of the inextensible beam of Euler and Bernoulli: x^2 times Legendre polynomials,
    Gauss quadrature of more points than the integrands need. In lag it is nu^2 less."""
    x, w = np.polynomial.legendre.leggauss(2 * terms + 4)
    x, w = (x + 1) / 2, w / 2
    v, v1, v2 = (np.array([_shape(k).deriv(order)(x) for k in range(terms)]) for order in (0, 1, 2))
    end = np.array([_shape(k)(1.0) for k in range(terms)])
    N = nu**2 * ((1 - x**2) / 2 + hub * (1 - x) + tip * (1 + hub))
    K, M = (v2 * w) @ v2.T + (v1 * w * N) @ v1.T, (v * w) @ v.T + tip * np.outer(end, end)
    return eigh(K, M, eigvals_only=True)


def _shape(k: int) -> Legendre:
    """x^2 P_k(2x - 1), in the basis of Legendre: powers would lose digits."""
    return Legendre([1 / 3, 1 / 2, 1 / 6], domain=[0, 1]) * Legendre.basis(k, domain=[0, 1])


# Wright, Smith, Thresher & Wang, Vibration modes of centrifugally stiffened beams, J. Appl. Mech. 49 (1982)
WRIGHT = {0: (3.5160, 22.0345), 3: (4.7973, 23.3203), 6: (7.3604, 26.8091),
          12: (13.1702, 37.6031)}  # fmt: skip


@pytest.mark.parametrize("nu", WRIGHT)
def test_the_reference_is_that_of_wright(nu: int) -> None:
    assert np.sqrt(ritz(nu))[:2] == pytest.approx(WRIGHT[nu], abs=6e-5)


@pytest.mark.parametrize(
    ("nu", "tip", "hub"),
    [(0, 0, 0), (3, 0, 0), (6, 0, 0), (12, 0, 0), (6, 1, 0), (12, 0.2, 0), (12, 1, 0), (9, 0.5, 1), (12, 0, 2),
     (12, 3, 0), (12, 10, 0), (12, 3, 1)],
)  # fmt: skip
def test_spinning_cantilevers_flap_and_lag_without_a_load_being_told(nu: float, tip: float, hub: float) -> None:
    squares = ritz(nu, tip, hub)[:3]
    found = rates(cantilever(nu, tip, hub))
    for wanted in np.sqrt(np.concatenate((squares, squares - nu**2))):
        assert np.abs(found / wanted - 1).min() < 1e-4, wanted


def test_derivatives_run_through_the_shapes_of_inertia() -> None:
    """24 modes, of which six are static shapes: dE of a loaded and soft beam against central differences."""
    plain = cantilever(4, 1.0, modes=24, elements=6, area=1e4, J=100.0).document
    beam = {**plain["flexible"]["rod"], "E": "=modulus"}

    def model(modulus: float) -> eb.Model:
        return eb.load({**plain, "parameters": {"modulus": modulus}, "flexible": {"rod": beam}})

    slope = (rates(model(1 + 1e-4))[:4] - rates(model(1 - 1e-4))[:4]) / 2e-4
    found = eb.sensitivity(model(1.0), "modulus")
    for one in slope:
        assert np.abs(found.eigenvalues[0].imag - one).min() < 1e-6 * abs(one)


def test_any_way_to_part_or_preload_it_gives_the_same() -> None:
    """Sections; the load told as spin, or as tension: it is the same beam, and its stress as drawn changes nothing."""
    wanted = np.sqrt(ritz(6, 1.0)[:3])
    for more in (
        {"sections": 4, "modes": 8},
        {"spin": [0, 0, 6.0]},
        {"tension": 36.0},
        {"spin": [0, 0, 3.0], "held": "end"},
    ):
        found = rates(cantilever(6, 1.0, **more))
        for one in wanted:
            assert np.abs(found / one - 1).min() < 1e-4, (more, one)


def test_a_beam_that_is_drawn_under_its_load_needs_no_steady_state() -> None:
    """`spin` is the load in the drawing: at the reference point nothing accelerates along the beam, and nothing is
    noted; without it the load of a beam that stretches is still building up."""
    soft = {"area": 1e4, "point": "reference"}
    for more in ({"spin": [0, 0, 6.0], **soft}, {"point": "reference"}):
        model = cantilever(6, **more)
        found = rates(model)
        for wanted in WRIGHT[6]:
            assert np.abs(found / wanted - 1).min() < 1e-4
        assert not eb.linearize(model).certificate.notes
    (note,) = eb.linearize(cantilever(6, **soft)).certificate.notes
    assert "still building up" in note


@pytest.mark.parametrize(("nu", "tip", "modes"), [(12, 0.0, 6), (12, 0.0, 8), (12, 1.0, 8), (6, 1.0, 6)])
def test_too_few_modes_are_noted_with_a_number_that_suffices(nu: float, tip: float, modes: int) -> None:
    """What the note says is what the Ritz method finds; with the number it proposes nothing is noted, and rightly."""

    def errors(found: eb.Modes) -> np.ndarray:
        wanted = np.sqrt(ritz(nu, tip)[:2] - nu**2)
        return np.array([np.abs(found.eigenvalues.imag / one - 1).min() for one in wanted])

    found = eb.modes(cantilever(nu, tip, modes=modes))
    (note,) = [text for text in found.notes if "shapes" in text]
    assert float(re.search(r"another by ([\d.e+-]+) of it", note)[1]) == pytest.approx(errors(found).max(), rel=0.15)
    proposed = int(re.search(r"flexible\.rod\.modes: (\d+)", note)[1])
    assert modes < proposed <= 4 * modes + 2
    better = eb.modes(cantilever(nu, tip, modes=proposed))
    assert errors(better).max() < 1e-3
    assert not [text for text in better.notes if "shapes" in text]


@pytest.mark.parametrize(
    ("nu", "more"), [(0.0, {"modes": 8}), (3.0, {"modes": 8}), (12.0, {"modes": 60, "elements": 1})]
)
def test_enough_modes_are_not_noted(nu: float, more: dict) -> None:
    """Little load, or all modes that there are."""
    assert not [text for text in eb.modes(cantilever(nu, **more)).notes if "shapes" in text]


def test_routes_and_motion_agree_on_a_bent_spinning_blade() -> None:
    """Offset mass, gravity, a tip mass beside the line: bent in flap and lag, twisted, stretched."""
    beam = {"E": 1e3, "G": 400.0, "area": 1.0, "Iy": 0.01, "Iz": 0.02, "J": 0.01, "elements": 4, "modes": 6, "jx": 0.02}
    beam |= {"shear": True, "ky": 0.8, "kz": 0.8, "jy": 0.01, "jz": 0.01, "mass_offset": [0.02, -0.03], "damping": 0.01}
    model = cantilever(1.5, 0.3, 0.2, **beam)
    tip = {"mass": 0.3, "inertia": [0.01, 0.02, 0.02], "at": [1.2, 0.05, 0.1]}
    model = eb.load({**model.document, "gravity": [0, 0, -1.0], "bodies": {**model.document["bodies"], "tip": tip}})
    found = eb.verify(model, ["kane", "difference"])
    assert found.verdict == "agree"


# Columns --------------------------------------------------------------------------------------------------------------
CLAMPED = {"foot": {"type": "fixed", "between": ["ground", "rod.start"], "at": [0, 0, 0]}}
PINNED = {  # in the plane x-z
    "foot": {"type": "revolute", "between": ["ground", "rod.start"], "at": [0, 0, 0], "axis": [0, 1, 0]},
    "head": {"type": "inline", "between": ["ground", "rod.end"], "at": [1, 0, 0], "axis": [1, 0, 0]},
}


def loaded(joints: dict, force: list[float], axes: str = "ground", gravity: float = 0.0, **more: object) -> eb.Model:
    """A beam along x in equilibrium under a force at its end and a weight along x."""
    push = {"type": "force", "body": "rod.end", "at": [1, 0, 0], "value": force, "axes": axes}
    return eb.load({
        "eigenbody": 1, "gravity": [gravity, 0, 0], "operating_point": {"equilibrium": {"which": "nearest"}},
        "joints": joints, "flexible": {"rod": {**UNIFORM, "modes": 16, **more}}, "forces": {"push": push},
    })  # fmt: skip


@pytest.mark.parametrize("share", [-1.0, 0.0, 0.5, 0.9, 0.99])
def test_square_of_the_frequency_of_a_pinned_column_falls_to_zero_at_the_load_of_euler(share: float) -> None:
    found = rates(loaded(PINNED, [-share * np.pi**2, 0, 0], Iz=50.0))[0]
    assert found**2 == pytest.approx(np.pi**4 * (1 - share), rel=1e-5)


@pytest.mark.parametrize("share", [0.5, 0.99, 1.01])
def test_cantilever_under_a_dead_load(share: float) -> None:
    """Euler's pi^2 / 4; between, the Ritz method with N = -P."""
    load = share * np.pi**2 / 4
    model = loaded(CLAMPED, [-load, 0, 0], Iz=50.0)
    if share > 1:
        assert eb.modes(model).stability == "unstable"
        return
    assert rates(model)[0] ** 2 == pytest.approx(_ritz_under(lambda x: -load + 0 * x)[0], rel=1e-4)


def _ritz_under(N: Callable) -> np.ndarray:
    """Squares of the frequencies of a cantilever under an axial force N(x)."""
    x, w = np.polynomial.legendre.leggauss(40)
    x, w = (x + 1) / 2, w / 2
    v, v1, v2 = (np.array([_shape(k).deriv(order)(x) for k in range(16)]) for order in (0, 1, 2))
    return eigh((v2 * w) @ v2.T + (v1 * w * N(x)) @ v1.T, (v * w) @ v.T, eigvals_only=True)


@pytest.mark.parametrize("weight", [-7.837 * 0.5, -7.80, 20.0])
def test_heavy_column_stands_and_hangs(weight: float) -> None:
    """Standing (against x) and hanging under its own weight."""
    wanted = _ritz_under(lambda x: weight * (1 - x))[:2]
    assert rates(loaded(CLAMPED, [0, 0, 0], gravity=weight, Iz=1e3))[:2] ** 2 == pytest.approx(wanted, rel=1e-4)


@pytest.mark.parametrize(("weight", "stability"), [(7.82, "stable"), (7.85, "unstable")])
def test_heavy_column_buckles_at_the_weight_of_greenhill(weight: float, stability: str) -> None:
    """m g L^3 / E I = 7.8373, zero of J_-1/3(2/3 sqrt(p)) (Greenhill 1881)."""
    model = loaded(CLAMPED, [0, 0, 0], gravity=-weight, Iz=1e3, damping=0.01)
    assert stability in eb.modes(model).stability
    assert ("unstable" in eb.modes(model).stability) == (stability == "unstable")


def test_shear_lowers_the_buckling_load() -> None:
    """Engesser's load P = P_E / (1 + P_E / k G A) with k G A = 30; square of the frequency pi^2 (P - load)."""
    critical = np.pi**2 / (1 + np.pi**2 / 30)
    model = loaded(PINNED, [-0.6 * critical, 0, 0], shear=True, ky=3e-7, kz=3e-7, Iz=50.0)
    assert rates(model)[0] ** 2 == pytest.approx(np.pi**2 * 0.4 * critical, rel=1e-4)


def test_fibres_of_a_compressed_column_soften_its_torsion() -> None:
    """Wagner: G J - P (Iy + Iz) / A in place of G J."""
    section = {"E": 1e6, "area": 1.0, "Iy": 0.01, "Iz": 0.01, "J": 1.0, "jx": 1.0}
    found = rates(loaded(CLAMPED, [-25.0, 0, 0], **section))
    wanted = np.pi / 2 * np.sqrt(1 - 25.0 * 0.02)
    assert np.abs(found / wanted - 1).min() < 1e-4


@pytest.mark.parametrize(("share", "is_stable"), [(0.99, True), (1.01, False)])
def test_a_strip_buckles_sideways_under_a_force_in_its_plane(share: float, is_stable: bool) -> None:
    """Prandtl 1899: 4.0126 sqrt(E I G J) / L^2 on the end of a cantilever: bending moments stiffen and soften too."""
    model = loaded(CLAMPED, [0, 0, -4.0126 * share], Iy=1e4, Iz=1.0, J=1.0, jx=0.01)
    assert ("unstable" not in eb.modes(model).stability) is is_stable


@pytest.mark.parametrize(("load", "is_stable"), [(20.0, True), (20.1, False)])
def test_a_force_that_follows_the_end_makes_the_column_flutter(load: float, is_stable: bool) -> None:
    """Beck 1952: 20.0509."""
    model = loaded(CLAMPED, [-load, 0, 0], axes="body", Iz=1e3)
    assert bool(np.abs(eb.modes(model).eigenvalues.real).max() < 1e-6) is is_stable


def test_tension_in_the_drawing_makes_a_string() -> None:
    """Held at both ends: pi^2 N + pi^4 E I."""
    joints = {**PINNED, "head": {"type": "spherical", "between": ["ground", "rod.end"], "at": [1, 0, 0]}}
    model = loaded(joints, [0, 0, 0], tension=50.0, Iz=1e4)
    assert rates(model)[0] ** 2 == pytest.approx(50 * np.pi**2 + np.pi**4, rel=1e-5)
    assert eb.operating_point(model).is_equilibrium


# Frames held at both ends ---------------------------------------------------------------------------------------------
def corner_frame(sideways: float = 0.0) -> eb.Model:
    """A post of steel and a beam on its head, clamped at both ends, under 400 N on the corner (a seventh of the load
    that buckles the post) and a force along the beam."""
    steel = {"type": "beam", "E": 2.1e11, "G": 8e10, "area": 2e-4, "Iy": 1.7e-9, "Iz": 6.7e-9, "J": 4.6e-9,
             "density": 7850, "shear": False, "y_axis": [0, 1, 0]}  # fmt: skip
    return eb.load({
        "eigenbody": 1, "operating_point": "equilibrium",
        "flexible": {"post": {**steel, "points": [[0, 0, 0], [0, 0, 1]]},
                     "beam": {**steel, "points": [[0, 0, 1], [0.8, 0, 1]]}},
        "joints": {"foot": {"type": "fixed", "between": ["ground", "post.start"], "at": [0, 0, 0]},
                   "corner": {"type": "fixed", "between": ["post.end", "beam.start"], "at": [0, 0, 1]},
                   "wall": {"type": "fixed", "between": ["beam.end", "ground"], "at": [0.8, 0, 1]}},
        "forces": {"load": {"type": "force", "body": "post.end", "value": [0, 0, -400]},
                   "push": {"type": "force", "body": "post.end", "value": [sideways, 0, 0]}},
    })  # fmt: skip


def test_an_equilibrium_of_a_frame_held_at_both_ends_is_one() -> None:
    """Rounding of the positions times the stiffness along its beams (1e8 N/m) bends it by more than the rounding of its
    own bending forces: 1e-9 N beside 400 N."""
    found = eb.modes(corner_frame())
    assert found.linear.point.is_equilibrium
    assert found.stability == "marginal"


def test_a_small_force_that_nothing_balances_is_no_rounding() -> None:
    """A force of 1e-5 N along the beam, whose stiffness rounding is 1e-7 N."""
    settled, pushed = eb.operating_point(corner_frame()), corner_frame(1e-5)
    assert settled.is_equilibrium
    assert not at_state(pushed, system_of(pushed), settled.state).is_equilibrium


# Twisted shafts -------------------------------------------------------------------------------------------------------
def twisted(share: float, **more: object) -> eb.Model:
    """A shaft clamped at both ends, free to turn at one, where a part of the torque acts that buckles it: 8.9868 E I /
    L, the root of tan(T / 2) = T / 2 (Greenhill 1883)."""
    ends = {
        "foot": {"type": "fixed", "between": ["ground", "rod.start"], "at": [0, 0, 0]},
        "head": {"type": "cylindrical", "between": ["ground", "rod.end"], "at": [1, 0, 0], "axis": [1, 0, 0]},
    }
    torque = {"type": "torque", "body": "rod.end", "value": [8.9868 * share, 0, 0]}
    return eb.load({
        "eigenbody": 1, "operating_point": "equilibrium", "joints": ends, "forces": {"torque": torque},
        "flexible": {"rod": {**UNIFORM, "jx": 1e-4, "modes": 24, **more}},
    })  # fmt: skip


@pytest.mark.parametrize(("share", "stability"), [(0.98, "marginal"), (1.02, "unstable")])
def test_a_shaft_that_its_torque_buckles_has_no_stable_equilibrium(share: float, stability: str) -> None:
    """Its end turned by half a turn, the shaft undeformed, is none: the sine of that angle is zero as well."""
    found = eb.equilibrium(twisted(share))
    assert found.stability == stability
    assert abs(found.coordinates()["head.angle"]) == pytest.approx(8.9868 * share / 1e5, rel=1e-3)


def test_the_verdict_counts_growing_modes_of_those_listed_alone() -> None:
    """The shaft buckles in both planes alike: two modes grow, one of the three lowest."""
    model = twisted(1.02).set(operating_point={"equilibrium": {"which": "nearest"}})
    assert "unstable: 1 growing mode among those listed" in verdict(eb.modes(model, 3))
    assert "unstable: 2 growing modes, the fastest" in verdict(eb.modes(model))


def test_a_shaft_twisted_too_far_for_one_body_is_told_to_be_parted() -> None:
    """A torque of 1.2 G J / L: a body that is right to second order has no such equilibrium, four sections have."""
    with pytest.raises(eb.ComputationError, match=r"flexible\.rod: .* flexible\.rod\.sections: 4 or more"):
        eb.equilibrium(twisted(1.2 / 8.9868, J=1.0, Iy=9.0, Iz=9.0))


def test_a_node_half_a_turn_away_from_its_undeformed_body_is_refused() -> None:
    model = twisted(0.0)
    state = eb.operating_point(model).state
    R = np.array(state.R)
    R[system_of(model).places.index["rod.end"]] = np.diag([1.0, -1.0, -1.0])
    with pytest.raises(eb.InputError, match=r"flexible\.rod: .* 3\.14 rad .*\n? *.*flexible\.rod\.sections: 4"):
        at_state(model, system_of(model), replace(state, R=R))
