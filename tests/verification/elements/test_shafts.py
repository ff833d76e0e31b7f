"""Flexible shafts that turn: seen from the ground, against rotor finite elements by hand and closed forms."""

from typing import Any

import numpy as np
import pytest
from scipy.optimize import brentq

import eigenbody as eb
from eigenbody.elements.measures.modal import GroundModal
from rotor_elements import Shaft, both_planes, eigenvalues

STEEL: dict[str, Any] = {"E": "210 GPa", "nu": 0.3, "density": 7850, "diameter": "40 mm"}
ELEMENTS = Shaft(1.0, 0.04, 40, 210e9, 0.3, 7850)


def shaft(k: Any = (1e7, 1e7), c: Any = (1e3, 1e3), **keys: Any) -> eb.Model:
    """1 m of steel on two bearings, spinning freely; 1e6 N/m along it."""
    bearing = {"type": "bearing", "c": [*c, 0, 0, 0, 0]}
    return eb.Model(
        parameters={"speed": 0.0},
        flexible={"shaft": {"type": "beam", "points": [[0, 0, 0], [0, 0, 1]], "modes": 6, **STEEL, **keys}},
        joints={
            "spin": {
                "type": "free", "between": ["ground", "shaft.start"], "at": [0, 0, 0],
                "velocity": [0, 0, 0, 0, 0, "=speed"],
            }
        },
        forces={
            "left": {**bearing, "between": ["ground", "shaft.start"], "at": [0, 0, 0], "k": [*k, 1e6, 0, 0, 0]},
            "right": {**bearing, "between": ["ground", "shaft.end"], "at": [0, 0, 1], "k": [*k, 0, 0, 0, 0]},
        },
    )  # fmt: skip


def bending(model: eb.Model, speed: float, count: int) -> np.ndarray:
    """Lowest damped eigenvalues: axial and torsional motion are undamped here."""
    found = eb.modes(model.with_parameters(speed=speed)).eigenvalues
    return found[(found.imag > 1) & (found.real < -1e-3)][:count]


@pytest.mark.parametrize("speed", [0.0, 10.0, 500.0, 1000.0])
def test_whirl_on_isotropic_bearings_is_that_of_rotor_finite_elements(speed):
    stiff, damp = 1e7 * np.eye(2), 1e3 * np.eye(2)
    wanted = eigenvalues(both_planes(ELEMENTS, {0: (stiff, damp), 40: (stiff, damp)}), speed)
    np.testing.assert_allclose(bending(shaft(), speed, 2), wanted[:2], rtol=1e-5)
    modes = eb.modes(shaft().with_parameters(speed=speed))
    assert modes.stability == "drifting"  # the spin is free; nothing grows
    assert modes.is_constant
    assert not any("turn with the body" in note for note in modes.notes)


@pytest.mark.parametrize("speed", [0.0, 500.0])
@pytest.mark.parametrize("cross", [0.0, 2e5])
def test_whirl_on_unequal_and_cross_coupled_bearings(speed, cross):
    """1 and 0.8 MN/m, and coefficients that couple the planes without symmetry as oil films do."""
    stiff, damp = np.array([[1e6, cross], [-cross, 0.8e6]]), 1e3 * np.eye(2)
    wanted = eigenvalues(both_planes(ELEMENTS, {0: (stiff, damp), 40: (stiff, damp)}), speed)
    model, along = shaft((1e6, 0.8e6)), model_k(stiff)
    model = model.set(forces={name: {**model.document["forces"][name], "k": along[name]} for name in along})
    np.testing.assert_allclose(bending(model, speed, 2), wanted[:2], rtol=2e-5)
    assert eb.modes(model.with_parameters(speed=speed)).is_constant


def model_k(stiff: np.ndarray) -> dict[str, list[list[float]]]:
    """6 x 6 stiffness of both bearings."""
    out = {}
    for name, along in (("left", 1e6), ("right", 0.0)):
        k = np.zeros((6, 6))
        k[:2, :2], k[2, 2] = stiff, along
        out[name] = k.tolist()
    return out


