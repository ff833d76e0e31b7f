"""Which eigenvalues are zero, and what is said about stability: against plain eigenvalues, closed forms, exact K."""

from __future__ import annotations

import itertools
from typing import Any

import mpmath
import numpy as np
import pytest
from mpmath import matrix, mp, sqrt
from scipy.linalg import eigvals

import eigenbody as eb
from eigenbody.numerics.eigen.dense import spectrum_second_order
from eigenbody.numerics.eigen.spectrum import entry_order
from eigenbody.numerics.eigen.stability import Pairs, judged_modes

OBLIQUE = {
    "eigenbody": 1,
    "bodies": {
        "a": {"mass": 1, "inertia": [1, 1, 1], "at": [-1, 2, 2]},
        "b": {"mass": 1, "inertia": [1, 1, 1], "at": [-1, 0, 2]},
        "c": {"mass": 1, "inertia": [1, 1, 1], "at": [1, 2, -2]},
    },
    "joints": {
        "h": {"type": "revolute", "between": ["ground", "a"], "at": [2, -2, 1], "axis": [1, 0, 1]},
        "s": {"type": "revolute", "between": ["a", "b"], "at": [2, -1, -1], "axis": [1, 2, 3]},
        "g": {"type": "revolute", "between": ["a", "c"], "at": [2, 2, 1], "axis": [1, 2, 3]},
    },
    "forces": {"f": {"type": "spring", "along": "s", "k": 100}},
}


# Noise ----------------------------------------------------------------------------------------------------------------
def test_free_hinges_beside_an_unstretched_spring_are_free() -> None:
    found = eb.modes(eb.load(OBLIQUE))
    assert found.stability == "drifting"  # exactly, K = diag(0, 100, 0)
    assert found.is_rigid.sum() == 4
    assert found.check.zeros == (4, 4)


def oblique_tree(seed: int) -> tuple[dict, dict[str, float]]:
    """A random tree of integers with unstretched springs, and the exact diagonal of K by coordinate."""
    rng = np.random.default_rng(seed)

    def vector() -> list[int]:
        found = rng.integers(-3, 4, 3)
        return found.tolist() if found.any() else [1, 2, 3]

    document: dict = {"eigenbody": 1, "bodies": {}, "joints": {}, "forces": {}}
    exact = {}
    for i in range(int(rng.integers(2, 6))):
        parent = "ground" if not i else str(rng.choice(["ground", *document["bodies"]]))
        kind = str(rng.choice(["revolute", "prismatic", "spherical", "cylindrical"]))
        document["bodies"][f"b{i}"] = {"mass": int(rng.integers(1, 4)), "inertia": [1, 1, 1], "at": vector()}
        document["joints"][f"j{i}"] = {"type": kind, "between": [parent, f"b{i}"], "at": vector(), "axis": vector()}
        if kind in ("revolute", "prismatic") and rng.random() < 0.6:
            exact[f"j{i}"] = float(10 ** rng.integers(0, 5))
            document["forces"][f"f{i}"] = {"type": "spring", "along": f"j{i}", "k": exact[f"j{i}"]}
    return document, exact


@pytest.mark.parametrize("seed", range(60))
def test_noise_bounds_the_error_of_exact_stiffness(seed: int) -> None:
    """No gravity, nothing strained, at rest: K is the diagonal of the springs, exactly."""
    document, exact = oblique_tree(seed)
    linear = eb.linearize(eb.load(document))
    K = np.diag([exact.get(name, 0.0) for name in linear.coordinates])
    assert np.all(np.abs(linear.K - K) <= linear.noise_K)
    found = eb.modes(linear)
    assert found.is_rigid.sum() == 2 * (len(K) - len(exact))
    assert found.stability == ("drifting" if len(exact) < len(K) else "marginal")


def test_growth_of_a_soft_negative_spring_beside_stiff_ones_is_found() -> None:
    """A slider on -1e-26 N/m: its growth rate is 1e-13/s, whatever else there is."""
    document = {**OBLIQUE, "bodies": {**OBLIQUE["bodies"], "d": {"mass": 1, "at": [9, 9, 9]}}}
    rail = {"type": "prismatic", "between": ["ground", "d"], "at": [9, 9, 9], "axis": [1, 1, 0]}
    document["joints"] = {**OBLIQUE["joints"], "rail": rail}
    document["forces"] = {**OBLIQUE["forces"], "push": {"type": "spring", "along": "rail", "k": -1e-26}}
    found = eb.modes(eb.load(document))
    assert found.stability == "unstable"
    assert found.eigenvalues.real.max() == pytest.approx(1e-13, rel=1e-9)


