"""Static equilibria against closed forms and against the balance of forces."""

from __future__ import annotations

import math
import runpy
from pathlib import Path

import numpy as np
import pytest

import eigenbody as eb

EXAMPLES = Path(__file__).parents[3] / "examples"
G = 9.81
X, Y, Z = [1, 0, 0], [0, 1, 0], [0, 0, 1]
ORIGIN = [0, 0, 0]


def model(bodies: dict, joints: dict | None = None, **sections: object) -> eb.Model:
    return eb.load({"eigenbody": 1, "gravity": [0, 0, -G], "bodies": bodies, "joints": joints or {}, **sections})


def body(at: list[float], mass: float = 1.0, inertia: float = 0.1) -> dict:
    return {"mass": mass, "inertia": [inertia] * 3, "at": at}


def hinge(first: str, second: str, at: list[float], **keys: object) -> dict:
    return {"type": "revolute", "between": [first, second], "at": at, "axis": Y, **keys}


def slider(**keys: object) -> dict:
    return {"type": "prismatic", "between": ["ground", "block"], "at": ORIGIN, "axis": Z, **keys}


def on_a_slider(**sections: object) -> eb.Model:
    return model({"block": body(ORIGIN)}, {"s": slider()}, **sections)


def chain(n: int, **keys: object) -> eb.Model:
    """Links of 0.2 m drawn along x, hung at the origin; `keys` for every joint."""
    bodies = {f"b{i}": body([0.2 * i + 0.1, 0, 0], inertia=0.01) for i in range(n)}
    names = ["ground", *bodies]
    return model(bodies, {f"j{i}": hinge(names[i], names[i + 1], [0.2 * i, 0, 0], **keys) for i in range(n)})


# The four-bar with a diagonal spring ----------------------------------------------------------------------------------
def test_four_bar_finds_the_stable_equilibrium_and_names_the_unstable_one() -> None:
    found = eb.equilibrium(eb.load(EXAMPLES / "four_bar_with_spring.yaml"))
    crank = math.pi / 2 + found.coordinates()["A"]
    assert crank == pytest.approx(2.234331019017586, abs=1e-11)  # root of the balance of moments, mpmath
    assert found.eigenvalues == pytest.approx([-0.2423858093105051 + 2.13395502834838j], abs=1e-10)
    assert found.stability == "stable"
    drawing = found.passed[0]
    assert (drawing.stability, drawing.distance, drawing.iterations) == ("unstable", 0.0, 0)
    assert drawing.coordinates()["A"] == 0.0
    assert found.point.is_equilibrium


def test_four_bar_from_random_starts_finds_the_folded_one_too() -> None:
    found = eb.equilibrium(eb.load(EXAMPLES / "four_bar_with_spring.yaml"), all_from=6)
    turned = sorted(one.coordinates()["A"] % (2 * math.pi) for one in found.all)
    assert turned == pytest.approx([0.0, 0.6635346922226890, math.pi], abs=1e-9)
    assert sorted(one.stability for one in found.all) == ["stable", "stable", "unstable"]


def test_the_operating_point_of_the_file_is_the_equilibrium() -> None:
    four_bar = eb.load(EXAMPLES / "four_bar_with_spring.yaml")
    assert eb.modes(four_bar).eigenvalues == pytest.approx([-0.2423858093105051 + 2.13395502834838j], abs=1e-10)
    nearest = eb.operating_point(four_bar, {"equilibrium": {"which": "nearest"}})
    assert nearest.coordinates()["A"] == 0.0


# Pendulums and chains -------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(("n", "start"), [(1, "170 deg"), (4, "-30 deg"), (4, "50 deg"), (12, "10 deg"), (40, "2 deg")])
def test_a_chain_hangs_straight_down_from_far_away(n: int, start: str) -> None:
    found = eb.equilibrium(chain(n, position=start))
    expected = [[0, 0, -0.2 * i - 0.1] for i in range(n)]
    np.testing.assert_allclose(found.point.state.r, expected, atol=1e-10)
    assert found.is_stable
    assert found.stability == "marginal"  # undamped
    assert found.point.is_equilibrium