def test_critical_speeds_are_those_of_rotor_finite_elements():
    """Where an eigenfrequency equals the speed: 484 rad/s, forward and backward."""
    stiff, damp = 1e7 * np.eye(2), 1e3 * np.eye(2)
    parts = both_planes(ELEMENTS, {0: (stiff, damp), 40: (stiff, damp)})
    wanted = [brentq(lambda w, k=k: eigenvalues(parts, w)[k].imag - w, 400, 600) for k in (0, 1)]
    found = eb.campbell(shaft(), "speed", [300.0, 450.0, 600.0])
    np.testing.assert_allclose([place.spin for place in found.critical_speeds if place.spin > 400], wanted, rtol=1e-5)
    assert not found.boundaries


def test_a_shaft_of_two_sections_is_the_same_shaft():
    whole, parts = (bending(shaft(**keys), 500.0, 2) for keys in ({"modes": 12}, {"sections": 2, "modes": 6}))
    np.testing.assert_allclose(parts, whole, rtol=1e-5)


def test_a_spin_given_at_one_end_turns_all_pieces_of_a_segmented_shaft():
    """Forward and backward whirl part as those of the whole shaft do; the sweep finds the same."""
    pieces = shaft(segments=16).with_parameters(speed=500.0)
    found = eb.modes(pieces)
    assert found.stability == "drifting"
    assert found.is_constant
    w = found.linear.point.state.w
    np.testing.assert_allclose(w, np.broadcast_to([0, 0, 500.0], w.shape), atol=1e-9)
    backward, forward = bending(pieces, 500.0, 2)
    wanted = bending(shaft(), 500.0, 2)
    assert (forward - backward).imag == pytest.approx((wanted[1] - wanted[0]).imag, rel=5e-3)
    swept = eb.campbell(shaft(segments=16), "speed", [400.0, 500.0], refine=0)
    np.testing.assert_allclose(
        np.sort(swept.eigenvalues[-1].imag)[-5:], np.sort(found.eigenvalues.imag)[-5:], rtol=1e-9
    )


def test_discs_on_a_segmented_shaft_turn_with_it():
    """On unequal bearings, a disc at the far end, a bolt beside the axis on that disc: all turn, and whirl as
    the shaft of finite elements does."""
    disc = {"disc": {"mass": 10.0, "Id": 0.1, "Ip": 0.19}}
    wanted = eb.modes(with_discs(shaft(k=(1e7, 7e6)), disc).with_parameters(speed=500.0))
    pieces = with_discs(shaft(k=(1e7, 7e6), segments=24), disc).with_parameters(speed=500.0)
    found = eb.modes(pieces)
    assert found.is_constant
    assert wanted.is_constant
    assert found.stability == wanted.stability
    for value in wanted.eigenvalues[(wanted.eigenvalues.imag > 1) & (wanted.eigenvalues.real < -1e-3)][:4]:
        assert np.abs(found.eigenvalues - value).min() < 2e-3 * abs(value)
    point = eb.linearize(
        pieces.body("bolt", mass=0.1, inertia=[1e-5] * 3, at=[0.2, 0, 1]).joint(
            "thread", "fixed", between=["disc", "bolt"], at=[0.2, 0, 1]
        )
    ).point
    np.testing.assert_allclose(point.state.w, np.broadcast_to([0, 0, 500.0], point.state.w.shape), atol=1e-9)
    bolt = point.system.places.index["bolt"]
    np.testing.assert_allclose(point.state.v[bolt], [0, 100.0, 0], atol=1e-9)


def with_discs(model: eb.Model, disc: dict[str, Any]) -> eb.Model:
    return model.set(bodies={"disc": {"on": "shaft.end", **disc}})


def sagging(speed: float, **keys: Any) -> dict[str, float]:
    """Coordinates of the horizontal shaft in its steady motion under gravity along -x, seen from the ground; a torque
    at its end keeps up the speed."""
    model = shaft(**keys).set(
        gravity=[-9.81, 0, 0], inputs={"drive": {"along": "spin.rz"}}, operating_point={"steady": {"adjust": ["drive"]}}
    )
    model = model.with_parameters(speed=speed)
    found = eb.modes(model)
    assert found.is_constant
    assert found.linear.point.is_steady
    assert found.stability in ("drifting", "marginal")  # damping in a shaft that sags slows its spin down
    return found.linear.point.coordinates()