def test_noise_of_stiffness_decides_on_the_damped_path() -> None:
    """A soft spring of 1e-7 beside one of 1e8, damped: it creeps at about k/c = 1e-7/3, known as well as k is."""
    C, K = np.array([[2.0, 1.0], [1.0, 3.0]]), np.diag([1e8, 1e-7])
    sure = spectrum_second_order(np.eye(2), C, K)
    assert sure.zero_chains == ()
    assert np.abs(sure.eigenvalues[0]) == pytest.approx(1e-7 / 3.0, rel=1e-6)
    assert spectrum_second_order(np.eye(2), C, K, noise_K=np.full((2, 2), 1e-6)).zero_chains == (1,)
    loose = spectrum_second_order(np.eye(2), C, K, noise_K=np.diag([1e-6, 1e-9]))
    assert loose.zero_chains == ()
    assert loose.bounds[0] >= 3e-11  # known to 1e-9 of stiffness: at least a tenth of 1e-9 / 3


def sled(seed: int) -> dict:
    """A body that slides on an oblique plane on a knife edge beside its centre of mass, along and turning."""
    rng = np.random.default_rng(seed)
    normal, along, at, arm, edge = rng.normal(size=(5, 3))
    z = normal / np.linalg.norm(normal)
    x = np.cross(np.cross(z, along), z) / np.linalg.norm(np.cross(z, along))
    speed, turn = rng.normal(size=2)
    aside = -(edge @ x * speed + edge @ np.cross(z, arm) * turn) / (edge @ np.cross(z, x))
    return {
        "eigenbody": 1,
        "bodies": {"b": {"mass": 2, "inertia": [1, 1, 1], "at": at.tolist()}},
        "joints": {
            "plane": {
                "type": "planar", "between": ["ground", "b"], "at": at.tolist(),
                "axis": normal.tolist(), "axis2": along.tolist(), "velocity": [float(speed), float(aside), float(turn)],
            },
            "edge": {
                "type": "knife_edge", "between": ["ground", "b"], "at": (at + arm).tolist(), "axis": edge.tolist(),
            },
        },
    }  # fmt: skip


def exact_kinematics(model: eb.Model, linear: eb.LinearModel) -> tuple[np.ndarray, np.ndarray]:
    """Y and Z of the sled in 50 digits, from the numbers of the model and the state as they are: with a1, a2 the edge
    along x and y of the plane and b its component along z x arm, a1 x' + a2 y' + b angle' = 0, and the edge turns."""
    mp.dps = 50
    joint, edge = (model.document["joints"][name] for name in ("plane", "edge"))
    vector = lambda values: matrix([mp.mpf(float(v)) for v in values])  # noqa: E731
    dot = lambda a, b: sum(a[i] * b[i] for i in range(3))  # noqa: E731
    cross = lambda a, b: matrix([a[i] * b[j] - a[j] * b[i] for i, j in ((1, 2), (2, 0), (0, 1))])  # noqa: E731
    unit = lambda a: a / sqrt(dot(a, a))  # noqa: E731
    z = unit(vector(joint["axis"]))
    x = unit(vector(joint["axis2"]) - dot(vector(joint["axis2"]), z) * z)
    y, a = cross(z, x), unit(vector(edge["axis"]))
    arm = vector(edge["at"]) - vector(joint["at"])
    a1, a2, b = dot(a, x), dot(a, y), dot(a, cross(z, arm))
    state = linear.point.state
    v, turn = vector(state.v[0]), dot(vector(state.w[0]), z)
    rates, parts = {"x": dot(v, x), "y": dot(v, y), "angle": turn}, {"x": a1, "y": a2, "angle": b}
    turning = {"x": -a2, "y": a1, "angle": mp.mpf(0)}  # of the parts, by the angle
    names = [name.removeprefix("plane.") for name in linear.coordinates]
    free = [name.removeprefix("plane.") for name in linear.velocities]
    (held,) = set(names) - set(free)
    Y, Z = np.zeros((3, 3), object), np.zeros((3, 2), object)
    for i, name in enumerate(names):
        for j, other in enumerate(free):
            Z[i, j] = -parts[other] / parts[held] if name == held else mp.mpf(int(name == other))
        if name == held:
            Y[i, names.index("angle")] = -sum(turning[n] * rates[n] for n in names) / parts[held]
    return Y, Z