def test_an_upright_pendulum_is_unstable_and_the_hanging_one_is_found() -> None:
    upright = model({"rod": body([0, 0, 1])}, {"pin": hinge("ground", "rod", ORIGIN)})
    found = eb.equilibrium(upright)
    assert abs(found.coordinates()["pin"]) == pytest.approx(math.pi, abs=1e-10)
    rate = math.sqrt(G / 1.1)  # m g l / (I + m l^2)
    assert found.eigenvalues == pytest.approx([1j * rate], rel=1e-12)
    assert [one.stability for one in found.passed] == ["unstable"]
    assert found.passed[0].eigenvalues.real.max() == pytest.approx(rate, rel=1e-12)
    nearest = eb.equilibrium(upright, which="nearest")
    assert (nearest.stability, nearest.coordinates()["pin"]) == ("unstable", 0.0)


def test_equilibrium_then_modes_equals_the_closed_form() -> None:
    """A pendulum with a torsion spring: k q = m g l sin q, omega^2 = (k - m g l cos q) / (I + m l^2)."""
    stiffness = 6.0
    upright = model(
        {"rod": body([0, 0, 1])},
        {"pin": hinge("ground", "rod", ORIGIN, position=0.5)},
        forces={"coil": {"type": "spring", "along": "pin", "k": stiffness}},
        operating_point="equilibrium",
    )
    angle = eb.operating_point(upright).coordinates()["pin"]
    assert stiffness * angle == pytest.approx(G * math.sin(angle), rel=1e-13)
    assert angle > 1
    square = (stiffness - G * math.cos(angle)) / 1.1
    assert eb.modes(upright).eigenvalues == pytest.approx([1j * math.sqrt(square)], rel=1e-12)
    assert eb.linearize(upright).K.item() == pytest.approx(square * 1.1, rel=1e-12)


# Force laws -----------------------------------------------------------------------------------------------------------
def test_hardening_spring() -> None:
    """k s + h s^3 = -m g: the real root of the cubic (Cardano)."""
    found = eb.equilibrium(on_a_slider(forces={"f": {"type": "spring", "along": "s", "k": 10, "force": "=1000*s**3"}}))
    p, q = 10 / 1000, G / 1000
    root = math.sqrt(q * q / 4 + p**3 / 27)
    s = np.cbrt(-q / 2 + root) + np.cbrt(-q / 2 - root)
    assert found.coordinates()["s"] == pytest.approx(s, rel=1e-13)
    assert found.eigenvalues == pytest.approx([1j * math.sqrt(10 + 3000 * s * s)], rel=1e-12)


def test_a_stop_far_below_is_reached() -> None:
    stop = {"type": "spring", "along": "s", "force": "=1000*min(s + 50, 0)"}
    assert eb.equilibrium(on_a_slider(forces={"stop": stop})).coordinates()["s"] == pytest.approx(
        -50 - G / 1000, rel=1e-13
    )


def test_stiff_bushing_on_a_body_that_turns_far() -> None:
    """A rod held to a crank by a bushing of 1e9 N/m swings down: stiff laws must not stop large rotations."""
    found = eb.equilibrium(
        model(
            {"crank": body([0.5, 0, 0]), "rod": body([1, 0, 0], 5)},
            {"pin": hinge("ground", "crank", ORIGIN, position="-80 deg")},
            forces={"mount": {"type": "bushing", "between": ["crank", "rod"], "at": [0.5, 0, 0],
                              "k": [1e9] * 3 + [1e8] * 3}},
        )
    )  # fmt: skip
    assert found.coordinates()["pin"] == pytest.approx(math.pi / 2, abs=1e-7)  # 1e9 N/m times the rounding of 1 m
    assert found.point.state.r[1] == pytest.approx([0, 0, -1 - 5 * G / 1e9], abs=1e-7)


@pytest.mark.parametrize("start", [0.0, 3.0])
def test_integrator_brings_the_block_to_its_setpoint(start: float) -> None:
    """x' = s - 0.2, force -100 s - 30 x: at rest s = 0.2 and 100 s + 30 x = -m g."""
    found = eb.equilibrium(
        on_a_slider(
            states={"x": {"rate": "=s - 0.2", "initial": start}},
            forces={"control": {"type": "expression", "along": "s", "value": "=-100*s - 30*x - 20*s'"}},
        )
    )
    assert found.coordinates()["s"] == pytest.approx(0.2, rel=1e-12)
    assert found.point.state.x == pytest.approx([-(G + 20) / 30], rel=1e-12)
    roots = np.sort(np.roots([1, 20, 100, 30]))
    assert np.sort(found.eigenvalues.real) == pytest.approx(roots, rel=1e-9)
    assert found.stability == "stable"


