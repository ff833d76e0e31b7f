"""What Trom's formulation was taught beyond the thesis: tyres, user forces, states, moving frames, non-holonomic rows.

Closed forms first, then every registered element against the engine, entry by entry of A, and each derivative against a
complex step or a difference of the level below.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from test_route_relative import STEP, assert_agrees, forces_at, state_matrix, stepped

import eigenbody as eb
from eigenbody.analyses.verify.find import place_of
from eigenbody.elements.blocks import BLOCKS
from eigenbody.elements.forces import FORCES
from eigenbody.model.description import Function
from eigenbody.routes.base import Linear
from eigenbody.routes.relative import REDUCTIONS, ROUTE, linearize
from eigenbody.routes.relative.assemble import Mechanism, read
from eigenbody.routes.relative.forces import dense, gradient_rates
from eigenbody.routes.relative.kinematics import Kinematics, moved
from eigenbody.routes.relative.signals import called
from element_samples import document, entries
from every_element import BLOCK_SAMPLES
from special_mechanisms import SPECIAL

SAMPLES = [
    pytest.param(entry, id=f"{name} {k}")
    for name in FORCES
    for k, entry in enumerate(entries(FORCES[name].spec, np.random.default_rng(3)))
]
DISC = {"mass": 2, "inertia": [0.1, 0.2, 0.1], "at": [0, 0, 0.3]}


def found(document: dict[str, Any] | str, **options: Any) -> Linear:
    point = eb.operating_point(eb.load(document))
    return linearize(point.system.description, place_of(point), **options)


def nonzero(linear: Linear) -> np.ndarray:
    values = linear.eigenvalues
    return values[np.abs(values) > 1e-6 * np.abs(values).max()]


def same(values: np.ndarray, known: list[complex], tolerance: float = 1e-9) -> bool:
    """As sets, each relative to its own size."""
    order = sorted(known, key=lambda z: (round(z.real, 6), z.imag))
    mine = sorted(values.tolist(), key=lambda z: (round(z.real, 6), z.imag))
    return np.allclose(mine, order, rtol=tolerance, atol=1e-9)


def parameters(path: str, **values: float) -> eb.Model:
    return eb.load(path).with_parameters(**values)  # type: ignore[no-any-return]


# ---- closed forms


def test_mass_in_a_rotating_frame() -> None:
    """x'' - 2 W y' - W^2 x + k x/m = 0, y likewise: frequencies sqrt(k/m) + W and sqrt(k/m) - W."""
    turn = 3.0
    between = {"between": ["spin", "a"], "axis": [0, 0, 1], "axis2": [1, 0, 0], "at": [0, 0, 0]}
    linear = found(
        {
            "eigenbody": 1,
            "frames": {"spin": {"about": [0, 0, 1], "rate": turn}},
            "bodies": {"a": {"mass": 2, "inertia": [1, 1, 1], "at": [0, 0, 0]}},
            "joints": {"p": {"type": "planar", **between, "motion": [None, None, 0]}},
            "forces": {
                "s": {"type": "spring", "along": "p.x", "k": 50},
                "u": {"type": "spring", "along": "p.y", "k": 50},
            },
        }
    )
    assert same(linear.eigenvalues, [8j, -8j, 2j, -2j])