def test_noise_of_kinematics_bounds_their_error_and_nothing_less_does() -> None:
    """S' = Y S + Z W of sleds: eps of each entry, which is all that is known without that noise, is too little."""
    beyond = 0
    for seed in range(20):
        model = eb.load(sled(seed))
        linear = eb.linearize(model)
        for found, exact, noise in zip(
            (linear.Y, linear.Z), exact_kinematics(model, linear), (linear.noise_Y, linear.noise_Z), strict=True
        ):
            error = np.abs((found - exact).astype(float))
            assert np.all(error <= noise), (seed, error / np.maximum(noise, 1e-300))
            beyond += int(np.sum(error > np.finfo(float).eps * np.abs(found)))
    assert beyond > 10


def test_nearly_equal_modes_keep_their_order() -> None:
    """Magnitudes that differ in the eleventh digit count as equal, in the ninth they do not."""
    same = np.array([3j * (1 + 2e-11), 3.0 * np.exp(2j)])
    assert entry_order(same).tolist() == [1, 0]  # by imaginary part
    apart = np.array([3j * (1 + 1e-8), 3.0 * np.exp(2j)])
    assert entry_order(apart).tolist() == [1, 0]
    other = np.array([3.0 * np.exp(2j) * (1 + 1e-8), 3j])
    assert entry_order(other).tolist() == [1, 0]


# Shafts ---------------------------------------------------------------------------------------------------------------
def shaft(speed: float, axial: float, damping: float, modes: int, disc: bool) -> dict:
    bearing = {"type": "bearing", "c": [damping, damping, 0, 0, 0, 0]}
    beam = {
        "type": "beam", "points": [[0, 0, 0], [0, 0, 1]], "E": 210e9, "nu": 0.3, "density": 7850, "diameter": 0.04,
        "modes": modes,
    }  # fmt: skip
    spin = {"type": "free", "between": ["ground", "shaft.start"], "at": [0, 0, 0], "velocity": [0, 0, 0, 0, 0, speed]}
    out: dict = {
        "eigenbody": 1,
        "flexible": {"shaft": beam},
        "joints": {"spin": spin},
        "forces": {
            "left": {**bearing, "between": ["ground", "shaft.start"], "at": [0, 0, 0], "k": [1e7, 1e7, axial, 0, 0, 0]},
            "right": {**bearing, "between": ["ground", "shaft.end"], "at": [0, 0, 1], "k": [1e7, 1e7, 0, 0, 0, 0]},
        },
    }
    if disc:
        out["bodies"] = {"disc": {"mass": 20, "inertia": [0.2, 0.2, 0.4], "at": [0, 0, 1]}}
        out["joints"]["weld"] = {"type": "fixed", "between": ["shaft.end", "disc"], "at": [0, 0, 1]}
    return out


SHAFTS = list(itertools.product((0, 0.01, 1, 10, 100, 500), (0, 1e6), (0, 1e3), (1, 2, 3, 4, 5, 6), (False, True)))