def test_inputs_have_their_stated_values() -> None:
    pushed = on_a_slider(
        inputs={"push": {"along": "s", "value": 25}}, forces={"f": {"type": "spring", "along": "s", "k": 100}}
    )
    assert eb.equilibrium(pushed).coordinates()["s"] == pytest.approx((25 - G) / 100, rel=1e-13)


def test_body_on_four_springs_balances_force_and_moment() -> None:
    corners = [(1, 1), (1, -1), (-1, 1), (-1, -1)]
    ends = {f"f{i}": ([1.3 * x, 1.3 * y, 2.0], [x, y, 0.0], 200 + 30 * i) for i, (x, y) in enumerate(corners)}
    forces = {
        name: {"type": "spring", "between": ["ground", "plate"], "at": [a, b], "k": k, "free_length": 1.2}
        for name, (a, b, k) in ends.items()
    }
    found = eb.equilibrium(model({"plate": {"mass": 5, "inertia": [0.4, 0.5, 0.6], "at": ORIGIN}}, forces=forces))
    r, R = found.point.state.r[0], found.point.state.R[0]
    force, moment = np.array([0, 0, -5 * G]), np.zeros(3)
    for a, b, k in ends.values():
        pull = np.array(a) - (r + R @ b)
        tension = k * (np.linalg.norm(pull) - 1.2) * pull / np.linalg.norm(pull)
        force, moment = force + tension, moment + np.cross(R @ b, tension)
    assert np.abs(force).max() < 1e-11 * 5 * G
    assert np.abs(moment).max() < 1e-11 * 5 * G


def test_drivers_are_held_still() -> None:
    """A pendulum on a moving cart hangs down where the cart is at t = 0, and the result says that it was stopped."""
    found = eb.equilibrium(
        model(
            {"cart": body(ORIGIN), "bob": body([0, 0, -1])},
            {
                "rail": slider(between=["ground", "cart"], axis=X, motion="=0.3 + 2*t"),
                "pin": hinge("cart", "bob", ORIGIN, position=1.0),
            },
        )
    )  # fmt: skip
    assert found.point.state.r == pytest.approx(np.array([[0.3, 0, 0], [0.3, 0, -1]]), abs=1e-12)
    assert found.point.is_at_rest
    assert max(found.point.drift) < 1e-12
    assert any("rail" in warning and "held still" in warning for warning in found.point.warnings)


# Closed loops with redundant constraints and preload ------------------------------------------------------------------
def preloaded(torque: float) -> eb.Model:
    """A parallelogram of revolutes (three redundant rows) with opposing torsion springs on both cranks."""
    return model(
        {"left": body([0, 0, -0.5]), "bar": body([0.5, 0, -1], 2), "right": body([1, 0, -0.5])},
        {"a": hinge("ground", "left", ORIGIN), "b": hinge("left", "bar", [0, 0, -1]),
         "c": hinge("bar", "right", [1, 0, -1]), "d": hinge("ground", "right", [1, 0, 0])},
        forces={"one": {"type": "spring", "along": "a", "k": 20, "free": torque},
                "two": {"type": "spring", "along": "d", "k": 30, "free": -torque / 2}},
    )  # fmt: skip


def test_preloaded_parallelogram_with_redundant_constraints() -> None:
    """20 (q - p) + 30 (q + p/2) + 3 m g sin q = 0 whatever preload the loop carries (weights: 1/2 + 2 + 1/2)."""
    found = eb.equilibrium(preloaded(4.0))
    q = found.coordinates()["a"]
    assert 50 * q - 20 * 4.0 + 30 * 2.0 + 3 * G * math.sin(q) == pytest.approx(0, abs=1e-10)
    assert found.coordinates()["d"] == pytest.approx(q, abs=1e-12)
    assert len(found.point.redundant) == 3
    inertia = 0.2 + 2 * 0.25 + 2
    assert found.eigenvalues == pytest.approx([1j * math.sqrt((50 + 3 * G * math.cos(q)) / inertia)], rel=1e-11)