def test_a_horizontal_shaft_sags_as_it_does_at_rest():
    """Symmetric and without damping of its own: the sag is that of the shaft that stands still."""
    model = shaft().set(gravity=[-9.81, 0, 0], operating_point="equilibrium")
    still, turning = eb.modes(model).linear.point.coordinates(), sagging(200.0)
    assert still["spin.x"] < -4e-6
    for name in ("spin.x", "spin.y", "spin.ry", "shaft.q2", "shaft.q6"):
        assert turning[name] == pytest.approx(still[name], rel=1e-9, abs=1e-15)


def test_damping_in_the_shaft_carries_its_sag_to_the_side():
    """A mode at w with the damping ratio zeta turns at Omega: its sag is that at rest over 1 - 2 i zeta Omega/w."""
    zeta, speed = 0.05, 150.0
    model = shaft().set(gravity=[-9.81, 0, 0], operating_point="equilibrium")
    still, turning = eb.modes(model).linear.point.coordinates(), sagging(speed, damping=zeta)
    free = model.description.flexible[0].reduced
    w = np.sqrt(np.diagonal(free.stiffness) / np.diagonal(free.modal_mass))
    for k in (1, 5):  # the first and the third pair of bending modes: q1 to the side, q2 down
        expected = still[f"shaft.q{k + 1}"] / (1 - 2j * zeta * speed / w[k])
        assert turning[f"shaft.q{k + 1}"] == pytest.approx(expected.real, rel=1e-6)
        assert abs(turning[f"shaft.q{k}"]) == pytest.approx(abs(expected.imag), rel=1e-6)


def test_a_clamped_segmented_beam_keeps_the_velocity_where_it_is_given():
    beam = {"type": "beam", "points": [[0, 0, 0], [0, 0, 1]], "segments": 4, **STEEL}
    model = eb.Model(
        flexible={"rod": beam},
        joints={
            "clamp": {"type": "fixed", "between": ["ground", "rod.start"], "at": [0, 0, 0]},
            "tip": {
                "type": "free",
                "between": ["ground", "rod.end"],
                "at": [0, 0, 1],
                "velocity": [0, 0, 0, 0, 0, 3.0],
            },
        },
    )
    point = eb.linearize(model).point
    turning = dict(zip(point.system.places.names, point.state.w[:, 2].tolist(), strict=False))
    assert turning["rod.s4"] == pytest.approx(3.0)
    assert [turning[f"rod.s{k}"] for k in (1, 2, 3)] == pytest.approx([0, 0, 0])


# The rotor with two discs of the gallery, as one body -----------------------------------------------------------------
DISCS = {"one": (0.5, 32.58972765304033, 0.17808928257067666, 0.32956362089137037),
         "two": (1.0, 51.5252611115262, 0.42358058405433824, 0.8050822048675967)}  # fmt: skip
BOOK = [85.389467, 87.7958637, 251.7846041, 294.7133309]  # Friswell et al. 2010, example 5.9.1, rad/s at 4000 rpm


def two_discs(k: np.ndarray, c: float = 0.0) -> eb.Model:
    """examples/two_disc_rotor.py with one flexible shaft."""
    model = eb.Model(parameters={"speed": 0.0}).set(
        flexible={
            "shaft": {
                "type": "beam", "points": [[0, 0, z] for z in (0, 0.5, 1.0, 1.5)], "modes": 8,
                "names": ["left", "one", "two", "right"], "E": 211e9, "G": 81.2e9, "density": 7810, "diameter": 0.05,
            }
        }
    )  # fmt: skip
    model = model.joint(
        "spin", "free", between=["ground", "shaft.left"], at=[0, 0, 0], velocity=[0, 0, 0, 0, 0, "=speed"]
    )
    for name, (z, mass, across, along) in DISCS.items():
        model = model.body(name, mass=mass, inertia=[across, across, along], at=[0, 0, z])
        model = model.joint(f"press_{name}", "fixed", between=[f"shaft.{name}", name], at=[0, 0, z])
    for name, z in (("left", 0.0), ("right", 1.5)):
        stiff = np.zeros((6, 6))
        stiff[:2, :2], stiff[2, 2] = k, 1e7 if z == 0 else 0.0
        model = model.force(
            f"bearing_{name}", "bearing", between=["ground", f"shaft.{name}"], at=[0, 0, z], k=stiff.tolist(),
            c=[c, c, 0, 0, 0, 0],
        )  # fmt: skip
    return model