@pytest.mark.parametrize("case", SHAFTS[:: len(SHAFTS) // 48])
def test_spinning_shafts_have_the_eigenvalues_of_their_matrix(case: tuple) -> None:
    assert_plain(case)


@pytest.mark.slow
@pytest.mark.parametrize("case", SHAFTS)
def test_all_spinning_shafts_have_the_eigenvalues_of_their_matrix(case: tuple) -> None:
    assert_plain(case)


def assert_plain(case: tuple) -> None:
    """Free rotation, and free motion along the axis unless a bearing holds it: two zeros each; the others as plain."""
    linear = eb.linearize(eb.load(shaft(*case)))
    found = eb.modes(linear)
    zeros = 2 if case[1] else 4
    assert found.check.zeros == (zeros, zeros)
    assert found.check.residual < 1e-13
    assert found.check.trace is not None
    assert found.check.trace < 1e-10
    all_of_them = np.concatenate([found.eigenvalues, found.eigenvalues[found.eigenvalues.imag > 0].conj()])
    plain = np.sort(np.abs(eigvals(linear.A)))
    assert np.sort(np.abs(all_of_them))[zeros:] == pytest.approx(plain[zeros:], rel=1e-8)
    assert found.stability == "drifting"  # damped and isotropic, seen from the shaft where it turns


# What cannot be decided -----------------------------------------------------------------------------------------------
def test_a_stiffness_lost_beside_another_is_named() -> None:
    rail = {"type": "prismatic", "axis": [1, 0, 0]}
    document = {
        "eigenbody": 1,
        "bodies": {name: {"mass": 1, "at": [x, 0, 0]} for name, x in (("a", 1), ("b", 2))},
        "joints": {
            "u": {**rail, "between": ["ground", "a"], "at": [1, 0, 0]},
            "v": {**rail, "between": ["ground", "b"], "at": [2, 0, 0]},
        },
        "forces": {
            "soft": {"type": "spring", "along": "u", "k": 1},
            "stiff": {
                "type": "spring", "between": ["a", "b"], "at": [[1, 0, 0], [2, 0, 0]], "k": 1e20, "free_length": 1,
            },
        },
    }  # fmt: skip
    found = eb.modes(eb.load(document))
    notes = " ".join(found.notes)
    assert "deflect soft" in notes
    assert "cannot tell these eigenvalues from zero" in notes
    assert found.bounds[0] > np.sqrt(0.5)  # sqrt(k / (m + m)) may hide there


def test_real_parts_within_their_bounds_are_zero_and_no_damping_is_printed() -> None:
    found = eb.modes(eb.load(shaft(10, 1e6, 1e3, 4, False)))
    small = (found.eigenvalues.imag > 0) & (np.abs(found.eigenvalues.real) <= found.bounds)
    assert small.any()  # torsion and stretch are not damped
    assert np.all(found.damping_ratio[small] == 0)
    assert "is below the rounding of the equations" in " ".join(found.notes)


RAIL = {"type": "prismatic", "between": ["ground", "m"], "at": [0, 0, 0], "axis": [1, 0, 0]}


# Verdicts -------------------------------------------------------------------------------------------------------------
def swinging(**joint: float) -> eb.Model:
    return eb.load({
        "eigenbody": 1, "gravity": [0, 0, -9.81],
        "bodies": {"bob": {"mass": 1, "inertia": [0.1, 0.1, 0.1], "at": [0, 0, -1]}},
        "joints": {
            "pin": {"type": "revolute", "between": ["ground", "bob"], "at": [0, 0, 0], "axis": [0, 1, 0], **joint},
        },
    })  # fmt: skip


def test_no_verdict_where_coefficients_change() -> None:
    assert eb.modes(swinging()).stability == "marginal"
    assert eb.modes(swinging(position=np.pi)).stability == "unstable"
    for away in ({"position": 0.5}, {"position": np.pi - 1e-3}, {"velocity": 3.0}):
        found = eb.modes(swinging(**away))
        assert found.stability == "frozen"
        assert set(found.stabilities) == {"frozen"}
        assert "nothing is said about stability" in str(found)
        assert "unstable" not in str(found)


def test_linear_mechanisms_have_a_verdict_wherever_they_are() -> None:
    slider = {
        "eigenbody": 1, "bodies": {"m": {"mass": 1, "at": [0, 0, 0]}},
        "joints": {"x": {**RAIL, "position": 3, "velocity": 2}},
        "forces": {"k": {"type": "spring", "along": "x", "k": 4, "c": 0.1}},
    }  # fmt: skip
    assert eb.modes(eb.load(slider)).stability == "stable"


def test_parametric_excitation_has_no_verdict() -> None:
    slider = {
        "eigenbody": 1, "bodies": {"m": {"mass": 1, "at": [0, 0, 0]}},
        "joints": {"x": RAIL},
        "forces": {"k": {"type": "expression", "along": "x", "value": "=-x*(1 + 0.5*cos(2*t))"}},
    }  # fmt: skip
    assert eb.modes(eb.load(slider)).stability == "frozen"


def test_unsymmetric_rotor_on_unsymmetric_bearings_has_no_verdict_and_each_alone_has() -> None:
    def rotor(shaft_k: tuple[float, float], bearing_k: tuple[float, float]) -> eb.Model:
        point = {"mass": 1, "inertia": [0.1, 0.1, 0.1]}
        return eb.load({
            "eigenbody": 1,
            "bodies": {"hub": {**point, "at": [0, 0, 0]}, "disc": {**point, "at": [0, 0, 0]}},
            "joints": {
                "hold": {"type": "free", "between": ["ground", "hub"], "at": [0, 0, 0], "velocity": [*[0] * 5, 20]},
                "bend": {"type": "planar", "between": ["hub", "disc"], "at": [0, 0, 0], "axis": [0, 0, 1]},
            },
            "forces": {
                "bearing": {"type": "bearing", "between": ["ground", "hub"], "at": [0, 0, 0],
                            "k": [*bearing_k, 1e3, 50, 50, 0], "c": [1, 1, 1, 1, 1, 0]},
                "x": {"type": "spring", "along": "bend.x", "k": shaft_k[0]},
                "y": {"type": "spring", "along": "bend.y", "k": shaft_k[1]},
                "twist": {"type": "spring", "along": "bend.angle", "k": 10},
            },
        })  # fmt: skip

    assert eb.modes(rotor((900, 1600), (2500, 3600))).stability == "frozen"
    assert eb.modes(rotor((900, 1600), (2500, 2500))).stability != "frozen"


def test_nothing_moves() -> None:
    document = {
        "eigenbody": 1, "bodies": {"b": {"mass": 1, "inertia": [1, 1, 1], "at": [0, 0, 0]}},
        "joints": {"weld": {"type": "fixed", "between": ["ground", "b"], "at": [0, 0, 0]}},
    }  # fmt: skip
    found = eb.modes(eb.load(document))
    assert found.stability == "immobile"
    assert "immobile: nothing can move" in str(found)


def test_contradicted_modes_are_replaced_by_plain_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    """More zeros than plain eigenvalues within their bounds of zero: a contradiction, and the plain ones are shown."""
    from eigenbody.analyses.modes import find as module

    model = eb.load(OBLIQUE)
    true = eb.modes(model)
    wrong = module.spectrum_of(eb.linearize(model))
    object.__setattr__(wrong, "near_zero", 1)
    monkeypatch.setattr(module, "spectrum_of", lambda _linear: wrong)
    found = eb.modes(model)
    assert found.contradictions
    assert found.as_dict()["warnings"]
    assert np.abs(found.eigenvalues).max() == pytest.approx(np.abs(true.eigenvalues).max(), rel=1e-12)


def test_samples_of_rounding_are_the_same_every_time() -> None:
    first, second = (eb.linearize(eb.load(OBLIQUE)).noise_K for _ in range(2))
    assert np.array_equal(first, second)


def test_vectors_satisfy_the_equations_where_lapack_scales_states_by_tiny_entries() -> None:
    """Integrators at the end of a chain, fed back by a rounding: the driver's own balancing follows it, and its vectors
    are then wrong by 1e-4."""
    A = np.zeros((6, 6))
    A[0, :4], A[1, 0], A[1, 4], A[2, 3] = [-1.5, 7.6, 2.9, 1.8], 4.0, -1e-28, 4.0
    A[3, :4] = [-0.17, -0.2, 2.4, -0.05]
    A[4] = [-3.6e-5, -5.7e-5, 3.9e-21, 4.9e-20, -2.2e-18, 0.0]
    A[5] = [-2.7e-9, -4.2e-9, 2.8e-25, -1e-7, 1.2e-4, 0.0]
    noise = 1e-17 * np.ones_like(A)
    noise[1, 4] = 1e-44
    (judged,) = judged_modes(A[None], noise[None])
    found = Pairs(*(part[0] for part in judged.others))
    off = np.linalg.norm(A @ found.vectors - found.vectors * found.values, axis=0)
    assert np.all(off <= 1e-11 * np.linalg.norm(A) * np.linalg.norm(found.vectors, axis=0))
    plain = np.sort(np.linalg.eigvals(A[:4, :4]).real)
    assert np.sort(found.values.real[np.abs(found.values) > 1]) == pytest.approx(plain, rel=1e-13)


@pytest.mark.parametrize("damping", [0, 1, 5])
@pytest.mark.parametrize("beyond", [3, 10, 30, 100, 1000])
@pytest.mark.parametrize("side", [-1, 1])
def test_bounds_contain_the_truth_where_a_spring_just_holds_a_pendulum(damping: int, beyond: int, side: int) -> None:
    """m l^2 + I = 73, m g l = 240, k = 240 + n 2^-45: the roots of 73 x^2 + c x + k - 240 in long arithmetic. Beside it
    a pendulum with a clear frequency of its own, so that more is found than one mode."""
    excess = side * beyond * 2.0**-45
    model = {
        "eigenbody": 1,
        "gravity": [0, 0, -10],
        "bodies": {
            "a": {"mass": 8, "inertia": [1, 1, 1], "at": [0, 0, 3]},
            "b": {"mass": 3, "inertia": [1, 1, 1], "at": [5, 0, 1]},
        },
        "joints": {
            "ha": {"type": "revolute", "between": ["ground", "a"], "at": [0, 0, 0], "axis": [0, 1, 0]},
            "hb": {"type": "revolute", "between": ["ground", "b"], "at": [5, 0, 0], "axis": [1, 0, 0]},
        },
        "forces": {
            "sa": {"type": "spring", "along": "ha", "k": 240 + excess, "c": damping},
            "sb": {"type": "spring", "along": "hb", "k": 90, "c": 1},
        },
    }
    found = eb.modes(model)
    with mpmath.workdps(50):
        root = mpmath.sqrt(mpmath.mpf(damping) ** 2 - 4 * 73 * mpmath.mpf(excess))
        true = [complex((-damping + sign * root) / 146) for sign in (1, -1)]
    for value in true:
        if value.imag >= 0:
            assert np.min(np.abs(found.eigenvalues - value) / found.bounds) <= 1
    if beyond >= 100:  # the two summands of 240 are known to 17 roundings, 64 of 2^-45
        assert not found.is_rigid.any()
        assert (found.stability == "unstable") == (side < 0)
    elif found.is_rigid.any():
        assert any("deflect sa" in note for note in found.remarks)


# Coefficients that change with time ----------------------------------------------------------------------------------
def swing(stiffness: str, **more: Any) -> eb.Model:
    """A block on a slider whose spring changes with time."""
    slider = {"type": "prismatic", "between": ["ground", "b"], "at": [0, 0, 0], "axis": [1, 0, 0]}
    bodies, joints, forces = (more.pop(name, {}) for name in ("bodies", "joints", "forces"))
    return eb.Model(
        bodies={"b": {"mass": 1, "at": [0, 0, 0]}, **bodies},
        joints={"s": slider, **joints},
        forces={"f": {"type": "expression", "along": "s", "value": f"=-{stiffness}*s - 0.02*s'"}, **forces},
        **more,
    )


@pytest.mark.parametrize("asked", ["reference", "steady"])
def test_a_spring_that_changes_with_time_has_no_verdict_of_an_instant(asked: str) -> None:
    """Mathieu's equation, unstable by Floquet's theory: the eigenvalues of the instant say stable."""
    model = swing("(1 - 0.8*cos(2*t))", operating_point=asked)
    assert eb.floquet(model, period="=pi").stability == "unstable"
    assert eb.modes(model).stability == "frozen"


def test_a_period_that_fits_the_moments_looked_at_is_noticed() -> None:
    """100 Hz: 0.37 s and 1.9 s are whole numbers of periods."""
    assert eb.modes(swing("1e5*(1 - 0.8*cos(200*pi*t))")).stability == "frozen"


def test_a_stiff_part_does_not_hide_that_another_changes_with_time() -> None:
    other = {"type": "prismatic", "between": ["ground", "c"], "at": [0, 0, 0], "axis": [1, 0, 0]}
    model = swing(
        "(1 - 0.8*cos(2*t))",
        bodies={"c": {"mass": 1e-3, "at": [0, 0, 0]}},
        joints={"q": other},
        forces={"g": {"type": "spring", "along": "q", "k": 1e9}},
    )
    assert eb.modes(model).stability == "frozen"


def test_ground_resonance_is_judged_alike_at_the_reference_and_as_a_steady_motion() -> None:
    """Three lagging blades on an unequal mount, driven: multi-blade coordinates are used in both."""
    found = {asked: eb.modes(bladed(asked)) for asked in ("reference", "steady")}
    assert {modes.stability for modes in found.values()} == {"unstable"}
    fastest = [float(modes.eigenvalues.real.max()) for modes in found.values()]
    assert fastest[0] == pytest.approx(fastest[1], rel=1e-8)


def bladed(asked: str) -> eb.Model:
    bodies: dict[str, Any] = {"hub": {"mass": 8, "inertia": [1, 1, 2], "at": [0, 0, 0]},
                              "bed": {"mass": 4, "inertia": [1, 1, 1], "at": [0, 0, 0]}}  # fmt: skip
    joints: dict[str, Any] = {
        "mount": {
            "type": "planar",
            "between": ["ground", "bed"],
            "at": [0, 0, 0],
            "axis": [0, 0, 1],
            "axis2": [1, 0, 0],
        },
        "spin": {"type": "revolute", "between": ["bed", "hub"], "at": [0, 0, 0], "axis": [0, 0, 1], "motion": "=15*t"},
    }  # fmt: skip
    forces: dict[str, Any] = {
        "mx": {"type": "spring", "along": "bed.x", "k": 1800, "c": 1},
        "my": {"type": "spring", "along": "bed.y", "k": 2300, "c": 1},
        "mz": {"type": "spring", "along": "bed.rz", "k": 1e5, "c": 10},
    }
    for i in range(3):
        way = np.array([np.cos(2 * np.pi * i / 3), np.sin(2 * np.pi * i / 3), 0])
        bodies[f"b{i}"] = {"mass": 1, "inertia": [0.05, 0.05, 0.05], "at": (1.2 * way).tolist()}
        joints[f"lag{i}"] = {"type": "revolute", "between": ["hub", f"b{i}"], "at": (0.2 * way).tolist(),
                             "axis": [0, 0, 1]}  # fmt: skip
        forces[f"d{i}"] = {"type": "damper", "along": f"lag{i}", "c": 0.02}
    return eb.Model(bodies=bodies, joints=joints, forces=forces, operating_point=asked)


def two_masses(m1: float, m2: float, k1: float, k2: float, is_relative: bool) -> dict:
    """Ground - k1 - m1 - k2 - m2 on a line; the second coordinate may be relative to the first mass."""
    along = {"type": "prismatic", "at": [0, 0, 0], "axis": [1, 0, 0]}
    between = {"between": ["b1", "b2"], "at": [[0, 0, 0], [1, 0, 0]], "free_length": 1.0}
    return {
        "eigenbody": 1,
        "bodies": {
            "b1": {"mass": m1, "inertia": [1, 1, 1], "at": [0, 0, 0]},
            "b2": {"mass": m2, "inertia": [1, 1, 1], "at": [1, 0, 0]},
        },
        "joints": {
            "x": {**along, "between": ["ground", "b1"]},
            "y": {**along, "between": ["b1" if is_relative else "ground", "b2"]},
        },
        "forces": {"s": {"type": "spring", "along": "x", "k": k1}, "t": {"type": "spring", **between, "k": k2}},
    }  # fmt: skip


@pytest.mark.parametrize(("m1", "m2"), [(1, 1e11), (1e11, 1), (1, 1e-11), (1e-6, 1e6), (1e-7, 1e7), (1, 1e14)])
@pytest.mark.parametrize(("k1", "k2"), [(1, 1), (1e3, 1e-3), (1e-6, 1e6)])
@pytest.mark.parametrize("is_relative", [True, False])
def test_what_rounding_leaves_of_a_frequency_is_said(
    m1: float, m2: float, k1: float, k2: float, is_relative: bool
) -> None:
    """Against the closed form in 60 digits: within the bound, and noted where it is off by a thousandth or more."""
    from mpmath import mp

    with mp.workdps(60):
        a, b, c = mp.mpf(m1) * m2, mp.mpf(m1) * k2 + mp.mpf(m2) * (mp.mpf(k1) + k2), mp.mpf(k1) * k2
        root = mp.sqrt(b * b - 4 * a * c)
        wanted = [float(mp.sqrt(2 * c / (b + root))), float(mp.sqrt((b + root) / (2 * a)))]
    found = eb.modes(eb.load(two_masses(m1, m2, k1, k2, is_relative)))
    noted = " ".join(text for text in found.notes if "uncertain" in text or "double precision cannot tell" in text)
    for value, rate, bound in zip(found.eigenvalues, wanted, found.bounds, strict=True):
        assert abs(abs(value) - rate) <= max(bound, 1e-14 * rate)
        if abs(abs(value) - rate) > 1e-3 * rate:
            assert noted
    if noted and not is_relative:
        assert (found.bounds > 1e-3 * np.array(wanted)).any()