def test_a_locked_preloaded_loop_has_its_reactions() -> None:
    """The springs oppose each other through the bar: its axial force times the height is the moment of a crank."""
    found = eb.equilibrium(preloaded(4.0))
    q = found.coordinates()["a"]
    reaction = eb.reactions(found.point, axes="ground")["b"]
    own = 20 * (q - 4.0) + G * 0.5 * math.sin(q)  # moment about y that the bar must balance on the left crank
    arm = np.array([-math.sin(q), 0, -math.cos(q)])
    force = -reaction.force  # on the crank
    assert abs(np.cross(arm, force)[1] - own) < 1e-9


# Large models ---------------------------------------------------------------------------------------------------------
def test_ladder_of_a_thousand_bodies_on_the_sparse_path() -> None:
    """999 bodies with 999 redundant rows under gravity across the rails: weight is carried by the ground joints."""
    family = runpy.run_path(str(EXAMPLES / "families.py"))["family"]
    document = family("L333RF1")
    document["gravity"] = [G, 0, 0]
    found = eb.equilibrium(eb.load(document))
    assert found.point.system.nq == 5994
    assert found.point.is_equilibrium
    assert found.point.residual < 1e-11
    assert found.stability == "stable"
    assert found.verdict.is_partial is False
    assert np.abs(list(found.coordinates().values())).max() > 1e-3
    grounded = [r for r in eb.reactions(found.point, axes="ground") if "ground" in r.between]
    carried = sum(r.force * (1 if r.between[0] == "ground" else -1) for r in grounded)
    assert carried == pytest.approx([-999 * 4 * G, 0, 0], rel=1e-9, abs=1e-5)


def test_dense_and_sparse_agree() -> None:
    """The same chain below and above the limit of the dense path: closed form of the deflected end."""
    for n in (20, 60):
        found = eb.equilibrium(chain(n, position="3 deg"))
        assert found.point.state.r[-1] == pytest.approx([0, 0, -0.2 * n + 0.1], abs=1e-10)
        assert len(found.eigenvalues) == n
        assert found.stability == "marginal"


def test_an_unstable_large_model_is_recognized() -> None:
    """A chain of 160 links drawn upright stands on one unstable equilibrium of many."""
    upright = chain(160, position=0)
    document = upright.document
    document["gravity"] = [G, 0, 0]
    hanging = eb.equilibrium(eb.load(document), which="nearest")
    assert (hanging.stability, hanging.distance) == ("marginal", 0.0)
    document["gravity"] = [-G, 0, 0]
    standing = eb.equilibrium(eb.load(document), which="nearest")
    assert (standing.stability, standing.distance) == ("unstable", 0.0)