def two_discs_by_elements(k: np.ndarray, c: float) -> tuple[np.ndarray, ...]:
    nu = 211 / (2 * 81.2) - 1
    nodes = {round(40 * z): (mass, across, along) for z, mass, across, along in DISCS.values()}
    shaft = Shaft(1.5, 0.05, 60, 211e9, nu, 7810)
    return both_planes(shaft, dict.fromkeys((0, 60), (k, c * np.eye(2))), nodes)


def test_rotor_with_two_discs_as_one_flexible_shaft():
    """To the numbers of the book, which has six elements, and of sixty."""
    k, rpm = 1e6 * np.eye(2), 4000 * np.pi / 30
    wanted = eigenvalues(two_discs_by_elements(k, 0.0), rpm)[:4].imag
    np.testing.assert_allclose(wanted, BOOK, rtol=1e-4)
    found = eb.modes(two_discs(k).with_parameters(speed=rpm)).eigenvalues.imag
    nearest = [found[np.argmin(np.abs(found - value))] for value in wanted]
    np.testing.assert_allclose(nearest, wanted, rtol=1e-4)


@pytest.mark.parametrize("rpm", [0, 2000, 4000])
@pytest.mark.parametrize("cross", [0.0, 1e5])
def test_rotor_with_two_discs_on_unequal_bearings(rpm, cross):
    """1 and 0.8 MN/m with damping, and with cross-coupled coefficients."""
    k, speed = np.array([[1e6, cross], [-cross, 0.8e6]]), rpm * np.pi / 30
    wanted = eigenvalues(two_discs_by_elements(k, 200.0), speed)[:4]
    found = eb.modes(two_discs(k, 200.0).with_parameters(speed=speed)).eigenvalues
    nearest = [found[np.argmin(np.abs(found - value))] for value in wanted]
    np.testing.assert_allclose(nearest, wanted, rtol=1e-4)


# Damping that turns with the shaft ------------------------------------------------------------------------------------
@pytest.mark.parametrize("stations", [(0, 2, 8, 10), (0, 2, 5, 8, 10), (0, 2, 4, 6, 8, 10)])
@pytest.mark.parametrize("kept", [{}, {"modes": 6}, {"modes": 16}])
def test_equal_spans_leave_a_round_shaft_round(stations, kept):
    """Between equal spans each frequency of the held shaft occurs two times as often as there are spans."""
    disc, speed, k, c = (6.0, 0.02, 0.04), 300.0, 2.5e7 * np.eye(2), 300.0 * np.eye(2)
    model = eb.Model(
        flexible={
            "shaft": {
                "type": "beam", "points": [[0, 0, z / 10] for z in stations], "names": [f"at{z}" for z in stations],
                **STEEL, "diameter": "30 mm", **kept,
            }
        },
        bodies={
            f"disc{z}": {"on": f"shaft.at{z}", "disc": dict(zip(("mass", "Id", "Ip"), disc, strict=True))}
            for z in (0, 10)
        },
        joints={"spin": {"type": "free", "between": ["ground", "shaft.at0"], "velocity": [0, 0, 0, 0, 0, speed]}},
        forces={
            f"bearing{z}": {
                "type": "bearing", "between": ["ground", f"shaft.at{z}"], "at": [0, 0, z / 10],
                "kxx": 2.5e7, "kyy": 2.5e7, "kzz": 1e7, "cxx": 300, "cyy": 300,
            }
            for z in (2, 8)
        },
    )  # fmt: skip
    held = {20: (k, c), 80: (k, c)}
    elements = both_planes(Shaft(1.0, 0.03, 100, 210e9, 0.3, 7850), held, {0: disc, 100: disc})
    wanted = eigenvalues(elements, speed)[:6]
    modes = eb.modes(model)
    assert modes.is_constant
    nearest = [modes.eigenvalues[np.argmin(np.abs(modes.eigenvalues - value))] for value in wanted]
    np.testing.assert_allclose(nearest, wanted, rtol=1e-4)