@pytest.mark.parametrize("rate", [0.0, 1.7])
def test_a_frame_turns_like_a_driven_table(rate: float) -> None:
    """A pendulum on a frame about an oblique axis off the origin, and on a body driven at the same rate."""
    frame = {"about": [0.2, 0.1, 1], "at": [0.1, -0.2, 0], "rate": rate}

    def machine(table: dict[str, Any], joints: dict[str, Any]) -> dict[str, Any]:
        pendulum = {"mass": 2, "inertia": [0.3, 0.4, 0.5], "at": [0.4, 0.2, -0.5]}
        hinge = {"type": "revolute", "between": ["table", "b"], "at": [0.3, 0, 0], "axis": [0, 1, 0], "velocity": 0.6}
        spring = {"type": "spring", "between": ["table", "b"], "at": [[1, 0, 0], [0.4, 0.2, -0.5]], "k": 40,
                  "free_length": 0.5}  # fmt: skip
        return {"eigenbody": 1, "gravity": [0, 0, -9.81], **table, "joints": {**joints, "j": hinge},
                "forces": {"s": spring}, "bodies": {**table.get("bodies", {}), "b": pendulum}}  # fmt: skip

    on_a_body = {"type": "revolute", "between": ["ground", "table"], "at": frame["at"], "axis": frame["about"],
                 "motion": f"={rate}*t"}  # fmt: skip
    by_frame = machine({"frames": {"table": frame}}, {})
    by_body = machine({"bodies": {"table": {"mass": 5, "inertia": [1, 1, 1], "at": [0, 0, 0]}}}, {"drive": on_a_body})
    known = state_matrix(found(by_body))
    np.testing.assert_allclose(state_matrix(found(by_frame)), known, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(eb.linearize(eb.load(by_frame)).A, known, rtol=1e-12, atol=1e-12)


def test_single_track_car() -> None:
    """Lateral speed and yaw rate of the linear car, whose two equations every textbook has."""
    m, J, a, b, front, rear, V = 1500.0, 2500.0, 1.2, 1.4, 8e4, 1e5, 20.0
    axle = {"type": "tyre", "between": ["ground", "car"], "axis": [0, 1, 0], "radius": 0.3}
    linear = found(
        {
            "eigenbody": 1,
            "bodies": {"car": {"mass": m, "inertia": [500, 2500, J], "at": [0, 0, 0.3]}},
            "joints": {"road": {"type": "planar", "between": ["ground", "car"], "at": [0, 0, 0.3], "axis2": [1, 0, 0],
                                "velocity": [V, 0, 0]}},
            "forces": {"front": {**axle, "at": [a, 0, 0.3], "cornering_stiffness": front},
                       "rear": {**axle, "at": [-b, 0, 0.3], "cornering_stiffness": rear}},
        }
    )  # fmt: skip
    A = np.array([[-(front + rear) / (m * V), -(a * front - b * rear) / (m * V) - V],
                  [-(a * front - b * rear) / (J * V), -(a * a * front + b * b * rear) / (J * V)]])  # fmt: skip
    assert same(nonzero(linear), np.linalg.eigvals(A).tolist())


def test_hunting_wheelset() -> None:
    """Klingel's wavelength where creep is strong: omega = V sqrt(cone/(r half gauge))."""
    V, r, cone, half = 10.0, 0.45, 0.05, 0.75
    wheel = {"type": "wheel_rail", "between": ["ground", "axle"], "axis": [0, 1, 0], "radius": r,
             "longitudinal": 1e9, "lateral": 1e9}  # fmt: skip
    linear = found(
        {
            "eigenbody": 1,
            "bodies": {"axle": {"mass": 1, "inertia": [1, 0.1, 1], "at": [0, 0, r]}},
            "joints": {
                "track": {"type": "free", "between": ["ground", "axle"], "at": [0, 0, r],
                          "velocity": [V, 0, 0, 0, V / r, 0]},
            },
            "drivers": {"up": {"measure": "track.z", "motion": 0}, "roll": {"measure": "level", "motion": 0}},
            "measures": {"level": {"type": "cosine", "between": ["ground", "axle"], "axis": [0, 0, 1],
                                   "axis2": [0, 1, 0]}},
            "forces": {"left": {**wheel, "at": [0, half, r], "conicity": cone},
                       "right": {**wheel, "at": [0, -half, r], "conicity": -cone}},
        }
    )  # fmt: skip
    slow = linear.eigenvalues[linear.eigenvalues.imag > 1]
    assert slow == pytest.approx([1j * V * math.sqrt(cone / (r * half))], rel=1e-5)


def test_chaplygin_sleigh() -> None:
    """Straight ahead at v with its centre of mass a in front of the blade: one eigenvalue -m a v/(J + m a^2)."""
    m, J, a, v = 2.0, 0.5, 0.3, 1.5
    linear = found(
        {
            "eigenbody": 1,
            "bodies": {"s": {"mass": m, "inertia": [1, 1, J], "at": [a, 0, 0]}},
            "joints": {
                "p": {"type": "planar", "between": ["ground", "s"], "at": [0, 0, 0], "axis2": [1, 0, 0],
                      "velocity": [v, 0, 0]},
                "k": {"type": "knife_edge", "between": ["ground", "s"], "at": [0, 0, 0], "axis": [0, 1, 0]},
            },
        }
    )  # fmt: skip
    assert nonzero(linear) == pytest.approx([-m * a * v / (J + m * a * a)], rel=1e-12)
    assert len(linear.eigenvalues) == 5  # three coordinates, two speeds
    assert linear.matrices["N"].shape == (1, 3)


@pytest.mark.parametrize("speed", [0.0, 0.9, 4.0])
def test_rolling_disc(speed: float) -> None:
    """Lean of an upright disc of mass m, radius r, Ip = m r^2/2, It = m r^2/4: s^2 = 4 g/(5 r) - (12/5) (v/r)^2."""
    m, r, g = 2.0, 0.3, 9.81
    body = {"mass": m, "inertia": [m * r * r / 4, m * r * r / 2, m * r * r / 4], "at": [0, 0, r]}
    linear = found(
        {
            "eigenbody": 1,
            "gravity": [0, 0, -g],
            "bodies": {"disc": body},
            "joints": {"hub": {"type": "free", "between": ["ground", "disc"], "at": [0, 0, r],
                               "velocity": [speed, 0, 0, 0, speed / r, 0]},
                       "road": {"type": "rolling", "between": ["ground", "disc"], "at": [0, 0, r], "axis": [0, 1, 0],
                                "radius": r}},
        }
    )  # fmt: skip
    square = 4 * g / (5 * r) - 12 / 5 * (speed / r) ** 2
    pair = linear.eigenvalues[np.abs(linear.eigenvalues) > 1e-3]
    np.testing.assert_allclose(np.sort(pair**2), [square] * 2, rtol=1e-9)


def test_bicycle() -> None:
    """Weave, capsize and caster of the benchmark at 5 m/s (Meijaard, Papadopoulos, Ruina and Schwab 2007, table 2)."""
    linear = found("examples/whipple_bicycle.yaml")
    values = nonzero(linear)
    known = [-14.07838969279822, -0.32286642900409, *(-0.77534188219585 + s * 4.46486771378823j for s in (1, -1))]
    for value in known:
        assert np.abs(values - value).min() < 1e-8, value


def test_maxwell_element() -> None:
    """m s'' + k (s - x) = 0, c x' = k (s - x): s (m c s^2 + m k s + c k) = 0."""
    m, k, c = 2.0, 50.0, 8.0
    linear = found(
        {
            "eigenbody": 1,
            "bodies": {"a": {"mass": m, "inertia": [1, 1, 1], "at": [0, 0, 0]}},
            "joints": {"p": {"type": "prismatic", "between": ["ground", "a"], "at": [0, 0, 0]}},
            "forces": {"f": {"type": "maxwell", "along": "p", "k": k, "c": c}},
        }
    )
    assert same(linear.eigenvalues, [0j, *np.roots([m * c, m * k, c * k]).astype(complex).tolist()])


def test_controlled_mass() -> None:
    """A PID loop with a filtered derivative on a mass: the roots of its characteristic polynomial."""
    m, kp, ki, kd, T = 2.0, 30.0, 5.0, 4.0, 0.05
    linear = found(
        {
            "eigenbody": 1,
            "bodies": {"a": {"mass": m, "inertia": [1, 1, 1], "at": [0, 0, 0]}},
            "joints": {"p": {"type": "prismatic", "between": ["ground", "a"], "at": [0, 0, 0]}},
            "blocks": {"c": {"type": "pid", "input": "=-p", "kp": kp, "ki": ki, "kd": kd, "filter": T}},
            "forces": {"f": {"type": "expression", "along": "p", "value": "=c"}},
        }
    )
    # m s^2 + kp + ki/s + kd s/(1 + T s) = 0
    roots = np.roots([m * T, m, kp * T + kd, kp + ki * T, ki])
    assert same(linear.eigenvalues, roots.astype(complex).tolist())


@pytest.mark.parametrize(
    ("block", "response"),
    [
        ({"type": "transfer", "numerator": [3, 2], "denominator": [2, 5, 7]}, lambda s: (3*s + 2)/(2*s*s + 5*s + 7)),
        ({"type": "filter", "corner": 4, "order": 2, "kind": "highpass"}, lambda s: s*s/(s*s + 4*2**0.5*s + 16)),
        ({"type": "filter", "corner": 4}, lambda s: 4 / (s + 4)),
        ({"type": "delay", "time": 0.2, "order": 3}, lambda s: np.exp(-0.2 * s)),
    ],
)  # fmt: skip
def test_response_of_blocks(block: dict[str, Any], response: Callable[[complex], complex]) -> None:
    """C (s - A)^-1 B + D at a few s, against the transfer function itself."""
    from eigenbody.routes.relative.blocks import read_block

    blocks = {"b": {**block, "input": "=a.x"}}
    model = eb.load({"eigenbody": 1, "bodies": {"a": DISC}, "blocks": blocks})
    read_one = read_block(model.description.blocks[0])
    for s in (0.3 + 0.2j, 1.1j, -0.4 + 0.7j):
        inside = np.linalg.solve(s * np.eye(len(read_one.A)) - read_one.A, read_one.B)
        value = (read_one.C @ inside + read_one.D)[0, 0]
        assert value == pytest.approx(response(s), abs=1e-6 if block["type"] == "delay" else 1e-13)


def test_coupling_of_speeds() -> None:
    """a' = (1 + b^2) b' + 0.5 b: at rest at b = 0.4 it leaves one speed; and against the engine in motion."""
    hinge = {"type": "revolute", "at": [0, 0, 0]}
    document = {
        "eigenbody": 1,
        "bodies": {name: {"mass": 1, "inertia": [1, 1, 1], "at": [0, 0, 0]} for name in "ab"},
        "joints": {name: {**hinge, "between": ["ground", name]} for name in "ab"},
        "couplings": {"v": {"type": "velocity", "speed": "=a' - b'"}},
        "forces": {"s": {"type": "spring", "along": "b", "k": 8}},
    }
    # 2 b'' + 8 b = 0 with a' = b': a pair, and a zero of what a - b keeps
    assert same(found(document).eigenvalues, [2j, -2j, 0j])
    document["couplings"]["v"]["speed"] = "=a' - (1 + b**2)*b' - 0.5*sin(b)"
    document["joints"]["b"] |= {"position": 0.4, "velocity": 0.7}
    assert not assert_agrees(eb.load(document), ROUTE)


def test_implicit_states() -> None:
    """2 x' + x'^3 = -x at x = -3: x' = 1, and its slope is -1/(2 + 3 x'^2) = -1/5."""
    document = {
        "eigenbody": 1,
        "bodies": {"a": {"mass": 1, "inertia": [1, 1, 1], "at": [0, 0, 0]}},
        "joints": {"p": {"type": "prismatic", "between": ["ground", "a"], "at": [0, 0, 0]}},
        "states": {"x": {"initial": -3, "residual": "=2*x' + x'**3 + x"}},
    }
    assert nonzero(found(document)) == pytest.approx([-0.2], rel=1e-12)


# ---- Python functions


def pushed_by(function: Function) -> eb.Model:
    model = eb.Model().body("a", mass=2, inertia=[1, 1, 1], at=[0, 0, 0])
    model = model.joint("p", "prismatic", between=["ground", "a"], at=[0, 0, 0], position=0.3, velocity=0.5)
    return model.force("f", "expression", along="p", value=function)


def test_python_functions_are_differentiated() -> None:
    """-7 sin(s) - |v| v at s = 0.3, v = 0.5: A = [[0, 1], [-7 cos(0.3)/2, -0.5]]; it bears no complex numbers."""
    model = pushed_by(Function(lambda s, v: -7 * math.sin(s) - abs(v) * v))
    point = eb.operating_point(model)
    A = linearize(point.system.description, place_of(point)).matrices["A"]
    np.testing.assert_allclose(A, [[0, 1], [-3.5 * math.cos(0.3), -0.5]], atol=1e-9)


def test_a_wrong_derivative_of_a_function_is_found_out() -> None:
    """The engine believes the slopes that a function brings along; this route finds its own."""
    right = Function(lambda s, v: -7 * s - v, derivative=lambda s, v: (-7.0, -1.0))
    wrong = replace(right, derivative=lambda s, v: (-7.01, -1.0))
    assert eb.verify(pushed_by(right), ["relative"]).verdict == "agree"
    assert eb.verify(pushed_by(wrong), ["relative"]).verdict == "disagree"


def test_slopes_of_functions() -> None:
    """Values where differences have little room: near a pole, of large and of small numbers."""
    for call, at, slope in (
        (lambda x: 1 / x, 0.2, -25.0),
        (lambda x: math.exp(30 * x), 0.1, 30 * math.exp(3)),
        (lambda x: x**3, 1e5, 3e10),
        (lambda x: math.sin(x), 1e-9, 1.0),
    ):
        assert np.imag(called(call, (at + 1e-40j,))) / 1e-40 == pytest.approx(slope, rel=1e-9)


# ---- every registered element, and situations, against the engine


@pytest.mark.parametrize("entry", SAMPLES)
def test_every_force(entry: dict[str, Any]) -> None:
    assert not assert_agrees(eb.load(document({"e": entry})), ROUTE)


@pytest.mark.parametrize("name", BLOCKS)
def test_every_block(name: str) -> None:
    one = document(
        {"f": {"type": "expression", "along": "gauge", "value": "=b" + BLOCK_SAMPLES[name].get("output", "")}}
    )
    one["blocks"] = {"b": {"type": name, **BLOCK_SAMPLES[name]["keys"]}}
    assert not assert_agrees(eb.load(one), ROUTE)


@pytest.mark.parametrize("name", SPECIAL)
def test_special_mechanisms(name: str) -> None:
    assert not assert_agrees(eb.load(SPECIAL[name]), ROUTE)


@pytest.mark.parametrize("reduction", REDUCTIONS)
@pytest.mark.parametrize("name", ["chaplygin_sleigh", "whipple_bicycle", "quarter_car", "single_track_car"])
def test_reductions_agree(name: str, reduction: str) -> None:
    """Steady motions: constant coefficients, so that eigenvalues do not depend on what is eliminated."""
    known = nonzero(found(f"examples/{name}.yaml"))
    values = found(f"examples/{name}.yaml", reduction=reduction).eigenvalues
    for value in known:
        assert np.abs(values - value).min() < 1e-6 * np.abs(known).max()


@pytest.mark.parametrize("closed", [True, False])
def test_one_sided_drivers(closed: bool) -> None:
    """A mass that rests on a stop, and one pulled off it: the row holds or is left out."""
    pull = 30.0 if not closed else 3.0
    document = {
        "eigenbody": 1,
        "gravity": [0, 0, -9.81],
        "bodies": {"a": {"mass": 1, "inertia": [1, 1, 1], "at": [0, 0, 0]},
                   "b": {"mass": 1, "inertia": [1, 1, 1], "at": [0, 0, 1]}},
        "joints": {"p": {"type": "prismatic", "between": ["ground", "a"], "at": [0, 0, 0]},
                   "q": {"type": "prismatic", "between": ["a", "b"], "at": [0, 0, 1]}},
        "drivers": {"floor": {"measure": "p", "motion": 0, "side": "above"}},
        "forces": {"s": {"type": "spring", "along": "q", "k": 8, "c": 1},
                   "f": {"type": "force", "body": "a", "value": [0, 0, pull]}},
    }  # fmt: skip
    model = eb.load(document)
    assert len(eb.linearize(model).coordinates) == (1 if closed else 2)
    assert not assert_agrees(model, ROUTE)


# ---- partial derivatives


def machine(entry: dict[str, Any], seed: int = 0) -> tuple[Mechanism, Kinematics]:
    """Two free bodies with one element, and random velocities of all coordinates."""
    point = eb.operating_point(eb.load(document({"e": entry})))
    mechanism = read(point.system.description, place_of(point))
    nu = np.random.default_rng(seed).normal(size=mechanism.tree.count)
    return mechanism, Kinematics(mechanism.tree, mechanism.pose, nu)


GEOMETRIC = [sample for sample in SAMPLES if str(sample.id).split()[0] in ("tyre", "wheel_rail", "beam")]


@pytest.mark.parametrize("entry", GEOMETRIC)
def test_partials_of_contacts_and_beams(entry: dict[str, Any]) -> None:
    """gradient_rate is the complex step of gradient, and a gradient that of the value where there is one."""
    mechanism, at = machine(entry)
    for channel in [*(pull.channel for pull in mechanism.pulls), *(g.measure for g in mechanism.reader.gauges)]:
        by = gradient_rates((channel,), at.pose, at.directions)[0]
        for b in range(at.tree.count):
            ahead = stepped(at, b)
            known = dense(channel.gradient(ahead), len(at.pose.r)).imag / STEP
            np.testing.assert_allclose(by[b], known, atol=1e-12 * max(1.0, np.abs(known).max()))
            if hasattr(channel, "value"):
                row = dense(channel.gradient(at.pose), len(at.pose.r))
                slope = np.einsum("ci,ci->", row, at.B[:, :, b])
                assert np.imag(channel.value(ahead)) / STEP == pytest.approx(slope, abs=1e-12)


@pytest.mark.parametrize("entry", GEOMETRIC)
def test_partials_of_their_forces(entry: dict[str, Any]) -> None:
    mechanism, at = machine(entry)
    force, h = forces_at(mechanism, at), 1e-5
    scale = max(1.0, np.abs(force.by_position).max(), np.abs(force.value).max())
    for b in range(at.tree.count):
        e = h * np.eye(at.tree.count)[b]
        moves = [Kinematics(at.tree, moved(at.tree, at.pose, s * e), at.nu) for s in (1, -1)]
        speeds = [Kinematics(at.tree, at.pose, at.nu + s * e) for s in (1, -1)]
        for pair, known in ((moves, force.by_position[b]), (speeds, force.by_velocity[b])):
            ahead, behind = (forces_at(mechanism, one).value for one in pair)
            np.testing.assert_allclose((ahead - behind) / (2 * h), known, atol=1e-6 * scale)