# What has none --------------------------------------------------------------------------------------------------------
NONE = {
    "free fall": (model({"stone": body(ORIGIN)}), ["bodies.stone", "stone.z"]),
    "a falling pair with a spring between": (
        model({"a": body(ORIGIN), "b": body([1, 0, 0])}, {"pin": hinge("a", "b", [0.5, 0, 0])},
              forces={"coil": {"type": "spring", "along": "pin", "k": 3, "free": 0.3}}),
        ["bodies.a", "bodies.b", "a.z"],
    ),
    "a motor on a free rotor": (
        model({"rotor": body(ORIGIN)}, {"spin": {"type": "revolute", "between": ["ground", "rotor"], "at": ORIGIN}},
              forces={"motor": {"type": "expression", "along": "spin", "value": 1}}),
        ["bodies.rotor", "spin"],
    ),
    "a slide downhill": (
        model({"block": body(ORIGIN)}, {"s": slider(axis=[1, 0, -1])}),
        ["bodies.block", "motion of s"],
    ),
    "a state that runs away": (
        on_a_slider(states={"x": {"rate": 1.0}}, forces={"f": {"type": "spring", "along": "s", "k": 9}}),
        ["states.x", "never comes to rest"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", NONE)
def test_what_nothing_opposes_is_named(name: str) -> None:
    falling, words = NONE[name]
    with pytest.raises(eb.InputError) as caught:
        eb.equilibrium(falling)
    assert all(word in str(caught.value) for word in ["no static equilibrium", *words]), str(caught.value)


def test_an_indifferent_direction_is_no_obstacle() -> None:
    found = eb.equilibrium(
        model(
            {"rotor": body(ORIGIN), "bob": body([0, 0, -1])},
            {"spin": {"type": "revolute", "between": ["ground", "rotor"], "at": ORIGIN},
             "pin": hinge("rotor", "bob", ORIGIN, position=0.4)},
        )
    )  # fmt: skip
    assert found.stability == "drifting"
    assert found.coordinates()["pin"] == pytest.approx(0, abs=1e-12)
    assert found.coordinates()["spin"] == pytest.approx(0, abs=1e-9)


def test_a_result_prints_and_knows_its_document() -> None:
    found = eb.equilibrium(eb.load(EXAMPLES / "four_bar_with_spring.yaml"))
    text = str(found)
    assert all(word in text for word in ["stable", "All equilibria found", "unstable", "Reactions", "Certificate"])
    document = found.as_dict()
    assert [one["stable"] for one in document["equilibria"]] == [True, False]
    assert document["certificate"]["tangent_error"] < 1e-12


def test_the_search_starts_from_explicit_values_of_the_operating_point() -> None:
    """Two wells of a folding spring: the start decides which one is found."""
    bistable = {"type": "spring", "along": "s", "force": "=1000*s**3 - 100*s"}
    for start in (-0.1, 0.1):
        block = on_a_slider(forces={"f": bistable}, gravity=[0, 0, 0], operating_point={"s": start})
        assert eb.equilibrium(block).coordinates()["s"] == pytest.approx(
            math.copysign(math.sqrt(0.1), start), rel=1e-12
        )
    between = eb.equilibrium(on_a_slider(forces={"f": bistable}, gravity=[0, 0, 0]), all_from=8)
    assert sorted(one.coordinates()["s"] for one in between.all) == pytest.approx([-math.sqrt(0.1), 0, math.sqrt(0.1)])
    assert [one.stability for one in between.passed] == ["unstable"]


def test_dynamic_relaxation_settles_too() -> None:
    """The fallback by itself, on a chain that starts level."""
    from eigenbody.linearization.point import system_of
    from eigenbody.mobility.initial import initial_configuration
    from eigenbody.operating.equilibrium.settle import _Descent

    system = system_of(chain(6))
    descent = _Descent(system)
    here, _, rests = descent.run(descent.balance(initial_configuration(system)), momentum=True)
    assert rests
    assert here.state.r[-1] == pytest.approx([0, 0, -1.1], abs=1e-10)


def test_given_velocities_are_not_used_and_that_is_said() -> None:
    found = eb.equilibrium(model({"rod": body([0, 0, -1])}, {"pin": hinge("ground", "rod", ORIGIN, velocity=2.0)}))
    assert found.point.is_at_rest
    assert any("pin" in warning for warning in found.point.warnings)


def test_full_turns_are_counted_through_a_gear() -> None:
    """A pendulum three turns up drags a geared wheel along: k = -2 j, whatever angle it passes."""
    geared = model(
        {"rod": body([0, 0, -1]), "wheel": body([0, 1, 0])},
        {"j": hinge("ground", "rod", ORIGIN, position="1070 deg"), "k": hinge("ground", "wheel", [0, 1, 0])},
        couplings={"g": {"type": "gear", "joints": ["j", "k"], "ratio": 0.5}},
    )
    found = eb.equilibrium(geared)
    assert found.coordinates()["j"] == pytest.approx(6 * math.pi, rel=1e-12)
    assert found.coordinates()["k"] == pytest.approx(-12 * math.pi, rel=1e-12)
    other = eb.equilibrium(geared.set(operating_point={"j": "1250 deg"}))
    assert other.coordinates()["j"] == pytest.approx(6 * math.pi, rel=1e-12)


def test_a_state_that_no_force_minds_comes_to_rest() -> None:
    """y' = 2 - y - x, x' = pin - x on a pendulum that hangs already."""
    found = eb.equilibrium(
        model(
            {"rod": body([0, 0, -1])},
            {"pin": hinge("ground", "rod", ORIGIN)},
            states={"x": {"rate": "=pin - x", "initial": 3}, "y": {"rate": "=2 - y - x"}},
        )
    )
    assert found.point.state.x == pytest.approx([0, 2], abs=1e-12)


def test_a_disc_on_its_edge_tips_without_warnings() -> None:
    """Where it would go is looked for until it lies flat, where rolling cannot be measured: steps get shorter, and no
    warning of NumPy is left over (the tests make errors of these)."""
    found = eb.equilibrium(eb.load(EXAMPLES / "rolling_disc.yaml"))
    assert found.stability == "unstable"
    assert found.eigenvalues.real.max() == pytest.approx(math.sqrt(G / (1.25 * 0.5)))  # thin, radius 0.5 m