def jeffcott(zeta: float, outer: float, speed: float = 0.0) -> eb.Model:
    """20 kg in the middle of a shaft of next to no mass on stiff bearings; damping in the shaft and in the air."""
    bearing = {"type": "bearing", "k": [1e9, 1e9, 0, 0, 0, 0]}
    return eb.Model(
        parameters={"speed": speed},
        flexible={
            "shaft": {
                "type": "beam", "points": [[0, 0, 0], [0, 0, 0.5], [0, 0, 1]], "names": ["left", "mid", "right"],
                **STEEL, "density": 0.785, "modes": 4, "damping": zeta,
            }
        },
        bodies={"disc": {"mass": 20, "inertia": [0.2, 0.2, 0.4], "at": [0, 0, 0.5]}},
        joints={
            "spin": {
                "type": "free", "between": ["ground", "shaft.mid"], "at": [0, 0, 0.5],
                "velocity": [0, 0, 0, 0, 0, "=speed"],
            },
            "press": {"type": "fixed", "between": ["shaft.mid", "disc"], "at": [0, 0, 0.5]},
        },
        forces={
            "left": {**bearing, "between": ["ground", "shaft.left"], "at": [0, 0, 0]},
            "right": {**bearing, "between": ["ground", "shaft.right"], "at": [0, 0, 1]},
            "axial": {
                "type": "bearing", "between": ["ground", "shaft.mid"], "at": [0, 0, 0.5], "k": [0, 0, 1e6, 0, 0, 0],
            },
            "air": {
                "type": "bearing", "between": ["ground", "shaft.mid"], "at": [0, 0, 0.5], "k": [0] * 6,
                "c": [outer, outer, 0, 0, 0, 0],
            },
        },
    )  # fmt: skip


def translation(model: eb.Model, near: float) -> complex:
    """The eigenvalue of the disc that moves across, forward where they part: the one that damps least."""
    found = eb.modes(model).eigenvalues
    found = found[np.abs(found.imag - near) < 0.05 * near]
    return complex(found[np.argmax(found.real)])


@pytest.mark.parametrize("outer", [0.0, 30.0])
def test_damping_in_the_shaft_destabilizes_above_jeffcotts_limit(outer):
    """W = w (1 + c_outer / c_inner) (Genta, Dynamics of Rotating Systems, 3.6), c_inner from the decay at rest."""
    zeta = 0.01
    w = translation(jeffcott(0.0, 0.0), 251.0).imag
    inner = -2 * translation(jeffcott(zeta, 0.0), w).real
    air = -2 * translation(jeffcott(0.0, outer), w).real if outer else 0.0
    limit = w * (1 + air / inner)
    found = brentq(
        lambda speed: translation(jeffcott(zeta, outer, speed), w).real, 0.8 * limit, 1.3 * limit, rtol=1e-10
    )
    assert found == pytest.approx(limit, rel=1e-4 if outer else 1e-6)
    assert eb.modes(jeffcott(zeta, outer, 0.9 * limit)).stability == "drifting"
    assert eb.modes(jeffcott(zeta, outer, 1.1 * limit)).stability == "unstable"


# The coordinates themselves -------------------------------------------------------------------------------------------
def test_linear_equations_of_a_bent_tilted_shaft_are_those_of_differences():
    """Of the engine's nonlinear equations, at a state where nothing is small."""
    model = shaft().set(
        operating_point={
            "positions": {"shaft.q1": 0.003, "shaft.q2": -0.002, "spin.rx": 0.02, "spin.ry": 0.01, "spin.rz": 0.4},
            "velocities": {"shaft.q1": 0.3, "spin.rz": 50, "spin.rx": 0.3},
        }
    )
    assert eb.verify(model, ["difference"]).document()["verdict"] == "agree"


def test_a_shaft_that_is_not_round_keeps_its_own_coordinates():
    """Nothing is claimed of a body without symmetry: the note says how its coordinates are meant."""
    flat = {"width": "40 mm", "height": "30 mm", "diameter": None}
    keys = {name: value for name, value in {**STEEL, **flat}.items() if value is not None}
    model = shaft().set(flexible={"shaft": {"type": "beam", "points": [[0, 0, 0], [0, 0, 1]], "modes": 6, **keys}})
    assert model.description.flexible[0].symmetry is None
    assert any("turn with the body" in note for note in eb.modes(model.with_parameters(speed=50.0)).notes)


def test_kernel_is_taken_and_joined_without_change():
    rng = np.random.default_rng(3)
    kernel = GroundModal(np.tile([0, 1], (3, 1)), rng.normal(size=(3, 3)), *rng.normal(size=(3, 3, 3)))
    parts = [kernel.take(np.array([0])), kernel.take(np.array([1, 2]))]
    joined = GroundModal.concatenate(parts)
    for name in ("carriers", "axis", "own", "first", "second"):
        np.testing.assert_array_equal(getattr(joined, name), getattr(kernel, name))


def test_sensitivities_of_a_spinning_shaft_are_those_of_differences():
    """Entries of A that are rounding alone must not scale the states."""
    model, step = shaft((1e6, 8e5)).with_parameters(speed=300.0), 1.0
    found = eb.sensitivity(model, ["speed"]).eigenvalues[0]
    ends = [eb.modes(model.with_parameters(speed=300.0 + h)).eigenvalues for h in (-step, step)]
    np.testing.assert_allclose(found[3:7], ((ends[1] - ends[0]) / (2 * step))[3:7], atol=1e-8)


@pytest.mark.parametrize("speed", [5.0, 20.0, 300.0])
def test_a_driven_rotor_has_its_verdict_at_any_speed(speed):
    rotor = eb.Model(
        bodies={"slide": {"mass": 0, "at": [0, 0, 0]}, "bed": {"mass": 1, "inertia": [1, 1, 1], "at": [0, 0, 0]},
                "rotor": {"mass": 1, "inertia": [0.1, 0.1, 0.2], "at": [0, 0, 0]}},
        joints={
            "x": {"type": "prismatic", "between": ["ground", "slide"], "at": [0, 0, 0], "axis": [1, 0, 0]},
            "y": {"type": "prismatic", "between": ["slide", "bed"], "at": [0, 0, 0], "axis": [0, 1, 0]},
            "spin": {"type": "revolute", "between": ["bed", "rotor"], "at": [0, 0, 0], "motion": f"={speed}*t"},
        },
        forces={"kx": {"type": "spring", "along": "x", "k": 100, "c": 1},
                "ky": {"type": "spring", "along": "y", "k": 150, "c": 1}},
    )  # fmt: skip
    assert eb.modes(rotor).stability == "stable"


# Any orientation ------------------------------------------------------------------------------------------------------
def tipped(angle: float, about: Any = (1, 0, 0), k: Any = (1e7, 1e7)) -> eb.Model:
    """The shaft on bearings in a frame that is tipped from where it is drawn."""
    bearing = {"type": "bearing", "c": [1e3, 1e3, 0, 0, 0, 0]}
    return eb.Model(
        bodies={"frame": {"mass": 1, "inertia": [1, 1, 1], "at": [0, 0, 0]}},
        flexible={"shaft": {"type": "beam", "points": [[0, 0, 0], [0, 0, 1]], "modes": 6, **STEEL}},
        joints={
            "tip": {
                "type": "revolute", "between": ["ground", "frame"], "at": [0, 0, 0], "axis": list(about),
                "motion": angle,
            },
            "spin": {
                "type": "free", "between": ["frame", "shaft.start"], "at": [0, 0, 0], "velocity": [0, 0, 0, 0, 0, 200],
            },
        },
        forces={
            "left": {**bearing, "between": ["frame", "shaft.start"], "at": [0, 0, 0], "k": [*k, 1e6, 0, 0, 0]},
            "right": {**bearing, "between": ["frame", "shaft.end"], "at": [0, 0, 1], "k": [*k, 0, 0, 0, 0]},
        },
    )  # fmt: skip


@pytest.mark.parametrize("k", [(1e7, 1e7), (1e7, 4e6)])
def test_a_shaft_has_the_same_modes_however_it_is_tipped(k):
    """By chance; and upside down, where the turn about the axis cannot be counted since the drawing: at pi, and by the
    least and by more beside it."""
    upright = eb.modes(tipped(0.0, k=k))
    rng = np.random.default_rng(3)
    ways = [(rng.uniform(0, 2 * np.pi), rng.normal(size=3)) for _ in range(4)]
    ways += [(np.pi + off, [*rng.normal(size=2), 0.0]) for off in (0.0, 1e-9, -1e-8, 1e-5, -1e-2)]
    for angle, about in ways:
        found = eb.modes(tipped(angle, about, k))
        assert (found.stability, found.is_constant) == (upright.stability, True)
        np.testing.assert_allclose(found.eigenvalues, upright.eigenvalues, atol=1e-10 * np.abs(found.eigenvalues).max())


def test_linear_equations_of_a_shaft_that_is_tipped_over_are_those_of_differences():
    assert eb.verify(tipped(3.14), ["difference"]).document()["verdict"] == "agree"
